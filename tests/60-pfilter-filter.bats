# SPDX-License-Identifier: ISC
# pfilter --filter: what expressions mean; evaluate.py works the same out a second time.
load lib

# Samples with all kinds of fields, in three layouts: tails at fixed places, behind variable parts, READ values.
fields() {
	cat <<-'END'
	attr type=1 config=0 period=4000 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD|WEIGHT_STRUCT|DATA_SRC|TRANSACTION|PHYS_ADDR|CGROUP|DATA_PAGE_SIZE|CODE_PAGE_SIZE flags=freq|sample_id_all|comm ids=11,12
	attr type=0 config=3 period=77 sample_type=IDENTIFIER|IP|TID|TIME|ADDR|STREAM_ID|CALLCHAIN|BRANCH_STACK|REGS_USER|STACK_USER|WEIGHT|DATA_SRC flags=sample_id_all ids=21,22 regs_user=0x1c0 stack_user=16 branch_sample_type=0xa0001
	attr type=2 config=300 period=1 sample_type=IDENTIFIER|IP|TID|TIME|READ|RAW|AUX|CPU read_format=7 flags=sample_id_all ids=31
	HEADER_FEATURE feat_id=3 fs=box
	HEADER_FEATURE feat_id=29 u4=1 u4=1 u8=1700000000000000000 u8=500
	ID_INDEX list=11/0/0/-1,12/1/1/-1,21/0/2/-1,22/1/3/-1,31/0/0/-1
	EVENT_UPDATE update_type=2 id=11 z=cpu-clock
	EVENT_UPDATE update_type=2 id=21 z=misses:u
	EVENT_UPDATE update_type=2 id=31 z=sched:one
	COMM pid=0 tid=0 comm=idle
	COMM pid=1 tid=1 comm=one
	FORK pid=2 ppid=1 tid=2 ptid=1 @ pid=1 tid=1
	COMM pid=2 tid=2 comm=two\stwo
	MMAP2 misc=0x4002 pid=1 tid=1 start=4096 len=50 build_id=00112233 prot=5 flags=2 filename=/lib/first.so
	MMAP2 misc=2 pid=1 tid=1 start=4146 len=50 maj=8 min=1 ino=5 prot=5 flags=2 filename=/lib/second.so
	CGROUP id=1 path=/
	CGROUP id=2 path=/a/b
	END
	awk 'function r(n) { x = (x * 1103515245 + 12345) % 2147483648; return int(x / 65536) % n }
	BEGIN {
		x = 1
		for (i = 1; i <= 300; i++) {
			common = sprintf("misc=0x%x ip=%d pid=%s tid=%d time=%d", r(6) + 16384 * r(2), r(2) ? 4096 + r(99) : -r(3000) - 4096,
			    r(9) ? r(4) : -1, r(4), 1000 + 10 * i + r(50))
			mem = sprintf("data_src=0x%x%04x%04x", r(65536) % 4096, r(32768) * 2, r(32768) * 2)
			k = r(3)
			if (k == 0)
				printf "SAMPLE id=%d %s cpu=%d period=%d weight=0x%04x%04x%08x %s transaction=%d phys_addr=%d cgroup=%d data_page=%d code_page=4096\n",
				    11 + r(2), common, r(4), r(9000), r(9), r(9), r(99), mem, r(3), 4096 * r(9), r(3), 4096 * (1 + r(2))
			else if (k == 1) {
				chain = "chain=-512"
				for (n = r(6); n; n--)
					chain = chain "," 4096 + r(99)
				printf "SAMPLE ev=1 id=%d stream=%d %s addr=%d %s %s %s %s weight=%d %s\n", 21 + r(2), 21 + r(2), common, r(99),
				    r(4) ? chain : "", r(2) ? "branch=1/2/3,4/5/6 counters=1,2" : "", r(2) ? "uregs=2,6,7,8" : "",
				    r(2) ? "stack=000102030405060708090a0b0c0d0e0f dyn_size=" 8 * r(3) : "", r(500), mem
			} else
				printf "SAMPLE ev=2 id=31 %s cpu=%d read=%d,%d,%d,31 raw=%s aux=%s\n", common, r(4), 1000 + 9 * i, 100 + i, 90 + i,
				    r(2) ? "00000000" : "000102030405060708090a0b", r(2) ? "0102030405060708" : ""
			if (i % 10 == 0)
				printf "SWITCH @ ev=0 pid=%d tid=%d time=%d id=11 cpu=%d\n", r(4), r(4), 1000 + 10 * i, r(4)
			if (i % 25 == 0) {
				printf "THROTTLE time=%d id=21 stream_id=22 @ ev=1 pid=1 tid=1 time=1 id=21 stream=21\n", 1000 + 10 * i
				printf "READ pid=%d tid=2 read=%d,5,6,31 @ ev=2 pid=3 tid=3 time=%d id=31 cpu=1\n", r(4), i, 1000 + 10 * i
			}
			if (i % 100 == 0)
				print "FINISHED_ROUND"
		}
	}'
}
# stream [-b]: that as a stream; prints its path
stream() {
	local out=$T/fields${1-}.pipe
	fields >"$T/fields.txt"
	mkpipe ${1-} "$T/fields.txt" >"$out"
	echo "$out"
}
# kept EXPRESSION [STREAM]: how many samples are
kept() {
	pfilter -q --filter "$1" "${2-$T/fields.pipe}" | pstat --json | jq '[.types[] | select(.name == "SAMPLE") | .records] | add // 0'
}
# is EXPRESSION EXPRESSION: both keep the same samples, and neither everything nor nothing
is() {
	local a b all=300
	pfilter -q --type SAMPLE --filter "$1" "$T/fields.pipe" >"$T/a"
	pfilter -q --type SAMPLE --filter "$2" "$T/fields.pipe" >"$T/b"
	cmp -s "$T/a" "$T/b" || failed "$1: not $2"
	a=$(kept "$1")
	[ "$a" -gt 0 ] && [ "$a" -lt $all ] || failed "$1: keeps $a"
}
# wrong EXPRESSION MESSAGE [COLUMN]: exit 2, saying so with a mark there, and nothing written
wrong() {
	local -a line
	try pfilter --filter "$1" "$T/fields.pipe"
	mapfile -t line <"$T/err"
	[ $rc = 2 ] && ! [ -s "$T/out" ] && [[ ${line[0]} == "pfilter: --filter: $2"* ]] && [ ${#line[@]} = 3 ] || failed "$1"
	[ -z "${3-}" ] || [ "${line[2]}" = "$(printf "%$(($3 + 2))s^" '')" ] || failed "$1: mark"
}

@test "filter: random expressions, as worked out a second time, in both byte orders" {
	need python3
	python3 evaluate.py -n $((ALL ? 160 : 16)) "$(stream)" "$(stream -b)" || failed "see above"
	python3 evaluate.py -n $((ALL ? 25 : 4)) "$(recipe every-sample)" "$(recipe two-events)" "$(recipe followers)" "$(recipe read-group)" \
	    data/basic.pipe.data data/multi.pipe.data data/g_fp.pipe.data data/s390x_basic.pipe.data data/sched_R.pipe.data \
	    data/p72_group_S.pipe.data || failed "see above"
	done_all
}

@test "filter: random expressions over the recordings" {
	need corpus
	need python3
	python3 evaluate.py -n 4 -s 2 $(printf '%s\n' "$CORPUS"/own/*.pipe.data | each 12)
}

@test "filter: what perf record --filter takes means the same" {
	stream >/dev/null
	is "period > 4000, cpu == 1" "period > 4000 && cpu == 1"
	# || binds tighter than the comma
	is "pid == 1 || pid == 2, tid == 3" "pid in (1, 2) && tid == 3"
	is "mem_op == load || mem_op == store, mem_lvl > l1" "((data_src & 31) == 2 || (data_src & 31) == 4) && (data_src / 8589934592) % 16 > 1"
	is "mem_op & load" "(data_src & 2) != 0"
	is "pid == 003" "pid == 0x3"
	is "mem_snoop & hitm" "data_src & 0x800000"
	is "mem_lvlnum == ram" "mem_lvl == 13"
	is "weight2 > 4" "ins_lat > 4"
	is "weight3 > 4" "retire_lat > 4, p_stage_cyc > 4"
	is "data_pgsz > 4096" "data_pgsz > 4K"
	is "time > 2500,time<=3500" "time in (2501..3500)"
	wrong "uid == 0" "uid is known only while recording" 0
	done_all
}

@test "filter: numbers are whole and do not wrap" {
	stream >/dev/null
	is "pid == -1" "pid < 0"
	is "pid - 1 < -1" "pid == -1"
	is "ip > 0x7fffffffffffffff" "ip >= 9223372036854775808"
	is "ip + ip > 18446744073709551615" "ip > 0x7fffffffffffffff"
	is "-pid * 2 == 2" "not pid in (-9..-2, 0..9)"
	is "(pid & 3) == 3" "pid in (-1, 3)"
	is "pid / 2 == 0" "pid in (-1, 0, 1)"
	is "pid % 2 == -1" "pid == -1"
	is "10 / (tid - 2) > 4" "tid == 3"
	is "min(pid, tid) == 0" "(pid == 0 and tid >= 0) or (tid == 0 and pid > 0)"
	is "max(pid, tid, 2) == 2" "!(pid == 3) and !(tid == 3)"
	is "abs(pid) == 1" "pid in (1, -1)"
	is "popcount(cpu) == 2" "cpu == 3"
	is "time < 2us" "time < 2000"
	is "reltime > 1.5us" "reltime > 1500ns"
	is "walltime < 1700000000s + 2us" "time < 2500"
	done_all
}

@test "filter: what a record has not is neither true nor false" {
	stream >/dev/null
	is "addr == 1 || addr != 1" "exists(addr)"
	is "!(addr > 50)" "addr <= 50"
	is "not addr in (0..50)" "addr > 50"
	is "default(addr, 60) > 50" "addr > 50 or not exists(addr)"
	is "addr > 50 || tid == 1" "default(addr, 0) > 50 or tid == 1"
	# of a kind: the unknown one decides nothing
	is "!(addr > 50 && tid == 1)" "(exists(addr) and addr <= 50) or tid != 1"
	# and --invert does not make it true
	[ "$(pfilter -q --invert --filter "addr > 50" "$T/fields.pipe" | pstat --json | jq '.types[] | select(.name == "SAMPLE").records')" = \
	    "$(kept "addr <= 50")" ] || failed "--invert"
	# some events have it: one warning; a part that decides without it: none
	try pfilter --filter "addr > 50 or addr > 60" "$T/fields.pipe"
	one_line "pfilter: warning: --filter: samples of event cpu-clock have no addr, so" || failed "warning"
	for f in "event == 'misses:u' and addr > 50" "default(addr, 1) > 50" "exists(addr)"; do
		try pfilter --filter "$f" "$T/fields.pipe"
		[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$f"
	done
	done_all
}

@test "filter: text, lists, words, parts" {
	stream >/dev/null
	is 'event == "misses:u"' "event.index == 1"
	is 'event ~ "*:*"' 'event.index in (1, 2)'
	is 'event !~ "[a-c]?u*"' 'event.index != 0'
	is 'event =~ "^(misses|sched):(u|one)$"' 'event in ("misses:u", "sched:one", "else")'
	is 'event !=~ "s"' 'attr.type == software'
	is 'len(event) == 8' 'event == "misses:u"'
	is "attr.config == 3" "attr.type == hardware"
	is "cpumode in (kernel, user)" "(misc & 7) in (1..2)"
	is "exact_ip" "misc & 0x4000"
	is "tid in (pid, 2 .. pid)" "tid == pid or (tid >= 2 and tid <= pid)"
	is "callchain in (4100..4110)" 'event.index == 1 and callchain in (4105, 4100..4104, 4106..4110)'
	is "callchain.nr == 0" "event ~ 'miss*' and size in (0..100000) and callchain.nr < 1"
	is "brstack.nr == 2 and regs.abi == 2" "brstack.nr > 0 and regs.abi & 2"
	is "stack.size > 8" "stack.size == 16"
	is "raw.size > 4 and aux.size > 0" "raw.size == 12 and aux.size == 8"
	is "read.value > 2000" "read.value in (2001..10000)"
	is "read.enabled < 200 and read.running > 100" "read.enabled in (0..199) && not read.running in (0..100)"
	is "nr <= 100" "nr < 101"
	is "nr == 0 or offset > 4K" "offset > 4096"
	is 'host == "box" and cpu == 1' "cpu == 1"
	is "cpu == 2 and event.index == 1" "id == 21 and exists(addr)"
	is "stream_id == 22" "stream_id not in (0..21)"
	is "type == SAMPLE and pid == 1" "type == sample and pid == 1"
	done_all
}

@test "filter: fields of the state, from earlier records" {
	stream >/dev/null
	is 'comm == "one"' 'tid == 1'
	is 'comm ~ "?ne" or comm == "idle"' 'tid in (0, 1)'
	is 'len(comm) == 7' 'tid == 2'
	is 'comm == ":3"' 'tid == 3'
	is 'ppid == 1' 'pid == 2'
	is 'cgroup == /' 'cgroup == 1'
	is 'cgroup == /a/b, exists(cpu)' 'cgroup.name == "/a/b"'
	is '(cgroup != /a/b) && pid == 1' 'cgroup == 1 and pid == 1'
	is 'cgroup == a/b' 'cgroup.name == "/a/b"'
	is 'dso ~ "*/first.so"' 'map.start == 4096'
	is 'map.start == 4096' 'pid == 1 and cpumode == user and ip in (4096..4145)'
	is 'dso == "/lib/second.so" || build_id =~ "^0{2}1+2233"' 'pid == 1 and cpumode == user and ip in (4096..4195)'
	done_all
}

@test "filter: nr counts the records that stand in the input, not those made of a file's header" {
	need jq
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|comm ids=11"
		echo "EVENT_UPDATE update_type=2 id=11 z=cpu-clock"
		echo "COMM pid=1 tid=1 comm=one"
		for i in 1 2 3 4 5; do echo "SAMPLE ip=1 pid=$i tid=$i time=$i cpu=0"; done
		echo FINISHED_ROUND
	} >"$T/nr.txt"			# in the file there is SAMPLE_TIME as well, which is not written
	mkpipe "$T/nr.txt" >"$T/nr.pipe"
	pcat --format=file -o "$T/nr.file" "$T/nr.pipe"
	for order in auto time; do
		for pid in 1 3 5; do
			for in in "pipe $((pid + 3))" "file $((pid + 1))"; do
				read -r in nr <<<"$in"
				pfilter -q --order=$order --filter "nr == $nr" "$T/nr.$in" >"$T/got"
				pfilter -q --pid $pid "$T/nr.$in" | cmp - "$T/got" || failed "$in $order: $pid is not record $nr"
			done
		done
	done
	done_all
}

@test "filter: comm and dso are as in perf" {
	need perf
	for f in data/g_fp.pipe.data data/p72_forks.pipe.data; do
		perf script -f -i $f -F comm 2>/dev/null | sed 's/ *$//; s/^ *//' | sort -u >"$T/comms"
		[ -s "$T/comms" ]
		while read -r c; do
			turn 3 || continue
			pfilter -q --filter "comm == \"${c//\"/\\\"}\"" $f >"$T/o"
			perf script -f -i "$T/o" 2>/dev/null | perf_remembers >"$T/a"
			perf script -f -i $f --comms "$c" 2>/dev/null | perf_remembers >"$T/b"
			cmp "$T/a" "$T/b" || failed "$f: $c"
		done < <(grep -v '^:\|^$' "$T/comms")
		perf script -f -i $f -F ip,dso 2>/dev/null | sed -n 's/.*(\([^()]*\))$/\1/p' | sort -u >"$T/dsos"
		while read -r d; do
			turn 5 || continue
			pfilter -q --filter "dso == '$d'" $f >"$T/o"
			perf script -f -i "$T/o" -F tid,time,ip >"$T/a" 2>/dev/null || true
			perf script -f -i $f --dsos "$d" -F tid,time,ip >"$T/b" 2>/dev/null || true
			cmp "$T/a" "$T/b" || failed "$f: $d"
		done <"$T/dsos"
	done
	done_all
}

@test "filter: guests by ID_INDEX" {
	cat >"$T/g.txt" <<-'END'
	attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME ids=1,2 flags=sample_id_all
	ID_INDEX nr=2 u8=1 u8=0 u8=0 u8=-1 u8=2 u8=1 u8=1 u8=-1 u8=0 u8=0 u8=4711 u8=3
	SAMPLE id=1 pid=1 time=1
	SAMPLE id=2 pid=1 time=2
	END
	for b in "" -b; do
		mkpipe $b "$T/g.txt" >"$T/g"
		[ "$(kept "machine_pid == 4711 and vcpu == 3" "$T/g")" = 1 ] || failed "$b guest"
		[ "$(kept "machine_pid == 0" "$T/g")" = 1 ] || failed "$b host"
	done
	done_all
}

@test "filter: several are one, and a file holds one" {
	stream >/dev/null
	pfilter --filter "pid == 1" --filter "tid == 1 or tid == 2" "$T/fields.pipe" >"$T/a"
	printf '# two lines\npid == 1 ,\t# this "and"\n tid in (1,\r\n2)\n' >"$T/f"
	pfilter --filter-file "$T/f" "$T/fields.pipe" | cmp - "$T/a"
	printf 'pid == 1 and\n\n  tid = 2\n' >"$T/f"
	try pfilter --filter-file "$T/f" "$T/fields.pipe"
	[ $rc = 2 ]
	printf '%s\n' "pfilter: $T/f: line 3: use == to compare" "    tid = 2" "        ^" | diff - "$T/err"
	try pfilter --filter-file "$T/none" "$T/fields.pipe"
	[ $rc = 2 ]
	one_line "pfilter: --filter-file: $T/none: No such file"
}

@test "filter: mistakes are reported with their position, and nothing is written" {
	stream >/dev/null
	wrong "perod > 5" "no field is named \`perod'; similar: period" 0
	wrong "pid == 1 && chain" "no field is named \`chain'; similar: callchain.nr, callchain" 12
	wrong "PID == 1" "no field is named \`PID'; similar: pid" 0
	wrong "event == cycles" "no field is named \`cycles'; text goes in quotes" 9
	wrong "mem_op == hitm" "\`hitm' is not a word of mem_op; there are na load store pfetch exec" 10
	wrong "pid == load" "no field is named \`load'" 7
	wrong "txn > 5 && comm > 'a'" "text has" 16
	wrong "1 < pid < 5" "comparisons do not chain" 8
	wrong "pid == 1 == 1" "comparisons do not chain" 9
	wrong "pid & 1 == 1" "& | ^ next to a comparison need parentheses" 8
	wrong "1 == pid | 1" "& | ^ next to a comparison need parentheses" 2
	wrong "!pid == 1" "ambiguous: write !(a == b)" 0
	wrong "! pid in (1)" "ambiguous: write !(a == b)" 0
	wrong "pid = 1" "use == to compare" 4
	wrong "pid == " "ends where a value is expected" 7
	wrong "(pid == 1" "ends where \`)' or an operator is expected" 9
	wrong "pid == 1)" "expected no \`)', as none is open" 8
	wrong "pid 1" "expected an operator" 4
	wrong "" "the expression is empty" 0
	wrong "pid == 'x'" "text and numbers cannot be compared" 4
	wrong "event" "expected a number, found text" 0
	wrong "(pid == 1) + 1 > 1" "expected a number, found a condition" 5
	wrong "callchain > 5" "a call chain is not a number" 0
	wrong "pid in (5..3)" "this range ends before it begins" 9
	wrong "pid in ()" "expected a value" 8
	wrong "event in (5)" "a list for text consists of strings" 10
	wrong "pid > 5 / (2 - 2)" "division by 0" 8
	wrong "pid > 18446744073709551616" "a number of more than 64 bits" 6
	wrong "pid > 5x" "no such unit; there are ns us ms s m h d" 7
	wrong "time > 1.5" "a number without a unit cannot have a fraction" 7
	wrong "event == \"x" "the string has no end" 9
	wrong "event =~ '('" "extended regular expression: " 6
	wrong "event =~ '(a)\\1'" "back-references" 6
	for e in '((a{1,255}){1,255}){1,255}' 'a{255}{255}{255}' '(|){255}{200}' 'a{0,9999}' 'a{9999,}' '[]{]{,9999}' '\\{{9999}'; do
		wrong "event =~ '$e'" "the expression is too long after its repetitions are expanded" 6
	done
	wrong "event =~ '$(printf '%040d' 0 | tr 0 '(')a$(printf '%040d' 0 | sed 's/0/)+/g')'" "the expression is too long" 6
	wrong "event =~ 'a{3000}' || event =~ 'b{3000}'" "the expression is too long" 28
	wrong "pid > 1 ? 2" "unexpected" 
	wrong "exists(pid == 1)" "expected \`)'" 11
	wrong "pid == /x" "expected a value; a path follows" 7
	wrong "cgroup > /x" "expected a value; a path follows" 9
	wrong "brstack.nr > 1 and data_pgsz > 1 and machine_pid == 1" "no event of this recording has machine_pid; record it with perf record kvm" 37
	done_all
}

@test "filter: more mistakes: words, lists, functions, units, quotes, chains" {
	stream >/dev/null
	wrong "and == 1" "expected a value" 0
	wrong "pid == or" "expected a value" 7
	wrong "pid == not" "expected a value" 7
	wrong "(pid == in" "expected a value" 8
	wrong "(5 + 2) / (3 - 3) == 1" "division by 0" 8
	wrong "(5 + 2) % (3 - 3) == 1" "division by 0" 8
	wrong "min(pid)" "expected \`,' and another value" 7
	wrong "min(pid, 'x') > 1" "expected a number, found text; text has == != ~ =~ in" 9
	wrong "abs(pid, 2) > 1" "expected \`)', as it takes no more" 7
	wrong "abs(event) > 1" "expected a number, found text; text has == != ~ =~ in" 4
	wrong "exists(pid, tid)" "expected \`)', as it takes no more" 10
	wrong "exists()" "expected a value" 7
	wrong "len(pid) > 1" "len() needs text or a field of a payload" 0
	wrong "len(5)" "len() needs text or a field of a payload" 0
	wrong "default(pid, 'x') == 1" "expected a number, found text; text has == != ~ =~ in" 13
	wrong "default(event, 1) == 'x'" "expected a number, found text; text has == != ~ =~ in" 8
	wrong "pid ~ 'x'" "~ and =~ are for text, such as comm or event" 4
	wrong "'x' ~ event" "expected a string in quotes" 6
	wrong "event ~ pid" "expected a string in quotes" 8
	wrong "event ~ 'x' 'y'" "expected an operator" 12
	wrong "event in ('a'..'b')" "a list for text consists of strings in quotes" 13
	wrong "pid in ('a')" "expected a number, found text; text has == != ~ =~ in" 8
	wrong "pid in (1, 2" "ends where \`,' or \`)' is expected" 12
	wrong "pid in 5" "expected \`(' and a list" 7
	wrong "pid not 5" "expected \`in' behind \`not'" 8
	wrong "pid == 0xfffffffffffffffff" "a number of more than 64 bits" 7
	wrong "pid == 99999999999999999999999" "a number of more than 64 bits" 7
	wrong "pid == 0x" "no such unit; there are ns us ms s m h d for time and K M G" 8
	wrong "pid == 1.5" "a number without a unit cannot have a fraction; 1.5s can" 7
	wrong "period > 1.3K" "not a whole number of bytes" 9
	wrong "time > 0.0000000001s" "not a whole number of nanoseconds" 7
	wrong "time > 1.0000000000000000000000000001s" "too many digits" 9
	wrong "pid == 1 & tid == 2 ^ 3" "& | ^ next to a comparison need parentheses: (a & b) == c" 4
	wrong "pid ^ 1 == 1" "& | ^ next to a comparison need parentheses: (a & b) == c" 8
	wrong "event == 'a" "the string has no end" 9
	wrong $'pid == 1\t&& ' "ends where a value is expected" 12
	wrong "pid == \$" "unexpected character" 7
	wrong $'pid == \303\251' "unexpected character" 7
	wrong "callchain == 5" "a call chain is not a number; use \`in (ADDRESS..ADDRESS)'," 0
	wrong "callchain.dso != 'x'" "callchain.dso is the files of all frames: write not" 0
	wrong "callchain in ('x')" "expected a number, found text; text has == != ~ =~ in" 14
	wrong "callchain.dso > 'x'" "callchain.dso has == ~ =~ in" 0
	wrong "mem_op == 'load'" "text and numbers cannot be compared" 7
	wrong "cpumode == kernel && cpumode == nosuch" "\`nosuch' is not a word of cpumode; there are unknown kernel" 32
	wrong "event < 'x'" "text has == != ~ =~ in, but no order" 6
	wrong "-event == 1" "expected a number, found text; text has == != ~ =~ in" 1
	wrong "!event" "expected a number, found text; text has == != ~ =~ in" 1
	wrong "nosuch{x}" "expected == != < <= > >= & or ~, in the language of perf" 8
	wrong "event{" "ends where the name of a field is expected in the braces of" 6
	wrong "min(callchain, 1) > 1" "a call chain is not a number; use \`in (ADDRESS..ADDRESS)'," 4
	wrong "raw.u8[" "ends where a number below 65536 is expected" 7
	wrong "raw.u8[99999999999] == 1" "expected a number below 65536" 7
	wrong "raw.u8[x] == 1" "expected a number below 65536" 7
	wrong "raw. == 1" "unexpected character" 3
	wrong "$(printf 'x%.0s' $(seq 70)) == 1" "no field is named \`$(printf 'x%.0s' $(seq 64))'" 0
	done_all
}

@test "filter: a field that no event has names the option of perf record" {
	wrong_here() {
		try pfilter --filter "$1" data/basic.pipe.data
		[ $rc = 2 ] && ! [ -s "$T/out" ] && grep -qF -- "$2" "$T/err" || failed "$1"
	}
	wrong_here "addr > 5" "no event of this recording has addr; record it with perf record -d"
	wrong_here "mem_lvl == l1" "has mem_lvl; record it with perf record -d"
	wrong_here "weight > 5" "record it with perf record -W"
	wrong_here "cgroup == /a/b" "record it with perf record --all-cgroups"
	wrong_here "callchain.nr > 5" "record it with perf record -g"
	wrong_here "walltime > 5" "record it with perf record -k CLOCK_MONOTONIC"
	wrong_here "stack.size > 5" "record it with perf record --call-graph dwarf"
	done_all
}

@test "filter: no depth, length or number of anything is too much to refuse or to do" {
	need python3
	stream >/dev/null
	py() { python3 -c "print(end=($1))"; }
	too() {
		py "$1" >"$T/f"
		try timeout "60${EMULATED:+0}" pfilter --filter-file "$T/f" "$T/fields.pipe"
		[ $rc = 2 ] && ! [ -s "$T/out" ] && [[ $(head -1 "$T/err") == *": line 1: $2"* ]] || failed "$1"
	}
	too "'(' * 10000 + 'pid' + ')' * 10000" "nested deeper than 64"
	too "'!' * 10000 + '(pid == 1)'" "nested deeper than 64"
	too "'-' * 10000 + 'pid == 1'" "nested deeper than 64"
	too "'min(pid, ' * 10000 + '1' + ')' * 10000" "nested deeper than 64"
	too "' || '.join(f'pid == {i}' for i in range(100000))" "more than 2000 names"
	too "'pid ' + '+ 1' * 100000 + ' > 1'" "more than 2000 names"
	too "'pid in (' + ', '.join(['tid'] * 100000) + ')'" "more than 2000 names"
	too "'x' * 1000000" "no field is named"
	too "'pid == \"' + 'x' * 1000000" "the string has no end"
	py "'(' * 64 + 'pid == 1' + ')' * 64" >"$T/f"
	pfilter --filter-file "$T/f" "$T/fields.pipe" >"$T/a"
	py "'pid in (' + ','.join(str(i * 7919 % 1000003 * 2 + 1) for i in range($((ALL ? 300000 : 60000)))) + ', ' + ','.join(f'{-i-1000} .. {-i-998}' for i in range($((ALL ? 200000 : 40000)))) + ')'" >"$T/f"
	timeout "60${EMULATED:+0}" pfilter --filter-file "$T/f" "$T/fields.pipe" >"$T/b"
	pfilter --filter "pid == 1" "$T/fields.pipe" | cmp - "$T/b" || failed "a hundred thousand numbers or more"
	py "'event in (' + ','.join(f'\"event {i}\"' for i in range(100000)) + ', \"misses:u\")'" >"$T/f"
	timeout "60${EMULATED:+0}" pfilter --filter-file "$T/f" "$T/fields.pipe" >"$T/b"
	pfilter --filter "event.index == 1" "$T/fields.pipe" | cmp - "$T/b" || failed "a hundred thousand names"
	done_all
}

@test "filter: --explain shows what it was taken for, and what waits" {
	stream >/dev/null
	pfilter -q --explain --filter 'pid in (42, 1..2) and not (event == "cpu-clock" or cpu in (0..3)), tid == pid' "$T/fields.pipe" \
	    2>"$T/err" >/dev/null
	diff - "$T/err" <<-'END'
	filter: ((pid in (1..2, 42)) && (!((event == "cpu-clock") || (cpu in (0..3))))) && (tid == pid)
	tested at once, in the order of the input
	samples of cpu-clock:
	    0  no
	    1  keep if yes
	samples of misses:u:
	    0  tid (s32 at byte 28) == pid (s32 at byte 24)
	    2  if no: 8
	    3  pid (s32 at byte 24) in 2 ranges
	    4  if no: 8
	    5  fetch cpu
	    6  in 1 range
	    7  negate verdict
	    8  keep if yes
	samples of sched:one:
	    0  pid (s32 at byte 24) in 2 ranges  yes: next  no: drop
	    1  cpu (u32 at byte 40) in 1 range  yes: drop  no: next
	    2  tid (s32 at byte 28) == pid (s32 at byte 24)  yes: keep  no: drop
	    4  keep
	    5  drop
	END
}

@test "filter: --explain of functions, ranges, lists and truth" {
	explained() {
		cat >"$T/want"
		pfilter -q -n --explain --filter "$1" data/g_fp.pipe.data 2>&1 >/dev/null | diff "$T/want" - || failed "$1"
	}
	explained 'abs(period - 5) > min(3, cpu) and max(tid, pid) != popcount(ip) and pid in (tid..tid + 2, 7)' <<-'END'
	filter: (((abs(period - 5)) > (min(3, cpu))) && ((max(tid, pid)) != (popcount(ip)))) && (pid in (7, tid..tid + 2))
	tested at once, in the order of the input
	samples of cpu-clock:
	    0  pid = s32 at byte 16
	    1  x =
	    2  x
	    3  in 1 range
	    4  if yes: 18
	    5  save verdict
	    6  x
	    7  tid = s32 at byte 20
	    8  >=
	    9  if no: 17
	   10  save verdict
	   11  x
	   12  tid = s32 at byte 20
	   13  2
	   14  +
	   15  <=
	   16  verdict && saved verdict
	   17  verdict || saved verdict
	   18  if no: 34
	   19  tid = s32 at byte 20
	   20  pid = s32 at byte 16
	   21  max
	   22  ip = u64 at byte 8
	   23  popcount
	   24  !=
	   25  if no: 34
	   26  period = u64 at byte 40
	   27  5
	   28  -
	   29  abs
	   30  3
	   31  fetch cpu
	   32  min
	   33  >
	   34  keep if yes
	END
	explained 'exists(addr) and default(addr, 5) == 5 and len(comm) > 2' <<-'END'
	filter: ((exists(addr)) && ((default(addr, 5)) == 5)) && ((len(comm)) > 2)
	needs time order: comm
	samples of cpu-clock:
	    0  no
	    1  keep if yes
	END
	explained 'callchain in (0x1000..0x2000, 0x5000) and callchain.nr > 2' <<-'END'
	filter: (callchain in (4096..8192, 20480)) && (callchain.nr > 2)
	tested at once, in the order of the input
	samples of cpu-clock:
	    0  call chain in 2 ranges  yes: next  no: drop
	    1  fetch callchain.nr
	    2  2
	    3  >  yes: keep  no: drop
	    4  keep
	    5  drop
	END
	explained 'comm in ("a","b","c","d","e","f","g","h","i","j")' <<-'END'
	filter: comm in ("a", "b", "c", "d", "e", "f", "g", "h", ... 2 more)
	needs time order: comm
	samples of cpu-clock:
	    0  fetch comm
	    1  in 10 texts
	    2  keep if yes
	END
	explained 'not -period > 3 or cpu' <<-'END'
	filter: (!((-(period)) > 3)) || (cpu != 0)
	tested at once, in the order of the input
	samples of cpu-clock:
	    0  period = u64 at byte 40
	    1  negate
	    2  3
	    3  >
	    4  negate verdict
	    5  if yes: 8
	    6  fetch cpu
	    7  != 0
	    8  keep if yes
	END
	done_all
}

@test "filter: --explain names the fields that need time order" {
	while IFS='|' read -r line filter args; do
		[ "$(pfilter $args -n --explain --filter "$filter" data/p72_forks.pipe.data 2>&1 | sed -n 2p)" = "$line" ] ||
		    failed "$args $filter"
	done <<-'END'
		tested at once, in the order of the input|pid == 3|
		tested at once, in the order of the input|pid == 3|--comms x --order=input
		tested at once, in the order of the input|reltime < 1s|
		needs time order: reltime, comm|comm == "x" && reltime < 1s|
		needs the input in time order: comm|comm == "x"|--order=input
		tested in time order, because another option needs it|pid == 3|--comms x
		tested in time order, because another option needs it|pid == 3|--sideband=needed
		tested in time order, because another option needs it|pid == 3|--order=time
	END
	[ "$(pfilter -n --explain --filter 'reltime < 1s' <data/p72_forks.pipe.data 2>&1 | sed -n 2p)" = \
	    "tested at once, in the order of the input" ] || failed "standard input that is a file"
	[ "$(cat data/p72_forks.pipe.data | pfilter -n --explain --filter 'reltime < 1s' 2>&1 | sed -n 2p)" = \
	    "needs time order: reltime" ] || failed "a pipe"
	done_all
}

@test "filter: --explain on a terminal writes no stream there" {
	need script
	script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip "no pseudo-terminals here"
	script -qec "pfilter --explain --filter 'pid == 3' data/demo.data" /dev/null </dev/null | tr -d '\r' >"$T/out"
	grep -q '^samples of cpu-clock:ppp, dummy:HG:$' "$T/out"
	! grep -q PERFILE2 "$T/out" || false
	# without an input
	[ "$(script -qec "pfilter --explain --filter 'pid == 3, comm == \"x\"'" /dev/null | tr -d '\r')" = \
	    "$(printf 'filter: (pid == 3) && (comm == "x")\nneeds time order: comm')" ]
}

# SPDX-License-Identifier: ISC
# pcat --format=pprof, read by pprof.py, which knows profile.proto only, and by Go's pprof.
load lib

read_pprof() {
	/usr/bin/python3 pprof.py "$@"
}
python() {
	[ -x /usr/bin/python3 ] || skip "python3 is not installed"
}

# gopprof ARGUMENT...: go tool pprof, away from its user's settings.
gopprof() {
	HOME=$T go tool pprof "$@" 2>"$T/go.err"
}

# agrees FILE: are the values those that pstat counts, event by event, and the status too?
agrees() {
	local f=$1 rc=0 counted=0
	rm -f "$T"/x.pb.gz*
	pcat -q --format=pprof -o "$T/x.pb.gz" "$f" 2>"$T/err" || rc=$?
	pstat --json "$f" >"$T/json" 2>"$T/pstat.err" || counted=$?
	[ $rc = $counted ] || failed "$f: status $rc, pstat $counted"
	ls "$T"/x.pb.gz* >/dev/null 2>&1 || return 0
	# a clock has names of its own
	read_pprof sums "$T"/x.pb.gz* >"$T/sums" || failed "$f: the profile is bad"
	jq -r '[.events[]? | select(.samples > 0)] | group_by(.name)[] | "\(map(.samples) | add) \(map(.period) | add)"' "$T/json" |
	    sort >"$T/want"
	awk '{ v = $NF } NR % 2 { n = v; next } n || v { print n, v }' "$T/sums" | sort | diff "$T/want" - >"$T/diff" ||
	    failed "$f: $(head -n 6 "$T/diff")"
}

@test "pprof: samples and periods are those that pstat counts" {
	python; need jq
	files=(data/{demo,basic.file,g_fp.pipe,multi.pipe,per_thread.pipe,p72_group_S.pipe,s390x_z1.pipe,sched_R.file}.data data/gperf/n.prof)
	[ -z "${ALL-}" ] || files=(data/*.data* data/gperf/*.prof)
	for f in "${files[@]}"; do agrees "$f"; done
	for f in every-sample old-forms read-group two-events; do
		agrees "$(recipe $f)"
		agrees "$(recipe $f -b)"
	done
	done_all
}

@test "pprof: of the corpus, too" {
	python; need jq; need corpus
	files=("$CORPUS"/own/{group_S.pipe,mixed_types.pipe}.data "$CORPUS"/foreign/quipper/perf.data.callgraph-3.8)
	[ -z "${ALL-}" ] || mapfile -t files < <(find "$CORPUS"/own "$CORPUS"/foreign -type f -size -30M)
	for f in "${files[@]}"; do agrees "$f"; done
	done_all
}

@test "pprof: whose map an address was in, and what a frame is" {
	python
	pcat -v --format=pprof -o "$T/p.pb.gz" "$(recipe pprof)" 2>"$T/err"
	grep -q '^pcat: 2 samples are without the user part of their callchain, which did not follow$' "$T/err"
	read_pprof stacks "$T/p.pb.gz" | sort | diff <(sort <<-'END'
		3 15 0 0 | /opt/none/alpha+2000 /opt/none/alpha+2100 /opt/none/libbeta.so+200 | comm=alpha pid=100
		1 7 0 0 | [kernel.kallsyms]_text+ffffffff81000100 /lib/modules/6.1/nf.ko+104 /opt/none/alpha+2005 /opt/none/alpha+2100 | comm=alpha pid=100
		1 7 0 0 | [kernel.kallsyms]_text+ffffffff81000100 /opt/none/alpha+2000 /opt/none/alpha+2100 | comm=alpha pid=100
		1 7 0 0 | [vdso]+10 /opt/none/libbeta.so+1ffff 0 | comm=alpha pid=100
		1 1 0 0 | /opt/none/alpha+2000 | comm=alpha pid=200
		1 1 0 0 | /opt/none/gamma+1000 | comm=gamma pid=200
		1 1 0 0 | /opt/none/alpha+2000 | comm=alpha pid=100
		1 1 0 0 | /opt/none/one.so+1010 /opt/none/one.so+20 /opt/none/one.so+2030 | comm=alpha pid=100
		1 1 0 0 | /opt/none/two.so+10 /opt/none/one.so+20 /opt/none/one.so+2030 | comm=alpha pid=100
		1 1 0 0 | /tmp/perf-100.map+10 | comm=alpha pid=100
		1 1 0 0 | /tmp/perf-200.map+10 | comm=gamma pid=200
		1 1 0 0 | 9999 /opt/none/alpha+2100 | comm=alpha pid=100
		1 1 0 0 | 401000 | comm=alpha pid=100
		1 1 0 0 | 401000 401005 /opt/none/alpha+2010 | comm=alpha pid=100
		1 1 0 0 | [kernel.kallsyms]_text+ffffffff81000200 | comm=swapper pid=0
		1 1 0 0 | 401000 | comm=:4711 pid=4711
		1 1 0 0 | [kernel.kallsyms]_text+ffffffff81000200 |
		1 1 0 0 | [kernel.kallsyms]_text+ffffffff81000310 /opt/none/alpha+2010 /opt/none/alpha+2200 | comm=alpha pid=100
		1 1 0 0 | [kernel.kallsyms]_text+ffffffff81000300 [kernel.kallsyms]_text+ffffffff81000308 /opt/none/alpha+2010 /opt/none/alpha+2200 | comm=alpha pid=100
		1 1 0 0 | [kernel.kallsyms]_text+ffffffff81000340 | comm=alpha pid=100
		0 0 1 4 | /opt/none/alpha+2000 | comm=alpha pid=100
		0 0 1 2 | /opt/none/gamma+1000 | comm=gamma pid=200
		1 1 0 0 | [kernel.kallsyms]_text+ffffffff81000320 | comm=gamma pid=200
		1 1 0 0 | [kernel.kallsyms]_text+ffffffff81000330 | comm=alpha pid=100
	END
	) -
	read_pprof maps "$T/p.pb.gz" | diff - <(cat <<-'END'
		400000 410000 1000 aabbccdd /opt/none/alpha
		7f0000000000 7f0000020000 0 00112233445566778899aabbccddeeff01234567 /opt/none/libbeta.so
		ffffffff81000000 ffffffff813fffff ffffffff81000000 0102030405060708090a0b0c0d0e0f1011121314 [kernel.kallsyms]_text
		ffffffffc0000000 ffffffffc0001000 0 - /lib/modules/6.1/nf.ko
		7ffff7fc1000 7ffff7fc3000 0 - [vdso]
		400000 410000 0 - /opt/none/gamma
		7f1000000000 7f1000004000 0 - /opt/none/one.so
		7f1000001000 7f1000002000 0 - /opt/none/two.so
		7f1000000000 7f1000001000 0 - /opt/none/one.so
		7f1000002000 7f1000004000 2000 - /opt/none/one.so
		10000 11000 0 - /tmp/perf-100.map
		10000 11000 0 - /tmp/perf-200.map
	END
	)
	read_pprof head "$T/p.pb.gz" | diff - <(cat <<-'END'
		types samples/count cpu/nanoseconds page-faults_sample/count page-faults_event/count
		default page-faults_event
		period 1 page-faults_event count
		time 0 520
		comment perf-version:6.1.test
		comment perf-command:perf record -g
	END
	)
	# The other byte order, a pipe, and the file of perf make the same bytes.
	cmp "$T/p.pb.gz" <(pcat --format=pprof "$(recipe pprof -b)")
	cmp "$T/p.pb.gz" <(recipe pprof >/dev/null; pcat --format=pprof <"$T/pprof.pipe")
	cmp "$T/p.pb.gz" <(pcat "$T/pprof.pipe" | cat | pcat --endian=big --format=pprof)
}

@test "pprof: files of samples are those of perf report" {
	python; need perf
	# recordings of one event
	for f in data/{demo,g_fp.pipe,basic.file,pid2_a.file,k_mono.pipe,s390x_basic.file}.data; do
		pcat -q --format=pprof --labels=thread_comm -f -o "$T/x.pb.gz" "$f"
		read_pprof stacks "$T/x.pb.gz" | awk '{
			comm = $0; sub(/.* thread_comm=/, "", comm)
			file = $4; sub(/\+[0-9a-f]*$/, "", file); sub(/.*\//, "", file); sub(/_s?text$/, "", file)
			if (file !~ /[^0-9a-f]/) file = "[unknown]"
			sum[comm " " file] += $2
		} END { for (k in sum) print k, sum[k] }' | sort >"$T/got"
		perf report -f -i "$f" --stdio -g none --no-children -F comm,dso,period -t '|' 2>/dev/null |
		    awk -F'|' '!/^#/ && NF == 3 { gsub(/ +$/, "", $1); gsub(/ /, "", $2); gsub(/ /, "", $3); print $1, $2, $3 }' |
		    sort >"$T/want"
		[ -s "$T/want" ] && diff "$T/want" "$T/got" >"$T/diff" || failed "$f: $(head -n 8 "$T/diff")"
	done
	done_all
}

@test "profiles: --event takes the names that pfilter takes" {
	for form in pprof gperftools; do
		for names in "sched:sched_switch sched_switch sched_swit?h sched_switch:p" "cpu-clock cpu-clock:ppp cpu-clock/period=7/"; do
			f=data/sched.pipe.data
			[[ $names != cpu* ]] || f=data/g_fp.pipe.data
			try pcat --format=$form -f --event=${names%% *} -o "$T/want" $f
			status=$rc
			for name in ${names#* }; do
				try pcat --format=$form -f --event="$name" -o "$T/got" $f
				[ $rc = $status ] && { [ $rc = 1 ] || cmp "$T/want" "$T/got"; } || failed "$form $name"
			done
		done
		try pcat --format=$form --event=sched_swich -o "$T/none" data/sched.pipe.data
		[ $rc = 2 ] && one_line "pcat: --event 'sched_swich': no such event; similar: sched_switch" || failed "$form: none"
	done
	done_all
}

@test "pprof: --labels, --pid, --event" {
	python
	recipe pprof >/dev/null
	of() { pcat --format=pprof "$@" "$T/pprof.pipe" >"$T/x" 2>"$T/err"; read_pprof stacks "$T/x"; }
	[ "$(of --labels=none | grep -c '|$')" -eq "$(of --labels=none | grep -c .)" ] || failed none
	of --labels=tid,thread_comm >"$T/out"
	grep -q '^1 3 .* thread_comm=worker tid=101$' "$T/out" && grep -q '^2 12 .* thread_comm=alpha tid=100$' "$T/out" || failed threads
	of --labels=pid --labels=comm,tid | grep -q '^1 3 .* comm=alpha pid=100 tid=101$' || failed "added up"
	of --pid=200 >"$T/out"
	[ "$(wc -l <"$T/out")" -eq 5 ] && ! grep -v 'pid=200$' "$T/out" || failed pid
	of --event=page-faults >"$T/out"
	diff "$T/out" <(printf '%s\n' "1 4 | /opt/none/alpha+2000 | comm=alpha pid=100" "1 2 | /opt/none/gamma+1000 | comm=gamma pid=200") || failed event
	of --pid=7 >"$T/out"
	! [ -s "$T/out" ] && one_line "pcat: warning: the profile has no samples of the process of --pid" || failed "no samples"
	try pcat --format=pprof --event=nosuch -o "$T/none" "$T/pprof.pipe"
	[ $rc -eq 2 ] && one_line "pcat: --event 'nosuch': no such event" && ! [ -e "$T/none" ] || failed "no event"
	for wrong in "--labels=comm" "--max-memory=2M" "--format=file -o $T/none --pid=3" "--format=pprof --labels=cpu" "--format=pprof -S 10K" \
	    "--format=pprof -z" "--format=pprof --switch-output=1M -o $T/none"; do
		try pcat $wrong "$T/pprof.pipe"
		[ $rc -eq 2 ] && ! [ -s "$T/out" ] || failed "$wrong"
	done
	done_all
}

@test "pprof: samples that lack something" {
	python
	for type in "IP|TID|PERIOD" "TID|TIME" "IP|TIME" "IP|TID|TIME" "TIME|CALLCHAIN" "IP|TID|CALLCHAIN"; do
		cat >"$T/r" <<-END
			attr type=0 config=0 period=9 sample_type=$type flags=sample_id_all|mmap ids=1
			MMAP misc=2 pid=5 tid=5 start=0x400000 len=0x1000 filename=/bin/x
			FINISHED_INIT
			SAMPLE misc=2 ip=0x400010 pid=5 tid=5 time=10 chain=0xfffffffffffffe00,0x400010,0x400021
			SAMPLE misc=2 ip=0x400010 pid=5 tid=5 time=20 chain=0xfffffffffffffe00,0x400010,0x400021
		END
		mkpipe "$T/r" | pcat --format=pprof >"$T/x" || failed "$type"
		read_pprof stacks "$T/x" >"$T/out"
		case $type in		# a period that is not recorded is that of the event
		"IP|TID|PERIOD") want="2 0 | /bin/x+10 | comm=:5 pid=5";;
		"TID|TIME") want="2 18 | | comm=:5 pid=5";;
		"IP|TIME") want="2 18 | 400010 |";;
		"IP|TID|TIME") want="2 18 | /bin/x+10 | comm=:5 pid=5";;
		"TIME|CALLCHAIN") want="2 18 | 400010 400020 |";;
		*) want="2 18 | /bin/x+10 /bin/x+20 | comm=:5 pid=5";;
		esac
		diff <(echo "$want") "$T/out" || failed "$type"
	done
	# no samples; no records
	mkpipe <(head -n 1 "$T/r") | pcat --format=pprof >"$T/x" 2>"$T/err" || failed empty
	one_line "pcat: warning: the profile has no samples" && ! [ "$(read_pprof stacks "$T/x")" ] || failed "empty: $(cat "$T/err")"
	done_all
}

@test "pprof: call chains that are in stacks and branches are missing, which is said" {
	python
	try pcat --format=pprof data/p72_z22_dwarf.pipe.data
	[ $rc -eq 0 ] && one_line "pcat: warning: recorded with --call-graph dwarf: the call chains in the profile are without their callers in user mode; pinject --unwind makes them first" || failed dwarf
	for type in 0x808 0x8; do	# a call stack; branches
		printf '%s\n' "attr type=0 config=0 period=1 sample_type=IP|TID|TIME|BRANCH_STACK branch_sample_type=$type flags=sample_id_all ids=1" \
		    "SAMPLE misc=2 ip=0x400010 pid=5 tid=5 time=10" >"$T/r"
		mkpipe "$T/r" >"$T/in"
		try pcat --format=pprof "$T/in"
		[ $rc -eq 0 ] || failed "$type: status"
		if [ $type = 0x808 ]; then one_line "pcat: warning: recorded with --call-graph lbr: "; else ! [ -s "$T/err" ]; fi || failed "$type: message"
		[ "$(read_pprof stacks "$T/out")" = "1 1 | 400010 | comm=:5 pid=5" ] || failed "$type"
	done
	done_all
}

@test "pprof: hostile names are UTF-8 in the profile" {
	python
	cat >"$T/r" <<-'END'
		attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|mmap|comm ids=1
		EVENT_UPDATE update_type=2 id=1 z=\xff\xc0\x80
		HEADER_FEATURE feat_id=5 fs=\xed\xa0\x80
		COMM pid=5 tid=5 comm=a\xe2\x82
		COMM pid=6 tid=6 comm=\x1b[2J\x7fb
		MMAP misc=2 pid=5 tid=5 start=0x400000 len=0x1000 filename=/bin/\xf5\xc3\xa9
		FINISHED_INIT
		SAMPLE misc=2 ip=0x400010 pid=5 tid=5 time=10 period=1
		SAMPLE misc=2 ip=0x400010 pid=6 tid=6 time=20 period=1
	END
	mkpipe "$T/r" >"$T/in"
	try pcat --format=pprof "$T/in"
	[ $rc -eq 0 ]
	one_line "pcat: warning: 3 names were not UTF-8: bytes of them became U+FFFD"
	read_pprof stacks "$T/out" | tr '\033\177' ED | diff - <(printf '%s\n' "1 1 | /bin/�é+10 | comm=a�� pid=5" '1 1 | 400010 | comm=E[2JDb pid=6')
	read_pprof head "$T/out" | grep -q '^comment perf-version:���$'
}

@test "pprof: periods that a profile cannot hold" {
	for period in 0x7fffffffffffffff 0xffffffffffffffff; do
		mkpipe <(printf '%s\n' "attr type=1 config=0 sample_type=IP|TID|TIME|PERIOD ids=1" "EVENT_UPDATE update_type=2 id=1 z=cpu-clock" \
		    "SAMPLE misc=2 ip=1 pid=5 tid=5 time=10 period=$period" "SAMPLE misc=2 ip=2 pid=5 tid=5 time=11 period=1") >"$T/in"
		rm -f "$T/x"
		try pcat --format=pprof -o "$T/x" "$T/in"
		[ $rc -eq 1 ] && one_line "pcat: $T/x: the periods of event cpu-clock add up to more than 2^63" && ! [ -e "$T/x" ] || failed "$period"
	done
	done_all
}

@test "pprof: many samples await the user part of their call chain" {
	python
	for n in 400 4000; do
		cat >"$T/r" <<-END
			attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CALLCHAIN flags=sample_id_all|mmap ids=1
			SAMPLE misc=1 ip=0xffffffff81000300 pid=100 tid=100 time=1400 chain=0xffffffffffffff80,0xffffffff81000300,0xfffffffffffffd80,77 repeat=$n step=1
			CALLCHAIN_DEFERRED cookie=77 list=0xfffffffffffffe00,0x401010 @ pid=100 tid=100 time=9000
		END
		mkpipe "$T/r" >"$T/in"
		try pcat --format=pprof -S 1M "$T/in"
		[ $rc -eq 0 ] && read_pprof sums "$T/out" | grep -qx "samples count $n" || failed "$n"
		if [ $n = 400 ]; then
			diff <(read_pprof stacks "$T/out") <(echo "400 400 | ffffffff81000300 401010 | comm=:100 pid=100") && ! [ -s "$T/err" ] || failed "$n: stacks"
		else
			one_line "pcat: warning: $((n - $(read_pprof stacks "$T/out" | awk '/ 401010 / { print $1 }'))) samples are without the user part of their callchain: --max-memory is too small" ||
			    failed "$n: warning"
		fi
	done
	done_all
}

# stacks N: a stream of N samples, each of its own stack.
stacks() {
	/usr/bin/python3 - "$1" <<-'END'
		import struct, subprocess, sys
		out = sys.stdout.buffer
		head = ("attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CALLCHAIN flags=sample_id_all|mmap ids=1\n"
		        "MMAP misc=2 pid=5 tid=5 start=0x400000 len=0x40000000 filename=/bin/x\nFINISHED_INIT\n")
		out.write(subprocess.run(["mkpipe", "/dev/stdin"], input=head.encode(), stdout=subprocess.PIPE, check=True).stdout)
		for i in range(int(sys.argv[1])):
		    ips = [2 ** 64 - 512, 0x400000 + i, 0x500001 + i * 7, 0x600001 + i % 1000]
		    out.write(struct.pack("<IHHQIIQQ4Q", 9, 2, 8 + 32 + 32, ips[1], 5, 5, i + 1, 4, *ips))
		    if i % 1000 == 0:
		        out.write(struct.pack("<IHH", 68, 0, 8))
	END
}

@test "pprof: a further file never replaces the input, and a message names the file that cannot be written" {
	python
	stacks 12000 >"$T/x.00003"
	cp "$T/x.00003" "$T/kept"
	try pcat -q --format=pprof --max-memory=1M -f -o "$T/x" "$T/x.00003"
	[ $rc = 1 ]
	one_line "pcat: $T/x.00003: is also the input"
	cmp "$T/x.00003" "$T/kept"
	mkdir "$T/y.00003"
	try pcat -q --format=pprof --max-memory=1M -f -o "$T/y" "$T/kept"
	[ $rc = 1 ]
	one_line "pcat: $T/y.00003: "
}

@test "pprof: a profile that is too large goes on in further files" {
	python
	n=12000
	[ -z "${ALL-}" ] || n=1000000
	stacks $n >"$T/in"
	try pcat --format=pprof --max-memory=1M -o "$T/x.pb.gz" "$T/in"
	[ $rc -eq 0 ] || failed "status"
	grep -qx "pcat: warning: $T/x.pb.gz: the profile needs more memory than --max-memory, and goes on in $T/x.pb.gz.00002" "$T/err" || failed message
	files=("$T"/x.pb.gz*)
	[ ${#files[@]} -gt 3 ] && [ ${#files[@]} -eq $((1 + $(wc -l <"$T/err"))) ] || failed "${files[*]}"
	read_pprof sums "${files[@]}" | diff - <(printf '%s\n' "samples count $n" "cpu nanoseconds $n") || failed sums
	pcat --format=pprof --max-memory=2G "$T/in" >"$T/whole"
	# all samples, each once: the same stacks, by addresses
	cmp <(read_pprof stacks "${files[@]}" | sort) <(read_pprof stacks "$T/whole" | sort) || failed stacks
	if command -v go >/dev/null && [ -z "${ALL-}" ]; then
		gopprof -symbolize=none -top -unit=ns "${files[@]}" | grep -q "of ${n}ns total" || failed "go: $(cat "$T/go.err")"
	fi
	# the next run finds these files
	rm "$T/x.pb.gz"
	try pcat --format=pprof --max-memory=1M -o "$T/x.pb.gz" "$T/in"
	[ $rc -eq 2 ] && one_line "pcat: $T/x.pb.gz.00002: exists; -f replaces it" && ! [ -e "$T/x.pb.gz" ] || failed "refused"
	try pcat --format=pprof --max-memory=1M -f -o "$T/x.pb.gz" "$T/in"
	[ $rc -eq 0 ] && read_pprof sums "${files[@]}" | grep -qx "samples count $n" || failed "-f"
	# -f: what is left of an earlier and longer profile would be taken for parts of this one; other files stay
	touch "$T/x.pb.gz.99"
	cp "$T/in" "$T/x.pb.gz.00099"
	stacks 7000 >"$T/short"
	try pcat -v --format=pprof --max-memory=1M -f -o "$T/x.pb.gz" "$T/short"
	left=("$T"/x.pb.gz "$T"/x.pb.gz.0000*)
	[ $rc -eq 0 ] && [ ${#left[@]} -lt ${#files[@]} ] && read_pprof sums "${left[@]}" | grep -qx "samples count 7000" || failed "-f, shorter"
	grep -q "^pcat: $T/x.pb.gz.0000${#files[@]}: removed, a part of an earlier profile$" "$T/err" || failed "-f, -v"
	pcat -q --format=pprof -f -o "$T/x.pb.gz" data/demo.data
	[ "$(echo "$T"/x.pb.gz*)" = "$T/x.pb.gz $T/x.pb.gz.00099 $T/x.pb.gz.99" ] || failed "-f, one file"
	# a recording is none of ours, and an incomplete profile replaces nothing
	cp "$T/in" "$T/x.pb.gz.00002"
	pcat -q --format=pprof -f -o "$T/x.pb.gz" data/demo.data
	cmp "$T/in" "$T/x.pb.gz.00002" || failed "-f, a recording"
	cp "$T/x.pb.gz" "$T/x.pb.gz.00002"
	head -c 20000 data/demo.data >"$T/cut"
	try pcat -q --format=pprof -f -o "$T/x.pb.gz" "$T/cut"
	[ $rc -eq 1 ] && cmp "$T/x.pb.gz" "$T/x.pb.gz.00002" || failed "-f, incomplete"
	rm "$T"/x.pb.gz*
	# a pipe cannot go on
	try pcat --format=pprof -S 1M "$T/in"
	[ $rc -eq 1 ] && one_line "pcat: <stdout>: the profile needs more memory than --max-memory: with -o FILE" && ! [ -s "$T/out" ] || failed pipe
	ln -s y.pb.gz "$T/link"
	pcat -q --format=pprof -S 1M -o "$T/link" "$T/in" && [ -f "$T/y.pb.gz" ] && [ -f "$T/y.pb.gz.00002" ] || failed link
	done_all
}

@test "pprof: --threads writes the same bytes, which are one member of gzip" {
	python
	stacks 20000 >"$T/in"
	pcat --format=pprof "$T/in" >"$T/want"
	/usr/bin/python3 - "$T/want" <<-'X' || failed "parts of it are lost, or too few to be tested"
		import sys, zlib
		z = zlib.decompressobj(31)
		raw = z.decompress(open(sys.argv[1], 'rb').read())
		sys.exit(len(raw) < 4 * (256 << 10) or not z.eof or z.unused_data != b'')
	X
	read_pprof sums "$T/want" | grep -qx "samples count 20000" || failed sums
	for n in 0 1 2 5; do
		pcat --format=pprof --threads=$n "$T/in" | cmp "$T/want" - || failed "$n"
	done
	for n in 0 3; do
		try sh -c "pcat --format=pprof --threads=$n '$T/in' >/dev/full"
		[ $rc = 1 ] && one_line 'pcat: <stdout>: ' || failed "$n: a full disk"
	done
	done_all
}

@test "pprof: of a damaged recording what is sound before the fault" {
	python
	head -c 20000 data/demo.data >"$T/cut"
	try pcat --format=pprof -o "$T/x.pb.gz" "$T/cut"
	[ $rc -eq 1 ] && ! [ -e "$T/x.pb.gz" ] && [ -e "$T/x.pb.gz.tmp" ] || failed cut
	! [ -x "$(type -P jq)" ] || agrees "$T/cut"
	f=$(recipe bad-sample-chain)
	try pcat --format=pprof -o "$T/y.pb.gz" "$f"
	[ $rc -eq 1 ] && grep -q "^pcat: $f: byte [0-9]*: SAMPLE: " "$T/err" && read_pprof sums "$T/y.pb.gz.tmp" | grep -qx 'samples count 1' || failed "a sample"
	rc=0
	pcat --format=pprof data/demo.data 2>"$T/err" >/dev/full || rc=$?
	[ $rc -eq 1 ] && one_line "pcat: <stdout>: write: No space left on device" || failed "full disk"
	done_all
}

@test "pprof: of a stream that ends anywhere, what came before" {
	python
	recipe pprof >/dev/null
	size=$(stat -c %s "$T/pprof.pipe") step=397
	[ -z "${ALL-}" ] || step=13
	for ((n = 16; n < size; n += step)); do
		rm -f "$T"/x.pb.gz*
		head -c $n "$T/pprof.pipe" >"$T/cut"
		try pcat -q --format=pprof -o "$T/x.pb.gz" "$T/cut"
		[ $rc -le 1 ] && { [ $rc -eq 1 ] || [ -e "$T/x.pb.gz" ]; } || failed "$n: status"
		! ls "$T"/x.pb.gz* >"$T/ls" 2>/dev/null || cat "$T"/x.pb.gz* >"$T/x.$n"
	done
	read_pprof sums "$T"/x.[0-9]* >"$T/sums" || failed "a profile is bad"
	grep -q '^samples count [1-9]' "$T/sums" || failed "no samples"
	done_all
}

@test "pprof: Go reads all of it" {
	python; need go
	for f in data/{demo,multi.pipe,p72_group_S.pipe}.data "$(recipe pprof)" "$(recipe rounds)"; do
		pcat -q --format=pprof -f -o "$T/x.pb.gz" "$f"
		gopprof -symbolize=none -raw "$T/x.pb.gz" >"$T/raw" || failed "$f: $(cat "$T/go.err")"
		# the sums of the columns, and the locations
		awk '/^Samples:/ { on = 1; next } /^Locations/ { on = 0 } on && /^ *[0-9]+ .*:/ { for (i = 1; i <= NF; i++) { v = $i; last = sub(/:$/, "", v);
		    sum[i] += v; if (last) break } n = i } END { for (i = 1; i <= n; i++) printf "%d\n", sum[i] }' "$T/raw" >"$T/got"
		read_pprof sums "$T/x.pb.gz" | awk '{ print $NF }' | diff - "$T/got" || failed "$f: sums"
		grep -q '^ *[0-9]*: 0x' "$T/raw" || failed "$f: locations"
	done
	pcat --format=pprof -f -o "$T/x.pb.gz" "$T/pprof.pipe"
	gopprof -symbolize=none -raw "$T/x.pb.gz" | grep -q 'pid:\[0 pid\]' || failed "pid 0"
	done_all
}

@test "pprof: functions and lines are those of perf report" {
	python; need record; need cc; need go
	sed 's/CLOCKS_PER_SEC/& \/ 4/' data/gperf/spin.c >"$T/spin.c"
	for how in "-static" "-pie -fPIE"; do
		cc -O1 -g -fno-omit-frame-pointer $how -o "$T/spin" "$T/spin.c" || skip "cc cannot link $how"
		perf record -q -B -e cpu-clock:u -c 1000000 -g -o "$T/spin.data" "$T/spin" >/dev/null 2>&1
		pcat --format=pprof -f -o "$T/spin.pb.gz" "$T/spin.data"
		perf report -f -i "$T/spin.data" --stdio -g none --no-children -F period,symbol 2>/dev/null |
		    awk '$3 ~ /^(adds|divides)$/ { print $3, $1 }' | sort >"$T/want"
		gopprof -top -unit=ns -nodecount=20 "$T/spin.pb.gz" | awk '$6 ~ /^(adds|divides)$/ { sub(/ns$/, "", $1); print $6, $1 }' | sort >"$T/got"
		[ "$(wc -l <"$T/want")" -eq 2 ] || failed "$how: perf"
		join "$T/want" "$T/got" | awk '{ d = $2 - $3; if (d < 0) d = -d; if (d > $2 / 1000) bad = 1 } END { exit bad || NR != 2 }' || failed "$how: $(cat "$T/got")"
		# the callers, and the lines of what took the time
		gopprof -peek '^adds$' "$T/spin.pb.gz" | grep -q '|  *main$' || failed "$how: callers"
		gopprof -list '^adds$' "$T/spin.pb.gz" | grep -q '^ *[0-9.]*m\?s .*[[:space:]]x = x \* 1.0000001 + i;$' || failed "$how: lines"
		gopprof -list '^main$' "$T/spin.pb.gz" | grep -q '^ *\. *[0-9.]*m\?s .*both(100000);$' || failed "$how: the line of a call"
		# elsewhere
		mkdir -p "$T/elsewhere"
		mv "$T/spin" "$T/elsewhere/spin"
		PPROF_BINARY_PATH=$T/elsewhere gopprof -top "$T/spin.pb.gz" | grep -q ' adds$' || failed "$how: PPROF_BINARY_PATH"
	done
	done_all
}

# github.com/google/pprof, which reads build-ids.
need_pprof() {
	pprof --help 2>&1 | grep -q symbolize || skip "pprof of github.com/google/pprof is not installed"
	export PPROF_TMPDIR=$T HOME=$T
}

@test "pprof: functions of the kernel, in a vmlinux of its build-id" {
	need cc; need_pprof
	printf '%s\n' ".globl _text, _stext, a100, a200, a300" "_text: _stext: .skip 0x100" "a100: .skip 0x100" "a200: .skip 0x100" \
	    "a300: .skip 0x100" ".type a100, @function" ".size a100, 0x100" ".type a200, @function" ".size a200, 0x100" \
	    ".type a300, @function" ".size a300, 0x100" >"$T/k.s"
	id=0102030405060708090a0b0c0d0e0f1011121314
	mkdir -p "$T/syms/$id"
	pcat -q --format=pprof -o "$T/x.pb.gz" "$(recipe pprof)"
	for base in 0xffffffff81000000 0xffffffff9a000000; do	# where it ran, and elsewhere
		cc -nostdlib -static -Wl,-Ttext=$base,--build-id=0x$id,-e,_text -o "$T/syms/$id/vmlinux" "$T/k.s" || skip "cc cannot link a kernel"
		PPROF_BINARY_PATH=$T/syms pprof -symbolize=local -top -sample_index=samples "$T/x.pb.gz" 2>"$T/err" |
		    awk '$6 ~ /^a[123]00$/ { print $6, $1 }' | sort | diff - <(printf '%s\n' "a100 2" "a200 2" "a300 5") || failed "$base"
	done
	done_all
}

@test "pprof: Go optimizes by the profile" {
	need record; need_pprof
	[ -x "$(type -P llvm-symbolizer)" ] || skip "llvm-symbolizer is not installed"
	go help build 2>/dev/null | grep -q -- -pgo || skip "this Go is older than 1.21"
	mkdir "$T/hot"
	cd "$T/hot"
	cat >main.go <<-'END'
		package main

		type shape interface{ area(n int) float64 }
		type square struct{ side float64 }
		type circle struct{ radius float64 }

		//go:noinline
		func step(x float64, i int) float64 { return x*1.0001 + float64(i) }

		func (s square) area(n int) (sum float64) {
			for i := 0; i < n; i++ {
				sum = step(sum, i)
			}
			return sum
		}
		func (c circle) area(n int) float64 { return c.radius * float64(n) }

		//go:noinline
		func total(s shape) float64 { return s.area(1000) }

		func main() {
			for i := 0; i < 100000; i++ {
				total(square{1})
			}
			println(total(circle{2}))
		}
	END
	printf '%s\n' "module hot" "" "go 1.21" >go.mod
	export GOFLAGS=-mod=mod GOTOOLCHAIN=local GOCACHE=$T/cache
	go build -o hot . 2>/dev/null || skip "go cannot build"
	perf record -q -e cpu-clock:u -F 2000 -g -o hot.data ./hot 2>/dev/null
	pcat --format=pprof --labels=none -o cpu.pb.gz hot.data
	pprof -proto -output=default.pgo cpu.pb.gz 2>"$T/err"
	go build -pgo=default.pgo -gcflags=-m -o fast . 2>&1 | grep -q 'PGO devirtualizing interface call s.area to square.area' || failed "the profile is not used"
	done_all
}

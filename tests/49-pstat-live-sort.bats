# SPDX-License-Identifier: ISC
# pstat --interval and --live with --sort: rows by keys, names of functions among them, while a stream flows.
load lib
load pstat

# program: $T/busy, which is in hot_leaf most of its time, for $1 seconds
program() {
	need cc
	cat >"$T/busy.c" <<-'END'
		#include <stdlib.h>
		#include <time.h>
		static volatile long sink;
		__attribute__((noinline)) static void hot_leaf(int n) { for (int i = 0; i < n; i++) sink += i * i; }
		__attribute__((noinline)) void middle(int n) { hot_leaf(n); for (int i = 0; i < n / 8; i++) sink ^= i; }
		int main(int c, char **v) { clock_t end = clock() + (clock_t)(CLOCKS_PER_SEC * (c > 1 ? atof(v[1]) : 1)); while (clock() < end) middle(2000); return 0; }
	END
	cc -O1 -fno-omit-frame-pointer -Wl,--build-id=sha1 -o "$T/busy" "$T/busy.c"
}

# made: $T/made.txt, a recipe of a process with a map of a file that has the functions `one' and `two', which is below $T/dir, in
# the kernel, in code of a JIT, in a file without symbols, and in no map; AT: the address of `one'
made() {
	need cc
	local id kernel=0102030405060708090a0b0c0d0e0f1011121314
	printf '\t.text\n\t.globl one, two\n\t.type one, @function\n\t.type two, @function\none: .zero 64\n\t.size one, 64\ntwo: .zero 64\n\t.size two, 64\n' >"$T/made.s"
	cc -shared -nostdlib -Wl,--build-id=sha1 -o "$T/made.so" -x assembler "$T/made.s"
	id=$(readelf -n "$T/made.so" | sed -n 's/.*Build ID: //p')
	mkdir -p "$T/dir/.build-id/${id:0:2}/${id:2}" "$T/dir/[kernel.kallsyms]/$kernel"
	cp "$T/made.so" "$T/dir/.build-id/${id:0:2}/${id:2}/elf"
	printf 'ffffffff81000000 T _text\nffffffff81000100 t in_kernel\nffffffff81000300 T _etext\n' >"$T/dir/[kernel.kallsyms]/$kernel/kallsyms"
	AT=$((0x10000000 + 0x$(readelf -sW "$T/made.so" | awk '$8 == "one" { print $2; exit }')))
	cat >"$T/made.txt" <<-END
		attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|comm|mmap|mmap2|ksymbol ids=1
		HEADER_BUILD_ID misc=0x8001 pid=-1 build_id=$kernel id_size=20 filename=[kernel.kallsyms]
		MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x1000 pgoff=0xffffffff81000000 filename=[kernel.kallsyms]_text
		COMM pid=100 tid=100 comm=alpha
		MMAP2 misc=0x4002 pid=100 tid=100 start=0x10000000 len=0x100000 build_id=$id prot=5 flags=2 filename=/nowhere/made.so
		MMAP2 misc=2 pid=100 tid=100 start=0x20000000 len=0x1000 prot=5 flags=2 filename=/nowhere/nameless.so
		MMAP2 misc=2 pid=100 tid=100 start=0x30000000 len=0x1000 prot=5 flags=0x22 filename=//anon
	END
}
# at SECONDS ADDRESS COUNT: samples of that process
at() {
	local misc=2 i
	[ $(($2 >> 63)) = 0 ] || misc=1
	for ((i = 0; i < $3; i++)); do
		echo "SAMPLE misc=$misc ip=$2 pid=100 tid=100 time=$(($1 * 1000000000 + i * 1000)) period=1"
	done
}

# added FILE: the rows of all lines of --interval --json added up, and those of the report behind them: equal lines if they are right;
# of each line, do its rows have its samples?
added() {
	$PYTHON - "$1" <<-'END'
		import json, sys
		from collections import Counter
		*lines, report = [json.loads(l) for l in open(sys.argv[1])]
		row = lambda r: tuple(r[k] for k in report['sorted_by']['keys'] + ['other'])
		a, b = Counter(), Counter()
		for l in lines:
		    for r in l['sort']:
		        a[row(r)] += r['samples']
		for r in report['sort']:
		    b[row(r)] += r['samples']
		wrong = {k: (a[k], b[k]) for k in a | b if a[k] != b[k]}
		assert not wrong, wrong
		assert lines and a
		print(sum(l['samples'] != sum(r['samples'] for r in l['sort']) for l in lines), len(lines), len(a))
	END
}

@test "live sort: rows of all intervals added are those of the report, of functions, too" {
	need record
	need python3
	program
	perf record -q -k mono -F 999 -g -e cpu-clock -o "$T/raw" -- "$T/busy" 0.4 2>/dev/null >&2 || skip "perf record -k mono does not work here"
	pinject -q -B -i "$T/raw" -o "$T/data"
	for o in "symbol --symbols local" "symbol,dso,comm --symbols local" cpu,pid event,comm cpumode; do
		command pstat -q --json --interval 20ms -s $o "$T/data" >"$T/json"
		try added "$T/json"
		[ $rc = 0 ] && [ "$(cut -d ' ' -f 1 "$T/out")" = 0 ] || failed "$o: $(cat "$T/out" "$T/err")"
	done
	[ "$(wc -l <"$T/json")" -gt 10 ] || failed "one interval"
	command pstat -q --json --interval 20ms --symbols local -s symbol --children "$T/data" >"$T/json"
	try added "$T/json"
	[ $rc = 0 ] || failed "children: $(cat "$T/err")"
	grep -q '"symbol":"middle"' "$T/json" || failed "children: middle"
	for f in data/{demo,multi.pipe,a_many.file,read_S.pipe}.data "$(recipe rounds)" "$(recipe two-events)" "$(recipe read-group)"; do
		[ -e "$f" ] || continue
		for o in comm,event dso pid,cpu; do
			command pstat -q --json --interval 1ms -s $o "$f" >"$T/json"
			try added "$T/json"
			[ $rc = 0 ] || failed "$f $o: $(cat "$T/err")"
		done
	done
	done_all
}

@test "live sort: as CSV the same rows as in JSON; --top leaves others" {
	need jq
	for o in "-s comm,pid" "-s cpu --top 1"; do
		command pstat -q --json --interval 10ms $o data/demo.data | sed '$d' |
		    jq -r '. as $l | .sort[] | del(.other, .samples) as $k | [$l.time_ns, $l.duration_ns, (.comm // .cpu // ""), (if has("pid") then (.pid // "") else empty end), .other, .samples] | @csv' | tr -d '"' >"$T/want"
		command pstat -q --csv --table sort --interval 10ms $o data/demo.data | tr -d '\r"' >"$T/got"
		sed 1d "$T/got" | diff "$T/want" - >"$T/diff" || failed "$o: $(head -n 4 "$T/diff")"
		head -n 1 "$T/got" | grep -qx 'time_ns,duration_ns,\(comm,pid\|cpu\),other,samples' || failed "$o: $(head -n 1 "$T/got")"
		[ "$(awk -F, 'NR > 1 { n += $NF } END { print n }' "$T/got")" = "$(command pstat --json data/demo.data | jq .samples)" ] || failed "$o: sum"
	done
	command pstat -q --csv --table sort --interval 10ms -s cpu --top 1 data/demo.data | grep -q ',,true,' || failed "others"
	echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all ids=1" | mkpipe - >"$T/none"
	[ "$(command pstat -q --csv --table sort --interval 1s -s comm "$T/none" | tr -d '\r')" = time_ns,duration_ns,comm,other,samples ] || failed none
	for o in "--csv --table comms -s comm" "--csv --table sort -s time" "--csv --table sort"; do
		try command pstat --interval 1s $o data/demo.data
		[ $rc = 2 ] && one_line "pstat: " || failed "$o"
	done
	# bins of time are no intervals
	command pstat -q --json --interval 10ms -s time data/demo.data | head -n 1 | jq -e 'has("sort") | not' >/dev/null || failed time
	done_all
}

@test "live sort: functions of files, of the kernel, of a JIT, of nothing" {
	need jq
	made
	{
		cat "$T/made.txt"
		at 1 $((AT + 8)) 5
		at 1 $((AT + 64 + 8)) 4
		at 2 0xffffffff81000110 3
		at 2 0x20000010 2
		at 3 0x30000010 2
		at 3 0x70000010 1
	} | mkpipe - >"$T/made"
	command pstat -q --json --interval 1s --symbols "$T/dir" -s symbol "$T/made" | sed '$d' |
	    jq -c '[.time_ns / 1000000000, (.sort[] | .symbol, .samples)]' >"$T/got"
	diff - "$T/got" <<-'END'
		[1,"one",5,"two",4]
		[2,"in_kernel",3,"[nameless.so]",2]
		[3,"[perf-100.map]",2,"[no map]",1]
	END
	command pstat -q --interval 1s --symbols "$T/dir" -s symbol,comm "$T/made" | sed -n '/^input/q; p' | awk '{ print substr($0, 75) }' >"$T/got"
	diff - "$T/got" <<-'END'
		TOP SYMBOL, COMM
		one, alpha 55.6%
		in_kernel, alpha 60.0%
		[perf-100.map], alpha 66.7%
	END
}

# One try of three: on a busy machine perf, or the process that reads symbols, may not run for longer than two intervals.
@test "live sort: a busy function has its name within two intervals, while perf records" {
	need record
	need native
	need jq
	program
	mkfifo "$T/fifo"
	for try in 1 2 3; do
		"$T/busy" 30 &
		busy=$!
		perf record -q -m 4 -e cpu-clock -F 999 -k mono -g -o - -p $busy 2>/dev/null | pinject -q -b >"$T/fifo" &
		command pstat -q --json --interval 200ms -s symbol,dso --symbols=local <"$T/fifo" >"$T/json" 2>"$T/err" &
		pid=$!
		await grep -q hot_leaf "$T/json" || { kill $busy; failed "no name: $(head -n 3 "$T/json")"; }
		kill $busy
		wait $pid || failed "$(cat "$T/err")"
		jq -c 'select(.samples > 0) | .sort[0].symbol' "$T/json" | head -n 2 | grep -q '"hot_leaf"' && break
		[ $try -lt 3 ] || failed "$(jq -c 'select(.samples > 0) | [.samples, .sort[0]]' "$T/json" | head -n 4)"
	done
	done_all
}

@test "live sort: what flows does not wait for the names of a file, and has them when they are there" {
	need native
	need pgrep
	need jq
	made
	{ cat "$T/made.txt"; at 1 $((AT + 8)) 5; echo FINISHED_ROUND; at 2 $((AT + 8)) 1; echo FINISHED_ROUND; at 3 $((AT + 8)) 1; echo FINISHED_ROUND; } | mkpipe - >"$T/first"
	for i in {4..60}; do
		{ head -n 1 "$T/made.txt"; at $i $((AT + 8)) 7; echo FINISHED_ROUND; } | mkpipe - | tail -c +17 >"$T/then.$i"
	done
	mkfifo "$T/fifo"
	command pstat --json --interval 1s -s symbol --symbols "$T/dir" <"$T/fifo" >"$T/json" 2>"$T/err" &
	pid=$!
	exec 7>"$T/fifo"
	worker() { pgrep -P "$(pgrep -P $pid)"; }
	await worker
	kill -STOP "$(worker)"
	cat "$T/first" >&7
	await grep -q '"time_ns":1000000000' "$T/json" || { kill -CONT "$(worker)"; failed "waits"; }
	kill -CONT "$(worker)"
	for i in {4..60}; do
		cat "$T/then.$i" >&7
		! grep -q '"symbol":"one","other":false,"samples":7' "$T/json" || break
		sleep 0.02
	done
	exec 7>&-
	wait $pid
	jq -c 'select(.time_ns) | [.time_ns / 1000000000, (.sort[] | .symbol, .samples)]' "$T/json" >"$T/got"
	[ "$(head -n 1 "$T/got")" = '[1,"[made.so]",5]' ] || failed "$(head -n 1 "$T/got")"
	[[ "$(tail -n 1 "$T/got")" = *',"one",7]' ]] || failed "$(tail -n 1 "$T/got")"
	grep -q 'frames were counted before the names of their files were known' "$T/err" || failed "$(cat "$T/err")"
	# a file waits for its names
	cat "$T/first" "$T"/then.[4-9] >"$T/both"
	! command pstat -q --json --interval 1s -s symbol --symbols "$T/dir" "$T/both" | grep -q made.so || failed "file"
	done_all
}

@test "live sort: an interval is not over before its samples have had their turn, though nothing comes" {
	need native
	need jq
	made
	{ cat "$T/made.txt"; at 1 $((AT + 8)) 5; at 2 $((AT + 8)) 1; at 3 $((AT + 8)) 1; echo FINISHED_ROUND; } | mkpipe - >"$T/first"
	printf '\x44\0\0\0\0\0\x08\0' >"$T/round"
	mkfifo "$T/fifo"
	command pstat --json --interval 20ms -s comm,dso <"$T/fifo" >"$T/json" 2>"$T/err" &
	pid=$!
	exec 7>"$T/fifo"
	cat "$T/first" >&7
	await grep -q '"waiting":true' "$T/json"
	cat "$T/round" "$T/round" >&7
	exec 7>&-
	wait $pid
	sed '$d' "$T/json" | jq -c 'select(.waiting | not) | [.time_ns / 1000000000, .samples, (.sort[] | .comm, .dso, .samples)]' | grep -v '^\[[0-9.]*,0\]$' >"$T/got"
	diff - "$T/got" <<-'END'
		[1,5,"alpha","/nowhere/made.so",5]
		[2,1,"alpha","/nowhere/made.so",1]
		[3,1,"alpha","/nowhere/made.so",1]
	END
}

# many KIND COUNT: ever new names: of the thread (comm), or of code in the kernel (ksymbol); each has a sample, and each hundredth
# one in a file without names
many() {
	awk -v kind="$1" -v n="$2" 'BEGIN {
		print "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|comm|mmap2|ksymbol ids=1"
		print "MMAP2 misc=2 pid=1 tid=1 start=0x10000000 len=0x100000 prot=5 flags=2 filename=/nowhere/nameless.so @ pid=1 tid=1 time=1"
		for (i = 1; i <= n; i++) {
			t = 1000000000 + i * 100000
			if (kind == "comm")
				printf "COMM pid=1 tid=1 comm=n%d @ pid=1 tid=1 time=%.0f\n", i, t
			else
				printf "KSYMBOL addr=0xffffffffc%07x len=64 ksym_type=1 flags=0 name=bpf_prog_%d @ pid=0 tid=0 time=%.0f\n", (i % 4096) * 64 + 64, i, t
			printf "SAMPLE misc=1 ip=0xffffffffc%07x pid=1 tid=1 time=%.0f period=1\n", (i % 4096) * 64 + 72, t + 1
			if (i % 100 == 0)
				printf "SAMPLE misc=2 ip=%.0f pid=1 tid=1 time=%.0f period=1\n", 268435456 + (i * 16) % 1048576, t + 2
			if (i % 5000 == 0)
				print "FINISHED_ROUND"
		}
	}' | mkpipe -
}

@test "live sort: ever new names are let go, and the newest have theirs" {
	need jq
	mkdir "$T/empty"
	for o in "comm 100000 -s comm" "ksymbol 140000 -s symbol --symbols $T/empty" "ksymbol 140000 -s symbol --children --symbols $T/empty"; do
		set -- $o
		[[ "$o" != *children* || -n "${ALL-}" ]] || continue
		many $1 $2 >"$T/many"
		command pstat -q --json --interval 1s "${@:3}" "$T/many" >"$T/json" || failed "$o"
		# all samples are somewhere, and the report says that it has not each name
		tail -n 1 "$T/json" | jq -e --argjson n $(($2 + $2 / 100)) '(.exact | not) and ([.sort[].samples] | add) == $n and ([.sort[] | select(.other)] | length) == 1' >/dev/null ||
		    failed "$o: report"
		[ $1 = comm ] || [ "$(sed '$d' "$T/json" | jq -s '[.[].sort[] | select(.symbol == "[nameless.so]") | .samples] | add')" = $(($2 / 100)) ] || failed "$o: nameless"
		sed '$d' "$T/json" | jq -s -e 'all(.exact and ([.sort[].samples] | add // 0) == .samples and ([.sort[] | select((.comm // .symbol) == null)] | length) == 0)' >/dev/null ||
		    failed "$o: lines"
	done
	done_all
}

@test "live sort: on a terminal, rows in place of comms and processes; a warning does not stand in it" {
	need_module pty
	made
	id=$(sed -n 's/.* build_id=\([0-9a-f]*\) prot.*/\1/p' "$T/made.txt")
	# another file is none that has names
	other=${id//[0-9]/1}
	mkdir -p "$T/dir/.build-id/${other:0:2}/${other:2}"
	echo "no ELF file" >"$T/dir/.build-id/${other:0:2}/${other:2}/elf"
	{
		cat "$T/made.txt"
		echo "MMAP2 misc=0x4002 pid=100 tid=100 start=0x40000000 len=0x1000 build_id=$other prot=5 flags=2 filename=/nowhere/odd.so"
		for i in 1 2 3 4 5 6; do
			at $i $((AT + 8)) 5
			[ $i != 4 ] || at $i 0x40000010 3
			echo FINISHED_ROUND
		done
	} | mkpipe - >"$T/stream"
	PYTHONPATH=. $PYTHON - "$T/stream" "$T/dir" <<-'END'
		import os, re, sys, time
		from terminal import Terminal
		t = Terminal(["pstat", "--live", "--interval", "1s", "-s", "symbol,dso", "--symbols", sys.argv[2], "-o", "/dev/null"], 30, 70)
		# round by round, as drawing has its limit
		stream = open(sys.argv[1], "rb").read()
		cut = [m.end() for m in re.finditer(rb"\x44\0\0\0\0\0\x08\0", stream)]
		assert len(cut) == 6, cut
		for a, b in zip([0] + cut, cut + [len(stream)]):
		    os.write(t.feed, stream[a:b])
		    end = time.time() + 0.25
		    while time.time() < end:
		        t.read(0.05)
		os.close(t.feed)
		while t.read(60):
		    pass
		assert t.status() == 0
		out = t.out
		# what a terminal shows of it
		screen, at = [b""], 0
		for kind, text in re.findall(rb"(\x1b\[\d*[FKJ]|\r|\n)|([^\x1b\r\n]+)", out):
		    if text:
		        screen[at] += text
		    elif kind == b"\n":
		        at += 1
		        if len(screen) == at:
		            screen.append(b"")
		    elif kind.endswith(b"F"):
		        at -= int(kind[2:-1])
		        assert at >= 0
		        screen[at:] = [b""] * (len(screen) - at)
		    elif kind.endswith(b"J"):
		        screen[at:] = [b""]
		# at the end there is nothing but messages
		left = [l for l in screen if l]
		assert left and all(l.startswith(b"pstat: warning: ") for l in left), left
		assert any(b"odd.so" in l for l in left), left
		pictures = out.replace(b"\x1b[K", b"").replace(b"\r", b"").decode()
		assert re.search(r"\n +SAMPLES +%  SYMBOL +DSO *\n +5  100\.0  one +/nowhere/made\.so *\n", pictures), pictures[:3000]
		assert all(len(l) < 70 for l in pictures.split("\n") if not l.startswith("pstat:") and "\x1b" not in l), pictures
	END
}

# SPDX-License-Identifier: ISC
# --switch-output: each part can be read alone; all parts together have the samples of the input.
load lib

# part COMM: the head of a recording
part() {
	cat <<-END
	attr type=1 config=0 period=1000 sample_type=IP|TID|TIME|ID|PERIOD flags=sample_id_all|comm|task|mmap2 ids=11
	HEADER_FEATURE feat_id=3 fs=h
	HEADER_FEATURE feat_id=32
	COMM pid=100 tid=100 comm=$1
	FINISHED_INIT
	END
}
# sample TIME IP, comm TIME NAME
sample() { echo "SAMPLE misc=2 ip=$2 pid=100 tid=100 time=$1 id=11 period=$2"; }
comm() { echo "COMM pid=100 tid=100 comm=$2 @ pid=100 tid=100 time=$1 id=11"; }

# says FILE...: perf script of each file; without symbols of the kernel, which would be those of this machine
says() {
	local f
	for f; do
		perf script -f --ns --symfs=/nonexistent --kallsyms=/dev/null -F comm,pid,tid,time,event,ip,period -i "$f" 2>/dev/null
	done
}
# splits HOW FILE [MIN [MAX]]: so many parts, which one behind the other and merged are FILE sorted
splits() {
	local how=$1 f=$2 n
	rm -rf "$T/c"; mkdir "$T/c"
	try pcat --switch-output=$how --output-template="$T/c/%n" "$f"
	[ $rc = 0 ] || { failed "$how $f"; return 0; }
	n=$(ls "$T/c" | wc -l)
	[ $n -ge ${3-2} ] && [ $n -le ${4-1000} ] || failed "$how $f: $n parts"
	psort --full "$f" >"$T/sorted"
	says "$T/sorted" >"$T/want"
	[ -s "$T/want" ] || failed "$f: perf says nothing"
	says "$T"/c/* | diff "$T/want" - >"$T/diff" || failed "$how $f: alone: $(head -n 4 "$T/diff")"
	psort --merge "$T"/c/* >"$T/merged"
	says "$T/merged" | diff "$T/want" - >"$T/diff" || failed "$how $f: merged: $(head -n 4 "$T/diff")"
	[ $(($(stat -c %s "$T/merged") * 100)) -le $(($(stat -c %s "$T/sorted") * 102 + n * 3200)) ] ||
	    failed "$how $f: merged: $(stat -c %s "$T/merged") bytes, not $(stat -c %s "$T/sorted")"
}

@test "--switch-output: the parts of recordings, alone and merged, are the sorted whole (split-all tries the whole corpus)" {
	need perf
	O=$O ./split-all -q data/p72_forks.pipe.data data/multi.pipe.data data/z1.file.data data/sched_R.file.data
}

@test "--switch-output: a file in disorder is cut where nothing later is older, and not at all where there is none" {
	need perf
	# one CPU behind the other, without marks: before, it was cut amid the first one
	{ part one; for i in $(seq 1000 10 4000); do sample $i 1; [ $i != 3000 ] || comm $i two; done
	  for i in $(seq 1005 10 3995); do sample $i 2; done; } | mkpipe - >"$T/f"
	splits 4K "$T/f" 1 1
	rm "$T"/c/*
	try pcat -v --switch-output=1us --output-template="$T/c/%n" "$T/f"
	grep -qx 'pcat: the file has older records after every position, so there is only one part' "$T/err" || failed "-v"
	# three times that, one behind the other: two places, without marks
	{ part one; for k in 0 5000 10000; do
		for i in $(seq 1000 10 4000); do sample $((k + i)) 1; [ $i != 3000 ] || comm $((k + i)) name$k; done
		for i in $(seq 1005 10 3995); do sample $((k + i)) 2; done
	  done; } | mkpipe - >"$T/f"
	splits 4K "$T/f" 3 3
	splits 2us "$T/f" 3 3
	zstd -q "$T/f" && splits 4K "$T/f.zst" 3 3
	mkpipe -b <(part one; for k in 0 5000; do for i in 9 8 7; do sample $((k + i)) 1; done; done) >"$T/big"
	splits 50B "$T/big" 2 2
	done_all
}

@test "--switch-output: what comes behind the FINISHED_ROUND of a cut and is older goes into the part in front of it" {
	need perf
	# rounds of two CPUs that overlap; the task gets its name on the other CPU, in the round behind its samples
	{ part one; for k in $(seq 0 1000 9000); do
		for i in $(seq 500 10 1490); do sample $((k + i)) $i; done
		for i in $(seq 5 10 995); do sample $((k + i)) $i; [ $i != 905 ] || comm $((k + i)) n$k; done
		echo FINISHED_ROUND
	  done; } | mkpipe - >"$T/f"
	splits rounds:1 "$T/f" 9 10
	splits rounds:3 "$T/f" 3 4
	splits 16K "$T/f" 5
	mkfifo "$T/p"
	for how in rounds:1 16K 2us; do
		cat "$T/f" >"$T/p" &
		rm -rf "$T/c"; mkdir "$T/c"
		try pcat --switch-output=$how --output-template="$T/c/%n" "$T/p"
		[ $rc = 0 ] && [ $(ls "$T/c" | wc -l) -ge 3 ] || failed "pipe: $how"
		psort --full "$T/f" >"$T/sorted"
		says "$T/sorted" >"$T/want"
		says "$T"/c/* | diff "$T/want" - >"$T/diff" || failed "pipe: $how: $(head -n 4 "$T/diff")"
	done
	done_all
}

@test "--switch-output: SIZE and TIME are kept within a record where all is in order; the snapshot does not count" {
	{ part one; for i in $(seq 1000 10 9000); do sample $i 1; [ $((i % 50)) != 0 ] || comm $i n$i; done; } | mkpipe - >"$T/f"
	for in in "$T/f" -; do
		rm -rf "$T/c"; mkdir "$T/c"
		cat "$T/f" | pcat -v --switch-output=5000B --output-template="$T/c/%n" "$in" 2>"$T/err"
		sed -n 's/^pcat: .*: \([0-9]*\) bytes, .*/\1/p' "$T/err" | sed '$d' >"$T/sizes"
		[ "$(wc -l <"$T/sizes")" -ge 7 ] && awk '$1 < 5000 || $1 >= 5056 { exit 1 }' "$T/sizes" || failed "$in: $(cat "$T/sizes")"
		rm -f "$T"/c/*
		cat "$T/f" | pcat --switch-output=2us --output-template="$T/c/%n" "$in"
		[ $(ls "$T/c" | wc -l) = 5 ] || failed "$in: time"
		[ "$(samples_at 10 "$T/c/00002" | sed -n '1p;$p' | cut -d ' ' -f 1 | xargs)" = "3000 4990" ] || failed "$in: times"
	done
	done_all
}

@test "--switch-output: a record of a pipe that is older than a cut is reported, and the output goes on" {
	{ part one; for i in $(seq 1000 10 9000); do sample $i 1; done; sample 1500 7; sample 1600 7; sample 9500 8; } | mkpipe - >"$T/f"
	mkdir "$T/c"
	try sh -c 'cat "$0/f" | pcat --switch-output=2K --output-template="$0/c/%n"' "$T"
	[ $rc = 1 ] && one_line "pcat: <stdin>: byte 4[0-9]*: SAMPLE: time 0.000001500 is older than the cut at 0.0000" ||
	    grep -q '^pcat: <stdin>: byte [0-9]*: SAMPLE: time 0.000001500 is older than the cut at .*: sort the input with psort first$' "$T/err" || failed "said"
	[ $rc = 1 ] && [ "$(wc -l <"$T/err")" = 1 ] || failed "one line"
	for f in "$T"/c/*; do samples_at 10 "$f"; done | sort >"$T/got"
	samples_at 10 "$T/f" | sort | cmp - "$T/got" || failed "all of it"
	# the same in a file
	rm "$T"/c/*
	try pcat --switch-output=2K --output-template="$T/c/%n" "$T/f"
	[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "file"
	done_all
}

@test "--switch-output: READ values begin anew in each part: each sample keeps its period, alone and merged" {
	need perf
	splits 100B "$(recipe read-group)" 3
	splits rounds:1 "$(recipe read-group)" 2
	done_all
}

@test "--switch-output: samples behind the EXIT of their task read as in the whole, whatever perf makes of them" {
	need perf
	{ part one; sample 1000 1; sample 2000 1; echo "EXIT pid=100 ppid=1 tid=100 ptid=1 time=2500 @ pid=100 tid=100 time=2500 id=11"
	  for i in 3000 4000 5000 6000; do sample $i 1; done; } | mkpipe - >"$T/f"
	splits 100B "$T/f" 3
	pstat --json "$T/c/00003" | grep -q '"name":"EXIT"' || failed "no EXIT in the snapshot"
	done_all
}

@test "--switch-output: counts of perf stat record stay with the STAT_ROUND that they belong to" {
	need perf
	pcat --switch-output=40B --output-template="$T/%n" data/stat.pipe.data
	perf script -i data/stat.pipe.data >"$T/want" 2>/dev/null
	for f in "$T"/0*; do perf script -i "$f" 2>/dev/null; done | awk '!/^CPU/ || !n++' | diff "$T/want" - || failed "perf script"
	[ -s "$T/want" ] || failed "perf says nothing"
	done_all
}

@test "--switch-output: joined recordings are cut where all of them allow it" {
	need perf
	{ part one; for i in $(seq 1000 10 4000); do sample $i 1; done; sample 1500 9; } | mkpipe - >"$T/a"
	{ part two; for i in $(seq 1000 10 4000); do sample $i 2; done; } | mkpipe - >"$T/b"
	mkdir "$T/c"
	pcat --merge-attrs "$T/a" --time-offset=1ms "$T/b" >"$T/joined"
	pcat --merge-attrs --switch-output=4K --output-template="$T/c/%n" "$T/a" --time-offset=1ms "$T/b"
	[ $(ls "$T/c" | wc -l) = 5 ] || failed "$(ls "$T/c" | wc -l) parts"
	psort --full "$T/joined" >"$T/sorted"
	says "$T/sorted" >"$T/want"
	says "$T"/c/* | diff "$T/want" - >"$T/diff" || failed "$(head -n 4 "$T/diff")"
	done_all
}

@test "--switch-output: a part never takes the place of an input" {
	for n in 00001 00002; do
		psort data/p72_forks.pipe.data >"$T/$n"
		cp "$T/$n" "$T/was"
		try sh -c "cd '$T' && pcat -f --switch-output=16K --output-template=%n $n"
		[ $rc = 1 ] && cmp -s "$T/was" "$T/$n" || failed "$n"
		try sh -c "cd '$T' && pcat -f --switch-output=16K --output-template=%n $n --time-offset=9999h $BATS_TEST_DIRNAME/data/basic.pipe.data"
		[ $rc = 1 ] && cmp -s "$T/was" "$T/$n" || failed "$n, joined"
		rm -f "$T"/0000*
	done
	done_all
}

@test "--switch-max-files keeps the last ones; wrong templates and limits are refused" {
	mkdir "$T/c"
	psort data/multi.pipe.data | pcat --switch-output=20ms --switch-max-files=3 --output-template="$T/c/%n"
	[ "$(ls "$T/c" | wc -l)" = 3 ] || failed count
	for bad in "--switch-output=10 --output-template=$T/%n" "--switch-output=1s --output-template=$T/x" \
	    "--switch-output=1s"; do
		try pcat $bad data/multi.pipe.data
		[ $rc = 2 ] || failed "$bad"
	done
	done_all
}

@test "split: a file that could have to be replaced is refused before anything is read" {
	mkdir "$T/d"
	mkfifo "$T/in"
	for name in 00007 100000; do
		echo old >"$T/d/r.$name"
		# no process writes to the FIFO: opening it would block
		try timeout 60 pcat --switch-output=4K -o "$T/d/r" "$T/in"
		[ $rc = 2 ] && one_line "pcat: $T/d/r.$name: exists; -f " && [ "$(cat "$T/d/r.$name")" = old ] || failed "$name"
		rm "$T/d/r.$name"
	done
	touch "$T/d/r.00001.bak" "$T/d/r.0001" "$T/d/rx00001" "$T/d/r"
	try pcat --switch-output=4K -o "$T/d/r" data/basic.file.data
	[ $rc = 0 ] || failed "names of others"
	try pcat -f --switch-output=4K -o "$T/d/r" data/basic.file.data
	[ $rc = 0 ] || failed "-f"
	done_all
}

# bomb MAPS CHILDREN [MORE]: a process with so many maps, its children, and a map of its own behind them; rounds of a sample each
bomb() {
	local i t
	mkpipe - <<-END
	attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all|comm|task|mmap2 ids=11
	COMM pid=2 tid=2 comm=parent @ pid=2 tid=2 time=1 id=11
	$(for ((i = 1; i <= $1; i++)); do
		echo "MMAP2 misc=2 pid=2 tid=2 start=$((i * 65536)) len=0x1000 maj=8 min=1 ino=$i prot=5 flags=2 filename=/lib/l$i @ pid=2 tid=2 time=$((i + 2)) id=11"
	done
	for ((i = 0; i < $2; i++)); do
		t=$((10000 + i))
		echo "FORK pid=$((100 + i)) ppid=2 tid=$((100 + i)) ptid=2 time=$t @ pid=2 tid=2 time=$t id=11"
	done
	[ -z "${3-}" ] || echo "MMAP2 misc=2 pid=2 tid=2 start=0x7000000 len=0x1000 maj=8 min=1 ino=9 prot=5 flags=2 filename=/lib/x @ pid=2 tid=2 time=20000 id=11"
	for ((i = 0; i < 60; i++)); do
		t=$((100 + i * 7 % $2))
		echo "SAMPLE misc=2 ip=$(((i % $1 + 1) * 65536 + 16)) pid=$t tid=$t time=$((30000 + i)) id=11"
		[ $((i % 2)) = 0 ] || echo FINISHED_ROUND
	done)
	END
}

@test "switch-output: a snapshot has maps that processes share once, with the FORKs" {
	bomb 100 300 >"$T/in"
	mkdir "$T/parts"
	pcat --switch-output=rounds:3 -o "$T/parts/p" "$T/in"
	[ "$(ls "$T/parts" | wc -l)" -ge 9 ] || failed "$(ls "$T/parts")"
	for f in "$T"/parts/*; do
		[ "$(stat -c %s "$f")" -le $((2 * $(stat -c %s "$T/in"))) ] || failed "$f: $(stat -c %s "$f") bytes"
	done
	# merged, they are the whole
	psort --merge --rounds=drop "$T"/parts/* >"$T/joined"
	psort --merge --rounds=drop "$T/in" | cmp - "$T/joined" || failed merged
	if perf_reads; then
		what() { perf script -f -i "$1" -F comm,pid,tid,time,ip,dso --ns 2>/dev/null; }
		for f in "$T"/parts/*; do what "$f"; done >"$T/out"
		what "$T/in" | diff - "$T/out" >"$T/diff" && [ "$(grep -c /lib/l "$T/out")" = 60 ] || failed "perf: $(head -n 4 "$T/diff")"
		pcat "$T"/parts/* >"$T/joined"
		what "$T/joined" | diff "$T/out" - || failed "joined"
	fi
	done_all
}

@test "switch-output: snapshots that become too much end it" {
	bomb 100 300 more >"$T/in"
	mkdir "$T/parts"
	try pcat --max-expand=1M --switch-output=rounds:1 -o "$T/parts/p" "$T/in"
	[ $rc = 1 ] && one_line "pcat: $T/parts/p" && grep -q -e "--switch-output: [0-9]* bytes become snapshots of [0-9]*: more than 1000 times as much, and more than 1 MiB" "$T/err" || failed "$rc"
	[ "$(du -sm "$T/parts" | cut -f1)" -lt 100 ] || failed "$(du -sm "$T/parts")"
	rm -rf "$T/parts"
	mkdir "$T/parts"
	try pcat --switch-output=rounds:10 -o "$T/parts/p" "$T/in"
	[ $rc = 0 ] || failed "no limit"
	done_all
}

@test "--switch-output: names by %t and %%, a % in -o, what is a part and what is not" {
	{ part one; for i in $(seq 1000000000 100000000 5000000000); do sample $i 1; done; } | mkpipe - >"$T/f"
	mkdir "$T/c"
	(cd "$T/c" && pcat --switch-output=2s -o 100%t "$T/f")
	[ "$(ls "$T/c" | paste -sd' ')" = "100%t.00001 100%t.00002 100%t.00003" ] || failed "-o: $(ls "$T/c")"
	rm "$T"/c/*
	pcat --switch-output=2s --output-template="$T/c/%%%t-%n" "$T/f"
	[ "$(ls "$T/c" | paste -sd' ')" = "%1.000000000-00001 %3.000000000-00002 %5.000000000-00003" ] || failed "template: $(ls "$T/c")"
	# TEMPLATE|NAME|is that file a part?
	while IFS='|' read -r template name is; do
		rm -rf "$T/c"; mkdir "$T/c"
		: >"$T/c/$name"
		try bash -c 'cd "$1" && pcat --switch-output=2s --output-template="$2" ../f' - "$T/c" "$template"
		if [ "$is" = part ]; then
			[ $rc = 2 ] && one_line "pcat: $name: exists; -f replaces it" && [ "$(ls "$T/c" | wc -l)" = 1 ] || failed "$template $name: $rc"
		else
			[ $rc = 0 ] && [ ! -s "$T/c/$name" ] || failed "$template $name: $rc"
		fi
		try bash -c 'pcat --switch-output=2s --output-template="$1/$2" "$3"' - "$T/c" "$template" "$T/f"
		[ $rc = 2 ] && one_line "pcat: $T/c/" || failed "$template $name: again"
		pcat -f --switch-output=2s --output-template="$T/c/$template" "$T/f" || failed "$template $name: -f"
	done <<-'END'
		p.%t|p.1.000000001|part
		p.%t|p.123456789.123456789|part
		p.%t|p.1|
		p.%t|p.x|
		p.%t|p..000000001|
		p.%t|p.1-000000001|
		p.%t|p.1.00000001|
		p.%t|p.1.00000000x|
		p.%t|p.1.0000000011|
		p.%t|p.1.000000001x|
		p.%t|q.1.000000001|
		%n%%|00007%|part
		%n%%|1234567%|part
		%n%%|0007%|
		%n%%|00007|
		%n%%|x%|
		a%%b-%t.%n|a%b-1.000000001.00001|part
		a%%b-%t.%n|a%%b-1.000000001.00001|
	END
	done_all
}

@test "--switch-output: what is no template and no measure" {
	wrong() {
		local want=$1
		shift
		try pcat "$@" data/basic.pipe.data
		[ $rc = 2 ] && [ ! -s "$T/out" ] && one_line "pcat: --$want" || failed "$*: $(cat "$T/err")"
	}
	for template in % a% a%x %n%x %n%; do
		wrong "output-template '$template': only %n, %t and %% are permitted" --switch-output=1K --output-template="$template"
	done
	for template in "" a a%%; do
		wrong "output-template '$template': needs %n (number) or %t (time)" --switch-output=1K --output-template="$template"
	done
	wrong "switch-output: needs -o FILE or --output-template" --switch-output=1K
	wrong "switch-output: needs -o FILE or --output-template" --switch-output=1K -o -
	for how in "" x 5 0K 0s rounds: rounds:0 rounds:x; do
		wrong "switch-output" --switch-output="$how" --output-template="$T/%n"
	done
	done_all
}

# SPDX-License-Identifier: ISC
# Manifests: what is said of parts is so, what is not so is refused, and pids of many hosts fit beside each other.
load lib

# Parts p.00001 ... of $WHOLE, which is in order, and their manifest m.tsv in $T/d.
parts() {
	mkdir "$T/d"
	WHOLE=$T/whole
	psort data/multi.pipe.data >"$WHOLE"
	pcat --switch-output=2K --manifest="$T/d/m.tsv" -o "$T/d/p" "$WHOLE"
	N=$(ls "$T"/d/p.* | wc -l)
	[ "$N" -ge 5 ]
}
# columns FILE NAME...: of a manifest
columns() {
	local f=$1
	shift
	awk -F '\t' -v OFS='\t' -v want="$*" '
		NR == 1 { n = split(want, w, " "); for (i = 1; i <= NF; i++) at[$i] = i }
		{ for (i = 1; i <= n; i++) printf "%s%s", $at[w[i]], i < n ? OFS : ORS }' "$f"
}
# script FILE: all that perf script says, without symbols of this machine
script() {
	perf script -f --ns --symfs=/nonexistent --kallsyms=/dev/null -i "$1" 2>/dev/null
}
# refuses STATUS TEXT COMMAND...: with one line, and no byte of output
refuses() {
	local want=$1 text=$2
	shift 2
	try "$@"
	[ $rc = "$want" ] && one_line "$text" && ! [ -s "$T/out" ] || failed "$*"
}

@test "manifest: of --switch-output and of --make-manifest are the same, and what sha256sum and pstat say" {
	parts
	try pcat --make-manifest -o "$T/d/again.tsv" "$T"/d/p.*
	[ $rc = 0 ] && cmp "$T/d/m.tsv" "$T/d/again.tsv" || failed again
	columns "$T/d/m.tsv" sha256 name | sed '1d; s/\t/  /' | (cd "$T/d"; sha256sum --quiet -c -) || failed sha256sum
	for f in "$T"/d/p.*; do
		printf '%s\t%s\t' "$(basename "$f")" "$(stat -c %s "$f")"
		# the times are those of samples: of the part without other records that have one
		pfilter --sideband=none "$f" 2>/dev/null | pstat --json | jq -r '[.samples, .time.first_ns, .time.last_ns] | @tsv' | tr '\n' '\t'
		pstat --json "$f" | jq -r '[.records, ([.. | objects | .hostname? // empty] | first)] | @tsv'
	done >"$T/want"
	columns "$T/d/m.tsv" name bytes samples first_ns last_ns records host | sed 1d | diff - "$T/want" || failed facts
	# standard output, another directory, and a part whose name needs both of the path
	(cd "$T" && pcat --make-manifest d/p.*) | columns /dev/stdin name | sed '1d; s,^d/,,' | diff - <(columns "$T/d/m.tsv" name | sed 1d) || failed stdout
	refuses 2 "pcat: $T/d/p.00001: is not below the directory of the manifest, " sh -c 'cd "$1/d"; mkdir -p e; cd e; pcat --make-manifest "$1/d/p.00001"' sh "$T"
	refuses 2 "pcat: $T/d/p.00001: is named twice" pcat --make-manifest -o "$T/d/x" "$T/d/p.00001" "$T/d/p.00001"
	refuses 2 "pcat: $T/d/m.tsv: exists" pcat --make-manifest -o "$T/d/m.tsv" "$T/d/p.00001"
	try pcat --make-manifest -o "$T/x" "$T/d"
	[ $rc = 1 ] && grep -q "^pcat: $T/d: is not a regular file" "$T/err" && [ ! -e "$T/x" ] || failed directory
	[ -z "$(ls "$T/d" | grep '\.tmp$')" ] || failed "left: $(ls "$T/d")"
	done_all
}

@test "manifest: all parts are the whole, for psort, pcat and pstat" {
	need perf
	parts
	cp "$WHOLE" "$T/want"
	try psort --merge --manifest="$T/d/m.tsv"
	[ $rc = 0 ] && ! [ -s "$T/err" ] && script "$T/out" | cmp - <(script "$T/want") || failed psort
	cp "$T/out" "$T/merged"
	psort --merge "$T"/d/p.* | cmp - "$T/merged" || failed "without a manifest"
	try pcat --manifest="$T/d/m.tsv"
	[ $rc = 0 ] && script "$T/out" | cmp - <(script "$T/want") || failed pcat
	cp "$T/out" "$T/joined"
	try pstat --manifest="$T/d/m.tsv" --json
	[ $rc = 0 ] && ! [ -s "$T/err" ] && jq 'del(.file)' "$T/out" | diff - <(pstat --json "$T/joined" | jq 'del(.file)') || failed pstat
	# the operands may be given, in any order; that of the manifest holds
	try psort --merge --manifest="$T/d/m.tsv" $(ls -r "$T"/d/p.*)
	[ $rc = 0 ] && cmp "$T/out" "$T/merged" || failed operands
	# lines in another order, from another directory
	{ sed -n 1p "$T/d/m.tsv"; sed 1d "$T/d/m.tsv" | tac; } >"$T/d/back.tsv"
	(cd / && psort --merge --manifest="$T/d/back.tsv") >"$T/back"
	script "$T/back" | cmp - <(script "$T/want") || failed backwards
	for f in "$T"/d/p.*; do
		pcat --manifest="$T/d/m.tsv" --part="${f##*/}" >"$T/one"
		script "$T/one" | cmp - <(script "$f") || failed "--part=${f##*/}"
	done
	# few descriptors
	(ulimit -n 12; pcat --manifest="$T/d/m.tsv") | cmp - "$T/joined" || failed "ulimit"
	done_all
}

@test "manifest: a part that is missing, changed or too many is refused before anything is written" {
	parts
	last=$(printf 'p.%05d' $N)
	mv "$T/d/p.00002" "$T/away"
	for c in "psort --merge" pcat pstat; do
		refuses 1 "${c%% *}: $T/d/m.tsv: $((N - 1)) of $N parts: p.00002 is missing" $c --manifest="$T/d/m.tsv"
		refuses 1 "${c%% *}: $T/d/m.tsv: $((N - 1)) of $N parts: p.00002 is missing" $c --manifest="$T/d/m.tsv" -o "$T/d/x"
		[ ! -e "$T/d/x" ] && [ ! -e "$T/d/x.tmp" ] || failed "$c: output"
		try $c --manifest="$T/d/m.tsv" --allow-missing=1
		[ $rc = 0 ] && [ -s "$T/out" ] &&
		    one_line "${c%% *}: warning: $T/d/m.tsv: $((N - 1)) of $N parts: p.00002 is missing, which --allow-missing permits" || failed "$c: allowed"
	done
	try pcat --manifest="$T/d/m.tsv" --part=p.00001
	[ $rc = 0 ] || failed "the others need not be there"
	refuses 1 "pcat: $T/d/m.tsv: part p.00002 is missing" pcat --manifest="$T/d/m.tsv" --part=p.00002
	refuses 1 "pcat: $T/d/m.tsv: has no part 'p.2'" pcat --manifest="$T/d/m.tsv" --part=p.2
	mv "$T/d/p.00001" "$T/away1"
	refuses 1 "psort: $T/d/m.tsv: $((N - 2)) of $N parts: p.00001 and 1 more are missing" psort --merge --manifest="$T/d/m.tsv" --allow-missing=1
	mv "$T/away1" "$T/d/p.00001"
	mv "$T/away" "$T/d/p.00002"
	# named, but not all, or more than that
	refuses 1 "psort: $T/d/m.tsv: $((N - 1)) of $N parts: p.00003 is missing" \
	    psort --merge --manifest="$T/d/m.tsv" $(ls "$T"/d/p.* | grep -v 00003)
	cp "$T/d/$last" "$T/d/p.old"
	refuses 1 "pcat: $T/d/m.tsv: $((N + 1)) parts are named, and it lists $N: $T/d/p.old is too many" pcat --manifest="$T/d/m.tsv" "$T"/d/p.*
	refuses 1 "pcat: $T/d/m.tsv: $((N + 1)) parts are named, and it lists $N: $T/d/p.00001 is too many" \
	    pcat --manifest="$T/d/m.tsv" "$T"/d/p.0* "$T/d/p.00001"
	# one byte, and one byte more
	cp "$T/d/p.00003" "$T/good"
	printf '\377' | dd of="$T/d/p.00003" bs=1 seek=900 conv=notrunc 2>/dev/null
	for c in "psort --merge" pcat "pcat --part=p.00003" pstat; do
		refuses 1 "${c%% *}: $T/d/m.tsv: part p.00003 has changed: its SHA-256 is another" $c --manifest="$T/d/m.tsv"
	done
	for n in 1 $N; do
		[ $n = 1 ] || echo >>"$T/d/p.00003"
		try psort --merge --manifest="$T/d/m.tsv" --allow-missing=$n
		[ $rc = 1 ] && ! [ -s "$T/out" ] && one_line "psort: $T/d/m.tsv: part p.00003 has changed: " || failed "changed, $n missing"
	done
	rm "$T/d/p.00003"; mkfifo "$T/d/p.00003"
	refuses 1 "pstat: $T/d/m.tsv: part p.00003 is not a regular file" pstat --manifest="$T/d/m.tsv"
	rm "$T"/d/p.0*
	refuses 1 "pcat: $T/d/m.tsv: all parts are missing" pcat --manifest="$T/d/m.tsv" --allow-missing=1000
	done_all
}

@test "manifest: a part that is changed after its hash was right is not taken for the same" {
	"$O/bench/gen" 3000000 >"$T/part"
	pcat --make-manifest -o "$T/m" "$T/part"
	pcat --make-manifest --pids -o "$T/pids" "$T/part"
	sleep .1				# a tick of the file system's clock
	for m in m pids; do
		for c in pcat "psort --merge"; do
			# more than a pipe holds is still to be written when the part changes, in bytes that were read
			$c --manifest="$T/$m" 2>"$T/err" | {
				head -c 4096 >/dev/null
				printf '\377' | dd of="$T/part" bs=1 seek=20000 conv=notrunc status=none
				cat >/dev/null
			}
			[ "${PIPESTATUS[0]}" = 1 ] && one_line "${c%% *}: $T/$m: part part has changed while it was read" || failed "$m: $c"
			"$O/bench/gen" 3000000 >"$T/part"
			sleep .1
			try $c --manifest="$T/$m"
			[ $rc = 0 ] || failed "$m: $c: the part as it was"
		done
	done
	done_all
}

@test "manifest: no input and no manifest is overwritten, not with -f either" {
	parts
	cp -r "$T/d" "$T/as-it-was"
	for c in "pcat --manifest=$T/d/m.tsv -o $T/d/m.tsv" "psort --merge --manifest=$T/d/m.tsv -o $T/d/m.tsv" \
	    "pcat --manifest=$T/d/m.tsv --part=p.00001 -o $T/d/m.tsv" "pcat --make-manifest $T/d/p.00001 $T/d/p.00002 -o $T/d/p.00002" \
	    "pcat --manifest=$T/d/m.tsv -o $T/d/p.00003" "pcat --index $T/d/p.00001 -o $T/d/p.00001" \
	    "pcat --index $T/d/p.00001 $T/d/p.00001.ppi" "pcat --write-index -o $T/d/p.00001 $T/d/p.00001.ppi"; do
		[ "${c%%.ppi}" = "$c" ] || cp "$T/d/p.00002" "$T/d/p.00001.ppi"
		[ "${c%%.ppi}" = "$c" ] || cp "$T/d/p.00002" "$T/as-it-was/p.00001.ppi"
		try $c -f
		[ $rc = 2 ] && one_line "${c%% *}: $T/d/" && grep -q ": is also the input$" "$T/err" || failed "$c"
		diff -r "$T/d" "$T/as-it-was" || failed "$c: changed"
	done
	done_all
}

@test "manifest: options that contradict it" {
	parts
	m=--manifest=$T/d/m.tsv
	refuses 2 "psort: --manifest: needs --merge" psort $m
	refuses 2 "pcat: --part: cannot be combined with --switch-output, which writes the manifest" pcat $m --switch-output=1K --part=x -o "$T/y" data/basic.pipe.data
	refuses 2 "pcat: --pids: needs --make-manifest" pcat --pids data/basic.pipe.data
	refuses 2 "pcat: --make-manifest: name the parts" pcat --make-manifest
	refuses 2 "pcat: --compress: cannot be combined with --make-manifest" pcat --make-manifest -z data/basic.pipe.data
	refuses 2 "pcat: --piece: " pcat $m --piece=1/2
	refuses 2 "pstat: --piece: " pstat $m --piece=1/2
	for o in --merge --diff; do refuses 2 "pstat: --manifest: cannot be combined with $o; it lists recordings" pstat $m $o; done
	for t in "psort --merge" pcat pstat; do refuses 2 "${t%% *}: --allow-missing: needs --manifest" $t --allow-missing=1 data/basic.pipe.data; done
	done_all
}

@test "manifest: one that is hostile or damaged is refused in one line, by line and field" {
	cp data/basic.pipe.data "$T/part"
	cp "$T/part" "$T/-"
	mkdir "$T/d"
	cp "$T/part" "$T/d/part"
	pcat --make-manifest -o "$T/m" "$T/part"
	# bad TEXT SCRIPT: the manifest changed by sed
	bad() {
		sed "$2" "$T/m" >"$T/d/bad"
		cmp -s "$T/m" "$T/d/bad" && failed "nothing changed: $2"
		for c in "psort --merge" pcat pstat; do
			refuses 1 "${c%% *}: $T/d/bad: $1" timeout -s KILL 60 $c --manifest="$T/d/bad"
		done
	}
	for name in ../part /etc/passwd "$T/part" . .. x/../../part x//y x/ /x x/. - '' 'x/..'; do
		bad "line 2: name '${name}': expected a path below the directory of the manifest" "2s,^part,$name,"
	done
	bad "line 2: has a control character" '2s/^part/pa\x1brt/'
	bad "line 2: has a control character" '2s/$/\r/'
	bad "has a NUL: is not a manifest" '2s/^part/part\x00/'
	bad "line 2: more than 10 fields" '2s/^/x\t/'
	bad "line 2: 9 of 10 fields" '2s/^[^\t]*\t//'
	bad "line 3: 1 of 10 fields" '$s/$/\n/'
	bad "is not a manifest" '1s/name/Name/'
	bad "is not a manifest" '1s/$/\tmore/'
	bad "lists no part" '2d'
	bad "lists 'part' twice" '2p'
	n=18446744073709551616
	f='\([^\t]*\t\)'
	bad "line 2: bytes '$n': expected a number up to 9223372036854775807" "2s/^$f[0-9]*/\1$n/"
	bad "line 2: bytes '-1': expected" "2s/^$f[0-9]*/\1-1/"
	bad "line 2: bytes '': expected" "2s/^$f[0-9]*/\1/"
	bad "line 2: bytes '-': expected" "2s/^$f[0-9]*/\1-/"
	bad "line 2: sha256 '" '2s/\t\([0-9a-f]\{63\}\)./\t\1G/'
	bad "line 2: sha256 '" '2s/\t\([0-9a-f]\{63\}\)./\t\1/'
	bad "line 2: first_ns '$n': expected a number up to 18446744073709551615" "2s/^$f$f$f$f$f[0-9]*/\1\2\3\4\5$n/"
	bad "line 2: contradicts itself: last_ns is before first_ns" "2s/^$f$f$f$f$f$f[0-9]*/\1\2\3\4\5\61/"
	bad "line 2: contradicts itself: more samples than records" "2s/^$f$f$f$f[0-9]*/\1\2\3\4999999/"
	bad "line 2: pid_base '2147483648': expected a number up to 2147483647" '2s/-\t-$/2147483648\t1/'
	bad "line 2: pids '4194305': expected a number up to 4194304" '2s/-\t-$/1\t4194305/'
	bad "line 2: pids beyond 2147483647" '2s/-\t-$/2147483000\t4000/'
	bad "part part has 2 pids, not 3" '2s/-\t-$/1\t3/'
	bad "line 3: all parts must have a pid_base, or none" '2{p; s/^part/other/; s/-\t-$/1\t3/}'
	bad "the pids of 'part' and 'other' overlap" '2{s/-\t-$/5\t3/; p; s/^part/other/; s/5\t3$/7\t1/}'
	head -c -1 "$T/m" >"$T/d/bad"
	refuses 1 "pcat: $T/d/bad: is cut short: its last line has no end" pcat --manifest="$T/d/bad"
	: >"$T/d/bad"
	refuses 1 "pcat: $T/d/bad: is not a manifest" pcat --manifest="$T/d/bad"
	refuses 1 "pcat: $T/none: No such file or directory" pcat --manifest="$T/none"
	refuses 1 "pcat: $T/d: Is a directory" pcat --manifest="$T/d"
	# a million lines, and endless ones
	awk 'NR == 1; NR == 2 { for (i = 0; i < 1000000; i++) print i "\t1\t2" }' "$T/m" >"$T/d/bad"
	refuses 1 "pcat: $T/d/bad: 1000000 parts, more than 100000" pcat --manifest="$T/d/bad"
	refuses 1 "pcat: /dev/zero: larger than 64 MiB: is not a manifest" pcat --manifest=/dev/zero
	done_all
}

@test "manifest: of parts of which only the last are kept, of damaged input, of names below" {
	mkdir -p "$T/d/e"
	psort data/multi.pipe.data >"$T/whole"
	pcat --switch-output=2K --switch-max-files=3 --manifest="$T/d/m" -o "$T/d/e/p" "$T/whole"
	columns "$T/d/m" name | sed 1d | diff - <(cd "$T/d"; ls e/p.*) && [ "$(ls "$T/d/e" | wc -l)" = 3 ] || failed "the last"
	try pstat --manifest="$T/d/m"
	[ $rc = 0 ] || failed "is read"
	refuses 2 "pcat: $T/d/m: exists; -f replaces it" pcat --switch-output=1K --manifest="$T/d/m" -o "$T/d/q" data/multi.pipe.data
	refuses 2 "pcat: $T/d/: is not below the directory of the manifest, " \
	    pcat --switch-output=1K --manifest="$T/d/e/x" -o "$T/d/q" data/multi.pipe.data
	head -c 9000 "$T/whole" >"$T/cut"
	try pcat --switch-output=1K --manifest="$T/d/c" -o "$T/d/c" "$T/cut"
	[ $rc = 1 ] && [ ! -e "$T/d/c" ] && [ -e "$T/d/c.tmp" ] || failed "damaged"
	grep -q "^pcat: $T/d/c: incomplete, so its name is $T/d/c.tmp$" "$T/err" || failed "said"
	try pcat --make-manifest -o "$T/d/k" "$T/d/e"/p.* "$T/cut"
	[ $rc = 2 ] && one_line "pcat: $T/cut: is not below" || failed "elsewhere"
	cp "$T/cut" "$T/d/cut"
	try pcat --make-manifest -o "$T/d/k" "$T/d/e"/p.* "$T/d/cut"
	[ $rc = 1 ] && grep -q "^pcat: $T/d/cut: byte [0-9]*: .* cut short" "$T/err" && [ ! -e "$T/d/k" ] && [ "$(wc -l <"$T/d/k.tmp")" = 4 ] || failed "damaged part"
	cp data/basic.pipe.data "$T/d/$(printf 'a\tb')"
	refuses 2 "pcat: $T/d/a\\tb: cannot be in a manifest: its name is -, . or .., or has control characters" pcat --make-manifest -o "$T/d/k" "$T/d/a	b"
	done_all
}

# host NAME PIDS...: a recording of one host, whose pids are these: of samples, side-band and trailers
host() {
	local name=$1 t=1000
	shift
	cat <<-END
	attr type=1 config=0 period=1000 sample_type=IP|TID|TIME|ID|PERIOD flags=sample_id_all|comm|task|mmap2 ids=11,12
	attr type=1 config=1 period=1000 sample_type=IP|TID|TIME|ID|PERIOD flags=sample_id_all ids=21
	HEADER_FEATURE feat_id=3 fs=$name
	END
	echo "COMM pid=$1 tid=$1 comm=first"
	echo "MMAP2 pid=$1 tid=$1 addr=0x1000 len=0x1000 pgoff=0 filename=/bin/first misc=2"
	echo FINISHED_INIT
	for id in 11 21 12; do
		echo "SAMPLE misc=2 ip=0x1010 pid=$1 tid=$1 time=$((t += 10)) id=$id period=1"
		echo "SAMPLE misc=1 ip=0x1010 pid=0 tid=0 time=$((t += 10)) id=$id period=1"
	done
	for p in "${@:2}"; do
		echo "FORK pid=$p ppid=$1 tid=$p ptid=$1 time=$((t += 10)) @ pid=$1 tid=$1 time=$t id=11"
		echo "COMM pid=$p tid=$p comm=${COMM-c}$p @ pid=$p tid=$p time=$((t += 10)) id=11"
		echo "SAMPLE misc=2 ip=0x1010 pid=$p tid=$p time=$((t += 10)) id=11 period=1"
		echo "EXIT pid=$p ppid=$1 tid=$p ptid=$1 time=$((t += 10)) @ pid=$p tid=$p time=$t id=11"
		echo "SAMPLE misc=1 ip=1 pid=-1 tid=-1 time=$((t += 10)) id=21 period=1"
	done
	echo FINISHED_ROUND
}

# as_part BASE: the recipe of a host with the event ids that its block of pids has; records without an id get its first
as_part() {
	local b=$(($1 << 32))
	sed "s/ids=11,12/ids=$((b + 1)),$((b + 2))/; s/\\bids=21\\b/ids=$((b + 3))/; s/\\bid=11\\b/id=$((b + 1))/; s/\\bid=12\\b/id=$((b + 2))/
	    s/\\bid=21\\b/id=$((b + 3))/; /^\\(COMM\\|MMAP2\\) [^@]*\$/s/\$/ @ pid=0 tid=0 id=$((b + 1))/"
}

@test "manifest: jobs of the examples take any name that it can have, and take none for another" {
	local FLEET=$PWD/../man/examples/fleet names n=0
	names=("a b" "-o" "--help" "'" '"x"' '$(touch y)' "a_b" "a/b" "1/2" "1x/2y" "*" "{}" ":::" "::::" "&" '\' "é" "all.datax" ".x")
	mkdir -p "$T/-d &/a" "$T/-d &/1" "$T/-d &/1x"
	cd "$T/-d &"
	psort "$BATS_TEST_DIRNAME/data/multi.pipe.data" >"$T/whole"
	for name in "${names[@]}"; do pfilter -q --piece=$((n += 1))/${#names[@]} "$T/whole" >"./$name"; done
	pcat --make-manifest "${names[@]/#/./}" >../list
	mv -- ../list -m
	pcat --make-manifest "${names[@]/#/./}" | cmp - ./-m || failed "a manifest"
	mkdir ./-out
	for name in "${names[@]}"; do
		"$FLEET/part.sh" -out -m "$name" --cpu 0-99 2>"$T/err" || failed "$name: $(cat "$T/err")"
		pcat --manifest=-m --part="$name" | pfilter -q --cpu 0-99 | cmp - "./-out/$name" || failed "$name: result"
	done
	[ "$(find ./-out -type f | wc -l)" = ${#names[@]} ] && [ ! -e y ] || failed "results: $(find ./-out)"
	"$FLEET/part.sh" "$T/-d &/-out" -m 5/6 2>/dev/null && failed "a part that is not there"
	cp "$T/whole" ./-r
	"$FLEET/part.sh" -out -r 2/3 && pfilter -q --piece=2/3 "$T/whole" | cmp - ./-out/2_3 || failed "a piece"
	done_all
}

@test "manifest --pids: pids in ascending order without gaps; 0 and -1 stay" {
	mkdir "$T/d"
	for order in "" -b; do
		rm -f "$T"/d/*
		mkpipe $order <(host one 500 7 2147483600 4000000) >"$T/d/one"
		mkpipe $order <(host two 7 500) >"$T/d/two"
		pcat --make-manifest --pids -o "$T/d/m" "$T/d/one" "$T/d/two"
		[ "$(columns "$T/d/m" name pid_base pids host | tr '\t\n' ' ,')" = "name pid_base pids host,one 1 4 one,two 5 2 two," ] || failed "$order: blocks"
		mkpipe $order <(host one 2 1 4 3 | sed 's/comm=c4/comm=c2147483600/; s/comm=c1$/comm=c7/; s/comm=c1 /comm=c7 /; s/comm=c3/comm=c4000000/' | as_part 1) >"$T/want.one"
		mkpipe $order <(host two 5 6 | sed 's/comm=c6/comm=c500/' | as_part 5) >"$T/want.two"
		for h in one two; do
			pcat --merge-attrs "$T/want.$h" >"$T/want"
			try pcat --manifest="$T/d/m" --part=$h
			[ $rc = 0 ] && cmp "$T/out" "$T/want" || failed "$order: $h: $(diff <(pstat -v "$T/out" 2>&1) <(pstat -v "$T/want" 2>&1))"
		done
		psort --merge --merge-attrs --remap-pids=never "$T/want.one" "$T/want.two" >"$T/want"
		try psort --merge --manifest="$T/d/m"
		[ $rc = 0 ] && cmp "$T/out" "$T/want" || failed "$order: merge"
		pcat --merge-attrs --remap-pids=never "$T/want.one" "$T/want.two" >"$T/want"
		try pcat --manifest="$T/d/m"
		[ $rc = 0 ] && cmp "$T/out" "$T/want" || failed "$order: join"
	done
	refuses 2 "pcat: --remap-pids: $T/d/m says what becomes of pids" pcat --manifest="$T/d/m" --remap-pids=never
	cp "$T/d/one" "$T/d/three"
	refuses 2 "pcat: --pids: $T/d/three is of host one, as is $T/d/one: merge them first" pcat --make-manifest --pids "$T/d/one" "$T/d/two" "$T/d/three" -o "$T/d/x"
	[ ! -e "$T/d/x" ] || failed "written"
	done_all
}

@test "manifest --pids: a real recording keeps all but its pids, which keep their order" {
	need perf
	for f in p72_forks.pipe.data multi.pipe.data sched.pipe.data; do
		rm -rf "$T/d"; mkdir "$T/d"
		pinject --set-feature HOSTNAME=first data/basic.pipe.data >"$T/d/first"
		cp data/$f "$T/d/part"
		pcat --make-manifest --pids -o "$T/d/m" "$T/d/first" "$T/d/part"
		base=$(columns "$T/d/m" pid_base | tail -n 1) pids=$(columns "$T/d/m" pids | tail -n 1)
		[ "$base" = 3 ] || failed "$f: base $base"
		pcat --merge-attrs "$T/d/part" >"$T/old"
		pcat --manifest="$T/d/m" --part=part >"$T/new"
		for x in old new; do
			script "$T/$x" >/dev/null
			perf script -f -i "$T/$x" --symfs=/nonexistent --kallsyms=/dev/null -F pid,tid 2>/dev/null | tr '/' '\n' | tr -d ' ' >"$T/$x.pids"
			perf script -f --ns -i "$T/$x" --symfs=/nonexistent --kallsyms=/dev/null -F comm,time,event,ip 2>/dev/null >"$T/$x.rest"
		done
		[ -s "$T/old.rest" ] && cmp "$T/old.rest" "$T/new.rest" || failed "$f: another field has changed"
		# pairs of old and new: a map that ascends, into the block
		paste "$T/old.pids" "$T/new.pids" | sort -n -k1,1 -k2,2 -u >"$T/map"
		awk -v base=$base -v pids=$pids '
			$1 <= 0 { if ($1 != $2) { print "not kept: " $0; exit 1 } next }
			NR > 1 && ($1 == last || $2 <= new) { print "no map, or not in order: " $0; exit 1 }
			$2 < base || $2 >= base + pids { print "not in the block: " $0; exit 1 }
			{ last = $1; new = $2; n++ } END { if (!n) { print "none"; exit 1 } }' "$T/map" || failed "$f: map"
	done
	done_all
}

@test "manifest --pids: merging is a tree: 3 x 3 is what 9 at once are" {
	need perf
	mkdir "$T/d"
	for h in 1 2 3 4 5 6 7 8 9; do
		COMM=h$h- host host$h $((100 * h)) $((h + 7)) 42 | mkpipe - >"$T/d/h$h"
	done
	pcat --make-manifest --pids -o "$T/d/m" "$T"/d/h?
	psort --merge --manifest="$T/d/m" >"$T/flat"
	for h in 1 2 3 4 5 6 7 8 9; do pcat --manifest="$T/d/m" --part=h$h >"$T/r$h"; done
	merge() { psort --merge --merge-attrs --remap-pids=never "$@"; }
	merge "$T"/r? | cmp - "$T/flat" || failed "the parts, renumbered"
	merge "$T"/r[123] >"$T/t1"; merge "$T"/r[456] >"$T/t2"; merge "$T"/r[789] >"$T/t3"
	merge "$T"/t? | cmp - "$T/flat" || failed "the tree"
	[ "$(pstat --json "$T/flat" | jq -c '[.samples, (.events | length), .hosts]')" = "[$(pstat --json "$T/d/h1" | jq '9 * .samples'),2,null]" ] ||
	    failed "$(pstat --json "$T/flat" | jq -c '[.samples, (.events | length)]')"
	# as a recording of each host says it, under its new numbers
	for h in 1 2 3 4 5 6 7 8 9; do script "$T/r$h" | sed 's/^ *//'; done | grep -v '^swapper\|^:-1' | sort >"$T/want"
	script "$T/flat" | sed 's/^ *//' | grep -v '^swapper\|^:-1' | sort | diff "$T/want" - >"$T/diff" || failed "perf: $(head -n 5 "$T/diff")"
	[ "$(wc -l <"$T/want")" -ge 36 ] || failed "perf says nothing"
	done_all
}

@test "manifest --pids: a tree of real recordings is what all at once are, of other events, and of one without ids in its samples" {
	mkdir "$T/d"
	h=0
	for f in basic.pipe.data p72_forks.pipe.data multi.pipe.data k_mono.pipe.data demo.data sched.pipe.data; do
		h=$((h + 1))
		psort "data/$f" | pinject --set-feature HOSTNAME=h$h >"$T/d/h$h"
	done
	pcat --make-manifest --pids -o "$T/d/m" "$T"/d/h?
	psort --merge --allow kernels,clocks --manifest="$T/d/m" >"$T/flat"
	for h in 1 2 3 4 5 6; do pcat --manifest="$T/d/m" --part=h$h >"$T/r$h"; done
	merge() { psort --merge --merge-attrs --allow kernels,clocks --remap-pids=never "$@"; }
	merge "$T"/r? | cmp - "$T/flat" || failed "the parts, renumbered"
	merge "$T"/r[12] >"$T/t1"; merge "$T"/r[345] >"$T/t2"
	merge "$T"/t? "$T/r6" | cmp - "$T/flat" || failed "the tree"
	merge "$T/t2" "$T/r6" >"$T/t3"
	merge "$T/t1" "$T/t3" | cmp - "$T/flat" || failed "a deeper tree"
	[ "$(pstat --json "$T/flat" | jq .samples)" = "$(for h in 1 2 3 4 5 6; do pstat --json "$T/d/h$h"; done | jq -s 'map(.samples) | add')" ] || failed samples
	done_all
}

@test "manifest --pids: the 10,000th host of 20,000 pids each is renumbered by its own line" {
	mkdir "$T/d"
	mkpipe <(host one 500 7) >"$T/d/h10000"
	pcat --make-manifest -o "$T/d/one" "$T/d/h10000"
	awk -v OFS='\t' -F '\t' 'NR == 1; NR == 2 { for (i = 1; i <= 10000; i++) { $1 = "h" i; $9 = 20000 * (i - 1) + 1; $10 = i == 10000 ? 2 : 20000; print } }' "$T/d/one" >"$T/d/m"
	try pcat --manifest="$T/d/m" --part=h10000
	[ $rc = 0 ] && pcat --merge-attrs <(mkpipe <(host one 199980002 199980001 | sed 's/comm=c199980001/comm=c7/' | as_part 199980001)) | cmp - "$T/out" || failed "renumbered"
	refuses 1 "psort: $T/d/m: 1 of 10000 parts: h1 and 9998 more are missing" psort --merge --manifest="$T/d/m"
	done_all
}

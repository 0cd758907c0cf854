# SPDX-License-Identifier: ISC
# The index of a recording: pcat --index, --write-index; what other tools do with it.
load lib

setup_file() {
	local O=${O:-$BATS_TEST_DIRNAME/../build} data=$BATS_TEST_DIRNAME/data D=$BATS_FILE_TMPDIR
	PATH=${INSTALLED:+$INSTALLED:}$O:$PATH
	cd "$D"
	bench/gen 1500000 >gen 2>/dev/null || "$O/bench/gen" 1500000 >gen
	zstd -qdc "$data/kernel.pipe.data.zst" >kernel
	cp "$data/multi.pipe.data" multi
	cp "$data/sched.pipe.data" sched
	pcat -q -z --frame-size=64K -o kernel.z kernel
	pcat -q --format=file --endian=big -o gen.big gen
	pcat -q --format=file -z --compressed2 --frame-size=64K -o gen.z2 gen
	"$O/bench/gen" -O random 1200000 >random
}

# samples FILE: their number
samples() {
	pstat --json "$1" | jq '[.types[] | select(.name == "SAMPLE").records] | add // 0'
}
# of FILE: the number of chunks read, and of all, in the last -v
chunks() {
	sed -n 's/.*index: \([0-9]*\) of \([0-9]*\) chunks.*/\1 \2/p' "$T/err"
}
# have NAME: a recording of setup_file in $T, without an index
have() {
	cp "$BATS_FILE_TMPDIR/$1" "$T/$1"
	rm -f "$T/$1.ppi"
}
# indexed NAME: with one of small chunks
indexed() {
	have "$1"
	pcat -q --index --chunk-size=4K "$T/$1"
}
# as_without OPTION... FILE: pfilter writes the same, and leaves chunks out
as_without() {
	try pfilter -v "$@"
	cp "$T/out" "$T/with"
	[ $rc = 0 ] || failed "$*"
	read -r n all < <(chunks)
	[ "${n:-9}" -lt "${all:-0}" ] || failed "$*: $n of $all chunks were read"
	pfilter --no-index "$@" >"$T/without" 2>/dev/null
	cmp "$T/with" "$T/without" || failed "$*"
}

@test "index: the output is the same with and without, for random recordings, chunks and options" {
	need zstd
	cd "$T"
	for f in gen kernel multi sched kernel.z gen.big gen.z2 random; do have $f; done
	try "$BATS_TEST_DIRNAME/index-law.py" $((ALL ? 2000 : 40)) ${ALL:+$RANDOM}${ALL:-11} gen kernel multi sched kernel.z gen.big gen.z2 random
	cat "$T/out"
	[ $rc = 0 ]
}

@test "index: each option that chunks are left out for, in each container" {
	for f in gen gen.big gen.z2; do
		indexed $f
		for o in "--time +10ms,+20ms" "--time 10%/3" "--pid 999999" "--tid 999999" "--pid 999999 --inherit" "--event page-faults --time +1ms,+2ms" \
		    "--comms nobody --sideband=needed" "--filter pid==999999" "--sideband=none --cpu 3 --time 0%-5%" "--cpu 999" \
		    "--filter time>$(pcat --chunks "$T/$f" | awk 'END { printf "%.0f", $8 - 1000000 }')"; do
			as_without $o "$T/$f"
		done
	done
	done_all
}

@test "index: a window of 1 % reads 2 % of the chunks that have samples, and two more" {
	"$O/bench/gen" -O sorted 8000000 >"$T/in"		# else a window is in all chunks of a round
	pcat -q --index --chunk-size=16K "$T/in"
	none=$(pcat --chunks --chunk-size=16K "$T/in" | awk 'NR > 1 && !$6 { n++ } END { print n + 0 }')
	for k in 2 50 90 100; do
		try pfilter -v --time 1%/$k "$T/in"
		read -r n all < <(chunks)
		[ $((all - none)) -gt 300 ] && [ $((n - none)) -le $(((all - none) / 50 + 2)) ] || failed "$n of $all, $none without samples"
	done
	done_all
}

@test "index: -v says why nothing is left out" {
	indexed multi
	for o in "-U $T/rest --cpu 0" "--stats --cpu 0" "--every 2 --cpu 0" "--max-rate 10 --cpu 0" "--drop-unused-events --cpu 0" "--invert --cpu 0" \
	    "--filter nr>5" "--exclude-pid 1" "--type SAMPLE --cpu 0" ""; do
		rm -f "$T/rest"
		try pfilter -v $o "$T/multi"
		[ $rc = 0 ] && grep -q "index: all is read: " "$T/err" || failed "$o"
	done
	try psort -v "$T/multi"
	grep -q "index: all is read: " "$T/err" || failed psort
	try pfilter -v --no-index --cpu 0 "$T/multi"
	! grep -q "index:" "$T/err" || failed --no-index
	try pfilter -v --cpu 0 <"$T/multi"
	[ $rc = 0 ] && ! grep -q "index:" "$T/err" || failed "standard input"
	try pfilter -q --cpu 0 "$T/multi"
	[ $rc = 0 ] && [ ! -s "$T/err" ] || failed -q
	done_all
}

@test "index: events with PERF_SAMPLE_READ are all read" {
	cp data/p72_group_S.pipe.data "$T/in"
	pcat -q --index --chunk-size=4K "$T/in"
	try pfilter -v --time +0ms,+1ms "$T/in"
	[ $rc = 0 ]
	read -r n all < <(chunks)
	[ "$n" = "$all" ]
	[ "$all" -gt 1 ]
	cmp "$T/out" <(pfilter --no-index --time +0ms,+1ms "$T/in")
}

# The number that the index has for a record of its own.
@test "index: a record of an unknown type, whatever its number, comes with and without" {
	{
		echo 'attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap|comm|task'
		for i in {100..999}; do
			echo "SAMPLE ip=1 pid=$((i / 100)) tid=$((i / 100)) time=$i"
			[ $i != 550 ] || echo 'rec type=4294967280 u8=1 u8=0xffff'
		done
	} >"$T/recipe"
	mkpipe <"$T/recipe" >"$T/x"
	pcat -q --index --chunk-size=4K "$T/x"
	as_without --pid 3 "$T/x"
	done_all
}

@test "index: each byte of it, changed: the right output, or status 1" {
	indexed multi
	cp "$T/multi.ppi" "$T/whole"
	size=$(stat -c %s "$T/whole")
	pfilter --no-index --time 50%/2 "$T/multi" >"$T/want"
	seen=0
	for ((n = 0; n < size; n += ALL ? 1 : 53)); do
		byte=$(od -An -tu1 -j $n -N 1 "$T/whole")
		cp "$T/whole" "$T/multi.ppi"
		printf "\\x$(printf %x $((byte ^ 1 << n % 8)))" | dd of="$T/multi.ppi" bs=1 seek=$n conv=notrunc status=none
		try pfilter --time 50%/2 "$T/multi"
		[ $rc = 0 ] && cmp -s "$T/out" "$T/want" || [ $rc = 1 ] || failed "byte $n"
		! grep -q "warning: .*ppi" "$T/err" || seen=$((seen + 1))
	done
	[ $seen -gt 10 ] || failed "nothing was noticed"
	done_all
}

@test "index: cut short, of nothing, no index at all, of a newer version: a warning, and all is read" {
	indexed multi
	cp "$T/multi.ppi" "$T/whole"
	pfilter --no-index --cpu 0 --time 50%/2 "$T/multi" >"$T/want"
	for how in "head -c 0" "head -c 63" "tail -c +2" "cat ../LICENSE" "sed s/PPINDEX1./PPINDEX1\xff/"; do
		$how "$T/whole" >"$T/multi.ppi"
		try pfilter --cpu 0 --time 50%/2 "$T/multi"
		[ $rc = 0 ] && cmp "$T/out" "$T/want" && one_line "pfilter: warning: $T/multi.ppi: " || failed "$how"
	done
	# its entries are good, as far as they go
	for n in 300 500 $(($(stat -c %s "$T/whole") - 1)); do
		head -c $n "$T/whole" >"$T/multi.ppi"
		try pfilter --cpu 0 --time 50%/2 "$T/multi"
		[ $rc = 0 ] && cmp "$T/out" "$T/want" || failed "$n bytes"
	done
	done_all
}

@test "index: of other bytes it is not used, whatever the times of the files are; a chunk that changed ends the reading" {
	indexed multi
	size=$(stat -c %s "$T/multi")
	pfilter --no-index --time 50%/2 "$T/multi" >"$T/want"
	touch -d 2001-01-01 "$T/multi.ppi"
	try pfilter -v --time 50%/2 "$T/multi"
	[ -n "$(chunks)" ] && cmp "$T/out" "$T/want" || failed "an old one"
	# another recording, one that is shorter, one with another end, one with another head
	cp "$T/multi" "$T/own"
	for how in "cat $T.sched" "head -c $((size - 1000))" "change $((size - 20))" "change 40"; do
		case $how in
		cat*) cp "$BATS_FILE_TMPDIR/sched" "$T/multi";;
		change*) cp "$T/own" "$T/multi"; printf '\1' | dd of="$T/multi" bs=1 seek=${how#* } conv=notrunc status=none;;
		*) $how "$T/own" >"$T/multi";;
		esac
		try pfilter --time 50%/2 "$T/multi"
		grep -q "warning: $T/multi.ppi: .*all is read" "$T/err" || failed "$how"
		mv "$T/out" "$T/got"
		was=$rc
		try pfilter --no-index --time 50%/2 "$T/multi"
		[ $was = $rc ] && cmp "$T/got" "$T/out" || failed "$how: output"
	done
	# a sample in the middle of the first chunk with samples, which is always read
	cp "$T/own" "$T/multi"
	read -r off len < <(pcat --chunks --chunk-size=4K "$T/multi" | awk 'NR > 1 && $6 { print $2, $3; exit }')
	printf '\377' | dd of="$T/multi" bs=1 seek=$((off + len - 20)) conv=notrunc status=none
	try pfilter --time 50%/2 "$T/multi"
	[ $rc = 1 ] && grep -q "does not fit.*--no-index" "$T/err" || failed "a changed chunk"
	try pfilter --time 50%/2 --no-index "$T/multi"
	[ $rc = 0 ] || failed "a changed chunk, all read"
	done_all
}

@test "index: of somebody else it is not used, unless it is named" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	indexed multi
	chown 12345 "$T/multi.ppi"
	try pfilter -v --time 50%/2 "$T/multi"
	[ $rc = 0 ]
	[ -z "$(chunks)" ]
	grep -q "warning: .*belongs neither to you" "$T/err"
	try pfilter -v --time 50%/2 --index-file="$T/multi.ppi" "$T/multi"
	[ $rc = 0 ]
	[ -n "$(chunks)" ]
	# that of the recording's owner
	chown 12345 "$T/multi"
	try pfilter -v --time 50%/2 "$T/multi"
	[ $rc = 0 ] && [ -n "$(chunks)" ]
}

@test "index: of somebody else it is not continued, as what it says would become ours" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	indexed gen
	pcat -q --index --chunk-size=4K -o "$T/want" "$T/gen"
	# sound, but a lie: no chunk has samples of that time
	"$BATS_TEST_DIRNAME/index-forge.py" "$T/gen.ppi" last=1 first=1
	chown 12345 "$T/gen.ppi"
	try pcat -v --index --chunk-size=4K "$T/gen"
	[ $rc = 0 ] && ! grep -q continued "$T/err" && cmp "$T/gen.ppi" "$T/want" || failed "of another"
	"$BATS_TEST_DIRNAME/index-forge.py" "$T/gen.ppi" last=1 first=1
	chmod 666 "$T/gen.ppi"
	try pfilter -v --time 10%-12% "$T/gen"
	[ $rc = 0 ] && [ -z "$(chunks)" ] && grep -q "warning: .*can be written by everybody, unlike" "$T/err" || failed "open to all"
	pfilter --no-index --time 10%-12% "$T/gen" | cmp - "$T/out" || failed "open to all: output"
	try pcat -v --index --chunk-size=4K "$T/gen"
	[ $rc = 0 ] && ! grep -q continued "$T/err" && cmp "$T/gen.ppi" "$T/want" || failed "open to all: continued"
	# where all is open to all, as on some file systems, it is used
	chmod 666 "$T/gen" "$T/gen.ppi"
	try pfilter -v --time 10%-12% "$T/gen"
	[ $rc = 0 ] && [ -n "$(chunks)" ] || failed "all open to all"
	done_all
}

@test "index: nothing but a file of that name is replaced, and no link is followed" {
	have multi
	cp "$T/multi" "$T/new"
	refused() {
		[ $rc = 2 ] && one_line "pcat: $1: is not a regular file" || failed "$2"
	}
	for what in "mkfifo" "ln -s $T/elsewhere" "ln -s /dev/null" "ln -s new" "mkdir"; do
		$what "$T/multi.ppi"
		try timeout -s KILL 60 pcat --index "$T/multi"
		refused "$T/multi.ppi" "$what"
		try timeout -s KILL 60 pcat -f --index "$T/multi"
		refused "$T/multi.ppi" "$what, -f"
		try timeout -s KILL 60 pfilter --time 50%/2 "$T/multi"
		[ $rc = 0 ] && [ -s "$T/out" ] || failed "$what: read"
		mv "$T/multi.ppi" "$T/out.data.ppi"
		try timeout -s KILL 60 pcat --write-index -o "$T/out.data" "$T/multi"
		refused "$T/out.data.ppi" "$what: --write-index"
		[ ! -e "$T/out.data" ] && [ ! -e "$T/elsewhere" ] && cmp "$T/new" "$T/multi" || failed "$what: written"
		rm -rf "$T/out.data.ppi"
	done
	done_all
}

@test "index: one that is sound but says what cannot be is damaged: hashes do not make it true" {
	for f in gen kernel.z; do
		indexed $f
		cp "$T/$f.ppi" "$T/good"
		for o in --time=40%-50% --piece=2/3; do pfilter --no-index $o "$T/$f" >"$T/want${o%%/*}"; done 2>/dev/null
		for lie in len=0 len=-1 off=-1 off=0 plain=-1 plain=0 records=-1 records=0 samples=-1 sample_bytes=-1 sample_bytes=0 \
		    copy_plain=-1 copy_plain=0 first=-1 file=1 file=-1; do
			turn 3 || continue
			cp "$T/good" "$T/$f.ppi"
			"$BATS_TEST_DIRNAME/index-forge.py" "$T/$f.ppi" $lie $([ $f = gen ] && echo 5 || echo 0)
			for o in --time=40%-50% --piece=2/3; do
				try timeout -s KILL 60 pfilter $o "$T/$f"
				case $rc in
				0) cmp -s "$T/out" "$T/want${o%%/*}";;
				1) grep -q '^pfilter: .*--no-index' "$T/err";;
				*) false;;
				esac || failed "$f: $lie, $o"
			done
		done
	done
	done_all
}

@test "index: --index-file, -o: another name" {
	have multi
	pcat -q --index --chunk-size=4K -o "$T/x" "$T/multi"
	[ ! -e "$T/multi.ppi" ]
	try pfilter -v --time 50%/2 --index-file="$T/x" "$T/multi"
	[ $rc = 0 ]
	[ -n "$(chunks)" ]
	try pfilter --time 50%/2 --index-file="$T/nosuch" "$T/multi"
	[ $rc = 1 ]
	one_line "pfilter: $T/nosuch: No such file"
	for c in "pfilter --cpu 1" "pfilter --cpu 1 -" "psort --merge $T/multi $T/x" "pcat $T/multi $T/x" "pstat --manifest=$T/x"; do
		try $c --index-file="$T/x" <"$T/multi"
		[ $rc = 2 ] && grep -q "index-file: needs one recording" "$T/err" || failed "$c"
	done
	try pfilter --no-index --index-file="$T/x" "$T/multi"
	[ $rc = 2 ]
	# nor is the index by what is read by it
	cp "$T/x" "$T/same"
	try pfilter --index-file="$T/x" -f -o "$T/x" "$T/multi"
	[ $rc = 2 ]
	cmp "$T/x" "$T/same"
	# a file that is no index is not replaced
	cp ../LICENSE "$T/y"
	try pcat --index -o "$T/y" "$T/multi"
	[ $rc = 2 ]
	cmp "$T/y" ../LICENSE
	try pcat --index -f -o "$T/y" "$T/multi"
	[ $rc = 0 ] && ! cmp -s "$T/y" ../LICENSE
}

@test "index: damage: status 1, and no index" {
	have multi
	head -c 20001 "$T/multi" >"$T/cut"
	try pcat --index "$T/cut"
	[ $rc = 1 ] && [ ! -e "$T/cut.ppi" ] && one_line "pcat: $T/cut: byte " || failed "cut"
	# one that was there stays, and fits
	mv "$T/multi" "$T/m"
	pcat -q --index "$T/m"
	cp "$T/m.ppi" "$T/was"
	printf 'xxxx' >>"$T/m"
	try pcat --index "$T/m"
	[ $rc = 1 ] && cmp "$T/m.ppi" "$T/was" || failed "one that was there"
	[ -z "$(find "$T" -name '.*ppi*')" ] || failed "left behind"
	# of several inputs the sound ones get theirs
	have multi
	try pcat --index "$T/cut" "$T/multi"
	[ $rc = 1 ] && [ -e "$T/multi.ppi" ] && [ ! -e "$T/cut.ppi" ] || failed "several"
	done_all
}

@test "index: what can have none: status 2, or 1 for one endless frame" {
	have multi
	zstd -qc "$T/multi" >"$T/multi.zst"
	for f in "$T/multi.zst" data/gperf/*.prof /dev/null; do
		cp "$f" "$T/in" 2>/dev/null || true
		try pcat --index -o "$T/x" "$T/in"
		[ $rc != 0 ] && [ ! -e "$T/x" ] || failed "$f"
	done
	try pcat --index -
	[ $rc = 2 ] || failed -
	mkfifo "$T/fifo"
	cat "$T/multi" >"$T/fifo" &
	try pcat --index -o "$T/x" "$T/fifo"
	[ $rc = 2 ] || failed "pipe"
	for o in "--index -z" "--index --repair" "--index --format=file" "--index --pid 3" "--write-index" "--write-index -o -" "--index --write-index" "--chunk-size=8K"; do
		try pcat $o "$T/multi"
		[ $rc = 2 ] || failed "$o"
	done
	done_all
}

@test "index: perf's own frame, which never ends, is refused" {
	"$O/bench/gen" 80000000 | pcat -q -z --frame-size=session >"$T/endless"
	try pcat --index "$T/endless"
	[ $rc = 1 ]
	[ ! -e "$T/endless.ppi" ]
	grep -q "one zstd frame.*pcat -z FILE -o NEW" "$T/err"
	rm "$T/endless"
}

@test "index: --write-index writes what --index does" {
	have gen
	"$O/bench/gen" 8000000 >"$T/large"
	for how in "" "--format=file" "-z --frame-size=64K" "--format=file -z" "--endian=big" "--chunk-size=8K"; do
		rm -f "$T"/new*
		try pcat -v $how --write-index -o "$T/new" "$T/large"
		# while it was written, that is
		[ $rc = 0 ] && ! grep -q "once more" "$T/err" || failed "$how"
		pcat --index $([[ $how != *chunk-size* ]] || echo $how) -o "$T/again" -f "$T/new"
		cmp "$T/new.ppi" "$T/again" || failed "$how: differs"
	done
	# of a perf.data whose attrs come late the head changes at the end
	size=$(od -An -tu2 -j22 -N2 "$T/large")
	{ cat "$T/large"; tail -c +17 "$T/large" | head -c $size; } >"$T/late"
	rm -f "$T"/new*
	try pcat -v --format=file --write-index -o "$T/new" "$T/late"
	[ $rc = 0 ] && grep -q "once more" "$T/err" || failed "late attrs"
	pcat --index -o "$T/again" -f "$T/new"
	cmp "$T/new.ppi" "$T/again" || failed "late attrs: differs"
	# the file cannot be written to its end
	rm -f "$T"/new*
	try bash -c "trap '' XFSZ; ulimit -f 64; exec pcat --write-index -o '$T/new' '$T/large'"
	[ $rc = 1 ] && [ ! -e "$T/new" ] && [ ! -e "$T/new.ppi" ] || failed "no space"
	# the input is damaged: no index of what is incomplete
	head -c 100001 "$T/gen" >"$T/cut"
	rm -f "$T"/new*
	try pcat --write-index -o "$T/new" "$T/cut"
	[ $rc = 1 ] && [ ! -e "$T/new.ppi" ] && [ -e "$T/new.tmp" ] || failed "damaged"
	have multi
	pcat -q --write-index -o "$T/new" "$T/gen" "$T/multi"
	pcat --index -o "$T/again" -f "$T/new"
	cmp "$T/new.ppi" "$T/again" || failed "joined"
	done_all
}

@test "index: of a recording that has grown it is continued, and is the same as one of the whole" {
	for f in gen kernel.z gen.z2; do
		have $f
		if [ $f = gen.z2 ]; then pcat -q -z --compressed2 --frame-size=64K -f -o "$T/$f" "$BATS_FILE_TMPDIR/gen"; fi
		cp "$T/$f" "$T/all"
		for part in 5 2 1; do
			cut=$(pcat --chunks --chunk-size=4K "$T/all" | awk -v part=$part 'NR > 1 { end[NR] = $2 + $3 } END { print end[2 + int((NR - 2) / part)] }')
			head -c $cut "$T/all" >"$T/$f"
			try pcat -v --index --chunk-size=16K "$T/$f"
			[ $rc = 0 ] || failed "$f: $cut"
			[ $part = 5 ] || grep -q continued "$T/err" || failed "$f: $cut: not continued"
			pcat --index --chunk-size=16K -f -o "$T/new" "$T/$f"
			cmp "$T/$f.ppi" "$T/new" || failed "$f: $cut"
			# one that is too short, for the whole
			cp "$T/all" "$T/$f"
			try pfilter --time 10%/3 "$T/$f"
			[ $rc = 0 ] && [ ! -s "$T/err" ] && cmp "$T/out" <(pfilter --no-index --time 10%/3 "$T/$f") || failed "$f: index of $cut bytes"
		done
	done
	done_all
}

@test "index: of a recording that was changed it is not continued, whichever bytes these are" {
	for f in gen kernel.z; do
		have $f
		pcat -q --index --chunk-size=4K -f -o "$T/whole.ppi" "$T/$f"
		cp "$T/$f" "$T/whole"
		# the last byte of some chunks
		pcat --chunks --chunk-size=4K "$T/$f" | awk 'NR > 2 { print $2 + $3 - 1 }' | awk 'NR % 11 == 1' | head -n 8 >"$T/places"
		[ -s "$T/places" ]
		while read -r at; do
			cp "$T/whole" "$T/$f"
			cp "$T/whole.ppi" "$T/$f.ppi"
			printf '\245' | dd of="$T/$f" bs=1 seek="$at" conv=notrunc status=none
			rm -f "$T/new"
			want=0
			pcat -q --index --chunk-size=4K -o "$T/new" "$T/$f" 2>/dev/null || want=1
			try pcat --index --chunk-size=4K "$T/$f"
			[ $rc = $want ] || failed "$f: byte $at: status $rc, of a new one $want"
			[ $want = 1 ] || cmp "$T/$f.ppi" "$T/new" || failed "$f: byte $at"
		done <"$T/places"
	done
	done_all
}

@test "index: --follow: it grows with the recording, and is used meanwhile" {
	have gen
	cp "$T/gen" "$T/all"
	cut=$(pcat --chunks --chunk-size=4K "$T/all" | awk 'NR > 1 { end[NR] = $2 + $3 } END { print end[int(NR * 3 / 4)] }')
	exec 7>"$T/gen"
	head -c $cut "$T/all" >&7
	pcat --index --follow --chunk-size=4K "$T/gen" >"$T/follow.out" 2>&1 7>&- &
	pid=$!
	await grown "$T/gen.ppi" 5000
	try pfilter -v --time 1.000,1.001 "$T/gen" 7>&-
	[ $rc = 0 ] && [ -n "$(chunks)" ] || failed "meanwhile"
	tail -c +$((cut + 1)) "$T/all" >&7
	exec 7>&-
	wait $pid || failed "$(cat "$T/follow.out")"
	pcat --index --chunk-size=4K -o "$T/new" "$T/gen"
	cmp "$T/gen.ppi" "$T/new" || failed "differs"
	done_all
}

@test "index: a directory of perf record --threads has its index beside it" {
	mkdir "$T/dir"
	need record
	rmdir "$T/dir"
	perf record -q --threads -o "$T/dir" -a -F 2000 -- sleep 0.3 >/dev/null 2>&1 && [ -e "$T/dir/data.0" ] || skip "no perf record --threads here"
	pcat -q --index --chunk-size=4K "$T/dir/"
	[ -e "$T/dir.ppi" ]
	for o in "--time 20%/2" "--pid 999999" "--cpu 0"; do
		pfilter $o "$T/dir" >"$T/with"
		pfilter --no-index $o "$T/dir" | cmp - "$T/with" || failed "$o"
	done
	pcat --chunks --chunk-size=4K "$T/dir" >"$T/table"
	try pfilter -v --time 20%/2 "$T/dir"
	read -r n all < <(chunks)
	[ "$all" = $(($(wc -l <"$T/table") - 1)) ] || failed "$all chunks"
	done_all
}

@test "index: a perf.data keeps its index when perf record finishes it" {
	pcat -q --format=file -o "$T/in" "$BATS_FILE_TMPDIR/gen"
	# as it was before: a header without the size of the data, and no features
	size=$(pcat --chunks "$T/in" | awk 'NR > 1 { n += $3 } END { print n }')
	off=$(pcat --chunks "$T/in" | awk 'NR == 2 { print $2 }')
	head -c $((off + size)) "$T/in" >"$T/early"
	dd if=/dev/zero of="$T/early" bs=1 seek=48 count=8 conv=notrunc status=none
	try pcat --index --follow --chunk-size=4K "$T/early"
	[ $rc = 1 ] && [ -e "$T/early.ppi" ] || failed "the recorder was killed"
	cp "$T/early.ppi" "$T/in.ppi"
	as_without --time 20%/2 "$T/in"
	pcat -v --index --chunk-size=4K "$T/in" 2>&1 | grep -q continued || failed "not continued"
	pcat --index --chunk-size=4K -o "$T/new" "$T/in"
	cmp "$T/in.ppi" "$T/new" || failed differs
	done_all
}

@test "index: --follow of a perf.data ends with its data, when perf record writes features behind it" {
	pcat -q --format=file -o "$T/all" "$BATS_FILE_TMPDIR/gen"
	size=$(pcat --chunks "$T/all" | awk 'NR > 1 { n += $3 } END { print n }')
	off=$(pcat --chunks "$T/all" | awk 'NR == 2 { print $2 }')
	head -c $((off + size)) "$T/all" >"$T/in"
	dd if=/dev/zero of="$T/in" bs=1 seek=48 count=8 conv=notrunc status=none
	exec 7>>"$T/in"
	pcat --index --follow --chunk-size=4K "$T/in" >"$T/follow.out" 2>&1 7>&- &
	pid=$!
	await grown "$T/in.ppi" 5000
	tail -c +$((off + size + 1)) "$T/all" >&7
	dd if="$T/all" of="$T/in" bs=1 skip=48 seek=48 count=8 conv=notrunc status=none
	exec 7>&-
	wait $pid || failed "$(cat "$T/follow.out")"
	cmp "$T/in" "$T/all"
	pcat --index --chunk-size=4K -o "$T/new" "$T/in"
	cmp "$T/in.ppi" "$T/new" || failed differs
	done_all
}

@test "index: --follow of a perf.data whose attrs are elsewhere when it is complete fails" {
	pcat -q --format=file -o "$T/all" "$BATS_FILE_TMPDIR/gen"
	size=$(pcat --chunks "$T/all" | awk 'NR > 1 { n += $3 } END { print n }')
	off=$(pcat --chunks "$T/all" | awk 'NR == 2 { print $2 }')
	head -c $((off + size)) "$T/all" >"$T/in"
	dd if=/dev/zero of="$T/in" bs=1 seek=48 count=8 conv=notrunc status=none
	exec 7>>"$T/in"
	pcat --index --follow --chunk-size=4K "$T/in" >"$T/follow.out" 2>&1 7>&- &
	pid=$!
	await grown "$T/in.ppi" 5000
	printf '\x70' | dd of="$T/in" bs=1 seek=24 conv=notrunc status=none
	dd if="$T/all" of="$T/in" bs=1 skip=48 seek=48 count=8 conv=notrunc status=none
	exec 7>&-
	! wait $pid || failed "read with the attrs that it had at first"
	grep -q "other attrs now" "$T/follow.out" || failed "$(cat "$T/follow.out")"
	done_all
}

@test "index: --chunks prints the same table by it" {
	for f in gen kernel.z gen.big gen.z2; do
		have $f
		pcat --chunks --chunk-size=8K "$T/$f" >"$T/want"
		pcat -q --index --chunk-size=8K "$T/$f"
		pcat --chunks --chunk-size=8K "$T/$f" | diff "$T/want" - || failed "$f"
		# the table is that of the index: one of another size is not believed, nor one that does not know all
		pcat --chunks --chunk-size=16K "$T/$f" | diff <(pcat --chunks --no-index --chunk-size=16K "$T/$f") - || failed "$f: 16K"
		head -c 1000 "$T/$f.ppi" >"$T/x"
		pcat --chunks --chunk-size=8K --index-file="$T/x" "$T/$f" | diff "$T/want" - || failed "$f: cut"
	done
	done_all
}

@test "index: with --piece each piece reads its share" {
	indexed gen
	for k in 1 2 3; do
		try pfilter -v --piece $k/3 "$T/gen"
		read -r n all < <(chunks)
		[ "$n" -lt $((all * 2 / 3)) ] || failed "piece $k: $n of $all"
		cmp "$T/out" <(pfilter --no-index --piece $k/3 "$T/gen") || failed "piece $k"
		for t in psort pcat; do
			try $t -v --piece $k/3 "$T/gen"
			[ -n "$(chunks)" ] && cmp "$T/out" <($t --no-index --piece $k/3 "$T/gen") || failed "$t: piece $k"
		done
	done
	diff <(pstat --json --piece 2/3 "$T/gen") <(pstat --json --no-index --piece 2/3 "$T/gen") || failed pstat
	done_all
}

# What other pieces have counts for the time order, and so for which name a late sample has.
@test "index: with --piece and records later than rounds allow" {
	awk '
		BEGIN {
			srand(7)
			print "attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap|comm|task"
			for (i = 0; i < 1200; i++) {
				if (i % 40 == 0) print "COMM pid=" (p = 1 + int(5 * rand())) " tid=" p " comm=" (rand() < 0.5 ? "aa" : "bb") " @ time=" int(1e6 * rand())
				print "SAMPLE ip=1 pid=" (p = 1 + int(5 * rand())) " tid=" p " time=" int(1e6 * rand())
				if (i % 100 == 99) print "FINISHED_ROUND"
			}
		}' | mkpipe >"$T/late"
	pcat -q --index --chunk-size=4K "$T/late"
	for k in 1 2 3; do
		pfilter -q --comms aa --piece=$k/3 "$T/late" >"$T/$k"
		pfilter -q --comms aa --piece=$k/3 --no-index "$T/late" | cmp - "$T/$k" || failed "piece $k"
		# the index leaves out nothing for this one, but for the piece
		pfilter -q --filter 'comm == "aa"' --piece=$k/3 "$T/late" >"$T/by"
		pfilter -q --filter 'comm == "aa"' --piece=$k/3 --no-index "$T/late" | cmp - "$T/by" || failed "filter, piece $k"
		samples "$T/$k"
	done | awk '{ n += $1 } END { print n }' >"$T/sum"
	[ "$(cat "$T/sum")" = "$(pfilter -q --comms aa "$T/late" | samples -)" ]
	done_all
}

@test "index: perf reads what is cut from a compressed perf.data as what is cut without the index" {
	need perf
	indexed gen.z2
	pcat -q --format=file -z --write-index -f -o "$T/x" data/demo.data
	pfilter --time 50%/2 "$T/x" >"$T/cut"
	pfilter --time 50%/2 data/demo.data >"$T/plain"
	same_script "$T/cut" "$T/plain"
	same_script "$T/x" data/demo.data
}

@test "index: chunks are left out of recordings with much side-band, too" {
	zstd -qdc data/a_busy.pipe.data.zst >"$T/busy"
	pcat -q --index --chunk-size=8K "$T/busy"
	as_without --time 20%/2 "$T/busy"
	as_without --pid 1 "$T/busy"
	done_all
}

@test "index: small, and of any recording smaller than 7 %" {
	have gen
	pcat -q --index "$T/gen"
	for f in data/*.data; do
		cp "$f" "$T/in"
		rm -f "$T/in.ppi"
		pcat -q --index --chunk-size=64K "$T/in" 2>/dev/null || continue
		[ "$(stat -c %s "$T/in.ppi")" -le $(($(pcat -q "$T/in" | wc -c) * 7 / 100 + 1000)) ] || failed "$f: $(stat -c %s "$T/in.ppi") bytes"
	done
	done_all
}

@test "index: writing fails: status 1, no index, what was there stays" {
	have multi
	pcat -q --index --chunk-size=64K "$T/multi"
	cp "$T/multi.ppi" "$T/was"
	for call in write writev; do
		for n in 1 2; do
			try with_fault $call:$n:ENOSPC pcat --index --chunk-size=4K "$T/multi"
			if [ $rc = 0 ]; then
				! cmp -s "$T/multi.ppi" "$T/was" || failed "$call $n: no index, and status 0"
				cp "$T/was" "$T/multi.ppi"
			else
				[ $rc = 1 ] && cmp "$T/multi.ppi" "$T/was" && one_line "pcat: $T/multi.ppi: " && grep -q "No space left" "$T/err" || failed "$call $n"
			fi
		done
	done
	try pcat --index -o /dev/full "$T/multi"
	[ $rc = 1 ] && one_line "pcat: /dev/full: " || failed "/dev/full"
	# more than is written at once
	"$O/bench/gen" 8000000 >"$T/large"
	try pcat --index --chunk-size=4K -o /dev/full "$T/large"
	[ $rc = 1 ] && one_line "pcat: /dev/full: " || failed "/dev/full, in the middle"
	[ -z "$(find "$T" -name '.*ppi*')" ] || failed "left behind"
	done_all
}

@test "index: nothing is written to standard output, so it may be a terminal" {
	need python3
	cp data/sched.pipe.data "$T/x.data"
	python3 -c 'import os, pty, sys
status = pty.spawn(sys.argv[1:], lambda fd: os.read(fd, 4096), lambda fd: b"")
sys.exit(status >> 8 or status)' pcat --index "$T/x.data" >"$T/said" 2>&1 || failed "status: $(cat "$T/said")"
	[ -s "$T/x.data.ppi" ] && [ ! -s "$T/said" ] || failed "$(cat "$T/said")"
	done_all
}

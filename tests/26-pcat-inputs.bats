# SPDX-License-Identifier: ISC
# Inputs that are more than one file, or less: directories, zstd around all, files that are being written.
load lib

# threads NAME [option...]: a recording of perf record --threads, or skip.
threads() {
	local out=$T/$1
	shift
	perf record --threads -o "$out" "$@" -a -g -F 500 -- sleep 0.3 >"$T/log" 2>&1 && [ -e "$out/data.0" ] ||
		skip "perf record --threads does not work here: $(tail -n 1 "$T/log")"
}

# ---- directories -----------------------------------------------------------------------------------

@test "directory: perf script prints the same for the stream and the directory" {
	need perf
	threads dir
	threads dirz -z
	for d in dir dirz; do
		mkdir "$T/$d/kcore_dir"
		echo >"$T/$d/notes.txt"
		pcat "$T/$d" >"$T/$d.pipe"
		same_script "$T/$d" "$T/$d.pipe"
		[ -s "$T/script.a" ]
		for t in pfilter psort; do
			$t "$T/$d" >"$T/$t.pipe"
			same_script "$T/$d" "$T/$t.pipe"
		done
	done
}

@test "directory: files are taken in the order of their numbers" {
	need perf
	threads dir
	# Rename 1 to 10 and fill up: any other order would show.
	for i in {2..11}; do cp "$T/dir/data.0" "$T/dir/data.$i"; done
	pcat "$T/dir" >"$T/out"
	for i in {0..11}; do cat "$T/dir/data.$i"; done >"$T/want"
	tail -c "$(stat -c %s "$T/want")" "$T/out" | cmp - "$T/want"
}

@test "directory: missing and broken files" {
	need perf
	threads dir
	[ -e "$T/dir/data.1" ] || skip "one CPU"
	cp -r "$T/dir" "$T/d"
	truncate -s -3 "$T/d/data.1"
	try pcat "$T/d"
	[ $rc = 1 ]
	one_line "pcat: $T/d: byte "
	grep -q 'data\.1: .*cut short' "$T/err"
	rm "$T/d/data.0"
	try pcat --repair "$T/d"
	[ $rc = 1 ]
	grep -q 'data\.1: .*cut short' "$T/err"
	grep -q ': data\.0 is missing' "$T/err"
	cp "$T/dir/data.1" "$T/d/data.1"
	try pcat "$T/d"
	[ $rc = 1 ]
	one_line "pcat: $T/d: data.0 is missing"
	tail -c "$(stat -c %s "$T/dir/data.1")" "$T/out" | cmp - "$T/dir/data.1"
	rm "$T/d/data.1"
	try pcat "$T/d"
	[ $rc = 1 ]
	one_line "pcat: $T/d: data.0 is missing"
	mkfifo "$T/d/data.0"
	try timeout 60 pcat "$T/d"
	[ $rc = 1 ]
	one_line "pcat: $T/d: data.0: not a regular file"
	rm "$T/d/data" "$T/d/data.0"
	try pcat "$T/d"
	[ $rc = 1 ] && one_line "pcat: $T/d: a directory without the file 'data'"
}

# ---- zstd around all -----------------------------------------------------------------------------

@test "zstd: wrapped streams and files are read, by name and from a pipe, also in several frames" {
	need zstd
	for f in data/basic.file.data data/basic.pipe.data data/s390x_basic.pipe.data data/z1.file.data; do
		pcat $f >"$T/want"
		zstd -q -c $f >"$T/w.zst"
		for t in pcat pfilter; do
			$t "$T/w.zst" | cmp "$T/want" - || failed "$t $f"
			$t <"$T/w.zst" | cmp "$T/want" - || failed "$t <$f"
			cat "$T/w.zst" | $t | cmp "$T/want" - || failed "$t | $f"
		done
		{ head -c 10 $f | zstd -q; printf '\x50\x2a\x4d\x18\x03\x00\x00\x00abc'; tail -c +11 $f | zstd -q; } >"$T/f.zst"
		pcat "$T/f.zst" | cmp "$T/want" - || failed "frames of $f"
	done
	done_all
}

@test "zstd: every cut keeps what came before it" {
	need zstd
	pcat data/multi.pipe.data >"$T/want"
	split -b 3000 --filter='zstd -q' data/multi.pipe.data >"$T/w.zst"
	size=$(stat -c %s "$T/w.zst")
	for ((n = 20; n < size; n += 97)); do
		turn 3 || continue
		try sh -c "head -c $n '$T/w.zst' | pcat"
		[ $rc = 1 ] || grep -q "^0$" <<<"$rc" || failed "$n"
		cmp -s -n "$(stat -c %s "$T/out")" "$T/out" "$T/want" || failed "$n"
		[ $rc = 0 ] || one_line 'pcat: <stdin>: byte ' || failed "$n"
	done
	[ "$(stat -c %s "$T/out")" -gt 2000 ]
	try sh -c "head -c $((size - 5)) '$T/w.zst' | pcat"
	[ $rc = 1 ]
	one_line "pcat: <stdin>: byte $((size - 5)): zstd: the last frame is cut short"
	done_all
}

@test "zstd: garbage, nothing and too much" {
	need native
	need zstd
	printf '\x28\xb5\x2f\xfdgarbage-garbage-garbage' >"$T/g"
	try pcat "$T/g"
	[ $rc = 1 ]
	grep -q 'zstd: ' "$T/err"
	zstd -q -c </dev/null >"$T/g"
	try pcat "$T/g"
	[ $rc = 1 ]
	! [ -s "$T/out" ] || false
	zstd -q -c data/basic.pipe.data | zstd -q -c >"$T/g"
	try pcat "$T/g"
	[ $rc = 1 ]
	one_line "pcat: $T/g: byte 0: not a perf recording; packed by zstd, twice"
	# 200 MB of zeros behind a good stream: no memory goes to them
	sanitized && skip "memory can't be limited under a sanitizer"
	{ cat data/basic.pipe.data; head -c 200000000 /dev/zero; } | zstd -q -1 >"$T/bomb"
	(ulimit -v 150000; try pcat "$T/bomb"; [ $rc = 1 ] && cmp "$T/out" data/basic.pipe.data)
}

@test "zstd: a bomb ends in an error that names --max-expand, in each tool" {
	need zstd
	{ cat data/basic.pipe.data; head -c 6000000 /dev/zero | tr '\0' '\011'; } | zstd -q -19 --long=27 >"$T/b"
	[ "$(wc -c <"$T/b")" -lt 4000 ]
	for t in $TOOLS; do
		try $(neutral $t) --max-expand=4M "$T/b"
		[ $rc = 1 ] || failed "$t: status"
		one_line "$t: $T/b: byte " && grep -q 'more than 1000 times as much, and more than 4 MiB (--max-expand SIZE permits more)$' "$T/err" || failed "$t"
	done
	# with a sufficient limit another fault is reported
	try pcat --max-expand=1G "$T/b"
	[ $rc = 1 ]
	! grep -q expand "$T/err" || false
	try pcat --repair --max-expand=4M "$T/b"
	[ $rc = 1 ]
	grep -q 'more than 1000 times as much, and more than 4 MiB' "$T/err"
	done_all
}

@test "zstd: a bomb inside of a recording, too, and 1 GiB is the default" {
	f=data/double-bomb.zst
	try pstat "$f"
	[ $rc = 1 ]
	one_line "pstat: $f: byte "
	grep -q 'expand to 10[0-9]*: more than 1000 times as much, and more than 1024 MiB (--max-expand' "$T/err"
	for t in $TOOLS; do
		try $(neutral $t) --max-expand=1M "$f"
		[ $rc = 1 ] && grep -q 'more than 1000 times as much, and more than 1 MiB (--max-expand' "$T/err" || failed "$t"
	done
	done_all
}

@test "what another program packed is refused with the way to unpack it" {
	for p in gzip xz bzip2 lz4; do
		command -v $p >/dev/null || continue
		$p -c <data/basic.pipe.data >"$T/p"
		for t in $TOOLS; do
			try $(neutral $t) "$T/p"
			[ $rc = 1 ] && one_line "$t: $T/p: byte 0: not a perf recording; packed by $p: $p -dc FILE | pcat" || failed "$t $p"
		done
		$p -dc "$T/p" | pcat | cmp data/basic.pipe.data - || failed "$p -dc"
	done
	done_all
}

# ---- files that are being written ----------------------------------------------------------------

@test "follow: a file that is finished ends at once" {
	for f in data/basic.file.data data/basic.pipe.data; do
		pcat $f >"$T/want"
		timeout 60 pcat --follow $f | cmp "$T/want" -
	done
}

@test "follow: a recording at work, to its end" {
	need record
	perf record -e cpu-clock -o "$T/f.data" -a -g -F 500 -- sleep 1 >"$T/log" 2>&1 &
	pid=$!
	await grown "$T/f.data" 1 || true
	timeout 60 pcat --follow "$T/f.data" >"$T/out" || rc=$?
	wait $pid || skip "perf record does not work here"
	[ "${rc-0}" = 0 ]
	same_script "$T/f.data" "$T/out"
	[ -s "$T/script.a" ]
	# What the recorder wrote last is there too.
	perf buildid-list -i "$T/f.data" | sort >"$T/a"
	strings -a "$T/out" | grep -q "$(uname -r)"
}

@test "follow: Ctrl-C ends it with the last whole record, exit 0" {
	in=$(recipe ordered)
	size=$(stat -c %s "$in")
	head -c $((size - 5)) "$in" >"$T/grow"
	exec 9>>"$T/grow"		# a writer that does nothing
	pcat --follow "$T/grow" >"$T/out" 2>"$T/err" &
	pid=$!
	await grown "$T/out" 501
	kill -INT $pid
	rc=0
	wait $pid || rc=$?
	exec 9>&-
	[ $rc = 0 ]
	! [ -s "$T/err" ] || false
	cmp -n "$(stat -c %s "$T/out")" "$T/out" "$in"
	[ "$(stat -c %s "$T/out")" -gt 500 ]
}

@test "follow: a saved stream ends when nobody writes it any more" {
	in=$(recipe ordered)
	: >"$T/grow"
	exec 9>>"$T/grow"
	(for ((n = 0; n < 10; n++)); do tail -c +$((n * 500 + 1)) "$in" | head -c 500; sleep 0.05; done; tail -c +5001 "$in") >&9 &
	exec 9>&-
	timeout 60 pcat --follow "$T/grow" >"$T/out"
	cmp "$T/out" "$in"
}

@test "follow: a killed recorder is reported" {
	need record
	perf record -q -e cpu-clock -a -o "$T/may" -- true >/dev/null 2>&1 </dev/null || skip "perf record -a is not allowed here"
	# by env, so that pid is perf's, and not that of a shell that waits for it
	env perf record -e cpu-clock -o "$T/f.data" -a -F 500 -- sleep 60 >/dev/null 2>&1 3>&- &
	pid=$!
	await grown "$T/f.data" 1 || true
	timeout 60 pcat --follow "$T/f.data" >"$T/out" 2>"$T/err" &
	cat=$!
	await grown "$T/out" 1
	# what it runs has the file open, too
	kill -KILL $pid $(cat /proc/$pid/task/*/children) 2>/dev/null || skip "perf record does not work here"
	rc=0
	wait $cat || rc=$?
	[ $rc = 1 ] && one_line "pcat: $T/f.data: byte 48: data size is still 0"
}

# ---- header features of a form that perf refuses --------------------------------------------------

# bytes FILE OFFSET HEX...: overwrite them.
bytes() {
	printf "$(printf '\\x%s' "${@:3}")" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# features_in FILE: "number offset" of each feature's payload; a stream's HEADER_FEATUREs, or a file's sections.  Little-endian.
features_in() {
	local -a w
	if [ "$(od -An -tu8 -j 8 -N 8 "$1" | tr -d ' ')" = 16 ]; then
		mapfile -t w < <(head -c 65536 "$1" | od -An -v -tu1 -w1)
		for ((at = 16; at + 8 <= ${#w[@]}; at += w[at + 6] + 256 * w[at + 7])); do
			(( w[at] >= 64 )) || break
			(( w[at] != 80 || w[at + 6] + 256 * w[at + 7] == 16 )) || echo "$((w[at + 8])) $((at + 16))"
		done
	else
		mapfile -t w < <(od -An -v -tu8 -w8 "$1" -N 104)
		read -ra entry < <(od -An -v -tu8 -j $((w[5] + w[6])) -N 1024 "$1" | tr '\n' ' ') || true
		for ((i = k = 0; i < 64; i++)); do
			(( w[9] >> i & 1 )) || continue
			echo "$i ${entry[2 * k++]}"
		done
	fi
}

@test "features: an overwritten one is left out and reported, and perf reads the rest" {
	need perf
	for in in data/basic.file.data data/basic.pipe.data; do
		features_in $in >"$T/features"
		[ "$(wc -l <"$T/features")" -ge 18 ] || failed "$in: too few features"
		while read -r n at; do
			case $n in
			1|2|18|20|21|24|10|23) continue;;	# no record in a stream, or any bytes will do
			esac
			cp $in "$T/f"
			bytes "$T/f" "$at" ff ff ff ff
			pos=$((at - 16))
			[[ $in == *pipe* ]] || pos=$at
			pcat --no-features="$n" $in >"$T/want"
			try pcat "$T/f"
			# of a file, the names of events come from EVENT_DESC too
			[ "$n" != 12 ] || [[ $in == *pipe* ]] || cp "$T/out" "$T/want"
			[ $rc = 1 ] && cmp "$T/out" "$T/want" || failed "$in: $n: not the same without it"
			[ "$n" = 7 ] || one_line "pcat: $T/f: byte $pos: HEADER_FEATURE: " || failed "$in: $n: message"
			! grep -qv '; left out$' "$T/err" || failed "$in: $n: message"
			for t in ${TOOLS/pcat }; do
				turn 11 || continue
				try $t "$T/f"
				[ $rc = 1 ] && grep -q "^$t: $T/f: byte $pos: HEADER_FEATURE: .*; left out$" "$T/err" || failed "$in: $n: $t"
				cp "$T/out" "$T/o"
				[ $t = pstat ] || try $t "$T/want"
				[ $t = pstat ] || cmp "$T/out" "$T/o" || failed "$in: $n: $t: not the same without it"
			done
		done <"$T/features"
	done
	# one of them by perf: it reads as it does without that feature
	read -r _ at <<<"$(grep '^13 ' "$T/features")"
	cp data/basic.pipe.data "$T/f"
	bytes "$T/f" "$at" ff ff ff ff ff ff ff ff
	perf script -f -i "$T/f" 2>&1 | grep -q 'failed to process\|processing failed' || failed "perf takes it"
	try pcat "$T/f"
	diff <(perf script -f -i data/basic.pipe.data 2>/dev/null) <(perf script -f -i - <"$T/out" 2>/dev/null) || failed "perf script"
	done_all
}

@test "features: nothing remains selected out of the sound ones; unknown ones pass" {
	for in in data/*.data; do
		try pcat "$in"
		[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$in"
	done
	for r in left-feature-count left-feature-string; do
		for b in "" -b; do
			in=$(recipe $r $b)
			IFS=$'\t' read -r off size _ < <(mkpipe -l $b data/$r.txt | grep '!$')
			{ head -c "$off" "$in"; tail -c +$((off + size + 1)) "$in"; } >"$T/want"
			try pcat "$in"
			[ $rc = 1 ] && one_line "pcat: $in: byte $off: HEADER_FEATURE: " && cmp "$T/out" "$T/want" || failed "$r $b"
		done
	done
	# also of those that are compressed
	for b in "" -b; do
		in=$(recipe left-feature-zip $b)
		{ cat data/base.txt; sed '/type=80/d; /^include /d' data/left-feature-zip.txt; } >"$T/r.txt"
		mkpipe -p $b "$T/r.txt" >"$T/want"
		try pcat "$in"
		[ $rc = 1 ] && one_line "pcat: $in: byte $(mkpipe -l $b data/left-feature-zip.txt | sed -n 's/\t.*!$//p'): HEADER_FEATURE: HOSTNAME: " &&
		    cmp "$T/out" "$T/want" || failed "zip $b"
	done
	for f in "feat_id=63 x=ffffffffffffffff" "feat_id=1000 x=ff" "feat_id=3"; do
		{ cat data/base.txt; echo "HEADER_FEATURE $f"; } >"$T/r.txt"
		mkpipe "$T/r.txt" >"$T/in"
		try pcat "$T/in"
		[ $rc = 0 ] && cmp "$T/out" "$T/in" || failed "$f"
	done
	done_all
}

@test "features: perf's own rules" {
	need perf
	# base.txt: 2 CPUs.  Cause (none: sound), and the feature.
	while IFS='|' read -r cause f; do
		{ head -n 2 data/base.txt | grep attr; [ -z "${f##*NOCPUS*}" ] || echo "HEADER_FEATURE feat_id=7 u4=2 u4=2"; echo "HEADER_FEATURE ${f#NOCPUS}"
		  echo "SAMPLE misc=2 ip=0x401000 pid=100 time=1000 period=1"; } >"$T/r.txt"
		mkpipe "$T/r.txt" >"$T/in"
		try pcat "$T/in"
		if [ -n "$cause" ]; then
			[ $rc = 1 ] && grep -q ": HEADER_FEATURE: .*$cause.*; left out" "$T/err" || failed "$f: $cause"
			perf script -i "$T/out" -F ip 2>&1 | grep -q 401000 || failed "$f: perf cannot read the rest"
		else
			[ $rc = 0 ] && cmp "$T/out" "$T/in" || failed "$f: is sound"
			perf script -i "$T/in" -F ip >"$T/perf" 2>&1 || true
			grep -q 401000 "$T/perf" || failed "$f: perf does not take it: $(cat "$T/perf")"
		fi
	done <<-'END'
	|feat_id=13 u4=1 fs=0-1 u4=2 fs=0 fs=1 u4=0 u4=0 u4=1 u4=1
	nr_cores is 3, of 2 CPUs|feat_id=13 u4=3 fs=0 fs=1 fs=1 u4=2 fs=0 fs=1 u4=0 u4=0 u4=1 u4=1
	NRCPUS is missing|NOCPUSfeat_id=13 u4=1 fs=0-1 u4=2 fs=0 fs=1 u4=0 u4=0 u4=1 u4=1
	|feat_id=14 u4=1 u4=0 u8=100 u8=50 fs=0-1
	|feat_id=14 u4=1 u4=0 u8=100 u8=50 fs=0,1
	|feat_id=14 u4=1 u4=0 u8=100 u8=50 fs=
	cpus is not a list of CPUs|feat_id=14 u4=1 u4=0 u8=100 u8=50 fs=all
	cpus is not a list of CPUs|feat_id=14 u4=1 u4=0 u8=100 u8=50 fs=1-0
	cpus is not a list of CPUs|feat_id=14 u4=1 u4=0 u8=100 u8=50 fs=0-99999
	cpus has no NUL|feat_id=14 u4=1 u4=0 u8=100 u8=50 u4=1 x=30
	events 0 to 2 are not a group of 1 events|feat_id=17 u4=1 fs=g u4=0 u4=3
	|feat_id=17 u4=1 fs=g u4=0 u4=1
	|feat_id=22 u8=1 u8=4096 u8=1 u8=0 u8=1 u8=64 u8=1
	version is 2|feat_id=22 u8=2 u8=4096 u8=1 u8=0 u8=1 u8=64 u8=1
	nbits|feat_id=22 u8=1 u8=4096 u8=1 u8=0 u8=1 u8=0xffffffffff
	|feat_id=29 u4=1 u4=1 u8=5 u8=6
	version is 9|feat_id=29 u4=9 u4=1 u8=5 u8=6
	3 CPUs are online, of 2|NOCPUSfeat_id=7 u4=2 u4=3
	END
	done_all
}

# VMware gives each CPU a socket, with gaps between their numbers.
@test "features: CPU_TOPOLOGY with a socket above the number of CPUs is no fault" {
	need perf
	{
		cat data/base.txt
		echo "HEADER_FEATURE feat_id=13 u4=1 fs=0-1 u4=2 fs=0 fs=1 u4=3 u4=7 u4=4 u4=8"
		echo "SAMPLE misc=2 ip=0x401000 pid=100 time=1000 period=1"
	} >"$T/r.txt"
	mkpipe "$T/r.txt" >"$T/in"
	# of a stream it is passed; in a file it is whole, too
	try pcat "$T/in"
	[ $rc = 0 ] && cmp "$T/out" "$T/in" && [ ! -s "$T/err" ] || failed "stream: $(cat "$T/err")"
	try pcat --format=file -o "$T/file" "$T/in"
	[ $rc = 0 ] && [ ! -s "$T/err" ] || failed "file: $(cat "$T/err")"
	try pcat --format=file -o "$T/again" "$T/file"
	[ $rc = 0 ] && [ ! -s "$T/err" ] && cmp "$T/file" "$T/again" || failed "file to file: $(cat "$T/err")"
	perf script -i "$T/file" -F ip 2>&1 | grep -q 401000 || failed "perf cannot read the file"
	# a stream of the file lacks the ids that perf up to 6.12 refuses in a stream
	for t in $STREAMERS; do
		try $t "$T/file"
		[ $rc = 0 ] && grep -q 'warning: .*CPU_TOPOLOGY: socket_id is 7, of 2 CPUs: .* left out' "$T/err" || failed "$t: $rc $(cat "$T/err")"
		perf script -i "$T/out" -F ip 2>&1 | grep -q 401000 || failed "$t: perf cannot read it"
		perf report --header-only -I -i "$T/out" 2>/dev/null | grep -q 'sibling threads : 1' || failed "$t: siblings"
	done
	try pstat "$T/file"
	[ $rc = 0 ] || failed "pstat: $(cat "$T/err")"
	done_all
}

# ---- byte orders -----------------------------------------------------------------------------------

# without_hostname FILE: the same without that feature; the bits and the table of a big-endian file.
without_hostname() {
	local -a w
	local bits k at n
	mapfile -t w < <(od -An -v -tx8 -w8 --endian=big -N 104 "$1" | tr -d ' ')
	bits=$((16#${w[9]})) at=$((16#${w[5]} + 16#${w[6]})) k=$(((bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1)))
	for ((n = 0; bits; bits &= bits - 1)); do n=$((n + 1)); done
	{ head -c 72 "$1"; printf "$(printf '%016x' $((16#${w[9]} & ~8)) | sed 's/../\\x&/g')"; tail -c +81 "$1" | head -c $((at + 16 * k - 80))
	  tail -c +$((at + 16 * (k + 1) + 1)) "$1" | head -c $((16 * (n - k - 1))); head -c 16 /dev/zero; tail -c +$((at + 16 * n + 1)) "$1"; }
}

# in_u32s FILE: its bitmap as a recorder of 32 bits writes it.
in_u32s() {
	local i
	head -c 72 "$1"
	for ((i = 72; i < 104; i += 8)); do
		tail -c +$((i + 5)) "$1" | head -c 4
		tail -c +$((i + 1)) "$1" | head -c 4
	done
	tail -c +105 "$1"
}

@test "big-endian files have their features, with HOSTNAME and without, by recorders of 64 and of 32 bits" {
	in=data/s390x_basic.file.data
	without_hostname $in >"$T/without"
	in_u32s $in >"$T/u32"
	in_u32s "$T/without" >"$T/without-u32"
	cmp -s $in "$T/u32" && failed "nothing changed"
	for f in without u32 without-u32; do
		try pcat "$T/$f"
		if [ $f = u32 ]; then pcat $in; else pcat --no-features=hostname $in; fi >"$T/want"
		[ $rc = 0 ] && cmp "$T/want" "$T/out" || failed "$f"
	done
	[ "$(pstat --json "$T/without-u32" | grep -o '"name":"HEADER_FEATURE","records":[0-9]*')" = '"name":"HEADER_FEATURE","records":'$(($(pstat --json $in |
	    sed -n 's/.*"name":"HEADER_FEATURE","records":\([0-9]*\).*/\1/p') - 1)) ] || failed "number of features"
	# a bitmap that names sections which are not there is not believed
	cp "$T/without" "$T/f"
	bytes "$T/f" 72 ff ff ff ff ff ff ff f7
	try pcat "$T/f"
	[ $rc = 1 ] && one_line "pcat: $T/f: " || failed "too many bits, and HOSTNAME, which perf believes"
	# without HOSTNAME in words of any size: of BUILD_ID alone, as perf takes it
	cp "$T/without" "$T/want-only"
	bytes "$T/want-only" 72 00 00 00 00 00 00 00 04
	bytes "$T/f" 72 ff ff ff f7 ff ff ff f7
	try pcat "$T/f"
	[ $rc = 0 ] && cmp <(pcat "$T/want-only") "$T/out" || failed "too many bits, and no HOSTNAME"
	done_all
}

@test "PERFFILE, the magic of old files and streams, in both byte orders" {
	for in in data/basic.file.data data/basic.pipe.data data/s390x_basic.file.data data/s390x_basic.pipe.data; do
		pcat $in >"$T/want"
		cp $in "$T/f"
		bytes "$T/f" 0 50 45 52 46 46 49 4c 45
		for t in pcat pfilter; do
			try $t "$T/f"
			[ $rc = 0 ] && cmp "$T/want" "$T/out" || failed "$t $in"
			try sh -c "cat '$T/f' | $t"
			[ $rc = 0 ] && cmp "$T/want" "$T/out" || failed "$t $in on a pipe"
		done
		bytes "$T/f" 8 69
		try pcat "$T/f"
		[ $rc = 1 ] && one_line "pcat: $T/f: byte 0: not a perf recording" || failed "$in: neither size"
	done
	done_all
}

@test "PERFFILE: perf prints the same for an old file and its stream" {
	need perf
	need corpus
	in=$CORPUS/foreign/wild/w_bhargavchippada_d52842.data
	pcat "$in" >"$T/o"
	same_script "$in" "$T/o" -F comm,pid,time,event,ip,sym
	[ "$(wc -l <"$T/script.a")" -gt 100000 ]
}

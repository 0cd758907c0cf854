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

@test "directory: perf script says the same as of the directory" {
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
	[ $rc = 1 ] && one_line "pcat: $T/d: byte " && grep -q 'data\.1: .*cut short' "$T/err"
	rm "$T/d/data.0"
	try pcat --repair "$T/d"
	[ $rc = 1 ] && grep -q 'data\.1: .*cut short' "$T/err" && grep -q 'data\.0 is missing' "$T/err"
	cp "$T/dir/data.1" "$T/d/data.1"
	try pcat "$T/d"
	[ $rc = 1 ] && one_line "pcat: $T/d: data.0 is missing"
	tail -c "$(stat -c %s "$T/dir/data.1")" "$T/out" | cmp - "$T/dir/data.1"
	rm "$T/d/data.1"
	try pcat "$T/d"
	[ $rc = 1 ] && one_line "pcat: $T/d: data.0 is missing"
	mkfifo "$T/d/data.0"
	try timeout 10 pcat "$T/d"
	[ $rc = 1 ] && one_line "pcat: $T/d: data.0: not a regular file"
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
		try sh -c "head -c $n '$T/w.zst' | pcat"
		[ $rc = 1 ] || grep -q "^0$" <<<"$rc" || failed "$n"
		cmp -s -n "$(stat -c %s "$T/out")" "$T/out" "$T/want" || failed "$n"
		[ $rc = 0 ] || one_line 'pcat: <stdin>: byte ' || failed "$n"
	done
	[ "$(stat -c %s "$T/out")" -gt 2000 ]
	try sh -c "head -c $((size - 5)) '$T/w.zst' | pcat"
	[ $rc = 1 ] && one_line "pcat: <stdin>: byte $((size - 5)): zstd: the last frame is cut short"
	done_all
}

@test "zstd: garbage, nothing and too much" {
	need zstd
	printf '\x28\xb5\x2f\xfdgarbage-garbage-garbage' >"$T/g"
	try pcat "$T/g"
	[ $rc = 1 ] && grep -q 'zstd: ' "$T/err"
	zstd -q -c </dev/null >"$T/g"
	try pcat "$T/g"
	[ $rc = 1 ] && ! [ -s "$T/out" ]
	zstd -q -c data/basic.pipe.data | zstd -q -c >"$T/g"
	try pcat "$T/g"
	[ $rc = 1 ] && one_line "pcat: $T/g: byte 0: not a perf recording"
	# 2 GB of zeros behind a good stream: no memory goes to them
	sanitized && skip "memory can't be limited under a sanitizer"
	{ cat data/basic.pipe.data; head -c 2000000000 /dev/zero; } | zstd -q -1 >"$T/bomb"
	(ulimit -v 300000; try pcat "$T/bomb"; [ $rc = 1 ] && cmp "$T/out" data/basic.pipe.data)
}

# ---- files that are being written ----------------------------------------------------------------

@test "follow: a file that is finished ends at once" {
	for f in data/basic.file.data data/basic.pipe.data; do
		pcat $f >"$T/want"
		timeout 10 pcat --follow $f | cmp "$T/want" -
	done
}

@test "follow: a recording at work, to its end" {
	need record
	perf record -o "$T/f.data" -a -g -F 500 -- sleep 1 >"$T/log" 2>&1 &
	pid=$!
	for _ in {1..50}; do [ -s "$T/f.data" ] && break; sleep 0.02; done
	timeout 20 pcat --follow "$T/f.data" >"$T/out" || rc=$?
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
	sleep 0.7
	kill -INT $pid
	rc=0
	wait $pid || rc=$?
	exec 9>&-
	[ $rc = 0 ] && ! [ -s "$T/err" ]
	cmp -n "$(stat -c %s "$T/out")" "$T/out" "$in"
	[ "$(stat -c %s "$T/out")" -gt 500 ]
}

@test "follow: a saved stream ends when nobody writes it any more" {
	in=$(recipe ordered)
	: >"$T/grow"
	(for ((n = 0; n < 10; n++)); do tail -c +$((n * 500 + 1)) "$in" | head -c 500; sleep 0.05; done; tail -c +5001 "$in") >>"$T/grow" &
	timeout 20 pcat --follow "$T/grow" >"$T/out"
	cmp "$T/out" "$in"
}

@test "follow: a recorder that is killed is told" {
	need record
	perf record -o "$T/f.data" -a -F 500 -- sleep 3 >/dev/null 2>&1 &
	pid=$!
	sleep 0.8
	timeout 20 pcat --follow "$T/f.data" >"$T/out" 2>"$T/err" &
	cat=$!
	sleep 0.5
	kill -KILL $pid 2>/dev/null || skip "perf record does not work here"
	rc=0
	wait $cat || rc=$?
	[ $rc = 1 ] && one_line "pcat: $T/f.data: byte 48: data size is still 0"
}

# SPDX-License-Identifier: ISC
# pcat --chunks: the table, and that each chunk is what it says.
load lib

HEAD=$(printf 'chunk\toffset\tlength\tplain\trecords\tsamples\tfirst_ns\tlast_ns\tcpus\tevents\ttasks\tfile')

# chunks SIZE FILE: rows without the head, in $T/rows
chunks() {
	try pcat --chunks --chunk-size="$1" "$2"
	[ $rc = 0 ] || { failed "$*"; return 0; }
	[ "$(head -n 1 "$T/out")" = "$HEAD" ] || failed "$*: head"
	tail -n +2 "$T/out" >"$T/rows"
}

# span FILE: offset and end of the bytes that chunks cover, by the header of the file
span() {
	perl -e '
		open my $f, "<:raw", $ARGV[0]; read $f, my $h, 104;
		my $q = substr($h, 0, 8) eq "PERFILE2" ? "Q<" : "Q>";
		my ($size, $off, $len) = (unpack("x8 $q", $h), unpack("x40 $q$q", $h));
		print $size == 16 ? "16 " . -s $f : $off . " " . ($off + $len);' "$1"
}

@test "chunks: they cover the data without a gap, and add up to what pstat counts" {
	need jq
	for f in data/*.data; do
		for size in 4K 4M; do
			turn 7 || continue
			chunks $size "$f"
			[ -s "$T/rows" ] || { failed "$f: none"; continue; }
			awk -F '\t' -v size=${size%[KM]} -v unit=${size: -1} '
				BEGIN { min = size * (unit == "K" ? 1024 : 1048576) }
				NR > 1 && (last < min || $2 != end) { print "row " NR; bad = 1 }
				$1 != NR - 1 || $3 == 0 || ($6 > 0) != ($7 != "-" && $8 >= $7) || $5 < $6 { print "row " NR; bad = 1 }
				NR == 1 { first = $2 }
				{ end = $2 + $3; last = $4; r += $5; s += $6 }
				END { print first, end, s; exit bad }' "$T/rows" >"$T/sum" || failed "$f $size: $(head -n 3 "$T/sum")"
			echo "$(span "$f") $(pstat --json "$f" | jq '[.types[] | select(.name == "SAMPLE").records] | add // 0')" |
			    diff - "$T/sum" || failed "$f $size"
		done
	done
	done_all
}

@test "chunks: a chunk of a stream behind the head is a recording, with these samples" {
	need jq
	for f in data/demo.data data/p72_z22_dwarf.pipe.data; do
		for how in -d "-z --frame-size=64K"; do
			pcat $how "$f" >"$T/f"
			chunks 8K "$T/f"
			[ "$how" != -d ] || [ "$(wc -l <"$T/rows")" -ge 2 ] || failed "$f: one chunk"
			while IFS=$'\t' read -r n off len plain records samples first last cpus events tasks file; do
				turn 7 || continue
				# all that is perf's own in front of it, then the chunk
				{ pfilter --type SAMPLE --sideband=none --filter 'period < 0' -q "$T/f"
				  tail -c +$((off + 1)) "$T/f" | head -c "$len"; } >"$T/c"
				pstat --json "$T/c" >"$T/json" || failed "$f $how $n"
				[ "$(jq '[.types[] | select(.name == "SAMPLE").records] | add // 0' "$T/json")" = "$samples" ] || failed "$f $how $n: samples"
				try pfilter --type SAMPLE --sideband=none "$T/c"
				perf_times "$T/out" >"$T/times"
				[ "$first $last" = "$(cat "$T/times")" ] || failed "$f $how $n: times $first $last, $(cat "$T/times")"
			done <"$T/rows"
		done
	done
	done_all
}
# the first and the last time of samples
perf_times() {
	pstat --json "$1" | jq -r '"\(.time.first_ns // "-") \(.time.last_ns // "-")"'
}

@test "chunks: sets are those of the samples" {
	need jq
	for f in data/demo.data data/sched.pipe.data data/k_mono.pipe.data data/s390x_basic.file.data; do
		chunks 64M "$f"
		IFS=$'\t' read -r n off len plain records samples first last cpus events tasks file <"$T/rows"
		want=$(pstat -s pid,tid --json "$f" | jq '[.sort[] | .pid, .tid] | unique | length')
		[ "$tasks" = "$want" ] || failed "$f: $tasks tasks, not $want"
		[ "$events" = "$(pstat --json "$f" | jq '[.events[] | select(.records > 0)] | length')" ] || failed "$f: $events events"
		want=$(pstat -s cpu --json "$f" | jq '[.sort[] | .cpu | values] | length')
		# without the field pstat takes the CPU of the id
		[ "$cpus" = "$want" ] || [[ "$f $cpus" =~ (k_mono|s390x).*\ 0$ ]] || failed "$f: $cpus CPUs, not $want"
	done
	done_all
}

@test "chunks: whole zstd frames; the one frame of perf record is one chunk" {
	pcat -z --frame-size=64K data/p72_z22_dwarf.pipe.data >"$T/z"
	frames=$(grep -a -o $'\x28\xb5\x2f\xfd' "$T/z" | wc -l)
	chunks 4K "$T/z"
	# what is in front of the first frame makes one more, or goes with it
	[ "$frames" -ge 3 ] && [ "$(wc -l <"$T/rows")" -ge "$frames" ] && [ "$(wc -l <"$T/rows")" -le $((frames + 2)) ] || failed "$frames frames"
	cut -f 2 "$T/rows" | tail -n +2 | while read -r off; do
		# a frame begins there, behind the header of COMPRESSED, or records that are not compressed
		[ "$(tail -c +$((off + 1)) "$T/z" | head -c 4 | od -An -tu4 | tr -d ' ')" != 81 ] ||
		    [ "$(tail -c +$((off + 9)) "$T/z" | head -c 4 | od -An -tx1 | tr -d ' ')" = 28b52ffd ] || echo "$off"
	done >"$T/amid"
	[ ! -s "$T/amid" ]
	chunks 4K data/z1.pipe.data
	[ "$(cut -f 4 "$T/rows" | sort -n | tail -n 1)" -gt 60000 ] || failed "z1: $(cat "$T/rows")"
	done_all
}

@test "chunks: files of a directory" {
	need perf
	perf record --threads -o "$T/dir" -a -g -F 500 -- sleep 0.3 >"$T/log" 2>&1 && [ -e "$T/dir/data.0" ] ||
	    skip "perf record --threads does not work here: $(tail -n 1 "$T/log")"
	chunks 4K "$T/dir"
	for d in "$T"/dir/data.*; do
		n=${d##*/}
		[ "$(awk -F '\t' -v n="$n" '$12 == n { s += $3 } END { print s + 0 }' "$T/rows")" = "$(stat -c %s "$d")" ] || failed "$n: $(cat "$T/rows")"
	done
	[ "$(awk -F '\t' '{ s += $5 } END { print s }' "$T/rows")" -gt 10 ]
	done_all
}

@test "chunks: what has none, and wrong usage" {
	try sh -c "cat data/demo.data | pcat --chunks"
	[ $rc = 2 ] && one_line "pcat: --chunks: the recording comes from a pipe" || failed "pipe"
	try pcat --chunks data/gperf/n.prof
	[ $rc = 2 ] && one_line "pcat: --chunks: a CPU profile" || failed "CPU profile"
	zstd -qc data/demo.data >"$T/f.zst" 2>/dev/null || return 0
	try pcat --chunks "$T/f.zst"
	[ $rc = 2 ] && one_line "pcat: --chunks: the whole recording is compressed" || failed "zstd"
	for o in -z --repair "--piece=1/2" "--format=file -o x" --merge-attrs; do
		try pcat --chunks $o data/demo.data
		[ $rc = 2 ] && one_line "pcat: --" || failed "$o"
	done
	for s in 4095 65M x; do
		try pcat --chunks --chunk-size=$s data/demo.data
		[ $rc = 2 ] && one_line "pcat: --chunk-size '$s'" || failed "$s"
	done
	try pcat --chunk-size=1M data/demo.data
	[ $rc = 2 ]
	one_line "pcat: --chunk-size: needs --chunks"
	# damage: those in front of it
	head -c 60001 data/demo.data >"$T/cut"
	try pcat --chunks --chunk-size=16K "$T/cut"
	[ $rc = 1 ]
	one_line "pcat: $T/cut: byte "
	[ "$(wc -l <"$T/out")" -ge 4 ]
	try pcat --chunks -o "$T/table" data/demo.data
	[ $rc = 0 ]
	pcat --chunks data/demo.data | cmp - "$T/table"
	done_all
}

# SPDX-License-Identifier: ISC
# pstat: what the plain screen shows besides counts: losses by time, findings, what the recording contains.
load lib
load pstat
load damage

stream() {
	cat >"$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/recipe.pipe"
}
# The lines of a screen under a label.
under() {
	awk -v label="$1" '/^[^ ]/ { on = $1 == label } on' "$T/out" | sed 's/^.\{12\}//'
}
HEAD='attr type=1 config=0 period=1 sample_type=IP|TID|TIME|ID flags=sample_id_all|comm ids=11'

@test "pstat losses: bins add up to the LOST records of perf script, at their times" {
	need jq perf
	need corpus
	for n in lost p612_lost p72_lost; do
		for f in "$CORPUS/own/$n.pipe.data" "$CORPUS/own/$n.file.data"; do
			pstat --json "$f" >"$T/json"
			jq -e '(.losses | map(.lost) | add) == .lost.records and (.losses | map(.lost_samples) | add) == .lost.samples' "$T/json" >/dev/null ||
			    failed "$f: sums"
			jq -e '[.losses[] | select(.time_ns == null)] == [{"time_ns":null,"width_ns":null,"lost":0,"lost_samples":.lost.samples}]' "$T/json" \
			    >/dev/null || failed "$f: LOST_SAMPLES have no time"
			# an older perf does not read the files of a newer one
			perf script --show-lost-events --ns -i "$f" 2>/dev/null </dev/null |
			    sed -n 's/.* \([0-9]*\)\.\([0-9]*\): PERF_RECORD_LOST lost \([0-9]*\)$/\1\2 \3/p' |
			    awk '{ n[sprintf("%.0f", $1 - $1 % 1000000)] += $2 } END { for (i in n) print i, n[i] }' | sort -n >"$T/want"
			[ -s "$T/want" ] || continue
			jq -r '.losses[] | select(.time_ns != null) | "\(.time_ns) \(.lost)"' "$T/json" | diff "$T/want" - >"$T/diff" ||
			    failed "$f: < perf script, > pstat: $(head -n 6 "$T/diff")"
		done
	done
	done_all
}

@test "pstat losses: a line under lost, in the characters of the locale and the width of the screen" {
	{
		echo "$HEAD"
		echo "SAMPLE ip=1 pid=1 tid=1 time=1000000000 id=11"
		echo "LOST id=11 lost=8 @ pid=1 tid=1 time=1010000000 id=11"
		echo "LOST id=11 lost=1 @ pid=1 tid=1 time=1011000000 id=11"
		echo "LOST id=11 lost=4 @ pid=1 tid=1 time=1011500000 id=11"
		echo "LOST id=11 lost=2 @ pid=1 tid=1 time=1019000000 id=11"
		echo "SAMPLE ip=1 pid=1 tid=1 time=1019999999 id=11"
	} | stream
	for l in LC_ALL=C.UTF-8 LC_CTYPE=en_US.utf8 LANG=de_DE.UTF-8; do
		env -u LC_ALL -u LC_CTYPE -u LANG $l pstat "$T/recipe.pipe" >"$T/out"
		[ "$(under lost | sed 1d)" = "|          █▅       ▂| LOST, up to 8 in 1 ms" ] || failed "$l: $(under lost)"
	done
	for l in LC_ALL=C LANG=C A=B; do
		env -u LC_ALL -u LC_CTYPE -u LANG $l pstat "$T/recipe.pipe" >"$T/out"
		[ "$(under lost | sed 1d)" = "|          @+       :| LOST, up to 8 in 1 ms" ] || failed "$l: $(under lost)"
	done
	LC_ALL=C LANG=C.UTF-8 pstat "$T/recipe.pipe" | grep -q '@+'
	# longer than the columns: several bins each, and nothing is left out
	for ((i = 0; i < 500; i++)); do echo "LOST id=11 lost=$((i % 3)) @ pid=1 tid=1 time=$((5000000000 + i * 3000000)) id=11"; done |
	    { echo "$HEAD"; cat; } | stream
	LC_ALL=C pstat "$T/recipe.pipe" >"$T/out"
	[ "$(under lost | wc -l)" = 2 ] && [ "$(under lost | sed 1d | awk '{ print length }')" -le 88 ] || failed "$(under lost)"
	# nothing lost
	{ echo "$HEAD"; echo "SAMPLE ip=1 pid=1 tid=1 time=1 id=11"; } | stream
	pstat "$T/recipe.pipe" >"$T/out"
	[ "$(under lost | wc -l)" = 1 ] || failed "nothing lost"
	done_all
}

@test "pstat losses: no loss twice, what has no time, what a BPF filter left out" {
	need jq
	{
		echo "$HEAD"
		echo "SAMPLE ip=1 pid=1 tid=1 time=1000000000 id=11"
		echo "LOST id=11 lost=5 @ pid=1 tid=1 time=1000000000 id=11"
		echo "LOST id=11 lost=2 @ pid=1 tid=1 time=0 id=11"
		echo "LOST_SAMPLES lost=9 @ pid=1 tid=1 time=1002000000 id=11"
		echo "LOST_SAMPLES misc=0x8000 lost=100 @ pid=1 tid=1 time=1001000000 id=11"
		echo "SAMPLE ip=1 pid=1 tid=1 time=1004000000 id=11"
	} | stream
	LC_ALL=C pstat "$T/recipe.pipe" >"$T/out"
	under lost | sed 1d | diff - <(printf '|  @  | LOST_SAMPLES, up to 9 in 1 ms\nwithout a time: 2 records\n')
	[ "$(pstat --json "$T/recipe.pipe" | jq -c '.losses | map([.time_ns, .width_ns, .lost, .lost_samples])')" = \
	    '[[1000000000,1000000,5,0],[1002000000,1000000,0,9],[null,null,2,0]]' ]
	# only without a time
	{ echo "$HEAD"; echo "LOST id=11 lost=2 @ pid=1 tid=1 time=0 id=11"; } | stream
	LC_ALL=C pstat "$T/recipe.pipe" >"$T/out"
	[ "$(under lost | sed 1d)" = "without a time: 2 records" ]
}

# 3,000 losses at times that are a year apart, or that go back, or near the ends of time.
@test "pstat losses: times that jump, in bounded memory; parts add up to the whole" {
	need jq
	for step in 31536000000000000 2000000 777777777; do
		for ((i = 0; i < 3000; i++)); do
			echo "LOST id=11 lost=$((i % 7)) @ pid=1 tid=1 time=$((1000000 + (i * 1999 % 290) * step + i)) id=11"
		done >"$T/lines"
		{ echo "$HEAD"; cat "$T/lines"; echo "LOST id=11 lost=3 @ pid=1 tid=1 time=18446744073709551614 id=11"; } | stream
		pstat --json "$T/recipe.pipe" >"$T/whole"
		jq -e '(.losses | length) <= 1025 and (.losses | map(.lost) | add) == .lost.records' "$T/whole" >/dev/null || failed "$step"
		LC_ALL=C pstat "$T/recipe.pipe" | grep -q '^            |' || failed "$step: screen"
		# in parts, of which most have narrower bins
		split -n l/7 "$T/lines" "$T/part."
		echo "LOST id=11 lost=3 @ pid=1 tid=1 time=18446744073709551614 id=11" >>"$T/part.ac"
		for p in "$T"/part.a?; do
			{ echo "$HEAD"; cat "$p"; } >"$T/one.txt"
			mkpipe "$T/one.txt" | command pstat --json >"$p.json"
		done
		pstat --merge --json "$T"/part.*.json >"$T/merged"
		diff <(jq -c '.losses[]' "$T/whole") <(jq -c '.losses[]' "$T/merged") >"$T/diff" || failed "$step: $(head -n 4 "$T/diff")"
		rm "$T"/part.*
	done
	# more bins of the widest width than there can be
	for ((i = 0; i < 1100; i++)); do echo "LOST id=11 lost=1 @ pid=1 tid=1 time=$((1 + i * 3600000000000)) id=11"; done |
	    { echo "$HEAD"; cat; } | stream
	[ "$(pstat --json "$T/recipe.pipe" | jq -c '[.exact, (.losses | length), .losses[-1].lost]')" = '[false,1025,76]' ] || failed "too many"
	done_all
}

@test "pstat losses: what cannot be a bin is not merged" {
	need jq
	{ echo "$HEAD"; echo "LOST id=11 lost=2 @ pid=1 tid=1 time=5000000 id=11"; } | stream
	pstat --json "$T/recipe.pipe" >"$T/a"
	pstat --merge --json "$T/a" >/dev/null
	for e in '.width_ns = 7' '.width_ns = 0' '.time_ns = 5000001' '.width_ns = null' '.time_ns = null' '.lost = null'; do
		jq ".losses[0] |= ($e)" "$T/a" >"$T/b"
		try pstat --merge --json "$T/b"
		[ $rc = 1 ] && [ ! -s "$T/out" ] && grep -q 'a row of losses' "$T/err" || failed "$e"
	done
	done_all
}

@test "pstat: the screen of --merge lists hosts" {
	need jq
	for h in alpha beta 'gam\x1bma' h4 h5 h6 h7; do
		{ echo "$HEAD"; echo "HEADER_FEATURE feat_id=3 fs=$h"; echo "SAMPLE ip=1 pid=1 tid=1 time=1 id=11"; } | stream
		pstat --json "$T/recipe.pipe"
	done >"$T/all"
	pstat --merge "$T/all" "$T/all" >"$T/out"
	[ "$(under hosts | head -n 2)" = $'alpha: 2 recordings, 2 samples\nbeta: 2 recordings, 2 samples' ] || failed "$(under hosts)"
	[ "$(under hosts | tail -n 1)" = "2 more" ] || failed "$(under hosts)"
	{ echo "$HEAD"; echo "SAMPLE ip=1 pid=1 tid=1 time=1 id=11"; } | stream
	pstat --json "$T/recipe.pipe" | pstat --merge >"$T/out"
	[ "$(under hosts)" = "unknown: 1 recording, 1 samples" ] || failed "$(under hosts)"
	pstat "$T/recipe.pipe" >"$T/out"
	[ -z "$(under hosts)" ]
	done_all
}

# 1,030 threads with 1,030 maps each.
@test "pstat: a report is not exact if rows of --mmaps are left out" {
	for n in 1 1030; do
		{
			echo "$HEAD"
			for ((i = 0; i < 1030; i++)); do
				echo "MMAP2 misc=2 pid=10 tid=10 start=$((4096 * (i + 1))) len=4096 prot=5 filename=/lib/a @ pid=10 tid=10 time=5 id=11"
			done
			for ((i = 1; i < n; i++)); do echo "COMM pid=10 tid=$((10 + i)) comm=t @ pid=10 tid=10 time=6 id=11"; done
		} | stream
		exact=$(pstat --mmaps --csv --table report "$T/recipe.pipe" | tr -d '\r' |
		    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "exact") at = i } NR == 2 { print $at }')
		[ "$exact" = "$([ $n = 1 ] && echo true || echo false)" ] || failed "$n threads: $exact"
	done
	done_all
}

@test "pstat -s dso: DSOs with samples, and those with a build-id, are as many as perf buildid-list says" {
	need jq perf
	need corpus
	for n in a_g.file a_g.pipe p72_lost.pipe multi.file lost.file k_mono.file cgroups.file; do
		f=$CORPUS/own/$n.data
		# an older perf does not read the streams of a newer one
		perf buildid-list -H -i "$f" 2>/dev/null </dev/null | sort -u |
		    awk '{ n++ } $1 ~ /^[0-9a-f]+$/ && length($1) == 40 && $1 !~ /^0+$/ { with++ } END { if (n) print n, with + 0 }' >"$T/want"
		[ -s "$T/want" ] || continue
		pstat --json -s dso "$f" >"$T/json"
		jq -r '.files | "\(.hit) \(.hit_with_build_id)"' "$T/json" | diff "$T/want" - >"$T/diff" || failed "$n: $(cat "$T/diff")"
		# with other keys they are the same
		pstat --json -s comm,dso,cpu "$f" | jq -c .files | diff - <(jq -c .files "$T/json") || failed "$n: -s comm,dso,cpu"
		jq -e '.files.hit_samples_with_build_id <= .samples' "$T/json" >/dev/null || failed "$n: samples"
	done
	done_all
}

@test "pstat: build-ids of the files with samples, by BUILD_ID and MMAP2 of files, the kernel and the vdso" {
	need jq
	id=0102030405060708090a0b0c0d0e0f1011121314
	{
		echo "$HEAD"
		echo "MMAP2 misc=2 pid=1 tid=1 start=0x1000 len=0x1000 prot=5 filename=/lib/a @ pid=1 tid=1 time=1 id=11"
		echo "MMAP2 misc=2 pid=1 tid=1 start=0x2000 len=0x1000 prot=5 filename=/lib/b @ pid=1 tid=1 time=1 id=11"
		echo "MMAP2 misc=2 pid=1 tid=1 start=0x3000 len=0x1000 prot=5 filename=/lib/never @ pid=1 tid=1 time=1 id=11"
		echo "MMAP2 misc=2 pid=1 tid=1 start=0x4000 len=0x1000 prot=5 filename=[vdso] @ pid=1 tid=1 time=1 id=11"
		for ip in 0x1000 0x1100 0x1200 0x2000 0x4000 0x9000; do echo "SAMPLE misc=2 ip=$ip pid=1 tid=1 time=2 id=11"; done
		for n in /lib/a /lib/never [vdso]; do echo "HEADER_BUILD_ID misc=2 pid=-1 build_id=$id filename=$n"; done
	} | stream
	pstat -s dso "$T/recipe.pipe" >"$T/out"
	[ "$(under build-ids)" = "2 of 3 mapped files; 2 of 3 DSOs with samples, with 66.7% of all samples" ] || failed "$(cat "$T/out")"
	[ "$(pstat --json -s dso "$T/recipe.pipe" | jq -c '.files | [.mapped, .with_build_id, .hit, .hit_with_build_id, .hit_samples_with_build_id]')" = '[3,2,3,2,4]' ] || failed "JSON"
	[ "$(pstat --json -s pid "$T/recipe.pipe" | jq -c '.files | [.mapped, .with_build_id, .hit, .hit_with_build_id, .hit_samples_with_build_id]')" = '[3,2,null,null,null]' ] || failed "another key"
	pstat --json -s dso "$T/recipe.pipe" >"$T/a"
	[ "$(pstat --merge --json "$T/a" "$T/a" | jq -c '.files | [.mapped, .with_build_id, .hit, .hit_with_build_id, .hit_samples_with_build_id]')" = '[3,2,3,2,8]' ] || failed "merged"
	pstat "$T/recipe.pipe" >"$T/out"
	[ "$(under build-ids)" = "2 of 3 mapped files" ] || failed "plain"
	done_all
}

# glance FILE NAME: each finding of the screen is one that --check has, and none is a note; each word of what it contains is a
# row of --privacy that is not none.
glance() {
	command pstat -q "$1" >"$T/out" 2>/dev/null </dev/null || :
	: >"$T/findings"; : >"$T/all"; : >"$T/words"
	[ -s "$T/out" ] || return 0
	command pstat --check -q "$1" >"$T/check" 2>/dev/null </dev/null || :
	command pstat --privacy --csv --table privacy -q "$1" >"$T/privacy" 2>/dev/null </dev/null || :
	awk -v dir="$T/" '
		FILENAME == dir "out" {
			if (/^[^ ]/) label = $1
			text = substr($0, 13)
			if (label == "findings")
				for (n = split(text, part, "; "); n; n--) {
					if (part[n] ~ /^[EWN][0-9][0-9] /) found[substr(part[n], 1, 3)]
				}
			if (label == "contains") {
				sub(/ \(see --privacy\)$/, "", text); sub(/, [0-9]* more$/, "", text); sub(/^nothing at a glance$/, "", text)
				for (n = split(text, part, ", "); n; n--) word[part[n]]
			}
		}
		FILENAME == dir "check" && /^[a-z]* [EW][0-9][0-9] / { all[$2]; print $2 >(dir "all") }
		FILENAME == dir "privacy" && FNR > 1 { split($0, part, ","); if (part[5] > 0) row[part[1]] }
		END {
			for (i in found) { print i >(dir "findings"); if (!(i in all)) print "finding " i }
			for (i in word) { print i >(dir "words"); if (!(i in row)) print "contains " i }
		}' "$T/out" "$T/check" "$T/privacy" >"$T/wrong"
	[ ! -s "$T/wrong" ] || failed "$2: --check and --privacy have not:" $(cat "$T/wrong")
}

@test "pstat: what a glance shows is what --check and --privacy find: kinds of damage" {
	seen=0 missed=0
	for k in $(kinds | each 4); do
		kind "$k" + >"$T/in"
		glance "$T/in" "$k"
		seen=$((seen + $(wc -l <"$T/findings")))
		[ -s "$T/findings" ] || [ ! -s "$T/all" ] || missed=$((missed + 1))
	done
	echo "$seen findings, $missed kinds of which none is seen"
	[ $seen -ge $(((ALL ? 4 : 1) * 37)) ] && [ $missed -le $(((ALL ? 4 : 1) * 12)) ] || failed "$seen findings, $missed kinds of which none is seen"
	done_all
}
@test "pstat: what a glance shows is what --check and --privacy find: recordings, also after pfilter --anon all" {
	need jq
	for f in data/*.data; do
		turn 5 || continue
		glance "$f" "$f"
		pfilter --anon all -q "$f" >"$T/anon" 2>/dev/null </dev/null || [ -s "$T/anon" ] || continue
		glance "$T/anon" "$f, anonymous"
		command pstat --privacy --json -q "$T/anon" 2>/dev/null | jq -r '.privacy[] | select(.anon_all == "none") | .row' >"$T/promised"
		! grep -xFf "$T/words" "$T/promised" >"$T/left" || failed "$f: pfilter --anon all leaves" $(cat "$T/left")
	done
	for f in data/*.txt; do
		turn 9 || continue
		mkpipe "$f" >"$T/in" 2>/dev/null || continue
		glance "$T/in" "$f"
	done
	if [ -d "${CORPUS:-/nonexistent}" ]; then
		for f in $(printf '%s\n' "$CORPUS"/own/* | each 40); do glance "$f" "$f"; done
	fi
	done_all
}

@test "pstat: three findings, errors first, with how often; on lines of the width of the screen" {
	{
		echo "$HEAD"
		for ((i = 0; i < 100; i++)); do echo "LOST id=11 lost=3 @ pid=1 tid=1 time=$((i + 5)) id=11"; done
		echo "SAMPLE ip=1 pid=1 tid=1 time=5000000000 id=11"
		echo "SAMPLE ip=1 pid=1 tid=1 time=9 id=11"
		for ((i = 0; i < 100; i++)); do echo "MMAP2 misc=2 pid=10 tid=10 start=0x1000 len=0 prot=5 filename=/lib/a @ pid=10 tid=10 time=9 id=11"; done
		echo "FORK pid=9 tid=9 ppid=9 ptid=9 @ pid=9 tid=9 time=9 id=11"
		echo "EXIT pid=9 tid=9 ppid=9 ptid=9 @ pid=9 tid=9 time=0 id=11"
	} | stream
	pstat "$T/recipe.pipe" >"$T/out"
	under findings | diff - <(cat <<-'END'
		E20 FORK of a task by itself; E32 EXIT without a time;
		W17 map that is empty, has no name, or ends past the last address: at least 64 times;
		1 more; --check looks at every record
	END
	) || failed "order"
	grep -v '^FORK\|^EXIT' "$T/recipe.txt" | mkpipe >"$T/in"
	pstat "$T/in" >"$T/out"
	under findings | diff - <(cat <<-'END'
		W17 map that is empty, has no name, or ends past the last address: at least 64 times;
		W18 lost records or samples: 100 times; --check looks at every record
	END
	) || failed "counts"
	done_all
}

@test "pstat: a glance is only for the screen without options, and changes neither messages nor status" {
	need jq
	kind feature-newer + >"$T/in"
	for o in "--check" "--privacy" "-s comm" "--header"; do
		pstat $o "$T/in" >"$T/out" 2>/dev/null || :
		! grep -q '^findings\|^contains' "$T/out" || failed "$o"
	done
	pstat --json "$T/in" | jq -e 'has("findings") or has("privacy") or has("glance_findings") or has("glance_privacy") | not' >/dev/null ||
	    failed "JSON"
	pstat "$T/in" >"$T/out"
	under findings | grep -q '^E25 ' || failed "$(cat "$T/out")"
	# a record that cannot be counted ends the reading with a message, and its rule is a finding
	kind id-sample + >"$T/in"
	try pstat "$T/in"
	[ $rc = 1 ] && grep -q 'belongs to no event' "$T/err" && under findings | grep -q '^E07 ' || failed "E07: $rc $(cat "$T/err")"
	# a fault that the source goes on behind stays a warning
	kind nrcpus-online + >"$T/in"
	try pstat "$T/in"
	[ -s "$T/err" ] || failed "no warning"
	# nothing to find, and nothing at all
	{ echo "$HEAD"; echo "SAMPLE ip=1 pid=1 tid=1 time=1 id=11"; } | stream
	pstat "$T/recipe.pipe" >"$T/out"
	[ "$(under findings)" = "none at a glance; --check looks at every record" ] || failed "$(under findings)"
	[ "$(under contains)" = "pids (see --privacy)" ] || failed "$(under contains)"
	done_all
}

# The samples behind the first 64 of an event are not looked at.
@test "pstat: the first samples of each event are looked at" {
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|ID|STACK_USER flags=sample_id_all|comm stack_user=16 ids=11"
		echo "attr type=1 config=1 period=1 sample_type=IP|TID|TIME|ID|STACK_USER flags=sample_id_all|comm stack_user=16 ids=12"
		for ((i = 0; i < 100; i++)); do echo "SAMPLE ev=0 ip=1 pid=1 tid=1 time=$((i + 1)) id=11 stack=00000000000000000000000000000000"; done
		echo "SAMPLE ev=1 ip=1 pid=1 tid=1 time=1000 id=12 stack=01020304050607080102030405060708"
	} | stream
	pstat "$T/recipe.pipe" >"$T/out"
	[ "$(under contains)" = "stacks, pids (see --privacy)" ] || failed "$(under contains)"
	pstat --json "$T/recipe.pipe" >"$T/a"
	pstat "$T/recipe.pipe" | grep -q ' 101 samples' || failed "samples"
	sed '$s/stack=.*/stack=00000000000000000000000000000000/' "$T/recipe.txt" | mkpipe >"$T/in"
	pstat "$T/in" >"$T/out"
	[ "$(under contains)" = "pids (see --privacy)" ] || failed "$(under contains)"
	done_all
}

# many AT: 257 events; the sample AT of the last one has a stack
many() {
	local i

	for ((i = 0; i < 257; i++)); do
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|ID|STACK_USER flags=sample_id_all|comm stack_user=16 ids=$((11 + i))"
	done
	for ((i = 1; i <= 5; i++)); do
		echo "SAMPLE ev=256 ip=1 pid=1 tid=1 time=$i id=267 stack=$([ $i = $1 ] && echo 01020304050607080102030405060708 ||
		    echo 00000000000000000000000000000000)"
	done
}

@test "pstat: of many events, only the first four samples of each further one are looked at" {
	many 4 | stream
	pstat "$T/recipe.pipe" >"$T/out"
	[ "$(under contains)" = "stacks, pids (see --privacy)" ] || failed "the fourth: $(under contains)"
	many 5 | stream
	pstat "$T/recipe.pipe" >"$T/out"
	[ "$(under contains)" = "pids (see --privacy)" ] || failed "the fifth: $(under contains)"
	done_all
}

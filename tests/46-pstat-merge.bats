# SPDX-License-Identifier: ISC
# pstat --merge: the reports of the parts of a recording add up to that of the whole, in any order and grouping.
load lib
load pstat

# What the parts have in common with the whole: parts repeat head and side-band, and nobody sees both sides of a cut.
FIGURES='{samples, period, lost, losses, content, other_pids, sorted_by, events: (.events | map(select(.records > 0 or .lost > 0) | del(.nth)) | sort),
	comms: (.comms | map(del(.pids)) | sort), pids: (.pids | sort), sort: (.sort // [] | sort), hist: (.hist // [] | sort)}'

# parts FILE SIZE OPTION...: the report of FILE, and of its parts.
parts() {
	local f=$1 size=$2
	shift 2
	rm -rf "$T/parts"
	mkdir "$T/parts"
	pcat -q --switch-output="$size" -o "$T/parts/p" "$f"
	command pstat "$@" --json "$f" >"$T/whole" || [ $? = 1 ]
	for p in "$T"/parts/p.*; do
		command pstat "$@" --json "$p" >"$p.json" || [ $? = 1 ]	# what --check finds
	done
}

# law FILE SIZE OPTION...: merge(parts of FILE) = FILE.
law() {
	parts "$@"
	[ "$(ls "$T/parts" | wc -l)" -ge 4 ] || failed "$*: not two parts"
	pstat --merge --json "$T"/parts/*.json >"$T/merged"
	diff <(jq $SORTED "$FIGURES" "$T/whole") <(jq $SORTED "$FIGURES" "$T/merged") >"$T/diff" || failed "$*: $(head -n 6 "$T/diff")"
}

@test "pstat --merge: the parts of a recording are the whole" {
	need jq
	for f in data/multi.pipe.data data/a_many.file.data data/demo.data data/g_fp.pipe.data; do
		law "$f" 16K
		for o in "-s comm" "-s time" "-s time,cpu" "-s pid,event" "--hist period" "--hist size:p -s tid" "-s time --time-quantum=5ms"; do
			turn 5 || continue
			law "$f" 24K $o
		done
	done
	done_all
}

@test "pstat --merge: the parts of recordings of the corpus" {
	need jq
	need corpus
	for n in forks lost cgroups switch_cpu raw_syscalls s390x_sched_R mixed_types; do
		turn 5 || continue
		law "$CORPUS/own/$n.pipe.data" 24K
		law "$CORPUS/own/$n.pipe.data" 20K -s time,comm
		law "$CORPUS/own/$n.pipe.data" 20K -s comm --hist size
	done
	done_all
}

@test "pstat --merge: any order and grouping gives the same bytes" {
	need jq
	parts data/demo.data 8K -s time --check --tasks
	set -- "$T"/parts/*.json
	[ $# -ge 4 ]
	pstat --merge --json "$@" >"$T/all"
	pstat --merge --json $(printf '%s\n' "$@" | tac) | cmp - "$T/all"
	pstat --merge --json "$1" "$2" >"$T/front"
	pstat --merge --json "${@:3}" >"$T/back"
	pstat --merge --json "$T/back" "$T/front" | cmp - "$T/all"
	pstat --merge --json "$T/front" "${@:3}" | cmp - "$T/all"
	cat "$@" | pstat --merge --json - | cmp - "$T/all"
	cat "$@" | pstat --merge --json | cmp - "$T/all"
	# merged with nothing it is itself
	pstat --merge --json "$T/all" | cmp - "$T/all"
	rows='del(.recordings, .approx, .hosts) | map_values(if type == "array" then sort else . end)'
	pstat --merge --json "$T/whole" | jq $SORTED "$rows" | diff <(jq $SORTED "$rows" "$T/whole") - || failed "one report"
	[ "$(jq -c .recordings "$T/all")" = $# ]
	done_all
}

# of NAME SAMPLES: a report of a host of that name.
of() {
	{
		echo "attr type=${3-1} config=${4-0} period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|comm ids=11"
		echo "HEADER_FEATURE feat_id=3 fs=$1"
		echo "EVENT_UPDATE update_type=2 id=11 z=ev"
		for ((i = 0; i < $2; i++)); do echo "SAMPLE ip=1 pid=7 tid=7 time=$((1000 + i)) period=${5-2}"; done
	} | mkpipe | command pstat --json
}

# The last time of a CPU in one part and the first in the next are of different reports: recordings of several hosts have cuts, too.
@test "pstat --merge: a histogram of what is between two records is named as approximate, and has less" {
	need jq
	for v in interval gap round disorder interval:p; do
		parts data/demo.data 24K --hist $v
		pstat --merge --json "$T"/parts/*.json >"$T/merged"
		jq -e '.approx | index("hist")' "$T/merged" >/dev/null || failed "$v: not named"
		pstat --merge "$T"/parts/*.json | grep -q '^approx .*cuts' || failed "$v: the screen"
		# of one report alone, nothing is missing
		pstat --merge --json "$T/whole" | jq -e '.approx == []' >/dev/null || failed "$v: one"
		! pstat --merge "$T/whole" | grep '^approx' || failed "$v: the screen of one"
	done
	parts data/demo.data 24K --hist interval
	(($(jq .hist[0].count "$T/whole") > $(pstat --merge --json "$T"/parts/*.json | jq .hist[0].count))) || failed "there is no cut"
	parts data/demo.data 24K --hist size
	pstat --merge --json "$T"/parts/*.json | jq -e '.approx | index("hist") | not' >/dev/null || failed "size"
	done_all
}

@test "pstat --merge: hosts are listed, what differs is unknown, what is marked approx is named" {
	need jq
	of alpha 3 >"$T/a"
	of beta 4 >"$T/b"
	of beta 5 >"$T/c"
	pstat --merge --json "$T/a" "$T/b" "$T/c" >"$T/o"
	[ "$(jq -c .hosts "$T/o")" = '[{"host":"beta","recordings":2,"samples":9},{"host":"alpha","recordings":1,"samples":3}]' ]
	[ "$(jq -c '[.recordings, .samples, .period, .features.hostname, .features.perf_version]' "$T/o")" = '[3,12,24,null,null]' ]
	[ "$(jq -c '.time | [.first_ns, .last_ns, .duration_ns]' "$T/o")" = '[1000,1004,4]' ]
	jq -e '.approx | index("order.backward") and index("order.round_bytes_max") and index("comms.pids")' "$T/o" >/dev/null
	[ "$(pstat --merge --json "$T/a" | jq -c '[.approx, .features.hostname]')" = '[[],"alpha"]' ]
	# the forms are those of any report
	pstat --merge "$T/a" "$T/b" | grep -q '7 samples'
	[ "$(pstat --merge --csv --table hosts "$T/a" "$T/b" | tr -d '\r')" = $'host,recordings,samples\nbeta,1,4\nalpha,1,3' ]
}

@test "pstat --merge: other schemas, units, keys and tables are refused, and nothing is written" {
	need jq
	of alpha 3 >"$T/a"
	refused() {
		local want=$1
		shift
		try pstat --merge --json "$@"
		[ $rc = 1 ] && [ ! -s "$T/out" ] && [ "$(wc -l <"$T/err")" = 1 ] && grep -q "$want" "$T/err" || failed "$*: $want"
	}
	jq '.schema = 3' "$T/a" >"$T/b"
	refused 'schema 3' "$T/a" "$T/b"
	of beta 3 0 1 >"$T/b"
	refused 'event ev is not what it is' "$T/a" "$T/b"
	refused 'event ev is not what it is' "$T/b" "$T/a"
	of beta 3 1 3 >"$T/b"
	refused 'event ev is not what it is' "$T/a" "$T/b"
	# numbers of tracepoints differ from machine to machine
	of alpha 3 2 300 >"$T/c"
	of beta 3 2 301 >"$T/d"
	[ "$(pstat --merge --json "$T/c" "$T/d" | jq -c '.events[0] | [.attr_type, .attr_config, .samples]')" = '[2,null,6]' ] || failed tracepoints
	pstat --json -s comm data/demo.data >"$T/b"
	pstat --json -s pid data/demo.data >"$T/c"
	refused 'sorted by' "$T/a" "$T/b"
	refused 'sorted by' "$T/b" "$T/c"
	pstat --json --tasks data/demo.data >"$T/b"
	refused 'table threads' "$T/a" "$T/b"
	refused 'table threads' "$T/b" "$T/a"
	pstat --json --hist size data/demo.data >"$T/b"
	refused 'table hist' "$T/a" "$T/b"
	refused 'table hist' "$T/b" "$T/a"
	refused 'No such file' "$T/a" "$T/nosuch"
	refused 'no JSON' "$T/a" data/demo.data
	refused 'not a report' /dev/null
	echo '{}' >"$T/b"
	refused 'not a report' "$T/b"
	echo '[1]' >"$T/b"
	refused 'not a report' "$T/b"
	head -c 300 "$T/a" >"$T/b"
	refused 'no JSON' "$T/b"
	for e in '.samples = -1' '.samples = "x"' '.comms = 1' '.comms[0].samples = 1.5' '.comms[0] = 7' '.file = 3' '.features.cmdline = [1]' '.exact = 1' \
	    '.hosts = 1' '.features.hostname = 2' '.time = []' \
	    '.sort = [] | .sorted_by.keys = []' '.sort = [] | .sorted_by.keys = ["nosuch"]' '.sort = [] | .sorted_by.keys = ["pid","pid"]'; do
		jq "$e" "$T/a" >"$T/b"
		refused 'not of its type' "$T/b"
	done
	pstat --json --hist size data/demo.data >"$T/c"
	for e in '.hist[0].buckets[0] = [1]' '.hist[0].buckets[0][1] = 0' '.hist[0].buckets[0][0] = 33' '.hist[0].buckets |= reverse'; do
		jq "$e" "$T/c" >"$T/b"
		refused 'not of its type' "$T/b"
	done
	# durations, and numbers of something
	jq '.events[0].unit = "ns"' "$T/a" >"$T/b"
	refused 'is not what it is in the reports before it, so its periods do not add up' "$T/a" "$T/b"
	for o in --check --tasks "-s comm" --privacy "--top 3"; do
		try pstat --merge $o "$T/a"
		[ $rc = 2 ] || failed "$o"
	done
	done_all
}

@test "pstat --merge: options of how a recording is read are refused" {
	pstat --json data/demo.data >"$T/a.json"
	for o in --max-expand=1 --index-file=x --no-index --verify-index; do
		try pstat --merge $o "$T/a.json"
		[ $rc = 2 ] && one_line "pstat: --merge: cannot be combined with ${o%%=*}; it reads reports, not recordings" || failed "$o"
	done
	done_all
}

@test "pstat --merge: numbers past 2^63 and hostile names" {
	need jq
	of '\x1b[2J=1+1' 2 1 0 9223372036854775807 >"$T/a"
	pstat --merge --json "$T/a" "$T/a" >"$T/o"
	[ "$(jq -c '[.exact, .period == 9223372036854775807, .samples]' "$T/o")" = '[false,true,4]' ]
	pstat --merge --json "$T/o" "$T/a" | jq -c '[.exact, .samples]' | grep -qx '\[false,6\]'
	for in in data/escape.data; do
		command pstat --json "$in" >"$T/b"
		pstat --merge --json "$T/b" | jq $SORTED 'del(.recordings, .approx, .hosts)' | diff <(jq $SORTED . "$T/b") -
		pstat --merge "$T/b" >"$T/screen"
		! tr -d '\n\t' <"$T/screen" | grep -aP '[\x00-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]' || false
		diff <(pstat "$in" | tail -n 12) <(tail -n 12 "$T/screen")
	done
}

@test "pstat --merge: a thousand reports in little memory" {
	need native
	! sanitized || skip "a sanitizer needs its own memory"
	of alpha 3 >"$T/a"
	of beta 4 >"$T/b"
	names=()
	for ((i = 0; i < 500; i++)); do names+=("$T/a" "$T/b"); done
	(ulimit -v 60000; command pstat --no-sandbox --merge --json "${names[@]}") >"$T/o"
	[ "$(jq -c '[.recordings, .samples]' "$T/o")" = '[1000,3500]' ]
}

@test "pstat --merge: pieces do not know how often the recording steps back in time" {
	for k in 1 2; do pstat --piece=$k/2 --json data/demo.data >"$T/$k"; done
	try pstat --merge "$T/1" "$T/2"
	[ $rc = 0 ]
	grep -q '^order .*; unknown number of steps back in time' "$T/out"
	pstat --json data/demo.data >"$T/whole"
	try pstat --merge "$T/whole"
	grep -q '^order .*; [0-9]* steps back in time' "$T/out"
}

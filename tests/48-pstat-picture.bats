# SPDX-License-Identifier: ISC
# pstat --picture: the cells of each picture have the samples that perf script shows in them.
load lib
load pstat
load perf

# Recordings whose samples have times.
recordings() {
	printf '%s\n' data/{demo,g_fp.pipe,k_mono.pipe,multi.pipe,per_thread.pipe,basic.file,pid2_a.file,p72_forks.pipe,sched_R.file,z1.file,namespaces.pipe}.data
	mkpipe data/read-group.txt >"$T/group.pipe"
	echo "$T/group.pipe"
}

# script FILE: pid tid cpu seconds nanoseconds of each sample; cpu - if it has none.
script() {
	local f=pid,tid,cpu,time
	perf script -f -G -F $f --ns -i "$1" >"$T/script" 2>/dev/null || { f=pid,tid,time; perf script -f -G -F $f --ns -i "$1" >"$T/script" 2>/dev/null || return 1; }
	sed -nE 's|^ *(-?[0-9]+)/(-?[0-9]+) +(\[0*([0-9]+)\])? +([0-9]+)\.([0-9]+): *$|\1 \2 \4- \5 \6|p' "$T/script" |
	    sed -E 's/ ([0-9]+)- / \1 /'
}

# bins WIDTH PART KEY <script: cells "start key count"; those of one start are all within PART of WIDTH.
bins() {
	awk -v w="$1" -v key="$2" '
	key != "all" && $2 == 0 { next }
	{ start = w < 1e9 ? sprintf("%d%09d", $4, int($5 / w) * w) : sprintf("%d000000000", $4 - $4 % (w / 1e9))
	  n[start " " (key == "cpu" ? ($3 == "-" ? "no CPU" : "CPU " $3) : key == "pid" ? $1 : "-")]++ }
	END { for (i in n) { c = n[i]; sub(/^0+/, "", i); print (i ~ /^ / ? "0" : "") i, c } }' | sort
}

@test "pstat pictures: each cell has the samples of perf script" {
	need perf
	need jq
	for f in $(recordings); do
		script "$f" >"$T/samples" && [ -s "$T/samples" ] || continue
		try pstat --json --picture cpu,rate,tasks,subsecond "$f"
		[ $rc = 0 ] || failed "$f: status $rc"
		for p in cpu:cpu rate:all subsecond:busy; do
			w=$(jq --arg p "${p%:*}" '.pictures[] | select(.name == $p) | .width_ns' "$T/out")
			bins "$w" "${p#*:}" <"$T/samples" >"$T/want"
			if [ $p = cpu:cpu ]; then
				jq -r '.cpu[] | "\(.time_ns) \(.band) \(.samples)"' "$T/out"
			else
				jq -r --arg p "${p%:*}" '.[$p] | group_by(.time_ns)[] | "\(.[0].time_ns) - \(map(.samples) | add)"' "$T/out"
			fi | sort >"$T/got"
			cmp -s "$T/want" "$T/got" || failed "$f: $p: $(diff "$T/want" "$T/got" | head -3)"
		done
		# the processes that are shown
		w=$(jq '.pictures[] | select(.name == "tasks") | .width_ns' "$T/out")
		jq -r '.tasks[] | "\(.time_ns) \(.band | split(" ") | last) \(.samples)"' "$T/out" | sort >"$T/got"
		cut -d ' ' -f 2 "$T/got" | sort -u >"$T/pids"
		bins "$w" pid <"$T/samples" >"$T/all"
		awk 'NR == FNR { shown[$1] = 1; next } $2 in shown' "$T/pids" "$T/all" >"$T/want"
		cmp -s "$T/want" "$T/got" || failed "$f: tasks: $(diff "$T/want" "$T/got" | head -3)"
		[ "$(awk '{ n += $3 } END { print n + 0 }' "$T/all")" = "$(jq '.pictures[] | select(.name == "tasks") | .samples' "$T/out")" ] ||
		    failed "$f: samples of tasks"
		echo "$f" >>"$T/done"
	done
	[ "$(wc -l <"$T/done")" -ge 6 ]
	done_all
}

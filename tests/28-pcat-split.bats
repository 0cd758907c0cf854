# SPDX-License-Identifier: ISC
# --switch-output: each chunk opens alone; all together say what the whole says.
load lib

@test "--switch-output: perf script of the chunks is perf script of the whole" {
	need perf
	for f in data/p72_forks.pipe.data data/multi.pipe.data data/namespaces.pipe.data data/sched_R.pipe.data; do
		psort "$f" >"$T/sorted"
		perf script -f -i "$T/sorted" >"$T/want" 2>/dev/null
		for w in rounds:1 32K 50ms; do
			rm -rf "$T/c"; mkdir "$T/c"
			pcat --switch-output=$w --output-template="$T/c/%n" "$T/sorted" || failed "$f $w"
			for c in "$T"/c/*; do perf script -f -i "$c" 2>/dev/null; done | diff "$T/want" - >"$T/diff" ||
			    failed "$f $w: $(head -n 4 "$T/diff")"
		done
	done
	done_all
}

@test "--switch-output: a recording that is not in order is cut at its rounds, fresh ones too" {
	need record
	local fields="-F comm,pid,tid,cpu,time,event,ip,sym,dso,period -G"
	perf record -q -a -g -m 8 -F 2000 -e cpu-clock -o - -- sh -c \
	    'for i in 1 2 3 4 5 6; do ls -R /usr/lib; (echo $i | cat | cat); done >/dev/null' >"$T/w" 2>/dev/null ||
	    cp data/p72_forks.pipe.data "$T/w"
	perf script -f -i "$T/w" $fields 2>/dev/null | sort >"$T/want"
	for how in rounds:10 "rounds:7 --format=file" "64K -z" 20ms; do
		rm -rf "$T/c"; mkdir "$T/c"
		pcat --switch-output=$how --output-template="$T/c/%n" "$T/w" || failed "$how"
		for c in "$T"/c/*; do perf script -f -i "$c" $fields 2>/dev/null; done | sort | diff "$T/want" - >"$T/diff" ||
		    failed "$how: $(head -n 4 "$T/diff")"
	done
	done_all
}

@test "--switch-output: a chunk never takes the place of an input" {
	for n in 00001 00002; do
		psort data/p72_forks.pipe.data >"$T/$n"
		cp "$T/$n" "$T/was"
		try sh -c "cd '$T' && pcat -f --switch-output=16K --output-template=%n $n"
		[ $rc = 1 ] && cmp -s "$T/was" "$T/$n" || failed "$n"
		try sh -c "cd '$T' && pcat -f --switch-output=16K --output-template=%n $n $BATS_TEST_DIRNAME/data/basic.pipe.data"
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

# SPDX-License-Identifier: ISC
# pstat --picture as text: what it looks like, how wide it is, what the environment and names of a recording do to it.
load lib
load pstat

# PICTURES: every picture, but for those that take an argument.
PICTURES=rate,cpu,tasks,subsecond,disorder,fill,flame

# draw COLUMNS LOCALE OPTION...: pstat --term in that environment.
draw() {
	local columns=$1 locale=$2
	shift 2
	env -u NO_COLOR -u LANG -u LC_CTYPE COLUMNS="$columns" LC_ALL="$locale" TERM=xterm pstat --term "$@"
}

@test "pstat --term: pictures of a recording" {
	golden pstat-term-80 draw 80 C --picture $PICTURES,hist:interval data/demo.data
	golden pstat-term-120 draw 120 C --picture $PICTURES,hist:interval data/demo.data
	golden pstat-term-colours-80 draw 80 C.UTF-8 --picture $PICTURES,hist:interval data/demo.data
	golden pstat-term-colours-120 draw 120 C.UTF-8 --scale log --picture $PICTURES,hist:period data/demo.data
}

# looks FILE COLUMNS [ascii]: see pstat.py.
looks() {
	$PYTHON pstat.py text "$@" || failed "$3 $2"
}

@test "pstat --term: no line is too wide, colours end in it, and names do nothing to the terminal" {
	need_module unicodedata
	local f c n=0
	cp data/escape.data "$T/no"$'\033'"[31msuch"
	cp "$(recipe escape)" "$T/right"$'\xe2\x80\xae'left
	mkpipe - >"$T/right-wide" <<-'end'
		attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU flags=sample_id_all|comm ids=1
		COMM pid=100 tid=100 comm=\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97
		COMM pid=101 tid=101 comm=e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81
		COMM pid=4194304 tid=4194304 comm=\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97
		SAMPLE misc=2 ip=0x401000 pid=100 tid=100 cpu=3 time=1000
		SAMPLE misc=2 ip=0x401000 pid=101 tid=101 cpu=3 time=5000000
		SAMPLE misc=2 ip=0x401000 pid=4194304 tid=4194304 cpu=3 time=9000000000000
	end
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU flags=sample_id_all|comm ids=1"
		local i=100 name
		for name in '<script>alert(1)</script>' '\x22&amp;\x27' "$(printf 'L%.0s' {1..4000})" '\xd7\x90\xd7\x91\xe2\x80\x8f\xe2\x81\xa7' '\xff\xc3\x9b2J' 'a\x0ab\x0d\x1b[2J'; do
			i=$((i + 1))
			printf '%s\n' "COMM pid=$i tid=$i comm=$name" "SAMPLE misc=2 ip=0x401000 pid=$i tid=$i cpu=0 time=${i}000"
		done
	} | mkpipe - >"$T/right-hostile"
	for f in data/{demo,escape,multi.pipe,z1.pipe,k_mono.pipe,p72_forks.pipe,sched_R.pipe,s390x_basic.pipe}.data "$T"/no* "$T"/right*; do
		for c in 80 97 120 300; do
			n=$((n + 1))
			turn 7 || continue
			try draw $c C.UTF-8 --picture $PICTURES,hist:period "$f"
			[ $rc = 0 ] && looks "$T/out" $c || failed "$f $c"
			try draw $c C --picture $PICTURES,hist:period "$f"
			[ $rc = 0 ] && looks "$T/out" $c ascii || failed "$f $c ascii"
		done
	done
	[ $n = 48 ]
	done_all
}

@test "pstat --term: each width from 80 to 300" {
	need_module unicodedata
	local c
	for c in $(seq 80 11 300); do
		turn 3 || continue
		try draw $c C.UTF-8 --picture rate,tasks data/demo.data
		[ $rc = 0 ]
		looks "$T/out" $c
	done
	# 80 at least; and nothing that is no number
	draw 80 C --picture cpu data/demo.data >"$T/want"
	for c in 0 1 79 -1 x ""; do
		draw "$c" C --picture cpu data/demo.data | cmp - "$T/want" || failed "COLUMNS='$c'"
	done
	env -u COLUMNS LC_ALL=C pstat --term --picture cpu data/demo.data | cmp - "$T/want" || failed "no COLUMNS"
	done_all
}

@test "pstat --term: ASCII by option, locale, NO_COLOR, or the kind of terminal" {
	draw 80 C --picture $PICTURES data/demo.data >"$T/want"
	try draw 80 C.UTF-8 --picture $PICTURES data/demo.data
	! cmp -s "$T/out" "$T/want" || false
	cp "$T/out" "$T/colours"
	COLUMNS=80 LC_ALL=C.UTF-8 TERM=xterm pstat --term=ascii --picture $PICTURES data/demo.data | cmp - "$T/want" || failed --term=ascii
	export COLUMNS=80 TERM=xterm
	unset NO_COLOR LC_ALL LC_CTYPE LANG
	same() {
		local want=$1
		shift
		env "$@" pstat --term --picture $PICTURES data/demo.data | cmp - "$T/$want" || failed "$*"
	}
	same want -u LC_ALL
	same want LC_ALL=C LANG=de_DE.UTF-8
	same want LANG=de_DE.UTF-8 LC_CTYPE=POSIX
	same want LANG=de_DE.UTF-8 NO_COLOR=1
	same want LANG=de_DE.UTF-8 TERM=dumb
	same want -u TERM LANG=de_DE.UTF-8
	same want LANG=de_DE.ISO-8859-1
	same colours LANG=de_DE.UTF-8
	same colours LANG=de_DE.utf8 NO_COLOR=
	same colours LC_ALL=C.UTF-8 LANG=C
	done_all
}

@test "pstat --term: nothing, and one sample" {
	mkpipe - <<-end >"$T/none.pipe"
		attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU flags=sample_id_all ids=1
		FINISHED_ROUND
	end
	mkpipe - <<-end >"$T/one.pipe"
		attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU flags=sample_id_all ids=1
		SAMPLE misc=2 ip=0x401000 pid=7 tid=7 cpu=3 time=1234567890
	end
	golden pstat-term-none draw 80 C --picture $PICTURES,hist:interval <"$T/none.pipe"
	golden pstat-term-one draw 80 C --picture $PICTURES,hist:interval <"$T/one.pipe"
}

# On a light terminal many is dark, on a dark one it is light; what is not known can be seen on both.
@test "pstat --term: colours by --theme, or by the terminal" {
	local colours=$'\033\\[[0-9;]*m' f=data/demo.data
	used() {	# [VAR=VALUE] OPTION...: the colours of cells, each once
		COLUMNS=100 LC_ALL=C.UTF-8 TERM=xterm env -u NO_COLOR -u COLORFGBG "$@" pstat --term --picture cpu --scale linear $theme $f | grep '^CPU' |
		    grep -o '[34]8;5;[0-9]*' | sort -u | paste -sd ' '
	}
	local theme=
	used >"$T/unknown"
	theme="--theme light" used >"$T/light"
	theme="--theme dark" used >"$T/dark"
	used COLORFGBG="0;15" | cmp - "$T/light" || failed "COLORFGBG light"
	used COLORFGBG="15;default;0" | cmp - "$T/dark" || failed "COLORFGBG dark"
	used COLORFGBG="nonsense" | cmp - "$T/unknown" || failed "COLORFGBG nonsense"
	theme="--theme light" used COLORFGBG="15;0" | cmp - "$T/light" || failed "--theme is not first"
	! cmp -s "$T/light" "$T/dark" && ! cmp -s "$T/light" "$T/unknown" && ! cmp -s "$T/dark" "$T/unknown" || failed "themes are the same"
	grep -q '8;5;231' "$T/dark" || failed "the busiest cell of dark is not white"
	run grep -E '8;5;(231|159|255)\b' "$T/light" "$T/unknown"
	[ $status = 1 ] || failed "white: $output"
	done_all
}

@test "pstat --picture: a machine that is always busy is not one block" {
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU ids=1"
		# 56 to 60 samples in each cell
		awk 'BEGIN { for (t = 0; t < 40; t++) for (c = 0; c < 2; c++) for (i = 0; i < 56 + (t * 7 + c * 3) % 5; i++)
			printf "SAMPLE ip=1 pid=%d tid=%d time=%.0f cpu=%d\n", c + 1, c + 1, 9000000000000 + t * 500000000 + i * 1000, c }'
	} | mkpipe - >"$T/in"
	# classes OPTION...: how many steps of colour it has, and the scale that the legend names
	classes() {
		pstat --picture cpu --time-quantum 500ms "$@" -f -o "$T/svg" "$T/in" || return 1
		echo "$(grep -o 'class="c[1-8]"><title>' "$T/svg" | sort -u | wc -l) $(grep -o 'colours: [a-z ]*' "$T/svg" | sort -u)"
	}
	[ "$(classes --scale linear)" = "1 colours: linear" ] || failed "linear: $(classes --scale linear)"
	[ "$(classes)" = "5 colours: by rank" ] || failed "by itself: $(classes)"
	draw 100 C --picture cpu --time-quantum 500ms "$T/in" | grep -q '(rank)' || failed "text"
	pstat --picture cpu -o "$T/demo.svg" data/demo.data
	grep -q 'colours: linear' "$T/demo.svg" || failed "demo.data"
	done_all
}

@test "pstat --picture: a short subsecond is as wide as the others" {
	pstat --picture cpu,subsecond -o "$T/svg" data/demo.data
	# the right ends of cells of both
	[ "$(sed -nE 's|.*<rect x="([0-9.]+)" y="[0-9.]+" width="([0-9.]+)".*class="c[0-8]".*|\1 \2|p' "$T/svg" | awk '{ if ($1 + $2 > n) n = $1 + $2 } END { print int(n + 0.5) }')" = 1070 ] || failed "cpu"
	[ "$(sed -n '/When in each/,$p' "$T/svg" | sed -nE 's|.*<rect x="([0-9.]+)" y="[0-9.]+" width="([0-9.]+)".*class="c[0-8]".*|\1 \2|p' |
	    awk '{ if ($1 + $2 > n) n = $1 + $2 } END { print (n > 1060) }')" = 1 ] || failed "subsecond"
	done_all
}

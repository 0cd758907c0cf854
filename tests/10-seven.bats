# SPDX-License-Identifier: ISC
# What every tool does with any stream: it changes only what an option selects, and handles every failure.
load lib

# ---- unchanged output -----------------------------------------------------------------------------

@test "identity: recipes come out as they went in, in both byte orders" {
	for r in base ordered small sorted all-types two-events read-group every-sample unknown old-forms escape big; do
		for b in "" -b; do
			in=$(recipe $r $b)
			for t in $STREAMERS; do
				turn 7 || continue
				# A sorter brings what has no time in front; an injector adds what is missing.
				case $t:$r in
				psort:base|psort:ordered|psort:small) ;;
				psort:*|pinject:every-sample|pinject:old-forms|pinject:escape) continue;;
				esac
				try $(neutral $t) "$in"
				[ $rc = 0 ] && cmp "$in" "$T/out" && ! [ -s "$T/err" ] || failed "$t $r $b"
			done
		done
	done
	done_all
}

@test "identity: file, standard input, pipe, -i and -o are the same" {
	in=$(recipe ordered)
	for t in $STREAMERS; do
		c=$(neutral $t)
		$c "$in" | cmp "$in" - || failed "$t operand"
		$c <"$in" | cmp "$in" - || failed "$t stdin"
		$c - <"$in" | cmp "$in" - || failed "$t -"
		cat "$in" | $c | cmp "$in" - || failed "$t pipe"
		$c -i "$in" | cmp "$in" - || failed "$t -i"
		$c --input="$in" --output="$T/$t.o" && cmp "$in" "$T/$t.o" || failed "$t --output"
		$c -i - -o - <"$in" | cmp "$in" - || failed "$t -o -"
	done
	done_all
}

@test "identity: real streams pass pcat and pfilter unchanged" {
	for in in data/*.pipe.data; do
		case $in in *z1.*|*_z22_*) continue;; esac
		for t in pcat pfilter; do
			try $t "$in"
			[ $rc = 0 ] && cmp "$in" "$T/out" && ! [ -s "$T/err" ] || failed "$t $in"
		done
	done
	done_all
}

@test "identity: what is compressed comes out as its plain records" {
	for r in zipped zipped2 compressed-types straddle one-header one-header-zero small-zip; do
		for b in "" -b; do
			in=$(recipe $r $b)
			want=$(plain $r $b)
			# made by hand: mkpipe does not know that it is compressed
			[ $r != one-header-zero ] || want=$(recipe $r-plain $b)
			for t in pcat pfilter; do
				try $t "$in"
				[ $rc = 0 ] && cmp "$want" "$T/out" || failed "$t $r $b"
			done
		done
	done
	done_all
}

@test "identity: an output is an input; twice is as once" {
	for r in rounds sorted two-events; do
		psort "$(recipe $r)" >"$T/1" || failed "psort $r"
		[ "$(wc -c <"$T/1")" = "$(wc -c <"$(recipe $r)")" ] || failed "psort $r: not the same records"
		psort -c "$T/1" || failed "psort $r: not sorted"
	done
	pinject --finished-init "$(recipe every-sample)" >"$T/1"
	pinject --finished-init "$T/1" | cmp "$T/1" - || failed pinject
	pcat data/basic.file.data | pcat | pfilter >"$T/1"
	pcat data/basic.file.data | cmp "$T/1" - || failed "pcat of a file"
	done_all
}

@test "unknown record types pass with every option" {
	for b in "" -b; do
		in=$(recipe unknown $b)
		for c in "pfilter --pid 100" "pfilter --exclude-pid 7" "pfilter --type sample --invert --pid 7" psort; do
			try $c "$in"
			[ $rc = 0 ] && grep -q . "$T/out" || failed "$c $b"
			size=$(stat -c %s "$T/out")
			[ "$size" -gt 66000 ] || failed "$c $b: only $size bytes"
		done
		try pstat "$in"
		[ $rc = 0 ] && grep -q 4711 "$T/out" || failed "pstat $b"
	done
	done_all
}

@test "opposite byte order: pstat prints the same for both" {
	for r in sorted two-events rounds read-group; do
		try pstat --json "$(recipe $r)"
		[ $rc = 0 ] || failed "$r"
		mv "$T/out" "$T/le"
		try pstat --json "$(recipe $r -b)"
		[ $rc = 0 ] || failed "$r -b"
		diff <(sed "s|$T[^\"]*||; /[Ee]ndian\|byte_order/d" "$T/le") \
		    <(sed "s|$T[^\"]*||; /[Ee]ndian\|byte_order/d" "$T/out") || failed "$r: pstat differs by byte order"
	done
	done_all
}

@test "opposite byte order: pfilter and psort do the same to both" {
	for r in two-events rounds; do
		for c in "pfilter --pid 100" "pfilter --cpu 0" "pfilter --time 0.000001200," "psort"; do
			le=$($c "$(recipe $r)" | wc -c)
			be=$($c "$(recipe $r -b)" | wc -c)
			[ "$le" = "$be" ] && [ "$le" -gt 200 ] || failed "$c $r: $le bytes, other order $be"
		done
	done
	done_all
}

# ---- damage --------------------------------------------------------------------------------------

@test "every prefix of a stream: complete records, one line, status 1" {
	in=$(recipe small)
	mkpipe -l data/small.txt >"$T/list"
	for t in $STREAMERS; do
		cuts "$in" "$T/list" $(neutral $t) || failed "$t"
	done
	cuts -n "$in" "$T/list" pstat || failed pstat
	in=$(recipe small -b)
	mkpipe -lb data/small.txt >"$T/list"
	cuts -f "$in" "$T/list" psort || failed "psort, other byte order, from a file"
	done_all
}

@test "every prefix of a compressed stream" {
	in=$(recipe small-zip)
	mkpipe -l data/small-zip.txt >"$T/list"
	for t in pcat psort pstat; do
		cuts -n "$in" "$T/list" $t || failed "$t"
	done
	done_all
}

@test "every byte changed: no crash, no silent failure" {
	in=$(recipe small)
	mkpipe -l data/small.txt >"$T/list"
	for c in "pfilter --pid 100" psort; do
		cuts -x "$in" "$T/list" $c || failed "$c"
	done
	in=$(recipe small-zip)
	mkpipe -l data/small-zip.txt >"$T/list"
	cuts -x "$in" "$T/list" pstat || failed "pstat, compressed"
	done_all
}

# What a bad recipe must do: $1 recipe, $2 byte order, $3 tool, rest: command.  From the test: $off and $name of the
# record at fault, $good bytes that must come out before, $must: the tools that must see it, "all" if any must.
bad_case() {
	local r=$1 b=$2 t=$3 what="$1 ${*:2}" err n
	shift 3
	try "$@" <"$T/$r$b.pipe"
	[[ $rc != 0 || $must == *all* || $must == *$t* ]] || return 0
	err=$(<"$T/err")
	[ $rc = 1 ] || { failed "$what: status"; return 0; }
	one_line "$t: <stdin>: ${name:+byte $off: $name: }" || failed "$what: wanted one line, byte $off: $name"
	[[ ! $err =~ [[:cntrl:]] ]] || failed "$what: control characters"
	[ $t != pstat ] || return 0
	n=$(stat -c %s "$T/out")
	if [ "$n" -lt "$good" ]; then failed "$what: $n bytes came out, $good were good"
	elif [ $t = psort ]; then
		head -c "$n" "$T/$r$b.plain" | psort 2>/dev/null | cmp "$T/out" - || failed "$what: not what was there before"
	elif [ $t = pinject ]; then	# it adds a FINISHED_INIT that is missing
		cmp -n "$n" "$T/out" "$T/$r$b.plain" || head -c "$good" "$T/$r$b.plain" | pinject --finished-init 2>/dev/null | cmp "$T/out" - ||
		    failed "$what: not what was there before"
	else cmp -n "$n" "$T/out" "$T/$r$b.plain" || failed "$what: not what was there before"; fi
}

@test "bad streams: records before the fault are written, one line names the fault, status 1" {
	for f in data/bad-*.txt; do
		r=${f#data/}; r=${r%.txt}
		read -r must <"$f"
		case $must in
		"# tools: "*) must=${must#*: }; must=${must%%.*};;
		*) must=all;;
		esac
		for b in "" -b; do
			turn 7 || continue
			recipe $r $b >/dev/null
			plain $r $b >/dev/null
			IFS=$'\t' read -r off _ name _ < <(mkpipe -l $b "$f" | grep '!$')
			IFS=$'\t' read -r good _ < <(mkpipe -lp $b "$f" | grep '!$')
			case $name in raw|header) name=;; esac
			bad_case $r "$b" pstat pstat
			[ -z "$b" ] || continue
			bad_case $r "$b" pfilter pfilter --pid 100,200
			for t in ${STREAMERS/ pfilter}; do
				bad_case $r "$b" $t $(neutral $t)
			done
		done
	done
	done_all
}

@test "names are made harmless before they are printed" {
	in=$(recipe escape)
	for t in $TOOLS "pstat --json"; do
		c=$(neutral "$t")
		[[ $t == pstat* ]] || c+=" -vf -o $T/x"
		try $c "$in"
		[ $rc = 0 ] || failed "$c"
		! cat "$T/out" "$T/err" | tr -d '\n\t' | grep -q '[[:cntrl:]]' || failed "$c: control characters"
	done
	cp "$(recipe bad-size-7)" "$T/na"$'\e'"[31mme"
	for t in $TOOLS; do
		try $(neutral $t) "$T/na"$'\e'"[31mme"
		[ $rc = 1 ] && ! grep -q '[[:cntrl:]]' "$T/err" || failed "$t: file name"
		try $(neutral $t) "$T/none"$'\e'"[31mme"
		[ $rc = 1 ] && ! grep -q '[[:cntrl:]]' "$T/err" || failed "$t: missing file's name"
		try $t "--no"$'\e'"[31mption"
		[ $rc = 2 ] && ! tr -d '\n\t' <"$T/err" | grep -q '[[:cntrl:]]' || failed "$t: option"
	done
	done_all
}

@test "a zstd bomb does not need memory" {
	! sanitized || skip "sanitizers need memory"
	in=$(recipe bomb)
	for c in pcat "pfilter --pid 100" psort pstat; do
		cuts -m 10240 $c "$in" >"$T/cuts" || failed "$c: $(cat "$T/cuts" | tail -c 200)"
	done >/dev/null
	[ "$(pcat "$in" | wc -c)" = "$(mkpipe -p data/bomb.txt | wc -c)" ] || failed "pcat: not all came out"
	done_all
}

# ---- the world outside ---------------------------------------------------------------------------

@test "a full disk is a failure" {
	for r in small big; do
		in=$(recipe $r)
		for t in $TOOLS; do
			rc=0
			$(neutral $t) "$in" >/dev/full 2>"$T/err" || rc=$?
			[ $rc = 1 ] && one_line "$t: <stdout>: " && grep -q 'No space left' "$T/err" || failed "$t $r"
		done
	done
	for t in $STREAMERS; do
		try $(neutral $t) -o /dev/full "$in"
		[ $rc = 1 ] && one_line "$t: /dev/full: " || failed "$t -o"
	done
	done_all
}

@test "a closed pipe ends a tool quietly" {
	in=$(recipe big)
	for t in $STREAMERS; do
		rc=0
		{ $(neutral $t) "$in" 2>"$T/err" || echo $? >"$T/rc"; } | head -c 100 >/dev/null
		rc=$(cat "$T/rc")
		[ "$rc" = 141 ] && ! [ -s "$T/err" ] || failed "$t"
	done
	mkfifo "$T/closed"
	exec 8<>"$T/closed" 9>"$T/closed" 8<&-		# nobody reads it
	rc=0
	pstat "$in" >&9 2>"$T/err" || rc=$?
	exec 9>&-
	[ "$rc" = 141 ] && ! [ -s "$T/err" ] || failed "pstat"
	done_all
}

@test "a missing file, a directory: status 1 and their name" {
	for t in $TOOLS; do
		try $(neutral $t) "$T/nosuch"
		[ $rc = 1 ] && one_line "$t: $T/nosuch: No such file" && ! [ -s "$T/out" ] || failed "$t: missing"
		try $(neutral $t) "$T"
		[ $rc = 1 ] && one_line "$t: $T: " || failed "$t: directory"
		try $(neutral $t) </dev/null
		[ $rc = 1 ] && one_line "$t: <stdin>: " && ! [ -s "$T/out" ] || failed "$t: empty input"
	done
	in=$(recipe small)
	for t in $STREAMERS; do
		try $(neutral $t) -o "$T/nodir/x" "$in"
		[ $rc = 1 ] && one_line "$t: $T/nodir/x: No such file" || failed "$t: output"
	done
	done_all
}

@test "wrong use: status 2, nothing written; help and version: status 0" {
	in=$(recipe small)
	for t in $TOOLS; do
		for o in --no-such-option -Z --input "-i $in --verbose=1"; do
			try $t $o
			[ $rc = 2 ] && ! [ -s "$T/out" ] && grep -q "^$t: \|^usage: $t" "$T/err" || failed "$t $o"
		done
		for o in -h --help --version; do
			try $t $o
			[ $rc = 0 ] && grep -q "$t" "$T/out" && ! [ -s "$T/err" ] || failed "$t $o"
			rc=0
			$t $o >/dev/full 2>"$T/err" || rc=$?
			[ $rc = 1 ] || failed "$t $o >/dev/full"
		done
	done
	for c in "pfilter --pid x" "pfilter --pid 1,,2" "pfilter --pid 5-1" "pfilter --time x" "pfilter --cpu -1x" \
	    "pfilter --type nosuch" "pfilter --sideband=some"; do
		try $c "$in"
		[ $rc = 2 ] && ! [ -s "$T/out" ] || failed "$c"
	done
	done_all
}

# ---- slow and failing system calls ----------------------------------------------------------------

@test "one byte per read and per write makes no difference" {
	for in in "$(recipe ordered)" "$(recipe all-types -b)" "$(recipe straddle)" data/sched_R.file.data data/z1.pipe.data; do
		for t in $TOOLS; do
			c=$(neutral $t)
			$c "$in" >"$T/want"
			for plan in read:short,pread:short write:short,writev:short,splice:short; do
				turn 7 || continue
				case $plan:$in in write*data/*) continue;; esac
				try with_fault $plan $c "$in"
				[ $rc = 0 ] && cmp "$T/want" "$T/out" && ! [ -s "$T/err" ] || failed "$t $plan $in"
				[ $t != pcat ] || cat "$in" | with_fault $plan $c | cmp "$T/want" - || failed "cat | $t $plan $in"
			done
		done
	done
	done_all
}

@test "storms of EINTR and EAGAIN make no difference" {
	for in in "$(recipe sorted)" "$(recipe big)" "$(recipe all-types)" data/basic.file.data; do
		for t in $TOOLS; do
			c=$(neutral $t)
			$c "$in" >"$T/want"
			for e in EINTR EAGAIN; do
				for plan in read:$e,pread:EINTR write:$e,writev:$e,splice:$e,vmsplice:$e; do
					turn 7 || continue
					try with_fault $plan $c "$in"
					[ $rc = 0 ] && cmp "$T/want" "$T/out" && ! [ -s "$T/err" ] || failed "$t $plan $in"
				done
			done
		done
	done
	done_all
}

@test "each failing call is reported: status 1, one line, no crash; with status 0 the output is complete" {
	in=$(recipe all-types)
	for t in $TOOLS; do
		c=$(neutral $t)
		cat "$in" | $c >"$T/want"
		for plan in read:N:EIO pread:N:EIO write:N:ENOSPC writev:N:ENOSPC malloc:N:ENOMEM; do
			for n in 1 2 3 6 13; do
				turn 9 || continue
				rc=0
				with_fault ${plan/N/$n} $c <"$in" >"$T/out" 2>"$T/err" || rc=$?
				case $rc in
				0) cmp "$T/want" "$T/out";;
				1) one_line "$t: " && { [ $t = pstat ] || cmp -n "$(stat -c %s "$T/out")" "$T/want" "$T/out"; };;
				*) false;;
				esac || failed "$t ${plan/N/$n}"
			done
		done
	done
	done_all
}

@test "seven: what does not fit the inputs, the output or another option is refused in a line, and nothing is written" {
	cp data/basic.file.data "$T/a"
	cp data/basic.file.data "$T/b"
	cd "$T"
	while IFS='|' read -r command want; do
		eval "try $command"
		[ $rc = 2 ] && [ ! -s out ] && one_line "${command%% *}: $want" && [ ! -e x ] || failed "$command: $(cat err)"
	done <<-'END'
		pcat --index -o x a b|--index: takes one input, with --output
		pcat --index --follow a b|--index: takes one input, with --follow
		pcat --index -o - a|--index: cannot write to standard output; name a file
		pcat --index|--index: cannot read standard input; name a file
		pcat --index a -|--index: cannot read standard input; name a file
		pcat --chunks a b|--chunks: takes one input
		pcat --follow a b|--follow: takes one input
		pcat --repair --formats-from a a b|--formats-from: takes one input
		pcat --format=file --copy-data -o x a b|--copy-data: takes one input
		pcat --compressed2 --compat=6.1 a|--compressed2: the perf of --compat cannot read it
		pcat --format=file a|--format=file: needs -o FILE
		pcat --format=file -o - a|--format=file: needs -o FILE
		pcat --write-index a|--write-index: needs -o FILE
		pcat --write-index -o - a|--write-index: needs -o FILE
		pcat -z --threads=2 --frame-size=session a|--threads: cannot be combined with --frame-size=session, which makes one frame
		pcat --make-manifest|--make-manifest: name the parts
		pfilter --sample 0.5x a|--sample '0.5x': expected a share above 0 and up to 1
		pfilter --sample ' 0.5' a|--sample ' 0.5': expected a share above 0 and up to 1
		pfilter --sample 0 a|--sample '0': expected a share above 0 and up to 1
		pfilter --sample 1.5 a|--sample '1.5': expected a share above 0 and up to 1
		pfilter --sample -1 a|--sample '-1': expected a share above 0 and up to 1
		pfilter --sample nan a|--sample 'nan': expected a share above 0 and up to 1
		pinject --sample-time -|--sample-time reads the input twice, so it must be a file: run pinject again on what it wrote
		pinject --finished-round=auto -|--finished-round=auto reads the input twice, so it must be a file: give a time, such as 1s
		pstat --picture rate --hist period -o x a|--hist: with --picture, needs a form of tables such as --json
		pstat --picture rate --sort comm --top 3 -o x a|--top: with --picture, needs a form of tables such as --json
		pstat --picture flame --sort comm -o x a|--sort without rate and tasks: with --picture, needs a form of tables such as --json
		pstat --picture rate --privacy -o x a|--picture: an SVG has nothing else; with --term, both are written
		pstat --picture rate --check -o x a|--picture: an SVG has nothing else; with --term, both are written
		pstat --picture rate --events -o x a|--picture: an SVG has nothing else; with --term, both are written
		pstat --picture rate --sort time -o x a|--sort time: pictures have time already
		pstat --sort symbol a|--sort symbol: needs --symbols DIR
		pstat --weight period a|--weight: needs --picture or --folded
	END
	done_all
}

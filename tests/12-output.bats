# SPDX-License-Identifier: ISC
# The output rule of perfpipe(7), which all tools share: the file of -o before and after, and --allow.
load lib

# ---- --allow ---------------------------------------------------------------------------------------

@test "allow: an unknown word is wrong use, lists add up, each tool has its own words" {
	in=data/basic.pipe.data
	while read -r words c; do
		try $c --allow "$words" "$in"
		[ $rc = 0 ] || failed "$c --allow $words"
		try $c --allow "${words%%,*}" --allow "${words##*,}" "$in"
		[ $rc = 0 ] || failed "$c, twice"
		for w in nosuch "$words,nosuch" "" "${words%?}" "${words}s" all; do
			try $c --allow "$w" "$in"
			[ $rc = 2 ] && one_line "${c%% *}: --allow '" && ! [ -s "$T/out" ] || failed "$c --allow '$w'"
		done
	done <<-'END'
		kernels,clocks,same-input pcat
		kernels,clocks,same-input psort --merge
		vital-types pfilter --drop-type COMM
		other-host,changed-files,foreign-maps pinject -b
	END
	try pstat --allow=kernels "$in"		# short for --allow-missing
	[ $rc = 2 ] && one_line "pstat: --allow" || failed pstat
	try psort --allow kernels "$in"
	[ $rc = 2 ] && grep -q 'needs --merge' "$T/err" || failed "psort without --merge"
	done_all
}

@test "allow: --force is no other word for it" {
	pcat data/basic.pipe.data >"$T/a"
	sed 's/6\.18\./6.19./g' "$T/a" >"$T/b"
	for c in pcat "psort --merge"; do
		try $c -f "$T/a" "$T/b"
		[ $rc = 2 ] && grep -q -e '--allow kernels' "$T/err" || failed "$c -f"
		try $c --allow kernels "$T/a" "$T/b"
		[ $rc = 0 ] || failed "$c --allow kernels"
	done
	try pfilter -f --drop-type COMM "$T/a"
	[ $rc = 2 ] && grep -q -e '--allow vital-types' "$T/err" || failed "pfilter -f"
	done_all
}

# ---- the file of -o ------------------------------------------------------------------------------

# A command of each tool, and commands whose output is written in another way.
COMMANDS="$(for t in $TOOLS; do neutral $t; done)
pcat -z
pcat --format=file
pcat --repair
pfilter --pid 100 --comms alpha
psort --full
psort --merge
pstat --json"

# fresh: an empty directory $D; "fresh old": one with a file y of mode 0644.
fresh() {
	D=$T/d
	rm -rf "$D" && mkdir "$D"
	[ "${1-}" != old ] || { echo old >"$D/y"; chmod 644 "$D/y"; }
}
# holds NAME...: are these all that is there?
holds() {
	[ "$(ls -A "$D" | tr '\n' ' ')" = "${*:+$* }" ]
}
is_old() {
	[ "$(cat "$D/y")" = old ] && [ "$(stat -c %a "$D/y")" = 644 ]
}

# mode_of COMMAND: that of its output; what pstat reports is as readable as the umask permits.
mode_of() {
	case $1 in
	pstat*) printf '%o' $((0666 & ~$(umask)));;
	*) echo 600;;
	esac
}

@test "output: complete, it gets its name and mode 0600, or that of the umask; a file that is there is refused, but for -f" {
	in=$(recipe ordered)
	while read -r c; do
		turn 3 || continue
		$c "$in" >"$T/want"
		fresh
		try $c -o "$D/y" "$in"
		[ $rc = 0 ] && ! [ -s "$T/out" ] && holds y && [ "$(stat -c %a "$D/y")" = "$(mode_of "$c")" ] || failed "$c"
		[ "$c" = "pcat --format=file" ] || cmp "$T/want" "$D/y" || failed "$c: other than standard output"
		cp "$D/y" "$T/want"
		fresh old
		try $c -o "$D/y" "$in"
		[ $rc = 2 ] && one_line "${c%% *}: $D/y: exists; -f " && holds y && is_old || failed "$c: one that exists"
		# refused before anything is read: there is no such input
		try $c -o "$D/y" "$T/nosuch"
		[ $rc = 2 ] && one_line "${c%% *}: $D/y: exists" && is_old || failed "$c: reads first"
		try $c -f -o "$D/y" "$in"
		[ $rc = 0 ] && holds y && cmp "$T/want" "$D/y" && [ "$(stat -c %a "$D/y")" = "$(mode_of "$c")" ] || failed "$c -f"
	done < <(grep -v format=file <<<"$COMMANDS")
	fresh old
	try pcat --format=file -o "$D/y" "$in"
	[ $rc = 2 ] && holds y && is_old || failed "--format=file"
	try pcat --format=file -f -o "$D/y" "$in"
	[ $rc = 0 ] && holds y && [ "$(stat -c %a "$D/y")" = "$(mode_of "$c")" ] && [ "$(head -c 8 "$D/y")" = PERFILE2 ] || failed "--format=file -f"
	done_all
}

@test "output: wrong usage and names that the recording does not have leave nothing and change nothing" {
	in=data/basic.pipe.data
	while read -r c; do
		for f in "" -f; do
			for o in --no-such-option "--input $in" "-o"; do
				turn 5 || continue
				fresh old
				try $c $f -o "$D/y" "$in" $o
				[ $rc = 2 ] && ! [ -s "$T/out" ] && holds y && is_old || failed "$c $f $o"
			done
		done
	done < <(grep -v 'pcat\|merge' <<<"$COMMANDS"; echo "pcat --no-such-option")
	while read -r c; do
		fresh
		try $c -o "$D/y" "$in"
		[ $rc = 2 ] && one_line "${c%% *}: " && holds || [[ $c == *filter=* ]] && holds || failed "$c"
		fresh old
		try $c -f -o "$D/y" "$in"
		[ $rc = 2 ] && holds y && is_old || failed "$c -f"
		try $c "$in"
		[ $rc = 2 ] && ! [ -s "$T/out" ] || failed "$c: on standard output"
	done <<-END
		pfilter -e nosuch
		pfilter --exclude-event nosuch
		pfilter --filter=addr>1
		pfilter --switch-on nosuch
		pfilter --drop-event nosuch
		pfilter --cgroup x
		pfilter --comms perf --event nosuch
		pfilter --sideband=needed --strip raw --event nosuch
		pfilter -e nosuch -U /dev/null
		pcat --format=gperftools --event nosuch
		pcat --align=wall
		psort --merge --align=wall
	END
	done_all
}

@test "output: of a damaged input what is good is NAME.tmp; the report of one is complete, and so is --repair" {
	in=$(recipe ordered)
	head -c $(($(wc -c <"$in") - 20)) "$in" >"$T/cut"
	while read -r c; do
		for was in "" old; do
			turn 3 || continue
			fresh $was
			t=${c%% *}
			case $c in
			pstat*|*--repair) whole=yes; part=;;
			*) whole=$was; part=y.tmp;;
			esac
			try $c -f -o "$D/y" "$T/cut"
			[ $rc = 1 ] && grep -q "^$t: $T/cut: byte " "$T/err" || failed "$c"
			holds ${whole:+y} $part || failed "$c: $(ls -A "$D")"
			[ -z "$was$part" ] || [ "$was$part" = old ] || [ -z "$was" ] || is_old || failed "$c: the old file"
			[ -z "$part" ] && continue
			[ "$(wc -l <"$T/err")" = 2 ] && grep -qF "$t: $D/y: incomplete, so its name is $D/y.tmp" "$T/err" ||
			    failed "$c: does not say so"
			[ "$(stat -c %a "$D/y.tmp")" = 600 ] || failed "$c: mode"
			cp "$D/y.tmp" "$T/part"
			# a file of an earlier run is replaced
			echo older >"$D/y.tmp"
			try $c -f -o "$D/y" "$T/cut"
			[ $rc = 1 ] && cmp "$T/part" "$D/y.tmp" || failed "$c: an older y.tmp"
		done
	done <<<"$COMMANDS"
	fresh
	try pfilter --pid 100 -o "$D/y" -U "$D/z" "$T/cut"
	[ $rc = 1 ] && holds y.tmp z.tmp || failed "-U"
	fresh
	try pcat --switch-output=rounds:1 -o "$D/y" "$T/cut"
	[ $rc = 1 ] && holds y.00001.tmp || failed "--switch-output: $(ls -A "$D")"
	fresh
	try pcat -o "$D/y" "$in" "$T/nosuch"
	[ $rc = 1 ] && holds y.tmp || failed "an input that is not there"
	done_all
}

# on_full_disk CMD...: run it with $D on a full disk that has a file y; status in $rc, messages in $T/err, remaining files in $T/left.
on_full_disk() {
	rc=0
	unshare -m sh -c 'd=$1; left=$2; shift 2
		mount -t tmpfs -o size=8k none "$d" || exit 99
		echo old >"$d/y"
		head -c 8k /dev/zero >"$d/filler" 2>/dev/null
		"$@"; rc=$?
		rm "$d/filler"; ls -A "$d" >"$left"; cat "$d/y" >>"$left"; exit $rc' sh "$D" "$T/left" "$@" 2>"$T/err" || rc=$?
}

@test "output: a full disk leaves nothing and changes nothing" {
	in=$(recipe ordered)
	fresh
	on_full_disk true
	[ $rc != 99 ] && [ $rc != 1 ] || skip "mounting a tmpfs is refused"
	while read -r c; do
		turn 3 || continue
		on_full_disk $c -f -o "$D/y" "$in"
		[ $rc = 1 ] && one_line "${c%% *}: $D/y: " && grep -q 'No space left' "$T/err" || failed "$c"
		[ "$(cat "$T/left")" = $'y\nold' ] || failed "$c: left $(cat "$T/left")"
		on_full_disk $c -o "$D/new" "$in"
		[ $rc = 1 ] && [ "$(cat "$T/left")" = $'y\nold' ] || failed "$c: left $(cat "$T/left")"
	done <<<"$COMMANDS"
	done_all
}

@test "output: if one output or a temporary file cannot be written, no output gets a name" {
	local in=$(recipe big) free=$T/free c
	fresh
	on_full_disk true
	[ $rc != 99 ] && [ $rc != 1 ] || skip "mounting a tmpfs is refused"
	while read -r c; do
		c=${c//FULL/$D}
		rm -rf "$free"
		mkdir "$free"
		on_full_disk env TMPDIR="$D" sh -c "${c//FREE/$free}" sh "$in"
		[ $rc = 1 ] && [ "$(grep -c 'No space left' "$T/err")" = 1 ] && ! grep -q incomplete "$T/err" || failed "$c"
		[ -z "$(ls -A "$free")" ] && [ "$(cat "$T/left")" = $'y\nold' ] || failed "$c: left $(ls -A "$free")"
	done <<-'END'
		pfilter --pid 1 -o FULL/x -U FREE/x "$1"
		pfilter --pid 1 -o FREE/x -U FULL/x "$1"
		pfilter --anon all --anon-map FULL/x -o FREE/x "$1"
		psort --full -S 1M -o FREE/x "$1"
		psort -q -S 1M -o FREE/x "$1"
		psort -q --merge -S 1M --allow same-input -o FREE/x "$1" "$1"
		pfilter --drop-unused-events -o FREE/x "$1"
		pcat -q --format=file -o FREE/file "$1" && { rm FREE/file; cat; } <FREE/file | pcat -o FREE/x -
		cat "$1" | pcat --repair -o FREE/x -
	END
	# parts that are complete stay; a list of them would be of fewer than were wanted
	for n in 1 4 8 12 16; do
		fresh
		try with_fault write:$n+:ENOSPC,writev:$n+:ENOSPC pcat --switch-output=100K --manifest="$D/m.tsv" -o "$D/x" "$in"
		[ $rc = 1 ] && one_line "pcat: $D/x." || failed "--manifest, $n"
		[ -z "$(ls -A "$D" | grep -v '^x\.[0-9]*$')" ] || failed "--manifest, $n: $(ls -A "$D")"
	done
	[ -e "$D/x.00001" ] || failed "no part was complete"
	done_all
}

@test "output: full, or a limit of the file size, without files that have no name" {
	in=$(recipe big)
	for c in pcat "pcat --format=file" pfilter psort "psort --merge" "pinject --finished-init"; do
		turn 2 || continue
		fresh old
		try with_fault tmpfile:1+:EOPNOTSUPP,write:1+:ENOSPC,writev:1+:ENOSPC $c -f -o "$D/y" "$in"
		[ $rc = 1 ] && holds y && is_old || failed "$c: full"
		fresh old
		try sh -c "trap '' XFSZ; ulimit -f 16; exec $c -f -o '$D/y' '$in'"
		[ $rc = 1 ] && holds y && is_old || failed "$c: limit"
		fresh old
		try with_fault tmpfile:1+:EOPNOTSUPP sh -c "ulimit -c 0; ulimit -f 16; exec $c -f -o '$D/y' '$in'"
		[ $rc = 153 ] && holds y && is_old || failed "$c: SIGXFSZ"
	done
	done_all
}

# begin CMD...: run it with a FIFO as standard input, that has been given a head and stays open; wait until its output is
# open, in $D.  Its number is in $pid.
begin() {
	rm -f "$T/fifo"
	mkfifo "$T/fifo"
	exec 9<>"$T/fifo"
	(ulimit -c 0; exec env --default-signal=INT,QUIT "$@" <"$T/fifo" >/dev/null 2>"$T/err" 3>&- 9>&-) 3>&- &
	pid=$!
	cat "$(recipe small)" >&9
	for i in $(seq 500); do
		! readlink /proc/$pid/fd/* 2>/dev/null | grep -q "^$D/[.#]" || return 0
		sleep 0.02
	done
	failed "$*: opens no output"
}
# ended SIGNAL...: send each when the one before it was taken; the status is in $rc.
ended() {
	for s; do
		kill -"$s" $pid
		for i in $(seq 500); do
			grep -q '^ShdPnd:.*[1-9a-f]' /proc/$pid/status 2>/dev/null || break
			sleep 0.02
		done
	done
	rc=0
	wait $pid 2>/dev/null || rc=$?
	exec 9>&-
}

@test "output: a signal that ends a tool leaves nothing and changes nothing" {
	! sanitized || skip "a sanitizer has handlers of its own"
	while read -r c; do
		turn 3 || continue
		fresh old
		begin $c -f -o "$D/y"
		ended TERM
		[ $rc = 143 ] && holds y && is_old || failed "$c: SIGTERM: $(ls -A "$D")"
	done < <(grep -v repair <<<"$COMMANDS")		# which reads a pipe to its end first
	for c in $TOOLS "pfilter -U $T/d/z"; do
		fresh old
		begin $c -f -o "$D/y"
		if readlink /proc/$pid/fd/* | grep -q "^$D/#.*deleted"; then		# O_TMPFILE works here
			ended KILL
			[ $rc = 137 ] && holds y && is_old || failed "$c: SIGKILL: $(ls -A "$D")"
		else
			ended TERM
		fi
	done
	done_all
}

@test "output: without files that have no name, signals leave nothing either" {
	! sanitized || skip "a sanitizer has handlers of its own"
	[ -z "${EMULATED-}" ] || skip "the system calls of an emulated program are its emulator's"
	while read -r how c; do
		turn 3 || continue
		fresh old
		begin env LD_PRELOAD="$O/fault.so" FAULT=tmpfile:1+:EOPNOTSUPP $c -f -o "$D/y"
		! holds y || failed "$c: a file without a name all the same"
		ended ${how//,/ }
		[ $rc -gt 128 ] && holds y && is_old || failed "$c: $how, status $rc: $(ls -A "$D")"
	done <<-END
		TERM pcat
		INT,INT pcat
		QUIT pcat
		HUP pcat
		XCPU pcat
		USR1 pcat
		TERM pcat --format=file
		INT,INT pfilter -U $T/d/z
		QUIT psort --full
		XCPU psort --merge
		INT,INT pinject
		TERM pstat
		INT,INT pstat
	END
	done_all
}

@test "output: finished files of --switch-output stay when a signal comes" {
	! sanitized || skip "a sanitizer has handlers of its own"
	for fault in tmpfile:9999:EIO tmpfile:1+:EOPNOTSUPP; do
		fresh
		rm -f "$T/fifo"
		mkfifo "$T/fifo"
		exec 9<>"$T/fifo"
		LD_PRELOAD="$O/fault.so" FAULT=$fault pcat --switch-output=rounds:1 -o "$D/y" <"$T/fifo" 2>"$T/err" 3>&- 9>&- &
		pid=$!
		cat "$(recipe rounds)" >&9
		for i in $(seq 500); do [ ! -e "$D/y.00003" ] || break; sleep 0.02; done
		kill -TERM $pid; wait $pid 2>/dev/null || true; exec 9>&-
		holds y.00001 y.00002 y.00003 && pcat "$D/y.00001" >/dev/null || failed "$fault: $(ls -A "$D")"
	done
	done_all
}

@test "output: devices, FIFOs and descriptors are written in place, links are followed" {
	in=$(recipe ordered)
	for t in $TOOLS "psort --merge"; do
		c=$(neutral "$t")
		$c "$in" >"$T/want"
		fresh
		mkfifo "$D/fifo"
		cat "$D/fifo" >"$T/got" &
		try $c -o "$D/fifo" "$in"
		wait $!
		[ $rc = 0 ] && cmp "$T/want" "$T/got" && [ -p "$D/fifo" ] && holds fifo || failed "$c: FIFO"
		try $c -o /dev/null "$in"
		[ $rc = 0 ] && [ -c /dev/null ] || failed "$c: /dev/null"
		try $c -o /dev/stdout "$in"
		[ $rc = 0 ] && cmp "$T/want" "$T/out" || failed "$c: /dev/stdout"
		try $c -o /dev/fd/7 "$in" 7>"$T/seven"
		[ $rc = 0 ] && cmp "$T/want" "$T/seven" || failed "$c: /dev/fd/7"
		fresh
		mkdir "$D/there" && ln -s there/y "$D/link"
		try $c -o "$D/link" "$in"
		[ $rc = 0 ] && [ -L "$D/link" ] && cmp "$T/want" "$D/there/y" && holds link there || failed "$c: a link to nothing"
		try $c -o "$D/link" "$in"
		[ $rc = 2 ] || failed "$c: a link to a file"
		echo old >"$D/there/y"
		try $c -f -o "$D/link" "$in"
		[ $rc = 0 ] && [ -L "$D/link" ] && cmp "$T/want" "$D/there/y" && [ "$(ls -A "$D/there")" = y ] || failed "$c: -f link"
	done
	ln -s loop "$D/loop"
	try pcat -o "$D/loop" "$in"
	[ $rc = 1 ] || failed "a loop of links"
	done_all
}

@test "output: two outputs are never one" {
	in=$(recipe ordered)
	fresh
	ln -s y "$D/link"
	for u in "$D/y" "$D/./y" "$D/link"; do
		try pfilter --pid 100 -o "$D/y" -U "$u" "$in"
		[ $rc = 2 ] && grep -q 'is also the output' "$T/err" && holds link || failed "$u"
	done
	done_all
}

# ---- names -----------------------------------------------------------------------------------------

@test "names: pfilter waits with the head until they were found, at most for the first sample" {
	{
		echo "attr type=1 config=0 period=1000 sample_type=IP|TID|TIME|ID flags=sample_id_all ids=11"
		echo "attr type=1 config=1 period=1000 sample_type=IP|TID|TIME|ID flags=sample_id_all ids=12"
		echo "COMM pid=100 tid=100 comm=alpha @ pid=100 tid=100 time=1 id=11"
		echo "COMM pid=200 tid=200 comm=beta @ pid=200 tid=200 time=2 id=11"
		echo "EVENT_UPDATE update_type=2 id=11 z=first"
		echo "EVENT_UPDATE update_type=2 id=12 z=second"
		echo "SAMPLE misc=2 ip=0x401000 pid=100 tid=100 time=1000 id=11"
		echo "SAMPLE misc=2 ip=0x401000 pid=100 tid=100 time=1100 id=12"
	} >"$T/in.txt"
	mkpipe "$T/in.txt" >"$T/in"
	for o in "-e first" "--event second" "--exclude-event first" "--switch-on second" "--comms alpha -e first"; do
		try pfilter $o "$T/in"
		[ $rc = 0 ] && [ -s "$T/out" ] || failed "$o"
		for e in third firs; do
			try pfilter $(sed "s/first\|second/$e/" <<<"$o") "$T/in"
			[ $rc = 2 ] && one_line "pfilter: --" && ! [ -s "$T/out" ] || failed "$o, $e"
		done
	done
	# without a sample it fails at the end
	head -c $(($(wc -c <"$T/in") - 80)) "$T/in" >"$T/none"
	try pfilter -e third "$T/none"
	[ $rc = 2 ] && ! [ -s "$T/out" ] || failed "no sample"
	try pfilter -e first "$T/none"
	[ $rc = 0 ] && cmp "$T/none" "$T/out" || failed "no sample, but the name"
	done_all
}

@test "names: what needs none to be found is passed on with the first record of the kernel" {
	psort data/basic.pipe.data >"$T/in"
	mkfifo "$T/fifo" "$T/to"
	for o in "--pid 1" "-e cpu-clock" "--comms perf"; do
		exec 9<>"$T/fifo"
		pfilter $o <"$T/fifo" >"$T/got" 3>&- 9>&- &
		pid=$!
		head -c 8000 "$T/in" >&9
		for i in $(seq 500); do [ ! -s "$T/got" ] || break; sleep 0.02; done
		[ -s "$T/got" ] || failed "$o: nothing comes"
		kill $pid; wait $pid 2>/dev/null || true
		exec 9>&-
	done
	done_all
}

# ---- closed descriptors ----------------------------------------------------------------------------

@test "closed descriptors: no other file gets their number, and a tool that needs one fails" {
	in=data/basic.pipe.data
	printf '%s\n' "$COMMANDS" "psort --full -S 1M" | while read -r c; do
		[ "$c" != "pcat --format=file" ] || continue
		t=${c%% *}
		$c "$in" >"$T/want"
		rc=0
		$c "$in" >&- 2>"$T/err" || rc=$?
		[ $rc = 1 ] && one_line "$t: <stdout>: write: " || failed "$c >&-"
		rc=0
		$c <&- >"$T/out" 2>"$T/err" || rc=$?
		[ $rc = 1 ] && one_line "$t: <stdin>: " && { ! [ -s "$T/out" ] || grep -q '"complete":false' "$T/out"; } || failed "$c <&-"
		$c -v "$in" 2>&- >"$T/out" || failed "$c 2>&-"
		cmp "$T/want" "$T/out" || failed "$c 2>&-: messages among the records"
		fresh
		$c -v -o "$D/y" "$in" <&- >&- 2>&- || failed "$c with none of them"
		cmp "$T/want" "$D/y" || failed "$c with none of them"
	done
	done_all
}

# ---- options given twice, or without their partner ---------------------------------------------------

@test "options: one of a single value is not given twice; lists and expressions add up" {
	in=data/multi.pipe.data
	while read -r t opts; do
		try $t $opts "$in"
		want=${opts%%[ =]*}
		[ $rc = 2 ] && one_line "$t: $want: given twice" && ! [ -s "$T/out" ] || failed "$t $opts"
	done <<-END
		pcat --format=stream --format=file
		pcat --compat=6.1 --compat=6.12
		pcat --endian=little --endian=big
		pcat --compress=1 --compress=3
		pcat --output $T/a -o $T/b
		pfilter --switch-on cpu-clock --switch-on page-faults
		pfilter --switch-off cpu-clock --switch-off page-faults
		pfilter --every 2 --every 3
		pfilter --sideband=all --sideband=none
		pfilter --max-stack 3 --max-stack 4
		pfilter --rejected $T/a -U $T/b
		psort --window 1ms --window 2ms
		psort --max-memory 1M -S 2M
		psort --late=drop --late=emit
		pinject --output $T/a -o $T/b
		pstat --output $T/a -o $T/b
	END
	! ls "$T" | grep -qx '[ab]' || failed "written"
	while IFS='|' read -r twice once; do
		cmp <(pfilter $twice "$in" 2>&1) <(pfilter $once "$in" 2>&1) || failed "$twice"
		[ "$(pfilter $once "$in" | wc -c)" != "$(wc -c <"$in")" ] || failed "$once changes nothing"
	done <<-'END'
		--exclude-tid 0-5127 --exclude-tid 5128-5129|--exclude-tid 0-5129
		--cpu 0 --cpu 9|--cpu 0,9
		-e cpu-clock -e page-faults|-e cpu-clock,page-faults
		--exclude-comms worker/0 --exclude-comms threads|--exclude-comms worker/0,threads
		--filter cpu==0 --filter period>1|--filter cpu==0&&period>1
		--drop-type SWITCH --drop-type 82|--drop-type SWITCH,82
		--exclude-type SAMPLE --exclude-type SWITCH|--exclude-type SAMPLE,SWITCH
		--time +1ms,+2ms --time +4ms,+5ms|--time +4ms,+5ms --time +1ms,+2ms
	END
	cmp <(pcat --no-features=hostname --no-features=cpuid "$in") <(pcat --no-features=hostname,cpuid "$in") || failed "pcat"
	try pcat --time-offset 1s "$in" --time-offset 2s --allow clocks,same-input "$in"
	[ $rc = 0 ] || failed "--time-offset, of each input"
	done_all
}

@test "output: each tool, and each form that pcat writes, is in the tests of what holds for all of them" {
	need jq
	local form file n=0
	for file in locked.py failing.py fuzz/whole.c bench/instructions; do
		for t in $TOOLS; do
			grep -qE "^(	\{ \"|	)?$t( |$)" $file || failed "$file has no $t"
		done
	done
	for t in $TOOLS; do
		grep -q "^    \"$t\": \"\"\"" same || failed "same has no $t"
	done
	for form in $(pcat --list-options | jq -r '.options[] | select(.name == "format").words[] | select(. != "stream")'); do
		for file in 14-confine.bats 16-links.bats locked.py failing.py same fuzz/whole.c data/law.txt; do
			grep -qE -e "--format=$form( |$)" $file || failed "$file has no --format=$form"
		done
		n=$((n + 1))
	done
	[ $n -ge 4 ] || failed "words of --format not found"
	done_all
}

@test "options: one without its partner is wrong usage" {
	in=data/basic.pipe.data
	while read -r t opts; do
		try $t $opts "$in"
		[ $rc = 2 ] && one_line "$t: ${opts%%[ =]*}" && grep -qE ' needs? | cannot be combined ' "$T/err" && ! [ -s "$T/out" ] || failed "$t $opts"
	done <<-END
		pcat --pid=1
		pcat --event=foo
		pcat --pid=1 --format=file -o $T/x
		pcat --threads=2
		pcat --frame-size=1M
		pcat --output-template=$T/%n
		pcat --output-template=$T/%n --switch-output=1M -o $T/x
		pfilter --seed 1 --every 2
		pfilter --stop --pid 1
		pfilter --scale-period --pid 1
		pfilter --anon-key $T/key
		pfilter --show-on-off-events --pid 1
		pfilter --inherit --cpu 1
		psort --align=first
		psort --output=$T/x --check
		psort --full --check
		psort --stats -c
	END
	! [ -e "$T/x" ] || failed "written"
	done_all
}

@test "progress: a line on a terminal, but not if what reads the output may draw there" {
	cat >"$T/at-terminal" <<-'END'
		import sys, time
		from terminal import on_stderr
		data = open(sys.argv[2], "rb").read()
		def slowly(tool):
		    tool.stdin.write(data[:70000])		# more than a pipe holds: it reads already
		    tool.stdin.flush()
		    time.sleep(2.1)
		    tool.stdin.write(data[70000:])
		    tool.stdin.close()
		sys.stdout.write(on_stderr(sys.argv[3:], sys.argv[1], slowly))
	END
	for t in $TOOLS; do
		PYTHONPATH=$BATS_TEST_DIRNAME python3 "$T/at-terminal" "$T/file" data/demo.data $(neutral $t) >"$T/file.$t" &
		PYTHONPATH=$BATS_TEST_DIRNAME python3 "$T/at-terminal" - data/demo.data $(neutral $t) >"$T/pipe.$t" &
	done
	wait
	for t in $TOOLS; do
		grep -q "$t: .* MB/s" "$T/file.$t" || failed "$t: no line: $(cat "$T/file.$t")"
		! [ -s "$T/pipe.$t" ] || failed "$t: $(cat "$T/pipe.$t")"
	done
	done_all
}

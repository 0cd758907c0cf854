# SPDX-License-Identifier: ISC
# pfilter --anon: payloads of tracepoints, and their formats.  payload.py makes recordings with secrets in each kind of field.
load lib

# The same key each time: under another one a pid may become one of those that are looked for.
setup_file() {
	echo 4f9c1d7be20a86355ce8f1709ab3d264 >"$BATS_FILE_TMPDIR/key"
	chmod 600 "$BATS_FILE_TMPDIR/key"
}
anon() {	# LIST FILE...
	local list=$1
	shift
	pfilter -q --anon "$list" --anon-key "$BATS_FILE_TMPDIR/key" "$@"
}
# made little|big SEED [sound]: such a recording in $T/made
made() {
	python3 payload.py make "$@" >"$T/made.txt"
	mkpipe $([ "$1" = little ] || echo -b) "$T/made.txt" >"$T/made"
}
# kept EXPRESSION FILE: how many samples are
kept() {
	pfilter -q --filter "$1" "$2" 2>/dev/null | pstat -q --json | jq '[.types[] | select(.name == "SAMPLE") | .records] | add // 0'
}
# left LIST little|big SEED: the kinds of its secrets that are left with that list
left() {
	anon "$1" "$T/made" >"$T/anon"
	python3 payload.py left "$2" "$3" "$T/anon" | sort -u | tr '\n' ' '
}

@test "anon payload: nothing of what has a pseudonym or no meaning is left in any byte, in both byte orders" {
	need python3
	need jq
	for order in little big; do
		for seed in 1 2 3; do
			made $order $seed
			[ "$(python3 payload.py left $order $seed "$T/made" | sort -u | wc -l)" = 11 ] || failed "$order $seed: the recording"
			[ "$(left all $order $seed)" = "" ] || failed "$order $seed: $(left all $order $seed)"
			# small numbers, which could be in any byte
			[ "$(kept 'raw.small == 0x5a' "$T/made")" = 3 ] || failed "$order $seed: small in the recording"
			[ "$(kept 'raw.small == 0 && raw.number == 0' "$T/anon")" = 3 ] || failed "$order $seed: small"
			[ "$(pstat --privacy --json -q "$T/anon" | jq -r '.privacy[] | select(.anon_all == "none" and .count > 0) | .row')" = "" ] ||
			    failed "$order $seed: privacy"
		done
	done
	made little 1
	anon all "$T/made" >"$T/little"
	made big 1
	anon all "$T/made" | pcat -q --endian=little | pfilter -q --allow vital-types --drop-type header_tracing_data --strip raw >"$T/big"
	pfilter -q --allow vital-types --drop-type header_tracing_data --strip raw "$T/little" | cmp - "$T/big" || failed "samples of both orders"
	done_all
}

@test "anon payload: a word changes what it names; fields without a meaning go with each, numbers only with words for numbers" {
	need python3
	made little 7
	while read -r word want; do
		got=$(left "$word" little 7)
		[ "$got" = "$want " ] || failed "$word: $got"
	done <<-'END'
		comm addr kallsyms names number path pid printk
		pid addr comm kallsyms names path printk
		path addr comm number pid printk tasks
		addr comm names path pid tasks
		event addr comm kallsyms number path pid printk tasks
		host addr comm kallsyms names number path pid printk tasks
		build-id addr comm kallsyms names number path pid printk tasks
		comm,pid addr kallsyms names path printk
		all,-comm comm
	END
	done_all
}

# same WHOLE: perf sched and perf script say of it what they say of it made anonymous, of other names.
same() {
	local whole=$1
	rm -f "$T/map"
	pcat -q -f --format=file -o "$T/whole" "$whole"
	anon all -f --anon-map "$T/map" --format=file -o "$T/anon" "$whole"
	for command in "sched timehist -wMn --state" "sched timehist -s" "sched latency -p"; do
		perf $command -i "$T/whole" 2>/dev/null </dev/null >"$T/whole.txt"
		perf $command -i "$T/anon" 2>/dev/null </dev/null >"$T/anon.txt"
		[ "${command% -p}" = "$command" ] || sed -i 's/^  *[^ ].*:\([0-9]*\) *|/  x[\1] |/' "$T/whole.txt" "$T/anon.txt"
		diff <(figures "$command" "$T/whole.txt") <(figures "$command" "$T/anon.txt") >"$T/differ" || failed "$whole: $command: $(head -4 "$T/differ")"
		[ "$command" != "sched timehist -wMn --state" ] ||		# the others are sorted by what is another then
		    diff <(python3 payload.py tasks "$T/map" <"$T/whole.txt") <(python3 payload.py tasks <"$T/anon.txt") >"$T/differ" ||
		    failed "$whole: $command: tasks: $(head -4 "$T/differ")"
		cat "$T/whole.txt" >>"$T/all"
	done
	# a name in the payload is the pseudonym of the column where it was the name in it
	for f in whole anon; do
		perf script -F comm,tid,event,trace -i "$T/$f" 2>/dev/null </dev/null | grep -v '^ *swapper ' |
		    sed -nE 's/^ *(.*[^ ]) +[-0-9]+ +sched:sched_(switch|stat_runtime|process_fork|process_exit): .*comm=(.*) (prev_|)pid=.*/\1 \3/p' |
		    awk '{ n++; equal += $1 == $2 && NF == 2 } END { print n, equal }' >"$T/equal.$f"
	done
	cmp "$T/equal.whole" "$T/equal.anon" || failed "$whole: names: $(cat "$T/equal.whole" "$T/equal.anon" | tr '\n' ' ')"
}
figures() {
	if [ "$1" = "sched timehist -wMn --state" ]; then
		python3 payload.py figures <"$2"
	else
		python3 payload.py figures <"$2" | sort
	fi
}

@test "anon payload: perf sched timehist and latency have the same figures, of the same tasks" {
	need perf
	need python3
	same data/sched.pipe.data
	(($(grep -c '\[000[0-9]\]' "$T/all") > 100)) || failed "little was compared"
	(($(cut -d ' ' -f 2 "$T/equal.anon") > 50)) || failed "few names were compared: $(cat "$T/equal.anon")"
	done_all
}

@test "anon payload: also of a recording of now" {
	need record
	need python3
	[ -r /sys/kernel/tracing/events/sched/sched_switch/id ] || skip "no tracefs"
	timeout -s KILL 60 perf record -q --no-bpf-event -m 1M -o "$T/now" -e sched:sched_switch,sched:sched_waking,sched:sched_wakeup \
	    -e sched:sched_wakeup_new,sched:sched_migrate_task,sched:sched_process_fork,sched:sched_process_exec,sched:sched_process_exit \
	    -e sched:sched_stat_runtime -- sh -c 'for i in 1 2 3; do ls / | cat & sleep 0.01; done; wait' >/dev/null 2>&1 </dev/null ||
	    skip "perf record takes no tracepoints"
	same "$T/now"
	done_all
}

@test "anon payload: every perf reads the formats; a probe has its new name and the common fields only" {
	need perf
	need python3
	made little 4 sound
	anon all -f --format=file -o "$T/anon" "$T/made"
	perf script -F comm,tid,event,trace -i "$T/anon" 2>/dev/null </dev/null >"$T/script"
	[ "$(grep -c ' sched:sched_prepare_exec: ' "$T/script")" = 3 ]
	[ "$(grep -c ' event-[0-9a-f]\{10\}: *$' "$T/script")" = 3 ]
	anon all "$T/made" >"$T/anon"
	pstat --events "$T/anon" | grep -q 'event-[0-9a-f]\{10\}'
	! pfilter -n --filter 'raw.hidden_argument == 0' "$T/anon" 2>/dev/null || false
	[ "$(kept 'event ~ "event-*" && raw.common_type == 14 && raw.common_pid > 0' "$T/anon")" = 3 ]
}

@test "anon payload: one key gives the same pseudonyms in all recordings" {
	need python3
	rm -f "$T"/map.*
	for f in sched_R tracepoints; do
		anon all --anon-map "$T/map.$f" data/$f.pipe.data >"$T/$f"
		[ "$(grep -c -P '^comm\tcomm-[0-9a-f]*\ttrue$' "$T/map.$f")" = 1 ] || failed "$f: true"
		[ "$(grep -c -P '^path\tp[0-9a-f]*\ttrue$' "$T/map.$f")" -ge 1 ] || failed "$f: /bin/true"
	done
	diff <(grep -P '\ttrue$' "$T/map.sched_R") <(grep -P '\ttrue$' "$T/map.tracepoints")
	# as in COMM records, so in payloads
	name=$(grep -P '^comm\t.*\ttrue$' "$T/map.tracepoints" | cut -f 2)
	for list in all comm; do
		anon $list data/tracepoints.pipe.data >"$T/out"
		want=$(kept "prev_comm == 'true'" data/tracepoints.pipe.data)
		[ "$want" -gt 0 ] && [ "$(kept "prev_comm == '$name'" "$T/out")" = "$want" ] || failed "$list"
	done
	done_all
}

@test "anon payload: a format with a damaged byte gives no name away" {
	need python3
	local f=data/tracepoints.pipe.data names
	names=$(pfilter -q --filter 'event == "sched:sched_switch"' $f | strings -n 4 | grep -x 'true\|perf-exec\|swapper/[0-9]\|/bin/true' | sort -u)
	[ -n "$names" ]
	mkdir "$T/damaged"
	python3 payload.py damage $f 1 "$((ALL ? 120 : 40))" "$T/damaged"
	for d in "$T"/damaged/*; do
		anon all "$d" >"$T/anon" 2>/dev/null || failed "$d: status $?"
		# "true" is a word of formats, too
		! pfilter -q --allow vital-types --drop-type header_tracing_data "$T/anon" 2>/dev/null | strings -n 3 |
		    grep -e 'true' -e 'perf-ex' -e 'swapp' -e '/bin' || failed "$d"
	done
	done_all
}

@test "anon payload: formats behind the data, and none: the payloads are zeros, with a warning" {
	local f=data/sched.pipe.data
	pfilter -q --allow vital-types --drop-type header_tracing_data $f >"$T/none"
	try pfilter --anon comm "$T/none"
	[ $rc = 0 ]
	all=$(kept 'nr > 0' $f)
	one_line "pfilter: warning: --anon: fields without pseudonyms removed from samples: $all RAW"
	cp "$T/out" "$T/anon"
	[ "$(kept 'raw.u64[0] == 0 and raw.u64[1] == 0' "$T/anon")" = "$all" ]
	# TRACING_DATA that is cut within
	try pfilter --anon comm $f
	[ $rc = 0 ] && [ ! -s "$T/err" ]
}

@test "anon payload: a path too long for its record becomes empty" {
	need python3
	made little 9
	# a stack that leaves 1 kB: the pseudonym of a path of 300 components needs more
	python3 - "$T/made.txt" >"$T/long.txt" <<-'END'
		import re, sys
		for line in open(sys.argv[1]):
		    if line.startswith("SAMPLE id=7 "):
		        raw = bytes.fromhex(re.search("raw=([0-9a-f]*)", line).group(1))
		        path = b"/d" * 300 + b"\0"
		        raw = raw[:8] + (len(path) << 16 | len(raw)).to_bytes(4, "little") + raw[12:] + path
		        raw += bytes(-(len(raw) + 4) % 8)
		        line = re.sub("raw=[0-9a-f]*", "raw=" + raw.hex(), line)
		        line = re.sub("stack=[0-9a-f]*", "stack=" + "00" * 64000, line)
		    print(line, end="")
	END
	mkpipe "$T/long.txt" >"$T/long"
	anon all "$T/long" >"$T/anon"
	[ "$(kept 'len(interp) == 0 && filename ~ "/p*/p*"' "$T/anon")" = 3 ]
	# without the stack there is space
	pfilter -q --strip user-stack "$T/long" | anon all >"$T/anon"
	[ "$(kept 'len(interp) == 3600 && filename ~ "/p*/p*"' "$T/anon")" = 3 ]
}

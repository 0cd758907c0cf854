# SPDX-License-Identifier: ISC
# pfilter: lists of numbers and names.
load lib
load spread

@test "lists: ranges, many of them, from files, beyond what a pid can be" {
	need jq
	spread
	while read -r want args; do
		got=$(pfilter $args "$T/spread" | pstat --json | jq .samples)
		[ "$got" = "$want" ] || failed "$args: $got, $want expected"
	done <<-'END'
		1 --pid 7
		3 --pid 7,9,11
		13 --pid 7,9-20
		200 --pid 0-9223372036854775807
		199 --exclude-pid 7
		198 --exclude-pid 7 --exclude-pid 9
		10 --pid 1-20 --exclude-pid 11-30
		1 --tid 4194305
		2 --tid 4194305,2
		100 --tid 0-4194303
		100 --tid 4194304-9999999
		3 --tid 4194305,4194307,4194309,99999999,-1
		50 --cpu 1
		150 --cpu 0,2-3
		0 --pid 201
		200 --exclude-pid 201
	END
	seq 1 2 100 >"$T/pids"
	[ "$(pfilter --pid "file://$T/pids" "$T/spread" | pstat --json | jq .samples)" = 50 ]
	[ "$(pfilter --pid "file://$T/pids" --pid 2-4 "$T/spread" | pstat --json | jq .samples)" = 52 ]
	printf 'cpu-cl*\nnot,this\n' >"$T/events"
	try pfilter -e "file://$T/events" "$T/spread"
	[ $rc = 2 ]
	one_line "pfilter: --event 'not,this': no such event"
	printf 'cpu-cl*\n\n' >"$T/events"
	[ "$(pfilter -e "file://$T/events" "$T/spread" | pstat --json | jq .samples)" = 200 ]
	done_all
}

@test "lists: a list of a million pids is read at once" {
	need jq
	spread
	awk 'BEGIN { for (i = 0; i < 1000000; i++) print i * 3000017 % 4194301 + 200 }' >"$T/pids"
	echo 100 >>"$T/pids"
	[ "$(timeout 60 pfilter --pid "file://$T/pids" "$T/spread" | pstat --json | jq .samples)" = 2 ]
}

@test "lists: lists that say nothing, or against themselves, are wrong use" {
	echo 5 >"$T/good"
	echo 5,x >"$T/bad"
	: >"$T/empty"
	while read -r args; do
		try pfilter $(sed "s|DIR|$T|" <<<"$args") data/basic.pipe.data
		[ $rc = 2 ] && [ ! -s "$T/out" ] && one_line "pfilter: --" || failed "$args"
	done <<-'END'
		--pid 20-10
		--pid 1,20-10
		--pid x
		--pid 1,
		--pid file://DIR/bad
		--pid file://DIR/empty
		--pid file://DIR/missing
		--event file://DIR/empty
		--pid 5 --exclude-pid 5
		--tid 5-9 --exclude-tid 0-6 --exclude-tid 7-9
		--cpu 0 --exclude-cpu 0-3
		--pid file://DIR/good --exclude-pid 5
		--cpu -3
		--cpu 0,-1
		--exclude-cpu -1
		--pid -2
		--tid -4--2
		-S 5m
	END
	done_all
}

@test "lists: options that leave nothing, or nothing to do, are wrong use" {
	set -f			# the patterns are for pfilter
	while IFS='|' read -r args text; do
		try pfilter $args data/multi.pipe.data
		[ $rc = 2 ] && one_line "pfilter: $text" || failed "$args"
	done <<-END
		--invert|--invert: needs an option that
		--invert --every 2|--invert: needs an option that
		--invert --switch-on cpu-clock|--invert: needs an option that
		--invert --type SAMPLE|--invert: needs an option that
		--allow vital-types|--allow: needs --drop-type
		--allow vital-types --pid 1|--allow: needs --drop-type
		--event cpu-clock --exclude-event *-clock|--event and --exclude-event: nothing remains selected
		--exclude-event *|--exclude-event: nothing remains selected
		--event *-clock --drop-event task-clock,cpu-clock|--event and --drop-event: nothing remains selected
		--exclude-event *-clock --drop-event page-faults,c*-*s|--exclude-event and --drop-event: nothing remains selected
		--type SAMPLE,SWITCH --drop-type SAMPLE,SWITCH,READ|--type and --drop-type: nothing remains selected
		--max-samples 1 --stop -U $T/rest|--stop: cannot be combined with --rejected
	END
	while read -r args; do
		try pfilter $args data/multi.pipe.data
		[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$args"
	done <<-'END'
		--invert --filter pid==1
		--invert --comms x
		--invert --exclude-event *-clock
		--exclude-event * --invert
		--allow vital-types --drop-type SWITCH
		--event *-clock --drop-event cpu-clock
		--event cpu-clock,page-faults --exclude-event *-clock
		--type SAMPLE,SWITCH --drop-type SAMPLE
	END
	done_all
}

@test "lists: of a list without an end no more is read than a list may have" {
	need native
	sanitized && skip "a sanitizer has memory of its own"
	for option in --pid --event --comms --dsos; do
		( ulimit -v 1000000; exec timeout 60 pfilter $option file:///dev/zero data/basic.pipe.data ) >"$T/out" 2>"$T/err" && rc=0 ||
		    rc=$?
		[ $rc = 2 ] && one_line "pfilter: $option 'file:///dev/zero': is not text" || failed "$option"
		yes 2>/dev/null | timeout 60 pfilter $option file:///dev/stdin data/basic.pipe.data >"$T/out" 2>"$T/err" && rc=0 || rc=$?
		[ $rc = 2 ] && one_line "pfilter: $option 'file:///dev/stdin': more than" || failed "$option, of text"
	done
	done_all
}

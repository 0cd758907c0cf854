# SPDX-License-Identifier: ISC
# pfilter: names of events.
load lib
load spread

# One event of each name, one sample each.  flags 0x20: without the kernel; 0x10: without user space.
named() {
	local i=0 name flags type
	{
		while read -r name flags type; do
			i=$((i + 1))
			echo "attr type=$type config=$i sample_type=IDENTIFIER|TID|TIME flags=$flags ids=$i"
			echo "EVENT_UPDATE update_type=2 id=$i z=$name" >>"$T/updates"
			echo "SAMPLE ev=$((i - 1)) id=$i pid=1 tid=1 time=$i" >>"$T/samples"
		done
		cat "$T/updates" "$T/samples"
		echo FINISHED_ROUND
	} >"$T/named.txt"
	mkpipe "$T/named.txt" >"$T/named"
}
several_names() {
	named <<-'END'
		cpu-clock/max-stack=4/ 0 1
		cycles:u 0x20 0
		cycles:k 0x10 0
		cpu/mem-loads,ldlat=30/P 0 4
		cpu_core/branches/u 0x20 0
		software/config=9,period=7/ 0 1
		task-clock 0x20 1
		sched:pu 0 2
		page-faults 0 1
	END
}

@test "events: they are named as for perf record -e: without terms and modifiers, in groups, by those modifiers that count" {
	several_names
	while IFS='|' read -r want names; do
		got=$(pfilter -e "$names" "$T/named" >"$T/out" && samples_at 6 "$T/out" | cut -d ' ' -f 1 | tr '\n' ' ')
		[ "$got" = "$want " ] || failed "$names: $got"
	done <<-'END'
		1|cpu-clock
		1|cpu-clock:ppp
		1|cpu-clock/max-stack=4/
		1|cpu-clock/max-stack=8,period=5/p
		1|*/max-stack=4/
		2 3|cycles
		2|cycles:u
		2|cycles:upp
		3|cycles/period=7/k
		2 9|{cycles:u,page-faults}:S
		2 7|{cycles,task-clock}:u
		2 3 9|{cycles,page-faults}
		4|mem-loads
		4|cpu/mem-loads/
		4|cpu/mem-loads,ldlat=50/pp
		5|branches
		5|branches:u
		5|anything/name=branches/
		6|software/config=9/
		6|software/config=9,freq=1/S
		7|task-clock:u
		8|sched:pu
		8|sched:*
	END
	done_all
}

# Two systems have `switch'; `cycles' is an event, so the tracepoint of that name is only meant with its system.
short_names() {
	named <<-'END'
		cycles 0 0
		sched:sched_switch 0 2
		sched:sched_wakeup:u 0x20 2
		one:switch 0 2
		two:switch 0 2
		mine:cycles 0 2
		probe_libc:malloc 0 2
		sched:sched_switch:k 0x10 2
	END
}

@test "events: a tracepoint is named without its system, wherever an event is named" {
	short_names
	while IFS='|' read -r want args; do
		eval "args=($args)"
		got=$(pfilter -q "${args[@]}" "$T/named" >"$T/out" && samples_at 6 "$T/out" | cut -d ' ' -f 1 | tr '\n' ' ')
		[ "$got" = "${want:+$want }" ] || failed "${args[*]}: $got"
	done <<-'END'
		2 8|-e sched_switch
		2 8|-e sched:sched_switch
		8|-e sched_switch:k
		3|-e sched_wakeup
		3|-e sched_wakeup:u
		2 3 8|-e 'sched_*'
		1|-e cycles
		6|-e mine:cycles
		7|-e malloc
		4 7|-e one:switch,malloc
		1 3 4 5 6 7|--exclude-event sched_switch
		1 3 4 5 6 7|--drop-event sched_switch
		1 2 4 5 6 7 8|--drop-event sched_wakeup
		4 5 6 7 8|--switch-on sched_wakeup
		1 2|--switch-off sched_wakeup
		4 5 6|--switch-on sched_wakeup --switch-off malloc
		2 8|--filter 'event == "sched_switch"'
		1 3 4 5 6 7|--filter 'event != "sched_switch"'
		3 7|--filter 'event in ("malloc", "sched_wakeup")'
		1 2 3 8|--filter 'event in ("cycles", "sched_wakeup", "sched_switch")'
		1 4 5 6 8|--filter 'event not in ("malloc", "sched_wakeup", "sched:sched_switch:k") and event.index != 1 or event == "sched:sched_switch:k"'
	END
	done_all
}

@test "events: a name without system that several tracepoints have is wrong usage; a hint names the similar event" {
	short_names
	for args in "-e switch" "-e cycles,switch" "--exclude-event switch" "--drop-event switch" "--switch-on switch" "--switch-off switch"; do
		try pfilter $args "$T/named"
		[ $rc = 2 ] && grep -qx "pfilter: --[a-z-]* 'switch': is ambiguous: one:switch, two:switch" "$T/err" || failed "$args: $(cat "$T/err")"
	done
	for filter in 'event == "switch"' 'event != "switch"' 'event in ("malloc", "switch")' 'switch{a == 1}'; do
		try pfilter --filter "$filter" "$T/named"
		[ $rc = 2 ] && grep -qF '"switch" is ambiguous: one:switch, two:switch' "$T/err" || failed "$filter: $(cat "$T/err")"
	done
	for args in "-e sched_swich" "--drop-event sched_swich" "--switch-on sched_swich"; do
		try pfilter $args "$T/named"
		[ $rc = 2 ] && grep -qx "pfilter: --[a-z-]* 'sched_swich': no such event; similar: sched_switch" "$T/err" || failed "$args: $(cat "$T/err")"
	done
	try pfilter -e sched:sched_swich "$T/named"
	[ $rc = 2 ] && one_line "pfilter: --event 'sched:sched_swich': no such event; similar: sched:sched_switch" || failed "with a system"
	try pfilter -e page-faults "$T/named"
	[ $rc = 2 ] && one_line "pfilter: --event 'page-faults': no such event; there are cycles, sched:sched_switch, " || failed "none is similar"
	try pfilter --filter 'event == "sched_wakup"' "$T/named"
	[ $rc = 0 ] && grep -qF 'no event is called "sched_wakup"; similar: sched_wakeup' "$T/err" || failed "filter: $(cat "$T/err")"
	done_all
}

@test "events: a name that only looks like an event's is none" {
	several_names
	set -f
	for name in cpu-clock:k cycles:h cycles/config=1/ cpu software cpu/mem-stores/ cpu/config=9/ branches:k task-clock:k sched sched:p max-stack=4 \
	    '{cycles,nosuch}' page-faults:G; do
		try pfilter -e "$name" "$T/named"
		[ $rc = 2 ] && one_line "pfilter: --event '" || failed "$name"
	done
	try pfilter -e '{}' "$T/named"
	[ $rc = 2 ] && one_line "pfilter: --event ''" || failed "no member"
	done_all
}

@test "events: --drop-event, --switch-on, --switch-off and --filter take the same names of events" {
	several_names
	times() { samples_at 6 "$T/out" | cut -d ' ' -f 1 | tr '\n' ' '; }
	while IFS='|' read -r want option names; do
		try pfilter $option "$names" "$T/named"
		[ "$rc $(times)" = "0 $want " ] || failed "$option $names: $(times)"
	done <<-'END'
		2 3 4 5 6 7 8 9|--drop-event|cpu-clock:p
		1 4 5 6 7 8|--drop-event|{cycles,page-faults}
		4 5 6 7 8 9|--switch-on|cycles:kp
		1 2 3|--switch-off|mem-loads
		1|--filter|event == "cpu-clock"
		1|--filter|"cpu-clock:ppp" == event
		1 3 4 5 6 7 8 9|--filter|event != "cycles/period=5/u"
		1 2 3 4|--filter|event in ("cycles", "mem-loads", "cpu-clock:ppp")
		2 3|--filter|event ~ "cycles:?"
	END
	done_all
}

@test "events: each event is found by the words that perf record was given for it" {
	need record
	need jq
	for name in cpu-clock cpu-clock:ppp cpu-clock:u cpu-clock/max-stack=4/ cpu-clock/period=100000/u cpu-clock/freq=999/ppp software/config=0/ \
	    '{cpu-clock,task-clock}' '{cpu-clock,task-clock}:u' '{cpu-clock:u,task-clock}:S' cpu-clock/name=mine/ cpu-clock/name=mine,period=100000/u; do
		perf record -q -e "$name" -o - -- bash -c 'for i in {1..8000}; do :; done' >"$T/fresh" 2>/dev/null
		all=$(pstat --json "$T/fresh" | jq .samples)
		[ "$all" -gt 0 ] || failed "$name: no samples"
		try pfilter -e "$name" "$T/fresh"
		[ "$rc $(pstat --json "$T/out" | jq .samples)" = "0 $all" ] || failed "$name: of $all"
	done
	done_all
}

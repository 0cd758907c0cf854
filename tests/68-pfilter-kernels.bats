# SPDX-License-Identifier: ISC
# pfilter --filter: formats and payloads of other kernels: Linux 6.1, 6.12, and both with PREEMPT_RT.
load lib

# same_fields: the fields of the texts in $T/texts, by us and by formats.py
same_fields() {
	format-fields <"$T/texts" >"$T/ours"
	python3 formats.py fields <"$T/texts" >"$T/theirs"
	diff "$T/theirs" "$T/ours"
	! grep refused "$T/ours"
}

@test "kernels: all fields of Linux 6.1, 6.12, and both with PREEMPT_RT, are read as another reader does" {
	need python3
	need zstd
	zstd -dqc data/kernel-formats.zst >"$T/texts"
	same_fields
	[ "$(wc -l <"$T/ours")" = 46781 ]
	# the gap behind common_* of 6.1 with PREEMPT_RT, and a dynamic field at an odd offset
	grep -q '^sched:sched_switch [0-9]* common_preempt_lazy_count 8 1 u8$' "$T/ours"
	grep -q '^sched:sched_switch [0-9]* prev_comm 12 16 char\[16\]$' "$T/ours"
	grep -q '^made:open [0-9]* comm 37 4 __data_loc char\[\]$' "$T/ours"
	grep -q '^made:open [0-9]* bytes 32 4 u8\[4\]$' "$T/ours"
}

@test "kernels: all fields of this kernel are read as another reader does" {
	need python3
	local events=/sys/kernel/tracing/events
	only_all		# formats.py may not know all types of any kernel
	[ -r $events/sched/sched_switch/format ] || skip "no tracefs that we may read"
	awk -v at=${#events} 'FNR == 1 { split(substr(FILENAME, at + 2), name, "/"); print "system: " name[1] } { print }' \
	    $events/*/*/format >"$T/texts"
	same_fields
	[ "$(wc -l <"$T/ours")" -gt 1000 ]
}

# how_many EXPRESSION: samples of $T/plain
how_many() {
	pfilter -n --stats --filter "$1" "$T/plain" 2>&1 | sed -n 's/^pfilter: kept: .* \([0-9]*\) samples$/\1/p'
}
@test "kernels: values in recordings of other kernels are those that perf script shows" {
	need perf
	need python3
	need zstd
	for row in k61_sched:1 k612_sched:1 rt61_sched:2 k612_probe:2; do
		zstd -dqc "data/${row%:*}.pipe.data.zst" >"$T/plain"
		perf script -F event,trace -i - <"$T/plain" 2>/dev/null | grep -E '^ *(sched|raw_syscalls|made):' >"$T/shown"
		python3 formats.py values "${row#*:}" <"$T/shown" >"$T/list"
		[ "$(wc -l <"$T/list")" -gt 20 ] || failed "${row%:*}: little is shown"
		while IFS='	' read -r expr want; do
			turn 5 || continue
			got=$(how_many "$expr")
			[ "$got" = "$want" ] || failed "${row%:*}: $expr: $got, perf shows $want"
		done <"$T/list"
	done
	# what perf does not show as a value: the bytes of an array without a number of elements, and those that common_* have in front
	[ "$(how_many 'bytes[0] == 0x2f and bytes[3] == 0x6f')" = "$(grep -c 'bytes={0x2f,.*,0x6f}' "$T/shown")" ]
	[ "$(how_many 'exists(raw.bytes) and raw.common_pid == tid')" = "$(grep -c ' made:open:' "$T/shown")" ]
	done_all
}

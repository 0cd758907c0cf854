# SPDX-License-Identifier: ISC
# Changes on the way: --features, --compat, --endian.
load lib

@test "--endian: what one order says is what mkpipe writes in the other" {
	for r in all-types sorted rounds two-events read-group escape unknown old-forms; do
		pcat -q --endian=big "$(recipe $r)" | cmp - "$(recipe $r -b)" || failed "$r to big"
		pcat -q --endian=little "$(recipe $r -b)" | cmp - "$(recipe $r)" || failed "$r to little"
	done
	done_all
}

@test "--endian: there and back is the same" {
	for f in data/s390x_*.data data/basic.*.data data/sched_R.pipe.data data/p72_*.data; do
		a=little b=big
		[[ $f == *s390x* ]] && a=big b=little
		pcat "$f" >"$T/want"
		pcat -q --endian=$b "$f" | pcat -q --endian=$a | cmp - "$T/want" || failed "$f"
	done
	done_all
}

@test "--features, --no-features, and what is no feature" {
	pcat --features=hostname data/basic.pipe.data >"$T/a" && pcat --no-features=HEADER_HOSTNAME data/basic.pipe.data >"$T/b"
	[ "$(wc -c <"$T/a")" -lt "$(wc -c <"$T/b")" ] || failed size
	same_script data/basic.pipe.data "$T/a" || failed script
	try pcat --features=nonsense data/basic.pipe.data
	[ $rc = 2 ] && one_line "pcat: --features" || failed nonsense
	done_all
}

@test "--compat=6.1: the perf that is installed reads what 7.2 wrote" {
	need perf
	for f in data/p72_*.data; do
		pcat -q --compat=6.1 "$f" >"$T/o" || failed "$f"
		perf script -f -i "$T/o" >"$T/out" 2>"$T/err" || failed "$f: perf"
		! grep -q "failed to process\|wrong feature" "$T/err" || failed "$f: perf says so"
	done
	done_all
}

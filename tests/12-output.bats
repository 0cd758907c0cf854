# SPDX-License-Identifier: ISC
# The output rule of perfpipe(7), which all tools share: what stands at -o before and after, and what is allowed.
load lib

# ---- --allow ---------------------------------------------------------------------------------------

@test "allow: an unknown word is wrong use, lists add up, each tool has its own words" {
	in=data/basic.pipe.data
	while read -r words c; do
		try $c --allow "$words" "$in"
		[ $rc = 0 ] || failed "$c --allow $words"
		try $c --allow "${words%%,*}" --allow "${words##*,}" "$in"
		[ $rc = 0 ] || failed "$c, twice"
		for w in nosuch "$words,nosuch" "" "${words%?}" "${words}s" other-host; do
			try $c --allow "$w" "$in"
			[ $rc = 2 ] && one_line "${c%% *}: --allow '" && ! [ -s "$T/out" ] || failed "$c --allow '$w'"
		done
	done <<-'END'
		kernels,clocks,same-input pcat
		kernels,clocks,same-input psort --merge
		vital-types pfilter --drop-type COMM
	END
	for t in pinject pstat; do
		try $t --allow kernels "$in"
		[ $rc = 2 ] && one_line "$t: --allow: no such option" || failed "$t"
	done
	try psort --allow kernels "$in"
	[ $rc = 2 ] && grep -q 'go with --merge' "$T/err" || failed "psort without --merge"
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

# SPDX-License-Identifier: ISC
# What the tests of make fleet share.
FLEET=$(cd "${EXAMPLES:-$BATS_TEST_DIRNAME/../man/examples/fleet}" && pwd)

# A recording $T/whole, its $N parts by $T/parts.tsv, and what one run makes of the parts, $T/want.
whole() {
	local p
	zstd -qdc data/a_busy.pipe.data.zst | psort >"$T/whole"
	SELECT="--cpu 0 --max-stack 8"
	pcat --switch-output=200K --manifest="$T/parts.tsv" -o "$T/p" "$T/whole"
	N=$(($(wc -l <"$T/parts.tsv") - 1))
	mkdir "$T/by-hand"
	for p in $(sed 1d "$T/parts.tsv" | cut -f 1); do
		pcat --manifest="$T/parts.tsv" --part="$p" | pfilter $SELECT >"$T/by-hand/$p"
	done
	psort --merge --merge-attrs "$T"/by-hand/* >"$T/want"
	pfilter $SELECT "$T/whole" >"$T/one"
	[ "$N" -ge 6 ]
	same "$T/want"
}
# same FILE: has it the samples that one run has?
same() {
	same_script "$1" "$T/one" --ns --symfs=/nonexistent --kallsyms=/dev/null
}

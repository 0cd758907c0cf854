# SPDX-License-Identifier: ISC
# What has no row that says all of it: a kind that the code knows stands also in the tests and on the page.
load lib

@test "rows: 48-pstat-term and the schema have each picture, and 48-pstat-picture the titles of each with time" {
	need jq
	local word
	sed -n 's/^PICTURE([A-Z]*, [a-z_]*, "\([a-z:]*\).*/\1/p' ../cmd/pstat/picture/kinds.def >"$T/words"
	[ "$(wc -l <"$T/words")" -ge 8 ] || failed "pictures not found"
	while read -r word; do
		case $word in
		*:) grep -qE "^	golden .*[ ,]$word" 48-pstat-term.bats ;;
		*) grep -qE "^PICTURES=.*\b$word\b" 48-pstat-term.bats ;;
		esac || failed "48-pstat-term: $word"
		# the figures of one with an argument are another option's
		[[ $word = *: ]] || jq -e --arg word "$word" '.properties[$word]' pstat.schema.json >"$T/out" || failed "pstat.schema.json: $word"
	done <"$T/words"
	sed -nE 's/^const struct picture_kind picture_([a-z]+) = \{ \.timed = true.*/\1/p' ../cmd/pstat/picture/*.c >"$T/words"
	[ "$(wc -l <"$T/words")" -ge 4 ] || failed "pictures with time not found"
	while read -r word; do
		sed -n '/^@test .*the option of a cell/,/^}/p' 48-pstat-picture.bats | grep -qE "(for o in|pasted) .*\b$word\b" || failed "options of cells: $word"
		# one of tasks has no title for each of its samples
		[ $word = tasks ] || sed -n '/^@test .*all titles/,/^}/p' 48-pstat-picture.bats | grep -qE "for p in .*\b$word\b" || failed "all titles: $word"
	done <"$T/words"
	done_all
}

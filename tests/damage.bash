# SPDX-License-Identifier: ISC
# The recipes of data/check: kinds of damage, each beside the same recording without it.  Sourced in tests/ by 43-pstat-check.bats
# and tests/seen.
#
# A kind begins with "== NAME RULE...: what it is"; RULE... are those that pstat --check finds (-: none).  Of the lines that
# follow, those with a space in front are of both recordings, "+" of the damaged, "-" of the sound one.  They are lines for mkpipe,
# or of these, which change what mkpipe has made:
#	@file		make a perf.data of it (pcat --format=file)
#	@poke AT HEX	overwrite bytes; AT is a number, end-N, or data-end+N in a perf.data
#	@cut AT		cut it there
#	@add HEX	append bytes

kinds() {
	sed -n 's/^== \([^ ]*\) .*/\1/p' data/check/*.kinds
}
# kind_rules NAME: those that its damage breaks.
kind_rules() {
	sed -n "s/^== $1 \\([^:]*\\):.*/\\1/p" data/check/*.kinds | sed 's/^-$//'
}

kind_place() {	# FILE AT
	local size=$(stat -c %s "$1") data
	case $2 in
	end-*) echo $((size - ${2#end-}));;
	data-end+*)
		data=($(od -A n -t u8 -j 40 -N 16 "$1"))
		echo $((data[0] + data[1] + ${2#data-end+}));;
	*) echo "$2";;
	esac
}
# kind NAME + | -: the recording with the damage, or without it, to standard output.
kind() {
	local work=$(mktemp -d) line
	awk -v name="$1" -v which="$2" '/^== / { on = $2 == name; next }
	    on && /^[ +-]/ { c = substr($0, 1, 1); if (c == " " || c == which) print substr($0, 2) }' data/check/*.kinds >"$work/all"
	grep -v '^@' "$work/all" | mkpipe >"$work/out"
	while read -r line; do
		set -- ${line#@}
		case $1 in
		file) pcat --format=file -q -o "$work/file" "$work/out" && mv "$work/file" "$work/out";;
		poke) printf "$(sed 's/../\\x&/g' <<<"$3")" | dd of="$work/out" bs=1 seek="$(kind_place "$work/out" "$2")" conv=notrunc status=none;;
		cut) truncate -s "$(kind_place "$work/out" "$2")" "$work/out";;
		add) printf "$(sed 's/../\\x&/g' <<<"$2")" >>"$work/out";;
		esac
	done < <(grep '^@' "$work/all")
	cat "$work/out"
	rm -r "$work"
}
# kind_marked NAME: where the marked lines of the damaged recording stand.
kind_marked() {
	awk -v name="$1" '/^== / { on = $2 == name; next } on && /^[ +][^@]/ { print substr($0, 2) }' data/check/*.kinds |
	    mkpipe -l | awk -F '\t' '$4 == "!" { print $1 }'
}

# SPDX-License-Identifier: ISC
# The recipes of data/check: kinds of damage, each beside the same recording without it.  Sourced in tests/ by 43-pstat-check.bats
# and tests/seen.
#
# A kind begins with "== NAME RULE...: what it is"; RULE... are those that pstat --check finds (-: none; "~" is for the test of levels).
# Of the lines that
# follow, those with a space in front are of both recordings, "+" of the damaged, "-" of the sound one.  They are lines for mkpipe,
# or of these, which change what mkpipe has made:
#	@file		make a perf.data of it (pcat --format=file)
#	@poke AT HEX	overwrite bytes; AT is a number, end-N, or data-end+N in a perf.data
#	@cut AT		cut it there
#	@add HEX	append bytes

declare -gA KIND_RULES KIND_LINES
KINDS=()
kinds_load() {
	local line name= file
	local -a lines=()
	for file in "${BASH_SOURCE[0]%/*}"/data/check/*.kinds; do
		mapfile -t -O ${#lines[@]} lines <"$file"	# of a pipe, the shell reads each byte by itself
	done
	for line in "${lines[@]}"; do
		case $line in
		"== "*)
			line=${line#== }
			name=${line%% *}
			line=${line#* }
			KINDS+=("$name")
			KIND_RULES[$name]=${line%%:*}
			KIND_LINES[$name]=;;
		" "*|+*|-*) KIND_LINES[$name]+=$line$'\n';;
		esac
	done
}
kinds_load
kinds() {
	printf '%s\n' "${KINDS[@]}"
}
# kind_rules NAME: those that its damage breaks.
kind_rules() {
	[ "${KIND_RULES[$1]}" = - ] || echo "${KIND_RULES[$1]}"
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
# kind_lines NAME + | -: sets $recipe to the lines for mkpipe, $later to those that begin with @.
kind_lines() {
	local line
	recipe= later=
	while IFS= read -r line; do
		case $line in
		[" $2"]@*) later+=${line#?@}$'\n';;
		[" $2"]*) recipe+=${line#?}$'\n';;
		esac
	done <<<"${KIND_LINES[$1]}"
}
# kind NAME + | -: the recording with the damage, or without it, to standard output.
kind() {
	local work recipe later what at bytes
	kind_lines "$1" "$2"
	if [ -z "$later" ]; then
		mkpipe <<<"$recipe"
		return
	fi
	work=$(mktemp -d)
	mkpipe <<<"$recipe" >"$work/out"
	while read -r what at bytes; do
		case $what in
		file) pcat --format=file -q -o "$work/file" "$work/out" && mv "$work/file" "$work/out";;
		poke) printf "$(sed 's/../\\x&/g' <<<"$bytes")" | dd of="$work/out" bs=1 seek="$(kind_place "$work/out" "$at")" conv=notrunc status=none;;
		cut) truncate -s "$(kind_place "$work/out" "$at")" "$work/out";;
		add) printf "$(sed 's/../\\x&/g' <<<"$at")" >>"$work/out";;
		esac
	done <<<"${later%?}"
	cat "$work/out"
	rm -r "$work"
}
# kind_marked NAME: where the marked lines of the damaged recording stand.
kind_marked() {
	local recipe later
	kind_lines "$1" +
	mkpipe -l <<<"$recipe" | awk -F '\t' '$4 == "!" { print $1 }'
}

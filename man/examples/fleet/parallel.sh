#!/bin/bash
# SPDX-License-Identifier: ISC
# parallel.sh LOGINS OUT MANIFEST [option of pfilter...]	all parts, by GNU parallel
# parallel.sh LOGINS OUT RECORDING/N [option of pfilter...]	all N pieces of a recording
#
# LOGINS: hosts that have perfpipe(1), and these files under the same names, "2/web1,8/user@web2"; ":" is this one.  Then the results
# are merged into OUT/all.data.  Run again, it does only what has failed.  If OUT has results of another input or of other options,
# they stay, and it ends with status 2; if none of these jobs had a result, because an option was wrong, it begins anew.
set -euo pipefail
logins=$1 out=$(realpath -m -- "$2") in=$3
shift 3
case $in in
*/[0-9]|*/[0-9][0-9]|*/[0-9][0-9][0-9]) mapfile -t parts < <(seq -f "%.0f/${in##*/}" "${in##*/}"); in=$(realpath -- "${in%/*}");;
*) mapfile -t parts < <(tail -n +2 <"$in" | cut -f 1); in=$(realpath -- "$in");;
esac
results=()
for part in "${parts[@]}"; do
	case $part in
	all.data|job|joblog) echo "parallel.sh: a part cannot have the name $part" >&2; exit 2;;
	esac
	[ -d "$in" ] || head -c 11 "$in" | grep -q $'^name\tbytes\t' || part=${part/\//_}
	results+=("$out/$part")
done
mkdir -p "$out"
job=$(printf '%q ' "${parts[@]}" "$@" && stat -Lc '%n %s %Y' "$in")
if [ -e "$out/job" ] && [ "$(cat "$out/job")" != "$job" ]; then
	if [ -e "$out/joblog" ] && awk 'NR > 1 && $7 == 0 { any = 1 } END { exit !any }' "$out/joblog"; then
		echo "parallel.sh: $out has results of another input, or of other options" >&2
		exit 2
	fi
	rm -f "$out/joblog"
fi
printf '%s\n' "$job" >"$out/job"
printf '%s\0' "${parts[@]}" | parallel -0 --sshlogin "$logins" --retries 3 --joblog "$out/joblog" --resume-failed -q \
    "$(dirname "$(realpath "$0")")/part.sh" "$out" "$in" {} "$@"
perfpipe psort --merge --merge-attrs --remap-pids=never -f -o "$out/all.data" "${results[@]}"

#!/bin/bash
# SPDX-License-Identifier: ISC
# part.sh OUT MANIFEST PART [option of pfilter...]	one job: select from that part; the result is OUT/PART
# part.sh OUT RECORDING K/N [option of pfilter...]	... from the Kth of N pieces of a recording; the result is OUT/K_N
#
# It may be run twice and killed at any time: it keeps its input, and a result has no name until it is complete.
set -euo pipefail
out=$1 in=$2 part=$3
shift 3
[ "${out#/}" != "$out" ] || out=./$out
mkdir -p "$out"
tmp=$out/.part.$HOSTNAME.$$
trap 'rm -f "$tmp"' EXIT
if head -c 11 2>/dev/null <"$in" | grep -q $'^name\tbytes\t'; then
	perfpipe pcat --manifest="$in" --part="$part" </dev/null | perfpipe pfilter "$@" -o "$tmp"
	result=$part
else
	perfpipe pfilter --piece="$part" "$@" -o "$tmp" -i "$in" </dev/null
	result=${part/\//_}
fi
mkdir -p "$out/$(dirname "./$result")"
mv -fT "$tmp" "$out/$result"

#!/bin/bash
# SPDX-License-Identifier: ISC
# part.sh OUT MANIFEST PART [option of pfilter...]	one job: select from that part; the result is OUT/PART
# part.sh OUT RECORDING K/N [option of pfilter...]	... from the Kth of N pieces of a recording; the result is OUT/K_N
#
# It may be run twice and killed at any time: it keeps its input, and a result has no name until it is complete.
set -euo pipefail
out=$1 in=$2 part=$3
shift 3
tmp=$out/.${part//\//_}.$HOSTNAME.$$
trap 'rm -f "$tmp"' EXIT
case $part in
[0-9]*/[0-9]*) pfilter --piece="$part" "$@" -o "$tmp" "$in" </dev/null;;
*) pcat --manifest="$in" --part="$part" </dev/null | pfilter "$@" -o "$tmp";;
esac
mv "$tmp" "$out/${part//\//_}"

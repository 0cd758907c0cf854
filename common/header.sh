#!/bin/sh
# SPDX-License-Identifier: ISC
# header.sh < perfpipe.h: the header as it is installed, with the rows of record/*.def in place of their #include.
# CC is the compiler.
exec awk -v cpp="${CC:-cc} -E -P -I${0%/*} -x c - | sed 's/^/	/'" '
/^#define (REC|ROLE|SAMPLE|FEAT)\(/ { inside = 1 }
!inside { print; next }
{ block = block $0 "\n" }
/^#undef/ {
	fflush()
	printf "%s", block | cpp
	if (close(cpp))
		exit 1
	block = inside = ""
}'

/* SPDX-License-Identifier: ISC */
/* alloc.h - for targets that test a part of a command without the rest of it: the functions of tool.h that allocate, or end it */
#ifndef FUZZ_ALLOC_H
#define FUZZ_ALLOC_H

#include "tool/tool.h"
#include "fuzz.h"

void *
tool_alloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	MUST(p);
	return p;
}

void *
tool_need(void *p)
{
	MUST(p);
	return p;
}

#endif

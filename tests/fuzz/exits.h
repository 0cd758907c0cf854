/* SPDX-License-Identifier: ISC */
/*
 * exits.h - for targets of functions that end the program when they refuse an argument or a file: its exit is a jump to `out', and what
 * tool_alloc() and others have given `inside' is freed.  The linker wraps exit, free, reallocarray and tool_alloc (Makefile); more
 * functions that allocate are wrapped with note(), and what exit() must be given says the target's EXITS(status).
 */
#ifndef FUZZ_EXITS_H
#define FUZZ_EXITS_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>

#include "fuzz.h"

/* Who exits frees nothing, so that is done here. */
static struct block { struct block *next; void *p; } *blocks;
static jmp_buf out;
static bool inside;

void	*__real_tool_alloc(size_t, size_t), *__real_reallocarray(void *, size_t, size_t), __real_free(void *);
_Noreturn void __real_exit(int);
void	*__wrap_tool_alloc(size_t, size_t), *__wrap_reallocarray(void *, size_t, size_t), __wrap_free(void *);
_Noreturn void __wrap_exit(int);

static void *
note(void *p)
{
	struct block *b = inside ? malloc(sizeof *b) : NULL;

	if (b) {
		*b = (struct block){ blocks, p };
		blocks = b;
	}
	return p;
}

static void
forget(const void *p)
{
	for (struct block **at = &blocks, *b; p && (b = *at); at = &b->next)
		if (b->p == p) {
			*at = b->next;
			__real_free(b);
			return;
		}
}

void *
__wrap_tool_alloc(size_t n, size_t size)
{
	return note(__real_tool_alloc(n, size));
}

void *
__wrap_reallocarray(void *old, size_t n, size_t size)
{
	forget(old);
	return note(__real_reallocarray(old, n, size));
}

void
__wrap_free(void *p)
{
	forget(p);
	__real_free(p);
}

void
__wrap_exit(int status)
{
	if (!inside)
		__real_exit(status);
	MUST(EXITS(status));
	longjmp(out, 1);
}

#endif

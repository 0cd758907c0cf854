/* SPDX-License-Identifier: ISC */
/*
 * symtab.c - libFuzzer target: any bytes as a copy of /proc/kallsyms, as a table of symbols, and as a name to be demangled
 *
 * What must hold: no sanitizer error; a table that was made is sound, and each of its symbols is found where it begins, or one that
 * begins there, too; a table that is any bytes is refused, or each search in it ends; what is demangled is a text within its limit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"
#include "symbol/symtab.h"
#include "fuzz.h"

enum { TABLE = 1 << 20, SEARCHES = 200 };

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
search(const struct symtab *t)
{
	uint64_t start, addr;

	for (uint32_t i = 0; i < t->n && i < SEARCHES; i++) {
		const char *name = symtab_find(t, t->start[i], &start);

		if (name) {
			MUST(start <= t->start[i]);
			MUST(strlen(name) < t->bytes);
		}
		symtab_find(t, t->start[i] + t->len[i], &start);
		symtab_find(t, t->start[i] - 1, &start);
	}
	for (uint32_t i = 0; i < t->nsegments && i < SEARCHES; i++)
		symtab_addr(t, t->segment[i].offset, &addr);
}

static void
kallsyms(const char *text, size_t n)
{
	static _Alignas(8) uint8_t bytes[TABLE];
	struct symtab_maker m = { .n = 0 };
	struct symtab t;
	size_t size;
	void *mem;

	symtab_kallsyms(&m, text, n);
	size = symtab_write(&m, NULL, 0, bytes, sizeof bytes);
	symtab_maker_free(&m);
	if (!size)
		return;
	MUST(mem = malloc(size));
	memcpy(mem, bytes, size);
	MUST(symtab_open(&t, mem, size));
	for (uint32_t i = 0; i < t.n; i++) {
		uint64_t start;

		MUST(symtab_find(&t, t.start[i], &start) && start == t.start[i]);
	}
	search(&t);
	symtab_free(&t);
}

static void
any_table(const uint8_t *p, size_t n)
{
	struct symtab t;
	void *mem = malloc(n + 1);

	MUST(mem);
	memcpy(mem, p, n);
	if (!symtab_open(&t, mem, n))
		return;
	search(&t);
	symtab_free(&t);
}

static void
name(const uint8_t *p, size_t n)
{
	char text[DEMANGLE_MAX + 1], *copy = strndup((const char *)p, n);

	MUST(copy);
	for (int how = DEMANGLE_NONE; how <= DEMANGLE_FULL; how++)
		if (demangle(copy, (enum demangle)how, text))
			MUST(*text && memchr(text, '\0', sizeof text));
	free(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	if (!n)
		return 0;
	switch (*p) {
	case 't':	any_table(p + 1, n - 1); break;
	case '_':	name(p, n); break;
	default:	kallsyms((const char *)p, n); break;
	}
	return 0;
}

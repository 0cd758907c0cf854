/* SPDX-License-Identifier: ISC */
/*
 * maptext.c - libFuzzer target: any bytes as a perf-PID.map that grows (cmd/pinject/code/maptext.c)
 *
 * The sum of the bytes decides in how many steps the text comes.  What must hold: no sanitizer error; symbols are ascending and
 * disjoint; each address has the last line that covers it; and a text that grew gives the symbols of the whole text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/maptext.h"
#include "tool/tool.h"
#include "alloc.h"
#include "fuzz.h"

enum { LINES_CHECKED = 100 };

/* By trying all lines; -1: none covers the address. */
static int64_t
last_line(const struct maptext *m, uint64_t addr)
{
	for (size_t i = m->lines; i--; )
		if (addr - m->line[i].start < m->line[i].size)
			return (int64_t)i;
	return -1;
}

static void
check_address(const struct maptext *m, uint64_t addr)
{
	const struct maptext_symbol *s = maptext_find(m, addr);

	MUST(last_line(m, addr) == (s ? (int64_t)s->line : -1));
	if (s)
		MUST(strlen(maptext_name(m, s)) < MAPTEXT_LINE_MAX);
}

static void
check(const struct maptext *m)
{
	const struct maptext_symbol *s = maptext_from(m, 0), *next;

	MUST(s == (m->symbols ? m->symbol : NULL));
	for (; s; s = next) {
		next = maptext_next(m, s);
		MUST(s->size && s->line < m->lines);
		MUST(!next || s->start + s->size <= next->start);
	}
	for (size_t i = 0; i < m->lines && m->lines <= LINES_CHECKED; i++)
		for (int k = -1; k <= 0; k++) {
			check_address(m, m->line[i].start + (uint64_t)k);
			check_address(m, m->line[i].start + m->line[i].size + (uint64_t)k);
		}
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct maptext whole = { 0 }, grown = { 0 };
	const char *text = (const char *)p;
	unsigned sum = 0;
	size_t step;

	for (size_t i = 0; i < n; i++)
		sum += p[i];
	step = 1 + n / (1 + sum % 8);
	maptext_append(&whole, text, n);
	maptext_ready(&whole);
	check(&whole);
	for (size_t at = 0; at < n; at += step) {
		maptext_append(&grown, text + at, n - at < step ? n - at : step);
		maptext_ready(&grown);
		check(&grown);
	}
	MUST(grown.bad == whole.bad && grown.lines == whole.lines && grown.symbols == whole.symbols);
	for (size_t i = 0; i < whole.symbols; i++) {
		const struct maptext_symbol *a = &whole.symbol[i], *b = &grown.symbol[i];

		MUST(a->start == b->start && a->size == b->size && a->line == b->line);
		MUST(!strcmp(maptext_name(&whole, a), maptext_name(&grown, b)));
	}
	maptext_free(&whole);
	maptext_free(&grown);
	return 0;
}

/* SPDX-License-Identifier: ISC */
/* tool_piece.c - --piece: one of several equal shares of the samples, in a process of its own */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "source/chunk.h"
#include "source/piece.h"
#include "tool.h"

static bool
piece_number(const char **p, uint64_t *n)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	*n = strtoull(*p, &end, 10);
	*p = end;
	return *n && *n <= PIECES_MAX;
}

void
tool_piece_option(struct tool *t)
{
	const char *p = t->optarg;

	if (!piece_number(&p, &t->piece.k) || *p++ != '/' || !piece_number(&p, &t->piece.n) || *p || t->piece.k > t->piece.n)
		tool_wrong(t, "--piece '%s': expected K/N, from 1/N to N/N, N at most %d", t->optarg, PIECES_MAX);
}

void
tool_piece_refuses(const struct tool *t, const int *keys, size_t n)
{
	for (size_t i = 0; t->piece.n && i < n; i++)
		for (const struct tool_opt *o = t->opts; o->name; o++)
			if (o->key == keys[i] && tool_given(t, keys[i]))
				tool_piece_refuse(t, "--%s", o->name);
}

void
tool_piece_refuse(const struct tool *t, const char *fmt, ...)
{
	char what[100];
	va_list ap;

	if (!t->piece.n)
		return;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	tool_wrong(t, "--piece: cannot be combined with %s: the results of all pieces would not make that of the whole", what);
}

void
tool_piece_open(struct tool *t, unsigned flags)
{
	const char *name = t->piece.n ? tool_twice(t) : NULL;

	if (!t->piece.n)
		return;
	if (!name)
		tool_wrong(t, "--piece: needs the name of a file, or of a directory of perf record --threads: it is read twice");
	t->piece.whole = tool_source(t, name, flags, &t->piece.err);
}

/* Read the recording to its end for the sum of its samples.  If it is damaged, those before: the main pass will say so. */
static void
piece_walk(struct tool *t)
{
	struct pp_source *in = t->piece.whole;
	struct pp_chunk all;
	bool reads = false;
	struct pp_rec r;

	t->piece.whole = NULL;
	if (tool_index_sums(t, &all, &reads) && !reads)
		t->piece.total = all.sample_bytes;
	else if (in && pp_begin(in) > 0) {
		while (pp_next(in, &r) > 0)
			if (r.type == PP_SAMPLE)
				t->piece.total += r.size;
		if (pp_source_events(in)->reads)
			tool_wrong(t, "--piece: the recording has PERF_SAMPLE_READ, whose values are sums from sample to sample");
	}
	pp_close(in);
}

int
tool_piece_begin(struct tool *t)
{
	if (!t->piece.n)
		return 1;
	if (pp_is_profile(t->in))
		tool_wrong(t, "--piece: a CPU profile has no pieces");
	piece_walk(t);
	return pp_piece(t->in, t->piece.k, t->piece.n, t->piece.total);
}

/* SPDX-License-Identifier: ISC */
/* tool_piece.c - --piece: one of several equal shares of the samples, in a process of its own */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "index/use.h"
#include "source/chunk.h"
#include "source/piece.h"
#include "jobs.h"
#include "option.h"

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
tool_option_piece(struct tool *t, void *unused)
{
	const char *p = t->optarg;

	(void)unused;
	if (!piece_number(&p, &t->piece.k) || *p++ != '/' || !piece_number(&p, &t->piece.n) || *p || t->piece.k > t->piece.n)
		tool_wrong(t, "--piece '%s': expected K/N, from 1/N to N/N, N at most %d", t->optarg, PIECES_MAX);
}

void
tool_piece_refuse(const struct tool *t, const char *fmt, ...)
{
	char what[100];
	va_list ap;

	if (!t->piece.n && !t->jobs.asked)
		return;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	tool_wrong(t, "--%s: cannot be combined with %s: the results of all pieces would not make that of the whole",
	    t->jobs.asked ? "jobs" : "piece", what);
}

void
tool_piece_open(struct tool *t, unsigned flags)
{
	const char *name = t->piece.n ? tool_twice(t) : NULL;

	if (!t->piece.n || t->piece.summed)
		return;
	if (!name)
		tool_wrong(t, "--piece: needs the name of a file, or of a directory of perf record --threads: it is read twice");
	t->piece.whole = tool_source_ahead(t, name, flags, &t->piece.err);
}

void
tool_piece_sum(struct tool *t, uint64_t sample_bytes, bool reads)
{
	t->piece.total = sample_bytes;
	t->piece.reads = reads;
	t->piece.summed = true;
}

/* Read the recording to its end for the sum of its samples.  If it is damaged, those before: the main pass will say so. */
static void
piece_walk(struct tool *t, struct pp_source *in)
{
	uint64_t sum = 0;
	struct pp_rec r;

	if (!in || pp_begin(in) <= 0)
		return;
	while (pp_next(in, &r) > 0)
		if (r.type == PP_SAMPLE)
			sum += r.size + pp_pass_samples(in);
	tool_piece_sum(t, sum, pp_source_events(in)->reads);
}

/* The sum is that of a pass before, of the index, or of one more pass. */
static void
piece_total(struct tool *t)
{
	struct pp_chunk all;
	bool reads;

	if (!t->piece.summed && tool_index_sums(t, t->in, &all, &reads))
		tool_piece_sum(t, all.sample_bytes, reads);
	if (!t->piece.summed)
		piece_walk(t, t->piece.whole);
	pp_close(t->piece.whole);
	tool_ahead(t, &t->piece.err);
	t->piece.whole = NULL;
}

int
tool_piece_begin(struct tool *t)
{
	const char *option = t->jobs.slot ? "jobs" : "piece";

	if (!t->piece.n)
		return 1;
	if (pp_is_profile(t->in))
		tool_wrong(t, "--%s: a CPU profile has no pieces", option);
	piece_total(t);
	if (t->piece.reads)
		tool_wrong(t, "--%s: the recording has PERF_SAMPLE_READ, whose values are sums from sample to sample", option);
	jobs_summed(t);
	if (pp_piece(t->in, t->piece.k, t->piece.n, t->piece.total) < 0)
		return -1;
	if (t->jobs.slot && !t->report)
		t->piece.marks = pp_piece_mark(t->in);
	if (t->piece.marks && t->index.snaps && t->index.use)
		ppi_use_snaps(t->index.use);
	return 1;
}

/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "picture/behind.h"
#include "picture/in.h"

enum { FIRST_WIDTH = 64 };

struct behind {
	struct counts	*c;
	struct panel_place place[BEHIND_PLACES];
	uint64_t	 width;		/* of a place, bytes */
	uint64_t	*round;
	unsigned	 nrounds;
	uint64_t	 power[64], back;
	uint64_t	 timed, late;	/* of c->order, before this record */
};

struct behind *
behind_new(struct counts *c)
{
	struct behind *b = tool_alloc(1, sizeof *b);

	*b = (struct behind){ .c = c, .width = FIRST_WIDTH };
	return b;
}

void
behind_free(struct behind *b)
{
	if (!b)
		return;
	free(b->round);
	free(b);
}

/* The stream grew: two places become one. */
static void
behind_widen(struct behind *b)
{
	for (unsigned i = 0; i < BEHIND_PLACES; i += 2) {
		struct panel_place *to = &b->place[i / 2], one = b->place[i], two = b->place[i + 1];

		to->behind = one.behind > two.behind ? one.behind : two.behind;
		to->late = one.late + two.late;
		to->late_ns = one.late_ns > two.late_ns ? one.late_ns : two.late_ns;
	}
	memset(b->place + BEHIND_PLACES / 2, 0, sizeof b->place / 2);
	b->width *= 2;
}

static struct panel_place *
behind_place(struct behind *b, uint64_t at)
{
	while (at / b->width >= BEHIND_PLACES)
		behind_widen(b);
	return &b->place[at / b->width];
}

/* count_visit: what count.c has just found out about the record is in c->order. */
static int
behind_visit(void *arg, const struct pp_rec *r, bool sound)
{
	struct behind *b = arg;
	const struct order *o = &b->c->order;
	uint64_t behind;

	if (!sound) {
		b->timed = o->timed;
		b->late = o->late;
		return 0;
	}
	if (r->type == PP_FINISHED_ROUND && b->nrounds++ < BEHIND_ROUNDS)
		b->round[b->nrounds - 1] = b->c->bytes;
	if (o->timed == b->timed)
		return 1;
	b->timed = o->timed;
	if ((behind = o->last - o->prev)) {
		struct panel_place *p = behind_place(b, b->c->bytes);

		b->back++;
		b->power[63 - __builtin_clzll(behind)]++;
		if (behind > p->behind)
			p->behind = behind;
	}
	if (o->late != b->late) {
		struct panel_place *p = behind_place(b, b->c->bytes);

		p->late += o->late - b->late;
		b->late = o->late;
		if (o->flushed - o->prev > p->late_ns)
			p->late_ns = o->flushed - o->prev;
	}
	return 1;
}

void
behind_begin(struct behind *b)
{
	b->round = tool_alloc(BEHIND_ROUNDS, sizeof *b->round);
	count_visit_by(b->c, behind_visit, b);
}

void
behind_panel(const struct behind *b, struct panel *to)
{
	const struct order *o = &b->c->order;
	const char *file = b->c->tool->in_err.file;
	uint64_t places;

	to->kind = PANEL_BEHIND;
	to->bytes = b->c->bytes;
	to->width = b->width;
	while (to->bytes && (to->bytes - 1) / to->width >= BEHIND_PLACES)	/* as if the last records had been behind */
		to->width *= 2;
	places = to->bytes / to->width + (to->bytes % to->width != 0);
	to->nplaces = (unsigned)places;
	to->place = tool_alloc(places ? places : 1, sizeof *to->place);
	for (unsigned i = 0; i < BEHIND_PLACES; i++) {
		uint64_t at = i * b->width / to->width;

		if (at >= places)
			break;
		if (b->place[i].behind > to->place[at].behind)
			to->place[at].behind = b->place[i].behind;
		to->place[at].late += b->place[i].late;
		if (b->place[i].late_ns > to->place[at].late_ns)
			to->place[at].late_ns = b->place[i].late_ns;
	}
	if (b->nrounds && b->nrounds <= BEHIND_ROUNDS) {
		to->nrounds = b->nrounds;
		to->round = tool_alloc(b->nrounds, sizeof *to->round);
		memcpy(to->round, b->round, b->nrounds * sizeof *to->round);
	}
	memcpy(to->power, b->power, sizeof to->power);
	to->timed = o->timed;
	to->back = b->back;
	to->worst = to->window = o->depth;
	to->late = o->late;
	to->title = option_text("How far records are behind the newest before them");
	to->subtitle = option_text("%s, %" PRIu64 " of %" PRIu64 " records are behind, by up to %" PRIu64 ".%09" PRIu64
	    " s; %" PRIu64 " rounds; %" PRIu64 " are later than two rounds allow", file ? file : "standard input", to->back, to->timed,
	    to->worst / 1000000000, to->worst % 1000000000, o->rounds, to->late);
	to->desc = option_text("%" PRIu64 " of %" PRIu64 " records are behind the newest before them; the worst by %" PRIu64 " ns; %" PRIu64
	    " are later than two rounds allow", to->back, to->timed, to->worst, to->late);
}

/* ---- what fills it ----------------------------------------------------------------------------------- */

void
fill_panel(const struct counts *c, struct panel *to)
{
	const struct content *k = &c->content;
	const char *file = c->tool->in_err.file;
	struct type_count types[COUNT_TYPES + COUNT_ODD + 1];
	size_t ntypes = count_types(c, types);
	uint64_t side = 0, fields = k->chains + k->stacks + k->raw + k->branches + k->regs;
	struct event_count sum;

	count_sum(c, &sum);
	for (size_t i = 0; i < ntypes; i++)
		if (types[i].type < PP_USER_TYPE_START && types[i].type != PP_SAMPLE)
			side += types[i].bytes;
	{
		const struct { const char *label; uint64_t bytes; } parts[] = {
			{ "call chains", k->chains }, { "user stacks", k->stacks }, { "raw data", k->raw }, { "branches", k->branches },
			{ "registers", k->regs }, { "other fields of samples", sum.bytes - fields }, { "side-band", side },
			{ "perf's own", c->bytes - side - sum.bytes },
		};
		enum { PARTS = sizeof parts / sizeof *parts };
		unsigned most = 0;

		to->kind = PANEL_FILL;
		to->bytes = c->bytes;
		to->nbands = PARTS;
		to->band = tool_alloc(PARTS, sizeof *to->band);
		for (unsigned i = 0; i < PARTS; i++) {
			to->band[i] = (struct band){ .label = option_text("%s", parts[i].label), .total = parts[i].bytes };
			if (parts[i].bytes > parts[most].bytes)
				most = i;
		}
		to->samples = sum.samples;
		to->title = option_text("What fills the stream");
		to->subtitle = option_text("%s, %" PRIu64 " bytes", file ? file : "standard input", c->bytes);
		to->desc = option_text("%" PRIu64 " bytes; %" PRIu64 " are samples; the largest part is %s with %" PRIu64, c->bytes, sum.bytes,
		    parts[most].label, parts[most].bytes);
	}
}

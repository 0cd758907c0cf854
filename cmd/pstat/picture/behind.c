/* SPDX-License-Identifier: ISC */
/* behind.c - the pictures of order and size, by what was counted: disorder, fill */
#include <inttypes.h>
#include <string.h>

#include "count/behind.h"
#include "picture/in.h"

static void
disorder_begin(struct pictures *p, struct picture *pic)
{
	struct behind *b;

	if (!p->tool->in)
		return;
	pic->own = b = behind_new(p->c);
	behind_begin(b);
}

static void
disorder_make(struct making *m, struct panel *to)
{
	const struct behind *b = m->pic->own;
	const struct order *o = &b->c->order;
	uint64_t places;

	to->kind = PANEL_BEHIND;
	to->bytes = b->c->bytes;
	to->width = UINT64_C(1) << b->shift;
	while (to->bytes && (to->bytes - 1) / to->width >= BEHIND_PLACES)	/* as if the last records had been behind */
		to->width *= 2;
	places = to->bytes / to->width + (to->bytes % to->width != 0);
	to->nplaces = (unsigned)places;
	to->place = tool_alloc(places ? places : 1, sizeof *to->place);
	for (unsigned i = 0; i < BEHIND_PLACES; i++) {
		uint64_t at = ((uint64_t)i << b->shift) / to->width;

		if (at >= places)
			break;
		behind_join(&to->place[at], &b->place[i]);
	}
	if (b->nrounds && b->nrounds <= BEHIND_ROUNDS) {
		to->nrounds = b->nrounds;
		to->round = tool_alloc(b->nrounds, sizeof *to->round);
		memcpy(to->round, b->round, b->nrounds * sizeof *to->round);
	}
	memcpy(to->power, b->power, sizeof to->power);
	to->timed = o->timed;
	for (unsigned i = 0; i < 64; i++)
		to->back += b->power[i];
	to->worst = to->window = o->depth;
	to->late = o->late;
	to->title = option_text("How far records are behind the newest before them");
	option_add(&to->subtitle, ", %" PRIu64 " of %" PRIu64 " records are behind, by up to %" PRIu64 ".%09" PRIu64
	    " s; %" PRIu64 " rounds; %" PRIu64 " are later than two rounds allow", to->back, to->timed,
	    to->worst / 1000000000, to->worst % 1000000000, o->rounds, to->late);
	to->desc = option_text("%" PRIu64 " of %" PRIu64 " records are behind the newest before them; the worst by %" PRIu64 " ns; %" PRIu64
	    " are later than two rounds allow", to->back, to->timed, to->worst, to->late);
}

const struct picture_kind picture_disorder = { .page = true, .figures = &places_table, .begin = disorder_begin,
	.make = disorder_make, .free = behind_free };

static void
fill_make(struct making *m, struct panel *to)
{
	const struct counts *c = m->p->c;
	const struct content *k = &c->content;
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
		enum { FILLS = sizeof parts / sizeof *parts };
		unsigned most = 0;

		to->kind = PANEL_FILL;
		to->bytes = c->bytes;
		to->nbands = FILLS;
		to->band = tool_alloc(FILLS, sizeof *to->band);
		for (unsigned i = 0; i < FILLS; i++) {
			to->band[i] = (struct band){ .label = option_text("%s", parts[i].label), .total = parts[i].bytes };
			if (parts[i].bytes > parts[most].bytes)
				most = i;
		}
		to->samples = sum.samples;
		to->title = option_text("What fills the stream");
		option_add(&to->subtitle, ", %" PRIu64 " bytes", c->bytes);
		to->desc = option_text("%" PRIu64 " bytes; %" PRIu64 " are samples; the largest part is %s with %" PRIu64, c->bytes, sum.bytes,
		    parts[most].label, parts[most].bytes);
	}
}

const struct picture_kind picture_fill = { .page = true, .figures = &parts_table, .make = fill_make };

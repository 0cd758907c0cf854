/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "behind.h"

enum { FIRST_SHIFT = 6 };

struct behind *
behind_new(struct counts *c)
{
	struct behind *b = tool_alloc(1, sizeof *b);

	*b = (struct behind){ .c = c, .shift = FIRST_SHIFT };
	return b;
}

void
behind_free(void *behind)
{
	struct behind *b = behind;

	if (!b)
		return;
	free(b->round);
	free(b);
}

void
behind_next(struct behind *b, uint64_t at)
{
	for (; at >> b->shift >= BEHIND_PLACES; b->shift++) {	/* two places become one */
		for (unsigned i = 0; i < BEHIND_PLACES; i += 2) {
			behind_join(&b->place[i], &b->place[i + 1]);
			b->place[i / 2] = b->place[i];
		}
		memset(b->place + BEHIND_PLACES / 2, 0, sizeof b->place / 2);
	}
	b->to = &b->place[at >> b->shift];
	b->end = ((at >> b->shift) + 1) << b->shift;
}

/* lane_fn */
static int
behind_visit(void *arg, const struct pp_rec *r, bool sound)
{
	struct behind *b = arg;

	if (sound && r->type == PP_FINISHED_ROUND && b->nrounds++ < BEHIND_ROUNDS)
		b->round[b->nrounds - 1] = b->c->bytes;
	return sound;
}

void
behind_begin(struct behind *b)
{
	b->round = tool_alloc(BEHIND_ROUNDS, sizeof *b->round);
	b->c->behind = b;
	lane_join(b->c, LANE_OTHERS, behind_visit, b);
}

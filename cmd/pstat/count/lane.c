/* SPDX-License-Identifier: ISC */
#include "count.h"

uint32_t
lane_join(struct counts *c, enum lane_wants wants, lane_fn *fn, void *arg)
{
	struct lane *l = &c->lane;
	uint32_t bit = UINT32_C(1) << l->n;

	l->stop[l->n].fn = fn;
	l->stop[l->n++].arg = arg;
	if (wants == LANE_FIRST)
		l->first |= bit;
	else
		l->all |= bit;
	if (wants == LANE_ALL) {
		l->samples |= bit;
		for (unsigned i = 0; i < c->nev; i++)
			c->ev[i].wanted |= bit;
	}
	return bit;
}

int
lane_show(const struct lane *l, uint32_t who, const struct pp_rec *r, bool sound)
{
	int rc = 0;

	for (; who; who &= who - 1) {
		unsigned i = (unsigned)__builtin_ctz(who);

		rc |= l->stop[i].fn(l->stop[i].arg, r, sound);
	}
	return rc;
}

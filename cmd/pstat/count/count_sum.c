/* SPDX-License-Identifier: ISC */
/* count_sum.c - sums of what count.c has counted. */
#include "count.h"
#include "report/plus.h"

void
count_sum(const struct counts *c, struct event_count *sum)
{
	*sum = (struct event_count){0};
	for (unsigned i = 0; i < c->nev; i++) {
		sum->samples += c->ev[i].samples;
		plus(&sum->period, c->ev[i].period);
		sum->records += c->ev[i].records;
		sum->bytes += c->ev[i].bytes;
		plus(&sum->lost, c->ev[i].lost);
		plus(&sum->lost_samples, c->ev[i].lost_samples);
		plus(&sum->filtered, c->ev[i].filtered);
	}
}

size_t
count_types(const struct counts *c, struct type_count *rows)
{
	static const struct pp_compressed none;
	/* Of a piece nobody knows how many of them were expanded for other pieces, too. */
	const struct pp_compressed *z = c->tool->in && !c->tool->piece.n ? pp_compressed(c->tool->in) : &none;
	struct event_count sum;
	size_t n = 0;

	count_sum(c, &sum);
	for (uint32_t i = 0; i < COUNT_TYPES; i++) {
		struct type_count t = c->type[i];

		t.type = i;
		if (i == PP_SAMPLE) {
			t.records = sum.records;
			t.bytes = sum.bytes;
		} else if (i == PP_COMPRESSED)	/* the source expands them and does not return them */
			t.records = z->records;
		else if (i == PP_COMPRESSED2)
			t.records = z->records2;
		if (t.records)
			rows[n++] = t;
	}
	for (size_t i = 0; i < COUNT_ODD; i++)
		if (c->odd[i].records)
			rows[n++] = c->odd[i];
	if (c->more.records) {
		rows[n] = c->more;
		rows[n++].type = UINT32_MAX;
	}
	return n;
}

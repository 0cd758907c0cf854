/* SPDX-License-Identifier: ISC */
/* round_deliver.c - hand over what a release has taken: record by record, or many at once, whose memory is fetched meanwhile */
#include "state/round_in.h"

void
pp_round_side_by_side(struct pp_round *pub, pp_side *side, bool twins)
{
	struct round *q = (struct round *)pub;

	q->side = side;
	q->twins = twins;
}

void
pp_round_many(struct pp_round *pub, pp_many *many)
{
	struct round *q = (struct round *)pub;

	q->many = many;
}

enum { LINE = 64 };

static inline void
fetch(const uint8_t *p)
{
	for (unsigned k = 0; k < 4; k++)
		__builtin_prefetch(p + k * LINE);
}

/* Deliver records that are adjacent in a block together, and many pieces at once: their memory is fetched while others are found. */
static int
deliver_side(struct round *q, const entry *e, const entry *end)
{
	struct iovec v[PP_ROUND_MANY];
	size_t n = 0, bytes = 0;

	for (; e < end; e++) {
		struct pp_block *b = pp_block_of(&q->blocks, e->place);
		uint8_t *p = b->data + (e->place >> 16 & (PP_BLOCK_SIZE - 1));
		uint64_t at = e->place >> 16, to = at + (e->place & 0xffff);
		size_t records = 1;

		for (; !q->twins && e + 1 < end && e[1].place >> 16 == to && to & (PP_BLOCK_SIZE - 1); records++)
			to += (++e)->place & 0xffff;
		pp_block_drop(&q->blocks, b, records);
		fetch(p);
		v[n++] = (struct iovec){ p, to - at };
		bytes += to - at;
		if (n < PP_ROUND_MANY && e + 1 < end)
			continue;
		if (q->side(q->arg, e->time, v, n, bytes) < 0)
			return -1;
		q->pub.last = e->time;
		n = bytes = 0;
	}
	return 1;
}

static int
deliver_many(struct round *q, const entry *e, const entry *end)
{
	uint8_t *p[PP_ROUND_MANY];

	for (size_t n; e < end; e += n) {
		for (n = 0; n < PP_ROUND_MANY && e + n < end; n++) {
			struct pp_block *b = pp_block_of(&q->blocks, e[n].place);

			pp_block_drop(&q->blocks, b, 1);
			p[n] = b->data + (e[n].place >> 16 & (PP_BLOCK_SIZE - 1));
			fetch(p[n]);
		}
		if (q->many(q->arg, e, p, n) < 0)
			return -1;
		q->pub.last = e[n - 1].time;
	}
	return 1;
}

static int
deliver_each(struct round *q, const entry *e, const entry *end)
{
	for (; e < end; e++) {
		struct pp_block *b = pp_block_of(&q->blocks, e->place);

		pp_block_drop(&q->blocks, b, 1);
		if (q->deliver(q->arg, e->time, pp_block_at(b, e->place), e->place & 0xffff) < 0)
			return -1;
		q->pub.last = e->time;
	}
	return 1;
}

/* One by one the first and the last, and those of one time; the others side by side. */
static int
deliver_twins(struct round *q, const entry *e, const entry *end)
{
	const entry *first = e, *from = e;

	for (; e < end; e++) {
		if (e > first && e + 1 < end && e[-1].time != e->time && e[1].time != e->time)
			continue;
		if (deliver_side(q, from, e) < 0 || deliver_each(q, e, e + 1) < 0)
			return -1;
		from = e + 1;
	}
	return 1;
}

int
pp_round_deliver(struct round *q, const entry *e, size_t n)
{
	return (q->many ? deliver_many : !q->side ? deliver_each : q->twins ? deliver_twins : deliver_side)(q, e, e + n);
}

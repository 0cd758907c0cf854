/* SPDX-License-Identifier: ISC */
/*
 * round.c - perf's time order (tools/perf/util/ordered-events.c): a FINISHED_ROUND releases all records up to the newest time
 * that was known at the previous one
 *
 *	block	the records that the source reads (pp_round_buffer), or copies (block.h)
 *	entry	time and place of a record; all waiting ones, in order of arrival
 *
 * A release takes the entries up to its time and sorts them by time, stably.  If they are in order, neither is needed.  Else it
 * is a radix sort, whatever the disorder: the times of a round differ in some 20 to 30 bits, so each entry is moved three or
 * four times; a merge of the runs of many CPUs takes more.  Records are never moved.
 */
#include <stdlib.h>
#include <string.h>

#include "record/order.h"
#include "state/block.h"
#include "state/round.h"

typedef struct pp_waiting entry;

struct round {
	/* next: behind the last that waits, end: of e; newest: UINT64_MAX: the next one can't be added the short way */
	struct pp_round	 pub;
	pp_deliver	*deliver;
	pp_deliver	*side;			/* NULL: records are delivered one by one */
	void		*arg;
	struct pp_err	*err;
	struct pp_blocks blocks;

	entry	*e;		/* entries from `first' to pub.next wait */
	size_t		 first;
	bool		 disorder;	/* these are not ascending */
	entry	*out[2];	/* working memory of a release */
	size_t		 outcap;
	uint64_t	 away;		/* records given to pp_round_spill(), not yet pp_round_spilled() */
	uint64_t	 next_flush;
	uint64_t	 saw;		/* the largest time of pp_round_saw() that a reader has not delivered; 0: none */
};

struct pp_round *
pp_round_new(pp_deliver *deliver, void *arg, struct pp_err *err)
{
	struct round *q = calloc(1, sizeof *q);

	if (!q) {
		pp_fail_memory(err);
		return NULL;
	}
	q->deliver = deliver;
	q->arg = arg;
	q->err = err;
	q->pub.newest = UINT64_MAX;
	return &q->pub;
}

void
pp_round_side_by_side(struct pp_round *pub, pp_deliver *side)
{
	struct round *q = (struct round *)pub;

	q->side = side;
}

static void
round_free_entries(struct round *q)
{
	free(q->e);
	free(q->out[0]);
	free(q->out[1]);
	q->e = q->pub.next = q->pub.end = q->out[0] = q->out[1] = NULL;
	q->first = q->outcap = 0;
	q->pub.newest = UINT64_MAX;
}

void
pp_round_free(struct pp_round *pub)
{
	struct round *q = (struct round *)pub;

	if (!q)
		return;
	pp_blocks_free(&q->blocks);
	round_free_entries(q);
	free(q);
}

/* ---- blocks ------------------------------------------------------------------------------------ */

void
pp_round_reclaim(struct pp_round *pub)
{
	struct round *q = (struct round *)pub;

	pp_blocks_reclaim(&q->blocks);
}

uint8_t *
pp_round_buffer(void *arg)
{
	struct round *q = arg;
	struct pp_block *b = pp_blocks_buffer(&q->blocks);

	if (!b)
		return NULL;
	q->pub.buf = b->data;
	q->pub.live = &b->live;
	q->pub.place = b->number << (PP_BLOCK_SHIFT + 16);
	return b->data;
}

/* ---- entries ----------------------------------------------------------------------------------- */

static size_t
round_waiting(const struct round *q)
{
	return (size_t)(q->pub.next - q->e) - q->first;
}

/* Update the conditions of the inline functions after a release or a slow add. */
static void
round_note_newest(struct round *q)
{
	q->pub.newest = UINT64_MAX;
	if (round_waiting(q))
		q->pub.newest = q->pub.next[-1].time > q->pub.last ? q->pub.next[-1].time : q->pub.last;
}

/* Enlarge an array of *cap entries to n, by doubling.  NULL: no memory, the old one is unchanged. */
static void *
round_grow(void *p, size_t *cap, size_t n, size_t size)
{
	size_t to = *cap ? *cap : 64;

	if (n <= *cap)
		return p;
	while (to < n)
		to *= 2;
	if ((p = realloc(p, to * size)))
		*cap = to;
	return p;
}

/* Space for one more entry.  1, or -1: no memory. */
static int
round_more_entries(struct round *q)
{
	size_t n = round_waiting(q), cap = (size_t)(q->pub.end - q->e);
	entry *all = q->e;

	if (q->first > cap / 2)
		memmove(q->e, q->e + q->first, n * sizeof *q->e);
	else if (!(all = round_grow(q->e, &cap, cap + 1, sizeof *all)))
		return -1;
	else
		n += q->first;
	q->first = q->first > cap / 2 ? 0 : q->first;
	q->e = all;
	q->pub.next = all + n;
	q->pub.end = all + cap;
	return 1;
}

/* Queue an entry; its time may be older than others, and the array may be full.  1, or -1: no memory. */
static inline int
round_add(struct round *q, uint64_t time, uint64_t place)
{
	struct pp_round *pub = &q->pub;

	if (pub->next == pub->end && round_more_entries(q) < 0)
		return pp_fail_memory(q->err);
	if (!round_waiting(q)) {
		q->disorder = false;
		if (!q->away && !q->saw)
			pub->max = time;
	} else
		q->disorder |= time < pub->next[-1].time;
	if (time > pub->max)
		pub->max = time;
	*pub->next++ = (entry){ time, place };
	pub->newest = time > pub->last ? time : pub->last;
	return 1;
}

int
pp_round_add_slow(struct pp_round *pub, uint64_t time, const void *p, size_t n)
{
	struct round *q = (struct round *)pub;
	uint64_t place;

	if (pp_blocks_keep(&q->blocks, p, n, &place) < 0)
		return pp_fail_memory(q->err);
	return round_add(q, time, place);
}

int
pp_round_add_number_slow(struct pp_round *pub, uint64_t time, uint64_t place)
{
	return round_add((struct round *)pub, time, place);
}

/* ---- sorting ----------------------------------------------------------------------------------- */

static void
round_insertion_sort(entry *e, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		entry x = e[i];
		size_t k = i;

		for (; k && e[k - 1].time > x.time; k--)
			e[k] = e[k - 1];
		e[k] = x;
	}
}

/* Sort n entries stably.  Returns the result: e or `spare'. */
static entry *
round_sort(entry *e, entry *spare, size_t n)
{
	enum { FEW = 40, BITS = 8, DIGITS = 1 << BITS, PASSES = 64 / BITS };
	size_t count[PASSES][DIGITS];
	uint64_t min = UINT64_MAX, max = 0;
	unsigned passes = 0;

	if (n <= FEW) {
		round_insertion_sort(e, n);
		return e;
	}
	for (size_t i = 0; i < n; i++) {
		min = e[i].time < min ? e[i].time : min;
		max = e[i].time > max ? e[i].time : max;
	}
	while (passes < PASSES && (max - min) >> passes * BITS)
		passes++;
	memset(count, 0, passes * sizeof *count);
	for (size_t i = 0; i < n; i++) {
		uint64_t x = e[i].time - min;

		for (size_t (*c)[DIGITS] = count; c < count + passes; c++, x >>= BITS)
			(*c)[x & (DIGITS - 1)]++;
	}
	for (unsigned p = 0; p < passes; p++) {
		size_t *to = count[p];
		entry *t = e;

		for (size_t d = 0, at = 0; d < DIGITS; d++) {
			size_t k = to[d];

			to[d] = at;
			at += k;
		}
		for (size_t i = 0; i < n; i++)
			spare[to[(e[i].time - min) >> p * BITS & (DIGITS - 1)]++] = e[i];
		e = spare;
		spare = t;
	}
	return e;
}

/* ---- release ----------------------------------------------------------------------------------- */

enum { AHEAD = 12 };			/* entries: prefetch records before they are delivered */

/* Deliver records that are adjacent in a block together. */
static int
round_deliver_side(struct round *q, const entry *e, const entry *end)
{
	for (; e < end; e++) {
		struct pp_block *b = pp_block_of(&q->blocks, e->place);
		const uint8_t *p = pp_block_at(b, e->place);
		uint64_t at = e->place >> 16, to = at + (e->place & 0xffff);
		size_t n = 1;

		for (; e + 1 < end && e[1].place >> 16 == to && to & (PP_BLOCK_SIZE - 1); n++)
			to += (++e)->place & 0xffff;
		pp_block_drop(&q->blocks, b, n);
		if (n == 1 && end - e > AHEAD) {
			const uint8_t *soon = pp_blocks_at(&q->blocks, e[AHEAD].place);

			for (unsigned k = 0; k < 4; k++)
				__builtin_prefetch(soon + 64 * k);
		}
		if (q->side(q->arg, e->time, p, to - at) < 0)
			return -1;
		q->pub.last = e->time;
	}
	return 1;
}

static int
round_deliver_each(struct round *q, const entry *e, const entry *end)
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

static int
round_deliver(struct round *q, const entry *e, size_t n)
{
	int rc = q->side ? round_deliver_side(q, e, e + n) : round_deliver_each(q, e, e + n);

	round_note_newest(q);
	return rc;
}

/* Working memory for `all' entries.  1, or -1: no memory. */
static int
round_make_scratch(struct round *q, size_t all)
{
	size_t cap = 0;

	for (int i = 0; i < 2; i++) {
		entry *out;

		cap = q->outcap;
		if (!(out = round_grow(q->out[i], &cap, all, sizeof *out)))
			return pp_fail_memory(q->err);
		q->out[i] = out;
	}
	q->outcap = cap;
	return 1;
}

/* Remove the entries up to that time from ascending ones.  Returns their number; they end at q->e + q->first. */
static size_t
round_take_ascending(struct round *q, uint64_t limit)
{
	size_t from = q->first, lo = from, hi = lo + round_waiting(q);

	ORDER_FIND(lo, hi, i, q->e[i].time > limit);
	q->first = lo;
	return lo - from;
}

/* The same from entries in any order: to q->out[0]. */
static size_t
round_take_any(struct round *q, uint64_t limit)
{
	size_t n = 0, stay = 0, all = round_waiting(q);
	const entry *e = q->e + q->first;
	uint64_t last = 0;

	q->disorder = false;
	for (size_t i = 0; i < all; i++) {
		entry x = e[i];
		bool goes = x.time <= limit;

		q->out[0][n] = x;
		q->e[stay] = x;			/* stay <= i */
		n += goes;
		stay += !goes;
		q->disorder |= !goes && x.time < last;
		last = goes ? last : x.time;
	}
	q->first = 0;
	q->pub.next = q->e + stay;
	return n;
}

int
pp_round_take(struct pp_round *pub, uint64_t limit, const entry **e, size_t *n)
{
	struct round *q = (struct round *)pub;
	size_t all = round_waiting(q);

	*n = 0;
	*e = q->e;
	if (!all)
		return 1;
	*e += q->first;
	if (!q->disorder)
		*n = round_take_ascending(q, limit);
	else if (round_make_scratch(q, all) < 0)
		return -1;
	else {
		*n = round_take_any(q, limit);
		*e = round_sort(q->out[0], q->out[1], *n);
	}
	round_note_newest(q);
	return 1;
}

static int
round_release(struct round *q, uint64_t limit)
{
	const entry *e;
	size_t n;

	if (pp_round_take(&q->pub, limit, &e, &n) < 0)
		return -1;
	return n ? round_deliver(q, e, n) : 1;
}

int
pp_round_finished(struct pp_round *pub)
{
	struct round *q = (struct round *)pub;

	if (!round_waiting(q) && !q->away && !q->saw)
		return 1;
	if (round_release(q, q->next_flush) < 0)
		return -1;
	if (q->saw <= q->next_flush)
		q->saw = 0;
	q->next_flush = pub->max;
	return 1;
}

void
pp_round_saw(struct pp_round *pub, uint64_t time)
{
	struct round *q = (struct round *)pub;

	if (time > pub->max || (!round_waiting(q) && !q->away && !q->saw))
		pub->max = time;
	if (time > q->saw)
		q->saw = time;
}

int
pp_round_final(struct pp_round *pub)
{
	struct round *q = (struct round *)pub;

	return round_release(q, UINT64_MAX);
}

int
pp_round_release(struct pp_round *pub, uint64_t limit)
{
	struct round *q = (struct round *)pub;

	return round_release(q, limit);
}

uint64_t
pp_round_limit(const struct pp_round *pub)
{
	const struct round *q = (const struct round *)pub;

	return q->next_flush;
}

/* ---- limited memory ---------------------------------------------------------------------------- */

size_t
pp_round_memory(const struct pp_round *pub)
{
	const struct round *q = (const struct round *)pub;
	size_t out = q->outcap;

	if (q->disorder && round_waiting(q) > out)
		out = round_waiting(q);
	return pp_blocks_memory(&q->blocks) + ((size_t)(pub->end - q->e) + 2 * out) * sizeof *q->e;
}

int
pp_round_spill(struct pp_round *pub, pp_deliver *to, void *arg)
{
	struct round *q = (struct round *)pub;
	struct round was = *q;
	size_t n = round_waiting(q);
	int rc;

	q->deliver = to;
	q->side = NULL;
	q->arg = arg;
	rc = round_release(q, UINT64_MAX);
	q->deliver = was.deliver;
	q->side = was.side;
	q->arg = was.arg;
	pub->last = was.pub.last;
	if (rc < 0)
		return -1;
	q->away += n;
	/* Free what it grew to. */
	round_free_entries(q);
	pp_round_reclaim(pub);
	pp_blocks_shrink(&q->blocks);
	return 1;
}

void
pp_round_spilled(struct pp_round *pub, uint64_t time)
{
	struct round *q = (struct round *)pub;

	q->away--;
	pub->last = time;
	round_note_newest(q);
}

/* ---- for timeline.c ---------------------------------------------------------------------------- */

size_t
pp_round_waiting(const struct pp_round *pub)
{
	return round_waiting((const struct round *)pub);
}

size_t
pp_round_held(const struct pp_round *pub)
{
	return pp_blocks_held(&((const struct round *)pub)->blocks);
}

size_t
pp_round_used(const struct pp_round *pub)
{
	return pp_round_memory(pub) - ((const struct round *)pub)->blocks.mem + pp_round_held(pub);
}

size_t
pp_round_below(const struct pp_round *pub, uint64_t number)
{
	const struct round *q = (const struct round *)pub;
	size_t n = 0, all = round_waiting(q);

	while (n < all && q->e[q->first + n].place < number)
		n++;
	return n;
}

uint64_t
pp_round_newest_of(const struct pp_round *pub, size_t n)
{
	const struct round *q = (const struct round *)pub;
	const entry *e = q->e + q->first;
	uint64_t newest = 0;

	for (size_t i = 0; i < n; i++)
		newest = e[i].time > newest ? e[i].time : newest;
	return newest;
}

int
pp_round_each(struct pp_round *pub, bool sorted, pp_deliver *fn, void *arg)
{
	struct round *q = (struct round *)pub;
	size_t n = round_waiting(q);
	const entry *e;

	if (!n)
		return 1;
	if (round_make_scratch(q, n) < 0)
		return -1;
	memcpy(q->out[0], q->e + q->first, n * sizeof *e);
	e = sorted ? round_sort(q->out[0], q->out[1], n) : q->out[0];
	for (size_t i = 0; i < n; i++)
		if (fn(arg, e[i].time, pp_blocks_at(&q->blocks, e[i].place), e[i].place & 0xffff) < 0)
			return -1;
	return 1;
}

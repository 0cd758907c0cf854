/* SPDX-License-Identifier: ISC */
/*
 * round.c - perf's time order (tools/perf/util/ordered-events.c): a FINISHED_ROUND releases what is not newer
 * than the newest record that was known at the one before.
 *
 *	block	records: what the source reads (pp_round_buffer), or copies
 *	entry	time, block and place of a record; all that wait, in order of arrival
 *
 * A release takes what is old enough out of the entries and sorts that by time, stably.  Times that came in order need
 * neither.  Else it is a radix sort, whatever the disorder: the times of a round differ in some 20 to 30 bits, so each
 * entry is moved three or four times, where merging the runs of many CPUs takes more.  Records are never moved.
 */
#include <stdlib.h>
#include <string.h>

#include "perfpipe.h"

enum { BLOCK_SHIFT = 18, BLOCK = 1 << BLOCK_SHIFT, SPARES = 4 };
_Static_assert(BLOCK == (int)PP_BUFFER_SIZE, "the source reads into blocks");

struct block {
	size_t		 live;		/* records not yet delivered */
	uint64_t	 number;
	uint8_t		 data[BLOCK];
};
struct entry {
	uint64_t	 time;
	uint64_t	 place;		/* number of the block, place in it (BLOCK_SHIFT bits), length (16 bits) */
};

struct pp_round {
	pp_deliver	*deliver;
	pp_deliver_side	*side;		/* NULL: records are delivered one by one */
	void		*arg;
	struct pp_err	*err;

	struct block	**block;	/* of number `base' and on; NULL: given back */
	size_t		 nblock, blockcap;
	uint64_t	 base;
	struct block	*reading;	/* the source's buffer; NULL: it has its own */
	struct block	*filling;	/* takes copies, up to `filled'; NULL: none */
	size_t		 filled;
	struct block	*spare[SPARES];	/* given back */
	size_t		 nspare;

	struct entry	*e;		/* e[first] .. e[n - 1] wait */
	size_t		 first, n, cap;
	bool		 disorder;	/* these are not ascending */
	struct entry	*out[2];	/* scratch of a release */
	size_t		 outcap;
	uint64_t	 away;		/* records that were handed over by pp_round_spill(), and still wait */
	size_t		 mem;		/* of blocks */
	uint64_t	 max, next_flush, last_flush, late;
};

struct pp_round *
pp_round_new(pp_deliver *deliver, void *arg, struct pp_err *err)
{
	struct pp_round *q = calloc(1, sizeof *q);

	if (!q) {
		pp_fail(err, "out of memory");
		return NULL;
	}
	q->deliver = deliver;
	q->arg = arg;
	q->err = err;
	return q;
}

void
pp_round_side_by_side(struct pp_round *q, pp_deliver_side *side)
{
	q->side = side;
}

static void
free_entries(struct pp_round *q)
{
	free(q->e);
	free(q->out[0]);
	free(q->out[1]);
	q->e = q->out[0] = q->out[1] = NULL;
	q->first = q->n = q->cap = q->outcap = 0;
}

static void
free_spares(struct pp_round *q)
{
	for (; q->nspare; q->mem -= sizeof(struct block))
		free(q->spare[--q->nspare]);
}

void
pp_round_free(struct pp_round *q)
{
	if (!q)
		return;
	for (size_t i = 0; i < q->nblock; i++)
		free(q->block[i]);
	free_spares(q);
	free(q->block);
	free_entries(q);
	free(q);
}

/* Make an array of *cap entries hold n, by doubling.  NULL: no memory, the old one stands. */
static void *
grow(void *p, size_t *cap, size_t n, size_t size)
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

/* ---- blocks ------------------------------------------------------------------------------------ */

static void
give_back(struct pp_round *q, struct block *b)
{
	if (q->nspare < SPARES)
		q->spare[q->nspare++] = b;
	else {
		q->mem -= sizeof *b;
		free(b);
	}
}

void
pp_round_reclaim(struct pp_round *q)
{
	size_t gone = 0;

	for (size_t i = 0; i < q->nblock; i++) {
		struct block *b = q->block[i];

		if (b && !b->live && b != q->reading) {
			if (b == q->filling)
				q->filling = NULL;
			give_back(q, b);
			q->block[i] = NULL;
		}
		gone += gone == i && !q->block[i];
	}
	if (!gone)
		return;
	q->nblock -= gone;
	q->base += gone;
	memmove(q->block, q->block + gone, q->nblock * sizeof *q->block);
}

static struct block *
new_block(struct pp_round *q)
{
	struct block **all = grow(q->block, &q->blockcap, q->nblock + 1, sizeof *all), *b;

	if (!all)
		return NULL;
	q->block = all;
	if (q->nspare)
		b = q->spare[--q->nspare];
	else if ((b = malloc(sizeof *b)))
		q->mem += sizeof *b;
	else
		return NULL;
	b->live = 0;
	b->number = q->base + q->nblock;
	return q->block[q->nblock++] = b;
}

uint8_t *
pp_round_buffer(void *arg)
{
	struct pp_round *q = arg;
	struct block *b = new_block(q);

	if (!b)
		return NULL;
	q->reading = b;
	return b->data;
}

static const uint8_t *
bytes_at(const struct pp_round *q, uint64_t place)
{
	return q->block[(place >> (BLOCK_SHIFT + 16)) - q->base]->data + (place >> 16 & (BLOCK - 1));
}

/* The block that the record stands in, or a copy of it, and where.  NULL: no memory. */
static struct block *
block_for(struct pp_round *q, const uint8_t *p, size_t n, uint64_t *at)
{
	struct block *b = q->reading;

	if (b && (*at = (uintptr_t)p - (uintptr_t)b->data) < BLOCK)
		return b;
	if ((!q->filling || q->filled + n > BLOCK)) {
		if (!(b = new_block(q)))
			return NULL;
		q->filling = b;
		q->filled = 0;
	}
	*at = q->filled;
	q->filled += n;
	memcpy(q->filling->data + *at, p, n);
	return q->filling;
}

/* ---- what waits -------------------------------------------------------------------------------- */

/* Room for one more entry.  -1: no memory. */
static int
more_entries(struct pp_round *q)
{
	struct entry *all;

	if (q->first > q->n / 2) {
		q->n -= q->first;
		memmove(q->e, q->e + q->first, q->n * sizeof *q->e);
		q->first = 0;
		return 1;
	}
	if (!(all = grow(q->e, &q->cap, q->n + 1, sizeof *all)))
		return -1;
	q->e = all;
	return 1;
}

int
pp_round_add(struct pp_round *q, uint64_t time, const void *p, size_t n)
{
	uint64_t at;
	struct block *b;

	if ((q->n == q->cap && more_entries(q) < 0) || !(b = block_for(q, p, n, &at)))
		return pp_fail(q->err, "out of memory for records between two FINISHED_ROUND");
	b->live++;
	q->late += time < q->last_flush;
	if (q->n == q->first) {
		q->disorder = false;
		if (!q->away)
			q->max = time;
	} else
		q->disorder |= time < q->e[q->n - 1].time;
	if (time > q->max)
		q->max = time;
	q->e[q->n++] = (struct entry){ time, (b->number << BLOCK_SHIFT | at) << 16 | n };
	return 1;
}

/* ---- sorting ----------------------------------------------------------------------------------- */

static void
insertion_sort(struct entry *e, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct entry x = e[i];
		size_t k = i;

		for (; k && e[k - 1].time > x.time; k--)
			e[k] = e[k - 1];
		e[k] = x;
	}
}

/* Sort n entries, stably, to where it says: e itself or `spare'. */
static struct entry *
sort(struct entry *e, struct entry *spare, size_t n)
{
	enum { FEW = 40, BITS = 8, DIGITS = 1 << BITS, PASSES = 64 / BITS };
	size_t count[PASSES][DIGITS];
	uint64_t min = UINT64_MAX, max = 0;
	unsigned passes = 0;

	if (n <= FEW) {
		insertion_sort(e, n);
		return e;
	}
	for (size_t i = 0; i < n; i++) {
		min = e[i].time < min ? e[i].time : min;
		max = e[i].time > max ? e[i].time : max;
	}
	while (passes < PASSES && (max - min) >> passes * BITS)
		passes++;
	memset(count, 0, passes * sizeof *count);
	for (size_t i = 0; i < n; i++)
		for (uint64_t p = 0, x = e[i].time - min; p < passes; p++, x >>= BITS)
			count[p][x & (DIGITS - 1)]++;
	for (unsigned p = 0; p < passes; p++) {
		struct entry *t = e;

		for (size_t d = 0, at = 0; d < DIGITS; d++) {
			size_t k = count[p][d];

			count[p][d] = at;
			at += k;
		}
		for (size_t i = 0; i < n; i++)
			spare[count[p][(e[i].time - min) >> p * BITS & (DIGITS - 1)]++] = e[i];
		e = spare;
		spare = t;
	}
	return e;
}

/* ---- release ----------------------------------------------------------------------------------- */

enum { AHEAD = 12 };			/* entries: what is delivered soon should be in the cache by then */

/* Records that lie side by side in a block are given out at once. */
static int
deliver_side(struct pp_round *q, const struct entry *e, const struct entry *end)
{
	for (; e < end; e++) {
		const uint8_t *p = bytes_at(q, e->place);
		uint64_t at = e->place >> 16, to = at + (e->place & 0xffff);
		size_t n = 1;

		for (; e + 1 < end && e[1].place >> 16 == to && to & (BLOCK - 1); n++)
			to += (++e)->place & 0xffff;
		q->block[(at >> BLOCK_SHIFT) - q->base]->live -= n;
		if (n == 1 && end - e > AHEAD) {
			const uint8_t *soon = bytes_at(q, e[AHEAD].place);

			for (unsigned k = 0; k < 4; k++)
				__builtin_prefetch(soon + 64 * k);
		}
		if (q->side(q->arg, e->time, p, to - at, n) < 0)
			return -1;
		q->last_flush = e->time;
	}
	return 1;
}

static int
deliver_each(struct pp_round *q, const struct entry *e, const struct entry *end)
{
	for (; e < end; e++) {
		q->block[(e->place >> (BLOCK_SHIFT + 16)) - q->base]->live--;
		if (q->deliver(q->arg, e->time, bytes_at(q, e->place), e->place & 0xffff) < 0)
			return -1;
		q->last_flush = e->time;
	}
	return 1;
}

static int
deliver(struct pp_round *q, const struct entry *e, size_t n)
{
	return q->side ? deliver_side(q, e, e + n) : deliver_each(q, e, e + n);
}

static int
release_ascending(struct pp_round *q, uint64_t limit)
{
	const struct entry *e = q->e + q->first;
	size_t lo = q->first, hi = q->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (q->e[mid].time <= limit)
			lo = mid + 1;
		else
			hi = mid;
	}
	q->first = lo;
	return deliver(q, e, (size_t)(q->e + lo - e));
}

static int
release(struct pp_round *q, uint64_t limit)
{
	size_t n = 0, stay = 0, cap = 0, waiting = q->n - q->first;
	const struct entry *e = q->e + q->first;
	uint64_t last = 0;

	if (!waiting)
		return 1;
	if (!q->disorder)
		return release_ascending(q, limit);
	for (int i = 0; i < 2; i++) {
		struct entry *all;

		cap = q->outcap;
		if (!(all = grow(q->out[i], &cap, waiting, sizeof *all)))
			return pp_fail(q->err, "out of memory for records between two FINISHED_ROUND");
		q->out[i] = all;
	}
	q->outcap = cap;
	q->disorder = false;
	for (size_t i = 0; i < waiting; i++) {
		struct entry x = e[i];
		bool goes = x.time <= limit;

		q->out[0][n] = x;
		q->e[stay] = x;			/* stay <= i */
		n += goes;
		stay += !goes;
		q->disorder |= !goes && x.time < last;
		last = goes ? last : x.time;
	}
	q->first = 0;
	q->n = stay;
	return deliver(q, sort(q->out[0], q->out[1], n), n);
}

int
pp_round_finished(struct pp_round *q)
{
	if (q->n == q->first && !q->away)
		return 1;
	if (release(q, q->next_flush) < 0)
		return -1;
	q->next_flush = q->max;
	return 1;
}

int
pp_round_final(struct pp_round *q)
{
	return release(q, UINT64_MAX);
}

int
pp_round_release(struct pp_round *q, uint64_t limit)
{
	return release(q, limit);
}

uint64_t
pp_round_limit(const struct pp_round *q)
{
	return q->next_flush;
}

uint64_t
pp_round_last(const struct pp_round *q)
{
	return q->last_flush;
}

uint64_t
pp_round_late(const struct pp_round *q)
{
	return q->late;
}

/* ---- bounded memory ---------------------------------------------------------------------------- */

size_t
pp_round_memory(const struct pp_round *q)
{
	size_t out = q->outcap;

	if (q->disorder && q->n - q->first > out)
		out = q->n - q->first;
	return q->mem + q->blockcap * sizeof *q->block + (q->cap + 2 * out) * sizeof *q->e;
}

int
pp_round_spill(struct pp_round *q, pp_deliver *to, void *arg)
{
	struct pp_round was = *q;
	int rc;

	q->deliver = to;
	q->side = NULL;
	q->arg = arg;
	rc = release(q, UINT64_MAX);
	q->deliver = was.deliver;
	q->side = was.side;
	q->arg = was.arg;
	q->last_flush = was.last_flush;
	if (rc < 0)
		return -1;
	q->away += was.n - was.first;
	/* Give back all that it grew to. */
	free_entries(q);
	pp_round_reclaim(q);
	free_spares(q);
	return 1;
}

void
pp_round_spilled(struct pp_round *q, uint64_t time)
{
	q->away--;
	q->last_flush = time;
}

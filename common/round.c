/* SPDX-License-Identifier: ISC */
/*
 * round.c - perf's time order (tools/perf/util/ordered-events.c): a FINISHED_ROUND releases what is not newer
 * than the newest record that was known at the one before.
 *
 * The kernel's buffers are read one after the other, each in time order: records come as a few ascending runs.
 * So each record is appended to the run whose end it fits, and a release merges the heads of the runs.
 *
 *	block	copies of records, in order of arrival; a position is block number and place, so it grows
 *	run	entries {time, position, length}, ascending; equal times keep their order of arrival
 *
 * The runs stand by their last time, descending.  A record goes to the first whose last time is not larger
 * than its own, found by bisection, or begins a new one at the end: either way the order of the runs holds.
 */
#include <stdlib.h>
#include <string.h>

#include "perfpipe.h"

enum { BLOCK_SHIFT = 18, BLOCK = 1 << BLOCK_SHIFT };

struct block {
	size_t		 live;		/* records not yet delivered */
	uint8_t		 data[BLOCK];
};
struct entry {
	uint64_t	 time;
	uint64_t	 place;		/* position << 16 | length: compares like the position */
};
struct run {
	struct entry	*e;
	size_t		 first, n, cap;	/* e[first] .. e[n - 1] wait; never none between calls */
	size_t		 end;		/* while releasing: of those that go */
};
struct slice {
	struct entry	*e;
	size_t		 n;
};

struct pp_round {
	pp_deliver	*deliver;
	void		*arg;
	struct pp_err	*err;
	struct block	**block;	/* of number `base' and on; NULL: given back */
	size_t		 nblock, blockcap;
	uint64_t	 base;
	struct block	*spare;		/* one that was given back */
	uint64_t	 pos;		/* where the next record goes */
	struct run	*run;
	size_t		 nrun, runcap;
	size_t		 hint;		/* the run of the last record */
	struct slice	*slice;		/* scratch of a release, runcap of them */
	struct entry	*out[2];
	size_t		 outcap;
	size_t		 count;
	uint64_t	 away;		/* records that were handed over by pp_round_spill(), and still wait */
	size_t		 mem;		/* of blocks and of runs' entries */
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
pp_round_free(struct pp_round *q)
{
	if (!q)
		return;
	for (size_t i = 0; i < q->nblock; i++)
		free(q->block[i]);
	for (size_t i = 0; i < q->runcap; i++)
		free(q->run[i].e);
	free(q->block);
	free(q->spare);
	free(q->run);
	free(q->slice);
	free(q->out[0]);
	free(q->out[1]);
	free(q);
}

/* Make an array of *cap entries hold n: doubling, the new part zeroed.  NULL: no memory, the old one stands. */
static void *
grow(void *p, size_t *cap, size_t n, size_t size)
{
	size_t to = *cap ? *cap : 1;
	uint8_t *new;

	if (n <= *cap)
		return p;
	while (to < n)
		to *= 2;
	if (!(new = realloc(p, to * size)))
		return NULL;
	memset(new + *cap * size, 0, (to - *cap) * size);
	*cap = to;
	return new;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static struct block *
block_of(const struct pp_round *q, uint64_t place)
{
	return q->block[(place >> (16 + BLOCK_SHIFT)) - q->base];
}

/* Not the last block, which is being filled. */
void
pp_round_reclaim(struct pp_round *q)
{
	size_t gone = 0;

	for (size_t i = 0; i + 1 < q->nblock; i++) {
		struct block *b = q->block[i];

		if (b && !b->live) {
			q->mem -= q->spare ? sizeof *b : 0;
			free(q->spare);
			q->spare = b;
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

/* A place for n bytes (n <= PP_RECORD_MAX), which is then at q->pos. */
static uint8_t *
place_for(struct pp_round *q, size_t n)
{
	struct block **all, *b;
	uint64_t at = q->pos - ((q->base + q->nblock - 1) << BLOCK_SHIFT);

	if (q->nblock && at + n <= BLOCK)
		return q->block[q->nblock - 1]->data + at;
	if (!(all = grow(q->block, &q->blockcap, q->nblock + 1, sizeof *all)))
		return NULL;
	q->block = all;
	b = q->spare ? q->spare : malloc(sizeof *b);
	if (!b)
		return NULL;
	q->mem += q->spare ? 0 : sizeof *b;
	q->spare = NULL;
	b->live = 0;
	q->pos = (q->base + q->nblock) << BLOCK_SHIFT;
	q->block[q->nblock++] = b;
	return b->data;
}

/* ---- runs -------------------------------------------------------------------------------------- */

static uint64_t
last_time(const struct run *r)
{
	return r->e[r->n - 1].time;
}

/* The first run whose last time is not larger; nrun: none. */
static size_t
find_run(const struct pp_round *q, uint64_t time)
{
	size_t lo = 0, hi = q->nrun, i = q->hint;

	if (i < q->nrun && last_time(&q->run[i]) <= time) {
		if (!i || last_time(&q->run[i - 1]) > time)
			return i;
		hi = i;
	} else if (i < q->nrun)
		lo = i + 1;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (last_time(&q->run[mid]) <= time)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static int
add_entry(struct pp_round *q, const struct entry *e)
{
	size_t i = find_run(q, e->time), cap = q->runcap, had;
	struct run *r;
	struct entry *all;

	if (i == q->nrun) {
		if (!(r = grow(q->run, &cap, q->nrun + 1, sizeof *r)))
			return -1;
		q->run = r;
		if (cap != q->runcap) {
			struct slice *s = realloc(q->slice, cap * sizeof *s);

			if (!s)
				return -1;	/* runcap still says what is zeroed: grow() does so again */
			q->slice = s;
			q->runcap = cap;
		}
		q->nrun++;
		q->run[i].first = q->run[i].n = 0;
	}
	q->hint = i;
	r = &q->run[i];
	if (r->n == r->cap && r->first > r->cap / 2) {
		r->n -= r->first;
		memmove(r->e, r->e + r->first, r->n * sizeof *r->e);
		r->first = 0;
	}
	had = r->cap;
	if (!(all = grow(r->e, &r->cap, r->n + 1, sizeof *all))) {
		q->nrun -= !r->n;
		return -1;
	}
	q->mem += (r->cap - had) * sizeof *all;
	r->e = all;
	r->e[r->n++] = *e;
	return 1;
}

int
pp_round_add(struct pp_round *q, uint64_t time, const void *p, size_t n)
{
	uint8_t *to = place_for(q, n);

	if (!to || add_entry(q, &(struct entry){ time, q->pos << 16 | n }) < 0)
		return pp_fail(q->err, "out of memory for records between two FINISHED_ROUND");
	memcpy(to, p, n);
	q->block[q->nblock - 1]->live++;
	q->pos += n;
	q->late += time < q->last_flush;
	if (!(q->count++ + q->away) || time >= q->max)
		q->max = time;
	return 1;
}

/* ---- release ----------------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 key_t128;

/* One number to compare, so that merging needs no branch that nobody can predict. */
static key_t128
key(const struct entry *e)
{
	return (key_t128)e->time << 64 | e->place;
}

static void
merge(struct entry *to, struct slice a, struct slice b)
{
	const struct entry *ae = a.e + a.n, *be = b.e + b.n;

	while (a.e < ae && b.e < be) {
		bool second = key(b.e) < key(a.e);

		*to++ = second ? *b.e : *a.e;
		b.e += second;
		a.e += !second;
	}
	memcpy(to, a.e, (size_t)(ae - a.e) * sizeof *to);
	memcpy(to + (ae - a.e), b.e, (size_t)(be - b.e) * sizeof *to);
}

/* Merge n slices, two by two. */
static struct slice
merge_all(struct pp_round *q, size_t n)
{
	struct slice *s = q->slice;

	for (int turn = 0; n > 1; turn = !turn) {
		struct entry *to = q->out[turn];
		size_t m = 0;

		for (size_t i = 0; i < n; i += 2) {
			struct slice b = i + 1 < n ? s[i + 1] : (struct slice){ s[i].e, 0 };
			struct slice merged = { to, s[i].n + b.n };

			merge(to, s[i], b);
			to += merged.n;
			s[m++] = merged;
		}
		n = m;
	}
	return s[0];
}

/* How many entries wait up to `limit'; each run notes where its own end. */
static size_t
count_up_to(struct pp_round *q, uint64_t limit)
{
	size_t total = 0;

	for (size_t i = 0; i < q->nrun; i++) {
		struct run *r = &q->run[i];
		size_t lo = r->first, hi = r->n;

		while (lo < hi) {
			size_t mid = (lo + hi) / 2;

			if (r->e[mid].time <= limit)
				lo = mid + 1;
			else
				hi = mid;
		}
		r->end = lo;
		total += lo - r->first;
	}
	return total;
}

/* Take these off the runs, as slices; runs that are then empty go to the end, for later use. */
static size_t
cut_runs(struct pp_round *q)
{
	size_t ns = 0, keep = 0;

	for (size_t i = 0; i < q->nrun; i++) {
		struct run *r = &q->run[i], moved;

		if (r->end > r->first)
			q->slice[ns++] = (struct slice){ r->e + r->first, r->end - r->first };
		r->first = r->end;
		if (r->first < r->n && keep++ != i) {	/* swap: both keep their arrays */
			moved = *r;
			*r = q->run[keep - 1];
			q->run[keep - 1] = moved;
		}
	}
	q->nrun = keep;
	q->hint = 0;
	return ns;
}

/*
 * A time, at most `limit', up to which about PIECE entries wait: what is merged at once should fit the cache.
 * More of one run where there are many, so that going through them all is paid for by what is released.
 */
enum { PIECE = 32768, RUN_PIECE = 1024 };

static uint64_t
piece_limit(const struct pp_round *q, uint64_t limit)
{
	size_t n = PIECE / q->nrun > RUN_PIECE ? PIECE / q->nrun : RUN_PIECE;

	if (n < q->nrun)
		n = q->nrun;

	for (size_t i = 0; i < q->nrun; i++) {
		const struct run *r = &q->run[i];

		if (r->n - r->first > n && r->e[r->first + n].time < limit)
			limit = r->e[r->first + n].time;
	}
	return limit;
}

static int
deliver_all(struct pp_round *q, const struct slice *s)
{
	for (const struct entry *e = s->e, *end = e + s->n; e < end; e++) {
		struct block *b = block_of(q, e->place);

		b->live--;
		q->count--;
		if (q->deliver(q->arg, e->time, b->data + (e->place >> 16 & (BLOCK - 1)), e->place & 0xffff) < 0)
			return -1;
		q->last_flush = e->time;
	}
	return 1;
}

static int
release(struct pp_round *q, uint64_t limit)
{
	uint64_t upto;

	do {
		size_t total, cap = 0;
		struct slice s;

		upto = piece_limit(q, limit);
		if (!(total = count_up_to(q, upto)))
			break;
		for (int i = 0; i < 2 && q->nrun > 1; i++) {
			struct entry *all;

			cap = q->outcap;
			if (!(all = grow(q->out[i], &cap, total, sizeof *all)))
				return pp_fail(q->err, "out of memory for records between two FINISHED_ROUND");
			q->out[i] = all;
		}
		q->outcap = cap ? cap : q->outcap;
		s = merge_all(q, cut_runs(q));
		if (deliver_all(q, &s) < 0)
			return -1;
	} while (upto < limit && q->nrun);
	return 1;
}

int
pp_round_finished(struct pp_round *q)
{
	if (!q->count && !q->away)
		return 1;
	if (q->count && release(q, q->next_flush) < 0)
		return -1;
	q->next_flush = q->max;
	return 1;
}

int
pp_round_final(struct pp_round *q)
{
	return q->count ? release(q, UINT64_MAX) : 1;
}

int
pp_round_release(struct pp_round *q, uint64_t limit)
{
	return q->count ? release(q, limit) : 1;
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

/* ---- bounded memory ------------------------------------------------------------------------------ */

/* Runs cost more than their entries; and a release will need two arrays of what it merges at once. */
size_t
pp_round_memory(const struct pp_round *q)
{
	size_t piece = q->nrun > RUN_PIECE ? q->nrun : RUN_PIECE, merged = q->count;

	if (q->nrun < 2)
		merged = 0;
	else if (merged / q->nrun > piece)
		merged = PIECE + q->nrun * piece;
	return q->mem + q->runcap * (sizeof *q->run + sizeof *q->slice + 32) + 2 * merged * sizeof **q->out;
}

/* The queue is empty: give back all that it grew to. */
static void
shrink(struct pp_round *q)
{
	for (size_t i = 0; i < q->runcap; i++) {
		q->mem -= q->run[i].cap * sizeof *q->run[i].e;
		free(q->run[i].e);
	}
	free(q->run);
	free(q->slice);
	q->run = NULL;
	q->slice = NULL;
	q->nrun = q->runcap = q->hint = 0;
	for (int i = 0; i < 2; i++) {
		free(q->out[i]);
		q->out[i] = NULL;
	}
	q->outcap = 0;
	pp_round_reclaim(q);
}

int
pp_round_spill(struct pp_round *q, pp_deliver *to, void *arg)
{
	pp_deliver *deliver = q->deliver;
	void *was = q->arg;
	uint64_t last = q->last_flush;
	size_t n = q->count;
	int rc;

	if (!n)
		return 1;
	q->deliver = to;
	q->arg = arg;
	rc = release(q, UINT64_MAX);
	q->deliver = deliver;
	q->arg = was;
	q->last_flush = last;
	q->away += n - q->count;
	if (rc > 0)
		shrink(q);
	return rc;
}

void
pp_round_spilled(struct pp_round *q, uint64_t time)
{
	q->away--;
	q->last_flush = time;
}

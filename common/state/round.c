/* SPDX-License-Identifier: ISC */
/*
 * round.c - perf's time order (tools/perf/util/ordered-events.c): a FINISHED_ROUND releases all records up to the newest time
 * that was known at the previous one
 *
 *	block	the records that the source reads (pp_round_buffer), or copies (block.h)
 *	entry	time and place of a record; all waiting ones, in order of arrival
 *	run	entries whose times ascend: what a CPU has written since its buffer was read last
 *
 * A release takes from the front of each run the entries up to its time, and sorts them by time, stably (round_sort.c).  If they are
 * of one run, they need not be sorted, or moved.  Records are never moved.
 */
#include <stdlib.h>
#include <string.h>

#include "record/order.h"
#include "state/round_in.h"

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

static void
round_free_entries(struct round *q)
{
	free(q->e);
	free(q->run);
	free(q->out[0]);
	free(q->out[1]);
	q->e = q->pub.next = q->pub.end = q->out[0] = q->out[1] = NULL;
	q->run = NULL;
	q->nruns = q->capruns = q->gone = q->outcap = 0;
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
	return q->nruns ? (size_t)(q->pub.next - q->e) - q->run->at - q->gone : 0;
}

/* Update the conditions of the inline functions after a release or a slow add. */
static void
round_note_newest(struct round *q)
{
	q->pub.newest = UINT64_MAX;
	if (q->nruns)
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

/* The runs, the last one as far as it is now. */
static struct pp_run *
round_runs(struct round *q)
{
	if (q->nruns)
		q->run[q->nruns - 1].end = (size_t)(q->pub.next - q->e);
	return q->run;
}

/* Close the gaps between the runs. */
static void
round_compact(struct round *q)
{
	struct pp_run *r = round_runs(q);
	size_t to = 0;

	for (size_t i = 0; i < q->nruns; i++) {
		size_t n = r[i].end - r[i].at;

		memmove(q->e + to, q->e + r[i].at, n * sizeof *q->e);
		r[i] = (struct pp_run){ to, to + n };
		to += n;
	}
	q->gone = 0;
	q->pub.next = q->e + to;
}

/* Space for one more entry.  1, or -1: no memory. */
static int
round_more_entries(struct round *q)
{
	size_t n = (size_t)(q->pub.next - q->e), cap = (size_t)(q->pub.end - q->e);
	entry *all = q->e;

	if (cap && round_waiting(q) < cap / 2) {
		round_compact(q);
		return 1;
	}
	if (!(all = round_grow(q->e, &cap, cap + 1, sizeof *all)))
		return -1;
	q->e = all;
	q->pub.next = all + n;
	q->pub.end = all + cap;
	return 1;
}

/* A run that begins with the next entry.  1, or -1: no memory. */
static int
round_more_runs(struct round *q)
{
	struct pp_run *all = round_grow(q->run, &q->capruns, q->nruns + 1, sizeof *all);
	size_t at = (size_t)(q->pub.next - q->e);

	if (!all)
		return -1;
	q->run = all;
	round_runs(q);
	all[q->nruns++] = (struct pp_run){ at, at };
	return 1;
}

/* Queue an entry; its time may be older than others, and the array may be full.  1, or -1: no memory. */
static inline int
round_add(struct round *q, uint64_t time, uint64_t place)
{
	struct pp_round *pub = &q->pub;

	if (pub->next == pub->end && round_more_entries(q) < 0)
		return pp_fail_memory(q->err);
	if (!q->nruns && !q->away && !q->saw)
		pub->max = time;
	if ((!q->nruns || time < pub->next[-1].time) && round_more_runs(q) < 0)
		return pp_fail_memory(q->err);
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
pp_round_add_copy(struct pp_round *pub, uint64_t time, const void *p, size_t n, uint8_t **copy)
{
	if (!(*copy = pp_round_add_space(pub, time, n)))
		return -1;
	memcpy(*copy, p, n);
	return 1;
}

uint8_t *
pp_round_add_space(struct pp_round *pub, uint64_t time, size_t n)
{
	struct round *q = (struct round *)pub;
	uint64_t place;
	uint8_t *space = pp_blocks_space(&q->blocks, n, &place);

	if (!space)
		pp_fail_memory(q->err);
	return space && round_add(q, time, place) > 0 ? space : NULL;
}

int
pp_round_add_number_slow(struct pp_round *pub, uint64_t time, uint64_t place)
{
	return round_add((struct round *)pub, time, place);
}

/* ---- release ----------------------------------------------------------------------------------- */

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

struct part { size_t nruns, n; uint64_t min, max; };	/* a number of runs, and the times of their entries */

static void
part_add(struct part *p, const entry *from, const entry *to)
{
	p->nruns++;
	p->n += (size_t)(to - from);
	p->min = from->time < p->min ? from->time : p->min;
	p->max = to[-1].time > p->max ? to[-1].time : p->max;
}

/* Take the entries up to that time: their runs to `took'. */
static struct part
round_take(struct round *q, uint64_t limit, struct pp_run *took)
{
	struct pp_run *run = round_runs(q);
	struct part p = { 0, 0, UINT64_MAX, 0 };
	size_t keep = 0, stay = 0;

	for (size_t i = 0; i < q->nruns; i++) {
		struct pp_run r = run[i];
		size_t lo = r.at, hi = r.end;

		if (q->e[hi - 1].time <= limit)
			lo = hi;
		else if (q->e[lo].time <= limit)
			ORDER_FIND(lo, hi, k, q->e[k].time > limit);
		if (lo > r.at) {
			took[p.nruns] = (struct pp_run){ r.at, lo };
			part_add(&p, q->e + r.at, q->e + lo);
		}
		if (lo < r.end) {
			run[keep++] = (struct pp_run){ lo, r.end };
			stay += r.end - lo;
		}
	}
	q->nruns = keep;
	q->pub.next = q->e + (keep ? run[keep - 1].end : 0);
	q->gone = keep ? run[keep - 1].end - run->at - stay : 0;
	return p;
}

int
pp_round_take(struct pp_round *pub, uint64_t limit, const entry **e, size_t *n)
{
	struct round *q = (struct round *)pub;
	struct pp_run one, *took = &one;
	struct part p;

	*n = 0;
	*e = q->e;
	if (!q->nruns)
		return 1;
	if (q->nruns > 1 && round_make_scratch(q, round_waiting(q)) < 0)
		return -1;
	if (q->nruns > 1)		/* there are no more runs than entries, and the sort needs only one of the two at first */
		took = (struct pp_run *)q->out[1];
	p = round_take(q, limit, took);
	*n = p.n;
	if (p.nruns == 1)
		*e += took->at;
	else if (p.nruns)
		*e = pp_round_sort(q->e, took, p.nruns, p.n, p.min, p.max, q->out);
	round_note_newest(q);
	return 1;
}

static int
round_release(struct round *q, uint64_t limit)
{
	const entry *e;
	size_t n;
	int rc;

	if (pp_round_take(&q->pub, limit, &e, &n) < 0)
		return -1;
	rc = n ? pp_round_deliver(q, e, n) : 1;
	round_note_newest(q);
	return rc;
}

int
pp_round_finished(struct pp_round *pub)
{
	struct round *q = (struct round *)pub;

	if (!q->nruns && !q->away && !q->saw)
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

	if (time > pub->max || (!q->nruns && !q->away && !q->saw))
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

	if (q->nruns > 1 && round_waiting(q) > out)
		out = round_waiting(q);
	return pp_blocks_memory(&q->blocks) + ((size_t)(pub->end - q->e) + 2 * out) * sizeof *q->e + q->capruns * sizeof *q->run;
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
	q->many = NULL;
	q->arg = arg;
	rc = round_release(q, UINT64_MAX);
	q->deliver = was.deliver;
	q->side = was.side;
	q->many = was.many;
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

/* ---- for timeline.c and psort -------------------------------------------------------------------- */

size_t
pp_round_waiting(const struct pp_round *pub)
{
	return round_waiting((const struct round *)pub);
}

size_t
pp_round_spare(const struct pp_round *pub)
{
	return pp_blocks_spare(&((const struct round *)pub)->blocks);
}

void
pp_round_shrink(struct pp_round *pub)
{
	pp_blocks_shrink(&((struct round *)pub)->blocks);
}

size_t
pp_round_held(const struct pp_round *pub)
{
	return pp_blocks_held(&((const struct round *)pub)->blocks);
}

size_t
pp_round_used(const struct pp_round *pub)
{
	const struct pp_blocks *b = &((const struct round *)pub)->blocks;

	return pp_round_memory(pub) - (b->mem - pp_blocks_spare(b)) + pp_round_held(pub);
}

size_t
pp_round_below(const struct pp_round *pub, uint64_t number)
{
	struct round *q = (struct round *)(uintptr_t)pub;
	const struct pp_run *r = round_runs(q), *end = r + q->nruns;
	size_t n = 0;

	for (; r < end; r++) {
		size_t lo = r->at, hi = r->end;

		ORDER_FIND(lo, hi, i, q->e[i].place >= number);
		n += lo - r->at;
		if (lo < r->end)
			break;
	}
	return n;
}

uint64_t
pp_round_newest_of(const struct pp_round *pub, size_t n)
{
	struct round *q = (struct round *)(uintptr_t)pub;
	const struct pp_run *r = round_runs(q);
	uint64_t newest = 0;

	for (size_t k; n; n -= k, r++) {
		k = r->end - r->at < n ? r->end - r->at : n;
		newest = q->e[r->at + k - 1].time > newest ? q->e[r->at + k - 1].time : newest;
	}
	return newest;
}

static int
round_each(struct round *q, const entry *e, size_t n, pp_deliver *fn, void *arg)
{
	for (size_t i = 0; i < n; i++)
		if (fn(arg, e[i].time, pp_blocks_at(&q->blocks, e[i].place), e[i].place & 0xffff) < 0)
			return -1;
	return 1;
}

int
pp_round_each(struct pp_round *pub, bool sorted, pp_deliver *fn, void *arg)
{
	struct round *q = (struct round *)pub;
	const struct pp_run *r = round_runs(q), *end = r + q->nruns;
	struct part p = { 0, 0, UINT64_MAX, 0 };
	int rc = 1;

	if (sorted && q->nruns > 1) {
		for (; r < end; r++)
			part_add(&p, q->e + r->at, q->e + r->end);
		if (round_make_scratch(q, p.n) < 0)
			return -1;
		return round_each(q, pp_round_sort(q->e, q->run, p.nruns, p.n, p.min, p.max, q->out), p.n, fn, arg);
	}
	for (; rc > 0 && r < end; r++)
		rc = round_each(q, q->e + r->at, r->end - r->at, fn, arg);
	return rc;
}

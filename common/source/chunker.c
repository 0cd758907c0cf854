/* SPDX-License-Identifier: ISC */
/* chunker.c - see chunk.h: where a chunk ends, and what is in it */
#include <stdlib.h>
#include <string.h>

#include "chunk.h"
#include "record/meaning.h"
#include "record/order.h"
#include "set.h"

enum {
	SLOTS_MIN = 256, EVENTS_MAX = 1 << 16
};

struct slot {			/* tasks whose numbers differ in the last 5 bits only */
	uint32_t	 tasks;		/* number / 32; the first member, for order_u32() */
	uint32_t	 bits;		/* 0: the slot is free */
};

struct chunker {			/* a struct pp_chunker */
	struct pp_chunk_walk *w;
	struct pp_chunk	 now;
	bool		 open;		/* there is a chunk */
	bool		 round;		/* the last record was a FINISHED_ROUND */
	uint64_t	 size;
	uint64_t	 cpus[PP_CHUNK_CPUS / 64];
	uint64_t	 events[EVENTS_MAX / 64];
	uint32_t	 any_cpu, any_event;	/* all that are in the set, by or: none is larger */
	struct slot	*slot;		/* open addressing; mask + 1 of them, a power of two */
	size_t		 mask, used;	/* used: at most half of them */
	uint64_t	 mul;		/* random and odd: a recording can't choose where its tasks fall */
	uint32_t	*task;		/* of a chunk that is complete: each once, ascending */
	size_t		 captasks;
};

struct pp_chunker *
pp_chunker_new(struct pp_chunk_walk *w)
{
	struct chunker *c = calloc(1, sizeof *c);

	if (!c || !(c->slot = calloc(SLOTS_MIN, sizeof *c->slot))) {
		free(c);
		return NULL;
	}
	c->mask = SLOTS_MIN - 1;
	c->mul = pp_seed() | 1;
	c->w = w;
	c->size = w->size ? w->size : PP_CHUNK_SIZE;
	w->all = (struct pp_chunk){ .file = 0 };
	return (struct pp_chunker *)c;
}

void
pp_chunker_free(struct pp_chunker *pub)
{
	struct chunker *c = (struct chunker *)pub;

	if (c) {
		free(c->task);
		free(c->slot);
	}
	free(c);
}

bool
pp_chunker_due(const struct pp_chunker *pub)
{
	const struct chunker *c = (const struct chunker *)pub;

	return !c->open || c->now.plain >= c->size;
}

/* ---- sets ------------------------------------------------------------------------------------------- */

/* The slot of these 32 tasks, or the free one that they are to have. */
static inline struct slot *
tasks_slot(const struct chunker *c, uint32_t tasks)
{
	size_t i = tasks * c->mul >> 32 & c->mask;

	while (c->slot[i].tasks != tasks && c->slot[i].bits)
		i = (i + 1) & c->mask;
	return &c->slot[i];
}

/* Twice as many slots. */
static int
tasks_more(struct chunker *c)
{
	struct slot *old = c->slot, *new = calloc(2 * (c->mask + 1), sizeof *new);
	size_t n = c->mask + 1;

	if (!new)
		return -1;
	c->slot = new;
	c->mask = 2 * n - 1;
	for (size_t i = 0; i < n; i++)
		if (old[i].bits)
			*tasks_slot(c, old[i].tasks) = old[i];
	free(old);
	return 1;
}

/* The first of its 32 tasks. */
static int
tasks_add(struct chunker *c, uint32_t id)
{
	if (c->used > c->mask / 2 && tasks_more(c) < 0)
		return -1;
	c->used++;
	*tasks_slot(c, id / 32) = (struct slot){ id / 32, UINT32_C(1) << id % 32 };
	return 1;
}

static inline int
tasks_note(struct chunker *c, uint32_t id)
{
	struct slot *x = tasks_slot(c, id / 32);

	if (!x->bits)
		return tasks_add(c, id);
	x->bits |= UINT32_C(1) << id % 32;
	return 1;
}

/* List all in order; what is in the slots is lost. */
static int
tasks_list(struct chunker *c, size_t *ntasks)
{
	size_t used = 0, n = 0;

	for (size_t i = 0; i <= c->mask; i++)
		if (c->slot[i].bits) {
			n += (unsigned)__builtin_popcount(c->slot[i].bits);
			c->slot[used++] = c->slot[i];
		}
	if (n > c->captasks) {
		free(c->task);
		c->captasks = 0;
		if (!(c->task = malloc(n * sizeof *c->task)))
			return -1;
		c->captasks = n;
	}
	if (used)
		qsort(c->slot, used, sizeof *c->slot, order_u32);
	*ntasks = 0;
	for (size_t i = 0; i < used; i++)
		for (uint32_t bits = c->slot[i].bits; bits; bits &= bits - 1)
			c->task[(*ntasks)++] = 32 * c->slot[i].tasks + (unsigned)__builtin_ctz(bits);
	return 1;
}

static inline void
bit_set(uint64_t *set, uint32_t *any, uint32_t n)
{
	set[n / 64] |= UINT64_C(1) << n % 64;
	*any |= n;
}

/* The number of words up to the last that is not 0. */
static unsigned
bit_words(const uint64_t *set, uint32_t any)
{
	unsigned n = any / 64 + 1;

	while (n && !set[n - 1])
		n--;
	return n;
}

static void
bit_clear(uint64_t *set, uint32_t *any)
{
	memset(set, 0, (*any / 64 + 1) * sizeof *set);
	*any = 0;
}

static inline __attribute__((always_inline)) int
sets_note(struct chunker *c, const struct pp_event *ev, const uint8_t *p, bool swap)
{
	uint32_t cpu, pid, tid;

	bit_set(c->events, &c->any_event, ev->index < EVENTS_MAX ? ev->index : EVENTS_MAX - 1);
	if (ev->plan.cpu) {
		cpu = pp_get_u32(p + ev->plan.cpu, swap);
		bit_set(c->cpus, &c->any_cpu, cpu < PP_CHUNK_CPUS ? cpu : PP_CHUNK_CPUS - 1);
	} else
		c->now.flags |= PP_CHUNK_NO_CPU;
	if (!ev->plan.tid) {
		c->now.flags |= PP_CHUNK_NO_TASK;
		return 1;
	}
	pid = pp_get_u32(p + ev->plan.tid, swap);
	tid = pp_get_u32(p + ev->plan.tid + 4, swap);
	return tasks_note(c, pid) < 0 || (tid != pid && tasks_note(c, tid) < 0) ? -1 : 1;
}

static int
sets_show(struct chunker *c)
{
	struct pp_chunk *now = &c->now;

	now->events = c->events;
	now->cpus = c->cpus;
	now->nevents = bit_words(c->events, c->any_event);
	now->ncpus = bit_words(c->cpus, c->any_cpu);
	if (tasks_list(c, &now->ntasks) < 0)
		return -1;
	now->tasks = c->task;
	return 1;
}

static void
sets_forget(struct chunker *c)
{
	bit_clear(c->events, &c->any_event);
	bit_clear(c->cpus, &c->any_cpu);
	memset(c->slot, 0, (c->mask + 1) * sizeof *c->slot);
	c->used = 0;
}

/* ---- chunks ----------------------------------------------------------------------------------------- */

static inline void
time_join(uint64_t *a, uint64_t *b, uint64_t first, uint64_t last)
{
	if (first && (!*a || first < *a))
		*a = first;
	if (last > *b)
		*b = last;
}

static void
times_join(struct pp_chunk *a, uint64_t first, uint64_t last)
{
	time_join(&a->first, &a->last, first, last);
}

/* SAMPLEs up to here are of a round that is over. */
static void
round_fold(struct chunker *c)
{
	times_join(&c->now, c->w->round_first, c->w->round_last);
	c->w->round_first = c->w->round_last = 0;
	c->round = false;
}

int
pp_chunker_end(struct pp_chunker *pub, uint64_t off)
{
	struct chunker *c = (struct chunker *)pub;
	struct pp_chunk *all = &c->w->all, *now = &c->now;
	int rc = 1;

	if (!c->open)
		return 1;
	c->open = false;
	now->len = off - now->off;
	if (c->round)
		round_fold(c);
	times_join(now, c->w->round_first, c->w->round_last);
	all->flags |= now->flags;
	all->len += now->len;
	all->plain += now->plain;
	all->records += now->records;
	all->samples += now->samples;
	all->sample_bytes += now->sample_bytes;
	times_join(all, now->first, now->last);
	if (c->w->chunk && (rc = sets_show(c)) > 0)
		rc = c->w->chunk(c->w->arg, now);
	sets_forget(c);
	c->w->round_first = c->w->round_last = 0;
	c->round = false;
	return rc;
}

int
pp_chunker_cut(struct pp_chunker *pub, uint32_t file, uint64_t off)
{
	struct chunker *c = (struct chunker *)pub;

	if (pp_chunker_end(pub, off) < 0)
		return -1;
	c->now = (struct pp_chunk){ .file = file, .off = off };
	c->open = true;
	return 1;
}

/* Note the SAMPLE; *first, *last: times of the round.  Inline wherever it stands, for either byte order. */
static inline __attribute__((always_inline)) int
chunker_sample(struct chunker *c, const struct pp_events *events, const struct pp_rec *r, bool swap, uint64_t *first, uint64_t *last)
{
	const struct pp_event *ev = pp_event_find(events, r, NULL);
	uint64_t time;

	if (!ev) {
		c->now.flags |= PP_CHUNK_NO_EVENT | PP_CHUNK_NO_TIME | PP_CHUNK_NO_CPU | PP_CHUNK_NO_TASK;
		return 1;
	}
	if (pp_time(ev, r, swap, &time))
		time_join(first, last, time, time);
	else
		c->now.flags |= PP_CHUNK_NO_TIME;
	return sets_note(c, ev, r->raw, swap);
}

int
pp_chunker_take(struct pp_chunker *pub, const struct pp_events *events, const struct pp_rec *r, bool compressed)
{
	struct chunker *c = (struct chunker *)pub;

	if (c->round)
		round_fold(c);
	c->round = r->type == PP_FINISHED_ROUND;
	c->now.records++;
	c->now.plain += r->size + r->payload;
	if (r->payload)
		c->now.flags |= PP_CHUNK_PAYLOAD;
	if (compressed)
		c->now.flags |= PP_CHUNK_COMPRESSED;
	if (r->type != PP_SAMPLE)
		return 1;
	c->now.samples++;
	c->now.sample_bytes += r->size;
	return chunker_sample(c, events, r, events->swap, &c->w->round_first, &c->w->round_last);
}

int
pp_chunker_samples(struct pp_chunker *pub, const struct pp_events *events, const uint8_t **p, const uint8_t *end)
{
	struct chunker *c = (struct chunker *)pub;
	uint64_t first = 0, last = 0, n = 0, space = c->open && c->now.plain < c->size ? c->size - c->now.plain : 0;
	const uint8_t *at = *p, *from = at;
	int rc = 1;

	for (struct pp_rec r; rc > 0 && (uint64_t)(at - from) < space; at += r.size) {
		if (!pp_sample_size(events, at, (size_t)(end - at)))
			break;		/* no SAMPLE, or pp_next() has to judge it */
		r = pp_rec_at(at, false);
		n++;
		rc = chunker_sample(c, events, &r, false, &first, &last);
	}
	if (n && c->round)
		round_fold(c);
	time_join(&c->w->round_first, &c->w->round_last, first, last);
	c->now.records += n;
	c->now.samples += n;
	c->now.plain += (uint64_t)(at - from);
	c->now.sample_bytes += (uint64_t)(at - from);
	*p = at;
	return rc;
}

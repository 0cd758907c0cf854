/* SPDX-License-Identifier: ISC */
/* chunker.c - see chunk.h: where a chunk ends, and what is in it */
#include <sys/random.h>

#include <stdlib.h>
#include <string.h>

#include "chunk.h"
#include "record/meaning.h"
#include "record/order.h"

enum {
	TASKS_MIN = 2048, EVENTS_MAX = 1 << 16
};

struct chunker {			/* a struct pp_chunker */
	struct pp_chunk_walk *w;
	struct pp_chunk	 now;
	bool		 open;		/* there is a chunk */
	bool		 round;		/* the last record was a FINISHED_ROUND */
	uint64_t	 size;
	uint64_t	 cpus[PP_CHUNK_CPUS / 64];
	uint64_t	 events[EVENTS_MAX / 64];
	uint32_t	*task;		/* each once, in any order */
	size_t		 ntasks, captasks;	/* captasks: a power of two */
	uint32_t	*slot;		/* twice as many: open addressing; 0: free, so that task 0 is apart */
	uint64_t	 mul;		/* random and odd: a recording can't choose where its tasks fall */
	bool		 zero;		/* task 0 is noted */
};

struct pp_chunker *
pp_chunker_new(struct pp_chunk_walk *w)
{
	struct chunker *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	if (getrandom(&c->mul, sizeof c->mul, GRND_NONBLOCK) < 0)
		c->mul = (uintptr_t)c * UINT64_C(0x9e3779b97f4a7c15);
	c->mul |= 1;
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

static uint32_t *
tasks_slot(const struct chunker *c, uint32_t id)
{
	size_t mask = 2 * c->captasks - 1, i = id * c->mul >> 32 & mask;

	while (c->slot[i] && c->slot[i] != id)
		i = (i + 1) & mask;
	return &c->slot[i];
}

static int
tasks_more(struct chunker *c)
{
	size_t cap = c->captasks ? 2 * c->captasks : TASKS_MIN;
	uint32_t *task = reallocarray(c->task, cap, sizeof *task), *slot;

	if (task)
		c->task = task;
	if (!task || !(slot = calloc(2 * cap, sizeof *slot)))
		return -1;
	free(c->slot);
	c->slot = slot;
	c->captasks = cap;
	for (size_t i = 0; i < c->ntasks; i++)
		if (c->task[i])
			*tasks_slot(c, c->task[i]) = c->task[i];
	return 1;
}

static int
tasks_add(struct chunker *c, uint32_t id)
{
	if (c->ntasks == c->captasks && tasks_more(c) < 0)
		return -1;
	c->task[c->ntasks++] = id;
	if (id)
		*tasks_slot(c, id) = id;
	c->zero |= !id;
	return 1;
}

static inline int
tasks_note(struct chunker *c, uint32_t id)
{
	if (id ? c->captasks && *tasks_slot(c, id) : c->zero)
		return 1;
	return tasks_add(c, id);
}

static void
bit_set(uint64_t *set, unsigned *words, uint32_t n)
{
	if (*words < n / 64 + 1)
		*words = n / 64 + 1;
	set[n / 64] |= UINT64_C(1) << n % 64;
}

static int
sets_note(struct chunker *c, const struct pp_event *ev, const struct pp_rec *r, bool swap)
{
	uint32_t cpu, pid, tid;

	bit_set(c->events, &c->now.nevents, ev->index < EVENTS_MAX ? ev->index : EVENTS_MAX - 1);
	if (pp_cpu(ev, r, swap, &cpu))
		bit_set(c->cpus, &c->now.ncpus, cpu < PP_CHUNK_CPUS ? cpu : PP_CHUNK_CPUS - 1);
	else
		c->now.flags |= PP_CHUNK_NO_CPU;
	if (pp_pid_tid(ev, r, swap, &pid, &tid))
		return tasks_note(c, pid) < 0 ? -1 : tasks_note(c, tid);
	c->now.flags |= PP_CHUNK_NO_TASK;
	return 1;
}

static void
sets_forget(struct chunker *c)
{
	memset(c->events, 0, c->now.nevents * sizeof *c->events);
	memset(c->cpus, 0, c->now.ncpus * sizeof *c->cpus);
	if (c->slot)
		memset(c->slot, 0, 2 * c->captasks * sizeof *c->slot);
	c->ntasks = 0;
	c->zero = false;
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
	if (c->w->chunk) {
		if (c->ntasks)
			qsort(c->task, c->ntasks, sizeof *c->task, order_u32);
		now->events = c->events;
		now->cpus = c->cpus;
		now->tasks = c->task;
		now->ntasks = c->ntasks;
		rc = c->w->chunk(c->w->arg, now);
	}
	sets_forget(c);
	c->w->round_first = c->w->round_last = 0;
	c->round = false;
	return rc;
}

int
pp_chunker_cut(struct pp_chunker *pub, uint32_t file, uint64_t off)
{
	struct chunker *c = (struct chunker *)pub;
	int rc = pp_chunker_end(pub, off);

	c->now = (struct pp_chunk){ .file = file, .off = off };
	c->open = true;
	return rc;
}

static int
chunker_sample(struct chunker *c, const struct pp_events *events, const struct pp_rec *r)
{
	const struct pp_event *ev = pp_event_find(events, r, NULL);
	uint64_t time;

	c->now.samples++;
	c->now.sample_bytes += r->size;
	if (!ev) {
		c->now.flags |= PP_CHUNK_NO_EVENT | PP_CHUNK_NO_TIME | PP_CHUNK_NO_CPU | PP_CHUNK_NO_TASK;
		return 1;
	}
	if (pp_time(ev, r, events->swap, &time))
		time_join(&c->w->round_first, &c->w->round_last, time, time);
	else
		c->now.flags |= PP_CHUNK_NO_TIME;
	return c->w->sets ? sets_note(c, ev, r, events->swap) : 1;
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
	return r->type == PP_SAMPLE ? chunker_sample(c, events, r) : 1;
}

/* SPDX-License-Identifier: ISC */
/* turn.c - records in time order: what was where when a sample was taken */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "in.h"
#include "record/chain.h"

struct digest {
	uint32_t	 event, pid, tid, mode;
	uint64_t	 ip, period;
	const uint8_t	*chain;
	uint32_t	 n;		/* entries of the chain */
};

/* ---- stacks -------------------------------------------------------------------------------------- */

struct space {			/* the maps for a mode */
	unsigned	 mode;
	const struct pp_maps *maps;
	uint64_t	 version;
};

static struct space
turn_space(const struct pprof *o, uint32_t pid, unsigned mode)
{
	const struct pp_maps *maps = pp_state_maps(o->state, pid, mode);

	return (struct space){ mode, maps, maps ? pp_maps_version(maps) : 0 };
}

static uint32_t
turn_find(struct pprof *o, const struct space *s, uint64_t ip)
{
	const struct pp_map *m = s->maps ? pp_maps_find(s->maps, ip) : NULL;
	const struct pp_dso *d;
	char jit[sizeof "/tmp/perf-4294967295.map"];

	if (!m)
		return pprof_place(&o->tables, 0, ip);
	d = pp_state_dso(o->state, m);
	if (d->jit)
		snprintf(jit, sizeof jit, "/tmp/perf-%" PRIu32 ".map", d->jit);
	return pprof_place(&o->tables, pprof_map(&o->tables, m, d->jit ? jit : d->name), ip);
}

static void
turn_push(struct pprof *o, const struct space *s, uint64_t ip)
{
	uint64_t hash = (ip ^ s->version << 40) * UINT64_C(0x9e3779b97f4a7c15);
	struct known_place *k = &o->cache[hash >> (64 - PPROF_CACHE_BITS)];

	if (!k->place || k->ip != ip || k->version != s->version)
		*k = (struct known_place){ s->version, ip, turn_find(o, s, ip) };
	o->place[o->depth++] = k->place;
}

/*
 * The frames of a chain, behind those that are there.  The first one of a mode is where that was left, the others are return
 * addresses.  ip: the first frame is left out if it is this one; UINT64_MAX: none.
 */
static void
turn_push_chain(struct pprof *o, uint32_t pid, uint64_t ip, const uint8_t *p, uint32_t n)
{
	struct pp_chain c = { p, n, false, PP_MISC_USER };
	struct space s = turn_space(o, pid, c.mode);
	const uint8_t *next = NULL;	/* a frame of the same mode stands there */
	uint64_t at;

	for (; pp_chain_next(&c, &at); next = c.p + 8) {
		if (!next && at == ip)
			continue;
		if (c.mode != s.mode)
			s = turn_space(o, pid, c.mode);
		turn_push(o, &s, at - (c.p == next && at));
	}
}

/* The name of a thread, as in perf. */
static uint32_t
turn_name(struct pprof *o, uint32_t tid)
{
	const struct pp_task *task = pp_state_task(o->state, tid);
	char number[FIELD_NAMELESS];
	const char *name = task && task->comm ? pp_word_text(pp_task_comm(o->state, task)) : field_nameless(tid, number);

	return pprof_string(&o->tables, name, strlen(name));
}

static struct pprof_labels
turn_labels(struct pprof *o, uint32_t pid, uint32_t tid)
{
	struct pprof_labels l = { .pid = UINT32_MAX, .tid = UINT32_MAX };
	unsigned wanted = o->what->labels;

	if (pid == UINT32_MAX)
		return l;
	if (wanted & 1 << PPROF_COMM)
		l.comm = turn_name(o, pid);
	if (wanted & 1 << PPROF_THREAD_COMM)
		l.thread_comm = turn_name(o, tid);
	if (wanted & 1 << PPROF_PID)
		l.pid = pid;
	if (wanted & 1 << PPROF_TID)
		l.tid = tid;
	return l;
}

static struct digest
turn_digest(const uint8_t *p, size_t n)
{
	return (struct digest){ pp_get_u32(p + 4, false), pp_get_u32(p + 8, false), pp_get_u32(p + 12, false),
	    pp_get_u32(p + 16, false), pp_get_u64(p + 24, false), pp_get_u64(p + 32, false), p + PPROF_HEAD,
	    (uint32_t)((n - PPROF_HEAD) / 8) };
}

/* ---- samples ------------------------------------------------------------------------------------- */

/* Bytes of the limit that tasks and maps leave for the tables: an eighth at least. */
static size_t
turn_room(const struct pprof *o)
{
	size_t tasks = o->what->tasks ? pp_state_memory(o->state) : 0;

	return o->memory - (tasks < o->what->tasks ? tasks : o->what->tasks);
}

/* rest: the digest of the CALLCHAIN_DEFERRED that completes the sample; NULL: none. */
static int
turn_add(struct pprof *o, uint64_t time, const struct digest *d, const struct digest *rest)
{
	struct space s = turn_space(o, d->pid, d->mode);
	struct pprof_labels labels;
	struct pprof_stack *x;

	if (pprof_tables_memory(&o->tables) > turn_room(o) && pprof_next_file(o) < 0)
		return -1;
	o->depth = 0;
	if (d->ip != UINT64_MAX)
		turn_push(o, &s, d->ip);
	turn_push_chain(o, d->pid, d->ip, d->chain, d->n);
	if (rest)
		turn_push_chain(o, d->pid, UINT64_MAX, rest->chain, rest->n);
	labels = turn_labels(o, d->pid, d->tid);
	x = pprof_stack(&o->tables, o->place, o->depth, &labels, d->event);
	if (o->tables.failed)
		return pp_fail_memory(o->err);
	if (__builtin_add_overflow(x->periods, d->period, &x->periods))
		x->periods = UINT64_MAX;	/* more than a profile can hold, which is said when it is written */
	x->samples++;
	if (time && time < o->facts.first)
		o->facts.first = time;
	if (time > o->facts.last)
		o->facts.last = time;
	return 1;
}

/* ---- samples that await their user part ---------------------------------------------------------- */

static int
turn_await(struct pprof *o, uint64_t time, const uint8_t *p, size_t n, uint64_t cookie)
{
	struct awaiting *a = malloc(sizeof *a + n);

	if (!a || pp_table_add(&o->awaits, &a->link, pp_get_u32(p + 12, false)) < 0) {
		free(a);
		return pp_fail_memory(o->err);
	}
	a->cookie = cookie;
	a->time = time;
	a->n = n;
	memcpy(a->bytes, p, n);
	a->prev = o->last;
	a->next = NULL;
	*(o->last ? &o->last->next : &o->first) = a;
	o->last = a;
	o->awaiting += sizeof *a + n;
	return 1;
}

static int
turn_awaited(struct pprof *o, struct awaiting *a, const struct digest *rest)
{
	struct digest d = turn_digest(a->bytes, a->n);
	int rc = turn_add(o, a->time, &d, rest);

	o->alone += !rest;
	pp_table_remove(&o->awaits, &a->link);
	*(a->prev ? &a->prev->next : &o->first) = a->next;
	*(a->next ? &a->next->prev : &o->last) = a->prev;
	o->awaiting -= sizeof *a + a->n;
	free(a);
	return rc;
}

/* The samples that awaited this, in the order in which they came. */
static int
turn_complete(struct pprof *o, const struct digest *rest)
{
	struct link *l = pp_table_first(&o->awaits, rest->tid), *next;

	for (; l; l = next) {
		struct awaiting *a = (struct awaiting *)l;

		next = pp_table_next(l);
		if (a->cookie == rest->ip && turn_awaited(o, a, rest) < 0)
			return -1;
	}
	return 1;
}

/* The newest first: it is the first of its thread in the table. */
int
pprof_await_no_more(struct pprof *o)
{
	while (o->last)
		if (turn_awaited(o, o->last, NULL) < 0)
			return -1;
	return 1;
}

static int
turn_await_less(struct pprof *o)
{
	uint64_t alone = o->alone;
	int rc = pprof_await_no_more(o);

	o->crowded_out += o->alone - alone;
	return rc;
}

/* The cookie of the user part that the sample is still without.  False: it has all. */
static bool
turn_is_deferred(const struct digest *d, uint64_t *cookie)
{
	const uint8_t *mark = d->tid != UINT32_MAX && d->n ? pp_chain_deferred(d->chain, d->n - 1, false) : NULL;

	if (mark)
		*cookie = pp_get_u64(mark + 8, false);
	return mark;
}

int
pprof_turn(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct pprof *o = arg;
	struct digest d;
	struct pp_rec r;
	uint64_t cookie;

	if (o->full)
		return 1;
	if (pp_get_u32(p, false)) {
		r = pp_rec_at(p, o->events->swap);
		o->full = pp_state_feed(o->state, &r, 0) < 0;
		return 1;
	}
	d = turn_digest(p, n);
	if (d.event == PPROF_DEFERRED)
		return turn_complete(o, &d);
	if (!turn_is_deferred(&d, &cookie))
		return turn_add(o, time, &d, NULL);
	if (turn_await(o, time, p, n, cookie) < 0)
		return -1;
	return o->awaiting > o->what->memory / 8 ? turn_await_less(o) : 1;
}


/* SPDX-License-Identifier: ISC */
/*
 * walk.c - see walk.h
 *
 * Records wait in time order (timeline.h), samples as digests in this machine's byte order:
 *
 *	u32 0 | u32 event, or DEFERRED | u32 pid | u32 tid | u32 cpumode | u32 0 | u64 ip | u64 period | u64 callchain[]
 *
 * What is for own() waits behind the first two of these words, with OWN for the event.
 *
 * Side-band waits as it is; its type is not 0.  A sample whose user part is still to come waits once more, in `awaits', until
 * the CALLCHAIN_DEFERRED with its cookie, which is a digest with the cookie as ip.
 */
#include <stdlib.h>
#include <string.h>

#include "record/chain.h"
#include "record/event.h"
#include "record/raw.h"
#include "record/shape.h"
#include "record/total.h"
#include "set.h"
#include "state/table.h"
#include "state/timeline.h"
#include "walk.h"

enum { DIGEST_HEAD = 40 };		/* bytes of a digest before its callchain */
enum { CACHE_FIRST = 12, CACHE_LAST = 19 };	/* bits of the number of places that are remembered: up to 12 MiB */
enum { AHEAD = 4 };			/* frames whose place is fetched before their turn */
enum { OWN_HEAD = 8 };			/* bytes before what is for own() */
#define DEFERRED	UINT32_MAX
#define OWN		(UINT32_MAX - 1)

struct awaiting {
	struct link	 link;		/* by hash of tid and cookie */
	struct awaiting	*prev, *next;	/* in order of turn */
	uint64_t	 cookie, time;
	size_t		 n;
	uint8_t		 bytes[];	/* a digest */
};
struct known_place {		/* where an address was found last */
	uint64_t	 version, ip;
	uint32_t	 place;		/* 0: the slot is free */
};
struct digest {
	uint32_t	 event, pid, tid, mode;
	uint64_t	 ip, period;
	const uint8_t	*chain;
	uint32_t	 n;		/* entries of the chain */
};
struct space {			/* the maps for a mode */
	unsigned	 mode;
	const struct pp_maps *maps;
	uint64_t	 version;
};

struct walk {
	struct walk_user user;
	walk_own	*own;		/* NULL: nobody shares the turns */
	void		*own_arg;
	struct pp_err	*err;
	size_t		 memory;
	const struct pp_events *events;
	struct pp_state	*state;
	bool		 full;
	struct pp_timeline *timeline;
	struct pp_totals totals;	/* of PERF_SAMPLE_READ */
	struct { uint64_t period; unsigned event; } moved[PP_RECORD_MAX / 16];
	unsigned	 nmoved;

	struct table	 awaits;
	struct awaiting	*first, *last;
	size_t		 awaiting;	/* bytes of them */
	struct walk_losses losses;

	uint64_t	 fed;		/* records */
	struct known_place *cache;	/* by hash; at most 3/4 of it are used */
	unsigned	 cache_bits;
	uint32_t	 cached;
	uint64_t	 mul[2];	/* random: a recording cannot cause collisions */
	uint32_t	 place[2 * PP_RECORD_MAX / 8];	/* of the sample in work */
	uint32_t	 depth;
	uint8_t		 digest[DIGEST_HEAD + PP_RECORD_MAX];
};

/* ---- stacks -------------------------------------------------------------------------------------- */

static struct space
walk_space(const struct walk *w, uint32_t pid, unsigned mode)
{
	const struct pp_maps *maps = pp_state_maps(w->state, pid, mode);
	/* symbols are no maps, but change what an address is called */
	uint64_t symbols = mode == PP_MISC_KERNEL ? pp_state_fed(w->state, PP_CLASS_SYMBOL) << 40 : 0;

	return (struct space){ mode, maps, (maps ? pp_maps_version(maps) : 0) + symbols };
}

static uint32_t
walk_hash(const struct walk *w, uint64_t version, uint64_t ip)
{
	return (uint32_t)((ip * w->mul[0] + version * w->mul[1]) >> (64 - w->cache_bits));
}

/* Where that address is, or would be. */
static struct known_place *
walk_slot(const struct walk *w, uint64_t version, uint64_t ip)
{
	uint32_t at = walk_hash(w, version, ip), mask = (1u << w->cache_bits) - 1;
	struct known_place *k;

	while ((k = &w->cache[at])->place && (k->ip != ip || k->version != version))
		at = (at + 1) & mask;
	return k;
}

void
walk_forget(struct walk *w)
{
	memset(w->cache, 0, sizeof *w->cache << w->cache_bits);
	w->cached = 0;
}

/* Space for more places, or none of those so far. */
static void
walk_recall(struct walk *w)
{
	struct known_place *old = w->cache, *more = NULL;
	uint32_t n = 1u << w->cache_bits;

	if (w->cache_bits < CACHE_LAST && (sizeof *more << (w->cache_bits + 1)) <= w->memory / 4)
		more = calloc((size_t)n * 2, sizeof *more);
	if (!more) {
		walk_forget(w);
		return;
	}
	w->cache = more;
	w->cache_bits++;
	for (uint32_t i = 0; i < n; i++)
		if (old[i].place)
			*walk_slot(w, old[i].version, old[i].ip) = old[i];
	free(old);
}

static void
walk_push(struct walk *w, const struct space *s, uint64_t ip)
{
	struct known_place *k = walk_slot(w, s->version, ip);
	uint32_t place = k->place;

	if (!place) {
		place = w->user.place(w->user.arg, s->maps ? pp_maps_find(w->state, s->maps, ip) : NULL, s->mode, ip);
		*k = (struct known_place){ s->version, ip, place };
		if (++w->cached > (3u << w->cache_bits) / 4)
			walk_recall(w);
	}
	w->place[w->depth++] = place;
}

/*
 * The frames of a chain, behind those that are there.  The first one of a mode is where that was left, the others are return
 * addresses.  ip: the first frame is left out if it is this one; UINT64_MAX: none.  False: perf drops such a chain.
 */
static bool
walk_push_chain(struct walk *w, uint32_t pid, uint64_t ip, const uint8_t *p, uint32_t n)
{
	struct pp_chain c = { .p = p, .left = n, .mode = PP_MISC_USER };
	struct space s = walk_space(w, pid, c.mode);
	const uint8_t *next = NULL;	/* a frame of the same mode stands there */
	uint64_t at;

	for (; pp_chain_next(&c, &at); next = c.p + 8) {
		if (c.left > AHEAD)		/* most often it is of the same mode, and a return address */
			__builtin_prefetch(&w->cache[walk_hash(w, s.version, pp_get_u64(c.p + 8 * AHEAD, false) - 1)]);
		if (!next && at == ip)
			continue;
		if (c.mode != s.mode)
			s = walk_space(w, pid, c.mode);
		walk_push(w, &s, at - (c.p == next && at));
	}
	return !c.dropped;
}

static struct digest
digest_of(const uint8_t *p, size_t n)
{
	return (struct digest){ pp_get_u32(p + 4, false), pp_get_u32(p + 8, false), pp_get_u32(p + 12, false),
	    pp_get_u32(p + 16, false), pp_get_u64(p + 24, false), pp_get_u64(p + 32, false), p + DIGEST_HEAD,
	    (uint32_t)((n - DIGEST_HEAD) / 8) };
}

/* rest: the digest of the CALLCHAIN_DEFERRED that completes the sample; NULL: none. */
static int
walk_add(struct walk *w, uint64_t time, const struct digest *d, const struct digest *rest)
{
	bool has_ip = d->ip != UINT64_MAX;
	struct space s;

	if (w->user.begin && w->user.begin(w->user.arg) < 0)
		return -1;
	s = walk_space(w, d->pid, d->mode);
	w->depth = 0;
	if (has_ip)
		walk_push(w, &s, d->ip);
	if (!walk_push_chain(w, d->pid, d->ip, d->chain, d->n) ||
	    (rest && !walk_push_chain(w, d->pid, UINT64_MAX, rest->chain, rest->n))) {
		w->depth = has_ip;
		w->losses.dropped++;
	}
	return w->user.sample(w->user.arg, &(struct walk_sample){ time, d->period, d->event, d->pid, d->tid, w->depth, w->place });
}

/* ---- samples that await their user part ---------------------------------------------------------- */

/* Those of a thread alone may be many. */
static uint64_t
walk_await_key(const struct walk *w, uint32_t tid, uint64_t cookie)
{
	return pp_table_hash(&w->awaits, tid, (const uint8_t *)&cookie, sizeof cookie);
}

static int
walk_await(struct walk *w, uint64_t time, const uint8_t *p, size_t n, uint64_t cookie)
{
	struct awaiting *a = malloc(sizeof *a + n);

	if (!a || pp_table_add(&w->awaits, &a->link, walk_await_key(w, pp_get_u32(p + 12, false), cookie)) < 0) {
		free(a);
		return pp_fail_memory(w->err);
	}
	a->cookie = cookie;
	a->time = time;
	a->n = n;
	memcpy(a->bytes, p, n);
	a->prev = w->last;
	a->next = NULL;
	*(w->last ? &w->last->next : &w->first) = a;
	w->last = a;
	w->awaiting += sizeof *a + n;
	return 1;
}

/* It is no longer in the table. */
static int
walk_awaited(struct walk *w, struct awaiting *a, const struct digest *rest)
{
	struct digest d = digest_of(a->bytes, a->n);
	int rc = walk_add(w, a->time, &d, rest);

	w->losses.alone += !rest;
	*(a->prev ? &a->prev->next : &w->first) = a->next;
	*(a->next ? &a->next->prev : &w->last) = a->prev;
	w->awaiting -= sizeof *a + a->n;
	free(a);
	return rc;
}

/* The samples that awaited this, in the order in which they came. */
static int
walk_complete(struct walk *w, const struct digest *rest)
{
	struct link *l = pp_table_first(&w->awaits, walk_await_key(w, rest->tid, rest->ip)), *next;

	for (; l; l = next) {
		struct awaiting *a = (struct awaiting *)l;

		next = pp_table_next(l);
		if (a->cookie != rest->ip || pp_get_u32(a->bytes + 12, false) != rest->tid)
			continue;
		pp_table_remove(&w->awaits, l);
		if (walk_awaited(w, a, rest) < 0)
			return -1;
	}
	return 1;
}

static int
walk_await_no_more(struct walk *w)
{
	pp_table_free(&w->awaits, false);
	pp_table_init(&w->awaits);
	while (w->last)
		if (walk_awaited(w, w->last, NULL) < 0)
			return -1;
	return 1;
}

static int
walk_await_less(struct walk *w)
{
	uint64_t alone = w->losses.alone;
	int rc = walk_await_no_more(w);

	w->losses.crowded_out += w->losses.alone - alone;
	return rc;
}

/* The cookie of the user part that the sample is still without.  False: it has all. */
static bool
walk_is_deferred(const struct digest *d, uint64_t *cookie)
{
	const uint8_t *mark = d->tid != UINT32_MAX && d->n ? pp_chain_deferred(d->chain, d->n - 1, false) : NULL;

	if (mark)
		*cookie = pp_get_u64(mark + 8, false);
	return mark;
}

/* pp_deliver: a record or a digest in its turn. */
static int
walk_turn(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct walk *w = arg;
	struct digest d;
	struct pp_rec r;
	uint64_t cookie;

	if (w->full)
		return 1;
	if (pp_get_u32(p, false)) {
		r = pp_rec_at(p, w->events->swap);
		w->fed++;
		w->full = pp_state_feed(w->state, &r, 0) < 0;
		return 1;
	}
	if (pp_get_u32(p + 4, false) == OWN)
		return w->own(w->own_arg, time, p + OWN_HEAD);
	d = digest_of(p, n);
	if (d.event == DEFERRED)
		return walk_complete(w, &d);
	if (!walk_is_deferred(&d, &cookie))
		return walk_add(w, time, &d, NULL);
	if (walk_await(w, time, p, n, cookie) < 0)
		return -1;
	return w->awaiting > w->memory / 3 ? walk_await_less(w) : 1;
}

/* ---- as records arrive --------------------------------------------------------------------------- */

static int
walk_queue(struct walk *w, const struct pp_event *ev, const struct pp_rec *r, const void *p, size_t n)
{
	uint64_t time;

	if (!pp_time(ev, r, w->events->swap, &time))
		return walk_turn(w, 0, p, n);
	if (n > PP_RECORD_MAX)
		return w->user.reject(w->user.arg, r, "its callchain is too long");
	return pp_timeline_put(w->timeline, time, p, n);
}

/* Make w->digest, with the n entries of a chain, but without the ip and what is of samples only.  Its size. */
static size_t
walk_digest(struct walk *w, const struct pp_event *ev, const struct pp_rec *r, const uint8_t *chain, uint64_t n)
{
	bool swap = w->events->swap;
	uint32_t pid = UINT32_MAX, tid = UINT32_MAX;

	pp_pid_tid(ev, r, swap, &pid, &tid);
	memset(w->digest, 0, DIGEST_HEAD);
	pp_set_u32(w->digest + 4, DEFERRED, false);
	pp_set_u32(w->digest + 8, pid, false);
	pp_set_u32(w->digest + 12, tid, false);
	if (n && !swap)
		memcpy(w->digest + DIGEST_HEAD, chain, n * 8);
	else
		for (uint64_t i = 0; i < n; i++)
			pp_set_u64(w->digest + DIGEST_HEAD + i * 8, pp_get_u64(chain + i * 8, true), false);
	return DIGEST_HEAD + n * 8;
}

/* pp_total_change */
static int
walk_moved(void *arg, uint64_t id, uint32_t tid, uint64_t *value)
{
	struct walk *w = arg;
	struct pp_total *total = pp_total_get(&w->totals, id, tid);
	uint64_t period;

	if (!total)
		return pp_fail(w->err, "no memory for more than %u counters", w->totals.by.n);
	period = *value - total->in;
	total->in = *value;
	if (period) {
		w->moved[w->nmoved].event = pp_event_by_id(w->events, id)->index;
		w->moved[w->nmoved++].period = period;
	}
	return 1;
}

static int
walk_sample_of(struct walk *w, const struct pp_event *layout, const struct pp_rec *r, size_t n, unsigned event, uint64_t period)
{
	int rc = w->user.wants ? w->user.wants(w->user.arg, w->events->ev[event], pp_get_u32(w->digest + 8, false)) : 1;

	if (rc <= 0)
		return rc < 0 ? -1 : 1;
	pp_set_u32(w->digest + 4, event, false);
	pp_set_u64(w->digest + 32, period, false);
	return walk_queue(w, layout, r, w->digest, n);
}

static int
walk_put_sample(struct walk *w, const struct pp_rec *r)
{
	struct pp_err err = { 0 };
	const struct pp_event *ev = pp_event_find(w->events, r, &err);
	bool swap = w->events->swap;
	struct pp_part part;
	int parts;
	size_t n;

	if (!ev || (parts = pp_sample_part(&part, PP_SAMPLE_CALLCHAIN, ev, r, swap, &err)) < 0)
		return w->user.reject(w->user.arg, r, err.what);
	n = walk_digest(w, ev, r, parts ? part.p + 8 : NULL, parts ? part.n / 8 - 1 : 0);
	pp_set_u32(w->digest + 16, r->misc & PP_MISC_CPUMODE_MASK, false);
	pp_set_u64(w->digest + 24, ev->plan.ip ? pp_get_u64(r->raw + ev->plan.ip, swap) : UINT64_MAX, false);
	w->nmoved = 0;
	if (!(ev->attr.sample_type & PP_SAMPLE_READ)) {
		w->nmoved = 1;
		w->moved[0].event = ev->index;
		w->moved[0].period = ev->plan.period ? pp_get_u64(r->raw + ev->plan.period, swap) : ev->attr.sample_period;
	} else if (!pp_totals_sample(w->events, ev, r, NULL, walk_moved, w, &err)) {
		return err.what[0] ? w->user.reject(w->user.arg, r, err.what) : -1;
	}
	for (unsigned i = 0; i < w->nmoved; i++)
		if (walk_sample_of(w, ev, r, n, w->moved[i].event, w->moved[i].period) < 0)
			return -1;
	return 1;
}

int
walk_put(struct walk *w, const struct pp_rec *r)
{
	struct pp_err err = { 0 };
	const struct pp_event *ev;
	bool swap = w->events->swap;
	uint64_t time;
	size_t n;

	if (r->type == PP_SAMPLE)
		return walk_put_sample(w, r);
	ev = pp_event_find(w->events, r, &err);
	switch (r->type) {
	case PP_CALLCHAIN_DEFERRED:
		if (!ev)
			return w->user.reject(w->user.arg, r, err.what);
		n = walk_digest(w, ev, r, r->raw + PP_RAW_AT(CALLCHAIN_DEFERRED, ip),
		    PP_RAW_GET(r->raw, CALLCHAIN_DEFERRED, nr, swap));
		pp_set_u64(w->digest + 24, PP_RAW_GET(r->raw, CALLCHAIN_DEFERRED, cookie, swap), false);
		return walk_queue(w, ev, r, w->digest, n);
	case PP_MMAP:
	case PP_MMAP2:
	case PP_COMM:
	case PP_FORK:
	case PP_EXIT:
		return ev ? walk_queue(w, ev, r, r->raw, r->size) : w->user.reject(w->user.arg, r, err.what);
	case PP_KSYMBOL:
		if (ev)
			return walk_queue(w, ev, r, r->raw, r->size);
		break;
	}
	if (ev && w->own && pp_state_wants(r->type))
		return walk_queue(w, ev, r, r->raw, r->size);
	if (ev && pp_time(ev, r, swap, &time))		/* readers queue it, so it counts at the next FINISHED_ROUND */
		pp_timeline_saw(w->timeline, time);
	return 1;
}

void
walk_share(struct walk *w, walk_own *own, void *arg)
{
	w->own = own;
	w->own_arg = arg;
}

int
walk_put_own(struct walk *w, uint64_t time, const void *p, size_t n)
{
	pp_set_u32(w->digest, 0, false);
	pp_set_u32(w->digest + 4, OWN, false);
	memcpy(w->digest + OWN_HEAD, p, n);
	return pp_timeline_put(w->timeline, time, w->digest, OWN_HEAD + n);
}

int
walk_round(struct walk *w)
{
	return pp_timeline_round(w->timeline);
}

int
walk_end(struct walk *w)
{
	return pp_timeline_release(w->timeline, UINT64_MAX) < 0 ? -1 : walk_await_no_more(w);
}

/* ---- begin and end ------------------------------------------------------------------------------- */

struct walk *
walk_new(const struct walk_user *user, size_t memory, struct pp_err *err)
{
	struct walk *w = calloc(1, sizeof *w);

	if (!w) {
		pp_fail_memory(err);
		return NULL;
	}
	w->user = *user;
	w->err = err;
	w->memory = memory;
	w->totals.max = PP_TOTALS_MAX;
	pp_table_init(&w->awaits);
	w->cache_bits = CACHE_FIRST;
	w->mul[0] = pp_seed() | 1;
	w->mul[1] = pp_seed() | 1;
	if (!(w->cache = calloc(1u << CACHE_FIRST, sizeof *w->cache)))
		pp_fail_memory(err);
	else if ((w->timeline = pp_timeline_new(walk_turn, w, memory / 3 * 2, err)))
		return w;
	walk_free(w);
	return NULL;
}

void
walk_use(struct walk *w, const struct pp_events *events, struct pp_state *state)
{
	w->events = events;
	w->state = state;
}

void
walk_free(struct walk *w)
{
	struct awaiting *a;

	if (!w)
		return;
	while ((a = w->first)) {
		w->first = a->next;
		free(a);
	}
	pp_table_free(&w->awaits, false);
	pp_totals_free(&w->totals);
	pp_timeline_free(w->timeline);
	free(w->cache);
	free(w);
}

uint64_t
walk_fed(const struct walk *w)
{
	return w->fed;
}

bool
walk_full(const struct walk *w)
{
	return w->full;
}

struct walk_losses
walk_losses(const struct walk *w)
{
	struct walk_losses l = w->losses;

	l.early = pp_timeline_early(w->timeline);
	return l;
}

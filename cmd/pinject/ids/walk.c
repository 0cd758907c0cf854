/* SPDX-License-Identifier: ISC */
/*
 * walk.c - see walk.h.  A queued sample is a struct walk_head and
 *
 *	u64 callchain[n], with its markers
 *
 * (if a user wants data, the callchain is followed by addresses of data and branches, and n has UNWOUND if there is a stack)
 *
 * all in this machine's byte order.  A queued MMAP, FORK, EXIT or COMM of an exec is a copy of the record; its type is not 0.
 */
#include <stdlib.h>
#include <string.h>

#include "make/make.h"
#include "record/chain.h"
#include "record/raw.h"
#include "record/sample.h"
#include "record/shape.h"
#include "spaces.h"
#include "state/timeline.h"
#include "walk.h"

struct walk_head {
	uint32_t zero;			/* where a record has its type */
	uint32_t pid, mode, n;
	uint64_t ip;			/* of that cpumode */
};

enum {
	HEAD = sizeof(struct walk_head),
	MEMORY = 64 << 20,		/* bytes in the queue */
	USERS = 4,
};
#define UNWOUND (UINT32_C(1) << 31)

struct walk {
	struct out	 pub;
	struct tool	*t;
	const struct pp_events *events;	/* by which samples are laid out */
	struct walk_user user[USERS];
	unsigned	 users;
	bool		 records, hits, misses, by_process, each, data;	/* some user wants these */
	struct pp_state	*state;
	struct pp_timeline *timeline;
	uint64_t	 earliest;
	uint64_t	 delivered;	/* the largest time that was */
	const uint8_t	*passing;	/* the record that is being passed on */
	struct spaces	 spaces;
	uint8_t		 digest[HEAD + PP_RECORD_MAX];
};

/* ---- in time order --------------------------------------------------------------------------- */

struct walk_sample {		/* one sample, and the maps for its next addresses */
	struct walk	*w;
	struct walk_hit	 hit;
	struct space *space;	/* NULL: there are no maps */
	struct space *user;	/* that of the process, if user_known; NULL: likewise */
	bool		 user_known;
};

static void
walk_enter(struct walk_sample *s, unsigned mode)
{
	struct walk *w = s->w;

	if (mode == s->hit.mode)
		return;
	s->hit.mode = mode;
	s->space = NULL;
	if (mode == PP_MISC_KERNEL) {
		s->space = spaces_kernel(&w->spaces);
	} else if (mode == PP_MISC_USER) {
		if (!s->user_known)
			s->user = spaces_of(&w->spaces, s->hit.pid);
		s->user_known = true;
		s->space = s->user;
	}
}

bool
walk_is_anonymous(const struct pp_dso *d)
{
	return d->jit || !strncmp(d->name, "/memfd:", 7) || !strncmp(d->name, "[anon:", 6);
}

static int
walk_missed(struct walk_sample *s)
{
	struct walk *w = s->w;

	for (unsigned i = 0; i < w->users; i++)
		if (w->user[i].miss && w->user[i].miss(w->user[i].arg, &s->hit) < 0)
			return -1;
	return 1;
}

/* An address in none of the ranges of its space. */
static int
walk_address_slow(struct walk_sample *s, uint64_t ip)
{
	struct walk *w = s->w;
	const struct pp_map *m = pp_maps_find(w->state, s->space->maps, ip);
	bool missed = w->misses && (!m || walk_is_anonymous(pp_state_dso(w->state, m)));

	s->hit.addr = ip;
	s->hit.map = m;
	if (missed && walk_missed(s) < 0)
		return -1;
	if (!m)
		return 1;
	if (!missed && !w->each)
		space_learn(s->space, m);
	for (unsigned i = 0; i < w->users; i++)
		if (w->user[i].hit && w->user[i].hit(w->user[i].arg, &s->hit) < 0)
			return -1;
	return 1;
}

/* The range that was hit last; of no bytes: there is none. */
static inline struct space_range
walk_last(const struct walk_sample *s)
{
	return s->space ? s->space->range[s->space->last] : (struct space_range){ 0, 0 };
}

/* An address that is not in that range. */
static inline int
walk_search(struct walk_sample *s, uint64_t ip)
{
	struct space *space = s->space;

	if (!space)
		return 1;
	for (uint32_t i = 0; i < space->n; i++)
		if (ip - space->range[i].start < space->range[i].len) {
			space->last = (uint8_t)i;
			return 1;
		}
	return walk_address_slow(s, ip);
}

static int
walk_chain(struct walk_sample *s, const uint8_t *ips, size_t n)
{
	struct space_range last = walk_last(s);

	for (const uint8_t *end = ips + 8 * n; ips < end; ips += 8) {
		uint64_t ip = pp_get_u64(ips, false);

		if (ip - last.start < last.len)		/* as most are; no marker is in a range */
			continue;
		if (pp_is_context(ip))
			walk_enter(s, ip == PP_CONTEXT(USER_DEFERRED) ? 0 : pp_context_mode(ip));	/* a cookie is in no map */
		else if (walk_search(s, ip) < 0)
			return -1;
		last = walk_last(s);
	}
	return 1;
}

/* pp_maps_each(): as if that map were hit. */
static int
walk_each_map(void *arg, const struct pp_map *m)
{
	struct walk_sample *s = arg;
	struct walk *w = s->w;

	s->hit.addr = m->start;
	s->hit.map = m;
	for (unsigned i = 0; i < w->users; i++)
		if (w->user[i].data && w->user[i].hit && w->user[i].hit(w->user[i].arg, &s->hit) < 0)
			return -1;
	return 1;
}

static int
walk_all_maps(struct walk_sample *s)
{
	walk_enter(s, PP_MISC_USER);
	if (!s->space || s->space->all)
		return 1;
	s->space->all = true;
	return pp_maps_each(s->w->state, s->space->maps, walk_each_map, s);
}

static int
walk_record(struct walk *w, uint64_t time, const uint8_t *p)
{
	struct pp_rec r = pp_rec_at(p, w->t->in->swap);

	for (unsigned i = 0; i < w->users; i++)
		if (w->user[i].record && w->user[i].record(w->user[i].arg, time, &r) < 0)
			return -1;
	if (w->by_process && r.type == PP_FORK && PP_RAW_GET(p, FORK, pid, w->t->in->swap) != PP_RAW_GET(p, FORK, ppid, w->t->in->swap))
		spaces_begin(&w->spaces, PP_RAW_GET(p, FORK, pid, w->t->in->swap));
	w->spaces.feeds++;
	return pp_state_feed(w->state, &r, 0);
}

/* pp_deliver of the timeline */
static int
walk_turn(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct walk *w = arg;
	struct walk_sample s = { .w = w, .hit = { .time = time, .mode = ~0u } };
	struct walk_head head;

	(void)n;
	if (time > w->delivered)
		w->delivered = time;
	if (pp_get_u32(p, false) != 0)
		return walk_record(w, time, p);
	memcpy(&head, p, sizeof head);
	s.hit.pid = head.pid;
	walk_enter(&s, head.mode);
	if (walk_search(&s, head.ip) < 0)
		return -1;
	if (!head.n)
		return 1;
	walk_enter(&s, PP_MISC_USER);	/* like perf: without a marker, a chain is of user mode */
	if (walk_chain(&s, p + HEAD, head.n & ~UNWOUND) < 0)
		return -1;
	return head.n & UNWOUND ? walk_all_maps(&s) : 1;
}

/* ---- as they arrive -------------------------------------------------------------------------- */

static int
walk_round(struct walk *w, uint64_t limit)
{
	for (unsigned i = 0; i < w->users; i++)
		if (w->user[i].round && w->user[i].round(w->user[i].arg, limit) < 0)
			return -1;
	return 1;
}

/* After pp_timeline_put(), when `delivered' was w->delivered: if memory is full, some were. */
static int
walk_queued(struct walk *w, uint64_t delivered, int rc)
{
	return rc < 0 ? -1 : w->delivered == delivered ? 1 : walk_round(w, w->delivered);
}

static int
walk_queue(struct walk *w, const struct pp_event *ev, const struct pp_rec *r, const void *p, size_t n)
{
	uint64_t time, delivered = w->delivered;

	if (!pp_time(ev, r, w->t->in->swap, &time))
		return walk_turn(w, 0, p, n);
	return walk_queued(w, delivered, pp_timeline_put(w->timeline, time, p, n));
}

/* Write the head of a queued sample, and behind it n addresses of its chain. */
static inline void
walk_write(uint8_t *to, const struct walk_head *head, const uint8_t *chain, size_t n, bool swap)
{
	memcpy(to, head, sizeof *head);
	if (n && !swap)
		memcpy(to + HEAD, chain, n * 8);
	else
		for (size_t i = 0; i < n; i++)
			pp_set_u64(to + HEAD + i * 8, pp_get_u64(chain + i * 8, true), false);
}

/* Add those of n addresses, each `stride' bytes behind the last, that are (not) in the upper half: a digest is at most a record. */
static size_t
walk_add_half(struct walk *w, size_t have, const uint8_t *p, size_t n, size_t stride, bool upper)
{
	size_t begin = have;
	uint64_t ip;

	for (; n && HEAD + (have + 2) * 8 <= PP_RECORD_MAX; n--, p += stride) {
		ip = pp_get_u64(p, w->t->in->swap);
		if (!ip || ip >> 63 != upper)
			continue;
		if (have == begin)
			pp_set_u64(w->digest + HEAD + 8 * have++, upper ? PP_CONTEXT(KERNEL) : PP_CONTEXT(USER), false);
		pp_set_u64(w->digest + HEAD + 8 * have++, ip, false);
	}
	return have;
}

static size_t
walk_add_words(struct walk *w, size_t have, const uint8_t *p, size_t n, size_t stride)
{
	have = walk_add_half(w, have, p, n, stride, false);
	return walk_add_half(w, have, p, n, stride, true);
}

/* Addresses of data and branches, behind `have' entries of the callchain.  The number of all, with UNWOUND; -1: malformed. */
static int64_t
walk_add_data(struct walk *w, size_t have, const struct pp_event *ev, const struct pp_rec *r)
{
	enum { HW_INDEX = 1 << 17, BRANCH = 24 };	/* of branch_sample_type; bytes of a branch: from, to, flags */
	struct pp_part part[PP_SHAPE_STEPS];
	uint32_t unwound = 0;
	int n = pp_sample_parts(part, PP_SAMPLE_BRANCH_STACK | PP_SAMPLE_STACK_USER, ev, r, w->t->in->swap, &w->t->in_err);

	if (ev->plan.addr)
		have = walk_add_words(w, have, r->raw + ev->plan.addr, 1, 8);
	for (int i = 0; i < n; i++) {
		uint64_t count = pp_get_u64(part[i].p, w->t->in->swap);
		const uint8_t *p = part[i].p + (ev->attr.branch_sample_type & HW_INDEX ? 16 : 8);

		if (part[i].bit == PP_SAMPLE_STACK_USER) {
			unwound = count ? UNWOUND : 0;
		} else if (count) {
			have = walk_add_words(w, have, p, count, BRANCH);
			have = walk_add_words(w, have, p + 8, count, BRANCH);
		}
	}
	return n < 0 ? -1 : (int64_t)(have | unwound);
}

/* Queue a sample of that head and chain. */
static int
walk_queue_chain(struct walk *w, const struct pp_event *ev, const struct pp_rec *r, const struct walk_head *head, const uint8_t *chain)
{
	uint64_t time, delivered = w->delivered;
	bool swap = w->t->in->swap;
	size_t n = HEAD + 8 * (size_t)head->n;
	uint8_t *to;

	if (!pp_time(ev, r, swap, &time)) {
		walk_write(w->digest, head, chain, head->n, swap);
		return walk_turn(w, 0, w->digest, n);
	}
	if (!(to = pp_timeline_space(w->timeline, time, n)))
		return -1;
	walk_write(to, head, chain, head->n, swap);
	return walk_queued(w, delivered, pp_timeline_written(w->timeline, time, n));
}

static int
walk_queue_sample(struct walk *w, const struct pp_event *ev, const struct pp_rec *r)
{
	struct walk_head head = { .pid = UINT32_MAX, .mode = r->misc & PP_MISC_CPUMODE_MASK };
	struct pp_part chain = { NULL, 0, 0 };
	bool swap = w->t->in->swap;
	const uint8_t *ips = NULL;
	int64_t n;

	if (ev->attr.sample_type & PP_SAMPLE_CALLCHAIN && pp_sample_part(&chain, PP_SAMPLE_CALLCHAIN, ev, r, swap, &w->t->in_err) < 0)
		return -1;
	if (chain.n) {
		ips = chain.p + 8;
		head.n = chain.n / 8 - 1;
	}
	if (ev->plan.tid)
		head.pid = pp_get_u32(r->raw + ev->plan.tid, swap);
	if (ev->plan.ip)
		head.ip = pp_get_u64(r->raw + ev->plan.ip, swap);
	else
		head.mode = 0;
	if (!w->data)
		return walk_queue_chain(w, ev, r, &head, ips);
	walk_write(w->digest, &head, ips, head.n, swap);
	if ((n = walk_add_data(w, head.n, ev, r)) < 0)
		return -1;
	head.n = (uint32_t)n;
	memcpy(w->digest, &head, sizeof head);
	return walk_queue(w, ev, r, w->digest, HEAD + 8 * (size_t)(head.n & ~UNWOUND));
}

/* CALLCHAIN_DEFERRED, the user part of an earlier chain: header, cookie, u64 n, n addresses, trailer */
static int
walk_queue_deferred(struct walk *w, const struct pp_event *ev, const struct pp_rec *r)
{
	struct walk_head head = { .pid = UINT32_MAX };
	bool swap = w->t->in->swap;
	uint32_t tid;

	if (pp_check(r, swap, &w->t->in_err) < 0)
		return -1;
	pp_pid_tid(ev, r, swap, &head.pid, &tid);
	head.n = (uint32_t)PP_RAW_GET(r->raw, CALLCHAIN_DEFERRED, nr, swap);
	return walk_queue_chain(w, ev, r, &head, r->raw + PP_RAW_AT(CALLCHAIN_DEFERRED, ip));
}

/* A record that is not queued here, but by readers: they may deliver more at the next FINISHED_ROUND. */
static int
walk_other(struct walk *w, const struct pp_rec *r)
{
	const struct pp_event *ev = r->type < PP_USER_TYPE_START ? pp_event_find(w->events, r, NULL) : NULL;
	uint64_t time;

	if (ev && pp_time(ev, r, w->t->in->swap, &time))
		pp_timeline_saw(w->timeline, time);
	return 1;
}

static int
walk_take(struct walk *w, const struct pp_rec *r)
{
	const struct pp_event *ev;

	switch (r->type) {
	case PP_SAMPLE:
	case PP_CALLCHAIN_DEFERRED:
		if (!w->hits)
			return walk_other(w, r);
		if (!(ev = pp_event_find(w->events, r, &w->t->in_err)))
			return -1;
		return r->type == PP_SAMPLE ? walk_queue_sample(w, ev, r) : walk_queue_deferred(w, ev, r);
	case PP_COMM:
		if (!w->records || !(r->misc & PP_MISC_COMM_EXEC))
			break;
		/* fallthrough */
	case PP_MMAP:
	case PP_MMAP2:
	case PP_FORK:
	case PP_EXIT:
		if (pp_check(r, w->t->in->swap, &w->t->in_err) < 0 ||
		    !(ev = pp_event_find(w->events, r, &w->t->in_err)))
			return -1;
		return walk_queue(w, ev, r, r->raw, r->size);
	}
	return walk_other(w, r);
}

static int
walk_marker(struct walk *w, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	uint64_t limit = pp_timeline_limit(w->timeline);

	if (pp_timeline_round(w->timeline) < 0 || walk_round(w, limit) < 0 || w->pub.next->put(w->pub.next, in, r, stable) < 0)
		return -1;
	w->earliest = limit;
	return 1;
}

static int
walk_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct walk *w = (struct walk *)o;
	struct out *to = r->type == PP_SAMPLE ? out_for_sample(o->next) : o->next;

	if (r->type == PP_FINISHED_ROUND)
		return walk_marker(w, in, r, stable);
	if (walk_take(w, r) < 0)
		return w->t->in_err.what[0] ? pp_reject(in, r) : -1;
	w->passing = r->raw;
	return to->put(to, in, r, stable);
}

static int
walk_finish(struct out *o)
{
	struct walk *w = (struct walk *)o;
	struct out *next = o->next;
	int rc = 1;

	w->passing = NULL;
	if (pp_timeline_release(w->timeline, UINT64_MAX) < 0 || walk_round(w, UINT64_MAX) < 0)
		rc = -1;
	if (next->finish(next) < 0)
		rc = -1;
	pp_timeline_free(w->timeline);
	pp_state_free(w->state);
	spaces_free(&w->spaces);
	free(w);
	return rc;
}

/* ---- for its users --------------------------------------------------------------------------- */

struct walk *
walk_new(struct tool *t, const struct pp_events *events)
{
	struct walk *w = tool_alloc(1, sizeof *w);

	w->pub = (struct out){ .put = walk_put, .finish = walk_finish };
	w->t = t;
	w->events = events;
	w->state = pp_state_new(t->in->swap, &t->in_err);
	w->timeline = pp_timeline_new(walk_turn, w, MEMORY, &t->in_err);
	if (!w->state || !w->timeline) {
		tool_say(t, &t->in_err);
		exit(1);
	}
	spaces_init(&w->spaces, w->state);
	return w;
}

struct out *
walk_stage(struct walk *w, struct out *next)
{
	w->pub.next = next;
	return &w->pub;
}

void
walk_add(struct walk *w, const struct walk_user *user)
{
	w->user[w->users++] = *user;
	w->records |= user->record != NULL;
	w->hits |= user->hit || user->miss;
	w->misses |= user->miss != NULL;
	w->by_process |= user->by_process;
	w->each |= user->each;
	w->data |= user->data;
}

struct pp_state *
walk_state(struct walk *w)
{
	return w->state;
}

static int
walk_is_alive(void *arg, struct pp_task *t)
{
	return t->ended || t->tid == *(const uint32_t *)arg ? 1 : -1;
}

bool
walk_is_last(const struct walk *w, const struct pp_rec *exit)
{
	uint32_t pid = PP_RAW_GET(exit->raw, EXIT, pid, w->t->in->swap), tid = PP_RAW_GET(exit->raw, EXIT, tid, w->t->in->swap);
	const struct pp_process *tasks = pp_state_process(w->state, pid);

	return !tasks || pp_state_each_task(w->state, tasks, walk_is_alive, &tid) > 0;
}

uint64_t
walk_earliest(const struct walk *w)
{
	return w->earliest;
}

uint64_t
walk_limit(const struct walk *w)
{
	return pp_timeline_limit(w->timeline);
}

bool
walk_passes(const struct walk *w, const struct pp_rec *r)
{
	return r->raw == w->passing;
}

struct pp_text
walk_trailer(const struct walk *w, uint8_t *buf, uint32_t pid, uint32_t tid, uint64_t time)
{
	enum { MAPS = 1 << 8 | 1 << 23 };	/* attr.flags: mmap, mmap2 */
	const struct pp_events *e = w->events;
	const struct pp_event *ev = e->ev[0];
	uint64_t id;

	for (unsigned i = e->n; i--; )
		if (e->ev[i]->attr.flags & MAPS)
			ev = e->ev[i];
	id = ev->nids ? ev->ids[0] : 0;
	return pp_trailer_put(buf, ev, &(struct pp_trailer){ .pid = pid, .tid = tid, .time = time, .id = id, .stream_id = id },
	    w->t->in->swap);
}

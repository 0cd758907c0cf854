/* SPDX-License-Identifier: ISC */
/*
 * interval.c - see interval.h.  Open intervals are a ring, by their number: time / every.  What each has of samples by thread, and by
 * the keys of --sort, is in ring.h.
 */
#include <stdlib.h>
#include <string.h>

#include "live/interval.h"
#include "live/ring.h"
#include "record/raw.h"
#include "sort/sort.h"

enum { FIRST_ROUND = 16 << 20 };	/* bytes; what perf's buffers of 32 CPUs hold */

struct open {
	uint64_t records, bytes, samples, lost, lost_samples, throttled, late, disorder;
	uint64_t rest;			/* samples whose keys have no row, as there were too many */
	uint32_t rest_hist;		/* their histogram */
	bool	 rough;			/* so do some samples' threads */
};
/* While an interval is summed up: of a thread, then of a comm or a process. */
struct sum { uint64_t key, samples; };

struct intervals {
	struct counts	*c;
	uint64_t	 every;
	interval_done	*done;
	void		*arg;
	struct open	 open[RING_INTERVALS];
	bool		 begun;		/* a record with a time was seen: `last' is known */
	uint64_t	 next, last;	/* number of the first that is not closed; of the newest */
	bool		 some;		/* an interval was done */
	uint64_t	 empty;		/* since then */
	uint64_t	 newest;	/* time */
	uint64_t	 number, since, until;	/* of the last record with a time: its interval, which has these times */
	struct ring	 threads;
	struct ring_row	*same;		/* of the last sample; NULL: it may be another one's now */
	struct sum	*sum;
	/* --sort; NULL: the lines have no keys */
	struct sort	*sort;
	struct ring	 keys;
	struct row	*row;
	size_t		 cap;
	struct interval	 now;
};

/* ---- the end of an interval -------------------------------------------------------------------------- */

static int
by_key(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static int
by_samples(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	return x->samples != y->samples ? (x->samples < y->samples ? 1 : -1) : by_key(a, b);
}

/* Sums of the same key become one; the largest first.  How many. */
static size_t
interval_add_up(struct sum *s, size_t n)
{
	size_t to = 0;

	qsort(s, n, sizeof *s, by_key);
	for (size_t i = 0; i < n; i++)
		if (to && s[to - 1].key == s[i].key)
			s[to - 1].samples += s[i].samples;
		else
			s[to++] = s[i];
	qsort(s, to, sizeof *s, by_samples);
	return to;
}

/* A thread without a name is a comm of its own, as perf prints it: ":tid". */
static uint64_t
interval_comm(struct tasks *t, uint64_t key, uint64_t last)
{
	uint32_t name = tasks_name_at(t, key, last);

	return (uint64_t)name << 32 | (name == NAME_UNKNOWN ? (uint32_t)key : 0);
}

static void
interval_name(const struct tasks *t, uint64_t comm, char to[INTERVAL_NAME])
{
	struct task_row r = { .name = (uint32_t)(comm >> 32), .tid = (uint32_t)comm };
	const char *name;
	char buf[16];

	name = tasks_name(t, &r, buf);
	snprintf(to, INTERVAL_NAME, "%s", name ? name : "(other)");
}

static void
interval_tops(struct intervals *v, uint64_t number)
{
	struct tasks *t = &v->c->tasks;
	size_t n = 0;

	for (const struct ring_row *r = ring_first(&v->threads, number); r; r = ring_next(&v->threads, r))
		v->sum[n++] = (struct sum){ interval_comm(t, r->key[0], r->last), r->samples };
	n = interval_add_up(v->sum, n);
	v->now.ncomms = n < INTERVAL_TOPS ? (unsigned)n : INTERVAL_TOPS;
	for (unsigned i = 0; i < v->now.ncomms; i++) {
		interval_name(t, v->sum[i].key, v->now.comm[i].name);
		v->now.comm[i].samples = v->sum[i].samples;
	}
	n = 0;
	for (const struct ring_row *r = ring_first(&v->threads, number); r; r = ring_next(&v->threads, r))
		v->sum[n++] = (struct sum){ r->key[0] >> 32, r->samples };
	n = interval_add_up(v->sum, n);
	v->now.nprocesses = n < INTERVAL_TOPS ? (unsigned)n : INTERVAL_TOPS;
	for (unsigned i = 0; i < v->now.nprocesses; i++) {
		uint32_t pid = (uint32_t)v->sum[i].key;

		interval_name(t, interval_comm(t, tasks_key(pid, pid), v->newest), v->now.process[i].name);
		v->now.process[i].pid = pid;
		v->now.process[i].samples = v->sum[i].samples;
	}
}

/* Its samples by the keys of --sort. */
static void
interval_sorted(struct intervals *v, uint64_t number)
{
	uint32_t n = 0;

	for (const struct ring_row *r = ring_first(&v->keys, number); r; r = ring_next(&v->keys, r)) {
		v->row = tool_need(array_reach(v->row, &v->cap, n, sizeof *v->row));
		v->row[n] = (struct row){ .n.samples = r->samples, .n.period = r->period, .hist = r->hist };
		memcpy(v->row[n++].key, r->key, sizeof r->key);
	}
	sort_rows(v->sort, v->row, n);
	v->now.row = v->row;
	v->now.nrows = n;
	v->now.rest = v->open[number % RING_INTERVALS].rest;
	v->now.hists = v->keys.hists;
	v->now.rest_hist = v->open[number % RING_INTERVALS].rest_hist;
}

static void
interval_close(struct intervals *v, uint64_t number)
{
	struct open *o = &v->open[number % RING_INTERVALS];

	if (!o->records && !ring_first(&v->keys, number)) {
		v->empty += v->some;
		return;
	}
	v->now = (struct interval){ .timed = v->newest != 0, .start = number * v->every, .empty = v->empty, .records = o->records, .bytes = o->bytes,
	    .samples = o->samples, .lost = o->lost, .lost_samples = o->lost_samples, .throttled = o->throttled, .late = o->late,
	    .disorder = o->disorder, .exact = !o->rough && !o->rest && !(v->keys.hists && hists_over(v->keys.hists)) };
	interval_tops(v, number);
	ring_drop(&v->threads, number);
	v->same = NULL;
	if (v->sort)
		interval_sorted(v, number);
	v->some = true;
	v->empty = 0;
	v->done(v->arg, &v->now);
	if (v->sort)
		ring_drop(&v->keys, number);
	if (v->keys.hists)
		hists_drop(v->keys.hists, o->rest_hist);
	*o = (struct open){ .records = 0 };
}

static uint64_t
interval_oldest(const struct intervals *v)
{
	uint64_t oldest = v->last < RING_INTERVALS ? 0 : v->last - RING_INTERVALS + 1;

	return oldest > v->next ? oldest : v->next;
}

/* Close all below that number.  Was there one that had records? */
static bool
interval_pass(struct intervals *v, uint64_t number)
{
	uint64_t i = interval_oldest(v);
	bool any = false;

	if (!v->begun || number <= v->next)
		return false;
	for (; i < number && i <= v->last; i++) {
		any |= v->open[i % RING_INTERVALS].records != 0;
		interval_close(v, i);
	}
	if (v->some && i < number)
		v->empty += number - i;
	v->next = number;
	if (v->last < number)
		v->last = number;
	return any;
}

/* The intervals below that number have passed: but it is less if samples of some still wait for their keys. */
static uint64_t
interval_settled(const struct intervals *v, uint64_t number)
{
	uint64_t settled = v->sort ? sort_settled(v->sort) : UINT64_MAX;

	return settled == UINT64_MAX || (settled + 1) / v->every > number ? number : (settled + 1) / v->every;
}

/* ---- records ----------------------------------------------------------------------------------------- */

/* The newest record is in this interval. */
static void
interval_advance(struct intervals *v, uint64_t number)
{
	if (!v->begun) {		/* what came before had no time */
		struct open before = v->open[0];

		v->open[0] = (struct open){ .records = 0 };
		v->open[number % RING_INTERVALS] = before;
		ring_move(&v->threads, 0, number);
		ring_move(&v->keys, 0, number);
		v->begun = true;
		v->same = NULL;
		v->last = number;
		return;
	}
	if (number >= RING_INTERVALS)
		interval_pass(v, number - RING_INTERVALS + 1);
	if (!v->c->order.rounds && v->c->bytes > FIRST_ROUND)
		interval_pass(v, interval_settled(v, number - 1));
	v->last = number;
}

/* The number of the interval that a record of that time counts in. */
static inline uint64_t
interval_number(struct intervals *v, uint64_t time, bool *late)
{
	if (time - v->since >= v->until - v->since) {
		v->number = time / v->every;
		v->since = v->number * v->every;
		v->until = v->since + v->every;
	}
	if (!v->begun || v->number > v->last)
		interval_advance(v, v->number);
	*late = v->number < interval_oldest(v);
	return *late ? v->last : v->number;
}

static void
interval_sample(struct intervals *v, struct open *o, uint64_t number)
{
	uint64_t n = v->c->seen.event->read ? v->c->nmoved : 1;
	const uint64_t key[ROWS_KEYS] = { v->c->seen.key };

	o->samples += n;
	if (!n)
		return;
	if ((!v->same || v->same->key[0] != key[0] || v->same->number != number) && !(v->same = ring_row(&v->threads, number, key))) {
		o->rough = true;
		return;
	}
	v->same->samples += n;
	if (v->c->seen.time > v->same->last)
		v->same->last = v->c->seen.time;
}

/* sort_seen_fn: the keys of a sample, which may be one of an interval that is closed */
static void
interval_keys(void *arg, const uint64_t key[ROWS_KEYS], uint64_t time, uint64_t period)
{
	struct intervals *v = arg;
	bool late;
	uint64_t number = time ? interval_number(v, time, &late) : v->begun ? v->last : 0;
	struct ring_row *r = ring_row(&v->keys, number, key);

	if (r) {
		r->samples++;
		r->period += period;
	} else
		v->open[number % RING_INTERVALS].rest++;
	if (v->keys.hists)
		hists_add(v->keys.hists, r ? &r->hist : &v->open[number % RING_INTERVALS].rest_hist, period, 1);
}

/* sort_keep_fn */
static void
interval_keep(void *arg, const struct sort *s)
{
	const struct intervals *v = arg;

	for (uint64_t i = 0; i < RING_INTERVALS; i++)
		for (const struct ring_row *r = ring_first(&v->keys, i); r; r = ring_next(&v->keys, r))
			sort_keep(s, r->key);
}

/* The time of a record that has been counted; 0: it has none. */
static inline uint64_t
interval_time(const struct intervals *v, const struct pp_rec *r)
{
	const struct pp_source *in = v->c->tool->in;
	const struct pp_event *ev;
	uint64_t time;

	if (r->type == PP_SAMPLE)
		return v->c->seen.time;
	if (r->type >= PP_USER_TYPE_START || !pp_type_name(r->type) || !(ev = pp_event_find(in->events, r, NULL)) ||
	    pp_time(ev, r, in->swap, &time) <= 0)
		return 0;
	return time;
}


int
intervals_record(void *arg, const struct pp_rec *r, bool sound)
{
	struct intervals *v = arg;
	bool swap = v->c->tool->in->swap, late = false;
	uint64_t time, number;
	struct open *o;

	if (!sound || (r->type == PP_HEADER_FEATURE && r->payload))	/* as count.c counts records */
		return sound;
	time = interval_time(v, r);
	number = time ? interval_number(v, time, &late) : v->begun ? v->last : 0;
	o = &v->open[number % RING_INTERVALS];
	o->records++;
	o->bytes += r->size + r->payload;
	o->late += late;
	if (time > v->newest)
		v->newest = time;
	else if (time && v->newest - time > o->disorder)
		o->disorder = v->newest - time;
	switch (r->type) {
	case PP_SAMPLE:
		interval_sample(v, o, number);
		break;
	case PP_LOST:
		o->lost += PP_RAW_GET(r->raw, LOST, lost, swap);
		break;
	case PP_LOST_SAMPLES:
		if (!count_is_filtered(r))
			o->lost_samples += PP_RAW_GET(r->raw, LOST_SAMPLES, lost, swap);
		break;
	case PP_THROTTLE:
		o->throttled++;
		break;
	case PP_FINISHED_ROUND:
		interval_pass(v, interval_settled(v, (v->c->order.flushed + 1) / v->every));
		break;
	}
	return 1;
}

/* ---- begin and end ----------------------------------------------------------------------------------- */

struct intervals *
intervals_new(struct counts *c, uint64_t every, struct sort *sort, interval_done *done, void *arg)
{
	struct intervals *v = tool_alloc(1, sizeof *v);

	v->c = c;
	v->every = every;
	v->done = done;
	v->arg = arg;
	ring_init(&v->threads);
	v->sum = tool_alloc(RING_ROWS, sizeof *v->sum);
	if (sort) {
		v->sort = sort;
		ring_init(&v->keys);
		v->keys.hists = sort_has_figures(sort) ? hists_new() : NULL;
		sort_watch(sort, interval_keys, interval_keep, v);
	}
	return v;
}

bool
intervals_idle(struct intervals *v)
{
	return v->begun && interval_pass(v, interval_settled(v, v->last));
}

void
intervals_end(struct intervals *v)
{
	v->begun |= v->open[0].records != 0;	/* no record has a time: all are one interval */
	if (v->begun)
		interval_pass(v, v->last + 1);
}

void
intervals_free(struct intervals *v)
{
	if (!v)
		return;
	ring_free(&v->threads);
	ring_free(&v->keys);
	free(v->sum);
	free(v->row);
	free(v);
}

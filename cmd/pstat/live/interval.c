/* SPDX-License-Identifier: ISC */
/*
 * interval.c - see interval.h.  Open intervals are a ring, by their number: time / every.  Samples of each thread are counted
 * per interval in rows, which are in a hash table, and in a list of their interval.
 */
#include <stdlib.h>
#include <string.h>

#include "live/interval.h"
#include "record/raw.h"

enum {
	INTERVALS_OPEN = 1024,		/* powers of 2 */
	ROWS = 64 << 10,		/* threads in all open intervals */
	FIRST_ROUND = 16 << 20,		/* bytes; what perf's buffers of 32 CPUs hold */
};

struct row {
	uint64_t key;			/* of the thread: tasks_key() */
	uint64_t number;		/* of the interval */
	uint64_t samples, last;		/* time of the newest */
	uint32_t in_slot, in_open;	/* the next row of both lists; 0: none */
};
struct open {
	uint64_t records, bytes, samples, lost, lost_samples, throttled, late, disorder;
	uint32_t rows;			/* the first; 0: none */
	bool	 rough;
};
/* While an interval is summed up: of a thread, then of a comm or a process. */
struct sum { uint64_t key, samples; };

struct intervals {
	struct counts	*c;
	uint64_t	 every;
	interval_done	*done;
	void		*arg;
	struct open	 open[INTERVALS_OPEN];
	bool		 begun;		/* a record with a time was seen: `last' is known */
	uint64_t	 next, last;	/* number of the first that is not closed; of the newest */
	bool		 some;		/* an interval was done */
	uint64_t	 empty;		/* since then */
	uint64_t	 newest;	/* time */
	uint64_t	 number, since, until;	/* of the last record with a time: its interval, which has these times */
	struct row	*same;		/* of the last sample; NULL: it may be another one's now */
	struct row	*row;		/* [0] is not used */
	uint32_t	 used, spare;	/* rows in use at some time; the first free one */
	uint32_t	 slot[ROWS];
	struct sum	*sum;
	struct interval	 now;
};

/* ---- rows of threads ------------------------------------------------------------------------------- */

static uint32_t *
interval_slot(struct intervals *v, uint64_t number, uint64_t key)
{
	uint64_t x = (key ^ number << 17 ^ v->c->tasks.k[0]) * v->c->tasks.k[1];

	x = (x ^ x >> 32) * v->c->tasks.k[1];
	return &v->slot[(x >> 32) % ROWS];
}

/* The row of the thread in the interval; NULL: there are too many. */
static struct row *
interval_row(struct intervals *v, uint64_t number, uint64_t key)
{
	uint32_t *slot = interval_slot(v, number, key), i;
	struct open *o = &v->open[number % INTERVALS_OPEN];

	for (i = *slot; i; i = v->row[i].in_slot)
		if (v->row[i].key == key && v->row[i].number == number)
			return &v->row[i];
	if ((i = v->spare))
		v->spare = v->row[i].in_open;
	else if (v->used < ROWS)
		i = v->used++;
	else
		return NULL;
	v->row[i] = (struct row){ .key = key, .number = number, .in_slot = *slot, .in_open = o->rows };
	*slot = o->rows = i;
	return &v->row[i];
}

static void
interval_free_rows(struct intervals *v, struct open *o)
{
	uint32_t next;

	for (uint32_t i = o->rows; i; i = next) {
		uint32_t *at = interval_slot(v, v->row[i].number, v->row[i].key);

		while (*at != i)
			at = &v->row[*at].in_slot;
		*at = v->row[i].in_slot;
		next = v->row[i].in_open;
		v->row[i].in_open = v->spare;
		v->spare = i;
	}
}

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
interval_comm(struct tasks *t, const struct row *r)
{
	uint32_t name = tasks_name_at(t, r->key, r->last);

	return (uint64_t)name << 32 | (name == NAME_UNKNOWN ? (uint32_t)r->key : 0);
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
interval_tops(struct intervals *v, const struct open *o)
{
	struct tasks *t = &v->c->tasks;
	size_t n = 0;

	for (uint32_t i = o->rows; i; i = v->row[i].in_open)
		v->sum[n++] = (struct sum){ interval_comm(t, &v->row[i]), v->row[i].samples };
	n = interval_add_up(v->sum, n);
	v->now.ncomms = n < INTERVAL_TOPS ? (unsigned)n : INTERVAL_TOPS;
	for (unsigned i = 0; i < v->now.ncomms; i++) {
		interval_name(t, v->sum[i].key, v->now.comm[i].name);
		v->now.comm[i].samples = v->sum[i].samples;
	}
	n = 0;
	for (uint32_t i = o->rows; i; i = v->row[i].in_open)
		v->sum[n++] = (struct sum){ v->row[i].key >> 32, v->row[i].samples };
	n = interval_add_up(v->sum, n);
	v->now.nprocesses = n < INTERVAL_TOPS ? (unsigned)n : INTERVAL_TOPS;
	for (unsigned i = 0; i < v->now.nprocesses; i++) {
		uint32_t pid = (uint32_t)v->sum[i].key;
		struct row first = { .key = tasks_key(pid, pid), .last = v->newest };

		interval_name(t, interval_comm(t, &first), v->now.process[i].name);
		v->now.process[i].pid = pid;
		v->now.process[i].samples = v->sum[i].samples;
	}
}

static void
interval_close(struct intervals *v, uint64_t number)
{
	struct open *o = &v->open[number % INTERVALS_OPEN];

	if (!o->records) {
		v->empty += v->some;
		return;
	}
	v->now = (struct interval){ .timed = v->newest != 0, .start = number * v->every, .empty = v->empty, .records = o->records, .bytes = o->bytes,
	    .samples = o->samples, .lost = o->lost, .lost_samples = o->lost_samples, .throttled = o->throttled, .late = o->late,
	    .disorder = o->disorder, .exact = !o->rough };
	interval_tops(v, o);
	interval_free_rows(v, o);
	v->same = NULL;
	*o = (struct open){ .rows = 0 };
	v->some = true;
	v->empty = 0;
	v->done(v->arg, &v->now);
}

static uint64_t
interval_oldest(const struct intervals *v)
{
	uint64_t oldest = v->last < INTERVALS_OPEN ? 0 : v->last - INTERVALS_OPEN + 1;

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
		any |= v->open[i % INTERVALS_OPEN].records != 0;
		interval_close(v, i);
	}
	if (v->some && i < number)
		v->empty += number - i;
	v->next = number;
	if (v->last < number)
		v->last = number;
	return any;
}

/* ---- records ----------------------------------------------------------------------------------------- */

/* The newest record is in this interval. */
static void
interval_advance(struct intervals *v, uint64_t number)
{
	if (!v->begun) {		/* what came before had no time */
		struct open before = v->open[0];

		v->open[0] = (struct open){ .rows = 0 };
		v->open[number % INTERVALS_OPEN] = before;
		for (uint32_t i = before.rows; i; i = v->row[i].in_open) {
			uint32_t *at = interval_slot(v, 0, v->row[i].key);

			while (*at != i)
				at = &v->row[*at].in_slot;
			*at = v->row[i].in_slot;
			v->row[i].number = number;
			at = interval_slot(v, number, v->row[i].key);
			v->row[i].in_slot = *at;
			*at = i;
		}
		v->begun = true;
		v->same = NULL;
		v->last = number;
		return;
	}
	if (number >= INTERVALS_OPEN)
		interval_pass(v, number - INTERVALS_OPEN + 1);
	if (!v->c->order.rounds && v->c->bytes > FIRST_ROUND)
		interval_pass(v, number - 1);
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
	uint64_t n = v->c->seen.event->read ? v->c->nmoved : 1, key = v->c->seen.key;

	o->samples += n;
	if (!n)
		return;
	if ((!v->same || v->same->key != key || v->same->number != number) && !(v->same = interval_row(v, number, key))) {
		o->rough = true;
		return;
	}
	v->same->samples += n;
	if (v->c->seen.time > v->same->last)
		v->same->last = v->c->seen.time;
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
	o = &v->open[number % INTERVALS_OPEN];
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
		interval_pass(v, (v->c->order.flushed + 1) / v->every);
		break;
	}
	return 1;
}

/* ---- begin and end ----------------------------------------------------------------------------------- */

struct intervals *
intervals_new(struct counts *c, uint64_t every, interval_done *done, void *arg)
{
	struct intervals *v = tool_alloc(1, sizeof *v);

	v->c = c;
	v->every = every;
	v->done = done;
	v->arg = arg;
	v->used = 1;
	v->row = tool_alloc(ROWS, sizeof *v->row);
	v->sum = tool_alloc(ROWS, sizeof *v->sum);
	return v;
}

bool
intervals_idle(struct intervals *v)
{
	return v->begun && interval_pass(v, v->last);
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
	free(v->row);
	free(v->sum);
	free(v);
}

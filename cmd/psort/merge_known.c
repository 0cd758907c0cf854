/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "merge_known.h"
#include "record/meaning.h"
#include "record/raw.h"
#include "set.h"

enum { SEEN_MAX = 64, SEEN_BYTES = 64 << 10 };	/* records of one time; duplicates beyond that are not found */
enum { RUN_MAX = 64 << 20 };			/* bytes of a run of records without a time; no more are compared */

struct seen {
	unsigned	 input;
	uint16_t	 size;
	size_t		 at;
};

struct all {
	struct known	 pub;
	struct pp_err	*err;
	struct pp_state	*state;
	int64_t		 first;		/* the input with the first record about the state; -1: none */
	uint64_t	 time;		/* of the records in `seen' */
	struct seen	 seen[SEEN_MAX];
	unsigned	 nseen;
	size_t		 used;
	uint8_t		 bytes[SEEN_BYTES];
	/* Records without a time about the state, since the last one with a time: of the first input that has some. */
	struct {
		uint8_t		*p;
		size_t		 n, cap;
		unsigned	 of;
		uint64_t	 number;	/* of runs */
	}		 run;
	struct follower { uint64_t run; size_t at; } *follower;	/* of each input: how much of that run it has had, too */
	struct pp_totals out;		/* `out': the last value written */
	struct pp_totals *in;		/* of each input; `in': its last value */
};

struct change {
	struct all	*k;
	unsigned	 input;
};

static int
change(void *arg, uint64_t id, uint32_t tid, uint64_t *value)
{
	const struct change *c = arg;
	struct pp_total *in = pp_total_get(&c->k->in[c->input], id, tid), *out = pp_total_get(&c->k->out, id, tid);

	if (!in || !out)
		return pp_fail(c->k->err, "READ values of more than %u counters do not fit in memory", c->k->out.by.n);
	out->out += *value - in->in;
	in->in = *value;
	*value = out->out;
	return 1;
}

static int
take_sample(struct all *k, unsigned input, const struct pp_rec *r)
{
	const struct pp_event *ev = k->pub.events->reads ? pp_event_find(k->pub.events, r, NULL) : NULL;
	struct change c = { k, input };

	if (!ev || !(ev->attr.sample_type & PP_SAMPLE_READ))
		return 1;
	pp_totals_sample(k->pub.events, ev, r, (uint8_t *)(uintptr_t)r->raw, change, &c, NULL);
	return k->err->what[0] ? -1 : 1;
}

/* Has another input had the same record at the same time, and this one none since then that could have undone it? */
static bool
was_seen(struct all *k, unsigned input, const struct pp_rec *r, uint64_t time)
{
	if (time != k->time)
		k->used = k->nseen = 0;
	k->time = time;
	for (unsigned i = k->nseen; i-- && k->seen[i].input != input;)
		if (k->seen[i].size == r->size && !memcmp(k->bytes + k->seen[i].at, r->raw, r->size))
			return true;
	if (k->nseen < SEEN_MAX && r->size <= SEEN_BYTES - k->used) {
		memcpy(k->bytes + k->used, r->raw, r->size);
		k->seen[k->nseen++] = (struct seen){ input, r->size, k->used };
		k->used += r->size;
	}
	return false;
}

static int
run_add(struct all *k, const struct pp_rec *r)
{
	uint8_t *p;

	if (r->size > RUN_MAX - k->run.n)
		return 1;
	if (!(p = buffer_more(k->run.p, &k->run.cap, k->run.n, r->size)))
		return pp_fail_memory(k->err);
	k->run.p = p;
	memcpy(k->run.p + k->run.n, r->raw, r->size);
	k->run.n += r->size;
	return 1;
}

/* Has the run of another input this record, where this input is in it?  1, 0, or -1. */
static int
run_has(struct all *k, unsigned input, const struct pp_rec *r)
{
	struct follower *f = &k->follower[input];

	if (!k->run.n)
		k->run.of = input;
	if (k->run.of == input)
		return run_add(k, r) < 0 ? -1 : 0;
	if (f->run != k->run.number)
		*f = (struct follower){ k->run.number, 0 };
	if (r->size > k->run.n - f->at || memcmp(k->run.p + f->at, r->raw, r->size)) {
		f->at = k->run.n;	/* it goes its own way */
		return 0;
	}
	f->at += r->size;
	return 1;
}

static void
run_end(struct all *k)
{
	k->run.n = 0;
	k->run.number++;
}

/* Has this first thread of a process ended, and do others live? */
static bool
first_ended(const struct all *k, const struct pp_task *t)
{
	return t->ended && t->tid == t->pid && pp_state_process_of(k->state, t)->waits;
}

/*
 * Is it the FORK of a snapshot amid a recording, of a task that another input has told of?  pfilter --sideband=needed writes one when it
 * keeps the first sample of a task: with the bit of a FORK that perf synthesises, or without it if the task still has the maps of its
 * parent.  Then its two times are equal, for which the kernel reads the clock twice.  To a reader it would begin another life: threads
 * would no longer share the maps that follow, and perf since 6.9 would find none if the first thread has ended.
 */
static bool
lives_already(const struct all *k, const struct pp_rec *r, uint64_t time)
{
	const struct pp_task *t;
	bool swap = k->pub.events->swap, alive;
	uint32_t ppid;

	if (r->type != PP_FORK || (!(r->misc & PP_MISC_FORK_EXEC) && PP_RAW_GET(r->raw, FORK, time, swap) != time))
		return false;
	t = pp_state_task(k->state, PP_RAW_GET(r->raw, FORK, tid, swap));
	ppid = PP_RAW_GET(r->raw, FORK, ppid, swap);
	alive = t && (!t->ended || first_ended(k, t));
	return alive && t->pid == PP_RAW_GET(r->raw, FORK, pid, swap) && (t->ppid == ppid || ppid == UINT32_MAX || t->ppid == UINT32_MAX);
}

/* Is it what such a snapshot says of a first thread that has ended, and known?  It would seem to live again. */
static bool
ended_already(const struct all *k, const struct pp_rec *r, size_t trailer)
{
	bool swap = k->pub.events->swap;
	const struct pp_task *t;

	if (r->type != PP_COMM && r->type != PP_NAMESPACES && r->type != PP_MMAP && r->type != PP_MMAP2)
		return false;
	t = pp_state_task(k->state, PP_RAW_GET(r->raw, COMM, tid, swap));	/* all of them begin with these fields */
	return t && t->pid == PP_RAW_GET(r->raw, COMM, pid, swap) && first_ended(k, t) && pp_state_knows(k->state, r, trailer);
}

int
known_take(struct known *pub, unsigned input, uint8_t *raw, uint64_t time)
{
	struct all *k = (struct all *)pub;
	bool swap = k->pub.events->swap;
	struct pp_rec r = pp_rec_at(raw, swap);
	const struct pp_event *ev;
	size_t trailer;
	int rc;

	if (r.type == PP_SAMPLE)
		return take_sample(k, input, &r);
	if (pp_type_is(r.type, PP_CLASS_BIT(HEAD)))	/* ID_INDEX amid a recording in overwrite mode */
		return (rc = run_has(k, input, &r)) < 0 ? -1 : !rc;
	if (!pp_type_is(r.type, PP_CLASSES_STATE) || !(ev = pp_event_find(k->pub.events, &r, NULL)))
		return 1;
	trailer = pp_has_trailer(ev, &r) ? ev->plan.trailer : 0;
	if (k->first < 0)
		k->first = input;
	if (time && (was_seen(k, input, &r, time) || lives_already(k, &r, time) || ended_already(k, &r, trailer)))
		return 0;
	if (time)
		run_end(k);
	else if ((rc = run_has(k, input, &r)) != 0)
		return rc < 0 ? -1 : 0;
	else if (input != k->first && pp_state_wants(r.type) && pp_state_knows(k->state, &r, trailer))
		return 0;
	return pp_state_feed(k->state, &r, trailer);
}

void
known_end(struct known *pub, unsigned input)
{
	struct all *k = (struct all *)pub;

	pp_totals_free(&k->in[input]);
	k->in[input] = (struct pp_totals){ .max = PP_TOTALS_MAX };
}

struct known *
known_new(unsigned n, const struct pp_events *events, struct pp_err *err)
{
	struct all *k = calloc(1, sizeof *k);

	if (!k)
		return NULL;
	k->pub.events = events;
	k->err = err;
	k->first = -1;
	k->run.number = 1;
	k->out.max = PP_TOTALS_MAX;
	k->state = pp_state_new(events->swap, err);
	if (!k->state || !(k->in = calloc(n, sizeof *k->in)) || !(k->follower = calloc(n, sizeof *k->follower))) {
		known_free(&k->pub);
		return NULL;
	}
	for (unsigned i = 0; i < n; i++)
		k->in[i].max = PP_TOTALS_MAX;
	return &k->pub;
}

void
known_free(struct known *pub)
{
	struct all *k = (struct all *)pub;

	if (!k)
		return;
	pp_state_free(k->state);
	pp_totals_free(&k->out);
	free(k->run.p);
	free(k->follower);
	free(k->in);
	free(k);
}

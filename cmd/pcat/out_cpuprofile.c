/* SPDX-License-Identifier: ISC */
/*
 * out_cpuprofile.c - samples of one event in one process as a CPU profile of gperftools, for google-pprof and
 * others that read it (source/cpuprofile.c shows the format).  Slots of 8 bytes in this machine's byte order.
 *
 *  - A stack is the user part of the callchain, or the ip alone.  Kernel entries are left out, as readers would
 *    take them for addresses of the program; so time in the kernel counts where it was called, as it does in
 *    profiles of libprofiler.  Samples without any user address are left out and counted.
 *  - Samples of equal stacks become one record, in the order of the first sample of each stack.  Its count is the sum
 *    of their periods divided by the unit.  The rounding error of a record is carried to the next one: the total is
 *    exact, and shares are those of perf report.
 *  - The unit is the event's period; for an event with a frequency, the mean period of its samples.  The sampling
 *    period in the header is the unit, if the event is a clock.  Another event has no time: then it is 1/frequency, or
 *    else the period as if each occurrence took 1 us.
 *  - The maps are those at the end, as in libprofiler's: the executable maps that the process made since its last
 *    exec or inherited at its fork, without those that later maps replaced.
 *
 * Memory: distinct stacks, and the side-band of all processes, since an ancestor's maps may be needed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record/chain.h"
#include "record/event.h"
#include "record/raw.h"
#include "record/shape.h"
#include "tool/atomic.h"
#include "out_cpuprofile.h"
#include "state/state.h"
#include "state/table.h"
#include "state/timeline.h"

/* include/uapi/linux/perf_event.h */
enum { TYPE_SOFTWARE = 1, COUNT_SW_TASK_CLOCK = 1, ATTR_FREQ_BIT = 10 };
#define PERIOD_MAX	UINT64_C(0xffffffff)	/* google-pprof refuses more */

struct stack {
	struct link	 link;		/* by hash of the addresses */
	struct stack	*then;		/* in order of appearance */
	uint64_t	 weight;
	size_t		 depth;
	uint64_t	 pc[];
};

struct profile {
	struct out	 pub;
	const struct profile_what *what;
	const struct tool *tool;
	struct pp_err	*err;
	struct pp_sink	*sink;
	bool		 failed;

	struct pp_events *events;
	const struct pp_event *event;	/* the event of the profile; NULL: not known yet */
	struct profile_events wanted;
	int64_t		 pid;		/* -1: none yet */
	uint64_t	 samples, weight;	/* sums over all stacks */
	uint64_t	 others;	/* samples of other events */
	uint64_t	 nowhere;	/* samples without a user address */

	struct table	 stacks;
	struct stack	*first, **last;
	uint64_t	 pcs[PP_RECORD_MAX / 8];	/* addresses of the current sample */

	struct pp_timeline *side_band;
	struct pp_state	*state;		/* of tasks, at the end of the input */
};

/* ---- stacks -------------------------------------------------------------------------------------- */

/* Add the weight to the stack of the first `depth' pcs. */
static int
profile_add(struct profile *o, size_t depth, uint64_t weight)
{
	uint64_t key = pp_table_hash(&o->stacks, depth, (const uint8_t *)o->pcs, depth * 8);
	struct stack *k = (struct stack *)pp_table_first(&o->stacks, key);

	while (k && (k->depth != depth || memcmp(k->pc, o->pcs, depth * 8)))
		k = (struct stack *)pp_table_next(&k->link);
	if (!k) {
		if (!(k = malloc(sizeof *k + depth * 8)))
			return pp_fail_memory(o->err);
		*k = (struct stack){ .depth = depth };
		memcpy(k->pc, o->pcs, depth * 8);
		*o->last = k;
		o->last = &k->then;
		if (pp_table_add(&o->stacks, &k->link, key) < 0)
			return pp_fail_memory(o->err);
	}
	if (__builtin_add_overflow(o->weight, weight, &o->weight))
		return pp_fail(o->err, "the periods of event %s add up to more than 2^64", o->event->name);
	k->weight += weight;
	o->samples++;
	return 1;
}

/* ---- samples ------------------------------------------------------------------------------------- */

/* Copy the user addresses of a sample to o->pcs.  Returns their number. */
static size_t
profile_user_chain(struct profile *o, const struct pp_part *chain, const struct pp_event *ev, const struct pp_rec *r)
{
	struct pp_chain c = { .swap = o->events->swap, .mode = r->misc & PP_MISC_CPUMODE_MASK };
	bool user = c.mode == PP_MISC_USER;
	uint64_t ip;
	size_t n = 0;

	if (chain) {
		c.p = chain->p + 8;
		c.left = chain->n / 8 - 1;
	}
	while (pp_chain_next(&c, &ip))
		if (c.mode == PP_MISC_USER)
			o->pcs[n++] = ip;
	if (!n && user && ev->plan.ip)
		o->pcs[n++] = pp_get_u64(r->raw + ev->plan.ip, o->events->swap);
	if (n && !o->pcs[0])
		o->pcs[0] = 1;		/* some readers take a record that starts with 0 for the end of the profile */
	return n;
}

static bool
profile_same_event(const struct pp_event *a, const struct pp_event *b)
{
	return a == b || (a->attr.type == b->attr.type && a->attr.config == b->attr.config &&
	    a->attr.sample_period == b->attr.sample_period && a->name && b->name && !strcmp(a->name, b->name));
}

/* Is this the event of the profile?  The first event with the name, or without a name the first with samples. */
static bool
profile_wanted(struct profile *o, const struct pp_event *ev)
{
	if (!o->event && profile_wants(&o->wanted, o->what->event, o->events, ev))
		o->event = ev;
	if (o->event && profile_same_event(ev, o->event))
		return true;
	o->others++;
	return false;
}

/* The sample is damaged: report a fault of the input. */
static int
profile_reject(struct profile *o, struct pp_source *in, const struct pp_rec *r, const char *cause)
{
	if (in == o->tool->in)
		o->err->file = o->tool->in_err.file;
	o->err->off = pp_offset(in, r);
	o->err->at = true;
	return pp_fail(o->err, "SAMPLE: %s", cause);
}

static int
profile_put_sample(struct profile *o, struct pp_source *in, const struct pp_rec *r)
{
	struct pp_err err = { 0 };
	const struct pp_event *ev = pp_event_find(o->events, r, &err);
	bool swap = o->events->swap, has_pid;
	uint32_t pid = 0, tid;
	struct pp_part part[PP_SHAPE_STEPS];
	uint64_t weight;
	int parts;
	size_t n;

	if (!ev)
		return profile_reject(o, in, r, err.what);
	has_pid = pp_pid_tid(ev, r, swap, &pid, &tid);
	if ((o->what->pid >= 0 && (!has_pid || pid != o->what->pid)) || !profile_wanted(o, ev))
		return 1;
	if (!has_pid)
		return pp_fail(o->err, "samples of event %s have no pid", ev->name);
	if ((parts = pp_sample_parts(part, PP_SAMPLE_CALLCHAIN, ev, r, swap, &err)) < 0)
		return profile_reject(o, in, r, err.what);
	if (!(n = profile_user_chain(o, parts ? part : NULL, ev, r))) {
		o->nowhere++;
		return 1;
	}
	if (o->pid >= 0 && pid != o->pid)
		return pp_fail(o->err, "a CPU profile holds one process, but %" PRId64 " and %" PRIu32
		    " have samples: select one with --pid or pfilter", o->pid, pid);
	o->pid = pid;
	weight = ev->plan.period ? pp_get_u64(r->raw + ev->plan.period, swap) :
	    ev->attr.flags >> ATTR_FREQ_BIT & 1 || !ev->attr.sample_period ? 1 : ev->attr.sample_period;
	return profile_add(o, n, weight);
}

/* ---- maps ---------------------------------------------------------------------------------------- */

/* Does the record change the executable maps of a process? */
static bool
profile_is_side_band(const struct pp_rec *r, bool swap)
{
	struct pp_cur c = pp_cur(r->raw, r->size, swap);
	uint32_t pid, ppid;

	pp_take(&c, PP_HEADER_SIZE);
	pid = pp_take_u32(&c);
	ppid = pp_take_u32(&c);
	switch (r->type) {
	case PP_MMAP:
	case PP_MMAP2:
		return !(r->misc & PP_MISC_MMAP_DATA) && pid != UINT32_MAX &&
		    (r->misc & PP_MISC_CPUMODE_MASK) == PP_MISC_USER;
	case PP_COMM:
		return r->misc & PP_MISC_COMM_EXEC;
	case PP_FORK:
		return pid != ppid;
	}
	return false;
}

/* Keep the record: the state gets all of them at the end, in time order. */
static int
profile_keep(struct profile *o, const struct pp_rec *r)
{
	struct pp_err unused = { 0 };
	const struct pp_event *ev = pp_event_find(o->events, r, &unused);
	uint64_t time = 0;

	if (ev && !pp_time(ev, r, o->events->swap, &time))
		time = 0;		/* perf applies it at once */
	return pp_timeline_put(o->side_band, time, r->raw, r->size);
}

/*
 * pp_deliver of the side-band: feed the state.  EXIT records are not fed, since they would remove the maps.  An exec of the
 * process clears the whole state: from then on only the maps of this process matter.
 */
static int
profile_take_in(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct profile *o = arg;
	bool swap = o->events->swap;
	struct pp_rec r = pp_rec_at(p, swap);

	(void)time;
	(void)n;
	if (r.type != PP_COMM)
		return pp_state_feed(o->state, &r, 0);
	if (PP_RAW_GET(p, COMM, pid, swap) != o->pid)
		return 1;
	pp_state_free(o->state);
	return (o->state = pp_state_new(swap, o->err)) ? 1 : -1;
}

/* A line as in /proc/PID/maps. */
static int
profile_put_map(void *arg, const struct pp_map *m)
{
	struct profile *o = arg;
	const struct pp_dso *d = pp_state_dso(o->state, m);
	const char *name = strcmp(d->name, "//anon") ? d->name : "";
	char text[160];
	int n = snprintf(text, sizeof text, "%08" PRIx64 "-%08" PRIx64 " r-xp %08" PRIx64 " %02x:%02x %-10" PRIu64 " ",
	    m->start, m->start + m->len, m->pgoff, d->maj, d->min, d->ino);

	if (pp_put_copy(o->sink, text, (size_t)n) < 0)
		return -1;
	for (size_t len; *name; name += len + (name[len] == '\n')) {	/* a line feed is written as \012, as in /proc */
		len = strcspn(name, "\n");
		if (pp_put_copy(o->sink, name, len) < 0 ||
		    (name[len] && pp_put_copy(o->sink, "\\012", 4) < 0))
			return -1;
	}
	return pp_put_copy(o->sink, "\n", 1);
}

static int
profile_write_maps(struct profile *o)
{
	const struct pp_maps *maps;

	if (!(o->state = pp_state_new(o->events->swap, o->err)) || pp_timeline_release(o->side_band, UINT64_MAX) < 0)
		return -1;
	if ((maps = pp_state_maps(o->state, (uint32_t)o->pid, PP_MISC_USER)))
		return pp_maps_each(o->state, maps, profile_put_map, o);
	tool_warn(o->tool, "the recording has no maps of process %" PRId64 ": its addresses have no file names", o->pid);
	return 1;
}

/* ---- writing ------------------------------------------------------------------------------------- */

/* The unit of the counts, and the header's sampling period in us. */
static uint64_t
profile_choose_unit(const struct profile *o, uint64_t *us)
{
	const struct pp_attr *a = &o->event->attr;
	bool clock = a->type == TYPE_SOFTWARE && a->config <= COUNT_SW_TASK_CLOCK;
	bool freq = a->flags >> ATTR_FREQ_BIT & 1 || !a->sample_period;
	uint64_t mean = o->weight / o->samples, unit = freq ? mean ? mean : 1 : a->sample_period;

	if (clock)
		*us = unit / 1000 + (unit % 1000 >= 500);
	else if (freq && a->sample_period)
		*us = 1000000 / a->sample_period;
	else
		*us = unit;
	*us = *us > PERIOD_MAX ? PERIOD_MAX : *us ? *us : 1;
	if (clock)
		unit = *us * 1000;	/* so that count times period is exact after the rounding */
	if (freq)
		tool_note(o->tool, "event %s has no fixed period: one count of the profile is %" PRIu64
		    ", the mean period of its samples", o->event->name, unit);
	if (!clock)
		tool_warn(o->tool, "event %s is not a clock: counts in the profile are correct, times are not", o->event->name);
	return unit;
}

static int
profile_put_slots(struct profile *o, const uint64_t *slots, size_t n)
{
	return pp_put_copy(o->sink, slots, n * sizeof *slots);
}

static int
profile_write_stacks(struct profile *o)
{
	uint64_t head[] = { 0, 3, 0, 0, 0 }, unit = profile_choose_unit(o, &head[3]), rest = unit / 2;
	static const uint64_t trailer[] = { 0, 1, 0 };
	uint64_t small = 0;

	if (profile_put_slots(o, head, 5) < 0)
		return -1;
	for (const struct stack *k = o->first; k; k = k->then) {
		uint64_t count[2] = { k->weight / unit, k->depth }, more = k->weight % unit;

		if (more >= unit - rest) {
			count[0]++;
			rest = more - (unit - rest);
		} else
			rest += more;
		if (!count[0])
			small++;
		else if (profile_put_slots(o, count, 2) < 0 || profile_put_slots(o, k->pc, k->depth) < 0)
			return -1;
	}
	if (small)
		tool_note(o->tool, "%" PRIu64 " of %zu stacks have less than one count and are left out", small, o->stacks.n);
	return profile_put_slots(o, trailer, 3);
}

static int
profile_write_profile(struct profile *o)
{
	profile_check_event(o->tool, o->events, o->what->event);
	if (!o->samples && o->nowhere)
		return pp_fail(o->err, "%" PRIu64 " samples, none with a user address", o->nowhere);
	if (!o->samples && o->what->event)
		return pp_fail(o->err, "no samples of event %s for a CPU profile", o->what->event);
	if (!o->samples)
		return pp_fail(o->err, "no samples for a CPU profile%s", o->what->pid < 0 ? "" : ": process of --pid has none");
	if (o->others)
		tool_warn(o->tool, "a CPU profile holds one event, %s; %" PRIu64 " samples of others are left out",
		    o->event->name, o->others);
	if (o->nowhere)
		tool_warn(o->tool, "%" PRIu64 " samples without a user address are left out", o->nowhere);
	if (profile_write_stacks(o) < 0)
		return -1;
	return profile_write_maps(o);
}

/* ---- struct out ---------------------------------------------------------------------------------- */

static int
profile_put(struct out *out, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct profile *o = (struct profile *)out;
	int rc = 1;

	(void)stable;			/* no record is passed on */
	if (o->failed)
		return -1;
	if (!o->events && !(o->events = pp_events_new(in->swap)))
		rc = pp_fail_memory(o->err);
	else if (r->type >= PP_USER_TYPE_START)
		rc = pp_events_learn(o->events, r, o->err);
	else if (r->type == PP_SAMPLE)
		rc = profile_put_sample(o, in, r);
	else if (profile_is_side_band(r, o->events->swap))
		rc = profile_keep(o, r);
	o->failed = rc < 0;
	return rc;
}

static int
profile_flush(struct out *out, bool wait)
{
	(void)wait;			/* finish() writes all output */
	return ((struct profile *)out)->failed ? -1 : 1;
}

static int
profile_finish(struct out *out)
{
	struct profile *o = (struct profile *)out;
	struct stack *k;
	int rc = o->failed ? -1 : profile_write_profile(o);

	if (pp_finish(o->sink) < 0)
		rc = -1;
	while ((k = o->first)) {
		o->first = k->then;
		free(k);
	}
	pp_events_free(o->events);
	free(o->wanted.is);
	pp_table_free(&o->stacks, false);
	pp_timeline_free(o->side_band);
	pp_state_free(o->state);
	free(o);
	return rc < 0 ? -1 : 1;
}

struct out *
out_cpuprofile_new(struct atomic *file, const struct profile_what *what, const struct tool *tool)
{
	struct profile *o = calloc(1, sizeof *o);

	if (!o) {
		pp_fail_memory(file->err);
		return NULL;
	}
	*o = (struct profile){ .pub = { .put = profile_put, .flush = profile_flush, .finish = profile_finish },
	    .what = what, .tool = tool, .err = file->err, .pid = -1, .last = &o->first };
	pp_table_init(&o->stacks);
	if ((o->side_band = pp_timeline_new(profile_take_in, o, SIZE_MAX, o->err)) && (o->sink = atomic_sink(file)))
		return &o->pub;
	pp_timeline_free(o->side_band);
	free(o);
	return NULL;
}

/* SPDX-License-Identifier: ISC */
/* chains.c - see chains.h */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aside.h"
#include "chains.h"
#include "convert/attrs.h"
#include "files.h"
#include "record/event.h"
#include "record/feature.h"
#include "record/raw.h"
#include "sample.h"
#include "set.h"
#include "sink/sink.h"
#include "state/state.h"
#include "state/timeline.h"

enum {
	MEMORY = 56 << 20,		/* bytes of records that wait */
	STACKS = 24 << 20,		/* bytes of these that are samples to be unwound; more wait in the temporary file */
	DONE = 8 << 20,			/* bytes of samples that are unwound and wait to be written; likewise */
	MADE = 32,			/* bytes that the memory of a sample takes besides, about */
	GOOD = 90,			/* percent of the chains that should reach the start of their thread */
	EXEC = 4, WRITE = 2,		/* PROT_ */
};

struct made {			/* a sample that was made, and waits to be written */
	uint8_t		*raw;		/* NULL: it is in a slot, or unused */
	uint32_t	 size, slot;
	uint32_t	 next;		/* the next unused one; 0: none */
};

struct away {			/* a sample that waits in the temporary file to be unwound */
	uint64_t	 nr;		/* its number among all records */
	uint32_t	 slot, size;	/* slot 0: it is unwound */
};

struct chains {
	struct out	 pub;
	struct tool	*t;
	const struct chains_opt *opt;
	struct lookup	*lookup;
	struct files	*files;
	struct unwinder	*unwinder;	/* NULL: no record of the kernel has come yet */
	bool		 swap;
	unsigned	 ip;		/* the number of the instruction pointer among its registers */
	char		 arch[32];	/* of the recording, by its feature; "": not said */
	bool		 active;	/* some event has copies of stacks */
	struct pp_state	*state;
	struct pp_arrival *arrival;
	struct pp_events *events;	/* as they are behind this stage */
	const uint8_t	*passing;	/* a record of another stage, which stays during put() only; NULL: none */
	struct pp_rec	 last;		/* the last one of the input */
	/* of the sample whose turn it is */
	const struct pp_maps *maps;	/* NULL: the process has none */
	struct files_for about;
	/* samples that wait to be written: made[0] is not used, as 0 is no number of one */
	struct made	*made;
	size_t		 nmade;
	uint32_t	 unused;	/* the first unused one; 0: none */
	size_t		 bytes;
	/* samples that wait to be unwound */
	struct aside	 aside;
	uint64_t	 nr;		/* of the last record put into the arrival */
	size_t		 waiting;	/* bytes of those in memory */
	struct away	*away;		/* by number; from `first' to naway */
	size_t		 first, naway;
	bool		 rounds;	/* there was one: without, none ends, and all would go to the file */
	bool		 full;		/* the file takes no more */
	uint64_t	 set_aside;
	/* for messages */
	uint64_t	 samples, kernel, narrow;	/* that had a copy; ... of these without user space; of 32-bit programs */
	uint64_t	 in, out;	/* their bytes, before and after */
	uint64_t	*frames;	/* CHAINS_MOST */
	uint8_t		 buf[PP_RECORD_MAX + 1], raw[PP_RECORD_MAX + 1], stub[256];
};

/* ---- one sample -------------------------------------------------------------------------------------------- */

/* unwind_space.find */
static bool
chains_find(void *arg, uint64_t addr, struct unwind_map *to)
{
	struct chains *c = arg;
	const struct pp_map *m = c->maps ? pp_maps_find(c->state, c->maps, addr) : NULL;
	unsigned prot;

	if (!m)
		return false;
	prot = pp_state_prot(c->state, m);
	c->about.start = m->start;
	c->about.end = m->start + m->len;
	*to = (struct unwind_map){ .start = m->start, .end = m->start + m->len, .pgoff = m->pgoff, .exec = prot & EXEC,
	    .write = prot & WRITE, .file = files_get(c->files, pp_state_dso(c->state, m), &c->about) };
	return true;
}

/* The frames of user space, in c->frames.  Their number. */
static size_t
chains_unwind(struct chains *c, const struct pp_event *ev, const struct stacked *s)
{
	const struct unwind_space space = { chains_find, c };
	size_t max = c->opt->max, room = sample_space(s);
	uint32_t tid;
	enum unwind_end end;

	if (s->abi == SAMPLE_NO_USER) {
		c->kernel++;
		return 0;
	}
	if (s->abi != SAMPLE_ABI_64) {
		c->narrow++;
		c->frames[0] = s->regs.value[c->ip];
		return room && s->regs.mask >> c->ip & 1;
	}
	c->about = (struct files_for){ .pid = UINT32_MAX };
	pp_pid_tid(ev, &s->rec, false, &c->about.pid, &tid);
	pp_time(ev, &s->rec, false, &c->about.time);
	c->maps = pp_state_maps(c->state, c->about.pid, PP_MISC_USER);
	files_sample(c->files);
	return unwind_chain(c->unwinder, &s->regs, &s->stack, &space, c->frames, max < room ? max : room, &end);
}

/* ---- samples in the temporary file ------------------------------------------------------------------------- */

/* Put it there.  0: there is no file, or it is full, so that it stays in memory. */
static uint32_t
chains_aside(struct chains *c, const void *p, size_t n)
{
	uint32_t slot = c->full ? 0 : aside_put(&c->aside, p, n);

	if (!slot && !c->full)
		tool_warn(c->t, "temporary file: %s: samples are unwound early if they are too many for memory",
		    strerror(c->aside.fd < 0 ? c->opt->file_error : errno));
	c->full |= !slot;
	return slot;
}

/* If a sample has to wait there: what stands for it, in c->stub, its fields up to the first of variable size.  false: it waits in memory. */
static bool
chains_send(struct chains *c, const struct pp_event *ev, const struct pp_rec *r, struct pp_rec *stub)
{
	size_t n = ev->plan.fixed;
	uint32_t slot;

	if (!c->rounds || c->waiting + r->size <= STACKS || r->size <= n || n > sizeof c->stub || !(slot = chains_aside(c, r->raw, r->size))) {
		c->waiting += r->size;
		return false;
	}
	if (c->first > c->naway / 2) {
		c->naway -= c->first;
		memmove(c->away, c->away + c->first, c->naway * sizeof *c->away);
		c->first = 0;
	}
	c->away = tool_need(array_more(c->away, c->naway, 1, sizeof *c->away));
	c->away[c->naway++] = (struct away){ .nr = c->nr, .slot = slot, .size = r->size };
	c->set_aside++;
	memcpy(c->stub, r->raw, n);
	PP_RAW_SET(c->stub, header, size, (uint16_t)n, false);
	*stub = pp_rec_at(c->stub, false);
	return true;
}

/* The sample with that number, if it is there: read it again.  1; 0: it is not; -1. */
static int
chains_fetch(struct chains *c, uint64_t nr, struct pp_rec *r)
{
	size_t low = c->first, high = c->naway;
	struct away *a;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->away[middle].nr < nr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == c->naway || c->away[low].nr != nr)
		return 0;
	a = &c->away[low];
	if (aside_get(&c->aside, a->slot, c->raw, a->size, &c->t->in_err) < 0)
		return -1;
	aside_drop(&c->aside, a->slot);
	a->slot = 0;
	while (c->first < c->naway && !c->away[c->first].slot)
		c->first++;
	*r = pp_rec_at(c->raw, false);
	return 1;
}

/* ---- samples that are unwound ------------------------------------------------------------------------------ */

/* Keep the sample that is in c->buf until it is written. */
static uint32_t
chains_keep(struct chains *c, size_t size)
{
	uint32_t i = c->unused, slot;

	if (!i) {
		i = c->nmade ? (uint32_t)c->nmade : 1;
		c->made = tool_need(array_reach(c->made, &c->nmade, i, sizeof *c->made));
	}
	c->unused = c->made[i].next;
	slot = c->set_aside && c->bytes > DONE ? chains_aside(c, c->buf, size) : 0;
	c->made[i] = (struct made){ .raw = slot ? NULL : tool_alloc(size, 1), .size = (uint32_t)size, .slot = slot };
	if (!slot)
		memcpy(c->made[i].raw, c->buf, size);
	c->bytes += MADE + (slot ? 0 : size);
	return i;
}

/* The bytes of one; of those of a slot, until the next call.  NULL: they cannot be read. */
static const uint8_t *
chains_kept(struct chains *c, uint32_t i)
{
	const struct made *m = &c->made[i];

	if (!m->slot)
		return m->raw;
	return aside_get(&c->aside, m->slot, c->buf, m->size, &c->t->in_err) < 0 ? NULL : c->buf;
}

static void
chains_forget(struct chains *c, uint32_t i)
{
	struct made *m = &c->made[i];

	c->bytes -= MADE + (m->slot ? 0 : m->size);
	if (m->slot)
		aside_drop(&c->aside, m->slot);
	free(m->raw);
	*m = (struct made){ .next = c->unused };
	c->unused = i;
}

/* ---- the machine ------------------------------------------------------------------------------------------- */

static void
chains_learn_arch(struct chains *c, const struct pp_rec *r)
{
	struct pp_err ignored = { .what = "" };		/* a damaged feature is ignored */
	struct pp_feature feature;
	struct pp_feature_value v;

	if (pp_feature_of(&feature, r, c->swap, 0, &ignored) >= 0 && feature.number == PP_FEAT_ARCH && pp_feature_string(&feature, &v))
		snprintf(c->arch, sizeof c->arch, "%.*s", (int)v.len, (const char *)v.p);
}

/* Before the first record of the kernel.  1, or -1: there are no tables for that machine, or none here for its files. */
static int
chains_begin(struct chains *c)
{
	const char *here = c->lookup->us.machine, *arch = *c->arch ? c->arch : here;
	enum unwind_machine machine = unwind_machine(arch);

	if (c->swap)
		return pp_fail(&c->t->in_err, "--unwind: recorded on a machine of the other byte order: run it there");
	if (strcmp(arch, here) && !c->lookup->opt->unwind_files && !c->lookup->opt->nsymfs)
		return pp_fail(&c->t->in_err, "--unwind: recorded on %.31s, and this machine is %.31s: run it there, or name the files "
		    "by --unwind-files", arch, here);
	if (machine == UNWIND_MACHINES)
		return pp_fail(&c->t->in_err, "--unwind: recorded on %.31s: only stacks of x86_64 and aarch64 can be unwound", arch);
	if (!(c->unwinder = unwind_new(machine)))
		return pp_fail_memory(&c->t->in_err);
	c->ip = unwind_ip(c->unwinder);
	files_unwinder(c->files, c->unwinder);
	return 1;
}

/* ---- in the order of time ---------------------------------------------------------------------------------- */

static int
chains_sample(struct chains *c, uint64_t nr, const struct pp_event *ev, const struct pp_rec *r, struct pp_verdict *v)
{
	struct stacked s;
	struct pp_rec away;
	size_t n, size;
	int rc = chains_fetch(c, nr, &away);

	if (rc < 0)
		return -1;
	if (rc > 0)
		r = &away;
	else
		c->waiting -= r->size;
	if (sample_take(&s, ev, r, c->opt->keep_regs, &c->t->in_err) < 0)
		return -1;
	n = chains_unwind(c, ev, &s);
	size = sample_put(c->buf, &s, c->frames, n);
	c->samples++;
	c->in += r->size;
	c->out += size;
	v->front = chains_keep(c, size);
	return 1;
}

/* pp_arrival_user.turn */
static int
chains_turn(void *arg, const struct pp_turn *at, const struct pp_event *ev, const struct pp_rec *r, struct pp_verdict *v)
{
	struct chains *c = arg;

	v->to = 1;
	if (r->type == PP_SAMPLE)
		return ev->attr.sample_type & PP_SAMPLE_STACK_USER ? chains_sample(c, at->nr, ev, r, v) : 1;
	return pp_state_wants(r->type) ? pp_state_feed(c->state, r, 0) : 1;
}

/* ---- in the order of arrival ------------------------------------------------------------------------------- */

static void
chains_attr(void *arg, uint8_t *attr, size_t size)
{
	const struct chains *c = arg;

	sample_attr(attr, size, c->opt->keep_regs, c->swap);
}

static int
chains_pass(struct chains *c, const struct pp_rec *r, bool stable)
{
	struct out *next = c->pub.next, *to = r->type == PP_SAMPLE ? out_for_sample(next) : next;
	struct pp_rec new = *r;

	if (r->type == PP_HEADER_ATTR || r->type == PP_HEADER_FEATURE)
		stable = !attrs_change(&new, c->buf, c->swap, chains_attr, c) && stable;
	if (r->type >= PP_USER_TYPE_START && pp_events_learn(c->events, &new, &c->t->in_err) < 0)
		return -1;
	return to->put(to, c->t->in, &new, stable);
}

/* pp_arrival_user.emit.  What is held is stable; what passes, as it came. */
static int
chains_emit(void *arg, const struct pp_rec *r, const struct pp_verdict *v, bool stable)
{
	struct chains *c = arg;
	struct pp_rec new;
	const uint8_t *raw;
	int rc;

	if (!v->front)
		return chains_pass(c, r, stable && r->raw != c->passing);
	if (!(raw = chains_kept(c, v->front)))
		return -1;
	new = pp_rec_at(raw, false);
	rc = chains_pass(c, &new, false);
	chains_forget(c, v->front);
	return rc;
}

/* pp_arrival_user.flush */
static int
chains_flush(void *arg)
{
	return pp_release(((struct chains *)arg)->t->out);
}

/* pp_arrival_user.more */
static size_t
chains_more(void *arg)
{
	return ((struct chains *)arg)->bytes;
}

/* A record comes: what must be known before any has its turn. */
static void
chains_arrived(struct chains *c, struct pp_source *in, const struct pp_rec *r)
{
	const struct pp_event *ev;
	uint64_t time;

	switch (r->type) {
	case PP_HEADER_ATTR:
		c->active |= (in->events->ev[in->events->n - 1]->attr.sample_type & PP_SAMPLE_STACK_USER) != 0;
		return;
	case PP_HEADER_FEATURE:
		chains_learn_arch(c, r);
		return;
	case PP_HEADER_BUILD_ID:
		files_build_id(c->files, r);
		return;
	case PP_FINISHED_ROUND:
		files_round(c->files);
		c->rounds = true;
		return;
	case PP_MMAP:
	case PP_MMAP2:
		if (!c->active)
			return;
		ev = pp_event_find(in->events, r, NULL);
		if (!ev || !pp_time(ev, r, c->swap, &time))
			time = 0;
		files_map(c->files, r, time);
	}
}

static int
chains_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct chains *c = (struct chains *)o;
	const struct pp_rec *stands = stable || !c->last.raw ? r : &c->last;
	const struct pp_event *ev;
	struct pp_rec stub;
	int rc;

	if (stable)
		c->last = *r;
	if (c->active && !c->unwinder && r->type < PP_USER_TYPE_START && chains_begin(c) < 0)
		return -1;
	chains_arrived(c, in, r);
	if (!c->active)
		return chains_pass(c, r, stable);
	c->passing = stable ? NULL : r->raw;
	c->nr++;
	if (r->type == PP_SAMPLE && (ev = pp_event_find(in->events, r, NULL)) && ev->attr.sample_type & PP_SAMPLE_STACK_USER &&
	    chains_send(c, ev, r, &stub))
		r = &stub;
	rc = pp_arrival_put(c->arrival, r, stands);
	c->passing = NULL;
	return rc < 0 && c->t->in_err.what[0] && !c->t->in_err.at ? pp_reject(in, r) : rc;
}

/* ---- the end ----------------------------------------------------------------------------------------------- */

/* What to do about the commonest reason why chains are not whole. */
static const char *
chains_advice(enum unwind_end end)
{
	switch (end) {
	case UNWIND_COPY:
		return ": record larger ones, as by --call-graph dwarf,16384";
	case UNWIND_MAX:
		return ": --unwind-max permits more frames";
	default:
		return "";
	}
}

static void
chains_report_ends(const struct chains *c, const struct unwind_stats *s)
{
	uint64_t rest = s->chains - s->end[UNWIND_START];
	enum unwind_end most = UNWIND_MAX;
	char text[1024] = "";
	size_t at = 0;

	for (unsigned i = 0; i < UNWIND_ENDS; i++) {
		if (i == UNWIND_START || !s->end[i])
			continue;
		if (s->end[i] > s->end[most])
			most = (enum unwind_end)i;
		if (at < sizeof text)
			at += (size_t)snprintf(text + at, sizeof text - at, "%s%s (%ju)", at ? ", " : "",
			    unwind_end_text((enum unwind_end)i), (uintmax_t)s->end[i]);
	}
	if (rest)
		tool_note(c->t, "chains that do not reach it: %s", text);
	if (s->chains - rest < s->chains / 100.0 * GOOD)
		tool_warn(c->t, "only %.1f %% of the call chains reach the start of their thread; the commonest reason, in %.1f %% of the "
		    "others: %s%s", 100.0 * (double)(s->chains - rest) / (double)s->chains, 100.0 * (double)s->end[most] / (double)rest,
		    unwind_end_text(most), chains_advice(most));
}

static void
chains_report(struct chains *c)
{
	const struct unwind_stats *s;

	files_report(c->files);
	if (!c->active)
		tool_warn(c->t, "nothing to unwind: no event has copies of stacks (perf record --call-graph dwarf)");
	if (c->active && pp_arrival_early(c->arrival)) {
		tool_warn(c->t, "%ju records arrived after newer samples had to be unwound, as these were too many to wait%s; chains may be wrong: "
		    "psort first", (uintmax_t)pp_arrival_early(c->arrival), c->rounds ? "" : ", and the recording has no rounds");
		c->t->failed = true;
	}
	if (!c->unwinder)
		return;
	s = unwind_stats(c->unwinder);
	tool_note(c->t, "unwound: %ju samples of %ju bytes became %ju bytes; %ju frames in %ju chains, %.1f %% of which reach the start of "
	    "their thread; %ju samples without user space, %ju of 32-bit programs", (uintmax_t)c->samples, (uintmax_t)c->in,
	    (uintmax_t)c->out, (uintmax_t)s->frames, (uintmax_t)s->chains, s->chains ? 100.0 * (double)s->end[UNWIND_START] / (double)s->chains : 0,
	    (uintmax_t)c->kernel, (uintmax_t)c->narrow);
	if (s->chains)
		chains_report_ends(c, s);
	tool_note(c->t, "rules: %ju looked up, %ju of these absent, %ju frames by frame pointer; %ju files not used", (uintmax_t)s->misses,
	    (uintmax_t)s->absent, (uintmax_t)s->by_pointer, (uintmax_t)files_refused(c->files));
	if (c->set_aside)
		tool_note(c->t, "%ju samples waited in a temporary file", (uintmax_t)c->set_aside);
	if (c->narrow)
		tool_warn(c->t, "%ju samples of 32-bit programs have only their first frame", (uintmax_t)c->narrow);
}

static void
chains_free(struct chains *c)
{
	pp_arrival_free(c->arrival);
	pp_state_free(c->state);
	pp_events_free(c->events);
	files_free(c->files);
	unwind_free(c->unwinder);
	for (size_t i = 0; i < c->nmade; i++)
		free(c->made[i].raw);
	free(c->made);
	free(c->away);
	aside_end(&c->aside);
	free(c->frames);
	free(c);
}

static int
chains_finish(struct out *o)
{
	struct chains *c = (struct chains *)o;
	struct out *next = o->next;
	int rc = pp_arrival_finish(c->arrival);

	chains_report(c);
	if (next->finish(next) < 0)		/* it may still use the events */
		rc = -1;
	if (chains_flush(c) < 0)		/* the output may still refer to what was held */
		rc = -1;
	chains_free(c);
	return rc;
}

void
chains_open(struct chains_opt *opt)
{
	opt->file = aside_open();
	opt->file_error = errno;
}

struct chains *
chains_new(struct tool *t, struct lookup *lookup, const struct chains_opt *opt, bool strict)
{
	struct pp_arrival_user user = { .turn = chains_turn, .emit = chains_emit, .flush = chains_flush, .more = chains_more,
	    .own = { .to = 1 } };
	struct chains *c = tool_alloc(1, sizeof *c);

	*c = (struct chains){ .pub = { .put = chains_put, .finish = chains_finish }, .t = t, .opt = opt, .lookup = lookup,
	    .swap = t->in->swap, .aside.fd = opt->file };
	c->files = files_new(t, lookup, strict);
	c->frames = tool_alloc(CHAINS_MOST, sizeof *c->frames);
	user.arg = c;
	for (uint32_t type = 0; type < PP_USER_TYPE_START; type++)
		user.ordered[type] = pp_state_wants(type);
	if (!(c->events = pp_events_new(c->swap)))
		tool_no_memory();
	c->state = pp_state_new(c->swap, &t->in_err);
	c->arrival = pp_arrival_new(t->in, &user, MEMORY, &t->in_err);
	if (!c->state || !c->arrival)
		tool_no_memory();
	return c;
}

const struct pp_events *
chains_events(const struct chains *c)
{
	return c->events;
}

struct out *
chains_stage(struct chains *c, struct out *next)
{
	c->pub.next = next;
	return &c->pub;
}

/* SPDX-License-Identifier: ISC */
/*
 * turn.c - the rules about names and maps of samples, in perf's time order
 *
 * Samples and side-band wait until all that is older has come (turns.h), then the sample is looked up in the state of its time.
 * Memory is bounded: when too much waits, the third that came first has its turn early; when the state is too large, nothing
 * more is looked up.  Both are said by a note.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field/field.h"
#include "in.h"
#include "record/event.h"
#include "record/raw.h"
#include "state/state.h"
#include "state/turns.h"

enum {
	WAIT_FIRST = 1024, WAIT_MAX = 128 << 10,	/* that wait; powers of 2 */
	WAIT_COPIED = 4 << 20,				/* bytes of side-band that waits */
	STATE_MAX = 24 << 20,				/* bytes of the state */
	SLOT_BITS = 10, SLOTS = 1 << SLOT_BITS,
	UNTIMED = 1,					/* mark of a task: its EXIT has no time */
};

enum kind { DONE, SIDE, SAMPLE };
struct due {
	union {
		uint64_t ip;
		uint8_t	*copy;		/* SIDE */
	};
	uint64_t off, record;
	uint32_t pid, tid;
	uint16_t size;			/* SIDE */
	uint8_t	 kind, mode;		/* mode: the cpumode, if it is the kernel's or a program's, and there is an ip; else 0 */
};
struct range { uint64_t start, len; };
struct slot {				/* what was found out about a thread; it holds until the generation ends */
	uint64_t generation, version;	/* version: of the maps */
	uint32_t pid, tid;
	bool	 sound;			/* it has a name, and has not ended */
	const struct pp_maps *maps;	/* NULL: none */
	struct range range[2];		/* maps of its last samples */
};

struct turns {
	struct check	*c;
	struct pp_err	 err;
	struct pp_state	*now;		/* NULL: it became too large */
	struct pp_turns	 turns;		/* by numbers of the ring */
	struct due	*ring;
	uint64_t	 first, next;	/* number of the oldest that waits; of the next one */
	size_t		 cap, copied;
	uint64_t	 max, limit;	/* latest time known; time up to which the next FINISHED_ROUND releases */
	uint64_t	 early_limit;	/* all up to this time had their turn early */
	uint64_t	 generation;	/* each record that is fed begins another */
	struct slot	 slot[SLOTS];
	struct { uint64_t version; struct range range; } kernel;	/* the map of its last sample */
};

static inline bool
is_in(const struct range *range, uint64_t ip)
{
	return ip - range->start < range->len;
}

/* ---- a sample that breaks a rule ------------------------------------------------------------------ */

static void
broken(struct check *c, enum rule rule, const struct due *w, const char *detail)
{
	check_found_at(c, rule, 1, true, w->off, w->record, PP_SAMPLE, detail);
}

/* A detail is written only for what may be the first place. */
static bool
is_first(const struct check *c, enum rule rule, const struct due *w)
{
	const struct finding *f = &c->found[rule][PP_PERF_NONE];

	return !f->count || w->off < f->off;
}

static void
judge_thread(struct turns *t, const struct due *w)
{
	const struct pp_task *task = pp_state_task(t->now, w->tid);
	struct check *c = t->c;
	char detail[80] = "";

	if (!task || !task->comm) {
		if (is_first(c, RULE_W_NO_COMM, w))
			snprintf(detail, sizeof detail, "thread %d of process %d", (int32_t)w->tid, (int32_t)w->pid);
		broken(c, RULE_W_NO_COMM, w, detail);
	} else if (task->ended)
		broken(c, task->mark == UNTIMED ? RULE_E_UNTIMED_EXIT : RULE_W_AFTER_EXIT, w, NULL);
}

static void
judge_place(struct turns *t, const struct due *w)
{
	enum rule rule = w->mode == PP_MISC_KERNEL ? RULE_W_NO_KERNEL_MAP : RULE_W_NO_MAP;
	char detail[80] = "";

	if (field_dso_mapless(t->now, w->mode, w->ip) != field_dso_unknown)	/* a BPF program */
		return;
	if (is_first(t->c, rule, w))
		snprintf(detail, sizeof detail, "process %d, address 0x%jx", (int32_t)w->pid, (uintmax_t)w->ip);
	broken(t->c, rule, w, detail);
}

/* ---- the turn of a sample ------------------------------------------------------------------------- */

static void
slot_fill(struct turns *t, struct slot *s, const struct due *w)
{
	const struct pp_task *task = pp_state_task(t->now, w->tid);
	const struct pp_maps *maps = pp_state_maps(t->now, w->pid, PP_MISC_USER);
	uint64_t version = maps ? pp_maps_version(maps) : 0;

	if (s->pid != w->pid || s->version != version)
		memset(s->range, 0, sizeof s->range);
	s->generation = t->generation;
	s->version = version;
	s->pid = w->pid;
	s->tid = w->tid;
	s->sound = !w->tid || (task && task->comm && !task->ended);
	s->maps = maps;
}

static bool
find_in(const struct turns *t, struct range range[], unsigned n, const struct pp_maps *maps, uint64_t ip)
{
	const struct pp_map *m = maps ? pp_maps_find(t->now, maps, ip) : NULL;

	if (!m)
		return false;
	if (n > 1)
		range[1] = range[0];
	range[0] = (struct range){ m->start, m->len };
	return true;
}

static bool
is_kernel_mapped(struct turns *t, uint64_t ip)
{
	const struct pp_maps *maps = pp_state_maps(t->now, 0, PP_MISC_KERNEL);
	uint64_t version = pp_maps_version(maps);

	if (t->kernel.version == version && is_in(&t->kernel.range, ip))
		return true;
	t->kernel.version = version;
	return find_in(t, &t->kernel.range, 1, maps, ip);
}

static inline void
turn_sample(struct turns *t, const struct due *w)
{
	struct slot *s = &t->slot[w->tid * UINT32_C(0x9e3779b1) >> (32 - SLOT_BITS)];

	if (s->generation != t->generation || s->tid != w->tid || s->pid != w->pid)
		slot_fill(t, s, w);
	if (!s->sound)
		judge_thread(t, w);
	if (w->mode == PP_MISC_KERNEL ? !is_kernel_mapped(t, w->ip) :
	    w->mode && !is_in(&s->range[0], w->ip) && !is_in(&s->range[1], w->ip) && !find_in(t, s->range, 2, s->maps, w->ip))
		judge_place(t, w);
}

/* ---- the turn of a record of the side-band ----------------------------------------------------------- */

/* Nothing more is looked up. */
static void
turns_blind(struct turns *t, bool at, uint64_t off, uint64_t record, uint32_t type)
{
	check_found_at(t->c, RULE_N_UNSURE, 1, at, off, record, type, "tasks and maps: nothing behind it was looked up");
	pp_state_free(t->now);
	t->now = NULL;
}

static void
turn_side(struct turns *t, const uint8_t *p, bool timed, const struct due *w)
{
	bool swap = t->c->in->swap;
	struct pp_rec r = pp_rec_at(p, swap);
	struct pp_task *task;

	t->generation++;
	if (pp_state_feed(t->now, &r, 0) < 0)
		tool_no_memory();
	if (r.type == PP_EXIT && (task = pp_state_task(t->now, PP_RAW_GET(p, EXIT, tid, swap))))
		task->mark = timed ? 0 : UNTIMED;
	if (pp_state_memory(t->now) > STATE_MAX)
		turns_blind(t, true, w->off, w->record, r.type);
}

/* ---- waiting ----------------------------------------------------------------------------------------- */

static struct due *
turns_at(const struct turns *t, uint64_t number)
{
	return &t->ring[number & (t->cap - 1)];
}

/* pp_turn_fn */
static int
turn(void *arg, const struct pp_waiting *list, size_t n, uint64_t since)
{
	struct turns *t = arg;

	(void)since;
	for (size_t i = 0; i < n; i++) {
		struct due *w = turns_at(t, list[i].place);

		if (w->kind == SIDE) {
			if (t->now)
				turn_side(t, w->copy, true, w);
			t->copied -= w->size;
			free(w->copy);
		} else if (t->now)
			turn_sample(t, w);
		w->kind = DONE;
	}
	return 1;
}

static void
turns_release(struct turns *t, uint64_t limit)
{
	if (pp_turns_release(&t->turns, limit) < 0)
		tool_no_memory();
	while (t->first < t->next && turns_at(t, t->first)->kind == DONE)
		t->first++;
}

/* The third that came first has its turn, as the memory is used up. */
static void
turns_relieve(struct turns *t)
{
	uint64_t limit = pp_turns_newest(&t->turns, t->first + (t->next - t->first + 2) / 3);

	if (limit > t->early_limit)
		t->early_limit = limit;
	turns_release(t, limit);
}

static void
turns_grow(struct turns *t)
{
	size_t cap = t->cap ? 2 * t->cap : WAIT_FIRST;
	struct due *to;

	if (cap > WAIT_MAX) {
		turns_relieve(t);
		return;
	}
	to = tool_alloc(cap, sizeof *to);
	for (uint64_t i = t->first; i < t->next; i++)
		to[i & (cap - 1)] = *turns_at(t, i);
	free(t->ring);
	t->ring = to;
	t->cap = cap;
}

/* The next of the ring, for a record of that time. */
static inline struct due *
turns_next(struct turns *t, const struct pp_rec *r, uint64_t time)
{
	if (t->next - t->first == t->cap)
		turns_grow(t);
	if (t->copied > WAIT_COPIED)
		turns_relieve(t);
	if (t->first == t->next || time > t->max)
		t->max = time;
	if (time < t->early_limit)
		check_found(t->c, RULE_N_UNSURE, r, "it is older than records that could not wait for it");
	return turns_at(t, t->next);
}

static void
turns_wait(struct turns *t, uint64_t time, bool ordered)
{
	if (pp_turns_add(&t->turns, time, t->next++, ordered) < 0)
		tool_no_memory();
}

void
turns_sample(struct turns *t, const struct pp_event *ev, const struct pp_rec *r, uint64_t time)
{
	bool swap = t->c->in->swap;
	uint32_t mode = r->misc & PP_MISC_CPUMODE_MASK;
	struct due untimed, *w = &untimed;

	if (!t->now)
		return;
	if (time)
		w = turns_next(t, r, time);
	*w = (struct due){ .kind = SAMPLE, .off = pp_offset(t->c->in, r), .record = t->c->record,
	    .pid = pp_get_u32(r->raw + ev->plan.tid, swap), .tid = pp_get_u32(r->raw + ev->plan.tid + 4, swap) };
	if (ev->plan.ip && (mode == PP_MISC_KERNEL || mode == PP_MISC_USER)) {
		w->mode = (uint8_t)mode;
		w->ip = pp_get_u64(r->raw + ev->plan.ip, swap);
	}
	if (time)
		turns_wait(t, time, false);
	else
		turn_sample(t, w);
}

void
turns_side(struct turns *t, const struct pp_rec *r, bool timed, uint64_t time)
{
	struct due side = { .kind = SIDE, .size = r->size }, *w;

	if (!t || !t->now || !pp_state_wants(r->type))
		return;
	side.off = pp_offset(t->c->in, r);
	side.record = t->c->record;
	if (!timed) {
		turn_side(t, r->raw, false, &side);
		return;
	}
	w = turns_next(t, r, time);
	side.copy = tool_alloc(1, r->size);
	memcpy(side.copy, r->raw, r->size);
	t->copied += r->size;
	*w = side;
	turns_wait(t, time, true);
}

/* perf's rule: up to the latest time that was known at the previous round. */
void
turns_round(struct turns *t)
{
	uint64_t limit = t->limit;

	if (t->first == t->next)
		return;
	t->limit = t->max;
	turns_release(t, limit);
}

/* ---- begin and end ----------------------------------------------------------------------------------- */

bool
turns_has_maps(const struct turns *t, uint32_t pid)
{
	const struct pp_maps *maps = t && t->now ? pp_state_maps(t->now, pid, PP_MISC_USER) : NULL;

	return maps && pp_maps_version(maps);
}

struct turns *
turns_new(struct check *c)
{
	struct turns *t = tool_alloc(1, sizeof *t);

	t->c = c;
	t->generation = 1;
	if (!(t->now = pp_state_new(c->in->swap, &t->err)) || pp_turns_start(&t->turns, turn, t, &t->err) < 0)
		tool_no_memory();
	return t;
}

void
turns_end(struct turns *t)
{
	turns_release(t, UINT64_MAX);
}

void
turns_free(struct turns *t)
{
	if (!t)
		return;
	for (; t->first < t->next; t->first++)
		if (turns_at(t, t->first)->kind == SIDE)
			free(turns_at(t, t->first)->copy);
	pp_turns_free(&t->turns);
	pp_state_free(t->now);
	free(t->ring);
	free(t);
}

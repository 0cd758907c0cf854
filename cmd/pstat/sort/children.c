/* SPDX-License-Identifier: ISC */
/*
 * children.c - --children: in how many samples a function is anywhere in the stack, each once
 *
 * In the rows `samples' are these, and `records' those in which it is the innermost one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "field/field.h"
#include "set.h"
#include "sort/in.h"
#include "stack/walk.h"

enum { CHILDREN_WAIT = 64 << 20 };	/* bytes for samples that wait for their turn */

struct children {
	struct sort	*s;
	struct pp_state	*state;
	struct walk	*walk;
	bool		 failed;
	uint32_t	*name;		/* by number of a frame: 1 + number of its name; 0: not known yet */
	uint64_t	*seen;		/* by number of a name: the last sample that has it */
	size_t		 nname;
	uint64_t	 sample;	/* number of the one in work */
	bool		 late;		/* some numbers of frames are preliminary */
};

struct children *
children_new(struct sort *s)
{
	struct children *c = tool_alloc(1, sizeof *c);

	for (unsigned i = 0; i < s->nkeys; i++) {
		enum key_kind k = (enum key_kind)s->key[i]->kind;

		if (k != KEY_SYMBOL && k != KEY_COMM && k != KEY_EVENT && strcmp(s->key[i]->name, "pid") && strcmp(s->key[i]->name, "tid"))
			tool_wrong(s->tool, "--children: --sort %s: the keys beside symbol can only be comm, pid, tid and event",
			    s->key[i]->name);
	}
	if (s->value)
		tool_wrong(s->tool, "--children: cannot be combined with --hist");
	c->s = s;
	c->seen = tool_alloc(NAMES_MAX, sizeof *c->seen);
	return c;
}

/* ---- samples in their turn ----------------------------------------------------------------------- */

static uint32_t
children_place(void *arg, const struct pp_map *m, unsigned mode, uint64_t ip)
{
	struct children *c = arg;

	uint32_t number = frames_number(c->s->naming->frames, c->state, m, mode, ip);

	c->late |= frames_late(c->s->naming->frames);
	return number;
}

static uint64_t
children_text(struct children *c, const char *text)
{
	uint32_t n = names_number(c->s->names, text, strlen(text));

	sort_crowded(c->s);
	return n == UINT32_MAX ? ROWS_UNKNOWN : n;
}

/* The number of a frame's name: functions of one name are one, whatever file they are in. */
static uint64_t
children_name(struct children *c, uint32_t frame)
{
	uint64_t name;

	c->name = tool_need(array_reach(c->name, &c->nname, frame, sizeof *c->name));
	if (c->name[frame])
		return c->name[frame] - 1;
	if ((name = children_text(c, frames_get(c->s->naming->frames, frame)->text)) != ROWS_UNKNOWN)
		c->name[frame] = (uint32_t)name + 1;
	return name;
}

static void
children_count(struct children *c, uint64_t key[ROWS_KEYS], unsigned at, const struct walk_sample *x, uint32_t i)
{
	struct frame *f = frames_get(c->s->naming->frames, x->place[i]);
	struct counted *n;

	f->all++;
	f->innermost += !i;
	key[at] = children_name(c, x->place[i]);
	if (key[at] != ROWS_UNKNOWN) {
		if (c->seen[key[at]] == c->sample)
			return;
		c->seen[key[at]] = c->sample;
	}
	n = &rows_get(&c->s->rows, key)->n;
	n->records += !i;
	n->samples++;
	plus(&n->period, x->period);
	if (c->s->seen)
		c->s->seen(c->s->seen_arg, key, x->time, x->period);
	if (x->time && x->time < n->first)
		n->first = x->time;
	if (x->time > n->last)
		n->last = x->time;
}

static int
children_sample(void *arg, const struct walk_sample *x)
{
	struct children *c = arg;
	uint64_t key[ROWS_KEYS] = { 0 };
	char number[FIELD_NAMELESS];
	const char *comm;
	unsigned at = 0;

	if (c->s->crowded)
		sort_forget(c->s);
	c->sample++;
	for (unsigned i = 0; i < c->s->nkeys; i++)
		switch ((enum key_kind)c->s->key[i]->kind) {
		case KEY_SYMBOL:
			at = i;
			break;
		case KEY_COMM:
			comm = pp_state_comm(c->state, x->tid);
			key[i] = children_text(c, comm ? comm : field_nameless(x->tid, number));
			break;
		case KEY_EVENT:
			key[i] = x->event;
			break;
		default:
			key[i] = (uint64_t)(int64_t)(int32_t)(c->s->key[i]->name[0] == 'p' ? x->pid : x->tid);
			break;
		}
	for (uint32_t i = 0; i < x->depth; i++)
		children_count(c, key, at, x, i);
	if (c->late)
		walk_forget(c->walk);
	c->late = false;
	return 1;
}

void
children_forget(struct children *c)
{
	if (c->name)
		memset(c->name, 0, c->nname * sizeof *c->name);
}

/* Frames that are numbered anew are found anew. */
static void
children_relieve(struct children *c)
{
	if (c->s->naming->held || !frames_many(c->s->naming->frames))
		return;
	frames_forget(c->s->naming->frames);
	walk_forget(c->walk);
	children_forget(c);
}

/* ---- begin and end ------------------------------------------------------------------------------- */

static int
children_reject(void *arg, const struct pp_rec *r, const char *cause)
{
	struct children *c = arg;

	return pp_fail(&c->s->tool->in_err, "%s: %s", pp_type_name(r->type), cause);
}

/* lane_fn */
static int
children_visit(void *arg, const struct pp_rec *r, bool sound)
{
	struct children *c = arg;
	int rc = 1;

	if (!sound || c->failed)
		return sound;
	if (r->type == PP_FINISHED_ROUND) {
		rc = walk_round(c->walk);
		children_relieve(c);
	} else if (r->type < PP_USER_TYPE_START)
		rc = walk_put(c->walk, r);
	c->failed = rc < 0;
	return rc > 0;
}

void
children_begin(struct children *c, struct pass *p)
{
	const struct walk_user user = { c, NULL, NULL, children_place, children_sample, children_reject };
	struct pp_err *err = &p->t->in_err;

	if (!p->t->in)
		return;
	if (!(c->state = pp_state_new(p->t->in->swap, err)) || !(c->walk = walk_new(&user, CHILDREN_WAIT, err))) {
		tool_say(p->t, err);
		exit(1);
	}
	walk_use(c->walk, p->t->in->events, c->state);
	lane_join(p->c, LANE_ALL, children_visit, c);
}

bool
children_end(struct children *c)
{
	struct walk_losses lost;

	if (!c->walk)
		return true;
	c->failed |= walk_end(c->walk) < 0;
	lost = walk_losses(c->walk);
	if (lost.dropped)
		tool_warn(c->s->tool, "--children: %" PRIu64 " samples have a damaged call chain: only their innermost frame is taken, as "
		    "in perf", lost.dropped);
	return !c->failed && !walk_full(c->walk) && !lost.early && !lost.crowded_out;
}

void
children_free(struct children *c)
{
	if (!c)
		return;
	walk_free(c->walk);
	pp_state_free(c->state);
	free(c->name);
	free(c->seen);
	free(c);
}

/* SPDX-License-Identifier: ISC */
/* stacks.c - see stacks.h */
#include <stdlib.h>
#include <string.h>

#include "field/event_match.h"
#include "field/field.h"
#include "set.h"
#include "stacks/stacks.h"

enum { STACKS_WAIT = 64 << 20 };	/* bytes for samples that wait for their turn */
enum { ABOVE = 2 };			/* levels of the tree above the frames: event, comm */

/* ---- samples in their turn ----------------------------------------------------------------------- */

static uint32_t
stacks_text(struct stacks *s, const char *text)
{
	return frames_other(s->naming->frames, text, strlen(text));
}

static uint32_t
stacks_comm(struct stacks *s, uint32_t tid)
{
	char number[FIELD_NAMELESS];
	const char *comm = pp_state_comm(s->state, tid);

	if (!comm)
		comm = field_nameless(tid, number);
	if (!s->comm_name || strcmp(frames_get(s->naming->frames, s->comm_name)->text, comm))
		s->comm_name = stacks_text(s, comm);
	return s->comm_name;
}

static uint32_t
stacks_event(struct stacks *s, uint32_t event)
{
	const char *name = s->tool->in->events->ev[event]->name;

	if (!s->event_name || s->event != event)
		s->event_name = stacks_text(s, name ? name : "");
	s->event = event;
	return s->event_name;
}

static uint32_t
stacks_place(void *arg, const struct pp_map *m, unsigned mode, uint64_t ip)
{
	struct stacks *s = arg;

	return frames_number(s->naming->frames, s->state, m, mode, ip);
}

static int
stacks_sample(void *arg, const struct walk_sample *x)
{
	struct stacks *s = arg;
	uint32_t n = ABOVE;

	s->name = tool_need(buffer_more(s->name, &s->cap, 0, (x->depth + (size_t)ABOVE) * sizeof *s->name));
	s->name[0] = stacks_event(s, x->event);
	s->name[1] = stacks_comm(s, x->tid);
	for (uint32_t i = x->depth; i-- > 0;) {
		struct frame *f = frames_get(s->naming->frames, x->place[i]);

		f->all++;
		f->innermost += !i;
		if (n == ABOVE || f->kind < FRAME_NAMELESS || s->name[n - 1] != x->place[i])
			s->name[n++] = x->place[i];
	}
	s->samples++;
	s->flat += x->depth == 1;
	if (!tree_add(&s->tree, s->name, n, 1))
		tool_no_memory();
	return 1;
}

/* ---- records as they arrive ---------------------------------------------------------------------- */

struct wanted { const struct stacks *s; const struct pp_event *ev; bool is; };

static void
wanted_word(void *arg, const char *word)
{
	struct wanted *w = arg;

	w->is |= event_is_named(word, w->s->tool->in->events, w->ev);
}

static int
stacks_wants(void *arg, const struct pp_event *ev, uint32_t pid)
{
	struct stacks *s = arg;
	struct wanted w = { s, ev, false };

	(void)pid;
	s->wanted = tool_need(array_reach(s->wanted, &s->nwanted, ev->index, 1));
	if (!s->wanted[ev->index]) {
		tool_words(s->tool, s->events, wanted_word, &w);
		s->wanted[ev->index] = 1 + w.is;
	}
	return s->wanted[ev->index] - 1;
}

static void
event_word(void *arg, const char *word)
{
	struct stacks *s = arg;

	event_find(s->tool, s->tool->in->events, word, "--event");
}

/* Counting has examined it. */
static int
stacks_reject(void *arg, const struct pp_rec *r, const char *cause)
{
	struct stacks *s = arg;

	return pp_fail(&s->tool->in_err, "%s: %s", pp_type_name(r->type), cause);
}

/* lane_fn */
static int
stacks_visit(void *arg, const struct pp_rec *r, bool sound)
{
	struct stacks *s = arg;
	int rc = 1;

	if (!sound || s->failed)
		return sound;
	if (r->type == PP_FINISHED_ROUND)
		rc = walk_round(s->walk);
	else if (r->type < PP_USER_TYPE_START)
		rc = walk_put(s->walk, r);
	s->failed = rc < 0;
	return rc > 0;
}

/* ---- begin and end ------------------------------------------------------------------------------- */

void
stacks_begin(struct stacks *s, struct pass *p)
{
	const struct walk_user user = { s, s->events ? stacks_wants : NULL, NULL, stacks_place, stacks_sample, stacks_reject };
	struct pp_err *err = &p->t->in_err;

	s->tool = p->t;
	s->naming = pass_naming(p);
	if (!tree_init(&s->tree, TREE_NODES, stacks_text(s, "(other)")))
		tool_no_memory();
	if (!p->t->in)
		return;
	if (!(s->state = pp_state_new(p->t->in->swap, err)) || !(s->walk = walk_new(&user, STACKS_WAIT, err))) {
		tool_say(p->t, err);
		exit(1);
	}
	walk_use(s->walk, p->t->in->events, s->state);
	lane_join(p->c, LANE_ALL, stacks_visit, s);
}

bool
stacks_end(struct stacks *s)
{
	struct walk_losses lost;

	if (!s->walk)
		return true;
	if (s->events && !s->tool->in_err.what[0])
		tool_words(s->tool, s->events, event_word, s);
	if (walk_end(s->walk) < 0)
		s->failed = true;
	lost = walk_losses(s->walk);
	return !s->failed && !walk_full(s->walk) && !lost.early && !lost.crowded_out && !s->tree.folded;
}

void
stacks_free(struct stacks *s)
{
	tree_free(&s->tree);
	walk_free(s->walk);
	pp_state_free(s->state);
	free(s->name);
	free(s->wanted);
}

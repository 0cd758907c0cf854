/* SPDX-License-Identifier: ISC */
/* stacks.c - see stacks.h */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field/event_match.h"
#include "field/field.h"
#include "set.h"
#include "stacks/stacks.h"

enum { STACKS_WAIT = 64 << 20 };	/* bytes for samples that wait for their turn */
enum { AHEAD = 4 };			/* frames that are fetched before their turn */
enum { ABOVE = 2 };			/* levels of the tree above the frames, at most: event, comm */

/* ---- samples in their turn ----------------------------------------------------------------------- */

static uint32_t
stacks_text(struct stacks *s, const char *text)
{
	return frames_other(s->frames, text, strlen(text));
}

/* The comm of the thread; or that of the process or thread, and its number. */
static uint32_t
stacks_by(struct stacks *s, const struct walk_sample *x)
{
	uint32_t id = s->by == STACKS_PID ? x->pid : x->tid;
	const char *comm = pp_state_comm(s->state, id), *text;
	char number[FIELD_NAMELESS], both[300];

	text = comm ? comm : field_nameless(id, number);
	if (s->by != STACKS_COMM && comm) {
		snprintf(both, sizeof both, "%.256s %" PRId32, comm, (int32_t)id);
		text = both;
	}
	if (!s->by_name || strcmp(frames_get(s->frames, s->by_name)->text, text))
		s->by_name = stacks_text(s, text);
	return s->by_name;
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

	return frames_number(s->frames, s->state, m, mode, ip);
}

static int
stacks_sample(void *arg, const struct walk_sample *x)
{
	struct stacks *s = arg;
	uint64_t weight = s->periods ? x->period : 1;
	uint32_t n = 0, above;

	if (s->busy && !x->tid) {
		s->idle++;
		return 1;
	}
	s->name = tool_need(buffer_more(s->name, &s->cap, 0, (x->depth + (size_t)ABOVE) * sizeof *s->name));
	s->name[n++] = stacks_event(s, x->event);
	if (s->by < STACKS_EVENT)
		s->name[n++] = stacks_by(s, x);
	above = n;
	for (uint32_t i = x->depth; i-- > 0;) {
		struct frame *f = frames_get(s->frames, x->place[i]);

		if (i >= AHEAD)
			__builtin_prefetch(frames_get(s->frames, x->place[i - AHEAD]));
		f->all++;
		f->innermost += !i;
		s->frame[f->kind]++;
		if (n == above || f->kind < FRAME_NAMELESS || s->name[n - 1] != x->place[i])
			s->name[n++] = x->place[i];
	}
	s->samples++;
	s->flat += x->depth == 1;
	if (weight > UINT64_MAX - s->weight) {
		weight = UINT64_MAX - s->weight;
		s->over = true;
	}
	s->weight += weight;
	if (!tree_add(&s->tree, s->name, n, weight))
		tool_no_memory();
	if (s->each)
		s->each(s->each_arg, x->time, tree_last(&s->tree));
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
	if (s->mode >= 0 && s->now != s->mode)
		return 0;
	if (!s->events)
		return 1;
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
	else if (r->type < PP_USER_TYPE_START) {
		s->now = r->misc & PP_MISC_CPUMODE_MASK;
		rc = walk_put(s->walk, r);
	}
	s->failed = rc < 0;
	return rc > 0;
}

/* ---- begin and end ------------------------------------------------------------------------------- */

void
stacks_begin(struct stacks *s, struct tool *t, struct counts *c, struct naming *naming)
{
	const struct walk_user user = { s, s->events || s->mode >= 0 ? stacks_wants : NULL, NULL, stacks_place, stacks_sample,
	    stacks_reject };
	struct pp_err *err = &t->in_err;

	s->tool = t;
	if (naming)
		naming->chains = naming->held = true;
	s->frames = naming ? naming->frames : (s->own = frames_new(NULL, NULL));
	if (!tree_init(&s->tree, s->max, stacks_text(s, "(other)")))
		tool_no_memory();
	if (!t->in)
		return;
	if (!(s->state = pp_state_new(t->in->swap, err)) || !(s->walk = walk_new(&user, STACKS_WAIT, err))) {
		tool_say(t, err);
		exit(1);
	}
	walk_use(s->walk, t->in->events, s->state);
	lane_join(c, LANE_ALL, stacks_visit, s);
}

bool
stacks_end(struct stacks *s)
{
	if (!s->walk)
		return true;
	if (s->events && !s->tool->in_err.what[0])
		tool_words(s->tool, s->events, event_word, s);
	if (walk_end(s->walk) < 0)
		s->failed = true;
	s->dropped = walk_losses(s->walk).dropped;
	pp_state_free(s->state);	/* what is made of the stacks needs its memory */
	s->state = NULL;
	return stacks_whole(s) && !s->tree.folded && !s->over;
}

bool
stacks_in_turn(const struct stacks *s)
{
	return !s->walk || (!s->failed && !walk_full(s->walk) && !walk_losses(s->walk).early);
}

bool
stacks_whole(const struct stacks *s)
{
	return stacks_in_turn(s) && (!s->walk || !walk_losses(s->walk).crowded_out);
}

void
stacks_free(struct stacks *s)
{
	tree_free(&s->tree);
	walk_free(s->walk);
	pp_state_free(s->state);
	frames_free(s->own);
	free(s->name);
	free(s->wanted);
}

/* SPDX-License-Identifier: ISC */
/* flame.c - the picture of call chains: flame */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "picture/in.h"
#include "picture/scene.h"
#include "stacks/stacks.h"

enum {
	PAGE_NODES = 1 << 17,		/* on the page of --report; while it counts, four times as many */
	PAGE_NAMES = 4 << 20,		/* bytes of their names */
};

struct flame {
	struct stacks	 stacks;
	bool		 page, counts;	/* counts: the page has it, as there are call chains or names */
	bool		 late;		/* a record of the kernel was there before */
	struct moments	 moments;	/* of the page */
	struct pictures	*p;
};

/* ---- counting ------------------------------------------------------------------------------------ */

static void *
flame_new(struct pictures *p, const char *field)
{
	const struct asked *a = p->asked;
	struct flame *f = tool_alloc(1, sizeof *f);
	struct stacks *s = &f->stacks;

	(void)field;
	f->p = p;
	f->page = a->page;
	s->events = a->events;
	s->by = a->flame_by;
	s->periods = a->periods;
	s->busy = true;
	s->max = a->max_nodes ? a->max_nodes : f->page ? 4 * PAGE_NODES : TREE_NODES;
	return f;
}

/* stacks_each */
static void
flame_when(void *arg, uint64_t time, uint32_t node)
{
	moments_add(arg, time, node);
}

static void
flame_fewer(void *arg)
{
	struct flame *f = arg;

	if (!tree_cut(&f->stacks.tree, PAGE_NODES))
		tool_no_memory();
}

static void
flame_count(struct flame *f)
{
	struct pictures *p = f->p;
	struct stacks *s = &f->stacks;

	s->mode = p->mode;
	f->counts = true;
	stacks_begin(s, p->tool, p->c, p->naming);
	if (p->stacks && s->walk)
		p->stacks(p->stacks_arg, s);
	if (!f->page)
		return;
	pictures_bins(p, &f->moments);
	f->moments.fewer = flame_fewer;
	f->moments.fewer_arg = f;
	s->tree.change = moments_move;
	s->tree.change_arg = &f->moments;
	s->each = flame_when;
	s->each_arg = &f->moments;
}

/* lane_fn: without call chains the page costs nothing.  An event with them is described before all records of the kernel. */
static int
flame_ahead(void *arg, const struct pp_rec *r, bool sound)
{
	struct flame *f = arg;
	const struct pp_events *events = f->p->tool->in->events;
	bool chains = false;

	f->late |= r->type < PP_USER_TYPE_START;
	if (f->counts || !sound || r->type != PP_HEADER_ATTR)
		return sound;
	for (unsigned i = 0; i < events->n; i++)
		chains |= events->ev[i]->attr.sample_type & PP_SAMPLE_CALLCHAIN;
	if (chains && f->late)
		tool_warn(f->p->tool, "--report: no flame graph: the attr of an event with call chains follows other records");
	else if (chains)
		flame_count(f);
	return sound;
}

static void
flame_begin(struct pictures *p, struct picture *pic)
{
	struct flame *f = pic->own;

	if (!f->page || p->naming)
		flame_count(f);
	else if (p->tool->in)
		lane_join(p->c, LANE_FIRST, flame_ahead, f);
}

static bool
flame_end(struct picture *pic, const struct summary *sum)
{
	struct flame *f = pic->own;

	(void)sum;
	return !f->counts || stacks_end(&f->stacks);
}

static bool
flame_is(const struct picture *pic)
{
	return ((const struct flame *)pic->own)->counts;
}

static void
flame_free(void *own)
{
	struct flame *f = own;

	stacks_free(&f->stacks);
	if (f->page)
		moments_free(&f->moments);
	free(f);
}

/* ---- boxes --------------------------------------------------------------------------------------- */

static int
by_text_and_kind(const void *va, const void *vb)
{
	const struct frame *a = *(struct frame *const *)va, *b = *(struct frame *const *)vb;
	int by_text = strcmp(a->text, b->text);

	return by_text ? by_text : a->kind - b->kind;
}

/*
 * Give the tree numbers of texts for names, in order of the texts.  A text of two kinds, as that of a command and a function, is
 * two.  *kind: that of each.
 */
static void
flame_name(struct stacks *s, struct panel *to, uint8_t **kind)
{
	uint32_t n = frames_n(s->frames), last = 0, *name_of = tool_alloc(n + (size_t)1, sizeof *name_of);
	struct frame **f = tool_alloc(n + (size_t)1, sizeof *f);

	*kind = tool_alloc(n + (size_t)1, 1);
	to->text = tool_alloc(n + (size_t)1, sizeof *to->text);
	for (uint32_t i = 0; i < n; i++)
		f[i] = frames_get(s->frames, i + 1);
	qsort(f, n, sizeof *f, by_text_and_kind);
	for (uint32_t i = 0; i < n; i++) {
		if (!i || by_text_and_kind(&f[i], &f[i - 1])) {
			last = to->ntexts++;
			to->text[last] = option_text("%s", f[i]->text);
			(*kind)[last] = f[i]->kind;
		}
		name_of[f[i]->number] = last;
	}
	if (!tree_rename(&s->tree, name_of))
		tool_no_memory();
	(*kind)[to->ntexts] = FRAME_OTHER;
	to->text[to->ntexts++] = option_text("all");
	free(f);
	free(name_of);
}

/* The only event of the tree, whose node stands for all; several, or if the events are what is asked for: node 0. */
static uint32_t
flame_root(const struct stacks *s, const uint32_t *order)
{
	const struct tree *t = &s->tree;

	return t->n > 1 && s->by != STACKS_EVENT && (t->n == 2 || t->node[order[1]].parent) ? order[0] : 0;
}

/*
 * order: nodes by parent, and each has a higher number than that; so a parent has its place before its children ask for it.
 * part: boxes of less than this part of all are only counted; 0: none are.  Returns the box of each node, which the caller frees.
 */
static uint32_t *
flame_boxes(const struct stacks *s, struct panel *to, const uint8_t *kind, const uint32_t *order, unsigned part)
{
	const struct tree *t = &s->tree;
	uint64_t *total = tool_need(tree_totals(t)), *from = tool_alloc(t->n, sizeof *from);
	uint32_t *size = tool_alloc(t->n, sizeof *size), *at = tool_alloc(t->n, sizeof *at), *next = tool_alloc(t->n, sizeof *next);
	uint32_t root = flame_root(s, order);
	uint64_t least = part ? total[root] / part : 0;

	for (uint32_t i = t->n; i-- > 0;) {
		size[i] += total[i] >= least;
		to->hidden += total[i] < least;
		if (i)
			size[t->node[i].parent] += size[i];
	}
	to->nboxes = size[root];
	to->box = tool_alloc(to->nboxes, sizeof *to->box);
	to->above = (s->by < STACKS_EVENT) + (root == 0);
	to->box[0] = (struct panel_box){ .total = total[root], .self = t->node[root].self, .text = to->ntexts - 1,
	    .kind = FRAME_OTHER };
	to->top = total[root];
	next[root] = 1;
	for (uint32_t k = 0; k + 1 < t->n; k++) {
		uint32_t i = order[k], p = t->node[i].parent;
		const struct panel_box *below = &to->box[at[p]];

		if (i == root || !size[i])
			continue;
		at[i] = next[p];
		next[p] += size[i];
		next[i] = at[i] + 1;
		to->box[at[i]] = (struct panel_box){ from[p], total[i], t->node[i].self, at[p], t->node[i].name,
		    below->depth < UINT16_MAX ? (uint16_t)(below->depth + 1) : UINT16_MAX, kind[t->node[i].name] };
		from[i] = from[p];
		from[p] += total[i];
	}
	free(total);
	free(from);
	free(size);
	free(next);
	return at;
}

/* ---- of the page ----------------------------------------------------------------------------------- */

/* Leave as many nodes as a page may have, and names: those of few samples go into others. */
static void
flame_cut(struct tree *t, const struct panel *to)
{
	uint8_t *used = tool_alloc(to->ntexts, 1);
	size_t names = SIZE_MAX;

	for (uint32_t most = PAGE_NODES; names > PAGE_NAMES; most = t->n / 2) {
		if (!tree_cut(t, most))
			tool_no_memory();
		memset(used, 0, to->ntexts);
		names = 0;
		for (uint32_t i = 1; i < t->n; i++) {
			uint32_t name = t->node[i].name;

			names += used[name] ? 0 : strnlen(to->text[name], PANEL_NAME);
			used[name] = 1;
		}
	}
	free(used);
}

/* The first column that has some of the time from there on, so long; MOMENT_NEVER: none. */
static uint32_t
flame_column(const struct axis *a, uint64_t from, uint64_t length)
{
	unsigned i = axis_after(a, from);

	if (i && from - a->start[i - 1] < a->width)
		return i - 1;
	return i < a->n && a->start[i] - from < length ? i : MOMENT_NEVER;
}

/* at: the box of each node. */
static void
flame_moments(struct moments *m, struct panel *to, const uint32_t *at)
{
	for (size_t i = 0; i < m->n; i++) {
		struct moment *x = &m->moment[i];

		x->node = at[x->node];
		if (x->bin != MOMENT_NEVER)
			x->bin = flame_column(to->axis, m->spans.start[x->bin], m->spans.width);
	}
	moments_sum(m);
	to->moment = m->moment;
	to->nmoments = m->n;
	to->width = m->spans.width > to->axis->width ? m->spans.width : to->axis->width;
	m->moment = NULL;
	m->n = 0;
}

/* ---- words --------------------------------------------------------------------------------------- */

const char *const flame_kinds[FRAME_KINDS] = { [FRAME_KERNEL] = "kernel", [FRAME_USER] = "user", [FRAME_JIT] = "JIT",
    [FRAME_NAMELESS] = "no name", [FRAME_MAPLESS] = "no map", [FRAME_OTHER] = "other" };

static void
flame_bands(const struct tree *t, struct panel *to, const uint8_t *kind)
{
	to->nbands = FRAME_KINDS;
	to->band = tool_alloc(FRAME_KINDS, sizeof *to->band);
	for (unsigned i = 0; i < FRAME_KINDS; i++)
		to->band[i].label = option_text("%s", flame_kinds[i]);
	for (uint32_t i = 0; i < t->n; i++)
		to->band[i ? kind[t->node[i].name] : FRAME_OTHER].total += t->node[i].self;
}

static void
flame_notes(const struct making *m, struct panel *to)
{
	const struct stacks *s = &((const struct flame *)m->pic->own)->stacks;
	uint64_t frames = 0, mapless = s->frame[FRAME_MAPLESS], nameless = s->frame[FRAME_NAMELESS];

	for (unsigned i = 0; i < FRAME_KINDS; i++)
		frames += s->frame[i];
	if (s->samples && s->flat == s->samples)
		panel_note(to, option_text("no sample has a call chain: `perf record -g' records them"));
	else if (s->flat)
		panel_note(to, option_text("%" PRIu64 " sample%s %s a call chain of one frame", s->flat, s->flat == 1 ? "" : "s",
		    s->flat == 1 ? "has" : "have"));
	if (s->dropped)
		panel_note(to, option_text("%" PRIu64 " sample%s a damaged call chain, of which only the innermost frame is drawn",
		    s->dropped, s->dropped == 1 ? " has" : "s have"));
	if (mapless && frames / mapless < 100)
		panel_note(to, option_text("%.0f %% of frames are in no map: the programs were compiled without frame pointers "
		    "(-fno-omit-frame-pointer)", 100 * (double)mapless / (double)frames));
	if (nameless && frames / nameless < 100)
		panel_note(to, option_text("%.0f %% of frames have no name: %s", 100 * (double)nameless / (double)frames,
		    m->p->naming ? "`pinject -B --archive=symbols --buildid-dir DIR' on the recorded machine makes a DIR that has more" :
		    "--symbols DIR gives them names; `pinject -B --archive=symbols --buildid-dir DIR' makes it"));
	if (m->p->c->content.stacks)
		panel_note(to, option_text("user stacks (`perf record --call-graph dwarf') are not unwound, so that functions in user mode have no "
		    "callers: `pinject --unwind' unwinds them, where the files are"));
	if (s->tree.folded)
		panel_note(to, option_text("too many different call chains: %" PRIu64 " rare ends of them are in boxes (other)",
		    s->tree.folded));
	if (s->over)
		panel_note(to, option_text("the sum of all periods is larger than 64 bits"));
}

/* The function in which most samples end, in words. */
static void
flame_busiest(const struct tree *t, struct panel *to)
{
	uint64_t *self = tool_alloc(to->ntexts, sizeof *self);
	uint32_t most = 0;

	for (uint32_t i = 1; i < t->n; i++)
		self[t->node[i].name] += t->node[i].self;
	for (uint32_t i = 1; i < to->ntexts; i++)
		if (self[i] > self[most])
			most = i;
	if (to->top && self[most])
		option_add(&to->desc, "; %.1f %% end in %s", 100 * (double)self[most] / (double)to->top, to->text[most]);
	free(self);
}

/* Are the periods of all events with samples durations? */
static bool
flame_durations(const struct pictures *p)
{
	uint64_t samples = 0;

	for (unsigned i = 0; i < p->c->nev; i++) {
		if (p->c->ev[i].samples && !count_is_duration(p->tool->in->events->ev[i]))
			return false;
		samples += p->c->ev[i].samples;
	}
	return samples;
}

static void
flame_make(struct making *m, struct panel *to)
{
	static const char *const by[] = { [STACKS_COMM] = ", by comm", [STACKS_PID] = ", by process", [STACKS_TID] = ", by thread",
	    [STACKS_EVENT] = ", by event", [STACKS_NONE] = "" };
	struct flame *f = m->pic->own;
	struct stacks *s = &f->stacks;
	char *selection = panels_selection(m->p);
	uint32_t *order, *at;
	uint8_t *kind;

	to->kind = PANEL_FLAME;
	to->unit = !s->periods ? "sample" : flame_durations(m->p) ? "ns" : "period";
	to->samples = s->samples;
	flame_name(s, to, &kind);
	if (f->page) {
		flame_cut(&s->tree, to);
		m->p->exact &= !s->tree.folded;
	}
	order = tool_need(tree_order(&s->tree, to->ntexts));
	at = flame_boxes(s, to, kind, order, m->p->drawn && !f->page ? PANEL_TINY : 0);
	if (f->page)
		flame_moments(&f->moments, to, at);
	flame_bands(&s->tree, to, kind);
	flame_notes(m, to);
	to->title = option_text("Call chains of samples that are not idle%s", by[s->by]);
	option_add(&to->subtitle, "%s%s", *selection ? ", samples" : "", selection);
	if (s->idle)
		option_add(&to->subtitle, ", without %" PRIu64 " of idle CPUs", s->idle);
	option_add(&to->subtitle, ", width: %s", !s->periods ? "samples" : !strcmp(to->unit, "ns") ? "length of spans" : "period");
	to->desc = s->samples ? option_text("%" PRIu64 " sample%s in %" PRIu32 " boxes", s->samples, s->samples == 1 ? "" : "s",
	    to->nboxes + to->hidden) : option_text("no samples");
	if (s->samples)
		flame_busiest(&s->tree, to);
	free(selection);
	free(order);
	free(at);
	free(kind);
}

const struct picture_kind picture_flame = { .page = true, .figures = &boxes_table, .new = flame_new, .begin = flame_begin,
	.end = flame_end, .is = flame_is, .make = flame_make, .free = flame_free };

/* SPDX-License-Identifier: ISC */
/* flame.c - the picture of call chains: flame */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "picture/in.h"
#include "stacks/stacks.h"

/* ---- counting ------------------------------------------------------------------------------------ */

static void *
flame_new(struct pictures *p, const char *field)
{
	const struct asked *a = p->asked;
	struct stacks *s = tool_alloc(1, sizeof *s);

	(void)field;
	s->events = a->events;
	s->by = a->flame_by;
	s->periods = a->periods;
	s->busy = true;
	s->max = a->max_nodes ? a->max_nodes : TREE_NODES;
	return s;
}

static void
flame_begin(struct pictures *p, struct picture *pic)
{
	struct stacks *s = pic->own;

	s->mode = p->mode;
	stacks_begin(s, p->tool, p->c, p->naming);
}

static bool
flame_end(struct picture *pic, const struct summary *sum)
{
	(void)sum;
	return stacks_end(pic->own);
}

static void
flame_free(void *own)
{
	stacks_free(own);
	free(own);
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
 * part: boxes of less than this part of all are only counted; 0: none are.
 */
static void
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
	free(at);
	free(next);
}

/* ---- words --------------------------------------------------------------------------------------- */

static void
flame_bands(const struct tree *t, struct panel *to, const uint8_t *kind)
{
	static const char *const labels[FRAME_KINDS] = { [FRAME_KERNEL] = "kernel", [FRAME_USER] = "user", [FRAME_JIT] = "JIT",
	    [FRAME_NAMELESS] = "no name", [FRAME_MAPLESS] = "no map", [FRAME_OTHER] = "other" };

	to->nbands = FRAME_KINDS;
	to->band = tool_alloc(FRAME_KINDS, sizeof *to->band);
	for (unsigned i = 0; i < FRAME_KINDS; i++)
		to->band[i].label = option_text("%s", labels[i]);
	for (uint32_t i = 0; i < t->n; i++)
		to->band[i ? kind[t->node[i].name] : FRAME_OTHER].total += t->node[i].self;
}

static void
flame_note(struct panel *to, char *text)
{
	to->note[to->nnotes++] = text;
}

static void
flame_notes(const struct making *m, struct panel *to)
{
	const struct stacks *s = m->pic->own;
	uint64_t frames = 0, mapless = s->frame[FRAME_MAPLESS], nameless = s->frame[FRAME_NAMELESS];

	for (unsigned i = 0; i < FRAME_KINDS; i++)
		frames += s->frame[i];
	if (s->samples && s->flat == s->samples)
		flame_note(to, option_text("no sample has a call chain: perf record -g records them"));
	else if (s->flat)
		flame_note(to, option_text("%" PRIu64 " sample%s %s a call chain of one frame", s->flat, s->flat == 1 ? "" : "s",
		    s->flat == 1 ? "has" : "have"));
	if (mapless && frames / mapless < 100)
		flame_note(to, option_text("%.0f %% of frames are in no map: the programs were compiled without frame pointers "
		    "(-fno-omit-frame-pointer)", 100 * (double)mapless / (double)frames));
	if (nameless && frames / nameless < 100)
		flame_note(to, option_text("%.0f %% of frames have no name: %s", 100 * (double)nameless / (double)frames,
		    m->p->naming ? "pinject --archive on the recorded machine makes a DIR that has all" :
		    "--symbols DIR gives them names; pinject --archive=symbols --buildid-dir DIR makes it"));
	if (m->p->c->content.stacks)
		flame_note(to, option_text("user stacks (perf record --call-graph dwarf) are not unwound"));
	if (s->tree.folded)
		flame_note(to, option_text("too many different call chains: %" PRIu64 " rare ends of them are in boxes (other)",
		    s->tree.folded));
	if (s->over)
		flame_note(to, option_text("the sum of all periods is larger than 64 bits"));
}

/* The function in which most samples end, in words. */
static char *
flame_busiest(const struct tree *t, const struct panel *to)
{
	uint64_t *self = tool_alloc(to->ntexts, sizeof *self);
	uint32_t most = 0;
	char *text;

	for (uint32_t i = 1; i < t->n; i++)
		self[t->node[i].name] += t->node[i].self;
	for (uint32_t i = 1; i < to->ntexts; i++)
		if (self[i] > self[most])
			most = i;
	if (to->top && self[most])
		text = option_text("; %.1f %% end in %s", 100 * (double)self[most] / (double)to->top, to->text[most]);
	else
		text = option_text("%s", "");
	free(self);
	return text;
}

static void
flame_make(struct making *m, struct panel *to)
{
	static const char *const by[] = { [STACKS_COMM] = ", by comm", [STACKS_PID] = ", by process", [STACKS_TID] = ", by thread",
	    [STACKS_EVENT] = ", by event", [STACKS_NONE] = "" };
	struct stacks *s = m->pic->own;
	const char *file = m->p->tool->in_err.file;
	char *selection = panels_selection(m->p), *idle, *busiest;
	uint32_t *order;
	uint8_t *kind;

	to->kind = PANEL_FLAME;
	to->unit = s->periods ? "period" : "sample";
	to->samples = s->samples;
	flame_name(s, to, &kind);
	order = tool_need(tree_order(&s->tree, to->ntexts));
	flame_boxes(s, to, kind, order, m->p->drawn ? PANEL_TINY : 0);
	flame_bands(&s->tree, to, kind);
	flame_notes(m, to);
	idle = s->idle ? option_text(", without %" PRIu64 " of idle CPUs", s->idle) : option_text("%s", "");
	busiest = flame_busiest(&s->tree, to);
	to->title = option_text("Call chains of samples that are not idle%s", by[s->by]);
	to->subtitle = option_text("%s%s%s%s, width: %s", file ? file : "standard input", *selection ? ", samples" : "", selection,
	    idle, s->periods ? "period" : "samples");
	to->desc = s->samples ? option_text("%" PRIu64 " sample%s in %" PRIu32 " boxes%s", s->samples, s->samples == 1 ? "" : "s",
	    to->nboxes + to->hidden, busiest) : option_text("no samples");
	free(selection);
	free(idle);
	free(busiest);
	free(order);
	free(kind);
}

const struct picture_kind picture_flame = { .figures = &boxes_table, .new = flame_new, .begin = flame_begin,
	.end = flame_end, .make = flame_make, .free = flame_free };

/* SPDX-License-Identifier: ISC */
/*
 * naming.c - see naming.h
 *
 * perf record writes BUILD_ID records at the end of a stream, behind the samples that need them.  So an input that can be read
 * twice is read for them before.
 */
#include <stdlib.h>

#include "stacks/naming.h"

static void *
naming_new(struct pass *p)
{
	const struct asked *a = p->asked;
	struct naming *n;

	if (!a->symbols.n)
		return NULL;
	n = tool_alloc(1, sizeof *n);
	n->chains = a->children;
	return n;
}

static void
naming_prepare(void *part, struct pass *p)
{
	struct naming *n = part;

	n->symbols = symbols_start(p->t, &p->asked->symbols);
	n->frames = frames_new(n->symbols, NULL);
	if (!p->t->manifest)
		tool_allow(p->t, p->t->in_name, "r");
}

static void
learn(struct naming *n, const struct pp_rec *r, bool swap)
{
	if (frames_learn(n->frames, r, swap) < 0)
		tool_no_memory();
}

/* lane_fn */
static int
naming_visit(void *arg, const struct pp_rec *r, bool sound)
{
	struct naming *n = arg;

	if (sound)
		learn(n, r, n->tool->in->swap);
	return sound;
}

/* The BUILD_ID records of the input, up to damage, which the reading of it will find, too. */
static void
naming_ahead(struct naming *n, struct tool *t, const char *name)
{
	struct pp_err err = { .what = "" };
	struct pp_source *in = tool_source(t, name, 0, &err);
	struct pp_rec r;

	while (in && pp_next(in, &r) > 0)
		learn(n, &r, in->swap);
	pp_close(in);
	tool_ahead(t, &err);
}

static void
naming_begin(void *part, struct pass *p)
{
	struct naming *n = part;
	const char *name;

	n->tool = p->t;
	if (!p->t->in)
		return;
	if (!p->t->manifest && (name = tool_twice(p->t)))
		naming_ahead(n, p->t, name);
	lane_join(p->c, LANE_OTHERS, naming_visit, n);
}

static void
naming_close(void *part, struct pass *p)
{
	struct naming *n = part;

	if (p->f)
		frames_say(n->frames, p->t, n->chains);
}

static void
naming_free(void *part)
{
	struct naming *n = part;

	frames_free(n->frames);
	symbols_end(n->symbols);
	free(n);
}

const struct part_kind part_naming = { .new = naming_new, .prepare = naming_prepare, .begin = naming_begin, .close = naming_close,
    .free = naming_free };

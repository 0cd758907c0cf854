/* SPDX-License-Identifier: ISC */
/* frames.c - tests of callchain.dso: the file of any frame */
#include <stdlib.h>
#include <string.h>

#include "tool/pattern.h"
#include "field/chain.h"
#include "set.h"
#include "tree.h"

struct frames {
	const char *text;		/* of == */
	uint8_t	*seen;			/* the results by index of the file: NO, YES; 0: not tested yet */
	size_t	 n;
	unsigned freed;			/* pp_state_freed() of them */
	uint8_t	 unknown;		/* the result of frames in no map */
};
enum { NO = 1, YES };

void
frames_refuse(const struct expr *e, const struct node *n)
{
	lex_wrong(e->t, n->src, n->at,
	    "callchain.dso is the files of all frames: write not (callchain.dso == ...), or not (callchain.dso ~ ...)");
}

void
frames_check(struct expr *e, struct node *n)
{
	const struct node *a = node_is_frames(n->a) ? n->a : n->b, *b = a == n->a ? n->b : n->a;

	if (!node_is_frames(a))
		return;
	if (n->kind == N_NE)
		frames_refuse(e, a);
	if (a == n->a ? n->kind != N_GLOB && n->kind != N_ERE && n->kind != N_IN && n->kind != N_EQ : n->kind != N_EQ)
		lex_wrong(e->t, a->src, a->at, "callchain.dso has == ~ =~ in");
	if (n->kind == N_EQ && b->kind != N_STR)
		lex_wrong(e->t, b->src, b->at, "callchain.dso is compared with a string in quotes only");
	n->frames = tool_alloc(1, sizeof *n->frames);
	n->frames->text = n->kind == N_EQ ? b->str : NULL;
}

static bool
frames_match(const struct node *n, const char *name)
{
	if (n->kind == N_EQ)
		return !strcmp(name, n->frames->text);
	if (n->kind == N_IN)
		return list_has_str(n->list, name);
	if (strnlen(name, EXPR_NAME + 1) > EXPR_NAME)
		return false;
	return n->kind == N_GLOB ? pattern_match(n->str, name) : !regexec(n->ere, name, 0, NULL, 0);
}

/* The same for a file, by its index. */
static bool
frames_match_file(const struct node *n, const struct pp_state *state, const char *name, uint32_t index)
{
	struct frames *f = n->frames;

	f->seen = tool_need(pp_state_by_file(state, f->seen, &f->n, &f->freed, index, sizeof *f->seen));
	if (!f->seen[index])
		f->seen[index] = frames_match(n, name) ? YES : NO;
	return f->seen[index] == YES;
}

/* The same for a frame in no map. */
static bool
frames_match_mapless(const struct node *n, const char *name)
{
	if (name != field_dso_unknown)
		return frames_match(n, name);
	if (!n->frames->unknown)
		n->frames->unknown = frames_match(n, name) ? YES : NO;
	return n->frames->unknown == YES;
}

enum expr_result
frames_test(const struct node *n, struct field_fetch *f)
{
	const struct pp_map *map = NULL;
	uint32_t pid = UINT32_MAX, tid, index;
	struct pp_chain c;
	const char *name;
	unsigned mode = 0;
	uint64_t ip;

	if (!f->s->state)
		return EXPR_UNKNOWN;
	c = field_chain(f);
	if (!c.p)
		return EXPR_UNKNOWN;
	pp_pid_tid(f->s->ev, f->s->r, f->swap, &pid, &tid);
	while (pp_chain_next(&c, &ip)) {
		if (c.mode != mode)
			map = NULL;
		mode = c.mode;
		if (map && ip - map->start < map->len)	/* of the file of the frame before, which did not match */
			continue;
		name = field_dso_at(f->s->state, pid, mode, ip, &map, &index);
		if (index == UINT32_MAX ? frames_match_mapless(n, name) : frames_match_file(n, f->s->state, name, index))
			return EXPR_YES;
	}
	return EXPR_NO;
}

void
frames_free(struct frames *f)
{
	if (f)
		free(f->seen);
	free(f);
}

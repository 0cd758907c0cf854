/* SPDX-License-Identifier: ISC */
/* bounds.c - comparisons that each selected record must meet */
#include <stdlib.h>

#include "tree.h"

static const big BOUND_MAX = { UINT64_MAX, 0 };

/* A range of 64-bit numbers, without what no field has.  false: none is left. */
static bool
bound_clip(big lo, big hi, struct expr_bound *b)
{
	if (lo.hi < 0)
		lo = (big){ 0, 0 };
	if (big_less(BOUND_MAX, hi))
		hi = BOUND_MAX;
	if (hi.hi < 0 || big_less(hi, lo))
		return false;
	*b = (struct expr_bound){ lo.lo, hi.lo };
	return true;
}

static void
bounds_compare(const struct node *n, void (*fn)(void *, const char *, const struct expr_bound *, size_t), void *arg)
{
	big lo = { 0, 0 }, hi = BOUND_MAX, one = { 1, 0 }, num = n->b->num;
	struct expr_bound b;

	switch (n->kind) {
	case N_EQ:	lo = hi = num; break;
	case N_GE:	lo = num; break;
	case N_LE:	hi = num; break;
	case N_GT:
		if (!big_add(num, one, &lo))
			return;
		break;
	default:		/* N_LT */
		if (!big_sub(num, one, &hi))
			return;
	}
	fn(arg, n->a->field->name, &b, bound_clip(lo, hi, &b));
}

static void
bounds_list(const struct node *n, void (*fn)(void *, const char *, const struct expr_bound *, size_t), void *arg)
{
	const struct list *l = n->list;
	struct expr_bound *b = tool_alloc(l->n, sizeof *b);
	size_t k = 0;

	for (size_t i = 0; i < l->n; i++)
		k += bound_clip(l->r[i].lo, l->r[i].hi, &b[k]);
	fn(arg, n->a->field->name, b, k);
	free(b);
}

static bool
bounds_field(const struct node *n)
{
	return n && n->kind == N_FIELD && !n->payload && !n->kernel && n->type == T_INT;
}

static void
bounds_of(const struct node *n, void (*fn)(void *, const char *, const struct expr_bound *, size_t), void *arg)
{
	if (n->kind == N_AND) {
		bounds_of(n->a, fn, arg);
		bounds_of(n->b, fn, arg);
	} else if (!bounds_field(n->a))
		return;
	else if (n->kind == N_IN && n->list && !n->list->nstr && !n->b)
		bounds_list(n, fn, arg);
	else if ((n->kind == N_EQ || n->kind == N_LT || n->kind == N_LE || n->kind == N_GT || n->kind == N_GE) && n->b && n->b->kind == N_NUM)
		bounds_compare(n, fn, arg);
}

void
expr_bounds(const struct expr *e, void (*fn)(void *, const char *, const struct expr_bound *, size_t), void *arg)
{
	if (e && e->root)
		bounds_of(e->root, fn, arg);
}

/* SPDX-License-Identifier: ISC */
#include "window/in.h"

int
around_look(struct around *a, const struct look *l, struct pp_err *err)
{
	enum expr_result result;
	uint32_t key;

	if (expr_match(a->expr, &l->about, &result, err) < 0)
		return -1;
	if (result != EXPR_YES || !window_key(l, a->same, &key))
		return 0;
	a->n++;
	cover_add(&a->cover, key, l->time > a->before ? l->time - a->before : 0,
	    l->time < UINT64_MAX - a->after ? l->time + a->after : UINT64_MAX);
	return 1;
}

int
around_match(const struct around *a, const struct look *l)
{
	uint32_t key;

	if (!window_key(l, a->same, &key))
		return l->about.r->type == PP_SAMPLE ? NOT_AROUND : LACKS_FIELD;
	return cover_has(&a->cover, key, l->time) ? KEPT : NOT_AROUND;
}

/* SPDX-License-Identifier: ISC */
/*
 * run.c - runs a program on a record.
 *
 * No recursion, no allocation; values and verdicts that wait are on two stacks, whose depth is bounded by how deep an
 * expression may be nested (EXPR_DEPTH), a handful for each level.
 */
#include <string.h>

#include "tree.h"

static const uint8_t and_of[3][3] = {
	[EXPR_NO] = { EXPR_NO, EXPR_NO, EXPR_NO },
	[EXPR_YES] = { EXPR_NO, EXPR_YES, EXPR_UNKNOWN },
	[EXPR_UNKNOWN] = { EXPR_NO, EXPR_UNKNOWN, EXPR_UNKNOWN },
};
static const uint8_t not_of[3] = { [EXPR_NO] = EXPR_YES, [EXPR_YES] = EXPR_NO, [EXPR_UNKNOWN] = EXPR_UNKNOWN };

static inline const uint8_t *
place(const struct insn *i, const struct pp_rec *r)
{
	return r->raw + (i->end ? r->size : 0) + i->off;
}

static inline uint64_t
load(const struct insn *i, const struct pp_rec *r, bool swap)
{
	const uint8_t *p = place(i, r);

	switch (i->width) {
	case 2:		return (uint64_t)(pp_get_u16(p, swap) >> i->shift) & i->mask;
	case 4:		return i->sign ? (uint64_t)(int64_t)(int32_t)pp_get_u32(p, swap) : pp_get_u32(p, swap) & i->mask;
	default:	return pp_get_u64(p, swap) >> i->shift & i->mask;
	}
}

static inline big
load_big(const struct insn *i, const struct pp_rec *r, bool swap)
{
	uint64_t n = load(i, r, swap);

	return i->sign ? big_signed((int64_t)n) : big_plain(n);
}

/* A value off the stack: is it known, and does the text fit a pattern? */
static uint8_t
match(const struct insn *i, const struct field_value *v)
{
	if (!v->known || strnlen(v->str, EXPR_NAME + 1) > EXPR_NAME)
		return EXPR_UNKNOWN;
	return i->op == OP_GLOB ? value_glob(i->node->str, v->str) : !regexec(i->node->ere, v->str, 0, NULL, 0);
}

/* Is an address of the call chain in the list?  Context markers are none.  false also: there is no chain (*known). */
static bool
chain_has(struct field_fetch *f, const struct list *l, bool *known)
{
	const uint64_t context = (uint64_t)-4095;	/* PERF_CONTEXT_MAX: from here on no addresses */
	const struct pp_part *x = field_part(f, PP_SAMPLE_CALLCHAIN);

	*known = !f->bad;
	for (uint32_t at = 8; x && at < x->n; at += 8) {	/* u64 n, n addresses */
		uint64_t ip = pp_get_u64(x->p + at, f->swap);

		if (ip < context && list_has(l, big_plain(ip)))
			return true;
	}
	return false;
}

/* The values behind `top' are used up; the verdict. */
static uint8_t
test(const struct insn *i, struct field_value **top, struct field_fetch *f)
{
	struct field_value *v = --*top, *w;
	bool known;
	uint8_t yes;

	switch ((enum op)i->op) {
	case OP_STR_EQ:
		w = v;
		v = --*top;
		return v->known && w->known ? !strcmp(v->str, w->str) != i->turn : EXPR_UNKNOWN;
	case OP_GLOB:
	case OP_ERE:
		return match(i, v);
	case OP_IN:
		return v->known ? list_has(i->node->list, v->num) : EXPR_UNKNOWN;
	case OP_IN_STR:
		return v->known ? list_has_str(i->node->list, v->str) : EXPR_UNKNOWN;
	case OP_TRUTH:
		return v->known ? !big_zero(v->num) : EXPR_UNKNOWN;
	case OP_EXISTS:
		return v->known;
	default:	/* OP_CHAIN takes no value */
		++*top;
		yes = chain_has(f, i->node->list, &known);
		return known ? yes : EXPR_UNKNOWN;
	}
}

static struct field_value *
value(const struct insn *i, struct field_value *top, struct field_value *kept, struct field_fetch *f)
{
	struct field_value *v = top;

	switch ((enum op)i->op) {
	case OP_NUM:
		v->num = (big){ i->lo, (int64_t)i->span };
		v->known = !i->turn;
		break;
	case OP_STR:
		v->str = i->str;
		v->known = !i->turn;
		break;
	case OP_FETCH:
		field_fetch(f, i->what, i->field, v);
		break;
	case OP_CALC1:
		v = top - 1;
		if (i->what == N_LEN)
			v->num = big_plain(v->known ? strlen(v->str) : 0);
		else
			v->known = v->known && value_calc(i->what, v->num, (big){ 0 }, &v->num);
		break;
	case OP_CALC:
		v = top - 2;
		v->known = v->known && v[1].known && value_calc(i->what, v->num, v[1].num, &v->num);
		break;
	case OP_DEFAULT:
		v = top - 2;
		if (!v->known)
			*v = v[1];
		break;
	case OP_SET:
		*kept = *--v;
		return v;
	default:	/* OP_GET */
		*v = *kept;
	}
	return v + 1;
}

/* A program of tests only, of fields at fixed places: nothing is put aside. */
enum expr_result
run_plain(const struct program *p, const struct pp_rec *r, bool swap)
{
	for (const struct insn *i = p->code;;) {
		uint64_t n;
		bool yes;

		if (i->op <= OP_U64) {
			n = i->op == OP_U64 ? pp_get_u64(place(i, r), swap) >> i->shift & i->mask :
			    i->op == OP_U32 ? pp_get_u32(place(i, r), swap) & i->mask : load(i, r, swap);
			yes = (n - i->lo <= i->span) != i->turn;
		} else if (i->op == OP_LIST)
			yes = list_has_key(i->key, i->nkey, load(i, r, swap) ^ (i->sign ? UINT64_C(1) << 63 : 0));
		else if (i->op == OP_PAIR)
			yes = value_compare(i->what, load_big(i, r, swap), load_big(i + 1, r, swap));
		else if (i->op == OP_CONST)
			yes = i->what == EXPR_YES;
		else
			return i->op == OP_YES ? EXPR_YES : EXPR_NO;
		i = &p->code[yes ? i->yes : i->no];
	}
}

int
run(const struct program *p, struct field_fetch *f)
{
	const struct pp_rec *r = f->s->r;
	const struct insn *i = p->code;
	struct field_value values[EXPR_VALUES], *top = values, kept;
	uint8_t aside[EXPR_VALUES], *waiting = aside, verdict = EXPR_NO;
	const bool swap = f->swap;

	for (;;) {
		switch ((enum op)i->op) {
		case OP_U16: case OP_U32: case OP_S32: case OP_U64:
			verdict = (load(i, r, swap) - i->lo <= i->span) != i->turn;
			break;
		case OP_LIST:
			verdict = list_has_key(i->key, i->nkey, load(i, r, swap) ^ (i->sign ? UINT64_C(1) << 63 : 0));
			break;
		case OP_PAIR:
			verdict = value_compare(i->what, load_big(i, r, swap), load_big(i + 1, r, swap));
			break;
		case OP_CONST:
			verdict = i->what;
			break;
		case OP_COMPARE:
			top -= 2;
			verdict = top[0].known && top[1].known ? value_compare(i->what, top[0].num, top[1].num) : EXPR_UNKNOWN;
			break;
		case OP_STR_EQ: case OP_GLOB: case OP_ERE: case OP_IN: case OP_IN_STR: case OP_CHAIN: case OP_TRUTH:
		case OP_EXISTS:
			verdict = test(i, &top, f);
			if (f->bad)
				return -1;
			break;
		case OP_IF_YES:
			break;
		case OP_IF_NO:
			i = &p->code[verdict != EXPR_NO ? i->yes : i->no];
			continue;
		case OP_PUSH:
			*waiting++ = verdict;
			i++;
			continue;
		case OP_AND:
			verdict = and_of[*--waiting][verdict];
			i++;
			continue;
		case OP_OR:
			verdict = not_of[and_of[not_of[*--waiting]][not_of[verdict]]];
			i++;
			continue;
		case OP_NOT:
			verdict = not_of[verdict];
			i++;
			continue;
		case OP_END:
			return verdict;
		case OP_YES:
			return EXPR_YES;
		case OP_NO:
			return EXPR_NO;
		case OP_LOAD:
			top->num = load_big(i, r, swap);
			top++->known = true;
			i++;
			continue;
		case OP_NUM: case OP_STR: case OP_FETCH: case OP_CALC: case OP_CALC1: case OP_DEFAULT: case OP_SET: case OP_GET:
			top = value(i, top, &kept, f);
			if (f->bad)
				return -1;
			i++;
			continue;
		}
		i = &p->code[verdict == EXPR_YES ? i->yes : i->no];
	}
}

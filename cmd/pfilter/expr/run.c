/* SPDX-License-Identifier: ISC */
/*
 * run.c - the interpreter of programs.
 *
 * No recursion, no allocation.  Values and results are on two stacks, whose depth is bounded by the nesting of the expression
 * (EXPR_DEPTH), with a few entries per level.
 */
#include <string.h>

#include "kernel.h"
#include "tool/pattern.h"
#include "field/chain.h"

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
	case 1:		return i->sign ? (uint64_t)(int64_t)(int8_t)*p : *p & i->mask;
	case 2:
		return i->sign ? (uint64_t)(int64_t)(int16_t)pp_get_u16(p, swap) : (uint64_t)(pp_get_u16(p, swap) >> i->shift) & i->mask;
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

/* Does a value match the pattern of the instruction?  EXPR_UNKNOWN if the value is. */
static uint8_t
match(const struct insn *i, const struct field_value *v)
{
	if (!v->known || strnlen(v->str, EXPR_NAME + 1) > EXPR_NAME)
		return EXPR_UNKNOWN;
	return i->op == OP_GLOB ? pattern_match(i->node->str, v->str) : !regexec(i->node->ere, v->str, 0, NULL, 0);
}

/* Is an address of the call chain in the list?  *known: there is a call chain. */
static bool
chain_has(struct field_fetch *f, const struct list *l, bool *known)
{
	struct pp_chain c = field_chain(f);
	uint64_t ip;

	*known = !f->bad;
	while (pp_chain_next(&c, &ip))
		if (list_has(l, big_plain(ip)))
			return true;
	return false;
}

/* Run a test: pops its values from `top', and returns the result. */
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
		return v->known && w->known ? !strcmp(v->str, w->str) != i->negate : EXPR_UNKNOWN;
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
	case OP_FRAMES:
		++*top;
		return (uint8_t)frames_test(i->node, f);
	case OP_KERNEL:
		++*top;
		return (uint8_t)kernel_test(i->node, i->negate, f);
	default:	/* OP_CHAIN, OP_FRAMES and OP_KERNEL have no value */
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
		v->known = !i->negate;
		break;
	case OP_STR:
		v->str = i->str;
		v->known = !i->negate;
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

/* Run a program that only has tests of fields at fixed places, without stacks. */
enum expr_result
run_plain(const struct program *p, const struct pp_rec *r, bool swap)
{
	for (const struct insn *i = p->code;;) {
		uint64_t n;
		bool yes;

		if (i->op <= OP_U64) {
			n = i->op == OP_U64 ? pp_get_u64(place(i, r), swap) >> i->shift & i->mask :
			    i->op == OP_U32 ? pp_get_u32(place(i, r), swap) & i->mask : load(i, r, swap);
			yes = (n - i->lo <= i->span) != i->negate;
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
	uint8_t aside[EXPR_VALUES], *waiting = aside, result = EXPR_NO;
	const bool swap = f->swap;

	for (;;) {
		switch ((enum op)i->op) {
		case OP_SMALL: case OP_U32: case OP_S32: case OP_U64:
			result = (load(i, r, swap) - i->lo <= i->span) != i->negate;
			break;
		case OP_LIST:
			result = list_has_key(i->key, i->nkey, load(i, r, swap) ^ (i->sign ? UINT64_C(1) << 63 : 0));
			break;
		case OP_PAIR:
			result = value_compare(i->what, load_big(i, r, swap), load_big(i + 1, r, swap));
			break;
		case OP_CONST:
			result = i->what;
			break;
		case OP_COMPARE:
			top -= 2;
			result = top[0].known && top[1].known ? value_compare(i->what, top[0].num, top[1].num) : EXPR_UNKNOWN;
			break;
		case OP_STR_EQ: case OP_GLOB: case OP_ERE: case OP_IN: case OP_IN_STR: case OP_CHAIN: case OP_FRAMES:
		case OP_TRUTH: case OP_EXISTS: case OP_KERNEL:
			result = test(i, &top, f);
			if (f->bad)
				return -1;
			break;
		case OP_IF_YES:
			break;
		case OP_IF_NO:
			i = &p->code[result != EXPR_NO ? i->yes : i->no];
			continue;
		case OP_PUSH:
			*waiting++ = result;
			i++;
			continue;
		case OP_AND:
			result = and_of[*--waiting][result];
			i++;
			continue;
		case OP_OR:
			result = not_of[and_of[not_of[*--waiting]][not_of[result]]];
			i++;
			continue;
		case OP_NOT:
			result = not_of[result];
			i++;
			continue;
		case OP_END:
			return result;
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
		i = &p->code[result == EXPR_YES ? i->yes : i->no];
	}
}

/* SPDX-License-Identifier: ISC */
/*
 * compile.c - tree to program, for records of one kind.
 *
 * A condition that is not unknown in any record becomes tests that jump by their result; a field at a fixed place compared with a
 * constant is one instruction.  Other conditions push one of three results, combined by Kleene's logic: unknown AND no is no,
 * unknown OR yes is yes.
 */
#include <stdlib.h>
#include <string.h>

#include "tree.h"
#include "set.h"

enum { NEXT = UINT16_MAX };		/* a label: the next instruction */

struct compiler {
	struct program	*p;
	size_t		 cap;
	uint16_t	*label;		/* position of the label */
	size_t		 nlabels;
};

static struct insn *
compile_emit(struct compiler *c, enum op op, const struct node *from)
{
	struct program *p = c->p;
	struct insn *i;

	if (!p || p->n == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 8;
		p = tool_need(realloc(p, sizeof *p + c->cap * sizeof *p->code));
		if (!c->p)
			memset(p, 0, sizeof *p);
		p->from = tool_need(reallocarray(p->from, c->cap, sizeof *p->from));
		c->p = p;
	}
	i = &p->code[p->n];
	p->from[p->n++] = from;
	memset(i, 0, sizeof *i);
	i->op = (uint8_t)op;
	i->yes = i->no = NEXT;
	return i;
}

static uint16_t
compile_new_label(struct compiler *c)
{
	c->label = tool_need(array_more(c->label, c->nlabels, 1, sizeof *c->label));
	return (uint16_t)c->nlabels++;
}

static void
compile_place(struct compiler *c, uint16_t label)
{
	c->label[label] = (uint16_t)c->p->n;
}

static struct insn *
compile_jump(struct insn *i, uint16_t yes, uint16_t no)
{
	i->yes = yes;
	i->no = no;
	return i;
}

/* ---- values -------------------------------------------------------------------------------------- */

static void
compile_reads(struct compiler *c, struct insn *i, const struct field_place *a)
{
	i->end = a->end;
	i->sign = a->sign;
	i->width = a->width;
	i->shift = a->shift;
	i->off = a->off;
	i->mask = a->mask;
	if (!a->end && !a->raw && c->p->min < (unsigned)(a->off + a->width))
		c->p->min = (unsigned)(a->off + a->width);
}

static void
compile_gen_known(struct compiler *c, const struct node *n)
{
	struct insn *i = compile_emit(c, n->type == T_STR ? OP_STR : OP_NUM, n);

	i->negate = n->state == UNKNOWN;
	if (n->type == T_STR)
		i->str = n->text;
	else {
		i->lo = n->value.lo;
		i->span = (uint64_t)n->value.hi;
	}
}

static void
compile_gen_value(struct compiler *c, const struct node *n)
{
	struct insn *i;

	if (n->state != LIVE)
		compile_gen_known(c, n);
	else if (n->kind == N_FIELD && n->access.at == AT_PLACE)
		compile_reads(c, compile_emit(c, OP_LOAD, n), &n->access);
	else if (n->kind == N_FIELD) {
		i = compile_emit(c, OP_FETCH, n);
		i->what = n->field->part;
		i->field = n->field;
	} else if (n->kind == N_DEFAULT) {
		if (n->a->state == UNKNOWN)
			compile_gen_value(c, n->b);
		else {
			compile_gen_value(c, n->a);
			if (!n->a->sure) {
				compile_gen_value(c, n->b);
				compile_emit(c, OP_DEFAULT, n);
			}
		}
	} else {
		compile_gen_value(c, n->a);
		if (n->b)
			compile_gen_value(c, n->b);
		i = compile_emit(c, n->b ? OP_CALC : OP_CALC1, n);
		i->what = (uint8_t)n->kind;
	}
}

/* ---- tests --------------------------------------------------------------------------------------- */

/* Is it a field at a fixed place, or some of its bits? */
static bool
compile_simple(const struct node *n, struct field_place *a)
{
	const struct node *bits;

	if (n->state != LIVE)
		return false;
	if (n->kind == N_FIELD) {
		*a = n->access;
		return a->at == AT_PLACE;
	}
	if (n->kind != N_BAND)
		return false;
	bits = n->a->state == KNOWN ? n->a : n->b;
	if (bits->state != KNOWN || bits->value.hi < 0 || !compile_simple(bits == n->a ? n->b : n->a, a) || a->sign)
		return false;
	a->mask &= bits->value.lo;
	return true;
}

static void
compile_gen_const(struct compiler *c, const struct node *n, enum expr_result result, uint16_t yes, uint16_t no)
{
	compile_jump(compile_emit(c, OP_CONST, n), yes, no)->what = (uint8_t)result;
}

/* Test whether lo <= field <= hi. */
static void
compile_gen_range(struct compiler *c, const struct node *n, const struct field_place *a, big lo, big hi, bool negate,
    uint16_t yes, uint16_t no)
{
	const int64_t top = INT64_MAX >> (64 - 8 * a->width);
	big least = big_signed(a->sign ? -top - 1 : 0), most = big_plain(a->sign ? (uint64_t)top : a->mask);
	struct insn *i;

	if (big_less(lo, least))
		lo = least;
	if (big_less(most, hi))
		hi = most;
	if (big_less(hi, lo) || (big_equal(lo, least) && big_equal(hi, most))) {
		compile_gen_const(c, n, big_less(hi, lo) == negate ? EXPR_YES : EXPR_NO, yes, no);
		return;
	}
	i = compile_emit(c, a->width < 4 ? OP_SMALL : a->width == 8 ? OP_U64 : a->sign ? OP_S32 : OP_U32, n);
	i = compile_jump(i, yes, no);
	compile_reads(c, i, a);
	i->negate = negate;
	i->lo = lo.lo;
	i->span = hi.lo - lo.lo;
}

static void
compile_gen_compare(struct compiler *c, const struct node *n, uint16_t yes, uint16_t no)
{
	static const enum node_kind mirror[] = { [N_EQ] = N_EQ, [N_NE] = N_NE, [N_LT] = N_GT, [N_GT] = N_LT, [N_LE] = N_GE,
	    [N_GE] = N_LE };
	const struct node *a = n->a, *b = n->b;
	enum node_kind kind = n->kind;
	const big far = { 0, INT64_C(1) << 36 }, minus_far = { 0, -(INT64_C(1) << 36) };
	struct field_place at, other;
	uint16_t behind;
	struct insn *i;

	if (n->frames) {
		compile_jump(compile_emit(c, OP_FRAMES, n), yes, no)->node = n;
		return;
	}
	if (a->type == T_STR) {
		compile_gen_value(c, a);
		compile_gen_value(c, b);
		compile_jump(compile_emit(c, OP_STR_EQ, n), yes, no)->negate = kind == N_NE;
		return;
	}
	if (a->state == KNOWN) {
		a = n->b;
		b = n->a;
		kind = mirror[kind];
	}
	if (b->state == KNOWN && big_less(minus_far, b->value) && big_less(b->value, far) && compile_simple(a, &at)) {
		big lo = b->value, hi = b->value;

		if (kind == N_LT || kind == N_LE)
			lo = minus_far;
		if (kind == N_GT || kind == N_GE)
			hi = far;
		if (kind == N_LT)
			big_sub(hi, big_signed(1), &hi);
		if (kind == N_GT)
			big_add(lo, big_signed(1), &lo);
		compile_gen_range(c, n, &at, lo, hi, kind == N_NE, yes, no);
		return;
	}
	if (compile_simple(n->a, &at) && compile_simple(n->b, &other)) {
		behind = compile_new_label(c);
		i = compile_jump(compile_emit(c, OP_PAIR, n), yes == NEXT ? behind : yes, no == NEXT ? behind : no);
		i->what = (uint8_t)n->kind;
		compile_reads(c, i, &at);
		compile_reads(c, compile_emit(c, OP_LOAD, n->b), &other);
		compile_place(c, behind);
		return;
	}
	compile_gen_value(c, n->a);
	compile_gen_value(c, n->b);
	compile_jump(compile_emit(c, OP_COMPARE, n), yes, no)->what = (uint8_t)n->kind;
}

/* Items that are not constant: x == item OR x >= from AND x <= to OR ...; OP_GET is x. */
static void
compile_gen_items(struct compiler *c, const struct node *n)
{
	uint16_t end = compile_new_label(c), skip;

	compile_gen_value(c, n->a);
	compile_emit(c, OP_SET, n);
	compile_emit(c, OP_GET, n);
	compile_emit(c, OP_IN, n)->node = n;
	for (const struct node *item = n->b; item; item = item->next) {
		const struct node *lo = item->kind == N_RANGE ? item->a : item, *hi = item->kind == N_RANGE ? item->b : NULL;

		compile_jump(compile_emit(c, OP_IF_YES, n), end, NEXT);
		compile_emit(c, OP_PUSH, n);
		compile_emit(c, OP_GET, n);
		compile_gen_value(c, lo);
		compile_emit(c, OP_COMPARE, item)->what = hi ? N_GE : N_EQ;
		if (hi) {
			skip = compile_new_label(c);
			compile_jump(compile_emit(c, OP_IF_NO, item), NEXT, skip);
			compile_emit(c, OP_PUSH, item);
			compile_emit(c, OP_GET, item);
			compile_gen_value(c, hi);
			compile_emit(c, OP_COMPARE, item)->what = N_LE;
			compile_emit(c, OP_AND, item);
			compile_place(c, skip);
		}
		compile_emit(c, OP_OR, n);
	}
	compile_place(c, end);
}

static void
compile_gen_in(struct compiler *c, const struct node *n, uint16_t yes, uint16_t no)
{
	struct field_place a;
	struct insn *i;

	if (n->b) {
		compile_gen_items(c, n);
		if (yes != NEXT || no != NEXT)
			compile_jump(compile_emit(c, OP_IF_NO, n), yes, no);
	} else if (n->frames)
		compile_gen_compare(c, n, yes, no);
	else if (n->a->type == T_CHAIN)
		compile_jump(compile_emit(c, OP_CHAIN, n), yes, no)->node = n;
	else if (compile_simple(n->a, &a)) {
		list_keys(n->list, a.sign);
		i = compile_jump(compile_emit(c, OP_LIST, n), yes, no);
		compile_reads(c, i, &a);
		i->key = n->list->key[a.sign];
		i->nkey = n->list->nkey[a.sign];
	} else {
		compile_gen_value(c, n->a);
		compile_jump(compile_emit(c, n->a->type == T_STR ? OP_IN_STR : OP_IN, n), yes, no)->node = n;
	}
}

/* A condition other than AND, OR and NOT. */
static void
compile_gen_test(struct compiler *c, const struct node *n, uint16_t yes, uint16_t no)
{
	struct field_place a;
	struct insn *i;

	switch (n->kind) {
	case N_TRUTH:
		if (compile_simple(n->a, &a)) {
			compile_gen_range(c, n, &a, (big){ 0 }, (big){ 0 }, true, yes, no);
			return;
		}
		compile_gen_value(c, n->a);
		compile_jump(compile_emit(c, OP_TRUTH, n), yes, no);
		break;
	case N_EXISTS:
		compile_gen_value(c, n->a);
		compile_jump(compile_emit(c, OP_EXISTS, n), yes, no);
		break;
	case N_GLOB:
	case N_ERE:
		if (n->frames) {
			compile_gen_compare(c, n, yes, no);
			return;
		}
		compile_gen_value(c, n->a);
		compile_jump(compile_emit(c, n->kind == N_GLOB ? OP_GLOB : OP_ERE, n), yes, no)->node = n;
		break;
	case N_IN:
		compile_gen_in(c, n, yes, no);
		break;
	case N_KERNEL:
		i = compile_jump(compile_emit(c, OP_KERNEL, n), yes, no);
		i->node = n;
		i->negate = n->own;
		break;
	default:
		compile_gen_compare(c, n, yes, no);
	}
}

static enum expr_result
compile_result(const struct node *n)
{
	return n->state == UNKNOWN ? EXPR_UNKNOWN : big_zero(n->value) ? EXPR_NO : EXPR_YES;
}

/* Does another condition say all of it? */
static bool
compile_is_other(const struct node *n)
{
	return n->kind == N_EVENT || (n->kind == N_KERNEL && n->a);
}

/* A condition that is not unknown in any record: jumps. */
static void
compile_gen_jumps(struct compiler *c, const struct node *n, uint16_t yes, uint16_t no)
{
	uint16_t second;

	if (n->state == KNOWN)
		compile_gen_const(c, n, compile_result(n), yes, no);
	else if (n->kind == N_NOT)
		compile_gen_jumps(c, n->a, no, yes);
	else if (compile_is_other(n))
		compile_gen_jumps(c, n->a, yes, no);
	else if (n->kind != N_AND && n->kind != N_OR)
		compile_gen_test(c, n, yes, no);
	else if (n->a->state == KNOWN)		/* the result is that of the other operand */
		compile_gen_jumps(c, n->b, yes, no);
	else if (n->b->state == KNOWN)
		compile_gen_jumps(c, n->a, yes, no);
	else {
		second = compile_new_label(c);
		compile_gen_jumps(c, n->a, n->kind == N_AND ? second : yes, n->kind == N_AND ? no : second);
		compile_place(c, second);
		compile_gen_jumps(c, n->b, yes, no);
	}
}

/* Any condition: pushes one of three results. */
static void
compile_gen_result(struct compiler *c, const struct node *n)
{
	const struct node *a = n->a, *b = n->b;
	uint16_t end;

	if (n->state != LIVE)
		compile_gen_const(c, n, compile_result(n), NEXT, NEXT);
	else if (n->kind == N_NOT) {
		compile_gen_result(c, n->a);
		compile_emit(c, OP_NOT, n);
	} else if (compile_is_other(n))
		compile_gen_result(c, n->a);
	else if (n->kind != N_AND && n->kind != N_OR)
		compile_gen_test(c, n, NEXT, NEXT);
	else if (a->state == KNOWN)
		compile_gen_result(c, b);
	else if (b->state == KNOWN)
		compile_gen_result(c, a);
	else {
		if (!a->sure && b->sure) {	/* an operand that is never unknown is cheaper: test it first */
			a = n->b;
			b = n->a;
		}
		end = compile_new_label(c);
		compile_gen_result(c, a);
		if (n->kind == N_AND)
			compile_jump(compile_emit(c, OP_IF_NO, n), NEXT, end);
		else
			compile_jump(compile_emit(c, OP_IF_YES, n), end, NEXT);
		if (!a->sure)
			compile_emit(c, OP_PUSH, n);
		compile_gen_result(c, b);
		if (!a->sure)
			compile_emit(c, n->kind == N_AND ? OP_AND : OP_OR, n);
		compile_place(c, end);
	}
}

/* Replace labels by positions. */
static void
compile_resolve(const struct compiler *c)
{
	c->p->plain = true;
	for (size_t i = 0; i < c->p->n; i++) {
		struct insn *in = &c->p->code[i];

		c->p->plain &= in->op <= OP_PAIR || in->op == OP_CONST || in->op == OP_YES || in->op == OP_NO ||
		    (i && in[-1].op == OP_PAIR);
		in->yes = in->yes == NEXT ? (uint16_t)(i + 1) : c->label[in->yes];
		in->no = in->no == NEXT ? (uint16_t)(i + 1) : c->label[in->no];
	}
}

/* The size that payloads need for the fields at fixed places in them. */
static void
compile_payload(struct program *p, const struct node *n)
{
	if (n->kind == N_FIELD && n->state == LIVE && n->access.at == AT_PLACE && n->access.raw) {
		unsigned need = (unsigned)n->access.off + n->access.width - n->access.raw - 4;

		p->raw = n->access.raw;
		if (p->payload < need)
			p->payload = need;
		if (p->min < n->access.raw + 4u)
			p->min = n->access.raw + 4u;
	}
	if (n->a)
		compile_payload(p, n->a);
	for (const struct node *b = n->b; b; b = b->next)
		compile_payload(p, b);
}

struct program *
compile(struct expr *e, const struct field_kind *k)
{
	struct compiler c = { 0 };
	uint16_t yes, no;

	fold(e, k, e->root);
	if (e->root->state == LIVE && e->root->sure) {
		yes = compile_new_label(&c);
		no = compile_new_label(&c);
		compile_gen_jumps(&c, e->root, yes, no);
		compile_place(&c, yes);
		compile_emit(&c, OP_YES, e->root);
		compile_place(&c, no);
		compile_emit(&c, OP_NO, e->root);
	} else {
		compile_gen_result(&c, e->root);
		compile_emit(&c, OP_END, e->root);
	}
	compile_resolve(&c);
	compile_payload(c.p, e->root);
	c.p->constant = !c.p->raw && c.p->n == 2 && c.p->code[0].op == OP_CONST && c.p->code[1].op == OP_END;
	free(c.label);
	return c.p;
}

void
program_free(struct program *p)
{
	if (p)
		free(p->from);
	free(p);
}

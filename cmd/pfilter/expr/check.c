/* SPDX-License-Identifier: ISC */
/* check.c - checks a tree: types, words (names of numbers, defined by the field they are compared with), constants */
#include <stdlib.h>
#include <string.h>

#include "tree.h"

struct node *
node_new(struct expr *e, enum node_kind kind, enum type type, const struct expr_source *src, size_t at)
{
	struct node *n = tool_alloc(1, sizeof *n);

	n->kind = kind;
	n->type = type;
	n->src = src;
	n->at = at;
	n->made = e->nodes;
	e->nodes = n;
	if (++e->nnodes > EXPR_NODES)
		lex_wrong(e->t, src, at, "more than %d names, numbers and operators; write long lists as `in (1, 2, ...)'",
		    EXPR_NODES);
	return n;
}

/* Free the nodes of a constant that was moved into a list. */
static void
unmake(struct expr *e, const struct node *before)
{
	while (e->nodes != before) {
		struct node *n = e->nodes;

		e->nodes = n->made;
		e->nnodes--;
		if (n->payload)
			field_payload_free(n->payload);
		free(n->str);
		free(n);
	}
}

/* ---- words --------------------------------------------------------------------------------------- */

/* The field that defines the words next to a value; NULL: none. */
static const struct field *
words_of(const struct node *n)
{
	const struct field *f;

	if (!n || n->kind == N_FIELD)
		return n && n->field->words ? n->field : NULL;
	return (f = words_of(n->a)) ? f : words_of(n->b);
}

static bool
is_text(const struct node *n)
{
	return n->type == T_STR;
}

static _Noreturn void
unknown(const struct expr *e, const struct node *n, const struct field *f, bool text)
{
	const char *word = n->src->text + n->at;
	char near[256];

	if (f) {
		field_words(f, near, sizeof near);
		lex_wrong(e->t, n->src, n->at, "`%.*s' is not a word of %s; there are %s", (int)n->len, word, f->name, near);
	}
	field_near(word, n->len, near, sizeof near);
	lex_wrong(e->t, n->src, n->at, "no field is named `%.*s'%s%s%s", (int)(n->len > 64 ? 64 : n->len), word,
	    *near ? "; similar: " : "", near, text ? "; text goes in quotes" : "");
}

void
node_set_payload(struct node *n, const uint32_t *index)
{
	n->kind = N_FIELD;
	n->field = n->payload = field_payload_new(n->src->text + n->at, n->len, index);
	if (n->type == T_ANY)
		n->type = (enum type)n->payload->type;
	else
		n->payload->type = (uint8_t)n->type;
}

/*
 * Convert the words in a value to numbers, as field f defines them; without f they are fields of payloads.  `text': compared
 * with text.
 */
static void
resolve(struct expr *e, struct node *n, const struct field *f, bool text)
{
	if (!n)
		return;
	if (n->kind == N_WORD) {
		if (!f && !memchr(n->src->text + n->at, '.', n->len)) {
			n->quotes = text;
			node_set_payload(n, NULL);
			return;
		}
		if (!f || !field_word(f, n->src->text + n->at, n->len, &n->num))
			unknown(e, n, f, text);
		n->kind = N_NUM;
		n->type = T_INT;
		return;
	}
	resolve(e, n->a, f, text);
	resolve(e, n->b, f, text);
}

/* ---- constants ----------------------------------------------------------------------------------- */

/* Fold constants in a value. */
static void
reduce(struct expr *e, struct node *n)
{
	big a, b;

	if (!n || n->kind < N_NEG || n->kind > N_POPCOUNT)
		return;
	reduce(e, n->a);
	reduce(e, n->b);
	if (n->a->kind != N_NUM || (n->b && n->b->kind != N_NUM))
		return;
	a = n->a->num;
	b = n->b ? n->b->num : (big){ 0 };
	if (!value_calc(n->kind, a, b, &n->num))
		lex_wrong(e->t, n->src, n->at, (n->kind == N_DIV || n->kind == N_MOD) && big_zero(b) ? "division by 0" :
		    "the result exceeds 128 bits");
	n->kind = N_NUM;
	n->a = n->b = NULL;
}

/* ---- types --------------------------------------------------------------------------------------- */

static void
want_number(const struct expr *e, struct node *n)
{
	node_settle(n, T_INT);
	switch (n->type) {
	case T_INT:
	case T_ANY:
		return;
	case T_STR:
		lex_wrong(e->t, n->src, n->at, "expected a number, found text; text has == != ~ =~ in");
	case T_CHAIN:
		lex_wrong(e->t, n->src, n->at, "a call chain is not a number; use `in (ADDRESS..ADDRESS)', or callchain.nr for its length");
	case T_COND:
		lex_wrong(e->t, n->src, n->at, "expected a number, found a condition");
	}
}

struct node *
check_arith(struct expr *e, struct node *n)
{
	const struct field *f = words_of(n->a);

	want_number(e, n->a);
	if (n->b) {
		want_number(e, n->b);
		if (!f)
			f = words_of(n->b);
	}
	if (f) {
		resolve(e, n->a, f, false);
		resolve(e, n->b, f, false);
	}
	return n;
}

struct node *
check_call(struct expr *e, struct node *n)
{
	const struct field *f = words_of(n->a);

	if (!f && n->b)
		f = words_of(n->b);
	if (f) {
		resolve(e, n->a, f, false);
		resolve(e, n->b, f, false);
	}
	switch (n->kind) {
	case N_EXISTS:
		if (n->a->type == T_COND)
			lex_wrong(e->t, n->src, n->at, "exists() needs a field");
		resolve(e, n->a, f, false);
		break;
	case N_LEN:
		frames_check(e, n);
		resolve(e, n->a, NULL, false);
		if (n->a->payload && n->a->type == T_ANY) {
			field_payload_length(n->a->payload);
			n->a->type = T_INT;
			return n->a;
		}
		if (!is_text(n->a))
			lex_wrong(e->t, n->src, n->at, "len() needs text or a field of a payload");
		break;
	case N_DEFAULT:
		frames_check(e, n);
		node_settle(n->a, is_text(n->b) ? T_STR : T_INT);
		node_settle(n->b, n->a->type == T_STR ? T_STR : T_INT);
		n->type = n->a->type;
		if (is_text(n->a) && is_text(n->b))
			break;
		/* FALLTHROUGH */
	default:
		want_number(e, n->a);
		if (n->b)
			want_number(e, n->b);
	}
	return n;
}

struct node *
check_cond(struct expr *e, struct node *n)
{
	struct node *c;

	if (n->type == T_COND)
		return n;
	resolve(e, n, words_of(n), false);
	want_number(e, n);
	reduce(e, n);
	c = node_new(e, N_TRUTH, T_COND, n->src, n->at);
	c->a = n;
	return c;
}

struct node *
check_compare(struct expr *e, struct node *n)
{
	struct node *a = n->a, *b = n->kind == N_IN ? NULL : n->b;
	const struct field *f = words_of(a);
	bool text = is_text(a) || (b && is_text(b));

	if (!f)
		f = words_of(b);
	resolve(e, a, f, text);
	resolve(e, b, f, text);
	reduce(e, a);
	reduce(e, b);
	frames_check(e, n);
	if (n->kind == N_GLOB || n->kind == N_ERE) {
		node_settle(a, T_STR);
		if (!is_text(a))
			lex_wrong(e->t, n->src, n->at, "~ and =~ are for text, such as comm or event");
		if (n->kind == N_ERE)
			make_ere(e, n);
		return n;
	}
	if (n->kind == N_IN) {
		list_sort(n->list);
		if (a->type != T_STR && a->type != T_CHAIN)
			want_number(e, a);
		return n;
	}
	if (text) {
		node_settle(a, T_STR);
		node_settle(b, T_STR);
	} else if ((n->kind == N_EQ || n->kind == N_NE) && a->type == T_ANY && b->type == T_ANY)
		return n;				/* expr_bind() decides it by the formats */
	if (text && (n->kind == N_EQ || n->kind == N_NE) && is_text(a) && is_text(b))
		return n;
	if (text)
		lex_wrong(e->t, n->src, n->at, is_text(a) && is_text(b) ? "text has == != ~ =~ in, but no order" :
		    "text and numbers cannot be compared");
	want_number(e, a);
	want_number(e, b);
	return n;
}

/* An item of a list: a constant goes into the list, anything else becomes an item of its own. */
void
check_item(struct expr *e, struct node *in, struct node *item, const struct node *before)
{
	struct node *a = in->a, *last = item->kind == N_RANGE ? item->b : NULL, *first = last ? item->a : item;
	const struct field *f = words_of(a);
	struct node **to = &in->b;

	resolve(e, first, f, is_text(a));
	resolve(e, last, f, is_text(a));
	reduce(e, first);
	reduce(e, last);
	if (is_text(a)) {
		if (last || first->kind != N_STR)
			lex_wrong(e->t, item->src, item->at, "a list for text consists of strings in quotes");
		list_add_str(in->list, first->str);
		first->str = NULL;
		unmake(e, before);
		return;
	}
	want_number(e, first);
	if (last)
		want_number(e, last);
	if (first->kind == N_NUM && (!last || last->kind == N_NUM)) {
		if (last && big_less(last->num, first->num))
			lex_wrong(e->t, item->src, item->at, "this range ends before it begins");
		list_add(in->list, first->num, (last ? last : first)->num);
		unmake(e, before);
		return;
	}
	if (a->type == T_CHAIN)
		lex_wrong(e->t, item->src, item->at, "a list for callchain consists of constant addresses");
	while (*to)
		to = &(*to)->next;
	*to = item;
}

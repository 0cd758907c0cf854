/* SPDX-License-Identifier: ISC */
/*
 * fold.c - constant folding for one kind of record.
 *
 * For records of one kind (such as samples of one event) some fields are constant (event, attr.type), some are absent, and the
 * others are in each record.  So each node becomes KNOWN, UNKNOWN or LIVE.
 */
#include <string.h>

#include "field/event_match.h"
#include "kernel.h"
#include "tool/pattern.h"

static void
known_number(struct node *n, big value)
{
	n->state = KNOWN;
	n->sure = true;
	n->value = value;
	n->text = NULL;
	n->bits = (uint8_t)(big_bits(value) + 1);
}

/* Make a node KNOWN, with a text, or as a condition with 0 or 1. */
static void
known(struct node *n, bool value, const char *text)
{
	known_number(n, big_signed(value));
	n->text = text;
}

static void
live(struct node *n, bool sure, unsigned bits)
{
	n->state = LIVE;
	n->sure = sure;
	n->bits = (uint8_t)(bits > UINT8_MAX ? UINT8_MAX : bits);
}

static void
unknown(struct node *n)
{
	n->state = UNKNOWN;
	n->sure = false;
	n->bits = 0;
}

static void
field(const struct expr *e, const struct field_kind *k, struct node *n)
{
	field_access(&e->stream, n->field, k, &n->access);
	switch (n->access.at) {
	case AT_NONE:	unknown(n); break;
	case AT_NUMBER:	known_number(n, n->access.num); break;
	case AT_STRING:	known(n, 0, n->access.str); break;
	default:	live(n, n->access.sure, n->access.bits);
	}
}

/* a op b; `b' is NULL for operators with one operand.  total: these values have a result, if it is not too large. */
static void
arith(struct node *n, const struct node *a, const struct node *b, bool total)
{
	unsigned more = !b || a->bits > b->bits ? a->bits : b->bits;
	bool sure = total && a->sure && (!b || b->sure);

	if (a->state == UNKNOWN || (b && b->state == UNKNOWN)) {
		unknown(n);
		return;
	}
	if (a->state == KNOWN && (!b || b->state == KNOWN)) {
		big value;

		if (value_calc(n->kind, a->value, b ? b->value : (big){ 0 }, &value))
			known_number(n, value);
		else
			unknown(n);
		return;
	}
	if (n->kind == N_MUL)
		more = a->bits + b->bits;
	more++;
	live(n, sure && more <= 126, more);
}

static void
otherwise(struct node *n, const struct node *a, const struct node *b)
{
	const struct node *as = a->state == UNKNOWN ? b : a;

	if (a->state != LIVE || a->sure) {
		n->state = as->state;
		n->sure = as->sure;
		n->bits = as->bits;
		n->value = as->value;
		n->text = as->text;
	} else
		live(n, b->sure, a->bits > b->bits ? a->bits : b->bits);
}

/* Are the texts equal?  A name of an event also equals its other forms (event_match.h). */
static bool
same_text(const struct expr *e, const struct field_kind *k, struct node *a, struct node *b)
{
	if (node_is_event(b) && !node_is_event(a))
		return same_text(e, k, b, a);
	if (!node_is_event(a) || b->kind != N_STR)
		return !strcmp(a->text, b->text);
	if (b->named == NOT_LOOKED)
		b->named = event_match_loosely(b->str, e->stream.events, false) ? LOOSE : EXACT;
	return event_matches(b->str, k->ev, false, b->named == LOOSE);
}

static bool
event_in_list(const struct expr *e, const struct field_kind *k, const struct list *l)
{
	for (size_t i = 0; i < l->nstr; i++)
		if (event_matches(l->str[i], k->ev, false, event_match_loosely(l->str[i], e->stream.events, false)))
			return true;
	return false;
}

/* Comparisons: the result if both operands are KNOWN; otherwise whether it can be unknown. */
static void
compare(const struct expr *e, const struct field_kind *k, struct node *n, struct node *a, struct node *b)
{
	bool yes;

	if (a->state == UNKNOWN || (b && b->state == UNKNOWN)) {
		unknown(n);
		return;
	}
	if (a->state == LIVE || (b && b->state == LIVE)) {
		live(n, a->sure && (!b || b->sure), 1);
		return;
	}
	if (n->kind == N_TRUTH)
		yes = !big_zero(a->value);
	else if (n->kind == N_GLOB || n->kind == N_ERE) {
		if (strlen(a->text) > EXPR_NAME) {
			unknown(n);
			return;
		}
		yes = n->kind == N_GLOB ? pattern_match(n->str, a->text) : !regexec(n->ere, a->text, 0, NULL, 0);
	} else if (a->type == T_STR)
		yes = same_text(e, k, a, b) == (n->kind == N_EQ);
	else
		yes = value_compare(n->kind, a->value, b->value);
	known(n, yes, NULL);
}

static void
in(struct expr *e, const struct field_kind *k, struct node *n)
{
	bool sure = n->a->sure;

	for (struct node *item = n->b; item; item = item->next) {
		if (item->kind == N_RANGE) {
			fold(e, k, item->a);
			fold(e, k, item->b);
			sure &= item->a->sure && item->b->sure;
		} else {
			fold(e, k, item);
			sure &= item->sure;
		}
	}
	if (n->a->state == UNKNOWN)
		unknown(n);
	else if (n->a->state == KNOWN && node_is_event(n->a))
		known(n, event_in_list(e, k, n->list), NULL);
	else if (n->a->state == KNOWN && n->a->type == T_STR)
		known(n, list_has_str(n->list, n->a->text), NULL);
	else if (n->a->state == KNOWN && (!n->b || list_has(n->list, n->a->value)))
		known(n, list_has(n->list, n->a->value), NULL);
	else
		live(n, sure, 1);
}

/* AND and OR: one operand can determine the result whatever the other is. */
static void
both(struct node *n, const struct node *a, const struct node *b)
{
	bool decides = n->kind == N_OR;

	if ((a->state == KNOWN && big_zero(a->value) != decides) || (b->state == KNOWN && big_zero(b->value) != decides))
		known(n, decides, NULL);
	else if (a->state == KNOWN && b->state == KNOWN)
		known(n, !decides, NULL);
	else if (a->state != LIVE && b->state != LIVE)
		unknown(n);
	else
		live(n, a->sure && b->sure, 1);
}

/* Make a whole tree false. */
static void
never(struct node *n)
{
	if (n->a)
		never(n->a);
	if (n->b)
		never(n->b);
	known(n, false, NULL);
}

/* As its operand, which decides for samples of one event. */
static void
as(struct node *n, const struct node *a)
{
	n->state = a->state;
	n->sure = a->sure;
	n->value = a->value;
	n->bits = a->bits;
}

/* A predicate of the kernel. */
static void
kernel(struct expr *e, const struct field_kind *k, struct node *n)
{
	kernel_choose(e, n, k->ev);
	if (n->a) {
		fold(e, k, n->a);
		as(n, n->a);
		return;
	}
	fold(e, k, n->b);
	if (n->b->state == LIVE)
		live(n, false, 1);
	else
		unknown(n);
}

void
fold(struct expr *e, const struct field_kind *k, struct node *n)
{
	struct node *a = n->a, *b = n->b;

	if (n->kind == N_KERNEL) {
		kernel(e, k, n);
		return;
	}
	if (n->kind == N_EVENT && (k->type != PP_SAMPLE || !kernel_is_of(e, n, k->ev))) {
		never(n);
		return;
	}
	if (a)
		fold(e, k, a);
	if (b && n->kind != N_IN)
		fold(e, k, b);
	switch (n->kind) {
	case N_NUM:	known_number(n, n->num); break;
	case N_STR:	known(n, 0, n->str); break;
	case N_FIELD:	field(e, k, n); break;
	case N_LEN:
		if (a->state == KNOWN)
			known_number(n, big_plain(strlen(a->text)));
		else if (a->state == LIVE)
			live(n, a->sure, 64);
		else
			unknown(n);
		break;
	case N_DEFAULT:	otherwise(n, a, b); break;
	case N_EXISTS:
		if (a->state == LIVE && !a->sure)
			live(n, true, 1);
		else
			known(n, a->state != UNKNOWN, NULL);
		break;
	case N_IN:	in(e, k, n); break;
	case N_NOT:
		n->state = a->state;
		n->sure = a->sure;
		n->value = big_signed(big_zero(a->value));
		break;
	case N_AND:
	case N_OR:	both(n, a, b); break;
	case N_EVENT:	as(n, a); break;
	case N_NEG: case N_ADD: case N_SUB: case N_MUL: case N_BAND: case N_BXOR: case N_BOR: case N_MIN: case N_MAX: case N_ABS:
		arith(n, a, b, true);
		break;
	case N_DIV: case N_MOD:
		arith(n, a, b, b->state == KNOWN && !big_zero(b->value));
		break;
	case N_POPCOUNT:
		arith(n, a, b, a->kind == N_FIELD && !a->access.sign);
		break;
	case N_EQ: case N_NE: case N_LT: case N_LE: case N_GT: case N_GE: case N_GLOB: case N_ERE: case N_TRUTH:
		compare(e, k, n, a, b);
		break;
	case N_WORD: case N_RANGE: case N_KERNEL:	/* it was replaced; in() and kernel() have these */
		break;
	}
}

/* SPDX-License-Identifier: ISC */
/* explain.c - --explain: the expression as parsed, the fields that need time order, the program for each event */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static const char *const signs[] = {
	[N_ADD] = "+", [N_SUB] = "-", [N_MUL] = "*", [N_DIV] = "/", [N_MOD] = "%", [N_BAND] = "&", [N_BXOR] = "^", [N_BOR] = "|",
#define FUNCTION(NAME, name) [N_##NAME] = name,
	EXPR_FUNCTIONS(FUNCTION)
#undef FUNCTION
	[N_EQ] = "==", [N_NE] = "!=", [N_LT] = "<", [N_LE] = "<=", [N_GT] = ">", [N_GE] = ">=",
	[N_GLOB] = "~", [N_ERE] = "=~", [N_AND] = "&&", [N_OR] = "||",
};

/* ---- the tree ------------------------------------------------------------------------------------ */

static void
explain_put_big(FILE *to, big n)
{
	char text[48];

	big_text(n, text);
	fputs(text, to);
}

static void
explain_put_text(FILE *to, const char *s)
{
	char *safe = tool_vis(s, strlen(s));

	fprintf(to, "\"%s\"", safe);
	free(safe);
}

static void
explain_put_list(FILE *to, const struct list *l)
{
	enum { SHOWN = 8 };
	size_t n = l->n + l->nstr;

	for (size_t i = 0; i < n && i < SHOWN; i++) {
		fputs(i ? ", " : "", to);
		if (l->nstr)
			explain_put_text(to, l->str[i]);
		else {
			explain_put_big(to, l->r[i].lo);
			if (!big_equal(l->r[i].hi, l->r[i].lo)) {
				fputs("..", to);
				explain_put_big(to, l->r[i].hi);
			}
		}
	}
	if (n > SHOWN)
		fprintf(to, ", ... %zu more", n - SHOWN);
}

/* The text of a node, as written. */
static void
explain_put_source(FILE *to, const struct node *n)
{
	char *safe = tool_vis(n->src->text + n->at, n->len);

	fputs(safe, to);
	free(safe);
}

static void
explain_put_node(FILE *to, const struct node *n)
{
	switch (n->kind) {
	case N_NUM:	explain_put_big(to, n->num); break;
	case N_STR:	explain_put_text(to, n->str); break;
	case N_FIELD:	fputs(n->field->name, to); break;
	case N_EVENT:	explain_put_source(to, n); break;
	case N_TRUTH:
		explain_put_node(to, n->a);
		fputs(" != 0", to);
		break;
	case N_NEG:
	case N_NOT:
		fputs(n->kind == N_NEG ? "-(" : "!(", to);
		explain_put_node(to, n->a);
		putc(')', to);
		break;
	case N_GLOB:
	case N_ERE:
		explain_put_node(to, n->a);
		fprintf(to, " %s ", signs[n->kind]);
		explain_put_text(to, n->str);
		break;
	case N_RANGE:
		explain_put_node(to, n->a);
		fputs("..", to);
		explain_put_node(to, n->b);
		break;
	case N_IN:
		explain_put_node(to, n->a);
		fputs(" in (", to);
		explain_put_list(to, n->list);
		for (const struct node *item = n->b; item; item = item->next) {
			fputs(item != n->b || n->list->n ? ", " : "", to);
			explain_put_node(to, item);
		}
		putc(')', to);
		break;
#define FUNCTION(NAME, name) case N_##NAME:
	EXPR_FUNCTIONS(FUNCTION)
#undef FUNCTION
		fprintf(to, "%s(", signs[n->kind]);
		explain_put_node(to, n->a);
		if (n->b) {
			fputs(", ", to);
			explain_put_node(to, n->b);
		}
		putc(')', to);
		break;
	case N_ADD: case N_SUB: case N_MUL: case N_DIV: case N_MOD: case N_BAND: case N_BXOR: case N_BOR:
	case N_EQ: case N_NE: case N_LT: case N_LE: case N_GT: case N_GE: case N_AND: case N_OR:
		fputs(n->a->a && n->a->kind != N_FIELD ? "(" : "", to);
		explain_put_node(to, n->a);
		fprintf(to, "%s %s %s", n->a->a && n->a->kind != N_FIELD ? ")" : "", signs[n->kind], n->b->a ? "(" : "");
		explain_put_node(to, n->b);
		fputs(n->b->a ? ")" : "", to);
		break;
	case N_WORD: case N_KERNEL:	/* it was replaced; an N_EVENT has it */
		break;
	}
}

/* ---- programs ------------------------------------------------------------------------------------ */

/* Print the place of a value, after the name of the field that is there, if any. */
static void
explain_put_place(FILE *to, const struct program *p, const struct insn *i, const struct node *from)
{
	bool named = from && from->kind == N_FIELD;

	if (named && from->payload) {
		fprintf(to, "%c%u %s at RAW+%d", i->sign ? 's' : 'u', 8 * i->width, strchr(from->field->name, '.') + 1,
		    i->off - p->raw - 4);
		return;
	}
	if (named)
		fprintf(to, "%s (", from->field->name);
	if (i->end)
		fprintf(to, "u%u at end-%d", 8 * i->width, -i->off);
	else
		fprintf(to, "%c%u at byte %d", i->sign ? 's' : 'u', 8 * i->width, i->off);
	if (i->shift)
		fprintf(to, " >> %u", i->shift);
	if (!i->sign && i->mask != (i->width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * i->width) - 1))
		fprintf(to, " & 0x%jx", (uintmax_t)i->mask);
	if (named)
		putc(')', to);
}

/* Print the numbers that a test of a place accepts, or with negate rejects. */
static void
explain_put_span(FILE *to, const struct insn *i, bool payload)
{
	uint64_t max = i->sign ? (uint64_t)INT64_MAX >> (64 - 8 * i->width) : i->width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * i->width) - 1;

	if (i->span && i->lo + i->span == max) {
		fprintf(to, i->sign ? " %s %jd" : " %s %ju", i->negate ? "<" : ">=", (uintmax_t)i->lo);
		return;
	}
	if (payload && !i->span)
		fputs(i->negate ? " != " : " == ", to);
	else
		fputs(i->negate ? " is not " : " is ", to);
	if (i->sign)
		fprintf(to, i->span ? "%jd..%jd" : "%jd", (intmax_t)i->lo, (intmax_t)(i->lo + i->span));
	else
		fprintf(to, i->span ? "%ju..%ju" : "%ju", (uintmax_t)i->lo, (uintmax_t)(i->lo + i->span));
}

static void
explain_put_where(FILE *to, const struct program *p, size_t at, uint16_t where)
{
	enum op op = (enum op)p->code[where].op;

	if (op == OP_YES || op == OP_NO)
		fputs(op == OP_YES ? "keep" : "drop", to);
	else if (where == at + 1)
		fputs("next", to);
	else
		fprintf(to, "%u", where);
}

static bool
explain_is_test(enum op op)
{
	return op < OP_IF_NO;
}

static void
explain_put_if(FILE *to, const struct program *p, size_t at)
{
	const struct insn *i = &p->code[at];
	bool if_no = i->op == OP_IF_NO;

	fprintf(to, "if %s: ", if_no ? "no" : "yes");
	explain_put_where(to, p, at, if_no ? i->no : i->yes);
	if ((if_no ? i->yes : i->no) != at + 1) {
		fputs("  else: ", to);
		explain_put_where(to, p, at, if_no ? i->yes : i->no);
	}
}

static void
explain_put_count(FILE *to, size_t n, const char *what)
{
	fprintf(to, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

static void
explain_put_test(FILE *to, const struct program *p, const struct insn *i, const struct node *from)
{
	static const char *const results[] = { [EXPR_NO] = "no", [EXPR_YES] = "yes", [EXPR_UNKNOWN] = "unknown" };

	switch ((enum op)i->op) {
	case OP_SMALL: case OP_U32: case OP_S32: case OP_U64:
		explain_put_place(to, p, i, from->a);
		explain_put_span(to, i, from->a->payload);
		break;
	case OP_LIST:
		explain_put_place(to, p, i, from->a);
		fprintf(to, " in ");
		explain_put_count(to, i->nkey, "range");
		break;
	case OP_PAIR:
		explain_put_place(to, p, i, from->a);
		fprintf(to, " %s ", signs[i->what]);
		explain_put_place(to, p, i + 1, from->b);
		break;
	case OP_COMPARE:	fputs(signs[i->what], to); break;
	case OP_STR_EQ:		fputs(i->negate ? "!= text" : "== text", to); break;
	case OP_GLOB:
	case OP_ERE:
		fprintf(to, "%s ", signs[from->kind]);
		explain_put_text(to, from->str);
		break;
	case OP_IN:
	case OP_IN_STR:
		fputs("in ", to);
		explain_put_count(to, i->node->list->n + i->node->list->nstr, i->op == OP_IN ? "range" : "text");
		break;
	case OP_CHAIN:
		fputs("call chain in ", to);
		explain_put_count(to, i->node->list->n, "range");
		break;
	case OP_FRAMES:
		fputs("any frame: ", to);
		explain_put_node(to, i->node);
		break;
	case OP_TRUTH:		fputs("!= 0", to); break;
	case OP_EXISTS:		fputs("exists", to); break;
	default:		fputs(results[i->what], to); break;
	}
}

/* What OP_FETCH fetches from samples of the event. */
static void
explain_fetch(const struct field *f, const struct pp_event *ev, char *to, size_t size)
{
	if (f->payload)
		field_payload_text(f, ev, to, size);
	else
		snprintf(to, size, "%s", f->name);
}

/* What OP_KERNEL looks at in samples of the event. */
static void
explain_kernel(const struct insn *i, const struct pp_event *ev, char *to, size_t size)
{
	explain_fetch(kernel_field_of(i->node, i->negate), ev, to, size);
}

static void
explain_put_kernel(FILE *to, const struct pp_event *ev, const struct insn *i)
{
	const struct node *n = i->node;
	char place[256], *safe;
	size_t len;
	const char *rest = kernel_rest(n, &len);

	explain_kernel(i, ev, place, sizeof place);
	safe = tool_vis(rest, len);
	fprintf(to, "%s%s", place, safe);
	free(safe);
}

static void
explain_put_step(FILE *to, const struct program *p, const struct pp_event *ev, const struct insn *i, const struct node *from)
{
	char place[256];

	switch ((enum op)i->op) {
	case OP_PUSH:	fputs("save verdict", to); break;
	case OP_AND:	fputs("verdict && saved verdict", to); break;
	case OP_OR:	fputs("verdict || saved verdict", to); break;
	case OP_NOT:	fputs("negate verdict", to); break;
	case OP_END:	fputs("keep if yes", to); break;
	case OP_YES:	fputs("keep", to); break;
	case OP_NO:	fputs("drop", to); break;
	case OP_NUM:
		if (i->negate)
			fputs("unknown", to);
		else
			explain_put_big(to, (big){ i->lo, (int64_t)i->span });
		break;
	case OP_STR:
		explain_put_text(to, i->str ? i->str : "");
		break;
	case OP_LOAD:
		if (from->payload)
			explain_put_place(to, p, i, from);
		else {
			fprintf(to, "%s = ", from->field->name);
			explain_put_place(to, p, i, NULL);
		}
		break;
	case OP_FETCH:
		explain_fetch(i->field, ev, place, sizeof place);
		fprintf(to, "fetch %s", place);
		break;
	case OP_CALC:	fputs(signs[i->what], to); break;
	case OP_CALC1:	fputs(i->what == N_NEG ? "negate" : signs[i->what], to); break;
	case OP_DEFAULT: fputs("default", to); break;
	case OP_SET:	fputs("x =", to); break;
	default:	fputs("x", to); break;
	}
}

static void
explain_put_program(FILE *to, const struct program *p, const struct pp_event *ev)
{
	for (size_t at = 0; at < p->n; at++) {
		const struct insn *i = &p->code[at];

		if (at && i[-1].op == OP_PAIR)
			continue;
		fprintf(to, "  %3zu  ", at);
		if (i->op == OP_IF_NO || i->op == OP_IF_YES)
			explain_put_if(to, p, at);
		else if (!explain_is_test((enum op)i->op))
			explain_put_step(to, p, ev, i, p->from[at]);
		else if (i->op == OP_KERNEL)
			explain_put_kernel(to, ev, i);
		else
			explain_put_test(to, p, i, p->from[at]);
		if (explain_is_test((enum op)i->op) && i->yes != i->no) {
			fputs("  yes: ", to);
			explain_put_where(to, p, at, i->yes);
			fputs("  no: ", to);
			explain_put_where(to, p, at, i->no);
		}
		putc('\n', to);
	}
}

static void
explain_looks(const struct insn *i, const struct pp_event *ev, char *to, size_t size)
{
	if (i->op == OP_KERNEL)
		explain_kernel(i, ev, to, size);
	else
		explain_fetch(i->field, ev, to, size);
}

/* Are the programs for two events the same, and do they fetch from the same places? */
static bool
explain_same(const struct program *p, const struct pp_event *a, const struct program *q, const struct pp_event *b)
{
	char pa[256], qb[256];

	if (p->n != q->n || p->raw != q->raw || memcmp(p->code, q->code, p->n * sizeof *p->code) != 0)
		return false;
	for (size_t i = 0; i < p->n; i++)
		if (p->code[i].op == OP_FETCH || p->code[i].op == OP_KERNEL) {
			explain_looks(&p->code[i], a, pa, sizeof pa);
			explain_looks(&p->code[i], b, qb, sizeof qb);
			if (strcmp(pa, qb) != 0)
				return false;
		}
	return true;
}

/* The programs for samples; events with the same program are listed together. */
static void
explain_put_programs(FILE *to, struct expr *e)
{
	enum { SHOWN = 64 };
	unsigned n = e->stream.events->n < SHOWN ? e->stream.events->n : SHOWN;
	struct pp_event *const *ev = e->stream.events->ev;
	struct program *p[SHOWN];

	for (unsigned i = 0; i < n; i++)
		p[i] = compile(e, &(struct field_kind){ .ev = ev[i], .type = PP_SAMPLE, .quick = true });
	for (unsigned i = 0; i < n; i++) {
		unsigned first = 0;

		while (!explain_same(p[first], ev[first], p[i], ev[i]))
			first++;
		if (first < i)
			continue;
		fputs("samples of", to);
		for (unsigned k = i; k < n; k++)
			if (explain_same(p[k], ev[k], p[i], ev[i])) {
				char *name = tool_vis(ev[k]->name, strlen(ev[k]->name));

				fprintf(to, "%s %s", k > i ? "," : "", name);
				free(name);
			}
		fputs(":\n", to);
		explain_put_program(to, p[i], ev[i]);
	}
	if (n < e->stream.events->n)
		fprintf(to, "%u more events are not shown\n", e->stream.events->n - n);
	for (unsigned i = 0; i < n; i++)
		program_free(p[i]);
}

static void
explain_put_order(FILE *to, const struct expr *e, bool waits)
{
	const char *between = waits ? "needs time order: " :
	    "needs the input in time order: ";

	if (!e->state && !(e->start && waits)) {
		fputs(waits ? "tested in time order, because another option needs it\n" : "tested at once, in the order of the input\n", to);
		return;
	}
	for (const struct node *n = e->nodes; n; n = n->made)
		if (n->kind == N_FIELD && (field_needs_state(n->field) || field_needs_start(n->field))) {
			fprintf(to, "%s%s", between, n->field->name);
			between = ", ";
		}
	putc('\n', to);
}

/* Of which events can each EVENT{FILTER} be true? */
static void
explain_put_events(FILE *to, struct expr *e)
{
	const struct pp_events *events = e->stream.events;

	for (struct node *n = e->nodes; n; n = n->made) {
		bool any = false;

		if (n->kind != N_EVENT)
			continue;
		explain_put_source(to, n);
		fputs(" can be true of", to);
		for (unsigned i = 0; i < events->n; i++)
			if (kernel_is_of(e, n, events->ev[i]) && !(i && !strcmp(events->ev[i]->name, events->ev[i - 1]->name))) {
				char *name = tool_vis(events->ev[i]->name, strlen(events->ev[i]->name));

				fprintf(to, "%s %s", any ? "," : "", name);
				free(name);
				any = true;
			}
		fputs(any ? "\n" : " no event\n", to);
	}
}

void
expr_explain(struct expr *e, bool waits, FILE *to)
{
	if (!e)
		return;
	fputs("filter: ", to);
	explain_put_node(to, e->root);
	putc('\n', to);
	explain_put_order(to, e, waits);
	if (!e->stream.events)
		return;
	explain_put_events(to, e);
	explain_put_programs(to, e);
}

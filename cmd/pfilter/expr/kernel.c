/* SPDX-License-Identifier: ISC */
/*
 * kernel.c - EVENT{FILTER}: the kernel's grammar
 *
 *	filter := and { "||" and }
 *	and    := not { "&&" not }
 *	not    := "!" not | "(" filter ")" | NAME OP VALUE		"!a == 1" negates the comparison
 *	        | NAME ".function" OP (digits in base 0 | what lies before a blank or "}")
 *	VALUE  := ["-"] digits in base 0 | "text" | 'text' | "CPUS{" list "}"
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "field/event_match.h"
#include "kernel.h"

void
kernel_free(struct kernel *k)
{
	if (!k)
		return;
	free(k->text.s);
	free(k->function);
	list_free(k->cpus);
	free(k);
}

/* ---- grammar ------------------------------------------------------------------------------------- */

struct reader {
	struct expr	*e;
	const struct expr_source *src;
	size_t		 pos;
	unsigned	 depth;
};

static char
kernel_at(const struct reader *r, size_t i)
{
	return i < r->src->n ? r->src->text[i] : 0;
}

static char
kernel_skip(struct reader *r)
{
	while (kernel_at(r, r->pos) && strchr(" \t\n\v\f\r", kernel_at(r, r->pos)))
		r->pos++;
	return kernel_at(r, r->pos);
}

static bool
kernel_in_name(char c)
{
	return isascii(c) && (isalnum(c) || c == '_');
}

static bool
kernel_takes(struct reader *r, const char *s)
{
	const size_t n = strlen(s);

	if (r->src->n - r->pos < n || memcmp(r->src->text + r->pos, s, n) != 0)
		return false;
	r->pos += n;
	return true;
}

static struct node *
kernel_make(const struct reader *r, enum node_kind kind, enum type type, size_t at, struct node *a, struct node *b)
{
	struct node *n = node_new(r->e, kind, type, r->src, at);

	n->a = a;
	n->b = b;
	return n;
}

static _Noreturn void
kernel_expected(const struct reader *r, const char *what)
{
	if (r->pos >= r->src->n)
		lex_wrong(r->e->t, r->src, r->src->n, "ends where %s is expected in the braces of EVENT{...}", what);
	lex_wrong(r->e->t, r->src, r->pos, "expected %s, in the language of perf record --filter", what);
}

static enum node_kind
kernel_op(struct reader *r)
{
	static const struct { const char *s; enum node_kind op; } ops[] = {	/* longest first */
		{ "~", N_GLOB }, { "!=", N_NE }, { "==", N_EQ }, { "<=", N_LE }, { "<", N_LT }, { ">=", N_GE }, { ">", N_GT },
		{ "&", N_BAND },
	};

	kernel_skip(r);
	if (kernel_at(r, r->pos) == '&' && kernel_at(r, r->pos + 1) == '&')
		kernel_expected(r, "an operator and a value, as a field alone is no predicate");
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (kernel_takes(r, ops[i].s))
			return ops[i].op;
	kernel_expected(r, "== != < <= > >= & or ~");
}

static void
kernel_string(struct reader *r, struct kernel *k, char quote)
{
	const size_t from = r->pos + 1;
	size_t to = from;

	if (k->op != N_EQ && k->op != N_NE && k->op != N_GLOB)
		lex_wrong(r->e->t, r->src, r->pos, "text has == != and ~");
	while (to < r->src->n && kernel_at(r, to) != quote)
		to++;
	if (to >= r->src->n)
		lex_wrong(r->e->t, r->src, r->pos, "the string has no end");
	if (to - from >= KERNEL_STRING)
		lex_wrong(r->e->t, r->src, r->pos, "a text of more than %d bytes", KERNEL_STRING - 1);
	kernel_text_make(&k->text, r->src->text + from, to - from, k->op == N_GLOB);
	k->by = BY_TEXT;
	r->pos = to + 1;
}

static uint64_t
kernel_cpu(struct reader *r)
{
	uint64_t n = 0;

	if (!isascii(kernel_at(r, r->pos)) || !isdigit(kernel_at(r, r->pos)))
		kernel_expected(r, "the number of a CPU");
	for (; isascii(kernel_at(r, r->pos)) && isdigit(kernel_at(r, r->pos)); r->pos++)
		if ((n = 10 * n + (uint64_t)(kernel_at(r, r->pos) - '0')) >= KERNEL_CPUS)
			lex_wrong(r->e->t, r->src, r->pos, "there is no CPU of that number");
	return n;
}

/* "0-1,3}" behind "CPUS{". */
static void
kernel_cpus(struct reader *r, struct kernel *k)
{
	if (k->op != N_EQ && k->op != N_NE && k->op != N_BAND)
		lex_wrong(r->e->t, r->src, r->pos, "CPUS{} has == != and &");
	k->by = BY_CPUS;
	k->cpus = tool_alloc(1, sizeof *k->cpus);
	do {
		uint64_t lo = kernel_cpu(r), hi = lo;

		if (kernel_takes(r, "-") && (hi = kernel_cpu(r)) < lo)
			lex_wrong(r->e->t, r->src, r->pos, "this range ends before it begins");
		list_add(k->cpus, big_plain(lo), big_plain(hi));
	} while (kernel_takes(r, ","));
	if (!kernel_takes(r, "}"))
		kernel_expected(r, "`,' or `}'");
	list_sort(k->cpus);
	k->one = k->cpus->n == 1 && big_equal(k->cpus->r->lo, k->cpus->r->hi);
}

static void
kernel_digits(struct reader *r, struct kernel *k)
{
	const size_t from = r->pos;

	if (k->op == N_GLOB)
		lex_wrong(r->e->t, r->src, r->pos, "~ needs a text in quotes");
	r->pos += kernel_at(r, r->pos) == '-';
	while (isascii(kernel_at(r, r->pos)) && isalnum(kernel_at(r, r->pos)))
		r->pos++;
	if (r->pos - from >= KERNEL_NUMBER)
		lex_wrong(r->e->t, r->src, from, "a number of more than %d characters", KERNEL_NUMBER - 1);
	memcpy(k->number, r->src->text + from, r->pos - from);
}

/* Behind "NAME.function OP": an address in the function, or its name. */
static void
kernel_function(struct reader *r, struct kernel *k)
{
	const size_t from = r->pos;

	if (k->op != N_EQ && k->op != N_NE)
		lex_wrong(r->e->t, r->src, from, ".function has == and !=");
	k->by = BY_FUNCTION;
	k->function_at = from;
	if (isascii(kernel_at(r, from)) && isdigit(kernel_at(r, from))) {
		kernel_digits(r, k);
		return;
	}
	while (kernel_at(r, r->pos) && kernel_at(r, r->pos) != '}' && !strchr(" \t\n\v\f\r", kernel_at(r, r->pos)))
		r->pos++;
	if (r->pos == from)
		kernel_expected(r, "the name of a function, or an address in it");
	k->function = tool_alloc(r->pos - from + 1, 1);
	memcpy(k->function, r->src->text + from, r->pos - from);
}

static enum kernel_own
kernel_own(const char *name, size_t n)
{
	static const struct { const char *name; enum kernel_own own; } names[] = {
		{ "CPU", OWN_CPU }, { "cpu", OWN_CPU }, { "common_cpu", OWN_CPU }, { "COMM", OWN_COMM }, { "comm", OWN_COMM },
		{ "STACKTRACE", OWN_STACK }, { "stacktrace", OWN_STACK }, { "common_stacktrace", OWN_STACK },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i].name) == n && !memcmp(names[i].name, name, n))
			return names[i].own;
	return OWN_NONE;
}

/* The field of the payload ([0]) or of the sample. */
static struct node *
kernel_field(const struct reader *r, struct kernel *k, size_t at, size_t n, int own)
{
	const bool number = k->by == BY_NUMBER || k->by == BY_FUNCTION || (k->by == BY_CPUS && own);
	struct node *f = kernel_make(r, N_FIELD, number ? T_INT : T_ANY, at, NULL, NULL);

	f->len = n;
	f->guarded = f->kernel = true;
	if (!own)
		node_set_payload(f, NULL);
	else {
		f->field = k->own_name == OWN_CPU ? field_find("cpu", 3) : field_find("comm", 4);
		f->type = (enum type)f->field->type;
		r->e->state |= field_needs_state(f->field);
	}
	return f;
}

/* The comparison of a field with the constant, of which there are several if it is a list of CPUs, or a function. */
static struct node *
kernel_tree(const struct reader *r, struct kernel *k, struct node *f, size_t at)
{
	struct node *n;

	if (k->by == BY_FUNCTION) {
		n = kernel_make(r, N_IN, T_COND, at, f, NULL);
		k->addresses = n->list = tool_alloc(1, sizeof *n->list);
		return k->op == N_NE ? kernel_make(r, N_NOT, T_COND, at, n, NULL) : n;
	}
	if (k->by == BY_CPUS && !k->one) {
		n = kernel_make(r, N_IN, T_COND, at, f, NULL);
		n->list = tool_alloc(1, sizeof *n->list);
		for (size_t i = 0; i < k->cpus->n; i++)
			list_add(n->list, k->cpus->r[i].lo, k->cpus->r[i].hi);
		return n;
	}
	if (k->op == N_BAND && k->by == BY_NUMBER)
		return kernel_make(r, N_TRUTH, T_COND, at, kernel_make(r, N_BAND, T_INT, at, f, k->num), NULL);
	return kernel_make(r, k->op == N_BAND ? N_EQ : k->op, T_COND, at, f, k->num);
}

static struct node *
kernel_predicate(struct reader *r)
{
	const size_t at = r->pos;
	struct node *n = kernel_make(r, N_KERNEL, T_COND, at, NULL, NULL);
	struct kernel *k = n->kernel_filter = tool_alloc(1, sizeof *k);
	bool function;
	char c;

	while (kernel_in_name(kernel_at(r, r->pos)))
		r->pos++;
	if (!(n->len = r->pos - at))
		kernel_expected(r, "the name of a field");
	if (kernel_takes(r, ".ustring"))
		lex_wrong(r->e->t, r->src, at, ".ustring is known only at record time (perf record --filter)");
	function = kernel_takes(r, ".function");
	k->op = kernel_op(r);
	if (!function)
		k->own_name = kernel_own(r->src->text + at, n->len);
	c = kernel_skip(r);
	if (function)
		kernel_function(r, k);
	else if (c == '"' || c == '\'')
		kernel_string(r, k, c);
	else if (kernel_takes(r, "CPUS{"))
		kernel_cpus(r, k);
	else if (c == '-' || (isascii(c) && isdigit(c)))
		kernel_digits(r, k);
	else
		kernel_expected(r, "a number, a text in quotes, or CPUS{0-1}");
	k->end = r->pos;
	k->field[0] = kernel_field(r, k, at, n->len, 0);
	if (k->own_name == OWN_CPU || k->own_name == OWN_COMM)
		k->field[1] = kernel_field(r, k, at, n->len, 1);
	if (k->by != BY_TEXT) {
		k->num = kernel_make(r, N_NUM, T_INT, at, NULL, NULL);
		k->flat = kernel_make(r, N_TRUTH, T_COND, at, kernel_make(r, N_NUM, T_INT, at, NULL, NULL), NULL);
		for (int i = 0; i < 2; i++) {
			struct node *f = k->field[i];

			if (f && k->by == BY_CPUS && !i) {	/* field[0] may also be a CPU mask */
				f = kernel_field(r, k, at, n->len, 0);
				node_settle(f, T_INT);
			}
			if (f)
				k->tree[i] = kernel_tree(r, k, f, at);
		}
	}
	return n;
}

static struct node *kernel_or(struct reader *);

static struct node *
kernel_not(struct reader *r)
{
	const char c = kernel_skip(r);
	const size_t at = r->pos;
	struct node *n;

	if (c != '!' && c != '(')
		return kernel_predicate(r);
	if (++r->depth > EXPR_DEPTH)
		lex_wrong(r->e->t, r->src, at, "nested deeper than %d", EXPR_DEPTH);
	r->pos++;
	if (c == '!')
		n = kernel_make(r, N_NOT, T_COND, at, kernel_not(r), NULL);
	else {
		n = kernel_or(r);
		if (!kernel_takes(r, ")"))
			kernel_expected(r, "`)', `&&' or `||'");
	}
	r->depth--;
	return n;
}

static struct node *
kernel_and(struct reader *r)
{
	struct node *n = kernel_not(r);

	for (size_t at = (kernel_skip(r), r->pos); kernel_takes(r, "&&"); at = (kernel_skip(r), r->pos))
		n = kernel_make(r, N_AND, T_COND, at, n, kernel_not(r));
	return n;
}

static struct node *
kernel_or(struct reader *r)
{
	struct node *n = kernel_and(r);

	for (size_t at = r->pos; kernel_takes(r, "||"); at = r->pos)
		n = kernel_make(r, N_OR, T_COND, at, n, kernel_and(r));
	return n;
}

struct node *
kernel_parse(struct expr *e, struct lex *l)
{
	struct reader r = { .e = e, .src = l->src, .pos = l->pos };
	struct node *n = node_new(e, N_EVENT, T_COND, l->src, l->at);

	n->str = tool_alloc(l->len, 1);			/* the token ends with `{' */
	memcpy(n->str, l->src->text + l->at, l->len - 1);
	n->a = kernel_or(&r);
	if (!kernel_takes(&r, "}"))
		kernel_expected(&r, "`}', `&&' or `||'");
	n->len = r.pos - n->at;
	l->pos = r.pos;
	return n;
}

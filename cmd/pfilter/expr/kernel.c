/* SPDX-License-Identifier: ISC */
/*
 * kernel.c - EVENT{FILTER}: the kernel's grammar, and what it means for the format of an event
 *
 *	filter := and { "||" and }
 *	and    := not { "&&" not }
 *	not    := "!" not | "(" filter ")" | NAME OP VALUE		"!a == 1" negates the comparison
 *	VALUE  := ["-"] digits in base 0 | "text" | 'text' | "CPUS{" list "}"
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "event_match.h"
#include "kernel.h"

enum {
	KERNEL_STRING = 256,		/* a text is shorter */
	KERNEL_NUMBER = 24,		/* so is a number */
	KERNEL_CPUS = 8192,		/* no kernel has more */
	KERNEL_COMM = 16,		/* bytes of a task's name with NUL */
	KERNEL_WHY = 256,		/* for kernel_refuses() */
};
enum kernel_own { OWN_NONE, OWN_CPU, OWN_COMM, OWN_STACK };

struct kernel {				/* a predicate */
	enum { BY_NUMBER, BY_TEXT, BY_CPUS } by;
	enum node_kind	 op;		/* N_EQ ... N_GE, N_BAND, N_GLOB */
	char		 number[KERNEL_NUMBER];
	struct kernel_text text;
	struct list	*cpus;
	bool		 one;		/* a single CPU */
	enum kernel_own	 own_name;	/* what the name is if the event has no field of that name */
	struct node	*field[2];	/* of the payload; of the sample, NULL: the name means none */
	struct node	*num;		/* constant of both trees: set for each event */
	struct node	*tree[2], *flat;	/* comparisons of a number: of the payload, of the sample; a constant */
	size_t		 end;		/* position in the text */
	bool		 warned;
};

void
kernel_free(struct kernel *k)
{
	if (!k)
		return;
	free(k->text.s);
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

/* By base 0 and the sign of the field; false: it is no such number. */
static bool
kernel_value(const char *s, bool sign, big *value)
{
	const bool minus = *s == '-';
	unsigned base = 10;
	uint64_t n = 0;

	if (minus && !sign)
		return false;
	s += minus;
	if (*s == '0')
		base = (s[1] | 32) == 'x' && isxdigit((unsigned char)s[2]) ? 16 : 8;
	s += base == 16 ? 2 : 0;
	if (!*s)
		return false;
	for (; *s; s++) {
		unsigned digit = isdigit((unsigned char)*s) ? (unsigned)(*s - '0') :
		    isalpha((unsigned char)*s) ? (unsigned)((*s | 32) - 'a') + 10 : 99;

		if (digit >= base || __builtin_mul_overflow(n, base, &n) || __builtin_add_overflow(n, digit, &n))
			return false;
	}
	if (sign && n > (uint64_t)INT64_MAX + minus)
		return false;
	*value = minus ? big_signed((int64_t)(0 - n)) : big_plain(n);
	return true;
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
	struct node *f = kernel_make(r, N_FIELD, k->by == BY_NUMBER || (k->by == BY_CPUS && own) ? T_INT : T_ANY, at, NULL, NULL);

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

/* The comparison of a field with the constant, of which there are several CPUs if it is a list. */
static struct node *
kernel_tree(const struct reader *r, const struct kernel *k, struct node *f, size_t at)
{
	struct node *n;

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
	char c;

	while (kernel_in_name(kernel_at(r, r->pos)))
		r->pos++;
	if (!(n->len = r->pos - at))
		kernel_expected(r, "the name of a field");
	if (kernel_takes(r, ".function") || kernel_takes(r, ".ustring"))
		lex_wrong(r->e->t, r->src, at, ".function and .ustring are known only at record time (perf record --filter)");
	k->op = kernel_op(r);
	k->own_name = kernel_own(r->src->text + at, n->len);
	c = kernel_skip(r);
	if (c == '"' || c == '\'')
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

/* ---- meaning -------------------------------------------------------------------------------------- */

/* Is the field "char *", as the format writes it? */
static bool
kernel_is_char_pointer(const struct pp_format *f, const struct pp_payload_field *x)
{
	char line[2 * PP_FORMAT_NAME];

	for (int i = 0; x->pointer && i < 2; i++) {
		int n = snprintf(line, sizeof line, "field:%schar * %s;", i ? "const " : "", x->name);

		if (n > 0 && memmem(f->text, f->ntext, line, (size_t)n))
			return true;
	}
	return false;
}

/* The field of the event that the name means; NULL: it is of the sample, or there is none. */
static const struct pp_payload_field *
kernel_find(const struct expr *e, const struct node *n, const struct pp_event *ev)
{
	const struct pp_payload_field *x = field_payload_in(&e->stream, n->kernel_filter->field[0]->field, ev);

	return x && n->kernel_filter->own_name != OWN_NONE && !strncmp(x->name, "common_", 7) ? NULL : x;
}

static bool
kernel_big_endian(const struct expr *e)
{
	return pp_tracing_swap(e->stream.tracing) == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

/* Why samples of the event cannot have the predicate, in `why'; false: they can. */
static bool
kernel_refuses(const struct expr *e, const struct node *n, const struct pp_event *ev, char *why)
{
	const struct kernel *k = n->kernel_filter;
	const struct pp_format *format = field_format(&e->stream, ev);
	const struct pp_payload_field *x = kernel_find(e, n, ev);
	const int len = n->len > 64 ? 64 : (int)n->len;
	const char *name = n->src->text + n->at, *is = NULL;
	bool text = k->own_name == OWN_COMM, sign = true;
	char type[PP_FORMAT_TYPE] = "";
	big value;

	if (!format)
		is = "its format is missing, or behind the data";
	else if (!x && k->own_name == OWN_STACK)
		is = "the kernel takes a stack trace, but no predicate of it is ever true";
	else if (!x && k->own_name == OWN_NONE) {
		char near[128];

		field_payload_near(&e->stream, field_payload_name(k->field[0]->field), near, sizeof near);
		if (!strncmp(near, name, n->len) && (!near[n->len] || near[n->len] == ','))
			*near = 0;		/* another event has it */
		snprintf(why, KERNEL_WHY, "%.64s has no field `%.*s'%s%s", ev->name, len, name, *near ? "; similar: " : "", near);
		return true;
	} else if (x) {
		pp_payload_type(x, type, sizeof type);
		text = x->kind == PP_PAYLOAD_STRING;
		sign = x->sign;
		if (kernel_is_char_pointer(format, x))
			is = "what a char * points to is known only at record time (perf record --filter)";
		else if (x->kind == PP_PAYLOAD_OPAQUE || x->kind == PP_PAYLOAD_NUMBERS)
			is = "the kernel takes it, but it is neither a number nor text, so no predicate of it is true";
		else if (x->kind == PP_PAYLOAD_CPUMASK && k->by != BY_CPUS)
			is = "CPUs are compared with CPUS{0-1}";
		else if (x->kind == PP_PAYLOAD_CPUMASK && kernel_big_endian(e))
			is = "CPU masks of a big-endian machine cannot be read here";
	}
	if (!is && text != (k->by == BY_TEXT))
		is = text ? "text is compared with a text in quotes" : "it is not text";
	if (!is && k->by == BY_NUMBER && !kernel_value(k->number, sign, &value))
		is = sign ? "the value is not a number of 64 bits with sign" : "the value is not a number of 64 bits without sign";
	if (!is && k->by == BY_CPUS && x && x->kind == PP_PAYLOAD_NUMBER && k->op == N_NE && !k->one)
		is = "the kernel compares a number with several CPUs by != as less than its number of CPUs; use &";
	if (is)
		snprintf(why, KERNEL_WHY, "%.*s of %.64s%s%s: %s", len, name, ev->name, *type ? " is " : "", type, is);
	return is;
}

/* The first predicate that samples of the event cannot have; NULL: none. */
static const struct node *
kernel_first_refused(const struct expr *e, const struct node *n, const struct pp_event *ev, char *why)
{
	const struct node *bad;

	if (n->kind == N_KERNEL)
		return kernel_refuses(e, n, ev, why) ? n : NULL;
	if ((bad = kernel_first_refused(e, n->a, ev, why)) || !n->b)
		return bad;
	return kernel_first_refused(e, n->b, ev, why);
}

static bool
kernel_names(const struct expr *e, struct node *n, const struct pp_event *ev)
{
	if (n->named == NOT_LOOKED)
		n->named = event_match_loosely(n->str, e->stream.events, true) ? LOOSE : EXACT;
	return event_matches(n->str, ev, true, n->named == LOOSE);
}

bool
kernel_is_of(const struct expr *e, struct node *n, const struct pp_event *ev)
{
	char why[KERNEL_WHY];

	return kernel_names(e, n, ev) && !kernel_first_refused(e, n->a, ev, why);
}

/* Cut a number to the width and sign of a field. */
static big
kernel_cut(big value, unsigned width, bool sign)
{
	const uint64_t mask = width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1, n = value.lo & mask;

	return sign ? big_signed((int64_t)(n << (64 - 8 * width)) >> (64 - 8 * width)) : big_plain(n);
}

/* Warn of what the kernel does to a value, and few expect. */
static void
kernel_warn(const struct expr *e, const struct node *n, const struct pp_event *ev)
{
	struct kernel *k = n->kernel_filter;
	const struct pp_payload_field *x;
	char cut[48];
	big value, as;

	if (n->kind != N_KERNEL) {
		kernel_warn(e, n->a, ev);
		if (n->b)
			kernel_warn(e, n->b, ev);
		return;
	}
	x = kernel_find(e, n, ev);
	if (k->warned)
		return;
	if (k->by == BY_NUMBER && kernel_value(k->number, !x || x->sign, &value) &&
	    !big_equal(as = kernel_cut(value, x ? x->width : 4, !x || x->sign), value)) {
		k->warned = true;
		big_text(as, cut);
		tool_warn(e->t, "%s: %.*s of %s has %u bits: the kernel compares it with %s, not %s", n->src->name, (int)n->len,
		    n->src->text + n->at, ev->name, x ? 8 * x->width : 32, cut, k->number);
	}
	if (k->by == BY_TEXT && k->text.how == KERNEL_END && k->text.n && (!x || x->at == PP_PAYLOAD_HERE)) {
		k->warned = true;
		tool_warn(e->t, "%s: %.*s of %s has %u bytes: the kernel compares \"*%s\" with the last ones, not the end of the text",
		    n->src->name, (int)n->len, n->src->text + n->at, ev->name, x ? x->size : KERNEL_COMM, k->text.s);
	}
}

void
kernel_bind(const struct expr *e, struct node *n)
{
	const struct pp_events *events = e->stream.events;
	char why[KERNEL_WHY], first[KERNEL_WHY] = "";
	const struct node *bad = NULL;
	unsigned can = 0, cannot = 0;

	for (unsigned i = 0; i < events->n; i++) {
		const struct node *refused;

		if (!kernel_names(e, n, events->ev[i]))
			continue;
		if (!(refused = kernel_first_refused(e, n->a, events->ev[i], why))) {
			can++;
			kernel_warn(e, n->a, events->ev[i]);
		} else if (!cannot++) {
			bad = refused;
			memcpy(first, why, sizeof first);
		}
	}
	if (cannot && !can)
		lex_wrong(e->t, bad->src, bad->at, "%s", first);
	if (cannot)
		tool_warn(e->t, "%s: %s{...} is false for %u event%s: %s", n->src->name, n->str, cannot, cannot > 1 ? "s" : "", first);
}

void
kernel_choose(const struct expr *e, struct node *n, const struct pp_event *ev)
{
	struct kernel *k = n->kernel_filter;
	const struct pp_payload_field *x = kernel_find(e, n, ev);
	const bool own = !x;
	const unsigned width = x ? x->width : 4;
	big value = { 0 };

	n->own = own;
	n->a = NULL;
	n->b = NULL;
	if (k->by == BY_TEXT || (x && x->kind == PP_PAYLOAD_CPUMASK)) {
		n->b = k->field[own];
		return;
	}
	n->a = k->tree[own];
	if (k->by == BY_NUMBER && kernel_value(k->number, !x || x->sign, &value)) {
		value = kernel_cut(value, width, !x || x->sign);
		if (own && k->op == N_BAND) {		/* the kernel takes CPU & 1, which is never true */
			k->flat->a->num = (big){ 0 };
			n->a = k->flat;
		} else if (k->op == N_BAND)
			value = kernel_cut(value, width, false);
	} else if (k->one)
		value = x ? kernel_cut(k->cpus->r->lo, width, x->sign) : k->cpus->r->lo;
	else if (k->op != N_BAND) {			/* one CPU is not several */
		k->flat->a->num = big_signed(k->op == N_NE);
		n->a = k->flat;
	}
	k->num->num = value;
}

/* ---- values --------------------------------------------------------------------------------------- */

static bool
kernel_cpus_match(const struct kernel *k, const uint8_t *mask, size_t n)
{
	size_t set = 0, common = 0, wanted = 0;

	for (size_t i = 0; i < 8 * n; i++)
		if (mask[i / 8] >> i % 8 & 1) {
			set++;
			common += list_has(k->cpus, big_plain(i));
		}
	for (size_t i = 0; i < k->cpus->n; i++)
		wanted += (size_t)(k->cpus->r[i].hi.lo - k->cpus->r[i].lo.lo) + 1;
	if (k->op == N_BAND)
		return common;
	return (set == common && common == wanted) == (k->op == N_EQ);
}

enum expr_result
kernel_test(const struct node *n, bool own, struct field_fetch *f)
{
	const struct kernel *k = n->kernel_filter;
	char comm[KERNEL_COMM] = "";
	struct field_value v = { 0 };
	const uint8_t *s;
	size_t len = sizeof comm;

	if (own) {
		field_fetch(f, k->field[1]->field->part, k->field[1]->field, &v);
		if (!v.known)
			return EXPR_UNKNOWN;
		snprintf(comm, sizeof comm, "%s", v.str);
		s = (const uint8_t *)comm;
	} else if (!(s = field_payload_bytes(f, k->field[0]->field, &len)))
		return EXPR_UNKNOWN;
	if (k->by == BY_CPUS)
		return kernel_cpus_match(k, s, len) ? EXPR_YES : EXPR_NO;
	return (kernel_text_match(&k->text, (const char *)s, len) != (k->text.negate != (k->op == N_NE))) ? EXPR_YES : EXPR_NO;
}

const struct field *
kernel_field_of(const struct node *n, bool own)
{
	return n->kernel_filter->field[own]->field;
}

const char *
kernel_rest(const struct node *n, size_t *len)
{
	*len = n->kernel_filter->end - n->at - n->len;
	return n->src->text + n->at + n->len;
}

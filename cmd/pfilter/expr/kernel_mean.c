/* SPDX-License-Identifier: ISC */
/* kernel_mean.c - EVENT{FILTER}: what it means for the format of an event, and its tests */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "field/event_match.h"
#include "kernel.h"

bool
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
	char type[PP_FORMAT_TYPE] = "", cpus[64];
	big value;

	if (field_format_error(&e->stream, ev)) {
		snprintf(why, KERNEL_WHY, "the format of %.64s cannot be used: it has %s", ev->name, field_format_error(&e->stream, ev));
		return true;
	}
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
		if (k->by == BY_FUNCTION)
			is = x->kind != PP_PAYLOAD_NUMBER || x->width != (k->wide ? 8 : 4) ? "it does not have the size of an address" : NULL;
		else if (kernel_is_char_pointer(format, x))
			is = "what a char * points to is known only at record time (perf record --filter)";
		else if (x->kind == PP_PAYLOAD_OPAQUE || x->kind == PP_PAYLOAD_NUMBERS)
			is = "it is neither a number nor a text, though the kernel may compare its bytes as one";
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
	if (!is && k->by == BY_CPUS && e->stream.cpus && k->cpus->r[k->cpus->n - 1].hi.lo >= e->stream.cpus) {
		snprintf(cpus, sizeof cpus, "the recorded machine has only %" PRIu64 " CPUs", e->stream.cpus);
		is = cpus;
	}
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
	if (k->by == BY_FUNCTION) {
		n->a = k->tree[0];
		return;
	}
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

/* SPDX-License-Identifier: ISC */
/* expr.c - the functions of expr.h: adding expressions, learning from the stream, evaluating */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "field/event_match.h"
#include "kernel.h"
#include "record/feature.h"
#include "set.h"
#include "source/formats.h"

enum { NO_TRAILER = 64, SHORT_PAYLOAD = 65 };	/* in struct programs */

/* ---- text ---------------------------------------------------------------------------------------- */

static struct expr *
expr_and(struct expr *e, const struct tool *t, struct expr_source *src)
{
	struct node *n, *both;

	if (!e) {
		e = tool_alloc(1, sizeof *e);
		e->t = t;
		e->last_source = &e->sources;
	}
	*e->last_source = src;
	e->last_source = &src->next;
	n = parse(e, t, src);
	if (!e->root)
		e->root = n;
	else {
		both = node_new(e, N_AND, T_COND, src, 0);
		both->a = e->root;
		both->b = n;
		e->root = both;
	}
	return e;
}

struct expr *
expr_add(struct expr *e, const struct tool *t, const char *option, const char *text)
{
	struct expr_source *src = tool_alloc(1, sizeof *src);

	src->name = option;
	src->n = strlen(text);
	src->text = tool_alloc(src->n + 1, 1);
	memcpy(src->text, text, src->n);
	return expr_and(e, t, src);
}

struct expr *
expr_add_file(struct expr *e, const struct tool *t, const char *path)
{
	FILE *f = fopen(path, "re");
	struct expr_source *src;
	size_t got;

	if (!f)
		tool_wrong(t, "--filter-file: %s: %s", path, strerror(errno));
	src = tool_alloc(1, sizeof *src);
	src->name = path;
	src->file = true;
	do {
		src->text = tool_need(array_more(src->text, src->n, 1 << 16, 1));
		got = fread(src->text + src->n, 1, 1 << 16, f);
		src->n += got;
	} while (got && src->n <= EXPR_TEXT);
	if (ferror(f))
		tool_wrong(t, "--filter-file: %s: %s", path, strerror(errno));
	fclose(f);
	if (src->n > EXPR_TEXT)
		tool_wrong(t, "--filter-file: %s: more than %d bytes", path, EXPR_TEXT);
	if (memchr(src->text, 0, src->n))
		tool_wrong(t, "--filter-file: %s: not text", path);
	return expr_and(e, t, src);
}

bool
expr_needs_state(const struct expr *e)
{
	return e && e->state;
}

bool
expr_needs_place(const struct expr *e)
{
	return e && e->place;
}

bool
expr_reads_payloads(const struct expr *e)
{
	for (const struct node *n = e ? e->nodes : NULL; n; n = n->made)
		if (n->payload || n->kind == N_EVENT)
			return true;
	return false;
}

bool
expr_needs_start(const struct expr *e)
{
	return e && e->start;
}

/* ---- learning from the stream -------------------------------------------------------------------- */

static void
expr_forget_programs(struct expr *e)
{
	for (unsigned i = 0; i < e->nprograms; i++) {
		if (!e->programs[i])
			continue;
		for (size_t k = 0; k < sizeof e->programs[i]->of / sizeof *e->programs[i]->of; k++)
			program_free(e->programs[i]->of[k]);
		free(e->programs[i]);
		e->programs[i] = NULL;
	}
	e->bytes = 0;
}

void
expr_learn(struct expr *e, const struct pp_rec *r, bool swap)
{
	if (!e)
		return;
	field_stream_learn(&e->stream, r, swap);
	switch (r->type) {
	case PP_HEADER_FEATURE:
	case PP_ID_INDEX:
	case PP_HEADER_ATTR:
	case PP_EVENT_UPDATE:
	case PP_HEADER_TRACING_DATA:
		expr_forget_programs(e);	/* the record may change them */
	}
}

/* ---- binding ------------------------------------------------------------------------------------- */

/* An event that perf adds for side-band: it has no samples. */
static bool
expr_is_dummy(const struct pp_event *ev)
{
	enum { TYPE_SOFTWARE = 1, COUNT_SW_DUMMY = 9 };

	return ev->attr.type == TYPE_SOFTWARE && ev->attr.config == COUNT_SW_DUMMY;
}

/* Do the samples of any event hold the field? */
static bool
expr_any_has(const struct expr *e, const struct field *f)
{
	struct field_place a;
	bool samples = false;

	for (unsigned i = 0; i < e->stream.events->n; i++) {
		const struct pp_event *ev = e->stream.events->ev[i];

		if (expr_is_dummy(ev) && e->stream.events->n > 1)
			continue;
		samples = true;
		field_access(&e->stream, f, &(struct field_kind){ .ev = ev, .type = PP_SAMPLE, .trailer = true }, &a);
		if (a.at != AT_NONE)
			return true;
	}
	return !samples;
}

/* Call fn for each name of an event in the node; glob: it may be a pattern. */
static void
expr_each_event(const struct expr *e, const struct node *n,
    void (*fn)(const struct expr *, const struct node *, const char *name, bool glob))
{
	if (n->kind == N_EVENT)
		fn(e, n, n->str, true);
	else if ((n->kind == N_EQ || n->kind == N_NE) && node_is_event(n->a) && n->b->kind == N_STR)
		fn(e, n->b, n->b->str, false);
	else if (n->kind == N_IN && node_is_event(n->a))
		for (size_t i = 0; i < n->list->nstr; i++)
			fn(e, n, n->list->str[i], false);
}

/* A name that means several tracepoints is an error. */
static void
expr_check_clear(const struct expr *e, const struct node *n, const char *name, bool glob)
{
	const char *one, *other;

	if (event_is_ambiguous(name, e->stream.events, glob, &one, &other))
		lex_wrong(e->t, n->src, n->at, "\"%.80s\" is ambiguous: %.80s, %.80s", name, one, other);
}

/* One that means none is told. */
static void
expr_check_name(const struct expr *e, const struct node *n, const char *name, bool glob)
{
	const struct pp_events *events = e->stream.events;
	const bool loose = event_match_loosely(name, events, glob);
	char hint[512];

	for (unsigned i = 0; i < events->n; i++)
		if (event_matches(name, events->ev[i], glob, loose))
			return;
	event_hint(name, events, hint, sizeof hint);
	tool_warn(e->t, "%s: no event is called \"%.80s\"%s", n->src->name, name, hint);
}

/* Why no event of the recording has a field of payloads; exits 2. */
static void __attribute__((noreturn))
expr_no_payload(const struct expr *e, const struct node *n)
{
	const struct pp_events *events = e->stream.events;
	const char *name = field_payload_name(n->field), *why;
	const bool bare = name && n->len == strlen(name) && n->src->text[n->at + n->len] != '[';
	char near[256], type[PP_FORMAT_TYPE];
	bool raw = false, missing = false;

	for (unsigned i = 0; i < events->n; i++) {
		const struct pp_event *ev = events->ev[i];
		const struct pp_payload_field *x = field_payload_in(&e->stream, n->field, ev);

		if (x) {
			pp_payload_type(x, type, sizeof type);
			lex_wrong(e->t, n->src, n->at, "%s of %s is %s, which is not %s", name, ev->name, type, n->type == T_STR ? "text" :
			    strchr(n->field->name, '[') ? "an array with that index" : "one number");
		}
		if (!(ev->attr.sample_type & PP_SAMPLE_RAW))
			continue;
		raw = true;
		if ((why = field_format_error(&e->stream, ev)))
			lex_wrong(e->t, n->src, n->at, "the format of %s cannot be used: it has %s", ev->name, why);
		missing |= field_format_missing(&e->stream, ev);
	}
	if (name && missing && !bare)
		lex_wrong(e->t, n->src, n->at, "the formats of the tracepoints, which say where %.64s is, are missing, or behind the data; "
		    "`pcat --formats-from' adds them", n->field->name);
	if (!raw && !bare)
		lex_wrong(e->t, n->src, n->at, "no event of this recording has payloads; record them with perf record -R");
	if (raw && name)
		field_payload_near(&e->stream, name, near, sizeof near);
	else
		*near = 0;
	if (!*near && bare)
		field_near(name, n->len, near, sizeof near);
	lex_wrong(e->t, n->src, n->at, "no field is named `%.64s'%s%s%s%s", name ? name : n->field->name, *near ? "; similar: " : "",
	    near, n->quotes ? "; text goes in quotes" : "", missing ? "; the formats of the tracepoints, which could name it, are missing, "
	    "or behind the data (`pcat --formats-from' adds them)" : "");
}

/* Of a == b of two fields of payloads the formats say whether they are text. */
static void
expr_settle(const struct expr *e, struct node *n)
{
	enum type type = T_INT;

	if ((n->kind != N_EQ && n->kind != N_NE) || n->a->type != T_ANY || n->b->type != T_ANY)
		return;
	for (unsigned i = 0; i < e->stream.events->n; i++) {
		const struct pp_payload_field *x = field_payload_in(&e->stream, n->a->field, e->stream.events->ev[i]);

		if (x && x->kind == PP_PAYLOAD_STRING)
			type = T_STR;
	}
	node_settle(n->a, type);
	node_settle(n->b, type);
}

/* Say once which field of an event's payloads has the name of one of ours. */
static bool
expr_note_own(const struct expr *e, const struct node *n)
{
	const char *name = n->field->name;

	for (unsigned i = 0; i < e->stream.events->n; i++) {
		const struct pp_event *ev = e->stream.events->ev[i];
		const struct pp_format *f = field_format(&e->stream, ev);
		const bool size = !strcmp(name, "raw.size");

		if (!f || !pp_format_field(f, size ? "size" : name, strlen(size ? "size" : name)))
			continue;
		tool_warn(e->t, "%s: `%s' is the sample's; raw.%s%s is that of %s", n->src->name, name, size ? "field." : "",
		    size ? "size" : name, ev->name);
		return true;
	}
	return false;
}

void
expr_bind(struct expr *e, const struct tool *t, const struct pp_source *in)
{
	bool noted = false;

	if (!e)
		return;
	e->stream.events = in->events;
	e->stream.swap = in->swap;
	e->stream.tracing = pp_formats(in);
	for (struct node *n = e->nodes; n && e->stream.events->n; n = n->made) {
		if (n->kind == N_FIELD && !n->payload && !n->kernel && !noted)
			noted = expr_note_own(e, n);
		expr_settle(e, n);
		expr_each_event(e, n, expr_check_clear);
		if (n->kind == N_EVENT)
			kernel_bind(e, n);
	}
	for (const struct node *n = e->nodes; n && e->stream.events->n; n = n->made)
		if (n->kind == N_FIELD && !n->guarded && !expr_any_has(e, n->field)) {
			const char *how = n->field->supply;

			if (n->payload)
				expr_no_payload(e, n);
			lex_wrong(t, n->src, n->at, "no event of this recording has %s%s%s", n->field->name,
			    how ? "; record it with perf record " : "", how ? how : "");
		}
}

/* ---- evaluation ---------------------------------------------------------------------------------- */

/* Warn once of each field that the samples of this event lack and others hold, where it affects the result. */
static void
expr_warn_absent(struct expr *e, const struct pp_event *ev, const struct node *n)
{
	if (!n || n->state == KNOWN)
		return;
	expr_warn_absent(e, ev, n->a);
	for (const struct node *b = n->b; b; b = b->next)
		expr_warn_absent(e, ev, b);
	if (n->kind != N_FIELD || n->payload || n->guarded || n->state != UNKNOWN)
		return;
	for (size_t i = 0; i < e->nwarned; i++)
		if (e->warned[i] == n->field)
			return;
	e->warned = tool_need(array_more(e->warned, e->nwarned, 1, sizeof *e->warned));
	e->warned[e->nwarned++] = n->field;
	tool_warn(e->t, "%s: samples of event %s have no %s, so tests of it select none of them", n->src->name,
	    ev->name, n->field->name);
}

static struct program *
expr_make_program(struct expr *e, const struct field_kind *k, struct program **to)
{
	if (e->bytes > EXPR_PROGRAMS) {
		unsigned index = k->ev->index;
		size_t slot = (size_t)(to - e->programs[index]->of);

		expr_forget_programs(e);
		e->programs[index] = tool_alloc(1, sizeof *e->programs[index]);
		to = &e->programs[index]->of[slot];
	}
	if (!e->named) {
		for (const struct node *n = e->nodes; n; n = n->made)
			expr_each_event(e, n, expr_check_name);
		e->named = true;
	}
	field_stream_ready(&e->stream);
	*to = compile(e, k);
	e->bytes += sizeof **to + (*to)->n * sizeof *(*to)->code + sizeof **e->programs;
	if (k->type == PP_SAMPLE)
		expr_warn_absent(e, k->ev, e->root);
	return *to;
}

static struct program **
expr_program_slot(struct expr *e, const struct field_kind *k)
{
	unsigned index = k->ev->index;

	e->programs = tool_need(array_reach(e->programs, &e->nprograms, index, sizeof *e->programs));
	if (!e->programs[index])
		e->programs[index] = tool_alloc(1, sizeof *e->programs[index]);
	return &e->programs[index]->of[k->type == PP_SAMPLE ? 0 : k->trailer ? k->type : NO_TRAILER];
}

/* Has the payload of the sample all fields that the program reads at fixed places? */
static bool
expr_payload_fits(const struct program *p, const struct pp_rec *r, bool swap)
{
	uint32_t n = pp_get_u32(r->raw + p->raw, swap);

	return n >= p->payload && n <= r->size - p->raw - 4u;
}

/* The slow path of expr_match(). */
static int
expr_run(struct expr *e, const struct program *p, const struct field_subject *s, enum expr_result *result, struct pp_err *err)
{
	struct field_fetch f;
	int rc;

	if (p->constant) {
		*result = (enum expr_result)p->code[0].what;
		return 1;
	}
	if (p->raw && !expr_payload_fits(p, s->r, e->stream.swap)) {
		struct program **slot = &e->programs[s->ev->index]->of[SHORT_PAYLOAD];

		p = *slot ? *slot : expr_make_program(e, &(struct field_kind){ .ev = s->ev, .type = PP_SAMPLE }, slot);
	}
	f.stream = &e->stream;		/* not the whole struct: the sample in it is large, and most programs do not need it */
	f.s = s;
	f.swap = e->stream.swap;
	f.taken = f.bad = false;
	f.err = err;
	if ((rc = run(p, &f)) < 0)
		return -1;
	*result = (enum expr_result)rc;
	return 1;
}

/* The program for that kind of records.  Not inlined: expr_match() mostly has it. */
static const struct program * __attribute__((noinline))
expr_program(struct expr *e, const struct field_subject *s)
{
	struct field_kind k = { s->ev, s->r->type, s->r->type != PP_SAMPLE && pp_has_trailer(s->ev, s->r), true };
	struct program **slot = expr_program_slot(e, &k);

	return *slot ? *slot : expr_make_program(e, &k, slot);
}

int
expr_match(struct expr *e, const struct field_subject *s, enum expr_result *result, struct pp_err *err)
{
	const struct program *p = NULL;
	unsigned index = s->ev->index;

	if (s->r->type == PP_SAMPLE && index < e->nprograms && e->programs[index])
		p = e->programs[index]->of[0];
	if (!p)
		p = expr_program(e, s);
	if (s->r->size < p->min)
		return pp_fail(err, "record of %u bytes needs %u", s->r->size, p->min);
	if (!p->plain || (p->raw && !expr_payload_fits(p, s->r, e->stream.swap)))
		return expr_run(e, p, s, result, err);
	*result = run_plain(p, s->r, e->stream.swap);
	return 1;
}

void
expr_end(const struct expr *e)
{
	for (const struct node *n = e ? e->nodes : NULL; n; n = n->made)
		if (n->payload && field_payload_absent(n->payload))
			tool_warn(e->t, "%s: %ju samples are too short for %s, so tests of it select none of them", n->src->name,
			    (uintmax_t)field_payload_absent(n->payload), n->payload->name);
}

void
expr_free(struct expr *e)
{
	if (!e)
		return;
	expr_forget_programs(e);
	free(e->programs);
	for (struct node *n = e->nodes, *next; n; n = next) {
		next = n->made;
		free(n->str);
		if (n->payload)
			field_payload_free(n->payload);
		list_free(n->list);
		frames_free(n->frames);
		kernel_free(n->kernel_filter);
		if (n->ere)
			regfree(n->ere);
		free(n->ere);
		free(n);
	}
	for (struct expr_source *s = e->sources, *next; s; s = next) {
		next = s->next;
		free(s->text);
		free(s);
	}
	field_stream_free(&e->stream);
	free(e->warned);
	free(e);
}

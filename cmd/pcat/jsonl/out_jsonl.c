/* SPDX-License-Identifier: ISC */
/*
 * out_jsonl.c - each record as a line of JSON
 *
 * Lines are made in one buffer, which is written when it is large, and when the source may have to wait.  A line whose record
 * turns out to be malformed is taken back.
 */
#include <stdlib.h>
#include <string.h>

#include "in.h"
#include "record/event.h"
#include "record/raw.h"
#include "record/sample.h"
#include "set.h"

const char *const jsonl_each_names[JSONL_EACH] = { "type", "offset", "misc", "event" };

enum { WRITE_AT = 256 << 10 };		/* bytes of lines */

/* ---- columns and types --------------------------------------------------------------------------- */

static void
add_column(void *arg, const char *word)
{
	struct jsonl_what *w = arg;

	for (size_t i = 0; i < w->ncolumns; i++)
		if (!strcmp(w->column[i].name, word))
			return;
	w->column = tool_need(array_more(w->column, w->ncolumns, 1, sizeof *w->column));
	w->column[w->ncolumns++] = (struct jsonl_column){ tool_need(strdup(word)), false };
}

void
jsonl_columns(struct tool *t, void *what)
{
	tool_words(t, t->optarg, add_column, what);
}

struct types { const struct tool *t; struct jsonl_what *what; };

static void
add_type(void *arg, const char *word)
{
	const struct types *to = arg;
	struct jsonl_what *w = to->what;
	int64_t type = pp_type_number(word);

	if (type < 0)
		tool_wrong(to->t, "--types '%s': there is no such type of record", word);
	w->type = tool_need(array_more(w->type, w->ntypes, 1, sizeof *w->type));
	w->type[w->ntypes++] = (uint32_t)type;
}

void
jsonl_types(struct tool *t, void *what)
{
	tool_words(t, t->optarg, add_type, &(struct types){ t, what });
}

void
jsonl_what_free(struct jsonl_what *w)
{
	for (size_t i = 0; i < w->ncolumns; i++)
		free(w->column[i].name);
	free(w->column);
	free(w->type);
}

static struct jsonl_column *
column_of(const struct jsonl *o, const char *name)
{
	for (size_t i = 0; i < o->what->ncolumns; i++)
		if (!strcmp(o->what->column[i].name, name))
			return &o->what->column[i];
	return NULL;
}

bool
jsonl_names(const struct jsonl *o, const char *name)
{
	return column_of(o, name);
}

bool
jsonl_wants_column(struct jsonl *o, const char *name)
{
	struct jsonl_column *c = column_of(o, name);

	if (c)
		c->seen = true;
	return c;
}

static bool
wants_type(const struct jsonl *o, uint32_t type)
{
	for (size_t i = 0; i < o->what->ntypes; i++)
		if (o->what->type[i] == type)
			return true;
	return !o->what->ntypes;
}

/* Does --columns name this one, which a record now has? */
static inline bool
wants_each(struct jsonl *o, enum jsonl_each i)
{
	return !o->what->ncolumns || (o->each[i] && (o->each[i]->seen = true));
}

/* What is not shown of samples is not looked at. */
static void
choose(struct jsonl *o)
{
	uint64_t roles = ~PP_ROLE_BIT(PAD);
	uint32_t fields = 0;

	for (unsigned i = 0; i < JSONL_EACH; i++)
		o->each[i] = column_of(o, jsonl_each_names[i]);
	o->pid = !o->what->ncolumns || jsonl_names(o, "pid");
	o->tid = !o->what->ncolumns || jsonl_names(o, "tid");
	for (unsigned i = 0; i < PP_SAMPLE_BITS; i++) {
		const struct pp_sample_row *row = &pp_sample_rows[i];

		if (!o->what->ncolumns || jsonl_names(o, row->name) || (row->form == PP_FORM_PID_TID && o->pid) ||
		    (row->form == PP_FORM_RAW && jsonl_names(o, "fields")))
			fields |= UINT32_C(1) << row->bit;
	}
	o->sample = pp_choose(roles, fields);
	o->other = pp_choose(roles, UINT32_MAX);
}

/* ---- lines --------------------------------------------------------------------------------------- */

static int
write_lines(struct jsonl *o)
{
	struct json_text *t = &o->line;
	size_t n = (size_t)(t->to - t->buf);

	if (!n)
		return 1;
	t->to = t->buf;
	return pp_put_stable(o->sink, (const uint8_t *)t->buf, n) < 0 ? -1 : pp_flush(o->sink);
}

/* The members that each record has. */
static void
begin_line(struct jsonl *o)
{
	struct json_text *t = &o->line;
	const char *type = pp_type_name(o->r->type);
	uint64_t offset;

	json_room(t, 2 * JSON_ROOM);
	if (wants_each(o, EACH_TYPE)) {
		json_put(t, ",\"type\":\"", 9);
		if (type)
			while (*type)
				*t->to++ = *type++;
		else
			json_number(t, o->r->type);
		*t->to++ = '"';
	}
	if ((!o->what->ncolumns || o->each[EACH_OFFSET]) && o->what->offset(o->what->arg, o->r, &offset)) {
		wants_each(o, EACH_OFFSET);
		json_put(t, ",\"offset\":", 10);
		json_number(t, offset);
	}
	if (wants_each(o, EACH_MISC)) {
		json_put(t, ",\"misc\":", 8);
		json_number(t, o->r->misc);
	}
	if (o->ev && wants_each(o, EACH_EVENT)) {
		json_put(t, ",\"event\":", 9);
		json_string(t, o->ev->name, strlen(o->ev->name));
	}
}

/* The record is malformed: that is a fault of the input. */
static int
reject(struct jsonl *o, const char *cause)
{
	const char *type = pp_type_name(o->r->type);

	o->what->where(o->what->arg, &o->tool->in_err);
	return type ? pp_fail(&o->tool->in_err, "%s: %s", type, cause) :
	    pp_fail(&o->tool->in_err, "record of type %u: %s", o->r->type, cause);
}

static int
put_line(struct jsonl *o)
{
	struct json_text *t = &o->line;
	struct pp_err err = { .what = "" };
	size_t at;

	json_room(t, JSON_ROOM);
	at = json_begin(t);
	o->ev = NULL;
	if (o->r->type < PP_USER_TYPE_START && !(o->ev = pp_event_find(o->events, o->r, &err)))
		return reject(o, err.what);
	begin_line(o);
	if (jsonl_record(o, &err) < 0) {
		t->to = t->buf + at;
		return reject(o, err.what);
	}
	if (t->to == t->buf + at)		/* it has none of the columns */
		return 1;
	json_end(t, at, '{', '}');
	json_room(t, 1);
	*t->to++ = '\n';
	return (size_t)(t->to - t->buf) >= WRITE_AT ? write_lines(o) : 1;
}

/* ---- what the head says -------------------------------------------------------------------------- */

static int
learn_formats(struct jsonl *o, struct pp_source *in, const struct pp_rec *r)
{
	const uint8_t *p = r->raw + PP_RAW_AT(HEADER_TRACING_DATA, pad);	/* simpleperf has it inside of the record */
	size_t n = r->size - (size_t)PP_RAW_AT(HEADER_TRACING_DATA, pad);
	int rc = 1;

	if (!o->tracing) {
		if (!(o->tracing = pp_tracing_new()) || pp_tracing_keep_formats(o->tracing) < 0)
			tool_no_memory();
	} else
		pp_tracing_again(o->tracing);
	if (!r->payload && pp_tracing_feed(o->tracing, p, n) < 0)
		tool_no_memory();
	while (r->payload && in && (rc = pp_payload(in, &p, &n)) > 0)
		if (pp_tracing_feed(o->tracing, p, n) < 0)
			tool_no_memory();
	return rc < 0 ? -1 : pp_events_tracing(o->events, o->tracing, &o->tool->in_err);
}

static int
learn(struct jsonl *o, struct pp_source *in, const struct pp_rec *r)
{
	if (r->type == PP_HEADER_TRACING_DATA)
		return learn_formats(o, in, r);
	return pp_events_learn(o->events, r, &o->tool->in_err);
}

/* ---- struct out ---------------------------------------------------------------------------------- */

static int
jsonl_put(struct out *out, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct jsonl *o = (struct jsonl *)out;

	(void)stable;			/* no record is passed on */
	if (!o->events) {		/* the byte order is known by the first record */
		o->swap = in->swap;
		if (!(o->events = pp_events_new(in->swap)))
			return pp_fail_memory(&o->tool->out_err);
	}
	o->r = r;
	if (wants_type(o, r->type) && put_line(o) < 0)
		return -1;
	return r->type < PP_USER_TYPE_START ? 1 : learn(o, in, r);
}

static int
jsonl_flush(struct out *out, bool wait)
{
	(void)wait;			/* lines are no bytes of the source, but a reader may wait for them */
	return write_lines((struct jsonl *)out);
}

static void
warn_columns(struct jsonl *o)
{
	for (unsigned i = 0; i < PP_SAMPLE_BITS; i++) {
		const struct pp_sample_row *row = &pp_sample_rows[i];

		if (!(o->seen >> row->bit & 1))
			continue;
		if (row->form == PP_FORM_PID_TID)
			jsonl_wants(o, "pid");
		if (row->form != PP_FORM_RAW)		/* which is two columns */
			jsonl_wants(o, row->name);
	}
	for (size_t i = 0; i < o->what->ncolumns; i++)
		if (!o->what->column[i].seen)
			tool_warn(o->tool, "--columns: no record has '%s'", o->what->column[i].name);
}

static int
jsonl_finish(struct out *out)
{
	struct jsonl *o = (struct jsonl *)out;
	int rc = write_lines(o);

	if (pp_finish(o->sink) < 0)
		rc = -1;
	if (rc > 0 && !o->tool->in_err.what[0])
		warn_columns(o);
	pp_events_free(o->events);
	pp_tracing_free(o->tracing);
	json_free(&o->line);
	json_free(&o->id);
	free(o);
	return rc;
}

struct out *
out_jsonl_new(struct tool *t, struct jsonl_what *what)
{
	struct jsonl *o = tool_alloc(1, sizeof *o);

	*o = (struct jsonl){ .pub = { .put = jsonl_put, .flush = jsonl_flush, .finish = jsonl_finish }, .what = what, .tool = t };
	choose(o);
	if ((o->sink = atomic_sink(&t->file)))
		return &o->pub;
	free(o);
	return NULL;
}

/* SPDX-License-Identifier: ISC */
/*
 * formats.c - the formats of tracepoints in the joined stream, and the numbers that they have there
 *
 * A tracepoint has a number, which another kernel, or the same one after a kprobe was set anew, gives to another tracepoint.  Readers
 * find the format of a sample by attr.config (pfilter) or by common_type, the first two bytes of its payload (perf).  So a format of
 * the joined stream has a number that is nobody else's: the one it had, if that is free, and both change with it (rewrite.h).
 * Formats that differ in their numbers only are one, with the number of the first.
 */
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "set.h"

enum { NUMBERS = 1 << 16, TYPE_TRACEPOINT = 2 };

/* ---- numbers ------------------------------------------------------------------------------------------ */

static bool
formats_same_name(const struct tracing_format *a, const struct tracing_format *b)
{
	return a->name_len == b->name_len && !memcmp(a->name, b->name, a->name_len) && !strcmp(a->system, b->system);
}

/* Do they differ in nothing but the number? */
static bool
formats_equal(const struct tracing_format *a, const struct tracing_format *b)
{
	size_t n = a->len - a->after;

	return formats_same_name(a, b) && n == b->len - b->after && !memcmp(a->text + a->after, b->text + b->after, n);
}

/* A number above all others; if there is none, one that no input has. */
static uint64_t
formats_free_number(struct join_formats *all)
{
	for (unsigned i = 1; i < NUMBERS; i++) {
		unsigned id = (all->largest + i) % NUMBERS;

		if (id && !all->used[id])
			return id;
	}
	return 0;
}

static void
formats_note_numbers(struct join_formats *all, const struct tracing_data *y)
{
	for (const struct tracing_format *f = y->formats.f; f < y->formats.f + y->formats.n; f++)
		if (f->id < NUMBERS) {
			all->used[f->id] = true;
			all->largest = f->id > all->largest ? (unsigned)f->id : all->largest;
		}
}

static const struct tracing_format *
formats_by_number(const struct tracing_formats *l, uint64_t id)
{
	for (const struct tracing_format *f = l->f; f < l->f + l->n; f++)
		if (f->id == id)
			return f;
	return NULL;
}

/* Add a format of an input to those of the joined stream.  Returns its number there. */
static uint64_t
formats_add(struct join *j, struct join_formats *all, const struct input *in, const struct tracing_format *f)
{
	struct tracing_formats *l = &all->first.formats;
	struct tracing_format new = *f;

	for (const struct tracing_format *a = l->f; a < l->f + l->n; a++)
		if (formats_equal(a, f))
			return a->id;
	if (formats_by_number(l, f->id)) {
		if (!(new.id = formats_free_number(all)))
			tool_wrong(j->t, "%s: no number is left for tracepoint %s:%.*s", in->name, f->system, (int)f->name_len, f->name);
		all->used[new.id] = true;
		all->largest = (unsigned)new.id;
	}
	l->f = tool_need(array_more(l->f, l->n, 1, sizeof new));
	l->f[l->n++] = new;
	return new.id;
}

/* Add all formats of an input, and remember which of its numbers change. */
static void
formats_add_input(struct join *j, struct join_formats *all, struct input *in, const struct tracing_data *y)
{
	for (size_t i = 0; i < y->formats.n; i++) {
		const struct tracing_format *f = &y->formats.f[i];
		uint64_t id;

		if (formats_by_number(&y->formats, f->id) != f)
			continue;	/* of two with one number the first counts */
		id = formats_add(j, all, in, f);
		if (id != f->id && pp_ids_put(&in->formats, f->id, id) < 0)
			tool_no_memory();
	}
}

/* ---- inputs without formats ------------------------------------------------------------------------- */

/* An event without a format would get one that is not its own, and perf before 7.0 prints no joined stream that has such events. */
static void
formats_need(const struct join *j, const struct input *in, const struct tracing_data *y)
{
	for (unsigned i = 0; i < in->src->events->n; i++) {
		const struct pp_event *ev = in->src->events->ev[i];

		if (ev->attr.type == TYPE_TRACEPOINT && !(y && formats_by_number(&y->formats, ev->attr.config)))
			tool_wrong(j->t, "%s: has no format of tracepoint %s, which it needs beside recordings with formats: "
			    "`pcat --formats-from' adds formats, `pfilter --drop-event' leaves the event out", in->name, ev->name);
	}
}

/* An input without formats: a piece of one with them has that one's.  One that ends in its head has no samples to misread. */
static void
formats_lend(const struct join *j, struct input *in)
{
	for (const struct input *a = j->in; a < j->in + j->n; a++)
		if (a->tracing_rec.size && join_same_recording(a, in)) {
			in->formats_of = a;
			return;
		}
	if (!in->ended)
		formats_need(j, in, NULL);
}

/* The first input with the same formats; NULL: it is this one. */
static const struct input *
formats_like(const struct join *j, const struct input *in)
{
	for (const struct input *a = j->in; a < in; a++)
		if (a->tracing_rec.size && a->tracing.n == in->tracing.n && !memcmp(a->tracing.p, in->tracing.p, in->tracing.n))
			return a;
	return NULL;
}

/* ---- all inputs --------------------------------------------------------------------------------------- */

static void
formats_add_payload(struct join *j, struct join_formats *all, struct input *in)
{
	struct tracing_data y = { 0 };

	if (!tracing_data_parse(&y, in->tracing.p, in->tracing.n))
		join_lacks(j, in, "its formats of tracepoints (TRACING_DATA) are damaged, and cannot be joined with others");
	if (all->of == in) {
		all->first = y;
		all->first.formats = (struct tracing_formats){ 0 };
	} else if (y.swap != all->first.swap || y.sizeof_long != all->first.sizeof_long)
		tool_wrong(j->t, "%s: its tracepoints are of another byte order or size of long than those of %s: one stream cannot "
		    "have both", in->name, all->of->name);
	formats_need(j, in, &y);
	if (!(in->formats_of = formats_like(j, in)))
		formats_add_input(j, all, in, &y);
	in->printk = y.printk;
	in->nprintk = y.nprintk;
	free(y.formats.f);
}

void
join_formats(struct join *j)
{
	struct join_formats *all = tool_alloc(1, sizeof *all);

	j->formats = all;
	for (struct input *in = j->in + j->n; in-- > j->in;)
		if (in->tracing_rec.size)
			all->of = in;
	if (!all->of)
		return;
	for (struct input *in = j->in; in < j->in + j->n; in++)
		if (!in->tracing_rec.size)
			formats_lend(j, in);
		else
			all->differ |= in != all->of && formats_like(j, in) != all->of;
	if (!all->differ)
		return;
	all->used = tool_alloc(NUMBERS, 1);
	for (struct input *in = j->in; in < j->in + j->n; in++)
		if (in->tracing_rec.size) {
			struct tracing_data y = { 0 };

			tracing_data_parse(&y, in->tracing.p, in->tracing.n);
			formats_note_numbers(all, &y);
			free(y.formats.f);
		}
	for (struct input *in = j->in; in < j->in + j->n; in++)
		if (in->tracing_rec.size)
			formats_add_payload(j, all, in);
}

const struct pp_ids *
join_numbers(const struct input *in)
{
	while (in->formats_of)
		in = in->formats_of;
	return &in->formats;
}

uint64_t
join_number(const struct input *in, const struct pp_event *ev)
{
	uint64_t id = ev->attr.config;

	if (ev->attr.type == TYPE_TRACEPOINT)
		pp_ids_get(join_numbers(in), id, &id);
	return id;
}

void
join_formats_free(struct join *j)
{
	if (!j->formats)
		return;
	for (struct input *in = j->in; in < j->in + j->n; in++)
		pp_ids_free(&in->formats);
	free(j->formats->first.formats.f);
	free(j->formats->used);
	free(j->formats);
}

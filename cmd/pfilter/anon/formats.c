/* SPDX-License-Identifier: ISC */
/*
 * formats.c - how --anon changes TRACING_DATA: the formats of the kernel's tracepoints stay, word for word.
 *
 * An event whose name does not stay has the names of a program in its format, too, as has one that cannot be parsed: such an event
 * gets a format with the common fields only, under its new name; its payload has no others then (payload.c).  What follows has
 * addresses of the kernel (kallsyms, printk formats), and names and ids of tasks: with a word for these it becomes empty.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/tracing_data.h"
#include "out.h"
#include "make/make.h"
#include "record/payload_role.h"
#include "record/raw.h"
#include "source/formats.h"

enum { PAYLOAD_MAX = 64 << 20 };

/* Does the event keep its name?  If not, the new one is in a->text. */
static bool
formats_name_stays(struct anon_out *a, const struct tracing_format *f)
{
	char name[2 * PP_FORMAT_EVENT + 2];
	size_t system = strlen(f->system), len = system + 1 + f->name_len;
	int64_t n;

	if (system > PP_FORMAT_EVENT)
		return false;
	snprintf(name, sizeof name, "%s:%.*s", f->system, (int)f->name_len, f->name);
	n = anon_event_text(a, name, len);
	return n == ANON_UNCHANGED || ((size_t)n == len && !memcmp(a->text, name, len));
}

/* A format for a payload of which only the common fields are known. */
static void
formats_make(struct blob *b, const char *name, uint64_t id)
{
	static const char *const common[] = {
		"unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;", "unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;",
		"unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;", "int common_pid;\toffset:4;\tsize:4;\tsigned:1;",
	};
	char text[ANON_NAME + 64];

	blob_add(b, text, (size_t)snprintf(text, sizeof text, "name: %s\nID: %ju\nformat:\n", name, (uintmax_t)id));
	for (size_t i = 0; i < sizeof common / sizeof *common; i++)
		blob_add(b, text, (size_t)snprintf(text, sizeof text, "\tfield:%s\n", common[i]));
	blob_add(b, text, (size_t)snprintf(text, sizeof text, "\n\nprint fmt: \"\"\n"));
}

/* The formats with those of other events made anew; the made texts are in `made'. */
static void
formats_change(struct anon_out *a, struct tracing_formats *all, struct blob *made)
{
	const struct pp_tracing *known = pp_formats(a->in);
	size_t *at = tool_alloc(all->n + 1, sizeof *at);

	for (size_t i = 0; i < all->n; i++) {
		struct tracing_format *f = &all->f[i];
		bool stays = formats_name_stays(a, f);
		const struct pp_format *format = pp_tracing_format(known, f->id);
		char name[ANON_NAME];

		at[i] = made->n;
		if (stays && format && !pp_payload_overlaps(format))
			continue;
		snprintf(name, sizeof name, "%.*s", stays ? (int)f->name_len : ANON_NAME - 1, stays ? f->name : a->text);
		for (char *c = name; *c; c++)		/* in the language of formats it is one word */
			if (*c == '-')
				*c = '_';
		f->system = stays ? f->system : "event";
		formats_make(made, name, f->id);
	}
	at[all->n] = made->n;
	for (size_t i = 0; i < all->n; i++)
		if (at[i + 1] > at[i])
			tracing_format_set(&all->f[i], made->p + at[i], at[i + 1] - at[i]);
	free(at);
}

/* Write a record of that size with the payload. */
static int
formats_put(struct anon_out *a, uint16_t size, uint16_t misc, const struct blob *payload)
{
	enum { SIZE = sizeof(struct pp_raw_HEADER_TRACING_DATA), OLD = PP_RAW_AT(HEADER_TRACING_DATA, pad) };
	struct pp_err err = { .what = "" };
	struct blob all = { 0 };
	struct pp_source *src;
	struct pp_rec r;
	int rc = -1;

	PP_MAKE(&r, blob_add(&all, NULL, SIZE), SIZE, HEADER_TRACING_DATA, .swap = a->swap, .misc = misc,
	    .tracing_size = (uint32_t)payload->n);
	if (size == OLD) {			/* of perf before 6.x */
		PP_RAW_SET(all.p, header, size, OLD, a->swap);
		all.n = OLD;
	}
	blob_add(&all, payload->p, payload->n);
	if ((src = pp_open_memory(all.p, all.n, a->swap, "--anon", &err)) && pp_next(src, &r) > 0)
		rc = a->pub.next->put(a->pub.next, src, &r, false);
	if (err.what[0])
		pp_fail(a->err, "%s", err.what);
	pp_close(src);
	free(all.p);
	return rc;
}

/* The payload of the record; 0: it is too large to be changed, or -1. */
static int
formats_take(struct pp_source *in, const struct pp_rec *r, struct blob *b)
{
	const uint8_t *p;
	size_t n;
	int rc;

	if (r->payload > PAYLOAD_MAX)
		return 0;
	while ((rc = pp_payload(in, &p, &n)) > 0)
		blob_add(b, p, n);
	return rc < 0 ? -1 : 1;
}

/* A part behind the formats, with its size in front: copied, or made empty. */
static void
formats_behind(bool gone, struct blob *to, const uint8_t *from, size_t start, size_t end, size_t width)
{
	if (gone)
		blob_add(to, NULL, width);
	else
		blob_add(to, from + start, end - start);
}

int
anon_formats(struct anon_out *a, struct pp_source *in, const struct pp_rec *r)
{
	struct blob old = { 0 }, new = { 0 }, made = { 0 };
	struct tracing_data y = { 0 };
	const uint16_t size = r->size, misc = r->misc;	/* the payload overwrites the record */
	size_t printk;
	int rc;

	if ((rc = formats_take(in, r, &old)) < 0)
		;
	else if (!rc || !tracing_data_parse(&y, old.p, old.n)) {
		a->types[PP_HEADER_TRACING_DATA]++;
		rc = 1;
	} else {
		formats_change(a, &y.formats, &made);
		blob_add(&new, old.p, y.front);
		tracing_data_formats(&new, &y.formats, y.swap);
		printk = (size_t)((const uint8_t *)y.printk - old.p) - 4;
		formats_behind(a->what & (A_ADDR | A_PATH), &new, old.p, y.kallsyms, printk, 4);
		formats_behind(a->what & A_ADDR, &new, old.p, printk, y.lines, 4);
		formats_behind(a->what & (A_COMM | A_PID), &new, old.p, y.lines, y.end, y.end > y.lines ? 8 : 0);
		tracing_data_pad(&new);
		rc = formats_put(a, size, misc, &new);
	}
	free(old.p);
	free(new.p);
	free(made.p);
	free(y.formats.f);
	return rc;
}

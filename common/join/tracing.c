/* SPDX-License-Identifier: ISC */
/*
 * tracing.c - TRACING_DATA of the joined stream
 *
 * perf reads one TRACING_DATA.  So the joined payload is the first input's, with the formats and the printk formats of the others.
 */
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "make/make.h"
#include "set.h"

/* ---- printk formats ------------------------------------------------------------------------------------ */

struct text { const char *p; size_t n; uint64_t addr; const struct input *of; bool differs; };
struct texts { struct text *t; size_t n; struct pp_ids at; };

/* Add the lines of an input, `0xADDRESS : "TEXT"', by address. */
static void
tracing_add_texts(struct texts *all, const struct input *in)
{
	const char *p = in->printk, *end = p + in->nprintk, *nl;

	for (; p < end && (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
		struct text t = { .p = p, .n = (size_t)(nl + 1 - p), .of = in };
		uint64_t at;
		char *colon;

		if (*p != '0')
			continue;	/* no blank either, which strtoull() would step over, and over the line's end */
		t.addr = strtoull(p, &colon, 16);
		if (pp_ids_get(&all->at, t.addr, &at)) {
			struct text *a = &all->t[at];

			a->differs |= a->of != in && (a->n != t.n || memcmp(a->p, t.p, t.n) != 0);
			continue;
		}
		if (pp_ids_put(&all->at, t.addr, all->n) < 0)
			tool_no_memory();
		all->t = tool_need(array_more(all->t, all->n, 1, sizeof t));
		all->t[all->n++] = t;
	}
}

/* Those of all inputs; of an address that has another text in another input, none: perf then prints the address. */
static void
tracing_printk(struct join *j, struct blob *b, bool swap)
{
	struct texts all = { 0 };
	size_t count_at = b->n, differ = 0;

	blob_add(b, NULL, 4);
	for (const struct input *in = j->in; in < j->in + j->n; in++)
		if (in->printk)
			tracing_add_texts(&all, in);
	for (const struct text *t = all.t; t < all.t + all.n; t++) {
		if (!t->differs)
			blob_add(b, t->p, t->n);
		differ += t->differs;
	}
	pp_set_u32(b->p + count_at, (uint32_t)(b->n - count_at - 4), swap);
	if (differ)
		tool_warn(j->t, "%zu addresses of texts in payloads mean other texts in another input; perf will show them as numbers", differ);
	pp_ids_free(&all.at);
	free(all.t);
}

/* ---- the record ---------------------------------------------------------------------------------------- */

static void
tracing_record(struct join *j, const struct input *of, struct blob *payload)
{
	enum { SIZE = sizeof(struct pp_raw_HEADER_TRACING_DATA), OLD = PP_RAW_AT(HEADER_TRACING_DATA, pad) };
	uint8_t *p = blob_add(&j->head, NULL, SIZE);
	struct pp_rec r;

	tracing_data_pad(payload);
	if (payload->n > UINT32_MAX)
		tool_wrong(j->t, "%s: its tracing data do not fit in one record with those of the others", of->name);
	PP_MAKE(&r, p, SIZE, HEADER_TRACING_DATA, .swap = j->swap, .misc = of->tracing_rec.misc, .tracing_size = (uint32_t)payload->n);
	if (of->tracing_rec.size == OLD) {	/* a record of perf before 6.x; keep its size */
		PP_RAW_SET(p, header, size, OLD, j->swap);
		j->head.n -= SIZE - OLD;
	}
	blob_add(&j->head, payload->p, payload->n);
}

void
join_tracing(struct join *j)
{
	const struct join_formats *all = j->formats;
	const struct tracing_data *y = &all->first;
	const struct input *of = all->of;
	struct blob out = { 0 };

	if (!of)
		return;
	if (!all->differ)
		blob_add(&out, of->tracing.p, of->tracing.n);
	else {
		blob_add(&out, of->tracing.p, y->front);
		tracing_data_formats(&out, &y->formats, y->swap);
		blob_add(&out, of->tracing.p + y->kallsyms, (size_t)((const uint8_t *)y->printk - 4 - of->tracing.p) - y->kallsyms);
		tracing_printk(j, &out, y->swap);
		blob_add(&out, of->tracing.p + y->lines, y->end - y->lines);
	}
	tracing_record(j, of, &out);
	free(out.p);
}

/* SPDX-License-Identifier: ISC */
/*
 * header.c - --header: header features, as perf report --header-only has them.  Payloads are kept until the input ends, because the
 * names of events, which GROUP_DESC needs, may come behind them; then feature.c makes their lines.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "in.h"
#include "record/feature.h"
#include "record/raw.h"
#include "set.h"

/* ---- what the records bring ---------------------------------------------------------------------- */

/* All of a payload that lies behind its record; NULL: there is no space. */
static uint8_t *
header_payload(struct views *v, const struct pp_rec *r, size_t *len)
{
	uint8_t *all = tool_alloc(r->payload ? r->payload : 1, 1);
	const uint8_t *p;
	size_t n, at = 0;

	while (pp_payload(v->tool->in, &p, &n) > 0 && n <= r->payload - at) {
		memcpy(all + at, p, n);
		at += n;
	}
	*len = at;
	return all;
}

static void
header_keep(struct views *v, const struct pp_rec *r)
{
	struct header *h = &v->header;
	struct pp_feature f;
	size_t len = r->payload ? r->payload : (size_t)r->size - PP_FEATURE_HEAD;
	size_t i;

	if (pp_feature_is_end(r) || pp_feature_of(&f, r, v->tool->in->swap, 0, NULL) <= 0)
		return;
	for (i = 0; i < h->n && h->part[i].number != f.number; i++)
		;
	if (r->payload > VIEWS_FEATURES || h->bytes + len > VIEWS_FEATURES) {
		h->full = true;
		return;
	}
	if (i == h->n) {
		h->part = tool_need(array_more(h->part, h->n, 1, sizeof *h->part));
		h->part[h->n++] = (struct header_part){ .number = f.number };
		h->bytes += sizeof *h->part;
	} else {				/* the last one is what perf has in the end */
		h->bytes -= h->part[i].len;
		free(h->part[i].p);
	}
	if (r->payload)
		h->part[i].p = header_payload(v, r, &len);
	else {
		h->part[i].p = tool_alloc(len ? len : 1, 1);
		memcpy(h->part[i].p, f.p, len);
	}
	h->part[i].len = len;
	h->bytes += len;
}

/* A stream has zeros in SAMPLE_TIME, since perf record writes that before the samples: so what they are is noted here. */
void
header_sample(struct views *v, const struct pp_rec *r)
{
	struct header *h = &v->header;
	const struct pp_event *ev = pp_event_find(v->tool->in->events, r, NULL);
	uint64_t time;

	if (!ev || pp_time(ev, r, v->tool->in->swap, &time) <= 0)
		return;
	if (!h->last || time < h->first)
		h->first = time;
	if (time > h->last)
		h->last = time;
}

void
header_see(struct views *v, const struct pp_rec *r)
{
	static const struct { uint32_t type; unsigned feature; } stands[] = {
		{ PP_HEADER_TRACING_DATA, PP_FEAT_TRACING_DATA }, { PP_HEADER_BUILD_ID, PP_FEAT_BUILD_ID },
		{ PP_AUXTRACE_INFO, PP_FEAT_AUXTRACE }, { PP_STAT_CONFIG, PP_FEAT_STAT }, { PP_STAT, PP_FEAT_STAT },
	};

	if (r->type == PP_HEADER_FEATURE)
		header_keep(v, r);
	for (size_t i = 0; i < sizeof stands / sizeof *stands; i++)
		if (stands[i].type == r->type)
			v->header.have |= UINT64_C(1) << stands[i].feature;
}

enum { MISSING = PP_FEAT_END * 24 };		/* names of features are shorter than that */

static int
by_number(const void *a, const void *b)
{
	const struct header_part *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

void
header_end(struct views *v)
{
	static const struct { unsigned feature; const char *text; } flags[] = {
		{ PP_FEAT_BRANCH_STACK, "contains samples with branch stack" },
		{ PP_FEAT_AUXTRACE, "contains AUX area data (e.g. instruction trace)" },
		{ PP_FEAT_STAT, "contains stat data" },
		{ PP_FEAT_COMPRESSED, NULL },
	};
	struct header *h = &v->header;
	const struct pp_compressed *z;
	char missing[MISSING] = "";

	if (!v->tool->in)
		return;
	z = pp_compressed(v->tool->in);
	if (z->announced)		/* the source keeps it to itself */
		h->have |= UINT64_C(1) << PP_FEAT_COMPRESSED;
	for (unsigned i = 0; i < v->tool->in->events->n; i++)
		if (v->tool->in->events->ev[i]->attr.sample_type & PP_SAMPLE_BRANCH_STACK)
			h->have |= UINT64_C(1) << PP_FEAT_BRANCH_STACK;
	if (h->n)
		qsort(h->part, h->n, sizeof *h->part, by_number);
	for (size_t i = 0, k = 0; i <= h->n; i++) {
		uint64_t number = i < h->n ? h->part[i].number : UINT64_MAX;

		for (; k < sizeof flags / sizeof *flags && flags[k].feature < number; k++)
			if (h->have >> flags[k].feature & 1) {
				if (flags[k].feature == PP_FEAT_COMPRESSED)
					header_say(v, flags[k].feature, "compressed : %s, level = %" PRIu32 ", ratio = %" PRIu32,
					    z->type == 1 ? "Zstd" : "Unknown", z->level, z->ratio);
				else
					header_say(v, flags[k].feature, "%s", flags[k].text);
			}
		if (i < h->n)
			header_feature(v, h->part[i].number, h->part[i].p, h->part[i].len);
	}
	for (unsigned i = 1; i < PP_FEAT_END; i++)
		if (!(h->have >> i & 1) && pp_feature_name(i)) {
			strcat(missing, pp_feature_name(i));
			strcat(missing, " ");
		}
	header_say(v, 0, "missing features: %s", missing);
}

void
header_free(struct header *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->part[i].p);
	for (size_t i = 0; i < h->nlines; i++)
		free(h->line[i].text);
	free(h->part);
	free(h->line);
}

/* ---- the table ----------------------------------------------------------------------------------- */

static const struct column header_columns[] = {
	{ "feature", CELL_TEXT, ADDS_KEY, "header feature, or null" },
	{ "line", CELL_TEXT, ADDS_KEY, "what it says" },
};

static void
header_rows(const void *of, report_put *put, void *arg)
{
	const struct header *h = &((const struct views *)of)->header;

	for (size_t i = 0; i < h->nlines; i++)
		put(arg, (struct cell[]){ cell_text(pp_feature_name(h->line[i].feature)), cell_bytes(h->line[i].text, h->line[i].len) });
}

const struct table header_table = { "header", "header features", TABLE(header_columns), .screen = SCREEN_OFF, .rows = header_rows };

static void
header_line(void *arg, const struct cell *row)
{
	FILE *f = arg;

	fputs("# ", f);
	text_print(f, row[1].text, row[1].len);
	fputc('\n', f);
}

void
header_screen(FILE *f, const struct views *v)
{
	fputs("# ========\n", f);
	header_table.rows(v, header_line, f);
	fputs("# ========\n#\n", f);
}

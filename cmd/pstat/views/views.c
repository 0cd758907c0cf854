/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <time.h>

#include "in.h"
#include "report/text.h"

static const struct { const struct table *table; void (*screen)(FILE *, const struct part *); } views[VIEW_KINDS] = {
	[VIEW_EVENTS] = { &attrs_table, attrs_screen },
	[VIEW_PAYLOADS] = { &payloads_table, payloads_screen },
	[VIEW_HEADER] = { &header_table, header_screen },
	[VIEW_TASKS] = { &threads_table, threads_screen },
	[VIEW_MMAPS] = { &maps_table, maps_screen },
	[VIEW_BUILD_IDS] = { &build_ids_table, build_ids_screen },
};

struct views *
views_want(struct views *v, struct tool *t, struct counts *c, enum view view)
{
	if (!v) {
		v = tool_alloc(1, sizeof *v);
		v->tool = t;
		v->c = c;
	}
	v->want[view] = true;
	tzset();		/* the process can open nothing later */
	return v;
}

unsigned
views_open_flags(const struct views *v)
{
	return v->want[VIEW_HEADER] ? PP_OPEN_FILE_FEATURES : 0;
}

void
views_add(const struct views *v, struct report *r)
{
	for (int i = 0; i < VIEW_KINDS; i++)
		if (v->want[i])
			report_add(r, views[i].table, v);
}

static int
views_see(void *arg, const struct pp_rec *r, bool sound)
{
	struct views *v = arg;

	if (!sound)
		return 0;
	if (r->type == PP_SAMPLE) {
		if (v->want[VIEW_HEADER])
			header_sample(v, r);
		return 1;
	}
	if (v->want[VIEW_HEADER])
		header_see(v, r);
	if (v->want[VIEW_TASKS] || v->want[VIEW_MMAPS])
		threads_see(v, r);
	if (v->want[VIEW_BUILD_IDS])
		build_ids_see(v, r);
	return 1;
}

void
views_begin(struct views *v)
{
	v->threads.maps = v->want[VIEW_MMAPS];
	if (!v->tool->in)
		return;
	if (v->want[VIEW_PAYLOADS])
		payloads_begin(v);
	if (v->want[VIEW_TASKS] || v->want[VIEW_MMAPS])
		threads_begin(v);
	if (v->want[VIEW_BUILD_IDS])
		v->build_ids.known = index_new(&v->err);
	count_visit_by(v->c, views_see, v);
}

bool
views_end(struct views *v)
{
	if (v->want[VIEW_HEADER])
		header_end(v);
	if (v->want[VIEW_PAYLOADS] && v->tool->in)
		payloads_end(v);
	if (v->threads.state)
		threads_end(v);
	build_ids_end(v);
	if (v->err.what[0])
		tool_warn(v->tool, "%s", v->err.what);
	return !v->header.full && !v->threads.full && !v->threads.cut && !v->build_ids.full && !v->err.what[0];
}

void
views_screen(FILE *f, const struct report *r)
{
	for (int i = 0; i < VIEW_KINDS; i++) {
		const struct part *part = report_part(r, views[i].table->name);

		if (part)
			views[i].screen(f, part);
	}
}

void
views_text(FILE *f, const char *s, size_t n)
{
	char *text = text_plain(s, n, true);

	fputs(text, f);
	free(text);
}

void
views_free(struct views *v)
{
	if (!v)
		return;
	header_free(&v->header);
	threads_free(&v->threads);
	build_ids_free(&v->build_ids);
	free(v);
}

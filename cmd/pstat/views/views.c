/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <time.h>

#include "in.h"

static const struct { const struct table *table; void (*screen)(FILE *, const struct views *); } views[VIEW_KINDS] = {
	[VIEW_EVENTS] = { &attrs_table, attrs_screen },
	[VIEW_PAYLOADS] = { &payloads_table, payloads_screen },
	[VIEW_HEADER] = { &header_table, header_screen },
	[VIEW_TASKS] = { &threads_table, threads_screen },
	[VIEW_MMAPS] = { &maps_table, maps_screen },
	[VIEW_BUILD_IDS] = { &build_ids_table, build_ids_screen },
};

static void *
views_new(struct pass *p)
{
	struct views *v;

	if (!p->asked->views)
		return NULL;
	v = tool_alloc(1, sizeof *v);
	v->tool = p->t;
	v->c = p->c;
	for (int i = 0; i < VIEW_KINDS; i++)
		v->want[i] = p->asked->views >> i & 1;
	if (v->want[VIEW_HEADER])
		p->open_flags |= PP_OPEN_FILE_FEATURES;
	tzset();		/* the process can open nothing later */
	return v;
}

static void
views_add(void *part, struct report *r)
{
	const struct views *v = part;

	for (int i = 0; i < VIEW_KINDS; i++)
		if (!v || v->want[i])
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

static void
views_begin(void *part, struct pass *p)
{
	struct views *v = part;

	(void)p;
	v->threads.maps = v->want[VIEW_MMAPS];
	if (!v->tool->in)
		return;
	if (v->want[VIEW_PAYLOADS])
		payloads_begin(v);
	if (v->want[VIEW_TASKS] || v->want[VIEW_MMAPS])
		threads_begin(v);
	if (v->want[VIEW_BUILD_IDS])
		v->build_ids.known = index_new();
	lane_join(v->c, LANE_ALL, views_see, v);
}

static bool
views_end(void *part, struct pass *p)
{
	struct views *v = part;

	(void)p;
	if (v->want[VIEW_HEADER])
		header_end(v);
	if (v->want[VIEW_PAYLOADS] && v->tool->in)
		payloads_end(v);
	if (v->threads.state)
		threads_end(v);
	build_ids_end(v);
	if (v->err.what[0] && !v->tool->in_err.what[0])
		pp_fail(&v->tool->in_err, "%s", v->err.what);
	return !v->header.full && !v->threads.full && !v->threads.cut && !v->build_ids.full && !v->err.what[0];
}

static void
views_screen(FILE *f, const void *part)
{
	const struct views *v = part;

	for (int i = 0; i < VIEW_KINDS; i++)
		if (v->want[i])
			views[i].screen(f, v);
}

static void
views_free(void *part)
{
	struct views *v = part;

	header_free(&v->header);
	threads_free(&v->threads);
	build_ids_free(&v->build_ids);
	free(v);
}

const struct part_kind part_views = { .new = views_new, .add = views_add, .begin = views_begin, .end = views_end,
	.screen = views_screen, .free = views_free };

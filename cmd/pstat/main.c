/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include <jansson.h>

#include "count/part.h"
#include "joined.h"
#include "merge/run.h"
#include "options.h"
#include "report/forms.h"
#include "report/output.h"
#include "tool/jobs.h"

#define EACH_PART(i, pass) for (unsigned i = 0; i < PARTS; i++) if ((pass)->part[i])

/* Make what was asked for, and add it to the report. */
static void
plan(struct pass *p)
{
	bool tells = false;

	for (unsigned i = 0; i < PARTS; i++) {
		const struct part_kind *kind = part_kinds[i];

		if (!(p->part[i] = kind->new(p)))
			continue;
		tells |= kind->screen != NULL;
		if (kind->add)
			kind->add(p->part[i], p->r);
	}
	output_check_table(p->t, p->asked->form, p->r);
	p->r->pass = p;
	if (p->form == screen && tells)
		p->form = pass_tell;
}

/* Open the input and the output.  False: there is nothing to write. */
static bool
begin(struct pass *p, struct joined **joined)
{
	/* The message says all that a screen could, but for what --check says of it. */
	bool needs_input = p->asked->form == screen && !p->says;
	struct tool *t = p->t;

	tool_check(t);
	EACH_PART(i, p)
		if (part_kinds[i]->prepare)
			part_kinds[i]->prepare(p->part[i], p);
	if (t->manifest)
		*joined = joined_open(t, p->open_flags);
	else if (tool_open_input(t, p->open_flags) < 0 && needs_input)
		return false;
	if (!(p->f = output_open(t, p->r, p->to_stderr)))
		return false;
	tool_lock(t);
	if (*joined)
		joined_start(*joined);
	EACH_PART(i, p)
		if (part_kinds[i]->open && t->in)
			part_kinds[i]->open(p->part[i], p);
	if (t->in && tool_begin_input(t) < 0) {
		pp_close(t->in);
		t->in = NULL;
	}
	if (t->in || !needs_input)
		return true;
	tool_abandon(t);
	return false;
}

static void
read_input(struct pass *p, struct joined *joined)
{
	count_init(p->c, p->t);
	EACH_PART(i, p)
		if (part_kinds[i]->begin)
			part_kinds[i]->begin(p->part[i], p);
	if (p->t->in)
		count_all(p->c);
	joined_end(joined);
	EACH_PART(i, p)
		if (part_kinds[i]->end)
			p->r->exact &= part_kinds[i]->end(p->part[i], p);
	p->r->exact &= !report_clips(p->r);
}

static int
report(struct pass *p)
{
	struct joined *joined = NULL;
	int status;

	plan(p);
	if (begin(p, &joined)) {
		read_input(p, joined);
		output_write(p->t, p->f, p->r, p->form);
	} else
		p->f = NULL;
	EACH_PART(i, p)
		if (part_kinds[i]->close)
			part_kinds[i]->close(p->part[i], p);
	count_free(p->c);
	status = tool_close(p->t);
	for (unsigned i = PARTS; i-- > 0; )
		if (p->part[i])
			part_kinds[i]->free(p->part[i]);
	return status;
}

/* Of jansson, of which no call says that memory is missing: it leaves a member out, or calls good JSON bad. */
static void *
json_memory(size_t size)
{
	return tool_need(malloc(size));
}

static int
run(int argc, char **argv)
{
	struct tool t = { .name = "pstat", .purpose = "Print the contents of a perf recording.",
	    .report = true, .many = true };
	struct asked asked = { .top = -1 };
	struct counts *c = tool_alloc(1, sizeof *c);
	struct report r = { .exact = true };
	int status;

	json_set_alloc_funcs(json_memory, free);
	read_options(&t, &asked, argc, argv);
	r.name = asked.table;
	if (asked.merge || tool_jobs(&t, TOOL_JOBS_REPORT))
		status = merge_run(&t, c, &r, asked.form);
	else if (asked.diff)
		status = diff_run(&t, c, &r,
		    &(struct diff_options){ asked.form, asked.keys, asked.top >= 0 ? (unsigned)asked.top : 20,
		    asked.picture || asked.page ? &asked : NULL, run });
	else
		status = report(&(struct pass){ .t = &t, .asked = &asked, .c = c, .r = &r, .form = t.jobs.slot ? json : asked.form });
	free(c);
	free(t.names);
	free(t.said);
	return status;
}

int
main(int argc, char **argv)
{
	return run(argc, argv);
}

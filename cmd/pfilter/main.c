/* SPDX-License-Identifier: ISC */
/* pfilter - keep the samples that match, and all that they need to stay readable */
#include <string.h>

#include "select.h"
#include "totals.h"

enum { EVENT_NOT = TOOL_LONG, PID_NOT, TID_NOT, CPU_NOT, TYPE, TIME, INVERT, SIDEBAND };

static const struct tool_opt opts[] = {
	{ 'p', "pid", "LIST", "keep samples of these processes (1,2,10-20,file://NAME)" },
	{ 't', "tid", "LIST", "keep samples of these threads" },
	{ 'C', "cpu", "LIST", "keep samples of these CPUs" },
	{ 'e', "event", "LIST", "keep samples of these events; names as perf shows them, or globs" },
	{ TIME, "time", "RANGES", "keep samples from start,stop (seconds; +1.5s: from the first record)" },
	{ PID_NOT, "exclude-pid", "LIST", "drop samples of these processes" },
	{ TID_NOT, "exclude-tid", "LIST", "drop samples of these threads" },
	{ CPU_NOT, "exclude-cpu", "LIST", "drop samples of these CPUs" },
	{ EVENT_NOT, "exclude-event", "LIST", "drop samples of these events" },
	{ INVERT, "invert", NULL, "keep the samples that all this would drop" },
	{ TYPE, "type", "LIST", "keep only these record types (SAMPLE,SWITCH), side-band apart" },
	{ SIDEBAND, "sideband", "all|none", "keep the records that name and map tasks (all)" },
	TOOL_OPTS_COMMON, TOOL_OPT_OUT, TOOL_OPTS_END
};

static void
option(const struct tool *t, struct selection *s, int key)
{
	switch (key) {
	case 'p':	tool_list(t, &s->pid, t->optarg); break;
	case 't':	tool_list(t, &s->tid, t->optarg); break;
	case 'C':	tool_list(t, &s->cpu, t->optarg); break;
	case 'e':	select_events(t, &s->event, t->optarg); break;
	case PID_NOT:	tool_list(t, &s->no_pid, t->optarg); break;
	case TID_NOT:	tool_list(t, &s->no_tid, t->optarg); break;
	case CPU_NOT:	tool_list(t, &s->no_cpu, t->optarg); break;
	case EVENT_NOT:	select_events(t, &s->no_event, t->optarg); break;
	case TIME:	select_time(t, s, t->optarg); break;
	case TYPE:	select_types(t, s, t->optarg); break;
	case INVERT:	s->invert = true; break;
	case SIDEBAND:
		if (strcmp(t->optarg, "all") && strcmp(t->optarg, "none"))
			tool_wrong(t, "--sideband '%s': expected all or none", t->optarg);
		s->no_sideband = *t->optarg == 'n';
	}
}

/* Write the sample or not; its READ totals have to be kept right in either case.  1, or -1. */
static int
put_sample(struct tool *t, struct totals *totals, const struct pp_rec *r, bool keep)
{
	const struct pp_event *ev = pp_event_find(t->in->events, r, &t->in_err);
	const uint8_t *p = r->raw;

	if (ev->attr.sample_type & PP_SAMPLE_READ &&
	    !(p = totals_sample(totals, t->in->events, ev, r, keep, &t->in_err)))
		return pp_reject(t->in, r);
	if (!keep)
		return 1;
	return p == r->raw ? pp_put(t->out, t->in, r) : pp_put_copy(t->out, p, r->size);
}

static void
filter(struct tool *t, struct selection *s)
{
	static struct totals totals = { .totals.max = TOTALS_MAX };
	struct pp_rec r;
	int keep, rc = 1;

	while (rc > 0 && pp_next(t->in, &r) > 0) {
		if (r.type >= PP_USER_TYPE_START) {
			s->has_aux |= r.type == PP_AUXTRACE_INFO;
			rc = pp_put(t->out, t->in, &r);
			continue;
		}
		if ((keep = select_record(s, t, &r)) < 0)
			rc = pp_reject(t->in, &r);
		else if (r.type == PP_SAMPLE && t->in->events->reads && !s->nothing)
			rc = put_sample(t, &totals, &r, keep);
		else if (keep)
			rc = pp_put(t->out, t->in, &r);
	}
	pp_totals_free(&totals.totals);
}

int
main(int argc, char **argv)
{
	struct tool t = { .name = "pfilter", .opts = opts,
	    .purpose = "Keep the samples of a perf stream that match, and all that they need to stay readable." };
	struct selection s = { 0 };
	int key, status;

	while ((key = tool_getopt(&t, argc, argv)) != -1)
		option(&t, &s, key);
	select_ready(&s);
	tool_open(&t, 0);
	filter(&t, &s);
	status = tool_close(&t);
	select_free(&s);
	return status;
}

/* SPDX-License-Identifier: ISC */
/* opt.c - parses the arguments of the join's options; exits 2 if one is wrong */
#include <string.h>

#include "join.h"
#include "set.h"

void
join_opt_pids(const struct tool *t, struct join_options *o, const char *text)
{
	if (!strcmp(text, "auto"))
		o->pids = JOIN_PIDS_AUTO;
	else if (!strcmp(text, "never"))
		o->pids = JOIN_PIDS_NEVER;
	else if (*text < '0' || *text > '9')
		tool_wrong(t, "%s '%s': expected auto, never or a number", t->optname, text);
	else {
		o->pids = JOIN_PIDS_OFFSET;
		o->pid_offset = (uint32_t)tool_number(t, text, 1, INT32_MAX - JOIN_PID_STEP);
	}
}

void
join_opt_align(const struct tool *t, struct join_options *o, const char *text)
{
	if (!strcmp(text, "none"))
		o->align = JOIN_ALIGN_NONE;
	else if (!strcmp(text, "wall"))
		o->align = JOIN_ALIGN_WALL;
	else if (!strcmp(text, "first"))
		o->align = JOIN_ALIGN_FIRST;
	else
		tool_wrong(t, "%s '%s': expected none, wall or first", t->optname, text);
}

void
join_opt_host_tag(const struct tool *t, struct join_options *o, const char *text)
{
	if (strcmp(text, "none") && strcmp(text, "comm"))
		tool_wrong(t, "%s '%s': expected none or comm", t->optname, text);
	o->host_tag = !strcmp(text, "comm");
}

void
join_opt_offset(const struct tool *t, struct join_offsets *l)
{
	const char *text = t->optarg;
	size_t n = (size_t)t->nnames;
	bool minus = *text == '-';
	uint64_t ns = tool_duration(t, text + (minus || *text == '+'));

	if (ns > INT64_MAX)
		tool_wrong(t, "%s '%s': too long", t->optname, text);
	l->ns = tool_need(array_reach(l->ns, &l->n, n, sizeof *l->ns));
	l->ns[n] = minus ? -(int64_t)ns : (int64_t)ns;
}

void
join_opt_offsets(const struct tool *t, struct join_options *o, struct join_offsets *l)
{
	size_t n = t->nnames ? (size_t)t->nnames : 1;

	if (l->n)
		l->ns = tool_need(array_reach(l->ns, &l->n, n - 1, sizeof *l->ns));
	if (l->n > n)
		tool_wrong(t, "--time-offset: no input follows it");
	o->time_offset = l->ns;
}

/* SPDX-License-Identifier: ISC */
/* opt.c - parses the arguments of the join's options; exits 2 if one is wrong */
#include <string.h>

#include "join.h"
#include "set.h"

void
join_opt_pids(struct tool *t, void *options)
{
	struct join_options *o = options;
	const char *text = t->optarg;

	if (*text >= '0' && *text <= '9') {
		o->pids = JOIN_PIDS_OFFSET;
		o->pid_offset = (uint32_t)tool_number(t, text, 1, INT32_MAX - JOIN_PID_STEP);
	} else if ((o->pids = (enum join_pids)tool_word(t, text, JOIN_PIDS_WORDS)) == JOIN_PIDS_OFFSET)
		tool_wrong(t, "%s '%s': expected a number", t->optname, text);
}

void
join_opt_offset(struct tool *t, void *offsets)
{
	struct join_offsets *l = offsets;
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

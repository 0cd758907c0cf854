/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nothing.h"

struct line {
	char	*text;
	size_t	 size;
};

static void __attribute__((format(printf, 2, 3)))
add(struct line *l, const char *fmt, ...)
{
	size_t at = strlen(l->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->text + at, l->size - at, fmt, ap);
	va_end(ap);
}

enum { SHOWN = 5 };

/* Append a list of numbers: "7, 9-12, ..." */
static void
add_list(struct line *l, const struct tool_list *list)
{
	for (size_t i = 0; i < list->n && i < SHOWN; i++) {
		add(l, "%s%" PRId64, i ? ", " : "", list->r[i].lo);
		if (list->r[i].hi > list->r[i].lo)
			add(l, "-%" PRId64, list->r[i].hi);
	}
	if (list->n > SHOWN)
		add(l, ", ...");
}

static void
why_task(struct line *l, const struct selection *s, bool thread)
{
	const struct tool_list *yes = thread ? &s->tid : &s->pid;

	if (!yes->n) {
		add(l, "--exclude-%s drops all of them", thread ? "tid" : "pid");
		return;
	}
	add(l, "none is of %s ", thread ? "thread" : "process");
	add_list(l, yes);
	if (!s->task_seen)
		add(l, ", and no other record refers to it");
	if (!thread && s->is_thread)
		add(l, "; %" PRIu32 " is a thread of process %" PRIu32 " (--tid)", s->is_thread, s->is_thread_of);
}

static void
why_cpu(struct line *l, const struct selection *s)
{
	const uint64_t *bits = s->seen->cpus;
	unsigned shown = 0, end;

	add(l, s->cpu.n ? "none is of CPU " : "--exclude-cpu drops all of them");
	add_list(l, &s->cpu);
	for (unsigned i = 0; i < SEEN_CPUS && shown < SHOWN; i = end + 1, shown++) {
		while (i < SEEN_CPUS && !(bits[i / 64] >> i % 64 & 1))
			i++;
		if (i == SEEN_CPUS)
			break;
		for (end = i; end + 1 < SEEN_CPUS && bits[(end + 1) / 64] >> (end + 1) % 64 & 1; end++)
			;
		add(l, "%s%u", shown ? ", " : "; they are of CPU ", i);
		if (end > i)
			add(l, "-%u", end);
	}
}

static void
add_time(struct line *l, uint64_t ns)
{
	add(l, "%" PRIu64 ".%09u", ns / 1000000000, (unsigned)(ns % 1000000000));
}

static void
why_time(struct line *l, const struct selection *s)
{
	const struct times *t = &s->times;

	add(l, "none is from ");
	for (size_t i = 0; i < t->n && i < SHOWN; i++) {
		add(l, i ? " or " : "");
		if (t->r[i].start.ns)
			add_time(l, t->r[i].start.ns);
		add(l, ",");
		if (t->r[i].stop.ns != UINT64_MAX)
			add_time(l, t->r[i].stop.ns);
	}
	if (t->n > SHOWN)
		add(l, " ...");
	if (!s->seen->last)
		return;
	add(l, "; they are from ");
	add_time(l, s->seen->first);
	add(l, " to ");
	add_time(l, s->seen->last);
	/* what somebody meant who counts from the first sample */
	if (t->n && t->r[t->n - 1].stop.ns != UINT64_MAX && t->r[t->n - 1].stop.ns < s->seen->first &&
	    t->r[t->n - 1].stop.ns <= s->seen->last - s->seen->first)
		add(l, " (a time after the first sample begins with +)");
}

/* The last step (reason.h) that a sample reached: it rejected all samples that the earlier ones selected. */
static enum reason
last_reason(const struct decide *d)
{
	int last = KEPT;

	for (int i = KEPT + 1; i < REASON_END; i++)
		if (d->samples[i])
			last = i;
	return (enum reason)last;
}

static void
why(struct line *l, const struct decide *d, enum reason reason)
{
	const struct options *o = d->o;

	switch (reason) {
	case NOT_AROUND:
	case NOT_SPAN:		windows_why(o->windows, reason, l->text + strlen(l->text), l->size - strlen(l->text)); break;
	case NOT_EVENT:		add(l, "none is of an event that --event and --exclude-event select"); break;
	case NOT_PID:
		if (o->keys && state_keys_select(o->keys) && !o->sel.pid.n && !o->sel.no_pid.n)
			add(l, "none is of a process of --pid, or of its descendants");
		else
			why_task(l, &o->sel, false);
		break;
	case NOT_TID:		why_task(l, &o->sel, true); break;
	case NOT_CPU:		why_cpu(l, &o->sel); break;
	case NOT_TIME:		why_time(l, &o->sel); break;
	case NOT_COMM:
	case NOT_DSO:
	case NOT_CGROUP:
	case NOT_CONTAINER:
	case NOT_POD:
		state_keys_why(o->keys, reason, l->text + strlen(l->text), l->size - strlen(l->text));
		break;
	case NOT_FILTER:	add(l, "--filter is true for none"); break;
	case UNKNOWN_FILTER:	add(l, "--filter is unknown for all of them: they lack fields that it tests"); break;
	case INVERTED:		add(l, "all of them match, and --invert drops those"); break;
	case SWITCHED_OFF:	add(l, "none is between --switch-on and --switch-off"); break;
	case OVER_MAX:		add(l, "--max-samples drops all of them"); break;
	case NOT_EVERY:
	case NOT_SAMPLED:
	case OVER_RATE:		add(l, "--every, --sample and --max-rate drop all of them"); break;
	/* no reason of a sample, or nothing_cause() has returned */
	case KEPT: case NOT_TYPE: case NOT_SIDEBAND: case REASON_END: case NO_VERDICT: break;
	}
}

bool
nothing_kept(const struct decide *d)
{
	return !d->samples[KEPT];
}

void
nothing_cause(const struct decide *d, char *text, size_t size)
{
	struct line l = { text, size };
	enum reason reason = last_reason(d);
	uint64_t all = 0, left = d->samples[reason];

	*text = 0;
	for (int i = KEPT; i < REASON_END; i++)
		all += d->samples[i];
	if (reason == NOT_TYPE || reason == NOT_SIDEBAND)
		return;
	if (!all) {
		add(&l, "no sample was kept: the recording has none");
		return;
	}
	add(&l, "none of %" PRIu64 " samples was kept", all);
	if (left < all && d->unsure)
		add(&l, "; of those that the other options leave");
	else if (left < all)
		add(&l, "; of the %" PRIu64 " that the other options leave", left);
	add(&l, ": ");
	why(&l, d, reason);
}

/* SPDX-License-Identifier: ISC */
/* check.c - which inputs cannot be joined, and the shifts of their times */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "record/event.h"
#include "in.h"

/* ---- conditions -------------------------------------------------------------------------------------- */

static const char *
order_name(bool swap)
{
	return swap == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? "little-endian" : "big-endian";
}

static void
check_kernels(struct join *j)
{
	const struct input *release = NULL, *start = NULL;

	for (struct input *in = j->in; in < j->in + j->n && !tool_allows(j->t, "kernels"); in++) {
		if (in->release && release && strcmp(in->release, release->release))
			tool_wrong(j->t, "%s: recorded under kernel %s, %s under %s: kernel addresses would get "
			    "wrong names; --allow kernels permits it", in->name, in->release, release->name,
			    release->release);
		if (in->kernel_start && start && in->kernel_start != start->kernel_start)
			tool_wrong(j->t, "%s: the kernel is at 0x%" PRIx64 ", in %s at 0x%" PRIx64
			    ": kernel addresses would get wrong names; --allow kernels permits it", in->name,
			    in->kernel_start, start->name, start->kernel_start);
		if (in->release && !release)
			release = in;
		if (in->kernel_start && !start)
			start = in;
	}
}

/* ---- clocks -------------------------------------------------------------------------------------- */

static int64_t
clock_of(const struct input *in)
{
	int64_t clock = clock_of_events(in->src->events);

	if (pp_is_profile(in->src))	/* its times are synthetic */
		return CLOCK_NONE;
	if (clock != CLOCK_PERF)
		return clock;
	if (in->names_clock)
		return (int64_t)in->clockid;
	return in->has_clockid ? CLOCK_UNNAMED : CLOCK_PERF;
}

/* In the joined stream all times are of the first input's clock. */
static void
check_clocks(const struct join *j)
{
	int64_t first = CLOCK_NONE;
	unsigned of = 0;

	for (unsigned i = 0; i < j->n && j->o->align == JOIN_ALIGN_NONE && !tool_allows(j->t, "clocks"); i++) {
		int64_t clock = clock_of(&j->in[i]);
		char a[64], b[64];

		if (clock == CLOCK_NONE)
			continue;
		if (first == CLOCK_NONE) {
			first = clock;
			of = i;
		}
		if (clock == first || j->offset[i] || j->offset[of])
			continue;
		clock_name(a, sizeof a, clock);
		clock_name(b, sizeof b, first);
		tool_wrong(j->t, "%s: has times of %s, %s of %s: adjust them with --align or --time-offset; "
		    "--allow clocks permits it", j->in[i].name, a, j->in[of].name, b);
	}
}

/* ---- shifts ------------------------------------------------------------------------------------------ */

void
join_lacks(const struct join *j, const struct input *in, const char *cause)
{
	if (in->err.what[0]) {
		tool_say(j->t, &in->err);
		exit(1);
	}
	tool_wrong(j->t, "%s: %s", in->name, cause);
}

static void
shift_times(struct join *j)
{
	const struct input *to = NULL;	/* the input whose times stay */

	for (unsigned i = 0; i < j->n; i++) {
		struct input *in = &j->in[i];
		uint64_t *shift = &in->rw.time_shift;

		if (j->o->align == JOIN_ALIGN_WALL) {
			if (!in->has_clock)
				join_lacks(j, in, "has no wall clock (CLOCK_DATA): record with perf record -k mono, or use --time-offset");
			to = j->in;
			*shift = (in->wall - in->clock) - (to->wall - to->clock);
		} else if (j->o->align == JOIN_ALIGN_FIRST && in->first) {
			to = to ? to : in;
			*shift = to->first - in->first;
		}
		*shift += (uint64_t)j->offset[i];
	}
}

static void
tag_hosts(struct join *j)
{
	for (struct input *in = j->in; j->o->host_tag && in < j->in + j->n; in++) {
		if (!in->host)
			join_lacks(j, in, "has no HOSTNAME for --host-tag");
		if (asprintf(&in->prefix, "%s:", in->host) < 0)
			tool_no_memory();
		in->rw.comm_prefix = in->prefix;
	}
}

void
join_check(struct join *j)
{
	for (struct input *in = j->in; in < j->in + j->n; in++)
		if (in->src->swap != j->swap)
			tool_wrong(j->t, "%s: is %s, %s is %s: convert one of them first (pcat --endian)", in->name,
			    order_name(in->src->swap), j->in->name, order_name(j->swap));
	check_kernels(j);
	check_clocks(j);
	join_pids(j);
	shift_times(j);
	tag_hosts(j);
}

/* SPDX-License-Identifier: ISC */
/*
 * pids.c - pid spaces: the shift of the pids and tids of each input
 *
 * Each host is a pid space, and so is a CPU profile, whose pid is synthetic; profiles whose maps do not contradict each other
 * are of one process.  Inputs whose pids are renumbered (pid_block.h) need no spaces.
 */
#include <string.h>

#include "in.h"
#include "record/raw.h"

/* The number of the input's host, from 0; an input without a host name belongs to the first. */
static uint64_t
host_number(const struct join *j, const struct input *in)
{
	uint64_t hosts = 0;

	for (const struct input *a = j->in; a < in && in->host; a++) {
		bool again = !a->host;

		if (a->host && !strcmp(a->host, in->host))
			return a->host_number;
		for (const struct input *b = j->in; b < a && !again; b++)
			again = b->host && !strcmp(b->host, a->host);
		hosts += !again;
	}
	return hosts;
}

/* Get the facts about the process from the head of a CPU profile. */
static void
look_at_profile(struct input *in)
{
	struct pp_rec r;
	size_t at = 0;

	while (blob_next(&in->head, &at, in->src->swap, &r))
		if (exec_maps_wants(&r))
			exec_maps_add(NULL, &in->maps, &r, in->src->swap, true);
		else if (r.type == PP_COMM)
			in->comm = (const char *)r.raw + PP_RAW_AT(COMM, comm);
}

/* Profiles have the spaces after the hosts. */
static void
number_profiles(struct join *j)
{
	for (struct input *in = j->in; in < j->in + j->n; in++) {
		const struct input *a = j->in;

		if (!pp_is_profile(in->src))
			continue;
		look_at_profile(in);
		while (a < in && !(pp_is_profile(a->src) && exec_maps_meet(a->maps, in->maps) &&
		    !exec_maps_differ(NULL, a->maps, in->maps)))
			a++;
		in->host_number = a < in ? a->host_number : j->spaces++;
	}
}

static void
check_profiles(const struct join *j)
{
	for (const struct input *in = j->in; in < j->in + j->n && j->o->one_process; in++)
		if (pp_is_profile(in->src) && pp_is_profile(j->in->src) && in->host_number != j->in->host_number)
			tool_wrong(j->t, "%s: is a profile of %s, %s of %s, and their maps differ: a CPU profile holds one "
			    "process: select one with --pid, or write a stream", in->name, in->comm ? in->comm : "?",
			    j->in->name, j->in->comm ? j->in->comm : "?");
}

static void
shift(struct join *j, struct input *in, uint64_t k, uint64_t step)
{
	if (step && k > (INT32_MAX - (uint64_t)JOIN_PID_STEP) / step)
		tool_wrong(j->t, "%s: there are not enough pids to keep so many inputs apart", in->name);
	in->rw.pid_shift = (uint32_t)(k * step);
}

bool
join_shifts_pids(const struct join *j)
{
	return j->o->pids != JOIN_PIDS_NEVER && !j->o->blocks;
}

void
join_pids(struct join *j)
{
	for (struct input *in = j->in; in < j->in + j->n; in++) {
		if (pp_is_profile(in->src))
			continue;
		in->host_number = host_number(j, in);
		if (in->host_number >= j->spaces)
			j->spaces = in->host_number + 1;
	}
	number_profiles(j);
	check_profiles(j);
	for (struct input *in = j->in; in < j->in + j->n; in++)
		if (in->block) {
			in->rw.pid_map = pid_block_map;
			in->rw.pid_arg = in->block;
		}
	for (struct input *in = j->in; in < j->in + j->n && join_shifts_pids(j); in++)
		if (j->o->pids == JOIN_PIDS_OFFSET)
			shift(j, in, (uint64_t)(in - j->in), j->o->pid_offset);
		else
			shift(j, in, in->host_number, JOIN_PID_STEP);
}

void
join_move_pids(struct join *j, struct input *in, uint32_t largest)
{
	if (j->spaces <= largest / JOIN_PID_STEP)	/* the input is itself joined and may have shifted pids */
		j->spaces = largest / JOIN_PID_STEP + 1;
	shift(j, in, j->spaces, JOIN_PID_STEP);
}

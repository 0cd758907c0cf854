/* SPDX-License-Identifier: ISC */
/* gather.c - reads the head of an input: all records before the first that perf queues by its time */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "in.h"
#include "record/raw.h"
#include "set.h"

bool
blob_next(const struct blob *b, size_t *at, bool swap, struct pp_rec *r)
{
	const uint8_t *p;

	if (*at >= b->n)
		return false;
	p = b->p + *at;
	*r = pp_rec_at(p, swap);
	*at += r->size;
	return true;
}

char *
join_feature_string(const struct pp_feature *f)
{
	struct pp_feature_value v;

	return pp_feature_string(f, &v) && v.len ? tool_need(strndup((const char *)v.p, v.len)) : NULL;
}

/* Get facts about the input from a feature.  A malformed one is ignored here. */
static void
look_feature(struct input *in, const struct pp_rec *r)
{
	struct pp_err err = { 0 };
	struct pp_feature f;

	if (pp_feature_of(&f, r, in->src->swap, 0, &err) < 0)
		return;
	in->has_features = true;
	switch (f.number) {
	case PP_FEAT_HOSTNAME:
		if (!in->host)
			in->host = join_feature_string(&f);
		break;
	case PP_FEAT_OSRELEASE:
		if (!in->release)
			in->release = join_feature_string(&f);
		break;
	case PP_FEAT_NRCPUS:
		pp_feature_num(&f, "available", &in->cpus_available, &err);
		pp_feature_num(&f, "online", &in->cpus_online, &err);
		break;
	case PP_FEAT_SAMPLE_TIME:
		pp_feature_num(&f, "first", &in->time_first, &err);
		pp_feature_num(&f, "last", &in->time_last, &err);
		break;
	case PP_FEAT_CLOCKID:
		in->has_clockid = true;
		break;
	case PP_FEAT_CLOCK_DATA:
		in->has_clockid = in->names_clock = pp_feature_num(&f, "clockid", &in->clockid, &err) > 0;
		in->has_clock = pp_feature_num(&f, "wall_clock", &in->wall, &err) > 0 &&
		    pp_feature_num(&f, "clock", &in->clock, &err) > 0;
		break;
	}
}

const char *
join_kernel_map(const struct input *in, const struct pp_rec *r)
{
	static const char kallsyms[] = "[kernel.kallsyms]";
	const char *name = (const char *)r->raw + (r->type == PP_MMAP ? 40 : 72);

	return (r->misc & PP_MISC_CPUMODE_MASK) == PP_MISC_KERNEL && PP_RAW_GET(r->raw, MMAP, pid, in->src->swap) == UINT32_MAX &&
	    !strncmp(name, kallsyms, sizeof kallsyms - 1) ? name : NULL;
}

static int
take_tracing(struct input *in, const struct pp_rec *r)
{
	const uint8_t *p;
	size_t n;
	int rc;

	if (in->tracing_rec.size || r->payload > JOIN_TRACING_MAX) {
		pp_fail(&in->err, in->tracing_rec.size ? "cannot be joined with an earlier one" : "%ju bytes behind it are too many to join",
		    (uintmax_t)r->payload);
		return pp_reject(in->src, r);
	}
	in->tracing_rec = *r;
	in->tracing_rec.raw = NULL;
	while ((rc = pp_payload(in->src, &p, &n)) > 0)
		blob_add(&in->tracing, p, n);
	return rc;
}

/* Does the head end with this record?  1; 0; -1: it is malformed. */
static int
ends_head(const struct join *j, struct input *in, const struct pp_rec *r)
{
	bool first = j->o->align == JOIN_ALIGN_FIRST;	/* then the time of the first sample is needed */
	const struct pp_event *ev;
	uint64_t time;

	if (r->payload && r->type != PP_HEADER_TRACING_DATA)
		return 1;
	if (r->type >= PP_USER_TYPE_START)
		return !first && (r->type == PP_FINISHED_INIT || r->type == PP_FINISHED_ROUND);
	if (!(ev = pp_event_find(in->src->events, r, &in->err))) {
		pp_reject(in->src, r);
		return -1;
	}
	if (!pp_time(ev, r, in->src->swap, &time))
		return r->type == PP_SAMPLE;
	if (r->type == PP_SAMPLE)
		in->first = time;
	return r->type == PP_SAMPLE || !first;
}

bool
join_gather(struct join *j, struct input *in)
{
	struct pp_rec r;
	int rc, end;

	while ((rc = pp_next(in->src, &r)) == 1 && (end = ends_head(j, in, &r)) >= 0) {
		in->taken++;
		if (r.type == PP_HEADER_ATTR) {
			in->ev = tool_need(array_more(in->ev, in->nev, 1, sizeof *in->ev));
			in->ev[in->nev++] = (struct in_event){ .attr = in->head.n, .members = 1 };
		} else if (r.type == PP_HEADER_FEATURE)
			look_feature(in, &r);
		else if ((r.type == PP_MMAP || r.type == PP_MMAP2) && !in->kernel_start && join_kernel_map(in, &r))
			in->kernel_start = PP_RAW_GET(r.raw, MMAP, start, in->src->swap);
		if (end || (in->head.n >= JOIN_HEAD_MAX && r.type != PP_HEADER_ATTR && !r.payload)) {
			in->held = r;
			return true;
		}
		if (!r.payload)
			blob_add(&in->head, r.raw, r.size);
		else if (take_tracing(in, &r) < 0)
			break;
	}
	in->ended = rc != 2;
	return in->ended;
}

/* Read once from each input that has data, waiting until one has. */
static void
top_up(struct input **in, struct pollfd *fd, unsigned n)
{
	bool ready = false;

	for (unsigned i = 0; i < n; i++) {
		fd[i] = (struct pollfd){ .fd = pp_poll_fd(in[i]->src), .events = POLLIN };
		ready |= fd[i].fd < 0;
	}
	if (poll(fd, n, ready ? 0 : -1) < 0) {
		if (errno != EINTR)
			err(1, "poll");		/* as without memory: there is no input yet whose fault it is */
		return;
	}
	for (unsigned i = 0; i < n; i++)
		if (fd[i].fd < 0 || fd[i].revents)
			pp_top_up(in[i]->src);		/* if it fails, so does pp_next() */
}

void
join_gather_all(struct join *j)
{
	struct input **in = tool_alloc(j->n, sizeof *in);
	struct pollfd *fd = tool_alloc(j->n, sizeof *fd);
	unsigned n = 0, left;

	for (; n < j->n; n++)
		in[n] = &j->in[n];
	for (;; n = left) {
		left = 0;
		for (unsigned i = 0; i < n; i++)
			if (!join_gather(j, in[i]))
				in[left++] = in[i];
		if (!left)
			break;
		top_up(in, fd, left);
	}
	free(in);
	free(fd);
}

/* SPDX-License-Identifier: ISC */
/*
 * clock.c - --clock-data: which wall clock time it was at a time of the recording's clock.
 *
 * The first ATTR names the clock.  For "now" both clocks are read then, which is right only if the recording is made now, on this
 * machine: what the recording says of its machine shows it, and the first record with a time.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "header.h"
#include "join/clock.h"
#include "lookup/when.h"
#include "record/event.h"
#include "record/feature.h"

enum { NS = 1000000000 };
#define CLOCK_LATE (60 * (uint64_t)NS)		/* a live record may be older than this process by so much */

struct clock {
	struct out	 pub;
	struct header	*h;
	struct tool	*t;
	struct edit	*edit;
	bool		 read, checked;
	struct when	 when;		/* both clocks, when they were read */
};

void
header_option_clock(struct tool *t, void *header)
{
	struct header *h = header;
	const char *arg = t->optarg;
	char *copy, *colon;

	h->clock = true;
	if ((h->clock_now = !strcmp(arg, "now")))
		return;
	copy = tool_alloc(strlen(arg) + 1, 1);
	strcpy(copy, arg);
	if (!(colon = strchr(copy, ':')))
		tool_wrong(t, "%s '%s': expected MONO_NS:WALL_NS, or now", t->optname, arg);
	*colon = 0;
	h->mono = tool_number(t, copy, 1, UINT64_MAX - 1);
	h->wall = tool_number(t, colon + 1, 1, UINT64_MAX - 1);
	free(copy);
}

static int
clock_attr(struct clock *c, const struct pp_attr *a)
{
	int64_t id = a->flags >> PP_ATTR_USE_CLOCKID_BIT & 1 ? (int64_t)a->clockid : CLOCK_PERF;
	uint8_t buf[24];
	struct pp_feature_io io;
	struct pp_err err = { 0 };
	size_t n;

	c->read = true;
	if (id == CLOCK_PERF && !c->h->clock_now)
		tool_warn(c->t, "--clock-data: the times are of the kernel's own clock, not of one that perf record -k names");
	if (c->h->clock_now && !(id != CLOCK_PERF && when_is(&c->when, id)))
		tool_wrong(c->t, "--clock-data=now: nothing but the kernel can read the clock of this recording; "
		    "use perf record -k mono");
	if (c->h->clock_now) {
		c->h->mono = c->when.ref.clock;
		c->h->wall = c->when.ref.wall;
	}
	pp_feature_create(&io, PP_FEAT_CLOCK_DATA, c->t->in->swap, 0, buf, sizeof buf, &err);
	pp_feature_put_num(&io, "version", 1);
	pp_feature_put_num(&io, "clockid", (uint32_t)(id == CLOCK_PERF ? CLOCK_MONOTONIC : id));
	pp_feature_put_num(&io, "wall_clock", c->h->wall);
	pp_feature_put_num(&io, "clock", c->h->mono);
	if (pp_feature_finish(&io, &n) < 0)
		return pp_fail(&c->t->in_err, "%s", err.what);
	edit_set(c->edit, PP_FEAT_CLOCK_DATA, buf, n);
	return 1;
}

/* Is a record with this time made now, by the clock that was read? */
static int
clock_check(struct clock *c, struct pp_source *in, const struct pp_rec *r)
{
	const struct pp_event *ev = pp_event_find(in->events, r, &c->t->in_err);
	uint64_t time, began = c->when.ref.clock;

	if (!ev)
		return pp_reject(in, r);
	if (!pp_time(ev, r, in->swap, &time))
		return 1;
	c->checked = true;
	if (!when_can_be(&c->when, time) || (time < began && began - time > CLOCK_LATE))
		tool_wrong(c->t, "--clock-data=now: a record is of %" PRIu64 ".%09" PRIu64 " s, but now it is %" PRIu64 ".%09" PRIu64
		    " s by the clock of this machine: it is not being recorded here", time / NS, time % NS, began / NS, began % NS);
	return 1;
}

/* Is the feature one of this machine and its kernel? */
static void
clock_check_machine(const struct clock *c, const struct pp_rec *r)
{
	struct pp_feature f;
	struct pp_feature_value v;
	struct pp_err ignored = { 0 };
	const struct utsname *us = &c->h->us;
	const char *ours;

	if (pp_feature_of(&f, r, c->t->in->swap, 0, &ignored) < 0)
		return;
	ours = f.number == PP_FEAT_HOSTNAME ? us->nodename : f.number == PP_FEAT_OSRELEASE ? us->release :
	    f.number == PP_FEAT_ARCH ? us->machine : NULL;
	if (ours && pp_feature_string(&f, &v) && (v.len != strlen(ours) || memcmp(v.p, ours, v.len)))
		tool_wrong(c->t, "--clock-data=now: %s of the recording is not that of this machine: it is not being recorded here",
		    pp_feature_name(f.number));
}

static int
clock_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct clock *c = (struct clock *)o;
	struct pp_attr a;

	if (!c->read && r->type == PP_HEADER_ATTR) {
		pp_attr_get(&a, r->raw + PP_HEADER_SIZE, r->size - (size_t)PP_HEADER_SIZE, in->swap);
		if (clock_attr(c, &a) < 0)
			return -1;
	} else if (!c->read && r->type == PP_HEADER_FEATURE) {
		return pp_fail(&c->t->in_err, "--clock-data: no ATTR is in front of the features");
	} else if (c->h->clock_now && r->type == PP_HEADER_FEATURE) {
		clock_check_machine(c, r);
	} else if (c->h->clock_now && !c->checked && r->type < PP_USER_TYPE_START && clock_check(c, in, r) < 0)
		return -1;
	return o->next->put(o->next, in, r, stable);
}

struct out *
clock_stage(struct header *h, struct tool *t, struct out *next)
{
	struct clock *c = tool_alloc(1, sizeof *c);

	*c = (struct clock){ .pub = { .put = clock_put, .finish = out_finish, .next = next }, .h = h, .t = t, .edit = h->edit };
	return &c->pub;
}

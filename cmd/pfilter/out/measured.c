/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "make/make.h"
#include "out/measured.h"
#include "record/raw.h"
#include "record/shape.h"
#include "set.h"

enum { EVENT_UPDATE_UNIT = 0 };
static const char unit[] = "ns";

/* Fields of the task in which the sample was taken. */
static const uint64_t own = PP_SAMPLE_CALLCHAIN | PP_SAMPLE_BRANCH_STACK | PP_SAMPLE_REGS_USER | PP_SAMPLE_STACK_USER |
    PP_SAMPLE_REGS_INTR | PP_SAMPLE_AUX;

/* Is the span of another thread than the sample? */
static bool
measured_is_other(const struct pp_event *ev, const struct pp_rec *r, const struct span_length *length, bool swap)
{
	return length->has_task && ev->plan.tid && pp_get_u32(r->raw + ev->plan.tid + 4, swap) != length->tid;
}

int
measured_note(struct measured *m, const struct pp_events *events, const struct pp_event *ev, const struct pp_rec *r,
    const struct span_length *length, struct pp_rec *update, struct pp_err *err)
{
	struct measured_event *e;
	bool first;

	m->event = tool_need(array_reach(m->event, &m->n, ev->index, sizeof *m->event));
	e = &m->event[ev->index];
	first = length && !e->with;
	*(length ? &e->with : &e->without) = true;
	if (e->with && e->without)
		return pp_fail(err, "%s has samples that are ends of spans, and others in between, whose period is no length: "
		    "--span-with cannot keep these with --span-period", ev->name);
	if (length && measured_is_other(ev, r, length, events->swap)) {
		m->others += (ev->attr.sample_type & own) != 0;
		m->unknown += length->pid == UINT32_MAX;
	}
	if (!first)
		return 1;
	PP_MAKE(update, m->unit, sizeof m->unit, EVENT_UPDATE, .swap = events->swap, .update_type = EVENT_UPDATE_UNIT,
	    .id = ev->nids ? ev->ids[0] : 0, .tail = { unit, sizeof unit });
	return 0;
}

/* Empty these fields of the copy of a sample. */
static int
measured_empty(struct measured *m, const struct pp_event *ev, struct pp_rec *r, bool swap, struct pp_err *err)
{
	const uint8_t *p = m->copy + ev->plan.fixed, *end = m->copy + r->size;
	uint8_t *to = m->copy + ev->plan.fixed;

	for (const struct pp_step *x = ev->shape.step; x < ev->shape.step + ev->shape.n; x++) {
		size_t n = pp_step_size(x, p, (size_t)(end - p), swap), least = (size_t)x->head + x->always;

		if (n > (size_t)(end - p))
			return pp_shape_fail(ev, r, swap, err);
		if (x->bit & own && n > least) {
			memset(to, 0, least);
			to += least;
		} else {
			memmove(to, p, n);
			to += n;
		}
		p += n;
	}
	memmove(to, p, (size_t)(end - p));	/* padding; fields that are not known */
	r->size = (uint16_t)(to + (end - p) - m->copy);
	PP_RAW_SET(m->copy, header, size, r->size, swap);
	return 1;
}

int
measured_sample(struct measured *m, const struct pp_event *ev, struct pp_rec *r, const struct span_length *length, bool swap, struct pp_err *err)
{
	uint8_t *task = m->copy + ev->plan.tid;

	memcpy(m->copy, r->raw, r->size);
	r->raw = m->copy;
	pp_set_u64(m->copy + ev->plan.period, length->ns, swap);
	if (!measured_is_other(ev, r, length, swap))
		return 1;
	pp_set_u32(task, length->pid, swap);
	pp_set_u32(task + 4, length->tid, swap);
	return measured_empty(m, ev, r, swap, err);
}

void
measured_end(const struct measured *m, const struct tool *t)
{
	if (m->others)
		tool_warn(t, "--span-task: %ju samples were taken in another task than their span is of: call chains, registers, stacks and "
		    "branches of these were removed", (uintmax_t)m->others);
	if (m->unknown)
		tool_warn(t, "--span-task: of %ju samples the process is unknown: no record has the thread; it is -1", (uintmax_t)m->unknown);
}

void
measured_free(struct measured *m)
{
	free(m->event);
}

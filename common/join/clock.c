/* SPDX-License-Identifier: ISC */
/* clock.c - see clock.h */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "clock.h"
#include "record/event.h"
#include "record/raw.h"

int64_t
clock_of_events(const struct pp_events *e)
{
	for (unsigned i = 0; i < e->n; i++) {
		const struct pp_attr *a = &e->ev[i]->attr;

		if (a->sample_type & PP_SAMPLE_TIME)
			return a->flags >> PP_ATTR_USE_CLOCKID_BIT & 1 ? (int64_t)a->clockid : CLOCK_PERF;
	}
	return CLOCK_NONE;
}

void
clock_name(char *to, size_t n, int64_t clock)
{
	static const struct { int64_t clock; const char *name; } known[] = {
		{ CLOCK_PERF, "perf's own clock" }, { CLOCK_UNNAMED, "a clock that it does not name" },
		{ CLOCK_REALTIME, "clock realtime" }, { CLOCK_MONOTONIC, "clock monotonic" },
		{ CLOCK_MONOTONIC_RAW, "clock monotonic_raw" }, { CLOCK_BOOTTIME, "clock boottime" },
		{ CLOCK_TAI, "clock tai" },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].clock == clock) {
			snprintf(to, n, "%s", known[i].name);
			return;
		}
	snprintf(to, n, "clock %" PRId64, clock);
}

/* Old ones end before `cycles', and are of counters that count on for good. */
void
clock_cycles_learn(struct clock_cycles *c, const struct pp_rec *r, bool swap)
{
	bool whole = r->size >= PP_RAW_AT(TIME_CONV, cap_user_time) + 2;
	uint64_t shift = PP_RAW_GET(r->raw, TIME_CONV, time_shift, swap);

	if (shift >= 64 || (whole && !r->raw[PP_RAW_AT(TIME_CONV, cap_user_time)]))
		return;
	*c = (struct clock_cycles){ .known = true, .shift = (uint8_t)shift,
	    .mult = PP_RAW_GET(r->raw, TIME_CONV, time_mult, swap), .zero = PP_RAW_GET(r->raw, TIME_CONV, time_zero, swap) };
	if (!whole || !r->raw[PP_RAW_AT(TIME_CONV, cap_user_time) + 1])
		return;
	c->short_counter = true;
	c->cycles = PP_RAW_GET(r->raw, TIME_CONV, time_cycles, swap);
	c->mask = PP_RAW_GET(r->raw, TIME_CONV, time_mask, swap);
}

uint64_t
clock_cycles_time(const struct clock_cycles *c, uint64_t cycles)
{
	uint64_t rest;

	if (c->short_counter)
		cycles = c->cycles + ((cycles - c->cycles) & c->mask);
	rest = cycles & ((UINT64_C(1) << c->shift) - 1);
	return c->zero + (cycles >> c->shift) * c->mult + (rest * c->mult >> c->shift);
}

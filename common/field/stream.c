/* SPDX-License-Identifier: ISC */
/* stream.c - facts about the stream that fields depend on: clock, host, guests */
#include <stdlib.h>
#include <string.h>

#include "field.h"
#include "record/feature.h"
#include "record/raw.h"
#include "set.h"
#include "tool/tool.h"

enum { GUESTS_MAX = 1 << 20 };		/* ids of guests' events */

static void
learn_feature(struct field_stream *s, const struct pp_rec *r, bool swap)
{
	struct pp_err err = { 0 };
	struct pp_feature f;
	struct pp_feature_value v;
	uint64_t cpus;

	if (pp_feature_of(&f, r, swap, 0, &err) < 0)
		return;
	if (f.number == PP_FEAT_CLOCK_DATA && pp_feature_num(&f, "wall_clock", &s->wall, &err) > 0 &&
	    pp_feature_num(&f, "clock", &s->clock, &err) > 0)
		s->has_clock = true;
	if (f.number == PP_FEAT_NRCPUS && pp_feature_num(&f, "available", &cpus, &err) > 0 && cpus > s->cpus)
		s->cpus = cpus;			/* of several machines the most */
	if (f.number == PP_FEAT_HOSTNAME && pp_feature_string(&f, &v)) {
		free(s->host);
		s->host = tool_alloc(v.len + 1, 1);
		memcpy(s->host, v.p, v.len);
	}
}

/* ID_INDEX may have, behind its entries, the guest of each id. */
static void
learn_guests(struct field_stream *s, const struct pp_rec *r, bool swap)
{
	enum { HEAD = PP_RAW_AT(ID_INDEX, id), ENTRY = PP_RAW_ENTRY(ID_INDEX, id), GUEST = sizeof(struct pp_raw_guest) };
	uint64_t nr = PP_RAW_GET(r->raw, ID_INDEX, nr, swap);
	const uint8_t *p = r->raw, *guest = p + HEAD + ENTRY * nr;

	if (!s->wants_guests || (size_t)(r->size - HEAD) / (ENTRY + GUEST) < nr)
		return;
	for (uint64_t i = 0; i < nr && s->nguest < GUESTS_MAX; i++, p += ENTRY, guest += GUEST) {
		s->guest = tool_need(array_more(s->guest, s->nguest, 1, sizeof *s->guest));
		s->guest[s->nguest++] = (struct field_guest){ PP_RAW_GET(p, ID_INDEX, id, swap),
		    (uint32_t)PP_RAW_GET(guest, guest, machine_pid, swap), (uint32_t)PP_RAW_GET(guest, guest, vcpu, swap) };
	}
	s->sorted = false;
}

void
field_stream_learn(struct field_stream *s, const struct pp_rec *r, bool swap)
{
	if (r->type == PP_HEADER_FEATURE)
		learn_feature(s, r, swap);
	else if (r->type == PP_ID_INDEX)
		learn_guests(s, r, swap);
}

static int
by_id(const void *a, const void *b)
{
	const struct field_guest *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

void
field_stream_ready(struct field_stream *s)
{
	if (!s->sorted && s->nguest)
		qsort(s->guest, s->nguest, sizeof *s->guest, by_id);
	s->sorted = true;
}

const struct field_guest *
field_stream_guest(const struct field_stream *s, uint64_t id)
{
	const struct field_guest key = { .id = id };

	return s->nguest ? bsearch(&key, s->guest, s->nguest, sizeof key, by_id) : NULL;
}

void
field_stream_free(struct field_stream *s)
{
	free(s->host);
	free(s->guest);
}

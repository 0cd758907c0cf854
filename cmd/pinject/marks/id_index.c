/* SPDX-License-Identifier: ISC */
/*
 * id_index.c - see marks.h: --id-index
 *
 * The new ID_INDEX stands where the old one ended, or else in front of the first record that is not of the head of the stream:
 * readers know all ATTRs there, and have not read an AUXTRACE_INFO, for which they need it.  The ids of ATTRs that come later
 * get one more ID_INDEX, in front of the first such record.
 */
#include <stdlib.h>

#include "marks.h"
#include "record/meaning.h"
#include "record/raw.h"
#include "state/table.h"

enum {
	HEAD = PP_RAW_AT(ID_INDEX, id), ENTRY = PP_RAW_ENTRY(ID_INDEX, id), GUEST = sizeof(struct pp_raw_guest),
	ENTRIES = (PP_RECORD_MAX - HEAD) / (ENTRY + GUEST),	/* in a record, as perf cuts them */
	STRANGERS = 1 << 16,		/* entries of ids without an ATTR that are remembered, for ATTRs that come later */
};

struct old {			/* an entry of the stream's own ID_INDEX */
	struct link	 link;		/* by id */
	uint8_t		 entry[ENTRY], guest[GUEST];	/* as they stand there */
	bool		 has_guest;
};

struct id_index {
	struct out	 pub;
	struct tool	*t;
	bool		 swap;
	struct table	 old;
	size_t		 strangers;
	bool		 ended;			/* an old ID_INDEX was just left out: ours follows, whatever comes next */
	bool		 due;			/* there are ids to tell */
	unsigned	 told;			/* events whose ids were told */
	uint64_t	 given, known, unknown;	/* ids; those with an old entry; old entries of ids without an ATTR */
	uint64_t	 nr;			/* entries in buf */
	bool		 guests;		/* some of them has a guest */
	uint8_t		 buf[HEAD + ENTRIES * ENTRY], guest[ENTRIES * GUEST];
};

static struct old *
id_index_find(const struct id_index *x, uint64_t id)
{
	return (struct old *)pp_table_first(&x->old, id);
}

static int
id_index_write(struct id_index *x, struct pp_source *in)
{
	size_t n = HEAD + (size_t)x->nr * ENTRY;
	uint8_t whole[sizeof x->buf + sizeof x->guest];
	struct pp_rec r;

	if (!x->nr)
		return 1;
	memcpy(whole, x->buf, n);
	if (x->guests) {
		memcpy(whole + n, x->guest, (size_t)x->nr * GUEST);
		n += (size_t)x->nr * GUEST;
	}
	pp_raw_head(whole, PP_ID_INDEX, 0, (uint16_t)n, x->swap);
	PP_RAW_SET(whole, ID_INDEX, nr, x->nr, x->swap);
	x->nr = 0;
	x->guests = false;
	r = pp_rec_at(whole, x->swap);
	return x->pub.next->put(x->pub.next, in, &r, false);
}

/* Tell the id, the nth of its ATTR. */
static int
id_index_tell(struct id_index *x, struct pp_source *in, uint64_t id, uint64_t n)
{
	const struct old *old = id_index_find(x, id);
	uint8_t *p = x->buf + x->nr * ENTRY;		/* for the names of fields, which stand behind the head */

	if (old) {
		memcpy(p + HEAD, old->entry, ENTRY);
	} else {
		PP_RAW_SET(p, ID_INDEX, id, id, x->swap);
		PP_RAW_SET(p, ID_INDEX, idx, n, x->swap);
		PP_RAW_SET(p, ID_INDEX, cpu, UINT64_MAX, x->swap);
		PP_RAW_SET(p, ID_INDEX, tid, UINT64_MAX, x->swap);
	}
	memset(x->guest + x->nr * GUEST, 0, GUEST);
	if (old && old->has_guest) {
		memcpy(x->guest + x->nr * GUEST, old->guest, GUEST);
		x->guests = true;
	}
	x->given++;
	x->known += old != NULL;
	return ++x->nr == ENTRIES ? id_index_write(x, in) : 1;
}

/* Tell the ids of all ATTRs that were not told yet. */
static int
id_index_tell_all(struct id_index *x, struct pp_source *in)
{
	const struct pp_events *events = x->t->in->events;

	x->due = x->ended = false;
	for (; x->told < events->n; x->told++) {
		const struct pp_event *ev = events->ev[x->told];

		for (unsigned i = 0; i < ev->nids; i++)
			if (id_index_tell(x, in, ev->ids[i], i) < 0)
				return -1;
	}
	return id_index_write(x, in);
}

static int
id_index_remember(struct id_index *x, const uint8_t *entry, const uint8_t *guest)
{
	uint64_t id = pp_get_u64(entry, x->swap);
	struct old *old = id_index_find(x, id);

	if (!old) {
		if (!pp_event_by_id(x->t->in->events, id) && x->strangers++ >= STRANGERS)
			return 1;
		old = tool_alloc(1, sizeof *old);
		if (pp_table_add(&x->old, &old->link, id) < 0) {
			free(old);
			return pp_fail_memory(&x->t->in_err);
		}
	}
	memcpy(old->entry, entry, ENTRY);
	if ((old->has_guest = guest != NULL))
		memcpy(old->guest, guest, GUEST);
	return 1;
}

/* Take the entries of an ID_INDEX of the stream.  What they say of ids that were told already is told again. */
static int
id_index_learn(struct id_index *x, struct pp_source *in, const struct pp_rec *r)
{
	uint64_t nr = PP_RAW_GET(r->raw, ID_INDEX, nr, x->swap);
	const uint8_t *guest = r->raw + HEAD + nr * ENTRY;
	bool guests = nr && (uint64_t)(r->size - HEAD) / (ENTRY + GUEST) >= nr;

	for (uint64_t i = 0; i < nr; i++) {
		const uint8_t *entry = r->raw + HEAD + i * ENTRY;
		uint64_t id = pp_get_u64(entry, x->swap);
		const struct pp_event *ev = pp_event_by_id(x->t->in->events, id);

		x->unknown += !ev;
		if (id_index_remember(x, entry, guests ? guest + i * GUEST : NULL) < 0)
			return -1;
		if (ev && ev->index < x->told && id_index_tell(x, in, id, 0) < 0)
			return -1;
	}
	x->ended = true;
	return 1;
}

static int
put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct id_index *x = (struct id_index *)o;

	if (r->type == PP_ID_INDEX) {
		o->idle = false;
		return id_index_learn(x, in, r);
	}
	if (r->type == PP_HEADER_ATTR) {
		x->due = true;
		x->ended = false;
	} else if ((x->ended || (x->due && !pp_type_is(r->type, PP_CLASSES_HEAD & ~PP_CLASS_BIT(TRACE_HEAD)))) &&
	    id_index_tell_all(x, in) < 0) {
		return -1;
	}
	o->idle = !x->due && !x->ended;
	return o->next->put(o->next, in, r, stable);
}

static int
finish(struct out *o)
{
	struct id_index *x = (struct id_index *)o;
	struct out *next = o->next;
	int rc = id_index_tell_all(x, x->t->in);

	if (!x->given)
		tool_warn(x->t, "no ID_INDEX: the ATTRs have no ids");
	tool_note(x->t, "ID_INDEX: %ju ids, %ju with CPU and thread of the old one; %ju old ones without an ATTR left out",
	    (uintmax_t)x->given, (uintmax_t)x->known, (uintmax_t)x->unknown);
	pp_table_free(&x->old, true);
	free(x);
	return next->finish(next) < 0 ? -1 : rc;
}

struct out *
id_index_new(struct tool *t, struct out *next)
{
	struct id_index *x = tool_alloc(1, sizeof *x);

	x->pub = (struct out){ .put = put, .finish = finish, .next = next };
	x->t = t;
	x->swap = t->in->swap;
	pp_table_init(&x->old);
	return &x->pub;
}

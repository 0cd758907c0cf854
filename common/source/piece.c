/* SPDX-License-Identifier: ISC */
/*
 * piece.c - see piece.h
 *
 * Inside the share all records come.  So they are stepped over once, up to the share's end or the window's, and that is `lim',
 * up to where pp_next() yields SAMPLEs by itself; outside, `lim' is the position, and each record comes through piece_next().
 */
#include <stdlib.h>

#include "piece.h"
#include "record/mark.h"
#include "record/meaning.h"
#include "record/raw.h"
#include "record/wide.h"
#include "set.h"
#include "source.h"

struct piece {
	uint64_t	 from, to;	/* bytes of SAMPLEs before the share, and to its end */
	uint64_t	 done;		/* bytes of SAMPLEs so far, up to `clip' */
	const uint8_t	*clip;		/* all records up to here are of the piece; NULL: the position */
	const uint8_t	*end;		/* the end of the inner window, while it is in use */
	bool		 first;
	bool		 behind;	/* what was left out last, or is told of below, is behind the share */
	bool		 timed;		/* SAMPLEs were stepped over since the last record, with these times, for pp_when_absent() */
	uint64_t	 oldest, newest;
	bool		 marked;	/* pp_piece_mark(): */
	struct pp_piece_marks marks;
	bool		 begun, over;	/* the records that say so were yielded, ... */
	unsigned	 rounds;	/* ... and so many FINISHED_ROUNDs behind the second */
};

/* The classes that come in all pieces. */
#define PIECE_ALL (PP_CLASSES_STATE | PP_CLASSES_HEAD | PP_CLASS_BIT(ROUND) | PP_CLASS_BIT(MARK))

/* The first c for which c * n >= k * total. */
static uint64_t
piece_begin(uint64_t k, uint64_t n, uint64_t total)
{
	uint64_t rest, c = wide_div(wide_mul(k, total), n, &rest);

	return c + (rest != 0);
}

int
pp_piece(struct pp_source *pub, uint64_t k, uint64_t n, uint64_t total)
{
	struct source *s = (struct source *)pub;
	struct piece *y = s->piece = calloc(1, sizeof *y);

	if (!y)
		return source_fail_memory(s, 0);
	/* Without samples all is of the first piece. */
	y->from = total ? piece_begin(k - 1, n, total) : k > 1 ? UINT64_MAX : 0;
	y->to = total && k < n ? piece_begin(k, n, total) : UINT64_MAX;
	y->first = k == 1;
	pub->lim = pub->pos;
	return 1;
}

bool
pp_again(const struct pp_source *pub, const struct pp_rec *r)
{
	const struct piece *y = ((const struct source *)pub)->piece;

	return y && !y->first && pp_type_is(r->type, PIECE_ALL);
}

enum pp_piece_has
pp_piece_has(const struct pp_source *pub, uint64_t sample_bytes)
{
	const struct piece *y = ((const struct source *)pub)->piece;

	/* A record behind the last of these SAMPLEs may be of the next piece. */
	if (!y || (y->done >= y->from && y->done < y->to && y->to - y->done > sample_bytes))
		return PP_PIECE_ALL;
	if (y->done >= y->to || (y->done < y->from && y->from - y->done > sample_bytes))
		return PP_PIECE_NONE;
	return PP_PIECE_SOME;
}

void
pp_piece_passed(struct pp_source *pub, uint64_t sample_bytes)
{
	struct piece *y = ((struct source *)pub)->piece;

	if (y)
		y->behind = y->done >= y->to;
	/* what an index says of its chunks need not be true */
	if (y && __builtin_add_overflow(y->done, sample_bytes, &y->done))
		y->done = UINT64_MAX;
}

struct pp_piece_marks *
pp_piece_mark(struct pp_source *pub)
{
	struct piece *y = ((struct source *)pub)->piece;
	struct pp_piece_marks *m = &y->marks;

	y->marked = true;
	m->swap = pub->swap;
	pp_set_u32(m->raw, PP_PIECE_MARK, m->swap);
	pp_set_u16(m->raw + 6, PP_PIECE_MARK_SIZE, m->swap);
	pp_set_u64(m->raw + PP_HEADER_SIZE, pp_seed(), false);
	pp_set_u64(m->raw + PP_HEADER_SIZE + 8, pp_seed(), false);
	y->begun = y->first;
	return m;
}

/* Does the share begin or end here?  Then that is the next record. */
static bool
piece_edge(struct piece *y, struct pp_rec *r)
{
	if (!y->marked || (y->begun ? y->over || y->done < y->to : y->done < y->from))
		return false;
	*r = pp_piece_mark_of(&y->marks, y->begun ? PP_PIECE_END : PP_PIECE_BEGIN);
	*(y->begun ? &y->over : &y->begun) = true;
	return true;
}

/* A record was yielded; with marks. */
static int
piece_marked(struct source *s, const struct pp_rec *r)
{
	struct piece *y = s->piece;

	y->rounds += y->over && r->type == PP_FINISHED_ROUND;
	if (!r->payload || !y->done)
		return NEXT_RECORD;
	s->fatal = true;
	return source_fail(s, pp_offset(&s->pub, r), "has records with data of their own between the samples, such as a hardware trace: "
	    "it cannot be read by several processes");
}

static bool
piece_has_next(const struct piece *y)
{
	return y->done >= y->from && y->done < y->to;
}

bool
pp_piece_behind(const struct pp_source *pub)
{
	const struct piece *y = ((const struct source *)pub)->piece;

	return y && y->behind;
}

/* Step over SAMPLEs that are complete, one behind the other, and begin in the next `most' bytes.  Returns where that ends. */
static const uint8_t *
piece_pass(const struct pp_source *pub, uint64_t most)
{
	const uint8_t *p = pub->pos, *from = p, *end = pub->lim;
	bool swap = pub->swap;

	while (end - p >= PP_HEADER_SIZE && (uint64_t)(p - from) < most && PP_RAW_GET(p, header, type, swap) == PP_SAMPLE) {
		uint16_t size = PP_RAW_GET(p, header, size, swap);

		if (size < PP_HEADER_SIZE || size > end - p)
			break;
		p += size;
	}
	return p;
}

uint64_t
pp_pass_samples(struct pp_source *pub)
{
	const uint8_t *to = piece_pass(pub, UINT64_MAX);
	uint64_t n = (uint64_t)(to - pub->pos);

	pub->pos = to;
	return n;
}

bool
pp_piece_starts_behind(const struct pp_source *pub, uint64_t sample_bytes)
{
	const struct piece *y = ((const struct source *)pub)->piece;

	return y && !y->done && y->from > sample_bytes;
}

uint64_t
pp_piece_done(const struct pp_source *pub)
{
	return ((const struct source *)pub)->piece->done;
}

/* A SAMPLE outside of the share. */
static void
piece_note_time(struct piece *y, const struct pp_events *events, const struct pp_rec *r)
{
	const struct pp_event *ev = pp_event_find(events, r, NULL);
	uint64_t time;

	if (!ev || !pp_time(ev, r, events->swap, &time))
		return;
	y->behind = y->done >= y->to;
	if (!y->timed || time < y->oldest)
		y->oldest = time;
	if (!y->timed || time > y->newest)
		y->newest = time;
	y->timed = true;
}

static void
piece_tell_times(const struct source *s)
{
	struct piece *y = s->piece;

	if (y->timed)
		s->absent(s->absent_arg, y->oldest, y->newest);
	y->timed = false;
}

/* From the position on, outside of the share, step over SAMPLEs up to its begin. */
static void
piece_skip(struct source *s)
{
	struct piece *y = s->piece;
	const uint8_t *to = piece_pass(&s->pub, y->done < y->from ? y->from - y->done : UINT64_MAX);

	if (s->absent)
		for (const uint8_t *p = s->pub.pos; p < to;) {
			struct pp_rec r = pp_rec_at(p, s->pub.swap);

			piece_note_time(y, s->pub.events, &r);
			p += r.size;
		}
	y->done += (uint64_t)(to - s->pub.pos);
	s->pub.pos = to;
}

/* From the position on, inside of the share, step over records of the kernel that are complete, up to its end.  Returns where that ends. */
static const uint8_t *
piece_step(const struct source *s)
{
	const uint8_t *p = s->pub.pos, *end = s->pub.lim;
	struct piece *y = s->piece;
	bool swap = s->pub.swap;
	uint64_t done = y->done, from = y->from, to = y->to;

	while (end - p >= PP_HEADER_SIZE && done >= from && done < to) {
		uint32_t type = PP_RAW_GET(p, header, type, swap);
		uint16_t size = PP_RAW_GET(p, header, size, swap);

		if (size < PP_HEADER_SIZE || size > end - p || type >= PP_USER_TYPE_START)
			break;
		if (type == PP_SAMPLE)
			done += size;
		p += size;
	}
	y->done = done;
	return p;
}

/* Set `lim' to what it is without a piece. */
static void
piece_unclip(struct source *s)
{
	s->pub.lim = s->inner ? s->piece->end : s->payload.left ? s->pub.pos : s->win.end;
}

static void
piece_clip(struct source *s, const uint8_t *at)
{
	if (s->inner)
		s->piece->end = s->pub.lim;
	s->pub.lim = at;
}

/* The record was yielded, and its SAMPLE bytes not counted.  Is it of the piece? */
static bool
piece_takes(struct piece *y, const struct pp_rec *r)
{
	bool has = piece_has_next(y);

	if (r->type == PP_SAMPLE)
		y->done += r->size;
	return has || pp_type_is(r->type, PIECE_ALL);
}

int
piece_next(struct source *s, struct pp_rec *r)
{
	struct piece *y = s->piece;
	const uint8_t *to;
	int rc;

	if (y->clip && s->pub.pos < y->clip)
		return source_next(s, r);
	if (piece_edge(y, r))
		return NEXT_RECORD;
	if (y->marks.ended && y->rounds > 1)
		return NEXT_END;
	for (;;) {
		y->clip = NULL;
		piece_unclip(s);
		if (!piece_has_next(y))
			piece_skip(s);
		if (piece_edge(y, r)) {
			piece_clip(s, s->pub.pos);
			piece_tell_times(s);
			return NEXT_RECORD;
		}
		to = piece_step(s);
		if (to > s->pub.pos) {
			piece_tell_times(s);
			y->clip = to;
			piece_clip(s, to);
			return source_next(s, r);
		}
		rc = source_next(s, r);
		piece_clip(s, s->pub.pos);
		if (rc != NEXT_RECORD || piece_takes(y, r)) {
			piece_tell_times(s);
			return rc == NEXT_RECORD && y->marked ? piece_marked(s, r) : rc;
		}
		if (s->absent && r->type == PP_SAMPLE)
			piece_note_time(y, s->pub.events, r);
	}
}

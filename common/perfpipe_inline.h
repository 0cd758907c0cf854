/* SPDX-License-Identifier: ISC */
/*
 * perfpipe_inline.h - UNSTABLE: members of the structs of perfpipe.h, inline copies of its functions that are called for
 * each record, and functions that the commands call.  A program that includes this instead of perfpipe.h runs faster, but only with the very library that
 * it was compiled with: any version may change any of it.
 */
#ifndef PERFPIPE_INLINE_H
#define PERFPIPE_INLINE_H

#include <string.h>

#include "perfpipe.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The function of that name in the library serves where the compiler decides against an inline copy (api.c). */
#ifndef PP_INLINE
#define PP_INLINE extern inline __attribute__((gnu_inline))
#endif

/* ---- numbers of either byte order, at any address -------------------------------------------- */

PP_INLINE uint16_t
pp_get_u16(const uint8_t *p, bool swap)
{
	uint16_t v;
	memcpy(&v, p, sizeof v);
	return swap ? __builtin_bswap16(v) : v;
}

PP_INLINE uint32_t
pp_get_u32(const uint8_t *p, bool swap)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return swap ? __builtin_bswap32(v) : v;
}

PP_INLINE uint64_t
pp_get_u64(const uint8_t *p, bool swap)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return swap ? __builtin_bswap64(v) : v;
}

PP_INLINE void
pp_set_u16(uint8_t *p, uint16_t v, bool swap)
{
	if (swap)
		v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof v);
}

PP_INLINE void
pp_set_u32(uint8_t *p, uint32_t v, bool swap)
{
	if (swap)
		v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof v);
}

PP_INLINE void
pp_set_u64(uint8_t *p, uint64_t v, bool swap)
{
	if (swap)
		v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof v);
}

/*
 * A cursor, which cannot overrun: it goes bad at the first read past its end and stays so; it then yields zeros.  Read all
 * that is wanted, then test `bad' once.
 */
struct pp_cur {
	const uint8_t	*p, *end;
	bool		 swap, bad;
};

PP_INLINE struct pp_cur
pp_cur(const uint8_t *p, size_t n, bool swap)
{
	struct pp_cur c = { p, p + n, swap, false };

	return c;
}

PP_INLINE size_t
pp_left(const struct pp_cur *c)
{
	return (size_t)(c->end - c->p);
}

/* Step over n bytes and return where they stand; NULL if there are fewer. */
PP_INLINE const uint8_t *
pp_take(struct pp_cur *c, uint64_t n)
{
	const uint8_t *p = c->p;

	if (c->bad || n > pp_left(c)) {
		c->bad = true;
		return NULL;
	}
	c->p += n;
	return p;
}

/* Step over n entries of `size' bytes. */
PP_INLINE const uint8_t *
pp_take_n(struct pp_cur *c, uint64_t n, size_t size)
{
	if (n > pp_left(c) / size) {
		c->bad = true;
		return NULL;
	}
	return pp_take(c, n * size);
}

PP_INLINE uint32_t
pp_take_u32(struct pp_cur *c)
{
	const uint8_t *p = pp_take(c, 4);
	return p ? pp_get_u32(p, c->swap) : 0;
}

PP_INLINE uint64_t
pp_take_u64(struct pp_cur *c)
{
	const uint8_t *p = pp_take(c, 8);
	return p ? pp_get_u64(p, c->swap) : 0;
}

/* A view of the record at p, where as many bytes must be as its header says.  Its payload is not known: 0. */
PP_INLINE struct pp_rec
pp_rec_at(const uint8_t *p, bool swap)
{
	struct pp_rec r = { p, 0, pp_get_u32(p, swap), pp_get_u16(p + 4, swap), pp_get_u16(p + 6, swap) };

	return r;
}

/* ---- events ---------------------------------------------------------------------------------- */

/*
 * The plan: where the fixed fields of an event's records stand.  Samples: bytes from the record's start.
 * Trailers: bytes back from the record's end.  0: not recorded.
 */
struct pp_plan {
	uint16_t identifier, ip, tid, time, addr, id, stream_id, cpu, period;
	uint16_t fixed;			/* bytes up to the first field of variable size: the least size */
	uint16_t t_tid, t_time, t_id, t_stream_id, t_cpu, t_identifier;
	uint16_t trailer;		/* bytes of the trailer; 0 without sample_id_all */
};

/*
 * The shape: how to get over the fields of a sample behind its fixed part, one by one (shape.h).  A field is a number n of
 * `head' bytes (0: there is none), `always' bytes, and if n is not 0 `more' bytes and n times `unit'.
 */
enum { PP_SHAPE_STEPS = 24 };		/* more than there are rows of TAIL in sample.def */
struct pp_shape {
	unsigned	 n;
	uint32_t	 rows;		/* the fields of its samples, all of them, by number of their rows in sample.def */
	struct pp_step { uint32_t bit; uint8_t head, always, unit; uint16_t more; } step[PP_SHAPE_STEPS];	/* bit: PP_SAMPLE_... */
};

/* Compressed input, and what else may become much: up to EXPAND_MAX unless --max-expand says another size, or so many times the input. */
enum { PP_EXPAND_MAX = 1 << 30, PP_EXPAND_RATIO = 1000 };

/*
 * The size of a sample whose fields have at most one count: base + unit * n, where n is the u64 at `at', of which `mask' counts.
 * At least `need' bytes must be present.  need UINT64_MAX: its size is not so simple (judge.h), or the byte order is the other one.
 */
struct pp_sum {
	uint64_t need, base, at, unit, mask;
};

struct pp_event {
	struct pp_attr	 attr;
	struct pp_plan	 plan;
	struct pp_shape	 shape;
	struct pp_sum	 sum;
	bool		 known;		/* all bits of its attr that decide what is in a sample */
	char		*name;		/* as perf shows it */
	char		*unit;		/* of its periods, "ns"; NULL: no record says one */
	unsigned	 index;		/* position in the order of the attrs */
	unsigned	 nids;
	uint64_t	*ids;		/* in this machine's order */
	uint8_t		 name_from;	/* PP_NAME_... (record/event.h) */
	bool		 added_period;	/* pp_event_add_period() */
};

struct pp_idslot {
	uint64_t id;
	uint32_t event;			/* 1 + its index; 0: the slot is free */
	int32_t	 cpu;			/* by ID_INDEX; -1: unknown */
};
struct pp_idmap {		/* open addressing */
	uint64_t mul;			/* random and odd: a recording can't choose where its ids fall */
	unsigned shift;			/* slots: 1 << (64 - shift) */
	size_t	 used;
	struct pp_idslot *slot;
};

struct pp_events {		/* all that a stream has said of its events so far */
	struct pp_event	**ev;
	unsigned	 n;
	size_t		 nids;
	bool		 swap;
	bool		 reads;		/* some event has PERF_SAMPLE_READ */
	bool		 added_period;	/* some event has that */
	bool		 samples;	/* some event may have samples */
	struct pp_sum	 sum;		/* of all events with samples, if it is one */
	int32_t		 trailer;	/* of all events, in bytes; -1: they differ */
	/* Where an id stands; perf takes both from the first attr for all (evlist__id_pos). 0: nowhere. */
	uint16_t	 id_off;	/* in a sample, from the start */
	uint16_t	 id_back;	/* in other records, from the end */
	struct pp_idmap	 map;
};

const struct pp_event *pp_event_find_slow(const struct pp_events *, const struct pp_rec *, struct pp_err *);
PP_INLINE const struct pp_event *
pp_event_find(const struct pp_events *e, const struct pp_rec *r, struct pp_err *err)
{
	if (r->type == PP_SAMPLE && e->n == 1) {
		if (r->size >= e->ev[0]->plan.fixed)
			return e->ev[0];
	} else if (r->type == PP_SAMPLE && e->id_off && r->size >= e->id_off + 8) {
		uint64_t id = pp_get_u64(r->raw + e->id_off, e->swap);
		const struct pp_idslot *slot = &e->map.slot[id * e->map.mul >> e->map.shift];

		if (slot->id == id && slot->event && r->size >= e->ev[slot->event - 1]->plan.fixed)
			return e->ev[slot->event - 1];
	}
	return pp_event_find_slow(e, r, err);
}

/* Does the record end with a trailer of this event? */
PP_INLINE bool
pp_has_trailer(const struct pp_event *ev, const struct pp_rec *r)
{
	return r->type != PP_SAMPLE && r->type < PP_USER_TYPE_START && ev->plan.trailer &&
	    r->size >= PP_HEADER_SIZE + ev->plan.trailer;
}

/*
 * The time by which perf orders the record, in nanoseconds by the recording's clock: 1 and *time, or 0 if it has none
 * (no such field, 0, or ~0): perf takes those at once.  As pp_pid_tid() and pp_cpu() for records for which pp_event_find() has found
 * the event: it checks that a SAMPLE has the fields of fixed size.
 */
int	pp_time_slow(const struct pp_event *, const struct pp_rec *, bool swap, uint64_t *time);
PP_INLINE int
pp_time(const struct pp_event *ev, const struct pp_rec *r, bool swap, uint64_t *time)
{
	if (r->type != PP_SAMPLE || !ev->plan.time)
		return pp_time_slow(ev, r, swap, time);
	*time = pp_get_u64(r->raw + ev->plan.time, swap);
	return *time != 0 && *time != UINT64_MAX;
}

/*
 * The size of the SAMPLE at p, if it is complete and as large as its fields; 0: pp_next_slow() decides what it is.  It always does in
 * a stream of the other byte order.
 */
PP_INLINE uint16_t
pp_sample_size(const struct pp_events *e, const uint8_t *p, size_t left)
{
	const struct pp_sum *sum = &e->sum;
	uint16_t size;
	uint64_t n;

	if (left < sum->need || pp_get_u32(p, false) != PP_SAMPLE)
		return 0;
	size = pp_get_u16(p + 6, false);
	n = pp_get_u64(p + sum->at, false) & sum->mask;
	return size <= left && n <= UINT16_MAX && size == sum->base + n * sum->unit ? size : 0;
}

/* ---- what the commands call, with the byte order as an argument ------------------------------- */

/* Smallest legal size of a record of that type; 8 if unknown. */
unsigned	 pp_type_min(uint32_t type);
/* Does the type end with the sample_id trailer if sample_id_all is set? */
bool		 pp_type_has_trailer(uint32_t type);

/* Is the record sound: long enough, strings ended, counts within it?  1, or -1. */
int		 pp_check(const struct pp_rec *, bool swap, struct pp_err *);
/*
 * Show each field of the record to `visit', in file order: body, then trailer.  `ev' is the record's event or NULL (then a
 * SAMPLE is opaque and trailers are left out).  Returns what the visitor returned last, -1 also if the record is not sound.
 */
int		 pp_walk(const struct pp_rec *, const struct pp_event *ev, bool swap, pp_visit *visit, void *arg,
		    struct pp_err *);
/* The number that a value of kind UINT, SINT (sign-extended) or HEX is. */
uint64_t	 pp_value_num(const struct pp_value *, bool swap);

/*
 * Read into buffers of PP_BUFFER_SIZE bytes that `give' returns (NULL: no memory), a new one when the last is full:
 * what was yielded stays as long as its buffer.  But records that were compressed lie elsewhere, and are valid until the
 * next one as ever.  Not with PP_OPEN_REPAIR or PP_OPEN_FOLLOW.
 */
void	pp_read_into(struct pp_source *, uint8_t *(*give)(void *), void *arg);
enum { PP_BUFFER_SIZE = 256 << 10 };

/*
 * Give back the descriptor and the buffers of a source of which no more records are wanted; events, container and faults stay.
 * false: nothing was done, because its input was copied out of a pipe or of zstd.
 */
bool	pp_rest(struct pp_source *);

/* Do both read the same regular file, or directory? */
bool	pp_same_file(const struct pp_source *, const struct pp_source *);

/* pid and tid of a sample or of a trailer: 1, or 0 if not recorded. */
int	pp_pid_tid(const struct pp_event *, const struct pp_rec *, bool swap, uint32_t *pid, uint32_t *tid);
/* CPU of a sample or of a trailer: 1, or 0 if not recorded. */
int	pp_cpu(const struct pp_event *, const struct pp_rec *, bool swap, uint32_t *cpu);

/* View the feature of a HEADER_FEATURE record; valid as long as that.  1, or -1: too short to name one. */
int	pp_feature_of(struct pp_feature *, const struct pp_rec *, bool swap, uint32_t nr_cpus, struct pp_err *);

struct pp_state	*pp_state_new(bool swap, struct pp_err *);
/* Does a record of that type change the state? */
bool		 pp_state_wants(uint32_t type);
/*
 * Take in a record.  Feed records in the order of their times, those without a time when they arrive; a record of a type that
 * changes nothing is ignored.  `trailer': bytes of its trailer; 0 will do for the lookups below.  1, or -1: no memory.
 */
int		 pp_state_feed(struct pp_state *, const struct pp_rec *, size_t trailer);

/* ---- source and sink ------------------------------------------------------------------------- */

struct pp_source {		/* the part that the inline pp_next() needs; the rest is in source.h */
	const uint8_t	*pos, *lim;	/* records from here on are complete up to here, or wait for more */
	bool		 swap;
	struct pp_events *events;
	const uint8_t	*plain;		/* the nplain bytes there are at the offset `origin' of the input and behind it */
	size_t		 nplain;
	uint64_t	 origin;
};

uint64_t pp_offset_slow(const struct pp_source *, const struct pp_rec *);
PP_INLINE uint64_t
pp_offset(const struct pp_source *s, const struct pp_rec *r)
{
	uint64_t at = (uintptr_t)r->raw - (uintptr_t)s->plain;

	return at < s->nplain ? s->origin + at : pp_offset_slow(s, r);
}

int	pp_next_slow(struct pp_source *, struct pp_rec *);
PP_INLINE int
pp_next(struct pp_source *s, struct pp_rec *r)
{
	const uint8_t *p = s->pos;
	uint16_t size = pp_sample_size(s->events, p, (size_t)(s->lim - p));

	if (size) {
		struct pp_rec next = { p, 0, PP_SAMPLE, pp_get_u16(p + 4, false), size };

		*r = next;
		s->pos = p + size;
		return 1;
	}
	return pp_next_slow(s, r);
}

struct pp_sink {			/* the part that the inline pp_put() needs; the rest is in sink.c */
	const uint8_t	*run, *end;	/* bytes of the source still to be written; NULL: none */
};
int	pp_put_slow(struct pp_sink *, struct pp_source *, const struct pp_rec *);
PP_INLINE int
pp_put(struct pp_sink *k, struct pp_source *s, const struct pp_rec *r)
{
	if (r->raw != k->end || r->payload)
		return pp_put_slow(k, s, r);
	k->end += r->size;
	return 1;
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

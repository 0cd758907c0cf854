/* SPDX-License-Identifier: ISC */
/*
 * behind.h - how far the records of a stream are behind the newest before them, by place: the picture `disorder'.
 *
 * The counts are those of count.c, so the picture says what the line `order' of the screen says.
 */
#ifndef PSTAT_BEHIND_H
#define PSTAT_BEHIND_H

#include "count.h"

enum {
	BEHIND_PLACES = 512,		/* at most; their width doubles as the stream grows */
	BEHIND_ROUNDS = 4096,		/* offsets of FINISHED_ROUND that are kept; of more, none */
};

struct behind_place {			/* a column of the stream */
	uint64_t	 behind;	/* how far its records were behind the newest before them, at most, ns; 0: none was */
	uint64_t	 late, late_ns;	/* records that come later than two rounds allow, and by how much at most */
};

/* Two places become one. */
static inline void
behind_join(struct behind_place *to, const struct behind_place *more)
{
	to->behind = more->behind > to->behind ? more->behind : to->behind;
	to->late += more->late;
	to->late_ns = more->late_ns > to->late_ns ? more->late_ns : to->late_ns;
}

struct behind {
	struct counts	*c;
	struct behind_place place[BEHIND_PLACES];
	unsigned	 shift;		/* a place has 2^shift bytes */
	struct behind_place *to;		/* that of the last record that was behind */
	uint64_t	 end;		/* its end */
	uint64_t	*round;
	unsigned	 nrounds;
	uint64_t	 power[64];	/* records that are behind, by the power of two, ns */
};

struct behind *behind_new(struct counts *);
/* After count_init() and before the input is counted. */
void	behind_begin(struct behind *);
void	behind_free(void *);
/* Set `to': the offset is in another place, later than all before. */
void	behind_next(struct behind *, uint64_t at);

/* The record at that offset, which has a time, is the last one that these counts have; count.c does it without a call. */
static inline void
behind_count(struct behind *b, const struct order *o, uint64_t at)
{
	uint64_t behind = o->last - o->prev;
	struct behind_place *p;

	if (!behind)
		return;
	b->power[63 - __builtin_clzll(behind)]++;
	if (at >= b->end)
		behind_next(b, at);
	p = b->to;
	if (behind > p->behind)
		p->behind = behind;
	if (o->prev < o->flushed) {	/* it is late */
		p->late++;
		if (o->flushed - o->prev > p->late_ns)
			p->late_ns = o->flushed - o->prev;
	}
}

#endif

/* SPDX-License-Identifier: ISC */
/*
 * mark.h - records of no recording that say where the share of a piece (source/piece.h) begins and ends
 *
 * For one who wants the output for the share alone, to put it between those for the other shares: the source yields marks, which go
 * through all stages like records of an unknown type, and tell the sink (pp_cut()) which of its bytes are of the share.  They have random
 * numbers, so that no record of a recording is one.  Who holds copies of records puts a mark as not `stable': its bytes must not become a part
 * of a run of records that the sink does not look at.
 */
#ifndef PP_MARK_H
#define PP_MARK_H

#include "perfpipe_inline.h"

#define PP_PIECE_MARK UINT32_C(0xfffffff1)
enum { PP_PIECE_MARK_SIZE = PP_HEADER_SIZE + 24 };
/* ONCE: the next record is made by a stage for a sample of the share, and may come behind the share; other pieces may make the same. */
enum pp_piece_what { PP_PIECE_BEGIN, PP_PIECE_END, PP_PIECE_ONCE };
struct pp_piece_marks {
	uint8_t		 raw[PP_PIECE_MARK_SIZE];	/* header, two random u64, u64 what */
	bool		 swap;
	bool		 ended;			/* set by the sink: PP_PIECE_END has arrived there */
};

/* A mark, valid until the next call. */
static inline struct pp_rec
pp_piece_mark_of(struct pp_piece_marks *m, enum pp_piece_what what)
{
	pp_set_u64(m->raw + PP_PIECE_MARK_SIZE - 8, what, false);
	return pp_rec_at(m->raw, m->swap);
}

/* Are these n bytes one?  1 + enum pp_piece_what; 0: no. */
static inline int
pp_piece_is_mark(const struct pp_piece_marks *m, const void *p, size_t n)
{
	enum { SAME = PP_PIECE_MARK_SIZE - 8 };

	return n == PP_PIECE_MARK_SIZE && !memcmp(p, m->raw, SAME) ? 1 + (int)pp_get_u64((const uint8_t *)p + SAME, false) : 0;
}

#endif

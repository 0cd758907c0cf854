/* SPDX-License-Identifier: ISC */
/*
 * make.h - a record from the values of its fields, by its row of record.def
 *
 *	struct pp_rec r;
 *	if (PP_MAKE(&r, buf, sizeof buf, COMM, .swap = swap, .misc = PP_MISC_COMM_EXEC, .pid = 7, .tid = 7, .comm = { "sh", 2 }) < 0)
 *		...
 *
 * Members are named as the row's fields are, and hold
 *	a number	in this machine's order (U4: uint32_t, S4: int32_t ...)
 *	STR		a text without its NUL; none may be in it
 *	BYTES		that many bytes; or fewer, and zeros follow
 *	REST		bytes as they are to stand there; they may be there already
 *	WORDS		u64s in this machine's order
 *	LIST		an array of such structs: the first holds what is in front of the list and entry 0, the others an entry each
 * What is left out is 0 or empty.  Fields behind an OPT are always written.
 *
 * A record that changes another one, or whose body is there already, needs no more than pp_raw_head().
 */
#ifndef PP_MAKE_H
#define PP_MAKE_H

#include "raw.h"

struct pp_text { const void *p; size_t n; };		/* n bytes; p NULL: zeros */
struct pp_words { const uint64_t *p; size_t n; };	/* n words */

/*
 * What each struct begins with.  The tail is what stands behind the row's fields, in the record's byte order, and may be there
 * already; the trailer is as pp_trailer_put() makes it.
 */
#define PP_MAKE_MEMBERS								\
	bool		 swap;	/* write the other byte order than this machine's */	\
	uint16_t	 misc;							\
	struct pp_text	 tail, trailer;

#define PP_HOST_UINT_2		uint16_t
#define PP_HOST_UINT_4		uint32_t
#define PP_HOST_UINT_8		uint64_t
#define PP_HOST_UINT(n)		PP_HOST_UINT_##n
#define PP_HOST_HEX(n)		PP_HOST_UINT_##n
#define PP_HOST_SINT_4		int32_t
#define PP_HOST_SINT_8		int64_t
#define PP_HOST_SINT(n)		PP_HOST_SINT_##n
#define PP_HOST_STR(n)		struct pp_text
#define PP_HOST_BYTES(n)	struct pp_text
#define PP_HOST_REST(n)		struct pp_text
#define PP_HOST_WORDS(n)	struct pp_words
#define FIELD(kind, size, name, role) PP_HOST_##kind(size) name;
#define LIST
#define OPT
#define REC(number, name, class, perf, with_trailer, fields, payload, tail_fn) \
	struct pp_make_##name { PP_MAKE_MEMBERS fields };
#include "record.def"
#undef REC
#undef FIELD
#undef LIST
#undef OPT

/*
 * Make the record in buf, padded with zeros to a multiple of 8 but behind a REST, and *r a view of it.  `values' is its
 * type's struct.  1, or -1: it is larger than cap bytes or PP_RECORD_MAX, a value is longer than its field, or the type is
 * unknown or has no trailer.
 */
int	pp_make(struct pp_rec *r, uint8_t *buf, size_t cap, uint32_t type, const void *values);
#define PP_MAKE(r, buf, cap, name, ...) pp_make(r, buf, cap, PP_##name, &(const struct pp_make_##name){ __VA_ARGS__ })

struct pp_trailer {		/* what a sample_id trailer may hold */
	uint32_t pid, tid, cpu;
	uint64_t time, id, stream_id;
};
enum { PP_TRAILER_MAX = 48 };
/* Lay the trailer that records of the event have at buf.  What it is, plan.trailer bytes; none if they have none. */
struct pp_text pp_trailer_put(uint8_t buf[static PP_TRAILER_MAX], const struct pp_event *, const struct pp_trailer *, bool swap);

#endif

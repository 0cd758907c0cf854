/* SPDX-License-Identifier: ISC */
/*
 * make.h - makes a record of given field values, by its row of record.def
 *
 *	struct pp_rec r;
 *	if (PP_MAKE(&r, buf, sizeof buf, COMM, .swap = swap, .misc = PP_MISC_COMM_EXEC, .pid = 7, .tid = 7,
 *	    .comm = { "sh", 2 }) < 0)
 *		...
 *
 * The members of struct pp_make_NAME have the names of the row's fields.  A member is
 *	a number	in the byte order of this machine (U4: uint32_t, S4: int32_t ...)
 *	STR		a string without its NUL; it must not contain one
 *	BYTES		as many bytes as the field has; if fewer, zeros follow
 *	REST		bytes as they are in the record; they may be in buf already
 *	WORDS		u64s in the byte order of this machine
 *	LIST		an array of the structs: the first has the fields before the list and entry 0, each other one an entry
 * Members that are not set are 0 or empty.  Fields behind an OPT are always written.
 *
 * To change a record, or to complete one whose body exists, pp_raw_head() is enough.
 */
#ifndef PP_MAKE_H
#define PP_MAKE_H

#include "record/raw.h"

struct pp_text { const void *p; size_t n; };		/* n bytes; p NULL: zeros */
struct pp_words { const uint64_t *p; size_t n; };	/* n words */

/*
 * The first members of each struct.  tail: bytes behind the row's fields, in the byte order of the record; may be in buf
 * already. trailer: from pp_trailer_put().
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
#include "record/record.def"
#undef REC
#undef FIELD
#undef LIST
#undef OPT

/*
 * Make a record of the type in buf, padded with zeros to a multiple of 8 (not behind a REST), and let *r view it.  values: the
 * struct of the type.  1; or -1: it exceeds cap bytes or PP_RECORD_MAX, a value is longer than its field, or the type is
 * unknown or has no trailer.
 */
int	pp_make(struct pp_rec *r, uint8_t *buf, size_t cap, uint32_t type, const void *values);
#define PP_MAKE(r, buf, cap, name, ...) pp_make(r, buf, cap, PP_##name, &(const struct pp_make_##name){ __VA_ARGS__ })

struct pp_trailer {		/* the values that a trailer (sample_id) may have */
	uint32_t pid, tid, cpu;
	uint64_t time, id, stream_id;
};
enum { PP_TRAILER_MAX = 48 };
/* Write the trailer that records of the event have to buf.  Returns its plan.trailer bytes (none if the event has no trailer). */
struct pp_text pp_trailer_put(uint8_t buf[static PP_TRAILER_MAX], const struct pp_event *, const struct pp_trailer *, bool swap);

#endif

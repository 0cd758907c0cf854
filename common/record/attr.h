/* SPDX-License-Identifier: ISC */
/* attr.h - a stored struct perf_event_attr, read and changed in place; its fields are the rows of attr.def */
#ifndef PP_ATTR_H
#define PP_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "raw.h"

struct pp_attr_raw {		/* its layout: offsetof(struct pp_attr_raw, sample_type) */
#define ATTR(field, kind, bytes, role) uint8_t field[bytes];
#include "attr.def"
#undef ATTR
};

/* Bits of flags, read_format and branch_sample_type that have a meaning: up to defer_output, LOST and COUNTERS of Linux 6.18. */
enum {
#define FLAG(bit, name, what) + 1
	PP_ATTR_FLAGS = 0
#include "flag.def"
	, PP_FORMAT_BITS = 5, PP_BRANCH_BITS = 20
#undef FLAG
};
/* The numbers of read_format: TIMES once, EACH behind each value, in the order of their bits. */
enum {
	PP_FORMAT_TIMES = PP_FORMAT_TOTAL_TIME_ENABLED | PP_FORMAT_TOTAL_TIME_RUNNING,
	PP_FORMAT_EACH = PP_FORMAT_ID | PP_FORMAT_LOST
};
_Static_assert((PP_FORMAT_GROUP | PP_FORMAT_TIMES | PP_FORMAT_EACH) == (1 << PP_FORMAT_BITS) - 1, "a bit of which the size of READ is not known");
extern const char *const pp_attr_flag_names[];	/* by bit of the flag word; NULL ends them */

/* The size of the attr at p by its size field (0: that of the first version), at most len.  len >= PP_ATTR_SIZE_VER0. */
size_t	pp_attr_bytes(const uint8_t *p, size_t len, bool swap);
/* Set or clear bit n of the flag word.  Returns its previous value. */
bool	pp_attr_flag(uint8_t *attr, unsigned n, bool on, bool swap);
/* Set the field at offset `at' of width 2, 4 or 8 bytes, if it lies within the attr's `size' bytes. */
void	pp_attr_set(uint8_t *attr, size_t size, size_t at, size_t width, uint64_t value, bool swap);
/*
 * Convert a perf_event_attr of len bytes (which may be cut anywhere) to the other byte order.  dst may be src.  Bytes behind
 * the known fields are copied.
 */
void	pp_attr_flip(uint8_t *dst, const uint8_t *src, size_t len);
/* The value of a field, as uint16_t, uint32_t or uint64_t; the attr must be long enough to have it. */
#define PP_ATTR_GET(attr, field, swap) PP_NUM_GET(attr, struct pp_attr_raw, field, swap)
#define PP_ATTR_SET(attr, size, field, value, swap) \
	pp_attr_set(attr, size, offsetof(struct pp_attr_raw, field), sizeof ((struct pp_attr_raw *)0)->field, value, swap)

#endif

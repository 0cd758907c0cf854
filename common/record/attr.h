/* SPDX-License-Identifier: ISC */
/* attr.h - a struct perf_event_attr as it is stored, changed in place */
#ifndef PP_ATTR_H
#define PP_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "raw.h"

struct pp_attr_raw {		/* where its fields stand: offsetof(struct pp_attr_raw, sample_type) */
#define ATTR(field, kind, bytes, role) uint8_t field[bytes];
#include "attr.def"
#undef ATTR
};

/* Bytes of the attr at p of which `len' >= PP_ATTR_SIZE_VER0 are there: by its size field, 0 meaning the first version's. */
size_t	pp_attr_bytes(const uint8_t *p, size_t len, bool swap);
/* Set or clear bit n of the flag word; what it was. */
bool	pp_attr_flag(uint8_t *attr, unsigned n, bool on, bool swap);
/* Set the field of `width' bytes (2, 4, 8) that stands at `at', if it lies within the attr's `size' bytes. */
void	pp_attr_set(uint8_t *attr, size_t size, size_t at, size_t width, uint64_t value, bool swap);
/* The number at attr that the field is; it must be there. */
#define PP_ATTR_GET(attr, field, swap) PP_NUM_GET(attr, struct pp_attr_raw, field, swap)
#define PP_ATTR_SET(attr, size, field, value, swap) \
	pp_attr_set(attr, size, offsetof(struct pp_attr_raw, field), sizeof ((struct pp_attr_raw *)0)->field, value, swap)

#endif

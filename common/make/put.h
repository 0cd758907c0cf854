/* SPDX-License-Identifier: ISC */
/* put.h - writes into a buffer what fits: for make.c, compose.c */
#ifndef PP_PUT_H
#define PP_PUT_H

#include <string.h>

#include "record/raw.h"

struct put {
	uint8_t		*at, *end;	/* position; end of the buffer */
	bool		 swap;
	bool		 full;		/* something did not fit: nothing more is written */
};

/* Into a buffer of so many bytes, at most a record. */
static inline struct put
put_into(uint8_t *buf, size_t size, bool swap)
{
	return (struct put){ buf, buf + (size < PP_RECORD_MAX ? size : PP_RECORD_MAX), swap, false };
}

/* Reserve n bytes.  NULL: they do not fit. */
static inline uint8_t *
put_step(struct put *o, size_t n)
{
	uint8_t *p = o->at;

	if (o->full || n > (size_t)(o->end - p)) {
		o->full = true;
		return NULL;
	}
	o->at += n;
	return p;
}

static inline void
put_number(struct put *o, uint64_t v, unsigned width)
{
	uint8_t *p = put_step(o, width);

	if (!p)
		return;
	if (width == 8)
		pp_set_u64(p, v, o->swap);
	else if (width == 4)
		pp_set_u32(p, (uint32_t)v, o->swap);
	else
		pp_set_u16(p, (uint16_t)v, o->swap);
}

/* n bytes, which may be there already, and zeros up to `size'; more than that do not fit. */
static inline void
put_bytes(struct put *o, const void *from, size_t n, size_t size)
{
	uint8_t *p = n <= size ? put_step(o, size) : NULL;

	if (!p) {
		o->full = true;
		return;
	}
	if (n && p != from)
		memmove(p, from, n);
	memset(p + n, 0, size - n);
}

#endif

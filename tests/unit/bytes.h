/* SPDX-License-Identifier: ISC */
/*
 * bytes.h - records by hand, in either byte order, at odd addresses.  Shares no code with the codec: numbers are put down
 * byte by byte.
 */
#ifndef PP_TEST_BYTES_H
#define PP_TEST_BYTES_H

#include <stdlib.h>

#include "check.h"
#include "perfpipe_inline.h"

enum { BIG_HERE = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };	/* this machine's order */

struct bytes {
	uint8_t	 at[70001];		/* the bytes begin at at[1]: odd */
	size_t	 n;
	bool	 swap;
};

static inline uint8_t *
bytes_p(struct bytes *b)
{
	return b->at + 1;
}

static inline void
store(struct bytes *b, size_t at, uint64_t v, unsigned width)
{
	bool big = b->swap != BIG_HERE;

	for (unsigned i = 0; i < width; i++)
		bytes_p(b)[at + (big ? width - 1 - i : i)] = (uint8_t)(v >> 8 * i);
}

static inline void
put(struct bytes *b, uint64_t v, unsigned width)
{
	assert_true(b->n + width < sizeof b->at);
	store(b, b->n, v, width);
	b->n += width;
}

static inline void
put_text(struct bytes *b, const char *s, size_t size)
{
	memset(bytes_p(b) + b->n, 0, size);
	memcpy(bytes_p(b) + b->n, s, strlen(s));
	b->n += size;
}

/* A header; returns where, for end_rec(). */
static inline size_t
begin_rec(struct bytes *b, uint32_t type, uint16_t misc)
{
	size_t at = b->n;

	put(b, type, 4);
	put(b, misc, 2);
	put(b, 0, 2);
	return at;
}

static inline struct pp_rec
end_rec(struct bytes *b, size_t at)
{
	struct pp_rec r = { .raw = bytes_p(b) + at, .size = (uint16_t)(b->n - at) };

	store(b, at + 6, r.size, 2);
	r.type = pp_get_u32(r.raw, b->swap);
	r.misc = pp_get_u16(r.raw + 4, b->swap);
	return r;
}

/* attr.flags (8 bytes) or aux_action (4), as a recorder of that byte order stores its C bit fields. */
static inline void
put_flags(struct bytes *b, uint64_t flags, int width)
{
	bool big = b->swap != BIG_HERE;

	for (int i = 0; i < width; i++) {
		uint8_t byte = (uint8_t)(flags >> 8 * i), out = 0;

		for (int bit = 0; bit < 8; bit++)
			if (byte >> bit & 1)
				out |= (uint8_t)(1 << (big ? 7 - bit : bit));
		bytes_p(b)[b->n++] = out;
	}
}

/* A HEADER_ATTR with attr.size bytes of attr and these ids. */
static inline struct pp_rec
put_attr(struct bytes *b, const struct pp_attr *a, unsigned nids, const uint64_t *ids)
{
	size_t at = begin_rec(b, 64, 0), from = b->n;
	uint32_t size = a->size ? a->size : 64;

	put(b, a->type, 4);
	put(b, a->size, 4);
	put(b, a->config, 8);
	put(b, a->sample_period, 8);
	put(b, a->sample_type, 8);
	put(b, a->read_format, 8);
	put_flags(b, a->flags, 8);
	put(b, a->wakeup_events, 4);
	put(b, a->bp_type, 4);
	put(b, a->config1, 8);
	put(b, a->config2, 8);
	put(b, a->branch_sample_type, 8);
	put(b, a->sample_regs_user, 8);
	put(b, a->sample_stack_user, 4);
	put(b, a->clockid, 4);
	put(b, a->sample_regs_intr, 8);
	put(b, a->aux_watermark, 4);
	put(b, a->sample_max_stack, 2);
	put(b, a->reserved_2, 2);
	put(b, a->aux_sample_size, 4);
	put_flags(b, a->aux_action, 4);
	put(b, a->sig_data, 8);
	put(b, a->config3, 8);
	put(b, a->config4, 8);
	while (b->n < from + size)
		put(b, 0xee, 1);	/* of a kernel yet to come */
	b->n = from + size;
	for (unsigned i = 0; i < nids; i++)
		put(b, ids[i], 8);
	return end_rec(b, at);
}

#endif

/* SPDX-License-Identifier: ISC */
/*
 * bytes.h - numbers of a file or of a program's memory, which are little-endian: both machines are
 *
 * A reader never reads behind its end: it becomes bad, and stays so; what it gives then is 0.
 */
#ifndef PP_UNWIND_BYTES_H
#define PP_UNWIND_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct unwind_bytes {
	const uint8_t	*p, *end;
	bool		 bad;
};

static inline uint64_t
unwind_number(const uint8_t *p, unsigned size)
{
	uint64_t v = 0;

	if (size == sizeof v) {		/* most are */
		memcpy(&v, p, sizeof v);
		return le64toh(v);
	}
	for (unsigned i = size; i--;)
		v = v << 8 | p[i];
	return v;
}

/* NULL: there are fewer. */
static inline const uint8_t *
unwind_take(struct unwind_bytes *b, uint64_t n)
{
	const uint8_t *p = b->p;

	if (b->bad || n > (uint64_t)(b->end - b->p)) {
		b->bad = true;
		b->p = b->end;
		return NULL;
	}
	b->p += n;
	return p;
}

static inline uint64_t
unwind_unsigned(struct unwind_bytes *b, unsigned size)
{
	const uint8_t *p = unwind_take(b, size);

	return p ? unwind_number(p, size) : 0;
}

static inline int64_t
unwind_signed(struct unwind_bytes *b, unsigned size)
{
	unsigned shift = 64 - 8 * size;

	return (int64_t)(unwind_unsigned(b, size) << shift) >> shift;
}

enum { UNWIND_LEB = 10 };		/* bytes that a number of 64 bits takes at most */

static inline uint64_t
unwind_leb(struct unwind_bytes *b, bool negative)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < UNWIND_LEB; i++) {
		uint64_t byte = unwind_unsigned(b, 1);

		v |= (byte & 0x7f) << 7 * i;
		if (!(byte & 0x80)) {
			if (negative && byte & 0x40 && i < UNWIND_LEB - 1)
				v |= UINT64_MAX << 7 * (i + 1);
			return v;
		}
	}
	b->bad = true;
	return 0;
}

static inline uint64_t
unwind_uleb(struct unwind_bytes *b)
{
	return unwind_leb(b, false);
}

static inline int64_t
unwind_sleb(struct unwind_bytes *b)
{
	return (int64_t)unwind_leb(b, true);
}

/* What follows, n bytes, as a reader of its own. */
static inline struct unwind_bytes
unwind_block(struct unwind_bytes *b, uint64_t n)
{
	const uint8_t *p = unwind_take(b, n);

	return p ? (struct unwind_bytes){ p, p + n, false } : (struct unwind_bytes){ b->end, b->end, true };
}

/* Pointer encodings of .eh_frame and .eh_frame_hdr: "DWARF Exception Header Encoding" of the Linux Standard Base. */
enum {
	UNWIND_PE_ABSOLUTE = 0x00, UNWIND_PE_ULEB = 0x01, UNWIND_PE_U2 = 0x02, UNWIND_PE_U4 = 0x03, UNWIND_PE_U8 = 0x04,
	UNWIND_PE_SLEB = 0x09, UNWIND_PE_S2 = 0x0a, UNWIND_PE_S4 = 0x0b, UNWIND_PE_S8 = 0x0c,
	UNWIND_PE_FORMAT = 0x0f,
	UNWIND_PE_PC = 0x10, UNWIND_PE_DATA = 0x30, UNWIND_PE_BASE = 0x70, UNWIND_PE_INDIRECT = 0x80, UNWIND_PE_OMIT = 0xff,
};

static inline uint64_t
unwind_pointer_value(struct unwind_bytes *b, uint8_t encoding)
{
	switch (encoding & UNWIND_PE_FORMAT) {
	case UNWIND_PE_ABSOLUTE: case UNWIND_PE_U8: case UNWIND_PE_S8:
		return unwind_unsigned(b, 8);
	case UNWIND_PE_ULEB:
		return unwind_uleb(b);
	case UNWIND_PE_SLEB:
		return (uint64_t)unwind_sleb(b);
	case UNWIND_PE_U2:
		return unwind_unsigned(b, 2);
	case UNWIND_PE_U4:
		return unwind_unsigned(b, 4);
	case UNWIND_PE_S2:
		return (uint64_t)unwind_signed(b, 2);
	case UNWIND_PE_S4:
		return (uint64_t)unwind_signed(b, 4);
	default:
		b->bad = true;
		return 0;
	}
}

/*
 * A pointer; pc: the address of its first byte; data: that of .eh_frame_hdr.  Bases that x86-64 and arm64 do not use are bad, and so is
 * a pointer to the pointer, which only personality routines have.
 */
static inline uint64_t
unwind_pointer(struct unwind_bytes *b, uint8_t encoding, uint64_t pc, uint64_t data)
{
	uint64_t v = unwind_pointer_value(b, encoding);

	switch (encoding & (UNWIND_PE_BASE | UNWIND_PE_INDIRECT)) {
	case 0:
		return v;
	case UNWIND_PE_PC:
		return v + pc;
	case UNWIND_PE_DATA:
		return v + data;
	default:
		b->bad = true;
		return 0;
	}
}

#endif

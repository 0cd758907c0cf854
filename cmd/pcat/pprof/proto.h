/* SPDX-License-Identifier: ISC */
/*
 * proto.h - messages of protocol buffers, written by hand: https://protobuf.dev/programming-guides/encoding
 *
 *	size_t at = proto_begin(&p);
 *	proto_number(&p, 1, id);
 *	proto_end(&p, 3, at);			field 3 of the message around it, with what was put since
 *
 * A field is a number, or bytes with their length in front: a string, a message, or packed numbers.  The bytes are in memory until
 * the caller takes them from p and sets n to 0.  Without memory `failed' is set, and nothing is put any more.
 */
#ifndef PPROF_PROTO_H
#define PPROF_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proto {			/* begins zeroed */
	uint8_t	*p;
	size_t	 n, cap;
	bool	 failed;
};

enum { PROTO_BYTES = 2 };		/* a wire type; that of numbers is 0 */
enum { PROTO_VARINT_MAX = 10 };	/* bytes */
enum { PROTO_HEAD = 2 };		/* bytes in front of a message of less than 128 bytes, whose field is less than 16 */

/* proto_reserve(), if what is there does not do. */
bool	proto_grow(struct proto *, size_t n);

/* Is there memory for n more bytes? */
static inline bool
proto_reserve(struct proto *b, size_t n)
{
	return n <= b->cap - b->n || proto_grow(b, n);
}

/* Seven bits a byte, the lowest first; the highest bit of a byte: more follow. */
static inline size_t
proto_encode(uint8_t *to, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		to[n++] = (uint8_t)v | 0x80;
	to[n++] = (uint8_t)v;
	return n;
}

/* A number without its field: an entry of packed numbers. */
static inline void
proto_varint(struct proto *b, uint64_t v)
{
	if (proto_reserve(b, PROTO_VARINT_MAX))
		b->n += proto_encode(b->p + b->n, v);
}

/* n of them. */
void	proto_varints(struct proto *, const uint32_t *, size_t n);
/* 0 is what readers take for a field that is not there, so it is not written. */
static inline void
proto_number(struct proto *b, unsigned field, uint64_t v)
{
	size_t n;

	if (!v || !proto_reserve(b, (size_t)2 * PROTO_VARINT_MAX))
		return;
	n = proto_encode(b->p + b->n, field << 3);
	b->n += n + proto_encode(b->p + b->n + n, v);
}

void	proto_bytes(struct proto *, unsigned field, const void *, size_t n);
/* Of a message that is begun the end must follow. */
size_t	proto_begin(struct proto *);
void	proto_end_long(struct proto *, unsigned field, size_t begin);
static inline void
proto_end(struct proto *b, unsigned field, size_t begin)
{
	size_t len = b->n - begin - PROTO_HEAD;

	if (b->failed || field >= 16 || len >= 128) {
		proto_end_long(b, field, begin);
		return;
	}
	b->p[begin] = (uint8_t)(field << 3 | PROTO_BYTES);
	b->p[begin + 1] = (uint8_t)len;
}

void	proto_free(struct proto *);

#endif

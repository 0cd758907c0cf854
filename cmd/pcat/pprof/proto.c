/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "proto.h"
#include "set.h"

enum { VARINT = 0, BYTES = 2 };		/* wire types */
enum { VARINT_MAX = 10 };		/* bytes */

static bool
proto_grow(struct proto *b, size_t n)
{
	uint8_t *p = b->failed ? NULL : buffer_more(b->p, &b->cap, b->n, n);

	b->p = p ? p : b->p;
	b->failed = !p;
	return p;
}

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

void
proto_varint(struct proto *b, uint64_t v)
{
	if (proto_reserve(b, VARINT_MAX))
		b->n += proto_encode(b->p + b->n, v);
}

void
proto_varints(struct proto *b, const uint32_t *v, size_t n)
{
	uint8_t *to;

	if (!proto_reserve(b, n * VARINT_MAX))
		return;
	to = b->p + b->n;
	for (size_t i = 0; i < n; i++)
		to += proto_encode(to, v[i]);
	b->n = (size_t)(to - b->p);
}

void
proto_number(struct proto *b, unsigned field, uint64_t v)
{
	if (!v)
		return;
	proto_varint(b, field << 3 | VARINT);
	proto_varint(b, v);
}

void
proto_bytes(struct proto *b, unsigned field, const void *p, size_t n)
{
	proto_varint(b, field << 3 | BYTES);
	proto_varint(b, n);
	if (!n || !proto_reserve(b, n))
		return;
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

size_t
proto_begin(const struct proto *b)
{
	return b->n;
}

void
proto_end(struct proto *b, unsigned field, size_t begin)
{
	uint8_t head[2 * VARINT_MAX];
	size_t n = proto_encode(head, field << 3 | BYTES);

	n += proto_encode(head + n, b->n - begin);
	if (!proto_reserve(b, n))
		return;
	memmove(b->p + begin + n, b->p + begin, b->n - begin);
	memcpy(b->p + begin, head, n);
	b->n += n;
}

void
proto_free(struct proto *b)
{
	free(b->p);
}

/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "proto.h"
#include "set.h"

bool
proto_grow(struct proto *b, size_t n)
{
	uint8_t *p = b->failed ? NULL : buffer_more(b->p, &b->cap, b->n, n);

	b->p = p ? p : b->p;
	b->failed = !p;
	return p;
}

void
proto_varints(struct proto *b, const uint32_t *v, size_t n)
{
	uint8_t *to;

	if (!proto_reserve(b, n * PROTO_VARINT_MAX))
		return;
	to = b->p + b->n;
	for (size_t i = 0; i < n; i++)
		to += proto_encode(to, v[i]);
	b->n = (size_t)(to - b->p);
}

void
proto_bytes(struct proto *b, unsigned field, const void *p, size_t n)
{
	proto_varint(b, field << 3 | PROTO_BYTES);
	proto_varint(b, n);
	if (!n || !proto_reserve(b, n))
		return;
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

size_t
proto_begin(struct proto *b)
{
	size_t at = b->n;

	if (proto_reserve(b, PROTO_HEAD))
		b->n += PROTO_HEAD;
	return at;
}

/* Of any length: what was put moves back to where its head ends. */
void
proto_end_long(struct proto *b, unsigned field, size_t begin)
{
	uint8_t head[2 * PROTO_VARINT_MAX];
	size_t n = proto_encode(head, field << 3 | PROTO_BYTES), len = b->n - begin - PROTO_HEAD;

	if (b->failed)
		return;
	n += proto_encode(head + n, len);
	if (!proto_reserve(b, n))
		return;
	memmove(b->p + begin + n, b->p + begin + PROTO_HEAD, len);
	memcpy(b->p + begin, head, n);
	b->n = begin + n + len;
}

void
proto_free(struct proto *b)
{
	free(b->p);
}

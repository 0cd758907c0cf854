/* SPDX-License-Identifier: ISC */
/* memory.c - the layer of bytes in memory */
#include <string.h>

#include "bytes.h"

static ssize_t
memory_read_at(struct bytes *b, uint64_t off, uint8_t *p, size_t n)
{
	const struct memory *m = (const struct memory *)b;
	size_t left = off < m->n ? m->n - (size_t)off : 0;

	if (n > left)
		n = left;
	if (n)
		memcpy(p, m->p + off, n);
	return (ssize_t)n;
}

static ssize_t
memory_read(struct bytes *b, uint8_t *p, size_t n)
{
	ssize_t got = memory_read_at(b, b->taken, p, n);

	b->taken += (uint64_t)got;
	return got;
}

static int64_t
memory_size(struct bytes *b)
{
	return (int64_t)((const struct memory *)b)->n;
}

static int
memory_poll_fd(const struct bytes *b)
{
	(void)b;
	return -1;
}

static void
memory_close(struct bytes *b)
{
	(void)b;
}

struct bytes *
memory_bytes(struct memory *m, const uint8_t *p, size_t n)
{
	static const struct bytes_layer layer = { memory_read, memory_read_at, memory_size, memory_poll_fd, memory_close };

	*m = (struct memory){ .pub = { .layer = &layer }, .p = p, .n = n };
	return &m->pub;
}

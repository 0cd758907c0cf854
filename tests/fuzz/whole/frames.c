/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "../fuzz.h"
#include "frames.h"

uint64_t
number(const uint8_t *p, size_t n, bool swap)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * (swap ? n - 1 - i : i);
	return v;
}

void
number_put(uint8_t *p, size_t n, bool swap, uint64_t v)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * (swap ? n - 1 - i : i));
}

bool
frames_of(struct frames *f, struct bytes b)
{
	size_t at = HEAD;

	f->n = 0;
	if (b.n < HEAD || (memcmp(b.p, "PERFILE2", 8) && memcmp(b.p, "2ELIFREP", 8)))
		return false;
	f->swap = b.p[0] == '2';
	if (number(b.p + 8, 8, f->swap) != HEAD)
		return false;
	while (b.n - at >= 8) {
		const uint8_t *p = b.p + at;
		uint32_t type = (uint32_t)number(p, 4, f->swap);
		uint64_t size = number(p + 6, 2, f->swap), more = 0;

		if (size < 8 || size > b.n - at)
			break;
		if (type == REC_TRACING && size >= 12)
			more = (number(p + 8, 4, f->swap) + 7) & ~7ull;
		else if (type == REC_AUXTRACE && size >= 16)
			more = number(p + 8, 8, f->swap);
		if (more > b.n - at - size)
			break;
		if (f->n == f->space)
			MUST((f->f = reallocarray(f->f, f->space = 2 * f->space + 64, sizeof *f->f)));
		f->f[f->n++] = (struct frame){ p, size + more, type };
		at += size + more;
	}
	f->tail = (struct bytes){ b.p + at, b.n - at };
	return true;
}

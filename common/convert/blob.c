/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "blob.h"
#include "tool/tool.h"

uint8_t *
blob_add(struct blob *b, const void *p, size_t n)
{
	uint8_t *to;

	if (b->cap - b->n < n) {
		size_t cap = b->cap ? b->cap : 4096;

		while (cap - b->n < n)
			cap *= 2;
		b->p = tool_realloc(b->p, cap, 1);
		b->cap = cap;
	}
	to = b->p + b->n;
	if (p && n)
		memcpy(to, p, n);
	else if (n)
		memset(to, 0, n);
	b->n += n;
	return to;
}

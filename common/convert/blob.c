/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "blob.h"
#include "set.h"
#include "tool/tool.h"

uint8_t *
blob_add(struct blob *b, const void *p, size_t n)
{
	uint8_t *to;

	b->p = tool_need(buffer_more(b->p, &b->cap, b->n, n));
	to = b->p + b->n;
	if (p && n)
		memcpy(to, p, n);
	else if (n)
		memset(to, 0, n);
	b->n += n;
	return to;
}

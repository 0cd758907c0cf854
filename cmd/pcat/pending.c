/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "pending.h"

int
pending_add(struct pending *q, uint64_t time, size_t trailer, const struct pp_rec *r)
{
	size_t cap = q->cap ? 2 * q->cap : 64;
	struct pending_rec *p;
	uint8_t *copy;

	if (q->n == q->cap) {
		if (!(p = reallocarray(q->p, cap, sizeof *p)))
			return -1;
		q->p = p;
		q->cap = cap;
	}
	if (!(copy = malloc(r->size)))
		return -1;
	memcpy(copy, r->raw, r->size);
	p = &q->p[q->n++];
	*p = (struct pending_rec){ .time = time, .seq = q->seq++, .trailer = (uint16_t)trailer, .r = *r };
	p->r.raw = copy;
	q->bytes += r->size;
	return 1;
}

static int
by_time(const void *a, const void *b)
{
	const struct pending_rec *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : 1;
}

static void
drop(struct pending *q, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		q->bytes -= q->p[i].r.size;
		free((void *)(uintptr_t)q->p[i].r.raw);
	}
	q->n -= n;
	if (n)
		memmove(q->p, q->p + n, q->n * sizeof *q->p);
}

int
pending_release(struct pending *q, uint64_t until, int (*fn)(void *, const struct pp_rec *, size_t), void *arg)
{
	size_t n = 0;
	int rc = 1;

	if (q->n)
		qsort(q->p, q->n, sizeof *q->p, by_time);
	for (; n < q->n && q->p[n].time <= until && rc > 0; n++)
		rc = fn(arg, &q->p[n].r, q->p[n].trailer);
	drop(q, n);
	return rc;
}

uint64_t
pending_middle(struct pending *q)
{
	if (!q->n)
		return 0;
	qsort(q->p, q->n, sizeof *q->p, by_time);
	return q->p[q->n / 2].time;
}

void
pending_free(struct pending *q)
{
	drop(q, q->n);
	free(q->p);
	*q = (struct pending){ .n = 0 };
}

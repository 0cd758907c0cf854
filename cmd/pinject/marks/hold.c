/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "hold.h"
#include "set.h"

struct hold_head {
	uint64_t off;			/* in the input */
	uint64_t payload;
	uint64_t size;			/* of the record */
};

int
hold_put(struct hold *h, size_t limit, struct pp_source *in, const struct pp_rec *r)
{
	struct hold_head head = { pp_offset(in, r), r->payload, r->size };
	size_t more = sizeof head + r->size, before = h->n;
	const uint8_t *p;
	size_t n;
	int rc = 0;

	if (r->payload > limit || h->n + more + r->payload > limit)
		return 0;
	more += (size_t)r->payload;
	h->p = tool_need(buffer_more(h->p, &h->cap, h->n, more));
	memcpy(h->p + h->n, &head, sizeof head);
	memcpy(h->p + h->n + sizeof head, r->raw, r->size);
	h->n += sizeof head + r->size;
	while (r->payload && (rc = pp_payload(in, &p, &n)) > 0) {
		memcpy(h->p + h->n, p, n);
		h->n += n;
	}
	if (rc < 0)			/* the record is not whole */
		h->n = before;
	return rc < 0 ? -1 : 1;
}

/* A record with a payload is given with a source from which it can be read. */
static int
hold_give(struct tool *t, const uint8_t *p, const struct hold_head *head, hold_fn *fn, void *arg)
{
	struct pp_rec r = pp_rec_at(p, t->in->swap);
	struct pp_source *in;
	int rc = -1;

	if (!head->payload)
		return fn(arg, t->in, &r);
	in = pp_open_memory(p, (size_t)(head->size + head->payload), t->in->swap, t->in_err.file, &t->in_err);
	if (in && pp_next(in, &r) > 0)
		rc = fn(arg, in, &r);
	pp_close(in);
	return rc;
}

int
hold_release(struct hold *h, struct tool *t, hold_fn *fn, void *arg)
{
	struct hold_head head;
	int rc = 1;

	for (size_t at = 0; rc > 0 && at < h->n; at += sizeof head + (size_t)(head.size + head.payload)) {
		bool sound = !t->in_err.what[0];

		memcpy(&head, h->p + at, sizeof head);
		rc = hold_give(t, h->p + at + sizeof head, &head, fn, arg);
		if (rc < 0 && sound && t->in_err.at)
			t->in_err.off = head.off;
	}
	free(h->p);
	*h = (struct hold){ 0 };
	return rc;
}

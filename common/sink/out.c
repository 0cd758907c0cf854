/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "out.h"

int
out_put(struct pp_sink *k, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	const uint8_t *p;
	size_t n;
	int rc = 0;

	if (stable)
		return pp_put(k, in, r);
	if (pp_put_copy(k, r->raw, r->size) < 0)
		return -1;
	/* The record may lie in the buffer of another source, which is freed earlier. */
	while (r->payload && (rc = pp_payload(in, &p, &n)) > 0)
		if (pp_put_copy(k, p, n) < 0)
			return -1;
	return rc < 0 ? -1 : 1;
}

int
out_finish(struct out *o)
{
	struct out *next = o->next;

	free(o);
	return next->finish(next);
}

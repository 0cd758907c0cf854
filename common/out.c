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
	/* What is not in the source's buffer may come from another one, that lives shorter. */
	while (r->payload && (rc = pp_payload(in, &p, &n)) > 0)
		if (pp_put_copy(k, p, n) < 0)
			return -1;
	return rc < 0 ? -1 : 1;
}

struct end {
	struct out	 pub;
	struct pp_sink	*sink;
};

static int
end_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	return out_put(((struct end *)o)->sink, in, r, stable);
}

static int
end_flush(struct out *o, bool wait)
{
	struct pp_sink *k = ((struct end *)o)->sink;

	return wait ? pp_flush(k) : pp_release(k);
}

static int
end_finish(struct out *o)
{
	int rc = pp_flush(((struct end *)o)->sink);

	free(o);
	return rc;
}

struct out *
out_sink(struct pp_sink *k)
{
	struct end *e = calloc(1, sizeof *e);

	if (!e)
		return NULL;
	e->pub = (struct out){ .put = end_put, .flush = end_flush, .finish = end_finish };
	e->sink = k;
	return &e->pub;
}

/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "sink.h"
#include "out_stream.h"

struct stream {
	struct out	 pub;
	struct pp_sink	*sink;
};

static int
stream_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	return out_put(((struct stream *)o)->sink, in, r, stable);
}

static int
stream_flush(struct out *o, bool wait)
{
	struct pp_sink *k = ((struct stream *)o)->sink;

	return wait ? pp_flush(k) : pp_release(k);
}

static int
stream_finish(struct out *o)
{
	struct stream *s = (struct stream *)o;
	int rc = pp_finish(s->sink);

	free(s);
	return rc;
}

struct out *
out_stream_new(struct pp_sink *k, const struct out_pack *pack, struct pp_source *in, struct pp_err *err)
{
	struct stream *s = k ? calloc(1, sizeof *s) : NULL;

	if (k && !s)
		pp_fail_memory(err);
	if (s && pp_start(k, in) > 0 &&
	    (!pack->level || pp_sink_compress(k, pack->level, pack->two, pack->threads, pack->frame) > 0)) {
		*s = (struct stream){ { .put = stream_put, .flush = stream_flush, .finish = stream_finish }, k };
		return &s->pub;
	}
	pp_finish(k);
	free(s);
	return NULL;
}

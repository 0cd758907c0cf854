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
out_stream_new(struct atomic *file, const struct out_pack *pack, struct pp_source *in)
{
	struct stream *s = calloc(1, sizeof *s);

	if (!s) {
		pp_fail(file->err, "out of memory");
		return NULL;
	}
	s->pub = (struct out){ .put = stream_put, .flush = stream_flush, .finish = stream_finish };
	if ((s->sink = atomic_sink(file)) && pp_start(s->sink, in) > 0 &&
	    (!pack->level || pp_sink_compress(s->sink, pack->level, pack->two, pack->threads, pack->frame) > 0))
		return &s->pub;
	pp_finish(s->sink);
	free(s);
	return NULL;
}

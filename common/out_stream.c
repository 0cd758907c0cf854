/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "atomic.h"
#include "out_stream.h"

struct stream {
	struct out	 pub;
	struct pp_sink	*sink;
	struct pp_err	*err;
	struct atomic	 file;		/* fd -1: stdout */
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

	if (rc > 0 && s->file.fd >= 0)
		rc = atomic_commit(&s->file, s->err);
	atomic_close(&s->file);
	free(s);
	return rc;
}

struct out *
out_stream_new(const char *path, bool force, const struct out_pack *pack, struct pp_source *in, struct pp_err *err)
{
	struct stream *s = calloc(1, sizeof *s);
	bool std = !path || !strcmp(path, "-");

	*err = (struct pp_err){ .file = std ? "<stdout>" : path };
	if (!s) {
		pp_fail(err, "out of memory");
		return NULL;
	}
	s->pub = (struct out){ .put = stream_put, .flush = stream_flush, .finish = stream_finish };
	s->err = err;
	s->file.fd = s->file.dir = -1;
	if (std)
		s->sink = pp_create(NULL, err);
	else if (atomic_open(&s->file, path, force, err) > 0)
		s->sink = pp_create_fd(fcntl(s->file.fd, F_DUPFD_CLOEXEC, 0), path, err);
	if (s->sink && pp_start(s->sink, in) > 0 &&
	    (!pack->level || pp_sink_compress(s->sink, pack->level, pack->two, pack->threads, pack->frame) > 0))
		return &s->pub;
	pp_finish(s->sink);
	atomic_close(&s->file);
	free(s);
	return NULL;
}

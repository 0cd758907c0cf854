/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "record/event.h"
#include "out_feed.h"
#include "record/raw.h"

struct feed {
	struct out	*to;
	struct pp_err	*err;
	bool		 swap;
	size_t		 head;		/* bytes of the pipe header still missing */
	uint64_t	 payload;	/* bytes of the last record's payload still missing */
	size_t		 have;		/* bytes in `part' */
	uint8_t		 part[PP_RECORD_MAX];	/* the first bytes of an incomplete record */
};

/* The size of the record at p, of which n bytes are present; at least that of a header, also if the size is not present yet. */
static size_t
record_size(const struct feed *f, const uint8_t *p, size_t n)
{
	size_t size = n < PP_HEADER_SIZE ? 0 : PP_RAW_GET(p, header, size, f->swap);

	return size < PP_HEADER_SIZE ? PP_HEADER_SIZE : size;
}

/* Put a complete record.  1, or -1. */
static int
put(struct feed *f, const uint8_t *p, size_t size, bool stable)
{
	struct pp_rec r = pp_rec_at(p, f->swap);

	if (r.size != size)
		return pp_fail(f->err, "a record of %u bytes was put", r.size);
	f->payload = r.payload = pp_payload_size(&r, f->swap);
	return f->to->put(f->to, NULL, &r, stable);
}

/* Take bytes of a record that comes in several writes.  Returns the number taken of the n at p; 0: failure. */
static size_t
take_part(struct feed *f, const uint8_t *p, size_t n)
{
	size_t size, want = record_size(f, f->part, f->have) - f->have;

	if (want > n)
		want = n;
	memcpy(f->part + f->have, p, want);
	f->have += want;
	size = record_size(f, f->part, f->have);
	if (f->have < PP_HEADER_SIZE || f->have < size)
		return want;
	f->have = 0;
	return put(f, f->part, size, false) < 0 ? 0 : want;
}

/* Take some of the n bytes at p.  Returns how many; 0: failure. */
static size_t
take(struct feed *f, const uint8_t *p, size_t n)
{
	size_t size, some;

	if (f->head) {
		some = n < f->head ? n : f->head;
		f->head -= some;
		return some;
	}
	if (f->payload) {
		some = n < f->payload ? n : (size_t)f->payload;
		f->payload -= some;
		return f->to->payload(f->to, p, some) < 0 ? 0 : some;
	}
	size = record_size(f, p, n);
	if (f->have || size > n)
		return take_part(f, p, n);
	return put(f, p, size, true) < 0 ? 0 : size;
}

static int
feed_write(void *arg, const uint8_t *p, size_t n)
{
	struct feed *f = arg;
	size_t took;

	for (; n; p += took, n -= took)
		if (!(took = take(f, p, n)))
			return -1;
	return f->to->flush(f->to, false);
}

static int
feed_finish(void *arg)
{
	struct feed *f = arg;
	int rc = f->to->finish(f->to);

	free(f);
	return rc;
}

struct pp_sink *
out_feed_new(struct out *to, bool swap, struct pp_err *err)
{
	struct feed *f = to ? calloc(1, sizeof *f) : NULL;
	struct pp_writer writer = { .write = feed_write, .finish = feed_finish, .arg = f };
	struct pp_sink *k;

	if (f && (k = pp_create_writer(&writer, err))) {
		f->to = to;
		f->err = err;
		f->swap = swap;
		f->head = PP_PIPE_HEADER_SIZE;
		return k;
	}
	if (to) {
		pp_fail_memory(err);
		to->finish(to);
	}
	free(f);
	return NULL;
}

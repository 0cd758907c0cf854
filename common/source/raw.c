/* SPDX-License-Identifier: ISC */
/* raw.c - bytes of the files of a recording as they are: leave_out.h */
#include "container.h"
#include "leave_out.h"

/* The layer whose bytes are those of the recording. */
static struct bytes *
raw_layer(const struct source *s)
{
	struct bytes *b = s->in;

	if (s->format)
		return b->layer->read_at ? b : NULL;
	while (b && b->under)
		b = b->under;
	return b && b->layer->read_at ? b : NULL;
}

int64_t
pp_raw_size(struct pp_source *pub, uint32_t file)
{
	struct source *s = (struct source *)pub;
	struct bytes *b = raw_layer(s);

	if (s->parts)
		return parts_raw_size(s, file);
	return b && !file ? b->layer->size(b) : -1;
}

int
pp_raw_at(struct pp_source *pub, uint32_t file, uint64_t off, uint8_t *p, size_t n)
{
	struct source *s = (struct source *)pub;
	struct bytes *b = raw_layer(s);
	ssize_t got = 1;

	if (!s->parts && (file || !b))
		return -1;
	for (; n && got > 0; p += got, off += (uint64_t)got, n -= (size_t)got)
		if ((got = s->parts ? parts_raw_at(s, file, off, p, n) : b->layer->read_at(b, off, p, n)) < 0) {
			s->in_err = (struct bytes_err){ .fatal = false };	/* reading the records may still work */
			return -1;
		} else if (!got)
			return 0;
	return 1;
}

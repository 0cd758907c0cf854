/* SPDX-License-Identifier: ISC */
/* bytes.c - what all layers share, and the table of formats */
#include <string.h>

#include "bytes.h"

struct pp_err *
bytes_at(struct bytes_err *err, uint64_t off)
{
	if (!err->why.what[0]) {
		err->why.off = off;
		err->why.at = true;
	}
	return &err->why;
}

int
bytes_read_all(struct bytes *b, uint64_t off, void *to, size_t n)
{
	ssize_t got;

	for (size_t done = 0; done < n; done += (size_t)got)
		if ((got = b->layer->read_at(b, off + done, (uint8_t *)to + done, n - done)) <= 0)
			return (int)got;
	return 1;
}

void
bytes_close(struct bytes *b)
{
	while (b) {
		struct bytes *under = b->under;

		b->layer->close(b);
		b = under;
	}
}

const struct bytes_format *
bytes_format(const uint8_t p[static 16])
{
	static const struct bytes_format formats[] = {
#define FORMAT(name, magic, any, open, seeks, program)	{ name, magic, sizeof magic - 1, any, open, seeks, program },
#define OTHER(name, magic, program)		{ name, magic, sizeof magic - 1, 0, NULL, NULL, program },
#include "format.def"
#undef FORMAT
#undef OTHER
	};

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		const struct bytes_format *f = &formats[i];

		if (!((p[0] ^ (uint8_t)f->magic[0]) & ~f->any) && !memcmp(p + 1, f->magic + 1, f->n - 1u))
			return f;
	}
	return NULL;
}

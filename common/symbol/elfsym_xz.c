/* SPDX-License-Identifier: ISC */
/* elfsym_xz.c - see elfsym.h: xz, if there is liblzma */
#include <stdlib.h>

#include "elfsym.h"

#ifdef WITH_LZMA
#include <lzma.h>

const bool elfsym_has_xz = true;

enum { STEP = 1 << 20, DECODER_MAX = 128 << 20 };	/* bytes; xz -9 needs 65 MiB */

/* The whole in steps, as the size is not known before. */
static uint8_t *
expand(lzma_stream *z, size_t *to)
{
	uint8_t *p = NULL, *more;
	size_t cap = 0;
	lzma_ret rc = LZMA_OK;

	while (rc == LZMA_OK && !z->avail_out && cap < ELFSYM_XZ_MAX) {
		cap = cap ? 2 * cap : STEP;
		if (!(more = realloc(p, cap)))
			break;
		p = more;
		z->next_out = p + z->total_out;
		z->avail_out = cap - (size_t)z->total_out;
		rc = lzma_code(z, LZMA_FINISH);
	}
	*to = (size_t)z->total_out;
	if (rc == LZMA_STREAM_END)
		return p;
	free(p);
	return NULL;
}

uint8_t *
elfsym_xz(const uint8_t *p, size_t n, size_t *to)
{
	lzma_stream z = LZMA_STREAM_INIT;
	uint8_t *expanded = NULL;

	if (lzma_stream_decoder(&z, DECODER_MAX, 0) == LZMA_OK) {
		z.next_in = p;
		z.avail_in = n;
		expanded = expand(&z, to);
	}
	lzma_end(&z);
	return expanded;
}
#else
const bool elfsym_has_xz = false;

uint8_t *
elfsym_xz(const uint8_t *p, size_t n, size_t *to)
{
	(void)p;
	(void)n;
	*to = 0;
	return NULL;
}
#endif

/* SPDX-License-Identifier: ISC */
/* expand.c - a section with SHF_COMPRESSED: an Elf64_Chdr (type, reserved, size, alignment), and a stream of zlib or zstd */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "in.h"

enum { CHDR = 24 };
#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

static bool
expand(const struct unwind_table *t, const uint8_t *from, size_t n, uint8_t *to, size_t size)
{
	uLongf got = size;

	switch (t->compressed) {
	case ELFCOMPRESS_ZLIB:
		return uncompress(to, &got, from, n) == Z_OK && got == size;
	case ELFCOMPRESS_ZSTD:
		return ZSTD_decompress(to, size, from, n) == size;
	default:
		return false;
	}
}

uint8_t *
unwind_expand(const struct unwind_file *f, const struct unwind_table *t, size_t *n)
{
	uint8_t *from = t->size > CHDR && t->size <= UNWIND_TABLES ? malloc(t->size) : NULL, *to = NULL;
	uint64_t size;

	if (from && unwind_read(f, t->at, from, t->size) == t->size) {
		size = unwind_number(from + 8, 8);
		to = size && size <= UNWIND_TABLES ? malloc(size) : NULL;
		if (to && !expand(t, from + CHDR, t->size - CHDR, to, size)) {
			free(to);
			to = NULL;
		}
		*n = size;
	}
	free(from);
	return to;
}

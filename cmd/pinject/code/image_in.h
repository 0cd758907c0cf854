/* SPDX-License-Identifier: ISC */
/* image_in.h - struct image, for the files image*.c */
#ifndef IMAGE_IN_H
#define IMAGE_IN_H

#include "image.h"

enum { IMAGE_BASE = 4096 };	/* offset of .text: a page, so that offset 0 is no function's */

struct image_buf { uint8_t *p; size_t n, cap; };

struct image {
	uint16_t	 machine;
	bool		 big, is64;
	bool		 span;			/* .text has no bytes */
	uint64_t	 start, size;		/* of the map, if `span' */
	size_t		 functions;
	struct image_buf text, symtab, strtab;
};

/* Append bytes (NULL: zeros), or a number in the byte order of the image. */
void	image_bytes(struct image_buf *, const void *, size_t);
void	image_number(const struct image *, struct image_buf *, uint64_t value, size_t width);
/* Append zeros up to a multiple of `align'. */
void	image_align(struct image_buf *, size_t align);

#endif

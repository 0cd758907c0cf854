/* SPDX-License-Identifier: ISC */
/*
 * image.h - an ELF file of functions that were made at run time, for readers that find it by its build-id
 *
 *	struct image *im = image_new(EM_X86_64, false, true);
 *	for each function
 *		image_function(im, &fn, &offset);	-> an MMAP2 of fn.addr, fn.size, pgoff = offset
 *	image_finish(im, &id, &bytes, &n);
 *
 * In the file, the address of every byte is its offset, so that pgoff of a map, sh_offset and st_value are one number: readers
 * differ in which of them they take.  Same functions, same bytes, same build-id, which is the SHA-1 of the content.
 */
#ifndef IMAGE_H
#define IMAGE_H

#include "lookup/buildid.h"

struct image_line {
	uint64_t	 addr;		/* at run time; from here to the next one's, ascending */
	uint32_t	 line;
	const char	*file;
};

struct image_fn {
	const char	*name;		/* control characters in it are written as '?' */
	uint64_t	 addr, size;	/* at run time */
	const uint8_t	*code;		/* its bytes; NULL in an image of image_span() */
	/* not in an image of image_span() */
	const struct image_line *lines;	/* NULL: none are known */
	size_t		 nlines;
	const uint8_t	*unwind;	/* as in JIT_CODE_UNWINDING_INFO: .eh_frame, then .eh_frame_hdr; NULL: none */
	size_t		 unwind_size;	/* of both */
	size_t		 unwind_hdr_size;
};

struct image;

/* machine: EM_... of elf.h.  Without memory prints the reason and exits 1, as all functions here. */
struct image	*image_new(uint16_t machine, bool big_endian, bool is64);
/* Before the first function: an image without code (SHT_NOBITS), for the map at start of that size. */
void	image_span(struct image *, uint64_t start, uint64_t size);
/*
 * Add a function.  *offset is where it begins in the file.  1; 0: it cannot be in this image (outside of the span; more than
 * 16 MiB of code or the file would exceed what its format can hold), and nothing was added.
 */
int	image_function(struct image *, const struct image_fn *, uint64_t *offset);
/* Functions so far, and bytes of their code. */
size_t	image_functions(const struct image *);
uint64_t image_code_size(const struct image *);
/* Make the file, *n bytes that the caller frees, and free the image. */
void	image_finish(struct image *, struct build_id *, uint8_t **bytes, size_t *n);
void	image_free(struct image *);

#endif

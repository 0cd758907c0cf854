/* SPDX-License-Identifier: ISC */
/* image_in.h - struct image, for the files image*.c */
#ifndef IMAGE_IN_H
#define IMAGE_IN_H

#include "elf/out.h"
#include "image.h"

enum { IMAGE_BASE = 4096 };	/* offset of .text: a page, so that offset 0 is no function's */

struct image {
	uint16_t	 machine;
	struct elf_form	 form;
	bool		 span;			/* .text has no bytes */
	uint64_t	 start, size;		/* of the map, if `span' */
	size_t		 functions;
	uint64_t	 last_end;		/* at run time, of the last function */
	struct elf_buf text, symtab, strtab;
	/* image_lines.c */
	struct elf_buf lines, files;	/* the program of .debug_line, the entries of its files */
	uint64_t	 nfiles;
	size_t		 recent[64];	/* where the names of the last files are, by number */
	/* image_unwind.c */
	struct elf_buf eh_frame, eh_frame_hdr;
	struct elf_buf fdes;		/* struct image_fde */
};

/* image_lines.c: add the lines of a function that is at that offset; make the sections, if there are lines. */
void	image_lines_add(struct image *, const struct image_fn *, uint64_t offset);
void	image_lines_finish(const struct image *, struct elf_buf *line, struct elf_buf *info, struct elf_buf *abbrev);
/* image_unwind.c: add its tables; then give .eh_frame_hdr its size; fill it when it is known where both sections are. */
void	image_unwind_add(struct image *, const struct image_fn *, uint64_t offset);
void	image_unwind_reserve(struct image *);
void	image_unwind_finish(struct image *, uint64_t hdr_at, uint64_t frame_at);

#endif

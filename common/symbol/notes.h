/* SPDX-License-Identifier: ISC */
/* notes.h - build-ids in the notes of ELF files, whose contents are not trusted */
#ifndef PP_NOTES_H
#define PP_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

enum { BUILD_ID_MAX = 20 };		/* bytes in a record; longer ids are cut, as perf does */

struct build_id {
	uint8_t		 b[BUILD_ID_MAX];
	size_t		 len;		/* 0: none */
};

/* The id in n bytes of notes.  align: of each note, 4 or 8; swap: they are of the other byte order.  1, or 0: there is none. */
int	notes_find(struct build_id *, const uint8_t *p, size_t n, size_t align, bool swap);
/* The same of bytes of a file, which are read.  -1: they cannot be (errno). */
int	notes_read(struct build_id *, int fd, uint64_t off, uint64_t n, size_t align, bool swap);
/* The id of an ELF file that libelf has begun: of its segments, or else its sections.  1, 0, -1. */
int	notes_elf(struct build_id *, Elf *, int fd);
/* Of a file of /sys that holds nothing but notes, in this machine's order: a name below the descriptor dir.  1; 0: it is not known. */
int	notes_file(struct build_id *, int dir, const char *name);
#define NOTES_KERNEL "/sys/kernel/notes"	/* those of the kernel that runs */
enum { NOTES_MAX = 64 << 10 };		/* bytes of notes in one segment or section, of more nothing is read */

#endif

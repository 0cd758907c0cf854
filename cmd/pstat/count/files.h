/* SPDX-License-Identifier: ISC */
/* files.h - a bounded set of names of files: which are mapped, which have a build-id; these also of the kernel and the vdso. */
#ifndef PSTAT_FILES_H
#define PSTAT_FILES_H

#include <stdbool.h>

#include "perfpipe.h"

enum { FILES_SLOTS = 16384, FILES_MAX = FILES_SLOTS / 2 };
enum { FILE_MAPPED = 1, FILE_HAS_ID = 2 };	/* bits of a name */
struct files {
	uint64_t	 slot[FILES_SLOTS];	/* hash of the name, with its bits in place of the lowest */
	uint64_t	 key;
	unsigned	 n;
	bool		 full;			/* names were left out */
};

void	files_init(struct files *);
/* Does a map of that name have a file, as that of a library, and not of "[heap]" and "//anon"? */
bool	files_is_one(const char *name, size_t);
/* Add bits, not 0, to a name.  True: it is new. */
bool	files_add(struct files *, const char *name, size_t, unsigned bits);
/* Does that name have all these bits? */
bool	files_has(const struct files *, const char *name, size_t, unsigned bits);
/* How many names have all these bits? */
unsigned files_count(const struct files *, unsigned bits);

/* Of the DSOs that samples are in: known if these were found out. */
struct files_hit { bool known; uint64_t dsos, with_id, samples_with_id; };

#endif

/* SPDX-License-Identifier: ISC */
/*
 * store.h - the directory of --buildid-dir: files by their build-ids, as perf --buildid-dir and debuginfod -F find them
 *
 *	DIR/files/abcdef.../elf			programs, libraries, modules, images of jitted code
 *	DIR/files/abcdef.../vdso
 *	DIR/.build-id/ab/cdef...		a link to ../../files/abcdef...
 *	DIR/[kernel.kcore]/abcdef.../ADDRESS/{kallsyms,modules}
 *	DIR/[kernel.kallsyms]/abcdef.../kallsyms
 *
 * (A link because perf annotate takes no file from .build-id/ab/cdef... if that is a directory.  Of the two places of the kernel's
 * symbols, perf 7.2 reads only the first, where the kernel must be at ADDRESS, and its modules where the list of modules says;
 * perf 6.1 and 6.12 read either, and also move the symbols of the second to where the kernel was.)
 *
 * A file gets its name when it is complete, and is never changed: a name that exists already has that content.  But a file of
 * --archive=symbols or =hits, which ends with a mark, is replaced by one that has more (enum store_grade).  No link below
 * DIR is followed.  After a failure, of which there is one message, the store takes nothing any more, the exit status is 1, and an
 * output file that has no name yet is incomplete.
 */
#ifndef STORE_H
#define STORE_H

#include <sys/stat.h>

#include "lookup/buildid.h"
#include "tool/tool.h"

struct store;

enum store_grade {		/* how much of a file is there */
	STORE_NONE,
	STORE_HITS,		/* the functions that samples hit */
	STORE_SYMBOLS,		/* all functions */
	STORE_WHOLE,
};
/* The text at the end of such a file, with its NUL; NULL: it has none. */
extern const char *const store_mark[STORE_WHOLE + 1];

/* Before tool_lock(): make DIR (mode 0700) if there is none, open it, and allow what is done below.  Failure exits 1. */
struct store	*store_new(struct tool *, const char *dir);
void		 store_free(struct store *);
/* Was there nothing in DIR when it was opened? */
bool		 store_was_empty(const struct store *);
/* How much of the file is there?  kind: "elf", "debug", "vdso". */
enum store_grade store_has(struct store *, const struct build_id *, const char *kind);
/* 1: it is there now, or was, or one of a higher grade; 0: it cannot be.  Its grade is what its mark says. */
int		 store_put(struct store *, const struct build_id *, const char *kind, const void *, size_t);
/*
 * The same with a file that is open for reading; a reflink where the file system can do that.  then: what fstat(2) said of the
 * file when its build-id was read: nothing is stored if it has been written to since; NULL: a file without a size.  0: *why, or
 * NULL if the store has failed.
 */
int		 store_copy(struct store *, const struct build_id *, const char *kind, int fd, const struct stat *then, const char **why);
/* Has the file not been written to since?  Else the reason. */
bool		 store_is_unchanged(int fd, const struct stat *then, const char **why);
/*
 * The symbols of the kernel that begins at that address, 16 hexadecimal digits; kallsyms, modules: open files as in /proc, modules -1:
 * there are none.  0: as above.
 */
bool		 store_has_kernel(struct store *, const struct build_id *, const char *address);
int		 store_kernel(struct store *, const struct build_id *, const char *address, int kallsyms, int modules, const char **why);

#endif

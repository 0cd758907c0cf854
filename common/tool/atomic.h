/* SPDX-License-Identifier: ISC */
/*
 * atomic.h - output files that get their name when they are complete (the output rule of perfpipe(7))
 *
 *	if (atomic_open(&a, path, force, err) < 0) ...
 *	write to a.fd
 *	rc = whole ? atomic_commit(&a) : atomic_part(&a);
 *	atomic_close(&a);
 *
 * Functions that return int return 1, or -1 with the reason in the `err' of atomic_open(), unless stated otherwise.
 */
#ifndef PP_ATOMIC_H
#define PP_ATOMIC_H

#include <limits.h>

#include "perfpipe_inline.h"

struct atomic {
	int	 fd;			/* offset 0; open for reading and writing, if `direct' for writing only */
	int	 dir;			/* descriptor of the directory of the file; -1: `direct' */
	bool	 shown;			/* by the caller, before atomic_open(): the umask decides who can read it */
	bool	 force, direct;		/* direct: standard output or not a regular file; written in place */
	int	 hidden;		/* 1 + the index of the temporary file's name; 0: it has no name */
	char	 base[NAME_MAX + 1];	/* the file's final name in `dir' */
	char	 incomplete[PATH_MAX];	/* path of the incomplete file ("NAME.tmp"), for messages */
	const char *path;		/* as the user wrote it, or "<stdout>"; the caller's, must outlive this */
	struct pp_err *err;		/* the caller's: the reason of any failure */
	struct atomic *next;		/* for the owner's list (struct tool) */
};

/*
 * Create an output file (mode 0600, if not `shown') for path.  An existing file is refused unless `force' is set; it keeps its
 * contents until atomic_commit().  A symbolic link is followed, if the kernel permits that.  Standard output (NULL or "-"),
 * devices, pipes and names such as /dev/fd/3 are opened in place.
 */
int	atomic_open(struct atomic *, const char *path, bool force, struct pp_err *err);
/*
 * The same for a name in an open directory, which stays the caller's: no existing file is replaced, no link followed.  path: for
 * messages.
 */
int	atomic_open_at(struct atomic *, int dir, const char *name, const char *path, struct pp_err *err);
/* Would atomic_open() with `force' replace an existing regular file? */
bool	atomic_replaces(const char *path);
/* Do both write to the same file, so that one output would overwrite the other? */
bool	atomic_same(const struct atomic *, const struct atomic *);
/* A sink that writes to the file; pp_finish() it before atomic_commit().  NULL: failure, err has the reason. */
struct pp_sink *atomic_sink(const struct atomic *);
/* Give the file its final name.  1; 0: another file has taken the name in the meantime and `force' is not set; or -1. */
int	atomic_commit(struct atomic *);
/* Give an incomplete file the name "NAME.tmp", replacing an existing file of that name. */
int	atomic_part(struct atomic *);
/* Close the file.  A file that has no name yet is deleted. */
void	atomic_close(struct atomic *);
/* In a process that was just forked: files that have no name yet are the parent's to delete. */
void	atomic_disown(void);
/* Signal handler for fatal signals: deletes the files that have no name yet, then raises the signal again. */
void	atomic_ended(int sig);

#endif

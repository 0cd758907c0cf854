/* SPDX-License-Identifier: ISC */
/*
 * atomic.h - the output rule of perfpipe(7), in one place: a file that gets its name when it is complete.
 *
 *	if (atomic_open(&a, path, force, err) < 0) ...
 *	write to a.fd
 *	rc = whole ? atomic_commit(&a) : atomic_part(&a);
 *	atomic_close(&a);
 */
#ifndef PP_ATOMIC_H
#define PP_ATOMIC_H

#include <limits.h>

#include "perfpipe_inline.h"

struct atomic {
	int	 fd;			/* to read and write, at 0; if `direct', only to write */
	int	 dir;			/* where it will stand; -1: it is `direct' */
	bool	 force, direct;		/* direct: standard output, or no regular file: written as it is */
	int	 hidden;		/* 1 + the slot of its name until then; 0: it has none */
	char	 base[NAME_MAX + 1];	/* its name there */
	char	 part[PATH_MAX];	/* the path of what is not complete, for messages */
	const char *path;		/* as the user named it, or <stdout>; must live as long */
	struct pp_err *err;		/* of all that fails with it */
	struct atomic *next;		/* the user's (struct tool) */
};

/*
 * Begin a file (mode 0600) at path.  One that exists already is refused unless `force'; it stays as it is until
 * atomic_commit().  Through a symbolic link it is what the link points to.  Standard output (NULL or "-"), devices, pipes
 * and names such as /dev/fd/3 are written as they are.  1, or -1.
 */
int	atomic_open(struct atomic *, const char *path, bool force, struct pp_err *err);
/* Would that replace a file? */
bool	atomic_replaces(const char *path);
/* Do both go to one place, so that one would be lost? */
bool	atomic_same(const struct atomic *, const struct atomic *);
/* A sink that writes to it, and has to be finished before it gets its name.  NULL: err says why. */
struct pp_sink *atomic_sink(const struct atomic *);
/* Give it its name.  1; 0: another file stands there by now, and `force' was not said; or -1. */
int	atomic_commit(struct atomic *);
/* Give it the name of what is not complete, the same with ".part"; one that has it already is replaced.  1, or -1. */
int	atomic_part(struct atomic *);
/* Close; what has no name by now is gone. */
void	atomic_close(struct atomic *);
/* A handler for signals that end us: what has no name by now is gone, and then they do. */
void	atomic_ended(int sig);

#endif

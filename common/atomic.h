/* SPDX-License-Identifier: ISC */
/*
 * atomic.h - a file that gets its name when it is whole, and files that never have one.
 *
 *	if (atomic_open(&a, path, force, err) < 0) ...
 *	write to a.fd
 *	rc = ok ? atomic_commit(&a, err) : -1;
 *	atomic_close(&a);
 */
#ifndef PP_ATOMIC_H
#define PP_ATOMIC_H

#include <limits.h>

#include "perfpipe.h"

struct atomic {
	int	 fd;			/* to read and write, at 0 */
	int	 dir;			/* where it will stand */
	bool	 force, direct;		/* direct: not a regular file, written as it is */
	char	 base[NAME_MAX + 1];	/* its name there */
	char	 temp[NAME_MAX + 1];	/* until then; empty: none */
	const char *path;		/* as the user named it; must live as long */
};

/*
 * Begin a file (mode 0600) at path.  One that exists already is refused unless `force'; it stays as it is until
 * atomic_commit().  Through a symbolic link it is what the link points to.  Devices and pipes are opened as they
 * are.  1, or -1.
 */
int	atomic_open(struct atomic *, const char *path, bool force, struct pp_err *);
/* Give it the name.  1, or -1: another file stands there by now, and `force' was not said; or the system's reason. */
int	atomic_commit(struct atomic *, struct pp_err *);
/* Close; without atomic_commit() nothing is left of it. */
void	atomic_close(struct atomic *);

struct spool {			/* bytes kept in a file without a name, to be read back by place */
	int	 fd;			/* -1: nothing was put yet */
	int	 dir;			/* where there is room */
	uint64_t len;			/* bytes put */
	size_t	 used;			/* of them still in buf */
	uint8_t	 buf[16384];
};
void	spool_init(struct spool *, int dir);
int	spool_put(struct spool *, const void *, size_t, struct pp_err *);
/* Copy n bytes at `from' to place `to' of a file. */
int	spool_copy(struct spool *, uint64_t from, uint64_t n, int fd, uint64_t to, struct pp_err *);
void	spool_close(struct spool *);

struct tail {			/* bytes put one behind the other at a place of a file */
	int	 fd;
	uint64_t at;			/* where the next ones go */
	size_t	 used;			/* bytes in front of it that are still in buf */
	uint8_t	 buf[65536];
};
/* p NULL: zeros. */
int	tail_put(struct tail *, const void *p, size_t n, struct pp_err *);
/* Write what was put.  Only then may `at' be changed. */
int	tail_flush(struct tail *, struct pp_err *);

int	write_at(int fd, const void *, size_t, uint64_t off, struct pp_err *);

#endif

/* SPDX-License-Identifier: ISC */
/* spool.h - bytes kept in a temporary file, and bytes written at a place of a file */
#ifndef PP_SPOOL_H
#define PP_SPOOL_H

#include "perfpipe_inline.h"

/* Write all n bytes at that place.  1, or -1. */
int	write_at(int fd, const void *, size_t, uint64_t off, struct pp_err *);

struct spool {			/* bytes kept in a file without a name, to be read back by place */
	int	 fd;			/* -1: nothing was put yet */
	int	 dir;			/* descriptor of the directory that the file is made in */
	uint64_t len;			/* bytes put */
	size_t	 used;			/* of them still in buf */
	uint8_t	 buf[16384];
};
void	spool_init(struct spool *, int dir);
int	spool_put(struct spool *, const void *, size_t, struct pp_err *);
/* Copy n bytes at `from' to place `to' of a file. */
int	spool_copy(struct spool *, uint64_t from, uint64_t n, int fd, uint64_t to, struct pp_err *);
void	spool_close(struct spool *);

struct tail {			/* bytes put one behind the other, from a place of a file on */
	int	 fd;
	uint64_t at;			/* where the next ones go */
	size_t	 used;			/* bytes in front of it that are still in buf */
	uint8_t	 buf[65536];
};
/* p NULL: zeros. */
int	tail_put(struct tail *, const void *p, size_t n, struct pp_err *);
/* Write what was put.  Only then may `at' be changed. */
int	tail_flush(struct tail *, struct pp_err *);

#endif

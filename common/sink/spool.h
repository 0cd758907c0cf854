/* SPDX-License-Identifier: ISC */
/*
 * spool.h - bytes kept in a temporary file, and bytes written at an offset of a file
 *
 * All functions return 1, or -1 with the reason in err.
 */
#ifndef PP_SPOOL_H
#define PP_SPOOL_H

#include "perfpipe_inline.h"

/* Write n bytes at offset off. */
int	write_at(int fd, const void *, size_t, uint64_t off, struct pp_err *);

struct spool {			/* bytes in an unnamed temporary file, read back by offset */
	int	 fd;			/* -1: the file does not exist yet */
	int	 dir;			/* the caller's descriptor of the file's directory */
	uint64_t len;			/* bytes put so far */
	size_t	 used;			/* bytes in buf, the last of `len' */
	uint8_t	 buf[16384];
};
void	spool_init(struct spool *, int dir);
int	spool_put(struct spool *, const void *, size_t, struct pp_err *);
/* Copy n bytes from offset `from' of the spool to offset `to' of fd. */
int	spool_copy(struct spool *, uint64_t from, uint64_t n, int fd, uint64_t to, struct pp_err *);
void	spool_close(struct spool *);

struct tail {			/* bytes written from an offset of a file on; begins zeroed but for fd and at */
	int	 fd;
	uint64_t at;			/* offset of the next byte put */
	size_t	 used;			/* bytes in buf, written at at - used */
	uint8_t	 buf[65536];
};
/* p NULL: n zeros. */
int	tail_put(struct tail *, const void *p, size_t n, struct pp_err *);
/* Write the bytes in buf.  The caller may change `at' only after that. */
int	tail_flush(struct tail *, struct pp_err *);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * aside.h - records that wait in a temporary file, while they are too many for memory
 *
 * Each has a slot of 64 KiB, of which it uses the beginning: in a sparse file, the rest takes no space.  A free slot is used again,
 * so that the file has as many as have waited at a time.
 */
#ifndef CHAINS_ASIDE_H
#define CHAINS_ASIDE_H

#include "perfpipe.h"

struct aside {			/* begins zeroed, but for fd */
	int		 fd;		/* of aside_open() */
	uint32_t	 n;		/* slots, which are numbered from 1 on */
	uint32_t	*unused;
	size_t		 nunused, bytes;	/* bytes: of `unused' */
};

/* Open the file, in $TMPDIR or /tmp, while files can still be opened.  -1, with errno: see `fd'. */
int	aside_open(void);
/* Put n bytes, at most 65536, into a slot.  Its number, or 0, with errno: they could not be written. */
uint32_t aside_put(struct aside *, const void *, size_t n);
/* The first n bytes of a slot.  1, or -1. */
int	aside_get(const struct aside *, uint32_t slot, void *to, size_t n, struct pp_err *);
void	aside_drop(struct aside *, uint32_t slot);
void	aside_end(struct aside *);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * compress.h - kernel records into COMPRESSED or COMPRESSED2 records, by one thread or several; only sink.c includes it.
 */
#ifndef PP_COMPRESS_H
#define PP_COMPRESS_H

#include "perfpipe_inline.h"

struct pp_compress_how {
	int		 level;		/* 1 to 22 */
	bool		 two, swap;
	bool		 feature;	/* write the header feature too, for a stream */
	unsigned	 threads;	/* 0: the caller's */
	uint64_t	 frame;		/* bytes of records in a zstd frame; UINT64_MAX: it never ends */
};

struct pp_compress;
/* Takes bytes that are good only during the call.  1, or -1 with the text where the writer keeps it. */
typedef int	pp_compress_write(void *arg, const uint8_t *, size_t);

/* NULL on failure. */
struct pp_compress *pp_compress_new(const struct pp_compress_how *, pp_compress_write *, void *arg, struct pp_err *);
/*
 * Take whole records, and the payload of a record in pieces of any size behind it.  The bytes are not needed
 * any more when it returns.
 */
int	pp_compress_feed(struct pp_compress *, const uint8_t *, size_t);
/* Write all that was fed, so that a reader can expand it. */
int	pp_compress_flush(struct pp_compress *);
/* Bytes fed to zstd, and what they became; what a thread is at work on is not counted yet. */
void	pp_compress_count(const struct pp_compress *, uint64_t *plain, uint64_t *packed);
void	pp_compress_free(struct pp_compress *);

#endif

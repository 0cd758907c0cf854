/* SPDX-License-Identifier: ISC */
/*
 * compress.h - compresses kernel records into COMPRESSED or COMPRESSED2 records, in one or several threads; only sink.c
 * includes it
 */
#ifndef PP_COMPRESS_H
#define PP_COMPRESS_H

#include "perfpipe_inline.h"

struct pp_compress_how {
	int		 level;		/* 1 to 22 */
	bool		 two, swap;
	bool		 feature;	/* also write HEADER_FEATURE(COMPRESSED): for a stream */
	unsigned	 threads;	/* additional threads; 0: the calling thread compresses */
	uint64_t	 frame;		/* bytes of records in a zstd frame; UINT64_MAX: one frame without end */
};

struct pp_compress;
/*
 * Called to write compressed records; the bytes are valid during the call only.  1, or -1; the function keeps the reason
 * itself.
 */
typedef int	pp_compress_write(void *arg, const uint8_t *, size_t);

/* write: gets the output, with arg.  The pp_err (the caller's) gets the reason of any failure here.  NULL on failure. */
struct pp_compress *pp_compress_new(const struct pp_compress_how *, pp_compress_write *, void *arg, struct pp_err *);
/*
 * Compress whole records, and behind a record its payload in any number of calls.  The bytes may be overwritten after the call.
 * 1, or -1.
 */
int	pp_compress_feed(struct pp_compress *, const uint8_t *, size_t);
/* Write everything fed so far, in a form that a reader can expand completely.  1, or -1. */
int	pp_compress_flush(struct pp_compress *);
/* Bytes compressed so far, and bytes of the COMPRESSED records made of them; without the frames that threads are working on. */
void	pp_compress_count(const struct pp_compress *, uint64_t *plain, uint64_t *packed);
void	pp_compress_free(struct pp_compress *);

#endif

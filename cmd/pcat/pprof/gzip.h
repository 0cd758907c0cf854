/* SPDX-License-Identifier: ISC */
/*
 * gzip.h - bytes through zlib into a sink, as a file of gzip of one member.  Equal bytes give an equal file, whatever the number of
 * threads: it has neither time nor name.
 */
#ifndef PPROF_GZIP_H
#define PPROF_GZIP_H

#include "perfpipe.h"

struct gzip;

/*
 * threads: additional ones; 0: the calling thread compresses.  Each takes 820 KiB, and so does the calling one.  err: of the sink, which
 * stays the caller's.  NULL: failure.
 */
struct gzip *gzip_new(struct pp_sink *, unsigned threads, struct pp_err *err);
/* 1, or -1. */
int	gzip_write(struct gzip *, const void *, size_t n);
/* Write what is left, and the checksum.  1, or -1. */
int	gzip_finish(struct gzip *);
void	gzip_free(struct gzip *);

#endif

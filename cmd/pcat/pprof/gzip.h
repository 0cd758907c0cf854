/* SPDX-License-Identifier: ISC */
/* gzip.h - bytes through zlib into a sink, as a file of gzip.  Equal bytes give an equal file: it has neither time nor name. */
#ifndef PPROF_GZIP_H
#define PPROF_GZIP_H

#include "perfpipe.h"

struct gzip;

/* err: of the sink, which stays the caller's.  NULL: no memory. */
struct gzip *gzip_new(struct pp_sink *, struct pp_err *err);
/* 1, or -1. */
int	gzip_write(struct gzip *, const void *, size_t n);
/* Write what is left, and the checksum.  1, or -1. */
int	gzip_finish(struct gzip *);
void	gzip_free(struct gzip *);

#endif

/* SPDX-License-Identifier: ISC */
/* sink.h - functions on a sink for the commands and containers here; those for other programs are in perfpipe.h */
#ifndef PP_SINK_H
#define PP_SINK_H

#include "perfpipe_inline.h"

/* Like pp_start(), but without a pipe header: for the data section of a file.  1, or -1. */
int	pp_start_bare(struct pp_sink *, struct pp_source *);
enum {
	PP_COMPRESS_FEATURE = 20,	/* size of the payload of HEADER_FEATURE(COMPRESSED) */
	PP_COMPRESS_MMAP_LEN = 145 * 4096,	/* what a reader needs to expand the largest COMPRESSED record */
};
/* Make the payload of header feature COMPRESSED, for a sink of pp_start_bare() and pp_sink_compress(); the caller writes it. */
void	pp_compress_payload(uint8_t p[static PP_COMPRESS_FEATURE], int level, uint32_t ratio, bool swap);
/* Bytes compressed so far, and bytes of the COMPRESSED records made of them. */
void	pp_sink_compressed(const struct pp_sink *, uint64_t *plain, uint64_t *packed);
/*
 * pp_hold(): keep written bytes in memory until pp_let_go() or pp_finish(), at most 64 MiB; for a caller that may exit without
 * an output.  pp_let_go(): write them; 1, or -1.
 */
void	pp_hold(struct pp_sink *);
int	pp_let_go(struct pp_sink *);
/* Call wrote(arg, bytes written so far) whenever some have been written. */
void	pp_on_write(struct pp_sink *, void (*wrote)(void *arg, uint64_t written), void *arg);
/*
 * Write only what is put between the marks of a share (record/mark.h), and none of the marks; muted: nothing until the first.  The record
 * behind a PP_PIECE_ONCE is written also behind the share, and its offset is given to `once' (NULL: there are none).  Not with
 * compression.
 */
struct pp_piece_marks;
void	pp_cut(struct pp_sink *, struct pp_piece_marks *, bool muted, int (*once)(void *arg, uint64_t offset), void *arg);
/*
 * Write or copy all bytes that were put, so that the source may overwrite them; unlike pp_flush(), the compressor may hold
 * some. 1, or -1.
 */
int	pp_release(struct pp_sink *);
/* pp_put_stable() for each of n pieces of memory. */
struct iovec;
int	pp_put_pieces(struct pp_sink *, const struct iovec *, size_t n);

#endif

/* SPDX-License-Identifier: ISC */
/* sink.h - what only our own commands and containers do with a sink */
#ifndef PP_SINK_H
#define PP_SINK_H

#include "perfpipe_inline.h"

/* As pp_start(), but without a pipe header: for the data section of a file. */
int	pp_start_bare(struct pp_sink *, struct pp_source *);
enum {
	PP_COMPRESS_FEATURE = 20,	/* bytes of the payload of HEADER_FEATURE(COMPRESSED) */
	PP_COMPRESS_MMAP_LEN = 145 * 4096,	/* what a reader needs to expand one record of ours */
};
/* After pp_start_bare() and pp_sink_compress(): the payload of header feature COMPRESSED, which the caller places. */
void	pp_compress_payload(uint8_t p[static PP_COMPRESS_FEATURE], int level, uint32_t ratio, bool swap);
/* Bytes that were compressed since, and the records that they became. */
void	pp_sink_compressed(const struct pp_sink *, uint64_t *plain, uint64_t *packed);
/*
 * From here on keep in memory what would be written, until pp_let_go(), pp_finish() or 64 MiB: for who may find yet that
 * nothing is to be written, and exits.
 */
void	pp_hold(struct pp_sink *);
int	pp_let_go(struct pp_sink *);
/* Be done with the bytes that were put, though some may wait in the compressor for more; else as pp_flush(). */
int	pp_release(struct pp_sink *);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * zstd_seek.h - reads an input of zstd(1) at any offset, by the seek table at its end; for zstd.c only
 *
 * The table is that of zstd's seekable format: a skippable frame behind the others, with the sizes of each of them.
 *
 *	u32 magic, u32 size	of a skippable frame
 *	u32 compressed, u32 expanded [, u32 checksum]	of each frame in front of it, in order
 *	u32 their number, u8 flags: bit 7: there are checksums; u32 magic
 *
 * It is not trusted: all sizes together are those of the file, and a frame has to expand to what the table says of it, or reading
 * it fails.
 */
#ifndef PP_ZSTD_SEEK_H
#define PP_ZSTD_SEEK_H

#include "bytes.h"

struct zstd_seek;
/*
 * The layer `under' has a table, and is a file that is read from its begin on: read it.  NULL: it has none that can be used, or
 * has frames of more than 64 MiB, each of which would be expanded for a byte at its end.
 */
struct zstd_seek *zstd_seek_new(struct bytes *under);
void	zstd_seek_free(struct zstd_seek *);
/* All bytes that the frames expand to. */
uint64_t zstd_seek_size(const struct zstd_seek *);
/* read_at() of the layer b, which is above `under'. */
ssize_t	zstd_seek_read(struct zstd_seek *, struct bytes *b, uint64_t off, uint8_t *p, size_t n);

#endif

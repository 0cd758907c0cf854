/* SPDX-License-Identifier: ISC */
/* out_file.h - the container for a seekable perf.data, as perf record writes it */
#ifndef PP_OUT_FILE_H
#define PP_OUT_FILE_H

#include "out_stream.h"

struct out_file_at {		/* the caller's; it closes them after finish() */
	int	 fd;			/* the file: empty, open for reading and writing */
	int	 dir;			/* for temporary files, which finish() deletes; -1: fd is not a regular file */
	bool	 grows;			/* somebody reads it meanwhile, as what perf record writes: it has a header before its data */
};
/*
 * A container that writes a perf.data in the byte order of `in'.  It is flushed when `in' refills its buffer, unless the caller
 * sets pp_before_refill() itself.  It owns `sink', which writes to the file (NULL is allowed: opening it has failed and err has
 * the reason); err is the sink's.  NULL on failure, also if fd is not a regular file; the sink is freed then.
 */
struct out *out_file_new(struct pp_sink *, const struct out_file_at *, const struct out_pack *, struct pp_source *in,
	    struct pp_err *err);

/*
 * Instead of the records of the data section: its n bytes at an offset of another perf.data of the same byte order, which nobody reads.
 * No record of the section was put before.  A file system that can shares the blocks, as the section has an offset that makes it
 * possible: up to 4 KiB in front of it are empty.  The times of samples stay unknown, if the header features have not said them.
 * tick(arg, bytes copied) is called now and then; -1 ends the copy.
 */
int	out_file_copy(struct out *, int fd, uint64_t off, uint64_t n, int (*tick)(void *, uint64_t), void *arg);

#endif

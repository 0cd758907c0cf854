/* SPDX-License-Identifier: ISC */
/*
 * leave_out.h - a source that does not read some runs of whole records: other records come in their places
 *
 * Who knows the recording, by an index, is asked at the end of each run what comes next.  All records before that place have been
 * yielded by then, so that the answer may depend on what the caller of pp_next() has learned from them.
 */
#ifndef PP_LEAVE_OUT_H
#define PP_LEAVE_OUT_H

#include "perfpipe_inline.h"

struct pp_leave_step {
	uint64_t	 n;		/* bytes of the file; UINT64_MAX: all that are left of it */
	bool		 leave;		/* do not read them; what comes instead, valid until the next question: */
	const uint8_t	*copy;
	size_t		 ncopy;
};
struct pp_leave_out {
	/*
	 * File number `file' (of a directory: 0 is `data', N + 1 is data.N; else 0) is read up to the offset `off'.  What comes next?
	 * 1, or -1 by pp_fail() on the source's pp_err.
	 */
	int	(*next)(void *arg, uint32_t file, uint64_t off, struct pp_leave_step *);
	/* n bytes of the last step are read; end: those that complete it.  1, or -1 as above. */
	int	(*took)(void *arg, const uint8_t *p, size_t n, bool end);
	const char *name;		/* of the index, for messages */
	void	*arg;
};
/*
 * After pp_begin(), before the first pp_next().  The struct must outlive the source.  pp_offset() of a record that comes instead of
 * others is that of the first of these.  1; 0: the recording cannot be read that way.
 */
int	pp_leave_out(struct pp_source *, const struct pp_leave_out *);

/*
 * SAMPLEs that are not yielded, as they are left out or of another piece (piece.h), count for those who put records in time order: tell
 * the function the smallest and the largest time of those between two records, before the second is yielded.
 */
void	pp_when_absent(struct pp_source *, void (*absent)(void *arg, uint64_t first, uint64_t last), void *arg);

/*
 * Among the records that come instead: the smallest and largest time (two u64s) of the SAMPLEs that were left out here.  Only the
 * source sees it.
 */
enum { PP_LEFT_OUT_SIZE = PP_HEADER_SIZE + 16 };
#define PP_LEFT_OUT UINT32_C(0xfffffff0)

/*
 * Bytes of the files as they are.  pp_raw_size(): -1: there is no such file, or it cannot seek.  pp_raw_at(): 1; 0: the file ends
 * before; -1: there is none, or reading failed.
 */
int64_t	pp_raw_size(struct pp_source *, uint32_t file);
int	pp_raw_at(struct pp_source *, uint32_t file, uint64_t off, uint8_t *p, size_t n);

#endif

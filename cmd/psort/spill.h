/* SPDX-License-Identifier: ISC */
/*
 * spill.h - sorted runs of records in one unnamed temporary file.
 *
 * Runs are numbered as they were made; merged, records of the same time come by run, so in order of arrival.
 */
#ifndef PSORT_SPILL_H
#define PSORT_SPILL_H

#include "state/round.h"
#include "perfpipe_inline.h"

struct spill;
/*
 * Make the file in that directory (NULL: $TMPDIR, else /tmp), now, for later nothing may be opened by name.  That this
 * fails is told by the first use only.  Buffers of a merge take up to `memory' bytes, but at least those of two runs.
 * NULL: out of memory.  Errors go to `err', whose file becomes the directory.
 */
struct spill *spill_new(const char *dir, size_t memory, bool compress, struct pp_err *err);
void	spill_free(struct spill *);
/*
 * A run: begin, its records in ascending order of time (arg: the spill), end.  After a failed write the rest of
 * the run is kept in memory, so that nothing is lost: spill_put() fails only without memory, and spill_end() says -1.
 */
int	spill_begin(struct spill *);
int	spill_put(void *spill, uint64_t time, const uint8_t *p, size_t n);
int	spill_end(struct spill *);
/* Does anything wait there? */
bool	spill_waits(const struct spill *);
/* Give all records up to that time to fn, in order; they are valid for that call. */
int	spill_upto(struct spill *, uint64_t limit, pp_deliver *fn, void *arg);
/* In all so far: records and bytes that went to the file (merged ones once more), and the runs. */
void	spill_count(const struct spill *, uint64_t *records, uint64_t *bytes, uint64_t *runs);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * spill.h - sorted runs of records in one unnamed temporary file.
 *
 * Runs are numbered in the order of their creation.  Records of the same time are merged in the order of their runs, which is
 * the order of arrival.
 */
#ifndef PSORT_SPILL_H
#define PSORT_SPILL_H

#include "state/round.h"
#include "perfpipe_inline.h"

struct spill;
/*
 * Create the file in that directory (NULL: $TMPDIR, else /tmp) at once, since later no file may be opened by name.  If that
 * fails, the first use reports it.  Buffers of a merge take up to `memory' bytes, but at least those of two runs.
 * NULL: out of memory.  Errors are in `err', whose file becomes the directory.
 */
struct spill *spill_new(const char *dir, size_t memory, bool compress, struct pp_err *err);
void	spill_free(struct spill *);
/*
 * Write a run: begin, its records in ascending order of time (arg: the spill), end.  After a failed write the rest of the
 * run is kept in memory, so that no record is lost: spill_put() fails only without memory, and spill_end() returns -1.
 */
int	spill_begin(struct spill *);
int	spill_put(void *spill, uint64_t time, const uint8_t *p, size_t n);
int	spill_end(struct spill *);
/* Are there records in the spill? */
bool	spill_waits(const struct spill *);
/* Call fn with all records up to that time, in order.  They are valid during the call. */
int	spill_upto(struct spill *, uint64_t limit, pp_deliver *fn, void *arg);
/* Totals: records and bytes written to the file (again when they are merged), and runs. */
void	spill_count(const struct spill *, uint64_t *records, uint64_t *bytes, uint64_t *runs);

#endif

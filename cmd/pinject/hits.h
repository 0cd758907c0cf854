/* SPDX-License-Identifier: ISC */
/*
 * hits.h - determine the build-ids that a stream needs.
 *
 * --buildid-all needs no queue: it writes the BUILD_ID before the first MMAP of a DSO.
 * --build-ids needs the map at the time of each sample, and the buffers of the CPUs arrive out of order.  So a digest of
 * each record is queued, while the record itself is written at once.  A FINISHED_ROUND releases the queue in time order,
 * and the BUILD_IDs are written before it.  A reader queues, too, and symbolises those samples at the FINISHED_ROUND.
 *
 * Another record that pinject adds: here if it depends on maps or samples, else in main.c, as FINISHED_INIT; by PP_MAKE()
 * (record/make.h).
 */
#ifndef HITS_H
#define HITS_H

#include "lookup.h"

struct hits;

/* For all mapped DSOs (`all'), or those with samples.  The tool must be open. */
struct hits	*hits_new(struct tool *, struct lookup *, bool all);
/* Process a record, and write BUILD_IDs that must precede it.  1, or -1: the tool's input or output failed. */
int		 hits_record(struct hits *, const struct pp_rec *);
/* At the end of the stream: write the remaining BUILD_IDs.  1, or -1. */
int		 hits_end(struct hits *);
/* Warn if the recording gets no build-ids, or with -v print their number; then free. */
void		 hits_free(struct hits *);

#endif

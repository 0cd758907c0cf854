/* SPDX-License-Identifier: ISC */
/*
 * hits.h - determine the build-ids that a stream needs.
 *
 * --buildid-all needs no queue: it writes the BUILD_ID before the first MMAP of a DSO.
 * --build-ids needs the map at the time of each sample, and the buffers of the CPUs arrive out of order.  So a digest of
 * each record is queued, while the record itself is written at once.  A FINISHED_ROUND releases the queue in time order,
 * and the BUILD_IDs are written before it.  A reader queues, too, and symbolises those samples at the FINISHED_ROUND.
 */
#ifndef HITS_H
#define HITS_H

#include "lookup/lookup.h"
#include "sink/out.h"

/* A stage: BUILD_IDs for all mapped DSOs (`all'), or those with samples.  The input must be open. */
struct out	*hits_new(struct tool *, struct lookup *, bool all, struct out *next);

#endif

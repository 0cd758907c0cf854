/* SPDX-License-Identifier: ISC */
/*
 * hits.h - which build-ids a stream needs, and when.
 *
 * --buildid-all is decided record by record: a MMAP of a new DSO has its BUILD_ID in front.
 * --build-ids asks for the map that was there when a sample was taken, and the buffers of different CPUs
 * arrive out of order.  So what matters of each record is queued in a copy while the record itself goes out
 * at once; a FINISHED_ROUND releases the queue in time order, and the BUILD_IDs found are written in front of
 * it.  That is soon enough: a reader queues as well, and symbolises those samples when it sees the marker.
 */
#ifndef HITS_H
#define HITS_H

#include "tool/tool.h"

struct hits;

/* All DSOs that are mapped, or those that are hit.  The tool must be open. */
struct hits	*hits_new(struct tool *, bool all);
/* Look at a record and write what must stand in front of it.  1, or -1: the tool's input or output failed. */
int		 hits_record(struct hits *, const struct pp_rec *);
/* The stream has ended: write what is left.  1 or -1. */
int		 hits_end(struct hits *);
/* Say what was done, under -v. */
void		 hits_free(struct hits *);

#endif

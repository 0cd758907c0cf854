/* SPDX-License-Identifier: ISC */
/* out_pprof.h - the container "profile of pprof": profile.proto, compressed by gzip */
#ifndef PPROF_OUT_PPROF_H
#define PPROF_OUT_PPROF_H

#include "profile.h"
#include "sink/out.h"

enum pprof_label { PPROF_COMM, PPROF_THREAD_COMM, PPROF_PID, PPROF_TID, PPROF_LABELS };
enum { PPROF_LABELS_DEFAULT = 1 << PPROF_COMM | 1 << PPROF_PID };

enum { PPROF_MEMORY_MIN = 1 << 20 };	/* of --max-memory */

/* The argument of --labels, into a struct profile_what. */
#define PPROF_LABEL_WORDS "comm|thread_comm|pid|tid|none"
void	pprof_labels(struct tool *, void *what);
/* Between tool_create() and tool_lock(): permit further files.  Exit 2 if the second one exists, unless -f is given. */
void	pprof_allow(struct tool *);
/*
 * An output that writes a profile of all samples that `what' selects.  When its memory is full, the file, t->file, is completed,
 * and another one begins in its place: NAME.00002, and so on.  If the file has no name, this is a failure.  A malformed sample
 * is a fault of the input: t->in_err.  NULL: failure, with the text in t->out_err.  `what' must live as long.
 */
struct out *out_pprof_new(struct tool *, const struct profile_what *what);

#endif

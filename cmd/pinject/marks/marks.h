/* SPDX-License-Identifier: ISC */
/* marks.h - stages that add records which mark a place of the stream */
#ifndef MARKS_H
#define MARKS_H

#include "sink/out.h"
#include "tool/tool.h"

/* FINISHED_INIT behind the records that perf record synthesises at its start. */
struct out	*init_new(struct tool *, struct out *next);

#endif

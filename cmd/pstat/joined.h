/* SPDX-License-Identifier: ISC */
/* joined.h - --manifest: the input is the stream into which the parts of a manifest are joined, as pcat joins them, by a thread */
#ifndef PSTAT_JOINED_H
#define PSTAT_JOINED_H

#include "tool/tool.h"

struct joined;

/* Before tool_lock(), instead of tool_open_input(): t->in is the joined stream, to be opened with these flags. */
struct joined *joined_open(struct tool *, unsigned flags);
/* After it, before tool_begin_input(): the parts are checked, and are joined from now on.  It exits 1 if they cannot be, after a message. */
void	joined_start(struct joined *);
/* After the last record, before the input is closed: if a part could not be read, that is an error of the input.  Frees it. */
void	joined_end(struct joined *);

#endif

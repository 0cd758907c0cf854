/* SPDX-License-Identifier: ISC */
/* source_mem.h - records that were made in memory, as a source; its events are learned as they are read */
#ifndef PP_SOURCE_MEM_H
#define PP_SOURCE_MEM_H

#include "perfpipe.h"

/*
 * A source of n bytes of records (no pipe header), with their payloads behind them.  p must stay until pp_close().
 * NULL: no memory.  pp_err must live as long.
 */
struct pp_source *pp_open_memory(const uint8_t *p, size_t n, bool swap, const char *name, struct pp_err *err);

#endif

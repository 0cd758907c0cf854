/* SPDX-License-Identifier: ISC */
/*
 * pid_block.h - the pids and tids of a recording, renumbered without gaps from a base on, so that recordings of many hosts fit beside
 * each other into 31 bits
 *
 * 0 and -1 stay.  Those are renumbered that pp_rewrite() changes, so pids in payloads of tracepoints are not.
 */
#ifndef PP_PID_BLOCK_H
#define PP_PID_BLOCK_H

#include "make/rewrite.h"

enum { PID_BLOCK_MAX = 1 << 22 };	/* the kernel has no more pids at a time */

struct pid_block;

struct pid_block *pid_block_new(void);
void	pid_block_free(struct pid_block *);
/* Add the pids of a record of a source; not of HEADER_ATTR and HEADER_FEATURE.  1, or -1: err has the reason. */
int	pid_block_add(struct pid_block *, const struct pp_source *, const struct pp_rec *, struct pp_err *err);
/* Their number. */
uint32_t pid_block_size(const struct pid_block *);
/* After the last one: number them from base on, in ascending order. */
void	pid_block_number(struct pid_block *, uint32_t base);
/* An id for the next event id of the recording: a number that no block with another base has. */
uint64_t pid_block_event_id(struct pid_block *);
/* The pid_map of struct pp_rewrite; its argument is the block. */
uint32_t pid_block_map(void *block, uint32_t pid);
/* Has the map been asked for a pid that it does not have? */
bool	pid_block_missed(const struct pid_block *);

#endif

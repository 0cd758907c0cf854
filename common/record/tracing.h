/* SPDX-License-Identifier: ISC */
/*
 * tracing.h - names of tracepoints out of the payload of HEADER_TRACING_DATA.
 *
 * A stream may carry no names of its own (no EVENT_UPDATE, no EVENT_DESC): then only this payload says
 * what a tracepoint's number (attr.type 2, attr.config) is called.  The payload can be large and comes in
 * pieces of any size; nothing of it is kept but "system:name" for each number, at most
 * PP_TRACING_MAX of them.
 *
 * Layout (trace-cmd.dat(5) version 0.5/0.6, which is what perf writes; numbers in the order of the endian byte):
 *
 *	17 08 44 "tracing"	magic
 *	string			version
 *	u8, u8, u32		1 if big endian, sizeof(long), page size
 *	"header_page" NUL	u64 size, text
 *	"header_event" NUL	u64 size, text
 *	u32 n			n x { u64 size, format text }		system "ftrace"
 *	u32 n			n x { string system, u32 m, m x { u64 size, format text } }
 *	...			kallsyms, printk formats, command lines: not looked at
 *
 * A format text begins "name: sched_switch\nID: 316\n".
 */
#ifndef PP_TRACING_H
#define PP_TRACING_H

#include <stddef.h>
#include <stdint.h>

enum { PP_TRACING_MAX = 8192 };	/* tracepoints remembered; a kernel has some 2000 */

struct pp_tracing;

/* NULL: out of memory.  Freed by pp_tracing_free(). */
struct pp_tracing *pp_tracing_new(void);
/*
 * The next n bytes of the payload.  1: goes on; 0: nothing more will be learnt, from here on the bytes are
 * ignored (all names are known, or this is not such a payload).  Names found before stay.  Never fails:
 * a damaged payload costs names, not records.
 */
int	pp_tracing_feed(struct pp_tracing *, const uint8_t *, size_t n);
/* "system:name" of a tracepoint's number, NULL if unknown.  As the recorder wrote it: not safe to print. */
const char *pp_tracing_name(const struct pp_tracing *, uint64_t id);
/* How many are known. */
size_t	pp_tracing_count(const struct pp_tracing *);
void	pp_tracing_free(struct pp_tracing *);

#endif

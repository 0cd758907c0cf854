/* SPDX-License-Identifier: ISC */
/*
 * tracing.h - names of tracepoints from the payload of HEADER_TRACING_DATA
 *
 * A stream without EVENT_UPDATE and EVENT_DESC names its tracepoints (attr.type 2, number in attr.config) in this payload only.
 * The payload can be large and comes in pieces of any size; only "system:name" of each number is kept, for at most
 * PP_TRACING_MAX.
 *
 * Layout (trace-cmd.dat(5) version 0.5/0.6, as perf writes it; numbers in the order of the endian byte):
 *
 *	17 08 44 "tracing"	magic
 *	string			version
 *	u8, u8, u32		1 if big endian, sizeof(long), page size
 *	"header_page" NUL	u64 size, text
 *	"header_event" NUL	u64 size, text
 *	u32 n			n x { u64 size, format text }		system "ftrace"
 *	u32 n			n x { string system, u32 m, m x { u64 size, format text } }
 *	u32 size, text		kallsyms, and again printk formats: only their sizes are read
 *	u64 size, text		since version 0.6: names and ids of tasks, the same
 *
 * A format text begins "name: sched_switch\nID: 316\n".
 */
#ifndef PP_TRACING_H
#define PP_TRACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format.h"

enum { PP_TRACING_MAX = 8192 };	/* a kernel has about 2000 */

struct pp_tracing;

/* NULL: no memory.  The caller frees it by pp_tracing_free(). */
struct pp_tracing *pp_tracing_new(void);
/*
 * Read the next n bytes of the payload.  1: more are needed; 0: all names are known, or this is no such payload.  Names that are
 * known stay.  A damaged payload costs names, not records.  -1: there was no memory for a name or its format, and the same later.
 */
int	pp_tracing_feed(struct pp_tracing *, const uint8_t *, size_t n);
/* "system:name" of a tracepoint by number; NULL: unknown.  Unescaped bytes of the recording: not safe to print. */
const char *pp_tracing_name(const struct pp_tracing *, uint64_t id);
/*
 * Before the first feed: keep the formats too, of PP_FORMATS_BYTES together.  A text that passes a limit has none.  -1: no memory.
 */
int	pp_tracing_keep_formats(struct pp_tracing *);
/* NULL: unknown, or not kept.  It is valid until pp_tracing_free(). */
const struct pp_format *pp_tracing_format(const struct pp_tracing *, uint64_t id);
/* Why the tracepoint of that number has a name and no format: a few words, static; NULL: it has one, or no name. */
const char *pp_tracing_format_error(const struct pp_tracing *, uint64_t id);
/* Is the order of payloads another than ours? */
bool	pp_tracing_swap(const struct pp_tracing *);
struct pp_tracing_behind { uint64_t kallsyms, printk, tasks; };	/* bytes of what is behind the formats */
struct pp_tracing_behind pp_tracing_behind(const struct pp_tracing *);
/* Has a payload of that version the last entry above?  A version is a decimal fraction: 0.10 is less than 0.6. */
bool	pp_tracing_has_tasks(const char *version);
/* Another payload follows.  Names and formats that are known stay. */
void	pp_tracing_again(struct pp_tracing *);
/* How many bytes of its items were read so far: all, up to its end or to what is malformed. */
uint64_t pp_tracing_read(const struct pp_tracing *);
/* How many bytes the payload has without its padding; 0: its end was not found, as it is malformed or goes on. */
uint64_t pp_tracing_size(const struct pp_tracing *);
/* The number of names known. */
size_t	pp_tracing_count(const struct pp_tracing *);
void	pp_tracing_free(struct pp_tracing *);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * byteorder.h - a change on the way: the other byte order.
 *
 *	struct pp_source *like = endian_source(endian_swap(e, in->swap), &err);
 *	to = out_stream_new(&file, &pack, like);		the containers: in the new order
 *	to = endian_new(tool, in, like, to, &err);
 *	pp_before_refill(in, ...);					flush the container, as for join
 *	...
 *	to->finish(to); pp_close(like);
 *
 * Every number of every record is turned round by what record.def, feature.def and attr.def say of it; bit fields
 * (attr flags, branch flags) are put as a compiler of the other order would have put them.  Turned twice, what perf
 * wrote is what it was, byte for byte.
 *
 * Not turned, because nothing here says what is in it: RAW (its format is in TRACING_DATA, which tells its own byte
 * order, so readers get it right), AUX and AUXTRACE data, copied stacks, code bytes of TEXT_POKE, records of unknown
 * type, SCHEDSTAT counters of an unknown version, the tail of an attr that is longer than ours.  These pass as they
 * are.  A header feature that cannot be turned stays out, since readers would take its lengths for damage.  What
 * there was of these, one line of warning says at the end.
 */
#ifndef PCAT_BYTEORDER_H
#define PCAT_BYTEORDER_H

#include "sink/out.h"
#include "tool.h"

enum endian { ENDIAN_KEEP, ENDIAN_NATIVE, ENDIAN_LITTLE, ENDIAN_BIG };

/* The argument of --endian; another word exits 2 by tool_wrong(). */
enum endian endian_option(const struct tool *, const char *word);
/* What `swap' of the output is to be, for an input of that `swap'. */
bool	endian_swap(enum endian, bool swap);
/*
 * A source without records in the byte order said by `swap': what containers and changes behind this one are to take
 * for their source.  Its events become those of the turned stream.  Freed by pp_close().  err: one of
 * its own, of no further use.  NULL: no memory.
 */
struct pp_source *endian_source(bool swap, struct pp_err *err);
/*
 * Records of the order of `from' go to `next' in that of `like', by an endian_source().  Equal orders: all pass as
 * they are.  Records are handed on with `like' as their source, those with a payload with the one that has it.
 * NULL: no memory.  tool, like and err must live until finish(); err is best that of the input, since what can fail
 * here is a record that fits no event.
 */
struct out *endian_new(const struct tool *, struct pp_source *from, struct pp_source *like, struct out *next,
	    struct pp_err *err);

#endif

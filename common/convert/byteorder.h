/* SPDX-License-Identifier: ISC */
/*
 * byteorder.h - the stage that converts records to the other byte order (pcat --endian)
 *
 *	struct pp_source *like = endian_source(endian_swap(e, in->swap), &err);
 *	to = out_stream_new(sink, &pack, like, &err);	the container, in the new order
 *	to = endian_new(tool, in, like, to, &err);
 *	pp_before_refill(in, ...);					flush the container, as for join
 *	...
 *	to->finish(to); pp_close(like);
 *
 * record.def, feature.def and attr.def state the width of every number.  Bit fields (attr flags, branch flags) are laid out as
 * a compiler of the other byte order lays them out.  Two conversions restore what perf wrote, byte for byte.
 *
 * Data of unknown layout passes unconverted: RAW (TRACING_DATA states the byte order of its formats, so readers decode it
 * correctly), AUX and AUXTRACE data, copied stacks, the code bytes of TEXT_POKE, records of unknown type, SCHEDSTAT counters of
 * an unknown version, and the end of an attr that is longer than struct pp_attr_raw.  A header feature that cannot be converted
 * is dropped, because readers would take its lengths for damage.  finish() prints one warning that counts these.
 */
#ifndef PP_BYTEORDER_H
#define PP_BYTEORDER_H

#include "sink/out.h"
#include "tool/tool.h"

enum endian { ENDIAN_KEEP, ENDIAN_NATIVE, ENDIAN_LITTLE, ENDIAN_BIG };

#define ENDIAN_WORDS "native|little|big"	/* from ENDIAN_NATIVE on */
/* The `swap' of the output for an input of this `swap'. */
bool	endian_swap(enum endian, bool swap);
/*
 * A source without records, in the byte order `swap': the containers and stages after this one get it as their source.
 * endian_new() keeps its events equal to those of the converted stream.  The caller frees it by pp_close().  err: for this
 * source alone.  NULL: no memory.
 */
struct pp_source *endian_source(bool swap, struct pp_err *err);
/*
 * A stage that converts records of the byte order of `from' to that of `like' (from endian_source()) and passes them to `next'.
 * Equal byte orders: records pass unchanged.  `next' gets `like' as the source of each record; of a record with a payload, the
 * source that has the payload.  tool, like and err must live until finish().  err should be the input's, because the possible
 * failure is a record that fits no event.  NULL: no memory.
 */
struct out *endian_new(const struct tool *, struct pp_source *from, struct pp_source *like, struct out *next,
	    struct pp_err *err);

#endif

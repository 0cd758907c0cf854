/* SPDX-License-Identifier: ISC */
/*
 * out_feed.h - a sink that writes a container: for tools that put records into a sink, or runs of many.
 *
 *	k = out_feed_new(out_file_new(...), in->swap, &err);
 *	pp_start(k, in); pp_put(k, ...) ...; pp_finish(k);
 */
#ifndef PP_OUT_FEED_H
#define PP_OUT_FEED_H

#include "out.h"

/*
 * A sink whose bytes, a pipe-mode stream in that byte order, are cut into records, which the container gets.
 * pp_finish() ends the container as well.  `to' (which has put, flush, payload and finish) becomes the sink's; errors
 * stand in the err that `to' was given, which must be this one.  NULL, and `to' finished, if there is no memory; NULL
 * also if `to' is NULL.
 */
struct pp_sink *out_feed_new(struct out *to, bool swap, struct pp_err *err);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * out_feed.h - a sink that writes a container, for commands that write records by pp_put() or in runs of many
 *
 *	k = out_feed_new(out_file_new(...), in->swap, &err);
 *	pp_start(k, in); pp_put(k, ...) ...; pp_finish(k);
 */
#ifndef PP_OUT_FEED_H
#define PP_OUT_FEED_H

#include "out.h"

/*
 * A sink that cuts its bytes, a pipe-mode stream of byte order `swap', into records and puts these into the container `to'.
 * The sink owns `to', which must have put, flush, payload and finish; pp_finish() finishes it.  err must be the one that `to'
 * has.  NULL: no memory (`to' is finished then), or `to' is NULL.
 */
struct pp_sink *out_feed_new(struct out *to, bool swap, struct pp_err *err);

#endif

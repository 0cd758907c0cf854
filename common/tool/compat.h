/* SPDX-License-Identifier: ISC */
/*
 * compat.h - a change on the way: only what a certain perf can read.
 *
 *	record types	that it does not know stay out (it would stop there)
 *	HEADER_ATTR	attr.size is what it has: the tail is cut off (said aloud unless it is zero), for 6.1 also
 *			lengthened, since early 6.1 look for the ids behind their own attr; flag bits that it does not
 *			know are cleared.  Likewise in EVENT_DESC
 *	HEADER_FEATURE	of a number that it does not know, that perf takes for damage, or without the NRCPUS that it
 *			needs in front: stays out.  The end mark gets its number
 *	SAMPLE		branch counters, and the cookie of a callchain to come (its CALLCHAIN_DEFERRED is unknown too), go
 *	sizes		that are not a multiple of 8 are padded, which 7.x insists on
 *
 * Compressed records have been expanded by the source.  What was done is told by -v in one line.
 */
#ifndef PCAT_COMPAT_H
#define PCAT_COMPAT_H

#include "sink/out.h"
#include "tool.h"

struct compat_perf;			/* what one perf knows */

/* The argument of --compat: 6.1, 6.12 or current; another word exits 2 by tool_wrong(). */
const struct compat_perf *compat_option(const struct tool *, const char *version);
/* Does it read COMPRESSED2? */
bool	compat_compressed2(const struct compat_perf *);
/*
 * `like': a source in the byte order of what will be put.  A sample too short for its fields passes untouched.
 * NULL: no memory.  tool and err must live until finish().
 */
struct out *compat_new(const struct tool *, const struct compat_perf *, struct pp_source *like, struct out *next,
	    struct pp_err *err);

#endif

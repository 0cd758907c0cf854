/* SPDX-License-Identifier: ISC */
/*
 * compat.h - the stage that restricts a stream to what a given version of perf can read (--compat)
 *
 *	record types	A type that the version does not know is dropped: perf would stop there.
 *	HEADER_ATTR	attr.size becomes the version's: the rest is cut off (with a warning unless it is zero); for 6.1 a
 *			shorter attr is also extended, since early 6.1 look for the ids behind their own attr.size.
 *			Flag bits that the version does not know are cleared.  The same in EVENT_DESC.
 *	HEADER_FEATURE	A feature is dropped if the version does not know its number, takes it for damage, or needs
 *			NRCPUS before it and has none.  The end mark gets the version's number.
 *	SAMPLE		Branch counters are removed, and the cookie of a deferred callchain (CALLCHAIN_DEFERRED is dropped).
 *	sizes		that are not a multiple of 8 are padded: 7.x requires it.
 *
 * The source has expanded compressed records before.  -v prints one line that counts the changes.  The versions and their limits
 * are the table perfs[] in compat.c; the first version that reads a record type is in record.def.
 */
#ifndef PP_COMPAT_H
#define PP_COMPAT_H

#include "sink/out.h"
#include "tool/tool.h"

struct compat_perf;			/* the limits of one version of perf; static */

/* Parse the argument of --compat, one of PP_PERF_WORDS (record/meaning.h), into a const struct compat_perf *. */
void	compat_option(struct tool *, void *perf);
/* Does the version read COMPRESSED2? */
bool	compat_compressed2(const struct compat_perf *);
/*
 * A stage that passes records to `next'.  `like': a source in the byte order of the records.  A sample that is too short for
 * its fields passes unchanged.  tool and err must live until finish().  NULL: no memory.
 */
struct out *compat_new(const struct tool *, const struct compat_perf *, struct pp_source *like, struct out *next,
	    struct pp_err *err);

#endif

/* SPDX-License-Identifier: ISC */
/* feature_list.h - a change on the way: which header features pass */
#ifndef PCAT_FEATURE_LIST_H
#define PCAT_FEATURE_LIST_H

#include "sink/out.h"
#include "tool.h"

enum { FEATURES_MAX = 256 };		/* as many as the bitmap of a file has */

struct features {
	bool	 only;			/* --features was given: those of `in', else all */
	bool	 in[FEATURES_MAX], out[FEATURES_MAX];
};

/*
 * Take in the argument of --features (not: of --no-features), a list of names as perf calls them, of either case and
 * with or without HEADER_, or numbers.  Adds to what was given before.  An unknown one exits 2 by tool_wrong().
 */
void	features_option(const struct tool *, struct features *, const char *list, bool not);
/* Which ones a container is not to make. */
void	features_without(const struct features *, bool without[FEATURES_MAX]);
/*
 * HEADER_FEATURE and BUILD_ID records that are not wanted stay out; the end mark passes.  TRACING_DATA stays out only if
 * --no-features names it: without it no raw data can be read.  CPU_TOPOLOGY and CPU_DOMAIN_INFO need
 * NRCPUS (perf fails without) and go with it.  `like': a source in the byte order of what will be put.
 * NULL: no memory; f, tool and err must live as long.
 */
struct out *features_new(const struct tool *, const struct features *f, struct pp_source *like, struct out *next,
	    struct pp_err *err);

#endif

/* SPDX-License-Identifier: ISC */
/* feature_list.h - the stage that selects header features (--features, --no-features) */
#ifndef PP_FEATURE_LIST_H
#define PP_FEATURE_LIST_H

#include "sink/out.h"
#include "tool/tool.h"

enum { FEATURES_MAX = 256 };		/* bits in the feature bitmap of a perf.data */

struct features {
	bool	 listed;		/* one of the options was given */
	bool	 only;			/* --features was given: only those in `in' pass */
	bool	 in[FEATURES_MAX], out[FEATURES_MAX];
};

/*
 * Add the argument of --features, or of --no-features, to a struct features: names as in perf, in either case and with or without
 * HEADER_, or numbers.  Exits 2 by tool_wrong() if a name is unknown.
 */
void	features_option(struct tool *, void *features);
void	features_not_option(struct tool *, void *features);
/* Set the element of each feature that a container must not make by itself. */
void	features_without(const struct features *, bool without[FEATURES_MAX]);
/*
 * A stage that drops the HEADER_FEATURE and BUILD_ID records of unselected features; the end mark passes.  TRACING_DATA is
 * dropped only if --no-features names it, because raw data is unreadable without it.  CPU_TOPOLOGY and CPU_DOMAIN_INFO are
 * dropped with NRCPUS, because perf fails on them without it.  `like': a source in the byte order of the records.  f, tool and
 * err must live until finish().  NULL: no memory.
 */
struct out *features_new(const struct tool *, const struct features *f, struct pp_source *like, struct out *next,
	    struct pp_err *err);

#endif

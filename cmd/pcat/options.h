/* SPDX-License-Identifier: ISC */
/* options.h - what the user asks of pcat */
#ifndef PCAT_OPTIONS_H
#define PCAT_OPTIONS_H

#include "tool/byteorder.h"
#include "tool/compat.h"
#include "tool/feature_list.h"
#include "tool/join.h"
#include "out_cpuprofile.h"
#include "sink/out_stream.h"
#include "tool/tool.h"
#include "split.h"

struct options {
	enum { FORMAT_STREAM, FORMAT_FILE, FORMAT_PROFILE } format;
	const char	*formats_from;		/* NULL: not asked for */
	unsigned	 open_flags;		/* PP_OPEN_* */
	struct out_pack	 pack;
	bool		 joins;			/* an option that is about several inputs, or changes what joins do */
	struct join_options join;
	struct join_offsets offsets;
	bool		 lists_features;
	struct features	 features;
	bool		 without[FEATURES_MAX];	/* what it leaves out, for the container */
	const struct compat_perf *compat;
	enum endian	 endian;
	bool		 splits;
	struct split_options split;
	char		*template;		/* as given; then as split_template() makes it */
	struct out_cpuprofile profile;
};

extern const struct tool_opt options_table[];
extern const char options_examples[];	/* for --help */

/* Take in the option just returned by tool_getopt(). */
void	options_take(struct tool *, struct options *, int key);
/* All have been seen: what cannot go together exits 2. */
void	options_done(struct tool *, struct options *);
void	options_free(struct options *);

#endif

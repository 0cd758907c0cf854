/* SPDX-License-Identifier: ISC */
/* options.h - the options of pcat */
#ifndef PCAT_OPTIONS_H
#define PCAT_OPTIONS_H

#include "convert/byteorder.h"
#include "convert/compat.h"
#include "convert/feature_list.h"
#include "join/join.h"
#include "jsonl/out_jsonl.h"
#include "pprof/profile.h"
#include "sink/out_stream.h"
#include "symbol/symbols.h"
#include "tool/option.h"
#include "split.h"

struct options {
	enum { FORMAT_STREAM, FORMAT_FILE, FORMAT_PROFILE, FORMAT_PPROF, FORMAT_JSONL } format;
	const char	*formats_from;		/* NULL: not given */
	unsigned	 open_flags;		/* PP_OPEN_* */
	bool		 chunks, index, copy_data;
	uint64_t	 chunk_size;		/* 0: not given */
	uint64_t	 snapshots;		/* of --snapshots; 0: not given */
	struct out_pack	 pack;
	bool		 joins;			/* several inputs, or an option for them */
	struct join_options join;
	struct join_offsets offsets;
	struct features	 features;
	bool		 without[FEATURES_MAX];	/* features that the container leaves out */
	const struct compat_perf *compat;
	enum endian	 endian;
	bool		 splits;
	struct split_options split;
	const char	*output_template;	/* as given; NULL: not given */
	char		*template;		/* as split_template() makes it */
	const char	*manifest;		/* that is written; NULL: none */
	bool		 makes_manifest, pids;
	const char	*part;			/* of t->manifest, the only one that is read; NULL: all are */
	struct profile_what profile;
	struct symbols_opt symbols;	/* of a profile */
	struct jsonl_what jsonl;
};

/* Parse the command line, and exit 2 if it is wrong. */
void	options_parse(struct options *, struct tool *, int argc, char **argv);
void	options_free(struct options *);

#endif

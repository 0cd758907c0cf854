/* SPDX-License-Identifier: ISC */
/* options.h - the command line of pinject */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "chains/chains.h"
#include "header/header.h"
#include "ids/archive.h"
#include "lookup/lookup.h"
#include "marks/marks.h"
#include "tool/option.h"

struct options {
	bool	 build_ids, buildid_all, mmap2_buildids, mmap2_buildid_all;
	bool	 finished_init, id_index, sample_time, copy_data;
	struct round_option finished_round;
	struct lookup_opt lookup;
	bool	 jit, perf_map, strict;
	const char *buildid_dir;
	struct archive_opt archive;
	struct chains_opt chains;
	struct header header;
};

/* Parse the command line, and exit 2 if it is wrong. */
void	options_parse(struct options *, struct tool *, int argc, char **argv);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * place.h - where the file of a map may be, and whether it is the very file
 *
 * Names are from a recording.  Only regular files are opened: opening a device can have effects, and opening a FIFO blocks.
 * All functions return a descriptor, O_RDONLY | O_NONBLOCK, or -1 and why.
 */
#ifndef PLACE_H
#define PLACE_H

#include "lookup.h"

struct place {			/* what is known of the file */
	const struct lookup_opt *opt;
	struct pp_dso	 dso;
	uint32_t	 pid;		/* of the process that mapped it */
	uint64_t	 start, end;	/* of the map; end 0: unknown */
};

/* The file of a map. */
int	place_open(const struct place *, const char **why);
/* A jitdump; the name's last part below opt->jit_dump_dir, if it is nowhere else. */
int	place_open_jitdump(const struct place *, const char **why);
/* perf-PID.map. */
int	place_open_perf_map(const struct place *, const char **why);

#endif

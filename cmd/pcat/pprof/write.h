/* SPDX-License-Identifier: ISC */
/* write.h - the tables as a profile.proto: https://github.com/google/pprof/blob/main/proto/profile.proto */
#ifndef PPROF_WRITE_H
#define PPROF_WRITE_H

#include "field/field.h"
#include "symbol/ids.h"
#include "out_pprof.h"
#include "symbol/frames.h"
#include "tables.h"

extern const char *const pprof_label_names[PPROF_LABELS];

struct pprof_facts {		/* what a profile says beside the tables */
	const struct pp_events *events;
	const char	*event;		/* only events of this name; NULL: all */
	const uint64_t	*counts;	/* samples of each event so far, in all parts */
	const struct pp_state *state;	/* has the files of the maps */
	struct ids ids;
	struct frames	*frames;	/* what functions are called; NULL: nobody asked */
	struct field_stream stream;	/* has the clock */
	uint64_t	 first, last;	/* times of samples; first > last: none has a time */
	char		*version, *command;	/* NULL: unknown */
};

/* Write all, and end the file.  The tables get more strings.  threads: as of gzip_new().  1, or -1: err has the reason. */
int	pprof_write(struct pprof_tables *, const struct pprof_facts *, unsigned threads, struct pp_sink *, struct pp_err *err);

#endif

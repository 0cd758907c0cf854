/* SPDX-License-Identifier: ISC */
/*
 * archive.h - the stage of --archive: copies of sampled files, for a reader that does not have them
 *
 * The files are opened while the stream flows, but copied behind its end (or when many are open), so that the stream does not
 * wait for them; what was written to in between is left out.  With --archive=symbols and =hits it is files with their functions
 * that are stored (symbols/maker.h).
 */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include "lookup/lookup.h"
#include "store/store.h"
#include "symbols/maker.h"
#include "walk.h"

struct archive;

struct archive_opt {
	uint64_t	 limit;		/* bytes of all copies; 0: no archive */
	enum store_grade grade;		/* how much of each file */
	bool		 strict;	/* a file that is left out makes the exit status 1 */
};

/* Before tool_open(). */
struct archive	*archive_new(struct tool *, struct lookup *, struct store *, const struct archive_opt *);
/* The stage.  walk: for the files that are hit; NULL: of all maps, not with STORE_HITS.  events: as in walk_new(). */
struct out	*archive_stage(struct archive *, struct walk *, const struct pp_events *events, struct out *next);
/* For file_ids.c: the build-id of a file was found; the descriptor is taken over. */
void		 archive_take(struct archive *, const struct lookup_for *, const struct lookup_found *);
/* The same: a file that is wanted was not found, or has no id. */
void		 archive_none(struct archive *, const struct pp_dso *, const char *why);
/* When the stream has ended: copy the files, say what was left out, free the archive (NULL: nothing). */
void		 archive_end(struct archive *);

#endif

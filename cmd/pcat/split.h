/* SPDX-License-Identifier: ISC */
/*
 * split.h - one stream becomes several recordings (parts), each complete in itself:
 *
 *	pipe header | head | snapshot | FINISHED_INIT | side-band not yet in force | data ... FINISHED_ROUND
 *
 * head: all records that describe the recording (attrs, features, ids, tracing data...), as they have come so far.
 * snapshot: the side-band in force where the part begins (state/state.h).  The first part has that of the input.
 *
 * Parts share out the recording by time.  A cut is made behind the newest record so far: what comes later and is older goes
 * on into the parts in front of it, while they are open; what tells of tasks goes into those behind it, too.  A part is
 * closed when nothing can come any more that is older than its end:
 *
 *	a file		was looked through (look.h).  It is cut where nothing later is older, else at a FINISHED_ROUND if nothing
 *			behind the next one is
 *	a pipe		promises that at the second FINISHED_ROUND behind the cut, and at the next one if it was cut at one.  As
 *			long as all came in order, it is cut anywhere, else at FINISHED_ROUNDs.  The last OPEN_MAX parts wait
 *			for the promise; one that had to be closed without it may turn out wrong: then that is said
 *
 * The side-band that waits for the promise stands in the new part with its time, so a reader, who puts things in order by
 * time, has the right state for each sample.
 *
 * Memory: the live state, and the side-band of two rounds.  The head is in a file without a name.
 */
#ifndef PCAT_SPLIT_H
#define PCAT_SPLIT_H

#include <limits.h>

#include "tool/atomic.h"
#include "look.h"
#include "sink/out.h"
#include "tool/tool.h"

struct split_options {
	/* when to begin a new part: one of these is set, by split_when() */
	uint64_t	 bytes;		/* of data records, before compression: neither head nor snapshot */
	uint64_t	 ns;		/* by the times of the records */
	uint64_t	 rounds;
	uint64_t	 max_files;	/* delete the oldest, so that there are no more; 0: keep all */
	const char	*template;	/* by split_template() */
	/*
	 * Open `file' and make the container of a part at path; `like' is a source in the byte order of the records, err
	 * belongs to the part.  NULL: failed, with the text in err, and the file is closed.
	 */
	struct out	*(*make)(void *arg, const char *path, struct pp_source *like, struct atomic *file, struct pp_err *err);
	struct look	*look;		/* the input, looked through beforehand; NULL: a pipe */
	/* Of the record that is put: its place (look.h); its file and byte of the input, into an err without text. */
	uint64_t	 (*place)(void *arg);
	void		 (*where)(void *arg, struct pp_err *);
	void		*arg;
	char		 path[PATH_MAX];	/* of the part that failed: errors name it */
};

/* The argument of --switch-output: a size (64K, 10M, 1G), a time (10s, 1.5s, 5m, 1h), or rounds:N.  Others exit 2. */
void	split_when(const struct tool *, struct split_options *, const char *text);
/*
 * What --output-template says, or if NULL, `out' (what -o says) followed by ".%n".  %n is the number of the part, from
 * 00001; %t the time of its first record, in seconds; %% a %.  One without %n and %t exits 2, and so does no output
 * file at all.  The caller frees.
 */
char	*split_template(const struct tool *, const char *text, const char *out);
/* Exit 2, unless --force, if a file stands there already that a part could have to replace. */
void	split_refuse_files(const struct tool *, const char *template);
/*
 * A container to the pieces before it (its flush must be called as that of any container).  Opens files by name all the
 * time: tool.opens_files is to be set.  `like' must not be the source that the records come from, but another of
 * the same byte order, as endian_source() makes.  NULL: failed.  All arguments must live until finish().
 */
struct out *split_new(const struct tool *, struct split_options *, struct pp_source *like, struct pp_err *err);

#endif

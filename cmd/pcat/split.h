/* SPDX-License-Identifier: ISC */
/*
 * split.h - one stream becomes several recordings, each complete in itself:
 *
 *	pipe header | head | snapshot | FINISHED_INIT | side-band not yet in force | data ... FINISHED_ROUND
 *
 * head: all records that describe the recording (attrs, features, ids, tracing data...), as they have come so far.
 * snapshot: the side-band in force where the chunk begins (snapshot.h).  The first chunk has that of the input.
 *
 * A chunk ends with a FINISHED_ROUND, at which the limit was reached.  What comes behind that marker is not older
 * than the newest record before the marker in front of it; the snapshot holds the state of that time, and the side-band
 * of the two rounds since then follows as it came, with its times.  So a reader, who puts things in order by time, has the
 * right state for each sample.  Where an input has no (more) such markers, a chunk may end before any record, as soon as it
 * is at its limit (twice its limit, if there were markers); that is exact only if the input is in time order (psort).
 *
 * Values of PERF_SAMPLE_READ go on counting through the chunks: perf takes the differences, so the first sample of
 * an event in a chunk seems to have a large period there.
 *
 * Memory: the live state, and the side-band of two rounds.  The head is in a file without a name.
 */
#ifndef PCAT_SPLIT_H
#define PCAT_SPLIT_H

#include <limits.h>

#include "out.h"

struct split_options {
	/* when to begin a new chunk: one of these is set, by split_when() */
	uint64_t	 bytes;		/* of records, before compression; half of them data */
	uint64_t	 ns;		/* by the times of the records */
	uint64_t	 rounds;
	uint64_t	 max_files;	/* delete the oldest, so that there are no more; 0: keep all */
	const char	*template;	/* by split_template() */
	/*
	 * Open `file' and make the container of a chunk at path; `like' is a source in the byte order of the records, err
	 * belongs to the chunks.  NULL: failed, with the text in err, and the file is closed.
	 */
	struct out	*(*make)(void *arg, const char *path, struct pp_source *like, struct atomic *file, struct pp_err *err);
	void		*arg;
	char		 path[PATH_MAX];	/* of the chunk in work: errors name it */
};

/* The argument of --switch-output: a size (64K, 10M, 1G), a time (10s, 1.5s, 5m, 1h), or rounds:N.  Others exit 2. */
void	split_when(const struct tool *, struct split_options *, const char *text);
/*
 * What --output-template says, or if NULL, `out' (what -o says) followed by ".%n".  %n is the number of the chunk, from
 * 00001; %t the time of its first record, in seconds; %% a %.  One without %n and %t exits 2, and so does no output
 * file at all.  The caller frees.
 */
char	*split_template(const struct tool *, const char *text, const char *out);
/*
 * A container to the pieces before it (its flush must be called as that of any container).  Opens files by name all the
 * time: tool.opens_files is to be set.  `like' must not be the source that the records come from, but another of
 * the same byte order, as endian_source() makes.  NULL: failed.  All arguments must live until finish().
 */
struct out *split_new(const struct tool *, struct split_options *, struct pp_source *like, struct pp_err *err);

#endif

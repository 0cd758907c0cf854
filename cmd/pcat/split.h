/* SPDX-License-Identifier: ISC */
/*
 * split.h - one stream becomes several recordings (parts), each complete in itself:
 *
 *	pipe header | head | snapshot | FINISHED_INIT | pending side-band | data ... FINISHED_ROUND
 *
 * head: all records so far that describe the recording (attrs, features, ids, tracing data...).
 * snapshot: the state at the begin of the part (state/state.h).  The first part has the synthesised records of the input.
 *
 * Parts divide the recording by time.  A cut is made after the newest record so far.  A later record that is older than the
 * cut goes to an earlier part, if that is open; if it is side-band, it goes to the later parts, too.  A part is closed when no
 * record older than its end can follow:
 *
 *	file		It is scanned beforehand (look.h), and cut where no later record is older than the newest so far, or at
 *			a FINISHED_ROUND if no record after the next one is.
 *	pipe		No older record follows the second FINISHED_ROUND after a cut, or the first one after a cut at a
 *			FINISHED_ROUND.  A stream that is in order so far is cut anywhere, another at FINISHED_ROUNDs.  The last
 *			OPEN_MAX parts are open.  If a record belongs to a part that had to be closed earlier, a message says so.
 *
 * Pending side-band, which is newer than the watermark, is in the new part with its time.  A reader sorts it by time, and so
 * has the right state for each sample.
 *
 * Memory: the state, and the side-band of two rounds.  The head is in an unnamed file.
 */
#ifndef PCAT_SPLIT_H
#define PCAT_SPLIT_H

#include <limits.h>

#include "tool/atomic.h"
#include "look.h"
#include "sink/out.h"
#include "tool/tool.h"

struct split_options {
	/* the limit of a part: split_when() sets one of these */
	uint64_t	 bytes;		/* of data records, before compression: neither head nor snapshot */
	uint64_t	 ns;		/* difference of the times of its records */
	uint64_t	 rounds;
	uint64_t	 max_files;	/* delete the oldest, so that there are no more; 0: keep all */
	const char	*template;	/* by split_template() */
	/*
	 * Open `file' and make the container of a part at path; `like' is a source in the byte order of the records, err
	 * belongs to the part.  NULL: failed, with the text in err, and the file is closed.
	 */
	struct out	*(*make)(void *arg, const char *path, struct pp_source *like, struct atomic *file, struct pp_err *err);
	struct look	*look;		/* the scan of the input; NULL: a pipe */
	/* place: of the record being put (look.h); where: sets file and byte of an err to those of that record. */
	uint64_t	 (*place)(void *arg);
	void		 (*where)(void *arg, struct pp_err *);
	/* A part has its name; the oldest part was removed.  1, or -1: err, of that part, has the reason. */
	int		 (*named)(void *arg, const char *path, struct pp_err *err);
	void		 (*removed)(void *arg, const char *path);
	void		*arg;
	char		 path[PATH_MAX];	/* of the part that failed, for messages */
};

/* The argument of --switch-output: a size (64K, 10M, 1G), a time (10s, 1.5s, 5m, 1h), or rounds:N.  Others exit 2. */
void	split_when(struct tool *, void *options);	/* struct split_options */
/*
 * The argument of --output-template, or if that is NULL, `out' (the argument of -o) followed by ".%n".  %n is the number of
 * the part, from 00001; %t the time of its first record, in seconds; %% a %.  Exits 2 if it has neither %n nor %t, or if both
 * arguments are missing.  The caller frees it.
 */
char	*split_template(const struct tool *, const char *text, const char *out);
/* Without --force, exit 2 if a file exists that a part may have to replace. */
void	split_refuse_files(const struct tool *, const char *template);
/* The last directory of the template without %n and %t, "" or with a slash at its end; the caller frees it. */
char	*split_dir(const char *template);
/* Before tool_lock(): permit parts and temporary files, in that directory. */
void	split_allow(struct tool *, const char *template);
/*
 * An output like a container.  It opens files by name while it runs, as split_allow() permits.  `like' must be a source in
 * the byte order of the records, as endian_source() makes it, but not the source of the records.  All arguments must live
 * until finish().  NULL: failure.
 */
struct out *split_new(const struct tool *, struct split_options *, struct pp_source *like, struct pp_err *err);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * jobs.h - --jobs: one command reads the pieces of a file (source/piece.h) by processes of its own, and joins what they write
 *
 * A command whose outputs for all pieces make that for the whole has the row TOOL_OPT_JOBS in its table, and calls
 *
 *	if (tool_jobs(&t, TOOL_JOBS_STREAM))
 *		return tool_jobs_join(&t);
 *
 * behind tool_options(), before it opens anything.  In the processes of the pieces tool_jobs() returns false, and the command goes on as
 * with --piece, confined like any other.  What they write is the output for their share alone, as the sink cuts it (record/mark.h),
 * and goes to temporary files beside the output, or in $TMPDIR.
 */
#ifndef PP_TOOL_JOBS_H
#define PP_TOOL_JOBS_H

#include "tool.h"

/* What the processes write: a stream that is cut; a report of their own. */
enum tool_jobs_write { TOOL_JOBS_STREAM, TOOL_JOBS_REPORT };
/*
 * true: all t->jobs.n pieces were processed; tool_jobs_part() or tool_jobs_join() has their outputs.  false: go on, without --jobs or for a piece.
 * Exits, and has ended all processes, if one of them has failed twice.
 */
bool	tool_jobs(struct tool *, enum tool_jobs_write);
/* Behind that: what the process of a piece, from 0, has written, at offset 0; the caller closes it. */
int	tool_jobs_part(const struct tool *, unsigned i);
/* Or put the parts of a stream together, and give the output its name.  The exit status. */
int	tool_jobs_join(struct tool *);
/*
 * In the process of a piece, instead of a message that is true only if each piece says it: the parent prints it then.  false: this
 * is no such process, print it.
 */
bool	tool_jobs_says(const struct tool *, const char *text);

/* Of tool_open.c, tool_out.c and tool_piece.c: all that is different in the process of a piece. */
void	jobs_create(struct tool *, struct atomic *, const char *path, struct pp_err *);
void	jobs_cut(const struct tool *, struct pp_sink *);
void	jobs_progress(const struct tool *, uint64_t done, uint64_t total);
void	jobs_summed(const struct tool *);
void	jobs_whole(const struct tool *);

#endif

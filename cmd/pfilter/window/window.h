/* SPDX-License-Identifier: ISC */
/*
 * window.h - selection by what else is near in time: --around, --span.
 *
 * A sample can open a window that begins before it.  So each sample is looked at in time order (windows_look()), before the
 * verdicts on samples that are up to windows_ahead() older.  A verdict then depends on the windows that cover its time (cover.h).
 * The memory is that of the records that wait.
 *
 *	window.c	the options, and what both kinds have in common
 *	around.c	--around
 *	span.h		--span
 *	cover.c		sets of times
 *	length.c	the lengths of spans: --span-period
 *	cut.h		spans of a piece: --piece
 */
#ifndef PFILTER_WINDOW_H
#define PFILTER_WINDOW_H

#include "keys/reason.h"
#include "state/timeline.h"
#include "symbol/kallsyms.h"
#include "tool/tool.h"
#include "window/length.h"

/* Marks of pp_arrival_mark(): by windows_look(); by payload_tasks_look(). */
enum { MARK_WINDOW = 1, MARK_GAP = 2 };

struct windows;			/* NULL: no such option */

#define WINDOW_SAME_WORDS "cpu|tid|pid"
#define WINDOW_WITH_WORDS "same|cpu|all"
enum window_option { WINDOW_AROUND, WINDOW_BEFORE, WINDOW_AFTER, WINDOW_SAME, WINDOW_SPAN, WINDOW_LONGER, WINDOW_SHORTER,
	WINDOW_WITH };

/* Add the option of this optvalue to a struct windows *, which may be NULL; an error exits 2. */
void	windows_add(struct tool *, void *windows);
/* After the last option; an error exits 2.  What is measured of spans is said until windows_free(). */
void	windows_ready(struct windows *, const struct tool *, const struct span_measure *);
/* expr_functions() of each expression. */
bool	windows_functions(const struct windows *, const char *path, struct kallsyms_text *);
/* Does an expression of these options need the time of the first record? */
bool	windows_need_start(const struct windows *);
/* pp_arrival_user.ahead and .looks. */
uint64_t windows_ahead(const struct windows *);
void	windows_looks(const struct windows *, bool *looks);
/* `start': time of the first sample, 0: not known yet.  1, or -1: no memory. */
int	windows_start(struct windows *, const struct pp_source *in, uint64_t start, size_t tasks, struct pp_err *);
/* Called for each record of type >= PP_USER_TYPE_START. */
void	windows_learn(struct windows *, const struct pp_rec *);
/* Do they use fields of payloads? */
bool	windows_read_payloads(const struct windows *);
/* pp_when_absent() of a piece: samples in front of it, or behind it, have these times. */
void	windows_absent(struct windows *, bool behind, uint64_t first, uint64_t last);
/* When all events are known: an event without a field that a window needs, such as the time, exits 2. */
void	windows_bind(struct windows *, const struct tool *);
/*
 * A record of a type in looks[], in time order, or at once if it has no time.  `nr': its number in the input, for expressions.
 * 1, or -1: it is malformed.
 */
int	windows_look(struct windows *, struct pp_arrival *, const struct pp_turn *, const struct pp_event *, const struct pp_rec *,
	    uint64_t nr);
/*
 * --span-period: is `until' needed for the turns of samples?  What these and `passes' of pp_arrival_user call.  A marked sample has its
 * turn: get the length of its span; false: it has none.
 */
bool	windows_wait(const struct windows *);
/* Are samples without a length rejected by --span alone?  Then they need not wait (span_measure.forgets); how many did not. */
bool	windows_forget(const struct windows *);
uint64_t windows_rejected(const struct windows *);
uint64_t windows_until(const struct windows *);
void	windows_passes(struct windows *, struct pp_arrival *, uint64_t time);
bool	windows_length(struct windows *, uint64_t nr, struct span_length *);
/* pp_arrival_user.looked. */
void	windows_looked(struct windows *, uint64_t decided);
/*
 * The verdict on a record: KEPT, NOT_AROUND, NOT_SPAN; LACKS_FIELD: it is no sample, and has no time or key.  `marked': it has
 * the mark of windows_look().
 */
int	windows_match(const struct windows *, const struct pp_event *, const struct pp_rec *, bool marked);
/* The end of the input: counts become final; warnings.  False: spans were given up that --span-period should have measured. */
bool	windows_finish(struct windows *, const struct tool *);
/* The counts of spans, for --stats and -v. */
void	windows_stats(const struct windows *, bool json, FILE *);
/* Why no sample is KEPT, as in nothing.h. */
void	windows_why(const struct windows *, enum reason, char *text, size_t size);
/* At the end of the input: expr_end() of each expression. */
void	windows_end(const struct windows *, const struct tool *);
void	windows_free(struct windows *);

#endif

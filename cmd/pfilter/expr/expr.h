/* SPDX-License-Identifier: ISC */
/*
 * expr.h - --filter: expressions over the fields of a record.
 *
 * Text -> tree -> flat program over the events' plans.  Values are integers of more than 64 bits, strings, or unknown
 * (the record has no such field); what is unknown selects nothing.
 */
#ifndef PFILTER_EXPR_H
#define PFILTER_EXPR_H

#include <stdio.h>

#include "tool/field.h"
#include "tool/tool.h"

struct expr;			/* all --filter of a run, ANDed; a NULL one has none */

enum expr_result { EXPR_NO, EXPR_YES, EXPR_UNKNOWN };

/* Add an expression; an unsound one exits 2 with its place marked.  Returns *e or a new one. */
struct expr *expr_add(struct expr *e, const struct tool *, const char *text);
/* The same from a file (--filter-file): its lines, without comments from #, are one expression. */
struct expr *expr_add_file(struct expr *e, const struct tool *, const char *path);
/* Does it ask for comm, dso or such, which are right in time order only? */
bool	expr_needs_state(const struct expr *);
/* Does it ask for nr or offset? */
bool	expr_needs_place(const struct expr *);
/* Does it ask for reltime, and so for the time of the first record? */
bool	expr_needs_start(const struct expr *);
/*
 * Each record of type >= PP_USER_TYPE_START as it comes, also behind expr_bind(): CLOCK_DATA, HOSTNAME, guests of
 * ID_INDEX; and new names of events make new programs.
 */
void	expr_learn(struct expr *, const struct pp_rec *, bool swap);
/*
 * All events are known, if not their names yet, as from the first record of the kernel on: a field that none of them
 * records exits 2 naming the perf record option.  One that some lack is warned of when it matters.
 */
void	expr_bind(struct expr *, const struct tool *, const struct pp_source *in);
/* *result; -1: the record is not sound (text in pp_err). */
int	expr_match(struct expr *, const struct field_subject *, enum expr_result *result, struct pp_err *);
/* What it was understood as, and what it waits for, if records do (`waits'); once bound also the program for each event. */
void	expr_explain(struct expr *, bool waits, FILE *);
void	expr_free(struct expr *);

#endif

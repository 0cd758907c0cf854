/* SPDX-License-Identifier: ISC */
/*
 * check.h - pstat --check: what readers of a recording stumble over.
 *
 * It sees each record once, in the one pass of count.h, and holds a bounded state.  A finding is a rule (rules.def) with how
 * often it was broken, and its first place.
 */
#ifndef PSTAT_CHECK_H
#define PSTAT_CHECK_H

#include "count/count.h"
#include "report/report.h"

struct check;

/*
 * Before the input is read.  `list': rules by letter (E), name or number (E07), separated by commas, -X without X;
 * NULL: all.
 */
struct check *check_new(struct tool *, struct counts *, const char *list);
/* Check for that version of perf and newer ones, instead of that which has recorded it; exits 2 if it is none. */
void	check_for(struct check *, const char *version);
/*
 * Instead: a glance for the screen, at the records that count_glance_by() shows and at the counts.  It finds errors and warnings
 * that check_new() would find, too, and not all of these; faults stay messages, and end the reading.
 */
struct check *check_glance(struct tool *, struct counts *);
/*
 * After tool_begin_input() and count_init(): from here on it sees the records that are counted, and the faults that the source
 * goes on behind are findings.  Records that cannot be counted do not end the reading.
 */
void	check_begin(struct check *);
/* Add the table of findings, which check_end() completes, to the report: "findings", or "glance_findings". */
void	check_add(const struct check *, struct report *);
/* The input has ended, or a fault has ended it. */
void	check_end(struct check *);
/* Was an error found; or, if `strict', a warning? */
bool	check_failed(const struct check *, bool strict);
/* The findings for people. */
void	check_screen(FILE *, const struct check *);
void	check_free(struct check *);

#endif

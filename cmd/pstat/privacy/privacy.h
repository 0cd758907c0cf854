/* SPDX-License-Identifier: ISC */
/*
 * privacy.h - pstat --privacy: what a recording gives away, how much of it, and what takes it out.
 *
 * It sees each record once, in the one pass of count.h.  Values that pfilter --anon has made are not counted where they can be
 * told from others.
 */
#ifndef PSTAT_PRIVACY_H
#define PSTAT_PRIVACY_H

#include "count/count.h"
#include "report/report.h"

struct privacy;

/* Before tool_lock().  names: keep some values of each row, to show them. */
struct privacy *privacy_new(struct tool *, struct counts *, bool names);
/* Instead: a glance for the screen, at the records that count_glance_by() shows. */
struct privacy *privacy_glance(struct tool *, struct counts *);
/* After tool_begin_input() and count_init(): from here on it sees the records that are counted. */
void	privacy_begin(struct privacy *);
/* Add its table to the report, before the input is read: "privacy", or "glance_privacy". */
void	privacy_add(const struct privacy *, struct report *);
/* The input has ended. */
void	privacy_end(struct privacy *, struct report *);
void	privacy_screen(FILE *, const struct privacy *);
void	privacy_free(struct privacy *);

#endif

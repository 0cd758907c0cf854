/* SPDX-License-Identifier: ISC */
/* flame.h - two flame graphs as one: pstat --diff --picture flame. */
#ifndef PSTAT_MERGE_FLAME_H
#define PSTAT_MERGE_FLAME_H

#include "count/asked.h"
#include "merge/diff.h"

struct diff_flame;

/* A report may have a table flame, too: before it is read. */
void	diff_flame_expect(struct merge *);
/* The flame graphs of both, whose samples and files are those of `diff'.  NULL: they cannot be compared, see the tool's in_err. */
struct diff_flame *diff_flame_new(struct tool *, struct merge *a, struct merge *b, const struct diff *, const struct asked *);
/* Add the tables to the report. */
void	diff_flame_add(const struct diff_flame *, struct report *);
/* The forms for people, of a report with these tables: the picture, and the page of --report. */
report_form	diff_flame_draw, diff_flame_page;
void	diff_flame_free(struct diff_flame *);

#endif

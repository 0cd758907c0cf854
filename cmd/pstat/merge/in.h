/* SPDX-License-Identifier: ISC */
/* in.h - the parts of merge; for merge/ only */
#ifndef PSTAT_MERGE_IN_H
#define PSTAT_MERGE_IN_H

#include <jansson.h>

#include "merge.h"
#include "tally/index.h"

enum {
	MERGE_ROWS = 4 << 20,		/* rows of all tables */
	MERGE_BYTES = 256 << 20,	/* of one JSON object */
};

struct merge_row { struct cell *cell; };	/* those of its table's columns; they own their texts and buckets */
struct merge_table {
	struct merge	*m;
	const struct table *table;
	bool		 given;		/* the reports have it */
	struct index	*by_key;
	struct merge_row **row;
	size_t		 n;
};

struct sort;
struct merge {
	struct tool	*tool;
	struct counts	*c;
	struct report	 known;		/* tables that there may be */
	struct merge_table t[REPORT_TABLES];
	unsigned	 n;
	size_t		 rows;
	bool		 any;		/* a report was read */
	char		*keys;		/* of --sort, separated by commas; NULL: none */
	struct sort	*sort;
	bool		 exact;
	struct pp_err	*err;
};

/* ---- merge.c ------------------------------------------------------------------------------------- */

struct merge_table *merge_table(struct merge *, const char *name);
/* Reports may have this table, too; before they are read. */
void	merge_expect(struct merge *, const struct table *);
/* The number of a column; -1: none. */
int	merge_column(const struct merge_table *, const char *name);
/* Make tables for the rows of --sort by these keys (NULL: none), and of --hist. */
int	merge_sorted(struct merge *, const char *keys, bool hist);
/* Of the samples of all reports so far: the name of an event with that unit (NULL: of no unit); NULL: none. */
const char *merge_event_of(struct merge *, const char *unit);
/* Is the table hist one of periods, of all events together? */
bool	merge_hist_is_of_periods(struct merge *);
/* Add a row, whose texts and buckets it takes or frees.  1, or -1. */
int	merge_put(struct merge_table *, struct cell *row);
void	merge_cells_free(const struct merge_table *, struct cell *);
/* -1, 0, 1; unknown is behind all. */
int	merge_cell_order(const struct column *, const struct cell *, const struct cell *);
/* A text of its own. */
struct cell merge_text(const char *);

/* ---- read.c -------------------------------------------------------------------------------------- */

/* One report.  1, or -1: err has the reason, without a place. */
int	merge_object(struct merge *, const json_t *);

#endif

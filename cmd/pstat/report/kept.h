/* SPDX-License-Identifier: ISC */
/* kept.h - rows of a table, kept in memory. */
#ifndef PSTAT_KEPT_H
#define PSTAT_KEPT_H

#include "report.h"

struct kept {
	const struct table *table;
	struct cell	*cell;		/* n rows of table->ncols; they own their texts and buckets */
	size_t		 n;		/* rows kept */
	size_t		 rows;		/* rows of the table */
	size_t		 most;
};

/* Keep the rows, at most the first so many (0: all).  A report without that table: none. */
void	kept_open(struct kept *, const struct report *, const char *table, size_t most);
void	kept_free(struct kept *);
/* The cell of a row by the name of its column; unknown if there is no such row. */
const struct cell *kept_cell(const struct kept *, size_t row, const char *column);
/* The same of the first row; 0 if it is unknown. */
uint64_t kept_num(const struct kept *, const char *column);

#endif

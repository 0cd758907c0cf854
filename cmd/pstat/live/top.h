/* SPDX-License-Identifier: ISC */
/* top.h - what an interval has by the keys of --sort, as text and as JSON. */
#ifndef PSTAT_LIVE_TOP_H
#define PSTAT_LIVE_TOP_H

#include <stdio.h>

#include "live/interval.h"
#include "sort/sort.h"

/* The value of a key in a row, harmless on a terminal; the caller frees it. */
char	*top_text(const struct sort *, const struct row *, unsigned key);
/* The names of the keys in capitals, with ", " between them, cut to the size; and the values of a row so. */
void	top_heading(const struct sort *, char *to, size_t size);
void	top_line(const struct sort *, const struct row *, char *to, size_t size);
/* Its first rows, as many as sort_top() says, and all other samples as a row `other', as in the table sort.  NULL: no memory. */
struct json_t *top_json(const struct sort *, const struct interval *);
/* The same rows as csv or tsv, with start and length of the interval in front; names: behind a line with the names of the columns. */
void	top_csv(FILE *, char between, const struct sort *, const struct interval *, uint64_t every, bool names);

#endif

/* SPDX-License-Identifier: ISC */
/* forms.h - the forms in which a report is written. */
#ifndef PSTAT_FORMS_H
#define PSTAT_FORMS_H

#include "report.h"

/* One screen: about 50 lines, as wide as the terminal, else 100 columns. */
report_form	screen;
/* All tables as one object, in the schema of pstat(1). */
report_form	json;
/* The table r->name, which must be there. */
report_form	csv;
report_form	tsv;
report_form	openmetrics;
/* The first line of a table as csv (between: a comma) or tsv (a tab), and a row of it, of n columns. */
void	csv_names(FILE *, char between, const struct column *, unsigned n);
void	csv_cells(FILE *, char between, const struct column *, const struct cell *, unsigned n);
/* A cell as a value of jansson, as the form has it; NULL: no memory. */
struct json_t *json_value(const struct column *, const struct cell *);
/* Before tool_lock(): the library of JSON takes its random seed. */
void	json_seed(void);

#endif

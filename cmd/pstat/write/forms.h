/* SPDX-License-Identifier: ISC */
/* forms.h - the forms in which a report is written. */
#ifndef PSTAT_FORMS_H
#define PSTAT_FORMS_H

#include "report.h"
#include "tool/tool.h"

/* One screen: about 50 lines, as wide as the terminal, else 100 columns. */
report_form	screen;
/* All tables as one object, in the schema of pstat(1). */
report_form	json;
/* The table r->name, which must be there. */
report_form	csv;
report_form	tsv;
report_form	openmetrics;
/* The form of that name, of the option that was just read, if no other was given before (NULL: none was); a wrong one exits 2. */
report_form *forms_find(const struct tool *, const char *name, report_form *before);
/* Exits 2 if the form needs a table and r->name is none of them, or needs none. */
void	forms_check_table(const struct tool *, report_form *, const struct report *);
/* Before tool_lock(): the library of JSON takes its random seed. */
void	json_seed(void);

#endif

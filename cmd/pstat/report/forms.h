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
/* Before tool_lock(): the library of JSON takes its random seed. */
void	json_seed(void);

#endif

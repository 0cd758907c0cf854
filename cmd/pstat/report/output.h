/* SPDX-License-Identifier: ISC */
/* output.h - the form that the report has, and the file that it is written to. */
#ifndef PSTAT_OUTPUT_H
#define PSTAT_OUTPUT_H

#include "report.h"
#include "tool/tool.h"

/* The words of --format are the names of the functions (forms.h). */
#define OUTPUT_EACH(FORM) FORM(SCREEN, screen) FORM(JSON, json) FORM(CSV, csv) FORM(TSV, tsv) FORM(OPENMETRICS, openmetrics)
#define OUTPUT_WORD(number, form) #form "|"
#define OUTPUT_NUMBER(number, form) OUTPUT_##number,
#define OUTPUT_FORMS OUTPUT_EACH(OUTPUT_WORD)
enum { OUTPUT_EACH(OUTPUT_NUMBER) };
/* The options about the form: set a report_form *, by the argument or optvalue; another one than it is already (NULL: none) is wrong usage. */
void	output_form(struct tool *, void *form);
/* The forms of one table need to know which; the others have all: else it is wrong usage. */
void	output_check_table(const struct tool *, report_form *, const struct report *);
/* Create the output, and seed the tables of JSON, before tool_lock(); sets the report's width.  NULL: failure, see out_err. */
FILE   *output_open(struct tool *, struct report *, bool to_stderr);
/* Write the report and close its file; a failure is kept in out_err. */
void	output_write(struct tool *, FILE *, const struct report *, report_form *);

#endif

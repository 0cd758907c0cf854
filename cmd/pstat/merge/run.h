/* SPDX-License-Identifier: ISC */
/* run.h - pstat whose inputs are reports, from its options to its exit status: --merge and --diff. */
#ifndef PSTAT_MERGE_RUN_H
#define PSTAT_MERGE_RUN_H

#include "count/asked.h"
#include "count/count.h"
#include "report/report.h"

/* --merge: all inputs as one report. */
int	merge_run(struct tool *, struct counts *, struct report *, report_form *);

struct diff_options {
	report_form	*form;
	const char	*keys;		/* of --sort; NULL: none */
	unsigned	 top;		/* rows on the screen; 0: all */
	const struct asked *flame;	/* the picture flame is asked for, so, or the page that has it; NULL: neither is */
	int		(*report)(int argc, char **argv);	/* pstat itself, in a process of its own, for a recording */
};
/* --diff: two inputs beside each other. */
int	diff_run(struct tool *, struct counts *, struct report *, const struct diff_options *);

#endif

/* SPDX-License-Identifier: ISC */
/* sort.h - the modes of psort, and sorting one stream */
#ifndef PSORT_SORT_H
#define PSORT_SORT_H

#include "spill.h"
#include "tool/tool.h"

enum sort_mode { SORT_ROUNDS, SORT_WINDOW, SORT_FULL };
/* The words of --late, --untimed and --rounds stand beside their values; MARKS_AUTO has none, and is one of the others behind main(). */
enum sort_late { LATE_EMIT, LATE_DROP, LATE_ERROR, LATE_CLAMP };
#define LATE_WORDS "emit|drop|error|clamp"
enum sort_untimed { UNTIMED_INPLACE, UNTIMED_FIRST, UNTIMED_STAMP };
#define UNTIMED_WORDS "inplace|first|stamp"
enum sort_marks { MARKS_AUTO, MARKS_EMIT, MARKS_KEEP, MARKS_DROP };
#define MARKS_WORDS "emit|keep|drop"

struct sort_how {
	enum sort_mode	 mode;
	uint64_t	 window;		/* ns, SORT_WINDOW */
	enum sort_late	 late;
	enum sort_untimed untimed;
	enum sort_marks	 marks;
	bool		 unique, stats;
	size_t		 memory;		/* bytes */
};

/* Sort t->in to t->out.  Records beyond the bound of memory go to the spill, whose errors are in spill_err.  0, or 1: failure. */
int	sort_stream(struct tool *, const struct sort_how *, struct spill *, const struct pp_err *spill_err);

#endif

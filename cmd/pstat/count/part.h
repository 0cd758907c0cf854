/* SPDX-License-Identifier: ISC */
/*
 * part.h - a part of pstat: what it finds out in the one pass over the records, and says in the report.
 *
 * A part is a row of parts.def, and a struct part_kind in a file of its folder, of which main.c calls the functions.  It sees the
 * records in the lane (lane.h), and its tables are in the report by report_add().
 */
#ifndef PSTAT_PART_H
#define PSTAT_PART_H

#include "asked.h"
#include "count.h"

enum {
#define PART(name) PART_##name,
#include "parts.def"
#undef PART
	PARTS
};

struct pass {				/* what the parts share */
	struct tool	*t;
	struct asked	*asked;
	struct counts	*c;
	struct report	*r;
	report_form	*form;		/* of the report; that which was asked for, unless a part has its own */
	unsigned	 open_flags;	/* of pp_open(): what the parts need */
	bool		 to_stderr;	/* the report goes there */
	bool		 says;		/* without an input there is something to say, too */
	FILE		*f;		/* the output; NULL: it could not be opened, or nothing is written */
	/* faults behind which the reading goes on, as --check does it: the first, and how many */
	struct pp_err	 fault;
	uint64_t	 faults;
	void		*part[PARTS];	/* NULL: it was not asked for */
};

struct part_kind {			/* functions NULL: nothing is to be done then */
	bool	 always;		/* no option asks for it */
	/* By the options, of which wrong ones exit 2: the part, whose address the others have.  NULL: it was not asked for. */
	void	*(*new)(struct pass *);
	/* Add its tables to the report.  The part NULL: all that it may have, for --merge, which reads them back. */
	void	 (*add)(void *part, struct report *);
	/* The options are checked, and nothing is open. */
	void	 (*prepare)(void *part, struct pass *);
	/* Input and output are open, and nothing is read; the process is confined. */
	void	 (*open)(void *part, struct pass *);
	/* The head of the input was read, and nothing is counted: join the lane.  Without an input (t->in NULL), too. */
	void	 (*begin)(void *part, struct pass *);
	/* The input was counted, or a fault has ended that: complete the tables.  False: a limit was met that affects them. */
	bool	 (*end)(void *part, struct pass *);
	/* What the screen has of it in place of the summary. */
	void	 (*screen)(FILE *, const void *part);
	/* The report is written; the input is still open, unless nothing was written.  The tool's `failed' is the exit status. */
	void	 (*close)(void *part, struct pass *);
	void	 (*free)(void *part);
};

#define PART(name) extern const struct part_kind part_##name;
#include "parts.def"
#undef PART
extern const struct part_kind *const part_kinds[PARTS];

/* The report_form of the screen if parts have something for it: that of each. */
report_form	pass_tell;
/* Is the report only what is always in it, and for the screen?  The glances ask. */
bool	pass_is_plain(const struct pass *);

#endif

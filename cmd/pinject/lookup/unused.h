/* SPDX-License-Identifier: ISC */
/*
 * unused.h - messages about files that were wanted and are not used: each by its name, with the reason
 *
 *	struct unused u = { t, "perf-PID.map files", o->strict };
 *	for each file
 *		unused_say(&u, name, strlen(name), why);
 *	unused_end(&u);
 */
#ifndef UNUSED_H
#define UNUSED_H

#include "tool/tool.h"

struct unused {
	struct tool	*t;
	const char	*what;		/* the kind of files, in the plural */
	bool		 strict;	/* the exit status is 1 if there are any */
	uint64_t	 n;
};

/* Warn; after the first warnings only with -v. */
void	unused_say(struct unused *, const char *name, size_t len, const char *why);
/* Print how many files had no warning of their own. */
void	unused_end(const struct unused *);

#endif

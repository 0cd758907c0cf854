/* SPDX-License-Identifier: ISC */
/* option.h - what pfilter selects a row by. */
#ifndef PSTAT_OPTION_H
#define PSTAT_OPTION_H

#include "perfpipe.h"
#include "report/report.h"

/* An option of pfilter that selects what has this value of that key of --sort, as words for the shell; NULL: there is none. */
char	*option_of(const struct pp_events *, const char *key, const struct cell *, uint64_t value);
/* The text as a word for the shell: as it is, in single quotes, or with bytes that are not printable as $'\x1b'. */
char	*option_quote(const char *);
/* A text made like printf(3). */
char	*option_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same behind a text, which it frees; NULL: none. */
void	option_add(char **text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif

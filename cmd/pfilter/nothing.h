/* SPDX-License-Identifier: ISC */
/* nothing.h - when no sample is kept: why, in the user's terms */
#ifndef PFILTER_NOTHING_H
#define PFILTER_NOTHING_H

#include "decide.h"

/* Was there something to choose by, and no sample kept? */
bool	nothing_kept(const struct decide *);
/* That in one line, for a warning; "" if it was asked for (--type).  The source is still open. */
void	nothing_say(const struct decide *, char *text, size_t size);

#endif

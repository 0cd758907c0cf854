/* SPDX-License-Identifier: ISC */
/* nothing.h - the warning that no sample is kept, with the cause */
#ifndef PFILTER_NOTHING_H
#define PFILTER_NOTHING_H

#include "decide.h"

/* Is there an option that selects samples, and was no sample kept? */
bool	nothing_kept(const struct decide *);
/* The cause in one line; "" if --type excludes samples.  The source must still be open. */
void	nothing_cause(const struct decide *, char *text, size_t size);

#endif

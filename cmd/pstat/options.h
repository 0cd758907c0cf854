/* SPDX-License-Identifier: ISC */
/* options.h - the options of pstat */
#ifndef PSTAT_OPTIONS_H
#define PSTAT_OPTIONS_H

#include "count/asked.h"

/* What the command line asks for; exits 2 if it is wrong. */
void	read_options(struct tool *, struct asked *, int argc, char **argv);

#endif

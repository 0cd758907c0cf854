/* SPDX-License-Identifier: ISC */
/* machine.h - the machine that was recorded, as ELF files have it */
#ifndef PP_MACHINE_H
#define PP_MACHINE_H

#include "perfpipe_inline.h"

struct machine { uint16_t number; bool is64; };	/* EM_...; EM_NONE: unknown */

/* By its name of n bytes, as uname(2) has it; an unknown one changes nothing. */
void	machine_set(struct machine *, const char *arch, size_t n);
/* By the header feature ARCH, if the record is a sound one. */
void	machine_learn(struct machine *, const struct pp_rec *, bool swap);
/* Does it run programs of that machine: its own, or those of the same family with 32 or 64 bits?  True if one of the two is unknown. */
bool	machine_runs(const struct machine *, uint16_t number);

#endif

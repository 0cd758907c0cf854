/* SPDX-License-Identifier: ISC */
/* names.h - texts as numbers: a bounded set. */
#ifndef PSTAT_NAMES_H
#define PSTAT_NAMES_H

#include "perfpipe_inline.h"

enum { NAMES_MAX = 64 << 10, NAMES_BYTES = 4 << 20, NAMES_LONGEST = 4096 };

struct names;
struct names *names_new(void);
void	names_free(struct names *);
/* The number of a text, which is cut to NAMES_LONGEST; UINT32_MAX: there is no space for it. */
uint32_t names_number(struct names *, const char *, size_t n);
/* NULL: no text has this number. */
const char *names_text(const struct names *, uint64_t number);
/* Was there no space for one?  Will there soon be none? */
bool	names_over(const struct names *);
bool	names_crowded(const struct names *);
/*
 * Let all texts go but those of numbers that are kept: after names_sweep(), those for which names_keep() was called since
 * names_mark(); their numbers stay what they are.  names_keep() of what is no number does nothing.  names_keeps_most(): they are
 * more than half of what there is space for.
 */
void	names_mark(struct names *);
void	names_keep(struct names *, uint64_t number);
bool	names_keeps_most(const struct names *);
void	names_sweep(struct names *);

#endif

/* SPDX-License-Identifier: ISC */
/* chain.h - the frames of a sample's call chain, with their modes and files: the fields callchain.* */
#ifndef PP_FIELD_CHAIN_H
#define PP_FIELD_CHAIN_H

#include "field.h"
#include "record/chain.h"

/* The call chain, for pp_chain_next().  p NULL, and no frames: the sample has none, or is `bad'. */
struct pp_chain field_chain(struct field_fetch *);

/* For field_fetch(). */
void	field_chain_fetch(struct field_fetch *, enum field_part, struct field_value *);

#endif

/* SPDX-License-Identifier: ISC */
#include "chain.h"

struct pp_chain
field_chain(struct field_fetch *f)
{
	const struct pp_part *x = field_part(f, PP_SAMPLE_CALLCHAIN);

	return x ? (struct pp_chain){ .p = x->p + 8, .left = x->n / 8 - 1, .swap = f->swap, .mode = PP_MISC_USER } :
	    (struct pp_chain){ .p = NULL };
}

void
field_chain_fetch(struct field_fetch *f, enum field_part part, struct field_value *v)
{
	const unsigned mode = part == PART_CHAIN_USER ? PP_MISC_USER : PP_MISC_KERNEL;
	struct pp_chain c = field_chain(f);
	uint64_t ip, n = 0;

	if (!c.p)
		return;
	while (part != PART_CHAIN_DSO && pp_chain_next(&c, &ip))
		n += c.mode == mode;
	v->num = big_plain(n);
	v->str = "";				/* PART_CHAIN_DSO: it is only asked whether there is a call chain */
	v->known = true;
}

/* SPDX-License-Identifier: ISC */
#include "field_chain.h"

bool
field_chain_begin(struct field_fetch *f, struct field_chain *c)
{
	const struct pp_part *x = field_part(f, PP_SAMPLE_CALLCHAIN);

	if (!x)
		return false;
	/* u64 n, n entries; what precedes the first mark of a mode is of user space, as in perf */
	*c = (struct field_chain){ x->p + 8, x->n / 8 - 1, f->swap, PP_MISC_USER };
	return true;
}

void
field_chain_fetch(struct field_fetch *f, enum field_part part, struct field_value *v)
{
	const unsigned mode = part == PART_CHAIN_USER ? PP_MISC_USER : PP_MISC_KERNEL;
	struct field_chain c;
	uint64_t ip, n = 0;

	if (!field_chain_begin(f, &c))
		return;
	while (part != PART_CHAIN_DSO && field_chain_next(&c, &ip))
		n += c.mode == mode;
	v->num = big_plain(n);
	v->str = "";				/* PART_CHAIN_DSO: it is only asked whether there is a call chain */
	v->known = true;
}

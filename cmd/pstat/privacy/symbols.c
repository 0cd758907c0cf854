/* SPDX-License-Identifier: ISC */
/* symbols.c - with --symbols: the functions of all frames, which the build-ids of the recording lead to */
#include <stdlib.h>

#include "in.h"
#include "stacks/stacks.h"

enum { SYMBOLS_NODES = 1 << 16 };	/* the tree is not looked at */

void
privacy_symbols_begin(struct privacy *p, struct pass *pass)
{
	struct naming *naming = pass_naming(pass);

	if (!naming || !p->value)
		return;
	p->stacks = tool_alloc(1, sizeof *p->stacks);
	p->stacks->mode = -1;
	p->stacks->by = STACKS_NONE;
	p->stacks->max = SYMBOLS_NODES;
	stacks_begin(p->stacks, pass->t, pass->c, naming);
}

bool
privacy_symbols_end(struct privacy *p)
{
	const struct stacks *s = p->stacks;

	if (!s)
		return true;
	stacks_end(p->stacks);
	for (uint32_t i = 1; i <= frames_n(s->frames); i++) {
		const struct frame *f = frames_get(s->frames, i);

		if (f->kind < FRAME_NAMELESS)
			privacy_found(p, ROW_SYMBOLS, f->text, f->len);
	}
	return stacks_whole(s);
}

void
privacy_symbols_free(struct privacy *p)
{
	if (p->stacks)
		stacks_free(p->stacks);
	free(p->stacks);
}

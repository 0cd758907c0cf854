/* SPDX-License-Identifier: ISC */
#include "part.h"
#include "report/forms.h"

const struct part_kind *const part_kinds[PARTS] = {
#define PART(name) [PART_##name] = &part_##name,
#include "parts.def"
#undef PART
};

int
pass_tell(FILE *f, const struct report *r)
{
	for (unsigned i = 0; i < PARTS; i++)
		if (r->pass->part[i] && part_kinds[i]->screen)
			part_kinds[i]->screen(f, r->pass->part[i]);
	return 1;
}

bool
pass_is_plain(const struct pass *p)
{
	bool plain = p->form == screen && !p->t->piece.n;

	for (unsigned i = 0; i < PART_glance_check; i++)
		plain &= part_kinds[i]->always || !p->part[i];
	return plain;
}

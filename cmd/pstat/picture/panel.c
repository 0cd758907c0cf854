/* SPDX-License-Identifier: ISC */
/* panel.c - see panel.h */
#include <stdlib.h>

#include "picture/panel.h"

const struct strip_kind panel_strips[STRIPS] = {
#define STRIP(NAME, name, noun, bars, help) [STRIP_##NAME] = { #name, noun, bars },
	PANEL_STRIPS(STRIP)
#undef STRIP
};

size_t
panel_inner(const char *name)
{
	size_t inner = 0, n = strlen(name);
	unsigned depth = 0;

	for (size_t i = 0; i + 2 < n; i++)
		if (strchr("<({[", name[i]))
			depth++;
		else if (depth && strchr(">)}]", name[i]))
			depth--;
		else if (!depth && name[i] == ':' && name[i + 1] == ':')
			inner = i + 2;
	return inner;
}

void
panel_top(struct panel *p)
{
	p->top = 0;
	for (unsigned i = 0; i < p->axis->n; i++) {
		uint64_t sum = 0;

		for (unsigned b = 0; b < p->nbands; b++) {
			uint32_t n = p->band[b].count ? p->band[b].count[i] : 0;

			sum = p->kind == PANEL_STACK ? sum + n : n;
			if (sum > p->top)
				p->top = sum;
		}
	}
}

void
panels_free(struct panels *all)
{
	for (unsigned i = 0; i < all->n; i++) {
		struct panel *to = &all->panel[i];

		for (unsigned k = 0; k < to->nbands; k++) {
			free(to->band[k].label);
			free(to->band[k].option);
			free(to->band[k].count);
		}
		if (to->axis && to->axis != &all->axis) {
			free(to->axis->start);
			free((void *)(uintptr_t)to->axis);
		}
		free(to->band);
		free(to->name);
		free(to->title);
		free(to->subtitle);
		free(to->desc);
		for (unsigned k = 0; k < STRIPS; k++)
			free(to->strip[k]);
		free(to->place);
		free(to->round);
		free(to->bucket);
		for (uint32_t k = 0; k < to->ntexts; k++)
			free(to->text[k]);
		for (unsigned k = 0; k < to->nnotes; k++)
			free(to->note[k]);
		free(to->text);
		free(to->box);
		free(to->moment);
		free(to->change);
		free(to->gone);
	}
	free(all->panel);
	free(all->axis.start);
	*all = (struct panels){ .n = 0 };
}

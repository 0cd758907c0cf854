/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "payload_layout.h"
#include "record/payload_role.h"
#include "set.h"
#include "source/formats.h"
#include "tool/tool.h"

enum { TYPE_TRACEPOINT = 2 };

struct payload_layouts {
	struct payload_layout *layout;	/* by index of the event; format NULL: not known yet */
	size_t		 n;
};

const struct payload_layout *
payload_layout(struct payload_layouts **all, const struct pp_source *in, const struct pp_event *ev)
{
	const struct pp_tracing *tracing = ev->attr.type == TYPE_TRACEPOINT ? pp_formats(in) : NULL;
	struct payload_layouts *p = *all;
	const struct pp_format *f;
	struct payload_layout *l;

	if (p && ev->index < p->n && p->layout[ev->index].format)
		return &p->layout[ev->index];
	if (!tracing || !(f = pp_tracing_format(tracing, ev->attr.config)) || pp_payload_overlaps(f))
		return NULL;
	if (!p)
		p = *all = tool_alloc(1, sizeof *p);
	p->layout = tool_need(array_reach(p->layout, &p->n, ev->index, sizeof *p->layout));
	l = &p->layout[ev->index];
	l->role = tool_alloc(f->n + (size_t)1, 1);
	for (unsigned i = 0; i < f->n; i++)
		l->role[i] = (uint8_t)pp_payload_role(f, &f->field[i]);
	l->format = f;
	return l;
}

void
payload_layouts_free(struct payload_layouts *p)
{
	for (size_t i = 0; p && i < p->n; i++)
		free(p->layout[i].role);
	if (p)
		free(p->layout);
	free(p);
}

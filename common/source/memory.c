/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "record/event.h"
#include "source.h"

struct pp_source *
pp_open_memory(const uint8_t *p, size_t n, bool swap, const char *name, struct pp_err *err)
{
	struct source *s = calloc(1, sizeof *s);

	*err = (struct pp_err){ .file = name };
	if (!s) {
		pp_fail(err, "out of memory");
		return NULL;
	}
	s->err = err;
	s->fd = -1;
	s->container = "memory";
	s->cap = PP_READ_SIZE + PP_RECORD_MAX + 1;
	s->buf = s->own = malloc(s->cap);
	s->pub.pos = s->pub.lim = s->oend = s->buf;
	s->pub.swap = swap;
	s->pub.events = pp_events_new(swap);
	s->seg[0] = (struct segment){ .mem = p, .len = n };
	s->nseg = 1;
	if (s->buf && s->pub.events)
		return &s->pub;
	pp_fail(err, "out of memory");
	pp_close(&s->pub);
	return NULL;
}

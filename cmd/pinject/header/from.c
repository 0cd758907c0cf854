/* SPDX-License-Identifier: ISC */
/*
 * from.c - --features-from: what another recording says of the machine.
 *
 * What it says of itself is not taken: its events, times, command, programs and compression, build-ids (other files may have been
 * mapped) and formats of tracepoints (pcat --formats-from takes those, and looks whether they fit).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "header.h"
#include "record/feature.h"

static _Noreturn void
from_fail(struct header *h, struct tool *t)
{
	tool_say(t, &h->from_err);
	tool_abandon(t);
	exit(1);
}

static void
from_fault(void *arg, const struct pp_err *err)
{
	tool_say(arg, err);
}

void
from_open(struct header *h, struct tool *t)
{
	if (!strcmp(h->from_name, "-"))
		tool_wrong(t, "--features-from -: expected a file");
	if (!(h->from = pp_open(h->from_name, PP_OPEN_LATER | t->open_flags, &h->from_err)))
		from_fail(h, t);
}

/* The features are in front of all records of the kernel, and end with a mark if it is a stream. */
void
from_begin(struct header *h, struct tool *t)
{
	struct pp_feature f;
	struct pp_rec r;
	unsigned n = 0;
	uint64_t lost;
	int rc;

	if (pp_begin(h->from) < 0)
		from_fail(h, t);
	pp_on_fault(h->from, from_fault, t);
	if (h->from->swap != t->in->swap) {
		pp_fail(&h->from_err, "has the other byte order, so it is not from the machine of the recording");
		from_fail(h, t);
	}
	while ((rc = pp_next(h->from, &r)) > 0 && r.type >= PP_USER_TYPE_START && !pp_feature_is_end(&r))
		if (r.type == PP_HEADER_FEATURE && pp_feature_of(&f, &r, h->from->swap, 0, &h->from_err) > 0 &&
		    pp_feature_of_machine(f.number)) {
			edit_add(h->edit, f.number, f.p, f.len);
			n++;
		}
	if (rc < 0)
		from_fail(h, t);
	if (!n)
		tool_warn(t, "--features-from %s: it has no features that say something of its machine", h->from_name);
	t->failed |= pp_faults(h->from, &lost) > 0;
	pp_close(h->from);
	h->from = NULL;
}

/* SPDX-License-Identifier: ISC */
/* source_fault.c - faults that a source goes on behind, and whom it tells of them */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "source.h"

enum { EARLY_MAX = 32 };

void
fault_tell(struct source *s, const struct pp_err *e)
{
	struct faults *f = &s->faults;

	f->n++;
	if (f->fn)
		f->fn(f->arg, e);
	else if (f->nearly < EARLY_MAX && (f->early || (f->early = calloc(EARLY_MAX, sizeof *f->early))))
		f->early[f->nearly++] = *e;
}

void
fault_note(struct source *s, uint64_t off, const char *fmt, ...)
{
	struct pp_err e = { .file = s->err->file, .off = off, .at = true };
	int n = snprintf(e.what, sizeof e.what, "%s", s->part);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e.what + n, sizeof e.what - (size_t)n, fmt, ap);
	va_end(ap);
	fault_tell(s, &e);
}

void
pp_on_fault(struct pp_source *pub, void (*fn)(void *, const struct pp_err *), void *arg)
{
	struct faults *f = &((struct source *)pub)->faults;

	f->fn = fn;
	f->arg = arg;
	for (unsigned i = 0; i < f->nearly; i++)
		fn(arg, &f->early[i]);
	f->nearly = 0;
}

uint64_t
pp_faults(const struct pp_source *pub, uint64_t *lost)
{
	const struct faults *f = &((const struct source *)pub)->faults;

	*lost = f->lost;
	return f->n;
}

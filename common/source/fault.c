/* SPDX-License-Identifier: ISC */
/* fault.c - counts and reports faults after which a source continues */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"

enum { EARLY_MAX = 32, REPORTS_MAX = 100 };

static void
fault_give(struct faults *f, const struct pp_err *e)
{
	if (f->reported == REPORTS_MAX)
		return;
	if (f->fn)
		f->fn(f->arg, e);
	else if (f->nearly < EARLY_MAX && (f->early || (f->early = calloc(EARLY_MAX, sizeof *f->early))))
		f->early[f->nearly++] = *e;
	else
		return;
	f->reported++;
}

/* Records continue at that time; 0: unknown, UINT64_MAX: there are none. */
static void
fault_end_gap(struct faults *f, uint64_t time)
{
	enum { S = 1000000000 };
	uint64_t from = f->newest, ns = time - from;
	size_t n = strlen(f->gap.what);

	if (!n)
		return;
	if (time == UINT64_MAX)
		snprintf(f->gap.what + n, sizeof f->gap.what - n, ": everything after %ju.%09ju", (uintmax_t)(from / S),
		    (uintmax_t)(from % S));
	else if (time > from)
		snprintf(f->gap.what + n, sizeof f->gap.what - n, ": %ju.%09ju to %ju.%09ju, %ju.%09ju s",
		    (uintmax_t)(from / S), (uintmax_t)(from % S), (uintmax_t)(time / S), (uintmax_t)(time % S),
		    (uintmax_t)(ns / S), (uintmax_t)(ns % S));
	fault_give(f, &f->gap);
	f->gap.what[0] = 0;
}

/* Count a fault after which the source continues, and report it; the first hundred only. */
static void
fault_report(struct source *s, const struct pp_err *e)
{
	fault_end_gap(&s->faults, 0);
	s->faults.n++;
	fault_give(&s->faults, e);
}

void
fault_lost(struct source *s, uint64_t bytes)
{
	s->faults.lost += bytes;
}

void
fault_gap(struct source *s, const struct pp_err *e)
{
	struct faults *f = &s->faults;

	if (!f->newest) {
		fault_report(s, e);
		return;
	}
	fault_end_gap(f, 0);
	f->n++;
	f->gap = *e;
}

void
fault_seen(struct source *s, const struct pp_rec *r)
{
	const struct pp_event *ev;
	struct pp_err e = { 0 };
	uint64_t time;

	if (!s->pub.events->n || !(ev = pp_event_find(s->pub.events, r, &e)) || pp_time(ev, r, s->pub.swap, &time) <= 0)
		return;
	repair_seen(s, time);
	fault_end_gap(&s->faults, time);
	if (time > s->faults.newest)
		s->faults.newest = time;
}

void
fault_end(struct source *s)
{
	struct faults *f = &s->faults;
	struct pp_err e = { .file = s->err->file };

	fault_end_gap(f, UINT64_MAX);
	if (f->n == f->reported || !f->fn)
		return;
	snprintf(e.what, sizeof e.what, "%ju more faults like these; %ju bytes left out in all",
	    (uintmax_t)(f->n - f->reported), (uintmax_t)f->lost);
	f->fn(f->arg, &e);
	f->reported = f->n;
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
	fault_report(s, &e);
}

int
fault_feature(struct source *s, uint64_t number, const uint8_t *p, size_t len, uint64_t off)
{
	struct pp_feature f = { .number = number, .p = p, .len = len, .swap = s->pub.swap };
	struct pp_err e = { .what = "" };

	if (pp_feature_check(&f, &s->faults.about, &e) > 0)
		return 1;
	fault_lost(s, len);
	fault_note(s, off, "%s; left out", e.what);
	return 0;
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

/* SPDX-License-Identifier: ISC */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "times.h"
#include "set.h"

enum { NS = 1000000000 };

static _Noreturn void
times_unclear(const struct tool *t, const char *text)
{
	tool_wrong(t, "%s '%s': expected start,stop (seconds of the recording's clock, +1.5s from the first sample, "
	    "@2026-01-31T12:00:00Z; either may be empty), or pieces such as 10%%/2 or 0%%-10%%,30%%-40%%", t->optname, text);
}

/* ---- the wall clock ------------------------------------------------------------------------------ */

/* Parse exactly n digits. */
static bool
times_digits(const char **p, int n, int *value)
{
	*value = 0;
	for (; n; n--, (*p)++) {
		if (!isdigit((unsigned char)**p))
			return false;
		*value = *value * 10 + (**p - '0');
	}
	return true;
}

static bool
times_sign(const char **p, char c)
{
	bool there = **p == c;

	*p += there;
	return there;
}

/* Parse "Z", "+02:00", "-0530": seconds east of UTC; false: none of these. */
static bool
times_zone(const char **p, int *east)
{
	int h, m = 0, minus = **p == '-';

	*east = 0;
	if (times_sign(p, 'Z'))
		return true;
	if (**p != '+' && **p != '-')
		return false;
	(*p)++;
	if (!times_digits(p, 2, &h) || ((times_sign(p, ':') || **p) && !times_digits(p, 2, &m)) || h > 14 || m > 59)
		return false;
	*east = (h * 3600 + m * 60) * (minus ? -1 : 1);
	return true;
}

/* Parse "2026-11-21T10:00:00.5+01:00" or less of it from the right; without a zone it is local time. */
static bool
times_iso(const char *p, uint64_t *ns)
{
	struct tm tm = { .tm_isdst = -1 }, same;
	uint64_t part = 0, unit = NS;
	int east = 0;
	bool local;
	time_t at;

	if (!times_digits(&p, 4, &tm.tm_year) || !times_sign(&p, '-') || !times_digits(&p, 2, &tm.tm_mon) ||
	    !times_sign(&p, '-') ||
	    !times_digits(&p, 2, &tm.tm_mday))
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	if (times_sign(&p, 'T')) {
		if (!times_digits(&p, 2, &tm.tm_hour) || !times_sign(&p, ':') || !times_digits(&p, 2, &tm.tm_min) ||
		    (times_sign(&p, ':') && !times_digits(&p, 2, &tm.tm_sec)))
			return false;
		if (times_sign(&p, '.'))
			for (; isdigit((unsigned char)*p); p++)
				part += (unit /= 10) * (uint64_t)(*p - '0');
	}
	local = !*p;
	if ((!local && !times_zone(&p, &east)) || *p)
		return false;
	same = tm;
	at = local ? mktime(&same) : timegm(&same);
	/* mktime() normalises a 31st of June to July: reject it. */
	if (at < 0 || same.tm_mday != tm.tm_mday || same.tm_mon != tm.tm_mon || same.tm_min != tm.tm_min ||
	    same.tm_sec != tm.tm_sec || (at -= east) < 0 || (uint64_t)at > UINT64_MAX / NS - 1)
		return false;
	*ns = (uint64_t)at * NS + part;
	return true;
}

/* ---- options ------------------------------------------------------------------------------------- */

static void
times_put(struct times *s, struct time_end start, struct time_end stop)
{
	s->r = tool_need(array_more(s->r, s->n, 1, sizeof *s->r));
	s->r[s->n++] = (struct time_range){ start, stop, false };
}

static struct time_end
times_end_of(const struct tool *t, struct times *s, const char *word, const char *text, uint64_t empty)
{
	struct time_end e = { .ns = empty };

	if (!*word)
		return e;
	if (*word == '+') {
		e.from = FROM_FIRST;
		e.ns = tool_duration(t, word + 1);
		s->needs_first = true;
	} else if (*word == '@') {
		e.from = FROM_EPOCH;
		s->needs_wall = true;
		if (!times_iso(word + 1, &e.ns))
			tool_wrong(t, "%s '%s': expected a date such as @2026-01-31T12:00:00Z", t->optname, text);
	} else if (isdigit((unsigned char)*word) || *word == '.') {
		const char *unit = word + strspn(word, "0123456789.");

		if (*unit && !unit[strspn(unit, "dhmnsu")])
			tool_wrong(t, "%s '%s': a time of the recording's clock is seconds without a unit; +%s is that long after the first sample",
			    t->optname, text, word);
		e.ns = tool_seconds(t, word);
	} else
		times_unclear(t, text);
	return e;
}

/* Parse "12.5%"; returns its end. */
static const char *
times_percent(const struct tool *t, const char *p, const char *text, double *share)
{
	char *end;

	if (!isdigit((unsigned char)*p) && *p != '.')
		times_unclear(t, text);
	*share = strtod(p, &end) / 100;		/* computed as perf does, so that pieces end at the same nanosecond */
	if (*end != '%')
		times_unclear(t, text);
	return end + 1;
}

/* "10%/2", "0%-10%" or "10%" */
static void
times_piece(const struct tool *t, struct times *s, const char *word, const char *text)
{
	struct time_end start = { FROM_SHARE, 0, 0 }, stop = start;
	double share;
	const char *p = times_percent(t, word, text, &share);

	if (*p == '-') {
		start.share = share;
		p = times_percent(t, p + 1, text, &stop.share);
	} else {
		double k = 1;
		char *end = NULL;

		if (*p == '/') {
			k = (double)strtoul(p + 1, &end, 10);
			if (!isdigit((unsigned char)p[1]) || k < 1)
				times_unclear(t, text);
			p = end;
		}
		start.share = share * (k - 1);
		stop.share = share * k;
	}
	if (*p)
		times_unclear(t, text);
	if (start.share > stop.share)
		tool_wrong(t, "%s '%s': the start is after the stop", t->optname, text);
	if (stop.share > 1 + 1e-9)
		tool_wrong(t, "%s '%s': more than 100%%", t->optname, text);
	s->needs_first = s->needs_last = true;
	times_put(s, start, stop);
}

static void
times_one_range(const struct tool *t, struct times *s, char *word, const char *text)
{
	char *comma = strchr(word, ',');
	struct time_end start, stop;

	if (strchr(word, '%')) {
		for (char *p; (p = strsep(&word, ","));)
			times_piece(t, s, p, text);
		return;
	}
	if (!comma)
		times_unclear(t, text);
	*comma++ = 0;
	start = times_end_of(t, s, word, text, 0);
	stop = times_end_of(t, s, comma, text, UINT64_MAX);
	if (start.from == stop.from && start.ns > stop.ns)
		tool_wrong(t, "%s '%s': the start is after the stop", t->optname, text);
	times_put(s, start, stop);
}

void
times_add(struct tool *t, void *times)
{
	struct times *s = times;
	const char *text = t->optarg;
	char *copy = tool_alloc(strlen(text) + 1, 1), *rest = copy;
	size_t before = s->n;

	strcpy(copy, text);
	for (char *word; (word = strsep(&rest, " \t"));)
		if (*word)
			times_one_range(t, s, word, text);
	free(copy);
	if (s->n == before)
		times_unclear(t, text);
	for (; before < s->n; before++)
		s->r[before].out = t->optvalue;
}

/* ---- conversion to FROM_ZERO -------------------------------------------------------------------- */

static int
times_by_start(const void *a, const void *b)
{
	const struct time_range *x = a, *y = b;

	return (x->start.ns > y->start.ns) - (x->start.ns < y->start.ns);
}

bool
times_feature(const struct pp_feature *f, uint64_t *first, uint64_t *last)
{
	struct pp_err ignored = { .what = "" };
	uint64_t a, b;

	if (f->number != PP_FEAT_SAMPLE_TIME || pp_feature_num(f, "first", &a, &ignored) <= 0 ||
	    pp_feature_num(f, "last", &b, &ignored) <= 0 || !a || a > b)
		return false;
	*first = a;
	*last = b;
	return true;
}

/* Excluded ranges after the others. */
static int
times_by_out(const void *a, const void *b)
{
	const struct time_range *x = a, *y = b;

	return x->out != y->out ? x->out - y->out : times_by_start(a, b);
}

/* Join overlapping ranges of n ascending ones; returns their number. */
static size_t
times_join(struct time_range *r, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (k && r[i].start.ns <= r[k - 1].stop.ns) {
			if (r[i].stop.ns > r[k - 1].stop.ns)
				r[k - 1].stop = r[i].stop;
		} else
			r[k++] = r[i];
	return k;
}

/* Remove the times of nout ranges from n ranges; both are ascending and do not overlap. */
static void
times_cut_out(struct times *s, const struct time_range *in, size_t n, const struct time_range *out, size_t nout)
{
	struct time_range *to = NULL;
	size_t k = 0, o = 0;

	for (size_t i = 0; i < n; i++) {
		struct time_range r = in[i];

		while (o < nout && out[o].stop.ns < r.start.ns)
			o++;
		for (size_t p = o; p < nout && r.start.ns <= r.stop.ns && out[p].start.ns <= r.stop.ns; p++) {
			if (out[p].start.ns > r.start.ns) {
				to = tool_need(array_more(to, k, 1, sizeof *to));
				to[k] = r;
				to[k++].stop.ns = out[p].start.ns - 1;
			}
			if (out[p].stop.ns >= r.stop.ns) {
				r.start.ns = 1;		/* empty */
				r.stop.ns = 0;
			} else
				r.start.ns = out[p].stop.ns + 1;
		}
		if (r.start.ns > r.stop.ns)
			continue;
		to = tool_need(array_more(to, k, 1, sizeof *to));
		to[k++] = r;
	}
	free(s->r);
	s->r = to;
	s->n = k;
}

/* If nothing is missing: sort the ranges, join overlapping ones, remove excluded times. */
void
times_settle(struct times *s, const struct tool *t)
{
	static const struct time_range all = { .stop.ns = UINT64_MAX };
	size_t nin = 0, n, nout;

	if (!s->n || s->ready || s->needs_first || s->needs_last || s->needs_wall)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (s->r[i].start.ns > s->r[i].stop.ns)
			tool_wrong(t, "--%stime: a range starts at %ju ns but stops at %ju ns", s->r[i].out ? "exclude-" : "",
			    (uintmax_t)s->r[i].start.ns, (uintmax_t)s->r[i].stop.ns);
	qsort(s->r, s->n, sizeof *s->r, times_by_out);
	while (nin < s->n && !s->r[nin].out)
		nin++;
	n = times_join(s->r, nin);
	nout = times_join(s->r + nin, s->n - nin);
	if (nout)
		times_cut_out(s, nin ? s->r : &all, nin ? n : 1, s->r + nin, nout);
	else
		s->n = n;
	if (!s->n)
		tool_wrong(t, "--time and --exclude-time: nothing remains selected");
	s->ready = true;
}

static uint64_t
times_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void
times_from_first(struct time_end *e, uint64_t first, uint64_t span)
{
	if (e->from == FROM_FIRST)
		e->ns = times_sum(first, e->ns);
	else if (e->from == FROM_SHARE)
		e->ns = times_sum(first, (uint64_t)(e->share * (double)span + 0.5));
	else
		return;
	e->from = FROM_ZERO;
}

void
times_ends(struct times *s, const struct tool *t, uint64_t first, uint64_t last)
{
	for (struct time_range *r = s->r; r < s->r + s->n; r++) {
		bool piece = r->stop.from == FROM_SHARE;

		times_from_first(&r->start, first, last - first);
		times_from_first(&r->stop, first, last - first);
		/* A piece ends before the next begins, but for the last. */
		if (piece && r->stop.ns > r->start.ns && r->stop.ns != last)
			r->stop.ns--;
	}
	s->needs_first = s->needs_last = false;
	times_settle(s, t);
}

static void
times_from_epoch(struct time_end *e, uint64_t wall, uint64_t clock)
{
	if (e->from != FROM_EPOCH)
		return;
	e->from = FROM_ZERO;
	e->ns = e->ns >= wall ? times_sum(clock, e->ns - wall) : wall - e->ns > clock ? 0 : clock - (wall - e->ns);
}

void
times_wall(struct times *s, const struct tool *t, uint64_t wall, uint64_t clock)
{
	for (struct time_range *r = s->r; r < s->r + s->n; r++) {
		times_from_epoch(&r->start, wall, clock);
		times_from_epoch(&r->stop, wall, clock);
	}
	s->needs_wall = false;
	times_settle(s, t);
}

void
times_check(const struct times *s, const struct tool *t)
{
	if (s->needs_last)
		tool_wrong(t, "--time: percentages need the first and last time, and the stream has no SAMPLE_TIME: write "
		    "it to a file first (pcat -o FILE)");
	if (s->needs_wall)
		tool_wrong(t, "--time: the recording has no wall clock (CLOCK_DATA): use perf record -k mono");
}

bool
times_search(const struct times *s, uint64_t time)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (time < s->r[mid].start.ns)
			hi = mid;
		else if (time > s->r[mid].stop.ns)
			lo = mid + 1;
		else
			return true;
	}
	return false;
}

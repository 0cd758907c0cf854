/* SPDX-License-Identifier: ISC */
/* arg.c - what option arguments say: numbers, sizes, times, lists */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <libutil.h>

#include "tool.h"

uint64_t
tool_number(const struct tool *t, const char *text, uint64_t min, uint64_t max)
{
	const char *cause;
	long long n = strtonum(text, (long long)min, max > INT64_MAX ? INT64_MAX : (long long)max, &cause);

	if (cause)
		tool_wrong(t, "%s '%s': %s; expected a number from %ju to %ju", t->optname, text, cause, (uintmax_t)min,
		    (uintmax_t)max);
	return (uint64_t)n;
}

uint64_t
tool_size(const struct tool *t, const char *text)
{
	uint64_t n;

	/* expand_number() by itself takes "1KK", and leaves what is too large to errno. */
	errno = 0;
	if (*text < '0' || *text > '9' || strlen(text + strspn(text, "0123456789")) > 1 ||
	    expand_number(text, &n) < 0 || errno)
		tool_wrong(t, "%s '%s': expected a size such as 64K, 10M or 1G", t->optname, text);
	return n;
}

/* Digits with up to nine behind a point, in units of 1e-9; where they end.  NULL: none, or too large. */
static const char *
decimal(const char *p, uint64_t *n)
{
	uint64_t whole = 0, part = 0, unit = 1000000000;
	const char *from = p;

	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*p - '0'), &whole))
			return NULL;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++) {
			unit /= 10;
			part += unit * (uint64_t)(*p - '0');
		}
	if (p == from || (p == from + 1 && *from == '.') || __builtin_mul_overflow(whole, UINT64_C(1000000000), n) ||
	    __builtin_add_overflow(*n, part, n))
		return NULL;
	return p;
}

uint64_t
tool_seconds(const struct tool *t, const char *text)
{
	uint64_t ns;
	const char *end = decimal(text, &ns);

	if (!end || *end)
		tool_wrong(t, "%s '%s': expected seconds of the trace's clock such as 1234.567890123", t->optname, text);
	return ns;
}

uint64_t
tool_duration(const struct tool *t, const char *text)
{
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { "", 1000000000 },
		{ "m", UINT64_C(60000000000) }, { "h", UINT64_C(3600000000000) }, { "d", UINT64_C(86400000000000) },
	};
	uint64_t nano;
	const char *unit = decimal(text, &nano);

	for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++)
		if (!strcmp(unit, units[i].name)) {
			__extension__ unsigned __int128 ns =
			    (__extension__ (unsigned __int128)nano) * units[i].ns / 1000000000;

			if (ns <= UINT64_MAX)
				return (uint64_t)ns;
		}
	tool_wrong(t, "%s '%s': expected a duration such as 10ms, 1.5s or 5m", t->optname, text);
}

/* ---- lists --------------------------------------------------------------------------------------- */

void
tool_words(const struct tool *t, const char *text, void (*fn)(void *, const char *), void *arg)
{
	char *copy = strdup(text), *from = copy;
	int depth = 0;
	bool slash = false;

	if (!copy)
		copy = from = tool_alloc(1, 1);
	for (char *p = copy;; p++) {
		bool end = !*p;

		if (*p == '{')
			depth++;
		else if (*p == '}' && depth)
			depth--;
		else if (*p == '/')
			slash = !slash;
		else if (end || (*p == ',' && !depth && !slash)) {
			*p = 0;
			if (!*from)
				tool_wrong(t, "%s '%s': an empty word", t->optname, text);
			fn(arg, from);
			from = p + 1;
		}
		if (end)
			break;
	}
	free(copy);
}

static int
by_lo(const void *a, const void *b)
{
	const struct tool_range *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Sort, and join ranges that touch. */
static void
tidy(struct tool_list *l)
{
	size_t n = 0;

	qsort(l->r, l->n, sizeof *l->r, by_lo);
	for (size_t i = 0; i < l->n; i++)
		if (n && (l->r[n - 1].hi == INT64_MAX || l->r[i].lo <= l->r[n - 1].hi + 1)) {
			if (l->r[i].hi > l->r[n - 1].hi)
				l->r[n - 1].hi = l->r[i].hi;
		} else
			l->r[n++] = l->r[i];
	l->n = n;
}

/* "7", "-1", "10-20" */
static bool
range(const char *word, size_t n, struct tool_range *r)
{
	char buf[64], *end;

	if (!n || n >= sizeof buf)
		return false;
	memcpy(buf, word, n);
	buf[n] = 0;
	errno = 0;
	r->lo = r->hi = strtoimax(buf, &end, 10);
	if (end == buf || errno)
		return false;
	if (*end == '-') {
		const char *from = end + 1;

		r->hi = strtoimax(from, &end, 10);
		if (end == from || errno)
			return false;
	}
	return !*end && r->lo <= r->hi;
}

static void
add_ranges(const struct tool *t, struct tool_list *l, const char *text, const char *what)
{
	size_t cap = l->n;

	for (const char *p = text; *p;) {
		size_t n = strcspn(p, *what ? ", \t\n" : ",");

		if (l->n == cap)
			l->r = tool_realloc(l->r, cap = cap ? 2 * cap : 16, sizeof *l->r);
		if (!range(p, n, &l->r[l->n]))
			tool_wrong(t, "%s '%.*s'%s%s: expected numbers or ranges such as 1,2,10-20", t->optname,
			    n > 40 ? 40 : (int)n, p, *what ? " in " : "", what);
		l->n++;
		p += n;
		if (*what)
			p += strspn(p, ", \t\n");
		else if (*p && !*++p)
			p--;		/* a comma at the end: the empty word is refused */
	}
}

void
tool_list(const struct tool *t, struct tool_list *l, const char *text)
{
	static const char scheme[] = "file://";
	const char *name = text + sizeof scheme - 1;
	char *all = NULL;
	size_t cap = 0;
	FILE *f;

	if (strncmp(text, scheme, sizeof scheme - 1))
		add_ranges(t, l, text, "");
	else {
		if (!(f = fopen(name, "re")))
			tool_wrong(t, "%s: %s: %s", t->optname, name, strerror(errno));
		if (getdelim(&all, &cap, 0, f) > 0)
			add_ranges(t, l, all, name);
		if (ferror(f))
			tool_wrong(t, "%s: %s: %s", t->optname, name, strerror(errno));
		fclose(f);
		free(all);
	}
	if (!l->n)
		tool_wrong(t, "%s '%s': names no number", t->optname, text);
	tidy(l);
}

bool
tool_list_search(const struct tool_list *l, int64_t n)
{
	size_t lo = 0, hi = l->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (n < l->r[mid].lo)
			hi = mid;
		else if (n > l->r[mid].hi)
			lo = mid + 1;
		else
			return true;
	}
	return false;
}

void
tool_list_free(struct tool_list *l)
{
	free(l->r);
	*l = (struct tool_list){ NULL, 0 };
}

/* SPDX-License-Identifier: ISC */
/* arg.c - parses numbers, sizes and times in option arguments; lists are in list.c */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <libutil.h>

#include "tool.h"
#include "record/wide.h"

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
	const char *unit = text + strspn(text, "0123456789");
	uint64_t n;

	if (*unit == 'm')		/* only in durations */
		tool_wrong(t, "%s '%s': m is minutes; expected a size such as 64K, 10M or 1G", t->optname, text);
	/* expand_number() accepts "1KK", and reports overflow by errno */
	errno = 0;
	if (*text < '0' || *text > '9' || strlen(unit) > 1 ||
	    expand_number(text, &n) < 0 || errno)
		tool_wrong(t, "%s '%s': expected a size such as 64K, 10M or 1G", t->optname, text);
	return n;
}

/* Parse digits with up to nine behind a point; *part is in units of 1e-9.  Returns the end of the number; NULL: none, or too large. */
static const char *
decimal(const char *p, uint64_t *whole, uint64_t *part)
{
	uint64_t unit = 1000000000;
	const char *from = p;

	*whole = *part = 0;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(*whole, 10, whole) ||
		    __builtin_add_overflow(*whole, (uint64_t)(*p - '0'), whole))
			return NULL;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++) {
			unit /= 10;
			*part += unit * (uint64_t)(*p - '0');
		}
	return p == from || (p == from + 1 && *from == '.') ? NULL : p;
}

uint64_t
tool_seconds(const struct tool *t, const char *text)
{
	uint64_t whole, part, ns;
	const char *end = decimal(text, &whole, &part);

	if (!end || *end || __builtin_mul_overflow(whole, UINT64_C(1000000000), &ns) || __builtin_add_overflow(ns, part, &ns))
		tool_wrong(t, "%s '%s': expected seconds of the recording's clock such as 1234.567890123", t->optname, text);
	return ns;
}

uint64_t
tool_duration(const struct tool *t, const char *text)
{
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { "", 1000000000 },
		{ "m", UINT64_C(60000000000) }, { "h", UINT64_C(3600000000000) }, { "d", UINT64_C(86400000000000) },
	};
	uint64_t whole, part, ns, rest;
	const char *unit = decimal(text, &whole, &part);

	for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++)
		if (!strcmp(unit, units[i].name) && !__builtin_mul_overflow(whole, units[i].ns, &ns) &&
		    !__builtin_add_overflow(ns, wide_div(wide_mul(part, units[i].ns), 1000000000, &rest), &ns))
			return ns;
	tool_wrong(t, "%s '%s': expected a duration such as 10ms, 1.5s or 5m", t->optname, text);
}

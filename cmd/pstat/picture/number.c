/* SPDX-License-Identifier: ISC */
/* number.c - see number.h */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "picture/number.h"
#include "picture/scene.h"

enum { NS = 1000000000 };

const struct number_unit *
number_unit(uint64_t ns, unsigned first)
{
	static const struct number_unit units[UNITS] = {
		{ UINT64_C(31536000) * NS, "y", "y", 0 }, { UINT64_C(86400) * NS, "d", "d", 0 }, { UINT64_C(3600) * NS, "h", "h", 0 },
		{ UINT64_C(60) * NS, "min", "min", 0 }, { NS, "s", "s", 9 }, { 1000000, "ms", "ms", 6 }, { 1000, "µs", "us", 3 }, { 1, "ns", "ns", 0 },
	};

	while (first < UNITS - 1 && ns < units[first].ns)
		first++;
	return &units[first];
}

char *
number_trim(char *text)
{
	char *end = text + strlen(text);

	while (end[-1] == '0')
		end--;
	end[end[-1] == '.' ? -1 : 0] = '\0';
	return text;
}

/* ---- SVG ------------------------------------------------------------------------------------------- */

char *
svg_digits(char *end, uint64_t n, unsigned least)
{
	for (unsigned i = 0; n || i < least; i++, n /= 10)
		*--end = (char)('0' + n % 10);
	return end;
}

const char *
svg_time(char to[SVG_TEXT], uint64_t ns)
{
	char text[SVG_TEXT], *end = text + sizeof text, *p = end;

	*--p = '\0';
	p = svg_digits(p, ns % NS, 9);
	*--p = '.';
	p = svg_digits(p, ns / NS, 1);
	memcpy(to, p, (size_t)(end - p));
	return to;
}

const char *
svg_seconds(char to[SVG_TEXT], uint64_t ns)
{
	svg_time(to, ns);
	return number_trim(to);
}

const char *
svg_duration(char to[SVG_TEXT], uint64_t ns)
{
	const struct number_unit *u = number_unit(ns, UNIT_YEAR);
	int n = snprintf(to, SVG_TEXT, "%" PRIu64 " %s", ns / u->ns, u->name);

	if (u->ns > 1 && ns % u->ns / u[1].ns)
		snprintf(to + n, SVG_TEXT - (size_t)n, " %" PRIu64 " %s", ns % u->ns / u[1].ns, u[1].name);
	return to;
}

/* The last of so many units, each a thousand times the one before it, of which n is one at least.  *one: how much it is. */
static unsigned
number_thousands(uint64_t n, unsigned nunits, uint64_t *one)
{
	unsigned unit = 0;

	for (*one = 1; unit + 1 < nunits && n / *one >= 1000; unit++)
		*one *= 1000;
	return unit;
}

const char *
svg_short(char to[SVG_TEXT], uint64_t n)
{
	static const char units[] = { ' ', 'k', 'M', 'G', 'T', 'P', 'E' };
	uint64_t one;
	unsigned unit = number_thousands(n, sizeof units, &one);

	if (n < 10000) {
		snprintf(to, SVG_TEXT, "%" PRIu64, n);
		return to;
	}
	if (n / one < 100 && n % one / (one / 10))
		snprintf(to, SVG_TEXT, "%" PRIu64 ".%" PRIu64 "%c", n / one, n % one / (one / 10), units[unit]);
	else
		snprintf(to, SVG_TEXT, "%" PRIu64 "%c", n / one, units[unit]);
	return to;
}

const char *
svg_exact(char to[SVG_TEXT], uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
	char *p = to;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*p++ = ',';
		*p++ = digits[i];
	}
	*p = '\0';
	return to;
}

/* Three digits or more, in one of these units, each a thousand times the one before it. */
static const char *
svg_unit(char to[SVG_TEXT], uint64_t n, const char *const *units, unsigned nunits)
{
	uint64_t one;
	unsigned unit = number_thousands(n, nunits, &one);

	if (unit && n / one < 10 && n % one / (one / 100) % 10)
		snprintf(to, SVG_TEXT, "%" PRIu64 ".%02" PRIu64 " %s", n / one, n % one / (one / 100), units[unit]);
	else if (unit && n / one < 100 && n % one / (one / 10))
		snprintf(to, SVG_TEXT, "%" PRIu64 ".%" PRIu64 " %s", n / one, n % one / (one / 10), units[unit]);
	else
		snprintf(to, SVG_TEXT, "%" PRIu64 " %s", n / one, units[unit]);
	return to;
}

const char *
svg_bytes(char to[SVG_TEXT], uint64_t n)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };

	return svg_unit(to, n, units, 7);
}

const char *
svg_ns(char to[SVG_TEXT], uint64_t n)
{
	static const char *const units[] = { "ns", "µs", "ms", "s" };

	return svg_unit(to, n, units, 4);
}

const char *
svg_percent(char to[SVG_TEXT], uint64_t part, uint64_t whole)
{
	uint64_t share = whole ? (scale_part(part, 2000, whole) + 1) / 2 : 0;

	if (part && !share)
		strcpy(to, "<0.1%");
	else
		snprintf(to, SVG_TEXT, "%" PRIu64 ".%" PRIu64 "%%", share / 10, share % 10);
	return to;
}

/* ---- terminal ------------------------------------------------------------------------------------- */

/* 3 digits, or all of an integer below 1000. */
static void
term_digits(term_figure text, double n, const char *space, const char *unit)
{
	snprintf(text, sizeof(term_figure), "%.*f%s%s", n >= 99.95 || n == (unsigned)n ? 0 : n >= 9.995 ? 1 : 2, n, space, unit);
}

char *
term_short(term_figure text, double n)
{
	static const char *const units[] = { "", "k", "M", "G", "T", "P", "E" };
	unsigned i = 0;

	if (n < 99999.5) {
		snprintf(text, sizeof(term_figure), "%.0f", n);
		return text;
	}
	for (; n >= 999.5 && i < 6; i++)
		n /= 1000;
	term_digits(text, n, "", units[i]);
	return text;
}

char *
term_value(term_figure text, uint64_t n, const char *unit)
{
	static const char *const sizes[] = { "B", "KiB", "MiB", "GiB" };
	const struct number_unit *u = number_unit(n, UNIT_DAY);
	unsigned i = 0;

	if (unit && !strcmp(unit, "ns"))
		term_digits(text, (double)n / (double)u->ns, " ", u->ascii);
	else if (unit && !strcmp(unit, "bytes")) {
		while (i < 3 && n >> 10 * (i + 1))
			i++;
		term_digits(text, (double)n / (double)(UINT64_C(1) << 10 * i), " ", sizes[i]);
	} else
		term_short(text, (double)n);
	return text;
}

char *
term_exact(term_figure text, uint64_t ns, const char *space)
{
	const struct number_unit *u = number_unit(ns, UNIT_SECOND);

	snprintf(text, sizeof(term_figure), "%" PRIu64 ".%0*" PRIu64, ns / u->ns, u->digits, ns % u->ns);
	return strcat(strcat(number_trim(text), space), u->ascii);
}

char *
term_share(term_figure text, uint64_t part, uint64_t whole)
{
	double share = whole ? 100 * (double)part / (double)whole : 0;

	snprintf(text, sizeof(term_figure), part && share < 0.05 ? "<0.1%%" : "%.1f%%", share);
	return text;
}

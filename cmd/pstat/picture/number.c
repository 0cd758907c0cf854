/* SPDX-License-Identifier: ISC */
/* svg_number.c - numbers as short texts */
#include <inttypes.h>
#include <string.h>

#include "picture/svg.h"

enum { NS = 1000000000 };

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
	size_t n;

	svg_time(to, ns);
	for (n = strlen(to); to[n - 1] == '0'; n--)
		;
	to[to[n - 1] == '.' ? n - 1 : n] = '\0';
	return to;
}

const char *
svg_duration(char to[SVG_TEXT], uint64_t ns)
{
	static const struct { uint64_t ns; const char *unit; } units[] = {
		{ UINT64_C(31536000) * NS, "y" }, { UINT64_C(86400) * NS, "d" }, { UINT64_C(3600) * NS, "h" }, { UINT64_C(60) * NS, "min" },
		{ NS, "s" }, { 1000000, "ms" }, { 1000, "µs" }, { 1, "ns" },
	};
	enum { UNITS = sizeof units / sizeof *units };
	unsigned i = 0;
	int n;

	while (i < UNITS - 1 && ns < units[i].ns)
		i++;
	n = snprintf(to, SVG_TEXT, "%" PRIu64 " %s", ns / units[i].ns, units[i].unit);
	if (i < UNITS - 1 && ns % units[i].ns / units[i + 1].ns)
		snprintf(to + n, SVG_TEXT - (size_t)n, " %" PRIu64 " %s", ns % units[i].ns / units[i + 1].ns, units[i + 1].unit);
	return to;
}

const char *
svg_short(char to[SVG_TEXT], uint64_t n)
{
	static const char units[] = " kMGTPE";
	unsigned unit = 0;
	uint64_t one = 1;

	if (n < 10000) {
		snprintf(to, SVG_TEXT, "%" PRIu64, n);
		return to;
	}
	while (n / one >= 1000) {
		one *= 1000;
		unit++;
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

/* Three digits or more, of the last of so many units, each a thousand times the one before it, in which it is 1 at least. */
static const char *
svg_unit(char to[SVG_TEXT], uint64_t n, const char *const *units, unsigned nunits)
{
	unsigned unit = 0;
	uint64_t one = 1;

	while (unit + 1 < nunits && n / one >= 1000) {
		one *= 1000;
		unit++;
	}
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

/* SPDX-License-Identifier: ISC */
/* perf_line.c - see perf_line.h */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "perf_line.h"

static const char *
skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

const char *
perf_number(const char *p, char kind, uint64_t *to)
{
	bool minus = kind == 'd' && *p == '-';
	char *end;

	p += minus;
	if (!(kind == 'x' ? isxdigit((unsigned char)*p) : isdigit((unsigned char)*p)))
		return NULL;
	*to = strtoull(p, &end, kind == 'x' ? 16 : 10);
	if (minus)
		*to = -*to;
	return end;
}

/* Digits of a part of a second, as ns. */
static const char *
match_fraction(const char *p, uint64_t *to)
{
	unsigned digits = 0;

	if (!isdigit((unsigned char)*p))
		return NULL;
	for (*to = 0; isdigit((unsigned char)*p) && digits < 9; p++, digits++)
		*to = 10 * *to + (uint64_t)(*p - '0');
	for (; digits < 9; digits++)
		*to *= 10;
	return p;
}

bool
perf_line(const char **text, const char *pattern, ...)
{
	const char *p = *text, *stop;
	struct span *s;
	va_list ap;

	va_start(ap, pattern);
	for (; p && *pattern; pattern++) {
		if (*pattern == ' ')
			p = skip_blanks(p);
		else if (*pattern != '%')
			p = *p == *pattern ? p + 1 : NULL;
		else if (*++pattern == 's') {
			size_t n = strcspn(pattern + 1, "%");

			s = va_arg(ap, struct span *);
			for (stop = p; *stop && *stop != '\n' && (!n || strncmp(stop, pattern + 1, n)); stop++)
				;
			*s = (struct span){ p, (size_t)(stop - p) };
			p = stop;
		} else if (*pattern == 'f')
			p = match_fraction(p, va_arg(ap, uint64_t *));
		else
			p = perf_number(p, *pattern, va_arg(ap, uint64_t *));
	}
	va_end(ap);
	if (!p || (*(p = skip_blanks(p)) && *p != '\n'))
		return false;
	*text = p + (*p == '\n');
	return true;
}

/* SPDX-License-Identifier: ISC */
/* symtab_kallsyms.c - see symtab.h */
#include <string.h>

#include "symtab.h"

/* Hexadecimal digits at p, before end.  How many; 0: none, or too many. */
static size_t
hex(const char *p, const char *end, uint64_t *to)
{
	static const char digits[] = "0123456789abcdef";
	const char *d, *begin = p;

	*to = 0;
	for (; p < end && *p && (d = strchr(digits, *p)); p++) {
		if (p - begin == 16)
			return 0;
		*to = *to << 4 | (uint64_t)(d - digits);
	}
	return (size_t)(p - begin);
}

/* "ffffffff81000000 T _text", and for a module "\t[xfs]" behind it. */
static void
take_line(struct symtab_maker *m, const char *p, const char *end, uint64_t *all)
{
	uint64_t addr;
	size_t digits = hex(p, end, &addr), n;
	const char *name = p + digits + 3;
	char letter;

	if (!digits || name >= end || name[-3] != ' ' || name[-1] != ' ' || memchr(name, '\0', (size_t)(end - name)))
		return;
	letter = name[-2];
	n = (size_t)(end - name);
	if (!strchr("tTwW", letter) || !letter || *name == '$' || *name == '\t' || *name == ' ')
		return;
	if (!memchr(name, '\t', n)) {
		*all |= addr;
		if (n == 5 && !memcmp(name, "_text", 5))
			m->anchor[0] = addr;
		if (n == 6 && !memcmp(name, "_stext", 6))
			m->anchor[1] = addr;
	}
	symtab_add(m, addr, 0, name, n, 0);
}

bool
symtab_kallsyms(struct symtab_maker *m, const char *text, size_t n)
{
	const char *end = text + n, *next;
	uint64_t all = 0;

	m->last = true;
	for (; text < end; text = next + 1) {
		if (!(next = memchr(text, '\n', (size_t)(end - text))))
			next = end;
		take_line(m, text, next, &all);
	}
	return all != 0;
}

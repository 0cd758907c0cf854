/* SPDX-License-Identifier: ISC */
/* kernel_text.c - how the kernel compares text in filters, with its limits: "*x" looks at the last bytes of the field only */
#include <ctype.h>
#include <string.h>

#include "kernel.h"
#include "tool/pattern.h"

/* Match c with a bracket, p behind its `['.  Returns the end; NULL: it has none, so is a plain character. */
static const char *
bracket(const char *p, unsigned char c, bool *yes)
{
	const bool negate = *p == '!';
	const char *first;
	bool found = false;

	first = p += negate;
	do {
		unsigned char lo = (unsigned char)*p, hi = lo;

		if (!lo)
			return NULL;
		p++;
		if (*p == '-' && p[1] != ']') {
			if (!(hi = (unsigned char)p[1]))
				return NULL;
			p += 2;
		}
		found |= c >= lo && c <= hi;
	} while (*p != ']' || p == first);
	*yes = found != negate;
	return p + 1;
}

/* Match c with the next element of the pattern.  Returns its end if it matches, else NULL. */
static const char *
element(const char *p, char c)
{
	const char *end;
	bool yes;

	if (*p == '?')
		return p + 1;
	if (*p == '[' && (end = bracket(p + 1, (unsigned char)c, &yes)))
		return yes ? end : NULL;
	if (*p == '\\')
		p++;
	return *p && *p == c ? p + 1 : NULL;
}

/* n: the most bytes of the text, which ends at a NUL before. */
static bool
glob(const char *p, const char *s, size_t n)
{
	const char *rest = pattern_walk(p, s, strnlen(s, n), element);

	return rest && (!*rest || !strcmp(rest, "\\"));
}

bool
kernel_text_match(const struct kernel_text *t, const char *s, size_t len)
{
	switch (t->how) {
	case KERNEL_FULL:
		return len ? !strncmp(s, t->s, len) : !t->n;
	case KERNEL_FRONT:
		return len >= t->n && !strncmp(s, t->s, t->n);
	case KERNEL_MIDDLE:
		return !t->n || memmem(s, len, t->s, t->n);
	case KERNEL_END:		/* the last byte is that of the NUL, whether the text is shorter or not */
		return len && len - 1 >= t->n && !memcmp(s + len - 1 - t->n, t->s, t->n);
	default:
		return glob(t->s, s, len);
	}
}

void
kernel_text_make(struct kernel_text *t, const char *s, size_t n, bool pattern)
{
	*t = (struct kernel_text){ .how = KERNEL_FULL };
	if (pattern && n && *s == '!') {
		t->negate = true;
		s++;
		n--;
	}
	if (pattern && n && !isdigit((unsigned char)*s)) {	/* a digit makes it plain text in the kernel */
		const bool begins = *s == '*', ends = n > 1 && s[n - 1] == '*';
		const size_t inner = n - begins - ends;

		if (memchr(s + begins, '*', inner) || memchr(s, '?', n) || memchr(s, '[', n) || memchr(s, '\\', n))
			t->how = KERNEL_GLOB;
		else {
			t->how = begins && ends ? KERNEL_MIDDLE : begins ? KERNEL_END : ends ? KERNEL_FRONT : KERNEL_FULL;
			s += begins;
			n = inner;
		}
	}
	t->s = tool_alloc(n + 1, 1);
	memcpy(t->s, s, n);
	t->n = n;
}

/* SPDX-License-Identifier: ISC */
#include <ctype.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"

bool
demangle_may(const char *name, size_t len)
{
	return demangle_built && len > 2 && len <= DEMANGLE_MAX && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' ||
	    (len > 3 && name[1] == '_' && name[2] == 'Z'));
}

#ifdef NO_DEMANGLE
const bool demangle_built = false;

bool
demangle(const char *name, enum demangle how, char to[static DEMANGLE_MAX + 1])
{
	(void)name;
	(void)how;
	to[0] = '\0';
	return false;
}
#else
#include <libiberty/demangle.h>

const bool demangle_built = true;

struct text { char *to; size_t n; bool rust; jmp_buf full; };

static void
append(struct text *t, const char *s, size_t n)
{
	if (n && n <= DEMANGLE_MAX && t->n <= DEMANGLE_MAX && t->n + n <= DEMANGLE_MAX)
		memcpy(t->to + t->n, s, n);
	t->n = n > DEMANGLE_MAX || t->n > DEMANGLE_MAX ? DEMANGLE_MAX + 1 : t->n + n;
}

/*
 * A name of 16 bytes can have a text of 10^10 lifetimes ("for<'a, 'b ..."), so who has enough leaves.  The demangler of Rust has
 * allocated memory while it gives an identifier, of letters, digits and what is not ASCII: from there nobody leaves.
 */
static void
take(const char *s, size_t n, void *arg)
{
	struct text *t = arg;

	append(t, s, n);
	if (n && t->n > DEMANGLE_MAX && (!t->rust || (isascii((unsigned char)*s) && !isalnum((unsigned char)*s) && *s != '_')))
		longjmp(t->full, 1);
}

typedef int demangler(const char *, int, demangle_callbackref, void *);

/* False: it is no such name.  What is too long has more than DEMANGLE_MAX bytes. */
static bool
demangle_by(demangler *by, const char *name, int options, struct text *t)
{
	t->n = 0;
	return setjmp(t->full) || by(name, options, take, t);
}

/*
 * Put an H where a number of lifetimes can begin that has several digits of base 62: G, these, and _.  Was there any?  They can
 * also be bytes of an identifier, or of what tells crates of one name apart, where an H is as good; what may follow lifetimes does not
 * begin with one.
 */
static bool
disarm(char *name)
{
	bool any = false;

	for (char *end, *p = name; (p = strchr(p, 'G')); p = end) {
		for (end = p + 1; isascii((unsigned char)*end) && isalnum((unsigned char)*end); end++)
			;
		for (; *end == '_' && end - p > 2 && (p = memchr(p, 'G', (size_t)(end - p - 2))); any = true)
			*p = 'H';
	}
	return any;
}

/*
 * The demangler counts lifetimes also where it does not print them, in what an `impl' is for, and then says nothing for minutes.  So it
 * is asked first whether the name is one without such numbers.  One that is left is 63 at most.
 */
static bool
demangle_rust(const char *name, int options, struct text *t)
{
	char copy[DEMANGLE_MAX + 1];

	t->rust = true;
	if (name[1] == 'R') {		/* those of the old scheme have no lifetimes */
		memcpy(copy, name, strlen(name) + 1);
		if (disarm(copy) && !demangle_by(rust_demangle_callback, copy, options, t))
			return false;
	}
	return demangle_by(rust_demangle_callback, name, options, t);
}

/* The n bytes of a name. */
static bool
demangle_text(const char *name, size_t n, int options, struct text *t)
{
	char *copy = strndup(name, n);
	bool is = false;

	/* Rust first: a name of its old scheme is one of C++, too, with a hash behind it */
	if (copy && !(is = demangle_rust(copy, options, t))) {
		t->rust = false;
		is = demangle_by(cplus_demangle_v3_callback, copy, options, t);
	}
	free(copy);
	return is;
}

bool
demangle(const char *name, enum demangle how, char to[static DEMANGLE_MAX + 1])
{
	static const char plt[] = "@plt";
	const size_t len = strlen(name), end = sizeof plt - 1;
	const bool entry = len > end && !strcmp(name + len - end, plt);
	struct text t = { .to = to };

	if (how == DEMANGLE_NONE || !demangle_may(name, len) ||
	    !demangle_text(name, entry ? len - end : len, DMGL_ANSI | (how == DEMANGLE_FULL ? DMGL_PARAMS : 0), &t))
		return false;
	if (entry)
		append(&t, plt, end);
	if (!t.n || t.n > DEMANGLE_MAX || memchr(to, '\0', t.n))
		return false;
	to[t.n] = '\0';
	return true;
}
#endif

/* SPDX-License-Identifier: ISC */
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

struct text { char *to; size_t n; };

static void
take(const char *s, size_t n, void *arg)
{
	struct text *t = arg;

	if (n && n <= DEMANGLE_MAX && t->n <= DEMANGLE_MAX && t->n + n <= DEMANGLE_MAX)
		memcpy(t->to + t->n, s, n);
	t->n = n > DEMANGLE_MAX || t->n > DEMANGLE_MAX ? DEMANGLE_MAX + 1 : t->n + n;
}

/* The n bytes of a name. */
static bool
demangle_text(const char *name, size_t n, int options, struct text *t)
{
	char *copy = strndup(name, n);
	bool is = false;

	if (copy) {
		/* Rust first: a name of its old scheme is one of C++, too, with a hash behind it */
		is = rust_demangle_callback(copy, options, take, t);
		if (!is) {
			t->n = 0;
			is = cplus_demangle_v3_callback(copy, options, take, t);
		}
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
	struct text t = { to, 0 };

	if (how == DEMANGLE_NONE || !demangle_may(name, len) ||
	    !demangle_text(name, entry ? len - end : len, DMGL_ANSI | (how == DEMANGLE_FULL ? DMGL_PARAMS : 0), &t))
		return false;
	if (entry)
		take(plt, end, &t);
	if (!t.n || t.n > DEMANGLE_MAX || memchr(to, '\0', t.n))
		return false;
	to[t.n] = '\0';
	return true;
}
#endif

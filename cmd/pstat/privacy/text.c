/* SPDX-License-Identifier: ISC */
/* text.c - tells the pseudonyms of pfilter --anon (its anon/name.h) from names */
#include <ctype.h>
#include <string.h>

#include "field/public_name.h"
#include "in.h"

enum { DIGITS = 10, ID_DIGITS = 32 };

static bool
begins(const char *s, size_t len, const char *with)
{
	return len >= strlen(with) && !memcmp(s, with, strlen(with));
}

/* So many lower-case hexadecimal digits at s? */
static bool
is_hex(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isdigit((unsigned char)s[i]) && (s[i] < 'a' || s[i] > 'f'))
			return false;
	return true;
}

bool
privacy_is_word(const char *s, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len == n + DIGITS && begins(s, len, prefix) && is_hex(s + n, DIGITS);
}

/* p0123456789, p0123456789.so, m0123456789.ko */
static bool
is_component(const char *s, size_t len)
{
	if (len == DIGITS + 4 && (!memcmp(s + len - 3, ".so", 3) || !memcmp(s + len - 3, ".ko", 3)))
		len -= 3;
	return len == DIGITS + 1 && (*s == 'p' || *s == 'm') && is_hex(s + 1, DIGITS);
}

/* Names with a public beginning and end. */
static bool
is_half_public(const char *s, size_t len)
{
	static const struct { const char *prefix; size_t end; } half[] = {
		{ "/SYSV", 0 }, { "/memfd:p", 0 }, { "[anon:p", 1 }, { "[anon_shmem:p", 1 }, { "[stack:p", 1 }, { "anon_inode:p", 0 },
		{ "[guest.kernel.kallsyms.p", 1 }, { "[m", 1 },
	};

	for (size_t i = 0; i < sizeof half / sizeof *half; i++)
		if (len > half[i].end && privacy_is_word(s, len - half[i].end, half[i].prefix))
			return true;
	return false;
}

bool
privacy_path_hidden(const char *s, size_t len)
{
	static const char deleted[] = " (deleted)";

	if (tool_public_map(s, len))
		return true;
	if (len >= sizeof deleted - 1 && !memcmp(s + len - (sizeof deleted - 1), deleted, sizeof deleted - 1))
		len -= sizeof deleted - 1;
	if (is_half_public(s, len))
		return true;
	while (len) {
		const char *slash = memchr(s, '/', len);
		size_t part = slash ? (size_t)(slash - s) : len;

		if (part && !is_component(s, part))
			return false;
		part += slash != NULL;
		s += part;
		len -= part;
	}
	return true;
}

bool
privacy_symbol_hidden(const char *s, size_t len)
{
	const char *prefix = tool_public_symbol_prefix(s, len);

	return !len || tool_public_symbol(s, len) || privacy_is_word(s, len, prefix ? prefix : "symbol_");
}

/* ---- users --------------------------------------------------------------------------------------- */

/* A directory of homes is a component of one of these names; `*' at its end: of digits. */
static const struct home { const char *name, *root; } homes[] = {
	{ "home*", NULL }, { "homes*", NULL }, { "Home*", NULL }, { "users*", NULL }, { "Users*", NULL },
	{ "user*", "/afs/" },		/* below that only: /usr/lib/systemd/user has no homes */
};

static bool
is_home(const char *path, const char *s, size_t len)
{
	while (len && isdigit((unsigned char)s[len - 1]))
		len--;
	for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
		if (len == strlen(homes[i].name) - 1 && !memcmp(s, homes[i].name, len) &&
		    (!homes[i].root || (s - path > (ptrdiff_t)strlen(homes[i].root) && !memcmp(path, homes[i].root, strlen(homes[i].root)))))
			return true;
	return false;
}

/* What ends a component of a path, be it in a command line. */
static bool
is_component_end(char c)
{
	return !c || strchr("/ \t\n\"':;,&|()<>=", c);
}

static size_t
component(const char *s, const char *end)
{
	size_t n = 0;

	while (s + n < end && !is_component_end(s[n]))
		n++;
	return n;
}

/* The user whose home begins at s, behind a directory of homes; last: the path may end with that. */
static size_t
home_of(const char *s, const char *end, bool last, const char **user)
{
	size_t n = component(s, end);

	if (n == 1 && end - s > 2 && s[1] == '/') {	/* by initials: /home/a/alice */
		s += 2;
		n = component(s, end);
	}
	*user = s;
	if (!n || is_component(s, n) || (n <= 2 && *s == '.' && s[n - 1] == '.'))
		return 0;
	return last || (s + n < end && s[n] == '/') ? n : 0;
}

size_t
privacy_user(const char *s, size_t len, const char **user)
{
	const char *path = s, *end = s + len;
	size_t dir, n;

	if (begins(s, len, "/root") && (len == 5 || s[5] == '/')) {
		*user = s + 1;
		return 4;
	}
	for (; (s = memchr(s, '/', (size_t)(end - s))); ) {
		bool first = s == path || is_component_end(s[-1]);

		dir = component(++s, end);
		if (s + dir < end && s[dir] == '/' && is_home(path, s, dir) &&
		    (n = home_of(s + dir + 1, end, first, user)))
			return n;
	}
	return 0;
}

/* ---- containers ---------------------------------------------------------------------------------- */

size_t
privacy_container(const char *s, size_t len, const char **id)
{
	size_t from = 0, digits = 0;

	for (size_t i = 0; i <= len; i++) {
		bool part = i < len && digits && (s[i] == '-' || s[i] == '_');

		if (i < len && (isxdigit((unsigned char)s[i]) || part)) {
			digits += !part;
			continue;
		}
		if (digits >= ID_DIGITS) {
			*id = s + from;
			return i - from;
		}
		from = i + 1;
		digits = 0;
	}
	return 0;
}

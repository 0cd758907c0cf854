/* SPDX-License-Identifier: ISC */
/* text.c - tells the pseudonyms of pfilter --anon (its anon/name.h) from names */
#include <ctype.h>
#include <string.h>

#include "in.h"
#include "tool/public_name.h"

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

size_t
privacy_user(const char *s, size_t len, const char **user)
{
	static const char *const homes[] = { "/home/", "/Users/", "/var/home/", "/export/home/" };

	if (begins(s, len, "/root") && (len == 5 || s[5] == '/')) {
		*user = s + 1;
		return 4;
	}
	for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
		if (begins(s, len, homes[i])) {
			size_t n = strlen(homes[i]);
			const char *slash = memchr(s + n, '/', len - n);

			*user = s + n;
			n = slash ? (size_t)(slash - *user) : len - n;
			return is_component(*user, n) ? 0 : n;
		}
	return 0;
}

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

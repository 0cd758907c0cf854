/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field/public_name.h"
#include "name.h"
#include "tool/tool.h"

enum { DIGITS = 10, COMPONENT = 1 + DIGITS + 4, LONGEST = ANON_NAME - 64 };

struct bytes { const char *s; size_t n; };	/* not NUL-terminated */

static const char deleted[] = " (deleted)";

static bool
begins(const char *s, size_t n, const char *with)
{
	size_t len = strlen(with);

	return n >= len && !memcmp(s, with, len);
}

static bool
ends(const char *s, size_t n, const char *with)
{
	size_t len = strlen(with);

	return n >= len && !memcmp(s + n - len, with, len);
}

static size_t
copy(char *to, const char *s, size_t n)
{
	if (n > LONGEST)
		n = LONGEST;
	memcpy(to, s, n);
	to[n] = 0;
	return n;
}

bool
anon_is_kernel(const char *s, size_t n)
{
	return begins(s, n, "[kernel.kallsyms]") || begins(s, n, "[guest.kernel.kallsyms");
}

bool
anon_is_file(const char *s, size_t n)
{
	if (begins(s, n, "/dev/"))	/* offsets of devices are addresses */
		return begins(s, n, "/dev/shm/");
	return (begins(s, n, "/") || begins(s, n, "(unreachable)/")) && !tool_public_map(s, n) && !begins(s, n, "/SYSV");
}

/* PREFIX 0123456789 END by `text'; the dictionary gets `all' as its original. */
static size_t
word(struct anon_key *k, enum anon_domain d, const char *prefix, const char *end, struct bytes text, struct bytes all,
    char to[static ANON_NAME])
{
	char hex[DIGITS + 1];
	size_t len;

	*to = 0;
	if (!text.n)
		return 0;
	anon_hex(k, d, text.s, text.n, hex, DIGITS);
	len = (size_t)snprintf(to, ANON_NAME, "%s%s%s", prefix, hex, end);
	anon_made(k, d, to, len, all.s, all.n);
	return len;
}

size_t
anon_word(struct anon_key *k, enum anon_domain d, const char *prefix, const char *s, size_t n, char to[static ANON_NAME])
{
	return word(k, d, prefix, "", (struct bytes){ s, n }, (struct bytes){ s, n }, to);
}

size_t
anon_comm(struct anon_key *k, const char *s, size_t n, char to[static 16])
{
	char name[ANON_NAME];
	int known = anon_recall(k, ANON_D_COMM, s, n, to);
	size_t len;

	if (known != ANON_FORGOTTEN)
		return (size_t)known;
	len = anon_word(k, ANON_D_COMM, "comm-", s, n, name);
	memcpy(to, name, len + 1);
	anon_remember(k, ANON_D_COMM, s, n, to, len);
	return len;
}

/* ---- paths ----------------------------------------------------------------------------------------- */

/* The name that perf gives to a module, from that of its file: without .ko and compression suffix, - replaced by _. */
static size_t
module_name(const char *s, size_t n, char to[static ANON_NAME])
{
	static const char *const packed[] = { ".gz", ".xz", ".zst", ".lzma", ".bz2" };

	for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
		if (ends(s, n, packed[i])) {
			n -= strlen(packed[i]);
			break;
		}
	if (!ends(s, n, ".ko") || n > LONGEST)
		return 0;
	n = copy(to, s, n - 3);
	for (size_t i = 0; i < n; i++)
		if (to[i] == '-')
			to[i] = '_';
	return n;
}

/* The pseudonym of a component; `chain': MAC of the path before it, updated to include it.  At most COMPONENT bytes. */
static size_t
component(struct anon_key *k, enum anon_domain d, uint8_t chain[static ANON_MAC], const char *s, size_t n, char *to)
{
	char name[ANON_NAME], hex[DIGITS + 1];
	size_t len = module_name(s, n, name);

	anon_mac2(k, d, chain, ANON_MAC, s, n, chain);
	if (len)
		return word(k, ANON_D_MODULE, "m", ".ko", (struct bytes){ name, len }, (struct bytes){ s, n }, to);
	tool_hex(hex, chain, DIGITS / 2);
	len = (size_t)sprintf(to, "p%s%s", hex, ends(s, n, ".so") || memmem(s, n, ".so.", 4) ? ".so" : "");
	anon_made(k, d, to, len, s, n);
	return len;
}

static size_t
components(struct anon_key *k, enum anon_domain d, const char *s, size_t n, char to[static ANON_NAME])
{
	uint8_t chain[ANON_MAC] = { 0 };
	size_t len = 0;

	while (n) {
		const char *slash = memchr(s, '/', n);
		size_t part = slash ? (size_t)(slash - s) : n;

		if (len > LONGEST - COMPONENT - 1)	/* the rest of the path as one component */
			part = n;
		if (part)
			len += component(k, d, chain, s, part, to + len);
		s += part;
		n -= part;
		if (n) {
			to[len++] = '/';
			s++;
			n--;
		}
	}
	to[len] = 0;
	return len;
}

/* Names with a public prefix and a private rest.  0: not such a name. */
static size_t
half_public(struct anon_key *k, const char *s, size_t n, char to[static ANON_NAME])
{
	static const struct { const char *prefix, *as, *end; } half[] = {
		{ "/SYSV", "/SYSV", "" }, { "/memfd:", "/memfd:p", "" }, { "[anon:", "[anon:p", "]" },
		{ "[anon_shmem:", "[anon_shmem:p", "]" }, { "[stack:", "[stack:p", "]" }, { "anon_inode:", "anon_inode:p", "" },
		{ "[guest.kernel.kallsyms.", "[guest.kernel.kallsyms.p", "]" },
	};

	for (size_t i = 0; i < sizeof half / sizeof *half; i++)
		if (begins(s, n, half[i].prefix))
			return word(k, ANON_D_PATH, half[i].as, half[i].end, (struct bytes){ s, n }, (struct bytes){ s, n }, to);
	return 0;
}

static size_t
new_path(struct anon_key *k, const char *s, size_t n, char to[static ANON_NAME])
{
	bool gone = ends(s, n, deleted);
	size_t len;

	if (tool_public_map(s, n))
		return copy(to, s, n);
	if (gone)
		n -= sizeof deleted - 1;
	if ((len = half_public(k, s, n, to)) == 0) {
		if (n > 2 && *s == '[' && s[n - 1] == ']')
			len = word(k, ANON_D_MODULE, "[m", "]", (struct bytes){ s + 1, n - 2 }, (struct bytes){ s, n }, to);
		else
			len = components(k, ANON_D_PATH, s, n, to);
	}
	return len + copy(to + len, deleted, gone ? sizeof deleted - 1 : 0);
}

size_t
anon_path(struct anon_key *k, const char *s, size_t n, char to[static ANON_NAME])
{
	int known = anon_recall(k, ANON_D_PATH, s, n, to);
	size_t len;

	if (known != ANON_FORGOTTEN)
		return (size_t)known;
	len = new_path(k, s, n, to);
	anon_remember(k, ANON_D_PATH, s, n, to, len);
	return len;
}

size_t
anon_cgroup(struct anon_key *k, const char *s, size_t n, char to[static ANON_NAME])
{
	return components(k, ANON_D_CGROUP, s, n, to);
}

size_t
anon_pid_in_name(struct anon_key *k, const char *s, size_t n, char to[static ANON_NAME])
{
	static const char *const forms[] = { "[stack:", "[guest.kernel.kallsyms." };

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (begins(s, n, forms[i])) {
			uint32_t pid = (uint32_t)strtoul(s + strlen(forms[i]), NULL, 10);

			return (size_t)snprintf(to, ANON_NAME, "%s%u]", forms[i], anon_pid(k, pid));
		}
	return copy(to, s, n);
}

/* ---- others ---------------------------------------------------------------------------------------- */

size_t
anon_symbol(struct anon_key *k, const char *s, size_t n, char to[static ANON_NAME])
{
	const char *public = tool_public_symbol_prefix(s, n), *prefix = public ? public : "symbol_";

	if (tool_public_symbol(s, n))
		return copy(to, s, n);
	return anon_word(k, ANON_D_SYMBOL, prefix, s, n, to);
}

size_t
anon_version(const char *s, size_t n, char to[static ANON_NAME])
{
	size_t len = 0;

	while (len < n && ((s[len] >= '0' && s[len] <= '9') || s[len] == '.'))
		len++;
	return copy(to, s, len);
}

size_t
anon_event(struct anon_key *k, bool path, bool addr, const char *s, size_t n, char to[static ANON_NAME])
{
	/* Prefixes of groups that perf probe and tracefs make, with names of programs, libraries or the user. */
	static const char *const made[] = {
		"probe", "sdt_", "uprobes:", "kprobes:", "synthetic:", "user_events", "/", "./", "../",
	};

	for (size_t i = 0; path && i < sizeof made / sizeof *made; i++)
		if (begins(s, n, made[i]))
			return anon_word(k, ANON_D_EVENT, "event-", s, n, to);
	if (addr && begins(s, n, "mem:"))
		return anon_word(k, ANON_D_EVENT, "mem:", s, n, to);
	return copy(to, s, n);
}

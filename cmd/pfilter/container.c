/* SPDX-License-Identifier: ISC */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "container.h"

enum { UID_BARE = 32, UID_MAX = 36 };
enum { PATH_BYTES = 4096, NAME_BYTES = 256 };	/* the kernel has no longer paths and components, with their NULs */

enum what { ID, NAME, POD, BELOW };
static const struct shape {
	enum what what;
	const char *before, *after;
} shapes[] = {
#define SHAPE(what, before, after, path) { what, before, after },
#include "container.def"
#undef SHAPE
};

/* ---- parts of paths -------------------------------------------------------------------------------------- */

static bool
is_hex(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && isxdigit((unsigned char)s[i]))
		i++;
	return i == n;
}

/* Write the UID in n bytes as Kubernetes shows it, with "-" and small letters, to `to'.  False: it is none. */
static bool
take_uid(const char *s, size_t n, char to[static UID_MAX + 1])
{
	if (n != UID_BARE && n != UID_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		bool gap = n == UID_MAX && (i == 8 || i == 13 || i == 18 || i == 23);

		if (gap ? s[i] != '-' && s[i] != '_' : !isxdigit((unsigned char)s[i]))
			return false;
		to[i] = gap ? '-' : (char)tolower((unsigned char)s[i]);
	}
	to[n] = 0;
	return true;
}

/* Write the name of n < NAME_BYTES bytes with the \xHH of systemd undone to `to'.  False: it is empty. */
static bool
take_name(const char *s, size_t n, char to[static NAME_BYTES])
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		if (n - i >= 4 && s[i] == '\\' && s[i + 1] == 'x' && is_hex(s + i + 2, 2)) {
			char digits[3] = { s[i + 2], s[i + 3], 0 };

			to[len++] = (char)strtol(digits, NULL, 16);
			i += 3;
		} else
			to[len++] = s[i];
	}
	to[len] = 0;
	return len && len == strlen(to);
}

/*
 * What stands in n bytes between `before' and `after'.  `optional': `after' may lack; `later': `before' may also follow a "-".
 * NULL: the shape does not fit.
 */
static const char *
between(const struct shape *s, const char *text, size_t *n, bool optional, bool later)
{
	size_t before = strlen(s->before), after = strlen(s->after);
	const char *p = text, *end = text + *n;

	while (p && ((size_t)(end - p) < before || memcmp(p, s->before, before))) {
		p = later ? memchr(p, '-', (size_t)(end - p)) : NULL;
		p += p != NULL;
	}
	if (!p)
		return NULL;
	p += before;
	if ((size_t)(end - p) >= after && !memcmp(end - after, s->after, after))
		end -= after;
	else if (!optional)
		return NULL;
	*n = (size_t)(end - p);
	return p;
}

/* ---- the list -------------------------------------------------------------------------------------------- */

/* Is the word the beginning of an id? */
static bool
is_prefix(const char *word)
{
	size_t n = strlen(word);

	return n >= CONTAINER_SHORT && n <= CONTAINER_ID && is_hex(word, n);
}

void
container_ready(struct container_key *k, const struct tool *t, bool pods)
{
	k->pods = pods;
	for (size_t i = 0; i < k->list.n; i++) {
		char *word = k->list.v[i], uid[UID_MAX + 1];

		if (pods && !take_uid(word, strlen(word), uid))
			tool_wrong(t, "--pod '%s': expected the UID of a pod, such as 0f3a2b1c-1111-2222-3333-444455556666", word);
		if (pods)
			strcpy(word, uid);
		else if (is_prefix(word)) {
			k->prefix = tool_realloc(k->prefix, k->nprefixes + 1, sizeof *k->prefix);
			k->prefix[k->nprefixes++] = (struct container_prefix){ .text = word };
		}
	}
}

static bool
has_id(struct container_key *k, const struct tool *t, const char *id, struct near *near)
{
	char shown[CONTAINER_SHORT + 1];
	bool has = false;

	for (struct container_prefix *p = k->prefix; p < k->prefix + k->nprefixes; p++) {
		if (strncasecmp(p->text, id, strlen(p->text)))
			continue;
		has = true;
		if (!*p->first)
			memcpy(p->first, id, CONTAINER_ID);
		else if (!p->warned && memcmp(p->first, id, CONTAINER_ID)) {
			p->warned = true;
			tool_warn(t, "--container %s: two containers begin so, %s and %.*s", p->text, p->first, CONTAINER_ID, id);
		}
	}
	if (!has) {
		memcpy(shown, id, CONTAINER_SHORT);
		shown[CONTAINER_SHORT] = 0;
		near_note(near, &k->list, shown);
	}
	return has;
}

static bool
has_word(struct container_key *k, const char *word, struct near *near)
{
	if (words_have(&k->list, word))
		return true;
	near_note(near, &k->list, word);
	return false;
}

/* Is a component of a path a listed container or pod?  `above': the component before it, of `nabove' bytes. */
static bool
has_component(struct container_key *k, const struct tool *t, const char *p, size_t n, const char *above, size_t nabove,
    struct near *near)
{
	const char *colon = memchr(p, ':', n), *last = memrchr(p, ':', n), *x;
	const char *id = last ? last + 1 : p;
	char text[NAME_BYTES];
	bool has = false;

	for (const struct shape *s = shapes; s < shapes + sizeof shapes / sizeof *shapes; s++) {
		size_t len = s->what == ID ? (size_t)(p + n - id) : colon ? (size_t)(colon - p) : n;

		if ((s->what == POD) != k->pods)
			continue;
		switch (s->what) {
		case ID:
			if ((x = between(s, id, &len, true, false)) && len == CONTAINER_ID && is_hex(x, len))
				has |= has_id(k, t, x, near);
			break;
		case POD:
			if ((x = between(s, p, &len, true, true)) && take_uid(x, len, text))
				has |= has_word(k, text, near);
			break;
		case NAME:
			if ((x = between(s, p, &len, false, false)) && take_name(x, len, text))
				has |= has_word(k, text, near);
			break;
		case BELOW:
			if (nabove == strlen(s->before) && !memcmp(above, s->before, nabove) && take_name(p, n, text))
				has |= has_word(k, text, near);
			break;
		}
	}
	return has;
}

bool
container_has(struct container_key *k, const struct tool *t, const char *path, struct near *near)
{
	const char *above = path;
	size_t nabove = 0, n;
	bool has = false;

	for (const char *p = path; *p && p - path < PATH_BYTES; p += n) {
		p += *p == '/';
		n = strcspn(p, "/");
		if (n && n < NAME_BYTES)
			has |= has_component(k, t, p, n, above, nabove, near);
		above = p;
		nabove = n;
	}
	return has;
}

const char *
container_short(const struct container_key *k)
{
	for (size_t i = 0; !k->pods && i < k->list.n; i++)
		if (strlen(k->list.v[i]) < CONTAINER_SHORT && is_hex(k->list.v[i], strlen(k->list.v[i])))
			return k->list.v[i];
	return NULL;
}

void
container_free(struct container_key *k)
{
	words_free(&k->list);
	free(k->prefix);
}

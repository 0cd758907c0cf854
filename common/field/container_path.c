/* SPDX-License-Identifier: ISC */
/* container_path.c - see container_path.h */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "container_path.h"

enum { ID_DIGITS = 64, TASK_DIGITS = 32, UID_BARE = 32, UID_MAX = 36 };
enum { PATH_BYTES = 4096 };			/* the kernel has no longer paths, with their NUL */

enum what { ID, TASK, NAME, POD, BELOW };
static const struct shape {
	enum what what;
	const char *before, *after;
} shapes[] = {
#define SHAPE(what, before, after, path) { what, before, after },
#include "container.def"
#undef SHAPE
};

struct walk {
	void	(*fn)(void *arg, enum container_kind, const char *text);
	void	*arg;
};

static bool
is_hex(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && isxdigit((unsigned char)s[i]))
		i++;
	return i == n;
}

bool
container_pod_uid(const char *s, size_t n, char to[static POD_UID])
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

/* Write n < CONTAINER_TEXT bytes as they are. */
static bool
take_id(const char *s, size_t n, char to[static CONTAINER_TEXT])
{
	memcpy(to, s, n);
	to[n] = 0;
	return true;
}

/* The same of a container of ECS: 32 hexadecimal digits, "-", decimal ones. */
static bool
take_task(const char *s, size_t n, char to[static CONTAINER_TEXT])
{
	return n > TASK_DIGITS + 1 && is_hex(s, TASK_DIGITS) && s[TASK_DIGITS] == '-' &&
	    strspn(s + TASK_DIGITS + 1, "0123456789") >= n - TASK_DIGITS - 1 && take_id(s, n, to);
}

/* Write the name of n < CONTAINER_TEXT bytes with the \xHH of systemd undone to `to'.  False: it is empty. */
static bool
take_name(const char *s, size_t n, char to[static CONTAINER_TEXT])
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

/* A component of a path.  `above': the one before it, of `nabove' bytes. */
static void
walk_component(const struct walk *w, const char *p, size_t n, const char *above, size_t nabove)
{
	const char *colon = memchr(p, ':', n), *last = memrchr(p, ':', n), *x;
	const char *id = last ? last + 1 : p;
	char text[CONTAINER_TEXT];

	for (const struct shape *s = shapes; s < shapes + sizeof shapes / sizeof *shapes; s++) {
		size_t len = s->what == ID ? (size_t)(p + n - id) : colon ? (size_t)(colon - p) : n;

		switch (s->what) {
		case ID:
			if ((x = between(s, id, &len, true, false)) && len == ID_DIGITS && is_hex(x, len) && take_id(x, len, text))
				w->fn(w->arg, CONTAINER_BY_ID, text);
			break;
		case TASK:
			if ((x = between(s, p, &len, true, false)) && take_task(x, len, text))
				w->fn(w->arg, CONTAINER_BY_ID, text);
			break;
		case POD:
			if ((x = between(s, p, &len, true, true)) && container_pod_uid(x, len, text))
				w->fn(w->arg, CONTAINER_POD, text);
			break;
		case NAME:
			if ((x = between(s, p, &len, false, false)) && take_name(x, len, text))
				w->fn(w->arg, CONTAINER_BY_NAME, text);
			break;
		case BELOW:
			if (nabove == strlen(s->before) && !memcmp(above, s->before, nabove) && take_name(p, n, text))
				w->fn(w->arg, CONTAINER_BY_NAME, text);
			break;
		}
	}
}

void
container_each(const char *path, void (*fn)(void *arg, enum container_kind, const char *text), void *arg)
{
	const struct walk w = { fn, arg };
	const char *above = path;
	size_t nabove = 0, n;

	for (const char *p = path; *p && p - path < PATH_BYTES; p += n) {
		p += *p == '/';
		n = strcspn(p, "/");
		if (n && n < CONTAINER_TEXT)
			walk_component(&w, p, n, above, nabove);
		above = p;
		nabove = n;
	}
}

struct innermost {
	bool	 pod, found;
	char	*text;
};

static void
innermost_take(void *arg, enum container_kind kind, const char *text)
{
	struct innermost *i = arg;

	if ((kind == CONTAINER_POD) != i->pod)
		return;
	strcpy(i->text, text);
	i->found = true;
}

bool
container_innermost(const char *path, bool pod, char text[static CONTAINER_TEXT])
{
	struct innermost i = { .pod = pod, .text = text };

	container_each(path, innermost_take, &i);
	return i.found;
}

/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "words.h"

static void
add(struct words *w, const char *text, size_t n)
{
	if (w->n == w->cap)
		w->v = tool_realloc(w->v, w->cap = w->cap ? 2 * w->cap : 16, sizeof *w->v);
	w->v[w->n] = tool_alloc(n + 1, 1);
	memcpy(w->v[w->n++], text, n);
	w->sorted = false;
}

static void
add_lines(struct words *w, char *all)
{
	for (char *p = all, *line; (line = strsep(&p, "\n"));)
		if (*line)
			add(w, line, strlen(line));
}

void
words_add(const struct tool *t, struct words *w, const char *text)
{
	const char *p = text, *end;

	for (;; p = end + 1) {
		char *word, *all;

		end = p + strcspn(p, ",");
		if (p == end)
			tool_wrong(t, "%s '%s': has an empty word", t->optname, text);
		word = tool_alloc((size_t)(end - p) + 1, 1);
		memcpy(word, p, (size_t)(end - p));
		if ((all = tool_named_file(t, word)))
			add_lines(w, all);
		else
			add(w, word, (size_t)(end - p));
		free(all);
		free(word);
		if (!*end)
			break;
	}
	if (!w->n)
		tool_wrong(t, "%s '%s': is empty", t->optname, text);
}

static int
compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool
words_have(struct words *w, const char *text)
{
	if (!w->n)
		return false;
	if (!w->sorted)
		qsort(w->v, w->n, sizeof *w->v, compare);
	w->sorted = true;
	return bsearch(&text, w->v, w->n, sizeof *w->v, compare);
}

bool
words_within(const struct words *a, struct words *b)
{
	size_t i = 0;

	while (i < a->n && words_have(b, a->v[i]))
		i++;
	return a->n && i == a->n;
}

void
words_free(struct words *w)
{
	while (w->n)
		free(w->v[--w->n]);
	free(w->v);
}

/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pattern.h"
#include "set.h"
#include "words.h"

static void
add(struct words *w, const char *text, size_t n)
{
	while (w->kind == WORDS_PATHS && n > 1 && text[n - 1] == '/')
		n--;
	w->v = tool_need(array_more(w->v, w->n, 1, sizeof *w->v));
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

/* Is the first character of the word itself, not part of a pattern? */
static bool
begins_plain(enum words_kind kind, const char *word)
{
	return kind == WORDS_FILES && *word == '[';
}

static bool
is_pattern(enum words_kind kind, const char *word)
{
	return strpbrk(word + begins_plain(kind, word), "*?[");
}

static int
compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
sort(struct words *w)
{
	size_t names = 0;

	for (size_t i = 0; i < w->n; i++)
		if (!is_pattern(w->kind, w->v[i])) {
			char *name = w->v[i];

			w->v[i] = w->v[names];
			w->v[names++] = name;
		}
	qsort(w->v, names, sizeof *w->v, compare);
	w->names = names;
	w->sorted = true;
}

/* Is the text of n bytes one of the names? */
static bool
has_name(const struct words *w, const char *text, size_t n)
{
	size_t lo = 0, hi = w->names;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int c = strncmp(w->v[mid], text, n);

		if (!c && !w->v[mid][n])
			return true;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

static bool
fits(enum words_kind kind, const char *pattern, const char *text)
{
	bool own = begins_plain(kind, pattern);

	return (!own || *text == *pattern) && pattern_match(pattern + own, text + own);
}

bool
words_have(struct words *w, const char *text)
{
	if (!w->n)
		return false;
	if (!w->sorted)
		sort(w);
	if (w->names && has_name(w, text, strlen(text)))
		return true;
	for (const char *p = text; w->kind == WORDS_PATHS && w->names && (p = strchr(p, '/')); p++)
		if (has_name(w, text, p > text ? (size_t)(p - text) : 1))
			return true;
	for (size_t i = w->names; i < w->n; i++)
		if (fits(w->kind, w->v[i], text))
			return true;
	return false;
}

bool
words_within(const struct words *a, struct words *b)
{
	for (size_t i = 0; i < a->n; i++) {
		bool pattern = is_pattern(a->kind, a->v[i]), in = !pattern && words_have(b, a->v[i]);

		for (size_t k = 0; pattern && !in && k < b->n; k++)
			in = !strcmp(a->v[i], b->v[k]);
		if (!in)
			return false;
	}
	return a->n;
}

bool
words_letters(const struct words *w, size_t i, char *to, size_t size)
{
	bool pattern = is_pattern(w->kind, w->v[i]);

	if (pattern)
		pattern_letters(w->v[i] + begins_plain(w->kind, w->v[i]), to, size);
	else
		snprintf(to, size, "%s", w->v[i]);
	return pattern;
}

void
words_free(struct words *w)
{
	while (w->n)
		free(w->v[--w->n]);
	free(w->v);
}

/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"

enum { NEAR_FAR = 1000, LENGTH = 64, WORDS = 16, SHOWN = 5, PATH = 4096 };

/* The edit distance of two names; of long ones that of their ends, where paths differ most. */
static unsigned
distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	unsigned row[LENGTH + 1];

	if (n > LENGTH)
		a += n - LENGTH, n = LENGTH;
	if (m > LENGTH)
		b += m - LENGTH, m = LENGTH;
	for (unsigned j = 0; j <= m; j++)
		row[j] = j;
	for (unsigned i = 1; i <= n; i++) {
		unsigned corner = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= m; j++) {
			unsigned best = corner + (a[i - 1] != b[j - 1]);

			corner = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[m];
}

/* The distance of a wanted word and a name, or its last component; at most 2 if one contains the other; NEAR_FAR: not similar. */
static unsigned
apart(const char *word, const char *name)
{
	const char *slash = strrchr(name, '/');
	size_t n = strlen(word);
	unsigned d = distance(word, name);

	if (slash && slash[1] && distance(word, slash + 1) < d)
		d = distance(word, slash + 1);
	if ((n > 2 && strstr(name, word)) || (strlen(name) > 2 && strstr(word, name)))
		d = d < 2 ? d : 2;
	return d <= 2 || d <= n / 3 ? d : NEAR_FAR;
}

/* The same for a pattern: it may also be for the beginning of names. */
static unsigned
apart_of_pattern(const char *letters, const char *name)
{
	const char *slash = strrchr(name, '/');
	unsigned d = apart(letters, name), begun;
	char start[PATH];

	snprintf(start, sizeof start, "%.*s", (int)strlen(letters), slash && *letters != '/' ? slash + 1 : name);
	begun = apart(letters, start);
	return begun < d ? begun : d;
}

void
near_note(struct near *near, const struct words *wanted, const char *name)
{
	unsigned best = NEAR_FAR, i;

	if (!*name)
		return;
	for (i = 0; i < near->n; i++)
		if (!strcmp(near->v[i].text, name))
			return;
	for (i = 0; i < wanted->n && i < WORDS; i++) {
		char word[PATH];
		unsigned d;

		if (words_letters(wanted, i, word, sizeof word))
			d = *word ? apart_of_pattern(word, name) : NEAR_FAR;
		else
			d = apart(word, name);
		best = d < best ? d : best;
	}
	if (near->n == NEAR_MAX) {
		near->more = true;
		if (best >= near->v[NEAR_MAX - 1].apart)
			return;
		free(near->v[--near->n].text);
	}
	for (i = near->n++; i && near->v[i - 1].apart > best; i--)
		near->v[i] = near->v[i - 1];
	near->v[i] = (struct near_name){ tool_alloc(strlen(name) + 1, 1), best };
	strcpy(near->v[i].text, name);
}

bool
near_is_similar(const struct near *near)
{
	return near->n && near->v[0].apart < NEAR_FAR;
}

void
near_text(const struct near *near, char *text, size_t size)
{
	bool any = near_is_similar(near);
	unsigned i;

	*text = 0;
	for (i = 0; i < near->n && i < SHOWN && (!any || near->v[i].apart < NEAR_FAR); i++) {
		size_t at = strlen(text);

		snprintf(text + at, size - at, "%s%.80s", i ? ", " : any ? "; similar: " : "; there are ", near->v[i].text);
	}
	if (i && !any && (i < near->n || near->more) && strlen(text) + 6 < size)
		strcat(text, ", ...");
}

void
near_free(struct near *near)
{
	while (near->n)
		free(near->v[--near->n].text);
}

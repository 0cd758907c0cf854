/* SPDX-License-Identifier: ISC */
/*
 * state_word.c - see state_in.h: names of threads and sets of namespaces, each once for all threads that have it
 *
 * Bytes that are both are one word: what a caller marks depends on the bytes only.
 */
#include <stdlib.h>
#include <string.h>

#include "state_in.h"

static uint32_t
next(const struct pp_state *s, uint32_t i)
{
	return ((const struct row *)(const void *)word_at(s, i))->next;
}

uint32_t
pp_state_word(struct pp_state *s, const void *p, size_t n)
{
	uint32_t key = (uint32_t)(pp_table_hash(&s->kinds, n, p, n) >> 32), i = rows_first(&s->words, key);
	char *there = NULL;
	struct pp_word *w;

	for (; i; i = rows_seek(&s->words, next(s, i), key)) {
		w = word_at(s, i);
		if (w->len == n && !memcmp(pp_word_text(w), p, n))
			return i;
	}
	if (n > WORD_HERE && !(there = malloc(n + 1)))
		return 0;
	if (!(i = pp_rows_add(&s->words, key, n > WORD_SHORT && n <= WORD_HERE))) {
		free(there);
		return 0;
	}
	w = word_at(s, i);
	w->len = (uint16_t)n;
	memcpy(there ? there : w->here, p, n);
	if (there) {
		there[n] = '\0';
		memcpy(w->here + 1, &there, sizeof there);
		s->bytes += n + 1;
	}
	return i;
}

/* Free what is not in the row. */
static void
let_go(struct pp_state *s, struct pp_word *w)
{
	if (w->len <= WORD_HERE)
		return;
	s->bytes -= w->len + 1u;
	free((void *)(uintptr_t)pp_word_text(w));
	w->len = 0;
}

void
pp_state_word_set(struct pp_state *s, uint32_t *at, uint32_t word)
{
	struct pp_word *w = word_at(s, *at);

	if (word)
		word_at(s, word)->refs++;
	if (w && !--w->refs) {
		let_go(s, w);
		pp_rows_unlist(&s->words, *at);
		pp_rows_drop(&s->words, *at);
	}
	*at = word;
}

void
pp_state_words_free(struct pp_state *s)
{
	for (uint32_t i = 1; i < s->words.of[0].used; i++)
		let_go(s, word_at(s, rows_number(&s->words, i, false)));
	pp_rows_free(&s->words);
}

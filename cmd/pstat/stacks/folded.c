/* SPDX-License-Identifier: ISC */
/* folded.c - --folded: stacks as lines of text, in order, so that lines of several outputs can be merged by adding equal ones */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"
#include "set.h"
#include "stacks/stacks.h"

/* ---- names as they stand in a line --------------------------------------------------------------- */

struct word {			/* a frame, an event or a comm */
	char		*text;
	uint32_t	 number;
};

/* What separates frames becomes what stands for it in the folded stacks of others, too; an empty name would be no frame. */
static char *
word_text(const struct frame *f)
{
	char *copy = tool_alloc(f->len + 2, 1), *text;
	size_t len = f->len ? f->len : 1;

	memcpy(copy, f->len ? f->text : "?", len);
	for (size_t i = 0; i < len; i++)
		if (copy[i] == ';')
			copy[i] = ':';
	text = text_plain(copy, len, true);
	free(copy);
	return text;
}

static int
by_text(const void *va, const void *vb)
{
	return strcmp(((const struct word *)va)->text, ((const struct word *)vb)->text);
}

/* All words in order of their texts, those of one text once; *name_of: which a frame is, by its number. */
static struct word *
words_make(const struct frames *f, uint32_t **name_of, uint32_t *nwords)
{
	uint32_t n = frames_n(f), to = 0;
	struct word *w = tool_alloc(n + (size_t)1, sizeof *w);

	*name_of = tool_alloc(n + (size_t)1, sizeof **name_of);
	for (uint32_t i = 0; i < n; i++)
		w[i] = (struct word){ word_text(frames_get(f, i + 1)), i + 1 };
	qsort(w, n, sizeof *w, by_text);
	for (uint32_t i = 0; i < n; i++) {
		if (to && !strcmp(w[to - 1].text, w[i].text))
			free(w[i].text);
		else
			w[to++] = w[i];
		(*name_of)[w[i].number] = to - 1;
	}
	*nwords = to;
	return w;
}

/* ---- lines --------------------------------------------------------------------------------------- */

enum { FOLD_COUNT = 22 };	/* a blank, the digits of UINT64_MAX, a newline */
struct fold {
	const struct tree *t;
	const struct word *word;
	const uint32_t	*order, *first;	/* nodes by parent and name; where the children of each begin */
	FILE		*f;
	char		*line;
	size_t		 cap;
};

/* " COUNT\n" at the end of a buffer; where it begins. */
static char *
fold_count(char buffer[static FOLD_COUNT], uint64_t n)
{
	char *p = buffer + FOLD_COUNT;

	*--p = '\n';
	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	*--p = ' ';
	return p;
}

/* The line of a node behind the n bytes of its parents', and those of its children. */
static void
fold_node(struct fold *x, uint32_t node, size_t n)
{
	const char *text = x->word[x->t->node[node].name].text;
	size_t len = strlen(text);
	char count[FOLD_COUNT], *p;

	x->line = tool_need(buffer_more(x->line, &x->cap, n, len + 2));
	if (n)
		x->line[n++] = ';';
	memcpy(x->line + n, text, len);
	n += len;
	if (x->t->node[node].self) {
		p = fold_count(count, x->t->node[node].self);
		fwrite(x->line, 1, n, x->f);
		fwrite(p, 1, (size_t)(count + FOLD_COUNT - p), x->f);
	}
	for (uint32_t i = x->first[node]; i < x->first[node + 1]; i++)
		fold_node(x, x->order[i], n);
}

void
stacks_fold(struct stacks *s, FILE *f)
{
	uint32_t *name_of, nwords, events, *order, *first;
	struct word *w = words_make(s->frames, &name_of, &nwords);
	struct fold x = { .word = w, .f = f };

	if (!tree_rename(&s->tree, name_of) || !(order = tree_order(&s->tree, nwords)))
		tool_no_memory();
	first = tool_alloc(s->tree.n + (size_t)2, sizeof *first);
	for (uint32_t i = 1; i < s->tree.n; i++)
		first[s->tree.node[i].parent + 2]++;
	for (uint32_t i = 0; i <= s->tree.n; i++)
		first[i + 1] += first[i];
	x.t = &s->tree;
	x.order = order;
	x.first = first + 1;
	events = x.first[1] - x.first[0];
	for (uint32_t i = x.first[0]; i < x.first[1]; i++)
		if (events > 1)
			fold_node(&x, order[i], 0);
		else
			for (uint32_t k = x.first[order[i]]; k < x.first[order[i] + 1]; k++)
				fold_node(&x, order[k], 0);
	for (uint32_t i = 0; i < nwords; i++)
		free(w[i].text);
	free(w);
	free(name_of);
	free(order);
	free(first);
	free(x.line);
}

/* ---- the part ------------------------------------------------------------------------------------ */

static int
folded(FILE *f, const struct report *r)
{
	stacks_fold(r->pass->part[PART_folded], f);
	return 1;
}

static void *
folded_new(struct pass *p)
{
	struct stacks *s;

	if (!p->asked->folded)
		return NULL;
	s = tool_alloc(1, sizeof *s);
	s->events = p->asked->events;
	s->mode = -1;
	s->periods = p->asked->periods;
	s->max = TREE_NODES;
	p->form = folded;
	return s;
}

static void
folded_begin(void *part, struct pass *p)
{
	stacks_begin(part, p->t, p->c, pass_naming(p));
}

static bool
folded_end(void *part, struct pass *p)
{
	struct stacks *s = part;
	bool exact = stacks_end(s);

	if (s->tree.folded)
		tool_warn(p->t, "--folded: too many different stacks: %" PRIu64 " rare ends of them are in lines with (other)",
		    s->tree.folded);
	if (s->dropped)
		tool_warn(p->t, "--folded: %" PRIu64 " samples have a damaged call chain: only their innermost frame is taken, as in perf",
		    s->dropped);
	if (s->samples && s->flat == s->samples)
		tool_warn(p->t, "--folded: no sample has a call chain: perf record -g records them");
	return exact;
}

static void
folded_free(void *part)
{
	stacks_free(part);
	free(part);
}

const struct part_kind part_folded = { .new = folded_new, .begin = folded_begin, .end = folded_end, .free = folded_free };

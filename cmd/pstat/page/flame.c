/* SPDX-License-Identifier: ISC */
/*
 * flame.c - call chains: what the page has of them without a script, and what flame.js draws them of again.
 *
 *	{"above": levels of boxes that are no functions, "names": [...], "kinds": a digit for each name,
 *	 "nodes": how many, "tree": of each but the first, in preorder: how far behind its parent it is, and its name,
 *	 "bins": how many, "pairs": how many in all of them,
 *	 "times": of each bin: its columns, its pairs, and of each pair: the node, less that of the pair before it, and samples that end there,
 *	 "a": of a comparison, "bins", "pairs" and "times" of A; the others are those of B}
 *
 * "tree" and "times" are numbers of 7 bits to a byte, the lowest first, all bytes but the last with bit 7, in base64.  A bin of no
 * column has the samples without a time.  There is nothing in them that --folded does not say.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "page/in.h"
#include "picture/svg.h"

enum {
	FLAME_DATA = 8 << 20,		/* bytes of the JSON; wider bins make it less */
	FLAME_ROWS = 50,		/* functions in the table; the script shows more */
};

const struct panel *
page_find_flame(const struct panels *all)
{
	for (unsigned i = 0; i < all->n; i++)
		if (all->panel[i].kind == PANEL_FLAME)
			return &all->panel[i];
	return NULL;
}

/* ---- functions ------------------------------------------------------------------------------------ */

static int
by_self(const void *va, const void *vb)
{
	const struct function *a = va, *b = vb;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->text < b->text ? -1 : a->text > b->text;
}

struct function *
page_functions(const struct panel *p)
{
	struct function *all = tool_alloc(p->ntexts, sizeof *all);
	uint32_t at = 0;		/* the box before */

	for (uint32_t i = 0; i < p->ntexts; i++)
		all[i].text = i;
	for (uint32_t i = 1; i < p->nboxes; i++) {
		const struct panel_box *b = &p->box[i];

		for (; at != b->parent; at = p->box[at].parent)
			all[p->box[at].text].open--;
		all[b->text].self += b->self;
		all[b->text].total += all[b->text].open++ ? 0 : b->total;
		at = i;
	}
	for (uint32_t i = 0; i < p->nboxes; i++)
		if (p->box[i].kind == p->box[0].kind)
			all[p->box[i].text].self = all[p->box[i].text].total = 0;
	return all;
}

static void
flame_number(FILE *f, uint64_t n, uint64_t all)
{
	char text[SVG_TEXT];

	fprintf(f, "<td>%s</td>", svg_exact(text, n));
	fprintf(f, "<td>%s</td>", svg_percent(text, n, all));
}

static void
flame_table(FILE *f, const struct panel *p)
{
	struct function *all = page_functions(p);
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->ntexts; i++)	/* most texts may be names of commands */
		if (all[i].total)
			all[n++] = all[i];
	qsort(all, n, sizeof *all, by_self);
	fputs("<div class=\"box\" tabindex=\"0\" role=\"region\" aria-labelledby=\"functions-h\"><table id=\"functions\">\n"
	    "<caption id=\"functions-h\">Functions: self: samples in it; total: with it anywhere in the call chain</caption>\n"
	    "<thead><tr><th scope=\"col\" class=\"t\">function</th><th scope=\"col\">self</th><th scope=\"col\">share</th>"
	    "<th scope=\"col\">total</th><th scope=\"col\">share</th></tr></thead>\n<tbody>\n", f);
	for (uint32_t i = 0; i < n && i < FLAME_ROWS; i++) {
		fputs("<tr><th scope=\"row\" class=\"t\">", f);
		page_text(f, p->text[all[i].text], PAGE_NAME);
		fputs("</th>", f);
		flame_number(f, all[i].self, p->top);
		flame_number(f, all[i].total, p->top);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
	free(all);
}

/* ---- data ------------------------------------------------------------------------------------------ */

static void
flame_put(FILE *f, uint64_t n)
{
	for (; n > 127; n >>= 7)
		fputc((int)(n & 127) | 128, f);
	fputc((int)n, f);
}

/* What is written into memory. */
struct text { char *p; size_t n; FILE *f; };

static struct text *
text_open(struct text *t)
{
	t->f = tool_text(&t->p, &t->n);
	return t;
}

static void
text_close(struct text *t)
{
	tool_text_end(t->f, &t->p);
}

static void
text_base64(FILE *f, struct text *t)
{
	page_base64(f, (const uint8_t *)t->p, t->n);
	free(t->p);
}

/* Names, as far as boxes have them, and the tree. */
static void
flame_tree(FILE *f, const struct panel *p)
{
	uint32_t *number = tool_alloc(p->ntexts, sizeof *number), names = 0;
	const char *before = "";
	char *kinds = tool_alloc((size_t)p->ntexts + 1, 1);
	struct text tree;

	text_open(&tree);
	fprintf(f, "{\"above\":%u,\"names\":[", p->above);
	for (uint32_t i = 0; i < p->nboxes; i++) {
		const struct panel_box *b = &p->box[i];

		if (!number[b->text]) {
			kinds[names++] = (char)('0' + b->kind % 10);
			number[b->text] = names;
			fputs(before, f);
			svg_json(f, p->text[b->text], PANEL_NAME);
			before = ",";
		}
		if (i) {
			flame_put(tree.f, i - b->parent);
			flame_put(tree.f, number[b->text] - 1);
		}
	}
	text_close(&tree);
	fprintf(f, "],\n\"kinds\":\"%s\",\"nodes\":%" PRIu32 ",\"tree\":\"", kinds, p->nboxes);
	text_base64(f, &tree);
	fputs("\"", f);
	free(kinds);
	free(number);
}

/* The first column of each bin of `by' columns, at least as wide as those of the moments, and behind the last one all columns. */
static uint32_t *
flame_bins(const struct panel *p, unsigned by, uint32_t *nbins)
{
	const struct axis *a = p->axis;
	uint32_t *first = tool_alloc(a->n + 1, sizeof *first), n = 0;
	uint64_t width = p->width ? p->width : 1;

	for (uint32_t i = 0, k = 0; i < a->n; i++)
		if (!i || a->start[i] / width != a->start[i - 1] / width)
			if (k++ % by == 0)
				first[n++] = i;
	first[n] = a->n;
	*nbins = n;
	return first;
}

static int
by_node(const void *va, const void *vb)
{
	const struct moment *a = va, *b = vb;

	return a->node < b->node ? -1 : a->node > b->node;
}

/* A bin of n moments, which are brought into order.  How many pairs it has. */
static uint32_t
flame_bin(FILE *f, struct moment *m, size_t n, uint32_t columns)
{
	uint32_t pairs = 0, node = 0;

	qsort(m, n, sizeof *m, by_node);
	for (size_t i = 0; i < n; i++)
		pairs += !i || m[i].node != m[i - 1].node;
	flame_put(f, columns);
	flame_put(f, pairs);
	for (size_t i = 0, to; i < n; i = to) {
		uint64_t sum = 0;

		for (to = i; to < n && m[to].node == m[i].node; to++)
			sum += m[to].n;
		flame_put(f, m[i].node - node);
		flame_put(f, sum);
		node = m[i].node;
	}
	return pairs;
}

/* The times in bins of `by' columns, as JSON that continues that of the tree. */
static void
flame_times(FILE *f, const struct panel *p, unsigned by)
{
	uint32_t nbins, *first = flame_bins(p, by, &nbins), pairs = 0, bins = nbins;
	struct moment *m = tool_alloc(p->nmoments, sizeof *m);
	size_t i = 0, to;
	struct text times;

	text_open(&times);
	if (p->nmoments)
		memcpy(m, p->moment, p->nmoments * sizeof *m);
	for (uint32_t b = 0; b < nbins; b++, i = to) {
		for (to = i; to < p->nmoments && m[to].bin < first[b + 1]; to++)
			;
		pairs += flame_bin(times.f, m + i, to - i, first[b + 1] - first[b]);
	}
	if (i < p->nmoments) {		/* MOMENT_NEVER is the largest number */
		pairs += flame_bin(times.f, m + i, p->nmoments - i, 0);
		bins++;
	}
	text_close(&times);
	fprintf(f, ",\n\"bins\":%" PRIu32 ",\"pairs\":%" PRIu32 ",\"times\":\"", bins, pairs);
	text_base64(f, &times);
	fputs("\"}", f);
	free(first);
	free(m);
}

/* The JSON, which the caller frees.  *by: so many columns of time are a bin, that it is not too large. */
static char *
flame_data(const struct panel *p, unsigned *by)
{
	struct text tree, times, all;

	text_open(&tree);
	flame_tree(tree.f, p);
	text_close(&tree);
	for (*by = 1;; *by *= 2) {
		text_open(&times);
		flame_times(times.f, p, *by);
		text_close(&times);
		if (tree.n + times.n <= FLAME_DATA || *by >= p->axis->n)
			break;
		free(times.p);
	}
	text_open(&all);
	fputs(tree.p, all.f);
	fputs(times.p, all.f);
	text_close(&all);
	free(tree.p);
	free(times.p);
	return all.p;
}

/* What ends in each box, as one bin without a time. */
static void
flame_selves(FILE *f, const struct panel *p)
{
	uint32_t pairs = 0, node = 0;
	struct text times;

	text_open(&times);
	for (uint32_t i = 0; i < p->nboxes; i++)
		pairs += p->box[i].self != 0;
	flame_put(times.f, 0);
	flame_put(times.f, pairs);
	for (uint32_t i = 0; i < p->nboxes; i++)
		if (p->box[i].self) {
			flame_put(times.f, i - node);
			flame_put(times.f, p->box[i].self);
			node = i;
		}
	text_close(&times);
	fprintf(f, "\"bins\":1,\"pairs\":%" PRIu32 ",\"times\":\"", pairs);
	text_base64(f, &times);
	fputs("\"}", f);
}

char *
page_change_data(const struct panel *p, const struct panel *before)
{
	struct text all;

	text_open(&all);
	flame_tree(all.f, p);
	fputs(",\n\"a\":{", all.f);
	flame_selves(all.f, before);
	fputs(",\n", all.f);
	flame_selves(all.f, p);
	text_close(&all);
	return all.p;
}

/* ---- the section ----------------------------------------------------------------------------------- */

void
page_flame_notes(FILE *f, const struct panel *p)
{
	for (unsigned i = 0; i < p->nnotes; i++) {
		fputs("<p class=\"note\">", f);
		page_marked(f, p->note[i]);
		fputs(".</p>\n", f);
	}
}

void
page_chains_begin(FILE *f)
{
	fputs("<section id=\"chains\" aria-labelledby=\"chains-h\"><h2 id=\"chains-h\">Call chains</h2>\n", f);
}

void
page_chains_picture(FILE *f, const struct panel *p, const struct draw *draw, unsigned id)
{
	fputs("<div id=\"chains-tools\" hidden><label>find <input id=\"find\" type=\"search\" placeholder=\"text or /expression/\" spellcheck=\"false\">"
	    "</label> <button id=\"inverted\" type=\"button\" aria-pressed=\"false\">inverted</button> "
	    "<span id=\"found\" role=\"status\" aria-live=\"polite\"></span></div>\n"
	    "<p id=\"chains-head\"></p>\n"
	    "<div class=\"chains\"><div class=\"wide\"><p id=\"chains-path\"></p>\n<p id=\"chains-kinds\"></p>\n", f);
	fprintf(f, "<figure id=\"pic%u\" class=\"box flame\">\n", id);
	draw_svg_part(f, p, draw, id);
	fputs("<figcaption>", f);
	page_text(f, p->desc ? p->desc : "", 0);
	fputs(".</figcaption></figure></div>\n", f);
}

void
page_chains_end(FILE *f, const char *data)
{
	fputs("</div></section>\n<script type=\"application/json\" id=\"chains-data\">", f);
	fputs(data, f);
	fputs("</script>\n", f);
}

void
page_flame(FILE *f, const struct page *p)
{
	const struct panel *flame = p->flame;
	unsigned id = (unsigned)(flame - pictures_panels(p->pictures)->panel) + 1, by;
	char *data = flame_data(flame, &by), text[SVG_TEXT];

	page_chains_begin(f);
	page_flame_notes(f, flame);
	if (by > 1 || flame->width > flame->axis->width)
		fprintf(f, "<p class=\"note\">Of a selection of time, call chains are counted in bins of %s.</p>\n",
		    svg_duration(text, by * flame->width));
	page_chains_picture(f, flame, &p->draw, id);
	flame_table(f, flame);
	page_chains_end(f, data);
	free(data);
}

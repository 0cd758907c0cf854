/* SPDX-License-Identifier: ISC */
/*
 * flame.c - see flame.h
 *
 * Nodes are matched by the names on their way from the root, so the builds may differ.  Those of B come first, under the numbers
 * that they have there, then those that only A has.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "in.h"
#include "merge/flame.h"
#include "page/page.h"
#include "picture/in.h"

enum { A, B, SIDES };

struct flame_node {
	uint32_t parent, name;		/* numbers of a node, of a text */
	uint8_t	 kind;			/* enum frame_kind */
	uint64_t total[SIDES], self[SIDES];
};
struct diff_flame {
	struct tool	*tool;
	const struct diff *diff;
	struct flame_node *node;
	uint32_t	 n, nb;		/* all; those of B */
	uint64_t	 top[SIDES];	/* samples */
	struct panels	 panels;	/* one, whose texts are the names */
	struct draw	 draw;
	const struct asked *asked;
};

static const char flame_name[] = "flame";	/* of the table, and the picture */

/* ---- reading: nothing in a report is trusted ------------------------------------------------------- */

enum { BOX, PARENT, NAME, KIND, TOTAL, SELF };	/* columns of boxes_table */

void
diff_flame_expect(struct merge *m)
{
	static struct table flame;

	flame = boxes_table;
	flame.name = flame_name;
	merge_expect(m, &flame);
}

static int
flame_kind(const struct cell *c)
{
	for (int i = 0; c->known && i < FRAME_KINDS; i++)
		if (!strcmp(c->text, flame_kinds[i]))
			return i;
	return -1;
}

/* Is each total what ends there and the totals above? */
static bool
flame_adds_up(const struct flame_node *node, uint32_t n, int side)
{
	uint64_t *sum = tool_alloc(n, sizeof *sum);
	bool sound = true;

	for (uint32_t i = n; i-- > 0 && sound;) {
		sound = !__builtin_add_overflow(sum[i], node[i].self[side], &sum[i]) && sum[i] == node[i].total[side];
		if (i && sound)
			sound = !__builtin_add_overflow(sum[node[i].parent], sum[i], &sum[node[i].parent]);
	}
	free(sum);
	return sound;
}

/* The boxes of a side; names are numbers of their rows, from `base' on.  NULL: they are not what pstat writes. */
static struct flame_node *
flame_read(const struct merge_table *t, int side, uint32_t base)
{
	struct flame_node *node = tool_alloc(t->n + 1, sizeof *node);
	bool sound = t->n < UINT32_MAX / 2;

	for (uint32_t i = 0; i < t->n && sound; i++) {
		const struct cell *c = t->row[i]->cell;
		int kind = flame_kind(&c[KIND]);

		sound = c[BOX].known && c[BOX].num == i && c[PARENT].known == (i != 0) && c[NAME].known && kind >= 0 && c[TOTAL].known &&
		    c[SELF].known && (!i || c[PARENT].num < i);
		if (sound)
			node[i] = (struct flame_node){ .parent = i ? (uint32_t)c[PARENT].num : 0, .name = base + i, .kind = (uint8_t)kind };
		node[i].total[side] = c[TOTAL].num;
		node[i].self[side] = c[SELF].num;
	}
	if (sound && flame_adds_up(node, (uint32_t)t->n, side))
		return node;
	free(node);
	return NULL;
}

/* ---- matching -------------------------------------------------------------------------------------- */

struct flame_word { const char *text; uint32_t row; };

static int
by_text(const void *va, const void *vb)
{
	return strcmp(((const struct flame_word *)va)->text, ((const struct flame_word *)vb)->text);
}

/* Give the rows of both sides numbers of their texts, which become those of the panel, in order. */
static uint32_t *
flame_words(struct panel *p, const struct merge_table *t[SIDES])
{
	size_t n = t[A]->n + t[B]->n;
	struct flame_word *w = tool_alloc(n + 1, sizeof *w);
	uint32_t *number = tool_alloc(n + 1, sizeof *number), k = 0;

	for (int s = 0; s < SIDES; s++)
		for (size_t i = 0; i < t[s]->n; i++, k++)
			w[k] = (struct flame_word){ t[s]->row[i]->cell[NAME].text, k };
	qsort(w, n, sizeof *w, by_text);
	p->text = tool_alloc(n + 1, sizeof *p->text);
	for (size_t i = 0; i < n; i++) {
		if (!i || by_text(&w[i - 1], &w[i]))
			p->text[p->ntexts++] = option_text("%s", w[i].text);
		number[w[i].row] = p->ntexts - 1;
	}
	free(w);
	return number;
}

static int
by_place(const void *va, const void *vb)
{
	const struct flame_node *a = *(struct flame_node *const *)va, *b = *(struct flame_node *const *)vb;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return a->kind - b->kind;
}

/* Add the n nodes of A to those of B, with the same number, or behind them. */
static void
flame_match(struct diff_flame *d, const struct flame_node *a, uint32_t n)
{
	struct flame_node **of = tool_alloc(d->nb + (size_t)1, sizeof *of), **at, looked, *key = &looked;
	uint32_t *to = tool_alloc(n + (size_t)1, sizeof *to);

	for (uint32_t i = 1; i < d->nb; i++)
		of[i - 1] = &d->node[i];
	if (d->nb > 1)
		qsort(of, d->nb - 1, sizeof *of, by_place);
	for (uint32_t i = 0; i < n; i++) {
		looked = a[i];
		looked.parent = to[a[i].parent];
		at = i && d->nb > 1 && looked.parent < d->nb ? bsearch(&key, of, d->nb - 1, sizeof *of, by_place) : NULL;
		to[i] = !i && d->nb ? 0 : at ? (uint32_t)(*at - d->node) : d->n++;
		if (to[i] >= d->nb)
			d->node[to[i]] = looked;
		else {
			d->node[to[i]].total[A] += a[i].total[A];
			d->node[to[i]].self[A] += a[i].self[A];
		}
	}
	free(of);
	free(to);
}

/* ---- what differs ---------------------------------------------------------------------------------- */

static double
flame_points(const struct diff_flame *d, const struct flame_node *x)
{
	return !d->top[A] || !d->top[B] ? 0 : (double)x->total[B] / (double)d->top[B] - (double)x->total[A] / (double)d->top[A];
}

static double
flame_error(const struct diff_flame *d, const struct flame_node *x)
{
	return diff_error(x->total[A], d->top[A], x->total[B], d->top[B]);
}

static bool
flame_is_noise(const struct diff_flame *d, const struct flame_node *x)
{
	double points = flame_points(d, x);

	return (points < 0 ? -points : points) < flame_error(d, x) || points == 0;
}

static int32_t
flame_ppm(double share)
{
	return (int32_t)(share * 1e6 + (share < 0 ? -.5 : .5));
}

static void
flame_boxes(const struct diff_flame *d, struct panel *p)
{
	uint64_t *from = tool_alloc(d->nb + (size_t)1, sizeof *from);

	p->box = tool_alloc(d->nb + (size_t)1, sizeof *p->box);
	p->change = tool_alloc(d->nb + (size_t)1, sizeof *p->change);
	for (uint32_t i = 0; i < d->nb; i++) {
		const struct flame_node *x = &d->node[i];
		unsigned depth = i ? p->box[x->parent].depth + 1u : 0;

		p->box[i] = (struct panel_box){ from[x->parent], x->total[B], x->self[B], x->parent, x->name,
		    depth < UINT16_MAX ? (uint16_t)depth : UINT16_MAX, x->kind };
		if (i)
			from[x->parent] += x->total[B];
		from[i] = p->box[i].from;
		p->change[i] = (struct panel_change){ x->total[A], flame_ppm(flame_points(d, x)), flame_is_noise(d, x) };
	}
	p->nboxes = d->nb;
	free(from);
}

/* So many samples of A have each text in their chain, or end in it. */
struct flame_gone { uint64_t total, self; uint32_t text, open; uint8_t kind; bool of[SIDES]; };

/* All nodes in preorder. */
static uint32_t *
flame_order(const struct diff_flame *d)
{
	uint32_t *first = tool_alloc(d->n + (size_t)1, sizeof *first), *next = tool_alloc(d->n + (size_t)1, sizeof *next);
	uint32_t *order = tool_alloc(d->n + (size_t)1, sizeof *order), at = 0;

	for (uint32_t i = d->n; i-- > 1;) {
		next[i] = first[d->node[i].parent];
		first[d->node[i].parent] = i;
	}
	for (uint32_t n = 0; n < d->n;) {
		order[n++] = at;
		if (first[at]) {
			at = first[at];
			continue;
		}
		while (at && !next[at])
			at = d->node[at].parent;
		at = next[at];
	}
	free(first);
	free(next);
	return order;
}

/* Count each chain once for a text that is in it several times: while a node with it is open, those above it do not count. */
static void
flame_texts(const struct diff_flame *d, struct flame_gone *g)
{
	uint32_t *order = flame_order(d), at = 0;

	for (uint32_t i = 0; i < d->n; i++) {
		const struct flame_node *x = &d->node[order[i]];
		struct flame_gone *of = &g[x->name];

		for (; i && at != x->parent; at = d->node[at].parent)
			g[d->node[at].name].open--;
		of->of[A] |= x->total[A] != 0;
		of->of[B] |= x->total[B] != 0;
		of->total += of->open++ ? 0 : x->total[A];
		of->self += x->self[A];
		of->kind = x->kind;
		at = order[i];
	}
	free(order);
}

static int
by_total(const void *va, const void *vb)
{
	const struct panel_gone *a = va, *b = vb;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->text < b->text ? -1 : a->text > b->text;
}

static void
flame_gone(const struct diff_flame *d, struct panel *p)
{
	struct flame_gone *g = tool_alloc(p->ntexts + (size_t)1, sizeof *g);

	flame_texts(d, g);
	p->gone = tool_alloc(p->ntexts + (size_t)1, sizeof *p->gone);
	for (uint32_t i = 0; i < p->ntexts; i++)
		if (g[i].of[A] && !g[i].of[B])
			p->gone[p->ngone++] = (struct panel_gone){ i, g[i].kind, g[i].total, g[i].self,
			    flame_is_noise(d, &(struct flame_node){ .total = { g[i].total } }) };
	if (p->ngone)
		qsort(p->gone, p->ngone, sizeof *p->gone, by_total);
	free(g);
}

/* ---- words ----------------------------------------------------------------------------------------- */

/* Samples of a side that end in frames of that kind. */
static uint64_t
flame_ends(const struct diff_flame *d, int side, enum frame_kind kind)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < d->n; i++)
		n += d->node[i].kind == kind ? d->node[i].self[side] : 0;
	return n;
}

static double
flame_percent(const struct diff_flame *d, int side, uint64_t n)
{
	return d->top[side] ? 100 * (double)n / (double)d->top[side] : 0;
}

static void
flame_notes(const struct diff_flame *d, struct panel *p)
{
	static const char letter[] = "AB";
	uint64_t nameless[SIDES], lost = 0;

	for (int s = 0; s < SIDES; s++) {
		nameless[s] = flame_ends(d, s, FRAME_NAMELESS) + flame_ends(d, s, FRAME_MAPLESS);
		if (!d->top[s])
			panel_note(p, option_text("%c has no samples, so nothing is compared", letter[s]));
		else if (!diff_exact(d->diff, s))
			panel_note(p, option_text("%c: its counts are not exact: rare ends of call chains may be in boxes (other)", letter[s]));
	}
	if (nameless[A] || nameless[B])
		panel_note(p, option_text("of A %.1f %%, of B %.1f %% of samples end in frames that have no name",
		    flame_percent(d, A, nameless[A]), flame_percent(d, B, nameless[B])));
	for (uint32_t i = d->nb; i < d->n; i++)
		lost += d->node[i].self[A];
	if (d->n > d->nb)
		panel_note(p, option_text("%" PRIu32 " box%s that only A has, in which %.1f %% of its samples end, %s no width here", d->n - d->nb,
		    d->n - d->nb == 1 ? "" : "es", flame_percent(d, A, lost), d->n - d->nb == 1 ? "has" : "have"));
}

static void
flame_panel(struct diff_flame *d, struct panel *p)
{
	uint32_t more = 0, less = 0;

	p->kind = PANEL_FLAME;
	p->name = option_text("%s", flame_name);
	p->unit = "sample";
	p->samples = p->top = d->top[B];
	p->before = d->top[A];
	flame_boxes(d, p);
	flame_gone(d, p);
	flame_notes(d, p);
	for (uint32_t i = 0; i < p->nboxes; i++) {
		more += !p->change[i].noise && p->change[i].ppm > 0;
		less += !p->change[i].noise && p->change[i].ppm < 0;
	}
	p->title = option_text("Call chains of B, and how their shares differ from those in A");
	p->subtitle = option_text("A: %s, %" PRIu64 " sample%s; B: %s, %" PRIu64 " sample%s that are not idle; width: samples of B",
	    diff_file(d->diff, A), d->top[A], d->top[A] == 1 ? "" : "s", diff_file(d->diff, B), d->top[B], d->top[B] == 1 ? "" : "s");
	p->desc = option_text("%" PRIu32 " boxes: %" PRIu32 " have a larger share in B, %" PRIu32 " a smaller one; %" PRIu32 " name%s only in A",
	    p->nboxes, more, less, p->ngone, p->ngone == 1 ? "" : "s");
}

struct diff_flame *
diff_flame_new(struct tool *t, struct merge *a, struct merge *b, const struct diff *diff, const struct asked *asked)
{
	struct diff_flame *d = tool_alloc(1, sizeof *d);
	const struct merge_table *table[SIDES] = { merge_table(a, flame_name), merge_table(b, flame_name) };
	struct flame_node *of[SIDES] = { NULL, NULL };
	uint32_t *number;

	d->tool = t;
	d->diff = diff;
	d->asked = asked;
	d->panels = (struct panels){ .panel = tool_alloc(1, sizeof *d->panels.panel), .n = 1 };
	for (int s = 0; s < SIDES; s++)
		if (!table[s]->given || !(of[s] = flame_read(table[s], s, s == A ? 0 : (uint32_t)table[A]->n))) {
			t->in_err.file = t->names[s];
			pp_fail(&t->in_err, "%s", table[s]->given ? "table flame is not what pstat writes" :
			    "the report has no table flame; pstat --json --picture flame writes it");
			for (int k = 0; k < s; k++)
				free(of[k]);
			diff_flame_free(d);
			return NULL;
		}
	number = flame_words(d->panels.panel, table);
	for (int s = 0; s < SIDES; s++)
		for (size_t i = 0; i < table[s]->n; i++)
			of[s][i].name = number[of[s][i].name];
	free(number);
	d->n = d->nb = (uint32_t)table[B]->n;
	d->node = tool_alloc(table[A]->n + table[B]->n + 1, sizeof *d->node);
	memcpy(d->node, of[B], d->n * sizeof *d->node);
	flame_match(d, of[A], (uint32_t)table[A]->n);
	free(of[A]);
	free(of[B]);
	d->top[A] = d->n ? d->node[0].total[A] : 0;
	d->top[B] = d->nb ? d->node[0].total[B] : 0;
	flame_panel(d, d->panels.panel);
	draw_choose(&d->draw, asked, t);
	d->draw.icicle |= asked->page != NULL;
	return d;
}

void
diff_flame_free(struct diff_flame *d)
{
	if (!d)
		return;
	panels_free(&d->panels);
	free(d->node);
	free(d);
}

/* ---- forms ----------------------------------------------------------------------------------------- */

static const struct column flame_columns[] = {
	{ "box", CELL_NUM, ADDS_KEY, "its number; those that only A has come last" },
	{ "parent", CELL_NUM, ADDS_KEY, "that of the box below it; of all: none" },
	{ "name", CELL_TEXT, ADDS_KEY, "function, [file] without names, [no map], comm or event" },
	{ "kind", CELL_TEXT, ADDS_KEY, "what it is" },
	{ "total_a", CELL_NUM, ADDS_SUM, "samples in A, with those of the boxes above it" },
	{ "total_b", CELL_NUM, ADDS_SUM, "samples in B" },
	{ "self_a", CELL_NUM, ADDS_SUM, "those that end in it in A" },
	{ "self_b", CELL_NUM, ADDS_SUM, "those that end in it in B" },
	{ "difference_ppm", CELL_SIGNED, ADDS_SUM, "its share of all in B less that in A, millionths" },
	{ "error_ppm", CELL_NUM, ADDS_SUM, "difference_ppm is right to so many, with a confidence of 95 %" },
	{ "noise", CELL_BOOL, ADDS_MIN, "the shares do not differ by 2 standard deviations" },
};

static void
flame_rows(const void *of, report_put *put, void *arg)
{
	const struct diff_flame *d = of;

	for (uint32_t i = 0; i < d->n; i++) {
		const struct flame_node *x = &d->node[i];

		put(arg, (struct cell[]){ cell_num(i), cell_num_if(i != 0, x->parent), cell_text(d->panels.panel->text[x->name]),
		    cell_text(flame_kinds[x->kind]), cell_num(x->total[A]), cell_num(x->total[B]), cell_num(x->self[A]), cell_num(x->self[B]),
		    cell_signed(flame_ppm(flame_points(d, x))), cell_num((uint64_t)flame_ppm(flame_error(d, x))),
		    cell_bool(flame_is_noise(d, x)) });
	}
}

static const struct column gone_columns[] = {
	{ "name", CELL_TEXT, ADDS_KEY, "what B does not have at all" },
	{ "kind", CELL_TEXT, ADDS_KEY, "what it is" },
	{ "total", CELL_NUM, ADDS_SUM, "samples of A that have it in their chain" },
	{ "self", CELL_NUM, ADDS_SUM, "samples of A that end in it" },
	{ "noise", CELL_BOOL, ADDS_MIN, "chance explains that B has none" },
};

static void
gone_rows(const void *of, report_put *put, void *arg)
{
	const struct diff_flame *d = of;
	const struct panel *p = d->panels.panel;

	for (uint32_t i = 0; i < p->ngone; i++)
		put(arg, (struct cell[]){ cell_text(p->text[p->gone[i].text]), cell_text(flame_kinds[p->gone[i].kind]), cell_num(p->gone[i].total),
		    cell_num(p->gone[i].self), cell_bool(p->gone[i].noise) });
}

static const struct table flame_diff = { "flame_diff", "boxes of two flame graphs", TABLE(flame_columns), TABLE_ROWS, SCREEN_OFF,
    .rows = flame_rows };
static const struct table flame_only_a = { "flame_only_a", "names that only A has", TABLE(gone_columns), TABLE_ROWS, SCREEN_OFF,
    .rows = gone_rows };

void
diff_flame_add(const struct diff_flame *d, struct report *r)
{
	report_add(r, &flame_diff, d);
	report_add(r, &flame_only_a, d);
}

int
diff_flame_draw(FILE *f, const struct report *r)
{
	const struct diff_flame *d = report_part(r, flame_diff.name)->of;

	draw_panels(f, &d->panels, &d->draw, r);
	return 1;
}

/*
 * What the page draws again, of all boxes of both, A's samples and B's in a panel each.  A text there is of one kind: that of a
 * function is not that of a comm with the same name.
 */
static void
flame_sides(const struct diff_flame *d, struct panel of[SIDES])
{
	const struct panel *p = d->panels.panel;
	uint32_t *order = flame_order(d), *place = tool_alloc(d->n + (size_t)1, sizeof *place), texts = 0;
	uint32_t *number = tool_alloc((size_t)p->ntexts * FRAME_KINDS + 1, sizeof *number);
	char **text = tool_alloc(d->n + (size_t)1, sizeof *text);

	for (int s = 0; s < SIDES; s++)
		of[s] = (struct panel){ .kind = PANEL_FLAME, .box = tool_alloc(d->n + (size_t)1, sizeof *of[s].box), .nboxes = d->n, .text = text,
		    .top = d->top[s] };
	for (uint32_t i = 0; i < d->n; i++) {
		const struct flame_node *x = &d->node[order[i]];
		size_t key = (size_t)x->name * FRAME_KINDS + x->kind;

		place[order[i]] = i;
		if (!number[key]) {
			text[texts++] = p->text[x->name];
			number[key] = texts;
		}
		for (int s = 0; s < SIDES; s++)
			of[s].box[i] = (struct panel_box){ .total = x->total[s], .self = x->self[s], .parent = place[x->parent],
			    .text = number[key] - 1, .kind = x->kind };
	}
	of[A].ntexts = of[B].ntexts = texts;
	free(order);
	free(place);
	free(number);
}

int
diff_flame_page(FILE *f, const struct report *r)
{
	const struct diff_flame *d = report_part(r, flame_diff.name)->of;
	struct panel of[SIDES];
	int rc;

	flame_sides(d, of);
	rc = page_change(f, r, &(struct page_change){ .flame = d->panels.panel, .of = { &of[A], &of[B] }, .draw = &d->draw,
	    .events = d->asked->events, .cpumode = d->asked->cpumode, .error = diff_error });
	free(of[A].text);
	free(of[A].box);
	free(of[B].box);
	return rc;
}

/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "picture/in.h"

static const struct panel *
tables_panel(const struct picture *pic)
{
	return pic->number < pic->panels->n ? &pic->panels->panel[pic->number] : NULL;
}

static const struct column cells_columns[] = {
	{ "time_ns", CELL_NUM, ADDS_KEY, "start of the bin" },
	{ "band", CELL_TEXT, ADDS_KEY, "CPU, process or key" },
	{ "samples", CELL_NUM, ADDS_SUM, "samples" },
};

/* Cells with samples, by time. */
static void
cells_rows(const void *of, report_put *put, void *arg)
{
	const struct panel *panel = tables_panel(of);

	for (unsigned i = 0; panel && i < panel->axis->n; i++)
		for (unsigned k = 0; k < panel->nbands; k++) {
			const struct band *b = &panel->band[k];

			if (b->count[i])
				put(arg, (struct cell[]){ cell_num(panel->axis->start[i] + b->from), cell_text(b->label), cell_num(b->count[i]) });
		}
}

static const struct column places_columns[] = {
	{ "offset", CELL_NUM, ADDS_KEY, "byte of the stream at which the place begins" },
	{ "behind_ns", CELL_NUM, ADDS_ROUGH, "how far its records are behind the newest before them, at most" },
	{ "late", CELL_NUM, ADDS_SUM, "its records that are later than two rounds allow" },
	{ "late_ns", CELL_NUM, ADDS_ROUGH, "the most by which they are late" },
};

/* Places in which something is out of order. */
static void
places_rows(const void *of, report_put *put, void *arg)
{
	const struct panel *p = tables_panel(of);

	for (unsigned i = 0; p && i < p->nplaces; i++)
		if (p->place[i].behind)
			put(arg, (struct cell[]){ cell_num(i * p->width), cell_num(p->place[i].behind), cell_num(p->place[i].late),
			    cell_num(p->place[i].late_ns) });
}

static const struct column parts_columns[] = {
	{ "part", CELL_TEXT, ADDS_KEY, "what it is" },
	{ "bytes", CELL_NUM, ADDS_SUM, "its bytes" },
};

static void
parts_rows(const void *of, report_put *put, void *arg)
{
	const struct panel *p = tables_panel(of);

	for (unsigned i = 0; p && i < p->nbands; i++)
		put(arg, (struct cell[]){ cell_text(p->band[i].label), cell_num(p->band[i].total) });
}

static const struct column boxes_columns[] = {
	{ "box", CELL_NUM, ADDS_KEY, "its number" },
	{ "parent", CELL_NUM, ADDS_KEY, "that of the box below it; of all: none" },
	{ "name", CELL_TEXT, ADDS_KEY, "function, [file] without names, [no map], comm or event" },
	{ "kind", CELL_TEXT, ADDS_KEY, "what it is" },
	{ "total", CELL_NUM, ADDS_SUM, "samples or period, with those of the boxes above it" },
	{ "self", CELL_NUM, ADDS_SUM, "those that end in it" },
};

static void
boxes_rows(const void *of, report_put *put, void *arg)
{
	const struct panel *p = tables_panel(of);

	for (uint32_t i = 0; p && i < p->nboxes; i++) {
		const struct panel_box *b = &p->box[i];

		put(arg, (struct cell[]){ cell_num(i), cell_num_if(i != 0, b->parent), cell_text(p->text[b->text]),
		    cell_text(p->band[b->kind].label), cell_num(b->total), cell_num(b->self) });
	}
}

static const char figures[] = "the figures of this picture";
const struct table cells_table = { "", figures, TABLE(cells_columns), TABLE_ROWS, SCREEN_OFF, .rows = cells_rows };
const struct table places_table = { "", figures, TABLE(places_columns), TABLE_ROWS, SCREEN_OFF, .rows = places_rows };
const struct table parts_table = { "", figures, TABLE(parts_columns), TABLE_ROWS, SCREEN_OFF, .rows = parts_rows };
const struct table boxes_table = { "", figures, TABLE(boxes_columns), TABLE_ROWS, SCREEN_OFF, .rows = boxes_rows };

static const struct column pictures_columns[] = {
	{ "name", CELL_TEXT, ADDS_KEY, "word of --picture" },
	{ "title", CELL_TEXT, ADDS_SAME, "what it shows" },
	{ "desc", CELL_TEXT, ADDS_SAME, "its main figures, in words" },
	{ "width_ns", CELL_NUM, ADDS_MAX, "width of a bin" },
	{ "samples", CELL_NUM, ADDS_SUM, "samples that it is about" },
	{ "hidden", CELL_NUM, ADDS_SUM, "bands that are not shown" },
	{ "hidden_samples", CELL_NUM, ADDS_SUM, "their samples" },
};

static void
pictures_rows(const void *of, report_put *put, void *arg)
{
	const struct panels *all = of;

	for (unsigned i = 0; i < all->n; i++) {
		const struct panel *p = &all->panel[i];
		bool timed = panel_is_timed(p) && p->axis->n;

		put(arg, (struct cell[]){ cell_text(p->name), cell_text(p->title), cell_text(p->desc),
		    cell_num_if(timed, timed && panel_has_parts(p) ? p->band[0].span : p->axis->width), cell_num(p->samples),
		    cell_num(p->hidden), cell_num(p->hidden_samples) });
	}
}

static const struct column strips_columns[] = {
	{ "time_ns", CELL_NUM, ADDS_KEY, "start of the bin" },
#define STRIP(NAME, name, noun, bars, help) { #name, CELL_NUM, ADDS_SUM, help },
	PANEL_STRIPS(STRIP)
#undef STRIP
};

static void
strips_rows(const void *of, report_put *put, void *arg)
{
	const struct panels *all = of;
	const struct panel *p = NULL;

	for (unsigned i = 0; i < all->n && !p; i++)
		for (unsigned k = 0; k < STRIPS; k++)
			if (all->panel[i].strip[k])
				p = &all->panel[i];
	for (unsigned i = 0; p && i < p->axis->n; i++) {
		struct cell cell[1 + STRIPS] = { cell_num(p->axis->start[i]) };
		uint64_t any = 0;

		for (unsigned k = 0; k < STRIPS; k++)
			any |= (cell[1 + k] = cell_num(p->strip[k] ? p->strip[k][i] : 0)).num;
		if (any)
			put(arg, cell);
	}
}

void
pictures_add(void *part, struct report *r)
{
	static const struct table about = { "pictures", "the pictures of --picture", TABLE(pictures_columns), TABLE_ROWS, SCREEN_OFF,
	    .rows = pictures_rows };
	static const struct table strips = { "strips", "losses and throttling in the columns of pictures", TABLE(strips_columns), TABLE_ROWS, SCREEN_OFF,
	    .rows = strips_rows };
	struct pictures *p = part;

	if (!p || p->drawn)		/* --merge cannot add them up */
		return;
	report_add(r, &about, &p->panels);
	for (unsigned i = 0; i < p->n; i++) {
		const struct table *table = picture_kinds[p->pic[i].kind]->figures;

		if (!table)
			tool_wrong(p->tool, "--picture %s: its figures are those of --hist", p->pic[i].name);
		p->table[i] = *table;
		p->table[i].name = p->pic[i].name;
		p->pic[i].number = i;
		p->pic[i].panels = &p->panels;
		report_add(r, &p->table[i], &p->pic[i]);
	}
	if (p->timed)
		report_add(r, &strips, &p->panels);
}

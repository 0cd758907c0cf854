/* SPDX-License-Identifier: ISC */
/*
 * data.c - what the script adds up.
 *
 *	{"file": the word of the input in a command, "read": true if samples have READ,
 *	 "width": ms of a column, "runs": [[ms, columns], ...] that have no break between them,
 *	 "total": counts of all columns; null if they are not exact,
 *	 "rows": [[option, counts], ...] of the bands that have an option and are exact,
 *	 "pics": [[number of the figure, [[ms from, ms to, x from, x to], ...]], ...]}
 *
 * Without times, or if some samples have none, so that pfilter does not select by it, there are no columns and no "pics".
 *
 * Counts are a list in which -N stands for N columns of 0.  All bins begin at whole ms.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "page/in.h"
#include "picture/option.h"
#include "picture/svg.h"
#include "record/event.h"

enum { MS = 1000000 };

/* A string; what is not ASCII is not in it, and nothing that HTML knows. */
static void
data_string(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++)
		if (*s < ' ' || *s > '~' || strchr("\"\\<>&'", *s))
			fprintf(f, "\\u%04x", (uint8_t)*s);
		else
			fputc(*s, f);
	fputc('"', f);
}

/* The sum of the counts of all bands, or of one, by column. */
static uint64_t *
data_sum(const struct panel *p, const struct band *only, uint64_t *sum)
{
	uint64_t *count = tool_alloc(p->axis->n, sizeof *count);

	*sum = 0;
	for (unsigned b = 0; b < p->nbands; b++)
		for (unsigned i = 0; (!only || only == &p->band[b]) && i < p->axis->n; i++) {
			count[i] += p->band[b].count[i];
			*sum += p->band[b].count[i];
		}
	return count;
}

static void
data_counts(FILE *f, const uint64_t *count, unsigned n)
{
	const char *before = "";

	fputc('[', f);
	for (unsigned i = 0, none = 0; i < n; i++) {
		if (!count[i] && i + 1 < n) {
			none++;
			continue;
		}
		none += !count[i];
		if (none)
			fprintf(f, "%s-%u", before, none);
		before = none ? "," : before;
		none = 0;
		if (count[i]) {
			fprintf(f, "%s%" PRIu64, before, count[i]);
			before = ",";
		}
	}
	fputc(']', f);
}

/* Was the same option in a panel before this one? */
static bool
data_twice(const struct panels *all, unsigned panel, const char *option)
{
	for (unsigned i = 0; i < panel; i++)
		for (unsigned b = 0; b < all->panel[i].nbands; b++)
			if (all->panel[i].axis == &all->axis && all->panel[i].band[b].option && !strcmp(all->panel[i].band[b].option, option))
				return true;
	return false;
}

/* Has each sample what pfilter selects by with that option? */
static bool
data_selects(const struct page *p, const char *option)
{
	return (!strstr(option, "id ") || page_all_have(p, PP_SAMPLE_TID)) && (!strstr(option, "--cpu ") || page_all_have(p, PP_SAMPLE_CPU));
}

static void
data_rows(FILE *f, const struct page *page, const struct panels *all)
{
	const char *before = "";

	for (unsigned i = 0; i < all->n; i++) {
		const struct panel *p = &all->panel[i];

		for (unsigned b = 0; p->axis == &all->axis && panel_is_timed(p) && b < p->nbands; b++) {
			const struct band *band = &p->band[b];
			uint64_t sum, *count;

			if (!band->option || !data_selects(page, band->option) || band->cut || strlen(band->option) > PAGE_OPTION || data_twice(all, i, band->option))
				continue;
			count = data_sum(p, band, &sum);
			if (sum == band->total) {
				fprintf(f, "%s\n[", before);
				data_string(f, band->option);
				fputc(',', f);
				data_counts(f, count, p->axis->n);
				fputc(']', f);
				before = ",";
			}
			free(count);
		}
	}
}

/* The parts of an axis that have no break in them: start, columns; or also where they are in the picture. */
static void
data_axis(FILE *f, const struct axis *a, const struct svg_axis *x)
{
	const char *before = "";

	fputc('[', f);
	for (unsigned i = 0, to; i < a->n; i = to + 1) {
		for (to = i; to + 1 < a->n && a->start[to + 1] - a->start[to] == a->width; to++)
			;
		fprintf(f, "%s[%" PRIu64 ",", before, a->start[i] / MS);
		if (x)
			fprintf(f, "%" PRIu64 ",%.2f,%.2f]", (a->start[to] + a->width) / MS, x->left[i] / 100.0, x->right[to] / 100.0);
		else
			fprintf(f, "%u]", to - i + 1);
		before = ",";
	}
	fputc(']', f);
}

static void
data_pictures(FILE *f, const struct panels *all, const struct draw *draw)
{
	const char *before = "";

	for (unsigned i = 0; i < all->n; i++) {
		const struct panel *p = &all->panel[i];
		struct scene *drawn;
		struct svg_axis x;

		if (!panel_is_timed(p) || !p->axis || !p->axis->n || !p->nbands)
			continue;
		drawn = scene_new(p, draw->scale, svg_fit(p, draw, draw->cells).by, false);
		svg_axis_init(&x, drawn->p->axis, SVG_LEFT, SVG_WIDTH);
		fprintf(f, "%s[%u,", before, i + 1);
		data_axis(f, drawn->p->axis, &x);
		fputc(']', f);
		svg_axis_free(&x);
		scene_free(drawn);
		before = ",";
	}
}

/* The counts of all samples that have a time: of the picture that shows them all. */
static void
data_total(FILE *f, const struct panels *all)
{
	for (unsigned i = 0; i < all->n; i++) {
		const struct panel *p = &all->panel[i];
		uint64_t sum, *count;

		if (p->kind != PANEL_STACK || !p->axis->n)
			continue;
		count = data_sum(p, NULL, &sum);
		if (sum == p->samples)
			data_counts(f, count, p->axis->n);
		else
			fputs("null", f);
		free(count);
		return;
	}
	fputs("null", f);
}

void
page_data(FILE *f, const struct page *p)
{
	const struct panels *all = pictures_panels(p->pictures);
	const char *name = p->tool->in_err.file;
	char *file = !name || !strcmp(name, "<stdin>") ? option_text("FILE") : option_quote(name), *word;
	bool reads = false, timed = page_all_have(p, PP_SAMPLE_TIME);

	for (unsigned i = 0; i < p->c->nev; i++)
		reads |= p->c->ev[i].read;
	word = option_text("%s%s", name && *name == '-' ? "./" : "", file);
	fputs("<script type=\"application/json\" id=\"data\">{\"file\":", f);
	data_string(f, word);
	fprintf(f, ",\"read\":%s,\"width\":%" PRIu64 ",\"runs\":", reads ? "true" : "false", all->axis.width / MS);
	if (timed)
		data_axis(f, &all->axis, NULL);
	else
		fputs("[]", f);
	fputs(",\n\"total\":", f);
	data_total(f, all);
	fputs(",\"rows\":[", f);
	data_rows(f, p, all);
	fputs("],\n\"pics\":[", f);
	if (timed)
		data_pictures(f, all, &p->draw);
	fputs("]}</script>\n", f);
	free(word);
	free(file);
}

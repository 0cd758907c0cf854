/* SPDX-License-Identifier: ISC */
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "page/in.h"
#include "picture/svg.h"

static const uint8_t css[] = {
#include "page.css.h"
};
static const uint8_t script[] = {
#include "page.js.h"
};
static const uint8_t flame_css[] = {
#include "flame.css.h"
};
static const uint8_t chains_script[] = {
#include "chains.js.h"
};
static const uint8_t flame_script[] = {
#include "flame.js.h"
};

static report_form page;

/* ---- collecting ---------------------------------------------------------------------------------- */

/* of pictures_tell_stacks() */
static void
page_stacks(void *arg, struct stacks *stacks)
{
	struct page *p = arg;

	sort_follow(p->sort[PAGE_COMM_DSO], stacks);
}

static void *
page_new(struct pass *pass)
{
	/* comm and dso share what they wait for: the names and maps at the time of the sample */
	static const char *const keys[PAGE_SORTS] = {
		[PAGE_COMM_DSO] = "comm,dso", [PAGE_PID] = "pid", [PAGE_CPU] = "cpu", [PAGE_EVENT] = "event" };
	struct page *p;

	if (!pass->asked->page)
		return NULL;
	p = tool_alloc(1, sizeof *p);
	*p = (struct page){ .tool = pass->t, .c = pass->c, .s = pass_summary(pass), .pictures = pass->part[PART_pictures] };
	p->draw = *pictures_draw(p->pictures);
	for (unsigned i = 0; i < PAGE_SORTS; i++) {
		p->sort[i] = sort_new(pass->t, pass->c, keys[i], NULL);
		sort_measure(p->sort[i]);
	}
	pictures_tell_stacks(pass->part[PART_pictures], page_stacks, p);
	pass->form = page;
	return p;
}

static void
page_begin(void *part, struct pass *pass)
{
	struct page *p = part;

	(void)pass;
	for (unsigned i = 0; i < PAGE_SORTS; i++)
		sort_begin(p->sort[i]);
}

/* The most cells of a picture, so that all of them have no more than the page may have. */
static void
page_cells(struct page *p)
{
	const struct panels *all = pictures_panels(p->pictures);
	uint64_t sum;

	p->draw.cells = PAGE_CELLS * 4 / 3;
	do {
		p->draw.cells = p->draw.cells * 3 / 4;
		sum = 0;
		for (unsigned i = 0; i < all->n; i++) {
			unsigned n = svg_fit(&all->panel[i], &p->draw, UINT_MAX).cells;

			sum += n < p->draw.cells ? n : p->draw.cells;
		}
	} while (sum > PAGE_CELLS);
}

/*
 * A damaged record, behind which --check lets the reading go on, is told as without --check, and makes the exit status 1.  False:
 * a limit was met that affects the tables.
 */
static bool
page_end(void *part, struct pass *pass)
{
	struct page *p = part;
	bool exact = true;

	for (unsigned i = 0; i < PAGE_SORTS; i++)
		exact &= p->exact[i] = sort_end(p->sort[i], p->s->unit);
	page_cells(p);
	p->flame = page_find_flame(pictures_panels(p->pictures));
	if (pass->faults) {
		tool_say(p->tool, &pass->fault);
		p->tool->failed = true;
	}
	return exact;
}

static void
page_free(void *part)
{
	struct page *p = part;

	for (unsigned i = 0; i < PAGE_SORTS; i++)
		sort_free(p->sort[i]);
	free(p);
}

/* ---- writing ------------------------------------------------------------------------------------- */

void
page_text(FILE *f, const char *text, unsigned columns)
{
	svg_escape(f, text, columns);
}

void
page_cell(FILE *f, const struct cell *c, unsigned columns)
{
	char *text = tool_alloc(c->len + 1, 1);

	for (size_t i = 0; i < c->len; i++)
		text[i] = c->text[i] ? c->text[i] : ' ';
	page_text(f, text, columns);
	free(text);
}

bool
page_all_have(const struct page *p, uint64_t bit)
{
	for (unsigned i = 0; i < p->c->nev; i++)
		if (p->c->ev[i].records && !(p->tool->in->events->ev[i]->attr.sample_type & bit))
			return false;
	return true;
}

void
page_base64(FILE *f, const uint8_t *p, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		size_t left = n - i;
		uint32_t three = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (left > 2 ? p[i + 2] : 0);

		for (unsigned k = 0; k < 4; k++)
			fputc(k <= left ? digits[three >> (18 - 6 * k) & 63] : '=', f);
	}
}

/* What a policy calls a text that it permits. */
static void
page_hash(FILE *f, const void *text, size_t n)
{
	uint8_t sum[SHA256_DIGEST_LENGTH];
	SHA2_CTX ctx;

	SHA256Init(&ctx);
	SHA256Update(&ctx, text, n);
	SHA256Final(sum, &ctx);
	fputs("'sha256-", f);
	page_base64(f, sum, sizeof sum);
	fputs("'", f);
}

static void
page_pictures(FILE *f, const struct page *p)
{
	const struct panels *all = pictures_panels(p->pictures);

	fputs("<section id=\"pictures\" aria-labelledby=\"pictures-h\"><h2 id=\"pictures-h\">Pictures</h2>\n"
	    "<div class=\"box wide\" tabindex=\"0\" role=\"region\" aria-labelledby=\"pictures-h\">\n", f);
	for (unsigned i = 0; i < all->n; i++) {
		if (all->panel[i].kind == PANEL_FLAME)
			continue;
		fprintf(f, "<figure id=\"pic%u\">\n", i + 1);
		draw_svg_part(f, &all->panel[i], &p->draw, i + 1);
		fputs("<figcaption>", f);
		page_text(f, all->panel[i].desc ? all->panel[i].desc : "", 0);
		fputs(".</figcaption></figure>\n", f);
	}
	fputs("</div></section>\n", f);
}

static void
page_script(FILE *f, const void *text, size_t n)
{
	fputs("<script>", f);
	fwrite(text, 1, n, f);
	fputs("</script>\n", f);
}

void
page_bar(FILE *f)
{
	fputs("</main>\n<footer id=\"bar\" hidden><p id=\"at\"></p><p id=\"cut\"><code id=\"cmd\" tabindex=\"0\" aria-label=\"command\"></code> "
	    "<button id=\"copy\" type=\"button\">copy</button> <button id=\"none\" type=\"button\">clear</button></p>"
	    "<p id=\"says\" role=\"status\" aria-live=\"polite\"></p></footer>\n", f);
}

void
page_close(FILE *f, const struct panel *flame)
{
	if (flame) {
		page_script(f, chains_script, sizeof chains_script);
		page_script(f, flame_script, sizeof flame_script);
	}
	page_script(f, script, sizeof script);
	fputs("</body>\n</html>\n", f);
}

int
page_open(FILE *f, const struct draw *draw, const char *title, const struct panel *flame)
{
	static const char *const schemes[] = { [THEME_AUTO] = "light dark", [THEME_LIGHT] = "light", [THEME_DARK] = "dark" };
	char *style;
	size_t size;
	FILE *s = tool_text(&style, &size);

	draw_style(s, draw);
	fwrite(css, 1, sizeof css, s);
	if (flame) {
		svg_flame_style(s, draw);
		if (flame->change)
			svg_change_style(s, draw);
		fwrite(flame_css, 1, sizeof flame_css, s);
	}
	tool_text_end(s, &style);
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src ", f);
	page_hash(f, style, size);
	fputs("; script-src ", f);
	if (flame) {
		page_hash(f, chains_script, sizeof chains_script);
		fputs(" ", f);
		page_hash(f, flame_script, sizeof flame_script);
		fputs(" ", f);
	}
	page_hash(f, script, sizeof script);
	fprintf(f, "; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<meta name=\"color-scheme\" content=\"%s\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>", schemes[draw->theme]);
	page_text(f, title, 2 * PAGE_NAME);
	fputs(" - pstat</title>\n<style>", f);
	fwrite(style, 1, size, f);
	fputs("</style>\n</head>\n<body>\n<main>\n", f);
	free(style);
	return 1;
}

static int
page(FILE *f, const struct report *r)
{
	const struct page *p = r->pass->part[PART_page];
	const char *file = p->tool->in_err.file;

	if (page_open(f, &p->draw, file ? file : "standard input", p->flame) < 0)
		return -1;
	page_words(f, p, r);
	page_pictures(f, p);
	if (p->flame)
		page_flame(f, p);
	page_tables(f, p);
	page_privacy(f, r);
	page_bar(f);
	page_data(f, p);
	page_close(f, p->flame);
	return 1;
}

const struct part_kind part_page = { .new = page_new, .begin = page_begin, .end = page_end, .free = page_free };

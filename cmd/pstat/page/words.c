/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "page/in.h"
#include "picture/svg.h"
#include "report/kept.h"

struct words {
	FILE		*f;
	const struct page *p;
	const struct report *r;
	struct kept	 whole;
};

/* A number and its noun, which gets an s. */
static void
words_count(const struct words *w, uint64_t n, const char *noun)
{
	char text[SVG_TEXT];

	fprintf(w->f, "%s %s%s", svg_exact(text, n), noun, n == 1 ? "" : "s");
}

/* The cell of a table of one row, after the words before it; nothing if it is unknown. */
static void
words_fact(const struct words *w, const struct kept *k, const char *before, const char *column)
{
	const struct cell *c = kept_cell(k, 0, column);

	if (!c->known || !c->len)
		return;
	fputs(before, w->f);
	page_cell(w->f, c, PAGE_NAME);
}

/* ---- the main figures ---------------------------------------------------------------------------- */

static void
words_samples(const struct words *w)
{
	const struct summary *s = w->p->s;
	const struct axis *axis = &pictures_panels(w->p->pictures)->axis;
	struct counted other;
	char text[SVG_TEXT];
	uint64_t took = axis->n ? axis->last - axis->first : 0;	/* of samples: side-band may be much older */
	size_t n;

	free(sort_sums(w->p->sort[PAGE_PID], 0, &n, &other));
	fputs("<p class=\"lead\">", w->f);
	words_count(w, s->sum.samples, "sample");
	fputs(" of ", w->f);
	words_count(w, s->c->nev, "event");
	if (took) {
		fprintf(w->f, " in %s", svg_duration(text, took));
		fprintf(w->f, ", %s a second", svg_exact(text, scale_part(s->sum.samples, 1000000000, took)));
	}
	fputs("; ", w->f);
	fprintf(w->f, "%s process%s; ", svg_exact(text, n), n == 1 ? "" : "es");
	words_count(w, kept_num(&w->whole, "records"), "record");
	fprintf(w->f, ", %s", svg_bytes(text, kept_num(&w->whole, "bytes_read")));
	fputs(".</p>\n", w->f);
}

static void
words_origin(const struct words *w)
{
	struct kept k;

	kept_open(&k, w->r, "features", 1);
	fputs("<p>Recorded", w->f);
	words_fact(w, &k, " on ", "hostname");
	words_fact(w, &k, ", Linux ", "osrelease");
	words_fact(w, &k, ", ", "arch");
	words_fact(w, &k, ", ", "cpudesc");
	if (kept_num(&k, "cpus_online")) {
		fputs(", ", w->f);
		words_count(w, kept_num(&k, "cpus_online"), "CPU");
	}
	words_fact(w, &k, ", by perf ", "perf_version");
	words_fact(w, &w->whole, "; form: ", "container");
	fputs(".", w->f);
	if (kept_cell(&k, 0, "cmdline")->len) {
		fputs(" Command: <code>", w->f);
		page_cell(w->f, kept_cell(&k, 0, "cmdline"), 400);
		fputs("</code>", w->f);
	}
	fputs("</p>\n", w->f);
	kept_free(&k);
}

static void
words_losses(const struct words *w)
{
	uint64_t lost = 0, throttled;
	struct kept k;

	for (unsigned i = 0; i < w->p->c->nev; i++)
		lost += count_losses(&w->p->c->ev[i]);
	kept_open(&k, w->r, "lost", 1);
	throttled = kept_num(&k, "throttled");
	fprintf(w->f, "<p%s>", lost ? " class=\"bad\"" : "");
	if (lost) {
		words_count(w, lost, "sample");
		fputs(lost == 1 ? " was lost" : " were lost", w->f);
	} else
		fputs("Nothing was lost", w->f);
	if (throttled) {
		fputs("; sampling was throttled ", w->f);
		words_count(w, throttled, "time");
	}
	fputs(".", w->f);
	kept_free(&k);
	kept_open(&k, w->r, "order", 1);
	if (kept_num(&k, "late")) {
		fputs(" ", w->f);
		words_count(w, kept_num(&k, "late"), "record");
		fputs(" come later than two rounds allow.", w->f);
	}
	kept_free(&k);
	kept_open(&k, w->r, "files", 1);
	if (kept_num(&k, "mapped"))
		fprintf(w->f, " %" PRIu64 " of %" PRIu64 " mapped files have a build-id.", kept_num(&k, "with_build_id"), kept_num(&k, "mapped"));
	kept_free(&k);
	fputs("</p>\n", w->f);
}

static void
words_damage(const struct words *w)
{
	const struct page *p = w->p;
	const struct pp_err *err = p->tool->in_err.what[0] ? &p->tool->in_err : &w->r->pass->fault;

	if (!err->what[0])
		return;
	fputs("<p class=\"bad\" role=\"alert\"><strong>The recording is damaged", w->f);
	if (err->at)
		fprintf(w->f, " at byte %" PRIu64, err->off);
	fputs("</strong>: ", w->f);
	page_text(w->f, err->what, 0);
	fprintf(w->f, ". %s</p>\n", err != &p->tool->in_err ? "All that could be read is in this page." :
	    "This page has what is in front of that place.");
}

/* ---- findings ------------------------------------------------------------------------------------ */

void
page_marked(FILE *f, const char *text)
{
	const char *to, *end;
	char part[256];

	for (; (to = strchr(text, '`')) && (end = strchr(to, '\'')); text = end + 1) {
		snprintf(part, sizeof part, "%.*s", (int)(to - text), text);
		page_text(f, part, 0);
		snprintf(part, sizeof part, "%.*s", (int)(end - to - 1), to + 1);
		fputs("<code>", f);
		page_text(f, part, 0);
		fputs("</code>", f);
	}
	page_text(f, text, 0);
}

static void
words_finding(const struct words *w, const struct kept *k, size_t i)
{
	const struct cell *level = kept_cell(k, i, "level"), *count = kept_cell(k, i, "count"), *off = kept_cell(k, i, "offset");
	char text[SVG_TEXT];

	fputs("<li class=\"", w->f);
	page_cell(w->f, level, 0);
	fputs("\"><strong>", w->f);
	page_cell(w->f, level, 0);
	fputs(" ", w->f);
	page_cell(w->f, kept_cell(k, i, "rule"), 0);
	fputs("</strong> ", w->f);
	page_cell(w->f, kept_cell(k, i, "what"), 0);
	if (count->num > 1)
		fprintf(w->f, ", %s times", svg_exact(text, count->num));
	if (off->known)
		fprintf(w->f, ", first at byte %" PRIu64, off->num);
	if (kept_cell(k, i, "detail")->known) {
		fputs(": ", w->f);
		page_cell(w->f, kept_cell(k, i, "detail"), PAGE_NAME);
	}
	fputs(".<br>perf: ", w->f);
	page_cell(w->f, kept_cell(k, i, "reader"), 0);
	fputs("; mend: ", w->f);
	page_marked(w->f, kept_cell(k, i, "mend")->text);
	fputs("</li>\n", w->f);
}

static void
words_findings(const struct words *w)
{
	struct kept k;

	kept_open(&k, w->r, "findings", 0);
	fputs("<section aria-labelledby=\"findings-h\"><h2 id=\"findings-h\">What readers stumble over</h2>\n", w->f);
	if (!k.n)
		fputs("<p>Nothing.</p>\n", w->f);
	else
		fputs("<ul class=\"findings\">\n", w->f);
	for (size_t i = 0; i < k.n; i++)
		words_finding(w, &k, i);
	fputs(k.n ? "</ul></section>\n" : "</section>\n", w->f);
	kept_free(&k);
}

/* ---- what is given away -------------------------------------------------------------------------- */

static void
words_contains(const struct words *w)
{
	const char *before = "<p>It contains ";
	unsigned more = 0;
	struct kept k;

	kept_open(&k, w->r, "privacy", 0);
	for (size_t i = 0; i < k.n; i++) {
		if (!kept_cell(&k, i, "count")->num)
			continue;
		if (more++ < 6) {
			fputs(before, w->f);
			page_cell(w->f, kept_cell(&k, i, "what"), 0);
			before = "; ";
		}
	}
	if (more > 6)
		fprintf(w->f, "; %u more", more - 6);
	fprintf(w->f, "%s: <a href=\"#privacy\">what it gives away</a>.</p>\n", more ? "" : "<p>Nothing that could be private");
	kept_free(&k);
}

void
page_privacy(FILE *f, const struct report *r)
{
	char text[SVG_TEXT];
	struct kept k;
	const char *before = "<p>None: ";

	kept_open(&k, r, "privacy", 0);
	fputs("<section id=\"privacy\" aria-labelledby=\"privacy-h\"><h2 id=\"privacy-h\">What it gives away</h2>\n"
	    "<div class=\"box\" tabindex=\"0\" role=\"region\" aria-labelledby=\"privacy-h\"><table class=\"plain\">\n"
	    "<caption>Kinds of facts in the recording, and what takes them out</caption>\n<thead><tr><th scope=\"col\" class=\"t\">what</th>"
	    "<th scope=\"col\">different</th><th scope=\"col\">bytes</th><th scope=\"col\" class=\"t\">taken out by</th></tr></thead>\n<tbody>\n", f);
	for (size_t i = 0; i < k.n; i++) {
		if (!kept_cell(&k, i, "count")->num)
			continue;
		fputs("<tr><th scope=\"row\" class=\"t\">", f);
		page_cell(f, kept_cell(&k, i, "what"), 0);
		fprintf(f, "</th><td>%s%s</td>", kept_cell(&k, i, "rough")->num ? "more than " : "", svg_exact(text,
		    kept_cell(&k, i, "distinct")->num));
		fprintf(f, "<td>%s</td><td class=\"t\"><code>", svg_exact(text, kept_cell(&k, i, "bytes")->num));
		page_cell(f, kept_cell(&k, i, "option"), 0);
		fputs("</code></td></tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
	for (size_t i = 0; i < k.n; i++)
		if (!kept_cell(&k, i, "count")->num) {
			fputs(before, f);
			page_cell(f, kept_cell(&k, i, "what"), 0);
			before = "; ";
		}
	fputs(*before == ';' ? ".</p></section>\n" : "</section>\n", f);
	kept_free(&k);
}

void
page_words(FILE *f, const struct page *p, const struct report *r)
{
	struct words w = { .f = f, .p = p, .r = r };
	const char *file = p->tool->in_err.file;

	kept_open(&w.whole, r, "report", 1);
	fputs("<h1>", f);
	page_text(f, file ? file : "standard input", PAGE_NAME);
	fputs("</h1>\n", f);
	words_damage(&w);
	words_samples(&w);
	words_origin(&w);
	words_losses(&w);
	words_contains(&w);
	if (!r->exact)
		fputs("<p class=\"note\">A limit of pstat was met (see CAVEATS in pstat(1)): some figures are less exact than others.</p>\n", f);
	words_findings(&w);
	kept_free(&w.whole);
}

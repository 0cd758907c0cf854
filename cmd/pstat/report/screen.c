/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"
#include "screen.h"
#include "tool/tool.h"

enum { HOSTS = 5 };

/* ---- text ---------------------------------------------------------------------------------------- */

double
screen_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

void
screen_duration(char to[static SCREEN_DURATION], double ns)
{
	static const struct { double ns; const char *unit; } units[] = { { 3600e9, "h" }, { 60e9, "min" }, { 1e9, "s" }, { 1e6, "ms" },
	    { 1e3, "us" }, { 1, "ns" } };
	size_t i = 0;

	while (i < 5 && ns < units[i].ns)
		i++;
	snprintf(to, SCREEN_DURATION, "%.4g %s", ns / units[i].ns, units[i].unit);
}

size_t
screen_cut(FILE *f, const char *p, size_t n, size_t width)
{
	char *text = tool_vis(p, n);
	size_t len = 0, columns = 0;

	for (; text[len]; len++) {
		columns += ((unsigned char)text[len] & 0xc0) != 0x80;
		if (width && columns > width)
			break;
	}
	if (text[len]) {
		columns = width;
		do			/* the ~ replaces the last character */
			len--;
		while (((unsigned char)text[len] & 0xc0) == 0x80);
		fprintf(f, "%.*s~", (int)len, text);
	} else
		fputs(text, f);
	free(text);
	return columns;
}

void
screen_cell(FILE *f, const char *p, size_t n, size_t width)
{
	size_t columns = screen_cut(f, p, n, width);

	fprintf(f, "%*s", (int)(width - columns), "");
}

/* The byte at which that column begins. */
static size_t
screen_byte(const char *text, size_t column)
{
	size_t at = 0;

	for (; text[at]; at++)
		if (((unsigned char)text[at] & 0xc0) != 0x80 && !column--)
			break;
	return at;
}

void
screen_middle(FILE *f, const char *text, size_t width, bool fill)
{
	size_t columns = 0, left = (width - 1) / 2;

	for (size_t i = 0; text[i]; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	if (columns <= width)
		fprintf(f, "%s%*s", text, fill ? (int)(width - columns) : 0, "");
	else
		fprintf(f, "%.*s~%s", (int)screen_byte(text, left), text, text + screen_byte(text, columns - (width - 1 - left)));
}

static void
label(const struct screen *s, const char *text)
{
	fprintf(s->f, "%-11s ", text);
}

static void
seconds(const struct screen *s, uint64_t ns)
{
	fprintf(s->f, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

/* ---- the lines above the tables ------------------------------------------------------------------ */

static void
fact(const struct screen *s, const char *before, const struct cell *c)
{
	if (!c->known)
		return;
	fputs(before, s->f);
	screen_cut(s->f, c->text, c->len, 40);
}

static void
command(const struct screen *s, const struct cell *c)
{
	size_t n = c->len < s->width ? c->len : s->width;
	char *args = tool_alloc(n + 1, 1);

	for (size_t i = 0; i < n; i++)
		args[i] = c->text[i] ? c->text[i] : ' ';
	label(s, "command");
	screen_cut(s->f, args, n, s->width - 12);
	fputc('\n', s->f);
	free(args);
}

static void
origin(const struct screen *s)
{
	const struct cell *file = kept_cell(&s->whole, 0, "file"), *order = kept_cell(&s->whole, 0, "byte_order"), *c;
	const char *other = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "little" : "big";
	struct kept k;

	kept_open(&k, s->r, "features", 1);
	label(s, "input");
	if (file->known)
		screen_cut(s->f, file->text, file->len, 0);
	c = kept_cell(&s->whole, 0, "container");
	fprintf(s->f, " (%s%s)\n", c->known ? c->text : "unknown", order->known && !strcmp(order->text, other) ?
	    ", other byte order" : "");
	if (kept_cell(&k, 0, "hostname")->known || kept_cell(&k, 0, "osrelease")->known || kept_cell(&k, 0, "arch")->known ||
	    kept_num(&k, "cpus_available")) {
		label(s, "machine");
		fact(s, "", kept_cell(&k, 0, "hostname"));
		fact(s, ", Linux ", kept_cell(&k, 0, "osrelease"));
		fact(s, ", ", kept_cell(&k, 0, "arch"));
		if (kept_num(&k, "cpus_available"))
			fprintf(s->f, ", %" PRIu64 " of %" PRIu64 " CPUs", kept_num(&k, "cpus_online"), kept_num(&k, "cpus_available"));
		fputc('\n', s->f);
	}
	if ((c = kept_cell(&k, 0, "cpudesc"))->known) {
		label(s, "cpu");
		screen_cut(s->f, c->text, c->len, 60);
		if (kept_num(&k, "memory_kb"))
			fprintf(s->f, ", %" PRIu64 " MB of memory", kept_num(&k, "memory_kb") / 1024);
		fputc('\n', s->f);
	}
	if ((c = kept_cell(&k, 0, "perf_version"))->known) {
		label(s, "recorded by");
		fact(s, "perf ", c);
		fputc('\n', s->f);
	}
	if ((c = kept_cell(&k, 0, "cmdline"))->len)
		command(s, c);
	kept_free(&k);
}

/* Of a merged report. */
static void
hosts(const struct screen *s)
{
	struct kept k;

	kept_open(&k, s->r, "hosts", HOSTS);
	for (size_t i = 0; i < k.n; i++) {
		const struct cell *host = kept_cell(&k, i, "host");
		uint64_t recordings = kept_cell(&k, i, "recordings")->num;

		label(s, i ? "" : "hosts");
		screen_cut(s->f, host->known ? host->text : "unknown", host->known ? host->len : strlen("unknown"), 40);
		fprintf(s->f, ": %" PRIu64 " recording%s, %" PRIu64 " samples\n", recordings, recordings == 1 ? "" : "s",
		    kept_cell(&k, i, "samples")->num);
	}
	if (k.rows > k.n)
		fprintf(s->f, "%12s%zu more\n", "", k.rows - k.n);
	kept_free(&k);
	kept_open(&k, s->r, "merged", 1);
	if (k.n && memmem(kept_cell(&k, 0, "approx")->text, kept_cell(&k, 0, "approx")->len, "hist", 4)) {
		label(s, "approx");
		fputs("the histogram has no value across the cuts between recordings\n", s->f);
	}
	kept_free(&k);
}

static void
span(const struct screen *s)
{
	uint64_t took;
	struct kept k;

	kept_open(&k, s->r, "time", 1);
	took = kept_num(&k, "duration_ns");
	label(s, "span");
	if (k.n) {
		seconds(s, kept_num(&k, "first_ns"));
		fputs(" to ", s->f);
		seconds(s, kept_num(&k, "last_ns"));
		fputs(", ", s->f);
		seconds(s, took);
		fputs(" s, of all records\n", s->f);
	} else
		fputs("no times\n", s->f);
	label(s, "size");
	fprintf(s->f, "%" PRIu64 " bytes, %" PRIu64 " records, %" PRIu64 " samples", kept_num(&s->whole, "bytes_read"),
	    kept_num(&s->whole, "records"), s->samples);
	if (took)
		fprintf(s->f, " (%.1f/s)", (double)s->samples * 1e9 / (double)took);
	fputc('\n', s->f);
	kept_free(&k);
}

static void
order(const struct screen *s)
{
	struct kept k;

	kept_open(&k, s->r, "order", 1);
	label(s, "order");
	fprintf(s->f, "%" PRIu64 " rounds", kept_num(&k, "rounds"));
	if (kept_num(&k, "rounds"))
		fprintf(s->f, " of up to %" PRIu64 " bytes", kept_num(&k, "round_bytes_max"));
	/* Pieces do not know. */
	if (kept_cell(&k, 0, "backward")->known)
		fprintf(s->f, "; %" PRIu64 " steps back in time", kept_num(&k, "backward"));
	else
		fputs("; unknown number of steps back in time", s->f);
	if (kept_num(&k, "backward_max_ns")) {
		fputs(", by up to ", s->f);
		seconds(s, kept_num(&k, "backward_max_ns"));
		fputs(" s", s->f);
	}
	fputc('\n', s->f);
	if (kept_num(&k, "late")) {
		label(s, "");
		fprintf(s->f, "%" PRIu64 " records later than two rounds allow, by up to ", kept_num(&k, "late"));
		seconds(s, kept_num(&k, "late_max_ns"));
		fputs(" s\n", s->f);
	}
	if (kept_num(&k, "held_max")) {
		label(s, "");
		fprintf(s->f, "psort holds up to %" PRIu64 " records, %" PRIu64 " bytes, ", kept_num(&k, "held_max"),
		    kept_num(&k, "held_bytes_max"));
		seconds(s, kept_num(&k, "held_max_ns"));
		fputs(" s\n", s->f);
	}
	kept_free(&k);
}

/* Records of that type. */
static const struct cell *
type(const struct kept *types, uint64_t number, const char *column)
{
	for (size_t i = 0; i < types->n; i++) {
		const struct cell *c = kept_cell(types, i, "type");

		if (c->known && c->num == number)
			return kept_cell(types, i, column);
	}
	return kept_cell(types, types->n, column);
}

static void
lost(const struct screen *s, const struct kept *types)
{
	label(s, "lost");
	fprintf(s->f, "%" PRIu64 " records (%" PRIu64 " LOST), %" PRIu64 " samples (%" PRIu64 " LOST_SAMPLES)", kept_num(&s->lost, "records"),
	    type(types, PP_LOST, "records")->num, kept_num(&s->lost, "samples"), type(types, PP_LOST_SAMPLES, "records")->num);
	if (kept_num(&s->lost, "filtered"))
		fprintf(s->f, ", %" PRIu64 " filtered", kept_num(&s->lost, "filtered"));
	fprintf(s->f, "; throttled %" PRIu64 " times, released %" PRIu64 "\n", kept_num(&s->lost, "throttled"),
	    kept_num(&s->lost, "unthrottled"));
}

static void
compression(const struct screen *s)
{
	struct kept k;
	uint64_t bytes, plain;

	kept_open(&k, s->r, "compression", 1);
	bytes = kept_num(&k, "bytes");
	plain = kept_num(&k, "plain_bytes");
	if (kept_num(&k, "compressed") || kept_num(&k, "compressed2")) {
		label(s, "compression");
		fprintf(s->f, "%" PRIu64 " COMPRESSED, %" PRIu64 " COMPRESSED2: %" PRIu64 " bytes became %" PRIu64,
		    kept_num(&k, "compressed"), kept_num(&k, "compressed2"), bytes, plain);
		if (bytes)
			fprintf(s->f, ", %.1f : 1", (double)plain / (double)bytes);
		fputc('\n', s->f);
	}
	kept_free(&k);
}

static void
content(const struct screen *s, const struct kept *types)
{
	static const struct { const char *what, *column; } parts[] = {
		{ "call chains", "call_chains" }, { "user stacks", "user_stacks" }, { "raw data", "raw" },
		{ "branches", "branches" }, { "registers", "registers" },
	};
	uint64_t all = kept_num(&s->whole, "bytes"), kernel = 0, samples;
	const char *before = " (";
	struct kept k;

	for (size_t i = 0; i < types->n; i++) {
		const struct cell *c = kept_cell(types, i, "type");

		if (c->known && c->num < PP_USER_TYPE_START && c->num != PP_SAMPLE)
			kernel += kept_cell(types, i, "bytes")->num;
	}
	kept_open(&k, s->r, "content", 1);
	samples = kept_num(&k, "samples");
	label(s, "content");
	fprintf(s->f, "samples %.1f%%", screen_percent(samples, all));
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (kept_num(&k, parts[i].column)) {
			fprintf(s->f, "%s%s %.1f", before, parts[i].what, screen_percent(kept_num(&k, parts[i].column), all));
			before = ", ";
		}
	fprintf(s->f, "%s, side-band %.1f%%, perf's own %.1f%%\n", *before == ',' ? ")" : "",
	    screen_percent(kernel, all), screen_percent(all - kernel - samples, all));
	kept_free(&k);
}

static void
build_ids(const struct screen *s)
{
	struct kept k;

	kept_open(&k, s->r, "files", 1);
	if (kept_num(&k, "mapped") || kept_num(&k, "hit")) {
		label(s, "build-ids");
		fprintf(s->f, "%" PRIu64 " of %" PRIu64 " mapped files", kept_num(&k, "with_build_id"), kept_num(&k, "mapped"));
		if (kept_num(&k, "hit"))
			fprintf(s->f, "; %" PRIu64 " of %" PRIu64 " DSOs with samples, with %.1f%% of all samples",
			    kept_num(&k, "hit_with_build_id"), kept_num(&k, "hit"),
			    screen_percent(kept_num(&k, "hit_samples_with_build_id"), s->samples));
		fputc('\n', s->f);
	}
	kept_free(&k);
}

int
screen(FILE *f, const struct report *r)
{
	struct screen s = { .f = f, .r = r, .width = !r->width ? SCREEN_WIDTH : r->width < SCREEN_NARROW ? SCREEN_NARROW : r->width };
	struct kept types;

	kept_open(&s.whole, r, "report", 1);
	kept_open(&s.lost, r, "lost", 1);
	kept_open(&s.events, r, "events", 0);
	kept_open(&types, r, "types", 0);
	s.samples = kept_num(&s.whole, "samples");
	s.unit = kept_cell(&s.whole, 0, "period")->known;
	s.period = kept_num(&s.whole, "period");
	origin(&s);
	hosts(&s);
	span(&s);
	order(&s);
	lost(&s, &types);
	screen_losses(&s);
	compression(&s);
	content(&s, &types);
	build_ids(&s);
	kept_free(&types);
	if (!screen_plain(&s, false)) {		/* the user asked for nothing else */
		screen_glance(&s);
		screen_types(&s);
		screen_events(&s);
		screen_tasks(&s);
	}
	screen_plain(&s, true);
	kept_free(&s.whole);
	kept_free(&s.lost);
	kept_free(&s.events);
	return 1;
}

/* SPDX-License-Identifier: ISC */
/* The SVG of panels that no recording makes. */
#include <stdlib.h>
#include <string.h>

#include "report/hist.h"
#include "picture/draw.h"
#include "picture/scene.h"

#include "check.h"

/* ---- made-up panels --------------------------------------------------------------------------------- */

enum { MS = 1000000, S = 1000000000 };

/* The same on each machine. */
static uint64_t chance_state = 1;
static uint32_t
chance(uint32_t below)
{
	chance_state = chance_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(chance_state >> 33) % below;
}

static void
chance_again(void)
{
	chance_state = 1;
}

static void
axis_make(struct axis *a, unsigned n, uint64_t from, uint64_t width, uint64_t gap)
{
	*a = (struct axis){ .n = n, .width = width, .start = calloc(n + 1, sizeof *a->start) };
	for (unsigned i = 0; i < n; i++)
		a->start[i] = from + i * width + (i >= n / 2 ? gap : 0);
	a->first = from + width / 3;
	a->last = n ? a->start[n - 1] + width / 2 : a->first;
}

static void
bands_make(struct panel *p, unsigned nbands, const char *label, const char *option)
{
	char text[8192];

	p->nbands = nbands;
	p->band = calloc(nbands + 1, sizeof *p->band);
	for (unsigned b = 0; b < nbands; b++) {
		struct band *band = &p->band[b];
		unsigned from = p->name[0] == 't' ? b * p->axis->n / nbands / 2 : 0, to = p->name[0] == 't' ? from + p->axis->n / 2 : p->axis->n;

		snprintf(text, sizeof text, "%s%u", label, b);
		band->label = strdup(text);
		snprintf(text, sizeof text, "%s%u", option, b);
		band->option = *option ? strdup(text) : NULL;
		band->count = calloc(p->axis->n + 1, sizeof *band->count);
		band->first = UINT64_MAX;
		for (unsigned i = from; i < to && i < p->axis->n; i++) {
			uint32_t n = chance(3) ? chance(1u << chance(10)) * chance(2) : 0;

			band->count[i] = n;
			band->total += n;
			if (n && band->first == UINT64_MAX)
				band->first = p->axis->start[i];
			if (n)
				band->last = p->axis->start[i];
		}
		p->samples += band->total;
	}
	for (unsigned i = 0; i < p->axis->n; i++) {
		uint64_t sum = 0;

		for (unsigned b = 0; b < nbands; b++) {
			sum = p->kind == PANEL_STACK ? sum + p->band[b].count[i] : p->band[b].count[i];
			if (sum > p->top)
				p->top = sum;
		}
	}
}

static struct panel
panel_make(enum panel_kind kind, const char *name, const struct axis *a, unsigned nbands, const char *label, const char *option)
{
	struct panel p = { .kind = (uint8_t)kind, .name = strdup(name), .title = strdup("Samples that are not idle, by CPU"),
	    .subtitle = strdup("file.pipe.data, a column is 20 ms"), .desc = strdup("1 sample of 1 CPU in 1 s"), .axis = a,
	    .lives = !strcmp(name, "tasks") };

	bands_make(&p, nbands, label, option);
	return p;
}

static void
strips_make(struct panel *p)
{
	p->strip[STRIP_LOST] = calloc(p->axis->n + 1, sizeof *p->strip[STRIP_LOST]);
	p->strip[STRIP_THROTTLED] = calloc(p->axis->n + 1, sizeof *p->strip[STRIP_THROTTLED]);
	for (unsigned i = 0; i < p->axis->n; i++) {
		p->strip[STRIP_LOST][i] = chance(9) ? 0 : chance(1000);
		p->strip[STRIP_THROTTLED][i] = chance(20) ? 0 : 1;
	}
}

static struct panel
named(enum panel_kind kind, const char *name, const char *title)
{
	return (struct panel){ .kind = (uint8_t)kind, .name = strdup(name), .title = strdup(title), .subtitle = strdup("file.pipe.data"),
	    .desc = strdup("three figures") };
}

static void
behind_make(struct panel *p, unsigned n)
{
	*p = named(PANEL_BEHIND, "disorder", "How far records are behind the newest before them");
	p->nplaces = n < 512 ? n : 512;
	p->width = 4096;
	p->bytes = p->width * p->nplaces - p->nplaces / 2;
	p->place = calloc(p->nplaces + 1, sizeof *p->place);
	p->round = calloc(n + 1, sizeof *p->round);
	for (unsigned i = 0; i < p->nplaces; i++) {
		struct behind_place *place = &p->place[i];

		p->timed += 20;
		if (chance(4))
			place->behind = (uint64_t)(1000 + chance(1000)) << chance(10);
		if (!i)
			place->behind = 59899000;
		if (!chance(100)) {
			place->late = 1 + chance(5);
			place->late_ns = 1000 + chance(1000000);
			p->late += place->late;
		}
		if (place->behind) {
			p->back += 10;
			p->power[63 - __builtin_clzll(place->behind)] += 10;
			if (place->behind > p->worst)
				p->worst = p->window = place->behind;
		}
		if (i % 3 == 0)
			p->round[p->nrounds++] = i * p->width + 100;
	}
}

static void
hist_make(struct panel *p, unsigned n)
{
	static const char *const names[] = { "p50", "p90", "p99" };

	*p = named(PANEL_HIST, "hist:interval", "Time between samples of one event on one CPU");
	p->unit = "ns";
	p->bucket = calloc(HIST_BUCKETS, sizeof *p->bucket);
	for (unsigned i = 200; i < 420 && n; i++) {
		struct bucket *b = &p->bucket[p->nbuckets++];

		*b = (struct bucket){ hist_low(i), 1 + chance(1 + (i - 200) * (420 - i)) };
		if (b->count > p->top)
			p->top = b->count;
		if (n == 1)
			break;
	}
	for (unsigned i = 0; i < 3 && n; i++)
		p->mark[i] = (struct panel_mark){ hist_low(n > 1 ? 320 + 40 * i : 200), names[i] };
}

static void
fill_make(struct panel *p, unsigned n)
{
	static const char *const names[] = { "call chains", "user stacks", "raw data", "branches", "registers", "other fields of samples",
		"side-band", "perf's own" };

	*p = named(PANEL_FILL, "fill", "What fills the stream");
	p->nbands = 8;
	p->band = calloc(8, sizeof *p->band);
	for (unsigned i = 0; i < 8; i++)
		p->band[i] = (struct band){ .label = strdup(names[i]), .total = i == 3 ? 0 : (uint64_t)chance(10000) * n };
}

static void
all_make(struct panels *all, unsigned n, uint64_t width, uint64_t gap, unsigned cpus)
{
	struct axis *seconds = calloc(1, sizeof *seconds);

	*all = (struct panels){ .panel = calloc(8, sizeof *all->panel) };
	axis_make(&all->axis, n, UINT64_C(245) * S, width, gap);
	all->panel[all->n] = panel_make(PANEL_STACK, "rate", &all->axis, 7, "program", "--comms program");
	free(all->panel[all->n].band[6].option);
	all->panel[all->n].band[6].option = NULL;
	strips_make(&all->panel[all->n++]);
	all->panel[all->n] = panel_make(PANEL_HEAT, "cpu", &all->axis, cpus, "CPU ", "--cpu ");
	strips_make(&all->panel[all->n++]);
	all->panel[all->n++] = panel_make(PANEL_HEAT, "tasks", &all->axis, cpus < 24 ? cpus : 24, "a program 47", "--pid 47");
	axis_make(seconds, n ? n / 50 + 1 : 0, UINT64_C(245) * S, S, gap / S * S);
	all->panel[all->n] = panel_make(PANEL_HEAT, "subsecond", seconds, 50, "", "");
	for (unsigned i = 0; i < 50; i++) {
		all->panel[all->n].band[i].from = i * (uint64_t)(S / 50);
		all->panel[all->n].band[i].span = S / 50;
	}
	all->panel[all->n++].upward = true;
	behind_make(&all->panel[all->n++], n);
	hist_make(&all->panel[all->n++], n);
	fill_make(&all->panel[all->n++], n);
}

/* ---- SVG ------------------------------------------------------------------------------------------- */

static char *
svg_of(const struct panels *all, enum draw_scale scale)
{
	struct draw d = { .scale = scale };
	static char *text;
	static size_t n;
	FILE *f = open_memstream(&text, &n);

	draw_svg(f, all, &d);
	fclose(f);
	return text;
}

static char *
part_of(const struct panel *p, unsigned id)
{
	struct draw d = { 0 };
	static char *text;
	static size_t n;
	FILE *f = open_memstream(&text, &n);

	draw_svg_part(f, p, &d, id);
	fclose(f);
	return text;
}

/* Tooltips that say so many of this; *sum: of their numbers. */
static unsigned
tips(const char *svg, const char *what, uint64_t *sum)
{
	unsigned n = 0;

	*sum = 0;
	for (const char *p = svg; *p; p++) {
		char *end;
		uint64_t number;

		if (*p != '<' || strncmp(p, "<title>", 7))
			continue;
		number = strtoull(p + 7, &end, 10);
		if (end == p + 7 || strncmp(end, what, strlen(what)))
			continue;
		*sum += number;
		n++;
	}
	return n;
}

static void
test_sums(void **state)
{
	const struct { uint64_t width, gap; unsigned n, cpus; } in[] = {
		{ 20 * MS, 0, 350, 2 }, { 20 * MS, UINT64_C(31800000) * S, 350, 3 }, { 20 * MS, 0, 1, 1 }, { MS, 0, 0, 2 }, { UINT64_C(60) * S, 0, 100, 64 },
		{ UINT64_MAX / 16, 0, 7, 3 }, { 5 * MS, UINT64_MAX / 2, 40, 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof in / sizeof *in; i++)
		for (int scale = SCALE_LINEAR; scale <= SCALE_RANK; scale++) {
			struct panels all;
			uint64_t want = 0, got, lost = 0, throttled = 0, bytes = 0;
			char *svg, *again;

			all_make(&all, in[i].n, in[i].width, in[i].gap, in[i].cpus);
			svg = svg_of(&all, (enum draw_scale)scale);
			again = svg_of(&all, (enum draw_scale)scale);
			for (unsigned k = 0; k < all.n; k++) {
				const struct panel *p = &all.panel[k];

				want += p->kind <= PANEL_STACK ? p->samples : 0;
				for (unsigned c = 0; p->axis && c < p->axis->n; c++) {
					lost += p->strip[STRIP_LOST] ? p->strip[STRIP_LOST][c] : 0;
					throttled += p->strip[STRIP_THROTTLED] ? p->strip[STRIP_THROTTLED][c] : 0;
				}
				for (unsigned b = 0; p->kind == PANEL_FILL && b < p->nbands; b++)
					bytes += p->band[b].total;
			}
			assert_string_equal(svg, again);
			tips(svg, " sample", &got);
			assert_int_equal(got, want);
			tips(svg, " lost record", &got);
			assert_int_equal(got, lost);
			tips(svg, " THROTTLE record", &got);
			assert_int_equal(got, throttled);
			tips(svg, " byte", &got);
			assert_int_equal(got, bytes);
			free(svg);
			free(again);
			panels_free(&all);
		}
}

/* More cells than a panel may have. */
static void
test_coarse(void **state)
{
	struct panels all = { .panel = calloc(2, sizeof *all.panel), .n = 1 };
	uint64_t sum, samples;
	char *svg;

	(void)state;
	axis_make(&all.axis, 4096, UINT64_C(245) * S, MS, 0);
	all.panel[0] = panel_make(PANEL_HEAT, "cpu", &all.axis, 300, "CPU ", "--cpu ");
	samples = all.panel[0].samples;
	strips_make(&all.panel[0]);
	svg = svg_of(&all, SCALE_RANK);
	assert_in_range(tips(svg, " ", &sum), 1500, 6500);
	tips(svg, " sample", &sum);
	assert_int_equal(sum, samples);
	assert_non_null(strstr(svg, "columns drawn as one"));
	free(svg);
	/* seconds: parts of them are joined */
	all.axis.n = 100;
	all.axis.width = S;
	for (unsigned i = 0; i < 100; i++)
		all.axis.start[i] = i * (uint64_t)S;
	all.axis.first = 0;
	all.axis.last = UINT64_C(100) * S - 1;
	samples = 0;
	for (unsigned b = 0; b < 300; b++) {
		all.panel[0].band[b].from = b * (uint64_t)(S / 300);
		all.panel[0].band[b].span = S / 300;
		for (unsigned i = 0; i < 100; i++)
			samples += all.panel[0].band[b].count[i] = i % 2 ? b + i : 3 * b + 1;
	}
	all.panel[0].top = 900;
	all.panel[0].upward = true;
	svg = svg_of(&all, SCALE_RANK);
	tips(svg, " sample", &sum);
	assert_int_equal(sum, samples);
	assert_null(strstr(svg, "drawn as one"));
	free(svg);
	panels_free(&all);
}

/* Is all of it what XML 1.0 may have, and without marks that act on other text?  By hand, not by the escape that it tests. */
static void
is_harmless(const char *svg)
{
	const uint8_t *p = (const uint8_t *)svg;

	for (; *p; p++) {
		assert_true(*p >= 0x20 || *p == '\n');
		assert_true(*p != 0x7f && *p != 0xc0 && *p != 0xc1 && *p < 0xf5);
		assert_false(p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0);				/* C1 */
		assert_false(p[0] == 0xd8 && p[1] == 0x9c);						/* U+061C */
		assert_false(p[0] == 0xe2 && p[1] == 0x80 && (p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xaa && p[2] <= 0xae)));
		assert_false(p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);		/* U+2066 to U+2069 */
		assert_false(p[0] == 0xed && p[1] >= 0xa0);						/* surrogates */
		assert_false(p[0] == 0xef && p[1] == 0xbf && p[2] >= 0xbe);				/* U+FFFE, U+FFFF */
	}
	assert_null(strstr(svg, "<script"));
}

/* The SVG without what is between > and <, and without data-o. */
static char *
bones(const char *svg)
{
	char *out = calloc(strlen(svg) + 1, 1), *to = out;
	bool in = false;

	for (const char *p = svg; *p; p++) {
		if (*p == '<')
			in = true;
		if (in && !strncmp(p, " data-o=\"", 9)) {
			p = strchr(p + 9, '"');
			continue;
		}
		if (in)
			*to++ = *p;
		if (*p == '>')
			in = false;
	}
	return out;
}

static void
test_names(void **state)
{
	static const char *const names[] = {
		"plain", "<script>alert(1)</script>", "\"'&<>]]>-->", "a\x01\x02\t\n\x1b[2J\x7f", "\xc2\x80\xc2\x9f", "\xff\xfe\xc0\xaf\xed\xa0\x80\xf8\x88",
		"\xe2\x80\xae\xe2\x80\x8f\xe2\x81\xa6\xd8\x9c", "\xef\xbf\xbe\xef\xbf\xbf", "\xf0\x9f\x98\x80\xe6\xbc\xa2", "cut \xe2\x82", "]]></style></svg>",
		"\" onload=\"x", "", "&amp;&#1;",
	};
	char big[4097], *plain[2] = { NULL, NULL };

	(void)state;
	memset(big, 'W', 4096);
	big[4096] = '\0';
	for (size_t i = 0; i <= sizeof names / sizeof *names; i++) {
		const char *name = i < sizeof names / sizeof *names ? names[i] : big;
		struct panels all = { .panel = calloc(3, sizeof *all.panel), .n = 2 };
		char *svg, *part, *got, *text;

		axis_make(&all.axis, 20, UINT64_C(245) * S, MS, 0);
		chance_again();
		all.panel[0] = panel_make(PANEL_HEAT, "tasks", &all.axis, 3, "", "--pid ");
		all.panel[1] = panel_make(PANEL_STACK, "rate", &all.axis, 7, "", "");
		for (unsigned k = 0; k < 2; k++) {
			struct panel *p = &all.panel[k];

			free(p->title);
			free(p->subtitle);
			free(p->desc);
			p->title = strdup(name);
			p->subtitle = strdup(name);
			p->desc = strdup(name);
			for (unsigned b = 0; b < p->nbands; b++) {
				free(p->band[b].label);
				free(p->band[b].option);
				p->band[b].label = strdup(name);
				p->band[b].option = b % 2 || k ? strdup(name) : NULL;
			}
		}
		svg = svg_of(&all, SCALE_LINEAR);
		part = part_of(&all.panel[0], 7);
		is_harmless(svg);
		is_harmless(part);
		for (int k = 0; k < 2; k++) {
			got = bones(k ? part : svg);
			assert_null(strstr(got, " on"));
			if (plain[k])
				assert_string_equal(got, plain[k]);
			else
				plain[k] = got;
			if (plain[k] != got)
				free(got);
		}
		/* a label ends before the row begins */
		if (name == big) {
			assert_non_null(strstr(svg, "WWW\xe2\x80\xa6</text>"));
			assert_null(strstr(svg, "x=\"142\" y=\"62.5\">WWWWWWWWWWWWWW"));
		}
		text = strstr(svg, "]]");
		assert_true(!text || !strncmp(text, "]]&gt;", 6));
		free(svg);
		free(part);
		panels_free(&all);
	}
	free(plain[0]);
	free(plain[1]);
}

/* What a script of a page finds. */
static void
test_part(void **state)
{
	uint32_t count[] = { 1, 1, 0, 8 };
	uint64_t start[] = { 1000, 2000, 3000, 4000 };
	struct axis axis = { .width = 1000, .n = 4, .start = start, .first = 1500, .last = 4999 };
	char label[] = "a", option[] = "--comms 'a \"b\"'", name[] = "tasks";
	struct band band = { .label = label, .option = option, .total = 10, .first = 1500, .last = 4999, .count = count };
	struct panel p = { .kind = PANEL_HEAT, .name = name, .samples = 10, .top = 8, .band = &band, .nbands = 1, .axis = &axis,
	    .lives = true };
	char *svg = part_of(&p, 3);

	(void)state;
	assert_non_null(strstr(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1140 "));
	assert_non_null(strstr(svg, "role=\"img\" aria-labelledby=\"t3 d3\">"));
	assert_non_null(strstr(svg, " data-o=\"--comms &#39;a &quot;b&quot;&#39;\"><title>2 samples · --comms &#39;a &quot;b&quot;&#39; "
	    "--time 0.000001000,0.000002999</title>"));
	assert_non_null(strstr(svg, "--time 0.000004000,0.000004999</title>"));
	free(svg);
}

/* ---- scenes ---------------------------------------------------------------------------------------- */

static void
test_ticks(void **state)
{
	const struct { unsigned n; uint64_t from, width, gap, origin, step; } in[] = {
		{ 40, 0, 5, 0, 0, 20 }, { 40, 1000, 5, 37, 1007, 20 }, { 40, 1000, 5, 37, 0, 7 }, { 9, UINT64_MAX - 99, 10, 0, 0, 30 },
		{ 10, UINT64_MAX - 99, 10, 0, 0, 33 }, { 10, UINT64_MAX - 99, 10, 0, UINT64_MAX - 90, 12 }, { 0, 0, 1, 0, 0, 1 }, { 3, 500, 1, 0, 900, 1 },
		{ 2, 0, UINT64_MAX / 2 + 1, 0, 0, UINT64_MAX / 2 }, { 1, UINT64_MAX - 9, 10, 0, 0, 1000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
		struct axis_tick t = { 0 };
		struct axis a;

		axis_make(&a, in[i].n, in[i].from, in[i].width, in[i].gap);
		for (unsigned c = 0; c < a.n; c++) {
			uint64_t end = axis_end(&a, c), first = in[i].origin > a.start[c] ? in[i].origin - a.start[c] : 0;

			assert_int_equal(axis_after(&a, a.start[c]), c + 1);
			if (c)
				assert_int_equal(axis_after(&a, a.start[c] - 1), c);
			/* all ns of a narrow column; of a wide one, those of multiples */
			for (uint64_t in_it = first; in_it <= end - a.start[c];) {
				uint64_t since = a.start[c] + in_it - in[i].origin, more = in[i].step - since % in[i].step;

				if (since % in[i].step == 0) {
					assert_true(axis_tick(&a, in[i].origin, in[i].step, &t));
					assert_int_equal(t.column, c);
					assert_true(t.since == since);
				}
				if (more > UINT64_MAX - in_it)
					break;
				in_it += more;
			}
		}
		assert_false(axis_tick(&a, in[i].origin, in[i].step, &t));
		free(a.start);
	}
}

/* Counts of a band, or of a strip. */
static uint64_t
sum_of(const uint32_t *count, unsigned from, unsigned to)
{
	uint64_t sum = 0;

	for (; from < to; from++)
		sum += count[from];
	return sum;
}

/* Columns that are one have what all of them had; so have bars, and places. */
static void
test_scenes(void **state)
{
	(void)state;
	for (uint64_t by = 1; by <= 64; by *= 2) {
		struct panels all;

		all_make(&all, 350, 20 * MS, UINT64_C(31800) * S, 3);
		for (unsigned i = 0; i < all.n; i++) {
			const struct panel *p = &all.panel[i];
			struct scene *s = scene_new(p, SCALE_AUTO, p->kind == PANEL_HIST && by > 16 ? 16 : by, true);
			uint64_t sum = 0, late = 0;

			assert_null(s->none);
			for (unsigned c = 0; panel_is_timed(p) && c < s->p->axis->n; c++) {
				unsigned from = scene_from(s, c), to = scene_from(s, c + 1);

				assert_true(from < to && p->axis->start[from] >= s->p->axis->start[c]);
				assert_true(p->axis->start[to - 1] - s->p->axis->start[c] < by * p->axis->width);
				for (unsigned b = 0; b < p->nbands; b++)
					assert_int_equal(s->p->band[b].count[c], sum_of(p->band[b].count, from, to));
				for (unsigned k = 0; k < STRIPS; k++)
					if (p->strip[k])
						assert_int_equal(s->p->strip[k][c], sum_of(p->strip[k], from, to));
				sum += to - from;
			}
			assert_true(!panel_is_timed(p) || sum == p->axis->n);
			sum = 0;
			for (unsigned b = 0; b < s->nbars; b++) {
				assert_true(s->bar[b].low <= s->bar[b].high && (!b || s->bar[b].low == s->bar[b - 1].high + 1));
				sum += s->bar[b].count;
			}
			for (unsigned b = 0; b < p->nbuckets; b++)
				sum -= p->bucket[b].count;
			assert_int_equal(sum, 0);
			for (unsigned k = 0; k < s->p->nplaces; k++)
				late += s->p->place[k].late;
			assert_int_equal(late, p->late);
			assert_true(p->kind != PANEL_BEHIND || s->p->width * s->p->nplaces >= p->bytes);
			scene_free(s);
		}
		panels_free(&all);
	}
}

/* To look at: unit/picture DIR */
static int
write_all(const char *dir)
{
	const struct { const char *name; uint64_t width, gap; unsigned n, cpus; } in[] = {
		{ "two", 20 * MS, 0, 350, 2 }, { "many", 5 * MS, 0, 1000, 64 }, { "break", 20 * MS, UINT64_C(31800000) * S, 350, 3 },
		{ "one", 20 * MS, 0, 1, 1 }, { "empty", MS, 0, 0, 2 }, { "long", UINT64_C(60) * S, 0, 4096, 16 },
	};
	struct draw d = { .theme = THEME_AUTO, .scale = SCALE_LINEAR };
	char path[256];

	for (size_t i = 0; i < sizeof in / sizeof *in; i++)
		for (int theme = 0; theme < 3; theme++) {
			struct panels all;
			FILE *f;

			all_make(&all, in[i].n, in[i].width, in[i].gap, in[i].cpus);
			d.theme = theme;
			d.scale = (enum draw_scale)theme;
			snprintf(path, sizeof path, "%s/%s-%d.svg", dir, in[i].name, theme);
			f = fopen(path, "w");
			draw_svg(f, &all, &d);
			fclose(f);
			panels_free(&all);
		}
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		return write_all(argv[1]);

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_coarse),
		cmocka_unit_test(test_ticks),
		cmocka_unit_test(test_scenes),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

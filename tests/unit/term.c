/* SPDX-License-Identifier: ISC */
/*
 * Panels as text: no line is wider than asked for, colours end with their line, and names do nothing to a terminal, whatever the
 * figures are.  unit/term show [WIDTH [ascii]]: look at them.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "report/hist.h"
#include "picture/draw.h"
#include "picture/term.h"

#include "check.h"

static uint64_t seed;

static uint32_t
chance(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

static bool utf8;		/* mbtowc() and wcwidth() know it: not for an emulated machine that has files of another's locale */

/* What names may be; the escape sequences, marks of direction, C1 controls must not come out. */
static const char *const names[] = {
	"swapper", "kworker/0:1H-events_highpri", "\033[2Jclear", "a\tb\nc", "\302\23331mred", "right\xe2\x80\xaeleft", "\xff\xfe no UTF-8",
	"\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97", "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81t\xcc\x81", "",
	"zero\xe2\x80\x8bwidth", "\xf3\xa0\x80\x81tag", "\xf0\x9f\x94\xa5 fire", "\\backslash", "\x7f",
};

static char *
name_of(unsigned i)
{
	return strdup(names[i % (sizeof names / sizeof *names)]);
}

/* ---- panels --------------------------------------------------------------------------------------- */

static struct axis
make_axis(unsigned n, uint64_t width, unsigned gaps)
{
	struct axis a = { .width = width, .n = n, .start = calloc(n + 1, sizeof *a.start) };
	uint64_t at = 1313;

	for (unsigned i = 0; i < n; i++) {
		if (gaps && i && i % (n / gaps + 1) == 0)
			at += 3600000000000 / width + i;
		a.start[i] = at++ * width;
	}
	a.first = n ? a.start[0] + width / 3 : 0;
	a.last = n ? a.start[n - 1] + width / 2 : 0;
	return a;
}

static void
make_bands(struct panel *p, unsigned nbands, unsigned most)
{
	p->band = calloc(nbands + 1, sizeof *p->band);
	p->nbands = nbands;
	for (unsigned b = 0; b < nbands; b++) {
		struct band *band = &p->band[b];

		band->label = name_of(b);
		band->count = calloc(p->axis->n + 1, sizeof *band->count);
		for (unsigned i = 0; i < p->axis->n; i++) {
			band->count[i] = chance(3) ? 0 : chance(most) * (chance(20) ? 1 : 10);
			if (band->count[i] && !band->total)
				band->first = p->axis->start[i];
			if (band->count[i])
				band->last = p->axis->start[i] + p->axis->width - 1;
			band->total += band->count[i];
			p->top = band->count[i] > p->top ? band->count[i] : p->top;
		}
		p->samples += band->total;
	}
}

static struct panel *
add(struct panels *ps, uint8_t kind, const char *name, const char *title)
{
	struct panel *p = &ps->panel[ps->n++];

	*p = (struct panel){ .kind = kind, .name = strdup(name), .title = strdup(title), .axis = &ps->axis,
	    .subtitle = strdup("perf\033[31m.data, a column is 20 ms, a_very_long_name_of_a_file_that_goes_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_to_the_end"), .desc = strdup("") };
	return p;
}

static void
make_panels(struct panels *ps, unsigned columns, unsigned bands, unsigned gaps, unsigned most)
{
	struct panel *p;

	memset(ps, 0, sizeof *ps);
	ps->panel = calloc(8, sizeof *ps->panel);
	ps->axis = make_axis(columns, 20000000, gaps);
	p = add(ps, PANEL_STACK, "rate", "Samples a second");
	make_bands(p, bands < 7 ? bands : 7, most);
	p->strip[STRIP_LOST] = calloc(columns + 1, sizeof *p->strip[STRIP_LOST]);
	for (unsigned i = 0; i < columns; i += 7)
		p->strip[STRIP_LOST][i] = UINT32_MAX;
	p = add(ps, PANEL_HEAT, "cpu", "Samples that are not idle, by CPU");
	make_bands(p, bands, most);
	p->strip[STRIP_THROTTLED] = calloc(columns + 1, sizeof *p->strip[STRIP_THROTTLED]);
	if (columns)
		p->strip[STRIP_THROTTLED][columns / 2] = 3;
	p = add(ps, PANEL_HEAT, "tasks", "Tasks");
	make_bands(p, bands < 24 ? bands : 24, most);
	p->lives = true;
	p->hidden = 12;
	p->hidden_samples = 123;
	p = add(ps, PANEL_HEAT, "subsecond", "When in each second");
	p->upward = true;
	make_bands(p, 50, most);
	for (unsigned b = 0; b < 50; b++) {
		p->band[b].from = b * 20000000;
		p->band[b].span = 20000000;
	}
	p = add(ps, PANEL_BEHIND, "disorder", "How far behind");
	p->nplaces = columns;
	p->place = calloc(columns + 1, sizeof *p->place);
	p->width = 4096;
	p->bytes = (uint64_t)columns * 4096;
	p->round = calloc(columns + 1, sizeof *p->round);
	for (unsigned i = 0; i < columns; i++) {
		uint64_t ns = chance(9) ? chance(3000000) : chance(60000000);

		p->place[i] = (struct behind_place){ ns, chance(50) ? 0 : 1, 5 };
		p->late += p->place[i].late;
		p->back += ns > 0;
		p->timed += 40;
		if (ns)
			p->power[63 - __builtin_clzll(ns)]++;
		p->worst = ns > p->worst ? ns : p->worst;
		if (i % 9 == 0)
			p->round[p->nrounds++] = i * UINT64_C(4096);
	}
	p->window = p->worst ? 60000000 : 0;
	p = add(ps, PANEL_HIST, "hist:interval", "Between samples");
	p->bucket = calloc(200, sizeof *p->bucket);
	p->unit = "ns";
	for (unsigned i = 0; i < columns && i < 200; i++) {
		p->bucket[p->nbuckets++] = (struct bucket){ hist_low(150 + 2 * i), 1 + chance(most) };
		p->samples += p->bucket[i].count;
	}
	for (unsigned i = 0; i < 3 && p->nbuckets; i++)
		p->mark[i] = (struct panel_mark){ p->bucket[p->nbuckets * (i + 1) / 4].low, (const char *[]){ "p50", "p90", "p99" }[i] };
	p = add(ps, PANEL_FILL, "fill", "What fills it");
	p->band = calloc(bands + 1, sizeof *p->band);
	p->nbands = bands < 8 ? bands : 8;
	for (unsigned i = 0; i < p->nbands; i++)
		p->band[i] = (struct band){ .label = name_of(i + 3), .total = chance(1 << 30) };
}

/* ---- what they look like -------------------------------------------------------------------------- */

/* Columns of the line up to its newline, and what it must not have. */
static void
check_line(const char *line, size_t n, unsigned width, bool ascii)
{
	bool coloured = false;
	unsigned columns = 0;

	for (size_t i = 0; i < n;) {
		wchar_t c;
		size_t len;

		if (line[i] == '\033') {
			assert_false(ascii);
			assert_int_equal(line[i + 1], '[');
			for (len = 2; i + len < n && strchr("0123456789;", line[i + len]); len++)
				;
			assert_int_equal(line[i + len], 'm');
			coloured = strncmp(line + i, "\033[0m", 4) != 0;
			i += len + 1;
			continue;
		}
		len = (size_t)mbtowc(&c, line + i, n - i);
		assert_true(len > 0 && len < 8);
		assert_true(c >= 0x20 && c != 0x7f && (c < 0x80 || c > 0x9f) && (c < 0x200b || c > 0x200f) && (c < 0x202a || c > 0x202e) &&
		    (c < 0xe0000 || c > 0xe0fff));
		assert_true(!ascii || c < 0x7f);
		columns += (unsigned)wcwidth(c);
		i += len;
	}
	assert_false(coloured);
	if (columns > width)
		fail_msg("%u columns of %u: %.*s", columns, width, (int)n, line);
}

static void
check_text(const struct panels *ps, const struct draw *d)
{
	char *text, *p, *end;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	draw_term(f, ps, d);
	fclose(f);
	for (p = text; (end = strchr(p, '\n')); p = end + 1)
		check_line(p, (size_t)(end - p), d->width < 80 ? 80 : d->width, d->ascii);
	assert_int_equal(*p, 0);
	free(text);
}

static void
test_lines(void **state)
{
	static const unsigned columns[] = { 0, 1, 2, 27, 61, 300, 4096 }, bands[] = { 1, 33, 64 }, widths[] = { 60, 97, 300 };

	(void)state;
	if (!utf8)
		skip();
	for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
		for (size_t b = 0; b < sizeof bands / sizeof *bands; b++)
			for (unsigned gaps = 0; gaps < 100; gaps += 49) {
				struct panels ps;

				make_panels(&ps, columns[c], bands[b], gaps, gaps ? 1000000000 : 9);
				for (unsigned k = 0; k < 3; k++)
					check_text(&ps, &(struct draw){ .width = widths[k], .ascii = gaps % 2, .scale = (enum draw_scale)k });
				panels_free(&ps);
			}
}

/* Each width once. */
static void
test_widths(void **state)
{
	struct panels ps;

	(void)state;
	if (!utf8)
		skip();
	make_panels(&ps, 130, 8, 3, 50);
	for (unsigned width = 80; width <= 300; width++)
		check_text(&ps, &(struct draw){ .width = width, .ascii = width % 3 == 0 });
	panels_free(&ps);
}

static void
test_figures(void **state)
{
	term_figure text;

	(void)state;
	assert_string_equal(term_exact(text, 60000000, ""), "60ms");
	assert_string_equal(term_exact(text, 1500000000, " "), "1.5 s");
	assert_string_equal(term_exact(text, 20000000000, " "), "20 s");
	assert_string_equal(term_exact(text, 1000001, ""), "1.000001ms");
	assert_string_equal(term_exact(text, 100, " "), "100 ns");
	assert_string_equal(term_exact(text, 0, ""), "0ns");
	assert_string_equal(term_exact(text, UINT64_MAX, ""), "18446744073.709551615s");
	assert_string_equal(term_short(text, 99999), "99999");
	assert_string_equal(term_short(text, 100000), "100k");
	assert_string_equal(term_short(text, 999600), "1.00M");
	assert_string_equal(term_short(text, 1234567), "1.23M");
	assert_string_equal(term_value(text, 1023, "ns"), "1.02 us");
	assert_string_equal(term_value(text, 999, "ns"), "999 ns");
	assert_string_equal(term_value(text, 0, "ns"), "0 ns");
	assert_string_equal(term_value(text, 4096, "bytes"), "4 KiB");
	assert_string_equal(term_value(text, 1 << 20, ""), "1.05M");
	assert_string_equal(term_share(text, 1, 10000), "<0.1%");
	assert_string_equal(term_share(text, 0, 0), "0.0%");
}

/* The text of one panel in ASCII; the caller frees it. */
static char *
text_of(struct panel *p, unsigned width)
{
	struct panels ps = { .panel = p, .n = 1 };
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	draw_term(f, &ps, &(struct draw){ .width = width, .ascii = true });
	fclose(f);
	return text;
}

/* The window is never less than what is needed, and round; what is less than 1 us is in the lowest line. */
static void
test_behind(void **state)
{
	static const struct { uint64_t ns; const char *window, *lowest; } cases[] = {
		{ 59898963, "--window=60ms\n", "<10 us" }, { 5911833, "--window=5.912ms\n", "<10 us" }, { 60000000, "--window=60ms\n", "<10 us" },
		{ 10000000001, "--window=11s\n", "<10 us" }, { 7, "--window=7ns\n", " 1 ns" }, { 1001, "--window=1.001us\n", "<10 us" },
		{ UINT64_MAX, "--window=18446744073.709551615s\n", "<10 us" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct behind_place place[] = { { cases[i].ns, 0, 0 }, { 7, 0, 0 }, { 0, 0, 0 } };
		struct panel p = { .kind = PANEL_BEHIND, .title = (char[]){ "" }, .subtitle = (char[]){ "" }, .place = place, .nplaces = 3, .width = 8,
		    .bytes = 24, .timed = 3, .back = 2, .worst = cases[i].ns, .window = cases[i].ns, .power = { [2] = 1 } };
		char *text;

		p.power[63 - __builtin_clzll(cases[i].ns)]++;
		text = text_of(&p, 80);
		if (!strstr(text, cases[i].window) || !strstr(text, cases[i].lowest))
			fail_msg("%s, %s: %s", cases[i].window, cases[i].lowest, text);
		free(text);
	}
}

static void
test_ascii(void **state)
{
	static const struct { const char *lc_all, *lang, *term, *no_color; bool ascii; } cases[] = {
		{ "C.UTF-8", NULL, "xterm", NULL, false }, { "", "de_DE.utf8", "xterm", "", false }, { "C", "de_DE.utf8", "xterm", NULL, true },
		{ "C.UTF-8", NULL, "dumb", NULL, true }, { "C.UTF-8", NULL, NULL, NULL, true }, { "C.UTF-8", NULL, "xterm", "1", true },
		{ NULL, NULL, "xterm", NULL, true }, { "de_DE.UTF-8@euro", NULL, "vt100", NULL, false },
	};
	static const char *const set[] = { "LC_ALL", "LANG", "TERM", "NO_COLOR" };

	(void)state;
	unsetenv("LC_CTYPE");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *const value[] = { cases[i].lc_all, cases[i].lang, cases[i].term, cases[i].no_color };

		for (unsigned k = 0; k < 4; k++)
			value[k] ? setenv(set[k], value[k], 1) : unsetenv(set[k]);
		assert_int_equal(term_ascii(), cases[i].ascii);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_behind),
		cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_lines),
	};

	utf8 = setlocale(LC_CTYPE, "C.UTF-8");
	if (argc > 1 && !strcmp(argv[1], "show")) {
		struct panels ps;

		make_panels(&ps, argc > 4 ? (unsigned)atoi(argv[4]) : 130, argc > 5 ? (unsigned)atoi(argv[5]) : 8, 2, 50);
		draw_term(stdout, &ps, &(struct draw){ .width = argc > 2 ? (unsigned)atoi(argv[2]) : 100, .ascii = argc > 3 && !strcmp(argv[3], "ascii") });
		panels_free(&ps);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

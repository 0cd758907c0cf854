/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "picture/term.h"
#include "report/text.h"
#include "tool/tool.h"

bool
term_ascii(void)
{
	const char *kind = getenv("TERM"), *none = getenv("NO_COLOR");

	return !tool_utf8() || (none && *none) || !kind || !*kind || !strcmp(kind, "dumb");
}

unsigned
term_theme(void)
{
	const char *colours = getenv("COLORFGBG"), *paper = colours ? strrchr(colours, ';') : NULL;

	if (!paper || strlen(paper + 1) != strspn(paper + 1, "0123456789") || !paper[1])
		return THEME_AUTO;
	return !strcmp(paper, ";7") || strlen(paper) == 3 ? THEME_LIGHT : THEME_DARK;	/* 10 to 15 are bright */
}

/* ---- lines ---------------------------------------------------------------------------------------- */

void
term_put(struct term *t, unsigned at, uint32_t c, int ink, int paper)
{
	if (at >= t->width)
		return;
	while (t->end <= at)
		t->cell[t->end++] = (struct term_cell){ { ' ', 0, 0 }, TERM_PLAIN, TERM_PLAIN };
	t->cell[at] = (struct term_cell){ { c, 0, 0 }, (int16_t)(t->ascii ? TERM_PLAIN : ink), (int16_t)(t->ascii ? TERM_PLAIN : paper) };
}

void
term_column(struct term *t, unsigned column, uint32_t c, int ink)
{
	for (unsigned k = 0; k < t->wide; k++)
		term_put(t, t->left + t->at[column] + k, c, ink, TERM_PLAIN);
}

void
term_text(struct term *t, unsigned at, const char *text, int ink)
{
	for (; *text; text++)
		term_put(t, at++, (unsigned char)*text, ink, TERM_PLAIN);
}

void
term_right(struct term *t, unsigned end, const char *text, int ink)
{
	size_t n = strlen(text);

	term_text(t, n < end ? end - (unsigned)n : 0, text, ink);
}

unsigned
term_tick(struct term *t, unsigned at, unsigned free_from, unsigned end, const char *text)
{
	unsigned n = (unsigned)strlen(text);

	if (at < free_from || at + 1 + n > end)
		return free_from;
	term_put(t, at, t->ascii ? '|' : 0x2575, TERM_PLAIN, TERM_PLAIN);
	term_text(t, at + 1, text, TERM_PLAIN);
	return at + 1 + n + 1;
}

/* Text of the recording as characters that do nothing to a terminal; in ASCII, other characters are \ooo.  The caller frees it. */
static char *
term_harmless(const struct term *t, const char *text)
{
	char *vis = tool_vis(text, strlen(text)), *plain, *to;

	if (!t->ascii)
		return vis;
	plain = to = tool_alloc(strlen(vis) + 1, 4);
	for (const char *p = vis; *p; p++)
		if ((unsigned char)*p < 0x80)
			*to++ = *p;
		else
			to += sprintf(to, "\\%03o", (unsigned)(unsigned char)*p);
	free(vis);
	return plain;
}

/* The next character of a harmless text, and its columns: 0, 1 or 2.  NUL: the end. */
static uint32_t
term_next(const char **p, mbstate_t *state, unsigned *columns)
{
	wchar_t c = 0;
	size_t n = mbrtowc(&c, *p, strlen(*p), state);
	int w;

	if (!**p || n == 0 || n > 16)
		return 0;
	*p += n;
	w = wcwidth(c);
	*columns = w < 0 ? 1 : (unsigned)w;
	return (uint32_t)c;
}

unsigned
term_columns(const struct term *t, const char *text)
{
	char *harmless = term_harmless(t, text);
	const char *p = harmless;
	mbstate_t state = { 0 };
	unsigned n = 0, w;

	while (term_next(&p, &state, &w))
		n += w;
	free(harmless);
	return n;
}

unsigned
term_name(struct term *t, unsigned at, unsigned room, const char *text, int ink)
{
	unsigned whole = term_columns(t, text), n = 0, limit = whole > room ? room - 1 : room, w;
	char *harmless = term_harmless(t, text);
	const char *p = harmless;
	mbstate_t state = { 0 };
	uint32_t c;

	for (; room && (c = term_next(&p, &state, &w)); n += w) {
		if (n + w > limit || at + n + w > t->width)
			break;
		if (w)
			term_put(t, at + n, c, ink, TERM_PLAIN);
		else if (n && at + n <= t->end && t->cell[at + n - 1].c[0] && !t->cell[at + n - 1].c[2])
			t->cell[at + n - 1].c[1 + !!t->cell[at + n - 1].c[1]] = c;
		if (w == 2) {
			term_put(t, at + n + 1, 0, ink, TERM_PLAIN);
			t->cell[at + n + 1].c[0] = 0;
		}
	}
	free(harmless);
	if (room && whole > room)
		term_put(t, at + n++, t->ascii ? '~' : 0x2026, ink, TERM_PLAIN);
	return n;
}

static void
term_utf8(FILE *f, uint32_t c)
{
	if (c < 0x80)
		putc((int)c, f);
	else if (c < 0x800)
		fprintf(f, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
	else if (c < 0x10000)
		fprintf(f, "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 0x3f), 0x80 | (c & 0x3f));
	else
		fprintf(f, "%c%c%c%c", 0xf0 | c >> 18, 0x80 | (c >> 12 & 0x3f), 0x80 | (c >> 6 & 0x3f), 0x80 | (c & 0x3f));
}

/* Change the colours, with one escape sequence. */
static void
term_colour(FILE *f, const struct term_cell *c, const struct term_cell *before)
{
	bool none = (c->ink < 0 && before->ink >= 0) || (c->paper < 0 && before->paper >= 0);

	if (c->ink == before->ink && c->paper == before->paper)
		return;
	fputs(none ? "\033[0" : "\033[", f);
	if (c->ink >= 0 && (none || c->ink != before->ink))
		fprintf(f, "%s38;5;%d", none ? ";" : "", c->ink);
	if (c->paper >= 0 && (none || c->paper != before->paper))
		fprintf(f, "%s48;5;%d", none || (c->ink >= 0 && c->ink != before->ink) ? ";" : "", c->paper);
	putc('m', f);
}

void
term_line(struct term *t)
{
	struct term_cell plain = { { 0 }, TERM_PLAIN, TERM_PLAIN }, before = plain;

	while (t->end && t->cell[t->end - 1].c[0] == ' ' && t->cell[t->end - 1].paper < 0)
		t->end--;
	for (unsigned i = 0; i < t->end; i++) {
		struct term_cell c = t->cell[i];

		if (c.c[0] == ' ')	/* a blank has no ink */
			c.ink = c.paper < 0 ? TERM_PLAIN : before.ink;
		if (!c.c[0])
			continue;
		term_colour(t->f, &c, &before);
		for (unsigned k = 0; k < 3 && c.c[k]; k++)
			term_utf8(t->f, c.c[k]);
		before = c;
	}
	term_colour(t->f, &plain, &before);
	putc('\n', t->f);
	t->end = 0;
}

void
term_words(struct term *t, const char *text)
{
	char *copy = strcpy(tool_alloc(strlen(text) + 1, 1), text), *rest = copy;
	unsigned at = 0;

	for (char *word; (word = strsep(&rest, " "));) {
		unsigned n = term_columns(t, word);

		if (at && at + 1 + n > t->width) {
			term_line(t);
			at = 0;
		}
		at += at > 0;
		at += term_name(t, at, t->width, word, TERM_PLAIN);
	}
	free(copy);
	term_line(t);
}

/* ---- parts ---------------------------------------------------------------------------------------- */

static const uint8_t term_hues[] = { 74, 172, 71, 140, 167, 179, 37, 245 };
enum { TERM_HUES = sizeof term_hues };

int
term_hue(const struct term *t, unsigned band)
{
	return t->ascii ? TERM_PLAIN : term_hues[band < TERM_HUES ? band : TERM_HUES - 1];
}

uint32_t
term_part(const struct term *t, unsigned band)
{
	return t->ascii ? (uint32_t)(band < 26 ? 'a' + band : '?') : 0x2588;
}

uint32_t
term_bar(const struct term *t, unsigned step)
{
	return t->ascii ? (unsigned char)*text_bar(step, false) : 0x2580 + step;
}

uint32_t
term_dots(const struct term *t, unsigned left, unsigned right, char full)
{
	static const uint8_t lefts[] = { 0, 0x40, 0x44, 0x46, 0x47 }, rights[] = { 0, 0x80, 0xa0, 0xb0, 0xb8 };
	unsigned most = left > right ? left : right;

	if (!t->ascii)
		return most ? 0x2800u + lefts[left] + rights[right] : ' ';
	return most == 0 ? ' ' : most == 1 ? '.' : most == 2 ? ':' : (unsigned char)full;
}

void
term_legend(struct term *t, bool bytes)
{
	const struct panel *p = t->p;
	unsigned widest = 0, room, columns, n = 0;
	term_figure text;

	for (unsigned i = 0; i < p->nbands; i++) {
		unsigned w = p->band[i].total ? term_columns(t, p->band[i].label) : 0;

		widest = w > widest ? w : widest;
	}
	room = t->width - (bytes ? 24 : 12);
	widest = widest < room ? widest : room;
	room = 2 + widest + (bytes ? 12 : 0) + 10;	/* "a NAME  12.3 MB  99.9 %  " */
	columns = (t->width + 2) / room;
	columns = columns ? columns : 1;
	for (unsigned i = 0; i < p->nbands; i++) {
		unsigned at = n * room;

		if (!p->band[i].total)
			continue;
		term_put(t, at, term_part(t, i), term_hue(t, i), TERM_PLAIN);
		term_name(t, at + 2, widest, p->band[i].label, TERM_PLAIN);
		if (bytes)
			term_right(t, at + 2 + widest + 12, term_value(text, p->band[i].total, "bytes"), TERM_PLAIN);
		term_right(t, at + room - 2, term_share(text, p->band[i].total, t->s->whole), TERM_PLAIN);
		if (++n == columns) {
			term_line(t);
			n = 0;
		}
	}
	if (n)
		term_line(t);
}

/* ---- all panels ----------------------------------------------------------------------------------- */

enum { LEFT_MOST = 15 + 1 + 7 + 1 };	/* of the longest name of a task and its pid; on a wide terminal there is space for more */

/* Panels with time stand under each other: their plots begin and end at the same columns. */
static void
term_margins(struct term *t, const struct panels *ps)
{
	unsigned most;

	t->left = 10;			/* of "throttled", "100 us" */
	for (unsigned i = 0; i < ps->n; i++)
		for (unsigned k = 0; ps->panel[i].kind == PANEL_HEAT && k < ps->panel[i].nbands; k++) {
			unsigned n = term_columns(t, ps->panel[i].band[k].label) + 1;

			t->left = n > t->left ? n : t->left;
		}
	most = t->width / 4 > LEFT_MOST ? t->width / 4 : LEFT_MOST;
	t->left = t->left < most ? t->left : most;
	t->right = 8;
	t->plot = t->width - t->left - t->right;
}

/* How long a character is, and more; of 160 bytes at most. */
static void
term_character(const struct term *t, char *to, const char *more)
{
	term_figure text, columns = "";

	term_exact(text, t->p->axis->width, " ");
	if (t->s->by > 1)
		snprintf(columns, sizeof columns, " (%" PRIu64 " columns)", t->s->by);
	if (t->wide > 1)
		snprintf(to, 160, ", %u characters are %s%s", t->wide, text, more);
	else
		snprintf(to, 160, ", a character is %s%s%s", text, columns, more);
}

bool
term_begin(struct term *t, const char *more)
{
	const struct panel *p = t->p;
	char *all = tool_alloc(strlen(p->subtitle) + 160, 1);

	term_words(t, p->title);
	strcpy(all, p->subtitle);
	if (panel_is_timed(p) && !t->s->none)
		term_character(t, all + strlen(all), more);
	term_words(t, all);
	free(all);
	for (unsigned i = 0; i < p->nnotes; i++)
		term_words(t, p->note[i]);
	if (t->s->none)
		term_words(t, t->s->none->text);
	return !t->s->none;
}

static uint64_t
term_by(const struct term *t, const struct panel *p)
{
	switch ((enum panel_kind)p->kind) {
	case PANEL_HEAT: case PANEL_STACK:
		return term_time_by(t, p);
	case PANEL_BEHIND:
		return term_behind_by(t, p);
	case PANEL_HIST:
		return term_hist_by(p);
	case PANEL_FILL: case PANEL_FLAME:
		return 1;
	}
	return 1;
}

void
draw_term(FILE *f, const struct panels *ps, const struct draw *d)
{
	static void (*const kinds[])(struct term *) = {
#define PANEL(NAME, name, timed) [PANEL_##NAME] = term_##name,
#include "kinds.def"
	};
	struct term t = { .f = f, .d = d, .ascii = d->ascii, .theme = d->theme == THEME_AUTO ? term_theme() : d->theme };

	t.width = d->width < TERM_NARROW ? TERM_NARROW : d->width > TERM_WIDE ? TERM_WIDE : d->width;
	t.cell = tool_alloc(t.width, sizeof *t.cell);
	term_margins(&t, ps);
	for (unsigned i = 0; i < ps->n; i++) {
		const struct panel *p = &ps->panel[i];
		struct scene *s = scene_new(p, d->scale, term_by(&t, p), true);

		t.s = s;
		t.p = s->p;
		term_time(&t);
		if (i)
			term_line(&t);
		kinds[p->kind](&t);
		scene_free(s);
	}
	free(t.at);
	free(t.cell);
}

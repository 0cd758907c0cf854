/* SPDX-License-Identifier: ISC */
/* maptext.c - see maptext.h */
#include <stdlib.h>
#include <string.h>

#include "maptext.h"
#include "record/order.h"
#include "set.h"
#include "tool/tool.h"

/* ---- lines ---------------------------------------------------------------------------------------- */

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A number and the space behind it; java writes 0x in front.  Returns what follows; NULL: there is no such thing. */
static const char *
hex_number(const char *p, uint64_t *n)
{
	const char *from;

	if (p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	*n = 0;
	for (from = p; hex_digit(*p) >= 0; p++) {
		if (*n >> 60)
			return NULL;
		*n = *n << 4 | (uint64_t)hex_digit(*p);
	}
	return p > from && *p == ' ' ? p + 1 : NULL;
}

/* A line of `len' bytes with a NUL behind it. */
static bool
maptext_line(struct maptext *m, const char *p, size_t len)
{
	struct maptext_line l;
	const char *name;

	if (len >= MAPTEXT_LINE_MAX || strlen(p) != len)
		return false;
	if (!(name = hex_number(p, &l.start)) || !(name = hex_number(name, &l.size)) || !*name || l.size > UINT64_MAX - l.start)
		return false;
	if (!l.size)
		return true;			/* no address is in it */
	l.name = (size_t)(name - m->text);
	m->line = tool_need(array_more(m->line, m->lines, 1, sizeof *m->line));
	m->line[m->lines++] = l;
	return true;
}

/* All lines that are complete, and what is behind the last of them, as far as it is there. */
static void
maptext_parse(struct maptext *m)
{
	char *end;

	m->lines = m->whole;
	while (m->lines < MAPTEXT_LINES_MAX && (end = memchr(m->text + m->parsed, '\n', m->n - m->parsed))) {
		size_t len = (size_t)(end - m->text) - m->parsed;

		*end = '\0';
		if (len && !maptext_line(m, m->text + m->parsed, len))
			m->bad++;
		m->parsed += len + 1;
	}
	m->whole = m->lines;
	m->full |= m->lines >= MAPTEXT_LINES_MAX;
	m->text[m->n] = '\0';
	if (!m->full && m->n > m->parsed)
		maptext_line(m, m->text + m->parsed, m->n - m->parsed);
}

void
maptext_append(struct maptext *m, const char *p, size_t n)
{
	m->full |= n > MAPTEXT_MAX - m->n;
	if (m->full)
		return;
	m->text = tool_need(buffer_more(m->text, &m->cap, m->n, n + 1));
	memcpy(m->text + m->n, p, n);
	m->n += n;
}

size_t
maptext_tail(const struct maptext *m)
{
	return m->n < MAPTEXT_TAIL ? m->n : MAPTEXT_TAIL;
}

bool
maptext_has_tail(const struct maptext *m, const char *bytes)
{
	const char *end = m->text + m->n;

	for (size_t n = maptext_tail(m); n; n--, bytes++)
		if (end[-(ptrdiff_t)n] != *bytes && (end[-(ptrdiff_t)n] || *bytes != '\n'))	/* ends of lines are NULs here */
			return false;
	return true;
}

/* ---- symbols -------------------------------------------------------------------------------------- */

struct sweep {
	struct maptext	*m;
	uint32_t	*order;		/* lines by start */
	size_t		 next, end;	/* the first one that is not active yet; their number */
	uint32_t	*heap;		/* active lines: the last one is at the top; some of them may have ended */
	size_t		 n;
};

static void
heap_push(struct sweep *s, uint32_t line)
{
	size_t i = s->n++;

	for (; i && s->heap[(i - 1) / 2] < line; i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = line;
}

static void
heap_pop(struct sweep *s)
{
	uint32_t line = s->heap[--s->n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < s->n) {
		child += child + 1 < s->n && s->heap[child + 1] > s->heap[child];
		if (s->heap[child] < line)
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = line;
}

static uint64_t
line_end(const struct maptext *m, uint32_t line)
{
	return m->line[line].start + m->line[line].size;
}

static void
maptext_emit(struct maptext_list *to, struct maptext_symbol s)
{
	struct maptext_symbol *last = to->n ? &to->v[to->n - 1] : NULL;

	if (last && last->line == s.line && last->start + last->size == s.start) {
		last->size += s.size;
		return;
	}
	to->v = tool_need(array_more(to->v, to->n, 1, sizeof *to->v));
	to->v[to->n++] = s;
}

/* From one place where a line begins or ends to the next: the last line that is active there has it. */
static void
maptext_sweep(struct sweep *s)
{
	struct maptext *m = s->m;
	uint64_t at = 0, to;

	while (s->n || s->next < s->end) {
		if (!s->n)
			at = m->line[s->order[s->next]].start;
		while (s->next < s->end && m->line[s->order[s->next]].start <= at)
			heap_push(s, s->order[s->next++]);
		if (line_end(m, s->heap[0]) <= at) {
			heap_pop(s);
			continue;
		}
		to = line_end(m, s->heap[0]);
		if (s->next < s->end && m->line[s->order[s->next]].start < to)
			to = m->line[s->order[s->next]].start;
		maptext_emit(&m->fresh, (struct maptext_symbol){ at, to - at, s->heap[0], false });
		at = to;
	}
}

static int
by_start(const void *a, const void *b, void *arg)
{
	const struct maptext_line *l = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (l[x].start != l[y].start)
		return l[x].start < l[y].start ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The symbols of the lines from index `from' to before `to' alone, in m->fresh. */
static void
maptext_sort(struct maptext *m, size_t from, size_t to)
{
	struct sweep s = { .m = m, .end = to - from };

	m->fresh.n = 0;
	s.order = tool_alloc(s.end + 1, sizeof *s.order);
	s.heap = tool_alloc(s.end + 1, sizeof *s.heap);
	for (size_t i = 0; i < s.end; i++)
		s.order[i] = (uint32_t)(from + i);
	qsort_r(s.order, s.end, sizeof *s.order, by_start, m->line);
	maptext_sweep(&s);
	free(s.order);
	free(s.heap);
}

/* m->other becomes m->complete, and m->fresh over it. */
static void
maptext_merge(struct maptext *m)
{
	struct maptext_symbol *f = m->fresh.v, *end = f + m->fresh.n, old;

	m->other.n = 0;
	for (size_t i = 0; i < m->complete.n; i++) {
		uint64_t last = m->complete.v[i].start + m->complete.v[i].size;

		old = m->complete.v[i];
		for (; f < end && f->start < last; f++) {
			uint64_t to = f->start + f->size;

			if (to > old.start) {
				f->over = true;
				if (f->start > old.start)
					maptext_emit(&m->other, (struct maptext_symbol){ old.start, f->start - old.start, old.line, old.over });
				old.start = to;
				if (to >= last)		/* it may be over the next one, too */
					break;
			}
			maptext_emit(&m->other, *f);
		}
		if (old.start < last) {
			old.size = last - old.start;
			maptext_emit(&m->other, old);
		}
	}
	for (; f < end; f++)
		maptext_emit(&m->other, *f);
}

void
maptext_ready(struct maptext *m)
{
	size_t known = m->whole;
	struct maptext_list list;

	if (!m->text)
		return;
	maptext_parse(m);
	if (m->whole > known) {
		maptext_sort(m, known, m->whole);
		maptext_merge(m);
		list = m->complete;
		m->complete = m->other;
		m->other = list;
	}
	list = m->complete;
	if (m->lines > m->whole) {
		maptext_sort(m, m->whole, m->lines);
		maptext_merge(m);
		list = m->other;
	}
	m->symbol = list.v;
	m->symbols = list.n;
}

const struct maptext_symbol *
maptext_from(const struct maptext *m, uint64_t addr)
{
	size_t lo = 0, hi = m->symbols;

	ORDER_FIND(lo, hi, i, m->symbol[i].start + m->symbol[i].size > addr);
	return lo < m->symbols ? m->symbol + lo : NULL;
}

const struct maptext_symbol *
maptext_next(const struct maptext *m, const struct maptext_symbol *s)
{
	return s + 1 < m->symbol + m->symbols ? s + 1 : NULL;
}

const struct maptext_symbol *
maptext_find(const struct maptext *m, uint64_t addr)
{
	const struct maptext_symbol *s = maptext_from(m, addr);

	return s && s->start <= addr ? s : NULL;
}

const char *
maptext_name(const struct maptext *m, const struct maptext_symbol *s)
{
	return m->text + m->line[s->line].name;
}

size_t
maptext_memory(const struct maptext *m)
{
	return m->cap + m->lines * sizeof *m->line + (m->complete.n + m->other.n + m->fresh.n) * sizeof *m->symbol;
}

void
maptext_free(struct maptext *m)
{
	free(m->text);
	free(m->line);
	free(m->complete.v);
	free(m->other.v);
	free(m->fresh.v);
	*m = (struct maptext){ 0 };
}

/* SPDX-License-Identifier: ISC */
/* list.c - parses lists in option arguments: numbers and ranges, words; also from files */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "set.h"

enum {
	BITS_MAX = 1 << 22,		/* the largest pid, and more CPUs than there are */
	TEXT_MAX = 64 << 20,		/* bytes of a file */
	STEP = 1 << 16,
};

char *
tool_named_file(const struct tool *t, const char *text)
{
	static const char scheme[] = "file://";
	const char *name = text + sizeof scheme - 1;
	char *all = NULL;
	size_t n = 0, got;
	FILE *f;

	if (strncmp(text, scheme, sizeof scheme - 1))
		return NULL;
	if (!(f = fopen(name, "re")))
		tool_wrong(t, "%s: %s: %s", t->optname, name, strerror(errno));
	do {
		all = tool_need(array_more(all, n, STEP + 1, 1));
		n += got = fread(all + n, 1, STEP, f);
	} while (got && n <= TEXT_MAX && !memchr(all + n - got, 0, got));
	if (ferror(f))
		tool_wrong(t, "%s: %s: %s", t->optname, name, strerror(errno));
	fclose(f);
	if (!n)
		tool_wrong(t, "%s '%s': is empty", t->optname, text);
	if (n > TEXT_MAX)
		tool_wrong(t, "%s '%s': more than %d bytes", t->optname, text, TEXT_MAX);
	all[n] = 0;
	if (strlen(all) < n)
		tool_wrong(t, "%s '%s': is not text", t->optname, text);
	return all;
}

/* ---- words --------------------------------------------------------------------------------------- */

static bool
each_line(char *all, void (*fn)(void *, const char *), void *arg)
{
	bool any = false;

	for (char *p = all, *line; (line = strsep(&p, "\n"));)
		if (*line) {
			fn(arg, line);
			any = true;
		}
	return any;
}

void
tool_words(const struct tool *t, const char *text, void (*fn)(void *, const char *), void *arg)
{
	char *copy = tool_named_file(t, text), *from;
	int depth = 0;
	bool slash = false;

	if (copy) {
		if (!each_line(copy, fn, arg))
			tool_wrong(t, "%s '%s': is empty", t->optname, text);
		free(copy);
		return;
	}
	copy = from = tool_alloc(strlen(text) + 1, 1);
	strcpy(copy, text);
	for (char *p = copy;; p++) {
		bool end = !*p;

		if (*p == '{')
			depth++;
		else if (*p == '}' && depth)
			depth--;
		else if (*p == '/')
			slash = !slash;
		else if (end || (*p == ',' && !depth && !slash)) {
			*p = 0;
			if (!*from)
				tool_wrong(t, "%s '%s': has an empty word", t->optname, text);
			fn(arg, from);
			from = p + 1;
		}
		if (end)
			break;
	}
	free(copy);
}

/* ---- numbers ------------------------------------------------------------------------------------- */

/* "7", "-1", "10-20" */
static bool
range(const char *word, size_t n, struct tool_range *r)
{
	char buf[64], *end;

	if (!n || n >= sizeof buf)
		return false;
	memcpy(buf, word, n);
	buf[n] = 0;
	errno = 0;
	r->lo = r->hi = strtoimax(buf, &end, 10);
	if (end == buf || errno)
		return false;
	if (*end == '-') {
		const char *from = end + 1;

		r->hi = strtoimax(from, &end, 10);
		if (end == from || errno)
			return false;
	}
	return !*end;
}

static void
add_range(const struct tool *t, struct tool_list *l, const char *p, size_t n, const char *in, const char *file)
{
	int len = n > 40 ? 40 : (int)n;
	struct tool_range r;

	if (!range(p, n, &r))
		tool_wrong(t, "%s '%.*s'%s%s: expected numbers or ranges such as 1,2,10-20", t->optname, len, p, in, file);
	if (r.lo > r.hi)
		tool_wrong(t, "%s '%.*s'%s%s: ends before it begins", t->optname, len, p, in, file);
	l->r = tool_need(array_more(l->r, l->n, 1, sizeof *l->r));
	l->r[l->n++] = r;
}

void
tool_list(const struct tool *t, struct tool_list *l, const char *text)
{
	char *all = tool_named_file(t, text);
	size_t before = l->n, n;

	if (all) {
		for (const char *p = all + strspn(all, ", \t\n"); *p; p += n, p += strspn(p, ", \t\n"))
			add_range(t, l, p, n = strcspn(p, ", \t\n"), " in ", text);
		free(all);
		if (l->n == before)
			tool_wrong(t, "%s '%s': has no number", t->optname, text);
		return;
	}
	for (const char *p = text;; p += n + 1) {
		add_range(t, l, p, n = strcspn(p, ","), "", "");
		if (!p[n])
			return;
	}
}

static int
by_lo(const void *a, const void *b)
{
	const struct tool_range *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Sort, and merge adjacent ranges. */
static void
tidy(struct tool_list *l)
{
	size_t n = 0;

	qsort(l->r, l->n, sizeof *l->r, by_lo);
	for (size_t i = 0; i < l->n; i++)
		if (n && (l->r[n - 1].hi == INT64_MAX || l->r[i].lo <= l->r[n - 1].hi + 1)) {
			if (l->r[i].hi > l->r[n - 1].hi)
				l->r[n - 1].hi = l->r[i].hi;
		} else
			l->r[n++] = l->r[i];
	l->n = n;
}

static void
set_bits(struct tool_list *l)
{
	l->nbits = l->hi < 0 ? 0 : l->hi < BITS_MAX ? (uint64_t)l->hi + 1 : BITS_MAX;
	l->bits = tool_alloc(l->nbits / 64 + 1, sizeof *l->bits);
	for (size_t i = 0; i < l->n; i++)
		for (int64_t k = l->r[i].lo < 0 ? 0 : l->r[i].lo; k <= l->r[i].hi && (uint64_t)k < l->nbits; k++)
			l->bits[k >> 6] |= UINT64_C(1) << (k & 63);
}

void
tool_list_ready(struct tool_list *l)
{
	if (!l->n)
		return;
	tidy(l);
	l->lo = l->r[0].lo;
	l->hi = l->r[l->n - 1].hi;
	free(l->bits);
	l->bits = NULL;
	if (l->n > 1)
		set_bits(l);
}

bool
tool_list_search(const struct tool_list *l, int64_t n)
{
	size_t lo = 0, hi = l->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (n < l->r[mid].lo)
			hi = mid;
		else if (n > l->r[mid].hi)
			lo = mid + 1;
		else
			return true;
	}
	return false;
}

bool
tool_list_within(const struct tool_list *a, const struct tool_list *b)
{
	size_t k = 0;

	for (size_t i = 0; i < a->n; i++) {
		while (k < b->n && b->r[k].hi < a->r[i].lo)
			k++;
		if (k == b->n || b->r[k].lo > a->r[i].lo || b->r[k].hi < a->r[i].hi)
			return false;
	}
	return true;
}

void
tool_list_free(struct tool_list *l)
{
	free(l->r);
	free(l->bits);
	*l = (struct tool_list){ 0 };
}

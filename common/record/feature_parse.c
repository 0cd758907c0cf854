/* SPDX-License-Identifier: ISC */
/*
 * feature_parse.c - a header feature from its text, as feature_text.c prints it
 *
 * The templates of feature.def are read backwards: what a template has in front of its % must be in the text, then comes the
 * value.  A string ends where the text of what may follow begins, at the latest with the line.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "feature_in.h"

struct parse {
	struct pp_feature_io io;
	const struct pp_feature_field *row;
	uint64_t	 number;
	const char	*begin, *p;	/* the text, and how far it is parsed */
	struct pp_err	*err;
	bool		 again;		/* a template has been matched: the next newline counts */
	uint64_t	 val[PP_FEATURE_FIELDS];
};

struct part { const char *p, *end; };	/* of a template */

static bool
parse_at_end(const struct parse *q)
{
	return !q->p[*q->p == '\n'];
}

/* ---- templates ----------------------------------------------------------------------------------------- */

/* The template of the entry `index', up to its %, or behind it. */
static struct part
parse_part(const struct pp_feature_field *f, uint64_t index, bool behind)
{
	const char *bar = strchr(f->text, '|');
	struct part t = { f->text, bar ? bar : f->text + strlen(f->text) };
	const char *percent;

	if (bar && index > 0)
		t = (struct part){ bar + 1, bar + strlen(bar) };
	if ((percent = memchr(t.p, '%', (size_t)(t.end - t.p)))) {
		if (behind)
			t.p = percent + 1;
		else
			t.end = percent;
	} else if (behind)
		t.p = t.end;
	return t;
}

static bool
parse_has_value(const struct pp_feature_field *f)
{
	return strchr(f->text, '%') != NULL;
}

/* Where the title of the part ends, which may be left out, "hostname : " or "clock data : " in front of "clockid "; NULL: none. */
static const char *
parse_title_end(struct part t)
{
	if (memchr(t.p, '#', (size_t)(t.end - t.p)))
		return NULL;
	for (; t.end - t.p >= 3; t.p++)
		if (!memcmp(t.p, " : ", 3))
			return t.p + 3;
	return NULL;
}

/* Where the text goes on behind the part; NULL: it has something else. */
static const char *
parse_match(const struct parse *q, struct part t, uint64_t index)
{
	const char *p = q->p;
	char number[24];

	for (; t.p < t.end; t.p++) {
		if (*t.p == '\n' && !q->again)
			continue;
		if (*t.p == '#') {
			int n = snprintf(number, sizeof number, "%" PRIu64, index);

			if (strncmp(p, number, (size_t)n))
				return NULL;
			p += n;
		} else if (*p++ != *t.p)
			return NULL;
	}
	return p;
}

/* The same, of what a field has in front of its value, which may be without its title. */
static const char *
parse_front(const struct parse *q, unsigned i, uint64_t index, bool in_list)
{
	struct part t = parse_part(&q->row[i], index, false);
	const char *p = parse_match(q, t, index), *title = parse_title_end(t), *line;
	struct parse untitled = *q;

	if (p || !title)
		return p;
	if (!q->again) {		/* in a list, a line with a title can be that of another field */
		line = strstr(q->p, " : ");
		if (in_list && line && line < q->p + strcspn(q->p, "\n"))
			return NULL;
	} else {
		if (in_list || (*q->p != ',' && *q->p != '\n'))
			return NULL;
		untitled.p += 1 + strspn(q->p + 1, " ");
	}
	return parse_match(&untitled, (struct part){ title, t.end }, index);
}

/* ---- the end of strings ---------------------------------------------------------------------------------- */

struct ends {
	const char	*at;		/* the earliest */
	const char	*line_end;
};

/* The text before `line_end' may go on with this field. */
static void
parse_end_before(struct ends *e, const struct pp_feature_field *f, uint64_t index, const char *from)
{
	struct part t = parse_part(f, index, false);
	size_t n = 0;

	while (t.p + n < t.end && t.p[n] != '#' && t.p[n] != '\n')
		n++;
	if (*t.p == '\n')
		e->at = e->at ? e->at : e->line_end;
	else if (n)
		for (const char *p = from; p + n <= e->line_end; p++)
			if (!memcmp(p, t.p, n)) {
				e->at = e->at && e->at < p ? e->at : p;
				break;
			}
}

/* Find the earliest end of a string at `from': where a field that may follow, from i on, begins. */
static void
parse_ends(const struct parse *q, struct ends *e, unsigned i, const char *from)
{
	const struct pp_feature_field *f = q->row;
	unsigned start;

	for (;; i++)
		switch (f[i].kind) {
		case PP_F_STOP:
			e->at = e->at ? e->at : e->line_end;
			return;
		case PP_F_LIST: case PP_F_BITS: case PP_F_CPUS: case PP_F_EACH:
			for (start = i + 1; !f[start].text; start++)
				;
			parse_end_before(e, &f[start], 0, from);
			i = pp_feature_end_of(f, i + 1);
			break;
		case PP_F_END:
			for (start = i; start > 0; start--)
				if ((f[start].kind == PP_F_LIST || f[start].kind == PP_F_BITS || f[start].kind == PP_F_CPUS ||
				    f[start].kind == PP_F_EACH) && pp_feature_end_of(f, start + 1) == i)
					break;
			while (!f[start].text)
				start++;
			parse_end_before(e, &f[start], 1, from);
			break;
		case PP_F_SINCE:
			parse_end_before(e, &f[++i], 0, from);
			break;
		case PP_F_OPT:
			break;
		default:
			if (f[i].text) {
				parse_end_before(e, &f[i], 0, from);
				return;
			}
		}
}

/* The end of a string of the field i; NULL: there is none. */
static const char *
parse_string_end(const struct parse *q, unsigned i, const char *from)
{
	struct ends e = { .line_end = from + strcspn(from, "\n") };

	parse_ends(q, &e, i + 1, from);
	return e.at;
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* "expected ..." */
static int
parse_fail(const struct parse *q, unsigned i, uint64_t index)
{
	struct part t = parse_part(&q->row[i], index, false);
	static const char *const kinds[] = { [PP_F_UINT] = "a number", [PP_F_SINT] = "a number", [PP_F_HEX] = "a number such as 0x1f",
	    [PP_F_TIME] = "seconds such as 12.345678901", [PP_F_BITMAP] = "numbers such as 0-3,8", [PP_F_STR] = "text" };
	const char *kind = parse_has_value(&q->row[i]) ? kinds[q->row[i].kind] : "";

	t.p += t.p < t.end && *t.p == '\n';
	return pp_fail(q->err, "'%.40s': expected %s%.*s%s%s", q->p, t.p < t.end ? "'" : "", (int)(t.end - t.p), t.p,
	    t.p < t.end ? *kind ? "' and " : "'" : "", kind);
}

/* A number of the field's kind at p.  Its end; NULL: there is none. */
static const char *
parse_number(unsigned kind, const char *p, uint64_t *num)
{
	bool minus = kind == PP_F_SINT && *p == '-';
	uint64_t part = 0;
	char *end;

	p += minus;
	if (!isdigit((unsigned char)*p))
		return NULL;
	errno = 0;
	*num = strtoull(p, &end, kind == PP_F_HEX && p[0] == '0' && p[1] == 'x' && isxdigit((unsigned char)p[2]) ? 16 : 10);
	if (errno)
		return NULL;
	if (minus)
		*num = -*num;
	if (kind != PP_F_TIME)
		return end;
	if (*num > UINT64_MAX / 1000000000)
		return NULL;
	if (*end == '.' && isdigit((unsigned char)end[1])) {
		int digits = 0;

		for (end++; isdigit((unsigned char)*end) && digits < 9; end++, digits++)
			part = 10 * part + (uint64_t)(*end - '0');
		for (; digits < 9; digits++)
			part *= 10;
	}
	return __builtin_add_overflow(*num * 1000000000, part, num) ? NULL : end;
}

static int
parse_value(struct parse *q, unsigned i, uint64_t index, bool in_list)
{
	const struct pp_feature_field *f = &q->row[i];
	const char *p = parse_front(q, i, index, in_list), *end = NULL;
	struct parse rest = *q;
	int rc;

	if (!p)
		return parse_fail(q, i, index);
	if (!parse_has_value(f)) {		/* a title, of a count that is not shown */
		end = p;
		rc = pp_feature_put_count(&q->io, f->name);
	} else if (f->kind == PP_F_STR) {
		if (!(end = parse_string_end(q, i, p)))
			return parse_fail(q, i, index);
		rc = pp_feature_put_str(&q->io, f->name, p, (size_t)(end - p));
	} else {
		if (!(end = parse_number(f->kind, p, &q->val[i])))
			return parse_fail(q, i, index);
		rc = pp_feature_put_num(&q->io, f->name, q->val[i]);
	}
	if (rc < 0)
		return -1;
	q->again = true;
	rest.p = end;
	if (!(q->p = parse_match(&rest, parse_part(f, index, true), index))) {
		struct part t = parse_part(f, index, true);

		return pp_fail(q->err, "'%.40s': expected '%.*s'", end, (int)(t.end - t.p), t.p);
	}
	return 1;
}

/* Runs of a bitmap, " 0-2,63-64", into words; *nbits: behind the last.  The end; NULL: they are not sound. */
static const char *
parse_runs(const char *p, uint64_t *words, uint64_t cap, uint64_t *nbits)
{
	uint64_t lo, hi;

	*nbits = 0;
	for (char sep = ' '; *p == sep; sep = ',') {
		if (!(p = parse_number(PP_F_UINT, p + 1, &lo)))
			return NULL;
		hi = lo;
		if (*p == '-' && !(p = parse_number(PP_F_UINT, p + 1, &hi)))
			return NULL;
		if (lo < *nbits || hi < lo || hi >= cap)
			return NULL;
		for (; lo <= hi; lo++)
			words[lo / 64] |= UINT64_C(1) << lo % 64;
		*nbits = hi + 1;
	}
	return p;
}

/* A bitmap, i: the field with its number of bits, which is not shown.  There are at least as many as the value before says. */
static int
parse_bitmap(struct parse *q, unsigned i)
{
	const struct pp_feature_field *bits = &q->row[i + 2];
	uint64_t cap = 8 * (uint64_t)q->io.cap, nbits = 0;
	uint64_t *words = calloc(cap / 64 + 1, sizeof *words);
	const char *p = parse_match(q, parse_part(bits, 0, false), 0);
	int rc = 1;

	if (!words)
		return pp_fail_memory(q->err);
	if (p && !(p = parse_runs(p, words, cap, &nbits)))
		rc = parse_fail(q, i + 2, 0);
	else if (p) {
		q->p = p;
		nbits = q->val[i - 1] > nbits ? q->val[i - 1] : nbits;
	}
	if (rc > 0)
		rc = pp_feature_put_num(&q->io, q->row[i].name, nbits);
	for (uint64_t w = 0; rc > 0 && w < nbits / 64 + (nbits % 64 != 0); w++)
		rc = pp_feature_put_num(&q->io, bits->name, w <= cap / 64 ? words[w] : 0);
	free(words);
	return rc;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Is there one more entry of the list whose body begins at i?  Each that has a text form begins with a field that is shown. */
static bool
parse_starts(const struct parse *q, unsigned i, uint64_t index)
{
	const char *p;

	if (parse_at_end(q) || !(p = parse_front(q, i, index, true)))
		return false;
	return q->row[i].kind != PP_F_STR || parse_string_end(q, i, p);
}

/* A field that is not shown: a count, or the version of a layout. */
static int
parse_hidden(struct parse *q, unsigned i)
{
	const struct pp_feature_field *f = &q->row[i];

	for (unsigned k = i + 1; q->row[k].kind != PP_F_STOP; k++)
		if (q->row[k].kind == PP_F_LIST && pp_feature_ref(q->row, k, q->row[k].ref) == i)
			return pp_feature_put_count(&q->io, f->name);
	return pp_feature_put_num(&q->io, f->name, q->number == PP_FEAT_COMPRESSED ? 0 : 1);
}

/* Parse from field i to the end of the list, or of the row.  The index of that end, or -1. */
static int
parse_fields(struct parse *q, unsigned i, uint64_t index, bool in_list)
{
	const struct pp_feature_field *f = q->row;
	int rc = 1;

	for (; rc > 0; i++)
		switch (f[i].kind) {
		case PP_F_STOP: case PP_F_END:
			return (int)i;
		case PP_F_LIST: case PP_F_CPUS: case PP_F_EACH:
			for (uint64_t n = 0; rc > 0 && parse_starts(q, i + 1, n); n++)
				rc = parse_fields(q, i + 1, n, true) < 0 ? -1 : 1;
			i = pp_feature_end_of(f, i + 1);
			break;
		case PP_F_OPT:
			if (parse_at_end(q))
				return (int)i;
			break;
		case PP_F_SINCE:
			i += q->val[pp_feature_ref(f, i, f[i].ref)] < f[i].size;
			break;
		default:
			if (f[i].text)
				rc = parse_value(q, i, index, in_list);
			else if (f[i + 1].kind == PP_F_BITS) {
				rc = parse_bitmap(q, i);
				i = pp_feature_end_of(f, i + 2);
			} else
				rc = parse_hidden(q, i);
		}
	return -1;
}

bool
pp_feature_has_text(uint64_t number)
{
	const struct pp_feature_field *f = pp_feature_row(number);

	if (f->kind == PP_F_STOP)
		return false;
	for (; f->kind != PP_F_STOP; f++)
		if (f->kind == PP_F_ATTR || f->kind == PP_F_INFO || f->kind == PP_F_BYTES)
			return false;
	return true;
}

int
pp_feature_parse(uint64_t number, const char *text, bool swap, uint8_t *buf, size_t cap, size_t *len, struct pp_err *err)
{
	struct parse q = { .row = pp_feature_row(number), .number = number, .begin = text, .p = text, .err = err };

	if (!pp_feature_has_text(number))
		return pp_fail(err, "has no text form");
	pp_feature_create(&q.io, number, swap, 0, buf, cap, err);
	if (parse_fields(&q, 0, 0, false) < 0)
		return -1;
	if (!parse_at_end(&q))
		return pp_fail(err, "'%.40s': expected nothing behind '%.*s'", q.p, (int)(q.p - q.begin > 40 ? 40 : q.p - q.begin),
		    q.p - (q.p - q.begin > 40 ? 40 : q.p - q.begin));
	return pp_feature_finish(&q.io, len);
}

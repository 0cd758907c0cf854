/* SPDX-License-Identifier: ISC */
/*
 * join_tracing.c - TRACING_DATA of the joined stream
 *
 * perf reads one TRACING_DATA, and its payload has only the formats of the events that were recorded.  So the joined payload is
 * the first input's, with the formats of the others added.
 *
 *	front		magic, version, sizes, page header, event header, ftrace's own formats
 *	u32 systems	x { name, u32 events x { u64 size, format text } }
 *	back		u32 size, kallsyms; u32 size, printk formats; since version 0.6 u64 size, command lines
 *	padding to 8, as little as possible, which perf checks
 *
 * (tracing.h has the whole layout.)  The payload has its own byte order, by its endian byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "join_in.h"
#include "record/make.h"

struct format {			/* one tracepoint; its bytes are in the payload of an input */
	const char	*system, *name;
	size_t		 name_len, len;
	uint64_t	 id;
	const uint8_t	*text;
	const struct input *in;
};

struct formats {
	struct format	*f;
	size_t		 n;
};

struct payload {
	struct formats	 formats;
	size_t		 front, back, end;	/* start and end of the systems, start of the padding */
	bool		 swap;
};

enum { FORMATS_MAX = 8192 };

static const char *
take_string(struct pp_cur *c)
{
	const uint8_t *nul = memchr(c->p, 0, pp_left(c));
	const char *s = (const char *)c->p;

	if (!nul) {
		c->bad = true;
		return "";
	}
	c->p = nul + 1;
	return s;
}

/* "name: sched_switch\nID: 316\n" */
static bool
parse_format(struct format *f)
{
	const char *p = (const char *)f->text, *end = p + f->len, *nl;

	if (f->len < 6 || memcmp(p, "name: ", 6) || !(nl = memchr(p, '\n', f->len)))
		return false;
	f->name = p + 6;
	f->name_len = (size_t)(nl - f->name);
	if (end - nl < 6 || memcmp(nl + 1, "ID: ", 4))
		return false;
	for (p = nl + 5; p < end && *p >= '0' && *p <= '9' && f->id < UINT32_MAX; p++)
		f->id = 10 * f->id + (uint64_t)(*p - '0');
	return p < end && *p == '\n';
}

static void
take_systems(struct payload *y, struct pp_cur *c, const struct input *in)
{
	uint32_t systems = pp_take_u32(c);

	while (systems-- && !c->bad) {
		const char *system = take_string(c);
		uint32_t n = pp_take_u32(c);

		while (n-- && !c->bad) {
			struct format f = { .system = system, .in = in };

			f.len = pp_take_u64(c);
			f.text = pp_take(c, f.len);
			if (c->bad || !parse_format(&f) || y->formats.n >= FORMATS_MAX) {
				c->bad = true;
				return;
			}
			y->formats.f = tool_realloc(y->formats.f, y->formats.n + 1, sizeof f);
			y->formats.f[y->formats.n++] = f;
		}
	}
}

/* Parse a payload.  false: it is malformed, or of an unknown version. */
static bool
parse(struct payload *y, const struct input *in)
{
	static const char magic[] = "\x17\x08\x44tracing";
	struct pp_cur c = pp_cur(in->tracing.p, in->tracing.n, false);
	const uint8_t *p = pp_take(&c, sizeof magic - 1);
	double version;
	uint32_t n;

	if (!p || memcmp(p, magic, sizeof magic - 1))
		return false;
	version = strtod(take_string(&c), NULL);
	p = pp_take(&c, 6);		/* u8 big, u8 long, u32 page */
	y->swap = c.swap = p && !!*p != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	for (int i = 0; i < 2; i++) {
		take_string(&c);
		pp_take(&c, pp_take_u64(&c));
	}
	for (n = pp_take_u32(&c); n && !c.bad; n--)
		pp_take(&c, pp_take_u64(&c));
	y->front = (size_t)(c.p - in->tracing.p);
	take_systems(y, &c, in);
	y->back = (size_t)(c.p - in->tracing.p);
	pp_take(&c, pp_take_u32(&c));	/* kallsyms */
	pp_take(&c, pp_take_u32(&c));	/* printk formats */
	if (version >= 0.6)
		pp_take(&c, pp_take_u64(&c));	/* command lines */
	y->end = (size_t)(c.p - in->tracing.p);
	return !c.bad;
}

static bool
same_name(const struct format *a, const struct format *b)
{
	return a->name_len == b->name_len && !memcmp(a->name, b->name, a->name_len) && !strcmp(a->system, b->system);
}

/* Add a format unless it is present; refuse one that differs from the one present. */
static void
add_format(struct join *j, struct formats *all, const struct format *f)
{
	for (const struct format *a = all->f; a < all->f + all->n; a++) {
		if (a->id != f->id && !same_name(a, f))
			continue;
		if (a->id == f->id && same_name(a, f) && a->len == f->len && !memcmp(a->text, f->text, f->len))
			return;
		if (!tool_allows(j->t, "kernels") && a->id != f->id)
			tool_wrong(j->t, "%s: tracepoint %s:%.*s has number %ju, in %s %ju: a stream has "
			    "one number for a tracepoint; --allow kernels uses the formats and numbers of %s", f->in->name,
			    f->system, (int)f->name_len, f->name, (uintmax_t)f->id, a->in->name, (uintmax_t)a->id, a->in->name);
		if (!tool_allows(j->t, "kernels"))
			tool_wrong(j->t, "%s: tracepoint %ju is %s:%.*s, in %s it is %s:%.*s%s; --allow kernels uses that of %s",
			    f->in->name, (uintmax_t)f->id, f->system, (int)f->name_len, f->name, a->in->name,
			    a->system, (int)a->name_len, a->name, same_name(a, f) ? " of another layout" : "",
			    a->in->name);
		return;
	}
	all->f = tool_realloc(all->f, all->n + 1, sizeof *f);
	all->f[all->n++] = *f;
}

/* Write the formats of all systems, system by system. */
static void
write_systems(struct blob *b, const struct formats *all, bool swap)
{
	size_t count_at = b->n, n_at;
	uint32_t systems = 0, n;

	blob_add(b, NULL, 4);
	for (size_t i = 0; i < all->n; i++) {
		size_t k = 0;

		while (strcmp(all->f[k].system, all->f[i].system))
			k++;
		if (k < i)
			continue;		/* written together with its first format */
		systems++;
		blob_add(b, all->f[i].system, strlen(all->f[i].system) + 1);
		n_at = b->n;
		blob_add(b, NULL, 4);
		for (n = 0, k = i; k < all->n; k++)
			if (!strcmp(all->f[k].system, all->f[i].system)) {
				pp_set_u64(blob_add(b, NULL, 8), all->f[k].len, swap);
				blob_add(b, all->f[k].text, all->f[k].len);
				n++;
			}
		pp_set_u32(b->p + n_at, n, swap);
	}
	pp_set_u32(b->p + count_at, systems, swap);
}

/* Write the record and its payload. */
static void
write_tracing(struct join *j, const struct input *of, struct blob *payload)
{
	enum { SIZE = sizeof(struct pp_raw_HEADER_TRACING_DATA), OLD = PP_RAW_AT(HEADER_TRACING_DATA, pad) };
	uint8_t *p = blob_add(&j->head, NULL, SIZE);
	struct pp_rec r;

	blob_add(payload, NULL, -payload->n & 7);
	if (payload->n > UINT32_MAX)
		tool_wrong(j->t, "%s: its tracing data do not fit in one record with those of the others", of->name);
	PP_MAKE(&r, p, SIZE, HEADER_TRACING_DATA, .swap = j->swap, .misc = of->tracing_rec.misc, .tracing_size = (uint32_t)payload->n);
	if (of->tracing_rec.size == OLD) {	/* a record of perf before 6.x; keep its size */
		PP_RAW_SET(p, header, size, OLD, j->swap);
		j->head.n -= SIZE - OLD;
	}
	blob_add(&j->head, payload->p, payload->n);
}

void
join_tracing(struct join *j)
{
	struct input *first = NULL;
	struct payload all = { 0 };
	struct blob out = { 0 };
	bool known = false;
	size_t had = 0;

	for (struct input *in = j->in; in < j->in + j->n; in++) {
		struct payload y = { 0 };
		bool ok;

		if (!in->tracing_rec.size)
			continue;
		if (!first) {
			first = in;
			known = parse(&all, in);
			had = all.formats.n;
			continue;
		}
		if (in->tracing.n == first->tracing.n && !memcmp(in->tracing.p, first->tracing.p, first->tracing.n))
			continue;
		ok = parse(&y, in) && known && y.swap == all.swap;
		if (!ok && !tool_allows(j->t, "kernels"))
			tool_wrong(j->t, "%s: its tracing data differ from those of %s in a way that is not understood; "
			    "--allow kernels keeps those of %s", in->name, first->name, first->name);
		for (size_t i = 0; ok && i < y.formats.n; i++)
			add_format(j, &all.formats, &y.formats.f[i]);
		free(y.formats.f);
	}
	if (!first)
		return;
	if (all.formats.n == had)
		blob_add(&out, first->tracing.p, first->tracing.n);
	else {
		blob_add(&out, first->tracing.p, all.front);
		write_systems(&out, &all.formats, all.swap);
		blob_add(&out, first->tracing.p + all.back, all.end - all.back);
	}
	write_tracing(j, first, &out);
	free(out.p);
	free(all.formats.f);
}

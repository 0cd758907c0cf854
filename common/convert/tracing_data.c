/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfpipe_inline.h"
#include "record/format.h"
#include "record/tracing.h"
#include "set.h"
#include "tool/tool.h"
#include "tracing_data.h"

enum { FORMATS_MAX = 8192 };	/* a kernel has about 2000 */

/* ---- reading ----------------------------------------------------------------------------------------- */

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

bool
tracing_format_set(struct tracing_format *f, const uint8_t *bytes, size_t n)
{
	const char *text = (const char *)bytes, *end;

	f->text = bytes;
	f->len = n;
	if (!pp_format_head(text, n, &f->name, &f->name_len, &f->id))
		return false;
	f->before = (size_t)(f->name - text) + f->name_len + sizeof "\nID: " - 1;
	end = memchr(text + f->before, '\n', n - f->before);
	f->after = (size_t)(end - text);
	return true;
}

static void
take_texts(struct tracing_data *y, struct pp_cur *c, const char *system)
{
	uint32_t n = pp_take_u32(c);

	while (n-- && !c->bad) {
		struct tracing_format f = { .system = system };
		uint64_t len = pp_take_u64(c);
		const uint8_t *text = pp_take(c, len);

		if (c->bad || y->formats.n >= FORMATS_MAX || !tracing_format_set(&f, text, len)) {
			c->bad = true;
			return;
		}
		y->formats.f = tool_need(array_more(y->formats.f, y->formats.n, 1, sizeof f));
		y->formats.f[y->formats.n++] = f;
	}
}

bool
tracing_data_parse(struct tracing_data *y, const uint8_t *bytes, size_t size)
{
	static const char magic[] = "\x17\x08\x44tracing";
	struct pp_cur c = pp_cur(bytes, size, false);
	const uint8_t *p = pp_take(&c, sizeof magic - 1);
	bool tasks;
	uint32_t n;

	if (!p || memcmp(p, magic, sizeof magic - 1))
		return false;
	tasks = pp_tracing_has_tasks(take_string(&c));
	p = pp_take(&c, 6);		/* u8 big, u8 long, u32 page */
	y->swap = c.swap = p && !!*p != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	y->sizeof_long = p ? p[1] : 0;
	for (int i = 0; i < 2; i++) {
		take_string(&c);
		pp_take(&c, pp_take_u64(&c));
	}
	y->front = (size_t)(c.p - bytes);
	take_texts(y, &c, "ftrace");
	for (n = pp_take_u32(&c); n && !c.bad; n--)
		take_texts(y, &c, take_string(&c));
	y->kallsyms = (size_t)(c.p - bytes);
	pp_take(&c, pp_take_u32(&c));
	y->nprintk = pp_take_u32(&c);
	y->printk = (const char *)pp_take(&c, y->nprintk);
	y->lines = (size_t)(c.p - bytes);
	if (tasks)
		pp_take(&c, pp_take_u64(&c));	/* command lines */
	y->end = (size_t)(c.p - bytes);
	return !c.bad;
}

/* ---- writing ----------------------------------------------------------------------------------------- */

/* Write the formats of a system: how many, and their texts. */
static void
tracing_texts(struct blob *b, const struct tracing_formats *all, const char *system, bool swap)
{
	size_t count_at = b->n;
	uint32_t n = 0;

	blob_add(b, NULL, 4);
	for (size_t i = 0; i < all->n; i++) {
		const struct tracing_format *f = &all->f[i];
		char id[24];
		size_t len = (size_t)snprintf(id, sizeof id, "%ju", (uintmax_t)f->id);

		if (strcmp(f->system, system))
			continue;
		pp_set_u64(blob_add(b, NULL, 8), f->before + len + f->len - f->after, swap);
		blob_add(b, f->text, f->before);
		blob_add(b, id, len);
		blob_add(b, f->text + f->after, f->len - f->after);
		n++;
	}
	pp_set_u32(b->p + count_at, n, swap);
}

/* Write the formats of all systems but ftrace, system by system. */
static void
tracing_systems(struct blob *b, const struct tracing_formats *all, bool swap)
{
	size_t count_at = b->n;
	uint32_t systems = 0;

	blob_add(b, NULL, 4);
	for (size_t i = 0; i < all->n; i++) {
		const char *system = all->f[i].system;
		size_t k = 0;

		while (strcmp(all->f[k].system, system))
			k++;
		if (k < i || !strcmp(system, "ftrace"))
			continue;		/* written together with its first format */
		systems++;
		blob_add(b, system, strlen(system) + 1);
		tracing_texts(b, all, system, swap);
	}
	pp_set_u32(b->p + count_at, systems, swap);
}

void
tracing_data_formats(struct blob *b, const struct tracing_formats *all, bool swap)
{
	tracing_texts(b, all, "ftrace", swap);
	tracing_systems(b, all, swap);
}

void
tracing_data_pad(struct blob *b)
{
	blob_add(b, NULL, -b->n & 7);
}

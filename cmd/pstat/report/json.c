/* SPDX-License-Identifier: ISC */
/*
 * json.c - the report as one JSON object.  Rows are made and written one at a time, since a table may have tens of thousands of
 * rows, and memory is limited.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "forms.h"
#include "set.h"
#include "text.h"

enum { SCHEMA = 2 };	/* increased when a member changes its meaning or is removed, not for new members */

struct out {
	FILE	*f;
	const struct table *table;
	bool	 members, rows;		/* the next one needs a comma */
	bool	 failed;
};

static json_t *
string(const char *s, size_t n)
{
	char *text = text_plain(s, n, false);
	json_t *j = json_string(text);

	free(text);
	return j;
}

static json_t *
list(const struct cell *c)
{
	json_t *all = json_array();

	for (size_t at = 0; at < c->len;) {
		size_t n = strnlen(c->text + at, c->len - at);

		json_array_append_new(all, string(c->text + at, n));
		at += n + 1;
	}
	return all;
}

/* jansson limits integers to signed 64 bits, JSON does not. */
static json_int_t
number(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (json_int_t)n;
}

static json_t *
buckets(const struct cell *c)
{
	json_t *all = json_array();

	for (size_t i = 0; i < c->len; i++)
		json_array_append_new(all, json_pack("[I,I]", number(c->bucket[i].low), number(c->bucket[i].count)));
	return all;
}

json_t *
json_value(const struct column *col, const struct cell *c)
{
	if (!c->known)
		return json_null();
	switch ((enum cell_type)col->type) {
	case CELL_NUM:		return json_integer(number(c->num));
	case CELL_SIGNED:	return json_integer((json_int_t)(int64_t)c->num);
	case CELL_BOOL:		return json_boolean(c->num);
	case CELL_TEXT:		return string(c->text, c->len);
	case CELL_LIST:		return list(c);
	case CELL_BUCKETS:	return buckets(c);
	}
	return json_null();
}

static void
dump(struct out *o, json_t *j)
{
	/* A failed write is left in the FILE for the caller to find. */
	if (!j || (json_dumpf(j, o->f, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY) < 0 && !ferror(o->f)))
		o->failed = true;
	json_decref(j);
}

static void
label(struct out *o, const char *text)
{
	fprintf(o->f, "%s\n\"%s\":", o->members ? "," : "", text);
	o->members = true;
}

/* report_put of a table whose columns are members of the root */
static void
put_members(void *arg, const struct cell *row)
{
	struct out *o = arg;

	for (unsigned i = 0; i < o->table->ncols; i++) {
		label(o, o->table->col[i].name);
		dump(o, json_value(&o->table->col[i], &row[i]));
	}
}

static void
put_row(void *arg, const struct cell *row)
{
	struct out *o = arg;
	json_t *j = json_object();

	for (unsigned i = 0; i < o->table->ncols; i++)
		json_object_set_new(j, o->table->col[i].name, json_value(&o->table->col[i], &row[i]));
	if (o->table->shape == TABLE_ROWS)
		fprintf(o->f, "%s\n ", o->rows ? "," : "");
	o->rows = true;
	dump(o, j);
}

static void
put_table(struct out *o, const struct part *p)
{
	o->table = p->table;
	o->rows = false;
	if (p->table->shape == TABLE_TOP) {
		p->table->rows(p->of, put_members, o);
		return;
	}
	label(o, p->table->name);
	if (p->table->shape == TABLE_ROWS)
		fputc('[', o->f);
	p->table->rows(p->of, put_row, o);
	if (p->table->shape == TABLE_ROWS)
		fputc(']', o->f);
	else if (!o->rows)
		fputs("null", o->f);
}

int
json(FILE *f, const struct report *r)
{
	struct out o = { .f = f };

	fputc('{', f);
	label(&o, "schema");
	dump(&o, json_integer(SCHEMA));
	for (unsigned i = 0; i < r->n; i++)
		put_table(&o, &r->part[i]);
	fputs("\n}\n", f);
	return o.failed ? -1 : 1;
}

void
json_seed(void)
{
	json_object_seed(pp_seed() | 1);		/* 0: jansson makes one of its own */
}

/* SPDX-License-Identifier: ISC */
/* build_ids.c - --build-ids: the build-ids that records of the head and MMAP2 records give to files, as perf buildid-list has them. */
#include <stdlib.h>

#include "in.h"
#include "make/build_id.h"
#include "set.h"

struct build_id {
	uint8_t		 id[BUILD_ID_BYTES], len;
	uint32_t	 nname;
	char		 name[];
};

static bool
build_id_same(const void *thing, const void *arg)
{
	const struct build_id *x = thing, *y = arg;

	return x->len == y->len && !memcmp(x->id, y->id, x->len) && x->nname == y->nname && !memcmp(x->name, y->name, x->nname);
}

static void
build_id_add(struct build_ids *b, const uint8_t *id, size_t len, const char *name, size_t nname)
{
	struct build_id *x = tool_alloc(1, sizeof *x + nname + 1);
	uint64_t key = index_hash(b->known, index_hash(b->known, 0, id, len), name, nname);

	memcpy(x->id, id, len);
	x->len = (uint8_t)len;
	memcpy(x->name, name, nname);
	x->nname = (uint32_t)nname;
	if (index_find(b->known, key, build_id_same, x)) {
		free(x);
		return;
	}
	if (b->n >= VIEWS_BUILD_IDS) {
		b->full = true;
		free(x);
		return;
	}
	index_add(b->known, key, x);
	b->row = tool_need(array_more(b->row, b->n, 1, sizeof *b->row));
	b->row[b->n++] = x;
}

void
build_ids_see(struct views *v, const struct pp_rec *r)
{
	struct build_id_of x;

	if (v->build_ids.known && build_id_get(&x, r))
		build_id_add(&v->build_ids, x.id, x.nid, x.name, x.nname);
}

static int
by_name(const void *a, const void *b)
{
	const struct build_id *x = *(struct build_id *const *)a, *y = *(struct build_id *const *)b;
	int rc = strcmp(x->name, y->name);

	return rc ? rc : memcmp(x->id, y->id, BUILD_ID_BYTES);
}

void
build_ids_end(struct views *v)
{
	if (v->build_ids.n)
		qsort(v->build_ids.row, v->build_ids.n, sizeof *v->build_ids.row, by_name);
}

void
build_ids_free(struct build_ids *b)
{
	index_free(b->known);
	free(b->row);
}

/* ---- the table ----------------------------------------------------------------------------------- */

static const struct column build_ids_columns[] = {
	{ "build_id", CELL_TEXT, ADDS_KEY, "build-id of a file, hexadecimal" },
	{ "name", CELL_TEXT, ADDS_KEY, "name of the file" },
};

static void
build_ids_rows(const void *of, report_put *put, void *arg)
{
	const struct views *v = of;

	for (size_t i = 0; i < v->build_ids.n; i++) {
		const struct build_id *x = v->build_ids.row[i];
		char hex[2 * BUILD_ID_BYTES + 1];

		tool_hex(hex, x->id, x->len);
		put(arg, (struct cell[]){ cell_text(hex), cell_bytes(x->name, x->nname) });
	}
}

const struct table build_ids_table = { "build_ids", "build-ids of files", TABLE(build_ids_columns), .screen = SCREEN_OFF,
    .rows = build_ids_rows };

static void
build_ids_line(void *arg, const struct cell *row)
{
	FILE *f = arg;

	fprintf(f, "%s ", row[0].text);
	text_print(f, row[1].text, row[1].len);
	fputc('\n', f);
}

void
build_ids_screen(FILE *f, const struct views *v)
{
	build_ids_table.rows(v, build_ids_line, f);
}

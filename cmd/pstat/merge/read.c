/* SPDX-License-Identifier: ISC */
/* read.c - reports in JSON, as rows.  Nothing in them is trusted: each member must be of the type of its column. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/hist.h"
#include "in.h"
#include "set.h"
#include "sort/in.h"
#include "report/text.h"

enum { SCHEMA = 2 };

/* ---- cells --------------------------------------------------------------------------------------- */

static int
cell_list(struct cell *c, const json_t *j)
{
	size_t n, len = 0;
	char *all = tool_alloc(ARRAY_LEAST, 1);
	const json_t *x;
	size_t i;

	json_array_foreach(j, i, x) {
		char *text;

		if (!json_is_string(x)) {
			free(all);
			return -1;
		}
		text = text_back(json_string_value(x), &n);
		all = tool_need(array_more(all, len, n + 1, 1));
		if (len || i)
			all[len++] = 0;
		memcpy(all + len, text, n);
		len += n;
		free(text);
	}
	*c = cell_bytes(all, len);
	return 1;
}

static int
cell_buckets(struct cell *c, const json_t *j)
{
	size_t n = json_array_size(j);
	struct bucket *b = tool_alloc(n ? n : 1, sizeof *b);

	for (size_t i = 0; i < n; i++) {
		const json_t *x = json_array_get(j, i), *low = json_array_get(x, 0), *count = json_array_get(x, 1);

		b[i].low = (uint64_t)json_integer_value(low);
		b[i].count = (uint64_t)json_integer_value(count);
		if (json_array_size(x) != 2 || !json_is_integer(low) || !json_is_integer(count) ||
		    json_integer_value(low) < 0 || json_integer_value(count) < 1 ||
		    hist_low(hist_bucket(b[i].low)) != b[i].low || (i && b[i].low <= b[i - 1].low)) {
			free(b);
			return -1;
		}
	}
	*c = (struct cell){ .known = true, .bucket = b, .len = n };
	return 1;
}

static int
cell_read(struct cell *c, const struct column *col, const json_t *j)
{
	size_t n;

	*c = (struct cell){ .known = false };
	if (!j || json_is_null(j))
		return 1;
	switch ((enum cell_type)col->type) {
	case CELL_NUM:
		*c = cell_num((uint64_t)json_integer_value(j));
		return json_is_integer(j) && json_integer_value(j) >= 0 ? 1 : -1;
	case CELL_SIGNED:
		*c = cell_signed(json_integer_value(j));
		return json_is_integer(j) ? 1 : -1;
	case CELL_BOOL:
		*c = cell_bool(json_is_true(j));
		return json_is_boolean(j) ? 1 : -1;
	case CELL_TEXT:
		if (!json_is_string(j))
			return -1;
		c->text = text_back(json_string_value(j), &n);
		c->len = n;
		c->known = true;
		return 1;
	case CELL_LIST:
		return json_is_array(j) ? cell_list(c, j) : -1;
	case CELL_BUCKETS:
		return json_is_array(j) ? cell_buckets(c, j) : -1;
	}
	return -1;
}

/* ---- tables -------------------------------------------------------------------------------------- */

static int
row_read(struct merge_table *t, const json_t *j)
{
	struct cell *row = tool_alloc(t->table->ncols, sizeof *row);

	for (unsigned i = 0; i < t->table->ncols; i++) {
		const struct column *col = &t->table->col[i];

		if (!json_is_object(j) || cell_read(&row[i], col, json_object_get(j, col->name)) < 0) {
			row[i].known = false;
			pp_fail(t->m->err, "member %s of %s is not of its type", col->name, t->table->name);
			merge_cells_free(t, row);
			return -1;
		}
	}
	return merge_put(t, row);
}

static int
table_read(struct merge_table *t, const json_t *root)
{
	const json_t *j = t->table->shape == TABLE_TOP ? root : json_object_get(root, t->table->name), *x;
	bool given = j != NULL;
	size_t i;

	if (t->m->any && given != t->given)
		return pp_fail(t->m->err, "table %s is %s", t->table->name,
		    given ? "not in the reports before it" : "absent, but in the reports before it");
	t->given = given;
	if (!j || (json_is_null(j) && t->table->shape == TABLE_ONE))
		return 1;
	if (t->table->shape != TABLE_ROWS)
		return row_read(t, j);
	if (!json_is_array(j))
		return pp_fail(t->m->err, "member %s is not of its type", t->table->name);
	json_array_foreach(j, i, x)
		if (row_read(t, x) < 0)
			return -1;
	return 1;
}

/* The keys of --sort, separated by commas; NULL: none.  *bad: they are no keys. */
static char *
keys_read(const json_t *root, bool *bad)
{
	const json_t *keys = json_object_get(json_object_get(root, "sorted_by"), "keys"), *x;
	char *text = NULL;
	size_t i, n = 0;

	*bad = false;
	if (!json_object_get(root, "sort") && !keys)
		return NULL;
	*bad = !json_is_array(keys) || !json_array_size(keys) || json_array_size(keys) > ROWS_KEYS;
	json_array_foreach(keys, i, x) {
		if (*bad || !json_is_string(x)) {
			*bad = true;
			break;
		}
		*bad |= !key_find(json_string_value(x));
		text = tool_need(array_more(text, n, strlen(json_string_value(x)) + 2, 1));
		n += (size_t)sprintf(text + n, "%s%s", n ? "," : "", json_string_value(x));
		for (size_t k = 0; k < i; k++)
			*bad |= !strcmp(json_string_value(json_array_get(keys, k)), json_string_value(x));
	}
	return text;
}

/* What a report of one recording does not have: which host it is of. */
static int
host_read(struct merge *m, const json_t *root)
{
	struct merge_table *t = merge_table(m, "hosts");
	const json_t *name = json_object_get(json_object_get(root, "features"), "hostname");
	const json_t *list = json_object_get(root, "hosts"), *x;
	struct cell *row;
	size_t i;

	t->given = true;
	if (list) {
		if (!json_is_array(list))
			return pp_fail(m->err, "member hosts is not of its type");
		json_array_foreach(list, i, x)
			if (row_read(t, x) < 0)
				return -1;
		return 1;
	}
	row = tool_alloc(t->table->ncols, sizeof *row);
	if (cell_read(&row[0], &t->table->col[0], name) < 0) {
		free(row);
		return pp_fail(m->err, "member hostname of features is not of its type");
	}
	row[1] = cell_num(1);
	row[2] = cell_num((uint64_t)json_integer_value(json_object_get(root, "samples")));
	return merge_put(t, row);
}

int
merge_object(struct merge *m, const json_t *root)
{
	const json_t *schema = json_object_get(root, "schema");
	bool bad;
	char *keys;
	int rc;

	if (!json_is_object(root) || !json_is_integer(schema))
		return pp_fail(m->err, "not a report of pstat --json");
	if (json_integer_value(schema) != SCHEMA)
		return pp_fail(m->err, "schema %lld, but only reports of schema %d can be merged",
		    (long long)json_integer_value(schema), SCHEMA);
	keys = keys_read(root, &bad);
	rc = bad && strstr(keys ? keys : "", "raw.") ? pp_fail(m->err, "is sorted by %s: reports by fields of payloads cannot be merged", keys) :
	    bad ? pp_fail(m->err, "member keys of sorted_by is not of its type") :
	    merge_sorted(m, keys, json_object_get(root, "hist"));
	free(keys);
	for (unsigned i = 0; rc > 0 && i < m->n; i++)
		if (strcmp(m->t[i].table->name, "hosts") && strcmp(m->t[i].table->name, "merged"))
			rc = table_read(&m->t[i], root);
	if (rc > 0)
		rc = host_read(m, root);
	m->any = true;
	return rc;
}

/* ---- files --------------------------------------------------------------------------------------- */

/* stdio would take a call for each byte */
struct input {
	int		 fd, error;	/* error: errno of a failure */
	uint64_t	 left;		/* what follows would be larger than any report */
	size_t		 pos, n, given;	/* of buf: not parsed yet; all; how much of that the parser has got */
	char		 buf[32 << 10];
};

/* Have bytes at pos.  False: the end, or a failure. */
static bool
input_fill(struct input *in)
{
	ssize_t got;

	if (in->pos < in->n)
		return true;
	if (sizeof in->buf > in->left) {
		in->error = EFBIG;
		return false;
	}
	do
		got = read(in->fd, in->buf, sizeof in->buf);
	while (got < 0 && errno == EINTR);
	in->error = got < 0 ? errno : 0;
	in->pos = 0;
	in->n = got > 0 ? (size_t)got : 0;
	in->left -= in->n;
	return in->n > 0;
}

/* json_load_callback_t: the next bytes; what the object does not need of them is given back. */
static size_t
input_give(void *to, size_t max, void *arg)
{
	struct input *in = arg;
	size_t n;

	if (!input_fill(in))
		return in->error ? (size_t)-1 : 0;
	n = in->n - in->pos < max ? in->n - in->pos : max;
	memcpy(to, in->buf + in->pos, n);
	in->pos += n;
	in->given += n;
	return n;
}

/* A histogram of all events has no values of two units. */
static int
merge_may_add(struct merge *m)
{
	const struct merge_table *hist = merge_table(m, "hist");
	const char *ns, *other;

	if (!hist || merge_column(hist, "event") >= 0 || !merge_hist_is_of_periods(m) || !(ns = merge_event_of(m, "ns")) ||
	    !(other = merge_event_of(m, NULL)))
		return 1;
	return pp_fail(m->err, "with it, table hist would be of durations (%.40s) and of other periods (%.40s): make the reports by key event, too, or "
	    "of one event", ns, other);
}

static int
objects_read(struct merge *m, struct input *in)
{
	json_error_t error;
	json_t *j;
	int rc;

	for (unsigned n = 0;; n++) {
		while (input_fill(in) && memchr(" \t\n\r", in->buf[in->pos], 4))
			in->pos++;
		if (in->pos == in->n && !in->error)
			return n ? 1 : pp_fail(m->err, "not a report of pstat --json");
		in->left = MERGE_BYTES;
		in->given = 0;
		j = in->error ? NULL : json_load_callback(input_give, in, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
		if (!j && in->error) {
			errno = in->error;
			return pp_fail_system(m->err, "read");
		}
		if (!j)
			return pp_fail(m->err, "no JSON: line %d: %s", error.line, error.text);
		in->pos -= in->given - (size_t)error.position;
		rc = merge_object(m, j);
		json_decref(j);
		if (rc > 0)
			rc = merge_may_add(m);
		if (rc < 0)
			return -1;
	}
}

int
merge_read(struct merge *m, const char *path)
{
	if (!path || !strcmp(path, "-"))
		return merge_read_fd(m, fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0), "<stdin>");
	return merge_read_fd(m, open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), path);
}

int
merge_read_fd(struct merge *m, int fd, const char *name)
{
	struct input in;
	int rc;

	m->err->file = name;
	if (fd < 0)
		return pp_fail_system(m->err, NULL);
	in.fd = fd;
	in.left = MERGE_BYTES;
	in.error = 0;
	in.pos = in.n = 0;
	rc = objects_read(m, &in);
	close(fd);
	return rc;
}

/* SPDX-License-Identifier: ISC */
/* undo.c - --anon-undo: replaces pseudonyms in a text by their originals */
#include <sys/stat.h>

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dict.h"
#include "set.h"
#include "state/table.h"

enum { LINE_MAX_BYTES = 1 << 20, LENGTHS = 64 };	/* longer than any pseudonym */

struct entry {
	struct link	 link;		/* must be first; keyed by the hash of the pseudonym */
	size_t		 n;		/* bytes of the pseudonym */
	const char	*pseudonym, *name;
};

struct undo {
	const struct tool *tool;
	struct table	 entries;
	uint64_t	 lengths;	/* bit n: a pseudonym of n bytes exists */
};

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* ---- the dictionary ---------------------------------------------------------------------------------- */

/* Parse a line: KIND, pseudonym, name.  False: it is invalid. */
static bool
undo_add(struct undo *u, char *line)
{
	char *kind = strsep(&line, "\t"), *pseudonym = strsep(&line, "\t"), *name = line;
	struct entry *e;
	size_t n;

	if (*kind == '#' || !*kind)
		return true;
	if (!pseudonym || !name || !(n = strlen(pseudonym)) || n >= LENGTHS)
		return false;
	if (!strcmp(kind, "pid"))	/* any number in a text could be a pid */
		return true;
	e = tool_alloc(1, sizeof *e);
	*e = (struct entry){ .n = n, .pseudonym = tool_need(strdup(pseudonym)), .name = tool_alloc(strlen(name) + 1, 1) };
	/* Names come from a recording: control characters stay escaped. */
	strcpy((char *)(uintptr_t)e->name, name);
	u->lengths |= UINT64_C(1) << n;
	if (pp_table_add(&u->entries, &e->link, pp_table_hash(&u->entries, 0, (const uint8_t *)pseudonym, n)) < 0)
		tool_no_memory();
	return true;
}

static void
read_dictionary(struct undo *u, const char *path, FILE *f)
{
	size_t cap = 0, number = 0;
	char *line = NULL;
	ssize_t n;

	while ((n = getline(&line, &cap, f)) > 0) {
		number++;
		if (n > 1 && line[n - 1] == '\n')
			line[--n] = 0;
		if (n > LINE_MAX_BYTES || strlen(line) != (size_t)n || !undo_add(u, line))
			tool_wrong(u->tool, "--anon-undo %s: line %zu is not from --anon-map", path, number);
	}
	if (!feof(f) && !ferror(f))
		tool_no_memory();
	if (ferror(f))
		tool_wrong(u->tool, "--anon-undo %s: %s", path, strerror(errno));
	free(line);
	fclose(f);
}

/* ---- the text ------------------------------------------------------------------------------------------- */

/* The longest pseudonym at p that ends at a word boundary; NULL: none. */
static const struct entry *
find(const struct undo *u, const char *p, size_t left)
{
	for (size_t n = left < LENGTHS ? left : LENGTHS - 1; n; n--) {
		struct link *l;

		if (!(u->lengths >> n & 1) || (is_word(p[n - 1]) && n < left && is_word(p[n])))
			continue;
		for (l = pp_table_first(&u->entries, pp_table_hash(&u->entries, 0, (const uint8_t *)p, n)); l; l = pp_table_next(l)) {
			const struct entry *e = (const struct entry *)l;

			if (e->n == n && !memcmp(e->pseudonym, p, n))
				return e;
		}
	}
	return NULL;
}

static void
put_line(const struct undo *u, const char *line, size_t n, FILE *out)
{
	for (size_t i = 0, step; i < n; i += step) {
		const struct entry *e = i && is_word(line[i - 1]) && is_word(line[i]) ? NULL : find(u, line + i, n - i);

		if (e)
			fputs(e->name, out);
		else
			putc(line[i], out);
		step = e ? e->n : 1;
	}
}

static int
copy(const struct undo *u, FILE *in, FILE *out)
{
	struct stat st;
	size_t cap = 0;
	char *line = NULL;
	ssize_t n;

	/* Write a live report line by line. */
	if (!fstat(fileno(in), &st) && !S_ISREG(st.st_mode))
		setvbuf(out, NULL, _IOLBF, 0);
	while ((n = getline(&line, &cap, in)) > 0 && !ferror(out))
		put_line(u, line, (size_t)n, out);
	free(line);
	return ferror(out) || !feof(in) ? -1 : 1;		/* ferror(in) says nothing of a line that needs too much memory */
}

static void
forget(struct undo *u)
{
	for (size_t i = 0; u->entries.bits && i < (size_t)1 << u->entries.bits; i++)
		for (struct link *l = u->entries.slot[i], *next; l; l = next) {
			struct entry *e = (struct entry *)l;

			next = l->next;
			free((char *)(uintptr_t)e->pseudonym);
			free((char *)(uintptr_t)e->name);
			free(e);
		}
	free(u->entries.slot);
}

int
anon_undo(struct tool *t, const char *path)
{
	struct undo u = { .tool = t };
	bool std = !t->in_name || !strcmp(t->in_name, "-");
	FILE *in = std ? stdin : fopen(t->in_name, "re"), *dictionary;
	int status = 0;

	if (t->out_name && strcmp(t->out_name, "-"))
		tool_wrong(t, "--anon-undo: writes to standard output only");
	if (!in) {
		struct pp_err err = { .file = t->in_name };

		pp_fail_system(&err, NULL);
		tool_say(t, &err);
		return 1;
	}
	u.entries.mul = pp_seed() | 1;
	if (!(dictionary = fopen(path, "re")))
		tool_wrong(t, "--anon-undo %s: %s", path, strerror(errno));
	tool_lock(t);
	read_dictionary(&u, path, dictionary);
	if (copy(&u, in, stdout) < 0 || fflush(stdout)) {
		struct pp_err err = { .file = ferror(in) ? std ? "<stdin>" : t->in_name : "<stdout>" };

		pp_fail(&err, "%s", strerror(errno));
		tool_say(t, &err);
		status = 1;
	}
	if (!std)
		fclose(in);
	forget(&u);
	return status;
}

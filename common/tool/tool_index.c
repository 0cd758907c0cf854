/* SPDX-License-Identifier: ISC */
/* tool_index.c - the index of the input: --index-file, --no-index, --verify-index */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/use.h"
#include "tool.h"

char *
tool_index_path(const char *input)
{
	size_t n = strlen(input);
	char *path;

	while (n > 1 && input[n - 1] == '/')
		n--;
	path = tool_alloc(n + sizeof ".ppi", 1);
	memcpy(path, input, n);
	return strcat(path, ".ppi");
}

bool
tool_index_believed(int fd, const char *input, const char **why)
{
	struct stat x, in;
	bool has = !stat(input, &in);

	*why = NULL;
	if (fstat(fd, &x) < 0 || (x.st_uid != geteuid() && (!has || x.st_uid != in.st_uid)))
		*why = "belongs neither to you nor to the owner of";
	else if (x.st_mode & S_IWOTH && (!has || !(in.st_mode & S_IWOTH)))
		*why = "can be written by everybody, unlike";
	return !*why;
}

/* Open the index, before the lock.  Each command does, as any may read a piece. */
void
tool_index_open(struct tool *t)
{
	const char *input = t->in_name, *unbelieved;
	int fd;

	t->index.fd = -1;
	t->index.open = true;
	if (t->index.off || !input || !strcmp(input, "-") || !(t->index.ask || t->index.wanted || t->piece.n || t->index.name || t->verbose))
		return;
	t->index.path = t->index.name ? tool_need(strdup(t->index.name)) : tool_index_path(input);
	if ((fd = open(t->index.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) < 0) {
		if (t->index.name) {
			struct pp_err why = { .file = t->index.name };

			pp_fail_system(&why, NULL);
			tool_say(t, &why);
			exit(1);
		}
		return;
	}
	tool_refuse_names(t, t->out_name, &t->index.path, 1);
	if (!t->index.name && !tool_index_believed(fd, input, &unbelieved)) {
		tool_warn(t, "%s: %s %s, so it is not used", t->index.path, unbelieved, input);
		close(fd);
		return;
	}
	t->index.fd = fd;
}

/* Read it, and compare it with the input, once.  NULL: there is none that fits. */
static struct ppi_reader *
index_ready(struct tool *t, struct pp_source *in)
{
	struct pp_err why = { .what = "" };

	if (t->index.fd >= 0) {
		t->index.reader = ppi_open(t->index.fd, &why);
		t->index.fd = -1;
		if (!t->index.reader || !ppi_fits(t->index.reader, in, &why)) {
			tool_warn(t, "%s: %s, so all is read (pcat --index makes it again)", t->index.path, why.what);
			ppi_close(t->index.reader);
			t->index.reader = NULL;
		}
		/* ppi_fits() has compared some places: what was changed between them, only its hash tells */
		if (t->index.reader && t->index.verify && !ppi_same(t->index.reader, in)) {
			tool_warn(t, "%s: the recording was changed after it was made, so all is read (pcat --index makes it again)", t->index.path);
			ppi_close(t->index.reader);
			t->index.reader = NULL;
		}
	}
	return t->index.reader;
}

struct ppi_use *
tool_index_use(struct tool *t, struct pp_source *in, const struct ppi_ask *ask)
{
	struct ppi_reader *x = index_ready(t, in);
	struct ppi_use *u = NULL;

	if (!x)
		return NULL;
	ppi_rewind(x);
	if (ppi_use(&u, in, x, t->index.path, ask) > 0)
		return u;
	ppi_use_free(u);
	return NULL;
}

struct ppi_reader *
tool_index_whole(struct tool *t, struct pp_source *in)
{
	struct ppi_reader *x = t->index.open ? index_ready(t, in) : NULL;

	return x && ppi_covers(x, in) ? x : NULL;
}

bool
tool_index_sums(struct tool *t, struct pp_source *in, struct pp_chunk *sums, bool *reads)
{
	struct ppi_reader *x = tool_index_whole(t, in);
	bool whole;

	if (!x)
		return false;
	*sums = ppi_end(x, &whole)->all;
	*reads = ppi_end(x, &whole)->reads;
	return true;
}

void
tool_index_begin(struct tool *t)
{
	if (t->index.open && (t->index.ask || t->piece.n))
		t->index.use = tool_index_use(t, t->in, t->index.ask);
}

/* Say what was read, before the input is closed. */
void
tool_index_say(const struct tool *t)
{
	const struct ppi_used *u = t->index.use ? ppi_used(t->index.use) : NULL;
	uint64_t total = 0, left;

	if (!t->index.open)
		return;
	if (t->index.fd >= 0 && !t->index.use)
		tool_note(t, "index: all is read: %s", t->index.why ? t->index.why : "the command needs all samples");
	if (!u)
		return;
	pp_progress(t->in, &total);
	left = u->left_out < total ? u->left_out : total;
	tool_note(t, "index: %ju of %ju chunks, %.0f MB of %.0f MB read; %.0f MB left out, %s", (uintmax_t)u->read, (uintmax_t)u->chunks,
	    (double)(total - left) / 1e6, (double)total / 1e6, (double)left / 1e6, t->index.verify ? "after their hashes were compared" :
	    "of which some places were compared with it, and the rest is trusted to it");
	if (u->snapped)
		tool_note(t, "index: of %ju chunks only what was in force was read", (uintmax_t)u->snapped);
	if (u->no_snap)
		tool_warn(t, "%s: a snapshot in it is damaged, so it is not used (pcat --index makes it again)", t->index.path);
	if (u->damaged)
		tool_warn(t, "%s: is damaged: all behind chunk %ju was read (pcat --index makes it again)", t->index.path, (uintmax_t)u->chunks);
}

void
tool_index_close(struct tool *t)
{
	if (!t->index.open)
		return;
	ppi_use_free(t->index.use);
	ppi_close(t->index.reader);
	if (t->index.fd >= 0)
		close(t->index.fd);
	free(t->index.path);
	t->index.use = NULL;
	t->index.reader = NULL;
	t->index.path = NULL;
	t->index.fd = -1;
}

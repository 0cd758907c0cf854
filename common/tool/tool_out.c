/* SPDX-License-Identifier: ISC */
/* tool_out.c - outputs by the rule of perfpipe(7), and the end of a tool */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sink/out_feed.h"
#include "sink/out_file.h"
#include "jobs.h"

void
tool_refuse_file(const struct tool *t, const char *path)
{
	if (!t->force && path && strcmp(path, "-") && atomic_replaces(path))
		tool_wrong(t, "%s: exists; -f replaces it", path);
}

void
tool_create(struct tool *t, struct atomic *a, const char *path, struct pp_err *err)
{
	tool_refuse_input(t, path);
	if (t->jobs.slot)
		jobs_create(t, a, path, err);
	else if (atomic_open(a, path, t->force, err) < 0) {
		tool_say(t, err);
		exit(1);
	}
	a->next = t->files;
	t->files = a;
}

struct pp_sink *
tool_sink(struct tool *t, struct atomic *a, struct pp_source *in)
{
	static const struct out_pack plain;
	struct pp_sink *k = atomic_sink(a);

	if (t->as_file) {
		t->container = out_file_new(k, &(struct out_file_at){ a->fd, a->dir, false }, &plain, in, a->err);
		k = out_feed_new(t->container, in->swap, a->err);
	}
	if (k && t->piece.marks)
		jobs_cut(t, k);
	if (k && pp_start(k, in) > 0)
		return k;
	tool_say(t, a->err);
	exit(1);
}

void
tool_abandon(struct tool *t)
{
	for (; t->files; t->files = t->files->next)
		atomic_close(t->files);
}

FILE *
tool_stream(int fd, struct pp_err *err)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *f = own < 0 ? NULL : fdopen(own, "w");

	if (!f) {			/* EINVAL: it is not open for writing */
		pp_fail(err, "write: %s", strerror(errno == EINVAL ? EBADF : errno));
		close(own);
	}
	return f;
}

void
tool_stream_close(FILE *f, struct pp_err *err)
{
	bool bad = fflush(f) || ferror(f);

	if (fclose(f) != 0 || bad)
		pp_fail(err, "write: %s", strerror(errno ? errno : EIO));
}

/* Give an incomplete output its name. */
static int
name_part(const struct tool *t, struct atomic *a, const char *why)
{
	struct pp_err message = { .file = a->path };

	if (atomic_part(a) < 0)
		return -1;
	pp_fail(&message, "%s, so its name is %s", why, a->incomplete);
	tool_say(t, &message);
	return 1;
}

int
tool_name(const struct tool *t, struct atomic *a)
{
	int rc = -1;

	if (a->err->what[0] || t->unwritten)
		;			/* writing failed */
	else if (a->direct)
		rc = 1;
	else if (t->partial || (t->in_err.what[0] && !t->report))
		rc = name_part(t, a, "incomplete");
	else if ((rc = atomic_commit(a)) == 0) {
		name_part(t, a, "complete, but another file has this name now");
		rc = -1;
	}
	atomic_close(a);
	return rc;
}

/* After writing: give all outputs their names, and print their errors. */
static bool
name_all(struct tool *t)
{
	bool bad = false;

	t->unwritten |= t->out_err.what[0] || (t->in_err.what[0] && t->in_err.code == PP_ERR_TEMPORARY);
	for (struct atomic *a = t->files; a; a = a->next)
		t->unwritten |= a->err->what[0] != 0;
	for (struct atomic *a = t->files; a; a = a->next) {
		bad |= tool_name(t, a) < 0;
		if (a->err->what[0] && a->err != &t->out_err)
			tool_say(t, a->err);
	}
	t->files = NULL;
	return bad;
}

int
tool_close(struct tool *t)
{
	bool bad = false;

	tool_progress_end(t);
	if (t->out && pp_finish(t->out) < 0)
		bad = true;
	tool_index_say(t);
	if (pp_close(t->in) < 0)
		bad = true;
	tool_index_close(t);
	if (t->in_err.what[0])
		tool_say(t, &t->in_err);
	pp_spare_free(t->spare);
	t->spare = NULL;
	bad |= name_all(t);
	if (t->out_err.what[0])
		tool_say(t, &t->out_err);
	if (t->jobs.slot && !bad && !t->partial && !t->unwritten && !t->in_err.what[0] && !t->out_err.what[0])
		jobs_whole(t);
	return bad || t->failed || t->in_err.what[0] || t->out_err.what[0] ? 1 : 0;
}

/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "index.h"
#include "index/build.h"

enum { FLUSH_CHUNKS = 64 };		/* --follow: entries that wait in memory, at most, unless a second passes */

struct one {				/* an input and its index */
	struct tool	*t;
	const struct options *o;
	const char	*path;
	struct atomic	 to;
	struct pp_err	 in_err, out_err;
	struct pp_source *in;
	struct pp_sink	*out;
	struct ppi_reader *old;
	bool		 named;		/* --follow: the index has its name, and grows */
	uint64_t	 flushed;
	time_t		 since;
};

static volatile sig_atomic_t index_stop;

static void
index_interrupt(int sig)
{
	index_stop = 1;
	signal(sig, atomic_ended);
}

static int
index_progress(void *arg)
{
	const struct one *x = arg;
	uint64_t total, done = pp_progress(x->in, &total);

	tool_progress(x->t, done, total);
	return 1;
}

/* ---- the index that is there already ------------------------------------------------------------------- */

/* May it be replaced: is it an index, or nothing, or does the user insist? */
static void
index_refuse(const struct tool *t, const char *path)
{
	char magic[8] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is = fd >= 0 && read(fd, magic, sizeof magic) == (ssize_t)sizeof magic && !memcmp(magic, "PPINDEX", 7);
	if (fd >= 0)
		close(fd);
	if (!is)
		tool_refuse_file(t, path);
}

/* It, if it is that of the input, as far as that was there, if it has chunks and snapshots of these sizes, and if we believe it. */
static void
index_continue(struct one *x, const char *input)
{
	struct pp_err why = { .what = "" };
	const char *unbelieved;
	uint64_t size = x->o->chunk_size ? x->o->chunk_size : PP_CHUNK_SIZE, every = x->o->snapshots ? x->o->snapshots & ~UINT64_C(1023) : PPI_EVERY;
	int fd;

	if (x->t->force || (fd = open(x->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) < 0)
		return;
	if (!tool_index_believed(fd, input, &unbelieved)) {
		close(fd);
		return;
	}
	x->old = ppi_open(fd, &why);
	if (x->old && (ppi_head(x->old)->size != size || ppi_head(x->old)->every != every || ppi_head(x->old)->container == PPI_DIRECTORY ||
	    !ppi_fits(x->old, x->in, &why) || !ppi_same(x->old, x->in))) {
		ppi_close(x->old);
		x->old = NULL;
	}
}

/* ---- one index -------------------------------------------------------------------------------------------- */

/* ppi_build.tick, with --follow: what is known goes into the file, which has its name from the first time on. */
static int
index_grow(void *arg, uint64_t chunks)
{
	struct one *x = arg;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (chunks - x->flushed < FLUSH_CHUNKS && now.tv_sec == x->since)
		return 1;
	x->flushed = chunks;
	x->since = now.tv_sec;
	if (pp_flush(x->out) < 0 || (!x->named && atomic_commit(&x->to) <= 0))
		return pp_fail(&x->in_err, "%s: cannot be written", x->path);
	x->named = true;
	return 1;
}

static int
index_build(struct one *x)
{
	struct ppi_build how = { .size = x->o->chunk_size, .every = x->o->snapshots, .old = x->old, .old_name = x->path, .refill = index_progress,
	    .arg = x, .err = &x->out_err };
	int rc;

	if (x->o->open_flags & PP_OPEN_FOLLOW)
		how.tick = index_grow;
	if (!(x->out = atomic_sink(&x->to)))
		return -1;
	rc = ppi_build(x->in, x->out, &how);
	if (pp_finish(x->out) < 0)
		rc = -1;
	if (rc > 0)
		tool_note(x->t, "%s: %ju chunks, %ju samples%s", x->path, (uintmax_t)how.chunks, (uintmax_t)how.sums.samples,
		    x->old ? "; continued" : "");
	return rc;
}

/* Why there is no index: if it could not be written, reading has ended for that. */
static void
index_say(const struct tool *t, const struct pp_err *in_err, const struct pp_err *out_err)
{
	if (out_err->what[0])
		tool_say(t, out_err);
	else if (in_err->what[0])
		tool_say(t, in_err);
}

static void
index_fault(void *arg, const struct pp_err *err)
{
	tool_say(arg, err);
}

/* 0, or 1 with a message.  Of an input with a fault there is no index: the tools would not report the fault, where they leave it out. */
static int
index_input(struct tool *t, const struct options *o, const char *name, const char *path)
{
	struct one x = { .t = t, .o = o, .path = path };
	const char *cannot;
	uint64_t lost;
	int rc = -1;

	if ((x.in = tool_source(t, name, o->open_flags, &x.in_err))) {
		if ((cannot = pp_chunks_cannot(x.in)))
			tool_wrong(t, "%s: no index: %s", name, cannot);
		pp_on_fault(x.in, index_fault, t);
		if (o->open_flags & PP_OPEN_FOLLOW) {
			signal(SIGINT, index_interrupt);
			pp_follow(x.in, &index_stop);
		} else
			index_continue(&x, name);
		if ((t->out_name ? atomic_open(&x.to, path, true, &x.out_err) : tool_index_create(&x.to, path, true, &x.out_err)) > 0) {
			rc = index_build(&x);
			if (pp_faults(x.in, &lost))
				rc = -1;
			if (rc > 0 && !x.named && !x.to.direct && atomic_commit(&x.to) <= 0)
				rc = -1;
			atomic_close(&x.to);
		}
	}
	index_say(t, &x.in_err, &x.out_err);
	if (pp_close(x.in) < 0)
		rc = -1;
	ppi_close(x.old);
	return rc < 0;
}

/* Its directory, where the index is made. */
static void
index_allow(struct tool *t, const char *path)
{
	char *dir = tool_need(strdup(path)), *slash = strrchr(dir, '/');

	if (slash)
		slash[slash == dir] = 0;
	tool_allow(t, slash ? dir : ".", "rwc");
	free(dir);
}

int
index_inputs(struct tool *t, const struct options *o)
{
	char **paths = tool_alloc((size_t)t->nnames, sizeof *paths);
	int status = 0;

	for (int i = 0; i < t->nnames; i++) {
		paths[i] = t->out_name ? tool_need(strdup(t->out_name)) : tool_index_path(t->names[i]);
		if (!t->out_name)
			tool_index_refuse(t, paths[i]);
		tool_refuse_names(t, paths[i], t->names, t->nnames);
		index_refuse(t, paths[i]);
		tool_allow(t, t->names[i], "r");
		index_allow(t, paths[i]);
	}
	tool_lock(t);
	for (int i = 0; i < t->nnames; i++) {
		status |= index_input(t, o, t->names[i], paths[i]);
		free(paths[i]);
	}
	free(paths);
	pp_spare_free(t->spare);
	return status;
}

/* SPDX-License-Identifier: ISC */
/*
 * pcat - any perf recording in, any container out.
 *
 *	one input, or several joined  ->  features  ->  compat  ->  byte order  ->  container, or parts of one
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chunks.h"
#include "formats.h"
#include "index.h"
#include "join/manifest.h"
#include "manifest_out.h"
#include "options.h"
#include "out_cpuprofile.h"
#include "pprof/out_pprof.h"
#include "set.h"
#include "sink/out_file.h"
#include "sink/out_stream.h"
#include "source/section.h"

struct job {
	struct tool	 t;
	struct options	 o;
	struct out	*first, *last;		/* the chain; `last' is the container */
	struct pp_source *like;			/* made for it: stands for records of the output's byte order */
	struct pp_err	 like_err;
	struct formats	*formats;		/* NULL: not asked for */
	struct pp_err	 formats_err;
	struct join	*join;			/* NULL: one input, t.in */
	struct pp_source **inputs;		/* all that were opened: no output may be one of them */
	int		 ninputs;
	struct pp_source *looked;		/* the input, opened once more */
	uint64_t	 place;			/* one input: records of the kernel in front of the one in work */
	struct pp_rec	 rec;			/* that one */
	struct manifest_out *manifest;		/* --switch-output --manifest; NULL: not asked for */
	struct look	 look;			/* files that are split */
	off_t		 stdin_at;		/* where it stood when we began */
	struct pp_section data;			/* --copy-data */
};

static volatile sig_atomic_t stop;

static void
pcat_stop_following(int sig)
{
	stop = 1;
	signal(sig, atomic_ended);
}

/* An input was opened. */
static void
pcat_add_input(struct job *j, struct pp_source *in)
{
	j->inputs = tool_need(array_more(j->inputs, (size_t)j->ninputs, 1, sizeof *j->inputs));
	j->inputs[j->ninputs++] = j->t.in = in;
	tool_refuse_input(&j->t, j->t.out_name);
}

static struct pp_sink *
pcat_sink(struct job *j, const struct atomic *file)
{
	struct pp_sink *k = atomic_sink(file);

	tool_index_out_sink(&j->t, k);
	return k;
}

static struct out *
pcat_container(struct job *j, struct atomic *file, struct pp_source *like)
{
	switch (j->o.format) {
	case FORMAT_FILE:
		return out_file_new(pcat_sink(j, file), &(struct out_file_at){ file->fd, file->dir, j->t.index_out.asked }, &j->o.pack, like,
		    file->err);
	case FORMAT_PROFILE:
		return out_cpuprofile_new(file, &j->o.profile, &j->t);
	case FORMAT_PPROF:
		return out_pprof_new(&j->t, &j->o.profile);
	case FORMAT_JSONL:
		return out_jsonl_new(&j->t, &j->o.jsonl);
	case FORMAT_STREAM:
		break;
	}
	return out_stream_new(pcat_sink(j, file), &j->o.pack, like, file->err);
}

static struct out *
pcat_part(void *arg, const char *path, struct pp_source *like, struct atomic *file, struct pp_err *err)
{
	const struct job *j = arg;
	struct out *to;

	for (int i = 0; i < j->ninputs; i++)
		if (pp_is_file(j->inputs[i], path)) {
			pp_fail(err, "is also the input");
			return NULL;
		}
	if (atomic_open(file, path, j->t.force, err) < 0)
		return NULL;
	if (!(to = pcat_container(arg, file, like)))
		atomic_close(file);
	return to;
}

static int
pcat_named(void *arg, const char *path, struct pp_err *err)
{
	const struct job *j = arg;

	/* A part that is incomplete has another name, and so will the manifest. */
	return !j->manifest || j->t.partial || j->t.in_err.what[0] ? 1 : manifest_out_add(j->manifest, path, err);
}

static void
pcat_removed(void *arg, const char *path)
{
	const struct job *j = arg;

	if (j->manifest)
		manifest_out_forget(j->manifest, path);
}

/* Open the output, and lock all but what is opened by name later on: formats, parts, an input that is looked through first. */
static void
pcat_lock(struct job *j)
{
	struct tool *t = &j->t;

	if (j->o.symbols.n)
		j->o.profile.symbols = symbols_start(t, &j->o.symbols);
	if (j->o.formats_from)
		tool_allow(t, j->o.formats_from, "r");
	if (!j->o.splits) {
		tool_create(t, &t->file, t->out_name, &t->out_err);
		if (j->o.format == FORMAT_PPROF)
			pprof_allow(t);
	} else {
		split_allow(t, j->o.template);
		if (j->o.manifest) {
			char *dir = split_dir(j->o.template);

			j->manifest = manifest_out_new(t, j->o.manifest, dir);
			free(dir);
		}
		if (!j->o.joins)
			tool_allow(t, t->in_name, "r");
	}
	tool_index_out_open(t);
	tool_lock(t);
}

static uint64_t
pcat_place(void *arg)
{
	const struct job *j = arg;

	return j->join ? join_place(j->join) : j->place;
}

static void
pcat_where(void *arg, struct pp_err *err)
{
	const struct job *j = arg;

	if (j->join) {
		join_where(j->join, err);
		return;
	}
	err->file = j->t.in_err.file;
	err->off = pp_offset(j->t.in, &j->rec);
	err->at = true;
}

/* The offset of the record in work, which r was made of.  What a stage has added, and joined records, stand nowhere. */
static bool
pcat_offset(void *arg, const struct pp_rec *r, uint64_t *offset)
{
	const struct job *j = arg;

	if (j->join || r->type != j->rec.type || pp_made(j->t.in, &j->rec))
		return false;
	*offset = pp_offset(j->t.in, &j->rec);
	return true;
}

/* Put the chain together, from its end; `in' has the byte order of the records.  -1: t.out_err says why. */
static int
pcat_make_chain(struct job *j, struct pp_source *in)
{
	bool swap = endian_swap(j->o.endian, in->swap), turns = swap != in->swap;
	struct tool *t = &j->t;
	struct options *o = &j->o;
	struct out *to;

	if ((turns || o->splits) && !(j->like = endian_source(swap, &j->like_err)))
		return pp_fail_memory(&t->out_err);
	o->split.make = pcat_part;
	o->split.place = pcat_place;
	o->split.where = pcat_where;
	o->split.named = pcat_named;
	o->split.removed = pcat_removed;
	o->split.arg = o->profile.arg = o->jsonl.arg = j;
	o->profile.where = o->jsonl.where = pcat_where;
	o->jsonl.offset = pcat_offset;
	to = o->splits ? split_new(t, &o->split, j->like, &t->out_err) :
	    pcat_container(j, &t->file, j->like ? j->like : in);
	if (!(j->last = to))
		return -1;
	/* What these can't do lies in the input. */
	if ((turns && !(to = endian_new(t, in, j->like, to, &t->in_err))) ||
	    (o->compat && !(to = compat_new(t, o->compat, in, to, &t->in_err))) ||
	    (o->features.listed && !(to = features_new(t, &o->features, in, to, &t->in_err))) ||
	    (j->formats && !(to = formats_new(t, j->formats, in, to, &t->in_err))))
		return -1;
	j->first = to;
	return 1;
}

static int
pcat_before_refill(void *arg)
{
	struct job *j = arg;
	uint64_t total, done = pp_progress(j->t.in, &total);

	if (j->last->flush && j->last->flush(j->last, pp_may_wait(j->t.in)) < 0)
		return -1;
	tool_progress(&j->t, done, total);
	return 1;
}

/* ---- a file that is to be split is looked through first ---------------------------------------------------- */

static int
pcat_looking(void *arg)
{
	struct job *j = arg;
	uint64_t total, done = pp_progress(j->looked, &total);

	tool_progress(&j->t, done, total);
	return 1;
}

/* The path by which that input can be opened once more, to read the same; NULL: it is no file. */
static const char *
pcat_again(struct job *j, const char *name)
{
	bool std = !strcmp(name, "-");

	if (j->o.open_flags & PP_OPEN_FOLLOW || (std && j->stdin_at))
		return NULL;
	return tool_file_twice(&j->t, std ? "/proc/self/fd/0" : name);
}

/* Look through all n inputs, unless one is no file. */
static void
pcat_look_through(struct job *j, unsigned n)
{
	struct pp_err err = { .what = "" };
	uint64_t shift = 0;
	const char *path, *name = j->t.in_name ? j->t.in_name : "-";

	for (unsigned i = 0; i < n; i++) {
		if (j->join) {
			name = join_path(j->join, i);
			shift = join_time_shift(j->join, i);
		}
		if (!(path = pcat_again(j, name)) || !(j->looked = tool_source_ahead(&j->t, path, j->o.open_flags, &err)))
			return;
		for (int k = 0; i && k < 2; k++)
			look_mark(&j->look);	/* join puts them there */
		pp_before_refill(j->looked, pcat_looking, j);
		if (look_source(&j->look, j->looked, shift) < 0)
			tool_no_memory();
		pp_close(j->looked);
		tool_ahead(&j->t, &err);
	}
	j->o.split.look = &j->look;
}

/* No more records. */
static int
pcat_finish(struct job *j)
{
	int rc = j->first->finish(j->first);

	if (rc < 0 && j->manifest)
		j->t.partial = true;
	manifest_out_finish(j->manifest);
	return rc;
}

static int
pcat_copied(void *arg, uint64_t done)
{
	struct job *j = arg;

	tool_progress(&j->t, done, j->data.len);
	if (j->t.index_out.asked)
		tool_index_out_wrote(&j->t.index_out, done);
	return 1;
}

/* --copy-data, and records of the header only so far: is the one in work the first of the data?  Then all are copied.  1, 0 or -1. */
static int
pcat_copy_data(struct job *j)
{
	if (pp_made(j->t.in, &j->rec) || pp_offset(j->t.in, &j->rec) != j->data.off)
		return 0;
	return out_file_copy(j->last, j->data.fd, j->data.off, j->data.len, pcat_copied, j);
}

/* With --copy-data: find the section.  -1: it has to be read, t.in_err says why. */
static int
pcat_find_data(struct job *j)
{
	const char *why = j->o.copy_data ? pp_data_section(j->t.in, &j->data) : NULL;

	return why ? pp_fail(&j->t.in_err, "--copy-data cannot be used: %s", why) : 1;
}

/* One input: 0, or 1. */
static int
pcat_copy(struct job *j)
{
	struct tool *t = &j->t;
	int rc;

	tool_open_input(t, j->o.open_flags);
	pcat_add_input(j, t->in);
	pcat_lock(j);
	if (j->o.formats_from && !(j->formats = formats_load(t, j->o.formats_from, &j->formats_err))) {
		tool_say(t, &j->formats_err);
		return 1;
	}
	tool_begin_input(t);
	if (j->o.splits)
		pcat_look_through(j, 1);
	if (pcat_find_data(j) < 0 || pcat_make_chain(j, t->in) < 0) {
		tool_abandon(t);
		return tool_close(t);
	}
	pp_before_refill(t->in, pcat_before_refill, j);
	if (j->o.open_flags & PP_OPEN_FOLLOW) {
		signal(SIGINT, pcat_stop_following);
		pp_follow(t->in, &stop);
	}
	while (pp_next(t->in, &j->rec) > 0) {
		if (j->data.len && pcat_copy_data(j))
			break;
		if (j->first->put(j->first, t->in, &j->rec, true) < 0)
			break;
		j->place += j->rec.type < PP_USER_TYPE_START;
	}
	rc = pcat_finish(j);
	if (rc > 0)
		rc = tool_index_out_finish(t);
	return tool_close(t) || rc < 0;
}

static int
pcat_tick(void *arg)
{
	struct job *j = arg;
	uint64_t total, done;

	if (j->join && tool_progress_due(&j->t)) {
		done = join_progress(j->join, &total);
		tool_progress(&j->t, done, total);
	}
	return 1;
}

static void
pcat_opened(void *arg, struct pp_source *in)
{
	struct job *j = arg;

	pcat_add_input(j, in);
}

/* Several inputs: 0, or 1. */
static int
pcat_copy_joined(struct job *j)
{
	static char *standard_input[] = { "-" };
	struct tool *t = &j->t;
	struct manifest *m = t->manifest ? manifest_open(t, &j->o.join, j->o.part) : NULL;
	char **names = t->nnames ? t->names : standard_input;
	int n = t->nnames ? t->nnames : 1, status, rc;

	j->o.join.opened = pcat_opened;
	j->o.join.tick = pcat_tick;
	j->o.join.arg = j;
	t->in_err.file = "<joined>";
	join_allow(t, names, n);
	pcat_lock(j);
	if ((m && manifest_verify(m) < 0) || !(j->join = join_open(t, &j->o.join, names, n))) {
		tool_abandon(t);
		manifest_close(m);
		return 1;
	}
	if (j->o.splits)
		pcat_look_through(j, join_inputs(j->join));
	if (pcat_make_chain(j, join_source(j->join)) < 0) {
		join_close(j->join);
		manifest_close(m);
		t->in = NULL;
		tool_abandon(t);
		tool_close(t);
		return 1;
	}
	rc = join_copy(j->join, j->first);
	t->partial = !join_is_whole(j->join);
	if (pcat_finish(j) < 0)
		rc = -1;
	status = join_close(j->join);
	t->in = NULL;
	if (manifest_close(m)) {
		t->partial = true;
		status = 1;
	}
	if (rc >= 0 && !status)
		status = tool_index_out_finish(t) < 0;
	return tool_close(t) || status || rc < 0;
}

int
main(int argc, char **argv)
{
	static struct job j = { .t = { .name = "pcat", .purpose = "Convert, join, split and repair perf recordings.", .many = true },
	    .o.profile = { .pid = -1, .labels = PPROF_LABELS_DEFAULT, .memory = 256 << 20 },
	    .o.symbols.demangle = DEMANGLE_SHORT };
	int status;

	options_parse(&j.o, &j.t, argc, argv);
	tool_check(&j.t);
	if (j.o.splits)
		split_refuse_files(&j.t, j.o.template);
	j.stdin_at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	if (j.o.manifest)
		tool_refuse_file(&j.t, j.o.manifest);
	status = j.o.makes_manifest ? manifest_make(&j.t, &j.o) : j.o.index ? index_inputs(&j.t, &j.o) : j.o.chunks ? chunks_print(&j.t, &j.o) :
	    j.o.joins ? pcat_copy_joined(&j) : pcat_copy(&j);
	pp_close(j.like);
	look_free(&j.look);
	formats_free(j.formats);
	symbols_end(j.o.profile.symbols);
	tool_index_out_close(&j.t);
	manifest_out_free(j.manifest);
	options_free(&j.o);
	free(j.t.names);
	free(j.inputs);
	return status;
}

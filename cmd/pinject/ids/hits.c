/* SPDX-License-Identifier: ISC */
/* hits.c - see hits.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "make/make.h"
#include "record/mark.h"
#include "record/raw.h"
#include "set.h"
#include "state/table.h"
#include "hits.h"

enum {
	NAME_LIMIT = 4096,		/* PATH_MAX */
	NAMES = 65536,			/* that are remembered */
	FILES = 8,			/* of a name, that are compared */
	DONE = 64,			/* hits of a file without an id, until no other is of interest */
	FIXED = 1,
};

struct hits {
	struct out	 pub;
	struct tool	*t;
	struct file_ids	*ids;
	bool		 all, strict, live;
	struct pp_state	*state;		/* of the walk; not with `all' */
	struct table	 names;		/* of files: struct name */
	struct hits_file {
		uint32_t	 pid;	/* nothing is to be done for that process; 0: unknown */
		uint8_t		 done;	/* DONE: nor for any other one */
	} *file;			/* by hits_index() */
	size_t		 nfiles;
	unsigned	 freed;		/* pp_state_freed() of them */
	uint64_t	 given;
	struct name	*several;	/* the last name of several files */
	uint64_t	 wrong;		/* names whose BUILD_ID is not that of all files */
	char		*wrong_name;	/* the first of them, escaped */
};

/* A map of a file, as it was first met. */
struct file {
	uint64_t	 ino, generation, start, end, time;
	uint32_t	 maj, min, pid;
};

/* A reader knows the file of a BUILD_ID by its name; so it must be the id of all files of that name. */
struct name {
	struct link	 link;		/* by hash of the text */
	bool		 known;		/* the stream has its id, in an MMAP2 */
	bool		 changed;	/* one of its files was overwritten: the id that it has now is not that of all samples */
	bool		 wrong;		/* the one that was written is not that of all files */
	uint8_t		 nfiles;	/* that were mapped, up to FILES + 1 */
	struct file	*files;		/* the first FILES; NULL: just the first, or none */
	struct name	*several;	/* the one before; if there are files */
	struct file	 first;
	struct build_id	 id;		/* the one that was written; len 0: none */
	uint64_t	 which;		/* the file that it was written for */
	uint64_t	 without;	/* the first file of that name that has no id; 0: there is none */
	uint64_t	 said;		/* the last file whose id could not be written, as another has the name; 0: none */
	size_t		 len;
	char		 text[];
};

/* Write a BUILD_ID in the form for all readers: size a multiple of 8, no trailer, with the id's size (perf-pipe(5)). */
static int
hits_emit(struct hits *h, const struct pp_dso *dso, unsigned mode, const struct build_id *id)
{
	uint8_t buf[PP_RAW_AT(HEADER_BUILD_ID, filename) + NAME_LIMIT + 8], len = (uint8_t)id->len;
	struct pp_rec r;

	if (PP_MAKE(&r, buf, sizeof buf, HEADER_BUILD_ID, .swap = h->t->in->swap, .misc = (uint16_t)(mode | PP_MISC_BUILD_ID_SIZE),
	    .pid = -1, .build_id = { id->b, id->len }, .id_size = { &len, 1 }, .filename = { dso->name, dso->len }) < 0)
		return pp_fail(&h->t->in_err, "BUILD_ID of '%.80s': too long", dso->name);
	h->given++;
	/* a sample of a piece needs it; so may those of other pieces */
	if (!h->all && h->t->piece.marks) {
		struct pp_rec mark = pp_piece_mark_of(h->t->piece.marks, PP_PIECE_ONCE);

		if (h->pub.next->put(h->pub.next, h->t->in, &mark, false) < 0)
			return -1;
	}
	return h->pub.next->put(h->pub.next, h->t->in, &r, false);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* NULL: as many as can be are remembered, or there is no memory. */
static struct name *
hits_name(struct hits *h, const struct pp_dso *d)
{
	uint64_t key = pp_table_hash(&h->names, d->len, (const uint8_t *)d->name, d->len);
	struct name *n;

	for (struct link *l = pp_table_first(&h->names, key); l; l = pp_table_next(l)) {
		n = (struct name *)l;
		if (n->len == d->len && !memcmp(n->text, d->name, d->len))
			return n;
	}
	if (h->names.n == NAMES)
		return NULL;
	n = tool_alloc(1, sizeof *n + d->len);
	n->len = d->len;
	memcpy(n->text, d->name, d->len);
	if (pp_table_add(&h->names, &n->link, key) > 0)
		return n;
	free(n);
	return NULL;
}

/* The stream has the id of that file. */
static void
hits_known(struct hits *h, const struct pp_dso *d)
{
	struct pp_dso named = file_ids_named(d);
	struct name *n = hits_name(h, &named);

	if (n)
		n->known = true;
}

/* The vdso of a 32-bit process is another file than that of the others, but the same pp_dso. */
static size_t
hits_index(const struct pp_map *m)
{
	return (size_t)m->dso * 2 + (m->start > UINT32_MAX);
}

static struct hits_file *
hits_file(struct hits *h, size_t index)
{
	if (index >= h->nfiles || h->freed != pp_state_freed(h->state))	/* seldom */
		h->file = tool_need(pp_state_by_file(h->state, h->file, &h->nfiles, &h->freed, index, sizeof *h->file));
	return &h->file[index];
}

/* A map may be of another file of that name: remember it.  A map without an inode is told by its name alone. */
static void
hits_learn_file(struct hits *h, struct name *n, const struct file_ids_for *q)
{
	const struct pp_dso *d = q->dso;
	struct file f = { .ino = d->ino, .generation = d->ino_generation, .start = q->start, .end = q->end, .time = q->time,
	    .maj = d->maj, .min = d->min, .pid = q->pid };

	if (!d->ino)
		return;
	for (unsigned i = 0; i < n->nfiles && i < FILES; i++) {
		const struct file *g = n->files ? &n->files[i] : &n->first;

		/* perf writes no generation for processes that ran before */
		if (g->ino == f.ino && g->maj == f.maj && g->min == f.min &&
		    (!g->generation || !f.generation || g->generation == f.generation))
			return;
	}
	if (n->nfiles > FILES)
		return;
	if (n->nfiles == 0) {
		n->first = f;
	} else {
		if (!n->files) {
			n->files = tool_alloc(FILES, sizeof *n->files);
			n->files[0] = n->first;
			n->several = h->several;
			h->several = n;
		}
		if (n->nfiles < FILES)
			n->files[n->nfiles] = f;
	}
	n->nfiles++;
}

/* Have all files of that name, as far as they were mapped, the id? */
static bool
hits_all_have(struct hits *h, const struct name *n, const struct file_ids_for *hit, const struct build_id *id)
{
	struct file_ids_found found;

	if (n->nfiles > FILES)
		return false;
	for (unsigned i = 0; n->files && i < n->nfiles; i++) {
		const struct file *f = &n->files[i];
		struct pp_dso d = *hit->dso;

		d.ino = f->ino;
		d.ino_generation = f->generation;
		d.maj = f->maj;
		d.min = f->min;
		if (!file_ids_get(h->ids, &(struct file_ids_for){ .dso = &d, .mode = hit->mode, .pid = f->pid, .start = f->start,
		    .end = f->end, .time = f->time ? f->time : hit->time, .quietly = true }, &found) ||
		    found.id.len != id->len || memcmp(found.id.b, id->b, id->len))
			return false;
	}
	return true;
}

/* May that id of one of the files of a name be written?  No: why. */
static bool
hits_may(struct hits *h, const struct name *n, const struct file_ids_for *file, const struct file_ids_found *found, const char **why)
{
	*why = "the stream has more than 65,536 names of files";
	if (!n)
		return false;
	*why = "it had other contents before (use --mmap2-buildids)";
	if (n->changed)
		return false;
	*why = "another file of this name was sampled (use --mmap2-buildids)";
	if (n->without && n->without != found->which)
		return false;
	*why = "it is the name of several files (use --mmap2-buildids)";
	return hits_all_have(h, n, file, &found->id);
}

/* The name has a BUILD_ID, which readers take for that of this file, too; but it has another one, or none that is known. */
static void
hits_wrong(struct hits *h, struct name *n, const struct pp_dso *dso)
{
	if (n->wrong || dso->name[0] != '/')		/* of both vdsos only one has the name, to readers */
		return;
	n->wrong = true;
	if (!h->wrong++)
		h->wrong_name = tool_vis(dso->name, dso->len);
}

/* Count a file whose id is not written, once. */
static void
hits_without(struct hits *h, struct name *n, const struct pp_dso *dso, unsigned mode, uint64_t which, const char *why)
{
	if (!n || !which || n->said != which)
		file_ids_none(h->ids, dso, mode, why);
	if (n)
		n->said = which;
}

/*
 * Write the id of a file, unless the stream has it.  DONE: nothing more is to be done for the file; 0: it has no id, or of a live stream
 * may get another one; FIXED: it has none, as long as only that process has it; -1.  n: its name, or NULL if that is not at hand.
 */
static int
hits_need(struct hits *h, const struct file_ids_for *file, struct name *n)
{
	struct pp_dso dso = file_ids_named(file->dso);
	struct file_ids_found found;
	const char *why;

	if (!n)
		n = hits_name(h, &dso);
	if ((n && n->known) || file_ids_is_known(h->ids, &dso))
		return DONE;
	if (!file_ids_get(h->ids, file, &found)) {
		/* the very file may be gone by now */
		if (n && n->id.len && (found.changed || found.which != n->which))
			hits_wrong(h, n, &dso);
		if (n && !n->without)
			n->without = found.which;
		if (n)
			n->changed |= found.changed;
		return found.final ? DONE : found.fixed ? FIXED : 0;
	}
	if (n && n->id.len) {
		if (n->id.len == found.id.len && !memcmp(n->id.b, found.id.b, found.id.len))
			return h->live ? 0 : DONE;
		hits_wrong(h, n, &dso);
		hits_without(h, n, &dso, file->mode, found.which, "another file of this name has the BUILD_ID (use --mmap2-buildids)");
		return DONE;
	}
	if (!hits_may(h, n, file, &found, &why)) {
		hits_without(h, n, &dso, file->mode, found.which, why);
		return DONE;
	}
	n->id = found.id;
	n->which = found.which;
	return hits_emit(h, &dso, file->mode, &found.id) < 0 ? -1 : h->live ? 0 : DONE;
}

/* walk_user.hit */
static int
hits_hit(void *arg, const struct walk_hit *hit)
{
	struct hits *h = arg;
	const struct pp_map *m = hit->map;
	struct hits_file *f = m->has_id ? NULL : hits_file(h, hits_index(m));
	int rc;

	if (!f || f->done == DONE)
		return 1;
	if (f->pid && f->pid == hit->pid) {
		f->done++;
		return 1;
	}
	rc = hits_need(h, &(struct file_ids_for){ .dso = pp_state_dso(h->state, m), .mode = hit->mode, .pid = hit->pid,
	    .start = m->start, .end = m->start + m->len, .time = hit->time }, NULL);
	if (rc == DONE)
		f->done = DONE;
	else if (!h->live && rc >= 0)
		f->done++;
	f->pid = rc == FIXED && !h->live ? hit->pid : 0;
	return rc < 0 ? -1 : 1;
}

/* ---- as they arrive -------------------------------------------------------------------------- */

static int
hits_map(struct hits *h, const struct pp_rec *r)
{
	bool swap = h->t->in->swap;
	const struct pp_event *ev;
	struct file_ids_for file;
	struct name *n = NULL;
	struct pp_dso dso;

	if (h->all && pp_check(r, swap, &h->t->in_err) < 0)	/* else the walk has done that */
		return -1;
	pp_dso_get(&dso, r, 0, swap);
	if (dso.id_len) {
		hits_known(h, &dso);
		file_ids_kept(h->ids, &dso, dso.id, dso.id_len);
	}
	if (!file_ids_of_map(&file, r, &dso, swap) || !(h->all || file.mode == PP_MISC_USER))
		return 1;
	ev = pp_event_find(h->t->in->events, r, NULL);
	if (!ev || !pp_time(ev, r, swap, &file.time))
		file.time = 0;
	if (!dso.id_len && dso.name[0] == '/' && (n = hits_name(h, &dso)))
		hits_learn_file(h, n, &file);
	return h->all && hits_need(h, &file, n) < 0 ? -1 : 1;
}

static int
hits_take(struct hits *h, const struct pp_rec *r)
{
	switch (r->type) {
	case PP_MMAP:
	case PP_MMAP2:
		return hits_map(h, r);
	case PP_HEADER_BUILD_ID:
		if (pp_check(r, h->t->in->swap, &h->t->in_err) < 0)
			return -1;
		file_ids_known(h->ids, r);
		return 1;
	}
	return 1;
}

static int
hits_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct hits *h = (struct hits *)o;

	if (hits_take(h, r) < 0)
		return h->t->in_err.what[0] ? pp_reject(h->t->in, r) : -1;
	return o->next->put(o->next, in, r, stable);
}

static void
hits_report(const struct hits *h)
{
	struct pp_err e = { .file = h->t->in_name ? h->t->in_name : "<stdin>" };

	if (!h->wrong)
		return;
	pp_fail(&e, "%ju names are of several files, and have a BUILD_ID of only one: readers take it for all; use --mmap2-buildids. "
	    "The first is '%.400s'", (uintmax_t)h->wrong, h->wrong_name);
	tool_say(h->t, &e);
	h->t->failed = true;
}

static void
hits_free_names(struct hits *h)
{
	for (struct name *n = h->several; n; n = n->several)
		free(n->files);
	pp_table_free(&h->names, true);
	free(h->wrong_name);
}

static int
hits_finish(struct out *o)
{
	struct hits *h = (struct hits *)o;
	struct out *next = o->next;

	file_ids_report(h->ids, h->given, h->strict);
	hits_report(h);
	file_ids_free(h->ids);
	hits_free_names(h);
	free(h->file);
	free(h);
	return next->finish(next);
}

struct out *
hits_new(struct tool *t, struct lookup *lookup, struct walk *walk, bool strict, struct out *next)
{
	struct hits *h = tool_alloc(1, sizeof *h);

	*h = (struct hits){ .pub = { .put = hits_put, .finish = hits_finish, .next = next, .idle = true }, .t = t, .all = !walk,
	    .strict = strict, .live = lookup->live };
	h->ids = file_ids_new(t, lookup);
	pp_table_init(&h->names);
	if (walk) {
		h->state = walk_state(walk);
		walk_add(walk, &(struct walk_user){ .arg = h, .hit = hits_hit });
	}
	return &h->pub;
}

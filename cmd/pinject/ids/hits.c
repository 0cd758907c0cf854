/* SPDX-License-Identifier: ISC */
/* hits.c - see hits.h. */
#include <stdlib.h>
#include <string.h>

#include "record/make.h"
#include "record/raw.h"
#include "state/table.h"
#include "hits.h"

enum {
	NAME_LIMIT = 4096,		/* PATH_MAX */
	NAMES = 65536,			/* that are remembered */
	DONE = 64,			/* hits of a file without an id, until no other is of interest */
};

struct hits {
	struct out	 pub;
	struct tool	*t;
	struct file_ids	*ids;
	bool		 all, strict;
	struct pp_state	*state;		/* of the walk; not with `all' */
	struct table	 names;		/* of files: struct name */
	uint8_t		*done;		/* by hits_index(); DONE: nothing is to be done for that file any more */
	size_t		 ndone;
	uint64_t	 given;
};

/* A reader knows the file of a BUILD_ID by its name; so only one file of a name can have one. */
struct name {
	struct link	 link;		/* by hash of the text */
	bool		 known;		/* the stream has its id, in an MMAP2 */
	struct build_id	 id;		/* the one that was written; len 0: none */
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

/* Is nothing to be done for the file of that index any more? */
static bool
hits_is_done(struct hits *h, size_t index)
{
	if (index >= h->ndone) {
		size_t n = index * 2 + 64;

		h->done = tool_realloc(h->done, n, 1);
		memset(h->done + h->ndone, 0, n - h->ndone);
		h->ndone = n;
	}
	return h->done[index] == DONE;
}

/* May that id of one of the files of a name be written?  No: why. */
static bool
hits_may(const struct name *n, const struct build_id *id, uint64_t which, const char **why)
{
	*why = "the stream has more than 65,536 names of files";
	if (!n)
		return false;
	*why = "another file of this name was sampled (use --mmap2-buildid-all)";
	return n->id.len ? n->id.len == id->len && !memcmp(n->id.b, id->b, id->len) : !n->without || n->without == which;
}

/* Write the id of a file, unless the stream has it.  1: nothing more is to be done for the file; 0: it has no id; -1. */
static int
hits_need(struct hits *h, const struct file_ids_for *file)
{
	struct pp_dso dso = file_ids_named(file->dso);
	struct name *n = hits_name(h, &dso);
	struct build_id id;
	const char *why;
	uint64_t which;

	if ((n && n->known) || file_ids_is_known(h->ids, &dso))
		return 1;
	if (!file_ids_get(h->ids, file, &id, &which)) {
		if (n && !n->without)
			n->without = which;
		return 0;
	}
	if (!hits_may(n, &id, which, &why)) {
		if (!n || !which || n->said != which)
			file_ids_none(h->ids, &dso, file->mode, why);
		if (n)
			n->said = which;
		return 1;
	}
	if (n->id.len)
		return 1;
	n->id = id;
	return hits_emit(h, &dso, file->mode, &id);
}

/* walk_user.hit */
static int
hits_hit(void *arg, const struct walk_hit *hit)
{
	struct hits *h = arg;
	const struct pp_map *m = hit->map;
	size_t index = hits_index(m);
	int rc;

	if (m->has_id || hits_is_done(h, index))
		return 1;
	rc = hits_need(h, &(struct file_ids_for){ .dso = pp_state_dso(h->state, m), .mode = hit->mode, .pid = hit->pid,
	    .start = m->start, .end = m->start + m->len, .time = hit->time });
	if (rc)
		h->done[index] = DONE;
	else
		h->done[index]++;
	return rc < 0 ? -1 : 1;
}

/* ---- as they arrive -------------------------------------------------------------------------- */

static int
hits_map(struct hits *h, const struct pp_rec *r)
{
	bool swap = h->t->in->swap;
	const struct pp_event *ev;
	struct file_ids_for file;
	struct pp_dso dso;

	if (h->all && pp_check(r, swap, &h->t->in_err) < 0)	/* else the walk has done that */
		return -1;
	pp_dso_get(&dso, r, 0, swap);
	if (dso.id_len) {
		hits_known(h, &dso);
		file_ids_kept(h->ids, &dso, dso.id, dso.id_len);
	}
	if (!h->all || !file_ids_of_map(&file, r, &dso, swap))
		return 1;
	ev = pp_event_find(h->t->in->events, r, NULL);
	if (!ev || !pp_time(ev, r, swap, &file.time))
		file.time = 0;
	return hits_need(h, &file) < 0 ? -1 : 1;
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

static int
hits_finish(struct out *o)
{
	struct hits *h = (struct hits *)o;
	struct out *next = o->next;

	file_ids_report(h->ids, h->given, h->strict);
	file_ids_free(h->ids);
	pp_table_free(&h->names, true);
	free(h->done);
	free(h);
	return next->finish(next);
}

struct out *
hits_new(struct tool *t, struct lookup *lookup, struct walk *walk, bool strict, struct out *next)
{
	struct hits *h = tool_alloc(1, sizeof *h);

	*h = (struct hits){ .pub = { .put = hits_put, .finish = hits_finish, .next = next, .idle = true }, .t = t, .all = !walk,
	    .strict = strict };
	h->ids = file_ids_new(t, lookup);
	pp_table_init(&h->names);
	if (walk) {
		h->state = walk_state(walk);
		walk_add(walk, &(struct walk_user){ .arg = h, .hit = hits_hit });
	}
	return &h->pub;
}

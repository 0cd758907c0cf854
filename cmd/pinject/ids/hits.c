/* SPDX-License-Identifier: ISC */
/* hits.c - see hits.h. */
#include <stdlib.h>
#include <string.h>

#include "record/feature.h"
#include "record/make.h"
#include "record/raw.h"
#include "state/table.h"
#include "hits.h"

enum { NAME_LIMIT = 4096 };		/* PATH_MAX */

struct hits {
	struct out	 pub;
	struct tool	*t;
	struct lookup	*lookup;
	bool		 all;
	const char	*elsewhere;	/* why no file of this machine is of the recording; NULL: they may be */
	bool		 other_kernel;	/* the recording is of another kernel release */
	char		*host;		/* the name of the other host, until the warning */
	struct pp_state	*state;		/* of the walk; not with `all' */
	struct table	 names;		/* of files: struct name */
	uint8_t		*done;		/* by index of pp_dso: the name is marked as done */
	size_t		 ndone;
	uint64_t	 given, missing;
};

/* ---- writing --------------------------------------------------------------------------------- */

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
	if (h->host)
		tool_warn(h->t, "recorded on '%s', but build-ids are from files on this host", h->host);
	free(h->host);
	h->host = NULL;
	return h->pub.next->put(h->pub.next, h->t->in, &r, false);
}

/* ---- files ----------------------------------------------------------------------------------- */

struct name {
	struct link	 link;		/* by hash of the text */
	bool		 done;		/* its id is written, or it has none */
	uint32_t	 maj, min;	/* device and inode in the last MMAP2 that has them; ino 0: unknown */
	uint64_t	 ino;
	size_t		 len;
	char		 text[];
};

static bool
hits_is_kernel(const char *name, size_t len)
{
	return len >= 8 && memcmp(name, "[kernel.", 8) == 0;
}

/*
 * Readers identify a file by the name of its maps.  Only the map of the kernel has a symbol in its name:
 * [kernel.kallsyms]_text.
 */
static void
hits_shorten(const char **name, size_t *len)
{
	if (!hits_is_kernel(*name, *len))
		return;
	*name = "[kernel.kallsyms]";
	*len = strlen(*name);
}

/* NULL: no memory. */
static struct name *
hits_name_get(struct hits *h, const char *name, size_t len)
{
	uint64_t key;
	struct name *n;

	hits_shorten(&name, &len);
	key = pp_table_hash(&h->names, len, (const uint8_t *)name, len);
	for (struct link *l = pp_table_first(&h->names, key); l; l = pp_table_next(l)) {
		n = (struct name *)l;
		if (n->len == len && !memcmp(n->text, name, len))
			return n;
	}
	n = tool_alloc(1, sizeof *n + len);
	n->len = len;
	memcpy(n->text, name, len);
	if (pp_table_add(&h->names, &n->link, key) > 0)
		return n;
	free(n);
	pp_fail(&h->t->in_err, "out of memory");
	return NULL;
}

/* Mark the name as done.  1, or -1: no memory. */
static int
hits_mark_name(struct hits *h, const char *name, size_t len)
{
	struct name *n = hits_name_get(h, name, len);

	if (!n)
		return -1;
	n->done = true;
	return 1;
}

/*
 * Store device and inode of an MMAP2, in time order.  The last MMAP2 of a name counts, not the map of the sample: perf
 * synthesises maps from /proc, which on overlayfs has other device numbers than the kernel.
 */
static int
hits_learn_inode(struct hits *h, const struct pp_rec *r)
{
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;
	struct pp_dso d;
	struct name *n;

	if (r->type != PP_MMAP2 || mode > PP_MISC_USER)
		return 1;
	pp_dso_get(&d, r, 0, false);
	if (!d.ino)
		return 1;
	if (!(n = hits_name_get(h, d.name, d.len)))
		return -1;
	n->maj = d.maj;
	n->min = d.min;
	n->ino = d.ino;
	return 1;
}

/* Mark that pp_dso as done.  Was it marked before? */
static bool
hits_mark_index(struct hits *h, uint32_t index)
{
	bool was;

	if (index >= h->ndone) {
		size_t n = index * (size_t)2 + 64;

		h->done = tool_realloc(h->done, n, 1);
		memset(h->done + h->ndone, 0, n - h->ndone);
		h->ndone = n;
	}
	was = h->done[index];
	h->done[index] = 1;
	return was;
}

static int
hits_find_id(struct hits *h, const struct pp_dso *dso, unsigned mode, uint32_t pid, struct build_id *id, const char **why)
{
	bool vdso = strcmp(dso->name, "[vdso]") == 0;
	struct lookup_found found;
	int rc;

	*why = "recorded under another kernel";
	if (h->other_kernel && (mode == PP_MISC_KERNEL || vdso))
		return 0;
	*why = "the name is too long";
	if (dso->len >= NAME_LIMIT)
		return 0;
	rc = lookup_file(h->lookup, &(struct lookup_for){ .kind = vdso && mode != PP_MISC_KERNEL ? LOOKUP_VDSO :
	    mode != PP_MISC_KERNEL ? LOOKUP_FILE : hits_is_kernel(dso->name, dso->len) ? LOOKUP_KERNEL : LOOKUP_MODULE,
	    .dso = dso, .pid = pid }, false, &found);
	*id = found.id;
	*why = found.why;
	return rc;
}

/* Write the id of a file, unless the stream has it or the file has none. */
static int
hits_need(struct hits *h, const struct pp_dso *file, unsigned mode, uint32_t pid)
{
	struct name *n = hits_name_get(h, file->name, file->len);
	struct pp_dso dso = *file;
	size_t len = dso.len;
	struct build_id id = {0};
	const char *why;

	if (!n || n->done)
		return n ? 1 : -1;
	n->done = true;
	hits_shorten(&dso.name, &len);
	dso.len = (uint32_t)len;
	if (n->ino) {
		dso.maj = n->maj;
		dso.min = n->min;
		dso.ino = n->ino;
	}
	if (hits_find_id(h, &dso, mode, pid, &id, &why))
		return hits_emit(h, &dso, mode, &id);
	h->missing++;
	if (h->t->verbose) {
		char *name = tool_vis(dso.name, dso.len < NAME_LIMIT ? dso.len : NAME_LIMIT);

		tool_note(h->t, "no build-id of '%s': %s", name, why);
		free(name);
	}
	return 1;
}

/* ---- a user of the walk ----------------------------------------------------------------------- */

static int
hits_record(void *arg, uint64_t time, const struct pp_rec *r)
{
	(void)time;
	return hits_learn_inode(arg, r);
}

static int
hits_hit(void *arg, const struct walk_hit *hit)
{
	struct hits *h = arg;

	if (h->elsewhere || hits_mark_index(h, hit->map->dso))
		return 1;
	return hits_need(h, pp_state_dso(h->state, hit->map), hit->mode, hit->pid);
}

/* ---- as they arrive -------------------------------------------------------------------------- */

/* With --buildid-all: write the id of an MMAP or MMAP2 of the kernel or a process, not of a guest. */
static int
hits_need_map(struct hits *h, const struct pp_rec *r)
{
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;
	uint32_t pid = PP_RAW_GET(r->raw, MMAP, pid, false);
	struct pp_dso file;

	if (pid == UINT32_MAX && mode != PP_MISC_GUEST_KERNEL)
		mode = PP_MISC_KERNEL;
	if (mode != PP_MISC_KERNEL && mode != PP_MISC_USER)
		return 1;
	pp_dso_get(&file, r, 0, false);
	return hits_need(h, &file, mode, pid);
}

static int
hits_map(struct hits *h, const struct pp_rec *r)
{
	struct pp_dso file;

	if (pp_check(r, false, &h->t->in_err) < 0)
		return -1;
	if (r->type == PP_MMAP2 && r->misc & PP_MISC_MMAP_BUILD_ID) {
		pp_dso_get(&file, r, 0, false);
		if (file.id_len && hits_mark_name(h, file.name, file.len) < 0)
			return -1;
	}
	return h->all ? hits_need_map(h, r) : 1;
}

/* The stream has the id of the file that a HEADER_BUILD_ID names. */
static int
hits_has_id(struct hits *h, const struct pp_rec *r)
{
	enum { NAME_AT = PP_RAW_AT(HEADER_BUILD_ID, filename) };
	const char *name = (const char *)r->raw + NAME_AT;

	if (pp_check(r, false, &h->t->in_err) < 0)
		return -1;
	return hits_mark_name(h, name, r->size > NAME_AT ? strnlen(name, r->size - (size_t)NAME_AT) : 0) < 0 ? -1 : 1;
}

/* Are the bytes that text, without its NUL? */
static bool
hits_is_text(const struct pp_feature_value *v, const char *text)
{
	return v->len == strlen(text) && !memcmp(v->p, text, v->len);
}

/* Header features about the machine of the recording.  Each has one string. */
static void
hits_learn_feature(struct hits *h, const struct pp_rec *r)
{
	struct pp_err ignored = { .what = "" };	/* a damaged feature is ignored */
	struct pp_feature feature;
	struct pp_feature_io io;
	struct pp_feature_value v;
	const struct utsname *us = &h->lookup->us;

	if (pp_feature_of(&feature, r, h->t->in->swap, 0, &ignored) < 0)
		return;
	if (feature.number != PP_FEAT_ARCH && feature.number != PP_FEAT_OSRELEASE && feature.number != PP_FEAT_HOSTNAME)
		return;
	pp_feature_open(&io, &feature, &ignored);
	if (pp_feature_next(&io, &v) <= 0 || v.kind != PP_F_STR)
		return;
	if (feature.number == PP_FEAT_ARCH && !hits_is_text(&v, us->machine)) {
		h->elsewhere = "made on another architecture";
	} else if (feature.number == PP_FEAT_OSRELEASE && !hits_is_text(&v, us->release)) {
		h->other_kernel = true;
	} else if (feature.number == PP_FEAT_HOSTNAME && !hits_is_text(&v, us->nodename)) {
		free(h->host);
		h->host = tool_vis((const char *)v.p, v.len);
	}
}

static int
hits_take(struct hits *h, const struct pp_rec *r)
{
	switch (r->type) {
	case PP_MMAP:
	case PP_MMAP2:
		return hits_map(h, r);
	case PP_HEADER_BUILD_ID:
		return hits_has_id(h, r);
	}
	return 1;
}

static int
put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct hits *h = (struct hits *)o;

	if (r->type == PP_HEADER_FEATURE && !h->elsewhere)
		hits_learn_feature(h, r);
	if (!h->elsewhere && hits_take(h, r) < 0)
		return h->t->in_err.what[0] ? pp_reject(h->t->in, r) : -1;
	return o->next->put(o->next, in, r, stable);
}

static int
finish(struct out *o)
{
	struct hits *h = (struct hits *)o;
	struct out *next = o->next;

	if (h->elsewhere)
		tool_warn(h->t, "no build-ids: the recording was %s", h->elsewhere);
	else
		tool_note(h->t, "%ju build-ids added, %ju DSOs without one", (uintmax_t)h->given,
		    (uintmax_t)h->missing);
	pp_table_free(&h->names, true);
	free(h->done);
	free(h->host);
	free(h);
	return next->finish(next);
}

struct out *
hits_new(struct tool *t, struct lookup *lookup, struct walk *walk, struct out *next)
{
	struct hits *h = tool_alloc(1, sizeof *h);

	*h = (struct hits){ .pub = { .put = put, .finish = finish, .next = next }, .t = t, .lookup = lookup, .all = !walk };
	if (t->in->swap)
		h->elsewhere = "made on a machine of the other byte order";
	if (pp_table_init(&h->names, &t->in_err) < 0) {
		tool_say(t, &t->in_err);
		exit(1);
	}
	if (walk) {
		h->state = walk_state(walk);
		walk_add(walk, &(struct walk_user){ .arg = h, .record = hits_record, .hit = hits_hit });
	}
	return &h->pub;
}

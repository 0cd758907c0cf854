/* SPDX-License-Identifier: ISC */
/* mmap2.c - see mmap2.h. */
#include <stdlib.h>
#include <string.h>

#include "mmap2.h"
#include "make/make.h"
#include "record/raw.h"
#include "set.h"
#include "state/table.h"

PP_PERF_TEXTS(7_2, "the warning about files of one name");

enum {
	KERNEL_LOOK = 16384,		/* maps of the kernel among which one is looked for */
	FORKS = 16,			/* of one time */
	PROT_OF_MMAP = 4,		/* PROT_EXEC: what perf takes for the prot of an MMAP that is not of data */
	NAMES = 8 << 20,		/* bytes of names that are remembered */
	WITH = 1, WITHOUT = 2,		/* an id: maps of a name that were written */
};

struct mapped_name {
	struct link	 link;		/* by hash of the text */
	uint8_t		 maps;		/* WITH, WITHOUT */
	size_t		 len;
	char		 text[];
};

struct kernel_map {			/* an MMAP or MMAP2 of the kernel */
	uint64_t	 start, len;
	struct file_ids_for of;
	struct pp_rec	 rec;		/* a copy, without trailer; NULL raw: it is written */
};

struct mmap2 {
	struct out	 pub;
	struct tool	*t;
	struct file_ids	*ids;
	struct walk	*walk;		/* NULL: all maps */
	bool		(*is_put)(const void *, const struct pp_map *);	/* NULL: no maps are put in */
	const void	*jit;
	bool		 strict;
	bool		 trace;		/* the stream has a hardware trace, whose decoder may need any map */
	struct pp_state	*state;		/* of the walk */
	struct pp_state	*reader;	/* as a reader of the output has it: with the maps that were written */
	struct kernel_map *kernel;	/* in order of time */
	size_t		 nkernel;
	const struct file_ids_for *hit;	/* the map that is being written */
	uint64_t	 hit_time;
	uint64_t	 fork_time;	/* of the last FORKs of processes */
	struct { uint32_t pid, ppid; } fork[FORKS];
	unsigned	 forks;
	uint64_t	 given, late;
	struct table	 names;		/* of files: struct mapped_name */
	size_t		 name_bytes;
	uint64_t	 mixed;		/* names with maps of both kinds */
	char		*mixed_name;	/* the first of them, escaped */
	uint8_t		 buf[PP_RECORD_MAX + 1], id_buf[PP_RECORD_MAX + 1];
};

/* ---- a record with its id -------------------------------------------------------------------------- */

static size_t
mmap2_trailer(const struct mmap2 *m, const struct pp_rec *r)
{
	const struct pp_event *ev = pp_event_find(m->t->in->events, r, NULL);

	return ev && pp_has_trailer(ev, r) ? ev->plan.trailer : 0;
}

/* Make *to of an MMAP or MMAP2 with so many bytes of trailer, and an id.  -1: it would be too long. */
static int
mmap2_make(struct mmap2 *m, struct pp_rec *to, const struct pp_rec *r, size_t trailer, const struct pp_dso *d,
    const struct build_id *id)
{
	bool swap = m->t->in->swap, two = r->type == PP_MMAP2;
	uint8_t file[sizeof(struct pp_raw_map_build_id)] = { (uint8_t)id->len };

	memcpy(file + offsetof(struct pp_raw_map_build_id, id), id->b, id->len);
	return PP_MAKE(to, m->id_buf, sizeof m->id_buf, MMAP2, .swap = swap, .misc = r->misc | PP_MISC_MMAP_BUILD_ID,
	    .pid = PP_RAW_GET(r->raw, MMAP, pid, swap), .tid = PP_RAW_GET(r->raw, MMAP, tid, swap),
	    .start = PP_RAW_GET(r->raw, MMAP, start, swap), .len = PP_RAW_GET(r->raw, MMAP, len, swap),
	    .pgoff = PP_RAW_GET(r->raw, MMAP, pgoff, swap), .inode_or_build_id = { file, sizeof file },
	    .prot = two ? PP_RAW_GET(r->raw, MMAP2, prot, swap) : r->misc & PP_MISC_MMAP_DATA ? 0 : PROT_OF_MMAP,
	    .flags = two ? PP_RAW_GET(r->raw, MMAP2, flags, swap) : 0, .filename = { d->name, d->len },
	    .trailer = { r->raw + r->size - trailer, trailer });
}

/*
 * perf 7.2 compares two files of one name by what both have, their build-ids or their inodes: one with an id and one without are one
 * file for it, so that samples in the second get the names of functions of the first, or lose them.
 */
static void
mmap2_learn_name(struct mmap2 *m, const struct pp_dso *d, uint8_t maps)
{
	uint64_t key = pp_table_hash(&m->names, d->len, (const uint8_t *)d->name, d->len);
	struct mapped_name *n = NULL;

	for (struct link *l = pp_table_first(&m->names, key); l; l = pp_table_next(l)) {
		n = (struct mapped_name *)l;
		if (n->len == d->len && !memcmp(n->text, d->name, d->len))
			break;
		n = NULL;
	}
	if (!n && m->name_bytes + sizeof *n + d->len <= NAMES) {
		n = tool_alloc(1, sizeof *n + d->len);
		m->name_bytes += sizeof *n + d->len;
		n->len = d->len;
		memcpy(n->text, d->name, d->len);
		tool_need(pp_table_add(&m->names, &n->link, key) > 0 ? n : NULL);
	}
	if (!n || n->maps == (WITH | WITHOUT))
		return;
	n->maps |= maps;
	if (n->maps == (WITH | WITHOUT) && !m->mixed++)
		m->mixed_name = tool_vis(n->text, n->len);
}

/* Put a map, with its id if that is known.  of->dso is not used. */
static int
mmap2_put_map(struct mmap2 *m, const struct pp_rec *r, size_t trailer, const struct file_ids_for *of, bool stable)
{
	struct file_ids_for q = *of;
	struct out *next = m->pub.next;
	struct file_ids_found found;
	struct pp_rec with;
	struct pp_dso d;
	bool given;

	pp_dso_get(&d, r, trailer, m->t->in->swap);
	q.dso = &d;
	if (file_ids_is_known(m->ids, &d))
		return next->put(next, m->t->in, r, stable);
	given = !d.id_len && file_ids_get(m->ids, &q, &found) && mmap2_make(m, &with, r, trailer, &d, &found.id) >= 0;
	if (d.name[0] == '/' && d.name[1] != '/' && !walk_is_anonymous(&d))	/* not [vdso], //anon */
		mmap2_learn_name(m, &d, given || d.id_len ? WITH : WITHOUT);
	m->given += given;
	return next->put(next, m->t->in, given ? &with : r, given ? false : stable);
}

/* ---- maps that are hit ----------------------------------------------------------------------------- */

/* 1 ns before the sample, but not late. */
static uint64_t
mmap2_time(struct mmap2 *m)
{
	uint64_t earliest = walk_earliest(m->walk);

	if (!m->hit_time || m->hit_time > earliest)
		return m->hit_time ? m->hit_time - 1 : 0;
	m->late++;
	return earliest;
}

/* A map of a process, as pp_state_write_map() has it: tell our reader, too. */
static int
mmap2_put_hit(void *arg, const struct pp_rec *r)
{
	struct mmap2 *m = arg;
	size_t trailer = mmap2_trailer(m, r);

	if (pp_state_feed(m->reader, r, trailer) < 0)
		return -1;
	return mmap2_put_map(m, r, trailer, m->hit, false);
}

/* Does a reader of the output resolve all addresses of the map as it is done here? */
static bool
mmap2_reader_has(const struct mmap2 *m, uint32_t pid, const struct pp_map *map, const struct pp_dso *d)
{
	const struct pp_map *is = pp_state_map(m->reader, pid, PP_MISC_USER, map->start);
	const struct pp_dso *e;

	if (!is || map->len > is->len - (map->start - is->start) || map->start - is->start != map->pgoff - is->pgoff ||
	    is->data != map->data)
		return false;
	e = pp_state_dso(m->reader, is);
	return e->len == d->len && !memcmp(e->name, d->name, d->len) && e->maj == d->maj && e->min == d->min && e->ino == d->ino &&
	    e->ino_generation == d->ino_generation && e->id_len == d->id_len && !memcmp(e->id, d->id, d->id_len) && e->jit == d->jit;
}

static void
mmap2_learn_fork(struct mmap2 *m, uint64_t time, const struct pp_rec *r)
{
	uint32_t pid = PP_RAW_GET(r->raw, FORK, pid, m->t->in->swap), ppid = PP_RAW_GET(r->raw, FORK, ppid, m->t->in->swap);

	if (pid == ppid)		/* a thread */
		return;
	if (time != m->fork_time)
		m->forks = 0;
	m->fork_time = time;
	if (m->forks < FORKS) {
		m->fork[m->forks].pid = pid;
		m->fork[m->forks++].ppid = ppid;
	}
}

/*
 * For which process is a map 1 ns before the sample?  If the sample has the time of the FORK that made its process, a map of it
 * would be replaced by those of its parent: so the parent gets the map, and the FORK hands it on.
 */
static uint32_t
mmap2_owner(const struct mmap2 *m, const struct walk_hit *hit)
{
	uint32_t pid = hit->pid;

	if (hit->time && hit->time == m->fork_time)
		for (unsigned i = m->forks; i--; )
			if (m->fork[i].pid == pid)
				pid = m->fork[i].ppid;
	return pid;
}

static int	mmap2_hit_process(struct mmap2 *, const struct walk_hit *);

struct mmap2_file { struct mmap2 *m; struct walk_hit hit; };

/* pp_maps_each() */
static int
mmap2_hit_file(void *arg, const struct pp_map *map)
{
	struct mmap2_file *f = arg;
	const struct pp_dso *d = pp_state_dso(f->m->state, map);

	if (map->data || d->jit || d->name[0] != '/' || walk_is_anonymous(d))
		return 1;
	f->hit.map = map;
	return mmap2_hit_process(f->m, &f->hit);
}

/*
 * Both vdsos of a 64-bit machine have one name.  perf tells by the files that a process has mapped before its vdso which one that is:
 * without any, a 32-bit process would have the names of functions of the other.
 */
static int
mmap2_hit_files(struct mmap2 *m, const struct walk_hit *hit)
{
	const struct pp_maps *maps = pp_state_maps(m->state, hit->pid, hit->mode);
	struct mmap2_file f = { .m = m, .hit = *hit };

	return maps ? pp_maps_each(m->state, maps, mmap2_hit_file, &f) : 1;
}

static int
mmap2_hit_process(struct mmap2 *m, const struct walk_hit *hit)
{
	const struct pp_dso *d = pp_state_dso(m->state, hit->map);
	uint32_t owner = mmap2_owner(m, hit);
	uint8_t trailer[PP_TRAILER_MAX];
	struct pp_stamp stamp = { .trailer = trailer };

	if (m->is_put && m->is_put(m->jit, hit->map))	/* in full, with an id that the state does not know yet */
		return 1;
	if (mmap2_reader_has(m, hit->pid, hit->map, d) || mmap2_reader_has(m, owner, hit->map, d))
		return 1;
	if (hit->map->start <= UINT32_MAX && !strcmp(d->name, "[vdso]") && mmap2_hit_files(m, hit) < 0)
		return -1;
	m->hit_time = hit->time;
	m->hit = &(struct file_ids_for){ .dso = d, .mode = hit->mode, .pid = hit->pid, .start = hit->map->start,
	    .end = hit->map->start + hit->map->len, .time = hit->time };
	stamp.len = walk_trailer(m->walk, trailer, owner, owner, mmap2_time(m)).n;
	return pp_state_write_map(m->state, owner, hit->map, &stamp, mmap2_put_hit, m);
}

static struct kernel_map *
mmap2_kernel_find(const struct mmap2 *m, uint64_t addr)
{
	struct kernel_map *k;

	for (size_t i = m->nkernel; i-- && m->nkernel - i <= KERNEL_LOOK; ) {
		k = &m->kernel[i];
		/* perf uses a kernel map without addresses (kptr_restrict) for the whole address space */
		if (addr - k->start < k->len || (!k->start && !k->len))
			return k;
	}
	return NULL;
}

/* Maps of the kernel are neither cut nor copied by a FORK, and only the whole record has its relocation. */
static int
mmap2_hit_kernel(struct mmap2 *m, const struct walk_hit *hit)
{
	struct kernel_map *k = mmap2_kernel_find(m, hit->addr);
	uint8_t trailer[PP_TRAILER_MAX];
	struct pp_text stamp;
	struct pp_rec r;
	int rc;

	if (!k || !k->rec.raw)
		return 1;
	m->hit_time = hit->time;
	stamp = walk_trailer(m->walk, trailer, UINT32_MAX, 0, mmap2_time(m));
	if (k->rec.size + stamp.n > PP_RECORD_MAX)
		return 1;
	r = k->rec;
	r.size = (uint16_t)(r.size + stamp.n);
	memcpy(m->buf, k->rec.raw, k->rec.size);
	memcpy(m->buf + k->rec.size, stamp.p, stamp.n);
	pp_raw_head(m->buf, r.type, r.misc, r.size, m->t->in->swap);
	r.raw = m->buf;
	rc = mmap2_put_map(m, &r, stamp.n, &k->of, false);
	free((void *)k->rec.raw);
	k->rec.raw = NULL;
	return rc;
}

/* walk_user.hit */
static int
mmap2_hit(void *arg, const struct walk_hit *hit)
{
	struct mmap2 *m = arg;

	if (m->trace)
		return 1;
	return hit->mode == PP_MISC_KERNEL ? mmap2_hit_kernel(m, hit) : mmap2_hit_process(m, hit);
}

static void
mmap2_keep_kernel(struct mmap2 *m, const struct pp_rec *r, const struct file_ids_for *of)
{
	size_t trailer = mmap2_trailer(m, r);
	struct kernel_map *k;
	uint8_t *copy;

	m->kernel = tool_need(array_more(m->kernel, m->nkernel, 1, sizeof *m->kernel));
	k = &m->kernel[m->nkernel++];
	copy = tool_alloc(1, r->size);
	memcpy(copy, r->raw, r->size - trailer);
	*k = (struct kernel_map){ .start = of->start, .len = of->end - of->start, .of = *of, .rec = *r };
	k->rec.raw = copy;
	k->rec.size = (uint16_t)(r->size - trailer);
}

/*
 * Is it a map of a process that stays in its place, be it hit or not?  Memory without a file has no id; perf names code in it by
 * the process that mapped it, not by one that a FORK gave it to; and what --jit puts in stands behind such a map.
 */
static bool
mmap2_stays(const struct mmap2 *m, const struct pp_rec *r, const struct pp_dso *d, const struct file_ids_for *of)
{
	return of->mode == PP_MISC_USER && (walk_is_anonymous(d) || pp_map_is_jit(r, d, m->t->in->swap));
}

/* walk_user.record */
static int
mmap2_record(void *arg, uint64_t time, const struct pp_rec *r)
{
	struct mmap2 *m = arg;
	struct file_ids_for of;
	struct pp_dso d;

	if (r->type == PP_FORK)
		mmap2_learn_fork(m, time, r);
	if (r->type != PP_MMAP && r->type != PP_MMAP2)
		return pp_state_feed(m->reader, r, 0);
	pp_dso_get(&d, r, mmap2_trailer(m, r), m->t->in->swap);
	if (!file_ids_of_map(&of, r, &d, m->t->in->swap))
		return 1;
	if (of.mode == PP_MISC_KERNEL)
		mmap2_keep_kernel(m, r, &of);
	else if (mmap2_stays(m, r, &d, &of))
		return pp_state_feed(m->reader, r, 0);
	return 1;
}

/* ---- the stage ------------------------------------------------------------------------------------- */

static int
mmap2_take_map(struct mmap2 *m, const struct pp_rec *r, bool stable)
{
	struct out *next = m->pub.next;
	const struct pp_event *ev;
	struct file_ids_for of;
	struct file_ids_found ignored;
	struct pp_dso d;
	size_t trailer;

	if (pp_check(r, m->t->in->swap, &m->t->in_err) < 0)
		return pp_reject(m->t->in, r);
	trailer = mmap2_trailer(m, r);
	pp_dso_get(&d, r, trailer, m->t->in->swap);
	if (!file_ids_of_map(&of, r, &d, m->t->in->swap) || (m->walk && !walk_passes(m->walk, r)))
		return next->put(next, m->t->in, r, stable);
	if (d.id_len)
		file_ids_kept(m->ids, &d, d.id, d.id_len);
	ev = pp_event_find(m->t->in->events, r, NULL);
	if (!ev || !pp_time(ev, r, m->t->in->swap, &of.time))
		of.time = 0;
	if (!m->walk || m->trace || mmap2_stays(m, r, &d, &of))
		return mmap2_put_map(m, r, trailer, &of, stable);
	if (!d.id_len)				/* the file may be gone when a sample hits its map */
		file_ids_get(m->ids, &of, &ignored);
	return 1;
}

static int
mmap2_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct mmap2 *m = (struct mmap2 *)o;

	switch (r->type) {
	case PP_MMAP:
	case PP_MMAP2:
		return mmap2_take_map(m, r, stable);
	case PP_AUXTRACE_INFO:
		if (m->walk && !m->trace)
			tool_warn(m->t, "all maps are kept, because a decoder of the hardware trace may need any");
		m->trace = true;
		break;
	case PP_HEADER_BUILD_ID:
		if (pp_check(r, in->swap, &m->t->in_err) < 0)
			return pp_reject(in, r);
		file_ids_known(m->ids, r);
		break;
	}
	return o->next->put(o->next, in, r, stable);
}

static int
mmap2_finish(struct out *o)
{
	struct mmap2 *m = (struct mmap2 *)o;
	struct out *next = o->next;

	file_ids_report(m->ids, m->given, m->strict);
	if (m->mixed)
		tool_warn(m->t, "%ju names are of maps with a build-id and of maps without one: perf 7.2 takes these for one file, with the names "
		    "of its functions. The first is '%.400s'", (uintmax_t)m->mixed, m->mixed_name);
	if (m->late)
		tool_note(m->t, "%ju maps could only be put in behind a sample that hits them: that was late", (uintmax_t)m->late);
	file_ids_free(m->ids);
	pp_table_free(&m->names, true);
	free(m->mixed_name);
	pp_state_free(m->reader);
	for (size_t i = 0; i < m->nkernel; i++)
		free((void *)m->kernel[i].rec.raw);
	free(m->kernel);
	free(m);
	return next->finish(next);
}

struct out *
mmap2_new(struct tool *t, struct lookup *lookup, struct walk *walk, bool (*is_put)(const void *jit, const struct pp_map *),
    const void *jit, bool strict, struct out *next)
{
	struct mmap2 *m = tool_alloc(1, sizeof *m);

	m->pub = (struct out){ .put = mmap2_put, .finish = mmap2_finish, .next = next, .idle = true };
	m->t = t;
	m->ids = file_ids_new(t, lookup);
	pp_table_init(&m->names);
	m->walk = walk;
	m->is_put = is_put;
	m->jit = jit;
	m->strict = strict;
	if (!walk)
		return &m->pub;
	m->state = walk_state(walk);
	if (!(m->reader = pp_state_new(t->in->swap, &t->in_err))) {
		tool_say(t, &t->in_err);
		exit(1);
	}
	pp_state_free_files(m->reader);
	walk_add(walk, &(struct walk_user){ .arg = m, .record = mmap2_record, .hit = mmap2_hit, .by_process = true,
	    .data = true });
	return &m->pub;
}

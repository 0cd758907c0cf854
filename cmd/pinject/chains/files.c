/* SPDX-License-Identifier: ISC */
/* files.c - see files.h */
#include <sys/auxv.h>
#include <sys/stat.h>

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "lookup/unused.h"
#include "make/build_id.h"
#include "record/raw.h"
#include "set.h"
#include "state/table.h"

enum {
	OPEN = 256,			/* files at a time */
	REMEMBERED = 65536,
	TRIES = 8,			/* processes in whose name a file is looked up */
	CHANGES = 64,			/* of a file, each of which may cost all the work that tables may take (UNWIND_WORK) */
	NAME_LIMIT = 4096,		/* PATH_MAX */
};

struct file {
	struct link	 link;		/* by hash of key and name */
	struct file_key { uint64_t ino, generation; uint32_t maj, min; uint8_t id[24]; } key;	/* id: its bytes, then their number */
	struct unwind_file *tables;	/* NULL: it is not open */
	struct lookup_seen seen;	/* of the answer; its descriptor is that of `tables' */
	struct timespec	 written;	/* its mtime when it was opened */
	off_t		 size;
	uint64_t	 round;		/* in which it was last found unchanged */
	uint64_t	 used;		/* by that sample last */
	uint64_t	 learned;	/* so many BUILD_IDs were known at the last try */
	uint32_t	 pid;		/* of the last try */
	uint8_t		 tries, changes;
	bool		 bare;		/* it is the right one, and has no tables, or such as are not used any more */
	bool		 said;		/* that it is not used */
	bool		 noted;		/* whether it has tables */
	uint32_t	 len;
	char		 name[];
};

struct named {				/* by a BUILD_ID */
	struct link	 link;		/* by hash of the name */
	struct build_id	 id;
	uint32_t	 len;
	char		 name[];
};

struct files {
	struct tool	*t;
	struct lookup	*lookup;
	struct unwinder	*unwinder;
	struct table	 all;		/* struct file */
	struct table	 named;		/* struct named */
	uint64_t	 learned;	/* how many times an id was */
	struct file	**by_dso;	/* by index of pp_dso; NULL: not looked at yet */
	size_t		 ndsos;
	struct file	*memory;	/* stands for what is no file */
	struct file	*open[OPEN];
	unsigned	 nopen;
	uint64_t	 round, sample;
	struct build_id	 kernel;	/* of the recording's; len 0: unknown */
	bool		 vdso_asked;
	struct unwind_file *vdso;
	struct unused	 unused;
	uint64_t	 doubts;	/* files that may have been changed; */
	const struct file *doubtful;	/* the first of them */
	uint64_t	 elsewhere;	/* files that are not used, as the recording was made elsewhere */
	const char	*why_elsewhere;
};

/* ---- names that have an id in the stream ------------------------------------------------------------------- */

static uint64_t
named_key(const struct files *f, const char *name, size_t n)
{
	return pp_table_hash(&f->named, n, (const uint8_t *)name, n);
}

static struct named *
named_find(const struct files *f, const char *name, size_t n)
{
	for (struct link *l = pp_table_first(&f->named, named_key(f, name, n)); l; l = pp_table_next(l)) {
		struct named *k = (struct named *)l;

		if (k->len == n && !memcmp(k->name, name, n))
			return k;
	}
	return NULL;
}

static bool
is_kernel(const struct build_id_of *of)
{
	static const char name[] = "[kernel.kallsyms]";

	return of->nname == sizeof name - 1 && !memcmp(of->name, name, of->nname);
}

static void
files_learn_id(struct files *f, const struct build_id_of *of)
{
	struct named *k = named_find(f, of->name, of->nname);

	if (!k && f->named.n < REMEMBERED) {
		k = tool_alloc(1, sizeof *k + of->nname);
		k->len = (uint32_t)of->nname;
		memcpy(k->name, of->name, of->nname);
		if (pp_table_add(&f->named, &k->link, named_key(f, of->name, of->nname)) < 0)
			tool_no_memory();
	}
	if (!k || (k->id.len == of->nid && !memcmp(k->id.b, of->id, of->nid)))
		return;
	k->id = (struct build_id){ .len = of->nid };
	memcpy(k->id.b, of->id, of->nid);
	f->learned++;
}

void
files_build_id(struct files *f, const struct pp_rec *r)
{
	struct build_id_of of;

	if (!build_id_get(&of, r) || of.nid > BUILD_ID_MAX)
		return;
	if (!is_kernel(&of)) {
		files_learn_id(f, &of);
	} else if (!f->kernel.len) {
		f->kernel.len = of.nid;
		memcpy(f->kernel.b, of.id, of.nid);
	}
}

/* ---- open files -------------------------------------------------------------------------------------------- */

static void
file_say(struct files *f, struct file *file, const char *why)
{
	if (!file->said)
		unused_say(&f->unused, file->name, file->len, why);
	file->said = true;
}

static void
file_close(struct files *f, struct file *file)
{
	const char *trouble = file->tables ? unwind_file_trouble(file->tables) : NULL;

	if (trouble) {
		file_say(f, file, trouble);
		file->bare = true;
	}
	unwind_file_close(file->tables);
	file->tables = NULL;
	file->seen.watch = -1;
	file->tries = 0;
	for (unsigned i = 0; i < f->nopen; i++)
		if (f->open[i] == file)
			f->open[i] = f->open[--f->nopen];
}

/* May one more be opened?  Then close the one whose use is longest ago, but none that the sample has whose turn it is. */
static bool
files_make_space(struct files *f)
{
	struct file *old = f->open[0];

	if (f->nopen < OPEN)
		return true;
	for (unsigned i = 1; i < f->nopen; i++)
		if (f->open[i]->used < old->used)
			old = f->open[i];
	if (old->used == f->sample)
		return false;
	file_close(f, old);
	return true;
}

static void
file_open(struct files *f, struct file *file, const struct lookup_found *found)
{
	struct stat st;
	const char *why;

	if (!files_make_space(f)) {
		close(found->fd);
		file->seen.watch = -1;
		file->tries = 0;
		return;
	}
	why = "it cannot be read";
	if (fstat(found->fd, &st) == 0 && (file->tables = unwind_file_open(f->unwinder, found->fd, &why))) {
		file->seen.watch = found->fd;
		file->written = st.st_mtim;
		file->size = st.st_size;
		f->open[f->nopen++] = file;
		if (unwind_file_bare(file->tables) && !file->noted)
			tool_note(f->t, "'%s' has no tables to unwind by", file->name);
		file->noted = true;
		return;
	}
	close(found->fd);
	file->seen.watch = -1;
	file->bare = true;
	tool_note(f->t, "'%s' has no tables to unwind by: %s", file->name, why);
}

/* A program may be in memory alone, as those of container runtimes: memfd_create(2). */
static bool
is_memfd(const char *name)
{
	return !strncmp(name, "/memfd:", 7);
}

/* It is missing, or refused. */
static void
file_none(struct files *f, struct file *file, const char *why)
{
	const struct lookup *l = f->lookup;

	if (file->said || is_memfd(file->name))
		return;
	if ((l->elsewhere && !strcmp(why, l->elsewhere)) || (l->fd < 0 && l->ended && !strcmp(why, l->ended))) {
		f->elsewhere++;
		f->why_elsewhere = why;
		file->said = true;
	} else {
		file_say(f, file, why);
	}
}

/*
 * A file with several names gets another ctime when it gets one more, so that it is taken for unchanged by its mtime (lookup/same.c), which
 * programs that copy files may set as they like.  Say so, unless an id proves the file: its chains may be wrong.
 */
static void
file_doubt(struct files *f, const struct file *file, const struct lookup_for *ask)
{
	struct lookup_seen seen = file->seen;
	struct stat st;

	if (!seen.changed || ask->dso->id_len || fstat(seen.watch, &st) < 0 || st.st_nlink < 2)
		return;
	seen.changed = lookup_ns(&st.st_ctim);
	if (lookup_holds(f->lookup, ask, &seen) != LOOKUP_CHANGED)
		return;
	tool_note(f->t, "'%s' got another name or other contents after it was mapped; it is used, as its mtime is older", file->name);
	if (!f->doubts++)
		f->doubtful = file;
}

/* With the id by a BUILD_ID, if the map has none. */
static void
file_look(struct files *f, struct file *file, struct lookup_for ask)
{
	const struct named *named = ask.dso->id_len ? NULL : named_find(f, ask.dso->name, ask.dso->len);
	struct pp_dso with = *ask.dso;
	uint64_t now = lookup_now();
	struct lookup_found found;
	int rc;

	if (named) {
		with.id_len = (uint8_t)named->id.len;
		memcpy(with.id, named->id.b, sizeof with.id);
		ask.dso = &with;
	}
	file->pid = ask.pid;
	file->learned = f->learned;
	file->tries += file->tries < TRIES;
	file->bare = false;
	rc = lookup_file(f->lookup, &ask, true, &found);
	if (rc > 0 && found.fd < 0) {
		rc = 0;
		found.why = "no file here is known to have the build-id of --known-build-ids";
	}
	file->seen = lookup_seen(f->lookup, now, &found);
	found.fd = file->seen.watch;
	if (rc > 0)
		file_open(f, file, &found);
	else
		file_none(f, file, found.why);
	if (file->tables)
		file_doubt(f, file, &ask);
}

/* May another try find it: in the name of another process, with an id that was not known, or at a time since it was changed? */
static bool
file_again(const struct files *f, struct file *file, const struct lookup_for *ask)
{
	return !file->bare && (!file->tries || file->learned != f->learned ||
	    (file->name[0] == '/' && file->pid != ask->pid && file->tries < TRIES) ||
	    (file->seen.changed && lookup_holds(f->lookup, ask, &file->seen) != LOOKUP_CHANGED));
}

/*
 * May the tables still be used at that time?  The file must not have been written to.  If its ctime is another one, it may only have lost
 * its name, or got one more: then its mtime says when it was written, as in lookup/same.c.
 */
static bool
file_holds(const struct files *f, struct file *file, const struct lookup_for *ask)
{
	enum lookup_holds holds = lookup_holds(f->lookup, ask, &file->seen);
	struct stat st;

	return fstat(file->seen.watch, &st) == 0 && st.st_size == file->size && st.st_mtim.tv_sec == file->written.tv_sec &&
	    st.st_mtim.tv_nsec == file->written.tv_nsec && (holds == LOOKUP_HOLDS || (holds == LOOKUP_AGAIN && st.st_nlink != 1));
}

static void
file_renew(struct files *f, struct file *file, const struct pp_dso *d, const struct files_for *q)
{
	struct lookup_for ask = { .kind = LOOKUP_TABLES, .dso = d, .pid = q->pid, .start = q->start, .end = q->end, .time = q->time };

	if (file->tables && !file_holds(f, file, &ask)) {
		file_close(f, file);
		if (++file->changes > CHANGES) {
			file_say(f, file, "is changed again and again");
			file->bare = true;
		}
	}
	if (!file->tables && file_again(f, file, &ask))
		file_look(f, file, ask);
	file->round = f->round;
}

/* ---- the vdso ---------------------------------------------------------------------------------------------- */

/* Is the running kernel that of the recording? */
static bool
vdso_is_of_kernel(struct files *f)
{
	static const struct pp_dso kernel = { .name = "[kernel.kallsyms]", .len = 17 };
	struct lookup_found found;

	return lookup_file(f->lookup, &(struct lookup_for){ .kind = LOOKUP_KERNEL, .dso = &kernel }, true, &found) > 0 &&
	    found.id.len == f->kernel.len && !memcmp(found.id.b, f->kernel.b, found.id.len);
}

/* Is no file of this machine one of the recording, or none of the kernel? */
static bool
files_are_elsewhere(const struct files *f)
{
	return f->lookup->elsewhere || f->lookup->other_release || f->lookup->fd < 0;
}

/* Is the vdso of this process that of the recording's?  If the recording has the id of its kernel, this says so. */
static bool
vdso_is_ours(struct files *f, const struct pp_dso *d, const struct files_for *q)
{
	struct lookup_found found;

	if (files_are_elsewhere(f))
		return false;
	if (f->kernel.len)
		return vdso_is_of_kernel(f);
	return lookup_file(f->lookup, &(struct lookup_for){ .kind = LOOKUP_VDSO, .dso = d, .pid = q->pid, .start = q->start, .end = q->end,
	    .time = q->time }, true, &found) > 0 && !found.listed;
}

static struct unwind_file *
files_vdso(struct files *f, const struct pp_dso *d, const struct files_for *q)
{
	const void *image = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *eh = image;
	const char *why;

	if (f->vdso_asked)
		return f->vdso;
	f->vdso_asked = true;
	if (!image || !vdso_is_ours(f, d, q)) {
		if (!f->lookup->elsewhere && f->lookup->fd >= 0)	/* else a warning says so of all files */
			tool_warn(f->t, "'[vdso]' is not used: the recording is of another kernel than this one, or may be");
	} else if (!(f->vdso = unwind_file_memory(f->unwinder, image, eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize, &why))) {
		tool_note(f->t, "'[vdso]' has no tables to unwind by: %s", why);
	}
	return f->vdso;
}

/* ---- for the stage ----------------------------------------------------------------------------------------- */

/* Made if absent. */
static struct file *
file_of(struct files *f, const struct pp_dso *d)
{
	struct file_key key = { .ino = d->ino, .generation = d->ino_generation, .maj = d->maj, .min = d->min };
	struct file *file;
	uint64_t hash;

	if ((lookup_is_memory(d) && !d->id_len && !is_memfd(d->name)) || d->len >= NAME_LIMIT)
		return f->memory;
	memcpy(key.id, d->id, sizeof d->id);
	key.id[sizeof key.id - 1] = d->id_len;
	hash = pp_table_hash(&f->all, d->len, (const uint8_t *)&key, sizeof key);
	hash = pp_table_hash(&f->all, hash, (const uint8_t *)d->name, d->len);
	for (struct link *l = pp_table_first(&f->all, hash); l; l = pp_table_next(l)) {
		file = (struct file *)l;
		if (file->len == d->len && !memcmp(&file->key, &key, sizeof key) && !memcmp(file->name, d->name, d->len))
			return file;
	}
	if (f->all.n == REMEMBERED)
		return f->memory;
	file = tool_alloc(1, sizeof *file + d->len + 1);
	file->key = key;
	file->len = d->len;
	file->seen.watch = -1;
	memcpy(file->name, d->name, d->len);
	if (pp_table_add(&f->all, &file->link, hash) < 0)
		tool_no_memory();
	return file;
}

struct unwind_file *
files_get(struct files *f, const struct pp_dso *d, const struct files_for *q)
{
	struct file *file;

	f->by_dso = tool_need(array_reach(f->by_dso, &f->ndsos, d->index, sizeof *f->by_dso));
	if (!(file = f->by_dso[d->index]))
		file = f->by_dso[d->index] = file_of(f, d);
	if (file == f->memory)
		return NULL;
	if (!strcmp(file->name, "[vdso]"))
		return q->start > UINT32_MAX ? files_vdso(f, d, q) : NULL;
	file->used = f->sample;
	if (!file->tables || file->round != f->round)
		file_renew(f, file, d, q);
	return file->tables;
}

void
files_map(struct files *f, const struct pp_rec *r, uint64_t time)
{
	struct files_for q = { .time = time };
	struct pp_dso d;
	struct file *file;

	if ((r->misc & PP_MISC_CPUMODE_MASK) == PP_MISC_KERNEL)
		files_build_id(f, r);
	if (!f->lookup->live || !time || r->misc & PP_MISC_MMAP_DATA || (r->misc & PP_MISC_CPUMODE_MASK) != PP_MISC_USER)
		return;
	pp_dso_get(&d, r, 0, false);
	file = file_of(f, &d);
	q.pid = PP_RAW_GET(r->raw, MMAP, pid, false);
	q.start = PP_RAW_GET(r->raw, MMAP, start, false);
	q.end = q.start + PP_RAW_GET(r->raw, MMAP, len, false);
	if (file != f->memory && file->name[0] == '/' && !file->tries) {
		file->used = f->sample;
		file_renew(f, file, &d, &q);
	}
}

void
files_sample(struct files *f)
{
	f->sample++;
}

void
files_round(struct files *f)
{
	f->round++;
}

uint64_t
files_refused(const struct files *f)
{
	return f->unused.n + f->elsewhere;
}

void
files_report(struct files *f)
{
	while (f->nopen)
		file_close(f, f->open[0]);
	unused_end(&f->unused);
	f->t->failed |= (f->elsewhere || f->doubts) && f->unused.strict;
	if (f->doubts)
		tool_warn(f->t, "%ju files got another name or other contents after they were mapped, such as '%s'; they are used, as their mtime is "
		    "older", (uintmax_t)f->doubts, f->doubtful->name);
	if (f->elsewhere)
		tool_warn(f->t, "%ju files are not used to unwind: %s%s%s", (uintmax_t)f->elsewhere,
		    f->lookup->elsewhere ? "the recording was " : "", f->why_elsewhere, f->lookup->elsewhere ? "; --unwind-files takes others, "
		    "by their build-ids" : "");
}

struct files *
files_new(struct tool *t, struct lookup *lookup, bool strict)
{
	struct files *f = tool_alloc(1, sizeof *f);

	*f = (struct files){ .t = t, .lookup = lookup, .round = 1, .unused = { t, "files to unwind by", strict, 0 } };
	f->memory = tool_alloc(1, sizeof *f->memory);
	pp_table_init(&f->all);
	pp_table_init(&f->named);
	return f;
}

void
files_unwinder(struct files *f, struct unwinder *u)
{
	f->unwinder = u;
}

void
files_free(struct files *f)
{
	while (f->nopen)
		file_close(f, f->open[0]);
	unwind_file_close(f->vdso);
	pp_table_free(&f->all, true);
	pp_table_free(&f->named, true);
	free(f->by_dso);
	free(f->memory);
	free(f);
}

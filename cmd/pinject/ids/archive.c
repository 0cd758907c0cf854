/* SPDX-License-Identifier: ISC */
/* archive.c - see archive.h */
#include <sys/auxv.h>

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive.h"
#include "file_ids.h"
#include "lookup/unused.h"
#include "set.h"

enum {
	WAITING = 128,			/* files that are open */
	HITS = 1 << 20,			/* offsets in all of them, each of which takes some 30 bytes */
	NAMED_MAX = 65536,		/* files whose debug information is looked for */
	KALLSYMS_LOOK = 1 << 20,	/* bytes of /proc/kallsyms, at the beginning of which the kernel's first symbol is */
};

struct copy {
	struct build_id	 id;
	int		 fd;
	struct stat	 then;		/* when it was opened */
	char		*name;
	const char	*kind;		/* in the store */
	struct set	 seen;		/* with STORE_HITS: of hit[] */
	uint64_t	*hit;		/* offsets in the file, each once */
	uint32_t	 hits;
	bool		 all;		/* not of hits alone: there were too many, or it could not wait for all */
};

struct archive {
	struct out	 pub;
	struct tool	*t;
	struct lookup	*lookup;
	struct store	*store;
	struct file_ids	*ids;
	struct pp_state	*state;		/* of the walk; NULL: all maps */
	const struct pp_events *events;	/* of the stream at this stage */
	struct archive_opt opt;
	struct maker	*maker;		/* NULL: STORE_WHOLE */
	uint64_t	 bytes;		/* of all that was copied, or is whole and waits */
	struct copy	 waiting[WAITING];	/* from `first' on, in a circle */
	unsigned	 first, n, last;	/* last: the one that was hit last */
	size_t		 hits;		/* of those that wait */
	struct build_id	*named;		/* of the files that were copied */
	size_t		 nnamed;
	uint64_t	 copied, large;
	uint64_t	 large_bytes;
	struct unused	 unused;
};

static void
archive_without(struct archive *a, const char *name, const char *why)
{
	unused_say(&a->unused, name, strlen(name), why);
}

/* ---- what copies need ---------------------------------------------------------------------------- */

/* Does it fit?  Then it is counted. */
static bool
archive_has_space(struct archive *a, const char *name, uint64_t size)
{
	if (size <= a->opt.limit - a->bytes) {
		a->bytes += size;
		return true;
	}
	archive_without(a, name, "all copies would exceed --archive=SIZE");
	a->large++;
	a->large_bytes += size;
	return false;
}

static bool
is_same_id(const struct build_id *x, const struct build_id *y)
{
	return x->len == y->len && !memcmp(x->b, y->b, x->len);
}

/* The file that waits with that id; NULL: none. */
static struct copy *
archive_waiting(struct archive *a, const struct build_id *id)
{
	for (unsigned i = 0; i < a->n; i++) {
		unsigned at = (a->last + i) % a->n;
		struct copy *c = &a->waiting[(a->first + at) % WAITING];

		if (is_same_id(&c->id, id)) {
			a->last = at;
			return c;
		}
	}
	return NULL;
}

/* A separate debug file of that path and id; -1: there is none. */
static int
archive_open_debug(struct archive *a, const char *name, const struct build_id *id)
{
	struct pp_dso dso = { .name = name, .len = (uint32_t)strlen(name) };
	struct lookup_found found;

	if (lookup_file(a->lookup, &(struct lookup_for){ .kind = LOOKUP_DEBUG, .dso = &dso }, true, &found) <= 0) {
		if (found.there)
			archive_without(a, name, found.why);
		return -1;
	}
	if (is_same_id(&found.id, id))
		return found.fd;
	close(found.fd);
	return -1;
}

/* Where distributions have it (gdb's documentation, "Debugging Information in Separate Files"). */
static void
archive_debug_name(char name[PATH_MAX], const struct build_id *id)
{
	char hex[2 * BUILD_ID_MAX + 1];

	tool_hex(hex, id->b, id->len);
	snprintf(name, PATH_MAX, "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
}

/* ---- functions of files -------------------------------------------------------------------------- */

/* The debug file that the file itself names: beside it, or in the same directory below another one. */
static int
archive_open_linked(struct archive *a, const struct copy *c, const char *link, char name[PATH_MAX])
{
	static const char *const places[][2] = { { "", "" }, { "", ".debug/" }, { "/usr/lib/debug", "" } };
	const char *slash = strrchr(c->name, '/');
	int fd = -1, dir = slash ? (int)(slash + 1 - c->name) : 0;

	for (size_t i = 0; dir && fd < 0 && i < sizeof places / sizeof *places; i++)
		if (snprintf(name, PATH_MAX, "%s%.*s%s%s", places[i][0], dir, c->name, places[i][1], link) < PATH_MAX &&
		    strcmp(name, c->name))
			fd = archive_open_debug(a, name, &c->id);
	return fd;
}

/* With the functions of a debug file, if there is one: *debug has its name. */
static bool
archive_make(struct archive *a, struct copy *c, struct maker_file *made, char debug[PATH_MAX])
{
	struct symbol_hits hits = { c->hit, c->hits };
	struct maker_for q = { .fd = c->fd, .debug = -1, .id = &c->id, .grade = c->all ? STORE_SYMBOLS : a->opt.grade,
	    .hits = &hits };
	bool rc;

	archive_debug_name(debug, &c->id);
	q.debug = archive_open_debug(a, debug, &c->id);
	rc = maker_make(a->maker, &q, made);
	if (rc && q.debug < 0 && *made->debuglink && (q.debug = archive_open_linked(a, c, made->debuglink, debug)) >= 0) {
		free(made->bytes);
		rc = maker_make(a->maker, &q, made);
	}
	if (q.debug >= 0)
		close(q.debug);
	return rc;
}

static void
archive_symbols(struct archive *a, struct copy *c)
{
	struct maker_file made;
	char debug[PATH_MAX];
	const char *why;

	if (!archive_make(a, c, &made, debug)) {
		archive_without(a, c->name, made.why);
	} else {
		if (*made.why)
			archive_without(a, debug, made.why);
		if (!store_is_unchanged(c->fd, &c->then, &why))
			archive_without(a, c->name, why);
		else if (archive_has_space(a, c->name, made.n) && store_put(a->store, &c->id, c->kind, made.bytes, made.n))
			a->copied++;
		free(made.bytes);
	}
}

/* ---- copies -------------------------------------------------------------------------------------- */

static void
archive_forget_hits(struct archive *a, struct copy *c)
{
	a->hits -= c->hits;
	set_free(&c->seen);
	free(c->hit);
	c->hit = NULL;
	c->hits = 0;
	set_init(&c->seen);
}

/* Copy the file that has waited longest. */
static void
archive_copy_first(struct archive *a)
{
	struct copy *c = &a->waiting[a->first];
	const char *why;

	if (a->maker)
		archive_symbols(a, c);
	else if (store_copy(a->store, &c->id, c->kind, c->fd, &c->then, &why))
		a->copied++;
	else if (why)
		archive_without(a, c->name, why);
	close(c->fd);
	free(c->name);
	archive_forget_hits(a, c);
	a->first = (a->first + 1) % WAITING;
	a->n--;
}

static void
archive_file(struct archive *a, const struct pp_dso *dso, const struct build_id *id, const char *kind, int fd)
{
	struct copy c = { .id = *id, .fd = fd, .name = tool_alloc(1, dso->len + 1), .kind = kind };

	memcpy(c.name, dso->name, dso->len);
	set_init(&c.seen);
	if (a->maker && archive_waiting(a, id)) {
		;					/* under another name */
	} else if (store_has(a->store, id, kind) >= a->opt.grade) {
		a->copied++;
	} else if (fstat(fd, &c.then) < 0) {
		archive_without(a, c.name, strerror(errno));
	} else if (a->maker || archive_has_space(a, c.name, (uint64_t)c.then.st_size)) {
		if (a->n == WAITING) {
			a->waiting[a->first].all = true;	/* who knows what will be hit */
			archive_copy_first(a);
		}
		a->waiting[(a->first + a->n++) % WAITING] = c;
		return;
	}
	close(fd);
	free(c.name);
}

/* The debug information of the file will be looked for at the end: it is of less use than another file. */
static void
archive_name(struct archive *a, const struct build_id *id)
{
	if (a->nnamed == NAMED_MAX)
		return;
	a->named = tool_need(array_more(a->named, a->nnamed, 1, sizeof *a->named));
	a->named[a->nnamed++] = *id;
}

static void
archive_debug(struct archive *a, const struct build_id *id)
{
	char name[PATH_MAX];
	struct pp_dso dso = { .name = name };
	int fd;

	if (id->len < 2 || store_has(a->store, id, "debug"))
		return;
	archive_debug_name(name, id);
	dso.len = (uint32_t)strlen(name);
	if ((fd = archive_open_debug(a, name, id)) >= 0)
		archive_file(a, &dso, id, "debug", fd);
}

/* The vdso of this process, if it is the one: the others' cannot be read. */
static void
archive_vdso(struct archive *a, const struct build_id *id)
{
	const uint8_t *image = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *eh = (const void *)image;
	struct build_id own;
	size_t n;

	if (!image || !buildid_vdso_own(&own) || !is_same_id(&own, id)) {
		archive_without(a, "[vdso]", "it is not that of this process, and those of others cannot be read");
		return;
	}
	n = eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize;	/* they are its end */
	if (!store_has(a->store, id, "vdso") && archive_has_space(a, "[vdso]", n))
		store_put(a->store, id, "vdso", image, n);
}

/*
 * Where the kernel begins, as 16 digits: the address of _text, or else _stext.  false: the file has no addresses for this user.
 * The first symbols of some kernels are offsets of the data of a CPU.
 */
static bool
archive_kernel_address(int kallsyms, char to[17])
{
	static char text[KALLSYMS_LOOK + 1];
	ssize_t n = 0, got;
	char *at;

	while (n < KALLSYMS_LOOK && (got = pread(kallsyms, text + n, (size_t)(KALLSYMS_LOOK - n), n)) > 0)
		n += got;
	text[n] = 0;
	if (!(at = strstr(text, " T _text\n")) && !(at = strstr(text, " T _stext\n")))
		return false;
	while (at > text && at[-1] != '\n')
		at--;
	snprintf(to, 17, "%.16s", at);
	return strspn(to, "0123456789abcdef") == 16 && strspn(to, "0") < 16;
}

/* Symbols of the kernel: the running one, whose id this is. */
static void
archive_kallsyms(struct archive *a, const struct build_id *id)
{
	static const char name[] = "/proc/kallsyms";
	struct lookup_found found = { .fd = -1 }, modules = { .fd = -1 };
	const char *why = NULL;
	char address[17];

	if (lookup_file(a->lookup, &(struct lookup_for){ .kind = LOOKUP_KALLSYMS }, true, &found) <= 0) {
		archive_without(a, name, found.why);
		return;
	}
	errno = 0;
	if (!archive_kernel_address(found.fd, address)) {
		why = errno ? strerror(errno) : "it has no addresses for this user (sysctl kernel.kptr_restrict)";
	} else if (!store_has_kernel(a->store, id, address)) {
		lookup_file(a->lookup, &(struct lookup_for){ .kind = LOOKUP_MODULES }, true, &modules);
		store_kernel(a->store, id, address, found.fd, modules.fd, &why);
		if (modules.fd >= 0)
			close(modules.fd);
	}
	if (why)
		archive_without(a, name, why);
	close(found.fd);
}

void
archive_take(struct archive *a, const struct lookup_for *q, const struct lookup_found *found)
{
	switch (found->listed ? LOOKUP_FILE : q->kind) {
	case LOOKUP_KERNEL:
		archive_kallsyms(a, &found->id);
		break;
	case LOOKUP_VDSO:
		archive_vdso(a, &found->id);
		break;
	default:
		if (found->fd >= 0) {
			if (!a->maker)
				archive_name(a, &found->id);
			archive_file(a, q->dso, &found->id, "elf", found->fd);
			return;
		}
		archive_none(a, q->dso, found->listed ? "no file here is known to have the build-id of --known-build-ids" :
		    "no file here has its build-id, or it is compressed");	/* a module */
	}
	if (found->fd >= 0)
		close(found->fd);
}

void
archive_none(struct archive *a, const struct pp_dso *dso, const char *why)
{
	unused_say(&a->unused, dso->name, dso->len, why);
}

/* ---- the stage ------------------------------------------------------------------------------------ */

static struct build_id
archive_need(struct archive *a, const struct file_ids_for *file)
{
	struct file_ids_found found;

	file_ids_get(a->ids, file, &found);
	return found.id;
}

/* A byte of the file with that id was hit. */
static void
archive_hit_at(struct archive *a, const struct build_id *id, uint64_t offset)
{
	struct copy *c = archive_waiting(a, id);
	uint64_t hash, at = 0;
	uint32_t i;

	if (!c || c->all)
		return;
	hash = set_hash(&c->seen, offset);
	while ((i = set_next(&c->seen, hash, &at)))
		if (c->hit[i - 1] == offset)
			return;
	if (a->hits == HITS) {			/* all of its functions, then */
		c->all = true;
		archive_forget_hits(a, c);
		return;
	}
	c->hit = tool_need(array_more(c->hit, c->hits, 1, sizeof *c->hit));
	c->hit[c->hits++] = offset;
	a->hits++;
	if (set_add(&c->seen, hash, c->hits) < 0)
		tool_no_memory();
}

static int
archive_hit(void *arg, const struct walk_hit *hit)
{
	struct archive *a = arg;
	const struct pp_map *m = hit->map;
	struct build_id id = archive_need(a, &(struct file_ids_for){ .dso = pp_state_dso(a->state, m), .mode = hit->mode,
	    .pid = hit->pid, .start = m->start, .end = m->start + m->len, .time = hit->time });

	if (a->opt.grade == STORE_HITS && id.len)
		archive_hit_at(a, &id, hit->addr - m->start + m->pgoff);
	return 1;
}

static int
archive_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct archive *a = (struct archive *)o;
	const struct pp_event *ev;
	struct file_ids_for file;
	struct pp_dso dso;

	if (!a->state && (r->type == PP_MMAP || r->type == PP_MMAP2)) {
		if (pp_check(r, in->swap, &a->t->in_err) < 0)
			return pp_reject(in, r);
		pp_dso_get(&dso, r, 0, in->swap);
		if (file_ids_of_map(&file, r, &dso, in->swap)) {
			ev = pp_event_find(in->events, r, NULL);
			if (!ev || !pp_time(ev, r, in->swap, &file.time))
				file.time = 0;
			archive_need(a, &file);
		}
	}
	return o->next->put(o->next, in, r, stable);
}

static bool
archive_has_stacks(const struct archive *a)
{
	const struct pp_events *e = a->events;

	for (unsigned i = 0; i < e->n; i++)
		if (e->ev[i]->attr.sample_type & PP_SAMPLE_STACK_USER)
			return true;
	return false;
}

static int
archive_finish(struct out *o)
{
	struct archive *a = (struct archive *)o;

	file_ids_free(a->ids);
	if (a->maker && archive_has_stacks(a))
		tool_warn(a->t, "samples have copies of stacks; to unwind them perf needs whole files: --archive; or unwind them here: --unwind");
	return o->next->finish(o->next);
}

struct archive *
archive_new(struct tool *t, struct lookup *lookup, struct store *store, const struct archive_opt *opt)
{
	struct archive *a = tool_alloc(1, sizeof *a);

	*a = (struct archive){ .t = t, .lookup = lookup, .store = store, .opt = *opt,
	    .unused = { t, "files of --archive", opt->strict, 0 } };
	if (opt->grade == STORE_HITS && !store_was_empty(store))
		tool_wrong(t, "--archive=hits: the directory of --buildid-dir has other files; it needs one of its own");
	if (opt->grade < STORE_WHOLE)
		a->maker = maker_start(t);
	return a;
}

struct out *
archive_stage(struct archive *a, struct walk *walk, const struct pp_events *events, struct out *next)
{
	a->pub = (struct out){ .put = archive_put, .finish = archive_finish, .next = next };
	a->events = events;
	a->ids = file_ids_new(a->t, a->lookup);
	file_ids_archive(a->ids, a);
	if (walk) {
		a->state = walk_state(walk);
		walk_add(walk, &(struct walk_user){ .arg = a, .hit = archive_hit, .each = a->opt.grade == STORE_HITS });
	}
	return &a->pub;
}

static void
archive_report(const struct archive *a)
{
	unused_end(&a->unused);
	tool_note(a->t, "archive: %ju files, %ju new bytes; %ju files are not there", (uintmax_t)a->copied, (uintmax_t)a->bytes,
	    (uintmax_t)a->unused.n);
	if (a->large)
		tool_warn(a->t, "--archive: %ju files of %ju bytes are left out, as all would exceed %ju; --archive=SIZE takes more",
		    (uintmax_t)a->large, (uintmax_t)a->large_bytes, (uintmax_t)a->opt.limit);
}

void
archive_end(struct archive *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->nnamed; i++)
		archive_debug(a, &a->named[i]);
	while (a->n)
		archive_copy_first(a);
	archive_report(a);
	maker_end(a->maker);
	free(a->named);
	free(a);
}

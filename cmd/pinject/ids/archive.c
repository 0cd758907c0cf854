/* SPDX-License-Identifier: ISC */
/* archive.c - see archive.h */
#include <sys/auxv.h>

#include <errno.h>
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
	NAMED_MAX = 65536,		/* files whose debug information is looked for */
	KALLSYMS_LOOK = 1 << 20,	/* bytes of /proc/kallsyms, at the beginning of which the kernel's first symbol is */
};

struct copy {
	struct build_id	 id;
	int		 fd;
	struct stat	 then;		/* when it was opened */
	char		*name;
	const char	*kind;		/* in the store */
};

struct archive {
	struct out	 pub;
	struct tool	*t;
	struct lookup	*lookup;
	struct store	*store;
	struct file_ids	*ids;
	struct pp_state	*state;		/* of the walk; NULL: all maps */
	uint64_t	 limit, bytes;	/* of all that was copied or waits */
	struct copy	 waiting[WAITING];	/* from `first' on, in a circle */
	unsigned	 first, n;
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

/* ---- copies -------------------------------------------------------------------------------------- */

/* Copy the file that has waited longest. */
static void
archive_copy_first(struct archive *a)
{
	struct copy *c = &a->waiting[a->first];
	const char *why;

	if (store_copy(a->store, &c->id, c->kind, c->fd, &c->then, &why))
		a->copied++;
	else if (why)
		archive_without(a, c->name, why);
	close(c->fd);
	free(c->name);
	a->first = (a->first + 1) % WAITING;
	a->n--;
}

/* Does it fit?  Then it is counted. */
static bool
archive_has_space(struct archive *a, const char *name, uint64_t size)
{
	if (size <= a->limit - a->bytes) {
		a->bytes += size;
		return true;
	}
	archive_without(a, name, "all copies would exceed --archive=SIZE");
	a->large++;
	a->large_bytes += size;
	return false;
}

static void
archive_file(struct archive *a, const struct pp_dso *dso, const struct build_id *id, const char *kind, int fd)
{
	struct copy c = { .id = *id, .fd = fd, .name = tool_alloc(1, dso->len + 1), .kind = kind };

	memcpy(c.name, dso->name, dso->len);
	if (store_has(a->store, id, kind))
		a->copied++;
	else if (fstat(fd, &c.then) == 0 && archive_has_space(a, c.name, (uint64_t)c.then.st_size)) {
		if (a->n == WAITING)
			archive_copy_first(a);
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

/* Separate debug information, where distributions have it (gdb's documentation, "Debugging Information in Separate Files"). */
static void
archive_debug(struct archive *a, const struct build_id *id)
{
	char name[64 + 2 * BUILD_ID_MAX], hex[2 * BUILD_ID_MAX + 1];
	struct pp_dso dso = { .name = name };
	struct lookup_found found;

	if (id->len < 2 || store_has(a->store, id, "debug"))
		return;
	tool_hex(hex, id->b, id->len);
	snprintf(name, sizeof name, "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
	dso.len = (uint32_t)strlen(name);
	if (lookup_file(a->lookup, &(struct lookup_for){ .kind = LOOKUP_DEBUG, .dso = &dso }, true, &found) <= 0) {
		if (found.there)
			archive_without(a, name, found.why);
		return;
	}
	if (found.id.len == id->len && !memcmp(found.id.b, id->b, id->len))
		archive_file(a, &dso, id, "debug", found.fd);
	else
		close(found.fd);
}

/* The vdso of this process, if it is the one: the others' cannot be read. */
static void
archive_vdso(struct archive *a, const struct build_id *id)
{
	const uint8_t *image = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *eh = (const void *)image;
	struct build_id own;
	const char *why;
	size_t n;

	if (!image || !buildid_vdso(&own, 0, UINT64_MAX, &why) || own.len != id->len || memcmp(own.b, id->b, id->len)) {
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

static void
archive_need(struct archive *a, const struct file_ids_for *file)
{
	struct file_ids_found ignored;

	file_ids_get(a->ids, file, &ignored);
}

static int
archive_hit(void *arg, const struct walk_hit *hit)
{
	struct archive *a = arg;

	archive_need(a, &(struct file_ids_for){ .dso = pp_state_dso(a->state, hit->map), .mode = hit->mode, .pid = hit->pid,
	    .start = hit->map->start, .end = hit->map->start + hit->map->len, .time = hit->time });
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

static int
archive_finish(struct out *o)
{
	struct archive *a = (struct archive *)o;

	file_ids_free(a->ids);
	return o->next->finish(o->next);
}

struct archive *
archive_new(struct tool *t, struct lookup *lookup, struct store *store, uint64_t limit, bool strict)
{
	struct archive *a = tool_alloc(1, sizeof *a);

	*a = (struct archive){ .t = t, .lookup = lookup, .store = store, .limit = limit,
	    .unused = { t, "files of --archive", strict, 0 } };
	return a;
}

struct out *
archive_stage(struct archive *a, struct walk *walk, struct out *next)
{
	a->pub = (struct out){ .put = archive_put, .finish = archive_finish, .next = next };
	a->ids = file_ids_new(a->t, a->lookup);
	file_ids_archive(a->ids, a);
	if (walk) {
		a->state = walk_state(walk);
		walk_add(walk, &(struct walk_user){ .arg = a, .hit = archive_hit });
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
		    (uintmax_t)a->large, (uintmax_t)a->large_bytes, (uintmax_t)a->limit);
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
	free(a->named);
	free(a);
}

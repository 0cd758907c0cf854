/* SPDX-License-Identifier: ISC */
/* file_ids.c - see file_ids.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive.h"
#include "file_ids.h"
#include "record/raw.h"
#include "state/table.h"

enum {
	NAME_LIMIT = 4096,		/* PATH_MAX */
	REMEMBERED = 65536,
	SECOND = 1000000000,		/* ns */
	TRIES = 8,			/* processes in whose name a file is looked up */
	REASONS = 32,
	WATCHED = 256,			/* files whose descriptors are kept */
};

struct file_id {
	struct link	 link;		/* by hash of key and name */
	struct file_key { uint64_t ino, generation; uint32_t maj, min, mode, high; } key;
	struct build_id	 id;
	uint32_t	 pid;		/* of the last try */
	uint8_t		 tries;
	bool		 said;		/* that it has none */
	bool		 changed;	/* it has none, as it has been changed since */
	struct lookup_seen seen;	/* of the answer */
	struct lookup_absent absent;	/* in which places it is not */
	uint32_t	 len;
	char		 name[];
};

struct file_known {
	struct link	 link;		/* by hash of the name */
	uint32_t	 len;
	char		 name[];
};

struct file_ids {
	struct tool	*t;
	struct lookup	*lookup;
	struct table	 files;		/* struct file_id */
	struct table	 known;		/* struct file_known */
	uint64_t	 missing;
	struct { char *text; uint64_t n; } reason[REASONS];	/* of files that should have an id; the last one: all others */
	unsigned	 reasons;
	bool		 kept;		/* an id of the stream, although --known-build-ids has another one */
	struct archive	*archive;	/* NULL: none */
	struct file_id	*watched[WATCHED];	/* those with a descriptor, in a circle; NULL: unused */
	unsigned	 next_watched;
};

/* ---- identity -------------------------------------------------------------------------------------- */

int
file_ids_of_map(struct file_ids_for *q, const struct pp_rec *r, const struct pp_dso *dso, bool swap)
{
	*q = (struct file_ids_for){ .dso = dso, .mode = r->misc & PP_MISC_CPUMODE_MASK };
	q->pid = PP_RAW_GET(r->raw, MMAP, pid, swap);
	q->start = PP_RAW_GET(r->raw, MMAP, start, swap);
	q->end = q->start + PP_RAW_GET(r->raw, MMAP, len, swap);
	if (q->pid == UINT32_MAX && q->mode != PP_MISC_GUEST_KERNEL)
		q->mode = PP_MISC_KERNEL;
	if (!q->mode)			/* to perf it is of a process */
		q->mode = PP_MISC_USER;
	return q->mode == PP_MISC_KERNEL || q->mode == PP_MISC_USER;
}

bool
file_ids_is_kernel(const struct pp_dso *d)
{
	return d->len >= 8 && memcmp(d->name, "[kernel.", 8) == 0;
}

struct pp_dso
file_ids_named(const struct pp_dso *d)
{
	struct pp_dso named = *d;

	if (file_ids_is_kernel(d)) {
		named.name = "[kernel.kallsyms]";
		named.len = (uint32_t)strlen(named.name);
	}
	return named;
}

/* The file as it is remembered; made if absent.  NULL: as many as can be are remembered. */
static struct file_id *
file_id_of(struct file_ids *f, const struct file_ids_for *q, const struct pp_dso *d)
{
	struct file_key key = { .ino = d->ino, .generation = d->ino_generation, .maj = d->maj, .min = d->min, .mode = q->mode };
	struct file_id *file;
	uint64_t hash;

	key.high = !strcmp(d->name, "[vdso]") && q->start >> 32;	/* a 32-bit process has another one */
	hash = pp_table_hash(&f->files, d->len, (const uint8_t *)&key, sizeof key);
	hash = pp_table_hash(&f->files, hash, (const uint8_t *)d->name, d->len);
	for (struct link *l = pp_table_first(&f->files, hash); l; l = pp_table_next(l)) {
		file = (struct file_id *)l;
		if (file->len == d->len && !memcmp(&file->key, &key, sizeof key) && !memcmp(file->name, d->name, d->len))
			return file;
	}
	if (f->files.n == REMEMBERED)
		return NULL;
	file = tool_alloc(1, sizeof *file + d->len + 1);
	file->key = key;
	file->len = d->len;
	file->seen.watch = -1;
	memcpy(file->name, d->name, d->len);
	if (pp_table_add(&f->files, &file->link, hash) < 0) {
		free(file);
		return NULL;
	}
	return file;
}

/* ---- names that have an id in the stream ----------------------------------------------------------- */

static uint64_t
file_known_key(const struct file_ids *f, const struct pp_dso *d)
{
	return pp_table_hash(&f->known, d->len, (const uint8_t *)d->name, d->len);
}

bool
file_ids_is_known(const struct file_ids *f, const struct pp_dso *dso)
{
	struct pp_dso d = file_ids_named(dso);
	const struct file_known *k;

	for (struct link *l = pp_table_first(&f->known, file_known_key(f, &d)); l; l = pp_table_next(l)) {
		k = (const struct file_known *)l;
		if (k->len == d.len && !memcmp(k->name, d.name, d.len))
			return true;
	}
	return false;
}

void
file_ids_kept(struct file_ids *f, const struct pp_dso *dso, const uint8_t *id, size_t len)
{
	struct pp_dso d = file_ids_named(dso);
	char *name;

	if (f->kept || !lookup_disagrees(f->lookup, &d, id, len))
		return;
	f->kept = true;
	name = tool_vis(d.name, d.len < NAME_LIMIT ? d.len : NAME_LIMIT);
	tool_warn(f->t, "the recording has another build-id of '%s' than --known-build-ids, and keeps it, and any others", name);
	free(name);
}

void
file_ids_known(struct file_ids *f, const struct pp_rec *r)
{
	enum { NAME_AT = PP_RAW_AT(HEADER_BUILD_ID, filename) };
	struct pp_dso d = { .name = (const char *)r->raw + NAME_AT };
	struct file_known *k;

	d.len = r->size > NAME_AT ? (uint32_t)strnlen(d.name, r->size - (size_t)NAME_AT) : 0;
	file_ids_kept(f, &d, r->raw + PP_RAW_AT(HEADER_BUILD_ID, build_id), BUILD_ID_MAX);
	d = file_ids_named(&d);
	if (f->known.n == REMEMBERED || file_ids_is_known(f, &d))
		return;
	k = tool_alloc(1, sizeof *k + d.len);
	k->len = d.len;
	memcpy(k->name, d.name, d.len);
	if (pp_table_add(&f->known, &k->link, file_known_key(f, &d)) < 0)
		tool_no_memory();
}

/* ---- looking up ------------------------------------------------------------------------------------ */

static struct lookup_for
file_ids_question(const struct file_ids_for *q, const struct pp_dso *d)
{
	bool kernel = q->mode == PP_MISC_KERNEL, vdso = !kernel && !strcmp(d->name, "[vdso]");

	return (struct lookup_for){ .pid = q->pid, .dso = d, .start = q->start, .end = q->end, .time = q->time,
	    .kind = vdso ? LOOKUP_VDSO : !kernel ? LOOKUP_FILE : file_ids_is_kernel(d) ? LOOKUP_KERNEL : LOOKUP_MODULE };
}

static void
file_ids_unwatch(struct file_id *file)
{
	if (file->seen.watch >= 0)
		close(file->seen.watch);
	file->seen.watch = -1;
}

/* Keep the descriptor of the last answer, instead of that of another file if there are too many. */
static void
file_ids_watch(struct file_ids *f, struct file_id *file)
{
	struct file_id **at = &f->watched[f->next_watched];

	if (file->seen.watch < 0)
		return;
	if (*at && *at != file)
		file_ids_unwatch(*at);
	*at = file;
	f->next_watched = (f->next_watched + 1) % WATCHED;
}

/* file->id becomes the answer.  1, or 0 and why */
static int
file_ids_look(struct file_ids *f, const struct lookup_for *ask, struct file_id *file, const char **why)
{
	struct build_id before = file->id;
	uint64_t now = lookup_now();
	struct lookup_found found;
	int rc;

	file->id.len = 0;
	*why = "the name is too long";
	if (ask->dso->len >= NAME_LIMIT)
		return 0;
	rc = lookup_file(f->lookup, ask, f->archive, &found);
	*why = found.why;
	lookup_note_absent(f->lookup, &file->absent, &found);
	file->changed = rc <= 0 && !strcmp(found.why, LOOKUP_WHY_CHANGED);
	if (rc > 0) {
		file->id = found.id;
		if (f->archive && (before.len != found.id.len || memcmp(before.b, found.id.b, before.len)))
			archive_take(f->archive, ask, &found);
		else if (f->archive && found.fd >= 0)
			close(found.fd);
		if (f->archive)
			found.fd = -1;
	}
	file_ids_unwatch(file);
	file->seen = lookup_seen(f->lookup, now, &found);
	return rc;
}

static void
file_ids_count(struct file_ids *f, const char *why)
{
	unsigned i = 0;

	while (i < f->reasons && strcmp(f->reason[i].text, why))
		i++;
	if (i == REASONS)
		i--;
	if (i == f->reasons)
		f->reason[f->reasons++].text = strcpy(tool_alloc(strlen(why) + 1, 1), why);
	f->reason[i].n++;
}

/* Has that reason a message of its own, for all files together? */
static bool
file_ids_is_said(const struct lookup *l, const char *why)
{
	return (l->elsewhere && !strcmp(why, l->elsewhere)) || (!l->opt->no_fs && l->ended && !strcmp(why, l->ended));
}

void
file_ids_none(struct file_ids *f, const struct pp_dso *d, unsigned mode, const char *why)
{
	bool can_have = (mode == PP_MISC_KERNEL || !lookup_is_memory(d)) && strcmp(why, BUILDID_NOT_ELF);
	char *name;

	if (f->archive) {
		if (can_have && !file_ids_is_said(f->lookup, why))
			archive_none(f->archive, d, why);
		return;
	}
	f->missing++;
	if (can_have)
		file_ids_count(f, why);
	if (!f->t->verbose)
		return;
	name = tool_vis(d->name, d->len < NAME_LIMIT ? d->len : NAME_LIMIT);
	tool_note(f->t, "no build-id of '%s': %s", name, why);
	free(name);
}

/* May another try give an id: in the name of another process, or of a map since the file was changed? */
static bool
file_ids_again(const struct file_ids *f, struct file_id *file, const struct lookup_for *ask)
{
	return !file->tries || (file->name[0] == '/' && file->pid != ask->pid && file->tries < TRIES) ||
	    (file->seen.changed && lookup_holds(f->lookup, ask, &file->seen) != LOOKUP_CHANGED);
}

/* Is what is known of the file right for that map, too?  The archive needs no id of the very map, only all of them sooner or later. */
static enum lookup_holds
file_ids_hold(const struct file_ids *f, struct file_id *file, const struct lookup_for *ask)
{
	enum lookup_holds holds = lookup_holds(f->lookup, ask, &file->seen);

	if (holds == LOOKUP_AGAIN && f->archive && lookup_now() - file->seen.asked < SECOND)
		return LOOKUP_HOLDS;
	return holds;
}

static void
file_ids_say(struct file_ids *f, struct file_id *file, const struct lookup_for *ask, const struct file_ids_for *q, const char *why)
{
	if (q->quietly)
		return;
	if (!file->said)
		file_ids_none(f, ask->dso, q->mode, why);
	file->said = true;
}

int
file_ids_get(struct file_ids *f, const struct file_ids_for *q, struct file_ids_found *to)
{
	struct pp_dso d = file_ids_named(q->dso);
	struct lookup_for ask = file_ids_question(q, &d);
	struct file_id once = { .seen.watch = -1 }, *file;
	const char *why;
	enum lookup_holds holds = LOOKUP_HOLDS;

	*to = (struct file_ids_found){ 0 };
	if (!(file = file_id_of(f, q, &d)))
		file = &once;
	else
		to->which = (uintptr_t)file;
	ask.watch = file != &once && !f->archive;
	if (file->id.len)
		holds = file_ids_hold(f, file, &ask);
	else if (file_ids_again(f, file, &ask))
		holds = LOOKUP_AGAIN;
	if (holds == LOOKUP_AGAIN) {
		file->pid = q->pid;
		file->tries += file->tries < TRIES;
	}
	if (holds == LOOKUP_AGAIN && !lookup_is_absent(f->lookup, &file->absent, q->pid)) {
		if (!file_ids_look(f, &ask, file, &why))
			file_ids_say(f, file, &ask, q, why);
		file_ids_watch(f, file);
	}
	to->changed = file->id.len ? holds == LOOKUP_CHANGED : file->changed;
	if (!file->id.len) {
		to->fixed = !file->seen.changed;
		to->final = to->fixed && file != &once && (file->name[0] != '/' || file->tries == TRIES);
		return 0;
	}
	if (to->changed) {
		file_ids_say(f, file, &ask, q, LOOKUP_WHY_CHANGED);
		return 0;
	}
	to->id = file->id;
	return 1;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

void
file_ids_report(const struct file_ids *f, uint64_t given, bool strict)
{
	char text[2048];
	uint64_t n = 0;
	int at = 0;

	for (unsigned i = 0; i < f->reasons; i++) {
		if (file_ids_is_said(f->lookup, f->reason[i].text))
			continue;
		n += f->reason[i].n;
		if (at < (int)sizeof text)
			at += snprintf(text + at, sizeof text - (size_t)at, "%s%s (%ju)", at ? ", " : "", f->reason[i].text,
			    (uintmax_t)f->reason[i].n);
	}
	if (n && !f->t->verbose)	/* else each has been named */
		tool_warn(f->t, "no build-ids of %ju files: %s", (uintmax_t)n, text);
	if (f->reasons && strict)
		f->t->failed = true;
	tool_note(f->t, "%ju build-ids added, %ju DSOs without one", (uintmax_t)given, (uintmax_t)f->missing);
}

struct file_ids *
file_ids_new(struct tool *t, struct lookup *lookup)
{
	struct file_ids *f = tool_alloc(1, sizeof *f);

	*f = (struct file_ids){ .t = t, .lookup = lookup };
	pp_table_init(&f->files);
	pp_table_init(&f->known);
	return f;
}

void
file_ids_archive(struct file_ids *f, struct archive *archive)
{
	f->archive = archive;
}

void
file_ids_free(struct file_ids *f)
{
	for (unsigned i = 0; i < f->reasons; i++)
		free(f->reason[i].text);
	for (unsigned i = 0; i < WATCHED; i++)
		if (f->watched[i])
			file_ids_unwatch(f->watched[i]);
	pp_table_free(&f->files, true);
	pp_table_free(&f->known, true);
	free(f);
}

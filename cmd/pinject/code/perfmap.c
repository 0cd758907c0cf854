/* SPDX-License-Identifier: ISC */
/* perfmap.c - see perfmap.h */
#include <sys/queue.h>
#include <sys/stat.h>

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "lookup/unused.h"
#include "mapcover.h"
#include "maptext.h"
#include "perfmap.h"
#include "make/make.h"
#include "record/raw.h"
#include "set.h"
#include "state/table.h"
#include "symbol/machine.h"

enum {
	MEMORY = 256 << 20,		/* of all texts and their symbols */
	FILES = 200,			/* open at a time */
	READ_AT_ONCE = 64 << 10,
	AGAIN_MAX = 64,			/* parts of images that are put over a map again; more become one image */
};

struct process {
	struct link	 link;		/* by pid */
	uint32_t	 pid;
	int		 fd;		/* of its perf-PID.map; -1: not open */
	uint64_t	 checked;	/* the round in which the file was last looked at */
	LIST_ENTRY(process) open;	/* ... if it is */
	struct maptext	 text;
	size_t		 settled;	/* lines that were in it at the end of the last round */
	uint64_t	 told_bad;	/* lines that the message was about */
	bool		 told_unused;	/* that the file cannot be used */
	enum { NOT_ASKED, MISSING, THERE } file;	/* was it there when it was looked for?  THERE: once, or a jitdump in its place */
	struct mapcovers covers;
};
LIST_HEAD(processes, process);

struct run { uint64_t start, end; };	/* functions side by side that get an image */

struct perfmap {
	struct out	 pub;
	struct tool	*t;
	struct lookup	*lookup;
	struct store	*store;
	struct walk	*walk;
	const struct jit *jit;
	struct table	 processes;
	struct machine	 machine;
	struct processes open;
	uint64_t	 round;		/* number of this one */
	uint64_t	 limit;		/* what it delivers is not later, but at the end of the stream, */
	uint64_t	 beyond;	/* ... and the round in which that was seen */
	size_t		 memory;
	unsigned	 files;
	bool		 full;		/* `memory' has reached its limit */
	struct run	*run;		/* those at work */
	size_t		 runs;
	struct unused	 unused;
	uint64_t	 images, symbols;
	uint64_t	 without;	/* processes with samples in code of no file, and without a perf-PID.map */
	uint32_t	 without_pid;	/* one of them */
};

/* ---- processes and their files ------------------------------------------------------------------- */

static struct process *
process_find(const struct perfmap *m, uint32_t pid)
{
	for (struct link *l = pp_table_first(&m->processes, pid); l; l = pp_table_next(l))
		if (((struct process *)l)->pid == pid)
			return (struct process *)l;
	return NULL;
}

/* NULL: no memory. */
static struct process *
process_get(struct perfmap *m, uint32_t pid)
{
	struct process *p = process_find(m, pid);

	if (p)
		return p;
	p = tool_alloc(1, sizeof *p);
	p->pid = pid;
	p->fd = -1;
	if (pp_table_add(&m->processes, &p->link, pid) > 0)
		return p;
	free(p);
	pp_fail_memory(&m->t->in_err);
	return NULL;
}

static void
process_close(struct perfmap *m, struct process *p)
{
	if (p->fd < 0)
		return;
	close(p->fd);
	p->fd = -1;
	LIST_REMOVE(p, open);
	m->files--;
}

/* The file was written anew: what was read says nothing. */
static void
process_forget_text(struct perfmap *m, struct process *p)
{
	m->memory -= maptext_memory(&p->text);
	maptext_free(&p->text);
	p->settled = 0;
	p->covers.n = 0;
	p->told_bad = 0;
}

static void
process_drop(struct perfmap *m, struct process *p)
{
	if (p->file == MISSING && !m->without++)
		m->without_pid = p->pid;
	process_close(m, p);
	process_forget_text(m, p);
	pp_table_remove(&m->processes, &p->link);
	mapcover_free(&p->covers);
	free(p);
}

static void
process_unused(struct perfmap *m, struct process *p, const char *why)
{
	char name[32];

	if (!p->told_unused)
		unused_say(&m->unused, name, (size_t)snprintf(name, sizeof name, "perf-%u.map", p->pid), why);
	p->told_unused = true;
}

/* Is the file that is open the one that was read, and is what was read still in it? */
static bool
process_continues(const struct process *p, struct stat *st)
{
	char tail[MAPTEXT_TAIL];
	size_t n = maptext_tail(&p->text);

	if (p->fd < 0 || fstat(p->fd, st) < 0 || !st->st_nlink || (uint64_t)st->st_size < p->text.n)
		return false;
	return (uint64_t)st->st_size == p->text.n ||
	    (pread(p->fd, tail, n, (off_t)(p->text.n - n)) == (ssize_t)n && maptext_has_tail(&p->text, tail));
}

/* Open the file, if it is not open.  false: there is none. */
static bool
process_open(struct perfmap *m, struct process *p, struct stat *st)
{
	struct lookup_found found;

	if (process_continues(p, st))
		return true;
	process_close(m, p);			/* another file has its name, or it was written anew */
	if (lookup_file(m->lookup, &(struct lookup_for){ .kind = LOOKUP_PERF_MAP, .pid = p->pid }, true, &found) <= 0) {
		if (found.there) {
			p->file = THERE;
			process_unused(m, p, found.why);
		} else if (p->file == NOT_ASKED)
			p->file = MISSING;
		return false;
	}
	p->file = THERE;
	p->fd = found.fd;
	LIST_INSERT_HEAD(&m->open, p, open);
	m->files++;
	if (!process_continues(p, st))
		process_forget_text(m, p);
	if (fstat(p->fd, st) < 0) {
		process_unused(m, p, strerror(errno));
		return false;
	}
	return true;
}

static void
process_complain(struct perfmap *m, struct process *p)
{
	struct pp_err e = { .what = "" };
	char name[32];

	if (p->text.bad == p->told_bad && !p->text.full)
		return;
	snprintf(name, sizeof name, "perf-%u.map", p->pid);
	e.file = name;
	if (p->text.bad != p->told_bad)
		pp_fail(&e, "%ju lines are not \"START SIZE NAME\", and are left out", (uintmax_t)p->text.bad);
	else
		pp_fail(&e, "is longer than %d MiB or %d lines, and the rest is left out", MAPTEXT_MAX >> 20, MAPTEXT_LINES_MAX);
	tool_say(m->t, &e);
	p->told_bad = UINT64_MAX;		/* one message for each file */
	m->t->failed = true;
}

/* Read what the file has more than before.  Has it more? */
static bool
process_read(struct perfmap *m, struct process *p)
{
	static char buf[READ_AT_ONCE];
	size_t before;
	struct stat st;
	ssize_t n = 0;

	p->checked = m->round;
	if (m->full || p->text.full || !process_open(m, p, &st) || (uint64_t)st.st_size == p->text.n)
		return false;
	before = p->text.n;
	m->memory -= maptext_memory(&p->text);
	while (!p->text.full && (n = pread(p->fd, buf, sizeof buf, (off_t)p->text.n)) > 0)
		maptext_append(&p->text, buf, (size_t)n);
	if (n < 0)
		process_unused(m, p, strerror(errno));
	maptext_ready(&p->text);
	if (!before)
		p->settled = p->text.lines;
	m->memory += maptext_memory(&p->text);
	if (p->told_bad != UINT64_MAX)
		process_complain(m, p);
	if (m->memory > MEMORY) {
		m->full = true;
		tool_warn(m->t, "perf-PID.map files of all processes need more than %d MiB: no more are read", MEMORY >> 20);
	}
	if (m->files > FILES)
		process_close(m, p);
	return p->text.n != before;
}

/* What is written until now is of all samples that the next round delivers. */
static void
perfmap_read_all(struct perfmap *m)
{
	struct process *p, *next;

	for (p = LIST_FIRST(&m->open); p; p = next) {
		next = LIST_NEXT(p, open);
		process_read(m, p);
		p->settled = p->text.lines;
	}
}

/* ---- images --------------------------------------------------------------------------------------- */

/* The part of a map that a symbol is in. */
static struct run
symbol_in(const struct maptext_symbol *s, const struct run *map)
{
	uint64_t end = s->start + s->size;

	return (struct run){ s->start > map->start ? s->start : map->start, end < map->end ? end : map->end };
}

/*
 * Must the symbol wait?  Lines have no time.  One that was read while a round is delivered may be of code that is newer than the
 * samples, so it names only what had no name.  It may take the place of another one in the next round: that is why files are read
 * at the end of each.
 */
static bool
symbol_waits(const struct process *p, const struct maptext_symbol *s)
{
	return s->over && s->line >= p->settled;
}

/* Does a reader see the name there?  What was known when an image was made is in it. */
static bool
symbol_is_shown(const struct process *p, const struct maptext_symbol *s, const struct mapcover *c)
{
	return !c->hidden && (s->line < c->lines || c->n == p->text.n);
}

/* Does it need an image, in that part of it? */
static bool
symbol_is_new(const struct process *p, const struct maptext_symbol *s, const struct run *part)
{
	uint64_t at = part->start;

	if (symbol_waits(p, s))
		return false;
	for (size_t i = mapcover_from(&p->covers, at); at < part->end; at = p->covers.v[i++].end)
		if (i == p->covers.n || p->covers.v[i].start > at || !symbol_is_shown(p, s, &p->covers.v[i]))
			return true;
	return false;
}

static void
perfmap_add_run(struct perfmap *m, const struct run *run)
{
	m->run = tool_need(array_more(m->run, m->runs, 1, sizeof *m->run));
	m->run[m->runs++] = *run;
}

/* The symbols of that map which need an image, as runs in m->run.  all: all that the map has are one, and it is the map. */
static void
perfmap_find_runs(struct perfmap *m, const struct process *p, const struct run *map, bool all)
{
	const struct maptext_symbol *s = all ? NULL : maptext_from(&p->text, map->start);
	bool follows = false;

	m->runs = 0;
	if (all)
		perfmap_add_run(m, map);
	for (; s && s->start < map->end; s = maptext_next(&p->text, s)) {
		struct run part = symbol_in(s, map);
		bool is_new = symbol_is_new(p, s, &part);

		if (is_new && follows) {
			m->run[m->runs - 1].end = part.end;
		} else if (is_new) {
			perfmap_add_run(m, &part);
		}
		follows = is_new;
	}
}

/* An image of all symbols in the runs.  1; 0: there are none, or the store could not take it. */
static int
perfmap_make_image(struct perfmap *m, const struct process *p, struct build_id *id)
{
	struct image *im = image_new(m->machine.number, m->t->in->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
	    m->machine.is64);
	uint64_t offset;
	uint8_t *bytes;
	size_t n;
	int rc;

	image_span(im, m->run[0].start, m->run[m->runs - 1].end - m->run[0].start);
	for (size_t i = 0; i < m->runs; i++) {
		const struct maptext_symbol *s = maptext_from(&p->text, m->run[i].start);

		for (; s && s->start < m->run[i].end; s = maptext_next(&p->text, s)) {
			struct run part = symbol_in(s, &m->run[i]);

			image_function(im, &(struct image_fn){ .name = maptext_name(&p->text, s), .addr = part.start,
			    .size = part.end - part.start }, &offset);
		}
	}
	if (!(n = image_functions(im))) {
		image_free(im);
		return 0;
	}
	m->symbols += n;
	m->images++;
	image_finish(im, id, &bytes, &n);
	rc = store_put(m->store, id, "elf", bytes, n);
	free(bytes);
	return rc;
}

/* Put a part of an image where it belongs, 1 ns before the hit. */
static int
perfmap_put(struct perfmap *m, const struct process *p, const struct walk_hit *hit, const struct mapcover *c)
{
	enum { PROT_RX = 5, PRIVATE = 2, ID_AT = 4 };
	uint8_t buf[256], trailer[PP_TRAILER_MAX], file[24] = { (uint8_t)c->id.len };
	uint64_t time = hit->time ? hit->time - 1 : 0, earliest = walk_earliest(m->walk);
	struct pp_rec r;
	char name[64];

	if (hit->time && time < earliest)
		time = earliest;
	memcpy(file + ID_AT, c->id.b, c->id.len);
	snprintf(name, sizeof name, "jitted-%u-map%ju.so", p->pid, (uintmax_t)c->image);
	if (PP_MAKE(&r, buf, sizeof buf, MMAP2, .swap = m->t->in->swap, .misc = PP_MISC_USER | PP_MISC_MMAP_BUILD_ID,
	    .trailer = walk_trailer(m->walk, trailer, p->pid, p->pid, time), .pid = p->pid, .tid = p->pid, .start = c->start,
	    .len = c->end - c->start, .pgoff = c->pgoff, .inode_or_build_id = { file, sizeof file }, .prot = PROT_RX, .flags = PRIVATE,
	    .filename = { name, strlen(name) }) < 0)
		return pp_fail(&m->t->in_err, "MMAP2 of %s: too long", name);
	return m->pub.next->put(m->pub.next, m->t->in, &r, false);
}

/* Put the images that anonymous memory has hidden over it again. */
static int
perfmap_show_hidden(struct perfmap *m, struct process *p, const struct walk_hit *hit, const struct run *map)
{
	struct mapcovers *covers = &p->covers;

	for (size_t i = mapcover_from(covers, map->start); i < covers->n && covers->v[i].start < map->end; i++) {
		if (covers->v[i].hidden && covers->v[i].image && perfmap_put(m, p, hit, &covers->v[i]) < 0)
			return -1;
		covers->v[i].hidden = false;
	}
	return 1;
}

/* Does the map get one image of all, because it has none, or too many that are hidden? */
static bool
perfmap_begins(const struct process *p, const struct run *map)
{
	const struct mapcovers *covers = &p->covers;
	size_t n = 0, hidden = 0;

	for (size_t i = mapcover_from(covers, map->start); i < covers->n && covers->v[i].start < map->end; i++, n++)
		hidden += covers->v[i].hidden;
	return !n || hidden > AGAIN_MAX;
}

/* A name of that map is not shown yet: show it, and all others of the map. */
static int
perfmap_show(struct perfmap *m, struct process *p, const struct walk_hit *hit)
{
	enum { TEXT_AT = 4096 };		/* image.h: the first address of a span */
	struct run map = { hit->map->start, hit->map->start + hit->map->len };
	struct mapcover c = { .n = p->text.n, .lines = p->text.whole };
	bool begins = perfmap_begins(p, &map);

	if (!begins && perfmap_show_hidden(m, p, hit, &map) < 0)
		return -1;
	perfmap_find_runs(m, p, &map, begins);
	if (!m->runs)
		return 1;
	if (perfmap_make_image(m, p, &c.id))
		c.image = m->images;
	for (size_t i = 0; i < m->runs; i++) {
		c.start = m->run[i].start;
		c.end = m->run[i].end;
		c.pgoff = TEXT_AT + (c.start - m->run[0].start);
		if (c.image && perfmap_put(m, p, hit, &c) < 0)
			return -1;
		mapcover_add(&p->covers, c);
	}
	return 1;
}

/* ---- a user of the walk ----------------------------------------------------------------------------- */

static int
perfmap_miss(void *arg, const struct walk_hit *hit)
{
	struct perfmap *m = arg;
	struct process *p;
	const struct maptext_symbol *s;
	const struct mapcover *c;

	if (hit->mode != PP_MISC_USER || !hit->map || hit->map->data)
		return 1;
	if (m->jit && jit_knows(m->jit, hit->pid)) {
		if ((p = process_find(m, hit->pid)))
			p->file = THERE;
		return 1;
	}
	if (!(p = process_get(m, hit->pid)))
		return -1;
	if (hit->time > m->limit && m->beyond != m->round) {
		m->beyond = m->round;
		perfmap_read_all(m);
	}
	s = maptext_find(&p->text, hit->addr);
	if (!s && p->checked != m->round && process_read(m, p))
		s = maptext_find(&p->text, hit->addr);
	if (!s || symbol_waits(p, s) || ((c = mapcover_find(&p->covers, hit->addr)) && symbol_is_shown(p, s, c)))
		return 1;
	return perfmap_show(m, p, hit);
}

static int
perfmap_record(void *arg, uint64_t time, const struct pp_rec *r)
{
	struct perfmap *m = arg;
	bool swap = m->t->in->swap;
	uint32_t pid = PP_RAW_GET(r->raw, MMAP, pid, swap);	/* at the same place in all of these records */
	struct process *p = process_find(m, pid);
	uint64_t start, len;
	struct pp_dso d;

	(void)time;
	if (!p)
		return 1;
	if (r->type == PP_FORK ? pid != PP_RAW_GET(r->raw, FORK, ppid, swap) : r->type == PP_EXIT && walk_is_last(m->walk, r)) {
		process_drop(m, p);		/* the end of it, or another life of this pid */
	} else if (r->type == PP_COMM) {
		p->covers.n = 0;		/* another program */
	} else if (r->type == PP_MMAP || r->type == PP_MMAP2) {
		start = PP_RAW_GET(r->raw, MMAP, start, swap);
		len = PP_RAW_GET(r->raw, MMAP, len, swap);
		pp_dso_get(&d, r, 0, swap);
		mapcover_cut(&p->covers, start, len > UINT64_MAX - start ? UINT64_MAX : start + len,
		    walk_is_anonymous(&d) || pp_map_is_jit(r, &d, swap));
	}
	return 1;
}

static int
perfmap_round(void *arg, uint64_t limit)
{
	struct perfmap *m = arg;

	(void)limit;
	perfmap_read_all(m);
	m->round++;
	m->limit = walk_limit(m->walk);
	return 1;
}

/* ---- the stage ---------------------------------------------------------------------------------------- */

static int
perfmap_pass(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	if (r->type == PP_HEADER_FEATURE)
		machine_learn(&((struct perfmap *)o)->machine, r, ((struct perfmap *)o)->t->in->swap);
	return o->next->put(o->next, in, r, stable);
}

static int
perfmap_finish(struct out *o)
{
	struct perfmap *m = (struct perfmap *)o;
	struct out *next = o->next;

	for (size_t i = 0; m->processes.bits && i < (size_t)1 << m->processes.bits; i++)
		while (m->processes.slot[i])
			process_drop(m, (struct process *)m->processes.slot[i]);
	pp_table_free(&m->processes, false);
	if (m->without && !m->images)
		tool_warn(m->t, "no perf-PID.map found for %ju processes with samples in code of no file, such as pid %u",
		    (uintmax_t)m->without, m->without_pid);
	unused_end(&m->unused);
	tool_note(m->t, "perf-PID.map: %ju images of %ju functions; no file found for %ju processes with samples in code of no file",
	    (uintmax_t)m->images, (uintmax_t)m->symbols, (uintmax_t)m->without);
	free(m->run);
	free(m);
	return next->finish(next);
}

struct out *
perfmap_new(struct tool *t, struct lookup *lookup, struct store *store, struct walk *walk, const struct jit *jit, bool strict,
    struct out *next)
{
	struct perfmap *m = tool_alloc(1, sizeof *m);

	*m = (struct perfmap){ .pub = { .put = perfmap_pass, .finish = perfmap_finish, .next = next }, .t = t, .lookup = lookup,
	    .store = store, .walk = walk, .jit = jit, .round = 1, .unused = { t, "perf-PID.map files", strict, 0 } };
	LIST_INIT(&m->open);
	machine_set(&m->machine, lookup->us.machine, strlen(lookup->us.machine));
	pp_table_init(&m->processes);
	walk_add(walk, &(struct walk_user){ .arg = m, .record = perfmap_record, .miss = perfmap_miss, .round = perfmap_round });
	return &m->pub;
}

/* SPDX-License-Identifier: ISC */
/* perfmap.c - see perfmap.h */
#include <sys/stat.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "maptext.h"
#include "perfmap.h"
#include "record/feature.h"
#include "record/make.h"
#include "record/order.h"
#include "record/raw.h"
#include "state/table.h"

enum {
	MEMORY = 256 << 20,		/* of all texts and their symbols */
	FILES = 200,			/* open at a time */
	READ_AT_ONCE = 64 << 10,
	COVERS = 65536,			/* of a process: the kernel allows as many maps (vm.max_map_count) */
};

struct cover {				/* a part of the process's memory that an image was put over */
	uint64_t	 start, end;
	size_t		 n, lines;	/* of the text when the image was made: bytes, complete lines */
	uint64_t	 round, wait;	/* in which it was made, and after how many others the next one may be */
};

struct process {
	struct link	 link;		/* by pid */
	uint32_t	 pid;
	int		 fd;		/* of its perf-PID.map; -1: not open */
	uint64_t	 checked;	/* the round in which the file was last looked at */
	struct maptext	 text;
	uint64_t	 told_bad;	/* lines that the message was about */
	struct cover	*cover;		/* ascending, disjoint */
	size_t		 covers, covers_cap;
};

struct perfmap {
	struct out	 pub;
	struct tool	*t;
	struct lookup	*lookup;
	struct store	*store;
	struct walk	*walk;
	const struct jit *jit;
	struct table	 processes;
	uint16_t	 machine;
	bool		 is64;
	uint64_t	 round;		/* number of this one */
	size_t		 memory;
	unsigned	 files;
	bool		 full;		/* `memory' has reached its limit */
	uint64_t	 images, symbols;
};

/* ---- the machine --------------------------------------------------------------------------------- */

/* As uname(2) has it, and the header feature ARCH.  Readers show names whatever it is. */
static void
perfmap_set_machine(struct perfmap *m, const char *arch, size_t n)
{
	static const struct { const char *arch; uint16_t machine; bool is64; } rows[] = {
		{ "x86_64", EM_X86_64, true }, { "aarch64", EM_AARCH64, true }, { "i", EM_386, false }, { "arm", EM_ARM, false },
		{ "s390x", EM_S390, true }, { "ppc64", EM_PPC64, true }, { "ppc", EM_PPC, false }, { "riscv64", EM_RISCV, true },
		{ "mips64", EM_MIPS, true }, { "mips", EM_MIPS, false }, { "loongarch64", 258, true },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (n >= strlen(rows[i].arch) && !memcmp(arch, rows[i].arch, strlen(rows[i].arch))) {
			m->machine = rows[i].machine;
			m->is64 = rows[i].is64;
			return;
		}
}

static void
perfmap_learn_feature(struct perfmap *m, const struct pp_rec *r)
{
	struct pp_err ignored = { .what = "" };		/* a damaged feature is ignored */
	struct pp_feature feature;
	struct pp_feature_io io;
	struct pp_feature_value v;

	if (pp_feature_of(&feature, r, m->t->in->swap, 0, &ignored) < 0 || feature.number != PP_FEAT_ARCH)
		return;
	pp_feature_open(&io, &feature, &ignored);
	if (pp_feature_next(&io, &v) > 0 && v.kind == PP_F_STR)
		perfmap_set_machine(m, (const char *)v.p, v.len);
}

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
	m->files--;
}

static void
process_forget_text(struct perfmap *m, struct process *p)
{
	m->memory -= maptext_memory(&p->text);
	maptext_free(&p->text);
	p->told_bad = 0;
}

static void
process_drop(struct perfmap *m, struct process *p)
{
	process_close(m, p);
	process_forget_text(m, p);
	pp_table_remove(&m->processes, &p->link);
	free(p->cover);
	free(p);
}

/* Open the file, if it is not open.  false: there is none. */
static bool
process_open(struct perfmap *m, struct process *p, struct stat *st)
{
	struct lookup_found found;

	if (p->fd >= 0 && fstat(p->fd, st) == 0 && st->st_nlink && (uint64_t)st->st_size >= p->text.n)
		return true;
	process_close(m, p);			/* another file has its name, or it was written anew */
	if (lookup_file(m->lookup, &(struct lookup_for){ .kind = LOOKUP_PERF_MAP, .pid = p->pid }, true, &found) <= 0)
		return false;
	p->fd = found.fd;
	m->files++;
	if (fstat(p->fd, st) < 0)
		return false;
	process_forget_text(m, p);
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
	size_t before = p->text.n;
	struct stat st;
	ssize_t n;

	p->checked = m->round;
	if (m->full || p->text.full || !process_open(m, p, &st) || (uint64_t)st.st_size == p->text.n)
		return false;
	before = p->text.n;
	m->memory -= maptext_memory(&p->text);
	while (!p->text.full && (n = pread(p->fd, buf, sizeof buf, (off_t)p->text.n)) > 0)
		maptext_append(&p->text, buf, (size_t)n);
	maptext_ready(&p->text);
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

/* ---- images --------------------------------------------------------------------------------------- */

/* The index of the first cover that ends behind the address. */
static size_t
cover_from(const struct process *p, uint64_t addr)
{
	size_t lo = 0, hi = p->covers;

	ORDER_FIND(lo, hi, i, p->cover[i].end > addr);
	return lo;
}

/* Let the covers from index `at' to before `end' be these n instead. */
static void
cover_replace(struct process *p, size_t at, size_t end, const struct cover *by, size_t n)
{
	if (p->covers - (end - at) + n > p->covers_cap) {
		p->covers_cap = 2 * p->covers_cap + n + 8;
		p->cover = tool_realloc(p->cover, p->covers_cap, sizeof *p->cover);
	}
	if (p->covers > end)
		memmove(p->cover + at + n, p->cover + end, (p->covers - end) * sizeof *p->cover);
	for (size_t i = 0; i < n; i++)
		p->cover[at + i] = by[i];
	p->covers = p->covers - (end - at) + n;
}

/* What is new between two addresses replaces what it overlaps; of a cover, the parts beside it are left. */
static void
cover_cut(struct process *p, uint64_t start, uint64_t end)
{
	size_t at = cover_from(p, start), n = 0, last = at;
	struct cover left[2];

	if (start >= end)
		return;
	if (at < p->covers && p->cover[at].start < start) {
		left[n] = p->cover[at];
		left[n++].end = start;
	}
	while (last < p->covers && p->cover[last].start < end)
		last++;
	if (last > at && p->cover[last - 1].end > end) {
		left[n] = p->cover[last - 1];
		left[n++].start = end;
	}
	if (last > at)
		cover_replace(p, at, last, left, n);
}

/* Beyond that many, all are forgotten: images that are needed again are made again, and are the same. */
static void
cover_add(struct process *p, struct cover c, uint64_t start, uint64_t end)
{
	if (start >= end)
		return;
	c.start = start;
	c.end = end;
	if (p->covers >= COVERS)
		p->covers = 0;
	cover_cut(p, start, end);
	cover_replace(p, cover_from(p, start), cover_from(p, start), &c, 1);
}

static struct cover *
cover_find(const struct process *p, uint64_t addr)
{
	size_t i = cover_from(p, addr);

	return i < p->covers && p->cover[i].start <= addr ? &p->cover[i] : NULL;
}

/* The symbols between two addresses, cut to them. */
static size_t
perfmap_add_symbols(struct image *im, const struct maptext *text, uint64_t start, uint64_t end)
{
	const struct maptext_symbol *s = maptext_from(text, start);
	uint64_t offset;

	for (; s && s->start < end; s = maptext_next(text, s)) {
		uint64_t from = s->start > start ? s->start : start, to = s->start + s->size < end ? s->start + s->size : end;

		image_function(im, &(struct image_fn){ .name = maptext_name(text, s), .addr = from, .size = to - from }, &offset);
	}
	return image_functions(im);
}

static int
perfmap_put(struct perfmap *m, const struct process *p, uint64_t time, uint64_t start, uint64_t end, uint64_t pgoff,
    const struct build_id *id)
{
	enum { PROT_RX = 5, PRIVATE = 2, ID_AT = 4 };
	uint8_t buf[256], trailer[PP_TRAILER_MAX], file[24] = { (uint8_t)id->len };
	struct pp_rec r;
	char name[64];

	memcpy(file + ID_AT, id->b, id->len);
	snprintf(name, sizeof name, "jitted-%u-map%ju.so", p->pid, (uintmax_t)++m->images);
	if (PP_MAKE(&r, buf, sizeof buf, MMAP2, .swap = m->t->in->swap, .misc = PP_MISC_USER | PP_MISC_MMAP_BUILD_ID,
	    .trailer = walk_trailer(m->walk, trailer, p->pid, p->pid, time), .pid = p->pid, .tid = p->pid, .start = start,
	    .len = end - start, .pgoff = pgoff, .inode_or_build_id = { file, sizeof file }, .prot = PROT_RX, .flags = PRIVATE,
	    .filename = { name, strlen(name) }) < 0)
		return pp_fail(&m->t->in_err, "MMAP2 of %s: too long", name);
	return m->pub.next->put(m->pub.next, m->t->in, &r, false);
}

/* Put an image over the memory from start to end. */
static int
perfmap_cover(struct perfmap *m, struct process *p, const struct walk_hit *hit, uint64_t start, uint64_t end)
{
	enum { TEXT_AT = 4096 };		/* image.h: the first address of a span */
	struct image *im = image_new(m->machine, m->t->in->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__), m->is64);
	uint64_t time = hit->time ? hit->time - 1 : 0, earliest = walk_earliest(m->walk);
	struct build_id id;
	uint8_t *bytes;
	size_t n;
	int rc;

	image_span(im, start, end - start);
	if (!(n = perfmap_add_symbols(im, &p->text, start, end))) {
		image_free(im);
		return 1;
	}
	m->symbols += n;
	image_finish(im, &id, &bytes, &n);
	rc = store_put(m->store, &id, "elf", bytes, n);
	free(bytes);
	if (!rc)
		return 1;
	return perfmap_put(m, p, hit->time && time < earliest ? earliest : time, start, end, TEXT_AT, &id);
}

/* ---- a user of the walk ----------------------------------------------------------------------------- */

/*
 * Images of a file that grows: each has all names, so one at each round would be as many bytes as the square of the file.  So
 * while less than a quarter is new, each one waits for twice as many rounds as the one before.
 */
static bool
perfmap_may_renew(const struct perfmap *m, const struct process *p, struct cover *c)
{
	bool much = (p->text.whole - c->lines) * 4 >= c->lines;

	if (p->text.n == c->n || (!much && m->round - c->round < c->wait))
		return false;
	c->wait = much ? 1 : 2 * c->wait;
	c->round = m->round;
	c->n = p->text.n;
	c->lines = p->text.whole;
	return true;
}

static int
perfmap_miss(void *arg, const struct walk_hit *hit)
{
	struct perfmap *m = arg;
	struct process *p;
	const struct maptext_symbol *s;
	struct cover *c;

	if (hit->mode != PP_MISC_USER || !hit->map || hit->map->data || (m->jit && jit_knows(m->jit, hit->pid)))
		return 1;
	if (!(p = process_get(m, hit->pid)))
		return -1;
	c = cover_find(p, hit->addr);
	s = maptext_find(&p->text, hit->addr);
	if (!s && p->checked != m->round && process_read(m, p))
		s = maptext_find(&p->text, hit->addr);
	if (!s || (c && (s->line < c->lines || !perfmap_may_renew(m, p, c))))
		return 1;
	if (c)
		return perfmap_cover(m, p, hit, c->start, c->end);
	cover_add(p, (struct cover){ .n = p->text.n, .lines = p->text.whole, .round = m->round, .wait = 1 }, hit->map->start,
	    hit->map->start + hit->map->len);
	return perfmap_cover(m, p, hit, hit->map->start, hit->map->start + hit->map->len);
}

static int
perfmap_record(void *arg, uint64_t time, const struct pp_rec *r)
{
	struct perfmap *m = arg;
	bool swap = m->t->in->swap;
	uint32_t pid = PP_RAW_GET(r->raw, MMAP, pid, swap);	/* at the same place in all of these records */
	struct process *p = process_find(m, pid);
	uint64_t start, len;

	(void)time;
	if (!p)
		return 1;
	if (r->type == PP_FORK ? pid != PP_RAW_GET(r->raw, FORK, ppid, swap) : r->type == PP_EXIT && walk_is_last(m->walk, r)) {
		process_drop(m, p);		/* the end of it, or another life of this pid */
	} else if (r->type == PP_MMAP || r->type == PP_MMAP2) {
		start = PP_RAW_GET(r->raw, MMAP, start, swap);
		len = PP_RAW_GET(r->raw, MMAP, len, swap);
		cover_cut(p, start, len > UINT64_MAX - start ? UINT64_MAX : start + len);
	}
	return 1;
}

static int
perfmap_round(void *arg, uint64_t limit)
{
	(void)limit;
	((struct perfmap *)arg)->round++;
	return 1;
}

/* ---- the stage ---------------------------------------------------------------------------------------- */

static int
perfmap_pass(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	if (r->type == PP_HEADER_FEATURE)
		perfmap_learn_feature((struct perfmap *)o, r);
	return o->next->put(o->next, in, r, stable);
}

static void
perfmap_free(struct perfmap *m)
{
	for (size_t i = 0; m->processes.bits && i < (size_t)1 << m->processes.bits; i++)
		while (m->processes.slot[i])
			process_drop(m, (struct process *)m->processes.slot[i]);
	pp_table_free(&m->processes, false);
	free(m);
}

static int
perfmap_finish(struct out *o)
{
	struct perfmap *m = (struct perfmap *)o;
	struct out *next = o->next;

	tool_note(m->t, "perf-PID.map: %ju images of %ju functions", (uintmax_t)m->images, (uintmax_t)m->symbols);
	perfmap_free(m);
	return next->finish(next);
}

struct out *
perfmap_new(struct tool *t, struct lookup *lookup, struct store *store, struct walk *walk, const struct jit *jit, struct out *next)
{
	struct perfmap *m = tool_alloc(1, sizeof *m);

	*m = (struct perfmap){ .pub = { .put = perfmap_pass, .finish = perfmap_finish, .next = next }, .t = t, .lookup = lookup,
	    .store = store, .walk = walk, .jit = jit, .round = 1 };
	perfmap_set_machine(m, lookup->us.machine, strlen(lookup->us.machine));
	if (pp_table_init(&m->processes, &t->in_err) < 0) {
		tool_say(t, &t->in_err);
		exit(1);
	}
	walk_add(walk, &(struct walk_user){ .arg = m, .record = perfmap_record, .miss = perfmap_miss, .round = perfmap_round });
	return &m->pub;
}

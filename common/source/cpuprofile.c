/* SPDX-License-Identifier: ISC */
/*
 * cpuprofile.c - a CPU profile of gperftools as a pipe-mode stream.  The format (gperftools,
 * docs/cpuprofile-fileformat.html) is slots, each as wide as a pointer of the program, in its byte order:
 *
 *	slot  0         1           2         3        4..     2 + slots behind
 *	      0   slots behind   version   period   padding   {count, depth, pc[depth]}...  0 1 0  text
 *	          this: >= 3        0      in us                                           trailer
 *
 * The text is /proc/PID/maps at the end of the run.  Since the samples need it, a profile is gone through
 * twice: once to find the text and any fault, once to make records, on the fly and in a fixed amount of memory:
 *
 *	HEADER_ATTR  EVENT_UPDATE  COMM  MMAP2...  SAMPLE... FINISHED_ROUND  SAMPLE... FINISHED_ROUND ...
 *
 * What the profile does not say is decided here:
 *  - The stream has this machine's byte order, not the profile's: nothing in it is opaque, and perf reads
 *    its own order best.
 *  - The event is cpu-clock; a record is one sample whose period is sampling period x count, or with
 *    PP_OPEN_EXPAND_COUNTS `count' samples of one sampling period.
 *  - pid and tid are 1; comm is the name of the first file mapped executable.
 *  - A sample's time is the CPU time used up to it if the records came one after the other: nothing real,
 *    but perf, and what draws its time lines, want ascending times.
 *  - Callers stay the return addresses that they are: so they are in the kernel's callchains.
 */
#include <sys/mman.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "make/make.h"
#include "record/attr.h"
#include "record/chain.h"

enum { PID = 1, EVENT_ID = 1 };
enum {
	WINDOW = 64 << 10,		/* bytes of the profile in memory; a chain fits */
	CHAIN_MAX = 8000,		/* of 8 bytes: as many as fit a record of 64 KiB with an added id */
	LINE_SIZE = 8 << 10,		/* a name has at most 4 KiB */
	NAME_SIZE = 4096,
	ROUND = 4096,			/* samples between two FINISHED_ROUNDs, which perf has to hold */
	HEADER_SLOTS_MAX = 1024,	/* a larger number is no profile */
};
#define PERIOD_MAX	UINT64_C(0xffffffff)	/* us; google-pprof refuses more */
#define EXPAND_MAX	UINT64_C(0xffffffff)	/* samples made of one record: 1.4 years at 100 Hz */

/* include/uapi/linux/perf_event.h */
enum { TYPE_SOFTWARE = 1, COUNT_SW_CPU_CLOCK = 0, ATTR_SIZE = 128 };
enum { EVENT_UPDATE_NAME = 2 };
#define SAMPLE_TYPE	(PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_PERIOD | PP_SAMPLE_CALLCHAIN)

struct cpuprofile {
	struct container pub;
	unsigned	 slot;		/* bytes of a slot */
	bool		 swap;
	uint64_t	 size;		/* of the file, bytes */
	uint64_t	 period;	/* ns */
	uint64_t	 records, end;	/* offsets of the start and end of the sound records */
	uint64_t	 text;		/* offset of the maps; 0: not reached */
	enum { ATTR, NAME, MAPS, SAMPLES } next;
	uint64_t	 at;		/* offset of the next byte */
	uint64_t	 chain, depth;	/* of the current record: offset and number of addresses */
	uint64_t	 repeat;	/* samples still to be made of it */
	uint64_t	 weight;	/* period of each */
	uint64_t	 time;
	unsigned	 in_round;
	unsigned	 nmaps;
	bool		 named;		/* COMM has been made */
	bool		 pending;	/* MMAP2 of the map in `line' has to be made */
	char		 fault[200];	/* reported after all sound records */
	uint64_t	 fault_at;
	char		 build[NAME_SIZE];	/* the value of $build in names */
	char		 line[LINE_SIZE];
	uint64_t	 win_at;	/* offset of the window in the file */
	size_t		 win_len;
	uint8_t		 win[WINDOW];
};

/* ---- reading ----------------------------------------------------------------------------------- */

/* Store a fault for later, unless there is one.  Always 0. */
static int __attribute__((format(printf, 3, 4)))
profile_fault(struct cpuprofile *q, uint64_t at, const char *fmt, ...)
{
	va_list ap;

	if (q->fault[0])
		return 0;
	va_start(ap, fmt);
	vsnprintf(q->fault, sizeof q->fault, fmt, ap);
	va_end(ap);
	q->fault_at = at;
	return 0;
}

/* n <= WINDOW bytes of the file, valid until the next call; NULL: they are not present, and a fault is stored. */
static const uint8_t *
profile_look(struct source *s, uint64_t at, size_t n)
{
	struct cpuprofile *q = (struct cpuprofile *)s->container;
	uint64_t in = at - q->win_at;	/* in front of the window: more than it has */

	if (in <= q->win_len && n <= q->win_len - in)
		return q->win + in;
	q->win_at = at;
	q->win_len = 0;
	while (q->win_len < n) {
		ssize_t got = s->in->layer->read_at(s->in, at + q->win_len, q->win + q->win_len, WINDOW - q->win_len);

		if (got <= 0) {
			profile_fault(q, at, "%s", got ? s->in_err.why.what : "read: the file became shorter");
			return NULL;
		}
		q->win_len += (size_t)got;
		s->nread += (uint64_t)got;
	}
	return q->win;
}

static uint64_t
profile_slot(const struct cpuprofile *q, const uint8_t *p, size_t i)
{
	return q->slot == 8 ? pp_get_u64(p + 8 * i, q->swap) : pp_get_u32(p + 4 * i, q->swap);
}

/* ---- first pass ---------------------------------------------------------------------------------- */

/*
 * Read the head of the record at q->at.  1: chain, depth, repeat and weight are set, and q->at is behind the record; 0: it is
 * the trailer, or there is a fault, which is stored.
 */
static int
profile_take_record(struct source *s)
{
	struct cpuprofile *q = (struct cpuprofile *)s->container;
	uint64_t left = (q->size - q->at) / q->slot, count, depth;
	const uint8_t *p;

	if (q->at == q->size)
		return profile_fault(q, q->at, "CPU profile: cut short, no trailer");
	if (left < 3)
		return profile_fault(q, q->at, "CPU profile record: cut short, %ju bytes",
		    (uintmax_t)(q->size - q->at));
	if (!(p = profile_look(s, q->at, 3 * q->slot)))
		return 0;
	count = profile_slot(q, p, 0);
	depth = profile_slot(q, p, 1);
	if (!count && depth == 1 && !profile_slot(q, p, 2)) {
		q->text = q->at + 3 * q->slot;
		return 0;
	}
	if (!count || !depth)
		return profile_fault(q, q->at, "CPU profile record: %s", count ? "no addresses" : "a count of 0");
	if (depth > left - 2)
		return profile_fault(q, q->at, "CPU profile record: cut short, %ju of %ju addresses", (uintmax_t)left - 2,
		    (uintmax_t)depth);
	if (s->flags & PP_OPEN_EXPAND_COUNTS && count > EXPAND_MAX)
		return profile_fault(q, q->at, "CPU profile record: a count of %ju; no more than %ju samples are made of one",
		    (uintmax_t)count, (uintmax_t)EXPAND_MAX);
	q->repeat = s->flags & PP_OPEN_EXPAND_COUNTS ? count : 1;
	if (__builtin_mul_overflow(q->period, count / q->repeat, &q->weight))
		return profile_fault(q, q->at, "CPU profile record: a count of %ju periods of %ju ns is no time",
		    (uintmax_t)count, (uintmax_t)q->period);
	q->chain = q->at + 2 * q->slot;
	q->depth = depth;
	q->at = q->chain + depth * q->slot;
	return 1;
}

static void
profile_scan(struct source *s)
{
	struct cpuprofile *q = (struct cpuprofile *)s->container;
	uint64_t cut = 0, n = 0;

	do {
		q->end = q->at;
		n++;
		cut += q->depth > CHAIN_MAX;
	} while (profile_take_record(s) > 0);
	if (cut)
		snprintf(s->warning, sizeof s->warning, "%ju of %ju callchains have more than %d addresses and are cut",
		    (uintmax_t)cut, (uintmax_t)n - 1, CHAIN_MAX);
}

/* The number of slots in the header, if it has this slot size and byte order. */
static bool
profile_is_header(const uint8_t *p, unsigned width, bool swap)
{
	struct cpuprofile q = { .slot = width, .swap = swap };
	uint64_t n = profile_slot(&q, p, 1);

	return !profile_slot(&q, p, 0) && n >= 3 && n <= HEADER_SLOTS_MAX;
}

bool
is_cpuprofile(const uint8_t p[static 16])
{
	/* 8 zeros are no header of 32 bits */
	return profile_is_header(p, 8, false) || profile_is_header(p, 8, true) || profile_is_header(p, 4, false) ||
	    profile_is_header(p, 4, true);
}

static int
profile_take_header(struct source *s)
{
	struct cpuprofile *q = (struct cpuprofile *)s->container;
	const uint8_t *p;
	uint64_t slots;

	if (!(p = profile_look(s, 0, 16)))
		return -1;
	q->slot = profile_is_header(p, 8, false) || profile_is_header(p, 8, true) ? 8 : 4;
	q->swap = profile_is_header(p, q->slot, true);
	slots = 2 + profile_slot(q, p, 1);
	if (slots * q->slot > q->size)
		return source_fail(s, 0, "CPU profile header: cut short, %ju of %ju bytes", (uintmax_t)q->size,
		    (uintmax_t)(slots * q->slot));
	if (!(p = profile_look(s, 0, slots * q->slot)))
		return -1;
	if (profile_slot(q, p, 2))
		return source_fail(s, 2 * q->slot, "CPU profile header: version %ju is not known",
		    (uintmax_t)profile_slot(q, p, 2));
	q->period = profile_slot(q, p, 3);
	if (!q->period) {
		q->period = 1;
		snprintf(s->warning, sizeof s->warning, "a sampling period of 0 us in the header is taken for 1 us");
	}
	if (q->period > PERIOD_MAX)
		return source_fail(s, 3 * q->slot, "CPU profile header: a sampling period of %ju us",
		    (uintmax_t)q->period);
	q->period *= 1000;
	q->records = q->at = slots * q->slot;
	return 1;
}

/* ---- making records -------------------------------------------------------------------------------- */

/* A sample by SAMPLE_TYPE, before the addresses of its chain. */
struct profile_sample {
	uint8_t header[PP_HEADER_SIZE], ip[8], pid[4], tid[4], time[8], period[8], nr[8], context[8];
};
#define SET_SAMPLE(p, field, value) PP_NUM_SET(p, struct profile_sample, field, value, false)

static const struct { uint32_t pid, tid; uint64_t time; } profile_trailer = { PID, PID, 0 };
#define TRAILER { &profile_trailer, sizeof profile_trailer }

static size_t
profile_make_attr(const struct cpuprofile *q, uint8_t *p)
{
	/*
	 * inherit, exclude_kernel, exclude_hv, mmap, comm, task, sample_id_all, mmap2, comm_exec.
	 * Time in the kernel is in the profile too, but where the kernel was called.
	 */
	static const uint8_t flags[] = { 1, 5, 6, 8, 9, 13, PP_ATTR_SAMPLE_ID_ALL_BIT, 23, 24 };
	uint8_t attr[ATTR_SIZE + 8] = { 0 };
	struct pp_rec r;

	PP_ATTR_SET(attr, ATTR_SIZE, type, TYPE_SOFTWARE, false);
	PP_ATTR_SET(attr, ATTR_SIZE, size, ATTR_SIZE, false);
	PP_ATTR_SET(attr, ATTR_SIZE, config, COUNT_SW_CPU_CLOCK, false);
	PP_ATTR_SET(attr, ATTR_SIZE, sample_period, q->period, false);
	PP_ATTR_SET(attr, ATTR_SIZE, sample_type, SAMPLE_TYPE, false);
	for (size_t i = 0; i < sizeof flags; i++)
		pp_attr_flag(attr, flags[i], true, false);
	pp_set_u64(attr + ATTR_SIZE, EVENT_ID, false);
	PP_MAKE(&r, p, PP_RECORD_MAX, HEADER_ATTR, .tail = { attr, sizeof attr });
	return r.size;
}

/* Otherwise perf would name it cpu-clock:u. */
static size_t
profile_make_name(uint8_t *p)
{
	static const char name[] = "cpu-clock";
	struct pp_rec r;

	PP_MAKE(&r, p, PP_RECORD_MAX, EVENT_UPDATE, .update_type = EVENT_UPDATE_NAME, .id = EVENT_ID, .tail = { name, sizeof name });
	return r.size;
}

struct map {				/* a line of the text */
	uint64_t start, end, pgoff, ino;
	unsigned maj, min, prot, flags;
	char name[NAME_SIZE];
};

static size_t
profile_make_comm(struct cpuprofile *q, uint8_t *p, const struct map *m)
{
	enum { COMM_MAX = 15 };
	static const char deleted[] = " (deleted)";
	const char *slash = strrchr(m->name, '/'), *base = slash && slash[1] ? slash + 1 : m->name;
	size_t len = strlen(base), tail = sizeof deleted - 1;
	char comm[COMM_MAX] = "";	/* all COMM_MAX bytes are in the record */
	struct pp_rec r;

	if (len > tail && !strcmp(base + len - tail, deleted))
		len -= tail;
	memcpy(comm, base, len < COMM_MAX ? len : COMM_MAX);
	q->named = true;
	PP_MAKE(&r, p, PP_RECORD_MAX, COMM, .misc = PP_MISC_USER, .trailer = TRAILER, .pid = PID, .tid = PID,
	    .comm = { comm, sizeof comm });
	return r.size;
}

static size_t
profile_make_mmap2(struct cpuprofile *q, uint8_t *p, const struct map *m)
{
	/* the kernel's name for memory without a file */
	const char *name = m->name[0] ? m->name : "//anon";
	struct pp_raw_inode inode;
	struct pp_rec r;

	PP_RAW_SET((uint8_t *)&inode, inode, maj, m->maj, false);
	PP_RAW_SET((uint8_t *)&inode, inode, min, m->min, false);
	PP_RAW_SET((uint8_t *)&inode, inode, ino, m->ino, false);
	PP_RAW_SET((uint8_t *)&inode, inode, generation, 0, false);
	PP_MAKE(&r, p, PP_RECORD_MAX, MMAP2, .misc = PP_MISC_USER, .trailer = TRAILER, .pid = PID, .tid = PID,
	    .start = m->start, .len = m->end - m->start, .pgoff = m->pgoff, .inode_or_build_id = { &inode, sizeof inode },
	    .prot = m->prot, .flags = m->flags, .filename = { name, strlen(name) });
	q->nmaps++;
	return r.size;
}

static size_t
profile_make_sample(struct source *s, uint8_t *p)
{
	struct cpuprofile *q = (struct cpuprofile *)s->container;
	size_t n = q->depth < CHAIN_MAX ? q->depth : CHAIN_MAX, size;
	const uint8_t *pc = profile_look(s, q->chain, n * q->slot);

	if (!pc)
		return 0;
	if (q->time < UINT64_MAX - 1 - q->weight)	/* else the time stays the same; ~0 means none */
		q->time += q->weight;
	size = sizeof(struct profile_sample) + 8 * n;
	pp_raw_head(p, PP_SAMPLE, PP_MISC_USER, (uint16_t)size, false);
	SET_SAMPLE(p, ip, profile_slot(q, pc, 0));
	SET_SAMPLE(p, pid, PID);
	SET_SAMPLE(p, tid, PID);
	SET_SAMPLE(p, time, q->time);
	SET_SAMPLE(p, period, q->weight);
	SET_SAMPLE(p, nr, n + 1);
	SET_SAMPLE(p, context, PP_CONTEXT(USER));
	for (size_t i = 0; i < n; i++)
		pp_set_u64(p + sizeof(struct profile_sample) + 8 * i, profile_slot(q, pc, i), false);
	return size;
}

/* ---- maps ---------------------------------------------------------------------------------------- */

/* Read the next line of the text into q->line, without its end.  1; 0: no more. */
static int
profile_take_line(struct source *s)
{
	struct cpuprofile *q = (struct cpuprofile *)s->container;
	uint64_t began = q->at;
	size_t len = 0;
	bool fits = true;		/* else the line is longer than any map's and is ignored */

	while (q->at < q->size) {
		size_t n = q->size - q->at < WINDOW / 2 ? (size_t)(q->size - q->at) : WINDOW / 2;
		const uint8_t *p = profile_look(s, q->at, n), *nl;

		if (!p)
			return 0;
		if ((nl = memchr(p, '\n', n)))
			n = (size_t)(nl - p);
		fits = fits && len + n < LINE_SIZE;
		if (fits) {
			memcpy(q->line + len, p, n);
			len += n;
		}
		q->at += n + (nl ? 1 : 0);
		if (nl) {
			q->line[fits ? len : 0] = 0;
			return 1;
		}
	}
	if (q->at > began)
		profile_fault(q, began, "CPU profile maps: cut short in a line");
	return 0;
}

/* The name of a map; $build in it stands for the path of the last "build=" line. */
static void
profile_set_name(struct cpuprofile *q, struct map *m, const char *text)
{
	const char *var = strstr(text, "$build");
	int put;

	if (var && strspn(var + 6, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"))
		var = NULL;
	put = var ? snprintf(m->name, sizeof m->name, "%.*s%s%s", (int)(var - text), text, q->build, var + 6) :
	    snprintf(m->name, sizeof m->name, "%s", text);
	if (put < 0 || (size_t)put >= sizeof m->name)
		m->name[0] = 0;
}

/*
 * Parse a line as in /proc/PID/maps (kernel, fs/proc/task_mmu.c: show_map_vma), or the older "start-end: name".  1: it is an
 * executable map; 0: something else, which the format says to ignore.
 */
static int
profile_parse_map(struct cpuprofile *q, struct map *m)
{
	const char *text = q->line;
	int at, name;
	char perms[5] = "r-xp";

	if (!strncmp(text + strspn(text, " "), "build=", 6)) {
		text += strspn(text, " ") + 6;
		if (strlen(text) < sizeof q->build)
			memcpy(q->build, text, strlen(text) + 1);
		return 0;
	}
	memset(m, 0, offsetof(struct map, name));
	if (!strspn(text, "0123456789abcdefABCDEF") ||
	    sscanf(text, "%16" SCNx64 "-%16" SCNx64 "%n", &m->start, &m->end, &at) < 2 || m->start >= m->end)
		return 0;
	if (text[at] == ':')
		name = 1;
	else if (sscanf(text + at, " %4s %16" SCNx64 " %8x:%8x %20" SCNu64 "%n", perms, &m->pgoff, &m->maj, &m->min,
	    &m->ino, &name) != 5 || strlen(perms) != 4)
		return 0;
	m->prot = (perms[0] == 'r' ? PROT_READ : 0u) | (perms[1] == 'w' ? PROT_WRITE : 0u) |
	    (perms[2] == 'x' ? PROT_EXEC : 0u);
	m->flags = perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	text += at;
	text += name;
	profile_set_name(q, m, text + strspn(text, " "));
	return m->prot & PROT_EXEC ? 1 : 0;
}

/* Make the record of the next executable map, with COMM before the first that has a file.  0: no more. */
static size_t
profile_make_map(struct source *s, uint8_t *p)
{
	struct cpuprofile *q = (struct cpuprofile *)s->container;
	struct map m;

	while (q->pending || profile_take_line(s) > 0) {
		q->pending = false;
		if (!profile_parse_map(q, &m))
			continue;
		if (q->named || !m.name[0] || m.name[0] == '[')
			return profile_make_mmap2(q, p, &m);
		q->pending = true;
		return profile_make_comm(q, p, &m);
	}
	if (!q->nmaps)
		profile_fault(q, q->text, "CPU profile maps: none after the trailer: cut short, or never written");
	return 0;
}

/* ---- second pass ----------------------------------------------------------------------------------- */

static size_t
profile_next_sample(struct source *s, uint8_t *p)
{
	struct cpuprofile *q = (struct cpuprofile *)s->container;

	if (q->in_round == ROUND) {
		q->in_round = 0;
		pp_raw_head(p, PP_FINISHED_ROUND, 0, PP_HEADER_SIZE, false);
		return PP_HEADER_SIZE;
	}
	if (!q->repeat && (q->at >= q->end || profile_take_record(s) <= 0))
		return 0;
	q->repeat--;
	q->in_round++;
	return profile_make_sample(s, p);
}

/* Make one record of at most PP_RECORD_MAX bytes at p.  Returns its size; 0: no more. */
static size_t
profile_make_record(struct source *s, uint8_t *p)
{
	struct cpuprofile *q = (struct cpuprofile *)s->container;
	size_t n;

	switch (q->next) {
	case ATTR:
		q->next = NAME;
		return profile_make_attr(q, p);
	case NAME:
		q->next = MAPS;
		q->at = q->text;
		return profile_make_name(p);
	case MAPS:
		if (q->text && (n = profile_make_map(s, p)))
			return n;
		q->next = SAMPLES;
		q->at = q->records;
		/* FALLTHROUGH */
	case SAMPLES:
		break;
	}
	return profile_next_sample(s, p);
}

/* ---- the container ---------------------------------------------------------------------------------- */

static ssize_t
profile_read(struct source *s, uint8_t *p, size_t n)
{
	struct cpuprofile *q = (struct cpuprofile *)s->container;
	size_t used = 0, size;

	while (n - used >= PP_RECORD_MAX && (size = profile_make_record(s, p + used)))
		used += size;
	if (used || !q->fault[0])
		return (ssize_t)used;
	s->fatal = true;
	return source_fail(s, q->fault_at, "%s", q->fault);
}

/* All records are made: they have no offset in the input. */
static uint64_t
profile_place(const struct container *c, uint64_t at, bool *made)
{
	(void)c;
	(void)at;
	(void)made;
	return 0;
}

static uint64_t
profile_left(const struct source *s)
{
	return s->total - s->nread;
}

static void
profile_close(struct container *c)
{
	free(c);
}

int
cpuprofile_open(struct source *s)
{
	static const struct container_kind kind = { .read = profile_read, .place = profile_place, .left = profile_left,
	    .close = profile_close };
	struct cpuprofile *q = calloc(1, sizeof *q);
	int64_t size;

	if (!q)
		return source_fail_memory(s, 0);
	q->pub.kind = &kind;
	container_set(s, &q->pub);
	if ((size = s->in->layer->size(s->in)) < 0)
		return source_fail_bytes(s);
	q->size = (uint64_t)size;
	if (profile_take_header(s) < 0)
		return s->failed ? -1 : source_fail(s, q->fault_at, "%s", q->fault);
	profile_scan(s);
	q->repeat = 0;
	s->profile = true;
	s->nread = 0;
	window_start(s);
	return 1;
}

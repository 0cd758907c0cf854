/* SPDX-License-Identifier: ISC */
/*
 * read.c - reads an index that anybody may have made: nothing in it is used before its hash, its lengths and its order were
 * checked
 */
#include <sys/stat.h>

#include <stdlib.h>
#include <unistd.h>

#include "index.h"
#include "layout.h"
#include "read.h"
#include "set.h"
#include "sink/tmpfile.h"
#include "source/leave_out.h"

enum { PPI_READ_SIZE = 256 << 10 };

/* Have n bytes from x->at on in memory.  NULL: the file ends before, or cannot be read. */
static const uint8_t *
ppi_have(struct ppi_reader *x, size_t n)
{
	uint64_t left = x->entries_end - x->at;
	size_t want = n > PPI_READ_SIZE ? n : PPI_READ_SIZE;
	uint8_t *p;

	if (x->at >= x->buf_at && x->at - x->buf_at <= x->n && n <= x->n - (x->at - x->buf_at))
		return x->buf + (x->at - x->buf_at);
	if (n > left)
		return NULL;
	if (want > left)
		want = (size_t)left;
	if (!(p = buffer_more(x->buf, &x->cap, 0, want)))
		return NULL;
	x->buf = p;
	x->n = 0;
	if (pp_tmpfile_read_at(x->fd, x->buf, want, x->at) <= 0)
		return NULL;
	x->buf_at = x->at;
	x->n = want;
	return x->buf;
}

const uint8_t *
ppi_item(struct ppi_reader *x, uint32_t magic, size_t fixed, size_t *n)
{
	const uint8_t *p = ppi_have(x, fixed);

	_Static_assert((int)PPI_S_MAGIC == (int)PPI_E_MAGIC && (int)PPI_S_SIZE == (int)PPI_E_SIZE, "entries and snapshots begin alike");
	if (!p || ppi_u32(p + PPI_E_MAGIC) != magic || (*n = ppi_u32(p + PPI_E_SIZE)) > PPI_ENTRY_MAX || *n < fixed + PPI_HASH)
		return NULL;
	return (p = ppi_have(x, *n)) && ppi_sound(p, *n) ? p : NULL;
}

bool
ppi_grow(void *p, size_t *cap, size_t n, size_t size)
{
	void *q, **to = p;

	if (n <= *cap)
		return true;
	if (!(q = reallocarray(*to, n, size)))
		return false;
	*to = q;
	*cap = n;
	return true;
}

static struct ppi_mark
ppi_get_mark(const uint8_t *p)
{
	return (struct ppi_mark){ .file = ppi_u32(p), .len = ppi_u32(p + 4), .off = ppi_u64(p + 8) };
}

/* ---- entries ----------------------------------------------------------------------------------------- */

static bool
ppi_get_words(struct ppi_reader *x, struct pp_chunk *c, const uint8_t *p)
{
	size_t n = (size_t)c->nevents + c->ncpus;

	if (!ppi_grow(&x->words, &x->capwords, n, sizeof *x->words))
		return false;
	for (size_t i = 0; i < n; i++)
		x->words[i] = ppi_u64(p + 8 * i);
	c->events = c->nevents ? x->words : NULL;
	c->cpus = c->ncpus ? x->words + c->nevents : NULL;
	return true;
}

/* The tasks in the n bytes at p: as many as there should be, ascending. */
static bool
ppi_get_tasks(struct ppi_reader *x, struct pp_chunk *c, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;
	uint64_t v = 0, add;
	unsigned shift;
	uint8_t b;

	if (c->ntasks > n || !ppi_grow(&x->tasks, &x->captasks, c->ntasks, sizeof *x->tasks))
		return false;
	for (size_t i = 0; i < c->ntasks; i++) {
		add = 0;
		shift = 0;
		if (p < end && *p < 128)	/* nearly all */
			add = *p++;
		else do {
			if (p == end || shift > 28)
				return false;
			b = *p++;
			add |= (uint64_t)(b & 127) << shift;
			shift += 7;
		} while (b & 128);
		v += add;
		if (v > UINT32_MAX || (i && !add))
			return false;
		x->tasks[i] = (uint32_t)v;
	}
	c->tasks = c->ntasks ? x->tasks : NULL;
	return p == end;
}

/*
 * Can a chunk be like that?  What zstd compresses is at most 2^15 times larger, so sums over chunks that lie one behind the other in a
 * file stay below 2^63.
 */
static bool
ppi_is_chunk(const struct pp_chunk *c)
{
	if (c->file >= PPI_FILES_MAX || !c->len || c->off > INT64_MAX || c->len > INT64_MAX - c->off || c->first > c->last)
		return false;
	return c->samples <= c->records && c->samples <= c->sample_bytes / PP_HEADER_SIZE && c->sample_bytes <= c->plain &&
	    c->records <= c->plain / PP_HEADER_SIZE && (c->flags & PP_CHUNK_COMPRESSED ? c->plain >> 15 : c->plain) <= c->len;
}

/* The entry at p, of n bytes, whose hash is right. */
static bool
ppi_get_entry(struct ppi_reader *x, struct ppi_entry *e, const uint8_t *p, size_t n)
{
	struct pp_chunk *c = &e->c;
	uint64_t words, ntasks = ppi_u32(p + PPI_E_TASKS_SIZE), left = n - PPI_E_FIXED - PPI_HASH;

	*e = (struct ppi_entry){ .c = { .file = ppi_u32(p + PPI_E_FILE), .flags = ppi_u32(p + PPI_E_FLAGS),
	    .off = ppi_u64(p + PPI_E_OFF), .len = ppi_u64(p + PPI_E_LEN), .plain = ppi_u64(p + PPI_E_PLAIN),
	    .records = ppi_u64(p + PPI_E_RECORDS), .samples = ppi_u64(p + PPI_E_SAMPLES),
	    .sample_bytes = ppi_u64(p + PPI_E_SAMPLE_BYTES), .first = ppi_u64(p + PPI_E_FIRST), .last = ppi_u64(p + PPI_E_LAST),
	    .nevents = ppi_u32(p + PPI_E_EVENTS), .ncpus = ppi_u32(p + PPI_E_CPUS), .ntasks = ppi_u32(p + PPI_E_TASKS) },
	    .print = ppi_u64(p + PPI_E_PRINT), .tail = ppi_u64(p + PPI_E_TAIL), .ncopy = ppi_u32(p + PPI_E_COPY_SIZE),
	    .copy_plain = ppi_u32(p + PPI_E_COPY_PLAIN) };
	words = 8 * ((uint64_t)c->nevents + c->ncpus);
	if (words > left || ntasks > left - words || e->ncopy != left - words - ntasks || e->copy_plain > PPI_COPY_MAX || !ppi_is_chunk(c))
		return false;
	p += PPI_E_FIXED;
	if (!ppi_get_words(x, c, p) || !ppi_get_tasks(x, c, p + words, (size_t)ntasks))
		return false;
	e->copy = e->ncopy ? p + words + ntasks : NULL;
	return true;
}

/* Step over snapshots, of which only the end tells.  false: they are damaged. */
static bool
ppi_pass_snaps(struct ppi_reader *x)
{
	const uint8_t *p;
	uint32_t n;

	while (x->version > 1 && x->at != x->entries_end && (p = ppi_have(x, PPI_S_FIXED)) && ppi_u32(p) == PPI_SNAP) {
		n = ppi_u32(p + PPI_S_SIZE);
		if (n < PPI_S_FIXED + PPI_HASH || n > x->entries_end - x->at)
			return false;
		x->at += n;
	}
	return true;
}

int
ppi_next(struct ppi_reader *x, struct ppi_entry *e, bool *damaged)
{
	const uint8_t *p;
	size_t n;

	*damaged = !ppi_pass_snaps(x);
	if (*damaged || x->at == x->entries_end)
		return 0;
	*damaged = true;
	if (!(p = ppi_item(x, PPI_ENTRY, PPI_E_FIXED, &n)) || !ppi_get_entry(x, e, p, n))
		return 0;
	if (e->c.file < x->last_file || (e->c.file == x->last_file && e->c.off < x->last_end))
		return 0;
	*damaged = false;
	x->last_file = e->c.file;
	x->last_end = e->c.off + e->c.len;
	x->at += n;
	return 1;
}

void
ppi_rewind(struct ppi_reader *x)
{
	x->at = PPI_HEAD_SIZE;
	x->last_file = 0;
	x->last_end = 0;
}

/* ---- head and end ------------------------------------------------------------------------------------ */

static int
ppi_get_head(struct ppi_reader *x, struct pp_err *err)
{
	struct ppi_head *h = &x->head;
	uint8_t p[PPI_HEAD_SIZE];
	int rc = pp_tmpfile_read_at(x->fd, p, sizeof p, 0);

	if (rc < 0)
		return pp_fail_system(err, NULL);
	if (!rc || memcmp(p, PPI_MAGIC, 8) != 0)
		return pp_fail(err, "is no index");
	x->version = ppi_u32(p + PPI_HEAD_VERSION);
	if (x->version > PPI_VERSION)
		return pp_fail(err, "is an index of version %u; this is version %d", x->version, PPI_VERSION);
	*h = (struct ppi_head){ .container = ppi_u32(p + PPI_HEAD_CONTAINER), .big = ppi_u32(p + PPI_HEAD_FLAGS) & 1,
	    .mark = ppi_get_mark(p + PPI_HEAD_MARK), .print = ppi_u64(p + PPI_HEAD_PRINT), .size = ppi_u64(p + PPI_HEAD_CHUNK),
	    .every = x->version > 1 ? (uint64_t)ppi_u32(p + PPI_HEAD_SNAPS) << 10 : 0 };
	if (!ppi_sound(p, sizeof p) || h->container > PPI_DIRECTORY || ppi_u32(p + PPI_HEAD_FLAGS) > 1 || h->mark.len > PPI_MARK_MAX)
		return pp_fail(err, "is damaged");
	return 1;
}

/* The arrays behind the sums, of which there are n bytes at p. */
static bool
ppi_get_end_arrays(struct ppi_reader *x, const uint8_t *p, uint64_t n)
{
	struct ppi_end *e = &x->end;
	size_t size;

	if (e->nfiles > PPI_FILES_MAX || e->nmarks > PPI_MARKS_MAX || e->nsnaps > PPI_SNAPS_MAX ||
	    n != (uint64_t)PPI_FILE_SIZE * e->nfiles + (uint64_t)PPI_MARK_SIZE * e->nmarks + (uint64_t)PPI_SNAP_SIZE * e->nsnaps)
		return false;
	size = e->nfiles * sizeof *e->files + e->nsnaps * sizeof *e->snaps + e->nmarks * sizeof *e->marks;
	if (!(x->end_buf = malloc(size + 1)))
		return false;
	e->files = (void *)x->end_buf;
	e->snaps = (void *)(e->files + e->nfiles);
	e->marks = (void *)(e->snaps + e->nsnaps);
	for (unsigned i = 0; i < e->nfiles; i++, p += PPI_FILE_SIZE)
		e->files[i] = (struct ppi_file){ .covered = ppi_u64(p), .size = ppi_u64(p + 8) };
	for (unsigned i = 0; i < e->nmarks; i++, p += PPI_MARK_SIZE)
		if ((e->marks[i] = ppi_get_mark(p)).len > PPI_MARK_MAX)
			return false;
	for (unsigned i = 0; i < e->nsnaps; i++, p += PPI_SNAP_SIZE) {
		e->snaps[i] = (struct ppi_snap){ ppi_u64(p), ppi_u64(p + 8), ppi_u64(p + 16), ppi_u64(p + 24) };
		if (i && e->snaps[i].off <= e->snaps[i - 1].off)
			return false;
	}
	return true;
}

/* Read the end, by the trailer.  false: there is none that checks. */
static bool
ppi_get_end(struct ppi_reader *x)
{
	struct ppi_end *e = &x->end;
	uint8_t t[PPI_TRAILER_SIZE], *p;
	uint32_t fixed = x->version > 1 ? PPI_N_FIXED : PPI_N_FIXED_1;
	uint64_t n, at;
	bool sound;

	if (x->size < PPI_HEAD_SIZE + fixed + PPI_HASH + PPI_TRAILER_SIZE ||
	    pp_tmpfile_read_at(x->fd, t, sizeof t, x->size - sizeof t) <= 0 || memcmp(t + 8, PPI_TRAILER, 8) != 0)
		return false;
	n = ppi_u64(t);
	if (n < fixed + PPI_HASH || n > PPI_END_MAX || n > x->size - PPI_TRAILER_SIZE - PPI_HEAD_SIZE || !(p = malloc(n)))
		return false;
	at = x->size - PPI_TRAILER_SIZE - n;
	sound = pp_tmpfile_read_at(x->fd, p, n, at) > 0 && ppi_u32(p) == PPI_END && ppi_u32(p + PPI_N_SIZE) == n && ppi_sound(p, n);
	if (sound) {
		*e = (struct ppi_end){ .chunks = ppi_u64(p + PPI_N_CHUNKS), .all = { .records = ppi_u64(p + PPI_N_RECORDS),
		    .samples = ppi_u64(p + PPI_N_SAMPLES), .sample_bytes = ppi_u64(p + PPI_N_SAMPLE_BYTES),
		    .first = ppi_u64(p + PPI_N_FIRST), .last = ppi_u64(p + PPI_N_LAST), .plain = ppi_u64(p + PPI_N_PLAIN),
		    .flags = ppi_u32(p + PPI_N_FLAGS) },
		    .nfiles = ppi_u32(p + PPI_N_FILES), .nmarks = ppi_u32(p + PPI_N_MARKS),
		    .reads = ppi_u32(p + PPI_N_READS) != 0, .nsnaps = x->version > 1 ? ppi_u32(p + PPI_N_SNAPS) : 0,
		    .print = ppi_u64(p + PPI_N_PRINT) };
		sound = ppi_get_end_arrays(x, p + fixed, n - fixed - PPI_HASH);
		if (x->version < 3)	/* layout.h says what they lack */
			e->nsnaps = 0;
	}
	free(p);
	if (sound)
		x->entries_end = at;
	return sound;
}

/* An index without an end: add up what its entries say. */
static int
ppi_sum_entries(struct ppi_reader *x, struct pp_err *err)
{
	struct { struct ppi_file file; struct ppi_mark mark; } *one;
	struct ppi_end *e = &x->end;
	struct ppi_entry y;
	bool damaged;

	free(x->end_buf);
	if (!(one = calloc(1, sizeof *one)))
		return pp_fail_memory(err);
	x->end_buf = (void *)one;
	*e = (struct ppi_end){ .files = &one->file, .marks = &one->mark };
	x->entries_end = x->size;
	ppi_rewind(x);
	while (ppi_next(x, &y, &damaged) > 0) {
		e->chunks++;
		e->all.records += y.c.records;
		e->all.samples += y.c.samples;
		e->all.sample_bytes += y.c.sample_bytes;
		e->all.plain += y.c.plain;
		e->all.flags |= y.c.flags;
		if (y.c.first && (!e->all.first || y.c.first < e->all.first))
			e->all.first = y.c.first;
		if (y.c.last > e->all.last)
			e->all.last = y.c.last;
		one->file.covered = x->last_end;
		one->mark = (struct ppi_mark){ .file = y.c.file, .len = y.c.len < PPI_TAIL ? (uint32_t)y.c.len : PPI_TAIL };
		one->mark.off = x->last_end - one->mark.len;
		e->print = y.tail;
		e->nmarks = 1;
		e->nfiles = y.c.file == 0;
	}
	x->entries_end = x->at;
	ppi_rewind(x);
	return 1;
}

struct ppi_reader *
ppi_open(int fd, struct pp_err *err)
{
	struct ppi_reader *x = calloc(1, sizeof *x);
	struct stat st;
	int rc;

	if (!x) {
		pp_fail_memory(err);
		close(fd);
		return NULL;
	}
	x->fd = fd;
	if (fstat(fd, &st) < 0)
		rc = pp_fail_system(err, NULL);
	else if (!S_ISREG(st.st_mode))
		rc = pp_fail(err, "is not a regular file");
	else {
		x->size = x->entries_end = (uint64_t)st.st_size;
		rc = ppi_get_head(x, err);
	}
	if (rc > 0 && !(x->whole = ppi_get_end(x)))
		rc = ppi_sum_entries(x, err);
	if (rc < 0) {
		ppi_close(x);
		return NULL;
	}
	ppi_rewind(x);
	return x;
}

const struct ppi_head *
ppi_head(const struct ppi_reader *x)
{
	return &x->head;
}

const struct ppi_end *
ppi_end(const struct ppi_reader *x, bool *whole)
{
	*whole = x->whole;
	return &x->end;
}

bool
ppi_at_last(const struct ppi_reader *x)
{
	return x->at == x->entries_end;
}

void
ppi_close(struct ppi_reader *x)
{
	if (!x)
		return;
	close(x->fd);
	free(x->end_buf);
	free(x->buf);
	free(x->words);
	free(x->tasks);
	free(x);
}

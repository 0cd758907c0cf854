/* SPDX-License-Identifier: ISC */
/* build.c - see build.h */
#include <errno.h>
#include <stdlib.h>

#include <zstd.h>

#include "build.h"
#include "layout.h"
#include "set.h"
#include "snap.h"
#include "source/leave_out.h"
#include "source/source.h"

enum { COPY_LEVEL = 1, COPY_SHARE = 16, READ_SIZE = 256 << 10 };

struct build {
	struct pp_source *in;
	struct ppi_build *o;
	struct ppi_writer w;
	struct pp_err	*err;			/* of the source; o->err is that of the sink */
	struct pp_chunk_walk walk;
	struct pp_rec	 first;			/* its first */
	struct ppi_end	 end;
	struct ppi_head	 head;
	struct ppi_mark	 starts[PPI_STARTS];
	unsigned	 nstarts;
	uint64_t	 stride;		/* every so many chunks, one has its start in starts */
	struct ppi_mark	 tail;			/* of the last chunk */
	/* The hash of the present chunk, of what the window had of it. */
	XXH64_state_t	 hash;
	uint64_t	 hashed, hash_from;	/* offsets in the file; UINT64_MAX: it is not kept */
	uint32_t	 hash_file;
	/* the copy of the present chunk */
	uint8_t		*copy, *packed, *block;
	size_t		 ncopy, capcopy, cappacked;
	bool		 whole;			/* it gets none */
	uint64_t	 plain;			/* expanded by the source before this chunk */
	/* snapshots: the one that was made of all before the next chunk, compressed; psnap 0: none */
	struct snap	*snap;
	uint8_t		*psnap;
	struct ppi_snap	 at;
	size_t		 npsnap, cappsnap, plain_snap;
	/* the old index */
	struct ppi_entry old;
	bool		 has_old, old_done;
	struct ppi_copy	 old_copy;
};

/* ---- the copy ---------------------------------------------------------------------------------------- */

static int
copy_add(struct build *b, const uint8_t *p, size_t n)
{
	uint8_t *q;

	if (b->whole || b->ncopy + n > PPI_COPY_MAX) {
		b->whole = true;
		return 1;
	}
	if (!(q = buffer_more(b->copy, &b->capcopy, b->ncopy, n)))
		return pp_fail_memory(b->err);
	b->copy = q;
	memcpy(b->copy + b->ncopy, p, n);
	b->ncopy += n;
	return 1;
}

/* The times of the SAMPLEs since the FINISHED_ROUND before. */
static int
copy_add_times(struct build *b)
{
	uint8_t p[PP_LEFT_OUT_SIZE] = { 0 };
	bool swap = b->in->swap;

	if (!b->walk.round_last)
		return 1;
	pp_set_u32(p, PP_LEFT_OUT, swap);
	pp_set_u16(p + 6, sizeof p, swap);
	pp_set_u64(p + PP_HEADER_SIZE, b->walk.round_first, swap);
	pp_set_u64(p + PP_HEADER_SIZE + 8, b->walk.round_last, swap);
	return copy_add(b, p, sizeof p);
}

/* perf record makes one zstd frame: then all is one chunk, which never ends. */
static int
build_endless(struct build *b)
{
	const struct pp_compressed *z = pp_compressed(b->in);
	uint64_t size = b->walk.size ? b->walk.size : PP_CHUNK_SIZE;

	if (z->plain - b->plain <= 2 * size + PP_FRAME_MAX)
		return 1;
	return pp_fail(b->err, "is compressed as one zstd frame, which has to be read from its start: pcat -z FILE -o NEW makes many of it");
}

/* pp_chunk_walk.other */
static int
build_other(void *arg, struct pp_source *in, const struct pp_rec *r)
{
	struct build *b = arg;

	if (build_endless(b) < 0 || (r->type == PP_FINISHED_ROUND && copy_add_times(b) < 0))
		return -1;
	if (r->type == PP_FINISHED_ROUND)
		snap_saw(b->snap, b->walk.round_last);
	if (snap_record(b->snap, in, r) < 0)
		return -1;
	b->whole |= r->payload != 0 || r->type == PP_LEFT_OUT;
	return copy_add(b, r->raw, r->size);
}

/* Compress n bytes to *to.  The number of bytes; 0: by pp_fail(). */
static size_t
build_pack(struct build *b, uint8_t **to, size_t *cap, const uint8_t *p, size_t n)
{
	size_t bound = ZSTD_compressBound(n), got;

	if (bound > *cap) {
		free(*to);
		*cap = 0;
		if (!(*to = malloc(bound))) {
			pp_fail_memory(b->err);
			return 0;
		}
		*cap = bound;
	}
	got = ZSTD_compress(*to, bound, p, n, COPY_LEVEL);
	if (!ZSTD_isError(got))
		return got;
	pp_fail(b->err, "zstd: %s", ZSTD_getErrorName(got));
	return 0;
}

/* Compress the copy, if the chunk is to have one. */
static int
copy_pack(struct build *b, struct ppi_entry *e)
{
	size_t got;

	if (copy_add_times(b) < 0)
		return -1;
	/* To leave out less than half of a chunk saves nothing. */
	if (b->whole || b->ncopy > e->c.plain / 2 || e->c.flags & (PP_CHUNK_PAYLOAD | PP_CHUNK_NO_EVENT) || !b->ncopy)
		return 1;
	if (!(got = build_pack(b, &b->packed, &b->cappacked, b->copy, b->ncopy)))
		return -1;
	if (got > e->c.plain / COPY_SHARE)
		return 1;
	e->copy = b->packed;
	e->ncopy = got;
	e->copy_plain = b->ncopy;
	return 1;
}

/* ---- snapshots -------------------------------------------------------------------------------------------- */

static uint64_t
build_every(const struct build *b)
{
	return b->o->every ? b->o->every & ~UINT64_C(1023) : PPI_EVERY;
}

/* All records of the chunk were seen.  A snapshot waits until there is another chunk behind it. */
static int
build_snap(struct build *b, const struct pp_chunk *c)
{
	struct snap_made made;
	int rc = snap_chunk(b->snap, c, &made);

	b->npsnap = 0;
	if (rc <= 0)
		return rc < 0 ? -1 : 1;
	b->at = (struct ppi_snap){ .off = made.off, .chunks = made.chunks, .sample_bytes = made.sample_bytes };
	b->plain_snap = made.n;
	b->npsnap = build_pack(b, &b->psnap, &b->cappsnap, made.p, made.n);
	return b->npsnap ? 1 : -1;
}

/* The chunk begins where the snapshot ends, if there is one. */
static int
build_put_snap(struct build *b, const struct pp_chunk *c)
{
	struct ppi_end *e = &b->end;
	struct ppi_snap *p;

	if (!b->npsnap || c->off != b->at.off || e->nsnaps == PPI_SNAPS_MAX)
		return 1;
	if (!(p = array_more(e->snaps, e->nsnaps, 1, sizeof *p)))
		return pp_fail_memory(b->err);
	e->snaps = p;
	if (ppi_write_snap(&b->w, &b->at, b->psnap, b->npsnap, b->plain_snap) < 0)
		return -1;
	e->snaps[e->nsnaps++] = b->at;
	b->npsnap = 0;
	return 1;
}

/* ---- the fingerprint ----------------------------------------------------------------------------------- */

/* Add to the hash what the window has up to that offset, or to its position if that is before. */
static void
print_window(struct build *b, uint64_t to)
{
	struct source *s = (struct source *)b->in;
	const uint8_t *pos = s->inner ? s->win.pos : s->pub.pos;
	uint64_t at = window_offset(s, pos);

	if (b->hashed == UINT64_MAX)
		return;
	if (s->file != b->hash_file || at < b->hashed || at - b->hashed > (uint64_t)(pos - s->win.buf)) {
		b->hashed = UINT64_MAX;
		return;
	}
	if (to > at)
		to = at;
	if (to > b->hashed)
		XXH64_update(&b->hash, pos - (at - b->hashed), (size_t)(to - b->hashed));
	b->hashed = to > b->hashed ? to : b->hashed;
}

/* pp_before_refill() */
static int
build_refill(void *arg)
{
	struct build *b = arg;

	print_window(b, UINT64_MAX);
	return b->o->refill ? b->o->refill(b->o->arg) : 1;
}

/* What was read is less than was there before (rc 0), or could not be read. */
static int
print_failed(struct build *b, int rc)
{
	static const char doing[] = "the recording cannot be read once more, to hash it";

	return rc < 0 && errno ? pp_fail_system(b->err, doing) : pp_fail(b->err, "%s", doing);
}

/* Has the window had all of the chunk, and nothing else? */
static bool
print_kept(struct build *b, const struct pp_chunk *c)
{
	if (b->hash_from != c->off || b->hash_file != c->file || c->flags & PP_CHUNK_COMPRESSED)
		return false;
	print_window(b, c->off + c->len);
	return b->hashed == c->off + c->len;
}

/* Hash the bytes of the chunk, which are read once more for it. */
static int
print_again(struct build *b, const struct pp_chunk *c)
{
	int rc = 1;

	if (!b->block && !(b->block = malloc(READ_SIZE)))
		return pp_fail_memory(b->err);
	XXH64_reset(&b->hash, 0);
	for (uint64_t at = 0; rc > 0 && at < c->len; at += READ_SIZE) {
		size_t n = c->len - at < READ_SIZE ? (size_t)(c->len - at) : READ_SIZE;

		if ((rc = pp_raw_at(b->in, c->file, c->off + at, b->block, n)) > 0)
			XXH64_update(&b->hash, b->block, n);
	}
	return rc;
}

static int
print_chunk(struct build *b, struct ppi_entry *e)
{
	const struct pp_chunk *c = &e->c;
	struct ppi_mark tail = { .file = c->file, .len = c->len < PPI_TAIL ? (uint32_t)c->len : PPI_TAIL };
	int rc = print_kept(b, c) ? 1 : print_again(b, c);

	tail.off = c->off + c->len - tail.len;
	if (rc > 0)
		rc = ppi_print(b->in, &tail, 1, &e->tail);
	if (rc <= 0)
		return print_failed(b, rc);
	e->print = XXH64_digest(&b->hash);
	XXH64_reset(&b->hash, 0);
	b->hash_from = b->hashed = c->off + c->len;
	b->hash_file = c->file;
	return 1;
}

/* A chunk begins there: up to PPI_STARTS of them, equally far apart, are of the fingerprint. */
static void
print_start(struct build *b, const struct pp_chunk *c)
{
	unsigned n = 0;

	if (b->end.chunks % b->stride)
		return;
	if (b->nstarts == PPI_STARTS) {
		for (unsigned i = 0; i < b->nstarts; i += 2)
			b->starts[n++] = b->starts[i];
		b->nstarts = n;
		b->stride *= 2;
		if (b->end.chunks % b->stride)
			return;
	}
	b->starts[b->nstarts++] = (struct ppi_mark){ .file = c->file, .off = c->off,
	    .len = c->len < PPI_START ? (uint32_t)c->len : PPI_START };
}

/*
 * What is told by its head: of a stream its first bytes; of a perf.data the attrs and ids, but not the header in front of them,
 * which perf record writes again at the end.
 */
static int
print_head(struct build *b, const struct pp_chunk *first)
{
	enum { STREAM_BYTES = 4096, FILE_HEADER = 104 };
	int64_t size = pp_raw_size(b->in, 0);
	uint64_t to = (uint64_t)size;
	struct ppi_head *h = &b->head;
	uint8_t p[16];
	int rc = size < 0 ? -1 : pp_raw_at(b->in, 0, 0, p, sizeof p);

	if (rc <= 0)
		return print_failed(b, rc);
	h->big = b->in->swap != PPI_SWAP;
	h->size = b->walk.size ? b->walk.size : PP_CHUNK_SIZE;
	h->every = build_every(b);
	h->container = pp_raw_size(b->in, 1) >= 0 ? PPI_DIRECTORY : pp_get_u64(p + 8, b->in->swap) == PP_PIPE_HEADER_SIZE ? PPI_STREAM : PPI_FILE;
	if (h->container == PPI_STREAM) {
		if (first)
			to = first->off + first->len;
		h->mark = (struct ppi_mark){ .len = to < STREAM_BYTES ? (uint32_t)to : STREAM_BYTES };
	} else {
		if (first && !first->file)
			to = first->off;
		to = to > FILE_HEADER ? to - FILE_HEADER : 0;
		h->mark = (struct ppi_mark){ .off = FILE_HEADER, .len = to < PPI_HEAD_PRINTED ? (uint32_t)to : PPI_HEAD_PRINTED };
	}
	if ((rc = ppi_print(b->in, &h->mark, 1, &h->print)) <= 0)
		return print_failed(b, rc);
	return ppi_write_head(&b->w, h);
}

/* ---- entries --------------------------------------------------------------------------------------------- */

static int
build_cover(struct build *b, const struct pp_chunk *c)
{
	struct ppi_end *e = &b->end;
	struct ppi_file *p = array_reach(e->files, &e->nfiles, c->file, sizeof *p);

	if (!p)
		return pp_fail_memory(b->err);
	e->files = p;
	e->files[c->file].covered = c->off + c->len;
	return 1;
}

static int
build_put(struct build *b, const struct ppi_entry *y)
{
	struct ppi_end *e = &b->end;
	const struct pp_chunk *c = &y->c;

	if ((!e->chunks && print_head(b, c) < 0) || build_cover(b, c) < 0 || build_put_snap(b, c) < 0 || ppi_write_entry(&b->w, y) < 0)
		return -1;
	print_start(b, c);
	e->chunks++;
	e->all.records += c->records;
	e->all.samples += c->samples;
	e->all.sample_bytes += c->sample_bytes;
	e->all.plain += c->plain;
	e->all.flags |= c->flags;
	if (c->first && (!e->all.first || c->first < e->all.first))
		e->all.first = c->first;
	if (c->last > e->all.last)
		e->all.last = c->last;
	b->tail = (struct ppi_mark){ .file = c->file, .len = c->len < PPI_TAIL ? (uint32_t)c->len : PPI_TAIL };
	b->tail.off = c->off + c->len - b->tail.len;
	return 1;
}

/* pp_chunk_walk.chunk */
static int
build_chunk(void *arg, const struct pp_chunk *c)
{
	struct build *b = arg;
	struct ppi_entry e = { .c = *c };
	int rc = build_endless(b) < 0 || copy_pack(b, &e) < 0 || print_chunk(b, &e) < 0 || build_put(b, &e) < 0 ? -1 : 1;

	snap_saw(b->snap, b->walk.round_last);
	if (rc > 0)
		rc = build_snap(b, c);
	b->ncopy = 0;
	b->whole = false;
	b->plain = pp_compressed(b->in)->plain;
	if (rc > 0 && b->o->tick)
		rc = b->o->tick(b->o->arg, b->end.chunks);
	return rc;
}

static int
build_end(struct build *b)
{
	struct ppi_mark marks[PPI_STARTS + 1];
	struct ppi_end *e = &b->end;
	uint32_t i = 0;
	int64_t size;
	int rc;

	if (!e->chunks && print_head(b, NULL) < 0)
		return -1;
	for (; (size = pp_raw_size(b->in, i)) >= 0; i++) {
		if (build_cover(b, &(struct pp_chunk){ .file = i, .len = i < e->nfiles ? e->files[i].covered : 0 }) < 0)
			return -1;
		e->files[i].size = (uint64_t)size;
	}
	if (!i || i < e->nfiles)
		return print_failed(b, -1);
	memcpy(marks, b->starts, b->nstarts * sizeof *marks);
	e->nmarks = b->nstarts;
	if (e->chunks)
		marks[e->nmarks++] = b->tail;
	e->marks = marks;
	e->reads = b->in->events->reads;
	if ((rc = ppi_print(b->in, marks, e->nmarks, &e->print)) <= 0)
		return print_failed(b, rc);
	return ppi_write_end(&b->w, e);
}

/* ---- an old index is continued ----------------------------------------------------------------------------- */

/* The next entry of the old index that is kept: not the last, whose chunk may have gone on.  1; 0: no more; -1. */
static int
old_next(struct build *b)
{
	bool damaged;

	/* all records of the one before were yielded */
	if (b->has_old && build_snap(b, &b->old.c) < 0)
		return -1;
	b->has_old = ppi_next(b->o->old, &b->old, &damaged) > 0 && !ppi_at_last(b->o->old);
	return b->has_old;
}

/* pp_leave_out.next */
static int
old_step(void *arg, uint32_t file, uint64_t off, struct pp_leave_step *x)
{
	struct build *b = arg;
	const struct pp_chunk *c = &b->old.c;

	int rc = b->old_done ? 0 : old_next(b);

	if (rc < 0)
		return -1;
	b->old_done = !rc;
	if (b->old_done)
		return 1;
	if (c->file != file || c->off != off)
		return pp_fail(b->err, "the old index %s does not fit: remove it", b->o->old_name);
	if (build_put(b, &b->old) < 0)
		return -1;
	x->n = c->len;
	if (!b->old.copy)
		return 1;
	if (ppi_expand(&b->old, b->in->swap, &b->old_copy, b->err) < 0)
		return -1;
	x->leave = true;
	x->copy = b->old_copy.p;
	x->ncopy = b->old.copy_plain;
	return 1;
}

/* pp_leave_out.took: the bytes are only read for what they teach. */
static int
old_took(void *arg, const uint8_t *p, size_t n, bool end)
{
	(void)arg, (void)p, (void)n, (void)end;
	return 1;
}

/* pp_when_absent() */
static void
old_absent(void *arg, uint64_t first, uint64_t last)
{
	(void)first;
	snap_saw(((struct build *)arg)->snap, last);
}

/* The snapshots are made again, with the same result. */
static int
old_record(struct build *b, const struct pp_rec *r)
{
	const struct pp_event *ev;
	uint64_t time;

	if (r->type != PP_SAMPLE)
		return snap_record(b->snap, b->in, r);
	if ((ev = pp_event_find(b->in->events, r, NULL)) && pp_time(ev, r, b->in->swap, &time))
		snap_saw(b->snap, time);
	return 1;
}

/* Go through what the old index knows, up to the first record behind it: *r.  1; 0: there is none; -1. */
static int
old_pass(struct build *b, struct pp_rec *r)
{
	static const struct pp_leave_out how = { .next = old_step, .took = old_took };
	struct pp_leave_out *mine = &b->o->leave;
	int rc;

	*mine = how;
	mine->name = b->o->old_name;
	mine->arg = b;
	if ((rc = pp_leave_out(b->in, mine)) <= 0)
		return rc;
	pp_when_absent(b->in, old_absent, b);
	while ((rc = pp_next(b->in, r)) > 0 && !b->old_done)
		if (old_record(b, r) < 0)
			return -1;
	pp_when_absent(b->in, NULL, NULL);
	return rc;
}

/* ---- all --------------------------------------------------------------------------------------------------- */

static int
build_walk(struct build *b)
{
	const char *cannot = pp_chunks_cannot(b->in);
	int rc = 1;

	if (cannot)
		return pp_fail(b->err, "can have no index: %s", cannot);
	if (b->o->old) {
		if ((rc = old_pass(b, &b->first)) < 0)
			return -1;
		b->plain = pp_compressed(b->in)->plain;
		b->walk.first = &b->first;
	}
	return rc > 0 && pp_chunks_walk(b->in, &b->walk) < 0 ? -1 : 1;
}

int
ppi_build(struct pp_source *in, struct pp_sink *out, struct ppi_build *o)
{
	struct build *b = calloc(1, sizeof *b);
	int rc = -1;

	if (!b)
		return pp_fail_memory(o->err);
	b->in = in;
	b->o = o;
	b->err = ((struct source *)in)->err;
	b->stride = 1;
	b->hash_from = b->hashed = UINT64_MAX;
	pp_before_refill(in, build_refill, b);
	b->w = (struct ppi_writer){ .sink = out, .err = o->err };
	b->walk = (struct pp_chunk_walk){ .size = o->size, .chunk = build_chunk, .other = build_other, .arg = b };
	if (!(b->snap = snap_new(in, build_every(b), b->err)))
		pp_fail_memory(b->err);
	else if (build_walk(b) > 0)
		rc = build_end(b);
	pp_before_refill(in, NULL, NULL);
	o->sums = b->end.all;
	o->chunks = b->end.chunks;
	ppi_writer_free(&b->w);
	snap_free(b->snap);
	free(b->psnap);
	free(b->end.snaps);
	free(b->end.files);
	free(b->copy);
	free(b->packed);
	free(b->block);
	ppi_copy_free(&b->old_copy);
	free(b);
	return rc;
}

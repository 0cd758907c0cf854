/* SPDX-License-Identifier: ISC */
/*
 * spill.c - sorted runs of records in one unnamed temporary file.
 *
 *	file	blocks; a run consists of adjacent blocks
 *	block	u32 bytes in the file, u32 bytes of records (equal: they are not compressed), then these bytes
 *	record	u64 time, u32 size, the record
 *
 * Numbers are in this machine's byte order, since no other program reads the file.  No record spans blocks, so a run is read
 * with one buffer.  If there are more runs than can be merged at once, adjacent runs are merged into one first.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zstd.h>

#include "spill.h"
#include "set.h"
#include "sink/tmpfile.h"
#include "state/round.h"

enum { BLOCK = 80 << 10, BLOCK_HEAD = 8, RECORD_HEAD = 12, FAN_MAX = 200 };
enum { LEVEL = -2 };		/* of zstd: a fifth faster than 1; temporary files become 1 to 4 % of their records larger */
_Static_assert(BLOCK >= RECORD_HEAD + PP_RECORD_MAX, "a record fits");

struct run {
	uint64_t	 first, off, end;	/* offsets in the file: begin, next block, end */
	uint64_t	 block;			/* offset of the block in buf */
	uint8_t		*buf;			/* NULL: nothing read */
	size_t		 at, len;		/* of buf: offset of the next record, bytes */
	uint8_t		*rest;			/* records that could not be written, like a last block; NULL: none */
	size_t		 rest_len;
	uint64_t	 time;			/* of the next record */
};

struct spill {
	struct pp_err	*err;
	int		 fd, open_errno;
	bool		 failed;
	uint64_t	 end;			/* offset for the next block */
	size_t		 fan;
	struct run	*run;
	size_t		 n;
	uint32_t	*heap;			/* of runs, by their next record */
	size_t		 nheap;
	bool		 ready;			/* the heap has all runs */
	uint64_t	 least;			/* if not ready: no run has a smaller time */
	bool		 keep;			/* do not free the space of runs while they are merged */
	struct run	 cur;			/* the run being written */
	uint8_t		*buf;			/* its current block, after BLOCK_HEAD bytes */
	size_t		 len, bufcap;
	uint8_t		*z;			/* BLOCK_HEAD + zcap */
	size_t		 zcap;
	ZSTD_CCtx	*cctx;			/* NULL: not compressed */
	ZSTD_DCtx	*dctx;
	uint64_t	 records, bytes, runs;
};

static int
spill_fail(struct spill *s, const char *doing, int error)
{
	s->failed = true;
	return pp_tmpfile_fail(s->err, doing, strerror(error));
}

/* ---- making -------------------------------------------------------------------------------------- */

struct spill *
spill_new(const char *dir, size_t memory, bool compress, struct pp_err *err)
{
	struct spill *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	*err = (struct pp_err){ .file = pp_tmpdir(dir) };
	s->err = err;
	s->fan = memory / BLOCK < 2 ? 2 : memory / BLOCK > FAN_MAX ? FAN_MAX : memory / BLOCK;
	s->fd = pp_tmpfile(dir);
	s->open_errno = errno;
	s->zcap = compress ? ZSTD_compressBound(BLOCK) : 0;
	if (compress && (!(s->cctx = ZSTD_createCCtx()) || !(s->dctx = ZSTD_createDCtx()) ||
	    !(s->z = malloc(BLOCK_HEAD + s->zcap)))) {
		spill_free(s);
		return NULL;
	}
	return s;
}

static void
spill_run_free(struct run *r)
{
	free(r->buf);
	free(r->rest);
	r->buf = r->rest = NULL;
}

void
spill_free(struct spill *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		spill_run_free(&s->run[i]);
	spill_run_free(&s->cur);
	ZSTD_freeCCtx(s->cctx);
	ZSTD_freeDCtx(s->dctx);
	free(s->run);
	free(s->heap);
	free(s->buf);
	free(s->z);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

/* ---- writing ------------------------------------------------------------------------------------- */

static int
spill_write_all(struct spill *s, const uint8_t *p, size_t n)
{
	if (pp_tmpfile_write(s->fd, p, n) < 0) {
		spill_fail(s, "write", errno);
		(void)lseek(s->fd, (off_t)s->end, SEEK_SET);	/* a partial block does not count */
		return -1;
	}
	s->end += n;
	s->bytes += n;
	return 1;
}

static int
spill_write_block(struct spill *s)
{
	uint32_t head[2] = { (uint32_t)s->len, (uint32_t)s->len };
	uint8_t *p = s->buf;

	if (!s->len || s->failed)
		return s->failed ? -1 : 1;
	if (s->cctx) {
		size_t n = ZSTD_compressCCtx(s->cctx, s->z + BLOCK_HEAD, s->zcap, s->buf + BLOCK_HEAD, s->len, LEVEL);

		if (!ZSTD_isError(n) && n < s->len) {
			head[0] = (uint32_t)n;
			p = s->z;
		}
	}
	memcpy(p, head, BLOCK_HEAD);
	if (spill_write_all(s, p, BLOCK_HEAD + head[0]) < 0)
		return -1;
	s->len = 0;
	return 1;
}

int
spill_begin(struct spill *s)
{
	struct run *run;
	uint32_t *heap;

	if (s->fd < 0)
		return spill_fail(s, "open", s->open_errno);
	if (s->failed)
		return -1;
	if (!s->buf && !(s->buf = malloc(s->bufcap = BLOCK_HEAD + BLOCK)))
		return spill_fail(s, "memory", ENOMEM);
	if (!(run = array_more(s->run, s->n, 1, sizeof *run)))
		return spill_fail(s, "memory", ENOMEM);
	s->run = run;
	if (!(heap = array_more(s->heap, s->n, 1, sizeof *heap)))
		return spill_fail(s, "memory", ENOMEM);
	s->heap = heap;
	s->cur = (struct run){ .first = s->end, .off = s->end };
	s->len = 0;
	s->runs++;
	return 1;
}

int
spill_put(void *spill, uint64_t time, const uint8_t *p, size_t n)
{
	struct spill *s = spill;
	uint32_t size = (uint32_t)n;
	uint8_t *to;

	if (s->len + RECORD_HEAD + n > BLOCK)
		spill_write_block(s);
	if (BLOCK_HEAD + s->len + RECORD_HEAD + n > s->bufcap) {	/* only after a failed write */
		if (!(to = realloc(s->buf, 2 * s->bufcap)))
			return spill_fail(s, "memory", ENOMEM);
		s->buf = to;
		s->bufcap *= 2;
	}
	if (!s->len && s->cur.first == s->end)
		s->cur.time = time;
	to = s->buf + BLOCK_HEAD + s->len;
	memcpy(to, &time, sizeof time);
	memcpy(to + 8, &size, sizeof size);
	memcpy(to + RECORD_HEAD, p, n);
	s->len += RECORD_HEAD + n;
	s->records++;
	return 1;
}

/* End the run being written.  Its records that are not in the file become its rest. */
static struct run
spill_run_written(struct spill *s)
{
	struct run r = s->cur;

	if (spill_write_block(s) < 0) {
		memmove(s->buf, s->buf + BLOCK_HEAD, s->len);
		r.rest = s->buf;
		r.rest_len = s->len;
		s->buf = NULL;
	}
	r.end = s->end;
	s->cur = (struct run){ 0 };
	return r;
}

/* The smallest time in any run. */
static uint64_t
spill_least(const struct spill *s)
{
	if (s->ready)
		return s->nheap ? s->run[s->heap[0]].time : UINT64_MAX;
	return s->n ? s->least : UINT64_MAX;
}

int
spill_end(struct spill *s)
{
	struct run r = spill_run_written(s);

	s->least = spill_least(s);
	if (r.time < s->least)
		s->least = r.time;
	s->run[s->n++] = r;
	s->ready = false;
	return s->failed ? -1 : 1;
}

/* ---- reading ------------------------------------------------------------------------------------- */

static int
spill_read_all(struct spill *s, void *to, size_t n, uint64_t off)
{
	int rc = pp_tmpfile_read_at(s->fd, to, n, off);

	return rc > 0 ? 1 : spill_fail(s, "read", rc ? errno : EIO);
}

/* Read the next block of a run into its buffer: 1, 0 at its end, -1. */
static int
spill_read_block(struct spill *s, struct run *r)
{
	uint32_t head[2];

	r->at = r->len = 0;
	if (r->off == r->end && r->rest) {
		free(r->buf);
		r->buf = r->rest;
		r->len = r->rest_len;
		r->rest = NULL;
		return 1;
	}
	if (r->off == r->end)
		return 0;
	if (!r->buf && !(r->buf = malloc(BLOCK)))
		return spill_fail(s, "memory", ENOMEM);
	if (spill_read_all(s, head, sizeof head, r->off) < 0)
		return -1;
	if (head[1] > BLOCK || head[0] > head[1] || (head[0] < head[1] && head[0] > s->zcap))
		return spill_fail(s, "read", EIO);
	if (spill_read_all(s, head[0] < head[1] ? s->z : r->buf, head[0], r->off + BLOCK_HEAD) < 0)
		return -1;
	if (head[0] < head[1] && ZSTD_decompressDCtx(s->dctx, r->buf, BLOCK, s->z, head[0]) != head[1])
		return spill_fail(s, "read", EIO);
	r->block = r->off;
	r->off += BLOCK_HEAD + head[0];
	r->len = head[1];
	return 1;
}

static const uint8_t *
spill_record_of(const struct run *r, size_t *n)
{
	uint32_t size;

	memcpy(&size, r->buf + r->at + 8, sizeof size);
	*n = size;
	return r->buf + r->at + RECORD_HEAD;
}

/* Set the time of the run to that of its next record: 1, 0: there is none, -1. */
static int
spill_head_of(struct spill *s, struct run *r)
{
	size_t n;
	int rc;

	if (r->at == r->len && (rc = spill_read_block(s, r)) <= 0)
		return rc;
	if (r->len - r->at < RECORD_HEAD || (spill_record_of(r, &n), n > r->len - r->at - RECORD_HEAD))
		return spill_fail(s, "read", EIO);
	memcpy(&r->time, r->buf + r->at, sizeof r->time);
	return 1;
}

/* ---- merging ------------------------------------------------------------------------------------- */

static bool
spill_before(const struct spill *s, uint32_t a, uint32_t b)
{
	const struct run *x = &s->run[a], *y = &s->run[b];

	return x->time != y->time ? x->time < y->time : a < b;
}

static void
spill_sink_down(struct spill *s, size_t i)
{
	uint32_t moving = s->heap[i];

	for (size_t kid; (kid = 2 * i + 1) < s->nheap; i = kid) {
		kid += kid + 1 < s->nheap && spill_before(s, s->heap[kid + 1], s->heap[kid]);
		if (!spill_before(s, s->heap[kid], moving))
			break;
		s->heap[i] = s->heap[kid];
	}
	s->heap[i] = moving;
}

static int
spill_make_heap(struct spill *s, size_t first, size_t n)
{
	s->nheap = 0;
	for (size_t i = first; i < first + n; i++) {
		int rc = spill_head_of(s, &s->run[i]);

		if (rc < 0)
			return -1;
		if (rc)
			s->heap[s->nheap++] = (uint32_t)i;
	}
	for (size_t i = s->nheap / 2; i-- > 0;)
		spill_sink_down(s, i);
	return 1;
}

/* Free the disk space of a run, if the file system can do it. */
static void
spill_run_gone(struct spill *s, struct run *r)
{
	spill_run_free(r);
	if (r->end > r->first)
		(void)fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)r->first,
		    (off_t)(r->end - r->first));
}

static int
spill_merge(struct spill *s, uint64_t limit, pp_deliver *fn, void *arg)
{
	while (s->nheap) {
		struct run *r = &s->run[s->heap[0]];
		const uint8_t *p;
		size_t n;
		int rc;

		if (r->time > limit)
			break;
		p = spill_record_of(r, &n);
		if (fn(arg, r->time, p, n) < 0)
			return -1;
		r->at += RECORD_HEAD + n;
		if ((rc = spill_head_of(s, r)) < 0)
			return -1;
		if (!rc) {
			if (!s->keep) {
				spill_run_gone(s, r);
				r->first = r->end;
			}
			s->heap[0] = s->heap[--s->nheap];
		}
		if (s->nheap)
			spill_sink_down(s, 0);
	}
	return 1;
}

static int
spill_merge_put(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct spill *s = arg;

	/* After a failed write fail, too: the buffers of the runs use all the memory. */
	return spill_put(s, time, p, n) < 0 || s->failed ? -1 : 1;
}

/* Restore a run to its saved state. */
static void
spill_rewind_run(struct spill *s, struct run *r, const struct run *was)
{
	bool inside = was->at < was->len;

	r->off = inside ? was->block : was->off;
	if (spill_read_block(s, r) > 0 && inside)
		r->at = was->at;
}

/*
 * Merge n runs into one, in the place of the first.  All of them are in the file completely.  After a failure they are
 * unchanged.
 */
static int
spill_merge_runs(struct spill *s, size_t first, size_t n)
{
	struct run *r = s->run + first, merged, *was = malloc(n * sizeof *was);

	if (!was)
		return spill_fail(s, "memory", ENOMEM);
	memcpy(was, r, n * sizeof *was);
	s->cur = (struct run){ .first = s->end, .off = s->end };
	s->len = 0;
	s->runs++;
	s->keep = true;
	if (spill_make_heap(s, first, n) > 0)
		spill_merge(s, UINT64_MAX, spill_merge_put, s);
	s->keep = false;
	merged = spill_run_written(s);
	if (s->failed) {
		for (size_t i = 0; i < n; i++)
			spill_rewind_run(s, &r[i], &was[i]);
		spill_run_gone(s, &merged);
	} else {
		for (size_t i = 0; i < n; i++)
			spill_run_gone(s, &r[i]);
		*r = merged;
		memmove(r + 1, r + n, (s->n - first - n) * sizeof *r);
		s->n -= n - 1;
	}
	free(was);
	return 1;
}

/* The n adjacent runs with the fewest bytes: a large run is not written again for each small one. */
static size_t
spill_smallest(const struct spill *s, size_t n)
{
	uint64_t least = UINT64_MAX, bytes = 0;
	size_t best = 0;

	for (size_t i = 0; i < s->n; i++) {
		bytes += s->run[i].end - s->run[i].off;
		if (i >= n)
			bytes -= s->run[i - n].end - s->run[i - n].off;
		if (i + 1 >= n && bytes < least) {
			least = bytes;
			best = i + 1 - n;
		}
	}
	return best;
}

/* Drop the runs that are read completely, then merge until all remaining ones can be merged at once. */
static int
spill_prepare(struct spill *s)
{
	size_t keep = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct run *r = &s->run[i];

		if (r->at == r->len && r->off == r->end && !r->rest)
			spill_run_gone(s, r);
		else
			s->run[keep++] = *r;
	}
	s->n = keep;
	while (s->n > s->fan && !s->failed) {
		size_t n = s->n - s->fan + 1;

		if (n > s->fan)
			n = s->fan;
		if (spill_merge_runs(s, spill_smallest(s, n), n) < 0)
			return -1;
	}
	if (spill_make_heap(s, 0, s->n) < 0)
		return -1;
	s->ready = true;
	return 1;
}

bool
spill_waits(const struct spill *s)
{
	return s->ready ? s->nheap > 0 : s->n > 0;
}

int
spill_upto(struct spill *s, uint64_t limit, pp_deliver *fn, void *arg)
{
	/* No run has records up to that time: no merge is needed. */
	if (!s->ready && s->n && s->least <= limit && spill_prepare(s) < 0)
		return -1;
	if (!s->nheap || !s->ready)
		return 1;
	if (spill_merge(s, limit, fn, arg) < 0)
		return -1;
	if (!s->nheap && !s->failed) {		/* all records are read: reuse the file from its begin */
		s->n = 0;
		s->end = 0;
		if (ftruncate(s->fd, 0) < 0 || lseek(s->fd, 0, SEEK_SET) < 0)
			return spill_fail(s, "truncate", errno);
	}
	return 1;
}

void
spill_count(const struct spill *s, uint64_t *records, uint64_t *bytes, uint64_t *runs)
{
	*records = s->records;
	*bytes = s->bytes;
	*runs = s->runs;
}

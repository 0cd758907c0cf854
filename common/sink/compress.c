/* SPDX-License-Identifier: ISC */
/*
 * compress.c - compresses records in several threads: each thread compresses a whole frame with its own zstd context, and the
 * frames are written in order
 *
 *	fed:	[ frame 0 ][ frame 1 ][ frame 2 ][ frame 3 ...
 *	slots:	compressed   at work    at work    being filled
 *		written next
 *
 * FINISHED_ROUND inside a frame makes no thread wait, and the bytes are the same as with one thread.  Only pp_compress_flush()
 * compresses the frame being filled as far as it goes; the frame continues in its slot, whose zstd context stays open.
 */
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "record/event.h"
#include "pack.h"
#include "set.h"
#include "slots.h"

enum { SLACK = 256 << 10 };		/* space for records of types 64 and up in a frame */

struct bytes {
	uint8_t		*p;
	size_t		 n, cap;
};

struct slot {			/* of a ring (slots.h) */
	struct pp_pack	*pack;		/* NULL: not used yet */
	struct bytes	 in, out;
	bool		 failed;
	struct pp_err	 err;
};

struct pp_compress {
	struct pp_compress_how how;
	struct pp_err	*err;
	pp_compress_write *write;
	void		*arg;
	bool		 failed;
	struct pp_pack	*alone;		/* without threads; the members below are unused then */
	struct pp_pack_frame	 frame;
	uint64_t	 payload;
	size_t		 slot_size;

	struct slots	 ring;
	struct slot	*slots;
};

/* ---- slots ---------------------------------------------------------------------------------------- */

static int
compress_append(void *arg, const uint8_t *p, size_t n)
{
	struct slot *s = arg;

	uint8_t *out = buffer_more(s->out.p, &s->out.cap, s->out.n, n);

	if (!out)
		return pp_fail_memory(&s->err);
	s->out.p = out;
	memcpy(s->out.p + s->out.n, p, n);
	s->out.n += n;
	return 1;
}

/* Compress the contents of a slot. */
static void
compress_work_on(void *arg, unsigned slot)
{
	struct slot *s = &((struct pp_compress *)arg)->slots[slot];

	s->failed = pp_pack_feed(s->pack, s->in.p, s->in.n) < 0 || pp_pack_flush(s->pack) < 0;
	s->in.n = 0;
}

/* Prepare the slot to be filled. */
static int
compress_ready(struct pp_compress *c, struct slot *s)
{
	if (!s->in.p && (s->in.p = malloc(c->slot_size)))
		s->in.cap = c->slot_size;
	if (s->in.p && !s->pack)
		s->pack = pp_pack_new(&c->how, c->how.feature, compress_append, s, &s->err);
	if (s->in.p && s->pack) {
		c->how.feature = false;		/* the first one writes it */
		return 1;
	}
	c->failed = true;
	return pp_fail_memory(c->err);
}

/* ---- in order --------------------------------------------------------------------------------------- */

/* Write the oldest slot, after it is compressed.  last: its frame is complete. */
static int
compress_write_oldest(struct pp_compress *c, bool last)
{
	struct slot *s = &c->slots[slots_take(&c->ring, last)];

	if (s->failed)
		pp_fail(c->err, "%s", s->err.what);
	else if (s->out.n && c->write(c->arg, s->out.p, s->out.n) < 0)
		s->failed = true;
	s->out.n = 0;
	c->failed |= s->failed;
	return c->failed ? -1 : 1;
}

/* Pass the slot being filled to a thread. */
static int
compress_hand_over(struct pp_compress *c)
{
	if (slots_hand_over(&c->ring, c->err) > 0)
		return 1;
	c->failed = true;
	return -1;
}

/* A frame is complete: continue in the next slot. */
static int
compress_next_slot(struct pp_compress *c)
{
	struct slots *ring = &c->ring;

	if (compress_hand_over(c) < 0)
		return -1;
	ring->filled = (ring->filled + 1) % ring->n;
	while (slots_state(ring, ring->filled) != SLOT_FREE || slots_state(ring, ring->oldest) == SLOT_DONE)
		if (compress_write_oldest(c, true) < 0)
			return -1;
	return compress_ready(c, &c->slots[ring->filled]);
}

/* Compress and write everything fed; the frame being filled stays open. */
static int
compress_drain(struct pp_compress *c)
{
	bool some = c->slots[c->ring.filled].in.n > 0;

	if (some && compress_hand_over(c) < 0)
		return -1;
	while (c->ring.oldest != c->ring.filled)
		if (compress_write_oldest(c, true) < 0)
			return -1;
	return some ? compress_write_oldest(c, false) : 1;
}

/* ---- records in --------------------------------------------------------------------------------------- */

static int
compress_fill(struct pp_compress *c, const uint8_t *p, size_t n)
{
	struct slot *s = &c->slots[c->ring.filled];

	while (n) {
		size_t take = s->in.cap - s->in.n < n ? s->in.cap - s->in.n : n;

		memcpy(s->in.p + s->in.n, p, take);
		s->in.n += take;
		p += take;
		n -= take;
		if (n && compress_drain(c) < 0)
			return -1;
	}
	return 1;
}

/* The number of these bytes, records and payloads, that belong to the frame being filled; *full: they end it.  0: malformed. */
static size_t
compress_measure(struct pp_compress *c, const uint8_t *p, size_t n, bool *full)
{
	size_t at = 0;
	struct pp_rec r;

	*full = false;
	while (at < n && !*full) {
		size_t skip = c->payload < n - at ? (size_t)c->payload : n - at;

		c->payload -= skip;
		at += skip;
		if (at == n)
			break;
		if (!pp_pack_step(&c->frame, p + at, n - at, &r, full)) {
			pp_fail(c->err, "an incomplete record cannot be compressed");
			return 0;
		}
		if (r.type >= PP_USER_TYPE_START)
			c->payload = pp_payload_size(&r, c->how.swap);
		at += r.size;
	}
	return at;
}

int
pp_compress_feed(struct pp_compress *c, const uint8_t *p, size_t n)
{
	if (c->alone)
		return pp_pack_feed(c->alone, p, n);
	while (n && !c->failed) {
		bool full;
		size_t take = compress_measure(c, p, n, &full);

		if (!take || compress_fill(c, p, take) < 0 || (full && compress_next_slot(c) < 0))
			c->failed = true;
		p += take;
		n -= take;
	}
	return c->failed ? -1 : 1;
}

int
pp_compress_flush(struct pp_compress *c)
{
	if (c->alone)
		return pp_pack_flush(c->alone);
	return c->failed ? -1 : compress_drain(c);
}

void
pp_compress_count(const struct pp_compress *c, uint64_t *plain, uint64_t *packed)
{
	uint64_t a, b;

	*plain = *packed = 0;
	if (c->alone)
		pp_pack_count(c->alone, plain, packed);
	for (unsigned i = 0; i < c->ring.n; i++) {
		if (!c->slots[i].pack || c->ring.state[i] != SLOT_FREE)
			continue;
		pp_pack_count(c->slots[i].pack, &a, &b);
		*plain += a;
		*packed += b;
	}
}

/* ---- begin and end ------------------------------------------------------------------------------------ */

static int
compress_make_slots(struct pp_compress *c)
{
	c->frame = (struct pp_pack_frame){ .size = c->how.frame, .swap = c->how.swap };
	c->slot_size = (size_t)c->how.frame + SLACK;
	if (slots_begin(&c->ring, c->how.threads, compress_work_on, c) < 0 || !(c->slots = calloc(c->ring.n, sizeof *c->slots)))
		return pp_fail_memory(c->err);
	return compress_ready(c, &c->slots[0]);
}

struct pp_compress *
pp_compress_new(const struct pp_compress_how *how, pp_compress_write *fn, void *arg, struct pp_err *err)
{
	struct pp_compress *c;

	if (how->level < 1 || how->level > ZSTD_maxCLevel()) {
		pp_fail(err, "compression level %d: 1 to %d expected", how->level, ZSTD_maxCLevel());
		return NULL;
	}
	if (how->threads && how->frame == UINT64_MAX) {
		pp_fail(err, "a frame without an end cannot be compressed by several threads");
		return NULL;
	}
	if (!(c = calloc(1, sizeof *c))) {
		pp_fail_memory(err);
		return NULL;
	}
	c->how = *how;
	c->err = err;
	c->write = fn;
	c->arg = arg;
	if (how->threads ? compress_make_slots(c) > 0 : !!(c->alone = pp_pack_new(how, how->feature, fn, arg, err)))
		return c;
	pp_compress_free(c);
	return NULL;
}

void
pp_compress_free(struct pp_compress *c)
{
	if (!c)
		return;
	slots_end(&c->ring);
	for (unsigned i = 0; c->slots && i < c->ring.n; i++) {
		pp_pack_free(c->slots[i].pack);
		free(c->slots[i].in.p);
		free(c->slots[i].out.p);
	}
	pp_pack_free(c->alone);
	free(c->slots);
	free(c);
}

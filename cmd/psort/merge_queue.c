/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "merge_queue.h"

enum {
	BLOCK = 256 << 10,
	OPEN_MAX = 4 << 20,		/* bytes without a time that may wait for one that has */
	DELIVERED_MAX = 1 << 20,
	SPENT_MAX = 2,			/* blocks */
};

struct merge_block {
	STAILQ_ENTRY(merge_block) next;
	size_t		 at, n;		/* entries stand from `at' to n */
	_Alignas(8) uint8_t data[BLOCK];
};

/* Bytes of an entry in a block. */
static size_t
room(size_t size)
{
	return (sizeof(struct merge_entry) + size + 7) & ~(size_t)7;
}

static struct merge_entry *
entry(struct merge_block *b, size_t at)
{
	return (struct merge_entry *)(b->data + at);
}

/* Give their key to all entries that have none yet. */
static void
close_entries(struct merge_queue *q, uint64_t key)
{
	struct merge_block *b = q->open_block;
	size_t at = q->open_at;

	for (; b; b = STAILQ_NEXT(b, next), at = 0)
		while (at < b->n) {
			struct merge_entry *e = entry(b, at);

			e->key = key;
			at += room(e->size);
		}
	q->open_block = NULL;
	q->open_bytes = 0;
}

static struct merge_block *
block_for(struct merge_queue *q, size_t n)
{
	struct merge_block *b = STAILQ_LAST(&q->blocks, merge_block, next);

	if (b && BLOCK - b->n >= n)
		return b;
	if (!(b = malloc(sizeof *b))) {
		pp_fail(q->err, "out of memory for records to merge");
		return NULL;
	}
	b->at = b->n = 0;
	STAILQ_INSERT_TAIL(&q->blocks, b, next);
	return b;
}

static int
append(struct merge_queue *q, const struct merge_entry *e, const uint8_t *raw)
{
	struct merge_block *b = block_for(q, room(e->size));
	struct merge_entry *to;

	if (!b)
		return -1;
	to = entry(b, b->n);
	*to = *e;
	memcpy(to->raw, raw, e->size);
	if (!e->timed && !q->open_block) {
		q->open_block = b;
		q->open_at = b->n;
	}
	b->n += room(e->size);
	return 1;
}

/* What a round releases. */
static int
deliver(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct merge_queue *q = arg;

	if (time > q->last)
		q->last = time;
	close_entries(q, q->last);
	q->delivered += n;
	return append(q, &(struct merge_entry){ .key = q->last, .size = (uint16_t)n, .timed = true }, p);
}

int
merge_queue_init(struct merge_queue *q, struct pp_err *err)
{
	*q = (struct merge_queue){ .err = err };
	STAILQ_INIT(&q->blocks);
	STAILQ_INIT(&q->spent);
	q->round = pp_round_new(deliver, q, err);
	return q->round ? 1 : -1;
}

void
merge_queue_free(struct merge_queue *q)
{
	STAILQ_CONCAT(&q->spent, &q->blocks);
	merge_queue_reclaim(q);
	pp_round_free(q->round);
}

int
merge_queue_add(struct merge_queue *q, const struct pp_rec *r, bool timed, uint64_t time)
{
	struct merge_entry e = { .payload = r->payload, .size = r->size };

	q->held += r->size;
	if (timed)
		return pp_round_add(q->round, time, r->raw, r->size);
	if (append(q, &e, r->raw) < 0)
		return -1;
	q->open_bytes += r->size;
	q->stalled = r->payload != 0;
	if (q->stalled || q->open_bytes > OPEN_MAX)	/* nothing can be read behind it, or there is too much */
		close_entries(q, q->last);
	return 1;
}

int
merge_queue_finished(struct merge_queue *q)
{
	int rc = pp_round_finished(q->round);

	if (q->delivered >= DELIVERED_MAX) {
		pp_round_reclaim(q->round);
		q->delivered = 0;
	}
	return rc;
}

int
merge_queue_final(struct merge_queue *q)
{
	int rc = pp_round_final(q->round);

	close_entries(q, q->last);
	pp_round_reclaim(q->round);
	return rc;
}

struct merge_entry *
merge_queue_head(const struct merge_queue *q)
{
	struct merge_block *b = STAILQ_FIRST(&q->blocks);

	if (!b || b->at == b->n || (b == q->open_block && b->at == q->open_at))
		return NULL;
	return entry(b, b->at);
}

void
merge_queue_pop(struct merge_queue *q)
{
	struct merge_block *b = STAILQ_FIRST(&q->blocks);
	struct merge_entry *e = entry(b, b->at);

	q->held -= e->size;
	q->stalled &= !e->payload;
	b->at += room(e->size);
	/* The last one goes too, once nothing more fits: else it would be filled on. */
	if (b->at < b->n || (!STAILQ_NEXT(b, next) && BLOCK - b->n > BLOCK / 2))
		return;
	STAILQ_REMOVE_HEAD(&q->blocks, next);
	STAILQ_INSERT_TAIL(&q->spent, b, next);
	q->nspent++;
}

bool
merge_queue_spent(const struct merge_queue *q)
{
	return q->nspent >= SPENT_MAX;
}

void
merge_queue_reclaim(struct merge_queue *q)
{
	struct merge_block *b;

	while ((b = STAILQ_FIRST(&q->spent))) {
		STAILQ_REMOVE_HEAD(&q->spent, next);
		free(b);
	}
	q->nspent = 0;
}

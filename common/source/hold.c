/* SPDX-License-Identifier: ISC */
/*
 * hold.c - TRACING_DATA that perf refuses in a stream is left out
 *
 * perf stops at TRACING_DATA if what is in it has not the size that the record says, or at a second one.  Where the contents end shows
 * only when they are there.  So the record waits in memory, with as much of its payload as perf would read:
 *
 *	buf [ record | contents | zeros to a multiple of 8 ]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/raw.h"
#include "record/tracing.h"
#include "set.h"
#include "source.h"

enum { CONTENTS_MAX = 64 << 20 };	/* of a kernel with all its events: some MB */

struct hold {
	uint8_t		*buf;
	size_t		 n, cap;
	struct pp_rec	 rec;		/* raw: NULL */
	uint64_t	 off;		/* of the record in the input */
	bool		 open;		/* more of it is to be read */
	bool		 passed;	/* one was yielded */
};

static uint64_t
padded(uint64_t n)
{
	return (n + 7) & ~UINT64_C(7);
}

uint64_t
hold_verdict(struct source *s, const struct pp_tracing *t, uint64_t size, uint64_t off)
{
	uint64_t good = pp_tracing_size(t);

	if (pp_tracing_read(t) > CONTENTS_MAX)
		fault_note(s, off, "TRACING_DATA: more than %d MiB; left out", CONTENTS_MAX >> 20);
	else if (!good || good > size)
		fault_note(s, off, "TRACING_DATA: what is in it is cut or malformed, perf would stop at it in a stream; left out");
	else {
		if (size > padded(good)) {
			fault_lost(s, size - padded(good));
			fault_note(s, off, "TRACING_DATA: %ju bytes, of which perf reads %ju: it would stop at the others in a stream; they are left out",
			    (uintmax_t)size, (uintmax_t)good);
		}
		return good;
	}
	return 0;
}

/* ---- records ----------------------------------------------------------------------------------------- */

/* Append n bytes, which are zeros if p is NULL. */
static int
hold_add(struct source *s, const uint8_t *p, size_t n)
{
	struct hold *h = s->hold;

	uint8_t *buf = buffer_more(h->buf, &h->cap, h->n, n);

	if (!buf)
		return source_fail_memory(s, h->off);
	h->buf = buf;
	if (p)
		memcpy(h->buf + h->n, p, n);
	else
		memset(h->buf + h->n, 0, n);
	h->n += n;
	return 1;
}

/* The payload was given, or is not wanted. */
static int
hold_empty(struct source *s)
{
	struct hold *h = s->hold;

	if (h->buf && window_before_refill(s) < 0)
		return -1;
	free(h->buf);
	h->buf = NULL;
	h->n = h->cap = 0;
	return 1;
}

static int
hold_refuse(struct source *s)
{
	struct hold *h = s->hold;

	h->open = false;
	fault_lost(s, h->rec.size + h->rec.payload);
	return hold_empty(s) < 0 ? NEXT_FAILED : NEXT_AGAIN;
}

/* All of the payload was read: yield the record if perf reads it. */
static int
hold_decide(struct source *s, struct pp_rec *r)
{
	struct hold *h = s->hold;
	uint64_t good = hold_verdict(s, s->payload.tracing, h->rec.payload, h->off), all = padded(good);

	if (!good)
		return hold_refuse(s);
	if (hold_add(s, NULL, (size_t)(all - good)) < 0)
		return NEXT_FAILED;
	if (all > h->rec.payload)
		fault_note(s, h->off, "TRACING_DATA: perf would stop at its %ju bytes in a stream, as they are no multiple of 8; padded",
		    (uintmax_t)h->rec.payload);
	PP_RAW_SET(h->buf, HEADER_TRACING_DATA, tracing_size, (uint32_t)all, s->pub.swap);
	h->open = false;
	h->passed = true;
	*r = h->rec;
	r->raw = h->buf;
	r->payload = all;
	payload_held(s, r, h->buf + r->size);
	return NEXT_RECORD;
}

int
hold_next(struct source *s, struct pp_rec *r)
{
	struct hold *h = s->hold;
	const struct pp_tracing *t = s->payload.tracing;
	const uint8_t *p;
	size_t n;
	int rc;

	do {
		uint64_t had = pp_tracing_read(t), have;

		if (s->no_wait && s->payload.left && s->pub.pos == s->win.end && !s->win.eof)
			return NEXT_WAIT;
		if ((rc = pp_payload(&s->pub, &p, &n)) <= 0)
			break;
		have = pp_tracing_read(t);
		if (have <= CONTENTS_MAX && hold_add(s, p, (size_t)(have - had)) < 0)
			rc = -1;
	} while (rc > 0);
	if (!rc)
		return hold_decide(s, r);
	h->open = false;
	return NEXT_FAILED;
}

int
hold_begin(struct source *s, const struct pp_rec *r)
{
	struct hold *h = s->hold;

	if (!h && !(h = s->hold = calloc(1, sizeof *h)))
		return source_fail_memory(s, window_offset(s, r->raw));
	if (window_made(s, r->raw)) {
		h->passed = true;		/* file.c has made it, of what perf reads */
		return NEXT_RECORD;
	}
	h->rec = *r;
	h->rec.raw = NULL;
	h->off = window_offset(s, r->raw);
	if (h->passed)
		fault_note(s, h->off, "TRACING_DATA: perf would stop at a second one in a stream; left out");
	else if (!r->payload)
		fault_note(s, h->off, "TRACING_DATA: %s, perf would stop at it in a stream; left out",
		    r->size > sizeof(struct pp_raw_HEADER_TRACING_DATA) ? "its data are inside of the record, as simpleperf writes them" :
		    "it is empty");
	else {
		if (hold_empty(s) < 0 || hold_add(s, r->raw, r->size) < 0)
			return NEXT_FAILED;
		h->open = true;
	}
	s->pub.pos += r->size;
	if (payload_begin(s, r) < 0)
		return NEXT_FAILED;
	return h->open ? NEXT_AGAIN : hold_refuse(s);
}

bool
hold_open(const struct source *s)
{
	return s->hold && s->hold->open;
}

int
hold_done(struct source *s)
{
	return s->hold && !s->hold->open ? hold_empty(s) : 1;
}

bool
hold_has(const struct source *s, const uint8_t *p, uint64_t *off)
{
	const struct hold *h = s->hold;

	if (!h || !h->buf || p < h->buf || p >= h->buf + h->n)
		return false;
	*off = h->off;
	return true;
}

void
hold_free(struct source *s)
{
	if (s->hold)
		free(s->hold->buf);
	free(s->hold);
	s->hold = NULL;
}

/* SPDX-License-Identifier: ISC */
/* source.c - the refill loop, and records out of the window; how an input is opened is in open.c */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/event.h"
#include "record/feature.h"
#include "source.h"
#include "record/raw.h"
#include "record/tracing.h"

int
source_fail(struct source *s, uint64_t off, const char *fmt, ...)
{
	char text[sizeof s->err->what];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (!s->err->what[0]) {
		s->err->off = off;
		s->err->at = true;
	}
	s->failed = true;
	s->pub.lim = s->pub.pos;
	return pp_fail(s->err, "%s%s", s->part, text);
}

int
source_expanded(struct source *s, uint64_t bytes)
{
	enum { RATIO_MAX = 1000 };
	uint64_t from = s->wrapped ? s->wrapped : s->nread;

	if (bytes <= s->max_expand || bytes / RATIO_MAX <= from)
		return 1;
	s->fatal = true;
	return source_fail(s, source_offset(s, s->inner ? s->opos : s->pub.pos),
	    "zstd: %ju bytes have become %ju: more than 1:%d past %ju MiB (--max-expand SIZE allows more)", (uintmax_t)from,
	    (uintmax_t)bytes, RATIO_MAX, (uintmax_t)(s->max_expand >> 20));
}

/* A record's name for messages. */
static const char *
type_text(uint32_t type, char buf[static 24])
{
	const char *name = pp_type_name(type);

	if (name)
		return name;
	snprintf(buf, 24, "type %u", type);
	return buf;
}

int
pp_reject(struct pp_source *pub, const struct pp_rec *r)
{
	struct source *s = (struct source *)pub;
	char cause[sizeof s->err->what], num[24];

	snprintf(cause, sizeof cause, "%s", s->err->what);
	s->err->what[0] = 0;
	return source_fail(s, pp_offset(pub, r), "%s: %.*s", type_text(r->type, num), (int)sizeof cause - 32, cause);
}

uint64_t
source_offset(const struct source *s, const uint8_t *p)
{
	uint64_t at = s->base + (uint64_t)(p - s->buf);

	if (s->make)
		return 0;
	for (unsigned i = 0; i < s->nseg; i++) {
		if (at < s->seg[i].len || i + 1 == s->nseg)
			return s->seg[i].off + (s->seg[i].mem ? 0 : at);
		at -= s->seg[i].len;
	}
	return at;
}

uint64_t
pp_offset(const struct pp_source *pub, const struct pp_rec *r)
{
	const struct source *s = (const struct source *)pub;

	return expand_has(s, r->raw) ? expand_offset(s) : source_offset(s, r->raw);
}

bool
pp_made(const struct pp_source *pub, const struct pp_rec *r)
{
	const struct source *s = (const struct source *)pub;
	uint64_t at = s->base + (uint64_t)(r->raw - s->buf);
	unsigned i = 0;

	if (s->make || !s->head || expand_has(s, r->raw))
		return false;
	for (; i + 1 < s->nseg && at >= s->seg[i].len; i++)
		at -= s->seg[i].len;
	return i < s->nseg && s->seg[i].mem;
}

/* ---- reading --------------------------------------------------------------------------------- */

int
source_before_refill(struct source *s)
{
	if (!s->hook || s->hook(s->hook_arg) >= 0)
		return 1;
	s->failed = s->fatal = true;	/* the sink has said why */
	return -1;
}

/* Up to n bytes from the descriptor: their number, 0 at the end, -1. */
static ssize_t
read_input(struct source *s, uint8_t *p, size_t n)
{
	const struct segment *g = &s->seg[s->cur];
	ssize_t got;

	if (s->unwrap)
		return unwrap_read(s, p, n);
	while ((got = g->len == UINT64_MAX ? read(s->fd, p, n) :
	    pread(s->fd, p, n, (off_t)(g->off + s->cur_done))) < 0 && (errno == EINTR || errno == EAGAIN))
		if (errno == EAGAIN)
			poll(&(struct pollfd){ .fd = s->fd, .events = POLLIN }, 1, -1);
	if (got < 0) {
		s->fatal = true;
		return source_fail(s, g->off + s->cur_done, "read: %s", strerror(errno));
	}
	s->nread += (uint64_t)got;
	return got;
}

/* Up to n bytes from the segments: their number, 0 at the end, -1. */
static ssize_t
read_some(struct source *s, uint8_t *p, size_t n)
{
	ssize_t got;
	int rc;

	if (s->make)
		return s->make(s, p, n);
	while (s->cur < s->nseg) {
		const struct segment *g = &s->seg[s->cur];
		uint64_t left = g->len == UINT64_MAX ? n : g->len - s->cur_done;

		if (!left) {
			s->cur++;
			s->cur_done = 0;
			continue;
		}
		if (n > left)
			n = left;
		if (g->mem) {
			memcpy(p, g->mem + s->cur_done, n);
			got = (ssize_t)n;
		} else if ((got = read_input(s, p, n)) == 0 && s->follow) {
			if ((rc = follow_wait(s)) <= 0)
				return rc;
			continue;	/* the segment's length may be known now */
		}
		if (got > 0)
			s->cur_done += (uint64_t)got;
		return got;
	}
	return 0;
}

/*
 * Have room for a record at the position, and for some of what follows.  Bytes that were yielded are not needed any
 * more, or lie in a buffer that stays as it is.
 */
static int
make_room(struct source *s, const uint8_t **pos, size_t have)
{
	uint8_t *to = s->buf;

	if (s->give) {
		if (s->buf + s->cap - *pos > PP_RECORD_MAX)
			return 1;
		if (!(to = s->give(s->give_arg))) {
			s->fatal = true;
			return source_fail(s, source_offset(s, *pos), "out of memory");
		}
		s->cap = PP_BUFFER_SIZE;
	}
	memmove(to, *pos, have);
	s->base += (uint64_t)(*pos - s->buf);
	*pos = s->buf = to;
	return 1;
}

int
source_fill(struct source *s, size_t n)
{
	const uint8_t **pos = s->inner ? &s->opos : &s->pub.pos;
	size_t have = (size_t)(s->oend - *pos);

	if (have >= n)
		return 1;
	if (s->eof)
		return 0;
	if (source_before_refill(s) < 0 || make_room(s, pos, have) < 0)
		return -1;
	while (have < n && !s->eof) {
		uint8_t *to = s->buf + (*pos - s->buf) + have;
		size_t room = (size_t)(s->buf + s->cap - to);
		ssize_t got = read_some(s, to, room < PP_READ_SIZE ? room : PP_READ_SIZE);

		if (got < 0)
			return -1;
		s->eof = got == 0;
		have += (size_t)got;
	}
	if (s->follow)
		have = follow_clip(s, have);
	s->oend = *pos + have;
	if (!s->inner)
		s->pub.lim = s->payload ? s->pub.pos : s->oend;
	return have >= n;
}

void
pp_read_into(struct pp_source *pub, uint8_t *(*give)(void *), void *arg)
{
	struct source *s = (struct source *)pub;

	s->give = give;
	s->give_arg = arg;
}

/* ---- payload ---------------------------------------------------------------------------------- */

int
pp_payload(struct pp_source *pub, const uint8_t **p, size_t *n)
{
	struct source *s = (struct source *)pub;
	char num[24];
	int rc;

	if (s->failed)
		return -1;
	if (!s->payload)
		return 0;
	if ((rc = source_fill(s, 1)) < 0)
		return -1;
	if (!rc)
		return source_fail(s, s->payload_of, "%s: cut short, %ju of %ju payload bytes",
		    type_text(s->payload_type, num), (uintmax_t)(s->payload_size - s->payload),
		    (uintmax_t)s->payload_size);
	*p = pub->pos;
	*n = (size_t)(s->oend - pub->pos);
	if (*n > s->payload)
		*n = (size_t)s->payload;
	pub->pos += *n;
	s->payload -= *n;
	pub->lim = s->payload || s->repair ? pub->pos : s->oend;
	if (s->tracing && s->payload_type == PP_HEADER_TRACING_DATA) {
		pp_tracing_feed(s->tracing, *p, *n);
		if (!s->payload && pp_tracing_count(s->tracing) > s->tracing_named) {
			s->tracing_named = pp_tracing_count(s->tracing);
			return pp_events_tracing(pub->events, s->tracing, s->err);
		}
	}
	return 1;
}

static int
payload_begin(struct source *s, const struct pp_rec *r)
{
	s->payload = s->payload_size = r->payload;
	s->payload_type = r->type;
	s->payload_of = pp_offset(&s->pub, r);
	s->pub.lim = s->payload ? s->pub.pos : s->oend;
	if (r->type != PP_HEADER_TRACING_DATA || s->tracing)
		return 1;
	if (!(s->tracing = pp_tracing_new()))
		return source_fail(s, pp_offset(&s->pub, r), "out of memory");
	return 1;
}

/* ---- records ---------------------------------------------------------------------------------- */

/* pp_err has the cause. */
static int
unsound(struct source *s, const struct pp_rec *r)
{
	size_t n = strlen(s->err->what);

	if (!s->repair)
		snprintf(s->err->what + n, sizeof s->err->what - n, " (pcat --repair goes on behind it)");
	return pp_reject(&s->pub, r);
}

/* May a feature of a sound form be yielded?  Of those in the head of a file, file.c has looked at. */
static bool
outer_feature(struct source *s, const struct pp_rec *r)
{
	if (s->head && s->base + (uint64_t)(r->raw - s->buf) < s->seg[0].len)
		return true;
	s->about.nevents = s->pub.events->n;
	if (fault_feature(s, PP_RAW_GET(r->raw, HEADER_FEATURE, feat_id, s->pub.swap), r->raw + PP_FEATURE_HEAD,
	    r->size - (size_t)PP_FEATURE_HEAD, pp_offset(&s->pub, r)))
		return true;
	s->faults.lost += PP_FEATURE_HEAD;
	s->pub.pos += r->size;
	return false;
}

/* A whole record stands at the outer position: look at what only we can see.  1: yield it, 0: not. */
static int
outer_record(struct source *s, struct pp_rec *r)
{
	if (!(s->flags & PP_OPEN_RAW)) {
		if (r->type == PP_COMPRESSED || r->type == PP_COMPRESSED2)
			return expand_begin(s, r) < 0 ? -1 : 0;
		/* What we yield is not compressed, and perf believes the feature. */
		if (r->type == PP_HEADER_FEATURE && r->size >= 16 &&
		    PP_RAW_GET(r->raw, HEADER_FEATURE, feat_id, s->pub.swap) == PP_FEAT_COMPRESSED) {
			s->pub.pos += r->size;
			return 0;
		}
	}
	if (pp_check(r, s->pub.swap, s->err) < 0)
		return unsound(s, r);
	if (r->type == PP_HEADER_FEATURE && !outer_feature(s, r))
		return 0;
	if (s->repair) {
		int rc = repair_check(s, r);

		r->raw = s->pub.pos;		/* it may have looked ahead */
		if (rc < 0)
			return unsound(s, r);
	}
	r->payload = s->outside && r->type == PP_HEADER_FEATURE ? source_file_payload(s, r) : pp_payload_size(r, s->pub.swap);
	if (r->type >= PP_USER_TYPE_START && pp_events_learn(s->pub.events, r, s->err) < 0)
		return unsound(s, r);
	s->pub.pos += r->size;
	if (r->type < PP_USER_TYPE_START)
		return 1;
	return r->payload || s->payload_size ? payload_begin(s, r) : 1;
}

/* Nothing is left of this input. */
static int
outer_end(struct source *s)
{
	int rc = s->x ? expand_end(s) : 0;

	if (rc)
		return rc;
	return s->dir ? source_dir_next(s) : s->follow ? follow_tail(s) : 0;
}

/* Fewer than the 8 bytes of a header are left. */
static int
outer_rest(struct source *s, size_t n)
{
	if (follow_stopped(s))
		return outer_end(s);
	if (s->cur < s->nseg && s->seg[s->cur].len != UINT64_MAX && s->cur_done < s->seg[s->cur].len)
		return source_fail(s, source_offset(s, s->oend), "data section: cut short, %ju of %ju bytes",
		    (uintmax_t)s->cur_done, (uintmax_t)s->seg[s->cur].len);
	if (n)
		return source_fail(s, source_offset(s, s->pub.pos), "record header: cut short, %zu of %d bytes", n,
		    PP_HEADER_SIZE);
	return outer_end(s);
}

/* The record at the outer position: 1, 2: look again (it was not to be yielded), 0: the end, -1. */
static int
outer_next(struct source *s, struct pp_rec *r)
{
	struct pp_source *pub = &s->pub;
	const uint8_t *skip;
	size_t n;
	char num[24];
	int rc;

	while ((rc = pp_payload(pub, &skip, &n)) > 0)
		;
	if (rc < 0 || (rc = source_fill(s, PP_HEADER_SIZE)) < 0)
		return -1;
	if (!rc)
		return outer_rest(s, (size_t)(s->oend - pub->pos));
	*r = (struct pp_rec){ .type = pp_get_u32(pub->pos, pub->swap),
	    .misc = pp_get_u16(pub->pos + 4, pub->swap), .size = pp_get_u16(pub->pos + 6, pub->swap) };
	if (source_magic(pub->pos))
		return source_fail(s, source_offset(s, pub->pos),
		    "a second pipe header: streams are joined by pcat, not by cat");
	/* perf 6.16 to 7.1 could leave any size there: expand.c knows */
	n = r->type == PP_COMPRESSED2 && r->size < 16 && !(s->flags & PP_OPEN_RAW) ? 16 : r->size;
	if (n < PP_HEADER_SIZE) {
		if (s->follow && (rc = follow_settle(s)) != 0)
			return rc < 0 ? rc : 2;
		return source_fail(s, source_offset(s, pub->pos), "%s: record of %u bytes needs %d%s",
		    type_text(r->type, num), r->size, PP_HEADER_SIZE,
		    s->repair ? "" : " (pcat --repair goes on behind it)");
	}
	if ((rc = source_fill(s, n)) < 0)
		return -1;
	if (!rc && follow_stopped(s))
		return outer_end(s);
	if (!rc)
		return source_fail(s, source_offset(s, pub->pos), "%s: cut short, %zu of %zu bytes",
		    type_text(r->type, num), (size_t)(s->oend - pub->pos), n);
	r->raw = pub->pos;
	rc = outer_record(s, r);
	return rc == 0 ? 2 : rc;
}

int
pp_next_slow(struct pp_source *pub, struct pp_rec *r)
{
	struct source *s = (struct source *)pub;
	size_t left = (size_t)(pub->lim - pub->pos);
	int rc;

	/* A kernel record that is whole needs nothing of us, in either window. */
	if (left >= PP_HEADER_SIZE && (r->type = pp_get_u32(pub->pos, pub->swap)) < PP_USER_TYPE_START &&
	    (r->size = pp_get_u16(pub->pos + 6, pub->swap)) <= left && r->size >= PP_HEADER_SIZE) {
		r->raw = pub->pos;
		r->misc = pp_get_u16(pub->pos + 4, pub->swap);
		r->payload = 0;
		if (pp_check(r, pub->swap, s->err) > 0) {
			pub->pos += r->size;
			return 1;
		}
		s->err->what[0] = 0;	/* the long way finds it too, and knows what to do */
	}
	do {
		if (s->failed)
			return -1;
		if (s->inner) {
			rc = expand_next(s, r);
			if (!rc)
				rc = 2;
		} else if (s->no_wait && !pp_at_hand(pub))
			return 2;
		else if ((rc = outer_next(s, r)) < 0)
			rc = repair_outer(s);
		if (s->repair && !s->inner)
			pub->lim = pub->pos;	/* each record comes by here, to be looked at */
	} while (rc == 2);
	if (rc <= 0)
		fault_end(s);
	else if (s->repair)
		fault_seen(s, r);
	return rc;
}

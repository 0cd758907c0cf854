/* SPDX-License-Identifier: ISC */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "feature.h"
#include "source.h"
#include "tracing.h"

static const char magic[8] = "PERFILE2", magic_swapped[8] = "2ELIFREP";

enum { FILE_HEADER_SIZE = 104, FILE_HEADER_OLD_SIZE = 72 };

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

int
source_fill(struct source *s, size_t n)
{
	const uint8_t **pos = s->inner ? &s->opos : &s->pub.pos;
	size_t have = (size_t)(s->oend - *pos);

	if (have >= n)
		return 1;
	if (s->eof)
		return 0;
	if (source_before_refill(s) < 0)
		return -1;
	memmove(s->buf, *pos, have);
	s->base += (uint64_t)(*pos - s->buf);
	*pos = s->buf;
	while (have < n && !s->eof) {
		size_t room = s->cap - have;
		ssize_t got = read_some(s, s->buf + have, room < PP_READ_SIZE ? room : PP_READ_SIZE);

		if (got < 0)
			return -1;
		s->eof = got == 0;
		have += (size_t)got;
	}
	if (s->follow)
		have = follow_clip(s, have);
	s->oend = s->buf + have;
	if (!s->inner)
		s->pub.lim = s->payload ? s->pub.pos : s->oend;
	return have >= n;
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

/* A whole record stands at the outer position: look at what only we can see.  1: yield it, 0: not. */
static int
outer_record(struct source *s, struct pp_rec *r)
{
	if (!(s->flags & PP_OPEN_RAW)) {
		if (r->type == PP_COMPRESSED || r->type == PP_COMPRESSED2)
			return expand_begin(s, r) < 0 ? -1 : 0;
		/* What we yield is not compressed, and perf believes the feature. */
		if (r->type == PP_HEADER_FEATURE && r->size >= 16 &&
		    pp_get_u64(r->raw + 8, s->pub.swap) == PP_FEAT_COMPRESSED) {
			s->pub.pos += r->size;
			return 0;
		}
	}
	if (pp_check(r, s->pub.swap, s->err) < 0)
		return unsound(s, r);
	if (s->repair) {
		int rc = repair_check(s, r);

		r->raw = s->pub.pos;		/* it may have looked ahead */
		if (rc < 0)
			return unsound(s, r);
	}
	r->payload = pp_payload_size(r, s->pub.swap);
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
	if (!memcmp(pub->pos, magic, 8) || !memcmp(pub->pos, magic_swapped, 8))
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
		} else if ((rc = outer_next(s, r)) < 0)
			rc = repair_outer(s);
		if (s->repair && !s->inner)
			pub->lim = pub->pos;	/* each record comes by here, to be looked at */
	} while (rc == 2);
	return rc;
}

/* ---- opening ---------------------------------------------------------------------------------- */

void
source_start_over(struct source *s)
{
	s->pub.pos = s->pub.lim = s->oend = s->buf;
	s->base = s->cur_done = s->nread = 0;
	s->cur = 0;
	s->eof = false;
}

static int
spool_write(struct source *s, int fd, const char *name)
{
	for (const uint8_t *p = s->pub.pos; p < s->oend;) {
		ssize_t put = write(fd, p, (size_t)(s->oend - p));

		if (put < 0 && errno != EINTR)
			return source_fail(s, 0, "%s: write: %s", name, strerror(errno));
		p += put > 0 ? put : 0;
	}
	s->total += (uint64_t)(s->oend - s->pub.pos);
	s->pub.pos = s->oend;
	return 1;
}

/*
 * What has to be sought in, on a pipe or in zstd (a seekable file, a CPU profile, what is to be repaired): keep it
 * in an unlinked temporary file.
 */
static int
spool(struct source *s)
{
	const char *dir = getenv("TMPDIR");
	char name[4096];
	int fd, rc;

	snprintf(name, sizeof name, "%s/perfpipe.XXXXXX", dir && *dir ? dir : "/tmp");
	if ((fd = mkostemp(name, O_CLOEXEC)) < 0)
		return source_fail(s, 0, "this kind of recording on a pipe needs a temporary file: %s: %s", name,
		    strerror(errno));
	unlink(name);
	s->total = 0;
	do
		rc = spool_write(s, fd, name);
	while (rc > 0 && (rc = source_fill(s, 1)) > 0);
	if (rc < 0 && (s->fatal || !repair_forgive(s, 0) || lseek(fd, 0, SEEK_SET) < 0)) {
		close(fd);
		return -1;
	}
	lseek(fd, 0, SEEK_SET);
	close(s->fd);
	s->fd = fd;
	s->spooled = s->unwrap ? ", spooled out of zstd" : ", spooled from a pipe";
	unwrap_free(s);
	source_start_over(s);
	return 1;
}

static void
set_container(struct source *s, const char *name)
{
	snprintf(s->container_text, sizeof s->container_text, "%s%s", name,
	    s->spooled ? s->spooled : s->unwrap ? ", wrapped in zstd" : s->dir ? " in a directory of perf record --threads" : "");
	s->container = s->container_text;
}

/* The first 16 bytes stand in the window: tell the container by them. */
static int
detect(struct source *s, bool seekable)
{
	struct pp_source *pub = &s->pub;
	bool profile = s->oend - pub->pos >= 16 && source_is_cpuprofile(pub->pos), there = s->oend - pub->pos >= 16;
	uint64_t size;

	if (there && !memcmp(pub->pos, magic, sizeof magic))
		pub->swap = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__;
	else if (there && !memcmp(pub->pos, magic_swapped, sizeof magic))
		pub->swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	else if (!profile)
		return source_fail(s, 0, s->oend == pub->pos ? "empty input" : "not a perf recording");
	size = profile ? 0 : pp_get_u64(pub->pos + 8, pub->swap);
	pub->events->swap = pub->swap;
	if (size == PP_PIPE_HEADER_SIZE && !s->dir) {
		set_container(s, "pipe-mode stream");
		pub->pos += PP_PIPE_HEADER_SIZE;
		return 1;
	}
	if (!profile && size != FILE_HEADER_SIZE && size != FILE_HEADER_OLD_SIZE)
		return source_fail(s, 8, "header of %ju bytes: neither a pipe-mode stream (16) nor a perf.data (104)",
		    (uintmax_t)size);
	if (!seekable && spool(s) < 0)
		return -1;
	set_container(s, profile ? "gperftools CPU profile" : "seekable perf.data");
	return profile ? source_cpuprofile_open(s) : source_file_open(s);
}

/* Look at what the descriptor is, and take off what lies around the recording. */
static int
look(struct source *s)
{
	struct stat st;
	bool seekable;

	if (fstat(s->fd, &st) < 0)
		return source_fail(s, 0, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode) && (source_dir_open(s) < 0 || fstat(s->fd, &st) < 0))
		return -1;
	if ((seekable = S_ISREG(st.st_mode))) {
		s->total = (uint64_t)st.st_size;
		s->dev = st.st_dev;
		s->ino = st.st_ino;
		posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
		if (s->flags & PP_OPEN_FOLLOW && follow_open(s) < 0)
			return -1;
	} else
		fcntl(s->fd, F_SETPIPE_SZ, 1 << 20);
	if (source_fill(s, PP_PIPE_HEADER_SIZE) < 0)
		return -1;
	if (s->oend - s->pub.pos >= 16 && source_is_zstd(s->pub.pos)) {
		if (source_unwrap(s) < 0 || (source_fill(s, PP_PIPE_HEADER_SIZE) < 0 && !repair_forgive(s, 0)))
			return -1;
		seekable = false;
	}
	if (s->repair && !seekable) {
		if (spool(s) < 0 || source_fill(s, PP_PIPE_HEADER_SIZE) < 0)
			return -1;
		seekable = true;
	}
	return detect(s, seekable);
}

struct pp_source *
pp_open(const char *path, unsigned flags, struct pp_err *err)
{
	bool std = !path || !strcmp(path, "-");
	struct source *s = calloc(1, sizeof *s);

	*err = (struct pp_err){ .file = std ? "<stdin>" : path };
	if (!s) {
		pp_fail(err, "out of memory");
		return NULL;
	}
	s->err = err;
	s->flags = flags;
	s->cap = PP_READ_SIZE + PP_RECORD_MAX + 1;
	s->buf = malloc(s->cap);
	s->pub.pos = s->pub.lim = s->oend = s->buf;
	s->pub.events = pp_events_new(false);
	s->seg[0].len = UINT64_MAX;
	s->nseg = 1;
	s->fd = std ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0)
		pp_fail(err, "%s", strerror(errno));
	else if (!s->buf || !s->pub.events)
		pp_fail(err, "out of memory");
	else if (flags & PP_OPEN_REPAIR && flags & PP_OPEN_FOLLOW)
		pp_fail(err, "what is still being written can't be repaired yet");
	else if ((!(flags & PP_OPEN_REPAIR) || repair_open(s) > 0) && look(s) > 0)
		return &s->pub;
	pp_close(&s->pub);
	return NULL;
}

int
pp_close(struct pp_source *pub)
{
	struct source *s = (struct source *)pub;
	int rc;

	if (!s)
		return 1;
	rc = s->failed || pp_faults(pub, &(uint64_t){0}) ? -1 : 1;
	expand_free(s);
	unwrap_free(s);
	source_dir_free(s);
	repair_free(s);
	free(s->follow);
	pp_tracing_free(s->tracing);
	pp_events_free(pub->events);
	if (s->fd >= 0)
		close(s->fd);
	free(s->head);
	free(s->profile);
	free(s->buf);
	free(s);
	return rc;
}

void
pp_before_refill(struct pp_source *pub, int (*fn)(void *), void *arg)
{
	struct source *s = (struct source *)pub;

	s->hook = fn;
	s->hook_arg = arg;
}

uint64_t
pp_progress(const struct pp_source *pub, uint64_t *total)
{
	const struct source *s = (const struct source *)pub;

	*total = s->total;
	return s->nread;
}

const char *
pp_container(const struct pp_source *pub)
{
	return ((const struct source *)pub)->container;
}

bool
pp_is_file(const struct pp_source *pub, const char *path)
{
	const struct source *s = (const struct source *)pub;
	struct stat st;

	return s->ino && !(path && strcmp(path, "-") ? stat(path, &st) : fstat(STDOUT_FILENO, &st)) &&
	    st.st_ino == s->ino && st.st_dev == s->dev;
}

const char *
pp_warning(const struct pp_source *pub)
{
	const struct source *s = (const struct source *)pub;

	return s->warning[0] ? s->warning : NULL;
}

const struct pp_compressed *
pp_compressed(const struct pp_source *pub)
{
	return &((const struct source *)pub)->compressed;
}

bool
pp_may_wait(const struct pp_source *pub)
{
	const struct source *s = (const struct source *)pub;
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	if (s->follow)
		return !s->eof && follow_dry(s);
	return !s->eof && !unwrap_pending(s) && poll(&p, 1, 0) == 0;		/* a regular file never waits */
}

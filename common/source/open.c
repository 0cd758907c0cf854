/* SPDX-License-Identifier: ISC */
/* open.c - opening an input: which container is it, and what lies around it */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/event.h"
#include "source.h"
#include "sink/tmpfile.h"
#include "record/tracing.h"

enum { FILE_HEADER_SIZE = 104, FILE_HEADER_OLD_SIZE = 72 };

char
source_magic(const uint8_t *p)
{
	return !memcmp(p, "PERFILE2", 8) ? 'l' : !memcmp(p, "2ELIFREP", 8) ? 'b' : 0;
}

/*
 * Does PERFFILE stand there, which perf wrote up to Linux 3.4?  It is the same in both byte orders: by the size behind it the
 * file's is known, 'l' or 'b'.  0: no.
 */
static char
old_magic(const uint8_t *p)
{
	static const uint8_t sizes[] = { PP_PIPE_HEADER_SIZE, FILE_HEADER_SIZE, FILE_HEADER_OLD_SIZE };

	for (size_t i = 0; !memcmp(p, "PERFFILE", 8) && i < sizeof sizes; i++) {
		if (pp_get_u64(p + 8, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) == sizes[i])
			return 'l';
		if (pp_get_u64(p + 8, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) == sizes[i])
			return 'b';
	}
	return 0;
}

void
source_start_over(struct source *s)
{
	s->pub.pos = s->pub.lim = s->oend = s->buf;
	s->base = s->cur_done = s->nread = 0;
	s->cur = 0;
	s->eof = false;
}

static int
spool_write(struct source *s, int fd)
{
	if (pp_tmpfile_write(fd, s->pub.pos, (size_t)(s->oend - s->pub.pos)) < 0)
		return source_fail(s, 0, "temporary file: write: %s", strerror(errno));
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
	int fd = pp_tmpfile(NULL), rc;

	if (fd < 0)
		return source_fail(s, 0, "this kind of recording on a pipe needs a temporary file: %s: %s", pp_tmpdir(NULL),
		    strerror(errno));
	s->total = 0;
	do
		rc = spool_write(s, fd);
	while (rc > 0 && (rc = source_fill(s, 1)) > 0);
	if (rc < 0 && (s->fatal || !repair_forgive(s, 0) || lseek(fd, 0, SEEK_SET) < 0)) {
		close(fd);
		return -1;
	}
	lseek(fd, 0, SEEK_SET);
	close(s->fd);
	s->fd = fd;
	s->spooled = s->unwrap ? ", spooled out of zstd" : ", spooled from a pipe";
	if (s->unwrap)
		s->wrapped = s->nread;
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

/* What is not a recording may be one that another program has to unpack first. */
static int
refuse(struct source *s, const uint8_t *p)
{
	static const struct { uint8_t magic[6], n; const char *what, *by; } packed[] = {
		{ { 0x1f, 0x8b }, 2, "gzip", "gzip" }, { { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, "xz", "xz" },
		{ { 'B', 'Z', 'h' }, 3, "bzip2", "bzip2" }, { { 0x04, 0x22, 0x4d, 0x18 }, 4, "lz4", "lz4" },
		{ { 0x28, 0xb5, 0x2f, 0xfd }, 4, "zstd, twice", "zstd" },
	};

	for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
		if (!memcmp(p, packed[i].magic, packed[i].n))
			return source_fail(s, 0, "not a perf recording; packed by %s: %s -dc FILE | pcat", packed[i].what,
			    packed[i].by);
	return source_fail(s, 0, "not a perf recording");
}

/* The first 16 bytes stand in the window: tell the container by them. */
static int
detect(struct source *s, bool seekable)
{
	struct pp_source *pub = &s->pub;
	bool there = s->oend - pub->pos >= 16, profile = there && source_is_cpuprofile(pub->pos);
	char magic = !there ? 0 : source_magic(pub->pos) ? source_magic(pub->pos) : old_magic(pub->pos);
	uint64_t size;

	if (magic)
		pub->swap = (magic == 'l') != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	else if (!profile)
		return there ? refuse(s, pub->pos) :
		    source_fail(s, 0, s->oend == pub->pos ? "empty input" : "not a perf recording");
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
pp_open_fd(int fd, const char *name, unsigned flags, struct pp_err *err)
{
	int error = errno;
	struct source *s = calloc(1, sizeof *s);

	*err = (struct pp_err){ .file = name };
	if (!s) {
		pp_fail(err, "out of memory");
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	s->err = err;
	s->flags = flags;
	s->max_expand = flags >> PP_OPEN_MAX_EXPAND_SHIFT ? (uint64_t)(flags >> PP_OPEN_MAX_EXPAND_SHIFT) << 20 : 1 << 30;
	s->cap = PP_READ_SIZE + PP_RECORD_MAX + 1;
	s->buf = s->own = malloc(s->cap);
	s->pub.pos = s->pub.lim = s->oend = s->buf;
	s->pub.events = pp_events_new(false);
	s->seg[0].len = UINT64_MAX;
	s->nseg = 1;
	s->fd = fd;
	if (s->fd < 0)
		pp_fail(err, "%s", strerror(error));
	else if (!s->buf || !s->pub.events)
		pp_fail(err, "out of memory");
	else if (flags & PP_OPEN_REPAIR && flags & PP_OPEN_FOLLOW)
		pp_fail(err, "what is still being written can't be repaired yet");
	else if ((!(flags & PP_OPEN_REPAIR) || repair_open(s) > 0) && look(s) > 0)
		return &s->pub;
	pp_close(&s->pub);
	return NULL;
}

struct pp_source *
pp_open(const char *path, unsigned flags, struct pp_err *err)
{
	bool std = !path || !strcmp(path, "-");
	int fd = std ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);

	return pp_open_fd(fd, std ? "<stdin>" : path, flags, err);
}

/* The descriptors and what bytes need. */
static void
let_go(struct source *s)
{
	expand_free(s);
	unwrap_free(s);
	source_dir_free(s);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	free(s->head);
	s->head = NULL;
	free(s->own);
	s->buf = s->own = NULL;
}

int
pp_close(struct pp_source *pub)
{
	struct source *s = (struct source *)pub;
	int rc;

	if (!s)
		return 1;
	fault_end(s);
	rc = s->failed || pp_faults(pub, &(uint64_t){0}) ? -1 : 1;
	let_go(s);
	repair_free(s);
	free(s->follow);
	pp_tracing_free(s->tracing);
	pp_events_free(pub->events);
	free(s->outside);
	free(s->faults.early);
	free(s->profile);
	free(s);
	return rc;
}

bool
pp_rest(struct pp_source *pub)
{
	struct source *s = (struct source *)pub;

	if (s->spooled)
		return false;
	let_go(s);
	pub->pos = pub->lim = NULL;
	s->eof = true;
	return true;
}

bool
pp_same_file(const struct pp_source *a, const struct pp_source *b)
{
	const struct source *x = (const struct source *)a, *y = (const struct source *)b;

	return x->ino && x->ino == y->ino && x->dev == y->dev;
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
pp_is_profile(const struct pp_source *pub)
{
	return ((const struct source *)pub)->profile;
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

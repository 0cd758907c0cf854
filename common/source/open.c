/* SPDX-License-Identifier: ISC */
/* open.c - opens an input: finds its container and its compression */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "container.h"
#include "record/tracing.h"
#include "spare.h"
#include "told.h"

enum { STEP_OF_MANY = 64 << 10 };
enum { FILE_HEADER_SIZE = 104, FILE_HEADER_OLD_SIZE = 72 };

char
source_magic(const uint8_t *p)
{
	return !memcmp(p, "PERFILE2", 8) ? 'l' : !memcmp(p, "2ELIFREP", 8) ? 'b' : 0;
}

/*
 * Is this PERFFILE, which perf wrote up to Linux 3.4?  It is the same in both byte orders, so the size behind it shows the byte
 * order of the file: 'l' or 'b'.  0: no.
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
container_set(struct source *s, struct container *c)
{
	if (s->container)
		s->container->kind->close(s->container);
	s->container = c;
}

/* ---- container and compression ---------------------------------------------------------------------- */

/* Copy the rest of the input into the temporary file.  1, or -1. */
static int
open_copy(struct source *s, struct bytes *to)
{
	int rc;

	s->total = 0;
	do {
		size_t n = (size_t)(s->win.end - s->pub.pos);

		if (spool_write(to, s->pub.pos, n) < 0)
			return source_fail_bytes(s);
		s->total += n;
		s->pub.pos = s->win.end;
	} while ((rc = window_fill(s, 1)) > 0);
	return rc < 0 ? -1 : 1;
}

/*
 * Keep an input that cannot seek (a pipe, or compressed) in a temporary file if it has to be sought in: a seekable file, a CPU
 * profile, an input to be repaired.
 */
static int
open_spool(struct source *s)
{
	struct bytes *to = spool_open(s->spare, &s->in_err);

	if (!to)
		return source_fail_bytes(s);
	if (open_copy(s, to) < 0 && (s->fatal || !repair_forgive(s, 0))) {
		bytes_close(to);
		return -1;
	}
	if (s->format) {
		snprintf(s->around, sizeof s->around, ", spooled out of %s", s->format->name);
		s->packed = s->nread;
	} else
		snprintf(s->around, sizeof s->around, ", spooled from a pipe");
	s->spooled = true;
	s->format = NULL;
	s->follow = NULL;
	bytes_close(s->in);
	s->in = to;
	s->nread = 0;
	window_start(s);
	return stream_open(s);
}

/* Read a compressed file at any offset, if it lets us: but not one that claims to be so large that it is to be read with care. */
static void
open_seeks(const struct source *s, const struct bytes_format *f, struct bytes *top)
{
	const struct bytes_layer *layer = top->layer;

	f->seeks(top);
	if (top->layer->read_at && !source_may_expand(s, s->total, (uint64_t)top->layer->size(top)))
		top->layer = layer;
}

/* The input is compressed: add the layer that decompresses it. */
static int
open_format(struct source *s, const struct bytes_format *f)
{
	struct bytes *top = f->open(s->in, s->pub.pos, (size_t)(s->win.end - s->pub.pos), &s->in_err);

	if (!top)
		return source_fail_bytes(s);
	if (f->seeks && s->ino && !s->parts && !s->follow && !s->repair)
		open_seeks(s, f, top);
	s->in = top;
	s->format = f;
	snprintf(s->around, sizeof s->around, ", wrapped in %s", f->name);
	window_start(s);
	return stream_open(s);
}

/* It is not a recording, but maybe in a format that another program decompresses. */
static int
open_refuse(struct source *s, const uint8_t *p)
{
	const struct bytes_format *f = bytes_format(p);

	if (f && f->program)
		return source_fail(s, 0, "not a perf recording; packed by %s%s: %s -dc FILE | pcat", f->name,
		    f->open ? ", twice" : "", f->program);
	return source_fail(s, 0, "not a perf recording");
}

static void
open_name(struct source *s, const char *name)
{
	snprintf(s->name_text, sizeof s->name_text, "%s%s", name, s->around);
	s->name = s->name_text;
}

/* Find the container by the first 16 bytes, which are in the window. */
static int
open_container(struct source *s)
{
	struct pp_source *pub = &s->pub;
	bool there = s->win.end - pub->pos >= 16, profile = there && is_cpuprofile(pub->pos);
	char magic = !there ? 0 : source_magic(pub->pos) ? source_magic(pub->pos) : old_magic(pub->pos);
	uint64_t size;

	if (magic)
		pub->swap = (magic == 'l') != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	else if (!profile)
		return there ? open_refuse(s, pub->pos) :
		    source_fail(s, 0, s->win.end == pub->pos ? "empty input" : "not a perf recording");
	size = profile ? 0 : pp_get_u64(pub->pos + 8, pub->swap);
	pub->events->swap = pub->swap;
	if (size == PP_PIPE_HEADER_SIZE && !s->parts) {
		open_name(s, "pipe-mode stream");
		pub->pos += PP_PIPE_HEADER_SIZE;
		return watch_begin(s, pub->pos - PP_PIPE_HEADER_SIZE, (size_t)(s->win.end - pub->pos) + PP_PIPE_HEADER_SIZE);
	}
	if (!profile && size != FILE_HEADER_SIZE && size != FILE_HEADER_OLD_SIZE)
		return source_fail(s, 8, "header of %ju bytes: neither a pipe-mode stream (16) nor a perf.data (104)",
		    (uintmax_t)size);
	if (!s->in->layer->read_at && open_spool(s) < 0)
		return -1;
	if (s->format)
		s->total = (uint64_t)s->in->layer->size(s->in);	/* progress is by plain bytes */
	open_name(s, profile ? "gperftools CPU profile" : "seekable perf.data");
	return profile ? cpuprofile_open(s) : file_open(s);
}

/* The lowest layer.  Nothing is read. */
static int
open_input(struct source *s, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0) {
		source_fail_system(s, 0);
		close(fd);
		return -1;
	}
	if (S_ISDIR(st.st_mode)) {
		if (parts_open(s, fd, &st) < 0)
			return -1;
	} else if (!(s->in = fd_open(fd, &st, &s->in_err)))
		return source_fail_bytes(s);
	if (!S_ISREG(st.st_mode))
		return 1;
	s->total = (uint64_t)st.st_size;
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	return 1;
}

/* A file that grows: wait for its first byte. */
static int
open_follow(struct source *s)
{
	struct bytes *top;

	if (!(s->flags & PP_OPEN_FOLLOW) || !s->ino)
		return 1;
	if (!(top = follow_open(s->in, s->told, &s->in_err)))
		return source_fail_bytes(s);
	s->in = s->follow = top;
	s->total = 0;
	return 1;
}

/* Find out what the input is, and add the layers for its compression. */
static int
open_begin(struct source *s)
{
	const struct bytes_format *f;

	if (open_follow(s) < 0 || stream_open(s) < 0 || window_fill(s, PP_PIPE_HEADER_SIZE) < 0)
		return -1;
	f = s->win.end - s->pub.pos >= PP_PIPE_HEADER_SIZE ? bytes_format(s->pub.pos) : NULL;
	if (f && f->open && (open_format(s, f) < 0 || (window_fill(s, PP_PIPE_HEADER_SIZE) < 0 && !repair_forgive(s, 0))))
		return -1;
	if (s->repair && !s->in->layer->read_at && (open_spool(s) < 0 || window_fill(s, PP_PIPE_HEADER_SIZE) < 0))
		return -1;
	return open_container(s);
}

/* ---- a source ---------------------------------------------------------------------------------------- */

struct source *
source_new(const char *name, unsigned flags, struct pp_err *err)
{
	struct source *s = calloc(1, sizeof *s);

	*err = (struct pp_err){ .file = name };
	if (!s) {
		pp_fail_memory(err);
		return NULL;
	}
	s->err = err;
	s->flags = flags;
	s->repair = flags & PP_OPEN_REPAIR;
	s->max_expand = flags >> PP_OPEN_MAX_EXPAND_SHIFT ? (uint64_t)(flags >> PP_OPEN_MAX_EXPAND_SHIFT) << 20 : PP_EXPAND_MAX;
	s->win.step = flags & PP_OPEN_MANY && !(flags & PP_OPEN_REPAIR) ? STEP_OF_MANY : BYTES_READ_SIZE;
	s->win.cap = s->win.step + PP_RECORD_MAX + 1;
	s->win.buf = s->win.own = malloc(s->win.cap);
	s->pub.events = pp_events_new(false);
	if (s->win.buf && s->pub.events) {
		window_start(s);
		return s;
	}
	pp_fail_memory(err);
	pp_close(&s->pub);
	return NULL;
}

/* Open the temporary file that reading may need. */
static int
open_later(struct source *s)
{
	if (!s->spare && !(s->spare = s->own_spare = pp_spare_new()))
		return source_fail_memory(s, 0);
	return 1;
}

struct pp_source *
pp_open_spare(int fd, const char *name, unsigned flags, struct pp_spare *spare, struct pp_err *err)
{
	struct source *s;

	if (fd < 0) {
		*err = (struct pp_err){ .file = name };
		pp_fail_system(err, NULL);
		return NULL;
	}
	if (!(s = source_new(name, flags, err))) {
		close(fd);
		return NULL;
	}
	s->spare = spare;
	if (flags & PP_OPEN_REPAIR && flags & PP_OPEN_FOLLOW) {
		pp_fail(err, "a recording that is still being written cannot be repaired");
		close(fd);
	} else if (open_input(s, fd) > 0 && (flags & PP_OPEN_LATER ? open_later(s) : open_begin(s)) > 0) {
		return &s->pub;
	}
	pp_close(&s->pub);
	return NULL;
}

struct pp_source *
pp_open_fd(int fd, const char *name, unsigned flags, struct pp_err *err)
{
	return pp_open_spare(fd, name, flags, NULL, err);
}

void
pp_follow_told(struct pp_source *pub, const struct pp_told *told)
{
	((struct source *)pub)->told = told;
}

int
pp_begin(struct pp_source *pub)
{
	return open_begin((struct source *)pub) > 0 ? 1 : -1;
}

struct pp_source *
pp_open(const char *path, unsigned flags, struct pp_err *err)
{
	bool std = !path || !strcmp(path, "-");
	int fd = std ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);

	return pp_open_fd(fd, std ? "<stdin>" : path, flags, err);
}

/* Open the descriptors, and make what reading needs. */
static void
open_let_go(struct source *s)
{
	container_set(s, NULL);
	expand_free(s);
	parts_free(s);
	hold_free(s);
	bytes_close(s->in);
	pp_spare_free(s->own_spare);
	s->in = s->follow = NULL;
	s->spare = s->own_spare = NULL;
	free(s->win.own);
	s->win.buf = s->win.own = NULL;
	s->pub.pos = s->pub.lim = s->win.end = NULL;
	s->win.eof = true;
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
	open_let_go(s);
	free(s->growing);
	pp_tracing_free(s->payload.tracing);
	pp_events_free(pub->events);
	free(s->faults.early);
	free(s->leave);
	free(s->piece);
	free(s);
	return rc;
}

bool
pp_rest(struct pp_source *pub)
{
	struct source *s = (struct source *)pub;

	if (s->spooled)
		return false;
	open_let_go(s);
	return true;
}

bool
pp_same_file(const struct pp_source *a, const struct pp_source *b)
{
	const struct source *x = (const struct source *)a, *y = (const struct source *)b;

	return x->ino && x->ino == y->ino && x->dev == y->dev;
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
	return ((const struct source *)pub)->name;
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

void
pp_follow(struct pp_source *pub, const volatile sig_atomic_t *stop)
{
	struct source *s = (struct source *)pub;

	if (s->follow)
		follow_stop_at(s->follow, stop);
}

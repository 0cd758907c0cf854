/* SPDX-License-Identifier: ISC */
/*
 * atomic.c - the file is written without a name where the file system can do that (O_TMPFILE): then nothing is
 * left of it however we end.  Elsewhere it has a hidden name, which is removed when we exit or are told to end.
 */
#include <sys/random.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "atomic.h"

/* ---- a hidden name --------------------------------------------------------------------------------- */

/* What a signal handler has to remove: the last one begun. */
static struct {
	volatile sig_atomic_t on;
	int	dir;
	char	name[NAME_MAX + 1];
} hidden;

static void
remove_hidden(void)
{
	if (hidden.on)
		unlinkat(hidden.dir, hidden.name, 0);
	hidden.on = 0;
}

static void
ended(int sig)
{
	remove_hidden();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
remember_hidden(const struct atomic *a)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	static bool once;

	hidden.on = 0;
	hidden.dir = a->dir;
	memcpy(hidden.name, a->temp, sizeof hidden.name);
	hidden.on = 1;
	if (once)
		return;
	once = true;
	atexit(remove_hidden);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction old;

		/* nohup's is left alone, and so is a handler of the tool's */
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			signal(signals[i], ended);
	}
}

static void
forget_hidden(struct atomic *a)
{
	if (hidden.on && !strcmp(hidden.name, a->temp))
		hidden.on = 0;
	a->temp[0] = 0;
}

static void
random_name(char name[static NAME_MAX + 1], const char *base)
{
	uint64_t r = 0;

	if (getrandom(&r, sizeof r, GRND_NONBLOCK) != sizeof r)
		r = (uint64_t)getpid() << 32 ^ (uintptr_t)&r;
	snprintf(name, NAME_MAX + 1, ".%.200s.%016jx", base, (uintmax_t)r);
}

/* ---- the file -------------------------------------------------------------------------------------- */

static int
fail(struct pp_err *err)
{
	return pp_fail(err, "%s", strerror(errno));
}

static int
unnamed(int dir)
{
	return openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/* Will a file without a name be able to get one? */
static bool
can_be_linked(int fd, char proc[static 32])
{
	snprintf(proc, 32, "/proc/self/fd/%d", fd);
	return access(proc, F_OK) == 0;
}

static int
begin(struct atomic *a, struct pp_err *err)
{
	char proc[32];

	if ((a->fd = unnamed(a->dir)) >= 0 && can_be_linked(a->fd, proc))
		return 1;
	if (a->fd >= 0)
		close(a->fd);
	do {
		random_name(a->temp, a->base);
		a->fd = openat(a->dir, a->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	} while (a->fd < 0 && errno == EEXIST);
	if (a->fd < 0) {
		a->temp[0] = 0;
		return fail(err);
	}
	remember_hidden(a);
	return 1;
}

/* Directory and name of what will be written; a link is followed. */
static int
locate(struct atomic *a, bool link, struct pp_err *err)
{
	char *whole = link ? realpath(a->path, NULL) : strdup(a->path), *slash, *name;
	int rc = 1;

	if (!whole)
		return fail(err);
	slash = strrchr(whole, '/');
	name = slash ? slash + 1 : whole;
	if (!*name || strlen(name) > NAME_MAX)
		rc = pp_fail(err, "%s", strerror(*name ? ENAMETOOLONG : EISDIR));
	else {
		strcpy(a->base, name);
		*name = 0;
		if ((a->dir = open(slash ? whole : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
			rc = fail(err);
	}
	free(whole);
	return rc;
}

int
atomic_open(struct atomic *a, const char *path, bool force, struct pp_err *err)
{
	struct stat st, link;
	bool exists = stat(path, &st) == 0;

	*a = (struct atomic){ .fd = -1, .dir = -1, .force = force, .path = path };
	*err = (struct pp_err){ .file = path };
	if (exists && S_ISDIR(st.st_mode))
		return pp_fail(err, "%s", strerror(EISDIR));
	if (exists && !S_ISREG(st.st_mode)) {
		a->direct = true;
		a->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return a->fd < 0 ? fail(err) : 1;
	}
	if (exists && !force)
		return pp_fail(err, "exists already; -f overwrites it");
	if (locate(a, lstat(path, &link) == 0 && S_ISLNK(link.st_mode), err) > 0 && begin(a, err) > 0)
		return 1;
	atomic_close(a);
	return -1;
}

/* A name for what has none.  With `force' it takes a detour, since a link never replaces. */
static int
name_it(struct atomic *a)
{
	char proc[32], name[NAME_MAX + 1];

	can_be_linked(a->fd, proc);
	if (!a->force)
		return linkat(AT_FDCWD, proc, a->dir, a->base, AT_SYMLINK_FOLLOW);
	random_name(name, a->base);
	if (linkat(AT_FDCWD, proc, a->dir, name, AT_SYMLINK_FOLLOW) < 0)
		return -1;
	if (renameat(a->dir, name, a->dir, a->base) < 0) {
		int e = errno;

		unlinkat(a->dir, name, 0);
		errno = e;
		return -1;
	}
	return 0;
}

int
atomic_commit(struct atomic *a, struct pp_err *err)
{
	int rc;

	if (a->direct)
		return 1;
	if (!a->temp[0])
		rc = name_it(a);
	else if (a->force)
		rc = renameat(a->dir, a->temp, a->dir, a->base);
	else {
		rc = renameat2(a->dir, a->temp, a->dir, a->base, RENAME_NOREPLACE);
		/* not every file system can; then the file has two names for a moment */
		if (rc < 0 && errno == EINVAL && (rc = linkat(a->dir, a->temp, a->dir, a->base, 0)) == 0)
			unlinkat(a->dir, a->temp, 0);
	}
	if (rc < 0)
		return errno == EEXIST ? pp_fail(err, "exists already; -f overwrites it") : fail(err);
	forget_hidden(a);
	return 1;
}

void
atomic_close(struct atomic *a)
{
	if (a->temp[0])
		unlinkat(a->dir, a->temp, 0);
	forget_hidden(a);
	if (a->fd >= 0)
		close(a->fd);
	if (a->dir >= 0)
		close(a->dir);
	a->fd = a->dir = -1;
}

/* ---- spools ---------------------------------------------------------------------------------------- */

void
spool_init(struct spool *s, int dir)
{
	s->fd = -1;
	s->dir = dir;
	s->len = s->used = 0;
}

static int
spool_open(struct spool *s, struct pp_err *err)
{
	char name[NAME_MAX + 1];

	if ((s->fd = unnamed(s->dir)) >= 0)
		return 1;
	random_name(name, "spool");
	if ((s->fd = openat(s->dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0)
		return pp_fail(err, "temporary file beside it: %s", strerror(errno));
	unlinkat(s->dir, name, 0);
	return 1;
}

int
write_at(int fd, const void *p, size_t n, uint64_t off, struct pp_err *err)
{
	for (size_t done = 0; done < n;) {
		ssize_t put = pwrite(fd, (const uint8_t *)p + done, n - done, (off_t)(off + done));

		if (put < 0 && errno != EINTR)
			return pp_fail(err, "write: %s", strerror(errno));
		if (put > 0)
			done += (size_t)put;
	}
	return 1;
}

static int
spool_out(struct spool *s, struct pp_err *err)
{
	size_t n = s->used;

	s->used = 0;
	return !n ? 1 : s->fd < 0 && spool_open(s, err) < 0 ? -1 : write_at(s->fd, s->buf, n, s->len - n, err);
}

int
spool_put(struct spool *s, const void *p, size_t n, struct pp_err *err)
{
	if (n > sizeof s->buf - s->used && spool_out(s, err) < 0)
		return -1;
	if (n > sizeof s->buf) {
		if ((s->fd < 0 && spool_open(s, err) < 0) || write_at(s->fd, p, n, s->len, err) < 0)
			return -1;
	} else {
		memcpy(s->buf + s->used, p, n);
		s->used += n;
	}
	s->len += n;
	return 1;
}

int
spool_copy(struct spool *s, uint64_t from, uint64_t n, int fd, uint64_t to, struct pp_err *err)
{
	if (spool_out(s, err) < 0)
		return -1;
	while (n) {
		ssize_t got = pread(s->fd, s->buf, n < sizeof s->buf ? (size_t)n : sizeof s->buf, (off_t)from);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return pp_fail(err, "temporary file: read: %s", got ? strerror(errno) : "cut short");
		if (write_at(fd, s->buf, (size_t)got, to, err) < 0)
			return -1;
		from += (uint64_t)got;
		to += (uint64_t)got;
		n -= (uint64_t)got;
	}
	return 1;
}

void
spool_close(struct spool *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* ---- tails ----------------------------------------------------------------------------------------- */

int
tail_flush(struct tail *t, struct pp_err *err)
{
	size_t n = t->used;

	t->used = 0;
	return write_at(t->fd, t->buf, n, t->at - n, err);
}

int
tail_put(struct tail *t, const void *p, size_t n, struct pp_err *err)
{
	const uint8_t *from = p;

	while (n) {
		size_t take;

		if (t->used == sizeof t->buf && tail_flush(t, err) < 0)
			return -1;
		take = n < sizeof t->buf - t->used ? n : sizeof t->buf - t->used;
		if (from) {
			memcpy(t->buf + t->used, from, take);
			from += take;
		} else
			memset(t->buf + t->used, 0, take);
		t->used += take;
		t->at += take;
		n -= take;
	}
	return 1;
}

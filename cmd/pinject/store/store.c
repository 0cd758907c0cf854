/* SPDX-License-Identifier: ISC */
/* store.c - see store.h */
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <linux/fs.h>

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store.h"

enum { COPY_STEP = 1 << 30, BUF = 64 << 10 };
#define STORE_WRITTEN "has been written to meanwhile"

struct store {
	struct tool	*t;
	const char	*path;		/* as the user wrote it */
	int		 dir;
	bool		 failed, was_empty;
	struct pp_err	 err;
	char		 name[PATH_MAX];	/* of the file at work, for messages */
};

const char *const store_mark[] = {
	[STORE_HITS] = "pinject --archive=hits", [STORE_SYMBOLS] = "pinject --archive=symbols", [STORE_WHOLE] = NULL
};
enum { MARK_MAX = 32 };

static bool
is_empty(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	bool empty = true;

	while (d && empty && (e = readdir(d)))
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	if (d)
		closedir(d);
	return empty;
}

struct store *
store_new(struct tool *t, const char *dir)
{
	struct store *s = tool_alloc(1, sizeof *s);

	*s = (struct store){ .t = t, .path = dir };
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		err(1, "%s", dir);
	if ((s->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		err(1, "%s", dir);
	s->was_empty = is_empty(s->dir);
	tool_allow(t, dir, "rwcd");
	return s;
}

bool
store_was_empty(const struct store *s)
{
	return s->was_empty;
}

void
store_free(struct store *s)
{
	if (!s)
		return;
	close(s->dir);
	free(s);
}

static int
store_fail(struct store *s, const char *doing)
{
	if (!s->failed) {
		if (!s->err.what[0]) {
			s->err = (struct pp_err){ .file = s->name };
			pp_fail_system(&s->err, doing);
		}
		tool_say(s->t, &s->err);
	}
	s->failed = s->t->failed = true;
	s->t->partial = true;		/* the output needs what is not there */
	return 0;
}

/* ---- names -------------------------------------------------------------------------------------- */

struct place {			/* of a file: two or three directories below DIR, and its name */
	char	 dir[3][2 * BUILD_ID_MAX + 1];
	const char *name;
	bool	 linked;	/* found by a link to the second directory, .build-id/ab/cdef... */
};

static struct place
place_of(const struct build_id *id, const char *kind)
{
	struct place p = { .dir = { "files" }, .name = kind, .linked = true };

	tool_hex(p.dir[1], id->b, id->len);
	return p;
}

/* address NULL: the place without it. */
static struct place
place_of_kernel(const struct build_id *id, const char *address, const char *name)
{
	struct place p = { .dir = { "[kernel.kallsyms]" }, .name = name };

	tool_hex(p.dir[1], id->b, id->len);
	if (address) {
		strcpy(p.dir[0], "[kernel.kcore]");
		snprintf(p.dir[2], sizeof p.dir[2], "%s", address);
	}
	return p;
}

static bool
store_exists(int dir, const char *name)
{
	return faccessat(dir, name, F_OK, 0) == 0;
}

/* One level down.  -1: errno. */
static int
store_step(int dir, const char *name, bool make)
{
	if (make && mkdirat(dir, name, 0700) < 0 && errno != EEXIST)
		return -1;
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Some levels down, made if they are not there; the caller closes the result.  third "": two levels.  -1: errno. */
static int
store_enter(int dir, const char *first, const char *second, const char *third)
{
	const char *const names[] = { second, third };
	int at = store_step(dir, first, true);

	for (int i = 0; i < 2 && at >= 0 && *names[i]; i++) {
		int below = store_step(at, names[i], true);

		close(at);
		at = below;
	}
	return at;
}

/* Its path below DIR. */
static void
store_path(const struct place *p, char *to, size_t n)
{
	snprintf(to, n, "%s/%s/%s%s%s", p->dir[0], p->dir[1], p->dir[2], *p->dir[2] ? "/" : "", p->name);
}

/* What the mark at the end says. */
static enum store_grade
grade_of(const char *end, size_t n)
{
	for (enum store_grade g = STORE_HITS; g < STORE_WHOLE; g++) {
		size_t len = strlen(store_mark[g]) + 1;

		if (n >= len && !memcmp(end + n - len, store_mark[g], len))
			return g;
	}
	return STORE_WHOLE;
}

static enum store_grade
grade_of_file(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char end[MARK_MAX];
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return STORE_WHOLE;		/* it cannot be replaced by who may not even read it */
	if (fstat(fd, &st) == 0 && st.st_size > MARK_MAX)
		n = pread(fd, end, sizeof end, st.st_size - MARK_MAX);
	close(fd);
	return n > 0 ? grade_of(end, (size_t)n) : STORE_WHOLE;
}

/* As perf finds the file. */
static enum store_grade
store_is_there(const struct store *s, const struct place *p)
{
	char path[sizeof p->dir + 32];

	if (p->linked)
		snprintf(path, sizeof path, ".build-id/%.2s/%s/%s", p->dir[1], p->dir[1] + 2, p->name);
	else
		store_path(p, path, sizeof path);
	return !store_exists(s->dir, path) ? STORE_NONE : p->linked ? grade_of_file(s->dir, path) : STORE_WHOLE;
}

enum store_grade
store_has(struct store *s, const struct build_id *id, const char *kind)
{
	struct place p = place_of(id, kind);

	return store_is_there(s, &p);
}

/* ---- files -------------------------------------------------------------------------------------- */

struct from {			/* memory, or a file */
	const void	*p;
	size_t		 n;
	int		 fd;
	const struct stat *then;
	enum store_grade grade;
	const char	*why;		/* it could not be read as it was; NULL: it could */
};

static int
write_all(int to, const uint8_t *p, size_t n)
{
	while (n) {
		ssize_t done = write(to, p, n);

		if (done < 0)
			return -1;
		p += done;
		n -= (size_t)done;
	}
	return 1;
}

static int
cannot_read(struct from *from, const char *why)
{
	from->why = why;
	return 0;
}

/* Read and write from there on, `n' bytes or, if that is 0, up to the end.  0: from->why; -1: errno, of the write. */
static int
copy_slowly(int to, struct from *from, uint64_t at, uint64_t n)
{
	static uint8_t buf[BUF];

	while (!n || at < n) {
		ssize_t got = pread(from->fd, buf, n && n - at < BUF ? (size_t)(n - at) : BUF, (off_t)at);

		if (got < 0)
			return cannot_read(from, strerror(errno));
		if (!got)
			return n ? cannot_read(from, STORE_WRITTEN) : 1;
		if (write_all(to, buf, (size_t)got) < 0)
			return -1;
		at += (uint64_t)got;
	}
	return 1;
}

static int
copy(int to, struct from *from, uint64_t n)
{
	loff_t at = 0;

	if (ioctl(to, FICLONE, from->fd) == 0)
		return 1;
	while ((uint64_t)at < n) {
		uint64_t left = n - (uint64_t)at;
		ssize_t done = syscall(SYS_copy_file_range, from->fd, &at, to, NULL,
		    left < COPY_STEP ? (size_t)left : (size_t)COPY_STEP, 0);

		if (done <= 0)		/* another file system, or one that cannot */
			return copy_slowly(to, from, (uint64_t)at, n);
	}
	return 1;
}

static bool
same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/*
 * The ctime also tells of a write whose mtime was set back.  But it is changed, too, when the file gets or loses a name (perf record
 * links files into its build-id cache, an upgrade deletes them): where that is possible, the mtime decides.
 */
bool
store_is_unchanged(int fd, const struct stat *then, const char **why)
{
	struct stat now;

	*why = STORE_WRITTEN;
	if (fstat(fd, &now) < 0 || now.st_size != then->st_size || !same_time(&now.st_mtim, &then->st_mtim))
		return false;
	return same_time(&now.st_ctim, &then->st_ctim) || now.st_nlink != 1 || then->st_nlink != 1;
}

/* 1; 0: from->why; -1: errno. */
static int
store_fill(const struct atomic *a, struct from *from)
{
	const char *why;
	int rc;

	if (from->p)
		return write_all(a->fd, from->p, from->n);
	if (!from->then)
		return copy_slowly(a->fd, from, 0, 0);
	if (!from->then->st_size)
		return cannot_read(from, "is empty");
	rc = copy(a->fd, from, (uint64_t)from->then->st_size);
	return rc > 0 && !store_is_unchanged(from->fd, from->then, &why) ? cannot_read(from, why) : rc;
}

static int
store_link(struct store *s, const struct place *p)
{
	char first[3] = { p->dir[1][0], p->dir[1][1], '\0' }, to[sizeof p->dir + 8];
	int dir = store_enter(s->dir, ".build-id", first, ""), rc;

	snprintf(to, sizeof to, "../../%s/%s", p->dir[0], p->dir[1]);
	rc = dir < 0 ? -1 : symlinkat(to, dir, p->dir[1] + 2);
	if (dir >= 0)
		close(dir);
	if (rc == 0 || (errno == EEXIST && store_is_there(s, p)))
		return 1;
	snprintf(s->name, sizeof s->name, "%s/.build-id/%s/%s", s->path, first, p->dir[1] + 2);
	return store_fail(s, NULL);
}

/* replace: if there is one, although its grade is lower. */
static int
store_make(struct store *s, const struct place *p, struct from *from, bool replace)
{
	int dir = store_enter(s->dir, p->dir[0], p->dir[1], p->dir[2]), rc;
	struct atomic a;

	if (dir < 0)
		return store_fail(s, NULL);
	rc = atomic_open_at(&a, dir, p->name, s->name, &s->err);
	a.force = replace;
	if (rc > 0 && (rc = store_fill(&a, from)) < 0)
		pp_fail_system(&s->err, NULL);
	else if (rc > 0)
		rc = atomic_commit(&a) < 0 ? -1 : 1;	/* 0: another process was faster */
	atomic_close(&a);
	close(dir);
	if (rc < 0)
		return store_fail(s, NULL);
	return rc && p->linked ? store_link(s, p) : rc;
}

static int
store_add(struct store *s, const struct build_id *id, const struct place *p, struct from *from)
{
	enum store_grade there;
	int n;

	if (!s || s->failed || id->len < 2)
		return 0;
	if ((there = store_is_there(s, p)) >= from->grade)
		return 1;
	n = snprintf(s->name, sizeof s->name, "%s/", s->path);
	if (n < (int)sizeof s->name)
		store_path(p, s->name + n, sizeof s->name - (size_t)n);
	return store_make(s, p, from, there != STORE_NONE);
}

int
store_put(struct store *s, const struct build_id *id, const char *kind, const void *p, size_t n)
{
	struct place at = place_of(id, kind);

	return store_add(s, id, &at, &(struct from){ .p = p, .n = n, .grade = grade_of(p, n) });
}

int
store_copy(struct store *s, const struct build_id *id, const char *kind, int fd, const struct stat *then, const char **why)
{
	struct from from = { .fd = fd, .then = then, .grade = STORE_WHOLE };
	struct place at = place_of(id, kind);
	int rc = store_add(s, id, &at, &from);

	*why = from.why;
	return rc;
}

/* ---- symbols of the kernel ------------------------------------------------------------------------ */

bool
store_has_kernel(struct store *s, const struct build_id *id, const char *address)
{
	struct place near = place_of_kernel(id, address, "kallsyms"), far = place_of_kernel(id, NULL, "kallsyms");

	return store_is_there(s, &near) && store_is_there(s, &far);
}

int
store_kernel(struct store *s, const struct build_id *id, const char *address, int kallsyms, int modules, const char **why)
{
	struct place list = place_of_kernel(id, address, "modules"), near = place_of_kernel(id, address, "kallsyms"),
	    far = place_of_kernel(id, NULL, "kallsyms");
	struct from from = modules < 0 ? (struct from){ .p = "", .grade = STORE_WHOLE } :
	    (struct from){ .fd = modules, .grade = STORE_WHOLE };
	struct from symbols = { .fd = kallsyms, .grade = STORE_WHOLE };
	/* perf looks for the list beside the symbols: so it is there first */
	int rc = store_add(s, id, &list, &from) && store_add(s, id, &near, &symbols) && store_add(s, id, &far, &symbols);

	*why = from.why ? from.why : symbols.why;
	return rc;
}

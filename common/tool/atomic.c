/* SPDX-License-Identifier: ISC */
/*
 * atomic.c - see atomic.h
 *
 * The file is written without a name where the file system can do that (O_TMPFILE), so nothing of it remains however the
 * process ends.  Elsewhere it has a temporary name, which is removed at exit and by the handler of fatal signals.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "atomic.h"
#include "set.h"

#ifndef RENAME_NOREPLACE		/* musl before 1.2.6 */
#include <sys/syscall.h>
#define RENAME_NOREPLACE	1	/* linux/fs.h */
#define renameat2(...)		(int)syscall(SYS_renameat2, __VA_ARGS__)
#endif

/* ---- hidden names ---------------------------------------------------------------------------------- */

/* The temporary names, for the signal handler.  `on' is set last. */
static struct {
	volatile sig_atomic_t on;
	int	dir;
	char	name[NAME_MAX + 1];
} hidden[8];
enum { SLOTS = sizeof hidden / sizeof *hidden };

static void
atomic_remove_hidden(void)
{
	for (int i = 0; i < SLOTS; i++) {
		if (hidden[i].on)
			unlinkat(hidden[i].dir, hidden[i].name, 0);
		hidden[i].on = 0;
	}
}

void
atomic_disown(void)
{
	for (int i = 0; i < SLOTS; i++)
		hidden[i].on = 0;
}

void
atomic_ended(int sig)
{
	int e = errno;

	atomic_remove_hidden();
	signal(sig, SIG_DFL);
	raise(sig);
	errno = e;
}

/* All signals that end a process and can be caught. */
static void
atomic_catch_signals(void)
{
	static const int signals[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ,
		SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2
	};
	static bool once;

	if (once)
		return;
	once = true;
	atexit(atomic_remove_hidden);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction old;

		/* leave ignored signals (nohup) and the command's own handlers alone */
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			signal(signals[i], atomic_ended);
	}
}

/* Register a random name like `base', before the file exists.  1 + its index; 0: no slot is free. */
static int
atomic_hide(int dir, const char *base)
{
	int i = 0;

	while (i < SLOTS && hidden[i].on)
		i++;
	if (i == SLOTS) {
		errno = EMFILE;
		return 0;
	}
	atomic_catch_signals();
	snprintf(hidden[i].name, sizeof hidden[i].name, ".%.200s.%016jx", base, (uintmax_t)pp_seed());
	hidden[i].dir = dir;
	hidden[i].on = 1;
	return i + 1;
}

static const char *
atomic_hidden_name(int slot)
{
	return hidden[slot - 1].name;
}

static void
atomic_forget_hidden(int slot)
{
	if (slot)
		hidden[slot - 1].on = 0;
}

/* ---- path --------------------------------------------------------------------------------------------- */

static int
atomic_fail(struct pp_err *err)
{
	return pp_fail(err, "%s", strerror(errno));
}

/* The number of the own descriptor that the path stands for (/dev/fd/3); -1: it is no such path. */
static int
atomic_descriptor(const char *path)
{
	static const char *const dirs[] = { "/dev/fd/", "/proc/self/fd/" };

	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		size_t n = strlen(dirs[i]);

		if (!strncmp(path, dirs[i], n) && path[n] && strspn(path + n, "0123456789") == strlen(path + n))
			return (int)strtol(path + n, NULL, 10);
	}
	return -1;
}

/*
 * The same of a symbolic link that leads to such a path (/dev/stdout).  Nothing is opened by what the links say: who uses the
 * number asks the kernel first, by stat(2), whether they may be followed.
 */
static int
atomic_linked_descriptor(const char *path)
{
	char at[PATH_MAX], to[PATH_MAX];
	int fd = -1, n = snprintf(at, sizeof at, "%s", path);

	for (int links = 0; n >= 0 && n < PATH_MAX && (fd = atomic_descriptor(at)) < 0 && links < 40; links++) {
		ssize_t len = readlink(at, to, sizeof to - 1);
		char *slash = strrchr(at, '/');

		if (len < 0)
			break;
		to[len] = '\0';
		if (*to == '/' || !slash)
			slash = at;
		else
			slash++;
		n = (int)(slash - at) + snprintf(slash, sizeof at - (size_t)(slash - at), "%s", to);
	}
	return fd;
}

bool
atomic_replaces(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && atomic_linked_descriptor(path) < 0;
}

/* Set directory and name of a path.  The kernel follows links in the directory's path. */
static int
atomic_locate(struct atomic *a, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char dir[PATH_MAX];

	if (!*name || strlen(name) > NAME_MAX || strlen(path) > sizeof a->incomplete - sizeof ".tmp")
		return pp_fail(a->err, "%s", strerror(*name ? ENAMETOOLONG : EISDIR));
	sprintf(a->incomplete, "%s.tmp", path);
	strcpy(a->base, name);
	snprintf(dir, sizeof dir, "%.*s", (int)(name - path), path);
	if (a->dir >= 0)
		close(a->dir);
	a->dir = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return a->dir < 0 ? atomic_fail(a->err) : 1;
}

/* Set directory and name of an open file. */
static int
atomic_locate_open(struct atomic *a, int fd, const struct stat *st)
{
	char proc[32], path[PATH_MAX];
	struct stat there;
	ssize_t n;

	snprintf(proc, sizeof proc, "/proc/self/fd/%d", fd);
	if ((n = readlink(proc, path, sizeof path - 1)) < 0)
		return atomic_fail(a->err);
	path[n] = '\0';
	if (*path != '/' || atomic_locate(a, path) < 0 || fstatat(a->dir, a->base, &there, AT_SYMLINK_NOFOLLOW) < 0 ||
	    there.st_dev != st->st_dev || there.st_ino != st->st_ino)
		return pp_fail(a->err, "the file behind this symbolic link has no name");
	return 1;
}

/* ---- the file -------------------------------------------------------------------------------------- */

/* What the umask then leaves of it. */
static mode_t
atomic_mode(const struct atomic *a)
{
	return a->shown ? 0666 : 0600;
}

static int
atomic_unnamed(const struct atomic *a)
{
	return openat(a->dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, atomic_mode(a));
}

/* Can a file of O_TMPFILE get a name later? */
static bool
atomic_can_be_linked(int fd, char proc[static 32])
{
	snprintf(proc, 32, "/proc/self/fd/%d", fd);
	return access(proc, F_OK) == 0;
}

static int
atomic_create_hidden(const struct atomic *a, int slot)
{
	int fd = openat(a->dir, atomic_hidden_name(slot), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, atomic_mode(a));

	if (fd < 0)
		atomic_forget_hidden(slot);
	return fd;
}

static int
atomic_begin(struct atomic *a)
{
	char proc[32];

	if ((a->fd = atomic_unnamed(a)) >= 0 && atomic_can_be_linked(a->fd, proc))
		return 1;
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
	if (!(a->hidden = atomic_hide(a->dir, a->base)))
		return atomic_fail(a->err);
	if ((a->fd = atomic_create_hidden(a, a->hidden)) >= 0)
		return 1;
	a->hidden = 0;
	return atomic_fail(a->err);
}

/* A file that is open for writing is written in place, and no regular one. */
static int
atomic_direct(struct atomic *a, int fd)
{
	a->fd = fd;
	a->direct = true;
	if (a->dir >= 0)
		close(a->dir);
	a->dir = -1;
	return a->fd < 0 ? atomic_fail(a->err) : 1;
}

/*
 * The last component of the path is a symbolic link.  Where it leads to, and whether it may be followed (a link of another user
 * in a directory like /tmp may not, see fs.protected_symlinks in proc(5)), is the kernel's to say: it opens the file for writing.
 * If there was none, it has made one, which is removed at once.  1: a->dir and a->base are of the file behind the link, or it is
 * written in place; -1.
 */
static int
atomic_open_link(struct atomic *a)
{
	int fd = openat(a->dir, a->base, O_WRONLY | O_CLOEXEC | O_NOCTTY), rc;
	bool made = fd < 0 && errno == ENOENT;
	struct stat st;

	if (made)
		fd = openat(a->dir, a->base, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd < 0 || fstat(fd, &st) < 0) {
		atomic_fail(a->err);
		close(fd);
		return -1;
	}
	if (!S_ISREG(st.st_mode))
		return atomic_direct(a, fd);
	if (!made && !a->force)
		rc = pp_fail(a->err, "exists; -f replaces it");
	else if ((rc = atomic_locate_open(a, fd, &st)) > 0 && made)
		unlinkat(a->dir, a->base, 0);
	close(fd);
	return rc;
}

static int
atomic_open_named(struct atomic *a)
{
	int own = atomic_linked_descriptor(a->path);
	struct stat st;

	if (own >= 0 && (atomic_descriptor(a->path) == own || stat(a->path, &st) == 0))
		return atomic_direct(a, fcntl(own, F_DUPFD_CLOEXEC, 0));
	if (atomic_locate(a, a->path) < 0)
		return -1;
	if (fstatat(a->dir, a->base, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			return atomic_fail(a->err);
		st.st_mode = 0;
	}
	if (S_ISLNK(st.st_mode)) {
		if (atomic_open_link(a) < 0)
			return -1;
	} else if (S_ISREG(st.st_mode) && !a->force) {
		return pp_fail(a->err, "exists; -f replaces it");
	} else if (st.st_mode && !S_ISREG(st.st_mode)) {
		return atomic_direct(a, openat(a->dir, a->base, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY));
	}
	return a->direct ? 1 : atomic_begin(a);
}

int
atomic_open(struct atomic *a, const char *path, bool force, struct pp_err *err)
{
	bool std = !path || !strcmp(path, "-");

	*a = (struct atomic){ .fd = -1, .dir = -1, .shown = a->shown, .force = force, .path = std ? "<stdout>" : path, .err = err };
	*err = (struct pp_err){ .file = a->path };
	if (!std) {
		if (atomic_open_named(a) > 0)
			return 1;
		atomic_close(a);
		return -1;
	}
	a->direct = true;
	a->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	return a->fd < 0 ? atomic_fail(err) : 1;
}

int
atomic_open_at(struct atomic *a, int dir, const char *name, const char *path, struct pp_err *err)
{
	*a = (struct atomic){ .fd = -1, .dir = -1, .path = path, .err = err };
	*err = (struct pp_err){ .file = path };
	snprintf(a->base, sizeof a->base, "%s", name);
	if ((a->dir = fcntl(dir, F_DUPFD_CLOEXEC, 0)) < 0)
		return atomic_fail(err);
	if (atomic_begin(a) > 0)
		return 1;
	atomic_close(a);
	return -1;
}

/* Get the file that is or will be written or replaced; if it does not exist yet, its directory. */
static bool
atomic_target(const struct atomic *a, struct stat *st, bool *there)
{
	*there = a->direct ? fstat(a->fd, st) == 0 : fstatat(a->dir, a->base, st, AT_SYMLINK_NOFOLLOW) == 0;
	return *there || (!a->direct && fstat(a->dir, st) == 0);
}

bool
atomic_same(const struct atomic *a, const struct atomic *b)
{
	bool a_there, b_there;
	struct stat x, y;

	if (!atomic_target(a, &x, &a_there) || !atomic_target(b, &y, &b_there) || a_there != b_there || x.st_dev != y.st_dev ||
	    x.st_ino != y.st_ino)
		return false;
	if (!a_there)
		return !strcmp(a->base, b->base);
	return S_ISREG(x.st_mode) || S_ISFIFO(x.st_mode) || !strcmp(a->path, b->path);
}

struct pp_sink *
atomic_sink(const struct atomic *a)
{
	return pp_create_fd(fcntl(a->fd, F_DUPFD_CLOEXEC, 0), a->path, a->err);
}

/* Name an unnamed file.  To replace a file it needs a temporary name, because a link never replaces. */
static int
atomic_link_it(struct atomic *a, const char *name, bool replace)
{
	char proc[32];

	atomic_can_be_linked(a->fd, proc);
	if (!replace)
		return linkat(AT_FDCWD, proc, a->dir, name, AT_SYMLINK_FOLLOW);
	if (!(a->hidden = atomic_hide(a->dir, name)))
		return -1;
	if (linkat(AT_FDCWD, proc, a->dir, atomic_hidden_name(a->hidden), AT_SYMLINK_FOLLOW) < 0) {
		atomic_forget_hidden(a->hidden);
		a->hidden = 0;
		return -1;
	}
	return renameat(a->dir, atomic_hidden_name(a->hidden), a->dir, name);
}

static int
atomic_rename_it(struct atomic *a, const char *name, bool replace)
{
	const char *from = atomic_hidden_name(a->hidden);
	int rc;

	if (replace)
		return renameat(a->dir, from, a->dir, name);
	rc = renameat2(a->dir, from, a->dir, name, RENAME_NOREPLACE);
	/* some file systems cannot: then the file has two names for a moment */
	if (rc < 0 && (errno == EINVAL || errno == ENOSYS) && (rc = linkat(a->dir, from, a->dir, name, 0)) == 0)
		unlinkat(a->dir, from, 0);
	return rc;
}

static int
atomic_name_it(struct atomic *a, const char *name, bool replace)
{
	int rc;

	if (a->direct)
		return 1;
	rc = a->hidden ? atomic_rename_it(a, name, replace) : atomic_link_it(a, name, replace);
	if (rc < 0)
		return errno == EEXIST && !replace ? 0 : atomic_fail(a->err);
	atomic_forget_hidden(a->hidden);
	a->hidden = 0;
	return 1;
}

int
atomic_commit(struct atomic *a)
{
	return atomic_name_it(a, a->base, a->force);
}

int
atomic_part(struct atomic *a)
{
	char name[NAME_MAX + sizeof ".tmp"];

	snprintf(name, sizeof name, "%s.tmp", a->base);
	return atomic_name_it(a, name, true) > 0 ? 1 : -1;
}

void
atomic_close(struct atomic *a)
{
	if (a->hidden)
		unlinkat(a->dir, atomic_hidden_name(a->hidden), 0);
	atomic_forget_hidden(a->hidden);
	if (a->fd >= 0)
		close(a->fd);
	if (a->dir >= 0)
		close(a->dir);
	a->fd = a->dir = -1;
	a->hidden = 0;
}

/* SPDX-License-Identifier: ISC */
/*
 * path.c - see path.h
 *
 * openat2(2) does the same in one call, but takes its flags from memory, where seccomp cannot see whether they write.  So each
 * component is an openat(2) that follows nothing, and a link is read and put in front of what is left.  No name leads out of
 * the root: ".." walks anew from there, since a directory can be moved to elsewhere meanwhile.
 */
#include <sys/stat.h>
#include <sys/vfs.h>
#include <linux/magic.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "path.h"

enum { LINKS_MAX = 40, STEPS_MAX = 4096 };

struct path {
	int	 root;
	int	 at;			/* where the walk is; the same as `root': nowhere yet */
	bool	 beneath;		/* a link or ".." out of the root is refused; else it ends at the root */
	int	 links, steps;
	size_t	 ndone;
	char	 done[PATH_MAX];	/* from the root to `at': "/a/b", without links */
	char	 rest[PATH_MAX];	/* what is left of the name */
};

static int
path_fail(int error)
{
	errno = error;
	return -1;
}

static void
path_goto(struct path *p, int fd)
{
	if (p->at != p->root)
		close(p->at);
	p->at = fd;
}

/* Back to the root, and then by `first' before what is left.  1, or -1: errno. */
static int
path_restart(struct path *p, const char *first)
{
	char rest[PATH_MAX];
	int n = snprintf(rest, sizeof rest, "%s/%s", first, p->rest);

	if ((size_t)n >= sizeof rest)
		return path_fail(ENAMETOOLONG);
	memcpy(p->rest, rest, (size_t)n + 1);
	path_goto(p, p->root);
	p->ndone = 0;
	return 1;
}

static int
path_up(struct path *p)
{
	char parent[PATH_MAX];

	if (!p->ndone)
		return p->beneath ? path_fail(EXDEV) : 1;
	while (p->done[--p->ndone] != '/')
		;
	memcpy(parent, p->done, p->ndone);
	parent[p->ndone] = '\0';
	return path_restart(p, parent);
}

/*
 * Links of /proc lead to what a process has, not along their text.  In a directory where all can make files, a link of another
 * user's is a trap (as with fs.protected_symlinks).
 */
static bool
path_may_follow(const struct path *p, int link, const struct stat *st)
{
	struct statfs fs;
	struct stat dir;

	if (fstatfs(link, &fs) < 0 || (uint32_t)fs.f_type == PROC_SUPER_MAGIC || fstat(p->at, &dir) < 0)
		return false;
	return (dir.st_mode & (S_ISVTX | S_IWOTH)) != (S_ISVTX | S_IWOTH) || st->st_uid == geteuid() || st->st_uid == dir.st_uid;
}

/* Put the text of a link in front of what is left, of which `more' says whether it is behind a '/'. */
static int
path_follow(struct path *p, int link, const struct stat *st, bool more)
{
	char text[PATH_MAX], rest[PATH_MAX];
	ssize_t n;

	if (p->links++ == LINKS_MAX)
		return path_fail(ELOOP);
	if (!path_may_follow(p, link, st))
		return path_fail(EACCES);
	if ((n = readlinkat(link, "", text, sizeof text - 1)) <= 0)
		return n < 0 ? -1 : path_fail(ENOENT);
	text[n] = '\0';
	n = snprintf(rest, sizeof rest, "%s%s%s", text, more ? "/" : "", p->rest);
	if ((size_t)n >= sizeof rest)
		return path_fail(ENAMETOOLONG);
	memcpy(p->rest, rest, (size_t)n + 1);
	if (*text != '/')
		return 1;
	if (p->beneath)
		return path_fail(EXDEV);
	path_goto(p, p->root);
	p->ndone = 0;
	return 1;
}

/* One component, with a '/' behind it if there is `more'.  If it is the last one, a link is followed only if `follow' is set. */
static int
path_enter(struct path *p, const char *name, bool more, bool follow)
{
	size_t len = strlen(name);
	struct stat st;
	int fd, rc;

	if (p->ndone + 1 + len >= sizeof p->done)
		return path_fail(ENAMETOOLONG);
	/* O_DIRECTORY: a file system may be mounted there by this */
	fd = more ? openat(p->at, name, O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC) : -1;
	if (!more || (fd < 0 && errno == ENOTDIR))
		fd = openat(p->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = fstat(fd, &st);
	if (rc == 0 && S_ISLNK(st.st_mode) && (more || follow)) {
		rc = path_follow(p, fd, &st, more);
	} else if (rc == 0 && more && !S_ISDIR(st.st_mode)) {
		rc = path_fail(ENOTDIR);
	} else if (rc == 0) {
		path_goto(p, fd);
		p->done[p->ndone] = '/';
		memcpy(p->done + p->ndone + 1, name, len);
		p->ndone += 1 + len;
		return 1;
	}
	close(fd);
	return rc;
}

/* The next component. */
static int
path_step(struct path *p, bool follow)
{
	char *end = strchr(p->rest, '/'), name[NAME_MAX + 1];
	size_t len = end ? (size_t)(end - p->rest) : strlen(p->rest), skip = len + (end != NULL);

	if (p->steps++ == STEPS_MAX)
		return path_fail(ELOOP);
	if (len > NAME_MAX)
		return path_fail(ENAMETOOLONG);
	memcpy(name, p->rest, len);
	name[len] = '\0';
	memmove(p->rest, p->rest + skip, strlen(p->rest + skip) + 1);
	if (!len || !strcmp(name, "."))
		return 1;
	return !strcmp(name, "..") ? path_up(p) : path_enter(p, name, end != NULL, follow);
}

int
path_open(int root, const char *name, bool beneath, bool follow)
{
	struct path p = { .root = root, .beneath = beneath };
	size_t len = strlen(name);
	int e;

	if (len >= sizeof p.rest)
		return path_fail(ENAMETOOLONG);
	memcpy(p.rest, name, len + 1);
	if (root == AT_FDCWD && (p.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
		return -1;
	p.at = p.root;
	while (*p.rest && p.at >= 0)
		if (path_step(&p, follow) < 0) {
			e = errno;
			path_goto(&p, -1);
			errno = e;
		}
	e = errno;
	if (p.at == p.root)		/* the name is that of the root */
		p.at = fcntl(p.root, F_DUPFD_CLOEXEC, 0);
	if (root == AT_FDCWD)
		close(p.root);
	errno = e;
	return p.at;
}

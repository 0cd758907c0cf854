/* SPDX-License-Identifier: ISC */
/*
 * place.c - see place.h: the order of places.
 *
 *	the process itself, if it runs		its map has the file, whatever the name is
 *	--symfs					the user says that the files there are the right ones
 *	the root of the process, or of its mount namespace
 *	our root
 */
#include <sys/vfs.h>
#include <linux/magic.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "place.h"

static int symfs[LOOKUP_SYMFS_MAX];	/* descriptors of the directories */

/* Files of the kernel, not of a disk: reading some has effects, or waits. */
static bool
place_is_pseudo(int path)
{
	static const uint32_t types[] = { PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC,
	    CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC, EFIVARFS_MAGIC, PSTOREFS_MAGIC, BINFMTFS_MAGIC, SELINUX_MAGIC, SMACK_MAGIC, NSFS_MAGIC,
	    0x62656570 /* configfs */, 0x65735543 /* fusectl */ };
	struct statfs fs;

	if (fstatfs(path, &fs) < 0)
		return true;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if ((uint32_t)fs.f_type == types[i])
			return true;
	return false;
}

const char *
place_why(const struct place *p)
{
	static const char *const text[WHYS] = {
		[WHY_NAME] = "not the name of a file",
		[WHY_ABSENT] = "does not exist on this host",
		[WHY_GONE] = "was in a mount namespace that is gone",
		[WHY_UNKNOWN] = "its map does not say which file it is",
		[WHY_ID] = "the file of that name has another build-id",
		[WHY_KIND] = "not a regular file",
		[WHY_LINK] = "a symbolic link, which is not followed",
		[WHY_OUTSIDE] = "a symbolic link out of its directory, which is not followed",
		[WHY_OWNER] = "belongs to another user: --allow foreign-maps takes it",
		[WHY_DENIED] = "permission denied",
		[WHY_DEVICE] = "this file is on another device than the recorded one",
		[WHY_INODE] = "was replaced after the recording",
		[WHY_CHANGED] = LOOKUP_WHY_CHANGED,
	};

	return p->why == WHY_SYSTEM ? strerror(p->error) : text[p->why];
}

int
place_none(struct place *p, enum place_why why)
{
	if (why > p->why)
		p->why = why;
	return -1;
}

int
place_failed(struct place *p)
{
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
	case ESRCH:
		return place_none(p, WHY_ABSENT);
	case EACCES:
	case EPERM:
		return place_none(p, WHY_DENIED);
	case ELOOP:
		return place_none(p, WHY_LINK);
	case EXDEV:
		return place_none(p, WHY_OUTSIDE);
	}
	p->error = errno;
	return place_none(p, WHY_SYSTEM);
}

int
place_reopen(struct place *p, int path, struct stat *st)
{
	char proc[32];
	int fd = -1;

	p->touched |= path >= 0;
	if (path < 0 || fstat(path, st) < 0) {
		place_failed(p);
	} else if (!S_ISREG(st->st_mode) || place_is_pseudo(path)) {
		place_none(p, S_ISLNK(st->st_mode) ? WHY_LINK : WHY_KIND);
	} else {
		snprintf(proc, sizeof proc, "/proc/self/fd/%d", path);
		if ((fd = open(proc, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) < 0)
			place_failed(p);
	}
	if (path >= 0)
		close(path);
	return fd;
}

/* One call tells that there is nothing, which is frequent: in another root, links would lead into ours. */
static int
place_open_at(struct place *p, int root, const char *name, bool follow, struct stat *st)
{
	if (root == AT_FDCWD && *name == '/' && fstatat(root, name, st, AT_SYMLINK_NOFOLLOW) < 0 &&
	    (errno == ENOENT || errno == ENOTDIR))
		return place_failed(p);
	return place_reopen(p, path_open(root, name, false, follow), st);
}

/* Keep the descriptor if it is of the file; `proven': only if its inode says so. */
static int
place_keep(struct place *p, int fd, const struct stat *st, bool proven)
{
	enum same same = same_file(p, fd, st);

	p->proven = same == SAME_YES;
	if (p->proven || (same == SAME_UNKNOWN && !proven))
		return fd;
	close(fd);
	return same == SAME_NO ? -1 : place_none(p, WHY_GONE);
}

static int
place_open_root(struct place *p, bool follow)
{
	bool alive;
	int root = roots_get(p, &alive), fd = -1;
	struct stat st;

	if (root >= 0 && (fd = place_open_at(p, root, p->dso.name, follow, &st)) >= 0 &&
	    (fd = place_keep(p, fd, &st, !alive)) >= 0)
		return fd;
	if (root == -1)
		place_none(p, WHY_GONE);
	/* the names of another root mean other files here, but the inode proves which */
	if ((fd = place_open_at(p, AT_FDCWD, p->dso.name, follow, &st)) >= 0)
		fd = place_keep(p, fd, &st, root != AT_FDCWD);
	return fd;
}

static int
place_open_symfs(struct place *p)
{
	struct stat st;
	int fd = -1;

	p->proven = false;
	p->changed = 0;
	for (size_t i = 0; i < p->opt->nsymfs && fd < 0; i++)
		if (symfs[i] >= 0)
			fd = place_reopen(p, path_open(symfs[i], p->dso.name + 1, true, true), &st);
	p->chosen = fd >= 0;
	return fd;
}

void
place_start(const struct lookup_opt *opt)
{
	roots_start();
	for (size_t i = 0; i < opt->nsymfs; i++)
		symfs[i] = open(opt->symfs[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int
place_open(struct place *p)
{
	int fd;

	if (!p->copies && (fd = process_open(p)) >= 0)
		return fd;
	if (p->dso.name[0] != '/' || p->dso.name[1] == '/')		/* [heap], anon_inode:[...], //anon */
		return -1;
	place_none(p, WHY_ABSENT);
	if ((fd = place_open_symfs(p)) >= 0)
		return fd;
	return p->copies ? -1 : place_open_root(p, true);
}

int
place_open_debug(struct place *p)
{
	struct stat st;
	int fd;

	place_none(p, WHY_ABSENT);
	fd = place_open_symfs(p);
	return fd >= 0 || p->copies ? fd : place_open_at(p, AT_FDCWD, p->dso.name, true, &st);
}

/* ---- files that processes write for perf ------------------------------------------------------------------- */

int
place_open_in(struct place *p, const char *dir, const char *name, struct stat *st)
{
	int at = dir ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1, fd = -1;

	if (at >= 0) {
		fd = place_reopen(p, path_open(at, name, true, false), st);
		close(at);
	} else if (dir) {
		place_failed(p);
	}
	return fd;
}

/* Anyone can make a file in /tmp: it must be of the user of the process, of ours, or of root, unless ours says otherwise. */
static int
place_owned(struct place *p, int fd, const struct stat *st)
{
	struct stat them;
	char path[32];

	snprintf(path, sizeof path, "/proc/%u", p->pid);
	if (p->proven || p->opt->foreign_maps || !st->st_uid || st->st_uid == geteuid() ||
	    (stat(path, &them) == 0 && st->st_uid == them.st_uid))
		return fd;
	close(fd);
	return place_none(p, WHY_OWNER);
}

/*
 * The file of a running process, or at that path.  Who runs has it by its own pid; in another mount namespace (or in a directory
 * of the user's) it may have been another one than that of the map.
 */
static int
place_open_dump_of_process(struct place *p, struct stat *st)
{
	bool alive;
	int root = roots_get(p, &alive), fd;

	if ((fd = process_open(p)) < 0 && (fd = place_open_root(p, false)) < 0)
		return -1;
	p->own_pid = alive ? process_own_pid(p) : 0;
	p->own_pid_lost = !p->own_pid && root != AT_FDCWD;
	if (fstat(fd, st) == 0)
		return fd;
	close(fd);
	return -1;
}

int
place_open_jitdump(struct place *p)
{
	const char *base = strrchr(p->dso.name, '/');
	struct stat st;
	int fd = -1;

	p->latest = 0;			/* it grows */
	if (p->dso.name[0] != '/' || !base[1])
		return -1;
	place_none(p, WHY_ABSENT);
	if (!p->copies && (fd = place_open_dump_of_process(p, &st)) >= 0)
		return place_owned(p, fd, &st);
	p->proven = false;
	p->own_pid_lost = true;
	fd = place_open_in(p, p->opt->jit_dump_dir, base + 1, &st);
	return fd < 0 ? -1 : place_owned(p, fd, &st);
}

int
place_open_perf_map(struct place *p)
{
	char name[48];
	struct stat st;
	uint32_t own = process_own_pid(p);
	int fd = -1, root;
	bool alive;

	place_none(p, WHY_ABSENT);
	if (!p->copies && (root = roots_get(p, &alive)) != -1 && (alive || root == AT_FDCWD)) {
		snprintf(name, sizeof name, "/tmp/perf-%u.map", own ? own : p->pid);
		fd = place_open_at(p, root, name, false, &st);
	}
	if (fd < 0) {
		snprintf(name, sizeof name, "perf-%u.map", p->pid);
		fd = place_open_in(p, p->opt->perf_map_dir, name, &st);
	}
	return fd < 0 ? -1 : place_owned(p, fd, &st);
}

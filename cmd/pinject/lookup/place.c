/* SPDX-License-Identifier: ISC */
/* place.c - see place.h */
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <linux/openat2.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "place.h"

/* Open the root directory of a running process in another mount namespace.  AT_FDCWD: the same namespace, or no process. */
static int
other_root(uint32_t pid)
{
	struct stat us, them;
	char path[48];
	int fd;

	snprintf(path, sizeof path, "/proc/%u/ns/mnt", pid);
	if (stat(path, &them) < 0 || stat("/proc/self/ns/mnt", &us) < 0 || us.st_ino == them.st_ino)
		return AT_FDCWD;
	snprintf(path, sizeof path, "/proc/%u/root", pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? AT_FDCWD : fd;
}

/*
 * Open a path below a root, or AT_FDCWD.  O_PATH gives a descriptor without opening the file; a regular file is then opened
 * through /proc.
 */
static int
open_below(int root, const char *name, int flags, uint64_t resolve, struct stat *st, const char **why)
{
	struct open_how how = { .flags = (uint64_t)(O_PATH | O_CLOEXEC | flags), .resolve = resolve };
	int path = root == AT_FDCWD ? open(name, O_PATH | O_CLOEXEC | flags) : (int)syscall(SYS_openat2, root, name, &how, sizeof how);
	int fd = -1;
	char proc[32];

	if (path < 0 || fstat(path, st) < 0) {
		*why = errno == EACCES ? "permission denied" : "does not exist on this host";
	} else if (!S_ISREG(st->st_mode)) {
		*why = "not a regular file";
	} else {
		snprintf(proc, sizeof proc, "/proc/self/fd/%d", path);
		if ((fd = open(proc, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) < 0)
			*why = errno == EACCES ? "permission denied" : "cannot be opened";
	}
	if (path >= 0)
		close(path);
	return fd;
}

static int
refuse(int fd, const char *because, const char **why)
{
	close(fd);
	*why = because;
	return -1;
}

/* As the process sees the path. */
static int
open_seen_by(uint32_t pid, const char *name, int flags, struct stat *st, const char **why)
{
	int root = other_root(pid), fd = open_below(root, name, flags, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS, st, why);

	if (root != AT_FDCWD)
		close(root);
	return fd;
}

int
place_open(const struct place *p, const char **why)
{
	const struct pp_dso *dso = &p->dso;
	struct stat st;
	int fd;

	*why = "not the name of a file";
	if (dso->name[0] != '/' || dso->name[1] == '/')		/* [heap], anon_inode:[...], //anon */
		return -1;
	if ((fd = open_seen_by(p->pid, dso->name, 0, &st, why)) < 0)
		return -1;
	if (dso->ino && makedev(dso->maj, dso->min) == st.st_dev && dso->ino != st.st_ino)
		return refuse(fd, "was replaced after the recording", why);
	return fd;
}

/* ---- files that processes write for perf ------------------------------------------------------------------- */

/* Below a directory of the user's; NULL: there is none. */
static int
open_in_dir(const char *dir, const char *name, struct stat *st, const char **why)
{
	int at = dir ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1, fd = -1;

	if (at >= 0) {
		fd = open_below(at, name, O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS, st, why);
		close(at);
	}
	return fd;
}

/* Anyone can make a file in /tmp: it must be of the user of the process, of ours, or of root. */
static int
owned(int fd, const struct stat *st, uint32_t pid, const char **why)
{
	struct stat them;
	char path[32];

	snprintf(path, sizeof path, "/proc/%u", pid);
	if (!st->st_uid || st->st_uid == geteuid() || (stat(path, &them) == 0 && st->st_uid == them.st_uid))
		return fd;
	return refuse(fd, "belongs to another user", why);
}

int
place_open_jitdump(const struct place *p, const char **why)
{
	const char *base = strrchr(p->dso.name, '/');
	struct stat st;
	int fd;

	*why = "not the path of a file";
	if (p->dso.name[0] != '/' || !base[1])
		return -1;
	if ((fd = open_seen_by(p->pid, p->dso.name, O_NOFOLLOW, &st, why)) < 0)
		fd = open_in_dir(p->opt->jit_dump_dir, base + 1, &st, why);
	return fd < 0 ? -1 : owned(fd, &st, p->pid, why);
}

/* The pid in the process's own namespace: the last number of NSpid.  The same pid: it is gone, or the kernel does not say. */
static uint32_t
own_pid(uint32_t pid)
{
	char text[4096], *line, *last;
	int fd;
	ssize_t n;

	snprintf(text, sizeof text, "/proc/%u/status", pid);
	if ((fd = open(text, O_RDONLY | O_CLOEXEC)) < 0)
		return pid;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (!(line = strstr(text, "\nNSpid:")))
		return pid;
	line[1 + strcspn(line + 1, "\n")] = '\0';
	last = strrchr(line, '\t');
	return last ? (uint32_t)strtoul(last, NULL, 10) : pid;
}

int
place_open_perf_map(const struct place *p, const char **why)
{
	char name[48];
	struct stat st;
	int fd;

	snprintf(name, sizeof name, "/tmp/perf-%u.map", own_pid(p->pid));
	if ((fd = open_seen_by(p->pid, name, O_NOFOLLOW, &st, why)) < 0) {
		snprintf(name, sizeof name, "perf-%u.map", p->pid);
		fd = open_in_dir(p->opt->perf_map_dir, name, &st, why);
	}
	return fd < 0 ? -1 : owned(fd, &st, p->pid, why);
}

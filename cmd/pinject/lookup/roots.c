/* SPDX-License-Identifier: ISC */
/*
 * roots.c - see place.h: root directories of other mount namespaces.
 *
 * A descriptor by O_PATH of a root keeps the files below usable after the last process of the namespace has ended (but what was
 * mounted below the root is gone then: the inode says that it is another file).
 */
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "place.h"

enum { ROOTS = 256, PIDS = 65536, ANCESTORS = 16 };

static struct root {
	uint64_t	 mnt;		/* inode of the namespace; 0: unused */
	uint64_t	 used;		/* the higher, the later */
	int		 fd;		/* -1: there is no live process of it */
	bool		 searched;	/* ... among all processes */
} roots[ROOTS];
static uint64_t uses;

/* Where processes were seen, or said to be by a NAMESPACES record. */
static struct seen {
	uint32_t	 pid;
	uint32_t	 ppid;		/* of its parent; 0: unknown */
	bool		 checked;	/* since roots_forget() */
	uint64_t	 mnt;		/* 0: unknown */
	uint64_t	 time;		/* of the NAMESPACES record that says so */
} seen[PIDS];
static uint32_t foreign;

static struct seen *
seen_of(uint32_t pid)
{
	struct seen *s = &seen[pid % PIDS];

	if (s->pid != pid)
		*s = (struct seen){ .pid = pid };
	return s;
}

/* Of a process that is gone: its own, or that of the next ancestor that has one; 0: unknown. */
static uint64_t
seen_mnt(uint32_t pid)
{
	const struct seen *s = seen_of(pid);

	for (int i = 0; !s->mnt && s->ppid && i < ANCESTORS; i++)
		s = seen_of(s->ppid);
	return s->mnt;
}

static bool pids_are_ours;		/* /proc shows the processes of our pid namespace, by their numbers in it */

void
roots_start(void)
{
	char self[16] = "";

	pids_are_ours = readlink("/proc/self", self, sizeof self - 1) > 0 && strtol(self, NULL, 10) == getpid();
}

/* Most processes of a recording are gone, and getpgid(2) says so in a tenth of the time that a name in /proc takes. */
static bool
is_gone(uint32_t pid)
{
	return pids_are_ours && getpgid((pid_t)pid) < 0 && errno == ESRCH;
}

/*
 * The inode of its mount namespace; 0: it is gone, or not ours to see.  A thread of the kernel runs no file and maps none: the
 * process of the recording that had its number is gone.
 */
static uint64_t
mnt_of(uint32_t pid)
{
	struct stat st;
	char path[32];

	if (is_gone(pid))
		return 0;
	snprintf(path, sizeof path, "/proc/%u/exe", pid);
	if (stat(path, &st) < 0 && errno == ENOENT)
		return 0;
	snprintf(path, sizeof path, "/proc/%u/ns/mnt", pid);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

static uint64_t
mnt_own(void)
{
	static uint64_t own;
	struct stat st;

	if (!own)
		own = stat("/proc/self/ns/mnt", &st) == 0 ? st.st_ino : UINT64_MAX;
	return own;
}

static void
seen_set(struct seen *s, uint64_t mnt)
{
	if (mnt != s->mnt && mnt != mnt_own() && !++foreign)
		foreign = 1;
	s->mnt = mnt;
}

static int
root_of(uint32_t pid)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/%u/root", pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* The entry of that namespace, or the least recently used one, emptied. */
static struct root *
root_get(uint64_t mnt)
{
	struct root *r = roots;

	for (size_t i = 0; i < ROOTS && r->mnt != mnt; i++)
		if (roots[i].mnt == mnt || roots[i].used < r->used)
			r = &roots[i];
	if (r->mnt != mnt) {
		if (r->mnt && r->fd >= 0)
			close(r->fd);
		*r = (struct root){ .mnt = mnt, .fd = -1 };
	}
	r->used = ++uses;
	return r;
}

/* Through that process, which is alive. */
static int
root_renew(uint64_t mnt, uint32_t pid)
{
	struct root *r = root_get(mnt);
	int fd = root_of(pid);

	if (fd >= 0) {
		if (r->fd >= 0)
			close(r->fd);
		r->fd = fd;
	}
	return r->fd;
}

/* Through any process that is alive there.  A namespace without one is looked for once. */
static int
root_find(uint64_t mnt)
{
	struct root *r = root_get(mnt);
	const struct dirent *e;
	DIR *d;

	if (r->fd >= 0 || r->searched)
		return r->fd;
	r->searched = true;
	if (!(d = opendir("/proc")))
		return -1;
	while (r->fd < 0 && (e = readdir(d)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && mnt_of((uint32_t)strtoul(e->d_name, NULL, 10)) == mnt)
			r->fd = root_of((uint32_t)strtoul(e->d_name, NULL, 10));
	closedir(d);
	return r->fd;
}

/* A process of our namespace: its root may be a directory of ours. */
static int
root_changed(uint32_t pid)
{
	static int last = -1;
	struct stat us, them;

	if (last >= 0)
		close(last);
	last = root_of(pid);
	if (last < 0 || fstat(last, &them) < 0 || stat("/", &us) < 0 || (us.st_dev == them.st_dev && us.st_ino == them.st_ino))
		return AT_FDCWD;
	return last;
}

int
roots_get(struct place *p, bool *alive)
{
	uint64_t mnt = p->gone ? 0 : mnt_of(p->pid);

	*alive = mnt != 0;
	if (mnt) {
		seen_set(seen_of(p->pid), mnt);
		return mnt == mnt_own() ? root_changed(p->pid) : root_renew(mnt, p->pid);
	}
	mnt = seen_mnt(p->pid);
	p->mnt = mnt == mnt_own() ? 0 : mnt;
	return p->mnt ? root_find(mnt) : AT_FDCWD;
}

uint32_t
roots_foreign(void)
{
	return foreign;
}

void
roots_learn(uint32_t pid, uint64_t mnt, uint64_t time)
{
	struct seen *s = seen_of(pid);

	if (s->mnt && time < s->time)
		return;
	seen_set(s, mnt);
	s->time = time;
}

void
roots_fork(uint32_t pid, uint32_t ppid, uint64_t time)
{
	struct seen *s = seen_of(pid);

	if (!s->mnt || time >= s->time)		/* records of other CPUs may come first */
		*s = (struct seen){ .pid = pid, .ppid = ppid };
}

void
roots_forget(uint32_t pid)
{
	seen_of(pid)->checked = false;
}

bool
roots_is_other(uint32_t pid)
{
	struct seen *s = seen_of(pid);
	uint64_t mnt;

	if (!s->checked && (mnt = mnt_of(pid))) {
		seen_set(s, mnt);
		if (mnt != mnt_own())
			root_renew(mnt, pid);
	}
	s->checked = true;
	return s->mnt && s->mnt != mnt_own();
}

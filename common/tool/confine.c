/* SPDX-License-Identifier: ISC */
/* confine.c - see confine.h: Landlock, by the ABI that the kernel has */
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <linux/landlock.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"

/* include/uapi/linux/landlock.h up to Linux 6.18; the header of the system may be older than the kernel. */
enum {
	FS_EXECUTE = 1 << 0, FS_WRITE_FILE = 1 << 1, FS_READ_FILE = 1 << 2, FS_READ_DIR = 1 << 3, FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_DIR = 1 << 7, FS_MAKE_REG = 1 << 8, FS_MAKE_SYM = 1 << 12, FS_TRUNCATE = 1 << 14,
	NET_ALL = 3,			/* bind, connect: TCP */
	SCOPE_ALL = 3,			/* abstract Unix sockets, signals */
};
struct ruleset { uint64_t fs, net, scoped; };

/* Rights and the size of struct ruleset by ABI; the last row holds for all that come later. */
static const struct abi { uint64_t fs; size_t size; } abis[] = {
	{ (1 << 13) - 1, 8 },			/* 1: Linux 5.13 */
	{ (1 << 14) - 1, 8 },			/* 2: REFER, 5.19 */
	{ (1 << 15) - 1, 8 },			/* 3: TRUNCATE, 6.2 */
	{ (1 << 15) - 1, 16 },			/* 4: TCP, 6.7 */
	{ (1 << 16) - 1, 16 },			/* 5: IOCTL_DEV, 6.10 */
	{ (1 << 16) - 1, 24 },			/* 6: scopes, 6.12 */
};
enum { ABIS = sizeof abis / sizeof *abis };

#ifndef CONFINE_ABI			/* for tests: as on a kernel that has no later one; 0: no Landlock */
#define CONFINE_ABI 1000
#endif

static const struct abi *
abi_of(const struct confine *c)
{
	return &abis[c->abi < ABIS ? c->abi - 1 : ABIS - 1];
}

/* ---- places ---------------------------------------------------------------------------------------- */

/* The ruleset that places go into.  1, 0: the kernel has no Landlock, -1. */
static int
begin(struct confine *c)
{
	struct ruleset all = { 0, NET_ALL, SCOPE_ALL };
	int fd;

	if (c->ruleset)
		return c->ruleset > 0;
	c->abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	if (c->abi > CONFINE_ABI)
		c->abi = CONFINE_ABI;
	if (c->abi <= 0) {
		c->ruleset = -1;
		return 0;
	}
	all.fs = abi_of(c)->fs;
	fd = (int)syscall(SYS_landlock_create_ruleset, &all, abi_of(c)->size, 0);
	if (fd < 0)
		return -1;
	c->ruleset = fd;
	return 1;
}

static int
add_rule(struct confine *c, int fd, uint64_t access)
{
	struct landlock_path_beneath_attr rule = { access & abi_of(c)->fs, fd };

	/* EBADFD: a pipe or a socket without a name, of which Landlock takes no notice */
	return syscall(SYS_landlock_add_rule, c->ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0 && errno != EBADFD ? -1 : 1;
}

int
confine_allow_fd(struct confine *c, int fd, unsigned rights)
{
	struct stat st;
	bool stated = fstat(fd, &st) == 0, dir = stated && S_ISDIR(st.st_mode);
	/* of a file, only those that a file can have */
	uint64_t access = (rights & CONFINE_READ ? FS_READ_FILE | (dir ? FS_READ_DIR : 0) : 0) |
	    (rights & CONFINE_WRITE ? FS_WRITE_FILE | FS_TRUNCATE : 0) |
	    (rights & CONFINE_CREATE && dir ? FS_MAKE_REG | FS_REMOVE_FILE : 0) |
	    (rights & CONFINE_DIRS && dir ? FS_MAKE_DIR | FS_MAKE_SYM : 0);
	int rc;

	c->rights |= rights;
	if (c->off)
		return 1;
	if (!stated)
		return -1;
	if (!access || (rc = begin(c)) == 0)
		return 1;
	return rc < 0 ? -1 : add_rule(c, fd, access);
}

int
confine_allow(struct confine *c, const char *path, unsigned rights)
{
	int fd = open(path, O_PATH | O_CLOEXEC), rc;

	c->rights |= rights;
	if (fd < 0)
		return -1;
	rc = confine_allow_fd(c, fd, rights);
	close(fd);
	return rc;
}

/* ---- the lock -------------------------------------------------------------------------------------- */

#ifdef CONFINE_SANITIZED
enum { CALLS = 0 };

static int
allow_reports(struct confine *c)
{
	int fd = open("/", O_PATH | O_CLOEXEC), rc = fd < 0 ? -1 : add_rule(c, fd, FS_EXECUTE | FS_READ_FILE | FS_READ_DIR);

	close(fd);
	return rc;
}
#else
enum { CALLS = 1 };

static int
allow_reports(struct confine *c)
{
	(void)c;
	return 1;
}
#endif

static int
landlock(struct confine *c)
{
	int rc = begin(c);

	if (rc > 0)
		rc = allow_reports(c) < 0 || syscall(SYS_landlock_restrict_self, c->ruleset, 0) < 0 ? -1 : 1;
	if (c->ruleset > 0)
		close(c->ruleset);
	return rc;
}

int
confine_places(struct confine *c)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? 0 : landlock(c);
}

int
confine_lock(struct confine *c, char *text, size_t size)
{
	int files = 0, calls = 0;

	if (!c->off && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
		snprintf(text, size, "none: PR_SET_NO_NEW_PRIVS: %s", strerror(errno));
		return 0;
	}
	if (!c->off) {
		files = c->rights & CONFINE_SERVE ? 0 : landlock(c);
		if (files >= 0 && CALLS)
			calls = confine_calls(c);
	}
	if (c->off)
		snprintf(text, size, "none, by --no-sandbox");
	else if (files > 0)
		snprintf(text, size, "Landlock ABI %d, %s", c->abi, calls > 0 ? "seccomp" : "no seccomp");
	else
		snprintf(text, size, "no Landlock, %s", calls > 0 ? "seccomp" : "no seccomp");
	return files < 0 || calls < 0 ? -1 : 1;
}

/* SPDX-License-Identifier: ISC */
/*
 * confine.h - what the process may still do once it looks at its input, enforced by the kernel.
 *
 * A command opens what it needs, allows what it will open or name later, and locks itself; only then does it read the first
 * byte of a recording.  Two locks, each on kernels that have it:
 *
 *	Landlock	no file by name but below the directories and files that were allowed; no TCP; no signal and no abstract
 *			socket to other processes (ABI 6)
 *	seccomp		no system call but those of a table in confine_calls.c; no executable memory; no process, only threads
 *
 * A call that is refused fails with EPERM (seccomp) or EACCES (Landlock).  There is no way back.
 */
#ifndef PP_CONFINE_H
#define PP_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

enum confine_right {		/* as in unveil(2) */
	CONFINE_READ = 1,	/* 'r': open the file, or files and directories below, to read */
	CONFINE_WRITE = 2,	/* 'w': open the file, or files below, to write */
	CONFINE_CREATE = 4,	/* 'c': make, name, rename and remove files below */
	CONFINE_DIRS = 32,	/* 'd': make directories and links below, and copy files there */
	/* Not of a place, but of the process: */
	CONFINE_ASK = 8,	/* send to the descriptor `peer' */
	CONFINE_SERVE = 16,	/* open any file to read it, and send to `peer'; nothing else */
	CONFINE_HAND = 64,	/* send to the descriptor `parser', also descriptors */
	CONFINE_PARSE = 128,	/* read what `peer' hands over, and send to it; make processes that do the same; nothing else */
	CONFINE_FOLLOW = 256,	/* ask by a lease whether a file has a writer */
	CONFINE_KEEP = 512,	/* make processes of CONFINE_SERVE, which lock themselves, wait for them, and send to `peer'; nothing else */
};

struct confine {		/* begins zeroed */
	int		 ruleset;	/* 0: none yet; -1: the kernel has no Landlock */
	int		 abi;
	unsigned	 rights;	/* of any place, and of the process */
	int		 peer;		/* of CONFINE_ASK, CONFINE_SERVE, CONFINE_PARSE and CONFINE_KEEP */
	int		 parser;	/* of CONFINE_HAND */
	bool		 off;		/* lock nothing: --no-sandbox */
};

/* After the lock, this file, or what is below this directory, may be used by these rights.  1, or -1: errno. */
int	confine_allow(struct confine *, const char *path, unsigned rights);
/* The same of a descriptor, which stays the caller's. */
int	confine_allow_fd(struct confine *, int fd, unsigned rights);
/*
 * Lock the process, for good.  text gets the locks that hold: "Landlock ABI 7, seccomp", "no Landlock, seccomp" ...
 * 1; 0: no lock holds, because the kernel refuses PR_SET_NO_NEW_PRIVS; -1: the kernel has a lock but refuses to close it (errno).
 *
 * CONFINE_SERVE locks by seccomp alone: Landlock denies a process the /proc/PID/root of all processes that are not under the same
 * Landlock, and there are the files of containers.
 */
int	confine_lock(struct confine *, char *text, size_t size);

/*
 * The first half of it alone, Landlock, for a process that then begins others, which lock the other half by confine_calls().  1, 0: the
 * kernel has none, -1: errno.
 */
int	confine_places(struct confine *);

/* confine_calls.c: lock by seccomp.  1, 0: there is none for this machine or kernel, -1: errno. */
int	confine_calls(const struct confine *);

/* Sanitizers open files and start programs to report, and trace the process to find leaks: then only writing is refused. */
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(leak_sanitizer) || __has_feature(memory_sanitizer)
#define CONFINE_SANITIZED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define CONFINE_SANITIZED 1
#endif

#endif

/* SPDX-License-Identifier: ISC */
/*
 * lookup.h - files on this machine that the maps of a recording mean: their build-ids, or the open files
 *
 *	lookup.c	the process that reads the recording: one question, one answer
 *	serve.c		the second process: answers
 *	place.c		where the file of a map may be, and whether it is the very file
 *	buildid.c	build-ids: ELF notes, kernel, modules, vdso
 *
 * The process that reads the recording can open no file (tool_lock()).  A second one, forked before, opens and reads what the
 * first one names, and sends a build-id back, or a descriptor that is open for reading.  It is confined by seccomp: it can
 * write nothing but its answers, make no other process, run no program.  (Landlock would refuse it /proc/PID/root, where files
 * of containers are.)
 */
#ifndef LOOKUP_H
#define LOOKUP_H

#include <sys/utsname.h>

#include "buildid.h"
#include "tool/tool.h"

struct lookup_opt {		/* from the command line */
	const char	*jit_dump_dir;	/* --jit-dump-dir DIR; NULL: none */
	const char	*perf_map_dir;	/* --perf-map=DIR; NULL: none */
};

struct lookup {
	const struct lookup_opt *opt;
	int	 fd;			/* to the second process; -1: there is none, or it has ended */
	struct utsname us;		/* of this machine */
	const bool *other_kernel;	/* is the recording known to be of another kernel?  NULL: no */
};

enum lookup_kind {
	LOOKUP_FILE,			/* the file of a map of a process */
	LOOKUP_KERNEL,			/* the running kernel; no descriptor */
	LOOKUP_MODULE,			/* by the name of its map: "[xfs]" or "/lib/modules/.../xfs.ko.xz" */
	LOOKUP_VDSO,			/* of the process; no descriptor */
	LOOKUP_JITDUMP,			/* the jitdump at this path, seen by process pid, or below jit_dump_dir; no id */
	LOOKUP_PERF_MAP,		/* perf-PID.map in /tmp of process pid, or below perf_map_dir; no id; the name is not used */
	LOOKUP_KALLSYMS,		/* /proc/kallsyms; no id; the name is not used */
};

struct lookup_for {		/* what a map says of its file */
	enum lookup_kind kind;
	uint32_t	 pid;		/* of the process that mapped it */
	const struct pp_dso *dso;	/* name, device, inode, generation; NULL: no name */
	uint64_t	 start, end;	/* of the map; end 0: unknown */
	uint64_t	 time;		/* of the map; 0: unknown */
};

struct lookup_found {
	struct build_id	 id;		/* len 0: none */
	int		 fd;		/* a regular file, O_RDONLY | O_NONBLOCK, which the caller closes; -1: none */
	const char	*why;		/* there is none; valid until the next call */
};

/* Before tool_open(): fork the second process, which ends with this one.  Failure exits 1. */
void	lookup_start(struct lookup *, struct tool *, const struct lookup_opt *);
/*
 * 1: there is an id (a descriptor, for the kinds without id), and with want_fd also the descriptor of the file, if it has one;
 * 0: there is none, and why.  Never fatal.
 */
int	lookup_file(struct lookup *, const struct lookup_for *, bool want_fd, struct lookup_found *);
void	lookup_end(struct lookup *);

#endif

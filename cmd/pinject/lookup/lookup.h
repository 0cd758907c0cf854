/* SPDX-License-Identifier: ISC */
/*
 * lookup.h - finds the files of a recording's maps on this machine: their build-ids, or the open files
 *
 *	lookup.c	the process that reads the recording: one question, one answer
 *	recording.c	what the recording says of its machine, times and namespaces
 *	when.h		the wall clock at a time of the recording
 *	known.c		--known-build-ids
 *	holds.c		is an answer one for another map, too?
 *	gone.c		which processes have ended, so that what is not there need not be asked for again in their names
 *	second.h	a second process, and messages
 *	serve.c		the second process: answers
 *	place.h		where the file of a map may be, and whether it is the very file
 *	buildid.c	build-ids: ELF notes, kernel, modules, vdso
 *
 * The process that reads the recording can open no file (tool_lock()).  A second one, forked before, opens and reads what the
 * first one names, and sends a build-id back, or a descriptor that is open for reading.  It is confined by seccomp: it can
 * write nothing but its answers, open no file but to read it, make no other process, run no program.  (Landlock would refuse it
 * /proc/PID/root, where files of containers are, whatever its rules are.)
 */
#ifndef LOOKUP_H
#define LOOKUP_H

#include <sys/utsname.h>

#include "buildid.h"
#include "sink/out.h"
#include "tool/tool.h"
#include "when.h"

enum { LOOKUP_SYMFS_MAX = 64 };

struct known;

struct lookup_opt {		/* from the command line */
	const char	*symfs[LOOKUP_SYMFS_MAX];	/* --symfs DIR */
	size_t		 nsymfs;
	const char	*jit_dump_dir;	/* --jit-dump-dir DIR; NULL: none */
	const char	*perf_map_dir;	/* --perf-map=DIR; NULL: none */
	const char	*unwind_files;	/* --unwind-files=DIR; NULL: none */
	const char	*jitted;	/* the --buildid-dir, where files of jitted code are; NULL: there are none */
	struct known	*known;		/* --known-build-ids; NULL: none */
	bool		 no_fs;
	bool		 foreign_maps;	/* --allow foreign-maps: perf-PID.map and jitdumps, whoever owns them */
};

struct lookup {			/* begins zeroed, with fd -1 */
	struct tool *t;
	const struct lookup_opt *opt;
	int	 fd;			/* to the second process; -1: there is none, or it has ended */
	const char *ended;		/* why */
	struct utsname us;		/* of this machine */
	bool	 at_once;		/* build-ids are written when maps arrive, not when samples hit them */
	const bool *other_kernel;	/* is the recording known to be of another kernel?  NULL: no */
	uint8_t	*questions;		/* not sent yet */
	size_t	 nquestions;		/* bytes */
	/* recording.c */
	bool	 live;			/* it comes through a pipe */
	bool	 any_change;		/* --allow changed-files */
	bool	 swap;
	const char *elsewhere;		/* why no file of this machine is of the recording; NULL: they may be */
	bool	 other_release;		/* it is of another kernel release */
	bool	 narrow;		/* it is of a 32-bit machine */
	bool	 named;			/* it has the name of its machine */
	char	*host;			/* the name of its machine, if it is not ours */
	uint64_t wall, clock;		/* a moment by wall clock and by the clock of the recording, ns; 0: unknown */
	uint64_t written;		/* wall clock, ns: a file: when it was written; a pipe: when we began */
	struct when when;		/* if wall is unknown */
	uint64_t first;			/* time of the first record that has one; 0: none so far */
	bool	 begun;			/* features and attrs are over, as far as they come first */
	bool	 no_times;		/* it has no times */
	uint64_t untimed;		/* files that were taken for maps before `first' was known */
	uint64_t untimed_changed;	/* wall clock, ns: the latest change of one of these */
	uint64_t refused;		/* questions without an answer, as it was made elsewhere */
	uint64_t taken, taken_kernel;	/* files of this machine that were; of the kernel and its modules */
	/* gone.c */
	bool	 grows;			/* the recording is live, or a file that may still be written */
	uint64_t moment;		/* lookup_absent: changes when more of it has been read; from 1 on */
	const uint8_t *read_to, *at;	/* of the source, at the last record */
	uint64_t mnt;			/* our mount namespace, by inode */
	struct gone *gone;
};

enum lookup_kind {
	LOOKUP_FILE,			/* the file of a map of a process */
	LOOKUP_KERNEL,			/* the running kernel; no descriptor */
	LOOKUP_MODULE,			/* by the name of its map: "[xfs]" or "/lib/modules/.../xfs.ko.xz" */
	LOOKUP_VDSO,			/* of the process; no descriptor */
	LOOKUP_JITDUMP,			/* the jitdump at this path, seen by process pid, or below jit_dump_dir; no id */
	LOOKUP_PERF_MAP,		/* perf-PID.map in /tmp of process pid, or below perf_map_dir; no id; the name is not used */
	LOOKUP_KALLSYMS,		/* /proc/kallsyms; no id; the name is not used */
	LOOKUP_MODULES,			/* /proc/modules, likewise */
	LOOKUP_DEBUG,			/* separate debug information, by its path: the caller compares the id */
	/*
	 * The file of a map of a process, for its tables, which need no id: but it must be proven to be the very one, by its inode, by the
	 * id of the dso, or because it is below --symfs.  Also by that id below unwind_files and jitted.
	 */
	LOOKUP_TABLES,
};

struct lookup_for {		/* what a map says of its file */
	enum lookup_kind kind;
	uint32_t	 pid;		/* of the process that mapped it */
	const struct pp_dso *dso;	/* name, device, inode, generation; NULL: no name */
	uint64_t	 start, end;	/* of the map; end 0: unknown */
	uint64_t	 time;		/* of the map; 0: unknown */
	bool		 watch;		/* a file that may be changed: also a descriptor of it by O_PATH, for lookup_holds() */
};

struct lookup_found {
	struct build_id	 id;		/* len 0: none */
	int		 fd;		/* a regular file, O_RDONLY | O_NONBLOCK, which the caller closes; -1: none */
	const char	*why;		/* there is none; valid until the next call */
	bool		 there;		/* of the kinds without id: there is one, or may be one, which cannot be used */
	/* of a jitdump that was opened */
	bool		 proven;	/* its inode is that of the map */
	uint32_t	 own_pid;	/* of the process that has it, in its own pid namespace; 0: the process has ended */
	bool		 own_pid_lost;	/* it has ended, and may have been in another pid namespace */
	uint64_t	 changed;	/* wall clock, ns, when the file was changed last; 0: unknown, or does not matter */
	bool		 listed;	/* the id is from --known-build-ids, and no file here is known to have it */
	/* There is no file of that name, and the process that mapped it has ended: it is absent for all such of one mount namespace. */
	bool		 absent;
	uint64_t	 mnt;		/* that, by inode; 0: ours, or unknown */
};

/* Before tool_open(): fork the second process, which ends with this one.  Failure exits 1. */
void	lookup_start(struct lookup *, struct tool *, const struct lookup_opt *);
/*
 * The stage that learns from the recording where and when it was made; it precedes all stages that look files up.  In a live
 * stream, it asks for the files of other mount namespaces as soon as they are mapped, because they may be gone soon.
 */
struct out *lookup_stage(struct lookup *, struct out *next);
/*
 * Look up a file.  1: found->id is set, or for the kinds without id found->fd; with want_fd, found->fd too, if the kind has a
 * descriptor.  0: found->why tells the reason.  Never fatal.
 */
int	lookup_file(struct lookup *, const struct lookup_for *, bool want_fd, struct lookup_found *);
/*
 * Does an answer hold for a later map of the same file?  lookup_seen() makes a struct lookup_seen of the answer, and takes over its
 * descriptor, which the caller closes in the end.
 */
#define LOOKUP_WHY_CHANGED "has been changed since"
struct lookup_seen {
	uint64_t	 changed;	/* 0: it never changes */
	uint64_t	 asked;		/* wall clock, ns: the answer is right up to then */
	struct timespec	 ctime, mtime;
	int		 watch;		/* by O_PATH; -1: none */
};
enum lookup_holds { LOOKUP_HOLDS, LOOKUP_AGAIN, LOOKUP_CHANGED /* the file was another one when it was mapped: no id */ };
struct lookup_seen lookup_seen(const struct lookup *, uint64_t asked, struct lookup_found *);
enum lookup_holds lookup_holds(const struct lookup *, const struct lookup_for *, struct lookup_seen *);
uint64_t lookup_now(void);	/* wall clock, ns */
/* ns, of a clock or a time of a file. */
static inline uint64_t
lookup_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}
/*
 * Where a file is absent, so that it is not asked for again in the name of each process that has ended.  An answer holds for all that
 * was read of the recording before it was asked for, as that happened earlier; for what comes later in a live stream, the question is asked again.
 */
struct lookup_absent {			/* begins zeroed */
	uint64_t	 moment;
	uint64_t	 mnt[2];	/* of the processes that had it, as in struct lookup_found */
	unsigned	 n;
};
void	lookup_note_absent(const struct lookup *, struct lookup_absent *, const struct lookup_found *);
/* Is the file absent for that process, too? */
bool	lookup_is_absent(struct lookup *, const struct lookup_absent *, uint32_t pid);
/* Is it the name of memory or of a device, which have no id? */
bool	lookup_is_memory(const struct pp_dso *);
/* Does --known-build-ids have another id for that name than the stream has?  The stream's is kept. */
bool	lookup_disagrees(const struct lookup *, const struct pp_dso *, const uint8_t *id, size_t len);
void	lookup_end(struct lookup *);

/* --known-build-ids LIST, before lookup_start(); exits 2 if it is wrong. */
void	known_add(struct tool *, void *known);		/* a struct known * */

#endif

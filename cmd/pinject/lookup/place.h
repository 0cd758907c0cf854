/* SPDX-License-Identifier: ISC */
/*
 * place.h - where the file of a map may be, and whether it is the very file
 *
 *	place.c		the order of places
 *	process.c	what /proc has of a process that runs: its maps, its root, its own pid
 *	roots.c		root directories of other mount namespaces, also of processes that have ended
 *	proven.c	a file that is proven to be the one that was mapped
 *	same.c		is a file the one that was mapped, with the contents that it had then?
 *
 * Names are from a recording.  Only regular files are opened: opening a device can have effects, and opening a FIFO blocks.
 */
#ifndef PLACE_H
#define PLACE_H

#include <sys/stat.h>

#include "lookup.h"
#include "tool/path.h"

enum place_why {		/* of several reasons, the last in this list is given */
	WHY_NAME, WHY_ABSENT, WHY_GONE, WHY_UNKNOWN, WHY_ID, WHY_KIND, WHY_LINK, WHY_OUTSIDE, WHY_OWNER, WHY_DENIED, WHY_DEVICE, WHY_INODE,
	WHY_CHANGED,
	WHY_SYSTEM,		/* errno, in `error' */
	WHYS
};

struct place {			/* what is known of the file */
	const struct lookup_opt *opt;
	struct pp_dso	 dso;
	uint32_t	 pid;		/* of the process that mapped it */
	uint64_t	 start, end;	/* of the map; end 0: unknown */
	uint64_t	 latest;	/* wall clock, ns: a file that has changed since is not the mapped one; 0: no limit */
	bool		 copies;	/* only below directories that the user names: the recording is of another machine */
	enum place_why	 why;		/* there is none; begins zeroed */
	int		 error;
	uint64_t	 changed;	/* wall clock, ns, when the file that was opened was changed last; 0: that does not matter */
	bool		 proven;	/* the inode of the file that was opened is the recorded one */
	bool		 chosen;	/* it is below a directory of --symfs */
	bool		 gone;		/* the process has ended */
	uint64_t	 mnt;		/* if so: its mount namespace, if that is known and not ours */
	bool		 touched;	/* something of that name was opened, in any place */
	uint32_t	 own_pid;	/* of a jitdump that was opened: see struct lookup_found */
	bool		 own_pid_lost;
};

/* Before the process is locked: open the directories of --symfs. */
void	place_start(const struct lookup_opt *);
/* The functions return a descriptor, O_RDONLY | O_NONBLOCK, or -1 and p->why.  The file of a map: */
int	place_open(struct place *);
/* The same, with proof that it is the very file: see LOOKUP_TABLES. */
int	place_open_proven(struct place *);
/* A jitdump; if it is not in its own directory, the file of that name in opt->jit_dump_dir: */
int	place_open_jitdump(struct place *);
/* perf-PID.map: */
int	place_open_perf_map(struct place *);
/* A file by its name alone, below --symfs or in our root: */
int	place_open_debug(struct place *);
const char *place_why(const struct place *);		/* as text */

/* ---- for the files above ----------------------------------------------------------------------------------- */

/* A file below a directory that the user names; dir NULL: there is none. */
int	place_open_in(struct place *, const char *dir, const char *name, struct stat *);
/* Always -1. */
int	place_none(struct place *, enum place_why);
/* Always -1, with the reason of errno. */
int	place_failed(struct place *);
/*
 * Open the file of a descriptor by O_PATH (-1: errno says why there is none) for reading, and close that descriptor.  -1 and p->why
 * if the file is not a regular one.
 */
int	place_reopen(struct place *, int path, struct stat *);
/* same.c: yes; unknown: the record has no inode; or no, and p->why. */
enum same { SAME_NO, SAME_UNKNOWN, SAME_YES };
enum same same_file(struct place *, int fd, const struct stat *);

/*
 * process.c: the file of the map, by /proc/PID/map_files or /proc/PID/exe of the process, if it still runs and has it.  -1: no; p->gone
 * says whether it runs.
 */
int	process_open(struct place *);
/* The pid in the process's own namespace.  The same pid: the kernel does not say.  0: the process is gone, as p->gone says. */
uint32_t process_own_pid(struct place *);
/* All processes that run, up to so many.  -1: there are more, or nobody says. */
int	process_list(uint32_t *pid, int max);

/* roots.c, before the process is locked: how to tell that a process is gone */
void	roots_start(void);
/*
 * The root directory of the process; AT_FDCWD: it is ours, or nothing is known of the process; -1: another mount
 * namespace, of which no root is known.  The descriptor is valid until the next call.  alive: it is that of the process itself.
 * Of one that is `gone' it sets p->mnt.
 */
int	roots_get(struct place *, bool *alive);
/* Changes when a process is found in another mount namespace than it was thought to be; 0: all are in ours. */
uint32_t roots_foreign(void);
/* A NAMESPACES record of that time says in which mount namespace a process is, by inode.  Records come in any order. */
void	roots_learn(uint32_t pid, uint64_t mnt, uint64_t time);
/* Is the process alive in another mount namespace?  Cheap if asked again, until roots_forget(). */
bool	roots_is_other(uint32_t pid);
/* The process may have another mount namespace now, because it runs another program. */
void	roots_forget(uint32_t pid);
/* The process is new, by a FORK of that time, and begins in the mount namespace of its parent. */
void	roots_fork(uint32_t pid, uint32_t ppid, uint64_t time);

#endif

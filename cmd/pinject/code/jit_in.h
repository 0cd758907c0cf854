/* SPDX-License-Identifier: ISC */
/* jit_in.h - struct jit, for the files jit*.c */
#ifndef JIT_IN_H
#define JIT_IN_H

#include <sys/queue.h>

#include "jit.h"
#include "jitdump.h"
#include "join/clock.h"
#include "lookup/unused.h"
#include "state/table.h"

enum {
	JIT_FUNCTIONS = 1 << 20,	/* of a process */
	JIT_DUMPS = 256,		/* open at a time */
	JIT_HAD = 16,			/* dumps of a process, until it ends */
	JIT_MADE = 1 << 24,		/* MMAP2s of a run */
	JIT_IMAGE_CODE = 1 << 20,	/* bytes of code in an image, unless a function is larger */
	JIT_IMAGE_BYTES = 4 << 20,	/* with names and tables */
	JIT_IMAGE_FUNCTIONS = 32768,
	JIT_OPEN_BYTES = 8 << 20,	/* of all images that are not complete */
	JIT_PUTS = 32768,
	JIT_NAME = 40,			/* bytes of "jitted-PID-N.so" */
};

struct jit_image {
	uint32_t	 pid, number;	/* its name */
	struct image	*image;		/* NULL: complete */
	size_t		 bytes;		/* of it, until it is complete */
	struct build_id	 id;		/* len 0: not complete, or the store could not take it */
};

struct jit_process {
	struct link	 link;		/* by pid */
	LIST_ENTRY(jit_process) dumps;	/* if it has a dump */
	uint32_t	 pid;
	uint32_t	 heir_of;	/* the process with the dump whose FORKs lead to this one; 0: none */
	uint32_t	 since;		/* images with lower indexes are of an earlier program of the process */
	uint32_t	 image;		/* index of the one that takes functions; UINT32_MAX: none */
	uint32_t	 images, functions;
	bool		 told;		/* the input has the MMAP2s of an earlier run: nothing is added */
	uint64_t	 last;		/* later functions have at least this time */
	struct jitdump	*dump;		/* NULL: none, or it is done with */
	struct lookup_found file;	/* how the dump was found; its fd is that of the dump */
	uint64_t	 mapped;	/* when it was; 0: unknown */
	bool		 begun;		/* a record of it was read */
	struct jitdump_head head;
	bool		 has_head;
	uint64_t	 next;		/* the time of the next record of the dump; 0: unknown */
	char		*name;		/* of the dump */
	uint64_t	 done;		/* hash of the name of the last dump that was closed: it is not read again; 0: none */
	unsigned	 had;		/* dumps */
	struct pp_err	 err;
};

struct jit_found {			/* a dump, opened when its MMAP arrived, which has not been delivered yet */
	STAILQ_ENTRY(jit_found) all;
	uint32_t	 pid;
	struct lookup_found file;
	char		 name[];
};

struct jit_put { uint64_t time, start, len, pgoff; uint32_t pid, image; };	/* an MMAP2 to be made */

struct jit {
	struct out	 pub;
	struct tool	*t;
	struct lookup	*lookup;
	struct store	*store;
	struct walk	*walk;
	bool		 off;		/* the store is full */
	struct unused	 unused;	/* dumps that could not be used, for messages */
	struct clock_cycles cycles;
	struct table	 processes;
	LIST_HEAD(, jit_process) dumps;
	unsigned	 ndumps;
	STAILQ_HEAD(, jit_found) found;
	unsigned	 nfound;
	struct jit_image *images;
	uint32_t	 nimages;
	size_t		 open_bytes;
	uint32_t	*by_dso;	/* by index of pp_dso: 1 + index of its image; 0: it is none of ours */
	size_t		 ndsos;
	struct jit_put	*puts;		/* in the order in which they are written */
	size_t		 nputs;
	struct jit_put	*hidden;	/* functions that the current map hides: written again after it */
	size_t		 nhidden;
	/* for messages */
	uint64_t	 made;		/* MMAP2s */
	uint64_t	 functions, moved, unmoved, late, excess, again;
	uint64_t	 nimages_written;
};

/* ---- jit_dump.c: functions that return int return 1, or -1 with the reason in the in_err of the tool ------- */

/* Is the last part of the path jit-PID.dump?  0: no; else the PID. */
uint32_t jit_dump_pid(const char *path);
bool	jit_is_executable(const struct pp_rec *map, bool swap);
/* Is it a map of a process, not of the kernel or a guest? */
bool	jit_is_own(const struct pp_rec *map, uint32_t pid);
struct jit_process *jit_process_find(const struct jit *, uint32_t pid);		/* NULL: unknown */
struct jit_process *jit_process_get(struct jit *, uint32_t pid);		/* made if unknown; NULL: no memory */
void	jit_process_close(struct jit *, struct jit_process *);			/* its dump is done with */
void	jit_process_end(struct jit *, struct jit_process *);
/* A map arrives: if it is of a dump, open the dump now, because process and file may be gone when the map is delivered. */
void	jit_arrived(struct jit *, const struct pp_rec *map);
/* The map of a dump is delivered.  A process that maps the same file again goes on with it. */
int	jit_begin(struct jit *, uint32_t pid, uint64_t time, const struct pp_rec *map, const struct pp_dso *);
/* Read the dump of the process on up to that time. */
int	jit_advance(struct jit *, struct jit_process *, uint64_t limit);
/* The same for the dump that has the functions of a process: its own, or that of an ancestor.  NULL: none. */
int	jit_advance_of(struct jit *, struct jit_process *, uint64_t limit);

/* ---- jit_image.c: functions return 1, or -1 with the reason in the in_err of the tool ------------------- */

/* Add a function, which the process has from that time on. */
int	jit_image_load(struct jit *, struct jit_process *, uint32_t pid, uint64_t time, const struct image_fn *);
/* Add an MMAP2: from that time on, some bytes of an image are at that address, too. */
int	jit_image_map(struct jit *, const struct jit_put *);
/* The image of a map; UINT32_MAX: it is none of ours. */
uint32_t jit_image_of(const struct jit *, const struct pp_map *);
/* Complete the image that takes functions of the process. */
void	jit_image_end(struct jit *, struct jit_process *);
/* Complete all images, and write all MMAP2s. */
int	jit_image_flush(struct jit *);

#endif

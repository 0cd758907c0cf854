/* SPDX-License-Identifier: ISC */
/*
 * state_in.h - inside of the state; only state*.c include it.
 *
 * Lists keep the order of appearance, so that equal input makes equal snapshots; hash tables over them find things.  A
 * map of a process is start, length and offset (maps.h); all else that its record said is its `kind', shared by all maps
 * that are alike.
 */
#ifndef PP_STATE_IN_H
#define PP_STATE_IN_H

#include <sys/queue.h>

#include "maps.h"
#include "state.h"
#include "table.h"

struct blob {			/* bytes of a record */
	uint16_t	 len;
	uint8_t		 p[];
};

struct comm {			/* shared by all who are called so */
	struct link	 link;		/* by hash of the text */
	struct pp_comm pub;
	size_t		 refs;
	char		 text[];
};

struct process {
	struct link	 link;		/* by pid */
	struct pp_process pub;
	TAILQ_ENTRY(process) all;
	TAILQ_HEAD(, task) tasks;
	bool		 listed;	/* no: its pid has been given to another */
	uint64_t	 serial;	/* they are numbered as they appear */
	struct pp_maps	 maps;
	struct pp_maps	 base;		/* what its FORK copied from its parent */
};

struct task {
	struct link	 link;		/* by tid */
	struct pp_task pub;
	TAILQ_ENTRY(task) siblings, dead;
	struct process	*process;
	struct blob	*namespaces;	/* from nr_namespaces on */
};

struct kind {			/* what is the same for many maps */
	struct link	 link;		/* by hash of what follows */
	struct pp_dso	 file;		/* whose index this is */
	bool		 used;		/* by a map of the last snapshot */
	uint32_t	 type;
	uint16_t	 misc;
	uint8_t		 fixed[32];	/* of an MMAP2: inode or build-id, prot, flags */
	char		 name[];
};

struct kept {			/* a record of which the last one of its key counts */
	struct link	 link;
	TAILQ_ENTRY(kept) all;
	uint32_t	 type, pid;
	uint64_t	 id;
	uint16_t	 size;
	uint8_t		 raw[];		/* without its trailer */
};

struct pp_state {
	struct pp_err	*err;
	bool		 swap;
	struct table	 processes, tasks, comms, kinds, keeps;
	TAILQ_HEAD(, process) all_processes;
	TAILQ_HEAD(, task) dead;
	unsigned	 ndead;
	uint64_t	 serial;
	TAILQ_HEAD(, kept) all_kept;
	struct kind	**kind;		/* by index; NULL: free */
	uint32_t	 nkinds, cap_kinds, free_kind;	/* below free_kind all are taken */
	struct pp_maps	 kernel;
	struct maps_pool pool;
	struct state_writer *writer;	/* made at the first use */
};

void	pp_state_writer_free(struct state_writer *);
/* The record that counts for a key; NULL: none. */
struct kept *pp_state_kept(const struct pp_state *, uint32_t type, uint32_t pid, uint64_t id);
/* Is an MMAP or MMAP2 one of a process, not of the kernel or a guest? */
static inline bool
pp_state_is_own(const struct pp_rec *r, bool swap)
{
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;

	return (!mode || mode == PP_MISC_USER) && pp_get_u32(r->raw + 8, swap) != UINT32_MAX;
}

#endif

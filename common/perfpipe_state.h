/* SPDX-License-Identifier: ISC */
/*
 * perfpipe_state.h - a part of perfpipe.h, which includes it: records in the order of their times, and who is who at a time.
 */
#ifndef PERFPIPE_STATE_H
#define PERFPIPE_STATE_H

#ifndef PERFPIPE_H
#error "include perfpipe.h"
#endif

/* ---- timeline -------------------------------------------------------------------------------- */

/*
 * Puts records into the order of their times, by the rules of perf: a record waits until no older one can come, which is what a
 * FINISHED_ROUND says.  Records of the same time keep their order.
 */
struct pp_timeline;

/* Called with the time and the n bytes of a record, which are valid during the call: pp_view().  Returns 1, or -1. */
typedef int	pp_deliver(void *arg, uint64_t time, const uint8_t *p, size_t n);

/*
 * `turn' is called for each record when its turn has come.  About `memory' bytes are used at most (SIZE_MAX: no bound): when they
 * are full, the oldest third of what waits has its turn early.  NULL: no memory.
 */
struct pp_timeline *pp_timeline_new(pp_deliver *turn, void *arg, size_t memory, struct pp_err *);
void	pp_timeline_free(struct pp_timeline *);
/*
 * What perf does with a record that the source has just yielded: a FINISHED_ROUND is pp_timeline_round(); other records of perf's
 * own (type >= PP_USER_TYPE_START) are ignored; a kernel record waits for its turn, or has it at once, with time 0, if it has
 * no time.  1, or -1: the record has no event, no memory, or turn() failed.
 */
int	pp_timeline_take(struct pp_timeline *, const struct pp_source *, const struct pp_rec *);
/* A copy of the record of n bytes (PP_RECORD_MAX at most) at p waits for its turn.  1, or -1: no memory, or turn() failed. */
int	pp_timeline_put(struct pp_timeline *, uint64_t time, const void *p, size_t n);
/* A FINISHED_ROUND came: the turn of all that perf delivers at it.  1, or -1: turn() failed. */
int	pp_timeline_round(struct pp_timeline *);
/* The turn of all up to that time; UINT64_MAX, at the end of the input: of all.  1, or -1: turn() failed. */
int	pp_timeline_release(struct pp_timeline *, uint64_t limit);
/* Records that came when newer ones had had their turn early, because the memory was full. */
uint64_t pp_timeline_early(const struct pp_timeline *);

/* ---- state ----------------------------------------------------------------------------------- */

struct pp_state;

struct pp_dso {			/* a file, or what stands for one, as the record of a map describes it */
	const char	*name;		/* NUL-terminated; any bytes */
	uint32_t	 len;		/* of the name */
	uint32_t	 index;		/* 0, 1, 2...: for tables of the caller; one file has several if records describe it differently */
	uint32_t	 maj, min;	/* device and inode of an MMAP2; ino 0: unknown */
	uint64_t	 ino;
	uint64_t	 ino_generation;	/* which file of that inode's number; 0: unknown */
	uint8_t		 id[20];	/* build-id of an MMAP2 */
	uint8_t		 id_len;	/* bytes of it; 0: unknown */
	uint32_t	 jit;		/* pid of a process with code made at run time there, /tmp/perf-PID.map to perf; 0: none */
};

struct pp_map {
	uint64_t	 start, len;	/* addresses start .. start + len - 1; never past 2^64 - 2 */
	uint64_t	 pgoff;		/* offset of `start' in the file */
	uint32_t	 dso;		/* index of its pp_dso */
	bool		 data;		/* PERF_RECORD_MISC_MMAP_DATA: not code */
	bool		 has_id;	/* its MMAP2 has a build-id */
};

/*
 * Which tasks, names, maps and cgroups there are, by the rules of perf (perf-pipe(5)), after the records of the source that were taken.
 * NULL: no memory.
 */
struct pp_state	*pp_state_of(const struct pp_source *, struct pp_err *);
void		 pp_state_free(struct pp_state *);
/*
 * Take in a record of the source, in the order of the times (pp_timeline); a record that changes nothing is ignored.  1, or -1: no memory.
 */
int		 pp_state_take(struct pp_state *, const struct pp_source *, const struct pp_rec *);

/* What the lookups return is valid until the next record is taken. */

/* The name of a thread; NULL: unknown. */
const char	*pp_state_comm(const struct pp_state *, uint32_t tid);
/* The process that forked a process; -1: unknown. */
int64_t		 pp_state_ppid(const struct pp_state *, uint32_t pid);
/* The path of a cgroup; NULL: unknown. */
const char	*pp_state_cgroup(const struct pp_state *, uint64_t id);
/* The map around an address of process `pid', or of the kernel, by the cpumode of misc (PP_MISC_KERNEL ...).  NULL: none. */
const struct pp_map *pp_state_map(const struct pp_state *, uint32_t pid, unsigned cpumode, uint64_t addr);
/* The file of such a map. */
const struct pp_dso *pp_state_dso(const struct pp_state *, const struct pp_map *);

struct pp_place {		/* of an address; NULL: unknown */
	const struct pp_map *map;
	const struct pp_dso *dso;
	uint64_t	 offset;	/* of the address in the file */
};
/* Where a frame of a sample of process `pid' is, or with cpumode and ip of a sample, that.  1, or 0: in no map. */
int		 pp_state_place(const struct pp_state *, uint32_t pid, unsigned cpumode, uint64_t ip, struct pp_place *);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * known.h - which threads have a name, which addresses of a process have a map: in order of arrival, in bounded memory.
 *
 * It is not pp_state: there is no need to know which map or name, and what a hostile stream makes must not grow.  Maps are only
 * added, as exec unmaps nothing to perf.  When a limit is met, processes that have exited are forgotten; if that is not enough,
 * what has no place counts as known, so nothing is reported about it.
 */
#ifndef PSTAT_KNOWN_H
#define PSTAT_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

enum {
	KNOWN_THREADS = 32 << 10, KNOWN_PROCESSES = 16 << 10,
	KNOWN_RANGES = 128 << 10,	/* of all processes */
	KNOWN_RANGES_EACH = 4096,
};
#define KNOWN_KERNEL UINT32_MAX		/* the pid of the kernel's maps */

struct known;

struct known *known_new(void);
/* In the functions below that return nothing, and in known_has_maps(), NULL is who keeps nothing and knows nothing. */
void	known_free(struct known *);
void	known_map(struct known *, uint32_t pid, uint64_t start, uint64_t len);
void	known_comm(struct known *, uint32_t tid);
/* A record of this time shows the thread alive: an EXIT before that was not its end (state/state.h). */
void	known_alive(struct known *, uint32_t pid, uint32_t tid, uint64_t time);
/* with_maps: the process has the maps of its parent. */
void	known_fork(struct known *, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid, bool with_maps);
enum { KNOWN_UNTIMED = 1 };		/* the time of what has none */
void	known_exit(struct known *, uint32_t pid, uint32_t tid, uint64_t time);

bool	known_has_name(const struct known *, uint32_t tid);
struct known_range { uint64_t start, end; };	/* mapped, up to and with `end' */
/* Is the address mapped?  If it is, and `range' is not NULL, set it. */
bool	known_has_map(const struct known *, uint32_t pid, uint64_t addr, struct known_range *range);
/* Has the process any map? */
bool	known_has_maps(const struct known *, uint32_t pid);
/* The time of the thread's EXIT; 0: none. */
uint64_t known_exit_time(const struct known *, uint32_t tid);
/* Changes when something may have been forgotten. */
uint64_t known_changes(const struct known *);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * addr.h - pseudonyms of addresses.
 *
 * Each map moves as a whole to an address that depends on the key, its file and the address at which offset 0 of the file would
 * be mapped.  So an address keeps its offset in the file, the maps of one file keep their distances, a child has the maps of its
 * parent, and several recordings of one process agree.  The distances between files and how far each has moved are hidden.  An
 * address outside of all maps keeps its offset in its page, and the page gets another number.  Both move to regions of their own,
 * and addresses of the kernel stay above those of programs:
 *
 *	programs: maps 2^54, other pages 2^55; a kernel below 2^63 (s390, 32 bits): 3 * 2^54
 *	kernel:	  maps 2^64 - 3 * 2^54, other pages 2^64 - 2^55
 *
 * Addresses below 4096 do not change: they are null pointers with an offset.  Two maps of one process, of 1 MiB each, overlap by
 * chance with a probability of 10^-10.
 *
 * Records must come in time order, as in state/state.h.
 */
#ifndef PFILTER_ANON_ADDR_H
#define PFILTER_ANON_ADDR_H

#include "key.h"
#include "perfpipe_inline.h"

struct anon_addr;

/* tasks: limit of the memory of tasks and maps; 0: none. */
struct anon_addr *anon_addr_new(struct anon_key *, bool swap, size_t tasks, struct pp_err *);
void	anon_addr_free(struct anon_addr *);
/* Process a valid record: MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL; ignores others.  1, or -1: no memory, or the limit. */
int	anon_addr_feed(struct anon_addr *, const struct pp_rec *);
struct anon_map { uint64_t start, len, pgoff; };
/* The new fields of an MMAP or MMAP2.  The length changes if a map of the kernel covers all addresses. */
void	anon_addr_map(struct anon_addr *, const struct pp_rec *, struct anon_map *);
/* The pseudonym of an address of process `pid'; `cpumode': PERF_RECORD_MISC_*. */
uint64_t anon_addr(struct anon_addr *, uint32_t pid, unsigned cpumode, uint64_t addr);
/* The same in place for the entries of a call chain; its context markers stay, and set the cpumode of the entries after them. */
void	anon_addr_chain(struct anon_addr *, uint32_t pid, unsigned cpumode, uint8_t *chain, uint64_t n, bool swap);

#endif

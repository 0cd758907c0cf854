/* SPDX-License-Identifier: ISC */
/*
 * addr.h - pseudonyms of addresses.
 *
 * Each map moves as a whole to a place chosen by the key, its file and where the file's first byte would have been
 * mapped: so an address keeps its offset in the file, the parts of one file keep together, a child has its
 * parent's maps, and a recording taken in pieces agrees; but the distances between maps, and how far any of them
 * moved, are hidden.  An address in no map keeps its place in its page, the page gets another number.  Both go to
 * regions of their own, and those of the kernel stay above those of programs:
 *
 *	programs: maps 2^54, other pages 2^55; a kernel below 2^63 (s390, 32 bits): 3 * 2^54
 *	kernel:	  maps 2^64 - 3 * 2^54, other pages 2^64 - 2^55
 *
 * Addresses below 4096 stay, being null with an offset.  Two maps of one process fall on each other by chance once in
 * 10^10 pairs of them (each of 1 MiB).
 *
 * Records must come in time order, as in state/state.h.
 */
#ifndef PFILTER_ANON_ADDR_H
#define PFILTER_ANON_ADDR_H

#include "key.h"
#include "perfpipe_inline.h"

struct anon_addr;

struct anon_addr *anon_addr_new(struct anon_key *, bool swap, struct pp_err *);
void	anon_addr_free(struct anon_addr *);
/* Take in a sound record: MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL; of others nothing is done.  1, or -1: no memory. */
int	anon_addr_feed(struct anon_addr *, const struct pp_rec *);
struct anon_map { uint64_t start, len, pgoff; };
/* The new fields of an MMAP or MMAP2.  The length changes where a kernel's map goes over all addresses. */
void	anon_addr_map(struct anon_addr *, const struct pp_rec *, struct anon_map *);
/* An address of process `pid' by the cpumode of PERF_RECORD_MISC_*. */
uint64_t anon_addr(struct anon_addr *, uint32_t pid, unsigned cpumode, uint64_t addr);
/* The same for the entries of a call chain in place: its markers stay, and give the mode of what follows. */
void	anon_addr_chain(struct anon_addr *, uint32_t pid, unsigned cpumode, uint8_t *chain, uint64_t n, bool swap);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * tables.h - what a profile holds, each thing once: strings, maps, locations, samples.  All are numbered in order of appearance;
 * the number 0 is the empty string, no map.
 *
 * Things lie in chunks of memory that are freed together.  Without memory `failed' is set, and the result is 0 or NULL.
 */
#ifndef PPROF_TABLES_H
#define PPROF_TABLES_H

#include "state/state.h"
#include "state/table.h"

struct pprof_string {
	struct link	 link;
	struct pprof_string *next;	/* the next number */
	uint32_t	 number, len;
	char		 text[];	/* UTF-8 */
};
struct pprof_map {
	struct link	 link;
	struct pprof_map *next;
	struct pp_map	 map;
	uint32_t	 number;
	uint32_t	 name;		/* a string */
	bool		 named;		/* places in it have functions */
};
struct pprof_place {		/* a location */
	struct link	 link;
	struct pprof_place *next;
	uint64_t	 address;
	uint32_t	 number;
	uint32_t	 map : 29;
	uint32_t	 mode : 3;	/* the cpumode */
};
struct pprof_labels {		/* one that is not wanted or not known is 0, or of tasks -1 */
	uint32_t	 comm, thread_comm;	/* strings */
	uint32_t	 pid, tid;
};
struct pprof_stack {		/* all samples with equal stack, labels and event */
	struct link	 link;
	struct pprof_stack *next;
	uint64_t	 samples, periods;
	struct pprof_labels labels;
	uint32_t	 event;		/* its index */
	uint32_t	 depth;
	uint32_t	 place[];	/* numbers; the innermost first */
};

struct pprof_chunk;
struct pprof_tables {
	struct table	 strings, maps, places, stacks;
	struct pprof_string *first_string, **last_string;	/* not the empty one */
	struct pprof_map *first_map, **last_map;
	struct pprof_place *first_place, **last_place;
	struct pprof_stack *first_stack, **last_stack;
	struct pprof_chunk *chunk;
	size_t		 bytes;		/* of all chunks */
	uint64_t	 mended;	/* strings that were no UTF-8 */
	bool		 failed;
};

/* 1, or -1. */
void	pprof_tables_new(struct pprof_tables *);
void	pprof_tables_free(struct pprof_tables *);
/* Bytes in use. */
size_t	pprof_tables_memory(const struct pprof_tables *);

/* Each byte that is not of UTF-8 becomes U+FFFD. */
uint32_t pprof_string(struct pprof_tables *, const char *, size_t n);
/* Of a map whose file has that name. */
uint32_t pprof_map(struct pprof_tables *, const struct pp_map *, const char *name);
/* mode: of its first sample. */
uint32_t pprof_place(struct pprof_tables *, uint32_t map, uint64_t address, unsigned mode);
/* The entry for a sample, made with no samples and no periods if it is new. */
struct pprof_stack *pprof_stack(struct pprof_tables *, const uint32_t *place, uint32_t depth, const struct pprof_labels *,
	    uint32_t event);

#endif

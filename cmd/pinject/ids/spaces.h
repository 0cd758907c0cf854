/* SPDX-License-Identifier: ISC */
/*
 * spaces.h - for walk.c: the maps of each process that were hit last, so that none is looked for at each address
 *
 * A space is right as long as the maps of its process have the version that it was made for.  There is one for each process that has
 * maps and a sample, and for at most as many that the state has dropped.
 */
#ifndef SPACES_H
#define SPACES_H

#include "record/chain.h"
#include "set.h"
#include "state/state.h"

enum { SPACE_RANGES = 8 };

struct space_range { uint64_t start, len; };	/* it ends below the markers of call chains */
struct space {
	uint64_t	 feeds;		/* maps and version are of that state */
	uint32_t	 pid;
	uint8_t		 n, last, oldest;	/* ranges; the one that was hit last; the next to be replaced if there are as many as can be */
	bool		 all;		/* all maps were hit */
	const struct pp_maps *maps;	/* NULL: there are none */
	uint64_t	 version;	/* of the maps */
	struct space_range range[SPACE_RANGES];
};

struct spaces {
	struct pp_state	*state;
	uint64_t	 feeds;		/* records that the state was fed; the caller counts them, from 1 on */
	struct space	 kernel, *space;
	uint32_t	 n, max;
	struct set	 by_pid;	/* numbers of them, from 1 on */
};

void	spaces_init(struct spaces *, struct pp_state *);
void	spaces_free(struct spaces *);
/* Of a process; NULL: it has no maps.  It is valid until the next call for another one. */
struct space *spaces_of(struct spaces *, uint32_t pid);
struct space *spaces_kernel(struct spaces *);
/* A process begins: nothing was hit by it, although its maps may have the version that those of another one with its pid had. */
void	spaces_begin(struct spaces *, uint32_t pid);
/* A map was hit. */
static inline void
space_learn(struct space *s, const struct pp_map *m)
{
	uint64_t most = m->start < PP_CONTEXT(LAST) ? PP_CONTEXT(LAST) - m->start : 0;

	s->last = s->n < SPACE_RANGES ? s->n++ : s->oldest++ % (uint8_t)SPACE_RANGES;
	s->range[s->last].start = m->start;
	s->range[s->last].len = m->len < most ? m->len : most;
}

#endif

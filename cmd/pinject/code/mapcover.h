/* SPDX-License-Identifier: ISC */
/*
 * mapcover.h - for perfmap.c: the ranges of a process's memory whose names are in images
 *
 * Near MAPCOVER_MAX of them, all are forgotten, and those that are needed again are made again.
 */
#ifndef MAPCOVER_H
#define MAPCOVER_H

#include "lookup/buildid.h"

enum { MAPCOVER_MAX = 65536 };		/* of a process: the kernel allows as many maps (vm.max_map_count) */

struct mapcover {			/* a range over which some of an image was put */
	uint64_t	 start, end;
	size_t		 n, lines;	/* of the text when the image was made: bytes, complete lines */
	uint64_t	 pgoff;		/* of start, in the image */
	uint64_t	 image;		/* number of the image; 0: it could not be made */
	struct build_id	 id;		/* of the image */
	bool		 hidden;	/* an anonymous map lies over it since */
};

struct mapcovers {			/* begins zeroed */
	struct mapcover	*v;		/* ascending, disjoint */
	size_t		 n;
};

/* The index of the first one that ends behind the address. */
size_t		 mapcover_from(const struct mapcovers *, uint64_t addr);
/* The one that contains the address; NULL: none. */
struct mapcover	*mapcover_find(const struct mapcovers *, uint64_t addr);
/* A new one takes the place of what it overlaps. */
void		 mapcover_add(struct mapcovers *, struct mapcover);
/* Another map lies from start to end now; hide: it is anonymous memory. */
void		 mapcover_cut(struct mapcovers *, uint64_t start, uint64_t end, bool hide);
void		 mapcover_free(struct mapcovers *);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * container.h - the containers and pods that a cgroup is in, by its path: --container, --pod, and their opposites
 */
#ifndef PFILTER_CONTAINER_H
#define PFILTER_CONTAINER_H

#include "tool/near.h"
#include "field/container_path.h"
#include "tool/words.h"

enum { CONTAINER_ID = 64, CONTAINER_SHORT = 12 };	/* digits of an id; of the id that docker ps shows */

struct container_key {			/* the list of an option; initially zero */
	struct words	 list;
	bool		 pods;		/* of --pod */
	const char	*option;	/* its name */
	struct container_prefix {	/* the words that are the beginning of an id */
		const char *text;
		char	 first[CONTAINER_TEXT];	/* the first id that began so; "": none */
		bool	 warned;
	}		*prefix;
	size_t		 nprefixes;
};

/* After the last option.  A word for a pod that is no UID exits 2. */
void	container_ready(struct container_key *, const struct tool *, const char *option, bool pods);
/*
 * Is a cgroup of that path in one of the listed containers or pods, or below one?  If not, its names are added to `near' (or NULL).
 * Warns of a word that is the beginning of two ids.
 */
bool	container_has(struct container_key *, const struct tool *, const char *path, struct near *);
/* The first word that is like an id, but too short; NULL: none. */
const char *container_short(const struct container_key *);
void	container_free(struct container_key *);

#endif

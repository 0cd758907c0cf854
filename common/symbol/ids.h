/* SPDX-License-Identifier: ISC */
/* ids.h - the build-ids that BUILD_ID records give to files, by name */
#ifndef PP_IDS_H
#define PP_IDS_H

#include "make/build_id.h"
#include "state/table.h"

enum { IDS_MAX = 1 << 16 };	/* names; no more are kept */

struct ids {		/* by pp_table_init() */
	struct table	 table;
	uint64_t	 over;		/* names that were not kept */
};
struct known_id {
	struct link	 link;
	uint8_t		 id[BUILD_ID_BYTES], len;
	size_t		 nname;
	char		 name[];
};

/* Take in a sound BUILD_ID; the last one of a name counts, as in perf.  1, or -1: no memory. */
int	ids_learn(struct ids *, const struct pp_rec *);
/* NULL: unknown. */
const struct known_id *ids_find(const struct ids *, const char *name);
void	ids_free(struct ids *);

#endif

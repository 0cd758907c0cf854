/* SPDX-License-Identifier: ISC */
/* ids.h - the build-ids that BUILD_ID records give to files, by name */
#ifndef PPROF_IDS_H
#define PPROF_IDS_H

#include "record/build_id.h"
#include "state/table.h"

enum { PPROF_IDS_MAX = 1 << 16 };	/* names; no more are kept */

struct pprof_ids {		/* by pp_table_init() */
	struct table	 table;
	uint64_t	 over;		/* names that were not kept */
};
struct pprof_id {
	struct link	 link;
	uint8_t		 id[BUILD_ID_BYTES], len;
	size_t		 nname;
	char		 name[];
};

/* Take in a sound BUILD_ID; the last one of a name counts, as in perf.  1, or -1: no memory. */
int	pprof_ids_learn(struct pprof_ids *, const struct pp_rec *);
/* NULL: unknown. */
const struct pprof_id *pprof_ids_find(const struct pprof_ids *, const char *name);
void	pprof_ids_free(struct pprof_ids *);

#endif

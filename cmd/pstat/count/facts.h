/* SPDX-License-Identifier: ISC */
/* facts.h - facts about the recording, from its header features. */
#ifndef PSTAT_FACTS_H
#define PSTAT_FACTS_H

#include "record/feature.h"
#include "tool/tool.h"

enum { FACTS_TEXT = 4096 };	/* bytes kept of one string, of all arguments together */

struct fact_text {		/* as recorded: not safe to print; NULs separate arguments */
	char	*p;
	size_t	 len;
};
struct facts {
	struct fact_text hostname, osrelease, version, arch, cpudesc, cmdline;
	uint64_t nrcpus_available, nrcpus_online, total_mem;	/* total_mem in kB; 0: not recorded */
	uint64_t have;			/* bit n: feature n was there */
};

/* Store the facts in a HEADER_FEATURE record; warn if it is damaged. */
void	facts_learn(struct facts *, struct tool *, const struct pp_rec *, bool swap);
void	facts_free(struct facts *);

#endif

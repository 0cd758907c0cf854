/* SPDX-License-Identifier: ISC */
/* profile.h - what the formats of profiles have in common: out_cpuprofile.c, pprof/ */
#ifndef PCAT_PROFILE_H
#define PCAT_PROFILE_H

#include "tool/tool.h"

struct symbols;
struct profile_what {
	int64_t	 pid;			/* samples of this process; -1: not selected */
	const char *event;		/* samples of the event of this name (field/event_match.h); NULL: not selected */
	/* pprof only: */
	unsigned labels;		/* bits of enum pprof_label */
	bool	 labelled;		/* --labels was given */
	size_t	 memory;
	size_t	 tasks;			/* limit of tasks and maps, which count in memory, too; 0: none, and they do not count */
	unsigned threads;		/* that compress, in addition */
	struct symbols *symbols;	/* names of functions; NULL: none */
	/* where: sets file and byte of an err to those of the record being put. */
	void	 (*where)(void *arg, struct pp_err *);
	void	*arg;
};

struct profile_events {		/* verdicts on events; initially zero */
	enum { PROFILE_UNKNOWN, PROFILE_OTHER, PROFILE_WANTED } *is;	/* by index */
	size_t	 n;
};
/* Does the name, or NULL, mean this event of the recording?  For each sample. */
bool	profile_wants(struct profile_events *, const char *name, const struct pp_events *, const struct pp_event *);
/* An unknown event name is wrong usage, and exits 2, unless the recording is damaged and may have lost the event. */
void	profile_check_event(const struct tool *, const struct pp_events *, const char *name);

#endif

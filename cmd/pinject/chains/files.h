/* SPDX-License-Identifier: ISC */
/*
 * files.h - the files by which chains are unwound: of maps to open files of the unwinder
 *
 * The process of lookup/ finds and proves a file, and hands it over.  Of a live recording, a file is opened when a process maps it, as
 * process and file may be gone when a sample has its turn.  A file without proof, and one that was changed after the time of a sample,
 * is not used for that sample.
 */
#ifndef CHAINS_FILES_H
#define CHAINS_FILES_H

#include "lookup/lookup.h"
#include "unwind/unwind.h"

struct files;

struct files_for {			/* a map of a process, at the time of a sample or of its record; 0: unknown */
	uint32_t	 pid;
	uint64_t	 start, end, time;
};

/* strict: a file that cannot be used makes the exit status 1. */
struct files	*files_new(struct tool *, struct lookup *, bool strict);
/* Before the first sample or map. */
void		 files_unwinder(struct files *, struct unwinder *);
void		 files_free(struct files *);
/* The next sample: files that it is given stay open until the next call. */
void		 files_sample(struct files *);
/* A FINISHED_ROUND: files may have been changed meanwhile. */
void		 files_round(struct files *);
/* The tables of a file; NULL: there are none to be used. */
struct unwind_file *files_get(struct files *, const struct pp_dso *, const struct files_for *);
/* As they arrive: an MMAP or MMAP2, of that time; a BUILD_ID. */
void		 files_map(struct files *, const struct pp_rec *, uint64_t time);
void		 files_build_id(struct files *, const struct pp_rec *);
/* At the end: warn of what was not used. */
void		 files_report(struct files *);
/* How many files were refused or are not there. */
uint64_t	 files_refused(const struct files *);

#endif

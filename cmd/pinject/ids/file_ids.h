/* SPDX-License-Identifier: ISC */
/*
 * file_ids.h - the build-id of the file that a map of the recording describes
 *
 * A file is identified by device, inode, generation and name, or by its name alone where the map has no inode.  Each is looked
 * up once, or some times in the name of different processes if there is no id; what was found is remembered for 65,536 files.
 */
#ifndef FILE_IDS_H
#define FILE_IDS_H

#include "lookup/lookup.h"

struct file_ids;

struct file_ids_for {
	const struct pp_dso *dso;
	unsigned	 mode;		/* PP_MISC_KERNEL or PP_MISC_USER */
	uint32_t	 pid;
	uint64_t	 start, end;	/* of the map; end 0: unknown */
	uint64_t	 time;		/* of the map, or of a sample in it; 0: unknown */
	bool		 quietly;	/* if there is no id, that is not counted and not said */
};

struct file_ids_found {
	struct build_id	 id;		/* len 0: there is none */
	uint64_t	 which;		/* a number for this identity, equal at each call; 0: too many are remembered */
	bool		 changed;	/* there is none, as it had other contents then */
};

/* The input must be open. */
struct file_ids	*file_ids_new(struct tool *, struct lookup *);
void		 file_ids_free(struct file_ids *);
/* For a copy of each file: what is looked up goes to the archive, which also says what is not found. */
struct archive;
void		 file_ids_archive(struct file_ids *, struct archive *);
/* 1 and the id; 0: there is none, which a note says once for each file. */
int		 file_ids_get(struct file_ids *, const struct file_ids_for *, struct file_ids_found *);
/* The stream has the id of all files of that name, by a BUILD_ID (65,536 names are remembered).  Has it? */
void		 file_ids_known(struct file_ids *, const struct pp_rec *build_id);
bool		 file_ids_is_known(const struct file_ids *, const struct pp_dso *);
/* The stream has that id of a file, and keeps it: warn if --known-build-ids has another one. */
void		 file_ids_kept(struct file_ids *, const struct pp_dso *, const uint8_t *id, size_t len);
/*
 * At the end: how many ids were put in, and how many files have none and why.  Memory that is no file can have none, and does
 * not count.  strict: a file without an id makes the exit status 1.
 */
void		 file_ids_report(const struct file_ids *, uint64_t given, bool strict);
/* Count a file that has no id, and print it with -v.  Once for each file. */
void		 file_ids_none(struct file_ids *, const struct pp_dso *, unsigned mode, const char *why);

/*
 * Fill *q for the map that an MMAP or MMAP2 describes; *dso is its file.  1; 0: it is none of the kernel or a process, but of a
 * guest or hypervisor.
 */
int		 file_ids_of_map(struct file_ids_for *q, const struct pp_rec *, const struct pp_dso *, bool swap);
/* "[kernel.kallsyms]_text" and the like: the kernel itself, by whatever symbol. */
bool		 file_ids_is_kernel(const struct pp_dso *);
/* The name by which readers know the file: only the map of the kernel has a symbol in its name. */
struct pp_dso	 file_ids_named(const struct pp_dso *);

#endif

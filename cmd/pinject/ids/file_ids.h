/* SPDX-License-Identifier: ISC */
/*
 * file_ids.h - the build-id of the file that a map of the recording describes
 *
 * A file is identified by device, inode, generation and name, or by its name alone if the map has no inode.  Each file is looked
 * up once; if no id is found, a few times more, for other processes.  The results are remembered for 65,536 files.
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
	bool		 quietly;	/* a missing id is not counted, and no message tells it */
};

struct file_ids_found {
	struct build_id	 id;		/* len 0: there is none */
	uint64_t	 which;		/* a number for this identity, equal at each call; 0: too many are remembered */
	bool		 changed;	/* there is none, because the file had other contents at that time */
	bool		 fixed;		/* there is none, and in the name of this process it is not looked for again */
	bool		 final;		/* ... nor in that of any other one */
};

/* The input must be open. */
struct file_ids	*file_ids_new(struct tool *, struct lookup *);
void		 file_ids_free(struct file_ids *);
/* Give each file that is looked up to the archive, for a copy; the archive also names the files that are not found. */
struct archive;
void		 file_ids_archive(struct file_ids *, struct archive *);
/* 1 and the id; 0: there is none, and a note for each file says so once. */
int		 file_ids_get(struct file_ids *, const struct file_ids_for *, struct file_ids_found *);
/* Note a BUILD_ID of the stream, which gives the id of all files of its name; 65,536 names are remembered.  Was there one? */
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
 * Fill *q for the map that an MMAP or MMAP2 describes; *dso is its file.  1; 0: it is a map of a guest or hypervisor, not of the
 * kernel or a process.
 */
int		 file_ids_of_map(struct file_ids_for *q, const struct pp_rec *, const struct pp_dso *, bool swap);
/* "[kernel.kallsyms]_text" and the like: the kernel itself, by whatever symbol. */
bool		 file_ids_is_kernel(const struct pp_dso *);
/* The name by which readers know the file: only the map of the kernel has a symbol in its name. */
struct pp_dso	 file_ids_named(const struct pp_dso *);

#endif

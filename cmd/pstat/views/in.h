/* SPDX-License-Identifier: ISC */
/*
 * in.h - what perf's commands say of a file, said of any input: pstat --events, --header, --tasks, --mmaps, --build-ids.
 *
 * Each is a table of the report.  A view sees the records in the one pass of count.h, and holds what it shows, up to the limits
 * below; what has no place makes the report inexact.
 */
#ifndef PSTAT_VIEWS_IN_H
#define PSTAT_VIEWS_IN_H

#include "count/part.h"
#include "report/text.h"
#include "tally/index.h"

enum {
	VIEWS_THREADS = 64 << 10,
	VIEWS_MAPS = 256 << 10,		/* MMAP and MMAP2 records that are taken in */
	VIEWS_MAP_ROWS = 1 << 20,	/* rows of --mmaps: each thread has all maps of its process */
	VIEWS_BUILD_IDS = 64 << 10,
	VIEWS_FEATURES = 8 << 20,	/* bytes of header features */
	VIEWS_LEVEL = 200,		/* by as many columns is a comm indented at most */
	VIEWS_TIMELINE = 4 << 20,	/* bytes of records that wait for older ones */
};

struct views;

/* ---- header.c ------------------------------------------------------------------------------------ */

struct header_line { uint64_t feature; char *text; size_t len; };	/* feature 0: of none */
struct header {
	struct header_part { uint64_t number; uint8_t *p; size_t len; } *part;	/* payloads */
	size_t		 n, bytes;
	uint64_t	 have;		/* features that other records stand for, by number */
	uint64_t	 first, last;	/* times of samples; last 0: none has a time */
	struct header_line *line;
	size_t		 nlines;
	bool		 full;
};
void	header_sample(struct views *, const struct pp_rec *);
void	header_see(struct views *, const struct pp_rec *);
void	header_end(struct views *);
void	header_free(struct header *);
/* feature.c: a line, and those of a feature. */
void	header_say(struct views *, uint64_t feature, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void	header_feature(struct views *, uint64_t number, const uint8_t *p, size_t len);
extern const struct table header_table;
void	header_screen(FILE *, const struct views *);

/* ---- attrs.c ------------------------------------------------------------------------------------- */

/* The fields of an attr that are not 0, as perf has them: ", NAME: VALUE" with `is' ": ". */
void	attr_fields(FILE *, const struct pp_attr *, const char *is);
extern const struct table attrs_table;
void	attrs_screen(FILE *, const struct views *);

/* ---- payloads.c ---------------------------------------------------------------------------------- */

/* Keep formats; and warn of those that cannot be used. */
void	payloads_begin(const struct views *);
void	payloads_end(const struct views *);
extern const struct table payloads_table;
void	payloads_screen(FILE *, const struct views *);

/* ---- threads.c ----------------------------------------------------------------------------------- */

struct thread;
struct threads {
	struct pp_timeline *order;
	struct pp_state	*state;
	struct index	*known;		/* struct thread by tid */
	struct thread	**row;		/* in the order in which they are shown */
	size_t		 n, nmaps;
	bool		 maps, full;
	bool		 cut;		/* more than VIEWS_MAP_ROWS maps of threads */
	struct map_mode { uint32_t prot, flags; } *mode;	/* by the index of a map's dso */
	size_t		 nmodes;
};
void	threads_begin(struct views *);
void	threads_see(struct views *, const struct pp_rec *);
void	threads_end(struct views *);
void	threads_free(struct threads *);
extern const struct table threads_table, maps_table;
void	threads_screen(FILE *, const struct views *);
/* With the maps of each thread. */
void	maps_screen(FILE *, const struct views *);

/* ---- build_ids.c --------------------------------------------------------------------------------- */

struct build_id;
struct build_ids {
	struct index	*known;
	struct build_id	**row;		/* by name */
	size_t		 n;
	bool		 full;
};
void	build_ids_see(struct views *, const struct pp_rec *);
void	build_ids_end(struct views *);
void	build_ids_free(struct build_ids *);
extern const struct table build_ids_table;
void	build_ids_screen(FILE *, const struct views *);

/* -------------------------------------------------------------------------------------------------- */

struct views {
	struct tool	*tool;
	struct counts	*c;
	bool		 want[VIEW_KINDS];
	struct pp_err	 err;
	struct header	 header;
	struct threads	 threads;
	struct build_ids build_ids;
};

#endif

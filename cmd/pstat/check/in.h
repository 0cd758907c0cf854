/* SPDX-License-Identifier: ISC */
/*
 * in.h - shared by the files of check/: check.c (findings, order), show.c (rules), sample.c, head.c (attrs, features), side.c
 * (maps, tasks, losses), known.c
 */
#ifndef PSTAT_CHECK_IN_H
#define PSTAT_CHECK_IN_H

#include "check.h"
#include "known.h"

enum rule {
#define RULE(level, number, NAME, what, reader, mend) RULE_##level##_##NAME,
#include "rules.def"
#undef RULE
	RULES
};

struct finding {
	uint64_t count;			/* 0: not found */
	uint64_t off, record;		/* of the first: byte, and number among the records from 0 */
	uint32_t type;			/* of its record; UINT32_MAX: of none */
	bool	 at;			/* `off' is known */
	char	 detail[240];		/* of the first; "": nothing to add */
};

/* A sample that nothing was known about when it came: asked again two rounds later. */
struct unsure {
	uint32_t pid, tid, mode;
	uint64_t ip;			/* the first of its page */
	uint64_t count, off, record, round;
};

enum { CHECK_CPUS = 1024, CHECK_UNSURE = 1024, CHECK_CACHE = 4096, CHECK_COOKIES = 1024 };

struct cpu_gap {			/* of a CPU: are its samples even? */
	uint64_t last;			/* time of the last sample */
	uint64_t usual;			/* about the median of the intervals */
	uint32_t even;			/* intervals in a row that were not much larger */
	struct { uint64_t ns, off, record; } gap;	/* waits for even intervals behind it */
};

struct check {
	struct tool	*tool;
	struct counts	*c;
	struct pp_source *in;		/* of the tool */
	bool		 glance;	/* check_glance(): `known' and `cpu' are NULL, `files' is not used */
	bool		 ended;		/* the glance: a record that could not be counted has ended the reading */
	bool		 chosen[RULES];
	struct finding	 found[RULES];
	uint64_t	 record;	/* number of the current record */

	/* the head */
	unsigned	 nev;		/* attrs looked at */
	uint64_t	 max_feature;	/* the largest number of a header feature so far */
	uint64_t	 features;	/* bits of those below 64 */
	bool		 end_mark, any_feature, any_sample;
	bool		 stream;		/* the attrs stand in the input */
	uint64_t	 first, last;	/* of SAMPLE_TIME */
	uint64_t	 nr_cpus;
	uint8_t		 pmu[32];	/* bits of the types that PMU_MAPPINGS names */
	bool		 pmus, trace_info, formats;
	/* of each event: its first sample was seen; fields behind the fixed ones matter */
	struct check_event { bool looked, parts; } *ev;
	/* order */
	uint64_t	 late, newest, since_round, reads_back, reads_unknown;	/* since_round: bytes */
	uint64_t	 rounds;	/* number of the round */
	bool		 data_before_round;
	/* tasks and maps */
	struct known	*known;
	/* Threads that have a name and no EXIT, and the maps of their last samples. */
	struct check_thread { uint64_t key; struct known_range range[2]; } cache[CHECK_CACHE];
	uint64_t	 changes;	/* known_changes() when the cache was cleared */
	struct known_range kernel;	/* the map of the last sample of the kernel */
	struct unsure	 unsure[CHECK_UNSURE];
	unsigned	 nunsure;
	uint64_t	 cookie[CHECK_COOKIES];	/* of deferred call chains that are awaited; 0: free */
	struct files	 files;		/* with a build-id, or counted without */
	struct cpu_gap	*cpu;
};

/* ---- check.c ------------------------------------------------------------------------------------- */

/* The rule was broken by this record.  The first detail stays; NULL: none. */
void	check_found(struct check *, enum rule, const struct pp_rec *, const char *detail);
/* The same, n times, first at that place. */
void	check_found_at(struct check *, enum rule, uint64_t n, bool at, uint64_t off, uint64_t record, uint32_t type,
	    const char *detail);
/* The same of the recording as a whole. */
void	check_found_all(struct check *, enum rule, const char *detail);

/* ---- show.c -------------------------------------------------------------------------------------- */

extern const struct table check_table, check_glance_table;
/* Choose the rules of --check=LIST; exits 2 if a word is none. */
void	check_choose(struct check *, const char *list);

/* ---- sample.c ------------------------------------------------------------------------------------ */

void	check_sample(struct check *, const struct pp_event *, const struct pp_rec *);
/* Must the fields behind the fixed ones be looked at, of samples that count.c has counted? */
bool	check_needs_parts(const struct pp_event *);
/* Something about the thread has changed: its samples are looked at anew. */
void	check_forget(struct check *, uint32_t tid);
/* Ask again about the samples that nothing was known about: those of that round and before. */
void	check_unsure(struct check *, uint64_t round);

/* ---- head.c -------------------------------------------------------------------------------------- */

void	check_attr(struct check *, const struct pp_rec *);
void	check_feature(struct check *, const struct pp_rec *);
/* Other records of perf's own. */
void	check_own(struct check *, const struct pp_rec *);
void	check_head_end(struct check *);

/* ---- side.c -------------------------------------------------------------------------------------- */

/* Records of the kernel that are no samples; ev NULL: unknown. */
void	check_side(struct check *, const struct pp_event *, const struct pp_rec *);
/* A file of that name has a build-id, or (!has) a map of it has none. */
void	check_file_name(struct check *, const struct pp_rec *, const char *name, size_t len, bool has);

#endif

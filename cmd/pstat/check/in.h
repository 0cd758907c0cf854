/* SPDX-License-Identifier: ISC */
/*
 * in.h - pstat --check: what readers of a recording stumble over.
 *
 * It sees each record once, in the one pass of count.h, and holds a bounded state.  A finding is a rule (rules.def) with how
 * often it was broken, and its first place.  Records that cannot be counted do not end the reading, and the faults that the
 * source goes on behind are findings.
 *
 * A glance, for the screen, is at the records that count.h shows to those that glance, and at the counts.  It finds errors and
 * warnings that --check would find, too, and not all of these; faults stay messages, and end the reading.
 *
 *	check.c		findings, order
 *	show.c		rules
 *	sample.c, head.c, side.c	samples; attrs and features; maps, tasks and losses
 *	turn.c		names and maps of samples
 */
#ifndef PSTAT_CHECK_IN_H
#define PSTAT_CHECK_IN_H

#include "count/part.h"
#include "record/meaning.h"

enum rule {
#define RULE(level, number, NAME, since, what, reader, mend) RULE_##level##_##NAME,
#include "rules.def"
#undef RULE
	RULES
};

struct finding {
	uint64_t count;			/* 0: not found */
	uint64_t off, record;		/* of the first: byte, and number among the records from 0 */
	uint32_t type;			/* of its record; UINT32_MAX: of none */
	bool	 at;			/* `off' is known */
	int	 since;			/* of a result: the first that reads all of it right */
	char	 detail[240];		/* of the first; "": nothing to add */
};

/*
 * By the first version of perf that reads it right: findings that none reads right are in [PP_PERF_NONE].  CHECK_NEWER: newer
 * than those that are known; it reads what it has written.
 */
enum { CHECK_NEWER = PP_PERF_CURRENT + 1, CHECK_SINCE };
/* The two levels of a finding: that of its rule; a note, as only older perfs than that it is checked for misread it. */
enum { AS_RULE, AS_NOTE, CHECK_LEVELS };

enum { CHECK_CPUS = 1024, CHECK_COOKIES = 1024 };

struct cpu_gap {			/* of a CPU: are its samples even? */
	uint64_t last;			/* time of the last sample */
	uint64_t usual;			/* about the median of the intervals */
	uint32_t even;			/* intervals in a row that were not much larger */
	struct { uint64_t ns, off, record; } gap;	/* waits for even intervals behind it */
};

struct check {
	struct tool	*tool;
	struct pass	*pass;		/* NULL: a glance */
	struct counts	*c;
	struct pp_source *in;		/* of the tool */
	bool		 glance;	/* `turns' and `cpu' are NULL, `files' is not used */
	bool		 ended;		/* the glance: a record that could not be counted has ended the reading */
	bool		 chosen[RULES][CHECK_LEVELS];
	struct finding	 found[RULES][CHECK_SINCE];
	struct finding	 result[RULES][CHECK_LEVELS];	/* by check_end() */
	int		 perf;		/* that it is checked for; PP_PERF_NONE: that of the header, or the newest known */
	int		 recorder;	/* by the header; PP_PERF_NONE: unknown */
	uint64_t	 record;	/* number of the current record */

	/* the head */
	unsigned	 nev;		/* attrs looked at */
	size_t		 nids;		/* their different ids */
	uint64_t	 max_feature;	/* the largest number of a header feature so far */
	uint64_t	 features;	/* bits of those below 64 */
	bool		 end_mark, any_feature, any_sample;
	bool		 stream;		/* the attrs stand in the input */
	uint64_t	 first, last;	/* of SAMPLE_TIME */
	struct pp_feature_about about;
	uint8_t		 pmu[32];	/* bits of the types that PMU_MAPPINGS names */
	bool		 pmus, trace_info, formats;
	/* of each event: its first sample was seen; fields behind the fixed ones matter */
	struct check_event { bool looked, parts; } *ev;
	/* order */
	uint64_t	 late, backward, since_round, reads_back, reads_unknown;	/* since_round: bytes */
	uint64_t	 rounds;	/* number of the round */
	bool		 data_before_round;
	struct turns	*turns;
	uint64_t	 cookie[CHECK_COOKIES];	/* of deferred call chains that are awaited; 0: free */
	struct files	 files;		/* with a build-id, or counted without */
	struct cpu_gap	*cpu;
};

/* ---- check.c ------------------------------------------------------------------------------------- */

/* The rule was broken by this record.  The detail is that of the first place; NULL: none. */
void	check_found(struct check *, enum rule, const struct pp_rec *, const char *detail);
/* The same of a rule whose `since' VARIES. */
void	check_found_since(struct check *, enum rule, int since, const struct pp_rec *, const char *detail);
/* The same, n times, first at that place. */
void	check_found_at(struct check *, enum rule, uint64_t n, bool at, uint64_t off, uint64_t record, uint32_t type,
	    const char *detail);
/* The same of the recording as a whole. */
void	check_found_all(struct check *, enum rule, const char *detail);

/* ---- show.c -------------------------------------------------------------------------------------- */

extern const struct table check_table, check_glance_table;
/* The findings for people. */
void	check_screen(FILE *, const void *check);
/* Was an error found; or, if `strict', a warning? */
bool	check_failed(const struct check *, bool strict);
/*
 * Choose the rules of --check=LIST: by letter (E), name or number (E07), separated by commas, -X without X; exits 2 if a word
 * is none.
 */
void	check_choose(struct check *, const char *list);
/* The column `since' of a rule. */
int	check_since(enum rule);
/*
 * The version of perf that a text begins with, as one of those whose limits are known: of one between these the newer (`up') or
 * the older, and CHECK_NEWER.  PP_PERF_NONE: the text has no version.
 */
int	check_perf(const char *text, size_t len, bool up);

/* ---- sample.c ------------------------------------------------------------------------------------ */

void	check_sample(struct check *, const struct pp_event *, const struct pp_rec *);
/* Must the fields behind the fixed ones be looked at, of samples that count.c has counted? */
bool	check_needs_parts(const struct pp_event *);

/* ---- turn.c: samples and side-band in time order; `turns' NULL: nothing is done ------------------- */

struct turns *turns_new(struct check *);
void	turns_free(struct turns *);
/* Of an event with TID; time 0: it has none. */
void	turns_sample(struct turns *, const struct pp_event *, const struct pp_rec *, uint64_t time);
void	turns_side(struct turns *, const struct pp_rec *, bool timed, uint64_t time);
/* A FINISHED_ROUND; the end. */
void	turns_round(struct turns *);
void	turns_end(struct turns *);
/* Has the process any map now?  False if it is not known. */
bool	turns_has_maps(const struct turns *, uint32_t pid);

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

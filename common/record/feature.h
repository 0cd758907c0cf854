/* SPDX-License-Identifier: ISC */
/*
 * feature.h - header features: facts about the machine, the events and the command of a recording
 *
 * In a stream a feature is a HEADER_FEATURE record (u64 number, payload), in a file a section with the same payload.  The
 * layout of a payload is a row of feature.def.  feature.c encodes and decodes by the rows, feature_text.c prints, feature_parse.c
 * reads what was printed, feature_rec.c handles whole features.
 *
 *	struct pp_feature_io io;		read, value by value
 *	pp_feature_open(&io, &feature, err);
 *	while ((r = pp_feature_next(&io, &v)) > 0) ...
 *
 *	pp_feature_create(&io, PP_FEAT_CMDLINE, swap, 0, buf, sizeof buf, err);		write
 *	pp_feature_put_count(&io, "nr");
 *	pp_feature_put_str(&io, "arg", "perf", 4);
 *	pp_feature_finish(&io, &len);
 *
 * Features, values, and the functions that visit all values of a feature are in perfpipe.h.  A new feature is a row of
 * feature.def, which says what else it needs.
 *
 * Nothing is allocated; values point into the payload.  An error reads "HEADER_FEATURE: NAME: cause"; after it the handle fails
 * for good.
 */
#ifndef PP_FEATURE_H
#define PP_FEATURE_H

#include "perfpipe_inline.h"

enum {				/* where a feature may be; column `where' of feature.def */
	PP_FEATURE_PIPE = 1, PP_FEATURE_FILE = 2, PP_FEATURE_FLAG = 4, PP_FEATURE_ALONE = 8
};
enum {
	PP_FEATURE_HEAD = 16,		/* bytes of a HEADER_FEATURE record before its payload */
	PP_FEATURE_STR_ALIGN = 64,	/* perf pads strings to a multiple of this (NAME_ALIGN) */
	PP_FEATURE_DEPTH = 3,		/* nesting of lists */
	PP_FEATURE_FIELDS = 24,		/* at least the fields of the longest row */
};

struct pp_feature_field;	/* one field of a row: feature.c */
struct pp_feature_io {		/* a payload being read or written; its members are private to feature.c */
	const struct pp_feature_field *f;
	struct pp_err	*err;
	uint64_t	 number;
	uint32_t	 nr_cpus;
	bool		 swap, writing, failed, done;
	uint8_t		 at, depth;
	struct { uint8_t start; bool until; uint64_t left, index; } in[PP_FEATURE_DEPTH];
	uint64_t	 val[PP_FEATURE_FIELDS];	/* the last value of each numeric field */
	struct pp_cur	 cur;				/* reading */
	uint8_t		*buf;				/* writing */
	size_t		 cap, len, pos[PP_FEATURE_FIELDS];
	uint32_t	 open;				/* bit n: val[n] is a count that is not known yet */
	const struct pp_feature_value *next;
};

/* ---- the table ------------------------------------------------------------------------------- */

/* PP_FEATURE_* bits; PIPE and FILE for an unknown number, 0 for one on which perf aborts. */
unsigned	 pp_feature_where(uint64_t number);
enum pp_feature_holds {		/* column `holds' of feature.def */
	PP_HOLDS_UNKNOWN, PP_HOLDS_SETTING, PP_HOLDS_HARDWARE, PP_HOLDS_HOST, PP_HOLDS_VERSION, PP_HOLDS_MEMORY, PP_HOLDS_PHYSICAL, PP_HOLDS_COMMAND,
	PP_HOLDS_EVENTS, PP_HOLDS_GROUPS, PP_HOLDS_PROGRAMS, PP_HOLDS_TYPES, PP_HOLDS_RECORDS, PP_HOLDS_END
};
enum pp_feature_holds pp_feature_holds(uint64_t number);
enum pp_feature_shown { PP_SHOWN_SAME, PP_SHOWN_LONG, PP_SHOWN_OTHER };	/* column `shown' */
enum pp_feature_shown pp_feature_shown(uint64_t number);
/* Is it a fact of the machine, and one that a stream can have?  An unknown one is not. */
bool		 pp_feature_of_machine(uint64_t number);
/*
 * Is the record the end mark behind the last feature?  perf writes HEADER_LAST_FEATURE without a payload.  Its number differs
 * between versions (32 in 6.1 and 6.12, 35 in 7.2), so the size decides.
 */
bool		 pp_feature_is_end(const struct pp_rec *);

/* ---- reading --------------------------------------------------------------------------------- */

/* Start reading.  The bytes of the feature must stay valid; the struct need not. */
void	pp_feature_open(struct pp_feature_io *, const struct pp_feature *, struct pp_err *);
/*
 * Get the next value.  1; 0: end; -1: a count or length exceeds the bytes that are present.  An empty payload has no values.
 * Flags, unknown features and bytes behind the layout are PP_F_REST; so is the end of a CPU_TOPOLOGY if nr_cpus is 0.
 */
int	pp_feature_next(struct pp_feature_io *, struct pp_feature_value *);
/* The text of a feature that begins with one, as those of one text do, in v->p and v->len.  False: it has none, or is damaged. */
bool	pp_feature_string(const struct pp_feature *, struct pp_feature_value *v);
/* facts from other features and attrs that pp_feature_check() depends on */
struct pp_feature_about {
	uint32_t	 nr_cpus;	/* as in pp_feature */
	unsigned	 nevents;	/* 0: unknown */
	bool		 sockets_differ;	/* sockets are not numbered by CPUs */
	/*
	 * Set for each feature: CPU_TOPOLOGY with a number of a socket above that of the CPUs (VMware gives each CPU a socket, and
	 * numbers them 0, 2, 4).  perf 7.2 reads it.  perf up to 6.12 refuses a stream with it, and does without these ids in a file.
	 */
	size_t		 ids;			/* where the ids of cores and sockets begin in the payload; 0: no such number */
	uint32_t	 socket;		/* the number */
};
/*
 * Does perf accept the feature?  Its lengths, counts and strings must lie within it, and perf's own rules must hold.  `about'
 * is used instead of f->nr_cpus, and learns from a sound NRCPUS or ARCH.  1, also for an unknown or empty feature; or -1 with
 * the reason.
 */
int	pp_feature_check(const struct pp_feature *f, struct pp_feature_about *, struct pp_err *);

/* ---- writing --------------------------------------------------------------------------------- */

/* Start a payload of at most `cap' bytes in buf, in byte order `swap'.  nr_cpus 0: CPUS has as many entries as are put. */
void	pp_feature_create(struct pp_feature_io *, uint64_t number, bool swap, uint32_t nr_cpus, uint8_t *buf,
	    size_t cap, struct pp_err *);
/*
 * Append a value.  Values come in stored order, with the names in feature.def; values of pp_feature_next() can be passed as
 * they are.  A string is cut at a NUL and padded with zeros to a multiple of 64 with at least one NUL, as in perf.  A count (of
 * entries or bytes) must equal what follows; with `count' set it is computed.  ATTR is converted to the byte order of the
 * payload; INFO and BYTES are copied; REST is refused if its byte order would have to change, unless it is zeros.  1, or -1.
 */
int	pp_feature_put(struct pp_feature_io *, const struct pp_feature_value *);
int	pp_feature_put_num(struct pp_feature_io *, const char *name, uint64_t num);
int	pp_feature_put_count(struct pp_feature_io *, const char *name);
int	pp_feature_put_str(struct pp_feature_io *, const char *name, const char *p, size_t len);
/* End the payload.  1, and *len is its size; -1: an earlier call failed or a value is missing. */
int	pp_feature_finish(struct pp_feature_io *, size_t *len);
/*
 * Convert a payload to byte order `to_swap' (as in pp_feature_create()).  1, and *len is its size; or -1.  Strings are padded
 * as in perf.  Bytes of unknown layout make it fail unless they are 0.
 */
int	pp_feature_convert(const struct pp_feature *, bool to_swap, uint8_t *buf, size_t cap, size_t *len,
	    struct pp_err *);
/*
 * Write a payload by its text, as pp_feature_text() prints it; the title of the first line can be left out, and those of
 * further values that do not repeat, with a comma for the newline ("8,6").  1, and *len is its size; or -1: what is expected.
 */
int	pp_feature_parse(uint64_t number, const char *text, bool swap, uint8_t *buf, size_t cap, size_t *len,
	    struct pp_err *);
/* Can a feature be written so?  Not if it has attrs or bytes that the text does not show, or is unknown. */
bool	pp_feature_has_text(uint64_t number);
/*
 * Make a HEADER_FEATURE record of 16 + f->len bytes (not padded) in buf, in byte order f->swap.  f->p may be buf +
 * PP_FEATURE_HEAD.  Without a payload it is an end mark (number PP_FEAT_END).  1; or -1: too large for a record or buf, or the
 * feature is not allowed in a stream.
 */
int	pp_feature_record(uint8_t *buf, size_t cap, const struct pp_feature *f, struct pp_err *);

#endif

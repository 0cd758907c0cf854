/* SPDX-License-Identifier: ISC */
/*
 * feature.h - header features: what the recording machine was, which events and command made the stream.
 *
 * In a stream each is a HEADER_FEATURE record (u64 number, payload); in a file a section with the same
 * payload.  feature.def says by one row each what a payload looks like; feature.c reads and writes by it,
 * feature_text.c shows, feature_rec.c deals with whole features.
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
 * Features, values, and the functions that visit all values of a feature: perfpipe.h.
 *
 * Nothing is allocated; values point into the payload.  Errors read "HEADER_FEATURE: NAME: cause" and stick
 * to the handle.
 */
#ifndef PP_FEATURE_H
#define PP_FEATURE_H

#include "perfpipe_inline.h"

enum {				/* where a feature may stand; see feature.def */
	PP_FEATURE_PIPE = 1, PP_FEATURE_FILE = 2, PP_FEATURE_FLAG = 4,
};
enum {
	PP_FEATURE_HEAD = 16,		/* bytes of a HEADER_FEATURE record in front of its payload */
	PP_FEATURE_STR_ALIGN = 64,	/* perf pads strings to this (NAME_ALIGN) */
	PP_FEATURE_DEPTH = 3,		/* lists in lists */
	PP_FEATURE_FIELDS = 24,		/* entries of the longest row */
};

struct pp_feature_field;	/* one entry of a layout: feature.c */
struct pp_feature_io {		/* a payload being read or written; private to feature.c */
	const struct pp_feature_field *f;
	struct pp_err	*err;
	uint64_t	 number;
	uint32_t	 nr_cpus;
	bool		 swap, writing, failed, done;
	uint8_t		 at, depth;
	struct { uint8_t start; bool until; uint64_t left, index; } in[PP_FEATURE_DEPTH];
	uint64_t	 val[PP_FEATURE_FIELDS];	/* the last number of each field */
	struct pp_cur	 cur;				/* reading */
	uint8_t		*buf;				/* writing */
	size_t		 cap, len, pos[PP_FEATURE_FIELDS];
	uint32_t	 open;				/* bit n: val[n] is still to be counted */
	const struct pp_feature_value *next;
};

/* ---- the table ------------------------------------------------------------------------------- */

/* PP_FEATURE_* bits; both PIPE and FILE for a number that we do not know, 0 for one that perf aborts on. */
unsigned	 pp_feature_where(uint64_t number);
enum pp_feature_holds {		/* feature.def */
	PP_HOLDS_UNKNOWN, PP_HOLDS_HARDWARE, PP_HOLDS_HOST, PP_HOLDS_VERSION, PP_HOLDS_MEMORY, PP_HOLDS_PHYSICAL, PP_HOLDS_COMMAND,
	PP_HOLDS_EVENTS, PP_HOLDS_GROUPS, PP_HOLDS_PROGRAMS, PP_HOLDS_TYPES, PP_HOLDS_RECORDS, PP_HOLDS_END
};
enum pp_feature_holds pp_feature_holds(uint64_t number);
/*
 * Is the record the mark behind the last feature?  perf writes its own HEADER_LAST_FEATURE without a payload
 * (32 by 6.1 and 6.12, 35 by 7.2), so it is told by the size, not by the number.
 */
bool		 pp_feature_is_end(const struct pp_rec *);

/* ---- reading --------------------------------------------------------------------------------- */

/* Start reading.  The feature's bytes must stay; the view itself need not. */
void	pp_feature_open(struct pp_feature_io *, const struct pp_feature *, struct pp_err *);
/*
 * The next value: 1, 0 at the end, -1 if a count or length does not fit the bytes that are there.
 * An empty payload has no values.  Flags, unknown features and bytes behind the layout are PP_F_REST; so is
 * the end of a CPU_TOPOLOGY if nr_cpus is 0.
 */
int	pp_feature_next(struct pp_feature_io *, struct pp_feature_value *);
/* What other features and the attrs say, by which a feature is judged. */
struct pp_feature_about {
	uint32_t	 nr_cpus;	/* as in pp_feature */
	unsigned	 nevents;	/* 0: not known */
	bool		 sockets_differ;	/* socket numbers are none of CPUs (s390, aarch64) */
};
/*
 * Does it have the form that perf takes?  Its lengths, counts and strings lie within it, and perf's own rules hold.
 * f->nr_cpus does not matter: a sound NRCPUS or ARCH is noted in `about', which the next one is judged by.
 * 1, also if it is unknown or empty; or -1 with the cause.
 */
int	pp_feature_check(const struct pp_feature *f, struct pp_feature_about *, struct pp_err *);

/* ---- writing --------------------------------------------------------------------------------- */

/*
 * Start a payload of `cap' bytes at most in buf, in the byte order said by `swap'.  nr_cpus 0: take as many
 * CPUS entries as are put.
 */
void	pp_feature_create(struct pp_feature_io *, uint64_t number, bool swap, uint32_t nr_cpus, uint8_t *buf,
	    size_t cap, struct pp_err *);
/*
 * Append a value.  Values must come in stored order, with the names of feature.def; those of
 * pp_feature_next() may be given back as they are.  Strings are cut at a NUL, padded with zeros to a multiple
 * of 64 that holds one NUL at least, as perf does.  A number that counts (entries, bytes) must agree with what
 * follows, unless `count' is set: then it is found.  ATTR is turned into the payload's byte order; INFO and
 * BYTES are copied; REST is refused if it would need turning, which zeros do not.  1, or -1.
 */
int	pp_feature_put(struct pp_feature_io *, const struct pp_feature_value *);
int	pp_feature_put_num(struct pp_feature_io *, const char *name, uint64_t num);
int	pp_feature_put_count(struct pp_feature_io *, const char *name);
int	pp_feature_put_str(struct pp_feature_io *, const char *name, const char *p, size_t len);
/* End the payload: 1 and its length, or -1: something failed or is missing. */
int	pp_feature_finish(struct pp_feature_io *, size_t *len);
/*
 * Rewrite a payload in the other byte order (to_swap as for pp_feature_create).  1 and its length, or -1.
 * Strings come out padded as perf does; bytes whose meaning is not known make it fail, unless they are 0.
 */
int	pp_feature_convert(const struct pp_feature *, bool to_swap, uint8_t *buf, size_t cap, size_t *len,
	    struct pp_err *);
/*
 * Make a whole HEADER_FEATURE record of 16 + f->len bytes (not padded) in buf, in byte order f->swap.  f->p may
 * be buf + PP_FEATURE_HEAD.  Without a payload it is an end mark (number PP_FEAT_END).  1, or -1: larger than
 * a record or buf can be, or a feature that has no place in a pipe.
 */
int	pp_feature_record(uint8_t *buf, size_t cap, const struct pp_feature *f, struct pp_err *);

/*
 * Turn a perf_event_attr of len bytes (which may be cut anywhere) into the other byte order.  dst may be src.
 * Bytes behind the fields that we know stay as they are.
 */
void	pp_attr_flip(uint8_t *dst, const uint8_t *src, size_t len);

#endif

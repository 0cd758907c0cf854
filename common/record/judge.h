/* SPDX-License-Identifier: ISC */
/*
 * judge.h - is the size of a record that of its fields?
 *
 * A size that is wrong hides the records behind it, or begins the next one amid this one.  So every size is compared with what
 * the fields need.  Exactly so many bytes, rounded up to a u64, have
 *
 *	SAMPLEs		of an event whose attr has no unknown bits
 *	the kernel's	other records of known types, with the trailer of the event
 *	perf's own	AUXTRACE, and those with a count
 *
 * perf's other records may be longer in a newer version, unknown types have any size, and perf reads them all.  Of these, what is
 * behind the known fields must not be records, up to the end or over it.
 */
#ifndef PP_JUDGE_H
#define PP_JUDGE_H

#include "perfpipe_inline.h"

/* Has the attr no bits that could add unknown fields to samples? */
bool	pp_attr_known(const struct pp_attr *);
/*
 * pp_check(), and the size.  1; -1 with the reason.  Without attrs, and if the event is not known, only what can be judged without
 * it is.
 */
int	pp_judge(const struct pp_events *, const struct pp_rec *, struct pp_err *);
/* The same, but not whether one of perf's own ends with other records: that takes long, for a search. */
int	pp_judge_quickly(const struct pp_events *, const struct pp_rec *, struct pp_err *);
/* The quick way for most records of the kernel: are the fields and the trailer all of it? */
bool	pp_fits(const struct pp_rec *, unsigned trailer);
/* Is it a record of the kernel as most are, for which that can be told?  Then it is sound. */
static inline bool
pp_fits_exactly(const struct pp_events *e, const struct pp_rec *r)
{
	return r->type != PP_SAMPLE && r->type < PP_USER_TYPE_START && e->n && e->trailer >= 0 && pp_fits(r, (unsigned)e->trailer);
}
/* Could perf or the kernel have written this header of a known type? */
bool	pp_header_plausible(const struct pp_rec *);
/* The size that a kernel record, but a SAMPLE or READ, needs by its fields, of which `left' bytes are in memory; 0: that cannot be told. */
size_t	pp_kernel_needs(const struct pp_events *, const struct pp_rec *, size_t left);

#endif

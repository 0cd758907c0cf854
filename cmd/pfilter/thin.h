/* SPDX-License-Identifier: ISC */
/*
 * thin.h - fewer samples, of those that are selected; and periods that make up for it.
 *
 *	--every N  ->  --sample P  ->  --max-rate N  ->  --max-samples N
 *
 * With --scale-period each kept sample stands for those that the first three dropped: by a factor (N, 1/P), of which
 * what is left over is carried to the event's next sample; by --max-rate the dropped periods themselves go to the next
 * sample of the same event and CPU that is kept, in the order in which they are decided.  So the sums of periods, by event
 * and CPU, are those of all selected samples up to the last one kept.
 */
#ifndef PFILTER_THIN_H
#define PFILTER_THIN_H

#include "sink/out.h"
#include "tool/tool.h"
#include "reason.h"

struct thin {			/* what is asked for; zeroed: nothing */
	uint64_t every;			/* keep one of so many; 0: all */
	uint64_t share;			/* keep what hashes below this, of 2^64; 0: all */
	uint64_t seed;
	bool	 has_seed;
	uint64_t max_rate;		/* samples a second; 0: any */
	uint64_t max_samples;		/* of each event */
	bool	 has_max_samples;
	bool	 stop;			/* read no further when all events have theirs */
	bool	 scale;			/* --scale-period */
};

/* --sample: a share above 0, up to 1, as 0.1 or 10%; a wrong one exits 2. */
void	thin_share(const struct tool *, struct thin *, const char *text);
bool	thin_any(const struct thin *);
/* Does it choose among samples that it could keep, so that --scale-period makes sense? */
bool	thin_scales(const struct thin *);

struct thinner;			/* a stream being thinned */
/* NULL: no memory. */
struct thinner *thinner_new(const struct thin *, const struct pp_source *);
void	thinner_free(struct thinner *);
/* A selected sample: KEPT, NOT_EVERY, NOT_SAMPLED, OVER_RATE, OVER_MAX; -1: no memory. */
int	thin_sample(struct thinner *, const struct pp_event *, const struct pp_rec *);
/* Has every event that can have samples as many as are wanted, `selected' telling which are? */
bool	thin_full(const struct thinner *, bool (*selected)(void *arg, const struct pp_event *), void *arg);
/* --scale-period: the periods that the sample of which KEPT was just said stands for, beside its own; once. */
uint64_t thin_owed(struct thinner *);
/*
 * --scale-period: the bytes of a kept sample, r->raw or a copy with another period, valid until the next call.  Samples
 * without a period of their own stay as they are, their event's attr is changed (thin_attr_new()).
 */
const uint8_t *thin_scale(struct thinner *, const struct pp_event *, const struct pp_rec *, uint64_t owed);
uint64_t thin_factor(const struct thin *, uint64_t period);

/*
 * Samples that have no period but their attr's cannot each have another one; with --max-rate they have to, so they get
 * the field.  thin_add_period() is told of each record before anything is decided on it: 1 and *r, which may lie in `buf' then;
 * -1: the record is too large for it, or fits no event.
 */
bool	thin_adds_period(const struct thin *);
int	thin_add_period(struct pp_source *in, struct pp_rec *r, uint8_t buf[static PP_RECORD_MAX + 8], struct pp_err *);
/*
 * A change on the way: attrs whose samples have no period of their own get a larger one, or the bit that says that samples
 * have it (`rest': only that).  NULL: no memory.
 */
struct out *thin_attr_new(const struct thin *, const struct pp_source *in, bool rest, struct out *next);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * thin.h - thinning: drops some of the selected samples, and adapts periods.
 *
 *	--every N  ->  --sample P  ->  --max-rate N  ->  --max-samples N
 *
 * With --scale-period each kept sample also represents the samples that the first three options dropped.  --every and --sample
 * multiply periods by a factor (N, 1/P); the rounding remainder is carried to the next sample of the event.  --max-rate adds the
 * dropped periods to the next kept sample of the same event and CPU, in the order of verdicts.  So the sum of periods of an event
 * on a CPU equals that of all selected samples up to the last kept one.
 *
 * A new option needs: a member of struct thin, by which thin_any() and thin_scales() know it, a test in thin_sample(), a reason
 * (reason.h; its words in nothing.c) that decide_thinned() lists if --scale-period compensates for it, a row in options.c, and one of
 * prune_hinders() in prune.c if its verdict depends on other samples.
 */
#ifndef PFILTER_THIN_H
#define PFILTER_THIN_H

#include "sink/out.h"
#include "tool/tool.h"
#include "keys/reason.h"

struct thin {			/* options; zero: none */
	uint64_t every;			/* keep one of this number; 0: all */
	uint64_t share;			/* keep samples whose hash is below this, of 2^64; 0: all */
	uint64_t seed;
	uint64_t max_rate;		/* samples per second; 0: no limit */
	uint64_t max_samples;		/* of each event */
	bool	 has_max_samples;
	bool	 stop;			/* stop reading when all events have max_samples */
	bool	 scale;			/* --scale-period */
};

/* Parse --sample, into a struct thin: a share above 0, up to 1, as 0.1 or 10%; an error exits 2. */
void	thin_share(struct tool *, void *thin);
bool	thin_any(const struct thin *);
/* Does an option drop samples that --scale-period can compensate for? */
bool	thin_scales(const struct thin *);

struct thinner;			/* state of thinning */
/* NULL: no memory. */
struct thinner *thinner_new(const struct thin *, const struct pp_source *);
void	thinner_free(struct thinner *);
/* The verdict on a selected sample: KEPT, NOT_EVERY, NOT_SAMPLED, OVER_RATE, OVER_MAX; -1: no memory. */
int	thin_sample(struct thinner *, const struct pp_event *, const struct pp_rec *);
/* Has every event that can have samples reached max_samples?  `selected': can the event have samples? */
bool	thin_full(const struct thinner *, bool (*selected)(void *arg, const struct pp_event *), void *arg);
/* --scale-period: the dropped periods that the last KEPT sample represents, besides its own.  Call once for each. */
uint64_t thin_owed(struct thinner *);
/*
 * --scale-period: the bytes of a kept sample: r->raw, or a copy with another period, valid until the next call.  A sample without
 * a PERIOD field is not changed; the attr of its event is (thin_attr_new()).
 */
const uint8_t *thin_scale(struct thinner *, const struct pp_event *, const struct pp_rec *, uint64_t owed);
uint64_t thin_factor(const struct thin *, uint64_t period);

/* --max-rate with --scale-period needs a period for each sample: samples without a PERIOD field get it (out/period.h). */
bool	thin_adds_period(const struct thin *);
/* A struct out that gives attrs of samples without a PERIOD field a larger period, if they do not get the field.  NULL: no memory. */
struct out *thin_attr_new(const struct thin *, const struct pp_source *in, struct out *next);

#endif

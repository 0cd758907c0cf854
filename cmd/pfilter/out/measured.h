/* SPDX-License-Identifier: ISC */
/*
 * measured.h - --span-period: samples that say how long a span was.
 *
 * The PERIOD of the sample is the length in ns, and the event gets a unit, which an EVENT_UPDATE in front of its first sample says.  With
 * --span-task pid and tid are those of the task that the span is of; if that is another one than the sample was taken in, its call chain,
 * registers, stack and branches are removed.
 */
#ifndef PFILTER_MEASURED_H
#define PFILTER_MEASURED_H

#include "tool/tool.h"
#include "window/length.h"

struct measured {			/* begins zeroed */
	struct measured_event { bool with, without; } *event;	/* by index: it has samples with a length, and without */
	size_t	 n;
	uint64_t others;		/* samples whose call chain and the like were removed */
	uint64_t unknown;		/* samples of threads whose process is unknown */
	uint8_t	 copy[PP_RECORD_MAX], unit[64];
};

/*
 * A sample is about to be written, with the length of its span or NULL: it keeps its period.  1; 0: *unit has to be written before it; -1:
 * its event has samples with and without a length.
 */
int	measured_note(struct measured *, const struct pp_events *, const struct pp_event *, const struct pp_rec *, const struct span_length *,
	    struct pp_rec *unit, struct pp_err *);
/* Change the sample to one of that length; r->raw is valid until the next call.  Its event has a PERIOD.  1; -1: it is malformed. */
int	measured_sample(struct measured *, const struct pp_event *, struct pp_rec *, const struct span_length *, bool swap, struct pp_err *);
/* At the end: say what samples of other tasks lack. */
void	measured_end(const struct measured *, const struct tool *);
void	measured_free(struct measured *);

#endif

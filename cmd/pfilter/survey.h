/* SPDX-License-Identifier: ISC */
/* survey.h - a look at the input before it is filtered, if it can be read twice */
#ifndef PFILTER_SURVEY_H
#define PFILTER_SURVEY_H

#include "tool/tool.h"

struct survey {
	uint64_t first, last;		/* times of samples; 0: not found */
};

/*
 * Find the time of the first sample, and with `last' of the last one: from the SAMPLE_TIME feature, or by reading.
 * What is wrong with the input is not said, that comes when it is filtered.
 */
void	survey_times(const struct tool *, bool last, struct survey *);

#endif

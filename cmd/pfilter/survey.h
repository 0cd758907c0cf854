/* SPDX-License-Identifier: ISC */
/* survey.h - times of the first and last sample, from a first pass over a seekable input */
#ifndef PFILTER_SURVEY_H
#define PFILTER_SURVEY_H

#include "tool/tool.h"

struct survey {
	uint64_t first, last;		/* times of samples; 0: not found */
	uint64_t bytes;			/* private: of the SAMPLEs that were read */
};

/*
 * Find the time of the first sample, and if `last' of the last one: from the SAMPLE_TIME feature before the samples, from the
 * index, or by reading the samples, which also gives --piece the number of their bytes.
 * Errors in the input are not reported; the main pass reports them.
 */
void	survey_times(struct tool *, bool last, struct survey *);

#endif

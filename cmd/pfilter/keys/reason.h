/* SPDX-License-Identifier: ISC */
/*
 * reason.h - the verdicts: KEPT, or why a record is rejected.
 *
 * REASONS lists them in the order of the tests; a record gets the first that applies.  A new reason is a row here; --stats prints
 * its word, and nothing.c a sentence for it if no sample is kept.
 */
#ifndef PFILTER_REASON_H
#define PFILTER_REASON_H

#define REASONS(R) \
	R(KEPT, "kept") R(NOT_AROUND, "around") R(NOT_SPAN, "span") \
	R(NOT_EVENT, "event") R(NOT_PID, "pid") R(NOT_TID, "tid") R(NOT_CPU, "cpu") R(NOT_TIME, "time") \
	R(NOT_COMM, "comm") R(NOT_DSO, "dso") R(NOT_CGROUP, "cgroup") R(NOT_CONTAINER, "container") R(NOT_POD, "pod") \
	R(NOT_FILTER, "filter") R(UNKNOWN_FILTER, "filter-unknown") R(INVERTED, "invert") \
	R(SWITCHED_OFF, "switch") R(NOT_EVERY, "every") R(NOT_SAMPLED, "sample") R(OVER_RATE, "max-rate") \
	R(OVER_MAX, "max-samples") R(NOT_TYPE, "type") R(NOT_SIDEBAND, "sideband")

enum reason {
#define R(name, word) name,
	REASONS(R)
#undef R
	REASON_END,
	LACKS_FIELD = REASON_END,	/* the record lacks a field that a key needs: see decide.c */
	NO_VERDICT			/* select_sample() has no verdict: select_match() makes it */
};

#endif

/* SPDX-License-Identifier: ISC */
/* reason.h - why a record is kept, or not */
#ifndef PFILTER_REASON_H
#define PFILTER_REASON_H

/* In this order they are asked; the first that says no is the reason. */
#define REASONS(R) \
	R(KEPT, "kept") R(NOT_EVENT, "event") R(NOT_PID, "pid") R(NOT_TID, "tid") R(NOT_CPU, "cpu") R(NOT_TIME, "time") \
	R(NOT_COMM, "comm") R(NOT_DSO, "dso") R(NOT_CGROUP, "cgroup") \
	R(NOT_FILTER, "filter") R(UNKNOWN_FILTER, "filter-unknown") R(INVERTED, "invert") \
	R(SWITCHED_OFF, "switch") R(NOT_EVERY, "every") R(NOT_SAMPLED, "sample") R(OVER_RATE, "max-rate") \
	R(OVER_MAX, "max-samples") R(NOT_TYPE, "type") R(NOT_SIDEBAND, "sideband")

enum reason {
#define R(name, word) name,
	REASONS(R)
#undef R
	REASON_END,
	CANNOT_SAY = REASON_END		/* the record does not hold what is asked for: neither selected nor, inverted, dropped */
};

#endif

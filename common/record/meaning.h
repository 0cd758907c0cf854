/* SPDX-License-Identifier: ISC */
/*
 * meaning.h - what the rows of record.def say of record types: class, roles of the fields, which perf reads them.
 *
 * Who treats record types differently has a table by class, not a list of types: a new type then needs nothing but its row,
 * unless it changes the state of tasks and maps (pp_state_feed()).
 */
#ifndef PP_MEANING_H
#define PP_MEANING_H

#include "perfpipe_inline.h"

enum pp_class {
	PP_CLASS_UNKNOWN,	/* a type without a row */
	PP_CLASS_SAMPLE,
	/* tied to a task, CPU or event as samples are, and selected like them */
	PP_CLASS_COUNT,		/* of an event in a task */
	PP_CLASS_SWITCH,	/* of a task on a CPU */
	PP_CLASS_THROTTLE,	/* of an event on a CPU */
	PP_CLASS_DEFERRED,	/* the rest of a sample of the task */
	/* what was lost */
	PP_CLASS_LOSS,		/* from a buffer, which all events share */
	PP_CLASS_EVENT_LOSS,	/* of one event */
	/* side-band: what readers need to understand samples */
	PP_CLASS_MAP,		/* of a process */
	PP_CLASS_TASK,		/* names, parents and ends of tasks */
	PP_CLASS_CGROUP,
	PP_CLASS_SYMBOL,	/* of the kernel */
	PP_CLASS_CODE,		/* changes and notes of the kernel's code */
	PP_CLASS_TRACE,		/* the hardware trace */
	PP_CLASS_TRACE_HEAD,	/* what describes it, in front */
	/* made by perf: the head of the stream */
	PP_CLASS_ATTR,
	PP_CLASS_NAMES,		/* of events, and the header features */
	PP_CLASS_FORMATS,	/* of tracepoints */
	PP_CLASS_BUILD_IDS,
	PP_CLASS_HEAD,
	PP_CLASS_ONCE,		/* the same; perf takes the first one only */
	/* made by perf */
	PP_CLASS_ROUND,
	PP_CLASS_MARK,
	PP_CLASS_STAT,
	PP_CLASS_PACKED,	/* other records, compressed */
	PP_CLASS_OTHER,
	PP_CLASSES
};

enum pp_perf {			/* the versions that --compat knows, in their order */
	PP_PERF_NONE,		/* none reads it: it has no row */
	PP_PERF_6_1, PP_PERF_6_12, PP_PERF_CURRENT,
};

struct pp_meaning {
	uint64_t roles;			/* of its fields: bit (1 << PP_ROLE_...); those of a SAMPLE are in sample.def */
	uint8_t	 class, perf;
};
extern const struct pp_meaning pp_meanings[PP_TYPE_END + 1];	/* the last: of any type without a row */

static inline const struct pp_meaning *
pp_meaning(uint32_t type)
{
	return &pp_meanings[type < PP_TYPE_END ? type : PP_TYPE_END];
}

static inline enum pp_class
pp_type_class(uint32_t type)
{
	return (enum pp_class)pp_meaning(type)->class;
}

/* Sets of classes, for pp_type_is(). */
#define PP_CLASS_BIT(class) (UINT32_C(1) << PP_CLASS_##class)
#define PP_CLASSES_LIKE_SAMPLES	(PP_CLASS_BIT(COUNT) | PP_CLASS_BIT(SWITCH) | PP_CLASS_BIT(THROTTLE) | PP_CLASS_BIT(DEFERRED))
#define PP_CLASSES_LOSS		(PP_CLASS_BIT(LOSS) | PP_CLASS_BIT(EVENT_LOSS))
#define PP_CLASSES_TASK		(PP_CLASS_BIT(MAP) | PP_CLASS_BIT(TASK))	/* about one task */
#define PP_CLASSES_STATE	(PP_CLASSES_TASK | PP_CLASS_BIT(CGROUP) | PP_CLASS_BIT(SYMBOL) | PP_CLASS_BIT(CODE))
#define PP_CLASSES_TRACE	(PP_CLASS_BIT(TRACE) | PP_CLASS_BIT(TRACE_HEAD))
#define PP_CLASSES_HEAD		(PP_CLASS_BIT(TRACE_HEAD) | PP_CLASS_BIT(ATTR) | PP_CLASS_BIT(NAMES) | PP_CLASS_BIT(FORMATS) |	\
				PP_CLASS_BIT(BUILD_IDS) | PP_CLASS_BIT(HEAD) | PP_CLASS_BIT(ONCE))
_Static_assert(PP_CLASSES <= 32, "a set of classes has 32 bits");

static inline bool
pp_type_is(uint32_t type, uint32_t classes)
{
	return classes >> pp_type_class(type) & 1;
}

/* Does the perf of that version read the type? */
static inline bool
pp_type_read_by(uint32_t type, enum pp_perf perf)
{
	const struct pp_meaning *m = pp_meaning(type);

	return m->perf != PP_PERF_NONE && m->perf <= perf;
}

/*
 * Where the first field of that role stands in the body of a record of that type, in bytes from its beginning, and its width;
 * 0: none does, in front of all that may be absent or of variable size.
 */
unsigned	pp_role_place(uint32_t type, enum pp_role, unsigned *width);

#define PP_ROLE_BIT(role) (UINT64_C(1) << PP_ROLE_##role)
_Static_assert(PP_ROLES <= 64, "struct pp_meaning has 64 bits");

#endif

/* SPDX-License-Identifier: ISC */
/*
 * meaning.h - the columns class and perf of record.def, and the roles of the fields of each record type
 *
 * Code that depends on the record type has a table by class or role instead of a list of types.  So a new type needs only its
 * row, unless it changes the state of tasks and maps (pp_state_feed()).  A new class is a member of enum pp_class, and an entry
 * in each table by class (grep PP_CLASSES: pfilter).
 */
#ifndef PP_MEANING_H
#define PP_MEANING_H

#include "perfpipe_inline.h"

enum pp_class {
	PP_CLASS_UNKNOWN,	/* a type without a row */
	PP_CLASS_SAMPLE,
	/* attributed to a task, CPU or event as samples are, and selected like them */
	PP_CLASS_COUNT,		/* of an event in a task: READ */
	PP_CLASS_SWITCH,	/* of a task on a CPU */
	PP_CLASS_THROTTLE,	/* of an event on a CPU */
	PP_CLASS_DEFERRED,	/* the rest of a sample of a task */
	/* losses */
	PP_CLASS_LOSS,		/* from a buffer that all events share */
	PP_CLASS_EVENT_LOSS,	/* of one event */
	/* side-band: needed to interpret samples */
	PP_CLASS_MAP,		/* of a process */
	PP_CLASS_TASK,		/* names, parents and ends of tasks */
	PP_CLASS_CGROUP,
	PP_CLASS_SYMBOL,	/* of the kernel */
	PP_CLASS_CODE,		/* changes of the kernel's code, BPF programs */
	PP_CLASS_TRACE,		/* the hardware trace */
	PP_CLASS_TRACE_HEAD,	/* its description, in the head */
	/* written by perf in the head of the stream */
	PP_CLASS_ATTR,
	PP_CLASS_NAMES,		/* of events, and header features */
	PP_CLASS_FORMATS,	/* of tracepoints */
	PP_CLASS_BUILD_IDS,
	PP_CLASS_HEAD,
	PP_CLASS_ONCE,		/* as HEAD; perf uses the first one only */
	/* written by perf */
	PP_CLASS_ROUND,
	PP_CLASS_MARK,
	PP_CLASS_STAT,
	PP_CLASS_PACKED,	/* other records, compressed */
	PP_CLASS_OTHER,
	PP_CLASSES
};

/*
 * The versions of perf that --compat and --check know, ascending: P(NAME, word, major, minor).  The last one is called current; rows name
 * it by its number, so that they stay right when another follows.
 */
#define PP_PERFS(P)	P(6_1, "6.1", 6, 1) P(6_12, "6.12", 6, 12) P(7_2, "current", 7, 2)

#define PP_PERF_OF(name, ...) PP_PERF_##name,
enum pp_perf {
	PP_PERF_NONE,		/* no version reads it: it has no row */
	PP_PERFS(PP_PERF_OF)
	PP_PERF_END,
	PP_PERF_CURRENT = PP_PERF_END - 1
};
/* Their words, with | between. */
#define PP_PERF_WORD(name, word, ...) "|" word
#define PP_PERF_WORDS	(&(PP_PERFS(PP_PERF_WORD))[1])
/* Stands where texts name the versions up to this one: it does not compile when another follows, until they are read again. */
#define PP_PERF_TEXTS(last, where) _Static_assert(PP_PERF_CURRENT == PP_PERF_##last, where ": texts name the versions of perf")

struct pp_meaning {
	uint64_t roles;			/* of its fields, PP_ROLE_BIT()s; those of a SAMPLE are in sample.def */
	uint8_t	 class, perf;
	uint8_t	 payload;		/* width of the first field, if that says how many bytes stand behind the record; else 0 */
};
extern const struct pp_meaning pp_meanings[PP_TYPE_END + 1];	/* the last one: for a type without a row */

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

/* Does this version of perf read the type? */
static inline bool
pp_type_read_by(uint32_t type, enum pp_perf perf)
{
	const struct pp_meaning *m = pp_meaning(type);

	return m->perf != PP_PERF_NONE && m->perf <= perf;
}

/*
 * The offset in a record of that type of the first field with that role, and its width in bytes; 0: no field has it.  Fields
 * that are optional, or behind one that is optional or of variable size, are not considered.
 */
unsigned	pp_role_place(uint32_t type, enum pp_role, unsigned *width);

/* ---- walks ------------------------------------------------------------------------------------- */

/* What of a record is shown: pp_choose() makes it, once for all records.  What is not chosen costs next to nothing. */
struct pp_choice {
	uint64_t	 roles;		/* PP_ROLE_BIT()s */
	uint32_t	 fields;	/* of samples and trailers, PP_SAMPLE_*: no others */
	uint32_t	 rows;		/* the same by number of their rows in sample.def */
};
extern const struct pp_choice pp_all;
struct pp_choice pp_choose(uint64_t roles, uint32_t fields);
/* pp_walk() of what is chosen alone. */
int	pp_walk_chosen(const struct pp_rec *, const struct pp_event *ev, bool swap, const struct pp_choice *, pp_visit *visit, void *arg,
	    struct pp_err *);

#define PP_ROLE_BIT(role) (UINT64_C(1) << PP_ROLE_##role)
_Static_assert(PP_ROLES <= 64, "struct pp_meaning has 64 bits");
#define PP_ROLES_TASK	(PP_ROLE_BIT(PID) | PP_ROLE_BIT(TID) | PP_ROLE_BIT(PPID) | PP_ROLE_BIT(PTID) | PP_ROLE_BIT(OTHER_PID) |	\
			PP_ROLE_BIT(OTHER_TID) | PP_ROLE_BIT(GUEST_PID))
#define PP_ROLES_ADDRESS (PP_ROLE_BIT(ADDR) | PP_ROLE_BIT(USER_ADDR) | PP_ROLE_BIT(KERNEL_ADDR) | PP_ROLE_BIT(PHYS_ADDR))

#endif

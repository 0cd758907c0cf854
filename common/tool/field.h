/* SPDX-License-Identifier: ISC */
/*
 * field.h - fields of records by name, as --filter has them: which there are, where the records of an event hold them, and
 * their values.
 *
 *	field.c		the table of fields, their names and words
 *	field_access.c	where a field stands in the records of one kind
 *	field_fetch.c	the value of a field that stands at no fixed place
 *	field_stream.c	what a stream says that fields depend on: clock, host, guests
 *
 * A new field is a row of the table in field.c; one that is worked out from other fields is also a case of field_fetch.c.
 */
#ifndef PP_FIELD_H
#define PP_FIELD_H

#include "big.h"
#include "record/shape.h"
#include "state/state.h"

enum field_type { FIELD_INT, FIELD_STR, FIELD_CHAIN };

enum field_get {		/* how a field is found */
	GET_PLAN,		/* fixed: by the event's plan, in samples and trailers */
	GET_TAIL,		/* u64 behind the parts of variable size; PART_TAIL where these are in front */
	GET_HEADER,		/* of the record's header, at `add' */
	GET_PART,		/* field_fetch() works it out if the event has what it needs */
	GET_STATE,		/* the same, from the state of tasks at the record's time */
	GET_PERIOD, GET_CPU, GET_ID, GET_TYPE, GET_EXACT, GET_NAME, GET_INDEX, GET_ATTR_TYPE, GET_ATTR_CONFIG, GET_HOST,
	GET_NEVER,		/* perf knows it while it records; no record holds it */
};
enum field_part {		/* what field_fetch() works out */
	PART_NONE, PART_TAIL, PART_SNOOP, PART_WEIGHT, PART_CHAIN_NR, PART_CHAIN, PART_STACK, PART_ABI, PART_BRANCHES, PART_RAW,
	PART_VALUE, PART_ENABLED, PART_RUNNING, PART_AUX, PART_CPU, PART_NR, PART_OFFSET, PART_RELTIME, PART_WALLTIME,
	PART_MACHINE, PART_VCPU, PART_COMM, PART_PPID, PART_DSO, PART_BUILD_ID, PART_MAP, PART_CGROUP,
};

struct field_word { const char *name; uint64_t value; };
struct field {
	const char	*name;
	uint8_t		 type;		/* enum field_type */
	uint8_t		 get;		/* enum field_get */
	uint8_t		 part;		/* enum field_part */
	uint8_t		 bits, shift;	/* how much of the place it is: 0 all */
	bool		 sign;
	uint32_t	 need;		/* PP_SAMPLE_*: one of these, if any */
	uint16_t	 plan, trailer;	/* where in struct pp_plan its offsets are */
	uint8_t		 add;		/* bytes behind that offset */
	uint8_t		 width;		/* bytes */
	uint8_t		 role;		/* enum pp_role: of the field of other types than SAMPLE that is the same */
	const struct field_word *words;
	const char	*supply;	/* what makes perf record it */
};

const struct field *field_find(const char *name, size_t n);
/* The number of a field's word; false: the field has no such word. */
bool	field_word(const struct field *, const char *word, size_t n, big *);
bool	field_needs_state(const struct field *);
bool	field_needs_place(const struct field *);	/* the number or offset of the record */
bool	field_needs_start(const struct field *);	/* the time of the first record */
bool	field_needs_guests(const struct field *);	/* the guests of ID_INDEX */
bool	field_refused(const struct field *);		/* GET_NEVER */
/* "period, pid": names that are like it; empty: none. */
void	field_near(const char *name, size_t n, char *to, size_t size);
/* The words of a field, a blank between two. */
void	field_words(const struct field *, char *to, size_t size);

/* ---- the stream ----------------------------------------------------------------------------------- */

struct field_guest { uint64_t id; uint32_t machine, vcpu; };
struct field_stream {		/* what a stream says that fields depend on; begins zeroed */
	const struct pp_events *events;
	bool		 swap;
	bool		 has_clock;
	uint64_t	 clock, wall;	/* CLOCK_DATA: the same moment by both */
	char		*host;
	bool		 wants_guests;	/* some field needs them: collect them */
	struct field_guest *guest;	/* by ID_INDEX; ascending once `sorted' */
	size_t		 nguest, guest_cap;
	bool		 sorted;
};
/* Learn from a HEADER_FEATURE or ID_INDEX; other records are ignored. */
void	field_stream_learn(struct field_stream *, const struct pp_rec *, bool swap);
/* Sort the guests: field_stream_guest() finds them from here on. */
void	field_stream_ready(struct field_stream *);
/* The guest whose event has that id; NULL: none has. */
const struct field_guest *field_stream_guest(const struct field_stream *, uint64_t id);
void	field_stream_free(struct field_stream *);

/* ---- where a field stands ------------------------------------------------------------------------- */

struct field_kind {		/* a kind of record: its fields stand at the same places */
	const struct pp_event *ev;
	uint32_t	 type;
	bool		 trailer;
};
struct field_place {		/* where the records of one kind have a field */
	enum { AT_NONE, AT_NUMBER, AT_STRING, AT_PLACE, AT_PART } at;
	bool		 end;		/* AT_PLACE: `off' counts from the record's end */
	bool		 sign;
	bool		 sure;		/* no record lacks it */
	uint8_t		 width, shift, bits;	/* bits: of the value, at most */
	int32_t		 off;
	uint64_t	 mask;
	big		 num;		/* AT_NUMBER */
	const char	*str;		/* AT_STRING */
};
void	field_access(const struct field_stream *, const struct field *, const struct field_kind *, struct field_place *);

/* ---- values --------------------------------------------------------------------------------------- */

struct field_subject {		/* a record whose fields are wanted */
	const struct pp_event	*ev;
	const struct pp_rec	*r;
	uint64_t	 nr;		/* of the record, from 1 */
	uint64_t	 offset;	/* where it stands in the input */
	uint64_t	 start;		/* time of the first record that has one; 0: none yet */
	const struct pp_state *state;	/* at the record's time; NULL: no field needs it */
};
struct field_value { big num; const char *str; bool known; };
enum { FIELD_NAMELESS = 16 };
struct field_fetch {		/* a subject, taken apart as far as its fields needed; the caller sets the first row */
	const struct field_stream *stream; const struct field_subject *s; struct pp_err *err; bool swap;
	bool		 taken, bad;	/* both false at first; bad: the record is not sound, err has the text */
	struct pp_part	 part[PP_SHAPE_STEPS];	/* if taken, `nparts' of them: what stands behind a sample's fixed part */
	int		 nparts;
	char		 hex[41], number[FIELD_NAMELESS];	/* texts of values */
};
/* The value of a field whose place is AT_PART.  Not known: the record does not have it, or is `bad'.  Texts are valid until the next. */
void	field_fetch(struct field_fetch *, enum field_part, const struct field *, struct field_value *);
/* The first field of a sample behind its fixed part that is one of these bits; NULL: there is none, or the sample is `bad'. */
const struct pp_part *field_part(struct field_fetch *, uint32_t bits);

/* The name of a thread; if that is unknown, what field_nameless() makes of its number. */
const char *field_comm(const struct pp_state *, uint32_t tid, char *number);
/* As in perf: ":4711", and "swapper" for the idle task.  `number' has FIELD_NAMELESS bytes. */
const char *field_nameless(uint32_t tid, char *number);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * field.h - fields of records by name, as in pfilter --filter: which fields exist, where the records of an event hold them, and
 * their values
 *
 *	field.c		the table of fields, their names and words
 *	access.c	where a field stands in the records of one kind
 *	fetch.c		the value of a field that stands at no fixed offset
 *	chain.c		values from the frames of call chains (chain.h)
 *	payload.c	fields that the recording names: those of tracepoints
 *	stream.c	facts about the stream that fields depend on: clock, host, guests
 *
 * A new field is a row of the table in field.c, and a word in perfpipe-filter(7).  A field that is computed also has a PART_..., with a
 * case in field_fetch() and, if events may lack what it is computed from, in has_part() of access.c.
 */
#ifndef PP_FIELD_H
#define PP_FIELD_H

#include "big.h"
#include "record/shape.h"
#include "record/tracing.h"
#include "state/state.h"

enum field_type { FIELD_INT, FIELD_STR, FIELD_CHAIN, FIELD_ANY };	/* FIELD_ANY: of a payload, not decided yet */

enum field_get {		/* how the value of a field is found */
	GET_PLAN,		/* at a fixed offset by the event's plan, in samples and trailers */
	GET_TAIL,		/* a u64 behind the sample's fixed part; PART_TAIL if a part of variable size precedes it */
	GET_HEADER,		/* in the record's header, at offset `add' */
	GET_PART,		/* field_fetch() computes it, if the event has the fields it needs */
	GET_STATE,		/* as GET_PART, from the state of tasks at the record's time */
	GET_PAYLOAD,		/* by the format of the tracepoint */
	GET_PERIOD, GET_CPU, GET_ID, GET_TYPE, GET_EXACT, GET_NAME, GET_INDEX, GET_ATTR_TYPE, GET_ATTR_CONFIG, GET_HOST,
	GET_NEVER,		/* perf knows the value while it records; no record holds it */
};
enum field_part {		/* what field_fetch() computes */
	PART_NONE, PART_TAIL, PART_SNOOP, PART_WEIGHT, PART_CHAIN_NR, PART_CHAIN, PART_STACK, PART_ABI, PART_BRANCHES, PART_RAW,
	PART_VALUE, PART_ENABLED, PART_RUNNING, PART_AUX, PART_CPU, PART_NR, PART_OFFSET, PART_RELTIME, PART_WALLTIME,
	PART_MACHINE, PART_VCPU, PART_COMM, PART_PPID, PART_DSO, PART_BUILD_ID, PART_MAP, PART_CGROUP,
	PART_CHAIN_DSO, PART_CHAIN_USER, PART_CHAIN_KERNEL, PART_NAMESPACE, PART_PAYLOAD,
};

struct tool;
struct field_word { const char *name; uint64_t value; };
struct field {
	const char	*name;
	uint8_t		 type;		/* enum field_type */
	uint8_t		 get;		/* enum field_get */
	uint8_t		 part;		/* enum field_part */
	uint8_t		 bits, shift;	/* the bits of the value within its bytes; bits 0: all */
	bool		 sign;
	uint32_t	 need;		/* PP_SAMPLE_*: the event needs one of these; 0: none */
	uint16_t	 plan, trailer;	/* offsets in struct pp_plan of its offset in samples and in trailers; UINT16_MAX: none */
	uint8_t		 add;		/* bytes from that offset to the field; of PART_NAMESPACE enum pp_namespace */
	uint8_t		 width;		/* bytes */
	uint8_t		 role;		/* enum pp_role: the role of the same field in types other than SAMPLE */
	const struct field_word *words;
	const char	*supply;	/* the option that makes perf record it */
	struct field_payload *payload;	/* of a GET_PAYLOAD, private to payload.c */
};

const struct field *field_find(const char *name, size_t n);
/* The number of one of a field's words.  false: the field has no such word. */
bool	field_word(const struct field *, const char *word, size_t n, big *);
bool	field_needs_state(const struct field *);
bool	field_needs_place(const struct field *);	/* it is the record's number or offset */
bool	field_needs_start(const struct field *);	/* it depends on the time of the first record */
bool	field_needs_guests(const struct field *);	/* it depends on the guests of ID_INDEX */
bool	field_refused(const struct field *);		/* it is a GET_NEVER */
/* Write the names similar to name, as "period, pid", to `to' (size bytes with the NUL); "" if there are none. */
void	field_near(const char *name, size_t n, char *to, size_t size);
/* Write the words of a field, separated by blanks, to `to' (size bytes with the NUL). */
void	field_words(const struct field *, char *to, size_t size);

/* The number of letters to insert, remove, change or swap to turn one into the other; 32 if one is longer than that. */
unsigned field_distance(const char *a, size_t na, const char *b, size_t nb);

/* ---- the stream ----------------------------------------------------------------------------------- */

struct field_guest { uint64_t id; uint32_t machine, vcpu; };
struct field_stream {		/* facts about the stream that fields depend on; begins zeroed */
	const struct pp_events *events;
	const struct pp_tracing *tracing;	/* formats of tracepoints; NULL: none are kept */
	bool		 swap;
	bool		 has_clock;
	uint64_t	 clock, wall;	/* by CLOCK_DATA: one moment on both clocks, ns */
	char		*host;
	uint64_t	 cpus;		/* of the machine, by NRCPUS; 0: unknown */
	bool		 wants_guests;	/* set by the caller if a field needs guests: field_stream_learn() collects them */
	struct field_guest *guest;	/* from ID_INDEX; ascending by id if `sorted' */
	size_t		 nguest;
	bool		 sorted;
};
/* Learn from a HEADER_FEATURE or ID_INDEX record; other types are ignored. */
void	field_stream_learn(struct field_stream *, const struct pp_rec *, bool swap);
/* Sort the guests.  Call it once before field_stream_guest(). */
void	field_stream_ready(struct field_stream *);
/* The guest that has the event of this id; NULL: none. */
const struct field_guest *field_stream_guest(const struct field_stream *, uint64_t id);
void	field_stream_free(struct field_stream *);

/* ---- where a field stands ------------------------------------------------------------------------- */

struct field_kind {		/* records of one kind have their fields at the same offsets */
	const struct pp_event *ev;
	uint32_t	 type;
	bool		 trailer;
	bool		 quick;		/* its payloads are as long as the fields at fixed places in them need */
};
struct field_place {		/* where the records of one kind have a field */
	enum { AT_NONE, AT_NUMBER, AT_STRING, AT_PLACE, AT_PART } at;
	bool		 end;		/* AT_PLACE: `off' counts from the end of the record */
	bool		 sign;
	bool		 sure;		/* every record of the kind has the field */
	uint8_t		 width, shift, bits;	/* bits: the width of the value at most */
	int32_t		 off;
	uint16_t	 raw;		/* the field is in the payload, behind the RAW at this offset; 0: it is not */
	uint64_t	 mask;
	big		 num;		/* AT_NUMBER */
	const char	*str;		/* AT_STRING */
};
void	field_access(const struct field_stream *, const struct field *, const struct field_kind *, struct field_place *);

/* ---- values --------------------------------------------------------------------------------------- */

struct field_subject {		/* a record whose fields are wanted */
	const struct pp_event	*ev;
	const struct pp_rec	*r;
	uint64_t	 nr;		/* number of the record in the input, from 1 */
	uint64_t	 offset;	/* of the record in the input */
	uint64_t	 start;		/* time of the first record that has one, ns; 0: none so far */
	const struct pp_state *state;	/* at the record's time; NULL: no field needs it */
};
struct field_value { big num; const char *str; bool known; };
enum { FIELD_NAMELESS = 16 };
struct field_fetch {		/* a record and its decoded parts; the caller sets the first line */
	const struct field_stream *stream; const struct field_subject *s; struct pp_err *err; bool swap;
	bool		 taken, bad;	/* both begin false; bad: the record is malformed, err has the reason */
	struct pp_part	 part[PP_SHAPE_STEPS];	/* if `taken': `nparts' fields of variable size of the sample */
	int		 nparts;
	char		 hex[41], number[FIELD_NAMELESS];	/* storage for the text of values */
};
/*
 * The value of a field that is AT_PART.  Not `known': the record does not have the field, or is `bad'.  A text is valid until
 * the next call.
 */
void	field_fetch(struct field_fetch *, enum field_part, const struct field *, struct field_value *);
/* The first field of a sample behind its fixed part with one of these PP_SAMPLE_* bits; NULL: none, or the sample is `bad'. */
const struct pp_part *field_part(struct field_fetch *, uint32_t bits);

/* ---- payloads --------------------------------------------------------------------------------------- */

/*
 * A field of payloads by name, "prev_pid" or "raw.prev_pid", and for an array the index of one number; or raw data by offset,
 * "raw.u32" and the offset.  Its type is FIELD_INT with an index, else FIELD_ANY, of which the caller makes FIELD_INT or
 * FIELD_STR by what it is compared with.  An event whose format has no such field of that type lacks it.  Freed by
 * field_payload_free().
 */
struct field *field_payload_new(const char *name, size_t n, const uint32_t *index);
void	field_payload_free(struct field *);
/* From here on its value is its length: of text in bytes, of an array in numbers. */
void	field_payload_length(struct field *);
/* The name without "raw."; NULL: it is raw data by offset. */
const char *field_payload_name(const struct field *);
/* The field of that name in the event's format, whatever its type; NULL: none. */
const struct pp_payload_field *field_payload_in(const struct field_stream *, const struct field *, const struct pp_event *);
/* The format of an event's payloads; NULL: it has none, or it is unknown. */
const struct pp_format *field_format(const struct field_stream *, const struct pp_event *);
/* Has the event payloads of which no format is known? */
bool	field_format_missing(const struct field_stream *, const struct pp_event *);
/* Why an event's format cannot be used, "a text of more than 64 KiB"; NULL: it can, or there is none. */
const char *field_format_error(const struct field_stream *, const struct pp_event *);
/* Warn of each event with payloads whose format cannot be used, and why. */
void	field_formats_warn(const struct field_stream *, const struct tool *);
/* How many payloads were too short, or pointed outside of themselves. */
uint64_t field_payload_absent(const struct field *);
/* Write type, name and place to `to', as "s32 prev_pid at RAW+24", after field_access() for the event. */
void	field_payload_text(const struct field *, const struct pp_event *, char *to, size_t size);
/* Write the names in formats similar to name, as "prev_pid, prev_prio", to `to'; "" if there are none. */
void	field_payload_near(const struct field_stream *, const char *name, char *to, size_t size);
/* For field_access() and field_fetch().  raw: offset of RAW in samples of the event; 0: it varies. */
void	field_payload_access(const struct field_stream *, const struct field *, const struct field_kind *, unsigned raw,
	    struct field_place *);
void	field_payload_fetch(struct field_fetch *, const struct field *, struct field_value *);

/*
 * The bytes of the field in a sample, as field_access() found it: *len, with those behind the NUL of text.  NULL: the sample
 * does not have it, or is `bad'.
 */
const uint8_t *field_payload_bytes(struct field_fetch *, const struct field *, size_t *len);

/* What perf shows for a thread without a name: ":4711"; "swapper" for the idle task.  `number' has FIELD_NAMELESS bytes. */
const char *field_nameless(uint32_t tid, char *number);

/* What perf shows for a file: the name of the kernel's map ends with its first symbol, which perf does not show. */
const char *field_dso_name(const struct pp_dso *);

/*
 * What perf shows where a file would stand, for an address that is in no map: the BPF program whose code it is, or
 * field_dso_unknown, "[unknown]", which is compared by its address.
 */
extern const char field_dso_unknown[];
const char *field_dso_mapless(const struct pp_state *, unsigned mode, uint64_t ip);
/*
 * What the field `dso' is for an address: the file by the maps of the process at the time, or what field_dso_mapless() says.
 * *map is the map that has it, or NULL; *index that of the file (struct pp_dso), or UINT32_MAX.
 */
const char *field_dso_at(const struct pp_state *, uint32_t pid, unsigned mode, uint64_t ip, const struct pp_map **map,
    uint32_t *index);

#endif

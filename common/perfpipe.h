/* SPDX-License-Identifier: ISC */
/*
 * perfpipe.h - reads, understands and writes perf pipe-mode streams.
 *
 *	source (source.c, source_file.c, expand.c)	any container in, records out
 *	record (record.c, record.def)			what each record type looks like
 *	event  (event.c)				attrs, ids, names, where an event's fields stand
 *	sample (sample.c)				all of a SAMPLE
 *	feature (feature.c, feature.def)		header features
 *	round  (round.c)				perf's time order in two rounds
 *	task   (task.c)					comm and maps of a task at a time
 *	sink   (sink.c)					records out
 *
 * Rules that hold for all of it:
 *  - Functions return 1 (did it), 0 (end, or nothing there) or -1 (failed, text in struct pp_err).
 *    A failed source or sink refuses further work.
 *  - Bytes of the input are never copied, changed or swapped in place.  `swap' says that the stream's
 *    byte order is not this machine's; the getters of get.h swap as they fetch.
 *  - Nothing from the stream (length, count, id, string) is believed before it was checked.
 *  - The library never prints, exits or keeps state outside a handle.
 * The format itself is described in perf-pipe(5).
 */
#ifndef PERFPIPE_H
#define PERFPIPE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "get.h"

/* ---- errors ---------------------------------------------------------------------------------- */

struct pp_err {			/* the caller's; outlives the handle */
	const char	*file;		/* as the user named it, or <stdin>, <stdout> */
	uint64_t	 off;		/* byte where the trouble starts, if `at' */
	bool		 at;
	char		 what[240];	/* "RECORD: cause"; empty: no error yet */
};

/* Set the text, unless an earlier error already stands there.  Always -1. */
int	pp_fail(struct pp_err *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- records --------------------------------------------------------------------------------- */

enum pp_type {
#define REC(number, name, ...) PP_##name = number,
#include "record/record.def"
#undef REC
	PP_TYPE_END			/* first number that we do not know */
};
enum {
	PP_USER_TYPE_START = 64,	/* PERF_RECORD_USER_TYPE_START: made by perf, not the kernel */
	PP_HEADER_SIZE = 8,		/* struct perf_event_header */
	PP_PIPE_HEADER_SIZE = 16,	/* struct perf_pipe_file_header */
	PP_RECORD_MAX = 65535,
};

/* misc bits: include/uapi/linux/perf_event.h, PERF_RECORD_MISC_* */
enum {
	PP_MISC_CPUMODE_MASK = 7, PP_MISC_KERNEL = 1, PP_MISC_USER = 2, PP_MISC_HYPERVISOR = 3,
	PP_MISC_GUEST_KERNEL = 4, PP_MISC_GUEST_USER = 5,
	PP_MISC_MMAP_DATA = 1 << 13, PP_MISC_COMM_EXEC = 1 << 13, PP_MISC_FORK_EXEC = 1 << 13,
	PP_MISC_SWITCH_OUT = 1 << 13,
	PP_MISC_MMAP_BUILD_ID = 1 << 14,
	PP_MISC_BUILD_ID_SIZE = 1 << 15,
};

struct pp_rec {			/* a view: valid until the next pp_next() of its source */
	const uint8_t	*raw;		/* header and body as they stand in the input */
	uint64_t	 payload;	/* bytes that follow outside header.size (TRACING_DATA, AUXTRACE) */
	uint32_t	 type;		/* enum pp_type, or a number that we do not know */
	uint16_t	 misc;
	uint16_t	 size;		/* header and body */
};

enum pp_kind {			/* how a field is stored, and shown */
	PP_K_END,
	PP_K_UINT, PP_K_SINT, PP_K_HEX,	/* `size' bytes, in the stream's byte order */
	PP_K_STR,			/* NUL-terminated; the record is padded behind it */
	PP_K_BYTES,			/* `size' bytes without byte order */
	PP_K_WORDS,			/* u64s to the end of the body */
	PP_K_REST,			/* opaque, to the end of the body */
	PP_K_LIST,			/* the fields behind it repeat; the field before it says how often */
	PP_K_OPT,			/* the fields behind it may be absent */
	PP_K_F64,			/* an IEEE double */
};
struct pp_field {		/* one field of a layout in record.def */
	const char	*name;
	uint16_t	 kind;		/* enum pp_kind */
	uint16_t	 size;		/* bytes; 0: said by the kind */
};

enum pp_role {			/* what a field means (role.def) */
#define ROLE(name) PP_ROLE_##name,
#include "record/role.def"
#undef ROLE
	PP_ROLES
};

struct pp_value {		/* one field of one record, as pp_walk() shows it */
	const char	*name;
	enum pp_kind	 kind;
	const uint8_t	*p;		/* where it stands in the record */
	size_t		 len;		/* bytes there; of a string without its NUL and padding */
	unsigned	 index;		/* in a list: which entry */
	enum pp_role	 role;
};
/* Returns 1 to go on, 0 to stop, -1 on failure. */
typedef int	pp_visit(void *arg, const struct pp_value *);

struct pp_event;

/* The kernel's or perf's name of a type, without PERF_RECORD_; NULL if unknown. */
const char	*pp_type_name(uint32_t type);
/* The type of that name (either case, PERF_RECORD_ in front allowed) or number; -1 if there is none. */
int64_t		 pp_type_number(const char *name);
/* Smallest legal size of a record of that type; 8 if unknown. */
unsigned	 pp_type_min(uint32_t type);
/* Does the type end with the sample_id trailer if sample_id_all is set? */
bool		 pp_type_has_trailer(uint32_t type);
/* Bytes that follow the record outside header.size; the record is sound. */
uint64_t	 pp_payload_size(const struct pp_rec *, bool swap);
/* Is the record sound: long enough, strings ended, counts within it?  1, or -1. */
int		 pp_check(const struct pp_rec *, bool swap, struct pp_err *);
/*
 * Show each field of the record in file order: body, then trailer.  `ev' is the record's event or
 * NULL (then a SAMPLE is opaque and trailers are left out).  Returns what the visitor returned last,
 * -1 also if the record is not sound.
 */
int		 pp_walk(const struct pp_rec *, const struct pp_event *ev, bool swap, pp_visit *, void *arg,
		    struct pp_err *);

/* ---- events ---------------------------------------------------------------------------------- */

enum {				/* PERF_SAMPLE_* */
#define SAMPLE(bit, NAME, ...) PP_SAMPLE_##NAME = 1 << (bit),
#include "record/sample.def"
#undef SAMPLE
#define SAMPLE(bit, NAME, ...) | PP_SAMPLE_##NAME
	PP_SAMPLE_KNOWN = 0
#include "record/sample.def"
#undef SAMPLE
#define SAMPLE(bit, NAME, ...) + 1
	, PP_SAMPLE_BITS = 0
#include "record/sample.def"
#undef SAMPLE
};
/* PERF_FORMAT_* */
enum {
	PP_FORMAT_TOTAL_TIME_ENABLED = 1, PP_FORMAT_TOTAL_TIME_RUNNING = 2, PP_FORMAT_ID = 4,
	PP_FORMAT_GROUP = 8, PP_FORMAT_LOST = 16,
};
enum { PP_BRANCH_HW_INDEX = 1 << 17, PP_BRANCH_COUNTERS = 1 << 19 };	/* PERF_SAMPLE_BRANCH_* */
enum {				/* struct perf_event_attr flag bits that we look at */
	PP_ATTR_INHERIT_BIT = 1, PP_ATTR_SAMPLE_ID_ALL_BIT = 18, PP_ATTR_USE_CLOCKID_BIT = 25,
};
enum { PP_ATTR_SIZE_VER0 = 64 };	/* PERF_ATTR_SIZE_VER0: what attr.size 0 means, and the least */

struct pp_attr {		/* struct perf_event_attr in this machine's order; 0 where attr.size ends before */
	uint32_t type, size;
	uint64_t config, sample_period, sample_type, read_format;
	uint64_t flags;			/* bit 0 = disabled, whatever the recorder's order (event.c says how) */
	uint32_t wakeup_events, bp_type;
	uint64_t config1, config2, branch_sample_type, sample_regs_user;
	uint32_t sample_stack_user, clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack, reserved_2;
	uint32_t aux_sample_size, aux_action;
	uint64_t sig_data, config3, config4;
};
/* Decode an attr of which `len' bytes are there. */
void	pp_attr_get(struct pp_attr *, const uint8_t *p, size_t len, bool swap);

/*
 * The plan: where the fixed fields of an event's records stand.  Samples: bytes from the record's start.
 * Trailers: bytes back from the record's end.  0: not recorded.
 */
struct pp_plan {
	uint16_t identifier, ip, tid, time, addr, id, stream_id, cpu, period;
	uint16_t fixed;			/* bytes up to the first field of variable size: the least size */
	uint16_t t_tid, t_time, t_id, t_stream_id, t_cpu, t_identifier;
	uint16_t trailer;		/* bytes of the trailer; 0 without sample_id_all */
};

struct pp_event {
	struct pp_attr	 attr;
	struct pp_plan	 plan;
	char		*name;		/* as perf shows it */
	unsigned	 index;		/* position in the order of the attrs */
	unsigned	 nids;
	uint64_t	*ids;		/* in this machine's order */
	uint8_t		 name_from;	/* how good the name is (event.c) */
	bool		 added_period;	/* pp_event_add_period() */
};

struct pp_idmap {		/* open addressing */
	uint64_t mul;			/* random and odd: a recording can't choose where its ids fall */
	unsigned shift;			/* slots: 1 << (64 - shift) */
	size_t	 used;
	struct pp_idslot {
		uint64_t id;
		uint32_t event;		/* 1 + its index; 0: the slot is free */
		int32_t	 cpu;		/* by ID_INDEX; -1: unknown */
	} *slot;
};

struct pp_events {		/* all that a stream has said of its events so far */
	struct pp_event	**ev;
	unsigned	 n;
	size_t		 nids;
	bool		 swap;
	bool		 reads;		/* some event has PERF_SAMPLE_READ */
	bool		 added_period;	/* some event has that */
	/* Where an id stands; perf takes both from the first attr for all (evlist__id_pos). 0: nowhere. */
	uint16_t	 id_off;	/* in a sample, from the start */
	uint16_t	 id_back;	/* in other records, from the end */
	struct pp_idmap	 map;
};

struct pp_events *pp_events_new(bool swap);
void	pp_events_free(struct pp_events *);
/*
 * Learn from a record of type >= PP_USER_TYPE_START: HEADER_ATTR, EVENT_UPDATE, HEADER_FEATURE(EVENT_DESC),
 * ID_INDEX.  The source does this for every record that it yields.  1, or -1.
 */
int	pp_events_learn(struct pp_events *, const struct pp_rec *, struct pp_err *);
/* Name the tracepoint events that have no name yet. */
struct pp_tracing;
int	pp_events_tracing(struct pp_events *, const struct pp_tracing *, struct pp_err *);
/* The event with that id; NULL if there is none. */
struct pp_event *pp_event_by_id(const struct pp_events *, uint64_t id);
/* From here on the samples of that event carry PP_SAMPLE_PERIOD: who says so puts it in, where ev->plan.period says. */
void	pp_event_add_period(struct pp_events *, unsigned index);
/* The CPU that ID_INDEX names for that id; -1 if none. */
int64_t	pp_cpu_of_id(const struct pp_events *, uint64_t id);
/*
 * The event of a record of type < PP_USER_TYPE_START by perf's rules (evlist__event2evsel).
 * NULL: there is none; the text (no attr yet, unknown id, record too short for its fields) is in pp_err.
 */
const struct pp_event *pp_event_find_slow(const struct pp_events *, const struct pp_rec *, struct pp_err *);
static inline const struct pp_event *
pp_event_find(const struct pp_events *e, const struct pp_rec *r, struct pp_err *err)
{
	if (r->type == PP_SAMPLE && e->n == 1) {
		if (r->size >= e->ev[0]->plan.fixed)
			return e->ev[0];
	} else if (r->type == PP_SAMPLE && e->n && e->id_off && r->size >= e->id_off + 8) {
		uint64_t id = pp_get_u64(r->raw + e->id_off, e->swap);
		const struct pp_idslot *slot = &e->map.slot[id * e->map.mul >> e->map.shift];

		if (slot->id == id && slot->event && r->size >= e->ev[slot->event - 1]->plan.fixed)
			return e->ev[slot->event - 1];
	}
	return pp_event_find_slow(e, r, err);
}

/* Does the record end with a trailer of this event? */
static inline bool
pp_has_trailer(const struct pp_event *ev, const struct pp_rec *r)
{
	return r->type != PP_SAMPLE && r->type < PP_USER_TYPE_START && ev->plan.trailer &&
	    r->size >= PP_HEADER_SIZE + ev->plan.trailer;
}

/*
 * The time by which perf orders a record of type < PP_USER_TYPE_START: 1 and *time, or 0 if it has none
 * (no such field, 0, or ~0): perf delivers those at once.
 */
int	pp_time_slow(const struct pp_event *, const struct pp_rec *, bool swap, uint64_t *time);
/* Where that time stands in the record; NULL: it has no such field. */
const uint8_t *pp_time_field(const struct pp_event *, const struct pp_rec *);
static inline int
pp_time(const struct pp_event *ev, const struct pp_rec *r, bool swap, uint64_t *time)
{
	if (r->type != PP_SAMPLE || !ev->plan.time)
		return pp_time_slow(ev, r, swap, time);
	*time = pp_get_u64(r->raw + ev->plan.time, swap);
	return *time != 0 && *time != UINT64_MAX;
}
/* pid and tid of a sample or of a trailer: 1, or 0 if not recorded. */
int	pp_pid_tid(const struct pp_event *, const struct pp_rec *, bool swap, uint32_t *pid, uint32_t *tid);
/* CPU of a sample or of a trailer: 1, or 0 if not recorded. */
int	pp_cpu(const struct pp_event *, const struct pp_rec *, bool swap, uint32_t *cpu);

/* ---- samples --------------------------------------------------------------------------------- */

struct pp_span { const uint8_t *p; uint64_t n; };	/* n entries (or bytes) at p; p NULL: not there */

struct pp_read {		/* PERF_SAMPLE_READ, or the body of a READ record */
	uint64_t nr, time_enabled, time_running;
	const uint8_t *values;		/* nr entries of `stride' bytes: value, [id], [lost] */
	uint8_t	 stride, id_at, lost_at;	/* offsets inside an entry; 0: not there */
	bool	 group;
};

/* What pp_sample_get() makes of a field of each form (sample.def). */
#define PP_MEMBER_U64(name)	uint64_t name;
#define PP_MEMBER_WEIGHT(name)	/* weight: var1_dw in bits 0-31, var2_w 32-47, var3_w 48-63 */
#define PP_MEMBER_PID_TID(name)	uint32_t pid, tid;
#define PP_MEMBER_CPU(name)	uint32_t cpu;
#define PP_MEMBER_READ(name)	struct pp_read name;
#define PP_MEMBER_CHAIN(name)	struct pp_span name;	/* u64s, context markers included */
#define PP_MEMBER_RAW(name)	struct pp_span name;	/* bytes */
#define PP_MEMBER_BRANCHES(name)	struct pp_span branches;	/* 24 bytes each: from, to, flags */ \
				const uint8_t *branch_hw_idx;	/* u64 */ \
				struct pp_span branch_counters;	/* u64s */
#define PP_MEMBER_REGS(name)	uint64_t name##_abi; struct pp_span name;	/* u64s, by ascending bit of the mask */
#define PP_MEMBER_STACK(name)	struct pp_span name; uint64_t stack_dyn_size;	/* bytes */
#define PP_MEMBER_AUX(name)	struct pp_span name;	/* bytes */

struct pp_sample {		/* which fields hold something is said by ev->attr.sample_type */
	struct pp_span at[PP_SAMPLE_BITS];	/* by number of the sample_type bit: where, and bytes */
#define SAMPLE(bit, NAME, name, where, form, role) PP_MEMBER_##form(name)
#include "record/sample.def"
#undef SAMPLE
};
/* Take a SAMPLE apart, to its end.  1, or -1: it is shorter than its fields say. */
int	pp_sample_get(struct pp_sample *, const struct pp_event *, const struct pp_rec *, bool swap, struct pp_err *);
/* READ values by read_format from a cursor. */
void	pp_read_get(struct pp_read *, struct pp_cur *, uint64_t read_format);
/* Show the fields of a SAMPLE to a visitor (part of pp_walk). */
int	pp_sample_walk(const struct pp_sample *, bool swap, pp_visit *, void *arg);

/* ---- source ---------------------------------------------------------------------------------- */

enum {				/* flags of pp_open */
	PP_OPEN_RAW = 1,		/* COMPRESSED records as they are, feature 27 too */
	PP_OPEN_REPAIR = 2,		/* go on behind a fault: pp_on_fault() */
	PP_OPEN_FOLLOW = 4,		/* a file that is still being written: wait for more, pp_follow() */
	PP_OPEN_EXPAND_COUNTS = 16,	/* CPU profile: a sample per tick instead of one weighted by period */
	/*
	 * Yield also those features of a file that have no place in a stream, being larger than a record or of no use there,
	 * but have one in a file: as HEADER_FEATURE records of 16 bytes whose payload they are.
	 */
	PP_OPEN_FILE_FEATURES = 32,
	PP_OPEN_MAX_EXPAND_SHIFT = 8,
};
/*
 * One more flag: compressed data that have become more than so many bytes (at least; counted in MiB, 16 TiB at most; without
 * it 1 GiB) may not be more than 1000 times what was read.  A failure says so and names --max-expand.
 */
#define PP_OPEN_MAX_EXPAND(bytes)								\
	((bytes) >> 44 ? ~0u << PP_OPEN_MAX_EXPAND_SHIFT :					\
	(unsigned)(((bytes) + (1 << 20) - 1) >> 20) << PP_OPEN_MAX_EXPAND_SHIFT)

struct pp_source {		/* the part that the inline pp_next() needs; the rest is in source.h */
	const uint8_t	*pos, *lim;	/* records from here on are complete up to here, or wait for more */
	bool		 swap;
	struct pp_events *events;
};

/*
 * Open a recording; "-" is stdin.  Reads the first bytes to tell the container: a pipe-mode stream, a
 * seekable perf.data, whose sections become the records that a stream has in front (HEADER_ATTR,
 * HEADER_FEATURE, EVENT_UPDATE, BUILD_ID, TRACING_DATA), or a CPU profile of gperftools, of which all
 * records are made.  A directory of perf record --threads is its file `data' and then data.0, data.1 ... as
 * one stream; it has no rounds, so its order is that of a full sort.  Compressed records are expanded even
 * with PP_OPEN_RAW then, since each file of it has a zstd stream of its own.  Any of these (but a directory)
 * may be wrapped in zstd; places in messages are then those inside.  NULL on failure.  pp_err must live as long.
 */
struct pp_source *pp_open(const char *path, unsigned flags, struct pp_err *);
/* The same of a descriptor, which becomes the source's; -1: errno says why there is none. */
struct pp_source *pp_open_fd(int fd, const char *name, unsigned flags, struct pp_err *);
/*
 * A source of the n bytes at p: records (no pipe header), with their payloads behind them; its events are learned as they
 * are read.  p must stay until pp_close().  The records stand nowhere: pp_offset() is 0.  NULL: no memory.
 */
struct pp_source *pp_open_memory(const uint8_t *p, size_t n, bool swap, const char *name, struct pp_err *);
int	pp_next_slow(struct pp_source *, struct pp_rec *);
/* The next record: 1, 0 at the end, -1.  A payload that was not fetched is skipped. */
static inline int
pp_next(struct pp_source *s, struct pp_rec *r)
{
	const uint8_t *p = s->pos;
	size_t left = (size_t)(s->lim - p);

	if (left >= PP_HEADER_SIZE && pp_get_u32(p, s->swap) == PP_SAMPLE) {
		uint16_t size = pp_get_u16(p + 6, s->swap);

		if (size >= PP_HEADER_SIZE && size <= left) {
			*r = (struct pp_rec){ .raw = p, .type = PP_SAMPLE, .size = size,
			    .misc = pp_get_u16(p + 4, s->swap) };
			s->pos = p + size;
			return 1;
		}
	}
	return pp_next_slow(s, r);
}
/* The next piece of the payload of the record just yielded: 1, 0 when all has been given, -1. */
int	pp_payload(struct pp_source *, const uint8_t **p, size_t *n);
/* The last record was unsound (pp_err has the cause): make it the source's failure.  Always -1. */
int	pp_reject(struct pp_source *, const struct pp_rec *);
/* Where the record stands in the input; of a record that was compressed, where the COMPRESSED stands. */
uint64_t pp_offset(const struct pp_source *, const struct pp_rec *);
/* Was the record made of what the header of a perf.data says, so that it stands nowhere in the input? */
bool	 pp_made(const struct pp_source *, const struct pp_rec *);
/* Bytes read so far, and how many there are to read (0: unknown). */
uint64_t pp_progress(const struct pp_source *, uint64_t *total);
/* What the container is, in words, for -v. */
const char *pp_container(const struct pp_source *);
/* Is it a CPU profile of gperftools? */
bool	pp_is_profile(const struct pp_source *);
/* Is the input that file (NULL or "-": standard output)?  Then writing there would destroy it. */
bool	pp_is_file(const struct pp_source *, const char *path);
/* What could not be turned into records though the input is sound; NULL: nothing. */
const char *pp_warning(const struct pp_source *);
struct pp_compressed {		/* what has been expanded so far */
	uint64_t records, records2;	/* COMPRESSED, COMPRESSED2 */
	uint64_t bytes, plain;		/* of zstd data, and what came out of it */
};
const struct pp_compressed *pp_compressed(const struct pp_source *);
/* Call `fn' before bytes that were yielded are overwritten, and whenever the source may have to wait. */
void	pp_before_refill(struct pp_source *, int (*fn)(void *), void *arg);
/*
 * Read into buffers of PP_BUFFER_SIZE bytes that `give' hands out (NULL: no memory), a new one when the last is full:
 * what was yielded stays where it lies, for as long as their owner likes.  But records that were compressed lie
 * elsewhere, and are valid until the next one as ever.  Not with PP_OPEN_REPAIR or PP_OPEN_FOLLOW.
 */
void	pp_read_into(struct pp_source *, uint8_t *(*give)(void *), void *arg);
enum { PP_BUFFER_SIZE = 256 << 10 };
/* May the next read have to wait for the writer?  Then what was put should be flushed first. */
bool	pp_may_wait(const struct pp_source *);
/*
 * For who reads several inputs, and must not wait for one while another has something.  pp_at_hand(): can pp_next()
 * tell the next record, or the end, from what was read?  If not, pp_top_up() reads once: 1, 0: the input ends, -1;
 * it waits if the descriptor is not readable by poll(2).  -1 for a descriptor: none is needed to go on.
 * What is compressed is at hand once its bytes are, but a piece of it may end amid a record: pp_next() then waits for
 * the next one, or, after pp_no_wait(), returns 2: top up, and try again.
 */
bool	pp_at_hand(const struct pp_source *);
void	pp_no_wait(struct pp_source *);
int	pp_top_up(struct pp_source *);
int	pp_poll_fd(const struct pp_source *);
/*
 * Have `fn' told of each fault that the source goes on behind: where, and in `what' the cause and what became of it.
 * Those that pp_open() met are told at once.  Without PP_OPEN_REPAIR, these are header features of a form that perf
 * refuses: they are left out.  With it, all that is not whole is left out, and `what' says how many bytes.
 * What can't be gone round (no header, no attrs, a failing read) still ends the source.  An input that can't seek
 * is kept in a temporary file.
 */
void	pp_on_fault(struct pp_source *, void (*fn)(void *, const struct pp_err *), void *arg);
/* How many faults there were, and the bytes that PP_OPEN_REPAIR left out in all. */
uint64_t pp_faults(const struct pp_source *, uint64_t *lost);
/*
 * PP_OPEN_FOLLOW: wait at the end of a regular file until perf record has finished it (perf.data), or no process
 * holds it open for writing any more (where the system can say that of the file: local, and ours), or *stop is set,
 * as by a signal handler: then the input ends cleanly with the last whole record.
 */
void	pp_follow(struct pp_source *, const volatile sig_atomic_t *stop);
/*
 * Give back the descriptor and the memory of a source of which no more records are wanted; what it has said (events,
 * container, faults) stays.  false: nothing was done, as its input was copied out of a pipe or of zstd.
 */
bool	pp_rest(struct pp_source *);
/* Do both read the same regular file, or directory? */
bool	pp_same_file(const struct pp_source *, const struct pp_source *);
/* -1 if any call failed, or there were faults. */
int	pp_close(struct pp_source *);

/* ---- sink ------------------------------------------------------------------------------------ */

struct pp_sink {			/* the part that the inline pp_put() needs; the rest is in sink.c */
	const uint8_t	*run, *end;	/* bytes of the source still to be written; NULL: none */
};
/* Create a file (mode 0600) or take stdout ("-").  NULL on failure.  pp_err must live as long. */
struct pp_sink *pp_create(const char *path, struct pp_err *);
/* Write to this descriptor, which becomes the sink's; `name' is what errors call it.  NULL (and closed) on failure. */
struct pp_sink *pp_create_fd(int fd, const char *name, struct pp_err *);
struct pp_writer {			/* takes what is written instead of a descriptor */
	int	(*write)(void *arg, const uint8_t *p, size_t n);	/* cut anywhere; good during the call; 1, or -1 */
	int	(*finish)(void *arg);	/* all was written; 1, or -1: not whole */
	void	*arg;
};
/* Write to functions, which set the text of err at a failure.  err->file is set by the caller.  NULL on failure. */
struct pp_sink *pp_create_writer(const struct pp_writer *, struct pp_err *);
/* Write the pipe header in the source's byte order, and flush whenever the source must refill. */
int	pp_start(struct pp_sink *, struct pp_source *);
/* As pp_start(), but without a pipe header: for the data section of a file. */
int	pp_start_bare(struct pp_sink *, struct pp_source *);
/*
 * From here on (after pp_start, before the first record) kernel records go out as COMPRESSED, or COMPRESSED2 if
 * `two', by zstd at that level (1 to 22) in so many threads beside us (0: none).  A zstd frame ends with the record that
 * makes `frame' bytes of kernel records full (0: PP_FRAME_SIZE; UINT64_MAX, without threads only: it never ends).  A stream
 * gets header feature COMPRESSED; after pp_start_bare() the caller places pp_compress_payload().
 * Each put must then hold whole records, a payload in pieces behind its record.
 */
int	pp_sink_compress(struct pp_sink *, int level, bool two, unsigned threads, uint64_t frame);
enum {
	PP_FRAME_SIZE = 4 << 20, PP_FRAME_MIN = 64 << 10, PP_FRAME_MAX = 64 << 20,
	PP_COMPRESS_FEATURE = 20,	/* bytes of the payload of HEADER_FEATURE(COMPRESSED) */
	PP_COMPRESS_MMAP_LEN = 145 * 4096,	/* what a reader needs to expand one record of ours */
};
void	pp_compress_payload(uint8_t p[static PP_COMPRESS_FEATURE], int level, uint32_t ratio, bool swap);
/* Bytes that were compressed since, and the records that they became. */
void	pp_sink_compressed(const struct pp_sink *, uint64_t *plain, uint64_t *packed);
/* Write a record of the source, with its payload.  Not copied: a run of neighbours is one write. */
int	pp_put_slow(struct pp_sink *, struct pp_source *, const struct pp_rec *);
static inline int
pp_put(struct pp_sink *k, struct pp_source *s, const struct pp_rec *r)
{
	if (r->raw != k->end || r->payload)
		return pp_put_slow(k, s, r);
	k->end += r->size;
	return 1;
}
/* Write bytes that stay as they are until the next pp_flush(). */
int	pp_put_stable(struct pp_sink *, const uint8_t *, size_t);
/* Write bytes that are copied now. */
int	pp_put_copy(struct pp_sink *, const void *, size_t);
/* Write all that was put. */
int	pp_flush(struct pp_sink *);
/*
 * From here on keep in memory what would be written, until pp_let_go(), pp_finish() or 64 MiB: for who may find yet that
 * nothing is to be written, and exits.
 */
void	pp_hold(struct pp_sink *);
int	pp_let_go(struct pp_sink *);
/* Be done with the bytes that were put, though some may wait in the compressor for more; else as pp_flush(). */
int	pp_release(struct pp_sink *);
/* Flush and close; -1 if a byte may be missing. */
int	pp_finish(struct pp_sink *);
uint64_t pp_written(const struct pp_sink *);

/* ---- round: perf's time order ---------------------------------------------------------------- */

struct pp_round {		/* the part that the inline functions need; the rest is in round.c */
	struct pp_waiting { uint64_t time, place; } *next, *end;	/* where the next one goes; the end of the room */
	const uint8_t	*buf;		/* the last pp_round_buffer(); NULL: none */
	size_t		*live;		/* records in it that wait */
	uint64_t	 place;		/* of its first byte */
	uint64_t	 newest;	/* the largest time that a fast pp_round_add() may come behind */
	uint64_t	 max;		/* the largest time known */
	uint64_t	 last;		/* time of the last record delivered */
};
/* Called for each record in time order.  `p' is the copy, valid until pp_round_reclaim(). */
typedef int	pp_deliver(void *arg, uint64_t time, const uint8_t *p, size_t n);
struct pp_round *pp_round_new(pp_deliver *, void *arg, struct pp_err *);
void	pp_round_free(struct pp_round *);
/* Queue `n' bytes at that time: a copy, or as they are if they lie in the last buffer of pp_round_buffer(). */
int	pp_round_add_slow(struct pp_round *, uint64_t time, const void *p, size_t n);
static inline int
pp_round_add(struct pp_round *q, uint64_t time, const void *p, size_t n)
{
	uint64_t at = (uintptr_t)p - (uintptr_t)q->buf;

	if (time < q->newest || at >= PP_BUFFER_SIZE || q->next == q->end)
		return pp_round_add_slow(q, time, p, n);
	*q->next++ = (struct pp_waiting){ time, q->place + (at << 16) + n };
	++*q->live;
	q->newest = time;
	if (time > q->max)
		q->max = time;
	return 1;
}
/* For pp_read_into(): a buffer that lives until pp_round_reclaim() finds nothing in it that still waits. */
uint8_t	*pp_round_buffer(void *round);
/*
 * From here on, deliver records that lie side by side by one call of `side': `n' bytes, and the time of the last one.
 * NULL: one by one.
 */
void	pp_round_side_by_side(struct pp_round *, pp_deliver *side);
/* A FINISHED_ROUND: deliver all up to the largest time known at the one before (perf-pipe(5)). */
int	pp_round_finished(struct pp_round *);
/* End of the stream: deliver everything. */
int	pp_round_final(struct pp_round *);
/* Give back the memory of what was delivered.  Call it now and then. */
void	pp_round_reclaim(struct pp_round *);
/* Records that were older than what had been delivered. */
uint64_t pp_round_late(const struct pp_round *);
/* Deliver all up to that time, whatever the marks said. */
int	pp_round_release(struct pp_round *, uint64_t limit);
/* The time up to which the next pp_round_finished() delivers; that of the last record delivered (0: none yet). */
uint64_t pp_round_limit(const struct pp_round *);
static inline uint64_t
pp_round_last(const struct pp_round *q)
{
	return q->last;
}
/*
 * To bound memory: the bytes that the queue holds, and will need to deliver them.  pp_round_spill() gives all that
 * waits to `to', in order, valid for the call only; by the rule of the rounds these records go on waiting, with the
 * caller, who delivers each before those of the same time that the queue has (they came earlier), and says so by
 * pp_round_spilled() with its time.
 */
size_t	pp_round_memory(const struct pp_round *);
int	pp_round_spill(struct pp_round *, pp_deliver *to, void *arg);
void	pp_round_spilled(struct pp_round *, uint64_t time);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * perfpipe.h - libperfpipe: reads, understands and writes recordings of perf.  C11 and C++17.  See also perfpipe(3).
 *
 *	record	one unit of a recording, with a header of 8 bytes: type, misc, size
 *	source	yields the records of a recording, whatever contains them
 *	events	what the recording says of its events: attrs, ids, names
 *	sample	a record of type SAMPLE, and its fields
 *	sink	writes records
 *
 * Rules that hold for all functions:
 *
 *  Results	1: done; 0: the end, or there is no such thing; -1: failure, and the struct pp_err says why.  -1 has no
 *		other meaning.  A source or sink that failed refuses further work, so a caller may also test only the
 *		result of pp_close() or pp_finish().
 *  Ownership	What a function named ..._new, pp_open... or pp_create... returns belongs to the caller, and is freed by the
 *		function that its comment names; that one accepts NULL.  All other pointers are views of what the library
 *		owns; the comment says for how long they are valid.
 *  Bytes	Bytes of the input are never copied, changed or swapped in place.  `swap' says that numbers in them are not
 *		in this machine's byte order; functions that return numbers swap what they fetch.
 *  Trust	Nothing from a recording (length, count, id, string) is used before it is checked.  Strings may hold any
 *		byte but NUL: make them harmless before they are printed.
 *  SAMPLEs	pp_next() checks each record, with one exception: of a SAMPLE it checks only that its `size' bytes are there.
 *		pp_event_find() checks that the event's fields of fixed place lie within it, so pp_time(), pp_pid_tid() and
 *		pp_cpu() may be called only after it, and pp_sample_get() and pp_walk() check all the rest.
 *  Threads	A handle (source, sink, ...) and what it owns are used by one thread at a time.  Threads with a handle
 *		each need no lock.  The library has no state outside of handles.
 *  Process	The library does not print, exit, change the locale, or install signal handlers.  It reads the environment
 *		variable TMPDIR for temporary files, and ignores SIGPIPE nowhere: a sink on a pipe without a reader gets it.
 *  Stability	The version is 0: functions may change with the number of the shared library (libperfpipe.so.0).  Structs
 *		that are declared here without members may get any; do not rely on perfpipe_inline.h, which has them.
 *
 * The format is described in perf-pipe(5).
 */
#ifndef PERFPIPE_H
#define PERFPIPE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- version --------------------------------------------------------------------------------- */

#define PP_VERSION_MAJOR 0
#define PP_VERSION_MINOR 1
#define PP_VERSION "0.1"

/* PP_VERSION of the library that runs, which may be newer than the header that a program was compiled with. */
const char *pp_version(void);

/* ---- errors ---------------------------------------------------------------------------------- */

struct pp_err {			/* the caller's; begins as all zeros, outlives the handle that it was given to */
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
	PP_TYPE_END			/* first number that this version does not know */
};
enum {
	PP_USER_TYPE_START = 64,	/* PERF_RECORD_USER_TYPE_START: types from here on are made by perf, not the kernel */
	PP_HEADER_SIZE = 8,		/* struct perf_event_header */
	PP_PIPE_HEADER_SIZE = 16,	/* struct perf_pipe_file_header */
	PP_RECORD_MAX = 65535		/* bytes of the largest record */
};

/* misc bits: include/uapi/linux/perf_event.h, PERF_RECORD_MISC_* */
enum {
	PP_MISC_CPUMODE_MASK = 7, PP_MISC_KERNEL = 1, PP_MISC_USER = 2, PP_MISC_HYPERVISOR = 3,
	PP_MISC_GUEST_KERNEL = 4, PP_MISC_GUEST_USER = 5,
	PP_MISC_MMAP_DATA = 1 << 13, PP_MISC_COMM_EXEC = 1 << 13, PP_MISC_FORK_EXEC = 1 << 13,
	PP_MISC_SWITCH_OUT = 1 << 13,
	PP_MISC_MMAP_BUILD_ID = 1 << 14,
	PP_MISC_BUILD_ID_SIZE = 1 << 15
};

struct pp_rec {			/* a view: valid until the next pp_next() of its source */
	const uint8_t	*raw;		/* header and body as they stand in the input */
	uint64_t	 payload;	/* bytes that follow outside header.size (TRACING_DATA, AUXTRACE); see pp_payload() */
	uint32_t	 type;		/* enum pp_type, or a number that this version does not know */
	uint16_t	 misc;
	uint16_t	 size;		/* bytes of header and body */
};

enum pp_kind {			/* how a field is stored, and shown */
	PP_K_END,
	PP_K_UINT, PP_K_SINT, PP_K_HEX,	/* an integer of 1, 2, 4 or 8 bytes, in the recording's byte order */
	PP_K_STR,			/* NUL-terminated; the record is padded behind it */
	PP_K_BYTES,			/* bytes without byte order */
	PP_K_WORDS,			/* u64s to the end of the body */
	PP_K_REST,			/* opaque, to the end of the body */
	PP_K_LIST,			/* the fields behind it repeat; the field before it says how often */
	PP_K_OPT,			/* the fields behind it may be absent */
	PP_K_F64			/* an IEEE double */
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
/* Is the record sound: long enough, strings ended, counts within it?  1, or -1. */
int		 pp_check(const struct pp_rec *, bool swap, struct pp_err *);
/*
 * Show each field of the record in file order: body, then trailer.  `ev' is the record's event or NULL (then a SAMPLE is
 * opaque and trailers are left out).  Returns what the visitor returned last, -1 also if the record is not sound.
 */
int		 pp_walk(const struct pp_rec *, const struct pp_event *ev, bool swap, pp_visit *, void *arg,
		    struct pp_err *);

/* ---- source ---------------------------------------------------------------------------------- */

struct pp_source;
struct pp_events;

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
	PP_OPEN_MAX_EXPAND_SHIFT = 8
};
/*
 * One more flag: compressed data that have become more than so many bytes (at least; counted in MiB, 16 TiB at most; without
 * it 1 GiB) may not be more than 1000 times what was read.  A failure says so and names --max-expand.
 */
#define PP_OPEN_MAX_EXPAND(bytes)								\
	((bytes) >> 44 ? ~0u << PP_OPEN_MAX_EXPAND_SHIFT :					\
	(unsigned)(((bytes) + (1 << 20) - 1) >> 20) << PP_OPEN_MAX_EXPAND_SHIFT)

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
/* The next record: 1, 0 at the end, -1.  A payload that was not fetched is skipped. */
int	pp_next(struct pp_source *, struct pp_rec *);
/* The next piece of the payload of the record just yielded: 1, 0 when all has been given, -1. */
int	pp_payload(struct pp_source *, const uint8_t **p, size_t *n);
/* Are the recording's numbers not in this machine's byte order?  The same for all its records. */
bool	pp_source_swap(const struct pp_source *);
/* The events of the recording, as far as its records have named them.  Valid until pp_close(). */
struct pp_events *pp_source_events(const struct pp_source *);
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
 * the next one, or, after pp_no_wait(), returns PP_NEXT_WAIT: top up, and try again.
 */
bool	pp_at_hand(const struct pp_source *);
enum { PP_NEXT_WAIT = 2 };
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

/* ---- events ---------------------------------------------------------------------------------- */

enum {				/* PERF_SAMPLE_*, bits of sample_type */
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
	PP_FORMAT_GROUP = 8, PP_FORMAT_LOST = 16
};
enum { PP_BRANCH_HW_INDEX = 1 << 17, PP_BRANCH_COUNTERS = 1 << 19 };	/* PERF_SAMPLE_BRANCH_* */
/*
 * struct perf_event_attr in this machine's byte order; 0 where the recording's attr.size ends before.  New members come at
 * the end only.
 */
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
/* Events are counted from 0 in the order of their attrs.  Views of them are valid as long as the source. */
unsigned pp_events_count(const struct pp_events *);
/* The event of that index; NULL if there is none. */
const struct pp_event *pp_events_at(const struct pp_events *, unsigned index);
/* The event with that id; NULL if there is none. */
struct pp_event *pp_event_by_id(const struct pp_events *, uint64_t id);
/* The CPU that ID_INDEX names for that id; -1 if none. */
int64_t	pp_cpu_of_id(const struct pp_events *, uint64_t id);
unsigned pp_event_index(const struct pp_event *);
/* The name as perf shows it, never NULL.  Valid until the next pp_next(), which may learn a better one. */
const char *pp_event_name(const struct pp_event *);
const struct pp_attr *pp_event_attr(const struct pp_event *);

/*
 * The event of a record of type < PP_USER_TYPE_START by perf's rules (evlist__event2evsel).
 * NULL: there is none; the text (no attr yet, unknown id, record too short for its fields) is in pp_err.
 */
const struct pp_event *pp_event_find(const struct pp_events *, const struct pp_rec *, struct pp_err *);

/*
 * The time by which perf orders a record of type < PP_USER_TYPE_START: 1 and *time, or 0 if it has none
 * (no such field, 0, or ~0): perf delivers those at once.
 */
int	pp_time(const struct pp_event *, const struct pp_rec *, bool swap, uint64_t *time);
/* pid and tid of a sample or of a trailer: 1, or 0 if not recorded. */
int	pp_pid_tid(const struct pp_event *, const struct pp_rec *, bool swap, uint32_t *pid, uint32_t *tid);
/* CPU of a sample or of a trailer: 1, or 0 if not recorded. */
int	pp_cpu(const struct pp_event *, const struct pp_rec *, bool swap, uint32_t *cpu);

/* ---- sink ------------------------------------------------------------------------------------ */

struct pp_sink;

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
/*
 * From here on (after pp_start, before the first record) kernel records go out as COMPRESSED, or COMPRESSED2 if
 * `two', by zstd at that level (1 to 22) in so many threads beside us (0: none).  A zstd frame ends with the record that
 * makes `frame' bytes of kernel records full (0: PP_FRAME_SIZE; UINT64_MAX, without threads only: it never ends).  The
 * stream gets header feature COMPRESSED.
 * Each put must then hold whole records, a payload in pieces behind its record.
 */
int	pp_sink_compress(struct pp_sink *, int level, bool two, unsigned threads, uint64_t frame);
enum {
	PP_FRAME_SIZE = 4 << 20, PP_FRAME_MIN = 64 << 10, PP_FRAME_MAX = 64 << 20
};
/* Write a record of the source, with its payload.  Not copied: a run of neighbours is one write. */
int	pp_put(struct pp_sink *, struct pp_source *, const struct pp_rec *);
/* Write bytes that stay as they are until the next pp_flush(). */
int	pp_put_stable(struct pp_sink *, const uint8_t *, size_t);
/* Write bytes that are copied now. */
int	pp_put_copy(struct pp_sink *, const void *, size_t);
/* Write all that was put. */
int	pp_flush(struct pp_sink *);
/* Flush and close; -1 if a byte may be missing. */
int	pp_finish(struct pp_sink *);
uint64_t pp_written(const struct pp_sink *);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

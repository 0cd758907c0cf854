/* SPDX-License-Identifier: ISC */
/*
 * perfpipe.h - libperfpipe: reads, understands and writes recordings of perf.  C11 and C++17.  perfpipe(3) has an example.
 *
 *	record		one unit of a recording: a header of 8 bytes (type, misc, size), fields, for some types a payload
 *	source		yields the records of a recording, whatever file contains them
 *	events		what the recording says of its events: attrs, ids, names
 *	sample		a record of type SAMPLE: one hit of an event
 *	feature		what the recording says of the machine and the command, a record of type HEADER_FEATURE
 *	index		says where in a recording the samples of a time are
 *	timeline	puts records into the order of their times, by perf's rules
 *	state		which tasks, names, maps and files there are at a time
 *	sink		writes records
 *
 * Rules that hold for all functions:
 *
 *  Results	An int is 1: done; 0: the end, or there is no such thing; -1: failure, and the struct pp_err says why.
 *		Lookups that return a number (int64_t) return -1 if there is none.  A source or sink that failed refuses
 *		further work, so it is enough to look at what pp_close() or pp_finish() returns.
 *  Ownership	What a function returns whose name ends in _new or begins with pp_open or pp_create belongs to the caller, and is
 *		freed by the section's pp_..._free(), pp_close() or pp_finish(), which accept NULL.  Other pointers are
 *		views of what the library owns.  A struct pp_err and a name that a handle is given must live as long as it.
 *  Bytes	Bytes of the input are never changed.  Those of a record, and views of them, are in the byte order of the
 *		recording, which the source knows: functions that take the source return numbers of this machine.
 *  Trust	Lengths, counts and ids of a recording are checked before they are used.  Strings may hold any byte but NUL:
 *		make them harmless before they are printed on a terminal.
 *  SAMPLEs	pp_next() checks each record that it yields, with one exception: of a SAMPLE it checks only that all its bytes
 *		are there.  pp_decode() and pp_fields() check all fields.
 *  Threads	A handle and what it owns are used by one thread at a time; threads with a handle each need no lock.
 *  Process	The library does not print, exit, change the locale or signal handlers, and has no variables outside of its
 *		handles.  Of the environment it reads TMPDIR, for temporary files.  A sink whose reader is gone gets SIGPIPE.
 *  Stability	This is version 0: the library libperfpipe.so.0 keeps what is declared here, but a libperfpipe.so.1 may change
 *		it.  What is marked UNSTABLE may change any time.  Where a struct is only named here, its members are the
 *		library's business.  The others do not grow, or grow at their end and are only made by the library.  Types,
 *		bits, roles and error codes that this header does not know may come.
 *
 * The format of recordings is described in perf-pipe(5).
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

/* PP_VERSION of the library that runs; the macro is that of the header that the program was compiled with. */
const char *pp_version(void);

/* ---- errors ---------------------------------------------------------------------------------- */

enum pp_code {
	PP_ERR_NONE,			/* no error */
	PP_ERR_DATA,			/* what was read, or is to be written, is not sound, or more than can be */
	PP_ERR_SYSTEM,			/* a system call failed: `error' is its errno */
	PP_ERR_MEMORY,			/* no memory */
	PP_ERR_TEMPORARY		/* a temporary file cannot be made, written or read */
};
struct pp_err {			/* the caller's; all zeros at first */
	const char	*file;		/* as the user named it, or <stdin>, <stdout> */
	uint64_t	 off;		/* byte of the input where the trouble starts, if `at' */
	bool		 at;
	int		 code;		/* enum pp_code */
	int		 error;
	char		 what[240];	/* for people: "RECORD: cause"; empty: no error yet */
};

/*
 * Set text and code PP_ERR_DATA: for functions that the library calls, and that return -1.  An error that already stands there
 * stays.  Always -1.
 */
int	pp_fail(struct pp_err *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same with code PP_ERR_SYSTEM and errno: "DOING: reason", or without DOING (NULL) the reason alone. */
int	pp_fail_system(struct pp_err *, const char *doing);
/* The same with code PP_ERR_MEMORY. */
int	pp_fail_memory(struct pp_err *);

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
	PP_K_WORDS,			/* u64s: an array of a SAMPLE, or all to the end of the body */
	PP_K_REST,			/* opaque, to the end of the body */
	PP_K_LIST,			/* the fields behind it repeat; the field before it says how often */
	PP_K_OPT,			/* the fields behind it may be absent */
	PP_K_F64,			/* an IEEE double */
	PP_K_BRANCH			/* the flags of a branch: a u64 of bit fields */
};

enum pp_role {			/* what a field means, in whatever record it is */
#define ROLE(name) PP_ROLE_##name,
#include "record/role.def"
#undef ROLE
	PP_ROLES
};

struct pp_value {		/* one field of one record */
	const char	*name;
	enum pp_kind	 kind;
	const uint8_t	*p;		/* where it stands in the record */
	size_t		 len;		/* bytes there; of a string without its NUL and padding */
	unsigned	 index;		/* in a list: which entry */
	enum pp_role	 role;
	unsigned	 entries;	/* in a list: how many there are; 0: it is in none */
	uint32_t	 field;		/* of a SAMPLE, or of a trailer: the PP_SAMPLE_* bit of what it is a part of; else 0 */
};
/* Returns 1 to go on, 0 to stop, -1 on failure. */
typedef int	pp_visit(void *arg, const struct pp_value *);

struct pp_event;
struct pp_source;

/* The kernel's or perf's name of a type, without PERF_RECORD_; NULL if unknown. */
const char	*pp_type_name(uint32_t type);
/* The type of that name (either case, PERF_RECORD_ in front allowed) or number; -1 if there is none. */
int64_t		 pp_type_number(const char *name);
/* A view of the record at p, a whole one of the source: pp_deliver gives it.  Its payload is not known: 0. */
struct pp_rec	 pp_view(const struct pp_source *, const uint8_t *p);
/*
 * Show each field of the record to `visit', in file order: body, then trailer.  Of a record whose event is not known, a trailer is left
 * out, and the body of a SAMPLE is one value.  Returns what the visitor returned last, -1 also if the record is not sound.
 */
int		 pp_fields(const struct pp_source *, const struct pp_rec *, pp_visit *visit, void *arg, struct pp_err *);
/* The number that a value of kind UINT, SINT (sign-extended) or HEX is. */
uint64_t	 pp_number(const struct pp_source *, const struct pp_value *);
/* The number of 2, 4 or 8 bytes at p; 0: of another size. */
uint64_t	 pp_number_at(const struct pp_source *, const uint8_t *p, size_t size);

/* ---- source ---------------------------------------------------------------------------------- */

struct pp_source;
struct pp_events;

enum {				/* flags of pp_open() */
	PP_OPEN_RAW = 1,		/* yield COMPRESSED records as they are, and header feature COMPRESSED */
	PP_OPEN_REPAIR = 2,		/* go on behind damaged places: pp_on_fault() */
	PP_OPEN_FOLLOW = 4,		/* the file is still being written: wait for more, pp_follow() */
	PP_OPEN_ANY_SIZE = 8,		/* yield also records whose size is not that of their fields, for pp_judge() */
	PP_OPEN_EXPAND_COUNTS = 16,	/* CPU profile: a sample for each tick instead of one whose period is their number */
	/*
	 * Yield also those features of a file that have no place in a stream, because they are larger than a record or of
	 * no use there: as HEADER_FEATURE records of 16 bytes whose payload they are.
	 */
	PP_OPEN_FILE_FEATURES = 32,
	PP_OPEN_MANY = 64,		/* one of hundreds that are open at a time: reads 64 KiB at once, not 256, to hold less */
	/* Open all files that reading may need, temporary ones too, but read nothing: pp_begin() does. */
	PP_OPEN_LATER = 128,
	/*
	 * Yield also TRACING_DATA that perf would refuse in a stream: because what is in it is not whole, or smaller than the record says,
	 * or inside of the record, as simpleperf writes it, or because it is the second.  Without this flag what perf does not read of it
	 * is left out.
	 */
	PP_OPEN_ANY_TRACING = 256,
	PP_OPEN_MAX_EXPAND_SHIFT = 9
};
/*
 * One more flag: a recording that has grown to more than so many bytes by being expanded (in MiB, rounded up, 8 TiB at most;
 * without this flag 1 GiB) is refused if that is more than 1000 times what was read.
 */
#define PP_OPEN_MAX_EXPAND(bytes)								\
	((bytes) >> 43 ? ~0u << PP_OPEN_MAX_EXPAND_SHIFT :					\
	(unsigned)(((bytes) + (1 << 20) - 1) >> 20) << PP_OPEN_MAX_EXPAND_SHIFT)

/*
 * Open a recording; "-" is standard input.  The first bytes tell what contains it:
 *
 *	pipe-mode stream	perf record -o -
 *	seekable perf.data	its sections become the records that a stream begins with (HEADER_ATTR, HEADER_FEATURE,
 *				EVENT_UPDATE, BUILD_ID, TRACING_DATA)
 *	directory		perf record --threads: its file `data', then data.0, data.1 ... as one stream without rounds;
 *				compressed records are expanded even with PP_OPEN_RAW, as each file has a zstd stream of its own
 *	CPU profile		of gperftools: all records are made
 *
 * Any of these but a directory may be compressed by zstd; then places in messages are those in what was expanded.  flags: 0
 * or any of PP_OPEN_*.  NULL on failure.  pp_close() frees it.
 */
struct pp_source *pp_open(const char *path, unsigned flags, struct pp_err *);
/* The same of a descriptor, which becomes the source's; if it is -1, errno is the error. */
struct pp_source *pp_open_fd(int fd, const char *name, unsigned flags, struct pp_err *);
/*
 * PP_OPEN_LATER: read the first bytes, so that the process may first give up the right to open files.  Once, before any other
 * function but pp_is_file(), pp_same_file() and pp_close().  1, or -1.
 */
int	pp_begin(struct pp_source *);
/*
 * A source of the n bytes at p: records (no pipe header), with their payloads behind them; its events are learned as they
 * are read, as with PP_OPEN_ANY_TRACING.  p must stay until pp_close().  The records stand nowhere: pp_offset() is 0.  NULL: no memory.
 */
struct pp_source *pp_open_memory(const uint8_t *p, size_t n, bool swap, const char *name, struct pp_err *);
/*
 * The next record: 1, 0 at the end, -1.  The view is valid until the next call.  A payload that was not fetched is skipped.
 */
int	pp_next(struct pp_source *, struct pp_rec *);
/* The next piece of the payload of the record just yielded, valid until the next call: 1, 0 when all was given, -1. */
int	pp_payload(struct pp_source *, const uint8_t **p, size_t *n);
/* The last record is not sound (pp_err has the cause): add its place and type, and refuse further work.  Always -1. */
int	pp_reject(struct pp_source *, const struct pp_rec *);
/* Close and free.  -1 if any call failed, or there were faults. */
int	pp_close(struct pp_source *);

/* Are numbers in the records not in this machine's byte order? */
bool	pp_source_swap(const struct pp_source *);
/* The events that the records up to now have named.  The handle stays the same, and is valid until pp_close(). */
const struct pp_events *pp_source_events(const struct pp_source *);
/* Byte of the input where the record stands; of one that was compressed, where the COMPRESSED record stands. */
uint64_t pp_offset(const struct pp_source *, const struct pp_rec *);
/* Was the record made of what the header of a perf.data says, so that it stands nowhere in the input? */
bool	 pp_made(const struct pp_source *, const struct pp_rec *);
/* Bytes read so far; *total: how many there are to read (0: unknown). */
uint64_t pp_progress(const struct pp_source *, uint64_t *total);
/* What the container is, in words. */
const char *pp_container(const struct pp_source *);
/* Is it a CPU profile of gperftools? */
bool	pp_is_profile(const struct pp_source *);
/* What could not be turned into records though the input is sound, in words; NULL: nothing. */
const char *pp_warning(const struct pp_source *);
struct pp_compressed {		/* what has been expanded so far */
	uint64_t records, records2;	/* COMPRESSED, COMPRESSED2 */
	uint64_t bytes, plain;		/* bytes of zstd data, and what came out of it */
	uint64_t first, first2;		/* byte of the input of the first of either type; of the first COMPRESSED2 */
	uint64_t nothing, nothing_at;	/* records that expand to nothing; byte of the first */
	uint64_t largest;		/* bytes that the largest one expands to */
	/* header feature COMPRESSED, if it came before them */
	uint32_t version, type, mmap_len;
	bool	 announced;
	uint32_t level, ratio;		/* of the same feature */
};
/* Valid until pp_close(). */
const struct pp_compressed *pp_compressed(const struct pp_source *);
/* Does the source read that file (NULL or "-": standard output)?  Then writing there would destroy it. */
bool	pp_is_file(const struct pp_source *, const char *path);
/*
 * Call `fn' for each fault that the source goes on behind: its place, and in `what' the cause and what became of it.  For
 * faults that pp_open() found it is called at once.  Without PP_OPEN_REPAIR, these are header features and TRACING_DATA that
 * perf refuses: they are left out.  With it, all that is not whole is left out, and `what' says how many bytes.  Faults that leave
 * nothing to go on with (no header, no attrs, a failing read) still end the source.  An input that cannot seek is kept in a
 * temporary file.
 */
void	pp_on_fault(struct pp_source *, void (*fn)(void *, const struct pp_err *), void *arg);
/* The number of faults so far; *lost: the bytes that PP_OPEN_REPAIR left out in all. */
uint64_t pp_faults(const struct pp_source *, uint64_t *lost);
/*
 * PP_OPEN_FOLLOW: wait at the end of a regular file until perf record has finished it (perf.data), or no process holds it open
 * for writing (where the system can say that: a local file of the same user), or *stop is set, as by a signal handler: then
 * the input ends cleanly with the last whole record.
 */
void	pp_follow(struct pp_source *, const volatile sig_atomic_t *stop);

/*
 * Call `fn' before bytes that were yielded are overwritten, and whenever the source may have to wait.  It returns 1, or -1,
 * which is the source's failure.  Only the last fn is called, and pp_start() sets one.
 */
void	pp_before_refill(struct pp_source *, int (*fn)(void *), void *arg);
/* May the next read have to wait for the writer?  Then what was put into a sink should be flushed first. */
bool	pp_may_wait(const struct pp_source *);
/*
 * To read several inputs without waiting for one while another has something.  pp_at_hand(): can pp_next() yield the next
 * record, or the end, without reading?  If not, pp_top_up() reads once: 1, 0: the input ends, -1; it waits unless
 * pp_poll_fd() is readable by poll(2), which is -1 if no descriptor is needed to go on.  What is compressed is at hand once its
 * bytes are, but a piece of it may end inside a record: pp_next() then waits for the next piece, or, after pp_no_wait(),
 * returns PP_NEXT_WAIT: top up, and try again.
 */
bool	pp_at_hand(const struct pp_source *);
enum { PP_NEXT_WAIT = 2 };
void	pp_no_wait(struct pp_source *);
int	pp_top_up(struct pp_source *);
int	pp_poll_fd(const struct pp_source *);
/* ---- events ---------------------------------------------------------------------------------- */

enum {				/* PERF_SAMPLE_*: bits of sample_type, one for each field of a SAMPLE */
#define SAMPLE(bit, NAME, ...) PP_SAMPLE_##NAME = 1 << (bit),
#include "record/sample.def"
#undef SAMPLE
	PP_SAMPLE_NONE = 0
};
/* PERF_FORMAT_* */
enum {
	PP_FORMAT_TOTAL_TIME_ENABLED = 1, PP_FORMAT_TOTAL_TIME_RUNNING = 2, PP_FORMAT_ID = 4,
	PP_FORMAT_GROUP = 8, PP_FORMAT_LOST = 16
};
enum { PP_BRANCH_HW_INDEX = 1 << 17, PP_BRANCH_COUNTERS = 1 << 19 };	/* PERF_SAMPLE_BRANCH_* */

struct pp_attr {		/* struct perf_event_attr in this machine's byte order; 0 where the recording's attr.size ends before */
	uint32_t type, size;
	uint64_t config, sample_period, sample_type, read_format;
	uint64_t flags;			/* bit 0: disabled, and so on, whatever the recorder's byte order */
	uint32_t wakeup_events, bp_type;
	uint64_t config1, config2, branch_sample_type, sample_regs_user;
	uint32_t sample_stack_user, clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack, reserved_2;
	uint32_t aux_sample_size, aux_action;
	uint64_t sig_data, config3, config4;
};

/* Events are numbered from 0 in the order of their attrs.  Views of them are valid until their source is closed. */
unsigned pp_events_count(const struct pp_events *);
/* The event of that number; NULL if there is none. */
const struct pp_event *pp_events_at(const struct pp_events *, unsigned index);
/* The event with that id; NULL if there is none. */
struct pp_event *pp_event_by_id(const struct pp_events *, uint64_t id);
/* The CPU that ID_INDEX names for that id; -1 if none. */
int64_t	pp_cpu_of_id(const struct pp_events *, uint64_t id);
unsigned pp_event_index(const struct pp_event *);
/* The name as perf shows it; never NULL.  Valid until the next pp_next(), which may learn a better one. */
const char *pp_event_name(const struct pp_event *);
const struct pp_attr *pp_event_attr(const struct pp_event *);

/*
 * The event of a record of type < PP_USER_TYPE_START by perf's rules (evlist__event2evsel), and the check of SAMPLEs (above).
 * NULL: there is none; pp_err, which may be NULL, says why (no attr yet, unknown id, record too short for its fields).
 */
const struct pp_event *pp_event_find(const struct pp_events *, const struct pp_rec *, struct pp_err *);

/*
 * The time by which perf orders a record of type < PP_USER_TYPE_START, in nanoseconds by the recording's clock: 1 and *time; 0 if it
 * has none (no such field, 0, or ~0): perf takes those at once; or it has no event.
 */
int	pp_record_time(const struct pp_source *, const struct pp_rec *, uint64_t *time);

/* ---- samples --------------------------------------------------------------------------------- */

struct pp_bytes { const uint8_t *p; size_t n; };	/* n bytes as they stand in the recording; p NULL: there are none */

struct pp_decoded {		/* what a SAMPLE says; its bytes are valid as long as the record.  What is not recorded is 0. */
	const struct pp_event *event;
	uint64_t	 has;		/* the bits PP_SAMPLE_* of what is recorded */
	uint16_t	 misc;		/* of the record */
	uint16_t	 cpumode;	/* of that: PP_MISC_KERNEL, PP_MISC_USER ...; 0: unknown */
	uint32_t	 pid, tid, cpu;
	uint64_t	 time, ip, addr, id, stream_id, period;
	uint64_t	 weight;	/* PP_SAMPLE_WEIGHT_STRUCT: three numbers, of the bits 0-31, 32-47 and 48-63 */
	uint64_t	 data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	struct pp_bytes	 callchain;	/* u64s, with context markers: pp_frames_of() */
	struct pp_bytes	 raw;		/* of a tracepoint its payload */
	struct pp_bytes	 branches;	/* entries of 24 bytes: u64 from, to, flags */
	struct pp_bytes	 stack_user;	/* the bytes that are valid */
	struct pp_bytes	 regs_user, regs_intr;	/* u64s, by ascending bit of attr.sample_regs_user, _intr */
	uint64_t	 regs_user_abi, regs_intr_abi;	/* 0: none, 1: of 32 bits, 2: of 64 bits */
	struct pp_bytes	 read;		/* by attr.read_format, times and counts included */
	struct pp_bytes	 aux;
};
/* Decode a SAMPLE.  1; 0: it is another record; -1: it has no event, or is shorter than its fields say. */
int	pp_decode(const struct pp_source *, const struct pp_rec *, struct pp_decoded *, struct pp_err *);

struct pp_frames {		/* where in a call chain one is; private, but for the caller to keep */
	const uint8_t	*p;
	size_t		 left;
	unsigned	 cpumode;
	bool		 swap;
};
struct pp_frame {		/* one function of a call chain: the innermost, then its caller ... */
	uint64_t	 ip;
	unsigned	 cpumode;	/* of that address, by the context marker in front of it */
	bool		 deferred;	/* no address: the frames of user space follow in the CALLCHAIN_DEFERRED of this cookie */
};
void	pp_frames_of(struct pp_frames *, const struct pp_source *, const struct pp_decoded *);
/* The next frame; context markers are left out.  1, or 0: there is none. */
int	pp_frame_next(struct pp_frames *, struct pp_frame *);

/* ---- records that are made ------------------------------------------------------------------- */

struct pp_given {		/* the value of a field */
	const char	*name;		/* as pp_fields() shows it, of the body */
	uint64_t	 number;	/* of kind UINT, SINT or HEX, and of WORDS one */
	const void	*p;		/* of kind STR (without its NUL), BYTES or REST: n bytes */
	size_t		 n;
};
/*
 * Make a record in buf, in the byte order of the source: *r views it.  A field of which none of the n values is given is 0, or empty;
 * values of one name are those of the entries of a list, or of words, in this order.  With `like', which names an event, the record ends
 * with the trailer that records of this event have, of the task, time, CPU and ids of `like'.  Not for types that end with what no row
 * describes (READ, HEADER_ATTR, ID_INDEX ...), nor for SAMPLE.  1; -1: a name that the type does not have, no room in buf, or not such
 * a type.
 */
int	pp_compose(const struct pp_source *, uint32_t type, uint16_t misc, const struct pp_given *, size_t n, const struct pp_decoded *like,
	    uint8_t *buf, size_t size, struct pp_rec *r, struct pp_err *);
/*
 * Make the SAMPLE that pp_decode() would decode to this: all that the event's sample_type names is written; p NULL: as empty.  The bytes of
 * `branches' and `aux' cannot be written: -1 for events with these.  1; -1: no room, or `id' is not of that event of the source.
 */
int	pp_encode(const struct pp_source *, const struct pp_decoded *, uint8_t *buf, size_t size, struct pp_rec *r, struct pp_err *);

/* ---- features -------------------------------------------------------------------------------- */

enum pp_feat {
#define FEAT(number, name, ...) PP_FEAT_##name = number,
#include "record/feature.def"
#undef FEAT
	PP_FEAT_END			/* first number that this version does not know */
};

struct pp_feature {		/* a view of one feature */
	uint64_t	 number;	/* enum pp_feat, or one that this version does not know */
	const uint8_t	*p;		/* payload; may be NULL if len is 0 */
	size_t		 len;
	uint32_t	 nr_cpus;	/* NRCPUS `available' of the same recording, by which some are read; 0: not known (yet) */
	bool		 swap;		/* it is not in this machine's byte order */
};

enum pp_feature_kind {
	PP_F_STOP,			/* never seen in a value */
	PP_F_UINT, PP_F_SINT, PP_F_HEX,	/* numbers: `num' */
	PP_F_TIME,			/* nanoseconds: `num' */
	PP_F_BITMAP,			/* 64 bits, lowest first: `num' */
	PP_F_STR,			/* p, len: without length word, NUL and padding; no NUL need follow */
	PP_F_ATTR,			/* p, len: a perf_event_attr in the payload's byte order */
	PP_F_INFO,			/* p, len: a struct bpf_prog_info, as stored */
	PP_F_BYTES,			/* p, len: bytes without a known byte order, as stored */
	PP_F_REST,			/* p, len: what the layout does not cover, to the end */
	PP_F_LIST, PP_F_BITS, PP_F_CPUS, PP_F_EACH, PP_F_END, PP_F_OPT, PP_F_SINCE	/* parts of a layout; no value */
};

struct pp_feature_value {	/* one field of a feature */
	const char	*name;		/* "rest" for PP_F_REST */
	const char	*text;		/* how it reads on the screen (feature.def), or NULL */
	enum pp_feature_kind kind;
	const uint8_t	*p;		/* where it stands in the payload (a string: its first byte) */
	size_t		 len;		/* bytes at p */
	uint64_t	 num;		/* of a number, in this machine's order; PP_F_SINT sign-extended */
	unsigned	 depth;		/* 0: not in a list */
	uint64_t	 index;		/* which entry of the innermost list */
	bool		 swap;		/* p is not in this machine's byte order (ATTR, REST) */
	bool		 count;		/* only for writing */
};

/* perf's name of a feature without HEADER_; NULL if unknown. */
const char	*pp_feature_name(uint64_t number);
/* The feature of that name (either case, HEADER_ allowed in front) or number; -1 if there is none. */
int64_t		 pp_feature_number(const char *name);
/*
 * View the feature of a HEADER_FEATURE record; valid as long as that.  Set nr_cpus if it is known.  1; 0: it is another record; -1: too
 * short to name one.
 */
int	pp_feature_view(const struct pp_source *, const struct pp_rec *, struct pp_feature *, struct pp_err *);
/* Returns 1 to go on, 0 to stop, -1 on failure. */
typedef int	pp_feature_visit(void *arg, const struct pp_feature_value *);
/* Show every value in stored order.  What the visitor returned last, -1 also if the payload is not sound. */
int	pp_feature_walk(const struct pp_feature *, pp_feature_visit *, void *arg, struct pp_err *);
/* The first number of that name.  1, 0 if the feature has none, -1. */
int	pp_feature_num(const struct pp_feature *, const char *name, uint64_t *num, struct pp_err *);
/*
 * Takes the lines of a text in pieces; p NULL ends a line.  Pieces may hold any byte of the recording, even a newline or NUL:
 * make them harmless.  Returns 1 to go on, -1 to fail.
 */
typedef int	pp_feature_out(void *arg, const char *p, size_t n);
/* Describe a feature for people, much as `perf report --header-only' does.  1, or -1. */
int	pp_feature_text(const struct pp_feature *, pp_feature_out *, void *arg, struct pp_err *);

/* ---- timeline, state -------------------------------------------------------------------------- */

#include "perfpipe_state.h"

/* ---- index ----------------------------------------------------------------------------------- */

struct pp_index;

/*
 * Let the source leave out the SAMPLEs before `from' and behind `to', as far as an index of the recording says where they are (pcat --index);
 * all other records come.  Call it before the first pp_next(), for a source that reads a file or a directory by its name, and close that
 * before pp_index_free().  path: of the index, FILE.ppi.  NULL: it is not there or does not fit, and all is read; pp_err says why.
 */
struct pp_index *pp_index_use(struct pp_source *, const char *path, uint64_t from, uint64_t to, struct pp_err *);
void	pp_index_free(struct pp_index *);
/* Bytes of the recording that were not read, so far. */
uint64_t pp_index_left_out(const struct pp_index *);

/* ---- sink ------------------------------------------------------------------------------------ */

struct pp_sink;

/*
 * Create a file (mode 0600; one that is there is overwritten) or take standard output (NULL or "-").  NULL on failure.
 * pp_finish() frees it.
 */
struct pp_sink *pp_create(const char *path, struct pp_err *);
/* Write to this descriptor, which becomes the sink's; `name' is what errors call it.  NULL (and closed) on failure. */
struct pp_sink *pp_create_fd(int fd, const char *name, struct pp_err *);
struct pp_writer {			/* takes what is written instead of a descriptor */
	int	(*write)(void *arg, const uint8_t *p, size_t n);	/* cut anywhere; valid during the call; 1, or -1 */
	int	(*finish)(void *arg);	/* all was written; 1, or -1: not whole */
	void	*arg;
};
/* Write to functions, which set pp_err when they fail.  err->file is the caller's to set.  NULL on failure. */
struct pp_sink *pp_create_writer(const struct pp_writer *, struct pp_err *);
/* Write the pipe header in the source's byte order.  From here on, the source flushes the sink whenever it must refill. */
int	pp_start(struct pp_sink *, struct pp_source *);
/*
 * From here on (after pp_start(), before the first record) kernel records go out as COMPRESSED, or COMPRESSED2 if `two', by zstd
 * at that level (1 to 22), in so many threads beside the caller's (0: none).  A zstd frame ends with the record that makes
 * `frame' bytes of kernel records full (0: PP_FRAME_SIZE; UINT64_MAX, without threads only: it never ends).  The stream gets
 * header feature COMPRESSED.  Each put must then be of whole records, a payload in pieces behind its record.  1, or -1.
 */
int	pp_sink_compress(struct pp_sink *, int level, bool two, unsigned threads, uint64_t frame);
enum { PP_FRAME_SIZE = 4 << 20, PP_FRAME_MIN = 64 << 10, PP_FRAME_MAX = 64 << 20 };
/* Write the record that the source has just yielded, with its payload.  Its bytes are written from where they lie.  1, or -1. */
int	pp_put(struct pp_sink *, struct pp_source *, const struct pp_rec *);
/* Write bytes that stay as they are until the next pp_flush().  1, or -1. */
int	pp_put_stable(struct pp_sink *, const uint8_t *, size_t);
/* Write bytes that are copied now.  1, or -1. */
int	pp_put_copy(struct pp_sink *, const void *, size_t);
/* Write all that was put.  1, or -1. */
int	pp_flush(struct pp_sink *);
/* Bytes that the system has taken. */
uint64_t pp_written(const struct pp_sink *);
/* Flush, close and free.  1, or -1: a byte may be missing. */
int	pp_finish(struct pp_sink *);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

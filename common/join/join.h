/* SPDX-License-Identifier: ISC */
/*
 * join.h - several recordings as one stream (pcat): one head (attrs, header features, tracing data, id index), then the records
 * of each input in the order of the inputs, with two FINISHED_ROUND between inputs
 *
 *	j = join_open(t, &options, names, n);		read the heads; refuse recordings that cannot be joined
 *	to = out_stream_new(..., join_source(j), ...);	a container in the byte order of the joined stream
 *	join_copy(j, to);				put all records
 *	status = join_close(j);				print errors; the exit status, 0 or 1
 *
 * Memory: for each input its head (at most JOIN_HEAD_MAX and its TRACING_DATA) and one buffer.  A new condition on the inputs is
 * a function in check.c; a header feature whose joined value is not that of the first input is a case in feature.c.
 */
#ifndef PP_JOIN_H
#define PP_JOIN_H

#include "sink/out.h"
#include "tool/option.h"

enum join_align { JOIN_ALIGN_NONE, JOIN_ALIGN_WALL, JOIN_ALIGN_FIRST };
enum join_pids { JOIN_PIDS_AUTO, JOIN_PIDS_NEVER, JOIN_PIDS_OFFSET };
enum { JOIN_HEAD_MAX = 4 << 20, JOIN_TRACING_MAX = 64 << 20, JOIN_PID_STEP = 1 << 22 };

/*
 * The words of --allow.  kernels: join recordings of different kernels; clocks: of different clocks; same-input: a recording that
 * is named twice.
 */
#define JOIN_ALLOW "kernels,clocks,same-input"

struct pid_block;
struct join_options {
	bool		 merge_attrs;	/* events with equal attr and name become one */
	bool		 host_tag;	/* prefix each comm with the host's name */
	bool		 live;		/* never wait for one input while another may have a record */
	bool		 pieces;	/* inputs with equal events and ids are pieces of one recording: keep their ids */
	bool		 one_process;	/* the output can hold one process: refuse several CPU profiles */
	enum join_align	 align;
	enum join_pids	 pids;
	uint32_t	 pid_offset;	/* JOIN_PIDS_OFFSET: k times this is added to the pids of input k (from 0) */
	struct pid_block *const *blocks;	/* the pids of each input (pid_block.h), instead of any shift; NULL: none has one */
	const int64_t	*time_offset;	/* ns, added to the times of each input; NULL: none */
	unsigned	 open_flags;	/* PP_OPEN_* for each input, but PP_OPEN_RAW */
	/* Called with each opened source, for further settings; may be NULL. */
	void		(*opened)(void *arg, struct pp_source *);
	/* Called from a source's refill, for progress; may be NULL.  A negative result stops the join. */
	int		(*tick)(void *arg);
	void		*arg;
};

struct join_offsets {
	int64_t		*ns;		/* for each input named so far; the caller frees it */
	size_t		 n;
};
/* The options about joining, for members of OPTIONS: join_options and join_offsets. */
#define JOIN_PIDS_WORDS "auto|never|OFFSET"
#define JOIN_OPTS(join, offsets)					\
	OPT_WORD(0, "align", "none|wall|first", join.align, JOIN_ALIGN_NONE, "adjust the clocks of the inputs"),	\
	OPT_WORD(0, "host-tag", "none|comm", join.host_tag, false, "put the host name before each comm"),	\
	OPT_FLAG(0, "merge-attrs", join.merge_attrs, "join equal events"),	\
	OPT_CALL_ON(0, "remap-pids", JOIN_PIDS_WORDS, "auto|never", join_opt_pids, join, "keep the pids of different hosts apart (auto)"), \
	OPT_CALL_ON(0, "time-offset", "TIME...", NULL, join_opt_offset, offsets, "add TIME to the times of the next input (1.5s; -10ms)")
#define JOIN_OPT_NAMES "align,host-tag,merge-attrs,remap-pids,time-offset"
void	join_opt_pids(struct tool *, void *options);
/* For the input that is named next. */
void	join_opt_offset(struct tool *, void *offsets);
/* After all are named, set o->time_offset. */
void	join_opt_offsets(const struct tool *, struct join_options *, struct join_offsets *);

struct join;

/* Before tool_lock(): permit join_open() to open these files. */
void	join_allow(struct tool *, char **names, int n);
/*
 * Open the recordings ("-": stdin) and read their heads.  Recordings that cannot be joined: prints why and exits 2.  An input
 * that cannot be opened is reported and left out; join_close() then returns 1.  NULL: no input could be opened.
 */
struct join	*join_open(const struct tool *, const struct join_options *, char **names, int n);
/* The joined head as a source.  It has the byte order of the joined stream and, once the head was read from it, its events. */
struct pp_source *join_source(const struct join *);
/*
 * Put all records into `to', and call to->flush() before a source overwrites them.  put() gets join_source() as `in', whose
 * events describe the record as it is put; for a record with a payload, the source that has the payload.  1, or -1: `to'
 * failed, and its err has the reason.
 */
int	join_copy(struct join *, struct out *to);
/*
 * Instead of join_copy(): the caller puts the records of join_source() and then those of join_next(), in any order of inputs.
 * Inputs are numbered from 0 in the order of `names'; those that could not be opened have no number.
 */
unsigned join_inputs(const struct join *);
/*
 * Get the next record of an input as it is in the joined stream.  1; PP_NEXT_WAIT: the next record is not in memory (only if
 * live); 0: the input has ended, and its error, if any, has been printed.  The record is valid until the next join_next() of
 * any input; fetch a payload from join_input() before that.  *stable (may be NULL): the record lies in the input's buffer.
 */
int	 join_next(struct join *, unsigned i, struct pp_rec *, bool *stable);
/*
 * The same, if the next record is in memory, a SAMPLE, and as it is in the input: 1.  0: ask join_at_hand() and join_next().
 */
int	 join_next_sample(struct join *, unsigned i, struct pp_rec *);
struct pp_source *join_input(const struct join *, unsigned i);
/*
 * Call it for each record of join_next(), in the order in which records are put.  true: drop the record, because an earlier
 * input had the same one (the kernel's map, a second one of which makes perf cut the first; types of which perf uses the first
 * record only).
 */
bool	 join_is_again(struct join *, unsigned i, const struct pp_rec *);
/*
 * If join_watches(): call join_watch() for each record of join_next() that is put, in order of time over all inputs (time 0:
 * the record has none), and join_watch_end() after the last record of an input.  They detect live inputs with different
 * processes of one pid; all inputs then end with an error.
 */
bool	 join_watches(const struct join *);
void	 join_watch(struct join *, unsigned i, const struct pp_rec *, uint64_t time);
void	 join_watch_end(struct join *, unsigned i);
/* Is the next record or the end of the input in memory, so that join_next() does not wait? */
bool	 join_at_hand(const struct join *, unsigned i);
/* The event of the last record of join_next(); NULL: it fits no event; the error is printed and the input ends. */
const struct pp_event *join_event(struct join *, unsigned i, const struct pp_rec *);
/* Print that the last record of join_next() cannot be used, and its offset; end the input. */
void	 join_refuse(struct join *, unsigned i, const struct pp_rec *, const char *fmt, ...)
	    __attribute__((format(printf, 4, 5)));
/* Print that a payload of the input could not be read; end the input. */
void	 join_end(struct join *, unsigned i);
/* The input's name for messages; its path, or "-"; ns added to its times. */
const char *join_name(const struct join *, unsigned i);
const char *join_path(const struct join *, unsigned i);
uint64_t join_time_shift(const struct join *, unsigned i);
/*
 * During put() of join_copy(): the number of kernel records before this record, over all inputs; and the record's file and
 * offset, as an error without a text.
 */
uint64_t join_place(const struct join *);
void	 join_where(const struct join *, struct pp_err *);
/* Bytes read of all inputs; *total: bytes to read, 0 if unknown. */
uint64_t	 join_progress(const struct join *, uint64_t *total);
/* Has every input been opened, and read without an error so far? */
bool	join_is_whole(const struct join *);
/* Print the errors of the inputs, close them and free the join.  The exit status: 0, or 1. */
int	join_close(struct join *);

#endif

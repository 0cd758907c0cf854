/* SPDX-License-Identifier: ISC */
/*
 * join.h - several recordings as one stream: one head (attrs, features, tracing data, id index), then the records
 * of each input in the order of the inputs, between them two FINISHED_ROUNDs.
 *
 *	j = join_open(t, &options, names, n);		look at the heads; refuse what cannot go together
 *	to = out_stream_new(..., join_source(j), ...);	the source of the joined head: its byte order
 *	join_copy(j, to);				put all records
 *	status = join_close(j);				messages; 0 or 1
 *
 * Memory: of each input its head (at most JOIN_HEAD_MAX and its TRACING_DATA) and one buffer; nothing grows with
 * the records.
 */
#ifndef PCAT_JOIN_H
#define PCAT_JOIN_H

#include "sink/out.h"
#include "tool.h"

enum join_align { JOIN_ALIGN_NONE, JOIN_ALIGN_WALL, JOIN_ALIGN_FIRST };
enum join_pids { JOIN_PIDS_AUTO, JOIN_PIDS_NEVER, JOIN_PIDS_OFFSET };
enum { JOIN_HEAD_MAX = 4 << 20, JOIN_TRACING_MAX = 64 << 20, JOIN_PID_STEP = 1 << 22 };

/*
 * The words of --allow.  kernels: join those of different kernels, or with unlike tracepoints; clocks: whose times are of
 * different clocks; same-input: a recording that is named twice.
 */
#define JOIN_ALLOW "kernels,clocks,same-input"

struct join_options {
	bool		 merge_attrs;	/* equal attr and name: one event */
	bool		 host_tag;	/* the host's name in front of each comm */
	bool		 live;		/* never wait for one input while another may have something */
	bool		 pieces;	/* inputs with the same events and ids are pieces of one recording: they stay so */
	bool		 one_process;	/* the output holds one: refuse CPU profiles of several */
	enum join_align	 align;
	enum join_pids	 pids;
	uint32_t	 pid_offset;	/* JOIN_PIDS_OFFSET: input k (from 0) is moved by k times this */
	const int64_t	*time_offset;	/* of each input, ns; NULL: none */
	unsigned	 open_flags;	/* PP_OPEN_* for each input, not PP_OPEN_RAW */
	/* Each source that was opened, to set up what else it needs; NULL: nothing. */
	void		(*opened)(void *arg, struct pp_source *);
	/* Now and then, from a source's refill, for progress; NULL: nothing.  Negative: stop. */
	int		(*tick)(void *arg);
	void		*arg;
};

/* Arguments of --remap-pids, --align and --host-tag.  Wrong ones exit 2. */
void	join_opt_pids(const struct tool *, struct join_options *, const char *text);
void	join_opt_align(const struct tool *, struct join_options *, const char *text);
void	join_opt_host_tag(const struct tool *, struct join_options *, const char *text);
/* The argument of --time-offset, for the input that is named next; and, once all are named, the list for the join. */
struct join_offsets {
	int64_t		*ns;		/* of each input named so far; the caller frees it */
	int		 n;
};
void	join_opt_offset(const struct tool *, struct join_offsets *);
void	join_opt_offsets(const struct tool *, struct join_options *, struct join_offsets *);

struct join;

/*
 * Open the recordings, "-" being stdin, and read their heads.  What cannot be joined is said, and exits 2; an input
 * that cannot be opened is said and left out, for a status of 1.  NULL: none could be opened.
 */
struct join	*join_open(const struct tool *, const struct join_options *, char **names, int n);
/* Will it open files by name later on? */
bool	join_opens_files(const struct join *);
/* The joined head as a source: its byte order and, once copied, the events of the joined stream. */
struct pp_source *join_source(const struct join *);
/*
 * Put all records, and to->flush() before a source overwrites them.  Each comes with `in': join_source(), whose
 * events describe the record as it is put, or for one with a payload the source that has it.  1, or -1: the out
 * failed (it has said why).
 */
int	join_copy(struct join *, struct out *to);
/*
 * Instead of join_copy(): put the records of join_source(), then ask for those of each input, in any order of inputs.
 * Inputs are numbered from 0 by name; those that could not be opened are not counted.
 */
unsigned join_inputs(const struct join *);
/*
 * The next record of an input as it stands in the joined stream: 1, PP_NEXT_WAIT: none is at hand (only if live), or 0: there
 * is none; what was wrong has been said.
 * It is good until the next call, for whatever input; a payload has to be fetched from join_input(), before that.
 * If `stable' is not NULL: does it lie in the input's buffer?
 */
int	 join_next(struct join *, unsigned i, struct pp_rec *, bool *stable);
struct pp_source *join_input(const struct join *, unsigned i);
/*
 * For each record that join_next() gave, in the order in which they are put: has another input said it before, so that
 * it must be left out (the kernel's map, which perf would cut; what it takes the first of)?
 */
bool	 join_is_again(struct join *, unsigned i, const struct pp_rec *);
/*
 * If join_watches(): say of each record of join_next(), in order of time over all inputs, that it is put (time 0: it has
 * none), and that an input has ended, behind its last record.  Live inputs that mean different processes by one pid end
 * so, with all others.
 */
bool	 join_watches(const struct join *);
void	 join_watch(struct join *, unsigned i, const struct pp_rec *, uint64_t time);
void	 join_watch_end(struct join *, unsigned i);
/* Is the next record, or the end, in memory, so that join_next() does not wait? */
bool	 join_at_hand(const struct join *, unsigned i);
/* The event of the record that join_next() just gave; NULL: it fits none, which is said, and the input ends. */
const struct pp_event *join_event(struct join *, unsigned i, const struct pp_rec *);
/* The record that join_next() just gave can't be taken: say so, with its place, and let the input end. */
void	 join_refuse(struct join *, unsigned i, const struct pp_rec *, const char *fmt, ...)
	    __attribute__((format(printf, 4, 5)));
/* A payload of the input could not be read: say so, and let it end. */
void	 join_end(struct join *, unsigned i);
/* What the user called the input, for messages; its path, or "-"; what is added to its times. */
const char *join_name(const struct join *, unsigned i);
const char *join_path(const struct join *, unsigned i);
uint64_t join_time_shift(const struct join *, unsigned i);
/*
 * While join_copy() puts a record of an input: how many records of the kernel stand in front of it, in all inputs; and
 * its file and byte, into an error without text.
 */
uint64_t join_place(const struct join *);
void	 join_where(const struct join *, struct pp_err *);
/* Bytes read so far of all inputs, and how many there are to read (0: unknown). */
uint64_t	 join_progress(const struct join *, uint64_t *total);
/* So far: was each input there, and was all of it taken that is to be? */
bool	join_is_whole(const struct join *);
/* Say what was wrong with the inputs, close and free: 0, or 1. */
int	join_close(struct join *);
/* All of it, for an out that needs no source beforehand; does not call to->finish.  0, or 1. */
int	join_run(const struct tool *, const struct join_options *, char **names, int n, struct out *to);

#endif

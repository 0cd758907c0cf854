/* SPDX-License-Identifier: ISC */
/* in.h - structures and functions shared by join*.c */
#ifndef PP_JOIN_IN_H
#define PP_JOIN_IN_H

#include "convert/blob.h"
#include "record/feature.h"
#include "join.h"
#include "lives.h"
#include "maps.h"
#include "pid_block.h"

struct in_event {		/* an event of an input, by index as in src->events */
	size_t	 attr;			/* offset of its HEADER_ATTR in `head' */
	unsigned to;			/* index of its event in the joined stream */
	unsigned members;		/* events in its group if it is the leader, 1: no group, 0: a member */
	bool	 folded;		/* it is merged into an event of an earlier input */
};

struct input {
	const char	*name;
	const struct join *join;
	struct pp_source *src;
	struct pp_source *old;		/* the source of the head, if the file was opened again */
	uint64_t	 taken;		/* records read up to the end of the head, `held' included */
	bool		 rests;		/* `src' is suspended by pp_rest() until the input's turn */
	bool		 wakes;		/* join_wake() reads the head again */
	int		 fd;		/* the suspended file's descriptor; -1: none */
	struct pp_err	 err;
	struct blob	 head;		/* records before the first with a time, back to back */
	struct blob	 tracing;	/* the payload of TRACING_DATA */
	struct pp_rec	 tracing_rec;	/* the TRACING_DATA record, raw NULL; size 0: none */
	struct pp_rec	 held;		/* the record after the head, still in the source's buffer; raw NULL: none */
	size_t		 at;		/* bytes of `head' that join_next() has returned */
	struct pp_rec	 given;		/* the last record of join_next(), as it is in the source; raw NULL: it is of `head' */
	bool		 ended, reported;
	struct in_event	*ev;
	unsigned	 nev;
	/* facts from header features and records; 0, NULL: unknown */
	char		*host, *release;
	uint64_t	 kernel_start, wall, clock, first, time_first, time_last, cpus_available, cpus_online,
			 host_number, clockid;
	bool		 has_clock, has_features;
	bool		 has_clockid, names_clock;	/* perf record -k was used; clockid is known */
	/* only of a CPU profile */
	struct exec_maps *maps;
	const char	*comm;		/* in `head'; NULL: unknown */
	const struct input *piece_of;	/* an earlier input with equal events and ids; NULL: none */
	/* formats of tracepoints (formats.c) */
	struct pp_ids	 formats;	/* numbers of tracepoints that change */
	const struct input *formats_of;	/* the input whose formats it has; NULL: its own, or none */
	const char	*printk;	/* in `tracing': addresses of texts, and the texts; NULL: none */
	uint32_t	 nprintk;
	/* changes to its records */
	bool		 untouched;	/* there are none */
	struct pp_ids	 ids;
	struct pid_block *block;	/* how its pids are renumbered; NULL: they are shifted */
	struct pp_rewrite rw;
	char		*prefix;
	uint64_t	 too_large;	/* records dropped because an added id makes them too large */
	uint64_t	 will_be_too_large;	/* samples that will be, by join_walk() */
	bool		 file;		/* a file that can be opened again */
	bool		 in_company;	/* its pids may collide with another recording's */
	struct feeder	*feeder;	/* state of join_feed(); NULL: not live */
};

struct jevent {			/* an event of the joined stream */
	unsigned in, from;		/* it is event `from' of input `in' */
	unsigned members;		/* as in struct in_event */
	uint64_t *ids;
	unsigned nids;
	uint32_t attr_size;
};

struct join {
	const struct tool *t;
	const struct join_options *o;
	struct input	*in;
	unsigned	 n;
	struct jevent	*ev;
	unsigned	 nev;
	struct pp_ids	 taken;		/* all ids of the joined stream */
	uint64_t	 fresh;		/* the last new id */
	bool		 identifier;	/* PERF_SAMPLE_IDENTIFIER is added to the events */
	bool		 swap;
	uint64_t	 spaces;	/* pid spaces so far: one for each host, CPU profile and input with a collision */
	struct join_formats *formats;
	struct blob	 head;
	struct pp_source *src;		/* reads `head' */
	struct out	*flush;		/* the container; NULL: unknown so far, or without flush() */
	struct pp_err	 err;
	int64_t		*offset;	/* --time-offset of each input that could be opened */
	const struct input *seen[PP_TYPE_END - PP_USER_TYPE_START];	/* the input with the first record of that type */
	const struct input *kernel;	/* the input with the last kernel map; its start, length, offset and name follow */
	uint8_t		 kernel_map[24];
	char		 kernel_name[64];
	struct lives	*lives;		/* of the live inputs; NULL: not live */
	bool		 closes;	/* too few descriptors: close suspended files */
	bool		 stopped;	/* by a collision of pids */
	int		 status;
	const struct input *last;	/* the input of the last record of join_next(); NULL: none */
	uint64_t	 place;		/* kernel records before that one */
	bool		 given_kernel;	/* that one is a kernel record */
	uint8_t		*buf;		/* of PP_REWRITE_SIZE bytes */
};

/* Get the record at offset *at of a blob of sound records and advance *at.  false: end.  *r has no payload. */
bool	 blob_next(const struct blob *, size_t *at, bool swap, struct pp_rec *);
/* Print the input's error, at most once, and set the status to 1. */
void	 join_say(struct join *, struct input *);


/*
 * open.c: open the inputs and read their heads (gather.c).  Files that are not live are suspended after that;
 * join_wake() opens such a file again and reads up to the end of its head.  1, or -1 with the reason in the input's err.
 */
void	 join_open_inputs(struct join *, char **names, int n);
int	 join_wake(struct join *, struct input *);
/* Open the input's file again, at its start.  NULL: failure, or it is another file now. */
struct pp_source *join_again(const struct join *, const struct input *, struct pp_err *);
/* Read as much of an input's head as is in memory: is it complete?  And read the heads of all inputs, waiting for data. */
bool	 join_gather(struct join *, struct input *);
void	 join_gather_all(struct join *);
/* The first string of a feature, which the caller frees; NULL: it has none. */
char	*join_feature_string(const struct pp_feature *);
/* The pp_before_refill() function of a source: flush what was put. */
int	 join_before_refill(void *input);
/* The name of the kernel's map if the record is an MMAP or MMAP2 of it, else NULL. */
const char *join_kernel_map(const struct input *, const struct pp_rec *);
/* check.c: exit 2 if the inputs cannot be joined; compute the shifts of pids and times. */
void	 join_check(struct join *);
/* The input does not have what an option needs.  Exits, for the reason why its head could not be read to the end, if there is one. */
_Noreturn void join_lacks(const struct join *, const struct input *, const char *cause);
/* pids.c: compute the shifts of pids, if there may be any; move an input to a pid space of its own (`largest': the largest pid of all inputs). */
void	 join_pids(struct join *);
bool	 join_shifts_pids(const struct join *);
void	 join_move_pids(struct join *, struct input *, uint32_t largest);
/*
 * walk.c: read the files to find collisions of pids, and move these inputs' pids, and samples that an id makes too large.  1, or -1: one
 * could not be read, as was said.
 */
int	 join_walk(struct join *);
/* Print that n records are left out because ids make them too large, and which option avoids it. */
void	 join_say_too_large(const struct join *, const struct input *, uint64_t n, const char *what);
/* Look for collisions in a record of a live input, as it is in the input; NULL: the input has ended. */
void	 join_feed(struct join *, struct input *, const struct pp_rec *);
void	 join_walk_close(struct join *);
/*
 * event.c: assign events and ids of the joined stream and, with that, the changes to records; write the HEADER_ATTR
 * records.
 */
void	 join_events(struct join *);
bool	 join_same_recording(const struct input *, const struct input *);
void	 join_attrs(struct join *);
/* Make the attr of the event's first input, of attr_size bytes, that of the joined stream. */
void	 join_rewrite_attr(const struct join *, const struct jevent *, uint8_t *attr);
/* feature.c: write the header features. */
void	 join_features(struct join *);
/* Call fn for each group in the input's GROUP_DESC. */
void	 join_groups(struct join *, struct input *, void (*fn)(struct join *, struct input *, const char *name,
	    size_t len, uint64_t leader, uint64_t members, void *arg), void *arg);
/*
 * formats.c: decide which formats of tracepoints the joined stream has, and under which numbers; exits 2 if one TRACING_DATA
 * cannot have those of all inputs.
 */
void	 join_formats(struct join *);
void	 join_formats_free(struct join *);
/* The numbers of tracepoints that change in an input; and the attr.config of one of its events in the joined stream. */
const struct pp_ids *join_numbers(const struct input *);
uint64_t join_number(const struct input *, const struct pp_event *);
/* tracing.c: write TRACING_DATA. */
void	 join_tracing(struct join *);

/* Exit 2 if a recording or a pipe is named twice. */
void	join_refuse_twice(const struct tool *, char **names, int n);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * source.h - inside of a source; only the files of this directory include it.
 *
 *	records		source.c: the next record; payload.c, expand.c, repair.c, fault.c
 *	window		window.c: bytes of the stream that are at hand, as they were read
 *	container	container.h: how records lie in the input: as one stream
 *	bytes		bytes.h: the input, a stack of layers
 *
 * Each uses only what stands below it.  Two windows show the records.  The outer one is what was read:
 *
 *	buf [ seen ........ | pos: complete records ... | a part of one ] end     cap
 *
 * window_fill() moves the part to the front and reads on behind it.  When a COMPRESSED record comes up, its bytes are expanded
 * into the inner window (expand.c), which works alike; what is left there when the record's data is used up is the beginning
 * of a record that ends in the next COMPRESSED one.
 */
#ifndef PP_SOURCE_H
#define PP_SOURCE_H

#include "bytes.h"
#include "record/event.h"
#include "record/feature.h"

struct container;

enum next {			/* what becomes of a step to the next record */
	NEXT_FAILED = -1, NEXT_END = 0, NEXT_RECORD = 1,
	NEXT_WAIT = PP_NEXT_WAIT,
	NEXT_AGAIN			/* nothing is yielded: take another step */
};

struct window {
	uint8_t		*buf;
	size_t		 cap, step;	/* step >= PP_RECORD_MAX: for one read */
	uint8_t		*own;		/* the one that is ours */
	uint8_t		*(*give)(void *);	/* pp_read_into(); NULL: our own one serves again and again */
	void		*give_arg;
	const uint8_t	*pos, *end;	/* pos: only while the inner window is in use, else it is pub.pos */
	uint64_t	 base;		/* stream position of buf[0] */
	bool		 eof;
	int		(*hook)(void *);	/* pp_before_refill() */
	void		*hook_arg;
};

struct payload {		/* of the last record */
	uint64_t	 left;		/* bytes still to come */
	uint64_t	 size, of;	/* in all; where its record stands */
	uint32_t	 type;
	struct pp_tracing *tracing;	/* what the tracing data so far say */
	size_t		 named;		/* tracepoints that they knew when events were named */
};

struct faults {			/* that the source went on behind; fault.c's */
	void		(*fn)(void *, const struct pp_err *);
	void		*arg;
	uint64_t	 n, lost;	/* how many; bytes left out for them */
	uint64_t	 reported;
	unsigned	 nearly;	/* faults before there was a function to report to; as many as fit */
	struct pp_err	*early;
	uint64_t	 newest;	/* time of the records so far, by fault_seen(); 0: none had one */
	struct pp_err	 gap;		/* the last fault, until the time is known at which records go on; else empty */
	struct pp_feature_about about;	/* what features said so far */
};

struct source {
	struct pp_source pub;		/* pos and lim belong to the window in use */
	struct pp_err	*err;
	unsigned	 flags;
	bool		 failed;
	bool		 fatal;		/* by something that could not be gone round */
	bool		 no_wait;	/* pp_next() returns PP_NEXT_WAIT where it would have to read */
	bool		 inner;		/* the inner window is in use */

	struct bytes	*in;		/* the top layer; NULL: memory, or let go of */
	struct bytes_err in_err;
	struct bytes	*follow;	/* that layer of `in'; NULL: the input does not grow */
	const struct bytes_format *format;	/* in which the input is wrapped; NULL: none, or it is unwrapped and spooled */
	uint64_t	 nread, total;	/* bytes of the input */
	uint64_t	 packed;	/* bytes of a wrapped input that was spooled; 0: nread says what was read */
	dev_t		 dev;		/* of a regular file; ino 0: it is none */
	ino_t		 ino;

	struct container *container;
	struct parts	*parts;		/* parts.c's; NULL: one file */
	struct growing	*growing;	/* growing.c's; NULL: it is no perf.data that is being written */
	const char	*name;		/* what pp_container() says */
	char		 name_text[100], warning[600];
	char		 around[48];	/* what lies, or lay, around it; behind the name */
	bool		 spooled, profile;
	char		 part[32];	/* "data.3: " while a file of a directory is read; else "" */

	struct window	 win;
	struct payload	 payload;
	struct faults	 faults;
	bool		 repair;	/* PP_OPEN_REPAIR: do not stop at the first fault */
	bool		 gave_up;	/* repair has reported how the input ends */
	struct expand	*x;		/* expand.c's; made at the first COMPRESSED record */
	struct pp_compressed compressed;
	uint64_t	 max_expand;
};

/* ---- source.c ------------------------------------------------------------------------------------- */

/* Fail at a byte of the input.  Always -1. */
int	source_fail(struct source *, uint64_t off, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same of a system call, with errno; or because there is no memory. */
int	source_fail_system(struct source *, uint64_t off);
int	source_fail_memory(struct source *, uint64_t off);
/* A layer failed: with what it says.  Always -1. */
int	source_fail_bytes(struct source *);
/* Data compressed by `what' have become so many bytes: 1, or -1 if that is a bomb. */
int	source_expanded(struct source *, const char *what, uint64_t bytes);
/* A record's name for messages. */
const char *source_type_text(uint32_t type, char buf[static 24]);

/* ---- open.c --------------------------------------------------------------------------------------- */

/* A source without bytes and container.  NULL on failure, err says why. */
struct source *source_new(const char *name, unsigned flags, struct pp_err *);
/* Does PERFILE2 stand there, as a little-endian ('l') or big-endian ('b') recorder writes it?  0: no. */
char	source_magic(const uint8_t *p);

/* ---- window.c ------------------------------------------------------------------------------------- */

/* Have at least n bytes (n <= 64 KiB) from the outer position on: 1, 0 if the input ends before, -1. */
int	window_fill(struct source *, size_t n);
/* Call the hook: bytes that were yielded are about to move. */
int	window_before_refill(struct source *);
/* Where a byte of the outer window stands in the input.  Was it made instead? */
uint64_t window_offset(const struct source *, const uint8_t *p);
bool	window_made(const struct source *, const uint8_t *p);
/* Empty the window: what is read next is the first byte of a stream. */
void	window_start(struct source *);

/* ---- payload.c ------------------------------------------------------------------------------------- */

/* This record is yielded next; its payload follows in the window. */
int	payload_begin(struct source *, const struct pp_rec *);

/* ---- fault.c --------------------------------------------------------------------------------------- */

/* Is the feature of a form that perf takes?  1, 0: it must be left out, which was reported. */
int	fault_feature(struct source *, uint64_t number, const uint8_t *p, size_t len, uint64_t off);
/* Count a fault that the source goes on behind, and report it; after a hundred they are only counted. */
void	fault_report(struct source *, const struct pp_err *);
/* The same with a text of its own: "RECORD: cause; what became of it". */
void	fault_note(struct source *, uint64_t off, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* So many bytes are left out. */
void	fault_lost(struct source *, uint64_t bytes);
/* As fault_report(), with the time that is lost: it waits for the next record that has one. */
void	fault_gap(struct source *, const struct pp_err *);
/* This record goes out. */
void	fault_seen(struct source *, const struct pp_rec *);
/* No record goes out any more: report what was not reported yet. */
void	fault_end(struct source *);

/* ---- repair.c; most of it does nothing without PP_OPEN_REPAIR ---------------------------------------- */

/* Report a fault, and how many bytes are left out for it. */
void	repair_note(struct source *, uint64_t off, uint64_t lost, const char *fmt, ...)
	    __attribute__((format(printf, 4, 5)));
/* Turn the failure that just happened into a note: true; false: it stays one. */
bool	repair_forgive(struct source *, uint64_t lost);
/* A sound record by pp_check(): does it fit into the stream?  1, or -1 with the text in the source's err. */
int	repair_check(struct source *, const struct pp_rec *);
/* The same for an expanded record; `left' bytes are at hand from it on. */
int	repair_check_inner(struct source *, const struct pp_rec *, size_t left);
/* The outer window could not yield the record at its position: step over what is bad.  NEXT_AGAIN, or NEXT_FAILED. */
int	repair_outer(struct source *);
/* The same for expanded records; how many bytes of the n at p to leave out. */
size_t	repair_inner(struct source *, const uint8_t *p, size_t n);
/* Does what stands at p look like the start of a chain of records?  `last': nothing comes behind n. */
bool	repair_plausible(const struct source *, const uint8_t *p, size_t n, bool last);

/* ---- growing.c; nothing without s->growing ------------------------------------------------------------ */

/* No record stands at the outer position: is that what perf writes behind the data?  1: so it is the end, 0, -1. */
int	growing_settle(struct source *);
/* Of so many bytes in the window: how many are data. */
size_t	growing_clip(struct source *, size_t have);

/* ---- expand.c --------------------------------------------------------------------------------------- */

/* The input ends amid a record at p, the last there is: open the inner window on the part of a COMPRESSED.  1, 0, -1. */
int	expand_part(struct source *, const uint8_t *p);
/* The zstd stream lost some of its bytes: expand no more until a new one begins. */
void	expand_break(struct source *);
/* Forget all, for a new zstd stream. */
void	expand_reset(struct source *);
/* A COMPRESSED or COMPRESSED2 record stands at the outer position: step over it and open the inner window.  1, or -1. */
int	expand_begin(struct source *, const struct pp_rec *);
/* The next record of the inner window; NEXT_AGAIN: none is complete, the outer window is in use again. */
int	expand_next(struct source *, struct pp_rec *);
/* End of the input: NEXT_END, NEXT_AGAIN: repair has found more to look at, NEXT_FAILED if it ends inside an expanded record. */
int	expand_end(struct source *);
/* Of the COMPRESSED record in use: can more be expanded without reading?  Is all of it? */
bool	expand_pending(const struct source *);
bool	expand_used_up(const struct source *);
/* Does this view lie in the inner window? */
bool	expand_has(const struct source *, const uint8_t *);
uint64_t expand_offset(const struct source *);
void	expand_free(struct source *);

#endif

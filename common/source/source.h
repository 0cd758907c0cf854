/* SPDX-License-Identifier: ISC */
/*
 * source.h - the parts of a source; for the files of this directory only
 *
 *	records		source.c: the next record; payload.c, expand.c, repair.c, fault.c; piece.c: some of the SAMPLEs
 *	window		window.c: bytes of the stream in memory, as they were read
 *	container	container.h: the records of the input as one stream
 *	bytes		bytes.h: the input, a stack of layers
 *
 * Each uses only those below it.  The records are in one of two windows.  The outer window has the stream:
 *
 *	buf [ yielded ..... | pos: complete records ... | a part of one ] end     cap
 *
 * window_fill() moves the part to the front and reads behind it.  The bytes of a COMPRESSED record are expanded into the inner
 * window (expand.c), which works in the same way; the part of a record that is left at the end of a COMPRESSED record is
 * completed by the next one.
 *
 * Functions that return int return 1, or -1 with the reason in the source's err, unless stated otherwise.
 */
#ifndef PP_SOURCE_H
#define PP_SOURCE_H

#include "bytes.h"
#include "record/event.h"
#include "record/feature.h"

struct container;

enum next {			/* the result of a step to the next record */
	NEXT_FAILED = -1, NEXT_END = 0, NEXT_RECORD = 1,
	NEXT_WAIT = PP_NEXT_WAIT,
	NEXT_AGAIN			/* no record yet: take another step */
};

struct window {
	uint8_t		*buf;
	size_t		 cap, step;	/* step >= PP_RECORD_MAX: bytes of one read */
	uint8_t		*own;		/* the source's own buffer */
	uint8_t		*(*give)(void *);	/* pp_read_into(); NULL: use `own' */
	void		*give_arg;
	const uint8_t	*pos, *end;	/* pos: valid only while the inner window is in use; else pub.pos */
	uint64_t	 base;		/* offset of buf[0] in the stream */
	bool		 eof;
	int		(*hook)(void *);	/* pp_before_refill() */
	void		*hook_arg;
};

struct payload {		/* of the last record */
	uint64_t	 left;		/* bytes not read yet */
	uint64_t	 size, of;	/* all its bytes; offset of its record */
	uint32_t	 type;
	const uint8_t	*held;		/* it is here (hold.c); NULL: in the window */
	struct pp_tracing *tracing;	/* names of tracepoints found so far */
	size_t		 named;		/* number of names when the events were last named */
};

struct faults {			/* faults that did not end the source; private to fault.c */
	void		(*fn)(void *, const struct pp_err *);
	void		*arg;
	uint64_t	 n, lost;	/* number of faults; bytes left out */
	uint64_t	 reported;
	unsigned	 nearly;	/* faults before pp_on_fault(); as many as `early' has */
	struct pp_err	*early;
	uint64_t	 newest;	/* the largest time of records so far, ns; 0: none */
	struct pp_err	 gap;		/* a fault that waits for the time of the next record; else empty */
	struct pp_feature_about about;	/* facts from header features */
};

struct source {
	struct pp_source pub;		/* pos and lim belong to the window in use */
	struct pp_err	*err;
	unsigned	 flags;
	bool		 failed;
	bool		 fatal;		/* failed beyond repair */
	bool		 no_wait;	/* pp_next() returns PP_NEXT_WAIT instead of reading */
	bool		 inner;		/* the inner window is in use */

	struct bytes	*in;		/* the top layer; NULL: memory, or suspended */
	struct bytes_err in_err;
	struct bytes	*follow;	/* that layer of `in'; NULL: the input does not grow */
	const struct pp_told *told;	/* told.h; NULL: its writer says nothing */
	struct pp_spare	*spare;		/* for a spool; NULL: a file is opened when it is needed */
	struct pp_spare	*own_spare;	/* the same, if the source owns it */
	const struct bytes_format *format;	/* compression of the whole input; NULL: none, or it is a decompressed spool */
	uint64_t	 nread, total;	/* bytes of the input: read, and in all */
	uint64_t	 packed;	/* compressed bytes of a spooled input; 0: not spooled */
	dev_t		 dev;		/* of a regular file; ino 0: it is none */
	ino_t		 ino;

	struct container *container;
	struct parts	*parts;		/* of a directory, private to parts.c; else NULL */
	struct growing	*growing;	/* of a perf.data that is being written, private to growing.c; else NULL */
	const char	*name;		/* the result of pp_container() */
	char		 name_text[100], warning[600];
	char		 around[48];	/* compression of the input, appended to the name */
	bool		 spooled, profile;
	char		 part[32];	/* "data.3: " in that file of a directory; else "" */
	uint32_t	 file;		/* of a directory: 0 in `data', N + 1 in data.N; else 0 */
	uint64_t	 file_end;	/* where the records of the last file that was read to its end, ended in it */

	struct window	 win;
	struct payload	 payload;
	struct faults	 faults;
	struct hold	*hold;		/* private to hold.c; NULL: there was no TRACING_DATA to hold */
	struct leave	*leave;		/* private to leave_out.c; NULL: all is read */
	struct piece	*piece;		/* private to piece.c; NULL: all SAMPLEs */
	void		(*absent)(void *arg, uint64_t first, uint64_t last);	/* pp_when_absent() */
	void		*absent_arg;
	const struct pp_watch *watch;	/* watch.h; NULL: nobody watches */
	bool		 watched;	/* it is a pipe-mode stream, whose bytes are shown */
	bool		 repair;	/* PP_OPEN_REPAIR: do not stop at the first fault */
	struct pp_err	 ahead;		/* repair: why no more could be read ahead; it is told when that is needed */
	bool		 ahead_fatal;
	uint64_t	 near, far;	/* repair: the last time that is believed, 0: none; one that was not */
	bool		 gave_up;	/* repair has reported how the input ends */
	struct expand	*x;		/* private to expand.c; made at the first COMPRESSED record */
	struct pp_compressed compressed;
	uint64_t	 max_expand;
};

/* ---- source.c ------------------------------------------------------------------------------------- */

/* Set the error, at an offset of the input.  Always -1. */
int	source_fail(struct source *, uint64_t off, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same for a system call, with errno; and for a lack of memory. */
int	source_fail_system(struct source *, uint64_t off);
int	source_fail_memory(struct source *, uint64_t off);
/* The same with the error of a layer. */
int	source_fail_bytes(struct source *);
/* May so many bytes expand to so many?  Not if that exceeds max_expand. */
bool	source_may_expand(const struct source *, uint64_t from, uint64_t bytes);
/* `what' has decompressed so many bytes so far: -1 if they may not be so many. */
int	source_expanded(struct source *, const char *what, uint64_t bytes);
/* The name of a record type, for messages. */
const char *source_type_text(uint32_t type, char buf[static 24]);
/* Is the record sound, by itself?  1, or -1. */
int	source_judge(struct source *, const struct pp_rec *);
/* May this sound feature be yielded?  If not, this has been reported. */
bool	source_feature(struct source *, const struct pp_rec *);
/* pp_next() of all records. */
int	source_next(struct source *, struct pp_rec *);

/* ---- piece.c -------------------------------------------------------------------------------------- */

/* pp_next() of those of the piece. */
int	piece_next(struct source *, struct pp_rec *);

/* ---- leave_out.c; only with s->leave --------------------------------------------------------------- */

/* The `read' of the container, with what comes instead; have: bytes in the window that are of no complete record. */
ssize_t	leave_read(struct source *, uint8_t *p, size_t n, size_t have);
/* Its `place'. */
uint64_t leave_place(const struct source *, uint64_t at, bool *made);
/* A PP_LEFT_OUT record: is it one of those that come instead?  Then it is done with. */
bool	leave_take(struct source *, const struct pp_rec *);
/* Another file of a directory begins; also without s->leave. */
void	leave_file(struct source *);

/* ---- open.c --------------------------------------------------------------------------------------- */

/* A source without bytes and container.  NULL on failure. */
struct source *source_new(const char *name, unsigned flags, struct pp_err *);
/* Are these 8 bytes PERFILE2, as written on a little-endian ('l') or big-endian ('b') machine?  0: no. */
char	source_magic(const uint8_t *p);

/* ---- watch.c -------------------------------------------------------------------------------------- */

/* Before a read of the top layer.  1; -1: failed, the error has no text. */
int	watch_wait(struct source *);
/* The container is a pipe-mode stream: show its n bytes that have been read. */
int	watch_begin(struct source *, const uint8_t *p, size_t n);
/* Show the next n bytes if it is. */
int	watch_took(struct source *, const uint8_t *p, size_t n);

/* ---- window.c ------------------------------------------------------------------------------------- */

/* Have at least n bytes (n <= 64 KiB) from the outer position on.  1; 0: the input ends before that; or -1. */
int	window_fill(struct source *, size_t n);
/* The same, for a look ahead in the outer window: bytes that cannot be read fail when they are needed.  1, or -1: out of memory. */
int	window_ahead(struct source *, size_t n);
/* Call the pp_before_refill() function: yielded bytes are about to move. */
int	window_before_refill(struct source *);
/* The offset in the input of a byte of the outer window; and whether it was made instead. */
uint64_t window_offset(const struct source *, const uint8_t *p);
bool	window_made(const struct source *, const uint8_t *p);
/* Empty the window: the next byte read is the first of a stream. */
void	window_start(struct source *);

/* ---- payload.c ------------------------------------------------------------------------------------- */

/* The record is yielded next, and its payload follows in the window. */
int	payload_begin(struct source *, const struct pp_rec *);
/* The same of a payload that is at p; what it says of tracepoints is known. */
void	payload_held(struct source *, const struct pp_rec *, const uint8_t *p);

/* ---- hold.c ---------------------------------------------------------------------------------------- */

/*
 * How much of so many bytes, which t has read, of TRACING_DATA at that offset perf reads in a stream; if there are more, that is
 * reported and counted.  0: it would stop there, and it is reported that all are left out.
 */
uint64_t hold_verdict(struct source *, const struct pp_tracing *t, uint64_t size, uint64_t off);
/* A sound TRACING_DATA is at the outer position.  NEXT_RECORD: it is yielded as it is; NEXT_AGAIN: go on; NEXT_FAILED. */
int	hold_begin(struct source *, const struct pp_rec *);
/* Is one held of which more is to be read?  Then hold_next() is the next step: an enum next. */
bool	hold_open(const struct source *);
int	hold_next(struct source *, struct pp_rec *);
/* What was held and yielded is not needed any more.  1, or -1. */
int	hold_done(struct source *);
/* Is this address in the record that is held?  *off: its offset in the input. */
bool	hold_has(const struct source *, const uint8_t *, uint64_t *off);
void	hold_free(struct source *);

/* ---- fault.c --------------------------------------------------------------------------------------- */

/* Does perf accept the feature?  1; 0: it must be left out, and this has been reported. */
int	fault_feature(struct source *, uint64_t number, const uint8_t *p, size_t len, uint64_t off);
/* The same with a text, "RECORD: cause; consequence". */
void	fault_note(struct source *, uint64_t off, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Count bytes that are left out. */
void	fault_lost(struct source *, uint64_t bytes);
/* Report a fault with the period of time that is missing: the report waits for the next record with a time. */
void	fault_gap(struct source *, const struct pp_err *);
/* The record is about to be yielded. */
void	fault_seen(struct source *, const struct pp_rec *);
/* No more records: report what has not been reported. */
void	fault_end(struct source *);

/* ---- repair.c; most of it does nothing without PP_OPEN_REPAIR ---------------------------------------- */

/* Report a fault and the number of bytes left out. */
void	repair_note(struct source *, uint64_t off, uint64_t lost, const char *fmt, ...)
	    __attribute__((format(printf, 4, 5)));
/* If repair can continue after the failure, report it, clear it and return true. */
bool	repair_forgive(struct source *, uint64_t lost);
/* A record that passed pp_check(): is it plausible in this stream? */
int	repair_check(struct source *, const struct pp_rec *);
/* The same for an expanded record; `left': bytes of the inner window from it on. */
int	repair_check_inner(struct source *, const struct pp_rec *, size_t left);
/* A record of that time is about to be yielded. */
void	repair_seen(struct source *, uint64_t time);
/* Skip bad bytes at the position of the outer window.  NEXT_AGAIN, or NEXT_FAILED. */
int	repair_outer(struct source *);
/* The number of bad bytes at p in the inner window, of the n there. */
size_t	repair_inner(struct source *, const uint8_t *p, size_t n);
/* Do the bytes at p look like a chain of records?  last: the n bytes are the last. */
bool	repair_plausible(const struct source *, const uint8_t *p, size_t n, bool last);

/* ---- growing.c; nothing without s->growing ------------------------------------------------------------ */

/* Is the header at p, at the outer position, rather the first entry of the feature table than that of a record? */
bool	growing_at_table(const struct source *, const uint8_t *p);
/*
 * There is no record at the outer position: are these bytes what perf writes behind the data section?  1: yes, the data ends
 * here; 0: no; -1.
 */
int	growing_settle(struct source *);
/* Of so many bytes in the window: the number that belong to the data section. */
size_t	growing_clip(struct source *, size_t have);

/* ---- expand.c --------------------------------------------------------------------------------------- */

/* The input ends inside the record at p: if it is COMPRESSED, open the inner window on what is present.  1; 0: it is not; -1. */
int	expand_part(struct source *, const uint8_t *p);
/* Bytes of the zstd stream are missing: expand nothing until another zstd stream begins. */
void	expand_break(struct source *);
/* A new zstd stream begins: forget the state of the last. */
void	expand_reset(struct source *);
/* Step over the COMPRESSED or COMPRESSED2 record at the outer position, and open the inner window on it. */
int	expand_begin(struct source *, const struct pp_rec *);
/* The next record of the inner window.  enum next; NEXT_AGAIN: it has no complete record, the outer window is in use again. */
int	expand_next(struct source *, struct pp_rec *);
/* The input has ended.  NEXT_END; NEXT_AGAIN: repair has found more records; NEXT_FAILED: it ends inside an expanded record. */
int	expand_end(struct source *);
/* Has the current COMPRESSED record more bytes to expand without reading?  Have all its bytes been expanded and yielded? */
bool	expand_pending(const struct source *);
bool	expand_used_up(const struct source *);
/* Is the position of the outer window between two zstd frames, or is there none? */
bool	expand_between(const struct source *);
/* Is the record, just yielded by the inner window, the first of a frame and of its COMPRESSED record? */
bool	expand_is_first(const struct source *, const uint8_t *);
/* Is this address in the inner window? */
bool	expand_has(const struct source *, const uint8_t *);
uint64_t expand_offset(const struct source *);
void	expand_free(struct source *);

#endif

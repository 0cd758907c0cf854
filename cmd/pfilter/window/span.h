/* SPDX-License-Identifier: ISC */
/*
 * span.h - --span: from a sample for which BEGIN is true to the next with the same key for which END is, unless CANCEL is true in between
 *
 *	span.c		which spans are open, and how long each is
 *	span_order.c	these by the time of their begin
 *	span_key.c	the values of KEY in samples
 *	span_text.c	the argument of the option; span.def has a row for each name
 *
 * Without --span-period a span is kept as soon as it is known to be long enough.  With it, it is kept when it ends: no record behind the
 * first sample of an open span has its turn before that (span_until()).
 */
#ifndef PFILTER_SPAN_H
#define PFILTER_SPAN_H

#include "window/cut.h"
#include "window/in.h"
#include "window/length.h"

enum { SPAN_KEYS = 2, SPAN_WAYS = 2, SPANS_OPEN = 1 << 20 };
enum span_part { SPAN_BEGIN, SPAN_END, SPAN_CANCEL, SPAN_PARTS };

struct span_place {		/* of a key in the samples of an event */
	bool		 known, is_task;	/* is_task: it is the number of a thread */
	const struct field *field;	/* which of the fields that it can be */
	struct field_place at;
};
struct span_field {		/* one that key number `key' can be, in samples for which that part is true: the first that they have */
	const struct field *f;
	struct field	*payload;	/* the same, if it is one of payloads; freed with the span */
	uint8_t		 key, part;
};
struct span_counts {
	uint64_t	 begun, kept;
	uint64_t	 unended;	/* open at the end of the input; some are kept */
	uint64_t	 replaced;	/* ended by another BEGIN; some are kept */
	uint64_t	 unbegun;	/* END without BEGIN */
	uint64_t	 uncertain;	/* kept, but for --span-sure, but records were lost between both ends, or one of these was late */
	uint64_t	 forgotten;	/* over SPANS_OPEN; or its length was not known when its sample had to have its turn */
	uint64_t	 exited;	/* its thread ended, or another one got its number; some are kept */
	uint64_t	 canceled;	/* by CANCEL; some are kept */
	uint64_t	 cut;		/* not measured: samples of another piece may be in it */
	uint64_t	 repeated;	/* BEGIN within a span that has CANCEL: it changes nothing */
};

struct open_span {		/* the others are found by numbers, 0 is none */
	uint64_t	 key[SPAN_KEYS];
	uint64_t	 begin, nr;	/* time and number of the first record */
	uint32_t	 shared;	/* key of `cover' */
	uint32_t	 cpu;
	uint32_t	 next;		/* in its slot, or of the free ones */
	uint32_t	 up, left, right;	/* a tree: those to the left began before, those to the right at the same time or later */
	uint32_t	 tid;		/* if is_task */
	uint16_t	 priority;	/* in the tree */
	uint8_t		 minus;		/* bit i: key[i] is negative */
	bool		 kept : 1;	/* it is long enough already */
	bool		 late : 1;	/* an end of it was (struct look) */
	bool		 cut : 1;	/* its key may have begun in an earlier piece (cut.h) */
	bool		 is_task : 1;	/* KEY has the number of a thread */
};
struct span {
	struct expr	*part[SPAN_PARTS];	/* NULL: CANCEL is never true */
	bool		 cancels;	/* there is a CANCEL, or an empty one: a second BEGIN changes nothing */
	struct span_field field[SPAN_PARTS * SPAN_KEYS * SPAN_WAYS];
	unsigned	 nfields, nkeys;
	struct span_place *place[SPAN_KEYS][SPAN_PARTS];	/* by key, part, and index of the event */
	uint64_t	 longer, shorter;
	bool		 has_longer, has_shorter;
	bool		 within;	/* --span-with: samples between both ends are kept, too, ... */
	enum window_key	 with;		/* ... if they have the same tid or CPU as the first sample; or ALL */
	struct cover	 cover;		/* of spans that are kept, if `within' */
	struct span_counts n;
	uint64_t	 last;		/* time of the last record */
	const struct span_measure *measure;
	struct lengths	*lengths;	/* of all --span, if they are measured */
	const struct cut *cut;		/* of all --span */
	struct cut_keys	 known;
	uint64_t	 rejected;	/* samples that pp_arrival_forget() had */

	struct open_span *open;		/* [0] is not used */
	uint32_t	*slot;		/* a hash table of them */
	unsigned	 bits;
	uint64_t	 mul;		/* random: a recording cannot choose its collisions */
	uint32_t	 nopen, used, free;
	uint32_t	 root;		/* of their tree */
	uint32_t	 oldest, newest, due;	/* due: the oldest that is not known to be long enough, or (`measure') too long */

	uint64_t	*lost;		/* by CPU: time of its last loss */
	size_t		 nlost;
	uint64_t	 lost_any;	/* of a loss without CPU */
	struct span	*next;
};

/* Parse the argument of --span.  An error exits 2. */
void	span_parse(struct span *, const struct tool *, const char *text);
void	span_start(struct span *);
/* Call it when ids, names or formats of events may have changed: the places of keys are looked up again. */
void	span_forget_places(struct span *);
/* After all events are known: a key that none has exits 2; with --span-task one that is no thread, too. */
void	span_bind(struct span *, const struct tool *, const struct field_stream *);
/* The key of a sample for which that part is true.  1, 0: it lacks a field, or -1: it is malformed. */
int	span_key(struct span *, enum span_part, const struct look *, struct open_span *, struct pp_err *);
/* Put an open span into the order of begins, and take it out; the next in this order, 0: none. */
void	span_order(struct span *, uint32_t);
void	span_unorder(struct span *, uint32_t);
uint32_t span_newer(const struct span *, uint32_t);
/* A record of that time has arrived: mark the open spans that are now known to be long enough. */
void	span_pass(struct span *, struct pp_arrival *, uint64_t time);
/*
 * A sample, after span_pass(); `nr': its number for pp_arrival_mark().  0: no part is true; -1: it is malformed; else SPAN_MATTERS, with
 * SPAN_BEGUN and SPAN_ENDED if it did that to a span.
 */
enum { SPAN_MATTERS = 1, SPAN_BEGUN = 2, SPAN_ENDED = 4 };
int	span_look(struct span *, struct pp_arrival *, const struct look *, uint64_t nr, struct pp_err *);
/* Records of this CPU, or (`known' false) of any, were lost. */
void	span_lost(struct span *, bool known, uint32_t cpu, uint64_t time);
/* The record, which is looked at, says that a thread with this number ends or begins. */
void	span_task_over(struct span *, struct pp_arrival *, const struct look *, uint32_t tid);
/* pp_arrival_user.until, .passes. */
uint64_t span_until(const struct span *);
void	span_passes(struct span *, struct pp_arrival *, const struct look *, uint64_t time);
/* The end of the input. */
void	span_finish(struct span *);
/* The counts, for --stats and -v. */
void	span_stats(const struct span *, bool json, FILE *);
/* How long before its verdict a record must wait. */
uint64_t span_ahead(const struct span *);
/* KEPT, NOT_SPAN or LACKS_FIELD for a record with a time. */
int	span_match(const struct span *, const struct look *, bool marked);
void	span_free(struct span *);

#endif

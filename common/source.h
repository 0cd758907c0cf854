/* SPDX-License-Identifier: ISC */
/*
 * source.h - inside of a source; only source*.c and expand.c include it.
 *
 * A source reads a list of segments one after the other, as if they were one pipe stream:
 *
 *	pipe stream	[ descriptor, to its end ]
 *	perf.data	[ synthesised head ][ tracing data ][ data section ]
 *
 * Two windows show the records.  The outer one is what was read:
 *
 *	buf [ seen ........ | pos: complete records ... | a part of one ] oend     cap
 *
 * fill() moves the part to the front and reads on behind it.  When a COMPRESSED record comes up, its bytes
 * are expanded into the inner window, which works alike; what is left there when the record's data is used
 * up is the beginning of a record that ends in the next COMPRESSED one.
 */
#ifndef PP_SOURCE_H
#define PP_SOURCE_H

#include <sys/types.h>

#include "perfpipe.h"

enum { PP_READ_SIZE = 256 << 10 };	/* what one read(2) asks for: fits the second-level cache */

struct segment {
	const uint8_t	*mem;		/* bytes in memory, or NULL: read them from the descriptor */
	uint64_t	 off, len;	/* where in the input; len UINT64_MAX: to its end, without seeking */
};

struct source {
	struct pp_source pub;		/* pos and lim belong to the window in use */
	struct pp_err	*err;
	int		 fd;
	unsigned	 flags;
	dev_t		 dev;		/* of a regular file; ino 0: it is none */
	ino_t		 ino;
	bool		 failed, eof;
	const char	*container;
	char		 warning[200];

	uint8_t		*buf;		/* outer window */
	size_t		 cap;
	const uint8_t	*opos, *oend;	/* opos: only while the inner window is in use */
	uint64_t	 base;		/* stream position of buf[0] */
	uint64_t	 payload;	/* bytes of the last record's payload still to come */
	uint32_t	 payload_type;
	uint64_t	 payload_size, payload_of;	/* in all; where its record stands */

	struct segment	 seg[4];
	unsigned	 nseg, cur;
	uint64_t	 cur_done;	/* bytes of seg[cur] already read */
	uint8_t		*head;		/* the synthesised records of a seekable file */

	struct expand	*x;		/* made at the first COMPRESSED record */
	bool		 inner;		/* the inner window is in use */
	struct pp_compressed compressed;
	struct pp_tracing *tracing;
	size_t		 tracing_named;	/* tracepoints that it knew when events were named */

	int		(*hook)(void *);
	void		*hook_arg;
	uint64_t	 nread, total;
};

/* Fail at a byte of the input.  Always -1. */
int	source_fail(struct source *, uint64_t off, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Where a byte of the outer window stands in the input. */
uint64_t source_offset(const struct source *, const uint8_t *p);
/* Call the hook: bytes that were yielded are about to move. */
int	source_before_refill(struct source *);
/* Have at least n bytes (n <= 64 KiB) from the outer position on: 1, 0 if the input ends before, -1. */
int	source_fill(struct source *, size_t n);

/* source_file.c: take a seekable perf.data apart, whose first 16 bytes were seen, and set the segments. */
int	source_file_open(struct source *);

/* expand.c */
/* A COMPRESSED or COMPRESSED2 record stands at the outer position: step over it and open the inner window. */
int	expand_begin(struct source *, const struct pp_rec *);
/* The next record of the inner window: 1; 0: none is complete, the outer window is in use again; -1. */
int	expand_next(struct source *, struct pp_rec *);
/* End of the input: -1 if it ends inside an expanded record. */
int	expand_end(struct source *);
/* Does this view lie in the inner window? */
bool	expand_has(const struct source *, const uint8_t *);
uint64_t expand_offset(const struct source *);
void	expand_free(struct source *);

#endif

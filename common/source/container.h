/* SPDX-License-Identifier: ISC */
/*
 * container.h - how the records of a recording lie in its bytes: each kind shows them as one stream of bytes
 *
 *	pipe stream	[ all that is behind the pipe header ]
 *	perf.data	[ records made of its header ][ tracing data ][ data section ]
 *	directory	the same of its file `data', then [ data.0 ], [ data.1 ] ...
 *	CPU profile	[ records made of it ]
 *	memory		[ records ]
 *
 * A container is a struct whose first member is a struct container, and these functions.
 */
#ifndef PP_CONTAINER_H
#define PP_CONTAINER_H

#include "source.h"

struct container_kind {
	/* Up to n >= PP_RECORD_MAX bytes of the stream: how many, 0 at the end, -1.  Adds to nread the bytes of the input. */
	ssize_t	(*read)(struct source *, uint8_t *p, size_t n);
	/* Where in the input stands the byte that is `at' in the stream?  *made: nowhere, it was made. */
	uint64_t (*place)(const struct container *, uint64_t at, bool *made);
	/* How many bytes read() has still to give, as far as the input says. */
	uint64_t (*left)(const struct source *);
	/* read() gave 0: is that the end that the input promised?  1, or -1.  NULL: it promised none. */
	int	(*whole)(struct source *);
	/* All records were taken: NEXT_AGAIN: there is one more stream, NEXT_END, NEXT_FAILED.  NULL: there is none. */
	int	(*more)(struct source *);
	/* Bytes of payload behind a record that was made; NULL: as pp_payload_size(). */
	uint64_t (*payload)(const struct source *, const struct pp_rec *);
	void	(*close)(struct container *);
};
struct container {
	const struct container_kind *kind;
};

/* Put c into the place of the source's container, which is closed. */
void	container_set(struct source *, struct container *c);

/* ---- stream.c ------------------------------------------------------------------------------------ */

/* All bytes of the input, as they come.  1, or -1. */
int	stream_open(struct source *);

/* ---- segments.c: a stream that is put together of parts of the input, and of bytes that were made ---- */

struct segment {
	struct bytes	*in;
	uint64_t	 off, len;	/* where in the input; of bytes that were made: what they stand for, and how many */
	bool		 made;
};
struct segments {
	struct container pub;
	struct segment	 s[4];
	unsigned	 n, cur;
	uint64_t	 done;		/* bytes of s[cur] that were read */
	/* The input ends for now, a segment does not: NEXT_AGAIN: read again, NEXT_END, NEXT_FAILED.  NULL: it never grows. */
	int		(*wait)(struct source *);
};

/* The functions of such a container. */
ssize_t	 segments_read(struct source *, uint8_t *p, size_t n);
uint64_t segments_place(const struct container *, uint64_t at, bool *made);
uint64_t segments_left(const struct source *);
int	 segments_whole(struct source *);

/* ---- the others ---------------------------------------------------------------------------------- */

/* file.c: a seekable perf.data, whose first 16 bytes were seen.  1, or -1. */
int	file_open(struct source *);
/* A perf.data that was being written is finished: its stream is now the records of its features.  1, or -1. */
int	file_tail(struct source *);

/* growing.c: a perf.data that is still being written, or copied. */
/* Its header has no size of data yet; *size becomes what is known of it.  1, or -1. */
int	growing_open(struct source *, uint64_t off, uint64_t *size);
/* segments.wait */
int	growing_wait(struct source *);
/* container_kind.more */
int	growing_more(struct source *);

/* cpuprofile.c */
/* Do 16 bytes look like the start of a gperftools CPU profile? */
bool	is_cpuprofile(const uint8_t p[static 16]);
/* Find its parts.  1, or -1. */
int	cpuprofile_open(struct source *);

/* parts.c: the files of a directory.  The container is that of the file `data' first, then one for each other file. */
/* The source's input becomes the file `data' of the directory fd, which is closed.  1, or -1. */
int	parts_open(struct source *, int fd, struct stat *);
/* The header of `data' was read: does it want the other files?  1, or -1: it is of no version that we know. */
int	parts_version(struct source *, uint64_t version);
/* container_kind.more */
int	parts_more(struct source *);
void	parts_free(struct source *);

#endif

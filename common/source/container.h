/* SPDX-License-Identifier: ISC */
/*
 * container.h - how the records of a recording lie in the bytes of an input; each container presents them as one stream of
 * bytes
 *
 *	pipe stream	[ all bytes behind the pipe header ]
 *	perf.data	[ records made of its header ][ tracing data ][ data section ]
 *	directory	the same of its file `data', then [ data.0 ], [ data.1 ] ...
 *	CPU profile	[ records made of it ]
 *	memory		[ records ]
 *
 * A container is a struct whose first member is a struct container, and the functions of a struct container_kind.  A new kind
 * is a file with them; open_container() in open.c recognises it by the first 16 bytes of the input.
 */
#ifndef PP_CONTAINER_H
#define PP_CONTAINER_H

#include "source.h"

struct container_kind {
	/*
	 * Read up to n >= PP_RECORD_MAX bytes of the stream.  The number of bytes; 0: end; -1.  Adds the bytes of the input to
	 * nread.
	 */
	ssize_t	(*read)(struct source *, uint8_t *p, size_t n);
	/*
	 * The offset in the input of the byte at offset `at' of the stream.  *made, which is false before: the byte is not in the input,
	 * it was made.
	 */
	uint64_t (*place)(const struct container *, uint64_t at, bool *made);
	bool	 plain;			/* place() is `at' for all bytes, and none was made */
	/* The number of bytes that read() has not returned yet, as far as the input says. */
	uint64_t (*left)(const struct source *);
	/* read() returned 0: did the input end where it says it ends?  1, or -1.  NULL: the input does not say. */
	int	(*whole)(struct source *);
	/* All records were read.  NEXT_AGAIN: another stream follows; NEXT_END; NEXT_FAILED.  NULL: NEXT_END. */
	int	(*more)(struct source *);
	/* Bytes of payload behind a record that was made; NULL: pp_payload_size(). */
	uint64_t (*payload)(const struct source *, const struct pp_rec *);
	/*
	 * For leave_out.c.  NULL: its records have no places in a file.  Is the next byte to be read one of those that have?  *off: its
	 * offset in the file.  skip(): step over n bytes from there on; false: there are fewer.  back(): step back, over bytes that
	 * read() returned last; NULL: there never are any.
	 */
	bool	(*at)(const struct container *, uint64_t *off);
	bool	(*skip)(struct source *, uint64_t n);
	void	(*back)(struct source *, uint64_t n);
	void	(*close)(struct container *);
};
struct container {
	const struct container_kind *kind;
};

/* Close the source's container, and replace it by c. */
void	container_set(struct source *, struct container *c);

/* ---- stream.c ------------------------------------------------------------------------------------ */

/* The container of a pipe stream: all bytes of the input.  1, or -1. */
int	stream_open(struct source *);

/* ---- segments.c: a stream composed of parts of the input and of bytes that were made ----------------- */

struct segment {
	struct bytes	*in;
	uint64_t	 off, len;	/* in the input; of made bytes: the offset that they stand for, and their number */
	bool		 made;
};
struct segments {
	struct container pub;
	struct segment	 s[4];
	unsigned	 n, cur;
	uint64_t	 done;		/* bytes read of s[cur] */
	/* The input ends at present, inside a segment.  NEXT_AGAIN: read again; NEXT_END; NEXT_FAILED.  NULL: it cannot grow. */
	int		(*wait)(struct source *);
};

/* The functions of such a container_kind. */
ssize_t	 segments_read(struct source *, uint8_t *p, size_t n);
uint64_t segments_place(const struct container *, uint64_t at, bool *made);
uint64_t segments_left(const struct source *);
int	 segments_whole(struct source *);
bool	 segments_at(const struct container *, uint64_t *off);
bool	 segments_skip(struct source *, uint64_t n);

/* ---- the others ---------------------------------------------------------------------------------- */

/* file.c: a seekable perf.data; its first 16 bytes have been read.  1, or -1. */
int	file_open(struct source *);
/* A perf.data that was being written is complete: the stream continues with the records of its features.  1, or -1. */
int	file_tail(struct source *);

/* growing.c: a perf.data that is being written, or copied. */
/* Its header has no size of the data section yet; *size: the size known so far.  1, or -1. */
int	growing_open(struct source *, uint64_t off, uint64_t *size);
/* the `wait' of its struct segments */
int	growing_wait(struct source *);
/* the `more' of its struct container_kind */
int	growing_more(struct source *);

/* cpuprofile.c */
/* Are these 16 bytes the start of a gperftools CPU profile? */
bool	is_cpuprofile(const uint8_t p[static 16]);
/* The container of a CPU profile.  1, or -1. */
int	cpuprofile_open(struct source *);

/* parts.c: the files of a directory.  The source has the container of the file `data' first, then one for each data.N. */
/* Make the file `data' of directory fd the input of the source.  fd is closed.  1, or -1. */
int	parts_open(struct source *, int fd, struct stat *);
/* The version in the header of `data': does the recording have other files?  1; or -1: an unknown version. */
int	parts_version(struct source *, uint64_t version);
/* the `more' of its struct container_kind */
int	parts_more(struct source *);
/* pp_raw_size() and one read of pp_raw_at(), of a file of the directory */
int64_t	parts_raw_size(struct source *, uint32_t file);
ssize_t	parts_raw_at(struct source *, uint32_t file, uint64_t off, uint8_t *p, size_t n);
void	parts_free(struct source *);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * source.h - inside of a source; only the files of this directory include it.
 *
 * A source reads a list of segments one after the other, as if they were one pipe stream:
 *
 *	pipe stream	[ descriptor, to its end ]
 *	perf.data	[ synthesised head ][ tracing data ][ data section ]
 *	CPU profile	[ records made as they are asked for ]
 *
 * A directory is several such lists: its first file's, then one of each data.N.  Around all of it may lie
 * a layer of zstd.
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

#include "record/feature.h"

enum { PP_READ_SIZE = 256 << 10 };	/* what one read(2) asks for: fits the second-level cache */

struct segment {
	const uint8_t	*mem;		/* bytes in memory, or NULL: read them from the descriptor */
	uint64_t	 off, len;	/* where in the input; len UINT64_MAX: to its end, without seeking */
};

struct faults {			/* that the source went on behind */
	void		(*fn)(void *, const struct pp_err *);
	void		*arg;
	uint64_t	 n, lost;	/* how many; bytes left out for them by PP_OPEN_REPAIR */
	uint64_t	 told;
	unsigned	 nearly;	/* faults before there was somebody to tell; as many as fit */
	struct pp_err	*early;
	uint64_t	 newest;	/* time of the records so far, by fault_seen(); 0: none had one */
	struct pp_err	 gap;		/* the last fault, until the time is known at which records go on; else empty */
};

struct source {
	struct pp_source pub;		/* pos and lim belong to the window in use */
	struct pp_err	*err;
	int		 fd;
	unsigned	 flags;
	dev_t		 dev;		/* of a regular file; ino 0: it is none */
	ino_t		 ino;
	bool		 failed, eof;
	bool		 no_wait;	/* pp_next() returns 2 where it would have to read */
	const char	*container;
	char		 container_text[100], warning[600];
	const char	*spooled;	/* out of what; NULL: read where it lies */
	char		 part[32];	/* "data.3: " while a later file of a directory is read; else "" */

	struct unwrap	*unwrap;	/* zstd.c's; NULL: the input is not wrapped */
	struct dir	*dir;		/* dir.c's; NULL: one file */
	struct repair	*repair;	/* repair.c's; NULL: stop at the first fault */
	struct follow	*follow;	/* follow.c's; NULL: the input does not grow */
	bool		 fatal;		/* nothing that could be gone round */
	struct faults	 faults;
	struct pp_feature_about about;	/* what features said so far */

	uint8_t		*buf;		/* outer window */
	size_t		 cap;
	uint8_t		*own;		/* the one that is ours */
	uint8_t		*(*give)(void *);	/* pp_read_into(); NULL: our own one serves again and again */
	void		*give_arg;
	const uint8_t	*opos, *oend;	/* opos: only while the inner window is in use */
	uint64_t	 base;		/* stream position of buf[0] */
	uint64_t	 payload;	/* bytes of the last record's payload still to come */
	uint32_t	 payload_type;
	uint64_t	 payload_size, payload_of;	/* in all; where its record stands */

	struct segment	 seg[4];
	unsigned	 nseg, cur;
	uint64_t	 cur_done;	/* bytes of seg[cur] already read */
	uint8_t		*head;		/* the synthesised records of a seekable file */
	uint64_t	*outside;	/* PP_OPEN_FILE_FEATURES: bytes of each feature that is a payload; NULL: none is */
	/* Instead of segments: make whole records in up to n >= PP_RECORD_MAX bytes; how many, 0 at the end, -1. */
	ssize_t		(*make)(struct source *, uint8_t *, size_t n);
	struct cpuprofile *profile;	/* cpuprofile.c's */

	struct expand	*x;		/* made at the first COMPRESSED record */
	bool		 inner;		/* the inner window is in use */
	struct pp_compressed compressed;
	struct pp_tracing *tracing;
	size_t		 tracing_named;	/* tracepoints that it knew when events were named */

	int		(*hook)(void *);
	void		*hook_arg;
	uint64_t	 nread, total;
	uint64_t	 max_expand;
	uint64_t	 wrapped;	/* bytes of a zstd file that was spooled; 0: nread says what was read */
};

/* Fail at a byte of the input.  Always -1. */
int	source_fail(struct source *, uint64_t off, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Compressed data have become so many bytes: 1, or -1 if that is a bomb. */
int	source_expanded(struct source *, uint64_t bytes);
/* Where a byte of the outer window stands in the input. */
uint64_t source_offset(const struct source *, const uint8_t *p);
/* Call the hook: bytes that were yielded are about to move. */
int	source_before_refill(struct source *);
/* Does PERFILE2 stand there, as a little-endian ('l') or big-endian ('b') recorder writes it?  0: no. */
char	source_magic(const uint8_t *p);
/* Have at least n bytes (n <= 64 KiB) from the outer position on: 1, 0 if the input ends before, -1. */
int	source_fill(struct source *, size_t n);

/* Empty the window; what is read next is the first segment's first byte. */
void	source_start_over(struct source *);

/* file.c */
/* Take a seekable perf.data apart, whose first 16 bytes were seen, and set the segments. */
int	source_file_open(struct source *);
/* A perf.data that was followed is finished: the segments are the records of its features now. */
int	source_file_tail(struct source *);

/* Bytes behind a HEADER_FEATURE at the outer position that belong to it. */
uint64_t source_file_payload(const struct source *, const struct pp_rec *);

/* cpuprofile.c */
/* Do 16 bytes look like the start of a gperftools CPU profile? */
bool	source_is_cpuprofile(const uint8_t p[static 16]);
/* Find its parts, and set what makes the records.  The descriptor can seek. */
int	source_cpuprofile_open(struct source *);

/* dir.c */
/* The descriptor is a directory: open its files, and put `data' into the place of the descriptor. */
int	source_dir_open(struct source *);
/* The header of `data' was read: does it want the other files?  1, or -1: it is of no version that we know. */
int	source_dir_version(struct source *, uint64_t version);
/* The end of a file: go on with the next one.  1, 0: there is none, -1. */
int	source_dir_next(struct source *);
void	source_dir_free(struct source *);

/* zstd.c */
/* Do 16 bytes look like the start of a zstd frame? */
bool	source_is_zstd(const uint8_t p[static 16]);
/* Read on through zstd; what stands in the window goes back to be unwrapped. */
int	source_unwrap(struct source *);
/* As read(2) does: up to n bytes, 0 at the end, -1 (source_fail was called). */
ssize_t	unwrap_read(struct source *, uint8_t *, size_t n);
/* Is there input that was read and not unwrapped yet? */
bool	unwrap_pending(const struct source *);
void	unwrap_free(struct source *);

/* fault.c */
/* Is the feature of a form that perf takes?  1, 0: it must be left out, as was told. */
int	fault_feature(struct source *, uint64_t number, const uint8_t *p, size_t len, uint64_t off);
/* Count a fault that the source goes on behind, and tell of it; after a hundred they are only counted. */
void	fault_tell(struct source *, const struct pp_err *);
/* The same with a text of its own: "RECORD: cause; what became of it". */
void	fault_note(struct source *, uint64_t off, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The same, with the time that is lost: it waits for the next record that has one. */
void	fault_gap(struct source *, const struct pp_err *);
/* This record goes out. */
void	fault_seen(struct source *, const struct pp_rec *);
/* No record goes out any more: tell what was not told yet. */
void	fault_end(struct source *);

/* repair.c; most of it does nothing without PP_OPEN_REPAIR */
int	repair_open(struct source *);
/* Tell of a fault, and of how many bytes are left out for it. */
void	repair_note(struct source *, uint64_t off, uint64_t lost, const char *fmt, ...)
	    __attribute__((format(printf, 4, 5)));
/* Turn the failure that just happened into a note: true; false: it stays one. */
bool	repair_forgive(struct source *, uint64_t lost);
/* A sound record by pp_check(): does it fit into the stream?  1, or -1 with the text in the source's err. */
int	repair_check(struct source *, const struct pp_rec *);
/* The same for an expanded record; `left' bytes are at hand from it on. */
int	repair_check_inner(struct source *, const struct pp_rec *, size_t left);
/* The outer window could not yield the record at its position: step over what is bad.  2: go on, -1. */
int	repair_outer(struct source *);
/* The same for expanded records; how many bytes of the n at p to leave out. */
size_t	repair_inner(struct source *, const uint8_t *p, size_t n);
/* Does what stands at p look like the start of a chain of records?  `last': nothing comes behind n. */
bool	repair_plausible(const struct source *, const uint8_t *p, size_t n, bool last);
void	repair_free(struct source *);

/* follow.c */
int	follow_open(struct source *);
/* The input is a perf.data that isn't finished, whose data is segment 3. */
void	follow_file(struct source *);
/* No bytes are left: wait.  1: try again, 0: this is the end, -1. */
int	follow_wait(struct source *);
/* No record stands at the outer position: is that what perf writes behind the data?  1: so it is the end, 0, -1. */
int	follow_settle(struct source *);
/* Of so many bytes in the window: how many are data. */
size_t	follow_clip(struct source *, size_t have);
/* All data was read: what a finished file has behind it, once.  2: there is more, 0, -1. */
int	follow_tail(struct source *);
/* May an unfinished record be left at the end? */
bool	follow_stopped(const struct source *);
/* Has all that is there been read? */
bool	follow_dry(const struct source *);

/* expand.c */
/* The input ends amid a record at p, the last there is: open the inner window on the part of a COMPRESSED.  1, 0, -1. */
int	expand_part(struct source *, const uint8_t *p);
/* The zstd stream lost some of its bytes: expand no more until a new one begins. */
void	expand_break(struct source *);
/* Forget all, for a new zstd stream. */
void	expand_reset(struct source *);
/* A COMPRESSED or COMPRESSED2 record stands at the outer position: step over it and open the inner window. */
int	expand_begin(struct source *, const struct pp_rec *);
/* The next record of the inner window: 1; 0: none is complete, the outer window is in use again; -1. */
int	expand_next(struct source *, struct pp_rec *);
/* End of the input: 0, 2: repair has found more to look at, -1 if it ends inside an expanded record. */
int	expand_end(struct source *);
/* Of the COMPRESSED record in use: can more be expanded without reading?  Is all of it? */
bool	expand_pending(const struct source *);
bool	expand_used_up(const struct source *);
/* Does this view lie in the inner window? */
bool	expand_has(const struct source *, const uint8_t *);
uint64_t expand_offset(const struct source *);
void	expand_free(struct source *);

#endif

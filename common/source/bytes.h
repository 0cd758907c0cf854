/* SPDX-License-Identifier: ISC */
/*
 * bytes.h - the bytes of an input; nothing here knows a record
 *
 * An input is a stack of layers.  The lowest layer has the bytes; each other one computes its bytes from those of the layer
 * below:
 *
 *	fd | spool | memory	a file or a pipe; a temporary copy of an input that cannot seek; bytes in memory
 *	follow			a file that is being written: waits at its end
 *	zstd			decompresses an input that is compressed as a whole; with a seek table it can seek
 *
 * A layer is a struct whose first member is a struct bytes, and five functions.  A new format around recordings (gzip, say) is
 * a file with these functions, and a row of format.def.
 */
#ifndef PP_BYTES_H
#define PP_BYTES_H

#include <sys/stat.h>
#include <sys/types.h>

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfpipe_inline.h"

enum { BYTES_READ_SIZE = 256 << 10 };	/* size of one read(2): fits the second-level cache */

struct bytes_err {			/* the reason of a -1 or NULL; shared by all layers of an input */
	struct pp_err	 why;		/* off: of the layer that failed */
	bool		 fatal;		/* nothing behind the failure can be read, even with repair */
};

struct bytes;
struct bytes_layer {
	/*
	 * Read up to n (> 0) of the next bytes to p.  The number of bytes; 0: end; -1.  Waits for at least one byte; EINTR and
	 * EAGAIN are handled inside.  Adds to `taken'.
	 */
	ssize_t	(*read)(struct bytes *, uint8_t *p, size_t n);
	/*
	 * Read up to n bytes at offset off.  The number of bytes; 0: the input ends here at present; -1.  Does not wait for a
	 * writer, and does not change the position of read().  NULL: the layer cannot seek; callers that need it spool the
	 * input.
	 */
	ssize_t	(*read_at)(struct bytes *, uint64_t off, uint8_t *p, size_t n);
	/* The number of bytes that read_at() can reach at present, or -1.  NULL if read_at is NULL. */
	int64_t	(*size)(struct bytes *);
	/* A descriptor that poll(2) reports readable when read() need not wait; -1: read() never waits. */
	int	(*poll_fd)(const struct bytes *);
	/* Free this layer, but not the one below. */
	void	(*close)(struct bytes *);
};
struct bytes {
	const struct bytes_layer *layer;
	struct bytes	*under;		/* the layer below, which this one owns; NULL: this is the lowest */
	struct bytes_err *err;		/* of the source */
	uint64_t	 taken;		/* bytes of the lowest layer consumed by read() */
};

/* Set the offset, unless an error is set already.  Returns the argument for pp_fail() and pp_fail_system(). */
struct pp_err *bytes_at(struct bytes_err *, uint64_t off);
/* Read n bytes at that offset, of a layer that has read_at().  1; 0: the input ends before; -1. */
int	bytes_read_all(struct bytes *, uint64_t off, void *to, size_t n);
/* Close this layer and all below.  NULL is allowed. */
void	bytes_close(struct bytes *);

/* ---- formats around a whole recording ------------------------------------------------------------ */

struct bytes_format {		/* a row of format.def */
	const char	*name;
	char		 magic[7];
	uint8_t		 n;		/* bytes of magic */
	uint8_t		 any;		/* bits of the first byte that may have any value */
	/* Make a layer above `under', from which the n bytes at p have been read.  NULL on failure; the caller keeps `under'. */
	struct bytes	*(*open)(struct bytes *under, const uint8_t *p, size_t n, struct bytes_err *);
	/* Of a layer that has just been made: if it can seek, give it the functions for that.  NULL with `open', in a row of OTHER. */
	void		(*seeks)(struct bytes *);
	const char	*program;	/* `program -dc' decompresses it; NULL: suggest no program */
};
/* The format whose magic these 16 bytes begin with; NULL: none.  Its `open' is NULL if no layer exists for it. */
const struct bytes_format *bytes_format(const uint8_t p[static 16]);

#define FORMAT(name, magic, any, open, seeks, program)	struct bytes *open(struct bytes *, const uint8_t *, size_t, struct bytes_err *); \
	void seeks(struct bytes *);
#define OTHER(name, magic, program)
#include "format.def"
#undef FORMAT
#undef OTHER

/* ---- the lowest layers --------------------------------------------------------------------------- */

/* The layer of a descriptor, which it owns (and closes on failure).  *st: from fstat(2). */
struct bytes *fd_open(int fd, const struct stat *st, struct bytes_err *);

/* Its descriptor, if that is a regular file and b such a layer, else -1. */
int	fd_regular(const struct bytes *b);

/*
 * The layer of a piece of the spare temporary file; NULL: of a file of its own.  Write all bytes, then read them.  Only one
 * piece of a spare file can be written at a time.
 */
struct pp_spare;
struct bytes *spool_open(struct pp_spare *, struct bytes_err *);
int	spool_write(struct bytes *, const uint8_t *p, size_t n);	/* 1, or -1 */

struct memory {			/* n bytes at p; bytes and struct are the caller's */
	struct bytes	 pub;
	const uint8_t	*p;
	size_t		 n;
};
/* Initialise the struct.  Returns its layer. */
struct bytes *memory_bytes(struct memory *, const uint8_t *p, size_t n);

/* ---- dir.c: the files of a directory, each a lowest layer ------------------------------------------ */

struct dir;
/*
 * Open the file `data' and all data.N of a directory now, since a command may be confined later.  The directory owns fd, and
 * closes it.  NULL on failure.
 */
struct dir *dir_open(int fd, struct bytes_err *);
/* The next file: `data', then data.N in ascending order.  1; 0: no more; or -1. */
int	dir_next(struct dir *, struct bytes **, struct stat *, struct bytes_err *);
/* The name of the last file that dir_next() opened, or failed to open. */
const char *dir_name(const struct dir *);
/* The total size of all data.N, in bytes. */
uint64_t dir_size(const struct dir *);
/* The size of file i, 0 is `data'; -1.  Read of it up to n bytes at an offset: their number; 0: the end; -1. */
int64_t	dir_raw_size(const struct dir *, size_t i);
ssize_t	dir_raw_at(const struct dir *, size_t i, uint64_t off, uint8_t *p, size_t n);
/* Is a file data.N missing, because a later one exists or there is none at all?  *number: the lowest N. */
bool	dir_missing(const struct dir *, int *number);
void	dir_free(struct dir *);

/* ---- follow.c: a file that is being written ---------------------------------------------------------- */

/*
 * A layer whose read() waits at the end of the file for more bytes, until no process can write the file any more or *stop is
 * set; or as its writer says (told.h), if that is not NULL.  Waits for the first byte of the file here.  NULL on failure; the caller
 * keeps `under'.
 */
struct pp_told;
struct bytes *follow_open(struct bytes *under, const struct pp_told *, struct bytes_err *);
void	follow_stop_at(struct bytes *, const volatile sig_atomic_t *stop);
/* Wait some time for the writer, before another read_at().  false: no more will be written. */
bool	follow_pause(struct bytes *);
/* Has the waiting ended?  Has it ended because of *stop? */
bool	follow_over(const struct bytes *);
bool	follow_stopped(const struct bytes *);

#endif

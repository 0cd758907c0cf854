/* SPDX-License-Identifier: ISC */
/*
 * bytes.h - where the bytes of an input come from; nothing here knows a record
 *
 * An input is a stack of layers.  The lowest one has the bytes, each other one makes its own of those of the layer under it:
 *
 *	fd | spool | memory	a file or a pipe; a temporary copy of what cannot seek; bytes in memory
 *	follow			a file that is being written: waits at its end
 *	zstd			unpacks what is wrapped as a whole
 *
 * A layer is a struct whose first member is a struct bytes, and five functions.  A new format around recordings (gzip, say) is
 * a file with these functions, and a row in format.def.
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

enum { BYTES_READ_SIZE = 256 << 10 };	/* for one read(2): fits the second-level cache */

struct bytes_err {			/* why a call gave -1 or NULL; one for all layers of an input */
	struct pp_err	 why;		/* off: in the bytes of the layer that failed */
	bool		 fatal;		/* the input cannot be read on: nothing can be repaired behind it */
};

struct bytes;
struct bytes_layer {
	/*
	 * Up to n (> 0) of the next bytes to p: how many, 0 at the end, -1.  Waits until there is one; EINTR and EAGAIN never
	 * come out of it.  Adds to `taken'.
	 */
	ssize_t	(*read)(struct bytes *, uint8_t *p, size_t n);
	/*
	 * Up to n bytes that stand at `off': how many, 0 where the bytes end now, -1.  Never waits for a writer; read() goes on
	 * where it was.  NULL: the layer cannot seek, and is spooled where that is needed.
	 */
	ssize_t	(*read_at)(struct bytes *, uint64_t off, uint8_t *p, size_t n);
	/* How many bytes read_at() can reach now, or -1.  NULL if read_at is. */
	int64_t	(*size)(struct bytes *);
	/* The descriptor that poll(2) calls readable when read() need not wait; -1: read() need not wait at all. */
	int	(*poll_fd)(const struct bytes *);
	/* Free the layer, but not the one under it. */
	void	(*close)(struct bytes *);
};
struct bytes {
	const struct bytes_layer *layer;
	struct bytes	*under;		/* that this one reads, and owns; NULL: it is the lowest */
	struct bytes_err *err;		/* the source's */
	uint64_t	 taken;		/* bytes of the lowest layer that read() has used up */
};

/* Set the place, unless a text is set already; what it returns is for pp_fail() and pp_fail_system(). */
struct pp_err *bytes_at(struct bytes_err *, uint64_t off);
/* Close all layers, from this one down.  NULL is allowed. */
void	bytes_close(struct bytes *);

/* ---- formats around a whole recording ------------------------------------------------------------ */

struct bytes_format {		/* a row of format.def */
	const char	*name;
	char		 magic[7];
	uint8_t		 n;		/* bytes of it */
	uint8_t		 any;		/* bits of the first one that may be anything */
	/* A layer over `under', of which the n bytes at p were read already.  NULL on failure: `under' stays the caller's. */
	struct bytes	*(*open)(struct bytes *under, const uint8_t *p, size_t n, struct bytes_err *);
	const char	*program;	/* `program -dc' unpacks it; NULL: that is no help */
};
/* The format that these 16 bytes begin; NULL: none that we know.  `open' is NULL if it is only known by name. */
const struct bytes_format *bytes_format(const uint8_t p[static 16]);

#define FORMAT(name, magic, any, open, program)	struct bytes *open(struct bytes *, const uint8_t *, size_t, struct bytes_err *);
#define OTHER(name, magic, program)
#include "format.def"
#undef FORMAT
#undef OTHER

/* ---- the lowest layers --------------------------------------------------------------------------- */

/* A descriptor, which becomes the layer's (and is closed on failure); *st is what fstat(2) says of it. */
struct bytes *fd_open(int fd, const struct stat *st, struct bytes_err *);

/* An unlinked temporary file.  Write all into it, then rewind it; from there on it is a file. */
struct bytes *spool_open(struct bytes_err *);
int	spool_write(struct bytes *, const uint8_t *p, size_t n);	/* 1, or -1 */
int	spool_rewind(struct bytes *);					/* 1, or -1 */

struct memory {			/* n bytes at p, which are the caller's, as is the struct */
	struct bytes	 pub;
	const uint8_t	*p;
	size_t		 n;
};
/* Make it a layer. */
struct bytes *memory_bytes(struct memory *, const uint8_t *p, size_t n);

/* ---- dir.c: the files of a directory, each a lowest layer ------------------------------------------ */

struct dir;
/*
 * The file `data' and all data.N of a directory; they are opened at once, since a tool may give up the right to open later.
 * The descriptor becomes the directory's, and is closed.  NULL on failure.
 */
struct dir *dir_open(int fd, struct bytes_err *);
/* The next file: `data', then each data.N in ascending order.  1, 0: there is none, -1. */
int	dir_next(struct dir *, struct bytes **, struct stat *, struct bytes_err *);
/* The name of the file that dir_next() opens, or failed to open, last. */
const char *dir_name(const struct dir *);
/* Bytes in all data.N. */
uint64_t dir_size(const struct dir *);
/* The lowest N of which there is no file, though there are files behind it or no file at all; -1: none is missing. */
int	dir_missing(const struct dir *);
void	dir_free(struct dir *);

/* ---- follow.c: a file that is being written ---------------------------------------------------------- */

/*
 * read() waits at the end until there is more, until no process can write the file any more, or until *stop is set.  Waits
 * here for the file's first byte.  NULL on failure, and `under' stays the caller's.
 */
struct bytes *follow_open(struct bytes *under, struct bytes_err *);
void	follow_stop_at(struct bytes *, const volatile sig_atomic_t *stop);
/* Wait a moment for the writer, for who uses read_at().  false: nothing will be written any more. */
bool	follow_pause(struct bytes *);
/* Is nothing waited for any more?  Because of *stop? */
bool	follow_over(const struct bytes *);
bool	follow_stopped(const struct bytes *);

#endif

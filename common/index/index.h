/* SPDX-License-Identifier: ISC */
/*
 * index.h - the index of a recording: what is in each chunk, and a copy of all its records but SAMPLEs
 *
 *	build.h		makes one by a walk over a recording
 *	write.c		writes the file: layout.h
 *	snap.h		makes snapshots, so that a piece needs not what is before it
 *	force.h		what they are made of
 *	read.c		reads one, which it does not trust
 *	read_snap.c	its snapshots
 *	fits.c		is it the index of this recording?
 *	want.c		can a chunk hold a SAMPLE that is wanted?
 *	use.c		the source leaves out chunks that hold none
 *
 * The law: the index only lets the source leave out SAMPLEs that the command would drop.  All other records come, in their
 * places, from the copy.  So the command sees the same side-band, marks and order as without the index.  Only a command that writes
 * nothing of what is in front of its piece, and says so, gets a snapshot instead.
 *
 * Functions that return int return 1, or -1 with the reason in the pp_err, unless stated otherwise.
 */
#ifndef PPI_INDEX_H
#define PPI_INDEX_H

#include "source/chunk.h"

enum ppi_container { PPI_STREAM, PPI_FILE, PPI_DIRECTORY };

struct ppi_mark {			/* a place whose bytes are of the fingerprint */
	uint32_t	 file, len;
	uint64_t	 off;
};

struct ppi_head {
	enum ppi_container container;
	bool		 big;			/* the recording is big-endian */
	struct ppi_mark	 mark;
	uint64_t	 print;			/* XXH64 of its bytes */
	uint64_t	 size;			/* size of chunks that was asked for */
	uint64_t	 every;			/* bytes of records between two snapshots; 0: none */
};

struct ppi_entry {
	struct pp_chunk	 c;			/* with sets */
	uint64_t	 print, tail;		/* XXH64 of its bytes; of the last of them */
	const uint8_t	*copy;			/* zstd; NULL: there is none, the chunk is always read */
	size_t		 ncopy, copy_plain;	/* bytes of it; of what it expands to */
};

struct ppi_snap {			/* stands for all before it: snap.h */
	uint64_t	 at;			/* in the index */
	uint64_t	 off, chunks, sample_bytes;	/* where it ends in the recording; so many chunks before that, with so many bytes of SAMPLEs */
};

struct ppi_end {			/* sums over the chunks; arrays belong to whoever made it */
	uint64_t	 chunks;
	struct pp_chunk	 all;			/* records, samples, sample_bytes, first, last, plain, flags */
	struct ppi_file { uint64_t covered, size; } *files;
	struct ppi_mark	*marks;
	struct ppi_snap	*snaps;			/* ascending */
	size_t		 nfiles;
	unsigned	 nmarks, nsnaps;
	bool		 reads;			/* some event has PERF_SAMPLE_READ */
	uint64_t	 print;			/* XXH64 of the bytes at the marks */
};

/* ---- write.c ---------------------------------------------------------------------------------------- */

struct ppi_writer {			/* begins zeroed, but for sink and err */
	struct pp_sink	*sink;
	struct pp_err	*err;			/* that of the sink */
	uint8_t		*buf;
	size_t		 cap;
	uint64_t	 written;		/* bytes */
};
int	ppi_write_head(struct ppi_writer *, const struct ppi_head *);
int	ppi_write_entry(struct ppi_writer *, const struct ppi_entry *);
/* The n bytes at p are it, compressed, and expand to `plain'; its `at' is set. */
int	ppi_write_snap(struct ppi_writer *, struct ppi_snap *, const uint8_t *p, size_t n, size_t plain);
int	ppi_write_end(struct ppi_writer *, const struct ppi_end *);
void	ppi_writer_free(struct ppi_writer *);

/* ---- read.c ----------------------------------------------------------------------------------------- */

struct ppi_reader;
/*
 * Read head and end of the index in fd, which the reader owns.  NULL, with the reason: it is damaged, or of another version, or no
 * index.  err->file is the caller's.
 */
struct ppi_reader *ppi_open(int fd, struct pp_err *);
const struct ppi_head *ppi_head(const struct ppi_reader *);
/* The sums; of an index without an end, those of the entries that check: `whole' false, marks only that of the last. */
const struct ppi_end *ppi_end(const struct ppi_reader *, bool *whole);
/*
 * The next entry, valid until the next call.  1; 0: no more.  An entry that does not check, or does not follow the one before it,
 * is the end: *damaged.
 */
int	ppi_next(struct ppi_reader *, struct ppi_entry *, bool *damaged);
/* Was that the last? */
bool	ppi_at_last(const struct ppi_reader *);
/* From the first entry again. */
void	ppi_rewind(struct ppi_reader *);
struct ppi_copy {			/* begins zeroed */
	uint8_t		*p;
	size_t		 cap;
	void		*zstd;			/* private */
};
/*
 * Expand the copy of an entry: copy_plain bytes at p, until the next call.  -1: it is not what the entry says: all records of the chunk
 * but SAMPLEs, none with a payload.
 */
int	ppi_expand(const struct ppi_entry *, bool swap, struct ppi_copy *, struct pp_err *);
/*
 * Expand a snapshot of the end to *n bytes at p, and let ppi_next() continue behind it.  1; 0: it is damaged, ppi_next() is where it was;
 * -1: it is sound, but not what can be a snapshot.
 */
int	ppi_begin_at(struct ppi_reader *, const struct ppi_snap *, bool swap, struct ppi_copy *, size_t *n, struct pp_err *);
void	ppi_copy_free(struct ppi_copy *);
void	ppi_close(struct ppi_reader *);

/* ---- fits.c ----------------------------------------------------------------------------------------- */

/* Is it the index of the recording, as far as it reaches?  false: err->what has the reason. */
bool	ppi_fits(const struct ppi_reader *, struct pp_source *, struct pp_err *);
/* Has the recording all bytes that the index is about, also between those that ppi_fits() looks at?  Reads them; then from the first entry. */
bool	ppi_same(struct ppi_reader *, struct pp_source *);
/* Does it cover all of the recording: has nothing been added? */
bool	ppi_covers(const struct ppi_reader *, struct pp_source *);
/* The XXH64 of the bytes at n marks.  1; 0: the file is shorter; -1. */
int	ppi_print(struct pp_source *, const struct ppi_mark *, unsigned n, uint64_t *print);

/* ---- want.c ----------------------------------------------------------------------------------------- */

/* A condition on SAMPLEs: the value lies in one of the ranges. */
enum ppi_by { PPI_TIME, PPI_TASK, PPI_CPU, PPI_EVENT };	/* TASK: its pid or its tid; EVENT: index in the order of the attrs */
struct ppi_range {
	uint64_t	 lo, hi;		/* both included */
};
struct ppi_cond {
	enum ppi_by	 by;
	const struct ppi_range *r;		/* ascending */
	size_t		 n;
};
/*
 * Must the chunk be read: can a SAMPLE of it meet all n conditions, or does one lack the field of a condition, which is an error for some
 * commands?  *fails: the first that none meets.
 */
bool	ppi_wants(const struct pp_chunk *, const struct ppi_cond *, size_t n, size_t *fails);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * chunk.h - a recording as chunks, and what each holds
 *
 * A chunk is a run of whole records of a file, the bytes [off, off + len): with the head of the recording it can be read alone.  If
 * records are compressed it is a run of whole zstd frames, with the other records between them; perf record makes one frame that
 * never ends, so that its streams are one chunk.
 *
 *	stream		chunks cover all behind the pipe header
 *	perf.data	the data section; what is made of the header, and TRACING_DATA, is in none
 *	directory	the files one by one, each as above
 *
 * If the recording is compressed as a whole, and can be read at any offset, `off' counts the bytes that it expands to.
 *
 * Chunks are in the order in which the source reads them, and between those of a file there is nothing.
 */
#ifndef PP_CHUNK_H
#define PP_CHUNK_H

#include "perfpipe_inline.h"

enum { PP_CHUNK_SIZE = 4 << 20, PP_CHUNK_MIN = 4 << 10, PP_CHUNK_MAX = 64 << 20 };	/* the default, and limits for users */
enum { PP_CHUNK_CPUS = 1 << 16 };	/* bits of a set of CPUs; larger numbers share the last one */

enum {				/* pp_chunk.flags: some SAMPLE of it ... */
	PP_CHUNK_NO_TIME = 1,		/* has no time, so that first .. last does not cover it */
	PP_CHUNK_NO_CPU = 2,
	PP_CHUNK_NO_TASK = 4,
	PP_CHUNK_NO_EVENT = 8,		/* is of no event; then the flags above are set, too */
	PP_CHUNK_COMPRESSED = 16,	/* was in a COMPRESSED record */
	PP_CHUNK_PAYLOAD = 32		/* or: some record has a payload outside header.size */
};

struct pp_chunk {
	uint32_t	 file;		/* of a directory: 0 is `data', N + 1 is data.N; else 0 */
	uint32_t	 flags;
	uint64_t	 off, len;	/* bytes of that file */
	uint64_t	 plain;		/* bytes of the records that the source yields, payloads too */
	uint64_t	 records, samples;	/* records, and SAMPLEs of them */
	uint64_t	 sample_bytes;
	uint64_t	 first, last;	/* smallest and largest time of SAMPLEs, ns; 0: none has one */
	/* Sets, of SAMPLEs; valid during the call. */
	const uint64_t	*events, *cpus;	/* bit n: the event of the nth attr; CPU n */
	unsigned	 nevents, ncpus;	/* words */
	const uint32_t	*tasks;		/* ascending: each pid and tid once */
	size_t		 ntasks;
};

struct pp_chunk_walk {			/* what is wanted; initially zero */
	uint64_t	 size;		/* plain bytes of a chunk, at least; 0: PP_CHUNK_SIZE */
	/* A chunk is complete.  1, or -1: by pp_fail().  NULL: not wanted. */
	int		(*chunk)(void *arg, const struct pp_chunk *);
	/* A record of a chunk that is no SAMPLE, before chunk(); its payload can be fetched.  1, or -1.  NULL: not wanted. */
	int		(*other)(void *arg, struct pp_source *, const struct pp_rec *);
	void		*arg;
	const struct pp_rec *first;	/* was yielded already, and begins the first chunk; NULL: no record was */
	/*
	 * Smallest and largest time of the SAMPLEs of this chunk behind the FINISHED_ROUND before; 0: none.  Valid in other(), also of a
	 * FINISHED_ROUND, and in chunk().
	 */
	uint64_t	 round_first, round_last;
	struct pp_chunk	 all;		/* result: of all chunks; of a damaged recording, up to the damage */
};

/*
 * Why the records of a source that has begun have no places from which they can be read again, so that it has no chunks; NULL: it
 * has.
 */
const char *pp_chunks_cannot(const struct pp_source *);
/*
 * Read a source that has just begun to its end.  Without chunks there is only `all'.  1, or -1: the source has failed, which its
 * pp_err says, or a function has.
 */
int	pp_chunks_walk(struct pp_source *, struct pp_chunk_walk *);

/*
 * The same for one who makes the records: a chunk ends in front of the first record that can begin another (with compression, the
 * first one of a frame), if it has `size' bytes.  That depends on nothing but the records.
 *
 *	if (pp_chunker_due(c) && the record can begin one)
 *		pp_chunker_cut(c, file, off of the record, or of the COMPRESSED one that it is in);
 *	pp_chunker_take(c, events, &rec);
 *	...
 *	pp_chunker_end(c, off behind the last record);
 */
struct pp_chunker;
struct pp_chunker *pp_chunker_new(struct pp_chunk_walk *);	/* the walk must live as long; NULL: no memory */
void	pp_chunker_free(struct pp_chunker *);
/* Must the next record begin a chunk, if it can?  Always true before the first, and behind pp_chunker_end(). */
bool	pp_chunker_due(const struct pp_chunker *);
/* What returns int: 1, or -1: no memory, or chunk() failed. */
int	pp_chunker_cut(struct pp_chunker *, uint32_t file, uint64_t off);
int	pp_chunker_take(struct pp_chunker *, const struct pp_events *, const struct pp_rec *, bool compressed);
/*
 * Take the SAMPLEs that follow: those from *p on, one behind the other and complete before `end', up to where the next record must
 * begin a chunk; *p: behind the last.  They are compressed if the record before them was.
 */
int	pp_chunker_samples(struct pp_chunker *, const struct pp_events *, const uint8_t **p, const uint8_t *end);
int	pp_chunker_end(struct pp_chunker *, uint64_t off);

#endif

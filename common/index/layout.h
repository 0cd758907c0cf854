/* SPDX-License-Identifier: ISC */
/*
 * layout.h - FILE.ppi, the index of a recording, byte by byte; for the files of this directory only
 *
 *	head  entry...  end  trailer
 *
 * There is an entry for each chunk (source/chunk.h), in the order in which the chunks are read; and snapshots (snap.h), each in front of
 * the entry of the chunk that begins where it ends.  All numbers are little-endian.  Head, each entry, snapshot and end finish with the XXH64 of their bytes before it, so that each can be trusted by itself: entries can
 * be appended while the recording grows, and an index that lacks its end is good as far as its entries check.
 *
 *	sets	events, CPUs: bits in u64s; tasks: ascending, each as the difference to the one before it, 7 bits a byte, the lowest
 *		first, bit 7: more follow
 *	copy	zstd: all records of the chunk but SAMPLEs, as they are in the recording, and LEFT_OUT records (leave_out.h)
 *	snapshot	zstd: snap.h
 *
 * Version 1 has no snapshots.  Those of version 2 lack names that tasks had before the first record with a time, on which --inherit
 * depends: they are not used.
 */
#ifndef PPI_LAYOUT_H
#define PPI_LAYOUT_H

#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "perfpipe_inline.h"

enum { PPI_SWAP = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

#define PPI_MAGIC	"PPINDEX1"
#define PPI_TRAILER	"PPINDEND"
#define PPI_ENTRY	UINT32_C(0x4b4e4843)	/* "CHNK" */
#define PPI_SNAP	UINT32_C(0x50414e53)	/* "SNAP" */
#define PPI_END		UINT32_C(0x30444e45)	/* "END0" */
enum { PPI_VERSION = 3, PPI_HASH = 8 };

enum {				/* head: offsets */
	PPI_HEAD_VERSION = 8,		/* u32 */
	PPI_HEAD_CONTAINER = 12,	/* u32 enum ppi_container */
	PPI_HEAD_FLAGS = 16,		/* u32: bit 0: a recording of the big-endian order; others 0 */
	PPI_HEAD_SNAPS = 20,		/* u32: KiB of records between two snapshots, as was asked for; 0: there are none */
	PPI_HEAD_MARK = 24,		/* the fingerprint of the head: u32 file, u32 length, u64 offset ... */
	PPI_HEAD_PRINT = 40,		/* ... u64 XXH64 of these bytes */
	PPI_HEAD_CHUNK = 48,		/* u64: size of chunks that was asked for */
	PPI_HEAD_SUM = 56,
	PPI_HEAD_SIZE = 64
};
enum {				/* entry: offsets; behind it events, CPUs, tasks, copy, hash */
	PPI_E_MAGIC = 0,		/* u32 */
	PPI_E_SIZE = 4,			/* u32: of the entry, with all behind it */
	PPI_E_FILE = 8,			/* u32, u32: struct pp_chunk ... */
	PPI_E_FLAGS = 12,
	PPI_E_OFF = 16,			/* u64s */
	PPI_E_LEN = 24,
	PPI_E_PLAIN = 32,
	PPI_E_RECORDS = 40,
	PPI_E_SAMPLES = 48,
	PPI_E_SAMPLE_BYTES = 56,
	PPI_E_FIRST = 64,
	PPI_E_LAST = 72,
	PPI_E_PRINT = 80,		/* u64: XXH64 of the bytes of the chunk in the file */
	PPI_E_TAIL = 88,		/* u64: XXH64 of the last PPI_TAIL of them, or of all if they are fewer */
	PPI_E_EVENTS = 96,		/* u32: u64s of events */
	PPI_E_CPUS = 100,		/* u32: u64s of CPUs */
	PPI_E_TASKS = 104,		/* u32, u32: tasks; bytes of them */
	PPI_E_TASKS_SIZE = 108,
	PPI_E_COPY_SIZE = 112,		/* u32, u32: bytes of the copy; of what it expands to */
	PPI_E_COPY_PLAIN = 116,
	PPI_E_FIXED = 120
};
enum {				/* snapshot: offsets; behind it what is compressed, hash */
	PPI_S_MAGIC = 0,		/* u32 */
	PPI_S_SIZE = 4,			/* u32 */
	PPI_S_OFF = 8,			/* u64s: where it ends in the recording, which has one file; ... */
	PPI_S_CHUNKS = 16,		/* ... so many chunks in front of that, and bytes of SAMPLEs */
	PPI_S_SAMPLE_BYTES = 24,
	PPI_S_PLAIN = 32,		/* u32: bytes that it expands to */
	PPI_S_FIXED = 36
};
enum {				/* end: offsets; behind it files, marks, snapshots, hash */
	PPI_N_MAGIC = 0,		/* u32 */
	PPI_N_SIZE = 4,			/* u32 */
	PPI_N_CHUNKS = 8,		/* u64s: sums, smallest, largest */
	PPI_N_RECORDS = 16,
	PPI_N_SAMPLES = 24,
	PPI_N_SAMPLE_BYTES = 32,
	PPI_N_FIRST = 40,
	PPI_N_LAST = 48,
	PPI_N_PLAIN = 56,
	PPI_N_PRINT = 64,		/* XXH64 of the bytes at the marks, one after the other */
	PPI_N_FILES = 72,		/* u32: files, each u64 end of its last chunk, u64 its size */
	PPI_N_MARKS = 76,		/* u32: marks, each u32 file, u32 length, u64 offset */
	PPI_N_FLAGS = 80,		/* u32: all flags of chunks, PP_CHUNK_... */
	PPI_N_READS = 84,		/* u32: 1: some event has PERF_SAMPLE_READ */
	PPI_N_FIXED_1 = 88,		/* of version 1 */
	PPI_N_SNAPS = 88,		/* u32: snapshots, each u64 offset in the index, and the u64s of the snapshot; u32 0 */
	PPI_N_FIXED = 96
};
enum { PPI_FILE_SIZE = 16, PPI_MARK_SIZE = 16, PPI_SNAP_SIZE = 32, PPI_TRAILER_SIZE = 16 };	/* trailer: u64 size of end, PPI_TRAILER */

enum {				/* limits: more counts as damage */
	PPI_ENTRY_MAX = 256 << 20, PPI_COPY_MAX = 128 << 20, PPI_END_MAX = 16 << 20, PPI_MARK_MAX = 64 << 10,
	PPI_MARKS_MAX = 256, PPI_FILES_MAX = 65537, PPI_SNAPS_MAX = 65536
};
enum { PPI_TAIL = 4 << 10, PPI_START = 64, PPI_STARTS = 64, PPI_HEAD_PRINTED = 64 << 10 };

static inline void
ppi_set_u32(uint8_t *p, uint64_t v)
{
	pp_set_u32(p, (uint32_t)v, PPI_SWAP);
}

static inline void
ppi_set_u64(uint8_t *p, uint64_t v)
{
	pp_set_u64(p, v, PPI_SWAP);
}

static inline uint32_t
ppi_u32(const uint8_t *p)
{
	return pp_get_u32(p, PPI_SWAP);
}

static inline uint64_t
ppi_u64(const uint8_t *p)
{
	return pp_get_u64(p, PPI_SWAP);
}

/* Do the n bytes end with their XXH64? */
static inline bool
ppi_sound(const uint8_t *p, size_t n)
{
	return ppi_u64(p + n - PPI_HASH) == XXH64(p, n - PPI_HASH, 0);
}

static inline void
ppi_seal(uint8_t *p, size_t n)
{
	ppi_set_u64(p + n - PPI_HASH, XXH64(p, n - PPI_HASH, 0));
}

#endif

/* SPDX-License-Identifier: ISC */
/*
 * jitdump.h - reads a jitdump: the file in which a process notes the code that it makes at run time
 *
 *	header	magic "JiTD", version, size of the header, ELF machine, pid, time, flags
 *	record	u32 id, u32 size with these 16 bytes, u64 time, the rest by its id
 *
 *	0 CODE_LOAD		a function: name, address, code
 *	1 CODE_MOVE		one is at another address now
 *	2 DEBUG_INFO		source lines of the function whose CODE_LOAD is next
 *	3 CLOSE			no more records follow
 *	4 UNWINDING_INFO	.eh_frame of the function whose CODE_LOAD is next
 *
 * (tools/perf/Documentation/jitdump-specification.txt of Linux).  The process may still write: what is not there completely yet
 * is read by a later call.  Lengths and counts are not trusted.
 */
#ifndef JITDUMP_H
#define JITDUMP_H

#include "image.h"

enum {
	JITDUMP_CODE_MAX = 16 << 20,		/* bytes of a function */
	JITDUMP_RECORD_MAX = 32 << 20,		/* bytes of a record */
	JITDUMP_TABLE_MAX = 4 << 20,		/* bytes of a DEBUG_INFO or UNWINDING_INFO; longer ones are ignored */
};

struct jitdump_head {
	bool		 big_endian;
	uint16_t	 machine;		/* EM_... of elf.h */
	uint32_t	 pid;			/* of the process that wrote it, in its own pid namespace */
	uint64_t	 time;			/* when it was made */
	bool		 cycles;		/* times are CPU cycles */
};

enum jitdump_kind { JITDUMP_LOAD, JITDUMP_MOVE };

struct jitdump_code {			/* a CODE_LOAD or CODE_MOVE */
	enum jitdump_kind kind;
	uint64_t	 at;			/* byte of the file where the record begins */
	uint64_t	 time;			/* in the unit of the dump */
	uint32_t	 pid, tid;		/* of the process that made the code, in its own pid namespace */
	uint64_t	 from;			/* of a CODE_MOVE: its old address */
	struct image_fn	 fn;			/* of a CODE_MOVE only addr and size */
};

struct jitdump;

/* Takes over the descriptor, of a regular file.  name: for err, which must live as long as the result. */
struct jitdump	*jitdump_new(int fd, const char *name, struct pp_err *err);
void		 jitdump_free(struct jitdump *);
/* The header.  1; 0: it is not there completely yet; -1: the file is no jitdump, or is damaged. */
int		 jitdump_head(struct jitdump *, struct jitdump_head *);
/*
 * The next CODE_LOAD or CODE_MOVE, valid until the next call; jitdump_head() must have returned 1.  1; 0: there is none (yet);
 * -1: the file is damaged, for good.
 */
int		 jitdump_next(struct jitdump *, struct jitdump_code *);
/* Let the next jitdump_next() return the same record again; it is read anew, and no memory is held for it. */
void		 jitdump_again(struct jitdump *);

#endif

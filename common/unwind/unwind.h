/* SPDX-License-Identifier: ISC */
/*
 * unwind.h - the call chain of a sample, from its registers and its copy of the stack
 *
 *	struct unwinder *u = unwind_new(UNWIND_X86_64);
 *	struct unwind_file *f = unwind_file_open(u, fd, &why);		for each file of a map, which the caller has proved
 *	n = unwind_chain(u, &regs, &stack, &space, ip, max, &end);	for each sample
 *	unwind_file_close(f);
 *	unwind_free(u);
 *
 * How a function's caller is found is in tables of the function's file: call frame information (DWARF 5, 6.4; "Exception Frames" of
 * the Linux Standard Base).  Where there are none, the chain of frame pointers is followed.  Memory is what the sample has
 * of its stack, else the file, at addresses of its maps that are not writable; nothing else, and no process, is read.
 *
 * Nothing is trusted: files are those of any user, and registers and stack are what a program wrote there.  A file is read by
 * pread(2), never mapped, so that it may shrink meanwhile.  Bounds are below; what exceeds them counts as without tables.  No
 * bound is a time, so that the same input gives the same chains on any machine.
 *
 * Rules are looked up once for each address of a file, and kept (UNWIND_CACHE).
 */
#ifndef PP_UNWIND_H
#define PP_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unwind_machine { UNWIND_X86_64, UNWIND_ARM64, UNWIND_MACHINES };

enum {				/* bounds */
	UNWIND_CACHE = 1 << 16,		/* addresses whose rules are kept */
	UNWIND_TABLES = 64 << 20,	/* bytes of tables in memory, of all files; those least recently used are read again */
	UNWIND_CFI = 1 << 16,		/* bytes of an FDE or CIE */
	UNWIND_REMEMBERED = 16,		/* rows, by DW_CFA_remember_state */
	UNWIND_STEPS = 128,		/* of an expression */
	UNWIND_VALUES = 64,		/* on its stack */
	UNWIND_WORK = 50000000,		/* CFA instructions and steps that a file may take beyond what files of compilers take: 1 s */
};

struct unwinder;
struct unwind_file;

/* The machine that uname(2) calls so; UNWIND_MACHINES: there are no rules for it. */
enum unwind_machine unwind_machine(const char *);
/* NULL: no memory.  An unwinder must outlive its files. */
struct unwinder *unwind_new(enum unwind_machine);
void	unwind_free(struct unwinder *);

/* ---- files --------------------------------------------------------------------------------------------- */

/*
 * An ELF file of that machine: its tables are .eh_frame_hdr and .eh_frame, or .debug_frame.  It takes the descriptor over, and keeps it
 * open: how many files are open at once is the caller's bound, and what a file has cost (UNWIND_WORK) is forgotten when it is
 * closed.  NULL: it is none, or memory is full; `why' is a constant text, or one of strerror(3); the descriptor stays the caller's.
 */
struct unwind_file *unwind_file_open(struct unwinder *, int fd, const char **why);
/* The same of n bytes, which must stay while it is open: the vdso. */
struct unwind_file *unwind_file_memory(struct unwinder *, const void *, size_t n, const char **why);
/* NULL is no file.  What was found in it may stay in the cache; no later file gets it. */
void	unwind_file_close(struct unwind_file *);
/* Has it no tables?  Then only the trampoline of a signal is known in it, by its instructions. */
bool	unwind_file_bare(const struct unwind_file *);
/*
 * NULL, or why its tables are not used any more: a constant text, such as "its tables are damaged".  Tables are read at the first
 * address that is looked up, so this may come with any unwind_chain().
 */
const char *unwind_file_trouble(const struct unwind_file *);

/* ---- samples ------------------------------------------------------------------------------------------- */

enum { UNWIND_REGS = 33 };	/* registers of perf that are used: x86-64 has 24, arm64 33 */

/*
 * Numbered as perf numbers them in sample_regs_user: arch/x86/include/uapi/asm/perf_regs.h (PERF_REG_X86_AX is 0, SP 7, IP 8, R8 16),
 * arch/arm64/include/uapi/asm/perf_regs.h (X0 is 0, LR 30, SP 31, PC 32).  The values of a sample are one after the other for the bits
 * of the mask; here value[i] is that of bit i.
 */
struct unwind_regs {
	uint64_t	 mask;			/* which are known; bits from UNWIND_REGS on are ignored */
	uint64_t	 value[UNWIND_REGS];
};
/* The number of the instruction pointer among them. */
unsigned unwind_ip(const struct unwinder *);

struct unwind_stack {			/* the copy: `size' is dyn_size; it begins at the stack pointer */
	const void	*copy;
	uint64_t	 size;
};

struct unwind_map {			/* of the process, at the sample's time */
	uint64_t	 start, end;		/* end: the first address behind it */
	uint64_t	 pgoff;			/* bytes */
	bool		 exec, write;
	struct unwind_file *file;		/* NULL: none, refused, or not an ELF file */
};

struct unwind_space {			/* all maps of the process */
	/* The map that holds that address; false: none.  Asked a few times for each sample: the answers are kept during unwind_chain(). */
	bool		(*find)(void *arg, uint64_t addr, struct unwind_map *);
	void		*arg;
};

/* Why a chain ended; the number of those: UNWIND_ENDS.  unwind_end_text() is for -v and warnings. */
enum unwind_end {
	UNWIND_START,		/* the thread's start: the return address is undefined, or 0.  Complete. */
	UNWIND_MAX,		/* as many frames as asked for */
	UNWIND_COPY,		/* something needed is not in the copy of the stack: beyond its end, or elsewhere in memory */
	UNWIND_NO_TABLES,	/* the function's file has no tables for it, and there is no usable frame pointer */
	UNWIND_NO_MAP,		/* the return address is in no executable map; it is not written */
	UNWIND_LOOP,		/* the next frame is not above the last one */
	UNWIND_RULE,		/* a rule of the tables cannot be followed: damaged, or a register is unknown */
	UNWIND_REGISTERS,	/* the sample lacks the stack pointer or the instruction pointer: at most one frame */
	UNWIND_ENDS
};
const char *unwind_end_text(enum unwind_end);	/* "the copy of the stack is too short" */

/*
 * Write at most `max' frames, innermost first, as perf script shows them: the first one is the instruction pointer, whatever it is;
 * a caller is its return address less 1, so that it lies in the call; the trampoline of a signal, and the frame that the
 * signal interrupted, are exact.  Returns how many, and why there are no more.
 */
size_t	unwind_chain(struct unwinder *, const struct unwind_regs *, const struct unwind_stack *, const struct unwind_space *,
	    uint64_t *ip, size_t max, enum unwind_end *);

struct unwind_stats {			/* of all chains of an unwinder */
	uint64_t	 chains, frames;
	uint64_t	 end[UNWIND_ENDS];	/* chains, by why they ended */
	uint64_t	 by_pointer;		/* frames whose caller was found by frame pointer */
	uint64_t	 misses;		/* addresses that were looked up in tables: not in the cache */
	uint64_t	 absent;		/* of these: the tables have no rules for them */
	uint64_t	 evicted;		/* of the cache */
	uint64_t	 reloads;		/* tables that were read again: see UNWIND_TABLES */
};
const struct unwind_stats *unwind_stats(const struct unwinder *);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * symbols_in.h - what the two processes of symbols.h have in common
 *
 * One question is on its way at a time, and is answered by a message; the table that was asked for lies in memory that both share.
 * A third process only waits for the second, and begins another one when it has ended.
 */
#ifndef PP_SYMBOLS_IN_H
#define PP_SYMBOLS_IN_H

#include "symbol/notes.h"
#include "symbols.h"

enum { TABLE_MAX = (sizeof(void *) > 4 ? 256 : 64) << 20 };	/* bytes of one table */

enum symbols_kind { ASK_FILE, ASK_KERNEL, ASK_DEMANGLE };
struct symbols_question {
	uint32_t	 kind, number, nid, how;
	uint8_t		 id[SYMBOLS_ID + 4];	/* zeros behind it */
	char		 text[DEMANGLE_MAX + 1];	/* a path, or a name; it ends the message, with its NUL */
};
enum symbols_status { ANSWER_FOUND, ANSWER_NONE, ANSWER_BAD, ANSWER_DIED };
struct symbols_answer {
	uint32_t	 number, status;
	uint64_t	 bytes;			/* of the table */
	uint16_t	 machine;		/* of the ELF file: EM_... */
	bool		 narrow;		/* it is of 32 bits */
	char		 text[DEMANGLE_MAX + 1];	/* a name, or why; it ends the message, with its NUL */
};

struct symbols_shared {
	volatile uint32_t working;	/* number of the question that was taken last */
	_Alignas(64) uint8_t table[TABLE_MAX];
};

struct symbols_place {			/* where files are looked for */
	int		 dir[SYMBOLS_DIRS + 1];	/* descriptors, by O_PATH */
	unsigned	 n;
	bool		 paths;		/* at the paths of the recording, too */
	int		 kallsyms;	/* /proc/kallsyms; -1: not to be used */
	struct build_id	 running;	/* the kernel that it is of */
};

/* symbols_serve.c: answer questions that come by that descriptor, until the other end is closed. */
_Noreturn void	symbols_serve(int fd, struct symbols_shared *, const struct symbols_place *);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * protocol.h - what maker.c and the process of reader.c send each other: a task with descriptors and, in messages of their own, its
 * hits; then an answer, and the bytes of the file in pieces
 */
#ifndef SYMBOLS_PROTOCOL_H
#define SYMBOLS_PROTOCOL_H

#include "maker.h"

enum {
	READ_SECONDS = 10,		/* for one file */
	MEMORY = 1 << 30,		/* bytes of address space */
	HITS_MAX = 1 << 20,		/* of one file */
	HITS_MESSAGE = 4096,		/* in one message */
	PIECE = 64 << 10,		/* bytes in one message */
	FILE_MAX = 1 << 29,		/* of a file */
};

#define MAKER_LATE "reading its symbols takes too long"

struct task {			/* with one descriptor or, with `debug', two */
	uint64_t	 number;	/* each has another one */
	struct build_id	 id;
	uint32_t	 debug, grade;
	uint64_t	 hits;
};

struct answer {
	uint64_t	 number;	/* of the task: others are late, and of no use */
	uint64_t	 size;		/* of the file; 0: there is none, and why */
	char		 debuglink[256], why[MAKER_WHY];
};

/* reader.c: do the tasks that come by that descriptor, until the other process has ended.  Never returns. */
void	read_serve(struct tool *, int fd, const void *unused);

#endif

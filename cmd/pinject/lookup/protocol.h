/* SPDX-License-Identifier: ISC */
/* protocol.h - what the two processes of lookup.h send each other: each question is one message, and so is its answer */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <sys/socket.h>
#include <sys/syscall.h>

#include <stddef.h>
#include <unistd.h>

#include "lookup.h"

enum { NAME_MAX_BYTES = 4096, WHY_MAX = 64 };

struct question {
	uint32_t	 kind, pid, maj, min;
	uint64_t	 ino, ino_generation;
	uint64_t	 start, end;		/* of the map; end 0: unknown */
	uint32_t	 want_fd;
	char		 name[NAME_MAX_BYTES];	/* with its NUL, which is the end of the message */
};
enum { QUESTION_HEAD = offsetof(struct question, name) };

struct answer {			/* with a descriptor beside it, if has_fd */
	uint32_t	 found, has_fd;
	uint32_t	 len;			/* 0: there is no id */
	uint8_t		 id[BUILD_ID_MAX];
	char		 why[WHY_MAX];
};

union answer_control {		/* space for one descriptor */
	struct cmsghdr	 head;
	char		 bytes[CMSG_SPACE(sizeof(int))];
};

/* serve.c: answer the questions that come by that descriptor, until the other process has ended. */
_Noreturn void	serve(int fd, const struct lookup_opt *);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * second.h - a process beside the one that reads the recording, to which it is connected by a socket of messages
 *
 * It ends when the first one does, as its socket then does.  Nothing of what the command has open is there.
 */
#ifndef SECOND_H
#define SECOND_H

#include <sys/socket.h>
#include <sys/syscall.h>

#include <unistd.h>

#include "tool/tool.h"

typedef void second_serve(struct tool *, int fd, const void *arg);

/*
 * Before tool_open(): fork it, and call serve() there, which does not return.  what: for messages.  Returns the socket of the first
 * process, whose reads and writes fail after some seconds.  Failure exits 1.
 */
int	second_start(struct tool *, const char *what, unsigned seconds, second_serve *, const void *arg);
/* In the second process: lock it by these rights (enum confine_right).  Failure ends it. */
void	second_lock(const struct tool *, int fd, unsigned rights);

enum { SECOND_FDS = 2 };		/* descriptors beside one message */
/*
 * Send a message with so many of them; receive one: fds[] are -1 but for those that came with it, which the caller closes.  They
 * are fewer than were sent if this process can have no more.  Bytes; 0: the other process has ended; -1: errno.
 */
long	second_send(int to, const void *p, size_t n, const int *fds, unsigned nfds);
long	second_receive(int from, void *p, size_t n, int fds[SECOND_FDS]);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * protocol.h - what the two processes of lookup.h send each other
 *
 * A message of the first process has one or more questions.  The second process answers the last one by a message, unless it is an
 * early question (EARLY_...).
 */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <sys/socket.h>
#include <sys/syscall.h>

#include <stddef.h>
#include <unistd.h>

#include "lookup.h"

enum { MESSAGE_MAX = 64 << 10, NAME_MAX_BYTES = 4096, WHY_MAX = 96, PIDS_MAX = 16000 };
enum { ANSWER_SECONDS = 10 };		/* nobody waits longer, as for a file server that is gone */
enum {					/* kinds behind those of enum lookup_kind, and never answered */
	EARLY_FILE = 100,		/* look it up if its process is in another mount namespace, and remember the id */
	EARLY_NAMESPACE,		/* the process is in the mount namespace of the inode `start' */
	EARLY_FORK,			/* the process is a child of the process `start' */
	EARLY_EXEC,			/* the process may be in another mount namespace by now */
	ASK_PIDS,			/* answered by a struct pids */
};
enum { ASK_FD = 1, ASK_COPIES = 2, ASK_WATCH = 4 };	/* flags: want_fd; only below directories of the user's; O_PATH */

struct question {
	uint32_t	 size;			/* with the name, its NUL, and padding to 8 bytes */
	uint32_t	 kind, pid, flags;
	uint32_t	 maj, min;
	uint64_t	 ino, ino_generation;
	uint64_t	 start, end;		/* of the map; end 0: unknown */
	/* Wall clock, ns: the file must not have been changed since; 0: no limit.  Of a record: its time. */
	uint64_t	 latest;
	uint8_t		 id[BUILD_ID_MAX];	/* of the map; id_len 0: unknown */
	uint32_t	 id_len;
	char		 name[];
};
_Static_assert(sizeof(struct question) == offsetof(struct question, name), "the name follows");

struct answer {			/* with a descriptor beside it, if has_fd */
	uint32_t	 found, has_fd;
	uint32_t	 proven, own_pid, own_pid_lost, there, absent;	/* as in struct lookup_found */
	uint32_t	 foreign;		/* roots_foreign() */
	uint64_t	 mnt;			/* as in struct lookup_found */
	uint32_t	 len;			/* 0: there is no id */
	uint64_t	 changed;		/* when the file was changed last */
	uint8_t		 id[BUILD_ID_MAX];
	char		 why[WHY_MAX];
};

struct pids {			/* the processes that run */
	uint32_t	 n;
	uint32_t	 foreign;		/* roots_foreign() */
	uint32_t	 pid[PIDS_MAX];
};

/* serve.c: answer the questions that come by that descriptor, until the other process has ended. */
_Noreturn void	serve(int fd, const struct lookup_opt *);
/* Before the process is confined. */
void	serve_start(void);

/* lookup.c: put a question behind those that are not sent yet.  false: the name is too long. */
bool	question_add(struct lookup *, uint32_t kind, const struct lookup_for *, uint32_t flags, uint64_t latest);
/* Send them.  false: the second process has ended. */
bool	question_send(struct lookup *);

/* recording.c */
void	recording_start(struct lookup *);
/* Wall clock, ns, at which a map of that time was made, or at latest; 0: no limit. */
uint64_t recording_latest(const struct lookup *, uint64_t time);
/* A file of this machine was taken for a map. */
void	recording_took(struct lookup *, const struct lookup_found *);
void	recording_end(struct lookup *);

/* lookup.c: there are no more answers, as errno says, or 0: for another reason.  Always false. */
bool	give_up(struct lookup *);

/* gone.c */
void	gone_start(struct lookup *);
/* A record of the input is about to be looked at. */
static inline void
gone_read(struct lookup *l, const struct pp_source *in)
{
	if (l->grows && (in->lim != l->read_to || in->pos <= l->at))
		l->moment++;
	l->read_to = in->lim;
	l->at = in->pos;
}
/* An answer says what roots_foreign() is.  Before gone_note() and lookup_note_absent(). */
void	gone_foreign(struct lookup *, uint32_t);
/* An answer says that the process has ended, and where it was. */
void	gone_note(struct lookup *, uint32_t pid, uint64_t mnt);
/* The stream says that this process is new, or in the mount namespace of that inode. */
void	gone_new(struct lookup *, uint32_t pid);
void	gone_moved(struct lookup *, uint32_t pid, uint64_t mnt);
void	gone_end(struct lookup *);

/* known.c: 1, or 0: not in the list */
int	known_find(const struct known *, const struct pp_dso *, struct build_id *);

#endif

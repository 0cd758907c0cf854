/* SPDX-License-Identifier: ISC */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "join/manifest.h"
#include "joined.h"
#include "sink/out_stream.h"

struct joined {
	struct tool	*t;
	struct manifest	*list;
	struct join_options o;
	struct join	*join;
	struct out	*to;
	struct out_pack	 pack;
	struct pp_err	 err;			/* of `to' */
	pthread_t	 thread;
	bool		 runs;
	int		 pipe[2], status;	/* pipe[0]: a duplicate of the input's */
};

struct joined *
joined_open(struct tool *t, unsigned flags)
{
	struct joined *p = tool_alloc(1, sizeof *p);

	p->t = t;
	p->list = manifest_open(t, &p->o, NULL);
	join_allow(t, t->names, t->nnames);
	if (pipe2(p->pipe, O_CLOEXEC) < 0)
		err(1, "pipe");
	t->in_name = t->manifest;
	t->in = pp_open_fd(fcntl(p->pipe[0], F_DUPFD_CLOEXEC, 0), t->manifest, flags | PP_OPEN_LATER, &t->in_err);
	if (!t->in) {
		tool_say(t, &t->in_err);
		exit(1);
	}
	return p;
}

static void *
joined_copy(void *arg)
{
	struct joined *p = arg;

	p->status = join_copy(p->join, p->to) < 0;
	p->status |= p->to->finish(p->to) < 0;
	p->status |= join_close(p->join);
	close(p->pipe[1]);
	return NULL;
}

void
joined_start(struct joined *p)
{
	if (manifest_verify(p->list) < 0 || !(p->join = join_open(p->t, &p->o, p->t->names, p->t->nnames))) {
		tool_abandon(p->t);
		exit(1);
	}
	p->to = out_stream_new(pp_create_fd(fcntl(p->pipe[1], F_DUPFD_CLOEXEC, 0), "<parts>", &p->err), &p->pack, join_source(p->join), &p->err);
	if (!p->to || (errno = pthread_create(&p->thread, NULL, joined_copy, p))) {
		tool_abandon(p->t);
		err(1, "parts");
	}
	p->runs = true;
}

void
joined_end(struct joined *p)
{
	char rest[4096];

	if (!p)
		return;
	/* After an error nobody reads what is left. */
	while (p->runs && read(p->pipe[0], rest, sizeof rest) > 0)
		;
	if (p->runs)
		pthread_join(p->thread, NULL);
	p->status |= manifest_close(p->list);
	if (p->status)
		pp_fail(&p->t->in_err, "%s", p->err.what[0] ? p->err.what : "not all parts could be read");
	close(p->pipe[0]);
	free(p);
}

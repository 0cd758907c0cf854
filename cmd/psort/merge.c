/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state/round.h"
#include "merge.h"
#include "merge_order.h"
#include "join/manifest.h"

struct merge {
	struct tool	*t;
	struct join	*j;
	struct pp_err	 err;		/* of the queue */
	struct merge_order o;
	unsigned	 n;
	struct pollfd	*fd;
	unsigned	*fd_of;		/* the input of each descriptor */
};

/* ---- reading ----------------------------------------------------------------------------------- */

/* Process the input's next record, if no read is needed for it.  1, 0: there is none, -1. */
static int
take(struct merge *m, unsigned i)
{
	struct pp_rec r;
	int rc = join_next_sample(m->j, i, &r);

	if (!rc && (!join_at_hand(m->j, i) || (rc = join_next(m->j, i, &r, NULL)) == PP_NEXT_WAIT))
		return 0;
	if (rc && (rc = order_take(&m->o, i, &r)))
		return rc;
	return order_end(&m->o, i);
}

/* Is there memory left to read ahead? */
static bool
may_read_ahead(const struct merge *m)
{
	return pp_round_memory(m->o.e.round) < m->o.e.limit / 2;
}

/*
 * Process all records of an input that are in its buffer; if there are none, read once first.  With `ahead', stop when the
 * memory for reading ahead is full.  1, or -1.
 */
static int
advance(struct merge *m, unsigned i, bool ahead)
{
	uint64_t bound = m->o.bound;
	int rc = 1;

	if (!join_at_hand(m->j, i))
		pp_top_up(join_input(m->j, i));	/* if it fails, so does join_next() */
	while (rc > 0 && (ahead ? order_can_read(&m->o, i) && may_read_ahead(m) : m->o.in[i].bound <= bound && order_can_read(&m->o, i)))
		rc = take(m, i);
	return rc < 0 ? -1 : 1;
}

/* Fill m->fd for poll(2): the wanted inputs, and with `ahead' all that can be read. */
static unsigned
list(struct merge *m, bool ahead)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++) {
		if (ahead ? !order_can_read(&m->o, i) : !order_is_wanted(&m->o, i))
			continue;
		m->fd_of[n] = i;
		m->fd[n++] = (struct pollfd){ .fd = pp_poll_fd(join_input(m->j, i)), .events = POLLIN };
	}
	return n;
}

/* No wanted input can be read without waiting: flush, wait, and read.  1, or -1. */
static int
wait_for_more(struct merge *m)
{
	bool space;
	unsigned n;

	if (order_release(&m->o) < 0 || order_mark(&m->o) < 0 || emit_flush(&m->o.e) < 0)
		return -1;
	space = may_read_ahead(m);
	for (unsigned i = 0; space && i < m->n; i++)
		if (order_can_read(&m->o, i) && !order_is_wanted(&m->o, i) && join_at_hand(m->j, i) &&
		    advance(m, i, true) < 0)
			return -1;
	n = list(m, space);
	if (poll(m->fd, n, -1) < 0)
		return errno == EINTR ? 1 : pp_fail(&m->err, "poll: %s", strerror(errno));
	for (unsigned k = 0; k < n; k++) {
		unsigned i = m->fd_of[k];

		if (m->fd[k].revents && advance(m, i, !order_is_wanted(&m->o, i)) < 0)
			return -1;
	}
	return 1;
}

/* Read the wanted inputs that need no waiting.  1, 0: no input is wanted, -1. */
static int
read_wanted(struct merge *m)
{
	unsigned n = list(m, false), did = 0;

	for (unsigned k = 0; k < n; k++)
		if (m->fd[k].fd < 0 || join_at_hand(m->j, m->fd_of[k])) {
			m->fd[k].fd = -1;
			did++;
			if (advance(m, m->fd_of[k], false) < 0)
				return -1;
		}
	if (!n || did)
		return n != 0;
	if (poll(m->fd, n, 0) <= 0)
		return wait_for_more(m);
	for (unsigned k = 0; k < n; k++)
		if (m->fd[k].revents && advance(m, m->fd_of[k], false) < 0)
			return -1;
	return 1;
}

/* Write the joined head. */
static int
put_head(struct merge *m)
{
	struct pp_source *head = join_source(m->j);
	struct pp_rec r;
	const uint8_t *p;
	size_t n;
	int rc;

	while ((rc = pp_next(head, &r)) > 0) {
		if (pp_put_copy(m->t->out, r.raw, r.size) < 0)
			return -1;
		while ((rc = r.payload ? pp_payload(head, &p, &n) : 0) > 0)
			if (pp_put_copy(m->t->out, p, n) < 0)
				return -1;
	}
	return rc < 0 ? -1 : 1;
}

static void
merge(struct merge *m)
{
	int rc = put_head(m);

	while (rc > 0 && (rc = read_wanted(m)) > 0)
		if (order_is_due(&m->o))
			rc = order_release(&m->o);
	/* Records before a fault are written, in order, too. */
	order_finish(&m->o);
	pp_flush(m->t->out);		/* it still refers to the queue's memory */
}

/* ---- the whole --------------------------------------------------------------------------------- */

static void
opened(void *arg, struct pp_source *in)
{
	struct tool *t = ((struct merge *)arg)->t;

	t->in = in;
	tool_refuse_input(t, t->out_name);
	t->in = NULL;
}

static int
tick(void *arg)
{
	struct merge *m = arg;
	uint64_t total, done;

	if (m->j && tool_progress_due(m->t)) {
		done = join_progress(m->j, &total);
		tool_progress(m->t, done, total);
	}
	return 1;
}

static int
setup(struct merge *m, const struct sort_how *how, struct spill *spill)
{
	m->n = join_inputs(m->j);
	m->fd = tool_alloc(m->n, sizeof *m->fd);
	m->fd_of = tool_alloc(m->n, sizeof *m->fd_of);
	if (order_open(&m->o, m->t, m->j, how, spill, &m->err) < 0)
		return -1;
	m->t->out = tool_sink(m->t, &m->t->file, join_source(m->j));
	return 1;
}

int
merge_run(struct tool *t, struct join_options *o, const struct sort_how *how, struct spill *spill,
    const struct pp_err *spill_err)
{
	static char *standard_input[] = { "-" };
	struct merge m = { .t = t, .err.file = "<merge>" };
	struct manifest *list = t->manifest ? manifest_open(t, o, NULL) : NULL;
	char **names = t->nnames ? t->names : standard_input;
	int n = t->nnames ? t->nnames : 1, status;

	o->opened = opened;
	o->tick = tick;
	o->arg = &m;
	join_allow(t, names, n);
	tool_create(t, &t->file, t->out_name, &t->out_err);
	tool_lock(t);
	if ((list && manifest_verify(list) < 0) || !(m.j = join_open(t, o, names, n))) {
		tool_abandon(t);
		manifest_close(list);
		tool_close(t);
		return 1;
	}
	if (setup(&m, how, spill) > 0) {
		merge(&m);
		order_say(&m.o);
	}
	if (spill_err->what[0])
		tool_say(t, spill_err);
	if (m.err.what[0])
		tool_say(t, &m.err);
	t->partial = !join_is_whole(m.j) || m.err.what[0];
	t->unwritten = spill_err->what[0] != 0;
	status = join_close(m.j) || t->partial || t->unwritten;
	if (manifest_close(list)) {
		t->partial = true;
		status = 1;
	}
	status |= tool_close(t);
	order_close(&m.o);
	free(m.fd);
	free(m.fd_of);
	return status;
}

/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"
#include "merge_queue.h"

enum { MARKER_BYTES = 256 << 10 };	/* a FINISHED_ROUND at least so often */

struct input {
	struct merge_queue q;
	bool		 ended;		/* nothing will be added to its queue */
};

struct merge {
	struct tool	*t;
	struct join	*j;
	struct join_options jo;
	struct pp_err	 err;		/* of the queues */
	struct input	*in;
	unsigned	 n;
	struct pollfd	*fd;
	unsigned	*fd_of;		/* whose the descriptor is */
	uint64_t	 memory;
	uint64_t	 since;		/* bytes with a time that went out behind the last marker */
	bool		 waits;		/* a reader may hold back records with a time that went out */
	uint8_t		 marker[PP_HEADER_SIZE];
};

/* ---- writing ----------------------------------------------------------------------------------- */

/* All that went out is in order with all that will come: a marker can stand anywhere. */
static int
put_marker(struct merge *m)
{
	m->since = 0;
	return pp_put_copy(m->t->out, m->marker, sizeof m->marker);
}

/*
 * perf delivers records without a time at once, but timed ones only when a second round is finished: what has none
 * would go in front of what stands before it, which may be another input's.
 */
static int
catch_up(struct merge *m)
{
	if (!m->waits)
		return 1;
	m->waits = false;
	return put_marker(m) < 0 || put_marker(m) < 0 ? -1 : 1;
}

/* The payload of the entry that was put, out of its source.  1, or -1: one of both failed. */
static int
put_payload(struct merge *m, unsigned i, uint64_t left)
{
	struct pp_source *src = join_input(m->j, i);
	const uint8_t *p;
	size_t n;
	int rc;

	while (left && (rc = pp_payload(src, &p, &n)) > 0) {
		if (pp_put_copy(m->t->out, p, n) < 0)
			return -1;
		left -= n;
	}
	if (!left)
		return 1;
	join_end(m->j, i);	/* nothing can stand behind half a record */
	return -1;
}

static int
put(struct merge *m, unsigned i, const struct merge_entry *e)
{
	struct pp_rec r = { .raw = e->raw, .size = e->size, .payload = e->payload,
	    .type = pp_get_u32(e->raw, join_source(m->j)->swap), .misc = pp_get_u16(e->raw + 4, join_source(m->j)->swap) };

	if (join_is_again(m->j, i, &r))
		return 1;
	if (e->timed) {
		m->since += e->size;
		m->waits = true;
	} else if (r.type < PP_USER_TYPE_START && catch_up(m) < 0)
		return -1;
	if (pp_put_stable(m->t->out, e->raw, e->size) < 0)
		return -1;
	if (e->payload)
		return put_payload(m, i, e->payload);
	return m->since >= MARKER_BYTES ? put_marker(m) : 1;
}

/* Give back the memory of what went out. */
static int
reclaim(struct merge *m, struct merge_queue *q)
{
	if (!merge_queue_spent(q))
		return 1;
	if (pp_flush(m->t->out) < 0)
		return -1;
	merge_queue_reclaim(q);
	return 1;
}

/* ---- the order --------------------------------------------------------------------------------- */

/* What is the smallest key that the input can still give?  false: none, it has ended. */
static bool
bound(const struct input *in, uint64_t *key)
{
	const struct merge_entry *e = merge_queue_head(&in->q);

	*key = e ? e->key : in->q.last;
	return e || !in->ended;
}

/* The input with the smallest bound, equal ones in the order of the inputs; n: all have ended.  Not `but'. */
static unsigned
smallest(const struct merge *m, unsigned but, uint64_t *key)
{
	unsigned best = m->n;
	uint64_t k;

	for (unsigned i = 0; i < m->n; i++)
		if (i != but && bound(&m->in[i], &k) && (best == m->n || k < *key)) {
			best = i;
			*key = k;
		}
	return best;
}

/* Put all that can go.  1, or -1: the output failed. */
static int
emit(struct merge *m)
{
	for (;;) {
		uint64_t key, next = 0;
		unsigned i = smallest(m, m->n, &key), other;
		struct merge_queue *q;
		struct merge_entry *e;

		if (i == m->n)
			return 1;
		q = &m->in[i].q;
		if (!(e = merge_queue_head(q)))
			return 1;	/* something smaller may come here */
		other = smallest(m, i, &next);
		do {
			if (put(m, i, e) < 0)
				return -1;
			merge_queue_pop(q);
			if (reclaim(m, q) < 0)
				return -1;
		} while ((e = merge_queue_head(q)) && (other == m->n || e->key < next || (e->key == next && i < other)));
	}
}

/* ---- reading ----------------------------------------------------------------------------------- */

/* Take in the input's next record, which is at hand.  1, or -1: no memory. */
static int
take(struct merge *m, unsigned i)
{
	struct merge_queue *q = &m->in[i].q;
	uint64_t time = 0;
	struct pp_rec r;
	int rc = 0;

	if (join_next(m->j, i, &r, NULL) > 0) {
		if (r.type == PP_FINISHED_ROUND)
			return merge_queue_finished(q);
		if (r.type >= PP_USER_TYPE_START || (rc = join_time(m->j, i, &r, &time)) >= 0)
			return merge_queue_add(q, &r, rc > 0, time);
	}
	m->in[i].ended = true;
	return merge_queue_final(q);
}

static uint64_t
held(const struct merge *m)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < m->n; i++)
		sum += m->in[i].q.held;
	return sum;
}

static bool
can_read(const struct input *in)
{
	return !in->ended && !in->q.stalled;
}

/* Is the merge waiting for this input? */
static bool
is_wanted(const struct input *in)
{
	return can_read(in) && !merge_queue_head(&in->q);
}

/*
 * Take in what is at hand, having read once if that is nothing; of an input that is only read ahead, while there is
 * memory.
 * 1, or -1: no memory.
 */
static int
advance(struct merge *m, unsigned i, bool ahead)
{
	struct input *in = &m->in[i];
	uint64_t others = ahead ? held(m) - in->q.held : 0;

	if (!join_at_hand(m->j, i))
		pp_top_up(join_input(m->j, i));	/* if it fails, so does join_next() */
	while ((ahead ? can_read(in) && others + in->q.held < m->memory : is_wanted(in)) && join_at_hand(m->j, i))
		if (take(m, i) < 0)
			return -1;
	return 1;
}

/* What to poll: wanted inputs, and with `ahead' the others that may be read. */
static unsigned
list(struct merge *m, bool ahead)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++) {
		if (!can_read(&m->in[i]) || (!ahead && !is_wanted(&m->in[i])))
			continue;
		m->fd_of[n] = i;
		m->fd[n++] = (struct pollfd){ .fd = pp_poll_fd(join_input(m->j, i)), .events = POLLIN };
	}
	return n;
}

/* Nothing of what is wanted can be read yet: write all, wait, and read what comes.  1, or -1. */
static int
wait_for_more(struct merge *m)
{
	bool room = held(m) < m->memory;
	unsigned n;

	if ((m->since && put_marker(m) < 0) || pp_flush(m->t->out) < 0)
		return -1;
	for (unsigned i = 0; room && i < m->n; i++)
		if (can_read(&m->in[i]) && !is_wanted(&m->in[i]) && join_at_hand(m->j, i) && advance(m, i, true) < 0)
			return -1;
	n = list(m, room);
	if (poll(m->fd, n, -1) < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : pp_fail(&m->err, "poll: %s", strerror(errno));
	for (unsigned k = 0; k < n; k++) {
		unsigned i = m->fd_of[k];

		if (m->fd[k].revents && advance(m, i, !is_wanted(&m->in[i])) < 0)
			return -1;
	}
	return 1;
}

/* Read what is wanted, wherever that needs no waiting.  1, 0: nothing is wanted, -1. */
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

/* The joined head. */
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
	if (rc < 0)
		return -1;		/* what we made is sound: it was the flush */
	pp_set_u32(m->marker, PP_FINISHED_ROUND, head->swap);
	pp_set_u16(m->marker + 6, sizeof m->marker, head->swap);
	return 1;
}

static void
merge(struct merge *m)
{
	int rc = put_head(m);

	while (rc > 0 && (rc = emit(m)) > 0 && (rc = read_wanted(m)) > 0)
		;
	if (!rc && m->since)
		put_marker(m);
	pp_flush(m->t->out);		/* what was put lies in the queues */
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

	if (m->j) {
		done = join_progress(m->j, &total);
		tool_progress(m->t, done, total);
	}
	return 1;
}

static int
setup(struct merge *m)
{
	m->n = join_inputs(m->j);
	m->in = tool_alloc(m->n, sizeof *m->in);
	m->fd = tool_alloc(m->n, sizeof *m->fd);
	m->fd_of = tool_alloc(m->n, sizeof *m->fd_of);
	for (unsigned i = 0; i < m->n; i++)
		if (merge_queue_init(&m->in[i].q, &m->err) < 0)
			return -1;
	if (!(m->t->out = pp_create(m->t->out_name, &m->t->out_err)))
		return -1;
	return pp_start(m->t->out, join_source(m->j));
}

static void
say_late(const struct merge *m)
{
	for (unsigned i = 0; i < m->n; i++) {
		uint64_t late = pp_round_late(m->in[i].q.round);

		if (late)
			tool_warn(m->t, "%s: %ju records came later than their round allows, and stand where they came",
			    join_name(m->j, i), (uintmax_t)late);
	}
}

int
merge_run(struct tool *t, const struct merge_options *o, char **names, int n)
{
	struct merge m = { .t = t, .jo = o->join, .err.file = "<merge>", .memory = o->memory ? o->memory : MERGE_MEMORY };
	int status;

	m.jo.opened = opened;
	m.jo.tick = tick;
	m.jo.arg = &m;
	if (!(m.j = join_open(t, &m.jo, names, n)))
		return 1;
	if (setup(&m) > 0) {
		tool_ready(t);
		merge(&m);
		say_late(&m);
	}
	status = join_close(m.j);
	if (m.err.what[0]) {
		tool_say(t, &m.err);
		status = 1;
	}
	status |= tool_close(t);
	for (unsigned i = 0; i < m.n && m.in[i].q.round; i++)
		merge_queue_free(&m.in[i].q);
	free(m.in);
	free(m.fd);
	free(m.fd_of);
	return status;
}

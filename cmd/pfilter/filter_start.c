/* SPDX-License-Identifier: ISC */
/* filter_start.c - see filter.h: what a run needs before its first record, and what the arrival asks of it */
#include <stdlib.h>

#include "filter.h"
#include "out/period.h"
#include "sink/sink.h"
#include "source/leave_out.h"
#include "source/piece.h"
#include "source/source.h"

/* pp_arrival_user.wanted: false for a sample that keys in the record reject; it need not be held. */
static bool
filter_wanted(void *arg, const struct pp_event *ev, const struct pp_rec *r)
{
	struct filter *f = arg;
	int why;

	if (r->type != PP_SAMPLE || f->events->reads ||
	    (why = select_sample(&f->o->sel, ev, r, f->decide.swap)) == KEPT || why >= LACKS_FIELD)
		return true;
	f->decide.samples[why]++;
	return false;
}

/* pp_arrival_user.guess, .changes, .missed: samples of which nothing is needed but the verdict by their task, file or cgroup. */
static pp_guess
filter_guess(void *arg, const struct pp_event *ev, const struct pp_rec *r)
{
	struct filter *f = arg;

	return f->events->reads ? PP_NO_GUESS : decide_guess(&f->decide, ev, r, MAIN, f->nsides == 2 ? REST : 0);
}

static void
filter_changes(void *arg, const struct pp_rec *r, struct pp_changed *c)
{
	struct filter *f = arg;

	state_keys_changes(f->o->keys, f->state, r, c);
}

static void
filter_missed(void *arg, uint8_t why)
{
	decide_missed(&((struct filter *)arg)->decide, why);
}

/* pp_arrival_user.more: bytes of records to write in front of held records. */
static size_t
filter_more(void *arg)
{
	return ((struct filter *)arg)->front.held;
}

/* pp_arrival_user.look, .looked: what windows and --payload-tasks depend on. */
static int
filter_look(void *arg, const struct pp_turn *at, const struct pp_event *ev, const struct pp_rec *r)
{
	struct filter *f = arg;
	int64_t gap;

	if (f->o->payload && r->type == PP_SAMPLE) {
		if ((gap = payload_tasks_look(f->o->payload, ev, r, at->nr, &f->t->in_err)) < 0)
			return -1;
		if (gap)
			pp_arrival_mark(f->arrival, (uint64_t)gap, MARK_GAP);
	}
	if (f->o->payload && r->type == PP_FORK)
		payload_tasks_fork(f->o->payload, r, true);
	return f->o->windows ? windows_look(f->o->windows, f->arrival, at, ev, r, at->nr + f->left_out - f->decide.made) : 1;
}

static int
filter_looked(void *arg, uint64_t decided)
{
	const struct options *o = ((struct filter *)arg)->o;

	if (o->windows)
		windows_looked(o->windows, decided);
	return 1;
}

bool
filter_waits(const struct options *o, uint64_t start)
{
	return options_need_order(o) || (o->order == ORDER_AUTO && expr_needs_start(o->expr) && !start);
}

uint64_t
filter_early(const struct filter *f)
{
	return f->arrival ? pp_arrival_early(f->arrival) : 0;
}

uint64_t
filter_short(const struct filter *f)
{
	return f->arrival ? pp_arrival_short(f->arrival) : 0;
}

/* pp_arrival_user.until, .passes: --span-period. */
static uint64_t
filter_until(void *arg)
{
	return windows_until(((struct filter *)arg)->o->windows);
}

static void
filter_passes(void *arg, uint64_t time)
{
	struct filter *f = arg;

	windows_passes(f->o->windows, f->arrival, time);
}

static int
filter_start_windows(struct filter *f, struct pp_arrival_user *user)
{
	user->ahead = windows_ahead(f->o->windows);
	if (windows_wait(f->o->windows)) {
		user->until = filter_until;
		user->passes = filter_passes;
	}
	windows_looks(f->o->windows, user->looks);
	return windows_start(f->o->windows, f->t->in, f->decide.about.start, f->o->tasks, &f->t->in_err);
}

/* pp_when_absent() */
static void
filter_absent(void *arg, uint64_t first, uint64_t last)
{
	struct filter *f = arg;

	pp_arrival_absent(f->arrival, first, last);
	if (f->o->windows && f->t->piece.n)
		windows_absent(f->o->windows, pp_piece_behind(f->t->in), first, last);
}

static int
filter_start_arrival(struct filter *f)
{
	const struct options *o = f->o;
	struct pp_arrival_user user = { .turn = filter_turn, .emit = filter_emit, .flush = filter_flush, .more = filter_more,
	    .arg = f, .own = { .to = BOTH } };
	bool turns = options_need_turns(o) || (expr_needs_start(o->expr) && !f->decide.about.start);

	for (uint32_t type = 0; type < PP_USER_TYPE_START; type++)
		user.ordered[type] = pp_state_wants(type) || (type == PP_SAMPLE && turns);
	if (o->windows && filter_start_windows(f, &user) < 0)
		return -1;
	if (o->payload) {
		user.looks[PP_SAMPLE] = user.looks[PP_FORK] = true;
		user.ahead = user.ahead < PAYLOAD_AHEAD ? PAYLOAD_AHEAD : user.ahead;
	}
	if (o->windows || o->payload) {
		user.look = filter_look;
		user.looked = filter_looked;
	}
	/* Not if rejected samples are written (-U), looked at, or counted by other options. */
	if (o->sel.keys && !o->windows && !o->payload && !o->rejected && !o->sel.invert && !o->sel.type && !o->thin.scale && !expr_needs_place(o->expr))
		user.wanted = filter_wanted;
	if (decide_guesses(o) && !turns && o->sideband != SIDEBAND_NEEDED && !o->measure.on && !o->thin.scale) {
		user.guess = filter_guess;
		user.changes = filter_changes;
		user.missed = filter_missed;
	}
	f->arrival = pp_arrival_new(f->t->in, &user, o->memory, &f->t->in_err);
	if (!f->arrival)
		return -1;
	pp_when_absent(f->t->in, filter_absent, f);
	return 1;
}

/* Hold the output if it goes directly to a pipe or device; a file without a name can be discarded. */
static void
filter_hold_back(struct side *s, const struct atomic *file)
{
	if (!s->sink || !file->direct)
		return;
	s->holds = true;
	pp_hold(s->sink);
}

int
filter_start(struct filter *f, const struct atomic *rest)
{
	struct options *o = f->o;
	struct tool *t = f->t;

	pp_before_refill(t->in, filter_before_refill, f);
	f->events = t->in->events;
	if (options_need_state(o) && !(f->state = pp_state_new(t->in->swap, &t->in_err)))
		return -1;
	if (f->state) {
		pp_state_limit(f->state, o->tasks);
		pp_state_free_files(f->state);
	}
	if (filter_waits(o, f->decide.about.start) && filter_start_arrival(f) < 0)
		return -1;
	if (o->measure.on)
		f->measured = tool_alloc(1, sizeof *f->measured);
	if (options_add_period(o))
		f->with_period = tool_alloc(1, PP_RECORD_MAX + 8);
	if (decide_start(&f->decide, t, o, f->state) < 0)
		return -1;
	f->decide.held = f->arrival;
	f->decide.copied = f->arrival || f->with_period;
	f->nsides = o->rejected ? 2 : 1;
	f->side[0].sink = t->out;
	for (int i = 0; i < f->nsides; i++)
		if (side_start(&f->side[i], t, o, f->state, i) < 0)
			return -1;
	filter_hold_back(&f->side[0], &t->file);
	filter_hold_back(&f->side[1], rest);
	return 1;
}

void
filter_free(struct filter *f)
{
	pp_arrival_free(f->arrival);
	pp_state_free(f->state);
	front_end(&f->front);
	tee_free(f->tee);
	decide_end(&f->decide);
	if (f->measured)
		measured_free(f->measured);
	free(f->measured);
	free(f->with_period);
}

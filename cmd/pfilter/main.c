/* SPDX-License-Identifier: ISC */
/*
 * pfilter - keep the samples that match, and all that they need to stay readable.
 *
 *	source  ->  [hold: until it can be decided in time order]  ->  decide  ->  what is kept, and -U: the rest
 *
 *	options, words		what the user asks for
 *	survey			a look at the input before, for --time
 *	hold, hold_store	records that wait
 *	decide			the verdict on one record:
 *	  select, times		  by keys that stand in it; event_match: names of events
 *	  state_keys, descent	  by keys that depend on history, which is in state
 *	  expr*			  by --filter
 *	  thin			  --every, --sample, --max-rate, --max-samples
 *	needed, front		what --sideband=needed puts in front of a record
 *	side			one of the two outputs; with totals, for READ values, and the changes on the way (out.h):
 *	  thin_attr, anon*, drop*, columns
 *	nothing, near		why no sample was kept
 *	tee			a payload that both outputs get
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "anon/anon_dict.h"
#include "sink/sink.h"
#include "decide.h"
#include "front.h"
#include "hold.h"
#include "nothing.h"
#include "side.h"
#include "stats.h"
#include "survey.h"
#include "tee.h"
#include "sink/tmpfile.h"

enum { MEMORY = 256 << 20 };
/* A verdict: where to; dropped, but its period goes to those that are kept; and the number of its front. */
enum { MAIN = 1, REST = 2, BOTH = 3, OWED = 4, SIDE_BITS = 3 };

struct job {
	struct tool	 t;
	struct options	 o;
	struct decide	 decide;
	struct hold	*hold;		/* NULL: everything is decided at once */
	bool		 rejects;	/* what the keys in a sample reject is dropped */
	struct pp_state	*state;
	struct side	 side[2];
	int		 nsides;	/* 2: -U */
	struct front	 front;
	struct tee	*tee;
	uint8_t		*with_period;	/* where samples are put together that get one; NULL: none do */
	uint64_t	 others;	/* records of perf's own */
	struct atomic	 rest;		/* -U */
	uint64_t	 left_out;	/* of these, at the head: hold does not count them */
	struct pp_err	 rest_err;
};

/* ---- one record ---------------------------------------------------------------------------------- */

/* What the record says of its task counts for the decisions to come, wherever the record itself goes.  1, or -1. */
static int
learn(struct job *j, const struct pp_event *ev, const struct pp_rec *r)
{
	if (!j->state || !pp_state_wants(r->type))
		return 1;
	if (pp_state_feed(j->state, r, pp_has_trailer(ev, r) ? ev->plan.trailer : 0) < 0)
		return -1;
	if (j->o.keys && state_keys_feed(j->o.keys, j->state, r) < 0)
		return pp_fail(&j->t.in_err, "out of memory");
	return 1;
}

/* Unless something else was said. */
static int
no_memory(struct job *j)
{
	return j->t.in_err.what[0] ? -1 : pp_fail(&j->t.in_err, "out of memory");
}

/* Which sides want a side-band record: those that need it. */
static int
sideband(struct job *j, const struct pp_event *ev, const struct pp_rec *r)
{
	int to = BOTH, needed, front;

	if (!pp_state_wants(r->type))
		return to;
	for (int i = 0; i < j->nsides; i++) {
		if (!j->side[i].needed || j->o.sel.has_aux)
			continue;
		front_side(&j->front, i);
		if ((needed = needed_sideband(j->side[i].needed, ev, r, front_put, &j->front)) < 0)
			return no_memory(j);
		to &= ~(!needed << i);
	}
	if ((front = front_take(&j->front)) < 0)
		return pp_fail(&j->t.in_err, "out of memory");
	if (learn(j, ev, r) < 0)
		return -1;
	for (int i = 0; i < j->nsides; i++)
		if (j->side[i].needed)
			needed_learned(j->side[i].needed, r);
	if (!(to & MAIN)) {
		j->decide.records[KEPT]--;
		j->decide.records[NOT_SIDEBAND]++;
	}
	return to | front << SIDE_BITS;
}

/* In time order, if anything depends on that: where does the record go?  -1: it is not sound. */
static int
judge(void *arg, const struct pp_event *ev, const struct pp_rec *r)
{
	struct job *j = arg;
	const struct hold_place *place;
	uint64_t since = UINT64_MAX;
	int why, to, side, front;

	if (j->hold) {
		place = hold_place(j->hold);
		since = place->since;
		j->decide.nr = place->nr + j->left_out;
		j->decide.offset = place->offset;
	}
	if ((why = decide(&j->decide, ev, r)) < 0)
		return -1;
	to = why == KEPT ? MAIN : REST;
	if (j->decide.shared && why != KEPT)
		return learn(j, ev, r) < 0 ? -1 : why == NOT_SIDEBAND ? 0 : REST;
	if (j->decide.shared)
		return j->state ? sideband(j, ev, r) : BOTH;
	if (j->o.thin.scale && why > 0 && decide_thinned((enum reason)why))
		to |= OWED;
	/* Nothing will become of it. */
	if (to == REST && j->nsides == 1 && !(r->type == PP_SAMPLE && j->t.in->events->reads))
		return 0;
	side = to != MAIN;
	if (side < j->nsides && j->side[side].needed && !j->o.sel.has_aux) {
		front_side(&j->front, side);
		if (needed_sample(j->side[side].needed, ev, r, since, front_put, &j->front) < 0)
			return no_memory(j);
	}
	if (j->o.thin.scale && to == MAIN)
		front_owe(&j->front, thin_owed(j->decide.thinner));
	if ((front = front_take(&j->front)) < 0)
		return pp_fail(&j->t.in_err, "out of memory");
	return to | front << SIDE_BITS;
}

/* A sample: one of its sides gets it, and both keep their READ totals right. */
static int
emit_sample(struct job *j, const struct pp_rec *r, int verdict, uint64_t owed, bool stable)
{
	struct pp_rec copy = *r;
	const struct pp_event *ev = pp_event_find(j->t.in->events, r, &j->t.in_err);

	if (!ev)
		return -1;
	if (j->o.thin.scale && verdict & MAIN) {
		copy.raw = thin_scale(j->decide.thinner, ev, r, owed);
		stable = stable && copy.raw == r->raw;
	}
	if (side_put_sample(&j->side[0], &j->t, ev, &copy, verdict & MAIN, verdict & OWED, stable) < 0)
		return -1;
	return j->nsides == 1 ? 1 : side_put_sample(&j->side[1], &j->t, ev, r, verdict & REST, false, stable);
}

/* What was put lies in bytes that will be overwritten. */
static int
flush(void *arg)
{
	struct job *j = arg;

	for (int i = 0; i < j->nsides; i++)
		if (j->side[i].sink && pp_flush(j->side[i].sink) < 0)
			return -1;
	return 1;
}

static int
before_refill(void *arg)
{
	struct job *j = arg;
	uint64_t total, done = pp_progress(j->t.in, &total);

	tool_progress(&j->t, done, total);
	return flush(j);
}

/* A record with a payload that both sides get. */
static int
put_again(void *arg, int which, struct pp_source *in, const struct pp_rec *r)
{
	struct job *j = arg;
	int rc;

	pp_before_refill(in, before_refill, j);
	rc = side_put(&j->side[which], in, r, false);
	return flush(j) < 0 ? -1 : rc;
}

/* In order of arrival: write the record where judge() said. */
static int
emit(void *arg, const struct pp_rec *r, int verdict, bool stable)
{
	struct job *j = arg;
	struct pp_rec before;
	int front, side, rc = 1;
	uint64_t owed;

	if (verdict == HOLD_OWN)
		verdict = BOTH;
	front = verdict >> SIDE_BITS;
	for (size_t at = 0; front && (side = front_get(&j->front, front, &at, &before, j->t.in->swap)) >= 0; )
		if (side_put_other(&j->side[side], j->t.in, &before, j->o.sel.has_aux, false) < 0)
			return -1;
	owed = front_owed(&j->front, front);
	front_free(&j->front, front);
	if (r->type == PP_SAMPLE && (j->t.in->events->reads || j->o.thin.scale))
		return emit_sample(j, r, verdict, owed, stable);
	if (r->payload && verdict == BOTH && j->tee)
		return tee_put(j->tee, j->t.in, r, j->nsides, put_again, j, &j->t.in_err);
	for (int i = 0; rc > 0 && i < j->nsides; i++)
		if (verdict >> i & 1)
			rc = r->type == PP_SAMPLE ? side_put(&j->side[i], j->t.in, r, stable) :
			    side_put_other(&j->side[i], j->t.in, r, j->o.sel.has_aux, stable);
	return rc;
}

/* ---- the stream ---------------------------------------------------------------------------------- */

/* There is hardware trace: all of it stays, or goes. */
static void
notice_trace(struct job *j)
{
	const struct options *o = &j->o;

	if (j->o.sel.has_aux || drop_trace(&o->drop) || o->columns.strip_aux)
		return;
	j->o.sel.has_aux = true;
	if (o->sel.keys || o->sel.decided_elsewhere)
		tool_warn(&j->t, "samples are selected, but hardware trace cannot be cut: all of it stays "
		    "(--drop-type aux,auxtrace,auxtrace_info leaves it out)");
}

/* What has to be known of a record of perf's own; false: it does not hold for what is kept. */
static bool
notice(struct job *j, const struct pp_rec *r)
{
	j->others++;
	if (j->decide.nr == j->decide.made + 1)
		j->decide.made += pp_made(j->t.in, r);
	if (r->type == PP_AUXTRACE_INFO)
		notice_trace(j);
	if (j->o.expr)
		expr_learn(j->o.expr, r, j->t.in->swap);
	return r->type != PP_HEADER_FEATURE || select_feature(&j->o.sel, &j->t, r);
}

/* What the source did not find wrong itself has no place yet. */
static int
placed(struct job *j, const struct pp_rec *r, int rc)
{
	return rc < 0 && j->t.in_err.what[0] && !j->t.in_err.at ? pp_reject(j->t.in, r) : rc;
}

/* One record of the source.  -1: the source, a change or a sink has failed, and says why. */
static int
take(struct job *j, const struct pp_rec *r)
{
	struct tool *t = &j->t;
	const struct pp_event *ev;
	const struct pp_rec *x = r;	/* what is decided on and written */
	struct pp_rec new;
	int to = BOTH, rc = 1;

	j->decide.nr++;
	if (r->type >= PP_USER_TYPE_START && !notice(j, r)) {
		j->left_out++;
		return 1;
	}
	if (j->with_period) {
		new = *r;
		x = &new;
		j->decide.offset = pp_offset(t->in, r);
		if (thin_add_period(t->in, &new, j->with_period, &t->in_err) < 0)
			return placed(j, r, -1);
	}
	if (j->hold)
		rc = hold_put(j->hold, x, r);
	else if (r->type < PP_USER_TYPE_START && (!(ev = pp_event_find(t->in->events, x, &t->in_err)) ||
	    (to = judge(j, ev, x)) < 0))
		rc = -1;
	else
		rc = emit(j, x, to, x->raw == r->raw);
	return placed(j, r, rc);
}

/* Nothing but keys that stand in the record: straight from the source's buffer to the sink. */
static inline int
take_plain(struct job *j, const struct pp_rec *r)
{
	struct tool *t = &j->t;
	const struct pp_event *ev;
	int why;

	j->decide.nr++;
	if (r->type >= PP_USER_TYPE_START)
		return notice(j, r) ? pp_put(t->out, t->in, r) : 1;
	if (!(ev = pp_event_find(t->in->events, r, &t->in_err)) || (why = decide(&j->decide, ev, r)) < 0)
		return pp_reject(t->in, r);
	if (r->type == PP_SAMPLE && t->in->events->reads)
		return placed(j, r, side_put_sample(&j->side[0], t, ev, r, why == KEPT, false, true));
	return why == KEPT ? pp_put(t->out, t->in, r) : 1;
}

/*
 * The head of the stream.  Nothing of it is written before the names in the options were found in it: whoever reads the
 * output gets a stream, or nothing.  1, or -1.
 */
static int
filter_head(struct job *j)
{
	struct tool *t = &j->t;
	struct pp_rec r;
	int rc = 1, got = 1;

	while (rc > 0 && !j->decide.bound && !j->decide.full && (got = pp_next(t->in, &r)) > 0) {
		decide_head(&j->decide, &r);
		rc = take(j, &r);
	}
	if (got == 0)
		decide_head_end(&j->decide);
	for (int i = 0; rc > 0 && i < j->nsides; i++)
		rc = side_let_go(&j->side[i]);
	return rc;
}

static void
filter(struct job *j)
{
	bool plain = !j->o.stats && !j->hold && !j->state && !j->side[0].first && j->nsides == 1 && j->t.out && !j->o.thin.scale;
	struct tool *t = &j->t;
	struct pp_rec r;
	int rc = plain && j->o.sel.nothing ? side_let_go(&j->side[0]) : filter_head(j);

	if (plain && j->o.sel.nothing)
		while (rc > 0 && pp_next(t->in, &r) > 0)
			rc = pp_put(t->out, t->in, &r);
	else if (plain)
		while (rc > 0 && !j->decide.full && pp_next(t->in, &r) > 0)
			rc = take_plain(j, &r);
	else
		while (rc > 0 && !j->decide.full && pp_next(t->in, &r) > 0)
			rc = take(j, &r);
	if (j->hold) {
		hold_finish(j->hold);
		if (hold_early(j->hold))
			tool_warn(t, "%llu records came too late for the time order that --max-memory allowed for",
			    (unsigned long long)hold_early(j->hold));
	}
	for (int i = 0; i < j->nsides; i++)
		side_finish(&j->side[i]);
}

/*
 * A sample that the keys in it reject has no part in anything, unless it goes to -U or counts elsewhere: so it need not
 * wait.
 */
static int
arrive(void *arg, const struct pp_event *ev, const struct pp_rec *r)
{
	struct job *j = arg;
	int why;

	if (!j->rejects || r->type != PP_SAMPLE || j->t.in->events->reads ||
	    (why = select_sample(&j->o.sel, ev, r, j->t.in->swap)) <= KEPT || why == CANNOT_SAY)
		return -1;
	j->decide.samples[why]++;
	return 0;
}

/* What waits with the records that hold.c holds. */
static size_t
more(void *arg)
{
	return ((struct job *)arg)->front.held;
}

/* Do records wait for their turn? */
static bool
waits(const struct job *j)
{
	return options_need_order(&j->o) ||
	    (j->o.order == ORDER_AUTO && expr_needs_start(j->o.expr) && !j->decide.about.start);
}

static int
hold_start(struct job *j)
{
	const struct options *o = &j->o;
	struct hold_user user = { arrive, judge, emit, flush, more, j, { false } };
	bool turns = options_need_turns(o) || (expr_needs_start(o->expr) && !j->decide.about.start);

	for (uint32_t type = 0; type < PP_USER_TYPE_START; type++)
		user.ordered[type] = pp_state_wants(type) || (type == PP_SAMPLE && turns);
	j->rejects = !o->rejected && !o->sel.invert && !o->sel.type && !o->thin.scale && !expr_needs_place(o->expr);
	j->hold = hold_new(j->t.in, &user, o->memory, &j->t.in_err);
	return j->hold ? 1 : -1;
}

/* A file has no name yet, and nobody sees what is in it. */
static void
hold_back(struct side *s, const struct atomic *file)
{
	if (!s->sink || !file->direct)
		return;
	s->holds = true;
	pp_hold(s->sink);
}

/* All that decisions and outputs need.  -1: t.in_err says why not. */
static int
start(struct job *j)
{
	struct options *o = &j->o;
	struct tool *t = &j->t;

	if (options_need_state(o) && !(j->state = pp_state_new(t->in->swap, &t->in_err)))
		return -1;
	if (waits(j) && hold_start(j) < 0)
		return -1;
	if (thin_adds_period(&o->thin))
		j->with_period = tool_alloc(1, PP_RECORD_MAX + 8);
	if (decide_start(&j->decide, t, o, j->state) < 0)
		return -1;
	j->decide.held = j->hold;
	j->decide.copied = j->hold || j->with_period;
	j->nsides = o->rejected ? 2 : 1;
	j->side[0].sink = t->out;
	for (int i = 0; i < j->nsides; i++)
		if (side_start(&j->side[i], t, o, j->state, i) < 0)
			return -1;
	hold_back(&j->side[0], &t->file);
	hold_back(&j->side[1], &j->rest);
	return 1;
}

static bool
is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

static struct pp_sink *
open_sink(struct tool *t, struct atomic *file, const char *path, struct pp_err *err)
{
	tool_create(t, file, path, err);
	return tool_sink(t, file, t->in);
}

/* What of -U can be refused before anything is read. */
static void
check_rest(const struct job *j)
{
	const char *rest = j->o.rejected;

	if (j->o.dry_run || !rest)
		return;
	if (is_stdout(rest) && isatty(STDOUT_FILENO))
		tool_wrong(&j->t, "--rejected: the output is binary and standard output a terminal");
	if (is_stdout(rest) && j->t.as_file)
		tool_wrong(&j->t, "--rejected: --format=file needs a file that can seek");
	tool_refuse_file(&j->t, rest);
}

static void
open_outputs(struct job *j)
{
	struct tool *t = &j->t;
	const char *rest = j->o.rejected;

	if (j->o.dry_run)
		return;
	t->out = open_sink(t, &t->file, t->out_name, &t->out_err);
	if (!rest)
		return;
	if (!(j->tee = tee_new())) {
		pp_fail(&j->rest_err, "needs a temporary file: %s: %s", pp_tmpdir(NULL), strerror(errno));
		j->rest_err.file = "--rejected";
		tool_say(t, &j->rest_err);
		exit(1);
	}
	j->side[1].sink = open_sink(t, &j->rest, rest, &j->rest_err);
	if (atomic_same(&j->rest, &t->file))
		tool_wrong(t, "--rejected '%s': is the output too", rest);
}

/* The ends of the recording, if it can be read twice. */
static void
survey(struct job *j)
{
	struct times *times = &j->o.sel.times;
	struct survey s;

	survey_times(&j->t, times->needs_last, &s);
	j->decide.about.start = s.first;
	if (s.first && times->needs_first)
		times_ends(times, &j->t, s.first, s.last);
}

static void
stats(const struct job *j)
{
	struct stats s = { &j->decide, j->others, j->side, j->nsides, j->hold ? hold_early(j->hold) : 0, j->o.dry_run };

	stats_print(&s, j->o.stats == STATS_JSON, stderr);
}

/* --explain without an input: what can be said without one. */
static int
explain(struct job *j)
{
	expr_explain(j->o.expr, waits(j), stdout);
	options_free(&j->o);
	return fclose(stdout) ? 1 : 0;
}

int
main(int argc, char **argv)
{
	static struct job j = { .t = { .name = "pfilter", .opts = options_table, .allow = OPTIONS_ALLOW,
	    .purpose = "Select samples of a perf recording.", .examples = options_examples },
	    .o.memory = MEMORY };
	char nothing[2048] = "";
	int key, status;

	while ((key = tool_getopt(&j.t, argc, argv)) != -1)
		options_take(&j.t, &j.o, key);
	options_done(&j.t, &j.o);
	if (j.o.undo)
		return anon_undo(&j.t, j.o.undo);
	if (j.o.explain && !j.t.in_name && isatty(STDIN_FILENO))
		return explain(&j);
	tool_check(&j.t);
	check_rest(&j);
	if (j.o.sel.times.needs_first || expr_needs_start(j.o.expr))
		survey(&j);
	tool_open_input(&j.t, 0);
	open_outputs(&j);
	pp_before_refill(j.t.in, before_refill, &j);
	tool_ready(&j.t);
	if (start(&j) > 0)
		filter(&j);
	pp_finish(j.side[1].sink);	/* a failure is kept in rest_err */
	anon_dict_finish(j.o.anon.dict);
	if (!j.o.sel.nothing && nothing_kept(&j.decide))
		nothing_say(&j.decide, nothing, sizeof nothing);
	status = tool_close(&j.t) | (j.rest_err.what[0] != 0);
	if (!status && *nothing)
		tool_warn(&j.t, "%s", nothing);
	status |= j.o.fail_if_empty && nothing_kept(&j.decide);
	if (j.o.stats)
		stats(&j);
	hold_free(j.hold);
	pp_state_free(j.state);
	front_end(&j.front);
	tee_free(j.tee);
	decide_end(&j.decide);
	anon_dict_free(j.o.anon.dict);
	free(j.with_period);
	options_free(&j.o);
	return status;
}

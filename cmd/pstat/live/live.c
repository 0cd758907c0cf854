/* SPDX-License-Identifier: ISC */
/*
 * live.c - figures while the input is read, and the input itself: --interval, --live, --tee.
 *
 *	live.c		when something is written; signals
 *	interval.c	what each interval has
 *	ring.c		samples by keys in the intervals that are open
 *	top.c		those keys as text and JSON
 *	line.c		--interval: a line of it
 *	draw.c		--live: a screen of the last minute
 *	tee.c		--tee
 *
 * The reading of a stream waits here (pp_watch), so that a line can be written though nothing comes.
 */
#include <sys/stat.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "count/part.h"
#include "live/draw.h"
#include "live/interval.h"
#include "live/line.h"
#include "live/tee.h"
#include "live/top.h"
#include "source/watch.h"
#include "join/clock.h"
#include "report/forms.h"
#include "sort/sort.h"

enum { EVERY_SCREEN = 1000000000 };	/* ns */

struct live {
	struct tool	*t;
	struct counts	*c;
	const struct asked *asked;
	uint64_t	 every;		/* ns; 0: no intervals */
	bool		 json;		/* lines of --interval are objects */
	char		 between;	/* ... or rows, with that between cells; 0: they are not */
	struct pp_watch	 watch;
	struct tee	*tee;
	struct intervals *intervals;
	struct draw	*draw;
	struct lines	 lines;
	struct sort	*sort;		/* whose keys intervals have; NULL: none */
	bool		 over;		/* the input has ended */
	struct timespec	 heard;		/* when something was read, or a line written that nothing was */
};

/* ---- signals --------------------------------------------------------------------------------------- */

static volatile sig_atomic_t live_ended;	/* by this signal */
static volatile sig_atomic_t live_forgiven;	/* one SIGINT is for the writer of the pipe, which then writes its end */

static void
live_signal(int sig)
{
	if (sig == SIGINT && live_forgiven) {
		live_forgiven = 0;
		return;
	}
	live_ended = sig;
	signal(sig, atomic_ended);		/* the second one ends the process at once */
}

static const int live_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
enum { SIGNALS = sizeof live_signals / sizeof *live_signals };

/*
 * restart: a call that waits goes on after the signal, as stdio needs it; else it ends, so that no write of the stream keeps the
 * process.
 */
static void
live_catch(const struct live *l, bool restart)
{
	struct sigaction now = { .sa_handler = live_signal, .sa_flags = restart ? SA_RESTART : 0 }, old;

	for (int i = 0; i < SIGNALS; i++)
		if ((live_signals[i] != SIGPIPE || l->tee) && sigaction(live_signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN && old.sa_handler != atomic_ended)
			sigaction(live_signals[i], &now, NULL);
}

static bool
live_is_pipe(const struct live *l)
{
	struct stat st;

	return (!l->t->in_name || !strcmp(l->t->in_name, "-")) && fstat(STDIN_FILENO, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* No signal comes while a line is written. */
static void
live_hold(bool hold)
{
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < SIGNALS; i++)
		if (live_signals[i] != SIGPIPE)
			sigaddset(&set, live_signals[i]);
	sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

/* ---- lines ----------------------------------------------------------------------------------------- */

/* Does the input come while it is read? */
static bool
live_flows(const struct tool *t)
{
	struct stat st;

	return pp_poll_fd(t->in) >= 0 && fstat(pp_poll_fd(t->in), &st) == 0 && !S_ISREG(st.st_mode);
}

/* The clock of the times, if the input is a pipe and that clock can be read. */
static int64_t
live_clock(const struct tool *t)
{
	int64_t clock = clock_of_events(t->in->events);

	if (!live_flows(t))
		return -1;
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME ||
	    clock == CLOCK_TAI ? clock : -1;
}

/* How far the clock is ahead of that time, ns; -1: unknown. */
static int64_t
live_behind(const struct live *l, uint64_t time)
{
	struct timespec now;
	int64_t ahead;

	int64_t clock = live_clock(l->t);

	if (l->over || clock < 0 || clock_gettime((clockid_t)clock, &now) < 0)
		return -1;
	ahead = (int64_t)((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - time);
	return ahead < 0 ? -1 : ahead;
}

/* an interval_done */
static void
live_interval(void *arg, const struct interval *v)
{
	struct live *l = arg;
	int64_t behind = v->timed ? live_behind(l, v->start + l->every) : -1;

	live_hold(true);
	if (l->draw)
		draw_add(l->draw, v, behind);
	else
		line_interval(&l->lines, v, behind);
	live_hold(false);
}

static int64_t
live_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)(now.tv_sec - then->tv_sec) * 1000000000 + now.tv_nsec - then->tv_nsec;
}

/* Nothing came for an interval of the clock. */
static void
live_silent(struct live *l)
{
	if (!intervals_idle(l->intervals)) {
		live_hold(true);
		if (l->draw)
			draw_wait(l->draw);
		else if (l->lines.f)
			line_waiting(&l->lines);
		live_hold(false);
	}
	clock_gettime(CLOCK_MONOTONIC, &l->heard);
}

/* ---- reading --------------------------------------------------------------------------------------- */

/* Go on reading? */
static int
live_go_on(struct live *l)
{
	if (live_ended || (l->tee && tee_failed(l->tee)) || (!l->tee && l->lines.f && ferror(l->lines.f)))
		return -1;
	return 1;
}

/* The `wait' of struct pp_watch. */
static int
live_wait(void *arg, int fd)
{
	struct live *l = arg;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	for (;;) {
		int64_t left = l->intervals ? (int64_t)l->every - live_since(&l->heard) : -1;
		int ready, ms = !l->intervals ? -1 : left <= 0 ? 0 : left / 1000000 >= INT32_MAX ? INT32_MAX : (int)(left / 1000000) + 1;

		if (live_go_on(l) < 0)
			return -1;
		ready = poll(&p, 1, ms);
		if (ready > 0 || (ready < 0 && errno != EINTR))
			break;
		if (ready == 0)
			live_silent(l);
	}
	clock_gettime(CLOCK_MONOTONIC, &l->heard);
	return 1;
}

/* The `took' of struct pp_watch. */
static int
live_took(void *arg, const uint8_t *p, size_t n)
{
	struct live *l = arg;

	return tee_bytes(l->tee, p, n);
}

/* pp_before_refill() */
static int
live_before_refill(void *arg)
{
	struct live *l = arg;
	uint64_t total, done = pp_progress(l->t->in, &total);

	if (l->tee && tee_flush(l->tee) < 0)
		return -1;
	tool_progress(l->t, done, total);
	return live_go_on(l);
}

/* report_form: that of --json on one line, as it comes after others. */
static int
live_json(FILE *f, const struct report *r)
{
	char *text;
	size_t size, n = 0;
	FILE *to = tool_text(&text, &size);
	int rc = json(to, r);

	tool_text_end(to, &text);
	for (size_t i = 0; rc > 0 && i < size; i++)	/* in a string it would be escaped */
		if (text[i] != '\n')
			text[n++] = text[i];
	if (rc > 0) {
		fwrite(text, 1, n, f);
		fputc('\n', f);
	}
	free(text);
	return rc;
}

/* report_form: what there is to say was written while the input was read. */
static int
live_rows_only(FILE *f, const struct report *r)
{
	(void)f;
	(void)r;
	return 1;
}

/* ---- begin and end --------------------------------------------------------------------------------- */

static void *
live_new(struct pass *p)
{
	const struct asked *a = p->asked;
	struct live *l;

	if (!a->every && !a->live && !a->tee)
		return NULL;
	if (a->live && !isatty(STDERR_FILENO))
		tool_wrong(p->t, "--live: standard error is not a terminal; --interval 1s writes lines instead");
	l = tool_alloc(1, sizeof *l);
	l->t = p->t;
	l->c = p->c;
	l->asked = a;
	l->every = a->every ? a->every : a->live ? EVERY_SCREEN : 0;
	l->json = p->form == json;
	if (a->every && l->json)
		p->form = live_json;
	if (a->every && !a->live && (p->form == csv || p->form == tsv)) {
		if (!a->table || strcmp(a->table, "sort") || !a->keys || sort_has_key(a->keys, "time"))
			tool_wrong(p->t, "--interval: as CSV needs --table sort, and --sort without the key time");
		l->between = p->form == csv ? ',' : '\t';
		p->form = live_rows_only;
	}
	return l;
}

/* Take over signals, and standard output. */
static void
live_prepare(void *part, struct pass *p)
{
	struct live *l = part;

	if (l->asked->tee)
		l->tee = tee_new(l->t, &live_ended);
	live_forgiven = live_is_pipe(l);
	live_catch(l, false);
	p->to_stderr = l->asked->tee && !l->t->out_name;
}

static void
live_open(void *part, struct pass *p)
{
	struct live *l = part;

	if (l->tee) {
		tool_refuse_input(l->t, NULL);
		tee_refuse(l->t, fileno(p->f));
	}
	/* the time of a row of --sort time is that of bins, which are no intervals */
	l->sort = l->asked->keys && !sort_has_key(l->asked->keys, "time") ? p->part[PART_sort] : NULL;
	if (l->every) {
		l->t->began.tv_sec = 0;		/* no line of progress between the others */
		l->intervals = intervals_new(l->c, l->every, l->sort, live_interval, l);
		if (!l->asked->live)
			l->lines = (struct lines){ .f = p->f, .err = &l->t->out_err, .every = l->every, .json = l->json, .between = l->between,
			    .sort = l->sort };
	}
	clock_gettime(CLOCK_MONOTONIC, &l->heard);
	l->watch = (struct pp_watch){ .wait = live_wait, .took = l->tee ? live_took : NULL, .arg = l };
	pp_watch(l->t->in, &l->watch);
}

static void
live_begin(void *part, struct pass *p)
{
	struct live *l = part;

	(void)p;
	if (!l->t->in)
		return;
	if (l->tee && !pp_watch_took(l->t->in)) {
		if (l->asked->check)	/* both would read payloads */
			tool_wrong(l->t, "--tee: with --check, needs a pipe-mode stream as input");
		tee_begin_records(l->tee, l->c);
	}
	pp_before_refill(l->t->in, live_before_refill, l);
}

static bool
live_end(void *part, struct pass *p)
{
	struct live *l = part;

	(void)p;
	l->over = true;
	live_catch(l, true);
	if (l->tee && !l->t->out_name)		/* in place of the progress comes the report */
		tool_progress_end(l->t);
	return true;
}

/* If the stream was damaged, copy the rest of it. */
static void
live_rest(struct live *l)
{
	struct tool *t = l->t;

	if (!l->tee || !t->in || live_go_on(l) < 0)
		return;
	if (t->in_err.what[0]) {	/* it may be long until the stream ends */
		tool_say(t, &t->in_err);
		t->in_err.what[0] = 0;
		t->failed = true;
	}
	live_catch(l, false);
	if (pp_watch_rest(t->in) < 0)
		t->failed = true;
}

static void
live_close(void *part, struct pass *p)
{
	struct live *l = part;

	if (p->f)
		live_rest(l);
	if (l->tee && !tee_close(l->tee))
		l->t->failed = true;
	l->tee = NULL;
}

/* It is freed after all else: if a signal has ended the reading, the process ends by it. */
static void
live_free(void *part)
{
	struct live *l = part;

	draw_free(l->draw);		/* unless it has ended */
	intervals_free(l->intervals);
	free(l);
	if (live_ended) {
		signal(live_ended, SIG_DFL);
		raise(live_ended);
	}
}

/* ---- intervals: they see records behind --sort, whose keys they have -------------------------------- */

static void *
intervals_new_part(struct pass *p)
{
	const struct live *l = p->part[PART_live];

	return l && l->every ? p->part[PART_live] : NULL;
}

static void
intervals_begin(void *part, struct pass *p)
{
	struct live *l = part;

	if (!l->t->in)
		return;
	lane_join(l->c, LANE_ALL, intervals_record, l->intervals);
	if (l->asked->live) {
		l->draw = draw_new(l->c, l->every, l->sort);
		l->t->make_way = draw_erase;
		l->t->make_way_arg = l->draw;
	}
	/* stacks are remembered as they are called when they come */
	if (l->sort && !p->asked->picture && !p->asked->privacy && live_flows(l->t))
		sort_hurry(l->sort);
}

static bool
intervals_over(void *part, struct pass *p)
{
	struct live *l = part;

	(void)p;
	if (l->intervals && l->t->in)
		intervals_end(l->intervals);
	if (l->between && !l->lines.n)
		top_csv(l->lines.f, l->between, l->sort, &(struct interval){ .nrows = 0 }, l->every, true);
	l->t->make_way = NULL;
	draw_free(l->draw);
	l->draw = NULL;
	intervals_free(l->intervals);
	l->intervals = NULL;
	return true;
}

/* It is the part above. */
static void
intervals_free_part(void *part)
{
	(void)part;
}

const struct part_kind part_intervals = { .new = intervals_new_part, .begin = intervals_begin, .end = intervals_over,
	.free = intervals_free_part };
const struct part_kind part_live = { .new = live_new, .prepare = live_prepare, .open = live_open, .begin = live_begin,
	.end = live_end, .close = live_close, .free = live_free };

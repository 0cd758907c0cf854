/* SPDX-License-Identifier: ISC */
/* drop.c - options of drop.h; holding records until the events to remove are known */
#include <sys/mman.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "in.h"
#include "record/meaning.h"
#include "set.h"
#include "sink/tmpfile.h"

enum { SIDES = 2, HEAD_MAX = 64 << 20 };

struct drop_spool {
	int	 fd[SIDES];
	unsigned used;
};

struct drop_out {
	struct out	 pub;
	const struct drop *what;
	struct dropping	 d;
	bool		 chosen;
	unsigned	 named;		/* events before this one have names of their own */
	uint8_t		*head;		/* held records with their payloads */
	size_t		 nhead, cap;
	int		 fd;		/* file of held records instead; -1: none */
	struct pp_sink	*spool;
	struct pp_err	 spool_err;
	bool		*used;		/* by index of the event */
	unsigned	 nused;
	uint64_t	 dropped;	/* records */
};

/* ---- options ----------------------------------------------------------------------------------------- */

/* Why removing the types of a class changes the meaning of kept samples; NULL: it does not. */
static const char *const needed_for[PP_CLASSES] = {
	[PP_CLASS_ATTR] = "nothing can be read",
	[PP_CLASS_MAP] = "samples lose their symbols",
	[PP_CLASS_SYMBOL] = "samples lose their symbols",
	[PP_CLASS_BUILD_IDS] = "samples lose their symbols",
	[PP_CLASS_TASK] = "samples are assigned to other tasks",
	[PP_CLASS_CGROUP] = "samples are assigned to other tasks",
	[PP_CLASS_NAMES] = "events lose their names",
	[PP_CLASS_FORMATS] = "tracepoints cannot be read",
	[PP_CLASS_LOSS] = "losses of records are no longer visible",
	[PP_CLASS_EVENT_LOSS] = "losses of records are no longer visible",
	[PP_CLASS_ROUND] = "readers cannot sort a live stream",
	[PP_CLASS_DEFERRED] = "call chains end early (--strip callchain removes all of them)",
	[PP_CLASS_PACKED] = "nothing changes, because they are expanded",
	[PP_CLASS_TRACE] = "the rest of the hardware trace is useless (--drop-type aux,auxtrace,auxtrace_info removes all of it)",
	[PP_CLASS_TRACE_HEAD] = "the rest of the hardware trace is useless (--drop-type aux,auxtrace,auxtrace_info removes all of it)",
};

struct listing {
	const struct tool *t;
	struct drop	*d;
};

static void
add_type(void *arg, const char *word)
{
	struct listing *w = arg;
	struct drop *d = w->d;
	int64_t n = pp_type_number(word);
	char number[24];
	const char *why;

	if (n < 0)
		tool_wrong(w->t, "--drop-type '%s': no such record type; expected names such as TEXT_POKE or SWITCH, or numbers",
		    word);
	if ((why = needed_for[pp_type_class((uint32_t)n)])) {
		d->refused = tool_need(array_more(d->refused, d->nrefused, 1, sizeof *d->refused));
		d->refused[d->nrefused++] = (struct drop_refused){ (uint32_t)n, why };
	}
	snprintf(number, sizeof number, "%jd", (intmax_t)n);
	tool_list(w->t, &d->types, number);
}

void
drop_types(struct tool *t, void *drop)
{
	tool_words(t, t->optarg, add_type, &(struct listing){ t, drop });
}

void
drop_unused(struct tool *t, void *drop)
{
	struct drop *d = drop;

	if (d->spool)
		return;
	d->spool = tool_alloc(1, sizeof *d->spool);
	for (unsigned i = 0; i < SIDES; i++)
		if ((d->spool->fd[i] = pp_tmpfile(NULL)) < 0) {
			struct pp_err err = { .file = "--drop-unused-events" };

			pp_fail(&err, "needs a temporary file: %s: %s", pp_tmpdir(NULL), strerror(errno));
			tool_say(t, &err);
			exit(1);
		}
}

bool
drop_trace(const struct drop *d)
{
	return tool_list_has(&d->types, PP_AUX) && tool_list_has(&d->types, PP_AUXTRACE) &&
	    tool_list_has(&d->types, PP_AUXTRACE_INFO);
}

void
drop_ready(const struct tool *t, const struct drop *d)
{
	bool trace = drop_trace(d);

	for (size_t i = 0; i < d->nrefused && !tool_allows(t, "vital-types"); i++)
		if (!trace || !pp_type_is(d->refused[i].type, PP_CLASSES_TRACE))
			tool_wrong(t, "--drop-type '%s': without it %s; --allow vital-types permits it",
			    pp_type_name(d->refused[i].type), d->refused[i].why);
}

bool
drop_any(const struct drop *d)
{
	return d->events.n || d->types.n || d->spool;
}

void
drop_free(struct drop *d)
{
	select_events_free(&d->events);
	tool_list_free(&d->types);
	free(d->refused);
	for (unsigned i = 0; d->spool && i < SIDES; i++)
		close(d->spool->fd[i]);
	free(d->spool);
}

/* ---- holding ----------------------------------------------------------------------------------------- */

/* Do all events have names from the stream, not ones that perf would generate? */
static bool
all_named(struct drop_out *o)
{
	const struct pp_events *e = o->d.events;

	while (o->named < e->n && e->ev[o->named]->name_from)
		o->named++;
	return o->named == e->n;
}

/*
 * Is the record part of the head of the stream, in which events get names?  perf record names them in EVENT_DESC, before the
 * first record of the kernel.  perf stat, and streams without that feature, use EVENT_UPDATE after the synthesised records, which
 * have no time.
 */
static bool
in_head(struct drop_out *o, const struct pp_rec *r)
{
	struct pp_err err = { .what = "" };
	const struct pp_event *ev;
	uint64_t time;

	if (r->size + r->payload > HEAD_MAX - o->nhead)
		return false;
	if (r->type >= PP_USER_TYPE_START)
		return !pp_type_is(r->type, PP_CLASS_BIT(STAT) | PP_CLASS_BIT(ROUND) | PP_CLASS_BIT(MARK) | PP_CLASS_BIT(TRACE));
	return r->type != PP_SAMPLE && !all_named(o) && (ev = pp_event_find(o->d.events, r, &err)) &&
	    ev->plan.t_time && !pp_time(ev, r, o->d.swap, &time);
}

static int
hold_bytes(struct drop_out *o, const uint8_t *p, size_t n)
{
	uint8_t *head;

	if (o->spool)
		return pp_put_copy(o->spool, p, n) < 0 ? pp_tmpfile_fail(o->d.err, NULL, o->spool_err.what) : 1;
	if (!(head = buffer_more(o->head, &o->cap, o->nhead, n)))
		return pp_fail_memory(o->d.err);
	o->head = head;
	memcpy(o->head + o->nhead, p, n);
	o->nhead += n;
	return 1;
}

static int
hold(struct drop_out *o, struct pp_source *in, const struct pp_rec *r)
{
	const uint8_t *p;
	size_t n;
	int rc = hold_bytes(o, r->raw, r->size);

	while (rc > 0 && r->payload && (rc = pp_payload(in, &p, &n)) > 0)
		rc = hold_bytes(o, p, n);
	return rc < 0 ? -1 : 1;
}

static int
note_use(struct drop_out *o, const struct pp_rec *r)
{
	const struct pp_events *e = o->d.events;
	const struct pp_event *ev = NULL;

	if (o->nused < e->n) {
		o->used = tool_need(reallocarray(o->used, e->n, sizeof *o->used));
		for (; o->nused < e->n; o->nused++)
			o->used[o->nused] = drop_tracking(e->ev[o->nused]) != 0;
	}
	if (r->type < PP_USER_TYPE_START && !(ev = pp_event_find(e, r, o->d.err)))
		return -1;
	drop_note_use(o->used, o->nused, e, ev, r);
	return 1;
}

/* ---- deciding ---------------------------------------------------------------------------------------- */

/* Set `gone' of the events to remove; returns the number of kept events. */
static unsigned
set_gone(struct drop_out *o)
{
	const struct drop *what = o->what;
	struct dropping *d = &o->d;
	unsigned stay = 0, spare = d->n;

	for (unsigned i = 0; i < d->n; i++) {
		bool named = select_any_names(&what->events, d->events->ev[i]);

		d->gone[i] = named || (what->spool && !(i < o->nused && o->used[i]));
		stay += !d->gone[i];
		if (!named && spare == d->n)
			spare = i;
	}
	if (!stay && spare < d->n) {	/* a stream needs at least one event, used or not */
		d->gone[spare] = false;
		stay = 1;
	}
	return stay;
}

static int
choose_events(struct drop_out *o)
{
	struct dropping *d = &o->d;
	bool cut = d->err->what[0] != 0;	/* the input is damaged: report that instead */
	unsigned stay;

	o->chosen = true;
	if (!(d->n = d->events->n))
		return 1;
	if (!cut)
		select_check_names(d->tool, &o->what->events, "--drop-event");
	if (!(d->gone = calloc(d->n, sizeof *d->gone)))
		return pp_fail_memory(d->err);
	if (!(stay = set_gone(o)) && !cut)
		tool_wrong(d->tool, "--drop-event: this would remove all events of the recording; one must remain");
	if (!stay || stay == d->n) {
		free(d->gone);
		d->gone = NULL;
		return 1;
	}
	for (unsigned i = 0; i < d->n; i++)
		if (d->gone[i])
			tool_note(d->tool, "event %s is removed", d->events->ev[i]->name);
	return drop_settle(d);
}

/* ---- records ----------------------------------------------------------------------------------------- */

static int
pass(struct drop_out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct pp_rec new = *r;
	int rc = 1;

	if (o->what->types.n && tool_list_has(&o->what->types, r->type))
		rc = 0;
	else if (o->d.gone)
		rc = drop_record(&o->d, &new);
	o->dropped += !rc;
	if (rc <= 0)
		return rc < 0 ? -1 : 1;
	return o->pub.next->put(o->pub.next, in, &new, stable && new.raw == r->raw);
}

/* Process the held records at p. */
static int
replay_bytes(struct drop_out *o, const uint8_t *p, size_t n)
{
	struct pp_err err;
	struct pp_source *mem = pp_open_memory(p, n, o->d.swap, "<held>", &err);
	struct pp_rec r;
	int rc = mem ? 1 : -1;

	while (rc > 0 && (rc = pp_next(mem, &r)) > 0)
		rc = pass(o, mem, &r, false);
	if (mem)
		pp_close(mem);
	return rc < 0 && err.what[0] ? pp_fail(o->d.err, "%s", err.what) : rc < 0 ? -1 : 1;
}

static int
replay(struct drop_out *o)
{
	uint64_t n = o->spool ? pp_written(o->spool) : 0;
	uint8_t *p;
	int rc;

	if (!o->spool) {
		rc = o->nhead ? replay_bytes(o, o->head, o->nhead) : 1;
		free(o->head);
		o->head = NULL;
		return rc;
	}
	if (!n)
		return 1;
	if ((p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, o->fd, 0)) == MAP_FAILED)
		return pp_tmpfile_fail(o->d.err, NULL, strerror(errno));
	madvise(p, n, MADV_SEQUENTIAL);
	rc = replay_bytes(o, p, n);
	munmap(p, n);
	return rc;
}

static int
put(struct out *out, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct drop_out *o = (struct drop_out *)out;

	if (o->chosen)
		return pass(o, in, r, stable);
	if (o->spool)
		return note_use(o, r) < 0 ? -1 : hold(o, in, r);
	if (in_head(o, r))
		return hold(o, in, r);
	if (choose_events(o) < 0 || replay(o) < 0)
		return -1;
	return pass(o, in, r, stable);
}

static int
finish(struct out *out)
{
	struct drop_out *o = (struct drop_out *)out;
	struct out *next = out->next;
	int rc = 1;

	if (o->spool && pp_flush(o->spool) < 0)
		rc = pp_tmpfile_fail(o->d.err, NULL, o->spool_err.what);
	if (rc > 0 && !o->chosen)
		rc = choose_events(o) < 0 || replay(o) < 0 ? -1 : 1;
	pp_finish(o->spool);
	tool_note(o->d.tool, "removed with events and types: %ju records", (uintmax_t)o->dropped);
	drop_settled_free(&o->d);
	free(o->d.buf);
	free(o->head);
	free(o->used);
	free(o);
	return next->finish(next) < 0 ? -1 : rc;
}

struct out *
drop_new(const struct tool *tool, const struct drop *what, struct pp_source *in, struct out *next, struct pp_err *err)
{
	struct drop_out *o = calloc(1, sizeof *o);

	if (!o || !(o->d.buf = malloc(PP_REWRITE_SIZE))) {
		free(o);
		pp_fail_memory(err);
		return NULL;
	}
	o->pub = (struct out){ .put = put, .finish = finish, .next = next };
	o->d.tool = tool;
	o->d.err = err;
	o->d.events = in->events;
	o->d.swap = in->swap;
	o->what = what;
	o->fd = -1;
	o->chosen = !what->events.n && !what->spool;
	if (what->spool && what->spool->used < SIDES) {
		o->fd = what->spool->fd[what->spool->used++];
		o->spool = pp_create_fd(fcntl(o->fd, F_DUPFD_CLOEXEC, 0), "temporary file", &o->spool_err);
	}
	if (!what->spool || o->spool)
		return &o->pub;
	pp_tmpfile_fail(err, NULL, o->spool_err.what);
	free(o->d.buf);
	free(o);
	return NULL;
}

/* SPDX-License-Identifier: ISC */
/*
 * out_pprof.c - samples as a profile of pprof
 *
 *  - Samples of equal stack, labels and event become one, with their number and the sum of their periods.
 *  - A stack begins with the ip.  Then come the frames of the callchain: where a mode was left, and the return addresses, each
 *    less one, so that it lies in the call.  An address belongs to the map that the process had at the time of the sample.
 *  - There are no names of functions: readers find them in the files, by map and build-id.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "in.h"
#include "out_pprof.h"
#include "record/event.h"
#include "record/feature.h"
#include "record/raw.h"
#include "record/shape.h"
#include "set.h"
#include "state/timeline.h"

enum { TEXT_MAX = 4096 };		/* bytes of the command line that are kept */

/* ---- files --------------------------------------------------------------------------------------- */

static void
pprof_begin_tables(struct pprof *o)
{
	memset(o->cache, 0, sizeof o->cache);
	o->facts.first = UINT64_MAX;
	o->facts.last = 0;
	pprof_tables_new(&o->tables);
}

static int
pprof_end_file(struct pprof *o)
{
	int rc;

	o->facts.events = o->events;
	o->facts.counts = o->counts;
	o->facts.state = o->state;
	rc = pprof_write(&o->tables, &o->facts, o->sink, o->err);
	if (pp_finish(o->sink) < 0)
		rc = -1;
	o->sink = NULL;
	o->mended += o->tables.mended;
	pprof_tables_free(&o->tables);
	o->tables = (struct pprof_tables){0};
	return rc;
}

enum { FURTHER_MAX = PATH_MAX - sizeof ".tmp" };	/* bytes of the path of a further file */

/* The path of the file of that number.  False: it is too long. */
static bool
pprof_further(const struct pprof *o, unsigned number, char path[static FURTHER_MAX])
{
	return snprintf(path, FURTHER_MAX, "%s.%05u", o->stem, number) < FURTHER_MAX;
}

/* Of the present file, if it is not the first: messages name it, also when the profile is gone. */
static char further_path[FURTHER_MAX];

int
pprof_next_file(struct pprof *o)
{
	struct atomic *a = o->file, *next = a->next;
	char path[FURTHER_MAX];
	const char *slash;
	int dir, rc;

	if (a->direct)
		return pp_fail(o->err, "the profile needs more memory than --max-memory: with -o FILE it would go on in FILE.00002");
	if (!pprof_further(o, ++o->number, path))
		return pp_fail(o->err, "%s", strerror(ENAMETOOLONG));
	if (o->tool->in && pp_is_file(o->tool->in, path)) {
		o->err->file = strcpy(further_path, path);
		return pp_fail(o->err, "is also the input");
	}
	if ((dir = fcntl(a->dir, F_DUPFD_CLOEXEC, 0)) < 0)
		return pp_fail(o->err, "%s", strerror(errno));
	if ((rc = pprof_end_file(o)) > 0 && (rc = tool_name(o->tool, a)) > 0) {
		strcpy(further_path, path);
		slash = strrchr(further_path, '/');
		rc = atomic_open_at(a, dir, slash ? slash + 1 : further_path, further_path, o->err);
		a->next = next;
	}
	close(dir);
	if (rc < 0)
		return -1;
	a->force = o->tool->force;
	snprintf(a->incomplete, sizeof a->incomplete, "%s.tmp", path);
	tool_warn(o->tool, "%s: the profile needs more memory than --max-memory, and goes on in %s", o->stem, path);
	pprof_begin_tables(o);
	return (o->sink = atomic_sink(a)) ? 1 : -1;
}

/* Is it a profile that we wrote, by its first bytes? */
static bool
pprof_is_ours(int dir, const char *name)
{
	static const uint8_t begin[8] = { 0x1f, 0x8b, 8 };	/* of gzip, without flags and time */
	uint8_t found[sizeof begin];
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool ours = fd >= 0 && read(fd, found, sizeof found) == sizeof found && !memcmp(found, begin, sizeof begin);

	if (fd >= 0)
		close(fd);
	return ours;
}

/* With -f: remove what an earlier and longer profile of this name has in further files, as nothing shows that they are not ours. */
static int
pprof_remove_older(struct pprof *o)
{
	const struct atomic *a = o->file;
	char path[FURTHER_MAX];

	if (a->direct || !o->tool->force || o->tool->partial || o->tool->in_err.what[0])
		return 1;
	for (unsigned i = o->number + 1; pprof_further(o, i, path); i++) {
		const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

		if (!pprof_is_ours(a->dir, name))
			break;
		if (unlinkat(a->dir, name, 0) < 0)
			return pp_fail(o->err, "removing %s: %s", path, strerror(errno));
		tool_note(o->tool, "%s: removed, a part of an earlier profile", path);
	}
	return 1;
}

/* ---- as records arrive --------------------------------------------------------------------------- */

/* The record is malformed: that is a fault of the input. */
static int
pprof_reject(struct pprof *o, const struct pp_rec *r, const char *cause)
{
	o->what->where(o->what->arg, &o->tool->in_err);
	return pp_fail(&o->tool->in_err, "%s: %s", pp_type_name(r->type), cause);
}

static int
pprof_queue(struct pprof *o, const struct pp_event *ev, const struct pp_rec *r, const void *p, size_t n)
{
	uint64_t time;

	if (!pp_time(ev, r, o->events->swap, &time))
		return pprof_turn(o, 0, p, n);
	if (n > PP_RECORD_MAX)
		return pprof_reject(o, r, "its callchain is too long");
	return pp_timeline_put(o->timeline, time, p, n);
}

/* Make o->digest, with the n entries of a chain, but without the ip and what is of samples only.  Its size. */
static size_t
pprof_digest(struct pprof *o, const struct pp_event *ev, const struct pp_rec *r, const uint8_t *chain, uint64_t n)
{
	bool swap = o->events->swap;
	uint32_t pid = UINT32_MAX, tid = UINT32_MAX;

	pp_pid_tid(ev, r, swap, &pid, &tid);
	memset(o->digest, 0, PPROF_HEAD);
	pp_set_u32(o->digest + 4, PPROF_DEFERRED, false);
	pp_set_u32(o->digest + 8, pid, false);
	pp_set_u32(o->digest + 12, tid, false);
	if (n && !swap)
		memcpy(o->digest + PPROF_HEAD, chain, n * 8);
	else
		for (uint64_t i = 0; i < n; i++)
			pp_set_u64(o->digest + PPROF_HEAD + i * 8, pp_get_u64(chain + i * 8, true), false);
	return PPROF_HEAD + n * 8;
}

/* Each event has a count.  1, or -1: no memory. */
static int
pprof_counts_grow(struct pprof *o)
{
	uint64_t *p = o->events->n ? array_reach(o->counts, &o->ncounts, o->events->n - 1, sizeof *p) : NULL;

	if (!p)
		return o->events->n ? pp_fail_memory(o->err) : 1;
	o->counts = p;
	return 1;
}

static int
pprof_queue_sample(struct pprof *o, const struct pp_event *layout, const struct pp_rec *r, size_t n, unsigned event, uint64_t period)
{
	const struct pp_event *ev = o->events->ev[event];

	if (!profile_wants(&o->wanted, o->what->event, o->events, ev))
		return 1;
	if (pprof_counts_grow(o) < 0)
		return -1;
	o->counts[event]++;
	o->samples++;
	pp_set_u32(o->digest + 4, event, false);
	pp_set_u64(o->digest + 32, period, false);
	return pprof_queue(o, layout, r, o->digest, n);
}

/* pp_total_change: a counter of PERF_SAMPLE_READ that has moved on is a sample of its event, as in perf. */
static int
pprof_moved(void *arg, uint64_t id, uint32_t tid, uint64_t *value)
{
	struct pprof *o = arg;
	struct pp_total *total = pp_total_get(&o->totals, id, tid);
	uint64_t period;

	if (!total)
		return pp_fail(o->err, "no memory for more than %u counters", o->totals.by.n);
	period = *value - total->in;
	total->in = *value;
	if (period) {
		o->moved[o->nmoved].event = pp_event_by_id(o->events, id)->index;
		o->moved[o->nmoved++].period = period;
	}
	return 1;
}

static int
pprof_put_sample(struct pprof *o, const struct pp_rec *r)
{
	struct pp_err err = { 0 };
	const struct pp_event *ev = pp_event_find(o->events, r, &err);
	bool swap = o->events->swap;
	struct pp_part part[PP_SHAPE_STEPS];
	int parts;
	size_t n;

	if (!ev || (parts = pp_sample_parts(part, PP_SAMPLE_CALLCHAIN, ev, r, swap, &err)) < 0)
		return pprof_reject(o, r, err.what);
	n = pprof_digest(o, ev, r, parts ? part->p + 8 : NULL, parts ? pp_get_u64(part->p, swap) : 0);
	pp_set_u32(o->digest + 16, r->misc & PP_MISC_CPUMODE_MASK, false);
	pp_set_u64(o->digest + 24, ev->plan.ip ? pp_get_u64(r->raw + ev->plan.ip, swap) : UINT64_MAX, false);
	o->nmoved = 0;
	if (!(ev->attr.sample_type & PP_SAMPLE_READ)) {
		o->nmoved = 1;
		o->moved[0].event = ev->index;
		o->moved[0].period = ev->plan.period ? pp_get_u64(r->raw + ev->plan.period, swap) : ev->attr.sample_period;
	} else if (!pp_totals_sample(o->events, ev, r, NULL, pprof_moved, o, &err)) {
		return err.what[0] ? pprof_reject(o, r, err.what) : -1;
	}
	if (o->what->pid >= 0 && pp_get_u32(o->digest + 8, false) != o->what->pid)
		return 1;
	for (unsigned i = 0; i < o->nmoved; i++)
		if (pprof_queue_sample(o, ev, r, n, o->moved[i].event, o->moved[i].period) < 0)
			return -1;
	return 1;
}

static int
pprof_put_kernel(struct pprof *o, const struct pp_rec *r)
{
	struct pp_err err = { 0 };
	const struct pp_event *ev;
	bool swap = o->events->swap;
	uint64_t time;
	size_t n;

	if (r->type == PP_SAMPLE)
		return pprof_put_sample(o, r);
	ev = pp_event_find(o->events, r, &err);
	switch (r->type) {
	case PP_CALLCHAIN_DEFERRED:
		if (!ev)
			return pprof_reject(o, r, err.what);
		n = pprof_digest(o, ev, r, r->raw + PP_RAW_AT(CALLCHAIN_DEFERRED, ip),
		    PP_RAW_GET(r->raw, CALLCHAIN_DEFERRED, nr, swap));
		pp_set_u64(o->digest + 24, PP_RAW_GET(r->raw, CALLCHAIN_DEFERRED, cookie, swap), false);
		return pprof_queue(o, ev, r, o->digest, n);
	case PP_MMAP:
	case PP_MMAP2:
	case PP_COMM:
	case PP_FORK:
	case PP_EXIT:
		return ev ? pprof_queue(o, ev, r, r->raw, r->size) : pprof_reject(o, r, err.what);
	}
	if (ev && pp_time(ev, r, swap, &time))		/* readers queue it, so it counts at the next FINISHED_ROUND */
		pp_timeline_saw(o->timeline, time);
	return 1;
}

/* The strings of the feature, with a blank between them. */
static int
pprof_learn_text(struct pprof *o, char **to, const struct pp_feature *f)
{
	struct pp_err err = { 0 };
	struct pp_feature_io io;
	struct pp_feature_value v;
	size_t n = 0;

	free(*to);
	if (!(*to = calloc(1, TEXT_MAX + 1)))
		return pp_fail_memory(o->err);
	pp_feature_open(&io, f, &err);
	while (n < TEXT_MAX && pp_feature_next(&io, &v) > 0)
		if (v.kind == PP_F_STR)
			n += (size_t)snprintf(*to + n, TEXT_MAX - n, "%s%.*s", n ? " " : "", (int)v.len, (const char *)v.p);
	return 1;
}

static int
pprof_learn(struct pprof *o, const struct pp_rec *r)
{
	bool swap = o->events->swap;
	struct pp_err err = { 0 };
	struct pp_feature f;

	field_stream_learn(&o->facts.stream, r, swap);
	switch (r->type) {
	case PP_FINISHED_ROUND:
		return pp_timeline_round(o->timeline);
	case PP_HEADER_BUILD_ID:
		return pprof_ids_learn(&o->facts.ids, r) < 0 ? pp_fail_memory(o->err) : 1;
	case PP_HEADER_FEATURE:
		if (pp_feature_is_end(r) || pp_feature_of(&f, r, swap, 0, &err) < 0)
			break;
		if (f.number == PP_FEAT_VERSION && pprof_learn_text(o, &o->facts.version, &f) < 0)
			return -1;
		if (f.number == PP_FEAT_CMDLINE && pprof_learn_text(o, &o->facts.command, &f) < 0)
			return -1;
		break;
	}
	return pp_events_learn(o->events, r, o->err);
}

/* ---- struct out ---------------------------------------------------------------------------------- */

/* The byte order is known by the first record. */
static int
pprof_begin(struct pprof *o, bool swap)
{
	return (o->events = pp_events_new(swap)) && (o->state = pp_state_new(swap, &o->tool->in_err)) ?
	    (pp_state_limit(o->state, o->what->tasks), 1) : pp_fail_memory(o->err);
}

static int
pprof_put(struct out *out, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct pprof *o = (struct pprof *)out;

	(void)stable;			/* no record is passed on */
	if (o->err->what[0] || (!o->events && pprof_begin(o, in->swap) < 0))
		return -1;
	if ((r->type >= PP_USER_TYPE_START ? pprof_learn(o, r) : pprof_put_kernel(o, r)) < 0)
		return -1;
	return o->full ? -1 : 1;	/* which is said as a fault of the input: what was taken is written */
}

static int
pprof_flush(struct out *out, bool wait)
{
	(void)wait;			/* finish() writes all output */
	return ((struct pprof *)out)->err->what[0] ? -1 : 1;
}

/* How call chains were recorded from which a profile gets no frames of user mode.  NULL: not so. */
static const char *
pprof_chains_lost(const struct pprof *o)
{
	const uint64_t call_stack = 1 << 11;	/* PERF_SAMPLE_BRANCH_CALL_STACK */

	for (unsigned i = 0; i < o->ncounts; i++) {
		const struct pp_attr *a = &o->events->ev[i]->attr;

		if (o->counts[i] && a->sample_type & PP_SAMPLE_STACK_USER)
			return "dwarf";
		if (o->counts[i] && a->sample_type & PP_SAMPLE_BRANCH_STACK && a->branch_sample_type & call_stack)
			return "lbr";
	}
	return NULL;
}

static void
pprof_say(const struct pprof *o)
{
	const char *chains = pprof_chains_lost(o);

	uint64_t early = pp_timeline_early(o->timeline);

	if (!o->samples)
		tool_warn(o->tool, "the profile has no samples%s", o->what->pid < 0 ? "" : " of the process of --pid");
	if (chains)
		tool_warn(o->tool, "recorded with --call-graph %s: the call chains in the profile are without their callers in user mode",
		    chains);
	if (o->mended)
		tool_warn(o->tool, "%" PRIu64 " names were not UTF-8: bytes of them became U+FFFD", o->mended);
	if (o->facts.ids.over)
		tool_warn(o->tool, "%" PRIu64 " BUILD_ID records were left out, of more than %d files", o->facts.ids.over, PPROF_IDS_MAX);
	if (early)
		tool_warn(o->tool, "%" PRIu64 " records arrived after newer ones had to be taken: --max-memory is too small for their "
		    "time order", early);
	if (o->crowded_out)
		tool_warn(o->tool, "%" PRIu64 " samples are without the user part of their callchain: --max-memory is too small to wait "
		    "for it", o->crowded_out);
	if (o->alone > o->crowded_out)
		tool_note(o->tool, "%" PRIu64 " samples are without the user part of their callchain, which did not follow",
		    o->alone - o->crowded_out);
}

/* All samples that were sound are written, also before a fault of the input. */
static int
pprof_write_rest(struct pprof *o)
{
	if (o->err->what[0] || (!o->events && pprof_begin(o, false) < 0))
		return -1;
	profile_check_event(o->tool, o->events, o->what->event);
	if (pp_timeline_release(o->timeline, UINT64_MAX) < 0 || pprof_await_no_more(o) < 0)
		return -1;
	if (pprof_counts_grow(o) < 0)
		return -1;
	if (pprof_end_file(o) < 0)
		return -1;
	pprof_say(o);
	return pprof_remove_older(o);
}

static void
pprof_free(struct pprof *o)
{
	struct awaiting *a;

	while ((a = o->first)) {
		o->first = a->next;
		free(a);
	}
	pp_table_free(&o->awaits, false);
	pprof_tables_free(&o->tables);
	pprof_ids_free(&o->facts.ids);
	field_stream_free(&o->facts.stream);
	free(o->facts.version);
	free(o->facts.command);
	free(o->counts);
	free(o->wanted.is);
	free(o->stem);
	pp_totals_free(&o->totals);
	pp_timeline_free(o->timeline);
	pp_state_free(o->state);
	pp_events_free(o->events);
	free(o);
}

static int
pprof_finish(struct out *out)
{
	struct pprof *o = (struct pprof *)out;
	int rc = pprof_write_rest(o);

	if (o->sink && pp_finish(o->sink) < 0)
		rc = -1;
	pprof_free(o);
	return rc;
}

struct out *
out_pprof_new(struct tool *t, const struct profile_what *what)
{
	struct pprof *o = calloc(1, sizeof *o);

	if (!o) {
		pp_fail_memory(&t->out_err);
		return NULL;
	}
	*o = (struct pprof){ .pub = { .put = pprof_put, .flush = pprof_flush, .finish = pprof_finish }, .what = what, .tool = t,
	    .file = &t->file, .err = &t->out_err, .number = 1, .memory = what->memory / 8 * 5, .totals.max = PP_TOTALS_MAX,
	    .facts.event = what->event };
	pprof_begin_tables(o);
	pp_table_init(&o->awaits);
	pp_table_init(&o->facts.ids.table);
	/* The file is NAME, or what a link of that name leads to. */
	if (!(o->stem = strndup(o->file->incomplete, strlen(o->file->incomplete) - (o->file->direct ? 0 : strlen(".tmp")))))
		pp_fail_memory(o->err);
	else if ((o->timeline = pp_timeline_new(pprof_turn, o, what->memory / 4, o->err)) && (o->sink = atomic_sink(o->file)))
		return &o->pub;
	pprof_free(o);
	return NULL;
}

/* ---- options ------------------------------------------------------------------------------------- */

struct words { const struct tool *tool; unsigned *labels; };

static void
pprof_label_word(void *arg, const char *word)
{
	struct words *w = arg;
	int label = tool_word(w->tool, word, PPROF_LABEL_WORDS);

	if (label < PPROF_LABELS)
		*w->labels |= 1u << label;
}

void
pprof_labels(struct tool *t, void *what)
{
	struct profile_what *p = what;

	if (!p->labelled)
		p->labels = 0;
	p->labelled = true;
	tool_words(t, t->optarg, pprof_label_word, &(struct words){ t, &p->labels });
}

void
pprof_allow(struct tool *t)
{
	char path[PATH_MAX];

	if (t->file.direct)
		return;
	snprintf(path, sizeof path, "%.*s.00002", (int)(strlen(t->file.incomplete) - strlen(".tmp")), t->file.incomplete);
	tool_refuse_file(t, path);
	tool_refuse_input(t, path);
	confine_allow_fd(&t->confine, t->file.dir, CONFINE_READ | CONFINE_WRITE | CONFINE_CREATE);
}

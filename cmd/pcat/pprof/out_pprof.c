/* SPDX-License-Identifier: ISC */
/*
 * out_pprof.c - samples as a profile of pprof
 *
 *  - Samples of equal stack, labels and event become one, with their number and the sum of their periods.
 *  - A stack is that of stack/walk.h.
 *  - Functions have names if there is --symbols; else readers find them in the files, by map and build-id.
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
#include "set.h"

enum { TEXT_MAX = 4096 };		/* bytes of the command line that are kept */

/* ---- files --------------------------------------------------------------------------------------- */

static void
pprof_begin_tables(struct pprof *o)
{
	walk_forget(o->walk);
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
	rc = pprof_write(&o->tables, &o->facts, o->what->threads, o->sink, o->err);
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
pprof_reject(void *arg, const struct pp_rec *r, const char *cause)
{
	struct pprof *o = arg;

	o->what->where(o->what->arg, &o->tool->in_err);
	return pp_fail(&o->tool->in_err, "%s: %s", pp_type_name(r->type), cause);
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

/* Does the profile have samples of it? */
static int
pprof_wants(void *arg, const struct pp_event *ev, uint32_t pid)
{
	struct pprof *o = arg;

	if ((o->what->pid >= 0 && pid != o->what->pid) || !profile_wants(&o->wanted, o->what->event, o->events, ev))
		return 0;
	if (pprof_counts_grow(o) < 0)
		return -1;
	o->counts[ev->index]++;
	o->samples++;
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
		return walk_round(o->walk);
	case PP_HEADER_BUILD_ID:
		return ids_learn(&o->facts.ids, r) < 0 ? pp_fail_memory(o->err) : 1;
	case PP_HEADER_FEATURE:
		if (o->facts.frames && frames_learn(o->facts.frames, r, swap) < 0)
			return pp_fail_memory(o->err);
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
	if (!(o->events = pp_events_new(swap)) || !(o->state = pp_state_new(swap, &o->tool->in_err)))
		return pp_fail_memory(o->err);
	pp_state_limit(o->state, o->what->tasks);
	walk_use(o->walk, o->events, o->state);
	return 1;
}

static int
pprof_put(struct out *out, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct pprof *o = (struct pprof *)out;

	(void)stable;			/* no record is passed on */
	if (o->err->what[0] || (!o->events && pprof_begin(o, in->swap) < 0))
		return -1;
	if ((r->type >= PP_USER_TYPE_START ? pprof_learn(o, r) : walk_put(o->walk, r)) < 0)
		return -1;
	return walk_full(o->walk) ? -1 : 1;	/* which is said as a fault of the input: what was taken is written */
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
	struct walk_losses lost = walk_losses(o->walk);

	if (!o->samples)
		tool_warn(o->tool, "the profile has no samples%s", o->what->pid < 0 ? "" : " of the process of --pid");
	if (chains)
		tool_warn(o->tool, "recorded with --call-graph %s: the call chains in the profile are without their callers in user mode%s",
		    chains, strcmp(chains, "dwarf") ? "" : "; pinject --unwind makes them first");
	if (o->facts.frames)
		frames_say(o->facts.frames, o->tool, true);
	if (o->mended)
		tool_warn(o->tool, "%" PRIu64 " names were not UTF-8: bytes of them became U+FFFD", o->mended);
	if (o->facts.ids.over)
		tool_warn(o->tool, "%" PRIu64 " BUILD_ID records were left out, of more than %d files", o->facts.ids.over, IDS_MAX);
	if (lost.dropped)
		tool_warn(o->tool, "%" PRIu64 " samples have a damaged call chain: only their innermost frame is in the profile, as in perf",
		    lost.dropped);
	if (lost.early)
		tool_warn(o->tool, "%" PRIu64 " records arrived after newer ones had to be taken: --max-memory is too small for their "
		    "time order", lost.early);
	if (lost.crowded_out)
		tool_warn(o->tool, "%" PRIu64 " samples are without the user part of their callchain: --max-memory is too small to wait "
		    "for it", lost.crowded_out);
	if (lost.alone > lost.crowded_out)
		tool_note(o->tool, "%" PRIu64 " samples are without the user part of their callchain, which did not follow",
		    lost.alone - lost.crowded_out);
}

/* All samples that were sound are written, also before a fault of the input. */
static int
pprof_write_rest(struct pprof *o)
{
	if (o->err->what[0] || (!o->events && pprof_begin(o, false) < 0))
		return -1;
	profile_check_event(o->tool, o->events, o->what->event);
	if (walk_end(o->walk) < 0)
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
	pprof_tables_free(&o->tables);
	frames_free(o->facts.frames);
	ids_free(&o->facts.ids);
	field_stream_free(&o->facts.stream);
	free(o->facts.version);
	free(o->facts.command);
	free(o->counts);
	free(o->wanted.is);
	free(o->stem);
	walk_free(o->walk);
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
	    .file = &t->file, .err = &t->out_err, .number = 1, .memory = what->memory / 8 * 5, .facts.event = what->event };
	if (!(o->walk = walk_new(&(struct walk_user){ o, pprof_wants, pprof_turn_begin, pprof_turn_place, pprof_turn_sample, pprof_reject },
	    what->memory / 8 * 3, o->err))) {
		free(o);
		return NULL;
	}
	pprof_begin_tables(o);
	pp_table_init(&o->facts.ids.table);
	if (what->symbols)
		o->facts.frames = frames_new(what->symbols, &o->facts.ids);
	/* The file is NAME, or what a link of that name leads to. */
	if (!(o->stem = strndup(o->file->incomplete, strlen(o->file->incomplete) - (o->file->direct ? 0 : strlen(".tmp")))))
		pp_fail_memory(o->err);
	else if ((o->sink = atomic_sink(o->file)))
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

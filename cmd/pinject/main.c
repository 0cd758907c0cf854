/* SPDX-License-Identifier: ISC */
/*
 * pinject - adds to a recording what it lacks.
 *
 *	source  ->  lookup/  ->  header/  ->  marks/  ->  walk  ->  code/  ->  ids/  ->  end
 *
 * and with --unwind, so that all behind it see the chains, but it sees the code of jitdumps, which has tables:
 *
 *	source  ->  lookup/  ->  header/  ->  marks/  ->  walk  ->  code/ (jitdump)  ->  chains/  ->  walk  ->  code/  ->  ids/  ->  end
 *
 *	header/		header features, and what else stands at the head of a stream
 *	marks/		FINISHED_INIT, FINISHED_ROUND, ID_INDEX
 *	walk		ids/walk.h: time order for code/ and ids/
 *	code/		code made at run time: jitdump, perf-PID.map
 *	chains/		call chains instead of copies of stacks
 *	ids/		build-ids of files
 *	lookup/		the process that looks files up
 *	symbols/	the processes that read their functions
 *	store/		the directory of --buildid-dir
 *
 * Each but lookup/, symbols/ and store/ is stages (sink/out.h), of which there are those that options ask for.  A stage puts its
 * records where a reader needs them: those with a time in front of a FINISHED_ROUND at which the reader has not delivered that time
 * yet; the others in front of the first record whose reader could need them.
 */
#include <stdlib.h>

#include "chains/chains.h"
#include "code/jit.h"
#include "code/perfmap.h"
#include "ids/archive.h"
#include "ids/hits.h"
#include "ids/mmap2.h"
#include "marks/marks.h"
#include "marks/survey.h"
#include "options.h"
#include "sink/out_file.h"
#include "source/section.h"
#include "tool/jobs.h"

struct end {
	struct out	 pub;
	struct pp_sink	*sink;
};

static int
end_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct pp_sink *k = ((struct end *)o)->sink;

	return stable ? pp_put(k, in, r) : out_put(k, in, r, false);
}

static int
end_finish(struct out *o)
{
	(void)o;
	return 1;
}

/* The stages, the last one first. */
static struct out *
inject_chain(struct tool *t, struct options *o, struct lookup *lookup, struct store *store,
    struct archive *archive, struct out *to)
{
	bool hit = (o->build_ids && !o->buildid_all) || o->mmap2_buildids;
	bool all = o->buildid_all || o->mmap2_buildid_all, by_map = all && o->archive.grade != STORE_HITS;
	struct chains *chains = o->chains.on ? chains_new(t, lookup, &o->chains, o->strict) : NULL;
	const struct pp_events *events = chains ? chains_events(chains) : t->in->events;
	struct walk *walk = hit || (o->jit && !chains) || o->perf_map || (archive && !by_map) ? walk_new(t, events) : NULL;
	struct walk *early = o->jit && chains ? walk_new(t, t->in->events) : walk;	/* for jitdumps, and without chains for all */
	struct jit *jit = o->jit ? jit_new(t, lookup, store, early, o->strict) : NULL;

	if (walk && !jit)			/* which knows images by the indexes of files */
		pp_state_free_files(walk_state(walk));
	if (o->mmap2_buildids || o->mmap2_buildid_all)
		to = mmap2_new(t, lookup, o->mmap2_buildid_all ? NULL : walk, jit && early == walk ? jit_is_put : NULL, jit, o->strict, to);
	if (o->build_ids || o->buildid_all)
		to = hits_new(t, lookup, o->buildid_all ? NULL : walk, o->strict, to);
	if (archive)
		to = archive_stage(archive, by_map ? NULL : walk, events, to);
	if (o->perf_map)
		to = perfmap_new(t, lookup, store, walk, jit, o->strict, to);
	if (chains && walk)
		to = walk_stage(walk, to);
	if (chains)
		to = chains_stage(chains, to);
	if (jit)
		to = jit_stage(jit, to);
	if (early && (jit || !chains))
		to = walk_stage(early, to);
	if (o->finished_round.step)
		to = round_new(t, o->finished_round.step, o->finished_round.replace, to);
	if (o->finished_init)
		to = init_new(t, to);
	if (o->id_index)
		to = id_index_new(t, to);
	to = header_stages(&o->header, t, to);
	if (lookup->t)			/* what the input says, not what --set-feature makes of it */
		to = lookup_stage(lookup, to);
	return to;
}

struct copying {
	struct tool	*t;
	struct pp_section data;
};

static int
copy_tick(void *arg, uint64_t done)
{
	const struct copying *c = arg;

	tool_progress(c->t, done, c->data.len);
	return 1;
}

/* --copy-data: only records of the header go through the stages, and then all others are copied. */
static void
copy_data(struct tool *t, struct out *first)
{
	struct copying c = { .t = t };
	const char *why = pp_data_section(t->in, &c.data);
	struct pp_rec r;

	if (why) {
		t->unwritten = true;
		pp_fail(&t->in_err, "--copy-data cannot be used: %s", why);
		return;
	}
	while (pp_next(t->in, &r) > 0) {
		if (pp_made(t->in, &r) || pp_offset(t->in, &r) != c.data.off) {
			if (first->put(first, t->in, &r, true) <= 0)
				return;
			continue;
		}
		if (pp_flush(t->out) > 0)	/* the container has all attrs */
			out_file_copy(t->container, c.data.fd, c.data.off, c.data.len, copy_tick, &c);
		return;
	}
}

static void
inject(struct tool *t, struct options *o, struct lookup *lookup, struct store *store, struct archive *archive)
{
	struct end end = { .pub = { .put = end_put, .finish = end_finish }, .sink = t->out };
	struct out *first = inject_chain(t, o, lookup, store, archive, &end.pub), *to;
	struct pp_rec r;

	if (o->copy_data)
		copy_data(t, first);
	else if (first == &end.pub)	/* without stages: runs of records are written as one */
		while (pp_next(t->in, &r) > 0 && pp_put(t->out, t->in, &r) > 0)
			;
	else while (pp_next(t->in, &r) > 0) {
		to = r.type == PP_SAMPLE ? out_for_sample(first) : first;
		if ((to == &end.pub ? pp_put(t->out, t->in, &r) : to->put(to, t->in, &r, true)) <= 0)
			break;
	}
	first->finish(first);		/* a failure is kept by input or output */
}

int
main(int argc, char *argv[])
{
	static struct tool t = { .name = "pinject", .purpose = "Add to a perf stream what it lacks." };
	static struct options o;	/* lists of options are kept to the end */
	struct lookup lookup = { .fd = -1, .other_kernel = &o.header.other_kernel };
	struct survey found;		/* by a first pass, for options that depend on all of the recording */
	struct archive *archive;
	struct store *store;
	int rc;
	bool surveys, direct;

	options_parse(&o, &t, argc, argv);
	if (tool_jobs(&t, TOOL_JOBS_STREAM)) {
		header_free(&o.header);
		return tool_jobs_join(&t);
	}
	lookup.at_once = o.buildid_all || o.mmap2_buildid_all;
	if (o.build_ids || o.buildid_all || o.mmap2_buildids || o.mmap2_buildid_all || o.jit || o.perf_map || o.archive.limit || o.chains.on)
		lookup_start(&lookup, &t, &o.lookup);
	store = o.buildid_dir ? store_new(&t, o.buildid_dir) : NULL;
	archive = o.archive.limit ? archive_new(&t, &lookup, store, &o.archive) : NULL;
	surveys = o.finished_round.find || o.sample_time;
	/* these depend on maps and files only: chains also on the code that was seen before */
	t.index.snaps = (o.build_ids || o.buildid_all || o.mmap2_buildids || o.mmap2_buildid_all) && !o.chains.on && !surveys;
	if (surveys)
		tool_allow(&t, t.in_name, "r");
	header_open(&o.header, &t);
	if (o.chains.on)
		chains_open(&o.chains);
	tool_open_locked(&t, o.copy_data ? PP_OPEN_RAW : 0);
	if (surveys)
		survey(&t, &found);
	tool_open_begin(&t);
	header_begin(&o.header, &t);
	if (o.finished_round.find)
		round_found(&t, &o.finished_round, &found);
	if (o.sample_time)
		sample_time(&t, o.header.edit, &found);
	inject(&t, &o, &lookup, store, archive);
	header_free(&o.header);
	direct = t.file.direct;
	if (!direct)			/* an output file gets its name when the files that it needs are there */
		archive_end(archive);
	rc = tool_close(&t);
	if (direct)			/* the reader of a pipe does not wait for them */
		archive_end(archive);
	lookup_end(&lookup);
	store_free(store);
	return rc || t.failed;
}

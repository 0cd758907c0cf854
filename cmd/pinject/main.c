/* SPDX-License-Identifier: ISC */
/* pinject - add build-ids and FINISHED_INIT to a perf stream */
#include "hits.h"
#include "record/raw.h"

struct opts {
	bool finished_init, build_ids, buildid_all;
};

enum { OPT_BUILDID_ALL = TOOL_LONG, OPT_FINISHED_INIT };

static const struct tool_opt options[] = {
	TOOL_HEAD("Records to add"),
	{ 'b', "build-ids", NULL, "add a BUILD_ID record for each DSO with samples" },
	{ OPT_BUILDID_ALL, "buildid-all", NULL, "add a BUILD_ID record for each mapped DSO" },
	{ OPT_FINISHED_INIT, "finished-init", NULL, "add FINISHED_INIT after the synthesised records" },
	TOOL_HEAD("Input and output"),
	TOOL_OPTS_IN, TOOL_OPTS_OUT, TOOL_OPT_FORMAT,
	TOOL_HEAD("Messages and help"),
	TOOL_OPTS_COMMON, TOOL_OPTS_END
};

static const char examples[] =
    "  $ perf record -q -g -o - -- sleep 2 | pinject -b >out.data\n"
    "  $ pinject -b all.data | perf buildid-list -i -\n";

/*
 * FINISHED_INIT follows the records that perf record synthesises at its start, which have no time: it precedes the
 * first record with a time.
 */
static int
finished_init(struct tool *t, const struct pp_rec *r, bool *done)
{
	const struct pp_event *ev;
	uint8_t b[PP_HEADER_SIZE];
	uint64_t time;

	if (r->type == PP_FINISHED_INIT)
		*done = true;
	if (r->type >= PP_USER_TYPE_START)
		return 1;
	if (!(ev = pp_event_find(t->in->events, r, &t->in_err)))
		return pp_reject(t->in, r);
	if (r->type != PP_SAMPLE && !pp_time(ev, r, t->in->swap, &time))
		return 1;
	*done = true;
	pp_raw_head(b, PP_FINISHED_INIT, 0, sizeof b, t->in->swap);
	return pp_put_copy(t->out, b, sizeof b);
}

static void
inject(struct tool *t, struct lookup *lookup, const struct opts *o)
{
	bool init = !o->finished_init;
	struct hits *h = lookup->fd >= 0 ? hits_new(t, lookup, o->buildid_all) : NULL;
	struct pp_rec r;

	while (pp_next(t->in, &r) > 0) {
		if (!init && finished_init(t, &r, &init) < 0)
			break;
		if (h && hits_record(h, &r) < 0)
			break;
		if (pp_put(t->out, t->in, &r) < 0)
			break;
	}
	if (h)
		hits_end(h);		/* a failure is kept by input or output */
	hits_free(h);
}

int
main(int argc, char *argv[])
{
	struct opts o = {0};
	struct tool t = { .name = "pinject", .purpose = "Add build-ids and FINISHED_INIT to a perf stream.",
	    .opts = options, .examples = examples };
	struct lookup lookup = { .fd = -1 };
	int key;

	while ((key = tool_getopt(&t, argc, argv)))
		switch (key) {
		case 'b': o.build_ids = true; break;
		case OPT_BUILDID_ALL: o.buildid_all = true; break;
		case OPT_FINISHED_INIT: o.finished_init = true; break;
		}
	if (o.build_ids || o.buildid_all)
		lookup_start(&lookup, &t);
	tool_open(&t, 0);
	inject(&t, &lookup, &o);
	lookup_end(&lookup);
	return tool_close(&t);
}

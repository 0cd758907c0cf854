/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "record/feature.h"
#include "record/raw.h"
#include "feature_list.h"

struct chooser {
	struct out	 pub;
	const struct tool *tool;
	struct features	 f;
	bool		 swap;
	uint64_t	 left_out;
};

/* ---- the options ------------------------------------------------------------------------------------- */

struct naming {
	const struct tool *tool;
	bool		*set;
};

static void
name(void *arg, const char *word)
{
	struct naming *n = arg;
	int64_t number = pp_feature_number(word);

	if (number < 0 || number >= FEATURES_MAX)
		tool_wrong(n->tool, "%s '%s': not a header feature", n->tool->optname, word);
	n->set[number] = true;
}

void
features_option(struct tool *t, void *features)
{
	struct features *f = features;

	f->only = f->listed = true;
	tool_words(t, t->optarg, name, &(struct naming){ t, f->in });
}

void
features_not_option(struct tool *t, void *features)
{
	struct features *f = features;

	f->listed = true;
	tool_words(t, t->optarg, name, &(struct naming){ t, f->out });
}

/* ---- the stage --------------------------------------------------------------------------------------- */

static bool
wanted(const struct features *f, uint64_t number)
{
	if (number >= FEATURES_MAX)
		return !f->only;
	return (!f->only || f->in[number]) && !f->out[number];
}

void
features_without(const struct features *f, bool without[FEATURES_MAX])
{
	for (uint64_t i = 0; i < FEATURES_MAX; i++)
		without[i] = !wanted(f, i);
}

static bool
passes(const struct chooser *c, const struct pp_rec *r)
{
	uint64_t number;

	switch (r->type) {
	case PP_HEADER_TRACING_DATA:
		return !c->f.out[PP_FEAT_TRACING_DATA];
	case PP_HEADER_BUILD_ID:
		return wanted(&c->f, PP_FEAT_BUILD_ID);
	case PP_HEADER_FEATURE:
		if (pp_feature_is_end(r))
			return true;
		number = PP_RAW_GET(r->raw, HEADER_FEATURE, feat_id, c->swap);
		if ((number == PP_FEAT_CPU_TOPOLOGY || number == PP_FEAT_CPU_DOMAIN_INFO) &&
		    !wanted(&c->f, PP_FEAT_NRCPUS))
			return false;
		return wanted(&c->f, number);
	default:
		return true;
	}
}

static int
put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct chooser *c = (struct chooser *)o;

	if (passes(c, r))
		return o->next->put(o->next, in, r, stable);
	c->left_out++;
	return 1;
}

static int
finish(struct out *o)
{
	struct chooser *c = (struct chooser *)o;
	struct out *next = o->next;

	tool_note(c->tool, "features: %ju removed", (uintmax_t)c->left_out);
	free(c);
	return next->finish(next);
}

struct out *
features_new(const struct tool *t, const struct features *f, struct pp_source *like, struct out *next,
    struct pp_err *err)
{
	struct chooser *c = calloc(1, sizeof *c);

	if (!c) {
		pp_fail_memory(err);
		return NULL;
	}
	*c = (struct chooser){ .pub = { .put = put, .finish = finish, .next = next }, .tool = t, .f = *f,
	    .swap = like->swap };
	if (!wanted(f, PP_FEAT_NRCPUS) && (wanted(f, PP_FEAT_CPU_TOPOLOGY) || wanted(f, PP_FEAT_CPU_DOMAIN_INFO)))
		tool_note(t, "features: CPU_TOPOLOGY and CPU_DOMAIN_INFO are removed with NRCPUS");
	return &c->pub;
}

/* SPDX-License-Identifier: ISC */
/* edit.c - see edit.h */
#include <inttypes.h>
#include <stdlib.h>

#include "edit.h"
#include "perf_text.h"
#include "record/feature.h"
#include "record/raw.h"

enum { PAYLOAD_MAX = PP_RECORD_MAX - PP_FEATURE_HEAD, NUMBERS = 256, MARK_OF_6_1 = 32 };

struct item {			/* a feature to change */
	uint8_t		*p;
	size_t		 n;
	bool		 used;		/* there is something to do with this feature */
	bool		 if_absent;	/* edit_add() */
	bool		 done;		/* it has been written, or the stream has it */
};

struct edit {
	struct out	 pub;
	struct tool	*t;
	bool		 swap;
	struct item	 item[NUMBERS];	/* by number */
	char		*const *words;	/* behind CMDLINE */
	size_t		 nwords;
	const char	*groups;	/* edit_set_groups(); its item is empty */
	bool		 any;		/* the stream has features */
	bool		 over;		/* no more features are expected, all new ones are placed */
	uint64_t	 last;		/* the greatest number that we wrote; 0: none */
	uint32_t	 cpus;		/* NRCPUS `available' of the input; 0: none so far */
	struct pp_feature_about about;	/* of the output */
	uint8_t		 rec[PP_RECORD_MAX], cmdline[PAYLOAD_MAX];
};

/* ---- what to change ------------------------------------------------------------------------------------ */

struct edit *
edit_new(struct tool *t, bool swap)
{
	struct edit *e = tool_alloc(1, sizeof *e);

	e->t = t;
	e->swap = swap;
	return e;
}

static void
edit_keep(struct edit *e, uint64_t number, const uint8_t *p, size_t n, bool if_absent)
{
	struct item *it = &e->item[number];

	if (it->used && if_absent)
		return;
	free(it->p);
	if (number == PP_FEAT_GROUP_DESC && !if_absent)
		e->groups = NULL;
	*it = (struct item){ .p = tool_alloc(n ? n : 1, 1), .n = n, .used = true, .if_absent = if_absent };
	if (n)
		memcpy(it->p, p, n);
}

void
edit_set(struct edit *e, uint64_t number, const uint8_t *p, size_t n)
{
	edit_keep(e, number, p, n, false);
}

void
edit_set_groups(struct edit *e, const char *text)
{
	edit_set(e, PP_FEAT_GROUP_DESC, NULL, 0);
	e->groups = text;
}

void
edit_add(struct edit *e, uint64_t number, const uint8_t *p, size_t n)
{
	edit_keep(e, number, p, n, true);
}

void
edit_append_cmdline(struct edit *e, char *const words[], size_t n)
{
	e->words = words;
	e->nwords = n;
}

bool
edit_any(const struct edit *e)
{
	for (uint64_t i = 0; i < NUMBERS; i++)
		if (e->item[i].used)
			return true;
	return e->nwords > 0;
}

void
edit_free(struct edit *e)
{
	for (uint64_t i = 0; i < NUMBERS; i++)
		free(e->item[i].p);
	free(e);
}

/* ---- CMDLINE ------------------------------------------------------------------------------------------- */

/* Do the last words of the feature, which has `have' of them, equal ours? */
static bool
edit_ends_with_words(const struct edit *e, const struct pp_feature *f, size_t have)
{
	struct pp_feature_value v;
	struct pp_feature_io io;
	struct pp_err err = { 0 };
	size_t i = 0;

	if (have < e->nwords)
		return false;
	pp_feature_open(&io, f, &err);
	while (pp_feature_next(&io, &v) > 0)
		if (v.kind == PP_F_STR && i++ >= have - e->nwords) {
			const char *w = e->words[i - 1 - (have - e->nwords)];

			if (v.len != strlen(w) || memcmp(v.p, w, v.len))
				return false;
		}
	return true;
}

/* Make CMDLINE with our words behind those of f.  1 and *n; 0: it has them, or there is no space for them. */
static int
edit_cmdline(struct edit *e, const struct pp_feature *f, size_t *n)
{
	struct pp_feature_value v;
	struct pp_feature_io io, out;
	struct pp_err err = { 0 };
	uint64_t have = 0;

	if (f->len && pp_feature_num(f, "nr", &have, &err) > 0 && edit_ends_with_words(e, f, (size_t)have))
		return 0;
	pp_feature_create(&out, PP_FEAT_CMDLINE, e->swap, 0, e->cmdline, PAYLOAD_MAX, &err);
	pp_feature_put_num(&out, "nr", have + e->nwords);
	pp_feature_open(&io, f, &err);
	while (pp_feature_next(&io, &v) > 0)
		if (v.kind == PP_F_STR)
			pp_feature_put(&out, &v);
	for (size_t i = 0; i < e->nwords; i++)
		pp_feature_put_str(&out, "arg", e->words[i], strlen(e->words[i]));
	if (pp_feature_finish(&out, n) > 0)
		return 1;
	tool_warn(e->t, "--add-cmdline: %s", err.what);
	return 0;
}

/* ---- the stage ----------------------------------------------------------------------------------------- */

/* The payload of GROUP_DESC, now that the events have their names. */
static int
edit_make_groups(struct edit *e, size_t *n)
{
	bool marked;
	char *lines = perf_text_lines(PP_FEAT_GROUP_DESC, e->groups, &marked);
	struct pp_err err = { 0 };
	int rc = perf_text_groups(lines, e->t->in->events, e->swap, e->cmdline, PAYLOAD_MAX, n, &err);

	free(lines);
	return rc > 0 ? 1 : pp_fail(&e->t->in_err, "--set-feature GROUP_DESC: %.200s", err.what);
}

static int
edit_write(struct edit *e, uint64_t number, const uint8_t *p, size_t n)
{
	struct pp_feature f = { .number = number, .p = p, .len = n, .swap = e->swap };
	struct pp_source *in = e->t->in;
	struct pp_rec r;

	if (number == PP_FEAT_GROUP_DESC && e->groups) {
		if (edit_make_groups(e, &f.len) < 0)
			return -1;
		f.p = e->cmdline;
	}
	e->about.nevents = in->events->n;
	if (pp_feature_check(&f, &e->about, &e->t->in_err) < 0 ||
	    pp_feature_record(e->rec, sizeof e->rec, &f, &e->t->in_err) < 0)
		return -1;
	if (number > e->last)
		e->last = number;
	r = pp_rec_at(e->rec, e->swap);
	return e->pub.next->put(e->pub.next, in, &r, false);
}

/* Write CMDLINE with our words; `theirs': the stream's, of which a feature that was set takes the place. */
static int
edit_put_cmdline(struct edit *e, const struct pp_feature *theirs)
{
	const struct item *it = &e->item[PP_FEAT_CMDLINE];
	struct pp_feature f = *theirs;
	size_t n;

	if (it->used && !(it->if_absent && theirs->len)) {
		f.p = it->p;
		f.len = it->n;
	}
	if (edit_cmdline(e, &f, &n) > 0)
		return edit_write(e, PP_FEAT_CMDLINE, e->cmdline, n);
	return f.len ? edit_write(e, PP_FEAT_CMDLINE, f.p, f.len) : 1;
}

/* Write what is new below this number. */
static int
edit_place(struct edit *e, uint64_t below)
{
	const struct pp_feature none = { .number = PP_FEAT_CMDLINE, .swap = e->swap };

	for (uint64_t i = 0; i < below && i < NUMBERS; i++) {
		struct item *it = &e->item[i];
		bool words = i == PP_FEAT_CMDLINE && e->nwords;

		if (it->done || !(it->used || words))
			continue;
		it->done = true;
		if ((words ? edit_put_cmdline(e, &none) : edit_write(e, i, it->p, it->n)) < 0)
			return -1;
	}
	return 1;
}

/* The mark behind the last feature.  perf report 6.1 fails at a mark with a greater number than its own; later ones take any. */
static int
edit_mark(struct edit *e)
{
	uint8_t b[PP_FEATURE_HEAD];
	struct pp_rec r;

	pp_raw_head(b, PP_HEADER_FEATURE, 0, sizeof b, e->swap);
	PP_RAW_SET(b, HEADER_FEATURE, feat_id, (uint64_t)(e->last < MARK_OF_6_1 ? MARK_OF_6_1 : PP_FEAT_END), e->swap);
	r = pp_rec_at(b, e->swap);
	return e->pub.next->put(e->pub.next, e->t->in, &r, false);
}

/*
 * The features of the stream are over.  mark: the number of the mark at which it says so, which is greater than those of all
 * features that the recorder knows; 0: none.  1; 0: a mark was written instead of that one; or -1.
 */
static int
edit_end(struct edit *e, uint64_t mark)
{
	e->over = true;
	for (uint64_t i = mark; mark && i < NUMBERS; i++)
		if (e->item[i].used && e->item[i].if_absent && !e->item[i].done) {
			tool_note(e->t, "--features-from: %s: not known to the perf of this recording", pp_feature_name(i));
			e->item[i].done = true;
		}
	if (edit_place(e, NUMBERS) < 0)
		return -1;
	if (mark && e->last >= mark)
		tool_warn(e->t, "feature %s is newer than the perf of this recording: perf report of that version refuses it",
		    pp_feature_name(e->last) ? pp_feature_name(e->last) : "");
	else if (mark || e->any || !e->last)
		return 1;
	return edit_mark(e) < 0 ? -1 : 0;
}

/* Learn NRCPUS and ARCH, by which others are checked.  A change of NRCPUS makes a feature unreadable that has values for each CPU. */
static int
edit_learn(struct edit *e, const struct pp_feature *f, bool passes)
{
	struct pp_err ignored = { 0 };
	struct pp_feature_about theirs = e->about;

	if (f->number == PP_FEAT_NRCPUS || f->number == PP_FEAT_ARCH) {
		pp_feature_check(f, passes ? &e->about : &theirs, &ignored);
		if (f->number == PP_FEAT_NRCPUS)
			e->cpus = passes ? e->about.nr_cpus : theirs.nr_cpus;
	} else if (passes && (f->number == PP_FEAT_CPU_TOPOLOGY || f->number == PP_FEAT_CPU_DOMAIN_INFO) && e->cpus &&
	    e->cpus != e->about.nr_cpus) {
		return pp_fail(&e->t->in_err, "HEADER_FEATURE: %s: is of %" PRIu32 " CPUs, but the new NRCPUS says %" PRIu32
		    "; leave it out by --no-features", pp_feature_name(f->number), e->cpus, e->about.nr_cpus);
	}
	return 1;
}

/* Could the feature and that of another recording be of one machine? */
static bool
edit_same_machine(const struct pp_feature *f, const struct item *it)
{
	struct pp_feature other = *f;
	struct pp_feature_value a = { .num = 0 }, b = a;
	struct pp_feature_io io[2];
	struct pp_err ignored = { 0 };

	if (f->number != PP_FEAT_HOSTNAME && f->number != PP_FEAT_ARCH && f->number != PP_FEAT_NRCPUS)
		return true;
	other.p = it->p;
	other.len = it->n;
	pp_feature_open(&io[0], f, &ignored);
	pp_feature_open(&io[1], &other, &ignored);
	if (pp_feature_next(&io[0], &a) <= 0 || pp_feature_next(&io[1], &b) <= 0)
		return true;
	return a.kind == PP_F_STR ? a.len == b.len && !memcmp(a.p, b.p, a.len) : a.num == b.num;
}

static int
edit_feature(struct edit *e, struct item *it, const struct pp_feature *f, bool *passes)
{
	bool had = it->done, set = it->used && !it->if_absent, words = f->number == PP_FEAT_CMDLINE && e->nwords;

	it->done = true;
	*passes = !set && !words;
	if (edit_learn(e, f, *passes) < 0)
		return -1;
	if (it->used && it->if_absent && *passes && !edit_same_machine(f, it))
		return pp_fail(&e->t->in_err, "HEADER_FEATURE: %s: the recording of --features-from has another one",
		    pp_feature_name(f->number));
	if (words)
		return set && had ? 1 : edit_put_cmdline(e, f);
	return set && !had ? edit_write(e, f->number, it->p, it->n) : 1;
}

static int
edit_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct edit *e = (struct edit *)o;
	struct pp_feature f;
	bool passes = true;
	int rc;

	switch (r->type) {
	case PP_HEADER_FEATURE:
		e->any = true;
		if (pp_feature_is_end(r)) {
			if (e->over)
				break;
			if ((rc = edit_end(e, PP_RAW_GET(r->raw, HEADER_FEATURE, feat_id, e->swap))) < 0)
				return -1;
			passes = rc > 0;
			break;
		}
		if (pp_feature_of(&f, r, e->swap, 0, &e->t->in_err) < 0)
			return pp_reject(in, r);
		if ((!e->over && edit_place(e, f.number) < 0) ||
		    (f.number < NUMBERS && edit_feature(e, &e->item[f.number], &f, &passes) < 0))
			return -1;
		break;
	case PP_HEADER_ATTR:
	case PP_HEADER_EVENT_TYPE:
		break;
	case PP_EVENT_UPDATE:		/* says more of an ATTR */
		if (!e->any)
			break;
		/* fall through */
	default:
		if (!e->over && e->t->in->events->n && edit_end(e, 0) < 0)
			return -1;
		o->idle = true;
	}
	return passes ? o->next->put(o->next, in, r, stable) : 1;
}

static int
edit_finish(struct out *o)
{
	struct edit *e = (struct edit *)o;
	struct out *next = o->next;
	int rc = e->over || e->t->in_err.what[0] ? 1 : edit_end(e, 0);

	edit_free(e);
	return next->finish(next) < 0 || rc < 0 ? -1 : 1;
}

struct out *
edit_stage(struct edit *e, struct out *next)
{
	e->pub = (struct out){ .put = edit_put, .finish = edit_finish, .next = next };
	return &e->pub;
}

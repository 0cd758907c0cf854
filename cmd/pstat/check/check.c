/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "in.h"
#include "record/event.h"
#include "record/judge.h"
#include "record/meaning.h"

PP_PERF_TEXTS(7_2, "rules about types");

/* ---- findings ------------------------------------------------------------------------------------ */

/* Add n findings, the first of them at that place. */
static void
found_add(struct finding *f, uint64_t n, bool at, uint64_t off, uint64_t record, uint32_t type, const char *detail)
{
	if (!f->count || (f->at && at && off < f->off)) {
		f->at = at;
		f->off = off;
		f->record = record;
		f->type = type;
		snprintf(f->detail, sizeof f->detail, "%s", detail ? detail : "");
	}
	f->count += n;
}

void
check_found_at(struct check *c, enum rule rule, uint64_t n, bool at, uint64_t off, uint64_t record, uint32_t type,
    const char *detail)
{
	found_add(&c->found[rule][check_since(rule)], n, at, off, record, type, detail);
}

void
check_found_since(struct check *c, enum rule rule, int since, const struct pp_rec *r, const char *detail)
{
	struct finding *f = &c->found[rule][since];

	if (f->count)
		f->count++;		/* quick: a broken recording may break it millions of times */
	else
		found_add(f, 1, !pp_made(c->in, r), pp_offset(c->in, r), c->record, r->type, detail);
}

void
check_found(struct check *c, enum rule rule, const struct pp_rec *r, const char *detail)
{
	check_found_since(c, rule, check_since(rule), r, detail);
}

void
check_found_all(struct check *c, enum rule rule, const char *detail)
{
	check_found_at(c, rule, 1, false, 0, 0, UINT32_MAX, detail);
}

/* All is known: which findings are errors, and which are notes? */
static void
found_levels(struct check *c)
{
	int perf = c->perf ? c->perf : c->recorder ? c->recorder : PP_PERF_CURRENT;

	for (int i = 0; i < RULES; i++)
		for (int since = 0; since < CHECK_SINCE; since++) {
			const struct finding *f = &c->found[i][since];
			int level = since == PP_PERF_NONE || since > perf ? AS_RULE : AS_NOTE;
			struct finding *to = &c->result[i][level];

			if (!f->count || !c->chosen[i][level])
				continue;
			to->since = to->count && to->since == PP_PERF_NONE ? PP_PERF_NONE : since;
			found_add(to, f->count, f->at, f->off, f->record, f->type, f->detail);
		}
}

/* ---- faults of the source ------------------------------------------------------------------------ */

static void
check_goes_on(struct check *c, const struct pp_err *err)
{
	if (!c->pass->faults++)
		c->pass->fault = *err;
}

static void
fault(void *arg, const struct pp_err *err)
{
	struct check *c = arg;

	check_goes_on(c, err);
	check_found_at(c, RULE_E_BAD_FEATURE, 1, err->at, err->off, c->record, PP_HEADER_FEATURE, err->what);
}

/* ---- the handle ---------------------------------------------------------------------------------- */

static void *
check_new(struct pass *p)
{
	const char *version = p->asked->check_for;
	struct tool *t = p->t;
	struct check *c;

	if (!p->asked->check)
		return NULL;
	c = tool_alloc(1, sizeof *c);
	c->tool = t;
	c->pass = p;
	c->c = p->c;
	memset(c->chosen, 1, sizeof c->chosen);
	if (p->asked->check_list) {
		t->optname = "--check";
		check_choose(c, p->asked->check_list);
	}
	if (version && !(c->perf = check_perf(version, strlen(version), false)))
		tool_wrong(t, "--for '%s': expected a version of perf, such as 6.1, 6.12 or current", version);
	t->on_fault = fault;
	t->on_fault_arg = c;
	p->open_flags |= PP_OPEN_ANY_SIZE;
	p->says = !p->asked->page;
	c->cpu = tool_alloc(CHECK_CPUS, sizeof *c->cpu);
	files_init(&c->files);
	return c;
}

static void *
check_glance(struct pass *p)
{
	struct check *c;

	if (!pass_is_plain(p))
		return NULL;
	c = tool_alloc(1, sizeof *c);
	c->tool = p->t;
	c->c = p->c;
	c->glance = true;
	check_choose(c, "E,W");
	return c;
}

static void
check_free(void *part)
{
	struct check *c = part;

	turns_free(c->turns);
	free(c->cpu);
	free(c->ev);
	free(c);
}

/* ---- records ------------------------------------------------------------------------------------- */

/* The record could not be counted: why? */
static void
check_unsound(struct check *c, const struct pp_rec *r)
{
	const struct pp_events *all = c->in->events;
	struct pp_err why = { .what = "" };
	const struct pp_event *ev = pp_event_find(all, r, &why);
	enum rule rule = ev ? RULE_E_SHORT_SAMPLE : !all->n ? r->type == PP_SAMPLE ? RULE_E_SAMPLE_FIRST : RULE_W_EARLY_RECORD :
	    strstr(why.what, "belongs to no event") ? RULE_E_UNKNOWN_ID : RULE_E_SHORT_SAMPLE;

	check_found(c, rule, r, c->tool->in_err.what);
}

/* A record with which the other tools end, as pp_reject() makes them; --check goes on. */
static void
check_rejected(struct check *c, const struct pp_rec *r, const char *why)
{
	struct pp_err err = { .file = c->tool->in_err.file, .at = true, .off = pp_offset(c->in, r), .code = PP_ERR_DATA };

	snprintf(err.what, sizeof err.what, "%s: %s", pp_type_name(r->type), why);
	check_goes_on(c, &err);
}

/* PP_OPEN_ANY_SIZE: the other tools, and a glance, end at a record whose size is not that of its fields. */
static void
check_size(struct check *c, const struct pp_rec *r)
{
	struct pp_err why = { .what = "" };

	if (pp_judge(c->in->events, r, &why) >= 0)
		return;
	check_found(c, RULE_E_UNREADABLE, r, why.what);
	check_rejected(c, r, why.what);
}

static void
check_type(struct check *c, const struct pp_rec *r)
{
	char detail[64];

	if (r->size & 7 && r->type != PP_HEADER_TRACING_DATA && r->type != PP_HEADER_FEATURE && !pp_made(c->in, r))
		check_found(c, RULE_E_UNALIGNED, r, NULL);
	if (pp_type_class(r->type) == PP_CLASS_UNKNOWN && r->type < PP_USER_TYPE_START)
		check_found_since(c, RULE_E_KERNEL_TYPE, CHECK_NEWER, r, NULL);
	else if (pp_type_class(r->type) == PP_CLASS_UNKNOWN)
		check_found_since(c, RULE_E_NEW_TYPE, PP_PERF_7_2, r, "perf 6.1 and 6.12 stop, 7.2 leaves it out");
	else if (!pp_type_read_by(r->type, PP_PERF_6_1)) {
		bool old = pp_type_read_by(r->type, PP_PERF_6_12);

		snprintf(detail, sizeof detail, "perf 6.1%s %s not read %s", old ? "" : " and 6.12", old ? "does" : "do",
		    pp_type_name(r->type));
		check_found_since(c, RULE_E_NEW_TYPE, old ? PP_PERF_6_12 : PP_PERF_7_2, r, detail);
	}
}

/* What count.c has found in this record. */
static void
check_counted(struct check *c, const struct pp_rec *r)
{
	const struct order *o = &c->c->order;

	if (o->late != c->late) {
		check_found(c, RULE_E_LATE, r, NULL);
		c->late = o->late;
	}
	if (o->backward != c->backward) {	/* as the table order counts it */
		if (o->last - o->prev > 1000000000)
			check_found(c, RULE_N_BACKWARD, r, NULL);
		c->backward = o->backward;
	}
	if (c->c->reads_back != c->reads_back) {
		check_found(c, RULE_E_TOTAL_BACK, r, NULL);
		c->reads_back = c->c->reads_back;
	}
	if (c->c->reads_unknown != c->reads_unknown) {
		check_found(c, RULE_E_TOTAL_ID, r, NULL);
		c->reads_unknown = c->c->reads_unknown;
	}
}

static void
check_round(struct check *c)
{
	c->rounds++;
	c->since_round = 0;
	turns_round(c->turns);
}

/* What the record itself says; ev NULL: of no event, or not sound. */
static void
check_content(struct check *c, const struct pp_event *ev, const struct pp_rec *r, bool sound)
{
	if (r->type == PP_SAMPLE && ev)
		check_sample(c, ev, r);
	else if (r->type < PP_USER_TYPE_START && sound)
		check_side(c, ev, r);
	else if (r->type == PP_HEADER_ATTR)
		check_attr(c, r);
	else if (r->type == PP_HEADER_FEATURE)
		check_feature(c, r);
	else if (r->type >= PP_USER_TYPE_START && r->type != PP_FINISHED_ROUND)
		check_own(c, r);
}

static int
check_record(void *arg, const struct pp_rec *r, bool sound)
{
	static const uint64_t many = 64 << 20;
	struct check *c = arg;
	const struct pp_event *ev = NULL;
	uint64_t before = c->since_round;

	if (!sound) {
		check_unsound(c, r);
		check_rejected(c, r, c->tool->in_err.what);
		c->tool->in_err = (struct pp_err){ .file = c->tool->in_err.file };
	}
	if (!pp_sample_size(c->in->events, r->raw, r->size))
		check_size(c, r);
	if (r->type != PP_SAMPLE || r->size & 7)
		check_type(c, r);
	check_counted(c, r);
	if (r->type < PP_USER_TYPE_START) {
		c->since_round += r->size;
		if (before <= many && c->since_round > many && c->in->events->n)
			check_found(c, RULE_W_NO_ROUNDS, r, NULL);
		c->data_before_round |= !c->rounds && r->type == PP_SAMPLE;
		if (sound)
			ev = pp_event_find(c->in->events, r, NULL);
	}
	if (r->type == PP_FINISHED_ROUND)
		check_round(c);
	check_content(c, ev, r, sound);
	c->record++;
	return 1;
}

/* check_record() for a glance: the counts are looked at in the end. */
static int
check_glance_record(void *arg, const struct pp_rec *r, bool sound)
{
	const struct pp_event *ev = NULL;
	struct check *c = arg;

	if (!sound) {
		check_unsound(c, r);
		c->ended = true;
	} else if (r->type < PP_USER_TYPE_START)
		ev = pp_event_find(c->in->events, r, NULL);
	if (r->type != PP_SAMPLE || r->size & 7)
		check_type(c, r);
	check_content(c, ev, r, sound);
	return 1;
}

static void
check_begin(void *part, struct pass *p)
{
	struct check *c = part;

	c->in = p->t->in;
	if (!c->in)
		return;
	if (c->glance) {
		lane_join(c->c, LANE_FIRST, check_glance_record, c);
		return;
	}
	c->turns = turns_new(c);
	lane_join(c->c, LANE_ALL, check_record, c);
}

/* ---- the end ------------------------------------------------------------------------------------- */

static void
check_compressed(struct check *c)
{
	const struct pp_compressed *z = pp_compressed(c->in);
	char detail[100] = "";

	if (z->records2)
		found_add(&c->found[RULE_E_NEW_TYPE][PP_PERF_7_2], z->records2, true, z->first2, 0, PP_COMPRESSED2,
		    "perf 6.1 and 6.12 do not read COMPRESSED2");
	if (z->nothing)
		check_found_at(c, RULE_E_EXPANDS_TO_0, z->nothing, true, z->nothing_at, 0, PP_COMPRESSED, NULL);
	if (!z->records && !z->records2)
		return;			/* perf stat record writes the feature, empty */
	if (!z->announced)
		snprintf(detail, sizeof detail, "it is missing, or behind the first compressed record");
	else if (z->mmap_len < 4096 || z->mmap_len % 4096)
		snprintf(detail, sizeof detail, "mmap_len is %u, not a multiple of 4096", z->mmap_len);
	else if (z->largest > z->mmap_len)
		snprintf(detail, sizeof detail, "mmap_len is %u, a record expands to %ju", z->mmap_len, (uintmax_t)z->largest);
	if (detail[0])
		check_found_at(c, RULE_E_COMPRESSED, 1, z->records || z->records2, z->first, 0, UINT32_MAX, detail);
	if (z->announced && (z->version || z->type != 1))
		check_found_all(c, RULE_W_ODD_COMPRESSED, NULL);
}

static void
check_add(void *part, struct report *r)
{
	report_add(r, &check_table, part);
}

static void
check_glance_add(void *part, struct report *r)
{
	if (part)			/* no report has it */
		report_add(r, &check_glance_table, part);
}

/* What the counts say. */
static void
check_glance_end(struct check *c)
{
	const struct order *o = &c->c->order;
	const uint64_t many = 64 << 20, round = PP_HEADER_SIZE;
	const struct { enum rule rule; uint64_t n; } counted[] = {
		{ RULE_E_LATE, o->late }, { RULE_E_TOTAL_BACK, c->c->reads_back }, { RULE_E_TOTAL_ID, c->c->reads_unknown },
		/* behind the last round, whose own bytes count to what is before it or not */
		{ RULE_W_NO_ROUNDS, c->nev && o->from[0].bytes - o->from[1].bytes > many + round },
	};
	const struct { enum rule rule; uint32_t type; } more[] = {
		{ RULE_W_LOST, PP_LOST }, { RULE_W_THROTTLED, PP_THROTTLE },
	};

	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
		if (counted[i].n)
			check_found_at(c, counted[i].rule, counted[i].n, false, 0, 0, UINT32_MAX, NULL);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)	/* behind the first ones */
		if (c->c->type[more[i].type].records > LANE_FIRSTS)
			c->found[more[i].rule][PP_PERF_NONE].count += c->c->type[more[i].type].records - LANE_FIRSTS;
}

static void
check_end_of_input(struct check *c)
{
	const struct pp_err *err = &c->tool->in_err;

	if (c->glance && c->in)
		check_glance_end(c);
	if (c->ended)
		return;			/* nothing is known about the recording as a whole */
	if (err->what[0])
		check_found_at(c, RULE_E_UNREADABLE, 1, err->at, err->off, c->record, UINT32_MAX, err->what);
	if (!c->in)
		return;
	check_compressed(c);
	check_head_end(c);
	if (c->glance)
		return;
	turns_end(c->turns);
	for (int i = 0; i < CHECK_COOKIES; i++)
		if (c->cookie[i])
			check_found_all(c, RULE_W_NO_DEFERRED, NULL);
	if (c->rounds && !c->data_before_round && c->since_round > 1 << 20)
		check_found_all(c, RULE_W_ROUNDS_FIRST, NULL);
}

static bool
check_end(void *part, struct pass *p)
{
	(void)p;
	check_end_of_input(part);
	found_levels(part);
	return true;
}

static void
check_close(void *part, struct pass *p)
{
	if (p->f && !p->asked->page && check_failed(part, p->asked->strict))
		p->t->failed = true;
}

const struct part_kind part_check = { .new = check_new, .add = check_add, .begin = check_begin, .end = check_end,
	.screen = check_screen, .close = check_close, .free = check_free };
const struct part_kind part_glance_check = { .new = check_glance, .add = check_glance_add, .begin = check_begin, .end = check_end,
	.free = check_free };

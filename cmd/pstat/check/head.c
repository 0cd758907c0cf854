/* SPDX-License-Identifier: ISC */
/* head.c - the rules about attrs, header features and other records of perf's own */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "in.h"
#include "record/attr.h"
#include "record/event.h"
#include "record/feature.h"
#include "record/raw.h"
#include "record/sample.h"
#include "record/tracing.h"
#include "set.h"

enum {
	ATTR_6_1 = 128, ATTR_6_12 = 136, ATTR_KNOWN = sizeof(struct pp_attr_raw),
	FEATURES_6_1 = 32,		/* HEADER_LAST_FEATURE of 6.1 and 6.12 */
	CLOCK_MONOTONIC_NR = 1,
	CPU_MAP_RANGE = 2,
	TRACE_INTEL_PT = 1, TRACE_TYPES = 7,
};
PP_PERF_TEXTS(7_2, "rules about attrs and features");

/* ---- attrs --------------------------------------------------------------------------------------- */

static bool
attr_has_odd_bits(const struct pp_attr *a)
{
	return a->sample_type & ~(uint64_t)PP_SAMPLE_KNOWN || a->read_format >> PP_FORMAT_BITS || a->flags >> PP_ATTR_FLAGS ||
	    a->branch_sample_type >> PP_BRANCH_BITS;
}

/* `known': the different ids of the events before it. */
static bool
attr_shares_id(const struct pp_events *all, const struct pp_event *ev, size_t known)
{
	if (all->map.used - known == ev->nids)	/* all of them are new, as in a sound stream */
		return false;
	for (unsigned i = 0; i < ev->nids; i++)
		for (unsigned k = 0; k < ev->index && k < 64; k++) {
			const struct pp_event *o = all->ev[k];

			for (unsigned j = 0; j < o->nids && j < 64; j++)
				if (o->ids[j] == ev->ids[i])
					return true;
		}
	return false;
}

/* Where perf looks for the id, by the first event: is it there in this one, too? */
static bool
attr_id_elsewhere(const struct pp_event *first, const struct pp_event *ev)
{
	const struct pp_plan *a = &first->plan, *b = &ev->plan;
	unsigned in = b->identifier ? b->identifier : b->id, back = b->t_identifier ? b->t_identifier : b->t_id;

	return (a->identifier ? a->identifier : a->id) != in ||
	    (a->trailer && b->trailer && (a->t_identifier ? a->t_identifier : a->t_id) != back);
}

void
check_attr(struct check *c, const struct pp_rec *r)
{
	const struct pp_events *all = c->in->events;
	const struct pp_event *ev = all->n ? all->ev[all->n - 1] : NULL;
	const struct pp_attr *a;
	bool no_samples;
	size_t known;

	if (!ev || all->n == c->nev)
		return;
	c->ev = tool_need(array_more(c->ev, c->nev, all->n - c->nev, sizeof *c->ev));
	c->nev = all->n;
	known = c->nids;
	c->nids = all->map.used;
	c->ev[ev->index] = (struct check_event){ .parts = check_needs_parts(ev) };
	c->stream |= !pp_made(c->in, r);
	a = &ev->attr;
	no_samples = !(a->sample_type & ~(uint64_t)PP_SAMPLE_IDENTIFIER);	/* of perf stat */
	if (pp_made(c->in, r) && a->size > ATTR_KNOWN)
		check_found_since(c, RULE_E_NEW_ATTR, CHECK_NEWER, r, "no perf up to 7.2 knows as much");
	else if (pp_made(c->in, r) && a->size > ATTR_6_1)
		check_found_since(c, RULE_E_NEW_ATTR, a->size > ATTR_6_12 ? PP_PERF_7_2 : PP_PERF_6_12, r,
		    a->size > ATTR_6_12 ? "perf 6.1 and 6.12 know less" : "perf 6.1 knows less");
	if (a->size > ATTR_KNOWN)
		check_found(c, RULE_W_LARGE_ATTR, r, NULL);
	if (attr_has_odd_bits(a))
		check_found(c, RULE_W_UNKNOWN_BITS, r, ev->name);
	if (!ev->plan.trailer && !(a->flags >> PP_ATTR_SAMPLE_ID_ALL_BIT & 1) && !no_samples)
		check_found(c, RULE_W_NO_ID_ALL, r, ev->name);
	if (!(a->sample_type & PP_SAMPLE_TIME) && !no_samples)
		check_found(c, RULE_W_NO_TIME, r, ev->name);
	if (!(a->sample_type & PP_SAMPLE_TID) && !no_samples)
		check_found(c, RULE_W_NO_TASK, r, ev->name);
	if (!(a->flags >> PP_ATTR_USE_CLOCKID_BIT & 1) || a->clockid != CLOCK_MONOTONIC_NR)
		if (ev->index == 0 && !no_samples)
			check_found(c, RULE_N_CLOCK, r, NULL);
	if (ev->index == 0)
		return;
	if (!no_samples && !(all->ev[0]->attr.sample_type & (PP_SAMPLE_ID | PP_SAMPLE_IDENTIFIER)))
		check_found(c, RULE_E_NO_IDS, r, NULL);
	else if (!ev->nids)
		check_found(c, RULE_E_NO_IDS, r, ev->name);
	else if (attr_id_elsewhere(all->ev[0], ev))
		check_found(c, RULE_E_ID_PLACE, r, ev->name);
	if (attr_shares_id(all, ev, known))
		check_found(c, RULE_E_SAME_ID, r, ev->name);
}

/* ---- header features ----------------------------------------------------------------------------- */

static int
visit_pmu(void *arg, const struct pp_feature_value *v)
{
	struct check *c = arg;

	if (!strcmp(v->name, "type") && v->num < 8 * sizeof c->pmu)
		c->pmu[v->num / 8] |= (uint8_t)(1 << v->num % 8);
	return 1;
}

static int
visit_cmdline(void *arg, const struct pp_feature_value *v)
{
	bool *inject = arg;

	if (!strcmp(v->name, "arg") && v->index == 1)
		*inject = v->len == 6 && !memcmp(v->p, "inject", 6);
	return 1;
}

static int
visit_version(void *arg, const struct pp_feature_value *v)
{
	struct check *c = arg;

	if (v->kind == PP_F_STR)
		c->recorder = check_perf((const char *)v->p, v->len, true);
	return 1;
}

/* A topology that older perfs refuse in a stream: of a file they leave out the ids. */
static void
feature_topology(struct check *c, const struct pp_rec *r, const struct pp_feature *f)
{
	char detail[100];

	if (pp_feature_check(f, &c->about, NULL) < 0 || !c->about.ids || pp_made(c->in, r))
		return;
	snprintf(detail, sizeof detail, "perf 6.1 and 6.12 stop at socket %u of %u CPUs", c->about.socket, c->about.nr_cpus);
	check_found_since(c, RULE_E_BAD_FEATURE, PP_PERF_7_2, r, detail);
}

static void
feature_content(struct check *c, const struct pp_rec *r, const struct pp_feature *f)
{
	bool inject = false;

	switch (f->number) {
	case PP_FEAT_NRCPUS:
	case PP_FEAT_ARCH:
		pp_feature_check(f, &c->about, NULL);
		break;
	case PP_FEAT_CPU_TOPOLOGY:
		feature_topology(c, r, f);
		break;
	case PP_FEAT_VERSION:
		pp_feature_walk(f, visit_version, c, NULL);
		break;
	case PP_FEAT_PMU_MAPPINGS:
		c->pmus = pp_feature_walk(f, visit_pmu, c, NULL) > 0;
		break;
	case PP_FEAT_CMDLINE:
		pp_feature_walk(f, visit_cmdline, &inject, NULL);
		if (inject)
			check_found(c, RULE_W_INJECTED, r, NULL);
		break;
	case PP_FEAT_SAMPLE_TIME:
		pp_feature_num(f, "first", &c->first, NULL);
		if (pp_feature_num(f, "last", &c->last, NULL) > 0 && !c->last)
			check_found(c, RULE_N_TIMES_UNSAID, r, NULL);
		break;
	}
}

static void
feature_new(struct check *c, const struct pp_rec *r, uint64_t number)
{
	bool read = number < PP_FEAT_END && pp_feature_name(number);
	char detail[80];

	snprintf(detail, sizeof detail, "%s %s (%ju)", read ? "perf 6.1 and 6.12 do not read" : "no perf up to 7.2 reads",
	    read ? pp_feature_name(number) : "this number", (uintmax_t)number);
	check_found_since(c, RULE_E_NEW_FEATURE, read ? PP_PERF_7_2 : CHECK_NEWER, r, detail);
}

/* A feature record that stands in the input: its number alone. */
static void
feature_number(struct check *c, const struct pp_rec *r, uint64_t number, bool end)
{
	unsigned where = pp_feature_where(number);
	char detail[80];

	if (end) {
		c->end_mark = true;
		if (number < c->max_feature)
			check_found(c, RULE_E_END_MARK, r, NULL);
		return;
	}
	snprintf(detail, sizeof detail, "%s %ju", pp_feature_name(number) ? pp_feature_name(number) : "number",
	    (uintmax_t)number);
	c->any_feature = true;
	if (c->any_sample || (number < 64 && c->features >> number & 1))
		check_found(c, RULE_W_LATE_FEATURE, r, detail);
	if (number < 64)
		c->features |= UINT64_C(1) << number;
	if (number > c->max_feature)
		c->max_feature = number;
	if (!number || (where && !(where & (PP_FEATURE_PIPE | PP_FEATURE_ALONE))))
		check_found(c, RULE_E_FILE_FEATURE, r, detail);
	else if (where & PP_FEATURE_ALONE)
		check_found(c, RULE_N_OWN_FEATURE, r, detail);
	else if (number >= FEATURES_6_1)
		feature_new(c, r, number);
	if (c->in->swap)
		check_found(c, RULE_E_BYTE_ORDER, r, NULL);
}

void
check_feature(struct check *c, const struct pp_rec *r)
{
	struct pp_feature f;
	bool made = pp_made(c->in, r);

	if (pp_feature_of(&f, r, c->in->swap, c->about.nr_cpus, NULL) < 0)
		return;
	if (!made)
		feature_number(c, r, f.number, pp_feature_is_end(r));
	else if (f.number < 64)
		c->features |= UINT64_C(1) << f.number;
	if (f.len)
		feature_content(c, r, &f);
}

/* ---- other records of perf's own ----------------------------------------------------------------- */

static void
own_index(struct check *c, const struct pp_rec *r)
{
	const struct pp_events *all = c->in->events;
	uint64_t nr = PP_RAW_GET(r->raw, ID_INDEX, nr, all->swap);

	for (const uint8_t *p = r->raw; nr--; p += PP_RAW_ENTRY(ID_INDEX, id))
		if (!pp_event_by_id(all, PP_RAW_GET(p, ID_INDEX, id, all->swap))) {
			check_found(c, RULE_E_INDEX_ID, r, all->n ? NULL : "it stands in front of the attrs");
			break;
		}
}

static void
own_cpu_map(struct check *c, const struct pp_rec *r)
{
	const uint8_t *p = r->raw + PP_HEADER_SIZE;
	uint16_t type = pp_get_u16(p, c->in->swap);

	if (type > CPU_MAP_RANGE || (type == CPU_MAP_RANGE && pp_get_u16(p + 4, c->in->swap) > pp_get_u16(p + 6, c->in->swap)))
		check_found(c, RULE_E_BAD_CPU_MAP, r, NULL);
}

/* The size of the payload's contents without padding; 0: they have no end. */
static uint64_t
formats_size(struct check *c)
{
	struct pp_tracing *t = pp_tracing_new();
	const uint8_t *p;
	uint64_t size;
	size_t n;

	if (!t)
		tool_no_memory();
	while (pp_payload(c->in, &p, &n) > 0)
		pp_tracing_feed(t, p, n);
	size = pp_tracing_size(t);
	pp_tracing_free(t);
	return size;
}

/* perf reads the contents, and of a stream compares their size, padded to 8 bytes, with that of the payload (header.c). */
static void
own_formats(struct check *c, const struct pp_rec *r)
{
	char detail[100];
	uint64_t size;

	if (c->formats && c->stream) {
		check_found(c, RULE_E_BAD_FORMATS, r, "it is the second");
		return;
	}
	c->formats = true;
	if (!r->payload) {
		check_found(c, RULE_E_BAD_FORMATS, r, r->size > sizeof(struct pp_raw_HEADER_TRACING_DATA) ?
		    "it is inside of the record, as simpleperf writes it" : "it is empty");
		return;
	}
	size = formats_size(c);
	if (size && ((size + 7) / 8 * 8 == r->payload || (!c->stream && size == r->payload)))
		return;
	if (!size || size > r->payload) {
		check_found(c, RULE_E_BAD_FORMATS, r, "what is in it is cut or malformed");
		return;
	}
	snprintf(detail, sizeof detail, "it has %ju bytes, what is in it %ju", (uintmax_t)r->payload, (uintmax_t)size);
	check_found(c, c->stream ? RULE_E_BAD_FORMATS : RULE_N_LONG_FORMATS, r, detail);
}

void
check_own(struct check *c, const struct pp_rec *r)
{
	const struct pp_events *all = c->in->events;
	bool swap = all->swap;
	uint32_t type;
	uint64_t id;

	switch (r->type) {
	case PP_ID_INDEX:
		own_index(c, r);
		break;
	case PP_EVENT_UPDATE:
		id = PP_RAW_GET(r->raw, EVENT_UPDATE, id, swap);
		if (all->n != 1 && id && !pp_event_by_id(all, id))
			check_found(c, all->n ? RULE_E_UPDATE_ID : RULE_W_EARLY_NAME, r, NULL);
		break;
	case PP_CPU_MAP:
		own_cpu_map(c, r);
		break;
	case PP_HEADER_TRACING_DATA:
		own_formats(c, r);
		break;
	case PP_HEADER_BUILD_ID:
		if (r->misc & PP_MISC_BUILD_ID_SIZE && r->raw[PP_RAW_AT(HEADER_BUILD_ID, id_size)] > 20)
			check_found(c, RULE_E_LONG_BUILD_ID, r, NULL);
		if (r->size > PP_RAW_AT(HEADER_BUILD_ID, filename)) {
			const char *name = (const char *)r->raw + PP_RAW_AT(HEADER_BUILD_ID, filename);

			check_file_name(c, r, name, strnlen(name, r->size - PP_RAW_AT(HEADER_BUILD_ID, filename)), true);
		}
		break;
	case PP_AUXTRACE_INFO:
		type = PP_RAW_GET(r->raw, AUXTRACE_INFO, auxtrace_type, swap);
		if (!type || type >= TRACE_TYPES)
			check_found(c, RULE_E_NO_TRACE_INFO, r, NULL);
		if (type == TRACE_INTEL_PT && c->stream)
			check_found(c, RULE_E_STREAM_TRACE, r, NULL);
		c->trace_info = true;
		break;
	case PP_AUXTRACE:
		if (!c->trace_info)
			check_found(c, RULE_E_NO_TRACE_INFO, r, NULL);
		break;
	case PP_AUXTRACE_ERROR:
		check_found(c, RULE_W_TRACE_LOST, r, NULL);
		break;
	}
}

/* ---- the end ------------------------------------------------------------------------------------- */

void
check_head_end(struct check *c)
{
	const struct order *o = &c->c->order;

	if (pp_is_profile(c->in))
		check_found_all(c, RULE_E_FOREIGN, pp_container(c->in));
	if (!c->nev && !c->tool->in_err.what[0])
		check_found_all(c, RULE_E_NO_EVENTS, NULL);
	if (c->last && o->timed && (c->last < o->first || c->first > o->last))
		check_found_all(c, RULE_W_WRONG_TIMES, NULL);
	if (c->nev && !c->features && !c->max_feature && !c->found[RULE_E_BAD_FEATURE][PP_PERF_NONE].count)
		check_found_all(c, RULE_N_NO_FEATURES, NULL);
	if (c->any_feature && !c->end_mark)
		check_found_all(c, RULE_W_NO_END_MARK, NULL);
	if (!c->any_sample)
		return;
	if (!c->c->type[PP_FINISHED_INIT].records)
		check_found_all(c, RULE_N_NO_INIT, NULL);
	if (!(c->features >> PP_FEAT_CLOCK_DATA & 1))
		check_found_all(c, RULE_N_NO_CLOCK_DATA, NULL);
}

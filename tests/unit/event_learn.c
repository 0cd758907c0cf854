/* SPDX-License-Identifier: ISC */
/* What the records in front of a recording say of events: names, units, CPUs of ids, sums of sizes; and limits. */
#include "record/event.h"
#include "record/feature.h"
#include "record/shape.h"
#include "bytes.h"

enum { ALL = 1 << 18 };		/* sample_id_all */

static struct bytes b;

static void
learn(struct pp_events *e, const struct pp_rec *r)
{
	struct pp_err err = { 0 };

	assert_int_equal(pp_events_learn(e, r, &err), 1);
	assert_string_equal(err.what, "");
}

static void
attr(struct pp_events *e, struct pp_attr a, unsigned nids, const uint64_t *ids)
{
	struct pp_rec r;

	a.size = a.size ? a.size : 128;
	b.n = 0;
	b.swap = e->swap;
	r = put_attr(&b, &a, nids, ids);
	learn(e, &r);
}

static void
update(struct pp_events *e, uint64_t type, uint64_t id, const char *text, size_t size)
{
	struct pp_rec r;
	size_t at;

	b.n = 0;
	at = begin_rec(&b, PP_EVENT_UPDATE, 0);
	put(&b, type, 8);
	put(&b, id, 8);
	memcpy(bytes_p(&b) + b.n, text, size);
	b.n += size;
	r = end_rec(&b, at);
	learn(e, &r);
}

/* ---- names and units ------------------------------------------------------------------------------------- */

struct desc { const char *name; unsigned nids; uint64_t id; };

/* EVENT_DESC of n events, without the last `cut' bytes. */
static void
describe(struct pp_events *e, uint64_t feature, unsigned n, const struct desc *d, unsigned cut)
{
	struct pp_rec r;
	size_t at;

	b.n = 0;
	at = begin_rec(&b, PP_HEADER_FEATURE, 0);
	put(&b, feature, 8);
	put(&b, n, 4);
	put(&b, 72, 4);
	for (unsigned i = 0; i < n; i++) {
		put_text(&b, "", 72);
		put(&b, d[i].nids, 4);
		put(&b, 64, 4);
		put_text(&b, d[i].name, 64);
		for (unsigned k = 0; k < d[i].nids; k++)
			put(&b, d[i].id + k, 8);
	}
	b.n -= cut;
	r = end_rec(&b, at);
	learn(e, &r);
}

static void
test_event_desc(void **state)
{
	static const uint64_t ids[] = { 5, 6, 7 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = pp_events_new(swap);

		for (unsigned i = 0; i < 3; i++)
			attr(e, (struct pp_attr){ .type = 1, .flags = 1 << 20 }, 1, ids + i);
		/* by the first of the ids, 0: the first event; one that is not known: none */
		describe(e, PP_FEAT_EVENT_DESC, 3, (struct desc[]){ { "second", 1, 6 }, { "nobody", 1, 99 }, { "first", 1, 0 } }, 0);
		assert_string_equal(e->ev[0]->name, "first");
		assert_string_equal(e->ev[1]->name, "second");
		assert_string_equal(e->ev[2]->name, "cpu-clock");
		/* without ids by the place; one behind the last is of none; without a name it has what it had */
		describe(e, PP_FEAT_EVENT_DESC, 4, (struct desc[]){ { "", 0, 0 }, { "b", 0, 0 }, { "c", 0, 0 }, { "d", 0, 0 } }, 0);
		assert_string_equal(e->ev[0]->name, "first");
		assert_string_equal(e->ev[1]->name, "b");
		assert_string_equal(e->ev[2]->name, "c");
		/* of one that is cut the events that are whole */
		describe(e, PP_FEAT_EVENT_DESC, 3, (struct desc[]){ { "x", 1, 5 }, { "y", 2, 6 }, { "z", 1, 7 } }, 1);
		assert_string_equal(e->ev[0]->name, "x");
		assert_string_equal(e->ev[1]->name, "y");
		assert_string_equal(e->ev[2]->name, "c");
		describe(e, PP_FEAT_EVENT_DESC + 1, 1, (struct desc[]){ { "other", 1, 5 } }, 0);
		assert_string_equal(e->ev[0]->name, "x");
		/* in 64 bytes */
		describe(e, PP_FEAT_EVENT_DESC, 1, (struct desc[]){ { "0123456789012345678901234567890123456789012345678901234567890123", 1, 5 } }, 0);
		assert_int_equal(strlen(e->ev[0]->name), 64);
		pp_events_free(e);
	}
}

static void
test_updates(void **state)
{
	static const uint64_t ids[] = { 5, 6 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = pp_events_new(swap);

		update(e, 2, 0, "early\0\0", 8);		/* in front of any attr: nobody's */
		for (unsigned i = 0; i < 2; i++)
			attr(e, (struct pp_attr){ .type = 1, .flags = 1 << 20 }, 1, ids + i);
		assert_null(e->ev[0]->unit);
		assert_string_equal(e->ev[0]->name, "cpu-clock");
		assert_int_equal(e->ev[0]->name_from, PP_NAME_BUILT);
		update(e, 0, 6, "ms\0\0\0\0\0", 8);
		update(e, 0, 5, "abcdefgh", 8);			/* all of it, without a NUL */
		assert_string_equal(e->ev[1]->unit, "ms");
		assert_string_equal(e->ev[0]->unit, "abcdefgh");
		update(e, 0, 6, "\0\0\0\0\0\0\0", 8);		/* it has what it had */
		update(e, 1, 6, "1234567", 8);			/* a scale, CPUs, and what is yet to come */
		update(e, 3, 6, "1234567", 8);
		update(e, 4, 6, "1234567", 8);
		update(e, 0, 7, "1234567", 8);
		assert_string_equal(e->ev[1]->unit, "ms");
		update(e, 0, 6, "ns\0\0\0\0\0", 8);
		assert_string_equal(e->ev[1]->unit, "ns");
		update(e, 2, 6, "one\0\0\0\0", 8);
		update(e, 2, 6, "two\0\0\0\0", 8);
		update(e, 2, 6, "\0\0\0\0\0\0\0", 8);
		assert_string_equal(e->ev[1]->name, "two");
		assert_int_equal(e->ev[1]->name_from, PP_NAME_UPDATE);
		assert_string_equal(e->ev[0]->name, "cpu-clock");
		update(e, 2, 0, "zero\0\0\0", 8);		/* the first one */
		assert_string_equal(e->ev[0]->name, "zero");
		describe(e, PP_FEAT_EVENT_DESC, 1, (struct desc[]){ { "less", 1, 5 } }, 0);
		assert_string_equal(e->ev[0]->name, "zero");
		pp_events_free(e);
	}
}

/* ---- ids ------------------------------------------------------------------------------------------------- */

static void
test_cpus(void **state)
{
	static const struct { uint64_t id, cpu; int64_t want; } t[] = {
		{ 5, 0, 0 }, { 6, 3, 3 }, { 7, INT32_MAX, INT32_MAX }, { 8, UINT64_C(1) << 31, -1 }, { 9, UINT64_MAX, -1 }, { 10, UINT64_C(1) << 40, -1 },
		{ 11, UINT64_C(1) << 63, -1 }, { 99, 4, -1 },
	};
	static const uint64_t ids[] = { 5, 6, 7, 8, 9, 10, 11, 12 };
	enum { N = sizeof t / sizeof *t };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = pp_events_new(swap);
		struct pp_rec r;
		size_t at;

		attr(e, (struct pp_attr){ .type = 1 }, 8, ids);
		for (unsigned i = 0; i < 8; i++)
			assert_int_equal(pp_cpu_of_id(e, ids[i]), -1);
		b.n = 0;
		at = begin_rec(&b, PP_ID_INDEX, 0);
		put(&b, N, 8);
		for (unsigned i = 0; i < N; i++) {
			put(&b, t[i].id, 8);
			put(&b, 77, 8);
			put(&b, t[i].cpu, 8);
			put(&b, 78, 8);
		}
		r = end_rec(&b, at);
		learn(e, &r);
		for (unsigned i = 0; i < N; i++)
			assert_int_equal(pp_cpu_of_id(e, t[i].id), t[i].want);
		assert_int_equal(pp_cpu_of_id(e, 12), -1);
		pp_events_free(e);
	}
}

/* Ids of many events, more than the first table has room for: each is found, the last event of an id is the one, and no other is found. */
static void
test_many_ids(void **state)
{
	enum { EVENTS = 40, EACH = 4000 };
	static uint64_t ids[EACH];
	struct pp_events *e = pp_events_new(false);
	uint64_t slots = 64;

	(void)state;
	for (unsigned i = 0; i < EVENTS; i++) {
		for (unsigned k = 0; k < EACH; k++) {
			ids[k] = UINT64_C(1) + i * EACH + k;
			/* one slot in four is used, and of more than 65,536 ids one in two, at most */
			if ((ids[k] <= 1 << 16 ? 4 : 2) * ids[k] > slots)
				slots *= 2;
		}
		attr(e, (struct pp_attr){ .type = 1 }, EACH, ids);
		assert_int_equal(e->nids, (i + 1) * EACH);
		assert_int_equal(e->map.used, e->nids);
		assert_int_equal(UINT64_C(1) << (64 - e->map.shift), slots);
	}
	for (unsigned i = 0; i < EVENTS * EACH; i++)
		assert_ptr_equal(pp_event_by_id(e, i + 1), e->ev[i / EACH]);
	assert_null(pp_event_by_id(e, EVENTS * EACH + 1));
	assert_null(pp_event_by_id(e, 0));
	assert_null(pp_event_by_id(e, UINT64_MAX));
	attr(e, (struct pp_attr){ .type = 1 }, 1, ids);
	assert_ptr_equal(pp_event_by_id(e, ids[0]), e->ev[EVENTS]);
	assert_int_equal(e->map.used, EVENTS * EACH);
	assert_int_equal(e->nids, EVENTS * EACH + 1);
	pp_events_free(e);
}

/* There may be 65,536 events, as in a file; one more is refused, and what was learned stays. */
static void
test_most_events(void **state)
{
	enum { MOST = 65536 };
	struct pp_events *e = pp_events_new(false);
	struct pp_attr a = { .type = 1, .size = 64 };
	struct pp_err err = { 0 };
	struct pp_rec r;

	(void)state;
	b.n = 0;
	b.swap = false;
	r = put_attr(&b, &a, 0, NULL);
	for (unsigned i = 0; i < MOST; i++)
		assert_int_equal(pp_events_learn(e, &r, &err), 1);
	assert_int_equal(pp_events_learn(e, &r, &err), -1);
	assert_string_equal(err.what, "more than 65536 events or 16777216 ids");
	assert_int_equal(e->n, MOST);
	assert_int_equal(e->ev[MOST - 1]->index, MOST - 1);
	pp_events_free(e);
}

/* Where a record has an id is as the first attr says; the shortest one that has it is as long as that. */
static void
test_unknown_ids(void **state)
{
	static const uint64_t ids[] = { 5, 6 };
	static const struct { uint64_t sample_type; uint32_t type; unsigned at, size; } t[] = {
		{ PP_SAMPLE_IDENTIFIER | PP_SAMPLE_IP, PP_SAMPLE, 8, 16 }, { PP_SAMPLE_ID | PP_SAMPLE_IP | PP_SAMPLE_TIME, PP_SAMPLE, 24, 32 },
		{ PP_SAMPLE_IDENTIFIER | PP_SAMPLE_TIME, PP_SWITCH, 8, 16 }, { PP_SAMPLE_ID | PP_SAMPLE_CPU, PP_SWITCH, 16, 24 },
		{ PP_SAMPLE_ID, PP_SWITCH, 8, 16 }, { PP_SAMPLE_IP, PP_SAMPLE, 0, 0 }, { PP_SAMPLE_TID, PP_SWITCH, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof t / sizeof *t; i++)
		for (unsigned nids = 0; nids < 2; nids++)
			for (unsigned n = 1; n <= 2; n++)
				for (unsigned size = 8; size <= 40; size++)
					for (uint64_t id = 0; id < 8; id++) {
						const unsigned at = t[i / 2].at, place = t[i / 2].type == PP_SAMPLE ? at : size - at;
						struct pp_events *e = pp_events_new(i % 2);
						struct pp_err err = { 0 };
						uint8_t raw[40];
						struct pp_rec r = { .raw = raw, .type = t[i / 2].type, .size = (uint16_t)size };
						bool has = at && (t[i / 2].type == PP_SAMPLE ? size >= at + 8 : size >= at + 8 && size >= 16);
						bool known = id - 5 < (nids ? n : 0);
						const struct pp_event *ev;

						for (unsigned k = 0; k < n; k++)
							attr(e, (struct pp_attr){ .type = 1, .flags = ALL, .sample_type = t[i / 2].sample_type }, nids, ids + k);
						memset(raw, 0x11, sizeof raw);
						if (has)
							pp_set_u64(raw + place, id, e->swap);
						assert_int_equal(pp_event_unknown(e, &r), nids && has && id && !known);
						ev = pp_event_of(e, &r, &err);
						if (n == 1 || !at || (has && !id))
							assert_ptr_equal(ev, e->ev[0]);
						else if (!has || !known)
							assert_null(ev);
						else
							assert_ptr_equal(ev, e->ev[id - 5]);
						assert_int_equal(ev == NULL, err.what[0] != 0);
						if (r.type != PP_SAMPLE)
							assert_ptr_equal(pp_event_find_slow(e, &r, &err), ev);
						pp_events_free(e);
					}
}

/* ---- sizes ----------------------------------------------------------------------------------------------- */

static void
test_sums(void **state)
{
	const uint64_t no = UINT64_MAX, u64 = UINT64_MAX;
	const struct { struct pp_attr a; uint64_t need, base, at, unit, mask; } t[] = {
		{ { .sample_type = 0 }, 8, 8, 0, 0, 0 },
		{ { .sample_type = PP_SAMPLE_IP }, 16, 16, 0, 0, 0 },
		{ { .sample_type = PP_SAMPLE_IP | PP_SAMPLE_WEIGHT }, 24, 24, 0, 0, 0 },
		{ { .sample_type = PP_SAMPLE_RAW }, 16, 12, 8, 1, UINT32_MAX },
		{ { .sample_type = PP_SAMPLE_IP | PP_SAMPLE_RAW }, 24, 20, 16, 1, UINT32_MAX },
		{ { .sample_type = PP_SAMPLE_RAW | PP_SAMPLE_PHYS_ADDR }, 20, 20, 8, 1, UINT32_MAX },
		{ { .sample_type = PP_SAMPLE_CALLCHAIN }, 16, 16, 8, 8, u64 },
		{ { .sample_type = PP_SAMPLE_IP | PP_SAMPLE_CALLCHAIN | PP_SAMPLE_WEIGHT }, 32, 32, 16, 8, u64 },
		{ { .sample_type = PP_SAMPLE_READ }, 16, 16, 0, 0, 0 },
		{ { .sample_type = PP_SAMPLE_READ, .read_format = 0x17 }, 48, 48, 0, 0, 0 },
		{ { .sample_type = PP_SAMPLE_READ, .read_format = 0x1f }, 32, 32, 8, 24, u64 },
		{ { .sample_type = PP_SAMPLE_READ | PP_SAMPLE_CALLCHAIN }, 24, 24, 16, 8, u64 },
		{ { .sample_type = PP_SAMPLE_READ | PP_SAMPLE_CALLCHAIN, .read_format = 8 }, no, 16, 8, 8, u64 },
		{ { .sample_type = PP_SAMPLE_CALLCHAIN | PP_SAMPLE_RAW }, no, 16, 8, 8, u64 },
		{ { .sample_type = PP_SAMPLE_REGS_USER, .sample_regs_user = 1 }, no, 8, 0, 0, 0 },
		{ { .sample_type = PP_SAMPLE_STACK_USER }, no, 8, 0, 0, 0 },
		{ { .sample_type = PP_SAMPLE_BRANCH_STACK }, 16, 16, 8, 24, u64 },
		{ { .sample_type = PP_SAMPLE_BRANCH_STACK, .branch_sample_type = 1 << 17 }, 24, 24, 8, 24, u64 },
		{ { .sample_type = PP_SAMPLE_AUX }, 16, 16, 8, 1, u64 },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof t / sizeof *t; i++) {
		struct pp_events *e = pp_events_new(i % 2);
		const struct pp_sum *sum;

		attr(e, t[i / 2].a, 0, NULL);
		sum = &e->ev[0]->sum;
		if (sum->need != (i % 2 ? no : t[i / 2].need) || sum->base != t[i / 2].base || sum->at != t[i / 2].at || sum->unit != t[i / 2].unit ||
		    sum->mask != t[i / 2].mask)
			fail_msg("%zu: need %ju, base %ju, at %ju, unit %ju, mask %jx", i / 2, (uintmax_t)sum->need, (uintmax_t)sum->base,
			    (uintmax_t)sum->at, (uintmax_t)sum->unit, (uintmax_t)sum->mask);
		assert_memory_equal(&e->sum, sum, sizeof *sum);
		pp_events_free(e);
	}
}

/* What is the same for all events, and what only one of them need have. */
static void
test_all_events(void **state)
{
	struct pp_events *e = pp_events_new(false);
	const struct pp_attr plain = { .type = 1, .flags = ALL, .sample_type = PP_SAMPLE_TID },
	    reads = { .type = 1, .flags = ALL, .sample_type = PP_SAMPLE_TID | PP_SAMPLE_READ },
	    timed = { .type = 1, .flags = ALL, .sample_type = PP_SAMPLE_IDENTIFIER | PP_SAMPLE_TID | PP_SAMPLE_TIME },
	    strange = { .type = 0, .config = 9, .flags = ALL, .sample_type = UINT64_C(1) << 40 | PP_SAMPLE_TID };

	(void)state;
	assert_int_equal(e->sum.need, UINT64_MAX);
	attr(e, plain, 0, NULL);
	assert_int_equal(e->trailer, 8);
	assert_true(e->ev[0]->known && !e->reads && e->samples);
	assert_int_equal(e->sum.need, 16);
	attr(e, plain, 0, NULL);
	assert_int_equal(e->trailer, 8);
	assert_int_equal(e->sum.need, 16);
	attr(e, reads, 0, NULL);
	assert_true(e->reads);
	assert_int_equal(e->trailer, 8);
	assert_int_equal(e->sum.need, UINT64_MAX);
	attr(e, timed, 0, NULL);
	assert_true(e->reads);
	assert_int_equal(e->trailer, -1);
	assert_true(!e->id_off && !e->id_back);		/* as in the first */
	attr(e, timed, 0, NULL);
	attr(e, plain, 0, NULL);
	assert_int_equal(e->trailer, -1);
	attr(e, strange, 0, NULL);
	assert_false(e->ev[6]->known);
	assert_int_equal(e->ev[6]->sum.need, UINT64_MAX);
	for (unsigned i = 0; i < e->n; i++)
		assert_int_equal(e->ev[i]->index, i);
	pp_events_free(e);

	e = pp_events_new(false);
	attr(e, strange, 0, NULL);		/* nothing is sure of its samples */
	assert_int_equal(e->sum.need, UINT64_MAX);
	attr(e, plain, 0, NULL);
	assert_int_equal(e->sum.need, UINT64_MAX);
	pp_events_free(e);

	e = pp_events_new(false);
	attr(e, timed, 0, NULL);
	attr(e, plain, 0, NULL);
	assert_true(e->id_off == 8 && e->id_back == 8);
	assert_false(e->added_period);
	assert_int_equal(e->ev[1]->plan.period, 0);
	pp_event_add_period(e, 1);
	assert_true(e->added_period && e->ev[1]->added_period && !e->ev[0]->added_period);
	assert_int_equal(e->ev[1]->attr.sample_type, PP_SAMPLE_TID | PP_SAMPLE_PERIOD);
	assert_int_equal(e->ev[1]->plan.period, 16);
	assert_int_equal(e->ev[1]->plan.fixed, 24);
	assert_int_equal(e->ev[1]->sum.need, UINT64_MAX);
	assert_int_equal(e->ev[0]->plan.fixed, 8 + 24);
	pp_events_free(e);
	pp_events_free(NULL);
}

/* Fields that an event does not record, or that only its samples have, are left as they are. */
static void
test_no_fields(void **state)
{
	static const uint8_t raw[40];

	(void)state;
	for (int sample = 0; sample < 2; sample++)
		for (unsigned i = 0; i < 8; i++) {
			const uint64_t type = (i & 1 ? PP_SAMPLE_TID : 0) | (i & 2 ? PP_SAMPLE_TIME : 0) | (i & 4 ? PP_SAMPLE_CPU : 0);
			struct pp_rec r = { .raw = raw, .type = sample ? PP_SAMPLE : PP_SWITCH, .size = sizeof raw };

			for (int all = 0; all < 2; all++) {
				struct pp_events *e = pp_events_new(false);
				uint32_t pid = 7, tid = 8, cpu = 9;
				bool there = sample || all;

				attr(e, (struct pp_attr){ .type = 1, .flags = all ? ALL : 0, .sample_type = type }, 0, NULL);
				assert_int_equal(pp_pid_tid(e->ev[0], &r, false, &pid, &tid), there && i & 1);
				assert_true(there && i & 1 ? !pid && !tid : pid == 7 && tid == 8);
				assert_int_equal(pp_cpu(e->ev[0], &r, false, &cpu), there && i & 4);
				assert_int_equal(cpu, there && i & 4 ? 0 : 9);
				assert_int_equal(pp_time_field(e->ev[0], &r) != NULL, there && i & 2);
				pp_events_free(e);
			}
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_desc), cmocka_unit_test(test_updates), cmocka_unit_test(test_cpus), cmocka_unit_test(test_many_ids),
		cmocka_unit_test(test_most_events), cmocka_unit_test(test_unknown_ids), cmocka_unit_test(test_sums), cmocka_unit_test(test_all_events),
		cmocka_unit_test(test_no_fields),
	};

	return cmocka_run_group_tests_name("event_learn", tests, NULL, NULL);
}

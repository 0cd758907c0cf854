/* SPDX-License-Identifier: ISC */
/* Attrs, plans, ids and names of events, and which event a record belongs to. */
#include "record/attr.h"
#include "record/event.h"
#include "record/shape.h"
#include "bytes.h"

static struct bytes b;

static const struct pp_attr some = { .type = 1, .size = 128, .config = 0x1122334455667788, .sample_period = 4000,
    .sample_type = 0x10187, .read_format = 0x14, .flags = 0x8000000061943703, .wakeup_events = 7, .bp_type = 3,
    .config1 = 11, .config2 = 12, .branch_sample_type = 13, .sample_regs_user = 14, .sample_stack_user = 15, .clockid = 1,
    .sample_regs_intr = 17, .aux_watermark = 18, .sample_max_stack = 127, .aux_sample_size = 19, .aux_action = 1,
    .sig_data = 20, .config3 = 21, .config4 = 22 };

static void
learn(struct pp_events *e, const struct pp_rec *r)
{
	struct pp_err err = { 0 };

	assert_int_equal(pp_check(r, e->swap, &err), 1);
	assert_int_equal(pp_events_learn(e, r, &err), 1);
}

static void
attr(struct pp_events *e, const struct pp_attr *a, unsigned nids, const uint64_t *ids)
{
	struct pp_rec r;

	b.n = 0;
	b.swap = e->swap;
	r = put_attr(&b, a, nids, ids);
	learn(e, &r);
}

/* Every attr.size there was, is and may come; 0 means 64. */
static void
test_attr(void **state)
{
	static const uint16_t sizes[] = { 0, 64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 152, 512 };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
		struct pp_events *e = pp_events_new(i & 1);
		struct pp_attr a = some, want = some;
		uint64_t ids[] = { 5, 0xffffffffffffff00 };
		const struct pp_attr *got;
		uint16_t size = sizes[i / 2];

		a.size = size;
		attr(e, &a, 2, ids);
		assert_int_equal(e->n, 1);
		got = &e->ev[0]->attr;
		want.size = size ? size : 64;
		/* What lies behind attr.size is 0. */
		if (want.size < sizeof want)
			memset((uint8_t *)&want + want.size, 0, sizeof want - want.size);
		assert_memory_equal(got, &want, sizeof want);
		assert_true(e->ev[0]->nids == 2 && e->ev[0]->ids[0] == 5 && e->ev[0]->ids[1] == ids[1]);
		assert_ptr_equal(pp_event_by_id(e, ids[1]), e->ev[0]);
		assert_null(pp_event_by_id(e, 6));
		pp_events_free(e);
	}
	_Static_assert(sizeof(struct pp_attr) == 144, "fields stand as in the kernel's");
}

/* A sum over the bits that come before, as the kernel writes them. */
static void
test_plan(void **state)
{
	static const uint8_t sample[] = { 16, 0, 1, 2, 3, 6, 9, 7, 8 }, trailer[] = { 1, 2, 6, 9, 7, 16 };

	(void)state;
	for (unsigned set = 0; set < 1 << 9; set++)
		for (int all = 0; all < 2; all++) {
			struct pp_events *e = pp_events_new(set & 1);
			struct pp_attr a = { .size = 64, .flags = all ? UINT64_C(1) << 18 : 0, .sample_type = 1 << 5 };
			uint16_t at = 8, back = 0, want[17] = { 0 }, want_back[17] = { 0 };
			const struct pp_plan *p;

			for (unsigned i = 0; i < 9; i++)
				if (set >> i & 1) {
					a.sample_type |= UINT64_C(1) << sample[i];
					want[sample[i]] = at;
					at += 8;
				}
			for (unsigned i = 6; i-- && all;)
				if (a.sample_type >> trailer[i] & 1)
					want_back[trailer[i]] = back += 8;
			attr(e, &a, 0, NULL);
			p = &e->ev[0]->plan;
			assert_true(p->identifier == want[16] && p->ip == want[0] && p->tid == want[1] && p->time == want[2]);
			assert_true(p->addr == want[3] && p->id == want[6] && p->stream_id == want[9]);
			assert_true(p->cpu == want[7] && p->period == want[8] && p->fixed == at);
			assert_true(p->t_tid == want_back[1] && p->t_time == want_back[2] && p->t_id == want_back[6]);
			assert_true(p->t_stream_id == want_back[9] && p->t_cpu == want_back[7]);
			assert_true(p->t_identifier == want_back[16] && p->trailer == back);
			assert_int_equal(e->id_off, want[16] ? want[16] : want[6]);
			assert_int_equal(e->id_back, want_back[16] ? want_back[16] : want_back[6]);
			pp_events_free(e);
		}
}

/* ---- which event --------------------------------------------------------------------------------------- */

enum { ALL = 1 << 18, T = PP_SAMPLE_TID | PP_SAMPLE_TIME };	/* sample_id_all; */

static void
test_find(void **state)
{
	/* Of the attrs; of the record: its type, id and which event is wanted (-1: none). */
	static const struct {
		const char *name;
		unsigned nattr, flags;
		uint32_t sample_type, type;
		uint64_t id;
		int want;
	} rows[] = {
		{ "no attr", 0, ALL, T, 9, 5, -1 },
		{ "one attr: ids are not looked at", 1, ALL, T | PP_SAMPLE_IDENTIFIER, 9, 99, 0 },
		{ "one attr, side-band", 1, ALL, T | PP_SAMPLE_IDENTIFIER, 3, 99, 0 },
		{ "first id", 2, ALL, T | PP_SAMPLE_IDENTIFIER, 9, 5, 0 },
		{ "another id of the first", 2, ALL, T | PP_SAMPLE_IDENTIFIER, 9, 6, 0 },
		{ "second", 2, ALL, T | PP_SAMPLE_IDENTIFIER, 9, 7, 1 },
		{ "second, by ID", 2, ALL, T | PP_SAMPLE_ID | PP_SAMPLE_IP, 9, 7, 1 },
		{ "second, side-band", 2, ALL, T | PP_SAMPLE_IDENTIFIER, 3, 7, 1 },
		{ "second, side-band by ID", 2, ALL, T | PP_SAMPLE_ID | PP_SAMPLE_CPU | PP_SAMPLE_STREAM_ID, 3, 7, 1 },
		{ "unknown", 2, ALL, T | PP_SAMPLE_IDENTIFIER, 9, 99, -1 },
		{ "unknown, side-band", 2, ALL, T | PP_SAMPLE_IDENTIFIER, 3, 99, -1 },
		{ "id 0: synthesised", 2, ALL, T | PP_SAMPLE_IDENTIFIER, 3, 0, 0 },
		{ "id 0 of a sample", 2, ALL, T | PP_SAMPLE_IDENTIFIER, 9, 0, 0 },
		{ "without sample_id_all", 2, 0, T | PP_SAMPLE_IDENTIFIER, 3, 7, 0 },
		{ "without sample_id_all, a sample", 2, 0, T | PP_SAMPLE_IDENTIFIER, 9, 7, 1 },
		{ "a sample that is its id", 2, ALL, PP_SAMPLE_IDENTIFIER, 9, 7, 1 },
		{ "a sample that is its ID", 2, ALL, PP_SAMPLE_ID, 9, 7, 1 },
		{ "side-band that is its id", 2, ALL, PP_SAMPLE_IDENTIFIER, 14, 7, 1 },
		{ "ids nowhere", 2, ALL, T, 9, 7, 0 },
	};
	static const uint8_t order[] = { 16, 0, 1, 2, 3, 6, 9, 7, 8 }, back[] = { 1, 2, 6, 9, 7, 16 };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		struct pp_events *e = pp_events_new(i & 1);
		const uint64_t first[] = { 5, 6 }, second[] = { 7 };
		struct pp_attr a = { .type = 1, .size = 64, .flags = rows[i / 2].flags, .sample_type = rows[i / 2].sample_type };
		const struct pp_event *ev;
		struct pp_err err = { 0 };
		struct pp_rec r;
		size_t at;

		if (rows[i / 2].nattr)
			attr(e, &a, 2, first);
		if (rows[i / 2].nattr > 1)
			attr(e, &a, 1, second);
		b.n = 0;
		at = begin_rec(&b, rows[i / 2].type, 0);
		if (rows[i / 2].type == 9) {
			for (size_t k = 0; k < sizeof order; k++)
				if (a.sample_type >> order[k] & 1)
					put(&b, order[k] == 16 || order[k] == 6 ? rows[i / 2].id : 1000, 8);
		} else {
			if (rows[i / 2].type == 3) {
				put(&b, 1, 8);
				put_text(&b, "comm", 8);
			}
			for (size_t k = 0; k < sizeof back && a.flags & ALL; k++)
				if (a.sample_type >> back[k] & 1)
					put(&b, back[k] == 16 || back[k] == 6 ? rows[i / 2].id : 1000, 8);
		}
		r = end_rec(&b, at);
		ev = pp_event_find(e, &r, &err);
		if ((ev ? (int)ev->index : -1) != rows[i / 2].want)
			fail_msg("%s: event %d, %d wanted", rows[i / 2].name, ev ? (int)ev->index : -1, rows[i / 2].want);
		assert_true(!ev == !!err.what[0]);
		assert_ptr_equal(pp_event_of(e, &r, &err), ev);		/* without the quick ways */
		pp_events_free(e);
	}
}

static void
test_short(void **state)
{
	struct pp_attr a = { .type = 1, .size = 64, .flags = ALL, .sample_type = T | PP_SAMPLE_IDENTIFIER };
	const uint64_t ids[] = { 5, 7 };

	(void)state;
	for (int n = 1; n <= 2; n++) {
		struct pp_events *e = pp_events_new(false);

		for (int i = 0; i < n; i++)
			attr(e, &a, 1, ids + i);
		for (uint16_t size = 8; size < 32; size += 4) {
			uint8_t *raw = calloc(1, size);
			struct pp_rec r = { .raw = raw, .type = 9, .size = size };
			struct pp_err err = { 0 };

			assert_null(pp_event_find(e, &r, &err));
			assert_non_null(strstr(err.what, "record of"));
			free(raw);
		}
		pp_events_free(e);
	}
}

static void
test_fields(void **state)
{
	struct pp_attr a = { .type = 1, .size = 64, .flags = ALL, .sample_type = 0x10187 };	/* IP TID TIME CPU PERIOD */
	static const struct { uint64_t time; int rc; } rows[] = { { 0, 0 }, { UINT64_MAX, 0 }, { 1, 1 }, { 1234567890123, 1 } };
	uint32_t pid, tid, cpu;
	uint64_t time;

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		struct pp_events *e = pp_events_new(i & 1);
		struct pp_rec r;
		size_t at;

		attr(e, &a, 0, NULL);
		for (int sample = 0; sample < 2; sample++) {
			b.n = 0;
			at = begin_rec(&b, sample ? 9 : 14, 0);
			if (sample) {
				put(&b, 5, 8);
				put(&b, 0x1000, 8);
			}
			put(&b, 70, 4);
			put(&b, 71, 4);
			put(&b, rows[i / 2].time, 8);
			put(&b, 3, 4);
			put(&b, 0, 4);
			put(&b, 99, 8);		/* period, identifier */
			r = end_rec(&b, at);
			assert_int_equal(pp_time(e->ev[0], &r, e->swap, &time), rows[i / 2].rc);
			if (rows[i / 2].rc)
				assert_int_equal(time, rows[i / 2].time);
			assert_int_equal(pp_pid_tid(e->ev[0], &r, e->swap, &pid, &tid), 1);
			assert_true(pid == 70 && tid == 71);
			assert_int_equal(pp_cpu(e->ev[0], &r, e->swap, &cpu), 1);
			assert_int_equal(cpu, 3);
		}
		/* Nothing of a record without a trailer, or too short for one. */
		b.n = 0;
		at = begin_rec(&b, 14, 0);
		r = end_rec(&b, at);
		assert_int_equal(pp_time(e->ev[0], &r, e->swap, &time), 0);
		assert_int_equal(pp_pid_tid(e->ev[0], &r, e->swap, &pid, &tid), 0);
		assert_int_equal(pp_cpu(e->ev[0], &r, e->swap, &cpu), 0);
		pp_events_free(e);
	}
}

/* ---- names --------------------------------------------------------------------------------------------- */

static void
test_built_names(void **state)
{
	enum { U = 1 << 4, K = 1 << 5, HV = 1 << 6, P = 1 << 15, H = 1 << 19, G = 1 << 20 };
	static const struct { uint32_t type; uint64_t config, flags; const char *name; } rows[] = {
		{ 0, 0, G, "cycles" }, { 0, 1, G, "instructions" }, { 0, 9, G, "ref-cycles" },
		{ 1, 0, G, "cpu-clock" }, { 1, 1, G, "task-clock" }, { 1, 2, G, "page-faults" },
		{ 1, 3, G, "context-switches" }, { 1, 9, G, "dummy" }, { 1, 10, G, "bpf-output" }, { 1, 11, G, "cgroup-switches" },
		{ 1, 0, K | HV, "cpu-clock:u" }, { 1, 0, U | HV, "cpu-clock:k" }, { 1, 0, HV, "cpu-clock:ku" },
		{ 1, 0, U | K, "cpu-clock:h" }, { 1, 0, U, "cpu-clock:kh" }, { 1, 0, K, "cpu-clock:uh" }, { 1, 0, U | K | HV, "cpu-clock" },
		/* host and guest, if that is not the default, which is without guests for an event with another modifier */
		{ 0, 0, 0, "cycles:HG" }, { 0, 0, H, "cycles:G" }, { 0, 0, H | G, "cycles" }, { 0, 0, K | HV | G, "cycles:uH" },
		{ 0, 0, K | HV | H, "cycles:uG" }, { 0, 0, K | HV | H | G, "cycles:u" }, { 0, 0, P | G, "cycles:pH" }, { 0, 0, P | H, "cycles:pG" },
		{ 0, 0, U | K | P | G, "cycles:hpH" }, { 0, 0, P, "cycles:p" }, { 0, 0, 3 * P, "cycles:ppp" }, { 0, 0, K | HV | 2 * P, "cycles:upp" },
		{ 3, 0, G, "L1-dcache-loads" }, { 3, 0x10000, G, "L1-dcache-load-misses" }, { 3, 0x102, G, "LLC-stores" },
		{ 3, 0x10103, G, "dTLB-store-misses" }, { 4, 0x1a2b, G, "raw 0x1a2b" },
		{ 3, 0x10206, G, "node-prefetch-misses" }, { 3, 7, G, "type 3 config 0x7" }, { 3, 0x300, G, "type 3 config 0x300" },
		{ 3, 0x20000, G, "type 3 config 0x20000" }, { 0, 10, G, "type 0 config 0xa" }, { 1, 12, G, "type 1 config 0xc" },
		{ 2, 77, G, "tracepoint 77" }, { 6, 0x1a2b, K | HV, "type 6 config 0x1a2b:u" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pp_events *e = pp_events_new(i & 1);
		struct pp_attr a = { .type = rows[i].type, .size = 64, .config = rows[i].config, .flags = rows[i].flags };

		attr(e, &a, 0, NULL);
		assert_string_equal(e->ev[0]->name, rows[i].name);
		pp_events_free(e);
	}
	for (unsigned access = 0; access < 8; access++) {		/* breakpoints: read, write, execute */
		struct pp_events *e = pp_events_new(access & 1);
		struct pp_attr a = { .type = 5, .size = 64, .bp_type = access, .config1 = 0x401000 };
		char want[32] = "mem:0x401000";

		strcat(want, access ? ":" : "");
		strcat(want, access & 1 ? "r" : "");
		strcat(want, access & 2 ? "w" : "");
		strcat(want, access & 4 ? "x" : "");
		attr(e, &a, 0, NULL);
		assert_string_equal(e->ev[0]->name, want);
		pp_events_free(e);
	}
}

/* A period that is added moves what is behind it, also the count that is read in advance: here the period is that of a longer chain. */
static void
test_added_period(void **state)
{
	enum { FRAMES = 4 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = pp_events_new(swap);
		struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_IP | PP_SAMPLE_CALLCHAIN, .sample_period = FRAMES + 1 };
		struct pp_part part[PP_SHAPE_STEPS];
		struct pp_err err = { 0 };
		struct pp_rec r;
		size_t at;

		attr(e, &a, 0, NULL);
		pp_event_add_period(e, 0);
		b.n = 0;
		b.swap = swap;
		at = begin_rec(&b, PP_SAMPLE, PP_MISC_USER);
		put(&b, 0x401000, 8);
		put(&b, FRAMES + 1, 8);
		put(&b, FRAMES, 8);
		for (unsigned i = 0; i < FRAMES; i++)
			put(&b, 0x401000 + i, 8);
		r = end_rec(&b, at);
		assert_int_equal(pp_sample_parts(part, PP_SAMPLE_CALLCHAIN, e->ev[0], &r, swap, &err), 1);
		assert_ptr_equal(part->p, r.raw + 24);
		assert_int_equal(part->n, 8 + 8 * FRAMES);
		pp_events_free(e);
	}
}

static void
update(struct pp_events *e, uint64_t type, uint64_t id, const char *name)
{
	size_t at;
	struct pp_rec r;

	b.n = 0;
	b.swap = e->swap;
	at = begin_rec(&b, 78, 0);
	put(&b, type, 8);
	put(&b, id, 8);
	put_text(&b, name, 16);
	r = end_rec(&b, at);
	learn(e, &r);
}

/* EVENT_DESC of one event. */
static void
desc(struct pp_events *e, uint64_t id, const char *name)
{
	size_t at;
	struct pp_rec r;

	b.n = 0;
	b.swap = e->swap;
	at = begin_rec(&b, 80, 0);
	put(&b, 12, 8);
	put(&b, 1, 4);
	put(&b, 64, 4);
	put_text(&b, "", 64);
	put(&b, 1, 4);
	put(&b, 64, 4);
	put_text(&b, name, 64);
	put(&b, id, 8);
	r = end_rec(&b, at);
	learn(e, &r);
}

static void
test_told_names(void **state)
{
	struct pp_attr a = { .type = 1, .size = 128, .flags = 1 << 20 };
	const uint64_t ids[] = { 5, 6 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = pp_events_new(swap);

		attr(e, &a, 1, ids);
		attr(e, &a, 1, ids + 1);
		desc(e, 6, "from-desc");
		assert_string_equal(e->ev[0]->name, "cpu-clock");
		assert_string_equal(e->ev[1]->name, "from-desc");
		update(e, 2, 6, "from-update");
		update(e, 0, 6, "msec");		/* a unit */
		update(e, 2, 77, "nobody");
		assert_string_equal(e->ev[1]->name, "from-update");
		desc(e, 6, "again");
		assert_string_equal(e->ev[1]->name, "from-update");
		pp_events_free(e);
	}
}

static void
test_id_index(void **state)
{
	struct pp_attr a = { .type = 1, .size = 64 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = pp_events_new(swap);
		uint64_t ids[500];
		struct pp_rec r;
		size_t at;

		for (unsigned i = 0; i < 500; i++)
			ids[i] = 1000 + i;
		attr(e, &a, 500, ids);
		b.n = 0;
		at = begin_rec(&b, 69, 0);
		put(&b, 2, 8);
		for (unsigned i = 0; i < 2; i++) {
			put(&b, 1007 + i, 8);
			put(&b, i, 8);
			put(&b, i ? UINT64_MAX : 3, 8);
			put(&b, 1, 8);
		}
		r = end_rec(&b, at);
		learn(e, &r);
		assert_int_equal(pp_cpu_of_id(e, 1007), 3);
		assert_int_equal(pp_cpu_of_id(e, 1008), -1);
		assert_int_equal(pp_cpu_of_id(e, 1009), -1);
		assert_int_equal(pp_cpu_of_id(e, 1), -1);
		for (unsigned i = 0; i < 500; i++)
			assert_ptr_equal(pp_event_by_id(e, 1000 + i), e->ev[0]);
		assert_null(pp_event_by_id(e, 1500));
		pp_events_free(e);
	}
}

/* One rule for the sizes of samples of all events, as long as all that have samples, which a dummy has not, agree. */
static void
test_sum(void **state)
{
	const uint64_t fixed = PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME;
	const struct pp_attr dummy = { .type = 1, .config = 9, .size = 128, .sample_type = fixed | PP_SAMPLE_ADDR },
	    clock = { .type = 1, .config = 0, .size = 128, .sample_type = fixed }, cycles = { .type = 0, .config = 9, .size = 128, .sample_type = fixed },
	    chains = { .type = 1, .config = 0, .size = 128, .sample_type = fixed | PP_SAMPLE_CALLCHAIN };

	(void)state;
	for (int first = 0; first < 2; first++) {
		struct pp_events *e = pp_events_new(false);

		attr(e, &dummy, 0, NULL);
		assert_false(e->samples);
		assert_int_equal(e->sum.need, UINT64_MAX);
		attr(e, first ? &cycles : &clock, 0, NULL);
		assert_true(e->samples);
		assert_int_equal(e->sum.base, 32);
		assert_true(e->sum.need < 64);
		attr(e, first ? &clock : &cycles, 0, NULL);
		attr(e, &dummy, 0, NULL);
		assert_int_equal(e->sum.base, 32);
		assert_true(e->sum.need < 64);
		attr(e, &chains, 0, NULL);
		assert_int_equal(e->sum.need, UINT64_MAX);
		pp_events_free(e);
	}
}

/* A field is set if the attr is long enough for all of it, and nothing beside it. */
static void
test_attr_set(void **state)
{
	static const unsigned widths[] = { 2, 4, 8 };

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		for (int big = 0; big < 2; big++)
			for (size_t size = 0; size <= 24; size++) {
				unsigned w = widths[i];
				uint8_t p[24] = { 0 };

				pp_attr_set(p, size, 8, w, 0x1122334455667788, big != BIG_HERE);
				for (unsigned k = 0; k < sizeof p; k++) {
					unsigned at = big ? w - 1 - (k - 8) : k - 8;

					assert_int_equal(p[k], k < 8 || k >= 8 + w || size < 8 + w ? 0 :
					    (uint8_t)(0x1122334455667788 >> 8 * at));
				}
			}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attr), cmocka_unit_test(test_plan), cmocka_unit_test(test_find), cmocka_unit_test(test_added_period),
		cmocka_unit_test(test_short), cmocka_unit_test(test_fields), cmocka_unit_test(test_built_names),
		cmocka_unit_test(test_told_names), cmocka_unit_test(test_id_index), cmocka_unit_test(test_attr_set), cmocka_unit_test(test_sum),
	};

	return cmocka_run_group_tests_name("event", tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* Totals of counters, small functions that other programs call, and errors: of which the first one stays. */
#include <errno.h>

#include "record/sample.h"
#include "record/total.h"
#include "bytes.h"
#include "chance.h"

static struct bytes b;

/* ---- totals ---------------------------------------------------------------------------------------------- */

static void
test_get(void **state)
{
	enum { MAX = 300, KEYS = 40 };
	struct pp_totals t = { .max = MAX };
	uint64_t in[KEYS][KEYS] = { { 0 } };
	unsigned n = 0;

	(void)state;
	seed = 1;
	for (unsigned i = 0; i < 5000; i++) {
		unsigned id = rnd(KEYS), tid = rnd(KEYS);
		struct pp_total *x = pp_total_get(&t, id * UINT64_C(0x100000001), tid);

		if (!x) {		/* there are so many; those that are there are found all the same */
			assert_true(n == MAX && !in[id][tid]);
			continue;
		}
		assert_true(x->id == id * UINT64_C(0x100000001) && x->tid == tid);
		assert_int_equal(x->in, in[id][tid]);
		assert_int_equal(x->out, in[id][tid]);
		n += !in[id][tid];
		assert_int_equal(t.by.n, n);
		x->in = x->out = in[id][tid] = i + 1;
	}
	assert_int_equal(n, MAX);
	pp_totals_free(&t);
}

struct change { struct { uint64_t id, value; uint32_t tid; } seen[8]; unsigned n, fail; uint64_t id, to; };

static int
change(void *arg, uint64_t id, uint32_t tid, uint64_t *value)
{
	struct change *c = arg;

	c->seen[c->n].id = id;
	c->seen[c->n].tid = tid;
	c->seen[c->n].value = *value;
	if (++c->n == c->fail)
		return -1;
	if (id == c->id)
		*value = c->to;
	return 1;
}

/* A sample of IP, TID and READ of n values, as its attr says; the ids are 5, 6 ...  */
static struct pp_rec
sample(const struct pp_attr *a, unsigned n, bool cut)
{
	bool group = a->read_format & PP_FORMAT_GROUP, id = a->read_format & PP_FORMAT_ID;
	size_t at = b.n = 0;

	begin_rec(&b, PP_SAMPLE, 0);
	put(&b, 0x401000, 8);
	if (a->sample_type & PP_SAMPLE_TID) {
		put(&b, 70, 4);
		put(&b, 71, 4);
	}
	if (group)
		put(&b, n, 8);
	for (unsigned i = 0; i < n; i++) {
		put(&b, 1000 + i, 8);
		if (id)
			put(&b, 5 + i, 8);
	}
	b.n -= cut ? 8 : 0;
	return end_rec(&b, at);
}

static void
test_sample(void **state)
{
	static const uint64_t ids[] = { 5, 6, 8 };

	(void)state;
	for (unsigned i = 0; i < 32; i++) {
		bool swap = i & 1, group = i & 2, id = i & 4, inherit = i & 8, thread = i & 16;
		struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_IP | PP_SAMPLE_READ | (thread ? PP_SAMPLE_TID : 0),
		    .read_format = (group ? PP_FORMAT_GROUP : 0) | (id ? PP_FORMAT_ID : 0), .flags = inherit ? 2 : 0 };
		const unsigned n = group ? 4 : 1, known = !id ? 0 : group ? 3 : 1;	/* id 7 is of no event */
		struct pp_events *e = pp_events_new(swap);
		struct pp_err err = { 0 };
		struct change none = { .id = 99 }, other = { .id = group ? 8 : 5, .to = 77 }, fails = { .fail = known };
		uint8_t copy[200], was[200];
		const uint8_t *got;
		struct pp_rec r;

		b.swap = swap;
		b.n = 0;
		r = put_attr(&b, &a, 3, ids);
		assert_int_equal(pp_events_learn(e, &r, &err), 1);
		r = sample(&a, n, false);
		memcpy(was, r.raw, r.size);
		memset(copy, 0xee, sizeof copy);
		assert_ptr_equal(pp_totals_sample(e, e->ev[0], &r, copy, change, &none, &err), r.raw);
		assert_int_equal(none.n, known);
		for (unsigned k = 0; k < known; k++) {
			assert_int_equal(none.seen[k].id, ids[k]);
			assert_int_equal(none.seen[k].tid, inherit && thread ? 71 : 0);
			assert_int_equal(none.seen[k].value, 1000 + ids[k] - 5);
		}
		assert_int_equal(copy[0], 0xee);
		assert_int_equal(pp_total_per_thread(e->ev[0]), inherit && thread);
		got = pp_totals_sample(e, e->ev[0], &r, copy, change, &other, &err);
		assert_ptr_equal(got, known ? copy : r.raw);
		assert_memory_equal(r.raw, was, r.size);
		if (known) {			/* that value, and nothing else, is another one */
			unsigned at = 16 + (thread ? 8 : 0) + (group ? 8 + 3 * 16 : 0);

			assert_int_equal(pp_get_u64(copy + at, swap), 77);
			memcpy(copy + at, was + at, 8);
			assert_memory_equal(copy, was, r.size);
			assert_int_equal(copy[r.size], 0xee);
			assert_null(pp_totals_sample(e, e->ev[0], &r, copy, change, &fails, &err));
			assert_int_equal(fails.n, known);
			/* in its own place */
			other.n = 0;
			assert_ptr_equal(pp_totals_sample(e, e->ev[0], &r, bytes_p(&b), change, &other, &err), r.raw);
			assert_int_equal(pp_get_u64(r.raw + at, swap), 77);
		}
		err.what[0] = 0;
		r = sample(&a, n, true);
		none.n = 0;
		assert_null(pp_totals_sample(e, e->ev[0], &r, copy, change, &none, &err));
		assert_non_null(strstr(err.what, "read values lie past the end of "));
		assert_int_equal(none.n, 0);
		pp_events_free(e);
	}
}

/* ---- what other programs call ---------------------------------------------------------------------------- */

/* Each fixed field of a sample, and one behind these; of others, and of other records, none. */
static void
test_field(void **state)
{
	static const uint32_t order[] = { PP_SAMPLE_IDENTIFIER, PP_SAMPLE_IP, PP_SAMPLE_TID, PP_SAMPLE_TIME, PP_SAMPLE_ADDR, PP_SAMPLE_ID,
	    PP_SAMPLE_STREAM_ID, PP_SAMPLE_CPU, PP_SAMPLE_PERIOD, PP_SAMPLE_CALLCHAIN, PP_SAMPLE_WEIGHT };
	enum { N = sizeof order / sizeof *order, FIXED = 9 };

	(void)state;
	for (unsigned set = 0; set < 1 << N; set += 1 + set % 3) {
		struct pp_events *e = pp_events_new(set & 1);
		struct pp_attr a = { .type = 1, .size = 64 };
		struct pp_err err = { 0 };
		struct pp_rec r;
		size_t at, sizes[N], places[N];

		for (unsigned i = 0; i < N; i++)
			a.sample_type |= set >> i & 1 ? order[i] : 0;
		b.swap = e->swap;
		b.n = 0;
		r = put_attr(&b, &a, 0, NULL);
		assert_int_equal(pp_events_learn(e, &r, &err), 1);
		b.n = at = 0;
		begin_rec(&b, PP_SAMPLE, 0);
		for (unsigned i = 0; i < N; i++) {
			places[i] = b.n;
			sizes[i] = set >> i & 1 ? order[i] == PP_SAMPLE_CALLCHAIN ? 24 : 8 : 0;
			for (size_t k = 0; k < sizes[i]; k += 8)
				put(&b, k ? 0x401000 : 2, 8);
		}
		r = end_rec(&b, at);
		for (unsigned i = 0; i < N; i++) {
			const uint8_t *p = NULL;
			size_t n = 7;

			assert_int_equal(pp_sample_field(e->ev[0], &r, e->swap, order[i], &p, &n, &err), set >> i & 1);
			assert_int_equal(n, set >> i & 1 ? sizes[i] : 7);
			assert_ptr_equal(p, set >> i & 1 ? r.raw + places[i] : NULL);
		}
		if (set >> FIXED & 1) {		/* cut in the chain */
			const uint8_t *p;
			size_t n;

			r.size = (uint16_t)(places[FIXED] + 16);
			assert_int_equal(pp_sample_field(e->ev[0], &r, e->swap, PP_SAMPLE_CALLCHAIN, &p, &n, &err), -1);
		}
		r.type = PP_SWITCH;
		assert_int_equal(pp_sample_field(e->ev[0], &r, e->swap, PP_SAMPLE_IP, &(const uint8_t *){ NULL }, &(size_t){ 0 }, &err), 0);
		pp_events_free(e);
	}
}

static void
test_numbers(void **state)
{
	static const uint8_t p[] = { 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8 };

	(void)state;
	for (int swap = 0; swap < 2; swap++)
		for (size_t len = 0; len <= sizeof p; len++) {
			struct pp_value u = { .kind = PP_K_UINT, .p = p, .len = len }, s = { .kind = PP_K_SINT, .p = p, .len = len };
			uint64_t want = 0;

			if (len == 1 || len == 2 || len == 4 || len == 8)
				for (size_t i = 0; i < len; i++)
					want |= (uint64_t)p[swap == BIG_HERE ? i : len - 1 - i] << 8 * i;
			assert_int_equal(pp_value_num(&u, swap), want);
			assert_int_equal(pp_value_num(&s, swap), want && len < 8 ? want | UINT64_MAX << 8 * len : want);
		}
}

/* ---- errors ---------------------------------------------------------------------------------------------- */

static void
test_errors(void **state)
{
	struct pp_err err = { 0 };

	(void)state;
	assert_int_equal(pp_fail(NULL, "nobody"), -1);
	assert_int_equal(pp_fail_system(NULL, "nobody"), -1);
	assert_int_equal(pp_fail_memory(NULL), -1);
	assert_int_equal(pp_fail(&err, "%d of %s", 3, "them"), -1);
	assert_string_equal(err.what, "3 of them");
	assert_int_equal(err.code, PP_ERR_DATA);
	errno = ENOENT;
	assert_int_equal(pp_fail_system(&err, "x"), -1);
	assert_int_equal(pp_fail_memory(&err), -1);
	assert_int_equal(pp_fail(&err, "again"), -1);
	assert_string_equal(err.what, "3 of them");
	assert_int_equal(err.code, PP_ERR_DATA);
	err = (struct pp_err){ 0 };
	errno = ENOENT;
	assert_int_equal(pp_fail_system(&err, "file"), -1);
	assert_string_equal(err.what, "file: No such file or directory");
	assert_true(err.code == PP_ERR_SYSTEM && err.error == ENOENT);
	err = (struct pp_err){ 0 };
	errno = EACCES;
	assert_int_equal(pp_fail_system(&err, NULL), -1);
	assert_string_equal(err.what, "Permission denied");
	err = (struct pp_err){ 0 };
	assert_int_equal(pp_fail_memory(&err), -1);
	assert_string_equal(err.what, "out of memory");
	assert_int_equal(err.code, PP_ERR_MEMORY);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_get), cmocka_unit_test(test_sample), cmocka_unit_test(test_field), cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests_name("total", tests, NULL, NULL);
}

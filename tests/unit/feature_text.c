/* SPDX-License-Identifier: ISC */
/* feature_text.c - what header features read like: attrs of events, bitmaps, and where the text is cut */
#include "bytes.h"
#include "feature_rows.h"

static struct bytes b;

/* An EVENT_DESC of these attrs, each with the name e. */
static struct pp_feature
events(unsigned n, const struct pp_attr *a, bool swap)
{
	static uint8_t raw[4096];
	size_t at = 0;

	pp_set_u32(raw, n, swap);
	pp_set_u32(raw + 4, a->size, swap);
	at = 8;
	for (unsigned i = 0; i < n; i++) {
		struct pp_rec r;

		b.n = 0;
		b.swap = swap;
		r = put_attr(&b, &a[i], 0, NULL);
		memcpy(raw + at, r.raw + 8, a->size);
		at += a->size;
		pp_set_u32(raw + at, 0, swap);
		pp_set_u32(raw + at + 4, 64, swap);
		memset(raw + at + 8, 0, 64);
		raw[at + 8] = 'e';
		at += 8 + 64;
	}
	return (struct pp_feature){ .number = PP_FEAT_EVENT_DESC, .p = raw, .len = at, .swap = swap };
}

/* Of an attr all that is not 0 is said; bits without a name are a number behind those that have one. */
static void
test_attrs(void **state)
{
	static const struct { struct pp_attr a; const char *text; } t[] = {
		{ { .type = 4, .config = 0x1122334455667788, .sample_period = 4000 }, "type 4, config 0x1122334455667788, sample_period 4000" },
		{ { .flags = 1 << 10, .sample_period = 99 }, "type 0, config 0x0, sample_freq 99, flags freq" },
		{ { .flags = 1 << 9 | 1 << 11 }, "type 0, config 0x0, sample_period 0, flags comm|inherit_stat" },
		{ { .config1 = 0x10 }, "type 0, config 0x0, config1 0x10, config2 0x0, sample_period 0" },
		{ { .config2 = 0x20 }, "type 0, config 0x0, config1 0x0, config2 0x20, sample_period 0" },
		{ { .sample_type = 3 }, "type 0, config 0x0, sample_period 0, sample_type IP|TID" },
		{ { .sample_type = UINT64_C(1) << 40 | 1 }, "type 0, config 0x0, sample_period 0, sample_type IP|0x10000000000" },
		{ { .sample_type = UINT64_C(1) << 63 }, "type 0, config 0x0, sample_period 0, sample_type 0x8000000000000000" },
		{ { .read_format = 0x14 }, "type 0, config 0x0, sample_period 0, read_format ID|LOST" },
		{ { .read_format = 0x2b }, "type 0, config 0x0, sample_period 0, read_format TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING|GROUP|0x20" },
		{ { .flags = UINT64_C(1) << 63 | 2 }, "type 0, config 0x0, sample_period 0, flags inherit|0x8000000000000000" },
		{ { .branch_sample_type = 0x1ff }, "type 0, config 0x0, sample_period 0, branch_sample_type 0x1ff" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(t); i++) {
		/* another attr in front of it has no part in its text, nor one behind it */
		struct pp_attr a[] = { { .size = 136, .type = 1, .config1 = 7, .read_format = 1 }, t[i / 2].a, { .type = 2 } };
		static const char before[] = "event : e, type 1, config 0x0, config1 0x7, config2 0x0, sample_period 0, read_format TOTAL_TIME_ENABLED\n",
		    behind[] = "event : e, type 2, config 0x0, sample_period 0\n";
		struct pp_feature f;
		struct pp_err err = { 0 };
		struct log l = { .n = 0 };
		char want[1024];

		a[1].size = a[2].size = 136;
		f = events(3, a, i % 2);
		snprintf(want, sizeof want, "%sevent : e, %s\n%s", before, t[i / 2].text, behind);
		assert_int_equal(pp_feature_text(&f, log_text, &l, &err), 1);
		assert_string_equal(l.s, want);
	}
}

/* Runs of a bitmap end with it, at any of its bits, and go on from one word to the next. */
static void
test_bitmaps(void **state)
{
	static const struct row t[] = {
		{ 22, 0, "8:1 8:1 8:2 8:0 8:64 8:64 8:0x8000000000000000 8:1 8:2 8:64 8:5", NULL,
		    "memory block size : 0x1\nmemory node 0 : 64 blocks: 63\nmemory node 1 : 2 blocks: 0,2\n" },
		{ 22, 0, "8:1 8:1 8:2 8:0 8:64 8:64 8:0xc000000000000001 8:1 8:2 8:64 8:0xffffffffffffffff", NULL,
		    "memory block size : 0x1\nmemory node 0 : 64 blocks: 0,62-63\nmemory node 1 : 2 blocks: 0-63\n" },
		{ 22, 0, "8:1 8:1 8:1 8:0 8:64 8:128 8:0x8000000000000000 8:1", NULL,
		    "memory block size : 0x1\nmemory node 0 : 64 blocks: 63-64\n" },
		{ 22, 0, "8:1 8:1 8:1 8:0 8:64 8:192 8:0xe000000000000000 8:0xffffffffffffffff 8:0x8000000000000003", NULL,
		    "memory block size : 0x1\nmemory node 0 : 64 blocks: 61-129,191\n" },
		{ 22, 0, "8:1 8:1 8:1 8:0 8:64 8:64 8:0x8000000000000000 b:ff", NULL,
		    "memory block size : 0x1\nmemory node 0 : 64 blocks: 63\n1 bytes that are not understood\n" },
		{ 22, 0, "8:1 8:1 8:1 8:0 8:64 8:64 8:0", NULL, "memory block size : 0x1\nmemory node 0 : 64 blocks:\n" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(t); i++) {
		uint8_t raw[512];
		struct log l = { .n = 0 };
		struct pp_err err = { 0 };
		struct pp_feature f = { .number = 22, .p = raw, .len = cook(raw, &t[i / 2], i % 2), .swap = i % 2 };

		assert_int_equal(pp_feature_text(&f, log_text, &l, &err), 1);
		assert_string_equal(l.s, t[i / 2].text);
	}
}

/* A program of BPF has its name in 16 bytes at 64 of its description, if that is so long. */
static void
test_program_names(void **state)
{
	static const struct { unsigned len; const char *name, *text; } t[] = {
		{ 7, "", "an unknown program" }, { 8, "", "id 3735928559" }, { 79, "abc", "id 3735928559" }, { 80, "abc", "id 3735928559, abc" },
		{ 80, "", "id 3735928559" }, { 80, "0123456789abcdef", "id 3735928559, 0123456789abcdef" },
		{ 96, "0123456789abcdefg", "id 3735928559, 0123456789abcdef" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(t); i++) {
		uint8_t raw[512] = { 0 };
		char want[100];
		struct log text = { .n = 0 };
		struct pp_err err = { 0 };
		struct pp_feature f = { .number = PP_FEAT_BPF_PROG_INFO, .p = raw, .len = 4 + 4 + 4 + 8 + t[i].len, .swap = i % 2 };

		pp_set_u32(raw, 1, f.swap);
		pp_set_u32(raw + 4, t[i].len, f.swap);
		pp_set_u32(raw + 8, 0, f.swap);
		if (t[i].len >= 8)
			pp_set_u32(raw + 20 + 4, 3735928559, f.swap);
		memcpy(raw + 20 + 64, t[i].name, strlen(t[i].name));
		assert_int_equal(pp_feature_text(&f, log_text, &text, &err), 1);
		snprintf(want, sizeof want, "bpf_prog_info of %s\n", t[i].text);
		assert_string_equal(text.s, want);
	}
}

struct limited { struct log l; unsigned left, calls; };

static int
log_limited(void *arg, const char *p, size_t n)
{
	struct limited *x = arg;

	x->calls++;
	assert_int_equal(!p, !n);		/* the end of a line is no text, and no text is empty */
	if (!x->left--)
		return -1;
	return log_text(&x->l, p, n);
}

/* When the text cannot be put, that is the end of it: what came before is the beginning of the whole text. */
static void
test_failing(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint8_t raw[2048];
		size_t n = cook(raw, &rows[i], false);
		struct limited all = { .left = UINT32_MAX };
		struct pp_err err = { 0 };
		struct pp_feature f = { .number = rows[i].number, .p = raw, .len = n, .nr_cpus = rows[i].cpus };

		assert_int_equal(pp_feature_text(&f, log_limited, &all, &err), 1);
		for (unsigned left = 0; left < all.calls; left++) {
			struct limited some = { .left = left };

			assert_int_equal(pp_feature_text(&f, log_limited, &some, &err), -1);
			assert_int_equal(some.calls, left + 1);
			assert_memory_equal(some.l.s, all.l.s, some.l.n);
		}
		/* of a feature that is cut short the text that is whole */
		if (n > 1) {
			struct limited cut = { .left = UINT32_MAX };

			f.len = n - 1;
			if (pp_feature_walk(&f, log_value, &(struct log){ .n = 0 }, &err) < 0)
				assert_int_equal(pp_feature_text(&f, log_limited, &cut, &err), -1);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attrs), cmocka_unit_test(test_bitmaps), cmocka_unit_test(test_program_names),
		cmocka_unit_test(test_failing),
	};

	return cmocka_run_group_tests_name("feature_text", tests, NULL, NULL);
}

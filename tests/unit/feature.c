/* SPDX-License-Identifier: ISC */
/*
 * feature.c - header features read, shown and written back: payloads that are spelled out word by word, in both
 * byte orders and at odd addresses; cut anywhere and damaged everywhere.
 */
#include "feature_rows.h"

static void
test_table(void **state)
{
	(void)state;
	assert_true(PP_FEAT_END >= 35);
	for (uint64_t n = 1; n < PP_FEAT_END; n++) {
		const char *name = pp_feature_name(n);
		bool seen = false;

		assert_non_null(name);
		assert_int_equal(pp_feature_number(name), n);
		for (size_t i = 0; i < COUNT(rows); i++)
			seen |= rows[i].number == n;
		if (!seen && n != 1 && n != 2 && n != 15 && n != 18 && n != 19)
			fail_msg("no payload for %s here", name);
	}
	assert_null(pp_feature_name(0));
	assert_null(pp_feature_name(PP_FEAT_END));
	assert_null(pp_feature_name(UINT64_MAX));
	assert_string_equal(pp_feature_name(PP_FEAT_NRCPUS), "NRCPUS");
	assert_int_equal(pp_feature_number("HEADER_nrcpus"), 7);
	assert_int_equal(pp_feature_number("7"), 7);
	assert_int_equal(pp_feature_number("200"), 200);
	assert_int_equal(pp_feature_number("7x"), -1);
	assert_int_equal(pp_feature_number("0"), -1);
	assert_int_equal(pp_feature_number("2147483647"), -1);
	assert_int_equal(pp_feature_number("99999999999999999999999"), -1);
	assert_int_equal(pp_feature_number(""), -1);
	assert_int_equal(pp_feature_number("NOSUCH"), -1);
}

static void
test_where(void **state)
{
	static const uint8_t not_in_pipe[] = { 1, 2, 15, 18, 19, 20, 24, 30 };
	uint8_t buf[16];

	(void)state;
	for (uint64_t n = 0; n < PP_FEAT_END; n++) {
		struct pp_feature f = { .number = n };
		struct pp_err err = { 0 };
		bool want = n > 0 && !memchr(not_in_pipe, (int)n, sizeof not_in_pipe);

		assert_int_equal(!!(pp_feature_where(n) & PP_FEATURE_PIPE), want);
		assert_int_equal(pp_feature_record(buf, sizeof buf, &f, &err), want ? 1 : -1);
	}
	assert_int_equal(pp_feature_where(PP_FEAT_STAT), PP_FEATURE_FLAG);
	assert_int_equal(pp_feature_where(PP_FEAT_CACHE), PP_FEATURE_FILE | PP_FEATURE_ALONE);
	assert_int_equal(pp_feature_where(PP_FEAT_DIR_FORMAT), PP_FEATURE_FILE);
	assert_int_equal(pp_feature_where(35), PP_FEATURE_PIPE | PP_FEATURE_FILE);
	assert_int_equal(pp_feature_where(INT32_MAX), 0);
	assert_int_equal(pp_feature_where(UINT64_MAX), 0);
}

/* One row in one byte order: values, text, and the same bytes again from the encoder in both orders. */
static void
try_row(const struct row *row, bool swap, bool canonical)
{
	uint8_t raw[2048], other[2048], again[4096];
	struct pp_err err = { 0 };
	struct log values = { .n = 0 }, text = { .n = 0 };
	size_t n = cook(raw, row, swap), n2 = cook(other, row, !swap), len;
	uint8_t *p = odd_copy(raw, n);
	struct pp_feature f = { .number = row->number, .p = p, .len = n, .nr_cpus = row->cpus, .swap = swap };

	if (pp_feature_walk(&f, log_value, &values, &err) < 0)
		fail_msg("%s: %s", row->payload, err.what);
	assert_string_equal(values.s, row->values);
	assert_int_equal(pp_feature_text(&f, log_text, &text, &err), 1);
	if (row->text)
		assert_string_equal(text.s, row->text);
	if (canonical) {
		if (pp_feature_convert(&f, swap, again, sizeof again, &len, &err) < 0)
			fail_msg("%s: %s", row->payload, err.what);
		assert_int_equal(len, n);
		assert_memory_equal(again, raw, n);
		assert_int_equal(pp_feature_convert(&f, !swap, again + 1, sizeof again - 1, &len, &err), 1);
		assert_int_equal(len, n2);
		assert_memory_equal(again + 1, other, n2);
		/* every smaller buffer is refused, and not overrun */
		for (size_t cap = 0; cap < n; cap++) {
			uint8_t *small = malloc(cap + 1);

			memset(&err, 0, sizeof err);
			assert_int_equal(pp_feature_convert(&f, swap, small, cap, &len, &err), -1);
			assert_non_null(strstr(err.what, "larger than"));
			free(small);
		}
	}
	odd_free(p);
}

static void
test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		try_row(&rows[i], false, true);
		try_row(&rows[i], true, true);
	}
	for (size_t i = 0; i < COUNT(odd); i++) {
		try_row(&odd[i], false, false);
		try_row(&odd[i], true, false);
	}
}

/* The text of each row makes the same payload again, in both byte orders, and nothing that is cut off it is something else. */
static void
test_parse(void **state)
{
	unsigned n = 0;

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(rows); i++) {
		const struct row *row = &rows[i / 2];
		uint8_t want[2048], got[2048];
		struct pp_err err = { 0 };
		size_t len, size = cook(want, row, i % 2);

		if (!row->text || !pp_feature_has_text(row->number))
			continue;
		n++;
		if (pp_feature_parse(row->number, row->text, i % 2, got, sizeof got, &len, &err) < 0)
			fail_msg("%s: %s", row->text, err.what);
		/* what the text does not show */
		if (row->number == PP_FEAT_CPU_TOPOLOGY && !strstr(row->text, "core "))
			assert_in_range(len, size, size + 8);
		else {
			assert_int_equal(len, size);
			assert_memory_equal(got, want, len);
		}
		for (size_t cap = 0; cap < len; cap++) {
			uint8_t *small = malloc(cap + 1);

			memset(&err, 0, sizeof err);
			assert_int_equal(pp_feature_parse(row->number, row->text, i % 2, small, cap, &size, &err), -1);
			assert_non_null(strstr(err.what, "larger than"));
			free(small);
		}
	}
	assert_in_range(n, 40, 2 * COUNT(rows));
}

/* Damaged texts are refused, or are those of a feature that can be read and shown. */
static void
test_parse_damage(void **state)
{
	static const char with[] = "0,\n %:x";

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		for (size_t at = 0; rows[i].text && at < strlen(rows[i].text); at++)
			for (size_t w = 0; w <= sizeof with; w++) {
				char *text = strdup(rows[i].text);
				uint8_t buf[4096];
				struct pp_err err = { 0 };
				struct pp_feature f = { .number = rows[i].number, .p = buf, .nr_cpus = rows[i].cpus };
				struct log shown = { .n = 0 };
				int rc;

				if (w < sizeof with)
					text[at] = with[w];		/* one of them is the end */
				else
					memmove(text + at, text + at + 1, strlen(text + at));
				rc = pp_feature_parse(f.number, text, false, buf, sizeof buf, &f.len, &err);
				assert_int_equal(rc < 0, err.what[0] != '\0');
				if (rc > 0 && f.number != PP_FEAT_CPU_TOPOLOGY)
					assert_int_equal(pp_feature_text(&f, log_text, &shown, &err), 1);
				free(text);
			}
}

static void
test_parse_short(void **state)
{
	static const struct { uint64_t number; const char *text, *shown, *error; } t[] = {
		{ 3, "box", "hostname : box\n", NULL },
		{ 3, "", "hostname : \n", NULL },
		{ 3, "a : b", "hostname : a : b\n", NULL },
		{ 3, "a\nb", NULL, "expected nothing behind 'a'" },
		{ 7, "8,6", "nrcpus avail : 8\nnrcpus online : 6\n", NULL },
		{ 7, "8, 6", "nrcpus avail : 8\nnrcpus online : 6\n", NULL },
		{ 7, "8\nnrcpus online : 6", "nrcpus avail : 8\nnrcpus online : 6\n", NULL },
		{ 7, "8", NULL, "'': expected 'nrcpus online : ' and a number" },
		{ 7, "8,", NULL, "',': expected 'nrcpus online : ' and a number" },
		{ 7, "x", NULL, "'x': expected 'nrcpus avail : ' and a number" },
		{ 7, "-1,1", NULL, "'-1,1': expected 'nrcpus avail : ' and a number" },
		{ 7, "8,6,4", NULL, "',4': expected nothing behind '8,6'" },
		{ 7, "4294967296,1", NULL, "available does not fit 32 bits" },
		{ 7, "99999999999999999999,1", NULL, "expected 'nrcpus avail : ' and a number" },
		{ 10, "1 kB", "total memory : 1 kB\n", NULL },
		{ 10, "1 MB", NULL, "' MB': expected ' kB'" },
		{ 11, "perf record -a", "cmdline : perf record -a\n", NULL },
		{ 12, "x", NULL, "has no text form" },
		{ 16, "4 = cpu, 1 = software", "pmu mappings : 4 = cpu, 1 = software\n", NULL },
		{ 16, "cpu", NULL, "'cpu': expected 'pmu mappings : ' and a number" },
		{ 21, "1.5,2", "time of first sample : 1.500000000\ntime of last sample : 2.000000000\n", NULL },
		{ 21, "99999999999,2", NULL, "seconds such as" },
		{ 21, "0.5,18446744073.709551615", "time of first sample : 0.500000000\ntime of last sample : 18446744073.709551615\n", NULL },
		{ 21, "0.000000001,18446744073.709551616", NULL, "seconds such as" },
		{ 21, "0.1,18446744074", NULL, "seconds such as" },
		{ 21, "0.1234567891,1", NULL, "'1,1': expected" },
		{ 22, "0x1000\nmemory node 3 : 9 blocks: 5", "memory block size : 0x1000\nmemory node 3 : 9 blocks: 5\n", NULL },
		{ 22, "0x1000\nmemory node 3 : 1 blocks: 5-7", "memory block size : 0x1000\nmemory node 3 : 1 blocks: 5-7\n", NULL },
		{ 22, "0x1000\nmemory node 3 : 1 blocks: 62", "memory block size : 0x1000\nmemory node 3 : 1 blocks: 62\n", NULL },
		{ 22, "0x1000\nmemory node 3 : 1 blocks: 63", "memory block size : 0x1000\nmemory node 3 : 1 blocks: 63\n", NULL },
		{ 22, "0x1000\nmemory node 3 : 1 blocks: 64,127", "memory block size : 0x1000\nmemory node 3 : 1 blocks: 64,127\n", NULL },
		{ 22, "0x1000\nmemory node 3 : 1 blocks: 0-191", "memory block size : 0x1000\nmemory node 3 : 1 blocks: 0-191\n", NULL },
		{ 22, "0x1000\nmemory node 3 : 1 blocks: 3,3", NULL, "expected ':' and numbers such as 0-3,8" },
		{ 22, "0x1000\nmemory node 3 : 1 blocks: 3,4-4", "memory block size : 0x1000\nmemory node 3 : 1 blocks: 3-4\n", NULL },
		{ 22, "0x1000\nmemory node 3 : 1 blocks: 7-5", NULL, "expected ':' and numbers such as 0-3,8" },
		{ 22, "0x1000\nmemory node 3 : 1 blocks: 4294967296", NULL, "expected ':' and numbers such as 0-3,8" },
		{ 22, "0x1000\nmemory node 3 : 18446744073709551615 blocks: 0", NULL, "larger than" },
		{ 29, "clockid 1, wall clock 5.5 s at 2 s",
		    "clock data : clockid 1, wall clock 5.500000000 s at 2.000000000 s\n", NULL },
		{ 29, "clockid 1, wall clock 5.5 s at 2", NULL, "'': expected ' s'" },
		{ 33, "62", "e_machine : 62\n", NULL },
		{ 33, "62,0x10", "e_machine : 62\ne_flags : 0x10\n", NULL },
		{ 33, "62,0x1", "e_machine : 62\ne_flags : 0x1\n", NULL },
		{ 33, "62,10", "e_machine : 62\ne_flags : 0xa\n", NULL },
		{ 33, "62,010", "e_machine : 62\ne_flags : 0xa\n", NULL },
		{ 33, "62, 0xG", NULL, "'xG': expected nothing behind '62, 0'" },
		{ 33, "62,1x1", NULL, "'x1': expected nothing behind '62,1'" },
		{ 33, "0x10", NULL, "'x10': expected 'e_flags : ' and a number such as 0x1f" },
		{ 33, "62\n", "e_machine : 62\n", NULL },
		{ 33, "62\n\n", NULL, "'\n\n': expected 'e_flags : ' and a number" },
		{ 3, "0123456789012345678901234567890123456789\nx", NULL, "'\nx': expected nothing behind '0123456789012345678901234567890123456789'" },
		{ 3, "x0123456789012345678901234567890123456789\nx", NULL, "'\nx': expected nothing behind '0123456789012345678901234567890123456789'" },
		{ 3, "box\n0123456789012345678901234567890123456789x", NULL, "'\n012345678901234567890123456789012345678': expected nothing behind 'box'" },
		{ 11, "a : b", NULL, "'a : b': expected nothing behind ''" },
		{ 11, "a\nb : c", NULL, "'\nb : c': expected nothing behind 'a'" },
		{ 28, "a=1, b=2=3", "cpu pmu capabilities : a=1, b=2=3\n", NULL },
		{ 31, "pmu capabilities : a=x of y, z", "pmu capabilities : a=x of y, z\n", NULL },
		{ 31, "pmu capabilities : a=x, y of z", NULL, "', y of z': expected ' of ' and text" },
		{ 31, "pmu capabilities : a=x, y=1 of z\npmu capabilities : of w", "pmu capabilities : a=x, y=1 of z\npmu capabilities : of w\n", NULL },
		{ 31, "pmu capabilities : of z of y", "pmu capabilities : of z of y\n", NULL },
		{ 99, "x", NULL, "has no text form" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(t); i++) {
		struct log shown = { .n = 0 };
		struct pp_err err = { 0 };
		uint8_t buf[2048];
		size_t len = 0;
		int rc = pp_feature_parse(t[i].number, t[i].text, i % 2, buf, sizeof buf, &len, &err);
		struct pp_feature f = { .number = t[i].number, .p = buf, .len = len, .swap = i % 2 };

		if (rc < 0) {
			if (!t[i].error || !strstr(err.what, t[i].error))
				fail_msg("%s: %s", t[i].text, err.what);
			continue;
		}
		if (!t[i].shown)
			fail_msg("%s: accepted", t[i].text);
		assert_int_equal(pp_feature_text(&f, log_text, &shown, &err), 1);
		assert_string_equal(shown.s, t[i].shown);
	}
}

/* Read bytes in every way; nothing may happen but 1 or -1 with a text. */
static int
poke(const struct row *row, const uint8_t *raw, size_t n, bool swap)
{
	static uint8_t out[1 << 18];
	static struct log l;
	struct pp_err err = { 0 };
	uint8_t *p = odd_copy(raw, n);
	struct pp_feature f = { .number = row->number, .p = p, .len = n, .nr_cpus = row->cpus, .swap = swap };
	size_t len;
	int r;

	l.n = 0;
	r = pp_feature_walk(&f, log_value, &l, &err);
	assert_int_equal(r < 0, err.what[0] != '\0');
	if (r < 0)
		assert_memory_equal(err.what, "HEADER_FEATURE: ", 16);
	l.n = 0;
	assert_int_equal(pp_feature_text(&f, log_text, &l, &(struct pp_err){ 0 }), r < 0 ? -1 : 1);
	if (pp_feature_convert(&f, swap, out, sizeof out, &len, &(struct pp_err){ 0 }) > 0)
		assert_true(r > 0);
	odd_free(p);
	return r;
}

static void
test_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		for (int swap = 0; swap < 2; swap++) {
			uint8_t raw[2048];
			size_t n = cook(raw, &rows[i], swap);

			for (size_t k = 0; k < n; k++) {
				/* what is optional, or goes to the end, may end well earlier */
				int r = poke(&rows[i], raw, k, swap);

				if (k > 0 && rows[i].number != 13 && rows[i].number != 32 && rows[i].number != 33)
					assert_int_equal(r, -1);
			}
		}
}

static void
test_damage(void **state)
{
	static const uint32_t words[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffc };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		for (int swap = 0; swap < 2; swap++) {
			uint8_t raw[2048], bad[2048];
			size_t n = cook(raw, &rows[i], swap);

			for (size_t k = 0; k + 4 <= n; k++)
				for (size_t w = 0; w < COUNT(words); w++) {
					memcpy(bad, raw, n);
					pp_set_u32(bad + k, words[w], false);
					poke(&rows[i], bad, n, swap);
				}
		}
}

static void
test_huge(void **state)
{
	static const struct row huge[] = {
		{ 11, 0, "4:0xffffffff s:a", NULL, "CMDLINE: nr: 4294967295 entries cannot be in 68 bytes" },
		{ 11, 0, "4:18 s:a", NULL, "CMDLINE: nr: 18 entries cannot be in 68 bytes" },
		{ 28, 0, "4:9 s:a", NULL, "CPU_PMU_CAPS: nr: 9 entries cannot be in 68 bytes" },
		{ 3, 0, "z:5:hello 4:0", NULL, NULL },
		{ 12, 0, "4:1 4:0xffffffff a", NULL, "EVENT_DESC: cut short, 72 of 4294967295 bytes of attr" },
		{ 22, 0, "8:1 8:1 8:0xffffffffffffffff", NULL,
		    "MEM_TOPOLOGY: nr: 18446744073709551615 entries cannot be in 0 bytes" },
		{ 22, 0, "8:1 8:1 8:1 8:0 8:1 8:0xffffffffffffffff 8:1", NULL,
		    "MEM_TOPOLOGY: nbits: 288230376151711744 entries cannot be in 8 bytes" },
		{ 13, 0xffffffff, "4:0 4:0 4:1 4:1", NULL, "CPU_TOPOLOGY: NRCPUS: 4294967295 entries cannot be in 8 bytes" },
		{ 26, 0, "4:1 4:1 4:9 b:00", NULL, "BPF_BTF: cut short, 1 of 9 bytes of data" },
		{ 7, 0, "4:1 b:0000", NULL, "NRCPUS: cut short, 2 of 4 bytes of online" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(huge); i++) {
		uint8_t raw[512];
		struct pp_err err = { 0 };
		struct log l = { .n = 0 };
		struct pp_feature f = { .number = huge[i].number, .p = raw, .len = cook(raw, &huge[i], true),
		    .nr_cpus = huge[i].cpus, .swap = true };

		if (!huge[i].text) {
			assert_int_equal(pp_feature_walk(&f, log_value, &l, &err), 1);
			continue;
		}
		assert_int_equal(pp_feature_walk(&f, log_value, &l, &err), -1);
		assert_string_equal(err.what + strlen("HEADER_FEATURE: "), huge[i].text);
	}
}

/* A sound payload has the form that perf takes, in both orders; nothing of it that is cut off or damaged is read outside of it. */
static void
test_check(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		for (int swap = 0; swap < 2; swap++) {
			uint8_t raw[2048];
			size_t n = cook(raw, &rows[i], swap);

			for (size_t cut = 0; cut <= n; cut++) {
				struct pp_err err = { 0 };
				struct pp_feature_about about = { .nr_cpus = rows[i].cpus ? rows[i].cpus : 32 };
				uint8_t *p = odd_copy(raw, cut);
				struct pp_feature f = { .number = rows[i].number, .p = p, .len = cut, .swap = swap };
				int r = pp_feature_check(&f, &about, &err);

				assert_int_equal(r < 0, err.what[0] != '\0');
				if (cut == n && r < 0)
					fail_msg("%s: %s", rows[i].payload, err.what);
				odd_free(p);
			}
		}
}

/* Each limit of perf: the last value that it takes, and the first that it does not. */
static void
test_check_limits(void **state)
{
	static const struct { uint64_t number; uint32_t cpus, events; const char *payload, *error; } t[] = {
		{ 7, 0, 0, "4:8 4:8", NULL },
		{ 7, 0, 0, "4:8 4:9", "NRCPUS: 9 CPUs are online, of 8" },
		{ 7, 0, 0, "4:1048576 4:1", NULL },
		{ 7, 0, 0, "4:1048577 4:1", "NRCPUS: 1048577 CPUs" },
		{ 12, 0, 0, "4:0 4:64", NULL },
		{ 12, 0, 0, "4:0 4:63", "EVENT_DESC: attr_size is 63" },
		{ 13, 2, 0, "4:2 s:0 s:1 4:0 4:5 4:0 4:6 4:0", NULL },
		{ 13, 2, 0, "4:3 s:0 s:1 s:2 4:0 4:5 4:0 4:6 4:0", "CPU_TOPOLOGY: nr_cores is 3, of 2 CPUs" },
		{ 13, 0, 0, "4:0 4:0", NULL },
		{ 13, 0, 0, "4:0 4:0 4:5 4:0", "CPU_TOPOLOGY: NRCPUS is missing, which gives the number of CPUs" },
		{ 17, 0, 2, "4:1 s:g 4:0 4:2", NULL },
		{ 17, 0, 1, "4:1 s:g 4:0 4:2", "GROUP_DESC: events 0 to 1 are not a group of 1 events" },
		{ 17, 0, 0, "4:1 s:g 4:0 4:2", NULL },
		{ 17, 0, 3, "4:2 s:g 4:0 4:2 s:h 4:2 4:1", NULL },
		{ 17, 0, 3, "4:2 s:g 4:0 4:2 s:h 4:1 4:1", "GROUP_DESC: events 1 to 1 are not a group of 3 events" },
		{ 17, 0, 3, "4:1 s:g 4:1 4:0", "GROUP_DESC: events 1 to 0 are not a group of 3 events" },
		{ 22, 0, 0, "8:1 8:1 8:0", NULL },
		{ 22, 0, 0, "8:2 8:1 8:0", "MEM_TOPOLOGY: version is 2, not 1" },
		{ 29, 0, 0, "4:0 4:1 8:1 8:1", "CLOCK_DATA: version is 0, not 1" },
		{ 32, 2, 0, "4:16 4:2 4:1 4:2 4:0 s:3 s:0-1 4:1 s:3 s:0-1", NULL },
		{ 32, 2, 0, "4:16 4:2 4:2 4:0", "CPU_DOMAIN_INFO: cpu is 2, of 2" },
		{ 32, 2, 0, "4:16 4:2 4:0 4:1 4:2 s:3 s:0-1", "CPU_DOMAIN_INFO: domain is 2, of 2" },
		{ 32, 2, 0, "4:16 4:1 4:0 4:2 4:0 s:3 s:0-1 4:0 s:3 s:0-1", "CPU_DOMAIN_INFO: nr is 2, of 1" },
		{ 32, 0, 0, "4:16 4:1", "CPU_DOMAIN_INFO: NRCPUS is missing, which gives the number of CPUs" },
		{ 3, 0, 0, "z:4:host", "HOSTNAME: hostname has no NUL at its end" },
	};
	/* of CPUs, in NUMA_TOPOLOGY; what is behind a comma and no digit is not read */
	static const struct { const char *list; bool good; } lists[] = {
		{ "", true }, { "0", true }, { "0-7", true }, { "0-3,8", true }, { "3,", true }, { "3\n", true }, { "3\n5-6", true },
		{ "3,x", true }, { "7-7", true }, { "32767", true }, { "0-32767", true },
		{ "x", false }, { ",", false }, { "-", false }, { "1x", false }, { "1-", false }, { "1-,2", false }, { "7-6", false },
		{ "1-2-3", false }, { "32768", false }, { "0-32768", false }, { "32768-40000", false }, { "99999999999999999999", false },
		{ "0-99999999999999999999", false }, { "18446744073709551616", false }, { "1,2x", false }, { "1,5-3", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(t); i++) {
		uint8_t raw[512];
		struct row row = { .payload = t[i].payload };
		struct pp_err err = { 0 };
		struct pp_feature_about about = { .nr_cpus = t[i].cpus, .nevents = t[i].events };
		struct pp_feature f = { .number = t[i].number, .p = raw, .len = cook(raw, &row, i % 2), .swap = i % 2 };
		int r = pp_feature_check(&f, &about, &err);

		if (t[i].error ? r > 0 || strcmp(err.what + strlen("HEADER_FEATURE: "), t[i].error) : r < 0)
			fail_msg("%s: %s", t[i].payload, err.what);
	}
	for (size_t i = 0; i < COUNT(lists); i++) {
		uint8_t raw[512];
		char payload[64];
		struct row row = { .payload = payload };
		struct pp_err err = { 0 };
		struct pp_feature_about about = { .nr_cpus = 8 };
		struct pp_feature f = { .number = PP_FEAT_NUMA_TOPOLOGY, .p = raw };

		snprintf(payload, sizeof payload, "4:1 4:0 8:100 8:50 s:%s", lists[i].list);
		f.len = cook(raw, &row, false);
		if ((pp_feature_check(&f, &about, &err) > 0) != lists[i].good)
			fail_msg("%s: %s", lists[i].list, err.what);
	}
}

/* What one feature says of others: how many CPUs there are, and whether the numbers of sockets are those that perf takes. */
static void
test_check_about(void **state)
{
	static const struct { const char *arch; bool differ; } t[] = {
		{ "s390x", true }, { "s390", true }, { "aarch64", true }, { "aarch64_be", true }, { "x86_64", false }, { "s39", false },
		{ "aarch6", false }, { "ppc64le", false }, { "riscv64", false },
	};
	/* cpus: 2; the numbers begin at byte 8 */
	static const struct { const char *payload; size_t ids; uint32_t socket; bool differ; } sockets[] = {
		{ "4:0 4:0 4:5 4:3 4:6 4:0", 8, 3, false }, { "4:0 4:0 4:5 4:0 4:6 4:4", 8, 4, false }, { "4:0 4:0 4:5 4:3 4:6 4:4", 8, 3, false },
		{ "4:0 4:0 4:5 4:2 4:6 4:0", 0, 0, false }, { "4:0 4:0 4:5 4:-1 4:6 4:0", 0, 0, false }, { "4:0 4:0 4:5 4:3 4:6 4:0", 0, 0, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(t); i++) {
		uint8_t raw[512];
		char payload[64];
		struct row row = { .payload = payload };
		struct pp_err err = { 0 };
		struct pp_feature_about about = { .nr_cpus = 3 };
		struct pp_feature f = { .number = PP_FEAT_ARCH, .p = raw };

		snprintf(payload, sizeof payload, "s:%s", t[i].arch);
		f.len = cook(raw, &row, false);
		assert_int_equal(pp_feature_check(&f, &about, &err), 1);
		if (about.sockets_differ != t[i].differ)
			fail_msg("%s: %d", t[i].arch, about.sockets_differ);
		assert_int_equal(about.nr_cpus, 3);
		row.payload = "4:8 4:6";
		f = (struct pp_feature){ .number = PP_FEAT_NRCPUS, .p = raw, .len = cook(raw, &row, true), .swap = true };
		assert_int_equal(pp_feature_check(&f, &about, &err), 1);
		assert_int_equal(about.nr_cpus, 8);
		f.len = 0;		/* it says nothing */
		about.nr_cpus = 5;
		assert_int_equal(pp_feature_check(&f, &about, &err), 1);
		assert_int_equal(about.nr_cpus, 5);
	}
	for (size_t i = 0; i < COUNT(sockets); i++) {
		uint8_t raw[512];
		struct row row = { .payload = sockets[i].payload };
		struct pp_err err = { 0 };
		struct pp_feature_about about = { .nr_cpus = 2, .ids = 77, .sockets_differ = sockets[i].differ };
		struct pp_feature f = { .number = PP_FEAT_CPU_TOPOLOGY, .p = raw, .len = cook(raw, &row, i % 2), .swap = i % 2 };

		assert_int_equal(pp_feature_check(&f, &about, &err), 1);
		assert_int_equal(about.ids, sockets[i].ids);
		if (about.ids)
			assert_int_equal(about.socket, sockets[i].socket);
	}
}

static void
test_empty(void **state)
{
	(void)state;
	for (uint64_t n = 0; n < 40; n++) {
		struct pp_feature f = { .number = n };
		struct log l = { .n = 0 };
		struct pp_err err = { 0 };
		uint8_t buf[1];
		size_t len = 9;

		assert_int_equal(pp_feature_walk(&f, log_value, &l, &err), 1);
		assert_int_equal(pp_feature_text(&f, log_text, &l, &err), 1);
		assert_int_equal(l.n, 0);
		assert_int_equal(pp_feature_convert(&f, true, buf, 0, &len, &err), 1);
		assert_int_equal(len, 0);
	}
}

static int
stop_at_second(void *arg, const struct pp_feature_value *v)
{
	(void)v;
	return ++*(int *)arg < 2;
}

static void
test_read(void **state)
{
	uint8_t raw[512];
	struct pp_err err = { 0 };
	struct pp_feature f = { .number = 7, .p = raw, .len = cook(raw, &rows[4], true), .swap = true };
	struct pp_feature_io io;
	struct pp_feature_value v;
	uint64_t num = 0;
	int seen = 0;

	(void)state;
	assert_int_equal(pp_feature_num(&f, "online", &num, &err), 1);
	assert_int_equal(num, 6);
	assert_int_equal(pp_feature_num(&f, "offline", &num, &err), 0);
	f.len = 6;
	assert_int_equal(pp_feature_num(&f, "available", &num, &err), 1);
	assert_int_equal(num, 8);
	assert_int_equal(pp_feature_num(&f, "online", &num, &err), -1);

	/* failure sticks */
	pp_feature_open(&io, &f, &err);
	assert_int_equal(pp_feature_next(&io, &v), 1);
	assert_int_equal(pp_feature_next(&io, &v), -1);
	assert_int_equal(pp_feature_next(&io, &v), -1);

	f = (struct pp_feature){ .number = 11, .p = raw, .len = cook(raw, &rows[10], false) };
	assert_int_equal(pp_feature_walk(&f, stop_at_second, &seen, &err), 0);
	assert_int_equal(seen, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table), cmocka_unit_test(test_where), cmocka_unit_test(test_rows),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_parse_damage),
		cmocka_unit_test(test_parse_short),
		cmocka_unit_test(test_cut), cmocka_unit_test(test_damage), cmocka_unit_test(test_huge),
		cmocka_unit_test(test_check), cmocka_unit_test(test_check_limits), cmocka_unit_test(test_check_about),
		cmocka_unit_test(test_empty), cmocka_unit_test(test_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* A perf.data by hand: names of events, build-ids and tracing data, of which a stream has records of their own; and whether its data can be copied. */
#include "file_features.h"
#include "source/section.h"

/* ---- names ----------------------------------------------------------------------------------------------- */

static void
put_event(uint64_t nids, const char *name, size_t len, uint64_t id)
{
	put_text(&g, "", ATTR);
	put(&g, nids, 4);
	put(&g, len, 4);
	put_text(&g, name, len);
	for (uint64_t i = 0; i < nids; i++)
		put(&g, id, 8);
}

static void
is_name(struct pp_source *s, uint64_t id, const char *name)
{
	struct pp_rec r = next(s, PP_EVENT_UPDATE);
	size_t len = strlen(name);

	assert_int_equal(r.misc, 0);
	assert_int_equal(r.size, 8 + 8 + 8 + (len + 8) / 8 * 8);
	assert_int_equal(pp_get_u64(r.raw + 8, s->swap), 2);
	assert_int_equal(pp_get_u64(r.raw + 16, s->swap), id);
	for (size_t i = 24; i < r.size; i++)
		assert_int_equal(r.raw[i], i - 24 < len ? name[i - 24] : 0);
	assert_true(pp_made(s, &r));
}

/* Each event has the name in its place, with the first of its ids; the first one may have none. */
static void
event_names(void **state)
{
	static const int numbers[] = { EVENT_DESC, 0 };

	(void)state;
	for (size_t i = 0; i < 8 * 18; i++) {
		char name[20] = "abcdefghijklmnopq";
		bool first = i & 2, second = i & 4;		/* it has ids */
		struct pp_source *s;
		struct pp_rec r;

		name[i / 8] = 0;
		b.swap = i & 1;
		give(EVENT_DESC);
		put(&g, 3, 4);
		put(&g, ATTR, 4);
		put_event(1, name, i / 8 + 1 + i % 3, 77);		/* an id that is not the attr's */
		put_event(0, "second", 8, 0);
		put_event(1, "third", 8, 88);				/* of an attr that is not there */
		make_file(numbers, 1, false, false);
		put_these = NULL;
		for (size_t k = 0; k < 2; k++)
			if (!(k ? second : first))
				store(&b, attrs.off + ENTRY * k + ATTR + 8, 0, 8);
		assert_non_null(s = open_file(b.n, 0));
		is_feature(s, EVENT_DESC, bytes_p(&g), g.n);
		if (name[0])
			is_name(s, first ? id_of[0] : 0, name);
		if (second)
			is_name(s, id_of[2], "second");
		assert_false(pp_next(s, &r) == 1 && r.type == PP_EVENT_UPDATE);
		assert_int_equal(faults, 0);
		pp_close(s);
	}
}

/* One that perf refuses, or that is too large for a record, which nobody has checked before. */
static void
event_names_refused(void **state)
{
	static const int numbers[] = { EVENT_DESC, 0 };

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		bool large = i & 2, bad = i & 4;
		struct pp_source *s;

		b.swap = i & 1;
		give(EVENT_DESC);
		put(&g, bad ? 3 : 2, 4);
		put(&g, ATTR, 4);
		put_event(1, "first", 8, 77);
		put_event(large ? 8200 : 8100, "second", 8, 78);
		make_file(numbers, 1, false, false);
		put_these = NULL;
		assert_int_equal(g.n > IN_RECORD, large);
		assert_non_null(s = open_file(b.n, 0));
		if (!large && !bad)
			is_feature(s, EVENT_DESC, bytes_p(&g), g.n);
		if (!bad) {
			is_name(s, id_of[0], "first");
			is_name(s, id_of[2], "second");
		} else {
			assert_non_null(strstr(fault[0].what, "HEADER_FEATURE: EVENT_DESC: "));
			assert_int_equal(fault[0].off, feature[EVENT_DESC].off);
		}
		assert_int_equal(pp_warning(s) != NULL, large);
		assert_int_equal(faults, bad);
		ends(s, bad ? g.n : 0);
	}
}

/* ---- build-ids -------------------------------------------------------------------------------------------- */

static void
put_build_id(unsigned n, const char *name, unsigned more)
{
	size_t at = begin_rec(&g, 0, 0);

	put(&g, 4711 + n, 4);
	for (unsigned i = 0; i < 24; i++)
		put(&g, i < 20 ? 16 * n + i : 0, 1);
	put_text(&g, name, strlen(name) + more);
	end_rec(&g, at);
}

static void
is_build_id(struct pp_source *s, unsigned n, const char *name)
{
	struct pp_rec r = next(s, PP_HEADER_BUILD_ID);

	assert_int_equal(r.misc, PP_MISC_BUILD_ID_SIZE | 0);
	assert_int_equal(r.size, (36 + strlen(name) + 8) / 8 * 8);
	assert_int_equal(pp_get_u32(r.raw + 8, s->swap), 4711 + n);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(r.raw[12 + i], 16 * n + i);
	assert_string_equal((const char *)r.raw + 36, name);
}

static void
build_ids(void **state)
{
	static const int numbers[] = { BUILD_ID, 0 };
	static const struct {
		int size;		/* what the third one says, if not its own */
		unsigned rest;		/* bytes behind it that are none */
		int bad, says;		/* where the fault is, from the third one on, and what is said of its size; -1: there is none */
	} rows[] = {
		{ 0, 0, -1, 0 }, { 0, 1, 44, 0 }, { 0, 7, 44, 0 }, { 0, 35, 44, 0 }, { 0, 36, 44, 0 }, { 35, 0, 0, 35 }, { 36 + 8 + 1, 0, 0, 45 },
		{ 36 + 8, 0, -1, 0 }, { 36, 0, 36, 'h' },	/* the name behind it, whose last letter is where the size would be */
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		const size_t k = i / 2;
		struct pp_source *s;
		size_t third, at;
		char why[100];

		b.swap = i & 1;
		give(BUILD_ID);
		put_build_id(1, "/bin/a", 1);
		put_build_id(2, "/lib/libc.so.6", 5);
		third = g.n;
		at = third + (size_t)rows[k].bad;
		put_build_id(3, "/bin/sh", 1);
		if (rows[k].size)
			store(&g, third + 6, (uint64_t)rows[k].size, 2);
		put_text(&g, "", rows[k].rest);
		make_file(numbers, 1, false, false);
		put_these = NULL;
		assert_non_null(s = open_file(b.n, 0));
		is_build_id(s, 1, "/bin/a");
		is_build_id(s, 2, "/lib/libc.so.6");
		if (rows[k].bad)
			is_build_id(s, 3, rows[k].size == 36 ? "" : "/bin/sh");
		assert_int_equal(faults, rows[k].bad >= 0);
		if (rows[k].bad >= 0) {
			snprintf(why, sizeof why, "BUILD_ID: record of %d bytes, %zu are there; %zu bytes left out", b.swap && rows[k].says == 'h' ? 'h' << 8 : rows[k].says,
			    g.n - at, g.n - at);
			assert_string_equal(fault[0].what, why);
			assert_int_equal(fault[0].off, feature[BUILD_ID].off + at);
		}
		ends(s, rows[k].bad >= 0 ? g.n - at : 0);
	}
}

/* ---- tracing data ----------------------------------------------------------------------------------------- */

/* The smallest contents, with so many bytes of kallsyms. */
static void
put_tracing(unsigned kallsyms)
{
	static const char head[] = "\027\010\104tracing" "0.5\0" "\0\010\0\020\0\0" "header_page\0" "\001\0\0\0\0\0\0\0" "p" "header_event\0"
	    "\001\0\0\0\0\0\0\0" "e" "\0\0\0\0" "\0\0\0";

	for (size_t i = 0; i < sizeof head; i++)
		put(&g, (uint8_t)head[i], 1);
	for (unsigned i = 0; i < 4; i++)
		put(&g, kallsyms >> 8 * i & 0xff, 1);
	for (unsigned i = 0; i < kallsyms; i++)
		put(&g, 'a' + i % 26, 1);
	for (unsigned i = 0; i < 4; i++)
		put(&g, 0, 1);
}

static void
tracing(void **state)
{
	static const unsigned sizes[] = { 0, 1, 2, 3, 4, 5, 6, 7, 16 << 10, (16 << 10) - 1, 16000, (32 << 10) - 70, 20001 };

	(void)state;
	for (size_t i = 0; i < 8 * sizeof sizes / sizeof *sizes; i++) {
		static const int numbers[] = { TRACING, 0 };
		bool bad = i & 2, any = i & 4;
		unsigned more;		/* bytes behind it and its padding, which perf does not read */
		struct pp_source *s;
		size_t good, n, sum = 0;
		const uint8_t *p;
		struct pp_rec r;

		b.swap = i & 1;
		give(TRACING);
		put_tracing(sizes[i / 8]);
		good = g.n;
		more = bad ? (unsigned)((good + 7) / 8 * 8 - good) + 1 + (unsigned)i % 3 : 0;
		for (unsigned k = 0; k < more; k++)
			put(&g, 0xa5, 1);
		make_file(numbers, 2, false, i % 3);
		put_these = NULL;
		assert_non_null(s = open_file(b.n, any ? PP_OPEN_ANY_TRACING : 0));
		r = next(s, PP_HEADER_TRACING_DATA);
		if (any)
			good = g.n;
		assert_int_equal(r.size, 12 + 4);
		assert_int_equal(r.misc, 0);
		assert_int_equal(pp_get_u32(r.raw + 8, s->swap), (good + 7) / 8 * 8);
		assert_int_equal(r.payload, (good + 7) / 8 * 8);
		assert_true(pp_made(s, &r));
		for (; pp_payload(s, &p, &n) == 1; sum += n)
			for (size_t k = 0; k < n; k++)
				assert_int_equal(p[k], sum + k < good ? bytes_p(&g)[sum + k] : 0);
		assert_int_equal(sum, (good + 7) / 8 * 8);
		assert_int_equal(faults, bad && !any);
		if (faults) {
			assert_non_null(strstr(fault[0].what, "of which perf reads"));
			assert_int_equal(fault[0].off, feature[TRACING].off);
		}
		ends(s, faults ? 1 + i % 3 : 0);
	}
	/* none of it is any good */
	for (int any = 0; any < 2; any++) {
		static const int numbers[] = { TRACING, 0 };
		struct pp_source *s;
		struct pp_rec r;

		b.swap = false;
		give(TRACING);
		put_tracing(5);
		bytes_p(&g)[0] = 1;
		make_file(numbers, 2, false, false);
		put_these = NULL;
		assert_non_null(s = open_file(b.n, any ? PP_OPEN_ANY_TRACING : 0));
		if (any) {
			r = next(s, PP_HEADER_TRACING_DATA);
			assert_int_equal(r.payload, (g.n + 7) / 8 * 8);
		}
		assert_int_equal(faults, !any);
		ends(s, any ? 0 : g.n);
	}
}

/* One in the data section is the second one, if the file has a section of them. */
static void
tracing_twice(void **state)
{
	static const int numbers[] = { TRACING, 0 };

	(void)state;
	for (int form = 0; form < 2; form++) {
		struct pp_source *s;
		struct pp_rec r;
		size_t at, padded;

		b.swap = form;
		give(TRACING);
		put_tracing(5);
		padded = (g.n + 7) / 8 * 8;
		make_file(numbers, 2, false, false);
		put_these = NULL;
		at = begin_rec(&b, PP_HEADER_TRACING_DATA, 0);
		put(&b, padded, 4);
		put(&b, 0, 4);
		end_rec(&b, at);
		for (size_t i = 0; i < padded; i++)
			put(&b, i < g.n ? bytes_p(&g)[i] : 0, 1);
		store(&b, 40, at, 8);
		store(&b, 48, b.n - at, 8);
		put(&b, feature[TRACING].off, 8);
		put(&b, feature[TRACING].size, 8);
		assert_non_null(s = open_file(b.n, 0));
		r = next(s, PP_HEADER_TRACING_DATA);
		assert_true(pp_made(s, &r));
		assert_int_equal(pp_next(s, &r), 0);
		assert_int_equal(faults, 1);
		assert_string_equal(fault[0].what, "TRACING_DATA: perf would stop at a second one in a stream; left out");
		assert_int_equal(fault[0].off, at);
		assert_int_equal(pp_close(s), -1);
	}
}

/* ---- copying ---------------------------------------------------------------------------------------------- */

/* Of which recordings the data section can be copied. */
static void
copied(void **state)
{
	static const int aux[] = { HOSTNAME, AUXTRACE, 0 }, stat[] = { STAT, HOSTNAME, 0 }, both[] = { AUXTRACE, STAT, 0 };
	static const struct { const int *numbers; const char *why; } rows[] = {
		{ none, NULL }, { all, NULL }, { aux, "the recording has AUXTRACE records" }, { stat, "the recording is of perf stat" },
		{ both, "the recording has AUXTRACE records" },
	};

	(void)state;
	b.swap = false;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pp_section x = { .len = 0 };
		struct pp_source *s;
		const char *why;

		make_file(rows[i].numbers, 1, false, false);
		assert_non_null(s = open_file(b.n, 0));
		why = pp_data_section(s, &x);
		assert_int_equal(why != NULL, rows[i].why != NULL);
		if (why)
			assert_string_equal(why, rows[i].why);
		assert_true(x.fd >= 0);
		assert_int_equal(x.off, data.off);
		assert_int_equal(x.len, data.size);
		pp_close(s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(event_names), cmocka_unit_test(event_names_refused), cmocka_unit_test(build_ids),
		cmocka_unit_test(tracing), cmocka_unit_test(tracing_twice), cmocka_unit_test(copied),
	};

	return cmocka_run_group_tests_name("file_names", tests, NULL, NULL);
}

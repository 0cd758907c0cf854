/* SPDX-License-Identifier: ISC */
/* A perf.data by hand: attrs and features of every size, and what is made of each. */
#include "file_features.h"

/* ---- attrs ----------------------------------------------------------------------------------------------- */

/* Entries of each size, and attrs in them: one of size 0 is of the first version. */
static void
entries(void **state)
{
	static const struct { unsigned entry, attr, made; const char *fails; } rows[] = {
		{ 80, 64, 64, NULL }, { 80, 0, 64, NULL }, { 80, 72, 0, "HEADER_ATTR: attr.size is 72 in an entry of 64 bytes" },
		{ 80, 65, 0, "HEADER_ATTR: attr.size is 65 in an entry of 64 bytes" }, { 88, 72, 72, NULL }, { 88, 64, 64, NULL },
		{ 72, 64, 0, "attr_size is 72" }, { 79, 64, 0, "attr_size is 79" }, { 84, 64, 0, "attr_size is 84" }, { 81, 64, 0, "attr_size is 81" },
		{ 4096, 64, 64, NULL }, { 4096, 4080, 4080, NULL }, { 4096, 4088, 0, "HEADER_ATTR: attr.size is 4088 in an entry of 4080 bytes" },
		{ 4104, 64, 0, "attr_size is 4104" }, { 0, 64, 0, "attr_size is 0" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		const size_t k = i / 2;
		struct pp_source *s;
		struct pp_rec r;

		b.swap = i & 1;
		make_file(none, 1, false, false);
		for (unsigned n = 2; n <= 3; n++) {		/* n - 1 attrs, the last of which is that one */
			size_t from = b.n, at;

			for (unsigned j = 1; j < n; j++) {
				at = b.n;
				put(&b, 1, 4);
				put(&b, j + 1 == n ? rows[k].attr : 64, 4);
				put_text(&b, "", rows[k].entry < 88 ? 56 : rows[k].entry - 8 - 16);
				put(&b, ids[0].off, 8);
				put(&b, 8, 8);
				b.n = at + rows[k].entry;
				store(&b, at + 24, PP_SAMPLE_ID | PP_SAMPLE_TIME, 8);
			}
			store(&b, 16, rows[k].entry, 8);
			store(&b, 24, from, 8);
			store(&b, 32, b.n - from + (rows[k].entry ? 79 : 0), 8);	/* bytes that are no entry */
			s = open_long(b.n + 200, 0);
			assert_int_equal(s != NULL, !rows[k].fails);
			if (!s) {
				assert_string_equal(err.what, rows[k].fails);
				assert_int_equal(err.off, strncmp(err.what, "attr_size", 9) ? at : 16);
				continue;
			}
			for (unsigned j = 1; j < n; j++) {
				assert_int_equal(pp_next(s, &r), 1);
				assert_int_equal(r.type, PP_HEADER_ATTR);
				assert_int_equal(r.size, 8 + (j + 1 == n ? rows[k].made : 64) + 8);
				assert_int_equal(pp_get_u64(r.raw + r.size - 8, s->swap), id_of[0]);
				assert_true(pp_made(s, &r));
			}
			is_sample(s, 0);
			pp_close(s);
		}
	}
}

/* No more attrs than perf reads. */
static void
many_entries(void **state)
{
	enum { MOST_ATTRS = 65536 };

	(void)state;
	b.swap = false;
	for (unsigned more = 0; more < 2; more++) {
		struct pp_source *s;
		unsigned n = 0;
		struct pp_rec r;

		make_file(none, 1, false, false);
		store(&b, 24, b.n, 8);
		store(&b, 32, ENTRY * (MOST_ATTRS + more), 8);
		s = open_long(b.n + ENTRY * (MOST_ATTRS + more), 0);
		assert_int_equal(s != NULL, !more);
		if (more) {
			assert_string_equal(err.what, "more than 65536 attrs");
			assert_int_equal(err.off, 24);
			continue;
		}
		while (pp_next(s, &r) == 1 && r.type == PP_HEADER_ATTR)
			n++;
		assert_int_equal(n, MOST_ATTRS);
		pp_close(s);
	}
}

/* Of perf stat's attrs the sample type is 0 in a stream, if it is only IDENTIFIER. */
static void
stat_attrs(void **state)
{
	static const int stat[] = { STAT, 0 };
	static const struct { const int *numbers; uint64_t type, made; } rows[] = {
		{ stat, PP_SAMPLE_IDENTIFIER, 0 }, { none, PP_SAMPLE_IDENTIFIER, PP_SAMPLE_IDENTIFIER },
		{ stat, PP_SAMPLE_IDENTIFIER | PP_SAMPLE_TIME, PP_SAMPLE_IDENTIFIER | PP_SAMPLE_TIME }, { stat, PP_SAMPLE_TIME, PP_SAMPLE_TIME },
		{ stat, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		struct pp_source *s;
		struct pp_rec r;

		b.swap = i & 1;
		make_file(rows[i / 2].numbers, 1, false, false);
		for (size_t k = 0; k < 2; k++)
			store(&b, attrs.off + ENTRY * k + 24, rows[i / 2].type, 8);
		assert_non_null(s = open_file(b.n, 0));
		for (size_t k = 0; k < 2; k++) {
			assert_int_equal(pp_next(s, &r), 1);
			assert_int_equal(r.type, PP_HEADER_ATTR);
			assert_memory_equal(r.raw + 8, bytes_p(&b) + attrs.off + ENTRY * k, 24);
			assert_int_equal(pp_get_u64(r.raw + 8 + 24, s->swap), rows[i / 2].made);
			assert_memory_equal(r.raw + 8 + 32, bytes_p(&b) + attrs.off + ENTRY * k + 32, ATTR - 32);
		}
		pp_close(s);
	}
}

/* Ids that are none: with repair the event has no ids. */
static void
wrong_ids(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		static const char *const why[] = { "ids: section of 12 bytes holds no u64s", "ids: section of 15 bytes holds no u64s",
		    "lies outside the file of", "lies outside the file of", "overlaps others" };
		uint64_t lost, off, size;
		struct pp_source *s;
		struct pp_rec r;

		b.swap = i & 1;
		make_file(none, 1, false, false);
		off = i / 2 == 3 ? b.n : i / 2 == 4 ? 0 : ids[0].off;
		size = i / 2 == 0 ? 12 : i / 2 == 1 ? 15 : i / 2 == 2 ? b.n : i / 2 == 3 ? 8 : (b.n - attrs.size) / 8 * 8 + 8;
		store(&b, attrs.off + ATTR, off, 8);
		store(&b, attrs.off + ATTR + 8, size, 8);
		assert_null(open_file(b.n, 0));
		assert_non_null(strstr(err.what, why[i / 2]));
		assert_int_equal(err.off, i / 2 < 2 ? attrs.off : off);
		assert_non_null(s = open_file(b.n, PP_OPEN_REPAIR));
		assert_int_equal(faults, 1);
		assert_non_null(strstr(fault[0].what, why[i / 2]));
		for (unsigned k = 0; k < 2; k++) {
			assert_int_equal(pp_next(s, &r), 1);
			assert_int_equal(r.size, 8 + ATTR + 8 * k);
		}
		pp_faults(s, &lost);
		assert_int_equal(lost, 0);
		pp_close(s);
	}
	/* all bytes that are left may be ids, and those are then nobody else's */
	for (unsigned more = 0; more <= 8; more += 8) {
		b.swap = false;
		make_file(none, 1, false, false);
		assert_int_equal(b.n % 8, 0);
		store(&b, attrs.off + ATTR, 0, 8);
		store(&b, attrs.off + ATTR + 8, b.n - attrs.size - 8, 8);
		store(&b, attrs.off + ENTRY + ATTR + 8, 8 + more, 8);
		assert_int_equal(read_file(b.n, 0) != 0, !more);
		if (more)
			assert_string_equal(err.what, "ids: section of 16 bytes overlaps others");
	}
}

/* ---- features -------------------------------------------------------------------------------------------- */

/* A feature as large as a record can be, and larger: left out with a warning, or the payload of a record. */
static void
large(void **state)
{
	static const int host[] = { HOSTNAME, 0 }, unknown[] = { UNKNOWN, 0 };
	static const struct { const int *numbers; size_t size; const char *name; } rows[] = {
		{ host, IN_RECORD, NULL }, { host, IN_RECORD + 1, "HOSTNAME" }, { unknown, IN_RECORD, NULL }, { unknown, IN_RECORD + 1, "number 60" },
		{ host, 100000, "HOSTNAME" }, { host, OUTSIDE_MOST, "HOSTNAME" }, { host, OUTSIDE_MOST + 1, "HOSTNAME" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		size_t k = i / 2, size = rows[k].size;
		int number = rows[k].numbers[0];
		struct pp_source *s;
		struct pp_rec r;
		char why[200];

		b.swap = false;
		give(number);
		put(&g, number == HOSTNAME ? size - 4 : 1, 4);
		make_file(rows[k].numbers, 1, false, true);
		put_these = NULL;
		store(&b, table.off + 8, size, 8);
		assert_non_null(s = open_long(feature[number].off + size, i & 1 ? PP_OPEN_FILE_FEATURES : 0));
		snprintf(why, sizeof why, "header feature %s of %zu bytes is too large%s and left out", rows[k].name ? rows[k].name : "", size,
		    i & 1 ? "" : " for a record");
		if (rows[k].name && (!(i & 1) || size > OUTSIDE_MOST))
			assert_string_equal(pp_warning(s), why);
		else
			assert_null(pp_warning(s));
		if (!rows[k].name) {
			r = next(s, PP_HEADER_FEATURE);
			assert_int_equal(r.size, 16 + size);
			assert_int_equal(r.payload, 0);
		} else if (i & 1 && size <= OUTSIDE_MOST)
			is_payload(s, number, size);
		ends(s, 0);
	}
}

/* Features of a file that a stream cannot have: payloads, if they are asked for. */
static void
of_a_file(void **state)
{
	static const int numbers[] = { HOSTNAME, CACHE, DIR_FORMAT, HYBRID, 0 };

	(void)state;
	dir_version = 1;
	for (int form = 0; form < 4; form++) {
		struct pp_source *s;

		b.swap = form & 1;
		give(CACHE);
		put(&g, 1, 4);
		put(&g, 0, 4);
		make_file(numbers, 1, false, false);
		store(&b, table.off + 16 * 3, feature[CACHE].off + 4, 8);	/* none of them, too */
		store(&b, table.off + 16 * 3 + 8, 4, 8);
		store(&b, table.off + 16 + 8, 8, 8);
		feature[HYBRID] = (struct section){ feature[CACHE].off + 4, 4 };
		put_these = NULL;
		assert_non_null(s = open_file(b.n, form & 2 ? PP_OPEN_FILE_FEATURES : 0));
		is_feature(s, HOSTNAME, bytes_p(&b) + feature[HOSTNAME].off, feature[HOSTNAME].size);
		if (form & 2) {
			is_payload(s, CACHE, 8);
			is_payload(s, HYBRID, 4);
		}
		assert_null(pp_warning(s));
		ends(s, 0);
	}
}

/* One that perf refuses is left out, and those behind it are not; groups have as many events as there are attrs. */
static void
refused(void **state)
{
	static const int numbers[] = { HOSTNAME, NRCPUS, GROUP_DESC, UNKNOWN, 0 };

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		bool cpus = i & 2, group = i & 4;
		struct pp_source *s;

		b.swap = i & 1;
		give(GROUP_DESC);
		put(&g, 1, 4);
		put(&g, 64, 4);
		put_text(&g, "group", 64);
		put(&g, 0, 4);
		put(&g, group ? 3 : 2, 4);
		make_file(numbers, 1, false, false);
		put_these = NULL;
		if (cpus)
			store(&b, feature[NRCPUS].off + 4, 9, 4);		/* online, of 8 */
		assert_non_null(s = open_file(b.n, 0));
		is_feature(s, HOSTNAME, bytes_p(&b) + feature[HOSTNAME].off, 68);
		if (!cpus)
			is_feature(s, NRCPUS, bytes_p(&b) + feature[NRCPUS].off, 8);
		else {
			assert_non_null(strstr(fault[0].what, "HEADER_FEATURE: NRCPUS: "));
			assert_int_equal(fault[0].off, feature[NRCPUS].off);
		}
		if (!group)
			is_feature(s, GROUP_DESC, bytes_p(&b) + feature[GROUP_DESC].off, feature[GROUP_DESC].size);
		else {
			assert_non_null(strstr(fault[cpus].what, "events 0 to 2 are not a group of 2 events; left out"));
			assert_int_equal(fault[cpus].off, feature[GROUP_DESC].off);
		}
		is_feature(s, UNKNOWN, bytes_p(&b) + feature[UNKNOWN].off, 8);
		assert_int_equal(faults, cpus + group);
		ends(s, (cpus ? 8 : 0) + (group ? feature[GROUP_DESC].size : 0));
	}
}

/* Numbers of sockets that perf up to 6.12 refuses in a stream: there the record ends in front of them. */
static void
sockets(void **state)
{
	static const int numbers[] = { NRCPUS, CPU_TOPOLOGY, UNKNOWN, 0 };

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		unsigned socket = i & 2 ? 9 : 8;		/* of 8 CPUs */
		struct pp_source *s;

		b.swap = i & 1;
		give(CPU_TOPOLOGY);
		put(&g, 0, 4);
		put(&g, 0, 4);
		for (unsigned k = 0; k < 8; k++) {
			put(&g, k, 4);
			put(&g, k == 7 ? socket : 0, 4);
		}
		make_file(numbers, 1, false, false);
		put_these = NULL;
		assert_non_null(s = open_file(b.n, i & 4 ? PP_OPEN_FILE_FEATURES : 0));
		is_feature(s, NRCPUS, bytes_p(&b) + feature[NRCPUS].off, 8);
		is_feature(s, CPU_TOPOLOGY, bytes_p(&g), socket == 9 && !(i & 4) ? 8 : g.n);
		is_feature(s, UNKNOWN, bytes_p(&b) + feature[UNKNOWN].off, 8);
		if (socket == 9 && !(i & 4))
			assert_string_equal(pp_warning(s), "CPU_TOPOLOGY: socket_id is 9, of 8 CPUs: the ids of cores and sockets are left out, as perf up to "
			    "6.12 refuses a stream with them");
		else
			assert_null(pp_warning(s));
		ends(s, 0);
	}
}

/* As many warnings as there is space for. */
static void
warnings(void **state)
{
	static const int numbers[] = { 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 0 };
	enum { N = sizeof numbers / sizeof *numbers - 1, SIZE = 65520 };
	char want[1500] = "";
	struct pp_source *s;

	(void)state;
	b.swap = false;
	for (unsigned n = 1; n <= N; n++) {
		size_t len = strlen(want);

		snprintf(want + len, sizeof want - len, "%sheader feature number %d of 65520 bytes is too large for a record and left out", len ? "; " : "",
		    numbers[n - 1]);
		make_file(numbers, 1, false, true);
		for (size_t k = 0; k < n; k++) {
			store(&b, table.off + 16 * k, b.n + SIZE * k, 8);
			store(&b, table.off + 16 * k + 8, SIZE, 8);
		}
		assert_non_null(s = open_long(b.n + SIZE * N, 0));
		if (strlen(want) < 600)
			assert_string_equal(pp_warning(s), want);
		else {
			assert_int_equal(strlen(pp_warning(s)), 599);
			assert_memory_equal(pp_warning(s), want, 599);
		}
		pp_close(s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries), cmocka_unit_test(many_entries), cmocka_unit_test(stat_attrs), cmocka_unit_test(wrong_ids),
		cmocka_unit_test(large), cmocka_unit_test(of_a_file), cmocka_unit_test(refused), cmocka_unit_test(sockets),
		cmocka_unit_test(warnings),
	};

	return cmocka_run_group_tests_name("file_features", tests, NULL, NULL);
}

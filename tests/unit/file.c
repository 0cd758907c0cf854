/* SPDX-License-Identifier: ISC */
/* A perf.data by hand: the records that are made of its sections, and what becomes of sections that are not as they should be. */
#include "perf_data.h"
#include "source/leave_out.h"
#include "source/section.h"

static void
whole(void **state)
{
	(void)state;
	for (int form = 0; form < 2; form++) {
		b.swap = form & 1;
		make_file(all, 1, false, false);
		assert_int_equal(read_file(b.n, 0), 1);
		are_seen(shown, 1, 3, false);
		assert_int_equal(read_file(b.n, PP_OPEN_REPAIR), 1);
		are_seen(shown, 1, 3, false);
		assert_int_equal(faults, 0);
		make_file(none, 1, false, false);
		assert_int_equal(read_file(b.n, 0), 1);
		are_seen(none, 0, 3, false);
	}
}

/* Bytes of the file as they are, and where the data are. */
static void
places(void **state)
{
	struct pp_section x = { .len = 0 };
	struct pp_source *s;
	uint8_t got[200];

	(void)state;
	b.swap = false;
	make_file(all, 1, false, false);
	assert_non_null(s = open_file(b.n, 0));
	assert_null(pp_data_section(s, &x));
	assert_int_equal(x.off, data.off);
	assert_int_equal(x.len, data.size);
	assert_int_equal(pp_raw_size(s, 0), b.n);
	assert_int_equal(pp_raw_size(s, 1), -1);
	assert_int_equal(pp_raw_at(s, 0, data.off, got, sizeof got), b.n - data.off >= sizeof got);
	assert_int_equal(pp_raw_at(s, 0, b.n - 100, got, 100), 1);
	assert_memory_equal(got, bytes_p(&b) + b.n - 100, 100);
	assert_int_equal(pp_raw_at(s, 0, b.n - 100, got, 101), 0);
	assert_int_equal(pp_raw_at(s, 0, b.n, got, 0), 1);
	assert_int_equal(pp_raw_at(s, 1, 0, got, 1), -1);
	pp_close(s);
	assert_non_null(s = open_file(data.off + 30, 0));
	assert_string_equal(pp_data_section(s, &x), "the file is not complete");
	pp_close(s);
	make_file(none, 1, false, false);		/* whose data are the last of it */
	assert_non_null(s = open_file(b.n, 0));
	assert_null(pp_data_section(s, &x));
	assert_int_equal(x.off + x.len, b.n);
	pp_close(s);
	store(&b, 48, 0, 8);				/* of a recorder that was killed */
	assert_non_null(s = open_file(b.n, PP_OPEN_REPAIR));
	assert_string_equal(pp_data_section(s, &x), "the file is not complete");
	pp_close(s);
	assert_non_null(s = open_file(data.off + 30, PP_OPEN_REPAIR));
	assert_string_equal(pp_data_section(s, &x), "the file is not complete");
	pp_close(s);
}

/* The first record of the data is left out, and a FINISHED_ROUND comes instead; the second is read by itself. */
static unsigned calls, taken, fails_at;
static uint8_t instead[8];

static int
next_step(void *arg, uint32_t file, uint64_t off, struct pp_leave_step *x)
{
	(void)arg;
	assert_int_equal(file, 0);
	assert_int_equal(off, data_at[calls]);
	if (calls + 1 == fails_at)
		return pp_fail(&err, "no more");
	*x = (struct pp_leave_step){ .n = calls < 2 ? data.size / 3 : UINT64_MAX, .leave = !calls, .copy = instead,
	    .ncopy = calls ? 0 : sizeof instead };
	calls++;
	return 1;
}

static int
took(void *arg, const uint8_t *p, size_t n, bool end)
{
	(void)arg;
	assert_memory_equal(p, bytes_p(&b) + data_at[1] + taken, n);
	taken += (unsigned)n;
	assert_int_equal(end, taken == data.size / 3);
	return 1;
}

static void
left_out(void **state)
{
	const struct pp_leave_out how = { .next = next_step, .took = took, .name = "index" };
	struct pp_source *s;
	struct pp_rec r;

	(void)state;
	b.swap = false;
	pp_set_u32(instead, PP_FINISHED_ROUND, BIG_HERE);
	pp_set_u16(instead + 6, sizeof instead, BIG_HERE);
	for (int cut = 0; cut < 3; cut++) {		/* 1: a file that is shorter than one who leaves bytes out believes; 2: who fails */
		make_file(all, 1, false, false);
		calls = taken = 0;
		fails_at = cut == 2 ? 2 : 0;
		assert_non_null(s = open_file(cut == 1 ? data_at[2] - 8 : b.n, 0));
		assert_int_equal(pp_leave_out(s, &how), 1);
		while (pp_next(s, &r) == 1)
			if (r.type == PP_SAMPLE || r.type == PP_FINISHED_ROUND)
				note_record(s, &r);
		assert_int_equal(pp_next(s, &r), cut ? -1 : 0);
		assert_int_equal(pp_close(s), cut ? -1 : 1);
		assert_int_equal(calls, cut == 2 ? 1 : cut ? 2 : 3);
		assert_int_equal(taken, cut == 2 ? 0 : data.size / 3 - (cut ? 8 : 0));
		assert_int_equal(nseen, cut ? 1 : 3);
		assert_int_equal(seen[0].type, PP_FINISHED_ROUND);
		assert_int_equal(seen[0].off, data_at[0]);
		if (cut == 2)
			assert_string_equal(err.what, "no more");
		else if (cut)
			assert_string_equal(err.what,
			    "the index index does not fit: the file ends inside a chunk; --no-index reads without it, pcat --index makes it again");
		else {
			assert_int_equal(seen[1].off, data_at[1]);
			assert_int_equal(seen[2].off, data_at[2]);
		}
	}
}

/* More ids than a record holds: further records have the others. */
static void
many_ids(void **state)
{
	enum { IN_RECORD = (65535 - 8 - ATTR) / 8 };
	static const unsigned counts[] = { IN_RECORD, IN_RECORD + 1, IN_RECORD + 9 };

	(void)state;
	b.swap = false;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		struct pp_source *s;
		struct pp_rec r;
		unsigned n = 0;
		char text[200];
		size_t from;

		make_file(none, 1, false, false);
		from = b.n;
		for (unsigned k = 0; k < counts[i]; k++)
			put(&b, 1000 + k, 8);
		store(&b, attrs.off + ATTR, from, 8);
		store(&b, attrs.off + ATTR + 8, 8 * (uint64_t)counts[i], 8);
		assert_non_null(s = open_file(b.n, 0));
		snprintf(text, sizeof text, "an event has %u ids, more than a record holds: it becomes several events", counts[i]);
		if (counts[i] > IN_RECORD)
			assert_string_equal(pp_warning(s), text);
		else
			assert_null(pp_warning(s));
		while (n < counts[i]) {
			assert_int_equal(pp_next(s, &r), 1);
			assert_int_equal(r.type, PP_HEADER_ATTR);
			for (size_t k = 8 + ATTR; k < r.size; k += 8, n++)
				assert_int_equal(pp_get_u64(r.raw + k, BIG_HERE), 1000 + n);
		}
		assert_int_equal(n, counts[i]);
		pp_close(s);
	}
}

/* Names of events up to a length become records. */
static void
names(void **state)
{
	static const int numbers[] = { EVENT_DESC, 0 };
	static const struct { unsigned len; bool named; } rows[] = { { 2, true }, { 4096, true }, { 4097, false } };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		unsigned named = 0;

		b.swap = i & 1;
		desc_len = rows[i / 2].len;
		make_file(numbers, 1, false, false);
		if (read_file(b.n, 0) != 1)
			fail_msg("%s", fault[0].what);
		for (unsigned k = 0; k < nseen; k++)
			named += seen[k].type == PP_EVENT_UPDATE;
		assert_int_equal(named, rows[i / 2].named ? 2 : 0);
	}
}

/* A file that ends in its table of features: what is in that is lost from there on; those before it are in the file. */
static void
cut_table(void **state)
{
	(void)state;
	for (int form = 0; form < 4; form++) {
		uint32_t type = form & 2 ? 2 : 1;		/* of tracepoints perf needs the formats */

		b.swap = form & 1;
		make_file(all, type, false, false);
		for (size_t n = table.off; n < b.n; n++) {
			int left[4] = { 0 };
			size_t have = (n - table.off) / 16;

			for (size_t i = 0; i < have; i++)
				left[i] = all[i];
			assert_int_equal(read_file(n, 0), 0);
			assert_string_equal(err.what, "cut short");
			assert_int_equal(err.off, table.off + 16 * have);
			assert_int_equal(read_file(n, PP_OPEN_REPAIR), -1);
			are_seen(left + (have > 0), have > 0, 3, false);
			assert_int_equal(faults, form & 2 ? 2 : 1);
			assert_string_equal(fault[0].what, "cut short");
			assert_int_equal(fault[0].off, table.off + 16 * have);
			if (form & 2) {
				assert_non_null(strstr(fault[1].what, "formats of tracepoints are lost"));
				assert_int_equal(fault[1].off, table.off);
			}
		}
	}
}

/* A file that ends in its data: whole records, and no features. */
static void
cut_data(void **state)
{
	(void)state;
	for (int form = 0; form < 2; form++) {
		b.swap = form & 1;
		make_file(all, 1, false, false);
		for (size_t n = data.off; n < table.off; n++) {
			unsigned have = (unsigned)((n - data.off) / (data.size / 3));

			assert_int_equal(read_file(n, 0), -1);
			assert_non_null(strstr(err.what, "cut short"));
			are_seen(none, 0, have, false);
			assert_int_equal(read_file(n, PP_OPEN_REPAIR), -1);
			are_seen(none, 0, have, false);
			assert_non_null(strstr(fault[0].what, "the header features are lost"));
			assert_int_equal(fault[0].off, data.off);
		}
		/* no attrs, no recording */
		for (size_t n = 16; n < data.off; n++) {
			assert_int_equal(read_file(n, 0), 0);
			assert_true(err.what[0]);
		}
	}
}

/* A section of the table that lies outside the file, or has bytes of others: that feature is left out. */
static void
wrong_sections(void **state)
{
	static const struct { uint64_t off, size; int entry; } rows[] = {
		{ 0, UINT64_MAX, 1 }, { UINT64_MAX, 0, 1 }, { UINT64_MAX, 1, 0 }, { 1, UINT64_MAX - 1, 2 },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		int left[4] = { 0 }, n = 0;

		b.swap = i & 1;
		make_file(all, 1, false, false);
		store(&b, table.off + 16 * (size_t)rows[i / 2].entry, rows[i / 2].off, 8);
		store(&b, table.off + 16 * (size_t)rows[i / 2].entry + 8, rows[i / 2].size, 8);
		for (int k = 1; k < 3; k++)
			if (k != rows[i / 2].entry)
				left[n++] = all[k];
		assert_int_equal(read_file(b.n, 0), 0);
		assert_non_null(strstr(err.what, "lies outside the file"));
		assert_int_equal(err.off, rows[i / 2].off);
		assert_int_equal(read_file(b.n, PP_OPEN_REPAIR), -1);
		are_seen(left, rows[i / 2].entry != 0, 3, false);
		assert_int_equal(faults, 1);
	}
	/* up to the last byte it may be; not over it */
	for (int more = 0; more < 2; more++) {
		b.swap = false;
		make_file(all, 1, false, false);
		feature[HOSTNAME].size = b.n - feature[HOSTNAME].off + (size_t)more;
		store(&b, table.off + 16 + 8, feature[HOSTNAME].size, 8);
		assert_int_equal(read_file(b.n, 0), more ? 0 : 1);
	}
}

/* TRACING_DATA that lies outside: there is none, and perf would need it. */
static void
lost_formats(void **state)
{
	static const int numbers[] = { TRACING, HOSTNAME, 0 }, host[] = { HOSTNAME, 0 };

	(void)state;
	for (int form = 0; form < 4; form++) {
		b.swap = form & 1;
		make_file(numbers, form & 2 ? 2 : 1, false, false);
		store(&b, table.off, UINT64_MAX, 8);
		assert_int_equal(read_file(b.n, PP_OPEN_REPAIR), -1);
		are_seen(host, 0, 3, false);
		assert_int_equal(faults, form & 2 ? 2 : 1);
		assert_non_null(strstr(fault[0].what, "lies outside the file"));
		if (form & 2)
			assert_non_null(strstr(fault[1].what, "formats of tracepoints are lost"));
	}
}

/* The bitmap of features, as recorders of either byte order write it, with longs of 64 bits or 32. */
static void
bitmaps(void **state)
{
	static const int no_host[] = { BUILD_ID, NRCPUS, 0 }, cpus[] = { NRCPUS, 0 }, high[] = { HOSTNAME, UNKNOWN, 0 };

	(void)state;
	for (int form = 0; form < 4; form++) {
		b.swap = form & 1;
		make_file(all, 1, form & 2, false);
		assert_int_equal(read_file(b.n, 0), 1);
		are_seen(shown, 1, 3, false);
		/* one that perf record has not written */
		make_file(no_host, 1, form & 2, false);
		assert_int_equal(read_file(b.n, 0), 1);
		are_seen(cpus, 1, 3, false);
		make_file(high, 1, form & 2, false);
		assert_int_equal(read_file(b.n, 0), 1);
		are_seen(high, 0, 3, false);
	}
	/* of another byte order, with bits of which the file has no sections: perf takes it for BUILD_ID alone */
	b.swap = true;
	make_file(no_host, 1, false, false);
	store(&b, 72, UINT64_C(1) << BUILD_ID | UINT64_C(1) << NRCPUS | UINT64_C(1) << 9, 8);
	assert_int_equal(read_file(b.n, 0), 1);
	are_seen(none, 1, 3, false);
	make_file(no_host, 1, false, false);
	store(&b, table.off + 16, b.n + 1, 8);
	assert_int_equal(read_file(b.n, 0), 1);
	are_seen(none, 1, 3, false);
	make_file(no_host, 1, false, false);
	store(&b, table.off + 16 + 8, b.n - feature[NRCPUS].off + 1, 8);
	assert_int_equal(read_file(b.n, 0), 1);
	are_seen(none, 1, 3, false);
	store(&b, table.off + 16 + 8, b.n - feature[NRCPUS].off, 8);
	feature[NRCPUS].size = b.n - feature[NRCPUS].off;
	assert_int_equal(read_file(b.n, 0), 1);
	are_seen(cpus, 1, 3, false);
}

/* Sections of attrs and data that overlap, or lie outside. */
static void
wrong_header(void **state)
{
	static const struct { size_t at; int64_t by; bool opens, repairs; const char *why; } rows[] = {
		{ 16, 8, false, true, "ids: section" }, { 16, -1, false, false, "attr_size is 79" }, { 16, -8, false, false, "attr_size is 72" },
		{ 16, 4096, false, false, "attr_size is 4176" }, { 24, 1 << 20, false, false, "outside the file" },
		{ 40, 1 << 20, false, true, "lies outside the file" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t now;

		b.swap = false;
		make_file(all, 1, false, false);
		now = pp_get_u64(bytes_p(&b) + rows[i].at, BIG_HERE);
		store(&b, rows[i].at, now + (uint64_t)rows[i].by, 8);
		assert_int_equal(read_file(b.n, 0), 0);
		if (!strstr(err.what, rows[i].why))
			fail_msg("row %zu: %s", i, err.what);
		assert_int_equal(read_file(b.n, PP_OPEN_REPAIR), rows[i].repairs ? -1 : 0);
	}
	/* data from the last byte of the attrs on, and up to their first */
	for (int i = 0; i < 4; i++) {
		make_file(none, 1, false, false);
		store(&b, 40, i & 1 ? attrs.off + attrs.size - (i < 2) : attrs.off - 8 + (i < 2), 8);
		store(&b, 48, 8, 8);
		read_file(b.n, 0);
		assert_int_equal(strstr(err.what, "overlaps the data") != NULL, i < 2);
		if (i < 2)
			assert_int_equal(err.off, 24);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole), cmocka_unit_test(places), cmocka_unit_test(left_out), cmocka_unit_test(many_ids), cmocka_unit_test(names),
		cmocka_unit_test(cut_table), cmocka_unit_test(cut_data), cmocka_unit_test(wrong_sections), cmocka_unit_test(lost_formats),
		cmocka_unit_test(bitmaps), cmocka_unit_test(wrong_header),
	};

	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* A perf.data by hand: its header, with every bit of the bitmap, and sections that are cut, overlap or lie outside. */
#include "perf_data.h"

enum { DOMAIN = 35 };			/* its bit is HOSTNAME's in the other half of a u64 */

static uint64_t lost;

/* As read_file(); of the attrs: their sample types. */
static uint64_t types[2];

static int
read_all(size_t n, unsigned flags)
{
	struct pp_source *s = open_file(n, flags);
	struct pp_rec r;
	unsigned k = 0;

	if (!s)
		return 0;
	while (pp_next(s, &r) == 1) {
		note_record(s, &r);
		if (r.type == PP_HEADER_ATTR && k < 2)
			types[k++] = pp_get_u64(r.raw + 8 + 24, s->swap);
	}
	pp_faults(s, &lost);
	return pp_close(s);
}

/* Features of each part of the bitmap, as it is written in longs of 64 bits or 32. */
static void
high_features(void **state)
{
	static const int with_host[] = { HOSTNAME, NRCPUS, 61, 62, 63, 64, 65, 95, 96, 127, 128, 129, 191, 192, 254, 255, 0 };
	static const int *without = with_host + 1;

	(void)state;
	for (int form = 0; form < 8; form++) {
		const int *numbers = form & 4 ? with_host : without;

		if ((form & 6) == 2 && (form & 1) != BIG_HERE)
			continue;		/* a big-endian machine whose longs had 32 bits: nothing shows that */
		b.swap = form & 1;
		make_file(numbers, 1, form & 2, false);
		for (size_t i = 0; numbers[i]; i++)		/* bytes for each of those that make_file() does not know */
			if (numbers[i] > NRCPUS) {
				feature[numbers[i]] = (struct section){ attrs.off + 8 * i, 4 };
				store(&b, table.off + 16 * i, feature[numbers[i]].off, 8);
				store(&b, table.off + 16 * i + 8, 4, 8);
			}
		assert_int_equal(read_file(b.n, 0), 1);
		are_seen(numbers, 0, 3, false);
	}
	/* one section that is none, the last: of another byte order, perf takes the bitmap for BUILD_ID alone */
	for (int last = 0; last < 4; last++) {
		static const int numbers[][4] = { { BUILD_ID, NRCPUS, 63, 0 }, { BUILD_ID, NRCPUS, 64, 0 }, { BUILD_ID, NRCPUS, 192, 0 },
		    { BUILD_ID, NRCPUS, 255, 0 } }, cpus[] = { NRCPUS, 0 };

		b.swap = true;
		make_file(numbers[last], 1, false, false);
		store(&b, table.off + 32, b.n, 8);		/* it may end with the file */
		store(&b, table.off + 32 + 8, 0, 8);
		assert_int_equal(read_file(b.n, 0), 1);
		are_seen(cpus, 1, 3, false);
		assert_int_equal(faults, 0);
		store(&b, table.off + 32 + 8, 1, 8);
		assert_int_equal(read_file(b.n, 0), 1);
		are_seen(none, 1, 3, false);
		assert_int_equal(faults, 0);
	}
	/* a bit that would be HOSTNAME's if the longs had 32 bits */
	for (int form = 0; form < 2; form++) {
		static const int numbers[] = { HOSTNAME, DOMAIN, 40, 0 }, known[] = { HOSTNAME, 40, 0 };

		b.swap = form;
		make_file(numbers, 1, false, false);
		feature[40] = (struct section){ attrs.off, 4 };
		store(&b, table.off + 32, attrs.off, 8);
		store(&b, table.off + 32 + 8, 4, 8);
		assert_int_equal(read_file(b.n, 0), 1);
		are_seen(known, 0, 3, false);
	}
}

/* A header that is cut, or says that it is another one. */
static void
sizes(void **state)
{
	char why[100];

	(void)state;
	for (int form = 0; form < 2; form++) {
		b.swap = form;
		make_file(all, 1, false, false);
		for (size_t n = 16; n <= HEADER; n++) {
			assert_null(open_file(n, 0));
			snprintf(why, sizeof why, "file header: cut short, %zu of 104 bytes", n);
			assert_int_equal(strcmp(err.what, why) == 0, n < HEADER);
			if (n < HEADER)
				assert_int_equal(err.off, 0);
		}
		/* that of old perf has no bitmap */
		store(&b, 8, 72, 8);
		assert_int_equal(read_file(b.n, 0), 1);
		are_seen(none, 0, 3, false);
	}
}

/* A size of 0 is one that is not known yet. */
static void
unfinished(void **state)
{
	(void)state;
	for (int form = 0; form < 2; form++) {
		b.swap = form;
		make_file(none, 1, false, false);
		store(&b, 48, 0, 8);
		assert_null(open_file(b.n, 0));
		assert_string_equal(err.what, "data size is 0: the recorder was killed, or still writes the file (pcat --repair keeps complete records, "
		    "pcat --follow reads on)");
		assert_int_equal(err.off, 48);
		for (unsigned cut = 0; cut < 3; cut++) {
			assert_int_equal(read_all(b.n - data.size / 3 * cut, PP_OPEN_REPAIR), -1);
			are_seen(none, 0, 3 - cut, false);
			assert_int_equal(faults, 1);
			assert_string_equal(fault[0].what, "data size is 0: the recorder was killed, or still writes the file; all from data offset on is taken");
			assert_int_equal(fault[0].off, 48);
			assert_int_equal(lost, 0);
		}
	}
}

/* Data that begin behind the end: there are none. */
static void
outside(void **state)
{
	char why[100];

	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		b.swap = false;
		make_file(all, 1, false, false);
		store(&b, 40, b.n + more, 8);
		snprintf(why, sizeof why, "data section at %zu lies outside the file of %zu bytes", b.n + 1, b.n);
		assert_int_equal(read_all(b.n, 0), more ? 0 : -1);
		if (more) {
			assert_string_equal(err.what, why);
			assert_int_equal(err.off, 40);
			assert_int_equal(read_all(b.n, PP_OPEN_REPAIR), -1);
			are_seen(none, 0, 0, false);
			assert_int_equal(faults, 1);
			assert_string_equal(fault[0].what, why);
			assert_int_equal(lost, 0);
		} else
			assert_string_equal(err.what, "data section: cut short, 0 of 72 bytes");
	}
}

/* Attrs whose section lies outside, or has bytes of the data. */
static void
attrs_elsewhere(void **state)
{
	(void)state;
	b.swap = false;
	make_file(all, 1, false, false);
	store(&b, 24, b.n - attrs.size + 1, 8);
	for (unsigned flags = 0; flags <= PP_OPEN_REPAIR; flags += PP_OPEN_REPAIR) {
		assert_null(open_file(b.n, flags));
		assert_non_null(strstr(err.what, "attrs: section of 160 bytes lies outside the file of"));
		assert_int_equal(err.off, b.n - attrs.size + 1);
	}
	make_file(all, 1, false, false);
	store(&b, 40, attrs.off, 8);
	store(&b, 48, data.off + data.size - attrs.off, 8);		/* so that the table stays where it is */
	assert_null(open_file(b.n, 0));
	assert_string_equal(err.what, "attrs: section overlaps the data section");
	assert_int_equal(err.off, 24);
	read_all(b.n, PP_OPEN_REPAIR);
	assert_string_equal(fault[0].what, "attrs: section overlaps the data section");
	assert_int_equal(fault[0].off, 24);
	assert_true(nseen >= 4);
	assert_int_equal(seen[0].number, 2);
	assert_int_equal(seen[1].number, 1);
	assert_int_equal(seen[2].type, PP_HEADER_FEATURE);
	assert_int_equal(seen[3].type, PP_HEADER_FEATURE);
}

/* Data that are cut: what is lost is counted once, and the features with it, whatever the bitmap says. */
static void
cut(void **state)
{
	static const int numbers[] = { STAT, BUILD_ID, HOSTNAME, 0 };
	char why[200];

	(void)state;
	for (int form = 0; form < 2; form++) {
		b.swap = form;
		make_file(numbers, 1, false, false);
		for (size_t k = 0; k < 2; k++)
			store(&b, attrs.off + ENTRY * k + 24, PP_SAMPLE_IDENTIFIER, 8);
		for (size_t i = 0; i < 3; i++) {		/* the samples fit that */
			size_t at = data.off + 16 * i;

			store(&b, at, PP_SAMPLE, 4);
			store(&b, at + 4, 2, 2);
			store(&b, at + 6, 16, 2);
			store(&b, at + 8, id_of[i], 8);
			data_at[i] = at;
		}
		data.size = 48;
		store(&b, 48, data.size, 8);
		for (size_t n = data.off; n < data.off + data.size; n++) {
			unsigned have = (unsigned)(n - data.off) / 16, part = (unsigned)(n - data.off) % 16;

			assert_int_equal(read_all(n, PP_OPEN_REPAIR), -1);
			are_seen(none, 0, have, false);
			assert_int_equal(types[0], PP_SAMPLE_IDENTIFIER);
			assert_int_equal(types[1], PP_SAMPLE_IDENTIFIER);
			snprintf(why, sizeof why, "data section: cut short, %zu of 48 bytes; the header features are lost with its end; %zu byte%s left out",
			    n - data.off, data.off + 48 - n, n == data.off + 47 ? "" : "s");
			assert_string_equal(fault[0].what, why);
			assert_int_equal(fault[0].off, data.off);
			assert_int_equal(faults, part ? 2 : 1);
			assert_int_equal(lost, 48 - 16 * have);
		}
	}
}

/* What the table says of perf stat counts only if the table is there. */
static void
lost_stat(void **state)
{
	static const int numbers[] = { HOSTNAME, STAT, 0 }, host[] = { HOSTNAME, 0 };

	(void)state;
	for (int form = 0; form < 6; form++) {
		b.swap = form & 1;
		make_file(numbers, 1, false, false);
		for (size_t k = 0; k < 2; k++)
			store(&b, attrs.off + ENTRY * k + 24, PP_SAMPLE_IDENTIFIER, 8);
		if (form / 2 == 1)
			store(&b, table.off + 16, b.n + 1, 8);
		read_all(form / 2 == 2 ? table.off + 31 : b.n, PP_OPEN_REPAIR);
		assert_int_equal(types[0], form < 2 ? 0 : PP_SAMPLE_IDENTIFIER);
		assert_int_equal(types[1], form < 2 ? 0 : PP_SAMPLE_IDENTIFIER);
		assert_int_equal(seen[2].type, PP_HEADER_FEATURE);
		assert_int_equal(seen[2].number, host[0]);
		if (form < 2)
			continue;
		assert_non_null(strstr(fault[0].what, form / 2 == 1 ? "lies outside the file" : "cut short"));
	}
	/* nothing is lost with a section that is none */
	make_file(all, 1, false, false);
	store(&b, table.off + 16, b.n + 1, 8);
	assert_int_equal(read_all(b.n, PP_OPEN_REPAIR), -1);
	assert_int_equal(faults, 1);
	assert_int_equal(lost, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(high_features), cmocka_unit_test(sizes), cmocka_unit_test(unfinished), cmocka_unit_test(outside),
		cmocka_unit_test(attrs_elsewhere), cmocka_unit_test(cut), cmocka_unit_test(lost_stat),
	};

	return cmocka_run_group_tests_name("file_header", tests, NULL, NULL);
}

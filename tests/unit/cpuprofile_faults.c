/* SPDX-License-Identifier: ISC */
/* CPU profiles of gperftools that are cut or malformed, and where their parts lie in the memory that they are read into. */
#include "cpuprofile.h"

/* Two sound records, as they come out of a profile whose maps were not reached. */
static void
is_begun(struct pp_source *s)
{
	is_head(s, 1000);
	is_sample(s, 5000, 5000, 3);
	is_sample(s, 6000, 1000, 1);
}

/* The source fails so, whatever is asked for next. */
static void
fails(struct pp_source *s, const char *what, uint64_t off)
{
	struct pp_rec r;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(pp_next(s, &r), -1);
		assert_string_equal(err.what, what);
		assert_int_equal(err.off, off);
	}
	assert_int_equal(pp_close(s), -1);
}

/* What is wrong behind two sound records: these come first. */
static void
wrong_records(void **state)
{
	static const struct { unsigned n, bytes; uint64_t slots[6]; const char *what; unsigned slots_cut; } rows[] = {
		{ 0, 0, { 0 }, "CPU profile: cut short, no trailer", 0 },
		{ 0, 1, { 0 }, "CPU profile record: cut short, %u bytes", 0 },
		{ 1, 0, { 1 }, "CPU profile record: cut short, %u bytes", 1 },
		{ 2, 0, { 1, 1 }, "CPU profile record: cut short, %u bytes", 2 },
		{ 2, 3, { 0, 1 }, "CPU profile record: cut short, %u bytes", 2 },
		{ 3, 0, { 1, 2, 0x1000 }, "CPU profile record: cut short, 1 of 2 addresses", 0 },
		{ 3, 3, { 1, 2, 0x1000 }, "CPU profile record: cut short, 1 of 2 addresses", 0 },
		{ 4, 0, { 1, 3, 0x1000, 0x1000 }, "CPU profile record: cut short, 2 of 3 addresses", 0 },
		{ 3, 0, { 1, UINT32_MAX, 0x1000 }, "CPU profile record: cut short, 1 of 4294967295 addresses", 0 },
		{ 3, 0, { 0, 0, 0 }, "CPU profile record: a count of 0", 0 }, { 3, 0, { 0, 1, 1 }, "CPU profile record: a count of 0", 0 },
		{ 4, 0, { 0, 2, 0, 0 }, "CPU profile record: a count of 0", 0 }, { 4, 0, { 0, 2, 1, 0 }, "CPU profile record: a count of 0", 0 },
		{ 3, 0, { 1, 0, 0 }, "CPU profile record: no addresses", 0 }, { 3, 0, { 1, 0, 1 }, "CPU profile record: no addresses", 0 },
	};

	(void)state;
	for (size_t i = 0; i < 8 * sizeof rows / sizeof *rows; i++) {
		size_t k = i / 8, at;
		struct pp_source *s;
		char what[100];

		b.swap = i & 1;
		width = i & 2 ? 8 : 4;
		begin(1);
		ticks(5, 3);
		ticks(1, 1);
		at = nprofile;
		for (unsigned j = 0; j < rows[k].n; j++)
			slot(rows[k].slots[j]);
		for (unsigned j = 0; j < rows[k].bytes; j++)
			text("\1");
		if (strchr(rows[k].what, '%'))
			snprintf(what, sizeof what, "CPU profile record: cut short, %u bytes", rows[k].slots_cut * width + rows[k].bytes);
		else
			snprintf(what, sizeof what, "%s", rows[k].what);
		assert_non_null(s = open_profile(i & 4 ? PP_OPEN_REPAIR : 0));
		assert_null(pp_warning(s));
		is_begun(s);
		fails(s, what, at);
	}
}

/* An address may be 0, and so may all that is not the trailer. */
static void
zero_addresses(void **state)
{
	(void)state;
	b.swap = false;
	for (width = 4; width <= 8; width += 4) {
		struct pp_source *s;
		struct pp_rec r;

		begin(1);
		for (unsigned depth = 1; depth <= 2; depth++) {
			slot(1);
			slot(depth);
			for (unsigned i = 0; i < depth; i++)
				slot(0);
		}
		trailer();
		text(MAP "/bin/prog\n");
		assert_non_null(s = open_profile(0));
		is_head(s, 1000);
		is_comm(s, "prog");
		next(s, PP_MMAP2);
		for (unsigned depth = 1; depth <= 2; depth++) {
			r = next(s, PP_SAMPLE);
			assert_int_equal(r.size, SAMPLE_HEAD + 8 * depth);
			assert_int_equal(u64(&r, 8), 0);
		}
		ends(s);
	}
}

/* Maps that are missing, or cut in a line: all else comes first. */
static void
wrong_maps(void **state)
{
	static const char none[] = "CPU profile maps: none after the trailer: cut short, or never written";
	static const char cut[] = "CPU profile maps: cut short in a line";
	static const struct { const char *text, *what; unsigned off, maps; } rows[] = {
		{ "", none, 0, 0 }, { "no map\n", none, 0, 0 }, { "1000-2000 r--p 00000000 00:00 0 /x\n", none, 0, 0 }, { "\n\n", none, 0, 0 },
		{ "x", cut, 0, 0 }, { "1000-2000: /x", cut, 0, 0 }, { "1000-2000: /x\n1", cut, 14, 1 },
		{ "1000-2000: /x\n\n1000-2000: /x\n1000-2000: ", cut, 29, 2 }, { "1000-2000: /x\n", NULL, 0, 1 },
	};

	(void)state;
	b.swap = false;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		struct pp_source *s;
		size_t at;

		width = i & 1 ? 8 : 4;
		begin(1);
		ticks(1, 1);
		trailer();
		at = nprofile;
		text(rows[i / 2].text);
		assert_non_null(s = open_profile(0));
		is_head(s, 1000);
		if (rows[i / 2].maps)
			is_comm(s, "x");
		for (unsigned k = 0; k < rows[i / 2].maps; k++)
			is_map(s, 0x1000, 0x1000, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE, "/x");
		is_sample(s, 1000, 1000, 1);
		if (rows[i / 2].what)
			fails(s, rows[i / 2].what, at + rows[i / 2].off);
		else
			ends(s);
	}
}

/* Where 64 KiB of the profile end, which are in memory at a time: inside a record, or the trailer. */
static void
borders(void **state)
{
	enum { WINDOW = 64 << 10, HEADER = 5 };

	(void)state;
	b.swap = false;
	for (width = 4; width <= 8; width += 4)
		for (unsigned back = 0; back < 2 * HEADER; back++)
			for (unsigned depth = 0; depth < 3; depth++) {
				struct pp_source *s;

				begin(1);
				/* the second pass begins behind the header, and so do its 64 KiB */
				ticks(1, WINDOW / width + HEADER - back - nprofile / width - 2);
				assert_int_equal(nprofile, WINDOW + width * HEADER - width * back);
				if (depth)
					ticks(1, depth);
				trailer();
				text(MAP "/bin/prog\n");
				assert_non_null(s = open_profile(0));
				is_head(s, 1000);
				is_comm(s, "prog");
				next(s, PP_MMAP2);
				is_sample(s, 1000, 1000, CHAIN_MOST);
				if (depth)
					is_sample(s, 2000, 1000, depth);
				ends(s);
			}
}

/* How many chains are cut: the last one, too. */
static void
cut_chains(void **state)
{
	(void)state;
	b.swap = false;
	width = 4;
	for (unsigned depth = CHAIN_MOST; depth <= CHAIN_MOST + 1; depth++) {
		struct pp_source *s;

		begin(1);
		ticks(1, depth);
		trailer();
		text(MAP "/bin/prog\n");
		assert_non_null(s = open_profile(0));
		if (depth > CHAIN_MOST)
			assert_string_equal(pp_warning(s), "1 of 1 callchains have more than 8000 addresses and are cut");
		else
			assert_null(pp_warning(s));
		pp_close(s);
	}
}

/* A file that is shorter when its samples are read. */
static void
becomes_shorter(void **state)
{
	(void)state;
	b.swap = false;
	width = 8;
	for (int cut = 0; cut < 3; cut++) {		/* in the second chain; behind the head of the first record; in that */
		static const unsigned left[] = { 56 + 8 * CHAIN_MOST + 100, 64, 63 };
		static const uint64_t off[] = { 56 + 8 * CHAIN_MOST + 16, 56, 40 };
		struct pp_source *s;

		begin(1);
		ticks(1, CHAIN_MOST);
		ticks(1, CHAIN_MOST);
		ticks(1, CHAIN_MOST);
		trailer();
		text(MAP "/bin/prog\n");
		assert_non_null(s = open_profile(0));
		assert_int_equal(ftruncate(input, left[cut]), 0);
		is_head(s, 1000);
		is_comm(s, "prog");
		next(s, PP_MMAP2);
		if (!cut)
			is_sample(s, 1000, 1000, CHAIN_MOST);
		fails(s, "read: the file became shorter", off[cut]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_records), cmocka_unit_test(zero_addresses), cmocka_unit_test(wrong_maps), cmocka_unit_test(borders),
		cmocka_unit_test(cut_chains), cmocka_unit_test(becomes_shorter),
	};

	return cmocka_run_group_tests_name("cpuprofile_faults", tests, NULL, NULL);
}

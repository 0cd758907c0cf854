/* SPDX-License-Identifier: ISC */
/* CPU profiles of gperftools: the records that are made of them, one after the other. */
#include "cpuprofile.h"

static void
records(void **state)
{
	(void)state;
	for (int form = 0; form < 4; form++) {
		struct pp_source *s;
		uint64_t total;

		b.swap = form & 1;
		width = form & 2 ? 8 : 4;
		begin(10000);
		ticks(5, 3);
		ticks(1, 1);
		trailer();
		text(MAP "/bin/prog\n");
		assert_non_null(s = open_profile(0));
		assert_true(pp_is_profile(s));
		assert_true(pp_at_hand(s));
		assert_null(pp_warning(s));
		is_head(s, 10000000);
		is_comm(s, "prog");
		is_map(s, 0x8048000, 0x2000, 0x1000, 8, 2, 131, PROT_READ | PROT_EXEC, MAP_PRIVATE, "/bin/prog");
		is_sample(s, 50000000, 50000000, 3);
		is_sample(s, 60000000, 10000000, 1);
		pp_progress(s, &total);
		assert_int_equal(total, nprofile);
		ends(s);
		/* each tick a sample */
		assert_non_null(s = open_profile(PP_OPEN_EXPAND_COUNTS));
		is_head(s, 10000000);
		is_comm(s, "prog");
		next(s, PP_MMAP2);
		for (unsigned i = 1; i <= 5; i++)
			is_sample(s, 10000000 * i, 10000000, 3);
		is_sample(s, 60000000, 10000000, 1);
		ends(s);
	}
}

static void
command_names(void **state)
{
	static const struct { const char *path, *comm; } rows[] = {
		{ "/usr/bin/prog", "prog" }, { "/usr/bin/prog (deleted)", "prog" }, { "prog", "prog" }, { "/usr/bin/", "/usr/bin/" }, { "/x", "x" },
		{ "/bin/fourteen-bytes", "fourteen-bytes" }, { "/bin/fifteen--bytes!", "fifteen--bytes!" }, { "/bin/sixteen---bytes!", "sixteen---bytes" },
		{ "/bin/sixteen---bytes! (deleted)", "sixteen---bytes" }, { "/bin/fifteen--bytes (deleted)", "fifteen--bytes" },
		{ "/bin/ (deleted)", " (deleted)" }, { "/bin/x (deleted)", "x" }, { "/bin/x (deletet)", "x (deletet)" },
	};

	(void)state;
	b.swap = false;
	width = 8;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pp_source *s;

		begin(10000);
		ticks(1, 1);
		trailer();
		text("ffff0000-ffff1000 r-xp 00000000 00:00 0 [vdso]\n" "1000-2000 r-xp 00000000 00:00 0\n" MAP);
		text(rows[i].path);
		text("\n" "20000000-20001000 r-xs 00000000 00:00 0 /lib/other.so\n");
		assert_non_null(s = open_profile(0));
		is_head(s, 10000000);
		is_map(s, 0xffff0000, 0x1000, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE, "[vdso]");
		is_map(s, 0x1000, 0x1000, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE, "//anon");
		is_comm(s, rows[i].comm);
		is_map(s, 0x8048000, 0x2000, 0x1000, 8, 2, 131, PROT_READ | PROT_EXEC, MAP_PRIVATE, rows[i].path);
		is_map(s, 0x20000000, 0x1000, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_SHARED, "/lib/other.so");
		is_sample(s, 10000000, 10000000, 1);
		ends(s);
	}
}

/* Lines that are executable maps, by what show_map_vma() of the kernel writes; others are passed over. */
static void
map_lines(void **state)
{
	static const struct { const char *line, *name; uint64_t start, len, pgoff; unsigned maj, min; uint64_t ino; unsigned prot, flags; } rows[] = {
		{ "fffffffffffff000-ffffffffffffffff rwxs ffffffffffffffff ff:abcdef 18446744073709551615 /a b", "/a b", 0xfffffffffffff000, 0xfff,
		    UINT64_MAX, 0xff, 0xabcdef, UINT64_MAX, 7, MAP_SHARED },
		{ "1000-2000:/old/form", "/old/form", 0x1000, 0x1000, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE },
		{ "1000-2000 --xp 00000000 00:00 0 /x", "/x", 0x1000, 0x1000, 0, 0, 0, 0, PROT_EXEC, MAP_PRIVATE },
		{ "1000-2000: /old/form", "/old/form", 0x1000, 0x1000, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE },
		{ "1000-2000:    /old/form", "/old/form", 0x1000, 0x1000, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE },
		{ "1000-1001 r-xp 00000000 00:00 0     /x", "/x", 0x1000, 1, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE },
		{ "1000-2000 r-xp 00000000 00:00 0 $build/x", "/the/build/x", 0x1000, 0x1000, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE },
		{ "1000-2000 r-xp 00000000 00:00 0 /y/$build", "/y//the/build", 0x1000, 0x1000, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE },
		{ "1000-2000 r-xp 00000000 00:00 0 $builds/x", "$builds/x", 0x1000, 0x1000, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE },
		{ "1000-2000 r-xp 00000000 00:00 0 $build_/x", "$build_/x", 0x1000, 0x1000, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE },
		{ "1000-2000 r--p 00000000 00:00 0 /x", NULL, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ "1000-1000 r-xp 00000000 00:00 0 /x", NULL, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ "2000-1000 r-xp 00000000 00:00 0 /x", NULL, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ "1000-2000 r-x 00000000 00:00 0 /x", NULL, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ " 1000-2000 r-xp 00000000 00:00 0 /x", NULL, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ "1000-2000 r-xp 00000000 00:00", NULL, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ "-2000 r-xp 00000000 00:00 0 /x", NULL, 0, 0, 0, 0, 0, 0, 0, 0 }, { "", NULL, 0, 0, 0, 0, 0, 0, 0, 0 },
	};
	struct pp_source *s;

	(void)state;
	b.swap = false;
	width = 8;
	begin(1);
	ticks(1, 1);
	trailer();
	text(MAP "/bin/prog\n  build=/the/build\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		text(rows[i].line);
		text("\n");
	}
	assert_non_null(s = open_profile(0));
	is_head(s, 1000);
	is_comm(s, "prog");
	next(s, PP_MMAP2);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].name)
			is_map(s, rows[i].start, rows[i].len, rows[i].pgoff, rows[i].maj, rows[i].min, rows[i].ino, rows[i].prot, rows[i].flags,
			    rows[i].name);
	is_sample(s, 1000, 1000, 1);
	ends(s);
}

/* The longest name and line; what is longer has no name, or is no map. */
static void
long_lines(void **state)
{
	static const struct { unsigned name, spaces; bool named, map; } rows[] = {
		{ 4095, 0, true, true }, { 4096, 0, false, true }, { 4000, 8191 - 4000, true, true }, { 4000, 8192 - 4000, false, false },
		{ 9, 70000, false, false },
	};

	(void)state;
	b.swap = false;
	width = 8;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		static const char head[] = "1000-2000 r-xp 00000000 00:00 0";
		struct pp_source *s;
		char name[4100];

		begin(1);
		ticks(1, 1);
		trailer();
		text(MAP "/bin/prog\n");
		text(head);
		for (size_t k = rows[i].spaces ? sizeof head - 1 : 0; k <= rows[i].spaces; k++)
			if (!rows[i].spaces || k < rows[i].spaces)
				text(" ");
		memset(name, 'x', sizeof name);
		name[rows[i].name] = 0;
		text(name);
		text("\n3000-4000 r-xp 00000000 00:00 0 /last\n");
		assert_non_null(s = open_profile(0));
		is_head(s, 1000);
		is_comm(s, "prog");
		next(s, PP_MMAP2);
		if (rows[i].map)
			is_map(s, 0x1000, 0x1000, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE, rows[i].named ? name : "//anon");
		is_map(s, 0x3000, 0x1000, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE, "/last");
		is_sample(s, 1000, 1000, 1);
		ends(s);
	}
}

/* $build stands for a path up to a length; with one that is longer, for the last that was not. */
static void
long_builds(void **state)
{
	(void)state;
	b.swap = false;
	width = 8;
	for (unsigned len = 4095; len <= 4096; len++) {
		struct pp_source *s;
		char path[4097];

		memset(path, 'b', sizeof path);
		path[len] = 0;
		begin(1);
		ticks(1, 1);
		trailer();
		text("build=/short\n" "build=");
		text(path);
		text("\n" "1000-2000: $build\n");
		assert_non_null(s = open_profile(0));
		is_head(s, 1000);
		next(s, PP_COMM);
		is_map(s, 0x1000, 0x1000, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE, len == 4095 ? path : "/short");
		is_sample(s, 1000, 1000, 1);
		ends(s);
	}
}

/* Chains are as long as a record can be; a round ends after so many samples. */
static void
chains_and_rounds(void **state)
{
	struct pp_source *s;
	uint64_t total;

	(void)state;
	b.swap = false;
	for (int narrow = 0; narrow < 2; narrow++) {
		width = narrow ? 4 : 8;
		begin(1);
		ticks(1, CHAIN_MOST);
		ticks(1, CHAIN_MOST + 1);
		ticks(1, 3 * CHAIN_MOST);
		ticks(2 * ROUND - 3, 1);
		trailer();
		text(MAP "/bin/prog\n");
		assert_non_null(s = open_profile(PP_OPEN_EXPAND_COUNTS));
		assert_string_equal(pp_warning(s), "2 of 4 callchains have more than 8000 addresses and are cut");
		is_head(s, 1000);
		is_comm(s, "prog");
		next(s, PP_MMAP2);
		for (unsigned i = 1; i <= 2 * ROUND; i++) {
			is_sample(s, 1000 * i, 1000, i <= 3 ? CHAIN_MOST : 1);
			if (i % ROUND == 0) {
				struct pp_rec r = next(s, PP_FINISHED_ROUND);

				assert_int_equal(r.size, 8);
				assert_int_equal(r.misc, 0);
			}
		}
		assert_in_range(pp_progress(s, &total), nprofile / 2, 2 * nprofile);
		ends(s);
	}
}

/* Periods and times as large as they can be. */
static void
large_numbers(void **state)
{
	const uint64_t most = UINT64_MAX / 1000;
	struct pp_source *s;
	struct pp_rec r;

	(void)state;
	b.swap = false;
	width = 8;
	begin(1);
	ticks(most, 1);
	ticks(1, 1);
	ticks(1, 1);
	trailer();
	text(MAP "/bin/prog\n");
	assert_non_null(s = open_profile(0));
	is_head(s, 1000);
	is_comm(s, "prog");
	next(s, PP_MMAP2);
	is_sample(s, 1000 * most, 1000 * most, 1);
	is_sample(s, 1000 * most, 1000, 1);	/* a time behind it would be none */
	is_sample(s, 1000 * most, 1000, 1);
	ends(s);
	/* 1 more is no time, and there are no such counts */
	begin(1);
	ticks(most + 1, 1);
	trailer();
	text(MAP "/bin/prog\n");
	assert_non_null(s = open_profile(0));
	while (pp_next(s, &r) == 1)
		assert_int_not_equal(r.type, PP_SAMPLE);
	assert_non_null(strstr(err.what, "is no time"));
	assert_int_equal(err.off, 40);
	assert_int_equal(pp_close(s), -1);
	for (int more = 0; more < 2; more++) {
		begin(1);
		ticks(UINT32_MAX + (uint64_t)more, 1);
		trailer();
		text(MAP "/bin/prog\n");
		assert_non_null(s = open_profile(PP_OPEN_EXPAND_COUNTS));
		is_head(s, 1000);
		if (more)
			assert_int_equal(pp_next(s, &r), -1);
		else {
			is_comm(s, "prog");
			next(s, PP_MMAP2);
			is_sample(s, 1000, 1000, 1);
		}
		assert_int_equal(strstr(err.what, "samples are made of one") != NULL, more);
		pp_close(s);
	}
	begin(UINT32_MAX);
	ticks(1, 1);
	trailer();
	text(MAP "/bin/prog\n");
	assert_non_null(s = open_profile(0));
	is_head(s, UINT64_C(4294967295000));
	pp_close(s);
	begin(0);
	ticks(3, 1);
	trailer();
	text(MAP "/bin/prog\n");
	assert_non_null(s = open_profile(0));
	assert_string_equal(pp_warning(s), "a sampling period of 0 us in the header is taken for 1 us");
	is_head(s, 1000);
	pp_close(s);
	begin(UINT64_C(1) << 32);
	assert_null(open_profile(0));
	assert_int_equal(err.off, 24);
	begin(1);
	profile[16] = 1;
	assert_null(open_profile(0));
	assert_string_equal(err.what, "CPU profile header: version 1 is not known");
	assert_int_equal(err.off, 16);
}

/* How long a header is said to be: from 3 slots on, up to a limit. */
static void
headers(void **state)
{
	static const struct { unsigned slots; bool is; } rows[] = { { 2, false }, { 3, true }, { 4, true }, { 1024, true }, { 1025, false } };

	(void)state;
	for (size_t i = 0; i < 4 * sizeof rows / sizeof *rows; i++) {
		unsigned slots = rows[i / 4].slots;
		struct pp_source *s;
		char why[100];

		b.swap = i & 1;
		width = i & 2 ? 8 : 4;
		nprofile = 0;
		slot(0);
		slot(slots);
		slot(0);
		slot(7);
		for (unsigned k = 2; k < slots; k++)
			slot(k == 2 ? 0 : 99);
		ticks(1, 1);
		trailer();
		text(MAP "/bin/prog\n");
		s = open_profile(0);
		assert_int_equal(s != NULL, rows[i / 4].is);
		if (!s) {
			assert_string_equal(err.what, "not a perf recording");
			continue;
		}
		is_head(s, 7000);
		is_comm(s, "prog");
		next(s, PP_MMAP2);
		is_sample(s, 7000, 7000, 1);
		ends(s);
		/* cut in its header, or in front of the trailer */
		nprofile = (2 + slots) * width - 1;
		assert_null(open_profile(0));
		snprintf(why, sizeof why, "CPU profile header: cut short, %zu of %zu bytes", nprofile, nprofile + 1);
		assert_string_equal(err.what, why);
		assert_int_equal(err.off, 0);
		nprofile++;
		assert_non_null(s = open_profile(0));
		is_head(s, 7000);
		assert_int_equal(pp_close(s), 1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records), cmocka_unit_test(command_names), cmocka_unit_test(map_lines), cmocka_unit_test(long_lines), cmocka_unit_test(long_builds),
		cmocka_unit_test(chains_and_rounds), cmocka_unit_test(large_numbers), cmocka_unit_test(headers),
	};

	return cmocka_run_group_tests_name("cpuprofile", tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* PP_OPEN_REPAIR: which records behind damage are believed to be some, by their times, tasks and CPUs, and by what follows them. */
#include "repair.h"

/* Where damage ends: at the first record with possible values. */
static void
possible_values(void **state)
{
	static const struct { bool sample, comm; struct values v; } rows[] = {
		{ true, true, { PID_MOST, 1, 0, T } }, { false, false, { PID_MOST + 1, 1, 0, T } }, { true, true, { ANY, 1, 0, T } },
		{ true, true, { 1, PID_MOST, 0, T } }, { false, false, { 1, PID_MOST + 1, 0, T } }, { true, true, { 1, ANY, 0, T } },
		{ true, true, { 1, 1, CPU_MOST, T } }, { false, false, { 1, 1, CPU_MOST + 1, T } }, { true, true, { 1, 1, ANY, T } },
		{ false, false, { ANY - 1, 1, 0, T } }, { false, false, { 1, ANY - 1, 0, T } }, { false, false, { 1, 1, ANY - 1, T } },
		/* the last time is T + 2 */
		{ true, true, { 1, 1, 0, T + 2 + DAY - 1 } }, { false, false, { 1, 1, 0, T + 2 + DAY } },
		{ true, true, { 1, 1, 0, T + 2 - DAY + 1 } }, { false, false, { 1, 1, 0, T + 2 - DAY } },
		{ false, true, { 1, 1, 0, 0 } }, { false, true, { 1, 1, 0, UINT64_MAX } }, { false, false, { 1, 1, 0, 1 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		keeps("SSSDX", rows[i].sample ? "kkk-k" : "kkk--", true, &rows[i].v);
		keeps("SSSDC", rows[i].comm ? "kkk-k" : "kkk--", true, &rows[i].v);
		if (rows[i].v.time && rows[i].v.time < T)
			continue;			/* what follows would be too far from it */
		keeps("SSSDXSS", rows[i].sample ? "kkk-kkk" : "kkk--kk", true, &rows[i].v);
		keeps("SSSDCSS", rows[i].comm ? "kkk-kkk" : "kkk--kk", true, &rows[i].v);
	}
}

/* Two records that are sure suffice, whatever follows; a time shows it that is close to the last. */
static void
sure_ones(void **state)
{
	static const struct { bool sure; uint64_t time; } rows[] = {
		{ true, T + 2 + CLOSE - 1 }, { false, T + 2 + CLOSE }, { true, T + 2 - CLOSE + 1 }, { false, T + 2 - CLOSE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct values v = { 1, 1, 0, rows[i].time };

		keeps("SSSDXXDSS", rows[i].sure ? "kkk-kk-kk" : "kkk---" "-kk", true, &v);
		keeps("SSSDCCDSS", rows[i].sure ? "kkk-kk-kk" : "kkk---" "-kk", true, &v);
		keeps("SSSDXDSS", "kkk---kk", true, &v);
	}
}

/* How many records make a chain, if few of them are sure. */
static void
chains(void **state)
{
	static const struct { bool inner; const char *letters, *kept; } rows[] = {
		/* up to the end of the input */
		{ true, "SSSDr", "kkk-k" }, { true, "SSSDmr", "kkk-kk" }, { true, "SSSDy", "kkk--" }, { true, "SSSDuSS", "kkk--kk" },
		{ true, "SSSDm", "kkk-k" }, { true, "SSSDS", "kkk-k" }, { false, "SSSDm5", "kkk---" }, { false, "SSSDS5", "kkk---" },
		{ false, "SSSDSS5", "kkk-kk-" }, { false, "SSSDmh", "kkk---" }, { false, "SSSDSh", "kkk---" }, { false, "SSSDSSh", "kkk-kk-" },
		/* up to more damage: the last that counts is the last that is sure */
		{ true, "SSSDmSDSS", "kkk----kk" }, { true, "SSSDmmSDSS", "kkk-----kk" }, { true, "SSSDmmmSDSS", "kkk-kkkk-kk" },
		{ true, "SSSDSmmmDSS", "kkk------kk" }, { true, "SSSDmmSmDSS", "kkk------kk" }, { true, "SSSDmmmmDSS", "kkk------kk" },
		{ true, "SSSDSmSDSS", "kkk-kkk-kk" }, { true, "SSSDmmSSDSS", "kkk-kkkk-kk" },
		/* before a time is known, four that may be some are enough */
		{ true, "rDmmmDSS", "k-----kk" }, { true, "rDmmmmDSS", "k-kkkk-kk" }, { true, "rDSSSDSS", "k-----kk" },
		{ true, "rDSSSSDSS", "k-kkkk-kk" },
		/* so many that are none need not be looked at further */
		{ true, "SSSDmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmDSS", "kkk---------------------------------kk" },
		{ true, "SSSDmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmDSS", "kkk-kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk-kk" },
		{ true, "SSSDmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmDSS", "kkk-kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk-kk" },
		/* perf's own: what is behind the known fields is zeros, if it is a record */
		{ true, "SSSDrSS", "kkk-kkk" }, { true, "SSSDRSS", "kkk-kkk" }, { true, "SSSDzSS", "kkk-kkk" }, { true, "SSSDySS", "kkk--kk" },
		{ true, "SSSDYSS", "kkk--kk" },
		{ true, "SSSDiSS", "kkk-kkk" }, { true, "SSSDISS", "kkk--kk" },
		/* a payload is stepped over */
		{ false, "SSSDam", "kkk-kk" }, { false, "SSSDamDSS", "kkk----kk" }, { false, "SSSDaSSDSS", "kkk-kkk-kk" }, { false, "SSSDA", "kkk--" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		keeps(rows[i].letters, rows[i].kept, rows[i].inner, NULL);
}

/* A payload that is not all there: the record is left out with what there is of it. */
static void
payloads(void **state)
{
	(void)state;
	for (int form = 0; form < 2; form++) {
		b.swap = form;
		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		put_records("SSSa", NULL);
		read_stream(&b);
		assert_string_equal(got, "kkkk");
		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		put_records("SSSA", NULL);
		read_stream(&b);
		assert_string_equal(got, "kkk-");
		assert_non_null(strstr(fault, "AUXTRACE: 24 bytes behind it, 23 are there; 71 bytes left out"));
		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		put_records("rrr1SS", NULL);
		read_stream(&b);
		assert_string_equal(got, "kkk-kk");
		assert_non_null(strstr(fault, "; 1 byte left out"));
	}
}

/* Which time is the last: one that is far from it counts when another one is near to that. */
static void
last_time(void **state)
{
	static const uint64_t far = 3 * DAY;
	static const struct { uint64_t times[4]; bool sure[2]; } rows[] = {	/* sure: is a time as the first, as the last? */
		{ { T }, { false, false } }, { { T, T + CLOSE }, { false, true } }, { { T, T + DAY - 1 }, { false, true } },
		{ { T, T + DAY }, { false, false } }, { { T, T - DAY + 1 }, { false, true } }, { { T, T - DAY }, { false, false } },
		{ { T, T, T + far }, { true, false } }, { { T, T, T + far, T + far + DAY - 1 }, { false, true } },
		{ { T, T, T + far, T + far + DAY }, { true, false } }, { { T, T, T + far, T + 1 }, { true, true } },
		{ { T, T + far, T + far }, { false, true } }, { { T, T + far, T }, { false, false } }, { { 5, 6 }, { true, true } },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		const uint64_t *times = rows[i / 2].times;
		struct values v = { 1, 1, 0, 0 };

		b.swap = false;
		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		for (unsigned k = 0; k < 4 && times[k]; k++) {
			v.time = times[k];
			put_records("C", &v);
		}
		v.time = i % 2 ? v.time : times[0];
		put_records("DXXD", &v);
		put_records("mmmm", NULL);
		read_stream(&b);
		if ((got[nat - 7] == 'k') != rows[i / 2].sure[i % 2])
			fail_msg("row %zu: kept %s", i, got);
	}
}

/*
 * Of two chains, one of which begins amid the other's records, the longer is taken, if the other breaks off:
 *
 *	one	SAMPLE | TEXT_POKE [ ... inner SAMPLEs, head of a ........ ] bytes
 *	other	                         inner SAMPLEs | TEXT_POKE [ ................. ] | SAMPLEs to the end
 */
static void
amid_others(void **state)
{
	static const struct { unsigned inner, behind; const char *kept; } rows[] = {
		{ 0, 0, "kkk-kk-" }, { 1, 0, "kkk-kk--" }, { 0, 1, "kkk-kk-k" }, { 1, 1, "kkk---kkk" }, { 2, 0, "kkk---kkk" }, { 0, 2, "kkk---kkk" },
	};
	const struct values v = { 1, 1, 0, T };

	(void)state;
	b.swap = false;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t one, other;

		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		put_records("SSSDS", NULL);
		one = begin_poke();
		for (unsigned k = 0; k < rows[i].inner; k++)
			put_records("X", &v);
		other = begin_poke();
		put_values(&v);
		end_poke(one);
		put(&b, UINT64_MAX, 8);
		put_values(&v);
		end_poke(other);
		for (unsigned k = 0; k < rows[i].behind; k++)
			put_records("X", &v);
		read_stream(&b);
		assert_string_equal(got, rows[i].kept);
	}
	/* one that ends inside of a record is not the longer one, however many records it has */
	begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
	put_records("SSSDS", NULL);
	begin_poke();
	put_records("SSSS", NULL);
	put(&b, UINT64_MAX, 8);
	put_values(&v);
	end_poke(at[5]);
	put_records("DSS", NULL);
	read_stream(&b);
	assert_string_equal(got, "kkk-kk-----kk");
}

/* One of perf's own that may be one, up to the end, with what is rather a chain amid it. */
static void
amid_own(void **state)
{
	static const struct { const char *letters, *kept; bool junk; } rows[] = {
		{ "S", "kkk-k-", false }, { "SS", "kkk--kk", false }, { "mmm", "kkk-k---", false }, { "mmmm", "kkk--kkkk", false },
		{ "mmmS", "kkk--kkkk", false }, { "Smmm", "kkk-k----", false }, { "mmmm", "kkk-k----", true }, { "SS", "kkk--kk", true },
	};

	(void)state;
	b.swap = false;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t from;

		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		put_records("SSSD", NULL);
		at[nat++] = from = begin_rec(&b, PP_AUXTRACE_INFO, 0);
		put(&b, 1, 8);
		put(&b, 0, 4);		/* so that the records do not stand at a word of it: then it were none, whatever they are */
		put_records(rows[i].letters, NULL);
		if (rows[i].junk)
			put(&b, UINT32_MAX, 4);
		end_rec(&b, from);
		read_stream(&b);
		if (strcmp(got, rows[i].kept))
			fail_msg("row %zu: kept %s, wanted %s", i, got, rows[i].kept);
	}
}

/* A record behind which none begins may have been overwritten from its middle on: it is left out, unless its end shows that it is whole. */
static void
followed(void **state)
{
	static const struct values near_ = { 1, 1, 0, T }, far = { 1, 1, 0, T + DAY + 99 }, nobody = { PID_MOST + 1, 1, 0, T };
	static const struct { const char *before, *behind; uint32_t type; uint16_t misc, size; const struct values *v; const char *kept; } rows[] = {
		/* SAMPLEs of a wrong size */
		{ "SSS", "SS", PP_SAMPLE, 2, 33, &near_, "kkk-kk" }, { "SSS", "SS", PP_SAMPLE, 5, 33, &near_, "kkk-kk" },
		{ "SSS", "SS", PP_SAMPLE, 6, 33, &near_, "kk--kk" }, { "SSS", "SS", PP_SAMPLE, 8, 33, &near_, "kkk-kk" },
		{ "SSS", "SS", PP_SAMPLE, 2, 33, &far, "kk--kk" }, { "SSS", "SS", PP_SAMPLE, 2, 33, &nobody, "kk--kk" },
		/* unknown types */
		{ "SSS", "SS", 0, 0, 32, &near_, "kk--kk" }, { "SSS", "SS", 5000, 0, 32, &near_, "kkkkkk" },
		{ "SSS", "SS", 5000, 0, 36, &near_, "kk--kk" }, { "SSS", "SS", 5000, 0, 33, &near_, "kk--kk" }, { "SSS", "SS", 5000, 0, 8, &near_, "kkkkkk" },
		{ "SSS", "SS", 65535, 0, 40, &near_, "kkk-kk" },
		{ "SSS", "SS", 5000, 0, 0, &near_, "kk--kk" }, { "SSS", "SS", 65535, 0, 36, &near_, "kk--kk" },
		{ "SSS", "SS", 65536, 0, 32, &near_, "kkkkkk" },
		{ "SSS", "SS", 65536, 0, 33, &near_, "kk--kk" }, { "SSS", "SS", 65536, 0, 64, &near_, "kkk-kk" },
		{ "SSS", "SS", 65536, 0, 96, &near_, "kk--kk" },
		{ "SSS", "SS", 65536, 0, 97, &near_, "kk--kk" },
		/* perf's own, too short; cut by the end of the input */
		{ "SSS", "SS", PP_FINISHED_ROUND, 0, 7, &near_, "kk--kk" }, { "SSS", "SS", PP_FINISHED_ROUND, 0, 200, &near_, "kkk-kk" },
		{ "SSS", "SS", PP_COMM, 0, 200, &near_, "kkk-kk" }, { "SSS", "SS", PP_COMM, 0, 201, &near_, "kk--kk" },
		{ "SSS", "SS", PP_COMM, 6, 200, &near_, "kk--kk" },
		/* what shows by its end that it is whole */
		{ "SSC", "SS", 0, 0, 4, &near_, "kkk-kk" }, { "SSm", "SS", 0, 0, 4, &near_, "kk--kk" }, { "SSr", "SS", 0, 0, 4, &near_, "kkk-kk" },
		{ "SSR", "SS", 0, 0, 4, &near_, "kk--kk" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		size_t from;

		b.swap = i & 1;
		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		put_records(rows[i / 2].before, &near_);
		at[nat++] = from = begin_rec(&b, rows[i / 2].type, rows[i / 2].misc);
		put_values(rows[i / 2].v);
		store(&b, from + 6, rows[i / 2].size, 2);
		put_records(rows[i / 2].behind, NULL);
		read_stream(&b);
		if (strcmp(got, rows[i / 2].kept))
			fail_msg("row %zu: kept %s, wanted %s", i / 2, got, rows[i / 2].kept);
	}
}

/* The same, of a kernel record with bits of its size wrong, and with more behind it than is looked at. */
static void
followed_by_bits(void **state)
{
	static const struct { uint32_t type; uint16_t size; bool begins; } rows[] = {
		{ PP_COMM, 48 ^ 1, true }, { PP_COMM, 48 ^ 8, true }, { PP_COMM, 48 ^ 24, false }, { PP_COMM, 48 ^ 3, false }, { PP_COMM, 48 ^ 4096, true },
		{ PP_COMM, 48 ^ 32768, false }, { PP_HEADER_ATTR, 60000, true }, { PP_FINISHED_ROUND, 65535, true }, { PP_FINISHED_ROUND, 7, false },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		b.swap = i & 1;
		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		put_records("SSSm", NULL);
		store(&b, at[3], rows[i / 2].type, 4);
		store(&b, at[3] + 6, rows[i / 2].size, 2);
		for (int k = 0; k < 200; k++)
			put_records("S", NULL);
		read_stream(&b);
		assert_int_equal(strspn(got, "k"), rows[i / 2].begins ? 3 : 2);
		assert_int_equal(strspn(got + 4, "k"), 200);
	}
}

/* Without times an id shows that it is a record of this recording, if there are several. */
static void
by_ids(void **state)
{
	(void)state;
	for (int form = 0; form < 4; form++) {
		struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_IDENTIFIER | PP_SAMPLE_ID, .flags = 1 << 18 };
		static const uint64_t ids[] = { 11, 12 };

		b.swap = form & 1;
		b.n = nat = 0;
		put(&b, UINT64_C(0x32454c4946524550), 8);
		put(&b, 16, 8);
		if (form & 2) {
			put_attr(&b, &a, 1, ids);
			put_attr(&b, &a, 1, ids + 1);
		} else
			put_attr(&b, &a, 2, ids);
		for (int i = 0; i < 8; i++) {
			at[nat++] = begin_rec(&b, PP_SAMPLE, 2);
			put(&b, ids[i % 2], 8);
			put(&b, ids[i % 2], 8);
			end_rec(&b, at[i]);
			if (i == 1 || i == 4)
				store(&b, at[i] + 6, 25, 2);
		}
		at[nat] = b.n;
		read_stream(&b);
		assert_string_equal(got, form & 2 ? "k-kk-kkk" : "k----kkk");
	}
}

/* Kernel records of which nothing can be known: of an unknown type, or without an attr. */
static void
unknown(void **state)
{
	static const uint64_t ids[] = { 11, 12 };
	struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_IDENTIFIER, .flags = 1 << 18 };

	(void)state;
	for (int form = 0; form < 4; form++) {
		b.swap = form & 1;
		b.n = nat = 0;
		put(&b, UINT64_C(0x32454c4946524550), 8);
		put(&b, 16, 8);
		for (int i = 0; form & 2 && i < 2; i++)
			put_attr(&b, &a, 1, &ids[i]);
		for (unsigned i = 0; i < 3; i++) {
			at[nat++] = begin_rec(&b, form & 2 && i == 1 ? 50 : PP_LOST_SAMPLES, 0);	/* perf knows the event of each that it knows */
			put(&b, 4711, 8);
			if (form & 2)
				put(&b, i == 1 ? 99 : 11, 8);
			end_rec(&b, at[i]);
		}
		put_records("r", NULL);
		read_stream(&b);
		assert_string_equal(got, "kkkk");
	}
}

/* An attr has no time, whatever its ids are: the period that is missing is that between the records. */
static void
attrs_have_no_time(void **state)
{
	static const uint64_t ids[3] = { 1, T + 9 * DAY, 2 };
	struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_ID, .flags = 1 << 18 };

	(void)state;
	b.swap = false;
	b.n = nat = 0;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	put_attr(&b, &a, 0, NULL);
	put_attr(&b, &a, 3, ids);
	for (unsigned i = 0; i < 5; i++) {
		at[nat++] = begin_rec(&b, PP_SAMPLE, 2);
		put(&b, UINT64_C(1) << 32 | 1, 8);
		put(&b, T + i, 8);
		put(&b, 1 + i % 2, 8);
		end_rec(&b, at[i]);
	}
	store(&b, at[2] + 6, 33, 2);
	at[nat] = b.n;
	read_stream(&b);
	assert_string_equal(got, "kk-kk");
	assert_non_null(strstr(fault, ": 1000000.000000001 to 1000000.000000003, 0.000000002 s"));
}

/* No more of a stack is used than was copied. */
static void
stacks(void **state)
{
	(void)state;
	for (int form = 0; form < 2; form++) {
		struct pp_attr a = { .type = 1, .size = 112, .sample_type = PP_SAMPLE_TIME | PP_SAMPLE_STACK_USER, .sample_stack_user = 16, .flags = 1 << 18 };
		static const struct { unsigned copied, used; } rows[] = { { 16, 16 }, { 16, 0 }, { 0, 0 }, { 16, 17 }, { 16, 16 }, { 8, 8 }, { 8, 9 }, { 8, 7 } };

		b.swap = form & 1;
		b.n = nat = 0;
		put(&b, UINT64_C(0x32454c4946524550), 8);
		put(&b, 16, 8);
		put_attr(&b, &a, 0, NULL);
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			at[nat++] = begin_rec(&b, PP_SAMPLE, 2);
			put(&b, T + i, 8);
			put(&b, rows[i].copied, 8);
			for (unsigned k = 0; k < rows[i].copied; k++)
				put(&b, 0xff, 1);
			if (rows[i].copied)
				put(&b, rows[i].used, 8);
			end_rec(&b, at[i]);
		}
		at[nat] = b.n;
		read_stream(&b);
		assert_string_equal(got, "kkk-kk-k");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(possible_values), cmocka_unit_test(sure_ones), cmocka_unit_test(chains), cmocka_unit_test(payloads),
		cmocka_unit_test(last_time),
		cmocka_unit_test(amid_others), cmocka_unit_test(amid_own), cmocka_unit_test(followed), cmocka_unit_test(followed_by_bits),
		cmocka_unit_test(by_ids), cmocka_unit_test(unknown), cmocka_unit_test(attrs_have_no_time), cmocka_unit_test(stacks),
	};

	return cmocka_run_group_tests_name("repair", tests, NULL, NULL);
}

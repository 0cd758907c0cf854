/* SPDX-License-Identifier: ISC */
/* PP_OPEN_REPAIR: chains of records amid others, payloads and damage that are larger than what is in memory, and events that are not known. */
#include "repair.h"

enum { WINDOW = 256 << 10 };		/* bytes that are searched at a time */
#define TYPE	(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU)

static const struct values v = { 1, 1, 0, T };

static void
is_kept(const char *kept, unsigned row)
{
	zeros = 0;
	if (strcmp(got, kept))
		fail_msg("row %u: kept %s, wanted %s", row, got, kept);
}

/*
 * Two chains that overlap, of which the first goes on with a payload that is not all in memory.  It is taken if the payload is there,
 * and if two of its records are sure; else the other one, which has more records.
 *
 *	one	SAMPLE | TEXT_POKE [ SAMPLEs, head of a ... ] | AUXTRACE | its payload ............
 *	other	                     SAMPLEs | TEXT_POKE [ .................... ] | SAMPLEs
 */
static void
amid_payload(void **state)
{
	static const struct { char first; unsigned missing; const char *kept; } rows[] = {
		{ 'S', 0, "kkk-kk---k--" }, { 'S', 1, "kkk---kkk-k-" }, { 'm', 0, "kkk---kkk-k-" }, { 'm', 1, "kkk---kkk-k-" },
	};
	enum { PAYLOAD = 3 * WINDOW };

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		char first[2] = { rows[i / 2].first };
		size_t one, other, from;

		b.swap = i & 1;
		begin_stream(TYPE);
		put_records("SSSD", NULL);
		put_records(first, NULL);
		one = begin_poke();
		put_records("XX", &v);
		other = begin_poke();
		put_values(&v);
		end_poke(one);
		at[nat++] = from = begin_rec(&b, PP_AUXTRACE, 0);
		put(&b, PAYLOAD, 8);
		put_text(&b, "", 32);
		end_rec(&b, from);
		from = b.n;
		put_values(&v);
		end_poke(other);
		put_records("XX", &v);
		at[nat] = b.n;
		zeros = PAYLOAD - (b.n - from) - rows[i / 2].missing;
		read_stream(&b);
		is_kept(rows[i / 2].kept, i);
	}
}

/* Chains that end in the same place: the first is taken. */
static void
same_end(void **state)
{
	size_t one;

	(void)state;
	for (int form = 0; form < 2; form++) {
		b.swap = form;
		begin_stream(TYPE);
		put_records("SSSDS", NULL);
		one = begin_poke();
		put_records("XXX", &v);		/* the fields of the last one are the trailer, too */
		end_poke(one);
		put_records("SDSS", NULL);
		read_stream(&b);
		is_kept("kkk-kk---k-kk", 0);
		/* neither is sure, and both have four records up to the end of the input */
		begin_stream(TYPE);
		put_records("SSSD", NULL);
		at[nat++] = one = begin_rec(&b, PP_AUXTRACE_INFO, 0);
		put(&b, 1, 8);
		put(&b, 0, 4);
		put_records("m", NULL);
		end_rec(&b, one);
		put_records("mmm", NULL);
		read_stream(&b);
		is_kept("kkk-k-kkk", 1);
	}
}

/* Damage of one byte: the first place behind it has a chain, amid which there is a longer one. */
static void
next_byte(void **state)
{
	size_t one, other;

	(void)state;
	b.swap = false;
	begin_stream(TYPE);
	put_records("SSS1S", NULL);
	one = begin_poke();
	put_records("X", &v);
	other = begin_poke();
	put_values(&v);
	end_poke(one);
	put(&b, UINT64_MAX, 8);
	put_values(&v);
	end_poke(other);
	put_records("X", &v);
	read_stream(&b);
	is_kept("kkk---kkk", 0);
}

/* A payload that ends with the input, far behind what is in memory. */
static void
long_payload(void **state)
{
	enum { PAYLOAD = 3 * WINDOW };
	char why[100];

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		int more = (int)(i / 2) - 1;
		size_t from;

		b.swap = i & 1;
		begin_stream(TYPE);
		put_records("SSS", NULL);
		at[nat++] = from = begin_rec(&b, PP_AUXTRACE, 0);
		put(&b, PAYLOAD, 8);
		put_text(&b, "", 32);
		end_rec(&b, from);
		at[nat] = b.n;
		zeros = (size_t)(PAYLOAD + more);
		read_stream(&b);
		assert_int_equal(lost, more < 0 ? 48 + PAYLOAD - 1 : more);
		if (more < 0) {
			snprintf(why, sizeof why, "AUXTRACE: %u bytes behind it, %u are there; %u bytes left out", PAYLOAD, PAYLOAD - 1, 48 + PAYLOAD - 1);
			assert_non_null(strstr(fault, why));
			is_kept("kkk-", i);
		} else
			assert_int_equal(strncmp(got, "kkkk", 4), 0);
		zeros = 0;
	}
}

/* Damage of any size between two parts of a stream: each record of the second one is found, in its place. */
static void
long_damage(void **state)
{
	static const size_t sizes[] = { WINDOW / 2, WINDOW - 8, WINDOW, 2 * WINDOW - 300, 2 * WINDOW + 12, 5 * WINDOW / 2 };

	(void)state;
	b.swap = false;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		int fd = memfd_create("repair", MFD_CLOEXEC);
		struct pp_source *s;
		size_t first, second;
		unsigned n = 0;
		struct pp_rec r;

		begin_stream(TYPE);
		put_records("SSr", NULL);
		first = b.n;
		put_records("SSSSSS", NULL);
		assert_int_equal(pwrite(fd, bytes_p(&b), first, 0), first);
		second = first + sizes[i];
		assert_int_equal(pwrite(fd, bytes_p(&b) + first, b.n - first, (off_t)second), b.n - first);
		err = (struct pp_err){ .what = "" };
		assert_non_null(s = pp_open_fd(fd, "repair", PP_OPEN_REPAIR, &err));
		for (; pp_next(s, &r) == 1; n++) {
			if (!n)
				assert_int_equal(r.type, PP_HEADER_ATTR);
			else
				assert_int_equal(pp_offset(s, &r), n <= 3 ? at[n - 1] : at[n - 1] + sizes[i]);
		}
		assert_int_equal(n, 10);
		assert_int_equal(pp_faults(s, &lost), 1);
		assert_int_equal(lost, sizes[i]);
		pp_close(s);
	}
}

/* More sound records than are in memory. */
static void
many_records(void **state)
{
	enum { TIMES = 2000 };
	int fd = memfd_create("repair", MFD_CLOEXEC);
	struct pp_source *s;
	struct pp_rec r;
	unsigned n = 0;

	(void)state;
	b.swap = false;
	begin_stream(TYPE);
	assert_int_equal(write(fd, bytes_p(&b), b.n), b.n);
	b.n = nat = 0;
	put_records("SSSSSSSS", NULL);
	for (unsigned i = 0; i < TIMES; i++)
		assert_int_equal(write(fd, bytes_p(&b), b.n), b.n);
	assert_true(TIMES * b.n > WINDOW);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	err = (struct pp_err){ .what = "" };
	assert_non_null(s = pp_open_fd(fd, "repair", PP_OPEN_REPAIR, &err));
	while (pp_next(s, &r) == 1)
		n++;
	assert_int_equal(n, 1 + 8 * TIMES);
	assert_int_equal(pp_faults(s, &lost), 0);
	assert_int_equal(pp_close(s), 1);
}

/* A kernel record of an event that is not known, in the stream or in a COMPRESSED record. */
static void
no_event(void **state)
{
	static const uint64_t ids[] = { 11, 12 };
	const struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_IDENTIFIER, .flags = 1 << 18 };

	(void)state;
	for (int form = 0; form < 4; form++) {
		b.swap = form & 1;
		b.n = nat = 0;
		put(&b, UINT64_C(0x32454c4946524550), 8);
		put(&b, 16, 8);
		for (int i = 0; i < 2; i++)
			put_attr(&b, &a, 1, &ids[i]);
		for (unsigned i = 0; i < 5; i++) {
			at[nat++] = begin_rec(&b, PP_LOST_SAMPLES, 0);
			put(&b, 4711, 8);
			put(&b, i == 2 ? 99 : 11, 8);
			end_rec(&b, at[i]);
		}
		at[nat] = b.n;
		if (form & 2)
			compress();
		read_stream(form & 2 ? &z : &b);
		is_kept("kk-kk", (unsigned)form);
		assert_int_equal(faults, 1);
		assert_int_equal(lost, 24);
	}
}

/* What follows the last record shows that it is whole: less than a header says nothing. */
static void
last_bytes(void **state)
{
	static const struct { const char *letters, *kept; } rows[] = {
		{ "SSS5", "kkk-" }, { "SSS8", "kk--" }, { "SSS", "kkk" }, { "SSS51", "kkk--" }, { "SSSr", "kkkk" }, { "SSSr8", "kkkk-" },
	};

	(void)state;
	for (unsigned i = 0; i < 4 * sizeof rows / sizeof *rows; i++) {
		b.swap = i & 1;
		begin_stream(TYPE);
		put_records(rows[i / 4].letters, NULL);
		if (i & 2)
			compress();
		read_stream(i & 2 ? &z : &b);
		is_kept(rows[i / 4].kept, i);
	}
}

/* Records that cannot be in a COMPRESSED one, inside and outside of it. */
static void
compressed_amid(void **state)
{
	(void)state;
	for (int form = 0; form < 2; form++) {
		b.swap = form;
		begin_stream(TYPE);
		put_records("SSSDcSS", NULL);
		compress();
		read_stream(&z);
		is_kept("kkk--kk", 0);
		assert_int_equal(faults, 1);
		/* an attr, behind damage */
		for (int inner = 0; inner < 2; inner++) {
			const struct pp_attr a = { .type = 1, .size = 64, .sample_type = TYPE, .flags = 1 << 18 };

			begin_stream(TYPE);
			put_records("SSSD", NULL);
			at[nat++] = b.n;
			put_attr(&b, &a, 0, NULL);
			at[nat] = b.n;
			if (inner)
				compress();
			read_stream(inner ? &z : &b);
			is_kept("kkk-k", 1);
		}
	}
}

/* A COMPRESSED2 record that says a wrong size of its data is left out as a whole, whatever they look like; if its own size may be believed. */
static void
stepped_over(void **state)
{
	static const struct { unsigned less; const char *behind, *kept; } rows[] = {
		{ 0, "SS", "kkk----kk" }, { 0, "", "kkk----" }, { 1, "SS", "kkk-kkkkk" }, { 0, "8", "kkk-kk--" },
	};

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		size_t from;

		b.swap = i & 1;
		begin_stream(TYPE);
		put_records("SSS", NULL);
		at[nat++] = from = begin_rec(&b, PP_COMPRESSED2, 0);
		put(&b, 1, 8);
		put_records("SSS", NULL);
		store(&b, from + 6, b.n - from - rows[i / 2].less, 2);
		put_records(rows[i / 2].behind, NULL);
		at[nat] = b.n;
		read_stream(&b);
		is_kept(rows[i / 2].kept, i);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amid_payload), cmocka_unit_test(same_end), cmocka_unit_test(next_byte), cmocka_unit_test(long_payload),
		cmocka_unit_test(long_damage), cmocka_unit_test(many_records), cmocka_unit_test(no_event), cmocka_unit_test(last_bytes),
		cmocka_unit_test(compressed_amid), cmocka_unit_test(stepped_over),
	};

	return cmocka_run_group_tests_name("repair_search", tests, NULL, NULL);
}

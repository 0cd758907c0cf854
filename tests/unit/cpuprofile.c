/* SPDX-License-Identifier: ISC */
/* CPU profiles of gperftools: the records that are made of them, one after the other. */
#include <sys/mman.h>

#include <unistd.h>

#include "bytes.h"

enum { CHAIN_MOST = 8000, ROUND = 4096, SAMPLE_HEAD = 56 };
#define MAP	"08048000-0804a000 r-xp 00001000 08:02 131 "

static struct bytes b;
static struct pp_err err;
static unsigned width;			/* of a slot */
static uint8_t *profile;
static size_t nprofile, cap;

static void
slot(uint64_t v)
{
	if (nprofile + 8 > cap)
		assert_non_null(profile = realloc(profile, cap = 2 * cap + 4096));
	b.n = 0;
	put(&b, v, width);
	memcpy(profile + nprofile, bytes_p(&b), width);
	nprofile += width;
}

static void
text(const char *s)
{
	for (; *s; s++) {
		if (nprofile == cap)
			assert_non_null(profile = realloc(profile, cap = 2 * cap + 4096));
		profile[nprofile++] = (uint8_t)*s;
	}
}

static void
begin(uint64_t period)
{
	nprofile = 0;
	slot(0);
	slot(3);
	slot(0);
	slot(period);
	slot(0);
}

static void
ticks(uint64_t count, unsigned depth)
{
	slot(count);
	slot(depth);
	for (unsigned i = 0; i < depth; i++)
		slot(0x1000 + i);
}

static void
trailer(void)
{
	slot(0);
	slot(1);
	slot(0);
}

static struct pp_source *
open_profile(unsigned flags)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);

	assert_int_equal(write(fd, profile, nprofile), nprofile);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	err = (struct pp_err){ .what = "" };
	return pp_open_fd(fd, "profile", flags, &err);
}

static struct pp_rec
next(struct pp_source *s, uint32_t type)
{
	struct pp_rec r;

	if (pp_next(s, &r) != 1)
		fail_msg("no record of type %u: %s", type, err.what);
	assert_int_equal(r.type, type);
	return r;
}

/* A number of the record, which has this machine's byte order. */
static uint64_t
u64(const struct pp_rec *r, size_t at)
{
	return pp_get_u64(r->raw + at, false);
}

static uint32_t
u32(const struct pp_rec *r, size_t at)
{
	return pp_get_u32(r->raw + at, false);
}

/* The attr and its name; what stands in them: perf.data-file-format.txt, perf_event.h. */
static void
is_head(struct pp_source *s, uint64_t period)
{
	enum { BIT = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	/* inherit, exclude_kernel, exclude_hv, mmap, comm, task, sample_id_all, mmap2, comm_exec */
	static const unsigned flags[] = { 1, 5, 6, 8, 9, 13, 18, 23, 24 };
	struct pp_rec r = next(s, PP_HEADER_ATTR);
	unsigned bits = 0;

	assert_int_equal(r.size, 8 + 128 + 8);
	assert_int_equal(u32(&r, 8), 1);
	assert_int_equal(u32(&r, 12), 128);
	assert_int_equal(u64(&r, 16), 0);
	assert_int_equal(u64(&r, 24), period);
	assert_int_equal(u64(&r, 32), 1 | 2 | 4 | 1 << 5 | 1 << 8);	/* IP TID TIME CALLCHAIN PERIOD */
	assert_int_equal(u64(&r, 40), 0);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		assert_true(r.raw[48 + flags[i] / 8] >> (BIT ? 7 - flags[i] % 8 : flags[i] % 8) & 1);
	for (size_t i = 48; i < 56; i++)
		bits += (unsigned)__builtin_popcount(r.raw[i]);
	assert_int_equal(bits, 9);
	for (size_t i = 56; i < 8 + 128; i++)
		assert_int_equal(r.raw[i], 0);
	assert_int_equal(u64(&r, 8 + 128), 1);
	r = next(s, PP_EVENT_UPDATE);
	assert_int_equal(u64(&r, 8), 2);
	assert_int_equal(u64(&r, 16), 1);
	assert_string_equal((const char *)r.raw + 24, "cpu-clock");
}

static void
is_comm(struct pp_source *s, const char *name)
{
	struct pp_rec r = next(s, PP_COMM);

	assert_int_equal(r.misc, PP_MISC_USER);
	assert_int_equal(r.size, 8 + 8 + 16 + 16);
	assert_int_equal(u32(&r, 8), 1);
	assert_int_equal(u32(&r, 12), 1);
	assert_string_equal((const char *)r.raw + 16, name);
	assert_int_equal(u32(&r, 32), 1);
	assert_int_equal(u32(&r, 36), 1);
	assert_int_equal(u64(&r, 40), 0);
}

static void
is_map(struct pp_source *s, uint64_t start, uint64_t len, uint64_t pgoff, uint32_t maj, uint32_t min, uint64_t ino, uint32_t prot,
    uint32_t flags, const char *name)
{
	struct pp_rec r = next(s, PP_MMAP2);

	assert_int_equal(r.misc, PP_MISC_USER);
	assert_int_equal(u32(&r, 8), 1);
	assert_int_equal(u32(&r, 12), 1);
	assert_int_equal(u64(&r, 16), start);
	assert_int_equal(u64(&r, 24), len);
	assert_int_equal(u64(&r, 32), pgoff);
	assert_int_equal(u32(&r, 40), maj);
	assert_int_equal(u32(&r, 44), min);
	assert_int_equal(u64(&r, 48), ino);
	assert_int_equal(u64(&r, 56), 0);
	assert_int_equal(u32(&r, 64), prot);
	assert_int_equal(u32(&r, 68), flags);
	assert_string_equal((const char *)r.raw + 72, name);
}

static void
is_sample(struct pp_source *s, uint64_t time, uint64_t period, unsigned depth)
{
	struct pp_rec r = next(s, PP_SAMPLE);

	assert_int_equal(r.misc, PP_MISC_USER);
	assert_int_equal(r.size, SAMPLE_HEAD + 8 * depth);
	assert_int_equal(u64(&r, 8), 0x1000);
	assert_int_equal(u32(&r, 16), 1);
	assert_int_equal(u32(&r, 20), 1);
	assert_int_equal(u64(&r, 24), time);
	assert_int_equal(u64(&r, 32), period);
	assert_int_equal(u64(&r, 40), depth + 1);
	assert_int_equal(u64(&r, 48), (uint64_t)-512);
	for (unsigned i = 0; i < depth; i++)
		assert_int_equal(u64(&r, SAMPLE_HEAD + 8 * (size_t)i), 0x1000 + i);
}

static void
ends(struct pp_source *s)
{
	struct pp_rec r;

	if (pp_next(s, &r) != 0)
		fail_msg("there is more, or a fault: %s", err.what);
	assert_int_equal(pp_close(s), 1);
}

/* ---- tests ---------------------------------------------------------------------------------------------- */

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
		assert_true(pp_progress(s, &total) > nprofile / 2);
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
		assert_non_null(strstr(err.what, "CPU profile header: cut short"));
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
		cmocka_unit_test(records), cmocka_unit_test(command_names), cmocka_unit_test(map_lines), cmocka_unit_test(long_lines),
		cmocka_unit_test(chains_and_rounds), cmocka_unit_test(large_numbers), cmocka_unit_test(headers),
	};

	return cmocka_run_group_tests_name("cpuprofile", tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* What an input is: by its first bytes, its layers, and how it is opened. */
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <zstd.h>

#include "perf_data.h"
#include "source/chunk.h"

static unsigned
descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static int
fd_of(const void *p, size_t n, bool by_pipe)
{
	int fd[2];

	if (by_pipe)
		assert_int_equal(pipe(fd), 0);
	else
		fd[0] = fd[1] = memfd_create("in", MFD_CLOEXEC);
	assert_int_equal(write(fd[1], p, n), n);
	if (by_pipe)
		close(fd[1]);
	else
		assert_int_equal(lseek(fd[0], 0, SEEK_SET), 0);
	return fd[0];
}

static struct pp_source *
open_bytes(const void *p, size_t n, bool by_pipe, unsigned flags)
{
	return pp_open_fd(fd_of(p, n, by_pipe), "in", flags, &err);
}

static void
make_stream(const char *magic, bool swap)
{
	b.swap = swap;
	b.n = 0;
	put_text(&b, magic, 8);
	put(&b, 16, 8);
	for (unsigned i = 0; i < 3; i++) {
		size_t at = begin_rec(&b, 4711, 0);

		put(&b, i, 8);
		end_rec(&b, at);
	}
}

/* ---- magic numbers ----------------------------------------------------------------------------------------- */

/* PERFFILE is the same in both orders: the size behind it tells. */
static void
test_old_magic(void **state)
{
	struct pp_source *s;
	struct pp_rec r;

	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		unsigned n = 0;

		make_stream("PERFFILE", form & 1);
		assert_non_null(s = open_bytes(bytes_p(&b), b.n, form & 2, 0));
		assert_int_equal(s->swap, form & 1);
		assert_int_equal(s->events->swap, form & 1);
		assert_string_equal(pp_container(s), "pipe-mode stream");
		for (; pp_next(s, &r) == 1; n++)
			assert_int_equal(pp_get_u64(r.raw + 8, s->swap), n);
		assert_int_equal(n, 3);
		assert_int_equal(pp_close(s), 1);
	}
	for (unsigned form = 0; form < 6; form++) {		/* a file of either size of the header */
		b.swap = form & 1;
		make_file(none, 1, false, false);
		memcpy(bytes_p(&b), "PERFFILE", 8);
		if (form / 2)
			store(&b, 8, form / 2 == 1 ? 72 : 73, 8);
		s = open_bytes(bytes_p(&b), b.n, false, 0);
		assert_int_equal(s != NULL, form / 2 < 2);
		if (s) {
			assert_int_equal(s->swap, b.swap);
			assert_string_equal(pp_container(s), "seekable perf.data");
		} else
			assert_string_equal(err.what, "not a perf recording");
		pp_close(s);
	}
	for (unsigned at = 0; at < 8; at++) {			/* each letter counts, of either magic */
		make_stream("PERFFILE", false);
		bytes_p(&b)[at] ^= 1;
		assert_null(open_bytes(bytes_p(&b), b.n, false, 0));
		assert_string_equal(err.what, "not a perf recording");
		make_stream("PERFILE2", false);
		bytes_p(&b)[at] ^= 1;
		assert_null(open_bytes(bytes_p(&b), b.n, false, 0));
		assert_string_equal(err.what, "not a perf recording");
	}
}

static void
test_header_size(void **state)
{
	static const struct { uint64_t size; const char *what; } rows[] = {
		{ 15, "header of 15 bytes: neither a pipe-mode stream (16) nor a perf.data (104)" },
		{ 17, "header of 17 bytes: neither a pipe-mode stream (16) nor a perf.data (104)" },
		{ 71, "header of 71 bytes: neither a pipe-mode stream (16) nor a perf.data (104)" },
		{ 103, "header of 103 bytes: neither a pipe-mode stream (16) nor a perf.data (104)" },
		{ 105, "header of 105 bytes: neither a pipe-mode stream (16) nor a perf.data (104)" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		make_stream("PERFILE2", false);
		b.swap = i & 1;
		store(&b, 0, UINT64_C(0x32454c4946524550), 8);
		store(&b, 8, rows[i / 2].size, 8);
		assert_null(open_bytes(bytes_p(&b), b.n, false, 0));
		assert_string_equal(err.what, rows[i / 2].what);
		assert_true(err.at);
		assert_int_equal(err.off, 8);
	}
	for (size_t n = 0; n <= 16; n++) {		/* as much as it takes to tell, and no more */
		struct pp_source *s;

		make_stream("PERFILE2", false);
		s = open_bytes(bytes_p(&b), n, n & 1, 0);
		assert_int_equal(s != NULL, n == 16);
		if (!s)
			assert_string_equal(err.what, n ? "not a perf recording" : "empty input");
		pp_close(s);
	}
}

/* What another program has packed is named. */
static void
test_packed(void **state)
{
	static const struct { const char *bytes; size_t n; const char *what; } rows[] = {
		{ "\x1f\x8b\x08\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, "not a perf recording; packed by gzip: gzip -dc FILE | pcat" },
		{ "\xfd" "7zXZ\0\0\0\0\0\0\0\0\0\0\0", 16, "not a perf recording; packed by xz: xz -dc FILE | pcat" },
		{ "BZh91AY&SY......", 16, "not a perf recording; packed by bzip2: bzip2 -dc FILE | pcat" },
		{ "BZh91AY&SY.....", 15, "not a perf recording" },
		{ "nothing known...", 16, "not a perf recording" },
	};
	uint8_t once[200], twice[200];
	size_t n;

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		assert_null(open_bytes(rows[i / 2].bytes, rows[i / 2].n, i & 1, 0));
		assert_string_equal(err.what, rows[i / 2].what);
	}
	make_stream("PERFILE2", false);
	n = ZSTD_compress(once, sizeof once, bytes_p(&b), b.n, 1);
	assert_null(open_bytes(once, 16, false, 0));		/* as many as it takes to tell */
	assert_string_equal(err.what, "zstd: the last frame is cut short");
	n = ZSTD_compress(twice, sizeof twice, once, n, 1);
	assert_null(open_bytes(twice, n, false, 0));
	assert_string_equal(err.what, "not a perf recording; packed by zstd, twice: zstd -dc FILE | pcat");
}

/* ---- layers ------------------------------------------------------------------------------------------------- */

/* What it is called, how many bytes it has, and whether its records can be found again. */
static void
test_layers(void **state)
{
	static const struct { bool file, packed, by_pipe; unsigned flags; const char *name, *cannot; } rows[] = {
		{ false, false, false, 0, "pipe-mode stream", NULL },
		{ false, false, true, 0, "pipe-mode stream", "the recording comes from a pipe" },
		{ false, true, false, 0, "pipe-mode stream, wrapped in zstd", "the whole recording is compressed, and has no seek table that can be used" },
		{ false, true, true, 0, "pipe-mode stream, wrapped in zstd", "the whole recording is compressed, and has no seek table that can be used" },
		{ false, false, true, PP_OPEN_REPAIR, "pipe-mode stream, spooled from a pipe", "the recording comes from a pipe" },
		{ false, true, true, PP_OPEN_REPAIR, "pipe-mode stream, spooled out of zstd",
		    "the whole recording is compressed, and has no seek table that can be used" },
		{ true, false, false, 0, "seekable perf.data", NULL },
		{ true, false, true, 0, "seekable perf.data, spooled from a pipe", "the recording comes from a pipe" },
		{ true, true, false, 0, "seekable perf.data, spooled out of zstd", "the whole recording is compressed, and has no seek table that can be used" },
		{ true, true, true, 0, "seekable perf.data, spooled out of zstd", "the whole recording is compressed, and has no seek table that can be used" },
		{ true, true, true, PP_OPEN_REPAIR, "seekable perf.data, spooled out of zstd",
		    "the whole recording is compressed, and has no seek table that can be used" },
	};
	static uint8_t packed[70000];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pp_source *s;
		uint64_t size_told, done;
		struct pp_rec r;
		unsigned n = 0;
		size_t size;

		if (rows[i].file) {
			b.swap = false;
			make_file(none, 1, false, false);
		} else
			make_stream("PERFILE2", false);
		size = rows[i].packed ? ZSTD_compress(packed, sizeof packed, bytes_p(&b), b.n, 1) : b.n;
		assert_non_null(s = open_bytes(rows[i].packed ? packed : bytes_p(&b), size, rows[i].by_pipe, rows[i].flags));
		assert_string_equal(pp_container(s), rows[i].name);
		if (rows[i].cannot)
			assert_string_equal(pp_chunks_cannot(s), rows[i].cannot);
		else
			assert_null(pp_chunks_cannot(s));
		assert_false(pp_is_profile(s));
		assert_null(pp_warning(s));
		while (pp_next(s, &r) == 1)
			n += r.type == 4711 || r.type == PP_SAMPLE;
		assert_int_equal(n, 3);
		done = pp_progress(s, &size_told);
		if (rows[i].file || rows[i].flags) {		/* by plain bytes */
			assert_int_equal(size_told, b.n);
			assert_int_equal(done, rows[i].file ? data.size : b.n);
		} else {
			assert_int_equal(size_told, rows[i].by_pipe ? 0 : size);
			assert_int_equal(done, size);
		}
		assert_string_equal(err.what, "");
		assert_int_equal(pp_rest(s), !strstr(rows[i].name, "spooled"));
		assert_int_equal(pp_close(s), 1);
	}
}

/* A stream of some bytes that do not get smaller, in a frame, and two frames that expand to so much, by the seek table. */
static size_t
make_claim(uint8_t *file, size_t size, unsigned noise, uint64_t beside)
{
	enum { FRAMES = 3 };
	size_t len[FRAMES], n = 0;
	uint8_t *e;

	make_stream("PERFILE2", false);
	size_t at = begin_rec(&b, 4711, 0);

	for (uint64_t i = 0, x = 1; i < noise; i++, x = x * 6364136223846793005u + 1442695040888963407u)
		put(&b, x >> 56, 1);
	end_rec(&b, at);
	for (unsigned i = 0; i < FRAMES; i++) {
		len[i] = ZSTD_compress(file + n, size - n, bytes_p(&b), i ? 0 : b.n, 1);
		n += len[i];
	}
	e = file + n;
	pp_set_u32(e, 0x184d2a5e, BIG_HERE);
	pp_set_u32(e + 4, 8 * FRAMES + 9, BIG_HERE);
	for (unsigned i = 0; i < FRAMES; i++) {
		pp_set_u32(e + 8 + 8 * i, (uint32_t)len[i], BIG_HERE);
		pp_set_u32(e + 12 + 8 * i, i == 1 ? (uint32_t)beside : i ? 0 : (uint32_t)b.n, BIG_HERE);
	}
	pp_set_u32(e + 32, FRAMES, BIG_HERE);
	e[36] = 0;
	pp_set_u32(e + 37, 0x8f92eab1, BIG_HERE);
	return n + 8 + 8 * FRAMES + 9;
}

/* A seek table is not used that claims more than the limit, and more than so many times the bytes of the file. */
static void
test_claims(void **state)
{
	enum { LIMIT = 1 << 20 };
	static const struct { unsigned noise, more; bool by_ratio, used; } rows[] = {
		{ 0, 0, false, true }, { 0, 1, false, false }, { 3000, 0, true, true }, { 3000, PP_EXPAND_RATIO - 1, true, true },
		{ 3000, PP_EXPAND_RATIO, true, false },
	};
	static uint8_t file[5000];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t n = make_claim(file, sizeof file, rows[i].noise, 0);
		uint64_t claim = rows[i].more + (rows[i].by_ratio ? n * PP_EXPAND_RATIO : LIMIT);
		struct pp_source *s;

		assert_int_equal(n * PP_EXPAND_RATIO > LIMIT, rows[i].by_ratio);
		n = make_claim(file, sizeof file, rows[i].noise, claim - b.n);
		assert_non_null(s = open_bytes(file, n, false, PP_OPEN_MAX_EXPAND((uint64_t)LIMIT)));
		assert_int_equal(pp_chunks_cannot(s) == NULL, rows[i].used);
		pp_close(s);
	}
}

/* With a seek table its records can be found again, unless it has to be read in order. */
static void
test_seeks(void **state)
{
	static const struct { const char *name; unsigned flags; bool by_pipe, seeks; } rows[] = {
		{ "pipe-mode stream, wrapped in zstd", 0, false, true }, { "pipe-mode stream, wrapped in zstd", 0, true, false },
		{ "pipe-mode stream, spooled out of zstd", PP_OPEN_REPAIR, false, false },
		{ "pipe-mode stream, wrapped in zstd", PP_OPEN_FOLLOW, false, false },
	};
	static uint8_t file[5000];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		static volatile sig_atomic_t stop = 1;
		size_t n = make_claim(file, sizeof file, 0, 0);
		struct pp_source *s = open_bytes(file, n, rows[i].by_pipe, rows[i].flags);
		unsigned records = 0;
		struct pp_rec r;

		assert_non_null(s);
		assert_string_equal(pp_container(s), rows[i].name);
		assert_int_equal(pp_chunks_cannot(s) == NULL, rows[i].seeks);
		pp_follow(s, &stop);
		while (pp_next(s, &r) == 1)
			records++;
		assert_int_equal(records, 4);
		assert_int_equal(pp_close(s), 1);
	}
}

/* ---- opening ------------------------------------------------------------------------------------------------ */

static void
test_refused(void **state)
{
	unsigned before;
	int fd;

	(void)state;
	make_stream("PERFILE2", false);
	before = descriptors();
	assert_null(open_bytes(bytes_p(&b), b.n, false, PP_OPEN_REPAIR | PP_OPEN_FOLLOW));
	assert_string_equal(err.what, "a recording that is still being written cannot be repaired");
	assert_int_equal(descriptors(), before);
	fd = fd_of(bytes_p(&b), b.n, false);
	close(fd);
	assert_null(pp_open_fd(fd, "closed", 0, &err));
	assert_string_equal(err.file, "closed");
	assert_string_equal(err.what, "Bad file descriptor");
	assert_int_equal(err.error, EBADF);
	assert_true(err.at);
	errno = ENOTDIR;
	err = (struct pp_err){ .what = "before", .at = true };
	assert_null(pp_open_fd(-1, "none", 0, &err));
	assert_string_equal(err.file, "none");
	assert_string_equal(err.what, "Not a directory");
	assert_int_equal(err.error, ENOTDIR);
	assert_false(err.at);
	assert_int_equal(descriptors(), before);
}

/* Standard input, by either name, stays open. */
static void
test_stdin(void **state)
{
	static const char *const names[] = { NULL, "-" };
	int was = dup(STDIN_FILENO);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct pp_source *s;
		struct pp_rec r;
		unsigned n = 0;
		int fd;

		make_stream("PERFILE2", false);
		fd = fd_of(bytes_p(&b), b.n, i);
		dup2(fd, STDIN_FILENO);
		close(fd);
		s = pp_open(names[i], 0, &err);
		while (s && pp_next(s, &r) == 1)
			n++;
		pp_close(s);
		assert_int_equal(n, 3);
		assert_string_equal(err.file, "<stdin>");
		assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
	}
	if (was >= 0) {
		dup2(was, STDIN_FILENO);
		close(was);
	} else
		close(STDIN_FILENO);
}

/* Which files are the same one. */
static void
test_same(void **state)
{
	struct pp_source *s[4];
	char path[64], dir[] = "/tmp/open.XXXXXX";
	int fd, was;

	(void)state;
	make_stream("PERFILE2", false);
	fd = fd_of(bytes_p(&b), b.n, false);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	assert_non_null(s[0] = pp_open(path, 0, &err));
	assert_non_null(s[1] = pp_open(path, 0, &err));
	assert_non_null(s[2] = open_bytes(bytes_p(&b), b.n, false, 0));
	assert_non_null(s[3] = open_bytes(bytes_p(&b), b.n, true, 0));
	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < 4; k++)
			assert_int_equal(pp_same_file(s[i], s[k]), i < 3 && (i == k || i + k == 1));
	assert_true(pp_is_file(s[0], path));
	assert_true(pp_is_file(s[1], path));
	assert_false(pp_is_file(s[2], path));
	assert_false(pp_is_file(s[3], path));
	assert_false(pp_is_file(s[0], "/nonexistent/file"));
	assert_non_null(mkdtemp(dir));
	assert_false(pp_is_file(s[0], dir));
	rmdir(dir);
	fflush(stdout);
	was = dup(STDOUT_FILENO);
	dup2(fd, STDOUT_FILENO);
	bool same[] = { pp_is_file(s[0], NULL), pp_is_file(s[0], "-"), pp_is_file(s[2], NULL), pp_is_file(s[3], "-") };

	dup2(was, STDOUT_FILENO);
	close(was);
	assert_true(same[0] && same[1] && !same[2] && !same[3]);
	for (unsigned i = 0; i < 4; i++)
		pp_close(s[i]);
	close(fd);
}

/* A file that somebody writes is followed until the caller has enough of it. */
static void
test_follow_stops(void **state)
{
	static volatile sig_atomic_t stop;
	struct pp_source *s;
	struct pp_rec r;
	unsigned n = 0;
	int fd;

	(void)state;
	make_stream("PERFILE2", false);
	fd = fd_of(bytes_p(&b), b.n - 3, false);		/* open for writing as long as it is open */
	stop = 0;
	assert_non_null(s = pp_open_fd(fd, "in", PP_OPEN_FOLLOW, &err));
	pp_follow(s, &stop);
	while (n < 2 && pp_next(s, &r) == 1)
		n++;
	stop = 1;
	assert_int_equal(pp_next(s, &r), 0);		/* and no fault that it ends inside a record */
	assert_string_equal(err.what, "");
	assert_int_equal(pp_close(s), 1);
	assert_non_null(s = open_bytes(bytes_p(&b), b.n, false, 0));
	pp_follow(s, &stop);					/* nothing, if it is not followed */
	for (n = 0; pp_next(s, &r) == 1; n++)
		;
	assert_int_equal(n, 3);
	assert_int_equal(pp_close(s), 1);
}

/* There is no memory to read into. */
static uint8_t *
give_nothing(void *arg)
{
	++*(unsigned *)arg;
	return NULL;
}

static void
test_gives_nothing(void **state)
{
	struct pp_source *s;
	unsigned calls = 0;
	uint8_t packed[200];
	struct pp_rec r;
	size_t n;

	(void)state;
	make_stream("PERFILE2", false);
	n = ZSTD_compress(packed, sizeof packed, bytes_p(&b), b.n, 1);
	assert_non_null(s = open_bytes(packed, n, false, PP_OPEN_LATER));
	pp_read_into(s, give_nothing, &calls);
	if (pp_begin(s) > 0)
		while (pp_next(s, &r) == 1)
			;
	assert_string_equal(err.what, "out of memory");
	assert_int_equal(err.code, PP_ERR_MEMORY);
	assert_true(err.at);
	assert_int_equal(err.off, 0);
	assert_int_equal(calls, 1);
	assert_int_equal(pp_next(s, &r), -1);
	assert_int_equal(pp_close(s), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_old_magic), cmocka_unit_test(test_header_size), cmocka_unit_test(test_packed), cmocka_unit_test(test_layers),
		cmocka_unit_test(test_claims), cmocka_unit_test(test_seeks), cmocka_unit_test(test_refused), cmocka_unit_test(test_stdin), cmocka_unit_test(test_same),
		cmocka_unit_test(test_follow_stops), cmocka_unit_test(test_gives_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* A source: recordings that it accepts, offsets of records, payloads, and the message for each fault. */
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "source/leave_out.h"
#include "source/watch.h"
#include "stream.h"

/* pipe header, attr, COMM, TRACING_DATA with payload, SAMPLE, type 4711, FINISHED_ROUND */
static const uint32_t types[] = { 64, 3, 66, 9, 4711, 68 };
static void
stream(size_t at[6])
{
	struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_TID | PP_SAMPLE_TIME, .flags = 1 << 18 };

	header();
	at[0] = b.n;
	put_attr(&b, &a, 0, NULL);
	at[1] = begin_rec(&b, 3, 0);
	put(&b, 1, 8);
	put_text(&b, "comm", 8);
	put_text(&b, "", 16);
	end_rec(&b, at[1]);
	at[2] = begin_rec(&b, 66, 0);
	put(&b, 40, 4);
	put(&b, 0, 4);
	end_rec(&b, at[2]);
	for (int i = 0; i < 5; i++)	/* looks like records */
		put(&b, UINT64_C(8) << 48 | 9, 8);
	at[3] = begin_rec(&b, 9, 2);
	put(&b, 1, 8);
	put(&b, 1000, 8);
	end_rec(&b, at[3]);
	at[4] = begin_rec(&b, 4711, 0);
	put_text(&b, "unknown", 9);
	end_rec(&b, at[4]);
	at[5] = begin_rec(&b, 68, 0);
	end_rec(&b, at[5]);
}

static void
test_records(void **state)
{
	(void)state;
	for (int form = 0; form < 8; form++) {
		bool by_pipe = form & 1, fetch = form & 2;
		struct pp_source *s;
		struct pp_rec r;
		uint64_t total;
		size_t at[6], n = 0;

		b.swap = form & 4;
		stream(at);
		assert_non_null(s = open_bytes(bytes_p(&b), b.n, by_pipe, PP_OPEN_ANY_TRACING));
		assert_int_equal(s->swap, b.swap);
		assert_string_equal(pp_container(s), "pipe-mode stream");
		for (; pp_next(s, &r) == 1; n++) {
			const uint8_t *p;
			size_t len, sum = 0;

			assert_true(n < 6);
			assert_int_equal(r.type, types[n]);
			assert_int_equal(pp_offset(s, &r), at[n]);
			assert_memory_equal(r.raw, bytes_p(&b) + at[n], r.size);
			assert_int_equal(r.payload, r.type == 66 ? 40 : 0);
			while (fetch && r.payload && pp_payload(s, &p, &len) == 1) {
				assert_memory_equal(p, bytes_p(&b) + at[2] + 16 + sum, len);
				sum += len;
			}
			assert_int_equal(sum, fetch ? r.payload : 0);
		}
		assert_int_equal(n, 6);
		assert_int_equal(pp_next(s, &r), 0);
		assert_int_equal(pp_progress(s, &total), b.n);
		assert_int_equal(total, by_pipe ? 0 : b.n);
		assert_string_equal(err.what, "");
		assert_int_equal(pp_close(s), 1);
	}
}

/* Every prefix: whole records, then the end or one fault that says where; never both, and it stays. */
static void
test_prefixes(void **state)
{
	size_t at[7], whole;

	(void)state;
	stream(at);
	at[6] = b.n;
	for (size_t n = 0; n < at[6]; n++) {
		struct pp_source *s = open_bytes(bytes_p(&b), n, n & 1, PP_OPEN_ANY_TRACING);
		struct pp_rec r;
		size_t got = 0;
		bool edge = false;

		for (whole = 0; whole < 6 && at[whole + 1] <= n; whole++)
			;
		for (int i = 0; i <= 6; i++)
			edge |= n == at[i];
		if (n < 16) {
			assert_null(s);
			assert_true(err.what[0]);
			continue;
		}
		assert_non_null(s);
		while (pp_next(s, &r) == 1)
			got++;
		/* A record is yielded before its payload is there. */
		assert_true(got == whole || (got == whole + 1 && types[whole] == 66));
		if (edge)
			assert_string_equal(err.what, "");
		else {
			assert_non_null(strstr(err.what, "cut short"));
			assert_true(err.at);
			assert_int_equal(pp_next(s, &r), -1);
		}
		assert_int_equal(pp_close(s), edge ? 1 : -1);
	}
}

static unsigned
descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void
test_no_recording(void **state)
{
	static const struct { const char *bytes; size_t n; const char *cause; } rows[] = {
		{ "", 0, "empty input" }, { "PERFILE2", 8, "not a perf recording" },
		{ "PERFILE3\20\0\0\0\0\0\0", 16, "not a perf recording" },
		{ "PERFILE2\30\0\0\0\0\0\0", 16, "neither a pipe-mode stream" },
		{ "2ELIFREP\20\0\0\0\0\0\0", 16, "neither a pipe-mode stream" },
		{ "2ELIFREX\0\0\0\0\0\0\0\20", 16, "not a perf recording" },
		{ "GIF89a\0\0\0\0\0\0\0\0\0\0", 16, "not a perf recording" },
	};

	const unsigned before = descriptors();

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		assert_null(open_bytes(rows[i / 2].bytes, rows[i / 2].n, i & 1, 0));
		if (!strstr(err.what, rows[i / 2].cause))
			fail_msg("'%s', '%s' wanted", err.what, rows[i / 2].cause);
	}
	assert_null(pp_open("/nonexistent/file", 0, &err));
	assert_non_null(strstr(err.what, "No such file"));
	assert_null(pp_open("/", 0, &err));
	assert_non_null(strstr(err.what, "directory"));
	assert_int_equal(pp_close(NULL), 1);
	assert_int_equal(descriptors(), before);	/* nothing is left open */
}

/* A tool rejects a record: the message is the source's, at that byte, and the source is done. */
static void
test_reject(void **state)
{
	struct pp_source *s;
	struct pp_rec r;
	size_t at[6];

	(void)state;
	stream(at);
	assert_non_null(s = open_bytes(bytes_p(&b), b.n, false, 0));
	assert_int_equal(pp_next(s, &r), 1);
	assert_int_equal(pp_next(s, &r), 1);
	pp_fail(&err, "is no good");
	assert_int_equal(pp_reject(s, &r), -1);
	assert_string_equal(err.what, "COMM: is no good");
	assert_true(err.at);
	assert_int_equal(err.off, at[1]);
	assert_int_equal(pp_next(s, &r), -1);
	memset(err.what, 'x', sizeof err.what - 1);		/* one that fills the space: with the name of the record in front of it */
	err.code = PP_ERR_MEMORY;
	err.error = ENOMEM;
	assert_int_equal(pp_reject(s, &r), -1);
	assert_int_equal(strlen(err.what), sizeof err.what - 32 + strlen("COMM: "));
	assert_memory_equal(err.what, "COMM: xxx", 9);
	assert_int_equal(err.code, PP_ERR_MEMORY);
	assert_int_equal(err.error, ENOMEM);
	assert_int_equal(pp_close(s), -1);
}

/* Records of every size, many buffers long: none is lost at a refill; the hook comes before bytes move. */
static int
count_call(void *arg)
{
	++*(unsigned *)arg;
	return 1;
}

static void
refills(unsigned flags)
{
	int fd = memfd_create("stream", 0);
	struct pp_source *s;
	struct pp_rec r;
	char path[64];
	unsigned n = 0, calls = 0;

	header();
	assert_int_equal(write(fd, bytes_p(&b), b.n), b.n);
	memset(b.at, 0, sizeof b.at);		/* no records amid the records */
	for (unsigned size = 8; size <= 65535; size += 1 + size / 50) {
		b.n = 0;
		begin_rec(&b, 4711, 0);
		b.n = size;
		end_rec(&b, 0);
		assert_int_equal(write(fd, bytes_p(&b), size), size);
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	assert_non_null(s = pp_open(path, flags, &err));
	pp_before_refill(s, count_call, &calls);
	for (unsigned size = 8; size <= 65535; size += 1 + size / 50, n++) {
		assert_int_equal(pp_next(s, &r), 1);
		assert_int_equal(r.size, size);
		assert_int_equal(r.type, 4711);
	}
	assert_int_equal(pp_next(s, &r), 0);
	assert_true(calls > 5 && calls < n);
	assert_int_equal(pp_close(s), 1);
	close(fd);
}

static void
test_refills(void **state)
{
	(void)state;
	refills(0);
	refills(PP_OPEN_MANY);
}

/* It may fail: that is the end, and the failure the caller's. */
static int
fail_later(void *arg)
{
	return ++*(unsigned *)arg < 3 ? 1 : pp_fail(&err, "no more");
}

static void
test_refill_fails(void **state)
{
	unsigned calls = 0;
	struct pp_source *s;
	struct pp_rec r;
	int fd[2], rc;

	(void)state;
	b.swap = false;
	header();
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], bytes_p(&b), b.n), b.n);
	assert_non_null(s = pp_open_fd(fd[0], "stream", 0, &err));
	pp_before_refill(s, fail_later, &calls);
	b.n = 0;
	end_rec(&b, begin_rec(&b, 4711, 0));
	do
		assert_int_equal(write(fd[1], bytes_p(&b), b.n), b.n);
	while ((rc = pp_next(s, &r)) == 1);
	assert_int_equal(rc, -1);
	assert_string_equal(err.what, "no more");
	assert_int_equal(calls, 3);
	assert_int_equal(pp_next(s, &r), -1);
	assert_int_equal(calls, 3);
	close(fd[1]);
	assert_int_equal(pp_close(s), -1);
}

/* The same records in memory, without a pipe header: learned as they are read, without offsets. */
static void
test_memory(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_source *s;
		struct pp_rec r;
		size_t at[6], n = 0;

		b.swap = swap;
		stream(at);
		assert_non_null(s = pp_open_memory(bytes_p(&b) + at[0], b.n - at[0], b.swap, "memory", &err));
		for (; pp_next(s, &r) == 1; n++) {
			assert_int_equal(r.type, types[n]);
			assert_memory_equal(r.raw, bytes_p(&b) + at[n], r.size);
			assert_int_equal(pp_offset(s, &r), 0);
			assert_false(pp_made(s, &r));
		}
		assert_int_equal(n, 6);
		assert_int_equal(s->events->n, 1);
		assert_int_equal(s->events->swap, b.swap);
		assert_int_equal(pp_close(s), 1);
		assert_non_null(s = pp_open_memory(NULL, 0, b.swap, "memory", &err));
		assert_int_equal(pp_next(s, &r), 0);
		assert_int_equal(pp_close(s), 1);
	}
}

/* PP_OPEN_LATER: nothing is read before pp_begin(), and nothing is opened then. */
static void
test_later(void **state)
{
	static const struct { unsigned flags; bool opens; } rows[] = { { 0, true }, { PP_OPEN_LATER, false } };
	uint8_t file[104] = "PERFILE2h";		/* a perf.data has to be spooled from a pipe */
	struct pp_source *s;
	struct pp_rec r;
	int fd[2], left;
	size_t at[6];

	(void)state;
	b.swap = false;
	stream(at);
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], bytes_p(&b), b.n), b.n);
	close(fd[1]);
	assert_non_null(s = pp_open_fd(fd[0], "later", PP_OPEN_LATER | PP_OPEN_ANY_TRACING, &err));
	assert_int_equal(ioctl(fd[0], FIONREAD, &left), 0);
	assert_int_equal(left, b.n);
	assert_int_equal(pp_begin(s), 1);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(pp_next(s, &r), 1);
	assert_int_equal(pp_close(s), 1);

	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(pipe(fd), 0);
		assert_int_equal(write(fd[1], file, sizeof file), sizeof file);
		close(fd[1]);
		unsetenv("TMPDIR");
		s = rows[i].flags ? pp_open_fd(fd[0], "later", rows[i].flags, &err) : NULL;
		setenv("TMPDIR", "/nonexistent", 1);
		if (!s)
			assert_null(pp_open_fd(fd[0], "later", rows[i].flags, &err));
		else
			assert_int_equal(pp_begin(s), -1);
		assert_int_equal(strstr(err.what, "/nonexistent") != NULL, rows[i].opens);
		pp_close(s);
		unsetenv("TMPDIR");
	}
}

static int
all_of_it(void *arg, uint32_t file, uint64_t off, struct pp_leave_step *x)
{
	(void)arg, (void)file, (void)off;
	x->n = UINT64_MAX;
	return 1;
}

/* A source that rests has nothing open, unless its input could not be opened again; its events stay. */
static void
test_rest(void **state)
{
	uint8_t file[104] = "PERFILE2h";
	struct pp_source *s;
	struct pp_rec r;
	unsigned before;
	size_t at[6];

	(void)state;
	b.swap = false;
	for (int form = 0; form < 4; form++) {
		bool later = form & 2;			/* with a temporary file that was opened in case */

		stream(at);
		before = descriptors();
		assert_non_null(s = open_bytes(bytes_p(&b), b.n, form & 1, PP_OPEN_ANY_TRACING | (later ? PP_OPEN_LATER : 0)));
		if (later)
			assert_int_equal(pp_begin(s), 1);
		assert_int_equal(pp_next(s, &r), 1);
		assert_int_equal(descriptors(), before + 1 + later);
		assert_true(pp_rest(s));
		assert_int_equal(descriptors(), before);
		assert_int_equal(s->events->n, 1);
		assert_string_equal(pp_container(s), "pipe-mode stream");
		assert_int_equal(pp_close(s), 1);
	}
	/* an empty perf.data, spooled */
	pp_set_u64(file + 16, 144, BIG_HERE);
	pp_set_u64(file + 24, 104, BIG_HERE);
	pp_set_u64(file + 40, 104, BIG_HERE);
	before = descriptors();
	if ((s = open_bytes(file, sizeof file, true, PP_OPEN_REPAIR))) {
		assert_false(pp_rest(s));
		assert_int_equal(descriptors(), before + 1);
		pp_close(s);
	} else
		fail_msg("%s", err.what);
}

/* Of which recordings bytes can be left out: a file of records, which is read as it is. */
static void
test_can_leave_out(void **state)
{
	static const struct { bool by_pipe, can; unsigned flags; } rows[] = {
		{ false, true, 0 }, { true, false, 0 }, { false, false, PP_OPEN_REPAIR }, { true, false, PP_OPEN_REPAIR }, { false, false, PP_OPEN_RAW },
		{ false, false, PP_OPEN_FOLLOW }, { false, true, PP_OPEN_MANY },
	};
	const struct pp_leave_out how = { .next = all_of_it, .name = "index" };
	struct pp_source *s;
	struct pp_rec r;
	size_t at[6];

	(void)state;
	b.swap = false;
	stream(at);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t n = 0;

		s = open_bytes(bytes_p(&b), b.n, rows[i].by_pipe, rows[i].flags | PP_OPEN_ANY_TRACING);
		assert_non_null(s);
		assert_int_equal(pp_leave_out(s, &how), rows[i].can);
		for (; !(rows[i].flags & PP_OPEN_REPAIR) && pp_next(s, &r) == 1; n++)
			assert_int_equal(pp_offset(s, &r), at[n]);
		assert_int_equal(n, rows[i].flags & PP_OPEN_REPAIR ? 0 : 6);
		assert_int_equal(pp_close(s), 1);
	}
	assert_non_null(s = pp_open_memory(bytes_p(&b) + at[0], b.n - at[0], b.swap, "memory", &err));
	assert_int_equal(pp_leave_out(s, &how), 0);
	pp_close(s);
	b.n = 0;		/* a CPU profile: its records are made */
	for (int i = 0; i < 12; i++)
		put(&b, i == 1 ? 3 : i == 3 ? 1000 : i == 5 || i == 6 || i == 9 ? 1 : i == 7 ? 4096 : 0, 8);
	assert_non_null(s = open_bytes(bytes_p(&b), b.n, false, 0));
	assert_true(pp_is_profile(s));
	assert_int_equal(pp_leave_out(s, &how), 0);
	pp_close(s);
}

static int
take_bytes(void *arg, const uint8_t *p, size_t n)
{
	struct bytes *to = arg;

	for (size_t i = 0; i < n; i++)
		put(to, p[i], 1);
	return 1;
}

/* One who watches has all bytes of the input, whatever of them is read as records. */
static void
test_watch(void **state)
{
	(void)state;
	b.swap = false;
	for (size_t left = 0; left < 4; left++) {
		static struct bytes seen;
		const struct pp_watch w = { .took = take_bytes, .arg = &seen };
		struct pp_source *s;
		struct pp_rec r;
		size_t at[6];
		int fd[2];

		seen.n = 0;
		stream(at);
		assert_int_equal(pipe(fd), 0);
		assert_int_equal(write(fd[1], bytes_p(&b), b.n - left), b.n - left);
		assert_non_null(s = pp_open_fd(fd[0], "watch", PP_OPEN_LATER, &err));
		pp_watch(s, &w);
		assert_int_equal(pp_begin(s), 1);
		assert_true(pp_watch_took(s));
		assert_int_equal(pp_next(s, &r), 1);
		assert_int_equal(write(fd[1], bytes_p(&b) + b.n - left, left), left);
		close(fd[1]);
		assert_int_equal(pp_watch_rest(s), 1);
		assert_int_equal(seen.n, b.n);
		assert_memory_equal(bytes_p(&seen), bytes_p(&b), b.n);
		pp_close(s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records), cmocka_unit_test(test_prefixes), cmocka_unit_test(test_no_recording),
		cmocka_unit_test(test_reject), cmocka_unit_test(test_refills), cmocka_unit_test(test_refill_fails),
		cmocka_unit_test(test_memory), cmocka_unit_test(test_later),
		cmocka_unit_test(test_can_leave_out), cmocka_unit_test(test_rest),
		cmocka_unit_test(test_watch),
	};

	return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}

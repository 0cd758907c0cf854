/* SPDX-License-Identifier: ISC */
/* Temporary files, and spools and tails: each byte is read back from where it was put, whatever the pieces are. */
#include "refused.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chance.h"
#include "check.h"
#include "sink/spool.h"
#include "sink/tmpfile.h"

enum { SPOOL_BUFFER = sizeof ((struct spool *)0)->buf, TAIL_BUFFER = sizeof ((struct tail *)0)->buf, SIZE = 1 << 20 };

static struct pp_err err;
static uint8_t bytes[SIZE], got[SIZE + 1];

static void
fill(void)
{
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)(i * 7 + (i >> 8) * 13 + (i >> 16));
}

static int
directory(void)
{
	int dir = open("/tmp", O_PATH | O_DIRECTORY);

	assert_true(dir >= 0);
	return dir;
}

/* A size about one where something else is done. */
static size_t
piece(size_t limit)
{
	return rnd(4) ? rnd(300) : limit - 2 + rnd(5);
}

static void
test_spool(void **state)
{
	static struct spool s;
	int dir = directory(), to = pp_tmpfile_at(dir);

	(void)state;
	fill();
	for (unsigned round = 0; round < 60; round++) {
		size_t n = 0, most = round < 20 ? rnd(3 * SPOOL_BUFFER) : rnd(SIZE / 2), from, len;

		spool_init(&s, dir);
		while (n < most) {
			size_t some = rnd(10) ? piece(SPOOL_BUFFER) : piece(3 * SPOOL_BUFFER);

			assert_int_equal(spool_put(&s, bytes + n, some, &err), 1);
			n += some;
			assert_int_equal(s.len, n);
			if (rnd(20))
				continue;
			from = rnd((uint32_t)n + 1);			/* and more is put behind that */
			len = rnd((uint32_t)(n - from) + 1);
			assert_int_equal(ftruncate(to, 0), 0);
			assert_int_equal(spool_copy(&s, from, len, to, 100, &err), 1);
			assert_int_equal(pread(to, got, SIZE, 100), len);
			assert_memory_equal(got, bytes + from, len);
		}
		assert_int_equal(ftruncate(to, 0), 0);
		assert_int_equal(spool_copy(&s, 0, n, to, 7, &err), 1);
		assert_int_equal(pread(to, got, SIZE, 7), n);
		assert_memory_equal(got, bytes, n);
		spool_close(&s);
		assert_int_equal(s.fd, -1);
		spool_close(&s);
	}
	close(to);
	close(dir);
}

/* What is not there is said; and that there is no directory for the file. */
static void
test_spool_fails(void **state)
{
	static struct spool s;
	int dir = directory(), to = pp_tmpfile_at(dir), none;

	(void)state;
	spool_init(&s, dir);
	assert_int_equal(spool_put(&s, bytes, 100, &err), 1);
	err = (struct pp_err){ .what = "" };
	errno = EINTR;			/* of an earlier call */
	assert_int_equal(spool_copy(&s, 0, 101, to, 0, &err), -1);
	assert_string_equal(err.what, "temporary file: read: cut short");
	assert_int_equal(err.code, PP_ERR_TEMPORARY);
	spool_close(&s);
	none = open("/dev/null", O_RDONLY);
	for (size_t n = SPOOL_BUFFER; n <= SPOOL_BUFFER + 1; n++) {
		spool_init(&s, none);
		err = (struct pp_err){ .what = "" };
		if (n == SPOOL_BUFFER)			/* it stays in memory until there is more */
			assert_int_equal(spool_put(&s, bytes, n, &err), 1);
		assert_int_equal(spool_put(&s, bytes, n, &err), -1);
		assert_string_equal(err.what, "temporary file: open: Not a directory");
		spool_close(&s);
	}
	spool_init(&s, none);			/* what is in memory is written before it is copied */
	assert_int_equal(spool_put(&s, bytes, 10, &err), 1);
	assert_int_equal(spool_copy(&s, 0, 10, to, 0, &err), -1);
	close(none);
	close(to);
	close(dir);
}

/* Descriptor 0 is one as any other: a tool may be started without stdin. */
static void
test_descriptor_0(void **state)
{
	static struct spool s;
	int dir = directory(), to = pp_tmpfile_at(dir), was = dup(0);

	(void)state;
	close(0);
	spool_init(&s, dir);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(spool_put(&s, bytes + i * (SPOOL_BUFFER + 1), SPOOL_BUFFER + 1, &err), 1);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(spool_put(&s, bytes + 3 * (SPOOL_BUFFER + 1) + i * SPOOL_BUFFER, SPOOL_BUFFER, &err), 1);
	assert_int_equal(s.fd, 0);
	assert_int_equal(spool_copy(&s, 0, s.len, to, 0, &err), 1);
	assert_int_equal(pread(to, got, SIZE, 0), s.len);
	assert_memory_equal(got, bytes, s.len);
	spool_close(&s);
	assert_int_equal(fcntl(0, F_GETFD), -1);
	if (was >= 0) {
		dup2(was, 0);
		close(was);
	}
	close(to);
	close(dir);
}

static void
test_tail(void **state)
{
	static struct tail t;
	int dir = directory();

	(void)state;
	fill();
	for (unsigned round = 0; round < 40; round++) {
		size_t n = 0, most = rnd(4 * TAIL_BUFFER), at = 50;
		static uint8_t want[SIZE];

		t.fd = pp_tmpfile_at(dir);
		t.at = at;
		while (n < most) {
			size_t some = piece(rnd(5) ? TAIL_BUFFER : 2 * TAIL_BUFFER);
			bool zeros = !rnd(3);

			assert_int_equal(tail_put(&t, zeros ? NULL : bytes + n, some, &err), 1);
			if (zeros)
				memset(want + n, 0, some);
			else
				memcpy(want + n, bytes + n, some);
			n += some;
			assert_int_equal(t.at, at + n);
			if (!rnd(10))
				assert_int_equal(tail_flush(&t, &err), 1);
		}
		assert_int_equal(tail_flush(&t, &err), 1);
		assert_int_equal(tail_flush(&t, &err), 1);
		assert_int_equal(pread(t.fd, got, SIZE, (off_t)at), n);
		assert_memory_equal(got, want, n);
		close(t.fd);
	}
	t.fd = open("/dev/null", O_RDONLY);
	err = (struct pp_err){ .what = "" };
	assert_int_equal(tail_put(&t, bytes, TAIL_BUFFER, &err), 1);
	assert_int_equal(tail_put(&t, bytes, 1, &err), -1);
	assert_true(err.what[0]);
	close(t.fd);
	close(dir);
}

/* No other process can open it, by no name; it goes where it is to. */
static void
test_tmpfile(void **state)
{
	const char *env = getenv("TMPDIR");
	char *was = env ? strdup(env) : NULL;
	struct stat st;
	int fd;

	(void)state;
	setenv("TMPDIR", "/nonexistent/directory", 1);
	assert_string_equal(pp_tmpdir(NULL), "/nonexistent/directory");
	assert_string_equal(pp_tmpdir("/var/tmp"), "/var/tmp");
	assert_int_equal(pp_tmpfile(NULL), -1);
	assert_int_equal(errno, ENOENT);
	setenv("TMPDIR", "", 1);
	assert_string_equal(pp_tmpdir(NULL), "/tmp");
	unsetenv("TMPDIR");
	assert_string_equal(pp_tmpdir(NULL), "/tmp");
	if (was)
		setenv("TMPDIR", was, 1);
	free(was);
	fd = pp_tmpfile("/tmp");
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(pp_tmpfile_write(fd, bytes, 1000), 1);
	assert_int_equal(pp_tmpfile_write(fd, bytes + 1000, 1000), 1);
	assert_int_equal(pp_tmpfile_write_at(fd, bytes, 10, 500), 1);
	assert_int_equal(pp_tmpfile_read_at(fd, got, 1490, 510), 1);
	assert_memory_equal(got, bytes + 510, 1490);
	assert_int_equal(pp_tmpfile_read_at(fd, got, 10, 500), 1);
	assert_memory_equal(got, bytes, 10);
	assert_int_equal(pp_tmpfile_read_at(fd, got, 1491, 510), 0);
	assert_int_equal(pp_tmpfile_write(fd, bytes + 2000, 1), 1);		/* the least */
	assert_int_equal(pp_tmpfile_write_at(fd, bytes + 2001, 1, 2001), 1);
	assert_int_equal(pp_tmpfile_write(fd, bytes, 0), 1);
	assert_int_equal(pp_tmpfile_read_at(fd, got, 1, 2001), 1);
	assert_int_equal(got[0], bytes[2001]);
	assert_int_equal(pp_tmpfile_read_at(fd, got, 1, 2000), 1);
	assert_int_equal(got[0], bytes[2000]);
	close(fd);
	assert_int_equal(pp_tmpfile_read_at(fd, got, 1, 0), -1);
	assert_int_equal(pp_tmpfile_write(fd, bytes, 1), -1);
	assert_int_equal(pp_tmpfile_write_at(fd, bytes, 1, 0), -1);
	err = (struct pp_err){ .what = "" };
	assert_int_equal(pp_tmpfile_fail(&err, NULL, "no reason"), -1);
	assert_string_equal(err.what, "temporary file: no reason");
	assert_int_equal(pp_tmpfile_fail(&err, "write", "another"), -1);	/* the first one counts */
	assert_string_equal(err.what, "temporary file: no reason");
	err = (struct pp_err){ .what = "x" };
	assert_int_equal(pp_tmpfile_fail(&err, "write", "another"), -1);
	assert_string_equal(err.what, "x");
	assert_int_not_equal(err.code, PP_ERR_TEMPORARY);
	err = (struct pp_err){ .what = "" };
	assert_int_equal(pp_tmpfile_fail(&err, "write", "no space"), -1);
	assert_string_equal(err.what, "temporary file: write: no space");
	assert_int_equal(err.code, PP_ERR_TEMPORARY);
}

/* A file system that can make no file without a name: it has one for a moment, in which no signal comes. */
static void
test_name(void **state)
{
	sigset_t before, after;
	int dir = directory(), fd;
	struct stat st;

	(void)state;
	if (!REFUSES)
		skip();
	sigemptyset(&before);
	sigaddset(&before, SIGUSR2);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	refuse(REFUSE_CALL, 1);
	fd = pp_tmpfile_at(dir);
	assert_true(refused_once());
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_memory_equal(&after, &before, 8);
	sigemptyset(&before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(pp_tmpfile_write_at(fd, bytes, 10, 0), 1);
	assert_int_equal(pp_tmpfile_read_at(fd, got, 10, 0), 1);
	close(fd);
	close(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spool), cmocka_unit_test(test_spool_fails), cmocka_unit_test(test_descriptor_0), cmocka_unit_test(test_tail),
		cmocka_unit_test(test_tmpfile), cmocka_unit_test(test_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

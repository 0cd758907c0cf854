/* SPDX-License-Identifier: ISC */
/* One who watches the bytes of a stream, waits for them, and may end it. */
#include <fcntl.h>

#include "perf_data.h"
#include "source/watch.h"

/* On a pipe, or in a file. */
static struct pp_source *
open_bytes(bool by_pipe, unsigned flags)
{
	int fd[2];

	if (by_pipe)
		assert_int_equal(pipe(fd), 0);
	else
		fd[0] = fd[1] = memfd_create("in", MFD_CLOEXEC);
	assert_int_equal(write(fd[1], bytes_p(&b), b.n), b.n);
	if (by_pipe)
		close(fd[1]);
	else
		assert_int_equal(lseek(fd[0], 0, SEEK_SET), 0);
	return pp_open_fd(fd[0], "in", flags, &err);
}

static void
make_stream(void)
{
	b.swap = false;
	b.n = 0;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	for (unsigned i = 0; i < 3; i++) {
		size_t at = begin_rec(&b, 4711, 0);

		put(&b, i, 8);
		end_rec(&b, at);
	}
}

struct watcher { struct bytes seen; int fd; unsigned waits, takes, wait_fails, take_fails; };

static int
watch_wait(void *arg, int fd)
{
	struct watcher *w = arg;

	assert_true(fcntl(fd, F_GETFD) >= 0);
	w->fd = fd;
	return ++w->waits == w->wait_fails ? -1 : 1;
}

static int
watch_took(void *arg, const uint8_t *p, size_t n)
{
	struct watcher *w = arg;

	assert_true(n);
	for (size_t i = 0; i < n; i++)
		put(&w->seen, p[i], 1);
	return ++w->takes == w->take_fails ? -1 : 1;
}

/* Who watches may end it, at each of his calls: without a message, and he is not called again. */
static void
test_ends(void **state)
{
	(void)state;
	for (unsigned form = 0; form < 12; form++) {
		static struct watcher w;
		const struct pp_watch watch = { form % 3 == 2 ? NULL : watch_wait, form % 3 == 1 ? NULL : watch_took, &w };
		bool rest = form / 3 & 1, wait_only = form % 3 == 1;
		unsigned calls = 0;

		for (unsigned fails = 0; fails <= 2 * calls + 1; fails++) {
			struct pp_source *s;
			struct pp_rec r;
			int rc;

			memset(&w, 0, sizeof w);
			w.wait_fails = fails % 2 ? fails / 2 + 1 : 0;
			w.take_fails = fails % 2 ? 0 : fails / 2;
			make_stream();
			err = (struct pp_err){ .what = "" };
			assert_non_null(s = open_bytes(true, PP_OPEN_LATER));
			pp_watch(s, &watch);
			assert_false(pp_watch_took(s));
			if ((rc = pp_begin(s)) > 0) {
				assert_int_equal(pp_watch_took(s), !wait_only);
				while ((rc = pp_next(s, &r)) == 1 && !rest)
					;
				if (rest)
					rc = pp_watch_rest(s);
			}
			if (w.waits < w.wait_fails || w.takes < w.take_fails || !fails || (!w.waits && w.wait_fails) || (!w.takes && w.take_fails)) {
				if (!fails)
					calls = w.waits > w.takes ? w.waits : w.takes;
				assert_true(rc >= 0);
				assert_int_equal(w.seen.n, wait_only ? 0 : b.n);
				assert_memory_equal(bytes_p(&w.seen), bytes_p(&b), w.seen.n);
				assert_int_equal(pp_close(s), 1);
				continue;
			}
			assert_int_equal(rc, -1);
			assert_string_equal(err.what, "");
			assert_true(w.waits == w.wait_fails || w.takes == w.take_fails);
			assert_int_equal(pp_next(s, &r), -1);
			assert_int_equal(pp_close(s), -1);
			assert_true(w.waits == w.wait_fails || w.takes == w.take_fails);
		}
		assert_true(calls > 0);
	}
}

/* The rest of a longer stream, of which nothing was read as records. */
static void
test_rest(void **state)
{
	(void)state;
	for (unsigned fails = 0; fails < 3; fails++) {
		static struct watcher w;
		const struct pp_watch watch = { watch_wait, watch_took, &w };
		struct pp_source *s;
		int fd[2];

		memset(&w, 0, sizeof w);
		make_stream();
		assert_int_equal(pipe(fd), 0);
		assert_int_equal(write(fd[1], bytes_p(&b), 16), 16);
		assert_non_null(s = pp_open_fd(fd[0], "in", PP_OPEN_LATER, &err));
		pp_watch(s, &watch);
		assert_int_equal(pp_begin(s), 1);
		assert_int_equal(w.seen.n, 16);
		assert_int_equal(write(fd[1], bytes_p(&b) + 16, b.n - 16), b.n - 16);
		close(fd[1]);
		w.wait_fails = fails == 1 ? w.waits + 1 : 0;
		w.take_fails = fails == 2 ? w.takes + 1 : 0;
		assert_int_equal(pp_watch_rest(s), fails ? -1 : 1);
		assert_int_equal(w.seen.n, fails == 1 ? 16 : b.n);
		if (!fails) {
			assert_int_equal(pp_close(s), 1);
			continue;
		}
		assert_string_equal(err.what, "");
		assert_int_equal(pp_close(s), -1);
	}
	/* one byte that is left is not the end */
	static struct watcher w;
	const struct pp_watch watch = { .took = watch_took, .arg = &w };
	struct pp_source *s;
	int fd[2];

	memset(&w, 0, sizeof w);
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], bytes_p(&b), 16), 16);
	assert_non_null(s = pp_open_fd(fd[0], "in", PP_OPEN_LATER, &err));
	pp_watch(s, &watch);
	assert_int_equal(pp_begin(s), 1);
	assert_int_equal(write(fd[1], "x", 1), 1);
	close(fd[1]);
	w.take_fails = w.takes + 1;
	assert_int_equal(pp_watch_rest(s), -1);
	assert_int_equal(w.seen.n, 17);
	pp_close(s);
}

/* Nobody is shown the bytes of a perf.data. */
static void
test_file(void **state)
{
	static struct watcher w;
	const struct pp_watch watch = { watch_wait, watch_took, &w };
	struct pp_source *s;
	struct pp_rec r;

	(void)state;
	memset(&w, 0, sizeof w);
	b.swap = false;
	make_file(none, 1, false, false);
	assert_non_null(s = open_bytes(false, PP_OPEN_LATER));
	pp_watch(s, &watch);
	assert_int_equal(pp_begin(s), 1);
	assert_false(pp_watch_took(s));
	assert_int_equal(pp_next(s, &r), 1);
	assert_int_equal(pp_watch_rest(s), 1);
	assert_int_equal(w.takes, 0);
	assert_int_equal(pp_next(s, &r), 1);		/* nothing of it was read away */
	assert_int_equal(pp_close(s), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_ends), cmocka_unit_test(test_rest), cmocka_unit_test(test_file) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

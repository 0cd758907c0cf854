/* SPDX-License-Identifier: ISC */
/* The layers of bytes under a source: each gives the same bytes, in reads of any size, and reports its failure. */
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "source/bytes.h"
#include "source/spare.h"
#include "source/told.h"

enum { SIZE = 50000 };

static uint8_t plain[SIZE], packed[2 * SIZE], got[SIZE + 1];
static size_t npacked;
static struct bytes_err err;
static struct memory mem;

static int
file_of(const uint8_t *p, size_t n)
{
	int fd = memfd_create("bytes", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, n), n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static struct bytes *
open_fd(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return fd_open(fd, &st, &err);
}

static struct bytes *
make_file(void)
{
	return open_fd(file_of(plain, SIZE));
}

static struct bytes *
make_pipe(void)
{
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], plain, SIZE), SIZE);
	close(fd[1]);
	return open_fd(fd[0]);
}

static struct bytes *
make_spool(void)
{
	struct bytes *b = spool_open(NULL, &err);

	assert_non_null(b);
	assert_int_equal(spool_write(b, plain, SIZE / 2), 1);
	assert_int_equal(spool_write(b, plain + SIZE / 2, SIZE - SIZE / 2), 1);
	return b;
}

/* A piece of a spare file behind another. */
static struct bytes *
make_piece(void)
{
	static struct pp_spare *spare;
	static struct bytes *first;
	struct bytes *b;

	bytes_close(first);
	pp_spare_free(spare);
	assert_non_null(spare = pp_spare_new());
	assert_non_null(first = spool_open(spare, &err));
	assert_int_equal(spool_write(first, packed, npacked), 1);
	assert_non_null(b = spool_open(spare, &err));
	assert_int_equal(spool_write(b, plain, SIZE), 1);
	return b;
}

static struct bytes *
make_memory(void)
{
	return memory_bytes(&mem, plain, SIZE);
}

/* Of a file nobody writes: waits for nothing. */
static struct bytes *
make_follow(void)
{
	char path[64];
	int fd = file_of(plain, SIZE);
	struct bytes *b;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	b = follow_open(open_fd(open(path, O_RDONLY)), NULL, &err);
	close(fd);
	assert_non_null(b);
	return b;
}

/* What was read of the layer before it was known to be zstd. */
static struct bytes *
make_zstd(void)
{
	struct bytes *under = open_fd(file_of(packed, npacked)), *b;
	uint8_t head[100];

	assert_int_equal(under->layer->read(under, head, sizeof head), sizeof head);
	assert_string_equal(bytes_format(head)->name, "zstd");
	assert_non_null(b = bytes_format(head)->open(under, head, sizeof head, &err));
	return b;
}

static const struct row { const char *name; struct bytes *(*make)(void); bool seeks, packs; } rows[] = {
	{ "file", make_file, true, false }, { "pipe", make_pipe, false, false }, { "spool", make_spool, true, false },
	{ "piece", make_piece, true, false },
	{ "memory", make_memory, true, false }, { "follow", make_follow, true, false }, { "zstd", make_zstd, false, true },
};

static void
reads(const struct row *r, size_t step)
{
	struct bytes *b = r->make();
	size_t n = 0;
	ssize_t k;

	while ((k = b->layer->read(b, got + n, step < sizeof got - n ? step : sizeof got - n)) > 0) {
		assert_true((size_t)k <= step);
		n += (size_t)k;
	}
	if (k)
		fail_msg("%s, steps of %zu: %s", r->name, step, err.why.what);
	assert_int_equal(n, SIZE);
	assert_memory_equal(got, plain, SIZE);
	assert_int_equal(b->taken, r->packs ? npacked : SIZE);
	assert_int_equal(b->layer->read(b, got, 1), 0);
	assert_string_equal(err.why.what, "");
	bytes_close(b);
}

static void
test_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t step = 1; step <= SIZE + 1; step = step * 7 + 3)
			reads(&rows[i], step);
}

/* read_at() and read() do not disturb each other. */
static void
test_read_at(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct bytes *b = rows[i].make();

		assert_int_equal(b->layer->read_at != NULL, rows[i].seeks);
		assert_int_equal(b->layer->size != NULL, rows[i].seeks);
		assert_true(b->layer->read(b, got, 10) == 10);
		if (rows[i].seeks) {
			assert_int_equal(b->layer->size(b), SIZE);
			assert_int_equal(b->layer->read_at(b, 1000, got, 500), 500);
			assert_memory_equal(got, plain + 1000, 500);
			assert_int_equal(b->layer->read_at(b, SIZE - 1, got, 500), 1);
			assert_int_equal(b->layer->read_at(b, SIZE, got, 500), 0);
			assert_int_equal(b->layer->read_at(b, SIZE + 1, got, 500), 0);
		}
		assert_true(b->layer->read(b, got, 10) == 10);
		assert_memory_equal(got, plain + 10, 10);
		bytes_close(b);
	}
}

enum { FRAMES = 6, TABLE = 8 + 8 * FRAMES + 9 };

static void
put_u32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* `plain' as frames, the third of which is empty, and a seek table behind them.  The number of bytes. */
static size_t
pack_frames(uint8_t *to, size_t size)
{
	uint8_t table[TABLE], *e = table;
	size_t n = 0, at = 0;

	put_u32(e, 0x184d2a5e);
	put_u32(e + 4, TABLE - 8);
	e += 8;
	for (int i = 0; i < FRAMES; i++, e += 8) {
		size_t take = i == 2 ? 0 : i == FRAMES - 1 ? SIZE - at : 9000, len = ZSTD_compress(to + n, size - n, plain + at, take, 1);

		assert_false(ZSTD_isError(len));
		put_u32(e, (uint32_t)len);
		put_u32(e + 4, (uint32_t)take);
		n += len;
		at += take;
	}
	put_u32(e, FRAMES);
	e[4] = 0;
	put_u32(e + 5, 0x8f92eab1);
	memcpy(to + n, table, TABLE);
	return n + TABLE;
}

static struct bytes *
open_frames(const uint8_t *p, size_t n)
{
	struct bytes *under = open_fd(file_of(p, n)), *b;
	uint8_t head[100];

	err = (struct bytes_err){ .fatal = false };
	assert_int_equal(under->layer->read(under, head, sizeof head), sizeof head);
	assert_non_null(b = zstd_open(under, head, sizeof head, &err));
	zstd_seeks(b);
	return b;
}

/* Whatever the seek table says: bytes read in order are the right ones, or reading fails. */
static void
test_seek_table(void **state)
{
	static uint8_t file[3 * SIZE];
	size_t n = pack_frames(file, sizeof file), seek = 0, fails = 0;
	struct bytes *b = open_frames(file, n);
	unsigned at = 7;

	(void)state;
	assert_non_null(b->layer->read_at);
	assert_int_equal(b->layer->size(b), SIZE);
	for (int i = 0; i < 300; i++) {
		size_t left = SIZE - (at = (at * 7919 + 13) % SIZE), want = i % 3 ? 1 + at % 20000 : 1;
		ssize_t k = b->layer->read_at(b, at, got, want);

		assert_true(k > 0 && (size_t)k <= (want < left ? want : left));
		assert_memory_equal(got, plain + at, k);
	}
	assert_int_equal(b->layer->read_at(b, SIZE, got, 1), 0);
	assert_true(b->layer->read(b, got, 10) == 10);
	assert_memory_equal(got, plain, 10);
	bytes_close(b);
	for (size_t bit = 0; bit < 8 * TABLE; bit++) {
		uint8_t *p = &file[n - TABLE + bit / 8];
		size_t done = 0;
		ssize_t k = 1;

		*p ^= (uint8_t)(1 << bit % 8);
		b = open_frames(file, n);
		seek += b->layer->read_at != NULL;
		for (; b->layer->read_at && (k = b->layer->read_at(b, done, got, 4000)) > 0; done += (size_t)k) {
			assert_true(done + (size_t)k <= SIZE);
			assert_memory_equal(got, plain + done, k);
		}
		fails += k < 0;
		assert_true(k != 0 || done == SIZE);
		bytes_close(b);
		*p ^= (uint8_t)(1 << bit % 8);
	}
	assert_true(fails > 8 * FRAMES && seek > fails && seek < 8 * TABLE);	/* some are refused at once, some later */
	/* frames up to a size: what expands to more is not for one who wants a byte of it */
	for (size_t i = 0; i < 2 * FRAMES; i++) {
		uint8_t *p = &file[n - TABLE + 8 + 8 * (i / 2) + 4], was[4];

		memcpy(was, p, 4);
		put_u32(p, (64 << 20) + (uint32_t)(i & 1));
		b = open_frames(file, n);
		assert_int_equal(b->layer->read_at != NULL, !(i & 1));
		bytes_close(b);
		memcpy(p, was, 4);
	}
	err = (struct bytes_err){ .fatal = false };
	b = open_frames(file, n - 1);
	assert_null(b->layer->read_at);
	bytes_close(b);
}

/* A failure has a text, a place in the layer that failed, and says whether reading can go on. */
static void
failure(struct bytes *b, const char *what, uint64_t off, bool fatal)
{
	ssize_t k;

	while ((k = b->layer->read(b, got, sizeof got)) > 0)
		;
	assert_int_equal(k, -1);
	assert_string_equal(err.why.what, what);
	assert_true(err.why.at);
	assert_int_equal(err.why.off, off);
	assert_int_equal(err.fatal, fatal);
	err = (struct bytes_err){ .fatal = false };
	bytes_close(b);
}

static void
test_failures(void **state)
{
	int fd = open("/dev/null", O_WRONLY), pair[2];
	struct bytes *under;

	(void)state;
	failure(open_fd(fd), "read: Bad file descriptor", 0, true);
	assert_int_equal(pipe(pair), 0);
	assert_int_equal(write(pair[1], packed, npacked - 5), npacked - 5);
	close(pair[1]);
	under = open_fd(pair[0]);
	failure(zstd_open(under, packed, 0, &err), "zstd: the last frame is cut short", npacked - 5, false);
	/* behind a frame that zstd steps over there is none, in a later read */
	static uint8_t skipped[400000] = { 0x50, 0x2a, 0x4d, 0x18 };

	put_u32(skipped + 4, sizeof skipped - 8 - 20);
	memcpy(skipped + sizeof skipped - 20, "no frame", 8);
	under = open_fd(file_of(skipped, sizeof skipped));
	failure(zstd_open(under, skipped, 0, &err), "zstd: Unknown frame descriptor", sizeof skipped - 20, false);
}

/* What is at hand is not waited for: there is a descriptor to wait for only when nothing is left of what zstd has read of it. */
static void
test_poll_fd(void **state)
{
	static uint8_t file[3 * SIZE];
	static const uint8_t zeros[200000];
	enum { TAIL = 4 };			/* the last of two blocks */
	int pair[2];
	struct bytes *b;
	size_t n;

	(void)state;
	n = ZSTD_compress(file, sizeof file, zeros, sizeof zeros, 1);
	assert_false(ZSTD_isError(n));
	assert_int_equal(pipe(pair), 0);
	b = open_fd(pair[0]);
	assert_int_equal(b->layer->poll_fd(b), pair[0]);
	assert_non_null(b = zstd_open(b, file, n - TAIL, &err));
	assert_int_equal(b->layer->poll_fd(b), -1);
	assert_int_equal(b->layer->read(b, got, 1), 1);
	assert_int_equal(b->layer->poll_fd(b), -1);		/* all input is read, but not all output written */
	for (size_t k = 1; k < ZSTD_BLOCKSIZE_MAX;)
		k += (size_t)b->layer->read(b, got, ZSTD_BLOCKSIZE_MAX - k < sizeof got ? ZSTD_BLOCKSIZE_MAX - k : sizeof got);
	assert_int_equal(write(pair[1], file + n - TAIL, TAIL), TAIL);
	for (size_t k = ZSTD_BLOCKSIZE_MAX; k < sizeof zeros;)
		k += (size_t)b->layer->read(b, got, sizeof got);
	assert_int_equal(b->layer->poll_fd(b), pair[0]);
	assert_int_equal(write(pair[1], packed, npacked), npacked);
	assert_int_equal(write(pair[1], packed, npacked), npacked);
	for (size_t k = 0; k < SIZE;)
		k += (size_t)b->layer->read(b, got, SIZE - k);
	assert_int_equal(b->layer->poll_fd(b), -1);		/* the second frame has been read with the first */
	for (size_t k = 0; k < SIZE;)
		k += (size_t)b->layer->read(b, got, SIZE - k);
	assert_int_equal(b->layer->poll_fd(b), pair[0]);
	close(pair[1]);
	assert_int_equal(b->layer->read(b, got, 1), 0);
	bytes_close(b);
	b = make_memory();
	assert_int_equal(b->layer->poll_fd(b), -1);
	bytes_close(b);
}

/* A file that is written: read() waits for more of it, read_at() does not; *stop ends that. */
static void
test_follow(void **state)
{
	static volatile sig_atomic_t stop;
	int fd = file_of(plain, 100);
	struct bytes *b = follow_open(open_fd(fd), NULL, &err);	/* which is open for writing */

	(void)state;
	assert_non_null(b);
	follow_stop_at(b, &stop);
	assert_int_equal(b->layer->read(b, got, 200), 100);
	assert_int_equal(b->layer->read_at(b, 100, got, 100), 0);
	assert_int_equal(pwrite(fd, plain + 100, 50, 100), 50);
	assert_int_equal(b->layer->read(b, got, 200), 50);
	assert_memory_equal(got, plain + 100, 50);
	assert_true(follow_pause(b) && !follow_over(b));
	stop = 1;
	assert_int_equal(b->layer->read(b, got, 200), 0);
	assert_true(follow_over(b) && follow_stopped(b) && !follow_pause(b));
	bytes_close(b);
}

/* A file is followed as long as a process can write it, and what that wrote last is read. */
static void
test_has_writer(void **state)
{
	char name[] = "/tmp/layers.XXXXXX";
	int fd = mkstemp(name), in = open(name, O_RDONLY | O_CLOEXEC);
	struct bytes *b;

	(void)state;
	assert_true(fd >= 0 && in >= 0);
	unlink(name);
	assert_int_equal(write(fd, plain, 100), 100);
	assert_int_equal(pwrite(fd, "P", 1, 0), 1);		/* of a file that begins with a 0 it would wait for another */
	assert_non_null(b = follow_open(open_fd(in), NULL, &err));
	assert_int_equal(b->layer->read(b, got, 200), 100);
	for (int i = 0; i < 3; i++)
		assert_true(follow_pause(b) && !follow_over(b));
	assert_int_equal(write(fd, plain + 100, 50), 50);
	close(fd);
	if (fcntl(in, F_SETLEASE, F_RDLCK) == 0) {		/* else the system cannot tell */
		fcntl(in, F_SETLEASE, F_UNLCK);
		assert_int_equal(b->layer->read(b, got, 200), 50);
		assert_memory_equal(got, plain + 100, 50);
		assert_int_equal(b->layer->read(b, got, 200), 0);
		assert_true(follow_over(b) && !follow_stopped(b));
	}
	bytes_close(b);
}

struct writer {			/* writes some bytes whenever it is waited for */
	int		 fd, calls, last;
	size_t		 n;
};

static int
writer_wait(void *arg)
{
	struct writer *w = arg;

	if (++w->calls > 3)
		return w->last;
	assert_int_equal(pwrite(w->fd, plain + w->n, 10, (off_t)w->n), 10);
	w->n += 10;
	return 1;
}

/* Its writer says when there is more, and is asked for nothing but that: the file is open for writing all the time. */
static void
test_told(void **state)
{
	for (int last = 0; last >= -1; last--) {
		int fd = file_of(plain, 100);
		struct writer w = { .fd = fcntl(fd, F_DUPFD_CLOEXEC, 0), .last = last, .n = 100 };
		struct pp_told told = { writer_wait, &w };
		struct bytes *b;

		(void)state;
		assert_int_equal(pwrite(fd, "P", 1, 0), 1);	/* of a file that begins with a 0 it would wait for another */
		b = follow_open(open_fd(fd), &told, &err);
		assert_non_null(b);
		assert_int_equal(w.calls, 0);
		assert_int_equal(b->layer->read(b, got, 200), 100);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(b->layer->read(b, got + 100 + 10 * i, 200), 10);
			assert_int_equal(w.calls, i + 1);
		}
		assert_memory_equal(got + 1, plain + 1, 129);
		assert_int_equal(b->layer->read(b, got, 200), 0);
		assert_true(follow_over(b) && follow_stopped(b) == (last < 0) && !follow_pause(b));
		bytes_close(b);
		close(w.fd);
	}
}

/* Pieces of a spare file: the last gives its place back, another one keeps it. */
static void
test_spare(void **state)
{
	struct pp_spare *spare = pp_spare_new();
	struct bytes *a, *b;
	struct stat st;

	(void)state;
	assert_non_null(spare);
	assert_non_null(a = spool_open(spare, &err));
	assert_int_equal(spool_write(a, plain, 1000), 1);
	assert_non_null(b = spool_open(spare, &err));
	assert_int_equal(spool_write(b, plain + 1000, 500), 1);
	assert_int_equal(fstat(b->layer->poll_fd(b), &st), 0);
	assert_int_equal(st.st_size, 1500);
	bytes_close(a);
	assert_int_equal(fstat(b->layer->poll_fd(b), &st), 0);
	assert_int_equal(st.st_size, 1500);
	assert_int_equal(b->layer->read(b, got, SIZE), 500);
	assert_memory_equal(got, plain + 1000, 500);
	bytes_close(b);
	assert_non_null(b = spool_open(spare, &err));
	assert_int_equal(spool_write(b, plain, 10), 1);
	assert_int_equal(fstat(b->layer->poll_fd(b), &st), 0);
	assert_int_equal(st.st_size, 1010);
	bytes_close(b);
	pp_spare_free(spare);
}

static unsigned
descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* A piece of a spare file ends where the next one begins; what fails is said, and where. */
static void
test_pieces(void **state)
{
	unsigned before = descriptors();
	struct bytes_err e = { .fatal = false };
	struct pp_spare *spare = pp_spare_new();
	struct bytes *x, *y;

	(void)state;
	assert_non_null(spare);
	assert_non_null(x = spool_open(spare, &e));
	assert_int_equal(spool_write(x, (const uint8_t *)"0123456789", 10), 1);
	assert_non_null(y = spool_open(spare, &e));
	assert_int_equal(spool_write(y, (const uint8_t *)"abcde", 5), 1);
	assert_int_equal(x->layer->size(x), 10);
	assert_int_equal(x->layer->read_at(x, 7, got, sizeof got), 3);
	assert_memory_equal(got, "789", 3);
	assert_int_equal(x->layer->read_at(x, 7, got, 10), 3);
	assert_int_equal(x->layer->read_at(x, 10, got, 1), 0);
	assert_int_equal(x->layer->read_at(x, 11, got, 1), 0);
	assert_int_equal(x->layer->read(x, got, 4), 4);
	assert_int_equal(x->layer->read(x, got, sizeof got), 6);
	assert_memory_equal(got, "456789", 6);
	assert_int_equal(x->taken, 10);
	assert_int_equal(x->layer->read(x, got, sizeof got), 0);
	assert_int_equal(y->layer->read_at(y, 0, got, sizeof got), 5);
	assert_memory_equal(got, "abcde", 5);
	close(y->layer->poll_fd(y));
	assert_int_equal(y->layer->read_at(y, 2, got, 1), -1);
	assert_string_equal(e.why.what, "temporary file: read: Bad file descriptor");
	assert_int_equal(e.why.off, 2);
	assert_true(e.fatal);
	e = (struct bytes_err){ .fatal = false };
	assert_int_equal(y->layer->read(y, got, 1), -1);
	assert_int_equal(y->taken, 0);
	e = (struct bytes_err){ .fatal = false };
	assert_int_equal(spool_write(y, got, 1), -1);
	assert_string_equal(e.why.what, "temporary file: write: Bad file descriptor");
	assert_true(e.fatal);
	assert_int_equal(y->layer->size(y), 5);
	bytes_close(y);
	bytes_close(x);
	pp_spare_free(spare);
	assert_int_equal(descriptors(), before);
	pp_spare_free(NULL);
}

/* Without a directory for it there is no temporary file: why is said when it is needed. */
static void
test_no_directory(void **state)
{
	const char *env = getenv("TMPDIR");
	char *was = env ? strdup(env) : NULL;
	struct pp_spare *spare;

	(void)state;
	setenv("TMPDIR", "/nonexistent", 1);
	assert_non_null(spare = pp_spare_new());
	for (int i = 0; i < 2; i++) {
		struct bytes_err e = { .fatal = false };

		errno = 0;
		assert_null(spool_open(i ? spare : NULL, &e));
		assert_string_equal(e.why.what, "this kind of recording on a pipe needs a temporary file: /nonexistent: No such file or directory");
		assert_int_equal(e.why.off, 0);
	}
	pp_spare_free(spare);
	unsetenv("TMPDIR");
	if (was)
		setenv("TMPDIR", was, 1);
	free(was);
}

static void
test_formats(void **state)
{
	static const struct { const char *bytes, *name; bool opens; } is[] = {
		{ "\x28\xb5\x2f\xfd............", "zstd", true }, { "\x5f\x2a\x4d\x18............", "zstd", true },
		{ "\x1f\x8b..............", "gzip", false }, { "\xfd" "7zXZ\0..........", "xz", false },
		{ "BZh9............", "bzip2", false }, { "PERFILE2........", NULL, false }, { "\x60\x2a\x4d\x18............", NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
		const struct bytes_format *f = bytes_format((const uint8_t *)is[i].bytes);

		assert_int_equal(f != NULL, is[i].name != NULL);
		if (f)
			assert_string_equal(f->name, is[i].name);
		assert_int_equal(f && f->open, is[i].opens);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read), cmocka_unit_test(test_seek_table), cmocka_unit_test(test_read_at), cmocka_unit_test(test_failures),
		cmocka_unit_test(test_poll_fd), cmocka_unit_test(test_follow), cmocka_unit_test(test_has_writer), cmocka_unit_test(test_told), cmocka_unit_test(test_spare),
		cmocka_unit_test(test_pieces), cmocka_unit_test(test_no_directory), cmocka_unit_test(test_formats),
	};

	for (size_t i = 0; i < SIZE; i++)
		plain[i] = (uint8_t)(i * i >> 5);
	npacked = ZSTD_compress(packed, sizeof packed, plain, SIZE, 1);
	return cmocka_run_group_tests_name("layers", tests, NULL, NULL);
}

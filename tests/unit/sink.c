/* SPDX-License-Identifier: ISC */
/* A sink writes all bytes, in order; a failed write is reported by this call and all later ones. */
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "bytes.h"
#include "chance.h"
#include "sink/out_feed.h"
#include "sink/pack.h"
#include "sink/sink.h"

static char name[] = "/tmp/sink.XXXXXX";

static int
make_name(void **state)
{
	int fd = mkstemp(name);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int
remove_name(void **state)
{
	(void)state;
	return unlink(name);
}

static size_t
written(uint8_t *to, size_t size)
{
	int fd = open(name, O_RDONLY);
	ssize_t n = read(fd, to, size);

	close(fd);
	assert_true(n >= 0);
	return (size_t)n;
}

/* Pieces that lie side by side, apart, backwards, and new ones between; far more than one writev takes. */
static void
test_order(void **state)
{
	enum { N = 5000, PIECE = 7, SPACE = 2 * N * PIECE };
	uint8_t *from = malloc(N * PIECE), *want = malloc(SPACE), *got = malloc(SPACE);
	struct pp_err err;
	struct pp_sink *k = pp_create(name, &err);
	size_t n = 0;

	(void)state;
	assert_non_null(k);
	for (size_t i = 0; i < N * PIECE; i++)
		from[i] = (uint8_t)(i * 31 + i / 256);
	for (size_t i = 0; i < N; i++) {
		size_t at = (i % 3 == 0 ? i : i % 3 == 1 ? N - 1 - i : i / 2) * PIECE;

		assert_int_equal(pp_put_stable(k, from + at, PIECE), 1);
		memcpy(want + n, from + at, PIECE);
		n += PIECE;
		if (i % 5 == 0) {
			uint32_t new = (uint32_t)i;

			assert_int_equal(pp_put_copy(k, &new, sizeof new), 1);
			memcpy(want + n, &new, sizeof new);
			n += sizeof new;
			new = 0xdeadbeef;	/* it was copied */
		}
	}
	assert_int_equal(pp_flush(k), 1);
	assert_int_equal(pp_written(k), n);
	assert_int_equal(pp_finish(k), 1);
	assert_int_equal(written(got, SPACE), n);
	assert_memory_equal(got, want, n);
	free(from);
	free(want);
	free(got);
}

/* New bytes of any size, up to more than the sink's scratch. */
static void
test_copies(void **state)
{
	enum { SPACE = 1 << 20 };
	uint8_t *big = malloc(SPACE), *got = malloc(SPACE), *want = malloc(SPACE);
	struct pp_err err;
	struct pp_sink *k = pp_create(name, &err);
	size_t n = 0;

	(void)state;
	for (size_t size = 1; size < 300000; size = size * 3 + 1) {
		memset(big, (int)size, size);
		assert_int_equal(pp_put_copy(k, big, size), 1);
		memcpy(want + n, big, size);
		memset(big, 0, size);
		n += size;
	}
	assert_int_equal(pp_put_copy(k, big, 0), 1);
	assert_int_equal(pp_finish(k), 1);
	assert_int_equal(written(got, SPACE), n);
	assert_memory_equal(got, want, n);
	free(big);
	free(got);
	free(want);
}

static void
test_full_disk(void **state)
{
	struct pp_err err;
	struct pp_sink *k = pp_create("/dev/full", &err);
	static const uint8_t bytes[100];

	(void)state;
	if (!k)
		skip();
	assert_int_equal(pp_put_stable(k, bytes, 50), 1);	/* nothing is written yet */
	assert_int_equal(pp_flush(k), -1);
	assert_string_equal(err.file, "/dev/full");
	assert_non_null(strstr(err.what, "No space left"));
	assert_int_equal(pp_put_stable(k, bytes, 50), -1);
	assert_int_equal(pp_flush(k), -1);
	assert_int_equal(pp_written(k), 0);
	assert_int_equal(pp_finish(k), -1);

	k = pp_create("/dev/full", &err);
	assert_int_equal(pp_put_copy(k, bytes, 50), 1);
	assert_int_equal(pp_finish(k), -1);			/* only now */
	assert_non_null(strstr(err.what, "No space left"));
}

static void
test_cannot_create(void **state)
{
	struct pp_err err;

	(void)state;
	assert_null(pp_create("/nonexistent/file", &err));
	assert_non_null(strstr(err.what, "No such file"));
	assert_false(err.at);
	assert_int_equal(pp_finish(NULL), 1);
}

/* A new file is for its owner alone; one that was there is written anew. */
static void
test_create(void **state)
{
	struct pp_err err = { .what = "before", .at = true };
	struct pp_sink *k = pp_create(name, &err);
	uint8_t got[100];
	struct stat st;

	(void)state;
	assert_non_null(k);
	assert_string_equal(err.file, name);
	assert_string_equal(err.what, "");
	assert_int_equal(pp_put_copy(k, "longer", 6), 1);
	assert_int_equal(pp_finish(k), 1);
	assert_int_equal(written(got, sizeof got), 6);
	assert_non_null(k = pp_create(name, &err));
	assert_int_equal(pp_put_copy(k, "now", 3), 1);
	assert_int_equal(pp_finish(k), 1);
	assert_int_equal(written(got, sizeof got), 3);
	assert_int_equal(unlink(name), 0);
	assert_non_null(k = pp_create(name, &err));
	assert_int_equal(pp_finish(k), 1);
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_size, 0);
}

/* Standard output, by either name, which stays open. */
static void
test_stdout(void **state)
{
	static const char *const names[] = { NULL, "-" };
	int was, fd = memfd_create("out", MFD_CLOEXEC);
	uint8_t got[10];

	(void)state;
	fflush(stdout);
	was = dup(STDOUT_FILENO);
	dup2(fd, STDOUT_FILENO);
	for (size_t i = 0; i < 2; i++) {
		struct pp_err err;
		struct pp_sink *k = pp_create(names[i], &err);
		bool good = k && !strcmp(err.file, "<stdout>") && pp_put_copy(k, "word", 4) > 0;

		good &= pp_finish(k) > 0 && fcntl(STDOUT_FILENO, F_GETFD) >= 0;
		if (!good) {
			dup2(was, STDOUT_FILENO);
			fail_msg("name %zu: %s", i, err.what);
		}
	}
	dup2(was, STDOUT_FILENO);
	close(was);
	assert_int_equal(pread(fd, got, sizeof got, 0), 8);
	assert_memory_equal(got, "wordword", 8);
	close(fd);
}

/* A descriptor that is none; one that cannot be closed at the end. */
static void
test_descriptor(void **state)
{
	struct pp_err err = { .what = "before" };
	struct pp_sink *k;
	int fd;

	(void)state;
	errno = ENOTDIR;
	assert_null(pp_create_fd(-1, "name", &err));
	assert_string_equal(err.file, "name");
	assert_string_equal(err.what, "Not a directory");
	assert_int_equal(err.error, ENOTDIR);
	fd = memfd_create("out", MFD_CLOEXEC);
	assert_non_null(k = pp_create_fd(fd, "name", &err));
	assert_string_equal(err.what, "");
	close(fd);
	assert_int_equal(pp_finish(k), -1);
	assert_string_equal(err.what, "close: Bad file descriptor");
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_non_null(k = pp_create_fd(fd, "name", &err));
	assert_int_equal(pp_put_copy(k, "x", 1), 1);
	assert_int_equal(pp_finish(k), -1);
	assert_string_equal(err.what, "write: Bad file descriptor");
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	/* descriptor 0 is one as any other */
	fd = dup(0);
	close(0);
	assert_int_equal(memfd_create("out", MFD_CLOEXEC), 0);
	k = pp_create_fd(0, "name", &err);
	if (k && pp_put_copy(k, "x", 1) > 0 && pp_flush(k) > 0 && lseek(0, 0, SEEK_END) == 1 && pp_finish(k) > 0 && fcntl(0, F_GETFD) == -1)
		err.what[0] = 0;
	else
		pp_fail(&err, "descriptor 0");
	if (fd >= 0) {
		dup2(fd, 0);
		close(fd);
	}
	assert_string_equal(err.what, "");
}

enum { MUCH = 6 << 20 };

struct reader { int fd; size_t n; uint8_t *got; };

static void *
read_all(void *arg)
{
	struct reader *r = arg;
	ssize_t n;

	while ((n = read(r->fd, r->got + r->n, MUCH - r->n)) > 0)
		r->n += (size_t)n;
	return NULL;
}

struct told { uint64_t last; unsigned n; };

static void
note_written(void *arg, uint64_t n)
{
	struct told *t = arg;

	assert_true(n >= t->last);
	t->last = n;
	t->n++;
}

/* A pipe that takes a part of what is given to it, and must be waited for. */
static void
test_pipe(void **state)
{
	uint8_t *bytes = malloc(MUCH), *want = malloc(MUCH);
	struct reader r = { .got = malloc(MUCH) };
	struct told t = { 0, 0 };
	struct pp_sink *k;
	struct pp_err err;
	pthread_t thread;
	size_t n = 0;
	int fd[2];

	(void)state;
	for (size_t i = 0; i < MUCH; i++)
		bytes[i] = (uint8_t)(i * 7 + (i >> 8) * 13 + (i >> 16));
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(fcntl(fd[1], F_SETFL, O_NONBLOCK), 0);
	r.fd = fd[0];
	assert_non_null(k = pp_create_fd(fd[1], "pipe", &err));
	pp_on_write(k, note_written, &t);
	assert_int_equal(pthread_create(&thread, NULL, read_all, &r), 0);
	for (size_t at = 0, some = 1500; at + some < MUCH; at += some + 1, some = some < 5000 ? some + 7 : 1500) {	/* a gap behind each */
		assert_int_equal(pp_put_stable(k, bytes + at, some), 1);
		memcpy(want + n, bytes + at, some);
		n += some;
	}
	assert_int_equal(pp_flush(k), 1);
	assert_int_equal(t.last, n);
	assert_int_equal(pp_written(k), n);
	assert_true(t.n > 1 && t.n < 10);		/* a thousand pieces at once */
	assert_int_equal(pp_finish(k), 1);
	pthread_join(thread, NULL);
	assert_int_equal(r.n, n);
	assert_memory_equal(r.got, want, n);
	close(fd[0]);
	free(bytes);
	free(want);
	free(r.got);
}

/* Who wants to know how much has been written is not told of what failed. */
static void
test_written_fails(void **state)
{
	struct told t = { 0, 0 };
	struct pp_err err;
	struct pp_sink *k = pp_create("/dev/full", &err);

	(void)state;
	if (!k)
		skip();
	pp_on_write(k, note_written, &t);
	assert_int_equal(pp_put_copy(k, "x", 1), 1);
	assert_int_equal(pp_flush(k), -1);
	assert_int_equal(t.n, 0);
	assert_int_equal(pp_finish(k), -1);
	assert_int_equal(t.n, 0);
}

static int
nowhere(void *arg, const uint8_t *p, size_t n)
{
	(void)p;
	*(size_t *)arg += n;
	return 1;
}

/* Bytes that are no whole record are refused, and nothing after them is taken. */
static void
test_incomplete(void **state)
{
	static const struct { uint16_t size; size_t n; } bad[] = { { 24, 16 }, { 7, 16 }, { 16, 7 } };
	uint8_t rec[16] = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct pp_err err = { .what = "" };
		size_t n = 0;
		struct pp_pack *c = pp_pack_new(&(struct pp_compress_how){ .level = 1 }, false, nowhere, &n, &err);

		assert_non_null(c);
		pp_set_u32(rec, PP_SAMPLE, false);
		pp_set_u16(rec + 6, sizeof rec, false);
		assert_int_equal(pp_pack_feed(c, rec, sizeof rec), 1);
		pp_set_u16(rec + 6, bad[i].size, false);
		assert_int_equal(pp_pack_feed(c, rec, bad[i].n), -1);
		assert_string_equal(err.what, "an incomplete record cannot be compressed");
		pp_set_u16(rec + 6, sizeof rec, false);
		assert_int_equal(pp_pack_feed(c, rec, sizeof rec), -1);
		assert_int_equal(pp_pack_flush(c), -1);
		assert_int_equal(n, 0);
		pp_pack_free(c);
	}
}

/* The words of header feature 27, in both byte orders, and nothing behind them. */
static void
test_feature(void **state)
{
	static const uint8_t little[] = { 0, 0, 0, 0, 1, 0, 0, 0, 19, 0, 0, 0, 0x04, 0x03, 0x02, 0x01, 0, 0x10, 0x09, 0, 0xee };

	(void)state;
	for (int big = 0; big < 2; big++) {
		uint8_t p[PP_COMPRESS_FEATURE + 1];

		assert_int_equal(sizeof p, sizeof little);
		memset(p, 0xee, sizeof p);
		pp_compress_payload(p, 19, 0x01020304, big != BIG_HERE);
		for (unsigned i = 0; i < sizeof p; i++)
			assert_int_equal(p[i], little[big && i < PP_COMPRESS_FEATURE ? i ^ 3 : i]);
	}
}

/* A container that takes records: stable ones are looked at when it is told that they go. */
struct taken {
	struct out	 out;
	uint8_t		 got[70000];
	size_t		 n;
	struct { const uint8_t *p; size_t n, at; } held[2000];
	size_t		 nheld;
	unsigned	 records, finished;
	uint64_t	 payload;	/* still to come */
};

static int
taken_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct taken *t = (struct taken *)o;

	assert_null(in);
	assert_int_equal(t->payload, 0);
	if (stable) {
		t->held[t->nheld].p = r->raw;
		t->held[t->nheld].n = r->size;
		t->held[t->nheld++].at = t->n;
	} else {
		memcpy(t->got + t->n, r->raw, r->size);
	}
	t->n += r->size;
	t->records++;
	t->payload = r->payload;
	return 1;
}

static int
taken_payload(struct out *o, const uint8_t *p, size_t n)
{
	struct taken *t = (struct taken *)o;

	assert_true(n && n <= t->payload);
	t->payload -= n;
	memcpy(t->got + t->n, p, n);
	t->n += n;
	return 1;
}

static int
taken_flush(struct out *o, bool wait)
{
	struct taken *t = (struct taken *)o;

	(void)wait;
	for (size_t i = 0; i < t->nheld; i++)
		memcpy(t->got + t->held[i].at, t->held[i].p, t->held[i].n);
	t->nheld = 0;
	return 1;
}

static int
taken_finish(struct out *o)
{
	struct taken *t = (struct taken *)o;

	t->finished++;
	return 1;
}

/* Whatever the pieces are in which a stream is written, a container gets its records, each whole. */
static void
test_records(void **state)
{
	static struct taken t;
	static struct bytes b;
	unsigned records = 0;

	(void)state;
	for (unsigned piece = 1; piece < 4000; piece += piece < 40 ? 1 : 977)
		for (int swap = 0; swap < 2; swap++) {
			struct pp_err err = { 0 };
			struct pp_sink *k;
			size_t at;

			memset(&t, 0, sizeof t);
			memset(&b, 0, sizeof b);
			t.out = (struct out){ .put = taken_put, .flush = taken_flush, .payload = taken_payload, .finish = taken_finish };
			b.swap = swap;
			put_text(&b, "PERFILE2", 16);
			seed = piece;
			for (records = 0; b.n < 20000; records++) {
				at = begin_rec(&b, 1 + rnd(10), 0);
				for (unsigned n = rnd(20) ? rnd(12) : rnd(300); n; n--)
					put(&b, rnd(1u << 31), 8);
				end_rec(&b, at);
				if (rnd(50))
					continue;
				at = begin_rec(&b, 66, 0);		/* TRACING_DATA */
				put(&b, 8 + rnd(500) * 8, 4);
				end_rec(&b, at);
				records++;
				for (unsigned n = pp_get_u32(bytes_p(&b) + at + 8, swap); n; n--)
					put(&b, n, 1);
			}
			assert_non_null(k = out_feed_new(&t.out, swap, &err));
			for (size_t done = 0; done < b.n; done += piece) {
				assert_int_equal(pp_put_copy(k, bytes_p(&b) + done, piece < b.n - done ? piece : b.n - done), 1);
				assert_int_equal(pp_flush(k), 1);
			}
			assert_int_equal(pp_finish(k), 1);
			assert_int_equal(t.finished, 1);
			assert_int_equal(t.records, records);
			assert_int_equal(t.n, b.n - 16);
			assert_int_equal(t.payload, 0);
			assert_memory_equal(t.got, bytes_p(&b) + 16, t.n);
		}
}

/* What is shorter than a header is no record. */
static void
test_no_record(void **state)
{
	static struct taken t;
	static const uint8_t head[16], bad[] = { 1, 0, 0, 0, 0, 0, 7, 0 }, big_bad[] = { 0, 0, 0, 1, 0, 0, 0, 7 };

	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct pp_err err = { 0 };
		struct pp_sink *k;

		memset(&t, 0, sizeof t);
		t.out = (struct out){ .put = taken_put, .flush = taken_flush, .payload = taken_payload, .finish = taken_finish };
		assert_non_null(k = out_feed_new(&t.out, big != BIG_HERE, &err));
		assert_int_equal(pp_put_copy(k, head, sizeof head), 1);
		pp_put_copy(k, big ? big_bad : bad, sizeof bad);
		assert_int_equal(pp_flush(k), -1);
		assert_string_equal(err.what, "a record of 7 bytes was put");
		assert_int_equal(t.records, 0);
		assert_int_equal(pp_finish(k), -1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order), cmocka_unit_test(test_copies), cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_cannot_create), cmocka_unit_test(test_incomplete), cmocka_unit_test(test_feature),
		cmocka_unit_test(test_records), cmocka_unit_test(test_no_record), cmocka_unit_test(test_create), cmocka_unit_test(test_stdout),
		cmocka_unit_test(test_descriptor), cmocka_unit_test(test_pipe), cmocka_unit_test(test_written_fails),
	};

	return cmocka_run_group_tests_name("sink", tests, make_name, remove_name);
}

/* SPDX-License-Identifier: ISC */
/* A sink writes all bytes, in order; a failed write is reported by this call and all later ones. */
#include <fcntl.h>
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
		cmocka_unit_test(test_records), cmocka_unit_test(test_no_record),
	};

	return cmocka_run_group_tests_name("sink", tests, make_name, remove_name);
}

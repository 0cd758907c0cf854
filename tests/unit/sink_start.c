/* SPDX-License-Identifier: ISC */
/* A sink behind a source: its header, payloads of records, and compressed records. */
#include <sys/mman.h>

#include <unistd.h>

#include "record/feature.h"
#include "record/raw.h"
#include "sink/out.h"
#include "taker.h"

static struct bytes b;

/* An attr, TRACING_DATA with a payload of some bytes, and samples. */
static struct pp_source *
open_source(bool swap, size_t payload)
{
	static const struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_IP };
	int fd = memfd_create("in", 0);
	struct pp_source *s;
	size_t at;

	b.n = 0;
	b.swap = swap;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	put_attr(&b, &a, 0, NULL);
	at = begin_rec(&b, 66, 0);
	put(&b, payload, 4);
	put(&b, 0, 4);
	end_rec(&b, at);
	for (size_t i = 0; i < payload; i++)
		put(&b, i, 1);
	for (unsigned i = 0; i < 500; i++) {
		at = begin_rec(&b, PP_SAMPLE, 2);
		put(&b, i, 8);
		end_rec(&b, at);
	}
	assert_int_equal(write(fd, bytes_p(&b), b.n), b.n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_non_null(s = pp_open_fd(fd, "in", PP_OPEN_ANY_TRACING, &err));
	return s;
}

static int
put_all(struct pp_sink *k, struct pp_source *s)
{
	struct pp_rec r;
	int rc;

	while ((rc = pp_next(s, &r)) > 0)
		if (pp_put(k, s, &r) < 0)
			return -1;
	return rc < 0 ? -1 : 1;
}

static void
test_start(void **state)
{
	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		bool bare = form & 1;
		struct pp_source *s = open_source(form & 2, 40);
		struct pp_sink *k = new_sink();
		size_t head = bare ? 16 : 0;

		assert_int_equal(bare ? pp_start_bare(k, s) : pp_start(k, s), 1);
		assert_int_equal(put_all(k, s), 1);
		assert_int_equal(pp_close(s), 1);
		assert_int_equal(t.n, b.n - head);		/* the source has flushed it before its end */
		assert_int_equal(pp_finish(k), 1);
		assert_int_equal(t.n, b.n - head);
		assert_memory_equal(t.got, bytes_p(&b) + head, b.n - head);
	}
	/* a payload behind a write that failed is not asked for */
	for (unsigned form = 0; form < 2; form++) {
		struct pp_source *s = open_source(false, 40);
		struct pp_sink *k = new_sink();
		uint64_t before;
		struct pp_rec r;

		assert_int_equal(pp_next(s, &r), 1);
		assert_int_equal(pp_next(s, &r), 1);
		assert_int_equal(r.payload, 40);
		if (form) {
			t.fail = 1;
			put_word(k, "x");
			assert_int_equal(pp_flush(k), -1);
		}
		before = t.n;
		assert_int_equal(pp_put(k, s, &r), form ? -1 : 1);
		assert_int_equal(pp_finish(k), form ? -1 : 1);
		assert_int_equal(t.n - before, form ? 0 : 16 + 40);
		pp_close(s);
	}
}

/* A record that is only there during the call: it and its payload are copied, or it is said that they cannot be. */
static void
test_not_stable(void **state)
{
	static const uint8_t before[128 << 10];

	(void)state;
	for (unsigned form = 0; form < 3; form++) {
		struct pp_source *s = open_source(false, 50000);
		struct pp_sink *k = new_sink();
		size_t at = 16 + 8 + 64;
		struct pp_rec r;

		assert_int_equal(pp_next(s, &r), 1);
		assert_int_equal(pp_next(s, &r), 1);
		assert_int_equal(r.payload, 50000);
		if (form)				/* with the payload it is more than is kept */
			assert_int_equal(pp_put_copy(k, before, sizeof before - (form == 1 ? 28 << 10 : 8)), 1);
		t.fail = form ? 1 : 0;
		assert_int_equal(out_put(k, s, &r, false), form ? -1 : 1);
		pp_close(s);
		assert_int_equal(pp_finish(k), form ? -1 : 1);
		if (form)
			continue;
		assert_int_equal(t.n, 16 + 50000);
		assert_memory_equal(t.got, bytes_p(&b) + at, t.n);
	}
}

/* The records of a stream in t.got. */
static unsigned
count_samples(void)
{
	int fd = memfd_create("out", 0);
	struct pp_source *s;
	unsigned n = 0;
	struct pp_rec r;

	assert_int_equal(write(fd, t.got, t.n), t.n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_non_null(s = pp_open_fd(fd, "out", PP_OPEN_ANY_TRACING, &err));
	while (pp_next(s, &r) > 0)
		if (r.type == PP_SAMPLE)
			assert_int_equal(pp_get_u64(r.raw + 8, s->swap), n++);
	assert_int_equal(pp_close(s), 1);
	return n;
}

static void
test_compress(void **state)
{
	uint64_t plain, packed;

	(void)state;
	for (unsigned threads = 0; threads < 2; threads++) {
		struct pp_source *s = open_source(threads, 40);
		struct pp_sink *k = new_sink();

		assert_int_equal(pp_start(k, s), 1);
		pp_sink_compressed(k, &plain, &packed);
		assert_true(!plain && !packed);
		assert_int_equal(pp_sink_compress(k, 1, true, threads, 0), 1);
		assert_int_equal(t.n, 16);			/* the header is no record */
		pp_before_refill(s, NULL, NULL);
		assert_int_equal(put_all(k, s), 1);
		assert_int_equal(pp_release(k), 1);
		pp_sink_compressed(k, &plain, &packed);
		assert_int_equal(plain, 0);			/* the samples are gathered */
		assert_int_equal(pp_flush(k), 1);
		pp_sink_compressed(k, &plain, &packed);
		assert_int_equal(plain, 500 * 16);
		assert_true(packed > 16 && packed < plain);
		assert_int_equal(t.n, b.n - plain + packed + PP_FEATURE_HEAD + PP_COMPRESS_FEATURE);
		assert_int_equal(pp_finish(k), 1);
		pp_close(s);
		assert_int_equal(count_samples(), 500);
	}
	/* without a header there are no features */
	struct pp_source *s = open_source(false, 40);
	struct pp_sink *k = new_sink();

	assert_int_equal(pp_start_bare(k, s), 1);
	assert_int_equal(pp_sink_compress(k, 1, false, 0, 0), 1);
	assert_int_equal(put_all(k, s), 1);
	assert_int_equal(pp_flush(k), 1);
	pp_sink_compressed(k, &plain, &packed);
	assert_int_equal(t.n, b.n - 16 - plain + packed);
	assert_int_equal(pp_finish(k), 1);
	pp_close(s);
}

/* A frame ends where the caller says. */
static void
test_frames(void **state)
{
	static const uint64_t frames[] = { 0, 500 * 16, 250 * 16, 100 * 16, UINT64_MAX };
	static const unsigned many[] = { 1, 1, 2, 5, 1 };

	(void)state;
	for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
		struct pp_source *s = open_source(false, 40);
		struct pp_sink *k = new_sink();
		unsigned n = 0;

		assert_int_equal(pp_start(k, s), 1);
		assert_int_equal(pp_sink_compress(k, 1, false, 0, frames[i]), 1);
		assert_int_equal(put_all(k, s), 1);
		assert_int_equal(pp_finish(k), 1);
		for (size_t at = 16; at < t.n; at += pp_get_u16(t.got + at + 6, false) + (pp_get_u32(t.got + at, false) == 66 ? 40 : 0))
			n += pp_get_u32(t.got + at, false) == PP_COMPRESSED && pp_get_u32(t.got + at + 8, false) == 0xfd2fb528;
		if (!BIG_HERE)
			assert_int_equal(n, many[i]);
		pp_close(s);
		assert_int_equal(count_samples(), 500);
	}
}

static void
test_compress_fails(void **state)
{
	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		struct pp_source *s = open_source(false, 40);
		struct pp_sink *k = new_sink();

		assert_int_equal(pp_start(k, s), 1);
		t.fail = form == 0 ? 1 : form == 1 ? 0 : 2;
		assert_int_equal(pp_sink_compress(k, form == 1 ? 0 : 1, false, 0, 0), form < 2 ? -1 : 1);
		if (form == 1)
			assert_non_null(strstr(err.what, "compression level 0"));
		if (form >= 2) {
			pp_before_refill(s, NULL, NULL);
			assert_int_equal(put_all(k, s), 1);
			if (form == 2)
				assert_int_equal(pp_flush(k), -1);
		}
		if (form < 3) {
			assert_int_equal(pp_put_copy(k, "x", 1), -1);
			assert_int_equal(pp_release(k), -1);
		}
		assert_int_equal(pp_finish(k), -1);
		pp_close(s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start), cmocka_unit_test(test_compress), cmocka_unit_test(test_frames), cmocka_unit_test(test_compress_fails),
		cmocka_unit_test(test_not_stable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* A stream of COMPRESSED records: what is counted of them, what was announced, and where it would have to be waited for more. */
#include <errno.h>

#include <zstd.h>

#include "stream.h"

/* Make b a COMPRESSED record of n plain bytes, all of which it lets one expand. */
static void
compressed(ZSTD_CStream *z, const void *p, size_t n)
{
	uint8_t to[4096];
	ZSTD_inBuffer in = { p, n, 0 };
	ZSTD_outBuffer out = { to, sizeof to, 0 };

	assert_int_equal(ZSTD_compressStream2(z, &out, &in, ZSTD_e_flush), 0);
	b.n = 0;
	begin_rec(&b, 81, 0);
	for (size_t i = 0; i < out.pos; i++)
		put(&b, to[i], 1);
	end_rec(&b, 0);
}

/* A live input: pp_next() says so where it would wait, also where a COMPRESSED record ends amid a record. */
static void
test_no_wait(void **state)
{
	ZSTD_CStream *z = ZSTD_createCStream();
	uint8_t plain[48] = { 0 };
	struct pp_source *s;
	struct pp_rec r;
	int fd[2];

	(void)state;
	for (int i = 0; i < 2; i++) {		/* two records of 24 bytes */
		pp_set_u32(plain + 24 * i, 4711, b.swap);
		pp_set_u16(plain + 24 * i + 6, 24, b.swap);
	}
	assert_int_equal(pipe(fd), 0);
	header();
	assert_int_equal(write(fd[1], bytes_p(&b), b.n), b.n);
	compressed(z, plain, 40);
	assert_int_equal(write(fd[1], bytes_p(&b), b.n), b.n);
	assert_non_null(s = pp_open_fd(fd[0], "stream", 0, &err));
	pp_no_wait(s);
	assert_true(pp_at_hand(s));
	assert_int_equal(pp_next(s, &r), 1);
	assert_int_equal(pp_next(s, &r), PP_NEXT_WAIT);
	assert_false(pp_at_hand(s));
	assert_int_equal(pp_next(s, &r), PP_NEXT_WAIT);
	compressed(z, plain + 40, 8);
	assert_int_equal(write(fd[1], bytes_p(&b), 5), 5);
	assert_int_equal(pp_top_up(s), 1);
	assert_false(pp_at_hand(s));
	assert_int_equal(write(fd[1], bytes_p(&b) + 5, b.n - 5), b.n - 5);
	assert_int_equal(pp_top_up(s), 1);
	assert_true(pp_at_hand(s));
	assert_int_equal(pp_next(s, &r), 1);
	assert_int_equal(r.size, 24);
	assert_int_equal(pp_next(s, &r), PP_NEXT_WAIT);
	close(fd[1]);
	assert_int_equal(pp_top_up(s), 0);
	assert_true(pp_at_hand(s));
	assert_int_equal(pp_next(s, &r), 0);
	assert_int_equal(pp_close(s), 1);
	ZSTD_freeCStream(z);

	errno = ENOENT;
	assert_null(pp_open_fd(-1, "stream", 0, &err));
	assert_string_equal(err.what, "No such file or directory");
}

/* What pp_compressed() counts; the record that expands to nothing counts once, however often the end is asked for. */
static void
test_compressed(void **state)
{
	uint8_t plain[72] = { 0 };
	ZSTD_CStream *z = ZSTD_createCStream();
	const struct pp_compressed *c;
	struct bytes all = { .n = 0 };
	struct pp_source *s;
	size_t at[5], n = 0;
	struct pp_rec r;

	(void)state;
	b.swap = false;
	for (int i = 0; i < 3; i++) {
		pp_set_u32(plain + 24 * i, 4711, BIG_HERE);
		pp_set_u16(plain + 24 * i + 6, 24, BIG_HERE);
	}
	header();
	for (int i = 0; i < 5; i++) {
		memcpy(bytes_p(&all) + all.n, bytes_p(&b), b.n);
		at[i] = all.n += b.n;
		if (i == 4)
			break;
		if (i < 3)
			compressed(z, plain + (i ? 40 : 0) + (i > 1 ? 8 : 0), i == 0 ? 40 : i == 1 ? 8 : 24);
		else {
			b.n = 0;
			end_rec(&b, begin_rec(&b, 81, 0));
		}
	}
	assert_non_null(s = open_bytes(bytes_p(&all), all.n, false, 0));
	while (pp_next(s, &r) == 1)
		n++;
	assert_int_equal(n, 3);
	assert_int_equal(pp_next(s, &r), 0);
	c = pp_compressed(s);
	assert_int_equal(c->records, 4);
	assert_int_equal(c->records2, 0);
	assert_int_equal(c->first, at[0]);
	assert_int_equal(c->plain, 72);
	assert_int_equal(c->bytes, at[4] - at[0] - 4 * 8);
	assert_int_equal(c->largest, 40);
	assert_int_equal(c->nothing, 1);
	assert_int_equal(c->nothing_at, at[3]);
	assert_int_equal(pp_close(s), 1);
	ZSTD_freeCStream(z);
}

/* What header feature COMPRESSED says, if it comes in front of what is compressed. */
static void
test_announced(void **state)
{
	(void)state;
	for (unsigned form = 0; form < 6; form++) {
		unsigned type = form / 2;		/* in front of it: 0 nothing, 1 COMPRESSED, 2 COMPRESSED2 */
		ZSTD_CStream *z = ZSTD_createCStream();
		uint8_t plain[24] = { 0 };
		struct bytes all = { .n = 0 };
		const struct pp_compressed *c;
		struct pp_source *s;
		struct pp_rec r;
		size_t at;

		b.swap = false;
		pp_set_u32(plain, 4711, BIG_HERE);
		pp_set_u16(plain + 6, 24, BIG_HERE);
		header();
		memcpy(bytes_p(&all), bytes_p(&b), all.n = b.n);
		if (type) {
			compressed(z, plain, sizeof plain);
			if (type == 2) {	/* the same bytes behind their number */
				uint8_t *p = bytes_p(&all) + all.n;
				size_t n = b.n - 8, padded = (n + 7) / 8 * 8;

				memset(p, 0, 16 + padded);
				pp_set_u32(p, 83, BIG_HERE);
				pp_set_u16(p + 6, (uint16_t)(16 + padded), BIG_HERE);
				pp_set_u64(p + 8, n, BIG_HERE);
				memcpy(p + 16, bytes_p(&b) + 8, n);
				all.n += 16 + padded;
			} else {
				memcpy(bytes_p(&all) + all.n, bytes_p(&b), b.n);
				all.n += b.n;
			}
		}
		b.n = 0;
		at = begin_rec(&b, 80, 0);
		put(&b, 27, 8);
		for (unsigned i = 0; i < 5; i++)
			put(&b, 1 + i, 4);
		put(&b, 0, form & 1 ? 4 : 0);
		end_rec(&b, at);
		memcpy(bytes_p(&all) + all.n, bytes_p(&b), b.n);
		all.n += b.n;
		assert_non_null(s = open_bytes(bytes_p(&all), all.n, false, 0));
		while (pp_next(s, &r) == 1)
			assert_int_equal(r.type, 4711);		/* it is not yielded */
		c = pp_compressed(s);
		assert_int_equal(c->records, type == 1);
		assert_int_equal(c->records2, type == 2);
		assert_int_equal(c->announced, !type);
		assert_int_equal(c->version, type ? 0 : 1);
		assert_int_equal(c->type, type ? 0 : 2);
		assert_int_equal(c->level, type ? 0 : 3);
		assert_int_equal(c->ratio, type ? 0 : 4);
		assert_int_equal(c->mmap_len, type ? 0 : 5);
		assert_int_equal(pp_close(s), 1);
		ZSTD_freeCStream(z);
	}
}

/* A feature that is too short says no more than it has, whatever stands behind it. */
static void
test_short_feature(void **state)
{
	(void)state;
	for (unsigned words = 0; words < 5; words++) {
		const struct pp_compressed *c;
		struct pp_source *s;
		struct pp_rec r;
		size_t at;

		b.swap = false;
		header();
		at = begin_rec(&b, 80, 0);
		put(&b, 27, 8);
		for (unsigned i = 0; i < words; i++)
			put(&b, 1 + i, 4);
		end_rec(&b, at);
		for (unsigned i = 0; i < 4; i++)
			end_rec(&b, begin_rec(&b, 68, 0));
		assert_non_null(s = open_bytes(bytes_p(&b), b.n, false, 0));
		while (pp_next(s, &r) == 1)
			assert_int_equal(r.type, 68);
		c = pp_compressed(s);
		assert_true(c->announced);
		assert_int_equal(c->version, words > 0 ? 1 : 0);
		assert_int_equal(c->type, words > 1 ? 2 : 0);
		assert_int_equal(c->level, words > 2 ? 3 : 0);
		assert_int_equal(c->ratio, words > 3 ? 4 : 0);
		assert_int_equal(c->mmap_len, 0);
		pp_close(s);
	}
}

/* perf 6.16 to 7.1 may have any size in a COMPRESSED2: 16 bytes say what it is, though no other follow. */
static void
test_any_size(void **state)
{
	static const unsigned sizes[] = { 0, 7, 8, 15, 16 };

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (size_t left = 15; left <= 16; left++) {
			struct pp_source *s;
			struct pp_rec r;
			size_t at;

			b.swap = false;
			header();
			at = begin_rec(&b, 83, 0);
			put(&b, 0, 8);
			end_rec(&b, at);
			store(&b, at + 6, sizes[i], 2);
			err = (struct pp_err){ .what = "" };
			assert_non_null(s = open_bytes(bytes_p(&b), 16 + left, false, 0));
			assert_int_equal(pp_next(s, &r), left == 16 && sizes[i] == 16 ? 0 : -1);
			if (left == 16 && sizes[i] < 16) {
				char text[100];

				snprintf(text, sizeof text, "COMPRESSED2: data_size 0 in a record of %u bytes", sizes[i]);
				assert_string_equal(err.what, text);
			} else
				assert_string_equal(err.what, left == 16 ? "" : "COMPRESSED2: cut short, 15 of 16 bytes");
			pp_close(s);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_wait), cmocka_unit_test(test_compressed), cmocka_unit_test(test_announced),
		cmocka_unit_test(test_short_feature), cmocka_unit_test(test_any_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

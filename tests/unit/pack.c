/* SPDX-License-Identifier: ISC */
/*
 * What is compressed expands to what was fed, whatever the records, pieces, frames and threads are; and each COMPRESSED is one that
 * perf reads.
 */
#include <stdlib.h>

#include <zstd.h>

#include "chance.h"
#include "check.h"
#include "record/raw.h"
#include "sink/compress.h"

enum { SIZE = 8 << 20, PLAIN_MAX = 480 << 10, KERNEL = 9, ROUND = 68, AUXTRACE = 71, FEATURE = 80 };

static uint8_t *fed, *packed, *other, *expanded;
static size_t nfed, npacked, nexpanded, ends[1 << 16], nends;	/* where records and payloads end */

struct to { uint8_t *p; size_t *n; unsigned left; };		/* left: writes until one fails; 0: none does */

static int
write_to(void *arg, const uint8_t *p, size_t n)
{
	struct to *to = arg;

	if (to->left && !--to->left)
		return -1;
	assert_true(*to->n + n <= SIZE);
	memcpy(to->p + *to->n, p, n);
	*to->n += n;
	return 1;
}

/* ---- input ----------------------------------------------------------------------------------------------- */

static void
rec(uint32_t type, size_t size, uint64_t payload, bool swap)
{
	bool noise = rnd(2);

	assert_true(nfed + size + payload <= SIZE / 2 && nends < sizeof ends / sizeof *ends);
	for (size_t i = PP_HEADER_SIZE; i < size + payload; i++)
		fed[nfed + i] = noise ? (uint8_t)rnd(256) : (uint8_t)(i / 40);
	pp_raw_head(fed + nfed, type, 0, (uint16_t)size, swap);
	if (type == AUXTRACE)
		pp_set_u64(fed + nfed + 8, payload, swap);
	if (type == FEATURE)
		pp_set_u64(fed + nfed + 8, 5, swap);
	nfed += size;
	ends[nends++] = nfed;
	for (size_t some; payload; payload -= some) {
		some = rnd(3) ? payload : 1 + rnd((uint32_t)payload);
		nfed += some;
		ends[nends++] = nfed;
	}
}

static size_t
size_of(unsigned large)
{
	return 8 + 8 * rnd(rnd(large) ? 30 : rnd(3) ? 8190 : 1024);
}

static void
some_records(unsigned n, unsigned large, unsigned own, bool swap)
{
	nfed = nends = 0;
	while (n-- && nfed < SIZE / 4)
		if (rnd(own))
			rec(KERNEL, size_of(large), 0, swap);
		else
			switch (rnd(3)) {
			case 0: rec(ROUND, 8, 0, swap); break;
			case 1: rec(AUXTRACE, 48, rnd(3) ? rnd(1000) : rnd(600000), swap); break;
			default: rec(ROUND + rnd(2) * 6, size_of(large), 0, swap);
			}
}

/* ---- output ---------------------------------------------------------------------------------------------- */

/* Expand all, as a reader does: each COMPRESSED by itself, and it has to give something. */
static void
expand(const struct pp_compress_how *how)
{
	ZSTD_DCtx *z = ZSTD_createDCtx();
	bool swap = how->swap, feature = false;
	uint64_t plain = 0;

	assert_non_null(z);
	nexpanded = 0;
	for (size_t at = 0, size; at < npacked; at += size) {
		const uint8_t *p = packed + at;
		uint32_t type = pp_get_u32(p, swap);
		size_t before = nexpanded, head = type == PP_COMPRESSED2 ? 16 : 8;

		size = pp_get_u16(p + 6, swap);
		assert_true(size >= 8 && at + size <= npacked);
		if (type == PP_COMPRESSED || type == PP_COMPRESSED2) {
			size_t n = type == PP_COMPRESSED2 ? (size_t)pp_get_u64(p + 8, swap) : size - head;
			ZSTD_inBuffer in = { p + head, n, 0 };
			ZSTD_outBuffer to = { expanded, SIZE, nexpanded };

			assert_true(how->feature <= feature);
			assert_int_equal(type == PP_COMPRESSED2, how->two);
			assert_int_equal(size, type == PP_COMPRESSED2 ? head + (n + 7) / 8 * 8 : head + n);
			for (size_t i = head + n; i < size; i++)
				assert_int_equal(p[i], 0);
			while (in.pos < in.size)
				assert_false(ZSTD_isError(ZSTD_decompressStream(z, &to, &in)));
			nexpanded = to.pos;
			assert_in_range(nexpanded - before, 1, PLAIN_MAX);
			plain += nexpanded - before;
			continue;
		}
		if (type == FEATURE && pp_get_u64(p + 8, swap) == 27) {
			assert_true(how->feature && !feature);
			feature = true;
			assert_int_equal(pp_get_u32(p + 16, swap), 0);
			assert_int_equal(pp_get_u32(p + 16 + 4, swap), 1);
			assert_int_equal(pp_get_u32(p + 16 + 8, swap), (uint32_t)how->level);
			assert_int_equal(pp_get_u32(p + 16 + 12, swap), 0);		/* how much smaller it gets is not known yet */
			continue;
		}
		if (type == AUXTRACE)
			size += (size_t)pp_get_u64(p + 8, swap);
		assert_true(at + size <= npacked);
		memcpy(expanded + nexpanded, p, size);
		nexpanded += size;
	}
	ZSTD_freeDCtx(z);
}

static void
pack_all(const struct pp_compress_how *how, unsigned flush, unsigned together, uint8_t *to, size_t *n)
{
	struct pp_err err = { .what = "" };
	struct to out = { to, n, 0 };
	struct pp_compress *c = pp_compress_new(how, write_to, &out, &err);
	uint64_t plain, small;

	assert_non_null(c);
	*n = 0;
	for (size_t i = 0, at = 0, k; i < nends; at = ends[k], i = k + 1) {
		k = i + rnd(together) < nends ? i + rnd(together) : nends - 1;
		k = k < nends ? k : nends - 1;
		assert_int_equal(pp_compress_feed(c, fed + at, ends[k] - at), 1);
		if (flush && !rnd(flush))
			assert_int_equal(pp_compress_flush(c), 1);
	}
	assert_int_equal(pp_compress_flush(c), 1);
	assert_int_equal(pp_compress_flush(c), 1);
	pp_compress_count(c, &plain, &small);
	assert_true(plain <= nfed && small <= *n);
	assert_true(!plain == !small);
	pp_compress_free(c);
}

static void
check(const struct pp_compress_how *how, unsigned flush, unsigned together)
{
	pack_all(how, flush, together, packed, &npacked);
	expand(how);
	assert_int_equal(nexpanded, nfed);
	assert_memory_equal(expanded, fed, nfed);
}

static void
test_expands(void **state)
{
	(void)state;
	seed = 5;
	for (unsigned i = 0; i < 60; i++) {
		struct pp_compress_how how = { .level = 1, .two = i % 2, .swap = i % 4 / 2, .feature = i % 3 == 0,
		    .frame = i % 5 ? 1000 + rnd(400000) : UINT64_MAX };

		some_records(i < 50 ? 200 : 40, i % 7 ? 50 : 3, i % 6 ? 15 : 2, how.swap);
		check(&how, i % 4 ? 0 : 10, i % 5 ? 20 : 1);
	}
}

/* Records and payloads of perf's own, of which many do not fit where they are gathered. */
static void
test_own(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		struct pp_compress_how how = { .level = 1, .feature = true, .frame = 1 << 20 };

		nfed = nends = 0;
		rec(KERNEL, 40, 0, false);
		for (unsigned k = 0; k < 12; k++)
			rec(ROUND + 6, 65528 - 8 * (i % 3), 0, false);
		rec(AUXTRACE, 48, (256 << 10) - 2 + i % 5, false);
		rec(AUXTRACE, 48, (256 << 10) + 100000, false);
		rec(KERNEL, 40, 0, false);
		check(&how, 0, 1 + i % 2 * 100);
	}
}

static unsigned
count_compressed(void)
{
	unsigned n = 0;

	for (size_t at = 0; at < npacked; at += pp_get_u16(packed + at + 6, false))
		n += pp_get_u32(packed + at, false) == PP_COMPRESSED;
	return n;
}

/* One is as large as perf can expand, or as it may be. */
static void
test_few(void **state)
{
	static const struct { size_t bytes; unsigned few; } cases[] = {
		{ 1, 1 }, { PLAIN_MAX - 8, 1 }, { PLAIN_MAX, 1 }, { PLAIN_MAX + 8, 2 }, { 3 * PLAIN_MAX, 3 },
	};
	struct pp_compress_how how = { .level = 1, .frame = 4 << 20 };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		nfed = nends = 0;
		while (nfed < cases[i].bytes) {
			memset(fed + nfed, 'x', 8);
			pp_raw_head(fed + nfed, KERNEL, 0, 8, false);
			nfed += 8;
		}
		ends[nends++] = nfed;
		check(&how, 0, 1);
		assert_int_equal(count_compressed(), cases[i].few);
	}
	nfed = nends = 0;
	for (unsigned i = 0; i < 40; i++) {		/* what does not get smaller: as much as a record has room for */
		for (size_t k = PP_HEADER_SIZE; k < 4000; k++)
			fed[nfed + k] = (uint8_t)rnd(256);
		pp_raw_head(fed + nfed, KERNEL, 0, 4000, false);
		nfed += 4000;
		ends[nends++] = nfed;
	}
	check(&how, 0, 1);
	assert_int_equal(count_compressed(), 3);
}

/* The window of the frame at p, as a power of two. */
static unsigned
window_bits(const uint8_t *p)
{
	assert_memory_equal(p, "\x28\xb5\x2f\xfd", 4);		/* a frame begins */
	assert_int_equal(p[4] >> 5 & 1, 0);
	return 10 + (p[5] >> 3);
}

/* That which zstd takes at a level. */
static unsigned
usual_bits(int level)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	ZSTD_inBuffer in = { "x", 1, 0 };
	ZSTD_outBuffer out = { other, SIZE, 0 };

	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, level);
	assert_int_equal(ZSTD_compressStream2(z, &out, &in, ZSTD_e_flush), 0);
	ZSTD_freeCCtx(z);
	return window_bits(other);
}

/* At high levels the memory that zstd looks back at is no more than a frame. */
static void
test_window(void **state)
{
	const unsigned usual = usual_bits(17);
	const struct { uint64_t frame; int level; unsigned bits; } cases[] = {
		{ 1000, 17, 20 }, { 1 << 20, 17, 20 }, { (1 << 20) + 1, 17, 21 }, { 2 << 20, 17, 21 }, { (2 << 20) + 1, 17, 22 },
		{ 8 << 20, 17, 23 }, { (8 << 20) + 1, 17, usual }, { UINT64_MAX, 17, usual }, { 1000, 16, usual_bits(16) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pp_compress_how how = { .level = cases[i].level, .frame = cases[i].frame };

		nfed = nends = 0;
		rec(KERNEL, 400, 0, false);
		rec(KERNEL, 400, 0, false);
		check(&how, 0, 1);
		assert_int_equal(window_bits(packed + 8), cases[i].bits);
		assert_int_equal(packed[8 + 4] >> 2 & 1, 1);		/* with a checksum */
	}
}

/* The threads make the same bytes as one does without them; flushed, what can be expanded is the same. */
static void
test_threads(void **state)
{
	size_t n;

	(void)state;
	seed = 6;
	for (unsigned i = 0; i < 16; i++) {
		struct pp_compress_how how = { .level = 1, .two = i % 2, .feature = true, .frame = 3000 + rnd(100000) };

		some_records(300, 40, 20, false);
		pack_all(&how, 0, 20, other, &n);
		how.threads = 1 + i % 3;
		check(&how, 0, 20);
		assert_int_equal(npacked, n);
		assert_memory_equal(packed, other, n);
		check(&how, 20, 20);
	}
}

/* What is wrong is said once, and nothing goes on after it. */
static void
test_fails(void **state)
{
	size_t n = 0;

	(void)state;
	for (unsigned threads = 0; threads < 3; threads++)
		for (unsigned left = 1; left < 4; left++) {
			struct pp_compress_how how = { .level = 1, .threads = threads, .frame = 4000 };
			struct pp_err err = { .what = "" };
			struct to out = { packed, &n, left };
			struct pp_compress *c = pp_compress_new(&how, write_to, &out, &err);
			int rc = 1;

			n = 0;
			assert_non_null(c);
			some_records(300, 40, 1000, false);
			for (size_t i = 0, at = 0; i < nends && rc > 0; at = ends[i++])
				if ((rc = pp_compress_feed(c, fed + at, ends[i] - at)) > 0)
					rc = pp_compress_flush(c);
			assert_int_equal(rc, -1);
			assert_int_equal(out.left, 0);
			assert_int_equal(pp_compress_feed(c, fed, ends[0]), -1);
			assert_int_equal(pp_compress_flush(c), -1);
			pp_compress_free(c);
		}
}

/*
 * Whichever write fails, of records and payloads that come in any pieces: it is said, by that call or a later one, and what has been written
 * is the beginning of what would have been.
 */
static void
test_each_fails(void **state)
{
	static const unsigned kinds[] = { 0, 1, 2 };		/* large payloads; many records of perf's own; frames */
	size_t n, got;

	(void)state;
	seed = 7;
	for (size_t i = 0; i < 4 * sizeof kinds / sizeof *kinds; i++) {
		struct pp_compress_how how = { .level = 1, .two = i & 1, .feature = true, .threads = i & 2 ? 2 : 0,
		    .frame = kinds[i / 4] == 2 ? 70000 : 1 << 20 };
		unsigned left = 1;
		bool whole;

		nfed = nends = 0;
		if (kinds[i / 4] == 0)
			for (unsigned k = 0; k < 4; k++) {
				rec(KERNEL, 40, 0, false);
				rec(AUXTRACE, 48, (256 << 10) - 60 + 60 * k, false);
			}
		else
			some_records(600, 3, kinds[i / 4] == 1 ? 2 : 1000, false);
		pack_all(&how, 0, 1, other, &n);
		do {
			struct pp_err err = { .what = "" };
			struct to out = { packed, &got, left };
			struct pp_compress *c = pp_compress_new(&how, write_to, &out, &err);
			int rc = 1;

			got = 0;
			assert_non_null(c);
			for (size_t k = 0, at = 0; k < nends && rc > 0; at = ends[k++])
				rc = pp_compress_feed(c, fed + at, ends[k] - at);
			if (rc > 0)
				rc = pp_compress_flush(c);
			whole = out.left > 0;
			assert_int_equal(rc, whole ? 1 : -1);
			if (!whole) {
				assert_int_equal(pp_compress_feed(c, fed, ends[0]), -1);
				assert_int_equal(pp_compress_flush(c), -1);
			}
			assert_true(whole ? got == n : got < n);
			assert_memory_equal(packed, other, got);
			pp_compress_free(c);
			left += left < 8 ? 1 : left / 4;
		} while (!whole);
		assert_true(left > 2);
	}
}

/* A frame ends where it has its bytes, and a record has parts of one frame only. */
static void
test_frame_ends(void **state)
{
	static const struct { unsigned records; uint64_t frame; unsigned frames; } cases[] = {
		{ 10, 1000, 1 }, { 10, 999, 1 }, { 10, 901, 1 }, { 10, 900, 2 }, { 10, 100, 10 }, { 10, 1, 10 }, { 10, 1001, 1 }, { 20, 1001, 2 },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
		struct pp_compress_how how = { .level = 1, .frame = cases[i / 2].frame, .threads = i & 1 };
		unsigned begins = 0, records = 0;

		nfed = nends = 0;
		for (unsigned k = 0; k < cases[i / 2].records; k++)
			rec(KERNEL, 100, 0, false);
		check(&how, 0, 1);
		for (size_t at = 0; at < npacked; at += pp_get_u16(packed + at + 6, false), records++)
			begins += !memcmp(packed + at + 8, "\x28\xb5\x2f\xfd", 4);
		assert_int_equal(begins, cases[i / 2].frames);
		assert_int_equal(records, cases[i / 2].frames);
	}
}

/* What is compressed already cannot be again. */
static void
test_twice(void **state)
{
	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		struct pp_err err = { .what = "" };
		struct to out = { packed, &npacked, 0 };
		struct pp_compress *c = pp_compress_new(&(struct pp_compress_how){ .level = 1, .threads = form & 1, .frame = 4000 }, write_to, &out, &err);

		npacked = nfed = nends = 0;
		rec(form & 2 ? PP_COMPRESSED2 : PP_COMPRESSED, 48, 0, false);
		if (pp_compress_feed(c, fed, nfed) > 0)
			assert_int_equal(pp_compress_flush(c), -1);
		assert_string_equal(err.what, form & 2 ? "COMPRESSED2: the stream is compressed already" : "COMPRESSED: the stream is compressed already");
		assert_int_equal(pp_compress_flush(c), -1);
		pp_set_u32(fed, KERNEL, false);
		assert_int_equal(pp_compress_feed(c, fed, nfed), -1);
		assert_int_equal(npacked, 0);
		pp_compress_free(c);
	}
}

/* Features are in ascending order: that of compression stands in front of the first that is behind it, or of the end mark. */
static void
test_feature_order(void **state)
{
	static const struct { unsigned numbers[4], n, at; bool kernel; } cases[] = {		/* at: behind so many of them */
		{ { 3, 26, 28, 256 }, 4, 2, false }, { { 3, 26, 256 }, 3, 2, false }, { { 28 }, 1, 0, false }, { { 3, 4 }, 2, 2, true },
		{ { 3, 28, 256 }, 3, 1, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (unsigned swap = 0; swap < 2; swap++) {
			struct pp_compress_how how = { .level = 1, .frame = 4000, .feature = true, .swap = swap };
			unsigned n = 0, found = 99;

			nfed = nends = 0;
			for (unsigned k = 0; k < cases[i].n; k++) {
				size_t from = nfed;

				rec(FEATURE, cases[i].numbers[k] == 256 ? 16 : 24, 0, swap);
				pp_set_u64(fed + from + 8, cases[i].numbers[k], swap);
			}
			if (cases[i].kernel)
				rec(KERNEL, 40, 0, swap);
			pack_all(&how, 0, 1, packed, &npacked);
			for (size_t at = 0; at < npacked; at += pp_get_u16(packed + at + 6, swap)) {
				if (pp_get_u32(packed + at, swap) != FEATURE)
					continue;
				if (pp_get_u64(packed + at + 8, swap) == 27)
					found = n;
				else
					n++;
			}
			assert_int_equal(n, cases[i].n);
			assert_int_equal(found, cases[i].at);
		}
}

/* Bytes that are no whole record are refused, and nothing after them is taken. */
static void
test_incomplete(void **state)
{
	static const struct { uint16_t size; size_t n; } bad[] = { { 24, 16 }, { 7, 16 }, { 16, 7 } };

	(void)state;
	for (unsigned form = 0; form < 4; form++)
		for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
			unsigned threads = form & 1, before = form & 2 ? 48 : 0;	/* behind others of the same call */
			struct pp_err err = { .what = "" };
			struct to out = { packed, &npacked, 0 };
			struct pp_compress *c = pp_compress_new(&(struct pp_compress_how){ .level = 1, .threads = threads, .frame = 1000 }, write_to, &out, &err);

			assert_non_null(c);
			npacked = nfed = nends = 0;
			rec(KERNEL, 16, 0, false);
			assert_int_equal(pp_compress_feed(c, fed, 16), 1);
			for (unsigned k = 0; k < before / 16; k++)
				rec(KERNEL, 16, 0, false);
			pp_set_u16(fed + before + 6, bad[i].size, false);
			assert_int_equal(pp_compress_feed(c, fed, before + bad[i].n), -1);
			assert_string_equal(err.what, "an incomplete record cannot be compressed");
			pp_set_u16(fed + 6, 16, false);
			assert_int_equal(pp_compress_feed(c, fed, 16), -1);
			assert_int_equal(pp_compress_flush(c), -1);
			assert_int_equal(npacked, 0);
			pp_compress_free(c);
		}
}

static void
test_levels(void **state)
{
	const struct { int level; bool good; } levels[] = {
		{ -1, false }, { 0, false }, { 1, true }, { ZSTD_maxCLevel(), true }, { ZSTD_maxCLevel() + 1, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		for (unsigned threads = 0; threads < 2; threads++) {
			struct pp_err err = { .what = "" };
			struct to out = { packed, &npacked, 0 };
			struct pp_compress *c = pp_compress_new(&(struct pp_compress_how){ .level = levels[i].level, .threads = threads, .frame = 4000 },
			    write_to, &out, &err);

			assert_int_equal(c != NULL, levels[i].good);
			assert_int_equal(!err.what[0], levels[i].good);
			pp_compress_free(c);
		}
	for (unsigned threads = 0; threads < 2; threads++) {		/* a frame without an end has one thread */
		struct pp_err err = { .what = "" };
		struct to out = { packed, &npacked, 0 };
		struct pp_compress *c = pp_compress_new(&(struct pp_compress_how){ .level = 1, .threads = threads, .frame = UINT64_MAX }, write_to, &out, &err);

		assert_int_equal(c != NULL, !threads);
		assert_int_equal(!err.what[0], !threads);
		pp_compress_free(c);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expands), cmocka_unit_test(test_own), cmocka_unit_test(test_few),
		cmocka_unit_test(test_window), cmocka_unit_test(test_threads), cmocka_unit_test(test_fails),
		cmocka_unit_test(test_incomplete), cmocka_unit_test(test_levels), cmocka_unit_test(test_each_fails),
		cmocka_unit_test(test_frame_ends), cmocka_unit_test(test_twice), cmocka_unit_test(test_feature_order),
	};
	int failed;

	fed = malloc(SIZE);
	packed = malloc(SIZE);
	other = malloc(SIZE);
	expanded = malloc(SIZE);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(fed);
	free(packed);
	free(other);
	free(expanded);
	return failed;
}

/* SPDX-License-Identifier: ISC */
/* Records out of COMPRESSED and COMPRESSED2 records: those that are cut, broken or missing, and how many bytes are told to be lost. */
#include "expand.h"

/* A record that the input ends in: with repair what zstd can expand of it. */
static void
cut(void **state)
{
	static const uint32_t types[] = { PP_COMPRESSED, PP_COMPRESSED2 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		size_t at, ends[6], head = types[i] == PP_COMPRESSED2 ? 16 : 8;

		begin();
		at = begin_rec(&b, types[i], 0);
		if (types[i] == PP_COMPRESSED2)
			put(&b, 0, 8);
		for (unsigned k = 0; k < 6; k++) {
			put_sample(&plain, k);
			pack(bytes_p(&plain) + SAMPLE * k, SAMPLE);
			ends[k] = b.n;
		}
		if (types[i] == PP_COMPRESSED2) {
			store(&b, at + 8, b.n - at - head, 8);
			while ((b.n - at) % 8)
				put(&b, 0, 1);
		}
		end_rec(&b, at);
		assert_int_equal(read_stream(b.n, 0), 1);
		are_kept("0 1 2 3 4 5");
		for (size_t n = at + 1; n < b.n; n++) {
			unsigned want = 0;

			while (want < 6 && ends[want] <= n)
				want++;
			assert_int_equal(read_stream(n, 0), -1);
			assert_non_null(strstr(err.what, "cut short"));
			assert_int_equal(nkept, 0);
			assert_int_equal(read_stream(n, PP_OPEN_REPAIR), -1);
			assert_string_equal(err.what, "");
			assert_int_equal(nkept, want);
			assert_true(faults > 0);
			/* the first sample stands in the input as it is, and is found where it is the last */
			if (n != ends[0])
				assert_int_equal(strstr(fault[0].what, "as much of it as zstd can expand is kept") != NULL, n > at + 16);
			if (n <= at + 16)
				assert_int_equal(lost, n - at);
		}
	}
	/* one that is whole, and expands to a part of a record */
	begin();
	put_sample(&plain, 0);
	put_sample(&plain, 1);
	pack_record(PP_COMPRESSED, 0, SAMPLE + 20);
	assert_int_equal(read_stream(b.n, 0), -1);
	assert_string_equal(err.what, "COMPRESSED: the last record expands to an unfinished one of 20 bytes");
	are_kept("0");
	assert_int_equal(read_stream(b.n, PP_OPEN_REPAIR), -1);
	assert_int_equal(lost, 20);
	are_kept("0");
}

/* Records of other kinds: attrs are learned, and the last may be a header alone; those that can't be in a compressed one. */
static void
kinds(void **state)
{
	static const struct { uint32_t type; uint16_t size; bool may; } rows[] = {
		{ PP_FINISHED_ROUND, 8, true }, { 4711, 8, true }, { PP_SAMPLE, 7, false }, { PP_SAMPLE, 0, false }, { PP_COMPRESSED, 8, false },
		{ PP_COMPRESSED2, 16, false }, { PP_AUXTRACE, 48, false }, { PP_HEADER_TRACING_DATA, 16, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pp_attr a = { .type = 1, .size = 64, .config = 7, .sample_type = PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_ADDR, .flags = 1 << 18 };
		size_t at;

		begin();
		put_sample(&plain, 0);
		put_attr(&plain, &a, 0, NULL);
		at = begin_rec(&plain, rows[i].type, 0);
		if (rows[i].size > 8)
			put_text(&plain, "", rows[i].size - 8u);
		store(&plain, at + 6, rows[i].size, 2);
		at = pack_record(PP_COMPRESSED, 0, plain.n);
		assert_int_equal(read_stream(b.n, 0), rows[i].may ? 1 : -1);
		are_kept("0");
		assert_int_equal(events, 2);
		if (!rows[i].may) {
			assert_non_null(strstr(err.what, "COMPRESSED: holds a record of "));
			assert_int_equal(err.off, at);
		}
	}
}

/* What a COMPRESSED2 record says of its data is not its size. */
static void
sizes(void **state)
{
	static const struct { uint64_t more; bool fits; } rows[] = { { 0, true }, { 8, false }, { 65536, false }, { UINT64_C(1) << 32, false } };

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t at;

		begin();
		put_sample(&plain, 0);
		at = pack_record(PP_COMPRESSED2, 0, SAMPLE);
		store(&b, at + 8, pp_get_u64(bytes_p(&b) + at + 8, BIG_HERE) + rows[i].more, 8);
		assert_int_equal(read_stream(b.n, 0), rows[i].fits ? 1 : -1);
		if (!rows[i].fits)
			assert_int_equal(err.off, at);
		assert_int_equal(strstr(err.what, " in a record of ") != NULL, rows[i].more == 8 || rows[i].more >> 32);
	}
}

/* An unfinished record at the end, amid which there are others. */
static void
unfinished(void **state)
{
	size_t at;

	(void)state;
	begin();
	put_sample(&plain, 0);
	put_sample(&plain, 1);
	at = begin_rec(&plain, PP_FINISHED_ROUND, 0);
	put_text(&plain, "", 24);
	store(&plain, at + 6, 200, 2);
	put_sample(&plain, 2);
	put_sample(&plain, 3);
	at = pack_record(PP_COMPRESSED, 0, plain.n);
	assert_int_equal(read_stream(b.n, PP_OPEN_REPAIR), -1);
	are_kept("0 1 2 3");
	assert_int_equal(lost, 32);
	assert_int_equal(faults, 1);
	assert_int_equal(fault[0].off, at);
	assert_non_null(strstr(fault[0].what, "expands to an unfinished one of 96 bytes; 32 bytes left out"));
}

/*
 * Frames are 0 1 2 3 4 | 5 6, in records of 40 bytes; of the first, data is missing, or wrong.  What zstd can't expand is lost, with what it has
 * expanded of a record that does not go on.
 */
static void
dead(void **state)
{
	(void)state;
	for (int form = 0; form < 6; form++) {
		bool garbage = form < 2, end = form & 1, other = form >= 4;
		size_t first = end ? SAMPLE : SAMPLE + 8, from, second, third, data = 0;

		begin();
		for (unsigned i = 0; i < 7; i++)
			put_sample(&plain, i);
		from = pack_record(PP_COMPRESSED, 0, first);
		if (garbage) {			/* a record whose size is wrong */
			second = b.n;
			put_sample(&b, 9);
			store(&b, second + 6, 33, 2);
			data += SAMPLE;
		}
		second = pack_record(PP_COMPRESSED, first, 40);
		data += b.n - second - 8;
		if (!garbage)
			bytes_p(&b)[second + 8] |= 6;	/* a type of block that there is not */
		third = pack_record(PP_COMPRESSED, first + 40, 5 * SAMPLE - first - 40);
		data += b.n - third - 8;
		if (other) {			/* and it does not go on */
			assert_int_equal(ZSTD_CCtx_reset(z, ZSTD_reset_session_only), 0);
			pack_record(PP_COMPRESSED, 5 * SAMPLE, 2 * SAMPLE);
		}
		assert_int_equal(read_stream(b.n, PP_OPEN_REPAIR), -1);
		are_kept(other ? "0 5 6" : "0");
		assert_int_equal(lost, data + first - SAMPLE);
		assert_int_equal(fault[garbage].off, garbage ? from : second);
		assert_non_null(strstr(fault[garbage].what, garbage ? "zstd: data is missing; " : "the rest of the frame cannot be expanded"));
		assert_int_equal(faults, garbage ? 2 : 1);
	}
	/* a frame that has no end, and another one */
	begin();
	put_sample(&plain, 0);
	put_sample(&plain, 1);
	pack_record(PP_COMPRESSED, 0, SAMPLE);
	assert_int_equal(ZSTD_CCtx_reset(z, ZSTD_reset_session_only), 0);
	pack_record(PP_COMPRESSED, SAMPLE, SAMPLE);
	assert_int_equal(read_stream(b.n, PP_OPEN_REPAIR), -1);
	are_kept("0 1");
	assert_int_equal(lost, 0);
	assert_int_equal(faults, 1);
	assert_non_null(strstr(fault[0].what, "the end of the frame before this one is missing"));
}

/* Without repair: the records in front of what is broken come first, without an error. */
static void
broken(void **state)
{
	enum { STEP = 4096 };			/* bytes that go into zstd at a time: what a call that fails has expanded is lost */
	size_t at, from, random, n;

	(void)state;
	begin();
	put_sample(&plain, 0);
	for (int i = 0; i < 2; i++) {		/* its size shows how much space is left for the second */
		n = i ? at + 8 + STEP - b.n - 3 : 100;
		if (i)
			b.n = at;
		ZSTD_CCtx_reset(z, ZSTD_reset_session_only);
		plain.n = SAMPLE;
		random = begin_rec(&plain, 4711, 0);
		put_random((unsigned)n);
		end_rec(&plain, random);
		at = begin_rec(&b, PP_COMPRESSED, 0);
		pack(bytes_p(&plain), SAMPLE + 8);
		if (i)
			pack(bytes_p(&plain) + SAMPLE + 8, n);
	}
	assert_int_equal(b.n, at + 8 + STEP);
	from = b.n;
	put_sample(&plain, 1);
	pack(bytes_p(&plain) + plain.n - SAMPLE, SAMPLE);
	bytes_p(&b)[from] |= 6;
	end_rec(&b, at);
	assert_int_equal(read_stream(b.n, 0), -1);
	are_kept("0");
	assert_non_null(strstr(err.what, "COMPRESSED: zstd: "));
	assert_int_equal(err.off, at);
}

/* Six of this size fill the window: what is wrong behind them is found while there is more to expand. */
enum { LARGE = 60000, RANDOM = 5000 };	/* one with so many random bytes goes into zstd alone */

static void
pack_large(unsigned random)
{
	size_t at;

	plain.n = 0;
	at = begin_rec(&plain, 4711, 0);
	put_random(random);
	put_text(&plain, "", LARGE - PP_HEADER_SIZE - random);
	end_rec(&plain, at);
	pack(bytes_p(&plain), plain.n);
}

static void
much(void **state)
{
	size_t at, from;

	(void)state;
	/* zstd's data is wrong: the records in front of it are kept, and what begins again behind it */
	begin();
	at = begin_rec(&b, PP_COMPRESSED, 0);
	put_sample(&plain, 0);
	pack(bytes_p(&plain), SAMPLE);
	for (int i = 0; i < 6; i++)
		pack_large(0);
	from = b.n;
	pack_large(0);
	bytes_p(&b)[from] |= 6;
	end_rec(&b, at);
	assert_int_equal(ZSTD_CCtx_reset(z, ZSTD_reset_session_only), 0);
	plain.n = 0;
	put_sample(&plain, 1);
	pack_record(PP_COMPRESSED, 0, SAMPLE);
	assert_int_equal(read_stream(b.n, PP_OPEN_REPAIR), -1);
	are_kept("0 1");
	/* the end of it fills the window, and more */
	begin();
	at = begin_rec(&b, PP_COMPRESSED, 0);
	for (int i = 0; i < 5; i++)
		pack_large(0);
	plain.n = 0;
	from = begin_rec(&plain, 4711, 0);
	put_text(&plain, "", LARGE - PP_HEADER_SIZE);
	end_rec(&plain, from);
	put_sample(&plain, 0);
	pack(bytes_p(&plain), plain.n);
	end_rec(&b, at);
	assert_int_equal(read_stream(b.n, 0), 1);
	are_kept("0");
	assert_int_equal(others, 6);
	/* a record is wrong: without repair nothing behind it comes */
	begin();
	at = begin_rec(&b, PP_COMPRESSED, 0);
	put_sample(&plain, 0);
	put_sample(&plain, 1);
	store(&plain, SAMPLE + 6, 7, 2);
	pack(bytes_p(&plain), plain.n);
	for (int i = 0; i < 6; i++)
		pack_large(RANDOM);
	plain.n = 0;
	put_sample(&plain, 2);
	pack(bytes_p(&plain), SAMPLE);
	end_rec(&b, at);
	assert_int_equal(read_stream(b.n, 0), -1);
	are_kept("0");
	assert_string_equal(err.what, "COMPRESSED: holds a record of SAMPLE, 7 bytes");
	assert_int_equal(read_stream(b.n, PP_OPEN_REPAIR), -1);
	are_kept("0 2");
	assert_int_equal(lost, SAMPLE + 6 * LARGE);	/* an unknown type proves nothing */
}

/* What is missing of a frame can be longer than what goes into zstd at a time. */
static void
dead_and_long(void **state)
{
	size_t at, data;

	(void)state;
	begin();
	put_sample(&plain, 0);
	put_sample(&plain, 1);
	pack_record(PP_COMPRESSED, 0, SAMPLE);
	data = pack_record(PP_COMPRESSED, SAMPLE, SAMPLE);
	bytes_p(&b)[data + 8] |= 6;
	data = b.n - data - 8;
	plain.n = 0;
	at = begin_rec(&plain, 4711, 0);
	put_random(10000);
	end_rec(&plain, at);
	at = pack_record(PP_COMPRESSED, 0, plain.n);
	data += b.n - at - 8;
	assert_int_equal(ZSTD_CCtx_reset(z, ZSTD_reset_session_only), 0);
	plain.n = 0;
	put_sample(&plain, 2);
	pack_record(PP_COMPRESSED, 0, SAMPLE);
	assert_int_equal(read_stream(b.n, PP_OPEN_REPAIR), -1);
	are_kept("0 2");
	assert_int_equal(lost, data);
	assert_int_equal(faults, 1);
}

/* One that is stepped over as a whole: what follows of its frame is not put behind what was before. */
static void
stepped_over(void **state)
{
	size_t at, data;

	(void)state;
	begin();
	for (unsigned i = 0; i < 5; i++)
		put_sample(&plain, i);
	pack_record(PP_COMPRESSED, 0, SAMPLE + 8);
	at = pack_record(PP_COMPRESSED2, SAMPLE + 8, SAMPLE);
	store(&b, at + 8, 1000, 8);
	data = b.n - at;
	at = pack_record(PP_COMPRESSED, 2 * SAMPLE + 8, 2 * SAMPLE - 8);
	data += b.n - at - 8;
	assert_int_equal(ZSTD_CCtx_reset(z, ZSTD_reset_session_only), 0);
	pack_record(PP_COMPRESSED, 4 * SAMPLE, SAMPLE);
	assert_int_equal(read_stream(b.n, PP_OPEN_REPAIR), -1);
	are_kept("0 4");
	assert_int_equal(lost, data + 8);
}

/* Damage in front of a record that goes on in the next compressed one. */
static void
across(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 6; i++)
		put_sample(&plain, i);
	store(&plain, 2 * SAMPLE + 6, 33, 2);
	pack_record(PP_COMPRESSED, 0, 4 * SAMPLE + 20);
	pack_record(PP_COMPRESSED, 4 * SAMPLE + 20, SAMPLE - 20 + SAMPLE);
	assert_int_equal(read_stream(b.n, PP_OPEN_REPAIR), -1);
	are_kept("0 1 3 4 5");
	assert_int_equal(lost, SAMPLE);
	assert_int_equal(faults, 1);
}

/* Much out of one record; more than the caller lets one expand is no damage to go on behind. */
static void
bomb(void **state)
{
	size_t at;

	(void)state;
	for (int form = 0; form < 4; form++) {
		unsigned flags = (form & 1 ? PP_OPEN_REPAIR : 0) | PP_OPEN_MAX_EXPAND(UINT64_C(1) << (form & 2 ? 22 : 20));

		begin();
		at = begin_rec(&b, PP_COMPRESSED, 0);
		for (int i = 0; i < 50; i++)
			pack_large(0);
		plain.n = 0;
		put_sample(&plain, 1);
		pack(bytes_p(&plain), SAMPLE);
		end_rec(&b, at);
		assert_int_equal(read_stream(b.n, flags), form & 2 ? 1 : -1);
		are_kept(form & 2 ? "1" : "");
		assert_int_equal(strstr(err.what, "(--max-expand SIZE permits more)") != NULL, !(form & 2));
	}
}

/*
 * As perf 6.16 to 7.1 writes more than 64 KiB: one record, with the header of the second chunk amid the data.  Without that nothing is
 * known of what follows, up to the next frame.
 */
static void
chunks(void **state)
{
	enum { HEAD = 16, CHUNK = 65535 - HEAD };
	enum { OVER = -2, SHORT = -3 };		/* its size reaches over the data, into the padding; it is 8 less */
	static const struct { uint32_t type; int size; bool good; } rows[] = {
		{ PP_COMPRESSED2, 0, true }, { PP_COMPRESSED2, OVER, true }, { PP_COMPRESSED, 0, false }, { PP_COMPRESSED, SHORT, false }, { PP_COMPRESSED2, 8, false }, { PP_COMPRESSED2, -1, false },
		{ PP_COMPRESSED2, HEAD, false }, { 0, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t at, data, left, second, end;

		begin();
		at = begin_rec(&b, PP_COMPRESSED2, 0);
		put(&b, 0, 8);
		data = b.n;
		put_sample(&plain, 0);
		for (int k = 0; k < 2; k++) {
			size_t from = begin_rec(&plain, 4711, 0);

			put_random(33000);
			end_rec(&plain, from);
		}
		put_sample(&plain, 1);
		pack(bytes_p(&plain), plain.n);
		assert_true(b.n - data > CHUNK);
		left = b.n - data - CHUNK;
		second = data + CHUNK;
		memmove(bytes_p(&b) + second + HEAD, bytes_p(&b) + second, left);
		store(&b, second, rows[i].type, 4);
		store(&b, second + 4, 0, 2);
		store(&b, second + 6, rows[i].size == OVER ? HEAD + left + 1 : rows[i].size == SHORT ? HEAD + left - 8 :
		    rows[i].size ? (size_t)rows[i].size : HEAD + left, 2);
		store(&b, second + 8, left, 8);
		b.n += HEAD;
		store(&b, at + 8, b.n - data, 8);
		if (rows[i].size == OVER)
			assert_true((b.n - at) % 8 > 0);
		while ((b.n - at) % 8)
			put(&b, 0, 1);
		end_rec(&b, at);
		plain.n = 0;		/* more than the second chunk has */
		put_sample(&plain, 2);
		at = begin_rec(&plain, 4711, 0);
		put_random(2000);
		end_rec(&plain, at);
		put_sample(&plain, 3);
		pack_record(PP_COMPRESSED, 0, plain.n - SAMPLE);
		end = b.n;
		assert_int_equal(ZSTD_CCtx_reset(z, ZSTD_reset_session_only), 0);
		pack_record(PP_COMPRESSED, plain.n - SAMPLE, SAMPLE);
		assert_int_equal(read_stream(end, 0), rows[i].good ? 1 : -1);
		are_kept(rows[i].good ? "0 1 2" : "0");
		if (!rows[i].good)
			assert_string_equal(err.what, "COMPRESSED2: no block header where perf 6.16 to 7.1 writes it");
		assert_int_equal(read_stream(b.n, PP_OPEN_REPAIR), -1);		/* the first frame has no end */
		are_kept(rows[i].good ? "0 1 2 3" : "0 3");
		assert_int_equal(others, rows[i].good ? 3 : 1);
		assert_int_equal(faults, rows[i].good ? 1 : 3);
		if (!rows[i].good) {	/* no header; what stands there; all that is expanded already of a record, and the rest of the frame */
			assert_non_null(strstr(fault[2].what, "zstd: data is missing"));
			assert_true(lost > 33008);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut), cmocka_unit_test(kinds), cmocka_unit_test(sizes), cmocka_unit_test(unfinished), cmocka_unit_test(dead),
		cmocka_unit_test(broken),
		cmocka_unit_test(much), cmocka_unit_test(dead_and_long), cmocka_unit_test(across), cmocka_unit_test(stepped_over),
		cmocka_unit_test(bomb), cmocka_unit_test(chunks),
	};

	return cmocka_run_group_tests_name("expand", tests, NULL, NULL);
}

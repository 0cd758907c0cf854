/* SPDX-License-Identifier: ISC */
/* COMPRESSED records: what is counted of them, data of each size, frames with a checksum, and what follows a frame that is broken. */
#include "expand.h"

/* What pp_compressed() says: records of both types, the first of each, the largest, and those in which there is nothing. */
static void
counted(void **state)
{
	static const uint32_t types[] = { PP_COMPRESSED, PP_COMPRESSED2 };
	enum { RECORDS = 6 };
	static const unsigned sizes[RECORDS] = { 20, 44, 32, 0, 0, 32 };

	(void)state;
	for (unsigned form = 0; form < 1 << RECORDS; form++) {		/* which of them are COMPRESSED2 */
		size_t at[RECORDS], from = 0, data = 0;
		unsigned two = 0, first2 = RECORDS;

		begin();
		for (unsigned i = 0; i < 4; i++)
			put_sample(&plain, i);
		for (unsigned i = 0; i < RECORDS; i++) {
			bool is = form >> i & 1;

			if (sizes[i])
				at[i] = pack_record(types[is], from, sizes[i]);
			else {
				at[i] = begin_rec(&b, types[is], 0);
				if (is)
					put(&b, 0, 8);
				end_rec(&b, at[i]);
			}
			data += is ? pp_get_u64(bytes_p(&b) + at[i] + 8, BIG_HERE) : b.n - at[i] - 8;
			from += sizes[i];
			two += is;
			if (is && first2 == RECORDS)
				first2 = i;
		}
		assert_int_equal(read_stream(b.n, 0), 1);
		are_kept("0 1 2 3");
		assert_int_equal(counts.records, RECORDS - two);
		assert_int_equal(counts.records2, two);
		assert_int_equal(counts.first, at[0]);
		if (two)
			assert_int_equal(counts.first2, at[first2]);
		assert_int_equal(counts.plain, 4 * SAMPLE);
		assert_int_equal(counts.bytes, data);
		assert_int_equal(counts.largest, 44);
		assert_int_equal(counts.nothing, 2);
		assert_int_equal(counts.nothing_at, at[3]);
	}
}

/* A COMPRESSED2 record is padded to a multiple of 8, whatever the size of its data is. */
static void
padding(void **state)
{
	unsigned rests = 0;

	(void)state;
	for (unsigned n = 0; n < 40; n++) {
		size_t at, size, from;

		begin();
		put_sample(&plain, 0);
		from = begin_rec(&plain, 4711, 0);
		put_random(n);
		end_rec(&plain, from);
		put_sample(&plain, 1);
		at = pack_record(PP_COMPRESSED2, 0, plain.n - SAMPLE);
		pack_record(PP_COMPRESSED, plain.n - SAMPLE, SAMPLE);
		size = pp_get_u64(bytes_p(&b) + at + 8, BIG_HERE);
		rests |= 1u << size % 8;
		assert_int_equal(read_stream(b.n, 0), 1);
		are_kept("0 1");
		assert_int_equal(others, 1);
		/* another record size, or one of the data that does not belong to it */
		for (int by = -8; by <= 8; by += 8) {
			store(&b, at + 8, size - size % 8 + 8 + (uint64_t)by, 8);
			if (by != (size % 8 ? 0 : -8))
				assert_int_equal(read_stream(b.n, 0), -1);
		}
	}
	assert_int_equal(rests, 0xff);
	/* as much as one may say */
	begin();
	put(&b, PP_COMPRESSED2, 4);
	put(&b, 0, 2);
	put(&b, 16, 2);
	put(&b, UINT32_MAX, 8);
	assert_int_equal(read_stream(b.n, 0), -1);
	assert_non_null(strstr(err.what, "COMPRESSED2: cut short"));
	store(&b, b.n - 8, UINT64_C(1) << 32, 8);
	assert_int_equal(read_stream(b.n, 0), -1);
	assert_string_equal(err.what, "COMPRESSED2: data_size 4294967296 in a record of 16 bytes");
}

/* A frame that ends with a checksum: if it is wrong, its records come all the same, and it is told. */
static void
checksum(void **state)
{
	(void)state;
	for (int wrong = 0; wrong < 2; wrong++) {
		ZSTD_outBuffer out;
		ZSTD_inBuffer in = { NULL, 0, 0 };
		size_t at, second;

		begin();
		assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1)));
		put_sample(&plain, 0);
		put_sample(&plain, 1);
		put_sample(&plain, 2);
		pack_record(PP_COMPRESSED, 0, SAMPLE);
		at = begin_rec(&b, PP_COMPRESSED, 0);
		pack(bytes_p(&plain) + SAMPLE, SAMPLE);
		second = b.n;
		end_rec(&b, at);
		at = begin_rec(&b, PP_COMPRESSED, 0);
		out = (ZSTD_outBuffer){ bytes_p(&b), sizeof b.at - 1, b.n };
		assert_int_equal(ZSTD_compressStream2(z, &out, &in, ZSTD_e_end), 0);
		b.n = out.pos;
		assert_true(b.n > second);
		bytes_p(&b)[b.n - 1] ^= (uint8_t)wrong;
		end_rec(&b, at);
		pack_record(PP_COMPRESSED, 2 * SAMPLE, SAMPLE);
		assert_int_equal(read_stream(b.n, 0), wrong ? -1 : 1);
		are_kept(wrong ? "0 1" : "0 1 2");
		assert_int_equal(read_stream(b.n, PP_OPEN_REPAIR), wrong ? -1 : 1);
		are_kept("0 1 2");
		assert_int_equal(faults, wrong);
		if (wrong) {
			assert_non_null(strstr(fault[0].what, "COMPRESSED: zstd: the checksum of the frame that ends here is wrong: its records may be wrong, too"));
			assert_int_equal(fault[0].off, at);
		}
	}
}

/* A new frame behind a broken one: its first record is one, whatever that is. */
static void
revived(void **state)
{
	for (unsigned n = 0; n < 2; n++) {
		size_t data;

		(void)state;
		begin();
		put_sample(&plain, 0);
		put_sample(&plain, 1);
		pack_record(PP_COMPRESSED, 0, SAMPLE);
		data = pack_record(PP_COMPRESSED, SAMPLE, SAMPLE);
		bytes_p(&b)[data + 8] |= 6;
		data = b.n - data - 8;
		assert_int_equal(ZSTD_CCtx_reset(z, ZSTD_reset_session_only), 0);
		plain.n = 0;
		end_rec(&plain, begin_rec(&plain, 4711, 0));
		for (unsigned i = 0; i < n; i++)
			put_sample(&plain, 2 + i);
		pack_record(PP_COMPRESSED, 0, plain.n);
		assert_int_equal(read_stream(b.n, PP_OPEN_REPAIR), -1);
		are_kept(n ? "0 2" : "0");
		assert_int_equal(others, 1);
		assert_int_equal(faults, 1);
		assert_int_equal(lost, data);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counted), cmocka_unit_test(padding), cmocka_unit_test(checksum), cmocka_unit_test(revived),
	};

	return cmocka_run_group_tests_name("expand_parts", tests, NULL, NULL);
}

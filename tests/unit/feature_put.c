/* SPDX-License-Identifier: ISC */
/*
 * feature_put.c - header features made from values, as records, and in the other byte order; and those that perf
 * wrote, which must come back byte for byte.
 */
#include "feature_rows.h"
#include "record/attr.h"

#define DATA "tests/data/features/"		/* make check runs in the project's top directory */

/* Counts are found, at both levels, for entries and for bytes. */
static void
test_count(void **state)
{
	static const struct row caps = { 31, 0, "4:2 4:2 s:a s:1 s:b s:2 s:cpu 4:0 s:gpu", NULL, NULL };
	static const struct row btf = { 26, 0, "4:1 4:7 4:2 b:9feb", NULL, NULL };
	static const struct row none = { 11, 0, "4:0", NULL, NULL };
	uint8_t want[1024], buf[1024];
	struct pp_err err = { 0 };
	struct pp_feature_io io;
	size_t n, len;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		pp_feature_create(&io, PP_FEAT_PMU_CAPS, swap, 0, buf, sizeof buf, &err);
		pp_feature_put_count(&io, "nr");
		pp_feature_put_count(&io, "nr_caps");
		pp_feature_put_str(&io, "name", "a", 1);
		pp_feature_put_str(&io, "value", "1", 1);
		pp_feature_put_str(&io, "name", "b\0junk", 6);
		pp_feature_put_str(&io, "value", "2", 1);
		pp_feature_put_str(&io, "pmu", "cpu", 3);
		pp_feature_put_count(&io, "nr_caps");
		pp_feature_put_str(&io, "pmu", "gpu", 3);
		assert_int_equal(pp_feature_finish(&io, &len), 1);
		n = cook(want, &caps, swap);
		assert_int_equal(len, n);
		assert_memory_equal(buf, want, n);

		pp_feature_create(&io, PP_FEAT_BPF_BTF, swap, 0, buf, sizeof buf, &err);
		pp_feature_put_count(&io, "nr");
		pp_feature_put_num(&io, "id", 7);
		pp_feature_put_count(&io, "size");
		pp_feature_put(&io, &(struct pp_feature_value){ .name = "data", .kind = PP_F_BYTES,
		    .p = (const uint8_t *)"\x9f\xeb", .len = 2 });
		assert_int_equal(pp_feature_finish(&io, &len), 1);
		n = cook(want, &btf, swap);
		assert_int_equal(len, n);
		assert_memory_equal(buf, want, n);

		pp_feature_create(&io, PP_FEAT_CMDLINE, swap, 0, buf, sizeof buf, &err);
		pp_feature_put_count(&io, "nr");
		assert_int_equal(pp_feature_finish(&io, &len), 1);
		n = cook(want, &none, swap);
		assert_int_equal(len, n);
		assert_memory_equal(buf, want, n);
	}
	assert_string_equal(err.what, "");
}

/* Strings are padded so that one NUL always fits: 63 characters take 64 bytes, 64 take 128. */
static void
test_padding(void **state)
{
	static const struct { size_t len, stored; } pad[] = { { 0, 64 }, { 1, 64 }, { 63, 64 }, { 64, 128 }, { 127, 128 } };
	char s[128];
	uint8_t buf[256];
	struct pp_err err = { 0 };
	struct pp_feature_io io;
	size_t len;

	(void)state;
	memset(s, 'x', sizeof s);
	for (size_t i = 0; i < COUNT(pad); i++) {
		memset(buf, 0xee, sizeof buf);
		pp_feature_create(&io, PP_FEAT_ARCH, false, 0, buf, sizeof buf, &err);
		pp_feature_put_str(&io, "arch", s, pad[i].len);
		assert_int_equal(pp_feature_finish(&io, &len), 1);
		assert_int_equal(len, 4 + pad[i].stored);
		assert_int_equal(pp_get_u32(buf, false), pad[i].stored);
		for (size_t k = pad[i].len; k < pad[i].stored; k++)
			assert_int_equal(buf[4 + k], 0);
	}
}

/* What the encoder refuses: {feature, name=number, name:string, name#bytes or *:rest ..., text}. */
static void
test_refused(void **state)
{
	static const struct { uint64_t number; const char *puts, *want; } bad[] = {
		{ 7, "available=1", "NRCPUS: online is missing" },
		{ 7, "online=1", "NRCPUS: available expected, not online" },
		{ 7, "available=1 online=1 more=1", "NRCPUS: more has no place here" },
		{ 7, "available=0x100000000", "NRCPUS: available does not fit 32 bits" },
		{ 7, "available:one", "NRCPUS: available is of another kind" },
		{ 7, "available=? online=1", "NRCPUS: a length is missing" },
		{ 3, "hostname=1", "HOSTNAME: hostname is of another kind" },
		{ 11, "nr=2 arg:a", "CMDLINE: arg is missing" },
		{ 11, "nr=1 arg:a arg:b", "CMDLINE: arg has no place here" },
		{ 25, "nr=1 info_len=2 data_len=0 arrays=0 info#abc", "BPF_PROG_INFO: info has 3 bytes, info_len says 2" },
		{ 22, "version=1 block_size=1 nr=? node=0 blocks=0 nbits=? bits=0", "MEM_TOPOLOGY: nbits cannot be counted" },
		{ 12, "nr=1 attr_size=0 attr=1", "EVENT_DESC: attr is of another kind" },
		{ 13, "nr_cores=0 nr_threads=0 core_id=1", "CPU_TOPOLOGY: socket_id is missing" },
		{ 14, "nr=2 node=? total_kb=1 free_kb=1 cpus:0 node=1 total_kb=1 free_kb=1 cpus:1", "NUMA_TOPOLOGY: a length is missing" },
		{ 99, "x=1", "number 99: x has no place here" },
		{ 15, "x=1", "BRANCH_STACK: x has no place here" },
		{ 3, "*:abc hostname:a", "HOSTNAME: hostname expected, not the rest" },
		{ 99, "*:abc x=1", "number 99: no field can follow the rest" },
		{ 33, "e_machine=62 e_flags=1 *:abc *:d", "E_MACHINE: no field can follow the rest" },
	};
	uint8_t buf[512];

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct pp_err err = { 0 };
		struct pp_feature_io io;
		char *text = strdup(bad[i].puts), *save = NULL;
		size_t len;

		pp_feature_create(&io, bad[i].number, false, 0, buf, sizeof buf, &err);
		for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
			char *val = strpbrk(w, "=:#"), kind = *val;

			*val++ = '\0';
			if (*w == '*')
				assert_int_not_equal(pp_feature_put(&io, &(struct pp_feature_value){ .kind = PP_F_REST, .p = (const uint8_t *)val,
				    .len = strlen(val) }), 0);
			else if (kind == '#')
				pp_feature_put(&io, &(struct pp_feature_value){ .name = w, .kind = PP_F_INFO, .p = (const uint8_t *)val,
				    .len = strlen(val) });
			else if (kind == ':')
				pp_feature_put_str(&io, w, val, strlen(val));
			else if (*val == '?')
				pp_feature_put_count(&io, w);
			else
				pp_feature_put_num(&io, w, strtoull(val, NULL, 0));
		}
		assert_int_equal(pp_feature_finish(&io, &len), -1);
		assert_int_equal(pp_feature_put_num(&io, "available", 1), -1);		/* it has failed */
		assert_string_equal(err.what + strlen("HEADER_FEATURE: "), bad[i].want);
		free(text);
	}
}

/* Bytes that nobody understands pass in their own byte order only. */
static void
test_opaque(void **state)
{
	uint8_t raw[256], buf[256];	/* more than these rows need, as much as cook() writes of one word */
	size_t len;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct pp_err err = { 0 };
		struct pp_feature f = { .number = odd[i].number, .p = raw, .len = cook(raw, &odd[i], true), .swap = true };

		assert_int_equal(pp_feature_convert(&f, true, buf, sizeof buf, &len, &err), 1);
		assert_int_equal(len, f.len);
		assert_memory_equal(buf, raw, len);
		assert_int_equal(pp_feature_convert(&f, false, buf, sizeof buf, &len, &err), -1);
		assert_non_null(strstr(err.what, "unknown layout"));
	}
	/* zeros may be padding, and are the same in both */
	for (unsigned at = 0; at < 4; at++)
		for (uint64_t number = PP_FEAT_CLN_SIZE; number < 100; number += 65) {
			struct pp_err err = { 0 };
			struct pp_feature f = { .number = number, .p = raw, .len = number == PP_FEAT_CLN_SIZE ? 4 + 3 : 3 };

			memset(raw, 0, sizeof raw);
			if (at < 3)
				raw[f.len - 3 + at] = 1;
			assert_int_equal(pp_feature_convert(&f, true, buf, sizeof buf, &len, &err), at < 3 ? -1 : 1);
			assert_int_equal(pp_feature_convert(&f, false, buf, sizeof buf, &len, &err), 1);
			assert_int_equal(len, f.len);
			assert_memory_equal(buf, raw, len);
		}
}

/* Numbers of 32 bits, with a sign or without: the last that fit, and the first that do not. */
static void
test_numbers(void **state)
{
	static const struct { uint64_t number; unsigned before; const char *name; uint64_t num; bool fits; } t[] = {
		{ PP_FEAT_CLN_SIZE, 0, "bytes", 0, true }, { PP_FEAT_CLN_SIZE, 0, "bytes", UINT32_MAX, true },
		{ PP_FEAT_CLN_SIZE, 0, "bytes", UINT64_C(1) << 32, false }, { PP_FEAT_CLN_SIZE, 0, "bytes", UINT64_MAX, false },
		{ PP_FEAT_CPU_TOPOLOGY, 2, "core_id", INT32_MAX, true }, { PP_FEAT_CPU_TOPOLOGY, 2, "core_id", UINT64_C(1) << 31, false },
		{ PP_FEAT_CPU_TOPOLOGY, 2, "core_id", UINT64_MAX, true }, { PP_FEAT_CPU_TOPOLOGY, 2, "core_id", (uint64_t)INT32_MIN, true },
		{ PP_FEAT_CPU_TOPOLOGY, 2, "core_id", (uint64_t)INT32_MIN - 1, false }, { PP_FEAT_CPU_TOPOLOGY, 2, "core_id", UINT32_MAX, false },
		{ PP_FEAT_CLOCKID, 0, "resolution", UINT64_MAX, true },
	};
	static const char *const before[] = { "nr_cores", "nr_threads" };

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(t); i++) {
		struct pp_err err = { 0 };
		struct pp_feature_io io;
		uint8_t buf[64];

		pp_feature_create(&io, t[i / 2].number, i % 2, 0, buf, sizeof buf, &err);
		for (unsigned k = 0; k < t[i / 2].before; k++)
			assert_int_equal(pp_feature_put_num(&io, before[k], 0), 1);
		assert_int_equal(pp_feature_put_num(&io, t[i / 2].name, t[i / 2].num), t[i / 2].fits ? 1 : -1);
		assert_int_equal(strstr(err.what, "does not fit 32 bits") != NULL, !t[i / 2].fits);
	}
}

static void
test_record(void **state)
{
	static uint8_t buf[70000], payload[65536];
	struct pp_err err = { 0 };
	struct pp_feature f = { .number = 34, .p = payload, .len = 4, .swap = !BIG };
	struct pp_feature back;
	struct pp_rec rec = { .raw = buf, .type = PP_HEADER_FEATURE };

	(void)state;
	payload[3] = 64;
	assert_int_equal(pp_feature_record(buf, 20, &f, &err), 1);
	assert_memory_equal(buf, "\0\0\0\x50" "\0\0" "\0\x14" "\0\0\0\0\0\0\0\x22" "\0\0\0\x40", 20);
	rec.size = 20;
	assert_false(pp_feature_is_end(&rec));
	assert_int_equal(pp_feature_of(&back, &rec, !BIG, 3, &err), 1);
	assert_int_equal(back.number, 34);
	assert_int_equal(back.len, 4);
	assert_int_equal(back.nr_cpus, 3);
	assert_ptr_equal(back.p, buf + 16);
	rec.size = 15;
	assert_int_equal(pp_feature_of(&back, &rec, true, 3, &err), -1);
	rec.size = 16;
	assert_true(pp_feature_is_end(&rec));

	/* the payload may stand where it will be */
	f = (struct pp_feature){ .number = 99, .p = buf + 16, .len = 65535 - 16 };
	memset(buf, 7, sizeof buf);
	assert_int_equal(pp_feature_record(buf, sizeof buf, &f, &err), 1);
	assert_int_equal(pp_get_u16(buf + 6, false), 65535);
	assert_int_equal(buf[16], 7);

	memset(&err, 0, sizeof err);
	assert_int_equal(pp_feature_record(buf, 65534, &f, &err), -1);
	f.len++;
	memset(&err, 0, sizeof err);
	assert_int_equal(pp_feature_record(buf, sizeof buf, &f, &err), -1);
	assert_string_equal(err.what, "HEADER_FEATURE: number 99: 65520 bytes are more than a record holds, 65519");
	f.number = PP_FEAT_AUXTRACE;
	memset(&err, 0, sizeof err);
	assert_int_equal(pp_feature_record(buf, sizeof buf, &f, &err), -1);
	assert_string_equal(err.what, "HEADER_FEATURE: AUXTRACE cannot be in a stream");
}

static void
test_attr_flip(void **state)
{
	uint8_t a[160], b[160], c[160];

	(void)state;
	for (size_t i = 0; i < sizeof a; i++)
		a[i] = (uint8_t)i;
	pp_attr_flip(b, a, sizeof a);
	assert_memory_equal(b, "\x03\x02\x01\x00\x07\x06\x05\x04\x0f\x0e\x0d\x0c\x0b\x0a\x09\x08", 16);
	/* bit-fields: bits turn, bytes stay (40 is 00101000, 116 is 01110100) */
	assert_int_equal(b[40], 0x14);
	assert_int_equal(b[41], 0x94);
	assert_int_equal(b[116], 0x2e);
	assert_memory_equal(b + 88, "\x5b\x5a\x59\x58\x5f\x5e\x5d\x5c", 8);
	assert_memory_equal(b + 108, "\x6d\x6c\x6f\x6e", 4);
	/* behind config4 nothing is known */
	assert_int_equal(b[143], 136);
	assert_memory_equal(b + 144, a + 144, 16);
	for (size_t n = 0; n <= sizeof a; n++) {
		uint8_t *p = odd_copy(a, n);

		pp_attr_flip(p, p, n);
		pp_attr_flip(c, p, n);
		assert_memory_equal(c, a, n);
		odd_free(p);
	}
}

/* ---- what perf wrote ------------------------------------------------------------------------- */

static void
try_recorded(const char *path, bool big_endian, unsigned want)
{
	static uint8_t all[8192], out[8192], back[8192];
	bool swap = big_endian != BIG;
	FILE *fp = fopen(path, "rb");
	size_t n, at = 0, len, len2;
	unsigned records = 0, ends = 0;
	uint32_t cpus = 0;

	if (!fp)
		fail_msg("%s is not there", path);
	n = fread(all, 1, sizeof all, fp);
	fclose(fp);
	while (at < n) {
		struct pp_rec rec = { .raw = all + at, .type = pp_get_u32(all + at, swap),
		    .size = pp_get_u16(all + at + 6, swap) };
		struct pp_feature f;
		struct pp_err err = { 0 };
		uint64_t num;

		assert_true(rec.size >= 16 && rec.size <= n - at);
		assert_int_equal(pp_feature_of(&f, &rec, swap, cpus, &err), 1);
		if (f.number == PP_FEAT_NRCPUS && pp_feature_num(&f, "available", &num, &err) > 0)
			cpus = (uint32_t)num;
		if (pp_feature_convert(&f, swap, out, sizeof out, &len, &err) < 0)
			fail_msg("%s", err.what);
		assert_int_equal(len, f.len);
		assert_memory_equal(out, f.p, len);
		if (pp_feature_convert(&f, !swap, out, sizeof out, &len, &err) < 0)
			fail_msg("%s", err.what);
		f.p = out;
		f.len = len;
		f.swap = !swap;
		assert_int_equal(pp_feature_convert(&f, swap, back, sizeof back, &len2, &err), 1);
		f.p = back;
		f.len = len2;
		f.swap = swap;
		assert_int_equal(pp_feature_record(out, sizeof out, &f, &err), 1);
		assert_memory_equal(out, rec.raw, rec.size);
		ends += pp_feature_is_end(&rec);
		records++;
		at += rec.size;
	}
	assert_int_equal(records, want);
	assert_int_equal(ends, 1);
}

static void
test_recorded(void **state)
{
	(void)state;
	try_recorded(DATA "perf-7.2.bin", false, 23);
	try_recorded(DATA "perf-6.1-s390x.bin", true, 17);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count), cmocka_unit_test(test_padding), cmocka_unit_test(test_numbers), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_opaque), cmocka_unit_test(test_record), cmocka_unit_test(test_attr_flip),
		cmocka_unit_test(test_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

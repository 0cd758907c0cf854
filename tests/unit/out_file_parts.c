/* SPDX-License-Identifier: ISC */
/* A seekable perf.data section by section, as its bytes are, in either byte order: header, attrs, ids, data and features. */
#include "written.h"

/* No record: what readers take for whole all the same. */
static void
test_empty(void **state)
{
	(void)state;
	for (unsigned swap = 0; swap < 2; swap++) {
		begin(swap, NULL, false);
		end(1);
		take_apart();
		assert_int_equal(attr_size, 64);
		assert_int_equal(attrs.off, HEADER);
		assert_int_equal(attrs.len, 0);
		assert_int_equal(data.off, HEADER);
		assert_int_equal(data.len, 8);
		assert_int_equal(u32_at(HEADER), PP_FINISHED_ROUND);
		assert_int_equal(u32_at(HEADER + 4), swap != BIG_HERE ? 8 : 8 << 16);
		HAS_ONLY(HOSTNAME, SAMPLE_TIME);
		assert_int_equal(feature[HOSTNAME].len, 4 + 64);
		assert_int_equal(u32_at(feature[HOSTNAME].off), 64);
		for (unsigned i = 0; i < 64; i++)
			assert_int_equal(got[feature[HOSTNAME].off + 4 + i], 0);
		assert_int_equal(u64_at(feature[SAMPLE_TIME].off), 0);
		assert_int_equal(u64_at(feature[SAMPLE_TIME].off + 8), 0);
	}
}

/* Attrs of different sizes have entries of one size; all ids are in front of them. */
static void
test_attrs(void **state)
{
	static const uint64_t ids[] = { 11, 12, 13, 14 };
	static const struct { uint32_t size; unsigned first, n; } events[] = { { 64, 0, 2 }, { 112, 2, 1 }, { 96, 3, 1 }, { 72, 0, 0 } };

	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		bool late = form & 2;			/* the last two come behind a record */

		begin(form & 1, NULL, false);
		for (unsigned i = 0; i < 4; i++) {
			if (late && i == 2)
				put_sample(11, 100);
			put_event(events[i].size, i, PP_SAMPLE_ID | PP_SAMPLE_TIME, events[i].n, ids + events[i].first);
		}
		if (!late)
			put_sample(11, 100);
		end(1);
		take_apart();
		assert_int_equal(data.len, 24);
		assert_int_equal(u64_at(data.off + 8), 100);
		assert_int_equal(attr_size, 112);
		assert_int_equal(attrs.len, 4 * (112 + SECTION));
		assert_int_equal(attrs.off > data.off, late);
		assert_int_equal(data.off, late ? HEADER + 2 * 8 + 8 + 64 + 112 + 2 * SECTION + 112 - 64 : attrs.off + attrs.len);
		for (unsigned i = 0; i < 4; i++) {
			uint64_t at = attrs.off + i * (112 + SECTION), off = u64_at(at + 112);

			assert_int_equal(u32_at(at), 1);
			assert_int_equal(u32_at(at + 4), events[i].size);
			assert_int_equal(u64_at(at + 8), i);
			for (unsigned k = events[i].size; k < 112; k++)
				assert_int_equal(got[at + k], 0);
			assert_int_equal(u64_at(at + 112 + 8), 8 * events[i].n);
			for (unsigned k = 0; k < events[i].n; k++)
				assert_int_equal(u64_at(off + 8 * k), ids[events[i].first + k]);
			if (events[i].n)
				assert_int_equal(off, attrs.off - 32 + 8 * events[i].first);
		}
		/* no event has a name that is not perf's own */
		HAS_ONLY(HOSTNAME, SAMPLE_TIME);
	}
}

/* Ids that exceed a record come in further records with the same attr. */
static void
test_many_ids(void **state)
{
	enum { MAX = (65535 - 8 - 64) / 8 };
	static uint64_t ids[2 * MAX + 3];
	static const struct { unsigned n[3], config[3], attrs; } cases[] = {
		{ { MAX, MAX, 3 }, { 5, 5, 5 }, 1 }, { { MAX, 3, 0 }, { 5, 5, 5 }, 2 }, { { MAX, MAX, 3 }, { 5, 6, 6 }, 2 },
		{ { MAX - 1, 3, 3 }, { 5, 5, 5 }, 3 }, { { 0, 0, 1 }, { 5, 5, 5 }, 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
		ids[i] = 1000 + i;
	for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
		unsigned done = 0;

		begin(i & 1, NULL, false);
		for (unsigned k = 0; k < 3; k++) {
			put_event(64, cases[i / 2].config[k], PP_SAMPLE_ID | PP_SAMPLE_TIME, cases[i / 2].n[k], ids + done);
			done += cases[i / 2].n[k];
		}
		put_name(1000, "name");
		end(1);
		take_apart();
		assert_int_equal(attrs.len, cases[i / 2].attrs * (64 + SECTION));
		assert_int_equal(attrs.off, HEADER + 8 * done);
		for (unsigned k = 0; k < done; k++)
			assert_int_equal(u64_at(HEADER + 8 * k), ids[k]);
	}
}

/* EVENT_DESC: as far as names are known; one that is not known in front of one that is has that which is built for it. */
static void
test_names(void **state)
{
	static const uint64_t ids[] = { 11, 12, 13, 14 };

	(void)state;
	for (unsigned form = 0; form < 6; form++) {
		static const bool without[FEATURES] = { [EVENT_DESC] = true };
		unsigned named = form / 2 == 0 ? 0 : 1 + form / 2;		/* 0, 2, 3 of 3 */
		uint64_t at;

		begin(form & 1, NULL, false);
		for (unsigned i = 0; i < 3; i++)
			put_event(i == 1 ? 72 : 64, i, PP_SAMPLE_ID | PP_SAMPLE_TIME, i == 1 ? 2 : 1, i == 2 ? ids + 3 : ids + i);
		if (named)
			put_name(ids[named == 2 ? 1 : 3], "name");
		end(1);
		take_apart();
		assert_int_equal(has[EVENT_DESC], named > 0);
		if (!named)
			continue;
		at = feature[EVENT_DESC].off;
		assert_int_equal(u32_at(at), named);
		assert_int_equal(u32_at(at + 4), 72);
		at += 8;
		for (unsigned i = 0; i < named; i++) {
			uint32_t len;

			assert_int_equal(u32_at(at), 1);
			assert_int_equal(u64_at(at + 8), i);
			at += 72;
			assert_int_equal(u32_at(at), i == 1 ? 2 : 1);
			len = u32_at(at + 4);
			assert_int_equal(len, 64);
			if (i + 1 == named)
				assert_string_equal((char *)got + at + 8, "name");
			else
				assert_true(got[at + 8]);
			at += 8 + len;
			assert_int_equal(u64_at(at), ids[i == 2 ? 3 : i]);
			at += i == 1 ? 16 : 8;
		}
		assert_int_equal(at, feature[EVENT_DESC].off + feature[EVENT_DESC].len);
		/* who does not want it has none, nor times */
		static const bool no_times[FEATURES] = { [EVENT_DESC] = true, [SAMPLE_TIME] = true };
		const struct out_pack pack = { .without = form & 1 ? without : no_times };

		begin(form & 1, &pack, false);
		put_event(64, 0, PP_SAMPLE_ID | PP_SAMPLE_TIME, 1, ids);
		put_name(ids[0], "name");
		end(1);
		take_apart();
		assert_false(has[EVENT_DESC]);
		assert_int_equal(has[SAMPLE_TIME], form & 1);
	}
}

/* An EVENT_DESC that came before its events names them; of two the last counts. */
static void
test_early_names(void **state)
{
	static const char *const names[] = { "first", "second" };

	(void)state;
	for (unsigned form = 0; form < 2; form++) {
		const uint64_t id = 11;
		uint64_t at;

		begin(form & 1, NULL, false);
		for (unsigned i = 0; i < 2; i++) {
			const struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_ID | PP_SAMPLE_TIME };
			struct bytes one = { .swap = b.swap };

			put_attr(&one, &a, 0, NULL);
			b.n = 0;
			at = begin_rec(&b, PP_HEADER_FEATURE, 0);
			put(&b, EVENT_DESC, 8);
			put(&b, 1, 4);
			put(&b, 64, 4);
			memcpy(bytes_p(&b) + b.n, bytes_p(&one) + 8, 64);
			b.n += 64;
			put(&b, 1, 4);
			put(&b, 64, 4);
			put_text(&b, names[i], 64);
			put(&b, id, 8);
			put_rec(end_rec(&b, at));
		}
		put_event(64, 0, PP_SAMPLE_ID | PP_SAMPLE_TIME, 1, &id);
		put_sample(11, 5);
		end(1);
		take_apart();
		assert_true(has[EVENT_DESC]);
		assert_string_equal((char *)got + feature[EVENT_DESC].off + 8 + 64 + 8, "second");
	}
}

/* The first and the last time of samples; what the recording says itself, if no sample has one. */
static void
test_times(void **state)
{
	static const struct { uint64_t times[3]; unsigned n; bool said; uint64_t first, last; } cases[] = {
		{ { 50, 40, 60 }, 3, false, 40, 60 }, { { 50 }, 1, false, 50, 50 }, { { 50, 40, 60 }, 3, true, 40, 60 }, { { 0 }, 0, true, 7, 9 },
		{ { 0 }, 0, false, 0, 0 }, { { 60, 50, 40 }, 3, false, 40, 60 }, { { 40, 50, 60 }, 3, false, 40, 60 },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
		const uint64_t id = 11;
		size_t at;

		begin(i & 1, NULL, false);
		put_event(64, 0, PP_SAMPLE_ID | PP_SAMPLE_TIME, 1, &id);
		put_event(64, 1, PP_SAMPLE_ID | PP_SAMPLE_TIME, 1, &(uint64_t){ 12 });
		if (cases[i / 2].said) {
			b.n = 0;
			at = begin_rec(&b, PP_HEADER_FEATURE, 0);
			put(&b, SAMPLE_TIME, 8);
			put(&b, 7, 8);
			put(&b, 9, 8);
			put_rec(end_rec(&b, at));
		}
		for (unsigned k = 0; k < cases[i / 2].n; k++)
			put_sample(11, cases[i / 2].times[k]);
		put_sample(99, 1000);		/* of no event */
		end(1);
		take_apart();
		if (cases[i / 2].n || cases[i / 2].said) {
			assert_int_equal(feature[SAMPLE_TIME].len, 16);
			assert_int_equal(u64_at(feature[SAMPLE_TIME].off), cases[i / 2].first);
			assert_int_equal(u64_at(feature[SAMPLE_TIME].off + 8), cases[i / 2].last);
		}
	}
}

/* Of features the last of a number counts; what is not for streams, or of no number, is left out, but of records that are a file's. */
static void
test_features(void **state)
{
	(void)state;
	for (unsigned swap = 0; swap < 2; swap++) {
		begin(swap, NULL, false);
		put_feature(NRCPUS, UINT64_C(4) << 32 | 8, 8);
		put_feature(100, 1, 8);
		put_feature(NRCPUS, UINT64_C(2) << 32 | 3, 8);
		put_feature(255, 5, 8);
		put_feature(256, 6, 8);
		put_feature(1000, 7, 8);
		put_feature(DIR_FORMAT, 1, 8);
		put_feature(CACHE, 1, 8);
		put_feature(256, 0, 0);
		end(1);
		take_apart();
		HAS_ONLY(HOSTNAME, NRCPUS, SAMPLE_TIME, 100, 255);
		assert_int_equal(feature[NRCPUS].len, 8);
		assert_int_equal(u64_at(feature[NRCPUS].off), UINT64_C(2) << 32 | 3);
		assert_int_equal(u64_at(feature[100].off), 1);
		assert_int_equal(u64_at(feature[255].off), 5);
	}
}

static void
put_bare(uint32_t type, size_t n, uint64_t payload)
{
	struct pp_rec r;
	size_t at;

	b.n = 0;
	at = begin_rec(&b, type, 0);
	put(&b, type == PP_AUXTRACE ? payload : 0, 8);
	while (b.n < n)
		put(&b, 0, 1);
	r = end_rec(&b, at);
	r.payload = payload;
	put_rec(r);
}

/* Records that say that the file has a feature; they stay among the data. */
static void
test_flags(void **state)
{
	static const struct { uint32_t type; unsigned size, number; } cases[] = {
		{ PP_STAT_CONFIG, 32, STAT }, { PP_STAT, 48, STAT }, { PP_STAT_ROUND, 24, STAT }, { PP_AUXTRACE_INFO, 16, AUXTRACE },
		{ PP_AUXTRACE, 48, AUXTRACE }, { PP_FINISHED_ROUND, 16, HOSTNAME },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
		const unsigned wanted[] = { HOSTNAME, SAMPLE_TIME, cases[i / 2].number };

		begin(i & 1, NULL, false);
		put_bare(cases[i / 2].type, cases[i / 2].size, 0);
		end(1);
		take_apart();
		has_only(wanted, 3);
		assert_int_equal(data.len, cases[i / 2].size);
		assert_int_equal(u32_at(data.off), cases[i / 2].type);
		if (cases[i / 2].number == AUXTRACE) {
			assert_int_equal(feature[AUXTRACE].len, cases[i / 2].type == PP_AUXTRACE ? 8 + 16 : 8);
			assert_int_equal(u64_at(feature[AUXTRACE].off), cases[i / 2].type == PP_AUXTRACE);
		} else if (cases[i / 2].number == STAT)
			assert_int_equal(feature[STAT].len, 0);
	}
}

/* AUXTRACE with payloads in pieces: where each is; the last ends too early, and is not there. */
static void
test_auxtrace(void **state)
{
	static uint8_t payload[3000];

	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		uint64_t at, cut = form & 2;

		for (unsigned i = 0; i < sizeof payload; i++)
			payload[i] = (uint8_t)(i * 7);
		begin(form & 1, NULL, false);
		put_bare(PP_FINISHED_ROUND, 16, 0);
		for (unsigned k = 0; k < 3; k++) {
			put_bare(PP_AUXTRACE, 48, 1000 * (k + 1));
			for (unsigned done = 0; done < 1000 * (k + 1) - (cut && k == 2 ? 1 : 0);) {
				unsigned some = done ? 499 : 2;

				some = some < 1000 * (k + 1) - done ? some : 1000 * (k + 1) - done;
				if (cut && k == 2 && done + some == 3000)
					some--;
				assert_int_equal(o->payload(o, payload + done, some), 1);
				done += some;
			}
			if (k == 0)
				assert_int_equal(o->flush(o, true), 1);
		}
		if (!cut)
			put_bare(PP_FINISHED_ROUND, 16, 0);
		end(1);
		take_apart();
		assert_int_equal(data.len, 16 + 2 * 48 + 3000 + (cut ? 0 : 48 + 3000 + 16));
		assert_int_equal(feature[AUXTRACE].len, 8 + 16 * (cut ? 2 : 3));
		assert_int_equal(u64_at(feature[AUXTRACE].off), cut ? 2 : 3);
		at = data.off + 16;
		for (unsigned k = 0; k < (cut ? 2 : 3); k++) {
			assert_int_equal(u64_at(feature[AUXTRACE].off + 8 + 16 * k), at);
			assert_int_equal(u64_at(feature[AUXTRACE].off + 16 + 16 * k), 48);
			assert_int_equal(u32_at(at), PP_AUXTRACE);
			assert_memory_equal(got + at + 48, payload, 1000 * (k + 1));
			at += 48 + 1000 * (k + 1);
		}
	}
}

/* TRACING_DATA behind its record, in pieces, or inside of it, as simpleperf writes it. */
static void
test_tracing(void **state)
{
	static const uint8_t tracing[44] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		struct pp_rec r;
		size_t at;

		begin(form & 1, NULL, false);
		put_feature(NRCPUS, 1, 8);
		b.n = 0;
		at = begin_rec(&b, PP_HEADER_TRACING_DATA, 0);
		put(&b, sizeof tracing, 4);
		for (unsigned i = 0; form & 2 && i < sizeof tracing; i++)
			put(&b, tracing[i], 1);
		r = end_rec(&b, at);
		r.payload = form & 2 ? 0 : sizeof tracing;
		put_rec(r);
		if (!(form & 2)) {
			assert_int_equal(o->payload(o, tracing, 1), 1);
			assert_int_equal(o->payload(o, tracing + 1, 40), 1);
			assert_int_equal(o->payload(o, tracing + 41, 3), 1);
		}
		put_bare(PP_FINISHED_ROUND, 16, 0);
		end(1);
		take_apart();
		HAS_ONLY(TRACING, HOSTNAME, NRCPUS, SAMPLE_TIME);
		assert_int_equal(data.len, 16);
		assert_int_equal(feature[TRACING].len, sizeof tracing);
		assert_memory_equal(got + feature[TRACING].off, tracing, sizeof tracing);
	}
}

/* While it grows, who reads it finds where the data begin; in big-endian only at the end. */
static void
test_grows(void **state)
{
	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		bool grows = form & 2, little = (form & 1) == BIG_HERE;
		const uint64_t id = 11;

		begin(form & 1, NULL, grows);
		put_event(64, 0, PP_SAMPLE_ID | PP_SAMPLE_TIME, 1, &id);
		put_sample(11, 5);
		assert_int_equal(o->flush(o, false), 1);
		look();
		assert_int_equal(ngot, HEADER + 8 + 64 + SECTION + 24);
		assert_int_equal(u64_at(0) != 0, grows && little);
		if (grows && little) {
			assert_int_equal(u64_at(24), HEADER + 8);
			assert_int_equal(u64_at(32), 64 + SECTION);
			assert_int_equal(u64_at(40), HEADER + 8 + 64 + SECTION);
			for (unsigned i = 48; i < HEADER; i++)
				assert_int_equal(got[i], 0);
		}
		end(1);
		take_apart();
		assert_int_equal(data.len, 24);
	}
}

/* Compressed: the feature says how much smaller, rounded. */
static void
test_compressed(void **state)
{
	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		const struct out_pack pack = { .level = 3, .two = form & 2 };
		const uint64_t id = 11;
		uint64_t at, packed = 0;

		begin(form & 1, &pack, false);
		put_event(64, 0, PP_SAMPLE_ID | PP_SAMPLE_TIME, 1, &id);
		for (unsigned i = 0; i < 1000; i++)
			put_sample(11, 5 + i);
		end(1);
		take_apart();
		HAS_ONLY(HOSTNAME, SAMPLE_TIME, COMPRESSED);
		for (at = data.off; at < data.off + data.len; at += pp_get_u16(got + at + 6, swapped)) {
			assert_int_equal(u32_at(at), form & 2 ? PP_COMPRESSED2 : PP_COMPRESSED);
			packed += pp_get_u16(got + at + 6, swapped);
		}
		assert_int_equal(feature[COMPRESSED].len, 20);
		at = feature[COMPRESSED].off;
		assert_int_equal(u32_at(at), 0);
		assert_int_equal(u32_at(at + 4), 1);
		assert_int_equal(u32_at(at + 8), 3);
		assert_int_equal(u32_at(at + 12), (24000 + packed / 2) / packed);
		assert_int_equal(u32_at(at + 16), 145 * 4096);
		begin(form & 1, &pack, false);		/* of nothing */
		end(1);
		take_apart();
		assert_int_equal(u32_at(feature[COMPRESSED].off + 12), 0);
	}
}

/* What cannot be written to, and descriptor 0, which is one as any other. */
static void
test_places(void **state)
{
	int was = dup(0), zero, tmp;

	(void)state;
	assert_non_null(in = pp_open_memory(NULL, 0, false, "in", &err));
	fd = memfd_create("out", MFD_CLOEXEC);
	tmp = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	assert_null(out_file_new(pp_create_fd(tmp, "out", &err), &(struct out_file_at){ .fd = fd, .dir = -1 }, &(struct out_pack){ .level = 0 }, in, &err));
	assert_string_equal(err.what, "is a pipe, a device or open already: cannot hold a seekable perf.data");
	assert_int_equal(fcntl(tmp, F_GETFD), -1);		/* the sink is gone */
	err = (struct pp_err){ .what = "why there is no sink" };
	assert_null(out_file_new(NULL, &(struct out_file_at){ .fd = fd, .dir = -1 }, &(struct out_pack){ .level = 0 }, in, &err));
	pp_close(in);
	close(fd);
	close(0);
	zero = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(zero, 0);
	assert_non_null(in = pp_open_memory(NULL, 0, false, "in", &err));
	fd = memfd_create("out", MFD_CLOEXEC);
	o = out_file_new(pp_create_fd(fcntl(fd, F_DUPFD_CLOEXEC, 0), "out", &err), &(struct out_file_at){ .fd = fd, .dir = zero },
	    &(struct out_pack){ .level = 0 }, in, &err);
	if (was >= 0)
		dup2(was, 0);
	assert_non_null(o);
	dir = was;
	swapped = false;
	end(1);
	if (!BIG_HERE)
		take_apart();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty), cmocka_unit_test(test_attrs), cmocka_unit_test(test_many_ids), cmocka_unit_test(test_names),
		cmocka_unit_test(test_early_names), cmocka_unit_test(test_times), cmocka_unit_test(test_features), cmocka_unit_test(test_flags),
		cmocka_unit_test(test_auxtrace), cmocka_unit_test(test_tracing), cmocka_unit_test(test_grows), cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

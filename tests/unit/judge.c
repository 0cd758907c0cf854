/* SPDX-License-Identifier: ISC */
/* Each size of a record but the right one is refused, in both byte orders; what cannot be judged passes. */
#include "record/attr.h"
#include "record/event.h"
#include "record/feature.h"
#include "record/judge.h"
#include "record/sample.h"
#include "bytes.h"

static struct bytes b;

static struct pp_events *
events(bool swap, uint64_t sample_type)
{
	const struct pp_attr a = { .type = 1, .size = 64, .sample_type = sample_type, .flags = 1 << 18 };
	struct pp_events *e = pp_events_new(swap);
	struct pp_err err = { 0 };
	struct pp_rec r;

	b.n = 0;
	b.swap = swap;
	r = put_attr(&b, &a, 0, NULL);
	assert_int_equal(pp_judge(e, &r, &err), 1);
	assert_int_equal(pp_events_learn(e, &r, &err), 1);
	return e;
}

/* Of a record of n words, all sizes from 8 to 160: which one is accepted?  0: none, 1: several. */
static unsigned
only_size(const struct pp_events *e, uint32_t type, unsigned n, const uint64_t *words)
{
	unsigned found = 0;

	for (unsigned size = 8; size <= 160; size++) {
		struct pp_err err = { 0 };
		struct pp_rec r;
		size_t at;

		b.n = 0;
		b.swap = e->swap;
		at = begin_rec(&b, type, 2);
		for (unsigned i = 0; i < 19; i++)
			put(&b, i < n ? words[i] : 0x0101010101010101, 8);
		b.n = size;
		r = end_rec(&b, at);
		/* the quick way accepts nothing else */
		if (pp_sample_size(e, r.raw, size))
			assert_int_equal(pp_judge(e, &r, &err), 1);
		if (pp_judge(e, &r, &err) > 0)
			found = found ? 1 : size;
		else
			assert_true(err.what[0]);
	}
	return found;
}

static void
test_samples(void **state)
{
	const uint64_t fixed = PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME;
	static const uint64_t chain[] = { 0x401000, 1, 1000, 3, 1, 2, 3 }, none[] = { 0x401000, 1, 1000, 0, 0 },
	    regs[] = { 0x401000, 1, 1000, 2, 1, 2, 0 }, huge[] = { 0x401000, 1, 1000, UINT64_C(1) << 61 | 1, 1, 0, 0 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = events(swap, fixed);

		assert_int_equal(only_size(e, PP_SAMPLE, 3, chain), 32);
		pp_events_free(e);
		e = events(swap, fixed | PP_SAMPLE_CALLCHAIN);
		assert_int_equal(only_size(e, PP_SAMPLE, 7, chain), 64);
		assert_int_equal(only_size(e, PP_SAMPLE, 5, none), 40);
		assert_int_equal(only_size(e, PP_SAMPLE, 7, huge), 0);	/* 8 times the count is 8 */
		pp_events_free(e);
		e = events(swap, fixed | PP_SAMPLE_CALLCHAIN | PP_SAMPLE_STACK_USER);	/* two counts: no simple sum */
		assert_int_equal(only_size(e, PP_SAMPLE, 7, regs), 64);
		pp_events_free(e);
		e = events(swap, fixed | UINT64_C(1) << 40);
		assert_int_equal(only_size(e, PP_SAMPLE, 3, chain), 1);
		pp_events_free(e);
	}
}

static void
test_kernel(void **state)
{
	static const uint64_t lost[] = { 11, 5, 1, 1000 }, namespaces[] = { 1, 2, 1, 2, 3, 4, 1, 1000 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = events(swap, PP_SAMPLE_TID | PP_SAMPLE_TIME);

		assert_int_equal(only_size(e, PP_LOST, 4, lost), 24 + 16);
		assert_int_equal(only_size(e, PP_SWITCH, 2, lost), 8 + 16);
		assert_int_equal(only_size(e, PP_NAMESPACES, 8, namespaces), 24 + 32 + 16);
		pp_events_free(e);
	}
}

/* Where the trailers of events differ, that of the record's event counts; of an id that is not known nothing is. */
static void
test_trailers(void **state)
{
	enum { EXIT = 4 };
	static const struct { uint64_t id; unsigned size; bool right; } rows[] = {
		{ 11, 48, true }, { 11, 40, false }, { 12, 40, true }, { 12, 48, false }, { 13, 40, true }, { 13, 48, true },
	};
	static const uint64_t ids[] = { 11, 12 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = pp_events_new(swap);
		struct pp_err err = { 0 };
		struct pp_rec r;

		for (int i = 0; i < 2; i++) {
			struct pp_attr a = { .type = 1, .size = 64, .flags = 1 << 18,
			    .sample_type = PP_SAMPLE_IDENTIFIER | PP_SAMPLE_IP | (i ? 0 : PP_SAMPLE_TIME) };

			b.n = 0;
			b.swap = swap;
			r = put_attr(&b, &a, 1, &ids[i]);
			assert_int_equal(pp_events_learn(e, &r, &err), 1);
		}
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			size_t at;

			b.n = 0;
			at = begin_rec(&b, EXIT, 0);
			while (b.n - at < rows[i].size - 8)
				put(&b, 1, 8);
			put(&b, rows[i].id, 8);
			r = end_rec(&b, at);
			assert_int_equal(r.size, rows[i].size);
			err.what[0] = 0;
			assert_int_equal(pp_judge(e, &r, &err), rows[i].right ? 1 : -1);
		}
		pp_events_free(e);
	}
}

/* Of a record of these words and zeros behind them, which sizes are accepted: of 8 * n bytes bit n. */
static uint64_t
sizes(const struct pp_events *e, uint32_t type, unsigned n, const uint64_t *words)
{
	uint64_t found = 0;

	for (unsigned size = 8; size <= 160; size++) {
		struct pp_err err = { 0 };
		struct pp_rec r;
		size_t at;

		b.n = 0;
		b.swap = e->swap;
		at = begin_rec(&b, type, 2);
		put(&b, 1, 4);
		put(&b, 1, 4);
		for (unsigned i = 0; i < n; i++)
			put(&b, words[i], 8);
		put_text(&b, "", 160);
		b.n = size;
		r = end_rec(&b, at);
		if (pp_judge(e, &r, &err) < 0)
			continue;
		assert_int_equal(size % 8, 0);
		found |= UINT64_C(1) << size / 8;
	}
	return found;
}

/* Some recorders give a COMM the space of the longest name, RHEL 7's kernel writes MMAP2 without prot and flags; other records have the bytes that they need, and the trailer. */
static void
test_space(void **state)
{
	static const uint64_t one = 0x6161616161616161, map[] = { 1, 2, 3, 4, 5, 6, 0x6161616161616161, 0x6161616161616161 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = events(swap, PP_SAMPLE_TID | PP_SAMPLE_TIME);

		assert_int_equal(sizes(e, PP_COMM, 0, NULL), 1 << 5 | 1 << 6);
		assert_int_equal(sizes(e, PP_COMM, 1, &one), 1 << 6);
		assert_int_equal(sizes(e, PP_CGROUP, 0, NULL), 1 << 5);
		assert_int_equal(sizes(e, PP_CGROUP, 1, &one), 1 << 6);
		assert_int_equal(sizes(e, PP_MMAP2, 6, map), 1 << 11 | 1 << 12);	/* its name is empty, or prot and flags are */
		assert_int_equal(sizes(e, PP_MMAP2, 7, map), 1 << 12);
		assert_int_equal(sizes(e, PP_MMAP2, 8, map), 1 << 13);
		pp_events_free(e);
	}
}

/* A header of a known type, of a size that is enough; the kernel's also has a cpumode that there is, and a size that is a multiple of 8. */
static void
test_plausible(void **state)
{
	static const struct { uint32_t type; uint16_t misc, size; bool good; } t[] = {
		{ PP_COMM, 2, 24, true }, { PP_COMM, 0, 24, true }, { PP_COMM, 5, 24, true }, { PP_COMM, 6, 24, false }, { PP_COMM, 7, 24, false },
		{ PP_COMM, 0x2005, 24, true }, { PP_COMM, 2, 16, false }, { PP_COMM, 2, 17, false }, { PP_COMM, 2, 28, false },
		{ PP_COMM, 2, 20, false }, { PP_SWITCH, 2, 8, true }, { PP_SWITCH, 2, 0, false }, { PP_LOST, 2, 24, true }, { PP_LOST, 2, 16, false },
		{ PP_HEADER_ATTR, 7, 72, true }, { PP_HEADER_ATTR, 6, 73, true }, { PP_HEADER_FEATURE, 7, 16, true },
		{ PP_HEADER_FEATURE, 0, 15, false }, { PP_FINISHED_ROUND, 7, 8, true }, { PP_FINISHED_ROUND, 7, 9, true }, { PP_FINISHED_ROUND, 0, 7, false },
		{ 0, 0, 8, false }, { 63, 2, 24, false }, { 200, 0, 24, false }, { UINT32_MAX, 0, 24, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct pp_rec r = { .type = t[i].type, .misc = t[i].misc, .size = t[i].size };

		if (pp_header_plausible(&r) != t[i].good)
			fail_msg("type %u, misc %u, size %u: %d", t[i].type, t[i].misc, t[i].size, t[i].good);
	}
}

/* A sample whose id belongs to no event passes, as perf skips it; of an event without it all is counted. */
static void
test_unknown(void **state)
{
	static const uint64_t ids[] = { 11, 12 };

	(void)state;
	for (int swap = 0; swap < 2; swap++)
		for (unsigned n = 0; n <= 2; n++)
			for (uint64_t id = 10; id <= 13; id++)
				for (unsigned size = 8; size <= 32; size += 8) {
					const struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_IDENTIFIER | PP_SAMPLE_IP };
					struct pp_events *e = pp_events_new(swap);
					struct pp_err err = { 0 };
					struct pp_rec r;
					size_t at;
					int want = !n || (size >= 24 && id - 11 >= n) || size == 24 ? 1 : -1;

					b.swap = swap;
					for (unsigned i = 0; i < n; i++) {
						b.n = 0;
						r = put_attr(&b, &a, 1, &ids[i]);
						assert_int_equal(pp_events_learn(e, &r, &err), 1);
					}
					b.n = 0;
					at = begin_rec(&b, PP_SAMPLE, 2);
					put(&b, id, 8);
					put(&b, 0x401000, 8);
					put(&b, 0, 8);
					b.n = at + size;
					r = end_rec(&b, at);
					if (n && size == 16 && id - 11 >= n)
						want = n == 1 ? -1 : 1;		/* one event: its fields count; two: the id says that it is of neither */
					assert_int_equal(pp_judge(e, &r, &err), want);
					assert_int_equal(err.what[0] != 0, want < 0);
					pp_events_free(e);
				}
}

/* The fields of a sample with bytes from a tracepoint may end anywhere; the record is filled up to a multiple of 8. */
static void
test_padded(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = events(swap, PP_SAMPLE_IP | PP_SAMPLE_RAW);

		for (unsigned n = 0; n <= 12; n++)
			for (unsigned size = 20 + n - (n > 0); size <= 20 + n + 9; size++) {
				unsigned end = 20 + n;
				struct pp_err err = { 0 };
				struct pp_rec r;
				size_t at;
				bool good = size == end || size == ((end + 7) & ~7u);

				b.n = 0;
				at = begin_rec(&b, PP_SAMPLE, 2);
				put(&b, 0x401000, 8);
				put(&b, n, 4);
				put_text(&b, "", 40);
				b.n = at + size;
				r = end_rec(&b, at);
				assert_int_equal(pp_judge(e, &r, &err), good ? 1 : -1);
				if (!good && size > end) {
					char want[64];

					snprintf(want, sizeof want, "its fields need %u of %u bytes", end, size);
					assert_string_equal(err.what, want);
				}
			}
		pp_events_free(e);
	}
}

/* A record of that type with `before' bytes of 0xee behind its head of `head' bytes, and then n rounds and `junk' bytes. */
static int
followed(const struct pp_events *e, uint32_t type, unsigned head, unsigned before, unsigned n, unsigned junk, struct pp_err *err)
{
	struct pp_rec r;
	size_t at;

	b.n = 0;
	b.swap = e->swap;
	at = begin_rec(&b, type, 0);
	if (type == PP_HEADER_FEATURE) {
		put(&b, PP_FEAT_CLN_SIZE, 8);
		put(&b, 64, 4);
	} else if (type == PP_HEADER_ATTR) {
		put(&b, 1, 4);
		put(&b, 64, 4);
		put_text(&b, "", 56);
	} else
		put_text(&b, "", head - 8);
	assert_int_equal(b.n, head);
	for (; before; before--)
		put(&b, 0xee, 1);
	for (unsigned i = 0; i < n; i++) {
		size_t round = begin_rec(&b, PP_FINISHED_ROUND, 0);

		end_rec(&b, round);
	}
	for (; junk; junk--)
		put(&b, 0xee, 1);
	r = end_rec(&b, at);
	err->what[0] = 0;
	return pp_judge(e, &r, err);
}

/*
 * Behind the known fields of perf's own records may be anything but records, up to the end or over it: at once, or behind some words
 * that a newer version has.  Where nothing is known, at any byte; then one that is cut off by the end is none.
 */
static void
test_rest(void **state)
{
	/* ids: what is behind an attr has to be words */
	static const struct { uint32_t type; unsigned head, step; bool weak; } t[] = {
		{ PP_FINISHED_ROUND, 8, 8, true }, { PP_FINISHED_INIT, 8, 8, true }, { PP_AUXTRACE_INFO, 16, 8, true }, { PP_HEADER_ATTR, 72, 8, true },
		{ PP_HEADER_FEATURE, 20, 0, true }, { 200, 8, 1, false },
	};

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = events(swap, PP_SAMPLE_TID | PP_SAMPLE_TIME);

		for (size_t i = 0; i < sizeof t / sizeof *t; i++)
			for (unsigned before = 0; before <= 24; before++) {
				bool there = t[i].step ? before % t[i].step == 0 : !before;
				struct pp_err err;
				char want[96];

				if (t[i].type == PP_HEADER_ATTR && before % 8) {
					assert_int_equal(followed(e, t[i].type, t[i].head, before, 0, 0, &err), -1);
					snprintf(want, sizeof want, "%u bytes of ids", before);
					assert_string_equal(err.what, want);
					continue;
				}
				/* none, and so few bytes that there cannot be one */
				assert_int_equal(followed(e, t[i].type, t[i].head, before, 0, 0, &err), 1);
				assert_int_equal(followed(e, t[i].type, t[i].head, before, 1, 0, &err), there ? -1 : 1);
				snprintf(want, sizeof want, "of its %u bytes, those from byte %u on are other records", t[i].head + before + 8,
				    t[i].head + before);
				if (there)
					assert_string_equal(err.what, want);
				assert_int_equal(followed(e, t[i].type, t[i].head, before, 5, 0, &err), there ? -1 : 1);
				/* bytes behind them: of no header, so these are no records; of one that is no record */
				if (t[i].type != PP_HEADER_ATTR) {
					assert_int_equal(followed(e, t[i].type, t[i].head, before, 5, 7, &err), 1);
					assert_int_equal(followed(e, t[i].type, t[i].head, before, 5, 9, &err), 1);
				}
				/* so many of them that the rest is not looked at */
				assert_int_equal(followed(e, t[i].type, t[i].head, before, t[i].weak ? 62 : 63, 16, &err), 1);
				assert_int_equal(followed(e, t[i].type, t[i].head, before, t[i].weak ? 63 : 64, 16, &err), there ? -1 : 1);
			}
		pp_events_free(e);
	}
}

/* AUXTRACE, whose payload is behind it, has its fields and nothing else; TRACING_DATA may have its payload in it, or some of a newer one. */
static void
test_payloads(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++)
		for (unsigned size = 40; size <= 64; size++) {
			struct pp_events *e = events(swap, PP_SAMPLE_TID | PP_SAMPLE_TIME);
			struct pp_err err = { 0 };
			struct pp_rec r;
			size_t at = b.n = 0;

			begin_rec(&b, PP_AUXTRACE, 0);
			put_text(&b, "", 56);
			b.n = size;
			r = end_rec(&b, at);
			assert_int_equal(pp_judge(e, &r, &err), size == 48 ? 1 : -1);
			assert_int_equal(pp_judge_quickly(e, &r, &err), size < 48 ? -1 : 1);
			b.n = 0;
			begin_rec(&b, PP_HEADER_TRACING_DATA, 0);
			put_text(&b, "", 56);
			b.n = size;
			r = end_rec(&b, at);
			assert_int_equal(pp_judge(e, &r, &err), 1);
			pp_events_free(e);
		}
}

/* The fields themselves may look like a record. */
static void
test_fields_like_records(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = events(swap, PP_SAMPLE_TID | PP_SAMPLE_TIME);
		struct pp_err err = { 0 };
		struct pp_rec r;
		size_t at = b.n = 0, in;

		begin_rec(&b, PP_AUXTRACE_INFO, 0);
		in = begin_rec(&b, PP_FINISHED_ROUND, 0);	/* auxtrace_type and what is reserved */
		end_rec(&b, in);
		r = end_rec(&b, at);
		assert_int_equal(pp_judge(e, &r, &err), 1);
		in = begin_rec(&b, PP_FINISHED_ROUND, 0);	/* a word of its data */
		end_rec(&b, in);
		r = end_rec(&b, at);
		assert_int_equal(pp_judge(e, &r, &err), -1);
		assert_string_equal(err.what, "of its 24 bytes, those from byte 16 on are other records");
		pp_events_free(e);
	}
}

/* The last record, or the only one, is cut off by the end. */
static void
test_over_end(void **state)
{
	static const struct { uint32_t type; unsigned head; bool one; } t[] = { { PP_FINISHED_ROUND, 8, true }, { 200, 8, false } };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = events(swap, PP_SAMPLE_TID | PP_SAMPLE_TIME);

		for (size_t i = 0; i < sizeof t / sizeof *t; i++)
			for (unsigned rounds = 0; rounds < 3; rounds++) {
				struct pp_err err = { 0 };
				struct pp_rec r;
				size_t at, comm, in;

				b.n = 0;
				at = begin_rec(&b, t[i].type, 0);
				for (unsigned k = 0; k < rounds; k++) {
					in = begin_rec(&b, PP_FINISHED_ROUND, 0);
					end_rec(&b, in);
				}
				comm = begin_rec(&b, PP_COMM, 2);
				put(&b, UINT64_MAX, 8);		/* no header */
				store(&b, comm + 6, 40, 2);
				r = end_rec(&b, at);
				assert_int_equal(pp_judge(e, &r, &err), rounds || t[i].one ? -1 : 1);
			}
		pp_events_free(e);
	}
}

/* Without attrs nothing is known of trailers; with them, a record that is too short, and one that is too long, say so. */
static void
test_said(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++)
		for (unsigned size = 24; size <= 48; size += 8) {
			struct pp_events *none = pp_events_new(swap), *e = events(swap, PP_SAMPLE_TID | PP_SAMPLE_TIME);
			struct pp_err err = { 0 };
			struct pp_rec r;
			size_t at;
			char want[64];

			b.n = 0;
			at = begin_rec(&b, PP_LOST, 0);
			for (unsigned i = 8; i < size; i += 8)
				put(&b, 1, 8);
			r = end_rec(&b, at);
			assert_int_equal(pp_judge(none, &r, &err), 1);
			assert_int_equal(pp_judge_quickly(none, &r, &err), 1);
			assert_int_equal(pp_judge(e, &r, &err), size == 40 ? 1 : -1);
			snprintf(want, sizeof want, size < 40 ? "record of %u bytes needs 40" : "its fields need 40 of %u bytes", size);
			assert_string_equal(err.what, size == 40 ? "" : want);
			pp_events_free(none);
			pp_events_free(e);
		}
}

/* READ has values by the read_format of its event. */
static void
test_read(void **state)
{
	static const struct { uint64_t format; unsigned words; } t[] = { { 0, 1 }, { 1, 2 }, { 3, 3 }, { 4, 2 }, { 0x17, 5 } };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof t / sizeof *t; i++) {
		struct pp_attr a = { .type = 1, .size = 64, .read_format = t[i / 2].format, .sample_type = PP_SAMPLE_TID, .flags = 1 << 18 };
		struct pp_events *e = pp_events_new(i % 2);
		struct pp_err err = { 0 };
		struct pp_rec r;

		b.n = 0;
		b.swap = i % 2;
		r = put_attr(&b, &a, 0, NULL);
		assert_int_equal(pp_events_learn(e, &r, &err), 1);
		for (unsigned words = 0; words <= 8; words++) {
			size_t at = b.n = 0;

			begin_rec(&b, PP_READ, 0);
			put(&b, 1, 8);
			for (unsigned k = 0; k < words; k++)
				put(&b, 0, 8);
			r = end_rec(&b, at);
			err.what[0] = 0;
			assert_int_equal(pp_judge(e, &r, &err), words == t[i / 2].words + 1 ? 1 : -1);
			if (words < t[i / 2].words)
				assert_string_equal(err.what, "read values lie past the end");
			if (words == t[i / 2].words) {
				r.size--;
				err.what[0] = 0;
				assert_int_equal(pp_judge(e, &r, &err), -1);
				assert_string_equal(err.what, "read values lie past the end");
			}
		}
		pp_events_free(e);
	}
}

/* What a record of the kernel needs, of which more bytes are there than its header says. */
static void
test_needs(void **state)
{
	static const char text[] = "0123456789";

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = events(swap, PP_SAMPLE_TID | PP_SAMPLE_TIME), *none = pp_events_new(swap);
		struct pp_rec r;
		size_t at = b.n = 0;

		begin_rec(&b, PP_COMM, 0);
		put(&b, 1, 4);
		put(&b, 1, 4);
		put_text(&b, text, 16);
		put_text(&b, "", 64);
		r = end_rec(&b, at);
		r.size = 24;		/* it says */
		assert_int_equal(pp_kernel_needs(e, &r, 96), 32 + 16);
		assert_int_equal(pp_kernel_needs(none, &r, 96), 32);
		assert_int_equal(pp_kernel_needs(e, &r, 33), 32 + 16);
		assert_int_equal(pp_kernel_needs(e, &r, 32), 0);	/* they may go on */
		assert_int_equal(pp_kernel_needs(e, &r, 26), 0);	/* no NUL */
		assert_int_equal(pp_kernel_needs(e, &r, 16), 0);
		assert_int_equal(pp_kernel_needs(e, &r, 65536 + 16), 32 + 16);
		store(&b, at + 16, 0, 1);	/* the empty name, of one byte */
		assert_int_equal(pp_kernel_needs(e, &r, 17), 24 + 16);
		assert_int_equal(pp_kernel_needs(e, &r, 16), 0);
		e->trailer = -1;	/* those of the events differ */
		assert_int_equal(pp_kernel_needs(e, &r, 96), 0);
		pp_events_free(e);
		pp_events_free(none);
	}
	for (unsigned left = 8; left <= 40; left++) {		/* all of its fields, and as much behind them as tells that it ends there */
		struct pp_events *e = events(false, PP_SAMPLE_TID | PP_SAMPLE_TIME);
		struct pp_rec r;
		size_t at = b.n = 0;

		begin_rec(&b, PP_LOST, 0);
		put_text(&b, "", 32);
		r = end_rec(&b, at);
		assert_int_equal(pp_kernel_needs(e, &r, left), left > 24 ? 24 + 16 : 0);
		pp_events_free(e);
	}
}

/* Each limit of what an attr may have that is known. */
static void
test_known(void **state)
{
	static const struct { struct pp_attr a; bool known; } t[] = {
		{ { .size = 144 }, true }, { { .size = 145 }, false }, { { .size = 152 }, false }, { { .size = 64 }, true },
		{ { .sample_type = PP_SAMPLE_KNOWN }, true }, { { .sample_type = PP_SAMPLE_KNOWN + UINT64_C(1) }, false },
		{ { .sample_type = UINT64_C(1) << 63 }, false }, { { .read_format = 0x1f }, true }, { { .read_format = 0x20 }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		assert_int_equal(pp_attr_known(&t[i].a), t[i].known);
	for (unsigned bit = 0; bit < 64; bit++) {
		const struct pp_attr branch = { .branch_sample_type = UINT64_C(1) << bit }, flag = { .flags = UINT64_C(1) << bit };

		assert_int_equal(pp_attr_known(&branch), bit < PP_BRANCH_BITS);
		assert_int_equal(pp_attr_known(&flag), bit < PP_ATTR_FLAGS);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_samples), cmocka_unit_test(test_kernel), cmocka_unit_test(test_trailers),
		cmocka_unit_test(test_space), cmocka_unit_test(test_plausible), cmocka_unit_test(test_unknown), cmocka_unit_test(test_padded),
		cmocka_unit_test(test_rest), cmocka_unit_test(test_fields_like_records), cmocka_unit_test(test_payloads), cmocka_unit_test(test_over_end), cmocka_unit_test(test_said), cmocka_unit_test(test_read),
		cmocka_unit_test(test_needs), cmocka_unit_test(test_known) };

	return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}

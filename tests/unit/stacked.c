/* SPDX-License-Identifier: ISC */
/*
 * A sample with a copy of its stack, and what becomes of it, with each set of other fields: those stay as they are, the registers may,
 * and the chain has the kernel's part and the new frames.
 */
#include "chains/sample.h"
#include "record/attr.h"
#include "record/chain.h"
#include "record/event.h"
#include "bytes.h"
#include "check.h"

enum { REGS = 0x1c0, STACK = 24, USED = 16, FRAMES = 3 };	/* of perf's registers: BP, SP, IP of x86-64 */
static const uint64_t frames[FRAMES] = { 0x1000, 0x1fff, 0x2fff };
/* Fields that may be there, besides IP and TID, in the order of a sample; 13 is the copy. */
static const unsigned tail[] = { 4, 5, 10, 11, 12, 13, 14, 15, 17, 19, 22 };
enum { TAIL = sizeof tail / sizeof *tail };

struct chain { unsigned n, kernel; uint64_t v[6], want[4]; };
static const struct chain chains[] = {
	{ .n = 0 },
	{ 2, 2, { PP_CONTEXT(KERNEL), ~UINT64_C(0) << 40 }, { PP_CONTEXT(KERNEL), ~UINT64_C(0) << 40 } },
	{ 4, 2, { PP_CONTEXT(KERNEL), ~UINT64_C(0) << 40, PP_CONTEXT(USER), 5 }, { PP_CONTEXT(KERNEL), ~UINT64_C(0) << 40 } },
	{ 2, 0, { PP_CONTEXT(USER), 5 }, { 0 } },
	{ 1, 0, { 5 }, { 0 } },			/* without a marker it is of user space */
	{ 4, 2, { PP_CONTEXT(KERNEL), ~UINT64_C(0) << 40, PP_CONTEXT(USER_DEFERRED), 77 }, { PP_CONTEXT(KERNEL), ~UINT64_C(0) << 40 } },
	{ 6, 4, { PP_CONTEXT(HV), 8, PP_CONTEXT(USER), 5, PP_CONTEXT(GUEST_KERNEL), 9 }, { PP_CONTEXT(HV), 8, PP_CONTEXT(GUEST_KERNEL), 9 } },
};
enum { CHAINS = sizeof chains / sizeof *chains };

static void
put_words(struct bytes *b, const uint64_t *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put(b, v[i], 8);
}

static void
put_chain(struct bytes *b, const struct chain *c, bool after, unsigned nframes)
{
	put(b, !after ? c->n : c->kernel + (nframes ? nframes + 1 : 0), 8);
	put_words(b, after ? c->want : c->v, after ? c->kernel : c->n);
	if (after && nframes)
		put(b, PP_CONTEXT(USER), 8);
	put_words(b, frames, after ? nframes : 0);
}

static void
put_stack(struct bytes *b)
{
	put(b, STACK, 8);
	for (unsigned i = 0; i < STACK; i++)
		put(b, i, 1);
	put(b, USED, 8);
}

/* The sample of that type before or after; `regs': abi of the registers. */
static void
put_sample(struct bytes *b, uint64_t type, const struct chain *c, bool after, unsigned nframes, uint64_t abi)
{
	size_t at = begin_rec(b, PP_SAMPLE, PP_MISC_USER);

	put(b, 0x1234, 8);
	put(b, 42, 4);
	put(b, 43, 4);
	for (unsigned i = 0; i < TAIL; i++) {
		if (!(type >> tail[i] & 1))
			continue;
		switch (tail[i]) {
		case 5:	put_chain(b, c, after, nframes); break;
		case 10: put(b, 4, 4); put_text(b, "raw", 4); break;
		case 11: put(b, 1, 8); put_words(b, (const uint64_t[]){ 1, 2, 3 }, 3); break;
		case 12: put(b, abi, 8); put_words(b, (const uint64_t[]){ 600, 700, 800 }, abi ? 3 : 0); break;
		case 13: put_stack(b); break;
		default: put(b, 1000 + tail[i], 8);
		}
	}
	end_rec(b, at);
}

/* The event of that type, after the same change of its attr as pinject makes it, if `after'. */
static struct pp_events *
events_of(uint64_t type, bool after, bool keep_regs)
{
	struct pp_events *e = pp_events_new(false);
	struct pp_err err = { .what = "" };
	uint8_t attr[128] = { 1 };
	static struct bytes b;
	struct pp_rec r;
	size_t at;

	assert_non_null(e);
	b.n = 0;
	PP_ATTR_SET(attr, sizeof attr, size, sizeof attr, false);
	PP_ATTR_SET(attr, sizeof attr, sample_type, type, false);
	PP_ATTR_SET(attr, sizeof attr, sample_regs_user, type >> 12 & 1 ? REGS : 0, false);
	PP_ATTR_SET(attr, sizeof attr, sample_stack_user, STACK, false);
	pp_attr_flag(attr, 22, true, false);
	if (after)
		sample_attr(attr, sizeof attr, keep_regs, false);
	at = begin_rec(&b, PP_HEADER_ATTR, 0);
	for (size_t i = 0; i < sizeof attr; i++)
		put(&b, attr[i], 1);
	put(&b, 11, 8);
	end_rec(&b, at);
	r = pp_rec_at(bytes_p(&b), false);
	assert_int_equal(pp_events_learn(e, &r, &err), 1);
	return e;
}

static void
try_type(uint64_t type, bool keep_regs)
{
	struct pp_events *e = events_of(type, false, keep_regs), *f = events_of(type, true, keep_regs);
	static uint8_t buf[PP_RECORD_MAX + 1];
	const struct pp_attr *a = &f->ev[0]->attr;
	static struct bytes before, want;
	struct pp_err err = { .what = "" };
	struct stacked s;
	struct pp_rec r;

	assert_int_equal(a->sample_type, (type & ~(UINT64_C(1) << 13 | (uint64_t)!keep_regs << 12)) | PP_SAMPLE_CALLCHAIN);
	assert_int_equal(a->sample_stack_user, 0);
	assert_int_equal(a->sample_regs_user, keep_regs && type >> 12 & 1 ? REGS : 0);
	assert_int_equal(a->size, 128);
	assert_int_equal(a->flags >> 22 & 1, 0);
	for (unsigned i = 0; i < CHAINS * 3; i++) {
		const struct chain *c = &chains[type & PP_SAMPLE_CALLCHAIN ? i % CHAINS : 0];
		uint64_t abi = i / CHAINS == 1 ? 0 : 2;
		unsigned n = i / CHAINS == 2 ? FRAMES : 0;
		size_t size;

		before.n = want.n = 0;
		before.swap = want.swap = false;
		put_sample(&before, type, c, false, 0, abi);
		put_sample(&want, a->sample_type, c, true, n, abi);
		r = pp_rec_at(bytes_p(&before), false);
		assert_int_equal(sample_take(&s, e->ev[0], &r, keep_regs, &err), 1);
		assert_int_equal(s.abi, type >> 12 & 1 ? abi : 0);
		assert_int_equal(s.regs.mask, type >> 12 & 1 && abi ? REGS : 0);
		assert_int_equal(s.regs.value[8], s.regs.mask ? 800 : 0);
		assert_int_equal(s.stack.size, USED);
		assert_int_equal(((const uint8_t *)s.stack.copy)[3], 3);
		assert_true(sample_space(&s) > 8000);
		size = sample_put(buf, &s, frames, n);
		assert_int_equal(size, want.n);
		assert_memory_equal(buf, bytes_p(&want), size);
	}
	pp_events_free(e);
	pp_events_free(f);
}

static void
all_fields(void **state)
{
	(void)state;
	for (unsigned set = 0; set < 1 << TAIL; set++) {
		uint64_t type = PP_SAMPLE_IP | PP_SAMPLE_TID;

		for (unsigned i = 0; i < TAIL; i++)
			type |= (uint64_t)(set >> i & 1) << tail[i];
		if (!(type & PP_SAMPLE_STACK_USER))
			continue;
		try_type(type, false);
		try_type(type, true);
	}
}

/* The largest record has space for so many frames, and not for one more. */
static void
full(void **state)
{
	static uint64_t ips[8192];
	static uint8_t buf[PP_RECORD_MAX + 1];

	(void)state;
	for (unsigned set = 0; set < 8; set++) {
		uint64_t type = PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_STACK_USER | (set & 1 ? PP_SAMPLE_CALLCHAIN : 0) |
		    (set & 2 ? PP_SAMPLE_REGS_USER : 0);
		struct pp_events *e = events_of(type, false, set & 4);
		static struct bytes b;
		struct pp_err err = { .what = "" };
		struct stacked s;
		struct pp_rec r;
		size_t size;

		b.n = 0;
		put_sample(&b, type, &chains[1], false, 0, 2);
		r = pp_rec_at(bytes_p(&b), false);
		assert_int_equal(sample_take(&s, e->ev[0], &r, set & 4, &err), 1);
		size = sample_put(buf, &s, ips, sample_space(&s));
		assert_true(size <= PP_RECORD_MAX && size + 8 > PP_RECORD_MAX);
		assert_int_equal(pp_get_u16(buf + 6, false), size);
		pp_events_free(e);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(all_fields), cmocka_unit_test(full) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

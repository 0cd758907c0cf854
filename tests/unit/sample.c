/* SPDX-License-Identifier: ISC */
/*
 * All of a SAMPLE: every sample_type bit alone and with all others, every read_format, every form of the branch stack,
 * registers and stack that are and are not there; both byte orders, odd addresses, and every shorter size.
 */
#include "record/chain.h"
#include "record/sample.h"
#include "record/shape.h"
#include "bytes.h"

#define REGS_INTR UINT64_C(0xf0000000000000ff)
enum { REGS_USER = 0x105, CHAIN = 3, BRANCHES = 2, RAW = 12, STACK = 16, AUX = 24 };

struct want {			/* where each field of the sample just built stands */
	size_t	 from[PP_SAMPLE_BITS], len[PP_SAMPLE_BITS];
	bool	 empty;		/* registers, stack, lists: nothing in them */
};

static uint64_t
value(unsigned bit)
{
	return 0x0102030405060700u + bit;
}

static void
put_read(struct bytes *b, uint64_t format, uint64_t nr)
{
	bool group = format & PP_FORMAT_GROUP;

	put(b, group ? nr : 1000, 8);
	if (format & PP_FORMAT_TOTAL_TIME_ENABLED)
		put(b, 2000, 8);
	if (format & PP_FORMAT_TOTAL_TIME_RUNNING)
		put(b, 3000, 8);
	for (uint64_t i = 0; i < (group ? nr : 1); i++) {
		if (group)
			put(b, 1000 + i, 8);
		if (format & PP_FORMAT_ID)
			put(b, 4000 + i, 8);
		if (format & PP_FORMAT_LOST)
			put(b, 5000 + i, 8);
	}
}

static void
put_regs(struct bytes *b, uint64_t mask, bool empty)
{
	put(b, empty ? 0 : 2, 8);
	for (int i = 0; i < 64 && !empty; i++)
		if (mask >> i & 1)
			put(b, 7000 + (uint64_t)i, 8);
}

static void
put_branches(struct bytes *b, uint64_t type, unsigned n)
{
	put(b, n, 8);
	if (type & PP_BRANCH_HW_INDEX)
		put(b, 77, 8);
	for (unsigned i = 0; i < 3 * n; i++)
		put(b, 600 + i, 8);
	for (unsigned i = 0; i < n && type & PP_BRANCH_COUNTERS; i++)
		put(b, 900 + i, 8);
}

static void
put_field(struct bytes *b, unsigned bit, const struct pp_attr *a, bool empty)
{
	unsigned n = 0;

	switch (bit) {
	case 1:	/* TID */
	case 7:	/* CPU */
		put(b, 100 + bit, 4);
		put(b, 200 + bit, 4);
		break;
	case 4:
		put_read(b, a->read_format, empty ? 0 : 3);
		break;
	case 5:
		put(b, empty ? 0 : CHAIN, 8);
		for (n = 0; n < CHAIN && !empty; n++)
			put(b, 500 + n, 8);
		break;
	case 10:
		put(b, RAW - (empty ? 8 : 0), 4);
		put_text(b, "raw", RAW - (empty ? 8 : 0));
		break;
	case 11:
		put_branches(b, a->branch_sample_type, empty ? 0 : BRANCHES);
		break;
	case 12:
		put_regs(b, a->sample_regs_user, empty);
		break;
	case 18:
		put_regs(b, a->sample_regs_intr, empty);
		break;
	case 13:
		put(b, empty ? 0 : STACK, 8);
		if (empty)
			break;
		put_text(b, "stack", STACK);
		put(b, 8, 8);
		break;
	case 20:
		put(b, empty ? 0 : AUX, 8);
		put_text(b, "", empty ? 0 : AUX);
		break;
	default:
		put(b, value(bit), 8);
	}
}

static struct pp_rec
build(struct bytes *b, struct want *w, const struct pp_attr *a, bool empty)
{
	/* perf_output_sample() */
	static const uint8_t order[] = { 16, 0, 1, 2, 3, 6, 9, 7, 8, 4, 5, 10, 11, 12, 13, 14, 24, 15, 17, 18, 19, 21, 22,
	    23, 20 };
	_Static_assert(sizeof order == PP_SAMPLE_BITS, "a row of sample.def is missing here");
	size_t at;

	memset(w, 0, sizeof *w);
	w->empty = empty;
	b->n = 0;
	at = begin_rec(b, 9, 2);
	for (size_t i = 0; i < sizeof order; i++) {
		unsigned bit = order[i];

		/* WEIGHT and WEIGHT_STRUCT share one slot */
		if (!(a->sample_type >> bit & 1) || (bit == 24 && a->sample_type >> 14 & 1))
			continue;
		w->from[bit] = b->n;
		put_field(b, bit, a, empty);
		w->len[bit] = b->n - w->from[bit];
	}
	return end_rec(b, at);
}

/* The parts that are to be shown of the field of a bit: names, sizes and numbers, in the manner of see(). */
static void
want_part(char *to, const char *name, size_t len, uint64_t first, unsigned index, unsigned entries)
{
	sprintf(to + strlen(to), "%s:%zu=%ju", name, len, (uintmax_t)first);
	sprintf(to + strlen(to), entries ? "[%u/%u] " : " ", index, entries);
}

static void
want_read(char *to, uint64_t format, unsigned nr)
{
	bool group = format & PP_FORMAT_GROUP;

	want_part(to, group ? "nr" : "value", 8, group ? nr : 1000, 0, 0);
	if (format & PP_FORMAT_TOTAL_TIME_ENABLED)
		want_part(to, "time_enabled", 8, 2000, 0, 0);
	if (format & PP_FORMAT_TOTAL_TIME_RUNNING)
		want_part(to, "time_running", 8, 3000, 0, 0);
	for (unsigned i = 0; i < (group ? nr : 1); i++) {
		if (group)
			want_part(to, "value", 8, 1000 + i, i, nr);
		if (format & PP_FORMAT_ID)
			want_part(to, "id", 8, 4000 + i, i, group ? nr : 0);
		if (format & PP_FORMAT_LOST)
			want_part(to, "lost", 8, 5000 + i, i, group ? nr : 0);
	}
}

static void
want_branches(char *to, uint64_t type, unsigned nr)
{
	static const char *const names[] = { "from", "to", "flags" };

	want_part(to, "nr", 8, nr, 0, 0);
	if (type & PP_BRANCH_HW_INDEX)
		want_part(to, "hw_idx", 8, 77, 0, 0);
	for (unsigned i = 0; i < 3 * nr; i++)
		want_part(to, names[i % 3], 8, 600 + i, i / 3, nr);
	if (type & PP_BRANCH_COUNTERS)
		want_part(to, "counters", 8 * (size_t)nr, nr ? 900 : 0, 0, 0);
}

/* n bytes, behind their size or abi. */
static void
want_bytes(char *to, const char *head, size_t width, uint64_t value, const char *name, size_t n, uint64_t first)
{
	want_part(to, head, width, value, 0, 0);
	if (n)
		want_part(to, name, n, first, 0, 0);
}

static void
want_field(char *to, const struct pp_sample_row *row, const struct pp_attr *a, bool empty)
{
	switch (row->bit) {
	case 1:
		want_part(to, "pid", 4, 101, 0, 0);
		want_part(to, "tid", 4, 201, 0, 0);
		break;
	case 7:
		want_part(to, "cpu", 4, 107, 0, 0);
		want_part(to, "reserved", 4, 207, 0, 0);
		break;
	case 4:
		want_read(to, a->read_format, empty ? 0 : 3);
		break;
	case 5:
		want_bytes(to, "nr", 8, empty ? 0 : CHAIN, "callchain", empty ? 0 : 8 * CHAIN, 500);
		break;
	case 10:
		want_bytes(to, "size", 4, RAW - (empty ? 8 : 0), "raw", RAW - (empty ? 8 : 0), 0);
		break;
	case 11:
		want_branches(to, a->branch_sample_type, empty ? 0 : BRANCHES);
		break;
	case 12:
		want_bytes(to, "abi", 8, empty ? 0 : 2, "regs_user", empty ? 0 : 8 * (size_t)__builtin_popcountll(a->sample_regs_user), 7000);
		break;
	case 18:
		want_bytes(to, "abi", 8, empty ? 0 : 2, "regs_intr", empty ? 0 : 8 * (size_t)__builtin_popcountll(a->sample_regs_intr), 7000);
		break;
	case 13:
		want_bytes(to, "size", 8, empty ? 0 : STACK, "stack_user", empty ? 0 : STACK, 0);
		if (!empty)
			want_part(to, "dyn_size", 8, 8, 0, 0);
		break;
	case 20:
		want_bytes(to, "size", 8, empty ? 0 : AUX, "aux", empty ? 0 : AUX, 0);
		break;
	default:
		want_part(to, row->name, 8, value(row->bit), 0, 0);
	}
}

struct seen {
	const uint8_t	*next;
	bool		 swap;
	uint32_t	 field;		/* of the parts to be kept */
	char		 text[4096];
};

static int
see(void *arg, const struct pp_value *v)
{
	struct seen *s = arg;
	bool words = v->kind == PP_K_WORDS && v->len;

	assert_ptr_equal(v->p, s->next);	/* without a gap */
	s->next += v->len;
	if (v->field == s->field)
		want_part(s->text, v->name, v->len, v->kind == PP_K_BRANCH || words ? pp_get_u64(v->p, s->swap) :
		    v->kind == PP_K_BYTES ? 0 : pp_value_num(v, s->swap), v->index, v->entries);
	return 1;
}

static int
see_chosen(void *arg, const struct pp_value *v)
{
	((struct seen *)arg)->next = v->p;
	return see(arg, v);
}

/* What pp_events_learn() makes of the attr. */
static void
shape_event(struct pp_event *ev, bool swap)
{
	ev->plan.fixed = PP_HEADER_SIZE;
	for (unsigned i = 0; i < PP_SAMPLE_BITS; i++)
		if (pp_sample_rows[i].where != PP_WHERE_TAIL && ev->attr.sample_type >> pp_sample_rows[i].bit & 1) {
			memcpy((uint8_t *)&ev->plan + pp_sample_rows[i].plan, &ev->plan.fixed, sizeof ev->plan.fixed);
			ev->plan.fixed += 8;
		}
	pp_shape_make(&ev->shape, &ev->attr);
	pp_sum_make(&ev->sum, ev, swap);
}

/* The fields of variable size are where they were put, all at once or one by one. */
static void
same_parts(const struct want *w, const struct pp_event *ev, const struct pp_rec *r, bool swap)
{
	struct pp_part part[PP_SHAPE_STEPS];
	int n = pp_sample_parts(part, UINT64_MAX, ev, r, swap, NULL), i = 0;

	for (const struct pp_sample_row *row = pp_sample_rows; row < pp_sample_rows + PP_SAMPLE_BITS; row++) {
		struct pp_part one[PP_SHAPE_STEPS], alone = { 0 };

		if (row->where != PP_WHERE_TAIL)
			continue;
		assert_int_equal(pp_sample_part(&alone, 1u << row->bit, ev, r, swap, NULL), w->len[row->bit] > 0);
		assert_ptr_equal(alone.p, w->len[row->bit] ? r->raw + w->from[row->bit] : NULL);
		assert_int_equal(alone.n, w->len[row->bit]);
		if (!w->len[row->bit])
			continue;
		assert_in_range(i, 0, n - 1);
		assert_int_equal(part[i].bit, 1u << row->bit);
		assert_ptr_equal(pp_sample_row(part[i].bit), row);
		assert_ptr_equal(part[i].p, r->raw + w->from[row->bit]);
		assert_int_equal(part[i].n, w->len[row->bit]);
		assert_int_equal(pp_sample_parts(one, part[i].bit, ev, r, swap, NULL), 1);
		assert_ptr_equal(one->p, part[i++].p);
	}
	assert_int_equal(i, n);
}

/* Each field by its bit, and what is shown of it: alone and among the others. */
static void
same_fields(const struct want *w, const struct pp_event *ev, const struct pp_rec *r, bool swap)
{
	for (const struct pp_sample_row *row = pp_sample_rows; row < pp_sample_rows + PP_SAMPLE_BITS; row++) {
		const struct pp_choice choice = pp_choose(UINT64_MAX, 1u << row->bit);
		struct seen seen = { .next = r->raw + 8, .swap = swap, .field = 1u << row->bit }, alone = seen;
		struct pp_err err = { 0 };
		const uint8_t *p = NULL;
		size_t n = 0;
		bool there = w->len[row->bit];
		char want[4096] = "";

		assert_int_equal(pp_sample_field(ev, r, swap, 1u << row->bit, &p, &n, NULL), there);
		assert_true(!there || (p == r->raw + w->from[row->bit] && n == w->len[row->bit]));
		if (there)
			want_field(want, row, &ev->attr, w->empty);
		assert_int_equal(pp_walk(r, ev, swap, see, &seen, &err), 1);
		assert_ptr_equal(seen.next, r->raw + r->size);
		assert_string_equal(seen.text, want);
		assert_int_equal(pp_walk_chosen(r, ev, swap, &choice, see_chosen, &alone, &err), 1);
		assert_string_equal(alone.text, want);
	}
}

struct roles {
	const uint8_t	*p[PP_ROLES][64];
	unsigned	 n[PP_ROLES];
};

static int
see_role(void *arg, const struct pp_value *v)
{
	struct roles *s = arg;

	assert_in_range(s->n[v->role], 0, 63);
	s->p[v->role][s->n[v->role]++] = v->p;
	return 1;
}

/* Who chooses one role sees all that has it, and nothing else. */
static void
same_roles(const struct pp_event *ev, const struct pp_rec *r, bool swap)
{
	struct roles all = { .n = { 0 } }, chosen = all;
	struct pp_err err;

	assert_int_equal(pp_walk(r, ev, swap, see_role, &all, &err), 1);
	for (unsigned i = 0; i < PP_ROLES; i++) {
		const struct pp_choice choice = pp_choose(UINT64_C(1) << i, UINT32_MAX);
		unsigned before = 0, after = 0;

		for (unsigned k = 0; k < PP_ROLES; k++)
			before += chosen.n[k];
		assert_int_equal(pp_sample_walk(ev, r, swap, &choice, see_role, &chosen, &err), 1);
		for (unsigned k = 0; k < PP_ROLES; k++)
			after += chosen.n[k];
		assert_int_equal(chosen.n[i], all.n[i]);
		assert_int_equal(after - before, all.n[i]);
		assert_memory_equal(chosen.p[i], all.p[i], all.n[i] * sizeof *all.p[i]);
	}
}

/* What is cut is refused with the name of the first field that is not whole. */
static void
refused(const char *name, const struct pp_event *ev, const struct pp_rec *r, bool swap)
{
	struct pp_part part[PP_SHAPE_STEPS];
	struct pp_err err = { 0 };
	char want[100];
	const uint8_t *p;
	size_t n;

	snprintf(want, sizeof want, "%s lies past the end of %u bytes", name, r->size);
	assert_int_equal(pp_sample_parts(part, 0, ev, r, swap, &err), -1);
	assert_string_equal(err.what, want);
	err.what[0] = 0;
	assert_int_equal(pp_walk(r, ev, swap, see, NULL, &err), -1);	/* nothing is shown */
	assert_int_equal(pp_sample_field(ev, r, swap, PP_SAMPLE_IP, &p, &n, NULL), -1);
}

/* One sample in full, shown, and cut to every shorter size. */
static void
one(const struct pp_attr *a, bool empty, bool swap)
{
	static struct bytes b;
	struct pp_event ev = { .attr = *a };
	struct want w;
	struct pp_rec r;

	b.swap = swap;
	r = build(&b, &w, a, empty);
	shape_event(&ev, swap);
	same_parts(&w, &ev, &r, swap);
	same_fields(&w, &ev, &r, swap);
	same_roles(&ev, &r, swap);
	for (uint16_t n = 8; n < b.n; n++) {
		const struct pp_sample_row *row = pp_sample_rows;
		uint8_t *cut = malloc(n);	/* so that a sanitizer sees a read behind it */

		memcpy(cut, bytes_p(&b), n);
		r = (struct pp_rec){ .raw = cut, .type = 9, .size = n };
		while (w.from[row->bit] + w.len[row->bit] <= n)
			row++;
		refused(row->name, &ev, &r, swap);
		free(cut);
	}
}

static void
all_forms(struct pp_attr *a)
{
	for (int i = 0; i < 4; i++)
		one(a, i & 1, i & 2);
}

static void
test_bits(void **state)
{
	struct pp_attr a = { .sample_regs_user = REGS_USER, .sample_regs_intr = REGS_INTR, .read_format = 0x17 };

	(void)state;
	for (unsigned bit = 0; bit < PP_SAMPLE_BITS; bit++) {
		a.sample_type = UINT64_C(1) << bit;
		all_forms(&a);
		a.sample_type = PP_SAMPLE_KNOWN & ~(UINT64_C(1) << bit);
		all_forms(&a);
	}
	a.sample_type = PP_SAMPLE_KNOWN;
	all_forms(&a);
	a.sample_type = 0;
	all_forms(&a);
}

static void
test_read_formats(void **state)
{
	struct pp_attr a = { .sample_type = PP_SAMPLE_READ | PP_SAMPLE_PERIOD };
	static struct bytes b;
	struct pp_read read;
	struct pp_cur c;
	struct want w;

	(void)state;
	for (a.read_format = 0; a.read_format < 32; a.read_format++)
		for (int swap = 0; swap < 2; swap++) {
			struct pp_rec r;
			unsigned n = a.read_format & PP_FORMAT_GROUP ? 3 : 1;

			all_forms(&a);
			b.swap = swap;
			r = build(&b, &w, &a, false);
			c = pp_cur(r.raw + w.from[4], w.len[4], swap);
			pp_read_get(&read, &c, a.read_format);
			assert_false(c.bad);
			assert_int_equal(read.nr, n);
			assert_true(read.group == (n == 3));
			assert_int_equal(read.time_enabled, a.read_format & PP_FORMAT_TOTAL_TIME_ENABLED ? 2000 : 0);
			assert_int_equal(read.time_running, a.read_format & PP_FORMAT_TOTAL_TIME_RUNNING ? 3000 : 0);
			for (unsigned i = 0; i < n; i++) {
				const uint8_t *p = read.values + i * read.stride;

				assert_int_equal(pp_get_u64(p, swap), 1000 + i);
				assert_true(!read.id_at == !(a.read_format & PP_FORMAT_ID));
				assert_true(!read.lost_at == !(a.read_format & PP_FORMAT_LOST));
				if (read.id_at)
					assert_int_equal(pp_get_u64(p + read.id_at, swap), 4000 + i);
				if (read.lost_at)
					assert_int_equal(pp_get_u64(p + read.lost_at, swap), 5000 + i);
			}
		}
}

static void
test_branches(void **state)
{
	static const uint64_t types[] = { 0, PP_BRANCH_HW_INDEX, PP_BRANCH_COUNTERS, PP_BRANCH_HW_INDEX | PP_BRANCH_COUNTERS };
	struct pp_attr a = { .sample_type = PP_SAMPLE_BRANCH_STACK | PP_SAMPLE_WEIGHT };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		a.branch_sample_type = types[i];
		all_forms(&a);
	}
}

/* Counts that no record can hold must not wrap around. */
static void
test_huge_counts(void **state)
{
	static const struct { uint64_t type, format; } rows[] = {
		{ PP_SAMPLE_CALLCHAIN, 0 }, { PP_SAMPLE_BRANCH_STACK, 0 }, { PP_SAMPLE_STACK_USER, 0 }, { PP_SAMPLE_AUX, 0 },
		{ PP_SAMPLE_READ, PP_FORMAT_GROUP }, { PP_SAMPLE_READ, PP_FORMAT_GROUP | PP_FORMAT_ID | PP_FORMAT_LOST },
		{ PP_SAMPLE_RAW, 0 },
	};
	static const uint64_t counts[] = { 5, 0x1fffffffffffffff, 0x2000000000000000, 0xaaaaaaaaaaaaaab, UINT64_MAX,
	    UINT64_MAX - 7, 0x8000000000000000, 0xffffffff };
	struct bytes b = { .swap = false };

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
			struct pp_event ev = { .attr = { .sample_type = rows[i].type, .read_format = rows[i].format } };
			struct pp_rec r;
			uint32_t raw;
			size_t at = b.n = 0;

			memcpy(&raw, &counts[k], sizeof raw);	/* its count is a u32: what stands first, in any byte order */
			at = begin_rec(&b, 9, 0);
			put(&b, counts[k], 8);
			put(&b, 1, 4);		/* 4 bytes: too few for 5 of anything, and for RAW's */
			r = end_rec(&b, at);
			if (rows[i].type == PP_SAMPLE_RAW && raw <= 8)
				continue;	/* 8 bytes are there */
			shape_event(&ev, false);
			refused(pp_sample_row((uint32_t)rows[i].type)->name, &ev, &r, false);
		}
}

/* Frames with their modes; a cookie is no frame, even if it looks like a marker, or if the chain ends with its marker. */
static void
test_chain(void **state)
{
	static const struct { int64_t entry; unsigned mode; } rows[] = {	/* mode: of a frame; 0: no frame, 9: one of mode 0 */
		{ 1, PP_MISC_USER }, { -128, 0 }, { -4096, PP_MISC_KERNEL }, { INT64_MIN, PP_MISC_KERNEL }, { -512, 0 },
		{ 0, PP_MISC_USER }, { INT64_MAX, PP_MISC_USER }, { -32, 0 }, { 2, PP_MISC_HYPERVISOR }, { -2176, 0 },
		{ 3, PP_MISC_GUEST_KERNEL }, { -2560, 0 }, { 4, PP_MISC_GUEST_USER }, { -4095, 0 }, { 5, 9 }, { -1, 0 }, { 6, 9 },
		{ -640, 0 }, { -128, 0 }, { 7, PP_MISC_USER }, { -640, 0 },
	};
	static struct bytes b;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_chain c = { .p = bytes_p(&b), .left = sizeof rows / sizeof *rows, .swap = swap, .mode = PP_MISC_USER };
		uint64_t ip;

		b.n = 0;
		b.swap = swap;
		for (size_t i = 0; i < c.left; i++)
			put(&b, (uint64_t)rows[i].entry, 8);
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
			if (rows[i].mode) {
				assert_true(pp_chain_next(&c, &ip));
				assert_int_equal(ip, rows[i].entry);
				assert_int_equal(c.mode, rows[i].mode % 9);
				assert_int_equal(c.dropped, i > 8);	/* a marker of a guest */
			}
		assert_false(pp_chain_next(&c, &ip));
		assert_ptr_equal(pp_chain_deferred(bytes_p(&b), 21, swap), bytes_p(&b) + 17 * 8);
		assert_null(pp_chain_deferred(bytes_p(&b), 17, swap));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bits), cmocka_unit_test(test_read_formats), cmocka_unit_test(test_branches),
		cmocka_unit_test(test_huge_counts), cmocka_unit_test(test_chain),
	};

	return cmocka_run_group_tests_name("sample", tests, NULL, NULL);
}

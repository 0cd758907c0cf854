/* SPDX-License-Identifier: ISC */
/*
 * Records made by their rows: what was put in is what pp_walk() shows, and each record that tests/mkpipe writes is, taken
 * apart and made again, the same bytes.
 */
#include <libgen.h>
#include <unistd.h>

#include "make/make.h"
#include "record/event.h"
#include "bytes.h"

enum { ENTRIES = 3, VALUES_MAX = 80 };

/* ---- what is put in is what is shown ----------------------------------------------------------- */

struct value { const char *name; uint64_t num; const void *p; size_t n; };	/* a number of n bytes; p: bytes, or a text */
struct values {
	struct value	 v[VALUES_MAX];
	size_t		 n;
	bool		 swap;
	uint64_t	 seed;
	uint64_t	*count;		/* the last number of 8 bytes: that of the entries, if a list follows */
};

static uint64_t
number(struct values *t, const char *name, size_t width)
{
	uint64_t num = (t->seed += UINT64_C(0x9e3779b97f4a7c15)) | UINT64_C(1) << (8 * width - 1);

	if (width < 8)
		num &= (UINT64_C(1) << 8 * width) - 1;
	assert_in_range(t->n, 0, VALUES_MAX - 1);
	t->v[t->n++] = (struct value){ name, num, NULL, width };
	return num;
}

/* Bytes as pp_walk() is to show them: `shown' of them, zeros behind the n that are put in. */
static struct pp_text
text(struct values *t, const char *name, size_t n, size_t shown)
{
	static char bytes[4096];
	static size_t used;
	char *p = bytes + used;

	used += shown;
	assert_in_range(used, 0, sizeof bytes);
	for (size_t i = 0; i < n; i++)
		p[i] = (char)('a' + (t->seed + i) % 26);
	assert_in_range(t->n, 0, VALUES_MAX - 1);
	t->v[t->n++] = (struct value){ name, 0, p, shown };
	return (struct pp_text){ p, n };
}

static struct pp_words
words(struct values *t, const char *name)
{
	static uint64_t w[2];
	static uint8_t stored[2][sizeof w];

	for (int i = 0; i < 2; i++) {
		w[i] = UINT64_C(0x0102030405060708) * (uint64_t)(i + 1);
		pp_set_u64(stored[t->swap] + 8 * i, w[i], t->swap);
	}
	t->v[t->n++] = (struct value){ name, 0, stored[t->swap], sizeof w };
	return (struct pp_words){ w, 2 };
}

static int
compare(void *arg, const struct pp_value *v)
{
	struct values *t = arg;
	const struct value *x = &t->v[t->n++];

	assert_string_equal(v->name, x->name);
	assert_int_equal(v->len, x->n);
	if (x->p)
		assert_memory_equal(v->p, x->p, x->n);
	else
		assert_int_equal(v->len == 8 ? pp_get_u64(v->p, t->swap) : v->len == 4 ? pp_get_u32(v->p, t->swap) :
		    pp_get_u16(v->p, t->swap), x->num);
	return 1;
}

static void
expect_trailer(struct values *t, const struct pp_trailer *v)
{
	const struct value all[] = {
		{ "pid", v->pid, NULL, 4 }, { "tid", v->tid, NULL, 4 }, { "time", v->time, NULL, 8 }, { "id", v->id, NULL, 8 },
		{ "stream_id", v->stream_id, NULL, 8 }, { "cpu", v->cpu, NULL, 4 }, { "reserved", 0, NULL, 4 },
		{ "identifier", v->id, NULL, 8 },
	};

	memcpy(t->v + t->n, all, sizeof all);
	t->n += sizeof all / sizeof *all;
}

/* Make, check, walk; and no size that is too small will do. */
static void
make_and_walk(struct values *t, uint32_t type, const void *values, const struct pp_event *ev)
{
	static uint8_t buf[PP_RECORD_MAX + 1];
	struct pp_err err = { 0 };
	size_t n = t->n;
	struct pp_rec r;

	memset(buf, 0xee, sizeof buf);
	assert_int_equal(pp_make(&r, buf + 1, sizeof buf - 1, type, values), 1);
	assert_int_equal(r.type, type);
	assert_ptr_equal(r.raw, buf + 1);
	assert_int_equal(pp_get_u32(buf + 1, t->swap), type);
	assert_int_equal(pp_get_u16(buf + 7, t->swap), r.size);
	assert_int_equal(r.misc, 0x2002);
	assert_int_equal(buf[1 + r.size], 0xee);
	if (pp_check(&r, t->swap, &err) < 0)
		fail_msg("%s: %s", pp_type_name(type), err.what);
	t->n = 0;
	assert_int_equal(pp_walk(&r, ev, t->swap, compare, t, &err), 1);
	assert_int_equal(t->n, n);
	for (size_t cap = 0; cap < r.size; cap++)
		assert_int_equal(pp_make(&(struct pp_rec){ 0 }, buf + 1, cap, type, values), -1);
}

static struct pp_events *
events(bool swap)
{
	static struct bytes b;
	struct pp_attr a = { .type = 1, .size = 64, .flags = 1 << 18, .read_format = PP_FORMAT_ID, .sample_type = PP_SAMPLE_TID |
	    PP_SAMPLE_TIME | PP_SAMPLE_ID | PP_SAMPLE_STREAM_ID | PP_SAMPLE_CPU | PP_SAMPLE_IDENTIFIER };
	struct pp_events *e = pp_events_new(swap);
	struct pp_err err;
	struct pp_rec r;

	b.n = 0;
	b.swap = swap;
	r = put_attr(&b, &a, 0, NULL);
	assert_int_equal(pp_events_learn(e, &r, &err), 1);
	return e;
}

#define PUT_UINT(size, to, name)	PUT_NUMBER_##size(to, name)
#define PUT_HEX(size, to, name)		PUT_NUMBER_##size(to, name)
#define PUT_SINT(size, to, name)	PUT_SINT_##size(to, name)
#define PUT_NUMBER_2(to, name)		to = (uint16_t)number(t, name, 2)
#define PUT_NUMBER_4(to, name)		to = (uint32_t)number(t, name, 4)
#define PUT_NUMBER_8(to, name)		to = number(t, name, 8), t->count = &to
#define PUT_SINT_4(to, name)		to = (int32_t)(uint32_t)number(t, name, 4)
#define PUT_SINT_8(to, name)		to = (int64_t)number(t, name, 8)
#define PUT_STR(size, to, name)		to = text(t, name, 9, 9)
#define PUT_BYTES(size, to, name)	to = text(t, name, size - 1, size)
#define PUT_REST(size, to, name)	to = text(t, name, 11, 11)
#define PUT_WORDS(size, to, name)	to = words(t, name)
#define FIELD(kind, size, name, role)	PUT_##kind(size, v->name, #name);
#define LIST		*t->count = t->v[t->n - 1].num = ENTRIES; } for (int i = 0; i < ENTRIES; i++, v++) {
#define OPT
#define REC(number_, name, class, perf, trailer_, fields, payload, tail_)		\
	static void									\
	row_##name(bool swap, const struct pp_event *ev)				\
	{										\
		struct pp_make_##name made[ENTRIES + 1] = { { .swap = swap, .misc = 0x2002 } }, *v = made;	\
		const struct pp_trailer of = { 7, 8, 3, UINT64_C(0x1122334455667788), 42, 43 };	\
		struct values all = { .swap = swap, .seed = number_ }, *t = &all;	\
		uint8_t trailer[PP_TRAILER_MAX];					\
											\
		if (strcmp(#tail_, "0") != 0)	/* its values must fit what it says */	\
			return;								\
		(void)v;								\
		{ fields }								\
		make_and_walk(t, number_, made, NULL);					\
		if (!pp_type_has_trailer(number_))					\
			return;								\
		made->trailer = pp_trailer_put(trailer, ev, &of, swap);			\
		expect_trailer(t, &of);							\
		make_and_walk(t, number_, made, ev);					\
	}
#include "record/record.def"
#undef REC
#undef FIELD
#undef LIST
#undef OPT

static void
test_rows(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_events *e = events(swap);

#define REC(number, name, class, perf, trailer, fields, payload, tail) row_##name(swap, e->ev[0]);
#include "record/record.def"
#undef REC
		pp_events_free(e);
	}
}

/* ---- taken apart and made again ---------------------------------------------------------------- */

struct parts {
	struct pp_value	 v[VALUES_MAX];
	size_t		 n, next;
	bool		 swap;
	uint64_t	 last;
	uint64_t	 words[16];
	const uint8_t	*end;		/* of the last value that was fetched */
};

static int
keep(void *arg, const struct pp_value *v)
{
	struct parts *t = arg;

	assert_in_range(t->n, 0, VALUES_MAX - 1);
	t->v[t->n++] = *v;
	return 1;
}

/* The next value, if it has that name; else the record has none. */
static const struct pp_value *
fetch(struct parts *t, const char *name)
{
	static const struct pp_value none;
	const struct pp_value *v = t->next < t->n && !strcmp(t->v[t->next].name, name) ? &t->v[t->next++] : &none;

	if (v->p)
		t->end = v->p + v->len;
	return v;
}

static uint64_t
fetch_number(struct parts *t, const char *name)
{
	const struct pp_value *v = fetch(t, name);

	return t->last = v->len == 8 ? pp_get_u64(v->p, t->swap) : v->len == 4 ? pp_get_u32(v->p, t->swap) :
	    v->len == 2 ? pp_get_u16(v->p, t->swap) : 0;
}

static struct pp_text
fetch_text(struct parts *t, const char *name)
{
	const struct pp_value *v = fetch(t, name);

	return (struct pp_text){ v->p, v->len };
}

static struct pp_words
fetch_words(struct parts *t, const char *name)
{
	const struct pp_value *v = fetch(t, name);

	assert_in_range(v->len / 8, 0, 16);
	for (size_t i = 0; i < v->len / 8; i++)
		t->words[i] = pp_get_u64(v->p + 8 * i, t->swap);
	return (struct pp_words){ t->words, v->len / 8 };
}

/* perf's AUXTRACE_ERROR has an array for its message, and more behind it. */
static void
same(const struct pp_rec *old, const struct pp_rec *new)
{
	if (new->type == PP_AUXTRACE_ERROR) {
		assert_in_range(new->size, 64, old->size);
		assert_memory_equal(new->raw + PP_HEADER_SIZE, old->raw + PP_HEADER_SIZE, new->size - PP_HEADER_SIZE);
	} else if (new->size != old->size || memcmp(new->raw, old->raw, new->size) != 0) {
		fail_msg("%s: %u bytes, and again %u", pp_type_name(old->type), old->size, new->size);
	}
}

#define GET_UINT(to, name)	fetch_number(t, name)
#define GET_HEX(to, name)	fetch_number(t, name)
#define GET_SINT(to, name)	fetch_number(t, name)
#define GET_STR(to, name)	fetch_text(t, name)
#define GET_BYTES(to, name)	fetch_text(t, name)
#define GET_REST(to, name)	fetch_text(t, name)
#define GET_WORDS(to, name)	fetch_words(t, name)
#define CAST_UINT_2	(uint16_t)
#define CAST_UINT_4	(uint32_t)
#define CAST_UINT_8
#define CAST_UINT(n)	CAST_UINT_##n
#define CAST_HEX(n)	CAST_UINT_##n
#define CAST_SINT_4	(int32_t)
#define CAST_SINT_8	(int64_t)
#define CAST_SINT(n)	CAST_SINT_##n
#define CAST_STR(n)
#define CAST_BYTES(n)
#define CAST_REST(n)
#define CAST_WORDS(n)
#define FIELD(kind, size, name, role) v->name = CAST_##kind(size) GET_##kind(v->name, #name);
#define LIST	} for (uint64_t i = 0, nr = t->last; i < nr; i++, v++) { assert_in_range(i, 0, VALUES_MAX - 1);
#define OPT
#define REC(number, name, class, perf, has_trailer, fields, payload, tail_)		\
	static void									\
	again_##name(struct parts *t, const struct pp_rec *old, size_t trailer)		\
	{										\
		static uint8_t buf[PP_RECORD_MAX];					\
		struct pp_make_##name made[VALUES_MAX] = { { .swap = t->swap, .misc = old->misc } }, *v = made;	\
		const uint8_t *end = old->raw + old->size;				\
		struct pp_rec new;							\
											\
		(void)v;								\
		{ fields }								\
		made->trailer = (struct pp_text){ end - trailer, trailer };		\
		if (strcmp(#tail_, "0") != 0)						\
			made->tail = (struct pp_text){ t->end, (size_t)(end - trailer - t->end) };	\
		assert_int_equal(pp_make(&new, buf, sizeof buf, number, made), 1);	\
		same(old, &new);							\
	}
#include "record/record.def"
#undef REC
#undef FIELD
#undef LIST
#undef OPT

static void (*const again[PP_TYPE_END])(struct parts *, const struct pp_rec *, size_t) = {
#define REC(number, name, class, perf, has_trailer, fields, payload, tail) [number] = again_##name,
#include "record/record.def"
#undef REC
};

static const char *programs;		/* the directory of mkpipe */

static void
make_again(const char *options, const char *recipe)
{
	char command[1024];
	bool seen[PP_TYPE_END] = { false };
	struct pp_source *in;
	struct pp_err err;
	struct pp_rec r;
	FILE *f;

	snprintf(command, sizeof command, "%s/mkpipe %s %s", programs, options, recipe);
	f = popen(command, "r");
	assert_non_null(f);
	in = pp_open_fd(dup(fileno(f)), command, 0, &err);
	if (!in)
		fail_msg("%s", err.what);
	while (pp_next(in, &r) > 0) {
		const struct pp_event *ev = r.type < PP_USER_TYPE_START ? pp_event_find(in->events, &r, &err) : NULL;
		struct parts t = { .swap = in->swap, .end = r.raw + PP_HEADER_SIZE };

		assert_in_range(r.type, 0, PP_TYPE_END - 1);
		assert_int_equal(pp_walk(&r, NULL, in->swap, keep, &t, &err), 1);
		again[r.type](&t, &r, ev && pp_has_trailer(ev, &r) ? ev->plan.trailer : 0);
		seen[r.type] = true;
	}
	assert_int_equal(pp_close(in), 1);
	assert_int_equal(pclose(f), 0);
	for (uint32_t i = 0; i < PP_TYPE_END; i++)
		if (again[i] && i != PP_COMPRESSED && i != PP_COMPRESSED2 && !seen[i])
			fail_msg("%s is not in %s", pp_type_name(i), recipe);
}

static void
test_mkpipe(void **state)
{
	(void)state;
	make_again("", "tests/data/all-types.txt");
	make_again("-b", "tests/data/all-types.txt");
}

/* ---- what does not fit --------------------------------------------------------------------------- */

static void
test_limits(void **state)
{
	static uint8_t buf[PP_RECORD_MAX + 1];
	static char name[PP_RECORD_MAX];
	struct pp_rec r;

	(void)state;
	memset(name, 'x', sizeof name);
	/* MMAP: 40 bytes, the name, a NUL, up to a multiple of 8 */
	assert_int_equal(PP_MAKE(&r, buf, sizeof buf, MMAP, .filename = { name, 65528 - 40 - 1 }), 1);
	assert_int_equal(r.size, 65528);
	assert_int_equal(buf[65527], 0);
	assert_int_equal(PP_MAKE(&r, buf, sizeof buf, MMAP, .filename = { name, 65528 - 40 }), -1);
	assert_int_equal(PP_MAKE(&r, buf, sizeof buf, HEADER_FEATURE, .payload = { name, PP_RECORD_MAX - 16 }), 1);
	assert_int_equal(PP_MAKE(&r, buf, sizeof buf, HEADER_FEATURE, .payload = { name, PP_RECORD_MAX - 15 }), -1);
	/* more bytes than the field has */
	assert_int_equal(PP_MAKE(&r, buf, sizeof buf, HEADER_BUILD_ID, .build_id = { name, 20 }), 1);
	assert_int_equal(PP_MAKE(&r, buf, sizeof buf, HEADER_BUILD_ID, .build_id = { name, 21 }), -1);
	/* a trailer where none can be, a type without a row */
	assert_int_equal(PP_MAKE(&r, buf, sizeof buf, STAT_ROUND, .trailer = { name, 8 }), -1);
	assert_int_equal(PP_MAKE(&r, buf, sizeof buf, COMM, .trailer = { NULL, 8 }), 1);
	assert_int_equal(r.size, 32);
	assert_int_equal(pp_make(&r, buf, sizeof buf, PP_TYPE_END, &(struct pp_make_COMM){ 0 }), -1);
	assert_int_equal(pp_make(&r, buf, sizeof buf, 63, &(struct pp_make_COMM){ 0 }), -1);
}

/* A payload or tail that was put where it goes beforehand. */
static void
test_in_place(void **state)
{
	uint8_t buf[64] = { 0 };
	struct pp_rec r;

	(void)state;
	memcpy(buf + 16, "payload", 7);
	assert_int_equal(PP_MAKE(&r, buf, sizeof buf, HEADER_FEATURE, .feat_id = 3, .payload = { buf + 16, 7 }), 1);
	assert_int_equal(r.size, 23);
	assert_memory_equal(buf + 16, "payload", 8);
	memcpy(buf + 24, "name", 5);
	assert_int_equal(PP_MAKE(&r, buf, sizeof buf, EVENT_UPDATE, .update_type = 2, .id = 1, .tail = { buf + 24, 5 }), 1);
	assert_int_equal(r.size, 32);
	assert_string_equal(buf + 24, "name");
}

int
main(int argc, char **argv)
{
	static char path[4096];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_mkpipe),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_in_place),
	};

	(void)argc;
	snprintf(path, sizeof path, "%s", argv[0]);
	programs = dirname(dirname(path));
	return cmocka_run_group_tests_name("make", tests, NULL, NULL);
}

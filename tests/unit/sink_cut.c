/* SPDX-License-Identifier: ISC */
/* A sink that hands its bytes to functions, holds them, and leaves out those that are not of a share. */
#include <sys/uio.h>

#include "record/mark.h"
#include "taker.h"

enum { HELD_MAX = 64 << 20, SHORT = 1024, SCRATCH = 128 << 10, IOVS = 1024 };

/* ---- writers ------------------------------------------------------------------------------------------- */

static void
test_writer(void **state)
{
	struct pp_sink *k = new_sink();

	(void)state;
	put_word(k, "one ");
	is("");
	assert_int_equal(pp_release(k), 1);
	is("one ");
	put_word(k, "two");
	assert_int_equal(pp_flush(k), 1);
	assert_int_equal(pp_written(k), 7);
	put_word(k, " three");
	assert_int_equal(pp_finish(k), 1);
	is("one two three");
	assert_int_equal(t.finished, 1);
	k = new_sink();			/* one that finds at the end that it has not all */
	t.rc = -1;
	put_word(k, "one");
	assert_int_equal(pp_finish(k), -1);
	is("one");
	k = new_sink();
	const struct pp_writer bare = { .write = take, .arg = &t };
	pp_finish(k);
	assert_non_null(k = pp_create_writer(&bare, &err));
	assert_int_equal(pp_finish(k), 1);
}

/* After a write that fails there is no other, by whichever function. */
static void
test_writer_fails(void **state)
{
	static const uint8_t bytes[2 * SCRATCH];
	const struct iovec small = { (void *)(uintptr_t)bytes, 10 }, large = { (void *)(uintptr_t)bytes, SHORT };
	const struct pp_rec r = { .raw = bytes + 1, .size = 8, .type = 9 };

	(void)state;
	for (unsigned first = 0; first < 4; first++) {
		struct pp_sink *k = new_sink();

		t.fail = 1;
		put_word(k, "x");
		if (first == 0)
			assert_int_equal(pp_flush(k), -1);
		else if (first == 1)
			assert_int_equal(pp_release(k), -1);
		else if (first == 2)
			assert_int_equal(pp_put_copy(k, bytes, SCRATCH), -1);		/* does not fit beside the x */
		else
			assert_int_equal(pp_put_copy(k, bytes, SCRATCH + 1), -1);
		assert_int_equal(pp_put_stable(k, bytes, 1), -1);
		assert_int_equal(pp_put_pieces(k, &small, 1), -1);
		assert_int_equal(pp_put_pieces(k, &large, 1), -1);
		assert_int_equal(pp_put_pieces(k, &large, 0), 1);
		assert_int_equal(pp_put(k, NULL, &r), -1);
		assert_int_equal(pp_put_copy(k, bytes, 1), -1);
		assert_int_equal(pp_let_go(k), -1);
		assert_int_equal(pp_release(k), -1);
		assert_int_equal(pp_flush(k), -1);
		assert_int_equal(t.calls, 1);
		assert_string_equal(err.what, "no more");
		assert_int_equal(pp_finish(k), -1);
		assert_int_equal(t.calls, 1);
		assert_int_equal(t.finished, 1);
	}
}

/* So much as a sink keeps of pieces, each of another place; the put that finds no space fails if they cannot be written. */
static void
test_full_fails(void **state)
{
	static uint8_t bytes[2 * IOVS * 2 * SHORT];

	(void)state;
	for (unsigned how = 0; how < 6; how++) {
		struct pp_sink *k = new_sink();
		unsigned n = 0;
		int rc = 1;

		t.fail = 1;
		for (; rc > 0 && n < 2 * IOVS; n++) {
			const uint8_t *p = bytes + (size_t)n * 2 * SHORT;
			struct iovec v = { (void *)(uintptr_t)p, how == 2 ? SHORT - 1 : SHORT };

			switch (how) {
			case 0: rc = pp_put_stable(k, p, SHORT); break;
			case 1: rc = n % 2 ? pp_put_copy(k, p, 1) : pp_put_stable(k, p, SHORT); break;
			case 2: rc = pp_put_pieces(k, &v, 1); break;
			case 3: v.iov_len -= n % 2; rc = pp_put_pieces(k, &v, 1); break;
			case 4: v.iov_len = n % 2 ? SHORT : 1; rc = pp_put_pieces(k, &v, 1); break;
			case 5: v.iov_len = n % 2 && n > 1 ? 1 : SHORT; rc = pp_put_pieces(k, &v, 1); break;
			}
		}
		assert_int_equal(rc, -1);
		assert_true(n > 100 && n <= IOVS + 2);
		assert_int_equal(t.calls, 1);
		assert_int_equal(pp_finish(k), -1);
	}
}

/* Pieces of all sizes about the limits, between other puts: each byte in its place, and none is written by itself. */
static void
test_pieces(void **state)
{
	static const size_t sizes[] = { 0, 1, SHORT - 1, SHORT, SHORT + 1, 7, 3000 };
	enum { N = 7, MOST = 1 << 20 };
	static uint8_t from[MOST], want[MOST];
	struct pp_sink *k = new_sink();
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		from[i] = (uint8_t)(i * 7 + (i >> 8) * 13);
	for (unsigned i = 0; n < MOST - 70000; i++) {
		uint8_t copied[500];
		struct iovec v[N];
		size_t all = 0;

		for (unsigned x = 0; x < N; x++) {		/* some beside each other */
			v[x].iov_len = sizes[(i + x * (i % 5)) % N];
			v[x].iov_base = i % 4 && x ? (uint8_t *)v[x - 1].iov_base + v[x - 1].iov_len : from + (i * 7919 + x * 104729) % (MOST - 70000);
		}
		assert_int_equal(pp_put_pieces(k, v, i % (N + 1)), 1);
		for (unsigned x = 0; x < i % (N + 1); x++) {
			memcpy(want + n + all, v[x].iov_base, v[x].iov_len);
			all += v[x].iov_len;
		}
		n += all;
		if (i % 3 == 0) {
			memset(copied, (int)i, sizeof copied);
			assert_int_equal(pp_put_copy(k, copied, i % sizeof copied), 1);
			memcpy(want + n, copied, i % sizeof copied);
			n += i % sizeof copied;
			memset(copied, 0, sizeof copied);
		}
		if (i % 11 == 0) {
			assert_int_equal(pp_put_stable(k, from + i, i), 1);
			memcpy(want + n, from + i, i);
			n += i;
		}
	}
	assert_int_equal(pp_finish(k), 1);
	assert_int_equal(t.n, n);
	assert_memory_equal(t.got, want, n);
	assert_true(t.calls < n / SHORT);
}

/* Short ones are written together, from wherever they are; long ones are not copied. */
static void
test_together(void **state)
{
	static const uint8_t bytes[40 * SHORT];
	struct pp_sink *k = new_sink();

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(pp_put_copy(k, bytes, 100), 1);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(pp_put_stable(k, bytes + 200 * (i % 5), 100), 1);
	assert_int_equal(t.calls, 0);
	assert_int_equal(pp_release(k), 1);
	assert_int_equal(t.calls, 1);
	assert_int_equal(t.n, 20000);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(pp_put_stable(k, bytes + i * 2 * SHORT, SHORT), 1);
	assert_int_equal(t.calls, 1);
	assert_int_equal(pp_release(k), 1);
	assert_int_equal(t.calls, 11);
	assert_int_equal(pp_put_stable(k, bytes, SHORT), 1);		/* side by side */
	assert_int_equal(pp_put_stable(k, bytes + SHORT, SHORT), 1);
	assert_int_equal(pp_finish(k), 1);
	assert_int_equal(t.calls, 12);
}

/* ---- pp_hold() ----------------------------------------------------------------------------------------- */

static void
test_hold(void **state)
{
	struct pp_sink *k = new_sink();

	(void)state;
	assert_int_equal(pp_let_go(k), 1);	/* there is nothing that is held */
	pp_hold(k);
	put_word(k, "one");
	assert_int_equal(pp_flush(k), 1);
	put_word(k, " two");
	assert_int_equal(pp_flush(k), 1);
	is("");
	assert_int_equal(pp_written(k), 0);
	put_word(k, " three");		/* not held yet */
	assert_int_equal(pp_let_go(k), 1);
	is("one two");
	assert_int_equal(pp_let_go(k), 1);
	is("one two");
	assert_int_equal(pp_flush(k), 1);
	is("one two three");
	assert_int_equal(pp_written(k), 13);
	assert_int_equal(pp_finish(k), 1);
	is("one two three");

	k = new_sink();			/* at the end it is written */
	pp_hold(k);
	put_word(k, "one");
	assert_int_equal(pp_flush(k), 1);
	put_word(k, " two");
	assert_int_equal(pp_finish(k), 1);
	is("one two");

	k = new_sink();
	pp_hold(k);
	put_word(k, "one");
	assert_int_equal(pp_flush(k), 1);
	t.fail = 1;
	assert_int_equal(pp_let_go(k), -1);
	assert_int_equal(pp_put_copy(k, "x", 1), -1);
	assert_int_equal(pp_finish(k), -1);
}

/* So many bytes are held; one more, and all are written, in order. */
static void
test_hold_limit(void **state)
{
	enum { STEP = 1 << 20 };
	static uint8_t bytes[STEP];

	(void)state;
	for (unsigned how = 0; how < 2; how++) {
		struct pp_sink *k = new_sink();

		t.count = true;
		t.fail = how;
		pp_hold(k);
		for (unsigned i = 0; i < HELD_MAX / STEP; i++) {
			if (i == 0)		/* of several pieces, or of one */
				assert_int_equal(pp_put_stable(k, bytes + STEP / 2, STEP / 2), 1);
			assert_int_equal(pp_put_stable(k, bytes, i == 0 ? STEP / 2 : STEP), 1);
			assert_int_equal(pp_release(k), 1);
		}
		assert_int_equal(t.calls, 0);
		put_word(k, "x");
		assert_int_equal(pp_release(k), how ? -1 : 1);
		assert_int_equal(t.calls, how ? 1 : 2);
		assert_int_equal(pp_written(k), t.n + how * (size_t)HELD_MAX);	/* it counts what was given to the writer */
		assert_int_equal(t.n, how ? 0 : HELD_MAX + 1);
		if (!how) {
			put_word(k, "y");
			assert_int_equal(pp_release(k), 1);
			assert_int_equal(t.n, HELD_MAX + 2);		/* nothing is held any more */
		}
		assert_int_equal(pp_finish(k), how ? -1 : 1);
	}
}

/* ---- pp_cut() ------------------------------------------------------------------------------------------ */

static struct pp_piece_marks marks;
static struct once { unsigned n; uint64_t at; int rc; } once;

static int
note_once(void *arg, uint64_t at)
{
	struct once *o = arg;

	o->n++;
	o->at = at;
	return o->rc;
}

static struct pp_sink *
new_cut(bool muted)
{
	struct pp_sink *k = new_sink();

	once = (struct once){ .rc = 1 };
	memset(&marks, 0, sizeof marks);
	pp_set_u32(marks.raw, PP_PIECE_MARK, false);
	pp_set_u16(marks.raw + 6, PP_PIECE_MARK_SIZE, false);
	memset(marks.raw + 8, 0x5a, 16);
	pp_cut(k, &marks, muted, note_once, &once);
	return k;
}

/* A mark, as a record of a source or as a copy. */
static int
put_mark(struct pp_sink *k, enum pp_piece_what what, bool copy)
{
	struct pp_rec r = pp_piece_mark_of(&marks, what);

	return copy ? pp_put_copy(k, r.raw, r.size) : pp_put(k, NULL, &r);
}

static void
test_cut(void **state)
{
	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		bool copy = form & 1, first = form & 2;
		struct pp_sink *k = new_cut(!first);

		put_word(k, "in front ");
		if (!first) {
			assert_int_equal(put_mark(k, PP_PIECE_ONCE, copy), 1);
			put_word(k, "for one ");
			assert_int_equal(once.n, 0);		/* nothing in front of the share is written */
			assert_int_equal(put_mark(k, PP_PIECE_BEGIN, copy), 1);
			assert_false(marks.ended);
		}
		is("");
		put_word(k, "share ");
		assert_int_equal(put_mark(k, PP_PIECE_ONCE, copy), 1);
		assert_int_equal(once.n, 1);
		assert_int_equal(once.at, first ? 15 : 6);
		put_word(k, "of it ");
		put_word(k, "end ");
		assert_int_equal(put_mark(k, PP_PIECE_END, copy), 1);
		assert_true(marks.ended);
		is(first ? "in front share of it end " : "share of it end ");
		put_word(k, "behind ");
		assert_int_equal(put_mark(k, PP_PIECE_ONCE, copy), 1);
		assert_int_equal(once.n, 2);
		assert_int_equal(once.at, first ? 25 : 16);
		put_word(k, "late ");
		put_word(k, "never ");
		assert_int_equal(put_mark(k, PP_PIECE_ONCE, copy), 1);
		assert_int_equal(once.at, first ? 30 : 21);
		put_word(k, "later");
		put_word(k, "never");
		assert_int_equal(pp_finish(k), 1);
		is(first ? "in front share of it end late later" : "share of it end late later");
	}
}

/* The offset of what comes once is that in the output, also while that is held. */
static void
test_cut_held(void **state)
{
	struct pp_sink *k = new_cut(false);

	(void)state;
	put_word(k, "before ");
	assert_int_equal(pp_flush(k), 1);
	pp_hold(k);
	put_word(k, "share ");
	assert_int_equal(put_mark(k, PP_PIECE_ONCE, true), 1);
	assert_int_equal(once.at, 13);
	is("before ");
	put_word(k, "once");
	assert_int_equal(pp_finish(k), 1);
	is("before share once");
}

static void
test_cut_fails(void **state)
{
	(void)state;
	for (unsigned copy = 0; copy < 2; copy++) {
		for (unsigned what = PP_PIECE_BEGIN; what <= PP_PIECE_ONCE; what++) {
			struct pp_sink *k = new_cut(false);	/* what is in front of a mark cannot be written */

			t.fail = 1;
			put_word(k, "x");
			assert_int_equal(put_mark(k, what, copy), -1);
			assert_int_equal(once.n, 0);
			assert_false(marks.ended);
			assert_int_equal(pp_finish(k), -1);
		}
		struct pp_sink *k = new_cut(false);		/* who is to note the offset cannot */

		once.rc = -1;
		assert_int_equal(put_mark(k, PP_PIECE_ONCE, copy), -1);
		assert_int_equal(once.n, 1);
		assert_int_equal(pp_put_copy(k, "x", 1), -1);
		assert_int_equal(pp_finish(k), -1);
		k = new_cut(false);				/* that which comes once cannot be written */
		assert_int_equal(put_mark(k, PP_PIECE_END, copy), 1);
		assert_int_equal(put_mark(k, PP_PIECE_ONCE, copy), 1);
		t.fail = 1;
		assert_int_equal(pp_put_copy(k, "x", 1), -1);
		assert_int_equal(pp_finish(k), -1);
	}
	struct pp_sink *k = new_cut(false);			/* nobody is to note it */

	pp_cut(k, &marks, true, NULL, NULL);
	assert_int_equal(put_mark(k, PP_PIECE_BEGIN, true), 1);
	assert_int_equal(put_mark(k, PP_PIECE_ONCE, true), 1);
	put_word(k, "once");
	assert_int_equal(pp_finish(k), 1);
	is("once");
}

/* What looks like a mark and is none is written like all. */
static void
test_no_mark(void **state)
{
	(void)state;
	for (unsigned form = 0; form < 8; form++) {
		struct pp_sink *k = new_cut(false);
		uint8_t rec[PP_PIECE_MARK_SIZE + 8] = { 0 };
		size_t n = PP_PIECE_MARK_SIZE;
		struct pp_rec r;

		memcpy(rec, pp_piece_mark_of(&marks, PP_PIECE_END).raw, n);
		switch (form / 2) {
		case 0: rec[0]--; break;
		case 1: rec[8]++; break;		/* other numbers */
		case 2: rec[23]++; break;
		case 3: n += 8; break;
		}
		r = pp_rec_at(rec, false);
		r.size = (uint16_t)n;
		assert_int_equal(form % 2 ? pp_put_copy(k, rec, n) : pp_put(k, NULL, &r), 1);
		assert_int_equal(pp_flush(k), 1);
		assert_false(marks.ended);
		assert_int_equal(t.n, n);
		assert_memory_equal(t.got, rec, n);
		assert_int_equal(pp_finish(k), 1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writer), cmocka_unit_test(test_writer_fails), cmocka_unit_test(test_full_fails), cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_hold), cmocka_unit_test(test_hold_limit), cmocka_unit_test(test_cut), cmocka_unit_test(test_cut_held),
		cmocka_unit_test(test_cut_fails), cmocka_unit_test(test_no_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

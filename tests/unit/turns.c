/* SPDX-License-Identifier: ISC */
/* Queues of numbers, and the order in which records are decided on, against lists that are searched from end to end. */
#include "chance.h"
#include "check.h"
#include "state/turns.h"

enum { MAX = 4000, OVERHEAD = 4 * 32 };	/* what malloc adds to four arrays */

static struct pp_err err;

/* ---- a queue of numbers ---------------------------------------------------------------------------------- */

static struct { uint64_t time, number; } wait[MAX];
static size_t nwait;

static uint64_t
newest_of(size_t n)
{
	uint64_t newest = 0;

	for (size_t i = 0; i < n; i++)
		newest = wait[i].time > newest ? wait[i].time : newest;
	return newest;
}

/* Take all up to that time: the oldest first, and of one time the first. */
static void
take(struct pp_round *q, uint64_t limit)
{
	const struct pp_waiting *e;
	size_t n, i = 0, best;

	assert_int_equal(pp_round_take(q, limit, &e, &n), 1);
	for (;; i++) {
		best = nwait;
		for (size_t k = 0; k < nwait; k++)
			if (wait[k].time <= limit && (best == nwait || wait[k].time < wait[best].time))
				best = k;
		if (best == nwait)
			break;
		assert_true(i < n);
		assert_int_equal(e[i].time, wait[best].time);
		assert_int_equal(e[i].place, wait[best].number);
		memmove(wait + best, wait + best + 1, (--nwait - best) * sizeof *wait);
	}
	assert_int_equal(i, n);
}

static void
test_numbers(void **state)
{
	(void)state;
	for (seed = 1; seed < 60;) {
		uint32_t this = seed, spread = this % 5 ? 1 + rnd(this % 2 ? 30 : 400) : 1, often = 10 + rnd(150);
		struct pp_round *q = pp_round_new(NULL, NULL, &err);
		uint64_t number = rnd(1000);

		assert_non_null(q);
		nwait = 0;
		assert_int_equal(pp_round_below(q, UINT64_MAX), 0);
		assert_int_equal(pp_round_newest_of(q, 0), 0);
		for (unsigned i = 0; i < 1500; i++) {
			uint64_t time = 100 + i / 2 + rnd(spread);

			number += 1 + rnd(3);
			assert_int_equal(pp_round_add_number(q, time, number), 1);
			wait[nwait].time = time;
			wait[nwait++].number = number;
			assert_int_equal(pp_round_waiting(q), nwait);
			if (!rnd(often))
				take(q, 100 + i / 2 - rnd(spread / 2 + 1));
			assert_int_equal(pp_round_waiting(q), nwait);
			if (nwait) {
				size_t n = rnd((uint32_t)nwait + 1);
				uint64_t at = n < nwait ? wait[n].number : number + 1;

				assert_int_equal(pp_round_newest_of(q, n), newest_of(n));
				assert_int_equal(pp_round_below(q, at), n);
				assert_int_equal(pp_round_below(q, at - (n == 0 || wait[n - 1].number < at - 1)), n);
				assert_int_equal(pp_round_below(q, wait[0].number), 0);
				assert_int_equal(pp_round_below(q, UINT64_MAX), nwait);
			}
		}
		assert_true(pp_round_memory(q) >= nwait * sizeof(struct pp_waiting));
		take(q, UINT64_MAX);
		assert_int_equal(nwait, 0);
		pp_round_free(q);
		seed = this + 1;
	}
}

/* ---- turns ----------------------------------------------------------------------------------------------- */

static struct { uint64_t time; bool ordered, back, added, done; } rec[MAX];	/* by number; back: it is added later */
static size_t nrec;
static uint64_t limit, released;
static unsigned calls, fail;		/* the call that fails; 0: none */

static bool
is_before(size_t a, size_t b)
{
	return rec[a].time != rec[b].time ? rec[a].time < rec[b].time : a < b;
}

static int
turn(void *arg, const struct pp_waiting *w, size_t n, uint64_t since)
{
	(void)arg;
	assert_true(n > 0);
	if (fail && ++calls == fail)
		return -1;
	for (size_t i = 0; i < n; i++) {
		size_t nr = w[i].place;
		uint64_t time = w[i].time, from = since < time ? since : time;

		assert_true(nr < nrec && rec[nr].added && !rec[nr].done);
		assert_int_equal(rec[nr].time, time);
		assert_true(time <= limit);
		assert_true(since == UINT64_MAX || since <= time);	/* what is made for one of them is there for all */
		for (size_t k = 0; k < nrec; k++) {
			if (!rec[k].ordered || !rec[k].added)
				continue;
			assert_true(rec[k].done == is_before(k, nr) || (k == nr && !rec[k].done) || rec[k].time <= released || time <= released);
			assert_false(rec[k].time > from && rec[k].time < time);
		}
		rec[nr].done = true;
	}
	return 1;
}

static uint64_t
newest_below(size_t number)
{
	uint64_t newest = 0;

	for (size_t i = 0; i < number && i < nrec; i++)
		if (rec[i].added && !rec[i].done && rec[i].time > newest)
			newest = rec[i].time;
	return newest;
}

/* Of those that were held back some are added, as a release finds guesses to be wrong; the others, if they are due, never are. */
static void
add_back(struct pp_turns *t)
{
	struct pp_waiting w[MAX];
	size_t n = 0;

	for (size_t i = 0; i < nrec; i++)
		if (rec[i].back && rnd(2)) {
			rec[i].added = true;
			rec[i].back = false;
			w[n++] = (struct pp_waiting){ rec[i].time, i };
		} else if (rec[i].time <= limit) {
			rec[i].back = false;
		}
	if (n)
		assert_int_equal(pp_turns_add_older(t, w, n), 1);
}

static void
release(struct pp_turns *t, uint64_t upto, bool older)
{
	limit = upto;
	if (older) {
		assert_int_equal(pp_turns_begin(t, upto), 1);
		add_back(t);
		assert_int_equal(pp_turns_end(t, upto), 1);
	} else {
		assert_int_equal(pp_turns_release(t, upto), 1);
	}
	for (size_t i = 0; i < nrec; i++)
		assert_true(rec[i].done || !rec[i].added || rec[i].time > upto);
	released = upto > released ? upto : released;
}

static void
test_turns(void **state)
{
	(void)state;
	for (seed = 1; seed < 80;) {
		uint32_t this = seed, spread = 1 + rnd(this % 2 ? 30 : 300), often = 10 + rnd(150), ordered = this % 4 ? 1 + rnd(40) : 2, late = this % 3;
		struct pp_turns t = { .fn = NULL };
		size_t has;

		memset(rec, 0, sizeof rec);
		nrec = 0;
		limit = released = 0;
		fail = 0;
		assert_int_equal(pp_turns_start(&t, turn, NULL, &err), 1);
		assert_int_equal(pp_turns_newest(&t, UINT64_MAX), 0);
		for (unsigned i = 0; i < 1200; i++) {
			uint64_t time = 400 + i / 2 + rnd(spread);

			if (late && !rnd(100))
				time = 1 + rnd((uint32_t)released + 1);
			rec[nrec].time = time;
			rec[nrec].ordered = !rnd(ordered);
			rec[nrec].back = !rec[nrec].ordered && time > released && this % 5 == 0 && !rnd(4);
			if ((rec[nrec].added = !rec[nrec].back))
				assert_int_equal(pp_turns_add(&t, time, nrec, rec[nrec].ordered), 1);
			else if (time < t.fresh_min)
				t.fresh_min = time;			/* as arrival.c does */
			nrec++;
			if (!rnd(5)) {
				size_t number = rnd((uint32_t)nrec + 10);

				assert_int_equal(pp_turns_newest(&t, number), newest_below(number));
			}
			if (!rnd(often))
				release(&t, 400 + i / 2 - rnd(spread / 2 + 1), this % 5 == 0);
			has = malloc_usable_size(t.others) + malloc_usable_size(t.due) + malloc_usable_size(t.bucket) + malloc_usable_size(t.end);
			assert_in_range(pp_turns_memory(&t) - pp_round_memory(t.round), has - (has < OVERHEAD ? has : OVERHEAD), has);
		}
		release(&t, UINT64_MAX, this % 5 == 0);
		pp_turns_free(&t);
		seed = this + 1;
	}
}

/* Where a turn fails, that is the end. */
static void
test_turn_fails(void **state)
{
	unsigned n = 0;

	(void)state;
	for (fail = 1; !n || fail <= n + 1; fail++) {
		struct pp_turns t = { .fn = NULL };

		memset(rec, 0, sizeof rec);
		calls = 0;
		limit = UINT64_MAX;
		released = 0;
		assert_int_equal(pp_turns_start(&t, turn, NULL, &err), 1);
		for (nrec = 0; nrec < 20; nrec++) {
			rec[nrec].time = 10 + nrec;
			rec[nrec].added = true;
			rec[nrec].ordered = nrec % 5 == 4;
			assert_int_equal(pp_turns_add(&t, rec[nrec].time, nrec, rec[nrec].ordered), 1);
		}
		n = 8;			/* four before an ordered one, and that, four times */
		assert_int_equal(pp_turns_release(&t, UINT64_MAX), fail <= n ? -1 : 1);
		assert_int_equal(calls, fail <= n ? fail : n);
		pp_turns_free(&t);
	}
	for (fail = 1; fail < 3; fail++) {		/* ordered ones alone are one call */
		struct pp_turns t = { .fn = NULL };

		memset(rec, 0, sizeof rec);
		calls = 0;
		assert_int_equal(pp_turns_start(&t, turn, NULL, &err), 1);
		for (nrec = 0; nrec < 3; nrec++) {
			rec[nrec].time = 10 + nrec;
			rec[nrec].added = rec[nrec].ordered = true;
			assert_int_equal(pp_turns_add(&t, rec[nrec].time, nrec, true), 1);
		}
		assert_int_equal(pp_turns_release(&t, UINT64_MAX), fail == 1 ? -1 : 1);
		pp_turns_free(&t);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_turns), cmocka_unit_test(test_turn_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* Of the state: words that tasks have in common, and the order of processes by 40 bits. */
#include <stdlib.h>

#include "state/state_in.h"

#include "check.h"

static struct pp_err err;

/* A word of each length: the same bytes are the same word, as long as it is in use. */
static void
words(void **state)
{
	enum { MOST = 40 };
	struct pp_state *s = pp_state_new(false, &err);
	size_t empty = pp_state_memory(s);
	uint32_t at[MOST + 1] = { 0 }, more[MOST + 1] = { 0 };
	uint8_t text[MOST];

	(void)state;
	for (unsigned i = 0; i < MOST; i++)
		text[i] = (uint8_t)('a' + i % 26);
	text[3] = 0;			/* as in namespaces */
	for (unsigned n = 0; n <= MOST; n++) {
		size_t before = pp_state_memory(s), slots = s->words.bits ? sizeof(uint32_t) << s->words.bits : 0;
		uint32_t word = pp_state_word(s, text, n);
		const struct pp_word *w = word_at(s, word);

		assert_true(word != 0);
		assert_int_equal(rows_second(word), n > WORD_SHORT && n <= WORD_HERE);
		assert_int_equal(w->len, n);
		assert_memory_equal(pp_word_text(w), text, n);
		assert_int_equal(pp_word_text(w)[n], 0);
		assert_int_equal(w->mark, 0);
		assert_int_equal(pp_state_memory(s) - before, (rows_second(word) ? (WORD_SECOND + 7) & ~7 : (WORD_SIZE + 7) & ~7) +
		    (n > WORD_HERE ? n + 1 : 0) + (sizeof(uint32_t) << s->words.bits) - slots);
		pp_state_word_set(s, &at[n], word);
		assert_int_equal(w->refs, 1);
		assert_int_equal(pp_state_word(s, text, n), word);
		if (n) {		/* another last byte: another word, which goes when its last reference does */
			uint32_t other;

			text[n - 1] ^= 1;
			other = pp_state_word(s, text, n);
			assert_true(other && other != word);
			before = pp_state_memory(s);
			pp_state_word_set(s, &more[n], other);
			pp_state_word_set(s, &more[0], other);
			pp_state_word_set(s, &more[n], 0);
			assert_int_equal(pp_state_memory(s), before);
			assert_int_equal(pp_state_word(s, text, n), other);
			pp_state_word_set(s, &more[0], 0);
			assert_true(pp_state_memory(s) < before);
			text[n - 1] ^= 1;
		}
	}
	for (unsigned n = 0; n <= MOST; n++) {
		assert_int_equal(pp_state_word(s, text, n), at[n]);
		pp_state_word_set(s, &at[n], at[n]);	/* it is what it was */
		assert_int_equal(word_at(s, at[n])->refs, 1);
	}
	for (unsigned n = 0; n < MOST; n++) {
		pp_state_word_set(s, &at[n], at[n + 1]);
		assert_int_equal(at[n], at[n + 1]);
		pp_state_word_set(s, &at[n], 0);
		assert_int_equal(at[n], 0);
		assert_int_equal(word_at(s, at[n + 1])->refs, 1);
	}
	pp_state_word_set(s, &at[MOST], 0);
	assert_int_equal(pp_state_memory(s) - empty, sizeof(uint32_t) << s->words.bits);
	pp_state_free(s);
}

/* Processes come in order of appearance, also when rows are used again, and when there were so many that 32 bits do not count them. */
static void
order(void **state)
{
	enum { N = 200 };
	static const uint64_t firsts[] = { 0, UINT32_MAX - 100, UINT64_C(0xfe00000000) - 100 };

	(void)state;
	for (size_t k = 0; k < sizeof firsts / sizeof *firsts; k++) {
		struct pp_state *s = pp_state_new(false, &err);
		uint32_t *list;
		size_t n;

		s->serial = firsts[k];
		list = pp_state_processes(s, &n);
		assert_int_equal(n, 0);
		free(list);
		for (uint32_t i = 1; i <= N; i++)
			assert_non_null(pp_state_task_get(s, i, i));
		for (uint32_t i = 2; i <= N; i += 2) {		/* its number is that of a thread of another: no thread is left */
			uint32_t was = process_number(s, i);

			assert_non_null(pp_state_task_get(s, 1, i));
			assert_int_equal(process_number(s, i), 0);
			assert_non_null(pp_state_task_get(s, N + i, N + i));
			assert_int_equal(process_number(s, N + i), was);
		}
		list = pp_state_processes(s, &n);
		assert_int_equal(n, N);
		for (size_t i = 0; i < n; i++) {
			const struct process *p = process_at(s, list[i]);

			assert_int_equal(p->first.pub.pid, i < N / 2 ? 2 * i + 1 : N + 2 * (i - N / 2 + 1));
			assert_int_equal(process_serial(p), firsts[k] + (i < N / 2 ? 2 * i + 1 : N + i - N / 2 + 1));
		}
		free(list);
		pp_state_free(s);
	}
}

static unsigned calls, fails;
static uint32_t seen[20];

static int
see(void *arg, struct pp_task *t)
{
	(void)arg;
	seen[calls] = t->tid;
	return ++calls == fails ? -1 : 1;
}

/* Threads of a process: the first one, and then in order of appearance, whichever goes. */
static void
threads(void **state)
{
	static const uint32_t without[][5] = { { 0 }, { 11 }, { 13 }, { 15 }, { 11, 12, 13, 14, 15 }, { 15, 14, 11 }, { 12, 14, 11, 15 }, { 10 } };

	(void)state;
	for (size_t k = 0; k < sizeof without / sizeof *without; k++) {
		struct pp_state *s = pp_state_new(false, &err);
		const uint32_t *but = without[k];
		unsigned n = 0;

		for (uint32_t tid = 10; tid <= 15; tid++)
			assert_non_null(pp_state_task_get(s, 10, tid));
		for (unsigned i = 0; i < 5 && but[i]; i++)
			assert_non_null(pp_state_task_get(s, 77, but[i]));	/* it belongs to another process now */
		for (fails = 0; fails < 8; fails++) {
			int rc;

			calls = 0;
			rc = pp_state_each_task(s, pp_state_process(s, 10), see, NULL);
			if (!fails)
				n = calls;
			assert_int_equal(rc, fails && fails <= n ? -1 : 1);
			assert_int_equal(calls, fails && fails <= n ? fails : n);
		}
		n = 0;
		for (uint32_t tid = 10; tid <= 15; tid++) {
			bool gone = false;

			for (unsigned i = 0; i < 5; i++)
				gone |= but[i] == tid;
			if (!gone)
				assert_int_equal(seen[n++], tid);
		}
		assert_int_equal(n, calls);
		assert_non_null(pp_state_task_get(s, 10, 16));		/* and the next one comes behind them */
		calls = fails = 0;
		assert_int_equal(pp_state_each_task(s, pp_state_process(s, 10), see, NULL), 1);
		assert_int_equal(calls, n + 1);
		assert_int_equal(seen[n], 16);
		pp_state_free(s);
	}
}

/* The last tasks that have ended are known, the oldest of them is forgotten first; one that is alive again is none of these. */
static void
dead(void **state)
{
	struct pp_state *s = pp_state_new(false, &err);
	uint8_t exit[32] = { 0 };
	struct pp_rec r = { .raw = exit, .type = PP_EXIT, .size = sizeof exit };

	(void)state;
	for (uint32_t tid = 1; tid <= 3 * DEAD_MAX; tid++) {
		assert_non_null(pp_state_task_get(s, tid, tid));
		pp_set_u32(exit + 8, tid, false);
		pp_set_u32(exit + 16, tid, false);
		assert_int_equal(pp_state_feed_exit(s, &r), 1);
		assert_int_equal(pp_state_feed_exit(s, &r), 1);		/* once */
		assert_int_equal(s->ndead, tid < DEAD_MAX ? tid : DEAD_MAX);
		assert_true(pp_state_task(s, tid)->ended);
		assert_int_equal(pp_state_task(s, tid - DEAD_MAX) != NULL, false);
		if (tid > DEAD_MAX)
			assert_non_null(pp_state_task(s, tid - DEAD_MAX + 1));
	}
	for (uint32_t k = 0; k < DEAD_MAX; k += 5) {		/* from among them */
		uint32_t tid = 2 * DEAD_MAX + 1 + k;

		assert_non_null(pp_state_task_get(s, tid, tid));
		assert_false(pp_state_task(s, tid)->ended);
		assert_int_equal(s->ndead, DEAD_MAX - 1 - k / 5);
		for (uint32_t i = 0; i < DEAD_MAX; i++)
			assert_int_equal(pp_state_task(s, 2 * DEAD_MAX + 1 + i)->ended, i > k || i % 5);
	}
	pp_state_free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(words), cmocka_unit_test(order), cmocka_unit_test(threads), cmocka_unit_test(dead) };

	return cmocka_run_group_tests_name("state_numbers", tests, NULL, NULL);
}

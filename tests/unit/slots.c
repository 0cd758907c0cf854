/* SPDX-License-Identifier: ISC */
/* A ring of slots: each is worked on once, they come back in order, and threads leave signals to others. */
#include <signal.h>
#include <stdatomic.h>

#include "check.h"
#include "sink/slots.h"

enum { MOST = 9, ROUNDS = 200 };

static struct { unsigned in, out; } slot[MOST];
static atomic_uint works, blocked;
static pthread_t caller;

static void
work(void *arg, unsigned i)
{
	sigset_t mask;

	assert_ptr_equal(arg, slot);
	slot[i].out = slot[i].in * 2 + 1;
	works++;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	blocked += !pthread_equal(pthread_self(), caller) && sigismember(&mask, SIGUSR1) && sigismember(&mask, SIGINT) && sigismember(&mask, SIGALRM);
}

static void
test_ring(void **state)
{
	(void)state;
	caller = pthread_self();
	for (unsigned threads = 0; threads < MOST - 1; threads += threads < 3 ? 1 : 2) {
		unsigned given = 0, taken = 0, again = 0;
		struct slots ring = { .n = 0 };
		sigset_t before, after;
		struct pp_err err = { .what = "" };

		works = blocked = 0;
		sigemptyset(&before);
		sigaddset(&before, SIGUSR2);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		assert_int_equal(slots_begin(&ring, threads, work, slot), 1);
		assert_int_equal(ring.n, threads + 1);
		assert_int_equal(ring.filled, 0);
		assert_int_equal(ring.oldest, 0);
		for (unsigned i = 0; i < ring.n; i++)
			assert_int_equal(slots_state(&ring, i), SLOT_FREE);
		while (taken < ROUNDS) {
			if (given < ROUNDS && slots_state(&ring, ring.filled) == SLOT_FREE) {
				slot[ring.filled].in = given++;
				assert_int_equal(slots_hand_over(&ring, &err), 1);
				assert_int_not_equal(slots_state(&ring, ring.filled), SLOT_FREE);
				if (!threads)
					assert_int_equal(slots_state(&ring, ring.filled), SLOT_DONE);
				ring.filled = (ring.filled + 1) % ring.n;
				continue;
			}
			bool last = again % 3 || taken == ROUNDS - 1;	/* some are handed over once more before the next is the oldest */
			unsigned oldest = ring.oldest, i = slots_take(&ring, last);

			again++;
			assert_int_equal(i, oldest);
			assert_int_equal(i, taken % ring.n);
			assert_int_equal(slot[i].out, 2 * taken + 1);
			assert_int_equal(slots_state(&ring, i), SLOT_FREE);
			assert_int_equal(ring.oldest, last ? (i + 1) % ring.n : i);
			if (last) {
				taken++;
				continue;
			}
			unsigned filled = ring.filled;

			slot[i].out = 0;
			ring.filled = i;
			assert_int_equal(slots_hand_over(&ring, &err), 1);
			ring.filled = filled;
		}
		assert_int_equal(ring.started, threads);
		slots_end(&ring);
		assert_true(works >= ROUNDS);
		assert_int_equal(blocked, threads ? works : 0);
		pthread_sigmask(SIG_SETMASK, NULL, &after);
		assert_true(!sigismember(&after, SIGUSR1) && sigismember(&after, SIGUSR2) && !sigismember(&after, SIGINT));
		sigemptyset(&before);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
}

/* What is handed over is done when it ends, though nobody takes it; one that was not begun has nothing to end. */
static void
test_end(void **state)
{
	(void)state;
	for (unsigned threads = 1; threads < 4; threads++) {
		struct slots ring = { .n = 0 };
		struct pp_err err = { .what = "" };

		works = 0;
		slots_end(&ring);
		assert_int_equal(slots_begin(&ring, threads, work, slot), 1);
		for (unsigned i = 0; i < ring.n; i++) {
			assert_int_equal(slots_hand_over(&ring, &err), 1);
			ring.filled = (ring.filled + 1) % ring.n;
		}
		slots_end(&ring);
		assert_int_equal(works, threads + 1);
		ring = (struct slots){ .n = 0 };
		assert_int_equal(slots_begin(&ring, threads, work, slot), 1);
		slots_end(&ring);			/* no thread was started */
		assert_int_equal(ring.started, 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_ring), cmocka_unit_test(test_end) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

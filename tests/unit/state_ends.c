/* SPDX-License-Identifier: ISC */
/*
 * Which threads have ended, and how long they are known.  tests/54-oracle-takeover.bats shows that the records are those of the
 * kernel, and that perf agrees.
 */
#include "state_bench.h"

/* The last samples of a task follow its EXIT. */
static void
exits(void **state)
{
	struct bench w;

	(void)state;
	open_bench(&w, false);
	comm(&w, 10, 10, "sh");
	map_at(&w, 2, 10, 0x1000, 0x1000, 0, "sh");
	task_rec(&w, PP_FORK, 0, 10, 10, 11, 10);
	task_rec(&w, PP_EXIT, 0, 10, 10, 11, 10);
	task_rec(&w, PP_EXIT, 0, 10, 1, 10, 1);
	assert_true(pp_state_task(w.s, 11)->ended);
	assert_string_equal(comm_of(&w, 11), "sh");
	assert_string_equal(at(&w, 10, 0x1000), "sh+0");
	task_rec(&w, PP_FORK, 0, 10, 1, 10, 1);			/* the number belongs to another */
	assert_false(pp_state_task(w.s, 10)->ended);
	assert_string_equal(comm_of(&w, 10), "-");
	assert_string_equal(at(&w, 10, 0x1000), "-");
	task_rec(&w, PP_EXIT, 0, 10, 1, 10, 1);
	for (unsigned i = 0; i < 254; i++) {			/* more than are kept */
		task_rec(&w, PP_FORK, 0, 100 + i, 1, 100 + i, 1);
		task_rec(&w, PP_EXIT, 0, 100 + i, 1, 100 + i, 1);
	}
	assert_non_null(pp_state_task(w.s, 11));
	task_rec(&w, PP_FORK, 0, 90, 1, 90, 1);
	task_rec(&w, PP_EXIT, 0, 90, 1, 90, 1);
	assert_null(pp_state_task(w.s, 11));
	assert_non_null(pp_state_process(w.s, 10));
	pp_state_free(w.s);
}

/* Other tasks begin and end: more than are kept. */
static void
others_end(struct bench *w)
{
	for (unsigned i = 0; i < 300; i++) {
		task_rec(w, PP_FORK, 0, 1000 + i, 1, 1000 + i, 1);
		task_rec(w, PP_EXIT, 0, 1000 + i, 1, 1000 + i, 1);
	}
}

/* sh, pid 10, with threads 11 and 12, of which the first one ends; long after that comes what the caller does. */
static void
leaderless(struct bench *w, bool swap)
{
	open_bench(w, swap);
	comm(w, 10, 10, "sh");
	map_at(w, 2, 10, 0x1000, 0x1000, 0, "sh");
	task_rec(w, PP_FORK, 0, 10, 10, 11, 10);
	task_rec(w, PP_FORK, 0, 10, 10, 12, 10);
	task_rec(w, PP_EXIT, 0, 10, 1, 10, 1);
	others_end(w);
	assert_true(ended(w, 10));		/* and is kept, as its threads live */
	assert_string_equal(comm_of(w, 10), "sh");
}

/* A thread other than the first execs, and so takes its number. */
static void
thread_execs(void **state)
{
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		leaderless(&w, swap);
		pp_state_task(w.s, 10)->mark = 5;
		task_rec(&w, PP_EXIT, 0, 10, 10, 12, 10);
		comm_by(&w, PP_MISC_COMM_EXEC, 10, 10, "ls");
		assert_false(ended(&w, 10));
		assert_int_equal(pp_state_task(w.s, 10)->mark, 5);
		assert_true(ended(&w, 11));		/* its number when it was a thread; there is no EXIT for that */
		others_end(&w);
		assert_false(ended(&w, 10));
		assert_string_equal(comm_of(&w, 10), "ls");
		assert_string_equal(at(&w, 10, 0x1000), "sh+0");	/* exec unmaps nothing */
		assert_null(pp_state_task(w.s, 11));
		assert_null(pp_state_task(w.s, 12));
		task_rec(&w, PP_FORK, 0, 10, 10, 13, 10);		/* once more */
		task_rec(&w, PP_EXIT, 0, 10, 1, 10, 1);
		others_end(&w);
		comm_by(&w, PP_MISC_COMM_EXEC, 10, 10, "ls");		/* the same name */
		assert_false(ended(&w, 10));
		task_rec(&w, PP_EXIT, 0, 10, 1, 10, 1);
		assert_true(ended(&w, 10));
		others_end(&w);
		assert_null(pp_state_process(w.s, 10));			/* nothing is left of it */
		pp_state_free(w.s);
	}
}

/* What else shows that a thread lives, if the COMM is lost; and what does not. */
static void
shown_alive(void **state)
{
	struct bench w;

	(void)state;
	for (int how = 0; how < 5; how++) {
		leaderless(&w, false);
		if (how == 0)
			map_at(&w, 2, 10, 0x5000, 0x1000, 0, "new");
		else if (how == 1)
			task_rec(&w, PP_FORK, 0, 20, 10, 20, 10);
		else if (how == 2)
			comm(&w, 10, 10, "renamed");
		else if (how == 3)
			map_by(&w, 2, 10, 11, 0x5000, 0x1000, 0, "new");		/* another thread maps */
		else
			task_rec(&w, PP_FORK, PP_MISC_FORK_EXEC, 20, 10, 20, 10);	/* perf's own, of a child that is left */
		assert_int_equal(ended(&w, 10), how > 2);
		assert_false(ended(&w, 11));
		pp_state_free(w.s);
	}
	leaderless(&w, false);			/* its last thread: then it is one of the last that have ended */
	task_rec(&w, PP_EXIT, 0, 10, 10, 11, 10);
	task_rec(&w, PP_EXIT, 0, 10, 10, 12, 10);
	assert_string_equal(comm_of(&w, 10), "sh");
	others_end(&w);
	assert_null(pp_state_task(w.s, 10));
	assert_null(pp_state_process(w.s, 10));
	pp_state_free(w.s);
	leaderless(&w, false);			/* its last thread belongs to another process now */
	task_rec(&w, PP_EXIT, 0, 10, 10, 11, 10);
	task_rec(&w, PP_FORK, 0, 12, 1, 12, 1);
	others_end(&w);
	assert_null(pp_state_process(w.s, 10));
	pp_state_free(w.s);
	open_bench(&w, false);			/* there is one other thread, no more */
	comm(&w, 10, 10, "sh");
	task_rec(&w, PP_FORK, 0, 10, 10, 11, 10);
	task_rec(&w, PP_EXIT, 0, 10, 1, 10, 1);
	others_end(&w);
	assert_true(ended(&w, 10));
	task_rec(&w, PP_EXIT, 0, 10, 10, 11, 10);
	others_end(&w);
	assert_null(pp_state_process(w.s, 10));
	pp_state_free(w.s);
	leaderless(&w, false);			/* its own number does, though threads are left */
	task_rec(&w, PP_FORK, 0, 10, 1, 10, 1);
	assert_false(ended(&w, 10));
	task_rec(&w, PP_EXIT, 0, 10, 10, 11, 10);
	task_rec(&w, PP_EXIT, 0, 10, 10, 12, 10);
	others_end(&w);
	assert_false(ended(&w, 10));
	pp_state_free(w.s);
}

/* Random ends, execs and new lives of 16 threads: who has ended, and that others are forgotten in between. */
static void
ends(void **state)
{
	enum { TIDS = 16, FIRST = 10 };	/* their numbers begin with that: other tasks are made by 1 */
	static struct { uint32_t pid; bool known, ended; } m[TIDS];
	struct bench w;
	unsigned r = 1;

	(void)state;
	open_bench(&w, false);
	for (int step = 0; step < 40000; step++) {
		unsigned t = (r = r * 1103515245 + 12345) >> 16 & 15, by = r >> 20 & 15, op = r >> 24 & 15;
		uint32_t tid = FIRST + t;

		if (op == 0) {
			others_end(&w);
			for (unsigned i = 0; i < TIDS; i++)
				m[i].known &= pp_state_task(w.s, FIRST + i) != NULL;
		} else if (op < 4 && t != by) {			/* a thread of the other's process, or a process */
			bool thread = op < 3 && m[by].known && m[by].pid != tid;
			uint32_t pid = thread ? m[by].pid : tid, ppid = m[by].known ? m[by].pid : FIRST + by;

			for (unsigned i = 0; i < TIDS && !thread; i++)
				m[i].known &= m[i].pid != pid;	/* what is left of an earlier one is not looked at */
			task_rec(&w, PP_FORK, 0, pid, ppid, tid, FIRST + by);
			m[t].pid = pid;
			m[t].known = true;
			m[t].ended = m[by].ended = false;
		} else if (op < 9) {
			task_rec(&w, PP_EXIT, 0, m[t].pid, 1, tid, 1);
			m[t].ended = true;
		} else if (op < 12 && m[t].known) {
			comm(&w, m[t].pid, tid, "x");
			m[t].ended = false;
		} else if (m[t].known && m[t].pid == tid) {
			comm_by(&w, PP_MISC_COMM_EXEC, tid, tid, "y");
			for (unsigned i = 0; i < TIDS; i++)
				m[i].ended |= m[i].known && m[i].pid == tid;
			m[t].ended = false;
		}
		for (unsigned i = 0; i < TIDS; i++)
			if (m[i].known && (pp_state_task(w.s, FIRST + i) ? ended(&w, FIRST + i) != m[i].ended : !m[i].ended))
				fail_msg("step %d, thread %u: not %d", step, FIRST + i, m[i].ended);
	}
	pp_state_free(w.s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exits), cmocka_unit_test(thread_execs), cmocka_unit_test(shown_alive), cmocka_unit_test(ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

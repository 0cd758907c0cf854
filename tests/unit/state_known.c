/* SPDX-License-Identifier: ISC */
/* pp_state_knows(): a record that was fed is known until another takes its place; one that differs anywhere is not. */
#include "state_bench.h"

enum { TRAILER = 16 };

/*
 * What was put together is not known.  It is fed; then it is known, with any bytes of trailer, and no record is known that differs
 * from it in one byte behind the header, or of its `n' last ones, which are behind the end of a text.
 */
static void
learns(struct bench *w, size_t n)
{
	assert_false(known(w));
	memset(w->b + w->n, 'y', TRAILER);
	w->n += TRAILER;
	w->trailer = TRAILER;
	feed(w, 0);
	assert_true(known(w));
	memset(w->b + w->n - TRAILER, 'x', TRAILER);
	assert_true(known(w));
	for (size_t i = PP_HEADER_SIZE; i < w->n - TRAILER - n; i++) {
		w->b[i] ^= 0x10;
		if (known(w))
			fail_msg("type %u: byte %zu", (unsigned)w->b[w->swap ? 3 : 0], i);
		w->b[i] ^= 0x10;
	}
	assert_true(known(w));
	w->trailer = 0;
	w->n -= TRAILER;
	assert_true(known(w));
}

/* With another misc it is not known, and not if it ends in the middle of its trailer. */
static void
not_with(struct bench *w, uint16_t misc)
{
	uint16_t was = pp_get_u16(w->b + 4, w->swap);

	pp_set_u16(w->b + 4, misc, w->swap);
	assert_false(known(w));
	pp_set_u16(w->b + 4, was, w->swap);
	assert_true(known(w));
	w->trailer = w->n + 1;
	assert_false(known(w));
	w->trailer = 0;
}

/* Nor with more behind it. */
static void
not_longer(struct bench *w)
{
	memset(w->b + w->n, 0, 8);
	w->n += 8;
	assert_false(known(w));
	w->n -= 8;
	assert_true(known(w));
}

static void
make_cgroup(struct bench *w, uint64_t id)
{
	begin(w, PP_CGROUP, 0);
	put(w, id, 8);
	text(w, "/a/of/b");
}

static void
make_ksymbol(struct bench *w, uint64_t addr)
{
	begin(w, PP_KSYMBOL, 0);
	put(w, addr, 8);
	put(w, 64, 4);
	put(w, 1, 2);
	put(w, 0, 2);
	text(w, "bpf_pro");
}

static void
make_poke(struct bench *w, uint64_t addr)
{
	begin(w, PP_TEXT_POKE, 0);
	put(w, addr, 8);
	put(w, 1, 2);
	put(w, 1, 2);
	put(w, 0xcc90, 4);
}

static void
make_bpf(struct bench *w, unsigned id)
{
	begin(w, PP_BPF_EVENT, 0);
	put(w, 1, 2);
	put(w, 0, 2);
	put(w, id, 4);
	put(w, 0x0102030405060708, 8);
}

/* Records that are kept as they are, and of which only the last of a key is. */
static void
kept(void **state)
{
	static void (*const make[])(struct bench *, uint64_t) = { make_cgroup, make_ksymbol, make_poke };
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		open_bench(&w, swap);
		for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
			make[i](&w, 0xffffffffc0100000);
			learns(&w, 0);
			not_with(&w, PP_MISC_KERNEL);
			not_longer(&w);
			make[i](&w, 0xffffffffc0200000);
			assert_false(known(&w));
		}
		make_bpf(&w, 7);
		learns(&w, 0);
		not_with(&w, PP_MISC_KERNEL);
		pp_set_u16(w.b + 8, 2, swap);		/* BPF is unloaded: nothing is kept of it */
		feed(&w, 0);
		assert_false(known(&w));
		make_bpf(&w, 7);
		assert_false(known(&w));
		make_map(&w, PP_MISC_KERNEL, UINT32_MAX, 0, 0xffffffff81000000, 0x1000, 0, "_stext\0");
		learns(&w, 0);
		not_with(&w, PP_MISC_HYPERVISOR);
		make_map(&w, PP_MISC_GUEST_KERNEL, 5, 0, 0xffffffff81000000, 0x1000, 0, "_stext\0");
		learns(&w, 0);
		make_cgroup(&w, 0xffffffffc0100000);	/* all that is still there */
		assert_true(known(&w));
		pp_state_free(w.s);
	}
}

/* Put the maps and names of a process together, which another process may get. */
static void
names(void **state)
{
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		open_bench(&w, swap);
		make_comm(&w, 0, 10, 10, "sh");
		learns(&w, 5);
		make_comm(&w, 0, 10, 10, "s");
		assert_false(known(&w));
		make_comm(&w, 0, 10, 10, "sh is longer");
		assert_false(known(&w));
		make_comm(&w, 0, 10, 11, "sh");		/* a thread that is not known, or of another process */
		assert_false(known(&w));
		make_comm(&w, 0, 20, 10, "sh");
		assert_false(known(&w));
		make_comm(&w, PP_MISC_COMM_EXEC, 10, 10, "sh");
		assert_true(known(&w));
		make_comm(&w, 0, 11, 11, "eightlet");
		w.n -= 8;			/* no NUL between the name and the trailer */
		learns(&w, 0);
		task_rec(&w, PP_EXIT, 0, 10, 1, 10, 1);
		make_comm(&w, PP_MISC_COMM_EXEC, 10, 10, "sh");	/* which shows it alive */
		assert_false(known(&w));
		make_comm(&w, 0, 10, 10, "sh");
		assert_true(known(&w));
		task_rec(&w, PP_FORK, 0, 10, 30, 12, 30);	/* the pid is another process's now */
		assert_int_equal(pp_state_task(w.s, 10)->pid, 10);
		make_comm(&w, 0, 10, 10, "sh");
		assert_false(known(&w));
		map_by(&w, 2, 40, 40, 0x1000, 0x1000, 0, "a");	/* a thread without a name */
		make_comm(&w, 0, 40, 40, "");
		assert_false(known(&w));
		feed(&w, 0);
		assert_true(known(&w));
		pp_state_free(w.s);
	}
}

static void
make_namespaces(struct bench *w, unsigned n, uint32_t tid)
{
	begin(w, PP_NAMESPACES, 0);
	put(w, 10, 4);
	put(w, tid, 4);
	put(w, n, 8);
	for (unsigned i = 0; i < n; i++) {
		put(w, 4, 8);
		put(w, 4711 + i, 8);
	}
}

static void
namespaces(void **state)
{
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		open_bench(&w, swap);
		make_namespaces(&w, 2, 10);
		learns(&w, 0);
		not_longer(&w);
		make_namespaces(&w, 1, 10);
		assert_false(known(&w));
		make_namespaces(&w, 3, 10);
		assert_false(known(&w));
		comm(&w, 10, 11, "x");
		make_namespaces(&w, 2, 11);
		assert_false(known(&w));
		pp_state_free(w.s);
	}
}

static void
make_mmap2(struct bench *w, uint16_t misc)
{
	begin(w, PP_MMAP2, misc);
	put(w, 10, 4);
	put(w, 10, 4);
	put(w, 0x7000, 8);
	put(w, 0x1000, 8);
	put(w, 0x3000, 8);
	put(w, 8, 4);
	put(w, 1, 4);
	put(w, 4711, 8);
	put(w, 3, 8);
	put(w, 5, 4);
	put(w, 2, 4);
	text(w, "/bin/ls");
}

/* A map is known as long as it is whole, and where its process has it. */
static void
maps(void **state)
{
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		open_bench(&w, swap);
		make_map(&w, 2, 10, 10, 0x1000, 0x3000, 0x5000, "/bin/sh");
		learns(&w, 0);
		not_with(&w, 2 | PP_MISC_MMAP_DATA);
		make_map(&w, 2, 10, 10, 0x1000, 0x3000, 0x5000, "/bin/s");
		assert_false(known(&w));
		make_map(&w, 2, 10, 10, 0x1000, 0x3000, 0x5000, "/bin/sh.distrib");
		assert_false(known(&w));
		make_map(&w, 2, 10, 10, 0x5000, 0x1000, 0x5000, "eightlet");
		w.n -= 8;
		learns(&w, 0);
		make_mmap2(&w, 2);
		learns(&w, 0);
		not_with(&w, 2 | PP_MISC_MMAP_DATA);
		map_at(&w, 2, 10, 0x7000, 0x1000, 0x3000, "/bin/ls");	/* the same but for what an MMAP does not say */
		make_mmap2(&w, 2);
		assert_false(known(&w));
		map_at(&w, 2, 10, 0x3000, 0x1000, 0, "over");		/* the end of the first one */
		make_map(&w, 2, 10, 10, 0x1000, 0x3000, 0x5000, "/bin/sh");
		assert_false(known(&w));
		make_map(&w, 2, 10, 10, 0x1000, 0x2000, 0x5000, "/bin/sh");
		assert_true(known(&w));
		comm(&w, 10, 11, "thread");
		make_map(&w, 2, 10, 11, 0x1000, 0x2000, 0x5000, "/bin/sh");
		assert_true(known(&w));
		make_map(&w, 2, 10, 12, 0x1000, 0x2000, 0x5000, "/bin/sh");
		assert_false(known(&w));
		make_map(&w, 2, 20, 11, 0x1000, 0x2000, 0x5000, "/bin/sh");
		assert_false(known(&w));
		task_rec(&w, PP_FORK, 0, 20, 10, 20, 10);
		make_map(&w, 2, 20, 20, 0x1000, 0x2000, 0x5000, "/bin/sh");
		assert_true(known(&w));
		task_rec(&w, PP_FORK, 0, 10, 30, 12, 30);		/* the pid is another process's now, which has no maps */
		make_map(&w, 2, 10, 10, 0x1000, 0x2000, 0x5000, "/bin/sh");
		assert_false(known(&w));
		pp_state_free(w.s);
	}
}

/* Of a FORK: is the task known as its child?  Of an EXIT: does the task live no more? */
static void
lives(void **state)
{
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		open_bench(&w, swap);
		comm(&w, 10, 10, "sh");
		make_task(&w, PP_FORK, 0, 20, 10, 20, 10);
		assert_false(known(&w));
		feed(&w, 0);
		assert_true(known(&w));
		make_task(&w, PP_FORK, 0, 20, 11, 20, 10);
		assert_false(known(&w));
		make_task(&w, PP_FORK, 0, 21, 10, 20, 10);
		assert_false(known(&w));
		make_task(&w, PP_FORK, 0, 20, 10, 21, 10);
		assert_false(known(&w));
		make_task(&w, PP_FORK, PP_MISC_FORK_EXEC, 20, 10, 20, 10);
		assert_false(known(&w));
		make_task(&w, PP_EXIT, 0, 20, 10, 20, 10);
		assert_false(known(&w));
		feed(&w, 0);
		assert_true(known(&w));
		make_task(&w, PP_FORK, 0, 20, 10, 20, 10);
		assert_true(known(&w));
		make_task(&w, PP_EXIT, 0, 4711, 1, 4711, 1);		/* was never there */
		assert_true(known(&w));
		task_rec(&w, PP_FORK, 0, 20, 30, 12, 30);		/* the pid is another process's now */
		make_task(&w, PP_FORK, 0, 20, 10, 20, 10);
		assert_false(known(&w));
		begin(&w, PP_ITRACE_START, 0);				/* is not of the state */
		put(&w, 10, 4);
		put(&w, 10, 4);
		assert_false(known(&w));
		pp_state_free(w.s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept), cmocka_unit_test(names), cmocka_unit_test(namespaces), cmocka_unit_test(maps), cmocka_unit_test(lives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

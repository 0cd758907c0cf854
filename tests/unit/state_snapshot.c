/* SPDX-License-Identifier: ISC */
/* The state as records, and as a reader of them has it then. */
#include "record/raw.h"
#include "state_bench.h"

struct written {
	struct pp_state	*from, *to;	/* to: fed with what is written */
	bool		 swap;
	uint8_t		 bytes[1 << 20];
	size_t		 n;
};

static int
take_written(void *arg, const struct pp_rec *r)
{
	static const uint8_t zeros[16];
	struct written *w = arg;
	struct pp_err err = { .what = "" };

	assert_int_equal(pp_get_u32(r->raw, w->swap), r->type);
	assert_int_equal(pp_get_u16(r->raw + 4, w->swap), r->misc);
	assert_int_equal(pp_get_u16(r->raw + 6, w->swap), r->size);
	assert_int_equal(r->size % 8, 0);
	assert_int_equal(pp_check(r, w->swap, &err), 1);
	assert_memory_equal(r->raw + r->size - sizeof zeros, zeros, sizeof zeros);
	assert_true(pp_state_knows(w->from, r, sizeof zeros));
	if (w->to)
		assert_int_equal(pp_state_feed(w->to, r, sizeof zeros), 1);
	if (r->type == PP_EXIT)		/* with the parent, which is not written otherwise */
		return 1;
	assert_true(w->n + r->size <= sizeof w->bytes);
	memcpy(w->bytes + w->n, r->raw, r->size);
	w->n += r->size;
	return 1;
}

static void
some_records(struct bench *w)
{
	comm(w, 10, 10, "sh");
	map_at(w, 2, 10, 0x1000, 0x8000, 0, "/bin/sh");
	map_at(w, PP_MISC_KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000, 0, "[kernel.kallsyms]_text");
	map_at(w, PP_MISC_GUEST_KERNEL, 5, 0xffffffff81000000, 0x1000, 0, "[guest.kernel.kallsyms]");
	task_rec(w, PP_FORK, 0, 11, 10, 11, 10);
	map_at(w, 2, 11, 0x3000, 0x1000, 0x700, "/lib/x");	/* three maps are left of two */
	task_rec(w, PP_FORK, 0, 11, 11, 12, 11);
	comm(w, 11, 12, "worker");
	task_rec(w, PP_EXIT, 0, 11, 11, 12, 11);
	task_rec(w, PP_FORK, 0, 20, 10, 20, 10);
	task_rec(w, PP_FORK, 0, 20, 20, 21, 20);
	task_rec(w, PP_FORK, 0, 20, 10, 20, 10);		/* thread 21 is left of an earlier process */
	map_at(w, 2, 20, 0x9000, 0x1000, 0, "/lib/y");
	begin(w, PP_MMAP2, 2);
	put(w, 20, 4);
	put(w, 20, 4);
	put(w, 0x1000, 8);
	put(w, 0x1000, 8);
	put(w, 0x7000, 8);
	put(w, 8, 4);
	put(w, 1, 4);
	put(w, 4711, 8);
	put(w, 3, 8);
	put(w, 5, 4);
	put(w, 2, 4);
	text(w, "/bin/ls");
	feed(w, 0);
	comm(w, 30, 30, "go");
	task_rec(w, PP_FORK, 0, 30, 30, 31, 30);
	task_rec(w, PP_EXIT, 0, 30, 1, 30, 1);
	comm_by(w, PP_MISC_COMM_EXEC, 30, 30, "execed");	/* it was 31 */
	comm(w, 40, 40, "go");
	task_rec(w, PP_FORK, 0, 40, 40, 41, 40);
	task_rec(w, PP_EXIT, 0, 40, 1, 40, 1);
	begin(w, PP_NAMESPACES, 0);
	put(w, 10, 4);
	put(w, 10, 4);
	put(w, 1, 8);
	put(w, 3, 8);
	put(w, 4711, 8);
	feed(w, 0);
	begin(w, PP_CGROUP, 0);
	put(w, 99, 8);
	text(w, "/system");
	feed(w, 0);
	for (unsigned unregister = 0; unregister < 2; unregister++)
		for (unsigned i = 0; i < 3 - unregister; i++) {
			begin(w, PP_KSYMBOL, 0);
			put(w, 0xffffffffc0000000 + (i << 12), 8);
			put(w, 64, 4);
			put(w, 1, 2);
			put(w, unregister, 2);
			text(w, "bpf_prog");
			feed(w, 0);
		}
}

/* What is written makes the same state, of which the same is written; the state knows all of it. */
static void
snapshot(void **state)
{
	static struct written first, second;
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		open_bench(&w, swap);
		some_records(&w);
		first = (struct written){ .from = w.s, .to = pp_state_new(swap, &w.err), .swap = swap };
		second = (struct written){ .from = first.to, .swap = swap };
		assert_int_equal(pp_state_write(w.s, 16, take_written, &first), 1);
		assert_int_equal(pp_state_write(first.to, 16, take_written, &second), 1);
		assert_int_equal(first.n, second.n);
		assert_memory_equal(first.bytes, second.bytes, first.n);
		pp_state_free(w.s);
		w.s = first.to;
		assert_string_equal(comm_of(&w, 11), "sh");
		assert_string_equal(comm_of(&w, 12), "worker");
		assert_true(pp_state_task(w.s, 12)->ended);
		assert_string_equal(at(&w, 11, 0x2000), "/bin/sh+1000");
		assert_string_equal(at(&w, 11, 0x3000), "/lib/x+700");
		assert_string_equal(at(&w, 11, 0x4000), "/bin/sh+3000");
		assert_string_equal(at(&w, 10, 0x3000), "/bin/sh+2000");
		assert_string_equal(at(&w, 20, 0x9000), "/lib/y+0");
		assert_string_equal(at(&w, 20, 0x1000), "/bin/ls+7000");
		assert_int_equal(pp_state_dso(w.s, pp_state_map(w.s, 20, PP_MISC_USER, 0x1000))->ino, 4711);
		assert_int_equal(pp_state_prot(w.s, pp_state_map(w.s, 20, PP_MISC_USER, 0x1000)), 5);
		assert_null(pp_state_task(w.s, 21));
		assert_string_equal(comm_of(&w, 30), "execed");
		assert_false(ended(&w, 30));
		assert_true(ended(&w, 31));
		assert_true(ended(&w, 40));
		assert_false(ended(&w, 41));
		assert_string_equal(pp_state_cgroup(w.s, 99), "/system");
		assert_non_null(pp_state_map(w.s, 1, PP_MISC_KERNEL, 0xffffffff81000000));
		pp_state_free(w.s);
	}
}

/* A snapshot lets go of files that no map uses any more. */
static void
snapshot_frees(void **state)
{
	enum { FILES = 500 };
	static struct written first;
	struct bench w;
	size_t was;

	(void)state;
	open_bench(&w, false);
	for (unsigned i = 0; i < FILES; i++) {
		char name[32];

		snprintf(name, sizeof name, "/lib/of-some-length-%u", i);
		map_at(&w, 2, 10, 0x1000, 0x1000, 0, name);
	}
	was = pp_state_memory(w.s);
	first = (struct written){ .from = w.s, .to = pp_state_new(false, &w.err) };
	assert_int_equal(pp_state_write(w.s, 16, take_written, &first), 1);
	assert_in_range(pp_state_memory(w.s), 1, was - (FILES - 1) * sizeof "/lib/of-some-length-");
	assert_string_equal(at(&w, 10, 0x1000), "/lib/of-some-length-499+0");
	pp_state_free(first.to);
	pp_state_free(w.s);
}

/* Processes are written in the order in which they appeared, whatever places those had that were forgotten. */
static void
snapshot_order(void **state)
{
	enum { MANY = 300, KEPT = 256, FIRST = 1000, NEW = 8 };
	static const uint32_t pids[NEW] = { 70, 4, 60, 5, 50, 6, 40, 7 };
	static struct written first;
	struct bench w;
	size_t n = 0;

	(void)state;
	open_bench(&w, false);
	for (uint32_t i = 0; i < MANY; i++)
		comm(&w, FIRST + i, FIRST + i, "x");
	for (uint32_t i = 0; i < MANY; i++)		/* so the first ones are forgotten */
		task_rec(&w, PP_EXIT, 0, FIRST + i, 1, FIRST + i, 1);
	for (size_t i = 0; i < NEW; i++)
		comm(&w, pids[i], pids[i], "new");
	first = (struct written){ .from = w.s };
	assert_int_equal(pp_state_write(w.s, 16, take_written, &first), 1);
	for (size_t at = 0; at < first.n; at += pp_get_u16(first.bytes + at + 6, false), n++)
		assert_int_equal(pp_get_u32(first.bytes + at + PP_RAW_AT(COMM, pid), false), n < KEPT ? FIRST + MANY - KEPT + n : pids[n - KEPT]);
	assert_int_equal(n, KEPT + NEW);
	pp_state_free(w.s);
}

/* A KSYMBOL alone: there are addresses, and no files. */
static void
snapshot_symbol(void **state)
{
	static struct written first;
	struct bench w;

	(void)state;
	open_bench(&w, false);
	begin(&w, PP_KSYMBOL, 0);
	put(&w, 0xffffffffc0000000, 8);
	put(&w, 64, 4);
	put(&w, 1, 2);
	put(&w, 0, 2);
	text(&w, "bpf_prog");
	feed(&w, 0);
	first = (struct written){ .from = w.s };
	assert_int_equal(pp_state_write(w.s, 16, take_written, &first), 1);
	assert_int_equal(first.n, w.n + 16);
	assert_string_equal(pp_state_ksymbol(w.s, 0xffffffffc000003f), "bpf_prog");
	assert_null(pp_state_ksymbol(w.s, 0xffffffffc0000040));
	pp_state_free(w.s);
}

/* Another process has the pid of the forker, of which the first thread is left. */
static void
forker_not_listed(void **state)
{
	static struct written first;
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		open_bench(&w, swap);
		comm(&w, 10, 10, "sh");
		map_at(&w, 2, 10, 0x1000, 0x8000, 0x500, "/bin/sh");
		task_rec(&w, PP_FORK, 0, 20, 10, 20, 10);
		task_rec(&w, PP_FORK, 0, 10, 30, 12, 30);
		assert_int_equal(pp_state_task(w.s, 10)->pid, 10);
		assert_null(pp_state_forker(w.s, pp_state_process(w.s, 20)));
		first = (struct written){ .from = w.s, .to = pp_state_new(swap, &w.err), .swap = swap };
		assert_int_equal(pp_state_write(w.s, 16, take_written, &first), 1);
		pp_state_free(w.s);
		w.s = first.to;
		assert_string_equal(at(&w, 20, 0x1000), "/bin/sh+500");
		assert_string_equal(at(&w, 10, 0x1000), "-");
		pp_state_free(w.s);
	}
}

static int
counted(void *arg, const struct pp_rec *r)
{
	unsigned *calls = arg;

	(void)r;
	return ++calls[0] == calls[1] ? -1 : 1;
}

/* Where put() fails, that is the end, and it is said. */
static void
put_fails(void **state)
{
	unsigned calls[2] = { 0, 1000 }, n;
	struct bench w;

	(void)state;
	open_bench(&w, false);
	some_records(&w);
	assert_int_equal(pp_state_write(w.s, 0, counted, calls), 1);
	assert_true((n = calls[0]) > 20);
	for (unsigned at = 1; at <= n + 1; at++) {
		calls[0] = 0;
		calls[1] = at;
		assert_int_equal(pp_state_write(w.s, 0, counted, calls), at <= n ? -1 : 1);
		assert_int_equal(calls[0], at <= n ? at : n);
	}
	pp_state_free(w.s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(snapshot), cmocka_unit_test(snapshot_frees), cmocka_unit_test(snapshot_order),
		cmocka_unit_test(snapshot_symbol), cmocka_unit_test(forker_not_listed), cmocka_unit_test(put_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

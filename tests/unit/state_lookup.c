/* SPDX-License-Identifier: ISC */
/* What is looked up in the state: names of any length, files, symbols, namespaces; and how much memory they take. */
#include "record/raw.h"
#include "state_bench.h"

enum { TRAILER = 16 };

/* Feed what was put together, with a trailer that looks like text. */
static void
feed_with_trailer(struct bench *w)
{
	memset(w->b + w->n, 'y', TRAILER);
	w->n += TRAILER;
	w->trailer = TRAILER;
	feed(w, 0);
	w->trailer = 0;
	assert_int_equal(w->rc, 1);
}

static void
names(void **state)
{
	enum { LONGEST = 60 };
	char name[LONGEST + 1];
	struct bench w;
	size_t was;

	(void)state;
	open_bench(&w, false);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned n = 0; n <= LONGEST; n++) {		/* each is another task's, and some have the same beginning */
			memset(name, 'a', n);
			name[n] = '\0';
			comm(&w, 100 + n, 100 + n, name);
			memset(name, n % 2 ? 'b' : 'a', n / 2);
			comm(&w, 200 + n, 200 + n, name);
		}
		for (unsigned n = 0; n <= LONGEST; n++) {
			memset(name, 'a', n);
			name[n] = '\0';
			assert_string_equal(comm_of(&w, 100 + n), name);
			assert_int_equal(pp_task_comm(w.s, pp_state_task(w.s, 100 + n))->len, n);
			memset(name, n % 2 ? 'b' : 'a', n / 2);
			assert_string_equal(comm_of(&w, 200 + n), name);
		}
	}
	assert_ptr_equal(pp_task_comm(w.s, pp_state_task(w.s, 104)), pp_task_comm(w.s, pp_state_task(w.s, 204)));	/* one name */
	was = pp_state_memory(w.s);
	memset(name, 'c', LONGEST);
	name[LONGEST] = '\0';
	comm(&w, 100, 100, name);
	assert_in_range(pp_state_memory(w.s), was + LONGEST + 1, was + LONGEST + 1 + 32);
	for (unsigned i = 0; i < 3; i++)		/* which others get */
		task_rec(&w, PP_FORK, 0, 101, 100, 101, 100);
	assert_string_equal(comm_of(&w, 101), name);
	comm(&w, 101, 101, "a");
	comm(&w, 100, 100, "");
	assert_int_equal(pp_state_memory(w.s), was);
	for (unsigned n = 0; n <= LONGEST; n++) {		/* no task has them any more */
		comm(&w, 100 + n, 100 + n, "a");
		comm(&w, 200 + n, 200 + n, "a");
	}
	assert_in_range(pp_state_memory(w.s), was - LONGEST * (LONGEST + 100), was - LONGEST * LONGEST / 2);
	pp_state_free(w.s);
}

/* A text in a record ends at its NUL, or where the trailer begins. */
static void
no_nul(void **state)
{
	struct bench w;

	(void)state;
	open_bench(&w, false);
	make_comm(&w, 0, 10, 10, "eightlet");
	w.n -= 8;
	feed_with_trailer(&w);
	assert_string_equal(comm_of(&w, 10), "eightlet");
	make_map(&w, 2, 10, 10, 0x1000, 0x1000, 0, "eightlet");
	w.n -= 8;
	feed_with_trailer(&w);
	assert_string_equal(at(&w, 10, 0x1000), "eightlet+0");
	begin(&w, PP_CGROUP, 0);
	put(&w, 7, 8);
	text(&w, "/cgroups");
	w.n -= 8;
	feed_with_trailer(&w);
	assert_string_equal(pp_state_cgroup(w.s, 7), "/cgroups");
	assert_null(pp_state_cgroup(w.s, 8));
	pp_state_free(w.s);
}

static void
bpf(struct bench *w, unsigned id, unsigned type)
{
	begin(w, PP_BPF_EVENT, 0);
	put(w, type, 2);
	put(w, 0, 2);
	put(w, id, 4);
	put(w, 0, 8);
	feed(w, 0);
}

static void
ksymbol(struct bench *w, uint64_t addr, uint32_t len, unsigned flags, const char *name)
{
	begin(w, PP_KSYMBOL, 0);
	put(w, addr, 8);
	put(w, len, 4);
	put(w, 1, 2);
	put(w, flags, 2);
	text(w, name);
	feed(w, 0);
}

/* A record that is kept counts until another takes its place. */
static void
memory_of_kept(void **state)
{
	struct bench w;
	size_t was, one;

	(void)state;
	open_bench(&w, false);
	was = pp_state_memory(w.s);
	bpf(&w, 1, 1);
	one = pp_state_memory(w.s) - was;
	assert_in_range(one, w.n, w.n + 100);
	bpf(&w, 2, 1);
	assert_int_equal(pp_state_memory(w.s), was + 2 * one);
	bpf(&w, 2, 1);
	assert_int_equal(pp_state_memory(w.s), was + 2 * one);
	bpf(&w, 1, 2);
	assert_int_equal(pp_state_memory(w.s), was + one);
	bpf(&w, 3, 2);
	bpf(&w, 2, 2);
	assert_int_equal(pp_state_memory(w.s), was);
	pp_state_free(w.s);
}

static void
symbols(void **state)
{
	enum { UNREGISTER = 1 };
	const uint64_t a = 0xffffffffc0001000;
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		open_bench(&w, swap);
		ksymbol(&w, a, 64, 0, "one");
		ksymbol(&w, a + 64, 64, 0, "two");
		assert_null(pp_state_ksymbol(w.s, a - 1));
		assert_string_equal(pp_state_ksymbol(w.s, a), "one");
		assert_string_equal(pp_state_ksymbol(w.s, a + 63), "one");
		assert_string_equal(pp_state_ksymbol(w.s, a + 64), "two");
		assert_string_equal(pp_state_ksymbol(w.s, a + 127), "two");
		assert_null(pp_state_ksymbol(w.s, a + 128));
		ksymbol(&w, a + 16, 16, 0, "between");		/* what is behind it is still the first one */
		assert_string_equal(pp_state_ksymbol(w.s, a + 15), "one");
		assert_string_equal(pp_state_ksymbol(w.s, a + 16), "between");
		assert_string_equal(pp_state_ksymbol(w.s, a + 32), "one");
		ksymbol(&w, a, 64, UNREGISTER, "one");
		assert_null(pp_state_ksymbol(w.s, a));
		assert_null(pp_state_ksymbol(w.s, a + 32));
		assert_string_equal(pp_state_ksymbol(w.s, a + 16), "between");
		ksymbol(&w, a, 8, 0, "again");			/* and shorter */
		assert_string_equal(pp_state_ksymbol(w.s, a + 7), "again");
		assert_null(pp_state_ksymbol(w.s, a + 8));
		ksymbol(&w, a + 4096, 0, 0, "empty");
		assert_null(pp_state_ksymbol(w.s, a + 4096));
		ksymbol(&w, UINT64_MAX - 63, 64, 0, "last");
		assert_string_equal(pp_state_ksymbol(w.s, UINT64_MAX - 63), "last");
		assert_string_equal(pp_state_ksymbol(w.s, UINT64_MAX - 1), "last");
		pp_state_free(w.s);
	}
}

static void
namespaces(struct bench *w, uint64_t says, unsigned n)
{
	begin(w, PP_NAMESPACES, 0);
	put(w, 10, 4);
	put(w, 10, 4);
	put(w, says, 8);
	for (unsigned i = 0; i < n; i++) {
		put(w, 100 + i, 8);
		put(w, 4711 + i, 8);
	}
	feed(w, 0);
}

static void
namespaces_of(void **state)
{
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		open_bench(&w, swap);
		assert_int_equal(pp_state_namespace(w.s, 10, PP_NS_NET), 0);
		comm(&w, 10, 10, "sh");
		assert_int_equal(pp_state_namespace(w.s, 10, PP_NS_NET), 0);
		for (unsigned n = 0; n <= PP_NS_CGROUP + 1; n++)
			for (unsigned says = 0; says <= PP_NS_CGROUP + 2; says++) {
				namespaces(&w, says, n);
				for (unsigned i = PP_NS_NET; i <= PP_NS_CGROUP; i++)
					assert_int_equal(pp_state_namespace(w.s, 10, i), i < n && i < says ? 4711 + i : 0);
			}
		namespaces(&w, UINT64_MAX, 3);
		assert_int_equal(pp_state_namespace(w.s, 10, PP_NS_IPC), 4713);
		pp_state_free(w.s);
	}
}

/* ---- maps ------------------------------------------------------------------------------------------------ */

/* Of the kernel without addresses it is all of it; of one with an address or a size it is not. */
static void
whole_kernel(void **state)
{
	struct bench w;

	(void)state;
	open_bench(&w, false);
	map_at(&w, PP_MISC_KERNEL, UINT32_MAX, 0, 0x1000, 0, "[kernel.kallsyms]");
	assert_non_null(pp_state_map(w.s, 0, PP_MISC_KERNEL, 0xfff));
	assert_null(pp_state_map(w.s, 0, PP_MISC_KERNEL, 0x1000));
	map_at(&w, PP_MISC_KERNEL, UINT32_MAX, 0x5000, 0, 0, "[empty]");
	assert_null(pp_state_map(w.s, 0, PP_MISC_KERNEL, 0x5000));
	map_at(&w, PP_MISC_HYPERVISOR, UINT32_MAX, 0, 0, 0, "[hypervisor]");
	assert_int_equal(w.rc, 1);
	assert_null(pp_state_map(w.s, 0, PP_MISC_KERNEL, 0x5000));
	map_at(&w, PP_MISC_KERNEL, UINT32_MAX, 0, 0, 0, "[kernel.kallsyms]");
	assert_non_null(pp_state_map(w.s, 0, PP_MISC_KERNEL, UINT64_MAX - 1));
	pp_state_free(w.s);
}

/* A map that would go on behind the end of the address space goes up to it. */
static void
to_the_end(void **state)
{
	struct bench w;

	(void)state;
	open_bench(&w, false);
	map_at(&w, 2, 10, 0x1000, 0x8000, 0, "old");
	map_at(&w, 2, 10, 0x5000, UINT64_MAX, 0, "all");
	assert_string_equal(at(&w, 10, 0x4fff), "old+3fff");
	assert_string_equal(at(&w, 10, 0x5000), "all+0");
	assert_string_equal(at(&w, 10, 0x9000), "all+4000");
	assert_string_equal(at(&w, 10, UINT64_MAX - 1), "all+ffffffffffffaffe");
	map_at(&w, 2, 10, 0x6000, 0x1000, 0, "new");
	assert_string_equal(at(&w, 10, 0x5fff), "all+fff");
	assert_string_equal(at(&w, 10, 0x6000), "new+0");
	assert_string_equal(at(&w, 10, 0x7000), "all+2000");
	pp_state_free(w.s);
}

/* Of a process of which a thread has not ended. */
static void
living(void **state)
{
	struct bench w;

	(void)state;
	open_bench(&w, false);
	map_at(&w, PP_MISC_KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000, 0, "[kernel.kallsyms]");
	map_at(&w, 2, 10, 0x1000, 0x1000, 0, "a");
	comm(&w, 10, 11, "thread");
	assert_non_null(pp_state_map_of_living(w.s, 10, PP_MISC_USER, 0x1000));
	assert_null(pp_state_map_of_living(w.s, 10, PP_MISC_USER, 0x2000));
	assert_null(pp_state_map_of_living(w.s, 11, PP_MISC_USER, 0x1000));
	assert_non_null(pp_state_map_of_living(w.s, 4711, PP_MISC_KERNEL, 0xffffffff81000000));
	assert_null(pp_state_map_of_living(w.s, 10, PP_MISC_HYPERVISOR, 0x1000));
	task_rec(&w, PP_EXIT, 0, 10, 1, 10, 1);
	assert_non_null(pp_state_map_of_living(w.s, 10, PP_MISC_USER, 0x1000));
	task_rec(&w, PP_EXIT, 0, 10, 10, 11, 10);
	assert_null(pp_state_map_of_living(w.s, 10, PP_MISC_USER, 0x1000));
	assert_non_null(pp_state_map(w.s, 10, PP_MISC_USER, 0x1000));
	pp_state_free(w.s);
}

static int
count_task(void *arg, struct pp_task *t)
{
	uint32_t *tids = arg;			/* tids[0]: how many; [1]: at which it fails */

	tids[2 + tids[0]++] = t->tid;
	return tids[0] == tids[1] ? -1 : 1;
}

/* Threads of a process, the first one in front, until the function fails. */
static void
each_task(void **state)
{
	static const uint32_t all[] = { 10, 13, 11, 12 };
	struct bench w;

	(void)state;
	open_bench(&w, false);
	comm(&w, 10, 13, "x");
	comm(&w, 10, 11, "x");
	comm(&w, 20, 14, "x");
	for (unsigned first = 0; first < 2; first++) {
		for (uint32_t at = 1; at <= 5; at++) {
			uint32_t tids[2 + 5] = { 0, at }, n = first ? 4 : 2;

			assert_int_equal(pp_state_each_task(w.s, pp_state_process(w.s, 10), count_task, tids), at <= n ? -1 : 1);
			assert_int_equal(tids[0], at <= n ? at : n);
			for (uint32_t i = 0; i < n && i < at; i++)
				assert_int_equal(tids[2 + i], all[i + !first]);
		}
		comm(&w, 10, 10, "x");
		comm(&w, 10, 12, "x");
	}
	pp_state_free(w.s);
}

static struct pp_rec
make_mmap2(struct bench *w, uint32_t pid, uint32_t prot, uint32_t flags, const char *name)
{
	begin(w, PP_MMAP2, 2);
	put(w, pid, 4);
	put(w, pid, 4);
	put(w, 0x1000, 8);
	put(w, 0x1000, 8);
	put(w, 0, 8);
	for (unsigned i = 0; i < 3; i++)
		put(w, 0, 8);
	put(w, prot, 4);
	put(w, flags, 4);
	text(w, name);
	return (struct pp_rec){ .raw = w->b, .type = PP_MMAP2, .misc = 2, .size = (uint16_t)w->n };
}

/* What perf takes for code that is made at run time. */
static void
jit(void **state)
{
	static const struct { const char *name; bool is; } names_of[] = {
		{ "//anon", true }, { "/dev/zero", true }, { "/dev/zero (deleted)", true }, { "/anon_hugepage (deleted)", true }, { "[stack]", true },
		{ "/SYSV00000000", true }, { "[heap]", true }, { "//ano", false }, { "[vdso]", false }, { "/bin/ls", false }, { "", false },
	};
	static const char raw_name[16] = "//anon";
	enum { HUGETLB = 0x40000 };
	struct bench w;
	struct pp_dso d;
	struct pp_rec r;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		open_bench(&w, swap);
		for (size_t i = 0; i < sizeof names_of / sizeof *names_of; i++)
			for (unsigned prot = 0; prot < 8; prot++)
				for (unsigned huge = 0; huge < 2; huge++) {
					r = make_mmap2(&w, 10, prot, 0xb0000 | huge * HUGETLB, names_of[i].name);
					pp_dso_get(&d, &r, 0, swap);
					assert_int_equal(pp_map_is_jit(&r, &d, swap), prot & 4 && (huge || names_of[i].is));
				}
		make_map(&w, 2, 10, 10, 0x1000, 0x1000, 0, "//anon");	/* one that does not say whether it is code */
		r = (struct pp_rec){ .raw = w.b, .type = PP_MMAP, .misc = 2, .size = (uint16_t)w.n };
		pp_dso_get(&d, &r, 0, swap);
		assert_true(pp_map_is_jit(&r, &d, swap));
		r.misc |= PP_MISC_MMAP_DATA;
		assert_false(pp_map_is_jit(&r, &d, swap));
		r.misc = 2;
		d = (struct pp_dso){ .name = raw_name, .len = 5 };	/* it ends in the middle */
		assert_false(pp_map_is_jit(&r, &d, swap));
		pp_state_free(w.s);
	}
}

static uint32_t
index_at(struct bench *w, uint32_t pid, uint64_t addr)
{
	const struct pp_map *m = pp_state_map(w->s, pid, PP_MISC_USER, addr);

	assert_non_null(m);
	assert_int_equal(pp_state_dso(w->s, m)->index, m->dso);
	return m->dso;
}

/* Maps that are described alike are of one file; code made at run time is of one process. */
static void
files(void **state)
{
	struct bench w;
	uint32_t a;

	(void)state;
	open_bench(&w, false);
	make_mmap2(&w, 10, 5, 2, "/bin/ls");
	feed(&w, 0);
	a = index_at(&w, 10, 0x1000);
	make_mmap2(&w, 20, 5, 2, "/bin/ls");
	feed(&w, 0);
	assert_int_equal(index_at(&w, 20, 0x1000), a);
	make_mmap2(&w, 20, 1, 2, "/bin/ls");
	feed(&w, 0);
	assert_true(index_at(&w, 20, 0x1000) != a);
	assert_int_equal(pp_state_prot(w.s, pp_state_map(w.s, 20, PP_MISC_USER, 0x1000)), 1);
	make_mmap2(&w, 20, 5, 2, "/bin/sl");
	feed(&w, 0);
	assert_true(index_at(&w, 20, 0x1000) != a);
	map_at(&w, 2, 20, 0x1000, 0x1000, 0, "/bin/ls");
	assert_true(index_at(&w, 20, 0x1000) != a);
	a = index_at(&w, 20, 0x1000);
	map_at(&w, 2 | PP_MISC_MMAP_DATA, 20, 0x1000, 0x1000, 0, "/bin/ls");
	assert_true(index_at(&w, 20, 0x1000) != a);

	make_mmap2(&w, 10, 7, 2, "//anon");
	feed(&w, 0);
	a = index_at(&w, 10, 0x1000);
	assert_int_equal(pp_state_dso(w.s, pp_state_map(w.s, 10, PP_MISC_USER, 0x1000))->jit, 10);
	make_mmap2(&w, 20, 7, 2, "//anon");
	feed(&w, 0);
	assert_true(index_at(&w, 20, 0x1000) != a);
	assert_int_equal(pp_state_dso(w.s, pp_state_map(w.s, 20, PP_MISC_USER, 0x1000))->jit, 20);
	map_at(&w, PP_MISC_KERNEL, UINT32_MAX, 0x1000, 0x1000, 0, "//anon");
	assert_int_equal(pp_state_dso(w.s, pp_state_map(w.s, 20, PP_MISC_KERNEL, 0x1000))->jit, 0);
	make_mmap2(&w, 20, 3, 2, "//anon");
	feed(&w, 0);
	assert_int_equal(pp_state_dso(w.s, pp_state_map(w.s, 20, PP_MISC_USER, 0x1000))->jit, 0);
	pp_state_free(w.s);
}

static void
numbered(struct bench *w, uint64_t addr, unsigned n)
{
	char name[32];

	snprintf(name, sizeof name, "/lib/%u", n);
	map_at(w, 2, 10, addr, 0x1000, 0, name);
}

/* Files that no map uses are freed when there are many; what is known of one by its index is forgotten then. */
static void
unused_files(void **state)
{
	enum { MANY = 16384, USED = 10000 };
	unsigned freed = 0, *by = NULL;
	size_t nby = 0, most;
	struct bench w;

	(void)state;
	open_bench(&w, false);
	pp_state_free_files(w.s);
	assert_non_null(by = pp_state_by_file(w.s, by, &nby, &freed, 5, sizeof *by));
	assert_in_range(nby, 6, 1000);
	for (size_t i = 0; i < nby; i++)
		assert_int_equal(by[i], 0);
	by[5] = 77;
	for (unsigned i = 0; i < MANY; i++)
		numbered(&w, 0x1000, i);
	assert_int_equal(pp_state_freed(w.s), 0);
	assert_int_equal(by[5], 77);
	assert_non_null(by = pp_state_by_file(w.s, by, &nby, &freed, nby, sizeof *by));	/* it grows, and keeps what it has */
	assert_int_equal(by[5], 77);
	most = pp_state_memory(w.s);
	numbered(&w, 0x1000, MANY);
	assert_int_equal(pp_state_freed(w.s), 1);
	assert_true(pp_state_memory(w.s) < most / 20);
	assert_string_equal(at(&w, 10, 0x1000), "/lib/16384+0");
	assert_int_equal(index_at(&w, 10, 0x1000), 0);
	assert_non_null(by = pp_state_by_file(w.s, by, &nby, &freed, 0, sizeof *by));
	for (size_t i = 0; i < nby; i++)
		assert_int_equal(by[i], 0);
	assert_int_equal(freed, 1);
	free(by);
	for (unsigned i = 0; i < USED; i++)			/* many that are used, and as many that are not */
		numbered(&w, 0x10000 + 0x1000 * i, i);
	for (unsigned i = 0; pp_state_freed(w.s) == 1 && i < 2 * MANY; i++)
		numbered(&w, 0x1000, USED + i);
	for (unsigned i = 0; i < USED - 100; i++)
		numbered(&w, 0x1000, USED + i);
	assert_int_equal(pp_state_freed(w.s), 2);
	for (unsigned i = 0; i < 200; i++)
		numbered(&w, 0x1000, 2 * USED + i);
	assert_int_equal(pp_state_freed(w.s), 3);
	for (unsigned i = 0; i < USED; i++) {
		char name[32];

		snprintf(name, sizeof name, "/lib/%u+0", i);
		assert_string_equal(at(&w, 10, 0x10000 + 0x1000 * i), name);
	}
	map_at(&w, 2, 10, 0x10000, 0x1000 * USED, 0, "all");	/* none of these is used any more */
	for (unsigned i = 0; i < 2 * USED; i++)
		numbered(&w, 0x1000, 3 * USED + i);
	assert_int_equal(pp_state_freed(w.s), 4);
	assert_in_range(pp_state_memory(w.s), 1, most);
	pp_state_free(w.s);

	open_bench(&w, false);					/* they are not, unless that is asked for */
	for (unsigned i = 0; i < 2 * MANY; i++)
		numbered(&w, 0x1000, i);
	assert_int_equal(pp_state_freed(w.s), 0);
	assert_int_equal(index_at(&w, 10, 0x1000), 2 * MANY - 1);
	pp_state_free(w.s);
}

/* At the limit of memory, too, if there are some: the look at all maps has to be of use. */
static void
limit_frees(void **state)
{
	enum { FEW = 256 };
	struct bench w;
	unsigned n = 0;

	(void)state;
	for (unsigned frees = 0; frees < 2; frees++) {
		open_bench(&w, false);
		if (frees)
			pp_state_free_files(w.s);
		numbered(&w, 0x1000, 0);
		pp_state_limit(w.s, pp_state_memory(w.s) + 100000);
		for (n = 1; n < 10000 && w.rc > 0; n++)
			numbered(&w, 0x1000, n);
		assert_true(frees ? n == 10000 : n < 2000);
		assert_int_equal(w.rc, frees ? 1 : -1);
		if (frees)
			assert_in_range(pp_state_freed(w.s), 10000 / 1500, 10000 / FEW);
		pp_state_free(w.s);
	}
	open_bench(&w, false);
	pp_state_free_files(w.s);
	numbered(&w, 0x1000, 0);
	pp_state_limit(w.s, pp_state_memory(w.s) + 8000);	/* is too small for that */
	for (n = 1; n < 1000 && w.rc > 0; n++)
		numbered(&w, 0x1000, n);
	assert_int_equal(w.rc, -1);
	assert_int_equal(pp_state_freed(w.s), 0);
	assert_int_equal(index_at(&w, 10, 0x1000), n - 1);	/* it is there all the same */
	for (; n <= FEW + 2; n++)
		numbered(&w, 0x1000, n);
	assert_int_equal(pp_state_freed(w.s), 1);
	assert_int_equal(w.rc, 1);
	pp_state_free(w.s);
}

/* Where many files are in use, more of them have to be there than at the last look: an eighth of them, and some. */
static void
limit_looks(void **state)
{
	enum { FEW = 256 };
	struct bench w;

	(void)state;
	for (unsigned used = 100; used <= 2000; used += 950) {
		unsigned more = used / 8 + FEW + 1, first = used > FEW;

		open_bench(&w, false);
		pp_state_free_files(w.s);
		for (unsigned i = 1; i < used; i++)
			numbered(&w, 0x1000 * i, i);
		pp_state_limit(w.s, 1);			/* more than that is in use, whatever is freed */
		numbered(&w, 0x1000 * used, used);
		assert_int_equal(pp_state_freed(w.s), first);
		more = first ? more : FEW + 1 - used;
		for (unsigned i = 1; i <= more; i++) {
			assert_int_equal(pp_state_freed(w.s), first);
			numbered(&w, 0x1000, used + i);
		}
		assert_int_equal(pp_state_freed(w.s), first + 1);
		pp_state_free(w.s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names), cmocka_unit_test(no_nul), cmocka_unit_test(memory_of_kept), cmocka_unit_test(symbols),
		cmocka_unit_test(namespaces_of), cmocka_unit_test(whole_kernel), cmocka_unit_test(to_the_end), cmocka_unit_test(living),
		cmocka_unit_test(each_task), cmocka_unit_test(jit), cmocka_unit_test(files), cmocka_unit_test(unused_files),
		cmocka_unit_test(limit_frees), cmocka_unit_test(limit_looks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/*
 * The state of tasks, against records made here in both byte orders, and against a model of 64 pages per process that knows no
 * sharing and no tree.  tests/61-pfilter-state.bats shows that these are the rules of perf.
 */
#include "state_bench.h"

static void
maps_overlap(void **state)
{
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		open_bench(&w, swap);
		map_at(&w, 2, 7, 0x1000, 0x8000, 0x500000, "old");
		map_at(&w, 2, 7, 0x3000, 0x1000, 0, "new");
		assert_string_equal(at(&w, 7, 0xfff), "-");
		assert_string_equal(at(&w, 7, 0x1000), "old+500000");
		assert_string_equal(at(&w, 7, 0x2fff), "old+501fff");
		assert_string_equal(at(&w, 7, 0x3000), "new+0");
		assert_string_equal(at(&w, 7, 0x3fff), "new+fff");
		assert_string_equal(at(&w, 7, 0x4000), "old+503000");
		assert_string_equal(at(&w, 7, 0x8fff), "old+507fff");
		assert_string_equal(at(&w, 7, 0x9000), "-");
		map_at(&w, 2, 7, 0x2000, 0x7800, 0, "top");
		assert_string_equal(at(&w, 7, 0x1fff), "old+500fff");
		assert_string_equal(at(&w, 7, 0x8fff), "top+6fff");
		map_at(&w, 2, 7, 0x9000, 0, 0, "empty");
		assert_string_equal(at(&w, 7, 0x9000), "top+7000");
		map_at(&w, 2, 7, 0xfffffffffffff000, UINT64_MAX, 0, "end");
		assert_string_equal(at(&w, 7, 0xfffffffffffffff0), "end+ff0");
		assert_null(pp_state_maps(w.s, 8, PP_MISC_USER));
		pp_state_free(w.s);
	}
}

static void
kernel_maps(void **state)
{
	const struct pp_map *m;
	struct bench w;

	(void)state;
	open_bench(&w, false);
	map_at(&w, PP_MISC_KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000, 0, "[kernel.kallsyms]_text");
	map_at(&w, PP_MISC_KERNEL, UINT32_MAX, 0xffffffffa0000000, 0x1000, 0, "[xfs]");
	map_at(&w, PP_MISC_GUEST_KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000, 0, "[guest.kernel.kallsyms]");
	m = pp_state_map(w.s, 5, PP_MISC_KERNEL, 0xffffffff81000010);
	assert_string_equal(pp_state_dso(w.s, m)->name, "[kernel.kallsyms]_text");
	m = pp_state_map(w.s, 6, PP_MISC_KERNEL, 0xffffffffa0000fff);
	assert_string_equal(pp_state_dso(w.s, m)->name, "[xfs]");
	assert_null(pp_state_map(w.s, UINT32_MAX, PP_MISC_USER, 0xffffffff81000010));
	assert_null(pp_state_maps(w.s, 5, PP_MISC_GUEST_KERNEL));
	assert_null(pp_state_maps(w.s, 5, 0));
	map_at(&w, PP_MISC_GUEST_USER, 5, 0x1000, 0x1000, 0, "a");	/* as perf inject -B writes it */
	assert_string_equal(at(&w, 5, 0x1001), "a+1");
	map_at(&w, PP_MISC_GUEST_KERNEL, 5, 0x3000, 0x1000, 0, "b");
	assert_string_equal(at(&w, 5, 0x3001), "-");
	pp_state_free(w.s);
	open_bench(&w, false);
	map_at(&w, PP_MISC_KERNEL, UINT32_MAX, 0, 0, 0, "[kernel.kallsyms]");
	assert_non_null(pp_state_map(w.s, 0, PP_MISC_KERNEL, 0xffffffff81000010));
	pp_state_free(w.s);
}

static void
forks(void **state)
{
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		open_bench(&w, swap);
		comm(&w, 10, 10, "sh");
		map_at(&w, 2, 10, 0x1000, 0x1000, 0, "sh");
		task_rec(&w, PP_FORK, 0, 11, 10, 11, 10);
		assert_string_equal(comm_of(&w, 11), "sh");
		assert_string_equal(at(&w, 11, 0x1000), "sh+0");
		assert_int_equal(pp_maps_version(pp_state_maps(w.s, 10, 2)), pp_maps_version(pp_state_maps(w.s, 11, 2)));
		assert_int_equal(pp_state_task(w.s, 11)->ptid, 10);
		assert_int_equal(pp_state_ppid(w.s, 11), 10);
		assert_int_equal(pp_state_ppid(w.s, 10), -1);
		map_at(&w, 2, 11, 0x1000, 0x1000, 0, "child");		/* an exec: only the child's */
		comm(&w, 11, 11, "child");
		assert_string_equal(at(&w, 10, 0x1000), "sh+0");
		assert_string_equal(at(&w, 11, 0x1000), "child+0");
		assert_string_equal(comm_of(&w, 10), "sh");
		task_rec(&w, PP_FORK, 0, 11, 11, 12, 11);		/* a thread */
		comm(&w, 11, 12, "worker");
		map_at(&w, 2, 11, 0x5000, 0x1000, 0, "lib");
		assert_string_equal(at(&w, 11, 0x5000), "lib+0");
		assert_string_equal(comm_of(&w, 11), "child");
		assert_string_equal(comm_of(&w, 12), "worker");
		task_rec(&w, PP_EXIT, 0, 11, 11, 11, 11);		/* the leader first */
		assert_string_equal(at(&w, 11, 0x5000), "lib+0");
		task_rec(&w, PP_FORK, PP_MISC_FORK_EXEC, 13, 10, 13, 10);	/* perf's own: no maps yet */
		assert_string_equal(at(&w, 13, 0x1000), "-");
		assert_string_equal(comm_of(&w, 13), "sh");
		task_rec(&w, PP_FORK, 0, 10, 10, 10, 10);	/* by itself: it has its name, and no maps */
		assert_string_equal(comm_of(&w, 10), "sh");
		assert_string_equal(at(&w, 10, 0x1000), "-");
		pp_state_free(w.s);
	}
}

/* What has ended does not count, once it is forgotten. */
static void
memory(void **state)
{
	size_t few = 0, all;
	struct bench w;
	char name[16];

	(void)state;
	open_bench(&w, false);
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 1; i <= 2000; i++) {
			snprintf(name, sizeof name, "c%u", i);
			comm(&w, i, i, name);
			for (unsigned k = 1; k < 5; k++)
				map_at(&w, 2, i, k * 0x1000, 0x1000, 0, "file");
		}
		all = pp_state_memory(w.s);
		assert_true(all > 2000 * 5 * 40);
		for (unsigned i = 1; i <= 2000; i++)
			task_rec(&w, PP_EXIT, 0, i, 1, i, 1);
		assert_true(pp_state_memory(w.s) < all / 5);
		assert_true(!few || pp_state_memory(w.s) == few);
		few = pp_state_memory(w.s);
	}
	pp_state_free(w.s);
}

/* Tasks that live take little, and a limit is kept. */
static void
small(void **state)
{
	enum { N = 100000, LONG = 40 };
	char name[16], far[LONG + 1];
	struct bench w;
	size_t was;

	(void)state;
	memset(far, 'x', LONG);
	far[LONG] = '\0';
	open_bench(&w, false);
	for (unsigned i = 1; i <= N; i++)
		comm(&w, i, i, "same");
	assert_true(pp_state_memory(w.s) < N * 72);
	was = pp_state_memory(w.s);
	for (unsigned i = 1; i <= N; i++)
		map_at(&w, 2, i, 0x1000, 0x1000, 0, "file");
	assert_true(pp_state_memory(w.s) - was < N * 48 + 1000);
	was = pp_state_memory(w.s);
	for (unsigned i = 1; i <= N; i++) {
		snprintf(name, sizeof name, "other%u", i);
		comm(&w, i, i, name);
	}
	assert_true(pp_state_memory(w.s) - was < N * 40);
	for (unsigned i = 1; i <= N; i++)	/* long ones, each of which replaces another */
		comm(&w, i, i, i % 2 ? far : "same");
	assert_string_equal(comm_of(&w, 1), far);
	assert_string_equal(comm_of(&w, N), "same");
	for (unsigned i = 1; i <= N; i++)
		task_rec(&w, PP_EXIT, 0, i, 1, i, 1);
	was = pp_state_memory(w.s);
	assert_true(was < 3 << 20);		/* slots */
	pp_state_limit(w.s, was + 50 * 72);
	for (unsigned i = 1; i <= 400 && w.rc >= 0; i++)
		comm(&w, N + i, N + i, "same");
	assert_int_equal(w.rc, -1);
	assert_non_null(strstr(w.err.what, "--max-memory"));
	pp_state_limit(w.s, 0);
	comm(&w, 7, 7, "seven");
	assert_int_equal(w.rc, 1);
	assert_string_equal(comm_of(&w, 7), "seven");
	pp_state_free(w.s);
}

/* So do threads of one process. */
static void
small_threads(void **state)
{
	enum { N = 100000 };
	struct bench w;
	size_t was;

	(void)state;
	open_bench(&w, false);
	for (unsigned i = 0; i < N; i++)
		comm(&w, 1, 1 + i, "same");
	assert_true(pp_state_memory(w.s) < N * 56);
	was = pp_state_memory(w.s);
	for (unsigned i = 0; i < N; i++)
		task_rec(&w, PP_EXIT, 0, 1, 1, 1 + i, 1);
	assert_true(pp_state_memory(w.s) < was / 5);
	pp_state_free(w.s);
}

/* What finds addresses among many maps counts while it is there. */
static void
memory_of_index(void **state)
{
	enum { N = 4000, PAGE = 0x1000 };
	size_t was, few = 0;
	struct bench w;

	(void)state;
	open_bench(&w, false);
	for (int round = 0; round < 3; round++) {
		for (unsigned i = 1; i <= N; i++)
			map_at(&w, 2, 7, i * PAGE, PAGE, 0, "file");
		was = pp_state_memory(w.s);
		for (unsigned i = 1; i <= N; i++)
			assert_non_null(pp_state_map(w.s, 7, PP_MISC_USER, i * PAGE));
		assert_true(pp_state_memory(w.s) >= was + N * 12);
		map_at(&w, 2, 7, PAGE, PAGE, 0, "file");
		assert_true(pp_state_memory(w.s) < was + 1000);
		task_rec(&w, PP_EXIT, 0, 7, 1, 7, 1);
		for (unsigned i = 0; i < 300; i++) {		/* which are kept in its place */
			comm(&w, 100 + i, 100 + i, "a");
			task_rec(&w, PP_EXIT, 0, 100 + i, 1, 100 + i, 1);
		}
		assert_null(pp_state_maps(w.s, 7, PP_MISC_USER));
		assert_true(pp_state_memory(w.s) < was / 2);
		assert_true(!few || pp_state_memory(w.s) == few);
		few = pp_state_memory(w.s);
	}
	pp_state_free(w.s);
}

/* A process and its first thread come and go each for itself. */
static void
first_threads(void **state)
{
	struct pp_process *p;
	struct bench w;

	(void)state;
	open_bench(&w, false);
	comm(&w, 10, 11, "second");			/* without the first */
	map_by(&w, 2, 10, 11, 0x1000, 0x1000, 0, "a");
	assert_null(pp_state_task(w.s, 10));
	assert_non_null(p = pp_state_process(w.s, 10));
	assert_null(pp_process_first(p));
	p->mark = 3;
	comm(&w, 10, 10, "first");
	assert_string_equal(comm_of(&w, 10), "first");
	assert_ptr_equal(pp_process_first(p), pp_state_task(w.s, 10));
	assert_string_equal(at(&w, 10, 0x1000), "a+0");
	comm(&w, 20, 10, "taken");			/* another process has a thread of that number */
	assert_null(pp_process_first(p));
	assert_ptr_equal(pp_state_process(w.s, 10), p);
	assert_int_equal(p->mark, 3);
	assert_int_equal(pp_state_task(w.s, 10)->pid, 20);
	assert_string_equal(at(&w, 10, 0x1000), "a+0");
	assert_string_equal(comm_of(&w, 10), "taken");
	comm(&w, 10, 10, "again");
	assert_int_equal(pp_state_task(w.s, 10)->pid, 10);
	assert_int_equal(pp_state_task(w.s, 10)->mark, 0);
	assert_null(pp_state_process(w.s, 20));		/* nothing is left of it */
	task_rec(&w, PP_FORK, 0, 10, 30, 12, 30);	/* another process of that number, of which another thread is known */
	assert_int_equal(pp_state_task(w.s, 10)->pid, 10);
	assert_ptr_not_equal(pp_state_process(w.s, 10), p);
	assert_ptr_equal(pp_state_process_of(w.s, pp_state_task(w.s, 10)), p);
	assert_string_equal(at(&w, 10, 0x1000), "-");
	comm(&w, 10, 10, "new");
	assert_ptr_equal(pp_state_process_of(w.s, pp_state_task(w.s, 10)), pp_state_process(w.s, 10));
	assert_string_equal(comm_of(&w, 10), "new");
	pp_state_free(w.s);
}

/* The number of a process comes back while a thread of the old one has not ended. */
static void
reuse(void **state)
{
	struct bench w;

	(void)state;
	open_bench(&w, false);
	map_at(&w, 2, 10, 0x1000, 0x1000, 0, "a");
	map_at(&w, 2, 20, 0x1000, 0x1000, 0, "b");
	task_rec(&w, PP_FORK, 0, 20, 20, 21, 20);
	task_rec(&w, PP_EXIT, 0, 20, 1, 20, 1);
	assert_string_equal(at(&w, 20, 0x1000), "b+0");
	task_rec(&w, PP_FORK, 0, 20, 10, 20, 10);
	assert_string_equal(at(&w, 20, 0x1000), "a+0");
	map_by(&w, 2, 20, 21, 0x9000, 0x1000, 0, "c");		/* the thread must be a new one too */
	assert_string_equal(at(&w, 20, 0x9000), "c+0");
	task_rec(&w, PP_FORK, PP_MISC_FORK_EXEC, 20, 10, 20, 10);
	assert_string_equal(at(&w, 20, 0x1000), "-");
	task_rec(&w, PP_FORK, 0, 20, 10, 20, 10);
	task_rec(&w, PP_EXIT, 0, 20, 1, 21, 1);
	assert_string_equal(at(&w, 20, 0x1000), "a+0");
	comm(&w, 10, 20, "moved");				/* a tid turns up in another process */
	assert_int_equal(pp_state_task(w.s, 20)->pid, 10);
	task_rec(&w, PP_FORK, 0, 30, 10, 20, 20);		/* its own parent, by its number */
	assert_string_equal(comm_of(&w, 20), "moved");
	pp_state_free(w.s);
}

static void
files(void **state)
{
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		const struct pp_map *m;
		const struct pp_dso *d;

		open_bench(&w, swap);
		map_at(&w, 2, 5, 0x2000, 0x1000, 0, "/x");
		assert_int_equal(pp_state_map(w.s, 5, 2, 0x2000)->dso, 0);
		assert_int_equal(pp_state_prot(w.s, pp_state_map(w.s, 5, 2, 0x2000)), 7);
		map_at(&w, 2 | PP_MISC_MMAP_DATA, 5, 0x4000, 0x1000, 0, "/x");
		assert_int_equal(pp_state_prot(w.s, pp_state_map(w.s, 5, 2, 0x4000)), 3);
		for (int is = 0; is < 3; is++) {	/* device and inode; a build-id; the former with the flag of the latter */
			bool id = is == 1;

			begin(&w, PP_MMAP2, (uint16_t)(2 | (is ? PP_MISC_MMAP_BUILD_ID : 0)));
			put(&w, 5, 4);
			put(&w, 5, 4);
			put(&w, 0x1000, 8);
			put(&w, 0x1000, 8);
			put(&w, 0, 8);
			memset(w.b + w.n, 0xab, 24);
			if (id) {
				memset(w.b + w.n, 0, 4);
				w.b[w.n] = 20;
				w.n += 24;
			} else {
				put(&w, 8, 4);
				put(&w, 3, 4);
				put(&w, 4711, 8);
				put(&w, 7, 8);
			}
			put(&w, 5, 4);
			put(&w, 2, 4);
			text(&w, "/y");
			feed(&w, 0);
			m = pp_state_map(w.s, 5, 2, 0x1000);
			assert_int_equal(m->dso, 2 + id);	/* described differently */
			assert_int_equal(pp_state_prot(w.s, m), 5);
			assert_int_equal(m->has_id, id);
			d = pp_state_dso(w.s, m);
			assert_int_equal(d->index, m->dso);
			assert_string_equal(d->name, "/y");
			assert_int_equal(d->maj, id ? 0 : 8);
			assert_int_equal(d->min, id ? 0 : 3);
			assert_int_equal(d->ino, id ? 0 : 4711);
			assert_int_equal(d->id_len, id ? 20 : 0);
			assert_int_equal(d->id[0], id ? 0xab : 0);
		}
		map_at(&w, 2, 6, 0x2000, 0x1000, 0, "/x");
		assert_int_equal(pp_state_map(w.s, 6, 2, 0x2000)->dso, 0);
		pp_state_free(w.s);
	}
}

/* Every record cut short everywhere, with a trailer or without: no byte behind it is looked at, and nothing fails. */
static void
cuts(void **state)
{
	static const uint32_t types[] = { PP_MMAP, PP_MMAP2, PP_COMM, PP_FORK, PP_EXIT, PP_NAMESPACES, PP_KSYMBOL, PP_BPF_EVENT,
		PP_CGROUP, PP_TEXT_POKE };

	(void)state;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		for (size_t size = PP_HEADER_SIZE; size < 96; size++) {
			struct bench w;

			open_bench(&w, false);
			memset(w.b, 'x', sizeof w.b);
			pp_set_u32(w.b, types[i], false);
			pp_set_u16(w.b + 4, PP_MISC_USER, false);
			w.n = size;
			for (w.trailer = 0; w.trailer <= 48; w.trailer += 16) {
				feed(&w, 0);
				assert_int_equal(w.rc, 1);
			}
			pp_state_free(w.s);
		}
}

/* Random forks, exits and maps in eight processes of 64 pages each. */
static void
model(void **state)
{
	enum { PIDS = 8, PAGES = 64 };
	static struct { bool alive; int file[PAGES]; unsigned off[PAGES]; } m[PIDS];
	struct bench w;
	char name[16];
	unsigned r = 1;

	(void)state;
	open_bench(&w, false);
	for (int step = 0; step < 20000; step++) {
		unsigned p = (r = r * 1103515245 + 12345) >> 16 & 7, q = r >> 20 & 7, first = r >> 12 & 63;
		unsigned n = 1 + (r >> 24) % (PAGES - first), file = 1 + (r >> 8) % 9;

		if (step % 16 == 0) {
			task_rec(&w, PP_EXIT, 0, p, 1, p, 1);
		} else if (step % 8 == 0 && p != q) {
			task_rec(&w, PP_FORK, 0, p, q, p, q);
			m[p] = m[q];
			m[p].alive = true;
		} else {
			snprintf(name, sizeof name, "f%u", file);
			map_at(&w, 2, p, first * 4096, n * 4096, 0, name);
			m[p].alive = true;
			for (unsigned i = 0; i < n; i++) {
				m[p].file[first + i] = (int)file;
				m[p].off[first + i] = i;
			}
		}
		for (unsigned i = 0; i < PAGES; i++) {
			char want[32] = "-";

			if (m[p].file[i])
				snprintf(want, sizeof want, "f%d+%x", m[p].file[i], m[p].off[i] * 4096 + 5);
			if (strcmp(at(&w, p, i * 4096 + 5), want) != 0)
				fail_msg("step %d, page %u: %s, not %s", step, i, at(&w, p, i * 4096 + 5), want);
		}
		assert_int_equal(m[p].alive, pp_state_maps(w.s, p, 2) != NULL);
	}
	pp_state_free(w.s);
}

/* What is made to be slow or to grow: a chain of forks over many maps, each changing one. */
static void
many(void **state)
{
	struct bench w;

	(void)state;
	open_bench(&w, false);
	for (unsigned i = 0; i < 20000; i++)
		map_at(&w, 2, 1, (uint64_t)i << 12, 4096, 0, "f");
	for (unsigned i = 1; i < 20000; i++) {
		task_rec(&w, PP_FORK, 0, i + 1, i, i + 1, i);
		map_at(&w, 2, i + 1, (uint64_t)i << 12, 4096, 0, "g");
	}
	assert_string_equal(at(&w, 20000, 0x1000), "g+0");
	assert_string_equal(at(&w, 20000, 20000ull << 12), "-");
	assert_string_equal(at(&w, 1, 0x1000), "f+0");
	pp_state_free(w.s);
}

/* Many searches between two changes, for which an index is made: below, in, between and above the maps. */
static void
searches(void **state)
{
	enum { MAPS = 3000 };
	static char file[2][MAPS];
	struct bench w;
	unsigned r = 1;

	(void)state;
	open_bench(&w, false);
	for (unsigned i = 0; i < MAPS; i++) {
		map_at(&w, 2, 1, (uint64_t)(i + 1) << 16, 0x8000, 0, "f");
		file[0][i] = 'f';
	}
	for (unsigned round = 0; round < 4; round++) {
		for (unsigned i = 0; i < 40 * MAPS; i++) {
			unsigned at_map = (r = r * 1103515245 + 12345) >> 8 & 4095, pid = round && i % 3 == 0 ? 2 : 1;
			uint64_t addr = (uint64_t)(at_map << 16) + (r >> 20 & 0xf) * 0x1000;
			char had = at_map && at_map <= MAPS ? file[pid - 1][at_map - 1] : '-';

			if (had == 'f' && addr & 0x8000)
				had = '-';
			if (*at(&w, pid, addr) != had)
				fail_msg("round %u, process %u, %#jx: %s, not %c", round, pid, (uintmax_t)addr, at(&w, pid, addr), had);
		}
		if (round == 0) {	/* both have the maps */
			task_rec(&w, PP_FORK, 0, 2, 1, 2, 1);
			memcpy(file[1], file[0], MAPS);
		} else if (round < 3) {		/* one of them gets others */
			map_at(&w, 2, round, (uint64_t)(round * 500) << 16, 0x80000, 0, "g");
			memset(file[round - 1] + round * 500 - 1, 'g', 8);
		}
		assert_string_equal(at(&w, 1, 0x8000), "-");
	}
	pp_state_free(w.s);
}

struct stops { unsigned calls, at; };

static int
stop_at(void *arg, const struct pp_map *m)
{
	struct stops *x = arg;

	(void)m;
	return ++x->calls == x->at ? -1 : 1;
}

/* A walk over maps ends where its function fails, wherever that map is in the tree, and says so. */
static void
walk_ends(void **state)
{
	enum { MAPS = 20 };
	struct bench w;
	const struct pp_maps *maps;

	(void)state;
	open_bench(&w, false);
	for (unsigned i = 0; i < MAPS; i++)
		map_at(&w, 2, 10, 0x10000 * (i * 7 % MAPS + 1), 0x1000, 0, "/lib/x");
	maps = pp_state_maps(w.s, 10, PP_MISC_USER);
	for (unsigned at = 1; at <= MAPS + 1; at++) {
		struct stops x = { .at = at };

		assert_int_equal(pp_maps_each(w.s, maps, stop_at, &x), at <= MAPS ? -1 : 1);
		assert_int_equal(x.calls, at <= MAPS ? at : MAPS);
		x.calls = 0;
		assert_int_equal(pp_maps_each_in(w.s, maps, 0x10000, UINT64_MAX, stop_at, &x), at <= MAPS ? -1 : 1);
		assert_int_equal(x.calls, at <= MAPS ? at : MAPS);
	}
	pp_state_free(w.s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_overlap), cmocka_unit_test(kernel_maps), cmocka_unit_test(forks), cmocka_unit_test(memory),
		cmocka_unit_test(small), cmocka_unit_test(small_threads), cmocka_unit_test(memory_of_index),
		cmocka_unit_test(first_threads), cmocka_unit_test(reuse), cmocka_unit_test(files), cmocka_unit_test(cuts),
		cmocka_unit_test(model), cmocka_unit_test(searches),
		cmocka_unit_test(many), cmocka_unit_test(walk_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

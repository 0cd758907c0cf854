/* SPDX-License-Identifier: ISC */
/* pp_state_same(): two states that were fed the same are the same, and each thing that can be told from a state makes them differ. */
#include "state_bench.h"

enum { MAPS = 8, FIRST_MAP = 41, VARIANTS = FIRST_MAP + MAPS };

static void
namespaces(struct bench *w, uint32_t pid, uint64_t ino)
{
	begin(w, PP_NAMESPACES, 0);
	put(w, pid, 4);
	put(w, pid, 4);
	put(w, 1, 8);
	put(w, 4, 8);
	put(w, ino, 8);
	feed(w, 0);
}

static void
ksymbol(struct bench *w, uint64_t addr, uint32_t len, const char *name)
{
	begin(w, PP_KSYMBOL, 0);
	put(w, addr, 8);
	put(w, len, 4);
	put(w, 1, 2);
	put(w, 0, 2);
	text(w, name);
	feed(w, 0);
}

static void
cgroup(struct bench *w, uint64_t id, const char *path)
{
	begin(w, PP_CGROUP, 0);
	put(w, id, 8);
	text(w, path);
	feed(w, 0);
}

/* An MMAP2, with a build-id of that byte, 20 times, or with the inode. */
static void
mmap2(struct bench *w, uint16_t misc, uint8_t byte, const char *name)
{
	begin(w, PP_MMAP2, misc | 2);
	put(w, 10, 4);
	put(w, 10, 4);
	put(w, 0x3000, 8);
	put(w, 0x1000, 8);
	put(w, 0, 8);
	if (misc & PP_MISC_MMAP_BUILD_ID)
		put(w, 20, 4);
	for (unsigned i = 0; i < 5 + !(misc & PP_MISC_MMAP_BUILD_ID); i++)
		put(w, 0x01010101u * byte, 4);
	put(w, 5, 4);
	put(w, 2, 4);
	text(w, name);
	feed(w, 0);
}

/* A state in which the record after the first ones is number n. */
static void
make(struct bench *w, unsigned n)
{
	open_bench(w, false);
	comm(w, 10, 10, "sh");
	map_at(w, 2, 10, 0x1000, 0x8000, 0, "/bin/sh");
	map_at(w, PP_MISC_KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000, 0, "[kernel.kallsyms]_text");
	for (unsigned i = 0; i < MAPS; i++)
		map_at(w, 2, 10, 0x100000 * (i + 1), 0x1000, 0, "/lib/x");
	task_rec(w, PP_FORK, 0, 10, 10, 11, 10);
	task_rec(w, PP_FORK, 0, 20, 10, 20, 10);
	task_rec(w, PP_FORK, 0, 21, 10, 21, 10);
	switch (n) {
	case 0: break;
	case 1: comm(w, 10, 10, "other"); break;
	case 2: comm(w, 10, 11, "other"); break;
	case 3: comm(w, 10, 12, "sh"); break;
	case 4: comm(w, 30, 30, "sh"); break;
	case 5: map_at(w, 2, 10, 0x3000, 0x1000, 0, "/bin/sh"); break;
	case 6: map_at(w, 2, 20, 0x3000, 0x1000, 0, "/bin/sh"); break;
	case 7: map_at(w, 2, 10, 0x3000, 0x1000, 0, "/bin/other"); break;
	case 8: map_at(w, 2, 10, 0x3000, 0x1000, 0x1000, "/bin/sh"); break;
	case 9: map_at(w, PP_MISC_KERNEL, UINT32_MAX, 0xffffffffc0000000, 0x1000, 0, "[module]"); break;
	case 10: map_at(w, PP_MISC_KERNEL, UINT32_MAX, 0xffffffff81000000, 0x2000, 0, "[kernel.kallsyms]_text"); break;
	case 11: map_at(w, PP_MISC_GUEST_KERNEL, 5, 0xffffffff81000000, 0x1000, 0, "[guest.kernel.kallsyms]"); break;
	case 12: task_rec(w, PP_EXIT, 0, 20, 10, 20, 10); break;
	case 13: task_rec(w, PP_EXIT, 0, 20, 10, 20, 10); task_rec(w, PP_EXIT, 0, 21, 10, 21, 10); break;
	case 14: task_rec(w, PP_EXIT, 0, 21, 10, 21, 10); task_rec(w, PP_EXIT, 0, 20, 10, 20, 10); break;
	case 15: task_rec(w, PP_FORK, 0, 20, 21, 20, 21); break;
	case 16: task_rec(w, PP_FORK, PP_MISC_FORK_EXEC, 20, 10, 20, 10); break;
	case 17: comm(w, 10, 10, "up"); break;
	case 18: map_at(w, 2 | PP_MISC_MMAP_DATA, 10, 0x3000, 0x1000, 0, "/bin/sh"); break;
	case 19: map_at(w, 2, 10, 0x2000, 0x2000, 0, "/bin/sh"); break;
	case 20: map_at(w, 2, 10, 0x10000, 0x1000, 0, "/bin/sh"); break;
	case 21: map_at(w, 2, 10, 0x3000, 0x1000, 0, "/bin/hs"); break;
	case 22: mmap2(w, 0, 1, "/bin/sh"); break;
	case 23: mmap2(w, 0, 2, "/bin/sh"); break;
	case 24: mmap2(w, PP_MISC_MMAP_BUILD_ID, 1, "/bin/sh"); break;
	case 25: mmap2(w, PP_MISC_MMAP_BUILD_ID, 2, "/bin/sh"); break;
	case 26: namespaces(w, 10, 1); break;
	case 27: namespaces(w, 10, 2); break;
	case 28: ksymbol(w, 0xffffffffc0100000, 64, "bpf_prog_1"); break;
	case 29: ksymbol(w, 0xffffffffc0100000, 64, "bpf_prog_2"); break;
	case 30: ksymbol(w, 0xffffffffc0100000, 128, "bpf_prog_1"); break;
	case 31: cgroup(w, 7, "/a"); break;
	case 32: cgroup(w, 8, "/a"); break;
	case 33: cgroup(w, 7, "/b"); break;
	case 34: cgroup(w, 7, "/a/longer"); break;
	case 35: task_rec(w, PP_FORK, 0, 10, 10, 13, 10); break;
	case 36: task_rec(w, PP_FORK, 0, 10, 10, 13, 11); break;
	case 37: comm(w, 99, 12, "x"); break;
	case 38:				/* pid 10 was another process's in between, which has nothing left */
		task_rec(w, PP_FORK, 0, 10, 30, 12, 30);
		comm(w, 99, 12, "x");
		break;
	case 39: comm(w, 10, 12, "x"); task_rec(w, PP_EXIT, 0, 10, 10, 12, 10); break;
	case 40: comm(w, 20, 12, "x"); task_rec(w, PP_EXIT, 0, 20, 10, 12, 10); break;	/* as many live, and the same one has ended */
	default: map_at(w, 2, 10, 0x100000 * (n - FIRST_MAP + 1), 0x1000, 0x1000, "/lib/x");	/* wherever it is in the tree */
	}
}

static void
same(void **state)
{
	struct bench a, b;

	(void)state;
	for (unsigned i = 0; i < VARIANTS; i++)
		for (unsigned k = 0; k < VARIANTS; k++) {
			make(&a, i);
			make(&b, k);
			if (pp_state_same(a.s, b.s) != (i == k))
				fail_msg("%u and %u", i, k);
			pp_state_free(a.s);
			pp_state_free(b.s);
		}
}

/* What was and is no more makes no difference, nor in how many steps it came. */
static void
forgotten(void **state)
{
	struct bench a, b;

	(void)state;
	make(&a, 0);
	make(&b, 0);
	for (unsigned i = 0; i < 300; i++)		/* more than are kept */
		for (unsigned twice = 0; twice < 2; twice++) {
			task_rec(&a, PP_FORK, 0, 1000 + i, 1, 1000 + i, 1);
			task_rec(&a, PP_EXIT, 0, 1000 + i, 1, 1000 + i, 1);
			if (twice == 0 && i < 40)
				continue;
			task_rec(&b, PP_FORK, 0, 1000 + i, 1, 1000 + i, 1);
			task_rec(&b, PP_EXIT, 0, 1000 + i, 1, 1000 + i, 1);
		}
	map_at(&a, 2, 10, 0x1000, 0x4000, 0, "/lib/x");
	map_at(&a, 2, 10, 0x1000, 0x4000, 0, "/lib/y");
	map_at(&b, 2, 10, 0x1000, 0x4000, 0, "/lib/y");
	assert_true(pp_state_same(a.s, b.s));
	pp_state_free(a.s);
	pp_state_free(b.s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(same), cmocka_unit_test(forgotten) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* perf_text.c - a payload that is written by a text, perf's or ours: in each space that is too small for it, it fails, and in one that fits it is the same */
#include <stdlib.h>

#include "check.h"
#include "header/perf_text.h"
#include "record/feature.h"

#define TOPOLOGY "sibling sockets : 0-2\nsibling dies : 0-1\nsibling dies : 2\nsibling threads : 0-1\nsibling threads : 2\n" \
	"CPU 0: Core ID 0, Die ID 0, Socket ID 0\nCPU 1: Core ID 0, Die ID 0, Socket ID 0\nCPU 2: Core ID 5, Die ID 1, Socket ID 1\n"

static const struct row { uint64_t number; bool ours; const char *text; } rows[] = {
	{ PP_FEAT_NRCPUS, false, "nrcpus online : 2\nnrcpus avail : 3\n" },
	{ PP_FEAT_CMDLINE, false, "cmdline : perf record -e it\\'s \n" },
	{ PP_FEAT_CPU_TOPOLOGY, false, TOPOLOGY },
	{ PP_FEAT_CPU_TOPOLOGY, false, "sibling cores : 0-1\nsibling threads : 0\nsibling threads : 1\nCPU 0: Core ID 0, Socket ID 0\nCPU 1: Core ID 1, Socket ID -1\n" },
	{ PP_FEAT_CPU_TOPOLOGY, false, "sibling sockets : 0-1\nsibling threads : 0\nCore ID and Socket ID information is not available\n" },
	{ PP_FEAT_CPU_TOPOLOGY, false, "sibling sockets : 0-1\nsibling threads : 0\nCore ID, Die ID and Socket ID information is not available\n" },
	{ PP_FEAT_NUMA_TOPOLOGY, false, "node0 meminfo  : total = 100 kB, free = 50 kB\nnode0 cpu list : 0-1\nnode3 meminfo  : total = 7 kB, free = 2 kB\nnode3 cpu list : 2\n" },
	{ PP_FEAT_PMU_MAPPINGS, false, "pmu mappings: cpu = 4, software = 1\n" },
	{ PP_FEAT_CPU_PMU_CAPS, false, "cpu pmu capabilities: not available\n" },
	{ PP_FEAT_CPU_PMU_CAPS, false, "cpu pmu capabilities: branches=32, max_precise=3\n" },
	{ PP_FEAT_PMU_CAPS, false, "cpu_core pmu capabilities: a=1, b=2\ncpu_atom pmu capabilities: c=3\ngpu pmu capabilities: not available\n" },
	{ PP_FEAT_SAMPLE_TIME, false, "time of first sample : 1.500000\ntime of last sample : 2.250000\nsample duration :    750.000 ms\n" },
	{ PP_FEAT_MEM_TOPOLOGY, false, "memory nodes (nr 2, block size 0x8000000):\n    0 [1G]: 0-2,63-64\n    1 [1G]: 3\n" },
	{ PP_FEAT_CLOCKID, false, "clockid frequency: 4000 MHz\n" },
	{ PP_FEAT_CLOCK_DATA, false, "clockid: monotonic (1)\nreference time: 2023-11-14 22:13:20.000001 = 1700000000.000001 (TOD) = 2.000000003 (monotonic)\n" },
	{ PP_FEAT_CPU_DOMAIN_INFO, false, "schedstat version : 17\nMaximum sched domains : 2\ncpu : 0\nnr_domains : 2\nDomain : 0\nDomain name : SMT\nDomain cpu map : 3\n"
	    "Domain cpu list : 0-1\nDomain : 1\nDomain name : PKG\nDomain cpu map : 7\nDomain cpu list : 0-2\ncpu : 1\nnr_domains : 0\n" },
	{ PP_FEAT_E_MACHINE, false, "e_machine : 62\n  e_flags : 16\n" },
	{ PP_FEAT_CLN_SIZE, false, "cacheline size: 64\n" },
	{ PP_FEAT_HOSTNAME, true, "box" },
	{ PP_FEAT_NRCPUS, true, "3,2" },
	{ PP_FEAT_CMDLINE, true, "perf record -e 'a b'" },
	{ PP_FEAT_CPU_TOPOLOGY, true, "0-2\nsibling threads : 0-1\nsibling threads : 2\nCPU 0 : core 0, socket 0\nCPU 1 : core 0, socket 0\nCPU 2 : core 5, socket 1\n"
	    "sibling dies : 0-1\nsibling dies : 2\nCPU 0 : die 0\nCPU 1 : die 0\nCPU 2 : die 1" },
	{ PP_FEAT_NUMA_TOPOLOGY, true, "node 0 : total 100 kB, free 50 kB, CPUs 0-1\nnode 3 : total 7 kB, free 2 kB, CPUs 2" },
	{ PP_FEAT_GROUP_DESC, true, "mine, led by event 1, 3 members" },
	{ PP_FEAT_MEM_TOPOLOGY, true, "0x8000000\nmemory node 0 : 65 blocks: 0-2,63-64\nmemory node 1 : 65 blocks: 3" },
	{ PP_FEAT_CPU_PMU_CAPS, true, "branches=32, x=y" },
	{ PP_FEAT_PMU_CAPS, true, "pmu capabilities : a=1, b=2 of cpu_core\npmu capabilities : c=3 of cpu_atom" },
	{ PP_FEAT_SAMPLE_TIME, true, "1.5,2.25" },
	{ PP_FEAT_CLOCKID, true, "4 ns" },
	{ PP_FEAT_CLOCK_DATA, true, "clockid 1, wall clock 1700000000.000001 s at 2.000000003 s" },
	{ PP_FEAT_CPU_DOMAIN_INFO, true, "17, at most 2 domains\nCPU 0 domains : 1\n  domain 0, SMT, mask 3, CPUs 0-1\nCPU 1 domains : 0" },
	{ PP_FEAT_E_MACHINE, true, "62,0x10" },
};

static int
parse(const struct row *row, bool swap, uint8_t *buf, size_t cap, size_t *len, struct pp_err *err)
{
	bool marked = true;

	return row->ours ? pp_feature_parse(row->number, row->text, swap, buf, cap, len, err) :
	    perf_text_parse(row->number, row->text, marked, swap, buf, cap, len, err);
}

static void
test_space(void **state)
{
	static uint8_t want[1 << 16];

	(void)state;
	for (size_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++) {
		const struct row *row = &rows[i / 2];
		struct pp_err err = { .what = "" };
		size_t n = 0, len = 0;

		if (parse(row, i % 2, want, sizeof want, &n, &err) != 1)
			fail_msg("%s: %s", row->text, err.what);
		assert_in_range(n, 1, sizeof want - 1);
		for (size_t cap = 0; cap <= n; cap++) {
			uint8_t *buf = malloc(cap + 1);

			buf[cap] = 0xa5;
			err.what[0] = 0;
			assert_int_equal(parse(row, i % 2, buf, cap, &len, &err), cap == n ? 1 : -1);
			assert_int_equal(buf[cap], 0xa5);
			if (cap < n) {
				assert_true(err.what[0]);
			} else {
				assert_int_equal(len, n);
				assert_memory_equal(buf, want, n);
			}
			free(buf);
		}
	}
}

/* Each line that is left out of perf's text: the rest is wrong, or has another form; none is taken for the whole. */
static void
test_lines(void **state)
{
	static uint8_t whole[1 << 16], buf[1 << 16];
	char text[2048];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows && !rows[i].ours; i++) {
		const struct row *row = &rows[i];
		struct pp_err err = { .what = "" };
		size_t n, len;

		assert_int_equal(parse(row, false, whole, sizeof whole, &n, &err), 1);
		for (const char *line = row->text; *line; line += strcspn(line, "\n") + 1) {
			const char *behind = line + strcspn(line, "\n") + 1;
			struct row part = { .number = row->number, .text = text };
			int rc;

			snprintf(text, sizeof text, "%.*s%s", (int)(line - row->text), row->text, behind);
			err.what[0] = 0;
			rc = parse(&part, false, buf, sizeof buf, &len, &err);
			if (!strncmp(line, "sample duration", 15)) {	/* which follows from the times */
				assert_true(rc == 1 && len == n && !memcmp(buf, whole, n));
				continue;
			}
			if (rc > 0 && len == n && !memcmp(buf, whole, n) && strncmp(line, "Core ID", 7))
				fail_msg("without '%.30s'", line);
			assert_true(rc >= 0 || err.what[0]);
		}
	}
}

/* Text that is not perf's, rc 0, or is wrong, and why. */
static void
test_wrong(void **state)
{
	static const struct { uint64_t number; int rc; const char *text, *why; } wrong[] = {
		{ PP_FEAT_END, 0, "x", "" },
		{ PP_FEAT_HOSTNAME, 0, "x", "" },
		{ PP_FEAT_NRCPUS, 0, "nrcpus online : 2\n", "" },
		{ PP_FEAT_NRCPUS, -1, "nrcpus online : 2\nnrcpus avail : 3\nx\n", "expected nothing more" },
		{ PP_FEAT_NRCPUS, 0, "nrcpus online : x\nnrcpus avail : 3\n", "" },
		{ PP_FEAT_CPU_TOPOLOGY, -1, "sibling sockets : 0\nsibling dies : 0\nsibling threads : 0\nCPU 0: Core ID 0, Socket ID 0\n", "with its die" },
		{ PP_FEAT_CPU_TOPOLOGY, -1, "sibling sockets : 0\nsibling threads : 0\nCPU 0: Core ID x, Socket ID 0\n", "a line for each CPU" },
		{ PP_FEAT_CPU_TOPOLOGY, -1, "sibling sockets : 0\nsibling dies : 0\nsibling threads : 0\nCPU 0: Core ID 0, Die ID 0\n", "a line for each CPU" },
		{ PP_FEAT_NUMA_TOPOLOGY, -1, "node0 meminfo  : total = 1 kB, free = 5 kB\nnode1 cpu list : 0\n", "the CPUs of that node" },
		{ PP_FEAT_PMU_MAPPINGS, 0, "pmu mappings: none\n", "" },
		{ PP_FEAT_PMU_MAPPINGS, 0, "pmu mappings: not available\n", "" },
		{ PP_FEAT_PMU_MAPPINGS, -1, "pmu mappings: cpu = 4x, software = 1\n", "the number of each PMU" },
		{ PP_FEAT_CPU_PMU_CAPS, -1, "cpu pmu capabilities: branches=32, x\n", "NAME=VALUE" },
		{ PP_FEAT_SAMPLE_TIME, -1, "time of first sample : 18446744073.5\ntime of last sample : 1.5\n", "less than 2^64 ns" },
		{ PP_FEAT_SAMPLE_TIME, -1, "time of first sample : 1.5\ntime of last sample : 18446744073.5\n", "less than 2^64 ns" },
		{ PP_FEAT_MEM_TOPOLOGY, -1, "memory nodes (nr 1, block size 0x8000000):\n    0 [1G]: x\n", "numbers of blocks" },
		{ PP_FEAT_MEM_TOPOLOGY, -1, "memory nodes (nr 1, block size 0x8000000):\n    0 [1G]: 1-x\n", "numbers of blocks" },
		{ PP_FEAT_MEM_TOPOLOGY, -1, "memory nodes (nr 1, block size 0x8000000):\n    0 [1G]: 5,3\n", "numbers of blocks" },
		{ PP_FEAT_MEM_TOPOLOGY, -1, "memory nodes (nr 1, block size 0x8000000):\n    0 [1G]: 99999999999\n", "numbers of blocks" },
		{ PP_FEAT_CLOCK_DATA, -1, "clockid: monotonic (1)\nreference time: x = 18446744073.5 (TOD) = 2.0 (monotonic)\n", "less than 2^64 ns" },
		{ PP_FEAT_CLOCK_DATA, -1, "clockid: monotonic (1)\nreference time: x = 2.0 (TOD) = 18446744073.5 (monotonic)\n", "less than 2^64 ns" },
	};
	static uint8_t buf[1 << 16];

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct pp_err err = { .what = "" };
		size_t len;

		if (perf_text_parse(wrong[i].number, wrong[i].text, true, false, buf, sizeof buf, &len, &err) != wrong[i].rc ||
		    !strstr(err.what, wrong[i].why))
			fail_msg("%s: %s", wrong[i].text, err.what);
	}
}

/* What perf puts in front of lines, and a command whose arguments have what is special elsewhere. */
static void
test_marks(void **state)
{
	static const struct { uint64_t number; const char *text, *lines; bool marked; } marks[] = {
		{ PP_FEAT_NRCPUS, "# a\n# b\n", "a\nb\n", true },
		{ PP_FEAT_NRCPUS, "# a\nb\n#c\n#\n", "a\nb\nc\n\n", true },
		{ PP_FEAT_NRCPUS, "# a\n#", "a\n", true },
		{ PP_FEAT_NRCPUS, "#a\n", "#a\n", false },
		{ PP_FEAT_NRCPUS, "a\n# b\n", "a\n# b\n", false },
		{ PP_FEAT_CMDLINE, "# cmdline : a b\n# c \n", "cmdline : a b\n# c \n", true },
	};
	static uint8_t buf[1 << 12], want[1 << 12];
	struct pp_err err = { .what = "" };
	size_t len, n;
	bool marked;

	(void)state;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		char *lines = perf_text_lines(marks[i].number, marks[i].text, &marked);

		assert_string_equal(lines, marks[i].lines);
		assert_int_equal(marked, marks[i].marked);
		free(lines);
	}
	assert_int_equal(perf_text_parse(PP_FEAT_CMDLINE, "cmdline : a\\b it\\'s -- \n", true, false, buf, sizeof buf, &len, &err), 1);
	assert_int_equal(perf_text_parse(PP_FEAT_CMDLINE, "cmdline : a\\b it\\'s --\n", true, false, want, sizeof want, &n, &err), 1);
	assert_true(len == n && !memcmp(buf, want, n));
	assert_int_equal(pp_get_u32(buf, false), 3);
	assert_string_equal((const char *)buf + 8, "a\\b");
	assert_string_equal((const char *)buf + 8 + 68, "it's");
	assert_int_equal(perf_text_parse(PP_FEAT_CMDLINE, "cmdline : x", false, false, buf, sizeof buf, &len, &err), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_space), cmocka_unit_test(test_lines), cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_marks) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

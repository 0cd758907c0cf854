/* SPDX-License-Identifier: ISC */
/* bomb_tasks.h - for bomb: the kinds of streams with many tasks, maps, or cgroups; all others are in bomb.c */
#ifndef BENCH_BOMB_TASKS_H
#define BENCH_BOMB_TASKS_H

#include "bomb_put.h"

/* ---- tasks --------------------------------------------------------------------------------------- */

/* Each task is the child of the one before; all live. */
static void
forks(void)
{
	plain_head(1);
	named(PID, PID, 0, "bomb");
	for (uint64_t i = 1; i <= n / 2; i++) {
		task(FORK, (uint32_t)(PID + i), (uint32_t)(PID + i - 1), tick(), 0);
		sample((uint32_t)(PID + i), LOW);
	}
}

static void
ended(void)
{
	plain_head(1);
	for (uint64_t i = 1; i <= n / 4; i++) {
		task(FORK, (uint32_t)(PID + i), PID, tick(), 0);
		named((uint32_t)(PID + i), (uint32_t)(PID + i), 0, name("t", i));
		sample((uint32_t)(PID + i), LOW);
		task(EXIT, (uint32_t)(PID + i), PID, tick(), 0);
	}
}

/* Processes that come and go, each of which executes a file of its own. */
static void
churn(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 6; i++) {
		uint32_t pid = (uint32_t)(PID + 1 + i);

		task(FORK, pid, PID, tick(), 0);
		named(pid, pid, DATA_MISC, name("t", i));
		map(pid, LOW, PAGE, name("/bin/new", i), i + 10);
		map(pid, LOW + 8 * PAGE, PAGE, "/lib/libc.so.6", 2);
		sample(pid, LOW);
		task(EXIT, pid, PID, tick(), 0);
	}
}

/* Their numbers differ in the high bits alone, or by what a multiplicative hash often has as its factor. */
static void
pids_of(uint64_t factor, unsigned shift)
{
	plain_head(1);
	for (uint64_t i = 1; i <= n / 2; i++) {
		uint32_t pid = (uint32_t)((uint32_t)(i * factor) << shift | (uint32_t)i >> (32 - shift) % 32) & INT32_MAX;

		named(pid, pid, 0, "x");
		sample(pid, LOW);
	}
}

static void
pids_high(void)
{
	pids_of(1, 12);
}

static void
pids_golden(void)
{
	pids_of(UINT32_C(0x144cbc89), 0);	/* the inverse of 0x9e3779b1 modulo 2^32 has this factor */
}

/* One thread that begins and ends in one process after the other. */
static void
lives(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 3; i++) {
		uint32_t pid = (uint32_t)(PID + 1 + i);
		uint64_t time = tick();
		size_t at = begin(FORK, 0);

		u32(pid, pid);
		u32(PID, PID);
		u64(time);
		trailer(PID, time, 0, FIRST_ID);
		end(at);
		sample_at(tick(), pid, PID, LOW, FIRST_ID);
		at = begin(EXIT, 0);
		u32(pid, pid);
		u32(PID, PID);
		u64(time + 1);
		trailer(PID, time + 1, 0, FIRST_ID);
		end(at);
	}
}

static void
threads(void)
{
	plain_head(1);
	for (uint64_t i = 1; i <= n / 2; i++) {
		named(PID, (uint32_t)(PID + i), 0, name("t", i % 50));
		sample_at(tick(), PID, (uint32_t)(PID + i), LOW, FIRST_ID);
	}
}

static void
execs(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 3; i++) {
		named(PID, PID, DATA_MISC, name("t", i % 50));	/* PERF_RECORD_MISC_COMM_EXEC */
		map(PID, LOW, PAGE, "/x", 1);
		sample(PID, LOW);
	}
}

/* A process that executes one program after the other. */
static void
programs(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 3; i++) {
		named(PID, PID, DATA_MISC, "x");
		map(PID, LOW, PAGE, name("/bin/p", i), i + 1);
		sample(PID, LOW);
	}
}

static void
names(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		named(PID, PID, 0, name("name", i));
		sample(PID, LOW);
	}
}

static void
namespaces(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		uint32_t pid = (uint32_t)(PID + i);
		uint64_t time = tick();
		size_t at = begin(T_NAMESPACES, 0);

		u32(pid, pid);
		u64(7);
		for (unsigned k = 0; k < 7; k++) {
			u64(3);
			u64(i);
		}
		trailer(pid, time, 0, FIRST_ID);
		end(at);
		sample(pid, LOW);
	}
}

/* ---- maps ---------------------------------------------------------------------------------------- */

static void
maps(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		map(PID, LOW + i * PAGE, PAGE, "/x", 1);
		sample(PID, LOW + rnd(i + 1) * PAGE);
	}
}

/* Each is inside of the one before, and cuts it. */
static void
nested(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		map(PID, LOW + i * PAGE, (n - 2 * i) * PAGE, "/x", 1);
		sample(PID, LOW + rnd(n) * PAGE);
	}
}

/* Each second one covers all of them. */
static void
covered(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 3; i++) {
		map(PID, LOW, n * PAGE, "/x", 1);
		map(PID, LOW + rnd(n) * PAGE, PAGE, "/y", 2);
		sample(PID, LOW + rnd(n) * PAGE);
	}
}

/* A process with many maps, and many children, each of which gets one more. */
static void
inherited(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 4; i++)
		map(PID, LOW + i * PAGE, PAGE, "/x", 1);
	for (uint64_t i = 1; i < n / 4; i++) {
		task(FORK, (uint32_t)(PID + i), PID, tick(), 0);
		map((uint32_t)(PID + i), LOW + rnd(n / 4) * PAGE, PAGE, "/y", 2);
		sample((uint32_t)(PID + i), LOW + rnd(n / 4) * PAGE);
	}
}

/* Places and lengths that are alike where they are put together: start ^ len << 20. */
static void
map_keys(void)
{
	plain_head(1);
	for (uint64_t i = 1; i <= n / 2; i++) {
		map(PID, 0x10000000 ^ i << 32, i * PAGE, "/x", 1);
		sample(PID, 0x10000000 ^ i << 32);
	}
}

/* Maps of the kernel whose processes and places are alike: start ^ pid << 40. */
static void
kernel_keys(void)
{
	plain_head(1);
	for (uint64_t i = 1; i <= n / 2; i++) {
		uint64_t time = tick();
		size_t at = begin(10, 1);

		u32((uint32_t)i, (uint32_t)i);
		u64(UINT64_C(0xffff000000000000) ^ i << 40);
		u64(PAGE);
		u64(0);
		u32(8, 1);
		u64(1);
		u64(7);
		u32(5, 2);
		text("[module]");
		trailer(PID, time, 0, FIRST_ID);
		end(at);
		sample(PID, LOW);
	}
}

/* Many files of one name. */
static void
one_name(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		map(PID, LOW + i % 1000 * PAGE, PAGE, "/x", i + 1);
		sample(PID, LOW + i % 1000 * PAGE);
	}
}

static void
files(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		map(PID, LOW + i % 1000 * PAGE, PAGE, name("/lib/file", i), i);
		sample(PID, LOW + i % 1000 * PAGE);
	}
}

static void
long_files(void)
{
	char path[LONG + 1];

	plain_head(1);
	memset(path, 'a', LONG);
	path[LONG] = '\0';
	path[0] = '/';
	for (uint64_t i = 0; i < n / 2; i++) {
		memcpy(path + LONG - 20, name("/1000000000000000000", i), 20);
		snprintf(path + LONG - 20, 21, "/%019" PRIu64, i);
		map(PID, LOW + i % 1000 * PAGE, PAGE, path, i);
		sample(PID, LOW + i % 1000 * PAGE);
	}
}

static void
build_ids(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		size_t at = begin(T_BUILD_ID, 1 << 15 | USER);

		u32(UINT32_MAX, (uint32_t)i);
		u64(i);
		u64(i);
		u32(20, 0);
		text(name("/lib/file", i));
		end(at);
		sample(PID, LOW);
	}
}

static void
ksymbols(void)
{
	plain_head(1);
	mode = 1;
	for (uint64_t i = 0; i < n / 2; i++) {
		uint64_t addr = UINT64_C(0xffffffffc0000000) + i * 64;
		uint64_t time = tick();
		size_t at = begin(T_KSYMBOL, 0);

		u64(addr);
		u32(64, 1);			/* PERF_RECORD_KSYMBOL_TYPE_BPF */
		text(name("bpf_prog_", i));
		trailer(PID, time, 0, FIRST_ID);
		end(at);
		sample(PID, addr);
	}
}

/* ---- cgroups ------------------------------------------------------------------------------------- */

static void
cgroup(uint64_t id, const char *path)
{
	uint64_t time = tick();
	size_t at = begin(T_CGROUP, 0);

	u64(id);
	text(path);
	trailer(PID, time, 0, FIRST_ID);
	end(at);
	time = tick();
	at = begin_chain(USER, time, 1);
	u64(LOW);
	u64(id);
	end(at);
}

static void
cgroups(void)
{
	cpus = 1;
	head(1, SAMPLE_TYPE | S_CGROUP);
	for (uint64_t i = 0; i < n / 2; i++)
		cgroup(i << 32, name("/a/b", i));
}

/* Paths of 1,500 directories; each has another one at its end. */
static void
deep(void)
{
	char path[LONG + 32];

	cpus = 1;
	head(1, SAMPLE_TYPE | S_CGROUP);
	for (unsigned i = 0; i < LONG; i += 2)
		path[i] = '/', path[i + 1] = 'a';
	for (uint64_t i = 0; i < n / 2; i++) {
		snprintf(path + LONG, 32, "/%" PRIu64, i);
		cgroup(i, path);
	}
}

#endif

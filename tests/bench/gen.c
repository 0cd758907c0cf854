/* SPDX-License-Identifier: ISC */
/*
 * gen - write a large perf pipe-mode stream, always the same for the same arguments.
 *
 *	gen BYTES		samples with call chains: 64 CPUs, 1000 processes, 4 events, some 200 bytes a record
 *	gen -g BYTES		the samples' cgroups, too
 *	gen -s BYTES		mostly FORK, COMM, MMAP2 and EXIT of short-lived processes
 *	gen -m MAPS ...		2000 processes, each with so many maps of its own, of 3000 files
 *	gen -c CPUS ...		so many CPUs
 *	gen -O ORDER ...	normal (the default), sorted, shuffled or random
 *
 * The disorder of `normal' is that of real per-CPU buffers: each is read once per round and holds what came since it was
 * last read, so times ascend within a buffer and jump back between them.  `sorted' has the same rounds with its records in
 * order, `shuffled' has each round's records in any order.  In all of these what follows a FINISHED_ROUND is not older than
 * the newest record of the round before.  `random' has no rounds: a record may have any time of the whole stream.
 * The stream ends with the round that reaches BYTES.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "put.h"

enum { PIDS = 1000, OWNERS = 2000, OWN_MAX = 200, FILES = 3000, OWN_LEN = 1 << 18, EVENTS = 4, DEPTH = 16, CGROUPS = 50, ROUND = 512 << 10, CPUS_MAX = 4096 };
enum { SAMPLE_FIXED = PUT_HEAD + 6 * 8, TRAILER = 32 };
enum order { NORMAL, SORTED, SHUFFLED, RANDOM, ORDERS };
static const char *const orders[ORDERS] = { "normal", "sorted", "shuffled", "random" };
static const char *const names[EVENTS] = { "cpu-clock", "task-clock", "page-faults", "context-switches" };

static bool state;		/* -s */
static bool cgroups;		/* -g */
static unsigned own, pids = PIDS;	/* -m; processes */

/* ---- records ------------------------------------------------------------------------------------------- */

/* Of a file whose inode depends on the address. */
static void
file_map(uint32_t pid, uint64_t addr, uint64_t len, const char *name, uint64_t time, uint32_t cpu, uint64_t id)
{
	mmap2(pid, addr, len, 4242 + addr % 97, name, time, cpu, id);
}

static uint32_t
pid_at(unsigned i)
{
	return 2000 + 8 * i;
}

/* Where a process has its maps of its own: no two that are near each other have the same addresses. */
static uint64_t
own_at(uint32_t pid, unsigned map)
{
	return 0x7e0000000000 + (uint64_t)(pid % 4096) * 0x10000000 + map * 0x1000000;
}

static uint64_t
user_ip(uint32_t pid)
{
	return own && pid < pid_at(OWNERS) ? own_at(pid, (unsigned)rnd(own)) + rnd(OWN_LEN) : 0x7f0000000000 + rnd(1 << 21);
}

static void
sample(uint32_t pid, uint64_t time, uint32_t cpu, unsigned event)
{
	uint64_t kernel = 0xffffffff81000000, ip = rnd(10) < 4 ? kernel + rnd(1 << 24) : 0x400000 + rnd(1 << 20);
	unsigned depth = 1 + (unsigned)rnd(2 * DEPTH - 1), inside = ip >= kernel ? 1 + depth / 3 : 0;
	size_t at = begin(9, inside ? 1 : 2);

	if (inside > depth)
		inside = depth;
	u64(id_of(event, cpu));
	u64(ip);
	u32(pid, pid + (uint32_t)rnd(2));
	u64(time);
	u32(cpu, 0);
	u64(1000 + rnd(4000000));
	u64(depth + (inside ? 1 : 0) + (inside < depth ? 1 : 0));
	if (inside)
		u64((uint64_t)-128);		/* PERF_CONTEXT_KERNEL */
	for (unsigned i = 0; i < depth; i++) {
		if (i == inside)
			u64((uint64_t)-512);	/* PERF_CONTEXT_USER */
		u64(!i ? ip : i < inside ? kernel + rnd(1 << 24) : user_ip(pid));
	}
	if (cgroups)
		u64(1 + pid % CGROUPS);
	end(at);
}

/* ---- the stream ---------------------------------------------------------------------------------------- */

static void
first(void)
{
	size_t at;

	head(EVENTS, SAMPLE_TYPE | (cgroups ? 1 << 21 : 0));
	for (unsigned e = 0; e < EVENTS; e++) {
		at = begin(78, 0);
		u64(2);
		u64(id_of(e, 0));
		text(names[e]);
		end(at);
	}
	at = begin(1, 1);
	u32((uint32_t)-1, 0);
	u64(0xffffffff81000000);
	u64(0x3fffffff);
	u64(0xffffffff81000000);
	text("[kernel.kallsyms]_text");
	trailer(0, 0, 0, 0);
	end(at);
}

static void
own_maps(unsigned i)
{
	for (unsigned m = 0; m < own; m++) {
		char name[] = "/opt/own/lib/lib0000.so";

		for (unsigned n = (i * 31 + m * 977) % FILES, k = 19; k > 15; k--, n /= 10)
			name[k] = (char)('0' + n % 10);
		file_map(pid_at(i), own_at(pid_at(i), m), OWN_LEN, name, 0, 0, 0);
	}
}

static void
processes(void)
{
	for (unsigned i = 0; i < pids; i++) {
		char name[16] = "proc0000";

		for (unsigned n = i, k = 7; k > 3; k--, n /= 10)
			name[k] = (char)('0' + n % 10);
		comm(pid_at(i), pid_at(i), 0, name, 0, 0, 0);
		comm(pid_at(i), pid_at(i) + 1, 0, name, 0, 0, 0);
		file_map(pid_at(i), 0x400000, 1 << 20, "/usr/bin/prog", 0, 0, 0);
		file_map(pid_at(i), 0x7f0000000000, 1 << 21, "/usr/lib/libc.so.6", 0, 0, 0);
		file_map(pid_at(i), 0x7f1000000000, 1 << 19, "/opt/app/lib/libwork.so", 0, 0, 0);
		own_maps(i);
	}
	for (unsigned i = 1; cgroups && i <= CGROUPS; i++) {
		char name[] = "/user.slice/00";
		size_t at = begin(19, 0);

		name[sizeof name - 3] = (char)('0' + i / 10);
		name[sizeof name - 2] = (char)('0' + i % 10);
		u64(i);
		text(name);
		trailer(0, 0, 0, 0);
		end(at);
	}
	end(begin(82, 0));		/* FINISHED_INIT */
}

/* Processes differ in how often they run: the square makes the first few frequent. */
static uint32_t
some_pid(void)
{
	uint64_t r = rnd(pids);

	return pid_at((unsigned)(r * r / pids));
}

/* A short process, at `time' and soon after, on one CPU. */
static void
short_process(uint64_t time, uint32_t cpu, uint64_t step)
{
	static uint32_t next;
	uint32_t pid = 100000 + next++ % 3000000, parent = some_pid();
	uint64_t id = id_of(0, cpu);

	task(FORK, pid, parent, time, cpu);
	comm(pid, pid, 0x2000, "short", time + step, cpu, id);
	file_map(pid, 0x400000, 4096, "/usr/bin/short", time + 2 * step, cpu, id);
	file_map(pid, 0x7f0000000000, 1 << 21, "/usr/lib/libc.so.6", time + 3 * step, cpu, id);
	if (!(next & 3))
		sample(pid, time + 4 * step, cpu, 0);
	task(EXIT, pid, parent, time + 5 * step, cpu);
}

/* What happened at `time' on a CPU, where the next thing happens no sooner than `gap' later. */
static void
happen(uint64_t time, uint64_t gap, uint32_t cpu)
{
	time += rnd(gap / 2);
	if (state || !rnd(1000))
		short_process(time, cpu, gap / 16);
	else
		sample(some_pid(), time, cpu, rnd(2) ? 0 : (unsigned)rnd(EVENTS));
}

/* One buffer after the other, each read a little later. */
static void
normal_round(uint64_t start, uint64_t per_cpu)
{
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		uint64_t from = start + cpu * per_cpu * GAP * 9 / 10 / cpus;

		for (uint64_t i = 0; i < per_cpu; i++)
			happen(from + i * GAP, GAP, cpu);
	}
}

static void
sorted_round(uint64_t start, uint64_t per_cpu)
{
	uint64_t gap = GAP / cpus;

	for (uint64_t i = 0; i < per_cpu * cpus; i++)
		happen(start + i * gap, gap, (uint32_t)(i % cpus));
}

/* Twice as long as a round, so half of it is older than the newest of the round before: as much as the marks allow. */
static void
shuffled_round(uint64_t start, uint64_t per_cpu)
{
	static uint32_t place[ROUND / 64];
	uint32_t n = (uint32_t)(per_cpu * cpus);

	for (uint32_t i = 0; i < n; i++) {	/* a random permutation, grown by one place each time */
		uint32_t at = (uint32_t)rnd(i + 1);

		place[i] = place[at];
		place[at] = i;
	}
	for (uint32_t i = 0; i < n; i++)
		happen(start + place[i] * (uint64_t)(2 * GAP / cpus), 2 * GAP / cpus, place[i] % cpus);
}

static void
random_round(uint64_t want)
{
	uint64_t gap = GAP / cpus, span = want / (SAMPLE_FIXED + 8 * (DEPTH + 2)) + 1;

	for (unsigned i = 0; i < 1000; i++) {
		uint64_t place = rnd(span);

		happen(START + place * gap, gap, (uint32_t)(place % cpus));
	}
}

static _Noreturn void
usage(void)
{
	fputs("usage: gen [-gs] [-c CPUS] [-m MAPS] [-O normal|sorted|shuffled|random] BYTES\n", stderr);
	exit(2);
}

static enum order
order_of(const char *s)
{
	for (enum order o = NORMAL; o < ORDERS; o++)
		if (!strcmp(s, orders[o]))
			return o;
	usage();
	return NORMAL;
}

int
main(int argc, char **argv)
{
	enum order order = NORMAL;
	uint64_t want, per_cpu, start = START;
	int ch;

	while ((ch = getopt(argc, argv, "c:gm:O:s")) != -1)
		switch (ch) {
		case 'c': cpus = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'O': order = order_of(optarg); break;
		case 'g': cgroups = true; break;
		case 'm': own = (unsigned)strtoul(optarg, NULL, 10); pids = OWNERS; break;
		case 's': state = true; break;
		default: usage();
		}
	if (optind != argc - 1 || !(want = strtoull(argv[optind], NULL, 10)) || !cpus || cpus > CPUS_MAX || own > OWN_MAX)
		usage();
	per_cpu = ROUND / cpus / (state ? 6 * 110 : SAMPLE_FIXED + 8 * (DEPTH + 2));
	if (!per_cpu)
		per_cpu = 1;
	fcntl(STDOUT_FILENO, F_SETPIPE_SZ, 1 << 20);
	first();
	processes();
	for (; written < want; start += per_cpu * GAP) {
		switch (order) {
		case NORMAL: normal_round(start, per_cpu); break;
		case SORTED: sorted_round(start, per_cpu); break;
		case SHUFFLED: shuffled_round(start, per_cpu); break;
		default: random_round(want); continue;
		}
		end(begin(68, 0));	/* FINISHED_ROUND */
	}
	flush();
	return 0;
}

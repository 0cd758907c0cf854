/* SPDX-License-Identifier: ISC */
/*
 * growth - write a stream with many of one thing, to see what a record costs then; always the same for the same arguments.
 *
 *	growth SAMPLES		so many samples with call chains of 8, of 1,000 tasks with 10 maps each, 4 events, 64 CPUs
 *	growth -t TASKS ...	so many tasks
 *	growth -m MAPS ...	so many maps a task, each of a file of its own; tasks have them at different addresses
 *	growth -e EVENTS ...	so many events
 *	growth -c CPUS ...	so many CPUs
 *	growth -f N ...		a task that lives shortly (FORK, COMM, EXIT) in front of each Nth sample
 *	growth -r BYTES ...	rounds of so many bytes
 *	growth -s SEED ...	other samples, as of another machine
 *
 * In a round each CPU's buffer is read in turn, as gen has it, so that times jump back between them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "put.h"

enum { DEPTH = 8, FIRST_PID = 2000, MAP_STEP = 1 << 17, MAP_LEN = 1 << 16, SHORT = 6 };
enum { SAMPLE_SIZE = PUT_HEAD + 7 * 8 + 8 * DEPTH, IDS_MAX = 8000 };

static uint64_t tasks = 1000, maps = 10, events = 4, forks, round_size = 512 << 10;
static uint64_t made, wanted;		/* samples */

/* Where the task has that map: as far from those of other tasks as address space permits. */
static uint64_t
map_at(uint64_t task, uint64_t map)
{
	return 0x400000000000 + task % 4096 * 0x400000000 + map * MAP_STEP;
}

static uint32_t
pid_of(uint64_t task)
{
	return (uint32_t)(FIRST_PID + task);
}

static void
all_tasks(void)
{
	char name[64];

	for (uint64_t i = 0; i < tasks; i++) {
		snprintf(name, sizeof name, "task%07" PRIu64, i);
		comm(pid_of(i), pid_of(i), 0, name, 0, 0, 0);
		for (uint64_t m = 0; m < maps; m++) {
			snprintf(name, sizeof name, "/nosuch/lib/lib%06" PRIu64 ".so", m);
			mmap2(pid_of(i), map_at(i, m), MAP_LEN, 1000 + m, name, 0, 0, 0);
		}
	}
	end(begin(82, 0));		/* FINISHED_INIT */
}

static uint64_t
some_ip(uint64_t of)
{
	return map_at(of, rnd(maps)) + rnd(MAP_LEN);
}

static void
sample(uint64_t time, uint32_t cpu)
{
	uint64_t of = rnd(tasks);
	size_t at = begin(9, 2);

	u64(id_of(rnd(events), cpu));
	u64(some_ip(of));
	u32(pid_of(of), pid_of(of));
	u64(time);
	u32(cpu, 0);
	u64(1 + rnd(1000000));
	u64(DEPTH);
	u64((uint64_t)-512);		/* PERF_CONTEXT_USER */
	for (unsigned k = 1; k < DEPTH; k++)
		u64(some_ip(of));
	end(at);
}

/* What happened at `time' on a CPU. */
static void
happen(uint64_t time, uint32_t cpu)
{
	static uint64_t next;

	if (forks && made % forks == 0) {
		uint32_t pid = pid_of(tasks + next++ % 2000000);

		task(FORK, pid, pid_of(rnd(tasks)), time, cpu);
		comm(pid, pid, 0, "short", time + 1, cpu, id_of(0, cpu));
		task(EXIT, pid, FIRST_PID, time + 2, cpu);
	}
	sample(time + SHORT + rnd(GAP / 2), cpu);
	made++;
}

static uint64_t
number(const char *s, uint64_t least, uint64_t most)
{
	char *rest;
	uint64_t n = strtoull(s, &rest, 10);

	if (*rest || n < least || n > most)
		errx(2, "%s: expected %" PRIu64 " to %" PRIu64, s, least, most);
	return n;
}

int
main(int argc, char **argv)
{
	uint64_t per_cpu;
	int ch;

	while ((ch = getopt(argc, argv, "c:e:f:m:r:s:t:")) != -1)
		switch (ch) {
		case 'c': cpus = (uint32_t)number(optarg, 1, IDS_MAX); break;
		case 'e': events = number(optarg, 1, 1 << 16); break;
		case 'f': forks = number(optarg, 1, UINT32_MAX); break;
		case 'm': maps = number(optarg, 1, 100000); break;
		case 'r': round_size = number(optarg, 1, UINT64_C(1) << 40); break;
		case 's': seed += number(optarg, 0, UINT32_MAX) << 20; break;
		case 't': tasks = number(optarg, 1, 2000000); break;
		default: errx(2, "usage: growth [-c CPUS] [-e EVENTS] [-f N] [-m MAPS] [-r BYTES] [-s SEED] [-t TASKS] SAMPLES");
		}
	if (optind != argc - 1)
		errx(2, "SAMPLES is missing");
	wanted = number(argv[optind], 1, UINT64_MAX);
	per_cpu = round_size / SAMPLE_SIZE / cpus;
	if (!per_cpu)
		per_cpu = 1;
	head(events, SAMPLE_TYPE);
	all_tasks();
	for (uint64_t start = START; made < wanted; start += per_cpu * GAP) {
		for (uint32_t cpu = 0; cpu < cpus; cpu++) {
			uint64_t from = start + cpu * per_cpu * GAP * 9 / 10 / cpus;

			for (uint64_t i = 0; i < per_cpu && made < wanted; i++)
				happen(from + i * GAP, cpu);
		}
		end(begin(68, 0));	/* FINISHED_ROUND */
	}
	flush();
	return 0;
}

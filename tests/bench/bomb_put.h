/* SPDX-License-Identifier: ISC */
/* bomb_put.h - for bomb: records as put.h has them, one after the other in time, of one CPU */
#ifndef BENCH_BOMB_PUT_H
#define BENCH_BOMB_PUT_H

#include <inttypes.h>
#include <stdio.h>

#include "put.h"

enum { PID = 100, PAGE = 4096, ROUND = 1000, FRAMES = 8000, IDS = 8000, FIELDS = 200, LONG = 3000, STEP = 1000 };
enum { USER = 2, DATA_MISC = 1 << 13, LOW = 0x400000 };
enum {
	T_LOST = 2, T_NAMESPACES = 16, T_KSYMBOL = 17, T_CGROUP = 19, T_DEFERRED = 22, T_BUILD_ID = 67, T_ROUND = 68, T_TRACING = 66, T_UPDATE = 78,
	T_FEATURE = 80, T_COMPRESSED = 81
};
enum { S_RAW = 1 << 10, S_CGROUP = 1 << 21 };

static uint64_t n, now, sample_type;
static uint16_t mode = USER;

/* The next time, before a record is begun: a round may end in front of it. */
static uint64_t
tick(void)
{
	static uint64_t last;

	if (now - last >= ROUND) {
		last = now;
		end(begin(T_ROUND, 0));
	}
	return START + STEP * now++;
}

/* A SAMPLE up to the number of entries of its call chain, which follow. */
static size_t
begin_chain(uint16_t cpumode, uint64_t time, uint64_t entries)
{
	size_t at = begin(9, cpumode);

	u64(FIRST_ID);
	u64(LOW);
	u32(PID, PID);
	u64(time);
	u32(0, 0);
	u64(1);
	u64(entries);
	return at;
}

static void
sample_at(uint64_t time, uint32_t pid, uint32_t tid, uint64_t ip, uint64_t id)
{
	size_t at = begin(9, mode);

	u64(id);
	u64(ip);
	u32(pid, tid);
	u64(time);
	u32(0, 0);
	u64(1);
	u64(2);
	u64((uint64_t)-512);		/* PERF_CONTEXT_USER */
	u64(ip);
	end(at);
}

static void
sample(uint32_t pid, uint64_t ip)
{
	sample_at(tick(), pid, pid, ip, FIRST_ID);
}

static const char *
name(const char *what, uint64_t i)
{
	static char s[64];

	snprintf(s, sizeof s, "%s%" PRIu64, what, i);
	return s;
}

static void
named(uint32_t pid, uint32_t tid, uint16_t misc, const char *s)
{
	comm(pid, tid, misc, s, tick(), 0, FIRST_ID);
}

static void
map(uint32_t pid, uint64_t from, uint64_t len, const char *file, uint64_t inode)
{
	mmap2(pid, from, len, inode, file, tick(), 0, FIRST_ID);
}

static void
plain_head(uint64_t count)
{
	cpus = 1;
	head(count, SAMPLE_TYPE);
}

/* Of a stream whose attrs follow. */
static void
bare_head(uint64_t type)
{
	bytes("PERFILE2\20\0\0\0\0\0\0", 16);
	sample_type = type;
}

/* An attr with these ids. */
static void
attr(uint32_t type, uint64_t config, uint64_t first_id, unsigned ids, uint64_t step)
{
	uint64_t a[16] = { type | UINT64_C(128) << 32, config, 4000, sample_type, 4, 1 << 18 | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 23 | 1 << 24 };
	size_t at = begin(64, 0);

	bytes(a, sizeof a);
	for (unsigned i = 0; i < ids; i++)
		u64(first_id + i * step);
	end(at);
}

#endif

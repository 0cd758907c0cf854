/* SPDX-License-Identifier: ISC */
/*
 * put.h - records of a stream, made one behind the other, with samples, events and names that are alike: for gen.c and growth.c, each of
 * which includes it once
 */
#ifndef BENCH_PUT_H
#define BENCH_PUT_H

#include <err.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "record/wide.h"

enum { PUT_BUF = 1 << 20, PUT_HEAD = 8, FIRST_ID = 1000, GAP = 100000 };	/* GAP: ns between samples of a CPU */
enum { FORK = 7, EXIT = 4 };
static const uint64_t START = 1000000000000;
/* IDENTIFIER|IP|TID|TIME|CALLCHAIN|CPU|PERIOD */
static const uint64_t SAMPLE_TYPE = 0x10000 | 1 | 2 | 4 | 0x20 | 0x80 | 0x100;

static uint8_t buf[PUT_BUF + 65536];
static size_t used;
static uint64_t written, seed = 88172645463325252u;
static uint32_t cpus = 64;

static uint64_t
rnd(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return wide_mul(seed, below).hi;
}

static void
flush(void)
{
	for (size_t done = 0; done < used;) {
		ssize_t put = write(STDOUT_FILENO, buf + done, used - done);

		if (put < 0)
			err(1, "write");
		done += (size_t)put;
	}
	used = 0;
}

static void
bytes(const void *p, size_t n)
{
	memcpy(buf + used, p, n);
	used += n;
}

static void
u64(uint64_t v)
{
	bytes(&v, 8);
}

static void
u32(uint32_t lo, uint32_t hi)
{
	u64(lo | (uint64_t)hi << 32);
}

/* Begin a record; its size is set by end(). */
static size_t
begin(uint32_t type, uint16_t misc)
{
	if (used > PUT_BUF)
		flush();
	u32(type, misc);
	return used - PUT_HEAD;
}

static void
end(size_t at)
{
	uint16_t n = (uint16_t)(used - at);

	memcpy(buf + at + 6, &n, sizeof n);
	written += n;
}

static void
text(const char *s)
{
	size_t n = strlen(s) + 1;

	memset(buf + used, 0, (n + 7) & ~(size_t)7);
	memcpy(buf + used, s, n);
	used += (n + 7) & ~(size_t)7;
}

static uint64_t
id_of(uint64_t event, uint32_t cpu)
{
	return FIRST_ID + event * cpus + cpu;
}

/* The head of the stream, and an attr for each event, the first of which has all side-band. */
static void
head(uint64_t events, uint64_t sample_type)
{
	/* inherit, freq, sample_id_all, exclude_guest; mmap, comm, task, mmap2, comm_exec */
	const uint64_t flags = 1 << 1 | 1 << 10 | 1 << 18 | 1 << 20, tracking = 1 << 8 | 1 << 9 | 1 << 13 | 1 << 23 | 1 << 24;

	bytes("PERFILE2\20\0\0\0\0\0\0", 16);
	written = 16;
	for (uint64_t e = 0; e < events; e++) {
		uint64_t attr[16] = { 1 | UINT64_C(128) << 32, e % 9, 4000, sample_type, 4, flags | (e ? 0 : tracking) };
		size_t at = begin(64, 0);

		bytes(attr, sizeof attr);
		for (uint32_t c = 0; c < cpus; c++)
			u64(id_of(e, c));
		end(at);
	}
}

static void
trailer(uint32_t pid, uint64_t time, uint32_t cpu, uint64_t id)
{
	u32(pid, pid);
	u64(time);
	u32(cpu, 0);
	u64(id);
}

/* Of no id: as perf record synthesises it. */
static void
comm(uint32_t pid, uint32_t tid, uint16_t misc, const char *name, uint64_t time, uint32_t cpu, uint64_t id)
{
	size_t at = begin(3, misc);

	u32(pid, tid);
	text(name);
	trailer(id ? pid : 0, time, cpu, id);
	end(at);
}

static void
mmap2(uint32_t pid, uint64_t addr, uint64_t len, uint64_t inode, const char *name, uint64_t time, uint32_t cpu, uint64_t id)
{
	size_t at = begin(10, 2);

	u32(pid, pid);
	u64(addr);
	u64(len);
	u64(0);
	u32(8, 1);
	u64(inode);
	u64(7);
	u32(5, 2);
	text(name);
	trailer(id ? pid : 0, time, cpu, id);
	end(at);
}

/* FORK or EXIT */
static void
task(uint32_t type, uint32_t pid, uint32_t parent, uint64_t time, uint32_t cpu)
{
	size_t at = begin(type, 0);

	u32(pid, parent);
	u32(pid, parent);
	u64(time);
	trailer(type == FORK ? parent : pid, time, cpu, id_of(0, cpu));
	end(at);
}

#endif

/* SPDX-License-Identifier: ISC */
/* put.h - records of a stream, made one behind the other: for gen.c and growth.c, each of which includes it once */
#ifndef BENCH_PUT_H
#define BENCH_PUT_H

#include <err.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "record/wide.h"

enum { PUT_BUF = 1 << 20, PUT_HEAD = 8 };

static uint8_t buf[PUT_BUF + 65536];
static size_t used;
static uint64_t written, seed = 88172645463325252u;

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

#endif

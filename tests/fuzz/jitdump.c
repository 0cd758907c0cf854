/* SPDX-License-Identifier: ISC */
/*
 * jitdump.c - libFuzzer target: any bytes as a jitdump that grows (cmd/pinject/code/jitdump.c)
 *
 * The sum of the bytes decides in how many steps the file gets them, and which records are read again.  What must hold: no
 * sanitizer error; what is returned can be read, and is sound; a failure has a text and stays; the functions of a file that
 * grows are those of the whole file, as far as they go.
 */
#include <sys/mman.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code/jitdump.h"
#include "tool/tool.h"
#include "alloc.h"
#include "fuzz.h"

static volatile unsigned nobody_reads;

static unsigned
touch(const void *p, size_t n)
{
	unsigned sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = sum * 31 + ((const uint8_t *)p)[i];
	return sum;
}

static unsigned
check(const struct jitdump_code *c)
{
	const struct image_fn *f = &c->fn;
	unsigned sum = touch(&c->time, 8) + (unsigned)f->size;

	MUST(f->addr + f->size >= f->addr);
	if (c->kind == JITDUMP_MOVE)
		return sum;
	MUST(f->size <= JITDUMP_CODE_MAX);
	sum += touch(f->name, strlen(f->name)) + touch(f->code, f->size) + touch(f->unwind, f->unwind_size);
	MUST(f->unwind_hdr_size <= f->unwind_size || !f->unwind);
	for (size_t i = 0; i < f->nlines; i++) {
		MUST(!i || f->lines[i - 1].addr <= f->lines[i].addr);
		sum += touch(f->lines[i].file, strlen(f->lines[i].file));
	}
	return sum;
}

enum { CODES = 4096 };

/* Returns how many codes there are; sums: of each. */
static unsigned
read_all(const uint8_t *p, size_t n, size_t step, bool again, unsigned *sums)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), rc = 0;
	struct jitdump_head head;
	struct jitdump_code c;
	struct pp_err err;
	struct jitdump *j = jitdump_new(dup(fd), "fuzz", &err);
	unsigned got = 0;

	for (size_t at = 0; at < n && rc >= 0; at += step) {
		size_t now = n - at < step ? n - at : step;

		MUST(pwrite(fd, p + at, now, (off_t)at) == (ssize_t)now);
		if ((rc = jitdump_head(j, &head)) <= 0)
			continue;
		while (got < CODES && (rc = jitdump_next(j, &c)) > 0) {
			sums[got] = check(&c);
			if (again && sums[got] & 1) {
				jitdump_again(j);
				MUST(jitdump_next(j, &c) == 1 && check(&c) == sums[got]);
			}
			got++;
		}
	}
	MUST((rc < 0) == (err.what[0] != 0));
	MUST(rc >= 0 || jitdump_head(j, &head) < 0 || jitdump_next(j, &c) < 0);
	jitdump_free(j);
	close(fd);
	return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static unsigned whole[CODES], grown[CODES];
	unsigned sum = touch(p, n), a, b;

	a = read_all(p, n, n, false, whole);
	b = read_all(p, n, 1 + sum % 97, true, grown);
	MUST(a == b && !memcmp(whole, grown, a * sizeof *whole));
	nobody_reads = sum;
	return 0;
}

/* SPDX-License-Identifier: ISC */
/*
 * stacks.c - a stream of BYTES bytes whose samples have copies of stacks, as perf record --call-graph dwarf writes it: stacks BYTES
 *
 * It needs no perf: the samples are of this program itself, taken in its own functions, 30 to 44 calls deep, with the registers and
 * 8 KiB of the stack; the maps are its own.  For x86-64 and aarch64.
 */
#include <err.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { FEW = 30, MANY = 44, COPY = 8192, ROUND = 64 };
enum { IP = 1, TID = 2, TIME = 4, CALLCHAIN = 32, REGS = 1 << 12, STACK = 1 << 13 };	/* of sample_type */
enum { SAMPLE = 9, MMAP2 = 10, ATTR = 64, FINISHED_ROUND = 68 };

#ifdef __x86_64__
static const uint64_t mask = 0xff01ff;		/* AX to IP, R8 to R15 */
static const int order[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP, REG_R8, REG_R9, REG_R10, REG_R11,
    REG_R12, REG_R13, REG_R14, REG_R15 };
enum { NREGS = sizeof order / sizeof *order, SP = 7, PC = 8 };
#else
enum { NREGS = 33, SP = 31, PC = 32 };		/* X0 to X30, SP, PC */
static const uint64_t mask = (UINT64_C(1) << NREGS) - 1;
#endif

/* Of functions with large variables: main() would have a frame that is larger than the copies, which then did not reach its caller. */
#define NOT_IN_MAIN __attribute__((noinline))

static struct taken { uint64_t regs[NREGS], used; uint8_t copy[COPY]; } taken[MANY + 1];
static uint64_t top;				/* of the stack */
static uint64_t written, now;
static volatile int sink;

static void
put(const void *p, size_t n)
{
	if (fwrite(p, 1, n, stdout) != n)
		err(1, "write");
	written += n;
}

static void
head(uint32_t type, uint16_t misc, size_t size)
{
	struct { uint32_t type; uint16_t misc, size; } h = { type, misc, (uint16_t)(size + 8) };

	put(&h, sizeof h);
}

static void
take(struct taken *t)
{
	ucontext_t c;

	if (getcontext(&c) < 0)
		err(1, "getcontext");
#ifdef __x86_64__
	for (int i = 0; i < NREGS; i++)
		t->regs[i] = (uint64_t)c.uc_mcontext.gregs[order[i]];
#elif defined __aarch64__
	memcpy(t->regs, c.uc_mcontext.regs, 31 * sizeof *t->regs);
	t->regs[SP] = c.uc_mcontext.sp;
	t->regs[PC] = c.uc_mcontext.pc;
#endif
	t->used = top - t->regs[SP] < COPY ? top - t->regs[SP] : COPY;
	memcpy(t->copy, (const void *)(uintptr_t)t->regs[SP], t->used);
}

/* Each call has some variables in memory, as those of programs have. */
__attribute__((noinline)) static int
down(int n, struct taken *t)
{
	volatile int v[8];
	int r = n;

	for (int i = 0; i < 8; i++)
		v[i] = n + i;
	if (n > 1)
		r += down(n - 1, t);
	else
		take(t);
	return r + v[n & 7];
}

/* Write the maps, and note the end of the stack. */
NOT_IN_MAIN static void
put_maps(uint32_t pid)
{
	char line[4096], prot[5], name[1024];
	FILE *f = fopen("/proc/self/maps", "re");

	if (!f)
		err(1, "/proc/self/maps");
	while (fgets(line, sizeof line, f)) {
		struct {
			uint32_t pid, tid;
			uint64_t start, len, pgoff;
			uint32_t maj, min;
			uint64_t ino, generation;
			uint32_t prot, flags;
			char name[1024];
		} m = { .pid = pid, .tid = pid, .flags = 2 };
		uint64_t end;
		size_t size;

		*name = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %1023[^\n]", &m.start, &end, prot, &m.pgoff, &m.maj,
		    &m.min, &m.ino, name) < 7)
			continue;
		if (!strcmp(name, "[stack]"))
			top = end;
		m.len = end - m.start;
		m.prot = (prot[0] == 'r') | (prot[1] == 'w') << 1 | (prot[2] == 'x') << 2;
		snprintf(m.name, sizeof m.name, "%s", *name ? name : "//anon");
		size = (offsetof(__typeof__(m), name) + strlen(m.name) + 8) & ~(size_t)7;
		head(MMAP2, prot[2] == 'x' ? 2 : 2 | 1 << 13, size);
		put(&m, size);
	}
	fclose(f);
}

static void
put_attr(void)
{
	uint8_t attr[96] = { 1 };
	uint32_t size = sizeof attr, clock = CLOCK_MONOTONIC, stack = COPY;
	uint64_t type = IP | TID | TIME | CALLCHAIN | REGS | STACK, id = 1;
	/* exclude_callchain_user, mmap, mmap2, mmap_data, use_clockid */
	uint64_t flags = UINT64_C(1) << 22 | 1 << 8 | 1 << 23 | 1 << 17 | 1 << 25;

	memcpy(attr + 4, &size, 4);
	memcpy(attr + 24, &type, 8);
	memcpy(attr + 40, &flags, 8);
	memcpy(attr + 80, &mask, 8);
	memcpy(attr + 88, &stack, 4);
	memcpy(attr + 92, &clock, 4);
	head(ATTR, 0, sizeof attr + sizeof id);
	put(attr, sizeof attr);
	put(&id, sizeof id);
}

NOT_IN_MAIN static void
put_sample(uint32_t pid, const struct taken *t)
{
	struct { uint64_t ip; uint32_t pid, tid; uint64_t time, nr, abi, regs[NREGS], size; uint8_t copy[COPY]; uint64_t used; } s = {
		t->regs[PC], pid, pid, now += 1000, 0, 2, { 0 }, COPY, { 0 }, t->used };

	memcpy(s.regs, t->regs, sizeof s.regs);
	memcpy(s.copy, t->copy, sizeof s.copy);
	head(SAMPLE, 2, sizeof s);
	put(&s, sizeof s);
}

int
main(int argc, char **argv)
{
	uint64_t bytes = argc == 2 ? strtoull(argv[1], NULL, 0) : 0;
	uint32_t pid = (uint32_t)getpid();
	struct timespec t;

	if (!bytes)
		errx(2, "usage: stacks BYTES");
#if !defined __x86_64__ && !defined __aarch64__
	errx(1, "the registers of this machine are not known");
#endif
	clock_gettime(CLOCK_MONOTONIC, &t);
	now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	put("PERFILE2\20\0\0\0\0\0\0", 16);
	put_attr();
	put_maps(pid);
	for (int n = FEW; n <= MANY; n++)
		sink += down(n, &taken[n]);
	for (int n = FEW, i = 1; written < bytes; i++, n = n < MANY ? n + 1 : FEW) {
		put_sample(pid, &taken[n]);
		if (i % ROUND == 0)
			head(FINISHED_ROUND, 0, 0);
	}
	head(FINISHED_ROUND, 0, 0);
	return 0;
}

/* SPDX-License-Identifier: ISC */
/*
 * jit.c - a process that makes code at run time, runs it, and writes a jitdump: jit [option...] DIR; prints the dump's name.
 * With -P, it writes perf-PID.map instead, and into DIR/truth a line "FROM TO NAME" for each run of a function, in ns of
 * CLOCK_MONOTONIC.
 *
 *	-n N	so many functions (default 3)	-m MS	each runs so long, in ms (default 20; 0: once)
 *	-p	all at one place, one after another (default: side by side)
 *	-M	each moves to another place and runs there again
 *	-r	mprotect(2) of the whole area before each function is made: writable, executable
 *	-f	a child runs the functions again, and makes one of its own in the parent's dump
 *	-t	times are CPU cycles (arch timestamps)
 *	-d	with source lines: lines of "made.src"		-u	with unwinding tables
 *	-c	the functions call each other, deeper and deeper, without frame pointers (needs -u)
 *	-k	the process stays until standard input ends
 *	-q N	before these, so many functions QUICK_N that run once each, side by side (needs -P)
 *
 * Function N is called NAMED_N, and adds N + 1 in its loop.  The dump is unbuffered.  For x86-64 and aarch64; for i386 with -P only.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

enum { PLACE = 192, MOVED = 16 << 20 };

static struct { unsigned n, ms, quick; bool one_place, move, protect, fork, cycles, lines, unwind, chain, stay, map; } o = { .n = 3, .ms = 20 };
static uint8_t *area;
static size_t area_size;
static int dump;
static FILE *map, *truth;

typedef uint64_t function(uint64_t rounds);

static uint64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static uint64_t
stamp(void)
{
#ifdef __x86_64__
	if (o.cycles)
		return __rdtsc();
#endif
	return now_ns();
}

/* ---- the dump --------------------------------------------------------------------------------------- */

struct out { uint8_t b[4096]; size_t n; };

static void
put(struct out *b, const void *p, size_t n)
{
	if (n > sizeof b->b - b->n)
		errx(1, "record too long");
	memcpy(b->b + b->n, p, n);
	b->n += n;
}

static void
put4(struct out *b, uint32_t v)
{
	put(b, &v, 4);
}

static void
put8(struct out *b, uint64_t v)
{
	put(b, &v, 8);
}

static void
begin(struct out *b, uint32_t id)
{
	b->n = 0;
	put4(b, id);
	put4(b, 0);
	put8(b, stamp());
}

static void
end(struct out *b)
{
	uint32_t n = (uint32_t)b->n;

	memcpy(b->b + 4, &n, 4);
	if (write(dump, b->b, b->n) != (ssize_t)b->n)
		err(1, "dump");
}

/* A file in DIR that gets each line at once. */
static FILE *
open_lines(const char *dir, const char *file)
{
	char name[4096];
	FILE *f;

	snprintf(name, sizeof name, "%s/%s", dir, file);
	if (!(f = fopen(name, "we")))
		err(1, "%s", name);
	setvbuf(f, NULL, _IOLBF, 0);
	return f;
}

static void
open_map(const char *dir)
{
	char name[64];

	snprintf(name, sizeof name, "perf-%d.map", (int)getpid());
	map = open_lines(dir, name);
	truth = open_lines(dir, "truth");
	puts(name);
	fflush(stdout);
}

static void
open_dump(const char *dir)
{
	struct out b = { .n = 0 };
	char name[4096];

	snprintf(name, sizeof name, "%s/jit-%d.dump", dir, (int)getpid());
	dump = open(name, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	/* the map by which perf finds the dump */
	if (dump < 0 || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump, 0) == MAP_FAILED)
		err(1, "%s", name);
	put4(&b, 0x4a695444);
	put4(&b, 1);
	put4(&b, 40);
#ifdef __x86_64__
	put4(&b, EM_X86_64);
#else
	put4(&b, EM_AARCH64);
#endif
	put4(&b, 0);
	put4(&b, (uint32_t)getpid());
	put8(&b, stamp());
	put8(&b, o.cycles);
	if (write(dump, b.b, b.n) != (ssize_t)b.n)
		err(1, "%s", name);
	puts(name);
	fflush(stdout);
}

/* ---- code: returns the number of bytes ------------------------------------------------------------------ */

static size_t
make_code(uint8_t *p, unsigned i, const uint8_t *callee)
{
	size_t n = 0;
#ifdef __x86_64__
#define B(...) do { static const uint8_t b_[] = { __VA_ARGS__ }; memcpy(p + n, b_, sizeof b_); n += sizeof b_; } while (0)
	uint32_t add = i + 1;

	if (callee) {
		B(0x48, 0x83, 0xec, 0x18);			/* sub $24,%rsp */
		B(0x48, 0xb8); memcpy(p + n, &callee, 8); n += 8;	/* mov $callee,%rax */
		B(0xff, 0xd0, 0x48, 0x83, 0xc4, 0x18, 0xc3);	/* call *%rax; add $24,%rsp; ret */
		return n;
	}
	B(0x31, 0xc0);						/* xor %eax,%eax */
	B(0x48, 0x05); memcpy(p + n, &add, 4); n += 4;		/* 1: add $i,%rax */
	B(0x48, 0xff, 0xcf, 0x75, 0xf5, 0xc3);			/* dec %rdi; jnz 1b; ret */
#elif defined __aarch64__
	const uint32_t code[] = { 0xd2800001, 0x91000021 | (i & 0xfff) << 10, 0xf1000400, 0x54ffffc1, 0xaa0103e0, 0xd65f03c0 };

	(void)callee;
	memcpy(p, code, sizeof code);
	n = sizeof code;
#elif defined __i386__
	/* mov 4(%esp),%ecx; xor %eax,%eax; xor %edx,%edx; 1: add $i,%eax; dec %ecx; jnz 1b; ret */
	const uint8_t code[] = { 0x8b, 0x4c, 0x24, 4, 0x31, 0xc0, 0x31, 0xd2, 5, (uint8_t)(i + 1), (uint8_t)((i + 1) >> 8), 0, 0,
		0x49, 0x75, 0xf8, 0xc3 };

	if (!o.map || callee)
		errx(1, "no jitdump for this machine");
	memcpy(p, code, sizeof code);
	n = sizeof code;
#else
	(void)p;
	(void)i;
	(void)callee;
	errx(1, "no code for this machine");
#endif
	return n;
}

/* .eh_frame of one function and .eh_frame_hdr, as they stand behind the code at a multiple of 8. */
static void
put_unwinding(size_t size, bool frame)
{
	int32_t behind = (int32_t)((size + 7) & ~(size_t)7);
	struct out b, t = { .n = 0 };
	static const uint8_t cie[] = { 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 12, 7, 8, 0x90, 1, 0, 0 };
	uint8_t cfa[] = { 0x44, 14, 32, 0x40 + 12, 14, 8, 0 };	/* behind the sub, 32 bytes; before the ret, 8 */
	uint32_t fde;
	size_t hdr;

	put4(&t, sizeof cie);
	put(&t, cie, sizeof cie);
	fde = (uint32_t)t.n;
	put4(&t, 20);
	put4(&t, (uint32_t)t.n);				/* back to the CIE */
	put4(&t, (uint32_t)-(behind + (int32_t)t.n));		/* the function, relative to here */
	put4(&t, (uint32_t)size);
	put(&t, "", 1);						/* no augmentation */
	put(&t, frame ? cfa : (const uint8_t *)"\0\0\0\0\0\0", 7);
	put4(&t, 0);						/* the end */
	hdr = t.n;
	put(&t, "\1\x1b\3\x3b", 4);
	put4(&t, (uint32_t)-(int32_t)t.n);			/* .eh_frame, relative to here */
	put4(&t, 1);
	put4(&t, (uint32_t)-(behind + (int32_t)hdr));		/* the function, and its FDE, relative to .eh_frame_hdr */
	put4(&t, fde - (uint32_t)hdr);
	begin(&b, 4);
	put8(&b, t.n);
	put8(&b, t.n - hdr);
	put8(&b, 0);
	put(&b, t.b, t.n);
	end(&b);
}

static void
put_lines(const uint8_t *at, unsigned i)
{
	struct out b;

	begin(&b, 2);
	put8(&b, (uintptr_t)at);
	put8(&b, 3);
	for (unsigned k = 0; k < 3; k++) {			/* before, in and behind the loop */
		put8(&b, (uintptr_t)at + (k == 0 ? 0 : k == 1 ? 2 : 13));
		put4(&b, 100 * (i + 1) + k);
		put4(&b, 0);
		put(&b, k ? "\xff" : "made.src", k ? 2 : 9);
	}
	end(&b);
}

static void
put_load(const uint8_t *at, size_t size, unsigned i, const char *what)
{
	struct out b;
	char name[64];

	snprintf(name, sizeof name, "%s_%u", what, i);
	if (o.map) {
		fprintf(map, "%jx %zx %s\n", (uintmax_t)(uintptr_t)at, size, name);
		return;
	}
	begin(&b, 0);
	put4(&b, (uint32_t)getpid());
	put4(&b, (uint32_t)syscall(SYS_gettid));
	put8(&b, (uintptr_t)at);
	put8(&b, (uintptr_t)at);
	put8(&b, size);
	put8(&b, i);
	put(&b, name, strlen(name) + 1);
	put(&b, at, size);
	end(&b);
}

static void
run(const uint8_t *at)
{
	uint64_t until = now_ns() + o.ms * UINT64_C(1000000);
	function *f;

	memcpy(&f, &at, sizeof f);
	do
		f(o.ms ? 100000 : 3);
	while (now_ns() < until);
}

static void
protect(int prot)
{
	if (mprotect(area, area_size, prot) < 0)
		err(1, "mprotect");
}

static uint8_t *
make(unsigned i, const char *what, const uint8_t *callee)
{
	uint8_t *at = area + (o.one_place && i < o.n ? 0 : (size_t)i * PLACE);
	size_t size;

	if (o.protect)
		protect(PROT_READ | PROT_WRITE);
	size = make_code(at, i, callee);
	__builtin___clear_cache((char *)at, (char *)at + size);
	if (o.protect)
		protect(PROT_READ | PROT_EXEC);
	if (o.lines)
		put_lines(at, i);
	if (o.unwind)
		put_unwinding(size, callee);
	put_load(at, size, i, what);
	return at;
}

static void
move(const uint8_t *at, unsigned i)
{
	uint8_t *to = area + MOVED + (at - area);
	struct out b;

	if (o.protect)
		protect(PROT_READ | PROT_WRITE);
	memcpy(to, at, PLACE);
	__builtin___clear_cache((char *)to, (char *)to + PLACE);
	memset((void *)(uintptr_t)at, 0xcc, 8);
	if (o.protect)
		protect(PROT_READ | PROT_EXEC);
	begin(&b, 1);
	put4(&b, (uint32_t)getpid());
	put4(&b, (uint32_t)syscall(SYS_gettid));
	put8(&b, (uintptr_t)to);
	put8(&b, (uintptr_t)at);
	put8(&b, (uintptr_t)to);
	put8(&b, PLACE);
	put8(&b, i);
	end(&b);
	run(to);
}

static void
child(void)
{
	if (!fork()) {
		for (unsigned i = 0; i < o.n && !o.one_place; i++)
			run(area + (size_t)i * PLACE);
		run(make(o.n, "child", NULL));
		_exit(0);
	}
	wait(NULL);
}

/* Run a function that is not chained, and note when. */
static void
run_noted(const uint8_t *at, unsigned i)
{
	uint64_t from = now_ns();

	run(at);
	if (o.map)
		fprintf(truth, "%ju %ju made_%u\n", (uintmax_t)from, (uintmax_t)now_ns(), i);
}

static void
make_quick(void)
{
	unsigned ms = o.ms;

	o.ms = 0;
	for (unsigned i = 0; i < o.quick; i++)
		run(make(o.n + 1 + i, "quick", NULL));
	o.ms = ms;
}

static void
options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "n:m:q:pMrftduckP")) != -1)
		switch (c) {
		case 'n': o.n = (unsigned)strtoul(optarg, NULL, 10); break;
		case 'm': o.ms = (unsigned)strtoul(optarg, NULL, 10); break;
		case 'p': o.one_place = true; break;
		case 'M': o.move = true; break;
		case 'r': o.protect = true; break;
		case 'f': o.fork = true; break;
		case 't': o.cycles = true; break;
		case 'd': o.lines = true; break;
		case 'u': o.unwind = true; break;
		case 'c': o.chain = true; break;
		case 'k': o.stay = true; break;
		case 'P': o.map = true; break;
		case 'q': o.quick = (unsigned)strtoul(optarg, NULL, 10); break;
		default: errx(2, "usage: jit [-pMrftduckP] [-n N] [-m MS] [-q N] DIR");
		}
	if (optind != argc - 1)
		errx(2, "usage: jit [option...] DIR");
}

int
main(int argc, char **argv)
{
	const uint8_t *last = NULL;
	char c;

	options(argc, argv);
	area_size = ((size_t)(o.n + 1 + o.quick) * PLACE + MOVED * (o.move ? 2 : 0) + 4095) & ~(size_t)4095;
	area = mmap(NULL, area_size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		err(1, "mmap");
	(o.map ? open_map : open_dump)(argv[optind]);
	make_quick();
	for (unsigned i = 0; i < o.n; i++) {
		last = make(i, "made", o.chain ? last : NULL);
		if (!o.chain || i == o.n - 1)
			run_noted(last, i);
		if (o.move)
			move(last, i);
	}
	if (o.fork)
		child();
	while (o.stay && read(0, &c, 1) > 0)
		;
	return 0;
}

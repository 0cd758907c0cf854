/* SPDX-License-Identifier: ISC */
/*
 * self.c - a program that knows its call chain: self DEPTH [SEED] [signal|thread|behind|alone]
 *
 * It calls functions of several kinds, so many deep, and then prints itself as tests/unwinding.c reads it, and the chain as a line
 * "want ADDRESS ...": the return addresses that each function saw, less 1, the first frame and those of a signal as they are.
 * What calls main() or starts a thread it does not know.  behind, alone: a signal, whose trampoline has no tables, and is right behind a function
 * or behind code of none.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#if __GNUC__ && !defined __clang__
#define KEEP __attribute__((optimize("no-optimize-sibling-calls")))
#else
#define KEEP
#endif
#ifdef __aarch64__
static const int callee[] = { 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30 };
#define PC(c) (c)->uc_mcontext.pc
#define SP(c) (c)->uc_mcontext.sp
/* a return address as it is after a function has checked its signature */
#define CALLER() ((uintptr_t)__builtin_return_address(0) & 0xffffffffffff)
#else
#define PC(c) (uint64_t)(c)->uc_mcontext.gregs[REG_RIP]
#define SP(c) (uint64_t)(c)->uc_mcontext.gregs[REG_RSP]
#define CALLER() (uintptr_t)__builtin_return_address(0)
#endif

enum { MOST = 400, COPY = 60000 };
static uintptr_t known[MOST];		/* outermost first */
static int exact[MOST], nknown;
static volatile int sink;
static int with_signal;
static unsigned seed;
static uint8_t copy[COPY];

static void
print_self(const ucontext_t *c, uintptr_t top)
{
	char line[4096];
	uint64_t sp = SP(c);
	size_t size = top - sp < COPY ? top - sp : COPY;
	FILE *f = fopen("/proc/self/maps", "r");

	memcpy(copy, (const void *)(uintptr_t)sp, size);
#ifdef __aarch64__
	for (unsigned i = 0; i < sizeof callee / sizeof callee[0]; i++)
		printf("reg %d %" PRIx64 "\n", callee[i], (uint64_t)c->uc_mcontext.regs[callee[i]]);
	printf("reg 31 %" PRIx64 "\nreg 32 %" PRIx64 "\n", sp, (uint64_t)PC(c));
#else
	const struct { int perf, greg; } reg[] = { { 1, REG_RBX }, { 6, REG_RBP }, { 7, REG_RSP }, { 8, REG_RIP }, { 20, REG_R12 },
	    { 21, REG_R13 }, { 22, REG_R14 }, { 23, REG_R15 } };

	for (unsigned i = 0; i < sizeof reg / sizeof reg[0]; i++)
		printf("reg %d %" PRIx64 "\n", reg[i].perf, (uint64_t)c->uc_mcontext.gregs[reg[i].greg]);
#endif
	while (f && fgets(line, sizeof line, f))
		printf("map %s", line);
	printf("stack ");
	for (size_t i = 0; i < size; i++)
		printf("%02x", copy[i]);
	printf("\nwant %" PRIx64, (uint64_t)PC(c));
	for (int i = nknown; i--;)
		printf(" %" PRIx64, (uint64_t)(known[i] - !exact[i]));
	printf("\nend\n");
	fflush(stdout);
}

/* The end of what may be copied: of the main stack, or of the thread's. */
static uintptr_t
stack_end(void)
{
	pthread_attr_t a;
	void *p;
	size_t n;

	if (pthread_getattr_np(pthread_self(), &a) || pthread_attr_getstack(&a, &p, &n))
		exit(2);
	pthread_attr_destroy(&a);
	return (uintptr_t)p + n;
}

static NOINLINE KEEP void
leaf(void)
{
	static ucontext_t c;

	known[nknown++] = CALLER();
	getcontext(&c);
	print_self(&c, stack_end());
	sink++;
}

static void
on_signal(int s, siginfo_t *si, void *context)
{
	ucontext_t *c = context;

	(void)s, (void)si;
	exact[nknown] = 1;
	known[nknown++] = PC(c);
	exact[nknown] = 1;			/* the trampoline */
	known[nknown++] = CALLER();
	leaf();
	exit(0);
}

#ifdef __aarch64__
#define RETURN "mov x8, #139\n svc #0\n"
#else
#define RETURN "mov $15, %rax\n syscall\n"
#endif
__attribute__((visibility("hidden"))) void behind(void), alone(void);
__asm__(".text\n .globl behind, alone\n .balign 16\n .cfi_startproc\n nop\n ret\n .cfi_endproc\n behind: " RETURN " .balign 16\n nop\n alone: " RETURN
    " .balign 16\n");

static void
set_trampoline(void (*function)(void))
{
	struct {
		void		(*handler)(int, siginfo_t *, void *);
		unsigned long	 flags;
		void		(*restorer)(void);
		uint64_t	 mask;
	} a = { on_signal, SA_SIGINFO | 0x04000000 /* SA_RESTORER */, function, 0 };

	syscall(SYS_rt_sigaction, SIGSEGV, &a, NULL, sizeof a.mask);
}

static int *volatile nowhere = (int *)8;

static NOINLINE KEEP void
fault(void)
{
	known[nknown++] = CALLER();
	__asm__ volatile("" ::: "memory");
	*nowhere = 1;
	sink++;
}

static NOINLINE int go(int n);

static NOINLINE KEEP int
plain(int n)
{
	known[nknown++] = CALLER();
	return go(n) + 1;
}

/* Keeps values in many registers. */
static NOINLINE KEEP int
saves(int n)
{
	int a = sink, b = sink + 1, c = sink + 2, d = sink + 3, e = sink + 4, r;

	known[nknown++] = CALLER();
	r = go(n);
	return r + a * b - c * d + e;
}

/* The CFA is by the frame pointer. */
static NOINLINE KEEP int
allocates(int n)
{
	volatile char *p = alloca((unsigned)n % 7 * 24 + 8);
	int r;

	known[nknown++] = CALLER();
	p[0] = 1;
	r = go(n);
	return r + p[0];
}

/* The stack is aligned: the CFA is by an expression on x86-64. */
static NOINLINE KEEP int
aligned(int n)
{
	_Alignas(64) volatile char b[128];
	volatile char *p = alloca((unsigned)n % 5 * 24 + 8);
	int r;

	known[nknown++] = CALLER();
	b[0] = p[0] = 1;
	r = go(n);
	return r + b[0] + p[0];
}

static NOINLINE KEEP int
large(int n)
{
	volatile char b[300];
	int r;

	known[nknown++] = CALLER();
	b[(unsigned)n % 300] = 1;
	r = go(n);
	return r + b[(unsigned)n % 300];
}

static NOINLINE KEEP int
go(int n)
{
	static int (*const kind[])(int) = { plain, saves, allocates, aligned, large };
	int r;

	known[nknown++] = CALLER();
	if (n <= 0) {
		if (with_signal)
			fault();
		else
			leaf();
		return sink;
	}
	seed = seed * 1103515245 + 12345;
	r = kind[seed >> 16 & 0xff ? (seed >> 16) % 5 : 0](n - 2);
	return r + sink;
}

static void *
thread(void *n)
{
	go(*(int *)n);
	sink++;
	return n;
}

int
main(int argc, char *argv[])
{
	int depth = argc > 1 ? atoi(argv[1]) : 10;
	struct sigaction a = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	pthread_t t;

	seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	if (argc > 3 && !strcmp(argv[3], "thread")) {
		pthread_create(&t, NULL, thread, &depth);
		pthread_join(t, NULL);
		return 0;
	}
	with_signal = argc > 3;
	if (!with_signal || !strcmp(argv[3], "signal"))
		sigaction(SIGSEGV, &a, NULL);
	else
		set_trampoline(!strcmp(argv[3], "behind") ? behind : alone);
	go(depth);
	sink++;
	return 0;
}

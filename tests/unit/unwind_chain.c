/* SPDX-License-Identifier: ISC */
/* unwind_chain.c - chains over stacks written by hand, and the cache of rules */
#include <malloc.h>

#include "unwind_elf.h"

/* ---- a process ----------------------------------------------------------------------------------------- */

enum { STACK = 0x7000000, WORDS = 4096, BASE = 0x10000000, JIT = 0x20000000, DATA = 0x30000000 };

struct process {
	struct unwinder	*u;
	struct elf	*e;
	struct unwind_file *f;
	struct unwind_map map[8];
	unsigned	 nmaps;
	struct unwind_regs regs;
	uint64_t	 stack[WORDS];
	size_t		 words;		/* of the copy */
	uint64_t	 ip[200];
	size_t		 n;
	enum unwind_end	 end;
	unsigned	 asked;
};

static bool
find(void *arg, uint64_t addr, struct unwind_map *m)
{
	struct process *p = arg;

	p->asked++;
	for (unsigned i = 0; i < p->nmaps; i++)
		if (addr >= p->map[i].start && addr < p->map[i].end) {
			*m = p->map[i];
			return true;
		}
	return false;
}

enum { SP = 7, IP = 8, BP = 6, LR = 30, SP64 = 31, PC64 = 32, FP64 = 29 };	/* as perf numbers them */

/* Once its functions are there: the file at BASE, code of nobody at JIT, the file's beginning as unwritable data at DATA. */
static void
start(struct process *p)
{
	const char *why;

	p->u = unwind_new(p->e->machine == EM_AARCH64 ? UNWIND_ARM64 : UNWIND_X86_64);
	finish(p->e);
	p->f = unwind_file_memory(p->u, p->e->file.p, p->e->file.n, &why);
	assert_non_null(p->f);
	p->map[p->nmaps++] = (struct unwind_map){ BASE, BASE + 0x8000, TEXT, true, false, p->f };
	p->map[p->nmaps++] = (struct unwind_map){ JIT, JIT + 0x8000, 0, true, true, NULL };
	p->map[p->nmaps++] = (struct unwind_map){ DATA, DATA + 0x1000, 0, false, false, p->f };
	p->words = WORDS;
	p->regs.mask = UINT64_MAX;
	p->regs.value[p->e->machine == EM_AARCH64 ? SP64 : SP] = STACK;
}

static struct process *
process(void)
{
	struct process *p = calloc(1, sizeof *p);

	p->e = calloc(1, sizeof *p->e);
	return p;
}

static void
halt(struct process *p)
{
	unwind_file_close(p->f);
	unwind_free(p->u);
	elf_end(p->e);
	free(p);
}

static void
chain(struct process *p, size_t max)
{
	/* in memory of its own size */
	uint64_t *copy = malloc(p->words * 8 + 1);
	struct unwind_stack s = { copy, p->words * 8 };
	struct unwind_space space = { find, p };

	for (size_t i = 0; i < p->words; i++)
		copy[i] = htole64(p->stack[i]);
	p->n = unwind_chain(p->u, &p->regs, &s, &space, p->ip, max, &p->end);
	free(copy);
}

#define CHAIN(p, why, ...) do {											\
	const uint64_t want_[] = { __VA_ARGS__ };								\
	chain(p, 127);												\
	assert_int_equal((p)->end, why);									\
	assert_int_equal((p)->n, sizeof want_ / 8);								\
	for (size_t i_ = 0; i_ < (p)->n; i_++)									\
		assert_int_equal((p)->ip[i_], want_[i_]);							\
} while (0)

/* Functions of 0x100 bytes: 0 has 24 bytes below its return address, 1 a frame pointer, 2 is where threads start. */
static void
three(struct process *p)
{
	add_cie(p->e, (struct cie_form){ 0 });
	add_fde(p->e, TEXT, 0x100, CODE(0x0e, 32));
	add_fde(p->e, TEXT + 0x100, 0x100, CODE(0x0e, 16, 0x86, 2, 0x0d, 6));
	add_fde(p->e, TEXT + 0x200, 0x100, CODE(0x07, 16));
}

static void
test_frames(void **state)
{
	struct process *p = process();

	(void)state;
	three(p);
	start(p);
	p->regs.value[IP] = BASE + 0x10;
	p->stack[3] = BASE + 0x120;		/* CFA: 4 */
	p->regs.value[BP] = STACK + 8 * 10;
	p->stack[10] = 0x1234;			/* CFA: 12 */
	p->stack[11] = BASE + 0x220;
	CHAIN(p, UNWIND_START, BASE + 0x10, BASE + 0x11f, BASE + 0x21f);
	/* as many as asked for; the next one is not looked for */
	chain(p, 2);
	assert_int_equal(p->n, 2);
	assert_int_equal(p->end, UNWIND_MAX);
	chain(p, 0);
	assert_int_equal(p->n, 0);
	/* a return address at the first byte of a function is in the call before it: in function 0 again */
	p->stack[3] = BASE + 0x100;
	p->stack[7] = BASE + 0x201;
	CHAIN(p, UNWIND_START, BASE + 0x10, BASE + 0xff, BASE + 0x200);
	halt(p);
}

static void
test_ends(void **state)
{
	struct process *p = process();

	(void)state;
	three(p);
	add_fde(p->e, TEXT + 0x300, 0x100, CODE(0x0c, 6, 0));		/* the CFA is the frame pointer itself */
	add_fde(p->e, TEXT + 0x400, 0x100, CODE(0x0c, 0, 8));		/* ... is behind rax */
	add_fde(p->e, TEXT + 0x500, 0x100, CODE(0x08, 16));		/* the return address is "the same" */
	add_fde(p->e, TEXT + 0x600, 0x100, CODE(0x86, 4));		/* rbp is below what the copy has */
	start(p);
	p->regs.value[IP] = BASE + 0x10;
	p->stack[3] = 0;
	CHAIN(p, UNWIND_START, BASE + 0x10);
	p->stack[3] = 0x1234;
	CHAIN(p, UNWIND_NO_MAP, BASE + 0x10);
	p->stack[3] = DATA + 0x10;
	CHAIN(p, UNWIND_NO_MAP, BASE + 0x10);
	p->stack[3] = 1;					/* less 1 */
	CHAIN(p, UNWIND_NO_MAP, BASE + 0x10);
	p->words = 3;
	CHAIN(p, UNWIND_COPY, BASE + 0x10);
	p->words = 0;
	CHAIN(p, UNWIND_COPY, BASE + 0x10);
	p->words = WORDS;
	/* the first one is written, wherever it is */
	p->regs.value[BP] = 0;
	p->regs.value[IP] = 0;
	CHAIN(p, UNWIND_NO_TABLES, 0);
	p->regs.value[IP] = 0x1234;
	CHAIN(p, UNWIND_NO_TABLES, 0x1234);
	/* a CFA that does not grow */
	p->regs.value[IP] = BASE + 0x10;
	p->stack[3] = BASE + 0x310;
	p->stack[2] = BASE + 0x310;
	p->regs.value[BP] = STACK + 8 * 4;
	CHAIN(p, UNWIND_LOOP, BASE + 0x10, BASE + 0x30f);
	p->regs.value[BP] = STACK - 8;
	p->regs.value[IP] = BASE + 0x310;
	CHAIN(p, UNWIND_LOOP, BASE + 0x310);
	/* registers that are not known */
	p->regs.value[IP] = BASE + 0x410;
	p->regs.value[0] = STACK;
	p->stack[0] = BASE + 0x220;
	CHAIN(p, UNWIND_START, BASE + 0x410, BASE + 0x21f);
	p->regs.value[IP] = BASE + 0x10;
	p->regs.value[0] = STACK + 8 * 9;
	p->stack[3] = BASE + 0x410;
	p->stack[9] = BASE + 0x220;
	CHAIN(p, UNWIND_START, BASE + 0x10, BASE + 0x40f, BASE + 0x21f);
	p->regs.mask = ~(UINT64_C(1) << 0);
	CHAIN(p, UNWIND_RULE, BASE + 0x10, BASE + 0x40f);
	p->regs.value[IP] = BASE + 0x410;
	CHAIN(p, UNWIND_RULE, BASE + 0x410);
	p->regs.mask = 1 << IP | 1 << BP;
	CHAIN(p, UNWIND_REGISTERS, BASE + 0x410);
	p->regs.mask = 1 << SP;
	chain(p, 127);
	assert_int_equal(p->n, 0);
	assert_int_equal(p->end, UNWIND_REGISTERS);
	p->regs.mask = UINT64_MAX;
	p->regs.value[IP] = BASE + 0x510;
	CHAIN(p, UNWIND_RULE, BASE + 0x510);
	/* what was not in the copy is missed where it is needed */
	p->regs.value[IP] = BASE + 0x610;
	p->stack[0] = BASE + 0x120;
	CHAIN(p, UNWIND_COPY, BASE + 0x610, BASE + 0x11f);
	assert_int_equal(unwind_stats(p->u)->end[UNWIND_RULE], 3);
	assert_int_equal(unwind_stats(p->u)->chains, 18);
	assert_int_equal(unwind_stats(p->u)->frames, 23);
	halt(p);
}

/* Programs of one function that calls itself: depths 1 to 126 are found so, and 300 gives 127. */
static void
test_depths(void **state)
{
	(void)state;
	for (unsigned depth = 1; depth <= 300; depth = depth < 126 ? depth + 1 : depth + 174) {
		struct process *p = process();

		three(p);
		start(p);
		p->regs.value[IP] = BASE + 0x10;
		for (unsigned i = 0; i < depth; i++)
			p->stack[4 * i + 3] = i + 1 < depth ? BASE + 0x11 : BASE + 0x220;
		chain(p, 127);
		assert_int_equal(p->n, depth < 126 ? depth + 1 : 127);
		assert_int_equal(p->end, depth <= 126 ? UNWIND_START : UNWIND_MAX);
		for (size_t i = 0; i < p->n; i++)
			assert_int_equal(p->ip[i], i == depth ? BASE + 0x21f : BASE + 0x10);
		assert_int_equal(unwind_stats(p->u)->misses, depth < 127 ? 2 : 1);
		assert_true(p->asked <= 2);
		halt(p);
	}
}

/*
 * A handler calls function 0 in which the sample is; the trampoline, function 3, has the registers that the signal interrupted in
 * memory, 5 words behind its stack pointer; so rbx is known in function 4, whose CFA is by rax.
 */
static void
test_signal(void **state)
{
	struct process *p = process();

	(void)state;
	three(p);
	add_cie(p->e, (struct cie_form){ .augmentation = "zRS" });
	add_fde(p->e, TEXT + 0x2ff, 0x101, CODE(0x0f, 3, 0x77, 48, 0x06, 0x10, 16, 2, 0x77, 40, 0x10, 0, 2, 0x77, 56, 0x10, 7, 2, 0x77, 48));
	add_cie(p->e, (struct cie_form){ 0 });
	add_fde(p->e, TEXT + 0x400, 0x100, CODE(0x0c, 0, 16));
	start(p);
	p->regs.value[IP] = BASE + 0x10;
	p->stack[3] = BASE + 0x300;		/* the trampoline's first byte: less 1, the entry has it */
	p->stack[4 + 5] = BASE + 0x400;		/* the first byte of the function is exact, and in its own entry */
	p->stack[4 + 6] = STACK + 8 * 20;	/* rsp */
	p->stack[4 + 7] = STACK + 8 * 30;	/* rax */
	p->stack[31] = BASE + 0x220;
	CHAIN(p, UNWIND_START, BASE + 0x10, BASE + 0x300, BASE + 0x400, BASE + 0x21f);
	/* from another stack, the interrupted one is below the handler's */
	p->regs.value[SP] = STACK + 8 * 100;
	memmove(p->stack + 100, p->stack, 8 * 20);
	chain(p, 127);
	assert_int_equal(p->end, UNWIND_COPY);
	assert_int_equal(p->n, 3);
	halt(p);
}

/*
 * The trampoline of a signal without tables, at 0x1000 behind code of nobody, and at 0x300 right behind function 2: its instructions, and the frame
 * that the kernel makes, at word `at' of the stack.  It interrupted function 0.
 */
static void
trampoline(struct process *p, const uint8_t *code, size_t n, size_t at)
{
	const bool arm = p->e->machine == EM_AARCH64;
	const size_t context = at + (arm ? 16 : 0), regs = context + (arm ? 23 : 5);

	memcpy(p->e->file.p + TEXT + 0x300, code, n);
	memcpy(p->e->file.p + TEXT + 0x1000, code, n);
	memset(p->stack, 0xff, sizeof p->stack);
	p->stack[context] = arm ? 0 : 7;		/* uc_flags */
	p->stack[context + 1] = 0;			/* uc_link */
	p->stack[regs + (arm ? 30 : 6)] = arm ? BASE + 0x220 : 0;	/* x30; r14 */
	p->stack[regs + (arm ? 31 : 15)] = STACK + 8 * (at + 100);	/* the stack pointer */
	p->stack[regs + (arm ? 32 : 16)] = BASE + 0x10;
	p->stack[at + 103] = BASE + 0x220;
}

static void
test_trampoline(void **state)
{
	static const struct { uint16_t machine; uint8_t load, n, code[9]; } forms[] = {
		{ EM_X86_64, 7, 9, { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 } },
		{ EM_X86_64, 5, 7, { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 } },
		{ EM_AARCH64, 4, 8, { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 } },
		{ EM_AARCH64, 4, 8, { 0x68, 0x11, 0x80, 0x52, 0x01, 0, 0, 0xd4 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct process *p = process();
		bool arm = forms[i].machine == EM_AARCH64;
		unsigned ip = arm ? PC64 : IP;

		p->e->machine = forms[i].machine;
		add_cie(p->e, arm ? (struct cie_form){ .ra = 30, .code = CODE(0x0c, 31, 0) } : (struct cie_form){ 0 });
		add_fde(p->e, TEXT, 0x100, arm ? CODE(0x0e, 32, 0x9e, 1) : CODE(0x0e, 32));
		add_fde(p->e, TEXT + 0x200, 0x100, arm ? CODE(0x07, 30) : CODE(0x07, 16));
		start(p);
		for (unsigned behind = 0; behind < 2; behind++) {
			uint64_t at = BASE + (behind ? 0x300 : 0x1000);

			/* a handler, function 0, returns to it */
			trampoline(p, forms[i].code, forms[i].n, 4);
			p->regs.value[ip] = BASE + 0x10;
			p->stack[3] = at;
			CHAIN(p, UNWIND_START, BASE + 0x10, at, BASE + 0x10, BASE + 0x21f);
			/* it runs itself, or is in the kernel */
			trampoline(p, forms[i].code, forms[i].n, 0);
			for (unsigned done = 0; done <= forms[i].n; done += done ? forms[i].n - forms[i].load : forms[i].load) {
				p->regs.value[ip] = at + done;
				CHAIN(p, UNWIND_START, at + done, BASE + 0x10, BASE + 0x21f);
			}
			/* this is no frame of a signal */
			p->regs.value[ip] = at;
			for (uint64_t *word = p->stack + (arm ? 16 : 0), *end = word + 2; word < end; *word++ = 0) {
				*word = 8;
				CHAIN(p, UNWIND_RULE, at);
			}
			p->words = 80;
			CHAIN(p, UNWIND_COPY, at, BASE + 0x10);
			p->words = 10;
			CHAIN(p, UNWIND_COPY, at);
			p->words = WORDS;
		}
		/* in front of the first instruction, and where one is cut off, it is none */
		trampoline(p, forms[i].code, forms[i].n, 0);
		p->regs.value[ip] = BASE + 0x1000 - 1;
		CHAIN(p, UNWIND_NO_TABLES, BASE + 0x1000 - 1);
		memcpy(p->e->file.p + TEXT + 0x1100, forms[i].code, forms[i].n - 1u);
		p->regs.value[ip] = BASE + 0x1100;
		CHAIN(p, UNWIND_NO_TABLES, BASE + 0x1100);
		halt(p);
	}
}

static void
test_pointers(void **state)
{
	struct process *p = process();

	(void)state;
	three(p);
	start(p);
	p->regs.value[IP] = JIT + 0x10;
	p->regs.value[BP] = STACK + 8 * 2;
	p->stack[2] = STACK + 8 * 6;
	p->stack[3] = JIT + 0x30;
	p->stack[6] = STACK + 8 * 9;
	p->stack[7] = BASE + 0x20;		/* function 0: its CFA is 8 + 4, and it leaves rbp as it is */
	p->stack[11] = JIT + 0x40;
	p->stack[9] = 0;
	CHAIN(p, UNWIND_NO_TABLES, JIT + 0x10, JIT + 0x2f, BASE + 0x1f, JIT + 0x3f);	/* rbp is 9, below 12 */
	assert_int_equal(unwind_stats(p->u)->by_pointer, 2);
	p->stack[6] = STACK + 8 * 12;
	p->stack[13] = 0;
	CHAIN(p, UNWIND_START, JIT + 0x10, JIT + 0x2f, BASE + 0x1f, JIT + 0x3f);
	p->stack[6] = STACK + 8 * 12 + 16384;
	CHAIN(p, UNWIND_START, JIT + 0x10, JIT + 0x2f, BASE + 0x1f, JIT + 0x3f);
	p->stack[6] = STACK + 8 * 12 + 16385;
	CHAIN(p, UNWIND_NO_TABLES, JIT + 0x10, JIT + 0x2f, BASE + 0x1f, JIT + 0x3f);
	p->stack[6] = STACK + 8 * 12;
	p->words = 13;
	CHAIN(p, UNWIND_COPY, JIT + 0x10, JIT + 0x2f, BASE + 0x1f, JIT + 0x3f);
	/* where a file has no entry; in a file without tables, data is no stack */
	p->words = WORDS;
	p->regs.value[IP] = BASE + 0x800;
	p->regs.value[BP] = STACK;
	p->stack[0] = 0;
	p->stack[1] = BASE + 0x220;
	CHAIN(p, UNWIND_START, BASE + 0x800, BASE + 0x21f);
	p->regs.value[SP] = DATA;
	p->regs.value[BP] = DATA + 8;
	p->words = 1;
	CHAIN(p, UNWIND_COPY, BASE + 0x800);
	halt(p);
}

/* Memory that the copy lacks: an unwritable map has it, a writable one does not. */
static void
test_memory(void **state)
{
	struct process *p = process();
	uint64_t at = 8;

	(void)state;
	three(p);
	add_fde(p->e, TEXT + 0x300, 0x100, CODE(0x10, 16, 3, 0x73, 0, 0x96, 0x10, 6, 2, 0x30, 0x06));	/* *rbx; and **0 */
	start(p);
	set_number(&p->e->file, at, BASE + 0x220, 8);
	p->regs.value[IP] = BASE + 0x310;
	p->regs.value[1] = DATA + at;
	CHAIN(p, UNWIND_START, BASE + 0x310, BASE + 0x21f);
	p->map[2].write = true;
	CHAIN(p, UNWIND_COPY, BASE + 0x310);
	p->map[2].write = false;
	p->map[2].end = DATA + at + 7;
	CHAIN(p, UNWIND_COPY, BASE + 0x310);
	p->map[2].end = DATA + 0x1000;
	p->map[2].file = NULL;
	CHAIN(p, UNWIND_COPY, BASE + 0x310);
	p->map[2].file = p->f;
	p->map[2].pgoff = p->e->file.n - at - 7;
	CHAIN(p, UNWIND_COPY, BASE + 0x310);
	p->map[2].pgoff = UINT64_MAX - 3 - at;
	CHAIN(p, UNWIND_COPY, BASE + 0x310);
	/* an address and a size that wrap */
	p->regs.value[1] = STACK - 4;
	CHAIN(p, UNWIND_COPY, BASE + 0x310);
	p->regs.value[1] = STACK + 8 * WORDS - 7;
	CHAIN(p, UNWIND_COPY, BASE + 0x310);
	p->regs.value[1] = UINT64_MAX - 3;
	CHAIN(p, UNWIND_COPY, BASE + 0x310);
	halt(p);
}

/* Rules that read registers read those of the function, not of its caller. */
static void
test_swap(void **state)
{
	struct process *p = process();

	(void)state;
	add_cie(p->e, (struct cie_form){ 0 });
	add_fde(p->e, TEXT, 0x100, CODE(0x09, 3, 12, 0x09, 12, 3));	/* rbx and r12 change places */
	add_fde(p->e, TEXT + 0x100, 0x100, CODE(0x0f, 5, 0x77, 8, 0x73, 0, 0x22));
	add_fde(p->e, TEXT + 0x200, 0x100, CODE(0x0f, 5, 0x77, 8, 0x7c, 0, 0x22, 0x07, 16));
	start(p);
	p->regs.value[IP] = BASE + 0x10;
	p->regs.value[1] = 24;			/* rbx */
	p->regs.value[20] = 40;			/* r12 */
	p->stack[0] = BASE + 0x110;		/* rbx 40, r12 24: CFA is 1 + 1 + 5 */
	p->stack[6] = BASE + 0x210;
	CHAIN(p, UNWIND_START, BASE + 0x10, BASE + 0x10f, BASE + 0x20f);
	halt(p);
}

static void
test_arm64(void **state)
{
	struct process *p = process();

	(void)state;
	p->e->machine = EM_AARCH64;
	add_cie(p->e, (struct cie_form){ .ra = 30, .code = CODE(0x0c, 31, 0) });
	add_fde(p->e, TEXT, 0x100, NO_CODE);						/* a leaf */
	add_fde(p->e, TEXT + 0x100, 0x100, CODE(0x2d, 0x0e, 32, 0x9d, 4, 0x9e, 3));	/* signed; x29 and x30 at sp */
	add_fde(p->e, TEXT + 0x200, 0x100, CODE(0x07, 30));
	add_fde(p->e, TEXT + 0x300, 0x100, CODE(0x0e, 16));				/* x30 is never saved */
	add_fde(p->e, TEXT + 0x400, 0x100, CODE(0x0c, 29, 16, 0x9d, 2, 0x9e, 1));
	start(p);
	p->regs.value[PC64] = BASE + 0x10;
	p->regs.value[LR] = BASE + 0x110;
	p->stack[0] = STACK + 8 * 8;
	p->stack[1] = BASE + 0x220 + UINT64_C(0x00ab000000000000);
	CHAIN(p, UNWIND_START, BASE + 0x10, BASE + 0x10f, BASE + 0x21f);
	p->regs.value[LR] = BASE + 0x310;		/* "the same" is so only for what has made no call */
	CHAIN(p, UNWIND_RULE, BASE + 0x10, BASE + 0x30f);
	/* by frame pointer; then the stack pointer is unknown, so a rule by it is left for the frame pointer, too */
	p->regs.value[PC64] = JIT + 0x10;
	p->regs.value[FP64] = STACK + 8 * 2;
	p->stack[2] = STACK + 8 * 6;
	p->stack[3] = BASE + 0x110 + UINT64_C(0x0012000000000000);
	p->stack[6] = STACK + 8 * 10;
	p->stack[7] = BASE + 0x410;
	p->stack[10] = 0;
	p->stack[11] = BASE + 0x220;
	CHAIN(p, UNWIND_START, JIT + 0x10, BASE + 0x10f, BASE + 0x40f, BASE + 0x21f);
	assert_int_equal(unwind_stats(p->u)->by_pointer, 2);
	halt(p);
}

/* More addresses than are kept: each gets its own rules all the same. */
static void
test_cache(void **state)
{
	enum { ROUNDS = 3, ADDRESSES = UNWIND_CACHE + UNWIND_CACHE / 4 };
	struct process *p = process();

	(void)state;
	three(p);
	start(p);
	p->map[0].end = BASE + ADDRESSES;
	for (unsigned k = 0; k < ROUNDS; k++)
		for (unsigned i = 0; i < ADDRESSES; i++) {
			p->regs.value[IP] = BASE + i;
			p->regs.value[BP] = STACK + 8 * 10;
			p->stack[3] = BASE + 0x220;
			p->stack[11] = BASE + 0x220;
			p->words = WORDS < 16 ? WORDS : 16;
			chain(p, 127);
			assert_int_equal(p->n, i < 0x200 || i >= 0x300 ? 2 : 1);
			assert_int_equal(p->end, UNWIND_START);
		}
	assert_true(unwind_stats(p->u)->evicted >= ADDRESSES - UNWIND_CACHE);
	assert_true(unwind_stats(p->u)->misses < ROUNDS * ADDRESSES);
	halt(p);
}

/*
 * The rules of a call in the last byte of a function are used although the lookup of the next byte, where the trampoline of a signal may be,
 * has emptied the cache.
 */
static void
test_emptied(void **state)
{
	struct process *p = process();

	(void)state;
	three(p);
	start(p);
#ifdef M_PERTURB
	mallopt(M_PERTURB, 0x5a);		/* what is freed is overwritten */
#endif
	p->u->cache.memory = (size_t)1 << 30;	/* from now on each new address empties it */
	p->regs.value[IP] = BASE + 0x10;
	p->stack[3] = BASE + 0x100;		/* CFA: 4 */
	p->stack[7] = BASE + 0x220;
	CHAIN(p, UNWIND_START, BASE + 0x10, BASE + 0xff, BASE + 0x21f);
#ifdef M_PERTURB
	mallopt(M_PERTURB, 0);
#endif
	halt(p);
}

/* Rows that no address has any more are freed, equal ones are one, and large ones do not add up. */
static void
test_rows(void **state)
{
	enum { ROW = sizeof(struct unwind_row) + sizeof(struct unwind_rule), LARGE = 4096 };
	struct unwind_cache c = { 0 };
	const struct unwind_row *found;
	struct unwind_row *row;
	uint64_t key = 1;
	bool evicted;

	(void)state;
	assert_true(unwind_cache_open(&c));
	for (unsigned i = 0; i < 1000; i++) {
		row = unwind_row_new(1, 0);
		row->mask = 1;
		assert_int_equal(unwind_cache_put(&c, key++, row, &evicted)->refs, i + 1);
		assert_true(c.memory <= ROW);
	}
	for (unsigned i = 0; i < 3 * UNWIND_CACHE; i++) {
		row = unwind_row_new(1, 0);
		row->mask = 1;
		row->rule[0].value = i;
		assert_int_equal(unwind_cache_put(&c, key++, row, &evicted)->rule[0].value, i);
		assert_true(c.memory <= (size_t)UNWIND_CACHE * ROW);
	}
	/* of files at the same offset, each has its own */
	for (uint64_t i = 1; i < UNWIND_CACHE; i++) {
		row = unwind_row_new(1, 0);
		row->mask = 1;
		row->rule[0].value = (int64_t)i;
		unwind_cache_put(&c, i << UNWIND_KEY_BITS | 5, row, &evicted);
	}
	for (uint64_t i = 1; i < UNWIND_CACHE; i++)
		if (unwind_cache_get(&c, i << UNWIND_KEY_BITS | 5, &found))
			assert_int_equal(found->rule[0].value, i);
	for (unsigned i = 0; i < 12000; i++) {
		row = unwind_row_new(0, LARGE);
		row->cfa.value = i;
		unwind_cache_put(&c, key++, row, &evicted);
		assert_true(c.memory <= (32 << 20) + 2 * (size_t)LARGE);
	}
	unwind_cache_close(&c);
}

/* A file that was closed leaves nothing to the next one, even at the same address. */
static void
test_closed(void **state)
{
	struct process *p = process(), *q = process();
	const char *why;

	(void)state;
	three(p);
	start(p);
	p->regs.value[IP] = BASE + 0x10;
	p->stack[3] = BASE + 0x220;
	CHAIN(p, UNWIND_START, BASE + 0x10, BASE + 0x21f);
	add_cie(q->e, (struct cie_form){ 0 });
	add_fde(q->e, TEXT, 0x100, CODE(0x07, 16));
	finish(q->e);
	unwind_file_close(p->f);
	p->f = unwind_file_memory(p->u, q->e->file.p, q->e->file.n, &why);
	p->map[0].file = p->map[2].file = p->f;
	CHAIN(p, UNWIND_START, BASE + 0x10);
	elf_end(q->e);
	free(q);
	halt(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_depths),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_trampoline),
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_swap),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_emptied),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

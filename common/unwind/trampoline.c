/* SPDX-License-Identifier: ISC */
/*
 * trampoline.c - the trampoline of a signal that has no tables
 *
 * A handler returns to code that calls rt_sigreturn(2), with the stack pointer where the kernel put the interrupted registers.
 * That of glibc has tables; those of musl, of programs without a C library, and of arm64's vdso (since Linux 5.8) have none.  They are known by
 * their instructions, as libgcc, libunwind and gdb know them.
 */
#include <elf.h>
#include <string.h>

#include "in.h"

enum { LONGEST = 9 };

/* struct rt_sigframe of the kernel's arch/../kernel/signal.c, from the stack pointer on: struct ucontext, whose registers are struct sigcontext. */
struct context {
	unsigned	 at, regs;	/* where the ucontext and its registers begin, from the stack pointer on */
	unsigned	 flags;		/* bits of uc_flags that may be set */
	const uint8_t	*order;		/* of the registers; NULL: that of DWARF */
};
enum { X86_CONTEXT = 0, ARM_CONTEXT = 128, LINK = 8 /* of a ucontext */ };
static const uint8_t x86_order[] = { 13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16 };	/* by the numbers of DWARF */
static const struct context x86 = { X86_CONTEXT, X86_CONTEXT + 40, 3, x86_order }, arm = { ARM_CONTEXT, ARM_CONTEXT + 184, 0, NULL };

struct trampoline {			/* instructions: load the number of rt_sigreturn; make the call */
	uint16_t	 elf;
	uint8_t		 load, size;	/* bytes of the first; of both */
	uint8_t		 code[LONGEST];
	const struct context *context;
};
static const struct trampoline trampolines[] = {
	{ EM_X86_64, 7, 9, { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 }, &x86 },	/* mov $15, %rax; syscall */
	{ EM_X86_64, 5, 7, { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 }, &x86 },			/* mov $15, %eax; syscall */
	{ EM_AARCH64, 4, 8, { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 }, &arm },	/* mov x8, #139; svc #0 */
	{ EM_AARCH64, 4, 8, { 0x68, 0x11, 0x80, 0x52, 0x01, 0, 0, 0xd4 }, &arm },	/* mov w8, #139; svc #0 */
};

/* ---- the row ------------------------------------------------------------------------------------------- */

enum { OP_DEREF = 0x06, OP_OR = 0x21, OP_SHR = 0x25, OP_BRA = 0x28, OP_LIT0 = 0x30, OP_BREG0 = 0x70 };
enum { SIZE = 4, CHECKS = 2 * SIZE + 6 };	/* bytes of an address on the stack, and of the checks in front of the CFA */

/* The address so many bytes above the stack pointer. */
static uint8_t *
put_address(uint8_t *p, const struct unwind_machine_desc *m, unsigned offset)
{
	*p++ = (uint8_t)(OP_BREG0 + m->sp);
	*p++ = (uint8_t)((offset & 0x7f) | 0x80);
	*p++ = (uint8_t)(offset >> 7);
	return p;
}

static uint8_t *
put_value(uint8_t *p, const struct unwind_machine_desc *m, unsigned offset)
{
	p = put_address(p, m, offset);
	*p++ = OP_DEREF;
	return p;
}

static unsigned
offset_of(const struct context *c, unsigned column)
{
	return c->regs + 8u * (c->order ? c->order[column] : column);
}

/*
 * All registers are in memory, the stack pointer is the CFA.  uc_link is 0, and uc_flags has few bits.  Where not, this is no frame of a signal: the
 * CFA's expression then branches to in front of its beginning, which is an error, so that it has no result.
 */
static struct unwind_row *
make_row(const struct unwind_machine_desc *m, const struct context *c)
{
	unsigned rules = m->columns - 1u, at = 0;
	struct unwind_row *row = unwind_row_new(rules, CHECKS + SIZE + rules * (SIZE - 1u));
	uint8_t *begin, *p;

	if (!row)
		return NULL;
	row->mask = ((UINT64_C(1) << m->columns) - 1) & ~(UINT64_C(1) << m->sp);
	row->ra = m->pc;
	row->flags = UNWIND_ROW_SIGNAL | UNWIND_ROW_TRAMPOLINE | UNWIND_ROW_REGISTERS;
	begin = p = (uint8_t *)(uintptr_t)unwind_row_bytes(row);
	p = put_value(p, m, c->at);
	*p++ = (uint8_t)(OP_LIT0 + c->flags);
	*p++ = OP_SHR;
	p = put_value(p, m, c->at + LINK);
	*p++ = OP_OR;
	*p++ = OP_BRA;
	*p++ = 0;			/* by -32768 */
	*p++ = 0x80;
	p = put_value(p, m, offset_of(c, m->sp));
	row->cfa = (struct unwind_rule){ .kind = UNWIND_VAL_EXPR, .value = 0, .size = (uint32_t)(p - begin) };
	for (unsigned i = 0; i < m->columns; i++)
		if (i != m->sp) {
			row->rule[at++] = (struct unwind_rule){ .kind = UNWIND_EXPR, .value = p - begin, .size = SIZE - 1 };
			p = put_address(p, m, offset_of(c, i));
		}
	return row;
}

/* ---- the instructions ---------------------------------------------------------------------------------- */

/* Is `at' before the first instruction, before the call, or behind it, where a task in the kernel is? */
static bool
is_at(const struct trampoline *t, const uint8_t *begin, const uint8_t *at, const uint8_t *end)
{
	const ptrdiff_t done[] = { 0, t->load, t->size };

	for (unsigned i = 0; i < sizeof done / sizeof *done; i++)
		if (at - begin >= done[i] && end - at >= (ptrdiff_t)t->size - done[i] && !memcmp(at - done[i], t->code, t->size))
			return true;
	return false;
}

struct unwind_row *
unwind_trampoline_row(const struct unwind_file *f, uint64_t offset)
{
	const struct unwind_machine_desc *m = f->u->machine;
	uint8_t code[2 * LONGEST];
	size_t before = offset < LONGEST ? (size_t)offset : LONGEST;
	size_t n = unwind_read(f, offset - before, code, before + LONGEST);

	for (const struct trampoline *t = trampolines; n > before && t < trampolines + sizeof trampolines / sizeof *trampolines; t++)
		if (t->elf == m->elf && is_at(t, code, code + before, code + n))
			return make_row(m, t->context);
	return NULL;
}

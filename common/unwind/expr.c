/* SPDX-License-Identifier: ISC */
/*
 * expr.c - expressions: a machine with a stack of numbers (DWARF 5, 2.5 and 7.7.1), with what call frame information may use of it
 *
 * So there are no locations, types and calls; nor DW_OP_addr, which no compiler writes there.
 */
#include "in.h"

enum {
	OP_DEREF = 0x06, OP_CONST1U = 0x08, OP_CONST1S, OP_CONST2U, OP_CONST2S, OP_CONST4U, OP_CONST4S, OP_CONST8U, OP_CONST8S,
	OP_CONSTU, OP_CONSTS, OP_DUP, OP_DROP, OP_OVER, OP_PICK, OP_SWAP, OP_ROT,
	OP_ABS = 0x19, OP_AND, OP_DIV, OP_MINUS, OP_MOD, OP_MUL, OP_NEG, OP_NOT, OP_OR, OP_PLUS, OP_PLUS_UCONST, OP_SHL, OP_SHR, OP_SHRA,
	OP_XOR, OP_BRA, OP_EQ, OP_GE, OP_GT, OP_LE, OP_LT, OP_NE, OP_SKIP,
	OP_LIT0 = 0x30, OP_LIT31 = 0x4f, OP_BREG0 = 0x70, OP_BREG31 = 0x8f, OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94, OP_NOP = 0x96,
};

struct machine {
	struct unwind_bytes b;
	const uint8_t	*begin;
	const struct unwind_frame *frame;
	const struct unwind_memory *memory;
	uint64_t	 stack[UNWIND_VALUES];
	unsigned	 n;
};

static bool
push(struct machine *m, uint64_t v)
{
	if (m->n == UNWIND_VALUES)
		return false;
	m->stack[m->n++] = v;
	return true;
}

static bool
push_register(struct machine *m, uint64_t reg, int64_t offset)
{
	return reg < UNWIND_COLUMNS && m->frame->known >> reg & 1 && push(m, m->frame->reg[reg] + (uint64_t)offset);
}

/* false: it pushes no constant */
static bool
constant(struct machine *m, unsigned op)
{
	switch (op) {
	case OP_CONST1U: case OP_CONST2U: case OP_CONST4U: case OP_CONST8U:
		return push(m, unwind_unsigned(&m->b, 1U << (op - OP_CONST1U) / 2));
	case OP_CONST1S: case OP_CONST2S: case OP_CONST4S: case OP_CONST8S:
		return push(m, (uint64_t)unwind_signed(&m->b, 1U << (op - OP_CONST1S) / 2));
	case OP_CONSTU:
		return push(m, unwind_uleb(&m->b));
	case OP_CONSTS:
		return push(m, (uint64_t)unwind_sleb(&m->b));
	default:
		return false;
	}
}

/* Of the two uppermost, a below b.  false: there is no result. */
static bool
binary(unsigned op, uint64_t a, uint64_t b, uint64_t *to)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (op) {
	case OP_AND:	*to = a & b; return true;
	case OP_DIV:	*to = y == -1 ? -a : y ? (uint64_t)(x / y) : 0; return y;
	case OP_MINUS:	*to = a - b; return true;
	case OP_MOD:	*to = b ? a % b : 0; return b;
	case OP_MUL:	*to = a * b; return true;
	case OP_OR:	*to = a | b; return true;
	case OP_PLUS:	*to = a + b; return true;
	case OP_SHL:	*to = b < 64 ? a << b : 0; return true;
	case OP_SHR:	*to = b < 64 ? a >> b : 0; return true;
	case OP_SHRA:	*to = (uint64_t)(x >> (b < 64 ? b : 63)); return true;
	case OP_XOR:	*to = a ^ b; return true;
	case OP_EQ:	*to = x == y; return true;
	case OP_GE:	*to = x >= y; return true;
	case OP_GT:	*to = x > y; return true;
	case OP_LE:	*to = x <= y; return true;
	case OP_LT:	*to = x < y; return true;
	case OP_NE:	*to = x != y; return true;
	default:	return false;
	}
}

/* What the uppermost value becomes; there is one. */
static bool
unary(struct machine *m, unsigned op)
{
	uint64_t *top = &m->stack[m->n - 1], size;

	switch (op) {
	case OP_DEREF:
		return m->memory->get(m->memory->arg, *top, 8, top);
	case OP_DEREF_SIZE:
		size = unwind_unsigned(&m->b, 1);
		return size >= 1 && size <= 8 && m->memory->get(m->memory->arg, *top, (unsigned)size, top);
	case OP_ABS:
		*top = (int64_t)*top < 0 ? -*top : *top;
		return true;
	case OP_NEG:
		*top = -*top;
		return true;
	case OP_NOT:
		*top = ~*top;
		return true;
	case OP_PLUS_UCONST:
		*top += unwind_uleb(&m->b);
		return true;
	default:
		return false;
	}
}

/* What moves values of the stack. */
static bool
move(struct machine *m, unsigned op)
{
	uint64_t *top = m->stack + m->n, v, at;

	switch (op) {
	case OP_DUP:
		return m->n >= 1 && push(m, top[-1]);
	case OP_DROP:
		return m->n >= 1 && m->n--;
	case OP_OVER:
		return m->n >= 2 && push(m, top[-2]);
	case OP_PICK:
		at = unwind_unsigned(&m->b, 1);
		return at < m->n && push(m, top[-(int)at - 1]);
	case OP_SWAP:
		if (m->n < 2)
			return false;
		v = top[-1];
		top[-1] = top[-2];
		top[-2] = v;
		return true;
	case OP_ROT:			/* the uppermost becomes the third */
		if (m->n < 3)
			return false;
		v = top[-1];
		top[-1] = top[-2];
		top[-2] = top[-3];
		top[-3] = v;
		return true;
	default:
		return false;
	}
}

static bool
jump(struct machine *m, unsigned op)
{
	int64_t by = unwind_signed(&m->b, 2);

	if (m->b.bad || (op == OP_BRA && !m->n))
		return false;
	if (op == OP_BRA && !m->stack[--m->n])
		return true;
	if (by < m->begin - m->b.p || by > m->b.end - m->b.p)
		return false;
	m->b.p += by;
	return true;
}

static bool
step(struct machine *m, unsigned op)
{
	if (op >= OP_LIT0 && op <= OP_LIT31)
		return push(m, op - OP_LIT0);
	if (op >= OP_BREG0 && op <= OP_BREG31)
		return push_register(m, op - OP_BREG0, unwind_sleb(&m->b));
	switch (op) {
	case OP_NOP:
		return true;
	case OP_BREGX: {
		uint64_t reg = unwind_uleb(&m->b);

		return push_register(m, reg, unwind_sleb(&m->b));
	}
	case OP_BRA: case OP_SKIP:
		return jump(m, op);
	case OP_DEREF: case OP_DEREF_SIZE: case OP_ABS: case OP_NEG: case OP_NOT: case OP_PLUS_UCONST:
		return m->n && unary(m, op);
	case OP_DUP: case OP_DROP: case OP_OVER: case OP_PICK: case OP_SWAP: case OP_ROT:
		return move(m, op);
	default:
		if (op <= OP_CONSTS)
			return constant(m, op);
		if (m->n < 2 || !binary(op, m->stack[m->n - 2], m->stack[m->n - 1], &m->stack[m->n - 2]))
			return false;
		m->n--;
		return true;
	}
}

bool
unwind_expr(struct unwind_bytes b, const struct unwind_frame *frame, const struct unwind_memory *memory, const uint64_t *first,
    uint64_t *result, uint64_t *steps)
{
	struct machine m;

	m.b = b;
	m.begin = b.p;
	m.frame = frame;
	m.memory = memory;
	m.n = 0;
	if (first)
		push(&m, *first);
	for (unsigned i = 0; m.b.p < m.b.end; i++) {
		if (i == UNWIND_STEPS || !step(&m, (unsigned)unwind_unsigned(&m.b, 1)) || m.b.bad)
			return false;
		++*steps;
	}
	if (!m.n)
		return false;
	*result = m.stack[m.n - 1];
	return true;
}

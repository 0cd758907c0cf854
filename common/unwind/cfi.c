/* SPDX-License-Identifier: ISC */
/*
 * cfi.c - entries of .eh_frame and .debug_frame, and the instructions in them, by which the rules at an address are made
 *
 * A CIE has what FDEs of many functions have in common, an FDE is of one function (DWARF 5, 6.4.1):
 *
 *	CIE	u32 length | u32 id | u8 version | augmentation z | (4: u8 address size, u8 0) | uleb code alignment |
 *		sleb data alignment | register of the return address (1: u8, else uleb) | (z: uleb length, data) | instructions
 *	FDE	u32 length | u32 where its CIE is | start | size | (z: uleb length, data) | instructions
 *
 * A length of 0xffffffff is followed by one of 8 bytes.
 */
#include <elf.h>
#include <string.h>

#include "in.h"

/* ---- entries ------------------------------------------------------------------------------------------- */

bool
unwind_entry(const struct unwind_table *t, uint64_t at, const uint8_t *p, size_t n, struct unwind_entry_at *e)
{
	struct unwind_bytes b = { p, p + n, false };
	uint64_t size = unwind_unsigned(&b, 4), id, here;
	unsigned id_size = 4;

	e->head = 4;
	if (size == UINT32_MAX) {
		size = unwind_unsigned(&b, 8);
		e->head = 12;
		id_size = t->debug ? 8 : 4;
	}
	here = at + e->head;
	id = unwind_unsigned(&b, id_size);
	if (b.bad || size <= id_size || size > (t->bytes ? t->nbytes : t->size) - here)
		return false;
	e->size = e->head + size;
	if (t->debug) {
		e->is_cie = id == (id_size == 4 ? UINT32_MAX : UINT64_MAX);
		e->cie = id;
	} else {
		e->is_cie = !id;
		e->cie = here - id;		/* may wrap: then it is outside of the section */
	}
	if (n > e->size)
		b.end = p + e->size;
	e->rest = b;
	return true;
}

/* What the letters behind the z of an augmentation say; their data is `data'.  false: it cannot be read. */
static bool
read_augmentation(struct unwind_cie *c, const char *letter, struct unwind_bytes data)
{
	for (; *letter && !data.bad; letter++)
		switch (*letter) {
		case 'R':
			c->encoding = (uint8_t)unwind_unsigned(&data, 1);
			break;
		case 'L':
			unwind_take(&data, 1);
			break;
		case 'P':
			unwind_pointer_value(&data, (uint8_t)unwind_unsigned(&data, 1));
			break;
		case 'S':
			c->signal = true;
			break;
		case 'B': case 'G':		/* arm64: the other key of PAC, tagged memory */
			break;
		default:			/* its data has a size that nobody knows */
			return true;
		}
	return !data.bad;
}

bool
unwind_cie_read(const struct unwind_entry_at *e, struct unwind_cie *c)
{
	struct unwind_bytes b = e->rest, data;
	unsigned version = (unsigned)unwind_unsigned(&b, 1);
	const char *text = (const char *)b.p;

	*c = (struct unwind_cie){ .encoding = UNWIND_PE_ABSOLUTE };
	if (!e->is_cie || (version != 1 && version != 3 && version != 4) || b.p == b.end || !memchr(text, '\0', (size_t)(b.end - b.p)))
		return false;
	unwind_take(&b, strlen(text) + 1);
	if (version == 4 && (unwind_unsigned(&b, 1) != 8 || unwind_unsigned(&b, 1) != 0))
		return false;			/* size of addresses and of segments */
	c->code_align = unwind_uleb(&b);
	c->data_align = unwind_sleb(&b);
	c->ra = version == 1 ? unwind_unsigned(&b, 1) : unwind_uleb(&b);
	c->augmented = *text == 'z';
	if (c->augmented) {
		data = unwind_block(&b, unwind_uleb(&b));
		if (!read_augmentation(c, text + 1, data))
			return false;
	} else if (text[strspn(text, "SBG")])	/* without z only letters that have no data; assemblers write S so in .debug_frame */
		return false;
	c->signal |= !c->augmented && strchr(text, 'S');
	c->code = b;
	return !b.bad;
}

bool
unwind_fde_read(const struct unwind_entry_at *e, const struct unwind_cie *c, uint64_t addr, struct unwind_fde *f)
{
	struct unwind_bytes b = e->rest;

	f->start = unwind_pointer(&b, c->encoding, addr, 0);
	f->size = unwind_pointer_value(&b, c->encoding);
	if ((c->encoding & UNWIND_PE_BASE) == UNWIND_PE_DATA)
		return false;
	if (c->augmented)
		unwind_take(&b, unwind_uleb(&b));
	f->code = b;
	return !b.bad;
}

/* Read the whole entry at `at' to there.  Its bytes, or 0. */
static size_t
read_entry(const struct unwind_file *f, const struct unwind_table *t, uint64_t at, uint8_t *to, struct unwind_entry_at *e)
{
	enum { MOST = 512 };		/* bytes of most entries, and some */
	size_t got = unwind_table_bytes(f, t, at, to, MOST);

	if (!unwind_entry(t, at, to, got, e) || e->size > UNWIND_CFI)
		return 0;
	if (e->size > got) {
		if (unwind_table_bytes(f, t, at + got, to + got, e->size - got) < e->size - got)
			return 0;
		e->rest.end = to + e->size;
	}
	return e->size;
}

/* Read the CIE at `at', if it is not the one that was read last. */
static bool
read_cie(struct unwind_file *f, const struct unwind_table *t, uint64_t at, struct unwind_cie *c)
{
	struct unwind_cfi *cfi = &f->u->cfi;
	struct unwind_entry_at e;

	if (cfi->cie && cfi->serial == f->serial && cfi->at == at && cfi->debug == t->debug)
		return unwind_entry(t, at, cfi->bytes, cfi->cie, &e) && unwind_cie_read(&e, c);
	cfi->cie = read_entry(f, t, at, cfi->bytes, &e);
	cfi->serial = f->serial;
	cfi->at = at;
	cfi->debug = t->debug;
	return cfi->cie && unwind_cie_read(&e, c);
}

/* ---- instructions -------------------------------------------------------------------------------------- */

enum {				/* DWARF 5, 6.4.2 and 7.24; GNU: "DWARF Extensions" of the Linux Standard Base */
	CFA_ADVANCE = 0x40, CFA_OFFSET = 0x80, CFA_RESTORE = 0xc0, CFA_HIGH = 0xc0, CFA_LOW = 0x3f,	/* LOW: an operand */
	CFA_NOP = 0, CFA_SET_LOC, CFA_ADVANCE1, CFA_ADVANCE2, CFA_ADVANCE4, CFA_OFFSET_EXTENDED, CFA_RESTORE_EXTENDED, CFA_UNDEFINED,
	CFA_SAME_VALUE, CFA_REGISTER, CFA_REMEMBER_STATE, CFA_RESTORE_STATE, CFA_DEF_CFA, CFA_DEF_CFA_REGISTER, CFA_DEF_CFA_OFFSET,
	CFA_DEF_CFA_EXPRESSION, CFA_EXPRESSION, CFA_OFFSET_EXTENDED_SF, CFA_DEF_CFA_SF, CFA_DEF_CFA_OFFSET_SF, CFA_VAL_OFFSET,
	CFA_VAL_OFFSET_SF, CFA_VAL_EXPRESSION,
	CFA_MIPS_ADVANCE8 = 0x1d,
	CFA_AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c, CFA_AARCH64_NEGATE_RA_STATE = 0x2d,
	CFA_GNU_ARGS_SIZE = 0x2e, CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

struct rules {				/* at one address */
	struct unwind_rule cfa;		/* UNWIND_SAME: not said yet */
	uint64_t	 cfa_reg;
	bool		 is_signed;	/* the return address, by PAC */
	struct unwind_rule reg[UNWIND_COLUMNS];
};
struct run {
	const struct unwind_machine_desc *machine;
	const struct unwind_cie *cie;
	const uint8_t	*bytes;		/* expressions begin at offsets of these */
	const struct unwind_entry_at *fde;	/* NULL: the instructions of the CIE are run */
	uint64_t	 fde_addr;	/* of the first byte of its `rest' */
	uint64_t	 loc, target;
	struct rules	 now, initial, remembered[UNWIND_REMEMBERED];
	unsigned	 nremembered;
	uint64_t	 work;
};
enum { WORK_ROW = 8 };			/* to copy all rules, in instructions */

static void
set_rule(struct run *r, uint64_t reg, enum unwind_rule_kind kind, int64_t value)
{
	if (reg < r->machine->columns)
		r->now.reg[reg] = (struct unwind_rule){ .kind = kind, .value = value };
}

static struct unwind_rule
expression(const struct run *r, struct unwind_bytes *b, enum unwind_rule_kind kind)
{
	struct unwind_bytes e = unwind_block(b, unwind_uleb(b));

	return (struct unwind_rule){ .kind = kind, .value = e.p - r->bytes, .size = (uint32_t)(e.end - e.p) };
}

static int64_t
factored(const struct run *r, uint64_t n)
{
	return (int64_t)(n * (uint64_t)r->cie->data_align);
}

/* The rules of registers.  false: damaged. */
static bool
rule_of(struct run *r, struct unwind_bytes *b, unsigned op)
{
	uint64_t reg = unwind_uleb(b);
	struct unwind_rule e;

	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set_rule(r, reg, UNWIND_OFFSET, factored(r, unwind_uleb(b)));
		return true;
	case CFA_OFFSET_EXTENDED_SF:
		set_rule(r, reg, UNWIND_OFFSET, factored(r, (uint64_t)unwind_sleb(b)));
		return true;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		set_rule(r, reg, UNWIND_OFFSET, -factored(r, unwind_uleb(b)));
		return true;
	case CFA_VAL_OFFSET:
		set_rule(r, reg, UNWIND_VAL_OFFSET, factored(r, unwind_uleb(b)));
		return true;
	case CFA_VAL_OFFSET_SF:
		set_rule(r, reg, UNWIND_VAL_OFFSET, factored(r, (uint64_t)unwind_sleb(b)));
		return true;
	case CFA_RESTORE_EXTENDED:
		if (reg < r->machine->columns)
			r->now.reg[reg] = r->initial.reg[reg];
		return r->fde;
	case CFA_UNDEFINED:
		set_rule(r, reg, UNWIND_UNDEFINED, 0);
		return true;
	case CFA_SAME_VALUE:
		set_rule(r, reg, UNWIND_SAME, 0);
		return true;
	case CFA_REGISTER: {
		uint64_t from = unwind_uleb(b);

		set_rule(r, reg, from < r->machine->columns ? UNWIND_REGISTER : UNWIND_UNDEFINED, (int64_t)from);
		return true;
	}
	case CFA_EXPRESSION: case CFA_VAL_EXPRESSION:
		e = expression(r, b, op == CFA_EXPRESSION ? UNWIND_EXPR : UNWIND_VAL_EXPR);
		if (reg < r->machine->columns)
			r->now.reg[reg] = e;
		return true;
	default:
		return false;
	}
}

/* The rule of the CFA.  false: damaged, or an instruction of another machine. */
static bool
cfa_of(struct run *r, struct unwind_bytes *b, unsigned op)
{
	struct rules *now = &r->now;

	switch (op) {
	case CFA_DEF_CFA: case CFA_DEF_CFA_SF:
		now->cfa_reg = unwind_uleb(b);
		now->cfa = (struct unwind_rule){ .kind = UNWIND_VAL_OFFSET,
		    .value = op == CFA_DEF_CFA ? (int64_t)unwind_uleb(b) : factored(r, (uint64_t)unwind_sleb(b)) };
		return true;
	case CFA_DEF_CFA_REGISTER:
		now->cfa_reg = unwind_uleb(b);
		return now->cfa.kind == UNWIND_VAL_OFFSET;
	case CFA_DEF_CFA_OFFSET:
		now->cfa.value = (int64_t)unwind_uleb(b);
		return now->cfa.kind == UNWIND_VAL_OFFSET;
	case CFA_DEF_CFA_OFFSET_SF:
		now->cfa.value = factored(r, (uint64_t)unwind_sleb(b));
		return now->cfa.kind == UNWIND_VAL_OFFSET;
	case CFA_DEF_CFA_EXPRESSION:
		now->cfa = expression(r, b, UNWIND_VAL_EXPR);
		return true;
	default:
		return rule_of(r, b, op);
	}
}

static bool
other(struct run *r, struct unwind_bytes *b, unsigned op)
{
	switch (op) {
	case CFA_NOP:
		return true;
	case CFA_GNU_ARGS_SIZE:
		unwind_uleb(b);
		return true;
	case CFA_REMEMBER_STATE:
		r->work += WORK_ROW;
		if (r->nremembered == UNWIND_REMEMBERED)
			return false;
		r->remembered[r->nremembered++] = r->now;
		return true;
	case CFA_RESTORE_STATE:
		r->work += WORK_ROW;
		if (!r->nremembered)
			return false;
		r->now = r->remembered[--r->nremembered];
		return true;
	case CFA_AARCH64_NEGATE_RA_STATE: case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
		r->now.is_signed = !r->now.is_signed;
		return r->machine->link;
	default:
		return cfa_of(r, b, op);
	}
}

/* Is it an instruction that moves on to another address?  Then do so. */
static bool
advance(struct run *r, struct unwind_bytes *b, unsigned op)
{
	uint64_t by;

	if ((op & CFA_HIGH) == CFA_ADVANCE)
		by = op & CFA_LOW;
	else if (op == CFA_ADVANCE1)
		by = unwind_unsigned(b, 1);
	else if (op == CFA_ADVANCE2)
		by = unwind_unsigned(b, 2);
	else if (op == CFA_ADVANCE4)
		by = unwind_unsigned(b, 4);
	else if (op == CFA_MIPS_ADVANCE8)
		by = unwind_unsigned(b, 8);
	else if (op == CFA_SET_LOC && r->fde) {
		r->loc = unwind_pointer(b, r->cie->encoding, r->fde_addr + (uint64_t)(b->p - r->fde->rest.p), 0);
		return true;
	} else
		return false;
	r->loc += by * r->cie->code_align;
	return true;
}

/* Run the instructions up to the target's.  false: damaged. */
static bool
run(struct run *r, struct unwind_bytes b)
{
	while (b.p < b.end && !b.bad) {
		unsigned op = (unsigned)unwind_unsigned(&b, 1);

		r->work++;
		if (advance(r, &b, op)) {
			if (r->loc > r->target)
				break;
		} else if ((op & CFA_HIGH) == CFA_OFFSET)
			set_rule(r, op & CFA_LOW, UNWIND_OFFSET, factored(r, unwind_uleb(&b)));
		else if ((op & CFA_HIGH) == CFA_RESTORE) {
			if (!r->fde)
				return false;
			if ((op & CFA_LOW) < r->machine->columns)
				r->now.reg[op & CFA_LOW] = r->initial.reg[op & CFA_LOW];
		} else if (!other(r, &b, op))
			return false;
	}
	return !b.bad;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

enum { EXPRESSIONS = 4096 };		/* bytes of those of a row */

static void
put_rule(struct unwind_row *row, struct unwind_rule *to, const struct unwind_rule *from, const uint8_t *bytes, size_t *n)
{
	*to = *from;
	if (from->kind == UNWIND_EXPR || from->kind == UNWIND_VAL_EXPR) {
		to->value = (int64_t)*n;
		memcpy((uint8_t *)(uintptr_t)unwind_row_bytes(row) + *n, bytes + from->value, from->size);
		*n += from->size;
	}
}

static struct unwind_row *
make_row(const struct rules *now, const struct unwind_cie *cie, const struct unwind_machine_desc *m, const uint8_t *bytes)
{
	struct unwind_row *row;
	size_t size = now->cfa.size, n = 0;
	unsigned used = 0, at = 0;
	uint64_t mask = 0;

	if (now->cfa.kind == UNWIND_SAME || (now->cfa.kind == UNWIND_VAL_OFFSET && now->cfa_reg >= m->columns) || cie->ra >= m->columns)
		return NULL;
	for (unsigned i = 0; i < m->columns; i++)
		if (now->reg[i].kind != UNWIND_SAME) {
			mask |= UINT64_C(1) << i;
			size += now->reg[i].size;
			used++;
		}
	if (size > EXPRESSIONS || !(row = unwind_row_new(used, size)))
		return NULL;
	row->mask = mask;
	row->ra = (uint8_t)cie->ra;
	row->cfa_reg = now->cfa.kind == UNWIND_VAL_OFFSET ? (uint8_t)now->cfa_reg : 0;
	row->flags = (uint8_t)((cie->signal ? UNWIND_ROW_SIGNAL : 0) | (now->is_signed ? UNWIND_ROW_SIGNED : 0) |
	    (now->reg[cie->ra].kind == UNWIND_UNDEFINED ? UNWIND_ROW_START : 0));
	put_rule(row, &row->cfa, &now->cfa, bytes, &n);
	for (unsigned i = 0; i < m->columns; i++)
		if (mask >> i & 1) {
			if (now->reg[i].kind >= UNWIND_REGISTER)
				row->flags |= UNWIND_ROW_REGISTERS;
			put_rule(row, &row->rule[at++], &now->reg[i], bytes, &n);
		}
	return row;
}

enum { FREE_WORK = 1024 };		/* instructions: more than compilers make for a function, but for a few */

static struct unwind_row *
row_of(struct unwind_file *f, const struct unwind_table *t, uint64_t at, uint64_t addr)
{
	struct unwind_cfi *cfi = &f->u->cfi;
	uint8_t *bytes = cfi->bytes + UNWIND_CFI;
	struct unwind_entry_at e;
	struct unwind_cie cie;
	struct unwind_fde fde;
	struct run r;			/* its remembered rules, 9 KiB, need no zeros */
	struct unwind_row *row;
	bool good;

	if (!read_entry(f, t, at, bytes, &e) || e.is_cie || !read_cie(f, t, e.cie, &cie))
		return NULL;
	r.machine = f->u->machine;
	r.cie = &cie;
	r.bytes = cfi->bytes;
	r.fde = NULL;
	r.fde_addr = t->addr + at + (uint64_t)(e.rest.p - bytes);
	r.target = addr;
	r.now = (struct rules){ .is_signed = false };
	r.nremembered = 0;
	r.work = 0;
	if (!unwind_fde_read(&e, &cie, r.fde_addr, &fde) || addr - fde.start >= fde.size)
		return NULL;
	r.loc = fde.start;
	good = run(&r, cie.code);
	r.initial = r.now;
	r.fde = &e;
	r.nremembered = 0;
	r.loc = fde.start;
	good = good && run(&r, fde.code);
	if (r.work > FREE_WORK)
		unwind_work(f, r.work - FREE_WORK);
	row = good ? make_row(&r.now, &cie, r.machine, r.bytes) : NULL;
	if (row && addr - fde.start == fde.size - 1)
		row->flags |= UNWIND_ROW_LAST;
	return row;
}

struct unwind_row *
unwind_cfi_row(struct unwind_file *f, uint64_t addr)
{
	struct unwind_row *row;
	uint64_t at;

	f->turn = ++f->u->turn;
	for (unsigned i = 0; i < 2; i++)
		if (unwind_table_ready(f, &f->table[i]) && unwind_table_find(&f->table[i], addr, &at) &&
		    (row = row_of(f, &f->table[i], at, addr)))
			return row;
	return NULL;
}

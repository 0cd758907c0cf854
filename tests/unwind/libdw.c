/* SPDX-License-Identifier: ISC */
/*
 * libdw.c - the second reader of tables: libdw FILE EACH compares the rules of each EACH-th place in a file's code, and its
 * expressions, with those of libdw.  Prints how many were compared; status 1: some differ, and which.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <err.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "unwind/in.h"

static unsigned long compared, expressions, differ;

/* One operation of an expression, as libdw has it. */
static bool
decode(struct unwind_bytes *b, Dwarf_Op *op)
{
	op->atom = (uint8_t)unwind_unsigned(b, 1);
	op->number = op->number2 = 0;
	switch (op->atom) {
	case DW_OP_const1u: case DW_OP_pick: case DW_OP_deref_size:
		op->number = unwind_unsigned(b, 1);
		break;
	case DW_OP_const1s:
		op->number = (uint64_t)unwind_signed(b, 1);
		break;
	case DW_OP_const2u:
		op->number = unwind_unsigned(b, 2);
		break;
	case DW_OP_const2s: case DW_OP_bra: case DW_OP_skip:
		op->number = (uint64_t)unwind_signed(b, 2);
		break;
	case DW_OP_const4u:
		op->number = unwind_unsigned(b, 4);
		break;
	case DW_OP_const4s:
		op->number = (uint64_t)unwind_signed(b, 4);
		break;
	case DW_OP_const8u: case DW_OP_const8s:
		op->number = unwind_unsigned(b, 8);
		break;
	case DW_OP_constu: case DW_OP_plus_uconst:
		op->number = unwind_uleb(b);
		break;
	case DW_OP_consts: case DW_OP_breg0 ... DW_OP_breg31:
		op->number = (uint64_t)unwind_sleb(b);
		break;
	case DW_OP_bregx:
		op->number = unwind_uleb(b);
		op->number2 = (uint64_t)unwind_sleb(b);
		break;
	}
	return !b->bad;
}

static bool
same_expression(const struct unwind_row *row, const struct unwind_rule *r, const Dwarf_Op *ops, size_t n)
{
	const uint8_t *p = unwind_row_bytes(row) + r->value;
	struct unwind_bytes b = { p, p + r->size, false };
	Dwarf_Op op;

	expressions++;
	for (size_t i = 0; i < n; i++)
		if (b.p == b.end || !decode(&b, &op) || op.atom != ops[i].atom || op.number != ops[i].number || op.number2 != ops[i].number2)
			return false;
	return b.p == b.end;
}

static bool
same_rule(const struct unwind_row *row, const struct unwind_rule *r, const Dwarf_Op *ops, size_t n)
{
	bool value = n && ops[n - 1].atom == DW_OP_stack_value;

	switch (r->kind) {
	case UNWIND_UNDEFINED:
		return !n && ops;
	case UNWIND_OFFSET: case UNWIND_VAL_OFFSET:
		n -= value;
		return value == (r->kind == UNWIND_VAL_OFFSET) && n && ops[0].atom == DW_OP_call_frame_cfa &&
		    (r->value ? n == 2 && ops[1].atom == DW_OP_plus_uconst && ops[1].number == (uint64_t)r->value : n == 1);
	case UNWIND_REGISTER:
		return n == 1 && ops[0].atom == DW_OP_regx && ops[0].number == (uint64_t)r->value;
	case UNWIND_EXPR: case UNWIND_VAL_EXPR:
		n -= value;
		return value == (r->kind == UNWIND_VAL_EXPR) && n && ops[0].atom == DW_OP_call_frame_cfa &&
		    same_expression(row, r, ops + 1, n - 1);
	default:
		return false;
	}
}

/* "" or what differs */
static const char *
compare(const struct unwind_row *row, Dwarf_Frame *frame, const struct unwind_machine_desc *m)
{
	static char text[64];
	const struct unwind_rule *r = row->rule;
	Dwarf_Op *ops, mem[3];
	size_t n;
	bool signal = false;
	int ra = dwarf_frame_info(frame, NULL, NULL, &signal);

	if (ra != row->ra || signal != (bool)(row->flags & UNWIND_ROW_SIGNAL))
		return "return address or signal";
	if (dwarf_frame_cfa(frame, &ops, &n))
		return "no CFA";
	if (row->cfa.kind == UNWIND_VAL_EXPR ? !same_expression(row, &row->cfa, ops, n) :
	    n != 1 || ops[0].atom != DW_OP_bregx || ops[0].number != row->cfa_reg || ops[0].number2 != (uint64_t)row->cfa.value)
		return "CFA";
	for (unsigned i = 0; i < m->columns; i++) {
		if (dwarf_frame_register(frame, (int)i, mem, &ops, &n))
			return "no register";
		snprintf(text, sizeof text, "register %u", i);
		if (row->mask >> i & 1) {
			if (!same_rule(row, r++, ops, n))
				return text;
		} else if (n && i != m->sp)		/* the same, or not said */
			return text;
	}
	return "";
}

static void
look(struct unwind_file *f, Dwarf_CFI *cfi, uint64_t addr, uint64_t end, unsigned each)
{
	for (unsigned i = 0; addr < end; i++) {
		struct unwind_row *row = NULL;
		Dwarf_Addr from = addr, to = addr + 1;
		Dwarf_Frame *frame = NULL;
		const char *what = "";

		if (!dwarf_cfi_addrframe(cfi, addr, &frame))
			dwarf_frame_info(frame, &from, &to, NULL);
		if (i % each == 0) {
			row = unwind_cfi_row(f, addr);
			what = !row != !frame ? row ? "libdw has none" : "none" : row ? compare(row, frame, f->u->machine) : "";
			compared++;
		}
		if (*what && differ++ < 10)
			printf("%" PRIx64 ": %s\n", addr, what);
		free(row);
		free(frame);
		addr = to > addr ? to : addr + 1;
	}
}

int
main(int argc, char *argv[])
{
	int fd = argc == 3 ? open(argv[1], O_RDONLY) : -1;
	struct unwinder *u;
	struct unwind_file *f;
	const char *why;
	GElf_Ehdr eh;
	GElf_Phdr ph;
	Dwarf_CFI *cfi;
	Elf *elf;

	elf_version(EV_CURRENT);
	if (fd < 0 || !(elf = elf_begin(fd, ELF_C_READ, NULL)) || !gelf_getehdr(elf, &eh) || !(cfi = dwarf_getcfi_elf(elf)))
		errx(2, "%s: libdw cannot read it", argv[1]);
	u = unwind_new(eh.e_machine == EM_AARCH64 ? UNWIND_ARM64 : UNWIND_X86_64);
	if (!(f = unwind_file_open(u, fd, &why)))
		errx(2, "%s: %s", argv[1], why);
	for (int i = 0; i < eh.e_phnum && gelf_getphdr(elf, i, &ph); i++)
		if (ph.p_type == PT_LOAD && ph.p_flags & PF_X)
			look(f, cfi, ph.p_vaddr, ph.p_vaddr + ph.p_memsz, (unsigned)atoi(argv[2]));
	printf("%lu places, %lu expressions, %lu differ\n", compared, expressions, differ);
	return differ || compared < 5;
}

/* SPDX-License-Identifier: ISC */
/*
 * unwind_file.c - libFuzzer target: any bytes as an ELF file with tables for unwinding, or as such tables (common/unwind)
 *
 * The first byte says which.  What must hold: no sanitizer error; a file or a reason; rules whose registers and expressions are
 * those of the machine, within the row, and a CFA; the same rules when the file is read from a descriptor, and when its tables were
 * dropped and are read again.
 */
#include <sys/mman.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unwind/in.h"
#include "fuzz.h"

enum { AS_FILE, AS_EH_FRAME, AS_DEBUG_FRAME, AS_HEADER, KINDS };
enum { ADDR = 0x10000, HEAD = 1024, LOOKUPS = 40 };

static void
set(uint8_t *p, size_t at, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		p[at + i] = (uint8_t)(v >> 8 * i);
}

/* A file of one segment that has the bytes behind its headers, as a section, or as .eh_frame_hdr and what follows it. */
static uint8_t *
wrap(const uint8_t *p, size_t n, unsigned kind, unsigned machine, size_t *size)
{
	static const char names[] = "\0.eh_frame\0.debug_frame";
	uint8_t *f = calloc(1, HEAD + n);

	MUST(f);
	*size = HEAD + n;
	memcpy(f, "\177ELF\2\1\1", 7);
	set(f, 16, ET_DYN, 2);
	set(f, 18, machine, 2);
	set(f, 32, 64, 8);
	set(f, 54, 56, 2);
	set(f, 56, 2, 2);
	for (unsigned i = 0; i < 2; i++) {
		size_t ph = 64 + 56 * i, from = i ? HEAD : 0;

		set(f, ph, i ? kind == AS_HEADER ? PT_GNU_EH_FRAME : PT_NULL : PT_LOAD, 4);
		set(f, ph + 4, PF_R | PF_X, 4);
		set(f, ph + 8, from, 8);
		set(f, ph + 16, ADDR + from, 8);
		set(f, ph + 32, HEAD + n - from, 8);
		set(f, ph + 40, HEAD + n - from, 8);
	}
	if (kind != AS_HEADER) {
		set(f, 40, 512, 8);
		set(f, 58, 64, 2);
		set(f, 60, 2, 2);
		memcpy(f + 700, names, sizeof names);
		set(f, 512 + 24, 700, 8);
		set(f, 512 + 32, sizeof names, 8);
		set(f, 576, kind == AS_EH_FRAME ? 1 : 11, 4);
		set(f, 576 + 4, SHT_PROGBITS, 4);
		set(f, 576 + 16, kind == AS_EH_FRAME ? ADDR + HEAD : 0, 8);
		set(f, 576 + 24, HEAD, 8);
		set(f, 576 + 32, n, 8);
	}
	memcpy(f + HEAD, p, n);
	return f;
}

static void
check_rule(const struct unwind_row *row, const struct unwind_rule *r, unsigned columns)
{
	size_t bytes = (size_t)((const uint8_t *)row + offsetof(struct unwind_row, size) + row->size - unwind_row_bytes(row));

	MUST(r->kind >= UNWIND_UNDEFINED && r->kind <= UNWIND_VAL_EXPR);
	if (r->kind == UNWIND_REGISTER)
		MUST((uint64_t)r->value < columns);
	if (r->kind == UNWIND_EXPR || r->kind == UNWIND_VAL_EXPR)
		MUST((uint64_t)r->value <= bytes && r->size <= bytes - (uint64_t)r->value);
}

static void
check_row(const struct unwind_row *row, const struct unwind_machine_desc *m)
{
	unsigned n = (unsigned)__builtin_popcountll(row->mask);

	MUST(!(row->mask >> m->columns) && row->ra < m->columns && row->cfa_reg < m->columns);
	MUST(row->cfa.kind == UNWIND_VAL_OFFSET || row->cfa.kind == UNWIND_VAL_EXPR);
	check_rule(row, &row->cfa, m->columns);
	for (unsigned i = 0; i < n; i++)
		check_rule(row, &row->rule[i], m->columns);
}

static void
same(const struct unwind_row *a, const struct unwind_row *b)
{
	MUST(!a == !b);
	if (a)
		MUST(a->size == b->size && !memcmp(&a->size, &b->size, a->size));
}

/* The rules at some addresses that the tables have, and near them. */
static void
look(struct unwind_file *f, struct unwind_file *again)
{
	for (unsigned i = 0; i < LOOKUPS; i++) {
		const struct unwind_table *t = &f->table[i % 2];
		uint64_t addr = t->n ? t->base + t->place[i / 2 * t->n / LOOKUPS].start + i % 3 * 4 : ADDR + 64 * i, offset;
		struct unwind_row *row = unwind_cfi_row(f, addr), *other;

		if (row)
			check_row(row, f->u->machine);
		if (unwind_offset_of(f, addr, &offset))
			MUST(unwind_addr_of(f, offset, &(uint64_t){ 0 }));
		if (i % 8 == 7) {
			unwind_table_drop(f, &f->table[0]);
			unwind_table_drop(f, &f->table[1]);
		}
		other = unwind_cfi_row(again, addr);
		same(row, other);
		free(other);
		free(row);
	}
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	unsigned kind = n ? p[0] % KINDS : 0, arm = n && p[0] & 0x80;
	static struct unwinder *each[2];	/* one for all runs: it has tables of many files, as it has in a tool */
	struct unwinder *u = each[arm] = each[arm] ? each[arm] : unwind_new(arm ? UNWIND_ARM64 : UNWIND_X86_64);
	const char *why = NULL, *why_fd = NULL;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct unwind_file *f, *from_fd;
	uint8_t *file;
	size_t size;

	MUST(u && fd >= 0);
	if (kind == AS_FILE) {
		size = n ? n - 1 : 0;
		MUST((file = malloc(size ? size : 1)));
		memcpy(file, p + 1, size);
	} else
		file = wrap(p + 1, n - 1, kind, arm ? EM_AARCH64 : EM_X86_64, &size);
	MUST(write(fd, file, size) == (ssize_t)size);
	f = unwind_file_memory(u, file, size, &why);
	from_fd = unwind_file_open(u, fd, &why_fd);
	MUST(!f == !from_fd && !f == (why != NULL) && why == why_fd);
	if (f) {
		free(unwind_cfi_row(f, ADDR));
		look(f, from_fd);
	}
	unwind_file_close(f);
	unwind_file_close(from_fd);
	if (!f)
		close(fd);
	MUST(!u->tables && !u->files);
	free(file);
	return 0;
}

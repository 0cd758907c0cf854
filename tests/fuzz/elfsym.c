/* SPDX-License-Identifier: ISC */
/*
 * elfsym.c - libFuzzer target: any bytes as an ELF file, and as its separate debug file (common/symbol/elfsym.c)
 *
 * What must hold: no sanitizer error; a reason, or symbols each of which has a name and lies in an executable section; a file that is
 * its own debug file adds no less than the symbols of .symtab; the same file gives the same symbols.
 */
#include <sys/mman.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/elfsym.h"

#define MUST(cond) do { if (!(cond)) { fprintf(stderr, "elfsym.c:%d: %s\n", __LINE__, #cond); abort(); } } while (0)

static void
check(const struct elfsym *f)
{
	uint64_t addr;

	for (size_t i = 0; i < f->n; i++) {
		const struct elfsym_symbol *y = &f->symbol[i];

		MUST(y->section < f->nsections && y->name < f->nnames && strlen(elfsym_name(f, y->name)));
		MUST(f->type == ET_REL || y->addr - f->section[y->section].addr < f->section[y->section].size);
	}
	for (size_t i = 0; i < f->nsegments; i++)
		if (elfsym_addr(f, f->segment[i].offset, &addr))
			MUST(i || addr == f->segment[i].addr);
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	const char *why = NULL;
	struct elfsym a, b;
	size_t before, symtab = 0;
	int fd, rc;

	MUST((fd = memfd_create("fuzz", MFD_CLOEXEC)) >= 0 && write(fd, p, n) == (ssize_t)n);
	rc = elfsym_read(&a, fd, &why);
	MUST(rc ? a.damage || true : why != NULL);
	check(&a);
	MUST(elfsym_read(&b, fd, &why) == rc && a.n == b.n && a.nnames == b.nnames);
	for (size_t i = 0; i < a.n; i++)
		MUST(a.symbol[i].addr == b.symbol[i].addr && !strcmp(elfsym_name(&a, a.symbol[i].name), elfsym_name(&b, b.symbol[i].name)));
	elfsym_free(&b);
	before = a.n;
	for (size_t i = 0; i < a.n; i++)
		symtab += a.symbol[i].source == ELFSYM_SYMTAB;
	if (rc && elfsym_add_debug(&a, fd, &why))
		MUST(a.damage || a.n == before + symtab);
	check(&a);
	elfsym_free(&a);
	close(fd);
	return 0;
}

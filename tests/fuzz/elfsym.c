/* SPDX-License-Identifier: ISC */
/*
 * elfsym.c - libFuzzer target: any bytes as an ELF file, and as its separate debug file (common/symbol/elfsym.c); and the file of
 * its functions (cmd/pinject/symbols/symbol_file.c)
 *
 * What must hold: no sanitizer error; a reason, or symbols each of which has a name and lies in an executable section; a file that
 * is its own debug file adds the symbols of .symtab; the same file gives the same symbols; the file of functions has each of them
 * once, with the same segments and sections, and its own file of functions is the same.  With hits: some of them.
 */
#include <sys/mman.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/symbol_file.h"
#include "tool/tool.h"
#include "alloc.h"
#include "fuzz.h"

static void
check(const struct elfsym *f)
{
	uint64_t addr;

	for (size_t i = 0; i < f->n; i++) {
		const struct elfsym_symbol *y = &f->symbol[i];

		MUST(y->section < f->nsections && y->name < f->nnames && strlen(elfsym_name(f, y->name)));
		MUST(f->type == ET_REL || y->addr - f->section[y->section].addr < f->section[y->section].size);
	}
	if (f->nsegments && (f->segment[0].filesz || f->segment[0].memsz))
		MUST(elfsym_addr(f, f->segment[0].offset, &addr) && addr == f->segment[0].addr);
}

static int
file_of(const uint8_t *p, size_t n)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	MUST(fd >= 0 && write(fd, p, n) == (ssize_t)n);
	return fd;
}

static bool
has(const struct elfsym *f, const struct elfsym_symbol *y, const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (f->symbol[i].addr == y->addr && f->symbol[i].size == y->size && f->symbol[i].bind == y->bind &&
		    (f->type != ET_REL || f->symbol[i].section == y->section) && !strcmp(elfsym_name(f, f->symbol[i].name), name))
			return true;
	return false;
}

/* b is of the file of a's functions. */
static void
check_made(const struct elfsym *a, const struct elfsym *b)
{
	size_t n = 0;

	MUST(!b->damage && b->class == a->class && b->big == a->big && b->machine == a->machine && b->type == a->type);
	MUST(b->id.len == a->id.len && !memcmp(b->id.b, a->id.b, a->id.len));
	MUST(b->nsegments == a->nsegments && b->nsections == a->nsections);
	for (size_t i = 0; i < a->nsegments; i++)
		MUST(a->segment[i].offset == b->segment[i].offset && a->segment[i].addr == b->segment[i].addr &&
		    a->segment[i].filesz == b->segment[i].filesz && a->segment[i].memsz == b->segment[i].memsz &&
		    a->segment[i].align == b->segment[i].align && a->segment[i].flags == b->segment[i].flags);
	for (size_t i = 0; i < a->nsections; i++)
		MUST(a->section[i].addr == b->section[i].addr && a->section[i].offset == b->section[i].offset &&
		    a->section[i].size == b->section[i].size);
	for (size_t i = 0; i < a->n; i++) {
		MUST(has(b, &a->symbol[i], elfsym_name(a, a->symbol[i].name), b->n));
		n += !has(a, &a->symbol[i], elfsym_name(a, a->symbol[i].name), i);
	}
	MUST(b->n == n);
}

enum { SYMBOLS_CHECKED = 300 };

static void
make(const struct elfsym *a)
{
	uint64_t offset[] = { 0, 0x1000, a->nsegments ? a->segment[0].offset + 1 : 0 };
	struct symbol_hits hits = { offset, 3 };
	const char *why;
	struct elfsym b;
	size_t n, again;
	uint8_t *made = symbol_file_make(a, NULL, "mark", &n), *second;
	int fd = file_of(made, n);

	MUST(n > 5 && !memcmp(made + n - 5, "mark", 5));
	MUST(elfsym_read(&b, fd, &why));
	check_made(a, &b);
	second = symbol_file_make(&b, NULL, "mark", &again);
	MUST(again == n && !memcmp(made, second, n));
	elfsym_free(&b);
	close(fd);
	free(made);
	free(second);

	made = symbol_file_make(a, &hits, "hits", &again);
	MUST(again <= n);
	fd = file_of(made, again);
	MUST(elfsym_read(&b, fd, &why) && !b.damage && b.n <= a->n);
	elfsym_free(&b);
	close(fd);
	free(made);
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	const char *why = NULL;
	struct elfsym a, b;
	size_t before, symtab = 0;
	int fd = file_of(p, n), rc;

	rc = elfsym_read(&a, fd, &why);
	MUST(rc ? a.damage || true : why != NULL);
	check(&a);
	MUST(elfsym_read(&b, fd, &why) == rc && a.n == b.n && a.nnames == b.nnames);
	for (size_t i = 0; i < a.n; i++)
		MUST(a.symbol[i].addr == b.symbol[i].addr && !strcmp(elfsym_name(&a, a.symbol[i].name), elfsym_name(&b, b.symbol[i].name)));
	elfsym_free(&b);
	if (rc && a.n < SYMBOLS_CHECKED)
		make(&a);
	before = a.n;
	for (size_t i = 0; i < a.n; i++)
		symtab += a.symbol[i].source == ELFSYM_SYMTAB;
	if (rc && elfsym_add_debug(&a, fd, &why))
		MUST(a.n == before + symtab || a.damage);
	else
		MUST(a.n == before);
	check(&a);
	elfsym_free(&a);
	close(fd);
	return 0;
}

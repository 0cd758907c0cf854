/* SPDX-License-Identifier: ISC */
/* section.c - .eh_frame and .debug_frame by the section headers (elf(5)) */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "in.h"

enum { SHDR = 64 };			/* bytes of a section header of ELFCLASS64 */

static bool
is_named(const char *names, size_t n, uint64_t at, const char *name)
{
	size_t len = strlen(name) + 1;

	return at < n && n - at >= len && !memcmp(names + at, name, len);
}

static void
take_section(struct unwind_file *f, const uint8_t *sh, const char *names, size_t n)
{
	uint64_t name = unwind_number(sh, 4), flags = unwind_number(sh + 8, 8);
	struct unwind_table *t = is_named(names, n, name, ".eh_frame") ? &f->table[0] :
	    is_named(names, n, name, ".debug_frame") ? &f->table[1] : NULL;
	uint8_t head[24];

	if (!t || t->state != UNWIND_TABLE_NONE || unwind_number(sh + 4, 4) == SHT_NOBITS)
		return;
	t->addr = unwind_number(sh + 16, 8);
	t->at = unwind_number(sh + 24, 8);
	t->size = unwind_number(sh + 32, 8);
	if (flags & SHF_COMPRESSED) {
		if (unwind_read(f, t->at, head, sizeof head) < sizeof head || !unwind_number(head, 4))
			return;
		t->compressed = (unsigned)unwind_number(head, 4);
	}
	t->state = UNWIND_TABLE_UNREAD;
}

/* The names of sections, *n bytes; NULL: none */
static char *
read_names(const struct unwind_file *f, const uint8_t *sh, size_t *n)
{
	uint64_t size = unwind_number(sh + 32, 8);
	char *names = size && size <= UNWIND_NAMES ? malloc(size) : NULL;

	if (names)
		*n = unwind_read(f, unwind_number(sh + 24, 8), names, size);
	return names;
}

void
unwind_sections(struct unwind_file *f, const uint8_t *header)
{
	uint64_t at = unwind_number(header + 40, 8);
	size_t n = unwind_number(header + 60, 2), of_names = unwind_number(header + 62, 2), nnames;
	uint8_t *sh = at && n <= UNWIND_SECTIONS && of_names < n && unwind_number(header + 58, 2) == SHDR ? malloc(n * SHDR) : NULL;
	char *names;

	if (sh && unwind_read(f, at, sh, n * SHDR) == n * SHDR && (names = read_names(f, sh + of_names * SHDR, &nnames))) {
		for (size_t i = 0; i < n; i++)
			take_section(f, sh + i * SHDR, names, nnames);
		free(names);
	}
	free(sh);
}

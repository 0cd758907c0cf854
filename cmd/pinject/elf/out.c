/* SPDX-License-Identifier: ISC */
/* out.c - see out.h.  elf(5) describes the structures. */
#include <elf.h>
#include <string.h>

#include "out.h"
#include "set.h"
#include "tool/tool.h"

void
elf_bytes(struct elf_buf *b, const void *p, size_t n)
{
	b->p = tool_need(array_more(b->p, b->n, n, 1));
	if (p)
		memcpy(b->p + b->n, p, n);
	else
		memset(b->p + b->n, 0, n);
	b->n += n;
}

void
elf_number(struct elf_form f, struct elf_buf *b, uint64_t value, size_t width)
{
	uint8_t s[8];

	for (size_t i = 0; i < width; i++)
		s[f.big ? width - 1 - i : i] = (uint8_t)(value >> 8 * i);
	elf_bytes(b, s, width);
}

void
elf_align(struct elf_buf *b, size_t align)
{
	elf_bytes(b, NULL, -b->n & (align - 1));
}

size_t
elf_word(struct elf_form f)
{
	return f.is64 ? 8 : 4;
}

void
elf_symbol(struct elf_form f, struct elf_buf *b, uint32_t name, uint64_t value, uint64_t size, uint8_t info, uint16_t section)
{
	uint8_t both[2] = { info, STV_DEFAULT };

	elf_number(f, b, name, 4);
	if (f.is64) {
		elf_bytes(b, both, 2);
		elf_number(f, b, section, 2);
	}
	elf_number(f, b, value, elf_word(f));
	elf_number(f, b, size, elf_word(f));
	if (!f.is64) {
		elf_bytes(b, both, 2);
		elf_number(f, b, section, 2);
	}
}

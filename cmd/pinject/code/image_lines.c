/* SPDX-License-Identifier: ISC */
/*
 * image_lines.c - source lines of an image, as .debug_line of DWARF version 4: one sequence for each function.  Readers find it
 * by a compile unit in .debug_info, which covers the whole of .text.
 */
#include <string.h>

#include "image_in.h"

enum {
	SET_FILE = 4, ADVANCE_LINE = 3, ADVANCE_PC = 2, COPY = 1,	/* DW_LNS_... */
	END_SEQUENCE = 1, SET_ADDRESS = 2,				/* DW_LNE_..., behind a 0 and a length */
	RECENT = 64,			/* names of files that are looked through for one that is there already */
};

static void
image_uleb(struct elf_buf *b, uint64_t v)
{
	uint8_t byte;

	do {
		byte = (v & 0x7f) | (v > 0x7f ? 0x80 : 0);
		elf_bytes(b, &byte, 1);
	} while (v >>= 7);
}

static void
image_sleb(struct elf_buf *b, int64_t v)
{
	bool more = true;

	while (more) {
		uint8_t byte = v & 0x7f;

		v = v < 0 ? ~(~v >> 7) : v >> 7;
		more = !((v == 0 && !(byte & 0x40)) || (v == -1 && byte & 0x40));
		byte |= more ? 0x80 : 0;
		elf_bytes(b, &byte, 1);
	}
}

static void
image_byte(struct elf_buf *b, uint8_t v)
{
	elf_bytes(b, &v, 1);
}

/* The number of a file, from 1. */
static uint64_t
image_file(struct image *im, const char *name)
{
	for (uint64_t i = im->nfiles; i && i + RECENT > im->nfiles; i--)
		if (!strcmp((const char *)im->files.p + im->recent[i % RECENT], name))
			return i;
	im->recent[++im->nfiles % RECENT] = im->files.n;
	elf_bytes(&im->files, name, strlen(name) + 1);
	elf_bytes(&im->files, NULL, 3);	/* directory, time, size: unknown */
	return im->nfiles;
}

void
image_lines_add(struct image *im, const struct image_fn *fn, uint64_t offset)
{
	struct elf_buf *b = &im->lines;
	uint64_t at = 0, file = 1, line = 1;
	bool begun = false;

	for (size_t i = 0; i < fn->nlines; i++) {
		const struct image_line *l = &fn->lines[i];
		uint64_t to = l->addr - fn->addr, of;

		if (l->addr < fn->addr || to >= fn->size || to < at)
			continue;
		if (!begun) {
			begun = true;
			at = to;
			image_byte(b, 0);
			image_uleb(b, 1 + (im->form.is64 ? 8 : 4));
			image_byte(b, SET_ADDRESS);
			elf_number(im->form, b, offset + to, im->form.is64 ? 8 : 4);
		}
		if ((of = image_file(im, *l->file ? l->file : "?")) != file) {
			image_byte(b, SET_FILE);
			image_uleb(b, of);
		}
		image_byte(b, ADVANCE_LINE);
		image_sleb(b, (int64_t)l->line - (int64_t)line);
		image_byte(b, ADVANCE_PC);
		image_uleb(b, to - at);
		image_byte(b, COPY);
		at = to;
		file = of;
		line = l->line;
	}
	if (!begun)
		return;
	image_byte(b, ADVANCE_PC);
	image_uleb(b, fn->size - at);
	elf_bytes(b, (const uint8_t[]){ 0, 1, END_SEQUENCE }, 3);
}

void
image_lines_finish(const struct image *im, struct elf_buf *line, struct elf_buf *info, struct elf_buf *abbrev)
{
	/* of the opcodes 1 to 12: how many operands they have */
	static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	/* 1: DW_TAG_compile_unit without children; name, stmt_list, low_pc, high_pc and their forms */
	static const uint8_t unit[] = { 1, 0x11, 0, 0x03, 0x08, 0x10, 0x17, 0x11, 0x01, 0x12, 0x01, 0, 0, 0 };
	size_t word = im->form.is64 ? 8 : 4, head = 6 + sizeof operands + 1 + im->files.n + 1;

	if (!im->lines.n)
		return;
	elf_number(im->form, line, 2 + 4 + head + im->lines.n, 4);
	elf_number(im->form, line, 4, 2);
	elf_number(im->form, line, head, 4);
	elf_bytes(line, (const uint8_t[]){ 1, 1, 1, (uint8_t)-5, 14, sizeof operands + 1 }, 6);
	elf_bytes(line, operands, sizeof operands);
	image_byte(line, 0);			/* no directories */
	elf_bytes(line, im->files.p, im->files.n);
	image_byte(line, 0);
	elf_bytes(line, im->lines.p, im->lines.n);

	elf_bytes(abbrev, unit, sizeof unit);
	elf_number(im->form, info, 2 + 4 + 1 + 1 + sizeof "jitted" + 4 + 2 * word, 4);
	elf_number(im->form, info, 4, 2);
	elf_number(im->form, info, 0, 4);
	image_byte(info, (uint8_t)word);
	image_byte(info, 1);
	elf_bytes(info, "jitted", sizeof "jitted");
	elf_number(im->form, info, 0, 4);
	elf_number(im->form, info, IMAGE_BASE, word);
	elf_number(im->form, info, IMAGE_BASE + im->text.n, word);
}

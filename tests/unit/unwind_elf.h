/* SPDX-License-Identifier: ISC */
/* unwind_elf.h - ELF files in memory whose entries of .eh_frame or .debug_frame are written by hand */
#ifndef PP_TEST_UNWIND_ELF_H
#define PP_TEST_UNWIND_ELF_H

#include <elf.h>
#include <stdlib.h>

#include "check.h"
#include "unwind/in.h"

struct bytes {
	uint8_t		*p;
	size_t		 n, cap;
};

static inline void
put(struct bytes *b, const void *p, size_t n)
{
	while (b->cap < b->n + n)
		b->p = realloc(b->p, b->cap = 2 * b->cap + 4096);
	if (p)
		memcpy(b->p + b->n, p, n);
	else
		memset(b->p + b->n, 0, n);
	b->n += n;
}
static inline void
number(struct bytes *b, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		put(b, &(uint8_t){ (uint8_t)(v >> 8 * i) }, 1);
}
static inline void
set_number(struct bytes *b, size_t at, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		b->p[at + i] = (uint8_t)(v >> 8 * i);
}
static inline void
leb(struct bytes *b, uint64_t v)
{
	do
		number(b, (v & 0x7f) | (v > 0x7f ? 0x80 : 0), 1);
	while (v >>= 7);
}

/* Instructions and expressions as literals of bytes: CODE(0x41, 0x0e, 16). */
struct code {
	const uint8_t	*p;
	size_t		 n;
};
#define CODE(...) ((struct code){ (const uint8_t[]){ __VA_ARGS__ }, sizeof (const uint8_t[]){ __VA_ARGS__ } })
#define NO_CODE ((struct code){ NULL, 0 })

struct cie_form {
	unsigned	 version;	/* 0: 1 */
	const char	*augmentation;	/* NULL: "zR" */
	struct code	 data;		/* of it; NULL: the encoding */
	uint8_t		 encoding;	/* 0: as compilers do, 0x1b */
	uint8_t		 ra;		/* 0: 16 */
	bool		 wide;		/* lengths of 8 bytes */
	struct code	 code;		/* NULL: CFA is rsp + 8, the return address is at CFA - 8 */
};

enum { TEXT = 0x1000, ADDR = 0x400000, FRAMES = 0x9000 };	/* offsets: of the code, address - offset, of the tables */

struct elf {			/* a file in the making */
	bool		 debug;		/* .debug_frame */
	struct bytes	 frames;	/* the section */
	struct cie_form	 form;
	size_t		 cie;		/* offset of the last CIE */
	struct { uint64_t start; size_t at; } fde[4096];
	size_t		 n;
	bool		 no_header;	/* leave .eh_frame_hdr out */
	unsigned	 compress;	/* ELFCOMPRESS_... */
	uint16_t	 machine;	/* 0: x86-64 */
	struct bytes	 file;
};

static inline size_t
entry_begin(struct elf *e)
{
	size_t at = e->frames.n;

	if (e->form.wide)
		number(&e->frames, UINT32_MAX, 4);
	number(&e->frames, 0, e->form.wide ? 8 : 4);
	return at;
}
static inline void
entry_end(struct elf *e, size_t at)
{
	while (e->frames.n % 8)
		number(&e->frames, 0, 1);		/* DW_CFA_nop */
	if (e->form.wide)
		set_number(&e->frames, at + 4, e->frames.n - at - 12, 8);
	else
		set_number(&e->frames, at, e->frames.n - at - 4, 4);
}

static inline void
add_cie(struct elf *e, struct cie_form form)
{
	struct bytes *b = &e->frames;
	size_t at;

	e->form = form;
	if (!e->form.version)
		e->form.version = 1;
	if (!e->form.augmentation)
		e->form.augmentation = e->debug ? "" : "zR";
	if (!e->form.encoding)
		e->form.encoding = e->debug ? 0 : 0x1b;
	at = e->cie = entry_begin(e);
	number(b, e->debug ? UINT64_MAX : 0, e->form.wide && e->debug ? 8 : 4);
	number(b, e->form.version, 1);
	put(b, e->form.augmentation, strlen(e->form.augmentation) + 1);
	if (e->form.version == 4)
		number(b, 8, 2);
	leb(b, 1);
	number(b, 0x78, 1);				/* -8 */
	number(b, form.ra ? form.ra : 16, 1);
	if (*e->form.augmentation == 'z') {
		leb(b, form.data.p ? form.data.n : 1);
		if (form.data.p)
			put(b, form.data.p, form.data.n);
		else
			number(b, e->form.encoding, 1);
	}
	if (form.code.p)
		put(b, form.code.p, form.code.n);
	else
		put(b, (const uint8_t[]){ 0x0c, 7, 8, 0x90, 1 }, 5);
	entry_end(e, at);
}

static inline void
put_pointer(struct elf *e, uint64_t v, uint8_t encoding)
{
	uint64_t here = ADDR + FRAMES + e->frames.n;

	if ((encoding & 0x70) == 0x10)
		v -= here;
	switch (encoding & 0x0f) {
	case 0x01: case 0x09: {
		uint8_t leb10[10];

		for (unsigned i = 0; i < 10; i++) {	/* padded to 10 bytes, which sign-extends, too */
			leb10[i] = (uint8_t)((uint64_t)((int64_t)v >> (7 * i < 63 ? 7 * i : 63)) & 0x7f) | (i < 9 ? 0x80 : 0);
			if (i == 9)
				leb10[i] = encoding & 8 ? (int64_t)v < 0 ? 0x7f : 0 : (uint8_t)(v >> 63);
		}
		put(&e->frames, leb10, 10);
		return;
	}
	case 0x02: case 0x0a:
		number(&e->frames, v, 2);
		return;
	case 0x03: case 0x0b:
		number(&e->frames, v, 4);
		return;
	default:
		number(&e->frames, v, 8);
	}
}

/* A function that begins at that offset of the file. */
static inline void
add_fde(struct elf *e, uint64_t start, uint64_t size, struct code code)
{
	struct bytes *b = &e->frames;
	size_t at = entry_begin(e);

	e->fde[e->n].start = ADDR + start;
	e->fde[e->n++].at = at;
	if (e->debug)
		number(b, e->cie, e->form.wide ? 8 : 4);
	else
		number(b, b->n - e->cie, 4);
	put_pointer(e, ADDR + start, e->form.encoding);
	put_pointer(e, size, e->form.encoding & 0x0f);
	if (*e->form.augmentation == 'z')
		leb(b, 0);
	put(b, code.p, code.n);
	entry_end(e, at);
}

static inline void
put_header(struct bytes *b, const struct elf *e, uint64_t at)
{
	number(b, 0x3b031b01, 4);
	number(b, FRAMES - at - 4, 4);
	number(b, e->n, 4);
	for (size_t i = 0; i < e->n; i++) {
		number(b, e->fde[i].start - (ADDR + at), 4);
		number(b, FRAMES + e->fde[i].at - at, 4);
	}
}

static inline void
put_phdr(struct bytes *b, uint32_t type, uint32_t flags, uint64_t offset, uint64_t size)
{
	const uint64_t rest[] = { offset, ADDR + offset, ADDR + offset, size, size, 0x1000 };

	number(b, type, 4);
	number(b, flags, 4);
	for (unsigned i = 0; i < 6; i++)
		number(b, rest[i], 8);
}

static inline void
put_shdr(struct bytes *b, uint32_t name, uint32_t type, uint64_t flags, uint64_t addr, uint64_t offset, uint64_t size)
{
	const uint64_t rest[] = { flags, addr, offset, size, 0, 1, 0 };

	number(b, name, 4);
	number(b, type, 4);
	for (unsigned i = 0; i < 7; i++)
		number(b, rest[i], 8);
}

/* The file: code, tables, sections; in e->file. */
static inline void
finish(struct elf *e)
{
	static const char names[] = "\0.shstrtab\0.eh_frame\0.debug_frame";
	struct bytes *b = &e->file;
	uint64_t hdr, end, strings;
	size_t n = e->frames.n;

	number(&e->frames, 0, e->debug || e->compress ? 0 : 4);
	b->n = 0;
	put(b, NULL, FRAMES);
	put(b, e->frames.p, e->frames.n);
	while (b->n % 8)
		number(b, 0, 1);
	hdr = b->n;
	if (!e->debug && !e->no_header)
		put_header(b, e, hdr);
	end = strings = b->n;
	put(b, names, sizeof names);
	memcpy(b->p, "\177ELF\2\1\1", 7);
	set_number(b, 16, ET_DYN, 2);
	set_number(b, 18, e->machine ? e->machine : EM_X86_64, 2);
	set_number(b, 32, 64, 8);
	set_number(b, 40, b->n, 8);
	set_number(b, 54, 56, 2);
	set_number(b, 56, 3, 2);
	set_number(b, 58, 64, 2);
	set_number(b, 60, 3, 2);
	set_number(b, 62, 1, 2);
	put(b, NULL, 64);
	put_shdr(b, 1, SHT_STRTAB, 0, 0, strings, sizeof names);
	put_shdr(b, e->debug ? 21 : 11, SHT_PROGBITS, e->compress ? SHF_COMPRESSED : 0, e->debug ? 0 : ADDR + FRAMES, FRAMES, n);
	n = b->n;
	b->n = 64;
	put_phdr(b, PT_LOAD, PF_R, FRAMES, end - FRAMES);
	put_phdr(b, PT_LOAD, PF_R | PF_X, 0, FRAMES);
	put_phdr(b, !e->debug && !e->no_header ? PT_GNU_EH_FRAME : PT_NULL, PF_R, hdr, end - hdr);
	b->n = n;
}

static inline void
elf_end(struct elf *e)
{
	free(e->frames.p);
	free(e->file.p);
	free(e);
}
#endif

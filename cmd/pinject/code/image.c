/* SPDX-License-Identifier: ISC */
/*
 * image.c - see image.h.  elf(5) describes the structures.  The file:
 *
 *	header | program headers | .note.gnu.build-id | zeros up to IMAGE_BASE | .text | other sections | section headers
 *
 * Sections that are empty have the type SHT_NULL.
 *
 * libelf could write it, too, but decides the offsets itself, and wants a file to seek in.
 */
#include <elf.h>
#include <sha1.h>
#include <stdlib.h>
#include <string.h>

#include "image_in.h"
#include "set.h"
#include "tool/tool.h"

enum {
	CODE_MAX = 16 << 20,
	NAMES_MAX = 256 << 20,
	CODE_ALIGN = 16,
	GAP_MAX = 256,
	SHA1_SIZE = SHA1_DIGEST_LENGTH,
	NOTE_HEAD = 16,				/* namesz, descsz, type, "GNU" */
};

struct section {
	const char	*name;
	uint32_t	 type, flags, link, info;
	size_t		 align, entry;
	const struct elf_buf *buf;
	uint64_t	 offset, size;
};
enum { NOTE = 1, TEXT, EH_FRAME_HDR, EH_FRAME, SYMTAB, STRTAB, DEBUG_LINE, DEBUG_INFO, DEBUG_ABBREV, SHSTRTAB, SECTIONS };
enum { SEGMENTS = 4 };			/* the last one only with .eh_frame */

/* ---- functions ---------------------------------------------------------------------------------- */

struct image *
image_new(uint16_t machine, bool big_endian, bool is64)
{
	struct image *im = tool_alloc(1, sizeof *im);

	*im = (struct image){ .machine = machine, .form = { big_endian, is64 } };
	elf_bytes(&im->strtab, "", 1);
	elf_symbol(im->form, &im->symtab, 0, 0, 0, 0, SHN_UNDEF);
	return im;
}

void
image_span(struct image *im, uint64_t start, uint64_t size)
{
	im->span = true;
	im->start = start;
	im->size = size;
}

size_t
image_functions(const struct image *im)
{
	return im->functions;
}

uint64_t
image_code_size(const struct image *im)
{
	return im->text.n;
}

/* Where the function will be in the file.  0: it cannot be there. */
static uint64_t
image_place(const struct image *im, const struct image_fn *fn)
{
	uint64_t most = im->form.is64 ? INT64_MAX : INT32_MAX, at = fn->addr - im->start;

	if (!im->span) {
		/*
		 * Readers unwind by one distance between file and memory: functions with tables keep their distances.
		 */
		if (fn->unwind && im->functions && fn->addr - im->last_end <= GAP_MAX)
			at = im->text.n + (fn->addr - im->last_end);
		else
			at = (im->text.n + CODE_ALIGN - 1) & ~(uint64_t)(CODE_ALIGN - 1);
		return at <= CODE_MAX && fn->size <= CODE_MAX - at ? IMAGE_BASE + at : 0;
	}
	if (fn->addr < im->start || at > im->size || fn->size > im->size - at || im->size > most - IMAGE_BASE)
		return 0;
	return IMAGE_BASE + at;
}

int
image_function(struct image *im, const struct image_fn *fn, uint64_t *offset)
{
	size_t n = strlen(fn->name), name = im->strtab.n;
	uint64_t at = image_place(im, fn);

	if (!at || n >= NAMES_MAX - name)
		return 0;
	elf_bytes(&im->strtab, fn->name, n + 1);
	for (size_t i = name; i < im->strtab.n - 1; i++)
		if (im->strtab.p[i] < ' ' || im->strtab.p[i] == 0x7f)
			im->strtab.p[i] = '?';
	if (!im->span) {
		elf_bytes(&im->text, NULL, at - IMAGE_BASE - im->text.n);
		elf_bytes(&im->text, fn->code, fn->size);
		im->last_end = fn->addr + fn->size;
		image_lines_add(im, fn, at);
		image_unwind_add(im, fn, at);
	}
	elf_symbol(im->form, &im->symtab, (uint32_t)name, at, fn->size, STB_GLOBAL << 4 | STT_FUNC, TEXT);
	im->functions++;
	*offset = at;
	return 1;
}

/* ---- the file ----------------------------------------------------------------------------------- */

static void
image_header(const struct image *im, struct elf_buf *f, uint64_t sections, unsigned segments)
{
	uint8_t ident[EI_NIDENT] = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, im->form.is64 ? ELFCLASS64 : ELFCLASS32,
	    im->form.big ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT };
	size_t word = elf_word(im->form), own = im->form.is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);

	elf_bytes(f, ident, sizeof ident);
	elf_number(im->form, f, ET_DYN, 2);
	elf_number(im->form, f, im->machine, 2);
	elf_number(im->form, f, EV_CURRENT, 4);
	elf_number(im->form, f, 0, word);
	elf_number(im->form, f, own, word);
	elf_number(im->form, f, sections, word);
	elf_number(im->form, f, 0, 4);
	elf_number(im->form, f, own, 2);
	elf_number(im->form, f, im->form.is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), 2);
	elf_number(im->form, f, segments, 2);
	elf_number(im->form, f, im->form.is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), 2);
	elf_number(im->form, f, SECTIONS, 2);
	elf_number(im->form, f, SHSTRTAB, 2);
}

static void
image_segment(const struct image *im, struct elf_buf *f, uint32_t type, uint32_t flags, const struct section *s, uint64_t align)
{
	size_t word = elf_word(im->form);

	elf_number(im->form, f, type, 4);
	if (im->form.is64)
		elf_number(im->form, f, flags, 4);
	for (int i = 0; i < 3; i++)		/* offset, and both addresses */
		elf_number(im->form, f, s->offset, word);
	elf_number(im->form, f, s->type == SHT_NOBITS ? 0 : s->size, word);
	elf_number(im->form, f, s->size, word);
	if (!im->form.is64)
		elf_number(im->form, f, flags, 4);
	elf_number(im->form, f, align, word);
}

static void
image_section(const struct image *im, struct elf_buf *f, const struct section *s, uint32_t name)
{
	size_t word = elf_word(im->form);

	elf_number(im->form, f, name, 4);
	elf_number(im->form, f, s->type, 4);
	elf_number(im->form, f, s->flags, word);
	elf_number(im->form, f, s->flags & SHF_ALLOC ? s->offset : 0, word);
	elf_number(im->form, f, s->offset, word);
	elf_number(im->form, f, s->size, word);
	elf_number(im->form, f, s->link, 4);
	elf_number(im->form, f, s->info, 4);
	elf_number(im->form, f, s->align, word);
	elf_number(im->form, f, s->entry, word);
}

static void
image_note(const struct image *im, struct elf_buf *b)
{
	elf_number(im->form, b, 4, 4);
	elf_number(im->form, b, SHA1_SIZE, 4);
	elf_number(im->form, b, NT_GNU_BUILD_ID, 4);
	elf_bytes(b, "GNU", 4);
	elf_bytes(b, NULL, SHA1_SIZE);	/* the id, when the rest is known */
}

/* Offsets and sizes of all sections; returns the offset behind them. */
static uint64_t
image_lay_out(const struct image *im, struct section *s)
{
	uint64_t at = im->form.is64 ? sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr) :
	    sizeof(Elf32_Ehdr) + SEGMENTS * sizeof(Elf32_Phdr);

	for (int i = NOTE; i < SECTIONS; i++) {
		uint64_t behind = at;

		at = i == TEXT ? IMAGE_BASE : (at + s[i].align - 1) & ~(uint64_t)(s[i].align - 1);
		s[i].offset = at;
		if (s[i].type == SHT_NOBITS)	/* its offset is an address; nothing is there */
			at = behind;
		else
			at += s[i].size = s[i].buf->n;
		if (!s[i].size)
			s[i].type = SHT_NULL;
	}
	return (at + 7) & ~UINT64_C(7);
}

static void
image_write(struct image *im, struct elf_buf *f, struct section *s, const uint32_t *names)
{
	uint64_t headers = image_lay_out(im, s);
	struct section head = { .type = SHT_PROGBITS, .size = s[NOTE].offset + s[NOTE].size }, load = s[TEXT];

	if (im->eh_frame.n) {
		image_unwind_finish(im, s[EH_FRAME_HDR].offset, s[EH_FRAME].offset);
		load.size = s[EH_FRAME].offset + s[EH_FRAME].size - load.offset;
	}
	image_header(im, f, headers, im->eh_frame.n ? SEGMENTS : SEGMENTS - 1);
	/* As linkers do: readers take the address of the first segment for that of the first byte of the file. */
	image_segment(im, f, PT_LOAD, PF_R, &head, IMAGE_BASE);
	image_segment(im, f, PT_LOAD, PF_R | PF_X, &load, IMAGE_BASE);
	image_segment(im, f, PT_NOTE, PF_R, &s[NOTE], 4);
	if (im->eh_frame.n)
		image_segment(im, f, PT_GNU_EH_FRAME, PF_R, &s[EH_FRAME_HDR], 4);
	for (int i = NOTE; i < SECTIONS; i++) {
		if (s[i].type == SHT_NOBITS)
			continue;
		elf_bytes(f, NULL, s[i].offset - f->n);
		elf_bytes(f, s[i].buf->p, s[i].buf->n);
	}
	elf_align(f, 8);
	for (int i = 0; i < SECTIONS; i++)
		image_section(im, f, &s[i], names[i]);
}

/* The id is that of the file with zeros in its place. */
static void
image_identify(struct elf_buf *f, const struct section *note, struct build_id *id)
{
	SHA1_CTX sha;

	SHA1Init(&sha);
	SHA1Update(&sha, f->p, f->n);
	SHA1Final(id->b, &sha);
	id->len = SHA1_SIZE;
	memcpy(f->p + note->offset + NOTE_HEAD, id->b, SHA1_SIZE);
}

void
image_finish(struct image *im, struct build_id *id, uint8_t **bytes, size_t *n)
{
	struct elf_buf note = { 0 }, shstrtab = { 0 }, line = { 0 }, info = { 0 }, abbrev = { 0 }, f = { 0 };
	struct section s[SECTIONS] = {
		[0] = { .name = "" },
		[NOTE] = { ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0, 0, 4, 0, &note, 0, 0 },
		[TEXT] = { ".text", im->span ? SHT_NOBITS : SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, 0, CODE_ALIGN, 0,
		    &im->text, 0, im->size },
		[EH_FRAME_HDR] = { ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, 0, 0, 4, 0, &im->eh_frame_hdr, 0, 0 },
		[EH_FRAME] = { ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 0, 0, 8, 0, &im->eh_frame, 0, 0 },
		[SYMTAB] = { ".symtab", SHT_SYMTAB, 0, STRTAB, 1, 8, im->form.is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym),
		    &im->symtab, 0, 0 },
		[STRTAB] = { ".strtab", SHT_STRTAB, 0, 0, 0, 1, 0, &im->strtab, 0, 0 },
		[DEBUG_LINE] = { ".debug_line", SHT_PROGBITS, 0, 0, 0, 1, 0, &line, 0, 0 },
		[DEBUG_INFO] = { ".debug_info", SHT_PROGBITS, 0, 0, 0, 1, 0, &info, 0, 0 },
		[DEBUG_ABBREV] = { ".debug_abbrev", SHT_PROGBITS, 0, 0, 0, 1, 0, &abbrev, 0, 0 },
		[SHSTRTAB] = { ".shstrtab", SHT_STRTAB, 0, 0, 0, 1, 0, &shstrtab, 0, 0 },
	};
	uint32_t names[SECTIONS];

	image_note(im, &note);
	image_lines_finish(im, &line, &info, &abbrev);
	image_unwind_reserve(im);
	for (int i = 0; i < SECTIONS; i++) {
		names[i] = (uint32_t)shstrtab.n;
		elf_bytes(&shstrtab, s[i].name, strlen(s[i].name) + 1);
	}
	image_write(im, &f, s, names);
	image_identify(&f, &s[NOTE], id);
	free(note.p);
	free(shstrtab.p);
	free(line.p);
	free(info.p);
	free(abbrev.p);
	image_free(im);
	*bytes = f.p;
	*n = f.n;
}

void
image_free(struct image *im)
{
	if (!im)
		return;
	free(im->text.p);
	free(im->symtab.p);
	free(im->strtab.p);
	free(im->lines.p);
	free(im->files.p);
	free(im->eh_frame.p);
	free(im->eh_frame_hdr.p);
	free(im->fdes.p);
	free(im);
}

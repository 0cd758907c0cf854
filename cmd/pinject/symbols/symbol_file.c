/* SPDX-License-Identifier: ISC */
/*
 * symbol_file.c - see symbol_file.h.  The file:
 *
 *	header | program headers | .note.gnu.build-id | .symtab | .strtab | .shstrtab | section headers | .comment
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elf/out.h"
#include "symbol_file.h"
#include "tool/tool.h"

enum { NOTE, SYMTAB, STRTAB, SHSTRTAB, COMMENT, OWN };		/* sections behind the executable ones */

struct made {			/* the file at work */
	const struct elfsym *f;
	struct elf_form	 form;
	struct elf_buf	 symtab, strtab;
	uint32_t	*order;		/* symbols by address */
	bool		*out;		/* of symbols: left out */
	uint64_t	*end;		/* of symbols: behind the last address */
	size_t		 locals;	/* entries of .symtab in front of the first global one */
};

/* ---- which symbols ------------------------------------------------------------------------------------- */

static const struct elfsym *sorting;	/* qsort(3) has no argument for it */

/* Equal ones are together, in the order in which they were read. */
static int
by_address(const void *a, const void *b)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct elfsym_symbol *x = &sorting->symbol[i], *y = &sorting->symbol[j];
	int names;

	if (x->section != y->section && sorting->type == ET_REL)
		return x->section < y->section ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	if (x->bind != y->bind)
		return x->bind < y->bind ? -1 : 1;
	if ((names = strcmp(elfsym_name(sorting, x->name), elfsym_name(sorting, y->name))))
		return names;
	return i < j ? -1 : i > j;
}

static bool
is_same(const struct elfsym *f, const struct elfsym_symbol *x, const struct elfsym_symbol *y)
{
	return x->section == y->section && x->addr == y->addr && x->size == y->size && x->bind == y->bind &&
	    !strcmp(elfsym_name(f, x->name), elfsym_name(f, y->name));
}

static void
sort(struct made *m)
{
	const struct elfsym *f = m->f;

	m->order = tool_alloc(f->n, sizeof *m->order);
	m->out = tool_alloc(f->n, sizeof *m->out);
	for (uint32_t i = 0; i < f->n; i++)
		m->order[i] = i;
	sorting = f;
	qsort(m->order, f->n, sizeof *m->order, by_address);
	for (size_t i = 1; i < f->n; i++)
		m->out[m->order[i]] = is_same(f, &f->symbol[m->order[i]], &f->symbol[m->order[i - 1]]);
}

/* A function of unknown size ends where the next one begins, or with its section. */
static void
find_ends(struct made *m)
{
	const struct elfsym *f = m->f;
	uint64_t next = 0;		/* where the first one behind those of this address begins */
	bool behind = false;

	m->end = tool_alloc(f->n, sizeof *m->end);
	for (size_t i = f->n; i--; ) {
		const struct elfsym_symbol *y = &f->symbol[m->order[i]], *after = i + 1 < f->n ? &f->symbol[m->order[i + 1]] : NULL;

		if (after && after->section != y->section)
			behind = false;
		else if (after && after->addr != y->addr) {
			behind = true;
			next = after->addr;
		}
		m->end[m->order[i]] = y->size ? y->addr + y->size : behind ? next :
		    f->section[y->section].addr + f->section[y->section].size;
	}
}

static int
by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Is one of these, which ascend, between the two? */
static bool
is_hit(const uint64_t *hit, size_t n, uint64_t start, uint64_t end)
{
	size_t from = 0, to = n;

	while (from < to) {			/* the first that is not before the start */
		size_t middle = from + (to - from) / 2;

		if (hit[middle] < start)
			from = middle + 1;
		else
			to = middle;
	}
	return from < n && hit[from] < end;
}

/* Leave out what is not hit.  A return address may be behind the last byte of the function that was called from. */
static void
select_hits(struct made *m, const struct symbol_hits *hits)
{
	const struct elfsym *f = m->f;
	uint64_t *hit = tool_alloc(2 * hits->n, sizeof *hit), addr;
	size_t n = 0;

	for (size_t i = 0; i < hits->n; i++) {
		if (!elfsym_addr(f, hits->offset[i], &addr))
			continue;
		hit[n++] = addr;
		if (addr)
			hit[n++] = addr - 1;
	}
	qsort(hit, n, sizeof *hit, by_number);
	for (size_t i = 0; i < f->n; i++)
		m->out[i] |= !is_hit(hit, n, f->symbol[i].addr, m->end[i]);
	free(hit);
}

/* Of a function of ARM who reads it clears the Thumb bit: a label stays one, and may have an odd address. */
static unsigned
written_type(const struct elfsym *f, const struct elfsym_symbol *y)
{
	return f->machine == EM_ARM && y->type == STT_NOTYPE ? STT_NOTYPE : STT_FUNC;
}

static void
put_symbols(struct made *m, bool sizes)
{
	const struct elfsym *f = m->f;

	elf_bytes(&m->strtab, "", 1);
	elf_symbol(m->form, &m->symtab, 0, 0, 0, 0, SHN_UNDEF);
	m->locals = 1;
	for (int global = 0; global < 2; global++)
		for (size_t i = 0; i < f->n; i++) {
			const struct elfsym_symbol *y = &f->symbol[i];
			const char *name = elfsym_name(f, y->name);

			if (m->out[i] || (y->bind != STB_LOCAL) != global)
				continue;
			elf_symbol(m->form, &m->symtab, (uint32_t)m->strtab.n, y->addr, sizes ? m->end[i] - y->addr : y->size,
			    (uint8_t)(y->bind << 4 | written_type(f, y)), (uint16_t)(y->section + 1));
			elf_bytes(&m->strtab, name, strlen(name) + 1);
			m->locals += !global;
		}
}

/* ---- the file ------------------------------------------------------------------------------------------ */

static void
put_numbers(struct elf_form form, struct elf_buf *b, size_t width, size_t n, const uint64_t *value)
{
	for (size_t i = 0; i < n; i++)
		elf_number(form, b, value[i], width);
}
#define NUMBERS(form, b, width, ...) \
	put_numbers(form, b, width, sizeof (uint64_t[]){ __VA_ARGS__ } / sizeof(uint64_t), (uint64_t[]){ __VA_ARGS__ })

static void
put_header(const struct made *m, struct elf_buf *b, uint64_t sections, size_t n)
{
	const struct elfsym *f = m->f;
	struct elf_form form = m->form;
	uint8_t ident[EI_NIDENT] = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, f->class, f->big ? ELFDATA2MSB : ELFDATA2LSB,
	    EV_CURRENT, f->osabi };
	size_t word = elf_word(form), own = form.is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);

	elf_bytes(b, ident, sizeof ident);
	NUMBERS(form, b, 2, f->type, f->machine);
	elf_number(form, b, EV_CURRENT, 4);
	NUMBERS(form, b, word, 0, f->nsegments ? own : 0, sections);
	elf_number(form, b, f->flags, 4);
	NUMBERS(form, b, 2, own, f->nsegments ? form.is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr) : 0, f->nsegments,
	    form.is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), n, n - OWN + SHSTRTAB);
}

static void
put_segments(const struct made *m, struct elf_buf *b)
{
	struct elf_form form = m->form;

	for (size_t i = 0; i < m->f->nsegments; i++) {
		const struct elfsym_segment *g = &m->f->segment[i];

		elf_number(form, b, PT_LOAD, 4);
		if (form.is64)
			elf_number(form, b, g->flags, 4);
		NUMBERS(form, b, elf_word(form), g->offset, g->addr, g->addr, g->filesz, g->memsz);
		if (!form.is64)
			elf_number(form, b, g->flags, 4);
		elf_number(form, b, g->align, elf_word(form));
	}
}

struct row {			/* a section header, and what is in the section */
	uint32_t	 name, type;
	uint64_t	 flags, addr, offset, size, link, info, align, entry;
	const struct elf_buf *data;
};

static void
put_row(struct elf_form form, struct elf_buf *b, const struct row *r)
{
	size_t word = elf_word(form);

	NUMBERS(form, b, 4, r->name, r->type);
	NUMBERS(form, b, word, r->flags, r->addr, r->offset, r->size);
	NUMBERS(form, b, 4, r->link, r->info);
	NUMBERS(form, b, word, r->align, r->entry);
}

static uint32_t
put_name(struct elf_buf *names, const char *name)
{
	uint32_t at = (uint32_t)names->n;

	elf_bytes(names, name, strlen(name) + 1);
	return at;
}

static void
put_note(const struct made *m, struct elf_buf *b)
{
	const struct build_id *id = &m->f->id;

	NUMBERS(m->form, b, 4, 4, id->len, NT_GNU_BUILD_ID);
	elf_bytes(b, "GNU", 4);
	elf_bytes(b, id->b, id->len);
	elf_align(b, 4);
}

/* All but .comment, whose place is the end.  Returns where the section headers are. */
static uint64_t
lay_out(const struct made *m, struct row *own)
{
	struct elf_form form = m->form;
	uint64_t at = form.is64 ? sizeof(Elf64_Ehdr) + m->f->nsegments * sizeof(Elf64_Phdr) :
	    sizeof(Elf32_Ehdr) + m->f->nsegments * sizeof(Elf32_Phdr);

	for (int i = NOTE; i < COMMENT; i++) {
		at = (at + own[i].align - 1) & ~(own[i].align - 1);
		own[i].offset = at;
		at += own[i].size = own[i].data->n;
	}
	return (at + 7) & ~UINT64_C(7);
}

static void
put_file(const struct made *m, struct elf_buf *b, const char *mark)
{
	struct elf_form form = m->form;
	const struct elfsym *f = m->f;
	struct elf_buf note = { 0 }, names = { 0 }, comment = { 0 };
	size_t first = 1 + f->nsections, word = elf_word(form), n = first + OWN;
	struct row *row = tool_alloc(n, sizeof *row), *own = row + first;
	uint64_t headers;

	put_name(&names, "");
	for (size_t i = 0; i < f->nsections; i++) {
		const struct elfsym_section *s = &f->section[i];

		row[i + 1] = (struct row){ .name = put_name(&names, elfsym_name(f, s->name)), .type = SHT_NOBITS,
		    .flags = s->flags & (SHF_ALLOC | SHF_EXECINSTR | SHF_WRITE), .addr = s->addr, .offset = s->offset, .size = s->size,
		    .align = s->align };
	}
	put_note(m, &note);
	elf_bytes(&comment, mark, strlen(mark) + 1);
	own[NOTE] = (struct row){ put_name(&names, ".note.gnu.build-id"), SHT_NOTE, .align = 4, .data = &note };
	own[SYMTAB] = (struct row){ put_name(&names, ".symtab"), SHT_SYMTAB, .link = first + STRTAB, .info = m->locals,
	    .align = word, .entry = form.is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym), .data = &m->symtab };
	own[STRTAB] = (struct row){ put_name(&names, ".strtab"), SHT_STRTAB, .align = 1, .data = &m->strtab };
	own[SHSTRTAB] = (struct row){ put_name(&names, ".shstrtab"), SHT_STRTAB, .align = 1, .data = &names };
	own[COMMENT] = (struct row){ put_name(&names, ".comment"), SHT_PROGBITS, .flags = SHF_MERGE | SHF_STRINGS, .align = 1,
	    .entry = 1, .data = &comment };
	headers = lay_out(m, own);
	own[COMMENT].offset = headers + n * (form.is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	own[COMMENT].size = comment.n;

	put_header(m, b, headers, n);
	put_segments(m, b);
	for (int i = NOTE; i < COMMENT; i++) {
		elf_bytes(b, NULL, own[i].offset - b->n);
		elf_bytes(b, own[i].data->p, own[i].data->n);
	}
	elf_align(b, 8);
	for (size_t i = 0; i < n; i++)
		put_row(form, b, &row[i]);
	elf_bytes(b, comment.p, comment.n);
	free(note.p);
	free(names.p);
	free(comment.p);
	free(row);
}

uint8_t *
symbol_file_make(const struct elfsym *f, const struct symbol_hits *hits, const char *mark, size_t *n)
{
	struct made m = { .f = f, .form = { f->big, f->class == ELFCLASS64 } };
	struct elf_buf b = { 0 };

	sort(&m);
	if (hits && f->type != ET_REL) {		/* a module has no segments, by which offsets are addresses */
		find_ends(&m);
		select_hits(&m, hits);
	}
	put_symbols(&m, m.end);
	put_file(&m, &b, mark);
	free(m.symtab.p);
	free(m.strtab.p);
	free(m.order);
	free(m.out);
	free(m.end);
	*n = b.n;
	return b.p;
}

/* SPDX-License-Identifier: ISC */
/*
 * elfsym_plt.c - see elfsym.h: the entries of the PLT, which have no symbols of their own.  The nth entry jumps by the nth slot of
 * the GOT, and so to the symbol of the nth relocation of .rela.plt, in the order of their offsets; in front of them is a header.
 */
#include <stdlib.h>
#include <string.h>

#include "elfsym_in.h"

static const struct plt_form { uint16_t machine; uint8_t header, entry; } forms[] = {
	{ EM_X86_64, 16, 16 }, { EM_386, 16, 16 }, { EM_AARCH64, 32, 16 }, { EM_ARM, 20, 12 }, { EM_S390, 32, 32 }, { EM_RISCV, 32, 16 },
};

struct plt {
	GElf_Shdr	 entries;	/* their section, */
	GElf_Shdr	 relocations;	/* and that of the relocations */
	Elf_Scn		*scn;		/* of the relocations */
	const struct plt_form *form;	/* NULL: there is no PLT */
	bool		 headless;	/* .plt.sec: it has no header */
};

static struct plt
find(struct elfsym_from *s)
{
	struct plt p = { .form = NULL };
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	bool found = false;

	while ((scn = elf_nextscn(s->elf, scn))) {
		const char *name = gelf_getshdr(scn, &sh) ? elfsym_section_name(s, &sh) : "";

		if (!strcmp(name, ".plt.sec") || (!strcmp(name, ".plt") && !p.headless)) {
			p.entries = sh;
			p.headless = name[4];
			found = true;
		} else if (!strcmp(name, ".rela.plt") || !strcmp(name, ".rel.plt")) {
			p.relocations = sh;
			p.scn = scn;
		}
	}
	for (size_t i = 0; found && p.scn && i < sizeof forms / sizeof *forms; i++)
		if (forms[i].machine == s->f->machine)
			p.form = &forms[i];
	return p;
}

struct slot { uint64_t offset, symbol; };	/* symbol: its number; 0: none (IRELATIVE) */

static int
by_offset(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* In the order of the PLT, to be freed.  NULL: there is no memory, or damage. */
static struct slot *
slots(struct elfsym_from *s, Elf_Data *d, size_t n, bool rela)
{
	struct slot *slot = calloc(n, sizeof *slot);
	bool sound = slot;
	GElf_Rela a;
	GElf_Rel r;

	s->full |= !slot;
	for (size_t i = 0; i < n && sound; i++)
		if (rela && (sound = gelf_getrela(d, (int)i, &a)))
			slot[i] = (struct slot){ a.r_offset, GELF_R_SYM(a.r_info) };
		else if (!rela && (sound = gelf_getrel(d, (int)i, &r)))
			slot[i] = (struct slot){ r.r_offset, GELF_R_SYM(r.r_info) };
	if (sound) {
		qsort(slot, n, sizeof *slot, by_offset);
		return slot;
	}
	free(slot);
	return NULL;
}

static void
entries(struct elfsym_from *s, const struct plt *p, const struct slot *slot, size_t n, Elf_Data *symbols, size_t nsymbols,
    const Elf_Data *strings)
{
	struct elfsym_symbol y = { .size = p->form->entry, .bind = STB_GLOBAL, .type = STT_FUNC };
	uint64_t at = p->headless ? 0 : p->form->header;
	size_t len, section;
	const char *name;
	GElf_Sym to;

	for (size_t i = 0; i < n && !s->full && at + y.size <= p->entries.sh_size; i++, at += y.size) {
		y.addr = p->entries.sh_addr + at;
		if (slot[i].symbol && slot[i].symbol < nsymbols && gelf_getsym(symbols, (int)slot[i].symbol, &to) &&
		    (name = elfsym_string(s, strings, to.st_name, &len)) && elfsym_section_at(s, y.addr, &section)) {
			y.section = (uint16_t)section;
			elfsym_put(s, y, name, len, "@plt");
		}
	}
}

void
elfsym_plt(struct elfsym_from *s)
{
	struct plt p = find(s);
	bool rela = p.relocations.sh_type == SHT_RELA;
	Elf_Data *relocations, *symbols, *strings;
	struct slot *slot;
	size_t n, nsymbols;
	GElf_Shdr sh;
	Elf_Scn *scn;

	s->source = ELFSYM_PLT;
	if (!p.form || (!rela && p.relocations.sh_type != SHT_REL))
		return;
	scn = elf_getscn(s->elf, p.relocations.sh_link);
	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type != SHT_DYNSYM ||
	    !(relocations = elfsym_table(s, p.scn, &p.relocations, rela ? ELF_T_RELA : ELF_T_REL, &n)) ||
	    !(symbols = elfsym_table(s, scn, &sh, ELF_T_SYM, &nsymbols)))
		return;
	if (!(strings = elfsym_raw(s, sh.sh_link, ELFSYM_NAMES_MAX))) {
		elfsym_damage(s, DAMAGED_SYMBOLS);
		return;
	}
	if ((slot = slots(s, relocations, n, rela)))
		entries(s, &p, slot, n, symbols, nsymbols, strings);
	free(slot);
}

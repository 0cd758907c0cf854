/* SPDX-License-Identifier: ISC */
/* elfsym_in.h - for the files elfsym*.c */
#ifndef PP_ELFSYM_IN_H
#define PP_ELFSYM_IN_H

#include <gelf.h>

#include "elfsym.h"

#define DAMAGED_SECTIONS "its table of sections is damaged"
#define DAMAGED_SYMBOLS "its table of symbols is damaged"
#define TOO_MANY "it has too many symbols, or too long ones"

struct elfsym_from {		/* a file whose symbols are added: the file itself, what .gnu_debugdata holds, or a debug file */
	struct elfsym	*f;
	Elf		*elf;
	size_t		 shstrndx;	/* the section of the names of sections */
	enum elfsym_source source;	/* of the table at work */
	size_t		 last;		/* of f->section[]: where the last symbol was */
	bool		 full;		/* memory is */
};

/* Note why symbols may be missing; the first reason stays. */
void	elfsym_damage(struct elfsym_from *, const char *why);
/* Is there such a byte in an executable section?  Then its number. */
bool	elfsym_section_at(struct elfsym_from *, uint64_t addr, size_t *section);
/* The text of a section header's name; "" if it has none, or a damaged one. */
const char *elfsym_section_name(struct elfsym_from *, const GElf_Shdr *);
/* The data of a section as they are in the file, if they are at most that large; NULL: damaged. */
Elf_Data *elfsym_raw(struct elfsym_from *, size_t index, uint64_t most);
/* Table of symbols or relocations, in this machine's byte order; *n entries.  NULL: damaged. */
Elf_Data *elfsym_table(struct elfsym_from *, Elf_Scn *, const GElf_Shdr *, Elf_Type, size_t *n);
/* A name in a table of strings, *len bytes; NULL: it has none, or a damaged one. */
const char *elfsym_string(struct elfsym_from *, const Elf_Data *strings, uint64_t at, size_t *len);
/* Add a symbol whose name is `name' and `behind'.  Beyond the bounds, and without memory, nothing is added. */
void	elfsym_put(struct elfsym_from *, struct elfsym_symbol, const char *name, size_t len, const char *behind);
/* elfsym_plt.c: add the entries of the PLT. */
void	elfsym_plt(struct elfsym_from *);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * elfsym.h - the functions of an ELF file: their names, addresses and sizes
 *
 *	struct elfsym f;
 *	if (elfsym_read(&f, fd, &why) > 0) {
 *		elfsym_add_debug(&f, debug, &why);	of its separate debug file, if there is one
 *		for (size_t i = 0; i < f.n; i++)
 *			elfsym_name(&f, &f.symbol[i]) ...
 *	}
 *	elfsym_free(&f);
 *
 * The contents of the file are not trusted: read it in a process of its own, with a limit on time and address space
 * (setrlimit(2)); libelf parses it, too.  The file is read, not mapped, so that it may shrink meanwhile.
 *
 * Sources, in this order: .symtab, .dynsym, the symbols in .gnu_debugdata (compressed by xz, if built with liblzma), entries of the
 * PLT; then the same tables of the debug file.  What is a symbol: a FUNC or GNU_IFUNC that is defined in an executable section, and
 * a label there (NOTYPE, not hidden, in a section whose name has "text": as perf); not one without a name, `$x' of ARM, or `.L...'.
 * Nothing is sorted or left out as a duplicate: a function of .symtab and .dynsym is there twice, one with aliases once for each.
 *
 * (Not found: functions by the descriptors of .opd, of 64-bit PowerPC before ELFv2; entries of the PLT without a symbol, of
 * IFUNCs.)
 */
#ifndef PP_ELFSYM_H
#define PP_ELFSYM_H

#include "notes.h"

enum {				/* bounds: what exceeds them is left out, and `damage' says so */
	ELFSYM_MAX = 1 << 24,		/* symbols, and entries of one table */
	ELFSYM_NAME_MAX = 65535,	/* bytes of a name, without its NUL */
	ELFSYM_NAMES_MAX = 256 << 20,	/* bytes of all names; of one table of strings */
	ELFSYM_XZ_MAX = 64 << 20,	/* bytes that .gnu_debugdata may expand to */
	ELFSYM_SECTIONS_MAX = 1024,	/* executable sections */
	ELFSYM_SEGMENTS_MAX = 4096,	/* PT_LOAD segments */
};

enum elfsym_source { ELFSYM_SYMTAB, ELFSYM_DYNSYM, ELFSYM_DEBUGDATA, ELFSYM_PLT, ELFSYM_DEBUG_FILE };

struct elfsym_symbol {
	uint64_t	 addr;		/* in the file's address space, without the Thumb bit; ET_REL: from the start of its section */
	uint64_t	 size;		/* bytes; 0: unknown */
	uint32_t	 name;		/* elfsym_name(); for the PLT "name@plt" */
	uint16_t	 section;	/* index into section[] */
	uint8_t		 bind;		/* STB_LOCAL, STB_GLOBAL, STB_WEAK ... */
	uint8_t		 type;		/* STT_FUNC, STT_GNU_IFUNC; STT_NOTYPE: a label */
	uint8_t		 source;	/* enum elfsym_source */
};

struct elfsym_segment {		/* PT_LOAD, in the order of the file */
	uint64_t	 offset, addr, filesz, memsz, align;
	uint32_t	 flags;		/* PF_X ... */
};

struct elfsym_section {		/* SHF_ALLOC and SHF_EXECINSTR, in the order of the file */
	uint64_t	 addr, offset, size, align, flags;
	uint32_t	 name;		/* as of a symbol */
	size_t		 index;		/* in the file */
};

struct elfsym {
	uint8_t		 class;		/* ELFCLASS32, ELFCLASS64 */
	uint8_t		 osabi;		/* e_ident[EI_OSABI] */
	bool		 big;		/* big-endian */
	uint16_t	 type, machine;	/* ET_..., EM_... */
	uint32_t	 flags;		/* e_flags */
	struct build_id	 id;		/* len 0: it has none */
	struct elfsym_segment *segment;
	size_t		 nsegments;
	struct elfsym_section *section;
	size_t		 nsections;
	bool		 overlap;	/* they may, as they do not ascend, one behind the other */
	struct elfsym_symbol *symbol;
	size_t		 n;
	char		*names;		/* each with a NUL */
	size_t		 nnames;
	char		 debuglink[256];	/* the name in .gnu_debuglink, of a debug file; "": there is none */
	const char	*damage;	/* NULL, or why symbols of the file may be missing: a constant text */
};

/*
 * Read the file at that descriptor, which stays the caller's and whose position does not matter.  1; 0: it is no ELF file with an
 * address space of its own, or memory is full: `why', a constant text, or one of strerror(3).  Damage is no failure: what is sound
 * is there (maybe no symbol at all).  In each case elfsym_free() frees what there is.
 */
int	elfsym_read(struct elfsym *, int fd, const char **why);
/* Add the symbols of a separate debug file of the same build-id, class and machine.  1; 0: none, and why, which may be damage. */
int	elfsym_add_debug(struct elfsym *, int fd, const char **why);
void	elfsym_free(struct elfsym *);

const char *elfsym_name(const struct elfsym *, uint32_t name);
/*
 * The address in the file's address space of a byte at that offset, as a map has it: of the first segment whose p_filesz bytes
 * (p_memsz if that is 0, as in images of jitted code) hold it.  false: of none.
 */
bool	elfsym_addr(const struct elfsym *, uint64_t offset, uint64_t *addr);

/* Is .gnu_debugdata read?  Without liblzma it is ignored, and that is no damage. */
extern const bool elfsym_has_xz;
/* elfsym_xz.c: expand what .gnu_debugdata holds.  *n bytes that the caller frees; NULL: damaged, too large, or without liblzma. */
uint8_t	*elfsym_xz(const uint8_t *p, size_t n, size_t *to);

#endif

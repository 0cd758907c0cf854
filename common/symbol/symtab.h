/* SPDX-License-Identifier: ISC */
/*
 * symtab.h - the names of the addresses of one file
 *
 * A table is made in the process that reads the file (symbol_serve.c), as one run of bytes without pointers, and used in another
 * one, which checks these bytes when it gets them (symtab_open()) and then trusts them.
 *
 * Of the symbols that begin at one address one is kept: one with a size, then not a weak one, then a global one, then the one with
 * fewer leading underscores, then the longer name, then the first; of /proc/kallsyms, which has no sizes, the last.  (As perf, but
 * by the name as it stands in the file, so that demangling changes nothing.)  One without a size ends where the next one begins.  Of
 * nested ones the innermost is found.
 */
#ifndef PP_SYMTAB_H
#define PP_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYMTAB_NAME_MAX = 65535 };	/* bytes of a name; longer ones are not taken */

/* ---- making ---------------------------------------------------------------------------------------- */

enum { SYMTAB_WEAK = 1, SYMTAB_GLOBAL = 2 };
struct symtab_symbol {
	uint64_t	 start, size;	/* size 0: to the next one */
	uint32_t	 name;		/* in `text' */
	uint8_t		 flags;
};
struct symtab_segment { uint64_t offset, len, addr; };	/* bytes of the file, and the address of the first */
struct symtab_maker {			/* begins zeroed */
	struct symtab_symbol *v;
	size_t		 n, cap;
	char		*text;
	size_t		 ntext, captext;
	uint64_t	 anchor[2];	/* of a kernel: the addresses of _text and _stext; 0: unknown */
	bool		 last;		/* of symbols that begin at one address the last one is kept */
	bool		 failed;	/* no memory */
};
void	symtab_add(struct symtab_maker *, uint64_t start, uint64_t size, const char *name, size_t len, unsigned flags);
/* Write the table, of at most max bytes.  Its size; 0: that is not enough, or memory is not. */
size_t	symtab_write(struct symtab_maker *, const struct symtab_segment *, size_t nsegments, void *to, size_t max);
void	symtab_maker_free(struct symtab_maker *);

/*
 * The lines of a copy of /proc/kallsyms: the symbols of code (t T w W), each to the next; behind the name of one of a module a
 * tab and the module: "xfs_file_read\t[xfs]".  What is no such line is left out.  False: all addresses are 0, or there is none.
 */
bool	symtab_kallsyms(struct symtab_maker *, const char *text, size_t n);

/* ---- using ----------------------------------------------------------------------------------------- */

struct symtab {
	void		*mem;		/* all that follows; free(3) */
	size_t		 bytes;
	const uint64_t	*start;		/* ascending */
	const uint32_t	*len, *name;
	const uint32_t	*up;		/* 1 + the nearest one before that ends behind the start of this one */
	const struct symtab_segment *segment;
	const char	*text;
	uint32_t	 n, nsegments;
	uint64_t	 anchor[2];
};
/* mem, by malloc(3), is the table's from now on.  False: it is not sound, and was freed. */
bool	symtab_open(struct symtab *, void *mem, size_t bytes);
void	symtab_free(struct symtab *);
/* The name of the function that has the address, and where that begins.  NULL: none. */
const char *symtab_find(const struct symtab *, uint64_t addr, uint64_t *start);
/* The address of a byte of the file.  False: it is in no segment. */
bool	symtab_addr(const struct symtab *, uint64_t offset, uint64_t *addr);

#endif

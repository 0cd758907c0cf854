/* SPDX-License-Identifier: ISC */
/* kallsyms.h - the symbols of a kernel: a file such as a copy of /proc/kallsyms, the argument of --kallsyms */
#ifndef PP_KALLSYMS_H
#define PP_KALLSYMS_H

#include "tool/tool.h"

struct kallsyms_symbol {
	uint64_t	 addr;
	char		 letter;	/* T or t: of the code */
	const char	*name;
	const char	*module;	/* as "[xfs]"; NULL: of the kernel itself */
};

/* Call fn for each symbol, in the order of the file.  A file that is none, or whose addresses are all 0, exits 2. */
void	kallsyms_read(const struct tool *, const char *path, void (*fn)(void *arg, const struct kallsyms_symbol *), void *arg);

struct kallsyms_text { uint64_t text, stext; };	/* addresses of _text and _stext; 0: unknown */
/* Remember the address if the symbol is one of these two. */
void	kallsyms_text_symbol(struct kallsyms_text *, const struct kallsyms_symbol *);

enum { KALLSYMS_WHY = 200 };
/* Is the record, of any type, a map of the kernel itself? */
bool	kallsyms_is_map(const struct pp_rec *);
/* Such a map: is it of another kernel than the symbols, or of another boot?  Then `why' says so. */
bool	kallsyms_differs(const struct kallsyms_text *, const struct pp_rec *map, bool swap, char why[KALLSYMS_WHY]);

#endif

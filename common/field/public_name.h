/* SPDX-License-Identifier: ISC */
/* public_name.h - names that perf and the kernel give on every machine: they reveal nothing of this one */
#ifndef PP_PUBLIC_NAME_H
#define PP_PUBLIC_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Is it such a name of a map, as [kernel.kallsyms], [heap] or //anon?  " (deleted)" may follow. */
bool	tool_public_map(const char *, size_t);
/* Is it such a symbol of a KSYMBOL record? */
bool	tool_public_symbol(const char *, size_t);
/* The prefix that the kernel gives to such a symbol, whose rest is private; NULL: none. */
const char *tool_public_symbol_prefix(const char *, size_t);

#endif

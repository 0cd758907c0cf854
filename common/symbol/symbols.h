/* SPDX-License-Identifier: ISC */
/*
 * symbols.h - names of addresses in files, which are found by their build-ids below directories: --symbols
 *
 *	DIR/.build-id/ab/cdef.../{elf,vdso,debug}, DIR/.build-id/ab/cdef.../kallsyms, DIR/[kernel.kallsyms]/abcdef.../kallsyms
 *				as pinject --buildid-dir, pinject --archive and perf buildid-cache make them
 *	DIR/.build-id/ab/cdef...	the file itself
 *	DIR/.build-id/ab/cdef....debug	as distributions and debuginfod have them
 *
 * and with "local" in place of a DIR, for the kernel that runs /proc/kallsyms, then ~/.debug, /usr/lib/debug, and at last the file
 * at the path of the recording; of several paths of one build-id at each, until one has it.  A file whose own note has another
 * build-id is not used: there are no names then, but never those of another file.  Nor is one of another machine than the recorded one,
 * or one of 32 bits above 4 GiB.
 *
 * ELF files are hostile.  A second process reads them (symbols_serve.c), begun before anything else was read: it can open files
 * below the directories to read them, and no others (Landlock, and no name leads out: tool/path.h), and do little else (seccomp);
 * it has a limit of memory, and SYMBOLS_SECONDS for a file.  When it ends, that file has no names, with a warning, and another one
 * goes on.  It demangles names, too.  This process gets a table of a file (symtab.h), checks it, and searches it.
 *
 * Memory: tables of SYMBOLS_MEMORY bytes, beyond which those go that were used least recently; but one may be larger alone.
 * SYMBOLS_FILES files are known.
 */
#ifndef PP_SYMBOLS_H
#define PP_SYMBOLS_H

#include "symbol/demangle.h"
#include "tool/tool.h"

enum { SYMBOLS_MEMORY = 64 << 20, SYMBOLS_SECONDS = 10, SYMBOLS_DIRS = 32, SYMBOLS_ID = 20, SYMBOLS_NONE = 0 };
enum { SYMBOLS_FILES = 64 << 10 };	/* different ones; of more there are no names, with a warning */

struct symbols_opt {			/* begins zeroed */
	const char	*dir[SYMBOLS_DIRS];	/* as given; "local" */
	unsigned	 n;
	enum demangle	 demangle;	/* --demangle */
};
/* The function of the option --symbols, whose member is a struct symbols_opt (tool/option.h).  Too many exit 2. */
void	symbols_option(struct tool *, void *);

struct symbols;
/* Before tool_lock() and before anything is read.  A directory that cannot be opened exits 2. */
struct symbols *symbols_start(struct tool *, const struct symbols_opt *);
void	symbols_end(struct symbols *);
/*
 * The caller has no time: it waits for names at most half of each second.  What is not answered by then is not found, and
 * symbols_late() says so; it will be, when it is asked for again later.
 */
void	symbols_hurry(struct symbols *);
/* Is that why the last look-up has found nothing? */
bool	symbols_late(const struct symbols *);

/* Learn from a record which machine was recorded: the header feature ARCH. */
void	symbols_machine(struct symbols *, const struct pp_rec *, bool swap);
/* The number of a file, not SYMBOLS_NONE.  path: its name in the recording; kernel: it is the kernel itself. */
uint32_t symbols_file(struct symbols *, const uint8_t *id, size_t nid, const char *path, bool kernel);
/*
 * The name at an offset in the file, whose byte lies at the address ip, or at an address of the kernel, as it stands in the file;
 * valid until the next call.  NULL: none.
 * Of a kernel that has its symbol _text (or _stext, if `stext') at `anchor'; 0: that is unknown, and nothing has a name.
 */
const char *symbols_find(struct symbols *, uint32_t file, uint64_t offset, uint64_t ip);
const char *symbols_find_kernel(struct symbols *, uint32_t file, uint64_t addr, uint64_t anchor, bool stext);
/* As it is shown: demangled, or as it is.  Valid until the next call.  NULL: symbols_late(). */
const char *symbols_shown(struct symbols *, const char *name);

#endif

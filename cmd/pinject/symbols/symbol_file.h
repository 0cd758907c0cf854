/* SPDX-License-Identifier: ISC */
/*
 * symbol_file.h - an ELF file with the functions of another one, and no code: a sixteenth of its size
 *
 * It has the other's segments, and its executable sections without their bytes (SHT_NOBITS), with the offsets, addresses and sizes
 * that they have there: by these a reader turns an address of a map into one of the file.  Each function is there once for each of
 * its names, as FUNC (perf takes no label of a program without symbols), local ones first, else in the order in which they were
 * read. Same functions, same bytes.
 */
#ifndef SYMBOL_FILE_H
#define SYMBOL_FILE_H

#include "symbol/elfsym.h"

struct symbol_hits {		/* only functions that have one of these, or end at it: that is where one that never returns was called */
	uint64_t	*offset;	/* in the file, of bytes that are mapped; their order does not matter */
	size_t		 n;
};

/*
 * Make the file, *n bytes that the caller frees.  hits: NULL: all functions.  mark: the text at its end, in section .comment.
 * Without memory prints the reason and exits 1.
 */
uint8_t	*symbol_file_make(const struct elfsym *, const struct symbol_hits *hits, const char *mark, size_t *n);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * maker.h - files of --archive=symbols, made in a process of its own
 *
 * An ELF file can be anything, and libelf and liblzma read it.  So each is read in a new process, which can only read the open
 * files that it was given, and send what it has made: it has no names of files, no network, and limits of time and memory.  If it
 * ends before it has answered, that file has no symbols, and the next one has a new process.
 */
#ifndef MAKER_H
#define MAKER_H

#include "symbol_file.h"
#include "store/store.h"

struct maker;

struct maker_for {
	int		 fd;		/* of the ELF file; its position does not matter */
	int		 debug;		/* of its separate debug file; -1: none */
	const struct build_id *id;	/* that both have */
	enum store_grade grade;		/* what is to be made: STORE_SYMBOLS or STORE_HITS */
	const struct symbol_hits *hits;	/* for STORE_HITS: NULL: none */
};

enum { MAKER_WHY = 64 };
struct maker_file {
	uint8_t		*bytes;		/* the caller frees them */
	size_t		 n;
	char		 debuglink[256];	/* the name of a debug file, without a directory; "": it names none */
	char		 why[MAKER_WHY];	/* there is no file, or (if there is) the debug file was not used; "": it was */
};

/* Before tool_open(): fork the process that makes the others, which ends with this one.  Failure exits 1. */
struct maker	*maker_start(struct tool *);
/* 1; 0: to->why. */
int		 maker_make(struct maker *, const struct maker_for *, struct maker_file *to);
void		 maker_end(struct maker *);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * in.h - pstat --report: the whole report as one page of HTML.
 *
 *	page.c		the frame, the policy that forbids all but its own style and script, the end of the input
 *	words.c		the main figures in words; findings and what is given away
 *	tables.c	samples by comm, pid, cpu, event and dso
 *	data.c		the counts by time that the script adds up, as JSON
 *	flame.c		call chains: the flame graph, functions, and what flame.js draws them of again, as JSON
 *	page.css, page.js, flame.js	style and scripts, which a rule of the Makefile makes arrays of bytes
 *
 * It needs no network and no script: this only sorts the tables, and turns a selection into the command that cuts it.
 */
#ifndef PSTAT_PAGE_IN_H
#define PSTAT_PAGE_IN_H

#include "count/summary.h"
#include "picture/picture.h"
#include "sort/sort.h"

enum { PAGE_COMM_DSO, PAGE_PID, PAGE_CPU, PAGE_EVENT, PAGE_SORTS };
enum { PAGE_CELLS = 9000, PAGE_ROWS = 200, PAGE_NAME = 120, PAGE_OPTION = 1024 };

struct page {
	struct tool	*tool;
	struct counts	*c;
	const struct summary *s;
	const struct pictures *pictures;
	struct draw	 draw;
	struct sort	*sort[PAGE_SORTS];
	bool		 exact[PAGE_SORTS];	/* no limit was met */
	const struct panel *flame;		/* NULL: without call chains and names there is none */
};

/* Text of the recording: harmless in HTML, and in an attribute between double quotes; cut to so many columns, 0: whole. */
void	page_text(FILE *, const char *, unsigned columns);
/* The text of a cell, to that column. */
void	page_cell(FILE *, const struct cell *, unsigned columns);

/* Do all samples have the field of that bit of sample_type?  pfilter refuses to select by it, if one has not. */
bool	page_all_have(const struct page *, uint64_t bit);

/* Text in which what is between ` and ' is a command. */
void	page_marked(FILE *, const char *);
void	page_base64(FILE *, const uint8_t *, size_t n);

/* The panel of call chains; NULL: none. */
const struct panel *page_find_flame(const struct panels *);
void	page_flame(FILE *, const struct page *);
void	page_words(FILE *, const struct page *, const struct report *);
void	page_privacy(FILE *, const struct report *);
void	page_tables(FILE *, const struct page *);
void	page_data(FILE *, const struct page *);

#endif

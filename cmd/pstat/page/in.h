/* SPDX-License-Identifier: ISC */
/* in.h - what the files of the page share. */
#ifndef PSTAT_PAGE_IN_H
#define PSTAT_PAGE_IN_H

#include "page/page.h"
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
	/* the first fault behind which the reading went on, and how many there were */
	struct pp_err	 fault;
	uint64_t	 faults;
	void		(*on_fault)(void *, const struct pp_err *);
	void		*on_fault_arg;
};

/* Text of the recording: harmless in HTML, and in an attribute between double quotes; cut to so many columns, 0: whole. */
void	page_text(FILE *, const char *, unsigned columns);
/* The text of a cell, to that column. */
void	page_cell(FILE *, const struct cell *, unsigned columns);

/* Do all samples have the field of that bit of sample_type?  pfilter refuses to select by it, if one has not. */
bool	page_all_have(const struct page *, uint64_t bit);

void	page_words(FILE *, const struct page *, const struct report *);
void	page_privacy(FILE *, const struct report *);
void	page_tables(FILE *, const struct page *);
void	page_data(FILE *, const struct page *);

#endif

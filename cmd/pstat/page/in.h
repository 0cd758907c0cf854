/* SPDX-License-Identifier: ISC */
/*
 * in.h - pstat --report: the whole report as one page of HTML.
 *
 *	page.c		the frame, the policy that forbids all but its own style and script, the end of the input
 *	words.c		the main figures in words; findings and what is given away
 *	tables.c	samples by comm, pid, cpu, event and dso
 *	data.c		the counts by time that the script adds up, as JSON
 *	flame.c		call chains: the flame graph, functions, and what chains.js makes graphs of, as JSON
 *	change.c	the page of two recordings (page.h): call chains of one, by what differs from the other
 *	page.css, page.js, chains.js, flame.js	style and scripts, which a rule of the Makefile makes arrays of bytes
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

/*
 * The page up to its contents, -1: no memory; what is behind these, before the data; the scripts and the end.  flame: the panel of call
 * chains, NULL: none.
 */
int	page_open(FILE *, const struct draw *, const char *title, const struct panel *flame);
void	page_bar(FILE *);
void	page_close(FILE *, const struct panel *flame);

/* The panel of call chains; NULL: none. */
const struct panel *page_find_flame(const struct panels *);
void	page_flame(FILE *, const struct page *);
void	page_flame_notes(FILE *, const struct panel *);
/* The section of call chains: its head, behind which notes come; the picture, and then a table of functions; the data, and its end. */
void	page_chains_begin(FILE *);
void	page_chains_picture(FILE *, const struct panel *, const struct draw *, unsigned id);
void	page_chains_end(FILE *, const char *data);
struct function {
	uint32_t	 text;
	uint64_t	 self, total;	/* total: of chains that it is in, each once */
	uint32_t	 open;		/* boxes of it on the way to the one in work */
};
/* All texts, in order, which the caller frees; those that are no functions have no samples. */
struct function *page_functions(const struct panel *);
/* The JSON for chains.js, which the caller frees; of the second panel, what it is compared with: it has the same boxes. */
char	*page_change_data(const struct panel *, const struct panel *before);
void	page_words(FILE *, const struct page *, const struct report *);
void	page_privacy(FILE *, const struct report *);
void	page_tables(FILE *, const struct page *);
void	page_data(FILE *, const struct page *);

#endif

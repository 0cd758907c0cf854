/* SPDX-License-Identifier: ISC */
/*
 * page.h - pstat --report: the whole report as one page of HTML.
 *
 *	page.c		the frame, the policy that forbids all but its own style and script, the end of the input
 *	words.c		the main figures in words; findings and what is given away
 *	tables.c	samples by comm, pid, cpu, event and dso
 *	data.c		the counts by time that the script adds up, as JSON
 *	page.css, page.js	style and script, which a rule of the Makefile makes arrays of bytes
 *
 * It needs no network and no script: this only sorts the tables, and turns a selection into the command that cuts it.
 */
#ifndef PSTAT_PAGE_H
#define PSTAT_PAGE_H

#include "count/summary.h"
#include "picture/draw.h"
#include "picture/picture.h"

struct page;

/* The word list of --picture that a page has. */
#define PAGE_PICTURES "rate,cpu,tasks,subsecond,disorder,fill"

/* After check_new(), whose faults it wants to know, too.  The pictures are those of PAGE_PICTURES. */
struct page *page_new(struct tool *, struct counts *, const struct summary *, const struct pictures *, const struct draw *);
/* After count_init(), before check_begin(): it sees faults first. */
void	page_begin(struct page *);
/*
 * After check_end() and pictures_end().  A damaged record, behind which --check lets the reading go on, is told as without
 * --check, and makes the exit status 1.  False: a limit was met that affects the tables.
 */
bool	page_end(struct page *);
/* The form of the report, which has to have findings and privacy. */
report_form	page;
void	page_free(struct page *);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * panel.h - a picture as figures, whatever it is drawn with.
 *
 * What was collected (grid.h, behind.h, the histograms of --hist) is made into panels; scene.h makes of a panel what svg.h and term.h
 * draw, and these and the page of --report know nothing else.  All texts are bytes as they were recorded: whoever draws them makes them harmless.
 * A panel owns what it points to; panels_free() frees all.
 */
#ifndef PSTAT_PANEL_H
#define PSTAT_PANEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "count/behind.h"
#include "report/report.h"
#include "stacks/moments.h"

enum { PANEL_NOTES = 7, PANEL_MARKS = 3 };
enum { PANEL_NAME = 1024 };		/* bytes of a name that a page has */
enum { PANEL_TINY = 10000 };		/* a box of less than this part of all is too narrow to be drawn */
enum panel_kind {
#define PANEL(NAME, name, timed) PANEL_##NAME,
#include "kinds.def"
};

/* A row of PANEL_HEAT, a colour of PANEL_STACK, a part of PANEL_FILL, a kind of box of PANEL_FLAME. */
struct band {
	char		*label;
	/* What pfilter selects it by, as words for the shell: "--pid 4711".  NULL: no option of pfilter does. */
	char		*option;
	uint64_t	 total;		/* samples of it in all columns; PANEL_FILL: bytes; PANEL_FLAME: `self' of its boxes */
	uint64_t	 first, last;	/* its times */
	uint32_t	*count;		/* of each column; at most UINT32_MAX.  NULL for PANEL_FILL, PANEL_FLAME */
	bool		 cut;		/* some of its samples may be missing */
	uint64_t	 from, span;	/* the part of each column that it is about; span 0: all of it (subsecond: 1/50 of it) */
};

/*
 * A box of PANEL_FLAME.  All stand in preorder: first the one of all, which is its own parent, then the first of its children and
 * all that is above that, and so on.
 */
struct panel_box {
	uint64_t	 from;		/* of all, so much is in front of it */
	uint64_t	 total, self;	/* total: with the boxes above it */
	uint32_t	 parent, text;	/* numbers of a box, of a text */
	uint16_t	 depth;		/* 0: all */
	uint8_t		 kind;		/* as enum frame_kind; number of a band */
};

/* PANEL_FLAME that compares two recordings, A and B, of which it shows B: a box; and a name that only A has. */
struct panel_change {
	uint64_t	 before;	/* its total in A */
	int32_t		 ppm;		/* its share of all in B less that in A, in millionths */
	bool		 noise;		/* chance explains that */
};
enum { CHANGE_STEPS = 4 };
/* How large a change is: 1: less than a point, 2: than 3, 3: than 10, 4: 10 and more; negative: less than in A; 0: noise. */
static inline int
panel_change_step(const struct panel_change *c)
{
	int32_t ppm = c->ppm < 0 ? -c->ppm : c->ppm;
	int step = c->noise ? 0 : ppm < 10000 ? 1 : ppm < 30000 ? 2 : ppm < 100000 ? 3 : CHANGE_STEPS;

	return c->ppm < 0 ? -step : step;
}

struct panel_gone {
	uint32_t	 text;
	uint8_t		 kind;
	uint64_t	 total, self;	/* samples of A that have it in their chain; that end in it */
	bool		 noise;		/* chance explains that B has none */
};

/*
 * Rows below those of a panel with time: what else was in each column.  STRIP(NAME, name, noun of one, bars, help): with bars the higher the
 * more; else all are alike where there is space for little.
 */
#define PANEL_STRIPS(STRIP)								\
	STRIP(LOST, lost, "lost record", true, "lost in it")				\
	STRIP(THROTTLED, throttled, "THROTTLE record", false, "THROTTLE records in it")
enum {
#define STRIP(NAME, ...) STRIP_##NAME,
	PANEL_STRIPS(STRIP)
#undef STRIP
	STRIPS
};
struct strip_kind {
	const char	*name, *noun;
	bool		 bars;
};
extern const struct strip_kind panel_strips[STRIPS];

struct panel_mark { uint64_t value; const char *name; };	/* PANEL_HIST: p50, p90, p99 */

struct panel {
	uint8_t		 kind;		/* enum panel_kind */
	char		*name;		/* the word of --picture */
	char		*title, *subtitle;	/* subtitle: file, width of a column, what is left out */
	char		*desc;		/* the three main figures, in words */
	uint64_t	 samples;	/* that the panel is about, also those of `hidden' */
	/* the largest count of a cell; PANEL_STACK: of a column; PANEL_HIST: of a bucket; PANEL_FLAME: of all */
	uint64_t	 top;
	struct band	*band;
	unsigned	 nbands;
	unsigned	 hidden;	/* bands that are not shown, and their samples; PANEL_FLAME: boxes too narrow to be drawn */
	uint64_t	 hidden_samples;
	/* PANEL_HEAT, PANEL_STACK */
	const struct axis *axis;	/* of the panels, or its own */
	uint32_t	*strip[STRIPS];	/* of each column; NULL: there is nothing of it */
	bool		 upward;	/* band 0 is the lowest */
	bool		 lives;		/* bands are there for a part of the time, which is shown, too */
	/* PANEL_BEHIND */
	struct behind_place *place;	/* of `width' bytes each */
	unsigned	 nplaces;
	uint64_t	 width, bytes;	/* bytes: of the stream; PANEL_FLAME: width of the bins of moments, ns, at least a column */
	uint64_t	*round;		/* offsets of FINISHED_ROUND; none if there are too many to draw */
	unsigned	 nrounds;
	uint64_t	 power[64];	/* records by the power of two of how far they are behind, ns */
	uint64_t	 timed, back;	/* records that have a time; that are behind */
	uint64_t	 worst, window;	/* the largest distance; what psort --window needs, ns */
	uint64_t	 late;
	/* PANEL_HIST */
	struct bucket	*bucket;	/* as in hist.h */
	unsigned	 nbuckets;
	const char	*unit;		/* of its values: "ns", "bytes", ""; PANEL_FLAME: "sample", "period", "ns" */
	struct panel_mark mark[PANEL_MARKS];
	/* PANEL_FLAME */
	struct panel_box *box;
	char		**text;		/* of boxes; any bytes */
	uint32_t	 nboxes, ntexts;
	unsigned	 above;		/* so many of the first levels on that of all are no functions: event, comm */
	struct panel_change *change;	/* of each box; NULL: it compares nothing */
	uint64_t	 before;	/* all of A */
	struct panel_gone *gone;	/* most samples first */
	uint32_t	 ngone;
	char		*note[PANEL_NOTES];	/* what limits what it shows, and what mends that */
	unsigned	 nnotes;
	struct moment	*moment;	/* of a page: bin is a column of `axis', node a box; in order */
	size_t		 nmoments;
};

/* Has it an axis of time, and bands with counts by its columns? */
static inline bool
panel_is_timed(const struct panel *p)
{
	static const bool is[] = {
#define PANEL(NAME, name, timed) [PANEL_##NAME] = timed,
#include "kinds.def"
	};

	return is[p->kind];
}

/* PANEL_HEAT: are its bands parts of the columns, as in subsecond? */
static inline bool
panel_has_parts(const struct panel *p)
{
	return p->nbands && p->band[0].span;
}

/* The number, with its blank, that a name of a band ends with, as that of a task: what is in front of it is cut.  NULL: none. */
static inline const char *
panel_number(const char *label)
{
	const char *number = label ? strrchr(label, ' ') : NULL;

	return number && number[1 + strspn(number + 1, "0123456789")] == '\0' ? number : NULL;
}

/* Add what limits what the panel shows; the text becomes its. */
static inline void
panel_note(struct panel *p, char *text)
{
	p->note[p->nnotes++] = text;
}

/* Where the last component of a name of C++ or Rust begins, which distinguishes it most: "a::b<c::d>::e" at e; else 0. */
size_t	panel_inner(const char *name);

struct panels {
	struct panel	*panel;		/* in the order of --picture */
	unsigned	 n;
	struct axis	 axis;		/* of those that have time, if they have no other */
	uint64_t	 lost;
};
void	panels_free(struct panels *);
/* Set the largest count: of a cell, or PANEL_STACK: of a column. */
void	panel_top(struct panel *);

#endif

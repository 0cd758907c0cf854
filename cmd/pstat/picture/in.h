/* SPDX-License-Identifier: ISC */
/* in.h - what the files that collect pictures share. */
#ifndef PSTAT_PICTURE_IN_H
#define PSTAT_PICTURE_IN_H

#include "count/behind.h"
#include "picture/option.h"
#include "picture/picture.h"
#include "stacks/moments.h"
#include "stacks/naming.h"
#include "symbol/frames.h"
#include "tally/quick.h"

enum {
#define PICTURE(NAME, name, word) PIC_##NAME,
#include "kinds.def"
	PICS
};
enum {
	PICTURES_MAX = 16,
	PIC_COLUMNS = 1000, PIC_SECONDS = 500,	/* columns at most */
	PIC_ROWS = 50,			/* of a column of subsecond */
	PIC_CPUS = 200, PIC_TASKS_SHOWN = 24, PIC_RATES = 6,	/* bands at most */
};
struct picture_event {
	bool		 known, wanted, read;
	uint16_t	 cpu;		/* offset in its samples; 0: they have none */
	struct quick	*quick;		/* NULL: not all of its samples are alike */
};
struct pictures {
	struct tool	*tool;
	struct counts	*c;
	const struct asked *asked;
	struct naming	*naming;	/* NULL: without --symbols */
	bool		 drawn;		/* else they are tables of the report */
	struct draw	 draw;
	struct picture {
		unsigned kind;
		char	*name;
		void	*own;		/* what its kind has made */
		/* for its table */
		const struct panels *panels;
		unsigned number;
	}		 pic[PICTURES_MAX];
	unsigned	 n;
	bool		 has[PICS], timed;	/* timed: some of them has time */
	uint64_t	 quantum;
	char		**event;	/* words of --event */
	unsigned	 nevents;
	int		 mode;		/* --cpumode; -1: any */
	const char	*mode_name;
	uint32_t	 bit;		/* in the lane */
	struct picture_event *ev;
	size_t		 nev;
	struct sort	*keys;		/* rows of rate and tasks; NULL: processes */
	bool		 swap, by_pid;	/* rows of rate and tasks are processes */
	struct picture_run run;
	struct spans	 spans, fine;	/* fine: 1/50 of the columns of subsecond */
	struct grid	 cpu;		/* not idle */
	struct grid	 task;		/* by pid, and PIC_IDLE; or by key: not idle */
	struct grid	 rate;		/* by key, of all */
	struct grid	 lost;		/* by 2 * event: LOST; by 2 * event + 1: LOST_SAMPLES */
	struct picture_bins { uint32_t *n; struct pictures *p; } sub, throttled;	/* by bin of `fine', not idle; of `spans' */
	uint64_t	 first, last;	/* of the samples that have a time */
	uint64_t	 samples, idle;	/* selected ones that have a time; of these, of idle CPUs */
	uint64_t	 untimed;	/* selected ones that have none */
	bool		 over;		/* a count is larger than 32 bits */
	/* pictures_tell_stacks() */
	void		(*stacks)(void *arg, struct stacks *);
	void		*stacks_arg;
	/* what was made of it */
	struct panels	 panels;
	bool		 exact;
	struct table	 table[PICTURES_MAX];
};

/* ---- kinds ---------------------------------------------------------------------------------------- */

struct making {				/* panels of what was counted */
	struct pictures	*p;
	const struct picture *pic;
	const struct summary *s;
	unsigned	*column;	/* of each bin of p->spans */
	char		*span;		/* "12.345 s" */
};

struct picture_kind {			/* functions NULL: nothing is to be done then */
	bool		 timed;		/* it needs bins of time, in which picture.c counts */
	bool		 page;		/* it is on the page of --report */
	const struct table *figures;	/* its table; NULL: another option has its figures */
	/* By the option: what it needs of its own. */
	void		*(*new)(struct pictures *, const char *field);
	/* Before the input is counted, also if there is none (tool->in NULL): join the lane. */
	void		(*begin)(struct pictures *, struct picture *);
	/* The input was counted.  False: a limit was met that affects what is shown. */
	bool		(*end)(struct picture *, const struct summary *);
	/* Has it a panel?  NULL: always. */
	bool		(*is)(const struct picture *);
	/* Make its panel, which has its name, the axis of time, and the file as the beginning of its subtitle. */
	void		(*make)(struct making *, struct panel *);
	void		(*free)(void *own);
};

#define PICTURE(NAME, name, word) extern const struct picture_kind picture_##name;
#include "kinds.def"
extern const struct picture_kind *const picture_kinds[PICS];

/* tables.c: the figures of panels by time, of PANEL_BEHIND, PANEL_FILL, PANEL_FLAME; of each picture with its name. */
extern const struct table cells_table, places_table, parts_table, boxes_table;

/* ---- picture.c, tables.c: the functions of the part (count/part.h) -------------------------------- */

struct pictures *pictures_new(struct tool *, struct counts *, const struct asked *);
void	pictures_add(void *, struct report *);
void	pictures_begin(void *, struct pass *);
bool	pictures_end(void *, struct pass *);
void	pictures_free(void *);
/* Does some picture depend on the keys of --sort? */
bool	pictures_sorted(const struct pictures *);

/* Bins as fine as the columns of pictures will be, or finer. */
void	pictures_bins(const struct pictures *, struct moments *);

/* flame.c: what kinds of frames are called, by enum frame_kind. */
extern const char *const flame_kinds[FRAME_KINDS];

/* sort_pick: is the sample one of those that --event and --cpumode choose?  `arg' is the pictures; of tid 0 it is PICKED_IDLE, too. */
enum { PICKED = 1, PICKED_IDLE = 2 };
unsigned picture_pick(void *arg, unsigned event, const struct pp_rec *, uint32_t tid);

/* ---- panels.c ------------------------------------------------------------------------------------ */

void	panels_make(struct pictures *, const struct summary *);
/* Which of the samples are meant: " of EVENT, cpumode kernel", or nothing.  The caller frees it. */
char	*panels_selection(const struct pictures *);

/* ---- option.c ------------------------------------------------------------------------------------ */

/* What selects the samples of all pictures, to be added to an option (NULL: none); it frees that. */
char	*option_narrow(const struct pictures *, char *option, bool without_idle);

#endif

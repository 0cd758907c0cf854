/* SPDX-License-Identifier: ISC */
/* in.h - what the files that collect pictures share. */
#ifndef PSTAT_PICTURE_IN_H
#define PSTAT_PICTURE_IN_H

#include "count/behind.h"
#include "picture/option.h"
#include "picture/picture.h"
#include "tally/quick.h"

enum picture_kind { PIC_RATE, PIC_CPU, PIC_TASKS, PIC_SUBSECOND, PIC_DISORDER, PIC_HIST, PIC_FILL, PICS };
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
	bool		 drawn;		/* else they are tables of the report */
	struct draw	 draw;
	struct picture {
		enum picture_kind kind;
		char	*name;
		struct sort *hist;	/* PIC_HIST */
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
	unsigned	 nev;
	struct sort	*keys;		/* rows of rate and tasks; NULL: processes */
	bool		 swap, by_pid;	/* rows of rate and tasks are processes */
	struct picture_run run;
	struct spans	 spans, fine;	/* fine: 1/50 of the columns of subsecond */
	struct grid	 cpu;		/* not idle */
	struct grid	 task;		/* by pid, and PIC_IDLE; or by key: not idle */
	struct grid	 rate;		/* by key, of all */
	struct grid	 lost;		/* by 2 * event: LOST; by 2 * event + 1: LOST_SAMPLES */
	uint32_t	*sub;		/* by bin of `fine', not idle */
	uint32_t	*throttled;	/* by bin of `spans' */
	uint64_t	 first, last;	/* of the samples that have a time */
	uint64_t	 samples, idle;	/* selected ones that have a time; of these, of idle CPUs */
	uint64_t	 untimed;	/* selected ones that have none */
	struct behind	*behind;	/* NULL: not wanted */
	bool		 over;		/* a count is larger than 32 bits */
	/* what was made of it */
	struct panels	 panels;
	bool		 exact;
	struct table	 table[PICTURES_MAX];
};

/* ---- panels.c ------------------------------------------------------------------------------------ */

void	panels_make(struct pictures *, const struct summary *);

/* ---- behind.c ------------------------------------------------------------------------------------ */

/* After the input was counted: set what PANEL_BEHIND has; the panel owns it. */
void	behind_panel(const struct behind *, struct panel *);
/* Set what PANEL_FILL has. */
void	fill_panel(const struct counts *, struct panel *);

/* ---- option.c ------------------------------------------------------------------------------------ */

/* What selects the samples of all pictures, to be added to an option (NULL: none); it frees that. */
char	*option_narrow(const struct pictures *, char *option, bool without_idle);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * quick.h - counts a sample for pictures, if it has a CPU and its event is selected as a whole: for most samples of most streams,
 * so count.c does it without a call.
 */
#ifndef PSTAT_PICTURE_QUICK_H
#define PSTAT_PICTURE_QUICK_H

#include "grid.h"
#include "perfpipe_inline.h"

/* Keys of rows of processes that are no pid. */
#define PIC_IDLE (UINT64_MAX - 2)

/* Samples of one CPU that came one after the other in one bin. */
struct picture_run {
	uint64_t	 from, length;	/* of times; length 0: none */
	uint64_t	 cpu;		/* GRID_UNKNOWN: they have none */
	unsigned	 bin, fine;	/* their bins */
	unsigned	 part, in_part;	/* of a grid, the first of these */
	uint64_t	 first, last;	/* times; but of those that are counted in `grid' it has them */
	uint64_t	 n[2];		/* not idle, idle */
};

struct quick {				/* of an event */
	struct picture_run *run;
	struct grid	*grid;		/* by process; NULL: no picture has it */
	void		*pictures;
	uint16_t	 cpu;		/* offset in its samples */
};

/* picture.c: the time is of another bin, or the CPU another.  False: the sample has no time, and no place. */
bool	quick_begin(struct quick *, uint64_t time, uint64_t cpu);
/* grid_add(), of one sample whose row is not at once found. */
void	quick_add(struct grid *, uint64_t key, unsigned bin, uint64_t time);

/* key: that of tasks_key(); time 0: it has none */
__attribute__((always_inline)) static inline void
quick_sample(struct quick *q, const struct pp_rec *r, bool swap, uint64_t time, uint64_t key)
{
	uint64_t cpu = pp_get_u32(r->raw + q->cpu, swap);
	struct picture_run *run = q->run;
	struct grid *g = q->grid;
	struct grid_row *row;
	uint32_t part;

	if ((time - run->from >= run->length || cpu != run->cpu) && !quick_begin(q, time, cpu))
		return;
	if ((uint32_t)key == 0) {
		key = PIC_IDLE;
		run->n[1]++;
	} else {
		key >>= 32;
		run->n[0]++;
	}
	if (!g) {
		if (time < run->first)
			run->first = time;
		if (time > run->last)
			run->last = time;
		return;
	}
	row = &g->row[set_first(&g->by, set_hash(&g->by, key))];
	part = row->part[run->part];
	if (row->key != key || !part) {
		quick_add(g, key, run->bin, time);
		return;
	}
	row->total++;
	if (time < row->first)
		row->first = time;
	if (time > row->last)
		row->last = time;
	if (!++g->count[part * GRID_PART + run->in_part])
		grid_full(g, part, run->bin);
}

#endif

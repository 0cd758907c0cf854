/* SPDX-License-Identifier: ISC */
/*
 * slots.h - a ring of slots that threads work on while the caller fills the next one; they come back in the order in which they were
 * handed over
 *
 *	slots:	done		at work   at work   being filled
 *		the oldest			    `filled'
 *
 * What is in a slot is the caller's, by its number.
 */
#ifndef PP_SLOTS_H
#define PP_SLOTS_H

#include <pthread.h>

#include "perfpipe.h"

enum slot_state { SLOT_FREE, SLOT_WAITING, SLOT_AT_WORK, SLOT_DONE };

struct slots {			/* begins zeroed */
	unsigned	 n, filled, oldest;	/* slots; the one being filled, which the caller moves on; the first one that was not taken */
	/* private: */
	void		(*work)(void *arg, unsigned slot);
	void		*arg;
	pthread_mutex_t	 lock;
	pthread_cond_t	 waiting, done;
	bool		 quit;
	enum slot_state	*state;
	unsigned	 threads, started;
	pthread_t	*thread;
};

/* So many threads, and a slot more; 0: slots_hand_over() does the work by itself.  1, or -1: no memory. */
int	slots_begin(struct slots *, unsigned threads, void (*work)(void *arg, unsigned slot), void *arg);
/* The slot being filled is to be worked on.  1, or -1: no thread can be started. */
int	slots_hand_over(struct slots *, struct pp_err *);
/* Wait until the oldest is done, and take it: its number.  last: the next one is the oldest from now on; else it will be handed over again. */
unsigned slots_take(struct slots *, bool last);
enum slot_state slots_state(struct slots *, unsigned slot);
/* End the threads, when what is handed over is done. */
void	slots_end(struct slots *);

#endif

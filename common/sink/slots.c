/* SPDX-License-Identifier: ISC */
/* slots.c - see slots.h */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "slots.h"

int
slots_begin(struct slots *s, unsigned threads, void (*work)(void *, unsigned), void *arg)
{
	*s = (struct slots){ .n = threads + 1, .threads = threads, .work = work, .arg = arg, .state = calloc(threads + 1, sizeof *s->state),
	    .thread = calloc(threads + 1, sizeof *s->thread) };
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->waiting, NULL);
	pthread_cond_init(&s->done, NULL);
	return s->state && s->thread ? 1 : -1;
}

static void *
slots_worker(void *arg)
{
	struct slots *s = arg;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		unsigned i = 0, slot = 0;

		for (; i < s->n && s->state[slot = (s->oldest + i) % s->n] != SLOT_WAITING; i++)
			;
		if (i == s->n && s->quit)
			break;
		if (i == s->n) {
			pthread_cond_wait(&s->waiting, &s->lock);
			continue;
		}
		s->state[slot] = SLOT_AT_WORK;
		pthread_mutex_unlock(&s->lock);
		s->work(s->arg, slot);
		pthread_mutex_lock(&s->lock);
		s->state[slot] = SLOT_DONE;
		pthread_cond_signal(&s->done);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* Threads start with the first work: by then a command is confined, and so are its threads.  Signals are blocked in them. */
static int
slots_start(struct slots *s, struct pp_err *err)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (s->started < s->threads && !(errno = pthread_create(&s->thread[s->started], NULL, slots_worker, s)))
		s->started++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return s->started ? 1 : pp_fail_system(err, "no thread can be started");
}

int
slots_hand_over(struct slots *s, struct pp_err *err)
{
	if (!s->threads) {
		s->work(s->arg, s->filled);
		s->state[s->filled] = SLOT_DONE;
		return 1;
	}
	if (!s->started && slots_start(s, err) < 0)
		return -1;
	pthread_mutex_lock(&s->lock);
	s->state[s->filled] = SLOT_WAITING;
	pthread_cond_signal(&s->waiting);
	pthread_mutex_unlock(&s->lock);
	return 1;
}

unsigned
slots_take(struct slots *s, bool last)
{
	unsigned slot = s->oldest;

	pthread_mutex_lock(&s->lock);
	while (s->state[slot] != SLOT_DONE)
		pthread_cond_wait(&s->done, &s->lock);
	s->state[slot] = SLOT_FREE;
	if (last)
		s->oldest = (slot + 1) % s->n;
	pthread_mutex_unlock(&s->lock);
	return slot;
}

enum slot_state
slots_state(struct slots *s, unsigned slot)
{
	enum slot_state state;

	pthread_mutex_lock(&s->lock);
	state = s->state[slot];
	pthread_mutex_unlock(&s->lock);
	return state;
}

void
slots_end(struct slots *s)
{
	if (!s->work)			/* it was not begun */
		return;
	pthread_mutex_lock(&s->lock);
	s->quit = true;
	pthread_cond_broadcast(&s->waiting);
	pthread_mutex_unlock(&s->lock);
	for (unsigned i = 0; i < s->started; i++)
		pthread_join(s->thread[i], NULL);
	pthread_cond_destroy(&s->done);
	pthread_cond_destroy(&s->waiting);
	pthread_mutex_destroy(&s->lock);
	free(s->state);
	free(s->thread);
}

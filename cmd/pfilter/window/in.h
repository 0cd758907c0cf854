/* SPDX-License-Identifier: ISC */
/* in.h - shared by the files of window/ */
#ifndef PFILTER_WINDOW_IN_H
#define PFILTER_WINDOW_IN_H

#include "expr/expr.h"
#include "window/cover.h"
#include "window/window.h"

enum window_key { ALL, CPU, TID, PID };	/* what a sample shares with one that it is near to */

struct look {			/* a sample that is looked at */
	struct field_subject about;
	const struct field_stream *stream;
	uint64_t	 time;
	bool		 late;		/* newer samples were looked at before it: it arrived later than its round permits */
	bool		 swap;
	struct table	*pids;		/* --span-task: processes of threads, as their samples say (window_pid_of()) */
};
/* The process of a thread, by records and by its samples so far; UINT32_MAX: unknown. */
uint32_t window_pid_of(const struct look *, uint32_t tid);
/* A sample says the process of its thread; most threads have a record that does. */
void	window_learn_pid(const struct look *);
/* The key of a record.  false: it has none.  window_key_of() is for all keys but ALL. */
bool	window_key_of(const struct look *, enum window_key, uint32_t *key);
static inline bool
window_key(const struct look *l, enum window_key which, uint32_t *key)
{
	*key = 0;
	return which == ALL || window_key_of(l, which, key);
}

struct around {
	struct expr	*expr;
	uint64_t	 before, after;
	bool		 has_length;	/* one of both was given */
	enum window_key	 same;
	struct cover	 cover;
	uint64_t	 n;		/* samples for which the expression is true */
	struct around	*next;
};
/* A sample in time order.  1: there is a window around it; 0: there is none; -1: it is malformed. */
int	around_look(struct around *, const struct look *, struct pp_err *);
/* KEPT, NOT_AROUND or LACKS_FIELD for a record with a time. */
int	around_match(const struct around *, const struct look *);

#endif

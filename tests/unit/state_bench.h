/* SPDX-License-Identifier: ISC */
/* state_bench.h - a state that is fed records made here, for the unit tests state and state_* */
#ifndef PP_TEST_STATE_BENCH_H
#define PP_TEST_STATE_BENCH_H

#include <stdlib.h>

#include "check.h"
#include "state/state.h"

struct bench {			/* what a test works with */
	struct pp_state	*s;
	struct pp_err	 err;
	bool		 swap;
	uint8_t		 b[1 << 16];
	size_t		 n;
	size_t		 trailer;
	int		 rc;		/* of the last feed */
};

static void
put(struct bench *w, uint64_t v, unsigned size)
{
	if (size == 2)
		pp_set_u16(w->b + w->n, (uint16_t)v, w->swap);
	else if (size == 4)
		pp_set_u32(w->b + w->n, (uint32_t)v, w->swap);
	else
		pp_set_u64(w->b + w->n, v, w->swap);
	w->n += size;
}

static void
begin(struct bench *w, uint32_t type, uint16_t misc)
{
	w->n = 0;
	put(w, type, 4);
	put(w, misc, 2);
	put(w, 0, 2);
}

static void
text(struct bench *w, const char *s)
{
	size_t n = strlen(s);

	memset(w->b + w->n, 0, n + 8);
	memcpy(w->b + w->n, s, n);
	w->n = (w->n + n + 8) & ~(size_t)7;
}

/* What was put together, cut to `size' bytes (0: all), at an odd address, of memory to be freed. */
static struct pp_rec
made(struct bench *w, size_t size, uint8_t **odd)
{
	*odd = malloc(w->n + 1);
	assert_non_null(*odd);
	size = size ? size : w->n;
	pp_set_u16(w->b + 6, (uint16_t)size, w->swap);
	memcpy(*odd + 1, w->b, w->n);
	return (struct pp_rec){ .raw = *odd + 1, .type = pp_get_u32(w->b, w->swap), .misc = pp_get_u16(w->b + 4, w->swap), .size = (uint16_t)size };
}

/* Does the state know it? */
static inline bool
known(struct bench *w)
{
	uint8_t *odd;
	struct pp_rec r = made(w, 0, &odd);
	bool is = pp_state_knows(w->s, &r, w->trailer);

	free(odd);
	return is;
}

static void
feed(struct bench *w, size_t size)
{
	uint8_t *odd;
	struct pp_rec r = made(w, size, &odd);

	pp_state_knows(w->s, &r, w->trailer);
	w->rc = pp_state_feed(w->s, &r, w->trailer);
	assert_true(w->rc == 1 || w->rc == -1);
	free(odd);
}

static inline void
make_map(struct bench *w, uint16_t misc, uint32_t pid, uint32_t tid, uint64_t start, uint64_t len, uint64_t pgoff, const char *name)
{
	begin(w, PP_MMAP, misc);
	put(w, pid, 4);
	put(w, tid, 4);
	put(w, start, 8);
	put(w, len, 8);
	put(w, pgoff, 8);
	text(w, name);
}

static inline void
map_by(struct bench *w, uint16_t misc, uint32_t pid, uint32_t tid, uint64_t start, uint64_t len, uint64_t pgoff, const char *name)
{
	make_map(w, misc, pid, tid, start, len, pgoff, name);
	feed(w, 0);
}

static inline void
map_at(struct bench *w, uint16_t misc, uint32_t pid, uint64_t start, uint64_t len, uint64_t pgoff, const char *name)
{
	map_by(w, misc, pid, pid, start, len, pgoff, name);
}

static inline void
make_task(struct bench *w, uint32_t type, uint16_t misc, uint32_t pid, uint32_t ppid, uint32_t tid, uint32_t ptid)
{
	begin(w, type, misc);
	put(w, pid, 4);
	put(w, ppid, 4);
	put(w, tid, 4);
	put(w, ptid, 4);
	put(w, 0, 8);
}

static inline void
task_rec(struct bench *w, uint32_t type, uint16_t misc, uint32_t pid, uint32_t ppid, uint32_t tid, uint32_t ptid)
{
	make_task(w, type, misc, pid, ppid, tid, ptid);
	feed(w, 0);
}

static inline void
make_comm(struct bench *w, uint16_t misc, uint32_t pid, uint32_t tid, const char *name)
{
	begin(w, PP_COMM, misc);
	put(w, pid, 4);
	put(w, tid, 4);
	text(w, name);
}

static inline void
comm_by(struct bench *w, uint16_t misc, uint32_t pid, uint32_t tid, const char *name)
{
	make_comm(w, misc, pid, tid, name);
	feed(w, 0);
}

static inline void
comm(struct bench *w, uint32_t pid, uint32_t tid, const char *name)
{
	comm_by(w, 0, pid, tid, name);
}

/* "name+offset in the file" at that address, "-" if there is no map */
static inline const char *
at(struct bench *w, uint32_t pid, uint64_t ip)
{
	static char s[128];
	const struct pp_map *m = pp_state_map(w->s, pid, PP_MISC_USER, ip);

	if (!m)
		return "-";
	snprintf(s, sizeof s, "%s+%llx", pp_state_dso(w->s, m)->name,
	    (unsigned long long)(m->pgoff + ip - m->start));
	return s;
}

static inline const char *
comm_of(struct bench *w, uint32_t tid)
{
	const char *s = pp_state_comm(w->s, tid);

	return s ? s : "-";
}

static void
open_bench(struct bench *w, bool swap)
{
	w->err = (struct pp_err){ .what = "" };
	w->swap = swap;
	w->n = w->trailer = 0;
	w->rc = 0;
	assert_non_null(w->s = pp_state_new(swap, &w->err));
}

static inline bool
ended(struct bench *w, uint32_t tid)
{
	return pp_state_task(w->s, tid)->ended;
}

#endif

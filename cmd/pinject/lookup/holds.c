/* SPDX-License-Identifier: ISC */
/*
 * holds.c - see lookup.h: files that are overwritten in place while a live recording runs
 *
 * The id of a file is read once, at some time after it was mapped.  It is that of each map since the file was changed last.
 * For a map after the id was read, the file must be seen to be unchanged: its times are asked by a descriptor, which also keeps
 * its inode from being used again.
 */
#include <sys/stat.h>

#include <time.h>

#include "protocol.h"

enum { TICK = 10000000 };	/* ns: times of files are those of the kernel's last tick, so two changes can have the same one */

uint64_t
lookup_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return lookup_ns(&t);
}

struct lookup_seen
lookup_seen(const struct lookup *l, uint64_t asked, struct lookup_found *found)
{
	struct lookup_seen s = { .changed = l->any_change ? 0 : found->changed, .asked = asked,
	    .watch = found->fd };
	struct stat st;

	found->fd = -1;
	if (s.watch >= 0 && fstat(s.watch, &st) == 0) {
		s.ctime = st.st_ctim;
		s.mtime = st.st_mtim;
	}
	/* changed since it was read, or just before, or nobody can say: the next map asks again */
	if (s.watch < 0 || lookup_ns(&s.ctime) + TICK > asked)
		s.ctime = (struct timespec){ 0 };
	return s;
}

enum lookup_holds
lookup_holds(const struct lookup *l, const struct lookup_for *f, struct lookup_seen *s)
{
	uint64_t latest = recording_latest(l, f->time), now;
	struct stat st;

	if (!s->changed)
		return LOOKUP_HOLDS;
	if (latest < s->changed || l->elsewhere)
		return LOOKUP_CHANGED;
	if (!l->live || (l->wall && latest <= s->asked))
		return LOOKUP_HOLDS;
	now = lookup_now();
	if (s->watch < 0 || fstat(s->watch, &st) < 0 || st.st_ctim.tv_sec != s->ctime.tv_sec ||
	    st.st_ctim.tv_nsec != s->ctime.tv_nsec || st.st_mtim.tv_sec != s->mtime.tv_sec || st.st_mtim.tv_nsec != s->mtime.tv_nsec)
		return LOOKUP_AGAIN;
	s->asked = now;
	return LOOKUP_HOLDS;
}

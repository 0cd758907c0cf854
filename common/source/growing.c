/* SPDX-License-Identifier: ISC */
/*
 * growing.c - a perf.data that is being written (PP_OPEN_FOLLOW)
 *
 * perf record -o FILE appends records, then the feature table and the features, and at last writes the size of the data into
 * the header at the start of the file.  Before that the table looks like more data.  But its first entry is the offset of what is
 * behind the table.  As a record header that has the size 0, if it is little-endian; in the other order a type of 0, mostly.  There
 * the source waits for the header.
 */
#include <stdlib.h>
#include <string.h>

#include "container.h"

enum { SIZE_AT = 48, DATA_SEGMENT = 3 };

struct growing {
	uint8_t		 head[SIZE_AT];	/* of the header at first: where attrs and data are */
	bool		 done;		/* the header is complete */
	bool		 tail;		/* the records of the features have been made */
};

/* Read the first n bytes of the file. */
static int
growing_read(struct source *s, uint8_t *p, size_t n)
{
	int rc = bytes_read_all(s->in, 0, p, n);

	return rc < 0 ? source_fail_bytes(s) : rc ? 1 : source_fail(s, SIZE_AT, "the file shrank while it was read");
}

int
growing_open(struct source *s, uint64_t off, uint64_t *size)
{
	if (!s->growing && !(s->growing = calloc(1, sizeof *s->growing)))
		return source_fail_memory(s, 0);
	*size = INT64_MAX - off;
	return growing_read(s, s->growing->head, SIZE_AT);
}

/* Has the header the size of the data?  Then set the end of the data.  1; 0; -1. */
static int
growing_done(struct source *s)
{
	struct segments *g = (struct segments *)s->container;
	uint64_t size;
	uint8_t p[SIZE_AT + 8];

	if (growing_read(s, p, sizeof p) < 0)
		return -1;
	if (!(size = pp_get_u64(p + SIZE_AT, s->pub.swap)))
		return 0;
	if (memcmp(p, s->growing->head, SIZE_AT))
		return source_fail(s, 0, "the header has other attrs now than when reading began: read the file again");
	g->s[DATA_SEGMENT].len = size;
	s->growing->done = true;
	if (g->cur == DATA_SEGMENT && g->done > size)
		g->done = size;
	return 1;
}

/* The writing has ended without a header.  0: because of *stop; -1: failure. */
static int
growing_unfinished(struct source *s)
{
	if (follow_stopped(s->follow))
		return 0;
	return source_fail(s, SIZE_AT, "data size is still 0, and no process writes the file: the recorder was killed");
}

size_t
growing_clip(struct source *s, size_t have)
{
	const struct segments *g = (const struct segments *)s->container;
	uint64_t end = 0;

	if (!s->growing->done || s->growing->tail)
		return have;
	for (unsigned i = 0; i < g->n; i++)
		end += g->s[i].len;
	if (s->win.base + have <= end)
		return have;
	return end > s->win.base ? (size_t)(end - s->win.base) : 0;
}

int
growing_wait(struct source *s)
{
	int rc;

	if (!s->follow || follow_over(s->follow) || (s->growing && s->growing->done))
		return NEXT_END;
	if (s->growing && (rc = growing_done(s)) != 0)
		return rc < 0 ? NEXT_FAILED : NEXT_AGAIN;
	if (follow_pause(s->follow))
		return NEXT_AGAIN;
	return s->growing && growing_unfinished(s) < 0 ? NEXT_FAILED : NEXT_END;
}

bool
growing_at_table(const struct source *s, const uint8_t *p)
{
	enum { TABLE_MAX = 256 * 16 };

	return pp_get_u64(p, s->pub.swap) - window_offset(s, p) <= TABLE_MAX;
}

int
growing_settle(struct source *s)
{
	int rc;

	if (s->growing->done)
		return 0;
	while ((rc = growing_done(s)) == 0 && follow_pause(s->follow))
		;
	if (rc < 0 || (!rc && growing_unfinished(s) < 0))
		return -1;
	s->win.end = rc ? s->win.buf + growing_clip(s, (size_t)(s->win.end - s->win.buf)) : s->pub.pos;
	s->pub.lim = s->win.end;
	if (s->pub.pos > s->win.end)
		return source_fail(s, SIZE_AT, "data size in the header is less than was read already");
	s->win.eof = s->pub.pos == s->win.end;
	return s->win.eof;
}

int
growing_more(struct source *s)
{
	if (!s->growing || !s->growing->done || s->growing->tail)
		return NEXT_END;
	s->growing->tail = true;
	return file_tail(s) < 0 ? NEXT_FAILED : NEXT_AGAIN;
}

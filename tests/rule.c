/* SPDX-License-Identifier: ISC */
/*
 * rule - the order in which perf processes the records of a stream, as a simple model: the expected output of psort, byte
 * for byte.
 *
 *	rule <stream		two rounds at a time; the FINISHED_ROUNDs behind what they release.  In front of a record that
 *				does not wait: the last one, and as many as make two behind what was released
 *	rule -f <stream		all at the end, and no FINISHED_ROUNDs: psort --full --rounds=drop
 *
 * For sound little-endian streams whose attrs have one sample_type.  It shares no code with common/, on
 * purpose, holds all in memory and sorts it again for each round.
 */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATTR = 64, SAMPLE = 9, TRACING_DATA = 66, FINISHED_ROUND = 68, AUXTRACE = 71 };
enum { IP = 1, TID = 2, TIME = 4, ID = 64, CPU = 128, STREAM_ID = 512, IDENTIFIER = 65536 };

struct rec { uint64_t time; const uint8_t *p; };
static struct rec *wait;		/* in order of arrival, or by time */
static size_t waiting, space;
static uint64_t max, limit;
static unsigned marks = 2;		/* that were put behind the last record that was released */
static size_t sample_time, trailer_time;	/* from a sample's start; from the end of others; 0: nowhere */

static uint64_t
num(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

static size_t
size_of(const uint8_t *p)
{
	return num(p + 6, 2);
}

static void
put(const uint8_t *p, size_t n)
{
	if (fwrite(p, 1, n, stdout) != n)
		err(1, "write");
}

static void
learn(uint64_t type)
{
	unsigned bits = !!(type & TID) + !!(type & TIME) + !!(type & ID) + !!(type & STREAM_ID) + !!(type & CPU) +
	    !!(type & IDENTIFIER);

	if (!(type & TIME))
		return;
	sample_time = 8 + 8 * (!!(type & IDENTIFIER) + !!(type & IP) + !!(type & TID));
	trailer_time = 8 * (bits - !!(type & TID));	/* behind the tid */
}

static uint64_t
time_of(uint32_t type, const uint8_t *p)
{
	if (type == SAMPLE)
		return sample_time ? num(p + sample_time, 8) : 0;
	return trailer_time && size_of(p) >= 16 + trailer_time ? num(p + size_of(p) - trailer_time, 8) : 0;
}

static int
by_time(const void *a, const void *b)
{
	const struct rec *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->p < y->p ? -1 : x->p > y->p;		/* order of arrival */
}

static void
release(uint64_t upto)
{
	size_t n = 0;

	qsort(wait, waiting, sizeof *wait, by_time);
	while (n < waiting && wait[n].time <= upto) {
		put(wait[n].p, size_of(wait[n].p));
		n++;
		marks = 0;
	}
	waiting -= n;
	memmove(wait, wait + n, waiting * sizeof *wait);
}

static void
queue(uint64_t time, const uint8_t *p)
{
	if (waiting == space && !(wait = realloc(wait, (space = 2 * space + 64) * sizeof *wait)))
		err(1, NULL);
	if (!waiting || time >= max)
		max = time;
	wait[waiting++] = (struct rec){ time, p };
}

static void
put_mark(const uint8_t **mark)
{
	if (!*mark)
		return;
	put(*mark, size_of(*mark));
	*mark = NULL;
	marks++;
}

/* What was released stays in front of what is put now, for who does the same again. */
static void
settle(const uint8_t **mark)
{
	static const uint8_t fresh[8] = { FINISHED_ROUND, 0, 0, 0, 0, 0, 8, 0 };

	put_mark(mark);
	for (; marks < 2; marks++)
		put(fresh, sizeof fresh);
}

/* A mark releases what was known at the one before it, and that one follows. */
static void
round_finished(const uint8_t **mark, const uint8_t *next)
{
	if (waiting) {
		release(limit);
		limit = max;
	}
	put_mark(mark);
	*mark = next;
}

static uint8_t *
slurp(size_t *n)
{
	uint8_t *all = NULL;
	size_t cap = 0, got;

	for (*n = 0;; *n += got) {
		if (*n == cap && !(all = realloc(all, cap = 2 * cap + 65536)))
			err(1, NULL);
		if (!(got = fread(all + *n, 1, cap - *n, stdin)))
			return all;
	}
}

int
main(int argc, char **argv)
{
	bool full = argc == 2 && !strcmp(argv[1], "-f");
	const uint8_t *mark = NULL;
	size_t n;
	uint8_t *all = slurp(&n), *end = all + n;

	if (argc != 1 + full || n < 16)
		errx(2, "usage: rule [-f] <stream");
	put(all, 16);
	for (uint8_t *p = all + 16; p < end;) {
		uint32_t type = (uint32_t)num(p, 4);
		size_t payload = type == AUXTRACE ? num(p + 8, 8) : type == TRACING_DATA ? (num(p + 8, 4) + 7) & ~(size_t)7 : 0;
		uint64_t time = type < ATTR ? time_of(type, p) : 0;

		if (type == ATTR)
			learn(num(p + 8 + 24, 8));
		if (time && time != UINT64_MAX)
			queue(time, p);
		else if (type != FINISHED_ROUND) {
			if (!full)
				settle(&mark);
			put(p, size_of(p) + payload);
		} else if (!full)
			round_finished(&mark, p);
		p += size_of(p) + payload;
	}
	round_finished(&mark, NULL);
	release(UINT64_MAX);
	if (fflush(stdout))
		err(1, "write");
	free(wait);
	free(all);
	return 0;
}

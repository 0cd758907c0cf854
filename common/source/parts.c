/* SPDX-License-Identifier: ISC */
/*
 * parts.c - the files of a directory of perf record --threads as one stream:
 *
 *	data		a seekable perf.data, whose feature DIR_FORMAT says whether the others belong to it
 *	data.0 ...	bare records, as each thread read them; compressed ones are a zstd stream per file
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "container.h"

struct parts {
	struct dir	*dir;
	bool		 wanted;	/* by DIR_FORMAT */
	bool		 over;
};

int
parts_open(struct source *s, int fd, struct stat *st)
{
	struct parts *p = s->parts = calloc(1, sizeof *p);

	if (!p) {
		close(fd);
		return pp_fail_memory(s->err);
	}
	if (!(p->dir = dir_open(fd, &s->in_err)))
		return source_fail_bytes(s);
	snprintf(s->part, sizeof s->part, "data: ");
	snprintf(s->around, sizeof s->around, " in a directory of perf record --threads");
	s->flags &= ~(unsigned)(PP_OPEN_RAW | PP_OPEN_FOLLOW);
	return dir_next(p->dir, &s->in, st, &s->in_err) > 0 ? 1 : source_fail_bytes(s);
}

int
parts_version(struct source *s, uint64_t version)
{
	if (version > 1)
		return source_fail(s, 0, "a directory of version %ju; 1 is the newest known", (uintmax_t)version);
	s->parts->wanted = version == 1;
	if (version == 1)
		s->total += dir_size(s->parts->dir);
	return 1;
}

/* After the last file: fail if a file is missing, by the numbers of the others. */
static int
parts_end(struct source *s)
{
	struct parts *p = s->parts;
	int missing;

	s->part[0] = 0;
	p->over = true;
	if (!p->wanted || !dir_missing(p->dir, &missing))
		return NEXT_END;
	s->failed = true;
	pp_fail(s->err, "data.%d is missing", missing);
	return repair_forgive(s, 0) ? NEXT_END : NEXT_FAILED;
}

static void
part_close(struct container *c)
{
	free(c);
}

/* The file that is the input now: all of it is records. */
static int
part_open(struct source *s, uint64_t size)
{
	static const struct container_kind kind = { .read = segments_read, .place = segments_place, .left = segments_left,
	    .whole = segments_whole, .more = parts_more,
	    .at = segments_at, .skip = segments_skip, .close = part_close };
	struct segments *g = calloc(1, sizeof *g);

	if (!g)
		return source_fail_memory(s, 0);
	*g = (struct segments){ .pub.kind = &kind, .s = { { s->in, 0, size, false } }, .n = 1 };
	container_set(s, &g->pub);
	return 1;
}

int
parts_more(struct source *s)
{
	struct parts *p = s->parts;
	struct bytes *next;
	struct stat st;
	int rc;

	if (p->over)
		return NEXT_END;
	rc = p->wanted ? dir_next(p->dir, &next, &st, &s->in_err) : 0;
	if (!rc)
		return parts_end(s);
	snprintf(s->part, sizeof s->part, "%s: ", dir_name(p->dir));
	if (rc < 0)
		return source_fail_bytes(s);
	bytes_close(s->in);
	s->in = next;
	s->file++;
	leave_file(s);
	expand_reset(s);
	s->gave_up = false;
	if (part_open(s, (uint64_t)st.st_size) < 0)
		return NEXT_FAILED;
	window_start(s);
	return NEXT_AGAIN;
}

int64_t
parts_raw_size(struct source *s, uint32_t file)
{
	return dir_raw_size(s->parts->dir, file);
}

ssize_t
parts_raw_at(struct source *s, uint32_t file, uint64_t off, uint8_t *p, size_t n)
{
	return dir_raw_at(s->parts->dir, file, off, p, n);
}

void
parts_free(struct source *s)
{
	if (s->parts)
		dir_free(s->parts->dir);
	free(s->parts);
	s->parts = NULL;
}

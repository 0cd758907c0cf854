/* SPDX-License-Identifier: ISC */
/*
 * dir.c - what perf record --threads makes: a directory of
 *
 *	data		a seekable perf.data, whose feature DIR_FORMAT says whether the others belong to it
 *	data.0 ...	bare records, as each thread read them; compressed ones are a zstd stream per file
 *
 * and of things for other readers (kcore_dir, say).  The names count from 0 without a gap
 * (perf_data__create_dir).  All files are opened at once, since a tool may give up the right to open later.
 */
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source.h"

enum { FILES_MAX = 65536 };		/* threads: more than one per CPU makes no sense */

struct dir {
	struct dirfile { int fd; unsigned number; } *file;	/* ascending */
	size_t		 n, next;
	uint64_t	 bytes;		/* in all of them */
	bool		 wanted;	/* by DIR_FORMAT */
};

/* "data.12": 12; anything else, also "data.012": -1. */
static int
file_number(const char *name)
{
	char back[32];
	int n;

	if (sscanf(name, "data.%9d", &n) != 1 || n < 0 || n >= FILES_MAX)
		return -1;
	snprintf(back, sizeof back, "data.%d", n);
	return strcmp(back, name) ? -1 : n;
}

static int
by_number(const void *a, const void *b)
{
	unsigned x = ((const struct dirfile *)a)->number, y = ((const struct dirfile *)b)->number;

	return x < y ? -1 : x > y;
}

static int
add(struct source *s, int at, const char *name, int number)
{
	struct dir *d = s->dir;
	struct stat st;
	void *p;
	int fd;

	/* Not to hang in a FIFO of that name. */
	if ((fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) < 0 || fstat(fd, &st) < 0) {
		if (fd >= 0)
			close(fd);
		return pp_fail(s->err, "%s: %s", name, strerror(errno));
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return pp_fail(s->err, "%s: not a regular file", name);
	}
	if (!(p = realloc(d->file, (d->n + 1) * sizeof *d->file))) {
		close(fd);
		return pp_fail(s->err, "out of memory");
	}
	d->file = p;
	d->file[d->n++] = (struct dirfile){ fd, (unsigned)number };
	d->bytes += (uint64_t)st.st_size;
	return 1;
}

static int
add_all(struct source *s, int at)
{
	int fd = dup(at), number, rc = 1;
	DIR *dp = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!dp) {
		if (fd >= 0)
			close(fd);
		return pp_fail(s->err, "%s", strerror(errno));
	}
	while (rc > 0 && (e = readdir(dp)))
		if ((number = file_number(e->d_name)) >= 0)
			rc = add(s, at, e->d_name, number);
	closedir(dp);
	return rc;
}

int
source_dir_open(struct source *s)
{
	int at = s->fd;

	if (!(s->dir = calloc(1, sizeof *s->dir)))
		return pp_fail(s->err, "out of memory");
	if ((s->fd = openat(at, "data", O_RDONLY | O_CLOEXEC | O_NONBLOCK)) < 0)
		pp_fail(s->err, errno == ENOENT ? "a directory without the file 'data': not of perf record --threads" :
		    "data: %s", strerror(errno));
	else if (add_all(s, at) > 0) {
		close(at);
		if (s->dir->n)
			qsort(s->dir->file, s->dir->n, sizeof *s->dir->file, by_number);
		snprintf(s->part, sizeof s->part, "data: ");
		s->flags &= ~(unsigned)(PP_OPEN_RAW | PP_OPEN_FOLLOW);
		return 1;
	}
	close(at);
	return -1;
}

int
source_dir_version(struct source *s, uint64_t version)
{
	if (version > 1)
		return source_fail(s, 0, "a directory of version %ju; 1 is the newest known", (uintmax_t)version);
	s->dir->wanted = version == 1;
	if (version == 1)
		s->total += s->dir->bytes;
	return 1;
}

/* Files are missing if the numbers leave any out: say so when all that is there was read. */
static int
all_there(struct source *s)
{
	const struct dir *d = s->dir;
	unsigned gap = 0;

	s->part[0] = 0;
	while (gap < d->n && d->file[gap].number == gap)
		gap++;
	if (!d->wanted || (d->n && gap == d->n))
		return 0;
	s->failed = true;
	pp_fail(s->err, "data.%u is missing", gap);
	return repair_forgive(s, 0) ? 0 : -1;
}

int
source_dir_next(struct source *s)
{
	struct dir *d = s->dir;
	struct stat st;

	if (!d->wanted || d->next == d->n)
		return d->next > d->n ? 0 : (d->next = d->n + 1, all_there(s));
	close(s->fd);
	s->fd = d->file[d->next].fd;
	d->file[d->next].fd = -1;
	snprintf(s->part, sizeof s->part, "data.%u: ", d->file[d->next].number);
	d->next++;
	if (fstat(s->fd, &st) < 0)
		return source_fail(s, 0, "%s", strerror(errno));
	posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	expand_reset(s);
	s->seg[0] = (struct segment){ NULL, 0, (uint64_t)st.st_size };
	s->nseg = 1;
	s->cur = 0;
	s->cur_done = s->base = 0;
	s->eof = false;
	/* The hook was called before the end was seen: nothing in the window is needed any more, if it is ours. */
	s->pub.pos = s->pub.lim = s->oend = s->buf + (s->give ? s->cap : 0);
	s->base -= s->give ? s->cap : 0;
	return 2;
}

void
source_dir_free(struct source *s)
{
	if (!s->dir)
		return;
	for (size_t i = 0; i < s->dir->n; i++)
		if (s->dir->file[i].fd >= 0)
			close(s->dir->file[i].fd);
	free(s->dir->file);
	free(s->dir);
	s->dir = NULL;
}

/* SPDX-License-Identifier: ISC */
/*
 * dir.c - the files of a directory of perf record --threads: `data', and data.0, data.1 ...
 *
 * The names count from 0 without a gap (perf_data__create_dir); other files in it are for other readers (kcore_dir, say).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "set.h"

enum { FILES_MAX = 65536 };		/* limit of threads: more than one per CPU is useless */

struct dir {
	struct dirfile { int fd, number; } *file;	/* ascending; `data' has number -1 */
	size_t		 n, next;
	uint64_t	 size;
	char		 name[32];
};

/* The number in "data.12"; -1: another name, also "data.012". */
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
	int x = ((const struct dirfile *)a)->number, y = ((const struct dirfile *)b)->number;

	return x < y ? -1 : x > y;
}

static int
add(struct dir *d, int fd, int number, struct bytes_err *err)
{
	void *p = array_more(d->file, d->n, 1, sizeof *d->file);

	if (!p) {
		close(fd);
		return pp_fail_memory(&err->why);
	}
	d->file = p;
	d->file[d->n++] = (struct dirfile){ fd, number };
	return 1;
}

/* O_NONBLOCK: do not wait if it is a FIFO. */
static int
open_file(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static int
add_numbered(struct dir *d, int at, const char *name, int number, struct bytes_err *err)
{
	struct stat st;
	int fd;

	if ((fd = open_file(at, name)) < 0 || fstat(fd, &st) < 0) {
		pp_fail_system(&err->why, name);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return pp_fail(&err->why, "%s: not a regular file", name);
	}
	d->size += (uint64_t)st.st_size;
	return add(d, fd, number, err);
}

static int
add_all(struct dir *d, int at, struct bytes_err *err)
{
	int fd = fcntl(at, F_DUPFD_CLOEXEC, 0), number, rc = 1;
	DIR *dp = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!dp) {
		pp_fail_system(&err->why, NULL);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while (rc > 0 && (e = readdir(dp)))
		if ((number = file_number(e->d_name)) >= 0)
			rc = add_numbered(d, at, e->d_name, number, err);
	closedir(dp);
	return rc;
}

static int
add_data(struct dir *d, int at, struct bytes_err *err)
{
	int fd = open_file(at, "data");

	if (fd < 0)
		return errno != ENOENT ? pp_fail_system(&err->why, "data") :
		    pp_fail(&err->why, "a directory without the file 'data': not of perf record --threads");
	return add(d, fd, -1, err);
}

struct dir *
dir_open(int fd, struct bytes_err *err)
{
	struct dir *d = calloc(1, sizeof *d);
	int rc = d ? 1 : pp_fail_memory(&err->why);

	if (rc < 0 || add_data(d, fd, err) < 0 || add_all(d, fd, err) < 0) {
		dir_free(d);
		d = NULL;
	} else
		qsort(d->file, d->n, sizeof *d->file, by_number);
	close(fd);
	return d;
}

int
dir_next(struct dir *d, struct bytes **b, struct stat *st, struct bytes_err *err)
{
	struct dirfile *f = &d->file[d->next];
	int fd;

	if (d->next == d->n)
		return 0;
	if ((fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0)) < 0)
		return pp_fail_system(bytes_at(err, 0), NULL);
	if (d->next++)
		snprintf(d->name, sizeof d->name, "data.%d", f->number);
	else
		snprintf(d->name, sizeof d->name, "data");
	if (fstat(fd, st) < 0) {
		pp_fail_system(bytes_at(err, 0), NULL);
		close(fd);
		return -1;
	}
	*b = fd_open(fd, st, err);
	return *b ? 1 : -1;
}

const char *
dir_name(const struct dir *d)
{
	return d->name;
}

uint64_t
dir_size(const struct dir *d)
{
	return d->size;
}

int64_t
dir_raw_size(const struct dir *d, size_t i)
{
	struct stat st;

	return i < d->n && !fstat(d->file[i].fd, &st) ? st.st_size : -1;
}

ssize_t
dir_raw_at(const struct dir *d, size_t i, uint64_t off, uint8_t *p, size_t n)
{
	ssize_t got;

	if (i >= d->n)
		return -1;
	while ((got = pread(d->file[i].fd, p, n, (off_t)off)) < 0 && errno == EINTR)
		;
	return got;
}

bool
dir_missing(const struct dir *d, int *number)
{
	size_t gap = 0;

	while (gap + 1 < d->n && d->file[gap + 1].number == (int)gap)
		gap++;
	*number = (int)gap;
	return d->n <= 1 || gap < d->n - 1;
}

void
dir_free(struct dir *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n; i++)
		if (d->file[i].fd >= 0)
			close(d->file[i].fd);
	free(d->file);
	free(d);
}

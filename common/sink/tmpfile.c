/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "set.h"
#include "tmpfile.h"

const char *
pp_tmpdir(const char *dir)
{
	if (!dir && (!(dir = getenv("TMPDIR")) || !*dir))
		dir = "/tmp";
	return dir;
}

/* Create a file and remove its name at once.  Signals are blocked in between. */
static int
create_unlinked(int dir)
{
	sigset_t all, before;
	char name[40];
	int fd;

	snprintf(name, sizeof name, ".perfpipe.%016jx", (uintmax_t)pp_seed());
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if ((fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) >= 0)
		unlinkat(dir, name, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return fd;
}

int
pp_tmpfile_at(int dir)
{
	int fd = openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : create_unlinked(dir);	/* some file systems have no O_TMPFILE */
}

int
pp_tmpfile(const char *path)
{
	int dir = open(pp_tmpdir(path), O_PATH | O_DIRECTORY | O_CLOEXEC), fd, e;

	if (dir < 0)
		return -1;
	fd = pp_tmpfile_at(dir);
	e = errno;
	close(dir);
	errno = e;
	return fd;
}

int
pp_tmpfile_write(int fd, const uint8_t *p, size_t n)
{
	while (n) {
		ssize_t put = write(fd, p, n);

		if (put < 0 && errno != EINTR)
			return -1;
		if (put > 0) {
			p += put;
			n -= (size_t)put;
		}
	}
	return 1;
}

int
pp_tmpfile_write_at(int fd, const void *p, size_t n, uint64_t off)
{
	for (size_t done = 0; done < n;) {
		ssize_t put = pwrite(fd, (const uint8_t *)p + done, n - done, (off_t)(off + done));

		if (put < 0 && errno != EINTR)
			return -1;
		if (put > 0)
			done += (size_t)put;
	}
	return 1;
}

int
pp_tmpfile_read_at(int fd, void *to, size_t n, uint64_t off)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = pread(fd, (uint8_t *)to + done, n - done, (off_t)(off + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return (int)got;
		done += (size_t)got;
	}
	return 1;
}

int
pp_tmpfile_fail(struct pp_err *err, const char *doing, const char *why)
{
	if (!err->what[0]) {
		pp_fail(err, "temporary file: %s%s%s", doing ? doing : "", doing ? ": " : "", why);
		err->code = PP_ERR_TEMPORARY;
	}
	return -1;
}

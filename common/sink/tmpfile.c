/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tmpfile.h"

const char *
pp_tmpdir(const char *dir)
{
	if (!dir && (!(dir = getenv("TMPDIR")) || !*dir))
		dir = "/tmp";
	return dir;
}

/* By O_TMPFILE where the file system can. */
int
pp_tmpfile(const char *dir)
{
	int fd = open(pp_tmpdir(dir), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char *name;

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	if (asprintf(&name, "%s/perfpipe.XXXXXX", pp_tmpdir(dir)) < 0) {
		errno = ENOMEM;
		return -1;
	}
	if ((fd = mkostemp(name, O_CLOEXEC)) >= 0)
		unlink(name);
	free(name);
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

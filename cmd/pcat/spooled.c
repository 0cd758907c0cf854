/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sink/tmpfile.h"
#include "spooled.h"

int
spooled_open(struct spooled *f, const char *path, struct pp_source *like, struct pp_err *err)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) + 1 : 2;
	char dir[PATH_MAX], name[PATH_MAX + 16];

	if (n >= sizeof dir)
		return pp_fail(err, "%s", strerror(ENAMETOOLONG));
	memcpy(dir, slash ? path : "./", n);
	dir[n] = 0;
	f->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (f->fd < 0) {		/* not every file system has O_TMPFILE */
		snprintf(name, sizeof name, "%s.spool.XXXXXX", dir);
		if ((f->fd = mkostemp(name, O_CLOEXEC)) < 0)
			return pp_tmpfile_fail(err, NULL, strerror(errno));
		unlink(name);
	}
	f->sink = pp_create_fd(fcntl(f->fd, F_DUPFD_CLOEXEC, 0), "temporary file", &f->err);
	return f->sink && pp_start(f->sink, like) > 0 ? 1 : pp_tmpfile_fail(err, NULL, f->err.what);
}

int
spooled_put(struct spooled *f, struct pp_source *in, const struct pp_rec *r, struct pp_err *err)
{
	int rc = pp_put_copy(f->sink, r->raw, r->size);
	const uint8_t *p;
	size_t n;

	while (rc > 0 && r->payload && (rc = pp_payload(in, &p, &n)) > 0)
		if ((rc = pp_put_stable(f->sink, p, n)) > 0)
			rc = pp_flush(f->sink);
	f->records++;
	if (f->err.what[0])
		return pp_tmpfile_fail(err, NULL, f->err.what);
	return rc < 0 ? -1 : 1;
}

static int
flush(void *arg)
{
	struct out *to = arg;

	return to->flush(to, false);
}

int
spooled_replay(struct spooled *f, uint64_t from, struct out *to, struct pp_err *err)
{
	struct pp_err mine = { .what = "" };
	struct pp_source *src;
	struct pp_rec r;
	char path[32];
	int rc;

	if (pp_flush(f->sink) < 0)
		return pp_tmpfile_fail(err, NULL, f->err.what);
	snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
	if (!(src = pp_open(path, PP_OPEN_RAW, &mine)))
		return pp_tmpfile_fail(err, NULL, mine.what);
	pp_before_refill(src, flush, to);
	for (uint64_t i = 0; (rc = pp_next(src, &r)) > 0; i++)
		if (i >= from && (rc = to->put(to, src, &r, true)) < 0)
			break;
	if (rc >= 0)
		rc = to->flush(to, false);
	pp_close(src);
	return rc < 0 && mine.what[0] ? pp_tmpfile_fail(err, NULL, mine.what) : rc;
}

void
spooled_close(struct spooled *f)
{
	if (f->sink)
		pp_finish(f->sink);
	if (f->fd >= 0)
		close(f->fd);
	f->sink = NULL;
	f->fd = -1;
}

/* SPDX-License-Identifier: ISC */
#include <sys/mman.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tee.h"
#include "sink/tmpfile.h"

struct tee {
	int	 fd;
};

struct tee *
tee_new(void)
{
	struct tee *t = calloc(1, sizeof *t);

	if (t && (t->fd = pp_tmpfile(NULL)) < 0) {
		free(t);
		return NULL;
	}
	return t;
}

/* Write the record with its payload to the file, from its start: the number of bytes; -1. */
static int64_t
fill(struct tee *t, struct pp_source *in, const struct pp_rec *r, struct pp_err *err)
{
	const uint8_t *p;
	size_t n;
	int rc;

	if (ftruncate(t->fd, 0) < 0 || lseek(t->fd, 0, SEEK_SET) < 0 || pp_tmpfile_write(t->fd, r->raw, r->size) < 0)
		return pp_tmpfile_fail(err, NULL, strerror(errno));
	while ((rc = pp_payload(in, &p, &n)) > 0)
		if (pp_tmpfile_write(t->fd, p, n) < 0)
			return pp_tmpfile_fail(err, NULL, strerror(errno));
	return rc < 0 ? -1 : (int64_t)(r->size + r->payload);
}

int
tee_put(struct tee *t, struct pp_source *in, const struct pp_rec *r, int times,
    int (*put)(void *, int, struct pp_source *, const struct pp_rec *), void *arg, struct pp_err *err)
{
	struct pp_rec of = *r;		/* r points into the buffer of the source, which the payload overwrites */
	int64_t n = fill(t, in, &of, err);
	struct pp_err again_err;
	uint8_t *p;
	int rc = 1;

	if (n < 0)
		return -1;
	if ((p = mmap(NULL, (size_t)n, PROT_READ, MAP_SHARED, t->fd, 0)) == MAP_FAILED)
		return pp_tmpfile_fail(err, NULL, strerror(errno));
	for (int i = 0; rc > 0 && i < times; i++) {
		struct pp_source *again = pp_open_memory(p, (size_t)n, in->swap, "a copy", &again_err);
		struct pp_rec copy;

		rc = again && pp_next(again, &copy) > 0 ? put(arg, i, again, &copy) : pp_fail_memory(err);
		pp_close(again);
	}
	munmap(p, (size_t)n);
	return rc;
}

void
tee_free(struct tee *t)
{
	if (t)
		close(t->fd);
	free(t);
}

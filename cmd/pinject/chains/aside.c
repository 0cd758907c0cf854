/* SPDX-License-Identifier: ISC */
/* aside.c - see aside.h */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aside.h"
#include "set.h"
#include "sink/tmpfile.h"
#include "tool/tool.h"

enum { SLOT = 64 << 10 };

static uint64_t
slot_at(uint32_t slot)
{
	return (uint64_t)(slot - 1) * SLOT;
}

int
aside_open(void)
{
	return pp_tmpfile(NULL);
}

uint32_t
aside_put(struct aside *a, const void *p, size_t n)
{
	uint32_t slot;

	if (a->fd < 0 || (!a->nunused && a->n == UINT32_MAX)) {
		errno = a->fd < 0 ? EBADF : EFBIG;
		return 0;
	}
	slot = a->nunused ? a->unused[--a->nunused] : ++a->n;
	if (pp_tmpfile_write_at(a->fd, p, n, slot_at(slot)) < 0) {
		int e = errno;

		aside_drop(a, slot);
		errno = e;
		return 0;
	}
	return slot;
}

int
aside_get(const struct aside *a, uint32_t slot, void *to, size_t n, struct pp_err *err)
{
	int rc = pp_tmpfile_read_at(a->fd, to, n, slot_at(slot));

	return rc > 0 ? 1 : pp_tmpfile_fail(err, "read", rc ? strerror(errno) : "it ends");
}

void
aside_drop(struct aside *a, uint32_t slot)
{
	a->unused = tool_need(buffer_more(a->unused, &a->bytes, a->nunused * sizeof slot, sizeof slot));
	a->unused[a->nunused++] = slot;
}

void
aside_end(struct aside *a)
{
	free(a->unused);
	if (a->fd >= 0)
		close(a->fd);
}

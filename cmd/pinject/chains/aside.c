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

static off_t
slot_at(uint32_t slot)
{
	return (off_t)(slot - 1) * SLOT;
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
	for (size_t done = 0; done < n;) {
		ssize_t put = pwrite(a->fd, (const uint8_t *)p + done, n - done, slot_at(slot) + (off_t)done);

		if (put < 0 && errno != EINTR) {
			int e = errno;

			aside_drop(a, slot);
			errno = e;
			return 0;
		}
		done += put > 0 ? (size_t)put : 0;
	}
	return slot;
}

int
aside_get(const struct aside *a, uint32_t slot, void *to, size_t n, struct pp_err *err)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = pread(a->fd, (uint8_t *)to + done, n - done, slot_at(slot) + (off_t)done);

		if (!got || (got < 0 && errno != EINTR))
			return pp_tmpfile_fail(err, "read", got ? strerror(errno) : "it ends");
		done += got > 0 ? (size_t)got : 0;
	}
	return 1;
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

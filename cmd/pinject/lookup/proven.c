/* SPDX-License-Identifier: ISC */
/* proven.c - see place.h: a file that is proven to be the one that was mapped, whether it has a build-id or not */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "place.h"

/* A BUILD_ID without a size has zeros behind a shorter id. */
static bool
proven_has_id(const struct place *p, int fd)
{
	static const uint8_t zeros[BUILD_ID_MAX];
	struct build_id id;
	const char *why;

	return buildid_fd(&id, fd, &why) && id.len && id.len <= p->dso.id_len && !memcmp(id.b, p->dso.id, id.len) &&
	    !memcmp(zeros, p->dso.id + id.len, p->dso.id_len - id.len);
}

static int
proven_by_id(struct place *p, int fd)
{
	if (fd < 0 || proven_has_id(p, fd))
		return fd;
	close(fd);
	return place_none(p, WHY_ID);
}

/* As perf's cache and --buildid-dir have it; in both, the directory of the file is a link. */
static int
proven_open_in(struct place *p, const char *dir)
{
	char hex[2 * BUILD_ID_MAX + 1], name[sizeof hex + 32];
	struct stat st;

	if (!dir || p->dso.id_len < 2)
		return -1;
	tool_hex(hex, p->dso.id, p->dso.id_len);
	snprintf(name, sizeof name, ".build-id/%.2s/%s/elf", hex, hex + 2);
	return proven_by_id(p, place_open_in(p, dir, name, &st));
}

/* With several names, it was taken for unchanged by its mtime (same.c), which who changes it may set: an id says more. */
static bool
proven_but_doubtful(const struct place *p, int fd)
{
	struct stat st;

	return p->latest && p->dso.id_len && fstat(fd, &st) == 0 && st.st_nlink > 1 &&
	    lookup_ns(&st.st_ctim) > p->latest && !proven_has_id(p, fd);
}

int
place_open_proven(struct place *p)
{
	int fd = place_open(p);

	if (fd >= 0 && ((p->proven && !proven_but_doubtful(p, fd)) || (p->chosen && (!p->dso.id_len || proven_has_id(p, fd)))))
		return fd;
	if (fd >= 0)
		close(fd);
	if (!p->dso.id_len)
		return fd < 0 ? -1 : place_none(p, WHY_UNKNOWN);
	/* the id proves what is in it, whichever file it is, and whenever it was changed */
	p->dso.ino = 0;
	p->latest = 0;
	if ((fd = proven_by_id(p, place_open(p))) < 0 && (fd = proven_open_in(p, p->opt->unwind_files)) < 0)
		fd = proven_open_in(p, p->opt->jitted);
	p->changed = 0;
	return fd;
}

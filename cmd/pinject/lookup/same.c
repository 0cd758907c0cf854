/* SPDX-License-Identifier: ISC */
/*
 * same.c - see place.h: is a file the one that was mapped, with the contents that it had then?
 *
 * A record has the device and inode that the kernel shows in /proc/PID/maps.  On btrfs and overlayfs these are others than
 * those of stat(2).  So we map the file and look at our own /proc/self/maps.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <linux/fs.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "place.h"

struct number {
	uint32_t	 maj, min;
	uint64_t	 ino;
};

/* The line of that address in our maps: "start-end perms offset maj:min ino name".  Longer ones than the buffer have no name. */
static bool
same_read_line(uintptr_t addr, struct number *to)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	uintmax_t start;
	bool found = false;

	while (f && !found && fgets(line, sizeof line, f))
		found = sscanf(line, "%jx-%*x %*s %*x %" SCNx32 ":%" SCNx32 " %" SCNu64, &start, &to->maj, &to->min, &to->ino) == 4 &&
		    start == addr;
	if (f)
		fclose(f);
	return found;
}

/* As the kernel shows a map of it. */
static void
same_number(int fd, const struct stat *st, struct number *to)
{
	long size = sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);	/* never read: the file may shrink */

	if (p == MAP_FAILED || !same_read_line((uintptr_t)p, to))
		*to = (struct number){ major(st->st_dev), minor(st->st_dev), st->st_ino };
	if (p != MAP_FAILED)
		munmap(p, (size_t)size);
}

/* 0: the filesystem does not say.  An inode's number is used again for another file, with another generation. */
static uint32_t
same_generation(int fd)
{
	uint32_t n = 0;

	return ioctl(fd, FS_IOC_GETVERSION, &n) == 0 ? n : 0;
}

/*
 * The ctime is also changed when a file loses its name or gets another: perf record links files into its build-id cache.  Then
 * the mtime says when it was written.
 */
static bool
same_changed(struct place *p, const struct stat *st)
{
	const struct timespec *t = st->st_nlink == 1 ? &st->st_ctim : &st->st_mtim;

	p->changed = lookup_ns(t);
	return p->latest && p->changed > p->latest;
}

static enum same
same_identity(struct place *p, int fd, const struct stat *st)
{
	const struct pp_dso *dso = &p->dso;
	struct number n = { major(st->st_dev), minor(st->st_dev), st->st_ino };
	uint32_t generation;

	if (!dso->ino)
		return SAME_UNKNOWN;
	if (n.ino != dso->ino || n.maj != dso->maj || n.min != dso->min)
		same_number(fd, st, &n);
	generation = dso->ino_generation ? same_generation(fd) : 0;
	if (n.ino == dso->ino && (!generation || generation == dso->ino_generation)) {
		/* a device may have another number since the machine was started again */
		if ((n.maj == dso->maj && n.min == dso->min) || generation)
			return SAME_YES;
		place_none(p, WHY_DEVICE);
	} else {
		place_none(p, n.maj == dso->maj && n.min == dso->min ? WHY_INODE : WHY_DEVICE);
	}
	return SAME_NO;
}

enum same
same_file(struct place *p, int fd, const struct stat *st)
{
	enum same same = same_identity(p, fd, st);

	if (same == SAME_NO || !same_changed(p, st))
		return same;
	place_none(p, WHY_CHANGED);
	return SAME_NO;
}

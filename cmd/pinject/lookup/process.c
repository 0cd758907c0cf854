/* SPDX-License-Identifier: ISC */
/*
 * process.c - see place.h: a process that runs has the very files that it mapped, also if they are deleted or have no name.
 *
 * Its number may belong to another process by now, and the map may be gone: the file must be the recorded one in any case.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "place.h"

enum { MAPS_MAX = 4 << 20 };		/* bytes of /proc/PID/maps that are read */

/* Does the symbolic link have the recorded name?  Without an inode that is all that is known. */
static bool
process_named(const struct place *p, int proc, const char *link)
{
	char text[4096];
	ssize_t n = readlinkat(proc, link, text, sizeof text);

	return n == (ssize_t)p->dso.len && !memcmp(text, p->dso.name, p->dso.len);
}

/* The file behind a link of /proc/PID. */
static int
process_follow(struct place *p, int proc, const char *link)
{
	enum place_why before = p->why;
	enum same same;
	struct stat st;
	int fd;

	if (!p->dso.ino && !process_named(p, proc, link))
		return -1;
	fd = place_reopen(p, openat(proc, link, O_PATH | O_CLOEXEC), &st);
	if (fd >= 0 && (same = same_file(p, fd, &st)) != SAME_NO) {
		p->proven = same == SAME_YES;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	if (p->why != WHY_CHANGED)	/* what another map is, does not matter */
		p->why = before;
	return -1;
}

/* Another map of that file: the recorded one may have been split or joined since.  Its link is written to `link'. */
static bool
process_find(const struct place *p, int proc, char *link, size_t size)
{
	int fd = openat(proc, "maps", O_RDONLY | O_CLOEXEC);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	uintmax_t start, end, ino;
	unsigned maj, min;
	size_t left = MAPS_MAX;
	bool found = false;
	char line[512];

	while (f && !found && fgets(line, sizeof line, f) && left > sizeof line) {
		left -= strlen(line);
		found = sscanf(line, "%jx-%jx %*s %*x %x:%x %ju", &start, &end, &maj, &min, &ino) == 5 && ino == p->dso.ino &&
		    maj == p->dso.maj && min == p->dso.min;
	}
	if (f)
		fclose(f);
	if (found)
		snprintf(link, size, "map_files/%jx-%jx", start, end);
	return found;
}

/* There is no such process, or it cannot be looked at. */
static int
process_none(struct place *p)
{
	p->gone |= errno == ENOENT;
	return -1;
}

int
process_open(struct place *p)
{
	char path[64];
	int proc, fd = -1;

	snprintf(path, sizeof path, "/proc/%u", p->pid);
	if (p->gone || (proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
		return process_none(p);
	snprintf(path, sizeof path, "map_files/%" PRIx64 "-%" PRIx64, p->start, p->end);
	if (p->end)
		fd = process_follow(p, proc, path);
	if (fd < 0)		/* may be followed without privileges, unlike those of map_files */
		fd = process_follow(p, proc, "exe");
	if (fd < 0 && p->dso.ino && process_find(p, proc, path, sizeof path))
		fd = process_follow(p, proc, path);
	close(proc);
	return fd;
}

uint32_t
process_own_pid(struct place *p)
{
	char text[4096], *line, *last;
	int fd;
	ssize_t n;

	snprintf(text, sizeof text, "/proc/%u/status", p->pid);
	if ((fd = open(text, O_RDONLY | O_CLOEXEC)) < 0) {
		process_none(p);
		return 0;
	}
	n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (!(line = strstr(text, "\nNSpid:")))
		return p->pid;
	line[1 + strcspn(line + 1, "\n")] = '\0';
	last = strrchr(line, '\t');
	return last ? (uint32_t)strtoul(last, NULL, 10) : p->pid;
}

int
process_list(uint32_t *pid, int max)
{
	const struct dirent *e;
	DIR *d = opendir("/proc");
	int n = 0;

	if (!d)
		return -1;
	while (n >= 0 && (e = readdir(d)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9') {
			if (n == max)
				n = -1;
			else
				pid[n++] = (uint32_t)strtoul(e->d_name, NULL, 10);
		}
	closedir(d);
	return n ? n : -1;
}

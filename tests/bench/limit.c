/* SPDX-License-Identifier: ISC */
/*
 * limit - the least that a program can do with a stream; what the tools are measured against.
 *
 *	limit feed FILE		write a file to standard output: what stands in front of every pipe
 *	limit copy		read standard input, write standard output
 *	limit read		read standard input
 *	limit walk FILE		read a file, and step from record header to record header
 *	limit run FILE CMD...	run a command; its peak resident size in KiB goes to FILE
 *
 * All read 256 KiB at once, and make pipes 1 MiB large.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 256 << 10 };
static uint8_t buf[SIZE + 65536];

static void
put(const uint8_t *p, size_t n)
{
	for (ssize_t done; n; p += done, n -= (size_t)done)
		if ((done = write(STDOUT_FILENO, p, n)) < 0)
			err(1, "write");
}

static size_t
get(int fd, uint8_t *p, size_t n)
{
	ssize_t got = read(fd, p, n);

	if (got < 0)
		err(1, "read");
	return (size_t)got;
}

static void
copy(int fd)
{
	for (size_t n; (n = get(fd, buf, SIZE)); )
		put(buf, n);
}

/* Counts records and samples, so that the compiler has to look at each header. */
static void
walk(int fd)
{
	uint64_t records = 0, samples = 0;
	size_t have = 0, n, at;

	get(fd, buf, 16);
	while ((n = get(fd, buf + have, SIZE))) {
		uint16_t size;

		have += n;
		for (at = 0; have - at >= 8; at += size) {
			uint32_t type;

			memcpy(&type, buf + at, sizeof type);
			memcpy(&size, buf + at + 6, sizeof size);
			if (size < 8)
				errx(1, "record of %u bytes", size);
			if (size > have - at)
				break;
			records++;
			samples += type == 9;
		}
		memmove(buf, buf + at, have -= at);
	}
	printf("%ju records, %ju samples\n", (uintmax_t)records, (uintmax_t)samples);
}

static int
run(const char *to, char **argv)
{
	struct rusage used;
	int status;
	FILE *f;
	pid_t pid = fork();

	if (!pid) {
		execvp(argv[0], argv);
		err(127, "%s", argv[0]);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) < 0)
		err(1, "%s", argv[0]);
	if (!(f = fopen(to, "w")) || fprintf(f, "%ld\n", used.ru_maxrss) < 0 || fclose(f))
		err(1, "%s", to);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int fd = argc == 3 ? open(argv[2], O_RDONLY) : STDIN_FILENO;

	if (argc > 3 && !strcmp(what, "run"))
		return run(argv[2], argv + 3);
	if (fd < 0)
		err(1, "%s", argv[2]);
	fcntl(fd, F_SETPIPE_SZ, 1 << 20);
	fcntl(STDOUT_FILENO, F_SETPIPE_SZ, 1 << 20);
	if (!strcmp(what, "copy") || !strcmp(what, "feed"))
		copy(fd);
	else if (!strcmp(what, "read"))
		while (get(fd, buf, SIZE))
			;
	else if (!strcmp(what, "walk"))
		walk(fd);
	else
		errx(2, "usage: limit feed FILE | copy | read | walk FILE | run FILE CMD...");
	return 0;
}

/* SPDX-License-Identifier: ISC */
/*
 * cuts - run a command on prefixes of a stream, or with each byte of it changed, and check what it does.
 *
 *	cuts [-fnx] stream list command [arg ...]	-m kilobytes command [arg ...]
 *	list	output of mkpipe -l for the stream: offsets of records
 *	-f	standard input is a file (else a pipe)
 *	-n	standard output is not a stream: do not look at it
 *	-x	change bytes in one of two ways by turns instead of cutting; with $ALL in both
 *	-m	run the command once as it is; fail if its memory ever was more than that (or it fails)
 *
 * With $ALL every prefix and byte; without it those that end in or beside a header, and between each eleventh prefix and fifth byte, so
 * that all places of numbers of 4 and 8 bytes come up.
 *
 * A cut on a record's boundary must end with status 0, silence and the whole input.  Any other with status 1, one line
 * "command: <stdin>: byte N: NAME: ..." with N and NAME of the record that is cut, and on standard output what was before
 * it (if the cut is in payload outside the record, its beginning may follow, filled up with zeros or not).
 * A changed byte must not crash or hang the command, and status 1 must have a reason on standard error.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mark { size_t off, size; char name[40]; };
static struct mark marks[4096];		/* the last one is the end */
static size_t nmarks;
static unsigned char stream[60000];	/* fits into a pipe */
static size_t nstream;
static char **command;
static const char *tool;
static bool from_file, any_output;
static unsigned failures;

struct run { int status; char *out, *err; size_t nout, nerr; };

static void
slurp(int fd, char **p, size_t *n)
{
	off_t size = lseek(fd, 0, SEEK_END);

	if (size < 0 || !(*p = calloc(1, (size_t)size + 1)) || pread(fd, *p, (size_t)size, 0) != size)
		err(2, "output");
	*n = (size_t)size;
	close(fd);
}

static struct run
run(const unsigned char *in, size_t n)
{
	int ends[2], out = memfd_create("out", 0), e = memfd_create("err", 0);
	struct run r;
	pid_t pid;

	if (out < 0 || e < 0)
		err(2, "memfd_create");
	if (from_file)
		ends[0] = ends[1] = memfd_create("in", 0);
	else if (pipe(ends))
		err(2, "pipe");
	if (write(ends[1], in, n) != (ssize_t)n)
		err(2, "write");
	if (from_file)
		lseek(ends[0], 0, SEEK_SET);
	else
		close(ends[1]);
	if ((pid = fork()) < 0)
		err(2, "fork");
	if (!pid) {
		alarm(20);
		if (dup2(ends[0], 0) < 0 || dup2(out, 1) < 0 || dup2(e, 2) < 0)
			_exit(126);
		execvp(*command, command);
		_exit(127);
	}
	close(ends[0]);
	if (waitpid(pid, &r.status, 0) != pid)
		err(2, "waitpid");
	slurp(out, &r.out, &r.nout);
	slurp(e, &r.err, &r.nerr);
	return r;
}

static void
complain(const char *what, size_t at, const struct run *r, const char *wanted)
{
	failures++;
	printf("%s %zu: %s; status %#x, %zu bytes out, stderr: %s\n", what, at, wanted, (unsigned)r->status, r->nout,
	    r->nerr ? r->err : "nothing\n");
}

static bool
one_line(const struct run *r)
{
	return r->nerr && strchr(r->err, '\n') == r->err + r->nerr - 1;
}

/* What is there of the output behind n bytes: no more than the record has, and zeros. */
static bool
filled(const struct run *r, size_t n, const struct mark *m)
{
	for (size_t i = n; i < r->nout; i++)
		if (r->out[i] || i >= m->off + m->size)
			return false;
	return true;
}

static void
check_cut(size_t n)
{
	struct run r = run(stream, n);
	const struct mark *m = marks;
	char want[160];
	bool whole, in_payload;

	while (m + 1 < marks + nmarks && m[1].off <= n)
		m++;
	whole = n == m->off && n;
	in_payload = strstr(m->name, "TRACING_DATA") || !strcmp(m->name, "AUXTRACE");
	if (!n || m->off == 0)
		snprintf(want, sizeof want, "%s: <stdin>: ", tool);
	else if (n - m->off < 8)
		snprintf(want, sizeof want, "%s: <stdin>: byte %zu: ", tool, m->off);
	else
		snprintf(want, sizeof want, "%s: <stdin>: byte %zu: %s: ", tool, m->off, m->name);
	if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) != !whole)
		complain("cut at", n, &r, whole ? "wanted status 0" : "wanted status 1");
	else if (whole ? r.nerr != 0 : !one_line(&r) || strncmp(r.err, want, strlen(want)))
		complain("cut at", n, &r, whole ? "wanted silence" : want);
	else if (!any_output && (r.nout < m->off || (r.nout != m->off && !in_payload) ||
	    memcmp(r.out, stream, r.nout < n ? r.nout : n) || !filled(&r, n, m)))
		complain("cut at", n, &r, "wanted the complete records before");
	free(r.out);
	free(r.err);
}

static void
check_change(size_t at, unsigned char with)
{
	struct run r;

	stream[at] ^= with;
	r = run(stream, nstream);
	stream[at] ^= with;
	if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) > 1)
		complain("changed byte", at, &r, "wanted status 0 or 1");
	else if (WEXITSTATUS(r.status) && !r.nerr)
		complain("changed byte", at, &r, "wanted a reason");
	else if (r.nerr != strcspn(r.err, "\033\r\a"))
		complain("changed byte", at, &r, "wanted no control characters");
	free(r.out);
	free(r.err);
}

static void
load(const char *path, const char *list)
{
	FILE *f = fopen(path, "r"), *l = fopen(list, "r");
	struct mark *m = marks;

	if (!f || !l)
		err(2, "%s", f ? list : path);
	nstream = fread(stream, 1, sizeof stream, f);
	if (nstream == sizeof stream)
		errx(2, "%s: too long", path);
	while (m < marks + 4096 && fscanf(l, "%zu\t%zu\t%39[^\t\n]%*[^\n]", &m->off, &m->size, m->name) == 3)
		m++;
	nmarks = (size_t)(m - marks);
	if (!nmarks || marks[nmarks - 1].off != nstream)
		errx(2, "%s: does not end where %s does", list, path);
	fclose(f);
	fclose(l);
}

static int
memory(long limit)
{
	struct rusage u;
	int status;
	pid_t pid = fork();

	if (!pid) {
		execvp(*command, command);
		err(127, "%s", *command);
	}
	if (pid < 0 || wait4(pid, &status, 0, &u) != pid)
		err(2, "wait4");
	if (status || u.ru_maxrss > limit)
		printf("%s: status %#x, %ld KiB\n", *command, (unsigned)status, u.ru_maxrss);
	return status || u.ru_maxrss > limit;
}

/* Without $ALL: the places in and beside the headers of records, and each step-th between.  Calls with growing places. */
static bool
chosen(size_t at, size_t step)
{
	static size_t next;

	while (next < nmarks && marks[next].off <= at)
		next++;
	return getenv("ALL") || !next || at - marks[next - 1].off <= 8 || next == nmarks || marks[next].off == at + 1 || at % step == 0;
}

int
main(int argc, char **argv)
{
	bool change = false;
	long limit = 0;
	int c;

	while ((c = getopt(argc, argv, "+fm:nx")) != -1)
		switch (c) {
		case 'f': from_file = true; break;
		case 'm': limit = strtol(optarg, NULL, 10); break;
		case 'n': any_output = true; break;
		case 'x': change = true; break;
		default: return 2;
		}
	command = argv + optind + (limit ? 0 : 2);
	if (argc - optind < (limit ? 1 : 3))
		errx(2, "usage: cuts [-fnx] stream list command [arg ...]");
	tool = strrchr(*command, '/') ? strrchr(*command, '/') + 1 : *command;
	if (limit)
		return memory(limit);
	load(argv[optind], argv[optind + 1]);
	for (size_t i = 0; i <= nstream && failures < 3; i++)
		if (!change && chosen(i, 11))
			check_cut(i);
		else if (change && i < nstream && chosen(i, 5)) {
			if (i % 2 || getenv("ALL"))
				check_change(i, 0xff);
			if (i % 2 == 0 || getenv("ALL"))
				check_change(i, 0x01);
		}
	return failures != 0;
}

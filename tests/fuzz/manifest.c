/* SPDX-License-Identifier: ISC */
/*
 * manifest.c - libFuzzer target: any bytes as a manifest (common/join/manifest.c) beside four recordings
 *
 * The sum of the input's bytes decides whether one part is asked for, operands are named, or parts may be missing.  The directory has
 * the recordings `a' and `b', `sub/c', and a link `d' to a.  What must hold: no sanitizer error; the manifest is taken, or there is a
 * message and exit(1) or exit(2); what is taken lists each name once and has a file of that size, inside the directory, for all parts
 * but as many as may be missing; and blocks of pids that lie apart within 31 bits.
 */
#include <sys/stat.h>

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "join/manifest.h"
#include "sink/tmpfile.h"
#include "fuzz.h"

#define EXITS(status) ((status) == 1 || (status) == 2)
#include "exits.h"

static char dir[PATH_MAX], name[PATH_MAX + 10];

/* ---- memory ---------------------------------------------------------------------------------------------- */

int	__wrap_asprintf(char **, const char *, ...) __attribute__((format(printf, 2, 3)));

int
__wrap_asprintf(char **p, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(p, fmt, ap);
	va_end(ap);
	if (n >= 0)
		note(*p);
	return n;
}

/* ---- the directory ---------------------------------------------------------------------------------------- */

static void
put(const char *base, const uint8_t *p, size_t n)
{
	char path[PATH_MAX + 10];
	int fd;

	snprintf(path, sizeof path, "%s/%s", dir, base);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	MUST(fd >= 0 && write(fd, p, n) == (ssize_t)n);
	close(fd);
}

/* An attr and samples of pids from `pid' on. */
static void
put_recording(const char *base, uint32_t pid, unsigned samples)
{
	enum { ATTR = 64 + 8, SAMPLE = 32 };
	uint8_t p[16 + ATTR + 10 * SAMPLE] = "PERFILE2", *q = p + 16;

	pp_set_u64(p + 8, 16, false);
	pp_set_u32(q, PP_HEADER_ATTR, false);
	pp_set_u16(q + 6, ATTR, false);
	pp_set_u32(q + 8 + 4, 64, false);
	pp_set_u64(q + 8 + 24, PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME, false);
	for (q += ATTR; samples--; q += SAMPLE) {
		pp_set_u32(q, PP_SAMPLE, false);
		pp_set_u16(q + 6, SAMPLE, false);
		pp_set_u32(q + 16, pid, false);
		pp_set_u32(q + 20, pid++, false);
		pp_set_u64(q + 24, 1000 + samples, false);
	}
	put(base, p, (size_t)(q - p));
}

static void
remove_all(void)
{
	static const char *const names[] = { "m", "a", "b", "sub/c", "d" };
	char path[PATH_MAX + 10];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/sub", dir);
	rmdir(path);
	rmdir(dir);
}

int	LLVMFuzzerInitialize(int *, char ***);
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char path[PATH_MAX + 10];

	(void)argc, (void)argv;
	MUST((stderr = fopen("/dev/null", "w")));	/* that of libFuzzer stays */
	snprintf(dir, sizeof dir, "%s/manifest.XXXXXX", pp_tmpdir(NULL));
	MUST(mkdtemp(dir));
	atexit(remove_all);
	snprintf(path, sizeof path, "%s/sub", dir);
	MUST(!mkdir(path, 0700));
	put_recording("a", 1, 4);
	put_recording("b", 3, 5);
	put_recording("sub/c", 100, 1);
	snprintf(path, sizeof path, "%s/d", dir);
	MUST(!symlink("a", path));
	snprintf(name, sizeof name, "%s/m", dir);
	return 0;
}

/* ---- a manifest ------------------------------------------------------------------------------------------- */

/* The lines of a manifest that was taken; it may have more of them than the tool has inputs. */
static void
check_inputs(const struct tool *t, const struct join_options *o, size_t lines)
{
	size_t n = strlen(dir);

	MUST(t->nnames > 0 && (size_t)t->nnames <= lines && o->merge_attrs);
	for (int i = 0; i < t->nnames; i++) {
		struct stat st;

		MUST(!strncmp(t->names[i], dir, n) && t->names[i][n] == '/' && manifest_is_name(t->names[i] + n + 1));
		MUST(!strstr(t->names[i] + n, "/../") && !stat(t->names[i], &st) && S_ISREG(st.st_mode));
		for (int k = 0; k < i; k++)
			MUST(strcmp(t->names[i], t->names[k]));
	}
}

/* The pids that are made of those of the recordings: no two parts have one in common. */
static void
check_blocks(const struct tool *t, const struct join_options *o)
{
	static const uint32_t pids[] = { 1, 2, 3, 4, 5, 6, 7, 100 };
	enum { N = sizeof pids / sizeof *pids };
	uint32_t new[8 * N];
	int n = 0;

	if (!o->blocks || t->nnames > 8)
		return;
	for (int i = 0; i < t->nnames; i++) {
		int from = n;

		for (int k = 0; k < N; k++) {
			uint32_t to = pid_block_map(o->blocks[i], pids[k]);

			if (pid_block_missed(o->blocks[i]))
				break;			/* from then on all is missed */
			MUST(to && to <= INT32_MAX);
			for (int j = 0; j < from; j++)
				MUST(new[j] != to);
			new[n++] = to;
		}
	}
}

static void
look(struct tool *t, unsigned sum, size_t lines)
{
	struct join_options o = { .pids = JOIN_PIDS_AUTO };
	char operand[PATH_MAX + 10];
	struct manifest *m;

	t->allow_missing = sum >> 2 & 3;
	if ((sum & 3) == 1) {
		t->nnames = 1;
		snprintf(operand, sizeof operand, "%s/a", dir);
		t->names = tool_alloc(1, sizeof *t->names);
		t->names[0] = operand;
	}
	m = manifest_open(t, &o, (sum & 3) == 2 ? "a" : NULL);
	check_inputs(t, &o, lines);
	if (manifest_verify(m) > 0)
		check_blocks(t, &o);
	manifest_close(m);
}

/* A function of its own, as setjmp() may clobber variables. */
static void
look_inside(struct tool *t, unsigned sum, size_t lines)
{
	inside = true;
	if (!setjmp(out))
		look(t, sum, lines);
	inside = false;
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct tool t = { .name = "manifest", .quiet = true, .manifest = name };
	size_t lines = 0;
	unsigned sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += p[i];
		lines += p[i] == '\n';
	}
	put("m", p, n);
	look_inside(&t, sum, lines);
	while (blocks)
		free(blocks->p);
	return 0;
}

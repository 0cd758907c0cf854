/* SPDX-License-Identifier: ISC */
/* tool_lock.c - confinement of a tool, before it reads its input */
#include <sys/stat.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

static _Noreturn void
lock_failed(const struct tool *t, const char *doing)
{
	fprintf(stderr, "%s: confinement: %s: %s; --no-sandbox does without\n", t->name, doing, strerror(errno));
	exit(1);
}

static unsigned
rights_of(const char *letters)
{
	return (strchr(letters, 'r') ? CONFINE_READ : 0) | (strchr(letters, 'w') ? CONFINE_WRITE : 0) |
	    (strchr(letters, 'c') ? CONFINE_CREATE : 0) | (strchr(letters, 'd') ? CONFINE_DIRS : 0);
}

void
tool_allow(struct tool *t, const char *path, const char *letters)
{
	bool std = !path || !strcmp(path, "-");
	int rc = std ? confine_allow_fd(&t->confine, STDIN_FILENO, rights_of(letters)) :
	    confine_allow(&t->confine, path, rights_of(letters));

	/* Opening a file that is not there, or may not be opened, fails for the same reason later. */
	if (rc < 0 && !std && errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ELOOP && errno != ENAMETOOLONG)
		lock_failed(t, path);
}

/* Outputs get their names in their directories; a perf.data has temporary files beside it. */
static void
allow_outputs(struct tool *t)
{
	for (const struct atomic *a = t->files; a; a = a->next)
		if (a->dir >= 0 && confine_allow_fd(&t->confine, a->dir, rights_of(t->as_file ? "rwc" : "c")) < 0)
			lock_failed(t, "output directory");
}

void
tool_progress_begin(struct tool *t)
{
	struct stat st;

	/* What reads our output may draw on the same terminal: pstat --live, perf report. */
	if (!t->quiet && isatty(STDERR_FILENO) && !(fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode)))
		clock_gettime(CLOCK_MONOTONIC, &t->began);
}

void
tool_lock(struct tool *t)
{
	char text[100];
	int rc;

	allow_outputs(t);
	if ((rc = confine_lock(&t->confine, text, sizeof text)) < 0)
		lock_failed(t, "lock");
	if (rc)
		tool_note(t, "confinement: %s", text);
	else
		tool_warn(t, "confinement: %s; --no-sandbox goes without, and says nothing", text);
	tool_progress_begin(t);
}

/* SPDX-License-Identifier: ISC */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diff.h"
#include "report/output.h"
#include "run.h"
#include "report/forms.h"

/* Write the report that is complete; else nothing, as a part of the sums would be taken for all.  The exit status. */
static int
finish(struct tool *t, FILE *f, const struct report *r, report_form *form, bool complete)
{
	if (complete)
		output_write(t, f, r, form);
	else {
		fclose(f);
		tool_abandon(t);
	}
	return tool_close(t);
}

int
merge_run(struct tool *t, struct counts *c, struct report *r, report_form *form)
{
	static char standard[] = "-";
	char *none[] = { standard }, **names = t->nnames ? t->names : none;
	struct merge *m;
	int status, rc = 1;
	FILE *f;

	tool_check(t);
	for (int i = 0; i < t->nnames; i++)
		tool_allow(t, t->names[i], "r");
	if (!(f = output_open(t, r, false)))
		return tool_close(t);
	tool_lock(t);
	m = merge_new(t, c);
	for (int i = 0; rc > 0 && i < (t->nnames ? t->nnames : 1); i++)
		rc = merge_read(m, names[i]);
	if (rc > 0) {
		merge_add(m, r);
		output_check_table(t, form, r);
	}
	status = finish(t, f, r, form, rc > 0);
	merge_free(m);
	return status;
}

/* ---- --diff -------------------------------------------------------------------------------------- */

/* Of a recording, the report that a process of its own makes; a report is read as it is.  -1: errno. */
static int
diff_input(const struct tool *t, const char *path, const struct diff_options *o)
{
	char json[] = "--json", quiet[] = "--quiet", open_all[] = "--no-sandbox", sort[] = "--sort", end[] = "--";
	char *argv[] = { (char *)(uintptr_t)t->name, json, quiet, t->confine.off ? open_all : quiet, o->keys ? sort : end,
	    (char *)(uintptr_t)(o->keys ? o->keys : path), o->keys ? end : NULL, (char *)(uintptr_t)path, NULL };
	int fd = !strcmp(path, "-") ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), pipes[2];
	struct stat st;
	char first;
	pid_t pid;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && pread(fd, &first, 1, 0) == 1 && first == '{')
		return fd;
	if (fd >= 0)
		close(fd);
	if (pipe2(pipes, O_CLOEXEC) < 0 || (pid = fork()) < 0)
		return -1;
	if (!pid) {
		int argc = 0;

		while (argv[argc])
			argc++;
		if (dup2(pipes[1], STDOUT_FILENO) < 0)
			_exit(1);
		close(pipes[0]);
		close(pipes[1]);
		optind = 0;		/* getopt(3) of glibc begins anew */
		exit(o->report(argc, argv));
	}
	close(pipes[1]);
	return pipes[0];
}

int
diff_run(struct tool *t, struct counts *c, struct report *r, const struct diff_options *o)
{
	struct merge *m[2] = { NULL, NULL };
	struct diff *diff = NULL;
	int fd[2], status, rc = 1;
	FILE *f;

	if (t->nnames != 2)
		tool_wrong(t, "--diff: needs two inputs");
	if (!strcmp(t->names[0], "-") && !strcmp(t->names[1], "-"))
		tool_wrong(t, "--diff: standard input is one input only");
	tool_check(t);
	for (int i = 0; i < 2; i++)
		fd[i] = diff_input(t, t->names[i], o);
	if (!(f = output_open(t, r, false)))
		return tool_close(t);
	tool_lock(t);
	for (int i = 0; i < 2 && rc > 0; i++) {
		m[i] = merge_new(t, c);
		rc = merge_read_fd(m[i], fd[i], t->names[i]);
	}
	if (rc > 0 && (diff = diff_new(t, m[0], m[1], o->keys != NULL, o->top))) {
		diff_add(diff, r);
		output_check_table(t, o->form, r);
	}
	status = finish(t, f, r, o->form == screen ? diff_screen : o->form, diff != NULL);
	if (diff && !diff_complete(diff))
		status = 1;
	diff_free(diff);
	merge_free(m[0]);
	merge_free(m[1]);
	return status;
}

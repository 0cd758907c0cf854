/* SPDX-License-Identifier: ISC */
#include <sys/socket.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diff.h"
#include "flame.h"
#include "report/output.h"
#include "set.h"
#include "run.h"
#include "report/forms.h"
#include "tool/jobs.h"

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

/* The reports of the processes of --jobs, which have been told to be quiet about it. */
static int
read_jobs(const struct tool *t, struct merge *m)
{
	int rc = 1;

	for (unsigned i = 0; rc > 0 && i < t->jobs.n; i++)
		rc = merge_read_fd(m, tool_jobs_part(t, i), t->in_name);
	return rc;
}

static int
read_named(const struct tool *t, struct merge *m)
{
	int rc = t->nnames ? 1 : merge_read(m, "-");

	for (int i = 0; rc > 0 && i < t->nnames; i++)
		rc = merge_read(m, t->names[i]);
	return rc;
}

int
merge_run(struct tool *t, struct counts *c, struct report *r, report_form *form)
{
	struct merge *m;
	int status, rc;
	FILE *f;

	tool_check(t);
	for (int i = 0; !t->jobs.all && i < t->nnames; i++)
		tool_allow(t, t->names[i], "r");
	if (!(f = output_open(t, r, false)))
		return tool_close(t);
	tool_lock(t);
	m = merge_new(t, c);
	rc = t->jobs.all ? read_jobs(t, m) : read_named(t, m);
	if (rc > 0) {
		merge_add(m, r);
		output_check_table(t, form, r);
	}
	status = finish(t, f, r, form, rc > 0);
	merge_free(m);
	return status;
}

/* ---- --diff -------------------------------------------------------------------------------------- */

/*
 * An input, which nobody has read before the lock: a report, or a recording, of which a process makes the report.  That is
 * forked before the lock, and waits for a word.
 */
struct diff_input {
	int	 fd;			/* a file; -1: it cannot be a report */
	int	 error;			/* errno */
	int	 go, report;		/* to and from the process; report -1: error */
	bool	 ready;			/* it is a report, which somebody has made */
};

/* Options that say what is counted of a recording, and how it is read.  What else the rows of options.c permit is for the output. */
#define COUNTED "symbols,children,demangle,event,cpumode,flame-by,max-nodes"
static const char diff_handed_on[] = "sort,picture," COUNTED ",max-expand,no-index,verify-index,verbose,no-sandbox";

enum { DIFF_NODES = 128 << 10 };	/* of a flame graph, as JSON: some 100 MB of memory */

static char *
diff_word(const char *text)
{
	char *word = tool_alloc(strlen(text) + 1, 1);

	return strcpy(word, text);
}

static _Noreturn void
diff_report_fails(const struct tool *t, const char *path)
{
	fprintf(stderr, "%s: %s: %s\n", t->name, path, strerror(errno));
	_exit(1);
}

/* In the process: its answer is the report, if it is asked for one. */
static _Noreturn void
diff_report(const struct tool *t, const char *path, const struct diff_options *o, int go, int to)
{
	char **argv = NULL, word;
	const char *const before[] = { t->name, "--json", "--quiet" }, *const behind[] = { "--", path, NULL };
	char nodes[40];
	int argc = 0;
	ssize_t got;

	while ((got = read(go, &word, 1)) < 0 && errno == EINTR)
		;
	if (got < 0)
		diff_report_fails(t, path);
	if (!got)
		_exit(0);
	argv = tool_need(array_more(argv, 0, 3, sizeof *argv));
	for (; argc < 3; argc++)
		argv[argc] = diff_word(before[argc]);
	argc = (int)tool_say_again(t, diff_handed_on, &argv, (size_t)argc);
	argv = tool_need(array_more(argv, (size_t)argc, 5, sizeof *argv));
	if (o->flame && o->flame->page)		/* that is what is drawn of it */
		argv[argc++] = diff_word("--picture=flame");
	if (o->flame && !o->flame->max_nodes) {
		snprintf(nodes, sizeof nodes, "--max-nodes=%d", DIFF_NODES);
		argv[argc++] = diff_word(nodes);
	}
	for (int i = 0; i < 3; i++)
		argv[argc + i] = behind[i] ? diff_word(behind[i]) : NULL;
	argc += 2;
	if (dup2(to, STDOUT_FILENO) < 0)
		diff_report_fails(t, path);
	close(go);
	close(to);
	optind = 0;			/* getopt(3) of glibc begins anew */
	exit(o->report(argc, argv));
}

static void
diff_input_open(struct diff_input *in, const struct tool *t, const char *path, const struct diff_options *o)
{
	int go[2], report[2];
	struct stat st;
	pid_t pid;

	*in = (struct diff_input){ .fd = -1, .report = -1 };
	if (strcmp(path, "-") && stat(path, &st) == 0 && S_ISREG(st.st_mode))
		in->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) < 0 || pipe2(report, O_CLOEXEC) < 0 || (pid = fork()) < 0) {
		in->error = errno;
		return;
	}
	if (!pid) {
		close(go[1]);
		close(report[0]);
		diff_report(t, path, o, go[0], report[1]);
	}
	close(go[0]);
	close(report[1]);
	in->go = go[1];
	in->report = report[0];
}

/* Behind the lock: from now on `report' is the descriptor of a report, or -1. */
static void
diff_input_begin(struct diff_input *in)
{
	void (*pipes)(int);
	char first;

	if (in->report < 0)
		return;
	if (in->fd >= 0 && pread(in->fd, &first, 1, 0) == 1 && first == '{') {
		close(in->report);
		in->report = in->fd;
		in->ready = true;
	} else {
		pipes = signal(SIGPIPE, SIG_IGN);	/* the process may have ended, and has said why */
		if (write(in->go, "", 1) != 1) {
			in->error = errno;
			close(in->report);
			in->report = -1;
		}
		signal(SIGPIPE, pipes);
	}
	close(in->go);			/* the process ends, if it was not asked */
}

/*
 * merge_read_fd().  Why the report of a process cannot be used may be what the process says at its end: its pipe is emptied, so that
 * it comes to say it, before this tool says anything.
 */
static int
diff_input_read(const struct diff_input *in, struct merge *m, const char *path)
{
	int rest = in->ready ? -1 : fcntl(in->report, F_DUPFD_CLOEXEC, 0), rc;
	char bytes[4096];
	ssize_t n = 1;

	errno = in->error;
	rc = merge_read_fd(m, in->report, path);
	while (rc < 0 && rest >= 0 && (n > 0 || (n < 0 && errno == EINTR)))
		n = read(rest, bytes, sizeof bytes);
	if (rest >= 0)
		close(rest);
	return rc;
}

int
diff_run(struct tool *t, struct counts *c, struct report *r, const struct diff_options *o)
{
	struct merge *m[2] = { NULL, NULL };
	struct diff *diff = NULL;
	struct diff_flame *flame = NULL;
	struct diff_input in[2];
	int status, rc = 1;
	FILE *f;

	if (t->nnames != 2)
		tool_wrong(t, "--diff: needs two inputs");
	if (!strcmp(t->names[0], "-") && !strcmp(t->names[1], "-"))
		tool_wrong(t, "--diff: only one of the inputs can be standard input");
	tool_check(t);
	for (int i = 0; i < 2; i++)
		diff_input_open(&in[i], t, t->names[i], o);
	if (!(f = output_open(t, r, false)))
		return tool_close(t);
	tool_lock(t);
	for (int i = 0; i < 2; i++)
		diff_input_begin(&in[i]);
	if (in[0].ready && in[1].ready && tool_given(t, COUNTED)) {
		t->in_err.file = t->names[1];
		rc = pp_fail(&t->in_err, "both inputs are reports: what these count was chosen when they were made");
	}
	for (int i = 0; i < 2 && rc > 0; i++) {
		m[i] = merge_new(t, c);
		if (o->flame)
			diff_flame_expect(m[i]);
		rc = diff_input_read(&in[i], m[i], t->names[i]);
	}
	if (rc > 0 && (diff = diff_new(t, m[0], m[1], o->keys != NULL, o->top))) {
		diff_add(diff, r);
		if (o->flame && (flame = diff_flame_new(t, m[0], m[1], diff, o->flame)))
			diff_flame_add(flame, r);
		output_check_table(t, o->form, r);
	}
	status = finish(t, f, r, o->form != screen ? o->form : !o->flame ? diff_screen : o->flame->page ? diff_flame_page : diff_flame_draw,
	    diff && (flame || !o->flame));
	if (diff && !diff_complete(diff))
		status = 1;
	diff_flame_free(flame);
	diff_free(diff);
	merge_free(m[0]);
	merge_free(m[1]);
	return status;
}

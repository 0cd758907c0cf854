/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

enum { OPT_JSON = TOOL_LONG };

static const struct tool_opt opts[] = {
	{ OPT_JSON, "json", NULL, "write JSON with complete tables" },
	TOOL_OPTS_IN, TOOL_OPTS_OUT, TOOL_OPTS_COMMON, TOOL_OPTS_END
};

static const char examples[] =
    "  $ pstat all.data\n"
    "  $ perf record -a -o - -- sleep 2 | pstat\n"
    "  $ pstat --json -o counts.json all.data\n";

static const struct tasks *sorting;	/* qsort(3) passes no argument to by_samples() */

static int
by_samples(const void *va, const void *vb)
{
	const struct name *a = &sorting->name[*(const uint32_t *)va], *b = &sorting->name[*(const uint32_t *)vb];

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void
sum_up(struct report *r, struct counts *c)
{
	uint64_t total;

	*r = (struct report){ .c = c };
	r->read = pp_progress(c->tool->in, &total);
	count_sum(c, &r->sum);
	r->pid = tasks_finish(&c->tasks, &r->npids);
	r->comm = tool_alloc(c->tasks.names, sizeof *r->comm);
	for (uint32_t i = 0; i < c->tasks.names; i++)
		if (c->tasks.name[i].samples)
			r->comm[r->ncomms++] = i;
	sorting = &c->tasks;
	qsort(r->comm, r->ncomms, sizeof *r->comm, by_samples);
}

/* The output as a FILE.  NULL: failure, see out_err. */
static FILE *
output(struct tool *t)
{
	FILE *f;

	tool_create(t, &t->file, t->out_name, &t->out_err);
	f = fdopen(fcntl(t->file.fd, F_DUPFD_CLOEXEC, 0), "w");
	if (!f)			/* EINVAL: it is not open for writing */
		pp_fail(&t->out_err, "write: %s", strerror(errno == EINVAL ? EBADF : errno));
	return f;
}

/* Write the report and close its file; a failure is kept in out_err. */
static void
write_report(struct tool *t, FILE *f, const struct report *r, int (*form)(FILE *, const struct report *))
{
	bool bad;

	errno = 0;
	if (form(f, r) < 0)
		pp_fail(&t->out_err, "out of memory");
	bad = fflush(f) || ferror(f);
	if (fclose(f) != 0 || bad)
		pp_fail(&t->out_err, "write: %s", strerror(errno ? errno : EIO));
}

int
main(int argc, char **argv)
{
	struct tool t = { .name = "pstat", .purpose = "Print the contents of a perf recording.", .opts = opts,
	    .examples = examples, .report = true };
	bool as_json = false;
	struct counts *c;
	struct report r;
	int key;
	FILE *f;

	while ((key = tool_getopt(&t, argc, argv)))
		if (key == OPT_JSON)
			as_json = true;
	tool_check(&t);
	tool_open_input(&t, 0);
	if (!(f = output(&t)))
		return tool_close(&t);
	if (as_json)
		json_seed();
	tool_lock(&t);
	tool_begin_input(&t);
	c = tool_alloc(1, sizeof *c);
	count_init(c, &t);
	count_all(c);
	sum_up(&r, c);
	write_report(&t, f, &r, as_json ? json : screen);
	free(r.pid);
	free(r.comm);
	count_free(c);
	free(c);
	return tool_close(&t);
}

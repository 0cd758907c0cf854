/* SPDX-License-Identifier: ISC */
#include <sys/ioctl.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "forms.h"

void
output_form(struct tool *t, void *form)
{
#define OUTPUT_FUNCTION(number, form) form,
	static report_form *const forms[] = { OUTPUT_EACH(OUTPUT_FUNCTION) };
	report_form **to = form, *now = forms[t->optarg ? tool_word(t, t->optarg, OUTPUT_FORMS) : t->optvalue];

	if (*to && *to != now)
		tool_wrong(t, "%s: the output form is already set", t->optname);
	*to = now;
}

void
output_check_table(const struct tool *t, report_form *form, const struct report *r)
{
	char names[REPORT_TABLES * 24] = "";
	size_t n = 0;

	if (form != csv && form != tsv)
		return;
	if (r->name && report_part(r, r->name))
		return;
	for (unsigned i = 0; i < r->n; i++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", r->part[i].table->name);
	if (r->name)
		tool_wrong(t, "--table '%s': expected one of %s", r->name, names);
	tool_wrong(t, "--format=%s: needs --table, one of %s", form == csv ? "csv" : "tsv", names);
}

FILE *
output_open(struct tool *t, struct report *r, bool to_stderr)
{
	struct winsize w;
	FILE *f;

	if (to_stderr)
		t->out_err.file = "<stderr>";
	else {
		t->file.shown = true;
		tool_create(t, &t->file, t->out_name, &t->out_err);
	}
	if (!(f = tool_stream(to_stderr ? STDERR_FILENO : t->file.fd, &t->out_err)))
		return NULL;
	r->width = ioctl(fileno(f), TIOCGWINSZ, &w) < 0 ? 0 : w.ws_col;
	json_seed();
	return f;
}

void
output_write(struct tool *t, FILE *f, const struct report *r, report_form *form)
{
	errno = 0;
	if (form(f, r) < 0)
		pp_fail_memory(&t->out_err);
	tool_stream_close(f, &t->out_err);
}

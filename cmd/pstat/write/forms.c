/* SPDX-License-Identifier: ISC */
#include "write/forms.h"

static const struct { const char *name; report_form *form; } forms[] = {
	{ "screen", screen }, { "json", json }, { "csv", csv }, { "tsv", tsv }, { "openmetrics", openmetrics },
};

report_form *
forms_find(const struct tool *t, const char *name, report_form *before)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(forms[i].name, name)) {
			if (before && before != forms[i].form)
				tool_wrong(t, "%s: another form was given before", t->optname);
			return forms[i].form;
		}
	tool_wrong(t, "--format '%s': expected screen, json, csv, tsv or openmetrics", name);
}

void
forms_check_table(const struct tool *t, report_form *form, const struct report *r)
{
	char names[REPORT_TABLES * 24] = "";
	size_t n = 0;

	if (form != csv && form != tsv) {
		if (r->name)
			tool_wrong(t, "--table: needs --format=csv or tsv");
		return;
	}
	if (r->name && report_part(r, r->name))
		return;
	for (unsigned i = 0; i < r->n; i++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", r->part[i].table->name);
	if (r->name)
		tool_wrong(t, "--table '%s': there are %s", r->name, names);
	tool_wrong(t, "--format=%s: needs --table, one of %s", form == csv ? "csv" : "tsv", names);
}

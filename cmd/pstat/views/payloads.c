/* SPDX-License-Identifier: ISC */
/* payloads.c - --events: the fields of the payloads of tracepoints, by their formats */
#include <inttypes.h>

#include "field/field.h"
#include "in.h"
#include "source/formats.h"

static const struct column payloads_columns[] = {
	{ "event", CELL_TEXT, ADDS_KEY, "name of the event" },
	{ "field", CELL_TEXT, ADDS_KEY, "name of the field" },
	{ "type", CELL_TEXT, ADDS_KEY, "its type: a letter and bits of a number, bytes of text" },
	{ "offset", CELL_NUM, ADDS_KEY, "its place in the payload" },
	{ "bytes", CELL_NUM, ADDS_KEY, "its size" },
};

static void
payloads_rows(const void *of, report_put *put, void *arg)
{
	const struct views *v = of;
	const struct pp_source *in = v->tool->in;
	struct field_stream s = { .events = in ? in->events : NULL, .tracing = in ? pp_formats(in) : NULL };

	for (unsigned i = 0; s.events && i < s.events->n; i++) {
		const struct pp_event *ev = s.events->ev[i];
		const struct pp_format *f = field_format(&s, ev);

		for (unsigned k = 0; f && k < f->n; k++) {
			char type[PP_FORMAT_TYPE];

			pp_payload_type(&f->field[k], type, sizeof type);
			put(arg, (struct cell[]){ cell_text(pp_event_name(ev)), cell_text(f->field[k].name), cell_text(type),
			    cell_num(f->field[k].off), cell_num(f->field[k].size) });
		}
	}
}

const struct table payloads_table = { "payloads", "fields of the payloads of tracepoints", TABLE(payloads_columns), .screen = SCREEN_OFF,
    .rows = payloads_rows };

void
payloads_begin(const struct views *v)
{
	if (pp_keep_formats(v->tool->in) < 0)
		tool_no_memory();
}

void
payloads_end(const struct views *v)
{
	struct field_stream s = { .events = v->tool->in->events, .tracing = pp_formats(v->tool->in) };

	field_formats_warn(&s, v->tool);
}

static void
payloads_line(void *arg, const struct cell *row)
{
	FILE *f = arg;

	text_print(f, row[0].text, row[0].len);
	fputs(": raw.", f);
	text_print(f, row[1].text, row[1].len);
	fprintf(f, ": %s at %" PRIu64 "\n", row[2].text, row[3].num);
}

void
payloads_screen(FILE *f, const struct views *v)
{
	payloads_table.rows(v, payloads_line, f);
}

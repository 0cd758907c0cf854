/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "payload_field.h"
#include "record/payload_role.h"
#include "set.h"
#include "source/formats.h"

void
payload_rows_add(struct payload_rows *p, const struct tool *t, const char *text)
{
	char *copy = tool_alloc(strlen(text) + 1, 1), *field;
	enum payload_kind kind = PAYLOAD_TID;

	strcpy(copy, text);
	field = strrchr(copy, ':');
	if (field && (!strcmp(field, ":tgid") || !strcmp(field, ":tid")) && memchr(copy, ':', (size_t)(field - copy))) {
		kind = field[2] == 'g' ? PAYLOAD_TGID : PAYLOAD_TID;
		*field = 0;
		field = strrchr(copy, ':');
	}
	if (!field || field == copy || !field[1])
		tool_wrong(t, "%s '%s': expected EVENT:FIELD or EVENT:FIELD:tgid", t->optname, text);
	*field++ = 0;
	p->own = tool_need(array_more(p->own, p->nown, 1, sizeof *p->own));
	p->own[p->nown++] = (struct payload_row){ copy, field, kind };
}

/* Is that the event of a row?  A row of --task-field may lack the system. */
static bool
payload_is_event(const struct payload_row *row, const char *event)
{
	const char *name = strchr(event, ':');

	return !strcmp(row->event, event) || (name && !strcmp(row->event, name + 1));
}

bool
payload_switch_named(const struct pp_event *ev)
{
	static const char name[] = "sched:sched_switch";
	const size_t n = sizeof name - 1;

	/* perhaps with modifiers */
	return ev->name && !strncmp(ev->name, name, n) && (!ev->name[n] || ev->name[n] == ':');
}

static const struct pp_format *
payload_format(const struct payload_rows *p, const struct pp_event *ev)
{
	const struct pp_tracing *tracing = pp_formats(p->in);

	return ev->attr.type == TYPE_TRACEPOINT && ev->attr.sample_type & PP_SAMPLE_RAW && tracing ?
	    pp_tracing_format(tracing, ev->attr.config) : NULL;
}

static const struct pp_payload_field *
payload_number_named(const struct pp_format *f, const char *name)
{
	const struct pp_payload_field *x = pp_format_field(f, name, strlen(name));

	return x && x->kind == PP_PAYLOAD_NUMBER && x->at == PP_PAYLOAD_HERE ? x : NULL;
}

static void
payload_add_field(struct payload_fields *of, const struct pp_payload_field *x, enum payload_kind kind)
{
	if (x && of->n < PAYLOAD_FIELDS) {
		of->task[of->n].f = x;
		of->task[of->n++].kind = kind;
	}
}

struct payload_fields *
payload_find_fields(struct payload_rows *p, const struct pp_event *ev)
{
	const struct pp_format *f;
	struct payload_fields *of;

	p->of = tool_need(array_reach(p->of, &p->nof, ev->index, sizeof *p->of));
	of = &p->of[ev->index];
	of->known = true;
	if (!(f = payload_format(p, ev)))
		return of;
	of->swap = pp_tracing_swap(pp_formats(p->in));
	of->common_pid = payload_number_named(f, "common_pid");
	if (!strcmp(f->event, "sched:sched_switch")) {
		of->prev = payload_number_named(f, "prev_pid");
		of->next = payload_number_named(f, "next_pid");
	}
	for (unsigned i = 0; i < f->n; i++) {
		enum pp_role role = pp_payload_role(f, &f->field[i]);

		if (role == PP_ROLE_TID || role == PP_ROLE_PID)
			payload_add_field(of, &f->field[i], role == PP_ROLE_TID ? PAYLOAD_TID : PAYLOAD_TGID);
	}
	for (size_t i = 0; i < p->nown; i++)
		if (payload_is_event(&p->own[i], f->event))
			payload_add_field(of, payload_number_named(f, p->own[i].field), p->own[i].kind);
	return of;
}

static void
payload_check_row(const struct payload_rows *p, const struct tool *t, const struct payload_row *row)
{
	const struct pp_events *e = p->in->events;
	bool found = false;

	for (unsigned i = 0; i < e->n; i++) {
		const struct pp_format *f = payload_format(p, e->ev[i]);

		if (!f || !payload_is_event(row, f->event))
			continue;
		found = true;
		if (payload_number_named(f, row->field))
			return;
	}
	tool_wrong(t, "--task-field '%s:%s': %s", row->event, row->field,
	    found ? "the event has no number of that name in its payload" : "no such event in this recording");
}

void
payload_rows_bind(struct payload_rows *p, const struct tool *t)
{
	const struct pp_events *e = p->in->events;
	bool any = false;

	for (unsigned i = 0; i < e->n; i++) {
		const struct pp_event *ev = e->ev[i];

		any |= payload_format(p, ev) && payload_fields(p, ev)->n;
		if (ev->attr.type == TYPE_TRACEPOINT && ev->attr.sample_type & PP_SAMPLE_RAW && !payload_format(p, ev))
			tool_wrong(t, "--payload-tasks: the format of %s, which says what its payload holds, is missing, unusable, or "
			    "behind the data; `pcat --formats-from' adds formats", ev->name);
	}
	for (size_t i = 0; i < p->nown; i++)
		payload_check_row(p, t, &p->own[i]);
	if (e->n && !any)
		tool_warn(t, "--payload-tasks: no event of this recording names tasks in its payload");
}

void
payload_rows_free(struct payload_rows *p)
{
	for (size_t i = 0; i < p->nown; i++)
		free((char *)(uintptr_t)p->own[i].event);	/* the field is in the same text */
	free(p->own);
	free(p->of);
}

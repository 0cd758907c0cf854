/* SPDX-License-Identifier: ISC */
/* payload.c - raw data: payloads of tracepoints, field by field as record/payload.def says what they mean, and what is left */
#include <string.h>

#include "in.h"
#include "record/payload_role.h"
#include "source/formats.h"

/* Count the value of a field, len bytes.  false: it may be anything. */
static bool
payload_field(struct privacy *p, const struct pp_rec *r, const struct pp_payload_field *x, enum pp_role role, const uint8_t *s, size_t len,
    bool swap)
{
	uint64_t v;

	if (role == PP_ROLE_OPAQUE)
		return false;
	if (x->kind == PP_PAYLOAD_STRING)
		privacy_text_of(p, r, role, (const char *)s, len);
	if (x->kind != PP_PAYLOAD_NUMBER)
		return true;
	v = pp_payload_number(s, x->width, x->sign, swap);
	if (role == PP_ROLE_RESULT)
		return !pp_payload_tells((int64_t)v);
	privacy_number_of(p, r, role, v, x->width);
	return true;
}

/* Count fields of known meaning, and make them zeros in p->raw. */
static void
payload_known(struct privacy *p, const struct pp_rec *r, const struct payload_layout *l, const uint8_t *raw, size_t n)
{
	bool swap = pp_tracing_swap(pp_formats(p->in));

	for (unsigned i = 0; i < l->format->n; i++) {
		const struct pp_payload_field *x = &l->format->field[i];
		size_t len;
		const uint8_t *s = pp_payload_get(x, raw, n, swap, &len);

		if (!s)
			continue;
		if (x->at != PP_PAYLOAD_HERE)
			memset(p->raw + x->off, 0, x->size);	/* only a place */
		if (payload_field(p, r, x, (enum pp_role)l->role[i], s, len, swap))
			memset(p->raw + (s - raw), 0, len);
	}
}

void
privacy_payload(struct privacy *p, const struct pp_event *ev, const struct pp_rec *r, const uint8_t *raw, size_t n)
{
	const struct payload_layout *l = payload_layout(&p->payloads, p->in, ev);
	bool any = false;

	memcpy(p->raw, raw, n);
	if (l)
		payload_known(p, r, l, raw, n);
	for (size_t i = 0; i < n; i++)
		any |= p->raw[i];
	if (!any)
		return;
	privacy_value(p, ROW_RAW, r, ev->index, n);
	privacy_text(p, ROW_RAW, NULL, ev->name, strlen(ev->name));
}

void
privacy_probes(struct privacy *p)
{
	const struct pp_events *e = p->in->events;

	for (unsigned i = 0; i < e->n; i++) {
		const struct payload_layout *l = payload_layout(&p->payloads, p->in, e->ev[i]);
		const char *name = e->ev[i]->name;

		if (l && (pp_format_field(l->format, "__probe_ip", 10) || pp_format_field(l->format, "__probe_func", 12)) &&
		    !privacy_event_given(name, strlen(name)))
			privacy_found(p, ROW_EVENTS, name, strlen(name));
	}
}

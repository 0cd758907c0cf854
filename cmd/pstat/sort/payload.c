/* SPDX-License-Identifier: ISC */
/* payload.c - keys of --sort and values of --hist that are fields of payloads: raw.FIELD, raw.FIELD[N], raw.u32[N] */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sort/in.h"
#include "source/formats.h"

/* A number as a key: one that nobody records becomes ROWS_UNKNOWN, and not -1. */
#define MIXED UINT64_C(0x5a96c3a53c69e187)

struct field *
payload_new(struct sort *s, const char *option, const char *name, size_t n)
{
	static const char raw[] = "raw.";
	size_t len = sizeof raw - 1, end;
	uint32_t index = 0;
	bool indexed;

	if (n < len || memcmp(name, raw, len) != 0)
		return NULL;
	while (len < n && (isalnum((unsigned char)name[len]) || name[len] == '_'))
		len++;
	end = len;
	if ((indexed = end < n && name[end] == '['))
		for (end++; end < n && isdigit((unsigned char)name[end]) && index < UINT16_MAX; end++)
			index = 10 * index + (uint32_t)(name[end] - '0');
	if (len == sizeof raw - 1 || (indexed && (end == len + 1 || end == n || name[end++] != ']')) || end != n || index > UINT16_MAX)
		tool_wrong(s->tool, "%s '%.*s': expected raw.FIELD or raw.FIELD[N]", option, (int)n, name);
	s->payloads = true;
	return field_payload_new(name, len, indexed ? &index : NULL);
}

/* What the events of the recording have under that name. */
struct found { bool raw, missing, text, sign, any; };

static struct found
payload_look(const struct sort *s, struct field *f, bool number)
{
	struct found found = { .sign = f->sign };
	const struct pp_events *all = s->stream.events;

	for (unsigned i = 0; i < all->n; i++) {
		const struct pp_event *ev = all->ev[i];
		const struct pp_payload_field *x = field_payload_in(&s->stream, f, ev);

		found.raw |= (ev->attr.sample_type & PP_SAMPLE_RAW) != 0;
		found.missing |= field_format_missing(&s->stream, ev);
		found.text |= x && x->kind == PP_PAYLOAD_STRING && f->type == FIELD_ANY && !number;
		found.sign |= x && x->sign;
	}
	if (f->type == FIELD_ANY)
		f->type = found.text ? FIELD_STR : FIELD_INT;
	for (unsigned i = 0; i < all->n; i++) {
		struct field_place at = { .at = AT_NONE };

		field_access(&s->stream, f, &(struct field_kind){ .ev = all->ev[i], .type = PP_SAMPLE }, &at);
		found.any |= at.at != AT_NONE;
	}
	return found;
}

/* No event has it; exits 2. */
static void __attribute__((noreturn))
payload_wrong(const struct sort *s, const char *option, const struct field *f, const struct found *found)
{
	const char *name = field_payload_name(f);
	char near[256] = "";

	if (!found->raw)
		tool_wrong(s->tool, "%s %s: no event of this recording has payloads; record them with perf record -R", option, f->name);
	for (unsigned i = 0; name && i < s->stream.events->n; i++) {
		const struct pp_event *ev = s->stream.events->ev[i];
		const struct pp_payload_field *x = field_payload_in(&s->stream, f, ev);
		const char *why = field_format_error(&s->stream, ev);
		char type[PP_FORMAT_TYPE];

		if (why)
			tool_wrong(s->tool, "%s %s: the format of %s cannot be used: it has %s", option, f->name, ev->name, why);
		if (!x)
			continue;
		pp_payload_type(x, type, sizeof type);
		tool_wrong(s->tool, "%s %s: %s of %s is %s", option, f->name, name, ev->name, type);
	}
	if (name && found->missing)
		tool_wrong(s->tool, "%s %s: the formats of the tracepoints are missing, or behind the data; `pcat --formats-from' adds them",
		    option, f->name);
	if (name)
		field_payload_near(&s->stream, name, near, sizeof near);
	tool_wrong(s->tool, "%s %s: no event of this recording has that field%s%s; --events lists them", option, f->name,
	    *near ? "; similar: " : "", near);
}

/* No event is of a system call: exits 2. */
static void
payload_bind_syscall(const struct sort *s)
{
	bool missing = false;

	for (unsigned i = 0; i < s->stream.events->n; i++) {
		struct syscall_place at;

		syscalls_find(s->syscalls, &s->stream, &(struct field_kind){ .ev = s->stream.events->ev[i], .type = PP_SAMPLE }, &at);
		if (at.number)
			return;
		missing |= field_format_missing(&s->stream, s->stream.events->ev[i]);
	}
	tool_wrong(s->tool, "--sort syscall: %s", missing ? "the formats of the tracepoints are missing, or behind the data; `pcat --formats-from' adds them" :
	    "no event of this recording is of raw_syscalls or syscalls; record it with perf record -e 'raw_syscalls:*'");
}

void
payload_bind(struct sort *s)
{
	s->bound = true;
	if (!s->payloads || !s->stream.events || !s->stream.events->n || s->tool->in_err.what[0])
		return;		/* what cannot be read is the fault, and not what is missing then */
	s->stream.tracing = pp_formats(s->tool->in);
	for (unsigned i = 0; i <= ROWS_KEYS; i++) {
		const char *option = i == ROWS_KEYS ? "--hist" : "--sort";
		struct found found;

		if (!s->payload[i])
			continue;
		found = payload_look(s, s->payload[i], i == ROWS_KEYS);
		if (!found.any)
			payload_wrong(s, option, s->payload[i], &found);
		if (i == ROWS_KEYS)
			continue;
		s->own[i].cell = found.text ? CELL_TEXT : found.sign ? CELL_SIGNED : CELL_NUM;
		s->col[i].type = s->own[i].cell;
		if (s->value)
			s->hist_col[HIST_HEAD + i].type = s->own[i].cell;
	}
	if (s->syscalls)
		payload_bind_syscall(s);
	field_formats_warn(&s->stream, s->tool);
}

static struct field_value
payload_fetch(struct sort *s, const struct field *f, const struct field_place *at, const struct pp_event *ev, const struct pp_rec *r)
{
	struct field_subject subject = { .ev = ev, .r = r };
	struct pp_err ignored = { .what = "" };
	struct field_fetch fetch = { .stream = &s->stream, .s = &subject, .err = &ignored, .swap = s->stream.swap };
	struct field_value value = { .known = false };

	if (at->at != AT_NONE)
		field_fetch(&fetch, (enum field_part)f->part, f, &value);
	return value;
}

uint64_t
payload_syscall(struct sort *s, const struct syscall_place *p, const struct pp_event *ev, const struct pp_rec *r)
{
	struct field_value v = { .known = false };

	if (p->number)
		v = payload_fetch(s, p->number, &p->at, ev, r);
	return !v.known ? ROWS_UNKNOWN : syscalls_key((int64_t)v.num.lo, p->abi ? sort_field(s, p->abi, &p->abi_at, ev, r) : 0);
}

uint64_t
payload_key(struct sort *s, unsigned i, const struct field_place *at, const struct pp_event *ev, const struct pp_rec *r)
{
	struct field_value v = payload_fetch(s, s->payload[i], at, ev, r);
	uint64_t key = v.num.lo ^ MIXED;

	if (!v.known)
		return ROWS_UNKNOWN;
	if (s->payload[i]->type == FIELD_STR)
		return names_number(s->names, v.str, strlen(v.str));
	s->clash |= key == ROWS_UNKNOWN;
	return key;
}

struct cell
payload_cell(const struct sort *s, const struct key *k, uint64_t key)
{
	return k->cell == CELL_TEXT ? cell_text(names_text(s->names, key)) : cell_num(key ^ MIXED);
}

bool
payload_value(struct sort *s, const struct field_place *at, const struct pp_event *ev, const struct pp_rec *r, uint64_t *value)
{
	struct field_value v = payload_fetch(s, s->payload[ROWS_KEYS], at, ev, r);

	s->below += v.known && v.num.hi < 0;
	*value = v.num.lo;
	return v.known && v.num.hi >= 0;
}

bool
payload_end(struct sort *s)
{
	if (!s->bound)
		payload_bind(s);
	for (unsigned i = 0; i <= ROWS_KEYS; i++)
		if (s->payload[i] && field_payload_absent(s->payload[i]))
			tool_warn(s->tool, "%s: %" PRIu64 " samples are too short for %s", i == ROWS_KEYS ? "--hist" : "--sort",
			    field_payload_absent(s->payload[i]), s->payload[i]->name);
	if (s->below)
		tool_warn(s->tool, "--hist: %" PRIu64 " values of %s are below 0, and are left out", s->below, s->payload[ROWS_KEYS]->name);
	return !s->clash;
}

void
payload_free(struct sort *s)
{
	for (unsigned i = 0; i <= ROWS_KEYS; i++)
		if (s->payload[i])
			field_payload_free(s->payload[i]);
}

/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "payload_role.h"

static const struct row { const char *events, *fields; enum pp_role role; } rows[] = {
#define PAYLOAD(events, fields, role) { events, fields, PP_ROLE_##role },
#include "payload.def"
#undef PAYLOAD
};

/* Is s one of the words of a row? */
static bool
one_of(const char *words, const char *s)
{
	size_t n;

	for (; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (words[n - 1] == '*' ? !strncmp(words, s, n - 1) : !strncmp(words, s, n) && !s[n])
			return true;
	}
	return false;
}

static bool
fits(const struct pp_payload_field *x, enum pp_role role)
{
	switch (role) {
	case PP_ROLE_COMM: case PP_ROLE_PATH: case PP_ROLE_CGROUP_PATH:
		return x->kind == PP_PAYLOAD_STRING;
	case PP_ROLE_PLAIN: case PP_ROLE_CPU:
		return x->kind != PP_PAYLOAD_OPAQUE;
	default:
		return x->kind == PP_PAYLOAD_NUMBER && x->at == PP_PAYLOAD_HERE;
	}
}

enum pp_role
pp_payload_role(const struct pp_format *f, const struct pp_payload_field *x)
{
	for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++)
		if (one_of(row->events, f->event) && one_of(row->fields, x->name))
			return fits(x, row->role) ? row->role : PP_ROLE_OPAQUE;
	return PP_ROLE_OPAQUE;
}

bool
pp_payload_overlaps(const struct pp_format *f)
{
	for (const struct pp_payload_field *x = f->field; x < f->field + f->n; x++)
		for (const struct pp_payload_field *y = x + 1; y < f->field + f->n; y++)
			if (y->off < x->off + x->size && x->off < y->off + y->size)
				return true;
	return false;
}

bool
pp_payload_tells(int64_t result)
{
	return result > 0 || result < -4095;
}

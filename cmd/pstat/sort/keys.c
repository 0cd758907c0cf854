/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <string.h>

#include "sort/in.h"

static const struct key keys[] = {
#define KEY(name, kind, cell, lost, of_state, option, field, help) { name, kind, cell, lost, of_state, option, field, help },
#include "sort/keys.def"
#undef KEY
};
enum { KEYS = sizeof keys / sizeof *keys };

const struct key *
key_find(const char *name)
{
	for (unsigned i = 0; i < KEYS; i++)
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	return NULL;
}

enum sort_option
sort_option(const char *key)
{
	const struct key *k = key_find(key);

	return k ? (enum sort_option)k->option : NO_OPTION;
}

void
key_names(char *to, size_t size)
{
	size_t n = 0;

	for (unsigned i = 0; i < KEYS && n < size; i++)
		n += (size_t)snprintf(to + n, size - n, "%s%s", i ? " " : "", keys[i].name);
}

static const char *
word_of(const char *field, uint64_t value)
{
	const struct field_word *w = field_find(field, strlen(field))->words;

	while (w->name && w->value != value)
		w++;
	return w->name;
}

struct cell
key_cell(const struct sort *s, const struct key *k, uint64_t value)
{
	struct cell none = { .known = false };

	if (value == ROWS_UNKNOWN)
		return none;
	switch ((enum key_kind)k->kind) {
	case KEY_FIELD:
		return k->cell == CELL_TEXT ? cell_text(word_of(k->field, value)) : cell_num(value);
	case KEY_EVENT:
		return cell_text(s->tool->in->events->ev[value]->name);
	case KEY_TYPE:		/* an unknown type has no name */
		return cell_text(pp_type_name((uint32_t)value));
	case KEY_TIME:
		return cell_num(value);
	case KEY_PAYLOAD:
		return payload_cell(s, k, value);
	case KEY_SYSCALL:
		return syscalls_cell(s->syscalls, s->c->facts.arch.p, s->c->facts.arch.len, value);
	case KEY_COMM:
	case KEY_DSO:
	case KEY_SYMBOL:
	case KEY_CGROUP:
	case KEY_CONTAINER:
	case KEY_POD:
		return cell_text(names_text(s->names, value));
	}
	return none;
}

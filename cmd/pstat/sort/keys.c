/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <string.h>

#include "sort/in.h"

static const struct key keys[] = {
	{ "comm", KEY_COMM, CELL_TEXT, false, NULL, "comm of the thread, at the time of the sample" },
	{ "pid", KEY_FIELD, CELL_SIGNED, false, "pid", "process" },
	{ "tid", KEY_FIELD, CELL_SIGNED, false, "tid", "thread" },
	{ "cpu", KEY_FIELD, CELL_NUM, true, "cpu", "CPU" },
	{ "event", KEY_EVENT, CELL_TEXT, true, NULL, "event" },
	{ "dso", KEY_DSO, CELL_TEXT, false, NULL, "file that is mapped where the ip is, at the time of the sample" },
	{ "symbol", KEY_SYMBOL, CELL_TEXT, false, NULL, "function that the ip is in; [FILE]: it has no name; [no map]" },
	{ "cgroup", KEY_CGROUP, CELL_TEXT, false, NULL, "cgroup" },
	{ "container", KEY_CONTAINER, CELL_TEXT, false, NULL, "innermost container that the cgroup is in" },
	{ "pod", KEY_POD, CELL_TEXT, false, NULL, "pod of Kubernetes that the cgroup is in" },
	{ "cpumode", KEY_FIELD, CELL_TEXT, false, "cpumode", "user, kernel, hypervisor, guest_user, guest_kernel or unknown" },
	{ "type", KEY_TYPE, CELL_TEXT, true, NULL, "type of the record; all types are counted" },
	{ "time", KEY_TIME, CELL_NUM, true, NULL, "start of the bin of time, ns" },
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

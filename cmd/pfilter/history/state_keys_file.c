/* SPDX-License-Identifier: ISC */
/* state_keys_file.c - selection by the file of a sample's address (--dsos), by all names that it has in perf */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field/field.h"
#include "set.h"
#include "state_keys_in.h"

/* The name in perf of a module's file: "/lib/modules/6.1/kernel/fs/ext-x.ko.xz" is "[ext_x]"; text has at least n + 3 bytes. */
static bool
keys_module_name(char *text, const char *base, size_t n)
{
	const char *dot = strstr(base, ".ko");
	size_t len = dot ? (size_t)(dot - base) : 0;

	if (!len || len > n || (dot[3] && dot[3] != '.'))
		return false;
	text[0] = '[';
	for (size_t i = 0; i < len; i++)
		text[i + 1] = base[i] == '-' ? '_' : base[i];
	memcpy(text + len + 1, "]", 2);
	return true;
}

/* Compare the names of code generated at run time: the path of its map file, that without the directory, two names in perf. */
static uint8_t
keys_jit_mark(struct state_keys *k, uint32_t pid)
{
	char text[64];
	uint8_t mark;

	snprintf(text, sizeof text, "/tmp/perf-%d.map", (int)pid);
	mark = keys_compared(k, KEY_DSO, KEY_NO_DSO, text) | keys_compared(k, KEY_DSO, KEY_NO_DSO, text + strlen("/tmp/"));
	snprintf(text, sizeof text, "[JIT] tid %d", (int)pid);
	return mark | keys_compared(k, KEY_DSO, KEY_NO_DSO, text) | keys_compared(k, KEY_DSO, KEY_NO_DSO, "//anon");
}

/* The pid of "/tmp/perf-42.map"; 0: another name. */
static uint32_t
keys_jit_pid(const char *name)
{
	uint32_t pid;
	int n = 0;

	return sscanf(name, "/tmp/perf-%9" SCNu32 ".map%n", &pid, &n) == 1 && n && !name[n] ? pid : 0;
}

/* Compare the names of a file: the path, its last component, and the name in perf if that differs. */
static uint8_t
keys_file_mark(struct state_keys *k, const struct pp_dso *d, bool kernel)
{
	const char *slash = strrchr(d->name, '/'), *base = slash && slash[1] ? slash + 1 : d->name;
	uint8_t mark = keys_compared(k, KEY_DSO, KEY_NO_DSO, d->name) | keys_compared(k, KEY_DSO, KEY_NO_DSO, base);
	uint32_t jit = d->jit ? d->jit : keys_jit_pid(d->name);
	char text[256];

	if (kernel)				/* its image, under any name, and modules */
		mark |= keys_compared(k, KEY_DSO, KEY_NO_DSO, "[kernel]");
	if (kernel && !strncmp(d->name, "[kernel.kallsyms]", 17))
		mark |= keys_compared(k, KEY_DSO, KEY_NO_DSO, "[kernel.kallsyms]");
	if (kernel && keys_module_name(text, base, sizeof text - 3))
		mark |= keys_compared(k, KEY_DSO, KEY_NO_DSO, text);
	return jit && !kernel ? mark | keys_jit_mark(k, jit) : mark;
}

/* Compare the name of an address in no map. */
static uint8_t
keys_mapless_mark(struct state_keys *k, const struct pp_state *state, unsigned mode, uint64_t ip)
{
	const char *name = field_dso_mapless(state, mode, ip);
	uint8_t mark;

	if (name == field_dso_unknown && !k->unknown)
		k->unknown = keys_compared(k, KEY_DSO, KEY_NO_DSO, name);
	if (name == field_dso_unknown)
		return k->unknown;
	mark = keys_compared(k, KEY_DSO, KEY_NO_DSO, name);
	keys_note(k, KEY_DSO, mark, name);
	return mark;
}

int
keys_match_file(struct state_keys *k, const struct pp_state *state, const struct pp_event *ev, const struct pp_rec *r,
    struct pp_err *err)
{
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;
	uint32_t pid = 0, tid;
	const struct pp_map *m;
	const struct pp_dso *d;
	uint8_t mark, *all;
	uint64_t ip;

	if (r->type != PP_SAMPLE)
		return LACKS_FIELD;
	if (!ev->plan.ip)
		return NOT_DSO;
	pp_pid_tid(ev, r, k->swap, &pid, &tid);
	ip = pp_get_u64(r->raw + ev->plan.ip, k->swap);
	if (!(m = pp_state_map(state, pid, mode, ip))) {
		mark = keys_mapless_mark(k, state, mode, ip);
	} else {
		d = pp_state_dso(state, m);
		if (!(all = pp_state_by_file(state, k->file, &k->nfiles, &k->freed, d->index, sizeof *all)))
			return pp_fail_memory(err);
		k->file = all;
		if (!k->file[d->index])
			keys_note(k, KEY_DSO, k->file[d->index] = keys_file_mark(k, d, mode == PP_MISC_KERNEL), d->name);
		mark = k->file[d->index];
	}
	return keys_by_file_mark(k, mark);
}

/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <string.h>

#include "event_name.h"

#define N(a) (sizeof (a) / sizeof *(a))

/* enum perf_type_id and the configs of each, include/uapi/linux/perf_event.h; spelled as perf list does */
static const char *const hardware[] = {
	"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses", "bus-cycles",
	"stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};
static const char *const software[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults",
	"major-faults", "alignment-faults", "emulation-faults", "dummy", "bpf-output", "cgroup-switches",
};
static const char *const cache[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
static const char *const cache_op[][2] = {	/* an access, a miss */
	{ "loads", "load-misses" }, { "stores", "store-misses" }, { "prefetches", "prefetch-misses" },
};

enum {				/* flag bits, perf-pipe(5) */
	EXCLUDE_USER = 1 << 4, EXCLUDE_KERNEL = 1 << 5, EXCLUDE_HV = 1 << 6, PRECISE_SHIFT = 15,
	EXCLUDE_HOST = 1 << 19, EXCLUDE_GUEST = 1 << 20,
};

/* Append ":ukh", ":ppp" and ":HG" where they differ from perf's default. */
static void
modifiers(const struct pp_attr *a, char buf[static 16])
{
	unsigned precise = a->flags >> PRECISE_SHIFT & 3;
	bool guest_excluded_by_default = precise != 0;
	char *p = buf;

	*p++ = ':';
	if (a->flags & (EXCLUDE_USER | EXCLUDE_KERNEL | EXCLUDE_HV)) {
		guest_excluded_by_default = true;
		if (!(a->flags & EXCLUDE_KERNEL))
			*p++ = 'k';
		if (!(a->flags & EXCLUDE_USER))
			*p++ = 'u';
		if (!(a->flags & EXCLUDE_HV))
			*p++ = 'h';
	}
	while (precise--)
		*p++ = 'p';
	if (a->flags & EXCLUDE_HOST || !!(a->flags & EXCLUDE_GUEST) == guest_excluded_by_default) {
		if (!(a->flags & EXCLUDE_HOST))
			*p++ = 'H';
		if (!(a->flags & EXCLUDE_GUEST))
			*p++ = 'G';
	}
	if (p == buf + 1)
		p = buf;
	*p = 0;
}

void
pp_event_build_name(const struct pp_attr *a, char *buf, size_t size)
{
	unsigned which = a->config & 0xff, op = a->config >> 8 & 0xff, miss = a->config >> 16 & 0xff;
	uint64_t config = a->config;
	char mod[16];

	modifiers(a, mod);
	if (a->type == 0 && config < N(hardware))
		snprintf(buf, size, "%s%s", hardware[config], mod);
	else if (a->type == 1 && config < N(software))
		snprintf(buf, size, "%s%s", software[config], mod);
	else if (a->type == 2)
		snprintf(buf, size, "tracepoint %ju", (uintmax_t)config);
	else if (a->type == 3 && which < N(cache) && op < N(cache_op) && miss < 2)
		snprintf(buf, size, "%s-%s%s", cache[which], cache_op[op][miss], mod);
	else if (a->type == 4)
		snprintf(buf, size, "raw 0x%jx%s", (uintmax_t)config, mod);
	else if (a->type == 5)
		snprintf(buf, size, "mem:0x%jx%s%s%s%s", (uintmax_t)a->config1, a->bp_type & 7 ? ":" : "",
		    a->bp_type & 1 ? "r" : "", a->bp_type & 2 ? "w" : "", a->bp_type & 4 ? "x" : "");
	else
		snprintf(buf, size, "type %u config 0x%jx%s", a->type, (uintmax_t)config, mod);
}

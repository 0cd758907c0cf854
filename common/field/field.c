/* SPDX-License-Identifier: ISC */
/* field.c - the fields of records, a row each; their names and words */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "field.h"

/* ---- words --------------------------------------------------------------------------------------- */

/* PERF_MEM_* of include/uapi/linux/perf_event.h, without their shifts; names as in perf record --filter. */
static const struct field_word op_words[] = {
	{ "na", 1 }, { "load", 2 }, { "store", 4 }, { "pfetch", 8 }, { "exec", 16 }, { NULL, 0 }
}, lvl_words[] = {
	{ "l1", 1 }, { "l2", 2 }, { "l3", 3 }, { "l4", 4 }, { "cxl", 9 }, { "io", 10 }, { "any_cache", 11 }, { "lfb", 12 },
	{ "ram", 13 }, { "pmem", 14 }, { "na", 15 }, { NULL, 0 }
}, snoop_words[] = {		/* SNOOPX stands above the five bits of SNOOP */
	{ "na", 1 }, { "none", 2 }, { "hit", 4 }, { "miss", 8 }, { "hitm", 16 }, { "fwd", 32 }, { "peer", 64 }, { NULL, 0 }
}, remote_words[] = {
	{ "remote", 1 }, { NULL, 0 }
}, lock_words[] = {
	{ "na", 1 }, { "locked", 2 }, { NULL, 0 }
}, dtlb_words[] = {
	{ "na", 1 }, { "hit", 2 }, { "any_hit", 2 }, { "miss", 4 }, { "any_miss", 4 }, { "l1", 8 }, { "l1_hit", 8 | 2 },
	{ "l1_miss", 8 | 4 }, { "l2", 16 }, { "l2_hit", 16 | 2 }, { "l2_miss", 16 | 4 }, { "walk", 32 }, { "os", 64 },
	{ "fault", 64 }, { NULL, 0 }
}, blk_words[] = {
	{ "na", 1 }, { "by_data", 2 }, { "by_addr", 4 }, { NULL, 0 }
}, hops_words[] = {
	{ "hops0", 1 }, { "hops1", 2 }, { "hops2", 3 }, { "hops3", 4 }, { NULL, 0 }
}, mode_words[] = {
	{ "unknown", 0 }, { "kernel", PP_MISC_KERNEL }, { "user", PP_MISC_USER }, { "hypervisor", PP_MISC_HYPERVISOR },
	{ "guest_kernel", PP_MISC_GUEST_KERNEL }, { "guest_user", PP_MISC_GUEST_USER }, { NULL, 0 }
}, attr_words[] = {
	{ "hardware", 0 }, { "software", 1 }, { "tracepoint", 2 }, { "hw_cache", 3 }, { "raw", 4 }, { "breakpoint", 5 },
	{ NULL, 0 }
}, type_words[] = {		/* of record.def */
#define REC(number, name, ...) { #name, number },
#include "record/record.def"
#undef REC
	{ NULL, 0 }
};

/* ---- the table ----------------------------------------------------------------------------------- */

#define PLAN(how, at, back, more, bytes, means) .get = GET_##how, .plan = offsetof(struct pp_plan, at), \
	.trailer = offsetof(struct pp_plan, back), .add = more, .width = bytes, .role = PP_ROLE_##means
#define FIXED(how, at) .get = GET_##how, .plan = offsetof(struct pp_plan, at), .trailer = UINT16_MAX, .width = 8
#define TAIL(bit) .get = GET_TAIL, .part = PART_TAIL, .width = 8, .need = bit
#define MEM(from, n, list) TAIL(PP_SAMPLE_DATA_SRC), .shift = from, .bits = n, .words = list, .supply = "-d"
#define PART(name, bit) .get = GET_PART, .part = PART_##name, .need = bit
#define STATE(name, bit) .get = GET_STATE, .part = PART_##name, .need = bit

static const struct field fields[] = {
	/* perf record --filter */
	{ "ip", FIXED(PLAN, ip) },
	{ "id", PLAN(ID, id, t_id, 0, 8, ID_REF), .supply = "--sample-identifier" },
	{ "pid", PLAN(PLAN, tid, t_tid, 0, 4, PID), .sign = true },
	{ "tid", PLAN(PLAN, tid, t_tid, 4, 4, TID), .sign = true },
	{ "cpu", PLAN(CPU, cpu, t_cpu, 0, 4, CPU), .part = PART_CPU, .supply = "--sample-cpu" },
	{ "time", PLAN(PLAN, time, t_time, 0, 8, TIME), .supply = "-T" },
	{ "addr", FIXED(PLAN, addr), .supply = "-d" },
	{ "period", FIXED(PERIOD, period), .supply = "-P" },
	{ "weight", PART(WEIGHT, PP_SAMPLE_WEIGHT | PP_SAMPLE_WEIGHT_STRUCT), .supply = "-W" },
	{ "weight1", TAIL(PP_SAMPLE_WEIGHT_STRUCT), .bits = 32, .supply = "-W" },
	{ "weight2", TAIL(PP_SAMPLE_WEIGHT_STRUCT), .shift = 32, .bits = 16, .supply = "-W" },
	{ "weight3", TAIL(PP_SAMPLE_WEIGHT_STRUCT), .shift = 48, .bits = 16, .supply = "-W" },
	{ "ins_lat", TAIL(PP_SAMPLE_WEIGHT_STRUCT), .shift = 32, .bits = 16, .supply = "-W" },
	{ "retire_lat", TAIL(PP_SAMPLE_WEIGHT_STRUCT), .shift = 48, .bits = 16, .supply = "-W" },
	{ "p_stage_cyc", TAIL(PP_SAMPLE_WEIGHT_STRUCT), .shift = 48, .bits = 16, .supply = "-W" },
	{ "mem_op", MEM(0, 5, op_words) },
	{ "mem_lvl", MEM(33, 4, lvl_words) },
	{ "mem_lvlnum", MEM(33, 4, lvl_words) },
	{ "mem_snoop", PART(SNOOP, PP_SAMPLE_DATA_SRC), .bits = 7, .words = snoop_words, .supply = "-d" },
	{ "mem_remote", MEM(37, 1, remote_words) },
	{ "mem_lock", MEM(24, 2, lock_words) },
	{ "mem_dtlb", MEM(26, 7, dtlb_words) },
	{ "mem_blk", MEM(40, 3, blk_words) },
	{ "mem_hops", MEM(43, 3, hops_words) },
	{ "uid", .get = GET_NEVER },
	{ "gid", .get = GET_NEVER },
	/* the record */
	{ "type", .get = GET_TYPE, .words = type_words },
	{ "nr", PART(NR, 0) },
	{ "offset", PART(OFFSET, 0) },
	{ "size", .get = GET_HEADER, .add = 6, .width = 2 },
	{ "misc", .get = GET_HEADER, .add = 4, .width = 2 },
	{ "cpumode", .get = GET_HEADER, .add = 4, .width = 2, .bits = 3, .words = mode_words },
	{ "exact_ip", .get = GET_EXACT, .add = 4, .width = 2, .shift = 14, .bits = 1 },
	/* its event */
	{ "event", FIELD_STR, .get = GET_NAME },
	{ "event.index", .get = GET_INDEX },
	{ "attr.type", .get = GET_ATTR_TYPE, .words = attr_words },
	{ "attr.config", .get = GET_ATTR_CONFIG },
	{ "stream_id", PLAN(PLAN, stream_id, t_stream_id, 0, 8, STREAM_ID) },
	{ "machine_pid", PART(MACHINE, 0), .bits = 32, .supply = "kvm, and perf inject --guest-data" },
	{ "vcpu", PART(VCPU, 0), .bits = 32, .supply = "kvm, and perf inject --guest-data" },
	/* the recording up to this record */
	{ "comm", FIELD_STR, STATE(COMM, PP_SAMPLE_TID) },
	{ "ppid", STATE(PPID, PP_SAMPLE_TID), .sign = true, .bits = 32 },
	{ "dso", FIELD_STR, STATE(DSO, PP_SAMPLE_IP) },
	{ "build_id", FIELD_STR, STATE(BUILD_ID, PP_SAMPLE_IP) },
	{ "map.start", STATE(MAP, PP_SAMPLE_IP) },
	{ "cgroup.name", FIELD_STR, STATE(CGROUP, PP_SAMPLE_CGROUP), .supply = "--all-cgroups" },
	{ "ns.pid", STATE(NAMESPACE, PP_SAMPLE_TID), .add = PP_NS_PID, .supply = "--namespaces" },
	{ "ns.net", STATE(NAMESPACE, PP_SAMPLE_TID), .add = PP_NS_NET, .supply = "--namespaces" },
	{ "ns.mnt", STATE(NAMESPACE, PP_SAMPLE_TID), .add = PP_NS_MNT, .supply = "--namespaces" },
	{ "ns.user", STATE(NAMESPACE, PP_SAMPLE_TID), .add = PP_NS_USER, .supply = "--namespaces" },
	{ "ns.uts", STATE(NAMESPACE, PP_SAMPLE_TID), .add = PP_NS_UTS, .supply = "--namespaces" },
	{ "ns.ipc", STATE(NAMESPACE, PP_SAMPLE_TID), .add = PP_NS_IPC, .supply = "--namespaces" },
	{ "ns.cgroup", STATE(NAMESPACE, PP_SAMPLE_TID), .add = PP_NS_CGROUP, .supply = "--namespaces" },
	{ "host", FIELD_STR, .get = GET_HOST },
	/* parts of a sample */
	{ "callchain.nr", PART(CHAIN_NR, PP_SAMPLE_CALLCHAIN), .bits = 16, .supply = "-g" },
	{ "callchain.dso", FIELD_STR, STATE(CHAIN_DSO, PP_SAMPLE_CALLCHAIN), .supply = "-g" },
	{ "callchain.user.nr", PART(CHAIN_USER, PP_SAMPLE_CALLCHAIN), .bits = 16, .supply = "-g" },
	{ "callchain.kernel.nr", PART(CHAIN_KERNEL, PP_SAMPLE_CALLCHAIN), .bits = 16, .supply = "-g" },
	{ "callchain", FIELD_CHAIN, PART(CHAIN, PP_SAMPLE_CALLCHAIN), .supply = "-g" },
	{ "stack.size", PART(STACK, PP_SAMPLE_STACK_USER), .supply = "--call-graph dwarf" },
	{ "regs.abi", PART(ABI, PP_SAMPLE_REGS_USER | PP_SAMPLE_REGS_INTR), .supply = "--user-regs or --intr-regs" },
	{ "brstack.nr", PART(BRANCHES, PP_SAMPLE_BRANCH_STACK), .bits = 16, .supply = "-b" },
	{ "raw.size", PART(RAW, PP_SAMPLE_RAW), .bits = 16, .supply = "-R" },
	{ "read.value", PART(VALUE, PP_SAMPLE_READ), .supply = "-e '{EVENT,EVENT}:S'" },
	{ "read.enabled", PART(ENABLED, PP_SAMPLE_READ), .supply = "-e '{EVENT,EVENT}:S'" },
	{ "read.running", PART(RUNNING, PP_SAMPLE_READ), .supply = "-e '{EVENT,EVENT}:S'" },
	{ "aux.size", PART(AUX, PP_SAMPLE_AUX), .bits = 16, .supply = "--aux-sample" },
	/* sample.def */
#define NUMBER_TAIL_U64(bit, name, option) { "" name, TAIL(bit), .supply = option },
#define FILTER_NUMBER(bit, where, form, name, option) NUMBER_##where##_##form(bit, name, option)
#define FILTER_ROWS(...)
#define SAMPLE(bit, NAME, name, where, form, role, perf, shown, strip, filter, word, option) \
	FILTER_##filter(PP_SAMPLE_##NAME, where, form, word, option)
#include "record/sample.def"
#undef SAMPLE
	/* times */
	{ "reltime", PART(RELTIME, PP_SAMPLE_TIME), .sign = true, .bits = 64, .supply = "-T" },
	{ "walltime", PART(WALLTIME, PP_SAMPLE_TIME), .sign = true, .bits = 66, .supply = "-k CLOCK_MONOTONIC" },
};
enum { FIELDS = sizeof fields / sizeof *fields };

bool
field_needs_state(const struct field *f)
{
	return f->get == GET_STATE;
}

bool
field_needs_place(const struct field *f)
{
	return f->part == PART_NR || f->part == PART_OFFSET;
}

bool
field_needs_start(const struct field *f)
{
	return f->part == PART_RELTIME;
}

bool
field_needs_guests(const struct field *f)
{
	return f->part == PART_MACHINE || f->part == PART_VCPU;
}

bool
field_refused(const struct field *f)
{
	return f->get == GET_NEVER;
}

/* ---- names --------------------------------------------------------------------------------------- */

const struct field *
field_find(const char *name, size_t n)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (strlen(fields[i].name) == n && !memcmp(fields[i].name, name, n))
			return &fields[i];
	return NULL;
}

bool
field_word(const struct field *f, const char *word, size_t n, big *value)
{
	for (const struct field_word *w = f->words; w && w->name; w++)
		if (strlen(w->name) == n &&
		    !(f->words == type_words ? strncasecmp(w->name, word, n) : memcmp(w->name, word, n))) {
			*value = big_plain(w->value);
			return true;
		}
	return false;
}

void
field_words(const struct field *f, char *to, size_t size)
{
	size_t n = 0;

	*to = 0;
	for (const struct field_word *w = f->words; w && w->name && n < size; w++)
		n += (size_t)snprintf(to + n, size - n, "%s%s", n ? " " : "", w->name);
	if (n >= size)
		strcpy(to + size - 5, " ...");
}

unsigned
field_distance(const char *a, size_t na, const char *b, size_t nb)
{
	enum { LONGEST = 32 };
	unsigned d[LONGEST + 1][LONGEST + 1];

	if (na > LONGEST || nb > LONGEST)
		return LONGEST;
	for (unsigned i = 0; i <= na; i++)
		for (unsigned j = 0; j <= nb; j++) {
			unsigned least = i && j ? d[i - 1][j - 1] + (a[i - 1] != b[j - 1]) : i + j;

			if (i && d[i - 1][j] + 1 < least)
				least = d[i - 1][j] + 1;
			if (j && d[i][j - 1] + 1 < least)
				least = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < least)
				least = d[i - 2][j - 2] + 1;
			d[i][j] = least;
		}
	return d[na][nb];
}

void
field_near(const char *name, size_t n, char *to, size_t size)
{
	char lower[33];
	size_t used = 0;
	unsigned best = n < 4 ? 1 : 2, d[FIELDS];

	*to = 0;
	if (n >= sizeof lower)
		return;
	for (size_t i = 0; i < n; i++)
		lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
	for (unsigned i = 0; i < FIELDS; i++) {
		size_t len = strlen(fields[i].name);

		d[i] = field_distance(lower, n, fields[i].name, len);
		/* callchain -> callchain.nr, phys -> phys_addr, chain -> callchain */
		if (n >= 3 && d[i] > 2 && (len > n ? memmem(fields[i].name, len, lower, n) : memmem(lower, n, fields[i].name, len)))
			d[i] = 2;
	}
	for (unsigned near = 0; near <= best && used < size; near++)
		for (unsigned i = 0; i < FIELDS && used < size; i++)
			if (d[i] == near && fields[i].get != GET_NEVER)
				used += (size_t)snprintf(to + used, size - used, "%s%s", used ? ", " : "", fields[i].name);
}


/* SPDX-License-Identifier: ISC */
/*
 * attrs.c - --events: each event with its attr, as perf evlist -v has it.  Names of constants are those of perf
 * 6.12 and later.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "in.h"
#include "record/attr.h"
#include "record/sample.h"

enum { TYPE_HARDWARE, TYPE_SOFTWARE, TYPE_TRACEPOINT, TYPE_HW_CACHE, TYPE_RAW, TYPE_BREAKPOINT, TYPES };
static const char *const type_names[TYPES] = {
	"PERF_TYPE_HARDWARE", "PERF_TYPE_SOFTWARE", "PERF_TYPE_TRACEPOINT", "PERF_TYPE_HW_CACHE", "PERF_TYPE_RAW",
	"PERF_TYPE_BREAKPOINT",
};
static const char *const hardware[] = {
	"CPU_CYCLES", "INSTRUCTIONS", "CACHE_REFERENCES", "CACHE_MISSES", "BRANCH_INSTRUCTIONS", "BRANCH_MISSES", "BUS_CYCLES",
	"STALLED_CYCLES_FRONTEND", "STALLED_CYCLES_BACKEND", "REF_CPU_CYCLES",
};
static const char *const software[] = {
	"CPU_CLOCK", "TASK_CLOCK", "PAGE_FAULTS", "CONTEXT_SWITCHES", "CPU_MIGRATIONS", "PAGE_FAULTS_MIN", "PAGE_FAULTS_MAJ",
	"ALIGNMENT_FAULTS", "EMULATION_FAULTS", "DUMMY", "BPF_OUTPUT", "CGROUP_SWITCHES",
};
static const char *const caches[] = { "L1D", "L1I", "LL", "DTLB", "ITLB", "BPU", "NODE" };
static const char *const cache_ops[] = { "READ", "WRITE", "PREFETCH" };
static const char *const cache_results[] = { "ACCESS", "MISS" };
#define COUNT(a) (sizeof (a) / sizeof *(a))

/* By bit, as perf names them; sample_type is in perf's order, which is not that of the bits. */
struct bit { uint64_t bit; const char *name; };
static const struct bit sample_bits[] = {
#define SAMPLE(number, NAME, name, where, form, role, perf, shown, ...) [shown - 1] = { PP_SAMPLE_##NAME, #NAME },
#include "record/sample.def"
#undef SAMPLE
	[PP_SAMPLE_BITS] = { 0, NULL },
};
_Static_assert((0
#define SAMPLE(number, NAME, name, where, form, role, perf, shown, ...) | 1u << (shown - 1)
#include "record/sample.def"
#undef SAMPLE
    ) == (1u << PP_SAMPLE_BITS) - 1, "sample.def: two bits are shown in one place");
static const struct bit branch_bits[] = {
	{ 1 << 0, "USER" }, { 1 << 1, "KERNEL" }, { 1 << 2, "HV" }, { 1 << 3, "ANY" }, { 1 << 4, "ANY_CALL" },
	{ 1 << 5, "ANY_RETURN" },
	{ 1 << 6, "IND_CALL" }, { 1 << 7, "ABORT_TX" }, { 1 << 8, "IN_TX" }, { 1 << 9, "NO_TX" }, { 1 << 10, "COND" },
	{ 1 << 11, "CALL_STACK" }, { 1 << 12, "IND_JUMP" }, { 1 << 13, "CALL" }, { 1 << 14, "NO_FLAGS" },
	{ 1 << 15, "NO_CYCLES" },
	{ 1 << 16, "TYPE_SAVE" }, { 1 << 17, "HW_INDEX" }, { 1 << 18, "PRIV_SAVE" }, { 1 << 19, "COUNTERS" }, { 0, NULL },
};
static const struct bit read_bits[] = {
	{ 1, "TOTAL_TIME_ENABLED" }, { 2, "TOTAL_TIME_RUNNING" }, { 4, "ID" }, { 8, "GROUP" }, { 16, "LOST" }, { 0, NULL },
};
_Static_assert(COUNT(branch_bits) == PP_BRANCH_BITS + 1 && COUNT(read_bits) == PP_FORMAT_BITS + 1, "a bit without its name");

static void
attr_bits(FILE *f, const char *name, const char *is, uint64_t value, const struct bit *bits)
{
	const char *sep = "";

	if (!value)
		return;
	fprintf(f, ", %s%s", name, is);
	for (; bits->name; bits++)
		if (value & bits->bit) {
			fprintf(f, "%s%s", sep, bits->name);
			value &= ~bits->bit;
			sep = "|";
		}
	if (value)
		fprintf(f, "%s0x%" PRIx64, sep, value);
}

static void
attr_config(FILE *f, const struct pp_attr *a)
{
	uint64_t cache = a->config & 0xff, op = a->config >> 8 & 0xff, result = a->config >> 16;

	fprintf(f, "%#" PRIx64, a->config);
	if (a->type == TYPE_HARDWARE && a->config < COUNT(hardware))
		fprintf(f, " (PERF_COUNT_HW_%s)", hardware[a->config]);
	else if (a->type == TYPE_SOFTWARE && a->config < COUNT(software))
		fprintf(f, " (PERF_COUNT_SW_%s)", software[a->config]);
	else if (a->type == TYPE_HW_CACHE && cache < COUNT(caches) && op < COUNT(cache_ops) && result < COUNT(cache_results))
		fprintf(f, " (PERF_COUNT_HW_CACHE_RESULT_%s | PERF_COUNT_HW_CACHE_OP_%s | PERF_COUNT_HW_CACHE_%s)",
		    cache_results[result], cache_ops[op], caches[cache]);
}

static void
attr_num(FILE *f, const char *name, const char *is, uint64_t value)
{
	if (value)
		fprintf(f, ", %s%s%" PRIu64, name, is, value);
}

static void
attr_hex(FILE *f, const char *name, const char *is, uint64_t value)
{
	if (value)
		fprintf(f, ", %s%s0x%" PRIx64, name, is, value);
}

void
attr_fields(FILE *f, const struct pp_attr *a, const char *is)
{
	enum { PRECISE = 15 };

	fprintf(f, ", type%s%" PRIu32, is, a->type);
	if (a->type < TYPES)
		fprintf(f, " (%s)", type_names[a->type]);
	attr_num(f, "size", is, a->size);
	fprintf(f, ", config%s", is);
	attr_config(f, a);
	attr_num(f, "{ sample_period, sample_freq }", is, a->sample_period);
	attr_bits(f, "sample_type", is, a->sample_type, sample_bits);
	attr_bits(f, "read_format", is, a->read_format, read_bits);
	for (unsigned i = 0; i < 64; i++)
		if (i == PRECISE)
			attr_num(f, "precise_ip", is, a->flags >> i & 3);
		else if (i == PRECISE + 1)
			continue;
		else if (a->flags >> i & 1 && i < PP_ATTR_FLAGS)
			fprintf(f, ", %s%s1", pp_attr_flag_names[i], is);
		else if (a->flags >> i & 1)
			fprintf(f, ", flag %u%s1", i, is);
	attr_num(f, "{ wakeup_events, wakeup_watermark }", is, a->wakeup_events);
	attr_num(f, "bp_type", is, a->bp_type);
	attr_hex(f, "{ bp_addr, config1 }", is, a->config1);
	attr_hex(f, "{ bp_len, config2 }", is, a->config2);
	attr_bits(f, "branch_sample_type", is, a->branch_sample_type, branch_bits);
	attr_hex(f, "sample_regs_user", is, a->sample_regs_user);
	attr_num(f, "sample_stack_user", is, a->sample_stack_user);
	if (a->clockid)
		fprintf(f, ", clockid%s%" PRId32, is, (int32_t)a->clockid);
	attr_hex(f, "sample_regs_intr", is, a->sample_regs_intr);
	attr_num(f, "aux_watermark", is, a->aux_watermark);
	attr_num(f, "sample_max_stack", is, a->sample_max_stack);
	attr_num(f, "aux_sample_size", is, a->aux_sample_size);
	attr_num(f, "sig_data", is, a->sig_data);
	attr_num(f, "aux_start_paused", is, a->aux_action & 1);
	attr_num(f, "aux_pause", is, a->aux_action >> 1 & 1);
	attr_num(f, "aux_resume", is, a->aux_action >> 2 & 1);
	attr_hex(f, "config3", is, a->config3);
	attr_hex(f, "config4", is, a->config4);
}

/* ---- the table ----------------------------------------------------------------------------------- */

static const struct column attrs_columns[] = {
	{ "event", CELL_TEXT, ADDS_KEY, "name of the event" },
	{ "attr", CELL_TEXT, ADDS_KEY, "fields of its attr that are not 0" },
};

static void
attrs_rows(const void *of, report_put *put, void *arg)
{
	const struct views *v = of;
	const struct pp_events *all = v->tool->in ? v->tool->in->events : NULL;

	for (unsigned i = 0; all && i < all->n; i++) {
		char *text;
		size_t n;
		FILE *f = tool_text(&text, &n);

		attr_fields(f, &all->ev[i]->attr, ": ");
		tool_text_end(f, &text);
		put(arg, (struct cell[]){ cell_text(pp_event_name(all->ev[i])), cell_text(text + 2) });
		free(text);
	}
}

const struct table attrs_table = { "attrs", "attributes of the events", TABLE(attrs_columns), .screen = SCREEN_OFF,
    .rows = attrs_rows };

static void
attrs_line(void *arg, const struct cell *row)
{
	FILE *f = arg;

	text_print(f, row[0].text, row[0].len);
	fprintf(f, ": %s\n", row[1].text);
}

void
attrs_screen(FILE *f, const struct views *v)
{
	attrs_table.rows(v, attrs_line, f);
}

/* SPDX-License-Identifier: ISC */
/* mkpipe.h - mkpipe's tables, its bytes, and the values of a line; read by mkpipe.c only */
#ifndef MKPIPE_H
#define MKPIPE_H

#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buf { uint8_t *p; size_t n, cap; };
/* A line of a recipe: the pairs before kv[at] are the body's, those from there on the trailer's. */
struct line { char *name; struct { char *k, *v; } kv[512]; unsigned n, at; bool trailer, mark; };
static bool big;			/* the stream is big endian */

/*
 * Fields: NAME:WIDTH a number; :s a string, NUL and padding to 8; :cN a string in N bytes; :xN N bytes (x: as given);
 * :w u64s; :n u64 count of list=; :l/8/c16 the list; :PN number of payload bytes; :m MMAP2's union;
 * * the loose items; p padding to 8; @ trailer.
 */
static const struct layout { unsigned type; const char *name, *fields; } layouts[] = {
	{  1, "MMAP", "pid:4 tid:4 start:8 len:8 pgoff:8 filename:s * @" },
	{  2, "LOST", "id:8 lost:8 * @" },
	{  3, "COMM", "pid:4 tid:4 comm:s * @" },
	{  4, "EXIT", "pid:4 ppid:4 tid:4 ptid:4 time:8 * @" },
	{  5, "THROTTLE", "time:8 id:8 stream_id:8 * @" },
	{  6, "UNTHROTTLE", "time:8 id:8 stream_id:8 * @" },
	{  7, "FORK", "pid:4 ppid:4 tid:4 ptid:4 time:8 * @" },
	{  8, "READ", "pid:4 tid:4 read:w * @" },
	{ 10, "MMAP2", "pid:4 tid:4 start:8 len:8 pgoff:8 union:m prot:4 flags:4 filename:s * @" },
	{ 11, "AUX", "aux_offset:8 aux_size:8 flags:8 * @" },
	{ 12, "ITRACE_START", "pid:4 tid:4 * @" },
	{ 13, "LOST_SAMPLES", "lost:8 * @" },
	{ 14, "SWITCH", "* @" },
	{ 15, "SWITCH_CPU_WIDE", "next_prev_pid:4 next_prev_tid:4 * @" },
	{ 16, "NAMESPACES", "pid:4 tid:4 nr:n list:l/8/8 * @" },
	{ 17, "KSYMBOL", "addr:8 len:4 ksym_type:2 flags:2 name:s * @" },
	{ 18, "BPF_EVENT", "bpf_type:2 flags:2 bpf_id:4 tag:x8 * @" },
	{ 19, "CGROUP", "id:8 path:s * @" },
	{ 20, "TEXT_POKE", "addr:8 old_len:2 new_len:2 bytes:x p * @" },
	{ 21, "AUX_OUTPUT_HW_ID", "hw_id:8 * @" },
	{ 22, "CALLCHAIN_DEFERRED", "cookie:8 nr:n list:l/8 * @" },
	{ 65, "HEADER_EVENT_TYPE", "event_id:8 name:c64 *" },
	{ 66, "HEADER_TRACING_DATA", "data_size:P4 pad:4 *" },
	{ 67, "HEADER_BUILD_ID", "pid:4 build_id:x20 id_size:1 r1:1 r2:2 filename:s *" },
	{ 68, "FINISHED_ROUND", "*" },
	{ 69, "ID_INDEX", "nr:n list:l/8/8/8/8 *" },
	{ 70, "AUXTRACE_INFO", "aux_type:4 reserved:4 priv:w *" },
	{ 71, "AUXTRACE", "aux_size:P8 offset:8 reference:8 idx:4 tid:4 cpu:4 reserved:4 *" },
	{ 72, "AUXTRACE_ERROR", "error_type:4 code:4 cpu:4 pid:4 tid:4 fmt:4 ip:8 time:8 msg:c64 machine_pid:4 vcpu:4 *" },
	{ 73, "THREAD_MAP", "nr:n list:l/8/c16 *" },
	{ 74, "CPU_MAP", "* p" },
	{ 75, "STAT_CONFIG", "nr:n list:l/8/8 *" },
	{ 76, "STAT", "id:8 cpu:4 thread:4 val:8 ena:8 run:8 *" },
	{ 77, "STAT_ROUND", "round_type:8 time:8 *" },
	{ 78, "EVENT_UPDATE", "update_type:8 id:8 * p" },
	{ 79, "TIME_CONV", "shift:8 mult:8 zero:8 cycles:8 mask:8 cap_zero:1 cap_short:1 r1:2 r2:4 *" },
	{ 80, "HEADER_FEATURE", "feat_id:8 *" },
	{ 81, "COMPRESSED", "*" },
	{ 82, "FINISHED_INIT", "*" },
	{ 83, "COMPRESSED2", "data_size:8 * p" },
	{ 84, "BPF_METADATA", "prog_name:c512 nr:n list:l/c64/c256 *" },
	{ 85, "SCHEDSTAT_CPU", "timestamp:8 cpu:4 version:2 pad:2 * p" },
	{ 86, "SCHEDSTAT_DOMAIN", "timestamp:8 cpu:4 version:2 domain:2 * p" },
	{  0, "rec", "* @?" },		/* any type=; no trailer */
};
static const char *const sample_bits[] = {
	"IP", "TID", "TIME", "ADDR", "READ", "CALLCHAIN", "ID", "CPU", "PERIOD", "STREAM_ID", "RAW", "BRANCH_STACK",
	"REGS_USER", "STACK_USER", "WEIGHT", "DATA_SRC", "IDENTIFIER", "TRANSACTION", "REGS_INTR", "PHYS_ADDR", "AUX",
	"CGROUP", "DATA_PAGE_SIZE", "CODE_PAGE_SIZE", "WEIGHT_STRUCT", NULL
};
enum { IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCH_STACK, REGS_USER, STACK_USER,
	WEIGHT, DATA_SRC, IDENTIFIER, TRANSACTION, REGS_INTR, PHYS_ADDR, AUX, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE,
	WEIGHT_STRUCT };
static const char *const flag_bits[] = {
	"disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel", "exclude_hv", "exclude_idle",
	"mmap", "comm", "freq", "inherit_stat", "enable_on_exec", "task", "watermark", "precise1", "precise2",
	"mmap_data", "sample_id_all", "exclude_host", "exclude_guest", "exclude_callchain_kernel",
	"exclude_callchain_user", "mmap2", "comm_exec", "use_clockid", "context_switch", "write_backward",
	"namespaces", "ksymbol", "bpf_event", "aux_output", "cgroup", "text_poke", "build_id", "inherit_thread",
	"remove_on_exec", "sigtrap", "defer_callchain", "defer_output", NULL
};
static const struct { const char *name; unsigned off, width; } attr_fields[] = {
	{ "type", 0, 4 }, { "config", 8, 8 }, { "period", 16, 8 }, { "sample_type", 24, 8 }, { "read_format", 32, 8 },
	{ "wakeup", 48, 4 }, { "bp_type", 52, 4 }, { "config1", 56, 8 }, { "config2", 64, 8 },
	{ "branch_sample_type", 72, 8 }, { "regs_user", 80, 8 }, { "stack_user", 88, 4 }, { "clockid", 92, 4 },
	{ "regs_intr", 96, 8 }, { "aux_watermark", 104, 4 }, { "max_stack", 108, 2 }, { "aux_sample_size", 112, 4 },
	{ "aux_action", 116, 4 }, { "sig_data", 120, 8 }, { "config3", 128, 8 }, { "config4", 136, 8 },
};

/* ---- bytes ----------------------------------------------------------------------------------- */

static uint8_t *
grow(struct buf *b, size_t n)
{
	if (!b->p || b->cap - b->n < n) {
		b->cap = (b->n + n) * 2 + 64;
		if (!(b->p = realloc(b->p, b->cap)))
			err(1, NULL);
	}
	b->n += n;
	return memset(b->p + b->n - n, 0, n);
}

/* Zeros up to that offset, where a field of fixed size ends. */
static void
fill(struct buf *b, size_t end)
{
	if (b->n > end)
		errx(1, "a value is too long for its field");
	grow(b, end - b->n);
}

static void
put(struct buf *b, const void *p, size_t n)
{
	if (n)
		memcpy(grow(b, n), p, n);
}

static void
store(uint8_t *p, uint64_t v, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		p[big ? width - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

static void
num(struct buf *b, uint64_t v, unsigned width)
{
	store(grow(b, width), v, width);
}

static void
pad(struct buf *b, unsigned to)
{
	grow(b, (to - b->n % to) % to);
}

static uint64_t
number(const char *s)
{
	char *end;
	uint64_t v = strtoull(s, &end, 0);

	if (end == s || *end)
		errx(1, "not a number: %s", s);
	return v;
}

static void
hex(struct buf *b, const char *s)
{
	unsigned v;

	for (; *s; s += 2) {
		if (sscanf(s, "%2x", &v) != 1 || !s[1])
			errx(1, "not hex: %s", s);
		num(b, v, 1);
	}
}

static void
text(struct buf *b, const char *s)
{
	unsigned v;

	for (; *s; s++)
		if (*s != '\\')
			num(b, (uint8_t)*s, 1);
		else if (*++s == 's')
			num(b, ' ', 1);
		else if (*s == 'x' && sscanf(s + 1, "%2x", &v) == 1)
			num(b, v, 1), s += 2;
		else
			num(b, (uint8_t)*s, 1);
}

static uint64_t
bits(const char *s, const char *const *names)
{
	uint64_t v = 0;
	char *copy = strdup(s), *w, *p = copy;
	unsigned i;

	while ((w = strsep(&p, "|"))) {
		for (i = 0; names[i] && strcmp(names[i], w); i++)
			;
		v |= names[i] ? UINT64_C(1) << i : number(w);
	}
	free(copy);
	return v;
}

/* ---- a line's values ------------------------------------------------------------------------- */

static const char *
find(const struct line *l, unsigned from, unsigned to, const char *key)
{
	for (unsigned i = from; i < to; i++)
		if (!strcmp(l->kv[i].k, key))
			return l->kv[i].v;
	return NULL;
}

static const char *
body(const struct line *l, const char *key)
{
	return find(l, 0, l->at, key);
}

static uint64_t
value(const struct line *l, const char *key, uint64_t otherwise)
{
	const char *s = body(l, key);
	return s ? number(s) : otherwise;
}

/* Call fn for each comma-separated word; how many there were. */
static uint64_t
words(struct buf *b, const char *s, void (*fn)(struct buf *, char *, const void *), const void *arg)
{
	uint64_t n = 0;
	char *copy, *p, *w;

	if (!s || !*s)
		return 0;
	for (p = copy = strdup(s); (w = strsep(&p, ",")); n++)
		if (fn)
			fn(b, w, arg);
	free(copy);
	return n;
}

static void
word_u64(struct buf *b, char *w, const void *arg)
{
	(void)arg;
	num(b, number(w), 8);
}

/* "3/4" by widths "/8/c16" */
static void
word_tuple(struct buf *b, char *w, const void *arg)
{
	const char *widths = arg;

	while (*widths == '/') {
		char *v = strsep(&w, "/");
		bool chars = *++widths == 'c';
		unsigned n = (unsigned)strtoul(widths + chars, (char **)&widths, 10);
		size_t was = b->n;

		if (!chars)
			num(b, v ? number(v) : 0, n);
		else {
			text(b, v ? v : "");
			fill(b, was + n);
		}
	}
}

#endif

/* SPDX-License-Identifier: ISC */
/* perf_text.c - see perf_text.h */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perf_line.h"
#include "perf_text.h"
#include "record/event.h"
#include "record/feature.h"
#include "tool/tool.h"

enum { BITMAP_CUT = 99 };	/* perf prints a bitmap into 100 bytes, and leaves out what does not fit */

struct words {
	const char	*p;		/* the rest of the text */
	bool		 marked;
	struct pp_feature_io io;
	struct pp_err	*err;
};

/* ---- what is put into the payload ------------------------------------------------------------------------ */

static int
num(struct words *w, const char *name, uint64_t n)
{
	return pp_feature_put_num(&w->io, name, n);
}

static int
str(struct words *w, const char *name, struct span s)
{
	return pp_feature_put_str(&w->io, name, s.p, s.n);
}

static int
count(struct words *w, const char *name)
{
	return pp_feature_put_count(&w->io, name);
}

static int
expected(struct words *w, const char *what)
{
	return pp_fail(w->err, "'%.40s': expected %s", w->p, what);
}

/* ---- the features -------------------------------------------------------------------------------------- */
/* Each: 1; 0: the text is not of perf's form; -1. */

static int
parse_NRCPUS(struct words *w)
{
	uint64_t online, available;

	if (!perf_line(&w->p, "nrcpus online : %u", &online) || !perf_line(&w->p, "nrcpus avail : %u", &available))
		return 0;
	return num(w, "available", available) < 0 ? -1 : num(w, "online", online);
}

/* Arguments, each with a blank behind it.  perf writes \' for '. */
static int
parse_CMDLINE(struct words *w)
{
	const char *p = w->p, *end;
	char *arg;
	size_t n;
	int rc;

	if (!w->marked || strncmp(p, "cmdline : ", 10))
		return 0;
	rc = count(w, "nr");
	for (p += 10; rc > 0 && *p && strcmp(p, "\n"); p = end + (*end == ' ')) {
		end = p + strcspn(p, " ");
		if (!(arg = malloc((size_t)(end - p) + 1)))
			return pp_fail_memory(w->err);
		for (n = 0; p < end; p++)
			if (!(p[0] == '\\' && p[1] == '\''))
				arg[n++] = *p;
		if (!*end && n && arg[n - 1] == '\n')
			n--;
		rc = pp_feature_put_str(&w->io, "arg", arg, n);
		free(arg);
	}
	w->p += strlen(w->p);
	return rc;
}

/* The CPUs, from there on: their cores and sockets, or their dies. */
static int
parse_cpus(struct words *w, bool dies, bool have_dies)
{
	uint64_t cpu, core, die, socket;
	const char *at;
	int rc = 1;

	for (uint64_t i = 0; rc > 0 && *w->p; i++) {
		at = w->p;
		if (!(have_dies ? perf_line(&w->p, "CPU %u: Core ID %d, Die ID %d, Socket ID %d", &cpu, &core, &die, &socket) :
		    perf_line(&w->p, "CPU %u: Core ID %d, Socket ID %d", &cpu, &core, &socket)) || cpu != i) {
			w->p = at;
			return expected(w, "a line for each CPU, from 0 on");
		}
		if (dies)
			rc = num(w, "die_id", die);
		else if ((rc = num(w, "core_id", core)) > 0)
			rc = num(w, "socket_id", socket);
	}
	return rc;
}

static int
parse_siblings(struct words *w, const char *nr, const char *name, const char *pattern)
{
	struct span s;
	int rc = nr ? count(w, nr) : 1;

	while (rc > 0 && perf_line(&w->p, pattern, &s))
		if (name)
			rc = str(w, name, s);
	return rc;
}

/* The text has the dies in front of the threads, the payload behind all else. */
static int
parse_CPU_TOPOLOGY(struct words *w)
{
	static const char sockets_line[] = "sibling sockets : %s", cores_line[] = "sibling cores : %s",
	    dies_line[] = "sibling dies : %s", threads_line[] = "sibling threads : %s";
	const char *dies, *cpus, *end;
	struct words look = *w;
	bool old, have_dies;
	struct span s;

	old = perf_line(&look.p, cores_line, &s);
	if (!old && !perf_line(&look.p, sockets_line, &s))
		return 0;
	if (parse_siblings(w, "nr_cores", "core_siblings", old ? cores_line : sockets_line) < 0)
		return -1;
	dies = w->p;
	if (parse_siblings(w, NULL, NULL, dies_line) < 0)
		return -1;
	have_dies = w->p != dies;
	if (parse_siblings(w, "nr_threads", "thread_siblings", threads_line) < 0)
		return -1;
	if (perf_line(&w->p, "Core ID and Socket ID information is not available") ||
	    perf_line(&w->p, "Core ID, Die ID and Socket ID information is not available") || !*w->p)
		return have_dies ? expected(w, "lines of CPUs, as there are dies") : 1;
	cpus = w->p;
	if (!strstr(cpus, "Die ID"))
		return have_dies ? expected(w, "a line for each CPU, with its die") : parse_cpus(w, false, false);
	if (parse_cpus(w, false, true) < 0)
		return -1;
	end = w->p;
	w->p = dies;
	if (parse_siblings(w, "nr_dies", "die_siblings", dies_line) < 0)
		return -1;
	w->p = cpus;
	if (parse_cpus(w, true, true) < 0)
		return -1;
	w->p = end;
	return 1;
}

static int
parse_NUMA_TOPOLOGY(struct words *w)
{
	uint64_t node, total, free_kb, again;
	struct span cpus;
	int rc = 0;

	while (perf_line(&w->p, "node%u meminfo : total = %u kB, free = %u kB", &node, &total, &free_kb)) {
		if (!rc && (rc = count(w, "nr")) < 0)
			return -1;
		if (!perf_line(&w->p, "node%u cpu list : %s", &again, &cpus) || again != node)
			return expected(w, "the line of the CPUs of that node");
		if (num(w, "node", node) < 0 || num(w, "total_kb", total) < 0 || num(w, "free_kb", free_kb) < 0 ||
		    str(w, "cpus", cpus) < 0)
			return -1;
	}
	return rc;
}

/* "TITLE: A = 1, B = 2": put a pair, from *p on.  false: there is none. */
static bool
next_pair(const char **p, const char *equals, struct span *name, struct span *value)
{
	size_t line_len = strcspn(*p, "\n");
	const char *at = memmem(*p, line_len, equals, strlen(equals)), *end = *p + line_len, *comma;

	if (!at)
		return false;
	*name = (struct span){ *p, (size_t)(at - *p) };
	at += strlen(equals);
	comma = memmem(at, (size_t)(end - at), ", ", 2);
	*value = (struct span){ at, (size_t)((comma ? comma : end) - at) };
	*p = comma ? comma + 2 : end;
	return true;
}

static int
parse_PMU_MAPPINGS(struct words *w)
{
	const char *p = w->p + strlen("pmu mappings: "), *end;
	struct span name, value;
	uint64_t type;

	if (strncmp(w->p, "pmu mappings: ", strlen("pmu mappings: ")) || !memmem(p, strcspn(p, "\n"), " = ", 3))
		return 0;
	if (count(w, "nr") < 0)
		return -1;
	while (next_pair(&p, " = ", &name, &value)) {
		if (!(end = perf_number(value.p, 'u', &type)) || end != value.p + value.n)
			return expected(w, "the number of each PMU");
		if (num(w, "type", type) < 0 || str(w, "name", name) < 0)
			return -1;
	}
	w->p = p + (*p == '\n');
	return 1;
}

/* Pairs "name=value", up to the end of the line. */
static int
put_caps(struct words *w, const char *p)
{
	struct span name, value;

	while (next_pair(&p, "=", &name, &value))
		if (str(w, "name", name) < 0 || str(w, "value", value) < 0)
			return -1;
	w->p = p;
	if (*p && *p != '\n')
		return expected(w, "NAME=VALUE");
	w->p += *p == '\n';
	return 1;
}

static int
parse_CPU_PMU_CAPS(struct words *w)
{
	if (perf_line(&w->p, "cpu pmu capabilities: not available"))
		return num(w, "nr", 0);
	if (!w->marked || strncmp(w->p, "cpu pmu capabilities: ", 22))
		return 0;
	return count(w, "nr") < 0 ? -1 : put_caps(w, w->p + 22);
}

static int
parse_PMU_CAPS(struct words *w)
{
	static const char title[] = " pmu capabilities: ";
	struct span pmu;
	const char *at;
	int rc = 0;

	while ((at = memmem(w->p, strcspn(w->p, "\n"), title, strlen(title)))) {
		pmu = (struct span){ w->p, (size_t)(at - w->p) };
		if (!rc && (rc = count(w, "nr")) < 0)
			return -1;
		at += strlen(title);
		if (!strncmp(at, "not available", 13)) {
			w->p = at + 13 + (at[13] == '\n');
			if (num(w, "nr_caps", 0) < 0 || str(w, "pmu", pmu) < 0)
				return -1;
		} else if (count(w, "nr_caps") < 0 || put_caps(w, at) < 0 || str(w, "pmu", pmu) < 0)
			return -1;
	}
	return rc;
}

static int
parse_SAMPLE_TIME(struct words *w)
{
	uint64_t s[2], ns[2], ms, part;

	if (!perf_line(&w->p, "time of first sample : %u.%f", &s[0], &ns[0]) || !perf_line(&w->p, "time of last sample : %u.%f", &s[1], &ns[1]))
		return 0;
	perf_line(&w->p, "sample duration : %u.%f ms", &ms, &part);
	if (s[0] > UINT64_MAX / 1000000000 - 1 || s[1] > UINT64_MAX / 1000000000 - 1)
		return expected(w, "times of less than 2^64 ns");
	return num(w, "first", s[0] * 1000000000 + ns[0]) < 0 ? -1 : num(w, "last", s[1] * 1000000000 + ns[1]);
}

/* "0-2,63-64": the words of the bitmap, *n: behind the last bit.  NULL: it is not sound; the caller frees the result. */
static uint64_t *
parse_bitmap(struct span s, uint64_t max, uint64_t *n)
{
	uint64_t *words = calloc(max / 64 + 1, sizeof *words), lo, hi;
	const char *p = s.p;
	bool sound = words != NULL;

	*n = 0;
	while (sound && p < s.p + s.n) {
		if (!(sound = (p = perf_number(p, 'u', &lo)) != NULL))
			break;
		hi = lo;
		if (*p == '-' && !(sound = (p = perf_number(p + 1, 'u', &hi)) != NULL))
			break;
		if (!(sound = lo >= *n && hi >= lo && hi < max))
			break;
		for (*n = hi + 1; lo <= hi; lo++)
			words[lo / 64] |= UINT64_C(1) << lo % 64;
		if (*p == ',')
			p++;
	}
	if (sound && p == s.p + s.n)
		return words;
	free(words);
	return NULL;
}

static int
parse_MEM_TOPOLOGY(struct words *w)
{
	uint64_t nodes, block, node, bits, *words;
	struct span size, list;
	int rc;

	if (!perf_line(&w->p, "memory nodes (nr %u, block size 0x%x):", &nodes, &block))
		return 0;
	if (num(w, "version", 1) < 0 || num(w, "block_size", block) < 0 || num(w, "nr", nodes) < 0)
		return -1;
	for (uint64_t i = 0; i < nodes; i++) {
		if (!perf_line(&w->p, " %u [%s]: %s", &node, &size, &list))
			return expected(w, "a line for each node");
		if (list.n >= BITMAP_CUT)
			return pp_fail(w->err, "the blocks of node %" PRIu64 " are cut, as perf prints at most %d characters; "
			    "expected @FILE", node, BITMAP_CUT);
		if (!(words = parse_bitmap(list, 8 * (uint64_t)w->io.cap, &bits)))
			return expected(w, "numbers of blocks such as 0-2,63");
		rc = num(w, "node", node) < 0 || num(w, "blocks", bits) < 0 || num(w, "nbits", bits) < 0 ? -1 : 1;
		for (uint64_t k = 0; rc > 0 && k < (bits + 63) / 64; k++)
			rc = num(w, "bits", words[k]);
		free(words);
		if (rc < 0)
			return -1;
	}
	return 1;
}

/* perf prints 1000 times the resolution in ns, and calls that MHz. */
static int
parse_CLOCKID(struct words *w)
{
	uint64_t n;

	if (!perf_line(&w->p, "clockid frequency: %u MHz", &n))
		return 0;
	return n % 1000 ? expected(w, "a multiple of 1000 MHz") : num(w, "resolution", n / 1000);
}

static int
parse_CLOCK_DATA(struct words *w)
{
	uint64_t id, wall, wall_ns, clock, clock_ns;
	struct span name, date;

	if (!perf_line(&w->p, "clockid: %s (%u)", &name, &id))
		return 0;
	if (!perf_line(&w->p, "reference time: %s = %u.%f (TOD) = %u.%f (%s", &date, &wall, &wall_ns, &clock, &clock_ns, &name))
		return expected(w, "'reference time: DATE = SECONDS (TOD) = SECONDS (NAME)'");
	if (wall > UINT64_MAX / 1000000000 - 1 || clock > UINT64_MAX / 1000000000 - 1)
		return expected(w, "times of less than 2^64 ns");
	if (num(w, "version", 1) < 0 || num(w, "clockid", id) < 0 || num(w, "wall_clock", wall * 1000000000 + wall_ns) < 0)
		return -1;
	return num(w, "clock", clock * 1000000000 + clock_ns);
}

static int
parse_CPU_DOMAIN_INFO(struct words *w)
{
	uint64_t version, max, cpu, nr, domain;
	struct span name, map, list;

	if (!perf_line(&w->p, "schedstat version : %u", &version) || !perf_line(&w->p, "Maximum sched domains : %u", &max))
		return 0;
	if (num(w, "version", version) < 0 || num(w, "max_domains", max) < 0)
		return -1;
	while (perf_line(&w->p, "cpu : %u", &cpu)) {
		if (!perf_line(&w->p, "nr_domains : %u", &nr))
			return expected(w, "'nr_domains : ' and a number");
		if (num(w, "cpu", cpu) < 0 || num(w, "nr", nr) < 0)
			return -1;
		for (uint64_t i = 0; i < nr; i++) {
			if (!perf_line(&w->p, "Domain : %u", &domain))
				return expected(w, "'Domain : ' and a number");
			if (num(w, "domain", domain) < 0)
				return -1;
			if (version >= 17 && (!perf_line(&w->p, "Domain name : %s", &name) || str(w, "name", name) < 0))
				return w->io.failed ? -1 : expected(w, "'Domain name : '");
			if (!perf_line(&w->p, "Domain cpu map : %s", &map) || !perf_line(&w->p, "Domain cpu list : %s", &list))
				return expected(w, "'Domain cpu map : ' and 'Domain cpu list : '");
			if (str(w, "cpumask", map) < 0 || str(w, "cpus", list) < 0)
				return -1;
		}
	}
	return 1;
}

static int
parse_E_MACHINE(struct words *w)
{
	uint64_t machine, flags;

	if (!perf_line(&w->p, "e_machine : %u", &machine) || !perf_line(&w->p, " e_flags : %u", &flags))
		return 0;
	return num(w, "e_machine", machine) < 0 ? -1 : num(w, "e_flags", flags);
}

static int
parse_CLN_SIZE(struct words *w)
{
	uint64_t n;

	return perf_line(&w->p, "cacheline size: %u", &n) ? num(w, "bytes", n) : 0;
}

/* By the column `shown' of feature.def.  NULL: there is no perf's text of it, or it is that of the row. */
#define parse_GROUP_DESC	NULL	/* perf_text_groups() */
#define parse_EVENT_DESC	NULL	/* these have no form as text */
#define parse_BPF_PROG_INFO	NULL
#define parse_BPF_BTF		NULL
#define parse_CACHE		NULL	/* these are no records */
#define parse_HYBRID_TOPOLOGY	NULL
static int (*const table[PP_FEAT_END])(struct words *) = {
#define PARSE_SAME(NAME) NULL
#define PARSE_LONG(NAME) parse_##NAME
#define PARSE_OTHER(NAME) parse_##NAME
#define FEAT(number, NAME, where, holds, shown, of, fields) [number] = PARSE_##shown(NAME),
#include "record/feature.def"
#undef FEAT
};

/* ---- groups -------------------------------------------------------------------------------------------- */

bool
perf_text_is_groups(uint64_t number, const char *lines)
{
	return number == PP_FEAT_GROUP_DESC && !strncmp(lines, "group: ", 7);
}

/* Does the group of n events, whose names are in the text, begin with that event?  Their number; 0: no. */
static uint64_t
group_at(const struct pp_events *e, unsigned first, const char *p, const char *end)
{
	unsigned i = first;

	for (; i < e->n && p < end; i++) {
		const char *name = pp_event_name(e->ev[i]);
		size_t n = strlen(name);

		if ((size_t)(end - p) < n || memcmp(p, name, n) || (p + n < end && p[n] != ','))
			return 0;
		p += n + (p + n < end);
	}
	return p >= end ? i - first : 0;
}

int
perf_text_groups(const char *lines, const struct pp_events *e, bool swap, uint8_t *buf, size_t cap, size_t *len,
    struct pp_err *err)
{
	struct words w = { .p = lines, .err = err };
	unsigned first = 0;
	uint64_t members = 0;
	struct span name, events;

	pp_feature_create(&w.io, PP_FEAT_GROUP_DESC, swap, 0, buf, cap, err);
	if (count(&w, "nr") < 0)
		return -1;
	while (perf_line(&w.p, "group: %s{%s}", &name, &events)) {
		for (; first < e->n && !(members = group_at(e, first, events.p, events.p + events.n)); first++)
			;
		if (first == e->n)
			return pp_fail(err, "the recording has no such events: %.*s", (int)(events.n < 100 ? events.n : 100), events.p);
		if (str(&w, "name", name.n ? name : (struct span){ "{anon_group}", 12 }) < 0 || num(&w, "leader", first) < 0 ||
		    num(&w, "members", members) < 0)
			return -1;
		first += (unsigned)members;
	}
	return *w.p ? expected(&w, "'group: NAME{EVENT,...}'") : pp_feature_finish(&w.io, len);
}

/* ---- for others ---------------------------------------------------------------------------------------- */

char *
perf_text_lines(uint64_t number, const char *text, bool *marked)
{
	char *lines = tool_alloc(strlen(text) + 1, 1), *to = lines;

	*marked = text[0] == '#' && text[1] == ' ';
	/* an argument of the command may have newlines of its own */
	for (bool begins = true; *text; begins = *text++ == '\n' && number != PP_FEAT_CMDLINE) {
		if (begins && *marked && text[0] == '#')
			text += 1 + (text[1] == ' ');
		if (!*text)
			break;
		*to++ = *text;
	}
	*to = 0;
	return lines;
}

int
perf_text_parse(uint64_t number, const char *lines, bool marked, bool swap, uint8_t *buf, size_t cap, size_t *len,
    struct pp_err *err)
{
	struct words w = { .p = lines, .marked = marked, .err = err };
	int rc;

	if (number >= PP_FEAT_END || !table[number])
		return 0;
	pp_feature_create(&w.io, number, swap, 0, buf, cap, err);
	if ((rc = table[number](&w)) <= 0)
		return rc;
	return *w.p && strcmp(w.p, "\n") ? expected(&w, "nothing more") : pp_feature_finish(&w.io, len);
}

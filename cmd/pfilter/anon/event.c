/* SPDX-License-Identifier: ISC */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "event.h"

#define COUNT(a) (sizeof (a) / sizeof *(a))

struct word { const char *p; size_t n; };	/* a component of a name; not NUL-terminated */

/* Names of hardware and software events, and names that perf generates (tools/perf/util/evsel.c, parse-events.c). */
static const char *const events[] = {
	"cycles", "cpu-cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-instructions",
	"branch-misses", "bus-cycles", "stalled-cycles-frontend", "idle-cycles-frontend", "stalled-cycles-backend",
	"idle-cycles-backend", "ref-cycles", "slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound",
	"cpu-clock", "task-clock", "page-faults", "faults", "context-switches", "cs", "cpu-migrations", "migrations",
	"minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy", "bpf-output", "cgroup-switches",
	"duration_time", "user_time", "system_time", "mem-loads", "mem-stores", "mem-loads-aux",
	"unknown-hardware", "unknown-software",
};
/* Cache events: one of `caches' and one of `cache_ops'. */
static const char *const caches[] = {
	"L1-dcache", "L1-icache", "L1-d", "L1-i", "l1d", "l1i", "L1-data", "L1-instruction", "LLC", "L2", "dTLB", "iTLB", "branch", "node",
};
static const char *const cache_ops[] = {
	"-loads", "-load-misses", "-load-refs", "-load", "-stores", "-store-misses", "-store-refs", "-store", "-prefetches",
	"-prefetch-misses", "-prefetch-refs", "-prefetch", "-misses", "-refs",
};
/* TRACE_SYSTEM of include/trace/events and of drivers in the kernel's tree. */
static const char *const groups[] = {
	"alarmtimer", "amd_cpu", "amdgpu", "asoc", "block", "bpf_test_run", "bpf_trace", "bridge", "btrfs", "cgroup", "clk", "cma",
	"compaction", "context_tracking", "cpuhp", "csd", "damon", "dev", "devfreq", "devlink", "dma", "dma_fence", "dlm", "drm", "erofs",
	"error_report", "exceptions", "ext4", "f2fs", "fib", "fib6", "filelock", "filemap", "fs_dax", "ftrace", "gpio", "gpu_mem",
	"gpu_scheduler", "handshake", "huge_memory", "hwmon", "hyperv", "i2c", "i915", "initcall", "intel_ifs", "intel_iommu",
	"interconnect", "io_uring", "iocost", "iomap", "iommu", "ipi", "irq", "irq_matrix", "irq_vectors", "iscsi", "jbd2", "kmem", "ksm",
	"kvm", "kvmmmu", "kyber", "libata", "lock", "maple_tree", "mce", "mdio", "mei", "migrate", "mm_page_alloc", "mmap", "mmap_lock",
	"mmc", "module", "mptcp", "msr", "napi", "nbd", "neigh", "net", "netfs", "netlink", "nfs", "nfs4", "nfsd", "nmi", "notifier",
	"nvme", "oom", "osnoise", "page_isolation", "page_pool", "pagemap", "percpu", "power", "printk", "pwm", "qdisc", "qrtr", "ras",
	"raw_syscalls", "rcu", "regmap", "regulator", "resctrl", "rpm", "rseq", "rtc", "rwmmio", "rxrpc", "sched", "sched_ext", "scsi",
	"sctp", "signal", "skb", "smbus", "sock", "sof", "spi", "sunrpc", "swiotlb", "sync_trace", "syscalls", "target", "task", "tcp",
	"thermal", "thermal_power_allocator", "thp", "timer", "timer_migration", "tlb", "tls", "udp", "ufs", "v4l2", "vb2",
	"virtio_gpu", "vmalloc", "vmscan", "vsock", "vsyscall", "wbt", "workqueue", "writeback", "x86_fpu", "xdp", "xen", "xfs",
	"xhci-hcd",
};
/* PMUs; a name that ends with _ is a prefix. */
static const char *const pmus[] = {
	"cpu", "cpu_core", "cpu_atom", "cpum_cf", "cpum_cf_diag", "cpum_sf", "pai_crypto", "pai_ext", "intel_pt", "intel_bts", "cs_etm",
	"arm_spe_", "hisi_ptt_", "power", "msr", "software", "tracepoint", "breakpoint", "kprobe", "uprobe", "cstate_core",
	"cstate_pkg", "ibs_op", "ibs_fetch", "amd_df", "amd_l3", "amd_umc_", "amd_iommu_", "uncore_", "armv6_", "armv7_", "armv8_", "armv9_",
	"arm_cmn_", "arm_dsu_", "hisi_sccl", "hv_24x7", "hv_gpci", "nest_", "i915", "default_core",
};
/* Terms between the slashes, and words that are values of some of them. */
static const char *const terms[] = {
	"event", "umask", "config", "config1", "config2", "config3", "period", "freq", "edge", "inv", "cmask", "any", "pc", "ldlat", "tsc", "noretcomp",
	"cyc", "cyc_thresh", "mtc", "mtc_period", "psb_period", "pt", "branch", "pwr_evt", "ptw", "fup_on_ptw", "frontend", "offcore_rsp", "in_tx",
	"in_tx_cp", "call-graph", "stack-size", "max-stack", "max-events", "inherit", "no-inherit", "overwrite", "no-overwrite", "branch_type",
	"time", "percore", "aux-output", "aux-sample-size", "nr", "long", "rdpmc", "ts_enable", "pa_enable", "load_filter", "store_filter",
	"branch_filter", "jitter", "min_latency", "event_filter", "cnt_ctl", "rand_en", "l3missonly", "retprobe",
};
static const char *const values[] = { "fp", "dwarf", "lbr", "no", "yes", "any", "u", "k", "any_call", "any_ret", "ind_call", "cond", "call", "save_type" };
static const char *const units[] = {
	"msec", "ns", "Joules", "bytes", "Bytes", "B", "KiB", "MiB", "GiB", "KB", "MB", "GB", "%", "C", "W", "mW", "cycles", "Hz", "MHz", "GHz",
};

static bool
is(struct word w, const char *s)
{
	return strlen(s) == w.n && !memcmp(s, w.p, w.n);
}

static bool
is_one_of(struct word w, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is(w, list[i]))
			return true;
	return false;
}

/* Hexadecimal digits only, and at least one? */
static bool
all_hex(struct word w)
{
	for (size_t i = 0; i < w.n; i++)
		if (!isxdigit((unsigned char)w.p[i]))
			return false;
	return w.n > 0;
}

static bool
is_number(struct word w)
{
	if (w.n > 2 && w.p[0] == '0' && (w.p[1] | 0x20) == 'x')
		w = (struct word){ w.p + 2, w.n - 2 };
	return all_hex(w);
}

static bool
is_identifier(struct word w)
{
	for (size_t i = 0; i < w.n; i++)
		if (!isalnum((unsigned char)w.p[i]) && w.p[i] != '_')
			return false;
	return w.n > 0;
}

static bool
is_cache_event(struct word w)
{
	for (size_t i = 0; i < COUNT(caches); i++) {
		size_t n = strlen(caches[i]);

		if (w.n > n && !memcmp(w.p, caches[i], n) &&
		    is_one_of((struct word){ w.p + n, w.n - n }, cache_ops, COUNT(cache_ops)))
			return true;
	}
	return false;
}

/* Names that perf generates for events without a name: rHEX, "raw 0xHEX", "type N config 0xHEX", "tracepoint N". */
static bool
is_numbered(struct word w)
{
	static const char *const forms[] = { "r", "raw ", "type ", "tracepoint ", "unknown tracepoint ", "unknown attr type: " };
	static const char config[] = " config ";

	for (size_t i = 0; i < COUNT(forms); i++) {
		size_t n = strlen(forms[i]);
		const char *more;
		struct word rest;

		if (w.n <= n || memcmp(w.p, forms[i], n))
			continue;
		rest = (struct word){ w.p + n, w.n - n };
		if ((more = memmem(rest.p, rest.n, config, sizeof config - 1))) {
			struct word last = { more + sizeof config - 1, (size_t)(rest.p + rest.n - more) - (sizeof config - 1) };

			rest.n = (size_t)(more - rest.p);
			return is_number(rest) && is_number(last);
		}
		if (is_number(rest))
			return true;
	}
	return false;
}

static bool
is_tracepoint(struct word w)
{
	const char *colon = memchr(w.p, ':', w.n);

	return colon && is_one_of((struct word){ w.p, (size_t)(colon - w.p) }, groups, COUNT(groups)) &&
	    is_identifier((struct word){ colon + 1, (size_t)(w.p + w.n - colon) - 1 });
}

static bool
is_public(struct word w)
{
	return !w.n || is_one_of(w, events, COUNT(events)) || is_cache_event(w) || is_numbered(w) || is_tracepoint(w);
}

static bool
is_pmu(struct word w)
{
	for (size_t i = 0; i < COUNT(pmus); i++) {
		size_t n = strlen(pmus[i]);

		if (is(w, pmus[i]) || (pmus[i][n - 1] == '_' && w.n > n && !memcmp(w.p, pmus[i], n) && is_identifier(w)))
			return true;
	}
	return false;
}

/* Offset of the modifiers, ":ppp", which are letters after the last colon or slash; w.n: none. */
static size_t
modifiers(struct word w)
{
	size_t at = w.n;

	while (at && strchr("ukhGHpPSDWeIbR", w.p[at - 1]))
		at--;
	if (at < w.n && at && w.p[at - 1] == ':')
		return at - 1;
	return at < w.n && at && w.p[at - 1] == '/' ? at : w.n;
}

/* ---- pseudonyms ----------------------------------------------------------------------------------------- */

struct text {			/* being written */
	char	*to;
	size_t	 n;
};

static void
append(struct text *t, struct word w)
{
	if (w.n >= ANON_NAME - t->n)
		w.n = ANON_NAME - 1 - t->n;
	memcpy(t->to + t->n, w.p, w.n);
	t->n += w.n;
	t->to[t->n] = 0;
}

static void
append_hidden(struct text *t, struct anon_key *k, const char *prefix, struct word w)
{
	char name[ANON_NAME];
	size_t n = anon_word(k, ANON_D_EVENT, prefix, w.p, w.n, name);

	append(t, (struct word){ name, n });
}

/* One of PMU/TERM,TERM=VALUE/. */
static void
append_term(struct text *t, struct anon_key *k, struct word w)
{
	const char *equals = memchr(w.p, '=', w.n);
	struct word key = { w.p, equals ? (size_t)(equals - w.p) : w.n };
	struct word value = equals ? (struct word){ equals + 1, w.n - key.n - 1 } : (struct word){ "", 0 };

	if (!equals && is_public(w)) {
		append(t, w);
	} else if (is(key, "name")) {
		append(t, (struct word){ key.p, key.n + 1 });
		append_hidden(t, k, "event-", value);
	} else if (!is_one_of(key, terms, COUNT(terms)) ||
	    (value.n && !is_number(value) && !is_one_of(value, values, COUNT(values)))) {
		append_hidden(t, k, "event-", w);
	} else {
		append(t, w);
	}
}

/* Append PMU/TERM,.../ with its listed terms; false: the name has another form. */
static bool
append_pmu(struct text *t, struct anon_key *k, struct word w)
{
	const char *slash = memchr(w.p, '/', w.n), *p, *end = w.p + w.n - 1;
	struct word before;

	if (!slash || slash == end || *end != '/')
		return false;
	before = (struct word){ w.p, (size_t)(slash - w.p) };
	if (!is_pmu(before) && !is_public(before))
		return false;
	append(t, (struct word){ w.p, before.n + 1 });
	for (p = slash + 1; p < end; ) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		size_t n = comma ? (size_t)(comma - p) : (size_t)(end - p);

		append_term(t, k, (struct word){ p, n });
		p += n;
		if (comma)
			append(t, (struct word){ p++, 1 });
	}
	append(t, (struct word){ "/", 1 });
	return true;
}

size_t
anon_event_name(struct anon_key *k, const char *s, size_t n, char to[static ANON_NAME])
{
	struct word all = { s, n }, base;
	struct text t = { to, 0 };

	*to = 0;
	if (is_public(all)) {
		append(&t, all);
		return t.n;
	}
	base = (struct word){ s, modifiers(all) };
	if (is_public(base))
		append(&t, base);
	else if (!append_pmu(&t, k, base))
		append_hidden(&t, k, n > 4 && !memcmp(s, "mem:", 4) ? "mem:" : "event-", base);
	append(&t, (struct word){ s + base.n, n - base.n });
	return t.n;
}

static size_t
listed_or_hidden(struct anon_key *k, const char *prefix, bool listed, struct word w, char to[static ANON_NAME])
{
	struct text t = { to, 0 };

	*to = 0;
	if (listed || !w.n)
		append(&t, w);
	else
		append_hidden(&t, k, prefix, w);
	return t.n;
}

size_t
anon_event_group(struct anon_key *k, const char *s, size_t n, char to[static ANON_NAME])
{
	struct word w = { s, n };

	return listed_or_hidden(k, "group-", is(w, "{anon_group}") || is(w, "anon group"), w, to);
}

size_t
anon_event_unit(struct anon_key *k, const char *s, size_t n, char to[static ANON_NAME])
{
	struct word w = { s, n };

	return listed_or_hidden(k, "unit-", is_one_of(w, units, COUNT(units)), w, to);
}

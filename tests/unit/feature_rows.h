/* SPDX-License-Identifier: ISC */
/*
 * feature_rows.h - a payload of each header feature, spelled out by hand, and what is to be read from it.
 * Nothing here uses the codec but the getters of get.h.
 */
#ifndef PP_TEST_FEATURE_ROWS_H
#define PP_TEST_FEATURE_ROWS_H

#include <stdlib.h>

#include "check.h"
#include "record/feature.h"

enum { BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };	/* this machine's order */

/* ---- payloads by recipe ---------------------------------------------------------------------- */

/*
 * Words apart by spaces: 4:N a u32, 8:N a u64, s:TEXT a string as perf pads it, z:LEN:TEXT a string of that
 * stored length without any NUL, b:HEX bytes, a an attr of 72 bytes.  N may be 0x or negative.
 */
static const struct row {
	uint64_t	 number;
	uint32_t	 cpus;
	const char	*payload;
	const char	*values;	/* depth.index name=value */
	const char	*text;
} rows[] = {
	{ 3, 0, "s:box", "0.0 hostname=box", "hostname : box\n" },
	{ 4, 0, "s:6.1", "0.0 osrelease=6.1", "os release : 6.1\n" },
	{ 5, 0, "s:7.2.13", "0.0 version=7.2.13", "perf version : 7.2.13\n" },
	{ 6, 0, "s:s390x", "0.0 arch=s390x", "arch : s390x\n" },
	{ 7, 0, "4:8 4:6", "0.0 available=8 0.0 online=6", "nrcpus avail : 8\nnrcpus online : 6\n" },
	{ 8, 0, "s:Z80", "0.0 cpudesc=Z80", "cpudesc : Z80\n" },
	{ 9, 0, "s:zilog,1", "0.0 cpuid=zilog,1", "cpuid : zilog,1\n" },
	{ 10, 0, "8:0x123456789", "0.0 total_kb=4886718345", "total memory : 4886718345 kB\n" },
	{ 10, 0, "8:0xffffffffffffffff", "0.0 total_kb=18446744073709551615", NULL },
	{ 11, 0, "4:0", "0.0 nr=0", "" },
	{ 11, 0, "4:3 s:perf s:record s:", "0.0 nr=3 1.0 arg=perf 1.1 arg=record 1.2 arg=",
	    "cmdline : perf record \n" },
	{ 12, 0, "4:2 4:72 a 4:2 s:cycles 8:0x1122334455667788 8:7 a 4:0 s:page-faults",
	    "0.0 nr=2 0.0 attr_size=72 1.0 attr:72 1.0 nr_ids=2 1.0 name=cycles 2.0 id=1234605616436508552 2.1 id=7"
	    " 1.1 attr:72 1.1 nr_ids=0 1.1 name=page-faults",
	    "event : cycles, type 1, config 0x2, sample_freq 999, sample_type IP|TID|TIME, flags disabled|freq"
	    ", ids 1234605616436508552 7\n"
	    "event : page-faults, type 1, config 0x2, sample_freq 999, sample_type IP|TID|TIME, flags disabled|freq\n" },
	{ 13, 2, "4:1 s:0-1 4:0", "0.0 nr_cores=1 1.0 core_siblings=0-1 0.0 nr_threads=0", "sibling sockets : 0-1\n" },
	{ 13, 2, "4:1 s:0-1 4:1 s:0 4:5 4:0 4:6 4:-1",
	    "0.0 nr_cores=1 1.0 core_siblings=0-1 0.0 nr_threads=1 1.0 thread_siblings=0"
	    " 1.0 core_id=5 1.0 socket_id=0 1.1 core_id=6 1.1 socket_id=-1",
	    "sibling sockets : 0-1\nsibling threads : 0\nCPU 0 : core 5, socket 0\nCPU 1 : core 6, socket -1\n" },
	{ 13, 2, "4:0 4:0 4:5 4:0 4:6 4:0 4:1 s:0-1 4:3 4:4",
	    "0.0 nr_cores=0 0.0 nr_threads=0 1.0 core_id=5 1.0 socket_id=0 1.1 core_id=6 1.1 socket_id=0"
	    " 0.0 nr_dies=1 1.0 die_siblings=0-1 1.0 die_id=3 1.1 die_id=4",
	    "CPU 0 : core 5, socket 0\nCPU 1 : core 6, socket 0\nsibling dies : 0-1\nCPU 0 : die 3\nCPU 1 : die 4\n" },
	{ 14, 0, "4:1 4:0 8:100 8:50 s:0-7",
	    "0.0 nr=1 1.0 node=0 1.0 total_kb=100 1.0 free_kb=50 1.0 cpus=0-7",
	    "node 0 : total 100 kB, free 50 kB, CPUs 0-7\n" },
	{ 16, 0, "4:2 4:1 s:software 4:4 s:cpu", "0.0 nr=2 1.0 type=1 1.0 name=software 1.1 type=4 1.1 name=cpu",
	    "pmu mappings : 1 = software, 4 = cpu\n" },
	{ 17, 0, "4:1 s:{a,b} 4:0 4:2", "0.0 nr=1 1.0 name={a,b} 1.0 leader=0 1.0 members=2",
	    "group : {a,b}, led by event 0, 2 members\n" },
	{ 20, 0, "4:1 4:1 4:2 4:64 4:128 4:8 s:Data s:32K s:0-1",
	    "0.0 version=1 0.0 nr=1 1.0 level=2 1.0 line=64 1.0 sets=128 1.0 ways=8 1.0 type=Data 1.0 size=32K 1.0 map=0-1",
	    "cache : L2, line 64 bytes, 128 sets, 8 ways, Data, 32K, CPUs 0-1\n" },
	{ 21, 0, "8:1500000000 8:1500000001", "0.0 first=1500000000 0.0 last=1500000001",
	    "time of first sample : 1.500000000\ntime of last sample : 1.500000001\n" },
	{ 22, 0, "8:1 8:0x8000000 8:2 8:0 8:65 8:65 8:0x8000000000000007 8:1 8:1 8:0 8:0",
	    "0.0 version=1 0.0 block_size=134217728 0.0 nr=2 1.0 node=0 1.0 blocks=65 1.0 nbits=65"
	    " 2.0 bits=9223372036854775815 2.1 bits=1 1.1 node=1 1.1 blocks=0 1.1 nbits=0",
	    "memory block size : 0x8000000\nmemory node 0 : 65 blocks: 0-2,63-64\nmemory node 1 : 0 blocks\n" },
	{ 23, 0, "8:1000", "0.0 resolution=1000", "clockid resolution : 1000 ns\n" },
	{ 24, 0, "8:1", "0.0 version=1", "directory data version : 1\n" },
	{ 25, 0, "4:1 4:8 4:3 8:5 b:0100000009000000 b:aabbcc",
	    "0.0 nr=1 1.0 info_len=8 1.0 data_len=3 1.0 arrays=5 1.0 info:8 1.0 data:3", NULL },
	{ 26, 0, "4:2 4:7 4:2 b:9feb 4:8 4:0", "0.0 nr=2 1.0 id=7 1.0 size=2 1.0 data:2 1.1 id=8 1.1 size=0 1.1 data:0",
	    "btf info of id 7, 2 bytes\nbtf info of id 8, 0 bytes\n" },
	{ 26, 0, "4:2 4:7 4:0 4:8 4:1 b:9f", "0.0 nr=2 1.0 id=7 1.0 size=0 1.0 data:0 1.1 id=8 1.1 size=1 1.1 data:1",
	    "btf info of id 7, 0 bytes\nbtf info of id 8, 1 bytes\n" },
	{ 27, 0, "4:0 4:1 4:3 4:0 4:528384", "0.0 version=0 0.0 type=1 0.0 level=3 0.0 ratio=0 0.0 mmap_len=528384",
	    "compressed : type 1 (1 is zstd), level 3, ratio 0, mmap_len 528384\n" },
	{ 28, 0, "4:2 s:branches s:32 s:x s:y", "0.0 nr=2 1.0 name=branches 1.0 value=32 1.1 name=x 1.1 value=y",
	    "cpu pmu capabilities : branches=32, x=y\n" },
	{ 29, 0, "4:1 4:1 8:1700000000000000001 8:2000000003", "0.0 version=1 0.0 clockid=1"
	    " 0.0 wall_clock=1700000000000000001 0.0 clock=2000000003",
	    "clock data : clockid 1, wall clock 1700000000.000000001 s at 2.000000003 s\n" },
	{ 30, 0, "4:1 s:cpu_core s:0-3", "0.0 nr=1 1.0 pmu=cpu_core 1.0 cpus=0-3",
	    "hybrid cpu system : cpu_core, CPUs 0-3\n" },
	{ 31, 0, "4:2 4:2 s:a s:1 s:b s:2 s:cpu_core 4:0 s:cpu_atom",
	    "0.0 nr=2 1.0 nr_caps=2 2.0 name=a 2.0 value=1 2.1 name=b 2.1 value=2 1.0 pmu=cpu_core"
	    " 1.1 nr_caps=0 1.1 pmu=cpu_atom",
	    "pmu capabilities : a=1, b=2 of cpu_core\npmu capabilities : of cpu_atom\n" },
	{ 32, 2, "4:17 4:2 4:0 4:1 4:0 s:SMT s:3 s:0-1 4:1 4:0",
	    "0.0 version=17 0.0 max_domains=2 1.0 cpu=0 1.0 nr=1 2.0 domain=0 2.0 name=SMT 2.0 cpumask=3 2.0 cpus=0-1"
	    " 1.1 cpu=1 1.1 nr=0",
	    "schedstat version : 17, at most 2 domains\nCPU 0 domains : 1\n  domain 0, SMT, mask 3, CPUs 0-1\n"
	    "CPU 1 domains : 0\n" },
	{ 32, 0, "4:16 4:1 4:0 4:1 4:0 s:3 s:0-1",
	    "0.0 version=16 0.0 max_domains=1 1.0 cpu=0 1.0 nr=1 2.0 domain=0 2.0 cpumask=3 2.0 cpus=0-1",
	    "schedstat version : 16, at most 1 domains\nCPU 0 domains : 1\n  domain 0, mask 3, CPUs 0-1\n" },
	{ 33, 0, "4:62", "0.0 e_machine=62", "e_machine : 62\n" },
	{ 33, 0, "4:62 4:0x10", "0.0 e_machine=62 0.0 e_flags=16", "e_machine : 62\ne_flags : 0x10\n" },
	{ 34, 0, "4:64", "0.0 bytes=64", "cache line size : 64\n" },
};

/* Read, but not what perf would write: unknown features, bytes left over, strings that are not padded. */
static const struct row odd[] = {
	{ 99, 0, "b:010203", "0.0 rest:3", "feature 99 : 3 bytes that are not understood\n" },
	{ 15, 0, "b:01", "0.0 rest:1", "1 bytes that are not understood\n" },
	{ 34, 0, "4:64 b:ff", "0.0 bytes=64 0.0 rest:1", "cache line size : 64\n1 bytes that are not understood\n" },
	{ 13, 0, "4:0 4:0 4:5 4:0", "0.0 nr_cores=0 0.0 nr_threads=0 0.0 rest:8", "8 bytes that are not understood\n" },
	{ 3, 0, "z:4:host", "0.0 hostname=host", "hostname : host\n" },
	{ 3, 0, "z:1:h", "0.0 hostname=h", "hostname : h\n" },
	{ 3, 0, "z:0:", "0.0 hostname=", "hostname : \n" },
};

#define COUNT(a) (sizeof (a) / sizeof *(a))

static inline size_t
cook(uint8_t *out, const struct row *row, bool swap)
{
	/* type 1, size 72, config 2, freq 999, IP|TID|TIME, read_format 0 */
	static const uint64_t attr[] = { 2, 999, 7, 0 };
	char *text = strdup(row->payload), *save = NULL;
	uint8_t *p = out;

	for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		const char *arg = *w == 'a' ? w : w + 2;
		size_t n = strlen(arg), all;

		switch (*w) {
		case '4':
			pp_set_u32(p, (uint32_t)strtoll(arg, NULL, 0), swap);
			p += 4;
			break;
		case '8':
			pp_set_u64(p, strtoull(arg, NULL, 0), swap);
			p += 8;
			break;
		case 's':
			all = (n + 1 + 63) & ~(size_t)63;
			pp_set_u32(p, (uint32_t)all, swap);
			memset(p + 4, 0, all);
			memcpy(p + 4, arg, n);
			p += 4 + all;
			break;
		case 'z':
			all = strtoul(arg, NULL, 10);
			pp_set_u32(p, (uint32_t)all, swap);
			memcpy(p + 4, strchr(arg, ':') + 1, all);
			p += 4 + all;
			break;
		case 'b':
			for (; arg[0] && arg[1]; arg += 2)
				*p++ = (uint8_t)strtoul((char[]){ arg[0], arg[1], 0 }, NULL, 16);
			break;
		case 'a':
			memset(p, 0, 72);
			pp_set_u32(p, 1, swap);
			pp_set_u32(p + 4, 72, swap);
			for (int i = 0; i < 4; i++)
				pp_set_u64(p + 8 + 8 * i, attr[i], swap);
			/* disabled: first bit of the first byte; freq: third of the second; big-endian from the left */
			p[40] = swap != BIG ? 0x80 : 1;
			p[41] = swap != BIG ? 0x20 : 4;
			p += 72;
			break;
		default:
			fail_msg("recipe: %s", w);
		}
	}
	free(text);
	return (size_t)(p - out);
}

/* A copy that ends where its memory ends and begins at an odd address. */
static inline uint8_t *
odd_copy(const uint8_t *p, size_t n)
{
	uint8_t *q = malloc(n + 1);

	memcpy(q + 1, p, n);
	return q + 1;
}

static inline void
odd_free(const uint8_t *p)
{
	free((void *)(p - 1));
}

/* ---- what comes out, as text ----------------------------------------------------------------- */

struct log {
	char	s[8192];
	size_t	n;
};

static inline int
log_value(void *arg, const struct pp_feature_value *v)
{
	struct log *l = arg;
	char *p = l->s + l->n;
	size_t left = sizeof l->s - l->n;

	if (left < 200 + v->len)
		return 1;			/* long ones come from damage, and nobody compares them */
	p += sprintf(p, "%s%u.%" PRIu64 " %s", l->n ? " " : "", v->depth, v->index, v->name);
	if (v->kind == PP_F_STR)
		p += sprintf(p, "=%.*s", (int)v->len, (const char *)v->p);
	else if (v->kind >= PP_F_ATTR)
		p += sprintf(p, ":%zu", v->len);
	else if (v->kind == PP_F_SINT)
		p += sprintf(p, "=%" PRId64, (int64_t)v->num);
	else
		p += sprintf(p, "=%" PRIu64, v->num);
	l->n = (size_t)(p - l->s);
	return 1;
}

static inline int
log_text(void *arg, const char *p, size_t n)
{
	struct log *l = arg;

	if (!p) {
		p = "\n";
		n = 1;
	}
	if (n < sizeof l->s - l->n) {
		memcpy(l->s + l->n, p, n);
		l->n += n;
		l->s[l->n] = '\0';
	}
	return 1;
}

#endif

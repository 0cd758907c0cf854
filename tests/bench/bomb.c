/* SPDX-License-Identifier: ISC */
/*
 * bomb - write a stream with so many of one thing, in the form that is worst for those who keep it: for bombs.
 *
 *	bomb KIND N		about N records
 *	bomb			the kinds
 *
 * Half of the records at most are samples, which look up what the others have put there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <zstd.h>

#include "put.h"

enum { PID = 100, PAGE = 4096, ROUND = 1000, FRAMES = 8000, IDS = 8000, FIELDS = 200, LONG = 3000, STEP = 1000 };
enum { USER = 2, DATA_MISC = 1 << 13, LOW = 0x400000 };
enum {
	T_LOST = 2, T_NAMESPACES = 16, T_KSYMBOL = 17, T_CGROUP = 19, T_DEFERRED = 22, T_BUILD_ID = 67, T_ROUND = 68, T_TRACING = 66, T_UPDATE = 78,
	T_FEATURE = 80, T_COMPRESSED = 81
};
enum { S_RAW = 1 << 10, S_CGROUP = 1 << 21 };

static uint64_t n, now, sample_type;
static uint16_t mode = USER;

/* The next time, before a record is begun: a round may end in front of it. */
static uint64_t
tick(void)
{
	static uint64_t last;

	if (now - last >= ROUND) {
		last = now;
		end(begin(T_ROUND, 0));
	}
	return START + STEP * now++;
}

/* A SAMPLE up to the number of entries of its call chain, which follow. */
static size_t
begin_chain(uint64_t time, uint64_t entries)
{
	size_t at = begin(9, USER);

	u64(FIRST_ID);
	u64(LOW);
	u32(PID, PID);
	u64(time);
	u32(0, 0);
	u64(1);
	u64(entries);
	return at;
}

static void
sample_at(uint64_t time, uint32_t pid, uint32_t tid, uint64_t ip, uint64_t id)
{
	size_t at = begin(9, mode);

	u64(id);
	u64(ip);
	u32(pid, tid);
	u64(time);
	u32(0, 0);
	u64(1);
	u64(2);
	u64((uint64_t)-512);		/* PERF_CONTEXT_USER */
	u64(ip);
	end(at);
}

static void
sample(uint32_t pid, uint64_t ip)
{
	sample_at(tick(), pid, pid, ip, FIRST_ID);
}

static const char *
name(const char *what, uint64_t i)
{
	static char s[64];

	snprintf(s, sizeof s, "%s%" PRIu64, what, i);
	return s;
}

static void
named(uint32_t pid, uint32_t tid, uint16_t misc, const char *s)
{
	comm(pid, tid, misc, s, tick(), 0, FIRST_ID);
}

static void
map(uint32_t pid, uint64_t from, uint64_t len, const char *file, uint64_t inode)
{
	mmap2(pid, from, len, inode, file, tick(), 0, FIRST_ID);
}

static void
plain_head(uint64_t count)
{
	cpus = 1;
	head(count, SAMPLE_TYPE);
}

/* Of a stream whose attrs follow. */
static void
bare_head(uint64_t type)
{
	bytes("PERFILE2\20\0\0\0\0\0\0", 16);
	sample_type = type;
}

/* An attr with these ids. */
static void
attr(uint32_t type, uint64_t config, uint64_t first_id, unsigned ids, uint64_t step)
{
	uint64_t a[16] = { type | UINT64_C(128) << 32, config, 4000, sample_type, 4, 1 << 18 | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 23 | 1 << 24 };
	size_t at = begin(64, 0);

	bytes(a, sizeof a);
	for (unsigned i = 0; i < ids; i++)
		u64(first_id + i * step);
	end(at);
}

/* ---- tasks --------------------------------------------------------------------------------------- */

/* Each task is the child of the one before; all live. */
static void
forks(void)
{
	plain_head(1);
	named(PID, PID, 0, "bomb");
	for (uint64_t i = 1; i <= n / 2; i++) {
		task(FORK, (uint32_t)(PID + i), (uint32_t)(PID + i - 1), tick(), 0);
		sample((uint32_t)(PID + i), LOW);
	}
}

static void
ended(void)
{
	plain_head(1);
	for (uint64_t i = 1; i <= n / 4; i++) {
		task(FORK, (uint32_t)(PID + i), PID, tick(), 0);
		named((uint32_t)(PID + i), (uint32_t)(PID + i), 0, name("t", i));
		sample((uint32_t)(PID + i), LOW);
		task(EXIT, (uint32_t)(PID + i), PID, tick(), 0);
	}
}

/* Their numbers differ in the high bits alone, or by what a multiplicative hash often has as its factor. */
static void
pids_of(uint64_t factor, unsigned shift)
{
	plain_head(1);
	for (uint64_t i = 1; i <= n / 2; i++) {
		uint32_t pid = (uint32_t)((uint32_t)(i * factor) << shift | (uint32_t)i >> (32 - shift) % 32) & INT32_MAX;

		named(pid, pid, 0, "x");
		sample(pid, LOW);
	}
}

static void
pids_high(void)
{
	pids_of(1, 12);
}

static void
pids_golden(void)
{
	pids_of(UINT32_C(0x144cbc89), 0);	/* the inverse of 0x9e3779b1 modulo 2^32 has this factor */
}

/* One thread that begins and ends in one process after the other. */
static void
lives(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 3; i++) {
		uint32_t pid = (uint32_t)(PID + 1 + i);
		uint64_t time = tick();
		size_t at = begin(FORK, 0);

		u32(pid, pid);
		u32(PID, PID);
		u64(time);
		trailer(PID, time, 0, FIRST_ID);
		end(at);
		sample_at(tick(), pid, PID, LOW, FIRST_ID);
		at = begin(EXIT, 0);
		u32(pid, pid);
		u32(PID, PID);
		u64(time + 1);
		trailer(PID, time + 1, 0, FIRST_ID);
		end(at);
	}
}

static void
threads(void)
{
	plain_head(1);
	for (uint64_t i = 1; i <= n / 2; i++) {
		named(PID, (uint32_t)(PID + i), 0, name("t", i % 50));
		sample_at(tick(), PID, (uint32_t)(PID + i), LOW, FIRST_ID);
	}
}

static void
execs(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 3; i++) {
		named(PID, PID, DATA_MISC, name("t", i % 50));	/* PERF_RECORD_MISC_COMM_EXEC */
		map(PID, LOW, PAGE, "/x", 1);
		sample(PID, LOW);
	}
}

/* A process that executes one program after the other. */
static void
programs(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 3; i++) {
		named(PID, PID, DATA_MISC, "x");
		map(PID, LOW, PAGE, name("/bin/p", i), i + 1);
		sample(PID, LOW);
	}
}

static void
names(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		named(PID, PID, 0, name("name", i));
		sample(PID, LOW);
	}
}

static void
namespaces(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		uint32_t pid = (uint32_t)(PID + i);
		uint64_t time = tick();
		size_t at = begin(T_NAMESPACES, 0);

		u32(pid, pid);
		u64(7);
		for (unsigned k = 0; k < 7; k++) {
			u64(3);
			u64(i);
		}
		trailer(pid, time, 0, FIRST_ID);
		end(at);
		sample(pid, LOW);
	}
}

/* ---- maps ---------------------------------------------------------------------------------------- */

static void
maps(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		map(PID, LOW + i * PAGE, PAGE, "/x", 1);
		sample(PID, LOW + rnd(i + 1) * PAGE);
	}
}

/* Each is inside of the one before, and cuts it. */
static void
nested(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		map(PID, LOW + i * PAGE, (n - 2 * i) * PAGE, "/x", 1);
		sample(PID, LOW + rnd(n) * PAGE);
	}
}

/* Each second one covers all of them. */
static void
covered(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 3; i++) {
		map(PID, LOW, n * PAGE, "/x", 1);
		map(PID, LOW + rnd(n) * PAGE, PAGE, "/y", 2);
		sample(PID, LOW + rnd(n) * PAGE);
	}
}

/* A process with many maps, and many children, each of which gets one more. */
static void
inherited(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 4; i++)
		map(PID, LOW + i * PAGE, PAGE, "/x", 1);
	for (uint64_t i = 1; i < n / 4; i++) {
		task(FORK, (uint32_t)(PID + i), PID, tick(), 0);
		map((uint32_t)(PID + i), LOW + rnd(n / 4) * PAGE, PAGE, "/y", 2);
		sample((uint32_t)(PID + i), LOW + rnd(n / 4) * PAGE);
	}
}

/* Places and lengths that are alike where they are put together: start ^ len << 20. */
static void
map_keys(void)
{
	plain_head(1);
	for (uint64_t i = 1; i <= n / 2; i++) {
		map(PID, 0x10000000 ^ i << 32, i * PAGE, "/x", 1);
		sample(PID, 0x10000000 ^ i << 32);
	}
}

/* Maps of the kernel whose processes and places are alike: start ^ pid << 40. */
static void
kernel_keys(void)
{
	plain_head(1);
	for (uint64_t i = 1; i <= n / 2; i++) {
		uint64_t time = tick();
		size_t at = begin(10, 1);

		u32((uint32_t)i, (uint32_t)i);
		u64(UINT64_C(0xffff000000000000) ^ i << 40);
		u64(PAGE);
		u64(0);
		u32(8, 1);
		u64(1);
		u64(7);
		u32(5, 2);
		text("[module]");
		trailer(PID, time, 0, FIRST_ID);
		end(at);
		sample(PID, LOW);
	}
}

/* Many files of one name. */
static void
one_name(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		map(PID, LOW + i % 1000 * PAGE, PAGE, "/x", i + 1);
		sample(PID, LOW + i % 1000 * PAGE);
	}
}

static void
files(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		map(PID, LOW + i % 1000 * PAGE, PAGE, name("/lib/file", i), i);
		sample(PID, LOW + i % 1000 * PAGE);
	}
}

static void
long_files(void)
{
	char path[LONG + 1];

	plain_head(1);
	memset(path, 'a', LONG);
	path[LONG] = '\0';
	path[0] = '/';
	for (uint64_t i = 0; i < n / 2; i++) {
		memcpy(path + LONG - 20, name("/1000000000000000000", i), 20);
		snprintf(path + LONG - 20, 21, "/%019" PRIu64, i);
		map(PID, LOW + i % 1000 * PAGE, PAGE, path, i);
		sample(PID, LOW + i % 1000 * PAGE);
	}
}

static void
build_ids(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		size_t at = begin(T_BUILD_ID, 1 << 15 | USER);

		u32(UINT32_MAX, (uint32_t)i);
		u64(i);
		u64(i);
		u32(20, 0);
		text(name("/lib/file", i));
		end(at);
		sample(PID, LOW);
	}
}

static void
ksymbols(void)
{
	plain_head(1);
	mode = 1;
	for (uint64_t i = 0; i < n / 2; i++) {
		uint64_t addr = UINT64_C(0xffffffffc0000000) + i * 64;
		uint64_t time = tick();
		size_t at = begin(T_KSYMBOL, 0);

		u64(addr);
		u32(64, 1);			/* PERF_RECORD_KSYMBOL_TYPE_BPF */
		text(name("bpf_prog_", i));
		trailer(PID, time, 0, FIRST_ID);
		end(at);
		sample(PID, addr);
	}
}

/* ---- cgroups ------------------------------------------------------------------------------------- */

static void
cgroup(uint64_t id, const char *path)
{
	uint64_t time = tick();
	size_t at = begin(T_CGROUP, 0);

	u64(id);
	text(path);
	trailer(PID, time, 0, FIRST_ID);
	end(at);
	time = tick();
	at = begin_chain(time, 1);
	u64(LOW);
	u64(id);
	end(at);
}

static void
cgroups(void)
{
	cpus = 1;
	head(1, SAMPLE_TYPE | S_CGROUP);
	for (uint64_t i = 0; i < n / 2; i++)
		cgroup(i << 32, name("/a/b", i));
}

/* Paths of 1,500 directories; each has another one at its end. */
static void
deep(void)
{
	char path[LONG + 32];

	cpus = 1;
	head(1, SAMPLE_TYPE | S_CGROUP);
	for (unsigned i = 0; i < LONG; i += 2)
		path[i] = '/', path[i + 1] = 'a';
	for (uint64_t i = 0; i < n / 2; i++) {
		snprintf(path + LONG, 32, "/%" PRIu64, i);
		cgroup(i, path);
	}
}

/* ---- events -------------------------------------------------------------------------------------- */

static void
events(void)
{
	bare_head(SAMPLE_TYPE);
	for (uint64_t i = 0; i < n / 2; i++)
		attr(1, i % 9, FIRST_ID + i, 1, 1);
	for (uint64_t i = 0; i < n / 2; i++)
		sample_at(tick(), PID, PID, LOW, FIRST_ID + rnd(n / 2));
}

/* Half of them have no samples (PERF_COUNT_SW_DUMMY). */
static void
dummies(void)
{
	bare_head(SAMPLE_TYPE);
	for (uint64_t i = 0; i < n; i++)
		attr(1, i < n / 2 ? 9 : 0, FIRST_ID + i, 1, 1);
}

/* Ids that differ in the high bits alone. */
static void
ids(void)
{
	bare_head(SAMPLE_TYPE);
	for (uint64_t i = 0; i < n; i += IDS)
		attr(1, 0, FIRST_ID + (i << 40), IDS, UINT64_C(1) << 40);
	for (uint64_t i = 0; i < n; i++)
		sample_at(tick(), PID, PID, LOW, FIRST_ID + (rnd(n) << 40));
}

static void
updates(void)
{
	plain_head(2);
	for (uint64_t i = 0; i < n / 2; i++) {
		size_t at = begin(T_UPDATE, 0);

		u64(2);			/* PERF_EVENT_UPDATE__NAME */
		u64(FIRST_ID + i % 2);
		text(name("event", i));
		end(at);
		sample(PID, LOW);
	}
}

static void
lost(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		uint64_t time = tick();
		size_t at = begin(T_LOST, 0);

		u64(FIRST_ID);
		u64(1 + i % 7);
		trailer((uint32_t)i, time, (uint32_t)i, FIRST_ID);
		end(at);
		sample(PID, LOW);
	}
}

static void
features(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n; i++) {
		size_t at = begin(T_FEATURE, 0);

		u64(3 + i % 5 * (i % 5 != 4));	/* HOSTNAME, OSRELEASE, VERSION, ARCH */
		u32(24, 0);
		used -= 4;
		text(name("1234567890123456", i % 1000000));
		end(at);
	}
}

/* ---- payloads ------------------------------------------------------------------------------------ */

/* Formats of N / FIELDS / 2 tracepoints of FIELDS fields, then samples with payloads of 8 bytes. */
static void
formats(void)
{
	uint64_t points = n / FIELDS / 2 + 1, size;
	char *all = NULL, *one = NULL;
	size_t len, nall;
	FILE *f = open_memstream(&all, &nall), *g;

	fwrite("\27\10\104tracing" "0.6\0" "\0\10\0\20\0\0" "header_page\0\0\0\0\0\0\0\0\0" "header_event\0\0\0\0\0\0\0\0\0" "\0\0\0\0" "\1\0\0\0bomb\0", 1,
	    10 + 4 + 6 + 20 + 21 + 4 + 4 + 5, f);
	fwrite(&(uint32_t){ (uint32_t)points }, 4, 1, f);
	for (uint64_t i = 0; i < points; i++) {
		g = open_memstream(&one, &len);
		fprintf(g, "name: p%" PRIu64 "\nID: %" PRIu64 "\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n", i, i + 1);
		for (unsigned k = 0; k < FIELDS; k++)
			fprintf(g, "\tfield:int f%u;\toffset:%u;\tsize:4;\tsigned:1;\n", k, 8 + 4 * k);
		fprintf(g, "\nprint fmt: \"%%d\", REC->f0\n");
		fclose(g);
		size = len;
		fwrite(&size, 8, 1, f);
		fwrite(one, 1, len, f);
		free(one);
		one = NULL;
	}
	fwrite("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 1, 16, f);	/* kallsyms, printk, cmdlines */
	while (fflush(f), nall % 8)
		fputc(0, f);
	fclose(f);
	bare_head(SAMPLE_TYPE | S_RAW);
	for (uint64_t i = 0; i < points; i++)
		attr(2, i + 1, FIRST_ID + i, 1, 1);
	len = begin(T_TRACING, 0);
	u32((uint32_t)nall, 0);
	used -= 4;
	end(len);
	flush();
	for (size_t done = 0; done < nall; flush()) {
		size_t part = nall - done < PUT_BUF ? nall - done : PUT_BUF;

		bytes(all + done, part);
		done += part;
	}
	free(all);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t point = rnd(points), time = tick();

		len = begin(9, 1);
		u64(FIRST_ID + point);
		u64(LOW);
		u32(PID, (uint32_t)(PID + i % 1000));
		u64(time);
		u32(0, 0);
		u64(1);
		u64(1);
		u64(LOW);
		u32(12, (uint32_t)(point + 1));
		u64(i);
		end(len);
	}
}

/* Each sample begins a span, and none ends. */
static void
spans(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n; i++)
		sample_at(tick(), (uint32_t)(PID + i), (uint32_t)(PID + i), LOW, FIRST_ID);
}

/* ---- call chains --------------------------------------------------------------------------------- */

static void
chained(unsigned depth, uint64_t step)
{
	plain_head(1);
	map(PID, 0, UINT64_C(1) << 40, "/x", 1);
	for (uint64_t i = 0; i < n; i += depth) {
		uint64_t time = tick();
		size_t at = begin_chain(time, depth + 1);

		u64((uint64_t)-512);
		for (unsigned k = 0; k < depth; k++)
			u64(step ? LOW + (i + k) * step : LOW + rnd(UINT64_C(1) << 39));
		end(at);
	}
}

static void
chains(void)
{
	chained(FRAMES, 1);
}

static void
stacks(void)
{
	chained(100, 0);
}

/* Addresses that differ in few high bits, as for a hash that takes others. */
static void
addresses(void)
{
	chained(100, UINT64_C(1) << 20);
}

/* Samples whose user part never comes, and user parts of other samples (CALLCHAIN_DEFERRED). */
static void
deferred(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		uint64_t time = tick();
		size_t at = begin(9, 1);

		u64(FIRST_ID);
		u64(LOW);
		u32(PID, PID);
		u64(time);
		u32(0, 0);
		u64(1);
		u64(3);
		u64(LOW);
		u64((uint64_t)-640);	/* PERF_CONTEXT_USER_DEFERRED */
		u64(1);			/* the cookie */
		end(at);
	}
	for (uint64_t i = 0; i < n / 2; i++) {
		uint64_t time = tick();
		size_t at = begin(T_DEFERRED, 0);

		u64(2);
		u64(1);
		u64(LOW);
		trailer(PID, time, 0, FIRST_ID);
		end(at);
	}
}

/* ---- order --------------------------------------------------------------------------------------- */

static void
rounds(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		sample_at(START + STEP * i, PID, PID, LOW, FIRST_ID);
		end(begin(T_ROUND, 0));
	}
}

/* Later records are older, and no round ends. */
static void
backward(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n; i++)
		sample_at(START + STEP * (n - i), (uint32_t)(PID + i % 100), PID, LOW, FIRST_ID);
}

/* All at one time, each different. */
static void
one_time(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n; i++)
		sample_at(START, PID, PID, LOW + i, FIRST_ID);
}

/* Each record is older than its round permits. */
static void
late(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		sample_at(START + STEP * (n - i), (uint32_t)(PID + i), (uint32_t)(PID + i), LOW, FIRST_ID);
		end(begin(T_ROUND, 0));
	}
}

/* Names that are older than their samples. */
static void
late_names(void)
{
	plain_head(1);
	for (uint64_t i = 0; i < n / 2; i++) {
		sample_at(START + STEP * n, PID, (uint32_t)(PID + i % 1000), LOW, FIRST_ID);
		comm(PID, (uint32_t)(PID + i % 1000), 0, name("t", i % 50), START + STEP * (n / 2 - i), 0, FIRST_ID);
		if (i % ROUND == 0)
			end(begin(T_ROUND, 0));
	}
}

/* Each sample in a zstd frame of its own. */
static void
frames(void)
{
	uint8_t plain[128], packed[512];

	plain_head(1);
	for (uint64_t i = 0; i < n; i++) {
		size_t from = used, len, at;

		sample_at(START + STEP * i, PID, PID, LOW, FIRST_ID);
		if (used < from)		/* what was there is written */
			from = 0;
		memcpy(plain, buf + from, len = used - from);
		used = from;
		at = begin(T_COMPRESSED, 0);
		len = ZSTD_compress(packed, sizeof packed, plain, len, 1);
		bytes(packed, len);
		end(at);
	}
}

static const struct kind { const char *name; void (*put)(void); } kinds[] = {
	{ "forks", forks }, { "ended", ended }, { "pids-high", pids_high }, { "pids-golden", pids_golden }, { "threads", threads },
	{ "execs", execs }, { "programs", programs }, { "lives", lives }, { "names", names }, { "namespaces", namespaces },
	{ "maps", maps }, { "nested", nested }, { "covered", covered }, { "inherited", inherited }, { "map-keys", map_keys }, { "kernel-keys", kernel_keys },
	{ "one-name", one_name }, { "files", files },
	{ "long-files", long_files }, { "build-ids", build_ids }, { "ksymbols", ksymbols },
	{ "cgroups", cgroups }, { "deep", deep },
	{ "events", events }, { "dummies", dummies }, { "ids", ids }, { "updates", updates }, { "lost", lost }, { "features", features },
	{ "formats", formats }, { "spans", spans },
	{ "chains", chains }, { "stacks", stacks }, { "addresses", addresses }, { "deferred", deferred },
	{ "rounds", rounds }, { "backward", backward }, { "one-time", one_time }, { "late", late }, { "late-names", late_names }, { "frames", frames },
};

int
main(int argc, char **argv)
{
	char *rest;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (argc == 1) {
			puts(kinds[i].name);
		} else if (argc == 3 && !strcmp(argv[1], kinds[i].name)) {
			n = strtoull(argv[2], &rest, 10);
			if (*rest || n < 4 || n > 100000000)
				errx(2, "%s: expected 4 to 100000000", argv[2]);
			kinds[i].put();
			flush();
			return 0;
		}
	if (argc != 1)
		errx(2, "usage: bomb [KIND N]");
	return 0;
}

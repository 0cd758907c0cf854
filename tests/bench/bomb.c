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

#include "bomb_tasks.h"

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
		size_t at = begin_chain(USER, time, depth + 1);

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
		size_t at = begin_chain(1, time, 3);

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
	{ "forks", forks }, { "ended", ended }, { "churn", churn }, { "pids-high", pids_high }, { "pids-golden", pids_golden }, { "threads", threads },
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

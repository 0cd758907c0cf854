/* SPDX-License-Identifier: ISC */
/* PP_OPEN_REPAIR: which records behind damage are believed to be some, by their times, tasks and CPUs, and by what follows them. */
#include <sys/mman.h>

#include <unistd.h>
#include <zstd.h>

#include "bytes.h"

/* Times, in ns: one of the recording; what a time may differ from the last one to be one of it; and to show that it is. */
#define T	UINT64_C(1000000000000000)
#define DAY	UINT64_C(86400000000000)
#define CLOSE	UINT64_C(10000000000)
enum { RECORDS_MAX = 300, PID_MOST = 1 << 22, CPU_MOST = 1 << 16, ANY = UINT32_MAX };

struct values {
	uint32_t	 pid, tid, cpu;
	uint64_t	 time;
};

static struct bytes b, z;
static struct pp_err err;
static size_t at[RECORDS_MAX + 1], nat;	/* where the records are */
static char got[RECORDS_MAX + 1];	/* by record: `k' is kept, `-' left out */
static uint64_t fault_at;		/* of the first fault */
static char fault[sizeof err.what];
static unsigned faults;
static uint64_t lost;

static void
note_fault(void *arg, const struct pp_err *e)
{
	(void)arg;
	if (faults++)
		return;
	fault_at = e->off;
	snprintf(fault, sizeof fault, "%s", e->what);
}

/* The fields of a SAMPLE, or the trailer of others. */
static void
put_values(const struct values *v)
{
	put(&b, v->pid, 4);
	put(&b, v->tid, 4);
	put(&b, v->time, 8);
	put(&b, v->cpu, 4);
	put(&b, 0, 4);
}

static void
put_sample(const struct values *v)
{
	size_t from = begin_rec(&b, PP_SAMPLE, 2);

	put_values(v);
	end_rec(&b, from);
}

static void
put_comm(const struct values *v)
{
	size_t from = begin_rec(&b, PP_COMM, 0);

	put(&b, 1, 4);
	put(&b, 1, 4);
	put_text(&b, "comm", 8);
	put_values(v);
	end_rec(&b, from);
}

/* A record of perf's own with n bytes, all zeros but this one. */
static void
put_own(uint32_t type, unsigned n, unsigned i, uint8_t value)
{
	size_t from = begin_rec(&b, type, 0);

	put_text(&b, "", n);
	if (value)
		store(&b, from + PP_HEADER_SIZE + i, value, 1);
	end_rec(&b, from);
}

/* Half an AUXTRACE: with some of the payload of 24 bytes. */
static void
put_payload(unsigned have)
{
	size_t from = begin_rec(&b, PP_AUXTRACE, 0);

	put(&b, 24, 8);
	for (int i = 0; i < 4; i++)
		put(&b, 0, 8);
	end_rec(&b, from);
	for (unsigned i = 0; i < have; i++)
		put(&b, 0xff, 1);
}

/*
 * A letter each:
 *	S	SAMPLE, whose time is close to those before it		D	SAMPLE whose size is wrong: the damage
 *	m	COMM without a time: it may be one				X, C	SAMPLE, COMM of given values
 *	r	FINISHED_ROUND						R	the same with 16 bytes
 *	z	STAT_ROUND with zeros behind its fields; y, Y: the first of these, the last is no zero
 *	i, I	AUXTRACE_INFO of a known type, of an unknown one		a, A	AUXTRACE with its payload, with a part of it
 *	1, 5	so many bytes that are no record				h	the beginning of a SAMPLE
 */
static void
put_letter(char c, unsigned i, const struct values *given)
{
	struct values sure = { 1, 1, 0, T + i }, maybe = { 1, 1, 0, 0 };
	size_t from = b.n;

	switch (c) {
	case 'S': put_sample(&sure); break;
	case 'D': put_sample(&sure); store(&b, from + 6, 33, 2); break;
	case 'm': put_comm(&maybe); break;
	case 'X': put_sample(given); break;
	case 'C': put_comm(given); break;
	case 'r': put_own(PP_FINISHED_ROUND, 0, 0, 0); break;
	case 'R': put_own(PP_FINISHED_ROUND, 8, 0, 0); break;
	case 'z': put_own(PP_STAT_ROUND, 24, 0, 1); break;
	case 'y': put_own(PP_STAT_ROUND, 24, 16, 1); break;
	case 'Y': put_own(PP_STAT_ROUND, 24, 23, 1); break;
	case 'i': put_own(PP_AUXTRACE_INFO, 8, b.swap != BIG_HERE ? 3 : 0, 63); break;
	case 'I': put_own(PP_AUXTRACE_INFO, 8, b.swap != BIG_HERE ? 3 : 0, 64); break;
	case 'a': put_payload(24); break;
	case 'A': put_payload(23); break;
	case '1': put_text(&b, "", 1); break;
	case '5': put_text(&b, "", 5); break;
	case 'h': put_sample(&sure); b.n -= 8; break;
	default: fail_msg("letter %c", c);
	}
}

static void
begin_stream(uint64_t sample_type)
{
	struct pp_attr a = { .type = 1, .size = 64, .sample_type = sample_type, .flags = 1 << 18 };

	b.n = nat = 0;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	put_attr(&b, &a, 0, NULL);
}

static void
put_records(const char *letters, const struct values *given)
{
	for (unsigned i = 0; letters[i]; i++) {
		assert_true(nat < RECORDS_MAX);
		at[nat++] = b.n;
		put_letter(letters[i], i, given);
	}
	at[nat] = b.n;
}

/* What stands in z: what is kept of b, by the number of each record in its place. */
static void
read_stream(const struct bytes *from)
{
	int fd = memfd_create("repair", MFD_CLOEXEC);
	struct pp_source *s;
	struct pp_rec r;

	memset(got, '-', nat);
	got[nat] = 0;
	faults = 0;
	assert_int_equal(write(fd, from->at + 1, from->n), from->n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	err = (struct pp_err){ .what = "" };
	assert_non_null(s = pp_open_fd(fd, "repair", PP_OPEN_REPAIR, &err));
	pp_on_fault(s, note_fault, NULL);
	for (size_t i = 0, next = 0; pp_next(s, &r) == 1;) {
		if (r.type == PP_HEADER_ATTR)
			continue;
		/* each is one of those that were written, as it was written */
		for (i = next; i < nat && (from == &b ? pp_offset(s, &r) != at[i] : r.size > b.n - at[i] ||
		    memcmp(r.raw, bytes_p(&b) + at[i], r.size)); i++)
			;
		if (i == nat)
			fail_msg("a record of type %u, %u bytes, at %zu, which was not written", r.type, r.size, (size_t)pp_offset(s, &r));
		assert_memory_equal(r.raw, bytes_p(&b) + at[i], r.size);
		got[i] = 'k';
		next = i + 1;
	}
	assert_string_equal(err.what, "");
	pp_faults(s, &lost);
	assert_int_equal(pp_close(s), strchr(got, '-') ? -1 : 1);
}

/* The records of b as one COMPRESSED record. */
static void
compress(void)
{
	size_t from = at[0], rec;

	memcpy(bytes_p(&z), bytes_p(&b), from);
	z.n = from;
	z.swap = b.swap;
	rec = begin_rec(&z, PP_COMPRESSED, 0);
	z.n += ZSTD_compress(bytes_p(&z) + z.n, sizeof z.at - z.n - 1, bytes_p(&b) + from, b.n - from, 1);
	end_rec(&z, rec);
}

/* Of these letters, those are kept; the damage is told of at its place, with the number of bytes that are gone. */
static void
keeps(const char *letters, const char *kept, bool inner, const struct values *given)
{
	unsigned runs = kept[0] == '-';
	uint64_t gone;

	for (size_t i = 1; kept[i]; i++)
		runs += kept[i] == '-' && kept[i - 1] == 'k';
	for (int form = 0; form < (inner ? 4 : 2); form++) {
		b.swap = form & 1;
		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		put_records(letters, given);
		if (form & 2)
			compress();
		read_stream(form & 2 ? &z : &b);
		if (strcmp(got, kept))
			fail_msg("%s%s: kept %s, wanted %s (time %ju, pid %u, tid %u, cpu %u)", letters, form & 2 ? " compressed" : "",
			    got, kept, given ? (uintmax_t)given->time : 0, given ? given->pid : 0, given ? given->tid : 0, given ? given->cpu : 0);
		gone = 0;
		for (size_t i = 0; i < nat; i++)
			gone += got[i] == '-' ? at[i + 1] - at[i] : 0;
		assert_int_equal(lost, gone);
		assert_int_equal(faults, runs);
		assert_int_equal(fault_at, form & 2 ? at[0] : at[strchr(letters, 'D') - letters]);
	}
}

/* Where damage ends: at the first record with possible values. */
static void
possible_values(void **state)
{
	static const struct { bool sample, comm; struct values v; } rows[] = {
		{ true, true, { PID_MOST, 1, 0, T } }, { false, false, { PID_MOST + 1, 1, 0, T } }, { true, true, { ANY, 1, 0, T } },
		{ true, true, { 1, PID_MOST, 0, T } }, { false, false, { 1, PID_MOST + 1, 0, T } }, { true, true, { 1, ANY, 0, T } },
		{ true, true, { 1, 1, CPU_MOST, T } }, { false, false, { 1, 1, CPU_MOST + 1, T } }, { true, true, { 1, 1, ANY, T } },
		{ false, false, { ANY - 1, 1, 0, T } }, { false, false, { 1, ANY - 1, 0, T } }, { false, false, { 1, 1, ANY - 1, T } },
		/* the last time is T + 2 */
		{ true, true, { 1, 1, 0, T + 2 + DAY - 1 } }, { false, false, { 1, 1, 0, T + 2 + DAY } },
		{ true, true, { 1, 1, 0, T + 2 - DAY + 1 } }, { false, false, { 1, 1, 0, T + 2 - DAY } },
		{ false, true, { 1, 1, 0, 0 } }, { false, true, { 1, 1, 0, UINT64_MAX } }, { false, false, { 1, 1, 0, 1 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		keeps("SSSDX", rows[i].sample ? "kkk-k" : "kkk--", true, &rows[i].v);
		keeps("SSSDC", rows[i].comm ? "kkk-k" : "kkk--", true, &rows[i].v);
		if (rows[i].v.time && rows[i].v.time < T)
			continue;			/* what follows would be too far from it */
		keeps("SSSDXSS", rows[i].sample ? "kkk-kkk" : "kkk--kk", true, &rows[i].v);
		keeps("SSSDCSS", rows[i].comm ? "kkk-kkk" : "kkk--kk", true, &rows[i].v);
	}
}

/* Two records that are sure suffice, whatever follows; a time shows it that is close to the last. */
static void
sure_ones(void **state)
{
	static const struct { bool sure; uint64_t time; } rows[] = {
		{ true, T + 2 + CLOSE - 1 }, { false, T + 2 + CLOSE }, { true, T + 2 - CLOSE + 1 }, { false, T + 2 - CLOSE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct values v = { 1, 1, 0, rows[i].time };

		keeps("SSSDXXDSS", rows[i].sure ? "kkk-kk-kk" : "kkk---" "-kk", true, &v);
		keeps("SSSDCCDSS", rows[i].sure ? "kkk-kk-kk" : "kkk---" "-kk", true, &v);
		keeps("SSSDXDSS", "kkk---kk", true, &v);
	}
}

/* How many records make a chain, if few of them are sure. */
static void
chains(void **state)
{
	static const struct { bool inner; const char *letters, *kept; } rows[] = {
		/* up to the end of the input */
		{ true, "SSSDm", "kkk-k" }, { true, "SSSDS", "kkk-k" }, { false, "SSSDm5", "kkk---" }, { false, "SSSDS5", "kkk---" },
		{ false, "SSSDSS5", "kkk-kk-" }, { false, "SSSDmh", "kkk---" }, { false, "SSSDSh", "kkk---" }, { false, "SSSDSSh", "kkk-kk-" },
		/* up to more damage: the last that counts is the last that is sure */
		{ true, "SSSDmSDSS", "kkk----kk" }, { true, "SSSDmmSDSS", "kkk-----kk" }, { true, "SSSDmmmSDSS", "kkk-kkkk-kk" },
		{ true, "SSSDSmmmDSS", "kkk------kk" }, { true, "SSSDmmSmDSS", "kkk------kk" }, { true, "SSSDmmmmDSS", "kkk------kk" },
		{ true, "SSSDSmSDSS", "kkk-kkk-kk" }, { true, "SSSDmmSSDSS", "kkk-kkkk-kk" },
		/* before a time is known, four that may be some are enough */
		{ true, "rDmmmDSS", "k-----kk" }, { true, "rDmmmmDSS", "k-kkkk-kk" }, { true, "rDSSSDSS", "k-----kk" },
		{ true, "rDSSSSDSS", "k-kkkk-kk" },
		/* so many that are none need not be looked at further */
		{ true, "SSSDmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmDSS", "kkk---------------------------------kk" },
		{ true, "SSSDmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmDSS", "kkk-kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk-kk" },
		/* perf's own: what is behind the known fields is zeros, if it is a record */
		{ true, "SSSDrSS", "kkk-kkk" }, { true, "SSSDRSS", "kkk-kkk" }, { true, "SSSDzSS", "kkk-kkk" }, { true, "SSSDySS", "kkk--kk" },
		{ true, "SSSDYSS", "kkk--kk" },
		{ true, "SSSDiSS", "kkk-kkk" }, { true, "SSSDISS", "kkk--kk" },
		/* a payload is stepped over */
		{ false, "SSSDam", "kkk-kk" }, { false, "SSSDamDSS", "kkk----kk" }, { false, "SSSDaSSDSS", "kkk-kkk-kk" }, { false, "SSSDA", "kkk--" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		keeps(rows[i].letters, rows[i].kept, rows[i].inner, NULL);
}

/* A payload that is not all there: the record is left out with what there is of it. */
static void
payloads(void **state)
{
	(void)state;
	for (int form = 0; form < 2; form++) {
		b.swap = form;
		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		put_records("SSSa", NULL);
		read_stream(&b);
		assert_string_equal(got, "kkkk");
		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		put_records("SSSA", NULL);
		read_stream(&b);
		assert_string_equal(got, "kkk-");
		assert_non_null(strstr(fault, "AUXTRACE: 24 bytes behind it, 23 are there; 71 bytes left out"));
		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		put_records("rrr1SS", NULL);
		read_stream(&b);
		assert_string_equal(got, "kkk-kk");
		assert_non_null(strstr(fault, "; 1 byte left out"));
	}
}

/* Which time is the last: one that is far from it counts when another one is near to that. */
static void
last_time(void **state)
{
	static const uint64_t far = 3 * DAY;
	static const struct { uint64_t times[4]; bool sure[2]; } rows[] = {	/* sure: is a time as the first, as the last? */
		{ { T }, { false, false } }, { { T, T + CLOSE }, { false, true } }, { { T, T + DAY - 1 }, { false, true } },
		{ { T, T + DAY }, { false, false } }, { { T, T - DAY + 1 }, { false, true } }, { { T, T - DAY }, { false, false } },
		{ { T, T, T + far }, { true, false } }, { { T, T, T + far, T + far + DAY - 1 }, { false, true } },
		{ { T, T, T + far, T + far + DAY }, { true, false } }, { { T, T, T + far, T + 1 }, { true, true } },
		{ { T, T + far, T + far }, { false, true } }, { { T, T + far, T }, { false, false } }, { { 5, 6 }, { true, true } },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		const uint64_t *times = rows[i / 2].times;
		struct values v = { 1, 1, 0, 0 };

		b.swap = false;
		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		for (unsigned k = 0; k < 4 && times[k]; k++) {
			v.time = times[k];
			put_records("C", &v);
		}
		v.time = i % 2 ? v.time : times[0];
		put_records("DXXD", &v);
		put_records("mmmm", NULL);
		read_stream(&b);
		if ((got[nat - 7] == 'k') != rows[i / 2].sure[i % 2])
			fail_msg("row %zu: kept %s", i, got);
	}
}

/* A TEXT_POKE whose bytes follow, and then its trailer. */
static size_t
begin_poke(void)
{
	size_t from = begin_rec(&b, PP_TEXT_POKE, 0);

	at[nat++] = from;
	put(&b, 0, 8);
	put(&b, 0, 4);		/* how many bytes: end_poke() */
	put(&b, 0, 4);		/* the first of them */
	return from;
}

/* All so far is of it but the last 24 bytes, which are its trailer. */
static void
end_poke(size_t from)
{
	store(&b, from + 16, b.n - 24 - (from + 20), 2);
	end_rec(&b, from);
}

/*
 * Of two chains, one of which begins amid the other's records, the longer is taken, if the other breaks off:
 *
 *	one	SAMPLE | TEXT_POKE [ ... inner SAMPLEs, head of a ........ ] bytes
 *	other	                         inner SAMPLEs | TEXT_POKE [ ................. ] | SAMPLEs to the end
 */
static void
amid_others(void **state)
{
	static const struct { unsigned inner, behind; const char *kept; } rows[] = {
		{ 0, 0, "kkk-kk-" }, { 1, 0, "kkk-kk--" }, { 0, 1, "kkk-kk-k" }, { 1, 1, "kkk---kkk" }, { 2, 0, "kkk---kkk" }, { 0, 2, "kkk---kkk" },
	};
	const struct values v = { 1, 1, 0, T };

	(void)state;
	b.swap = false;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t one, other;

		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		put_records("SSSDS", NULL);
		one = begin_poke();
		for (unsigned k = 0; k < rows[i].inner; k++)
			put_records("X", &v);
		other = begin_poke();
		put_values(&v);
		end_poke(one);
		put(&b, UINT64_MAX, 8);
		put_values(&v);
		end_poke(other);
		for (unsigned k = 0; k < rows[i].behind; k++)
			put_records("X", &v);
		read_stream(&b);
		assert_string_equal(got, rows[i].kept);
	}
	/* one that ends inside of a record is not the longer one, however many records it has */
	begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
	put_records("SSSDS", NULL);
	begin_poke();
	put_records("SSSS", NULL);
	put(&b, UINT64_MAX, 8);
	put_values(&v);
	end_poke(at[5]);
	put_records("DSS", NULL);
	read_stream(&b);
	assert_string_equal(got, "kkk-kk-----kk");
}

/* One of perf's own that may be one, up to the end, with what is rather a chain amid it. */
static void
amid_own(void **state)
{
	static const struct { const char *letters, *kept; bool junk; } rows[] = {
		{ "S", "kkk-k-", false }, { "SS", "kkk--kk", false }, { "mmm", "kkk-k---", false }, { "mmmm", "kkk--kkkk", false },
		{ "mmmS", "kkk--kkkk", false }, { "Smmm", "kkk-k----", false }, { "mmmm", "kkk-k----", true }, { "SS", "kkk--kk", true },
	};

	(void)state;
	b.swap = false;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t from;

		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		put_records("SSSD", NULL);
		at[nat++] = from = begin_rec(&b, PP_AUXTRACE_INFO, 0);
		put(&b, 1, 8);
		put(&b, 0, 4);		/* so that the records do not stand at a word of it: then it were none, whatever they are */
		put_records(rows[i].letters, NULL);
		if (rows[i].junk)
			put(&b, UINT32_MAX, 4);
		end_rec(&b, from);
		read_stream(&b);
		if (strcmp(got, rows[i].kept))
			fail_msg("row %zu: kept %s, wanted %s", i, got, rows[i].kept);
	}
}

/* A record behind which none begins may have been overwritten from its middle on: it is left out, unless its end shows that it is whole. */
static void
followed(void **state)
{
	static const struct values near_ = { 1, 1, 0, T }, far = { 1, 1, 0, T + DAY + 99 }, nobody = { PID_MOST + 1, 1, 0, T };
	static const struct { const char *before, *behind; uint32_t type; uint16_t misc, size; const struct values *v; const char *kept; } rows[] = {
		/* SAMPLEs of a wrong size */
		{ "SSS", "SS", PP_SAMPLE, 2, 33, &near_, "kkk-kk" }, { "SSS", "SS", PP_SAMPLE, 5, 33, &near_, "kkk-kk" },
		{ "SSS", "SS", PP_SAMPLE, 6, 33, &near_, "kk--kk" }, { "SSS", "SS", PP_SAMPLE, 8, 33, &near_, "kkk-kk" },
		{ "SSS", "SS", PP_SAMPLE, 2, 33, &far, "kk--kk" }, { "SSS", "SS", PP_SAMPLE, 2, 33, &nobody, "kk--kk" },
		/* unknown types */
		{ "SSS", "SS", 0, 0, 32, &near_, "kk--kk" }, { "SSS", "SS", 5000, 0, 32, &near_, "kkkkkk" },
		{ "SSS", "SS", 5000, 0, 36, &near_, "kk--kk" },
		{ "SSS", "SS", 5000, 0, 0, &near_, "kk--kk" }, { "SSS", "SS", 65535, 0, 36, &near_, "kk--kk" },
		{ "SSS", "SS", 65536, 0, 32, &near_, "kkkkkk" },
		{ "SSS", "SS", 65536, 0, 33, &near_, "kk--kk" }, { "SSS", "SS", 65536, 0, 64, &near_, "kkk-kk" },
		{ "SSS", "SS", 65536, 0, 96, &near_, "kk--kk" },
		{ "SSS", "SS", 65536, 0, 97, &near_, "kk--kk" },
		/* perf's own, too short; cut by the end of the input */
		{ "SSS", "SS", PP_FINISHED_ROUND, 0, 7, &near_, "kk--kk" }, { "SSS", "SS", PP_FINISHED_ROUND, 0, 200, &near_, "kkk-kk" },
		{ "SSS", "SS", PP_COMM, 0, 200, &near_, "kkk-kk" }, { "SSS", "SS", PP_COMM, 0, 201, &near_, "kk--kk" },
		{ "SSS", "SS", PP_COMM, 6, 200, &near_, "kk--kk" },
		/* what shows by its end that it is whole */
		{ "SSC", "SS", 0, 0, 4, &near_, "kkk-kk" }, { "SSm", "SS", 0, 0, 4, &near_, "kk--kk" }, { "SSr", "SS", 0, 0, 4, &near_, "kkk-kk" },
		{ "SSR", "SS", 0, 0, 4, &near_, "kk--kk" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		size_t from;

		b.swap = i & 1;
		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		put_records(rows[i / 2].before, &near_);
		at[nat++] = from = begin_rec(&b, rows[i / 2].type, rows[i / 2].misc);
		put_values(rows[i / 2].v);
		store(&b, from + 6, rows[i / 2].size, 2);
		put_records(rows[i / 2].behind, NULL);
		read_stream(&b);
		if (strcmp(got, rows[i / 2].kept))
			fail_msg("row %zu: kept %s, wanted %s", i / 2, got, rows[i / 2].kept);
	}
}

/* The same, of a kernel record with bits of its size wrong, and with more behind it than is looked at. */
static void
followed_by_bits(void **state)
{
	static const struct { uint32_t type; uint16_t size; bool begins; } rows[] = {
		{ PP_COMM, 48 ^ 1, true }, { PP_COMM, 48 ^ 8, true }, { PP_COMM, 48 ^ 24, false }, { PP_COMM, 48 ^ 3, false }, { PP_COMM, 48 ^ 4096, true },
		{ PP_COMM, 48 ^ 32768, false }, { PP_HEADER_ATTR, 60000, true }, { PP_FINISHED_ROUND, 65535, true }, { PP_FINISHED_ROUND, 7, false },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		b.swap = i & 1;
		begin_stream(PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU);
		put_records("SSSm", NULL);
		store(&b, at[3], rows[i / 2].type, 4);
		store(&b, at[3] + 6, rows[i / 2].size, 2);
		for (int k = 0; k < 200; k++)
			put_records("S", NULL);
		read_stream(&b);
		assert_int_equal(strspn(got, "k"), rows[i / 2].begins ? 3 : 2);
		assert_int_equal(strspn(got + 4, "k"), 200);
	}
}

/* Without times an id shows that it is a record of this recording, if there are several. */
static void
by_ids(void **state)
{
	(void)state;
	for (int form = 0; form < 4; form++) {
		struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_IDENTIFIER | PP_SAMPLE_ID, .flags = 1 << 18 };
		static const uint64_t ids[] = { 11, 12 };

		b.swap = form & 1;
		b.n = nat = 0;
		put(&b, UINT64_C(0x32454c4946524550), 8);
		put(&b, 16, 8);
		if (form & 2) {
			put_attr(&b, &a, 1, ids);
			put_attr(&b, &a, 1, ids + 1);
		} else
			put_attr(&b, &a, 2, ids);
		for (int i = 0; i < 8; i++) {
			at[nat++] = begin_rec(&b, PP_SAMPLE, 2);
			put(&b, ids[i % 2], 8);
			put(&b, ids[i % 2], 8);
			end_rec(&b, at[i]);
			if (i == 1 || i == 4)
				store(&b, at[i] + 6, 25, 2);
		}
		at[nat] = b.n;
		read_stream(&b);
		assert_string_equal(got, form & 2 ? "k-kk-kkk" : "k----kkk");
	}
}

/* Kernel records of which nothing can be known: of an unknown type, or without an attr. */
static void
unknown(void **state)
{
	static const uint64_t ids[] = { 11, 12 };
	struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_IDENTIFIER, .flags = 1 << 18 };

	(void)state;
	for (int form = 0; form < 4; form++) {
		b.swap = form & 1;
		b.n = nat = 0;
		put(&b, UINT64_C(0x32454c4946524550), 8);
		put(&b, 16, 8);
		for (int i = 0; form & 2 && i < 2; i++)
			put_attr(&b, &a, 1, &ids[i]);
		for (unsigned i = 0; i < 3; i++) {
			at[nat++] = begin_rec(&b, form & 2 && i == 1 ? 50 : PP_LOST_SAMPLES, 0);
			put(&b, 4711, 8);
			if (form & 2)
				put(&b, i == 1 ? 99 : 11, 8);
			end_rec(&b, at[i]);
		}
		put_records("r", NULL);
		read_stream(&b);
		assert_string_equal(got, "kkkk");
	}
}

/* An attr has no time, whatever its ids are: the period that is missing is that between the records. */
static void
attrs_have_no_time(void **state)
{
	static const uint64_t ids[3] = { 1, T + 9 * DAY, 2 };
	struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_ID, .flags = 1 << 18 };

	(void)state;
	b.swap = false;
	b.n = nat = 0;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	put_attr(&b, &a, 0, NULL);
	put_attr(&b, &a, 3, ids);
	for (unsigned i = 0; i < 5; i++) {
		at[nat++] = begin_rec(&b, PP_SAMPLE, 2);
		put(&b, UINT64_C(1) << 32 | 1, 8);
		put(&b, T + i, 8);
		put(&b, 1 + i % 2, 8);
		end_rec(&b, at[i]);
	}
	store(&b, at[2] + 6, 33, 2);
	at[nat] = b.n;
	read_stream(&b);
	assert_string_equal(got, "kk-kk");
	assert_non_null(strstr(fault, ": 1000000.000000001 to 1000000.000000003, 0.000000002 s"));
}

/* No more of a stack is used than was copied. */
static void
stacks(void **state)
{
	(void)state;
	for (int form = 0; form < 2; form++) {
		struct pp_attr a = { .type = 1, .size = 112, .sample_type = PP_SAMPLE_TIME | PP_SAMPLE_STACK_USER, .sample_stack_user = 16, .flags = 1 << 18 };
		static const struct { unsigned copied, used; } rows[] = { { 16, 16 }, { 16, 0 }, { 0, 0 }, { 16, 17 }, { 16, 16 }, { 8, 8 }, { 8, 9 }, { 8, 7 } };

		b.swap = form & 1;
		b.n = nat = 0;
		put(&b, UINT64_C(0x32454c4946524550), 8);
		put(&b, 16, 8);
		put_attr(&b, &a, 0, NULL);
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			at[nat++] = begin_rec(&b, PP_SAMPLE, 2);
			put(&b, T + i, 8);
			put(&b, rows[i].copied, 8);
			for (unsigned k = 0; k < rows[i].copied; k++)
				put(&b, 0xff, 1);
			if (rows[i].copied)
				put(&b, rows[i].used, 8);
			end_rec(&b, at[i]);
		}
		at[nat] = b.n;
		read_stream(&b);
		assert_string_equal(got, "kkk-kk-k");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(possible_values), cmocka_unit_test(sure_ones), cmocka_unit_test(chains), cmocka_unit_test(payloads),
		cmocka_unit_test(last_time),
		cmocka_unit_test(amid_others), cmocka_unit_test(amid_own), cmocka_unit_test(followed), cmocka_unit_test(followed_by_bits),
		cmocka_unit_test(by_ids), cmocka_unit_test(unknown), cmocka_unit_test(attrs_have_no_time), cmocka_unit_test(stacks),
	};

	return cmocka_run_group_tests_name("repair", tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* repair.h - a stream of records by letters, with damage, and what is kept of it with PP_OPEN_REPAIR */
#ifndef PP_TEST_REPAIR_H
#define PP_TEST_REPAIR_H

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
static size_t zeros;			/* so many are behind all */

static inline void
note_fault(void *arg, const struct pp_err *e)
{
	(void)arg;
	assert_true(e->at);
	if (faults++)
		return;
	fault_at = e->off;
	snprintf(fault, sizeof fault, "%s", e->what);
}

/* The fields of a SAMPLE, or the trailer of others. */
static inline void
put_values(const struct values *v)
{
	put(&b, v->pid, 4);
	put(&b, v->tid, 4);
	put(&b, v->time, 8);
	put(&b, v->cpu, 4);
	put(&b, 0, 4);
}

static inline void
put_sample(const struct values *v)
{
	size_t from = begin_rec(&b, PP_SAMPLE, 2);

	put_values(v);
	end_rec(&b, from);
}

static inline void
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
static inline void
put_own(uint32_t type, unsigned n, unsigned i, uint8_t value)
{
	size_t from = begin_rec(&b, type, 0);

	put_text(&b, "", n);
	if (value)
		store(&b, from + PP_HEADER_SIZE + i, value, 1);
	end_rec(&b, from);
}

/* Half an AUXTRACE: with some of the payload of 24 bytes. */
static inline void
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
 *	1, 5, 8	so many bytes that are no record				h	the beginning of a SAMPLE
 *	c	COMPRESSED						u	a record of an unknown type
 */
static inline void
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
	case '8': put_text(&b, "", 8); break;
	case 'c': put_own(PP_COMPRESSED, 8, 0, 0); break;
	case 'u': put_own(5000, 8, 7, 1); break;
	case 'h': put_sample(&sure); b.n -= 8; break;
	default: fail_msg("letter %c", c);
	}
}

static inline void
begin_stream(uint64_t sample_type)
{
	struct pp_attr a = { .type = 1, .size = 64, .sample_type = sample_type, .flags = 1 << 18 };

	b.n = nat = 0;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	put_attr(&b, &a, 0, NULL);
}

static inline void
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
static inline void
read_stream(const struct bytes *from)
{
	int fd = memfd_create("repair", MFD_CLOEXEC);
	struct pp_source *s;
	struct pp_rec r;

	memset(got, '-', nat);
	got[nat] = 0;
	faults = 0;
	assert_int_equal(write(fd, from->at + 1, from->n), from->n);
	assert_int_equal(ftruncate(fd, (off_t)(from->n + zeros)), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	err = (struct pp_err){ .what = "" };
	assert_non_null(s = pp_open_fd(fd, "repair", PP_OPEN_REPAIR, &err));
	pp_on_fault(s, note_fault, NULL);
	for (size_t i = 0, next = 0; pp_next(s, &r) == 1;) {
		if (r.type == PP_HEADER_ATTR && pp_offset(s, &r) < at[0])
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
	assert_true(faults || !strchr(got, '-'));
	assert_int_equal(pp_close(s), faults ? -1 : 1);
}

/* The records of b as one COMPRESSED record. */
static inline void
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
static inline void
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

/* A TEXT_POKE whose bytes follow, and then its trailer. */
static inline size_t
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
static inline void
end_poke(size_t from)
{
	store(&b, from + 16, b.n - 24 - (from + 20), 2);
	end_rec(&b, from);
}

#endif

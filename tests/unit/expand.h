/* SPDX-License-Identifier: ISC */
/* expand.h - a stream with COMPRESSED records by hand, and which of the records in them are read */
#ifndef PP_TEST_EXPAND_H
#define PP_TEST_EXPAND_H

#include <sys/mman.h>

#include <unistd.h>
#include <zstd.h>

#include "bytes.h"

enum { SAMPLE = 32, MOST = 8, SAMPLES = 40 };

static struct bytes b, plain;
static struct pp_err err;
static struct pp_err fault[MOST];
static unsigned faults, kept[SAMPLES + 1];	/* the numbers of the samples */
static unsigned nkept, others, events;	/* others: of type 4711 */
static uint64_t lost;
static struct pp_compressed counts;
static ZSTD_CStream *z;

static inline void
note_fault(void *arg, const struct pp_err *e)
{
	(void)arg;
	assert_true(e->at);
	if (faults < MOST)
		fault[faults] = *e;
	faults++;
}

static inline void
begin(void)
{
	struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_ADDR, .flags = 1 << 18 };

	b.swap = plain.swap = false;
	b.n = plain.n = 0;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	put_attr(&b, &a, 0, NULL);
	end_rec(&b, begin_rec(&b, PP_FINISHED_INIT, 0));
	ZSTD_freeCStream(z);
	assert_non_null(z = ZSTD_createCStream());
}

static inline void
put_sample(struct bytes *to, unsigned number)
{
	size_t at = begin_rec(to, PP_SAMPLE, 2);

	put(to, UINT64_C(1) << 32 | 1, 8);
	put(to, UINT64_C(1000000000000) + number, 8);
	put(to, UINT64_C(0x123456789abcdef) * (number + 1), 8);
	end_rec(to, at);
}

/* Bytes that cannot be compressed, at the end of the plain ones. */
static inline void
put_random(unsigned n)
{
	static uint32_t x = 1;

	while (n--)
		put(&plain, (x = x * 1664525 + 1013904223) >> 24, 1);
}

/* Append these bytes, compressed. */
static inline void
pack(const uint8_t *p, size_t n)
{
	ZSTD_inBuffer in = { p, n, 0 };
	ZSTD_outBuffer out = { bytes_p(&b), sizeof b.at - 1, b.n };

	assert_int_equal(ZSTD_compressStream2(z, &out, &in, ZSTD_e_flush), 0);
	b.n = out.pos;
}

/* A compressed record of n of the plain bytes, from there on.  Its offset. */
static inline size_t
pack_record(uint32_t type, size_t from, size_t n)
{
	size_t at = begin_rec(&b, type, 0), data;

	if (type == PP_COMPRESSED2)
		put(&b, 0, 8);
	data = b.n;
	pack(bytes_p(&plain) + from, n);
	if (type == PP_COMPRESSED2) {
		store(&b, at + 8, b.n - data, 8);
		while ((b.n - at) % 8)
			put(&b, 0, 1);
	}
	end_rec(&b, at);
	return at;
}

/* What pp_close() returns. */
static inline int
read_stream(size_t n, unsigned flags)
{
	int fd = memfd_create("expand", MFD_CLOEXEC);
	struct pp_source *s;
	struct pp_rec r;
	int rc;

	assert_int_equal(write(fd, bytes_p(&b), n), n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	err = (struct pp_err){ .what = "" };
	faults = nkept = others = 0;
	assert_non_null(s = pp_open_fd(fd, "expand", flags, &err));
	pp_on_fault(s, note_fault, NULL);
	while ((rc = pp_next(s, &r)) == 1) {
		assert_string_equal(err.what, "");
		others += r.type == 4711;
		if (r.type != PP_SAMPLE)
			continue;
		assert_true(nkept < SAMPLES);
		kept[nkept++] = (unsigned)(pp_get_u64(r.raw + 16, false) - UINT64_C(1000000000000));
	}
	assert_int_equal(rc, err.what[0] ? -1 : 0);
	assert_int_equal(pp_next(s, &r), rc);
	events = s->events->n;
	pp_faults(s, &lost);
	counts = *pp_compressed(s);
	return pp_close(s);
}

/* Those samples, by number. */
static inline void
are_kept(const char *numbers)
{
	char text[SAMPLES * 4] = "";
	size_t n = 0;

	for (unsigned i = 0; i < nkept; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%u", i ? " " : "", kept[i]);
	assert_string_equal(text, numbers);
}

#endif

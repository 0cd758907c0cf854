/* SPDX-License-Identifier: ISC */
/* cpuprofile.h - a CPU profile of gperftools by hand, and the records that are to be made of it */
#ifndef PP_TEST_CPUPROFILE_H
#define PP_TEST_CPUPROFILE_H

#include <sys/mman.h>

#include <unistd.h>

#include "bytes.h"

enum { CHAIN_MOST = 8000, ROUND = 4096, SAMPLE_HEAD = 56 };
#define MAP	"08048000-0804a000 r-xp 00001000 08:02 131 "

static struct bytes b;
static struct pp_err err;
static unsigned width;			/* of a slot */
static uint8_t *profile;
static size_t nprofile, cap;
static int input;			/* the source's descriptor of it */

static inline void
slot(uint64_t v)
{
	if (nprofile + 8 > cap)
		assert_non_null(profile = realloc(profile, cap = 2 * cap + 4096));
	b.n = 0;
	put(&b, v, width);
	memcpy(profile + nprofile, bytes_p(&b), width);
	nprofile += width;
}

static inline void
text(const char *s)
{
	for (; *s; s++) {
		if (nprofile == cap)
			assert_non_null(profile = realloc(profile, cap = 2 * cap + 4096));
		profile[nprofile++] = (uint8_t)*s;
	}
}

static inline void
begin(uint64_t period)
{
	nprofile = 0;
	slot(0);
	slot(3);
	slot(0);
	slot(period);
	slot(0);
}

static inline void
ticks(uint64_t count, unsigned depth)
{
	slot(count);
	slot(depth);
	for (unsigned i = 0; i < depth; i++)
		slot(0x1000 + i);
}

static inline void
trailer(void)
{
	slot(0);
	slot(1);
	slot(0);
}

static inline struct pp_source *
open_profile(unsigned flags)
{
	input = memfd_create("profile", MFD_CLOEXEC);
	assert_int_equal(write(input, profile, nprofile), nprofile);
	assert_int_equal(lseek(input, 0, SEEK_SET), 0);
	err = (struct pp_err){ .what = "" };
	return pp_open_fd(input, "profile", flags, &err);
}

static inline struct pp_rec
next(struct pp_source *s, uint32_t type)
{
	struct pp_rec r;

	if (pp_next(s, &r) != 1)
		fail_msg("no record of type %u: %s", type, err.what);
	assert_int_equal(r.type, type);
	assert_int_equal(pp_offset(s, &r), 0);
	assert_false(pp_made(s, &r));
	return r;
}

/* A number of the record, which has this machine's byte order. */
static inline uint64_t
u64(const struct pp_rec *r, size_t at)
{
	return pp_get_u64(r->raw + at, false);
}

static inline uint32_t
u32(const struct pp_rec *r, size_t at)
{
	return pp_get_u32(r->raw + at, false);
}

/* The attr and its name; what stands in them: perf.data-file-format.txt, perf_event.h. */
static inline void
is_head(struct pp_source *s, uint64_t period)
{
	enum { BIT = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	/* inherit, exclude_kernel, exclude_hv, mmap, comm, task, sample_id_all, mmap2, comm_exec */
	static const unsigned flags[] = { 1, 5, 6, 8, 9, 13, 18, 23, 24 };
	struct pp_rec r = next(s, PP_HEADER_ATTR);
	unsigned bits = 0;

	assert_int_equal(r.size, 8 + 128 + 8);
	assert_int_equal(u32(&r, 8), 1);
	assert_int_equal(u32(&r, 12), 128);
	assert_int_equal(u64(&r, 16), 0);
	assert_int_equal(u64(&r, 24), period);
	assert_int_equal(u64(&r, 32), 1 | 2 | 4 | 1 << 5 | 1 << 8);	/* IP TID TIME CALLCHAIN PERIOD */
	assert_int_equal(u64(&r, 40), 0);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		assert_true(r.raw[48 + flags[i] / 8] >> (BIT ? 7 - flags[i] % 8 : flags[i] % 8) & 1);
	for (size_t i = 48; i < 56; i++)
		bits += (unsigned)__builtin_popcount(r.raw[i]);
	assert_int_equal(bits, 9);
	for (size_t i = 56; i < 8 + 128; i++)
		assert_int_equal(r.raw[i], 0);
	assert_int_equal(u64(&r, 8 + 128), 1);
	r = next(s, PP_EVENT_UPDATE);
	assert_int_equal(u64(&r, 8), 2);
	assert_int_equal(u64(&r, 16), 1);
	assert_string_equal((const char *)r.raw + 24, "cpu-clock");
}

static inline void
is_comm(struct pp_source *s, const char *name)
{
	struct pp_rec r = next(s, PP_COMM);

	assert_int_equal(r.misc, PP_MISC_USER);
	assert_int_equal(r.size, 8 + 8 + 16 + 16);
	assert_int_equal(u32(&r, 8), 1);
	assert_int_equal(u32(&r, 12), 1);
	assert_string_equal((const char *)r.raw + 16, name);
	assert_int_equal(u32(&r, 32), 1);
	assert_int_equal(u32(&r, 36), 1);
	assert_int_equal(u64(&r, 40), 0);
}

static inline void
is_map(struct pp_source *s, uint64_t start, uint64_t len, uint64_t pgoff, uint32_t maj, uint32_t min, uint64_t ino, uint32_t prot,
    uint32_t flags, const char *name)
{
	struct pp_rec r = next(s, PP_MMAP2);

	assert_int_equal(r.misc, PP_MISC_USER);
	assert_int_equal(u32(&r, 8), 1);
	assert_int_equal(u32(&r, 12), 1);
	assert_int_equal(u64(&r, 16), start);
	assert_int_equal(u64(&r, 24), len);
	assert_int_equal(u64(&r, 32), pgoff);
	assert_int_equal(u32(&r, 40), maj);
	assert_int_equal(u32(&r, 44), min);
	assert_int_equal(u64(&r, 48), ino);
	assert_int_equal(u64(&r, 56), 0);
	assert_int_equal(u32(&r, 64), prot);
	assert_int_equal(u32(&r, 68), flags);
	assert_string_equal((const char *)r.raw + 72, name);
}

static inline void
is_sample(struct pp_source *s, uint64_t time, uint64_t period, unsigned depth)
{
	struct pp_rec r = next(s, PP_SAMPLE);

	assert_int_equal(r.misc, PP_MISC_USER);
	assert_int_equal(r.size, SAMPLE_HEAD + 8 * depth);
	assert_int_equal(u64(&r, 8), 0x1000);
	assert_int_equal(u32(&r, 16), 1);
	assert_int_equal(u32(&r, 20), 1);
	assert_int_equal(u64(&r, 24), time);
	assert_int_equal(u64(&r, 32), period);
	assert_int_equal(u64(&r, 40), depth + 1);
	assert_int_equal(u64(&r, 48), (uint64_t)-512);
	for (unsigned i = 0; i < depth; i++)
		assert_int_equal(u64(&r, SAMPLE_HEAD + 8 * (size_t)i), 0x1000 + i);
}

static inline void
ends(struct pp_source *s)
{
	struct pp_rec r;

	if (pp_next(s, &r) != 0)
		fail_msg("there is more, or a fault: %s", err.what);
	assert_int_equal(pp_close(s), 1);
}

#endif

/* SPDX-License-Identifier: ISC */
/* file_features.h - a perf.data by hand, and what is made of each of its features */
#ifndef PP_TEST_FILE_FEATURES_H
#define PP_TEST_FILE_FEATURES_H

#include "perf_data.h"

enum { GROUP_DESC = 17, CPU_TOPOLOGY = 13, CACHE = 20, HYBRID = 30, AUXTRACE = 18, OUTSIDE_MOST = 64 << 20, IN_RECORD = 65535 - 16 };

static struct bytes g;			/* of a feature */

/* A file of that size whose end, behind what is in b, is zeros. */
static inline struct pp_source *
open_long(size_t size, unsigned flags)
{
	int fd = memfd_create("file", MFD_CLOEXEC);
	struct pp_source *s;

	assert_int_equal(write(fd, bytes_p(&b), b.n), b.n);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	err = (struct pp_err){ .what = "" };
	faults = nseen = 0;
	if ((s = pp_open_fd(fd, "file", flags, &err)))
		pp_on_fault(s, note_fault, NULL);
	return s;
}

/* The next record but attrs. */
static inline struct pp_rec
next(struct pp_source *s, uint32_t type)
{
	struct pp_rec r;

	do
		if (pp_next(s, &r) != 1)
			fail_msg("no record of type %u: %s", type, err.what);
	while (r.type == PP_HEADER_ATTR);
	assert_int_equal(r.type, type);
	return r;
}

static inline void
is_sample(struct pp_source *s, unsigned i)
{
	struct pp_rec r = next(s, PP_SAMPLE);

	assert_int_equal(pp_offset(s, &r), data_at[i]);
	assert_false(pp_made(s, &r));
	assert_memory_equal(r.raw, bytes_p(&b) + data_at[i], r.size);
}

/* The samples, and what was left out before them. */
static inline void
ends(struct pp_source *s, uint64_t want_lost)
{
	uint64_t lost;
	struct pp_rec r;

	for (unsigned i = 0; i < 3; i++)
		is_sample(s, i);
	assert_int_equal(pp_next(s, &r), 0);
	pp_faults(s, &lost);
	assert_int_equal(lost, want_lost);
	assert_int_equal(pp_close(s), faults ? -1 : 1);
}

/* The record of a feature with these bytes. */
static inline void
is_feature(struct pp_source *s, int number, const void *p, size_t n)
{
	struct pp_rec r = next(s, PP_HEADER_FEATURE);

	assert_int_equal(pp_get_u64(r.raw + 8, s->swap), number);
	assert_int_equal(r.size, 16 + n);
	assert_int_equal(r.payload, 0);
	assert_true(pp_made(s, &r));
	assert_memory_equal(r.raw + 16, p, n);
}

/* The feature as the payload of a record: what is in b of it, and zeros. */
static inline void
is_payload(struct pp_source *s, int number, uint64_t n)
{
	struct pp_rec r = next(s, PP_HEADER_FEATURE);
	const uint8_t *p;
	uint64_t sum = 0;
	size_t k;

	assert_int_equal(pp_get_u64(r.raw + 8, s->swap), number);
	assert_int_equal(r.size, 16);
	assert_int_equal(r.payload, n);
	for (; pp_payload(s, &p, &k) == 1; sum += k)
		for (size_t i = 0; i < k; i++)
			if (p[i] != (sum + i < feature[number].size ? bytes_p(&b)[feature[number].off + sum + i] : 0))
				fail_msg("byte %" PRIu64 " of feature %d", sum + i, number);
	assert_int_equal(sum, n);
}

static inline void
give(int number)
{
	put_these = &g;
	put_for = number;
	g.n = 0;
	g.swap = b.swap;
}

#endif

/* SPDX-License-Identifier: ISC */
/* perf_data.h - a perf.data by hand, and what is read of it */
#ifndef PP_TEST_PERF_DATA_H
#define PP_TEST_PERF_DATA_H

#include <sys/mman.h>

#include <unistd.h>

#include "bytes.h"

enum { ATTR = 64, ENTRY = ATTR + 16, HEADER = 104, RECORDS_MAX = 40, MOST = 8 };
enum { TRACING = 1, HOSTNAME = 3, NRCPUS = 7, EVENT_DESC = 12, STAT = 19, BUILD_ID = 2, DIR_FORMAT = 24, UNKNOWN = 60 };

static struct bytes b;
static struct pp_err err;
static struct pp_err fault[MOST];
static unsigned faults;

static struct section { size_t off, size; } attrs, ids[2], data, feature[256], table;
static const uint64_t id_of[3] = { 11, 12, 21 };
static uint64_t dir_version;
static unsigned desc_len;		/* of the name of an event, with its NUL */
static size_t data_at[3];		/* the records of the data */
static const struct bytes *put_these;	/* the bytes of feature `put_for', if it is one that put_features() does not know */
static int put_for;

struct seen {
	uint32_t	 type, size;
	uint64_t	 off;
	bool		 made;
	uint64_t	 number;	/* of a feature; of an attr: how many ids; the id that gets a name */
};
static struct seen seen[RECORDS_MAX];
static unsigned nseen;

static inline void
note_fault(void *arg, const struct pp_err *e)
{
	(void)arg;
	if (faults < MOST)
		fault[faults] = *e;
	faults++;
}

/* ---- the file ------------------------------------------------------------------------------------------- */

static inline void
put_attr_entry(unsigned i, uint32_t type)
{
	struct pp_attr a = { .type = type, .size = ATTR, .sample_type = PP_SAMPLE_ID | PP_SAMPLE_TIME, .flags = 1 << 18 };
	struct bytes one = { .swap = b.swap };

	put_attr(&one, &a, 0, NULL);
	memcpy(bytes_p(&b) + b.n, bytes_p(&one) + PP_HEADER_SIZE, ATTR);
	b.n += ATTR;
	put(&b, ids[i].off, 8);
	put(&b, ids[i].size, 8);
}

static inline void
put_string(const char *s, size_t size)
{
	put(&b, size, 4);
	put_text(&b, s, size);
}

static inline void
begin_feature(int number)
{
	feature[number] = (struct section){ b.n, 0 };
}

static inline void
end_feature(int number)
{
	feature[number].size = b.n - feature[number].off;
}

/* narrow: of a recorder whose longs have 32 bits. */
static inline void
put_header(uint64_t const bits[4], bool narrow)
{
	size_t at = b.n;

	b.n = 0;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, HEADER, 8);
	put(&b, ENTRY, 8);
	put(&b, attrs.off, 8);
	put(&b, attrs.size, 8);
	put(&b, data.off, 8);
	put(&b, data.size, 8);
	put(&b, 0, 8);
	put(&b, 0, 8);
	for (int i = 0; i < 4; i++)
		for (int half = 0; half < 2; half++)
			if (narrow)
				put(&b, bits[i] >> 32 * half & UINT32_MAX, 4);
			else if (!half)
				put(&b, bits[i], 8);
	b.n = at;
}

static inline void
put_data(void)
{
	data.off = b.n;
	for (unsigned i = 0; i < 3; i++) {
		data_at[i] = begin_rec(&b, PP_SAMPLE, 2);
		put(&b, 1000 + i, 8);
		put(&b, id_of[i], 8);
		end_rec(&b, data_at[i]);
	}
	data.size = b.n - data.off;
}

static inline void
put_features(const int *numbers)
{
	for (; *numbers; numbers++) {
		begin_feature(*numbers);
		if (put_these && *numbers == put_for) {
			memcpy(bytes_p(&b) + b.n, put_these->at + 1, put_these->n);
			b.n += put_these->n;
		} else if (*numbers == HOSTNAME)
			put_string("host", 64);
		else if (*numbers == NRCPUS) {
			put(&b, 8, 4);
			put(&b, 4, 4);
		} else if (*numbers == BUILD_ID) {
			put(&b, 0, 4);
			put(&b, 0, 2);
			put(&b, 36 + 12, 2);
			put(&b, UINT32_MAX, 4);
			for (unsigned k = 0; k < 24; k++)
				put(&b, k < 20 ? k : 0, 1);
			put_text(&b, "/bin/file", 12);
		} else if (*numbers == UNKNOWN || *numbers == TRACING)
			put(&b, 1, 8);
		else if (*numbers == DIR_FORMAT)
			put(&b, dir_version, 8);
		else if (*numbers == EVENT_DESC) {
			put(&b, 2, 4);
			put(&b, ATTR, 4);
			for (int i = 0; i < 2; i++) {
				put_text(&b, "", ATTR);
				put(&b, 1, 4);
				put(&b, desc_len, 4);
				for (unsigned k = 1; k < desc_len; k++)
					put(&b, 'x', 1);
				put(&b, 0, 1);
				put(&b, id_of[2 * i], 8);
			}
		}
		end_feature(*numbers);
	}
}

/* Two attrs with three ids, and these features, in front of the data, or behind their table, as perf record has them. */
static inline void
make_file(const int *numbers, uint32_t type, bool narrow, bool behind)
{
	uint64_t bits[4] = { 0 };

	memset(feature, 0, sizeof feature);
	b.n = HEADER;
	ids[0] = (struct section){ b.n, 16 };
	put(&b, id_of[0], 8);
	put(&b, id_of[1], 8);
	ids[1] = (struct section){ b.n, 8 };
	put(&b, id_of[2], 8);
	attrs.off = b.n;
	put_attr_entry(0, type);
	put_attr_entry(1, type);
	attrs.size = b.n - attrs.off;
	if (!behind)
		put_features(numbers);
	put_data();
	table.off = b.n;
	for (int i = 0; numbers[i]; i++) {
		bits[numbers[i] / 64] |= UINT64_C(1) << numbers[i] % 64;
		put(&b, 0, 8);
		put(&b, 0, 8);
	}
	table.size = b.n - table.off;
	if (behind)
		put_features(numbers);
	for (size_t i = 0; numbers[i]; i++) {
		store(&b, table.off + 16 * i, feature[numbers[i]].off, 8);
		store(&b, table.off + 16 * i + 8, feature[numbers[i]].size, 8);
	}
	put_header(bits, narrow);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

/* What comes next. */
static inline void
note_record(struct pp_source *s, const struct pp_rec *r)
{
	struct seen *x = &seen[nseen++];

	assert_true(nseen < RECORDS_MAX);
	*x = (struct seen){ r->type, r->size, pp_offset(s, r), pp_made(s, r), 0 };
	if (x->made && r->type != PP_HEADER_BUILD_ID)
		assert_int_equal(r->misc, 0);
	if (r->type == PP_HEADER_FEATURE)
		x->number = pp_get_u64(r->raw + 8, s->swap);
	if (r->type == PP_EVENT_UPDATE)
		x->number = pp_get_u64(r->raw + 16, s->swap);
	if (r->type == PP_HEADER_ATTR)
		x->number = (r->size - (size_t)PP_HEADER_SIZE - ATTR) / 8;
}

static inline struct pp_source *
open_file(size_t n, unsigned flags)
{
	int fd = memfd_create("file", MFD_CLOEXEC);
	struct pp_source *s;

	assert_int_equal(write(fd, bytes_p(&b), n), n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	err = (struct pp_err){ .what = "" };
	faults = nseen = 0;
	if ((s = pp_open_fd(fd, "file", flags, &err)))
		pp_on_fault(s, note_fault, NULL);
	return s;
}

/* What pp_close() returns; 0: it cannot be opened. */
static inline int
read_file(size_t n, unsigned flags)
{
	struct pp_source *s = open_file(n, flags);
	struct pp_rec r;
	uint64_t total;

	if (!s)
		return 0;
	assert_string_equal(pp_container(s), "seekable perf.data");
	assert_int_equal(s->swap, b.swap);
	while (pp_next(s, &r) == 1)
		note_record(s, &r);
	if (!err.what[0] && !(flags & PP_OPEN_REPAIR)) {
		assert_int_equal(pp_progress(s, &total), data.size < n - data.off ? data.size : n - data.off);
		assert_int_equal(total, n);
	}
	return pp_close(s);
}

static inline unsigned
samples_seen(unsigned at, unsigned n)
{
	for (unsigned i = 0; i < n; i++, at++) {
		assert_true(at < nseen);
		assert_int_equal(seen[at].type, PP_SAMPLE);
		assert_int_equal(seen[at].off, data_at[i]);
		assert_false(seen[at].made);
	}
	return at;
}

/* The records: two attrs, these features, so many build-ids, so many samples; if it was written meanwhile, these before the features. */
static inline void
are_seen(const int *numbers, unsigned build_ids, unsigned samples, bool live)
{
	unsigned at = 0;

	assert_true(nseen >= 2);
	for (; at < 2; at++) {
		assert_int_equal(seen[at].type, PP_HEADER_ATTR);
		assert_int_equal(seen[at].number, ids[at].size / 8);
		assert_true(seen[at].made);
	}
	if (live)
		at = samples_seen(at, samples);
	for (; *numbers; numbers++, at++) {
		assert_true(at < nseen);
		assert_int_equal(seen[at].type, PP_HEADER_FEATURE);
		assert_int_equal(seen[at].number, *numbers);
		assert_int_equal(seen[at].size, 16 + feature[*numbers].size);
		assert_true(seen[at].made);
	}
	for (; build_ids; build_ids--, at++) {
		assert_true(at < nseen);
		assert_int_equal(seen[at].type, PP_HEADER_BUILD_ID);
		assert_true(seen[at].made);
	}
	if (!live)
		at = samples_seen(at, samples);
	assert_int_equal(at, nseen);
}

/* Features of a file, and those of which a stream has records. */
static const int all[] = { BUILD_ID, HOSTNAME, NRCPUS, 0 }, shown[] = { HOSTNAME, NRCPUS, 0 }, none[] = { 0 };

#endif

/* SPDX-License-Identifier: ISC */
/* written.h - a perf.data that is written record by record, and taken apart by hand */
#ifndef PP_TEST_WRITTEN_H
#define PP_TEST_WRITTEN_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bytes.h"
#include "record/raw.h"
#include "sink/out_file.h"
#include "sink/sink.h"

enum { HEADER = 104, SECTION = 16, MOST = 1 << 20, FEATURES = 256 };
enum { TRACING = 1, BUILD_ID = 2, HOSTNAME = 3, NRCPUS = 7, EVENT_DESC = 12, BRANCH_STACK = 15, AUXTRACE = 18, STAT = 19, CACHE = 20,
	SAMPLE_TIME = 21, DIR_FORMAT = 24, COMPRESSED = 27 };

static struct pp_err err;
static struct bytes b;			/* a record */
static uint8_t got[MOST];
static size_t ngot;
static bool swapped;			/* the file's byte order */

static struct pp_source *in;
static struct out *o;
static int fd, dir;

/* ---- writing ----------------------------------------------------------------------------------------------- */

static inline void
begin(bool swap, const struct out_pack *pack, bool grows)
{
	b.swap = swapped = swap;
	err = (struct pp_err){ .what = "" };
	assert_non_null(in = pp_open_memory(NULL, 0, swap, "in", &err));
	dir = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = memfd_create("out", MFD_CLOEXEC);
	o = out_file_new(pp_create_fd(fcntl(fd, F_DUPFD_CLOEXEC, 0), "out", &err), &(struct out_file_at){ .fd = fd, .dir = dir, .grows = grows },
	    pack ? pack : &(struct out_pack){ .level = 0 }, in, &err);
	assert_non_null(o);
}

static inline void
look(void)
{
	ssize_t n = pread(fd, got, sizeof got, 0);

	assert_true(n >= 0 && (size_t)n < sizeof got);
	ngot = (size_t)n;
}

static inline void
end(int rc)
{
	assert_int_equal(o->finish(o), rc);
	look();
	pp_close(in);
	close(fd);
	close(dir);
}

static inline void
put_rec(struct pp_rec r)
{
	if (o->put(o, NULL, &r, false) != 1)
		fail_msg("%s", err.what);
}

static inline void
put_event(uint32_t size, uint64_t config, uint64_t sample_type, unsigned nids, const uint64_t *ids)
{
	const struct pp_attr a = { .type = 1, .size = size, .config = config, .sample_type = sample_type };

	b.n = 0;
	put_rec(put_attr(&b, &a, nids, ids));
}

/* A name for the event of that id. */
static inline void
put_name(uint64_t id, const char *name)
{
	size_t at;

	b.n = 0;
	at = begin_rec(&b, PP_EVENT_UPDATE, 0);
	put(&b, 2, 8);
	put(&b, id, 8);
	put_text(&b, name, (strlen(name) + 8) / 8 * 8);
	put_rec(end_rec(&b, at));
}

static inline void
put_sample(uint64_t id, uint64_t time)
{
	size_t at;

	b.n = 0;
	at = begin_rec(&b, PP_SAMPLE, 2);
	put(&b, time, 8);
	put(&b, id, 8);
	put_rec(end_rec(&b, at));
}

static inline void
put_feature(uint64_t number, uint64_t value, unsigned width)
{
	size_t at;

	b.n = 0;
	at = begin_rec(&b, PP_HEADER_FEATURE, 0);
	put(&b, number, 8);
	put(&b, value, width);
	put_rec(end_rec(&b, at));
}

/* ---- what is in the file ----------------------------------------------------------------------------------- */

static inline uint64_t
u64_at(size_t at)
{
	assert_true(at + 8 <= ngot);
	return pp_get_u64(got + at, swapped);
}

static inline uint32_t
u32_at(size_t at)
{
	assert_true(at + 4 <= ngot);
	return pp_get_u32(got + at, swapped);
}

static struct section { uint64_t off, len; } attrs, data, feature[FEATURES];
static uint64_t attr_size;
static bool has[FEATURES];

/* Take it apart: each section of a feature is where the one before it ends. */
static inline void
take_apart(void)
{
	uint64_t table, at;

	assert_int_equal(u64_at(0), UINT64_C(0x32454c4946524550));
	assert_int_equal(u64_at(8), HEADER);
	attr_size = u64_at(16) - SECTION;
	attrs = (struct section){ u64_at(24), u64_at(32) };
	data = (struct section){ u64_at(40), u64_at(48) };
	assert_int_equal(u64_at(56), 0);
	assert_int_equal(u64_at(64), 0);
	table = at = data.off + data.len;
	for (unsigned i = 0; i < FEATURES; i++) {
		has[i] = u64_at(72 + i / 64 * 8) >> i % 64 & 1;
		at += has[i] ? SECTION : 0;
	}
	for (unsigned i = 0; i < FEATURES; i++) {
		if (!has[i])
			continue;
		feature[i] = (struct section){ u64_at(table), u64_at(table + 8) };
		assert_int_equal(feature[i].off, at);
		at += feature[i].len;
		assert_true(at <= ngot);
		table += SECTION;
	}
	if (attrs.off <= data.off)		/* else the attrs are the last */
		assert_int_equal(at, ngot);
	else
		assert_int_equal(attrs.off + attrs.len, ngot);
}

static inline void
has_only(const unsigned *numbers, unsigned n)
{
	for (unsigned i = 0; i < FEATURES; i++) {
		bool wanted = false;

		for (unsigned k = 0; k < n; k++)
			wanted |= numbers[k] == i;
		if (has[i] != wanted)
			fail_msg("feature %u is%s there", i, has[i] ? "" : " not");
	}
}
#define HAS_ONLY(...) do {								\
	static const unsigned numbers_[] = { __VA_ARGS__ };				\
	has_only(numbers_, sizeof numbers_ / sizeof *numbers_);				\
} while (0)

#endif

/* SPDX-License-Identifier: ISC */
/* A pipe-mode stream: bytes that are left out, what is at hand of it, whether reading may wait, and its bytes as they are. */
#include <sys/mman.h>

#include <unistd.h>
#include <zstd.h>

#include "bytes.h"
#include "source/leave_out.h"
#include "source/section.h"

enum { RECORDS = 6, SIZE = 24 };

static struct bytes b;
static struct pp_err err;
static size_t at[RECORDS + 1];

/* Records of an unknown type, each with its number. */
static void
stream(void)
{
	b.n = 0;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	for (unsigned i = 0; i < RECORDS; i++) {
		at[i] = begin_rec(&b, 4711, 0);
		put(&b, i, 8);
		put(&b, 0, 8);
		end_rec(&b, at[i]);
	}
	at[RECORDS] = b.n;
}

static int
file_of(const uint8_t *p, size_t n)
{
	int fd = memfd_create("stream", MFD_CLOEXEC);

	assert_int_equal(write(fd, p, n), n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static struct pp_source *
open_file(size_t n, unsigned flags)
{
	struct pp_source *s;

	err = (struct pp_err){ .what = "" };
	assert_non_null(s = pp_open_fd(file_of(bytes_p(&b), n), "stream", flags, &err));
	return s;
}

/* ---- left out -------------------------------------------------------------------------------------------- */

/* Records `from' to `to' are left out, and a FINISHED_ROUND comes instead. */
struct plan {
	unsigned	 from, to;
	uint64_t	 more;		/* bytes that are not there */
	unsigned	 calls;
	uint8_t		 instead[8];
};

static int
next_step(void *arg, uint32_t file, uint64_t off, struct pp_leave_step *x)
{
	struct plan *p = arg;

	assert_int_equal(file, 0);
	assert_int_equal(off, p->calls == 0 ? 16 : p->calls == 1 ? at[p->from] : at[p->to]);
	if (!p->calls)
		x->n = at[p->from] - 16;
	else if (p->calls == 1)
		*x = (struct pp_leave_step){ .n = at[p->to] - at[p->from] + p->more, .leave = true, .copy = p->instead, .ncopy = 8 };
	p->calls++;
	return 1;
}

static int
took(void *arg, const uint8_t *p, size_t n, bool end)
{
	(void)arg, (void)p, (void)n, (void)end;
	return 1;
}

static void
left_out(void **state)
{
	(void)state;
	for (unsigned from = 1; from < RECORDS; from++)
		for (unsigned to = from + 1; to <= RECORDS; to++)
			for (unsigned more = 0; more < (to == RECORDS ? 2 : 1); more++) {
				struct plan plan = { .from = from, .to = to, .more = more };
				const struct pp_leave_out how = { .next = next_step, .took = took, .name = "index", .arg = &plan };
				struct pp_source *s;
				struct pp_rec r;
				uint64_t total;
				unsigned i;

				b.swap = from & 1;
				stream();
				pp_set_u32(plan.instead, PP_FINISHED_ROUND, b.swap);
				pp_set_u16(plan.instead + 6, 8, b.swap);
				s = open_file(b.n, 0);
				assert_int_equal(pp_leave_out(s, &how), 1);
				for (i = 0; i < RECORDS; i++) {
					if (i == from && more)
						break;
					assert_int_equal(pp_next(s, &r), 1);
					assert_int_equal(pp_offset(s, &r), at[i]);
					assert_false(pp_made(s, &r));
					assert_int_equal(r.type, i == from ? PP_FINISHED_ROUND : 4711);
					if (i == from)
						i = to - 1;
					else
						assert_int_equal(pp_get_u64(r.raw + 8, s->swap), i);
				}
				if (more) {
					assert_int_equal(pp_next(s, &r), -1);
					assert_non_null(strstr(err.what, "the file ends before a chunk does"));
					assert_int_equal(err.off, at[from]);
				} else {
					assert_int_equal(pp_next(s, &r), 0);
					assert_int_equal(pp_progress(s, &total), b.n);
					assert_int_equal(total, b.n);
				}
				assert_int_equal(pp_close(s), more ? -1 : 1);
			}
}

/* Two steps, each of a COMPRESSED record. */
static size_t borders[3];

static int
next_border(void *arg, uint32_t file, uint64_t off, struct pp_leave_step *x)
{
	unsigned *calls = arg;

	(void)file;
	assert_true(*calls < 3);
	assert_int_equal(off, borders[*calls]);
	if (*calls < 2)
		x->n = borders[*calls + 1] - borders[*calls];
	++*calls;
	return 1;
}

/* A step begins between two frames, and between two records that are in them. */
static void
step_begins(void **state)
{
	static const struct { bool ends; size_t first; } rows[] = { { true, 2 * SIZE }, { false, 2 * SIZE }, { true, 2 * SIZE + 10 } };

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool fits = rows[i].ends && rows[i].first % SIZE == 0;
		size_t from = 16, ends[2] = { 16 + rows[i].first, 16 + 3 * SIZE };
		ZSTD_CStream *z = ZSTD_createCStream();
		static struct bytes packed;
		unsigned calls = 0, n = 0;
		const struct pp_leave_out how = { .next = next_border, .took = took, .name = "index", .arg = &calls };
		struct pp_source *s;
		struct pp_rec r;

		b.swap = packed.swap = false;
		stream();
		memcpy(bytes_p(&packed), bytes_p(&b), 16);
		packed.n = borders[0] = 16;
		for (int k = 0; k < 2; k++) {
			uint8_t to[4096];
			ZSTD_inBuffer in = { bytes_p(&b) + from, ends[k] - from, 0 };
			ZSTD_outBuffer out = { to, sizeof to, 0 };
			size_t rec = begin_rec(&packed, PP_COMPRESSED, 0);

			assert_int_equal(ZSTD_compressStream2(z, &out, &in, rows[i].ends ? ZSTD_e_end : ZSTD_e_flush), 0);
			for (size_t j = 0; j < out.pos; j++)
				put(&packed, to[j], 1);
			end_rec(&packed, rec);
			borders[k + 1] = packed.n;
			from = ends[k];
		}
		ZSTD_freeCStream(z);
		err = (struct pp_err){ .what = "" };
		assert_non_null(s = pp_open_fd(file_of(bytes_p(&packed), packed.n), "stream", 0, &err));
		assert_int_equal(pp_leave_out(s, &how), 1);
		while (pp_next(s, &r) == 1)
			assert_int_equal(pp_get_u64(r.raw + 8, s->swap), n++);
		assert_int_equal(n, fits ? 3 : 2);
		if (!fits) {
			assert_non_null(strstr(err.what, "a chunk begins inside a record"));
			assert_int_equal(err.off, borders[1]);
		}
		assert_int_equal(pp_close(s), fits ? 1 : -1);
	}
}

/* ---- at hand --------------------------------------------------------------------------------------------- */

/* Each byte of a record that is not there yet; one of a size that cannot be is at hand, as pp_next() refuses it. */
static void
at_hand(void **state)
{
	static const struct { uint32_t type; uint16_t size; unsigned whole; } rows[] = {
		{ 4711, 24, 24 }, { 4711, 8, 8 }, { 4711, 7, 8 }, { 4711, 0, 8 }, { 4711, 9, 9 }, { PP_COMPRESSED2, 24, 24 }, { PP_COMPRESSED2, 16, 16 },
		{ PP_COMPRESSED2, 15, 16 }, { PP_COMPRESSED2, 8, 16 }, { PP_COMPRESSED2, 0, 16 }, { PP_COMPRESSED, 8, 8 },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		struct pp_source *s;
		int fd[2];

		b.swap = i & 1;
		stream();
		store(&b, at[0], rows[i / 2].type, 4);
		store(&b, at[0] + 6, rows[i / 2].size, 2);
		assert_int_equal(pipe(fd), 0);
		assert_int_equal(write(fd[1], bytes_p(&b), at[0]), at[0]);
		assert_non_null(s = pp_open_fd(fd[0], "stream", 0, &err));
		assert_int_equal(pp_poll_fd(s), fd[0]);
		for (unsigned have = 0; have < rows[i / 2].whole; have++) {
			if (pp_at_hand(s))
				fail_msg("row %zu: at hand with %u bytes", i / 2, have);
			assert_true(pp_may_wait(s));
			assert_int_equal(write(fd[1], bytes_p(&b) + at[0] + have, 1), 1);
			assert_false(pp_may_wait(s));
			assert_int_equal(pp_top_up(s), 1);
		}
		assert_true(pp_at_hand(s));
		close(fd[1]);
		assert_int_equal(pp_top_up(s), 0);
		assert_true(pp_at_hand(s));
		assert_false(pp_may_wait(s));
		pp_close(s);
	}
}

/* The same of records out of COMPRESSED ones: two, and a part of a third that the next one completes. */
static void
at_hand_inside(void **state)
{
	ZSTD_CStream *z = ZSTD_createCStream();
	static const size_t parts[] = { 0, 2 * SIZE + 10, 3 * SIZE };
	struct pp_source *s;
	struct pp_rec r;
	size_t ends[3], done;
	int fd[2];

	(void)state;
	b.swap = false;
	stream();
	ends[0] = 16;
	for (int i = 1; i < 3; i++) {
		static uint8_t to[4096];
		ZSTD_inBuffer in = { bytes_p(&b) + 16 + parts[i - 1], parts[i] - parts[i - 1], 0 };
		ZSTD_outBuffer out = { to, sizeof to, 0 };
		static struct bytes packed;
		size_t from;

		assert_int_equal(ZSTD_compressStream2(z, &out, &in, ZSTD_e_flush), 0);
		packed.n = i == 1 ? 0 : packed.n;
		from = begin_rec(&packed, PP_COMPRESSED, 0);
		for (size_t k = 0; k < out.pos; k++)
			put(&packed, to[k], 1);
		end_rec(&packed, from);
		ends[i] = 16 + packed.n;
		if (i == 2)
			memcpy(bytes_p(&b) + 16, bytes_p(&packed), packed.n);
	}
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], bytes_p(&b), ends[1]), ends[1]);
	assert_non_null(s = pp_open_fd(fd[0], "stream", 0, &err));
	assert_int_equal(pp_next(s, &r), 1);
	assert_int_equal(pp_get_u64(r.raw + 8, s->swap), 0);
	assert_true(pp_at_hand(s));
	assert_int_equal(pp_next(s, &r), 1);
	assert_int_equal(pp_get_u64(r.raw + 8, s->swap), 1);
	for (done = ends[1]; done < ends[2]; done++) {
		assert_false(pp_at_hand(s));
		assert_int_equal(write(fd[1], bytes_p(&b) + done, 1), 1);
		assert_int_equal(pp_top_up(s), 1);
	}
	assert_true(pp_at_hand(s));
	assert_int_equal(pp_next(s, &r), 1);
	assert_int_equal(pp_get_u64(r.raw + 8, s->swap), 2);
	assert_false(pp_at_hand(s));
	close(fd[1]);
	assert_int_equal(pp_top_up(s), 0);
	assert_true(pp_at_hand(s));
	assert_int_equal(pp_next(s, &r), 0);
	assert_int_equal(pp_close(s), 1);
	ZSTD_freeCStream(z);
}

/* A file never waits, but one that is being written, of which all is read; neither does memory. */
static void
may_wait(void **state)
{
	char path[64];
	struct pp_source *s;
	struct pp_rec r;
	int fd;

	(void)state;
	b.swap = false;
	stream();
	s = open_file(b.n, 0);
	assert_false(pp_may_wait(s));
	pp_close(s);
	assert_non_null(s = pp_open_memory(bytes_p(&b) + 16, b.n - 16, false, "memory", &err));
	assert_int_equal(pp_poll_fd(s), -1);
	assert_false(pp_may_wait(s));
	pp_close(s);
	for (size_t n = at[1]; n < b.n; n++) {
		fd = file_of(bytes_p(&b), n);		/* and it is open for writing all the time */
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		assert_non_null(s = pp_open(path, PP_OPEN_FOLLOW, &err));
		assert_int_equal(pp_next(s, &r), 1);
		assert_true(pp_may_wait(s));
		assert_int_equal(pwrite(fd, bytes_p(&b) + n, 1, (off_t)n), 1);
		assert_false(pp_may_wait(s));
		assert_int_equal(pp_top_up(s), 1);
		assert_true(pp_may_wait(s));
		assert_int_equal(pp_raw_size(s, 0), n + 1);
		close(fd);
		pp_close(s);
	}
}

/* A source that has failed has nothing to wait for. */
static void
failed(void **state)
{
	struct pp_source *s;
	struct pp_rec r;

	(void)state;
	b.swap = false;
	stream();
	store(&b, at[0] + 6, 7, 2);
	s = open_file(b.n, 0);
	assert_int_equal(pp_next(s, &r), -1);
	assert_true(pp_at_hand(s));
	assert_int_equal(pp_top_up(s), -1);
	assert_int_equal(pp_close(s), -1);
}

/* ---- payloads -------------------------------------------------------------------------------------------- */

/* A payload that the input ends in: what there is of it comes, and the message has both numbers. */
static void
cut_payload(void **state)
{
	enum { PAYLOAD = 40 };

	(void)state;
	for (unsigned have = 0; have <= PAYLOAD; have++) {
		struct pp_source *s;
		struct pp_rec r;
		const uint8_t *p;
		unsigned sum = 0;
		char why[100];
		size_t from, n;
		int rc;

		b.swap = have & 1;
		stream();
		b.n = at[1];
		from = begin_rec(&b, PP_AUXTRACE, 0);
		put(&b, PAYLOAD, 8);
		for (unsigned i = 0; i < 4; i++)
			put(&b, 0, 8);
		end_rec(&b, from);
		for (unsigned i = 0; i < have; i++)
			put(&b, i, 1);
		s = open_file(b.n, 0);
		for (int i = 0; i < 2; i++)
			assert_int_equal(pp_next(s, &r), 1);
		assert_int_equal(r.payload, PAYLOAD);
		assert_true(pp_at_hand(s));		/* pp_next() yields it, or fails, without more of it */
		while ((rc = pp_payload(s, &p, &n)) == 1)
			for (size_t i = 0; i < n; i++)
				assert_int_equal(p[i], sum++);
		assert_int_equal(sum, have);
		assert_int_equal(rc, have < PAYLOAD ? -1 : 0);
		if (have < PAYLOAD) {
			snprintf(why, sizeof why, "AUXTRACE: cut short, %u of 40 bytes behind it", have);
			assert_string_equal(err.what, why);
			assert_int_equal(err.off, from);
			assert_int_equal(pp_payload(s, &p, &n), -1);
		} else
			assert_int_equal(pp_next(s, &r), 0);
		assert_int_equal(pp_close(s), have < PAYLOAD ? -1 : 1);
	}
}

/* ---- bytes as they are ------------------------------------------------------------------------------------- */

static void
raw(void **state)
{
	static uint8_t packed[4096], got[4096];
	struct pp_section x;
	struct pp_source *s;
	int fd[2];
	size_t n;

	(void)state;
	b.swap = false;
	stream();
	s = open_file(b.n, 0);
	assert_string_equal(pp_data_section(s, &x), "the input is no perf.data file");
	assert_int_equal(pp_raw_size(s, 0), b.n);
	assert_int_equal(pp_raw_at(s, 0, 3, got, b.n - 3), 1);
	assert_memory_equal(got, bytes_p(&b) + 3, b.n - 3);
	assert_int_equal(pp_raw_at(s, 0, 3, got, b.n - 2), 0);
	assert_int_equal(pp_raw_at(s, 1, 0, got, 1), -1);
	close(pp_poll_fd(s));		/* which fails now; the source does not */
	assert_int_equal(pp_raw_at(s, 0, 0, got, 1), -1);
	assert_string_equal(err.what, "");
	pp_close(s);
	/* neither a pipe nor a frame without a seek table has any */
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], bytes_p(&b), b.n), b.n);
	close(fd[1]);
	assert_non_null(s = pp_open_fd(fd[0], "stream", 0, &err));
	assert_int_equal(pp_raw_size(s, 0), -1);
	assert_int_equal(pp_raw_at(s, 0, 0, got, 1), -1);
	pp_close(s);
	n = ZSTD_compress(packed, sizeof packed, bytes_p(&b), b.n, 1);
	assert_false(ZSTD_isError(n));
	assert_non_null(s = pp_open_fd(file_of(packed, n), "stream", 0, &err));
	assert_int_equal(pp_raw_size(s, 0), -1);
	assert_int_equal(pp_raw_at(s, 0, 0, got, 1), -1);
	pp_close(s);
	assert_non_null(s = pp_open_memory(bytes_p(&b) + 16, b.n - 16, false, "memory", &err));
	assert_int_equal(pp_raw_size(s, 0), -1);
	pp_close(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(left_out), cmocka_unit_test(step_begins), cmocka_unit_test(at_hand), cmocka_unit_test(at_hand_inside), cmocka_unit_test(may_wait), cmocka_unit_test(failed),
		cmocka_unit_test(cut_payload), cmocka_unit_test(raw),
	};

	return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* The pieces of a recording: shares by the definition in piece.h, whatever the numbers are, and however records are compressed. */
#include <sys/mman.h>

#include <unistd.h>
#include <zstd.h>

#include "bytes.h"
#include "record/mark.h"
#include "record/raw.h"
#include "record/wide.h"
#include "source/leave_out.h"
#include "source/piece.h"

enum { SAMPLES = 23, RECORDS_MAX = 100 };

static struct bytes b, z;
static struct pp_err err;

struct record {
	uint32_t	 type;
	uint64_t	 c;		/* bytes of SAMPLEs in front of it */
	uint64_t	 number;	/* its first field, another one in each */
};
static struct record all[RECORDS_MAX], got[RECORDS_MAX];
static unsigned nall, ngot;
static uint64_t total;			/* bytes of all SAMPLEs */
static bool absent[RECORDS_MAX];	/* by number: what pp_when_absent() told of */

/* A record with that number, of some size. */
static void
record(uint32_t type, unsigned more)
{
	size_t at = begin_rec(&b, type, 0);

	all[nall] = (struct record){ type, total, nall };
	put(&b, nall++, 8);
	for (unsigned i = 0; i < more; i++)
		put(&b, type == PP_COMM ? 0 : i, 8);
	total += type == PP_SAMPLE ? b.n - at : 0;
	end_rec(&b, at);
}

/* SAMPLEs of different sizes; between some of them what comes in all pieces (COMM, FINISHED_ROUND), and in one (LOST). */
static void
recording(unsigned samples)
{
	/* with a bit that is not known: only then may SAMPLEs be of any size */
	const struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_TIME | UINT64_C(1) << 40 };

	b.n = nall = 0;
	total = 0;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	put_attr(&b, &a, 0, NULL);
	all[nall++] = (struct record){ PP_HEADER_ATTR, 0, 0 };
	record(PP_LOST, 1);
	for (unsigned i = 0; i < samples; i++) {
		record(PP_SAMPLE, i % 4);
		if (i % 3 == 1)
			record(PP_COMM, 2);
		if (i % 5 == 2)
			record(PP_LOST, 1);
		if (i % 7 == 6) {
			all[nall] = (struct record){ PP_FINISHED_ROUND, total, nall };
			nall++;
			end_rec(&b, begin_rec(&b, PP_FINISHED_ROUND, 0));
		}
	}
	record(PP_LOST, 1);
}

/* The same, with the records behind the attr in zstd frames of about so many bytes. */
static void
compress(size_t frame)
{
	size_t from = 16 + PP_HEADER_SIZE + 64, to;

	z.n = 0;
	memcpy(bytes_p(&z), bytes_p(&b), from);
	z.n = from;
	for (size_t at = from; at < b.n; at = to) {
		size_t rec, n;

		for (to = at; to < b.n && to - at < frame;)
			to += pp_get_u16(bytes_p(&b) + to + 6, false);
		rec = begin_rec(&z, PP_COMPRESSED, 0);
		n = ZSTD_compress(bytes_p(&z) + z.n, sizeof z.at - z.n - 1, bytes_p(&b) + at, to - at, 1);
		assert_false(ZSTD_isError(n));
		z.n += n;
		end_rec(&z, rec);
	}
}

static void
note_absent(void *arg, uint64_t first, uint64_t last)
{
	(void)arg;
	assert_true(first <= last && last < nall);
	for (uint64_t i = first; i <= last; i++) {
		assert_false(absent[i]);
		absent[i] = true;
	}
}

/* Read a piece; again: how often pp_again() was true. */
static void
read_piece(const struct bytes *of, uint64_t k, uint64_t n, uint64_t sum, unsigned *again)
{
	int fd = memfd_create("piece", MFD_CLOEXEC);
	struct pp_source *s;
	struct pp_rec r;

	assert_int_equal(write(fd, of->at + 1, of->n), of->n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_non_null(s = pp_open_fd(fd, "piece", 0, &err));
	assert_int_equal(pp_piece(s, k, n, sum), 1);
	memset(absent, 0, sizeof absent);
	pp_when_absent(s, note_absent, NULL);
	for (ngot = *again = 0; pp_next(s, &r) > 0; ngot++) {
		assert_true(ngot < RECORDS_MAX);
		got[ngot] = (struct record){ .type = r.type, .number = r.size > 8 ? pp_get_u64(r.raw + 8, false) : 0 };
		*again += pp_again(s, &r);
	}
	assert_int_equal(pp_close(s), 1);
}

/* a * b >= c * d */
static bool
at_least(uint64_t a, uint64_t b_, uint64_t c, uint64_t d)
{
	struct wide x = wide_mul(a, b_), y = wide_mul(c, d);

	return x.hi > y.hi || (x.hi == y.hi && x.lo >= y.lo);
}

static bool
in_all(uint32_t type)
{
	return type != PP_SAMPLE && type != PP_LOST;
}

/* The definition. */
static bool
is_of(const struct record *r, uint64_t k, uint64_t n, uint64_t sum)
{
	if (in_all(r->type))
		return true;
	if (!sum)
		return k == 1;
	return at_least(r->c, n, k - 1, sum) && (k == n || !at_least(r->c, n, k, sum));
}

/* The piece has the records that it should; returns how many of them come in no other. */
static unsigned
check_piece(const struct bytes *of, uint64_t k, uint64_t n, uint64_t sum)
{
	unsigned at = 0, own = 0, again, others = 0, last = 0;

	read_piece(of, k, n, sum, &again);
	for (unsigned i = 0; i < nall; i++)
		if (is_of(&all[i], k, n, sum)) {
			assert_true(at < ngot);
			assert_int_equal(got[at].type, all[i].type);
			if (all[i].type != PP_HEADER_ATTR && all[i].type != PP_FINISHED_ROUND)
				assert_int_equal(got[at].number, all[i].number);
			at++;
			last = i;
			own += !in_all(all[i].type);
			others += in_all(all[i].type);
		}
	assert_int_equal(at, ngot);
	for (unsigned i = 0; i < last; i++)
		if (all[i].type == PP_SAMPLE)
			assert_int_equal(absent[i], !is_of(&all[i], k, n, sum));
	assert_int_equal(again, k == 1 ? 0 : others);
	return own;
}

static unsigned
check_pieces(const struct bytes *of, uint64_t n, uint64_t sum)
{
	unsigned own = 0;

	for (uint64_t k = 1; k <= n; k++)
		own += check_piece(of, k, n, sum);
	return own;
}

static unsigned
count_own(void)
{
	unsigned own = 0;

	for (unsigned i = 0; i < nall; i++)
		own += !in_all(all[i].type);
	return own;
}

/* ---- tests -------------------------------------------------------------------------------------------- */

static void
test_shares(void **state)
{
	(void)state;
	recording(SAMPLES);
	/* as many pieces as samples, and more */
	for (uint64_t n = 1; n <= 3 * SAMPLES; n += n < 8 ? 1 : 7)
		assert_int_equal(check_pieces(&b, n, total), count_own());
	assert_int_equal(check_pieces(&b, total + 1, total), count_own());
}

static void
test_other_totals(void **state)
{
	(void)state;
	recording(SAMPLES);
	for (uint64_t n = 1; n < 5; n++) {
		assert_int_equal(check_pieces(&b, n, 0), count_own());	/* all is of the first */
		assert_int_equal(check_pieces(&b, n, 1), count_own());	/* too small: the last has the rest */
		assert_int_equal(check_pieces(&b, n, total / 2), count_own());
		assert_int_equal(check_pieces(&b, n, total - 1), count_own());
		assert_int_equal(check_pieces(&b, n, total + 1), count_own());
		assert_int_equal(check_pieces(&b, n, 3 * total), count_own());
	}
	/* without samples */
	recording(0);
	assert_int_equal(check_pieces(&b, 3, 0), 2);
	assert_int_equal(check_pieces(&b, 3, 100), 2);
}

static void
test_limits(void **state)
{
	static const uint64_t large[] = { UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, UINT64_C(1) << 32 };

	(void)state;
	recording(SAMPLES);
	for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
		/* a sum that is not there: a piece that is not the first has nothing */
		assert_int_equal(check_pieces(&b, 3, large[i]), count_own());
		assert_int_equal(check_piece(&b, 2, 2, large[i]), 0);
		assert_int_equal(check_piece(&b, large[i], large[i], large[i]), 0);
		/* so many pieces: each record is of that which the definition names, and of no other */
		for (unsigned r = 0; r < nall; r++) {
			struct wide x = wide_mul(all[r].c, large[i]);
			uint64_t rest, k;

			if (in_all(all[r].type) || all[r].c == total)
				continue;
			k = wide_div(x, total, &rest) + 1;
			assert_true(is_of(&all[r], k, large[i], total));
			check_piece(&b, k, large[i], total);
			check_piece(&b, k + (k < large[i]), large[i], total);
			check_piece(&b, k - (k > 1), large[i], total);
		}
		/* the records behind the last sample */
		assert_true(check_piece(&b, large[i], large[i], total) >= 1);
	}
}

static void
test_compressed(void **state)
{
	static const size_t frames[] = { 1, 100, 300, 100000 };

	(void)state;
	recording(SAMPLES);
	for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
		compress(frames[i]);
		for (uint64_t n = 1; n < 9; n++)
			assert_int_equal(check_pieces(&z, n, total), count_own());
		check_pieces(&z, 3, total / 3);
		check_pieces(&z, 3, 0);
	}
}

/* What one is told who leaves bytes out. */
static void
test_leaving_out(void **state)
{
	int fd = memfd_create("piece", MFD_CLOEXEC);
	struct pp_source *s;

	(void)state;
	recording(SAMPLES);
	assert_int_equal(write(fd, bytes_p(&b), b.n), b.n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_non_null(s = pp_open_fd(dup(fd), "piece", 0, &err));
	assert_int_equal(pp_piece_has(s, 1), PP_PIECE_ALL);	/* no piece */
	assert_false(pp_piece_behind(s));
	assert_false(pp_piece_starts_behind(s, 0));
	pp_close(s);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_non_null(s = pp_open_fd(fd, "piece", 0, &err));
	assert_int_equal(pp_piece(s, 2, 4, 400), 1);
	assert_true(pp_piece_starts_behind(s, 99));
	assert_false(pp_piece_starts_behind(s, 100));
	assert_false(pp_piece_behind(s));
	assert_int_equal(pp_piece_has(s, 99), PP_PIECE_NONE);
	assert_int_equal(pp_piece_has(s, 100), PP_PIECE_SOME);	/* a record behind them is of the piece */
	assert_int_equal(pp_piece_has(s, UINT64_MAX), PP_PIECE_SOME);
	pp_piece_passed(s, 100);
	assert_false(pp_piece_behind(s));
	assert_false(pp_piece_starts_behind(s, 99));
	assert_int_equal(pp_piece_has(s, 99), PP_PIECE_ALL);
	assert_int_equal(pp_piece_has(s, 100), PP_PIECE_SOME);
	pp_piece_passed(s, 100);
	assert_false(pp_piece_behind(s));		/* of the piece itself */
	assert_int_equal(pp_piece_done(s), 200);
	assert_int_equal(pp_piece_has(s, 0), PP_PIECE_NONE);
	/* sums that are too large do not begin again at 0 */
	pp_piece_passed(s, UINT64_MAX);
	assert_true(pp_piece_behind(s));
	assert_int_equal(pp_piece_has(s, 1), PP_PIECE_NONE);
	pp_piece_passed(s, UINT64_MAX - 250);
	assert_int_equal(pp_piece_has(s, 1), PP_PIECE_NONE);
	pp_close(s);
}

static struct pp_source *
open_piece(uint64_t k, uint64_t n, struct pp_piece_marks **m)
{
	int fd = memfd_create("piece", MFD_CLOEXEC);
	struct pp_source *s;

	assert_int_equal(write(fd, bytes_p(&b), b.n), b.n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	err = (struct pp_err){ .what = "" };
	assert_non_null(s = pp_open_fd(fd, "piece", 0, &err));
	assert_int_equal(pp_piece(s, k, n, total), 1);
	*m = pp_piece_mark(s);
	return s;
}

/* Marks: those of the share stand between them, and two rounds behind it are enough for the sink. */
static void
test_marks(void **state)
{
	enum { N = 4 };

	(void)state;
	for (unsigned form = 0; form < 4 * N; form++) {
		unsigned k = form / 4 + 1, own = 0, want = 0, rounds = 0, left = 0;
		bool ends = form & 1, begun = k == 1, over = false;
		struct pp_piece_marks *m;
		struct pp_source *s;
		struct pp_rec r;

		b.swap = form & 2;
		recording(2 * SAMPLES);
		s = open_piece(k, N, &m);
		memset(absent, 0, sizeof absent);
		pp_when_absent(s, note_absent, NULL);
		while (pp_next(s, &r) > 0) {
			assert_int_equal(pp_get_u32(r.raw, b.swap) == PP_PIECE_MARK, pp_piece_is_mark(m, r.raw, r.size) > 0);
			switch (pp_piece_is_mark(m, r.raw, r.size)) {
			case 0:
				break;
			case 1 + PP_PIECE_BEGIN:
				assert_true(k > 1 && !begun);
				for (unsigned i = 0; i < nall; i++)	/* it is told of those in front of it */
					if (all[i].type == PP_SAMPLE)
						assert_int_equal(absent[i], !at_least(all[i].c, N, k - 1, total));
				begun = true;
				continue;
			case 1 + PP_PIECE_END:
				assert_true(k < N && begun && !over);
				over = true;
				m->ended = ends;
				continue;
			default:
				fail_msg("another mark");
			}
			if (!in_all(r.type)) {
				assert_true(begun && !over);
				own++;
			}
			rounds += over && r.type == PP_FINISHED_ROUND;
		}
		assert_int_equal(pp_close(s), 1);
		assert_true(begun && over == (k < N));
		for (unsigned i = 0; i < nall; i++) {
			want += !in_all(all[i].type) && is_of(&all[i], k, N, total);
			left += all[i].type == PP_FINISHED_ROUND && !at_least(k, total, all[i].c, N);
			left += all[i].type == PP_FINISHED_ROUND && all[i].c * N == k * total;
		}
		assert_int_equal(own, want);
		if (k < N)
			assert_int_equal(rounds, ends && left > 2 ? 2 : left);
	}
	b.swap = false;
}

/* Data of their own between the samples come too early for the marks; in front of all samples they do not. */
static void
test_marks_and_payload(void **state)
{
	(void)state;
	for (unsigned early = 0; early < 2; early++) {
		struct pp_piece_marks *m;
		struct pp_source *s;
		struct pp_rec r;
		size_t at;
		int rc;

		recording(early ? 0 : SAMPLES);
		at = begin_rec(&b, PP_AUXTRACE, 0);
		put(&b, 8, 8);
		for (int i = 0; i < 4; i++)
			put(&b, 0, 8);
		end_rec(&b, at);
		put(&b, 0, 8);
		for (unsigned i = 0; early && i < SAMPLES; i++)
			record(PP_SAMPLE, 1);
		s = open_piece(2, 2, &m);
		while ((rc = pp_next(s, &r)) > 0)
			;
		assert_int_equal(rc, early ? 0 : -1);
		assert_int_equal(strstr(err.what, "cannot be read by several processes") != NULL, !early);
		assert_int_equal(pp_close(s), early ? 1 : -1);
	}
}

/* What is damaged is found at the same place, with the same words, as when all is read. */
static void
test_damage(void **state)
{
	static const unsigned sizes[] = { 0, 4, 7, 9, 65535 };
	static size_t at[RECORDS_MAX];
	unsigned n = 0;

	(void)state;
	recording(SAMPLES);
	for (size_t p = 16; p < b.n; p += pp_get_u16(bytes_p(&b) + p + 6, false))
		at[n++] = p;
	for (unsigned i = 1; i < n; i++)
		for (unsigned form = 0; form < sizeof sizes / sizeof *sizes + 2; form++) {
			struct pp_err said;
			unsigned records = 0;
			int closed = 0;
			size_t was = b.n;

			recording(SAMPLES);
			was = b.n;
			if (form < 2)
				b.n = at[i] + (form ? 12 : 4);
			else
				store(&b, at[i] + 6, sizes[form - 2], 2);
			for (unsigned piece = 0; piece < 3; piece++) {
				int fd = memfd_create("piece", MFD_CLOEXEC);
				struct pp_source *s;
				struct pp_rec r;
				unsigned got_n = 0;
				int rc;

				assert_int_equal(write(fd, bytes_p(&b), b.n), b.n);
				assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
				err = (struct pp_err){ .what = "" };
				assert_non_null(s = pp_open_fd(fd, "piece", 0, &err));
				if (piece)
					assert_int_equal(pp_piece(s, piece, piece, total), 1);
				while ((rc = pp_next(s, &r)) > 0)
					got_n++;
				rc = pp_close(s);
				if (!piece) {
					said = err;
					records = got_n;
					closed = rc;
					continue;
				}
				if (piece == 2) {		/* which does not look into the SAMPLEs of the other one */
					assert_int_equal(rc, err.what[0] ? -1 : 1);
					continue;
				}
				assert_int_equal(rc, closed);
				assert_string_equal(err.what, said.what);
				assert_int_equal(err.off, said.off);
				assert_int_equal(got_n, records);
			}
			b.n = was;
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_other_totals),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_leaving_out),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_marks_and_payload),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

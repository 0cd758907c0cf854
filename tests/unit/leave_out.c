/* SPDX-License-Identifier: ISC */
/* Runs of records that are not read, and what comes instead: which records, where they are, and which times are told of. */
#include <sys/mman.h>

#include <unistd.h>

#include <zstd.h>

#include "bytes.h"
#include "chance.h"
#include "source/leave_out.h"
#include "source/piece.h"

enum { TYPE = 4711, RECORDS = 30, STEPS = 12 };

static struct bytes b;
static struct pp_err err;
static size_t at[RECORDS + 1];		/* of the records; where they end */

static struct step {
	unsigned	 from, to;	/* records */
	bool		 leave;
	uint8_t		 copy[100];
	size_t		 ncopy;
} steps[STEPS];
static unsigned nsteps, now;
static uint64_t took_n;
static unsigned took_calls, took_ends, took_fails;	/* fails: the call that does, from 1 */

static struct span { uint64_t first, last; } wanted_span[STEPS * 3], told[STEPS * 3];
static unsigned nwanted_span, ntold;
static struct want { uint64_t off; uint32_t type; unsigned record; } want[RECORDS + 3 * STEPS];
static unsigned nwant;

/* ---- the recording, and what is done with it --------------------------------------------------------------- */

static void
make_stream(void)
{
	memset(b.at, 0, sizeof b.at);
	b.n = 0;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	for (unsigned i = 0; i < RECORDS; i++) {
		at[i] = begin_rec(&b, TYPE, 0);
		put(&b, i, 8);
		b.n += rnd(40);
		end_rec(&b, at[i]);
	}
	at[RECORDS] = b.n;
}

static void
put_copy(struct step *x, uint32_t type, unsigned size, uint64_t first, uint64_t last)
{
	uint8_t *p = x->copy + x->ncopy;

	pp_set_u32(p, type, b.swap);
	pp_set_u16(p + 4, 0, b.swap);
	pp_set_u16(p + 6, (uint16_t)size, b.swap);
	if (size >= 24) {
		pp_set_u64(p + 8, first, b.swap);
		pp_set_u64(p + 16, last, b.swap);
	}
	x->ncopy += size;
}

/* Steps up to the end, or up to where the rest is read; and what comes of them. */
static void
make_steps(void)
{
	unsigned record = 0;

	nsteps = nwant = nwanted_span = 0;
	while (record < RECORDS && nsteps < STEPS) {
		struct step *x = &steps[nsteps++];

		*x = (struct step){ .from = record, .to = record + 1 + rnd(RECORDS - record < 6 ? RECORDS - record : 6), .leave = rnd(2) };
		record = x->to;
		for (unsigned k = x->leave ? rnd(4) : 0; k; k--) {
			uint64_t first = 100 * nsteps + k;

			switch (rnd(3)) {
			case 0:
				put_copy(x, 68, 8, 0, 0);
				want[nwant++] = (struct want){ at[x->from], 68, RECORDS };
				break;
			case 1:
				put_copy(x, PP_LEFT_OUT, 24, first, first + 1);
				wanted_span[nwanted_span++] = (struct span){ first, first + 1 };
				break;
			case 2:
				put_copy(x, PP_LEFT_OUT, 8, 0, 0);	/* of which no time is known */
			}
		}
		for (unsigned i = x->from; !x->leave && i < x->to; i++)
			want[nwant++] = (struct want){ at[i], TYPE, i };
	}
	for (; record < RECORDS; record++)
		want[nwant++] = (struct want){ at[record], TYPE, record };
}

static int
next_step(void *arg, uint32_t file, uint64_t off, struct pp_leave_step *x)
{
	const struct step *s = &steps[now];

	assert_ptr_equal(arg, steps);
	assert_int_equal(file, 0);
	if (now == nsteps) {
		assert_int_equal(off, nsteps ? at[steps[nsteps - 1].to] : at[0]);
		*x = (struct pp_leave_step){ .n = UINT64_MAX };
		return 1;
	}
	assert_int_equal(off, at[s->from]);
	*x = (struct pp_leave_step){ .n = at[s->to] - at[s->from], .leave = s->leave, .copy = s->copy, .ncopy = s->ncopy };
	now++;
	return 1;
}

static int
took(void *arg, const uint8_t *p, size_t n, bool end)
{
	const struct step *s = &steps[now - 1];

	(void)arg;
	if (++took_calls == took_fails)
		return pp_fail(&err, "not this");
	assert_memory_equal(p, bytes_p(&b) + at[s->from] + took_n, n);
	took_n += n;
	assert_int_equal(end, took_n == at[s->to] - at[s->from]);
	if (end)
		took_n = 0;
	took_ends += end;
	return 1;
}

static void
note_told(void *arg, uint64_t first, uint64_t last)
{
	(void)arg;
	assert_true(ntold < sizeof told / sizeof *told);
	told[ntold++] = (struct span){ first, last };
}

static const struct pp_leave_out how = { .next = next_step, .took = took, .name = "index", .arg = steps };

static struct pp_source *
open_bytes(const uint8_t *p, size_t n, unsigned flags)
{
	int fd = memfd_create("stream", MFD_CLOEXEC);
	struct pp_source *s;

	assert_int_equal(write(fd, p, n), n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	now = ntold = took_calls = took_ends = took_fails = 0;
	took_n = 0;
	assert_non_null(s = pp_open_fd(fd, "stream", flags, &err));
	return s;
}

static uint8_t *
give(void *arg)
{
	static uint8_t buffer[4][PP_BUFFER_SIZE];
	unsigned *n = arg;

	return buffer[++*n % 4];
}

/* ---- tests ------------------------------------------------------------------------------------------------- */

static void
test_steps(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 400; round++) {
		struct pp_rec r, before = { .raw = NULL };
		unsigned n = 0, given = 0, ends = 0;
		struct pp_source *s;

		seed = round;
		b.swap = round & 1;
		make_stream();
		make_steps();
		for (unsigned i = 0; i < nsteps; i++)
			ends += !steps[i].leave;
		s = open_bytes(bytes_p(&b), b.n, 0);
		if (round & 4)
			pp_read_into(s, give, &given);
		if (round % 3)
			pp_when_absent(s, note_told, NULL);
		assert_int_equal(pp_leave_out(s, &how), 1);
		while (pp_next(s, &r) == 1) {
			const struct want *w = &want[n++];

			assert_true(n <= nwant);
			assert_int_equal(r.type, w->type);
			assert_int_equal(pp_offset(s, &r), w->off);
			assert_false(pp_made(s, &r));
			if (w->record < RECORDS)
				assert_memory_equal(r.raw, bytes_p(&b) + at[w->record], at[w->record + 1] - at[w->record]);
			/* where nothing is overwritten, the one before it is still where it was */
			if (round & 4 && before.raw && w[-1].record < RECORDS)
				assert_int_equal(pp_offset(s, &before), w[-1].off);
			before = r;
		}
		assert_string_equal(err.what, "");
		assert_int_equal(pp_close(s), 1);
		assert_int_equal(n, nwant);
		assert_int_equal(took_ends, ends);
		assert_int_equal(ntold, round % 3 ? nwanted_span : 0);
		for (unsigned i = 0; i < ntold; i++) {
			assert_int_equal(told[i].first, wanted_span[i].first);
			assert_int_equal(told[i].last, wanted_span[i].last);
		}
	}
}

/* What a recording itself has of that type is a record of it, of which nothing is told. */
static void
test_own_type(void **state)
{
	struct pp_source *s;
	struct pp_rec r;
	unsigned n = 0;

	(void)state;
	b.swap = false;
	seed = 1;
	make_stream();
	for (unsigned i = 0; i < RECORDS; i += 3)
		store(&b, at[i], PP_LEFT_OUT, 4);
	nsteps = 1;
	steps[0] = (struct step){ .from = 0, .to = 5, .leave = true };
	put_copy(&steps[0], PP_LEFT_OUT, 24, 7, 8);
	for (unsigned form = 0; form < 2; form++) {
		s = open_bytes(bytes_p(&b), b.n, 0);
		pp_when_absent(s, note_told, NULL);
		if (form)
			assert_int_equal(pp_leave_out(s, &how), 1);
		for (n = form ? 5 : 0; pp_next(s, &r) == 1; n++) {
			assert_int_equal(r.type, n % 3 ? TYPE : PP_LEFT_OUT);
			assert_int_equal(pp_offset(s, &r), at[n]);
		}
		assert_int_equal(n, RECORDS);
		assert_int_equal(ntold, form);
		assert_int_equal(pp_close(s), 1);
	}
}

static void
fails(struct pp_source *s, unsigned records, uint64_t off, const char *what)
{
	struct pp_rec r;
	unsigned n = 0;
	int rc;

	err = (struct pp_err){ .what = "" };
	assert_int_equal(pp_leave_out(s, &how), 1);
	while ((rc = pp_next(s, &r)) == 1)
		n++;
	assert_int_equal(rc, -1);
	assert_int_equal(n, records);
	assert_string_equal(err.what, what);
	if (off) {
		assert_true(err.at);
		assert_int_equal(err.off, off);
	}
	assert_int_equal(pp_next(s, &r), -1);
	assert_int_equal(pp_close(s), -1);
}

#define MISFIT(why) "the index index does not fit: " why "; --no-index reads without it, pcat --index makes it again"

/* Steps that are not of this recording. */
static void
test_misfits(void **state)
{
	(void)state;
	b.swap = false;
	seed = 2;
	make_stream();
	for (unsigned leave = 0; leave < 2; leave++) {
		struct pp_source *s;

		nsteps = 2;			/* a step that ends inside a record */
		steps[0] = (struct step){ .from = 0, .to = 2 };
		steps[1] = (struct step){ .from = 2, .to = 4, .leave = leave };
		at[2] -= 3;
		s = open_bytes(bytes_p(&b), b.n, 0);
		fails(s, 1, at[2], MISFIT("a chunk begins inside a record"));
		nsteps = 1;			/* but then all that is left may be read */
		s = open_bytes(bytes_p(&b), b.n, 0);
		struct pp_rec r;
		unsigned n = 0;

		assert_int_equal(pp_leave_out(s, &how), 1);
		for (; pp_next(s, &r) == 1; n++)
			assert_int_equal(pp_offset(s, &r), n == 2 ? at[2] + 3 : at[n]);
		assert_int_equal(n, RECORDS);
		assert_int_equal(pp_close(s), 1);
		at[2] += 3;
		/* one that ends behind the file */
		steps[0] = (struct step){ .from = 0, .to = RECORDS, .leave = leave };
		at[RECORDS]++;
		s = open_bytes(bytes_p(&b), b.n, 0);
		fails(s, leave ? 0 : RECORDS, leave ? at[0] : 0,
		    leave ? MISFIT("the file ends before a chunk does") : MISFIT("the file ends inside a chunk"));
		at[RECORDS]--;
		/* one who does not take what was read */
		steps[0] = (struct step){ .from = 0, .to = 3, .leave = false };
		s = open_bytes(bytes_p(&b), b.n, 0);
		took_fails = 1;
		fails(s, 0, 0, "not this");
	}
}

/* Inside of a payload, and inside of a zstd frame, no step begins. */
static void
test_inside(void **state)
{
	static struct bytes plain;
	struct pp_source *s;
	size_t rec, n;

	(void)state;
	b.swap = false;
	seed = 3;
	make_stream();
	store(&b, at[1], 71, 4);		/* AUXTRACE, whose payload are the next records */
	b.n = at[RECORDS];
	nsteps = 2;
	plain.n = 0;
	put_text(&plain, "PERFILE2\20", 16);
	rec = begin_rec(&plain, 71, 0);
	put(&plain, 32, 8);
	for (int i = 0; i < 4; i++)
		put(&plain, 0, 8);
	end_rec(&plain, rec);
	for (int i = 0; i < 4; i++)
		end_rec(&plain, begin_rec(&plain, 68, 0));
	for (int i = 0; i < 4; i++)
		end_rec(&plain, begin_rec(&plain, 68, 0));
	at[0] = 16;
	at[1] = 16 + 48 + 16;
	at[2] = plain.n;
	steps[0] = (struct step){ .from = 0, .to = 1 };
	steps[1] = (struct step){ .from = 1, .to = 2, .leave = true };
	memcpy(b.at, plain.at, sizeof b.at);
	b.n = plain.n;
	s = open_bytes(bytes_p(&b), b.n, 0);
	fails(s, 1, at[1], MISFIT("a chunk begins inside a record"));
	at[1] = 16 + 48 + 32;			/* behind the payload it may */
	s = open_bytes(bytes_p(&b), b.n, 0);
	struct pp_rec r;
	unsigned got = 0;

	assert_int_equal(pp_leave_out(s, &how), 1);
	for (; pp_next(s, &r) == 1; got++)
		;
	assert_int_equal(got, 1);
	assert_int_equal(pp_close(s), 1);

	/* two COMPRESSED records of one frame, and one of another */
	ZSTD_CCtx *z = ZSTD_createCCtx();

	plain.n = 0;
	put_text(&plain, "PERFILE2\20", 16);
	for (unsigned i = 0; i < 3; i++) {
		uint8_t some[16] = { 0 };
		ZSTD_inBuffer in = { some, sizeof some, 0 };
		ZSTD_outBuffer out;

		pp_set_u32(some, TYPE, BIG_HERE);
		pp_set_u16(some + 6, sizeof some, BIG_HERE);
		at[i] = begin_rec(&plain, 81, 0);
		out = (ZSTD_outBuffer){ bytes_p(&plain) + plain.n, 1000, 0 };
		n = ZSTD_compressStream2(z, &out, &in, i == 1 ? ZSTD_e_end : ZSTD_e_flush);
		assert_int_equal(n, 0);
		plain.n += out.pos;
		end_rec(&plain, at[i]);
	}
	ZSTD_freeCCtx(z);
	at[3] = plain.n;
	memcpy(b.at, plain.at, sizeof b.at);
	b.n = plain.n;
	for (unsigned to = 1; to < 3; to++) {
		steps[0] = (struct step){ .from = 0, .to = to };
		steps[1] = (struct step){ .from = to, .to = 3, .leave = true };
		s = open_bytes(bytes_p(&b), b.n, 0);
		if (to == 1)
			fails(s, 1, at[1], MISFIT("a chunk begins inside a record"));
		else {
			assert_int_equal(pp_leave_out(s, &how), 1);
			for (got = 0; pp_next(s, &r) == 1; got++)
				;
			assert_int_equal(got, 2);
			assert_int_equal(pp_close(s), 1);
		}
	}
}

/* SAMPLEs that are stepped over at once. */
static void
test_pass(void **state)
{
	static const uint32_t types[] = { 9, 9, 9, 3, 9 };
	struct pp_source *s;
	size_t begin, size;
	struct pp_rec r;

	(void)state;
	for (unsigned swap = 0; swap < 2; swap++) {
		b.swap = swap;
		b.n = 0;
		put(&b, UINT64_C(0x32454c4946524550), 8);
		put(&b, 16, 8);
		begin = b.n;
		for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
			size_t from = begin_rec(&b, types[i], 0);

			b.n += types[i] == 9 ? 8 * i : 16;
			end_rec(&b, from);
		}
		size = b.n - begin;
		s = open_bytes(bytes_p(&b), b.n, PP_OPEN_ANY_SIZE);
		assert_int_equal(pp_next(s, &r), 1);
		assert_int_equal(pp_pass_samples(s), 16 + 24);
		assert_int_equal(pp_pass_samples(s), 0);
		assert_int_equal(pp_next(s, &r), 1);
		assert_int_equal(r.type, 3);
		assert_int_equal(pp_offset(s, &r), begin + 8 + 16 + 24);
		assert_int_equal(pp_pass_samples(s), 8 + 32);
		assert_int_equal(begin + size, b.n);
		assert_int_equal(pp_next(s, &r), 0);
		assert_int_equal(pp_close(s), 1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps), cmocka_unit_test(test_own_type), cmocka_unit_test(test_misfits), cmocka_unit_test(test_inside),
		cmocka_unit_test(test_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* TRACING_DATA that perf refuses in a stream: what becomes of it, by what is in it and how much the record says that is. */
#include <sys/mman.h>

#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "bytes.h"
#include "check.h"
#include "perfpipe_inline.h"

/* The smallest payload; a text of a byte shows that the sizes are looked at. */
static const uint8_t contents[] =
	"\027\010\104tracing" "0.5\0" "\0\010\0\020\0\0"
	"header_page\0" "\001\0\0\0\0\0\0\0" "p" "header_event\0" "\001\0\0\0\0\0\0\0" "e"
	"\0\0\0\0" "\0\0\0\0" "\0\0\0\0" "\0\0\0";	/* ftrace, systems, kallsyms, printk; the last byte is the NUL */
enum { GOOD = sizeof contents, ALL = (GOOD + 7) / 8 * 8 };

static struct bytes b;
static struct pp_err err;
static unsigned faults;
static struct pp_err fault;

static void
note_fault(void *arg, const struct pp_err *e)
{
	(void)arg;
	faults++;
	fault = *e;
}

static void
header(void)
{
	b.n = 0;
	b.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
}

static size_t
round_mark(void)
{
	size_t at = begin_rec(&b, 68, 0);

	end_rec(&b, at);
	return at;
}

/* TRACING_DATA that says n bytes; have: of the contents, zeros behind them, and what is no zero behind all. */
static size_t
tracing(size_t n, size_t have)
{
	size_t at = begin_rec(&b, 66, 0);

	put(&b, n, 4);
	put(&b, 0, 4);
	end_rec(&b, at);
	for (size_t i = 0; i < n; i++)
		put(&b, i < have ? contents[i] : i < GOOD ? 0 : 0xa5, 1);
	return at;
}

/* Open the n bytes: a file of them, or the end of a pipe. */
static struct pp_source *
open_bytes(size_t n, bool by_pipe, unsigned flags)
{
	struct pp_source *s;
	int fd[2];

	if (by_pipe) {
		assert_int_equal(pipe(fd), 0);
		assert_int_equal(write(fd[1], bytes_p(&b), n), n);
		close(fd[1]);
	} else {
		assert_true((fd[0] = memfd_create("in", 0)) >= 0);
		assert_int_equal(pwrite(fd[0], bytes_p(&b), n, 0), n);
	}
	faults = 0;
	err = (struct pp_err){ .what = "" };
	assert_non_null(s = pp_open_fd(fd[0], "in", flags, &err));
	pp_on_fault(s, note_fault, NULL);
	return s;
}

/* The next record is TRACING_DATA with the contents, padded. */
static void
is_good(struct pp_source *s, size_t at)
{
	static const uint8_t zeros[8];
	struct pp_rec r;
	const uint8_t *p;
	uint8_t all[ALL] = { 0 };
	size_t n, sum = 0;

	assert_int_equal(pp_next(s, &r), 1);
	assert_int_equal(r.type, 66);
	assert_int_equal(r.payload, ALL);
	assert_int_equal(r.size, 16);
	assert_int_equal(pp_offset(s, &r), at);
	assert_false(pp_made(s, &r));
	assert_int_equal(pp_get_u32(r.raw + 8, s->swap), ALL);
	for (; pp_payload(s, &p, &n) == 1; sum += n) {
		assert_true(n <= ALL - sum);
		memcpy(all + sum, p, n);
	}
	assert_int_equal(sum, ALL);
	assert_memory_equal(all, contents, GOOD);
	assert_memory_equal(all + GOOD, zeros, ALL - GOOD);
}

/* Each size that the record may say, and each number of good bytes in it. */
static void
every_size(void **state)
{
	(void)state;
	for (size_t n = 5; n < GOOD + 40; n++) {		/* 4: they would be in the record, as its size shows */
		for (int form = 0; form < 4; form++) {
			size_t have = form & 2 && n < GOOD ? n : GOOD, at, next;
			bool good = n >= GOOD, same = n == ALL, skip = form & 1;
			struct pp_source *s;
			struct pp_rec r;
			uint64_t lost;

			header();
			round_mark();
			at = tracing(n, have);
			next = round_mark();
			s = open_bytes(b.n, form & 1, 0);
			assert_int_equal(pp_next(s, &r), 1);
			if (good && !skip)
				is_good(s, at);
			else if (good)
				assert_int_equal(pp_next(s, &r), 1);	/* its payload is not wanted */
			assert_int_equal(pp_next(s, &r), 1);
			assert_int_equal(r.type, 68);
			assert_int_equal(pp_offset(s, &r), next);
			assert_int_equal(pp_next(s, &r), 0);
			assert_int_equal(faults, same ? 0 : 1);
			pp_faults(s, &lost);
			assert_int_equal(lost, !good ? 16 + n : n > ALL ? n - ALL : 0);
			if (!same) {
				assert_int_equal(fault.off, at);
				assert_non_null(strstr(fault.what, good && n < ALL ? "padded" : "left out"));
			}
			assert_int_equal(pp_close(s), same ? 1 : -1);

			/* with the flag it passes as it is */
			s = open_bytes(b.n, form & 1, PP_OPEN_ANY_TRACING);
			for (int i = 0; i < 3; i++)
				assert_int_equal(pp_next(s, &r), 1);
			assert_int_equal(pp_next(s, &r), 0);
			assert_int_equal(faults, 0);
			assert_int_equal(pp_close(s), 1);
		}
	}
}

/* A stream that ends inside of it: nothing of it is yielded. */
static void
every_prefix(void **state)
{
	size_t at;

	(void)state;
	header();
	at = tracing(ALL, GOOD);
	for (size_t n = at + 1; n < b.n; n++) {
		struct pp_source *s = open_bytes(n, n & 1, 0);
		struct pp_rec r;

		assert_int_equal(pp_next(s, &r), -1);
		assert_non_null(strstr(err.what, "cut short"));
		assert_int_equal(pp_next(s, &r), -1);
		assert_int_equal(pp_close(s), -1);
	}
}

static void
second_one(void **state)
{
	(void)state;
	for (int bad = 0; bad < 2; bad++) {
		struct pp_source *s;
		struct pp_rec r;
		size_t first, second;

		header();
		first = tracing(ALL, bad ? 12 : GOOD);
		second = tracing(ALL, GOOD);
		round_mark();
		s = open_bytes(b.n, bad, 0);
		is_good(s, bad ? second : first);
		assert_int_equal(pp_next(s, &r), 1);
		assert_int_equal(r.type, 68);
		assert_int_equal(faults, 1);
		assert_int_equal(fault.off, bad ? first : second);
		assert_non_null(strstr(fault.what, bad ? "malformed" : "second"));
		assert_int_equal(pp_close(s), -1);
	}
}

static void
inside_of_the_record(void **state)
{
	struct pp_source *s;
	struct pp_rec r;
	size_t at;

	(void)state;
	header();
	at = begin_rec(&b, 66, 0);
	put(&b, GOOD, 4);
	for (size_t i = 0; i < GOOD; i++)
		put(&b, contents[i], 1);
	end_rec(&b, at);
	s = open_bytes(b.n, false, 0);
	assert_int_equal(pp_next(s, &r), 0);
	assert_int_equal(faults, 1);
	assert_non_null(strstr(fault.what, "simpleperf"));
	assert_int_equal(pp_close(s), -1);
}

/* A live input: while more of it has to come, pp_next() says so; each piece is read at once. */
static void
no_wait(void **state)
{
	struct pp_source *s;
	struct pp_rec r;
	size_t done = 16, at;
	int fd[2];

	(void)state;
	header();
	at = tracing(ALL, GOOD);
	round_mark();
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], bytes_p(&b), done), done);
	assert_non_null(s = pp_open_fd(fd[0], "in", 0, &err));
	pp_no_wait(s);
	for (; done < at + 16 + ALL; done++) {
		assert_int_equal(pp_next(s, &r), PP_NEXT_WAIT);
		assert_false(pp_at_hand(s));
		assert_int_equal(write(fd[1], bytes_p(&b) + done, 1), 1);
		assert_int_equal(pp_top_up(s), 1);
	}
	assert_true(pp_at_hand(s));
	is_good(s, at);
	assert_false(pp_at_hand(s));
	assert_int_equal(write(fd[1], bytes_p(&b) + done, b.n - done), b.n - done);
	assert_int_equal(pp_top_up(s), 1);
	assert_true(pp_at_hand(s));
	assert_int_equal(pp_next(s, &r), 1);
	assert_int_equal(r.type, 68);
	close(fd[1]);
	assert_int_equal(pp_close(s), 1);
}

/* Of a sparse file: more than the bound is left out, and what is behind it is read. */
static void
larger_than_the_bound(void **state)
{
	const size_t kallsyms = 65 << 20;
	struct pp_source *s;
	struct pp_rec r;
	size_t at, mark;
	int fd = memfd_create("in", 0);

	(void)state;
	header();
	at = tracing(ALL, GOOD);
	store(&b, at + 8, kallsyms + ALL, 4);
	store(&b, at + 16 + GOOD - 8, kallsyms, 4);	/* its size */
	assert_int_equal(pwrite(fd, bytes_p(&b), b.n, 0), b.n);
	mark = b.n + kallsyms;
	b.n = 0;
	round_mark();
	assert_int_equal(pwrite(fd, bytes_p(&b), b.n, (off_t)mark), b.n);
	faults = 0;
	assert_non_null(s = pp_open_fd(fd, "in", 0, &err));
	pp_on_fault(s, note_fault, NULL);
	assert_int_equal(pp_next(s, &r), 1);
	assert_int_equal(r.type, 68);
	assert_int_equal(pp_offset(s, &r), mark);
	assert_int_equal(faults, 1);
	assert_non_null(strstr(fault.what, "more than 64 MiB"));
	assert_int_equal(pp_close(s), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size), cmocka_unit_test(every_prefix), cmocka_unit_test(second_one),
		cmocka_unit_test(inside_of_the_record), cmocka_unit_test(no_wait), cmocka_unit_test(larger_than_the_bound),
	};

	mallopt(M_PERTURB, 0x5a);		/* memory that nothing is written to is no zeros by chance */
	return cmocka_run_group_tests_name("hold", tests, NULL, NULL);
}

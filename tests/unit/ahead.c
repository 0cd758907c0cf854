/* SPDX-License-Identifier: ISC */
/* Repair looks ahead: what cannot be read there fails when it is needed, behind all records in front of it, and no earlier. */
#include "refused.h"

#include <sys/mman.h>

#include "check.h"
#include "perfpipe_inline.h"

enum { BIG_HERE = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, BLOCK = 256 << 10, HEAD = 16 + 8 + 64, RECORD = 16, JUNK = 16,
	SIZE = HEAD + 20000 * RECORD };

static struct pp_err err;
static uint8_t in[SIZE];
static unsigned faults;

static void
note_fault(void *arg, const struct pp_err *e)
{
	(void)arg;
	assert_true(e->what[0]);
	faults++;
}

static void
put_head(uint8_t *p, uint32_t type, uint16_t size)
{
	pp_set_u32(p, type, BIG_HERE);
	pp_set_u16(p + 4, 0, BIG_HERE);
	pp_set_u16(p + 6, size, BIG_HERE);
}

/* An attr and samples, of which one is junk. */
static void
make_stream(size_t junk)
{
	size_t at = HEAD;

	memset(in, 0, sizeof in);
	pp_set_u64(in, UINT64_C(0x32454c4946524550), BIG_HERE);
	pp_set_u64(in + 8, 16, BIG_HERE);
	put_head(in + 16, 64, 8 + 64);
	pp_set_u32(in + 24, 1, BIG_HERE);
	pp_set_u32(in + 28, 64, BIG_HERE);
	pp_set_u64(in + 24 + 24, PP_SAMPLE_TIME, BIG_HERE);
	for (; at < SIZE; at += RECORD) {
		put_head(in + at, PP_SAMPLE, RECORD);
		pp_set_u64(in + at + 8, 1000, BIG_HERE);
	}
	if (junk)
		memset(in + HEAD + (junk - HEAD) / RECORD * RECORD, 0xff, JUNK);
}

/* Read all, of which the nth call fails.  The number of samples. */
static unsigned
read_all(long nth, bool *once, int *rc)
{
	int fd = memfd_create("in", MFD_CLOEXEC);
	struct pp_source *s;
	unsigned n = 0;
	struct pp_rec r;

	assert_int_equal(write(fd, in, SIZE), SIZE);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	err = (struct pp_err){ .what = "" };
	faults = 0;
	refuse(nth ? REFUSE_CALL : REFUSE_NOTHING, nth);
	if ((s = pp_open_fd(fd, "in", PP_OPEN_REPAIR, &err))) {
		pp_on_fault(s, note_fault, NULL);
		while ((*rc = pp_next(s, &r)) == 1)
			n += r.type == PP_SAMPLE;
	} else
		*rc = -1;
	*once = refused_once();
	if (s && *rc < 0) {
		char said[sizeof err.what];

		memcpy(said, err.what, sizeof said);
		assert_int_equal(pp_next(s, &r), -1);		/* it stays so */
		assert_string_equal(err.what, said);
	}
	assert_int_equal(pp_close(s), s && (*rc < 0 || faults) ? -1 : 1);
	return n;
}

static void
test_ahead(void **state)
{
	static const size_t junks[] = { 0, 5000, BLOCK + 5000 };

	(void)state;
	if (!REFUSES)
		skip();
	for (size_t i = 0; i < sizeof junks / sizeof *junks; i++) {
		unsigned all, late = 0, block = (BLOCK - HEAD) / RECORD - (junks[i] && junks[i] < BLOCK ? 2 : 0);
		bool once;
		int rc;

		make_stream(junks[i]);
		all = read_all(0, &once, &rc);
		assert_int_equal(rc, 0);
		assert_int_equal(faults, junks[i] != 0);
		assert_int_equal(all, (SIZE - HEAD) / RECORD - (junks[i] ? 2 : 0));		/* and the one in front of the junk */
		for (long nth = 1;; nth++) {
			unsigned n = read_all(nth, &once, &rc);

			if (!once) {
				assert_int_equal(n, all);
				break;
			}
			if (rc < 0)
				assert_string_equal(err.what, n || strstr(err.what, "read") ? "read: Input/output error" : "Input/output error");
			if (!n || rc == 0 || n > block + 1)		/* another call */
				continue;
			/* of the first block each whole record has come; the last is not believed, as nothing follows it */
			assert_in_range(n, block - 1, block + 1);
			late++;
		}
		assert_true(late > 0);
	}
}

/* There is no memory to read into: that is no damage. */
static uint8_t *
give_nothing(void *arg)
{
	++*(unsigned *)arg;
	return NULL;
}

static void
test_gives_nothing(void **state)
{
	int fd = memfd_create("in", MFD_CLOEXEC);
	struct pp_source *s;
	unsigned calls = 0;
	struct pp_rec r;
	int rc;

	(void)state;
	make_stream(0);
	assert_int_equal(write(fd, in, SIZE), SIZE);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	faults = 0;
	assert_non_null(s = pp_open_fd(fd, "in", PP_OPEN_REPAIR, &err));
	pp_on_fault(s, note_fault, NULL);
	pp_read_into(s, give_nothing, &calls);
	while ((rc = pp_next(s, &r)) == 1)
		;
	assert_int_equal(rc, -1);
	assert_string_equal(err.what, "out of memory");
	assert_int_equal(calls, 1);
	assert_int_equal(pp_next(s, &r), -1);
	assert_int_equal(calls, 1);
	assert_int_equal(pp_close(s), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_ahead), cmocka_unit_test(test_gives_nothing) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

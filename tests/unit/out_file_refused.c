/* SPDX-License-Identifier: ISC */
/* A perf.data in which the write that fails stands between any two things that are written: it is said, and no file is called whole. */
#include "refused.h"

#include "written.h"

enum { EVENTS = 700 };		/* so that a part of each thing is more than is gathered */

/* Write it, with so many ids of the first event, by which all that follows is shifted.  The result of the first failure. */
static int
write_all(unsigned ids)
{
	static uint64_t many[40];
	int rc = 1;

	for (unsigned i = 0; i < 40; i++)
		many[i] = 100000 + i;
	for (unsigned i = 0; i < EVENTS && rc > 0; i++) {
		const struct pp_attr a = { .type = 1, .size = 64, .config = i, .sample_type = PP_SAMPLE_ID | PP_SAMPLE_TIME };
		struct pp_rec r;

		b.n = 0;
		many[0] = 1000 + i;
		r = put_attr(&b, &a, i ? 1 : ids, many);
		rc = o->put(o, NULL, &r, false);
	}
	if (rc > 0) {
		size_t at;
		struct pp_rec r;

		b.n = 0;
		at = begin_rec(&b, PP_EVENT_UPDATE, 0);
		put(&b, 2, 8);
		put(&b, 1000 + EVENTS - 1, 8);
		put_text(&b, "name", 8);
		r = end_rec(&b, at);
		rc = o->put(o, NULL, &r, false);
	}
	return rc;
}

static void
test_each_place(void **state)
{
	(void)state;
	for (unsigned form = 0; form < 2 * 18; form++)
		for (long nth = 1;; nth++) {
			bool once, early = form & 1;		/* all are known at the beginning; or only at the end */
			int rc = 1;

			begin(false, NULL, false);
			refuse(REFUSE_CALL, nth);
			if (early) {
				struct pp_rec r;
				size_t at;

				b.n = 0;
				at = begin_rec(&b, PP_FINISHED_ROUND, 0);
				r = end_rec(&b, at);
				rc = o->put(o, NULL, &r, false);
			}
			if (rc > 0)
				rc = write_all(1 + form / 2);
			if (o->finish(o) < 0)
				rc = -1;
			once = refused_once();
			pp_close(in);
			close(fd);
			close(dir);
			if ((rc < 0) != (err.what[0] != 0))
				fail_msg("form %u, call %ld: %d, \"%s\"", form, nth, rc, err.what);
			if (!once) {			/* else some can be made otherwise: a file without a name */
				assert_true(rc > 0);
				break;
			}
		}
}

/* A payload that is a feature, one inside of its record, and data that are copied. */
static void
test_kept(void **state)
{
	static uint8_t data_of[2 * 65536];

	(void)state;
	for (unsigned form = 0; form < 2; form++)
		for (long nth = 1;; nth++) {
			int rc = 1, from = memfd_create("from", MFD_CLOEXEC);
			bool once;

			assert_int_equal(write(from, data_of, sizeof data_of), sizeof data_of);
			begin(false, NULL, false);
			refuse(REFUSE_CALL, nth);
			if (form)
				rc = write_all(10) > 0 ? out_file_copy(o, from, 100, 5000, NULL, NULL) : -1;
			for (unsigned i = 0; !form && rc > 0 && i < 3; i++) {
				struct pp_rec r;
				size_t at;

				b.n = 0;
				at = begin_rec(&b, PP_HEADER_TRACING_DATA, 0);
				put(&b, 9000, 4);
				memset(bytes_p(&b) + b.n, 0, 9000);
				b.n += 9000;
				r = end_rec(&b, at);
				rc = o->put(o, NULL, &r, false);
			}
			if (o->finish(o) < 0)
				rc = -1;
			once = refused_once();
			pp_close(in);
			close(fd);
			close(dir);
			close(from);
			if ((rc < 0) != (err.what[0] != 0))
				fail_msg("form %u, call %ld: %d, \"%s\"", form, nth, rc, err.what);
			if (!once)
				break;
		}
}

/* Data that are copied where the kernel copies none: calls that fail, or can be repeated; an input that becomes shorter. */
static void
test_by_hand(void **state)
{
	enum { OFF = 100, SIZE = 9000 };
	static uint8_t data_of[OFF + SIZE];
	bool once = true;

	(void)state;
	if (!REFUSES)
		skip();
	for (size_t i = 0; i < sizeof data_of; i++)
		data_of[i] = (uint8_t)(i * 7 + (i >> 8) * 13);
	for (unsigned what = REFUSE_CALL; what < REFUSE_KINDS; what++)
		for (long nth = 1; nth == 1 || once; nth++) {
			int from = memfd_create("from", MFD_CLOEXEC), rc;
			ssize_t n;

			assert_int_equal(write(from, data_of, sizeof data_of), sizeof data_of);
			begin(false, NULL, false);
			no_copy_file_range = true;
			refuse(what, nth);
			rc = out_file_copy(o, from, OFF, SIZE, NULL, NULL);
			if (o->finish(o) < 0)
				rc = -1;
			once = refused_once();
			if ((rc < 0) != (err.what[0] != 0) || (rc < 0 && what != REFUSE_CALL))
				fail_msg("kind %u, call %ld: %d, \"%s\"", what, nth, rc, err.what);
			if (rc > 0) {
				assert_true((n = pread(fd, got, sizeof got, 0)) > SIZE);
				assert_non_null(memmem(got, (size_t)n, data_of + OFF, SIZE));
			}
			pp_close(in);
			close(fd);
			close(dir);
			close(from);
		}
	for (uint64_t more = 1; more < 3; more++) {
		int from = memfd_create("from", MFD_CLOEXEC);
		char said[100];

		assert_int_equal(write(from, data_of, sizeof data_of), sizeof data_of);
		begin(false, NULL, false);
		no_copy_file_range = true;
		assert_int_equal(out_file_copy(o, from, OFF, SIZE + more, NULL, NULL), -1);
		no_copy_file_range = false;
		snprintf(said, sizeof said, "the input has become shorter: %u bytes of its data section are missing", (unsigned)more);
		assert_string_equal(err.what, said);
		o->finish(o);
		pp_close(in);
		close(fd);
		close(dir);
		close(from);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_each_place), cmocka_unit_test(test_kept), cmocka_unit_test(test_by_hand) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

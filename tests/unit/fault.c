/* SPDX-License-Identifier: ISC */
/* Faults after which a source goes on: which are reported, with which times, and how many there were. */
#include <sys/mman.h>

#include <unistd.h>

#include "bytes.h"

/* A record in front of the junk is left out with it, as none follows it. */
enum { RECORD = 16, JUNK = 11, LOST = RECORD + JUNK, BLOCK = 5 * RECORD + JUNK, FIRST = 16 + 8 + 64 + 4 * RECORD, REPORTS_MAX = 100, EARLY_MAX = 32, MOST = 300 };

static struct bytes b;
static struct pp_err err, seen[MOST];
static unsigned nseen;

static void
note(void *arg, const struct pp_err *e)
{
	assert_ptr_equal(arg, &nseen);
	assert_true(nseen < MOST);
	seen[nseen++] = *e;
}

static void
begin(uint64_t sample_type)
{
	const struct pp_attr a = { .type = 1, .size = 64, .sample_type = sample_type };

	b.swap = false;
	memset(b.at, 0, sizeof b.at);
	b.n = 0;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	put_attr(&b, &a, 0, NULL);
}

/* Some records of that time, so that they are believed. */
static void
samples(uint64_t time, unsigned n)
{
	while (n--) {
		size_t at = begin_rec(&b, PP_SAMPLE, 2);

		put(&b, time, 8);
		end_rec(&b, at);
	}
}

static void
junk(void)
{
	for (unsigned i = 0; i < JUNK; i++)
		put(&b, 0xff, 1);
}

static struct pp_source *
open_repair(void)
{
	int fd = memfd_create("in", MFD_CLOEXEC);
	struct pp_source *s;

	assert_int_equal(write(fd, bytes_p(&b), b.n), b.n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	nseen = 0;
	err = (struct pp_err){ .what = "" };
	assert_non_null(s = pp_open_fd(fd, "in", PP_OPEN_REPAIR, &err));
	return s;
}

static unsigned
read_all(struct pp_source *s)
{
	struct pp_rec r;
	unsigned n = 0;

	while (pp_next(s, &r) == 1)
		n += r.type == PP_SAMPLE;
	assert_string_equal(err.what, "");
	return n;
}

static void
ends_with(const struct pp_err *e, const char *text)
{
	size_t n = strlen(e->what), k = strlen(text);

	if (n < k || strcmp(e->what + n - k, text))
		fail_msg("\"%s\" ends with \"%s\"", e->what, text);
}

/* The first hundred, and then how many more there were. */
static void
test_many(void **state)
{
	static const unsigned counts[] = { 1, EARLY_MAX, EARLY_MAX + 1, REPORTS_MAX - 1, REPORTS_MAX, REPORTS_MAX + 1, 150 };

	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		for (unsigned times = 0; times < 2; times++) {		/* without them a fault is reported at once */
			struct pp_source *s;
			uint64_t lost;
			char text[100];

			begin(times ? PP_SAMPLE_TIME : PP_SAMPLE_IP);
			samples(1000, 5);
			for (unsigned k = 0; k < counts[i]; k++) {
				junk();
				samples(1000, 5);
			}
			s = open_repair();
			pp_on_fault(s, note, &nseen);
			assert_int_equal(read_all(s), 4 * counts[i] + 5);
			assert_int_equal(pp_faults(s, &lost), counts[i]);
			assert_int_equal(lost, counts[i] * LOST);
			assert_int_equal(nseen, counts[i] <= REPORTS_MAX ? counts[i] : REPORTS_MAX + 1);
			for (unsigned k = 0; k < nseen && k < REPORTS_MAX; k++) {
				assert_string_equal(seen[k].file, "in");
				assert_int_equal(seen[k].off, FIRST + k * BLOCK);
				ends_with(&seen[k], "; 27 bytes left out");
			}
			if (counts[i] > REPORTS_MAX) {
				snprintf(text, sizeof text, "%u more faults like these; %u bytes left out in all", counts[i] - REPORTS_MAX, counts[i] * LOST);
				assert_string_equal(seen[REPORTS_MAX].what, text);
				assert_string_equal(seen[REPORTS_MAX].file, "in");
				assert_false(seen[REPORTS_MAX].at);
			}
			assert_int_equal(pp_close(s), -1);
			assert_true(nseen <= REPORTS_MAX + 1);		/* not once more */
		}
}

/* Those before somebody asks are told then, as many as are kept. */
static void
test_early(void **state)
{
	static const unsigned counts[] = { 0, 1, EARLY_MAX - 1, EARLY_MAX, EARLY_MAX + 1, EARLY_MAX + 9 };

	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		struct pp_source *s;
		struct pp_rec r;
		unsigned n = 0;
		uint64_t lost;

		begin(PP_SAMPLE_IP);
		samples(1000, 5);
		for (unsigned k = 0; k < counts[i] + 2; k++) {
			junk();
			samples(1000, 5);
		}
		s = open_repair();
		while (n < 4 * counts[i] + 1 && pp_next(s, &r) == 1)		/* so many faults are in front of these */
			n += r.type == PP_SAMPLE;
		assert_int_equal(pp_faults(s, &lost), counts[i]);
		assert_int_equal(lost, counts[i] * LOST);
		pp_on_fault(s, note, &nseen);
		assert_int_equal(nseen, counts[i] < EARLY_MAX ? counts[i] : EARLY_MAX);
		for (unsigned k = 0; k < nseen; k++)
			assert_int_equal(seen[k].off, FIRST + k * BLOCK);
		read_all(s);
		assert_int_equal(nseen, counts[i] <= EARLY_MAX ? counts[i] + 2 : EARLY_MAX + 3);
		assert_int_equal(pp_faults(s, &lost), counts[i] + 2);
		if (counts[i] > EARLY_MAX) {
			char text[100];

			snprintf(text, sizeof text, "%u more faults like these; %u bytes left out in all", counts[i] - EARLY_MAX, (counts[i] + 2) * LOST);
			assert_string_equal(seen[nseen - 1].what, text);
		}
		pp_on_fault(s, note, &nseen);			/* they are told once */
		assert_int_equal(nseen, counts[i] <= EARLY_MAX ? counts[i] + 2 : EARLY_MAX + 3);
		assert_int_equal(pp_close(s), -1);
	}
}

/* The period that is missing: from the newest time before to that of the next record that has one. */
static void
test_periods(void **state)
{
	enum { S = 1000000000 };
	static const struct { uint64_t before, older, next; const char *text; } rows[] = {
		{ UINT64_C(5) * S, UINT64_C(4) * S, UINT64_C(7) * S + 1, "; 27 bytes left out: 5.000000000 to 7.000000001, 2.000000001 s" },
		{ UINT64_C(5) * S + 999999999, 0, UINT64_C(6) * S, "; 27 bytes left out: 5.999999999 to 6.000000000, 0.000000001 s" },
		{ UINT64_C(5) * S, 0, UINT64_C(5) * S, "; 27 bytes left out" },		/* nothing is missing */
		{ UINT64_C(5) * S, 0, UINT64_C(4) * S, "; 27 bytes left out" },
		{ UINT64_C(5) * S, 0, 0, "; 27 bytes left out: everything after 5.000000000" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pp_source *s;

		begin(PP_SAMPLE_TIME);
		samples(rows[i].before, 4);
		if (rows[i].older)
			samples(rows[i].older, 2);
		junk();
		if (rows[i].next)
			samples(rows[i].next, 5);
		s = open_repair();
		pp_on_fault(s, note, &nseen);
		read_all(s);
		assert_int_equal(nseen, 1);
		ends_with(&seen[0], rows[i].text);
		assert_int_equal(pp_close(s), -1);
		assert_int_equal(nseen, 1);
	}
	/* two, each with its own */
	begin(PP_SAMPLE_TIME);
	samples(1 * S, 5);
	junk();
	samples(UINT64_C(2) * S, 5);
	junk();
	samples(UINT64_C(3) * S, 5);
	struct pp_source *s = open_repair();

	pp_on_fault(s, note, &nseen);
	read_all(s);
	assert_int_equal(nseen, 2);
	ends_with(&seen[0], ": 1.000000000 to 2.000000000, 1.000000000 s");
	ends_with(&seen[1], ": 2.000000000 to 3.000000000, 1.000000000 s");
	pp_close(s);
	/* one that is waiting when nobody wants to read on */
	begin(PP_SAMPLE_TIME);
	samples(1 * S, 5);
	junk();
	for (unsigned i = 0; i < 5; i++)
		end_rec(&b, begin_rec(&b, 68, 0));
	samples(UINT64_C(2) * S, 5);
	struct pp_rec r;

	s = open_repair();
	pp_on_fault(s, note, &nseen);
	do
		assert_int_equal(pp_next(s, &r), 1);
	while (r.type != 68);
	assert_int_equal(nseen, 0);
	assert_int_equal(pp_close(s), -1);
	assert_int_equal(nseen, 1);
	ends_with(&seen[0], ": everything after 1.000000000");
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_many), cmocka_unit_test(test_early), cmocka_unit_test(test_periods) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

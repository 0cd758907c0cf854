/* SPDX-License-Identifier: ISC */
/* A perf.data that is a directory, and one that is being written. */
#include <fcntl.h>

#include "perf_data.h"
#include "source/section.h"
#include "source/told.h"

/* ---- the directory of perf record --threads -------------------------------------------------------------- */

static void
write_file(const char *dir, const char *name, const uint8_t *p, size_t n)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	assert_non_null(f = fopen(path, "w"));
	assert_int_equal(fwrite(p, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static unsigned
descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* pp_read_into(): another buffer each time. */
static uint8_t *
give(void *arg)
{
	static uint8_t buffer[8][PP_BUFFER_SIZE];
	unsigned *n = arg;

	return buffer[++*n % 8];
}

/* Which files of it belong to the recording: by the version in DIR_FORMAT, if that is there; with repair, if it is not, by their names. */
static void
directories(void **state)
{
	static const struct { uint64_t version; const char *fails; unsigned size, flags, files, samples, faults; bool bad; } rows[] = {
		/* files: bit N: there is data.N; bad: its TRACING_DATA are none */
		{ 1, NULL, 8, 0, 3, 9, 0, false }, { 1, NULL, 8, 0, 1, 6, 0, false }, { 0, NULL, 8, 0, 3, 3, 0, false },
		{ 2, "a directory of version 2", 8, 0, 3, 0, 0, false }, { 1, "data.0 is missing", 8, 0, 0, 3, 0, false },
		{ 1, "data.0 is missing", 8, 0, 2, 6, 0, false },
		{ 1, "data.1 is missing", 8, 0, 5, 9, 0, false },
		{ 1, NULL, 8, PP_OPEN_REPAIR, 5, 9, 1, false }, { 1, NULL, 8, PP_OPEN_REPAIR, 3, 9, 0, false },
		{ 0, NULL, 8, PP_OPEN_REPAIR, 3, 3, 0, false },
		{ 1, NULL, 8, 0, 3, 9, 1, true }, { 1, NULL, 7, 0, 3, 3, 0, false }, { 0, NULL, 0, 0, 3, 3, 0, false },
		{ 0, NULL, 0, PP_OPEN_REPAIR, 3, 9, 0, false }, { 1, NULL, 7, PP_OPEN_REPAIR, 3, 9, 0, false },
	};
	static const int format[] = { HOSTNAME, DIR_FORMAT, 0 }, host[] = { HOSTNAME, 0 }, bad[] = { TRACING, DIR_FORMAT, 0 };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		char dir[] = "/tmp/unit-file.XXXXXX", path[100];
		struct pp_source *s;
		unsigned samples = 0, given = 0, before = descriptors();
		const uint8_t *raw[3] = { NULL };
		uint64_t lost;
		struct pp_rec r;

		b.swap = i & 1;
		dir_version = rows[i / 2].version;
		make_file(rows[i / 2].bad ? bad : rows[i / 2].size ? format : host, 1, false, false);
		if (rows[i / 2].size)
			store(&b, table.off + 16 + 8, rows[i / 2].size, 8);
		assert_non_null(mkdtemp(dir));
		write_file(dir, "data", bytes_p(&b), b.n);
		write_file(dir, "data.00", bytes_p(&b) + data.off, data.size);	/* of another program */
		for (unsigned k = 0; k < 3; k++) {
			char name[10];

			snprintf(name, sizeof name, "data.%u", k);
			if (rows[i / 2].files >> k & 1)
				write_file(dir, name, bytes_p(&b) + data.off, data.size);
		}
		err = (struct pp_err){ .what = "" };
		faults = 0;
		if ((s = pp_open(dir, rows[i / 2].flags, &err))) {
			int rc;

			pp_on_fault(s, note_fault, NULL);
			if (i & 1)
				pp_read_into(s, give, &given);
			while ((rc = pp_next(s, &r)) == 1) {
				if (r.type != PP_SAMPLE)
					continue;
				assert_int_equal(pp_offset(s, &r), samples < 3 ? data_at[samples] : samples % 3 * (data.size / 3));
				assert_false(pp_made(s, &r));
				if (samples < 3)
					raw[samples] = r.raw;
				samples++;
			}
			for (unsigned k = 0; i & 1 && k < 3 && k < samples; k++)	/* where it was read into nothing is overwritten */
				assert_memory_equal(raw[k], bytes_p(&b) + data_at[k], data.size / 3);
			assert_int_equal(rc, rows[i / 2].fails ? -1 : 0);
			pp_faults(s, &lost);
			assert_int_equal(lost > 0, rows[i / 2].bad);	/* a file that is missing is no number of bytes */
			assert_int_equal(pp_close(s), rc < 0 || faults ? -1 : 1);
		}
		assert_int_equal(descriptors(), before);
		if (samples != rows[i / 2].samples || faults != rows[i / 2].faults)
			fail_msg("row %zu: %u samples, %u faults, %s", i / 2, samples, faults, err.what);
		if (rows[i / 2].bad)
			assert_string_equal(fault[0].what,
			    "data: TRACING_DATA: what is in it is cut or malformed, perf would stop at it in a stream; left out");
		if (rows[i / 2].fails)
			assert_non_null(strstr(err.what, rows[i / 2].fails));
		else
			assert_string_equal(err.what, "");
		for (int k = -2; k < 3; k++) {
			snprintf(path, sizeof path, k == -2 ? "%s/data" : k == -1 ? "%s/data.00" : "%s/data.%d", dir, k);
			unlink(path);
		}
		assert_int_equal(rmdir(dir), 0);
	}
}

/* ---- a file that is being written ------------------------------------------------------------------------ */

struct writer {			/* writes some bytes whenever it is waited for, and the header at last */
	int		 fd, end;
	size_t		 n, step;
	bool		 headed, changes;
};

static int
writer_wait(void *arg)
{
	struct writer *w = arg;
	size_t n = w->step < b.n - w->n ? w->step : b.n - w->n;

	if (w->headed)
		return w->end;
	if (n)
		assert_int_equal(pwrite(w->fd, bytes_p(&b) + w->n, n, (off_t)w->n), n);
	else if (w->end < 0)
		return -1;
	else {
		if (w->changes)
			store(&b, 24, attrs.off + 1, 8);
		assert_int_equal(pwrite(w->fd, bytes_p(&b), HEADER, 0), HEADER);
		w->headed = true;
	}
	w->n += n;
	return 1;
}

/* As perf record writes it: the size of the data and the bitmap of features come last.  What pp_close() returns. */
static int
follow(struct writer *w, size_t have)
{
	static const uint8_t zeros[32];
	struct pp_told told = { writer_wait, w };
	struct pp_source *s;
	struct pp_rec r;
	struct pp_section x;
	uint64_t total;
	int rc = -1;

	w->fd = memfd_create("file", MFD_CLOEXEC);
	w->n = have;
	assert_int_equal(pwrite(w->fd, bytes_p(&b), have, 0), have);
	assert_int_equal(pwrite(w->fd, zeros, 8, 48), 8);
	assert_int_equal(pwrite(w->fd, zeros, 32, 72), 32);
	err = (struct pp_err){ .what = "" };
	faults = nseen = 0;
	assert_non_null(s = pp_open_fd(dup(w->fd), "file", PP_OPEN_FOLLOW | PP_OPEN_LATER, &err));
	pp_follow_told(s, &told);
	if (pp_begin(s) > 0) {
		assert_int_equal(pp_progress(s, &total), 0);
		assert_int_equal(total, 0);
		assert_string_equal(pp_data_section(s, &x), "the input is no perf.data file");
		while ((rc = pp_next(s, &r)) == 1)
			note_record(s, &r);
	}
	assert_int_equal(rc, err.what[0] ? -1 : 0);
	close(w->fd);
	return pp_close(s);
}

static void
grows(void **state)
{
	static const size_t steps[] = { 1, 7, 24, 32, 100, 100000 };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof steps / sizeof *steps; i++) {
		struct writer w = { .step = steps[i / 2] };

		b.swap = i & 1;
		make_file(all, 1, false, true);
		if (follow(&w, data.off) != 1)
			fail_msg("steps of %zu: %s", w.step, err.what);
		are_seen(shown, 1, 3, true);
		w = (struct writer){ .step = steps[i / 2] };
		assert_int_equal(follow(&w, b.n), 1);	/* only the header is missing */
		are_seen(shown, 1, 3, true);
		make_file(none, 1, false, true);
		w = (struct writer){ .step = steps[i / 2] };
		assert_int_equal(follow(&w, data.off), 1);
		are_seen(none, 0, 3, true);
		make_file(all, 1, false, true);
		/* it will never be complete: what is there comes, and no fault */
		w = (struct writer){ .step = steps[i / 2], .end = -1 };
		assert_int_equal(follow(&w, data.off), 1);
		are_seen(none, 0, 3, true);
		/* what was read at first is no longer so */
		w = (struct writer){ .step = steps[i / 2], .changes = true };
		assert_int_equal(follow(&w, data.off), -1);
		assert_string_equal(err.what, "the header has other attrs now than when reading began: read the file again");
	}
}

/* Not all of perf stat's attrs are as in the complete file. */
static void
stat_grows(void **state)
{
	static const int stat[] = { HOSTNAME, STAT, 0 }, host[] = { HOSTNAME, 0 };
	struct writer w = { .step = 100 };

	(void)state;
	b.swap = false;
	make_file(stat, 1, false, true);
	assert_int_equal(read_file(b.n, 0), 1);
	are_seen(host, 0, 3, false);
	assert_int_equal(follow(&w, data.off), -1);
	assert_non_null(strstr(err.what, "perf stat"));
	are_seen(none, 0, 3, true);
}

/* Names come last, by the ids that they have then: those of events that are known; the first may have none. */
static void
named_later(void **state)
{
	static const int numbers[] = { EVENT_DESC, 0 };
	static const struct { uint64_t ids[2]; unsigned n; uint64_t named[2]; } rows[] = {
		{ { 11, 21 }, 2, { 11, 21 } }, { { 12, 21 }, 2, { 12, 21 } }, { { 99, 21 }, 1, { 21 } }, { { 11, 99 }, 1, { 11 } }, { { 0, 0 }, 1, { 0 } },
	};

	(void)state;
	desc_len = 5;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		struct writer w = { .step = 100 };
		unsigned n = 0;

		b.swap = i & 1;
		make_file(numbers, 1, false, true);
		for (size_t k = 0; k < 2; k++)
			store(&b, feature[EVENT_DESC].off + 8 + (k + 1) * (ATTR + 8 + desc_len + 8) - 8, rows[i / 2].ids[k], 8);
		if (follow(&w, data.off) != 1)
			fail_msg("row %zu: %s", i, err.what);
		for (unsigned k = 0; k < nseen; k++)
			if (seen[k].type == PP_EVENT_UPDATE) {
				assert_true(k > 5 && n < rows[i / 2].n);
				assert_int_equal(seen[k].number, rows[i / 2].named[n++]);
			}
		assert_int_equal(n, rows[i / 2].n);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directories), cmocka_unit_test(grows), cmocka_unit_test(named_later), cmocka_unit_test(stat_grows),
	};

	return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}

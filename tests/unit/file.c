/* SPDX-License-Identifier: ISC */
/* A perf.data by hand: the records that are made of its sections, and what becomes of sections that are not as they should be. */
#include <sys/mman.h>

#include <stdlib.h>
#include <unistd.h>

#include "bytes.h"
#include "source/told.h"

enum { ATTR = 64, ENTRY = ATTR + 16, HEADER = 104, RECORDS_MAX = 40, MOST = 8 };
enum { TRACING = 1, HOSTNAME = 3, NRCPUS = 7, EVENT_DESC = 12, STAT = 19, BUILD_ID = 2, DIR_FORMAT = 24, UNKNOWN = 60 };

static struct bytes b;
static struct pp_err err;
static struct pp_err fault[MOST];
static unsigned faults;

static struct section { size_t off, size; } attrs, ids[2], data, feature[256], table;
static uint64_t dir_version;
static size_t data_at[3];		/* the records of the data */

struct seen {
	uint32_t	 type, size;
	uint64_t	 off;
	bool		 made;
	uint64_t	 number;	/* of a feature; of an attr: how many ids */
};
static struct seen seen[RECORDS_MAX];
static unsigned nseen;

static void
note_fault(void *arg, const struct pp_err *e)
{
	(void)arg;
	if (faults < MOST)
		fault[faults] = *e;
	faults++;
}

/* ---- the file ------------------------------------------------------------------------------------------- */

static void
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

static void
put_string(const char *s, size_t size)
{
	put(&b, size, 4);
	put_text(&b, s, size);
}

static void
begin_feature(int number)
{
	feature[number] = (struct section){ b.n, 0 };
}

static void
end_feature(int number)
{
	feature[number].size = b.n - feature[number].off;
}

/* narrow: of a recorder whose longs have 32 bits. */
static void
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

static const uint64_t id_of[3] = { 11, 12, 21 };

static void
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

static void
put_features(const int *numbers)
{
	for (; *numbers; numbers++) {
		begin_feature(*numbers);
		if (*numbers == HOSTNAME)
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
		} else if (*numbers == UNKNOWN)
			put(&b, 1, 8);
		else if (*numbers == DIR_FORMAT)
			put(&b, dir_version, 8);
		end_feature(*numbers);
	}
}

/* Two attrs with three ids, and these features, in front of the data, or behind their table, as perf record has them. */
static void
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
static void
note_record(struct pp_source *s, const struct pp_rec *r)
{
	struct seen *x = &seen[nseen++];

	assert_true(nseen < RECORDS_MAX);
	*x = (struct seen){ r->type, r->size, pp_offset(s, r), pp_made(s, r), 0 };
	if (r->type == PP_HEADER_FEATURE)
		x->number = pp_get_u64(r->raw + 8, s->swap);
	if (r->type == PP_HEADER_ATTR)
		x->number = (r->size - (size_t)PP_HEADER_SIZE - ATTR) / 8;
}

static struct pp_source *
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
static int
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

static unsigned
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
static void
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

/* ---- tests ---------------------------------------------------------------------------------------------- */

static const int all[] = { BUILD_ID, HOSTNAME, NRCPUS, 0 }, shown[] = { HOSTNAME, NRCPUS, 0 }, none[] = { 0 };

static void
whole(void **state)
{
	(void)state;
	for (int form = 0; form < 2; form++) {
		b.swap = form & 1;
		make_file(all, 1, false, false);
		assert_int_equal(read_file(b.n, 0), 1);
		are_seen(shown, 1, 3, false);
		assert_int_equal(read_file(b.n, PP_OPEN_REPAIR), 1);
		are_seen(shown, 1, 3, false);
		assert_int_equal(faults, 0);
		make_file(none, 1, false, false);
		assert_int_equal(read_file(b.n, 0), 1);
		are_seen(none, 0, 3, false);
	}
}

/* A file that ends in its table of features: what is in that is lost from there on; those before it are in the file. */
static void
cut_table(void **state)
{
	(void)state;
	for (int form = 0; form < 4; form++) {
		uint32_t type = form & 2 ? 2 : 1;		/* of tracepoints perf needs the formats */

		b.swap = form & 1;
		make_file(all, type, false, false);
		for (size_t n = table.off; n < b.n; n++) {
			int left[4] = { 0 };
			size_t have = (n - table.off) / 16;

			for (size_t i = 0; i < have; i++)
				left[i] = all[i];
			assert_int_equal(read_file(n, 0), 0);
			assert_string_equal(err.what, "cut short");
			assert_int_equal(err.off, table.off + 16 * have);
			assert_int_equal(read_file(n, PP_OPEN_REPAIR), -1);
			are_seen(left + (have > 0), have > 0, 3, false);
			assert_int_equal(faults, form & 2 ? 2 : 1);
			assert_string_equal(fault[0].what, "cut short");
			assert_int_equal(fault[0].off, table.off + 16 * have);
			if (form & 2) {
				assert_non_null(strstr(fault[1].what, "formats of tracepoints are lost"));
				assert_int_equal(fault[1].off, table.off);
			}
		}
	}
}

/* A file that ends in its data: whole records, and no features. */
static void
cut_data(void **state)
{
	(void)state;
	for (int form = 0; form < 2; form++) {
		b.swap = form & 1;
		make_file(all, 1, false, false);
		for (size_t n = data.off; n < table.off; n++) {
			unsigned have = (unsigned)((n - data.off) / (data.size / 3));

			assert_int_equal(read_file(n, 0), -1);
			assert_non_null(strstr(err.what, "cut short"));
			are_seen(none, 0, have, false);
			assert_int_equal(read_file(n, PP_OPEN_REPAIR), -1);
			are_seen(none, 0, have, false);
			assert_non_null(strstr(fault[0].what, "the header features are lost"));
			assert_int_equal(fault[0].off, data.off);
		}
		/* no attrs, no recording */
		for (size_t n = 16; n < data.off; n++) {
			assert_int_equal(read_file(n, 0), 0);
			assert_true(err.what[0]);
		}
	}
}

/* A section of the table that lies outside the file, or has bytes of others: that feature is left out. */
static void
wrong_sections(void **state)
{
	static const struct { int entry; uint64_t off, size; bool outside; } rows[] = {
		{ 1, 0, UINT64_MAX, true }, { 1, UINT64_MAX, 0, true }, { 0, UINT64_MAX, 1, true }, { 2, 1, UINT64_MAX - 1, true },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		int left[4] = { 0 }, n = 0;

		b.swap = i & 1;
		make_file(all, 1, false, false);
		store(&b, table.off + 16 * (size_t)rows[i / 2].entry, rows[i / 2].off, 8);
		store(&b, table.off + 16 * (size_t)rows[i / 2].entry + 8, rows[i / 2].size, 8);
		for (int k = 1; k < 3; k++)
			if (k != rows[i / 2].entry)
				left[n++] = all[k];
		assert_int_equal(read_file(b.n, 0), 0);
		assert_non_null(strstr(err.what, "lies outside the file"));
		assert_int_equal(err.off, rows[i / 2].off);
		assert_int_equal(read_file(b.n, PP_OPEN_REPAIR), -1);
		are_seen(left, rows[i / 2].entry != 0, 3, false);
		assert_int_equal(faults, 1);
	}
	/* up to the last byte it may be; not over it */
	for (int more = 0; more < 2; more++) {
		b.swap = false;
		make_file(all, 1, false, false);
		feature[HOSTNAME].size = b.n - feature[HOSTNAME].off + (size_t)more;
		store(&b, table.off + 16 + 8, feature[HOSTNAME].size, 8);
		assert_int_equal(read_file(b.n, 0), more ? 0 : 1);
	}
}

/* TRACING_DATA that lies outside: there is none, and perf would need it. */
static void
lost_formats(void **state)
{
	static const int numbers[] = { TRACING, HOSTNAME, 0 }, host[] = { HOSTNAME, 0 };

	(void)state;
	for (int form = 0; form < 4; form++) {
		b.swap = form & 1;
		make_file(numbers, form & 2 ? 2 : 1, false, false);
		store(&b, table.off, UINT64_MAX, 8);
		assert_int_equal(read_file(b.n, PP_OPEN_REPAIR), -1);
		are_seen(host, 0, 3, false);
		assert_int_equal(faults, form & 2 ? 2 : 1);
		assert_non_null(strstr(fault[0].what, "lies outside the file"));
		if (form & 2)
			assert_non_null(strstr(fault[1].what, "formats of tracepoints are lost"));
	}
}

/* The bitmap of features, as recorders of either byte order write it, with longs of 64 bits or 32. */
static void
bitmaps(void **state)
{
	static const int no_host[] = { BUILD_ID, NRCPUS, 0 }, cpus[] = { NRCPUS, 0 }, high[] = { HOSTNAME, UNKNOWN, 0 };

	(void)state;
	for (int form = 0; form < 4; form++) {
		b.swap = form & 1;
		make_file(all, 1, form & 2, false);
		assert_int_equal(read_file(b.n, 0), 1);
		are_seen(shown, 1, 3, false);
		/* one that perf record has not written */
		make_file(no_host, 1, form & 2, false);
		assert_int_equal(read_file(b.n, 0), 1);
		are_seen(cpus, 1, 3, false);
		make_file(high, 1, form & 2, false);
		assert_int_equal(read_file(b.n, 0), 1);
		are_seen(high, 0, 3, false);
	}
	/* of another byte order, with bits of which the file has no sections: perf takes it for BUILD_ID alone */
	b.swap = true;
	make_file(no_host, 1, false, false);
	store(&b, 72, UINT64_C(1) << BUILD_ID | UINT64_C(1) << NRCPUS | UINT64_C(1) << 9, 8);
	assert_int_equal(read_file(b.n, 0), 1);
	are_seen(none, 1, 3, false);
	make_file(no_host, 1, false, false);
	store(&b, table.off + 16, b.n + 1, 8);
	assert_int_equal(read_file(b.n, 0), 1);
	are_seen(none, 1, 3, false);
	make_file(no_host, 1, false, false);
	store(&b, table.off + 16 + 8, b.n - feature[NRCPUS].off + 1, 8);
	assert_int_equal(read_file(b.n, 0), 1);
	are_seen(none, 1, 3, false);
	store(&b, table.off + 16 + 8, b.n - feature[NRCPUS].off, 8);
	feature[NRCPUS].size = b.n - feature[NRCPUS].off;
	assert_int_equal(read_file(b.n, 0), 1);
	are_seen(cpus, 1, 3, false);
}

/* Sections of attrs and data that overlap, or lie outside. */
static void
wrong_header(void **state)
{
	static const struct { size_t at; int64_t by; bool opens, repairs; const char *why; } rows[] = {
		{ 16, 8, false, true, "ids: section" }, { 16, -1, false, false, "attr_size is 79" }, { 16, -8, false, false, "attr_size is 72" },
		{ 16, 4096, false, false, "attr_size is 4176" }, { 24, 1 << 20, false, false, "outside the file" },
		{ 40, 1 << 20, false, true, "lies outside the file" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t now;

		b.swap = false;
		make_file(all, 1, false, false);
		now = pp_get_u64(bytes_p(&b) + rows[i].at, BIG_HERE);
		store(&b, rows[i].at, now + (uint64_t)rows[i].by, 8);
		assert_int_equal(read_file(b.n, 0), 0);
		if (!strstr(err.what, rows[i].why))
			fail_msg("row %zu: %s", i, err.what);
		assert_int_equal(read_file(b.n, PP_OPEN_REPAIR), rows[i].repairs ? -1 : 0);
	}
	/* data from the last byte of the attrs on, and up to their first */
	for (int i = 0; i < 4; i++) {
		make_file(none, 1, false, false);
		store(&b, 40, i & 1 ? attrs.off + attrs.size - (i < 2) : attrs.off - 8 + (i < 2), 8);
		store(&b, 48, 8, 8);
		read_file(b.n, 0);
		assert_int_equal(strstr(err.what, "overlaps the data") != NULL, i < 2);
	}
}

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

/* Which files of it belong to the recording: by the version in DIR_FORMAT, if that is there; with repair, if it is not, by their names. */
static void
directories(void **state)
{
	static const struct { uint64_t version; unsigned size, flags, files; unsigned samples, faults; const char *fails; } rows[] = {
		/* files: bit N: there is data.N */
		{ 1, 8, 0, 3, 9, 0, NULL }, { 1, 8, 0, 1, 6, 0, NULL }, { 0, 8, 0, 3, 3, 0, NULL }, { 2, 8, 0, 3, 0, 0, "a directory of version 2" },
		{ 1, 8, 0, 0, 3, 0, "data.0 is missing" }, { 1, 8, 0, 2, 6, 0, "data.0 is missing" }, { 1, 8, 0, 5, 9, 0, "data.1 is missing" },
		{ 1, 8, PP_OPEN_REPAIR, 5, 9, 1, NULL }, { 1, 8, PP_OPEN_REPAIR, 3, 9, 0, NULL }, { 0, 8, PP_OPEN_REPAIR, 3, 3, 0, NULL },
		{ 1, 7, 0, 3, 3, 0, NULL }, { 0, 0, 0, 3, 3, 0, NULL }, { 0, 0, PP_OPEN_REPAIR, 3, 9, 0, NULL }, { 1, 7, PP_OPEN_REPAIR, 3, 9, 0, NULL },
	};
	static const int format[] = { HOSTNAME, DIR_FORMAT, 0 }, host[] = { HOSTNAME, 0 };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		char dir[] = "/tmp/unit-file.XXXXXX", path[100];
		struct pp_source *s;
		unsigned samples = 0;
		struct pp_rec r;

		b.swap = i & 1;
		dir_version = rows[i / 2].version;
		make_file(rows[i / 2].size ? format : host, 1, false, false);
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
			while ((rc = pp_next(s, &r)) == 1)
				samples += r.type == PP_SAMPLE;
			assert_int_equal(rc, rows[i / 2].fails ? -1 : 0);
			pp_close(s);
		}
		if (samples != rows[i / 2].samples || faults != rows[i / 2].faults)
			fail_msg("row %zu: %u samples, %u faults, %s", i / 2, samples, faults, err.what);
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

	w->fd = memfd_create("file", MFD_CLOEXEC);
	w->n = have;
	assert_int_equal(pwrite(w->fd, bytes_p(&b), have, 0), have);
	assert_int_equal(pwrite(w->fd, zeros, 8, 48), 8);
	assert_int_equal(pwrite(w->fd, zeros, 32, 72), 32);
	err = (struct pp_err){ .what = "" };
	faults = nseen = 0;
	assert_non_null(s = pp_open_fd(dup(w->fd), "file", PP_OPEN_FOLLOW | PP_OPEN_LATER, &err));
	pp_follow_told(s, &told);
	if (pp_begin(s) > 0)
		while (pp_next(s, &r) == 1)
			note_record(s, &r);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole), cmocka_unit_test(cut_table), cmocka_unit_test(cut_data), cmocka_unit_test(wrong_sections),
		cmocka_unit_test(lost_formats), cmocka_unit_test(bitmaps), cmocka_unit_test(directories), cmocka_unit_test(wrong_header), cmocka_unit_test(grows), cmocka_unit_test(stat_grows),
	};

	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}

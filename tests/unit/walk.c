/* SPDX-License-Identifier: ISC */
/* The chunks of a recording: where each begins and ends; and the files of a directory, which it has them of. */
#include "refused.h"

#include <sys/stat.h>

#include <fcntl.h>

#include <zstd.h>

#include "perf_data.h"
#include "source/chunk.h"
#include "source/leave_out.h"

enum { CHUNKS_MAX = 100, PARTS = 12 };

static struct pp_chunk chunk[CHUNKS_MAX];
static unsigned nchunks, nothers, fails_at;
static struct bytes z;

static int
note_chunk(void *arg, const struct pp_chunk *c)
{
	(void)arg;
	assert_true(nchunks < CHUNKS_MAX);
	chunk[nchunks++] = *c;
	return nchunks == fails_at ? pp_fail(&err, "not this chunk") : 1;
}

static int
note_other(void *arg, struct pp_source *s, const struct pp_rec *r)
{
	(void)arg;
	assert_int_not_equal(r->type, PP_SAMPLE);
	assert_non_null(s);
	nothers++;
	return nothers == fails_at && !nchunks ? pp_fail(&err, "not this record") : 1;
}

static struct pp_source *
open_bytes(struct bytes *of, bool by_pipe)
{
	int fd[2];
	struct pp_source *s;

	if (by_pipe)
		assert_int_equal(pipe(fd), 0);
	else
		fd[0] = fd[1] = memfd_create("in", MFD_CLOEXEC);
	assert_int_equal(write(fd[1], bytes_p(of), of->n), of->n);
	if (by_pipe)
		close(fd[1]);
	else
		assert_int_equal(lseek(fd[0], 0, SEEK_SET), 0);
	err = (struct pp_err){ .what = "" };
	assert_non_null(s = pp_open_fd(fd[0], "in", 0, &err));
	nchunks = nothers = fails_at = 0;
	return s;
}

/* A stream of an attr, and samples with a record of another type between some. */
enum { SAMPLES = 20 };
static size_t at[2 * SAMPLES + 2];
static unsigned nat, others;

static void
make_stream(void)
{
	const struct pp_attr a = { .type = 1, .size = ATTR, .sample_type = PP_SAMPLE_TIME };

	b.n = nat = 0;
	others = 1;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	at[nat++] = b.n;
	put_attr(&b, &a, 0, NULL);
	for (unsigned i = 0; i < SAMPLES; i++) {
		at[nat] = begin_rec(&b, PP_SAMPLE, 2);
		put(&b, 1000 + i, 8);
		end_rec(&b, at[nat++]);
		if (i % 4 == 3) {
			at[nat++] = b.n;
			end_rec(&b, begin_rec(&b, 68, 0));
			others++;
		}
	}
	at[nat] = b.n;
}

/* One behind the other, from there to there, with all records. */
static void
are_whole(const struct pp_chunk_walk *w, uint64_t from, uint64_t to, uint64_t records, uint64_t samples)
{
	for (unsigned i = 0; i < nchunks; i++) {
		assert_int_equal(chunk[i].off, from);
		assert_true(chunk[i].len);
		from += chunk[i].len;
		records -= chunk[i].records;
		samples -= chunk[i].samples;
	}
	assert_int_equal(from, to);
	assert_int_equal(records, 0);
	assert_int_equal(samples, 0);
	assert_int_equal(w->all.samples, SAMPLES);
	assert_int_equal(w->all.first, 1000);
	assert_int_equal(w->all.last, 1000 + SAMPLES - 1);
}

static void
test_stream(void **state)
{
	(void)state;
	for (uint64_t size = 1; size < 1000; size += size < 50 ? 7 : 100) {
		struct pp_chunk_walk w = { .size = size, .chunk = note_chunk, .other = note_other };
		struct pp_source *s;

		b.swap = false;
		make_stream();
		s = open_bytes(&b, false);
		assert_int_equal(pp_chunks_walk(s, &w), 1);
		assert_int_equal(pp_close(s), 1);
		assert_true(w.chunk == note_chunk);
		are_whole(&w, 16, b.n, nat, SAMPLES);
		assert_int_equal(nothers, others);
		for (unsigned i = 0; i < nchunks; i++) {
			assert_int_equal(chunk[i].plain, chunk[i].len);
			assert_int_equal(chunk[i].flags & PP_CHUNK_COMPRESSED, 0);
			if (i + 1 < nchunks)		/* it ends with the record that makes it so long */
				assert_true(chunk[i].plain >= size && (chunk[i].plain < size + 8 + ATTR));
		}
		if (size == 1)
			assert_int_equal(nchunks, nat);
	}
}

/* The first record was read already; the source is asked by somebody who has no use for chunks. */
static void
test_ways(void **state)
{
	struct pp_chunk_walk w = { .size = 1, .chunk = note_chunk, .other = note_other };
	struct pp_source *s;
	struct pp_rec r;

	(void)state;
	b.swap = false;
	make_stream();
	s = open_bytes(&b, false);
	assert_int_equal(pp_next(s, &r), 1);
	w.first = &r;
	assert_int_equal(pp_chunks_walk(s, &w), 1);
	are_whole(&w, 16, b.n, nat, SAMPLES);
	assert_int_equal(nchunks, nat);
	assert_int_equal(nothers, others);
	pp_close(s);
	w = (struct pp_chunk_walk){ .size = 1 };		/* only the sums */
	s = open_bytes(&b, false);
	assert_int_equal(pp_chunks_walk(s, &w), 1);
	are_whole(&w, 0, 0, 0, 0);
	assert_int_equal(w.all.records, nat);
	pp_close(s);
	w = (struct pp_chunk_walk){ .size = 1, .chunk = note_chunk, .other = note_other };
	s = open_bytes(&b, true);				/* there are no places */
	assert_int_equal(pp_chunks_walk(s, &w), 1);
	assert_true(w.chunk == note_chunk);
	are_whole(&w, 0, 0, 0, 0);
	assert_int_equal(nchunks, 0);
	assert_int_equal(nothers, others);
	pp_close(s);
}

static void
test_fails(void **state)
{
	(void)state;
	b.swap = false;
	for (unsigned form = 0; form < 6; form++) {
		struct pp_chunk_walk w = { .size = form == 3 ? 100000 : 50, .chunk = note_chunk, .other = form == 2 || form == 5 ? note_other : NULL };
		struct pp_source *s;
		struct pp_rec r;

		make_stream();
		if (form == 4)					/* a record that is none */
			store(&b, at[10] + 6, 4, 2);
		s = open_bytes(&b, false);
		if (form == 5) {
			assert_int_equal(pp_next(s, &r), 1);
			w.first = &r;
		}
		fails_at = form == 4 ? 0 : form == 1 ? 3 : 1;
		assert_int_equal(pp_chunks_walk(s, &w), -1);
		if (form == 4) {
			assert_non_null(strstr(err.what, "record of 4 bytes"));
			assert_int_equal(w.all.records, 10);
			assert_int_equal(w.all.len, at[10] - 16);		/* up to the damage */
			assert_int_equal(chunk[nchunks - 1].off + chunk[nchunks - 1].len, at[10]);
		} else if (form == 2 || form == 5) {
			assert_string_equal(err.what, "not this record");
			assert_int_equal(nothers, 1);
		} else {
			assert_string_equal(err.what, "not this chunk");
			assert_true(nchunks >= fails_at);
		}
		pp_close(s);
	}
}

/* The records behind the attr, so many in each COMPRESSED record; of a frame of its own, or all of one. */
static void
compress(unsigned each, bool one)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t from = at[1];

	z.n = 0;
	memcpy(bytes_p(&z), bytes_p(&b), from);
	z.n = from;
	for (unsigned i = 1; i < nat; i += each) {
		size_t end = at[i + each < nat ? i + each : nat], rec = begin_rec(&z, PP_COMPRESSED, 0);
		ZSTD_inBuffer in = { bytes_p(&b) + at[i], end - at[i], 0 };
		ZSTD_outBuffer out = { bytes_p(&z) + z.n, 10000, 0 };

		assert_int_equal(ZSTD_compressStream2(c, &out, &in, one ? ZSTD_e_flush : ZSTD_e_end), 0);
		z.n += out.pos;
		end_rec(&z, rec);
	}
	ZSTD_freeCCtx(c);
}

static void
test_compressed(void **state)
{
	(void)state;
	b.swap = false;
	for (unsigned each = 1; each < 8; each++)
		for (unsigned one = 0; one < 2; one++) {
			struct pp_chunk_walk w = { .size = 1, .chunk = note_chunk };
			struct pp_source *s;

			make_stream();
			compress(each, one);
			s = open_bytes(&z, false);
			assert_int_equal(pp_chunks_walk(s, &w), 1);
			assert_int_equal(pp_close(s), 1);
			are_whole(&w, 16, z.n, nat, SAMPLES);
			assert_int_equal(nchunks, 1 + (one ? 1 : (nat - 1 + each - 1) / each));	/* the attr is one by itself */
			assert_int_equal(chunk[0].flags & PP_CHUNK_COMPRESSED, 0);
			for (unsigned i = 1; i < nchunks; i++) {
				assert_true(chunk[i].flags & PP_CHUNK_COMPRESSED);
				if (!one && i + 1 < nchunks)
					assert_int_equal(chunk[i].records, each);
			}
		}
}

/* ---- directories ------------------------------------------------------------------------------------------- */

static char dir[40];

static void
make_dir(void)
{
	strcpy(dir, "/tmp/unit-walk.XXXXXX");
	assert_non_null(mkdtemp(dir));
}

static const char *
path_of(const char *name)
{
	static char path[100];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static void
write_file(const char *name, const uint8_t *p, size_t n)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, n), n);
	close(fd);
}

static const char *
part_name(unsigned k)
{
	static char name[20];

	snprintf(name, sizeof name, "data.%u", k);
	return name;
}

/* A part with k + 1 samples. */
static size_t
make_part(unsigned k, uint8_t *p)
{
	for (unsigned i = 0; i <= k; i++) {
		memcpy(p + i * 24, bytes_p(&b) + data_at[0], 24);
		pp_set_u64(p + i * 24 + 8, 5000 + 100 * k + i, BIG_HERE);
	}
	return (k + 1) * (size_t)24;
}

static void
make_parts(void)
{
	static const int format[] = { HOSTNAME, DIR_FORMAT, 0 };
	static const unsigned order[PARTS] = { 7, 2, 11, 0, 9, 4, 1, 10, 3, 8, 6, 5 };
	uint8_t p[PARTS * 24];

	make_dir();
	b.swap = BIG_HERE;
	dir_version = 1;
	make_file(format, 1, false, false);
	for (unsigned i = 0; i < PARTS; i++) {
		if (i == 4)
			write_file("data", bytes_p(&b), b.n);
		write_file(part_name(order[i]), p, make_part(order[i], p));
	}
}

static void
remove_parts(void)
{
	for (unsigned k = 0; k < PARTS; k++)
		unlink(path_of(part_name(k)));
	unlink(path_of("data"));
	assert_int_equal(rmdir(dir), 0);
}

/* Its files come by their numbers. */
static void
test_parts(void **state)
{
	struct pp_source *s;
	struct pp_rec r;
	uint8_t p[PARTS * 24], got[PARTS * 24];
	uint64_t all_bytes, sum;
	unsigned n = 0;

	(void)state;
	make_parts();
	sum = b.n;
	assert_non_null(s = pp_open(dir, 0, &err));
	assert_string_equal(pp_container(s), "seekable perf.data in a directory of perf record --threads");
	for (unsigned k = 0; k < 3 + PARTS * (PARTS + 1) / 2; k++) {
		do
			assert_int_equal(pp_next(s, &r), 1);
		while (r.type != PP_SAMPLE);
		if (k < 3)
			assert_int_equal(pp_offset(s, &r), data_at[k]);
		else {
			static unsigned part, i;

			if (k == 3)
				part = i = 0;
			assert_int_equal(pp_get_u64(r.raw + 8, s->swap), 5000 + 100 * part + i);
			assert_int_equal(pp_offset(s, &r), i * 24);
			if (++i > part)
				part++, i = 0;
		}
		n++;
	}
	assert_int_equal(pp_next(s, &r), 0);
	for (unsigned k = 0; k < PARTS; k++)
		sum += (k + 1) * 24;
	assert_int_equal(pp_progress(s, &all_bytes), n * 24);
	assert_int_equal(all_bytes, sum);
	/* bytes of them as they are */
	assert_int_equal(pp_raw_size(s, 0), b.n);
	for (unsigned k = 0; k < PARTS; k++) {
		size_t size = make_part(k, p);

		assert_int_equal(pp_raw_size(s, k + 1), size);
		assert_int_equal(pp_raw_at(s, k + 1, 0, got, size), 1);
		assert_memory_equal(got, p, size);
		assert_int_equal(pp_raw_at(s, k + 1, 5, got, size - 5), 1);
		assert_memory_equal(got, p + 5, size - 5);
		assert_int_equal(pp_raw_at(s, k + 1, 5, got, size), 0);
	}
	for (unsigned what = REFUSE_CALL; REFUSES && what < REFUSE_KINDS; what++) {	/* a call can be repeated, or has failed */
		size_t size = make_part(3, p);

		refuse(what, 1);
		assert_int_equal(pp_raw_at(s, 4, 0, got, size), what == REFUSE_CALL ? -1 : 1);
		assert_true(refused_once());
		if (what != REFUSE_CALL)
			assert_memory_equal(got, p, size);
		refuse(REFUSE_CALL, 1);
		assert_int_equal(pp_raw_size(s, 4), -1);
		assert_true(refused_once());
	}
	assert_int_equal(pp_raw_size(s, PARTS + 1), -1);
	assert_int_equal(pp_raw_at(s, PARTS + 1, 0, got, 1), -1);
	assert_int_equal(pp_close(s), 1);
	remove_parts();
}

/* Who gives the memory to read into keeps all records, from one file to the next. */
static uint8_t *
give(void *arg)
{
	static uint8_t buffer[PARTS + 3][PP_BUFFER_SIZE];
	unsigned *n = arg;

	assert_true(*n < PARTS + 3);
	return buffer[(*n)++];
}

static void
test_parts_kept(void **state)
{
	enum { ALL = 3 + PARTS * (PARTS + 1) / 2 };
	static const uint8_t nothing[24];
	const uint8_t *raw[ALL];
	unsigned given = 0, n = 0;
	struct pp_source *s;
	struct pp_rec r;

	(void)state;
	for (unsigned i = 0; i < ALL; i++)
		raw[i] = nothing;
	make_parts();
	assert_non_null(s = pp_open(dir, PP_OPEN_LATER, &err));
	pp_read_into(s, give, &given);
	assert_int_equal(pp_begin(s), 1);
	while (pp_next(s, &r) == 1)
		if (r.type == PP_SAMPLE) {
			assert_true(n < ALL);
			raw[n++] = r.raw;
		}
	assert_int_equal(n, ALL);
	for (unsigned i = 0; i < 3; i++)
		assert_memory_equal(raw[i], bytes_p(&b) + data_at[i], 24);
	n = 3;
	for (unsigned k = 0; k < PARTS; k++)
		for (unsigned i = 0; i <= k; i++)
			assert_int_equal(pp_get_u64(raw[n++] + 8, s->swap), 5000 + 100 * k + i);
	assert_int_equal(pp_close(s), 1);
	remove_parts();
}

/* Each has chunks of its own; there is none of what is made of the header. */
static void
test_chunks_of_parts(void **state)
{
	(void)state;
	make_parts();
	for (uint64_t size = 1; size < 200; size += 49) {
		struct pp_chunk_walk w = { .size = size, .chunk = note_chunk };
		struct pp_source *s = pp_open(dir, 0, &err);
		unsigned at_chunk = 0;

		assert_non_null(s);
		nchunks = fails_at = 0;
		assert_int_equal(pp_chunks_walk(s, &w), 1);
		assert_int_equal(pp_close(s), 1);
		for (unsigned k = 0; k <= PARTS; k++) {
			uint64_t from = k ? 0 : data.off, end = k ? from + k * 24 : data.off + data.size, each = (size + 23) / 24 * 24;

			for (; from < end; from += each, at_chunk++) {
				uint64_t len = end - from < each ? end - from : each;

				assert_true(at_chunk < nchunks);
				assert_int_equal(chunk[at_chunk].file, k);
				assert_int_equal(chunk[at_chunk].off, from);
				assert_int_equal(chunk[at_chunk].len, len);
				assert_int_equal(chunk[at_chunk].records, len / 24);
				if (k) {
					assert_int_equal(chunk[at_chunk].first, 5000 + 100 * (k - 1) + from / 24);
					assert_int_equal(chunk[at_chunk].last, 5000 + 100 * (k - 1) + (from + len) / 24 - 1);
				}
			}
		}
		assert_int_equal(at_chunk, nchunks);
		assert_int_equal(w.all.samples, 3 + PARTS * (PARTS + 1) / 2);
	}
	for (unsigned n = 1; n <= PARTS + 1; n++) {		/* one that is not taken ends it, where a file ends, too */
		struct pp_chunk_walk w = { .size = 100000, .chunk = note_chunk };
		struct pp_source *s = pp_open(dir, 0, &err);

		assert_non_null(s);
		nchunks = 0;
		fails_at = n;
		assert_int_equal(pp_chunks_walk(s, &w), -1);
		assert_string_equal(err.what, "not this chunk");
		assert_int_equal(nchunks, n);
		pp_close(s);
	}
	remove_parts();
}

/* With repair each part that ends inside a record is a fault of its own. */
static void
test_cut_parts(void **state)
{
	(void)state;
	for (unsigned repair = 0; repair < 2; repair++) {
		uint8_t p[PARTS * 24];
		struct pp_source *s;
		struct pp_rec r;
		unsigned n = 0;
		int rc;

		make_parts();
		for (unsigned k = 2; k < 4; k++)
			write_file(part_name(k), p, make_part(k, p) - 5);
		err = (struct pp_err){ .what = "" };
		faults = 0;
		assert_non_null(s = pp_open(dir, repair ? PP_OPEN_REPAIR : 0, &err));
		pp_on_fault(s, note_fault, NULL);
		while ((rc = pp_next(s, &r)) == 1)
			n += r.type == PP_SAMPLE;
		if (repair) {
			assert_int_equal(rc, 0);
			assert_int_equal(faults, 2);
			for (unsigned k = 0; k < 2; k++) {
				char start[50];

				snprintf(start, sizeof start, "data.%u: ", k + 2);
				assert_memory_equal(fault[k].what, start, strlen(start));
				assert_non_null(strstr(fault[k].what, "cut short"));
			}
			assert_int_equal(n, 3 + PARTS * (PARTS + 1) / 2 - 2);
		} else {
			assert_int_equal(rc, -1);
			assert_string_equal(err.what, "data.2: SAMPLE: cut short, 19 of 24 bytes");
			assert_int_equal(n, 3 + 1 + 2 + 2);
		}
		assert_int_equal(pp_close(s), -1);
		remove_parts();
	}
}

/* Files of other names are those of others; those of its names must be files. */
static void
test_names(void **state)
{
	static const char *const not[] = { "data.01", "data.65536", "data.-1", "data.1x", "data. 1", "data.", "xdata.1", "data.+1", "data.99999999999" };
	static const struct { const char *name; char kind; const char *what; } rows[] = {
		{ "data.0", 'd', "data.0: not a regular file" }, { "data.0", 'p', "data.0: not a regular file" },
		{ "data.0", 'l', "data.0: No such file or directory" }, { "data.65535", 'f', "data.0 is missing" },
		{ "data", '-', "a directory without the file 'data': not of perf record --threads" },
	};
	static const int format[] = { HOSTNAME, DIR_FORMAT, 0 };
	uint8_t p[24];
	struct pp_rec r;

	(void)state;
	b.swap = BIG_HERE;
	dir_version = 1;
	make_file(format, 1, false, false);
	for (size_t i = 0; i <= sizeof rows / sizeof *rows; i++) {
		struct pp_source *s;
		unsigned n = 0;

		make_dir();
		if (!i || rows[i - 1].kind != '-')
			write_file("data", bytes_p(&b), b.n);
		for (size_t k = 0; !i && k < sizeof not / sizeof *not; k++)
			write_file(not[k], p, make_part(0, p));
		if (!i)
			write_file("data.0", p, make_part(0, p));
		else
			switch (rows[i - 1].kind) {
			case 'd': assert_int_equal(mkdir(path_of(rows[i - 1].name), 0700), 0); break;
			case 'p': assert_int_equal(mkfifo(path_of(rows[i - 1].name), 0600), 0); break;
			case 'l': assert_int_equal(symlink("/nonexistent/file", path_of(rows[i - 1].name)), 0); break;
			case 'f': write_file(rows[i - 1].name, p, make_part(0, p)); break;
			}
		err = (struct pp_err){ .what = "" };
		if ((s = pp_open(dir, 0, &err)))
			while (pp_next(s, &r) == 1)
				n += r.type == PP_SAMPLE;
		assert_int_equal(pp_close(s), i && s ? -1 : 1);
		assert_string_equal(err.what, i ? rows[i - 1].what : "");
		assert_int_equal(n, !i || (s && rows[i - 1].kind == 'f') ? 4 : s ? 3 : 0);
		for (size_t k = 0; k < sizeof not / sizeof *not; k++)
			unlink(path_of(not[k]));
		if (i) {
			unlink(path_of(rows[i - 1].name));
			rmdir(path_of(rows[i - 1].name));
		}
		unlink(path_of("data.0"));
		unlink(path_of("data"));
		assert_int_equal(rmdir(dir), 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stream), cmocka_unit_test(test_ways), cmocka_unit_test(test_fails), cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_parts), cmocka_unit_test(test_parts_kept), cmocka_unit_test(test_chunks_of_parts), cmocka_unit_test(test_cut_parts), cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

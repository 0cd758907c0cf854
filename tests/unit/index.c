/* SPDX-License-Identifier: ISC */
/* The file of an index: what is written is read; what is damaged, cut or made up is not believed; which chunks are wanted. */
#include <sys/mman.h>

#include <stdlib.h>
#include <unistd.h>

#include <zstd.h>

#include "check.h"
#include "index/index.h"
#include "index/layout.h"
#include "record/raw.h"

enum { SIDE = 3, SIDE_SIZE = 16 };

static uint8_t side[SIDE * SIDE_SIZE], packed[200], file[4000];
static size_t npacked, nfile, at[4];		/* at: where head, both entries and the end finish */

static const uint64_t events[] = { 5 }, cpus[] = { 1, UINT64_C(1) << 63 };
static const uint32_t tasks[] = { 0, 1, 127, 128, 16511, 100000, UINT32_MAX };
static const struct pp_chunk chunk = { .file = 0, .flags = PP_CHUNK_NO_CPU, .off = 16, .len = 4096, .plain = 4096, .records = 50,
	.samples = 47, .sample_bytes = 4096 - SIDE * SIDE_SIZE, .first = 1000, .last = 2000, .events = events, .nevents = 1, .cpus = cpus, .ncpus = 2,
	.tasks = tasks, .ntasks = sizeof tasks / sizeof *tasks };

/* ---- writing ------------------------------------------------------------------------------------------ */

static int
take(void *arg, const uint8_t *p, size_t n)
{
	(void)arg;
	assert_true(nfile + n <= sizeof file);
	memcpy(file + nfile, p, n);
	nfile += n;
	return 1;
}

static void
make_side(uint32_t type)
{
	memset(side, 0, sizeof side);
	for (int i = 0; i < SIDE; i++)
		pp_raw_head(side + i * SIDE_SIZE, type, 0, SIDE_SIZE, false);
	npacked = ZSTD_compress(packed, sizeof packed, side, sizeof side, 1);
	assert_false(ZSTD_isError(npacked));
}

static void
write_all(bool end)
{
	static struct ppi_file files[] = { { 16 + 2 * 4096, 9000 } };
	static struct ppi_mark marks[] = { { 0, 64, 16 }, { 0, 4096, 4112 } };
	const struct pp_writer to = { .write = take };
	struct pp_err err = { .what = "" };
	struct pp_sink *k = pp_create_writer(&to, &err);
	struct ppi_writer w = { .sink = k, .err = &err };
	struct ppi_entry e = { .c = chunk, .print = 7, .tail = 8, .copy = packed, .ncopy = npacked, .copy_plain = sizeof side };

	nfile = 0;
	assert_int_equal(ppi_write_head(&w, &(struct ppi_head){ .container = PPI_FILE, .big = true, .mark = { 0, 100, 104 }, .print = 9,
	    .size = 4096 }), 1);
	pp_flush(k);
	at[0] = nfile;
	assert_int_equal(ppi_write_entry(&w, &e), 1);
	pp_flush(k);
	at[1] = nfile;
	e = (struct ppi_entry){ .c = chunk };
	e.c.off += 4096;
	e.c.tasks = NULL;
	e.c.ntasks = 0;
	assert_int_equal(ppi_write_entry(&w, &e), 1);
	pp_flush(k);
	at[2] = nfile;
	if (end)
		assert_int_equal(ppi_write_end(&w, &(struct ppi_end){ .chunks = 2, .all = { .samples = 94, .sample_bytes = 8000,
		    .first = 1000, .last = 2000 }, .files = files, .nfiles = 1, .marks = marks, .nmarks = 2, .reads = true, .print = 10 }), 1);
	assert_int_equal(pp_finish(k), 1);
	at[3] = nfile;
	ppi_writer_free(&w);
	assert_string_equal(err.what, "");
}

static struct ppi_reader *
open_file(size_t n, struct pp_err *err)
{
	int fd = memfd_create("index", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, file, n), n);
	*err = (struct pp_err){ .what = "" };
	return ppi_open(fd, err);
}

/* The number of entries that are read; *damaged: what came behind was not sound. */
static unsigned
count(size_t n, bool *whole, bool *damaged)
{
	struct pp_err err;
	struct ppi_reader *x = open_file(n, &err);
	struct ppi_entry e;
	unsigned k = 0;

	*whole = *damaged = false;
	if (!x) {
		assert_true(err.what[0]);
		return 0;
	}
	ppi_end(x, whole);
	while (ppi_next(x, &e, damaged) > 0)
		k++;
	ppi_close(x);
	return k;
}

/* ---- tests -------------------------------------------------------------------------------------------- */

static void
test_round_trip(void **state)
{
	const struct ppi_end *n;
	struct ppi_reader *x;
	struct ppi_entry e;
	struct pp_err err;
	struct ppi_copy copy = { .p = NULL };
	bool whole, damaged;

	(void)state;
	make_side(PP_COMM);
	write_all(true);
	x = open_file(nfile, &err);
	assert_true(x);
	assert_int_equal(ppi_head(x)->container, PPI_FILE);
	assert_true(ppi_head(x)->big);
	assert_int_equal(ppi_head(x)->size, 4096);
	n = ppi_end(x, &whole);
	assert_true(whole && n->reads);
	assert_int_equal(n->chunks, 2);
	assert_int_equal(n->all.samples, 94);
	assert_int_equal(n->nfiles, 1);
	assert_int_equal(n->files[0].covered, 16 + 2 * 4096);
	assert_int_equal(n->nmarks, 2);
	assert_int_equal(n->marks[1].off, 4112);
	for (int pass = 0; pass < 2; pass++) {
		assert_int_equal(ppi_next(x, &e, &damaged), 1);
		assert_int_equal(e.c.off, 16);
		assert_int_equal(e.c.samples, 47);
		assert_int_equal(e.c.first, 1000);
		assert_int_equal(e.c.flags, PP_CHUNK_NO_CPU);
		assert_int_equal(e.c.nevents, 1);
		assert_memory_equal(e.c.events, events, sizeof events);
		assert_memory_equal(e.c.cpus, cpus, sizeof cpus);
		assert_int_equal(e.c.ntasks, sizeof tasks / sizeof *tasks);
		assert_memory_equal(e.c.tasks, tasks, sizeof tasks);
		assert_int_equal(e.print, 7);
		assert_int_equal(e.tail, 8);
		assert_int_equal(ppi_expand(&e, false, &copy, &err), 1);
		assert_memory_equal(copy.p, side, sizeof side);
		assert_int_equal(ppi_next(x, &e, &damaged), 1);
		assert_true(!e.copy && !e.c.ntasks && ppi_at_last(x));
		assert_int_equal(ppi_next(x, &e, &damaged), 0);
		assert_false(damaged);
		ppi_rewind(x);
	}
	ppi_copy_free(&copy);
	ppi_close(x);
}

/* Each bit of each byte: no entry is read that is not one of those that were written. */
static void
test_flipped(void **state)
{
	bool whole, damaged;

	(void)state;
	make_side(PP_COMM);
	write_all(true);
	for (size_t i = 0; i < nfile; i++)
		for (int bit = 0; bit < 8; bit++) {
			unsigned n;

			file[i] ^= (uint8_t)(1 << bit);
			n = count(nfile, &whole, &damaged);
			assert_int_equal(n, i < at[0] ? 0 : i < at[1] ? 0 : i < at[2] ? 1 : 2);
			assert_int_equal(damaged, i >= at[0] && i < at[2]);
			assert_int_equal(whole, i >= at[0] && i < at[2]);
			file[i] ^= (uint8_t)(1 << bit);
		}
}

/* Cut anywhere, as when it grows: the entries before it. */
static void
test_cut(void **state)
{
	bool whole, damaged;

	(void)state;
	make_side(PP_COMM);
	write_all(true);
	for (size_t n = 0; n < nfile; n++) {
		assert_int_equal(count(n, &whole, &damaged), n < at[1] ? 0 : n < at[2] ? 1 : 2);
		assert_false(whole);
	}
}

/* A copy with what must not be in it. */
static void
test_copy(void **state)
{
	static const uint32_t bad[] = { PP_SAMPLE, PP_COMPRESSED, PP_COMPRESSED2, PP_AUXTRACE, PP_HEADER_TRACING_DATA };
	struct pp_err err = { .what = "" };
	struct ppi_entry e = { .c = chunk, .copy = packed, .copy_plain = sizeof side };
	struct ppi_copy copy = { .p = NULL };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		make_side(bad[i]);
		e.ncopy = npacked;
		err.what[0] = 0;
		assert_int_equal(ppi_expand(&e, false, &copy, &err), -1);
		assert_true(err.what[0]);
	}
	make_side(PP_COMM);
	e.ncopy = npacked;
	for (size_t less = 1; less < 8; less++) {		/* what it expands to is not what it says */
		e.copy_plain = sizeof side - less;
		assert_int_equal(ppi_expand(&e, false, &copy, &err), -1);
	}
	e.copy_plain = sizeof side;
	e.ncopy = npacked - 1;
	assert_int_equal(ppi_expand(&e, false, &copy, &err), -1);
	e.ncopy = npacked;
	e.c.records++;						/* it has not all records of the chunk */
	assert_int_equal(ppi_expand(&e, false, &copy, &err), -1);
	e.c.records -= 2;					/* or more */
	assert_int_equal(ppi_expand(&e, false, &copy, &err), -1);
	e.c.records++;
	e.c.plain--;						/* or other ones */
	assert_int_equal(ppi_expand(&e, false, &copy, &err), -1);
	ppi_copy_free(&copy);
}

/* A chunk that no recording can have, though its hash is right, is damage. */
static void
test_impossible(void **state)
{
	static const struct { int at; uint64_t v; } wrong[] = {
		{ PPI_E_LEN, 0 }, { PPI_E_LEN, UINT64_MAX }, { PPI_E_LEN, 4095 }, { PPI_E_OFF, UINT64_MAX }, { PPI_E_OFF, INT64_MAX },
		{ PPI_E_PLAIN, UINT64_MAX }, { PPI_E_PLAIN, 4097 }, { PPI_E_PLAIN, 0 }, { PPI_E_RECORDS, 46 }, { PPI_E_RECORDS, 513 },
		{ PPI_E_RECORDS, UINT64_MAX }, { PPI_E_SAMPLES, 51 }, { PPI_E_SAMPLES, UINT64_MAX }, { PPI_E_SAMPLE_BYTES, 4097 },
		{ PPI_E_SAMPLE_BYTES, 47 * 8 - 1 }, { PPI_E_SAMPLE_BYTES, UINT64_MAX }, { PPI_E_FIRST, 2001 },
	};
	bool whole, damaged;

	(void)state;
	make_side(PP_COMM);
	write_all(true);
	assert_int_equal(count(nfile, &whole, &damaged), 2);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		write_all(true);
		ppi_set_u64(file + at[1] + wrong[i].at, wrong[i].v);
		ppi_seal(file + at[1], at[2] - at[1]);
		assert_int_equal(count(nfile, &whole, &damaged), 1);
		assert_true(damaged);
	}
	/* what is compressed may be larger, but not without limit */
	for (int i = 0; i < 2; i++) {
		write_all(true);
		ppi_set_u32(file + at[1] + PPI_E_FLAGS, PP_CHUNK_COMPRESSED);
		ppi_set_u64(file + at[1] + PPI_E_PLAIN, (UINT64_C(4096) << 15) + (i ? 1 << 15 : 0));
		ppi_seal(file + at[1], at[2] - at[1]);
		assert_int_equal(count(nfile, &whole, &damaged), i ? 1 : 2);
	}
}

/* ---- snapshots ------------------------------------------------------------------------------------------ */

/* Two chunks, with a snapshot between them that stands for the first; what it has is in `side'. */
static void
write_snap(uint32_t plain)
{
	static struct ppi_file files[] = { { 16 + 2 * 4096, 9000 } };
	static struct ppi_snap snap;
	const struct pp_writer to = { .write = take };
	struct pp_err err = { .what = "" };
	struct pp_sink *k = pp_create_writer(&to, &err);
	struct ppi_writer w = { .sink = k, .err = &err };
	struct ppi_entry e = { .c = chunk };

	nfile = 0;
	snap = (struct ppi_snap){ .off = 16 + 4096, .chunks = 1, .sample_bytes = chunk.sample_bytes };
	assert_int_equal(ppi_write_head(&w, &(struct ppi_head){ .size = 4096, .every = 8192 }), 1);
	assert_int_equal(ppi_write_entry(&w, &e), 1);
	assert_int_equal(ppi_write_snap(&w, &snap, packed, npacked, plain), 1);
	e.c.off += 4096;
	assert_int_equal(ppi_write_entry(&w, &e), 1);
	assert_int_equal(ppi_write_end(&w, &(struct ppi_end){ .chunks = 2, .files = files, .nfiles = 1, .snaps = &snap, .nsnaps = 1 }), 1);
	assert_int_equal(pp_finish(k), 1);
	ppi_writer_free(&w);
	assert_string_equal(err.what, "");
	assert_int_equal(ppi_u32(file + snap.at), PPI_SNAP);
}

/* What ppi_begin_at() says of it. */
static int
begin_at(void)
{
	struct ppi_copy copy = { .p = NULL };
	const struct ppi_end *n;
	struct ppi_reader *x;
	struct ppi_entry e;
	struct pp_err err;
	bool whole, damaged;
	size_t plain;
	int rc;

	x = open_file(nfile, &err);
	assert_true(x);
	n = ppi_end(x, &whole);
	assert_true(whole && n->nsnaps == 1 && ppi_head(x)->every == 8192);
	rc = ppi_begin_at(x, n->snaps, false, &copy, &plain, &err);
	if (rc > 0) {
		assert_int_equal(plain, sizeof side);
		assert_memory_equal(copy.p, side, sizeof side);
		assert_int_equal(ppi_next(x, &e, &damaged), 1);
		assert_int_equal(e.c.off, 16 + 4096);
	}
	if (rc == 0) {			/* from the first one on, over the snapshot */
		assert_int_equal(ppi_next(x, &e, &damaged), 1);
		assert_int_equal(e.c.off, 16);
		assert_int_equal(ppi_next(x, &e, &damaged), 1);
	}
	assert_true(rc >= 0 || err.what[0]);
	ppi_copy_free(&copy);
	ppi_close(x);
	return rc;
}

static void
test_snapshot(void **state)
{
	static const uint32_t bad[] = { PP_SAMPLE, PP_COMPRESSED, PP_COMPRESSED2, PP_AUXTRACE, PP_LOST, PP_SWITCH };
	size_t snap;
	bool whole, damaged;

	(void)state;
	make_side(PP_COMM);
	write_snap(sizeof side);
	assert_int_equal(begin_at(), 1);
	assert_int_equal(count(nfile, &whole, &damaged), 2);
	for (snap = PPI_HEAD_SIZE; ppi_u32(file + snap) != PPI_SNAP; snap++)
		;
	for (size_t i = snap + PPI_S_OFF; i < snap + PPI_S_FIXED + npacked + PPI_HASH; i++) {
		file[i] ^= 1;
		assert_int_equal(begin_at(), 0);
		file[i] ^= 1;
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		make_side(bad[i]);
		write_snap(sizeof side);
		assert_int_equal(begin_at(), -1);
	}
	make_side(PP_COMM);
	for (uint32_t less = 1; less < 9; less++) {
		write_snap(sizeof side - less);
		assert_int_equal(begin_at(), -1);
		write_snap(sizeof side + less);
		assert_int_equal(begin_at(), -1);
	}
	write_snap(UINT32_MAX);		/* no memory is taken for that */
	assert_int_equal(begin_at(), -1);
	write_snap(sizeof side);	/* it has another place than the end says, with the right hash */
	ppi_set_u64(file + snap + PPI_S_OFF, 16 + 2 * 4096);
	ppi_seal(file + snap, PPI_S_FIXED + npacked + PPI_HASH);
	assert_int_equal(begin_at(), -1);
}

/* Version 1 has no snapshots, and a shorter end. */
static void
test_version_1(void **state)
{
	size_t cut = PPI_N_FIXED - PPI_N_FIXED_1, n;
	bool whole, damaged;

	(void)state;
	make_side(PP_COMM);
	write_all(true);
	ppi_set_u32(file + PPI_HEAD_VERSION, 1);
	ppi_seal(file, PPI_HEAD_SIZE);
	memmove(file + at[2] + PPI_N_FIXED_1, file + at[2] + PPI_N_FIXED, nfile - at[2] - PPI_N_FIXED);
	nfile -= cut;
	n = nfile - at[2] - PPI_TRAILER_SIZE;
	ppi_set_u32(file + at[2] + PPI_N_SIZE, n);
	ppi_seal(file + at[2], n);
	ppi_set_u64(file + nfile - PPI_TRAILER_SIZE, n);
	assert_int_equal(count(nfile, &whole, &damaged), 2);
	assert_true(whole && !damaged);
	ppi_set_u32(file + PPI_HEAD_VERSION, PPI_VERSION + 1);
	ppi_seal(file, PPI_HEAD_SIZE);
	assert_int_equal(count(nfile, &whole, &damaged), 0);
}

/* Is the chunk wanted, if that is one of the ranges for `by'? */
static bool
wants(struct pp_chunk c, enum ppi_by by, uint64_t lo, uint64_t hi)
{
	const struct ppi_range r[] = { { lo, hi } };
	const struct ppi_cond all[] = { { by, r, 1 } };
	size_t fails;

	return ppi_wants(&c, all, 1, &fails);
}

static void
test_want(void **state)
{
	static uint64_t many[PP_CHUNK_CPUS / 64];
	struct pp_chunk c = chunk;
	size_t fails;

	(void)state;
	c.flags = 0;
	assert_true(wants(c, PPI_TIME, 0, 1000) && wants(c, PPI_TIME, 2000, UINT64_MAX) && wants(c, PPI_TIME, 1500, 1500));
	assert_true(!wants(c, PPI_TIME, 0, 999) && !wants(c, PPI_TIME, 2001, UINT64_MAX));
	assert_true(wants(c, PPI_TASK, 0, 0) && wants(c, PPI_TASK, UINT32_MAX, UINT32_MAX) && wants(c, PPI_TASK, 2, 127));
	assert_true(!wants(c, PPI_TASK, 2, 126) && !wants(c, PPI_TASK, 129, 16510) && !wants(c, PPI_TASK, 100001, UINT32_MAX - 1));
	assert_true(wants(c, PPI_CPU, 0, 0) && wants(c, PPI_CPU, 1, 127) && !wants(c, PPI_CPU, 1, 126) && !wants(c, PPI_CPU, 128, 100000));
	assert_true(wants(c, PPI_EVENT, 2, 2) && !wants(c, PPI_EVENT, 1, 1) && !wants(c, PPI_EVENT, 3, UINT64_MAX));
	/* larger numbers share the last bit */
	many[PP_CHUNK_CPUS / 64 - 1] = UINT64_C(1) << 63;
	c.cpus = many;
	c.ncpus = PP_CHUNK_CPUS / 64;
	assert_true(wants(c, PPI_CPU, 1 << 20, 1 << 20) && !wants(c, PPI_CPU, 0, PP_CHUNK_CPUS - 2));
	/* a sample without the field */
	c.flags = PP_CHUNK_NO_TIME;
	assert_true(wants(c, PPI_TIME, 0, 999) && !wants(c, PPI_TASK, 2, 126));
	/* ... must be looked at by who asks for it, as for some commands that is an error */
	c = chunk;
	assert_true(ppi_wants(&c, (struct ppi_cond[]){ { PPI_EVENT, NULL, 0 }, { PPI_CPU, NULL, 0 } }, 2, &fails));
	assert_false(ppi_wants(&c, (struct ppi_cond[]){ { PPI_EVENT, NULL, 0 } }, 1, &fails));
	/* all conditions hold; the first that fails is told */
	c.flags = 0;
	assert_false(ppi_wants(&c, (struct ppi_cond[]){ { PPI_CPU, (struct ppi_range[]){ { 0, 5 } }, 1 }, { PPI_EVENT, NULL, 0 },
	    { PPI_TASK, (struct ppi_range[]){ { 5, 5 } }, 1 } }, 3, &fails));
	assert_int_equal(fails, 1);
	assert_true(ppi_wants(&c, NULL, 0, &fails));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_flipped), cmocka_unit_test(test_cut), cmocka_unit_test(test_copy),
		cmocka_unit_test(test_impossible), cmocka_unit_test(test_want), cmocka_unit_test(test_snapshot), cmocka_unit_test(test_version_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

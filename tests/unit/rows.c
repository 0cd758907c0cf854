/* SPDX-License-Identifier: ISC */
/* Rows and elements that are found by keys, against lists: what is found, that no row overlaps another, and memory. */
#include <stdlib.h>

#include "state/rows.h"
#include "state/table.h"

#include "chance.h"
#include "check.h"

enum { MOST = 3000, KEYS = 700 };

/* ---- rows ------------------------------------------------------------------------------------------------ */

static struct rows rows;
static struct { uint32_t number, key; bool second, listed; uint8_t fill; } all[MOST];
static unsigned n;
static size_t bytes[2];			/* of a row */

static unsigned
of_size(bool second)
{
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++)
		count += all[i].second == second;
	return count;
}

/* The bytes behind next and key, all of the words that are its own. */
static uint8_t *
body(unsigned i, size_t *size)
{
	*size = bytes[all[i].second] - sizeof(struct row);
	return (uint8_t *)rows_at(&rows, all[i].number) + sizeof(struct row);
}

static void
check_row(unsigned i)
{
	size_t size;
	uint8_t *p = body(i, &size);

	assert_int_equal(rows_second(all[i].number), all[i].second);
	for (size_t k = 0; k < size; k++)
		assert_int_equal(p[k], all[i].fill);
}

static void
add(uint32_t key, bool second)
{
	const struct rows_of was = rows.of[second];
	size_t size;
	uint8_t *p;

	all[n].number = pp_rows_add(&rows, key, second);
	assert_true(all[n].number != 0);
	all[n].key = key;
	all[n].second = second;
	all[n].listed = true;
	all[n].fill = 0;
	if (was.unused) {			/* what was dropped last is used again */
		assert_int_equal(all[n].number, was.unused);
		assert_int_equal(rows.of[second].used, was.used);
	} else
		assert_int_equal(rows.of[second].used, was.used + 1);
	assert_int_equal(((struct row *)rows_at(&rows, all[n].number))->key, key);
	check_row(n);
	p = body(n, &size);
	all[n].fill = (uint8_t)(1 + rnd(255));
	memset(p, all[n].fill, size);
	n++;
}

/* Each row of the key is found once, and no other. */
static void
check_key(uint32_t key)
{
	unsigned found = 0, there = 0;

	for (unsigned i = 0; i < n; i++)
		there += all[i].listed && all[i].key == key;
	for (uint32_t i = rows_first(&rows, key); i; i = rows_seek(&rows, ((struct row *)rows_at(&rows, i))->next, key)) {
		unsigned k = 0;

		while (k < n && all[k].number != i)
			k++;
		assert_true(k < n && all[k].listed && all[k].key == key);
		found++;
	}
	assert_int_equal(found, there);
}

static void
check_memory(void)
{
	unsigned listed = 0;

	for (unsigned i = 0; i < n; i++)
		listed += all[i].listed;
	assert_int_equal(rows.listed, listed);
	assert_int_equal(rows.of[0].n, of_size(false));
	assert_int_equal(rows.of[1].n, of_size(true));
	/* as many slots as rows, or up to twice as many, in a table that has not had more */
	assert_true(!rows.bits || (rows.bits >= 6 && listed <= UINT32_C(1) << rows.bits));
	assert_int_equal(pp_rows_memory(&rows), of_size(false) * bytes[0] + of_size(true) * bytes[1] + (rows.bits ? sizeof(uint32_t) << rows.bits : 0));
	for (unsigned second = 0; second < 2; second++) {
		unsigned in_chunk = (unsigned)(ROWS_WORDS / (bytes[second] / 8)), used = rows.of[second].used, none = !second;

		/* row 0, which is none, has its place before anything was added */
		assert_int_equal(rows.of[second].chunks, used > none ? (used + in_chunk - 1) / in_chunk : 0);
	}
}

static void
take_out(unsigned i, bool drop)
{
	if (all[i].listed)
		pp_rows_unlist(&rows, all[i].number);
	all[i].listed = false;
	check_row(i);
	if (!drop)
		return;
	pp_rows_drop(&rows, all[i].number);
	all[i] = all[--n];
}

static void
test_rows(void **state)
{
	static const struct { size_t size[2], bytes[2]; } t[] = {
		{ { 9, 16 }, { 16, 16 } }, { { 16, 17 }, { 16, 24 } }, { { 24, 23 }, { 24, 24 } }, { { 64, 121 }, { 64, 128 } }, { { 40, 2000 }, { 40, 2000 } },
		{ { 15, 1001 }, { 16, 1008 } },
	};

	(void)state;
	for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
		seed = (uint32_t)k + 1;
		n = 0;
		memcpy(bytes, t[k].bytes, sizeof bytes);
		pp_rows_init(&rows, t[k].size[0], t[k].size[1]);
		assert_int_equal(pp_rows_memory(&rows), 0);
		assert_int_equal(rows_first(&rows, 1), 0);
		for (unsigned i = 0; i < 6000; i++) {
			if (n && rnd(10) < 3 + (n > MOST - 10) * 10)
				take_out(rnd(n), rnd(8));
			else
				add(rnd(20) ? rnd(KEYS) : UINT32_MAX - rnd(3), rnd(2));
			if (i % 16 == 0) {
				check_key(rnd(KEYS));
				check_key(UINT32_MAX - rnd(4));
				check_memory();
			}
			if (n)
				check_row(rnd(n));
		}
		for (uint32_t key = 0; key < KEYS; key++)
			check_key(key);
		for (unsigned i = 0; i < n; i++)
			check_row(i);
		while (n)
			take_out(n - 1, true);
		check_memory();
		for (uint32_t key = 0; key < KEYS; key++)
			assert_int_equal(rows_first(&rows, key), 0);
		pp_rows_free(&rows);
	}
}

/* Slots are doubled when there are as many rows, not before. */
static void
test_slots(void **state)
{
	(void)state;
	pp_rows_init(&rows, 16, 16);
	for (uint32_t i = 0; i < 1100; i++) {
		pp_rows_add(&rows, i, false);
		assert_int_equal(rows.bits, i < 64 ? 6 : i < 128 ? 7 : i < 256 ? 8 : i < 512 ? 9 : i < 1024 ? 10 : 11);
	}
	pp_rows_free(&rows);
}

/* ---- the table ------------------------------------------------------------------------------------------- */

struct thing { struct link link; unsigned number; bool there; };

static unsigned
count_of(const struct table *t, uint64_t key)
{
	unsigned found = 0;

	for (struct link *l = pp_table_first(t, key); l; l = pp_table_next(l)) {
		assert_int_equal(l->key, key);
		assert_true(((struct thing *)l)->there);
		found++;
	}
	return found;
}

static void
test_table(void **state)
{
	enum { MANY = 2000, FEW = 50 };
	struct thing *x = calloc(MANY, sizeof *x);
	unsigned there[FEW] = { 0 };
	struct table t;

	(void)state;
	seed = 3;
	pp_table_init(&t);
	assert_true(t.mul & 1);
	assert_null(pp_table_first(&t, 0));
	for (unsigned i = 0; i < MANY; i++) {
		unsigned k = rnd(FEW);

		assert_int_equal(pp_table_add(&t, &x[i].link, k * UINT64_C(0x100000001)), 1);
		x[i].number = k;
		x[i].there = true;
		there[k]++;
		assert_int_equal(t.bits, i < 64 ? 6 : i < 128 ? 7 : i < 256 ? 8 : i < 512 ? 9 : i < 1024 ? 10 : 11);
		assert_ptr_equal(pp_table_first(&t, k * UINT64_C(0x100000001)), &x[i]);	/* the last one is the first that is found */
		assert_int_equal(count_of(&t, k * UINT64_C(0x100000001)), there[k]);
		assert_int_equal(count_of(&t, k + UINT64_C(0x7700000000)), 0);
		assert_int_equal(t.n, i + 1);
	}
	for (unsigned i = 0; i < MANY; i++) {
		unsigned at = i * 7 % MANY;		/* each once */

		pp_table_remove(&t, &x[at].link);
		x[at].there = false;
		there[x[at].number]--;
		assert_int_equal(count_of(&t, x[at].number * UINT64_C(0x100000001)), there[x[at].number]);
		assert_int_equal(t.n, MANY - 1 - i);
	}
	pp_table_free(&t, false);
	free(x);
	pp_table_init(&t);		/* nothing was added; and elements that are freed with it, which sanitizers look at */
	pp_table_free(&t, true);
	pp_table_init(&t);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(pp_table_add(&t, calloc(1, sizeof(struct thing)), i), 1);
	pp_table_free(&t, true);
}

/* Each bit of each byte counts, and how many there are; a hash goes on from another, by words of four bytes and then single ones. */
static void
test_hash(void **state)
{
	struct table t = { .mul = UINT64_C(0x9e3779b97f4a7c15) };
	uint8_t p[24];

	(void)state;
	for (unsigned i = 0; i < sizeof p; i++)
		p[i] = (uint8_t)(i * 37);
	for (size_t len = 0; len <= sizeof p; len++) {
		uint64_t h = pp_table_hash(&t, 5, p, len);

		assert_true(len ? h != 5 : h == 5);
		assert_true(!len || h != pp_table_hash(&t, 6, p, len));
		for (unsigned bit = 0; bit < 8 * sizeof p; bit++) {
			p[bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_int_equal(pp_table_hash(&t, 5, p, len) == h, bit / 8 >= len);
			p[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		for (size_t k = 0; k <= len; k += 4)
			assert_int_equal(pp_table_hash(&t, pp_table_hash(&t, 5, p, k), p + k, len - k), h);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows), cmocka_unit_test(test_slots), cmocka_unit_test(test_table), cmocka_unit_test(test_hash),
	};

	return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}

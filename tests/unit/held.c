/* SPDX-License-Identifier: ISC */
/* Records that wait in order of arrival: each has its bytes until it is emitted or dropped, wherever they have been copied meanwhile. */
#include "state/held.h"

#include "bytes.h"
#include "chance.h"

enum { STEPS = 80000, FEW = PP_BLOCK_SIZE / 4 };

static struct pp_ring g;
static uint8_t *buffer;			/* that of the source, and how much of it is full */
static size_t filled;

static void
fill(uint8_t *p, uint64_t number, size_t n)
{
	memset(p, (int)(number * 7), n);
	memcpy(p, &number, sizeof number);
	p[n - 1] = (uint8_t)(number >> 8);
}

static void
check(uint64_t number)
{
	const struct pp_held *e = pp_ring_at(&g, number);
	const uint8_t *p = pp_ring_bytes(&g, e);
	size_t n = e->place & 0xffff;
	uint64_t is;

	memcpy(&is, p, sizeof is);
	assert_int_equal(is, number);
	assert_int_equal(p[n - 1], (uint8_t)(number >> 8));
	if (n > 10)
		assert_int_equal(p[n / 2 < 8 ? 8 : n / 2], (uint8_t)(number * 7));
}

static void
put_one(size_t n)
{
	static uint8_t away[65536];
	bool in_place = buffer && n <= PP_BLOCK_SIZE - filled && rnd(4);
	uint8_t *p = in_place ? buffer + filled : away;
	struct pp_held *e;

	if (pp_ring_full(&g)) {
		size_t cap = g.cap;

		assert_int_equal(pp_ring_growth(&g), (cap ? 2 * cap : 4096) * sizeof *e);
		assert_int_equal(pp_ring_grow(&g), 1);
		assert_int_equal(g.cap, cap ? 2 * cap : 4096);
	}
	e = pp_ring_at(&g, g.next);
	*e = (struct pp_held){ .state = PP_WAITS };
	fill(p, g.next, n);
	assert_int_equal(pp_blocks_keep(&g.blocks, p, n, &e->place), 1);
	if (in_place) {
		assert_ptr_equal(pp_ring_bytes(&g, e), p);
		filled += n;
	}
	g.next++;
}

static void
drop(uint64_t number)
{
	struct pp_held *e = pp_ring_at(&g, number);

	if (!pp_held_goes(e))
		return;
	check(number);
	pp_ring_drop(&g, e);
	e->state = PP_DECIDED;
	e->to = 0;
	e->front = 0;
}

/* Bytes that are needed: of all, or of a block. */
static size_t
needed(const struct pp_block *b, size_t *records)
{
	size_t bytes = 0;

	*records = 0;
	for (uint64_t n = g.first; n < g.next; n++) {
		const struct pp_held *e = pp_ring_at(&g, n);

		if (!pp_held_goes(e) || (b && pp_place_number(e->place) != b->number))
			continue;
		bytes += e->place & 0xffff;
		++*records;
	}
	return bytes;
}

static void
check_all(void)
{
	for (uint64_t n = g.first; n < g.next; n++)
		if (pp_held_goes(pp_ring_at(&g, n)))
			check(n);
}

/* The block that was read into before goes away if few bytes in it are needed. */
static void
next_buffer(void)
{
	struct pp_block *was = g.blocks.reading;
	size_t records = 0, bytes = was ? needed(was, &records) : 0, left;
	uint64_t number = was ? was->number : 0;

	buffer = pp_ring_buffer(&g);
	assert_non_null(buffer);
	filled = 0;
	if (was && records) {
		struct pp_block as = { .number = number };

		needed(&as, &left);
		assert_int_equal(left, bytes <= FEW ? 0 : records);
	}
}

static void
compact(void)
{
	size_t records, bytes = needed(NULL, &records), held = pp_blocks_held(&g.blocks);
	int rc = pp_ring_compact(&g);

	assert_int_equal(rc, bytes <= held / 2);
	check_all();
	pp_blocks_reclaim(&g.blocks);
	if (rc)
		assert_true(pp_blocks_held(&g.blocks) <= bytes + bytes / 2 + 3 * sizeof(struct pp_block));
	check_all();
}

/* As many spare blocks stay as are in use, or a few; a block that is filled and of which nothing is needed is one of them. */
static void
reclaim(void)
{
	size_t in_use;

	pp_blocks_reclaim(&g.blocks);
	in_use = g.blocks.mem / sizeof(struct pp_block) - g.blocks.nspare;
	assert_true(g.blocks.nspare <= (in_use > 4 ? in_use : 4));
	assert_true(!g.blocks.filling || g.blocks.filling->live);
	assert_true(g.blocks.first <= g.blocks.n && g.blocks.n <= g.blocks.cap);
	check_all();
}

static void
test_model(void **state)
{
	(void)state;
	seed = 3;
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t waits = g.next - g.first;
		unsigned most = i >= STEPS / 2 ? 9000 : i / 4000 % 3 ? 40 : 4000;	/* that wait */

		switch (rnd(600)) {
		case 0:
			next_buffer();
			break;
		case 1:
			compact();
			break;
		case 2:
			reclaim();
			break;
		case 3:
			pp_blocks_shrink(&g.blocks);
			assert_int_equal(pp_blocks_spare(&g.blocks), 0);
			break;
		case 4:			/* most of them, so that a block has few */
			if (i >= STEPS / 2 && rnd(12))
				break;
			for (uint64_t n = g.first; n < g.next; n++)
				if (rnd(10))
					drop(n);
			if (i >= STEPS / 2)
				compact();
			break;
		default:
			if (waits < most || rnd(3))
				put_one(rnd(100) ? 9 + rnd(800) : 9 + rnd(60000));
			else
				drop(g.first + rnd((uint32_t)waits));
		}
		while (g.first < g.next && (g.next - g.first > most + 100 || !pp_held_goes(pp_ring_at(&g, g.first))))
			drop(g.first++);
	}
	check_all();
	assert_true(g.cap > 8192);		/* it has grown, and had all that time to go wrong */
	while (g.first < g.next)
		drop(g.first++);
	pp_blocks_reclaim(&g.blocks);
	pp_blocks_shrink(&g.blocks);
	assert_true(pp_ring_memory(&g) <= g.cap * sizeof *g.e + 2 * sizeof(struct pp_block));
	pp_ring_free(&g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
	};

	return cmocka_run_group_tests_name("held", tests, NULL, NULL);
}

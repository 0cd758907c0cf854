/* SPDX-License-Identifier: ISC */
/*
 * The maps of processes that share them, against arrays that share nothing: what is found where, in which order, what is new
 * since a reference was taken, and that an insertion writes no further than the pool is, whose space is always just used up here.
 */
#include <stdlib.h>

#include "state/state_in.h"

#include "chance.h"
#include "check.h"

enum { SPACES = 6, MOST = 600, ADDRESSES = 2048, ROUNDS = 30000 };

struct model {
	struct pp_map	map[MOST];
	unsigned	n;
};

static struct pp_state s;
static struct pp_maps maps[SPACES];
static uint32_t held[SPACES];		/* a reference to the maps as they were in held_model */
static struct model model[SPACES], held_model[SPACES], got;

static void
model_insert(struct model *m, const struct pp_map *new)
{
	uint64_t end = new->start + new->len;
	struct model out = { .n = 0 };
	bool put = false;

	for (unsigned i = 0; i < m->n; i++) {
		struct pp_map x = m->map[i];
		uint64_t x_end = x.start + x.len;

		if (x.start < new->start) {
			out.map[out.n] = x;
			out.map[out.n++].len = (x_end < new->start ? x_end : new->start) - x.start;
		}
		if (x_end > new->start && !put) {
			out.map[out.n++] = *new;
			put = true;
		}
		if (x_end > end) {
			uint64_t cut = x.start < end ? end - x.start : 0;

			x.start += cut;
			x.len -= cut;
			x.pgoff += cut;
			out.map[out.n++] = x;
		}
	}
	if (!put)
		out.map[out.n++] = *new;
	*m = out;
}

static const struct pp_map *
model_find(const struct model *m, uint64_t addr)
{
	for (unsigned i = 0; i < m->n; i++)
		if (addr >= m->map[i].start && addr - m->map[i].start < m->map[i].len)
			return &m->map[i];
	return NULL;
}

static bool
same_map(const struct pp_map *a, const struct pp_map *b)
{
	return a->start == b->start && a->len == b->len && a->pgoff == b->pgoff && a->dso == b->dso && a->data == b->data;
}

static int
note(void *arg, const struct pp_map *m)
{
	(void)arg;
	assert_true(got.n < MOST);
	got.map[got.n++] = *m;
	return 1;
}

/* What was noted are the maps of the model from address `first' to `last' that are not in `but'. */
static void
check_got(const struct model *m, uint64_t first, uint64_t last, const struct model *but)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++) {
		const struct pp_map *x = &m->map[i], *old = but ? model_find(but, x->start) : NULL;

		if (x->start > last || x->start + x->len - 1 < first || (old && same_map(old, x)))
			continue;
		assert_true(n < got.n && same_map(&got.map[n], x));
		n++;
	}
	assert_int_equal(got.n, n);
	got.n = 0;
}

static void
check_finds(unsigned k, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		uint64_t addr = rnd(ADDRESSES + 80);
		const struct pp_map *a = pp_maps_find(&s, &maps[k], addr), *b = model_find(&model[k], addr);

		assert_true(!a == !b && (!a || same_map(a, b)));
	}
}

static void
insert(unsigned k, unsigned number)
{
	struct pp_map m = { .start = rnd(ADDRESSES), .len = 1 + rnd(rnd(8) ? 12 : 80), .pgoff = rnd(1000) * 4096 };
	struct maps_pool *p = &s.pool;
	uint64_t version = p->version, *word, unused = 0;

	m.data = number % 50;
	if (p->used) {
		/* as if the space were used up but for a few nodes: what a change takes, it has to have asked for */
		p->cap = p->used + rnd(300);
		word = realloc(p->word, p->cap * sizeof *word + sizeof unused);
		assert_non_null(word);
		p->word = word;
	}
	assert_int_equal(pp_maps_insert(p, &maps[k], &m), 1);
	assert_true(p->used <= p->cap);
	assert_int_equal(pp_maps_version(&maps[k]), version + 1);
	model_insert(&model[k], &m);
}

static void
drop(unsigned k)
{
	pp_maps_drop(&s.pool, &maps[k]);
	assert_int_equal(pp_maps_version(&maps[k]), 0);
	model[k].n = 0;
}

static void
any_maps(void **state)
{
	(void)state;
	seed = 7;
	s.pool.seed = 1;
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned k = rnd(SPACES), other = (k + 1 + rnd(SPACES - 1)) % SPACES, first = rnd(ADDRESSES), last = first + rnd(300);

		switch (rnd(40)) {
		case 0:
			drop(k);
			pp_maps_share(&s.pool, &maps[k], &maps[other]);
			assert_int_equal(pp_maps_version(&maps[k]), pp_maps_version(&maps[other]));
			model[k] = model[other];
			break;
		case 1:
			if (!rnd(20))
				drop(k);
			break;
		case 2:
			pp_maps_release(&s.pool, held[k]);
			held[k] = pp_maps_hold(&s.pool, &maps[k]);
			held_model[k] = model[k];
			break;
		case 3:
			assert_int_equal(pp_maps_each(&s, &maps[k], note, NULL), 1);
			check_got(&model[k], 0, UINT64_MAX, NULL);
			break;
		case 4:
			assert_int_equal(pp_maps_each_in(&s, &maps[k], first, last, note, NULL), 1);
			check_got(&model[k], first, last, NULL);
			break;
		case 5:
			assert_int_equal(pp_maps_each_new(&s, &maps[k], held[k], note, NULL), 1);
			check_got(&model[k], 0, UINT64_MAX, &held_model[k]);
			break;
		case 6:		/* so many that there is an index, in a while */
			check_finds(k, rnd(400));
			break;
		default:
			insert(k, i);
			check_finds(k, 2);
		}
	}
	for (unsigned k = 0; k < SPACES; k++) {
		drop(k);
		pp_maps_release(&s.pool, held[k]);
		held[k] = 0;
	}
	assert_int_equal(s.pool.bytes, 0);
	pp_maps_pool_end(&s.pool);
}

static int
count(void *arg, const struct pp_map *m)
{
	(void)m;
	++*(unsigned *)arg;
	return 1;
}

static void
count_all(void *arg, const struct pp_map *m)
{
	count(arg, m);
}

/* Memory: that of the maps, and of an index from the time on that there is one until the next change; what was used is used again. */
static void
memory(void **state)
{
	size_t one, all;
	uint32_t used;

	(void)state;
	memset(&s, 0, sizeof s);
	memset(maps, 0, sizeof maps);
	for (unsigned i = 0; i < 500; i++) {
		struct pp_map m = { .start = i * 4, .len = 4, .data = 1 };

		assert_int_equal(pp_maps_insert(&s.pool, &maps[0], &m), 1);
	}
	one = s.pool.bytes / 500;
	assert_int_equal(s.pool.bytes, one * 500);
	assert_in_range(one, 40, 100);
	all = 0;
	pp_maps_pool_each(&s.pool, count_all, &all);
	assert_int_equal((unsigned)all, 500);
	for (unsigned i = 0; i < 1000; i++)
		assert_non_null(pp_maps_find(&s, &maps[0], i));
	all = one * 500 + 500 * (sizeof(uint64_t) + sizeof(uint32_t));
	assert_in_range(s.pool.bytes, all + 1, all + 64);
	used = s.pool.used;
	for (unsigned round = 0; round < 3; round++) {
		struct pp_map m = { .start = 0, .len = 2000, .data = 2 };

		assert_int_equal(pp_maps_insert(&s.pool, &maps[0], &m), 1);
		assert_in_range(s.pool.bytes, one, one + 100);
		for (unsigned i = 0; i < 499; i++) {
			m = (struct pp_map){ .start = i * 4, .len = 4, .data = 1 };
			assert_int_equal(pp_maps_insert(&s.pool, &maps[0], &m), 1);
		}
	}
	assert_in_range(s.pool.used, used, used + 2 * used / 500);
	pp_maps_drop(&s.pool, &maps[0]);
	assert_int_equal(s.pool.bytes, 0);
	pp_maps_pool_end(&s.pool);
}

/* What is kept by file goes away as a whole when files have been freed, since their numbers are used again. */
static void
by_file(void **state)
{
	uint64_t *p = NULL;
	unsigned freed = 0;
	size_t n = 0;

	(void)state;
	memset(&s, 0, sizeof s);
	for (unsigned round = 0; round < 3; round++) {
		for (size_t i = 0; i < 100; i += 11) {
			p = pp_state_by_file(&s, p, &n, &freed, i, sizeof *p);
			assert_non_null(p);
			assert_true(n > i);
			assert_int_equal(p[i], 0);
			p[i] = UINT64_MAX;
		}
		for (size_t i = 0; i < 100; i++)
			assert_int_equal(p[i], i % 11 ? 0 : UINT64_MAX);
		s.sweeps++;
		assert_int_equal(pp_state_freed(&s), round + 1);
	}
	free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_maps),
		cmocka_unit_test(memory),
		cmocka_unit_test(by_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* tree.c - stacks as a tree: sums, names that change, the order of nodes, and what a limit leaves */
#include <stdlib.h>

#include "check.h"
#include "stack/tree.h"

enum { OTHER = 9, NAMES = 10, DEPTH = 6 };

static uint64_t
sum(const struct tree *t)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < t->n; i++)
		n += t->node[i].self;
	return n;
}

static void
sound(const struct tree *t)
{
	uint64_t *total = tree_totals(t);

	assert_int_equal(total[0], sum(t));
	for (uint32_t i = 1; i < t->n; i++) {
		assert_true(t->node[i].parent < i);
		assert_true(total[i] >= t->node[i].self);
	}
	free(total);
}

static void
add(struct tree *t, const char *names, uint64_t n)
{
	uint32_t name[DEPTH], depth = 0;

	for (; *names; names++)
		name[depth++] = (uint32_t)(*names - '0');
	assert_true(tree_add(t, name, depth, n));
}

/* The nodes in order, as "parent names:self". */
static void
lines(const struct tree *t, char *to, size_t size)
{
	uint32_t *order = tree_order(t, NAMES);
	size_t n = 0;

	for (uint32_t k = 0; k + 1 < t->n; k++) {
		char path[DEPTH + 1];
		size_t at = DEPTH;

		path[at] = '\0';
		for (uint32_t i = order[k]; i; i = t->node[i].parent)
			path[--at] = (char)('0' + t->node[i].name);
		n += (size_t)snprintf(to + n, size - n, "%s:%d ", path + at, (int)t->node[order[k]].self);
		assert_true(!k || t->node[order[k]].parent >= t->node[order[k - 1]].parent);
	}
	free(order);
}

static void
test_counts(void **state)
{
	struct tree t;
	char text[200];

	(void)state;
	assert_true(tree_init(&t, 1000, OTHER));
	add(&t, "21", 1);
	add(&t, "12", 2);
	add(&t, "123", 3);
	add(&t, "121", 5);
	add(&t, "12", 7);
	add(&t, "", 11);
	sound(&t);
	assert_int_equal(sum(&t), 29);
	assert_int_equal(t.n, 7);
	lines(&t, text, sizeof text);
	assert_string_equal(text, "1:0 2:0 21:1 12:9 121:5 123:3 ");
	tree_free(&t);
}

/* Nodes that get one name become one, with all below them. */
static void
test_rename(void **state)
{
	static const uint32_t name_of[NAMES] = { 0, 1, 1, 3, 4, 5, 6, 7, 8, OTHER };
	struct tree t;
	char text[200];

	(void)state;
	assert_true(tree_init(&t, 1000, OTHER));
	add(&t, "13", 1);
	add(&t, "23", 2);
	add(&t, "24", 4);
	add(&t, "2", 8);
	assert_true(tree_rename(&t, name_of));
	sound(&t);
	lines(&t, text, sizeof text);
	assert_string_equal(text, "1:8 13:3 14:4 ");
	/* what is added then finds them, and is found */
	add(&t, "13", 1);
	add(&t, "14", 16);
	add(&t, "15", 32);
	add(&t, "15", 32);
	sound(&t);
	lines(&t, text, sizeof text);
	assert_string_equal(text, "1:8 13:4 14:20 15:64 ");
	tree_free(&t);
}

/* Within the limit: no sample is lost, and heavy stacks stay. */
static void
test_limit(void **state)
{
	struct tree t;
	uint64_t want = 0, heavy = 0;
	uint32_t most = 0;

	(void)state;
	srandom(3);
	assert_true(tree_init(&t, 64, 100000));
	for (int i = 0; i < 20000; i++) {
		uint32_t name[DEPTH], depth = (uint32_t)(random() % DEPTH) + 1;

		for (uint32_t k = 0; k < depth; k++)
			name[k] = (uint32_t)(random() % 20);
		assert_true(tree_add(&t, name, depth, 1));
		assert_true(tree_add(&t, (const uint32_t[]){ 50, 51, 52 }, 3, 1));
		want += 2;
		most = t.n > most ? t.n : most;
	}
	sound(&t);
	assert_int_equal(sum(&t), want);
	assert_true(most <= 64 + 2 * DEPTH + 64);
	assert_true(t.folded > 0);
	for (uint32_t i = 1; i < t.n; i++)
		if (t.node[i].name == 52)
			heavy = t.node[i].self;
	assert_int_equal(heavy, 20000);
	tree_free(&t);
}

struct ends {				/* which node each sample ended in */
	uint32_t	 node[20000], n;
};

/* tree_change */
static void
ends_move(void *arg, const uint32_t *to, uint32_t n)
{
	struct ends *e = arg;

	for (uint32_t i = 0; i < e->n; i++) {
		assert_true(e->node[i] < n);
		e->node[i] = to[e->node[i]];
	}
}

/* Who has numbers of nodes has those of the same samples when the tree was thinned, cut or has other names. */
static void
test_change(void **state)
{
	static struct ends e;
	uint32_t name_of[101], before;
	uint64_t *self;
	struct tree t;

	(void)state;
	srandom(4);
	assert_true(tree_init(&t, 300, 100));
	t.change = ends_move;
	t.change_arg = &e;
	for (uint32_t i = 0; i <= 100; i++)
		name_of[i] = i / 2;
	while (e.n < 20000) {
		uint32_t name[DEPTH], depth = (uint32_t)(random() % (DEPTH + 1));

		for (uint32_t k = 0; k < depth; k++)
			name[k] = (uint32_t)(random() % 6) * (k + 1);
		assert_true(tree_add(&t, name, depth, 1));
		e.node[e.n++] = tree_last(&t);
	}
	for (int step = 0; step < 3; step++) {
		self = calloc(t.n, sizeof *self);
		for (uint32_t i = 0; i < e.n; i++)
			self[e.node[i]]++;
		for (uint32_t i = 0; i < t.n; i++)
			assert_int_equal(self[i], t.node[i].self);
		free(self);
		sound(&t);
		assert_int_equal(sum(&t), 20000);
		before = t.n;
		if (step == 0) {
			assert_true(tree_rename(&t, name_of));
			assert_true(t.n < before);
		} else if (step == 1) {
			assert_true(tree_cut(&t, 40));
			assert_true(t.n <= 40 && t.n > 10);
		}
	}
	tree_free(&t);
}

/* A stack that is deeper than the limit, again and again. */
static void
test_deep(void **state)
{
	uint32_t name[500];
	struct tree t;

	(void)state;
	assert_true(tree_init(&t, 16, 1));
	for (uint32_t round = 0; round < 50; round++) {
		for (uint32_t i = 0; i < 500; i++)
			name[i] = 2 + round * 7 + i;
		assert_true(tree_add(&t, name, 500, 1));
	}
	sound(&t);
	assert_int_equal(sum(&t), 50);
	assert_true(t.n < 16 + 2 * 500);
	tree_free(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_rename),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_change),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

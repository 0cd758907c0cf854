/* SPDX-License-Identifier: ISC */
/* symtab.c - names of the addresses of a file: which symbol is kept, which is found, and tables that are not sound */
#include <stdlib.h>

#include "check.h"
#include "symbol/demangle.h"
#include "symbol/symtab.h"

enum { TABLE = 1 << 20 };
static uint64_t bytes[TABLE / 8];

static void
add(struct symtab_maker *m, uint64_t start, uint64_t size, const char *name, unsigned flags)
{
	symtab_add(m, start, size, name, strlen(name), flags);
}

static struct symtab
made(struct symtab_maker *m, const struct symtab_segment *segment, size_t n)
{
	size_t size = symtab_write(m, segment, n, bytes, sizeof bytes);
	struct symtab t;
	void *mem = malloc(size + 1);

	assert_true(size > 0);
	memcpy(mem, bytes, size);
	assert_true(symtab_open(&t, mem, size));
	symtab_maker_free(m);
	return t;
}

static const char *
found(const struct symtab *t, uint64_t addr)
{
	uint64_t start;
	const char *name = symtab_find(t, addr, &start);

	return name ? name : "-";
}

/* The rules one after the other: the second of each pair is kept, in whichever order they come. */
static void
test_choice(void **state)
{
	static const struct { struct { uint64_t size; const char *name; unsigned flags; } less, more; } pairs[] = {
		{ { 0, "a_long_global", SYMTAB_GLOBAL }, { 8, "w", SYMTAB_WEAK } },
		{ { 8, "weak_and_long", SYMTAB_WEAK }, { 8, "l", 0 } },
		{ { 8, "local_and_long", 0 }, { 8, "g", SYMTAB_GLOBAL } },
		{ { 8, "__two_and_long", SYMTAB_GLOBAL }, { 8, "_o", SYMTAB_GLOBAL } },
		{ { 8, "short", SYMTAB_GLOBAL }, { 8, "longer", SYMTAB_GLOBAL } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		for (int order = 0; order < 2; order++) {
			struct symtab_maker m = { .n = 0 };
			struct symtab t;

			if (order)
				add(&m, 100, pairs[i].less.size, pairs[i].less.name, pairs[i].less.flags);
			add(&m, 100, pairs[i].more.size, pairs[i].more.name, pairs[i].more.flags);
			if (!order)
				add(&m, 100, pairs[i].less.size, pairs[i].less.name, pairs[i].less.flags);
			t = made(&m, NULL, 0);
			assert_int_equal(t.n, 1);
			assert_string_equal(found(&t, 100), pairs[i].more.name);
			symtab_free(&t);
		}
}

static void
test_first_of_equal(void **state)
{
	struct symtab_maker m = { .n = 0 };
	struct symtab t;

	(void)state;
	add(&m, 100, 8, "one", SYMTAB_GLOBAL);
	add(&m, 100, 8, "two", SYMTAB_GLOBAL);
	t = made(&m, NULL, 0);
	assert_string_equal(found(&t, 107), "one");
	assert_string_equal(found(&t, 108), "-");
	symtab_free(&t);
}

static void
test_nested(void **state)
{
	struct symtab_maker m = { .n = 0 };
	struct symtab t;

	(void)state;
	add(&m, 100, 100, "outer", 0);
	add(&m, 110, 20, "inner", 0);
	add(&m, 115, 5, "innermost", 0);
	add(&m, 140, 10, "second", 0);
	add(&m, 300, 0, "label", 0);
	add(&m, 400, 0, "last", 0);
	t = made(&m, NULL, 0);
	assert_string_equal(found(&t, 99), "-");
	assert_string_equal(found(&t, 100), "outer");
	assert_string_equal(found(&t, 112), "inner");
	assert_string_equal(found(&t, 117), "innermost");
	assert_string_equal(found(&t, 120), "inner");
	assert_string_equal(found(&t, 130), "outer");
	assert_string_equal(found(&t, 145), "second");
	assert_string_equal(found(&t, 150), "outer");
	assert_string_equal(found(&t, 199), "outer");
	assert_string_equal(found(&t, 200), "-");
	assert_string_equal(found(&t, 399), "label");		/* to the next one */
	assert_string_equal(found(&t, 400), "last");
	assert_string_equal(found(&t, 4096 + 4096), "-");
	symtab_free(&t);
}

/* Any symbols against trying all of them. */
static void
test_model(void **state)
{
	(void)state;
	srandom(1);
	for (int round = 0; round < 300; round++) {
		struct symtab_maker m = { .n = 0 };
		struct { uint64_t start, size; } v[40];
		struct symtab t;
		int n = (int)(random() % 40) + 1;

		for (int i = 0; i < n; i++) {
			char name[16];

			v[i].start = (uint64_t)(random() % 200);
			v[i].size = (uint64_t)(random() % 60) + 1;
			for (int k = 0; k < i; k++)	/* one for a start */
				if (v[k].start == v[i].start)
					v[i].size = v[k].size;
			snprintf(name, sizeof name, "%d_%d", (int)v[i].start, (int)v[i].size);
			add(&m, v[i].start, v[i].size, name, 0);
		}
		t = made(&m, NULL, 0);
		for (uint64_t a = 0; a < 270; a++) {
			char want[16] = "-";
			uint64_t best = 0;

			for (int i = 0; i < n; i++)
				if (a >= v[i].start && a - v[i].start < v[i].size && v[i].start + 1 > best) {
					best = v[i].start + 1;
					snprintf(want, sizeof want, "%d_%d", (int)v[i].start, (int)v[i].size);
				}
			assert_string_equal(found(&t, a), want);
		}
		symtab_free(&t);
	}
}

static void
test_segments(void **state)
{
	static const struct symtab_segment segment[] = { { 0x1000, 0x100, 0x401000 }, { 0x2000, 0x80, 0x603000 } };
	struct symtab_maker m = { .n = 0 };
	struct symtab t;
	uint64_t addr = 0;

	(void)state;
	add(&m, 0x401010, 16, "f", 0);
	t = made(&m, segment, 2);
	assert_false(symtab_addr(&t, 0xfff, &addr));
	assert_true(symtab_addr(&t, 0x1010, &addr));
	assert_int_equal(addr, 0x401010);
	assert_false(symtab_addr(&t, 0x1100, &addr));
	assert_true(symtab_addr(&t, 0x207f, &addr));
	assert_int_equal(addr, 0x60307f);
	symtab_free(&t);
}

static void
test_kallsyms(void **state)
{
	static const char text[] = "ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81000100 t local_one\n"
	    "ffffffff81000200 D data\nffffffff81000300 W weak\nffffffffa0000000 t in_module\t[mod]\nnot a line\n12345678901234567 T x\n"
	    "ffffffff81000400 T __a_longer_one\nffffffff81000400 w last";
	struct symtab_maker m = { .n = 0 };
	struct symtab t;

	(void)state;
	assert_true(symtab_kallsyms(&m, text, sizeof text - 1));
	assert_int_equal(m.anchor[0], 0xffffffff81000000);
	assert_int_equal(m.anchor[1], 0xffffffff81000000);
	t = made(&m, NULL, 0);
	assert_int_equal(t.n, 5);
	assert_string_equal(found(&t, 0xffffffff81000050), "_stext");
	assert_string_equal(found(&t, 0xffffffff81000250), "local_one");	/* to the next symbol of code */
	assert_string_equal(found(&t, 0xffffffff81000300), "weak");
	assert_string_equal(found(&t, 0xffffffff81000400), "last");	/* of several */
	assert_string_equal(found(&t, 0xffffffffa0000010), "in_module\t[mod]");
	symtab_free(&t);
}

static void
test_kallsyms_hidden(void **state)
{
	static const char text[] = "0000000000000000 T _text\n0000000000000000 T f\n";
	struct symtab_maker m = { .n = 0 };

	(void)state;
	assert_false(symtab_kallsyms(&m, text, sizeof text - 1));
	symtab_maker_free(&m);
	assert_false(symtab_kallsyms(&m, "", 0));
	symtab_maker_free(&m);
}

/* With any byte changed, or cut anywhere, a table is refused, or each search ends and stays in it (sanitizers see to that). */
static void
test_unsound(void **state)
{
	struct symtab_maker m = { .n = 0 };
	size_t size, refused = 0;

	(void)state;
	for (uint64_t i = 0; i < 6; i++)
		add(&m, 100 + 10 * i, 200 - 30 * i, "name", 0);
	size = symtab_write(&m, (const struct symtab_segment[]){ { 0, 1000, 0 } }, 1, bytes, sizeof bytes);
	assert_true(size > 0);
	for (size_t cut = 0; cut < size; cut++) {
		void *mem = malloc(cut + 1);
		struct symtab t;

		memcpy(mem, bytes, cut);
		assert_false(symtab_open(&t, mem, cut));
	}
	for (size_t at = 0; at < size; at++)
		for (int bit = 0; bit < 8; bit++) {
			uint8_t *mem = malloc(size);
			struct symtab t;

			memcpy(mem, bytes, size);
			mem[at] ^= (uint8_t)(1 << bit);
			if (!symtab_open(&t, mem, size)) {
				refused++;
				continue;
			}
			for (uint64_t a = 0; a < 400; a++)
				assert_true(strlen(found(&t, a)) < size);
			symtab_free(&t);
		}
	assert_true(refused > 100);
	symtab_maker_free(&m);
}

static void
test_no_space(void **state)
{
	struct symtab_maker m = { .n = 0 };

	(void)state;
	add(&m, 1, 1, "name", 0);
	assert_int_equal(symtab_write(&m, NULL, 0, bytes, 32), 0);
	symtab_maker_free(&m);
}

static const char *
shown(const char *name, enum demangle how)
{
	static char text[DEMANGLE_MAX + 1];

	return demangle(name, how, text) ? text : "-";
}

static void
test_demangle(void **state)
{
	char *longer = malloc(2 * DEMANGLE_MAX);
	char *deep = malloc(2 * DEMANGLE_MAX);

	(void)state;
	if (!demangle_built)
		skip();
	assert_string_equal(shown("_ZN3foo3barEi", DEMANGLE_SHORT), "foo::bar");
	assert_string_equal(shown("_ZN3foo3barEi", DEMANGLE_FULL), "foo::bar(int)");
	assert_string_equal(shown("_ZN3foo3barEi", DEMANGLE_NONE), "-");
	assert_string_equal(shown("_ZN3foo3barEi@plt", DEMANGLE_SHORT), "foo::bar@plt");
	assert_string_equal(shown("_ZN4core3fmt5write17h0123456789abcdefE", DEMANGLE_SHORT), "core::fmt::write");
	assert_string_equal(shown("_RNvC6_123foo3bar", DEMANGLE_SHORT), "123foo::bar");
	assert_string_equal(shown("main", DEMANGLE_SHORT), "-");
	assert_string_equal(shown("_Zgarbage", DEMANGLE_SHORT), "-");
	assert_string_equal(shown("", DEMANGLE_SHORT), "-");
	/* what is too long, or becomes it, stays as it is */
	snprintf(longer, 2 * DEMANGLE_MAX, "_Z%d", DEMANGLE_MAX);
	memset(longer + strlen(longer), 'a', DEMANGLE_MAX);
	longer[6 + DEMANGLE_MAX] = '\0';
	assert_string_equal(shown(longer, DEMANGLE_SHORT), "-");
	strcpy(deep, "_Z1fI");
	for (size_t i = strlen(deep); i < DEMANGLE_MAX - 1; i++)
		deep[i] = 'P';
	deep[DEMANGLE_MAX - 1] = '\0';
	assert_string_equal(shown(deep, DEMANGLE_FULL), "-");
	/* a few bytes whose text would take minutes to be told: 10^10 lifetimes */
	assert_string_equal(shown("_RYYYPPFGBTPPP5_", DEMANGLE_SHORT), "-");
	assert_string_equal(shown("_RYYYPPFGBTPPP5_@plt", DEMANGLE_FULL), "-");
	/* and some that are counted, but not told */
	assert_string_equal(shown("_RXYYPSFG_RYYYPPFGRYYY0_", DEMANGLE_FULL), "-");
	/* what looks like their number, in identifiers and in front of them; and lifetimes that are few */
	assert_string_equal(shown("_RNvC3foo10GLOBAL_ABC", DEMANGLE_FULL), "foo::GLOBAL_ABC");
	assert_string_equal(shown("_RNvNvC4G12_1x8GG00_G1_", DEMANGLE_FULL), "G12_::x::GG00_G1_");
	assert_string_equal(shown("_RNvCs9GpK3GxY_3foo3bar", DEMANGLE_FULL), "foo::bar");
	assert_string_equal(shown("_RNvXs_Cs9GpK3GxY_3fooNtB4_3BarNtB4_5Trait6method", DEMANGLE_FULL), "<foo::Bar as foo::Trait>::method");
	assert_string_equal(shown("_RIC3fooFG0_RL1_hRL0_hEuE", DEMANGLE_FULL), "foo::<for<'a, 'b> fn(&'a u8, &'b u8)>");
	free(longer);
	free(deep);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_first_of_equal),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_kallsyms_hidden),
		cmocka_unit_test(test_unsound),
		cmocka_unit_test(test_no_space),
		cmocka_unit_test(test_demangle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
